"""``dagwright ising``: formats, options, exit codes."""

import csv
import io
import json
from pathlib import Path

import pytest

import dagwright as dw
from child import command_line

ASIA = Path(dw.__file__).parent / "examples" / "asia.csv"


@pytest.fixture
def spins(tmp_path):
    model = dw.Ising([0.1, 0.2, 0.3], [[0, 0.5, 0], [0.5, 0, -0.4], [0, -0.4, 0]], list("abc"))
    path = tmp_path / "spins.csv"
    model.sample(3000, seed=1).to_frame().to_csv(path, index=False)
    return path


def test_a_table_of_couplings(spins):
    code, out, err = command_line("ising", spins, "--method", "moment-matching")
    assert (code, err) == (0, "")
    head, gap, states, _, header, *lines = out.splitlines()
    assert head.startswith("3 variables, 3,000 rows: 3 edges by moment-matching, moments match, ")
    assert float(gap.removeprefix("Moment gap: ")) < 1e-8
    assert states == "Counted as 1: a = 1, b = 1, c = 1"
    assert header.split() == ["variable", "other", "parameter"]
    found = dw.learn_undirected(dw.read(spins), method=dw.MomentMatching())
    assert lines[0].split() == ["a", f"{found.model.field('a'):.4f}"]
    assert lines[3].split() == ["a", "b", f"{found.model.coupling('a', 'b'):.4f}"]
    assert lines[4].split() == ["b", "c", f"{found.model.coupling('b', 'c'):.4f}"]


def test_json_and_every_setting_reaches_the_run(spins, tmp_path):
    graph = tmp_path / "graph.json"
    dw.UndirectedGraph([("a", "b"), ("b", "c")]).save(graph)
    written = tmp_path / "found.json"
    options = ["--method", "moment-matching:l2=0.1", "--graph", graph, "--coding", "0/1"]
    options += ["--seed", "3", "--threads", "2", "--time-limit", "100", "-o", written]
    code, out, _ = command_line("ising", spins, *options, "--format", "json")
    assert code == 0
    found = dw.load(written)
    assert json.loads(out) == found.to_dict()
    assert found.model.coding == "0/1"
    assert found.graph.edges == (("a", "b"), ("b", "c"))
    assert (found.info.seed, found.info.threads, found.info.time_limit) == (3, 2, 100)
    assert found.info.method["l2"] == 0.1


def test_csv_and_files(spins, tmp_path):
    code, out, _ = command_line("ising", spins, "--format", "csv", "-o", tmp_path / "found.csv")
    assert code == 0
    header, *_ = csv.reader(io.StringIO(out))
    assert header == ["variable", "other", "parameter"]
    assert (tmp_path / "found.csv").read_text() == out
    code, _, err = command_line("ising", spins, "-o", tmp_path / "model.uai")
    assert code == 0
    assert "cannot keep the names" in err
    assert dw.load(tmp_path / "model.uai").names == ("x0", "x1", "x2")
    for ending in ("svg", "dot"):
        assert command_line("ising", spins, "-o", tmp_path / f"graph.{ending}")[0] == 0
        assert (tmp_path / f"graph.{ending}").stat().st_size > 50


def test_the_moral_graph_of_a_learned_one(spins, tmp_path):
    dw.learn(dw.read(spins), search=dw.ChowLiu()).save(tmp_path / "tree.json")
    code, out, _ = command_line("ising", spins, "--graph", tmp_path / "tree.json")
    assert code == 0
    assert "2 edges by auto, closed form" in out


def test_bad_input_says_what_to_do(spins, tmp_path):
    code, _, err = command_line("ising", ASIA, "--method", "moment-matching")
    assert code == 1
    assert "no row has 'tub' = 'yes', 'either' = 'no'" in err
    assert "give a penalty, --method moment-matching:l2=0.01" in err
    three = tmp_path / "three.csv"
    three.write_text("a,b\n0,x\n1,y\n2,x\n1,y\n")
    code, _, err = command_line("ising", three)
    assert code == 1
    assert "'a' has 3 states" in err
    assert "take dw.learn_undirected in Python for a LogLinear" in err
    code, _, err = command_line("ising", spins, "-o", "model.bif")
    assert code == 2
    assert "the ending says the format" in err
    code, _, err = command_line("ising", spins, "--method", "moments")
    assert code == 2
    net = tmp_path / "net.json"
    dw.networks.load("asia").save(net)
    code, _, err = command_line("ising", spins, "--graph", net)
    assert code == 1
    assert "it has no graph alone" in err
    dw.Ising([0], [[0]]).save(tmp_path / "model.json")
    code, _, err = command_line("query", tmp_path / "model.json", "x1")
    assert code == 1
    assert "is undirected, not a Bayesian network" in err


def test_convert(spins, tmp_path):
    assert command_line("ising", spins, "-o", tmp_path / "found.json")[0] == 0
    code, _, err = command_line("convert", tmp_path / "found.json", tmp_path / "model.uai")
    assert (code, "cannot keep the names" in err) == (0, True)
    assert command_line("convert", tmp_path / "model.uai", tmp_path / "model.json")[0] == 0
    model = dw.load(tmp_path / "model.json")
    assert model.log_z == pytest.approx(dw.load(tmp_path / "found.json").model.log_z, abs=1e-12)
    code, _, err = command_line("convert", tmp_path / "found.json", tmp_path / "model.bif")
    assert code == 1
    assert "must be .json or .uai" in err
