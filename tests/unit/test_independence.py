"""Independence of two variables given others: the p-values, BIC and the Bayes factor."""

import json
from math import inf, log, prod
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import dagwright as dw
from dagwright.examples import asia
from instances import chunks_of
from oracle import information as oracle
from oracle import scores as score_oracle
from oracle.counts import rows_of
from strategies import tables

NEAR = {"rel": 1e-10, "abs": 1e-9}


@st.composite
def questions(draw, **settings):
    """A table and the names to ask about: x, y and what is given."""
    table = draw(tables(max_variables=4, **settings))
    x, y, *others = draw(st.permutations(table.names))
    return table, x, y, others[: draw(st.integers(0, len(others)))]


@given(question=questions(), ess=st.sampled_from([0.1, 1.0, 10.0]))
def test_all_numbers_are_the_oracles(question, ess):
    table, x, y, z = question
    rows = rows_of(table)
    test = dw.independence(table, x, y, z, ess=ess)
    g2, x2, testable = oracle.chi_squares(rows, x, y, z)
    n_states = table.n_states
    declared = (n_states[x] - 1) * (n_states[y] - 1) * prod(n_states[name] for name in z)
    assert test.g2 == pytest.approx(g2, **NEAR)
    assert test.x2 == pytest.approx(x2, **NEAR)
    assert test.n_rows == pytest.approx(rows.total)
    assert test.g2 == pytest.approx(2 * test.n_rows * test.mutual_information, **NEAR)
    information = oracle.mutual_information(rows, [x], [y], z)
    assert test.mutual_information == pytest.approx(information, **NEAR)
    assert dw.mutual_information(table, x, y, given=z) == pytest.approx(information, **NEAR)
    assert (test.degrees_of_freedom, test.testable_degrees_of_freedom) == (declared, testable)
    assert test.p_value == pytest.approx(chi2.sf(g2, testable) if testable else 1, abs=1e-9)
    assert test.x2_p_value == pytest.approx(chi2.sf(x2, testable) if testable else 1, abs=1e-9)
    assert test.permutation_p_value is None
    bic, bdeu = score_oracle.bic, score_oracle.bdeu(ess)
    for found, score in [(test.bic_gain, bic), (test.log_bayes_factor, bdeu)]:
        gain = score(rows, y, [x, *z]) - score(rows, y, z)
        assert found == pytest.approx(gain, **NEAR)
    n = test.n_rows
    assert test.bic_gain == pytest.approx(n * information - declared * log(n) / 2, **NEAR)
    assert test.bic_threshold == pytest.approx(declared * log(n) / (2 * n), **NEAR)


@given(question=questions())
def test_verdicts_are_the_signs_of_the_scorers_gains(question):
    table, x, y, z = question
    test = dw.independence(table, x, y, z)
    verdicts = test.verdicts
    for name, score in [("BIC", dw.BIC()), ("Bayes", dw.BDeu(1))]:
        gain = dw.Scorer(table, score).gains(y, z, [x])[x]
        if abs(gain) > 1e-6:
            assert (verdicts[name] == "dependent") == (gain > 0)
    assert (verdicts["p-value"] == "dependent") == (test.p_value < 0.05)
    if abs(test.bic_gain) > 1e-6:
        above = test.mutual_information > test.bic_threshold
        assert (verdicts["BIC"] == "dependent") == above
    assert bool(test.why) == (len(set(verdicts.values())) > 1)


@given(question=questions())
def test_all_tests_are_symmetric(question):
    table, x, y, z = question
    one, other = dw.independence(table, x, y, z), dw.independence(table, y, x, z)
    for name in ("g2", "x2", "p_value", "bic_gain", "log_bayes_factor", "bic_threshold"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), **NEAR)
    assert one.testable_degrees_of_freedom == other.testable_degrees_of_freedom


@given(question=questions(weighted=False), seed=st.integers(0, 2**32 - 1))
def test_weights_are_repeated_rows_and_chunks_are_rows(question, seed):
    table, x, y, z = question
    times = np.random.default_rng(seed).integers(0, 3, len(table))
    times[0] += 1
    repeated = table.take(np.repeat(np.arange(len(table)), times))
    wanted = dw.independence(repeated, x, y, z, permutations=20).to_dict()
    weighted = table.with_weights(times)
    other_scorer = dw.Scorer(weighted, dw.K2(), structure_prior=dw.EdgePenalty(0.01))
    for data in (weighted, chunks_of(weighted, 3), other_scorer):
        found = dw.independence(data, x, y, z, permutations=20).to_dict()
        assert found.pop("verdicts") == wanted["verdicts"]
        assert found.pop("why") == wanted["why"]
        for name, value in found.items():
            assert value == (pytest.approx(wanted[name]) if type(value) is float else wanted[name])


def test_empty_strata_leave_the_degrees_of_freedom_that_are_tested():
    codes = {"x": [0, 0, 1, 1] * 5, "y": [0, 1, 0, 1] * 5, "z": [0] * 12 + [1] * 8}
    few = dw.Table(codes, states={"x": [0, 1], "y": [0, 1], "z": [0, 1]})
    many = dw.Table(codes, states={"x": [0, 1, 2], "y": [0, 1], "z": range(7)})
    one, other = (dw.independence(table, "x", "y", "z") for table in (few, many))
    assert (one.degrees_of_freedom, one.testable_degrees_of_freedom) == (2, 2)
    assert (other.degrees_of_freedom, other.testable_degrees_of_freedom) == (14, 2)
    assert one.p_value == other.p_value
    assert (other.n_strata, other.n_observed_strata) == (7, 2)


def test_where_nothing_can_be_tested_nothing_is_found():
    table = dw.Table({"x": [0, 0, 0], "y": [0, 1, 1]}, states={"x": [0, 1], "y": [0, 1]})
    test = dw.independence(table, "x", "y", permutations=10)
    assert (test.g2, test.x2, test.testable_degrees_of_freedom) == (0, 0, 0)
    assert (test.p_value, test.x2_p_value, test.permutation_p_value) == (1, 1, 1)
    constant = dw.independence(dw.Table({"x": [0, 0], "y": [0, 1]}), "x", "y")
    assert set(constant.verdicts.values()) == {"independent"}
    assert (constant.bic_gain, constant.log_bayes_factor) == (0, pytest.approx(0, abs=1e-12))


def test_wide_given_sets_are_counted_sparsely():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (5000, 60))
    codes[:, 1] = np.where(rng.random(5000) < 0.3, codes[:, 0], codes[:, 1])
    table = dw.Table.from_codes(codes, states=[range(3)] * 60)
    few = dw.independence(table, "x1", "x2", ["x3", "x4"], permutations=200)
    assert set(few.verdicts.values()) == {"dependent"}
    assert few.permutation_p_value == 1 / 201
    wide = dw.independence(table, "x1", "x2", table.names[2:], permutations=50)
    assert wide.degrees_of_freedom == 4 * 3**58
    assert (wide.testable_degrees_of_freedom, wide.p_value) == (0, 1)
    assert wide.bic_gain < 0
    assert set(wide.verdicts.values()) == {"independent"}


# --- Permutations ---------------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000), n_strata=st.integers(1, 2))
def test_permutations_estimate_the_share_of_all_of_them(seed, n_strata):
    rng = np.random.default_rng(seed)
    n = 6 if n_strata == 1 else 8
    codes = {
        "x": rng.integers(0, 3, n),
        "y": rng.integers(0, 3, n),
        "z": np.arange(n) % n_strata,
    }
    table = dw.Table(codes)
    given_z = ["z"] if n_strata > 1 else []
    exact = oracle.exact_permutation_p_value(rows_of(table), "x", "y", given_z)
    n_permutations = 4000
    found = dw.independence(table, "x", "y", given_z, permutations=n_permutations, seed=seed)
    error = (exact * (1 - exact) / n_permutations) ** 0.5
    assert found.permutation_p_value == pytest.approx(exact, abs=5 * error + 2 / n_permutations)


def test_strata_of_different_shapes_are_permuted_together():
    """Some strata have fewer states than others, which must not lose or make rows."""
    rng = np.random.default_rng(5)
    z = np.repeat([0, 1, 2], [4, 3, 2])
    table = dw.Table.from_codes(
        [np.array([0, 1, 2, 2, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 2, 0, 2, 2, 1, 0]), z],
        names=["x", "y", "z"],
    )
    exact = oracle.exact_permutation_p_value(rows_of(table), "x", "y", ["z"])
    found = dw.independence(table, "x", "y", "z", permutations=20_000)
    assert found.permutation_p_value == pytest.approx(exact, abs=0.02)
    shuffled = table.take(rng.permutation(len(table)))
    again = dw.independence(shuffled, "x", "y", "z", permutations=20_000)
    assert again == found


def test_p_values_are_uniform_for_independent_variables():
    rng = np.random.default_rng(2)
    found = {"permutation_p_value": [], "p_value": []}
    for _ in range(300):
        codes = [rng.integers(0, 2, 200), rng.integers(0, 3, 200), rng.integers(0, 2, 200)]
        table = dw.Table.from_codes(codes, names=["x", "y", "z"])
        test = dw.independence(table, "x", "y", "z", permutations=199)
        for name, values in found.items():
            values.append(getattr(test, name))
    for values in found.values():
        below = np.mean(np.array(values) <= 0.1)
        assert below == pytest.approx(0.1, abs=4 * (0.09 / 300) ** 0.5)


def test_a_seed_gives_the_same_permutations():
    table = dw.Table.from_codes(np.random.default_rng(0).integers(0, 3, (80, 2)), names=["x", "y"])
    values = [
        dw.independence(table, "x", "y", permutations=500, seed=seed).permutation_p_value
        for seed in (1, 1, 2, 3)
    ]
    assert values[0] == values[1]
    assert len(set(values)) > 1
    assert all(value * 501 == pytest.approx(round(value * 501)) for value in values)


def test_permutations_are_fast():
    table = dw.networks.load("alarm").sample(10_000, seed=1)
    scorer = dw.Scorer(table)
    start = perf_counter()
    dw.independence(scorer, "CATECHOL", "TPR", ["HR", "CVP", "CO"], permutations=1000)
    assert perf_counter() - start < 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weights": [0.5, 1, 1, 1], "permutations": 5}, ["fractions", "np.rint(table.weights)"]),
        ({"weights": [2**32] * 4, "permutations": 5}, ["the most is 1,000,000,000"]),
        ({"permutations": -1}, ["permutations must be a whole number, 0 or more"]),
        ({"seed": 0.5}, ["seed must be a whole number"]),
        ({"ess": 0}, ["ess must be a finite number above 0"]),
        ({"x": "b"}, ["different variables, but 'b' is there twice"]),
        ({"given": ["c", "a"]}, ["different variables, but 'a' is there twice"]),
        ({"x": "aa"}, ["x='aa' is no variable of the data"]),
        ({"x": ["a"]}, ["x must be one variable"]),
        ({"given": "d"}, ["given='d' is no variable of the data; there are 'a', 'b', 'c'"]),
    ],
)
def test_what_cannot_be_is_refused_in_words(settings, words):
    table = dw.Table(
        {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]},
        weights=settings.pop("weights", None),
    )
    names = {"x": settings.pop("x", "a"), "y": "b"}
    with pytest.raises(dw.DagwrightError) as error:
        dw.independence(table, **names, **settings)
    for word in words:
        assert word in str(error.value)


# --- Words ----------------------------------------------------------------------------------------


def two_by_two(a, b, c, d):
    return dw.Table({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, weights=[a, b, c, d])


def test_many_rows_and_a_weak_dependence():
    test = dw.independence(two_by_two(2560, 2440, 2440, 2560), "x", "y")
    assert test.verdicts == {"p-value": "dependent", "BIC": "independent", "Bayes": "independent"}
    assert "p-value below 0.05 takes more than 0.000192 nats" in test.why
    assert "BIC 0.000461; there are 0.000288" in test.why
    assert "price grows with ln N" in test.why


def test_few_rows():
    test = dw.independence(two_by_two(5, 2, 2, 5), "x", "y")
    assert test.verdicts == {"p-value": "independent", "BIC": "dependent", "Bayes": "independent"}
    assert "BIC asks for less" in test.why
    difference = test.log_bayes_factor - test.bic_gain
    assert f"with the prior of ess=1 they are {difference:+.3g} nats here" in test.why


def test_strata_that_no_row_meets():
    rows = dw.networks.load("asia").sample(500, seed=1)
    test = dw.independence(rows, "tub", "xray", ["bronc", "smoke", "asia", "lung"])
    assert test.verdicts == {"p-value": "dependent", "BIC": "independent", "Bayes": "dependent"}
    assert "all 16 parameters of the edge, of which the rows can test 2 (7 of 16 strata" in test.why
    assert "charged nothing for what no row meets" in test.why


def test_rows_too_few_for_the_chi_square_distribution():
    test = dw.independence(two_by_two(6, 2, 2, 6), "x", "y", permutations=2000)
    assert test.p_value < 0.05 < test.permutation_p_value
    assert "the p-value by permutation is the one to trust" in test.why


def test_what_is_printed_and_what_json_has():
    test = dw.independence(asia(), "smoke", "dysp", ["bronc"], permutations=100)
    text = str(test)
    assert text.splitlines()[0] == "smoke and dysp given bronc: 5,000 rows"
    assert f"G2 = {test.g2:.6g}, X2 = {test.x2:.6g}" in text
    assert "degrees of freedom: 2, of which 2 can be tested" in text
    for label, value in [
        ("p-value", test.p_value),
        ("by permutation", test.permutation_p_value),
        ("BIC gain", test.bic_gain),
        ("log Bayes factor", test.log_bayes_factor),
    ]:
        (line,) = (line for line in text.splitlines() if line.startswith(label))
        assert f"{value:.4g}" in line
    values = json.loads(json.dumps(test.to_dict()))
    assert values["verdicts"] == test.verdicts
    assert values["given"] == ["bronc"]
    assert values["g2"] == test.g2
    assert inf not in [value for value in values.values() if isinstance(value, float)]
