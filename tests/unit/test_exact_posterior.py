"""Exact posteriors: against lists of all graphs, exact fractions and published numbers."""

import math
import signal
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import dagwright as dw
from child import in_child
from dagwright import _core
from instances import PRIORS, SCORES
from oracle.posterior import Listed, exact_total, linear_extensions
from strategies import constraints, tables

NO_CONSTRAINTS = dw.Constraints()
OVERS = ["dags", "orders"]
# Numbers of DAGs over labelled nodes, A003024 of the On-Line Encyclopedia of Integer Sequences.
N_DAGS = [1, 1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343, 1213442454842881]
N_DAGS += [4175098976430598143, 31603459396418917607425, 521939651343829405020504063]


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def listed(scorer, allowed, over):
    names, n_states = scorer.names, scorer.data.n_states

    def families(edges):
        return [(v, frozenset(a for a, b in edges if b == v)) for v in names]

    @cache
    def prior_of(child, parents):
        return (
            scorer.decompose(dw.Dag([(p, child) for p in parents], nodes=names))
            .families[names.index(child)]
            .prior
        )

    @cache
    def score_of(child, parents):
        return scorer.local(child, parents)

    def log_prior(edges):
        return sum(prior_of(*family) for family in families(edges))

    def log_weight(edges):
        return sum(score_of(*family) for family in families(edges))

    return Listed(names, allowed, n_states, log_weight, log_prior, over)


def check_against_list(posterior, wanted, with_paths=True):
    names = posterior.names
    assert posterior.log_marginal == close(wanted.log_marginal)
    edges = posterior.edge_probabilities()
    for start in names:
        for end in names:
            assert edges[start, end] == close(wanted.edge(start, end))
        sets = posterior.parent_set_probabilities(start)
        assert sum(sets.values()) == close(1)
        assert list(sets.values()) == sorted(sets.values(), reverse=True)
        for parents, probability in sets.items():
            assert probability == close(wanted.parents(start, parents))
    if with_paths:
        paths = posterior.path_probabilities()
        for start in names:
            for end in names:
                assert paths[start, end] == close(wanted.path(start, end))


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("label", SCORES)
@given(st.data())
def test_probabilities_are_those_of_the_list_of_all_graphs(label, over, data):
    table = data.draw(tables(max_variables=4))
    scorer = dw.Scorer(table, SCORES[label](table).spec)
    allowed = data.draw(constraints(table.names))
    posterior = dw.exact_posterior(scorer, constraints=allowed, over=over)
    check_against_list(posterior, listed(scorer, allowed, over))


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("prior", PRIORS)
def test_every_structure_prior_is_taken(prior, over):
    rows = dw.networks.load("cancer").sample(60, seed=7)
    rows = rows.select(rows.names[:4])
    scorer = dw.Scorer(rows, dw.BDeu(2), structure_prior=PRIORS[prior](rows).spec)
    posterior = dw.exact_posterior(scorer, over=over)
    check_against_list(posterior, listed(scorer, NO_CONSTRAINTS, over))


@pytest.mark.parametrize("over", OVERS)
def test_five_variables_with_constraints_of_all_kinds(over):
    rows = dw.networks.load("cancer").sample(300, seed=3)
    a, b, c, d, e = rows.names
    allowed = dw.Constraints(
        required=[(a, c)], forbidden=[(b, e)], adjacent=[(c, d), (d, e)], tiers=[[b], [c]]
    )
    scorer = dw.Scorer(rows, dw.BDeu(1))
    wanted = listed(scorer, allowed, over)
    posterior = dw.exact_posterior(rows, constraints=allowed, over=over)
    check_against_list(posterior, wanted)
    edges = posterior.edge_probabilities()
    assert edges[a, c] == 1
    assert edges[c, a] == edges[b, e] == edges[c, b] == 0
    assert edges[c, d] + edges[d, c] == close(1)
    for dag in posterior.sample(200, seed=1):
        assert frozenset(dag.edges) in wanted.dags


def test_only_families_that_are_allowed_are_scored():
    rows = dw.networks.load("cancer").sample(60, seed=7)
    first, second = rows.names[:2]

    def log_weight(child, parents):
        assert not (child == second and first in parents)
        return 0.0

    posterior = dw.exact_posterior(
        rows,
        structure_prior=dw.Modular(log_weight),
        constraints=dw.Constraints(forbidden=[(first, second)]),
    )
    assert posterior.edge_probabilities()[first, second] == 0


def test_the_default_score_is_a_marginal_likelihood():
    rows = dw.networks.load("cancer").sample(50, seed=1)
    posterior = dw.exact_posterior(rows)
    assert posterior.info.score == dw.BDeu(1).to_dict()
    assert posterior.log_marginal == dw.exact_posterior(rows, dw.BDeu(1)).log_marginal
    assert posterior.log_marginal < 0


def zero_posterior(n, over=_core.Over.dags, threads=1):
    logs = [[0.0] * 2 ** (n - 1)] * n
    return _core.exact_posterior_of_weights(logs, over, _core.Run(threads))


def fraction(words):
    high, low, exponent = words
    return Fraction((high << 64) + low) * Fraction(2) ** exponent


@pytest.mark.parametrize("n", range(1, len(N_DAGS)))
def test_weights_of_one_count_the_dags(n):
    assert fraction(zero_posterior(n).total) == N_DAGS[n] == dw.n_dags(n)


@pytest.mark.slow
@pytest.mark.parametrize("n", [13, 14, 15])
def test_weights_of_one_count_more_dags(n):
    total = fraction(zero_posterior(n).total)
    assert abs(total / dw.n_dags(n) - 1) <= _core.dag_error_bound(n)


@pytest.mark.parametrize("n", [1, 2, 9, 20])
def test_a_prior_of_the_number_of_parents_is_summed_by_size(n):
    rows = dw.Table.from_codes(np.zeros((1, n), dtype=int), states=[(0, 1)] * n)
    scorer = dw.Scorer(rows)
    run = _core.Run()
    everything = NO_CONSTRAINTS.resolve(scorer.source.names, scorer.source.n_states)
    total = _core.log_total_of_prior(scorer.native, everything, _core.Over.dags, run)
    assert total == close(math.log(dw.n_dags(n)))
    if n == 9:  # a rule about one edge takes the long way
        some = dw.Constraints(forbidden=[rows.names[:2]])
        native = some.resolve(scorer.source.names, scorer.source.n_states)
        without = _core.log_total_of_prior(scorer.native, native, _core.Over.dags, run)
        edge = dw.exact_posterior(rows).edge_probabilities()[rows.names[:2]]
        assert math.exp(without - total) == close(1 - edge)


def test_weights_of_one_count_pairs_of_a_dag_and_an_order():
    """For each order of n nodes there are 2^(n choose 2) DAGs that fit it."""
    for n in range(1, 11):
        total = zero_posterior(n, _core.Over.orders).log_total
        assert total == close(math.lgamma(n + 1) + math.comb(n, 2) * math.log(2))


def logs_of(parents):
    """Logs of weights with which one graph alone has any: the parents of each node as a set."""
    n = len(parents)
    logs = np.full((n, 2 ** (n - 1)), -math.inf)
    for child, own in enumerate(parents):
        others = [v for v in range(n) if v != child]
        logs[child, sum(1 << others.index(v) for v in own)] = 0
    return logs.tolist()


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 48), (4, 1680384)])
def test_one_graph_over_orders_counts_linear_extensions(n, count):
    """Of the subsets of n things, ordered by inclusion: A046873 of the On-Line Encyclopedia."""
    parents = [[s ^ 1 << i for i in range(n) if s >> i & 1] for s in range(2**n)]
    posterior = _core.exact_posterior_of_weights(logs_of(parents), _core.Over.orders, _core.Run())
    assert math.exp(posterior.log_total) == close(count)
    if n < 4:
        edges = {(p, child) for child, own in enumerate(parents) for p in own}
        assert linear_extensions(range(2**n), edges) == count
    dags = _core.exact_posterior_of_weights(logs_of(parents), _core.Over.dags, _core.Run())
    assert abs(fraction(dags.total) - 1) <= _core.dag_error_bound(2**n)


def test_linear_extensions_of_the_twin_are_the_known_ones():
    assert linear_extensions("abcd", []) == 24
    assert linear_extensions("abcd", [("a", "b"), ("b", "c"), ("c", "d")]) == 1
    assert linear_extensions("abcd", [("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")]) == 4
    assert linear_extensions("abcd", [("a", "c"), ("a", "d"), ("b", "d")]) == 5


@given(st.integers(2, 5), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 5.0, 300.0]))
def test_the_error_bound_holds_against_exact_fractions(n, seed, spread):
    rng = np.random.default_rng(seed)
    logs = rng.normal(0, spread, (n, 2 ** (n - 1)))
    logs[rng.random(logs.shape) < 0.2] = -np.inf
    logs[:, 0] = np.where(np.isinf(logs[:, 0]), 0, logs[:, 0])
    logs -= logs.max(axis=1, keepdims=True)
    weights = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        own = {}
        for bits, log in enumerate(logs[child]):
            parents = frozenset(v for i, v in enumerate(others) if bits >> i & 1)
            own[parents] = Fraction(0) if log == -np.inf else fraction(_core.wide_exp(log))
        weights.append(own)
    wanted = exact_total(weights)
    posterior = _core.exact_posterior_of_weights(logs.tolist(), _core.Over.dags, _core.Run())
    assert abs(fraction(posterior.total) / wanted - 1) <= _core.dag_error_bound(n)
    child = int(rng.integers(n))
    for bits, probability in zip(*posterior.parent_sets(child), strict=True):
        parents = frozenset(v for v in range(n) if bits >> v & 1)
        alone = [dict(own) for own in weights]
        alone[child] = {
            other: weight if other == parents else Fraction(0)
            for other, weight in weights[child].items()
        }
        error = abs(Fraction(float(probability)) - exact_total(alone) / wanted)
        assert error <= _core.dag_error_bound(n) + 2.0**-52  # of a double


@pytest.mark.parametrize("n", [6, 12])
def test_the_error_bound_holds_where_most_cancels(n):
    """The empty parent set alone has weight: one graph, and terms of about n! that cancel."""
    logs = [[0.0] + [-math.inf] * (2 ** (n - 1) - 1)] * n
    posterior = _core.exact_posterior_of_weights(logs, _core.Over.dags, _core.Run())
    assert abs(fraction(posterior.total) - 1) <= _core.dag_error_bound(n)
    # Nearly so: every other set has a weight of 1e-12, of which the sum must not lose any.
    small = 1e-12
    logs = [[0.0] + [math.log(small)] * (2 ** (n - 1) - 1)] * n
    posterior = _core.exact_posterior_of_weights(logs, _core.Over.dags, _core.Run())
    to_first_order = 1 + Fraction(small) * n * (2 ** (n - 1) - 1)
    assert float(fraction(posterior.total) - to_first_order) == pytest.approx(0, abs=1e-15)
    assert fraction(posterior.total) > 1


def test_the_error_bound_is_small_for_all_that_is_accepted():
    bounds = [_core.dag_error_bound(n) for n in range(1, 23)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 1e-9


@pytest.mark.parametrize("over", OVERS)
def test_weights_of_a_hostile_range(over):
    """Local scores that differ by 1e5 nats and more."""
    rng = np.random.default_rng(5)
    rows = dw.Table.from_codes(rng.integers(0, 2, (4, 4)), states=[(0, 1)] * 4)

    class Wild:
        def local(self, family):
            own = sum(map(ord, family.child)) * 7 + sum(sum(map(ord, p)) for p in family.parents)
            return -(own % 13) * 1e5 / 12 + len(family.parents) * 0.3

    scorer = dw.Scorer(rows, Wild())
    posterior = dw.exact_posterior(scorer, over=over)
    wanted = listed(scorer, NO_CONSTRAINTS, over)
    assert posterior.log_marginal == pytest.approx(wanted.log_marginal, rel=1e-12)
    edges = posterior.edge_probabilities()
    for start in rows.names:
        for end in rows.names:
            assert edges[start, end] == pytest.approx(wanted.edge(start, end), abs=1e-9)
    # What fits is far below the best of all families, and must not vanish.
    order = list(rows.names)
    forbidden = [(b, a) for a, b in combinations(order, 2)]
    tight = dw.Constraints(forbidden=forbidden, max_parents=0)
    alone = dw.exact_posterior(scorer, constraints=tight, over=over)
    assert alone.log_marginal == pytest.approx(scorer.score(dw.Dag([], nodes=order)), rel=1e-12)


def test_over_dags_and_over_orders_differ_where_they_should():
    """Without rows every DAG is as probable; over orders those with few edges are more so."""
    rows = dw.Table.from_codes(np.zeros((1, 3), dtype=int), states=[(0,)] * 3)
    dags = dw.exact_posterior(rows).edge_probabilities()
    orders = dw.exact_posterior(rows, over="orders").edge_probabilities()
    names = rows.names
    # 25 DAGs over three nodes; each edge is in 8 of them. Of 6 * 8 pairs with an order, in 12.
    assert dags[names[0], names[1]] == close(8 / 25)
    assert orders[names[0], names[1]] == close(12 / 48)


@pytest.mark.parametrize("over", OVERS)
def test_one_variable_and_no_rows(over):
    one = dw.exact_posterior({"a": ["n", "y", "y"]}, over=over)
    assert one.edge_probabilities().values.tolist() == [[0]]
    assert one.parent_set_probabilities("a") == {(): 1}
    assert one.path_probabilities().values.tolist() == [[0]]
    assert [dag.edges for dag in one.sample(2)] == [(), ()]
    table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]}, weights=[0, 1])
    scorer = dw.Scorer(table.with_weights([0.0, 1e-300]), dw.BDeu(1))
    assert dw.exact_posterior(scorer, over=over).edge_probabilities()["a", "b"] == close(
        1 / 3 if over == "dags" else 1 / 4
    )


@pytest.mark.parametrize("over", OVERS)
def test_constraints_that_leave_one_graph(over):
    rows = dw.networks.load("asia").sample(50, seed=1)
    names = rows.names
    chain = list(pairwise(names))
    allowed = dw.Constraints(required=chain, max_parents=1)
    posterior = dw.exact_posterior(rows, constraints=allowed, over=over)
    only = dw.Dag(chain, nodes=names)
    assert set(posterior.sample(5)) == {only}
    assert posterior.log_marginal == close(dw.score(only, rows, score=dw.BDeu(1)))
    assert posterior.path_probabilities()[names[0], names[-1]] == close(1)
    if over == "dags":
        best = posterior.best(3)
        assert best.dags == (only,)
        assert best.mass == close(1)


def test_constraints_that_leave_no_graph():
    rows = dw.Table({name: ["n", "y"] for name in "abc"})
    allowed = dw.Constraints(adjacent=[("a", "b")], max_parameters=1)
    with pytest.raises(dw.GraphError, match="max_parameters=1"):
        dw.exact_posterior(rows, constraints=allowed)


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("with_adjacent", [False, True])
def test_drawn_graphs_are_as_frequent_as_they_are_probable(over, with_adjacent):
    rows = dw.networks.load("cancer").sample(40, seed=11)
    rows = rows.select(rows.names[1:])
    names = rows.names
    allowed = dw.Constraints(adjacent=[names[:2]]) if with_adjacent else NO_CONSTRAINTS
    scorer = dw.Scorer(rows, dw.BDeu(1))
    wanted = listed(scorer, allowed, over)
    n_drawn = 20_000
    posterior = dw.exact_posterior(scorer, constraints=allowed, over=over)
    found = Counter(frozenset(dag.edges) for dag in posterior.sample(n_drawn, seed=4))
    assert set(found) <= set(wanted.dags)
    statistic, rest_found, rest_wanted, cells = 0.0, 0, 0.0, 0
    for edges, probability in zip(wanted.dags, wanted.probabilities, strict=True):
        expected = n_drawn * probability
        if expected < 5:
            rest_found, rest_wanted = rest_found + found[edges], rest_wanted + expected
            continue
        statistic += (found[edges] - expected) ** 2 / expected
        cells += 1
    statistic += (rest_found - rest_wanted) ** 2 / rest_wanted
    assert cells > 30
    assert 0.001 < chi2.sf(statistic, cells) < 0.999


def test_the_order_of_variables_and_threads_change_nothing():
    rows = dw.networks.load("insurance").sample(200, seed=6)
    rows = rows.select(rows.names[:10])
    for over in OVERS:
        first = dw.exact_posterior(rows, over=over, threads=1)
        second = dw.exact_posterior(rows.select(rows.names[::-1]), over=over, threads=2)
        assert first.log_marginal == second.log_marginal
        one, two = first.edge_probabilities(), second.edge_probabilities()
        assert (one.values == two.values[::-1, ::-1]).all()
        assert [set(dag.edges) for dag in first.sample(50, seed=2)] == [
            set(dag.edges) for dag in second.sample(50, seed=2)
        ]
        assert first.sample(20, seed=2) == first.sample(50, seed=2)[:20]
        assert first.sample(20, seed=2) != first.sample(20, seed=3)
    best = dw.exact_posterior(rows, threads=1).best(40)
    again = dw.exact_posterior(rows, threads=2).best(40)
    assert best == again


@given(st.data())
def test_the_best_graphs_are_those_of_the_sorted_list(data):
    table = data.draw(tables(max_variables=4))
    label = data.draw(st.sampled_from(sorted(SCORES)))
    scorer = dw.Scorer(table, SCORES[label](table).spec)
    allowed = data.draw(constraints(table.names))
    k = data.draw(st.integers(1, 60))
    wanted = listed(scorer, allowed, "dags")
    best = dw.exact_posterior(scorer, constraints=allowed).best(k)
    assert len(best) == min(k, len(wanted.dags)) == len(set(best.dags))
    assert list(best.scores) == close(sorted(wanted.logs, reverse=True)[:k])
    of = dict(zip(wanted.dags, wanted.probabilities, strict=True))
    for dag, probability in best:
        assert probability == close(of[frozenset(dag.edges)])
    assert best.mass == close(sum(best.probabilities))
    if k >= len(wanted.dags):
        assert best.mass == close(1)


def test_the_best_graph_of_all_is_that_of_exact_search():
    rows = dw.networks.load("asia").sample(300, seed=2)
    best = dw.exact_posterior(rows).best(200)
    found = dw.learn(rows, score=dw.BDeu(1), search=dw.ExactDP())
    assert best.scores[0] == close(found.score)
    assert list(best.scores) == sorted(best.scores, reverse=True)
    # The sum over all graphs agrees with each of them.
    posterior = dw.exact_posterior(rows)
    n_graphs = dw.n_dags(8)
    for dag, probability in list(best)[:5]:
        score = dw.score(dag, rows, score=dw.BDeu(1))
        assert math.log(probability) == close(score - posterior.log_marginal - math.log(n_graphs))


def test_arguments_are_checked():
    rows = dw.networks.load("asia").sample(20, seed=2)
    scorer = dw.Scorer(rows)
    with pytest.raises(dw.SpecError, match="Scorer brings its own"):
        dw.exact_posterior(scorer, dw.BIC())
    with pytest.raises(dw.SpecError, match='over must be "dags" or "orders"'):
        dw.exact_posterior(rows, over="dag")
    with pytest.raises(dw.SpecError, match="constraints must be"):
        dw.exact_posterior(rows, constraints=[])
    with pytest.raises(dw.SpecError, match="max_bytes"):
        dw.exact_posterior(rows, max_bytes=0)
    posterior = dw.exact_posterior(rows)
    with pytest.raises(dw.GraphError, match="did you mean 'smoke'"):
        posterior.parent_set_probabilities("smoking")
    with pytest.raises(dw.SpecError, match="k must"):
        posterior.sample(-1)
    with pytest.raises(dw.SpecError, match="k must"):
        posterior.best(0)
    with pytest.raises(dw.SpecError, match=r"best\(100000000\) of 8 variables may need .* GiB"):
        posterior.best(10**8)
    with pytest.raises(dw.SpecError, match='over="dags"'):
        dw.exact_posterior(rows, over="orders").best(1)


def test_what_is_too_large_is_refused_with_the_numbers():
    rows = dw.Table.from_codes(np.zeros((3, 40), dtype=int), states=[(0, 1)] * 40)
    with pytest.raises(dw.SpecError, match=r"at most 22 variables, and these are 40: 1\.22e\+19"):
        dw.exact_posterior(rows)
    with pytest.raises(dw.SpecError, match=r"at most 31 variables.*GiB; select fewer variables$"):
        dw.exact_posterior(rows, over="orders")
    some = rows.select(rows.names[:23])
    with pytest.raises(dw.SpecError, match='or take over="orders"'):
        dw.exact_posterior(some)
    with pytest.raises(dw.SpecError, match=r"of 23 variables takes .* GiB.*max_parents"):
        dw.exact_posterior(some, over="orders", max_bytes=1e8)
    few = rows.select(rows.names[:15])
    paths = dw.exact_posterior(few, over="orders", constraints=dw.Constraints(max_parents=1))
    with pytest.raises(dw.SpecError, match=r"3\.2e\+09 steps for 15 variables, and at most 14"):
        paths.path_probabilities()


@pytest.mark.parametrize("over", OVERS)
def test_a_stopped_run_says_that_it_has_no_answer(over):
    rows = dw.networks.load("alarm").sample(300, seed=2)
    rows = rows.select(rows.names[: 14 if over == "dags" else 19])
    few = dw.Constraints(max_parents=2)
    with pytest.raises(dw.Unfinished, match=r"stopped \(time limit\).*no answer.*GiB"):
        dw.exact_posterior(rows, constraints=few, over=over, time_limit=0.001)
    with pytest.raises(TimeoutError, match=r"stopped \(callback\)"):
        dw.exact_posterior(rows, constraints=few, over=over, callback=lambda progress: True)
    steps = []
    dw.exact_posterior(
        rows, constraints=few, over=over, callback=lambda progress: steps.append(progress.step)
    )
    assert steps == sorted(steps)
    assert steps[-1] > 0


def test_ctrl_c_ends_it_soon():
    seconds = in_child("""
    rows = dw.networks.load("alarm").sample(300, seed=2)
    rows = rows.select(rows.names[:17])
    allowed = dw.Constraints(max_parents=2)
    print(ctrl_c(1.0, lambda: dw.exact_posterior(rows, constraints=allowed)))
    """)
    assert seconds is not None
    assert seconds < 1


def test_ctrl_c_is_never_lost():
    """Not even where the work is done before anyone looks: while the cost is forecast."""
    rows = dw.networks.load("asia").sample(300, seed=2)

    class PressesCtrlC:
        calls = 0

        def local(self, family):
            self.calls += 1
            if self.calls == 20:  # once: the second time ends everything at once
                signal.raise_signal(signal.SIGINT)
            return 0.0

    with pytest.raises(KeyboardInterrupt):
        dw.forecast_exact_posterior(rows, PressesCtrlC())


@pytest.mark.memory
@pytest.mark.parametrize(("over", "n"), [("dags", 14), ("orders", 18)])
def test_the_forecast_of_memory_is_near(over, n):
    used, forecast = in_child(
        """
    import sys
    over, n = sys.argv[1], int(sys.argv[2])
    rows = dw.networks.load("alarm").sample(100, seed=2)
    rows = rows.select(rows.names[:n])
    allowed = dw.Constraints(max_parents=2)
    scorer = dw.Scorer(rows, dw.BDeu(1))
    expected = dw.forecast_exact_posterior(scorer, constraints=allowed, over=over).bytes
    before = begin()
    dw.exact_posterior(scorer, constraints=allowed, over=over)
    print([grown(before) * 2**20, expected])
    """,
        over,
        n,
    )
    assert forecast / 2 < used < forecast * 1.3


def test_how_it_was_made_and_what_is_printed():
    rows = dw.networks.load("asia").sample(100, seed=2)
    allowed = dw.Constraints(max_parents=3)
    posterior = dw.exact_posterior(
        rows, dw.BIC(), constraints=allowed, structure_prior=dw.EdgePenalty(0.5), over="orders"
    )
    values = posterior.to_dict()
    assert values["over"] == "orders"
    assert "linear extensions" in values["weights"]
    assert values["log_marginal"] == posterior.log_marginal
    assert len(values["edges"]) == 8 * 7
    assert values["info"]["score"] == {"name": "bic"}
    assert values["info"]["structure_prior"]["name"] == dw.EdgePenalty(0.5).to_dict()["name"]
    assert values["info"]["constraints"] == {"max_parents": 3}
    assert values["info"]["data_digest"] == rows.digest
    assert values["info"]["n_families"] == 8 * (1 + 7 + 21 + 35)
    assert "linear extensions" in str(posterior)
    assert "over orders" in repr(posterior)
    assert posterior.error_bound is None
    assert 0 < dw.exact_posterior(rows).error_bound < 1e-9
    with pytest.raises(AttributeError):
        posterior.over = "dags"
    with pytest.raises(ValueError, match="read-only"):
        posterior.edge_probabilities().values[0, 1] = 1
