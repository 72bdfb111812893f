"""``dagwright bootstrap``: formats, options, exit codes."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import dagwright as dw
from child import command_line
from dagwright.examples import asia

ASIA = Path(dw.__file__).parent / "examples" / "asia.csv"


def test_a_table_of_edges_by_confidence():
    code, out, err = command_line("bootstrap", ASIA, "--replicates", "30")
    assert (code, err) == (0, "")
    boot = dw.bootstrap(asia(), replicates=30)
    averaged = boot.averaged_graph()
    head, graph, same, _, header, *lines = out.splitlines()
    assert head.startswith("8 variables, 5,000 rows: 30 replicates (rows) by hill-climb and bic, ")
    assert graph == (
        f"Averaged graph: {len(averaged.dag.edges)} edges, of strength above {boot.threshold:.3f}"
    )
    assert averaged.dag == dw.learn(asia(), search=dw.HillClimb()).dag
    assert same == "It is the graph that is learned from all rows"
    assert header.split() == ["from", "to", "strength", "direction", "compelled", "averaged"]
    shown = [line.split() for line in lines if "below" not in line]
    strong = [edge for edge in boot.edges if edge.strength >= 0.05]
    assert [row[:2] for row in shown] == [[edge.start, edge.end] for edge in strong]
    assert [row[2:5] for row in shown] == [
        [f"{edge.strength:.3f}", f"{edge.direction:.3f}", f"{edge.compelled:.3f}"]
        for edge in strong
    ]
    assert {(row[0], row[1]) for row in shown if row[5] == "yes"} == set(averaged.dag.edges)
    if len(strong) < len(boot.edges):
        assert lines[-1].endswith("of strength below 0.05")


def test_differences_from_the_graph_of_all_rows_are_told():
    arguments = ["bootstrap", ASIA, "--replicates", "30"]
    _, out, _ = command_line(*arguments, "--threshold", "0.99", "--score", "aic")
    assert "Unlike the graph of all rows it does not have: " in out
    _, out, _ = command_line(*arguments, "--threshold", "0")
    assert "Unlike the graph of all rows it has in addition: " in out
    assert "Skipped: " in out
    assert ": it closes a cycle with stronger edges" in out


def test_json_and_every_setting_reaches_the_run(tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('forbidden = [["dysp", "bronc"]]')
    written = tmp_path / "boot.json"
    options = ["--replicates", "7", "--kind", "bayesian", "--search", "tabu:tenure=4"]
    options += ["--score", "bdeu:ess=10", "--structure-prior", "edges:0.5", "--seed", "3"]
    options += ["--constraints", rules, "--threads", "2", "--time-limit", "100"]
    options += ["--leave-out", "asia", "--format", "json", "-o", written]
    code, out, err = command_line("bootstrap", ASIA, *options)
    assert (code, err) == (0, "")
    values = json.loads(out)
    assert values == json.loads(written.read_text())
    wanted = dw.bootstrap(
        asia().select([name for name in asia().names if name != "asia"]),
        search=dw.Tabu(tenure=4),
        score=dw.BDeu(10),
        structure_prior=dw.EdgePenalty(0.5),
        constraints=dw.Constraints(forbidden=[("dysp", "bronc")]),
        replicates=7,
        kind="bayesian",
        seed=3,
        threads=2,
        time_limit=100,
    ).to_dict()
    timed = {"seconds": 0}
    assert values["info"] | timed == wanted["info"] | timed
    assert values | {"info": 0} == wanted | {"info": 0}


def test_a_search_may_bring_its_score():
    search = "k2-search:order=[asia,smoke,tub,lung,bronc,either,xray,dysp]"
    code, out, _ = command_line("bootstrap", ASIA, "--replicates", "3", "--search", search)
    assert code == 0
    assert "by k2-search and k2, " in out


def test_csv_to_stdout_and_to_a_file(tmp_path):
    written = tmp_path / "edges.csv"
    arguments = ["bootstrap", ASIA, "--replicates", "20", "--format", "csv", "-o", written]
    code, out, err = command_line(*arguments)
    assert (code, err) == (0, "")
    assert out == written.read_text()
    rows = list(csv.DictReader(io.StringIO(out)))
    boot = dw.bootstrap(asia(), replicates=20)
    assert [(row["from"], row["to"], float(row["strength"])) for row in rows] == [
        (edge.start, edge.end, edge.strength) for edge in boot.edges
    ]


def test_the_averaged_graph_goes_to_a_file(tmp_path):
    dag = dw.bootstrap(asia(), replicates=20).averaged_graph(0.9).dag
    for ending in "svg", "dot", "graphml":
        path = tmp_path / f"graph.{ending}"
        code, _, err = command_line(
            "bootstrap", ASIA, "--replicates", "20", "--threshold", "0.9", "-o", path
        )
        assert (code, err) == (0, "")
    assert dw.Dag.from_graphml(tmp_path / "graph.graphml") == dag
    assert (tmp_path / "graph.dot").read_text() == dag.to_dot() + "\n"
    assert (tmp_path / "graph.svg").read_text().startswith("<svg")


def test_a_bootstrap_is_no_graph_for_other_commands(tmp_path):
    path = tmp_path / "boot.json"
    assert command_line("bootstrap", ASIA, "--replicates", "2", "-o", path)[0] == 0
    code, out, err = command_line("score", path, ASIA)
    assert (code, out) == (1, "")
    assert "has the 2 graphs of a bootstrap" in err
    assert "dagwright bootstrap -o graph.graphml" in err


def test_weights_of_a_variable(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,w\n" + "x,x,3\ny,y,2\n" * 5)
    code, out, _ = command_line("bootstrap", path, "--weights", "w", "--replicates", "5")
    assert code == 0
    assert "2 variables, 10 rows of weight 25: 5 replicates" in out


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ([ASIA, "--replicates", "0"], 2, ["--replicates must be", "1 or more"]),
        ([ASIA, "--kind", "columns"], 2, ["columns", "rows", "bayesian"]),
        ([ASIA, "--threshold", "2"], 2, ["--threshold must be a share of the graphs"]),
        ([ASIA, "-o", "a.bif"], 2, ["a.bif", ".json, .csv, .svg, .graphml, .dot"]),
        ([ASIA, "--search", "climb"], 2, ["unknown search 'climb'"]),
        ([ASIA, "--time-limit", "0"], 1, ["before the first", "more --time-limit"]),
        (["half.csv", "--weights", "w"], 1, ["row 1", "0.5", "take --kind bayesian"]),
        (["no.csv"], 1, ["no.csv", "no such file"]),
    ],
)
def test_errors(tmp_path, monkeypatch, args, code, words):
    monkeypatch.chdir(tmp_path)
    Path("half.csv").write_text("a,b,w\nx,x,1\ny,y,0.5\n")
    found, out, err = command_line("bootstrap", *args)
    assert (found, out) == (code, "")
    for word in words:
        assert word in err


def test_a_time_limit_keeps_what_is_done():
    code, out, err = command_line(
        "bootstrap", ASIA, "--replicates", "1000000", "--time-limit", "0.5", "--format", "json"
    )
    assert code == 0
    values = json.loads(out)
    done = len(values["graphs"])
    assert values["reason"] == "time limit"
    assert err == f"Stopped (time limit): these are {done:,} of 1,000,000 replicates.\n"


INTERRUPTED = """
import signal, threading
import dagwright.cli.bootstrap as command
from dagwright.cli.main import main

run = command.run_bootstrap

def run_for_a_while(*args, **settings):
    threading.Timer(0.7, signal.raise_signal, [signal.SIGINT]).start()
    return run(*args, **settings)

command.run_bootstrap = run_for_a_while
main()
"""


def test_ctrl_c_prints_and_writes_what_is_done(tmp_path):
    written = tmp_path / "boot.json"
    arguments = ["bootstrap", str(ASIA), "--replicates", "1000000", "-o", str(written)]
    process = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    out, err = process.stdout, process.stderr
    assert process.returncode == 130
    boot = dw.Bootstrap.load(written)
    assert boot.reason == "interrupted"
    assert err.startswith(f"Stopped (interrupted): these are {len(boot.sample):,} of 1,000,000")
    assert "Averaged graph: " in out
    assert "the graph of all rows" not in out
