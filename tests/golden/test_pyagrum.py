"""Local scores against pyAgrum, which shares no code with us.

What has to be known to compare (pyAgrum 2 and 3):

- Its scores are in bits: times ln 2 they are ours.
- Its AIC takes the number of parameters off a log-likelihood in bits, so that a parameter costs
  ln 2 nats and not 1; ours is its log-likelihood less the number of parameters.
- The default is no prior. With ``useBDeuPrior(w)`` its BDeu, whose own ess is 1, has the ess 1 + w.
- Its log gamma looks up x < 50 in a table with steps of 0.01, rounding x to it; beyond 50 it is a
  short Stirling series. So numbers agree to 1e-4 nats, and only where every alpha is a multiple of
  0.01; the ess here are chosen so. Elsewhere it is off by tenths: see the last test.
"""

import gzip
from math import lgamma, log
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dagwright as dw
from dagwright.examples import asia, asia_dag

gum = pytest.importorskip("pyagrum")

ALARM = Path(__file__).parents[1] / "data" / "alarm_1000.csv.gz"
ALARM_ESS = 5184  # over any product of four numbers of states, 2 to 4, a multiple of 0.01
LOG_GAMMA_ERROR = 1e-4


def learner(table, score, ess=None):
    """Return pyAgrum's learner on the same rows with the same declared states."""
    net = gum.BayesNet()
    for name in table.names:
        net.add(gum.LabelizedVariable(name, "", [str(state) for state in table.states[name]]))
    frame = table.to_frame().astype(str)
    made = gum.BNLearner(frame, net)
    getattr(made, f"useScore{score}")()
    if ess is not None:
        made.useBDeuPrior(ess - 1.0)
    if table.weights is not None:
        for row, weight in enumerate(table.weights):
            made.setRecordWeight(row, float(weight))
    return made


def n_parameters(table, child, parents):
    q = int(np.prod([table.n_states[parent] for parent in parents]))
    return q * (table.n_states[child] - 1)


def theirs(table, score, families, ess=None):
    """pyAgrum's local scores, in nats."""
    if score == "AIC":
        made = learner(table, "Log2Likelihood")
        return [
            made.score(child, parents) * log(2) - n_parameters(table, child, parents)
            for child, parents in families
        ]
    made = learner(table, score, ess)
    return [made.score(child, parents) * log(2) for child, parents in families]


def check(table, families, ess):
    for score, spec in [
        ("Log2Likelihood", dw.LogLikelihood()),
        ("AIC", dw.AIC()),
        ("BIC", dw.BIC()),
    ]:
        ours = dw.Scorer(table, spec).batch(families)
        assert ours == pytest.approx(theirs(table, score, families), rel=1e-9, abs=1e-9)
    ours = dw.Scorer(table, dw.K2()).batch(families)
    assert ours == pytest.approx(theirs(table, "K2", families), abs=LOG_GAMMA_ERROR)
    ours = dw.Scorer(table, dw.BDeu(ess)).batch(families)
    assert ours == pytest.approx(theirs(table, "BDeu", families, ess), abs=LOG_GAMMA_ERROR)


def some_families(table, n, max_parents, seed=0):
    rng = np.random.default_rng(seed)
    families = []
    for _ in range(n):
        child, *parents = rng.permutation(table.names)[: rng.integers(1, max_parents + 2)]
        families.append((str(child), [str(parent) for parent in parents]))
    return families


def alarm():
    with gzip.open(ALARM) as file:
        return dw.Table(pd.read_csv(file, dtype=str))


def test_asia():
    table, dag = asia(), asia_dag()
    families = [(node, list(dag.parents(node))) for node in dag.nodes]
    check(table, families + some_families(table, 30, 4), ess=16)


def test_alarm():
    table = alarm()
    assert (len(table), len(table.names)) == (1000, 37)
    check(table, some_families(table, 60, 3), ess=ALARM_ESS)


def test_unseen_configurations_and_states():
    """Eight rows of four variables with up to four declared states: most cells are empty."""
    rng = np.random.default_rng(3)
    states = {"a": ["x", "y"], "b": ["x", "y", "z"], "c": ["x", "y", "z", "w"], "d": ["x", "y"]}
    frame = {name: rng.choice(values[:2], 8) for name, values in states.items()}
    table = dw.Table(frame, states=states)
    every = [
        (child, [name for i, name in enumerate(states) if mask >> i & 1])
        for j, child in enumerate(states)
        for mask in range(16)
        if not mask >> j & 1
    ]
    assert len(every) == 32
    check(table, every, ess=48)


def test_row_weights():
    rng = np.random.default_rng(5)
    table = asia().head(200).with_weights(rng.integers(0, 4, 200))
    check(table, some_families(table, 30, 3), ess=16)


def test_where_pyagrum_differs_its_log_gamma_is_coarse():
    """One row, two binary parents, ess 1: the marginal likelihood is exactly 1/2."""
    table = dw.Table(
        {"child": ["n"], "p": ["n"], "q": ["n"]},
        states={name: ["n", "y"] for name in ("child", "p", "q")},
    )
    family = ("child", ["p", "q"])
    assert dw.Scorer(table, dw.BDeu(1)).local(*family) == pytest.approx(log(1 / 2), abs=1e-12)

    def on_grid(x):
        return lgamma(int(x * 100 + 0.5) / 100)  # alpha = 1/8 is read at 0.13, 9/8 at 1.13

    coarse = on_grid(1 / 4) - on_grid(5 / 4) + on_grid(9 / 8) - on_grid(1 / 8)
    (number,) = theirs(table, "BDeu", [family])
    assert number == pytest.approx(coarse, abs=1e-4)
