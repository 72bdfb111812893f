"""Sampled posteriors: features, averages, files, joins, against slow twins and exact posteriors."""

import dataclasses
import json
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.posterior.graph_sample import GraphSample
from oracle import average_query as oracle
from oracle.graph_sample import Weighted
from strategies import dags_of, tables

NAMES = ("c", "a", "d", "b")
EMPTY = dw.Dag(nodes=["a", "b"])
FORWARD = dw.Dag([("a", "b")])
BACKWARD = dw.Dag([("b", "a")], nodes=["a", "b"])
INFO = dw.SampleInfo(
    sampler={"name": "own", "steps": 10},
    score={"name": "bdeu", "ess": 2.0},
    structure_prior={"name": "uniform"},
    constraints={"max_parents": 2},
    seed=7,
    threads=2,
    warmup=100,
    thin=5,
    seconds=1.25,
    reason="done",
    data_digest="0" * 64,
    n_rows=20,
    total_weight=20.0,
    versions={"dagwright": "0.1.0", "python": "3.11.7"},
    acceptance={"add": 0.25},
)


def close(value, tolerance=1e-9):
    return pytest.approx(value, rel=tolerance, abs=tolerance)


@st.composite
def posteriors(draw, names=NAMES, weighted=None):
    graphs = draw(st.lists(dags_of(list(names)), min_size=1, max_size=6))
    n_chains, n_draws = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chains = [[graphs[rng.integers(len(graphs))] for _ in range(n_draws)] for _ in range(n_chains)]
    score_of = {dag: float(rng.normal()) * 9 for dag in graphs}
    with_weights = draw(st.booleans()) if weighted is None else weighted
    return dw.Posterior.from_dags(
        chains,
        [[score_of[dag] for dag in chain] for chain in chains],
        log_weights=rng.normal(size=(n_chains, n_draws)) if with_weights else None,
        info=INFO,
    )


def all_draws(posterior):
    return [
        posterior.dag(c, d) for c in range(posterior.n_chains) for d in range(posterior.n_draws)
    ]


def twin(posterior):
    dags = all_draws(posterior)
    logs = np.zeros(len(dags)) if posterior.log_weights is None else posterior.log_weights.ravel()
    shares = [math.exp(own) for own in logs]
    total = math.fsum(shares)
    weights = [share / total for share in shares]
    return Weighted(posterior.names, [dag.edges for dag in dags], weights), dags, weights


@given(posteriors())
def test_features_are_those_of_a_loop_over_the_draws(posterior):
    wanted, dags, weights = twin(posterior)
    for a, first in enumerate(NAMES):
        for b, second in enumerate(NAMES):
            pair = first, second
            assert posterior.edge_probabilities()[pair] == close(wanted.edge(a, b))
            assert posterior.edge_probabilities("undirected")[pair] == close(wanted.joined(a, b))
            assert posterior.edge_probabilities("compelled")[pair] == close(wanted.compelled(a, b))
            assert posterior.path_probabilities()[pair] == close(wanted.path(a, b))
        assert posterior.parent_set_probabilities(first) == close(wanted.parents(a))
        assert posterior.markov_blanket_probabilities(first) == close(wanted.blanket(a))
    n_edges = posterior.probability(lambda dag: len(dag.edges))
    mean = math.fsum(len(dag.edges) * weight for dag, weight in zip(dags, weights, strict=True))
    assert float(n_edges) == close(mean)
    assert n_edges.standard_error >= 0 or posterior.n_draws < 4


@given(posteriors())
def test_the_best_graph_and_the_credible_set(posterior):
    _, dags, weights = twin(posterior)
    scores = posterior.scores.ravel()
    assert scores[dags.index(posterior.map_graph)] == scores.max()
    share = {}
    for dag, weight in zip(dags, weights, strict=True):
        share[dag] = share.get(dag, 0.0) + weight
    for mass in (0.3, 0.95, 1.0):
        found = posterior.credible_set(mass)
        assert list(found.probabilities) == close([share[dag] for dag in found.dags])
        assert list(found.scores) == [scores[dags.index(dag)] for dag in found.dags]
        largest = sorted(share.values(), reverse=True)
        fewest = next(k for k in range(1, 99) if sum(largest[:k]) >= mass - 1e-9)
        assert len(found) == fewest
        assert found.mass >= mass - 1e-9


def test_ties_of_the_best_graph_go_by_names():
    one = dw.Posterior.from_dags([[BACKWARD, FORWARD]], [[-100.0 + 1e-12, -100.0]])
    assert one.map_graph == FORWARD
    assert dw.Posterior.from_dags([[BACKWARD, FORWARD]], [[-100.0, -101.0]]).map_graph == BACKWARD


def test_many_exact_draws_are_near_the_exact_posterior():
    rows = dw.networks.load("cancer").sample(200, seed=3)
    exact = dw.exact_posterior(rows)
    drawn = exact.sample(8000, seed=1)
    score = {dag: dw.score(dag, rows, score=dw.BDeu(1)) for dag in set(drawn)}
    chains = [drawn[at : at + 2000] for at in range(0, 8000, 2000)]
    posterior = dw.Posterior.from_dags(chains, [[score[dag] for dag in own] for own in chains])
    for ours, wanted in (
        (posterior.edge_probabilities(), exact.edge_probabilities()),
        (posterior.path_probabilities(), exact.path_probabilities()),
    ):
        assert abs(ours.values - wanted.values).max() < 0.02
    first, second = rows.names[:2]
    estimate = posterior.probability(lambda dag: dag.has_edge(first, second))
    truth = exact.edge_probabilities()[first, second]
    assert abs(estimate.value - truth) < 4 * estimate.standard_error
    plain = math.sqrt(truth * (1 - truth) / 8000)
    assert estimate.standard_error == pytest.approx(plain, rel=0.15)
    assert posterior.warnings == ()
    assert posterior.effective_sample_size() > 6000
    assert posterior.r_hat() < 1.01
    assert posterior.r_hat("edges").values.max() < 1.01
    assert posterior.effective_sample_size("edges").values.min() > 5000


def test_a_feature_must_be_a_number():
    posterior = dw.Posterior.from_dags([[FORWARD, EMPTY]], [[-1.0, -2.0]])
    assert posterior.probability(lambda dag: np.bool_(dag.has_edge("a", "b"))).value == 0.5
    assert math.isnan(posterior.probability(lambda dag: dag.has_edge("a", "b")).standard_error)
    assert posterior.probability(lambda dag: True).standard_error == 0
    for nonsense in ("yes", None, math.nan):
        with pytest.raises(dw.SpecError, match="a feature must return True, False or a finite"):
            posterior.probability(lambda dag, nonsense=nonsense: nonsense)


# --- Averages ---------------------------------------------------------------------------------


def every_graph(rows, score):
    """The posterior with all DAGs, each weighted by its probability."""
    dags = list(dw.all_dags(rows.names))
    logs = [dw.score(dag, rows, score=score) for dag in dags]
    info = dataclasses.replace(INFO, score=score.to_dict())
    posterior = dw.Posterior.from_dags([dags], [logs], log_weights=[logs], info=info, data=rows)
    return posterior, dags, [math.exp(own - max(logs)) for own in logs]


@pytest.mark.parametrize("score", [dw.BDeu(3), dw.K2(), dw.BIC()], ids=lambda score: score.name)
def test_averages_over_all_graphs_of_four_variables(score):
    rows = dw.networks.load("cancer").sample(60, seed=2)
    rows = rows.select(rows.names[1:])
    posterior, dags, weights = every_graph(rows, score)
    assert len(dags) == 543
    parameters = dw.BDeu(1) if isinstance(score, dw.BIC) else score
    a, b, c, d = rows.names
    states = rows.states
    questions = [
        ([b, d], {c: states[c][1]}, {a: states[a][1]}),
        ([c], None, None),
        ([b], {a: states[a][0]}, None),
        ([c], {b: {states[b][0]: 0.2, states[b][1]: 0.9}}, None),
    ]
    for targets, known, done in questions if isinstance(score, dw.BDeu) else questions[:1]:
        answer = posterior.average_query(targets, known, do=done)
        wanted = oracle.average(dags, weights, rows, parameters, targets, known, done)
        assert answer.probabilities == close(wanted[0])
        assert answer.standard_deviations == close(wanted[1], 1e-7)
        assert answer.low == close(wanted[2])
        assert answer.high == close(wanted[3])
        assert answer.n_graphs == 543
        assert answer.variables == tuple(targets)


@given(posteriors(("v0", "v1", "v2")), tables(min_variables=3, max_variables=3, max_states=3))
def test_averages_over_draws(posterior, rows):
    _, dags, weights = twin(posterior)
    answer = posterior.average_query("v1", {"v0": 0}, data=rows)
    wanted = oracle.average(dags, weights, rows, dw.BDeu(2), ["v1"], {"v0": 0})
    assert answer.probabilities == close(wanted[0])
    assert answer.low == close(wanted[2])
    assert answer.high == close(wanted[3])
    own = rows.states["v1"][0]
    assert answer[own] == close(wanted[0][0])
    assert answer.spread(own) == close((wanted[1][0], wanted[2][0], wanted[3][0]), 1e-7)


def test_graphs_that_look_alike_by_number_are_not_taken_for_one_another():
    """The parent sets above the target are numbers 2 and 1 of the first two, then of the last."""
    names = ("a", "t", "c", "x")
    sets = (((3,), (2, 3), ()), ((), (0,), (2,)), ((3,), ()), ((),))
    draws = np.array([[[2, 1, 1, 0], [2, 2, 1, 0]]])
    posterior = dw.Posterior(names, sets, draws, [[-1.0, -1.0]], None, INFO)
    rows = dw.Table.from_codes(
        [[0, 0, 1, 1, 1], [0, 0, 1, 1, 0], [0, 1, 1, 1, 1], [0, 1, 0, 1, 0]], names=names
    )
    dags = all_draws(posterior)
    assert [dag.parents("t") for dag in dags] == [("a",), ("c",)]
    answer = posterior.average_query("t", data=rows, parameters=dw.K2())  # BDeu: all the same
    wanted = oracle.average(dags, [1, 1], rows, dw.K2(), ["t"])
    assert answer.probabilities == close(wanted[0])
    assert answer.standard_deviations == close(wanted[1], 1e-7)
    assert wanted[1].max() > 1e-4


def test_averages_over_a_thousand_graphs_take_seconds():
    rows = dw.networks.load("alarm").sample(1000, seed=2)
    dag = dw.networks.load("alarm").dag
    rng = np.random.default_rng(1)
    dags = set()
    while len(dags) < 1000:
        some = [edge for edge in dag.edges if rng.random() < 0.95]
        dags.add(dw.Dag(some, nodes=dag.nodes))
    posterior = dw.Posterior.from_dags([sorted(dags, key=lambda own: own.edges)], [[0.0] * 1000])
    target, other = dag.nodes[0], dag.nodes[-1]
    start = time.perf_counter()
    answer = posterior.average_query(target, {other: rows.states[other][0]}, data=rows)
    assert time.perf_counter() - start < 20
    assert answer.probabilities.sum() == close(1)
    model = dw.fit(posterior.dag(0, 5), rows)
    assert answer.low[0] - 0.2 < model.query(target)[rows.states[target][0]] < answer.high[0] + 0.2


def test_averages_say_what_is_wrong():
    rows = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    posterior = dw.Posterior.from_dags([[FORWARD, EMPTY]], [[-1.0, -2.0]])
    with pytest.raises(dw.DataError, match="does not have its data: pass them"):
        posterior.average_query("a")
    with pytest.raises(dw.GraphError, match="unknown node 'c'"):
        posterior.average_query("c", data=rows)
    with pytest.raises(dw.GraphError, match="unknown node 'c'"):
        posterior.average_query("a", {"c": "n"}, data=rows)
    with pytest.raises(dw.DataError, match="targets must have names"):
        posterior.average_query(1, data=rows)
    with pytest.raises(dw.DataError, match="under one of the 2 graphs, 'b' has no state 'x'"):
        posterior.average_query("a", {"b": "x"}, data=rows)
    with pytest.raises(dw.DataError, match="no variable \\['b'\\]"):
        posterior.average_query("a", data=rows.select(["a"]))
    with pytest.raises(dw.SpecError, match="parameters="):
        posterior.average_query("a", data=rows, parameters=dw.BIC())
    one = dw.Table({"a": ["n", "n"], "b": ["n", "n"]}, states={"a": ["n", "y"], "b": ["n", "y"]})
    with pytest.raises(dw.DataError, match="under one of the 2 graphs"):
        posterior.average_query("a", {"b": "y"}, data=one, parameters="ml")
    chunks = dw.Chunks([rows, rows])
    assert posterior.average_query("b", data=chunks).probabilities == close([0.5, 0.5])
    answer = posterior.average_query(["b"], {"a": "y"}, data={"a": ["n", "y"], "b": ["n", "y"]})
    assert answer.method == "average over 2 graphs"
    assert "by average over 2 graphs" in repr(answer)
    with pytest.raises(dw.DataError, match="has no state 'x'"):
        answer.spread("x")


# --- Diagnostics ------------------------------------------------------------------------------


def test_chains_that_disagree_are_told_with_the_worst_edge():
    chains = [[FORWARD] * 90 + [EMPTY] * 10, [FORWARD, EMPTY] * 50]
    scores = np.random.default_rng(1).normal(size=(2, 100))
    posterior = dw.Posterior.from_dags(chains, scores + np.array([[0], [3]]))
    assert posterior.max_edge_difference() == close(0.4)
    assert posterior.edge_differences()["a", "b"] == close(0.4)
    assert posterior.edge_differences()["b", "a"] == 0
    on_score, on_edges = posterior.warnings
    assert "disagree on the score: R-hat is " in on_score
    assert "most on a -> b: its probability is 0.50 by chain 2 and 0.90 by chain 1" in on_edges
    assert "tempering" in on_edges
    with pytest.warns(UserWarning, match="The chains disagree on") as told:
        posterior.warn()
    assert [str(own.message) for own in told] == list(posterior.warnings)
    assert {own.filename for own in told} == {__file__}
    assert str(posterior).count("Warning: ") == 2
    halves = dw.Posterior.from_dags([[FORWARD] * 50 + [EMPTY] * 50], scores[:1])
    assert "halves disagree on edges" in halves.warnings[-1]
    assert "1.00 by half 1" in halves.warnings[-1]
    assert halves.max_edge_difference() == close(1)


def test_weights_that_leave_little_are_told():
    logs = np.zeros((2, 100))
    logs[0, 0] = 50
    posterior = dw.Posterior.from_dags([[FORWARD] * 100] * 2, np.zeros((2, 100)), log_weights=logs)
    assert posterior.weights_effective_size == close(1)
    assert posterior.warnings[-1].startswith("The weights leave little: 200 draws are worth 1 of")
    assert "weighted, worth 1 of equal weight" in str(posterior)
    few = dw.Posterior.from_dags([[FORWARD] * 3], [[-1.0] * 3])
    assert "too few" in few.warnings[0]


def test_diagnostics_of_edges_are_those_of_each_indicator():
    rng = np.random.default_rng(3)
    graphs = [EMPTY, FORWARD, BACKWARD]
    chains = [[graphs[k] for k in rng.integers(0, 3, 40)] for _ in range(2)]
    posterior = dw.Posterior.from_dags(chains, rng.normal(size=(2, 40)))
    from dagwright.posterior.convergence import effective_sizes, split_r_hats

    own = np.array([[dag.has_edge("b", "a") for dag in chain] for chain in chains])[..., None]
    assert posterior.r_hat("edges")["b", "a"] == close(split_r_hats(own)[0])
    assert posterior.effective_sample_size("edges")["b", "a"] == close(effective_sizes(own)[0])
    assert posterior.r_hat("edges")["a", "a"] == 1
    assert (posterior.trace == posterior.scores).all()
    by_chain = posterior.chain_edge_probabilities()
    assert [own["b", "a"] for own in by_chain] == close(own_mean := own.mean(axis=(1, 2)).tolist())
    assert posterior.max_edge_difference() >= abs(own_mean[0] - own_mean[1]) - 1e-12
    with pytest.raises(dw.SpecError, match='of must be "score" or "edges"'):
        posterior.r_hat("edge")


# --- Files ------------------------------------------------------------------------------------


@given(posteriors())
def test_dicts_and_back(posterior):
    posterior = dataclasses.replace(posterior, state={"order": [0, 1], "rng": "abc", "x": 0.1})
    text = json.dumps(posterior.to_dict(), allow_nan=False)
    again = dw.Posterior.from_dict(json.loads(text))
    assert again == posterior
    drawn = [k for chain in posterior.to_dict()["draws"] for k in chain]
    assert list(dict.fromkeys(drawn)) == list(range(len(set(drawn))))  # numbered as first drawn
    assert (again.draws == posterior.draws).all()
    assert again.info == posterior.info
    assert again.data is None
    other = dataclasses.replace(posterior, state=None)
    assert other != posterior
    assert dw.Posterior.from_dict(other.to_dict()) == other


@pytest.mark.parametrize("name", ["posterior.json", "posterior.json.gz"])
def test_files_and_back(tmp_path, name):
    rng = np.random.default_rng(1)
    posterior = dw.Posterior.from_dags(
        [[FORWARD, EMPTY, FORWARD]],
        rng.normal(size=(1, 3)) * 1e5,
        log_weights=rng.normal(size=(1, 3)),
    )
    posterior.save(tmp_path / name)
    again = dw.Posterior.load(tmp_path / name)
    assert again == posterior
    assert dw.load(tmp_path / name) == posterior
    assert again.edge_probabilities()["a", "b"] == posterior.edge_probabilities()["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 2"),
        ({"kind": "graph"}, "kind 'graph'"),
        ({"variables": [{"name": "a"}]}, "one list for each of the 1 variables, not 2"),
        ({"variables": [{"name": "a"}, {"name": "a"}]}, "'a' is given twice"),
        ({"variables": [{}, {}]}, "'name' is missing"),
        ({"parent_sets": [[[]], [[1]]]}, "a parent set of 'b' must be ascending places"),
        ({"parent_sets": [[[]], 3]}, "not a posterior of dagwright"),
        ({"parent_sets": [[[]], [[0.5]]]}, "a parent set of 'b' must be ascending places"),
        ({"parent_sets": [[[]], [[2]]]}, "from 0 to 1, not \\[2\\]"),
        ({"parent_sets": [[[]], [[0], [0]]]}, "'b' has the same set twice"),
        ({"parent_sets": [[[1]], [[0], []]]}, "a cycle through 'a': draw number 0"),
        ({"graphs": [[0, 2], [0, 1]]}, "the draws of 'b' must be numbers of its 2 parent sets"),
        ({"graphs": [[0, 0], [0]]}, "graphs must be lists of whole numbers"),
        ({"graphs": [[0, 0.5]]}, "graphs must be lists of whole numbers"),
        ({"draws": [[0, 2]]}, "draws must be numbers of the 2 graphs, from 0, not 0 to 2"),
        ({"draws": []}, "draws must be lists"),
        ({"scores": [[1.0]]}, "scores must have one number for each draw, 1 chains by 2 draws"),
        ({"scores": [["x", "y"]]}, "scores must be lists of numbers"),
        ({"scores": [[1.0, math.nan]]}, "scores must be finite, not nan in draw 1 of chain 0"),
        ({"log_weights": [[1.0]]}, "log_weights must have one number for each draw"),
        ({"info": []}, "info must be an object"),
        ({"info": {}}, "info has no 'sampler'"),
        ({"state": 3}, "state must be an object"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_with_what_is_wrong(tmp_path, change, message):
    values = dw.Posterior.from_dags([[FORWARD, EMPTY]], [[-1.0, -2.0]]).to_dict()
    dw.Posterior.from_dict(values)
    with pytest.raises(dw.DagwrightError, match=message):
        dw.Posterior.from_dict(values | change)
    (tmp_path / "broken.json").write_text(json.dumps(values | change))
    with pytest.raises(dw.DataError, match="broken.json"):
        dw.Posterior.load(tmp_path / "broken.json")
    for key in values:
        with pytest.raises(dw.DataError, match=key):
            dw.Posterior.from_dict({k: v for k, v in values.items() if k != key})


# --- Joining ----------------------------------------------------------------------------------


@given(posteriors(weighted=True), posteriors(weighted=True))
def test_joined_chains_have_the_draws_of_both(first, second):
    n = min(first.n_draws, second.n_draws)
    first, second = (
        dataclasses.replace(
            run,
            draws=run.draws[:, :n],
            scores=run.scores[:, :n],
            log_weights=run.log_weights[:, :n],
            info=dataclasses.replace(INFO, seed=seed),
        )
        for seed, run in enumerate((first, second))
    )
    both = first.concat(second)
    assert both.n_chains == first.n_chains + second.n_chains
    assert all_draws(both) == all_draws(first) + all_draws(second)
    assert (both.scores == np.concatenate([first.scores, second.scores])).all()
    assert both.info.seconds == 2.5
    assert [run["seed"] for run in both.info.runs] == [0, 1]
    assert both.info.acceptance == {"add": 0.25}
    assert dw.Posterior.from_dict(both.to_dict()) == both
    assert both.weights.sum() == close(1)
    three = dw.Posterior.concat(
        both, dataclasses.replace(second, info=dataclasses.replace(INFO, seed=2))
    )
    assert [run["seed"] for run in three.info.runs] == [0, 1, 2]


def test_continued_chains_become_longer():
    first = dw.Posterior.from_dags([[FORWARD], [EMPTY]], [[-1.0], [-2.0]], info=INFO)
    second = dw.Posterior.from_dags(
        [[EMPTY, BACKWARD], [FORWARD] * 2],
        [[-2.0, -1.0], [-1.0] * 2],
        info=dataclasses.replace(INFO, reason="time limit", acceptance={"add": 1.0, "swap": 0.5}),
    )
    first = dataclasses.replace(first, state={"n_done": INFO.warmup + 1})
    second = dataclasses.replace(second, state={"n_done": INFO.warmup + 3})
    both = first.concat(second, along="draws")
    assert all_draws(both) == [FORWARD, EMPTY, BACKWARD, EMPTY, FORWARD, FORWARD]
    assert both.state == second.state
    assert first.concat(first, second, along="draws").state is None  # that is not one walk
    assert both.info.reason == "done, time limit"
    assert both.info.acceptance == {"add": close(0.75), "swap": 0.5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data_digest": "1" * 64}, "same data digest can be joined, but the first has '000"),
        ({"score": {"name": "k2"}}, "the same score .* and run 2 has {'name': 'k2'}"),
        ({"structure_prior": {"name": "edge-penalty"}}, "the same structure prior"),
        ({"constraints": {}}, "the same constraints"),
        ({"weights": "orders"}, "the same weights"),
        ({"seed": 7}, "the same sampler and the same seed=7"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(change, message):
    first = dw.Posterior.from_dags([[FORWARD]], [[-1.0]], info=INFO)
    other = dataclasses.replace(first, info=dataclasses.replace(INFO, **({"seed": 8} | change)))
    with pytest.raises(dw.SpecError, match=message):
        first.concat(other)


def test_runs_of_other_shapes_are_refused():
    first = dw.Posterior.from_dags([[FORWARD]], [[-1.0]], info=INFO)
    other = dataclasses.replace(first, info=dataclasses.replace(INFO, seed=8))
    longer = other.concat(other, along="draws")
    with pytest.raises(dw.SpecError, match="same draws a chain .* first has 1 and run 2 has 2"):
        first.concat(longer)
    with pytest.raises(dw.SpecError, match="same number of chains"):
        first.concat(first.concat(other), along="draws")
    with pytest.raises(dw.SpecError, match="same log weights"):
        first.concat(dataclasses.replace(other, log_weights=np.zeros((1, 1))))
    with pytest.raises(dw.SpecError, match="same variables"):
        first.concat(dw.Posterior.from_dags([[dw.Dag([("b", "a")])]], [[-1.0]], info=other.info))
    with pytest.raises(dw.SpecError, match="takes posteriors, not a Dag"):
        first.concat(FORWARD)
    with pytest.raises(dw.SpecError, match='along must be "chains" or "draws"'):
        first.concat(other, along="rows")


def test_own_runs_need_no_seed():
    first = dw.Posterior.from_dags([[FORWARD, EMPTY]], [[-1.0, -2.0]])
    second = dw.Posterior.from_dags([[EMPTY, FORWARD]], [[-2.0, -1.0]])
    assert first.concat(second).n_chains == 2
    with pytest.raises(dw.SpecError, match="their first chains are the same"):
        first.concat(first)


# --- The object -------------------------------------------------------------------------------


def test_what_is_printed():
    posterior = dw.Posterior.from_dags([[FORWARD] * 10] * 2, np.zeros((2, 10)))
    assert repr(posterior) == "Posterior(2 variables, 2 chains of 10 draws, 1 different graph)"
    assert str(posterior) == (
        "The posterior of 2 variables by 2 chains of 10 draws, 1 different graph: "
        "every DAG counts once.\n"
        "Of the score: effective sample size 20, R-hat 1.000; chains differ by up to 0.000 in the "
        "probability of an edge.\n"
        "1.000  a -> b"
    )


def test_nothing_can_be_changed():
    scores = np.zeros((1, 2))
    posterior = dw.Posterior.from_dags([[FORWARD, EMPTY]], scores)
    with pytest.raises(dataclasses.FrozenInstanceError):
        posterior.names = ("x", "y")
    for array in (posterior.draws, posterior.scores, posterior.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    scores[0, 0] = 5
    assert posterior.scores[0, 0] == 0
    with pytest.raises(TypeError, match="unhashable"):
        hash(posterior)


def test_draws_that_are_none_are_refused():
    sample = GraphSample.from_dags([FORWARD])
    fields = {"names": sample.names, "parent_sets": sample.parent_sets, "info": INFO}
    right = fields | {"draws": sample.draws[None], "scores": [[-1.0]], "log_weights": None}
    dw.Posterior(**right)
    for change, message in (
        ({"draws": sample.draws}, "chains by draws by 2 nodes"),
        ({"draws": sample.draws[None] * 1.0}, "whole numbers, not float64"),
        ({"draws": sample.draws[None] - 1}, "from 0, not -1 to -1"),
        ({"scores": [[-math.inf]]}, "scores must be finite, not -inf in draw 0 of chain 0"),
        ({"log_weights": [1.0]}, "log_weights must have one number for each draw"),
    ):
        with pytest.raises(dw.DataError, match=message):
            dw.Posterior(**right | change)
    with pytest.raises(dw.DataError, match="same number of draws, not \\[1, 2\\]"):
        dw.Posterior.from_dags([[EMPTY], [EMPTY, EMPTY]], [[-1.0]])
