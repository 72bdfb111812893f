"""The K2 algorithm: against its twin in Python, its orders, and the orders it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from instances import chunks_of
from oracle import search as search_oracle
from oracle import trees as oracle
from strategies import constraints, tables


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-8)


@pytest.fixture
def table():
    """Six variables, each of the last four a noisy mix of two before it."""
    rng = np.random.default_rng(3)
    codes = [rng.integers(3, size=400), rng.integers(2, size=400)]
    for i in range(2, 6):
        mix = codes[i - 1] + codes[i - 2]
        codes.append(np.where(rng.random(400) < 0.2, rng.integers(3, size=400), mix % 3))
    return dw.Table.from_codes(codes, names=list("dbface"))


@given(data=st.data())
def test_every_parent_is_the_best_that_could_be_added(data):
    """By the letter of the algorithm, for any score, source and constraints."""
    table = data.draw(tables(max_variables=5, max_rows=40))
    names, n_states = table.names, table.n_states
    limits = data.draw(constraints(names))
    score = data.draw(st.sampled_from([dw.K2(), dw.BIC(), dw.BDeu(2)]))
    bound = data.draw(st.sampled_from([None, 2]))
    source = data.draw(st.sampled_from([table, chunks_of(table, 2)]))
    scorer = dw.Scorer(source, score)
    order = data.draw(st.permutations(names))
    search = dw.K2Search(order=order, max_parents=bound)
    if search.refusal(scorer, limits) is not None:
        return
    result = dw.learn(scorer, search=search, constraints=limits)
    place = {name: i for i, name in enumerate(order)}
    demanded = {frozenset(pair) for pair in (*limits.required, *limits.adjacent)}
    for child in order:
        added = [step.start for step in result.trace if step.end == child]
        n_demanded = sum(frozenset((parent, child)) in demanded for parent in added)
        parents = added[:n_demanded]
        assert all(frozenset((parent, child)) in demanded for parent in parents)
        for parent in [*added[n_demanded:], None]:
            gains = {
                other: scorer.gains(child, parents, [other])[other]
                for other in order[: place[child]]
                if other not in parents
                and (bound is None or len(parents) < bound)
                and fits(names, child, [*parents, other], limits, n_states)
            }
            best = max(gains.values(), default=0.0)
            assert (0.0 if parent is None else gains[parent]) == close(max(best, 0.0))
            assert parent is None or best > 0
            parents.append(parent)
    assert all(place[start] < place[end] for start, end in result.dag.edges)


def fits(names, child, parents, limits, n_states):
    """Whether the child may have these parents, what else must be in the graph aside."""
    alone = dw.Constraints(
        forbidden=limits.forbidden,
        tiers=limits.tiers,
        max_parents=limits.max_parents,
        max_parameters=limits.max_parameters,
    )
    edges = [(parent, child) for parent in parents]
    return search_oracle.satisfies(names, edges, alone, n_states)


@pytest.mark.parametrize("score", [dw.K2(), dw.BIC(), dw.BDeu(), dw.AIC()])
def test_without_ties_the_graph_is_the_twins(table, score):
    rng = np.random.default_rng(0)
    scorer = dw.Scorer(table, score)
    for _ in range(20):
        order = [str(name) for name in rng.permutation(table.names)]
        found = dw.learn(scorer, search=dw.K2Search(order=order)).dag
        assert set(found.edges) == oracle.k2(scorer.local, order)


def test_each_addition_is_the_best_of_those_before(table):
    scorer = dw.Scorer(table, dw.K2())
    order = list("abcdef")
    result = dw.learn(scorer, search=dw.K2Search(order=order))
    parents = {name: [] for name in order}
    children = [step.end for step in result.trace]
    assert children == sorted(children)  # node by node, along the order
    for step in result.trace:
        before = [name for name in order if name < step.end and name not in parents[step.end]]
        gains = scorer.gains(step.end, parents[step.end], before)
        assert step.gain == close(max(gains.values()))
        assert gains[step.start] == close(step.gain)
        parents[step.end].append(step.start)
    for name in order:
        left = [other for other in order if other < name and other not in parents[name]]
        assert all(gain <= 1e-8 for gain in scorer.gains(name, parents[name], left).values())


def test_the_score_is_k2_unless_another_is_given(table):
    assert dw.learn(table, search=dw.K2Search()).info.score == {"name": "k2"}
    assert dw.learn(table, score=dw.BIC(), search=dw.K2Search()).info.score == {"name": "bic"}
    scorer = dw.Scorer(table, dw.AIC())
    assert dw.learn(scorer, search=dw.K2Search()).info.score == {"name": "aic"}
    assert dw.learn(table).info.score == {"name": "bic"}
    replayed = dw.replay(dw.learn(table, search=dw.K2Search()), table)
    assert replayed.info.score == {"name": "k2"}


def test_the_order_of_the_tree_is_followed(table):
    tree = dw.learn(table, search=dw.ChowLiu()).dag
    found = dw.learn(table, search=dw.K2Search()).dag
    first = dw.Scorer(table).source.names
    order = []
    while len(order) < len(first):  # of those whose parents are there, the first in canonical order
        ready = [
            name for name in first if name not in order and set(tree.parents(name)) <= set(order)
        ]
        order.append(ready[0])
    assert found == dw.learn(table, search=dw.K2Search(order=order)).dag


def test_random_orders_keep_the_best(table):
    results = {
        restarts: dw.learn(table, search=dw.K2Search(order="random", restarts=restarts), seed=5)
        for restarts in (0, 1, 10, 40)
    }
    for restarts, result in results.items():
        scores = [step.score for step in result.trace if step.operator == "order"]
        assert len(scores) == (restarts + 1 if restarts else 0)
        if scores:
            assert max(scores) == close(result.score)
        # The i-th order does not depend on how many there are.
        longer = [step.score for step in results[40].trace if step.operator == "order"]
        assert scores == longer[: len(scores)]
        for step in result.trace[: len(scores)]:
            assert (step.start, step.end, step.gain) == ("", "", 0.0)
    scores = [results[restarts].score for restarts in results]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]
    default = dw.learn(table, search=dw.K2Search(order="random"))
    assert sum(step.operator == "order" for step in default.trace) == 21
    again = dw.Result.from_dict(results[10].to_dict())
    assert again == results[10]
    assert dw.replay(again, table).dag == results[10].dag


def test_random_orders_depend_on_the_seed_and_not_on_threads(table):
    def tried(seed, threads):
        search = dw.K2Search(order="random", restarts=5)
        return dw.learn(table, search=search, seed=seed, threads=threads).trace

    assert tried(1, 1) == tried(1, 2) == tried(1, 4)
    assert tried(1, 1) != tried(2, 1)


def orders(limits, names, count=400, seed=0):
    native = limits.resolve(names, [2] * len(names))
    return [[names[v] for v in order] for order in _core.random_orders(native, count, seed)]


def test_unconstrained_orders_are_all_equally_likely():
    names = list("abcd")
    drawn = [tuple(order) for order in orders(dw.Constraints(), names, count=24 * 200)]
    counts = np.array([drawn.count(order) for order in set(drawn)])
    assert len(counts) == 24
    assert ((counts - 200) ** 2 / 200).sum() < 60  # chi-square, 23 degrees of freedom


def test_orders_follow_required_edges_and_tiers():
    names = list("abcdef")
    limits = dw.Constraints(
        required=[("f", "a"), ("a", "e")], tiers=[["d", "f"], ["b", "a"]], adjacent=[("c", "d")]
    )
    seen = set()
    for order in orders(limits, names, count=5000):
        place = {name: i for i, name in enumerate(order)}
        assert place["f"] < place["a"] < place["e"]
        assert max(place["d"], place["f"]) < min(place["b"], place["a"])
        seen.add(tuple(order))
    assert len(seen) == 36  # all of them come up


def test_tiers_give_way_to_required_edges_through_free_variables():
    """The tiers forbid b -> a, but not b -> f -> a."""
    limits = dw.Constraints(tiers=[["a"], ["b"]], required=[("b", "f"), ("f", "a")])
    assert set(map(tuple, orders(limits, ["a", "b", "f"]))) == {("b", "f", "a")}
    table = dw.Table.from_codes(
        np.random.default_rng(0).integers(2, size=(50, 3)), names=list("abf")
    )
    for order in "chow-liu", "random":
        dag = dw.learn(table, search=dw.K2Search(order=order), constraints=limits).dag
        assert {("b", "f"), ("f", "a")} <= set(dag.edges)


@given(data=st.data())
def test_constraints_hold_along_every_order(data):
    table = data.draw(tables(max_variables=5, max_rows=30))
    limits = data.draw(constraints(table.names))
    native = limits.resolve(table.names, list(table.n_states.values()))
    for order in _core.random_orders(native, 5, data.draw(st.integers(0, 2**64 - 1))):
        names = [table.names[v] for v in order]
        assert sorted(names) == sorted(table.names)
        search = dw.K2Search(order=names)
        assert search.refusal(dw.Scorer(table), limits) is None
        dag = dw.learn(table, search=search, constraints=limits).dag
        assert search_oracle.satisfies(table.names, dag.edges, limits, table.n_states)


@given(data=st.data())
def test_an_order_is_refused_only_where_no_graph_follows_it(data):
    table = data.draw(tables(max_variables=4, max_rows=10))
    limits = data.draw(constraints(table.names))
    order = data.draw(st.permutations(table.names))
    place = {name: i for i, name in enumerate(order)}
    possible = any(
        all(place[start] < place[end] for start, end in dag.edges)
        and search_oracle.satisfies(table.names, dag.edges, limits, table.n_states)
        for dag in dw.all_dags(table.names)
    )
    search = dw.K2Search(order=order)
    assert (search.refusal(dw.Scorer(table), limits) is None) == possible
    if not possible:
        with pytest.raises(dw.SpecError, match="K2Search: .* order"):
            dw.learn(table, search=search, constraints=limits)


@pytest.mark.parametrize(
    ("settings", "limits", "message"),
    [
        ({"order": list("abc")}, {}, r"the order lacks 'd', 'f', 'e'; it must name every variable"),
        ({"order": list("abcdeff")}, {}, "the order has 'f' more than once"),
        ({"order": [*"abcde", "ff"]}, {}, "the order has 'ff', which the data have not"),
        ({"order": [*"abcde", "new"]}, {}, "the order has 'new', which .* not; there are 'd'"),
        ({"order": []}, {}, "the order lacks 'd', 'b'"),
        (
            {"order": list("abcdef")},
            {"required": [("c", "b")]},
            "'c' -> 'b' is required, but in the order 'b' comes before 'c'; swap them or drop",
        ),
        (
            {"order": list("abcdef")},
            {"adjacent": [("a", "b")], "forbidden": [("a", "b")]},
            "along the order: the edge 'a' -> 'b' is there, but 'a' -> 'b' is forbidden",
        ),
        (
            {"order": list("abcdef"), "max_parents": 1},
            {"adjacent": [("a", "c"), ("b", "c")]},
            "along the order: 'c' has 2 parents, more than max_parents=1",
        ),
        (
            {"max_parents": 1},
            {"required": [("a", "c"), ("b", "c")]},
            "K2Search: max_parents=1: 'c' has 2 required parents",
        ),
    ],
)
def test_what_an_order_cannot_have_is_refused(table, settings, limits, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.learn(table, search=dw.K2Search(**settings), constraints=dw.Constraints(**limits))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": "alphabet"}, "order must be chow-liu, random, or a list of names"),
        ({"order": None}, "order must be"),
        ({"order": 3}, "order must be"),
        ({"order": ["a", 1]}, "order must have the names of variables, which are text, not 1"),
        ({"restarts": 3}, "restarts=3 is for random orders"),
        ({"order": ["a"], "restarts": 3}, "restarts=3 is for random orders"),
        ({"order": "random", "restarts": -1}, "restarts must be a whole number"),
        ({"order": "random", "restarts": 1.5}, "restarts must be a whole number"),
        ({"max_parents": -1}, "max_parents must be a whole number"),
        ({"max_parents": "2"}, "max_parents must be a whole number"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(dw.SpecError, match=f"K2Search: {message}"):
        dw.K2Search(**settings)


def test_required_parents_are_there_and_more_are_added(table):
    limits = dw.Constraints(required=[("a", "f"), ("b", "f")], max_parents=3)
    dag = dw.learn(table, search=dw.K2Search(order=list("abcdef")), constraints=limits).dag
    assert {"a", "b"} <= set(dag.parents("f"))
    free = dw.learn(table, search=dw.K2Search(order=list("abcdef"))).dag
    assert all(free.parents(name) == dag.parents(name) for name in "abcde")


def test_a_stop_keeps_the_orders_that_are_done(table):
    """Or what is done of the first; one callback comes for each 50 ms."""

    def slow(child, parents):
        for _ in range(20_000):
            pass
        return 0.0

    prior = dw.Modular(slow)
    scorer = dw.Scorer(table, dw.BIC(), structure_prior=prior)
    search = dw.K2Search(order="random", restarts=500)
    result = dw.learn(scorer, search=search, callback=lambda progress: progress.seconds > 0.6)
    assert result.reason == "callback"
    done = [step.score for step in result.trace if step.operator == "order"]
    assert len(done) < 501
    if done:
        assert result.score == close(max(done))
    assert result.score == close(dw.score(result.dag, table))
