"""Results: what they carry, their file, and making them again."""

import datetime
import json
import pickle

import pytest

import dagwright as dw


@pytest.fixture
def table():
    return dw.Table(
        {
            "flag": [True, False, True, False, True, True] * 5,
            "count": [3, 1, 3, 1, 2, 2] * 5,
            "Größe / 大きさ": ["klein", "groß", "klein", "groß", "🙂", 'a"b\\c\n'] * 5,
            "day": [datetime.date(2024, 2, 29), datetime.date(1999, 1, 1)] * 15,
        },
        states={"count": [3, 2, 1, 0]},
    )


def learned(table, **settings):
    return dw.learn(table, score=dw.AIC(), **settings)


def test_a_result_says_how_it_was_made(table):
    weighted = table.with_weights([2] * len(table))
    limits = dw.Constraints(forbidden=[("flag", "count")], max_parents=2)
    result = dw.learn(
        weighted,
        score=dw.BDeu(ess=3),
        structure_prior=dw.EdgePenalty(0.5),
        constraints=limits,
        search=dw.HillClimb(step="first"),
        seed=7,
        threads=2,
        time_limit=100,
    )
    info = result.info
    assert info.score == {"name": "bdeu", "ess": 3}
    assert info.structure_prior == {"name": "edges", "c": 0.5}
    assert info.search["name"] == "hill-climb"
    assert info.search["step"] == "first"
    assert dw.Constraints.from_dict(info.constraints) == limits
    assert (info.seed, info.threads, info.time_limit) == (7, 2, 100)
    assert (info.n_rows, info.total_weight) == (30, 60)
    assert info.data_digest == weighted.digest
    assert info.versions["dagwright"]
    assert 0 < info.seconds < 100
    assert info.families_scored > 0
    assert info.families_counted > 0
    assert result.states == dict(weighted.states)
    assert "4 nodes" in repr(result)


def test_json_keeps_everything(table):
    result = learned(table)
    assert len(result.trace) > 0
    again = dw.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    assert again.dag.nodes == result.dag.nodes
    for name, states in result.states.items():
        assert [type(state) for state in again.states[name]] == [type(state) for state in states]
        assert again.states[name] == states


def test_a_file_keeps_everything(table, tmp_path):
    result = learned(table)
    path = tmp_path / "model ü.json"
    result.save(path)
    assert dw.Result.load(path) == result
    assert dw.Result.load(str(path)) == result
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    result.save(path)  # over the old one
    assert "Größe" in path.read_text(encoding="utf-8")


def test_dates_with_times_keep_their_time():
    moments = [datetime.datetime(2024, 1, 2, 3, 4, 5, 678900), datetime.datetime(2024, 1, 2)]
    result = dw.learn(dw.Table({"moment": moments * 3, "x": [0, 1] * 3}))
    again = dw.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.states["moment"] == result.states["moment"] == tuple(sorted(moments))


def test_isolated_variables_stay(table, tmp_path):
    alone = dw.learn(table, constraints=dw.Constraints(max_parents=0))
    alone.save(tmp_path / "model.json")
    assert dw.Result.load(tmp_path / "model.json").dag == dw.Dag(nodes=table.names)


def test_a_result_pickles_and_does_not_change(table):
    result = learned(table)
    assert pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(AttributeError):
        result.score = 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a dagwright file"),
        ({"format": None}, "not a dagwright file"),
        ({"version": 2}, "version 2 of the format"),
        ({"version": None}, "version None"),
        ({"kind": "bayesnet"}, "kind 'bayesnet'"),
        ({"variables": None}, "not a graph of dagwright"),
        (
            {"variables": [{"name": "flag"}, {"name": "count", "states": [1]}]},
            "'states' is missing",
        ),
        ({"variables": [{"name": "flag", "states": [1.5]}]}, "1.5 is not a state"),
        ({"edges": [["flag"]]}, "pair of names|schema"),
        ({"edges": [["flag", "count"], ["count", "flag"]]}, "cycle"),
        ({"edges": [["flag", "nobody"]]}, "nobody"),
        ({"score": "many"}, "many"),
        ({"trace": [{"operator": "add"}]}, "'start' is missing"),
        ({"info": {}}, "'score' is missing"),
    ],
)
def test_bad_files_are_explained(table, tmp_path, change, message):
    values = learned(table).to_dict() | change
    with pytest.raises(dw.DagwrightError, match=message):
        dw.Result.from_dict(values)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(dw.DataError, match=rf"model.json.*({message})"):
        dw.Result.load(path)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1, 2]", b"null", b'"text"', b"\xff\xfe\x00", b"\0"]
)
def test_what_is_no_result_is_explained(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(dw.DataError, match=r"model\.json"):
        dw.Result.load(path)


def test_files_that_cannot_be_read_or_written_are_explained(table, tmp_path):
    with pytest.raises(dw.DataError, match="cannot read"):
        dw.Result.load(tmp_path / "nothing.json")
    with pytest.raises(dw.DataError, match="cannot write"):
        learned(table).save(tmp_path / "no folder" / "model.json")


def test_replay_makes_the_result_again(table, tmp_path):
    result = dw.learn(
        table,
        score=dw.BDeu(ess=2),
        structure_prior=dw.EdgeBeliefs({("flag", "count"): (0.7, 0.2)}),
        search=dw.HillClimb(start="random"),
        constraints=dw.Constraints(max_parents=2, forbidden=[("day", "flag")]),
        seed=5,
    )
    result.save(tmp_path / "model.json")
    again = dw.replay(dw.Result.load(tmp_path / "model.json"), table)
    assert (again.dag, again.trace, again.reason) == (result.dag, result.trace, result.reason)
    assert again.score == result.score
    assert again.info.score == result.info.score


def test_replay_refuses_other_data_and_what_a_file_cannot_keep(table):
    result = learned(table)
    with pytest.raises(dw.DataError, match="digests differ"):
        dw.replay(result, table.take(range(29)))
    by_function = dw.learn(table, score=dw.Penalized(lambda n: 1.0))
    with pytest.raises(dw.SpecError, match="function"):
        dw.replay(by_function, table)


def test_replay_on_chunks(table):
    chunks = dw.Chunks([table.head(10), table.take(range(10, 30))])
    result = learned(chunks)
    assert dw.replay(result, chunks).dag == result.dag == learned(table).dag


def test_replay_with_a_given_start(table):
    start = dw.Dag([("flag", "count")], nodes=table.names)
    result = learned(table, search=dw.HillClimb(start=start))
    again = dw.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert dw.replay(again, table).trace == result.trace
