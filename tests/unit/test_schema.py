"""The model file: what is saved follows the schema, and the documented example loads."""

import dataclasses
import datetime as dt
import json
import re
from pathlib import Path

import jsonschema
import pytest
import referencing

import dagwright as dw

ROOT = Path(__file__).parents[2]
IO = Path(dw.__file__).parent / "io"
SCHEMA = json.loads((IO / "graph.schema.json").read_text())
NETWORK_SCHEMA = json.loads((IO / "bayesnet.schema.json").read_text())
BOOTSTRAP_SCHEMA = json.loads((IO / "bootstrap.schema.json").read_text())
POSTERIOR_SCHEMA = json.loads((IO / "posterior.schema.json").read_text())
DOC = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")


def check(values):
    jsonschema.Draft202012Validator(SCHEMA).validate(values)


def check_with_parts(values, schema):
    parts = {"graph.schema.json": SCHEMA}
    registry = referencing.Registry().with_resources(
        (name, referencing.Resource.from_contents(part)) for name, part in parts.items()
    )
    jsonschema.Draft202012Validator(schema, registry=registry).validate(values)


def check_network(values):
    check_with_parts(values, NETWORK_SCHEMA)


def check_posterior(values):
    check_with_parts(values, POSTERIOR_SCHEMA)


def results():
    rows = 24
    table = dw.Table(
        {
            "text": ["x", "é"] * 12,
            "whole": [1, 2, 3] * 8,
            "truth": [True, False] * 12,
            "day": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 12,
            "time": [dt.datetime(2020, 1, 1, 1, 2, 3), dt.datetime(2020, 1, 2)] * 12,
            "number": [i / 7 for i in range(rows)],
            "constant": [1.5] * rows,
        },
        discretize={"number": dw.Quantiles(3), "constant": dw.Quantiles(2)},
        weights=[0.5] * rows,
    )
    yield dw.learn(table)
    yield dw.learn(
        table,
        score=dw.BDeu(ess=3),
        search=dw.HillClimb(start=dw.Dag(nodes=table.names), max_steps=2),
        structure_prior=dw.EdgeBeliefs({("text", "whole"): (0.5, 0.1)}),
        constraints=dw.Constraints(tiers=[["text"], ["whole"]], max_parents=2),
        time_limit=60,
    )
    yield dw.learn(
        table,
        score=dw.Penalized(lambda n: 1.0),
        structure_prior=dw.Modular(lambda child, parents: 0.0),
        time_limit=0,
    )
    yield dw.learn(dw.Chunks([table, table]), score=dw.Dirichlet({("text", ("truth",)): 2.0}))


@pytest.mark.parametrize("number", range(4))
def test_saved_files_follow_the_schema(tmp_path, number):
    result = list(results())[number]
    path = tmp_path / "model.json"
    result.save(path)
    check(json.loads(path.read_text(encoding="utf-8")))
    loaded = dw.Result.load(path)
    assert loaded == result
    for name, states in result.states.items():
        assert [type(state) for state in loaded.states[name]] == [type(state) for state in states]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"kind": "bayesnet"},
        {"edges": [["a"]]},
        {"variables": []},
        {"variables": [{"name": "a", "states": [1.5]}]},
        {"score": None},
        {"info": {}},
    ],
)
def test_the_schema_refuses_other_files(change):
    values = next(results()).to_dict()
    check(values)
    with pytest.raises(jsonschema.ValidationError):
        check(values | change)
    with pytest.raises(dw.DataError):
        dw.Result.from_dict(values | change)


def example():
    return json.loads(re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)[0])


def test_the_documented_example_is_real():
    check(example())
    result = dw.Result.from_dict(example())
    assert result.to_dict() == example()
    rows = {
        "age": [20, 31, 44, 67] * 6,
        "smoke": ["no", "no", "yes", "yes"] * 6,
        "cough": ["no", "no", "yes", "yes"] * 5 + ["no", "yes", "yes", "yes"],
    }
    again = dw.replay(result, dw.Table(rows, discretize={"age": dw.Cuts(result.cuts["age"])}))
    assert again.dag == result.dag
    assert again.score == pytest.approx(result.score)


def test_every_field_is_documented():
    values = next(results()).to_dict()
    fields = {*values, *values["info"], "name", "states", "cuts", *values["trace"][0]}
    documented = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", DOC))))
    assert fields <= documented


def networks():
    rows = dw.Table({"smoke": ["no", "no", "no", "yes"], "cough": ["no", "no", "yes", "yes"]})
    dag = dw.Dag([("smoke", "cough")])
    yield dw.fit(dag, rows, dw.BDeu(2))
    yield dw.fit(dag, rows, "ml")
    yield dw.fit(dag, rows, dw.Dirichlet({("cough", ("smoke",)): [[1, 2], [3, 4]]}))
    yield dw.BayesNet(dag, {"smoke": [0.5, 0.5], "cough": [[0.5, 0.5], [float("nan")] * 2]})
    codes = [[i >> k & 1 for i in range(40)] for k in range(20)]
    wide = dw.Table.from_codes(codes, states=[(0, 1)] * 20)
    yield dw.fit(dw.Dag([(f"x{i}", "x20") for i in range(1, 20)]), wide, dw.BDeu(1))
    yield from map(dw.networks.load, dw.networks.names)


def test_networks_follow_their_schema(tmp_path):
    seen = set()
    for model in networks():
        model.save(tmp_path / "model.json")
        values = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
        check_network(values)
        assert dw.load(tmp_path / "model.json") == model
        seen |= {*values, *(key for table in values["tables"] for key in table)}
    documented = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", DOC))))
    assert {"configs", "alpha", "counts", "probabilities"} <= seen <= documented


def test_shipped_networks_follow_the_schema_and_name_their_source():
    for name in dw.networks.names:
        path = Path(dw.networks.__file__).parent / f"{name}.json"
        values = json.loads(path.read_text(encoding="utf-8"))
        check_network(values)
        assert values["source"] == dw.networks.source(name)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "graph"},
        {"variables": []},
        {"tables": [{"child": "smoke", "parents": []}]},
        {"tables": [{"child": "smoke", "parents": [], "counts": [[-1, 2]]}]},
        {"parameters": "best"},
    ],
)
def test_the_schema_of_networks_refuses_other_files(change):
    values = next(networks()).to_dict()
    with pytest.raises(jsonschema.ValidationError):
        check_network(values | change)
    with pytest.raises(dw.DagwrightError):
        dw.BayesNet.from_dict(values | change)


def test_the_documented_network_is_real():
    values = json.loads(re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)[1])
    assert values == next(networks()).to_dict()


def posterior_example():
    return json.loads(re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)[2])


def test_posteriors_follow_their_schema_and_are_documented(tmp_path):
    dags = [dw.Dag([("smoke", "cough")]), dw.Dag(nodes=["smoke", "cough"])]
    posterior = dw.Posterior.from_dags(
        [[*dags, dags[0]]], [[-1.0, -2.0, -1.0]], log_weights=[[0.0, 1.5, 0.0]]
    )
    both = posterior.concat(posterior, along="draws")
    posterior = dataclasses.replace(both, state={"step": 7})
    posterior.save(tmp_path / "posterior.json")
    values = json.loads((tmp_path / "posterior.json").read_text(encoding="utf-8"))
    check_posterior(values)
    documented = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", DOC))))
    assert {*values, *values["info"], "log_weights", "state"} <= documented


def test_the_documented_posterior_is_real():
    values = posterior_example()
    check_posterior(values)
    posterior = dw.Posterior.from_dict(values)
    assert posterior.to_dict() == values
    assert posterior.edge_probabilities()["smoke", "cough"] == 0.75


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "graph"},
        {"variables": []},
        {"parent_sets": [[[]], [["smoke"]]]},
        {"graphs": [[0, -1]]},
        {"draws": []},
        {"scores": [[None]]},
        {"info": {}},
        {"state": []},
    ],
)
def test_the_schema_of_posteriors_refuses_other_files(change):
    values = posterior_example()
    with pytest.raises(jsonschema.ValidationError):
        check_posterior(values | change)
    with pytest.raises(dw.DagwrightError):
        dw.Posterior.from_dict(values | change)


def check_bootstrap(values):
    check_with_parts(values, BOOTSTRAP_SCHEMA)


def bootstraps():
    rows = {
        "smoke": ["no", "no", "yes", "yes"] * 4,
        "cough": ["no", "no", "yes", "yes"] * 3 + ["no", "yes", "yes", "yes"],
    }
    yield dw.bootstrap(rows, replicates=4, seed=2, threads=1)
    cut = dw.Table(rows | {"x": [i / 7 for i in range(16)]}, discretize={"x": dw.Quantiles(3)})
    yield dw.bootstrap(
        cut.with_weights([1.5] * 16),
        search=dw.Tabu(),
        score=dw.BDeu(2),
        structure_prior=dw.EdgePenalty(0.5),
        constraints=dw.Constraints(tiers=[["smoke"], ["cough"]]),
        kind="bayesian",
        replicates=3,
        time_limit=60,
    )


def test_bootstraps_follow_their_schema_which_is_documented(tmp_path):
    documented = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", DOC))))
    for boot in bootstraps():
        boot.save(tmp_path / "boot.json")
        values = json.loads((tmp_path / "boot.json").read_text(encoding="utf-8"))
        check_bootstrap(values)
        assert dw.load(tmp_path / "boot.json").to_dict() == values
        assert {*values, *values["info"], *values["edges"][0]} <= documented


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "graph"},
        {"variables": []},
        {"graphs": []},
        {"graphs": [[-1, 0]]},
        {"parent_sets": []},
        {"info": {}},
    ],
)
def test_the_schema_of_bootstraps_refuses_other_files(change):
    values = next(bootstraps()).to_dict()
    with pytest.raises(jsonschema.ValidationError):
        check_bootstrap(values | change)
    with pytest.raises(dw.DagwrightError):
        dw.Bootstrap.from_dict(values | change)


def test_the_documented_bootstrap_is_real():
    values = json.loads(re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)[3])
    check_bootstrap(values)
    boot = dw.Bootstrap.from_dict(values)
    assert boot.to_dict() == values
    assert boot.info.data_digest == next(bootstraps()).info.data_digest
