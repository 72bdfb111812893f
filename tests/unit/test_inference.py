"""Inference against the whole joint table, and laws that hold at any size."""

import itertools
import math
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from models import evidence, grid, models, random_model
from oracle import inference as oracle

NO_DEADLINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@NO_DEADLINE
@given(st.data())
def test_queries_equal_enumeration(data):
    model = data.draw(models())
    names = list(model.names)
    targets = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    others = [name for name in names if name not in targets]
    do = data.draw(evidence(model, others, soft=False)) if data.draw(st.booleans()) else {}
    # Soft evidence may be on targets too.
    known = data.draw(evidence(model, [name for name in others if name not in do]))
    soft = data.draw(evidence(model, targets))
    known |= {name: value for name, value in soft.items() if isinstance(value, dict)}
    expected = oracle.query(model, targets, known, do)
    if expected is None:
        with pytest.raises(dw.DataError, match="cannot be"):
            model.query(targets, known, do=do)
        return
    answer = model.query(targets, known, do=do)
    assert answer.variables == tuple(targets)
    np.testing.assert_allclose(answer.probabilities, expected, atol=1e-12)
    hard = {name: value for name, value in known.items() if not isinstance(value, dict)}
    probability = oracle.probability(model, hard, do)
    assert model.probability(hard, do=do) == pytest.approx(probability, abs=1e-12)


@NO_DEADLINE
@given(st.data())
def test_the_junction_tree_follows_changing_evidence(data):
    model = data.draw(models())
    tree = model.junction_tree()
    for _ in range(data.draw(st.integers(1, 4))):
        known = data.draw(evidence(model, model.names))
        tree.set_evidence(known)
        table = oracle.with_evidence(model, known)
        if table.sum() == 0:
            assert tree.log_probability == -math.inf
            with pytest.raises(dw.DataError, match="cannot be"):
                tree.marginals()
            with pytest.raises(dw.DataError, match="cannot be"):
                tree.most_probable()
            continue
        for name, answer in tree.marginals().items():
            expected = oracle.query(model, [name], known)
            np.testing.assert_allclose(answer.probabilities, expected, atol=1e-12)
        some = data.draw(st.permutations(model.names))[:2]
        free = [name for name in some if not isinstance(known.get(name, {}), str)]
        if free:
            np.testing.assert_allclose(
                tree.joint(free).probabilities, oracle.query(model, free, known), atol=1e-12
            )
        # Between two sums, the best joint state: messages of one must not serve the other.
        best = tree.most_probable()
        cell = tuple(
            model.states[name].index(best[name] if name in best else known[name])
            for name in model.names
        )
        assert table[cell] == pytest.approx(table.max(), rel=1e-12)
        expected = oracle.query(model, [some[0]], known)
        np.testing.assert_allclose(tree.marginal(some[0]).probabilities, expected, atol=1e-12)


@NO_DEADLINE
@given(st.data())
def test_the_best_joint_state_equals_enumeration(data):
    model = data.draw(models())
    targets = data.draw(st.lists(st.sampled_from(model.names), min_size=1, max_size=3, unique=True))
    others = [name for name in model.names if name not in targets]
    known = data.draw(evidence(model, others))
    expected = oracle.query(model, targets, known)
    if expected is None:
        with pytest.raises(dw.DataError, match="cannot be"):
            model.most_probable(targets, known)
        return
    best, probability = model.most_probable(targets, known)
    cell = tuple(model.states[name].index(best[name]) for name in targets)
    assert probability == pytest.approx(expected.max(), rel=1e-9)
    assert expected[cell] == pytest.approx(expected.max(), rel=1e-9)


def test_joint_map_is_not_the_argmax_of_each_marginal():
    """The classic mistake: the most probable states one by one are impossible together."""
    model = dw.BayesNet(
        dw.Dag([("a", "b")]),
        {"a": [0.4, 0.3, 0.3], "b": [[1, 0], [0, 1], [0, 1]]},
    )
    each = {name: model.query(name).most_probable[name] for name in ("a", "b")}
    assert each == {"a": 0, "b": 1}
    assert model.probability(each) == 0
    best, probability = model.most_probable(["a", "b"])
    assert best == {"a": 0, "b": 0}
    assert probability == pytest.approx(0.4)


@NO_DEADLINE
@given(st.data())
def test_rows_are_predicted_as_queries_answer(data):
    model = data.draw(models(max_nodes=5))
    target = data.draw(st.sampled_from(model.names))
    shown = [name for name in model.names if name != target and data.draw(st.booleans())]
    rows = [
        [data.draw(st.sampled_from(model.states[name])) for name in shown]
        for _ in range(data.draw(st.integers(1, 6)))
    ]
    if not shown:
        return
    table = dw.Table(
        {name: [row[i] for row in rows] for i, name in enumerate(shown)},
        states={name: model.states[name] for name in shown},
    )
    expected = [oracle.query(model, [target], dict(zip(shown, row, strict=True))) for row in rows]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = model.predict_proba(table, target)
    assert bool(caught) == bool(np.isnan(found).any())
    for answer, own in zip(expected, found, strict=True):
        if answer is None:  # or only in what does not matter to the target
            assert np.isnan(own).all() or own.sum() == pytest.approx(1)
        else:
            np.testing.assert_allclose(own, answer, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_estimates_are_within_their_errors(seed):
    model = random_model(seed, 6, density=0.4)
    names = sorted(model.names)
    known = {names[0]: model.states[names[0]][0], names[1]: model.states[names[1]][-1]}
    targets = names[2:4]
    exact = oracle.query(model, targets, known)
    for method in ("likelihood weighting", "gibbs"):
        answer = model.query(targets, known, method=method, n_samples=40_000, seed=seed)
        assert answer.standard_errors.max() < 0.05
        off = abs(answer.probabilities - exact) / np.maximum(answer.standard_errors, 1e-4)
        assert off.max() < 4.5, method
        again = model.query(targets, known, method=method, n_samples=40_000, seed=seed)
        assert (again.probabilities == answer.probabilities).all()


def test_standard_errors_are_as_large_as_the_spread_of_estimates():
    model = random_model(3, 5, density=0.6)
    name, known = "c", {"a": model.states["a"][0]}
    for method in ("likelihood weighting", "gibbs"):
        runs = [
            model.query(name, known, method=method, n_samples=2000, seed=seed) for seed in range(60)
        ]
        spread = np.std([run.probabilities for run in runs], axis=0)
        claimed = np.mean([run.standard_errors for run in runs], axis=0)
        assert (claimed > 0.6 * spread).all(), method
        assert (claimed < 1.7 * spread + 1e-3).all(), method


@NO_DEADLINE
@given(st.integers(0, 2**32), st.integers(1, 8), st.sampled_from([0.0, 0.3]), st.data())
def test_belief_propagation_is_exact_on_polytrees(seed, n, zeros, data):
    model = _polytree(seed, n, zeros)
    known = data.draw(evidence(model, model.names))
    for name in model.names:
        if isinstance(known.get(name), str):
            continue
        expected = oracle.query(model, [name], known)
        if expected is None:
            return
        answer = model.query(name, known, method="belief propagation")
        assert answer.report["converged"]
        np.testing.assert_allclose(answer.probabilities, expected, atol=1e-8)


def _polytree(seed, n, zeros):
    """Each node is joined to one of those before it, in a random direction."""
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(n)]
    edges = []
    for i in range(1, n):
        pair = [names[int(rng.integers(i))], names[i]]
        edges.append(pair if rng.random() < 0.5 else pair[::-1])
    dag = dw.Dag(edges, nodes=names)
    states = {name: [f"s{k}" for k in range(rng.integers(1, 4))] for name in names}
    tables = {}
    for name in names:
        shape = [len(states[other]) for other in (*dag.parents(name), name)]
        table = rng.random(shape) + 0.01
        table[rng.random(shape) < zeros] = 0
        table[table.sum(axis=-1) == 0, 0] = 1
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    return dw.BayesNet(dag, tables, states)


def test_loopy_belief_propagation_says_when_it_does_not_settle():
    # Frustrated loops of strong couplings make messages run in circles.
    n = 4
    names = [f"x{i}" for i in range(n)]
    edges = [(a, f"{a}{b}") for a in names for b in names if a < b]
    edges += [(b, f"{a}{b}") for a in names for b in names if a < b]
    dag = dw.Dag(edges, nodes=[*names, *(f"{a}{b}" for a in names for b in names if a < b)])
    unequal = [[[0.02, 0.98], [0.98, 0.02]], [[0.98, 0.02], [0.02, 0.98]]]
    tables = {node: [0.45, 0.55] if not dag.parents(node) else unequal for node in dag.nodes}
    model = dw.BayesNet(dag, tables)
    known = {node: 0 for node in dag.nodes if dag.parents(node)}
    with pytest.warns(UserWarning, match="do not trust the numbers; try damping"):
        plain = model.query("x0", known, method="belief propagation")
    assert not plain.report["converged"]
    assert plain.report["last_change"] > 0.1
    damped = model.query("x0", known, method="belief propagation", damping=0.5)
    assert damped.report["converged"]
    exact = model.query("x0", known).probabilities
    assert damped.probabilities == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_rows_given_evidence_come_from_the_posterior(seed):
    model = random_model(seed, 6, density=0.5, zeros=0.3)
    name = sorted(model.names)[seed % 6]
    state = next(s for s in model.states[name] if model.probability({name: s}) > 0)
    n = 40_000
    for known, do in (({}, None), ({name: state}, None), (None, {name: state})):
        rows = model.sample(n, seed=seed, given=known, do=do)
        for other, codes in zip(rows.names, rows.codes, strict=True):
            share = np.bincount(codes, minlength=len(model.states[other])) / n
            expected = oracle.query(model, [other], known, do)
            assert (
                abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / n) + 1e-9
            ).all()
    pairs = oracle.query(model, list(model.names)[:2])
    rows = model.sample(n, seed=seed)
    share = np.zeros(pairs.shape)
    np.add.at(share, (rows.codes[0], rows.codes[1]), 1 / n)
    assert abs(share - pairs).max() < 0.02


def test_soft_evidence_shifts_samples_too():
    model = dw.networks.load("asia")
    known = {"xray": {"yes": 3.0, "no": 1.0}}
    rows = model.sample(50_000, given=known)
    share = (np.array(rows.codes[rows.names.index("lung")]) == 0).mean()
    assert share == pytest.approx(model.query("lung", known)["yes"], abs=0.005)


def test_many_children_do_not_underflow():
    """A product of thousands of small numbers is zero in floating point: messages are scaled."""
    n = 3000
    names = [f"x{i}" for i in range(n)]
    dag = dw.Dag([("class", name) for name in names], nodes=["class", *names])
    rng = np.random.default_rng(0)
    tables = {"class": [0.5, 0.5]}
    logs = np.log([0.5, 0.5])
    for name in names:
        table = rng.dirichlet(np.ones(20) * 0.5, size=2) + 1e-4
        tables[name] = table / table.sum(axis=1, keepdims=True)
        logs += np.log(tables[name][:, 0])
    model = dw.BayesNet(dag, tables)
    known = dict.fromkeys(names, 0)
    expected = np.exp(logs - logs.max())
    expected /= expected.sum()
    total = logs.max() + math.log(np.exp(logs - logs.max()).sum())
    assert total < -5000
    np.testing.assert_allclose(model.query("class", known).probabilities, expected, atol=1e-9)
    assert model.log_probability(known) == pytest.approx(total, rel=1e-12)
    tree = model.junction_tree()
    tree.set_evidence(known)
    np.testing.assert_allclose(tree.marginal("class").probabilities, expected, atol=1e-9)
    assert tree.log_probability == pytest.approx(total, rel=1e-12)
    assert tree.most_probable() == {"class": int(expected.argmax())}


def test_threads_change_no_bit():
    """A clique of millions of cells is shared between threads; each cell is summed in one order."""
    rng = np.random.default_rng(1)
    names = [f"x{i}" for i in range(11)]
    edges = [(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 9]]
    dag = dw.Dag(edges, nodes=names)
    tables = {}
    for name in names:
        shape = [4] * (len(dag.parents(name)) + 1)
        table = rng.random(shape)
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    network = dw.BayesNet(dag, tables).network
    tree = _core.CliqueTree(network.native, [], [], [], [], True, False, True)
    assert tree.largest >= 2**18  # shared out from 2^16 cells on
    found = []
    for threads in (1, 2, 3):
        propagation = _core.Propagation(tree)
        propagation.set([(0, 1)], [])
        found.append(propagation.marginals(list(range(11)), _core.Run(threads)))
    for other in found[1:]:
        assert all((a == b).all() for a, b in zip(found[0], other, strict=True))


def test_one_tree_may_be_asked_by_many_threads():
    model = dw.networks.load("alarm")
    tree = model.junction_tree()
    names = model.names[:8]
    expected = {}
    for name in names:
        tree.set_evidence({name: model.states[name][0]})
        expected[name] = tree.marginal("BP").probabilities if name != "BP" else None

    def ask(name):
        for _ in range(20):
            own = model.query("BP", {name: model.states[name][0]}).probabilities
            np.testing.assert_allclose(own, expected[name], atol=1e-12)
            tree.set_evidence({name: model.states[name][0]})
            tree.marginals()  # of whichever evidence was set last

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, [name for name in names if name != "BP"]))


def test_a_tree_for_the_evidence_replaces_one_that_is_far_larger():
    """A grid that falls into two halves when its middle row is observed."""
    model = grid(8)
    tree = model.junction_tree()
    large = tree.forecast.cells
    known = {f"x4_{j}": j % 3 for j in range(8)}
    tree.set_evidence(known)
    assert tree.forecast.cells < large / 20
    answers = tree.marginals(["x0_0", "x3_3", "x5_5", "x4_1"])
    for variable in ("x0_0", "x3_3", "x5_5"):
        expected = model.query(variable, known).probabilities
        np.testing.assert_allclose(answers[variable].probabilities, expected, atol=1e-12)
    assert answers["x4_1"].to_dict() == {0: 0, 1: 1, 2: 0}
    tree.set_evidence({"x0_0": 2})  # the small tree has no place for what was observed
    assert tree.forecast.cells > large / 20
    expected = model.query("x4_1", {"x0_0": 2}).probabilities
    np.testing.assert_allclose(tree.marginal("x4_1").probabilities, expected, atol=1e-12)


def test_what_a_question_does_not_need_is_left_out():
    dag = dw.Dag([("a", "b"), ("b", "c"), ("c", "d"), ("a", "e")])
    model = dw.BayesNet(
        dag,
        {"a": [0.5, 0.5]} | {name: [[0.9, 0.1], [0.2, 0.8]] for name in "bcde"},
    )
    network = model.network
    names = network.names

    def families(targets, known):
        observed = [names.index(name) for name in known]
        wanted = [names.index(name) for name in targets]
        tree = _core.CliqueTree(network.native, wanted, observed, [], [], False, False, False)
        return {names[v] for v in tree.families}

    assert families(["b"], []) == {"a", "b"}  # nothing below
    assert families(["c"], ["b"]) == {"c"}  # b cuts off a
    assert families(["a"], ["d"]) == {"a", "b", "c", "d"}


def test_a_query_that_is_too_large_is_refused_with_its_forecast():
    n = 40
    names = [f"x{i}" for i in range(n)]
    edges = [(names[i], f"y{i}_{j}") for i in range(n) for j in range(i + 1, n)]
    edges += [(names[j], f"y{i}_{j}") for i in range(n) for j in range(i + 1, n)]
    dag = dw.Dag(edges)
    noisy = [[[0.9, 0.1], [0.5, 0.5]], [[0.5, 0.5], [0.1, 0.9]]]
    model = dw.BayesNet(
        dag, {node: noisy if dag.parents(node) else [0.5, 0.5] for node in dag.nodes}
    )
    seen = {node: 0 for node in dag.nodes if dag.parents(node)}
    with pytest.raises(
        dw.DataError, match=r"1\.1e\+12 cells.*max_operations.*likelihood weighting"
    ):
        model.query("x0", seen)
    assert model.forecast("x0", seen).largest_clique == 2.0**n
    answer = model.query("x0", seen, method="likelihood weighting", n_samples=20_000)
    assert answer.report["effective_sample_size"] > 1


def test_chains_start_in_all_parts_of_the_states():
    """Zeros keep a chain where it starts: the spread over chains must show that."""
    model = dw.networks.load("asia")
    with pytest.warns(UserWarning, match="never leave"):
        runs = [
            model.query("lung", {"smoke": "yes"}, method="gibbs", n_samples=400, seed=seed)
            for seed in range(40)
        ]
    estimates = np.array([run["yes"] for run in runs])
    assert 0.02 < estimates.mean() < 0.2
    assert max(run.standard_errors.max() for run in runs) > 0.01


def test_impossible_evidence_names_the_contradiction():
    model = dw.networks.load("asia")
    with pytest.raises(dw.DataError, match="'either' = 'no' contradicts 'lung' = 'yes'"):
        model.query("smoke", given={"lung": "yes", "either": "no"})
    assert model.probability({"lung": "yes", "either": "no"}) == 0
    with pytest.raises(dw.DataError, match="none of 1,000 rows"):
        model.query(
            "smoke", {"lung": "yes", "either": "no"}, method="likelihood weighting", n_samples=1000
        )


@pytest.mark.parametrize(
    ("targets", "given", "do", "message"),
    [
        ("lungs", {}, {}, "no variable 'lungs'; did you mean 'lung'"),
        ("lung", {"smok": "yes"}, {}, "did you mean 'smoke'"),
        ("lung", {"smoke": "Yes"}, {}, "no state 'Yes'.*did you mean 'yes'"),
        ("lung", {"lung": "yes"}, {}, "target and in the evidence"),
        ("lung", {"smoke": "yes"}, {"smoke": "no"}, "either seen or set"),
        ("lung", {"smoke": {"yes": -1, "no": 1}}, {}, "soft evidence on 'smoke'"),
        ("lung", {"smoke": {"yes": 0, "no": 0}}, {}, "not all 0"),
        ("lung", {"smoke": {"yes": "x"}}, {}, "one likelihood"),
        ("lung", {"smoke": [1.0]}, {}, "one likelihood for each of its 2 states"),
        (["lung", "lung"], {}, {}, "twice"),
        ([], {}, {}, "at least one target"),
        (5, {}, {}, "no variable 5"),
        ("lung", ["smoke"], {}, "must be a mapping"),
    ],
)
def test_bad_questions_are_refused(targets, given, do, message):
    with pytest.raises(dw.DagwrightError, match=message):
        dw.networks.load("asia").query(targets, given, do=do)


def test_interventions_cut_the_families_of_what_is_set():
    model = dw.networks.load("asia")
    seen = model.query("smoke", given={"lung": "yes"})["yes"]
    done = model.query("smoke", do={"lung": "yes"})["yes"]
    assert seen > 0.9
    assert done == pytest.approx(0.5)
    assert model.query("xray", do={"lung": "yes"})["yes"] == pytest.approx(0.98)


def test_undefined_parameters_are_refused_only_where_they_matter():
    rows = dw.Table(
        {"a": ["x", "x", "y"], "b": ["x", "y", "y"], "c": ["x", "y", "y"], "d": ["n", "n", "y"]},
        states={"a": ["x", "y", "z"]},
    )
    dag = dw.Dag([("a", "b"), ("b", "c"), ("a", "d"), ("c", "d")])
    model = dw.fit(dag, rows, parameters="ml")
    assert {"a": "z"} in list(model.table("b").undefined())
    # No row has a = z, so its table does not matter; (y, x) of (a, c) cannot be either.
    assert model.query("c")["x"] == pytest.approx(1 / 3)
    with pytest.raises(dw.DataError, match=r"P\(d \| parents\).*parameters=dw\.BDeu"):
        model.query("d", given={"a": "y"}, do={"c": "x"})
    fitted = dw.fit(dag, rows, parameters=dw.BDeu(1))
    assert fitted.query("d", given={"a": "y"}, do={"c": "x"})["n"] == pytest.approx(0.5)


@NO_DEADLINE
@given(st.data())
def test_d_separation_is_independence_in_every_distribution(data):
    model = random_model(data.draw(st.integers(0, 2**32)), 5, density=0.5)
    names = list(model.names)
    a, b, *rest = data.draw(st.permutations(names))
    given_names = [name for name in rest if data.draw(st.booleans())]
    separated = model.d_separated(a, b, given_names)
    known = {name: model.states[name][0] for name in given_names}
    joint = oracle.query(model, [a, b], known)
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    if separated:
        np.testing.assert_allclose(joint, product, atol=1e-12)
    elif min(joint.shape) > 1 and all(len(s) > 1 for s in model.states.values()):
        assert abs(joint - product).max() > 1e-12  # random tables are hardly ever independent


@NO_DEADLINE
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.integers(1, 5), st.sampled_from([0.0, 0.4]))
def test_divergences_equal_enumeration(first, second, n, zeros):
    p = random_model(first, n, zeros=zeros)
    rng = np.random.default_rng(second)
    other = random_model(second, n, zeros=zeros)
    tables = {}
    for name in p.names:
        shape = [len(p.states[node]) for node in (*other.dag.parents(name), name)]
        table = rng.random(shape) + 0.05
        table[rng.random(shape) < zeros] = 0
        table[table.sum(axis=-1) == 0, 0] = 1
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    q = dw.BayesNet(other.dag, tables, p.states)
    expected = oracle.kl_divergence(p, q)
    found = p.kl_divergence(q)
    assert found.exact
    if math.isinf(expected):
        assert math.isinf(float(found))
    else:
        assert float(found) == pytest.approx(expected, abs=1e-10)
    entropy = -sum(x * math.log(x) for x in oracle.joint(p).ravel() if x > 0)
    assert float(p.cross_entropy(p)) == pytest.approx(entropy, abs=1e-10)


def test_the_probability_of_evidence_is_not_that_of_the_best_state():
    tree = dw.networks.load("asia").junction_tree({"xray": "yes"})
    before = tree.log_probability
    tree.most_probable()
    assert tree.log_probability == before


def test_evidence_that_is_nearly_impossible_is_not_impossible():
    """Products that are too small for a double: messages go on in logs."""
    k = 400
    names = [f"x{i}" for i in range(k)]
    dag = dw.Dag([("c", name) for name in names] + [("c", "d")])
    tables = {name: [[0.9, 0.1], [0.1, 0.9]] for name in names}
    tables |= {"c": [0.5, 0.5], "d": [[1, 0], [0, 1]]}
    model = dw.BayesNet(dag, tables)
    known = dict.fromkeys(names, 0) | {"d": 1}
    exact = math.log(0.5) + k * math.log(0.1)
    assert model.log_probability(known) == pytest.approx(exact, rel=1e-12)
    assert model.query("c", known)[1] == 1
    tree = model.junction_tree(known)
    assert tree.log_probability == pytest.approx(exact, rel=1e-12)
    assert tree.marginal("c")[1] == 1
    assert tree.most_probable() == {"c": 1}
    assert set(model.sample(50, given=known).codes[0]) == {1}
    tree.set_evidence({"x0": 0})  # and back to plain numbers
    assert tree.marginal("c")[0] == pytest.approx(0.9)
    tree.set_evidence({"d": 1, "x0": 0})
    assert tree.marginal("x1")[0] == pytest.approx(0.1)


@pytest.mark.parametrize("seed", range(12))
def test_extreme_tables_give_finite_logs(seed):
    """Chains with entries down to 1e-300, against sums in logs."""
    rng = np.random.default_rng(seed)
    n = 12
    names = [f"x{i}" for i in range(n)]
    dag = dw.Dag(list(itertools.pairwise(names)))
    tables = {}
    for name in names:
        shape = [2] * (len(dag.parents(name)) + 1)
        table = 10.0 ** -rng.uniform(0, 300, shape)
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    model = dw.BayesNet(dag, tables)
    known = {name: int(rng.integers(2)) for name in names[1::2]}
    logs = np.log(tables[names[0]])
    for name in names[1:]:
        joint = logs[:, None] + np.log(tables[name])
        logs = np.logaddexp(joint[0], joint[1])
        if name in known:
            logs[1 - known[name]] = -np.inf
    exact = np.logaddexp(logs[0], logs[1])
    assert model.log_probability(known) == pytest.approx(exact, rel=1e-9)


def test_gibbs_says_that_it_found_no_start():
    model = dw.BayesNet(
        dw.Dag([("a", "c"), ("b", "c")]),
        {"a": [1 - 1e-7, 1e-7], "b": [1 - 1e-7, 1e-7], "c": [[[1, 0], [1, 0]], [[1, 0], [0, 1]]]},
    )
    with pytest.raises(dw.DataError, match="could start from.*so rare"):
        model.query("a", {"c": 1}, method="gibbs", n_samples=1000)
    assert model.query("a", {"c": 1})[1] == 1


def test_a_hopeless_question_is_refused_quickly():
    rng = np.random.default_rng(0)
    n = 600
    parents = {
        f"x{i}": [f"x{j}" for j in rng.choice(i, min(i, 3), replace=False)] for i in range(n)
    }
    dag = dw.Dag.from_parents(parents)
    tables = {
        name: rng.dirichlet(np.ones(2), size=[2] * len(dag.parents(name))) for name in dag.nodes
    }
    model = dw.BayesNet(dag, tables)
    start = time.monotonic()
    with pytest.raises(dw.DataError, match="too large"):
        model.marginals()
    assert time.monotonic() - start < 5


def test_the_answer_itself_is_in_the_forecast():
    names = [f"x{i}" for i in range(32)]
    model = dw.BayesNet(dw.Dag(nodes=names), {key: [0.5, 0.5] for key in names})
    assert model.forecast(names).bytes >= 8 * 2.0**32
    with pytest.raises(dw.DataError, match="MiB of messages and answers"):
        model.query(names)
    assert model.query(names[:3]).probabilities.sum() == pytest.approx(1)


def test_refused_evidence_leaves_the_tree_as_it_was():
    names = [f"x{i}" for i in range(16)]
    dag = dw.Dag(list(itertools.pairwise(names)))
    tables = {name: [[0.9, 0.1], [0.2, 0.8]] if dag.parents(name) else [0.6, 0.4] for name in names}
    model = dw.BayesNet(dag, tables)
    known = {"x7": 1, "x0": 0}
    limit = model.junction_tree(known).forecast.operations
    tree = model.junction_tree(known, max_operations=limit)
    before = tree.marginal("x9").probabilities
    with pytest.raises(dw.DataError, match="too large"):
        tree.set_evidence({})
    assert (tree.marginal("x9").probabilities == before).all()
    together = tree.joint(["x9", "x12"]).probabilities.sum(axis=1)
    np.testing.assert_allclose(together, before, atol=1e-12)


def test_undefined_rows_are_judged_the_same_way_everywhere():
    nan = float("nan")
    model = dw.BayesNet(
        dw.Dag([("x", "c"), ("z", "c"), ("x", "below")]),
        {
            "x": [0.3, 0.7],
            "z": [0.5, 0.5],
            "c": [[[0.3, 0.7], [nan, nan]]] * 2,
            "below": [[0.5, 0.5], [nan, nan]],
        },
    )
    tree = model.junction_tree()
    assert tree.marginals(["x"])["x"][0] == pytest.approx(0.3)
    assert tree.log_probability == 0
    assert model.query("x", method="gibbs", n_samples=1000)[0] == pytest.approx(0.3, abs=0.1)
    for refused in (
        lambda: model.query("x", {"c": 0}),
        lambda: model.marginals({"c": 0}, ["x"]),
        lambda: model.marginals(),
        lambda: model.most_probable(given={"c": 0}),
        lambda: model.query("c", method="likelihood weighting"),
    ):
        with pytest.raises(dw.DataError, match="fit with a prior"):
            refused()
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(model.predict_proba({"c": [0]}, "x")).all()
    alarm = dw.networks.load("alarm")
    fitted = dw.fit(alarm.dag, alarm.sample(500, seed=1), "ml")
    with pytest.raises(dw.DataError, match="fit with a prior"):  # and does not hang
        fitted.most_probable(given={"HISTORY": "TRUE"})


def test_an_interrupt_ends_planning_and_predicting():
    code = """
import dagwright as dw, numpy as np, signal, sys, threading, time
rng = np.random.default_rng(0)
n, r = 300, 24
names = [f"x{i}" for i in range(n)]
dag = dw.Dag([(names[i - d], names[i]) for i in range(n) for d in (1, 2) if i >= d])
tables = {v: rng.dirichlet(np.ones(r), size=[r] * len(dag.parents(v))) for v in names}
model = dw.BayesNet(dag, tables)
rows = dw.Table.from_codes(rng.integers(r, size=(4000, 2)), names=["x3", names[-1]],
                           states=[range(r)] * 2)
print("ready", flush=True)
try:
    model.predict_proba(rows, "x0")
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline().strip() == "ready"
    time.sleep(1)
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    assert run.stdout.readline().strip() == "stopped"
    assert time.monotonic() - start < 2
    run.wait()
