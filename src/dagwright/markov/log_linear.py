"""Log-linear models: any discrete variables, any features of a few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright._names import checked_nodes, listed
from dagwright.errors import DagwrightError, DataError, GraphError, SpecError, did_you_mean
from dagwright.io.json import (
    FORMAT,
    VERSION,
    check_header,
    read_json,
    state_from_json,
    state_to_json,
    write_json,
)
from dagwright.markov.factors import Factors
from dagwright.markov.features import Features, clique_features
from dagwright.markov.model import MarkovModel
from dagwright.states import check_states

__all__ = ["KIND", "Feature", "LogLinear", "resolve_features"]

KIND = "log-linear"
_MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Feature:
    """A function of a few variables, for :class:`LogLinear`.

    Parameters
    ----------
    variables : iterable of str
    values : function or array
        A function of one state for each of the variables that returns a number; or the numbers,
        one axis a variable.
    name : str, optional
        For people.

    Examples
    --------
    >>> import dagwright as dw
    >>> dw.Feature(["a", "b"], lambda a, b: a == b, name="agree").name
    'agree'
    """

    variables: tuple[str, ...]
    values: Any
    name: str = ""

    def __init__(
        self,
        variables: Iterable[str],
        values: Callable[..., float] | ArrayLike,
        name: str = "",
    ) -> None:
        object.__setattr__(self, "variables", checked_nodes(variables))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "name", name)
        if not self.variables:
            raise SpecError("a feature needs at least one variable")

    def _resolved(
        self, states: Mapping[str, tuple[Any, ...]]
    ) -> tuple[tuple[int, ...], NDArray[np.float64], str]:
        number = {name: v for v, name in enumerate(states)}
        for name in self.variables:
            if name not in number:
                raise GraphError(
                    f"feature {self.name or self.variables!r}: {name!r} is no variable"
                    + did_you_mean(name, states)
                )
        shape = tuple(len(states[name]) for name in self.variables)
        label = self.name
        if callable(self.values):
            if float(np.prod([float(r) for r in shape])) > _MOST_CELLS:
                raise SpecError(f"feature of [{listed(self.variables)}] has too many joint states")
            every = product(*(states[name] for name in self.variables))
            table = np.array([float(self.values(*own)) for own in every]).reshape(shape)
            label = label or f"{getattr(self.values, '__name__', 'f')}({', '.join(self.variables)})"
        else:
            table = np.array(self.values, dtype=np.float64)
            label = label or f"f({', '.join(self.variables)})"
        if table.shape != shape:
            raise DataError(
                f"the feature of [{listed(self.variables)}] has the shape {table.shape}, but their "
                f"states make {shape}"
            )
        if not np.isfinite(table).all():
            raise DataError(f"the feature {label!r} has a value that is no finite number")
        numbers = [number[name] for name in self.variables]
        axes = np.argsort(numbers)
        return tuple(sorted(numbers)), np.ascontiguousarray(table.transpose(axes)), label


def resolve_features(
    states: Mapping[str, tuple[Any, ...]], features: Iterable[Feature | Iterable[str]]
) -> Features:
    """Turn features and cliques by name into numbers.

    Cliques come first, with the features of all variables in them; then the features as given.
    """
    given = list(features)
    cliques, own = [], []
    for item in given:
        if isinstance(item, Feature):
            own.append(item)
        elif isinstance(item, str) or not isinstance(item, Iterable):
            raise SpecError(f"a feature must be dw.Feature(...) or a clique of names, not {item!r}")
        else:
            cliques.append(checked_nodes(item))
    number = {name: v for v, name in enumerate(states)}
    for clique in cliques:
        for name in clique:
            if name not in number:
                raise GraphError(f"clique {clique}: {name!r} is no variable")
    arities = tuple(len(own_states) for own_states in states.values())
    made = Features(arities, (), (), ())
    if cliques:
        numbers = [[number[name] for name in clique] for clique in cliques]
        made = clique_features(arities, numbers, list(states), states, singles=False)
    parts = [item._resolved(states) for item in own]
    return Features(
        arities,
        (*made.scopes, *(scope for scope, _, _ in parts)),
        (*made.values, *(table for _, table, _ in parts)),
        (*made.names, *(label for _, _, label in parts)),
    )


class LogLinear(MarkovModel):
    """A model of discrete variables: p(x) is proportional to exp(theta . f(x)).

    Parameters
    ----------
    states : mapping of str to sequence
        The states of each variable; its order is the order of the variables.
    features : iterable of Feature or of cliques
        A clique is a list of names. It stands for features that make every table over it: for each
        set of its variables, whether they have these states, for all states but the first ones.
    theta : array, optional
        One parameter a feature, in the order of ``model.features.names``; by default zeros.

    Examples
    --------
    >>> import dagwright as dw
    >>> states = {"a": ["n", "y"], "b": ["n", "y"], "c": [0, 1, 2]}
    >>> model = dw.LogLinear(
    ...     states,
    ...     [["b", "c"], dw.Feature(["a", "b"], lambda a, b: a == b, name="agree")],
    ...     theta=[0, 0, 0, 0, 2, 1],
    ... )
    >>> model.features.names[:4]
    ('b = y', 'c = 1', 'c = 2', 'b = y, c = 1')
    >>> model.graph
    <UndirectedGraph: 3 nodes, 2 edges: a -- b, b -- c>
    >>> round(model.query("a", given={"b": "y"})["y"], 4)  # 1 / (1 + 1 / e)
    0.7311
    """

    def __init__(
        self,
        states: Mapping[str, Sequence[Any]],
        features: Iterable[Feature | Iterable[str]],
        theta: ArrayLike | None = None,
    ) -> None:
        names = checked_nodes(states)
        if not names:
            raise DataError("a model needs at least one variable")
        chosen = {name: check_states(name, states[name]) for name in names}
        resolved = resolve_features(chosen, features)
        parameters = np.zeros(len(resolved)) if theta is None else np.array(theta, np.float64)
        if parameters.shape != (len(resolved),):
            raise DataError(
                f"theta of the shape {parameters.shape} does not fit {len(resolved)} features: "
                f"one each, for [{listed(resolved.names)}]"
            )
        if not np.isfinite(parameters).all():
            at = int((~np.isfinite(parameters)).argmax())
            raise DataError(
                f"theta must be finite, but that of {resolved.names[at]!r} is {parameters[at]}"
            )
        self._fill(chosen, resolved, parameters)

    def _fill(
        self,
        states: Mapping[str, tuple[Any, ...]],
        features: Features,
        theta: NDArray[np.float64],
    ) -> None:
        theta.flags.writeable = False
        self._states = dict(states)
        self._features = features
        self._theta = theta

    @classmethod
    def _of(
        cls,
        states: Mapping[str, tuple[Any, ...]],
        features: Features,
        theta: NDArray[np.float64],
    ) -> Self:
        model = cls.__new__(cls)
        model._fill(states, features, theta)
        return model

    @classmethod
    def from_factors(cls, states: Mapping[str, Sequence[Any]], factors: Factors) -> Self:
        """Make a model whose features are the cells of factors: whether the row is in the cell.

        A parameter is the log of what the factor has there, which may be -inf: impossible.
        """
        scopes, values, theta, names = [], [], [], []
        labels = list(states)
        for scope, table in zip(factors.scopes, factors.log_values, strict=True):
            for codes in np.ndindex(table.shape):
                cell = np.zeros(table.shape)
                cell[codes] = 1.0
                scopes.append(scope)
                values.append(cell)
                theta.append(table[codes])
                names.append(
                    ", ".join(
                        f"{labels[v]} = {states[labels[v]][code]}"
                        for v, code in zip(scope, codes, strict=True)
                    )
                )
        features = Features(factors.arities, tuple(scopes), tuple(values), tuple(names))
        chosen = {name: tuple(states[name]) for name in labels}
        return cls._of(chosen, features, np.array(theta, np.float64))

    @property
    def features(self) -> Features:
        """What the parameters multiply, in numbers."""
        return self._features

    @property
    def theta(self) -> NDArray[np.float64]:
        """One parameter a feature; read-only."""
        return self._theta

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain JSON values; functions are kept as their values.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.LogLinear({"a": [0, 1], "b": [0, 1]}, [["a", "b"]], [0.5, 0, -1])
        >>> dw.LogLinear.from_dict(model.to_dict()) == model
        True
        """
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "variables": [
                {"name": name, "states": [state_to_json(state) for state in own]}
                for name, own in self._states.items()
            ],
            "features": [
                {
                    "name": name,
                    "variables": [self.names[v] for v in scope],
                    "values": values.tolist(),
                    "theta": None if own == -np.inf else own,
                }
                for name, scope, values, own in zip(
                    self._features.names,
                    self._features.scopes,
                    self._features.values,
                    self._theta.tolist(),
                    strict=True,
                )
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make the model that `to_dict` wrote."""
        check_header(values, KIND)
        try:
            states = {
                variable["name"]: check_states(
                    variable["name"], map(state_from_json, variable["states"])
                )
                for variable in values["variables"]
            }
            entries = values["features"]
            features = resolve_features(
                states, [Feature(own["variables"], own["values"], own["name"]) for own in entries]
            )
            theta = [-np.inf if own["theta"] is None else float(own["theta"]) for own in entries]
            return cls._of(states, features, np.array(theta, np.float64))
        except DagwrightError:
            raise
        except KeyError as error:
            raise DataError(f"not a log-linear model of dagwright: {error} is missing") from error
        except (TypeError, ValueError) as error:
            raise DataError(f"not a log-linear model of dagwright: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file: .json keeps all; .uai has numbers only (MARKOV)."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file of JSON."""
        try:
            return cls.from_dict(read_json(path))
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogLinear):
            return NotImplemented
        mine, its = self._features, other._features
        return (
            list(self._states.items()) == list(other._states.items())
            and mine.scopes == its.scopes
            and all(np.array_equal(a, b) for a, b in zip(mine.values, its.values, strict=True))
            and np.array_equal(self._theta, other._theta)
        )

    def __hash__(self) -> int:
        return hash((self.names, self._features.scopes, self._theta.tobytes()))

    def __repr__(self) -> str:
        return f"<LogLinear: {len(self._states)} variables, {len(self._features)} features>"
