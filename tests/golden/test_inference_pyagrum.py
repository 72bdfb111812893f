"""Posteriors against pyAgrum, which shares no code with us.

Tables go over in memory: from BIF files pyAgrum reads numbers in single precision.
"""

import numpy as np
import pytest

import dagwright as dw

gum = pytest.importorskip("pyagrum")


def findings(model, rng, n):
    """States of one row that the network itself drew: evidence that can be."""
    row = model.sample(1, seed=int(rng.integers(2**32)))
    chosen = rng.choice(len(row.names), min(n, len(row.names) - 1), replace=False)
    return {row.names[v]: row.states[row.names[v]][row.codes[v][0]] for v in chosen}


@pytest.mark.parametrize("name", dw.networks.names)
def test_posteriors(name):
    model = dw.networks.load(name)
    theirs = model.to_pyagrum()
    rng = np.random.default_rng(len(name))
    tree = model.junction_tree()
    for n in (0, 1, 2, 5, 5, 8):
        given = findings(model, rng, n)
        lazy = gum.LazyPropagation(theirs)
        lazy.setEvidence({key: str(state) for key, state in given.items()})
        lazy.makeInference()
        tree.set_evidence(given)
        for variable, answer in tree.marginals().items():
            expected = lazy.posterior(variable).toarray()
            np.testing.assert_allclose(answer.probabilities, expected, atol=1e-9)
            if variable not in given:
                asked = model.query(variable, given).probabilities
                np.testing.assert_allclose(asked, expected, atol=1e-9)
        if given:
            assert tree.probability == pytest.approx(lazy.evidenceProbability(), rel=1e-9)
        free = [variable for variable in model.names if variable not in given]
        pair = [str(v) for v in rng.choice(free, min(2, len(free)), replace=False)]
        joint = gum.LazyPropagation(theirs)
        joint.setEvidence({key: str(state) for key, state in given.items()})
        joint.addJointTarget(set(pair))
        joint.makeInference()
        table = joint.jointPosterior(set(pair))
        order = [list(reversed(table.names)).index(variable) for variable in pair]
        np.testing.assert_allclose(
            model.query(pair, given).probabilities, table.toarray().transpose(order), atol=1e-9
        )


@pytest.mark.parametrize("name", ["asia", "child", "alarm"])
def test_soft_evidence(name):
    model = dw.networks.load(name)
    rng = np.random.default_rng(1)
    for _ in range(3):
        soft = {
            str(variable): rng.uniform(0.05, 1, len(model.states[str(variable)])).tolist()
            for variable in rng.choice(model.names, 3, replace=False)
        }
        lazy = gum.LazyPropagation(model.to_pyagrum())
        lazy.setEvidence(soft)
        lazy.makeInference()
        for variable, answer in model.marginals(soft).items():
            expected = lazy.posterior(variable).toarray()
            np.testing.assert_allclose(answer.probabilities, expected, atol=1e-9)


@pytest.mark.parametrize("name", ["asia", "sachs"])
def test_interventions(name):
    """Pearl's: the families of what is set are cut out by hand in pyAgrum."""
    model = dw.networks.load(name)
    rng = np.random.default_rng(2)
    for variable in model.names:
        state = model.states[variable][int(rng.integers(len(model.states[variable])))]
        cut = model.to_pyagrum()
        for parent in model.dag.parents(variable):
            cut.eraseArc(parent, variable)
        cut.cpt(variable).fillWith([float(own == state) for own in model.states[variable]])
        lazy = gum.LazyPropagation(cut)
        lazy.makeInference()
        together = model.marginals(do={variable: state})
        for other in model.names:
            np.testing.assert_allclose(
                together[other].probabilities, lazy.posterior(other).toarray(), atol=1e-9
            )
            if other != variable:
                np.testing.assert_allclose(
                    model.query(other, do={variable: state}).probabilities,
                    lazy.posterior(other).toarray(),
                    atol=1e-9,
                )


def test_maximum_likelihood():
    """Parameters: the same counts give the same tables."""
    model = dw.networks.load("asia")
    rows = model.sample(2000, seed=3)
    theirs = model.to_pyagrum()
    learned = gum.BNLearner(rows.to_frame().astype(str), theirs).learnParameters(theirs.dag())
    ours = dw.fit(model.dag, rows, "ml")
    back = dw.BayesNet.from_pyagrum(learned)
    for name in model.names:
        mine, other = ours.table(name), back.table(name)
        axes = [mine.parents.index(parent) for parent in other.parents]
        table = mine.probabilities.transpose([*axes, len(axes)])
        known = ~np.isnan(table)
        np.testing.assert_allclose(table[known], other.probabilities[known], atol=1e-9)
