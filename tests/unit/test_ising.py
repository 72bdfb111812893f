"""Ising models: codings, parameters, files, bad input."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from oracle import undirected as oracle

VALUES = {"-1/+1": (-1, 1), "0/1": (0, 1)}


@st.composite
def isings(draw, max_variables=5):
    n = draw(st.integers(1, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    couplings = np.triu(rng.normal(0, 1, (n, n)) * (rng.random((n, n)) < 0.7), 1)
    return dw.Ising(
        rng.normal(0, 1, n),
        couplings + couplings.T,
        names=[f"s{v}" for v in range(n)],
        coding=draw(st.sampled_from(["-1/+1", "0/1"])),
    )


@given(isings())
def test_log_z_and_probabilities_by_hand(model):
    log_z, p = oracle.ising(model.fields, model.couplings.tolist(), VALUES[model.coding])
    assert model.log_z == pytest.approx(log_z, abs=1e-12)
    assert np.allclose(model.probabilities().ravel(), list(p.values()), atol=1e-14)
    for name, mean in model.expectations().items():
        members = [model.names.index(own) for own in name.split(" * ")]
        table = np.ones([2] * len(members))
        for axis in range(len(members)):
            shape = [2 if a == axis else 1 for a in range(len(members))]
            table = table * np.array(VALUES[model.coding], dtype=float).reshape(shape)
        assert mean == pytest.approx(oracle.mean(p, members, table), abs=1e-12)


@given(isings())
def test_pairwise_expectations(model):
    _, p = oracle.ising(model.fields, model.couplings.tolist(), VALUES[model.coding])
    found = model.pairwise()
    spin = np.array(VALUES[model.coding], dtype=float)
    for a, first in enumerate(model.names):
        for b, second in enumerate(model.names):
            by_hand = sum(own * spin[s[a]] * spin[s[b]] for s, own in p.items())
            assert found[first, second] == pytest.approx(by_hand, abs=1e-12)
    if len(model.names) > 1:
        tree = model.pairwise(method="junction-tree")
        assert np.allclose(tree.values, found.values, atol=1e-12)


@given(isings())
def test_codings_are_one_distribution(model):
    other = model.to_coding("0/1" if model.coding == "-1/+1" else "-1/+1")
    assert other.coding != model.coding
    assert np.allclose(other.probabilities(), model.probabilities(), atol=1e-14)
    assert other.graph == model.graph
    assert tuple(other.states["s0"]) == VALUES[other.coding]
    back = other.to_coding(model.coding)
    assert np.allclose(back.fields, model.fields, atol=1e-13)
    assert np.array_equal(back.couplings, model.couplings)  # powers of two: nothing is rounded
    spins = model if model.coding == "-1/+1" else other
    bits = other if model.coding == "-1/+1" else model
    shift = spins.fields.sum() - np.triu(spins.couplings).sum()
    assert bits.log_z == pytest.approx(spins.log_z + shift, abs=1e-11)


@given(isings())
def test_log_linear_and_round_trips(model):
    general = model.log_linear()
    assert general.log_z == pytest.approx(model.log_z, abs=1e-12)
    assert general.graph == model.graph
    assert dw.Ising.from_dict(json.loads(json.dumps(model.to_dict()))) == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert hash(dw.Ising.from_dict(model.to_dict())) == hash(model)
    assert dw.LogLinear.from_dict(general.to_dict()) == general


def test_files(tmp_path):
    model = dw.Ising(
        [0.1, -0.2], [[0, 0.3], [0.3, 0]], ["rain", "wet"], "0/1", {"rain": ["no", "yes"]}
    )
    assert model.states == {"rain": ("no", "yes"), "wet": (0, 1)}
    model.save(tmp_path / "model.json.gz")
    assert dw.load(tmp_path / "model.json.gz") == model == dw.Ising.load(tmp_path / "model.json.gz")
    with pytest.warns(UserWarning, match="cannot keep the names"):
        model.save(tmp_path / "model.uai")
    read = dw.load(tmp_path / "model.uai")
    assert isinstance(read, dw.LogLinear)
    assert read.names == ("x0", "x1")
    assert np.allclose(read.probabilities(), model.probabilities(), atol=1e-15)
    assert read.log_z == pytest.approx(model.log_z, abs=1e-14)


def test_states_of_data_are_kept_by_another_coding():
    model = dw.Ising([0.1], [[0]], ["rain"], states={"rain": ["no", "yes"]})
    assert model.to_coding("0/1").states["rain"] == ("no", "yes")
    assert model.to_coding("-1/+1") is model


def test_by_name():
    model = dw.Ising([0.1, 0.2], [[0, 3], [3, 0]], ["a", "b"])
    assert (model.coupling("b", "a"), model.field("b")) == (3.0, 0.2)
    with pytest.raises(ValueError, match="read-only"):
        model.fields[0] = 1
    assert repr(model) == "<Ising: 2 variables, 1 couplings, -1/+1>"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: dw.Ising([1], [[0]], coding="1/2"),
            'coding must be "-1/\\+1" or "0/1", not \'1/2\'',
        ),
        (lambda: dw.Ising([], []), "one number a variable"),
        (lambda: dw.Ising(["a"], [[0]]), "fields must be numbers"),
        (lambda: dw.Ising([np.inf], [[0]]), "fields must be finite, but at \\[0\\] there is inf"),
        (lambda: dw.Ising([1, 2], [[0, 1]]), "must be 2 by 2, not of the shape \\(1, 2\\)"),
        (lambda: dw.Ising([1, 2], [[0, 1], [2, 0]]), "\\[0, 1\\] is 1 and \\[1, 0\\] is 2"),
        (
            lambda: dw.Ising([1], [[3]]),
            "\\[0, 0\\] is 3: a variable's own number belongs to fields",
        ),
        (lambda: dw.Ising([1], [[0]], ["a", "b"]), "2 names do not fit 1 fields"),
        (
            lambda: dw.Ising([1], [[0]], ["a"], states={"a": [*"xyz"]}),
            "'a' has 3 states.*LogLinear",
        ),
        (lambda: dw.Ising([1], [[0]]).query("y"), "no variable 'y'"),
        (lambda: dw.Ising([1], [[0]]).query([]), "at least one target"),
        (lambda: dw.Ising([1], [[0]]).query("x1", {"x1": 1}), "its state is known"),
        (lambda: dw.Ising([1], [[0]]).marginals({"x1": 0}), "'x1' has no state 0"),
        (lambda: dw.Ising([1], [[0]]).marginals({"x1": [0.5, 0.5]}), "needs one state"),
        (lambda: dw.Ising([1], [[0]]).marginals("x1"), "given must be a mapping"),
        (lambda: dw.Ising([1], [[0]]).log_probability({}), "\\['x1'\\] has none"),
        (lambda: dw.Ising([1], [[0]]).sample(0), "sample: n must be a whole number, 1 or more"),
        (lambda: dw.Ising([1], [[0]]).marginals(method="exact"), "unknown expectations 'exact'"),
        (
            lambda: dw.Ising.from_dict({"format": "dagwright", "version": 1, "kind": "ising"}),
            "missing",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(dw.DagwrightError, match=message):
        make()


def test_many_spins_on_a_narrow_graph():
    n = 2000
    couplings = np.zeros((n, n))
    for v in range(n - 1):
        couplings[v, v + 1] = couplings[v + 1, v] = 0.4
    model = dw.Ising(np.zeros(n), couplings)
    assert model.log_z == pytest.approx(n * np.log(2) + (n - 1) * np.log(np.cosh(0.4)), rel=1e-12)
    assert model.expectations()["x7 * x8"] == pytest.approx(np.tanh(0.4), abs=1e-12)


def test_a_model_too_wide_to_draw_from_names_the_way_that_does():
    full = dw.Ising(np.zeros(60), 0.01 * (np.ones((60, 60)) - np.eye(60)))
    with pytest.raises(dw.DataError, match='too wide.*method="gibbs"'):
        full.sample(10)
    assert len(full.sample(10, method="gibbs")) == 10
