"""Entropy, mutual information and divergence of rows, distributions and models."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import dagwright as dw
from dagwright.examples import asia
from instances import chunks_of
from models import models
from oracle import information as oracle
from oracle.counts import rows_of
from strategies import tables

NEAR = {"rel": 1e-10, "abs": 1e-10}
ESTIMATES = {
    "plug-in": ({}, oracle.plug_in),
    "miller-madow": ({"estimate": "miller-madow"}, oracle.miller_madow),
    "dirichlet": ({"estimate": "dirichlet"}, oracle.dirichlet(1)),
    "dirichlet, ess 5": ({"estimate": "dirichlet", "ess": 5}, oracle.dirichlet(5)),
}


@st.composite
def sets_of(draw, names, n_sets):
    """Sets of names that may have members in common, or be empty."""
    return [draw(st.lists(st.sampled_from(list(names)), unique=True)) for _ in range(n_sets)]


@st.composite
def joints(draw, max_axes=3):
    """A joint distribution as an array, with zeros."""
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=max_axes))
    weights = draw(
        arrays.arrays(float, shape, elements=st.sampled_from([0.0, 0.01, 0.3, 1.0, 2.0])).filter(
            lambda array: array.sum() > 0
        )
    )
    return weights / weights.sum()


@pytest.mark.parametrize("kind", ESTIMATES)
@given(data=st.data())
def test_entropies_of_rows_are_the_oracles(kind, data):
    table = data.draw(tables(max_variables=4))
    (variables,) = data.draw(sets_of(table.names, 1))
    how, slow = ESTIMATES[kind]
    wanted = slow(rows_of(table), variables)
    assert dw.entropy(table, variables, **how) == pytest.approx(wanted, **NEAR)
    assert dw.entropy(chunks_of(table, 3), variables, **how) == pytest.approx(wanted, **NEAR)
    in_bits = dw.entropy(dw.Scorer(table), variables, unit="bits", **how)
    assert in_bits == pytest.approx(wanted / log(2), **NEAR)


@pytest.mark.parametrize("kind", ESTIMATES)
@given(data=st.data())
def test_chain_rules_hold_for_sets_that_overlap(kind, data):
    table = data.draw(tables(max_variables=4))
    x, y, z = data.draw(sets_of(table.names, 3))
    how, _ = ESTIMATES[kind]

    def h(*sets):
        return dw.entropy(table, [name for own in sets for name in own], **how)

    def given_z(own, known):
        return dw.conditional_entropy(table, own, known, **how)

    assert given_z(x, z) == pytest.approx(h(x, z) - h(z), **NEAR)
    assert h(x, y, z) == pytest.approx(h(z) + given_z(y, z) + given_z(x, y + z), **NEAR)
    information = dw.mutual_information(table, x, y, given=z, **how)
    assert information == pytest.approx(given_z(x, z) - given_z(x, y + z), **NEAR)
    assert information == pytest.approx(dw.mutual_information(table, y, x, given=z, **how), **NEAR)
    assert dw.mutual_information(table, x, x, given=z, **how) == pytest.approx(
        given_z(x, z), **NEAR
    )
    both = dw.mutual_information(table, x, y + z, **how)
    parts = dw.mutual_information(table, x, z, **how) + information
    assert both == pytest.approx(parts, **NEAR)
    if kind != "miller-madow":
        assert information >= 0


@given(table=tables(min_variables=3, max_variables=4))
def test_information_of_rows_is_the_oracles(table):
    x, y, *z = table.names
    rows = rows_of(table)
    assert dw.mutual_information(table, x, y) == pytest.approx(
        oracle.mutual_information(rows, [x], [y]), **NEAR
    )
    wanted = oracle.mutual_information(rows, [x], [y], z)
    assert dw.mutual_information(table, x, y, given=z) == pytest.approx(wanted, **NEAR)


@given(table=tables(max_variables=3, weighted=False), seed=st.integers(0, 2**32 - 1))
def test_weights_are_repeated_rows(table, seed):
    times = np.random.default_rng(seed).integers(0, 4, len(table))
    times[0] += 1
    repeated = table.take(np.repeat(np.arange(len(table)), times))
    weighted = table.with_weights(times)
    for how, _ in ESTIMATES.values():
        assert dw.entropy(weighted, **how) == pytest.approx(dw.entropy(repeated, **how), **NEAR)


def test_the_posterior_mean_of_the_entropy_is_the_mean_over_posterior_draws():
    table = dw.Table({"a": [0, 0, 1, 2], "b": [0, 1, 1, 1]}, states={"a": [0, 1, 2], "b": [0, 1]})
    counts = dw.Scorer(table).counts("b", ["a"]).table()
    draws = np.random.default_rng(1).dirichlet(counts.ravel() + 2 / 6, 200_000).reshape(-1, 3, 2)

    def h(joint):
        joint = joint.reshape(len(joint), -1)
        return -np.where(joint > 0, joint * np.log(np.where(joint > 0, joint, 1)), 0).sum(axis=1)

    information = h(draws.sum(axis=2)) + h(draws.sum(axis=1)) - h(draws)
    how = {"estimate": "dirichlet", "ess": 2}
    for wanted, found in [
        (h(draws), dw.entropy(table, **how)),
        (information, dw.mutual_information(table, "a", "b", **how)),
    ]:
        assert found == pytest.approx(wanted.mean(), abs=5 * wanted.std() / len(wanted) ** 0.5)


def test_miller_madow_is_less_biased_than_the_rows_themselves():
    rng = np.random.default_rng(3)
    tables = [dw.Table.from_codes([rng.integers(0, 6, 30)], states=[range(6)]) for _ in range(200)]
    errors = {
        kind: abs(np.mean([dw.entropy(table, estimate=kind) - log(6) for table in tables]))
        for kind in ("plug-in", "miller-madow")
    }
    assert errors["miller-madow"] < 0.3 * errors["plug-in"]


def test_miller_madow_may_be_below_zero():
    table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    found = dw.mutual_information(table, "a", "b", estimate="miller-madow")
    assert found == pytest.approx((1 + 1 - 3) / 8)


def test_the_posterior_mean_is_right_on_average_over_the_prior():
    rng = np.random.default_rng(4)
    errors = []
    for _ in range(2000):
        truth = rng.dirichlet(np.full(5, 4 / 5))
        table = dw.Table.from_codes([rng.choice(5, 12, p=truth)], states=[range(5)])
        errors.append(dw.entropy(table, estimate="dirichlet", ess=4) - dw.entropy(truth))
    assert abs(np.mean(errors)) < 4 * np.std(errors) / len(errors) ** 0.5


def test_wide_sets_of_variables():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (500, 600))  # 4^600 joint states
    table = dw.Table.from_codes(codes, states=[range(4)] * 600)
    assert dw.entropy(table) == pytest.approx(log(500))
    assert dw.conditional_entropy(table, "x1", table.names[1:]) == pytest.approx(0, abs=1e-12)
    assert dw.entropy(table, estimate="miller-madow") == pytest.approx(log(500) + 499 / 1000)
    mean = dw.entropy(table, estimate="dirichlet")  # all that is not seen has 1 of 501 rows
    assert log(500) - 1 < mean < log(501)


# --- Distributions and models ---------------------------------------------------------------------


@given(joint=joints(), data=st.data())
def test_distributions_are_rows_with_probabilities_as_weights(joint, data):
    n = joint.ndim
    x, y, z = data.draw(sets_of(range(n), 3))
    cells = np.argwhere(joint > 0)
    names = [f"v{i}" for i in range(n)]
    table = dw.Table.from_codes(
        cells,
        names=names,
        states=[range(r) for r in joint.shape],
        weights=joint[tuple(cells.T)] * 1000,
    )

    def named(axes):
        return [names[axis] for axis in axes]

    as_mapping = {
        tuple(map(int, cell)) if n > 1 else int(cell[0]): joint[tuple(cell)] for cell in cells
    }
    for what in (joint, as_mapping):
        assert dw.entropy(what, x) == pytest.approx(dw.entropy(table, named(x)), **NEAR)
        found = dw.mutual_information(what, x, y, given=z)
        wanted = dw.mutual_information(table, named(x), named(y), given=named(z))
        assert found == pytest.approx(wanted, **NEAR)


@given(model=models(max_nodes=4), data=st.data())
def test_models_are_their_joint_distribution(model, data):
    joint = model.query(model.names)
    x, y, z = data.draw(sets_of(model.names, 3))
    assert dw.entropy(model) == pytest.approx(dw.entropy(joint), **NEAR)
    assert dw.entropy(model) == pytest.approx(float(model.cross_entropy(model)), **NEAR)
    assert dw.entropy(model, x) == pytest.approx(dw.entropy(joint, x), **NEAR)
    found = dw.mutual_information(model, x, y, given=z)
    assert found == pytest.approx(dw.mutual_information(joint, x, y, given=z), **NEAR)


def test_a_model_whose_joint_would_not_fit_has_its_entropy():
    alarm = dw.networks.load("alarm")
    rows = alarm.sample(200_000, seed=1)
    assert dw.entropy(alarm) == pytest.approx(alarm.log_loss(rows), rel=0.01)
    above = [*alarm.dag.ancestors("CATECHOL"), "CATECHOL"]
    assert dw.entropy(alarm, above) == pytest.approx(dw.entropy(rows, above), rel=0.02)


def test_d_separated_variables_tell_nothing():
    model = dw.networks.load("asia")
    assert dw.mutual_information(model, "asia", "smoke") == pytest.approx(0, abs=1e-12)
    assert dw.mutual_information(model, "asia", "smoke", given="dysp") > 1e-8


# --- Divergence -----------------------------------------------------------------------------------


@given(data=st.data())
def test_divergence_of_distributions(data):
    p = data.draw(joints())
    weights = data.draw(
        arrays.arrays(float, p.shape, elements=st.sampled_from([0.0, 0.5, 1.0])).filter(np.any)
    )
    q = weights / weights.sum()
    by_state = [dict(np.ndenumerate(own)) for own in (p, q)]
    wanted = oracle.kl_divergence(*by_state)
    found = dw.kl_divergence(p, q)
    assert found == pytest.approx(wanted, **NEAR)
    assert found >= 0
    assert (found == inf) == bool(((p > 0) & (q == 0)).any())
    assert dw.kl_divergence(p, p) == 0
    assert dw.cross_entropy(p, q) == pytest.approx(dw.entropy(p) + found, **NEAR)
    assert dw.kl_divergence(*by_state) == pytest.approx(wanted, **NEAR)
    assert dw.kl_divergence(by_state[0], q) == pytest.approx(wanted, **NEAR)
    assert dw.kl_divergence(p, by_state[1], unit="bits") == pytest.approx(wanted / log(2), **NEAR)


@given(data=st.data())
def test_divergence_of_rows(data):
    table = data.draw(tables(max_variables=3, max_states=3))
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 3, len(table))
    weights[0] += 1
    other = table.with_weights(weights)
    (variables,) = data.draw(sets_of(table.names, 1))
    variables = variables or list(table.names)

    def shares(own):
        cells = dw.Scorer(own).counts(variables[0], variables[1:])
        return dict(np.ndenumerate(cells.table() / cells.total))

    wanted = oracle.kl_divergence(shares(table), shares(other))
    assert dw.kl_divergence(table, other, variables) == pytest.approx(wanted, **NEAR)
    chunks = chunks_of(other, 2)
    assert dw.kl_divergence(dw.Scorer(table), chunks, variables) == pytest.approx(wanted, **NEAR)


def test_states_of_numpy_are_those_of_tables():
    shares = dict(zip(*np.unique([3, 3, 4, 4], return_counts=True), strict=True))
    shares = {state: count / 4 for state, count in shares.items()}
    assert dw.kl_divergence(dw.Table({"a": [3, 4]}), shares) == 0
    assert dw.kl_divergence({np.str_("x"): 0.5, np.str_("y"): 0.5}, {"x": 0.5, "y": 0.5}) == 0
    assert dw.kl_divergence({(np.int8(1), "x"): 1.0}, {(1, "x"): 1.0}) == 0


def test_given_none_is_given_nothing():
    table = asia()
    wanted = dw.mutual_information(table, "smoke", "lung")
    assert wanted > 0
    assert dw.mutual_information(table, "smoke", "lung", given=None) == wanted
    assert dw.conditional_entropy(table, "smoke", None) == dw.entropy(table, "smoke")
    assert dw.independence(table, "smoke", "lung", None) == dw.independence(table, "smoke", "lung")
    assert dw.rows_needed(table, "smoke", "lung", None).given == ()


def test_states_are_matched_by_what_they_are_and_variables_by_name():
    first = dw.Table({"a": ["x", "y", "y", "y"], "b": [1, 1, 1, 2]})
    second = dw.Table(
        {"b": [2, 1, 1, 1], "a": ["y", "y", "y", "x"]}, states={"a": ["z", "y", "x"], "b": [2, 1]}
    )
    assert dw.kl_divergence(first, second) == 0
    assert dw.kl_divergence(first, {"x": 0.25, "y": 0.75}, "a") == 0
    assert dw.kl_divergence([0.25, 0.75], first, "a") == 0
    assert dw.kl_divergence({"w": 1.0}, first, "a") == inf
    only_x = dw.Table({"a": ["x"]})
    assert dw.kl_divergence(only_x, first, "a") == pytest.approx(log(4))
    assert dw.kl_divergence(first, only_x, "a") == inf


@given(model=models(max_nodes=4), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_divergence_of_rows_and_models(model, seed):
    rows = model.sample(50, seed=seed)
    joint = model.query(model.names)
    found = dw.kl_divergence(rows, model)
    assert found == pytest.approx(dw.kl_divergence(rows, joint), **NEAR)
    assert dw.cross_entropy(rows, model) == pytest.approx(model.log_loss(rows), **NEAR)
    assert dw.cross_entropy(rows, model) == pytest.approx(dw.entropy(rows) + found, **NEAR)
    other = model.smoothed(0.3)
    wanted = float(model.kl_divergence(other))
    assert dw.kl_divergence(model, other) == pytest.approx(wanted, **NEAR)
    assert dw.kl_divergence(joint, other) == pytest.approx(wanted, **NEAR)
    name = model.names[0]
    by_hand = dw.kl_divergence(model.query(name), other.query(name))
    assert dw.kl_divergence(model, other, name) == pytest.approx(by_hand, **NEAR)


def test_maximum_likelihood_is_the_nearest_model():
    rows = asia()
    dag = dw.networks.load("asia").dag
    best = dw.kl_divergence(rows, dw.fit(dag, rows, parameters="ml"))
    assert best < dw.kl_divergence(rows, dw.fit(dag, rows, parameters=dw.K2()))
    assert best < dw.kl_divergence(rows, dw.networks.load("asia"))


# --- All pairs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ESTIMATES)
@given(data=st.data())
@settings(max_examples=15)
def test_the_matrix_has_every_pair(kind, data):
    table = data.draw(tables(min_variables=3, max_variables=5))
    known = sorted(data.draw(st.sets(st.sampled_from(table.names), max_size=2)))
    how, _ = ESTIMATES[kind]
    matrix = dw.mutual_information_matrix(table, given=known, unit="bits", **how)
    free = [name for name in table.names if name not in known]
    for x in table.names:
        for y in table.names:
            wanted = 0.0
            if x == y and x in free:
                wanted = dw.conditional_entropy(table, x, known, unit="bits", **how)
            elif x in free and y in free:
                wanted = dw.mutual_information(table, x, y, given=known, unit="bits", **how)
            assert matrix[x, y] == pytest.approx(wanted, **NEAR)
    pairs = matrix.pairs()
    assert {frozenset(pair[:2]) for pair in pairs} == {
        frozenset((a, b)) for a in free for b in free if a != b
    }
    assert [value for *_, value in pairs] == sorted((v for *_, v in pairs), reverse=True)
    assert all(matrix[x, y] == value for x, y, value in pairs)
    assert matrix.entropies() == {name: matrix[name, name] for name in free}
    assert matrix.to_dict()["given"] == known


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda t: dw.entropy(t, "smok"), ["variables='smok'", "the data", "mean 'smoke'"]),
        (lambda t: dw.entropy(t, 3.5), ["variables must be a variable or a list", "3.5"]),
        (lambda t: dw.entropy(t, [["smoke"]]), ["variables must be a variable or a list"]),
        (lambda t: dw.mutual_information(t, None, "lung"), ["x must be a variable", "None"]),
        (lambda t: dw.entropy(t, estimate="ml"), ["estimate", "plug-in, miller-madow", "'ml'"]),
        (lambda t: dw.entropy(t, unit="dits"), ["unit", "nats, bits", "'dits'"]),
        (lambda t: dw.entropy(t, ess=2), ["ess=2", "dirichlet", "plug-in"]),
        (lambda t: dw.entropy(t, estimate="dirichlet", ess=0), ["ess", "above 0"]),
        (lambda t: dw.mutual_information(t, "smoke", "lung", given="no"), ["given='no'"]),
        (lambda t: dw.entropy([0.5, 0.6]), ["sum to 1.1", "must sum to 1"]),
        (lambda t: dw.entropy([1.5, -0.5]), ["finite and 0 or more"]),
        (lambda t: dw.entropy([]), ["one axis a variable"]),
        (lambda t: dw.entropy(["a", "b"]), ["one axis a variable"]),
        (lambda t: dw.entropy({("a", "b"): 0.5, ("a",): 0.5}), ["[1, 2] states"]),
        (lambda t: dw.entropy([0.5, 0.5], 1), ["variables=1 is no variable of the distribution"]),
        (
            lambda t: dw.entropy([0.5, 0.5], estimate="miller-madow"),
            ["miller-madow", "for rows", "plug-in"],
        ),
        (lambda t: dw.entropy(dw.networks.load("asia"), estimate="dirichlet"), ["the model"]),
        (lambda t: dw.kl_divergence([0.5, 0.5], [0.2, 0.3, 0.5]), ["(2,)", "(3,)"]),
        (lambda t: dw.kl_divergence(t, t, []), ["at least one"]),
        (lambda t: dw.kl_divergence(t, [0.5, 0.5]), ["1 axes", "8 variables", "variables=[...]"]),
        (
            lambda t: dw.kl_divergence(t, t.select(["smoke", "lung"])),
            ["only one", "'asia'", "variables=[...]"],
        ),
        (
            lambda t: dw.kl_divergence(t, t.select(["lung"]), "smoke"),
            ["variables='smoke' is no variable of the data"],
        ),
    ],
)
def test_what_cannot_be_is_refused_in_words(work, words):
    with pytest.raises(dw.DagwrightError) as error:
        work(asia())
    for word in words:
        assert word in str(error.value)


# --- Pictures -------------------------------------------------------------------------------------


def test_the_picture_of_the_matrix():
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    matrix = dw.mutual_information_matrix(asia(), given="smoke", unit="bits")
    ax = matrix.plot()
    (image,) = ax.get_images()
    drawn = image.get_array()
    off = ~np.eye(8, dtype=bool)
    assert (drawn.mask == ~off).all()
    assert (drawn.data[off] == matrix.values[off]).all()
    assert image.get_clim() == (0, matrix.values[off].max())
    assert [label.get_text() for label in ax.get_yticklabels()] == list(matrix.names)
    assert ax.get_title() == "Mutual information given smoke"
    assert ax.figure.axes[1].get_ylabel() == "mutual information (bits)"
    pyplot.close("all")
