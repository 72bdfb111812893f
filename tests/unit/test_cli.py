"""The command line: commands, formats, exit codes, and what goes to stdout and stderr."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dagwright as dw
from dagwright.cli.main import _COMMANDS
from dagwright.examples import asia, asia_dag
from dagwright.search import searches
from dagwright.specs import Registry

ASIA = str(Path(dw.__file__).parent / "examples" / "asia.csv")


@pytest.fixture
def run(capfd, monkeypatch, tmp_path):
    """Run the command line in a folder of its own; returns exit code, stdout, stderr."""
    from dagwright.cli.main import main

    monkeypatch.chdir(tmp_path)

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["dagwright", *map(str, args)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


@pytest.fixture
def graph(run):
    assert run("learn", ASIA, "-o", "asia.json")[0] == 0
    return "asia.json"


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("command", [[], *([name] for name in _COMMANDS)])
def test_help(run, command):
    for flag in ("-h", "--help"):
        code, out, err = run(*command, flag)
        assert (code, err) == (0, "")
        assert out.startswith("Usage: dagwright")
        assert max(map(len, out.splitlines())) <= 80


def test_version(run):
    from importlib.metadata import version

    assert run("--version") == (0, f"dagwright, version {version('dagwright')}\n", "")


def test_completion(run, monkeypatch):
    monkeypatch.setenv("_DAGWRIGHT_COMPLETE", "bash_complete")
    for typed, place, offered in [
        ("dagwright ", 1, list(_COMMANDS)),
        ("dagwright le", 1, ["learn"]),
        ("dagwright --v", 1, ["--version"]),
        ("dagwright learn --fo", 2, ["--format"]),
        ("dagwright no-command --v", 2, ["--version"]),
    ]:
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(place))
        assert run() == (0, "".join(f"plain,{word}\n" for word in offered), "")


def test_demo(run):
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert "8 variables, 5,000 rows" in out
    assert "tub    -> either" in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_learn_table(run):
    code, out, err = run("learn", ASIA)
    assert (code, err) == (0, "")
    first, second, third, blank, *table = out.splitlines()
    expected = dw.learn(asia())
    assert first == (
        f"8 variables, 5,000 rows: {len(expected.dag.edges)} edges, bic {expected.score:,.3f}"
    )
    assert second.startswith("auto (hill-climb, ges, exact-dp): optimal after ")
    assert third == "Proved optimal: no graph within the constraints scores higher"
    assert blank == ""
    assert len({len(line) for line in table}) == 1  # aligned to the right
    assert {tuple(line.split()[:2]) for line in table[1:]} == set(expected.dag.edges)


def test_learn_says_what_was_left_out(run):
    rows = np.random.default_rng(0).integers(2, size=(60, 80))
    np.savetxt(
        "wide.csv", rows, "%d", ",", header=",".join(f"x{i}" for i in range(80)), comments=""
    )
    code, out, err = run("learn", "wide.csv")
    assert (code, err) == (0, "")
    assert "order-search did not consider" in out
    assert "did not consider" not in run("learn", "wide.csv", "--search", "ges")[1]
    assert "did not consider" not in run("learn", ASIA)[1]


def test_all_searches_side_by_side(run, tmp_path):
    out_file = tmp_path / "best.json"
    code, out, err = run(
        *(
            "learn",
            ASIA,
            "--search",
            "all",
            "--time-limit",
            "20",
            "-o",
            out_file,
            "--format",
            "json",
        )
    )
    assert code == 0
    values = json.loads(out)
    lines = values["searches"]
    ran = {line["search"] for line in lines}
    assert ran == {kind.name for kind in searches} - {"tree-augmented-naive-bayes", "exhaustive"}
    assert "at most 6 variables, not 8" in err
    assert "tree-augmented-naive-bayes needs settings" in err
    scores = [line["score"] for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == values["best"]["score"] == dw.Result.load(out_file).score
    assert lines[0]["shd_to_best"] == 0
    climbed = next(line for line in lines if line["search"] == "hill-climb")
    assert climbed["score"] == pytest.approx(dw.learn(asia(), search=dw.HillClimb()).score)
    code, out, err = run("learn", ASIA, "--search", "all", "--score", "k2", "--time-limit", "20")
    assert code == 0
    assert out.splitlines()[0].split()[:3] == ["search", "score", "seconds"]
    assert "is not score-equivalent" in err


def test_searches_are_listed_with_their_settings(run):
    code, out, err = run("searches")
    assert (code, err) == (0, "")
    assert "--search tabu:tenure=None,patience=100" in out
    values = json.loads(run("searches", "--format", "json")[1])
    assert set(values) == {kind.name for kind in searches}
    assert values["hill-climb"]["settings"]["step"] == "best"
    assert len(rows_of(run("searches", "--format", "csv")[1])) == len(values) + 1


def test_learn_csv(run):
    code, out, err = run("learn", ASIA, "--format", "csv")
    assert (code, err) == (0, "")
    header, *rows = rows_of(out)
    assert header == ["from", "to", "gain"]
    dag = dw.learn(asia()).dag
    assert {(start, end) for start, end, _ in rows} == set(dag.edges)
    without = dag.remove(*rows[0][:2])
    loss = dw.score(dag, asia()) - dw.score(without, asia())
    assert float(rows[0][2]) == pytest.approx(loss)
    gains = [float(gain) for *_, gain in rows]
    assert gains == sorted(gains, reverse=True)


def test_learn_json(run):
    code, out, err = run("learn", ASIA, "--format", "json")
    assert (code, err) == (0, "")
    assert dw.Result.from_dict(json.loads(out)).dag == dw.learn(asia()).dag


def test_tree(run):
    code, out, err = run("tree", ASIA)
    assert (code, err) == (0, "")
    expected = dw.learn(asia(), search=dw.ChowLiu())
    first, second, _, header, *rows = out.splitlines()
    assert first == f"8 variables, 5,000 rows: 7 edges, bic {expected.score:,.3f}"
    assert second.startswith("chow-liu: done after 28 families")
    assert header.split() == ["from", "to", "gain", "(nats)", "information", "(nats)"]
    assert {tuple(row.split()[:2]) for row in rows} == set(expected.dag.edges)


def test_tree_csv_has_the_information_of_each_edge(run):
    information = dw.mutual_information_matrix(asia())
    given = dw.mutual_information_matrix(asia(), given="lung")
    for options in [], ["--forest", "--root", "lung"], ["--target", "lung"]:
        code, out, err = run("tree", ASIA, *options, "--format", "csv")
        assert (code, err) == (0, "")
        header, *rows = rows_of(out)
        assert header == ["from", "to", "gain", "information"]
        for start, end, _, nats in rows:
            weights = given if "--target" in options and start != "lung" else information
            assert float(nats) == pytest.approx(weights[start, end], abs=1e-12)


def test_every_setting_of_a_tree_reaches_the_run(run):
    Path("rules.toml").write_text('forbidden = [["either", "tub"]]\n')
    code, out, err = run(
        *("tree", ASIA, "--root", "lung", "--forest", "--score", "bdeu:ess=7"),
        *("--structure-prior", "edges:0.5", "--constraints", "rules.toml", "--threads", 1),
        *("--time-limit", 60, "--format", "json", "-o", "tree.dot"),
    )
    assert (code, err) == (0, "")
    result = dw.Result.from_dict(json.loads(out))
    info = result.info
    assert info.search == {"name": "chow-liu", "root": "lung", "forest": True}
    assert info.score == {"name": "bdeu", "ess": 7}
    assert info.structure_prior["name"] == "edges"
    assert info.constraints == {"forbidden": [["either", "tub"]]}
    assert (info.threads, info.time_limit) == (1, 60)
    assert Path("tree.dot").read_text() == result.dag.to_dot() + "\n"
    code, out, err = run("tree", ASIA, "--target", "lung", "--format", "json")
    assert json.loads(out)["info"]["search"] == {
        "name": "tree-augmented-naive-bayes",
        "target": "lung",
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--target", "lung", "--forest"], "leave out --root and --forest"),
        (["--target", "lung", "--root", "tub"], "leave out --root and --forest"),
        (["--root", "lnug"], "root='lnug' is no variable of the data; did you mean 'lung'?"),
        (["--target", "lnug"], "target='lnug' is no variable of the data; did you mean 'lung'?"),
    ],
)
def test_wrong_options_of_a_tree(run, options, words):
    code, out, err = run("tree", ASIA, *options)
    assert (code, out) == (2, "")
    assert words in err


def test_searches_by_text(run):
    names = list(asia().names)
    for text, spec in {
        "chow-liu:forest=true": {"name": "chow-liu", "root": None, "forest": True},
        "chow-liu:root=lung,forest=False": {"name": "chow-liu", "root": "lung", "forest": False},
        "tree-augmented-naive-bayes:lung": {
            "name": "tree-augmented-naive-bayes",
            "target": "lung",
        },
        "k2-search:order=random,restarts=20": {
            "name": "k2-search",
            "order": "random",
            "restarts": 20,
            "max_parents": None,
        },
        f"k2-search:order=[{','.join(names)}],max_parents=3": {
            "name": "k2-search",
            "order": names,
            "restarts": None,
            "max_parents": 3,
        },
        f"k2-search:order={names!r}": {
            "name": "k2-search",
            "order": names,
            "restarts": None,
            "max_parents": None,
        },
    }.items():
        code, out, err = run("learn", ASIA, "--search", text, "--format", "json")
        assert (code, err) == (0, "")
        assert json.loads(out)["info"]["search"] == spec


def test_a_search_may_have_a_default_score(run):
    def score(*options):
        code, out, err = run("learn", ASIA, *options, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)["info"]["score"]["name"]

    assert score() == score("--search", "chow-liu") == "bic"
    assert score("--search", "k2-search") == "k2"
    assert score("--search", "k2-search", "--score", "bic") == "bic"


def test_learn_from_tsv_and_parquet(run):
    Path("asia.tsv").write_text(Path(ASIA).read_text().replace(",", "\t"))
    asia().to_frame().to_parquet("asia.parquet")
    expected = run("learn", ASIA, "--format", "csv")
    assert expected[0] == 0
    assert run("learn", "asia.tsv", "--format", "csv") == expected
    assert run("learn", "asia.parquet", "--format", "csv") == expected


def test_output_files(run):
    dag = dw.learn(asia()).dag
    for name in ("a.json", "a.svg", "a.graphml", "a.dot", "A.JSON"):
        code, out, err = run("learn", ASIA, "-o", name)
        assert (code, err) == (0, "")
        assert out.startswith("8 variables")
    assert dw.Result.load("a.json").dag == dw.Dag.from_graphml("a.graphml") == dag
    assert Path("a.dot").read_text() == dag.to_dot() + "\n"
    assert Path("a.svg").read_text() == dag.to_svg()
    assert sorted(os.listdir()) == ["A.JSON", "a.dot", "a.graphml", "a.json", "a.svg"]


def test_every_setting_reaches_the_run(run):
    Path("rules.toml").write_text('forbidden = [["either", "tub"]]\nmax_parents = 2\n')
    code, out, err = run(
        *("learn", ASIA, "--score", "bdeu:ess=7", "--structure-prior", "edges:0.5"),
        *("--search", "hill-climb:start=complete,step=first", "--constraints", "rules.toml"),
        *("--seed", 3, "--threads", 1, "--time-limit", 60, "--format", "json"),
    )
    assert (code, err) == (0, "")
    info = json.loads(out)["info"]
    assert info["score"] == {"name": "bdeu", "ess": 7}
    assert info["structure_prior"] == {"name": "edges", "c": 0.5}
    assert (info["search"]["start"], info["search"]["step"]) == ("complete", "first")
    assert info["constraints"] == {"forbidden": [["either", "tub"]], "max_parents": 2}
    assert (info["seed"], info["threads"], info["time_limit"]) == (3, 1, 60)


def test_time_limit_of_nothing(run):
    code, out, err = run("learn", ASIA, "--time-limit", 0)
    assert (code, err) == (0, "")
    assert "0 edges" in out
    assert "auto (hill-climb): time limit after 0 families" in out


def test_options_of_the_data(run):
    Path("data.csv").write_text("id,age,w,x\n1,20,1,a\n2,30,2,b\n3,40,1,a\n4,51,3,b\n5,,1,a\n")
    options = ("--leave-out", "id", "--discretize", "age=cuts:[25,45]", "--weights", "w")
    code, out, err = run("learn", "data.csv", "--missing", "drop", *options, "-o", "m.json")
    assert code == 0
    assert err == "Dropped 1 row with missing values; 4 rows left.\n"
    assert out.startswith("2 variables, 4 rows of weight 7: ")
    result = dw.Result.load("m.json")
    assert result.states["age"] == ("(-inf, 25]", "(25, 45]", "(45, inf)")
    assert result.cuts == {"age": (25.0, 45.0)}
    # The file knows the cuts: they need not be given again.
    same = ("--missing", "drop", "--leave-out", "id", "--weights", "w", "--format", "json")
    code, out, _ = run("score", "m.json", "data.csv", *same)
    assert code == 0
    assert json.loads(out)["total"]["score"] == pytest.approx(result.score)
    code, out, _ = run("learn", "data.csv", "--no-header", "--leave-out", "x2")
    assert out.startswith("3 variables, 6 rows: ")


def test_score(run, graph):
    result = dw.Result.load(graph)
    code, out, err = run("score", graph, ASIA, "--format", "json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["total"]["score"] == pytest.approx(result.score)
    assert [family["child"] for family in report["families"]] == list(result.dag.nodes)
    code, out, _ = run("score", graph, ASIA, "--format", "csv")
    header, *rows = rows_of(out)
    assert header == ["child", "fit", "entropy", "complexity", "prior", "score", "parents"]
    assert sum(float(row[5]) for row in rows) == pytest.approx(result.score)
    for row in rows:
        parents = next(csv.reader([row[6]])) if row[6] else []
        assert tuple(parents) == result.dag.parents(row[0])
    code, out, _ = run("score", graph, ASIA)
    assert code == 0
    assert out.splitlines()[-1].split()[-1] == f"{result.score:,.3f}"


def test_score_with_another_score(run, graph):
    code, out, _ = run("score", graph, ASIA, "--score", "k2", "--format", "json")
    assert code == 0
    total = dw.score(dw.Result.load(graph).dag, asia(), score=dw.K2())
    assert json.loads(out)["total"]["score"] == pytest.approx(total)


def test_compare(run, graph):
    asia_dag().to_graphml("truth.graphml")
    learned = dw.Result.load(graph).dag
    report = dw.compare(asia_dag(), learned)
    options = ("--data", ASIA)
    code, out, err = run("compare", "truth.graphml", graph, *options, "--format", "json")
    assert (code, err) == (0, "")
    measures = json.loads(out)
    assert measures["shd"] == report.shd > 0
    assert [tuple(edge) for edge in measures["missing"]] == list(report.missing)
    difference = dw.score(learned, asia()) - dw.score(asia_dag(), asia())
    assert measures["score_difference"] == pytest.approx(difference)
    code, out, _ = run("compare", "truth.graphml", graph, "--format", "csv")
    assert dict(rows_of(out)[1:])["missing"] == str(len(report.missing)) != "0"
    code, out, _ = run("compare", "truth.graphml", graph)
    assert code == 0
    assert "missing  asia  tub" in " ".join(out.split()).replace(" ", "  ")


def test_names_of_all_kinds_stay_aligned(run):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, 200)
    names = ["名前", "é", "with space", "a,b", "line\nbreak", "\x1b[31mred"]
    dw.Table(dict.fromkeys(names, values)).to_frame().to_parquet("odd.parquet")
    _, out, _ = run("learn", "odd.parquet")
    from rich.cells import cell_len

    table = out.splitlines()[4:]
    assert len(table) == 6
    assert len({cell_len(line) for line in table}) == 1
    assert "\x1b" not in out
    _, out, _ = run("learn", "odd.parquet", "--format", "csv", "-o", "odd.json")
    assert {name for row in rows_of(out)[1:] for name in row[:2]} == set(names)
    assert run("score", "odd.json", "odd.parquet")[0] == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            ["lern"],
            ["no command 'lern'", "demo, learn, parentsets, tree, score", "did you mean 'learn'"],
        ),
        (["learn"], ["DATA"]),
        (["learn", ASIA, "--foo"], ["--foo", "--format"]),
        (["learn", ASIA, "--format", "xml"], ["xml", "table", "json", "csv"]),
        (["learn", ASIA, "--score", "bdeuu"], ["known are log-likelihood", "did you mean 'bdeu'"]),
        (["learn", ASIA, "--score", "bdeu:es=3"], ["'es'", "known are ess", "did you mean 'ess'"]),
        (["learn", ASIA, "--score", "bdeu:ess=nan"], ["ess must be a finite number", "not nan"]),
        (["learn", ASIA, "--score", "bdeu:ess=ten"], ["ess must be a finite number", "'ten'"]),
        (["learn", ASIA, "--score", "bdeu:1,2"], ["'1' is not setting=value", "known are ess"]),
        (["learn", ASIA, "--score", "bdeu:ess=1,ess=2"], ["ess is given twice"]),
        (["learn", ASIA, "--score", "bic:3"], ["'3' is not setting=value", "it has none"]),
        (["learn", ASIA, "--score", "penalized"], ["needs penalized:phi=..."]),
        (["learn", ASIA, "--score", "penalized:-1"], ["phi must be", "0 or more", "-1"]),
        (["learn", ASIA, "--structure-prior", "edge:1"], ["did you mean 'edges'"]),
        (["learn", ASIA, "--structure-prior", "edges:0"], ["c must be above 0", "not 0"]),
        (["learn", ASIA, "--search", "taboo"], ["unknown search 'taboo'", "hill-climb"]),
        (["learn", ASIA, "--search", "hill-climb:step=frist"], ["step must be best or first"]),
        (["learn", ASIA, "--search", "hill-climb:max_steps=1.5"], ["max_steps must be a whole"]),
        (["learn", ASIA, "--seed", "-1"], ["seed must be a whole number", "-1"]),
        (["learn", ASIA, "--threads", "0"], ["threads must be a whole number", "from 1"]),
        (["learn", ASIA, "--time-limit", "nan"], ["time_limit must be seconds", "nan"]),
        (["learn", ASIA, "--max-states", "0"], ["max_states must be a whole number"]),
        (["learn", ASIA, "--discretize", "age"], ["'age' is not variable=how"]),
        (["learn", ASIA, "--discretize", "age=quantile:4"], ["did you mean 'quantiles'"]),
        (["learn", ASIA, "--constraints", "no.toml"], ["no.toml", "No such file"]),
        (["learn", ASIA, "-o", "model.txt"], ["model.txt", ".json, .svg, .graphml, .dot"]),
    ],
)
def test_wrong_usage(run, args, words):
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["learn", "no.csv"], ["no.csv", "no such file"]),
        (["learn", "."], ["is a directory"]),
        (["learn", "data.xlsx"], [".xlsx", "use .csv"]),
        (["learn", ASIA, "-o", "no/model.json"], ["no/model.json", "no directory no"]),
        (["learn", ASIA, "-o", "folder.json"], ["folder.json", "directory"]),
        (["learn", ASIA, "--weights", "asi"], ["'asi' is no variable", "did you mean 'asia'"]),
        (["learn", ASIA, "--weights", "asia"], ["weights (variable 'asia') are no numbers"]),
        (["learn", ASIA, "--leave-out", "x"], ["'x' is no variable"]),
        (["learn", ASIA, "--discretize", "asia=quantiles:2"], ["'asia' cannot be discretized"]),
        (["learn", ASIA, "--constraints", "rules.toml"], ["unknown node 'lungs'", "'lung'"]),
        (["score", ASIA, ASIA], ["known endings are .json, .graphml"]),
        (["score", "no.json", ASIA], ["no.json", "No such file"]),
        (["score", "other.json", ASIA], ["other.json", "not a dagwright file"]),
        (["score", "other.graphml", ASIA], ["no node for the variables", "'dysp'"]),
        (["compare", "other.graphml", "other.graphml", "--data", ASIA], ["no node"]),
        (["compare", "other.graphml", "more.graphml"], ["same nodes", "'x'"]),
    ],
)
def test_data_and_run_errors(run, args, words):
    Path("folder.json").mkdir()
    Path("rules.toml").write_text('required = [["smoke", "lungs"]]')
    Path("other.json").write_text('{"nodes": []}')
    dw.Dag([("asia", "tub")]).to_graphml("other.graphml")
    dw.Dag([("asia", "x")]).to_graphml("more.graphml")
    code, out, err = run(*args)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n1,2\n,3\n", "pass --missing drop"),
        ("a,b\n1.5,2\n2.5,3\n", "pass --discretize 'a=quantiles:4' (or equal-width, cuts)"),
        ("a\n" + "\n".join(map(str, range(300))), "pass --max-states 300"),
        (",b\n1,2\n", "--no-header"),
        ("a,b\n1,\n2,\n", "leave out (--leave-out) 'b'"),
    ],
)
def test_advice_is_in_options(run, content, words):
    Path("data.csv").write_text(content)
    code, _, err = run("learn", "data.csv")
    assert code == 1
    assert words in err
    assert "dw." not in err
    assert '="' not in err


def test_a_result_that_cannot_be_written_is_still_shown(run, monkeypatch):
    def fail(self, path):
        raise dw.DataError("the disk is full")

    monkeypatch.setattr(dw.Result, "save", fail)
    code, out, err = run("learn", ASIA, "-o", "model.json")
    assert code == 1
    assert out.startswith("8 variables")
    assert "the disk is full" in err


def test_a_spec_with_lists():
    registry: Registry = Registry("discretizer")
    registry.add(dw.Cuts)
    assert registry.parse("cuts:[18,65]") == dw.Cuts([18, 65])
    assert registry.parse("cuts:inner=[18, 65]") == dw.Cuts([18, 65])


# ------------------------------------------------------------ pipes, terminals and signals


def dagwright(*args):
    return [sys.executable, "-c", "from dagwright.cli.main import main; main()", *map(str, args)]


def test_a_reader_that_has_seen_enough(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        dagwright("learn", ASIA, "-o", tmp_path / "a.json"),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "a.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_behind_stdout():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            dagwright("learn", ASIA), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"Error: No space left on device\n")


def test_characters_that_the_terminal_lacks(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("名前,b\n" + "1,1\n2,2\n" * 20, encoding="utf-8")
    done = subprocess.run(
        dagwright("learn", path),
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u540d" in done.stdout


SLOW = """
import pathlib, sys, time
import dagwright as dw
from dagwright.cli.main import main

def find(self, scorer, constraints, run):
    pathlib.Path("started").touch()
    while not run.stopping():
        time.sleep(0.01)
    return dw.Found(dw.Dag(nodes=scorer.names))

dw.HillClimb.find = find
main()
"""


def start_slow(folder, *args, **options):
    """Start a run that ends only when it is stopped; return it once it runs."""
    command = [sys.executable, "-c", SLOW, "learn", ASIA, *args]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, **options)
    deadline = time.monotonic() + 30
    while not (folder / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return process


def test_interrupted(tmp_path):
    process = start_slow(tmp_path, "-o", "best.json", stderr=subprocess.PIPE)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 2  # 0.2 s on an idle machine
    assert process.returncode == 130
    assert err == b"Interrupted: this is the best so far.\n"
    assert b"auto (hill-climb): interrupted after 0 families" in out
    assert dw.Result.load(tmp_path / "best.json").reason == "interrupted"


def test_a_native_run_is_interrupted(tmp_path):
    codes = np.random.default_rng(0).integers(0, 2, (2000, 1200)).astype(np.uint8)
    dw.Table.from_codes(codes).to_frame().to_parquet(tmp_path / "wide.parquet")
    process = subprocess.Popen(
        dagwright("learn", tmp_path / "wide.parquet"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 2
    assert process.returncode in (0, 130)  # 0: a machine that was done before
    assert b"Traceback" not in err


def test_interrupted_while_modules_are_loaded(tmp_path):
    """A module that waits for Ctrl-C stands in for DuckDB, whose own start would abort."""
    (tmp_path / "duckdb.py").write_text(
        "import pathlib, time\npathlib.Path('started').touch()\ntime.sleep(30)"
    )
    code = "from dagwright.cli import start; start()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "learn", ASIA],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == 130


@pytest.mark.parametrize(
    "raised",
    [
        RuntimeError("Query interrupted"),
        dw.DataError("the frame cannot be exported as an Arrow stream: Query interrupted"),
    ],
)
def test_reading_is_interrupted(run, monkeypatch, raised):
    def table(relation, **options):
        raise raised  # as DuckDB does after Ctrl-C

    monkeypatch.setattr(sys.modules["dagwright.io.read"], "Table", table)
    assert run("learn", ASIA) == (130, "", "\n")


def test_progress_is_shown_on_a_terminal_only(tmp_path):
    quiet = start_slow(tmp_path, "--time-limit", "0.2", stderr=subprocess.PIPE)
    out, err = quiet.communicate(timeout=30)
    assert (quiet.returncode, err) == (0, b"")
    assert b"\x1b" not in out
    ours, theirs = pty.openpty()
    process = start_slow(tmp_path, "--time-limit", "0.5", stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # the other end is closed
        pass
    out = process.communicate(timeout=30)[0]
    os.close(ours)
    assert process.returncode == 0
    assert b"families scored" in shown
    assert b"\x1b" not in out
