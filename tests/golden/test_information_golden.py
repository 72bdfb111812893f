"""Information, independence and conjugate posteriors against scipy and pyAgrum."""

from math import log

import numpy as np
import pytest
from scipy import stats

import dagwright as dw
from dagwright.examples import asia


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def some_pair(rng, n_rows=500, shape=(3, 4)):
    x = rng.integers(0, shape[0], n_rows)
    y = np.where(rng.random(n_rows) < 0.3, x, rng.integers(0, shape[1], n_rows))
    return dw.Table.from_codes([x, y], names=["x", "y"], states=[range(r) for r in shape])


def test_entropy_and_divergence_by_scipy(rng):
    p, q = rng.dirichlet(np.ones(7), size=2)
    assert dw.entropy(p) == pytest.approx(stats.entropy(p), rel=1e-12)
    assert dw.entropy(p, unit="bits") == pytest.approx(stats.entropy(p, base=2), rel=1e-12)
    assert dw.kl_divergence(p, q) == pytest.approx(stats.entropy(p, q), rel=1e-12)
    assert dw.kl_divergence([0.5, 0.5, 0], [0.5, 0, 0.5]) == stats.entropy(
        [0.5, 0.5, 0], [0.5, 0, 0.5]
    )


@pytest.mark.parametrize("statistic", ["g2", "x2"])
def test_chi_squares_by_scipy(rng, statistic):
    table = some_pair(rng)
    counts = dw.Scorer(table).counts("y", ["x"]).table()
    kind = {"g2": "log-likelihood", "x2": "pearson"}[statistic]
    theirs = stats.chi2_contingency(counts, correction=False, lambda_=kind)
    ours = dw.independence(table, "x", "y")
    assert getattr(ours, statistic) == pytest.approx(theirs.statistic, rel=1e-12)
    p_value = ours.p_value if statistic == "g2" else ours.x2_p_value
    assert p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    assert ours.testable_degrees_of_freedom == ours.degrees_of_freedom == theirs.dof


def test_the_permutation_p_value_is_fishers_for_two_by_two_tables():
    """Fisher orders tables by probability and we by G2: the same order with equal margins."""
    counts = [[9, 4], [4, 9]]
    table = dw.Table(
        {"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, weights=np.ravel(counts), states={"x": [0, 1]}
    )
    fisher = stats.fisher_exact(counts).pvalue
    found = dw.independence(table, "x", "y", permutations=40_000).permutation_p_value
    assert found == pytest.approx(fisher, abs=5 * (fisher / 40_000) ** 0.5)


def test_predictions_by_scipy():
    beta = dw.BetaPosterior(2.5, 0.7)
    assert beta.predictive(12) == pytest.approx(stats.betabinom(12, 2.5, 0.7).pmf(range(13)))
    assert beta.interval(0.9) == pytest.approx(stats.beta(2.5, 0.7).interval(0.9))
    assert beta.variance == pytest.approx(stats.beta(2.5, 0.7).var())
    alpha = [0.5, 2.0, 3.5]
    theirs = stats.dirichlet_multinomial(alpha, 9)
    assert dw.DirichletPosterior(alpha).predictive([2, 4, 3]) == pytest.approx(
        theirs.pmf([2, 4, 3])
    )
    assert dw.binomial_log_likelihood(0.3, 4, 9) == pytest.approx(stats.binom(13, 0.3).logpmf(4))
    assert dw.DirichletPosterior(alpha).variance == pytest.approx(stats.dirichlet(alpha).var())


def learner(table):
    """Return pyAgrum's learner on the same rows with the same declared states."""
    gum = pytest.importorskip("pyagrum")
    net = gum.BayesNet()
    for name in table.names:
        net.add(gum.LabelizedVariable(name, "", [str(state) for state in table.states[name]]))
    return gum.BNLearner(table.to_frame().astype(str), net)


QUESTIONS = [
    ("smoke", "lung", []),
    ("smoke", "dysp", ["bronc"]),
    ("asia", "xray", []),
    ("lung", "bronc", ["smoke", "dysp"]),
]


@pytest.mark.parametrize(("x", "y", "z"), QUESTIONS)
def test_independence_by_pyagrum(x, y, z):
    """Its degrees of freedom are the declared ones, as ours where no stratum is empty."""
    table = asia()
    theirs = learner(table)
    ours = dw.independence(table, x, y, z)
    assert ours.testable_degrees_of_freedom == ours.degrees_of_freedom
    g2, g2_p_value = theirs.G2(x, y, z)
    x2, x2_p_value = theirs.chi2(x, y, z)
    assert ours.g2 == pytest.approx(g2, rel=1e-9)
    assert ours.x2 == pytest.approx(x2, rel=1e-9)
    assert ours.p_value == pytest.approx(g2_p_value, rel=1e-6, abs=1e-12)
    assert ours.x2_p_value == pytest.approx(x2_p_value, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("x", "y", "z"), QUESTIONS)
def test_information_of_rows_by_pyagrum(x, y, z):
    theirs = learner(asia())
    theirs.useNoPrior()
    found = dw.mutual_information(asia(), x, y, given=z, unit="bits")
    assert found == pytest.approx(theirs.mutualInformation(x, y, z), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("x", "y", "z"), QUESTIONS)
def test_information_of_models_by_pyagrum(x, y, z):
    gum = pytest.importorskip("pyagrum")
    model = dw.networks.load("asia")
    engine = gum.LazyPropagation(model.to_pyagrum())
    theirs = gum.InformationTheory(engine, [x], [y], z)
    for ours, their in [
        (dw.entropy(model, x, unit="bits"), theirs.entropyX()),
        (dw.entropy(model, [x, y], unit="bits"), theirs.entropyXY()),
        (dw.conditional_entropy(model, x, y, unit="bits"), theirs.entropyXgivenY()),
        (dw.mutual_information(model, x, y, unit="bits"), theirs.mutualInformationXY()),
    ]:
        assert ours == pytest.approx(their, rel=1e-9, abs=1e-12)
    if z:
        found = dw.mutual_information(model, x, y, given=z, unit="bits")
        assert found == pytest.approx(theirs.mutualInformationXYgivenZ(), rel=1e-9, abs=1e-12)


def test_divergence_of_models_by_pyagrum():
    gum = pytest.importorskip("pyagrum")
    first = dw.networks.load("asia")
    second = first.smoothed(0.1)
    nets = first.to_pyagrum(), second.to_pyagrum()  # which its distance does not keep alive
    theirs = gum.ExactBNdistance(*nets).compute()
    assert dw.kl_divergence(first, second) == pytest.approx(theirs["klPQ"] * log(2), rel=1e-9)
