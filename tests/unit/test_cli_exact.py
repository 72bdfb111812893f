"""Exact searches and parent sets at the command line."""

import json

import pytest

import dagwright as dw
from child import command_line


@pytest.fixture
def asia(tmp_path):
    path = tmp_path / "asia.csv"
    dw.networks.load("asia").sample(400, seed=3).to_frame().to_csv(path, index=False)
    return path


@pytest.mark.parametrize("options", [["--exact"], ["--search", "hill-climb", "--prove"]])
def test_a_graph_is_proved_optimal(asia, options):
    code, out, err = command_line("learn", asia, *options)
    assert (code, err) == (0, "")
    assert "Proved optimal" in out
    code, out, _ = command_line("learn", asia, *options, "--format", "json")
    values = json.loads(out)
    assert values["bound"] == values["score"]
    assert values["reason"] == "optimal"


def test_more_variables_are_solved_by_integer_programming(tmp_path):
    path = tmp_path / "insurance.csv"
    dw.networks.load("insurance").sample(300, seed=3).to_frame().to_csv(path, index=False)
    code, out, _ = command_line("learn", path, "--exact")
    assert code == 0
    assert "exact-ilp: optimal" in out
    code, out, _ = command_line("learn", path, "--exact", "--time-limit", "0")
    assert code == 0
    assert "No graph scores more than" in out


def test_parent_sets_are_written_and_solved(asia, tmp_path):
    scores = tmp_path / "scores.jkl.gz"
    code, out, err = command_line("parentsets", asia, "-o", scores, "--score", "bdeu:ess=1")
    assert (code, err) == (0, "")
    assert "1,024 scored" in out
    graph = tmp_path / "graph.json"
    code, out, _ = command_line("learn", scores, "-o", graph)
    assert code == 0
    assert "Proved optimal" in out
    from_data = dw.learn(dw.read(asia), score=dw.BDeu(1), search=dw.ExactDP())
    result = dw.Result.load(graph)
    assert result.score == pytest.approx(from_data.score, abs=1e-8)
    assert result.optimal
    code, out, _ = command_line("learn", scores, "--format", "csv", "--search", "exact-dp")
    lines = [line.split(",") for line in out.splitlines()[1:]]
    assert {(start, end) for start, end, _ in lines} == set(result.dag.edges)
    scorer = dw.Scorer(dw.read(asia), dw.BDeu(1))
    for start, end, gain in lines:
        lost = scorer.gains(end, result.dag.parents(end), [start])[start]
        assert 0 < float(gain) <= -lost + 1e-8  # more parents may go with it


def test_what_was_not_found_is_null(asia):
    code, out, _ = command_line("parentsets", asia, "--format", "json", "--time-limit", "0")
    values = json.loads(out)
    assert code == 0
    assert not values["complete"]
    assert values["variables"][0]["best_score"] is None


@pytest.mark.parametrize("output_format", ["csv", "json", "table"])
def test_formats_of_parent_sets(asia, output_format):
    code, out, _ = command_line("parentsets", asia, "--format", output_format)
    assert code == 0
    sets = dw.parent_sets(dw.read(asia))
    if output_format == "json":
        values = json.loads(out)
        assert values["n_sets"] == sets.n_sets
        assert values["bound"] == pytest.approx(sets.bound)
        assert [line["n_sets"] for line in values["variables"]] == [
            len(sets[name]) for name in sets.names
        ]
    elif output_format == "csv":
        assert [line.split(",")[:2] for line in out.splitlines()[1:]] == [
            [name, str(len(sets[name]))] for name in sets.names
        ]
    else:
        assert f"{sets.n_sets} parent sets kept" in out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["learn", "{asia}", "--exact", "--prove"], 2, "leave out --search and --prove"),
        (["learn", "{asia}", "--exact", "--search", "tabu"], 2, "leave out --search"),
        (["learn", "{asia}", "--search", "all", "--prove"], 2, "for one search"),
        (["learn", "{broken}"], 1, "line 1: the number of variables must be a whole number"),
        (["learn", "{broken}", "--score", "bic"], 2, "leave out --score"),
        (["learn", "{broken}", "--weights", "w"], 2, "leave out --weights"),
        (["learn", "{broken}", "-o", "{asia}.bif"], 2, "no rows to fit them to"),
        (["parentsets", "{asia}", "-o", "{asia}.txt"], 2, "are written as .jkl"),
        (
            ["parentsets", "{asia}", "--time-limit", "0", "-o", "{asia}.jkl"],
            1,
            "not all parent sets",
        ),
    ],
)
def test_wrong_usage(asia, tmp_path, options, code, message):
    broken = tmp_path / "broken.jkl"
    broken.write_text("x", encoding="utf-8")
    ended, _, err = command_line(*(word.format(asia=asia, broken=broken) for word in options))
    assert ended == code
    assert message in err
