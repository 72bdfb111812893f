"""The model file: what is saved follows the schema, and the documented example loads."""

import datetime as dt
import json
import re
from pathlib import Path

import jsonschema
import pytest

import dagwright as dw

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((Path(dw.__file__).parent / "io" / "graph.schema.json").read_text())
DOC = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")


def check(values):
    jsonschema.Draft202012Validator(SCHEMA).validate(values)


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
    (text,) = re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)
    return json.loads(text)


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
