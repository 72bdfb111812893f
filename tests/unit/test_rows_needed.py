"""Rows needed: means against all samples, answers against simulation, words, pictures."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.information.chance import information_by_chance
from dagwright.information.dependence import Dependence, bdeu_gain, bic_gain
from dagwright.information.mean_over_samples import entropy_term, gamma_term, mean_of
from dagwright.information.rows_needed import _strength
from dagwright.information.strata import pair_counts
from dagwright.information.transition import transition_in
from oracle import scores as score_oracle
from oracle import transition as oracle
from oracle.counts import rows_of
from strategies import tables

EXACT = 2**40  # rows, so many that no estimate is needed


def table_of(shares):
    """Weighted rows with exactly these shares of z, x, y."""
    cells = np.argwhere(np.ones(shares.shape))
    weights = np.rint(shares.ravel() * EXACT)
    states = [range(n) for n in shares.shape]
    return dw.Table.from_codes(list(cells.T), names=["z", "x", "y"], states=states, weights=weights)


def random_shares(seed, shape):
    return np.random.default_rng(seed).dirichlet(np.ones(math.prod(shape))).reshape(shape)


shapes = st.sampled_from([(1, 2, 2), (1, 2, 3), (2, 2, 2)])


@given(st.integers(0, 10**6), shapes, st.integers(2, 6), st.sampled_from([0.5, 1.0, 10.0]))
def test_means_over_all_samples(seed, shape, rows, ess):
    shares = random_shares(seed, shape)
    dependence = Dependence(shares, shape[0])
    bic, bdeu = bic_gain(dependence.degrees_of_freedom), bdeu_gain(ess, *shape[1:], shape[0])
    assert bic.mean(dependence, rows) == pytest.approx(
        oracle.mean_gain(score_oracle.bic, shares, rows), abs=1e-10
    )
    assert bdeu.mean(dependence, rows) == pytest.approx(
        oracle.mean_gain(score_oracle.bdeu(ess), shares, rows), abs=1e-10
    )


@pytest.mark.parametrize("term", [entropy_term, gamma_term(0.25), gamma_term(5.0)])
@pytest.mark.parametrize("share", [1e-3, 0.05, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("rows", [70, 1000, 20_000])
def test_the_mean_of_one_cell_for_many_rows(term, share, rows):
    from scipy.stats import binom

    counts = np.arange(rows + 1)
    wanted = (binom.pmf(counts, rows, share) * term.value(counts.astype(float))).sum()
    assert mean_of(term, np.array([share]), rows) == pytest.approx(wanted, abs=1e-5)


@given(st.data())
def test_counts_by_stratum(data):
    table = data.draw(tables(min_variables=2, max_variables=4))
    x, y, *others = data.draw(st.permutations(table.names))
    given_ = others[: data.draw(st.integers(0, len(others)))]
    counts = pair_counts(dw.Scorer(table), x, y, given_)
    gain = bic_gain(0).of(counts)
    plain = rows_of(table)
    wanted = score_oracle.log_likelihood(plain, y, [x, *given_])
    wanted -= score_oracle.log_likelihood(plain, y, given_)
    assert gain == pytest.approx(wanted, abs=1e-9)
    q = math.prod(table.n_states[name] for name in given_)
    gain = bdeu_gain(3.0, table.n_states[x], table.n_states[y], q).of(counts)
    wanted = dw.Scorer(table, dw.BDeu(3.0))
    assert gain == pytest.approx(wanted.local(y, [x, *given_]) - wanted.local(y, given_), abs=1e-8)


PAIRS = [(0.5, 0.5), (0.5, 0.2), (0.2, 0.1), (0.05, 0.3)]


@pytest.mark.parametrize("of", PAIRS)
@pytest.mark.parametrize("strength", [0.0005, 0.002, 0.01, 0.03])
@pytest.mark.parametrize(("score", "ess"), [("bic", 1), ("bdeu", 1), ("bdeu", 10)])
def test_within_a_quarter_of_simulation(of, strength, score, ess):
    """At 1/1.25 of the rows fewer than half of the samples want the edge, at 1.25 times more."""
    shares = oracle.binary_pair(strength, *of)
    needed = dw.rows_needed(table_of(shares), "x", "y", strength=strength, ess=ess)
    rows = getattr(needed, score)
    local = oracle.local_of(score, ess)
    if rows < 30:  # half of the samples or more want it from the first rows on, and hardly more
        later = [round(rows * times) for times in (1.25, 1.5, 2, 3, 4)]
        assert min(oracle.sampled_power(local, shares, n, 1000, seed=n) for n in later) > 0.46
        assert oracle.sampled_power(local, shares, int(rows) - 1, 1000, seed=3) < 0.54
        return
    few, many = math.floor(rows / 1.25), math.ceil(rows * 1.25)
    assert oracle.sampled_power(local, shares, few, 400, seed=1) < 0.5
    assert oracle.sampled_power(local, shares, many, 400, seed=2) > 0.5


@pytest.mark.parametrize(
    ("strength", "of"),
    [
        (0.1, (0.5, 0.5)),
        (0.2, (0.5, 0.5)),
        (0.3, (0.5, 0.5)),
        (0.1, (0.5, 0.2)),
        (0.2, (0.3, 0.4)),
        (0.3, (0.4, 0.45)),
    ],
)
@pytest.mark.parametrize(("score", "ess"), [("bic", 1), ("bdeu", 1), ("bdeu", 10)])
def test_strong_dependence_against_all_samples(of, strength, score, ess):
    shares = oracle.binary_pair(strength, *of)
    local = oracle.local_of(score, ess)
    below = [n for n in range(2, 20) if oracle.exact_power(local, shares, n) < 0.5]
    wanted = max(below, default=1) + 1
    needed = dw.rows_needed(table_of(shares), "x", "y", strength=strength, ess=ess)
    assert abs(getattr(needed, score) - wanted) <= max(1, 0.25 * wanted)


@pytest.mark.parametrize("shape", [(1, 3, 4), (3, 2, 2), (6, 3, 2), (20, 2, 3)])
@pytest.mark.parametrize("strength", [0.003, 0.03])
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_any_number_of_states_and_strata(shape, strength, score):
    table = table_of(random_shares(5, shape))
    needed = dw.rows_needed(table, "x", "y", ["z"], strength=strength)
    assert needed.degrees_of_freedom == (shape[1] - 1) * (shape[2] - 1) * shape[0]
    rows = getattr(needed, score)
    curve = dw.power_curve(
        table,
        "x",
        "y",
        ["z"],
        strength=strength,
        rows=[math.floor(rows / 1.25), math.ceil(rows * 1.25)],
    )
    few, many = getattr(curve, score)
    assert few < 0.5 < many


def test_the_power_of_the_curve_is_that_of_samples():
    shares = random_shares(3, (2, 2, 3))
    rows = 60
    curve = dw.power_curve(
        table_of(shares), "x", "y", ["z"], rows=[rows], strength=oracle.information(shares), ess=2
    )
    for score, share, error in (
        ("bic", curve.bic[0], curve.bic_errors[0]),
        ("bdeu", curve.bdeu[0], curve.bdeu_errors[0]),
    ):
        local = oracle.local_of(score, 2)
        wanted = oracle.sampled_power(local, shares, rows, 3000, seed=4)
        assert abs(share - wanted) < 5 * math.hypot(error, 0.009)
        assert error == pytest.approx(math.sqrt(share * (1 - share) / 1000), rel=0.2)


@given(st.integers(0, 10**6), st.sampled_from([(1, 2, 2), (1, 3, 2), (3, 2, 3)]))
def test_another_strength_keeps_the_shares_of_the_states(seed, shape):
    dependence = Dependence(random_shares(seed, shape), shape[0])
    for share in (0.3, 1.0):
        other = dependence.of_strength(share * dependence.information)
        assert oracle.information(other.shares) == pytest.approx(share * dependence.information)
        for axis in (1, 2):
            assert other.shares.sum(axis) == pytest.approx(dependence.shares.sum(axis))
    strongest = dependence.of_strength(dependence.strongest.information)
    assert strongest.shares.min() == pytest.approx(0, abs=1e-9)


def test_weaker_dependence_needs_more_rows():
    table = table_of(oracle.binary_pair(0.1, 0.4, 0.3))
    found = [dw.rows_needed(table, "x", "y", strength=s) for s in (0.1, 0.03, 0.01, 1e-3, 1e-5)]
    for score in ("bic", "bdeu"):
        rows = [getattr(needed, score) for needed in found]
        assert rows == sorted(rows)
        assert rows[0] < 20 < 10**5 < rows[-1]


def test_the_strength_is_without_chance_and_covered_by_its_interval():
    shares = oracle.binary_pair(0.01, 0.5, 0.3)
    rng = np.random.default_rng(8)
    strengths, covered = [], 0
    for _ in range(200):
        counts = rng.multinomial(500, shares.ravel())
        table = dw.Table({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, weights=counts)
        found, transition = transition_in(dw.Scorer(table), "x", "y", (), 1.0)
        strength, (low, high) = _strength(found, transition.dependence)
        strengths.append(strength)
        covered += low <= 0.01 <= high
    assert np.mean(strengths) == pytest.approx(0.01, abs=0.001)  # 0.011 if chance were left in
    assert 0.84 < covered / 200 < 0.96


@pytest.mark.parametrize(
    ("shape", "rows"), [((1, 2, 3), 6), ((4, 2, 2), 20), ((1, 3, 3), 400), ((2, 2, 2), 4000)]
)
def test_information_by_chance_is_that_of_permuted_rows(shape, rows):
    rng = np.random.default_rng(11)
    counts = rng.multinomial(rows, random_shares(11, shape).ravel()).reshape(shape).astype(float)
    places = np.indices(shape).reshape(3, -1)
    z, x, y = (np.repeat(own, counts.ravel().astype(int)) for own in places)
    found = []
    for _ in range(2000):
        order = np.lexsort([rng.random(rows), z])  # z is sorted: a permutation within strata
        permuted = np.zeros(shape)
        np.add.at(permuted, (z, x, y[order]), 1)
        found.append(float(bic_gain(0).of(permuted)) / rows)
    error = np.std(found) / len(found) ** 0.5
    assert information_by_chance(counts) == pytest.approx(np.mean(found), abs=4 * error)


def test_independent_variables_in_thin_strata_show_no_strength():
    rng = np.random.default_rng(12)
    table = dw.Table({name: rng.integers(0, 3, 1000) for name in "abcdxy"})
    found, transition = transition_in(dw.Scorer(table), "x", "y", tuple("abcd"), 1.0)
    strength, (low, _) = _strength(found, transition.dependence)
    assert transition.dependence.information > 0.1
    assert strength < 0.02
    assert low == 0


def test_rounding_is_no_dependence():
    rng = np.random.default_rng(13)
    table = dw.Table({f"v{i}": rng.integers(0, 4, 500) for i in range(20)})
    needed = dw.rows_needed(table, "v0", "v1", [f"v{i}" for i in range(2, 20)])
    assert needed.mutual_information == needed.strength == 0
    assert "no dependence beyond chance" in str(needed)


def test_no_dependence_is_said_in_words():
    table = dw.Table({"x": [0, 0, 1, 1] * 9, "y": [0, 1, 0, 1] * 9})
    needed = dw.rows_needed(table, "x", "y")
    assert needed.bic == needed.bdeu == math.inf
    assert needed.strength == 0
    text = str(needed)
    assert "BIC wants it for no number of rows" in text
    assert "no dependence beyond chance" in text
    values = json.loads(json.dumps(needed.to_dict(), allow_nan=False))
    assert values["bic"] is None
    assert values["bic_interval"][1] is None
    constant = dw.Table({"x": [0] * 9, "y": [0, 1, 1] * 3}, states={"x": [0, 1]})
    assert dw.rows_needed(constant, "x", "y").bic == math.inf
    one_state = dw.Table({"x": [0] * 9, "y": [0, 1, 1] * 3})
    assert dw.rows_needed(one_state, "x", "y").bdeu == math.inf


def test_all_sources_agree_and_order_does_not_matter():
    table = dw.networks.load("asia").sample(800, seed=2)
    wanted = dw.rows_needed(table, "smoke", "dysp", ["bronc"])
    half = dw.Chunks([table.take(range(400)), table.take(range(400, 800))])
    for data in (dw.Scorer(table, dw.K2()), half, table.take(np.arange(800)[::-1])):
        assert dw.rows_needed(data, "smoke", "dysp", ["bronc"]) == wanted
    assert dw.rows_needed(table, "smoke", "dysp", "bronc") == wanted
    doubled = table.with_weights(np.full(800, 2.0))
    assert dw.rows_needed(doubled, "smoke", "dysp", ["bronc"]).n_rows == 1600
    shares = np.full(800, 1 / 16.3)  # weights that are no whole numbers, 49.08 rows in all
    light = dw.rows_needed(table.with_weights(shares), "smoke", "dysp", ["bronc"])
    whole = dw.rows_needed(
        table.with_weights(np.full(800, 1 / 16)), "smoke", "dysp", ["bronc"]
    )  # 50 rows
    assert light.mutual_information == pytest.approx(whole.mutual_information)
    assert light.strength == pytest.approx(whole.strength, rel=0.1, abs=1e-3)
    swapped = dw.rows_needed(table, "dysp", "smoke", ["bronc"])
    assert swapped.bic == pytest.approx(wanted.bic, rel=0.1)  # samples are drawn in another order


def test_words():
    shares = oracle.binary_pair(0.01, 0.5, 0.5)
    needed = dw.rows_needed(table_of(shares), "x", "y", strength=0.01)
    assert str(needed).splitlines() == [
        "An edge between 'x' and 'y' of strength 0.01 nats a row:",
        f"BIC wants it from {needed.bic:.0f} rows on",
        f"BDeu(1) wants it from {needed.bdeu:.0f} rows on",
        "That is where half of the data sets do; there are 1.09951e+12 rows.",
    ]
    given_ = dw.rows_needed(table_of(random_shares(1, (2, 2, 2))), "x", "y", ["z"])
    low, high = given_.strength_interval
    assert low < given_.strength < high
    assert given_.bic_interval[0] <= given_.bic <= given_.bic_interval[1]
    assert "given 'z'" in str(given_)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"x": "a"}, "x='a' is no variable"),
        ({"y": "x"}, "'x' is there twice"),
        ({"given": ["y"]}, "'y' is there twice"),
        ({"ess": 0}, "ess must be"),
        ({"strength": -1}, "strength must be"),
        ({"strength": 0.6}, "at most 0.21"),
        ({"rows": [1]}, "rows must be"),
        ({"rows": [math.nan]}, "rows must be whole numbers"),
        ({"rows": []}, "at least one"),
        ({"rows": 100}, "list of whole numbers"),
        ({"repeats": 0}, "repeats must be"),
    ],
)
def test_bad_settings_are_explained(settings, words):
    table = dw.Table({"x": [0, 0, 1, 1] * 9, "y": [0, 0, 1, 0] * 9, "z": [0, 1] * 18})
    with pytest.raises((dw.SpecError, dw.GraphError), match=words):
        dw.power_curve(table, **{"x": "x", "y": "y"} | settings)


def test_a_strength_without_a_pattern_is_refused():
    table = dw.Table({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]})
    with pytest.raises(dw.SpecError, match="at most 0 nats"):
        dw.rows_needed(table, "x", "y", strength=0.1)


def test_the_curve_draws_the_same_for_the_same_seed_and_rows():
    table = dw.networks.load("asia").sample(500, seed=3)
    wanted = dw.power_curve(table, "smoke", "lung", repeats=50, seed=4)
    again = dw.power_curve(table, "smoke", "lung", repeats=50, seed=4, rows=wanted.rows[3:4])
    assert again.bic[0] == wanted.bic[3]
    other = dw.power_curve(table, "smoke", "lung", repeats=50, seed=5)
    assert other.bic != wanted.bic
    assert json.loads(json.dumps(wanted.to_dict()))["rows"] == list(wanted.rows)
    assert wanted.bic[0] < 0.5 < wanted.bic[-1]


def test_pictures(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    table = dw.networks.load("asia").sample(2000, seed=1)
    needed = dw.rows_needed(table, "smoke", "lung")
    ax = dw.transition_plot(table, "smoke", "lung")
    zero, bic, bic_mark, bdeu, bdeu_mark = ax.get_lines()
    assert zero.get_ydata()[0] == 0
    for line, mark, rows in ((bic, bic_mark, needed.bic), (bdeu, bdeu_mark, needed.bdeu)):
        x, y = line.get_data()
        assert y[x < rows / 1.3].max() < 0 < y[x > rows * 1.3].min()
        assert mark.get_xdata()[0] == rows
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [f"BIC: {needed.bic:.0f} rows", f"BDeu(1): {needed.bdeu:.0f} rows"]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "rows"
    assert "nats" in ax.get_ylabel()
    assert "'smoke' and 'lung'" in ax.get_title()
    curve = dw.power_curve(table, "smoke", "lung", rows=[50, 100, 400], repeats=100)
    figure, axes = pyplot.subplots()
    assert curve.plot(axes) is axes
    first, second = (container.lines[0] for container in axes.containers)
    assert tuple(first.get_ydata()) == curve.bic
    assert tuple(second.get_ydata()) == curve.bdeu
    assert first.get_color() != second.get_color()
    assert first.get_marker() != second.get_marker()
    figure.savefig(tmp_path / "power.svg")
    assert b"<svg" in (tmp_path / "power.svg").read_bytes()[:500]
    independent = dw.transition_plot({"x": [0, 0, 1, 1] * 9, "y": [0, 1, 0, 1] * 9}, "x", "y")
    assert [text.get_text() for text in independent.get_legend().get_texts()] == [
        "BIC: never",
        "BDeu(1): never",
    ]
    pyplot.close("all")
