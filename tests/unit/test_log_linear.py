"""Log-linear models: cliques, functions, factors of Bayesian networks, files."""

import itertools

import numpy as np
import pytest

import dagwright as dw
from dagwright.markov.features import clique_features
from dagwright.markov.parameters import theta_of

STATES = {"a": ["n", "y"], "b": [0, 1, 2], "c": [True, False]}


def test_features_of_cliques_are_minimal():
    model = dw.LogLinear(STATES, [["b", "a"], ["c"]])
    assert model.features.names == (
        "a = y", "b = 1", "b = 2", "c = False", "a = y, b = 1", "a = y, b = 2"
    )  # fmt: skip
    rows = []
    for state in itertools.product(range(2), range(3), range(2)):
        rows.append(
            [
                values[tuple(state[v] for v in scope)]
                for scope, values in zip(model.features.scopes, model.features.values, strict=True)
            ]
        )
    assert np.linalg.matrix_rank(np.column_stack([np.ones(12), rows])) == 7


def test_a_function_of_states_in_any_order_of_its_variables():
    feature = dw.Feature(["c", "b"], lambda c, b: b * (2 if c else 3))
    model = dw.LogLinear(STATES, [feature], [0.7])
    assert model.features.names == ("<lambda>(c, b)",)
    for state in itertools.product(*STATES.values()):
        row = dict(zip(STATES, state, strict=True))
        value = row["b"] * (2 if row["c"] else 3)
        assert model.log_probability(row) == pytest.approx(0.7 * value - model.log_z)
    table = [[0, 2, 4], [0, 3, 6]]
    assert dw.LogLinear(STATES, [dw.Feature(["c", "b"], table)], [0.7]) == model
    assert dw.LogLinear(STATES, [feature]).log_z == pytest.approx(np.log(12))


@pytest.mark.parametrize("name", ["asia", "survey", "cancer", "sachs"])
def test_factors_of_a_bayesian_network(name):
    net = dw.networks.load(name)
    model = dw.LogLinear.from_bayes_net(net)
    assert model.log_z == pytest.approx(0, abs=1e-10)
    assert model.graph == net.dag.moral_graph()
    for variable, answer in model.marginals().items():
        assert np.allclose(answer.probabilities, net.query(variable).probabilities, atol=1e-12)
    known = {net.names[0]: net.states[net.names[0]][0]}
    last = net.names[-1]
    assert np.allclose(
        model.query(last, known).probabilities, net.query(last, known).probabilities, atol=1e-12
    )
    assert model.entropy == pytest.approx(dw.entropy(net), abs=1e-9)
    assert dw.LogLinear.from_dict(model.to_dict()) == model  # zeros too


def test_a_network_with_undefined_rows_is_refused():
    table = dw.Table({"a": ["x", "x"], "b": ["u", "v"]}, states={"a": ["x", "y"]})
    net = dw.fit(dw.Dag([("a", "b")]), table, "ml")
    with pytest.raises(dw.DataError, match="'b' has rows that no data say anything about"):
        dw.LogLinear.from_bayes_net(net)


def test_uai_keeps_the_distribution(tmp_path):
    model = dw.LogLinear.from_bayes_net(dw.networks.load("asia"))
    with pytest.warns(UserWarning, match="Save as .json too"):
        model.save(tmp_path / "asia.uai.gz")
    read = dw.load(tmp_path / "asia.uai.gz")
    assert np.allclose(read.probabilities(), model.probabilities(), atol=1e-15)
    with pytest.raises(dw.DataError, match="no Bayesian network: read it with dw.load"):
        dw.BayesNet.load(tmp_path / "asia.uai.gz")


def test_uai_of_others(tmp_path):
    """The table's order of axes is that of the scope; two tables over one scope are multiplied."""
    path = tmp_path / "model.uai"
    path.write_text(
        "MARKOV 2\n2 3\n3\n2 1 0\n2 0 1\n1 1\n6\n1 2 3 4 5 6\n6\n1 1 2 2 3 3\n3 1 0 2\n"
    )
    model = dw.load(path)
    first = np.array([[1, 2], [3, 4], [5, 6]]).T
    second = np.array([[1, 1, 2], [2, 3, 3]])
    p = first * second * np.array([1, 0, 2])
    assert np.allclose(model.probabilities(), p / p.sum(), atol=1e-15)
    assert model.log_z == pytest.approx(np.log(p.sum()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MARKOV", "the number of variables is missing"),
        ("MARKOV 1 2 1 1 0 3 1 1 1", "3 numbers do not fit the table of \\[0\\]: 2"),
        ("MARKOV 1 2 1 1 0 2 1", "the table of \\[0\\] is not complete"),
        ("MARKOV 1 2 1 1 0 2 0 0", "0 or more, and not all 0"),
        ("MARKOV 1 2 1 1 0 2 1 -1", "0 or more"),
        ("MARKOV 2 2 2 1 2 0 0 4 1 1 1 1", "a variable is twice"),
        ("MARKOV 1 2 1 1 0 2 1 1 5", "more follows"),
        ("MARKOV 1 2 1 1 7 2 1 1", "a variable of table 0 must be from 0 to 0"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "bad.uai"
    path.write_text(text)
    with pytest.raises(dw.DataError, match=message):
        dw.load(path)


def test_parameters_out_of_factors():
    rng = np.random.default_rng(3)
    features = clique_features((2, 3, 2), [(0, 1, 2)])
    theta = rng.normal(0, 1, len(features))
    factors = features.factors(theta)
    assert np.allclose(theta_of(features, factors, None), theta, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dw.LogLinear({}, []), "at least one variable"),
        (lambda: dw.LogLinear(STATES, ["ab"]), "must be dw.Feature\\(...\\) or a clique"),
        (lambda: dw.LogLinear(STATES, [["a", "x"]]), "'x' is no variable"),
        (lambda: dw.LogLinear(STATES, [dw.Feature(["aa"], [1, 2])]), "did you mean 'a'"),
        (lambda: dw.LogLinear(STATES, [dw.Feature(["a"], [1, 2, 3])]), "has the shape \\(3,\\)"),
        (lambda: dw.LogLinear(STATES, [dw.Feature(["a"], [1, np.nan])]), "no finite number"),
        (lambda: dw.LogLinear(STATES, [["a"]], [1, 2]), "does not fit 1 features"),
        (lambda: dw.LogLinear(STATES, [["a"]], [np.inf]), "that of 'a = y' is inf"),
        (lambda: dw.Feature([], [1]), "at least one variable"),
        (lambda: dw.Feature("ab", [1]), "must be a list of names"),
        (lambda: dw.LogLinear(STATES, [["a"]]).save("x.bif"), "must be .json or .uai"),
        (
            lambda: dw.LogLinear(
                {f"v{i}": range(4) for i in range(8)}, [[f"v{i}" for i in range(8)]]
            ),
            "joint states, more than 4,096",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(dw.DagwrightError, match=message):
        make()
