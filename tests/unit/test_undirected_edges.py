"""Undirected models at their edges: names, evidence, files and values that cannot be."""

import json
import warnings

import numpy as np
import pytest

import dagwright as dw

STATES = {"a": [0, 1], "b": [0, 1]}


def test_features_of_one_name_all_have_their_mean():
    agree = dw.Feature(["a", "b"], lambda a, b: a == b)
    both = dw.Feature(["a", "b"], lambda a, b: a * b)
    model = dw.LogLinear(STATES, [agree, both], [0, 0])
    assert list(model.expectations().values()) == pytest.approx([0.5, 0.25])


def test_a_spin_with_the_name_of_a_product():
    couplings = np.zeros((3, 3))
    couplings[0, 1] = couplings[1, 0] = 1
    means = dw.Ising([0, 0, 2], couplings, names=["a", "b", "a * b"]).expectations()
    assert means["a * b"] == pytest.approx(np.tanh(2))
    assert means["a * b (2)"] == pytest.approx(np.tanh(1))


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, given: model.marginals(given),
        lambda model, given: model.marginals(given, method="junction-tree"),
        lambda model, given: model.marginals(given, method="belief-propagation"),
        lambda model, given: model.query("tub", given),
        lambda model, given: model.most_probable(given),
        lambda model, given: model.sample(10, given=given),
    ],
)
def test_impossible_evidence_is_named(ask):
    model = dw.LogLinear.from_bayes_net(dw.networks.load("asia"))
    with pytest.raises(dw.DataError, match=r"evidence cannot be.*'either' = 'no', 'lung' = 'yes'"):
        ask(model, {"either": "no", "lung": "yes"})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dw.Feature(["a"], lambda a: None), "must return a number, but for .0,. it"),
        (lambda: dw.Feature(["a"], ["x", "y"]), r"the values of the feature of \['a'\] must be"),
        (lambda: dw.Feature(["a"], [[1], [1, 2]]), "must be numbers"),
        (lambda: ["smoke"], "'smoke' is no variable; did you mean 'smoker'"),
    ],
)
def test_features_that_are_none(make, message):
    with pytest.raises(dw.DagwrightError, match=message):
        dw.LogLinear({**STATES, "smoker": [0, 1]}, [make()])


def test_settings_of_another_type():
    with pytest.raises(dw.SpecError, match="features must be a list"):
        dw.LogLinear(STATES, None)
    with pytest.raises(dw.SpecError, match="features must be a list"):
        dw.learn_undirected({"a": [0, 1]}, features=3)
    with pytest.raises(dw.DataError, match="theta must be numbers"):
        dw.LogLinear(STATES, [["a"]], "x")
    model = dw.LogLinear(STATES, [["a"]])
    with pytest.raises(dw.SpecError, match="method must be a name"):
        model.marginals(method=None)
    with pytest.raises(dw.GraphError, match="no variable"):
        model.query([["a"]])


def test_states_of_a_spin_that_is_not_there():
    with pytest.raises(dw.DataError, match="'A' is no variable"):
        dw.Ising([0], [[0]], names=["a"], states={"A": ["n", "y"]})
    with pytest.raises(dw.DataError, match="must be a sequence of states"):
        dw.Ising([0], [[0]], names=["a"], states={"a": "ny"})


def test_equal_models_have_equal_hashes():
    assert hash(dw.Ising([0.0], [[0]])) == hash(dw.Ising([-0.0], [[0]]))
    one, other = (dw.LogLinear(STATES, [["a"]], [zero]) for zero in (0.0, -0.0))
    assert one == other
    assert hash(one) == hash(other)


def test_parameters_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        dw.Ising([0.0], [[0]]).theta[0] = 1


def change_theta(values, theta):
    values["features"][0]["theta"] = theta


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda values: change_theta(values, float("nan")), "theta must be finite"),
        (lambda values: values["variables"].append(values["variables"][0]), "the same name"),
        (lambda values: values.update(variables=[], features=[]), "at least one variable"),
        (lambda values: values["features"][0].update(values=[None, 1], theta=0), "above 0, not 0"),
    ],
)
def test_files_of_log_linear_models_that_are_none(change, message):
    values = json.loads(json.dumps(dw.LogLinear(STATES, [["a", "b"]], [1, 2, 3]).to_dict()))
    change(values)
    with pytest.raises(dw.DataError, match=message):
        dw.LogLinear.from_dict(values)


def test_a_coupling_that_is_there_twice():
    values = dw.Ising([0, 1], [[0, 1], [1, 0]], names=["a", "b"]).to_dict()
    values["couplings"].append(["b", "a", 5])
    with pytest.raises(dw.DataError, match="'b' and 'a' is there twice"):
        dw.Ising.from_dict(values)


@pytest.mark.parametrize("theta", [800.0, -800.0])
def test_uai_refuses_what_it_would_make_zero_or_infinite(tmp_path, theta):
    path = tmp_path / "model.uai"
    with pytest.raises(dw.DataError, match=r"the factor of \['a'\].*save as .json"):
        dw.LogLinear(STATES, [["a"]], [theta]).save(path)
    assert not path.exists()


def test_uai_without_features(tmp_path):
    path = tmp_path / "model.uai"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dw.LogLinear(STATES, []).save(path)
    assert dw.load(path).probabilities().tolist() == [[0.25, 0.25], [0.25, 0.25]]


def test_a_number_of_uai_that_is_too_large(tmp_path):
    path = tmp_path / "model.uai"
    path.write_text("MARKOV 1 2 1 1 0 2 1e400 2")
    with pytest.raises(dw.DataError, match="too large"):
        dw.load(path)


def test_results_with_what_is_not_known_are_equal_after_a_round_trip():
    rows = dw.Ising([0, 0], [[0, 0], [0, 0]]).sample(500, seed=1)
    alone = dw.UndirectedGraph([], nodes=rows.names)
    late = dw.learn_undirected(rows, graph=alone, method="clique-marginals", time_limit=1e-9)
    assert np.isnan(late.moment_gap)
    assert dw.UndirectedResult.from_dict(late.to_dict()) == late
    sampled = dw.learn_undirected(rows, method="moment-matching:expectation=gibbs,max_steps=2")
    assert np.isnan(sampled.trace[0].g)
    assert dw.UndirectedResult.from_dict(sampled.to_dict()) == sampled
    assert late != sampled
