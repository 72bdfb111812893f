"""learn_undirected: what it takes, how it stops, what it returns and writes."""

import json
import re
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import referencing

import dagwright as dw
from dagwright.markov.method import UndirectedFound, UndirectedMethod

ROOT = Path(__file__).parents[2]
IO = Path(dw.__file__).parent / "io"


def rows(n=5, size=500, seed=0):
    rng = np.random.default_rng(seed)
    couplings = np.triu(rng.normal(0, 0.5, (n, n)), 1)
    return dw.Ising(rng.normal(0, 0.3, n), couplings + couplings.T).sample(size, seed=seed)


RING = dw.UndirectedGraph([("x1", "x2"), ("x2", "x3"), ("x3", "x4"), ("x4", "x1")])


def test_a_result_says_how_it_was_made():
    table = rows()
    found = dw.learn_undirected(
        table, method="moment-matching:l2=0.01", seed=7, threads=2, time_limit=100
    )
    info = found.info
    assert info.method["name"] == "moment-matching"
    assert info.method["l2"] == 0.01
    assert (info.seed, info.threads, info.time_limit, info.coding) == (7, 2, 100, "-1/+1")
    assert (info.n_rows, info.total_weight, info.data_digest) == (500, 500.0, table.digest)
    assert set(info.versions) == {"dagwright", "python"}
    with pytest.raises(AttributeError):
        found.reason = "other"
    assert found.data is table
    assert str(found).splitlines()[0] == (
        "<Ising: 5 variables, 10 couplings, -1/+1> by moment-matching: penalised optimum"
    )


def test_the_order_of_a_graph_does_not_matter():
    table = rows(4)
    graph = dw.UndirectedGraph(RING.edges, nodes=["x4", "x2", "x1", "x3"])
    a, b = (dw.learn_undirected(table, graph=own) for own in (graph, RING))
    assert a.model == b.model
    assert a.graph.nodes == table.names


def test_threads_change_nothing():
    table = rows(12, 2000)
    a, b = (
        dw.learn_undirected(table, threads=n, method=dw.MomentMatching(optimiser="lbfgs"))
        for n in (1, 2)
    )
    assert np.array_equal(a.model.couplings, b.model.couplings)
    assert a.trace == b.trace


def test_states_of_the_data_and_codings():
    table = dw.Table({"a": ["n", "y", "n", "y", "y"], "b": ["no", "no", "yes", "yes", "yes"]})
    spins = dw.learn_undirected(table, method=dw.MomentMatching())
    bits = dw.learn_undirected(table, method=dw.MomentMatching(), coding="0/1")
    assert spins.model.states == {"a": ("n", "y"), "b": ("no", "yes")}
    assert np.allclose(bits.model.couplings, spins.model.to_coding("0/1").couplings, atol=1e-6)
    assert bits.model.coding == "0/1"
    assert bits.moment_gap < 1e-8


@pytest.mark.parametrize("kind", ["callback", "time limit"])
def test_a_run_that_is_stopped_keeps_what_it_has(kind):
    table = rows(16, 2000)
    seen = []

    def stop(progress):
        seen.append(progress.step)
        return kind == "callback" and progress.step >= 2

    slow = dw.MomentMatching(optimiser="gradient", tolerance=1e-14)
    found = dw.learn_undirected(
        table, method=slow, callback=stop, time_limit=0.4 if kind == "time limit" else None
    )
    assert found.reason == kind
    assert found.trace[-1].g < found.trace[0].g
    assert np.isfinite(found.model.theta).all()


def test_no_time_at_all():
    with pytest.raises(dw.Unfinished, match="stopped \\(time limit\\) before it had any answer"):
        dw.learn_undirected(rows(), time_limit=0, method=dw.MomentMatching())


def test_interrupts_keep_the_best():
    def interrupt(progress):
        if progress.step >= 1:
            raise KeyboardInterrupt

    slow = dw.MomentMatching(optimiser="gradient", tolerance=1e-14)
    with pytest.raises(dw.Interrupted) as caught:
        dw.learn_undirected(rows(16, 2000), method=slow, callback=interrupt)
    assert caught.value.result.reason == "interrupted"
    assert caught.value.result.trace


def test_a_method_of_ones_own():
    @dataclass(frozen=True)
    class Halves(UndirectedMethod):
        name = "halves"

        def learn(self, data, run):
            features = data.all_features()
            return UndirectedFound(
                features, np.full(len(features), 0.5), data.graph, "done", left_out=("nothing",)
            )

    found = dw.learn_undirected(rows(4), graph=RING, method=Halves())
    assert found.model.coupling("x1", "x2") == 0.5
    assert found.moment_gap > 0.01  # it is computed where the method does not say it
    assert found.left_out == ("nothing",)


def schema_of(name):
    return json.loads((IO / f"{name}.schema.json").read_text())


KINDS = ["ising", "log-linear", "undirected-graph", "undirected"]


def check(values):
    parts = {f"{kind}.schema.json": schema_of(kind) for kind in ["graph", *KINDS]}
    registry = referencing.Registry().with_resources(
        (name, referencing.Resource.from_contents(part)) for name, part in parts.items()
    )
    schema = parts[f"{values['kind']}.schema.json"]
    jsonschema.Draft202012Validator(schema, registry=registry).validate(values)


@pytest.mark.parametrize(
    "learned",
    [
        lambda: dw.learn_undirected(rows(4), graph=RING),
        lambda: dw.learn_undirected(rows(4), features=[["x1", "x2", "x3"], ["x4"]]),
        lambda: dw.learn_undirected(rows(4), method=dw.MomentMatching(l1=0.1), coding="0/1"),
    ],
)
def test_files(tmp_path, learned):
    found = learned()
    found.save(tmp_path / "found.json")
    assert dw.load(tmp_path / "found.json") == found
    assert dw.UndirectedResult.load(tmp_path / "found.json") == found
    values = json.loads((tmp_path / "found.json").read_text())
    check(values)
    check(values["model"])
    check(values["graph"])
    found.model.save(tmp_path / "model.json")
    assert dw.load(tmp_path / "model.json") == found.model
    del values["trace"]
    with pytest.raises(dw.DataError, match="'trace' is missing"):
        dw.UndirectedResult.from_dict(values)
    with pytest.raises(jsonschema.ValidationError):
        check(values)


def test_every_field_is_documented():
    text = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", text))))
    found = dw.learn_undirected(rows(4), graph=RING).to_dict()
    general = dw.learn_undirected(rows(4), features=[["x1", "x2"]]).model.to_dict()
    fields = {*found, *found["info"], *found["model"], *found["model"]["variables"][0]}
    assert {*fields, *found["graph"], *general, *general["features"][0]} <= documented


@pytest.mark.parametrize(
    "settings",
    [
        {"graph": RING, "method": dw.MomentMatching(optimiser="lbfgs", l2=0.01)},
        {"features": [["x1", "x2", "x3"], ["x4"]], "method": dw.IterativeProportionalFitting()},
        {"features": [dw.Feature(["x1", "x4"], lambda a, b: a == b, "agree")]},
        {"coding": "0/1", "seed": 5},
    ],
)
def test_replay(settings):
    table = rows(4, 5000)
    found = dw.learn_undirected(table, **settings)
    again = dw.replay(dw.UndirectedResult.from_dict(found.to_dict()), table)
    assert again.model == found.model
    assert again.trace == found.trace
    with pytest.raises(dw.DataError, match="not the data of the result"):
        dw.replay(found, rows(4, 4999))


def test_auto_finds_the_graph_then_matches_its_moments():
    graph = dw.UndirectedGraph([("x1", "x2"), ("x2", "x3"), ("x1", "x3"), ("x3", "x4")])
    truth = dw.Ising(np.zeros(4), 0.4 * graph.to_adjacency())
    found = dw.learn_undirected(truth.sample(20_000, seed=1))
    assert found.graph == graph
    assert (found.reason, found.moment_gap < 1e-8) == ("moments match", True)
    assert found.left_out
    assert not found.approximations


def test_auto_where_parameters_would_be_infinite():
    copies = dw.Table({"a": [0, 0, 1, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [0, 1, 0, 1] * 50})
    found = dw.learn_undirected(copies)
    assert found.graph.has_edge("a", "b")
    assert "would be infinite" in " ".join(found.approximations)


def test_auto_samples_where_it_is_too_wide():
    table = dw.Table.from_codes(np.random.default_rng(1).integers(0, 2, (1000, 26)))
    found = dw.learn_undirected(table, graph=dw.UndirectedGraph.complete(table.names))
    assert "contrastive divergence" in found.approximations[0]
    assert 0 < found.moment_gap_error <= 0.01
    assert found.moment_gap < 0.05


def test_auto_with_more_states_matches_all_pairs():
    table = dw.Table({"a": [0, 1, 2] * 40, "b": [0, 1, 1, 0] * 30, "c": [0, 0, 0, 1, 1] * 24})
    found = dw.learn_undirected(table)
    assert isinstance(found.model, dw.LogLinear)
    assert len(found.graph.edges) == 3
    assert found.moment_gap < 1e-8


def test_a_model_with_zeros_follows_the_schema():
    check(dw.LogLinear.from_bayes_net(dw.networks.load("asia")).to_dict())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "moments"}, "unknown method 'moments'"),
        ({"method": dw.MomentMatching}, "must be MomentMatching\\(...\\), not the class"),
        ({"method": 3}, "method must be a spec"),
        ({"graph": dw.Dag([("x1", "x2")])}, "give graph.moral_graph\\(\\)"),
        ({"graph": [("x1", "x2")]}, "graph must be an UndirectedGraph: give one"),
        ({"graph": dw.UndirectedGraph([("x1", "y")])}, "\\['x2', 'x3', 'x4', 'y'\\] are in one"),
        ({"graph": RING, "features": [["x1"]]}, "give graph or features, not both"),
        ({"features": []}, "features is empty"),
        ({"features": [["x1"]], "coding": "0/1"}, "has no features of its own"),
        ({"coding": "1/2"}, "coding must be"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(dw.DagwrightError, match=message):
        dw.learn_undirected(rows(4), **settings)


def test_bad_data():
    three = dw.Table({"a": [0, 1, 2, 1], "b": [0, 1, 0, 1]})
    with pytest.raises(dw.DataError, match="'a' has 3 states, but .*two: leave out coding for a"):
        dw.learn_undirected(three, coding="0/1")
    with pytest.raises(dw.DataError, match=r"\['b'\] have one state only"):
        dw.learn_undirected(dw.Table({"a": [0, 1], "b": [1, 1]}))
    with pytest.raises(dw.DataError, match="needs the rows in memory"):
        dw.learn_undirected(dw.Chunks([three]))


def test_twenty_spins_at_once():
    table = rows(20, 20_000)
    begin = time.perf_counter()
    found = dw.learn_undirected(table, method=dw.MomentMatching(tolerance=1e-6, l2=1e-3))
    assert time.perf_counter() - begin < 30
    assert found.reason == "penalised optimum"


def never_all_equal(n_more):
    """Three spins that never agree: every pair has all its cells, but couplings go to -inf."""
    kinds = [row for row in product("ny", repeat=3) if len(set(row)) > 1]
    rng = np.random.default_rng(0)
    rows = {name: [row[k] for row in kinds] * 100 for k, name in enumerate("abc")}
    more = {f"z{k}": rng.choice(["n", "y"], size=600).tolist() for k in range(n_more)}
    return dw.Table({**rows, **more})


def test_auto_keeps_the_selection_where_variables_together_make_parameters_infinite():
    result = dw.learn_undirected(never_all_equal(0))
    assert len(result.graph.edges) == 3
    assert any("pseudo-likelihood" in text for text in result.approximations)


@pytest.mark.parametrize("n_more", [0, 6, 9])
def test_parameters_that_are_infinite_by_three_variables_are_refused(n_more):
    with pytest.raises(dw.DataError, match="infinite"):
        dw.learn_undirected(never_all_equal(n_more), method="moment-matching")


def test_few_rows_of_many_variables_are_not_refused_where_parameters_are_finite():
    rows = np.random.default_rng(0).choice(["n", "y"], size=(600, 10))
    table = dw.Table({f"z{k}": rows[:, k].tolist() for k in range(10)})
    result = dw.learn_undirected(table, method="moment-matching")
    assert result.moment_gap < 1e-8


def test_auto_knows_the_closed_form_of_two_variables():
    rng = np.random.default_rng(0)
    codes = np.concatenate([list(product(range(30), repeat=2)), rng.integers(0, 30, (5000, 2))])
    result = dw.learn_undirected(dw.Table.from_codes(codes, names=["a", "b"]))
    assert result.reason == "closed form"
    assert result.moment_gap < 1e-12
