"""The marginal likelihood of a graph and its approximations over a growing number of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagwright.bayes_net import BayesNet
from dagwright.draw.axes import GREY, colour, marker, new_axes
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag, check_dag
from dagwright.information.laplace import integrate_family
from dagwright.information.marginal_likelihood import check_prior
from dagwright.information.transition import check_rows
from dagwright.provenance import described
from dagwright.scores import Score

__all__ = ["MarginalLikelihoodCurve", "marginal_likelihood_curve"]

_ROWS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)


@dataclass(frozen=True)
class MarginalLikelihoodCurve:
    """What :func:`dagwright.marginal_likelihood_curve` returns: one number for each of ``rows``.

    Attributes
    ----------
    rows : tuple of int
    log_likelihood, exact, bic : tuple of float
    laplace : tuple of float, or None
        None where the network gives some state of the graph's families the probability 0.
    n_parameters : float
    score : mapping
        The prior of the parameters, as plain values.
    """

    rows: tuple[int, ...]
    log_likelihood: tuple[float, ...]
    exact: tuple[float, ...]
    laplace: tuple[float, ...] | None
    bic: tuple[float, ...]
    n_parameters: float
    score: Mapping[str, Any]

    @property
    def bic_errors(self) -> tuple[float, ...]:
        """BIC less the exact value: it stays, whatever the number of rows."""
        return tuple(a - b for a, b in zip(self.bic, self.exact, strict=True))

    @property
    def laplace_errors(self) -> tuple[float, ...] | None:
        """Laplace's approximation less the exact value: it goes to 0."""
        if self.laplace is None:
            return None
        return tuple(a - b for a, b in zip(self.laplace, self.exact, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        own = vars(self) | {"bic_errors": self.bic_errors, "laplace_errors": self.laplace_errors}
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in own.items()
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors of Laplace's approximation and of BIC over rows; return the axes."""
        ax = new_axes(ax)
        ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
        series = {"Laplace": self.laplace_errors, "BIC": self.bic_errors}
        for number, (name, errors) in enumerate(series.items()):
            if errors is not None:
                own = {"color": colour(number), "marker": marker(number), "markersize": 4}
                ax.plot(self.rows, errors, label=f"{name} - exact", **own)
        ax.set_xscale("log")
        ax.set_xlabel("rows")
        ax.set_ylabel("error of log p(D | G) (nats)")
        ax.set_title(f"Approximations of the marginal likelihood ({self.score['name']})")
        ax.legend()
        return ax

    def __str__(self) -> str:
        lines = [f"{'rows':>12}{'exact':>18}{'Laplace - exact':>18}{'BIC - exact':>14}"]
        laplace = self.laplace_errors or (math.nan,) * len(self.rows)
        for n, exact, off, bic in zip(self.rows, self.exact, laplace, self.bic_errors, strict=True):
            text = "undefined" if math.isnan(off) else f"{off:.4f}"
            lines.append(f"{n:>12,}{exact:>18,.3f}{text:>18}{bic:>14.4f}")
        return "\n".join(lines)


def marginal_likelihood_curve(
    model: BayesNet,
    *,
    dag: Dag | None = None,
    rows: Sequence[int] = _ROWS,
    score: Score | None = None,
) -> MarginalLikelihoodCurve:
    """Return log p(D | G), Laplace's approximation and BIC for N rows as a network has them.

    The counts are those that are expected, N times the probability of each cell, so that nothing
    is by chance: the error of Laplace's approximation goes to 0 like 1 / N, that of BIC to a
    number that does not depend on N. Where the network has probabilities of 0, Laplace's
    approximation is undefined and the error of BIC need not stay bounded.

    Parameters
    ----------
    model : BayesNet
        Where the rows come from.
    dag : Dag, optional
        The graph G over variables of the network; by default the network's own.
    rows : sequence of int
    score : Score, default BDeu(ess=1)
        One with a Dirichlet prior.

    Returns
    -------
    MarginalLikelihoodCurve

    Examples
    --------
    >>> import dagwright as dw
    >>> coin = dw.BayesNet(dw.Dag(nodes=["coin"]), {"coin": [0.3, 0.7]})
    >>> print(dw.marginal_likelihood_curve(coin, rows=[10, 1000, 100_000], score=dw.K2()))
            rows             exact   Laplace - exact   BIC - exact
              10            -7.185            0.0641       -0.0745
           1,000          -614.180            0.0007       -0.1379
         100,000       -61,092.048            0.0000       -0.1386
    """
    if not isinstance(model, BayesNet):
        raise SpecError(f"model must be a BayesNet, not a {type(model).__name__}")
    dag = model.dag if dag is None else dag
    check_dag(dag)
    for node in dag.nodes:
        if node not in model.states:
            raise GraphError(f"the graph has the node {node!r}, but the network has not")
    prior = check_prior(score)
    chosen = check_rows(rows)
    n_states = {name: len(own) for name, own in model.states.items()}
    families = []
    n_parameters = 0.0
    for child in dag.nodes:
        parents = dag.parents(child)
        shares = model.query([*parents, child]).probabilities.reshape(-1, n_states[child])
        alpha = prior.hyperparameters(child, parents, n_states)
        assert alpha is not None
        families.append((shares, alpha.reshape(shares.shape) if alpha.ndim else alpha))
        n_parameters += shares.shape[0] * (n_states[child] - 1)
    found = [[integrate_family(n * shares, alpha) for shares, alpha in families] for n in chosen]
    log_likelihood = tuple(sum(own.log_likelihood for own in parts) for parts in found)
    defined = all(own.laplace is not None for parts in found for own in parts)
    return MarginalLikelihoodCurve(
        rows=chosen,
        log_likelihood=log_likelihood,
        exact=tuple(sum(own.exact for own in parts) for parts in found),
        laplace=tuple(sum(own.laplace or 0.0 for own in parts) for parts in found)
        if defined
        else None,
        bic=tuple(
            value - math.log(n) / 2 * n_parameters
            for n, value in zip(chosen, log_likelihood, strict=True)
        ),
        n_parameters=n_parameters,
        score=described(prior),
    )
