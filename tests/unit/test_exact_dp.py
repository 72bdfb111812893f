"""Exact search: parent sets by their definition, the optimum by enumeration, bounds that hold."""

import math
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from child import in_child
from instances import PRIORS, SCORES
from oracle import graphs
from oracle import parent_sets as oracle
from oracle.search import satisfies
from strategies import constraints, tables


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("label", SCORES)
@given(st.data())
def test_kept_sets_are_those_that_no_subset_matches(label, data):
    table = data.draw(tables(max_variables=5))
    scorer = dw.Scorer(table, SCORES[label](table).spec)
    allowed = data.draw(constraints(table.names))
    child = data.draw(st.sampled_from(table.names))
    found = dw.parent_sets(scorer, constraints=allowed)
    assert found.complete
    sets = {frozenset(parents): score for parents, score in found[child].items()}
    _, adjacent = oracle.asked_for(table.names, child, allowed)
    possible = list(oracle.allowed_sets(table.names, child, allowed, table.n_states))
    scores = dict(
        zip(possible, scorer.batch([(child, sorted(own)) for own in possible]), strict=True)
    )
    for own, score in scores.items():
        subsets = [
            scores[other] for other in scores if other < own and other & adjacent == own & adjacent
        ]
        best = max(subsets, default=-math.inf)
        if score > best + 1e-7 * max(1, abs(score)):
            assert sets[own] == close(score)
        elif score < best - 1e-7 * max(1, abs(score)):
            assert own not in sets
    assert set(sets) <= set(scores)


@pytest.mark.parametrize("label", SCORES)
@pytest.mark.parametrize("prior", ["uniform", "penalty"])
@given(st.data())
def test_the_optimum_is_the_best_of_all_graphs(label, prior, data):
    table = data.draw(tables(max_variables=4))
    structure_prior = dw.Uniform() if prior == "uniform" else dw.EdgePenalty(0.4)
    scorer = dw.Scorer(table, SCORES[label](table).spec, structure_prior=structure_prior)
    allowed = data.draw(constraints(table.names))
    names = table.names
    best = -math.inf
    for edges in graphs.all_dags(len(names)):
        named = frozenset((names[a], names[b]) for a, b in edges)
        if satisfies(names, named, allowed, table.n_states):
            best = max(best, scorer.score(dw.Dag(named, nodes=names)))
    result = dw.learn(scorer, search=dw.ExactDP(), constraints=allowed)
    assert result.reason == "optimal"
    assert result.optimal
    assert result.score == close(best)
    assert result.bound == close(best)


@pytest.mark.parametrize("label", SCORES)
@given(st.data())
def test_exhaustive_is_the_best_of_all_graphs(label, data):
    table = data.draw(tables(max_variables=4))
    scorer = dw.Scorer(table, SCORES[label](table).spec)
    allowed = data.draw(constraints(table.names))
    possible = [
        dag
        for dag in dw.all_dags(table.names)
        if satisfies(table.names, frozenset(dag.edges), allowed, table.n_states)
    ]
    result = dw.learn(scorer, search=dw.Exhaustive(), constraints=allowed)
    assert result.reason == "optimal"
    assert result.score == close(max(scorer.score(dag) for dag in possible))
    assert result.bound == result.score


def test_exhaustive_takes_six_variables_and_no_more():
    rows = dw.networks.load("asia").sample(200, seed=1)
    six = rows.select(rows.names[:6])
    assert dw.learn(six, search=dw.Exhaustive()).score == close(
        dw.learn(six, search=dw.ExactDP()).score
    )
    stopped = dw.learn(six, search=dw.Exhaustive(), time_limit=0)
    assert stopped.reason == "time limit"
    assert stopped.bound > dw.learn(six, search=dw.ExactDP()).score
    assert not stopped.optimal
    with pytest.raises(dw.SpecError, match="at most 6 variables, not 8"):
        dw.learn(rows, search=dw.Exhaustive())


@pytest.mark.parametrize("stop_after", [0, 1, 2, 5, 20])
def test_a_stopped_run_has_a_graph_and_a_bound_that_holds(stop_after):
    rows = dw.networks.load("asia").sample(300, seed=3)
    optimum = dw.learn(rows, search=dw.ExactDP()).score
    calls = []

    def stop(progress):
        calls.append(progress)
        return len(calls) > stop_after

    result = dw.learn(rows, search=dw.ExactDP(), callback=stop, threads=1)
    assert result.bound >= optimum - 1e-9
    assert result.score <= optimum + 1e-9
    timed = dw.learn(rows, search=dw.ExactDP(), time_limit=0)
    assert timed.reason == "time limit"
    assert timed.bound >= optimum - 1e-9
    assert not timed.optimal


def test_order_search_reaches_what_is_proved_optimal():
    rows = (
        dw.networks.load("child").sample(500, seed=5).select(dw.networks.load("child").names[:14])
    )
    exact = dw.learn(rows, search=dw.ExactDP())
    found = dw.learn(rows)
    assert found.score <= exact.score + 1e-9
    assert found.score == close(exact.score)
    assert found.bound > exact.score
    assert not found.optimal  # it is, but that was not proved
    again = dw.Result.from_dict(exact.to_dict())
    assert again == exact
    assert again.optimal


def test_threads_and_orders_of_variables_change_nothing():
    rows = dw.networks.load("insurance").sample(400, seed=6)
    rows = rows.select(rows.names[:13])
    first = dw.learn(rows, search=dw.ExactDP(), threads=1)
    second = dw.learn(rows.select(rows.names[::-1]), search=dw.ExactDP(), threads=2)
    assert first.score == close(second.score)
    assert first.dag.cpdag() == second.dag.cpdag()


def test_too_many_variables_are_refused_with_the_memory_they_need():
    rows = dw.Table.from_codes(np.zeros((3, 40), dtype=int), states=[(0, 1)] * 40)
    with pytest.raises(dw.SpecError, match="at most 31 variables, not 40: select fewer"):
        dw.learn(rows, search=dw.ExactDP())
    some = rows.select(rows.names[:28])
    with pytest.raises(dw.SpecError, match=r"9\.25 GiB and about .* s for 28 variables.*scratch"):
        dw.learn(some, search=dw.ExactDP())
    few = rows.select(rows.names[:20])
    with pytest.raises(dw.SpecError, match=r"0\.0283 GiB and about .* s for 20 variables"):
        dw.learn(few, search=dw.ExactDP(max_bytes=1e6))
    with pytest.raises(dw.SpecError, match="max_bytes"):
        dw.ExactDP(max_bytes=0)
    with pytest.raises(dw.SpecError, match="'nowhere' is not a folder"):
        dw.ExactDP(scratch="nowhere")
    with pytest.raises(dw.SpecError, match="scratch=5 is not a folder"):
        dw.ExactDP(scratch=5)
    assert dw.ExactDP(scratch=Path()).to_dict()["scratch"] == "."


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("score", [dw.BDeu(1), dw.BIC(), dw.K2()])
def test_a_prior_that_is_no_number_is_named(score, value):
    rows = dw.networks.load("cancer").sample(100, seed=1)
    prior = dw.Modular(lambda child, parents: value if len(parents) >= 3 else 0.0)
    with pytest.raises(dw.DataError, match="has the log prior"):
        dw.learn(rows, score=score, structure_prior=prior, search=dw.ExactDP())


@pytest.mark.parametrize("score", [dw.BDeu(1), dw.BIC()])
def test_many_adjacent_pairs_end_with_the_run(score):
    rng = np.random.default_rng(0)
    rows = dw.Table.from_codes(rng.integers(0, 2, (100, 25)), states=[(0, 1)] * 25)
    hub, *others = rows.names
    pairs = [(hub, other) for other in others[:22]]
    began = time.monotonic()
    for most in (3, None):
        allowed = dw.Constraints(adjacent=pairs, max_parents=most)
        sets = dw.parent_sets(rows, score=score, constraints=allowed, time_limit=0.5, threads=1)
        assert math.isfinite(sets.bound)
    assert time.monotonic() - began < 5


@pytest.mark.memory
def test_the_table_of_bdeu_takes_few_bytes_for_many_arities():
    grown, scored = in_child(
        """
        rng = np.random.default_rng(0)
        arities = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43]
        codes = np.column_stack([rng.integers(0, r, 100) for r in arities])
        rows = dw.Table.from_codes(codes, states=[tuple(range(r)) for r in arities])
        rows = rows.with_weights(np.full(100, 650))
        dw.parent_sets(rows.select(rows.names[:3]), score=dw.BDeu(1), threads=1)
        before = begin()
        sets = dw.parent_sets(rows, score=dw.BDeu(1), threads=1)
        print([grown(before), sets.n_scored])
        """
    )
    assert scored == 14 * 2**13
    assert grown < 40


@pytest.mark.parametrize("max_bytes", [3e6, 6e6, 1e9])
def test_tables_in_files_change_nothing(tmp_path, max_bytes):
    rows = dw.networks.load("child").sample(200, seed=5)
    rows = rows.select(rows.names[:18])  # 7 MB of tables
    in_memory = dw.learn(rows, search=dw.ExactDP())
    in_files = dw.learn(rows, search=dw.ExactDP(max_bytes=max_bytes, scratch=str(tmp_path)))
    assert in_files.optimal
    assert in_files.dag == in_memory.dag
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said(tmp_path):
    said = in_child(
        """
        import resource
        rows = dw.networks.load("child").sample(50, seed=5)
        rows = rows.select(rows.names[:16])
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            dw.learn(rows, search=dw.ExactDP(max_bytes=500_000, scratch=sys.argv[1]))
        except dw.DataError as error:
            print(repr(str(error)))
        """,
        str(tmp_path),
    )
    assert "ExactDP: no file of 1 MiB in" in said
    assert "File too large: give another folder as scratch" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.memory
def test_no_memory_is_said():
    said = in_child(
        """
        import resource
        rows = dw.Table.from_codes(np.zeros((3, 25), dtype=int), states=[(0, 1)] * 25)
        dw.learn(rows.select(rows.names[:12]), search=dw.ExactDP(), threads=1)
        now = int(status("VmSize")) * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, now + 2**28))
        try:
            dw.learn(rows, search=dw.ExactDP(), threads=1)
        except MemoryError as error:
            print(repr(str(error)))
        """
    )
    assert "ExactDP: 1.06 GiB were needed, and the system has less" in said


def test_parent_sets_that_do_not_fit_leave_a_bound():
    rows = dw.networks.load("asia").sample(300, seed=3)
    scorer = dw.Scorer(rows, dw.BDeu(1))
    some = dw.parent_sets(scorer, max_bytes=2000)
    assert not some.complete
    assert some.reason == "memory"
    whole = dw.parent_sets(scorer)
    assert whole.complete
    for name, child in zip(some.names, some.children, strict=True):
        missing = [score for own, score in whole[name].items() if own not in some[name]]
        assert child.rest >= max(missing, default=-math.inf)
    assert some.bound >= whole.bound - 1e-9
    assert any(len(some[name]) < len(whole[name]) for name in whole.names)


@pytest.mark.parametrize("prior", PRIORS)
def test_every_prior_is_taken(prior):
    rows = dw.networks.load("cancer").sample(200, seed=7)
    case = PRIORS[prior](rows)
    scorer = dw.Scorer(rows, dw.BDeu(2), structure_prior=case.spec)
    best = max(scorer.score(dag) for dag in dw.all_dags(rows.names))
    assert dw.learn(scorer, search=dw.ExactDP()).score == close(best)


def test_a_score_that_only_says_it_is_equivalent_is_solved_all_the_same():
    """The climb that they start from needs no equivalence, and neither do they."""

    class Says:
        score_equivalent = True

        def local(self, family):
            return float(sum(ord(p) * ord(family.child) ** 2 for p in family.parents))

    table = dw.Table({name: ["0", "1", "1", "0"] for name in "abcd"})
    found = [
        dw.learn(table, score=Says(), search=search) for search in (dw.ExactDP(), dw.Exhaustive())
    ]
    assert found[0].score == found[1].score > 0
    stopped = dw.learn(table, score=Says(), search=dw.Exhaustive(), time_limit=0)
    assert stopped.reason == "time limit"
