"""How far the data violate what a graph says: each node is independent of others given parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dagwright._names import checked_nodes
from dagwright.errors import GraphError
from dagwright.graph import Dag
from dagwright.scorer import Scorer
from dagwright.scores import LogLikelihood
from dagwright.structure_priors import Uniform

__all__ = ["MarkovViolation", "MarkovViolations", "markov_violations"]


@dataclass(frozen=True)
class MarkovViolation:
    """What a graph says of one node, and how much information the data have against it."""

    node: str
    parents: tuple[str, ...]
    others: tuple[str, ...]
    """The nodes before it in the order that are no parents."""
    information: float
    """I(node; others | parents) in nats a row: 0 if the node is independent of them."""


@dataclass(frozen=True)
class MarkovViolations:
    """What :func:`dagwright.markov_violations` returns.

    Attributes
    ----------
    nodes : tuple of MarkovViolation
        In the order.
    joint_entropy : float
        H of all variables together, in nats.
    n_rows : float
        The sum of the row weights.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 0, 1]})
    >>> print(dw.markov_violations(dw.Dag([("c", "b")], nodes=["a", "b", "c"]), table))
    log-likelihood -8.318 = -4 rows (joint entropy 1.386 + violations 0.693)
    violation  node  independent of  given
        0.693  b     a               c
        0.000  a
        0.000  c     a
    """

    nodes: tuple[MarkovViolation, ...]
    joint_entropy: float
    n_rows: float

    @property
    def order(self) -> tuple[str, ...]:
        """The nodes, parents first."""
        return tuple(own.node for own in self.nodes)

    @property
    def total(self) -> float:
        """The sum of the violations, in nats a row."""
        return sum(own.information for own in self.nodes)

    @property
    def log_likelihood(self) -> float:
        """That of the graph: -N (joint entropy + violations)."""
        return -self.n_rows * (self.joint_entropy + self.total)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "n_rows": self.n_rows,
            "joint_entropy": self.joint_entropy,
            "log_likelihood": self.log_likelihood,
            "violations": [asdict(own) for own in self.nodes],
        }

    def __str__(self) -> str:
        head = (
            f"log-likelihood {self.log_likelihood:,.3f} = -{self.n_rows:,.6g} rows "
            f"(joint entropy {self.joint_entropy:.3f} + violations {self.total:.3f})"
        )
        rows = [
            (f"{own.information:.3f}", own.node, ", ".join(own.others), ", ".join(own.parents))
            for own in sorted(self.nodes, key=lambda own: -own.information)
        ]
        titles = ("violation", "node", "independent of", "given")
        widths = [max(map(len, texts)) for texts in zip(titles, *rows, strict=True)]
        lines = [
            f"{first:>{widths[0]}}  "
            + "  ".join(f"{text:<{width}}" for text, width in zip(rest, widths[1:], strict=True))
            for first, *rest in (titles, *rows)
        ]
        return "\n".join([head, *(line.rstrip() for line in lines)])


def markov_violations(
    dag: Dag, data: Any, *, order: Sequence[str] | None = None
) -> MarkovViolations:
    """Take a graph's log-likelihood apart into the joint entropy and what the graph gets wrong.

    Along an order with parents first, a graph says that each node is independent of the nodes
    before it given its parents. I(node; the others before it | parents) is how far the rows
    violate that, and LL / N = -H(all variables) - the sum of these. The best possible graph by
    likelihood, the complete one, has none. Rows that obey the graph exactly are rare: each
    violation has a part that is chance.

    Parameters
    ----------
    dag : Dag
        Its nodes are the variables of the data.
    data : Table, Chunks, a frame that Table takes, or a Scorer
        Row weights count. The score of a Scorer does not matter.
    order : sequence of str, optional
        All nodes, parents before children; by default ``dag.topological_order()``. Another order
        gives other violations with the same sum.

    Returns
    -------
    MarkovViolations

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(1000, seed=1)
    >>> found = dw.markov_violations(dw.learn(table).dag, table)
    >>> worst = max(found.nodes, key=lambda own: own.information)
    >>> worst.information < 0.02
    True
    """
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    scorer.with_score(LogLikelihood(), Uniform()).score(dag)  # says what is wrong with the graph
    chosen = dag.topological_order() if order is None else _checked_order(dag, order)
    before = 0.0  # the entropy of the nodes so far
    nodes = []
    for place, node in enumerate(chosen):
        parents = dag.parents(node)
        others = tuple(name for name in chosen[:place] if name not in parents)
        after = scorer.entropy(chosen[: place + 1])
        information = 0.0
        if others:
            given_parents = scorer.entropy([*parents, node]) - scorer.entropy(parents)
            information = max(0.0, given_parents - (after - before))
        nodes.append(MarkovViolation(node, parents, others, information))
        before = after
    return MarkovViolations(tuple(nodes), before, float(scorer.data.total_weight))


def _checked_order(dag: Dag, order: Sequence[str]) -> tuple[str, ...]:
    names = checked_nodes(order)
    if set(names) != set(dag.nodes):
        different = sorted(set(names) ^ set(dag.nodes))
        raise GraphError(f"order must have each node once; only one of them has {different}")
    place = {name: number for number, name in enumerate(names)}
    for parent, child in dag.edges:
        if place[parent] > place[child]:
            raise GraphError(
                f"order has {child!r} before its parent {parent!r}: put parents first, as "
                "dag.topological_order() does"
            )
    return names
