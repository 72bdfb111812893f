"""Every registered structure prior, as the numbers of a Scorer, against the whole-graph formula."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.structure_priors import structure_priors
from instances import PRIORS, SCORES, chunks_of, log_weight
from oracle import priors as oracle
from strategies import dags_of, families, tables

every_prior = pytest.mark.parametrize("label", PRIORS)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def small_table():
    return dw.Table({"a": [0, 0, 1, 1, 0], "b": [0, 1, 1, 1, 0], "c": [2, 1, 0, 1, 2]})


def test_every_registered_prior_has_an_instance():
    table = small_table()
    made = {make(table).spec.name for make in PRIORS.values()}
    assert made == {prior.name for prior in structure_priors}


@every_prior
@given(data=st.data())
def test_a_prior_adds_its_formula_to_the_score(label, data):
    table = data.draw(tables(max_variables=5))
    case = PRIORS[label](table)
    dag = data.draw(dags_of(table.names))
    spec = SCORES[data.draw(st.sampled_from(["bic", "k2", "bdeu"]))](table).spec
    expected = case.oracle(table.names, set(dag.edges))
    source = data.draw(st.sampled_from([table, chunks_of(table, 2)]))
    scorer = dw.Scorer(source, spec, structure_prior=case.spec)
    assert scorer.score(dag) - dw.score(dag, table, score=spec) == close(expected)
    assert scorer.decompose(dag).total("prior") == close(expected)
    with_prior = dw.score(dag, table, score=spec, structure_prior=case.spec)
    assert with_prior == close(scorer.score(dag))


@every_prior
@given(data=st.data())
def test_the_upper_bound_holds_with_a_prior(label, data):
    table = data.draw(tables(max_variables=5))
    spec = SCORES[data.draw(st.sampled_from(list(SCORES)))](table).spec
    scorer = dw.Scorer(table, spec, structure_prior=PRIORS[label](table).spec)
    child, parents = data.draw(families(table.names))
    bound = scorer.upper_bound(child, parents)
    others = [name for name in table.names if name != child and name not in parents]
    for mask in range(2 ** len(others)):
        more = [name for bit, name in enumerate(others) if mask >> bit & 1]
        assert scorer.local(child, [*parents, *more]) <= bound + 1e-9


@every_prior
def test_a_prior_goes_through_json_and_pickle(label):
    table = small_table()
    spec = PRIORS[label](table).spec
    dag = dw.Dag([("a", "b"), ("c", "b")], nodes=table.names)
    expected = dw.score(dag, table, structure_prior=spec)
    copy = pickle.loads(pickle.dumps(spec))
    assert dw.score(dag, table, structure_prior=copy) == expected
    text = json.dumps(spec.to_dict())
    if label == "modular":
        with pytest.raises(dw.SpecError, match="log_weight"):
            structure_priors.from_dict(json.loads(text))
    else:
        again = structure_priors.from_dict(json.loads(text))
        assert json.dumps(again.to_dict()) == text
        assert dw.score(dag, table, structure_prior=again) == close(expected)


@pytest.mark.parametrize(
    "belief", [(0, 0.5), (0.5, 0), (1, 0), (0.5, 0.5), (0.6, 0.7), (-0.1, 0.5), (float("nan"), 0.1)]
)
def test_certain_or_impossible_beliefs_belong_in_constraints(belief):
    with pytest.raises(dw.SpecError, match=r"'a' -> 'b'.*Constraints"):
        dw.EdgeBeliefs({("a", "b"): belief})


@pytest.mark.parametrize(
    ("beliefs", "message"),
    [
        ({("a", "a"): (0.1, 0.1)}, "self loop"),
        ({("a", "b"): 0.3}, "is not"),
        ({("a", "b"): (0.1, 0.2), ("b", "a"): (0.1, 0.2)}, "given twice"),
        ([], "no expert"),
        ({("a", "B"): (0.1, 0.2)}, "no variable 'B'; did you mean|no variable 'B'"),
    ],
)
def test_bad_beliefs_are_refused(beliefs, message):
    with pytest.raises(dw.DagwrightError, match=message):
        dw.Scorer(small_table(), structure_prior=dw.EdgeBeliefs(beliefs))


@pytest.mark.parametrize("trust", [[1], [1, 0], [1, -1], [1, float("inf")]])
def test_trust_has_a_positive_number_for_each_expert(trust):
    experts = [{("a", "b"): (0.1, 0.2)}, {("a", "b"): (0.3, 0.2)}]
    with pytest.raises(dw.SpecError, match="trust"):
        dw.EdgeBeliefs(experts, trust=trust)


def test_experts_are_pooled_by_the_mean_and_silence_is_a_third():
    prior = dw.EdgeBeliefs([{("a", "b"): (0.8, 0.1)}, {("c", "b"): (0.2, 0.3)}], trust=[3, 1])
    assert prior.probability("a", "b") == pytest.approx((3 * 0.8 + 1 / 3) / 4)
    assert prior.probability("b", "a") == pytest.approx((3 * 0.1 + 1 / 3) / 4)
    assert prior.probability("b", "c") == pytest.approx((3 / 3 + 0.3) / 4)
    assert prior.probability("a", "c") == pytest.approx(1 / 3)
    assert oracle.edge_beliefs([{}])(["a", "b"], {("a", "b")}) == pytest.approx(0)


@pytest.mark.parametrize("c", [0, -0.5, 1.5, float("nan"), True, "0.5", None])
def test_an_edge_penalty_is_above_0_and_at_most_1(c):
    with pytest.raises(dw.SpecError, match="EdgePenalty: c must be"):
        dw.EdgePenalty(c)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), "text", None])
def test_a_modular_prior_that_is_no_finite_number_is_refused(bad):
    """The error names the family."""
    prior = dw.Modular(lambda child, parents: bad if parents else 0.0)
    scorer = dw.Scorer(small_table(), structure_prior=prior)
    with pytest.raises(dw.DagwrightError, match=r"'b'.*\ba\b"):
        scorer.local("b", ["a"])


def test_a_modular_prior_gets_names_and_passes_its_own_errors_on():
    def raises(child, parents):
        raise LookupError(f"{child} and {parents}")

    scorer = dw.Scorer(small_table(), structure_prior=dw.Modular(raises))
    with pytest.raises(LookupError, match=r"b and \('a',\)"):
        scorer.local("b", ["a"])
    with pytest.raises(dw.SpecError, match="must be a function"):
        dw.Modular(0.5)
    assert log_weight("a", ("b", "c")) == log_weight("a", ("c", "b"))


def test_what_is_no_prior_is_refused():
    for bad in 0.5, dw.EdgePenalty, "uniform":
        with pytest.raises(dw.SpecError, match="structure_prior="):
            dw.Scorer(small_table(), structure_prior=bad)
