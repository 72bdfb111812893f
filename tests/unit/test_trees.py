"""Chow-Liu trees and forests and tree-augmented naive Bayes, against trying every tree."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from instances import chunks_of
from oracle import search as search_oracle
from oracle import trees as oracle
from oracle.counts import rows_of
from strategies import constraints, tables


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-7)


def sampled_table(n, n_rows=200, seed=0, n_states=3, strength=0.65):
    """Rows of a random tree, with noise."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(n_states, size=n_rows)]
    for i in range(1, n):
        noise = rng.integers(n_states, size=n_rows)
        codes.append(np.where(rng.random(n_rows) < strength, codes[rng.integers(i)], noise))
    names = [f"x{i}" for i in rng.permutation(n)]
    return dw.Table.from_codes(codes, names=names, states=[range(n_states)] * n)


def skeleton(dag):
    return {frozenset(edge) for edge in dag.edges}


def likelihood(dag, table):
    return dw.score(dag, table, score=dw.LogLikelihood())


def branchings(names):
    """Every graph with at most one parent a node."""
    for edges in oracle.branchings(names):
        yield dw.Dag(edges, nodes=names)


def best_branching_score(scorer):
    """The greatest score of a graph with at most one parent a node."""
    names = scorer.names
    asked = [(child, ()) for child in names] + [
        (child, (parent,)) for parent in names for child in names if child != parent
    ]
    local = dict(zip(asked, scorer.batch(asked), strict=True))
    empty = sum(local[name, ()] for name in names)
    return max(
        empty + sum(local[names[b], (names[a],)] - local[names[b], ()] for a, b in edges)
        for edges in oracle.all_branchings(len(names))
    )


def allowed(dag, limits, table):
    return search_oracle.satisfies(table.names, dag.edges, limits, table.n_states)


# ------------------------------------------------------------------------------ information


@given(data=st.data())
def test_mutual_information_is_that_of_the_definition(data):
    table = data.draw(tables(max_variables=5, max_rows=30))
    rows = rows_of(table)
    target = data.draw(st.sampled_from([None, *table.names]))
    source = data.draw(st.sampled_from([table, chunks_of(table, 3)]))
    threads = data.draw(st.sampled_from([1, 2]))
    matrix = dw.mutual_information_matrix(source, given=target, threads=threads)
    assert matrix.names == table.names
    base = [] if target is None else [target]
    for x in table.names:
        for y in table.names:
            expected = oracle.mutual_information(rows, x, y, base)
            if target in (x, y):
                expected = 0.0
            assert matrix[x, y] == close(expected)
    assert (matrix.values == matrix.values.T).all()
    assert (matrix.values >= 0).all()


def test_the_diagonal_is_the_entropy():
    table = sampled_table(4)
    scorer = dw.Scorer(table)
    matrix = dw.mutual_information_matrix(scorer)
    for i, name in enumerate(table.names):
        assert matrix.values[i, i] == close(scorer.entropy([name]))
    conditional = dw.mutual_information_matrix(scorer, given="x0")
    assert conditional["x0", "x0"] == 0
    assert conditional["x1", "x1"] == close(scorer.entropy(["x0", "x1"]) - scorer.entropy(["x0"]))


def test_nothing_of_the_pairs_is_cached():
    scorer = dw.Scorer(sampled_table(30))
    dw.mutual_information_matrix(scorer)
    assert scorer.stats.cached_numbers == 0
    dw.learn(scorer, search=dw.ChowLiu(forest=True))
    assert scorer.stats.cached_numbers < 100


def test_variables_with_many_states_and_any_weights():
    """They have no bitmaps, and are counted one by one."""
    rng = np.random.default_rng(1)
    codes = [rng.integers(r, size=400) for r in (2, 17, 300, 3, 20)]
    codes[3] = codes[1] % 3
    for weights in None, rng.integers(0, 4, 400), rng.random(400):
        table = dw.Table.from_codes(codes, names=list("abcde"), weights=weights)
        for source in table, chunks_of(table, 3):
            matrix = dw.mutual_information_matrix(source)
            for x, y in combinations(table.names, 2):
                expected = oracle.mutual_information(rows_of(table), x, y)
                assert matrix[x, y] == close(expected)
            for score in dw.BIC(), dw.K2():
                check_forest(dw.learn(source, score=score, search=dw.ChowLiu(forest=True)), score)


def check_forest(result, score):
    assert all(len(result.dag.parents(node)) <= 1 for node in result.dag.nodes)
    assert result.reason == "done"
    assert result.info.score["name"] == score.name


@pytest.mark.parametrize("score", [dw.BIC(), dw.AIC(), dw.LogLikelihood(), dw.K2(), dw.BDeu(3)])
@pytest.mark.parametrize("prior", [dw.Uniform(), dw.EdgePenalty(0.3), dw.ParentCount()])
def test_gains_of_pairs_are_those_of_families(score, prior):
    rng = np.random.default_rng(2)
    codes = [rng.integers(r, size=100) for r in (2, 3, 40, 5, 2)]
    table = dw.Table.from_codes(codes, names=list("abcde"))
    for source in table, chunks_of(table, 2):
        scorer = dw.Scorer(source, score, structure_prior=prior)
        names = scorer.source.names
        forward, backward = scorer.native.pair_gains(1, 4, _core.Run(2))
        assert (backward.size == 0) == scorer.score_equivalent
        backward = backward if backward.size else forward
        for v in range(1, 4):
            for w in range(5):
                place = (v - 1) * 5 + w
                if w <= v:
                    assert forward[place] == backward[place] == 0
                    continue
                assert forward[place] == close(scorer.gains(names[w], [], [names[v]])[names[v]])
                assert backward[place] == close(scorer.gains(names[v], [], [names[w]])[names[w]])


# ------------------------------------------------------------------------ trees and forests


@given(data=st.data())
def test_the_tree_has_the_greatest_likelihood_of_all_trees(data):
    table = data.draw(tables(max_variables=6, max_rows=30))
    source = data.draw(st.sampled_from([table, chunks_of(table, 2)]))
    names = table.names
    result = dw.learn(source, search=dw.ChowLiu())
    information = dw.mutual_information_matrix(table).values
    weights = {
        tree: sum(information[tuple(pair)] for pair in tree)
        for tree in oracle.all_trees(len(names))
    }
    found = frozenset(
        frozenset(names.index(name) for name in pair) for pair in skeleton(result.dag)
    )
    assert found in weights  # a spanning tree, even where no information joins its parts
    assert weights[found] == close(max(weights.values()))
    best = sum(information[i, i] for i in range(len(names))) - weights[found]
    assert likelihood(result.dag, table) == close(-float(table.total_weight) * best)


def test_the_number_of_trees_and_branchings_is_cayleys():
    for n in range(1, 6):
        assert sum(1 for _ in oracle.all_trees(n)) == (n ** (n - 2) if n > 1 else 1)
        assert sum(1 for _ in oracle.all_branchings(n)) == (n + 1) ** (n - 1)
    assert sum(1 for _ in oracle.all_forests(4)) == 38


@pytest.mark.parametrize("score", [dw.BIC(), dw.AIC(), dw.K2(), dw.BDeu(), dw.Penalized(6.0)])
@pytest.mark.parametrize("prior", [dw.Uniform(), dw.EdgePenalty(0.2), dw.ParentCount()])
@given(data=st.data())
def test_the_forest_has_the_greatest_score_of_all_forests(score, prior, data):
    table = data.draw(tables(max_variables=5, max_rows=40))
    scorer = dw.Scorer(table, score, structure_prior=prior)
    result = dw.learn(scorer, search=dw.ChowLiu(forest=True))
    assert result.score == close(best_branching_score(scorer))
    assert all(step.gain > 0 for step in result.trace)


def test_a_forest_is_not_a_tree_without_its_weak_edges():
    """Where numbers of states differ, the strongest edges need not be those that gain most."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(60):
        codes = [rng.integers(r, size=60) for r in (2, 2, 6)]
        codes[1] = np.where(rng.random(60) < 0.35, codes[0], codes[1])
        codes[2] = np.where(rng.random(60) < 0.2, codes[0] * 3, codes[2])
        table = dw.Table.from_codes(codes, names=list("abc"), states=[range(2), range(2), range(6)])
        tree = dw.learn(table, search=dw.ChowLiu()).dag
        gaining = {
            frozenset(edge)
            for edge in tree.edges
            if dw.Scorer(table).gains(edge[1], [])[edge[0]] > 0
        }
        forest = dw.learn(table, search=dw.ChowLiu(forest=True))
        found += skeleton(forest.dag) != gaining
        assert forest.score == close(best_branching_score(dw.Scorer(table)))
    assert found > 0


def test_the_bic_threshold_is_that_of_the_theory():
    """An edge is in the forest where I(x; y) > (r - 1)(s - 1) ln N / (2N)."""
    rng = np.random.default_rng(6)
    seen = set()
    for strength in np.linspace(0, 0.4, 30):
        x = rng.integers(3, size=200)
        y = np.where(rng.random(200) < strength, x % 2, rng.integers(2, size=200))
        table = dw.Table.from_codes([x, y], names=["x", "y"], states=[range(3), range(2)])
        information = dw.mutual_information_matrix(table)["x", "y"]
        joined = bool(dw.learn(table, search=dw.ChowLiu(forest=True)).dag.edges)
        assert joined == (information > 2 * math.log(200) / 400)
        seen.add(joined)
    assert seen == {True, False}


def test_edges_of_no_information_stay_in_a_tree():
    """Independent variables, and a constant: sparse code loses such edges."""
    table = dw.Table(
        {"a": [0, 0, 1, 1] * 4, "b": [0, 1, 0, 1] * 4, "c": [0] * 16, "d": [0, 0, 1, 1] * 4}
    )
    result = dw.learn(table, search=dw.ChowLiu())
    assert len(result.dag.edges) == 3
    assert frozenset("ad") in skeleton(result.dag)
    forest = dw.learn(table, search=dw.ChowLiu(forest=True))
    assert skeleton(forest.dag) == {frozenset("ad")}


def test_edges_point_away_from_the_root():
    table = sampled_table(9)
    first = dw.Scorer(table).source.names[0]
    assert not dw.learn(table, search=dw.ChowLiu()).dag.parents(first)
    trees = {}
    for forest in False, True:
        for root in table.names:
            dag = dw.learn(table, search=dw.ChowLiu(root=root, forest=forest)).dag
            assert not dag.parents(root)
            assert all(len(dag.parents(node)) <= 1 for node in dag.nodes)
            trees.setdefault(forest, set()).add(dag.cpdag())
            # What makes directions matter changes neither the tree nor the root.
            other = next(name for name in table.names if name != root)
            turned = dw.Constraints(forbidden=[(other, root)])
            limited = dw.learn(
                table, search=dw.ChowLiu(root=root, forest=forest), constraints=turned
            )
            assert limited.dag == dag
    assert {len(classes) for classes in trees.values()} == {1}


def test_the_score_is_that_of_the_score_and_the_tree_that_of_the_likelihood():
    table = sampled_table(7)
    trees = {
        score.name: dw.learn(table, score=score, search=dw.ChowLiu())
        for score in (dw.BIC(), dw.K2(), dw.BDeu(), dw.LogLikelihood())
    }
    assert len({result.dag for result in trees.values()}) == 1
    for result in trees.values():
        assert result.score == close(
            dw.score(result.dag, table, score=dw.scores.scores.from_dict(result.info.score))
        )


def test_the_trace_has_the_strongest_edges_first():
    result = dw.learn(sampled_table(8), search=dw.ChowLiu(forest=True))
    gains = [step.gain for step in result.trace]
    assert gains == sorted(gains, reverse=True)
    assert {(step.start, step.end) for step in result.trace} == set(result.dag.edges)
    assert result.trace[-1].score == close(result.score)


# ------------------------------------------------------------------------------ constraints


@given(data=st.data())
def test_the_best_of_what_constraints_allow_is_found(data):
    table = data.draw(tables(max_variables=4, max_rows=30))
    limits = data.draw(constraints(table.names))
    root = data.draw(st.sampled_from([None, *table.names]))
    score = data.draw(st.sampled_from([dw.BIC(), dw.K2(), dw.LogLikelihood()]))
    possible = [
        dag
        for dag in branchings(table.names)
        if allowed(dag, limits, table) and (root is None or not dag.parents(root))
    ]
    for forest in False, True:
        search = dw.ChowLiu(root=root, forest=forest)
        refusal = search.refusal(dw.Scorer(table), limits)
        assert (refusal is not None) == (not possible)
        if not possible:
            with pytest.raises(dw.SpecError, match="ChowLiu: ") as caught:
                dw.learn(table, search=search, constraints=limits)
            assert str(caught.value) == refusal
            continue
        result = dw.learn(table, score=score, search=search, constraints=limits)
        assert result.dag in possible
        if forest:
            best = max(dw.score(dag, table, score=score) for dag in possible)
            assert result.score == close(best)
        else:
            most = max(len(dag.edges) for dag in possible)
            assert len(result.dag.edges) == most
            best = max(likelihood(dag, table) for dag in possible if len(dag.edges) == most)
            assert likelihood(result.dag, table) == close(best)


def test_what_no_tree_has_is_refused_with_the_reason():
    table = sampled_table(4)

    def refused(message, root=None, **limits):
        with pytest.raises(dw.SpecError, match=message):
            dw.learn(table, search=dw.ChowLiu(root=root), constraints=dw.Constraints(**limits))

    refused(
        "at most one parent, but 'x0', 'x1' are required parents of 'x2'; drop all but one",
        required=[("x0", "x2"), ("x1", "x2")],
    )
    refused(
        "root='x1' has no parent, but 'x0' -> 'x1' is required; choose another root",
        root="x1",
        required=[("x0", "x1")],
    )
    ring = [("x0", "x1"), ("x1", "x2"), ("x2", "x0")]
    refused("at most one parent: the required edges and adjacent pairs among", adjacent=ring)
    refused(
        "root='x1' has none: .*'x1'", root="x1", tiers=[["x0"], ["x1"]], adjacent=[("x0", "x1")]
    )


def test_without_any_tree_the_forest_of_the_fewest_trees():
    table = sampled_table(5)
    assert dw.learn(
        table, search=dw.ChowLiu(), constraints=dw.Constraints(max_parents=0)
    ).dag == dw.Dag(nodes=table.names)
    apart = [(a, b) for a in ("x0", "x1") for b in ("x2", "x3", "x4")]
    limits = dw.Constraints(forbidden=apart + [(b, a) for a, b in apart])
    result = dw.learn(table, search=dw.ChowLiu(), constraints=limits)
    assert len(result.dag.edges) == 3
    few = dw.Constraints(max_parameters=2)  # a variable of three states has no room for a parent
    assert dw.learn(table, search=dw.ChowLiu(), constraints=few).dag.edges == ()


def test_directed_constraints_and_undirected_ones_agree_where_both_can_be_asked():
    """Forbidding one direction everywhere costs a tree nothing."""
    for seed in range(5):
        table = sampled_table(12, seed=seed)
        tree = dw.learn(table, search=dw.ChowLiu())
        first = tree.dag.topological_order()[0]
        for forbidden in [(name, first) for name in table.names if name != first][:3]:
            limits = dw.Constraints(forbidden=[forbidden])
            directed = dw.learn(table, search=dw.ChowLiu(), constraints=limits)
            assert likelihood(directed.dag, table) == close(likelihood(tree.dag, table))


# --------------------------------------------------------------- the algorithms on any weights


@st.composite
def weight_matrices(draw, max_nodes=5, symmetric=False):
    """Few different weights, so that there are ties; some edges are not there."""
    n = draw(st.integers(1, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.integers(-3, 6, size=(n, n)) / draw(st.sampled_from([1.0, 4.0]))
    weights[rng.random((n, n)) < draw(st.sampled_from([0.0, 0.3]))] = -np.inf
    if symmetric:
        weights = np.triu(weights, 1)
        weights += weights.T
    np.fill_diagonal(weights, -np.inf)
    return weights


def edges_of(parents):
    return {(parent, child) for child, own in enumerate(parents) for parent in own}


def weight_of(edges, weights):
    return sum(weights[child, parent] for parent, child in edges)


@given(weight_matrices())
def test_no_branching_is_heavier(weights):
    n = len(weights)
    found = edges_of(_core.best_branching(n, weights.ravel().tolist(), _core.Run()))
    everything = list(oracle.all_branchings(n))
    assert frozenset(found) in everything
    assert weight_of(found, weights) == max(weight_of(edges, weights) for edges in everything)


@pytest.mark.parametrize("seed", range(12))
def test_large_branchings_are_those_of_networkx(seed):
    """Cycles within cycles: on the way to the best parent most nodes are in one."""
    import networkx as nx

    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 40))
    weights = rng.integers(-20, 1000, size=(n, n)).astype(float)
    if seed % 3 == 0:  # far from symmetric: strong pairs make many small cycles
        weights += 500 * (rng.permutation(n)[:, None] // 3 == np.arange(n) // 3)
    if seed % 3 == 1:
        weights[rng.random((n, n)) < 0.9] = -np.inf
    np.fill_diagonal(weights, -np.inf)
    found = edges_of(_core.best_branching(n, weights.ravel().tolist(), _core.Run()))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(
        (int(u), int(v), weights[v, u]) for v, u in np.argwhere(np.isfinite(weights))
    )
    best = nx.maximum_branching(graph, preserve_attrs=False)
    assert len({child for _, child in found}) == len(found)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(list(found)))
    assert weight_of(found, weights) == sum(weights[v, u] for u, v in best.edges)


@given(weight_matrices(max_nodes=6, symmetric=True), st.integers(1, 6), st.integers(0, 5))
def test_the_forest_is_the_same_however_many_rows_come_at_a_time(weights, rows_at_once, root):
    """Kruskal's algorithm in a strict order of the pairs is the twin: ties have one answer."""
    n = len(weights)
    upper = np.where(np.isfinite(weights), weights, np.nan)
    root = root if root < n else None
    parents = _core.spanning_forest(n, [], upper.ravel().tolist(), rows_at_once, root)
    component = list(range(n))
    expected = set()
    pairs = [pair for pair in combinations(range(n), 2) if np.isfinite(weights[pair])]
    for a, b in sorted(pairs, key=lambda pair: (-weights[pair], pair)):
        if component[a] != component[b]:
            expected.add(frozenset((a, b)))
            old, new = component[b], component[a]
            component = [new if c == old else c for c in component]
    assert {frozenset(edge) for edge in edges_of(parents)} == expected
    assert all(len(own) <= 1 for own in parents)
    roots = [v for v in range(n) if not parents[v]]
    assert len(roots) == len(set(component))
    assert root is None or root in roots
    for v in roots:  # else the smallest of its tree
        tree = [u for u in range(n) if component[u] == component[v]]
        assert v in (root, min(tree))


def test_links_that_are_kept_are_kept():
    weights = np.full((4, 4), 9.0)
    weights[0, 3] = weights[2, 3] = -5
    parents = _core.spanning_forest(4, [(3, 0), (2, 3)], weights.ravel().tolist(), 2, None)
    pairs = {frozenset(edge) for edge in edges_of(parents)}
    assert {frozenset((0, 3)), frozenset((2, 3)), frozenset((0, 1))} == pairs


# ------------------------------------------------------------------ tree-augmented naive Bayes


def augmented(names, target):
    """Every graph in which the target is a parent of all, and the others have at most one more."""
    for edges in oracle.augmented(names, target):
        yield dw.Dag(edges, nodes=names)


@given(data=st.data())
def test_the_augmented_tree_has_the_greatest_likelihood_of_its_kind(data):
    table = data.draw(tables(max_variables=5, max_rows=30))
    target = data.draw(st.sampled_from(table.names))
    source = data.draw(st.sampled_from([table, chunks_of(table, 2)]))
    result = dw.learn(source, search=dw.TreeAugmentedNaiveBayes(target))
    everything = {dag: likelihood(dag, table) for dag in augmented(table.names, target)}
    assert result.dag in everything
    assert len(result.dag.edges) == max(1, 2 * len(table.names) - 3)
    assert everything[result.dag] == close(max(everything.values()))


@given(data=st.data())
def test_augmented_trees_honour_constraints(data):
    table = data.draw(tables(max_variables=5, max_rows=30))
    target = data.draw(st.sampled_from(table.names))
    limits = data.draw(constraints(table.names))
    possible = [dag for dag in augmented(table.names, target) if allowed(dag, limits, table)]
    search = dw.TreeAugmentedNaiveBayes(target)
    refusal = search.refusal(dw.Scorer(table), limits)
    assert (refusal is not None) == (not possible)
    if not possible:
        with pytest.raises(dw.SpecError, match="TreeAugmentedNaiveBayes: ") as caught:
            dw.learn(table, search=search, constraints=limits)
        assert str(caught.value) == refusal
        return
    dag = dw.learn(table, search=search, constraints=limits).dag
    assert dag in possible
    most = max(len(dag.edges) for dag in possible)
    assert len(dag.edges) == most
    best = max(likelihood(dag, table) for dag in possible if len(dag.edges) == most)
    assert likelihood(dag, table) == close(best)


def test_naive_bayes_is_a_tree_augmented_one_with_one_parent():
    table = sampled_table(5)
    limits = dw.Constraints(max_parents=1)
    search = dw.TreeAugmentedNaiveBayes("x2")
    dag = dw.learn(table, search=search, constraints=limits).dag
    assert set(dag.edges) == {("x2", name) for name in table.names if name != "x2"}
    # It is also what there is when there was no time for the tree.
    assert dw.learn(table, search=search, time_limit=0).dag == dag


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"forbidden": [("x0", "x1")]}, "'x0' -> 'x1' is forbidden; drop that, leave 'x1' out"),
        ({"tiers": [["x1"], ["x0"]]}, "'x1' comes before 'x0' by tiers"),
        ({"required": [("x1", "x0")]}, "'x1' -> 'x0' is required"),
        ({"max_parents": 0}, "max_parents=0; allow one parent"),
        (
            {"required": [("x1", "x3"), ("x2", "x3")]},
            "at most one more parent: 'x3' has 3 required",
        ),
        ({"max_parameters": 5}, "at most one more parent: .* has 6 parameters"),
    ],
)
def test_what_a_target_cannot_have_is_refused(limits, message):
    with pytest.raises(dw.SpecError, match=f"TreeAugmentedNaiveBayes: .*{message}"):
        dw.learn(
            sampled_table(4),
            search=dw.TreeAugmentedNaiveBayes("x0"),
            constraints=dw.Constraints(**limits),
        )


# ---------------------------------------------------------------------------------- settings


def test_bad_settings_are_refused():
    table = sampled_table(4)
    for root in 3, ["x0"], True:
        with pytest.raises(dw.SpecError, match="ChowLiu: root must be the name of a variable"):
            dw.ChowLiu(root=root)
        with pytest.raises(dw.SpecError, match="target must be the name of a variable"):
            dw.TreeAugmentedNaiveBayes(root)
    for forest in "yes", 1, None:
        with pytest.raises(dw.SpecError, match="ChowLiu: forest must be True or False"):
            dw.ChowLiu(forest=forest)
    with pytest.raises(dw.SpecError, match="root='x00' is no variable of the data; did you mean"):
        dw.learn(table, search=dw.ChowLiu(root="x00"))
    with pytest.raises(dw.SpecError, match="target='no' is no variable of the data; there are 'x"):
        dw.learn(table, search=dw.TreeAugmentedNaiveBayes("no"))
    with pytest.raises(dw.SpecError, match="given='no' is no variable of the data"):
        dw.mutual_information_matrix(table, given="no")
    with pytest.raises(dw.GraphError, match="unknown node 'no'"):
        dw.mutual_information_matrix(table)["x0", "no"]
    with pytest.raises(ValueError, match="read-only"):
        dw.mutual_information_matrix(table).values[0, 0] = 1


def test_more_directed_pairs_than_memory_are_refused(monkeypatch):
    from dagwright.search import chow_liu

    monkeypatch.setattr(chow_liu, "_MOST_TREE_BYTES", 100)
    table = sampled_table(4)
    dw.learn(table, search=dw.ChowLiu(forest=True))
    message = r"ChowLiu: where directions matter, .* GiB for 4 variables, .*: select fewer"
    with pytest.raises(dw.SpecError, match=message):
        dw.learn(table, score=dw.K2(), search=dw.ChowLiu(forest=True))
    limits = dw.Constraints(forbidden=[("x0", "x1")])
    with pytest.raises(dw.SpecError, match=message):
        dw.learn(table, search=dw.ChowLiu(), constraints=limits)
    limits = dw.Constraints(forbidden=[("x2", "x1")])
    with pytest.raises(dw.SpecError, match="TreeAugmentedNaiveBayes: where directions matter"):
        dw.learn(table, search=dw.TreeAugmentedNaiveBayes("x0"), constraints=limits)


def test_a_stop_on_the_way_gives_a_forest():
    """Of the pairs seen so far, here one half or so of 2,500 variables."""
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(2_000, 2_500)).astype(np.uint8)
    codes[:, 1::2] = codes[:, ::2]  # copies
    table = dw.Table.from_codes(codes)
    seen = []
    result = dw.learn(
        table, search=dw.ChowLiu(), callback=lambda progress: seen.append(progress.step) or True
    )
    if not seen:
        pytest.skip("too fast to be stopped")
    assert result.reason == "callback"
    assert all(len(result.dag.parents(node)) <= 1 for node in result.dag.nodes)
    assert result.score == close(dw.score(result.dag, table))


@given(data=st.data())
def test_ties_do_not_depend_on_the_order_of_the_data(data):
    """Copies and constants: most trees are as good as another."""
    table = data.draw(tables(max_variables=6, max_rows=12, max_states=2, weighted=False))
    names = data.draw(st.permutations(table.names))
    rows = data.draw(st.permutations(range(len(table))))
    assume(len(names) > 2)
    for search in (
        dw.ChowLiu(),
        dw.ChowLiu(forest=True),
        dw.ChowLiu(root=min(names)),
        dw.TreeAugmentedNaiveBayes(max(names)),
    ):
        for score in dw.BIC(), dw.K2():
            expected = dw.learn(table, score=score, search=search).dag
            for other in table.select(names), table.take(rows), chunks_of(table.take(rows), 3):
                dag = dw.learn(other, score=score, search=search).dag
                assert set(dag.edges) == set(expected.edges)
