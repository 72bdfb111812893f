"""Ising models: fields of spins, couplings of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright._names import checked_nodes
from dagwright.errors import DagwrightError, DataError, SpecError, did_you_mean
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
from dagwright.markov.expectations import Expectation
from dagwright.markov.features import CODINGS, Features, ising_features, spin_values
from dagwright.markov.log_linear import LogLinear
from dagwright.markov.model import MarkovModel
from dagwright.pairs import PairMatrix
from dagwright.states import check_states

__all__ = ["KIND", "Ising", "check_coding"]

KIND = "ising"


def check_coding(coding: object) -> str:
    """Return the coding if it is one."""
    if coding not in CODINGS:
        raise SpecError(f'coding must be "-1/+1" or "0/1", not {coding!r}')
    return str(coding)


class Ising(MarkovModel):
    """Variables with two states each: p(x) is proportional to exp(h . x + sum of J_ij x_i x_j).

    The sum goes over pairs i < j. The first state of a variable is the number -1 and the second +1,
    or 0 and 1: the coding says which. Fields and couplings mean other things in the other coding;
    `to_coding` gives the same distribution in it.

    Parameters
    ----------
    fields : array of n numbers
        h, one a variable.
    couplings : array, n by n
        J, symmetric with zeros on the diagonal.
    names : iterable of str, optional
        By default x1, x2, ...
    coding : {"-1/+1", "0/1"}
    states : mapping, optional
        The two states of each variable as data have them; by default the numbers of the coding.

    Examples
    --------
    >>> import dagwright as dw
    >>> couplings = [[0, 0.5, 0], [0.5, 0, -1], [0, -1, 0]]
    >>> model = dw.Ising([0.1, 0, 0], couplings, names=["a", "b", "c"])
    >>> model
    <Ising: 3 variables, 2 couplings, -1/+1>
    >>> model.graph
    <UndirectedGraph: 3 nodes, 2 edges: a -- b, b -- c>
    >>> round(model.log_z, 4)
    2.6383
    >>> other = model.to_coding("0/1")
    >>> round(other.coupling("a", "b"), 6), round(other.query("c")[1], 4) == round(
    ...     model.query("c")[1], 4)
    (2.0, True)
    """

    def __init__(
        self,
        fields: ArrayLike,
        couplings: ArrayLike,
        names: Iterable[str] | None = None,
        coding: str = "-1/+1",
        states: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self._coding = check_coding(coding)
        h = _numbers("fields", fields)
        j = _numbers("couplings", couplings)
        if h.ndim != 1 or not h.size:
            raise DataError(f"fields must be one number a variable, not of the shape {h.shape}")
        if j.shape != (h.size, h.size):
            raise DataError(
                f"couplings of {h.size} variables must be {h.size} by {h.size}, not of the shape "
                f"{j.shape}"
            )
        if (j != j.T).any():
            a, b = np.argwhere(j != j.T)[0]
            raise DataError(
                f"couplings must be symmetric, but [{a}, {b}] is {j[a, b]:g} and [{b}, {a}] is "
                f"{j[b, a]:g}: take (J + J.T) / 2"
            )
        if j.diagonal().any():
            at = int(np.flatnonzero(j.diagonal())[0])
            raise DataError(
                f"couplings must be 0 on the diagonal, but [{at}, {at}] is {j[at, at]:g}: a "
                "variable's own number belongs to fields"
            )
        own = [f"x{v + 1}" for v in range(h.size)] if names is None else names
        nodes = checked_nodes(own)
        if len(nodes) != h.size:
            raise DataError(f"{len(nodes)} names do not fit {h.size} fields: one each")
        default = (-1, 1) if coding == "-1/+1" else (0, 1)
        given = {} if states is None else states
        for name in given:
            if name not in nodes:
                raise DataError(f"states: {name!r} is no variable" + did_you_mean(name, nodes))
        chosen = {name: check_states(name, given.get(name, default)) for name in nodes}
        for name in nodes:
            if len(chosen[name]) != 2:
                raise DataError(
                    f"{name!r} has {len(chosen[name])} states, but a variable of an Ising model "
                    "has two: use dw.LogLinear"
                )
        for array in (h, j):
            array.flags.writeable = False
        self._states = chosen
        self._fields, self._couplings = h, j

    @property
    def coding(self) -> str:
        """Which numbers the two states are: "-1/+1" or "0/1"."""
        return self._coding

    @property
    def fields(self) -> NDArray[np.float64]:
        """One number a variable, in the order of `names`; read-only."""
        return self._fields

    @property
    def couplings(self) -> NDArray[np.float64]:
        """The symmetric matrix of couplings, in the order of `names`; read-only."""
        return self._couplings

    def coupling(self, first: str, second: str) -> float:
        """Return the coupling of two variables."""
        a, b = self._numbers([first, second])
        return float(self._couplings[a, b])

    def field(self, name: str) -> float:
        """Return the field of a variable."""
        return float(self._fields[self._numbers(name)[0]])

    def pairwise(self, *, method: str | Expectation = "auto", seed: int = 0) -> PairMatrix:
        """Return E[x_i x_j] of every pair, coupled or not; on the diagonal is E[x_i^2].

        Examples
        --------
        >>> import dagwright as dw
        >>> chain = dw.Ising([0] * 3, [[0, 1, 0], [1, 0, 1], [0, 1, 0]], names=["a", "b", "c"])
        >>> round(chain.pairwise()["a", "c"], 4)  # tanh(1)^2
        0.58
        """
        spin = spin_values(self._coding)
        n = len(self._fields)
        scopes = [(v,) for v in range(n)] + list(combinations(range(n), 2))
        found = self._marginals(self.factors, scopes, method, seed)
        values = np.zeros((n, n))
        for scope, table in zip(scopes, found.tables, strict=True):
            if len(scope) == 1:
                values[scope[0], scope[0]] = table @ spin**2
            else:
                values[scope] = values[scope[::-1]] = spin @ table @ spin
        values.flags.writeable = False
        return PairMatrix(self.names, values)

    @cached_property
    def features(self) -> Features:
        """Each spin, then the product of each pair whose coupling is not zero."""
        pairs = zip(*np.triu(self._couplings).nonzero(), strict=True)
        joined = [(int(a), int(b)) for a, b in pairs]
        return ising_features(len(self._fields), joined, self._coding, self.names)

    @cached_property
    def theta(self) -> NDArray[np.float64]:
        """The fields, then the couplings that are not zero; read-only."""
        couplings = self._couplings[np.triu(self._couplings).nonzero()]
        theta = np.concatenate([self._fields, couplings])
        theta.flags.writeable = False
        return theta

    @classmethod
    def from_theta(
        cls,
        features: Features,
        theta: NDArray[np.float64],
        names: Iterable[str],
        coding: str,
        states: Mapping[str, Sequence[Any]] | None = None,
    ) -> Self:
        """Make the model of the parameters of `ising_features`."""
        n = len(features.arities)
        h, j = np.zeros(n), np.zeros((n, n))
        for scope, own in zip(features.scopes, theta, strict=True):
            if len(scope) == 1:
                h[scope[0]] = own
            else:
                j[scope] = j[scope[::-1]] = own
        return cls(h, j, names, coding, states)

    def to_coding(self, coding: str) -> Ising:
        """Return the same distribution with the states written as other numbers.

        With s = 2x - 1 the couplings of x are 4 J, its fields 2 h - 2 (sum of a variable's J),
        and log Z is larger by sum h - sum J, since the constant is no part of a model.
        States that are the numbers of the old coding become those of the new one.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0.5, 0], [[0, 1], [1, 0]]).to_coding("0/1")
        >>> model.fields.tolist(), model.couplings[0].tolist(), model.states["x1"]
        ([-1.0, -2.0], [0.0, 4.0], (0, 1))
        """
        if check_coding(coding) == self._coding:
            return self
        h, j = self._fields, self._couplings
        if coding == "0/1":
            fields, couplings = 2 * h - 2 * j.sum(axis=0), 4 * j
            old, new = (-1, 1), (0, 1)
        else:
            fields, couplings = h / 2 + j.sum(axis=0) / 4, j / 4
            old, new = (0, 1), (-1, 1)
        states = {
            name: new if own == old and all(type(state) is int for state in own) else own
            for name, own in self._states.items()
        }
        return Ising(fields, couplings, self.names, coding, states)

    def log_linear(self) -> LogLinear:
        """Return the model with its features as tables.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Ising([0.5, 0], [[0, 1], [1, 0]]).log_linear()
        <LogLinear: 2 variables, 3 features>
        """
        return LogLinear._of(dict(self._states), self.features, self.theta)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain JSON values; only couplings that are not zero are kept.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0.5, 0], [[0, 1], [1, 0]])
        >>> dw.Ising.from_dict(model.to_dict()) == model
        True
        """
        a, b = np.triu(self._couplings).nonzero()
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "coding": self._coding,
            "variables": [
                {"name": name, "states": [state_to_json(state) for state in own], "field": h}
                for (name, own), h in zip(self._states.items(), self._fields.tolist(), strict=True)
            ],
            "couplings": [
                [self.names[i], self.names[j], float(self._couplings[i, j])]
                for i, j in zip(a.tolist(), b.tolist(), strict=True)
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make the model that `to_dict` wrote."""
        check_header(values, KIND)
        try:
            states = {
                variable["name"]: [state_from_json(state) for state in variable["states"]]
                for variable in values["variables"]
            }
            fields = [variable["field"] for variable in values["variables"]]
            if len(states) != len(fields):
                raise DataError("two variables have the same name")
            number = {name: v for v, name in enumerate(states)}
            couplings = np.zeros((len(states), len(states)))
            for first, second, value in values["couplings"]:
                a, b = number[first], number[second]
                if couplings[a, b]:
                    raise DataError(f"the coupling of {first!r} and {second!r} is there twice")
                couplings[a, b] = couplings[b, a] = value
            return cls(fields, couplings, states, values["coding"], states)
        except DagwrightError:
            raise
        except KeyError as error:
            raise DataError(f"not an Ising model of dagwright: {error} is missing") from error
        except (TypeError, ValueError) as error:
            raise DataError(f"not an Ising model of dagwright: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file: .json keeps all; .uai has numbers only (MARKOV)."""
        if is_json(path):
            write_json(self.to_dict(), path)
        else:
            self.log_linear().save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file of JSON."""
        try:
            return cls.from_dict(read_json(path))
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ising):
            return NotImplemented
        return (
            self._coding == other._coding
            and list(self._states.items()) == list(other._states.items())
            and np.array_equal(self._fields, other._fields)
            and np.array_equal(self._couplings, other._couplings)
        )

    def __hash__(self) -> int:
        return hash((self._coding, self.names, tuple(self.theta.tolist())))

    def __repr__(self) -> str:
        n = int(np.triu(self._couplings).astype(bool).sum())
        return f"<Ising: {len(self._fields)} variables, {n} couplings, {self._coding}>"


def _numbers(what: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers, not {values!r}") from None
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0].tolist()
        raise DataError(f"{what} must be finite, but at {at} there is {array[tuple(at)]}")
    return array
