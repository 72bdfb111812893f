"""Whatever a user gives: a clear DagwrightError or a right answer, never a crash."""

import copy
import itertools
import json
import os
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dagwright as dw
from child import in_child
from dagwright.cli.main import main

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def table():
    rows = {"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5, "c": ["n", "y"] * 10}
    return dw.Table(rows)


@pytest.fixture
def dag():
    return dw.Dag([("a", "b")], nodes=["a", "b", "c"])


@pytest.fixture
def command(capfd, monkeypatch, tmp_path):
    """Run a command in an empty folder; return exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*args):
        monkeypatch.setattr(sys, "argv", ["dagwright", *map(str, args)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return command


# ------------------------------------------------------------------------------------- files

FILES = {
    "empty file": (b"", "the file is empty"),
    "header only": (b"a,b\n", "no rows"),
    "duplicate names": (b"a,a\n1,2\n", "'a' belongs to 2 variables"),
    "ragged": (b"a,b\n1,2\n3\n", "line 3 has 1 fields"),
    "ragged, too long": (b"a,b\n1,2\n1,2,3\n", "line 3 has 3 fields"),
    "NUL bytes": (b"a,b\n1,x\0y\n", "NUL byte"),
    "not UTF-8": (b"a,b\nx,\xff\xfe\n", "line 2 is not UTF-8"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), "is not UTF-8"),
    "all missing": (b"a,b\n,1\n,2\n", "values are missing ('a': 2 of 2 rows)"),
    "some missing": (b"a,b\n,1\nx,2\n", "values are missing ('a': 1 of 2 rows)"),
    "an empty name": (b"a,\n1,2\n", "the name of variable 2 is ''"),
    "floats": (b"a,b\n1.5,1\n2.5,2\n", "'a' holds floats"),
    "too many states": (b"a\n" + b"".join(b"%d\n" % i for i in range(300)), "300 states"),
    "an open quote": (b'a,b\n"1,2\n', "line"),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_files(command, case):
    content, words = FILES[case]
    Path("data.csv").write_bytes(content)
    with pytest.raises(dw.DataError) as caught:
        dw.read("data.csv")
    assert words in str(caught.value)
    assert "data.csv" in str(caught.value)
    code, out, err = command("learn", "data.csv")
    assert (code, out) == (1, "")
    assert "data.csv" in err
    assert words in err


@pytest.mark.parametrize(
    ("content", "n_rows"),
    [
        (b"a,b\n1,2\n", 1),
        (b"a,b\nx,1\nx,1\nx,1\n", 3),  # constant variables, one state each
        (b"a\n1\n2\n", 2),  # one variable
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4\r\n", 2),  # as Windows writes it
        (b'"a","b, c"\n1,"x\ny"\n2,z', 2),
    ],
)
def test_small_but_right_files(command, content, n_rows):
    Path("data.csv").write_bytes(content)
    table = dw.read("data.csv")
    assert len(table) == n_rows
    result = dw.learn(table)
    best = max(dw.score(dag, table) for dag in dw.all_dags(table.names))
    assert result.score == pytest.approx(best)
    code, out, err = command("learn", "data.csv", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["score"] == result.score


@pytest.mark.parametrize("name", ["data.csv", "data.tsv", "data.parquet", "data.csv.gz"])
@pytest.mark.parametrize("content", [b"", b"\0\1\2PAR1", bytes(range(256))])
def test_files_of_nonsense(command, name, content):
    Path(name).write_bytes(content)
    with pytest.raises(dw.DataError, match="data"):
        dw.read(name)
    assert command("learn", name)[0] == 1


@pytest.mark.parametrize("path", [None, 3, b"x.csv", pd.DataFrame({"a": [1]}), "a\0b.csv"])
def test_paths_that_are_none(path):
    with pytest.raises(dw.DataError, match="path"):
        dw.read(path)
    for read in (dw.Result.load, dw.Dag.from_graphml, dw.Constraints.from_toml):
        with pytest.raises(dw.DataError, match="path"):
            read(path)
    with pytest.raises(dw.DataError, match="path"):
        dw.Dag([("a", "b")]).to_graphml(path)


def test_absent_files_and_directories(tmp_path):
    for read in (dw.read, dw.Result.load, dw.Dag.from_graphml, dw.Constraints.from_toml):
        with pytest.raises(dw.DataError, match=r"(?i)no such file"):
            read(tmp_path / "absent.csv")
        with pytest.raises(dw.DataError, match="directory"):
            read(tmp_path)
    with pytest.raises(dw.DataError, match="too long"):
        dw.read("a" * 5000 + ".csv")


def test_unwritable_outputs(command, table, dag, tmp_path, monkeypatch):
    result = dw.learn(table)
    table.to_frame().to_csv("data.csv", index=False)
    for write in (result.save, dag.to_graphml):
        for path, words in ((tmp_path, "is a directory"), (tmp_path / "no" / "x", "no directory")):
            with pytest.raises(dw.DataError, match=words):
                write(path)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(dw.DataError, match="permission denied"):
        result.save("model.json")
    code, out, err = command("learn", "data.csv", "-o", "model.json")
    assert (code, out) == (1, "")  # said before the run, not after it
    assert "permission denied" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk(table, tmp_path):
    (tmp_path / "full.json").symlink_to("/dev/full")
    with pytest.raises(dw.DataError, match="No space left"):
        dw.learn(table).save(tmp_path / "full.json")


# -------------------------------------------------------------------------------- model files


def _model(table):
    return dw.learn(table, constraints=dw.Constraints(required=[("a", "b")])).to_dict()


BROKEN = {
    "a list": lambda model: [model],
    "not ours": lambda model: {"nodes": [], "edges": []},
    "another format": lambda model: model | {"format": "bif"},
    "a later version": lambda model: model | {"version": 2},
    "another kind": lambda model: model | {"kind": "posterior"},
    "no edges": lambda model: {k: v for k, v in model.items() if k != "edges"},
    "edges of nothing": lambda model: model | {"edges": 3},
    "an edge of three": lambda model: model | {"edges": [["a", "b", "c"]]},
    "an unknown node": lambda model: model | {"edges": [["a", "z"]]},
    "a cycle": lambda model: model | {"edges": [["a", "b"], ["b", "a"]]},
    "a score of text": lambda model: model | {"score": "high"},
    "no score": lambda model: model | {"score": None},
    "a variable twice": lambda model: model | {"variables": model["variables"] * 2},
    "no variables": lambda model: model | {"variables": None},
    "variables of text": lambda model: model | {"variables": "abc"},
    "a name of 3": lambda model: model | {"variables": [{"name": 3, "states": ["x"]}]},
    "no states": lambda model: model | {"variables": [{"name": "a"}]},
    "states of text": lambda model: model | {"variables": [{"name": "a", "states": [1.5]}]},
    "a bad date": lambda m: m | {"variables": [{"name": "a", "states": [{"date": "x"}]}]},
    "info of nothing": lambda model: model | {"info": None},
    "info without seed": lambda model: model | {"info": {"score": {}}},
    "a step of nothing": lambda model: model | {"trace": [3]},
}


@pytest.mark.parametrize("case", BROKEN)
def test_model_files_that_are_not_ours(command, table, case):
    Path("model.json").write_text(json.dumps(BROKEN[case](_model(table))))
    with pytest.raises(dw.DataError, match=r"model\.json: "):
        dw.Result.load("model.json")
    table.to_frame().to_csv("data.csv", index=False)
    code, out, err = command("score", "model.json", "data.csv")
    assert (code, out) == (1, "")
    assert "model.json: " in err


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"score": NaN}', "\ud800", "null"])
def test_files_that_are_not_json(command, text):
    Path("model.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(dw.DataError, match=r"model\.json"):
        dw.Result.load("model.json")


def test_unknown_keys_of_a_model_file_are_left_out(table):
    expected = _model(table)
    model = copy.deepcopy(expected)
    model["info"]["later"] = 1
    model["later"] = 1
    assert dw.Result.from_dict(model).to_dict() == expected | {
        "info": {k: v for k, v in model["info"].items() if k != "later"}
    }


def test_a_graph_that_does_not_fit_the_data(command, table, dag):
    dw.learn(table).save("model.json")
    table.select(["a", "b"]).to_frame().to_csv("few.csv", index=False)
    code, _, err = command("score", "model.json", "few.csv")
    assert code == 1
    assert "'c' is no variable" in err
    frame = table.to_frame().astype(str)
    frame.assign(a="maybe").to_csv("other.csv", index=False)
    code, _, err = command("score", "model.json", "other.csv")
    assert code == 1
    assert "'a' has 'maybe' in row 0" in err
    for graph, words in (
        (dw.Dag([("a", "b")]), "no node for the variables 'c'"),
        (dw.Dag([("a", "bb")], nodes=["a", "bb", "b", "c"]), "no variable 'bb'"),
        (dw.learn(table), "not a Result: give its attribute dag"),
        (dag.cpdag(), "not a Cpdag"),
        ([("a", "b")], "not a list"),
    ):
        with pytest.raises(dw.GraphError, match=words):
            dw.score(graph, table)


# ------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize("value", [NAN, INF, -INF, 0, -1, True, "10", None, 1j, 10**400, [1]])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (dw.BDeu, "ess"),
        (lambda ess: dw.BDe(np.ones(2), variables=["a"], ess=ess), "ess"),
        (lambda alpha: dw.Dirichlet(alpha), "alpha"),
        (lambda phi: dw.Penalized(phi) if phi != 0 else dw.Penalized(-1), "phi"),
        (dw.EdgePenalty, "c"),
        (lambda trust: dw.EdgeBeliefs([{("a", "b"): (0.1, 0.1)}], trust=[trust]), "trust"),
    ],
)
def test_numbers_that_must_be_positive(make, name, value):
    with pytest.raises(dw.SpecError, match=name):
        make(value)


@pytest.mark.parametrize("value", [-1, NAN, INF, "0", True, [1]])
@pytest.mark.parametrize("name", ["min_gain", "max_steps"])
def test_settings_of_a_climb(name, value):
    with pytest.raises(dw.SpecError, match=f"HillClimb: {name} must be"):
        dw.HillClimb(**{name: value})


@pytest.mark.parametrize("start", ["x", 3, None, np.zeros(3), pd.DataFrame({"a": [1]}), ["empty"]])
def test_starts_that_are_none(start):
    with pytest.raises(dw.SpecError, match="start must be one of empty, complete, tree, random"):
        dw.HillClimb(start=start)


def test_numbers_of_numpy(table, tmp_path):
    result = dw.learn(
        table,
        score=dw.BDeu(ess=np.float64(10)),
        search=dw.HillClimb(max_steps=np.int64(5), min_gain=np.float32(0)),
        constraints=dw.Constraints(max_parents=np.int8(2)),
        structure_prior=dw.EdgePenalty(np.float32(0.5)),
        seed=np.int64(1),
        threads=np.int32(2),
        time_limit=np.float64(30),
    )
    result.save(tmp_path / "model.json")
    assert dw.Result.load(tmp_path / "model.json") == result
    assert dw.replay(result, table).dag == result.dag
    assert repr(dw.BDeu(np.float64(10))) == "BDeu(ess=10.0)"
    assert dw.Table({"a": [1]}, max_states=np.int64(7)) == dw.Table({"a": [1]})
    assert dw.random_dag(["a", "b"], seed=np.int64(3)) == dw.random_dag(["a", "b"], seed=3)
    assert dw.Quantiles(np.int16(3)) == dw.Quantiles(3)


WRONG_ARGUMENTS = [
    ({"score": dw.BIC}, r"score=<class .* is not a score: give one such as BIC\(\)"),
    ({"score": "bic"}, "score='bic' is not a score"),
    ({"search": "hill-climb"}, "search='hill-climb' is not a search"),
    ({"search": dw.HillClimb}, r"is not a search: give one such as HillClimb\(\)"),
    ({"search": 3}, "search=3 is not a search"),
    ({"structure_prior": "edges"}, "structure_prior='edges'"),
    ({"structure_prior": dw.Uniform}, "structure_prior=<class"),
    ({"structure_prior": 0.5}, "structure_prior=0.5"),
    ({"constraints": {"max_parents": 2}}, r"constraints must be Constraints\(...\), not {'max_"),
    ({"seed": -1}, "seed must be a whole number, from 0"),
    ({"seed": True}, "seed must be a whole number"),
    ({"seed": 1.0}, "seed must be a whole number"),
    ({"seed": 2**64}, "seed must be a whole number"),
    ({"threads": 0}, "threads must be a whole number, from 1"),
    ({"threads": "2"}, "threads must be a whole number"),
    ({"threads": 10**6}, "threads must be a whole number, from 1 to 1024"),
    ({"time_limit": -1}, "time_limit must be seconds, 0 or more, not -1"),
    ({"time_limit": NAN}, "time_limit must be seconds"),
    ({"time_limit": "1"}, "time_limit must be seconds"),
    ({"callback": 3}, "callback must be a function of the progress, not 3"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG_ARGUMENTS)
def test_wrong_arguments_of_learn(table, arguments, words):
    with pytest.raises(dw.SpecError, match=words):
        dw.learn(table, **arguments)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "a NoneType is not a frame"),
        (3, "a int is not a frame"),
        ("survey.csv", r"use dw\.read\('survey\.csv'\)"),
        (Path("survey.csv"), r"use dw\.read\('survey\.csv'\)"),
        (np.zeros((2, 2), int), r"use Table\.from_codes"),
        ([{"a": 1}], "a list is not a frame"),
        ((row for row in [1]), "a generator is not a frame"),
        (pd.Series([1, 2], name="a"), "a Series is one variable"),
        (pl.Series("a", [1, 2]), "a Series is one variable"),
        (pl.LazyFrame({"a": [1]}), "collect"),
        ({}, "no variables"),
        ({"a": []}, "no rows"),
        ({"a": 3}, "variable 'a' is a int"),
        ({"a": "abc"}, "variable 'a' is a str"),
        ({"a": (x for x in [1, 2])}, "variable 'a' is a generator"),
        ({"a": [[1], [2]]}, "variable 'a' has values of the type list"),
        ({"a": [1], "b": [1, 2]}, "different numbers of rows"),
        ({"a": [None, None]}, "leave out 'a'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' belongs to 2 variables"),
    ],
)
def test_data_that_are_none(data, words):
    for use in (dw.learn, dw.Scorer, dw.Table, lambda data: dw.score(dw.Dag(), data)):
        with pytest.raises(dw.DataError, match=words):
            use(data)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([-1, 2], "negative in row 0"),
        ([1, NAN], "NaN in row 1"),
        ([1, INF], "infinite in row 1"),
        ([0, 0], "add up to 0"),
        ([1], "do not fit 2 rows"),
        (3, "do not fit 2 rows"),
        ("w", "'w' is no variable"),
        ([None, 1], "of the type object"),
        ([True, False], "of the type bool"),
        (["1", "2"], "of the type"),
        ([[1, 2], 3], "one number a row"),
        ((x for x in [1, 2]), "do not fit 2 rows"),
    ],
)
def test_bad_weights(weights, words):
    with pytest.raises(dw.DataError, match=words):
        dw.Table({"a": [1, 2]}, weights=weights)
    if not isinstance(weights, str):
        with pytest.raises(dw.DataError, match="weights"):
            dw.Scorer(dw.Table({"a": [1, 2]})).reweighted(weights)


def test_bad_weights_of_a_file(command):
    for weight, words in (
        (-1, "negative"),
        ("nan", "missing"),
        ("x", "no numbers"),
        ("", "missing"),
    ):
        Path("data.csv").write_text(f"a,w\nx,1\ny,{weight}\n")
        code, _, err = command("learn", "data.csv", "--weights", "w")
        assert code == 1
        assert "weights (variable 'w')" in err
        assert words in err


def test_series_and_indexes_are_taken():
    weights = pd.Series([1, 2], index=[7, 9])
    assert dw.Table({"a": [1, 2]}, weights=weights).weights.tolist() == [1, 2]
    names = pd.Index(["a", "b"])
    codes = np.zeros((2, 2), int)
    assert dw.Table.from_codes(codes, names=names).names == ("a", "b")
    assert dw.Table.from_codes(codes, names=(n for n in "ab")).names == ("a", "b")
    assert dw.Table({"a": [1], "b": [1]}).select(names).names == ("a", "b")
    assert dw.Dag([("a", "b")], nodes=names).nodes == ("a", "b")
    assert dw.Constraints(required=(e for e in [("a", "b")])).required == (("a", "b"),)
    assert dw.Table({"a": ["x"]}, states={"a": np.array(["y", "x"])}).states["a"] == ("y", "x")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"states": 3}, "states must be a mapping"),
        ({"states": {"a": 3}}, "the states of 'a' must be a sequence"),
        ({"states": {"b": [1]}}, "states: 'b' is no variable"),
        ({"discretize": 3}, "discretize must be a mapping"),
        ({"discretize": {"a": 4}}, r"discretize\['a'\] must be dw\.Quantiles"),
        ({"discretize": {"a": dw.Quantiles}}, r"discretize\['a'\] must be dw\.Quantiles"),
        ({"missing": "skip"}, 'missing must be "error" or "drop"'),
        ({"missing": None}, 'missing must be "error" or "drop"'),
        ({"unseen": 1}, 'unseen must be "error" or "extend"'),
        ({"max_states": 0}, "max_states must be a whole number, from 1"),
        ({"max_states": 10**6}, "max_states must be a whole number, from 1"),
    ],
)
def test_wrong_arguments_of_a_table(tmp_path, arguments, words):
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    for make in (
        lambda **arguments: dw.Table({"a": [1, 2]}, **arguments),
        lambda **arguments: dw.read(tmp_path / "a.csv", **arguments),
    ):
        with pytest.raises((dw.DataError, dw.SpecError), match=words):
            make(**arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"delimiter": "ab"}, "delimiter must be one character"),
        ({"delimiter": 5}, "delimiter must be one character"),
        ({"delimiter": '"'}, "delimiter must be one character"),
        ({"delimiter": "\n"}, "delimiter must be one character"),
        ({"leave_out": "a"}, "leave_out must be a list"),
        ({"leave_out": 3}, "leave_out must be a list"),
        ({"leave_out": ["z"]}, "leave_out: 'z' is no variable"),
        ({"leave_out": ["a", "b"]}, "leaves no variable"),
    ],
)
def test_wrong_arguments_of_read(tmp_path, arguments, words):
    (tmp_path / "a.csv").write_text("a,b\n1,1\n2,2\n")
    with pytest.raises((dw.DataError, dw.SpecError), match=words):
        dw.read(tmp_path / "a.csv", **arguments)


def test_leave_out(tmp_path):
    (tmp_path / "a.csv").write_text('a,"say ""b"""\n1.5,1\n2.5,2\n')
    assert dw.read(tmp_path / "a.csv", leave_out=["a"]).names == ('say "b"',)
    with pytest.raises(dw.DataError, match="'a' holds floats"):
        dw.read(tmp_path / "a.csv", leave_out=['say "b"'])


@pytest.mark.parametrize(
    ("codes", "arguments", "words"),
    [
        (None, {}, "codes must be an array"),
        (3, {}, "codes must be an array"),
        ("ab", {}, "codes must be 1-D"),
        (np.zeros(3, int), {}, "codes of shape"),
        (np.zeros((2, 2)), {}, "of the type float64"),
        (-np.ones((2, 2), int), {}, "the code -1 in row 0"),
        (np.full((2, 2), 10**12), {}, "the code 1000000000000 in row 0"),
        ([[0], [1, [2]]], {}, "codes must be"),
        (np.zeros((2, 2), int), {"names": "ab"}, "names must be a list"),
        (np.zeros((2, 2), int), {"names": 3}, "names must be a list"),
        (np.zeros((2, 2), int), {"names": ["a"]}, "1 names do not fit 2 variables"),
        (np.zeros((2, 2), int), {"names": []}, "0 names do not fit 2 variables"),
        (np.zeros((2, 2), int), {"states": 3}, "states must be a mapping"),
        (np.zeros((2, 2), int), {"states": [3, 4]}, "the states of 'x1'"),
    ],
)
def test_wrong_codes(codes, arguments, words):
    with pytest.raises(dw.DataError, match=words):
        dw.Table.from_codes(codes, **arguments)


def test_wrong_arguments_of_the_table_s_methods(table):
    for wrong in (
        lambda: table.select("a"),
        lambda: table.select(3),
        lambda: table.select(["z"]),
        lambda: table.take("x"),
        lambda: table.take([99]),
        lambda: table.head("x"),
        lambda: table.head(0),
        lambda: table.to_frame("xlsx"),
        lambda: table.to_frame(["pandas"]),
        lambda: table.with_weights("x"),
    ):
        with pytest.raises(dw.DagwrightError):
            wrong()


# --------------------------------------------------------- graphs, constraints, scores, scorers


@pytest.mark.parametrize("edges", [3, None, "ab", [("a", "b", "c")], {"a": "b"}, [1], [("a", 1)]])
def test_edges_that_are_none(edges):
    for make in (
        dw.Dag,
        dw.Cpdag,
        lambda edges: dw.Constraints(required=edges),
        lambda edges: dw.Constraints(forbidden=edges),
        lambda edges: dw.Constraints(adjacent=edges),
    ):
        with pytest.raises(dw.GraphError, match="pair|a node's name"):
            make(edges)


def test_constraints_that_cannot_be(command, table):
    with pytest.raises(dw.GraphError, match="a cycle: a -> b -> a"):
        dw.Constraints(required=[("a", "b"), ("b", "a")])
    with pytest.raises(dw.GraphError, match="unknown node 'bb'; did you mean 'b'"):
        dw.learn(table, constraints=dw.Constraints(required=[("a", "bb")]))
    for tiers in (3, "ab", {"a": 1}, ["ab"]):
        with pytest.raises(dw.GraphError, match="tier"):
            dw.Constraints(tiers=tiers)
    with pytest.raises(dw.SpecError, match="mapping"):
        dw.Constraints.from_dict([1])
    table.to_frame().to_csv("data.csv", index=False)
    for text, code in (('required = [["a","b"],["b","a"]]', 2), ('required = [["a","zz"]]', 1)):
        Path("rules.toml").write_text(text)
        assert command("learn", "data.csv", "--constraints", "rules.toml")[0] == code


def test_no_edge_is_possible(table):
    for constraints in (
        dw.Constraints(max_parents=0),
        dw.Constraints(forbidden=itertools.permutations("abc", 2)),
        dw.Constraints(max_parameters=1),
    ):
        for start in ("empty", "complete", "tree", "random"):
            search = dw.HillClimb(start=start)
            assert dw.learn(table, search=search, constraints=constraints).dag.edges == ()
    assert dw.learn(table.select(["a"])).dag.nodes == ("a",)


MANY = 2**31


@pytest.mark.parametrize(
    "search",
    [
        dw.HillClimb(restarts=MANY),
        dw.HillClimb(restarts=MANY, perturbation=3),
        dw.HillClimb(restarts=1, perturbation=MANY),
        dw.Tabu(restarts=MANY),
        dw.Tabu(tenure=MANY, patience=MANY),
        dw.Tabu(explore=MANY),
        dw.Anneal(restarts=MANY),
        dw.Anneal(reheats=MANY),
        dw.Anneal(proposals=2**53),
        dw.Perturb(restarts=MANY),
        dw.Perturb(rounds=MANY),
        dw.K2Search(order="random", restarts=MANY),
        dw.OrderSearch(patience=MANY),
        dw.OrderSearch(patience=1, enrichments=MANY),
    ],
    ids=repr,
)
def test_without_end_the_clock_ends_it(table, search):
    """Few variables: soon every score comes from the cache, which must not outrun the clock."""
    result = dw.learn(table, search=search, time_limit=0.3)
    assert result.reason == "time limit"
    assert result.info.seconds < 15  # Anneal then goes back over its moves: long with sanitizers
    assert result.dag.nodes == table.names


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--search", "k2-search:order=[a,b]", "the order lacks 'c'; it must name every variable"),
        ("--search", "k2-search:order=[a,b,b,c]", "the order has 'b' more than once"),
        ("--search", "chow-liu:root=z", "root='z' is no variable of the data; there are 'a'"),
        ("--search", "tree-augmented-naive-bayes:target=z", "target='z' is no variable"),
        ("--search", "tree-augmented-naive-bayes", "needs tree-augmented-naive-bayes:target="),
        ("--search", "tabu:tenure=0", "Tabu: tenure must be a whole number, from 1"),
        ("--search", "anneal:temperature=-1", "temperature must be a finite number above 0"),
        ("--search", "order-search:chains=0", "OrderSearch: chains must be .* from 1 .* not 0"),
        ("--search", "order-search:start=c", "OrderSearch: start must be one of empty"),
        ("--search", "order-search:chain=3", "no setting 'chain'.*did you mean 'chains'"),
        ("--seed", "-1", "seed must be a whole number, from 0 .* not -1"),
        ("--time-limit", "-1", "time_limit must be seconds, 0 or more, not -1"),
    ],
)
def test_what_a_search_cannot_take_at_the_command_line(command, table, option, value, words):
    table.to_frame().to_csv("data.csv", index=False)
    code, _, err = command("learn", "data.csv", option, value)
    assert code == 2
    assert re.search(words, err), err


def test_wrong_arguments_of_graphs(table, dag):
    for wrong in (
        lambda: dw.Dag([], nodes=3),
        lambda: dw.Dag.from_dict({}),
        lambda: dw.Dag.from_dict(3),
        lambda: dw.Dag.from_parents(3),
        lambda: dw.Dag.from_parents({"a": 3}),
        lambda: dw.Dag.from_adjacency("x", nodes=["a"]),
        lambda: dw.Dag.from_networkx(3),
        lambda: dw.compare(dag, 3),
        lambda: dw.compare(dag, dw.learn(table)),
        lambda: dw.shd(None, dag),
        lambda: dw.random_dag(3),
        lambda: dw.random_dag(["a"], seed="x"),
        lambda: dw.random_dag(["a"], seed=-1),
        lambda: dw.n_dags("x"),
        lambda: dw.n_dags(2.5),
        lambda: dw.Constraints().violations(3),
    ):
        with pytest.raises((dw.GraphError, dw.SpecError)):
            wrong()


def test_wrong_arguments_of_a_scorer(table, dag):
    scorer = dw.Scorer(table)
    for wrong in (
        lambda: scorer.local("z"),
        lambda: scorer.local(["a"]),
        lambda: scorer.local("a", "b"),
        lambda: scorer.local("a", 3),
        lambda: scorer.local("a", ["a"]),
        lambda: scorer.local("a", ["b", "b"]),
        lambda: scorer.batch(3),
        lambda: scorer.batch(["a"]),
        lambda: scorer.batch([("a", ())], threads=0),
        lambda: scorer.gains("a", candidates=["a"]),
        lambda: scorer.entropy("ab"),
        lambda: scorer.entropy(3),
        lambda: scorer.with_score(dw.BIC),
        lambda: scorer.score(3),
        lambda: scorer.decompose(None),
        lambda: scorer.decompose(dag).total("x"),
        lambda: dw.Scorer(table, cache_bytes=-1),
        lambda: dw.learn(scorer, score=dw.BIC()),
        lambda: dw.replay(3, table),
        lambda: dw.replay(dw.learn(table), None),
        lambda: dw.replay(dw.learn(table), {"a": [1, 2]}),
    ):
        with pytest.raises(dw.DagwrightError):
            wrong()


def test_wrong_arguments_of_scores(table):
    for wrong in (
        lambda: dw.BDe("x", ["a"]),
        lambda: dw.BDe(np.ones((2, 2)), ["a"]),
        lambda: dw.BDe(np.ones((2, 2)), "ab"),
        lambda: dw.BDe(np.ones(2), 3),
        lambda: dw.BDe(np.zeros(2), ["a"]),
        lambda: dw.learn(table, score=dw.BDe(np.ones((2, 2)), ["a", "b"])),
        lambda: dw.Dirichlet([1, 2]),
        lambda: dw.Dirichlet({"a": 3}),
        lambda: dw.Dirichlet({("a", ("b",)): "x"}),
        lambda: dw.learn(table, score=dw.Dirichlet({("a", ("b",)): [1]})),
        lambda: dw.learn(table, score=dw.Dirichlet({("z", ("b",)): 1})),
        lambda: dw.learn(table, score=dw.Dirichlet(lambda child, parents: None)),
        lambda: dw.learn(table, score=dw.Penalized(lambda n: None)),
        lambda: dw.EdgeBeliefs(3),
        lambda: dw.EdgeBeliefs([]),
        lambda: dw.EdgeBeliefs({"ab": (0.1, 0.1)}),
        lambda: dw.EdgeBeliefs({(1, "a"): (0.1, 0.1)}),
        lambda: dw.EdgeBeliefs({("a", "b"): 3}),
        lambda: dw.EdgeBeliefs({("a", "b"): (1, 0)}),
        lambda: dw.EdgeBeliefs({("a", "b"): (0.1, 0.1)}, trust=3),
        lambda: dw.learn(table, structure_prior=dw.EdgeBeliefs({("a", "z"): (0.1, 0.1)})),
        lambda: dw.Modular(3),
        lambda: dw.learn(table, structure_prior=dw.Modular(lambda child, parents: None)),
        lambda: dw.learn(table, structure_prior=dw.Modular(lambda child, parents: NAN)),
    ):
        with pytest.raises(dw.DagwrightError):
            wrong()


def test_scores_and_searches_in_python_that_return_nonsense(table):
    class Constant:
        def __init__(self, value):
            self.value = value

        def local(self, family):
            return self.value

        def find(self, scorer, constraints, run):
            return self.value

    with pytest.raises(dw.SpecError, match=r"Constant\.local must return a number.*None"):
        dw.learn(table, score=Constant(None))
    for value in (NAN, INF, -INF):
        with pytest.raises(dw.DataError, match="has the score"):
            dw.learn(table, score=Constant(value))
    with pytest.raises(dw.SpecError, match=r"returned a NoneType, but a search returns a Found"):
        dw.learn(table, search=Constant(None))
    for dag in (None, dw.Dag([("a", "b")])):
        with pytest.raises(dw.GraphError, match="returned"):
            dw.learn(table, search=Constant(dw.Found(dag)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: 3, "cannot be read again"),
        (lambda t: t, "cannot be read again"),
        (lambda t: (chunk for chunk in [t, t]), "cannot be read again"),
        (lambda t: [], "there is no chunk"),
        (lambda t: [t.to_frame()], "chunk 0 is a DataFrame"),
        (lambda t: lambda: None, "returned None"),
        (lambda t: iter([t, t]).__iter__, "must give the same chunks every time"),
    ],
)
def test_chunks_that_are_none(table, make, words):
    with pytest.raises(dw.DataError, match=words):
        dw.learn(dw.Chunks(make(table)))


# ------------------------------------------------------------------------------- large and wide


def test_states_beyond_a_byte_are_counted_as_they_are():
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, n, 5000) for n in (256, 257, 300, 60_000)]
    table = dw.Table.from_codes(codes)
    scorer = dw.Scorer(table)
    for name, own in zip(table.names, codes, strict=True):
        counts = scorer.counts(name)
        expected = np.bincount(own)
        assert np.array_equal(counts.cell_counts, expected[expected > 0])
        assert np.array_equal(counts.cell_states, expected.nonzero()[0])
    pairs, expected = np.unique(np.stack(codes[2:]), axis=1, return_counts=True)
    joint = scorer.counts("x4", ["x3"])
    assert len(joint.cell_counts) == pairs.shape[1]
    assert np.array_equal(np.sort(joint.cell_counts), np.sort(expected))


HUGE = """
before = begin()
n = 60_000
rng = np.random.default_rng(0)
wide = [str(i) for i in range(n)]
table = dw.Table(
    {"a": wide, "b": rng.permutation(wide), "c": rng.permutation(wide), "d": ["x", "y"] * (n // 2)},
    max_states=n,
)
for score in (dw.BIC(), dw.BDeu(), dw.K2(), dw.Dirichlet(lambda child, parents: 1.0)):
    scorer = dw.Scorer(table, score)
    local = scorer.local("a", ["b", "c", "d"])
    assert np.isfinite(local), score
    assert np.isfinite(dw.learn(scorer).score), score
rows = rng.integers(0, 3, (1000, 60))
table = dw.Table.from_codes(rows)
for score in (dw.BIC(), dw.BDeu(), dw.K2(), dw.Dirichlet({})):
    scorer = dw.Scorer(table, score)
    for n_parents in (40, 59):
        parents = table.names[1 : n_parents + 1]
        assert np.isfinite(scorer.local("x1", parents)), score
    assert len(scorer.gains("x1", table.names[1:41])) == 59
print(grown(before))
"""


@pytest.mark.memory
def test_huge_families_need_little_memory():
    assert in_child(HUGE) < 400  # MiB; a dense table of the first family has 4e14 cells


def test_families_of_forty_parents_score_as_their_rows_say():
    # All configurations differ: one row each, so K2 gives every row 1 / 3.
    rows = np.random.default_rng(0).integers(0, 3, (500, 41))
    scorer = dw.Scorer(dw.Table.from_codes(rows), dw.K2())
    local = scorer.local("x1", [f"x{i}" for i in range(2, 42)])
    assert local == pytest.approx(-500 * np.log(3))


@pytest.mark.memory
def test_too_many_variables_are_refused_before_memory_is_taken():
    mebibytes, refusal = in_child("""
        before = begin()
        table = dw.Table.from_codes(np.zeros((2, 30_000), np.uint8))
        try:
            dw.learn(table)
        except dw.SpecError as error:
            print((grown(before), str(error)))
    """)
    assert re.search("GiB for 30,000 variables.*select fewer", refusal)
    assert mebibytes < 200


def test_learning_in_a_thread(table):
    results = []
    worker = threading.Thread(target=lambda: results.append(dw.learn(table)))
    worker.start()
    worker.join()
    assert results[0].dag == dw.learn(table).dag
