"""From a graph and rows to a Bayesian network."""

from __future__ import annotations

from typing import Any

from dagwright._names import listed
from dagwright.bayes_net import BayesNet
from dagwright.errors import DataError
from dagwright.family_tables import Parameters, check_parameters, count_families
from dagwright.graph import Dag, check_dag
from dagwright.scores import BDeu
from dagwright.sources import Chunks
from dagwright.table import Table

__all__ = ["fit"]


def fit(dag: Dag, data: Table | Chunks | Any, parameters: Parameters | None = None) -> BayesNet:
    """Fit the parameters of a graph to rows.

    Parameters
    ----------
    dag : Dag
        The graph; its nodes are variables of the data. Variables that are no nodes are left out.
    data : Table, Chunks, or a frame that Table takes
        Row weights count. Chunks are read one at a time, in one pass.
    parameters : "ml" or Score, default BDeu(ess=1)
        "ml" is maximum likelihood: n / N, undefined where no row has the configuration of the
        parents; queries that need such a row say so. A score with a Dirichlet prior, BDeu(ess),
        K2(), BDe(...) or Dirichlet(...), gives the posterior with its hyperparameters, whose mean
        is what queries use.

    Returns
    -------
    BayesNet

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Table({"smoke": ["no", "no", "yes"], "cough": ["no", "yes", "yes"]})
    >>> model = dw.fit(dw.Dag([("smoke", "cough")]), rows, parameters="ml")
    >>> model.table("cough").row({"smoke": "no"})
    {'no': 0.5, 'yes': 0.5}
    """
    check_dag(dag)
    parameters = check_parameters(BDeu(1) if parameters is None else parameters)
    if not isinstance(data, Table | Chunks):
        data = Table(data)
    absent = [node for node in dag.nodes if node not in data.states]
    if absent:
        raise DataError(f"fit: the data have no variable [{listed(absent)}], but the graph has")
    if not dag.nodes:
        raise DataError("fit: the graph has no node")
    if isinstance(data, Table) and len(data.names) > len(dag.nodes):
        data = data.select(dag.nodes)
    states = {name: tuple(data.states[name]) for name in dag.nodes}
    cuts = {name: own for name, own in getattr(data, "cuts", {}).items() if name in states}
    return BayesNet._fitted(dag, states, count_families(dag, data), parameters, cuts)
