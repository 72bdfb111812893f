"""``dagwright cv``: formats, options, exit codes."""

import csv
import io
import json
from pathlib import Path

import pytest

import dagwright as dw
from child import command_line
from dagwright.examples import asia

ASIA = Path(dw.__file__).parent / "examples" / "asia.csv"
TWO = ["--score", "bic", "--score", "bdeu:ess=10"]


@pytest.fixture(scope="module")
def wanted():
    return dw.cross_validate(asia(), score=[dw.BIC(), dw.BDeu(10)])


def test_a_table_with_the_best_first(wanted):
    code, out, err = command_line("cv", ASIA, *TWO)
    assert (code, err) == (0, "")
    head, _, header, first, second, _, verdict = out.splitlines()
    assert head.startswith("5,000 rows, 10 folds: held-out log-likelihood in nats a row, ")
    assert header.split() == [
        "candidate", "mean", "error", "difference", "difference", "error", "edges"
    ]  # fmt: skip
    ordered = sorted(wanted.candidates, key=lambda own: -own.mean)
    for line, own in zip((first, second), ordered, strict=True):
        label, mean, error, difference, *_ = line.split()
        assert label == own.label
        assert (mean, error, difference) == (
            f"{own.mean:.4f}", f"{own.error:.4f}", f"{own.difference:z.4f}"
        )  # fmt: skip
    assert verdict == wanted.verdict


def test_csv(wanted):
    code, out, err = command_line("cv", ASIA, *TWO, "--format", "csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["candidate"]: float(row["mean"]) for row in rows} == {
        own.label: own.mean for own in wanted.candidates
    }
    assert list(rows[0])[-2:] == ["difference_error", "edges"]


def test_json_and_every_setting_reaches_the_run(tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('forbidden = [["dysp", "bronc"]]')
    options = [
        "--search",
        "tabu:tenure=4",
        "--search",
        "chow-liu",
        "--structure-prior",
        "edges:0.5",
    ]
    options += ["--parameters", "bdeu:ess=2", "--folds", "4", "--seed", "3", "--threads", "2"]
    options += ["--constraints", rules, "--time-limit", "100", "--leave-out", "asia"]
    code, out, err = command_line("cv", ASIA, *TWO, *options, "--format", "json")
    assert (code, err) == (0, "")
    values = json.loads(out)
    found = dw.cross_validate(
        asia().select([name for name in asia().names if name != "asia"]),
        score=[dw.BIC(), dw.BDeu(10)],
        search=[dw.Tabu(tenure=4), dw.ChowLiu()],
        structure_prior=dw.EdgePenalty(0.5),
        parameters=dw.BDeu(2),
        constraints=dw.Constraints(forbidden=[("dysp", "bronc")]),
        folds=4,
        seed=3,
        threads=2,
        time_limit=100,
    ).to_dict()
    timed = {"seconds": 0}
    assert values["info"] | timed == found["info"] | timed
    assert values | {"info": 0} == found | {"info": 0}


def test_weights_and_the_score_of_a_search(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,w\n" + "x,x,3\ny,y,2\n" * 5)
    code, out, _ = command_line("cv", path, "--weights", "w", "--folds", "2")
    assert code == 0
    assert out.startswith("10 rows of weight 25, 2 folds: ")
    search = "k2-search:order=[asia,smoke,tub,lung,bronc,either,xray,dysp]"
    _, out, _ = command_line("cv", ASIA, "--search", search, "--folds", "2", "--format", "json")
    assert json.loads(out)["candidates"][0]["score"] == {"name": "k2"}


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ([ASIA, "--folds", "1"], 2, ["--folds must be a whole number, 2 or more"]),
        ([ASIA, "--folds", "5001"], 1, ["5001 folds", "take fewer --folds"]),
        ([ASIA, "--score", "bicc"], 2, ["unknown score 'bicc'", "did you mean 'bic'"]),
        ([ASIA, "--score", "bic", "--score", "bic"], 2, ["bic is given twice"]),
        ([ASIA, "--parameters", "ml"], 2, ["--parameters ml finds rows impossible"]),
        ([ASIA, "--search", "ges", "--score", "k2"], 2, ["not score-equivalent"]),
        ([ASIA, "--time-limit", "0"], 1, ["before the first fold", "more --time-limit"]),
        (["none.csv"], 1, ["none.csv"]),
    ],
)
def test_errors_are_messages(args, code, words):
    found, out, err = command_line("cv", *args)
    assert (found, out) == (code, "")
    for word in words:
        assert word in err


def test_it_is_listed():
    code, out, _ = command_line("--help")
    assert code == 0
    assert "cv " in out
