"""Order search beyond what the conformance tests ask."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from instances import PRIORS, SCORES, dense_table
from oracle import search as oracle
from strategies import constraints, tables

NO_CONSTRAINTS = dw.Constraints()


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-8)


def independent(n, n_rows=100):
    codes = np.random.default_rng(0).integers(2, size=(n_rows, n))
    return dw.Table.from_codes(codes, names=[f"x{i}" for i in range(n)])


@pytest.mark.parametrize("n_required", [3, 66])
def test_more_required_parents_than_candidates(n_required):
    """Where not all variables can be candidates, the required parents come before all others."""
    table = independent(70)
    required = [(f"x{i}", "x0") for i in range(1, 1 + n_required)]
    search = dw.OrderSearch(max_candidates=1, patience=2, enrichments=0)
    result = dw.learn(table, search=search, constraints=dw.Constraints(required=required))
    assert set(required) <= set(result.dag.edges)
    climbed = dw.learn(table, search=dw.HillClimb(), constraints=dw.Constraints(required=required))
    assert result.score >= climbed.score - 1e-6


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"chains": 0}, "chains"),
        ({"patience": 0}, "patience"),
        ({"enrichments": -1}, "enrichments"),
        ({"restarts": -1}, "restarts"),
        ({"max_candidates": 65}, "max_candidates"),
        ({"start": "middle"}, "start must be one of"),
    ],
)
def test_wrong_settings(settings, words):
    with pytest.raises(dw.SpecError, match=words):
        dw.OrderSearch(**settings)


def test_what_was_left_out_is_told(tmp_path):
    table = independent(80)
    search = dw.OrderSearch(max_candidates=10, patience=1, chains=1, enrichments=0)
    result = dw.learn(table, search=search)
    assert 80 * (79 - 64) <= result.edges_left_out <= 80 * (79 - 10)
    assert dw.Result.from_dict(result.to_dict()) == result
    forbidden = [(f"x{i}", "x0") for i in range(1, 80)]
    limited = dw.learn(table, search=search, constraints=dw.Constraints(forbidden=forbidden))
    assert limited.edges_left_out < result.edges_left_out, "what is forbidden is not left out"
    auto = dw.learn(table)
    assert [stage.edges_left_out > 0 for stage in auto.stages] == [False, False, True]
    assert auto.edges_left_out == auto.stages[-1].edges_left_out
    for few in (independent(64), independent(65)):
        assert dw.learn(few, search=search).edges_left_out == 0
    assert dw.learn(table, search=dw.HillClimb()).edges_left_out == 0


def test_restarts_draw_other_numbers_and_keep_the_best():
    table = independent(20, 60)  # with AIC there is much to find in noise
    once = dw.OrderSearch(chains=1, patience=1, enrichments=0)
    scores = [dw.learn(table, score=dw.AIC(), search=once, seed=i).score for i in range(6)]
    again = dw.OrderSearch(chains=1, patience=1, enrichments=0, restarts=5)
    best = dw.learn(table, score=dw.AIC(), search=again)
    assert len(set(scores)) > 1
    assert best.score >= scores[0]
    assert best.score > min(scores)
    assert dw.learn(table, score=dw.AIC(), search=again, threads=3).dag == best.dag


def test_auto_restarts_as_often_as_the_time_limit_allows():
    table = independent(12)
    scored = [
        dw.learn(table, time_limit=limit).info.families_scored for limit in (None, 2, 3, 60, 3600)
    ]
    assert scored[0] == scored[1] < scored[2] < scored[3] == scored[4]


@st.composite
def cases(draw, max_variables):
    """A scorer of plain or of dense data, and constraints or none."""
    if draw(st.booleans()):
        table = draw(tables(max_variables=max_variables))
    else:
        n, n_rows = draw(st.integers(3, max_variables)), draw(st.integers(20, 150))
        table = dense_table(draw(st.integers(0, 1000)), n, n_rows)
    spec = SCORES[draw(st.sampled_from(["aic", "bic", "k2", "bdeu"]))](table).spec
    prior = PRIORS[draw(st.sampled_from(list(PRIORS)))](table).spec
    allowed = draw(st.one_of(st.just(NO_CONSTRAINTS), constraints(table.names)))
    return dw.Scorer(table, spec, structure_prior=prior), allowed


class Walk:
    """A walk over orders where every set of parents was scored, by name."""

    def __init__(self, scorer, allowed, order):
        self.scorer, self.allowed, self.names = scorer, allowed, scorer.source.names
        native = allowed.resolve(self.names, scorer.source.n_states)
        self.sets = []
        for child in range(len(self.names)):
            candidates = [v for v in range(len(self.names)) if native.allowed(v, child)]
            candidates = [v for v in candidates if v != child]
            sets = _core.ParentSets(scorer.native, native, child, candidates, _core.Run())
            sets.expand_all(len(candidates), _core.Run())
            self.sets.append(sets)
        self.native = self.along(order)

    def along(self, order):
        return _core.OrderWalk(self.sets, [self.names.index(name) for name in order])

    @property
    def order(self):
        return [self.names[number] for number in self.native.order]

    @property
    def dag(self):
        return dw.Dag.from_parents(
            {
                self.names[child]: [self.names[number] for number in numbers]
                for child, numbers in enumerate(self.native.parents)
            }
        )

    def check(self):
        """What it has step by step is what it would have if it began with this order."""
        n_states = self.scorer.data.n_states
        assert self.native.score == close(self.scorer.score(self.dag))
        assert self.native.score == close(self.along(self.order).score)
        assert oracle.satisfies(self.dag.nodes, self.dag.edges, self.allowed, n_states)
        assert all(self.order.index(a) < self.order.index(b) for a, b in self.dag.edges)


def graphs_along(order):
    """Every graph whose edges lead from earlier to later."""
    pairs = list(combinations(order, 2))
    for chosen in product((False, True), repeat=len(pairs)):
        yield frozenset(pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge)


def best_along(scorer, allowed, order):
    """The best score of a graph along the order that honours the constraints; None without one."""
    totals = {}
    for i, child in enumerate(order):
        for size in range(i + 1):
            for parents in combinations(order[:i], size):
                totals[child, frozenset(parents)] = scorer.local(child, parents)
    return max(
        (
            sum(totals[v, frozenset(start for start, end in edges if end == v)] for v in order)
            for edges in graphs_along(order)
            if allowed == NO_CONSTRAINTS
            or oracle.satisfies(order, edges, allowed, scorer.data.n_states)
        ),
        default=None,
    )


@given(data=st.data())
@settings(max_examples=100)
def test_an_order_gets_the_best_of_all_graphs_along_it(data):
    scorer, allowed = data.draw(cases(max_variables=5))
    order = data.draw(st.permutations(scorer.names))
    best = best_along(scorer, allowed, order)
    assume(best is not None)
    walk = Walk(scorer, allowed, order)
    walk.check()
    assert walk.native.score == close(best)


@given(data=st.data())
@settings(max_examples=100)
def test_moves_change_the_choices_as_if_they_were_made_anew(data):
    scorer, allowed = data.draw(cases(max_variables=6))
    native = allowed.resolve(scorer.source.names, scorer.source.n_states)
    feasible = dw.Dag.from_parents(
        {
            scorer.source.names[child]: [scorer.source.names[number] for number in numbers]
            for child, numbers in enumerate(_core.empty_start(native).parent_lists)
        }
    )
    walk = Walk(scorer, allowed, feasible.topological_order())
    walk.check()
    for seed in range(3):
        walk.native.shake(data.draw(st.integers(0, 6)), seed)
        walk.check()
        before = walk.native.score
        walk.native.climb(seed, _core.Run())
        walk.check()
        assert walk.native.score >= before - 1e-8
        for moved in scorer.names:
            others = [name for name in walk.order if name != moved]
            for place in range(len(scorer.names)):
                elsewhere = walk.along([*others[:place], moved, *others[place:]])
                assert elsewhere.score <= walk.native.score + 1e-7


@given(data=st.data())
@settings(max_examples=100)
def test_the_best_of_all_graphs_of_four_is_found(data):
    """With a structure prior, with a score that is not equivalent, with constraints."""
    scorer, allowed = data.draw(cases(max_variables=4))
    names, n_states = scorer.names, scorer.data.n_states
    best, _ = oracle.best_dag(
        lambda edges: scorer.score(dw.Dag(edges, nodes=names)), names, allowed, n_states
    )
    search = dw.OrderSearch(chains=4, patience=20, enrichments=1)
    assert dw.learn(scorer, search=search, constraints=allowed).score == close(best)


@given(data=st.data())
def test_never_worse_than_the_start(data):
    scorer, allowed = data.draw(cases(max_variables=6))
    native = allowed.resolve(scorer.source.names, scorer.source.n_states)
    numbers = _core.random_start(native, data.draw(st.integers(0, 1000))).parent_lists
    names = scorer.source.names
    start = dw.Dag.from_parents(
        {names[child]: [names[v] for v in parents] for child, parents in enumerate(numbers)}
    )
    search = dw.OrderSearch(chains=1, patience=1, enrichments=0, start=start)
    for time_limit in None, 0:
        result = dw.learn(scorer, search=search, constraints=allowed, time_limit=time_limit)
        assert result.score >= scorer.score(start) - 1e-8


@pytest.mark.parametrize("seed", [0, 7])
def test_threads_do_not_matter_where_candidates_come_and_go(seed):
    """More variables than candidates: the pool grows at different children at the same time."""
    rng = np.random.default_rng(seed)
    codes = list(rng.integers(2, size=(5, 300)))
    for _ in range(65):
        first, second = rng.choice(len(codes), 2, replace=False)
        mix = codes[first] * rng.integers(1, 3) + codes[second]
        codes.append(np.where(rng.random(300) < 0.1, rng.integers(3, size=300), mix % 3))
    table = dw.Table.from_codes(codes)
    search = dw.OrderSearch(chains=5, patience=3, enrichments=1, max_candidates=3)
    results = [dw.learn(table, search=search, seed=seed, threads=n) for n in (1, 2, 4, 2)]
    assert len({(result.dag, result.score) for result in results}) == 1
    assert results[0].score > dw.learn(table, search=dw.HillClimb()).score
