"""Networks for other packages, and from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dagwright.errors import DataError
from dagwright.graph import Dag

if TYPE_CHECKING:
    from dagwright.bayes_net import BayesNet

__all__ = [
    "from_networkx",
    "from_pgmpy",
    "from_pyagrum",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
]

Parts = tuple[Dag, dict[str, Any], dict[str, list[Any]]]


def _package(name: str, extra: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{extra} is needed: pip install 'dagwright[{extra}]'") from error


def to_pgmpy(model: BayesNet) -> Any:
    """Return pgmpy's network; states keep their types."""
    models = _package("pgmpy.models", "pgmpy")
    factors = _package("pgmpy.factors.discrete", "pgmpy")
    network = models.DiscreteBayesianNetwork()
    network.add_nodes_from(model.names)
    network.add_edges_from(model.dag.edges)
    for name in model.names:
        table = model.table(name)
        network.add_cpds(
            factors.TabularCPD(
                name,
                table.n_states,
                table.probabilities.reshape(-1, table.n_states).T,
                evidence=list(table.parents) or None,
                evidence_card=list(table.shape[:-1]) or None,
                state_names={own: list(states) for own, states in table.states.items()},
            )
        )
    return network


def from_pgmpy(network: Any) -> Parts:
    """Return the parts of a network of pgmpy."""
    names = [str(node) for node in network.nodes()]
    dag = Dag([(str(a), str(b)) for a, b in network.edges()], nodes=names)
    probabilities, states = {}, {}
    for node in network.nodes():
        table = network.get_cpds(node)
        if table is None:
            raise DataError(f"the network has no table of {node!r}")
        order = [str(name) for name in table.variables]  # the child first
        parents = dag.parents(str(node))
        axes = [order.index(name) for name in (*parents, str(node))]
        probabilities[str(node)] = np.asarray(table.values, dtype=np.float64).transpose(axes)
        states[str(node)] = list(table.state_names[node])
    return dag, probabilities, states


def to_pyagrum(model: BayesNet) -> Any:
    """Return pyAgrum's network; states are text there."""
    gum = _package("pyagrum", "pyagrum")
    network = gum.BayesNet()
    for name in model.names:
        labels = [str(state) for state in model.states[name]]
        if len(set(labels)) != len(labels):
            raise DataError(f"two states of {name!r} are the same as text: {labels}")
        network.add(gum.LabelizedVariable(name, name, labels))
    for start, end in model.dag.edges:
        network.addArc(start, end)
    for name in model.names:
        table = model.table(name)
        cpt = network.cpt(name)
        order = list(reversed(cpt.names))  # the first name runs fastest
        own = (*table.parents, name)
        cpt.fillWith(
            np.ascontiguousarray(
                table.probabilities.transpose([own.index(other) for other in order])
            )
            .ravel()
            .tolist()
        )
    return network


def from_pyagrum(network: Any) -> Parts:
    """Return the parts of a network of pyAgrum."""
    names = [network.variable(node).name() for node in network.nodes()]
    arcs = [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()]
    dag = Dag(arcs, nodes=names)
    probabilities, states = {}, {}
    for name in names:
        cpt = network.cpt(name)
        order = list(reversed(cpt.names))
        axes = [order.index(other) for other in (*dag.parents(name), name)]
        probabilities[name] = np.asarray(cpt.toarray(), dtype=np.float64).transpose(axes)
        states[name] = list(network.variable(name).labels())
    return dag, probabilities, states


def to_networkx(model: BayesNet) -> Any:
    """Return a DiGraph whose nodes have their states, parents and probabilities."""
    graph = model.dag.to_networkx()
    for name in model.names:
        table = model.table(name)
        graph.nodes[name].update(
            states=list(table.states[name]),
            parents=list(table.parents),
            probabilities=table.probabilities.copy(),
        )
    return graph


def from_networkx(graph: Any) -> Parts:
    """Return the parts of a network that `to_networkx` wrote."""
    dag = Dag.from_networkx(graph)
    probabilities, states = {}, {}
    for name in dag.nodes:
        own = graph.nodes[name]
        absent = [key for key in ("states", "parents", "probabilities") if key not in own]
        if absent:
            raise DataError(f"node {name!r} has no attribute {absent[0]!r}: it has {list(own)}")
        order = [*own["parents"], name]
        if set(own["parents"]) != set(dag.parents(name)):
            raise DataError(
                f"node {name!r} has the parents {own['parents']}, but its edges come from "
                f"{list(dag.parents(name))}"
            )
        axes = [order.index(other) for other in (*dag.parents(name), name)]
        probabilities[name] = np.asarray(own["probabilities"], dtype=np.float64).transpose(axes)
        states[name] = list(own["states"])
    return dag, probabilities, states
