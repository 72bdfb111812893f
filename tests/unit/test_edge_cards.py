"""Edge cards: every number against whole graphs scored anew, every word against what is true."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.edge_cards.evidence import evidence_in_words
from strategies import dags_of, tables

SCORES = [dw.BIC(), dw.BDeu(4), dw.K2(), dw.LogLikelihood()]


@pytest.fixture(scope="module")
def result():
    return dw.learn(dw.networks.load("asia").sample(1000, seed=1), score=dw.BDeu(2))


def after(dag, change):
    """The graph after a change, or None if it has a cycle."""
    edge = (change.parent, change.child)
    try:
        if change.kind == "add":
            return dag.add(*edge)
        return dag.remove(*edge) if change.kind == "remove" else dag.reverse(*edge)
    except dw.GraphError:
        return None


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_numbers_are_differences_of_whole_graphs(data):
    table = data.draw(tables(min_variables=3, max_variables=5))
    dag = data.draw(dags_of(table.names))
    a, b = data.draw(st.permutations(table.names))[:2]
    score = data.draw(st.sampled_from(SCORES))
    prior = data.draw(st.sampled_from([dw.Uniform(), dw.EdgePenalty(0.3)]))
    rules = data.draw(
        st.sampled_from(
            [
                dw.Constraints(),
                dw.Constraints(max_parents=1),
                dw.Constraints(forbidden=[(a, b)]),
                dw.Constraints(required=[(b, a)]),
                dw.Constraints(adjacent=[(a, b)]),
                dw.Constraints(tiers=[[b], [a]], max_parameters=20),
            ]
        )
    )
    card = dw.explain(dag, table, a, b, score=score, structure_prior=prior, constraints=rules)

    def total(graph):
        return dw.score(graph, table, score=score, structure_prior=prior)

    assert card.present == (dag.has_edge(a, b) or dag.has_edge(b, a))
    assert {card.parent, card.child} == {a, b}
    kinds = [change.kind for change in card.changes]
    assert kinds == (["remove", "reverse"] if card.present else ["add", "add"])
    n_states = [table.n_states[node] for node in dag.nodes]
    for change in card.changes:
        graph = after(dag, change)
        if graph is None:
            assert "cycle" in change.refused
            continue
        assert change.gain == pytest.approx(total(graph) - total(dag), abs=1e-8)
        broken = set(rules.violations(graph, n_states)) - set(rules.violations(dag, n_states))
        assert set(filter(None, change.refused.split("; "))) == broken
    split = card.split
    assert split.gain == pytest.approx(split.fit + split.price + split.prior, abs=1e-8)
    n = float(table.total_weight)
    assert split.fit == pytest.approx(
        n * dw.mutual_information(table, card.parent, card.child, given=card.given), abs=1e-7
    )
    rest = dag.remove(card.parent, card.child) if card.present else dag
    assert card.given == rest.parents(card.child)
    if card.present:
        assert split.gain == pytest.approx(total(dag) - total(rest), abs=1e-8)
        compelled = (card.parent, card.child) in dag.cpdag().compelled
        assert card.direction == ("compelled" if compelled else "reversible")
    else:
        assert card.direction is None
        possible = [change for change in card.changes if not change.refused]
        if possible:
            assert split.gain == pytest.approx(max(change.gain for change in possible), abs=1e-8)
    assert card.information_alone == pytest.approx(dw.mutual_information(table, a, b), abs=1e-10)


def test_a_cycle_is_shown_as_it_would_be_walked():
    rows = dw.networks.load("asia").sample(200, seed=1)
    dag = dw.networks.load("asia").dag
    card = dw.explain(dag, rows, "xray", "smoke")
    refused = {(change.parent, change.child): change.refused for change in card.changes}
    assert refused["smoke", "xray"] == ""
    assert refused["xray", "smoke"] == (
        "it would close the cycle smoke -> lung -> either -> xray -> smoke"
    )
    assert (card.parent, card.child) == ("smoke", "xray")


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"required": [("lung", "smoke")]}, ("'lung' -> 'smoke' is required",)),
        (
            {"tiers": [["smoke"], ["lung"]]},
            ("no 'lung' -> 'smoke': 'smoke' comes before 'lung' by tiers",),
        ),
        (
            {"forbidden": [("lung", "smoke"), ("smoke", "lung")]},
            (
                "no 'lung' -> 'smoke': 'lung' -> 'smoke' is forbidden",
                "no 'smoke' -> 'lung': 'smoke' -> 'lung' is forbidden",
            ),
        ),
        ({"adjacent": [("smoke", "lung")]}, ("'lung' and 'smoke' must be adjacent",)),
        ({"forbidden": [("asia", "xray")]}, ()),
    ],
)
def test_the_constraints_that_decided_are_named(rules, words):
    rows = dw.networks.load("asia").sample(1000, seed=1)
    result = dw.learn(rows, constraints=dw.Constraints(**rules))
    card = result.explain("lung", "smoke")
    assert card.fixed_by == words
    assert card.lines().get("Fixed by", ".") == "; ".join(words) + "."


def test_an_edge_that_the_score_wants_but_that_is_not_there_is_said():
    rows = dw.networks.load("asia").sample(1000, seed=1)
    empty = dw.Dag(nodes=rows.names)
    free = dw.explain(empty, rows, "smoke", "lung")
    assert free.gain > 0
    assert "The graph would score higher with it." in str(free)
    forbidden = dw.Constraints(forbidden=[("smoke", "lung"), ("lung", "smoke")])
    fixed = dw.explain(empty, rows, "smoke", "lung", constraints=forbidden)
    assert fixed.gain > 0
    assert "it cannot be there" in str(fixed)


@pytest.mark.parametrize("score", [dw.BIC(), dw.K2(), dw.BDeu(10)])
def test_a_constant_is_evidence_of_nothing(score):
    """Gains of such edges are 0 up to rounding, of either sign."""
    rng = np.random.default_rng(3)
    rows = {name: rng.integers(0, 3, 20) for name in "abc"} | {"one": [0] * 20}
    table = dw.Table(rows, states={"one": [0]})
    explained = dw.explain(dw.Dag([("a", "b"), ("c", "b")], nodes=table.names), table, score=score)
    for node in "abc":
        card = dw.explain(explained.dag, table, "one", node, score=score)
        assert card.evidence == "no evidence for it or against it"
        assert "would score higher" not in str(card)


def test_what_is_chance_goes_through_nothing():
    """Told apart: no information to begin with, and information that is left."""
    rng = np.random.default_rng(4)
    a, b, c = rng.integers(0, 2, (3, 300))
    table = dw.Table({"a": a, "b": b, "c": c, "d": np.where(rng.random(300) < 0.1, a, c)})
    dag = dw.Dag([("c", "d")], nodes=table.names)
    chance = dw.explain(dag, table, "b", "d")
    left = dw.explain(dag, table, "a", "d")
    assert chance.alone.p_value > 0.05
    assert left.test.p_value < 0.05
    for card in (chance, left):
        assert "goes through" not in str(card)


def test_a_score_is_written_without_its_tables():
    table = dw.networks.load("asia").sample(200, seed=1)
    network = dw.networks.load("asia").smoothed(0.01)
    card = dw.explain(network.dag, table, "smoke", "lung", score=dw.BDe(network=network, ess=3))
    assert card.score == "BDe(ess=3)"
    assert dw.explain(network.dag, table, "smoke", "lung").score == "BIC"


def test_what_goes_through_others_is_said(result):
    card = dw.explain(dw.networks.load("asia").dag, result.data, "smoke", "either")
    assert not card.present
    assert set(card.given) <= {"lung", "tub"}
    assert "What it tells goes through these." in card.lines()["Information"]


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (0.0, "no evidence for it or against it"),
        (-1e-9, "no evidence for it or against it"),
        (0.9, "hardly any evidence for it"),
        (-1.0, "some evidence against it"),
        (2.9, "some evidence for it"),
        (3.0, "strong evidence for it"),
        (-5.0, "very strong evidence against it"),
        (1e4, "very strong evidence for it"),
    ],
)
def test_words_are_those_of_kass_and_raftery(gain, words):
    assert evidence_in_words(gain) == words


def test_probabilities_come_from_posteriors_and_bootstraps(result):
    exact = dw.exact_posterior(result.data, score=dw.BDeu(2))
    boot = dw.bootstrap(result.data, replicates=20, search=dw.HillClimb())
    card = result.explain("lung", "smoke", posterior=exact, bootstrap=boot)
    edges, shares = exact.edge_probabilities(), boot.edge_probabilities("undirected")
    assert card.posterior.directed == edges[card.parent, card.child]
    assert card.posterior.reversed == edges[card.child, card.parent]
    assert card.bootstrap.either == pytest.approx(shares["lung", "smoke"])
    assert f"Posterior probability {card.posterior.directed:.3f}" in str(card)
    assert f"Bootstrap share {card.bootstrap.directed:.3f}" in str(card)
    assert card.to_dict()["posterior"]["either"] == card.posterior.either
    assert result.explain("lung", "smoke").posterior is None


def test_the_test_and_the_rows_needed_are_those_of_the_functions(result):
    for card in result.explain().edges:
        assert card.test == dw.independence(result.data, card.parent, card.child, card.given, ess=2)
        assert card.gain == pytest.approx(card.test.log_bayes_factor, abs=1e-9)  # BDeu is the score
    assert card.rows_needed == dw.rows_needed(
        result.data, card.parent, card.child, card.given, ess=2
    )


def test_the_whole_graph(result):
    explanation = result.explain()
    assert {(card.parent, card.child) for card in explanation.edges} == set(result.dag.edges)
    gains = [card.gain for card in explanation.edges]
    assert gains == sorted(gains, reverse=True)
    assert explanation.total == pytest.approx(result.score, rel=1e-12)
    # the search ended, so that nothing possible gains; and no absent pair lacks less
    lacking = [card.gain for card in explanation.nearly]
    assert len(lacking) == 5
    assert max(lacking) <= 1e-9
    joined = {frozenset(edge) for edge in result.dag.edges}
    best = sorted(
        (
            max(change.gain for change in result.explain(a, b).changes if not change.refused)
            for i, a in enumerate(result.dag.nodes)
            for b in result.dag.nodes[:i]
            if frozenset((a, b)) not in joined
        ),
        reverse=True,
    )
    assert lacking == pytest.approx(best[:5], abs=1e-9)
    text = str(explanation)
    assert text.splitlines()[0] == f"{len(gains)} edges, BDeu(ess=2) {result.score:,.3f}"
    assert all(f"{a} -> {b}" in text for a, b in result.dag.edges)


def test_json_has_all_and_only_plain_values(result):
    values = json.loads(json.dumps(result.explain().to_dict(), allow_nan=False))
    assert values["total"] == pytest.approx(result.score)
    first = values["edges"][0]
    assert first["gain"] == pytest.approx(first["fit"] + first["price"] + first["prior"])
    assert first["rows_needed"]["bic"] > 0
    assert first["test"]["p_value"] < 0.05


def test_html_shows_hostile_names_as_text(tmp_path):
    bad, worse = "<script>alert(1)</script>", "a\"&'b"
    rows = {bad: [0, 0, 1, 1] * 20, worse: [0, 0, 1, 1] * 20, "c": [0, 1] * 40}
    explanation = dw.learn(rows).explain()
    path = tmp_path / "page.html"
    text = explanation.to_html(path)
    assert path.read_text(encoding="utf-8") == text
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<svg" in text
    card = explanation.edges[0]
    assert "<script" not in card.to_html() == card._repr_html_()
    for subject, words in card.lines().items():
        assert f"<th>{subject}</th>" in text
        assert re.sub(r"['\"&<>].*", "", words) in text


def test_a_page_without_the_extra_for_pictures_says_so(result, monkeypatch):
    def absent(*_):
        raise dw.DagwrightError("pictures need pip install 'dagwright[draw]'")

    monkeypatch.setattr(dw.Dag, "to_svg", absent)
    assert "pictures need pip install" in result.explain().to_html()


def test_a_score_in_python_and_data_in_chunks_and_with_weights():
    class PriceOfCells:
        def local(self, family):
            rows = family.config_totals[family.cell_configs]
            fit = (family.cell_counts * np.log(family.cell_counts / rows)).sum()
            return float(fit) - len(family.cell_counts)

    rows = dw.networks.load("asia").sample(500, seed=3)
    dag = dw.networks.load("asia").dag
    card = dw.explain(dag, rows, "smoke", "bronc", score=PriceOfCells())
    assert card.score == "PriceOfCells"
    assert "PriceOfCells gains" in str(card)
    pieces = dw.Chunks(lambda: [rows])
    assert dw.explain(dag, pieces, "smoke", "bronc") == dw.explain(dag, rows, "smoke", "bronc")
    weighted = rows.with_weights(np.full(500, 2.0))
    twice = dw.explain(dag, weighted, "smoke", "bronc")
    assert twice.split.fit == pytest.approx(2 * card.split.fit)


def test_a_result_from_a_file_needs_its_data(result, tmp_path):
    path = tmp_path / "graph.json"
    result.save(path)
    loaded = dw.Result.load(path)
    with pytest.raises(dw.DataError, match="explain: the result does not have its data"):
        loaded.explain("smoke", "lung")
    assert loaded.explain("smoke", "lung", data=result.data) == result.explain("smoke", "lung")


def test_a_result_of_a_score_in_python_says_how_to_explain_it():
    table = dw.networks.load("asia").sample(100, seed=1)
    result = dw.learn(table, score=dw.Penalized(lambda n: 2.0))
    with pytest.raises(dw.SpecError, match=r"explain: a result does not keep .* dagwright.explain"):
        result.explain("smoke", "lung")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: r.explain("smoke"), dw.GraphError, "name both nodes of the edge"),
        (lambda r: r.explain("smoke", "smoke"), dw.GraphError, "an edge has two nodes"),
        (lambda r: r.explain("smok", "lung"), dw.GraphError, "did you mean 'smoke'"),
        (lambda r: r.explain(posterior=3), dw.SpecError, "posterior=3 has no probabilities"),
        (
            lambda r: r.explain(bootstrap=dw.bootstrap({"a": [0, 1]}, replicates=2)),
            dw.SpecError,
            "bootstrap is of other variables: it has no 'asia'",
        ),
        (
            lambda r: dw.explain(r.dag, r.data, constraints=[("a", "b")]),
            dw.SpecError,
            "constraints must be Constraints",
        ),
        (
            lambda r: dw.explain(dw.Dag(nodes=["asia"]), r.data),
            dw.GraphError,
            "the graph has no node for the variables",
        ),
    ],
)
def test_bad_input_is_refused_with_the_fix(result, call, error, words):
    with pytest.raises(error, match=words):
        call(result)
