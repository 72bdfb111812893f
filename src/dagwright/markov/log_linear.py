"""Log-linear models: any discrete variables, any features of a few of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright._names import checked_nodes, listed
from dagwright.errors import DagwrightError, DataError, GraphError, SpecError, did_you_mean
from dagwright.io.files import check_path, read_text, write_text
from dagwright.io.json import (
    FORMAT,
    VERSION,
    check_header,
    is_json,
    read_json,
    state_from_json,
    state_to_json,
    write_json,
)
from dagwright.io.uai_markov import markov_text, read_markov
from dagwright.markov.factors import Factors, multiplied
from dagwright.markov.features import Features, clique_features
from dagwright.markov.model import MarkovModel
from dagwright.states import check_states

if TYPE_CHECKING:
    from dagwright.bayes_net import BayesNet

__all__ = ["KIND", "Feature", "LogLinear", "is_uai", "resolve_features"]

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
        self, states: Mapping[str, tuple[Any, ...]], zeros: bool = False
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
            table = np.array([self._value(own) for own in every]).reshape(shape)
            label = label or f"{getattr(self.values, '__name__', 'f')}({', '.join(self.variables)})"
        else:
            table = _floats(f"the values of the feature of [{listed(self.variables)}]", self.values)
            label = label or f"f({', '.join(self.variables)})"
        if table.shape != shape:
            raise DataError(
                f"the feature of [{listed(self.variables)}] has the shape {table.shape}, but their "
                f"states make {shape}"
            )
        if not (np.isfinite(table) | (zeros & np.isneginf(table))).all():
            raise DataError(f"the feature {label!r} has a value that is no finite number")
        numbers = [number[name] for name in self.variables]
        axes = np.argsort(numbers)
        return tuple(sorted(numbers)), np.ascontiguousarray(table.transpose(axes)), label

    def _value(self, states: tuple[Any, ...]) -> float:
        value = self.values(*states)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise DataError(
                f"the feature of [{listed(self.variables)}] must return a number, but for "
                f"{states!r} it returns {value!r}"
            ) from None


def _floats(what: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers, not {values!r}") from None


def resolve_features(
    states: Mapping[str, tuple[Any, ...]], features: Iterable[Feature | Iterable[str]]
) -> Features:
    """Turn features and cliques by name into numbers.

    Cliques come first, with the features of all variables in them; then the features as given.
    """
    if not isinstance(features, Iterable):
        raise SpecError(f"features must be a list of dw.Feature(...) or cliques, not {features!r}")
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
                raise GraphError(
                    f"clique {clique}: {name!r} is no variable" + did_you_mean(name, states)
                )
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
        parameters = np.zeros(len(resolved)) if theta is None else _floats("theta", theta)
        if parameters.shape != (len(resolved),):
            raise DataError(
                f"theta of the shape {parameters.shape} does not fit {len(resolved)} features: "
                f"one each, for [{listed(resolved.names)}]"
            )
        _check_theta(resolved, parameters)
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
        """Make a model of factors: each feature is the log of one of them, its parameter 1."""
        names = tuple(states)
        labels = (f"log f({', '.join(names[v] for v in scope)})" for scope in factors.scopes)
        features = Features(factors.arities, factors.scopes, factors.log_values, tuple(labels))
        chosen = {name: tuple(own) for name, own in states.items()}
        return cls._of(chosen, features, np.ones(len(features)))

    @classmethod
    def from_bayes_net(cls, model: BayesNet) -> Self:
        """Make the same distribution of factors, one a family: log Z is 0.

        Its graph is ``model.dag.moral_graph()``.

        Examples
        --------
        >>> import dagwright as dw
        >>> asia = dw.networks.load("asia")
        >>> model = dw.LogLinear.from_bayes_net(asia)
        >>> model.graph == asia.dag.moral_graph(), round(model.query("lung")["yes"], 4)
        (True, 0.055)
        """
        network = model.network
        if network.undefined:
            name = network.names[network.undefined[0]]
            raise DataError(
                f"the table of {name!r} has rows that no data say anything about: fit with a prior"
            )
        arities = [len(own) for own in network.states.values()]
        scopes, tables = [], []
        for name in network.names:
            scopes.append(network.numbers([*network.parents[name], name]))
            tables.append(network.tables[name])
        return cls.from_factors(network.states, multiplied(arities, scopes, tables))

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
                    "values": _to_json(values.tolist()),
                    "theta": own,
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
            if not states:
                raise DataError("a model needs at least one variable")
            if len(states) != len(values["variables"]):
                raise DataError("two variables have the same name")
            entries = values["features"]
            given = [
                Feature(own["variables"], _from_json(own["values"]), own["name"]) for own in entries
            ]
            parts = [own._resolved(states, zeros=True) for own in given]
            features = Features(
                tuple(len(own) for own in states.values()),
                tuple(scope for scope, _, _ in parts),
                tuple(table for _, table, _ in parts),
                tuple(label for _, _, label in parts),
            )
            theta = np.array([float(own["theta"]) for own in entries], np.float64)
            _check_theta(features, theta)
            return cls._of(states, features, theta)
        except DagwrightError:
            raise
        except KeyError as error:
            raise DataError(f"not a log-linear model of dagwright: {error} is missing") from error
        except (TypeError, ValueError) as error:
            raise DataError(f"not a log-linear model of dagwright: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file: .json keeps all; .uai has numbers only (MARKOV).

        Examples
        --------
        >>> import dagwright as dw, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
        >>> model = dw.LogLinear({"a": [0, 1], "b": [0, 1]}, [["a", "b"]], [0.5, 0, -1])
        >>> model.save(path)
        >>> dw.load(path) == model
        True
        """
        if is_json(path):
            write_json(self.to_dict(), path)
            return
        if not is_uai(path):
            raise DataError(f"{path}: the ending must be .json or .uai, each also with .gz")
        factors = self.factors
        text = markov_text(factors.arities, *self._uai_tables(path))
        warnings.warn(
            f"{path}: the format cannot keep the names of variables, states and features. "
            "Save as .json too",
            stacklevel=2,
        )
        write_text(text, path)

    def _uai_tables(
        self, path: str | PathLike[str]
    ) -> tuple[Sequence[tuple[int, ...]], list[NDArray[np.float64]]]:
        """Return scopes and factors as numbers; refuse those that are no such numbers."""
        factors = self.factors
        if not factors.scopes:  # a file needs a table
            return [(0,)], [np.ones(factors.arities[0])]
        tables = []
        for scope, logs in zip(factors.scopes, factors.log_values, strict=True):
            with np.errstate(over="ignore"):
                table = np.exp(logs)
            if np.isinf(table).any() or ((table == 0) & np.isfinite(logs)).any():
                raise DataError(
                    f"{path}: UAI has no logs, and the factor of "
                    f"[{listed(self.names[v] for v in scope)}] has logs from {logs.min():.4g} to "
                    f"{logs.max():.4g}, of which exp is zero or infinite: save as .json"
                )
            tables.append(table)
        return factors.scopes, tables

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file of JSON, or of UAI (MARKOV): variables x0, x1 and so on."""
        try:
            if is_json(path):
                return cls.from_dict(read_json(path))
            read = read_markov(read_text(path))
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error
        states = {f"x{v}": tuple(map(str, range(r))) for v, r in enumerate(read.arities)}
        return cls.from_factors(states, multiplied(read.arities, read.scopes, read.values))

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
        return hash((self.names, self._features.scopes, tuple(self._theta.tolist())))

    def __repr__(self) -> str:
        return f"<LogLinear: {len(self._states)} variables, {len(self._features)} features>"


def _check_theta(features: Features, theta: NDArray[np.float64]) -> None:
    """Refuse parameters that are no numbers, or that turn zeros of factors into anything else."""
    for name, values, own in zip(features.names, features.values, theta.tolist(), strict=True):
        if not np.isfinite(own):
            raise DataError(f"theta must be finite, but that of {name!r} is {own}")
        if own <= 0 and np.isneginf(values).any():
            raise DataError(
                f"{name!r} is the log of a factor with zeros, so its theta must be above 0, not "
                f"{own:g}"
            )


def is_uai(path: str | PathLike[str]) -> bool:
    """Say whether the ending is that of UAI, packed or not."""
    return check_path(path).name.lower().removesuffix(".gz").endswith(".uai")


def _to_json(values: Any) -> Any:
    """Return nested lists with None for -inf, which JSON does not have."""
    if isinstance(values, list):
        return [_to_json(own) for own in values]
    return None if values == -np.inf else values


def _from_json(values: Any) -> Any:
    if isinstance(values, list):
        return [_from_json(own) for own in values]
    return -np.inf if values is None else values
