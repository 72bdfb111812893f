"""Families of forty and of three hundred parents: far more configurations than 64 bits number."""

import numpy as np
import pytest

import dagwright as dw
from child import in_child


def sum_of_logs(codes):
    counts = np.unique(codes, axis=1, return_counts=True)[1]
    return float((counts * np.log(counts)).sum())


def rows_in_groups(n_variables, n_states, n_rows=3000, n_groups=200, seed=1):
    """Rows of which many are alike, so that configurations have more than one."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(n_states, size=(n_groups, n_variables))
    codes = groups[rng.integers(n_groups, size=n_rows)]
    codes[:, 0] = rng.integers(n_states, size=n_rows)
    return dw.Table.from_codes(codes, states=[range(n_states)] * n_variables)


# 2^40, 3^40 and 300^40 configurations; 300 parents of two, four, nine and (too many) eleven states.
SHAPES = [(41, 2), (41, 3), (41, 300), (301, 2), (301, 4), (301, 9), (301, 11)]


@pytest.mark.parametrize(("n_variables", "n_states"), SHAPES)
def test_scores_are_what_the_rows_say(n_variables, n_states):
    table = rows_in_groups(n_variables, n_states)
    child, *parents = table.names
    scorer = dw.Scorer(table, dw.LogLikelihood())
    if n_states ** len(parents) > 10**300:
        with pytest.raises(dw.DataError, match="more than 1e300 configurations"):
            scorer.local(child, parents)
        return
    codes = np.stack(table.codes)
    expected = sum_of_logs(codes) - sum_of_logs(codes[1:])
    assert scorer.local(child, parents) == pytest.approx(expected, abs=1e-8)
    counts = scorer.counts(child, parents)
    assert counts.n_configs == pytest.approx(float(n_states) ** len(parents))
    assert len(counts.configs) == np.unique(codes[1:], axis=1).shape[1]
    assert counts.config_totals.sum() == len(table)
    chunks = dw.Chunks([table.take(rows) for rows in np.array_split(np.arange(len(table)), 5)])
    assert dw.Scorer(chunks, dw.LogLikelihood()).local(child, parents) == scorer.local(
        child, parents
    )


@pytest.mark.parametrize("score", [dw.BIC(), dw.K2(), dw.BDeu()], ids=str)
@pytest.mark.parametrize("n_parents", [40, 300])
def test_gains_and_learning_from_a_full_start(score, n_parents):
    table = rows_in_groups(n_parents + 1, 2, n_rows=300)
    child, *parents = table.names
    scorer = dw.Scorer(table, score)
    gains = scorer.gains(child, parents)
    assert len(gains) == n_parents
    without = scorer.local(child, parents[1:])
    assert gains[parents[0]] == pytest.approx(without - scorer.local(child, parents), rel=1e-9)
    start = dw.Dag([(parent, child) for parent in parents], nodes=table.names)
    climb = dw.HillClimb(start=start, max_steps=3)
    assert dw.learn(scorer, search=climb).score >= scorer.score(start)
    stopped = dw.learn(scorer, search=climb, time_limit=0)
    assert stopped.reason == "time limit"


LARGE = """
rng = np.random.default_rng(0)
n, p = int(sys.argv[1]), int(sys.argv[2])
codes = [rng.integers(0, 4, n, dtype=np.uint8) for _ in range(p + 1)]
table = dw.Table.from_codes(codes, states=[range(4)] * (p + 1))
codes = None
scorer = dw.Scorer(table)
before = begin()
begun = time.monotonic()
scorer.local("x1", table.names[1:])
whole = time.monotonic() - begun
growth = grown(before) * 2**20 / (n * (p + 1))
def work():
    while True:
        dw.Scorer(table).local("x1", table.names[1:])
print([growth, ctrl_c(0.3 * whole, work)])
"""


@pytest.mark.memory
@pytest.mark.parametrize(
    ("n_rows", "n_parents"),
    [
        (200_000, 40),
        (100_000, 300),
        pytest.param(5_000_000, 40, marks=pytest.mark.slow),
        pytest.param(1_000_000, 300, marks=pytest.mark.slow),
    ],
)
def test_memory_and_ctrl_c(n_rows, n_parents):
    """All configurations differ. Their states alone, two bytes each, are twice the codes."""
    growth, seconds = in_child(LARGE, n_rows, n_parents)
    assert growth < 3.5
    assert seconds < 1
