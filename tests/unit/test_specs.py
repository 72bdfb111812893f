"""Specs by name: the command line's text, files, and their errors."""

import dataclasses

import pytest

import dagwright as dw
from dagwright.scores import scores
from dagwright.search import searches
from dagwright.specs import Registry, Spec
from dagwright.structure_priors import structure_priors


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("bic", dw.BIC()),
        ("BIC", dw.BIC()),
        ("bdeu", dw.BDeu()),
        ("bdeu:ess=3", dw.BDeu(3)),
        ("bdeu:2.5", dw.BDeu(2.5)),
        (" bdeu : ess = 3 ", dw.BDeu(3)),
        ("penalized:phi=1.5", dw.Penalized(1.5)),
        ("dirichlet:0.5", dw.Dirichlet(0.5)),
    ],
)
def test_scores_by_text(text, spec):
    assert scores.parse(text) == spec


def test_priors_and_searches_by_text():
    assert structure_priors.parse("edges:0.5") == dw.EdgePenalty(0.5)
    climb = searches.parse("hill-climb:step=first,max_steps=10,min_gain=0.5")
    assert climb == dw.HillClimb(step="first", max_steps=10, min_gain=0.5)
    assert searches.parse("ges:turning=false,repeat=True") == dw.GES(turning=False)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("[a,b]", ("a", "b")),
        ("[ a , b ]", ("a", "b")),
        ("[a b,c]", ("a b", "c")),
        ("['a','b']", ("a", "b")),
        ("[a,'b']", ("a", "b")),
        ("[a,'b]',\"c,[\"]", ("a", "b]", "c,[")),
        ("['1',a]", ("1", "a")),
        ("[true]", None),
        ("[1,2]", None),
        ("a", None),
        ("[a", None),
    ],
)
def test_lists_by_text(order, names):
    text = f"k2-search:max_parents=2,order={order}"
    if names is None:
        with pytest.raises(dw.SpecError, match="K2Search: order must"):
            searches.parse(text)
    else:
        assert searches.parse(text) == dw.K2Search(order=names, max_parents=2)


def test_true_and_false_by_text():
    assert searches.parse("chow-liu:forest=true") == dw.ChowLiu(forest=True)
    assert searches.parse("chow-liu:forest=False,root='true'") == dw.ChowLiu(root="true")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bdeuu", "unknown score 'bdeuu'.*did you mean 'bdeu'"),
        ("", "unknown score ''"),
        ("bdeu:es=3", "no setting 'es'.*did you mean 'ess'"),
        ("bic:3", "'3' is not setting=value"),
        ("bic:ess=3", "no setting 'ess'.*has none"),
        ("bdeu:ess=0", "ess must be a finite number above 0"),
        ("bdeu:ess=-1", "ess must be"),
        ("bdeu:ess=many", "ess must be"),
        ("bdeu:ess=nan", "ess must be"),
        ("bdeu:1,2", "not setting=value"),
        ("penalized", "phi"),
    ],
)
def test_bad_text_is_explained(text, message):
    with pytest.raises(dw.SpecError, match=f"(?s){message}"):
        scores.parse(text)


@pytest.mark.parametrize(
    "values",
    [{}, {"name": "nothing"}, {"name": "bdeu", "es": 1}, {"name": "bdeu", "ess": None}],
)
def test_bad_dictionaries_are_explained(values):
    with pytest.raises(dw.SpecError):
        scores.from_dict(values)


@pytest.mark.parametrize("registry", [scores, structure_priors, searches])
def test_names_are_unique_and_fit_the_command_line(registry):
    names = [spec.name for spec in registry]
    assert len(set(names)) == len(names) > 0
    for name in names:
        assert name == name.lower().strip()
        assert not set(name) & set(":=, ")
        assert registry[name].name == name


def test_specs_do_not_change():
    for spec, setting in (dw.BDeu(), "ess"), (dw.HillClimb(), "step"), (dw.EdgePenalty(0.5), "c"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(spec, setting, 1)


def test_a_registry_takes_new_specs():
    registry = Registry("thing")

    @registry.add
    @dataclasses.dataclass(frozen=True)
    class Thing(Spec):
        size: int = 1
        name = "thing"

    assert registry.parse("thing:size=4") == Thing(4)
    assert registry.from_dict(Thing(4).to_dict()) == Thing(4)
    assert list(registry) == [Thing]


@pytest.mark.parametrize("ess", [0, -1, float("nan"), float("inf"), True, "10", None])
def test_ess_is_a_positive_number(ess):
    with pytest.raises(dw.SpecError, match="ess must be"):
        dw.BDeu(ess)
    with pytest.raises(dw.SpecError, match="ess must be"):
        dw.BDe([0.5, 0.5], ["a"], ess=ess)


def test_mdl_is_bic():
    assert dw.MDL is dw.BIC


@pytest.mark.parametrize("phi", [-1, float("nan"), float("inf"), "1"])
def test_phi_is_a_price(phi):
    with pytest.raises(dw.SpecError, match="phi must be"):
        dw.Penalized(phi)


def test_a_phi_of_n_is_checked_when_n_is_known():
    table = dw.Table({"a": [0, 1]})
    with pytest.raises(dw.SpecError, match=r"phi\(2\) must be"):
        dw.Scorer(table, dw.Penalized(lambda n: -n))
    assert dw.Scorer(table, dw.Penalized(0)).local("a") == dw.Scorer(
        table, dw.LogLikelihood()
    ).local("a")


@pytest.mark.parametrize(
    ("joint", "variables", "message"),
    [
        ([[0.5, 0.5]], ["a"], "2 axes"),
        ([[0.5, 0.5]], ["a", "a"], "repeats a name"),
        ([1.0, 0.0], ["a"], r"joint\[1\] is 0"),
        ([1.0, float("nan")], ["a"], "every cell must be above 0"),
        ([1.0, -1.0], ["a"], "every cell must be above 0"),
    ],
)
def test_a_bad_joint_is_refused(joint, variables, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.BDe(joint, variables)


def test_a_joint_that_does_not_fit_the_data_is_refused():
    table = dw.Table({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(dw.SpecError, match=r"only one has \['b'\]"):
        dw.Scorer(table, dw.BDe([0.5, 0.5], ["a"]))
    with pytest.raises(dw.SpecError, match="3 states for 'b'"):
        dw.Scorer(table, dw.BDe([[1, 1, 1], [1, 1, 1]], ["a", "b"]))


def test_a_joint_is_copied_and_normalised():
    joint = [[1.0, 3.0], [2.0, 2.0]]
    spec = dw.BDe(joint, ["a", "b"], ess=4)
    joint[0][0] = 9
    assert spec.joint.tolist() == [[0.125, 0.375], [0.25, 0.25]]


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        ({("a", ()): [1, 2, 3]}, r"shape \(3,\), but \(2,\)"),
        ({("a", ()): [1, 0]}, "above 0"),
        (lambda child, parents: -1.0, "above 0"),
    ],
)
def test_bad_hyperparameters_name_the_family(alpha, message):
    table = dw.Table({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(dw.SpecError, match=f"'a'.*{message}"):
        dw.Scorer(table, dw.Dirichlet(alpha)).local("a")


@pytest.mark.parametrize("alpha", [0, -1, float("inf"), "1"])
def test_one_hyperparameter_is_a_positive_number(alpha):
    with pytest.raises(dw.SpecError, match="alpha must be"):
        dw.Dirichlet(alpha)


def test_what_is_no_score_is_refused():
    table = dw.Table({"a": [0, 1]})
    for bad in "bic", dw.BIC, 3:
        with pytest.raises(dw.SpecError, match="is not a score"):
            dw.Scorer(table, bad)
