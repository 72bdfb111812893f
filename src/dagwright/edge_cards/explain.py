"""Why each edge of a graph is there, and why others are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagwright.constraints import Constraints
from dagwright.edge_cards.changes import changes_between, fixed_by, split_gain
from dagwright.edge_cards.edge_card import EdgeCard, EdgeShares
from dagwright.edge_cards.explanation import Explanation
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag, check_dag
from dagwright.information.independence import independence
from dagwright.scorer import Scorer, open_scorer
from dagwright.scores import BDeu, NativeScore

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagwright.scores import Score
    from dagwright.sources import Chunks
    from dagwright.structure_priors import StructurePrior
    from dagwright.table import Table

__all__ = ["explain", "explain_with"]

_NEARLY = 5


def explain(
    dag: Dag,
    data: Table | Chunks | Scorer | Any,
    a: str | None = None,
    b: str | None = None,
    *,
    score: Score | None = None,
    structure_prior: StructurePrior | None = None,
    constraints: Constraints | None = None,
    posterior: Any = None,
    bootstrap: Any = None,
) -> EdgeCard | Explanation:
    """Explain the edge between two nodes of any graph, present or absent, or the whole graph.

    A learned graph explains itself: :meth:`Result.explain` knows its data, score and constraints.

    Parameters
    ----------
    dag : Dag
    data : Table, Chunks, a frame that Table takes, or a Scorer
    a, b : str, optional
        Two nodes, in either order; without them the whole graph is explained.
    score : Score, default BIC()
    structure_prior : StructurePrior, default Uniform()
    constraints : Constraints, optional
        Those that the graph was found under.
    posterior : Posterior or ExactPosterior, optional
    bootstrap : Bootstrap, optional
        What to take probabilities of edges from.

    Returns
    -------
    EdgeCard, or Explanation for the whole graph

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(1000, seed=1)
    >>> print(dw.explain(dw.networks.load("asia").dag, table, "smoke", "lung"))
    smoke -> lung
      Evidence     Very strong evidence for it: BIC gains 24.83 nats by it (fit +28.28, price
                   -3.45).
      Information  'smoke' tells 0.02828 nats a row about 'lung'.
      Tests        p-value 5.4e-14 (G2 56.57, 1 degree of freedom), BIC gain +24.83, log Bayes
                   factor +25.25 (BDeu, ess 1).
      Direction    Reversible: some graph of the class has 'lung' -> 'smoke', and no rows can tell
                   the two apart.
      Rows         There are 1,000; a dependence of this strength is wanted by BIC from 68 rows on,
                   by BDeu(1) from 45 rows on.
      If changed   Removed: the score changes by -24.83. Reversed by itself: the score changes by
                   +0.00.
    """
    check_dag(dag)
    scorer = open_scorer(data, score, structure_prior)
    scorer.check_nodes(dag)
    rules = Constraints() if constraints is None else constraints
    if not isinstance(rules, Constraints):
        raise SpecError(f"constraints must be Constraints, not {constraints!r}")
    return explain_with(scorer, dag, rules, a, b, posterior, bootstrap)


def explain_with(
    scorer: Scorer,
    dag: Dag,
    constraints: Constraints,
    a: str | None,
    b: str | None,
    posterior: Any,
    bootstrap: Any,
) -> EdgeCard | Explanation:
    """Explain with a scorer whose variables are the graph's nodes."""
    shares = (_shares_of(posterior, "posterior", dag), _shares_of(bootstrap, "bootstrap", dag))
    compelled = set(dag.cpdag().compelled)

    def card(a: str, b: str) -> EdgeCard:
        present = dag.has_edge(a, b) or dag.has_edge(b, a)
        changes = changes_between(scorer, dag, constraints, a, b)
        if present:
            parent, child = (a, b) if dag.has_edge(a, b) else (b, a)
        else:  # a direction that is possible, if there is one, and then the better one
            best = max(changes, key=lambda change: (not change.refused, change.gain))
            parent, child = best.parent, best.child
        given = tuple(name for name in dag.parents(child) if name != parent)
        spec = scorer.score_spec
        ess = float(spec.ess) if isinstance(spec, BDeu) else 1.0
        test = independence(scorer, parent, child, given, ess=ess)
        alone = independence(scorer, parent, child, ess=ess) if given else test
        direction = "compelled" if (parent, child) in compelled else "reversible"
        return EdgeCard(
            parent=parent,
            child=child,
            present=present,
            given=given,
            score=score_text(spec),
            split=split_gain(scorer, parent, child, given),
            test=test,
            alone=alone,
            direction=direction if present else None,  # type: ignore[arg-type]
            changes=changes,
            fixed_by=fixed_by(constraints, dag, a, b),
            posterior=shares[0](parent, child),
            bootstrap=shares[1](parent, child),
            _scorer=scorer,
        )

    if a is not None and b is not None:
        if a == b:
            raise GraphError(f"an edge has two nodes, and {a!r} is one; name another")
        return card(a, b)
    if a is not None or b is not None:
        raise GraphError("name both nodes of the edge, or none to explain the whole graph")
    cards = sorted((card(*edge) for edge in dag.edges), key=lambda own: -own.gain)
    nearly = [card(*edge) for edge in _nearest_absent(scorer, dag, constraints)]
    return Explanation(
        dag, scorer.score(dag), score_text(scorer.score_spec), tuple(cards), tuple(nearly)
    )


def score_text(score: Score) -> str:
    """Write a score with the settings that are plain: ``BIC``, ``BDeu(ess=10)``, ``BDe(ess=1)``."""
    name = type(score).__name__
    if not isinstance(score, NativeScore):
        return name
    plain = [
        f"{key}={value}"
        for key, value in vars(score).items()
        if isinstance(value, str | int | float)
    ]
    return f"{name}({', '.join(plain)})" if plain else name


def _shares_of(sample: Any, setting: str, dag: Dag) -> Callable[[str, str], EdgeShares | None]:
    """Return how to look the shares of an edge up."""
    if sample is None:
        return lambda parent, child: None
    if not hasattr(sample, "edge_probabilities"):
        raise SpecError(
            f"{setting}={sample!r} has no probabilities of edges: "
            f"give what dagwright.{setting} returns"
        )
    matrix = sample.edge_probabilities()
    absent = [node for node in dag.nodes if node not in matrix.names]
    if absent:
        raise SpecError(f"{setting} is of other variables: it has no {absent[0]!r}")
    return lambda parent, child: EdgeShares(matrix[parent, child], matrix[child, parent])


def _nearest_absent(scorer: Scorer, dag: Dag, constraints: Constraints) -> list[tuple[str, str]]:
    """Return the pairs without an edge that lack least, of those that could have one."""
    joined = {frozenset(edge) for edge in dag.edges}
    offers = []
    for child in dag.nodes:
        below = {child, *dag.descendants(child)}
        others = [
            name
            for name in dag.nodes
            if name not in below and frozenset((name, child)) not in joined
        ]
        gains = scorer.gains(child, dag.parents(child), others)
        offers += [(gain, parent, child) for parent, gain in gains.items()]
    found: list[tuple[str, str]] = []
    seen: set[frozenset[str]] = set()
    n_states = [scorer.data.n_states[node] for node in dag.nodes]
    for _, parent, child in sorted(offers, key=lambda offer: (-offer[0], offer[1:])):
        if len(found) == _NEARLY:
            break
        pair = frozenset((parent, child))
        if pair not in seen and not constraints.violations(dag.add(parent, child), n_states):
            seen.add(pair)
            found.append((parent, child))
    return found
