"""The command line of Bayesian networks: one section a command, then errors and pipes."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import dagwright as dw
from dagwright.examples import asia, asia_dag

ASIA = str(Path(dw.__file__).parent / "examples" / "asia.csv")


@pytest.fixture
def run(capfd, monkeypatch, tmp_path):
    """Run the command line in a folder of its own; returns exit code, stdout, stderr."""
    from dagwright.cli.main import main

    monkeypatch.chdir(tmp_path)

    def run(*args, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["dagwright", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.fixture
def model(run):
    """The path of a model that was fitted to the bundled rows."""
    assert run("fit", "asia", ASIA, "-o", "model.json")[0] == 0
    return "model.json"


@pytest.fixture
def typed(run):
    """The path of a model whose states are integers, intervals and texts like 'x:1,y'."""
    rng = np.random.default_rng(0)
    frame = {
        "k=v": rng.integers(1, 4, 200),
        "age": rng.random(200) * 80,
        "t": np.array(["x:1,y", "x", "y"])[rng.integers(0, 3, 200)],
    }
    table = dw.Table(frame, discretize={"age": dw.Cuts([25, 45])})
    dag = dw.Dag([("k=v", "t"), ("age", "t")], nodes=list(frame))
    dw.fit(dag, table).save("typed.json")
    with open("typed.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([list(frame), *zip(*frame.values(), strict=True)])
    return "typed.json"


# ----------------------------------------------------------------------------------------- fit


def test_fit(run):
    code, out, err = run("fit", "asia", ASIA, "-o", "m.json")
    assert (code, err) == (0, "")
    model = dw.load("m.json")
    dag = dw.networks.load("asia").dag
    states = dict.fromkeys(dag.nodes, ("yes", "no"))
    table = dw.read(ASIA, states=states)
    assert model == dw.fit(dag, table, dw.BDeu(1))
    first, second, blank, header, *rows = out.splitlines()
    assert first == "8 variables, 5,000 rows: 18 free parameters by bdeu:ess=1"
    assert second == f"log-likelihood {model.log_likelihood(table):,.3f} nats"
    assert blank == ""
    assert header.split() == ["child", "parameters", "configurations", "unseen", "parents"]
    assert rows[5].split() == ["either", "4", "4", "0", "tub,", "lung"]
    assert rows[-1].split() == ["total", "18", "18", "0"]


def test_fit_formats(run, model):
    code, out, err = run("fit", "asia", ASIA, "--format", "json")
    assert (code, err) == (0, "")
    assert dw.BayesNet.from_dict(json.loads(out)) == dw.load(model)
    code, out, err = run("fit", "asia", ASIA, "--format", "csv")
    assert (code, err) == (0, "")
    header, *rows = rows_of(out)
    assert header == ["child", "parameters", "configurations", "unseen", "parents"]
    assert rows[5] == ["either", "4", "4", "0", "tub,lung"]


@pytest.mark.parametrize(
    ("text", "parameters"),
    [("ml", "ml"), ("k2", dw.K2()), ("bdeu:ess=4", dw.BDeu(4)), ("bdeu:4", dw.BDeu(4))],
)
def test_fit_parameters(run, text, parameters):
    code, _, err = run("fit", "asia", ASIA, "--parameters", text, "-o", "m.json")
    assert (code, err) == (0, "")
    assert dw.load("m.json").parameters == parameters


def test_fit_takes_the_prior_of_the_score_that_chose_the_graph(run):
    for score, parameters in {"bdeu:ess=7": dw.BDeu(7), "k2": dw.K2(), "bic": dw.BDeu(1)}.items():
        assert run("learn", ASIA, "--score", score, "-o", "graph.json")[0] == 0
        code, _, err = run("fit", "graph.json", ASIA, "-o", "m.json")
        assert (code, err) == (0, "")
        assert dw.load("m.json").parameters == parameters
        assert dw.load("m.json").dag == dw.Result.load("graph.json").dag


def test_fit_counts_what_no_row_has(run):
    Path("ab.csv").write_text("id,x,a,b\n1,0.5,n,n\n2,0.7,y,n\n")
    dw.BayesNet(
        dw.Dag([("a", "b")]),
        {"a": [0.2, 0.3, 0.5], "b": [[0.5, 0.5]] * 3},
        {"a": ["n", "y", "?"], "b": ["n", "y"]},
    ).save("ab.bif")
    code, out, err = run("fit", "ab.bif", "ab.csv", "--format", "csv")  # id and x are left out
    assert (code, err) == (0, "")
    assert rows_of(out)[1:] == [["a", "2", "1", "0", ""], ["b", "3", "3", "1", "a"]]


def test_graphs_from_everywhere(run, model):
    dw.networks.load("asia").save("asia.xdsl.gz")
    dw.networks.load("asia").dag.to_graphml("asia.graphml")
    for graph in ("asia", "asia.xdsl.gz", "asia.graphml", model):
        code, out, err = run("score", graph, ASIA, "--format", "json")
        assert (code, err) == (0, "")
        assert json.loads(out)["total"]["score"] == pytest.approx(dw.score(asia_dag(), asia()))
        code, out, err = run("compare", graph, "-", stdin=Path(model).read_bytes())
        assert (code, err) == (0, "")
        assert out.split()[3] == "0"
        assert run("fit", graph, ASIA)[0] == 0


def test_a_file_wins_over_a_shipped_network(run):
    Path("asia").write_text("no network")
    code, out, err = run("query", "asia", "lung")
    assert (code, out) == (1, "")
    assert "known endings are .json" in err
    Path("asia").unlink()
    Path("asia").mkdir()
    assert run("query", "asia", "lung")[0] == 0


# --------------------------------------------------------------------------------------- query


def test_query(run):
    code, out, err = run("query", "asia", "lung", "-e", "smoke=yes")
    assert (code, err) == (0, "")
    assert out == (
        "P(lung | smoke=yes) by elimination\n\n"
        "lung  probability\nyes      0.100000\nno       0.900000\n"
    )


def test_query_json(run):
    options = ("-e", "smoke=yes", "--do", "asia=no", "--format", "json")
    code, out, err = run("query", "asia", "lung", "bronc", *options)
    assert (code, err) == (0, "")
    values = json.loads(out)
    answer = dw.networks.load("asia").query(["lung", "bronc"], {"smoke": "yes"}, do={"asia": "no"})
    assert values["given"] == ["smoke=yes", "do(asia=no)"]
    assert values["variables"] == ["lung", "bronc"]
    assert values["method"] == "elimination"
    assert {tuple(cell["states"]): cell["probability"] for cell in values["distribution"]} == (
        answer.to_dict()
    )


def test_query_csv_with_errors(run):
    options = ("--method", "likelihood-weighting", "--samples", 500, "--seed", 3)
    code, out, err = run("query", "asia", "lung", "-e", "xray=yes", *options, "--format", "csv")
    assert (code, err) == (0, "")
    header, *rows = rows_of(out)
    assert header == ["lung", "probability", "standard_error"]
    answer = dw.networks.load("asia").query(
        "lung", {"xray": "yes"}, method="likelihood weighting", n_samples=500, seed=3
    )
    assert [float(row[1]) for row in rows] == answer.probabilities.tolist()
    assert [float(row[2]) for row in rows] == answer.standard_errors.tolist()
    out = run("query", "asia", "lung", "-e", "xray=yes", *options)[1]
    assert "by likelihood weighting: samples 500, effective sample size " in out
    assert "standard error" in out
    values = json.loads(run("query", "asia", "lung", *options, "--format", "json")[1])
    assert values["report"]["samples"] == 500
    assert "standard_error" in values["distribution"][0]


def test_a_query_says_what_its_method_warns_of(run):
    code, out, err = run("query", "asia", "--method", "gibbs", "--samples", 200)
    assert code == 0
    assert err.startswith("Warning: query by gibbs: the tables have zeros")
    assert err.count("\n") == 1  # once, though each variable is asked for
    assert len(out.splitlines()) == 3 + 16
    out = run("query", "asia", "lung", "--method", "belief-propagation")[1]
    assert "by belief propagation: converged yes, iterations " in out


def test_marginals(run):
    asia_net = dw.networks.load("asia")
    code, out, err = run("query", "asia", "-e", "xray=yes", "--format", "csv")
    assert (code, err) == (0, "")
    header, *rows = rows_of(out)
    assert header == ["variable", "state", "probability"]
    expected = asia_net.marginals({"xray": "yes"})
    assert len(rows) == 14  # all but xray
    for name, state, value in rows:
        assert float(value) == pytest.approx(expected[name][state])
    values = json.loads(run("query", "asia", "--do", "lung=yes", "--format", "json")[1])
    assert len(values["marginals"]) == 7
    smoke = next(own for own in values["marginals"] if own["variables"] == ["smoke"])
    assert smoke["distribution"][0]["probability"] == pytest.approx(0.5)
    out = run("query", "asia")[1]
    assert out.startswith("P(each variable) by junction tree\n\nvariable  state  probability\n")


def test_most_probable(run):
    state, probability = dw.networks.load("asia").most_probable(given={"xray": "yes"})
    code, out, err = run("query", "asia", "--most-probable", "-e", "xray=yes", "--format", "json")
    assert (code, err) == (0, "")
    values = json.loads(out)
    assert values["states"] == state
    assert values["probability"] == pytest.approx(probability)
    out = run("query", "asia", "lung", "tub", "--most-probable", "--format", "csv")[1]
    header, row = rows_of(out)
    assert (header, row[:2]) == (["lung", "tub", "probability"], ["no", "no"])
    out = run("query", "asia", "lung", "--most-probable")[1]
    assert out == "most probable: probability 0.945\n\nvariable  state\nlung      no\n"


def test_forecast(run):
    code, out, err = run("query", "asia", "--forecast", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["largest_clique"] == 8
    assert "largest clique  8\n" in run("query", "asia", "--forecast")[1]
    _, out, _ = run("query", "alarm", "BP", "-e", "HR=LOW", "--forecast", "--format", "csv")
    cost = dw.networks.load("alarm").forecast("BP", {"HR": "LOW"})
    assert float(dict(rows_of(out))["cells"]) == cost.cells


def test_soft_evidence(run):
    _, out, _ = run("query", "asia", "lung", "-e", "xray=no:0.2,yes:0.9", "--format", "csv")
    answer = dw.networks.load("asia").query("lung", {"xray": {"yes": 0.9, "no": 0.2}})
    assert float(rows_of(out)[1][1]) == pytest.approx(answer["yes"])


def test_evidence_is_matched_as_text(run, typed):
    net = dw.load(typed)
    low, middle, _ = net.states["age"]
    for texts, given in {
        ("k=v=2",): {"k=v": 2},
        ("t=x:1,y",): {"t": "x:1,y"},
        ("t=y:3,x:1",): {"t": {"x": 1, "y": 3}},
        ("t=x:1,y:2,x:3",): {"t": {"x:1,y": 2, "x": 3}},
        (f"age={middle}",): {"age": middle},
        (f"age={low}:1,{middle}:0.5", "k=v=3:2,1:1"): {
            "age": {low: 1, middle: 0.5},
            "k=v": {3: 2, 1: 1},
        },
    }.items():
        asked = [name for name in net.names if name not in given][:1]
        options = [part for text in texts for part in ("-e", text)]
        code, out, err = run("query", typed, *asked, *options, "--format", "csv")
        assert (code, err) == (0, "")
        values = [float(row[1]) for row in rows_of(out)[1:]]
        assert values == pytest.approx(net.query(asked, given).probabilities.tolist())


# ------------------------------------------------------------------------------ predict, sample


def test_predict(run):
    code, out, err = run("predict", "asia", ASIA, "bronc")
    assert (code, err) == (0, "")
    header, *rows = rows_of(out)
    net = dw.networks.load("asia")
    assert header == ["bronc"]
    assert [row[0] for row in rows] == net.predict(asia(), "bronc")
    code, out, _ = run("predict", "asia", "-", "bronc", "--proba", stdin=Path(ASIA).read_bytes())
    header, *rows = rows_of(out)
    assert header == ["yes", "no"]
    assert np.array(rows, dtype=float) == pytest.approx(net.predict_proba(asia(), "bronc"))


def test_predictions_go_to_files(run):
    expected = run("predict", "asia", ASIA, "bronc")[1]
    assert run("predict", "asia", ASIA, "bronc", "-o", "p.csv") == (0, "", "")
    assert Path("p.csv").read_text() == expected
    assert run("predict", "asia", ASIA, "bronc", "-o", "p.parquet") == (0, "", "")
    states = dw.read("p.parquet").to_frame()["bronc"].tolist()
    assert states == [row[0] for row in rows_of(expected)[1:]]
    assert run("predict", "asia", ASIA, "bronc", "--proba", "-o", "p.parquet") == (0, "", "")
    assert sorted(os.listdir()) == ["p.csv", "p.parquet"]


def test_predict_from_some_variables(run, typed):
    Path("rows.csv").write_text("id,age,t\n1.5,30,\n2.5,70,?\n")  # t is not looked at
    code, out, err = run("predict", typed, "rows.csv", "t")
    assert (code, err) == (0, "")
    net = dw.load(typed)
    expected = net.predict({"age": [30.0, 70.0]}, "t")
    assert [row[0] for row in rows_of(out)[1:]] == expected
    Path("rows.csv").write_text("k=v,t\n1,x\n3,y\n")
    code, out, err = run("predict", typed, "rows.csv", "age", "--proba")
    assert (code, err) == (0, "")
    assert rows_of(out)[0] == list(net.states["age"])


def test_predict_where_a_row_cannot_be(run):
    Path("rows.csv").write_text("tub,either\nyes,no\nno,no\n")
    code, out, err = run("predict", "asia", "rows.csv", "lung")
    assert code == 0
    assert rows_of(out) == [["lung"], [], ["no"]]
    assert err.startswith("Warning: 1 of 2 rows, the first of them row 0, are impossible")
    assert "smoothed" not in err
    out = run("predict", "asia", "rows.csv", "lung", "--proba")[1]
    assert rows_of(out)[1:] == [["", ""], ["0.0", "1.0"]]
    assert run("predict", "asia", "rows.csv", "lung", "-o", "p.parquet")[0] == 0
    assert "'lung': 1 of 2 rows" in run("learn", "p.parquet")[2]  # it is missing there


def test_sample(run):
    options = ("-n", 500, "--seed", 7, "-e", "xray=yes", "--do", "smoke=no")
    code, out, err = run("sample", "asia", *options)
    assert (code, err) == (0, "")
    net = dw.networks.load("asia")
    expected = net.sample(500, 7, given={"xray": "yes"}, do={"smoke": "no"})
    header, *rows = rows_of(out)
    assert header == list(expected.names)
    for at, name in enumerate(header):
        own = [expected.states[name][code] for code in expected.codes[at]]
        assert [row[at] for row in rows] == own
    assert run("sample", "asia", *options, "-o", "rows.csv") == (0, "", "")
    assert Path("rows.csv").read_text() == out
    assert run("sample", "asia", *options, "-o", "rows.parquet") == (0, "", "")
    assert dw.read("rows.parquet", states=net.states) == dw.read("rows.csv", states=net.states)


def test_samples_keep_names_types_and_quotes(run, typed, monkeypatch):
    net = dw.load(typed)
    expected = net.sample(300, 1)
    from dagwright.cli import rows

    monkeypatch.setattr(rows, "_BLOCK_BYTES", 1000)  # many blocks
    for name in ("rows.csv", "rows.parquet"):
        assert run("sample", typed, "-n", 300, "--seed", 1, "-o", name) == (0, "", "")
        table = dw.read(name, states=net.states)
        assert table == expected
    dw.BayesNet(
        dw.Dag(nodes=['名"前\n']), {'名"前\n': [0.5, 0.5]}, {'名"前\n': ["ä\r", "n\0"]}
    ).save("odd.json")
    assert run("sample", "odd.json", "-n", 20, "-o", "odd.csv") == (0, "", "")
    with open("odd.csv", encoding="utf-8", newline="") as file:
        values = {row[0] for row in csv.reader(file)}
    assert values == {'名"前\n', "ä\r", "n\0"}


# ----------------------------------------------------------------------------- convert, update


def test_convert(run, model):
    asia_net = dw.networks.load("asia")
    for ending in (".json", ".json.gz", ".bif", ".xmlbif", ".xdsl.gz", ".net", ".dsc"):
        assert run("convert", "asia", f"a{ending}") == (0, "", "")
        assert run("convert", f"a{ending}", "back.json") == (0, "", "")
        assert dw.load("back.json") == asia_net
    code, out, err = run("convert", model, "b.uai")
    assert (code, out) == (0, "")
    assert err.startswith("Warning: b.uai: the format cannot keep the counts and the prior")
    assert err.count("\n") == 1
    assert run("convert", "-", "c.json", stdin=Path(model).read_bytes()) == (0, "", "")
    assert Path("c.json").read_text() == Path(model).read_text()


def test_update(run, model):
    code, out, err = run("update", model, ASIA, "-o", "twice.json")
    assert (code, err) == (0, "")
    assert out == "5,000 rows added: 10,000 in all, 18 free parameters by bdeu:ess=1\n"
    assert dw.load("twice.json") == dw.load(model).update(asia())
    code, out, _ = run("update", "twice.json", "-", "--forget", "--in-place", stdin=read(ASIA))
    assert out == "5,000 rows taken away: 5,000 in all, 18 free parameters by bdeu:ess=1\n"
    assert dw.load("twice.json") == dw.load(model)
    assert run("update", "-", ASIA, "-o", "new.json", stdin=read(model))[0] == 0
    assert dw.load("new.json").total_weight == 10_000


def read(path):
    return Path(path).read_bytes()


def test_update_with_new_states(run, typed):
    Path("new.csv").write_text("k=v,age,t\n9,30.5,z\n")
    code, out, err = run("update", typed, "new.csv", "-o", "m.json")
    assert (code, out) == (1, "")
    assert "dagwright update --unseen extend" in err
    assert not Path("m.json").exists()
    code, _, err = run("update", typed, "new.csv", "-o", "m.json", "--unseen", "extend")
    assert (code, err) == (0, "")
    states = dw.load("m.json").states
    assert (states["k=v"], states["t"]) == ((1, 2, 3, 9), ("x", "x:1,y", "y", "z"))
    code, _, err = run("update", typed, "typed.csv", "--forget", "-o", "none.json")
    assert (code, err) == (0, "")
    assert dw.load("none.json").total_weight == 0


# --------------------------------------------------------------------------------- learn, stdin


@pytest.mark.parametrize("name", ["m.bif", "m.xmlbif", "m.xdsl", "m.net.gz", "m.dsc"])
def test_learn_writes_networks(run, name):
    code, out, err = run("learn", ASIA, "--search", "hill-climb", "-o", name)
    assert code == 0
    assert out.startswith("8 variables")
    assert err.startswith(f"Warning: {name}: the format cannot keep the counts")
    result = dw.learn(asia(), search=dw.HillClimb())
    learned = dw.load(name)
    assert learned.dag == result.dag
    expected = result.fit().query("lung").probabilities
    assert learned.query("lung").probabilities == pytest.approx(expected)


def test_a_tree_writes_networks(run):
    assert run("tree", ASIA, "-o", "tree.uai")[0] == 0
    assert len(dw.load("tree.uai").dag.edges) == 7


def test_tables_from_stdin(run):
    for command in (["learn"], ["tree"], ["score", "asia"], ["fit", "asia"]):
        expected = run(*command, ASIA, "--format", "csv")
        assert expected[0] == 0
        assert run(*command, "-", "--format", "csv", stdin=read(ASIA)) == expected


def test_stdin_leaves_nothing_behind(run, monkeypatch, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert run("learn", "-", stdin=read(ASIA))[0] == 0
    code, _, err = run("learn", "-", stdin=b"a,b\n1,2\n3\n")
    assert (code, err) == (
        1,
        "Error: stdin: line 3 has 1 fields, but the first line has 2: correct it, or quote fields "
        "that contain ','\n",
    )
    assert os.listdir(folder) == []


# -------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["query"], ["MODEL"]),
        (["query", "asia", "lung", "-e", "smoke"], ["-e smoke", "not variable=state"]),
        (["query", "asia", "lung", "-e", "tub=no", "-e", "tub=yes"], ["'tub' is given twice"]),
        (["query", "asia", "lung", "-e", "tub=no:1,no:2"], ["state 'no' is given twice"]),
        (["query", "asia", "lung", "-e", "tub=no:x"], ["'no' must be a number, not 'x'"]),
        (["query", "asia", "lung", "--method", "exact"], ["exact", "belief-propagation"]),
        (["query", "asia", "lung", "--method", "gibbs", "--samples", "5"], ["--samples must be"]),
        (["query", "asia", "--forecast", "--most-probable"], ["leave out --most-probable"]),
        (["query", "asia", "--forecast", "--do", "tub=no"], ["leave out --do"]),
        (["query", "asia", "--forecast", "--method", "gibbs"], ["leave out --method gibbs"]),
        (["query", "asia", "lung", "--seed", "-1"], ["seed must be a whole number"]),
        (["sample", "asia"], ["-n"]),
        (["sample", "asia", "-n", "0"], ["Error: -n must be a whole number, 1 or more, not 0"]),
        (["sample", "asia", "-n", "many"], ["many"]),
        (["sample", "asia", "-n", "1", "-o", "rows.txt"], ["rows.txt", ".csv, .parquet"]),
        (["predict", "asia", ASIA, "lung", "-o", "p.json"], ["p.json", ".csv, .parquet"]),
        (["fit", "asia", ASIA, "-o", "m.svg"], ["m.svg", ".json, .bif"]),
        (["fit", "asia", ASIA, "--parameters", "bic"], ["'bic' has no prior", "ml, bdeu:ess=1"]),
        (["fit", "asia", ASIA, "--parameters", "bdeuu"], ["did you mean 'bdeu'"]),
        (["fit", "-", "-"], ["stdin can be read only once"]),
        (["convert", "asia", "asia.txt"], ["asia.txt", "known are .json, .bif"]),
        (["convert", "asia"], ["OUT"]),
        (["update", "m.json", ASIA], ["either -o or --in-place"]),
        (["update", "m.json", ASIA, "-o", "x.json", "--in-place"], ["either -o or --in-place"]),
        (["update", "asia", ASIA, "--in-place"], ["--in-place needs a .json", "asia"]),
        (
            ["update", "m.json", ASIA, "-o", "x.json", "--forget", "--unseen", "extend"],
            ["leave out --unseen extend"],
        ),
    ],
)
def test_wrong_usage(run, args, words):
    stdin = json.dumps(dw.networks.load("asia").to_dict()).encode() if "-" in args else b""
    code, out, err = run(*args, stdin=stdin)
    assert (code, out) == (2, "")
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["query", "asia", "lnug"], ["no variable 'lnug'", "did you mean 'lung'"]),
        (["query", "asia", "lung", "lung"], ["given twice"]),
        (["query", "asia", "lung", "-e", "smok=yes"], ["'smok'", "did you mean 'smoke'"]),
        (["query", "asia", "lung", "-e", "smoke=ys"], ["['yes', 'no']", "did you mean 'yes'"]),
        (["query", "asia", "lung", "-e", "smoke=ys:1"], ["no state 'ys'", "did you mean 'yes'"]),
        (["query", "asia", "lung", "-e", "smoke=no:-1"], ["'smoke'", "0 or more"]),
        (["query", "asia", "lung", "--do", "smoke=yes:1"], ["--do smoke=yes:1", "no state"]),
        (["query", "asia", "lung", "-e", "lung=no"], ["'lung' is a target and in the evidence"]),
        (
            ["query", "asia", "lung", "-e", "tub=no", "--do", "tub=no"],
            ["'tub' is in -e and in --do"],
        ),
        (
            ["query", "asia", "lung", "-e", "tub=yes", "-e", "either=no"],
            ["probability is zero ('either' = 'no' contradicts 'tub' = 'yes')"],
        ),
        (
            ["sample", "asia", "-n", "5", "-e", "tub=yes", "-e", "either=no"],
            ["probability is zero"],
        ),
        (["query", "one.json", "-e", "a=n"], ["nothing is left to ask for"]),
        (["query", "no.json", "lung"], ["no.json", "No such file"]),
        (["query", "no.bif", "lung"], ["no.bif", "No such file"]),
        (["query", "model.txt", "lung"], ["model.txt", "known endings are .json, .bif"]),
        (["query", "alrm", "lung"], ["known networks are student", "did you mean 'alarm'"]),
        (["query", "graph.json", "lung"], ["no parameters", "dagwright fit graph.json"]),
        (["query", "-", "lung"], ["stdin is empty"]),
        (["learn", "-"], ["stdin is empty"]),
        (["compare", "-", "asia"], ["stdin is empty"]),
        (["fit", "asia", "some.csv"], ["no variable ['dysp']"]),
        (["fit", "asia", "one.csv"], ["none of the variables ['asia', "]),
        (["fit", "asia", "no.csv"], ["no.csv", "no such file"]),
        (["fit", "asia", ASIA, "--leave-out", "x"], ["'x' is no variable"]),
        (["fit", "asia", ASIA, "-o", "no/m.json"], ["no directory no"]),
        (["fit", "aisa", ASIA], ["did you mean 'asia'"]),
        (["predict", "asia", ASIA, "lnug"], ["unknown node 'lnug'", "'lung'"]),
        (["predict", "asia", "one.csv", "lung"], ["none of the variables"]),
        (["predict", "asia", "states.csv", "lung"], ["'maybe'", "['yes', 'no']"]),
        (["update", "asia", ASIA, "-o", "m.json"], ["was not fitted", "dagwright fit asia"]),
        (["update", "one.json", "some.csv", "-o", "m.json"], ["none of the variables ['a']"]),
        (["convert", "no.bif", "m.json"], ["no.bif", "No such file"]),
        (["convert", "graph.json", "m.bif"], ["no parameters"]),
    ],
)
def test_data_and_run_errors(run, args, words):
    dw.learn(dw.Table({"a": ["n", "y"]}), search=dw.HillClimb()).save("graph.json")
    Path("some.csv").write_text("asia,tub,smoke,lung,bronc,either,xray\n" + "no," * 6 + "no\n")
    Path("states.csv").write_text("smoke\nmaybe\n")
    Path("one.csv").write_text("a\nn\ny\n")
    Path("model.txt").write_text("")
    dw.fit(dw.Dag(nodes=["a"]), dw.Table({"a": ["n", "y"]})).save("one.json")
    code, out, err = run(*args)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err
    assert "dw." not in err


def test_undefined_parameters_are_said_in_options(run):
    Path("ab.csv").write_text("a,b\nn,n\ny,n\n")
    dw.BayesNet(
        dw.Dag([("a", "b")]),
        {"a": [0.2, 0.3, 0.5], "b": [[0.5, 0.5]] * 3},
        {"a": ["n", "y", "?"], "b": ["n", "y"]},
    ).save("ab.json")
    assert run("fit", "ab.json", "ab.csv", "--parameters", "ml", "-o", "m.json")[0] == 0
    code, out, err = run("query", "m.json", "b", "--do", "a=?")
    assert (code, out) == (1, "")
    assert "fit with a prior, --parameters bdeu:ess=1" in err


# --------------------------------------------------------------------------------------- pipes


def dagwright(line):
    """Write a pipe of commands for the shell."""
    command = f"{sys.executable} -c 'from dagwright.cli import start; start()'"
    return " | ".join(f"{command} {part.strip()}" for part in line.split("|"))


def piped(line):
    return subprocess.run(dagwright(line), shell=True, capture_output=True, text=True, check=False)


def test_what_is_drawn_is_learned_and_compared():
    done = piped("sample alarm -n 10000 | learn - --format json | compare - alarm")
    assert (done.returncode, done.stderr) == (0, "")
    first, shd, *_ = done.stdout.splitlines()
    assert first.split() == ["measure", "result"]
    assert shd.split()[0] == "shd"
    assert int(shd.split()[1]) < 20


def test_what_is_drawn_is_fitted_and_asked():
    done = piped("sample asia -n 2000 | fit asia - --format json | query - lung -e smoke=yes")
    assert (done.returncode, done.stderr) == (0, "")
    name, number = done.stdout.splitlines()[3].split()
    assert name == "yes"
    assert float(number) == pytest.approx(0.1, abs=0.03)


def test_a_reader_of_rows_that_has_seen_enough():
    done = subprocess.run(
        dagwright("sample asia -n 300000") + " | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("asia,tub,smoke,lung,bronc,either,xray,dysp\n", "")
