"""Variables with tens of thousands of states."""

import numpy as np
import pytest

import dagwright as dw
from child import command_line, in_child

R = 60_000


@pytest.fixture(scope="module")
def table():
    """A variable whose states all occur once, one of which half occur twice, one of two states."""
    rng = np.random.default_rng(0)
    return dw.Table.from_codes(
        [rng.permutation(R), rng.permutation(R) // 2, np.arange(R) % 2],
        names=["all", "half", "two"],
        states=[range(R), range(R), range(2)],
    )


SCORES = [dw.LogLikelihood(), dw.BIC(), dw.K2(), dw.BDeu()]


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_as_child_as_parent_and_as_both(table, score):
    scorer = dw.Scorer(table, score)
    for child, parents in [
        ("all", []),
        ("all", ["two"]),
        ("two", ["all"]),
        ("all", ["half"]),
        ("half", ["all", "two"]),
    ]:
        assert np.isfinite(scorer.local(child, parents))
    assert set(scorer.gains("all", ["half"])) == {"half", "two"}


def test_what_they_score(table):
    scorer = dw.Scorer(table, dw.LogLikelihood())
    assert scorer.local("all") == pytest.approx(-R * np.log(R))
    assert scorer.local("half") == pytest.approx(-R * np.log(R / 2))
    assert scorer.local("two", ["all"]) == pytest.approx(0, abs=1e-6)
    assert scorer.local("all", ["half"]) == pytest.approx(-R * np.log(2))
    # Every configuration has one row, which each of the R states explains as well.
    assert scorer.with_score(dw.K2()).local("half", ["all"]) == pytest.approx(-R * np.log(R))


def test_learning(table):
    assert dw.learn(table).dag.edges == ()  # 60,000 parameters are dear
    likely = dw.learn(table, score=dw.LogLikelihood())
    assert likely.score == pytest.approx(-R * np.log(R))  # `all` tells the others
    assert dw.learn(table, time_limit=0).reason == "time limit"
    assert dw.learn(table.select(["all"])).dag.nodes == ("all",)


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("states") / "many.csv"
    lines = [f"name {i},{'ny'[i % 2]}" for i in range(R)]
    path.write_text("\n".join(["name,odd", *lines]) + "\n")
    return path


def test_a_file_of_distinct_strings(csv):
    with pytest.raises(dw.DataError, match="'name' has 60000 states, beyond max_states=256"):
        dw.read(csv)
    table = dw.read(csv, max_states=R)
    assert table.n_states == {"name": R, "odd": 2}
    assert table.codes[0].dtype == np.uint16
    code, _, err = command_line("learn", csv)
    assert code == 1
    assert "pass --max-states 60000" in err
    assert command_line("learn", csv, "--max-states", R, "--time-limit", 0)[0] == 0


def test_more_states_than_sixteen_bits_number_are_refused():
    most = 65_536
    full = dw.Table.from_codes([np.arange(most)])
    assert full.n_states == {"x1": most}
    counts = dw.Scorer(full).counts("x1")
    assert counts.cell_states.tolist() == list(range(most))
    with pytest.raises(dw.DataError, match="code 65536 in row 65536.*0 to 65535"):
        dw.Table.from_codes([np.arange(most + 1)])
    texts = [str(i) for i in range(most + 1)]
    assert dw.Table({"a": texts[:-1]}, max_states=most).n_states == {"a": most}
    with pytest.raises(dw.DataError, match="'a' has more than 65536 states"):
        dw.Table({"a": texts}, max_states=most)
    with pytest.raises(dw.SpecError, match="max_states must be .* to 65536"):
        dw.Table({"a": texts}, max_states=most + 1)
    with pytest.raises(dw.DataError, match="declares more than 65536 states"):
        dw.Table({"a": texts[:2]}, states={"a": texts})


WIDE = """
rng = np.random.default_rng(0)
n, r = 2_000_000, 60_000
table = dw.Table.from_codes(
    [rng.integers(0, r, n, dtype=np.uint16) for _ in range(3)], states=[range(r)] * 3
)
before = begin()
scorer = dw.Scorer(table)
assert scorer.local("x1", ["x2", "x3"]) < 0
assert dw.learn(scorer, threads=2).dag.edges == ()
growth = grown(before)
def work():
    while True:
        dw.Scorer(table).gains("x1", ["x2"])
print([growth, ctrl_c(0.5, work)])
"""


@pytest.mark.memory
def test_memory_and_ctrl_c():
    """A table of the pairs alone would have 3.6e9 cells."""
    growth, seconds = in_child(WIDE)
    assert growth < 250  # MiB; the rows take 12
    assert seconds < 0.7
