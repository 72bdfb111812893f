"""Every registered score, on a table and on chunks of one, against its textbook formula."""

import json
import math
import pickle
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.scores import scores
from instances import PRIORS, SCORES, chunks_of
from oracle import scores as oracle
from oracle.counts import rows_of
from strategies import dags_of, families, row_weights, tables

every_score = pytest.mark.parametrize("label", SCORES)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def sources(table):
    """The same rows from every kind of count source."""
    return [table, *(chunks_of(table, n) for n in (1, 2, 3))]


def all_families(names):
    return [
        (child, parents)
        for child in names
        for size in range(len(names))
        for parents in combinations([name for name in names if name != child], size)
    ]


def some_table(n_states=(2, 3, 2, 3), n_rows=60, seed=5, weights=None):
    """Four dependent variables, where not every configuration is seen."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(n_states[0], size=n_rows)]
    for r in n_states[1:]:
        codes.append((codes[-1] + (rng.random(n_rows) < 0.3)) % r)
    return dw.Table.from_codes(
        codes,
        names=list("dbac")[: len(n_states)],
        states=[range(r) for r in n_states],
        weights=weights,
    )


def test_every_registered_score_has_an_instance():
    table = some_table()
    assert {make(table).spec.name for make in SCORES.values()} == {spec.name for spec in scores}


@every_score
@given(data=st.data())
def test_local_is_the_formula(label, data):
    table = data.draw(tables(max_variables=5))
    case = SCORES[label](table)
    rows = rows_of(table)
    scorer = dw.Scorer(data.draw(st.sampled_from(sources(table))), case.spec)
    for _ in range(3):
        child, parents = data.draw(families(table.names))
        expected = case.oracle(rows, child, parents)
        assert scorer.local(child, parents) == close(expected)
        assert case.spec.local(scorer.counts(child, parents)) == close(expected)


@every_score
@given(data=st.data())
def test_a_graph_scores_the_sum_of_its_families(label, data):
    table = data.draw(tables(max_variables=4))
    case = SCORES[label](table)
    dag = data.draw(dags_of(table.names))
    expected = oracle.score(case.oracle, rows_of(table), dag)
    assert dw.score(dag, table, score=case.spec) == close(expected)


@every_score
@given(data=st.data())
def test_chunks_score_as_the_table(label, data):
    table = data.draw(tables(max_variables=4))
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    expected = dw.Scorer(table, spec).batch(asked)
    for source in sources(table)[1:]:
        assert dw.Scorer(source, spec).batch(asked) == close(expected)


@every_score
def test_what_a_score_says_of_itself_the_core_says_too(label):
    table = some_table()
    spec = SCORES[label](table).spec
    scorer = dw.Scorer(table, spec)
    native = spec.native(scorer.source)
    assert (spec.score_equivalent, spec.set_function) == (
        native.score_equivalent,
        native.set_function,
    )
    assert scorer.score_equivalent == spec.score_equivalent


@every_score
@pytest.mark.parametrize("weighted", [False, True])
def test_score_equivalent_means_ties_on_all_equivalent_graphs(label, weighted):
    weights = np.random.default_rng(2).exponential(size=60) if weighted else None
    table = some_table(weights=weights)
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    local = dict(zip(asked, dw.Scorer(table, spec).batch(asked), strict=True))
    by_class = defaultdict(list)
    for dag in dw.all_dags(table.names):
        by_class[dag.cpdag()].append(sum(local[node, dag.parents(node)] for node in dag.nodes))
    assert sum(map(len, by_class.values())) == 543
    assert len(by_class) == 185  # Gillispie & Perlman 2002
    spread = max(max(totals) - min(totals) for totals in by_class.values())
    assert spread < 1e-9 if spec.score_equivalent else spread > 1e-3


@every_score
def test_set_function_means_that_the_order_of_a_set_does_not_matter(label):
    """s(a | P) + s(b | P + a) = s(b | P) + s(a | P + b), which is f(P + a + b) - f(P)."""
    table = some_table()
    case = SCORES[label](table)
    scorer = dw.Scorer(table, case.spec)
    differences = [
        scorer.local(a, p)
        + scorer.local(b, [*p, a])
        - scorer.local(b, p)
        - scorer.local(a, [*p, b])
        for a, b in combinations(table.names, 2)
        for p in ([], [name for name in table.names if name not in (a, b)])
    ]
    worst = np.abs(differences).max()
    assert worst < 1e-9 if case.spec.set_function else worst > 1e-3


@pytest.mark.parametrize(
    "label", [label for label in SCORES if SCORES[label](some_table()).bayesian]
)
@given(data=st.data())
def test_a_log_marginal_likelihood_is_never_positive(label, data):
    table = data.draw(tables(max_variables=5, max_rows=10))
    numbers = dw.Scorer(table, SCORES[label](table).spec).batch(all_families(table.names))
    assert numbers.max() <= 1e-12


@every_score
def test_an_unseen_state_changes_only_what_the_formula_says(label):
    """A declared state without rows, first of the child and then of a parent."""
    table = some_table((2, 3, 2))
    child, parent, other = table.names
    for name in child, parent:
        states = {v: range(table.n_states[v] + (v == name)) for v in table.names}
        more = dw.Table.from_codes(table.codes, names=table.names, states=states)
        case = SCORES[label](more)
        got = dw.Scorer(more, case.spec).local(child, [parent, other])
        assert got == close(case.oracle(rows_of(more), child, [parent, other]))
        before = dw.Scorer(table, SCORES[label](table).spec).local(child, [parent, other])
        unchanged = label == "log-likelihood" or (name == parent and label in ("k2", "dirichlet"))
        assert (got == close(before)) == unchanged or "by" in label or label == "bde"


@every_score
@given(data=st.data())
def test_a_weight_of_two_is_a_row_twice_and_of_zero_no_row(label, data):
    table = data.draw(tables(max_variables=4, weighted=False))
    spec = SCORES[label](table).spec
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 3, len(table))
    assume(weights.any())
    asked = all_families(table.names)
    repeated = table.take(np.arange(len(table)).repeat(weights))
    expected = dw.Scorer(repeated, spec).batch(asked)
    assert dw.Scorer(table.with_weights(weights), spec).batch(asked) == close(expected)
    assert dw.Scorer(table.with_weights(weights * 1.0), spec).batch(asked) == close(expected)


@every_score
@given(data=st.data())
def test_the_order_of_rows_and_variables_does_not_matter(label, data):
    table = data.draw(tables(max_variables=4))
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    expected = dw.Scorer(table, spec).batch(asked)
    rows = data.draw(st.permutations(range(len(table))))
    assert dw.Scorer(table.take(rows), spec).batch(asked) == close(expected)
    names = data.draw(st.permutations(table.names))
    assert dw.Scorer(table.select(names), spec).batch(asked) == close(expected)
    turned = [(child, parents[::-1]) for child, parents in asked]
    assert dw.Scorer(table, spec).batch(turned) == close(expected)


@pytest.mark.parametrize("label", [x for x in SCORES if x.split()[0] != "bde" and "by f" not in x])
@given(data=st.data())
def test_the_codes_of_the_states_do_not_matter(label, data):
    table = data.draw(tables(max_variables=4))
    spec = SCORES[label](table).spec
    codes = []
    for name, column in zip(table.names, table.codes, strict=True):
        new = np.array(data.draw(st.permutations(range(table.n_states[name]))))
        codes.append(new[column])
    other = dw.Table.from_codes(
        codes, names=table.names, states=table.states, weights=table.weights
    )
    asked = all_families(table.names)
    assert dw.Scorer(other, spec).batch(asked) == close(dw.Scorer(table, spec).batch(asked))


@every_score
@given(data=st.data())
def test_no_superset_of_the_parents_exceeds_the_upper_bound(label, data):
    table = data.draw(tables(max_variables=5))
    scorer = dw.Scorer(data.draw(st.sampled_from(sources(table))), SCORES[label](table).spec)
    for child, parents in [data.draw(families(table.names)) for _ in range(3)]:
        supersets = [
            family
            for family in all_families(table.names)
            if family[0] == child and set(family[1]) >= set(parents)
        ]
        bound = scorer.upper_bound(child, parents)
        assert bound >= scorer.batch(supersets).max() - 1e-9


def candidates_kept(scorer, total, child, parents):
    """The candidates that are left of all that could be added to a family."""
    names = scorer.source.names
    number = scorer.source.number()
    information = [total * scorer.entropy([name]) for name in names]
    others = [number[name] for name in names if name != child and name not in parents]
    family = number[child], sorted(number[parent] for parent in parents)
    kept = scorer.native.drop_hopeless(family, scorer.local(child, parents), information, others)
    return {names[v] for v in kept}


@every_score
@given(data=st.data())
def test_no_candidate_that_gains_is_dropped(label, data):
    table = data.draw(tables(max_variables=5))
    prior = PRIORS[data.draw(st.sampled_from(list(PRIORS)))](table).spec
    scorer = dw.Scorer(
        table,
        SCORES[label](table).spec,
        structure_prior=data.draw(st.sampled_from([None, prior])),
    )
    child, parents = data.draw(families(table.names))
    kept = candidates_kept(scorer, table.total_weight, child, parents)
    before = scorer.local(child, parents)
    for name in set(table.names) - {child, *parents} - kept:
        assert scorer.local(child, [*parents, name]) <= before + 1e-9 * (1 + abs(before))


@pytest.mark.parametrize("prior", [None, dw.EdgePenalty(0.5)])
def test_candidates_that_cost_more_than_they_can_tell_are_dropped(prior):
    n = 2000
    rng = np.random.default_rng(1)
    coin, wide = rng.integers(2, size=n), rng.integers(40, size=n)
    frame = {"coin": coin, "copy": coin, "rare": np.arange(n) < 1, "wide": wide}
    scorer = dw.Scorer(dw.Table(frame), dw.BIC(), structure_prior=prior)
    # One row tells at most 8.6 nats, a parameter costs 3.8, and a copy leaves nothing to be told.
    assert candidates_kept(scorer, n, "coin", []) == {"copy", "rare", "wide"}
    assert candidates_kept(scorer, n, "wide", []) == {"coin", "copy"}
    assert candidates_kept(scorer, n, "coin", ["copy"]) == set()
    costly = dw.Scorer(dw.Table(frame), dw.LogLikelihood(), structure_prior=dw.EdgePenalty(1e-300))
    assert candidates_kept(costly, n, "coin", []) == {"copy", "wide"}  # an edge costs 690 nats
    other = dw.Scorer(dw.Table(frame), dw.BDeu(1))
    assert candidates_kept(other, n, "coin", ["copy"]) == {"rare", "wide"}


@given(data=st.data())
def test_entropy_is_the_formula(data):
    table = data.draw(tables())
    variables = data.draw(st.lists(st.sampled_from(table.names), min_size=1, unique=True))
    for source in table, chunks_of(table, 2):
        expected = oracle.entropy(rows_of(table), variables)
        assert dw.Scorer(source).entropy(variables) == close(expected)


@every_score
@given(data=st.data())
def test_the_cache_and_the_batch_change_nothing(label, data):
    table = data.draw(tables(max_variables=4))
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    expected = dw.Scorer(table, spec).batch(asked)
    for cache_bytes in 0, 1, 200, 5000:
        scorer = dw.Scorer(table, spec, cache_bytes=cache_bytes)
        assert [scorer.local(*family) for family in asked] == close(expected)
        assert scorer.batch([*asked, *asked]) == close([*expected, *expected])
        assert scorer.stats.cache_bytes <= cache_bytes + 2**16  # what an empty cache takes


@every_score
@given(data=st.data())
def test_what_was_asked_before_does_not_change_a_bit(label, data):
    """Law 8: sums run in a fixed order, so a family has one number and not two."""
    table = data.draw(tables(max_variables=4, max_states=4))
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    scorer = dw.Scorer(table, spec)
    first = scorer.batch(asked).tolist()
    assert scorer.batch(asked).tolist() == first
    assert dw.Scorer(table, spec).batch(asked[::-1]).tolist() == first[::-1]


@every_score
def test_any_number_of_threads_gives_the_same_bits(label):
    table = some_table((2, 3, 2, 4), n_rows=500)
    for source in table, chunks_of(table, 3):
        spec = SCORES[label](table).spec
        asked = all_families(table.names) * 3
        expected = dw.Scorer(source, spec).batch(asked, threads=1).tolist()
        for threads in 2, 4:
            assert dw.Scorer(source, spec).batch(asked, threads=threads).tolist() == expected


@every_score
@given(data=st.data())
def test_reweighted_is_a_table_with_these_weights(label, data):
    table = data.draw(tables(max_variables=4))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    weights = data.draw(row_weights(len(table), rng))
    weights = np.ones(len(table)) if weights is None else weights
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    expected = dw.Scorer(table.with_weights(weights), spec).batch(asked)
    for source in table, chunks_of(table, 2):
        scorer = dw.Scorer(source, spec)
        before = scorer.batch(asked)
        assert scorer.reweighted(weights).batch(asked) == close(expected)
        assert scorer.batch(asked) == close(before)


@every_score
def test_with_score_is_a_scorer_of_that_score(label):
    table = some_table()
    spec = SCORES[label](table).spec
    asked = all_families(table.names)
    prior = dw.EdgePenalty(0.5)
    first = dw.Scorer(table, dw.AIC(), structure_prior=prior)
    first.batch(asked)
    expected = dw.Scorer(table, spec, structure_prior=prior).batch(asked)
    assert first.with_score(spec).batch(asked).tolist() == expected.tolist()
    weighted = first.reweighted(np.arange(60)).with_score(spec)
    again = dw.Scorer(table.with_weights(np.arange(60)), spec, structure_prior=prior)
    assert weighted.batch(asked) == close(again.batch(asked))


@every_score
@given(data=st.data())
def test_gains_are_differences(label, data):
    table = data.draw(tables(max_variables=5))
    source = data.draw(st.sampled_from(sources(table)))
    scorer = dw.Scorer(source, SCORES[label](table).spec)
    child, parents = data.draw(families(table.names))
    gains = scorer.gains(child, parents)
    assert set(gains) == set(table.names) - {child}
    for name, gain in gains.items():
        after = set(parents) ^ {name}
        assert gain == close(scorer.local(child, after) - scorer.local(child, parents))


@every_score
@given(data=st.data())
def test_a_decomposition_adds_up(label, data):
    table = data.draw(tables(max_variables=4))
    case = SCORES[label](table)
    dag = data.draw(dags_of(table.names))
    rows = rows_of(table)
    parts = dw.Scorer(table, case.spec, structure_prior=dw.EdgePenalty(0.3)).decompose(dag)
    for family in parts.families:
        n = rows.total
        assert family.parents == dag.parents(family.child)
        assert family.fit == close(
            n * oracle.mutual_information(rows, [family.child], family.parents)
        )
        assert family.entropy == close(n * oracle.entropy(rows, [family.child]))
        assert family.prior == close(math.log(0.3) * len(family.parents))
        local = case.oracle(rows, family.child, family.parents)
        assert family.score == close(local + family.prior)
        sum_of_parts = family.fit - family.entropy + family.complexity + family.prior
        assert sum_of_parts == close(family.score)
    total = dw.score(dag, table, score=case.spec, structure_prior=dw.EdgePenalty(0.3))
    assert parts.total() == close(total)


@every_score
def test_specs_pickle_and_compare(label):
    table = some_table()
    spec = SCORES[label](table).spec
    copy = pickle.loads(pickle.dumps(spec))
    asked = all_families(table.names)
    assert (dw.Scorer(table, copy).batch(asked) == dw.Scorer(table, spec).batch(asked)).all()


@every_score
def test_specs_go_through_json(label):
    table = some_table()
    spec = SCORES[label](table).spec
    text = json.dumps(spec.to_dict())
    if label in ("penalized by N", "dirichlet by function"):
        with pytest.raises(dw.SpecError, match="function"):
            scores.from_dict(json.loads(text))
        return
    again = scores.from_dict(json.loads(text))
    assert type(again) is type(spec)
    assert json.dumps(again.to_dict()) == text
    asked = all_families(table.names)
    expected = dw.Scorer(table, spec).batch(asked)
    assert dw.Scorer(table, again).batch(asked) == pytest.approx(expected, rel=1e-12)


def test_the_bound_holds_for_rows_that_weigh_less_than_one():
    """The first row of a configuration has probability 1/r only if it is a whole row."""
    table = dw.Table({"a": ["n", "y"] * 4, "b": ["n", "y"] * 4}, weights=[0.05] * 8)
    for spec in dw.BDeu(1), dw.K2(), dw.Dirichlet(0.5):
        scorer = dw.Scorer(table, spec)
        assert scorer.upper_bound("a") >= scorer.local("a", ["b"])


@pytest.mark.parametrize("ess", [1e9, 1e12, 1e15, 1e35, 1e100])
def test_a_prior_that_outweighs_the_rows_by_far(ess):
    """The parameters are then as good as known: every state has probability 1/2."""
    table = dw.Table({"a": ["n"] * 40 + ["y"] * 60})
    expected = pytest.approx(-100 * math.log(2), rel=1e-5)
    assert dw.Scorer(table, dw.BDeu(ess)).local("a") == expected


def test_normalised_weights_count_the_same_in_any_order_of_rows():
    rng = np.random.default_rng(5)
    weights = rng.random(1000)
    weights /= weights.sum()
    table = dw.Table.from_codes(rng.integers(3, size=(1000, 3)), weights=weights)
    counts = dw.Scorer(table).counts("x1", ["x2"])
    for _ in range(50):
        other = dw.Scorer(table.take(rng.permutation(1000))).counts("x1", ["x2"])
        assert other.cell_counts.tolist() == counts.cell_counts.tolist()
        assert other.total == counts.total
