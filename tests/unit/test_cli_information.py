"""``dagwright info`` and ``dagwright test``: formats, options, exit codes."""

import csv
import io
import json
from pathlib import Path

import pytest

import dagwright as dw
from child import command_line
from dagwright.examples import asia

ASIA = Path(dw.__file__).parent / "examples" / "asia.csv"


def test_info_shows_entropies_and_the_strongest_pairs():
    code, out, err = command_line("info", ASIA, "--unit", "bits")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "8 variables, 5,000 rows: bits by the plug-in estimate"
    matrix = dw.mutual_information_matrix(asia(), unit="bits")
    entropies = sorted(matrix.entropies().items(), key=lambda item: -item[1])
    assert [line.split() for line in lines[3:11]] == [
        [name, "2", f"{value:.6f}"] for name, value in entropies
    ]
    assert [line.split() for line in lines[13:33]] == [
        [x, y, f"{value:.6f}"] for x, y, value in matrix.pairs()[:20]
    ]
    assert lines[33:] == ["8 more pairs: --format csv has all"]


def test_info_as_json_and_csv_has_all_with_every_setting():
    settings = ["--given", "smoke,lung", "--estimate", "dirichlet", "--ess", "3"]
    matrix = dw.mutual_information_matrix(
        asia(), given=["smoke", "lung"], estimate="dirichlet", ess=3
    )
    code, out, err = command_line("info", ASIA, *settings, "--format", "json")
    assert (code, err) == (0, "")
    values = json.loads(out)
    assert values == {"n_rows": 5000.0} | matrix.to_dict()
    assert len(values["pairs"]) == 15
    code, out, _ = command_line("info", ASIA, *settings, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["x"], row["y"], float(row["mutual_information"])) for row in rows] == (
        matrix.pairs()
    )
    assert all(float(row["entropy_x"]) == matrix[row["x"], row["x"]] for row in rows)
    assert all(float(row["entropy_y"]) == matrix[row["y"], row["y"]] for row in rows)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_info_draws_the_matrix(tmp_path, ending):
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"information.{ending}"
    code, out, err = command_line("info", ASIA, "-o", picture)
    assert (code, err) == (0, "")
    assert out.startswith("8 variables")
    start = picture.read_bytes()[:500]
    marks = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert marks[ending] in start


def test_test_prints_what_python_does():
    code, out, err = command_line(
        "test", ASIA, "tub", "xray", "--given", "bronc", "--given", "smoke, lung", "--ess", "5",
        "--permutations", "200", "--seed", "3",
    )  # fmt: skip
    assert (code, err) == (0, "")
    test = dw.independence(
        asia(), "tub", "xray", ["bronc", "smoke", "lung"], ess=5, permutations=200, seed=3
    )
    assert out == f"{test}\n"
    code, out, _ = command_line("test", ASIA, "asia", "smoke", "--format", "json")
    assert code == 0
    assert json.loads(out) == dw.independence(asia(), "asia", "smoke").to_dict()


def test_test_as_csv():
    arguments = ["test", ASIA, "smoke", "lung", "--given", "bronc,dysp", "--format", "csv"]
    code, out, _ = command_line(*arguments)
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(out))
    test = dw.independence(asia(), "smoke", "lung", ["bronc", "dysp"])
    assert row["given"] == "bronc,dysp"
    assert float(row["g2"]) == test.g2
    assert row["permutation_p_value"] == ""
    assert row["verdict_BIC"] == test.verdicts["BIC"]


def test_only_the_variables_that_are_named_are_read(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [
        'id,x,y,"a,b",bad',
        *(f"{i},{i % 2},{i % 3},{i % 5},{'' if i else 1}" for i in range(30)),
    ]
    path.write_text("\n".join(lines))
    code, _, err = command_line("test", path, "x", "y", "--given", '"a,b"')
    assert (code, err) == (0, "")
    code, _, err = command_line("test", path, "x", "y", "--given", "bad")
    assert code == 1
    assert "bad" in err
    assert "--missing drop" in err


def test_tables_come_from_stdin_too(tmp_path):
    import subprocess
    import sys

    code = "from dagwright.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "test", "-", "smoke", "lung"],
        input=ASIA.read_text(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{dw.independence(asia(), 'smoke', 'lung')}\n"


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["info", ASIA, "--given", "smok"], 2, ["--given 'smok'", "did you mean 'smoke'"]),
        (["info", ASIA, "--ess", "2"], 2, ["--ess 2.0 is for --estimate dirichlet, not for plug"]),
        (["info", ASIA, "--estimate", "dirichlet", "--ess", "0"], 2, ["--ess must be"]),
        (["info", ASIA, "--estimate", "ml"], 2, ["'ml'", "miller-madow"]),
        (["info", ASIA, "--unit", "hartleys"], 2, ["'hartleys'", "bits"]),
        (["info", ASIA, "-o", "a.bif"], 2, ["a.bif", ".svg, .png, .pdf"]),
        (["info", ASIA, "-o", "no/a.svg"], 1, ["no/a.svg", "no directory"]),
        (["info", "no.csv"], 1, ["no.csv", "no such file"]),
        (["test", ASIA, "smoke", "lungs"], 1, ["no variable 'lungs'", "did you mean 'lung'"]),
        (["test", ASIA, "smoke", "lung", "--given", "brnc"], 1, ["'brnc'", "mean 'bronc'"]),
        (["test", ASIA, "smoke", "smoke"], 2, ["different variables", "'smoke'"]),
        (["test", ASIA, "smoke", "lung", "--permutations", "-1"], 2, ["--permutations must be"]),
        (["test", ASIA, "smoke", "lung", "--ess", "nan"], 2, ["--ess must be"]),
        (["test", ASIA, "smoke"], 2, ["Missing argument 'Y'"]),
        (["test", "weighted.csv", "x", "y", "--weights", "w", "--permutations", "9"], 1,
         ["fractions", "take no --permutations, or round the weights"]),
    ],
)  # fmt: skip
def test_errors(tmp_path, monkeypatch, args, code, words):
    monkeypatch.chdir(tmp_path)
    Path("weighted.csv").write_text("x,y,w\n0,0,0.5\n0,1,1\n1,0,1\n1,1,2.25\n")
    found, out, err = command_line(*args)
    assert (found, out) == (code, "")
    for word in words:
        assert word in err
