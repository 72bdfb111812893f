"""No graph scores more than a result's bound, whatever was searched and however it was stopped."""

import math

import numpy as np
import pytest

import dagwright as dw

SCORES = [
    dw.BIC(),
    dw.AIC(),
    dw.BDeu(1),
    dw.BDeu(20),
    dw.K2(),
    dw.Dirichlet(0.5),
    dw.LogLikelihood(),
]
PRIORS = [
    None,
    dw.EdgePenalty(0.7),
    dw.ParentCount(),
    dw.Modular(lambda child, parents: 2.0 if len(parents) == 2 else -0.5 * len(child)),
]
SEARCHES = [dw.HillClimb(), dw.ChowLiu(), dw.Auto(), dw.ExactDP(), dw.ExactILP(), dw.K2Search()]


def random_scorer(rng):
    n_variables, n_rows = rng.integers(2, 5), rng.integers(1, 60)
    arities = rng.integers(1, 4, size=n_variables)
    codes = [rng.integers(arities[0], size=n_rows)]
    for arity in arities[1:]:  # each depends somewhat on the one before
        own = np.where(rng.random(n_rows) < 0.6, codes[-1], rng.integers(arity, size=n_rows))
        codes.append(own % arity)
    rows = dw.Table.from_codes(np.column_stack(codes), states=[tuple(range(r)) for r in arities])
    if rng.random() < 0.3:
        rows = rows.with_weights(
            rng.choice([0.5, 1.0, 2.0, 3.25], size=n_rows) * rng.choice([1e-3, 1.0])
        )
    prior = PRIORS[rng.integers(len(PRIORS))]
    return dw.Scorer(rows, SCORES[rng.integers(len(SCORES))], structure_prior=prior)


def random_constraints(rng, names):
    order = rng.permutation(list(names)).tolist()
    return dw.Constraints(
        max_parents=int(rng.integers(1, 4)) if rng.random() < 0.3 else None,
        required=[(order[0], order[1])] if rng.random() < 0.2 else [],
        forbidden=[(order[1], order[0])] if rng.random() < 0.3 else [],
        max_parameters=int(rng.integers(18, 40)) if rng.random() < 0.2 else None,
        tiers=[order[:2], order[2:]] if rng.random() < 0.2 else [],
        adjacent=[(order[-2], order[-1])] if len(order) > 3 and rng.random() < 0.3 else [],
    )


@pytest.mark.parametrize("block", range(10))
def test_a_thousand_random_problems(block):
    rng = np.random.default_rng(block)
    n_finite = 0
    for _ in range(100):
        scorer = random_scorer(rng)
        allowed = random_constraints(rng, scorer.names)
        optimum = dw.learn(scorer, search=dw.Exhaustive(), constraints=allowed).score
        search = SEARCHES[rng.integers(len(SEARCHES))]
        if isinstance(search, dw.ChowLiu):
            allowed = dw.Constraints()
            optimum = dw.learn(scorer, search=dw.Exhaustive()).score
        calls_left = int(rng.integers(0, 12)) if rng.random() < 0.5 else math.inf

        def stop(_progress, calls=[calls_left]):  # noqa: B006
            calls[0] -= 1
            return calls[0] < 0

        result = dw.learn(scorer, search=search, constraints=allowed, prove=True, callback=stop)
        assert result.bound >= optimum - 1e-9
        assert result.score <= optimum + 1e-9
        n_finite += math.isfinite(result.gap)
        unproved = dw.learn(scorer, search=search, constraints=allowed)
        assert unproved.bound >= optimum - 1e-9
        known = not isinstance(scorer.structure_prior, dw.Modular)
        assert math.isfinite(unproved.bound) == (known or unproved.optimal)
        if calls_left == math.inf:
            assert result.optimal
            assert result.score == pytest.approx(optimum, rel=1e-9, abs=1e-8)
        sets = dw.parent_sets(scorer, constraints=allowed, max_bytes=float(rng.integers(1, 20_000)))
        assert sets.bound >= optimum - 1e-9
    assert n_finite > 50


def test_a_search_that_returns_an_invalid_bound_is_refused():
    class Wrong:
        def find(self, scorer, constraints, run):
            return dw.Found(dw.Dag([], nodes=scorer.names), bound=-1e9)

    with pytest.raises(dw.GraphError, match="no graph may score higher than the bound"):
        dw.learn(dw.Table({"a": ["n", "y"]}), search=Wrong())


def test_nothing_is_known_of_a_score_in_python():
    class Rows:
        def local(self, counts):
            return -float(counts.total)

    result = dw.learn(dw.Table({"a": ["n", "y"]}), score=Rows(), prove=True)
    assert math.isinf(result.gap)


def test_more_variables_than_can_be_proved_have_a_high_bound():
    rows = dw.Table.from_codes(np.eye(70, dtype=int), states=[(0, 1)] * 70)
    result = dw.learn(rows, search=dw.HillClimb(), prove=True)
    assert result.score < result.bound <= 0
    assert [stage.search for stage in result.stages] == []


def test_a_proof_improves_on_a_search_that_ended_too_early():
    rows = (
        dw.networks.load("child").sample(300, seed=1).select(dw.networks.load("child").names[:12])
    )
    poor = dw.learn(rows, search=dw.HillClimb(max_steps=2))
    proved = dw.learn(rows, search=dw.HillClimb(max_steps=2), prove=True)
    assert poor.gap > proved.score - poor.score
    assert proved.optimal
    assert proved.reason == "optimal"
    assert proved.score > poor.score
    assert proved.stages[-1].search == "exact-dp"
