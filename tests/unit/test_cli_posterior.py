"""``dagwright posterior``: formats, options, exit codes."""

import csv
import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dagwright as dw
from child import command_line
from dagwright.examples import asia

ASIA = Path(dw.__file__).parent / "examples" / "asia.csv"


def test_a_table_of_probabilities_and_files(tmp_path):
    written = tmp_path / "edges.csv"
    code, out, err = command_line("posterior", ASIA, "--exact", "-o", written)
    assert (code, err) == (0, "")
    edges = dw.exact_posterior(asia()).edge_probabilities()
    assert "8 variables, 5,000 rows: ln p(data) -11,281.855 by bdeu" in out
    assert "Weights: every DAG counts once" in out
    assert f"smoke   bronc         {edges['smoke', 'bronc']:.3f}" in out
    rows = list(csv.DictReader(written.open()))
    assert len(rows) == 8 * 7
    assert {(row["from"], row["to"]): float(row["probability"]) for row in rows} == {
        (a, b): edges[a, b] for a in edges.names for b in edges.names if a != b
    }
    shown = [float(row["probability"]) for row in rows]
    assert shown == sorted(shown, reverse=True)


def test_json_says_what_the_weights_are_and_every_setting_reaches_the_run(tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('forbidden = [["dysp", "bronc"]]\nmax_parents = 7')
    written = tmp_path / "posterior.json"
    options = ["--over", "orders", "--score", "bdeu:ess=10", "--structure-prior", "edges:0.5"]
    options += ["--constraints", rules, "--max-parents", "2", "--threads", "1"]
    code, out, err = command_line(
        "posterior", ASIA, "--exact", *options, "--format", "json", "-o", written
    )
    assert (code, err) == (0, "")
    values = json.loads(out)
    assert values | {"info": 0} == json.loads(written.read_text()) | {"info": 0}
    assert "linear extensions" in values["weights"]
    info = values["info"]
    assert info["score"] == {"name": "bdeu", "ess": 10}
    assert info["constraints"] == {"forbidden": [["dysp", "bronc"]], "max_parents": 2}
    assert info["threads"] == 1
    wanted = dw.exact_posterior(
        asia(),
        dw.BDeu(10),
        structure_prior=dw.EdgePenalty(0.5),
        constraints=dw.Constraints(forbidden=[("dysp", "bronc")], max_parents=2),
        over="orders",
    )
    assert values["log_marginal"] == wanted.log_marginal
    assert values["edges"] == wanted.to_dict()["edges"]


def test_csv_has_all_edges():
    code, out, _ = command_line("posterior", ASIA, "--exact", "--format", "csv")
    assert code == 0
    header, *rows = csv.reader(io.StringIO(out))
    assert header == ["from", "to", "probability"]
    assert len(rows) == 56


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ([ASIA, "--exact", "--draws", "5", "--seed", "1"], 2, ["leave out --draws, --seed"]),
        ([ASIA, "--over", "orders"], 2, ["--over is for --exact", "--sampler order-mcmc"]),
        ([ASIA, "--resume", "p.json", "--score", "k2"], 2, ["leave out --score"]),
        ([ASIA, "--resume", "p.json"], 1, ["p.json", "No such file"]),
        ([ASIA, "--draws", "0"], 2, ["draws must be a whole number"]),
        ([ASIA, "--sampler", "gibbs"], 2, ["unknown sampler 'gibbs'", "partition-mcmc"]),
        ([ASIA, "-o", "a.svg"], 2, ["a.svg", ".json, .json.gz, .csv"]),
        ([ASIA, "--time-limit", "0"], 1, ["before the first draw"]),
        ([ASIA, "--exact", "--over", "graphs"], 2, ["graphs", "dags", "orders"]),
        ([ASIA, "--exact", "-o", "a.bif"], 2, ["a.bif", ".json, .csv"]),
        ([ASIA, "--exact", "--max-parents", "-1"], 2, ["max_parents must be a whole number"]),
        ([ASIA, "--exact", "--time-limit", "0"], 1, ["no answer", "more --time-limit"]),
        (["many.csv", "--exact"], 2, ["at most 22", "these are 25", "take --over orders"]),
        (["no.csv", "--exact"], 1, ["no.csv", "no such file"]),
    ],
)
def test_errors(tmp_path, monkeypatch, args, code, words):
    monkeypatch.chdir(tmp_path)
    names = [f"v{i}" for i in range(25)]
    Path("many.csv").write_text("\n".join([",".join(names), ",".join("a" * 25)]))
    found, out, err = command_line("posterior", *args)
    assert (found, out) == (code, "")
    for word in words:
        assert word in err


def test_a_long_run_says_what_is_to_be_done_and_stops_at_ctrl_c(tmp_path):
    rows = dw.networks.load("alarm").sample(200, seed=1)
    path = tmp_path / "rows.parquet"
    rows.select(rows.names[:20]).to_frame().to_parquet(path)
    code = "from dagwright.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "posterior", str(path), "--exact"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = process.stderr.readline()
    assert said.startswith("To do: 10,485,760 families, 3.49e+09 steps, 0.861 GiB, about ")
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out, err.strip()) == (130, "", "")


@pytest.mark.filterwarnings("ignore:The chains")
def test_draws_are_shown_written_and_continued(tmp_path):
    written = tmp_path / "post.json"
    settings = ["--draws", "60", "--chains", "2", "--warmup", "10", "--thin", "50", "--seed", "3"]
    code, out, err = command_line("posterior", ASIA, *settings, "-o", written)
    assert (code, err) == (0, "")
    posterior = dw.Posterior.load(written)
    same = dw.posterior(asia(), draws=60, chains=2, warmup=10, thin=50, seed=3)
    assert (posterior.draws == same.draws).all()
    lines = out.splitlines()
    assert lines[0].startswith(
        "8 variables, 5,000 rows: 2 chains of 60 draws by partition-mcmc and bdeu, done after"
    )
    assert f"R-hat of the score {posterior.r_hat():.3f}" in lines[1]
    assert f"at most {posterior.max_edge_difference():.3f}" in lines[1]
    assert "Weights: every DAG counts once" in out
    assert [line for line in lines if line.startswith("Warning: ")] == [
        f"Warning: {message}" for message in posterior.warnings
    ]
    header = next(
        i for i, line in enumerate(lines) if line.split() == ["from", "to", "probability"]
    )
    shown = [float(line.split()[2]) for line in lines[header + 1 : -1]]
    assert shown == sorted(shown, reverse=True)
    assert lines[-1].endswith("edges of less than 0.01")

    longer = tmp_path / "longer.json.gz"
    code, out, err = command_line(
        "posterior", ASIA, "--resume", written, "--draws", "40", "-o", longer
    )
    assert (code, err) == (0, "")
    assert "2 chains of 100 draws" in out
    whole = dw.posterior(asia(), draws=100, chains=2, warmup=10, thin=50, seed=3)
    assert (dw.Posterior.load(longer).draws == whole.draws).all()


def test_samplers_and_formats(tmp_path):
    sampler = ["--sampler", "order-mcmc:correct=False,max_candidates=2", "--draws", "50"]
    code, out, _ = command_line("posterior", ASIA, *sampler)
    assert code == 0
    assert "many orders are favoured" in out
    assert "at most 2 candidate parents: about" in out
    table = tmp_path / "edges.csv"
    code, out, _ = command_line("posterior", ASIA, *sampler, "--format", "csv", "-o", table)
    assert code == 0
    assert out == table.read_text()
    assert len(out.splitlines()) == 57
    code, out, _ = command_line("posterior", ASIA, *sampler, "--format", "json")
    assert code == 0
    assert dw.Posterior.from_dict(json.loads(out)).info.sampler["name"] == "order-mcmc"
