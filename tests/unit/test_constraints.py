import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from dagwright.errors import GraphError, SpecError
from oracle import graphs as oracle

NAMES = list("abcd")
N = len(NAMES)
ALL_DAGS = list(oracle.all_dags(N))

edge_numbers = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(
    lambda e: e[0] != e[1]
)
edge_lists = st.lists(edge_numbers, max_size=4)


@st.composite
def rule_sets(draw, with_parameters=True):
    """Constraints over four numbered nodes, often contradictory."""
    rules = {
        "required": draw(edge_lists),
        "forbidden": draw(edge_lists),
        "adjacent": draw(edge_lists),
        "tier_of": draw(st.dictionaries(st.integers(0, N - 1), st.integers(0, 2))),
        "max_parents": draw(st.none() | st.integers(0, 3)),
    }
    if with_parameters:
        rules["arities"] = draw(st.lists(st.integers(1, 4), min_size=N, max_size=N))
        rules["max_parameters"] = draw(st.none() | st.integers(0, 40))
    return rules


def native(rules):
    rest = dict(rules)
    tier_of = rest.pop("tier_of")
    tiers = [tier_of.get(v, -1) for v in range(N)] if tier_of else []
    return _core.Constraints(N, tiers=tiers, **rest)


def parent_lists(edges):
    return [sorted(oracle.parents(edges, v)) for v in range(N)]


# The native constraints that searches ask.


@settings(deadline=None)
@given(rule_sets())
def test_satisfied_by_follows_the_definition(rules):
    constraints = native(rules)
    for edges in ALL_DAGS:
        assert constraints.satisfied_by(_core.Dag(parent_lists(edges))) == oracle.satisfies(
            N, edges, **rules
        )


@settings(deadline=None, max_examples=300)
@given(rule_sets())
def test_a_feasible_graph_is_found_exactly_when_there_is_one(rules):
    dag, stuck = native(rules).feasible_dag()
    possible = [edges for edges in ALL_DAGS if oracle.satisfies(N, edges, **rules)]
    if dag is None:
        assert not possible
        assert stuck
    else:
        assert not stuck
        assert frozenset(dag.edges) in possible
        assert dag.n_edges == min(map(len, possible))


@settings(deadline=None, max_examples=300)
@given(rule_sets())
def test_the_nodes_in_the_way_are_infeasible_on_their_own(rules):
    _, stuck = native(rules).feasible_dag()
    if not stuck:
        return
    number = {node: i for i, node in enumerate(stuck)}
    within = {
        kind: [(number[a], number[b]) for a, b in rules[kind] if a in number and b in number]
        for kind in ("required", "forbidden", "adjacent")
    }
    assert not any(
        oracle.satisfies(
            len(stuck),
            edges,
            **within,
            tier_of={number[v]: t for v, t in rules["tier_of"].items() if v in number},
            max_parents=rules["max_parents"],
            max_parameters=rules["max_parameters"],
            arities=[rules["arities"][v] for v in stuck],
        )
        for edges in oracle.all_dags(len(stuck))
    )


@settings(deadline=None)
@given(rule_sets(), st.data())
def test_a_move_is_allowed_exactly_when_the_graph_after_it_is(rules, data):
    possible = [edges for edges in ALL_DAGS if oracle.satisfies(N, edges, **rules)]
    if not possible:
        return
    edges = data.draw(st.sampled_from(possible))
    constraints = native(rules)
    parents = parent_lists(edges)
    for a in range(N):
        for b in range(N):
            if (a, b) in edges:
                removed = edges - {(a, b)}
                assert constraints.may_remove(a, b) == oracle.satisfies(N, removed, **rules)
                turned = removed | {(b, a)}
                allowed = constraints.may_reverse(a, b) and constraints.fits_with(a, parents[a], b)
                assert allowed == oracle.satisfies(N, turned, **rules)
            elif a != b and (b, a) not in edges:
                allowed = constraints.may_add(a, b) and constraints.fits_with(b, parents[b], a)
                assert allowed == oracle.satisfies(N, edges | {(a, b)}, **rules)
                assert constraints.fits_with(b, parents[b], a) == constraints.fits(
                    b, [*parents[b], a]
                )


def test_nothing_constrained_costs_nothing_however_many_nodes():
    constraints = dw.Constraints(max_parents=2).resolve(
        [f"v{i}" for i in range(100_000)], [2] * 100_000
    )
    assert not constraints.limits_edges
    assert constraints.may_add(0, 99_999)
    assert constraints.may_remove(0, 99_999)
    assert constraints.may_reverse(0, 99_999)
    assert constraints.fits(0, [1, 2])
    assert not constraints.fits(0, [1, 2, 3])
    assert not dw.Constraints(required=[("a", "b")]).resolve(["a", "b"], [2, 2]).may_remove(0, 1)
    assert dw.Constraints(required=[("a", "b")]).resolve(["a", "b"], [2, 2]).limits_edges


def test_parameters_of_many_parents_do_not_overflow():
    n = 40
    constraints = _core.Constraints(n, max_parameters=1e30, arities=[65536] * n)
    assert not constraints.fits(0, list(range(1, n)))
    constant = _core.Constraints(n, max_parameters=0, arities=[1] + [65536] * (n - 1))
    assert constant.fits(0, list(range(1, n)))


@pytest.mark.parametrize(
    "bad",
    [
        {"required": [(0, 9)]},
        {"forbidden": [(9, 0)]},
        {"adjacent": [(1, 1)]},
        {"tiers": [0]},
        {"arities": [2]},
        {"arities": [0, 2]},
        {"max_parameters": 5},
        {"max_parameters": float("nan"), "arities": [2, 2]},
    ],
)
def test_native_constraints_refuse_bad_numbers(bad):
    with pytest.raises(ValueError, match=r"nodes|tiers|arit|max_parameters"):
        _core.Constraints(2, **bad)


# The constraints of users.


def by_name(rules):
    tiers = [[NAMES[v] for v, tier in rules["tier_of"].items() if tier == t] for t in range(3)]
    named = {
        kind: [(NAMES[a], NAMES[b]) for a, b in rules[kind]]
        for kind in ("required", "forbidden", "adjacent")
    }
    bounds = {kind: rules.get(kind) for kind in ("max_parents", "max_parameters")}
    return named | bounds | {"tiers": tiers if rules["tier_of"] else []}


@settings(deadline=None, max_examples=300)
@given(rule_sets(with_parameters=False))
def test_contradictions_are_found_exactly_when_no_graph_is_possible(rules):
    possible = any(oracle.satisfies(N, edges, **rules) for edges in ALL_DAGS)
    if possible:
        dw.Constraints(**by_name(rules))
    else:
        with pytest.raises(GraphError):
            dw.Constraints(**by_name(rules))


@settings(deadline=None)
@given(rule_sets(), st.permutations(range(N)))
def test_resolve_keeps_the_meaning_in_any_order_of_variables(rules, order):
    try:
        constraints = dw.Constraints(**by_name(rules))
    except GraphError:
        return
    possible = {edges for edges in ALL_DAGS if oracle.satisfies(N, edges, **rules)}
    names = [NAMES[v] for v in order]
    n_states = [rules["arities"][v] for v in order]
    if not possible:
        with pytest.raises(GraphError, match="max_parameters"):
            constraints.resolve(names, n_states)
        return
    resolved = constraints.resolve(names, n_states)
    position = {v: i for i, v in enumerate(order)}
    for edges in ALL_DAGS:
        moved = frozenset((position[a], position[b]) for a, b in edges)
        assert resolved.satisfied_by(_core.Dag(parent_lists(moved))) == (edges in possible)


@settings(deadline=None)
@given(rule_sets(), st.sampled_from(ALL_DAGS))
def test_violations_are_empty_exactly_when_satisfied(rules, edges):
    try:
        constraints = dw.Constraints(**by_name(rules))
    except GraphError:
        return
    dag = dw.Dag([(NAMES[a], NAMES[b]) for a, b in edges], nodes=NAMES)
    found = constraints.violations(dag, rules["arities"])
    assert (found == ()) == oracle.satisfies(N, edges, **rules)


@settings(deadline=None)
@given(rule_sets())
def test_dictionaries_and_pickles_round_trip(rules):
    try:
        constraints = dw.Constraints(**by_name(rules))
    except GraphError:
        return
    text = json.dumps(constraints.to_dict())
    for copy in (
        dw.Constraints.from_dict(json.loads(text)),
        pickle.loads(pickle.dumps(constraints)),
        eval(repr(constraints), {"Constraints": dw.Constraints}),
    ):
        assert copy == constraints
        assert hash(copy) == hash(constraints)


def test_equality_is_about_meaning():
    assert dw.Constraints(adjacent=[("a", "b")]) == dw.Constraints(adjacent=[("b", "a")] * 2)
    assert dw.Constraints(tiers=[["b", "a"]]) == dw.Constraints(tiers=[["a", "b"]])
    assert dw.Constraints(required=[("a", "b")]) != dw.Constraints(required=[("b", "a")])
    with pytest.raises(AttributeError):
        dw.Constraints().max_parents = 3


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            {"tiers": [["a"], ["b"]], "required": [("b", "a")]},
            "'a' comes before 'b' by tiers, but 'b' -> 'a' is required; drop one",
        ),
        (
            {"required": [("a", "b")], "forbidden": [("a", "b")]},
            "'a' -> 'b' is forbidden, but 'a' -> 'b' is required",
        ),
        (
            {"required": [("a", "b"), ("b", "c"), ("c", "a")]},
            "required edges make a cycle: a -> b -> c -> a",
        ),
        ({"required": [("a", "b"), ("b", "a")]}, "a -> b -> a"),
        (
            {"adjacent": [("a", "b")], "forbidden": [("a", "b"), ("b", "a")]},
            "'a' and 'b' must be adjacent, but 'a' -> 'b' is forbidden and 'b' -> 'a' is forbidden",
        ),
        (
            {"adjacent": [("a", "b")], "forbidden": [("a", "b")], "tiers": [["a"], ["b"]]},
            "must be adjacent, but 'a' -> 'b' is forbidden and 'a' comes before 'b' by tiers",
        ),
        (
            {
                "required": [("a", "b"), ("b", "c")],
                "adjacent": [("a", "c")],
                "forbidden": [("a", "c")],
            },
            "only directions left to adjacent pairs make a cycle: a -> b -> c -> a",
        ),
        (
            {"required": [("a", "c"), ("b", "c")], "max_parents": 1},
            "'c' has 2 required parents ('a', 'b'), more than max_parents=1",
        ),
        (
            {"adjacent": [("a", "b"), ("b", "c"), ("c", "a")], "max_parents": 1},
            "among 'a', 'b', 'c' cannot all be there with max_parents=1",
        ),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' is in the tiers twice"),
        ({"tiers": [["a", "a"]]}, "'a' is in the tiers twice"),
        ({"tiers": "ab"}, "list of lists of names, not 'ab'"),
        ({"tiers": ["ab"]}, "use ['ab']"),
        ({"required": [("a", "a")]}, "a required edge must join two nodes"),
        ({"forbidden": [("a", "a")]}, "a forbidden edge must join two nodes"),
        ({"adjacent": [("a", "a")]}, "an adjacent pair must join two nodes"),
        ({"required": ("a", "b")}, "a required edge must be a pair of names"),
        ({"forbidden": [(1, 2)]}, "must be a string"),
    ],
)
def test_contradictions_are_explained_in_words(rules, message):
    with pytest.raises(GraphError) as caught:
        dw.Constraints(**rules)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["max_parents", "max_parameters"])
@pytest.mark.parametrize("value", [-1, 1.5, "3", True, float("nan")])
def test_bad_bounds_are_refused(name, value):
    with pytest.raises(SpecError, match=f"{name} must be a whole number, 0 or more"):
        dw.Constraints(**{name: value})


def test_huge_bounds_bound_nothing():
    free = dw.Constraints(max_parents=10**30, max_parameters=10**400)
    assert free.resolve(["a", "b"], [60000, 60000]).fits(0, [1])


def test_edges_within_a_tier_and_of_free_variables_are_allowed():
    constraints = dw.Constraints(tiers=[["a", "b"], ["c"]]).resolve(
        ["a", "b", "c", "free"], [2] * 4
    )
    assert constraints.allowed(0, 1)
    assert constraints.allowed(1, 0)
    assert constraints.allowed(0, 2)
    assert not constraints.allowed(2, 0)
    assert constraints.allowed(3, 0)
    assert constraints.allowed(2, 3)


def test_unknown_names_are_refused_with_a_suggestion():
    for mention in (
        {"required": [("smok", "cancer")]},
        {"forbidden": [("cancer", "smok")]},
        {"adjacent": [("cancer", "smok")]},
        {"tiers": [["smok"]]},
    ):
        with pytest.raises(GraphError, match="unknown node 'smok'; did you mean 'smoke'"):
            dw.Constraints(**mention).resolve(["smoke", "cancer"], [2, 2])
        with pytest.raises(GraphError, match="unknown node 'smok'; did you mean 'smoke'"):
            dw.Constraints(**mention).violations(dw.Dag(nodes=["smoke", "cancer"]))


def test_too_many_parameters_are_explained():
    with pytest.raises(GraphError, match=r"'a' has 9 parameters with no parent, .*=5; raise"):
        dw.Constraints(max_parameters=5).resolve(["a", "b"], [10, 2])
    with pytest.raises(GraphError, match="'b' has 10 parameters with its required parents 'a'"):
        dw.Constraints(required=[("a", "b")], max_parameters=9).resolve(["a", "b"], [10, 2])
    with pytest.raises(GraphError, match=r"among 'a', 'b' cannot all be .* max_parameters=9"):
        dw.Constraints(adjacent=[("a", "b")], max_parameters=9).resolve(["a", "b"], [4, 4])
    with pytest.raises(SpecError, match="2 names need as many n_states, not 1"):
        dw.Constraints().resolve(["a", "b"], [2])
    with pytest.raises(SpecError, match="give n_states"):
        dw.Constraints(max_parameters=9).violations(dw.Dag())


def test_violations_name_what_is_wrong():
    constraints = dw.Constraints(
        required=[("a", "b")],
        forbidden=[("c", "d")],
        adjacent=[("a", "d")],
        tiers=[["b"], ["c"]],
        max_parents=1,
        max_parameters=2,
    )
    dag = dw.Dag([("c", "d"), ("b", "d"), ("c", "b")], nodes=["a", "b", "c", "d"])
    assert constraints.violations(dag, [2, 2, 2, 2]) == (
        "the required edge 'a' -> 'b' is missing",
        "the adjacent pair 'a' and 'd' is not joined",
        "the edge 'c' -> 'b' is there, but 'b' comes before 'c' by tiers",
        "the edge 'c' -> 'd' is there, but 'c' -> 'd' is forbidden",
        "'d' has 2 parents, more than max_parents=1",
        "'d' has 4 parameters, more than max_parameters=2",
    )


def test_toml(tmp_path):
    path = tmp_path / "constraints.toml"
    path.write_text('required = [["a", "b"]]\ntiers = [["a"], ["b"]]\nmax_parents = 3\n')
    assert dw.Constraints.from_toml(path) == dw.Constraints(
        required=[("a", "b")], tiers=[["a"], ["b"]], max_parents=3
    )
    for text, message in (
        ("required = [", "is not TOML"),
        ('require = [["a", "b"]]', "unknown constraint 'require'; did you mean 'required'"),
        ("colour = 1", "unknown constraint 'colour'; there are 'required'"),
        ('required = "ab"', "required must be a list, not 'ab'"),
        ("max_parents = 1.5", "max_parents must be a whole number"),
    ):
        path.write_text(text)
        with pytest.raises(SpecError, match=message):
            dw.Constraints.from_toml(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(dw.DataError, match="is not text in UTF-8"):
        dw.Constraints.from_toml(path)
    path.write_text("tiers = [1]")
    with pytest.raises(GraphError, match="tier"):
        dw.Constraints.from_toml(path)
