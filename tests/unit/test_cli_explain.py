"""``dagwright explain``: formats, options, exit codes."""

import csv
import io
import json
from pathlib import Path

import pytest

import dagwright as dw
from child import command_line
from dagwright.examples import asia

ASIA = Path(dw.__file__).parent / "examples" / "asia.csv"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "graph.json"
    rules = dw.Constraints(forbidden=[("lung", "smoke")])
    dw.learn(asia(), score=dw.BDeu(3), constraints=rules).save(path)
    return path


def test_the_whole_graph_as_a_table(graph):
    code, out, err = command_line("explain", graph, ASIA)
    assert (code, err) == (0, "")
    result = dw.load(graph)
    lines = out.splitlines()
    assert lines[0] == f"{len(result.dag.edges)} edges, BDeu(ess=3) {result.score:,.3f}"
    assert lines[2].split() == ["edge", "gain", "fit", "price", "p-value", "direction", "evidence"]
    shown = {tuple(line.split()[:3:2]) for line in lines[3 : 3 + len(result.dag.edges)]}
    assert shown == set(result.dag.edges)
    assert "Nearest to being edges:" in lines


def test_one_card_as_text_json_and_csv(graph):
    card = dw.load(graph).explain("smoke", "lung", data=asia())
    assert card.fixed_by
    code, out, err = command_line("explain", graph, ASIA, "smoke", "lung")
    assert (code, err, out) == (0, "", f"{card}\n")
    _, out, _ = command_line("explain", graph, ASIA, "smoke", "lung", "--format", "json")
    assert json.loads(out) == json.loads(json.dumps(card.to_dict()))
    _, out, _ = command_line("explain", graph, ASIA, "smoke", "lung", "--format", "csv")
    assert list(csv.reader(io.StringIO(out))) == [
        ["subject", "text"],
        *map(list, card.lines().items()),
    ]


def test_csv_of_the_graph_has_all_digits(graph):
    _, out, _ = command_line("explain", graph, ASIA, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    explanation = dw.load(graph).explain(data=asia())
    cards = (*explanation.edges, *explanation.nearly)
    assert [float(row["gain"]) for row in rows] == [card.gain for card in cards]
    assert [float(row["p-value"]) for row in rows] == [card.test.p_value for card in cards]
    assert [row["edge"] for row in rows] == [f"{card.parent} -> {card.child}" for card in cards]


def test_any_graph_and_score(tmp_path):
    page = tmp_path / "cards.html"
    code, out, err = command_line(
        "explain", "asia", ASIA, "--score", "k2", "--format", "json", "-o", page
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["score"] == "K2"
    assert len(json.loads(out)["edges"]) == 8
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_probabilities_from_files(graph, tmp_path):
    posterior, bootstrap = tmp_path / "post.json", tmp_path / "boot.json"
    dw.posterior(asia(), draws=100, chains=2, seed=1).save(posterior)
    dw.bootstrap(asia(), replicates=10).save(bootstrap)
    code, out, err = command_line(
        "explain", graph, ASIA, "smoke", "lung", "--posterior", posterior, "--bootstrap", bootstrap
    )
    assert (code, err) == (0, "")
    assert "Posterior probability" in out
    assert "Bootstrap share" in out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["smoke"], 2, "name two nodes"),
        (["smoke", "lungs"], 1, "did you mean 'lung'"),
        (["-o", "cards.pdf"], 2, "must end in .html"),
        (["--score", "bick"], 2, "unknown score 'bick'"),
        (["--bootstrap", ASIA], 1, "asia.csv"),
    ],
)
def test_bad_input(graph, arguments, code, words):
    found, out, err = command_line("explain", graph, ASIA, *arguments)
    assert (found, out) == (code, "")
    assert words in err
