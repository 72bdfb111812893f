"""Sensitivity: every graph as learn finds it, edges along the path, stops, words, picture."""

import json
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from strategies import tables


@pytest.fixture(scope="module")
def asia():
    return dw.networks.load("asia").sample(500, seed=1)


@settings(max_examples=15)
@given(tables(max_variables=5, max_states=3), st.integers(0, 9))
def test_every_graph_is_what_learn_finds(table, seed):
    search = dw.HillClimb(restarts=2)
    found = dw.sensitivity(table, ess=[8, 0.5], penalty=[2, 0.1], search=search, seed=seed)
    assert [(own.setting, own.value) for own in found.graphs] == [
        ("ess", 0.5), ("ess", 8), ("penalty", 0.1), ("penalty", 2)
    ]  # fmt: skip
    for own in found.graphs:
        score = dw.BDeu(own.value) if own.setting == "ess" else dw.Penalized(own.value)
        wanted = dw.learn(table, score=score, search=search, seed=seed)
        assert own.dag == wanted.dag
        assert own.score == pytest.approx(wanted.score, abs=1e-9)
        assert found.at(own.setting, own.value) == wanted.dag
    for edge in found.edges:
        for own, word in zip(found.graphs, edge.there, strict=True):
            cpdag = own.dag.cpdag()
            if (edge.start, edge.end) in cpdag.compelled:
                assert word == "->"
            elif (edge.end, edge.start) in cpdag.compelled:
                assert word == "<-"
            elif {edge.start, edge.end} in [set(pair) for pair in cpdag.reversible]:
                assert word == "--"
            else:
                assert word == ""
    pairs = [{frozenset(edge) for edge in own.dag.edges} for own in found.graphs]
    assert {frozenset((edge.start, edge.end)) for edge in found.edges} == set().union(*pairs)
    assert {frozenset((edge.start, edge.end)) for edge in found.stable} == set.intersection(*pairs)
    counts = [edge.count for edge in found.edges]
    assert counts == sorted(counts, reverse=True)


def test_aic_and_bic_are_points_of_the_path(asia):
    n = len(asia)
    found = dw.sensitivity(asia, penalty=[1, math.log(n) / 2, 50])
    assert found.graphs[0].dag == dw.learn(asia, score=dw.AIC(), search=dw.HillClimb()).dag
    assert found.graphs[1].dag == dw.learn(asia, score=dw.BIC(), search=dw.HillClimb()).dag
    edges = [len(own.dag.edges) for own in found.graphs]
    assert edges[0] > edges[1] > edges[2]


def test_defaults_threads_priors_and_sources(asia):
    wanted = dw.sensitivity(asia, threads=1)
    assert [own.value for own in wanted.graphs] == [0.1, 0.5, 1, 2, 5, 10, 20, 50, 100]
    assert {own.setting for own in wanted.graphs} == {"ess"}
    halves = dw.Chunks([asia.take(range(250)), asia.take(range(250, 500))])
    for data in (asia, halves, dw.Scorer(asia, dw.K2())):
        assert dw.sensitivity(data, threads=3).graphs == wanted.graphs
    prior = dw.EdgePenalty(1e-6)
    few = dw.sensitivity(asia, ess=[1], structure_prior=prior)
    assert few.graphs == dw.sensitivity(dw.Scorer(asia, structure_prior=prior), ess=[1]).graphs
    assert few.graphs[0].dag == dw.learn(
        asia, score=dw.BDeu(1), structure_prior=prior, search=dw.HillClimb()
    ).dag  # fmt: skip
    bound = dw.sensitivity(asia, ess=[100], constraints=dw.Constraints(max_parents=1))
    assert max(len(bound.graphs[0].dag.parents(name)) for name in asia.names) == 1


def test_words(asia):
    found = dw.sensitivity(asia, ess=[1, 100])
    text = str(found)
    head, first, second, always, some = text.splitlines()
    assert head.split() == ["setting", "value", "edges", "score"]
    assert first.split()[:3] == ["ess", "1", str(len(found.graphs[0].dag.edges))]
    assert second.split()[:2] == ["ess", "100"]
    assert always.startswith("In all 2 graphs: ")
    assert "(1)" in some
    assert always.count(",") + 1 == len(found.stable)
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(values["stable"]) == len(found.stable)
    assert values["graphs"][1]["edges"] == [list(edge) for edge in found.graphs[1].dag.edges]
    none = dw.sensitivity({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, ess=[1])
    assert "In all 1 graphs: none" in str(none)
    assert none.edges == ()


class Slow:
    def find(self, scorer, constraints, run):
        for _ in range(20):
            time.sleep(0.01)
            if run.stopping():
                break
        return dw.HillClimb().find(scorer, constraints, run)


def test_stopped(asia):
    found = dw.sensitivity(asia, search=Slow(), time_limit=0.5, threads=1)
    assert 1 <= len(found.graphs) < 9
    assert found.reason == "time limit"
    with pytest.raises(dw.Unfinished, match="before the first graph"):
        dw.sensitivity(asia, search=Slow(), time_limit=0.0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ess": 1}, "ess must be a list of numbers"),
        ({"ess": []}, "at least one number"),
        ({"ess": [1, 1]}, "each once"),
        ({"ess": [0]}, "ess must be a finite number above 0"),
        ({"penalty": [-1]}, "penalty must be nats, 0 or more"),
        ({"search": "ges"}, "not a search"),
        ({"constraints": []}, "Constraints"),
    ],
)
def test_bad_settings_are_explained(asia, settings, words):
    with pytest.raises(dw.SpecError, match=words):
        dw.sensitivity(asia, **settings)


def test_an_unknown_point_is_named(asia):
    found = dw.sensitivity(asia, ess=[1, 2])
    with pytest.raises(dw.SpecError, match="no graph of ess=3: there are ess=1, ess=2"):
        found.at("ess", 3)
    with pytest.raises(dw.SpecError, match="no path of 'penalty'"):
        found.plot("penalty")


def test_the_picture(asia, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    found = dw.sensitivity(asia, ess=[1, 10, 100], penalty=[0, 3])
    ax = found.plot()
    directed, open_ = ax.collections
    labels = [label.get_text() for label in ax.get_yticklabels()]
    drawn = {
        (float(x), labels[round(y)], kind)
        for kind, dots in (("->", directed), ("--", open_))
        for x, y in dots.get_offsets()
    }
    assert drawn == {
        (own.value, f"{edge.start} - {edge.end}", "--" if word == "--" else "->")
        for edge in found.edges
        for own, word in zip(found.graphs, edge.there, strict=True)
        if word and own.setting == "ess"
    }
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "equivalent sample size"
    assert "in every graph" in ax.get_title()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["direction by the data", "direction open"]
    other = found.plot("penalty")
    assert other.get_xlabel() == "price of a parameter"
    assert other.get_xscale() == "linear"  # 0 has no log
    ax.figure.savefig(tmp_path / "path.png")
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")
    pyplot.close("all")


def test_the_title_counts_the_edges_of_the_path_that_is_drawn(asia):
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    found = dw.sensitivity(asia, ess=[1], penalty=[1e6])
    assert not found.stable
    n = len(found.at("ess", 1).edges)
    assert n > 0
    assert found.plot("ess").get_title() == f"Edges over ess: {n} in every graph"
    pyplot.close("all")
