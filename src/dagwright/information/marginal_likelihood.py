"""The marginal likelihood of a graph: exact, by Laplace's approximation, and as BIC has it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagwright.errors import SpecError
from dagwright.family_tables import check_parameters
from dagwright.graph import Dag
from dagwright.information.laplace import integrate_family
from dagwright.provenance import described
from dagwright.scorer import Scorer
from dagwright.scores import BIC, BDeu, LogLikelihood, NativeScore, Score
from dagwright.structure_priors import Uniform

__all__ = ["MarginalLikelihood", "ZeroEstimate", "check_prior", "marginal_likelihood"]

_SHOWN = 5


@dataclass(frozen=True)
class ZeroEstimate:
    """A cell whose maximum likelihood estimate is 0: the child's state, given the parents'."""

    child: str
    state: Any
    given: Mapping[str, Any]

    def __str__(self) -> str:
        config = ", ".join(f"{name}={state}" for name, state in self.given.items())
        return f"{self.child}={self.state}" + (f" given {config}" if config else "")


@dataclass(frozen=True)
class MarginalLikelihood:
    """What :func:`dagwright.marginal_likelihood` returns: natural logs, totals over rows.

    Attributes
    ----------
    log_likelihood : float
        At the maximum likelihood estimate.
    exact : float
        log p(D | G), the score without a structure prior.
    laplace : float or None
        Laplace's approximation of `exact`; None where some maximum likelihood estimate is 0: then
        the likelihood has no Gaussian at its maximum, which is at the edge of what is possible.
    zeros : tuple of ZeroEstimate
        Where that is; none if `laplace` is a number.
    bic : float
        `log_likelihood` less (ln N / 2) for each parameter.
    n_parameters : float
    n_rows : float
        N, the sum of the row weights.
    score : mapping
        The prior of the parameters, as plain values.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1, 1] * 20, "b": [0, 1, 1, 1, 0] * 20})
    >>> print(dw.marginal_likelihood(dw.Dag([("a", "b")]), table))
    log p(D | G) by bdeu, 100 rows, 3 parameters
    log-likelihood             -133.218
    Occam factor                 -7.870
    exact                      -141.088
    Laplace                    -141.085  (+0.003)
    BIC                        -140.126  (+0.962)
    """

    log_likelihood: float
    exact: float
    laplace: float | None
    zeros: tuple[ZeroEstimate, ...]
    bic: float
    n_parameters: float
    n_rows: float
    score: Mapping[str, Any]

    @property
    def occam_factor(self) -> float:
        """`exact` less `log_likelihood`, 0 or less: the price of what could have been fitted."""
        return self.exact - self.log_likelihood

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        own = dict(vars(self)) | {"occam_factor": self.occam_factor}
        own["zeros"] = [str(zero) for zero in self.zeros]
        return own

    def __str__(self) -> str:
        name = str(self.score["name"])
        lines = [
            f"log p(D | G) by {name}, {self.n_rows:,.6g} rows, {self.n_parameters:,.6g} parameters",
            f"log-likelihood     {self.log_likelihood:>16,.3f}",
            f"Occam factor       {self.occam_factor:>16,.3f}",
            f"exact              {self.exact:>16,.3f}",
        ]
        if self.laplace is not None:
            off = self.laplace - self.exact
            lines.append(f"Laplace            {self.laplace:>16,.3f}  ({off:+,.3f})")
        lines.append(f"BIC                {self.bic:>16,.3f}  ({self.bic - self.exact:+,.3f})")
        if self.zeros:
            where = "; ".join(str(zero) for zero in self.zeros[:_SHOWN])
            more = len(self.zeros) - _SHOWN
            lines.append(
                "Laplace's approximation is undefined, because these were never seen: "
                + where
                + (f"; and {more:,} more" if more > 0 else "")
            )
        return "\n".join(lines)


def marginal_likelihood(dag: Dag, data: Any, *, score: Score | None = None) -> MarginalLikelihood:
    """Return log p(D | G) beside the likelihood, the Occam factor, and two approximations.

    The marginal likelihood is the mean of the likelihood over the prior of the parameters, so it
    is below the maximum by the Occam factor. Laplace's approximation comes as close as one wants
    with more rows; BIC stays off by a number that does not depend on N, so that it is as good
    for large N only in comparison with what grows.

    Parameters
    ----------
    dag : Dag
        Its nodes are the variables of the data.
    data : Table, Chunks, a frame that Table takes, or a Scorer
        Row weights count. The score of a Scorer does not matter.
    score : Score, default BDeu(ess=1)
        One with a Dirichlet prior: BDeu, K2, BDe or Dirichlet.

    Returns
    -------
    MarginalLikelihood

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> found = dw.marginal_likelihood(dw.Dag([("a", "b")]), table, score=dw.K2())
    >>> round(found.exact, 4), found.laplace, [str(zero) for zero in found.zeros]
    (-6.2916, None, ['b=0 given a=1'])
    """
    prior = check_prior(score)
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    log_likelihood = scorer.with_score(LogLikelihood(), Uniform()).score(dag)
    exact = scorer.with_score(prior, Uniform()).score(dag)
    n_rows = float(scorer.data.total_weight)
    n_states = scorer.data.n_states
    n_parameters, laplace = 0.0, 0.0
    zeros: list[ZeroEstimate] = []
    for child in dag.nodes:
        family = scorer.counts(child, dag.parents(child))
        n_parameters += family.n_configs * (family.n_states - 1)
        counts = np.zeros((len(family.config_totals), family.n_states))
        counts[family.cell_configs, family.cell_states] = family.cell_counts
        alpha = prior.hyperparameters(child, family.parents, n_states)
        assert alpha is not None
        if alpha.ndim:
            alpha = alpha[tuple(family.configs.T)]
        found = integrate_family(counts, alpha)
        laplace += found.laplace or 0.0
        states = scorer.data.states
        zeros += [
            ZeroEstimate(
                child,
                states[child][state],
                {
                    parent: states[parent][code]
                    for parent, code in zip(family.parents, family.configs[config], strict=True)
                },
            )
            for config, state in found.zeros
        ]
    return MarginalLikelihood(
        log_likelihood=log_likelihood,
        exact=exact,
        laplace=None if zeros else laplace,
        zeros=tuple(zeros),
        bic=scorer.with_score(BIC(), Uniform()).score(dag),
        n_parameters=n_parameters,
        n_rows=n_rows,
        score=described(prior),
    )


def check_prior(score: Score | None) -> NativeScore:
    """Return the score if it is a marginal likelihood; BDeu(1) if none is given."""
    if score is None:
        return BDeu(1)
    with suppress(SpecError):
        own = check_parameters(score)
        if own != "ml":
            return own
    raise SpecError(
        f"score={score!r} is no marginal likelihood: give one with a Dirichlet prior of the "
        "parameters, as BDeu(ess=1) or K2()"
    )
