"""Names of nodes at the edge of the library: checks, and errors that help."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable

from dagwright.errors import GraphError

Edge = tuple[str, str]

_MAX_SHOWN = 10


def listed(names: Iterable[str]) -> str:
    """Names for a message, quoted, the first few of them."""
    quoted = [repr(name) for name in names]
    shown = ", ".join(quoted[:_MAX_SHOWN])
    return shown if len(quoted) <= _MAX_SHOWN else f"{shown} and {len(quoted) - _MAX_SHOWN} more"


def arrow(edge: Edge) -> str:
    """Write an edge for a message: ``'a' -> 'b'``."""
    return f"{edge[0]!r} -> {edge[1]!r}"


def cycle_text(cycle: Iterable[str]) -> str:
    """Write a cycle as it is walked: ``a -> b -> c -> a``."""
    nodes = list(cycle)
    return " -> ".join([*nodes, nodes[0]])


def unknown_node(name: object, known: Collection[str]) -> GraphError:
    """Make the error for a name that is not a node, with the nearest name there is."""
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"the nodes are {listed(known) or 'none'}"
    return GraphError(f"unknown node {name!r}; {hint}")


def checked_name(name: object) -> str:
    """Return the name if it can be one: a string."""
    if not isinstance(name, str):
        raise GraphError(
            f"a node's name must be a string, not {name!r} of type {type(name).__name__}; "
            "use str() on it"
        )
    return str(name)


def checked_nodes(nodes: Iterable[object]) -> tuple[str, ...]:
    """Return the names in their order if they are strings and distinct."""
    if isinstance(nodes, str):
        raise GraphError(
            f"nodes must be a list of names, not the string {nodes!r}; use [{nodes!r}]"
        )
    if not isinstance(nodes, Iterable):
        raise GraphError(f"nodes must be a list of names, not {nodes!r}")
    names: tuple[str, ...] = tuple(nodes)  # type: ignore[arg-type]  # looked at next
    if not set(map(type, names)) <= {str}:
        names = tuple(checked_name(name) for name in names)
    if len(set(names)) != len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise GraphError(f"node {twice!r} is given twice; each node has a name of its own")
    return names


def checked_edge(edge: object, what: str = "an edge") -> Edge:
    """Return the two names of an edge if it is a pair of different nodes."""
    # A string of two letters and a set of two names unpack as well, but say no direction.
    no_pair = isinstance(edge, str | bytes | set | frozenset | dict)
    pair = [] if no_pair or not isinstance(edge, Iterable) else list(edge)
    if len(pair) != 2:
        raise GraphError(f"{what} must be a pair of names like ('a', 'b'), not {edge!r}")
    first, second = checked_name(pair[0]), checked_name(pair[1])
    if first == second:
        raise GraphError(f"{what} must join two nodes, but {arrow((first, second))} is a self loop")
    return first, second


def checked_edges(edges: object, what: str = "an edge") -> list[Edge]:
    """Return the edges if they are a list of pairs."""
    if isinstance(edges, str | bytes | dict) or not isinstance(edges, Iterable):
        raise GraphError(
            f"{what} must come in a list of pairs like [('a', 'b')], not in {edges!r} of type "
            f"{type(edges).__name__}"
        )
    return [checked_edge(edge, what) for edge in edges]
