"""Undirected models against pyAgrum's Markov random fields, which share no code with us."""

import numpy as np
import pytest

import dagwright as dw

gum = pytest.importorskip("pyagrum")


def theirs(model):
    field = gum.MarkovRandomField()
    for name, states in model.states.items():
        field.add(gum.LabelizedVariable(name, name, len(states)))
    for scope, table in zip(model.factors.scopes, model.factors.log_values, strict=True):
        factor = field.addFactor([model.names[v] for v in scope])
        factor.fillWith(np.exp(table).ravel(order="F").tolist())  # the first one runs fastest
    return field


def models():
    rng = np.random.default_rng(9)
    n = 12
    couplings = np.triu(rng.normal(0, 1, (n, n)) * (rng.random((n, n)) < 0.25), 1)
    yield dw.Ising(rng.normal(0, 1, n), couplings + couplings.T)
    names = list("abcdefgh")
    states = {name: range(int(r)) for name, r in zip(names, rng.integers(2, 5, 8), strict=True)}
    cliques = [["a", "b", "c"], ["c", "d"], ["d", "e", "f"], ["f", "g"], ["g", "a"], ["h"]]
    n_features = len(dw.LogLinear(states, cliques).features)
    yield dw.LogLinear(states, cliques, rng.normal(0, 1, n_features))


@pytest.mark.parametrize("model", list(models()), ids=repr)
def test_posteriors(model):
    field = theirs(model)
    rng = np.random.default_rng(1)
    for n_known in (0, 1, 3):
        chosen = rng.choice(model.names, n_known, replace=False)
        codes = {str(name): int(rng.integers(len(model.states[name]))) for name in chosen}
        given = {name: model.states[name][code] for name, code in codes.items()}
        lazy = gum.ShaferShenoyMRFInference(field)
        lazy.setEvidence(codes)
        lazy.makeInference()
        for name, answer in model.marginals(given).items():
            assert np.allclose(answer.probabilities, lazy.posterior(name).toarray(), atol=1e-6)
