"""What has an entropy: rows, a distribution that is given, a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright._names import listed
from dagwright.bayes_net import BayesNet
from dagwright.divergence import expected_log
from dagwright.errors import DataError, SpecError, did_you_mean
from dagwright.graph import Dag
from dagwright.inference.distribution import Distribution
from dagwright.information.cells import Cells, Name
from dagwright.information.estimates import Estimator, entropy_of
from dagwright.scorer import Scorer

__all__ = ["Joint", "Model", "Rows", "Subject", "check_pair", "chosen", "open_subject"]

_TOLERANCE = 1e-6
_ROUNDING = 1e-12

States = Mapping[Any, tuple[Any, ...]]


class Rows:
    """Rows of a table or of chunks: all numbers come from counts."""

    kind = "the data"

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.names: tuple[Name, ...] = scorer.names
        self.states: States = scorer.source.states

    def entropy(self, variables: tuple[Name, ...], estimator: Estimator) -> float:
        """Return the estimate of the joint entropy, in nats."""
        if not variables:
            return 0.0
        child, *parents = map(str, variables)
        counts = self.scorer.counts(child, parents)
        return estimator.entropy(counts.cell_counts, counts.n_configs * counts.n_states)

    def cells(self, variables: tuple[Name, ...]) -> Cells:
        """Return the shares of the joint states that occur."""
        child, *parents = map(str, variables)
        counts = self.scorer.counts(child, parents)
        axes = [counts.parents.index(parent) for parent in parents]
        configs = counts.configs[counts.cell_configs][:, axes]
        codes = np.column_stack([counts.cell_states, configs]).astype(np.int64)
        return Cells(variables, self.states, codes, counts.cell_counts / counts.total)


class Joint:
    """A distribution that is given as an array, one axis a variable."""

    kind = "the distribution"

    def __init__(
        self,
        probabilities: Any,
        names: Iterable[Name] | None = None,
        states: States | None = None,
    ) -> None:
        self.probabilities = _checked(probabilities)
        shape = self.probabilities.shape
        self.is_named = names is not None
        self.has_states = states is not None
        self.names: tuple[Name, ...] = tuple(range(len(shape)) if names is None else names)
        self.states = states or {
            name: tuple(range(n)) for name, n in zip(self.names, shape, strict=True)
        }

    def like(self, names: tuple[Name, ...], states: States) -> Joint:
        """Return the distribution with the names of another one, and its states if it has none."""
        shape = self.probabilities.shape
        if len(shape) != len(names):
            raise DataError(
                f"an array of {len(shape)} axes is no distribution of the {len(names)} variables "
                f"{listed(map(str, names))}: name those that it has with variables=[...]"
            )
        wanted = tuple(len(states[name]) for name in names)
        if self.has_states:
            own = self.states
            return Joint(self.probabilities, names, {name: own[i] for i, name in enumerate(names)})
        if shape != wanted:
            raise DataError(
                f"an array of the shape {shape} is no distribution of "
                f"{listed(map(str, names))}, whose states make the shape {wanted}"
            )
        return Joint(self.probabilities, names, {name: states[name] for name in names})

    def marginal(self, variables: tuple[Name, ...]) -> NDArray[np.float64]:
        """Return the joint distribution of these variables, in this order."""
        axes = [self.names.index(name) for name in variables]
        others = tuple(axis for axis in range(len(self.names)) if axis not in axes)
        kept = sorted(axes)
        summed = self.probabilities.sum(axis=others)
        return np.asarray(summed.transpose([kept.index(axis) for axis in axes]))

    def entropy(self, variables: tuple[Name, ...], _: Estimator) -> float:
        """Return the joint entropy, in nats."""
        return entropy_of(self.marginal(variables)) if variables else 0.0

    def cells(self, variables: tuple[Name, ...]) -> Cells:
        """Return the joint states that have probability."""
        return _dense_cells(variables, self.states, self.marginal(variables))


class Model:
    """A Bayesian network: all numbers come from exact inference."""

    kind = "the model"

    def __init__(self, model: BayesNet) -> None:
        self.model = model
        self.names: tuple[Name, ...] = model.names
        self.states: States = model.states

    def entropy(self, variables: tuple[Name, ...], _: Estimator) -> float:
        """Return the joint entropy, in nats.

        With the parents of each variable among them it is a sum over families, which is far less
        work than the joint distribution.
        """
        wanted = [str(name) for name in self.names if name in variables]
        if not wanted:
            return 0.0
        parents = {name: self.model.dag.parents(name) for name in wanted}
        if not {own for family in parents.values() for own in family} <= set(wanted):
            return entropy_of(self.model.query(wanted).probabilities)
        part = self.model
        if len(wanted) < len(self.names):
            part = BayesNet._of(
                Dag.from_parents(parents, nodes=wanted),
                {name: self.model.states[name] for name in wanted},
                {name: self.model.table(name) for name in wanted},
                None,
                {},
            )
        mean_log = expected_log(part, part)
        if mean_log is None:
            raise DataError(
                f"the entropy of {len(wanted)} variables of the model is too much for exact "
                "inference: model.cross_entropy(model) estimates that of all, with its error"
            )
        return max(0.0, -mean_log)

    def cells(self, variables: tuple[Name, ...]) -> Cells:
        """Return the joint states that have probability."""
        answer = self.model.query(list(map(str, variables)))
        return _dense_cells(variables, self.states, answer.probabilities)


Subject = Rows | Joint | Model


def open_subject(what: Any, estimator: Estimator | None = None) -> Subject:
    """Return rows, a given distribution or a model; what is none of them must make a Table."""
    subject = _open(what)
    if estimator is not None and estimator.estimate != "plug-in" and not isinstance(subject, Rows):
        raise SpecError(
            f"estimate={estimator.estimate!r} is for rows; {subject.kind} is known, so that there "
            'is nothing to estimate: leave it out, or write "plug-in"'
        )
    return subject


def _open(what: Any) -> Subject:
    if isinstance(what, Scorer):
        return Rows(what)
    if isinstance(what, BayesNet):
        return Model(what)
    if isinstance(what, Distribution):
        return Joint(what.probabilities, what.variables, what.states)
    if isinstance(what, np.ndarray | list | tuple | Real):
        return Joint(what)
    if isinstance(what, Mapping) and what and all(isinstance(p, Real) for p in what.values()):
        return _from_mapping(what)
    return Rows(Scorer(what))


def _from_mapping(values: Mapping[Any, Any]) -> Joint:
    """Read probabilities by state, or by tuples of as many states as there are variables."""
    tuples = all(isinstance(key, tuple) for key in values)
    lengths = {len(key) for key in values} if tuples else {1}
    if len(lengths) > 1:
        raise DataError(
            f"the joint states of a distribution have {sorted(lengths)} states: each needs one "
            "for every variable"
        )
    keys = [tuple(map(_plain, key if tuples else (key,))) for key in values]
    states = {axis: tuple(dict.fromkeys(own)) for axis, own in enumerate(zip(*keys, strict=True))}
    shape = [len(own) for own in states.values()]
    if prod(shape) > 50_000_000:
        raise DataError(f"a distribution of {prod(shape):,} joint states is too large: give rows")
    place = [{state: code for code, state in enumerate(own)} for own in states.values()]
    array = np.zeros(shape)
    for key, p in zip(keys, values.values(), strict=True):
        array[tuple(place[axis][state] for axis, state in enumerate(key))] = p
    return Joint(array, None, states)


def _plain(state: Any) -> Any:
    """Return a state of numpy as Python has it, which is how tables and models have states."""
    return state.item() if isinstance(state, np.generic) else state


def _checked(values: Any) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim == 0 or not array.size:
        raise DataError(
            f"a distribution is an array of probabilities, one axis a variable, not {values!r}"
        )
    if not (np.isfinite(array) & (array >= 0)).all():
        raise DataError("the probabilities of a distribution must be finite and 0 or more")
    total = float(array.sum())
    if abs(total - 1) > _TOLERANCE:
        raise DataError(
            f"the probabilities of a distribution sum to {total:.6g}, but must sum to 1: "
            "divide them by their sum"
        )
    return array / total if abs(total - 1) > _ROUNDING else array


def _dense_cells(
    variables: tuple[Name, ...],
    states: States,
    joint: NDArray[np.float64],
) -> Cells:
    codes = np.argwhere(joint > 0)
    return Cells(variables, states, codes, joint[tuple(codes.T)])


def chosen(subject: Subject, variables: Any, setting: str) -> tuple[Name, ...]:
    """Return the names of one variable or several, each once.

    Where it is left out, ``variables`` are all and ``given`` are none.
    """
    if variables is None and setting in ("variables", "given"):
        return subject.names if setting == "variables" else ()
    if isinstance(variables, str | int | np.integer):
        variables = [variables]
    try:
        names = tuple(dict.fromkeys(variables))
    except TypeError:
        raise SpecError(
            f"{setting} must be a variable or a list of variables, not {variables!r}"
        ) from None
    for name in names:
        if name not in subject.names:
            known = [str(own) for own in subject.names]
            hint = did_you_mean(str(name), known) or f"; there are {listed(known)}"
            raise SpecError(f"{setting}={name!r} is no variable of {subject.kind}{hint}")
    return names


def check_pair(rows: Rows, x: Any, y: Any, given: Any) -> tuple[str, ...]:
    """Return what is given; refuse names that are none, or that come twice."""
    for name, setting in ((x, "x"), (y, "y")):
        if not isinstance(name, str):
            raise SpecError(f"{setting} must be one variable, not {name!r}")
        chosen(rows, name, setting)
    known = tuple(map(str, chosen(rows, given, "given")))
    if x == y or x in known or y in known:
        twice = x if x == y or x in known else y
        raise SpecError(f"x, y and given must be different variables, but {twice!r} is there twice")
    return known
