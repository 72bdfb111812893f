"""Scores: how well a family explains the data. Natural log, totals over rows, higher is better.

The formulas of the native scores are in ``cpp/dagwright/score``, one file each; a spec here says
its settings and checks them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright.errors import SpecError, did_you_mean
from dagwright.family import FamilyCounts
from dagwright.inference.network import TableNetwork
from dagwright.sources import Source
from dagwright.specs import Registry, Spec, check_number, check_positive

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AIC",
    "BIC",
    "K2",
    "MDL",
    "BDe",
    "BDeu",
    "Dirichlet",
    "LogLikelihood",
    "Penalized",
    "Score",
    "native_score",
    "scores",
]


@runtime_checkable
class Score(Protocol):
    """Any object with ``local(family)`` is a score and works in every search.

    It may also say ``score_equivalent = True`` when it gives I-equivalent graphs the same total.

    Examples
    --------
    A score in pure Python, here the log-likelihood minus 1 for each parent:

    >>> import numpy as np
    >>> import dagwright as dw
    >>> class FewParents:
    ...     def local(self, family):
    ...         n = family.cell_counts
    ...         fit = (n * np.log(n / family.config_totals[family.cell_configs])).sum()
    ...         return fit - len(family.parents)
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 9, "b": ["n", "n", "y", "y"] * 9})
    >>> len(dw.learn(table, score=FewParents()).dag.edges)
    1
    """

    def local(self, family: FamilyCounts) -> float:
        """Return the score of one family from its counts."""
        ...


class NativeScore(Spec, ABC):
    """A score whose formula is in the core.

    ``score_equivalent``: I-equivalent graphs have the same total. ``set_function``: the local score
    is a difference f(parents + child) - f(parents), plus what depends on the family's shape alone.
    """

    score_equivalent: ClassVar[bool] = False
    set_function: ClassVar[bool] = False

    def hyperparameters(
        self, child: str, parents: Sequence[str], n_states: Mapping[str, int]
    ) -> npt.NDArray[np.float64] | None:
        """Return alpha of a family: a number for all its cells, or one axis a parent and the last
        for the child's states; None for a score that is no marginal likelihood.
        """  # noqa: D205
        return None

    @abstractmethod
    def native(self, source: Source) -> _core.Score:
        """Return the core's score for these variables."""

    def local(self, family: FamilyCounts) -> float:
        """Return the score of one family from its counts."""
        return self.native(family.source).local(family.native)


scores: Registry[NativeScore] = Registry("score")


@scores.add
@dataclass(frozen=True)
class LogLikelihood(NativeScore):
    """The maximised log-likelihood: it never falls when an edge is added, so it learns too much.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> round(dw.score(dw.Dag(nodes=["a", "b"]), table, score=dw.LogLikelihood()), 4)
    -2.7726
    """

    name = "log-likelihood"
    score_equivalent = True
    set_function = True

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        return _core.LogLikelihood()


@scores.add
@dataclass(frozen=True)
class AIC(NativeScore):
    """Akaike's criterion, LL - dim, where dim is the number of free parameters.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> round(dw.score(dw.Dag(nodes=["a", "b"]), table, score=dw.AIC()), 4)
    -4.7726
    """

    name = "aic"
    score_equivalent = True
    set_function = True

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        return _core.AIC()


@scores.add
@dataclass(frozen=True)
class BIC(NativeScore):
    """Schwarz' criterion, LL - (ln N / 2) dim; minimum description length (``MDL``) is the same.

    Other tools show -2 times this number, lower being better.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> round(dw.score(dw.Dag(nodes=["a", "b"]), table, score=dw.BIC()), 4)
    -3.4657
    """

    name = "bic"
    score_equivalent = True
    set_function = True

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        return _core.BIC()


MDL = BIC


@scores.add
@dataclass(frozen=True)
class Penalized(NativeScore):
    """LL - phi dim, for any price of a parameter.

    Parameters
    ----------
    phi : float, or function of N
        The price, in nats.

    Examples
    --------
    >>> import dagwright as dw
    >>> import math
    >>> table = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
    >>> hannan_quinn = dw.Penalized(lambda n: math.log(math.log(n)))
    >>> len(dw.learn(table, score=hannan_quinn).dag.edges)
    1
    """

    phi: float | Callable[[float], float]
    name = "penalized"
    score_equivalent = True
    set_function = True

    def __post_init__(self) -> None:
        if not callable(self.phi):
            self._keep(phi=_check_price("phi", self.phi))

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        if not callable(self.phi):
            return _core.Penalized(self.phi)
        total = source.native.total
        return _core.Penalized(_check_price(f"phi({total:g})", self.phi(total)))


def _check_price(setting: str, value: object) -> int | float:
    rule = "a finite number, 0 or more, or a function of N that returns one"
    return check_number(f"Penalized: {setting}", value, rule, lambda x: 0 <= x < math.inf)


@scores.add
@dataclass(frozen=True)
class K2(NativeScore):
    """The K2 score: log marginal likelihood with uniform parameters, every alpha_ijk = 1.

    Not score-equivalent: it may tell apart graphs that the data cannot.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> round(dw.score(dw.Dag(nodes=["a", "b"]), table, score=dw.K2()), 4)
    -3.5835
    """

    name = "k2"

    def hyperparameters(  # noqa: D102
        self, child: str, parents: Sequence[str], n_states: Mapping[str, int]
    ) -> npt.NDArray[np.float64]:
        return np.asarray(1.0)

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        return _core.K2()


@scores.add
@dataclass(frozen=True)
class BDeu(NativeScore):
    """Log marginal likelihood with alpha_ijk = ess / (r_i q_i).

    Parameters
    ----------
    ess : float
        Equivalent sample size: how many rows the uniform joint distribution is worth.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> round(dw.score(dw.Dag(nodes=["a", "b"]), table, score=dw.BDeu(ess=2)), 4)
    -3.5835
    """

    ess: float = 10.0
    name = "bdeu"
    score_equivalent = True
    set_function = True

    def __post_init__(self) -> None:
        self._keep(ess=check_positive("BDeu: ess", self.ess))

    def hyperparameters(  # noqa: D102
        self, child: str, parents: Sequence[str], n_states: Mapping[str, int]
    ) -> npt.NDArray[np.float64]:
        cells = float(n_states[child])
        for parent in parents:
            cells *= n_states[parent]
        return np.asarray(self.ess / cells)

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        return _core.BDeu(self.ess)


@scores.add
@dataclass(frozen=True, eq=False)
class BDe(NativeScore):
    """Log marginal likelihood with alpha_ijk = ess P0(child = k, parents = j) for a prior joint P0.

    P0 is given as a table, or as a Bayesian network over the variables of the data, in which the
    hyperparameters are found by inference.

    Parameters
    ----------
    joint : array
        P0, one axis a variable, in the order of ``variables``; each axis in the order of that
        variable's states. Every cell must be above 0; it is normalised to sum 1.
    variables : sequence of str
        The variables of the axes: all of the table, in any order.
    ess : float
        How many rows P0 is worth.
    network : BayesNet
        P0, instead of a joint. Zeros in its tables are refused: ``network.smoothed(0.01)`` takes
        them out.

    Examples
    --------
    With a uniform joint it is BDeu:

    >>> import numpy as np
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> prior = dw.BDe(np.ones((2, 2)), variables=["a", "b"], ess=2)
    >>> dag = dw.Dag([("a", "b")])
    >>> dw.score(dag, table, score=prior) == dw.score(dag, table, score=dw.BDeu(2))
    True
    >>> expert = dw.BayesNet(dw.Dag([("a", "b")]), {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.1, 0.9]]},
    ...                      states={"a": ["n", "y"], "b": ["n", "y"]})
    >>> round(dw.score(dag, table, score=dw.BDe(network=expert, ess=2)), 4)
    -2.0025
    """

    joint: npt.ArrayLike | None = None
    variables: Sequence[str] | None = None
    ess: float = 10.0
    network: Any = None
    name = "bde"
    score_equivalent = True
    set_function = True

    def __post_init__(self) -> None:
        self._keep(ess=check_positive("BDe: ess", self.ess))
        if (self.joint is None) == (self.network is None):
            raise SpecError("BDe needs the prior either as joint= (and variables=) or as network=")
        if self.network is None:
            self._check_joint()
        else:
            self._keep(network=_check_network(self.network))

    def _check_joint(self) -> None:
        variables = self.variables
        if isinstance(variables, str) or not (
            isinstance(variables, Iterable) and all(isinstance(name, str) for name in variables)
        ):
            raise SpecError(f"BDe: variables must be a list of names, not {variables!r}")
        variables = tuple(variables)
        joint = np.array(_check_array("BDe: joint", self.joint))
        if joint.ndim != len(variables):
            raise SpecError(
                f"BDe: joint has {joint.ndim} axes, but there are {len(variables)} variables"
            )
        if len(set(variables)) != len(variables):
            raise SpecError(f"BDe: variables repeats a name: {variables}")
        if not (np.isfinite(joint) & (joint > 0)).all():
            cell = tuple(int(i) for i in np.argwhere(~(np.isfinite(joint) & (joint > 0)))[0])
            raise SpecError(
                f"BDe: joint{list(cell)} is {joint[cell]}, but every cell must be above 0 "
                "(a state that cannot be has no marginal likelihood): smooth it"
            )
        joint /= joint.sum()
        joint.flags.writeable = False
        self._keep(joint=joint, variables=variables)

    def _check_variables(self, n_states: Mapping[str, int]) -> None:
        """Refuse data whose variables, or numbers of states, are not those of the prior."""
        if self.network is not None:
            what = "network"
            by_name = {name: len(own) for name, own in self.network.states.items()}
        else:
            what = "joint"
            assert self.variables is not None
            by_name = dict(zip(self.variables, np.asarray(self.joint).shape, strict=True))
        if set(by_name) != set(n_states):
            different = sorted(set(by_name) ^ set(n_states))
            raise SpecError(
                f"BDe: the {what} must be over the variables of the data; only one has {different}"
            )
        for variable, n in n_states.items():
            if by_name[variable] != n:
                raise SpecError(
                    f"BDe: the {what} has {by_name[variable]} states for {variable!r}, the data {n}"
                )

    def hyperparameters(  # noqa: D102
        self, child: str, parents: Sequence[str], n_states: Mapping[str, int]
    ) -> npt.NDArray[np.float64]:
        self._check_variables(n_states)
        family = (*parents, child)
        if self.network is not None:
            numbers = self.network.numbers(family)
            values = np.asarray(_core.joint_table(self.network.native, numbers))
            return self.ess * values.reshape([n_states[name] for name in family])
        assert self.variables is not None
        axes = [self.variables.index(name) for name in family]
        joint = np.asarray(self.joint)
        rest = tuple(axis for axis in range(joint.ndim) if axis not in axes)
        kept = sorted(axes)
        summed = joint.sum(axis=rest).transpose([kept.index(axis) for axis in axes])
        return np.asarray(self.ess * summed)

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        self._check_variables(dict(zip(source.names, source.n_states, strict=True)))
        if self.network is not None:
            for name in source.names:
                if tuple(source.states[name]) != self.network.states[name]:
                    raise SpecError(
                        f"BDe: the network has the states {list(self.network.states[name])} for "
                        f"{name!r}, the data {list(source.states[name])}: declare the network's"
                    )
            return _core.BDe(self.ess, self.network.reordered(source.names).native)
        assert self.variables is not None
        axes = [self.variables.index(variable) for variable in source.names]
        in_order = np.ascontiguousarray(np.asarray(self.joint).transpose(axes))
        return _core.BDe(self.ess, in_order.ravel().tolist(), list(source.n_states))


def _check_network(given: Any) -> TableNetwork:
    """Return the tables of a network, of which none has a zero or is undefined."""
    if isinstance(given, Mapping):  # as files have it
        given = TableNetwork.from_dict(given)
    network = getattr(given, "network", given)
    if not isinstance(network, TableNetwork):
        raise SpecError(f"BDe: network must be a BayesNet, not a {type(given).__name__}")
    for name, table in network.tables.items():
        good = (table > 0) & np.isfinite(table)
        if not good.all():
            at = np.argwhere(~good)[0]
            config = {
                parent: network.states[parent][int(code)]
                for parent, code in zip(network.parents[name], at[:-1], strict=True)
            }
            raise SpecError(
                f"BDe: the network gives {name!r} = {network.states[name][int(at[-1])]!r} the "
                f"probability {table[tuple(at)]} at {config}, but every one must be above 0: use "
                "network=model.smoothed(0.01)"
            )
    return network


_ALPHA_RULE = "alpha must be a number, a mapping {(child, (parent, ...)): array} or a function"

Hyperparameters = (
    float
    | Mapping[tuple[str, tuple[str, ...]], npt.ArrayLike]
    | Callable[[str, tuple[str, ...]], npt.ArrayLike]
)


@scores.add
@dataclass(frozen=True)
class Dirichlet(NativeScore):
    """Log marginal likelihood with any hyperparameters.

    Parameters
    ----------
    alpha : float, mapping or function
        One number for every cell; or ``{(child, (parent, ...)): array}`` with one axis a parent, in
        the order given, and the last axis the child's states (families that are not listed have 1
        in every cell); or a function of (child, parents) that returns such an array or a number.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> dag = dw.Dag([("a", "b")])
    >>> same = dw.Dirichlet({("b", ("a",)): [[1, 1], [1, 1]]})
    >>> bool(abs(dw.score(dag, table, score=same) - dw.score(dag, table, score=dw.K2())) < 1e-9)
    True
    """

    alpha: Hyperparameters = 1.0
    name = "dirichlet"

    def __post_init__(self) -> None:
        if isinstance(self.alpha, list):  # as files have it: [[[child, parents], array], ...]
            try:
                self._keep(alpha={(child, tuple(group)): a for (child, group), a in self.alpha})
            except (TypeError, ValueError):
                raise SpecError(f"Dirichlet: {_ALPHA_RULE}, not {self.alpha!r}") from None
        if isinstance(self.alpha, Mapping):
            for key, given in self.alpha.items():
                if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], tuple)):
                    raise SpecError(f"Dirichlet: {_ALPHA_RULE}; {key!r} is no such key")
                _check_array(f"Dirichlet: alpha of {key}", given)
        elif not callable(self.alpha):
            self._keep(alpha=check_positive("Dirichlet: alpha", self.alpha))

    def native(self, source: Source) -> _core.Score:  # noqa: D102
        if isinstance(self.alpha, Mapping):
            for child, parents in self.alpha:
                for variable in (child, *parents):
                    if variable not in source.names:
                        raise SpecError(
                            f"Dirichlet: alpha of {(child, parents)}: the data have no variable "
                            f"{variable!r}" + did_you_mean(str(variable), source.names)
                        )
        if callable(self.alpha) or isinstance(self.alpha, Mapping):
            return _python_score(self, source)
        return _core.SymmetricDirichlet(self.alpha)

    def local(self, family: FamilyCounts) -> float:
        """Return the log marginal likelihood of one family."""
        from scipy.special import gammaln

        n_states = dict(zip(family.parents, family.parents_n_states, strict=True))
        n_states[family.child] = family.n_states
        alpha = self.hyperparameters(family.child, family.parents, n_states)
        if alpha.ndim == 0:  # one number for all cells, which may be too many to write down
            cell_alpha, config_alpha = alpha, alpha * family.n_states
        else:
            place = tuple(family.configs.T)
            cell_alpha = alpha[(*(axis[family.cell_configs] for axis in place), family.cell_states)]
            config_alpha = alpha.sum(axis=-1)[place]
        cells = gammaln(cell_alpha + family.cell_counts) - gammaln(cell_alpha)
        configs = gammaln(config_alpha + family.config_totals) - gammaln(config_alpha)
        return float(cells.sum() - configs.sum())

    def hyperparameters(  # noqa: D102
        self, child: str, parents: Sequence[str], n_states: Mapping[str, int]
    ) -> npt.NDArray[np.float64]:
        parents = tuple(parents)
        subject = f"Dirichlet: alpha of {child!r} given {parents}"
        shape = tuple(n_states[name] for name in (*parents, child))
        if callable(self.alpha):
            alpha = _check_array(subject, self.alpha(child, parents))
        elif isinstance(self.alpha, Mapping):
            alpha = np.asarray(1.0)
            for (own_child, own_parents), given in self.alpha.items():
                if own_child == child and set(own_parents) == set(parents):
                    axes = [*(own_parents.index(parent) for parent in parents), len(parents)]
                    alpha = np.asarray(given, dtype=np.float64)
                    if alpha.ndim == len(axes):
                        alpha = alpha.transpose(axes)
        else:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim and alpha.shape != shape:
            raise SpecError(
                f"{subject} has the shape {alpha.shape}, but {shape} (parents, then the child's "
                "states) is needed"
            )
        if not (np.isfinite(alpha) & (alpha > 0)).all():
            raise SpecError(f"{subject} must be above 0 everywhere, not {alpha.min()}")
        return alpha


def native_score(score: Score, source: Source) -> _core.Score:
    """Return the core's score: the native formula, or a call of the Python one."""
    if isinstance(score, NativeScore):
        return score.native(source)
    if not callable(getattr(score, "local", None)) or isinstance(score, type):
        raise SpecError(
            f"score={score!r} is not a score: give one such as BIC() or BDeu(ess=10), "
            "or an object with a method local(family)"
        )
    return _python_score(score, source)


def _python_score(score: Score, source: Source) -> _core.Score:
    def local(counts: Any) -> float:
        family = FamilyCounts(counts, source)
        value = score.local(family)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise SpecError(
                f"{type(score).__name__}.local must return a number, but returned {value!r} for "
                f"{family.child!r} given {family.parents}"
            ) from None

    return _core.PythonScore(local, bool(getattr(score, "score_equivalent", False)))


def _check_array(setting: str, value: object) -> npt.NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SpecError(f"{setting} must be an array of numbers, not {value!r}") from error
