"""Loopy belief propagation over factors against pyAgrum's over Bayesian networks."""

import numpy as np
import pytest

import dagwright as dw

gum = pytest.importorskip("pyagrum")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("asia", {}),
        ("asia", {"dysp": "yes"}),
        ("alarm", {}),
        ("alarm", {"HISTORY": "TRUE", "CVP": "LOW"}),
    ],
)
def test_messages_settle_where_those_of_pyagrum_do(name, given):
    """No family of these is within another, so that both send messages between the same factors."""
    model = dw.networks.load(name)
    theirs = gum.LoopyBeliefPropagation(model.to_pyagrum())
    theirs.setEvidence(given)
    theirs.setEpsilon(1e-14)
    theirs.setPeriodSize(50)  # it takes a step without change for the end
    theirs.setMaxIter(100_000)
    theirs.makeInference()
    ours = dw.LogLinear.from_bayes_net(model).marginals(given, method="belief-propagation")
    exact = model.junction_tree(given).marginals()
    assert any(
        abs(answer.probabilities - exact[variable].probabilities).max() > 1e-4
        for variable, answer in ours.items()
    )
    for variable, answer in ours.items():
        np.testing.assert_allclose(
            answer.probabilities, theirs.posterior(variable).toarray(), atol=1e-7
        )
