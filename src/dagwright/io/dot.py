"""DOT, the language of Graphviz."""

from collections.abc import Iterable

from dagwright._names import Edge
from dagwright.errors import GraphError

__all__ = ["dot_text"]


def dot_text(
    nodes: Iterable[str], *, directed: Iterable[Edge] = (), undirected: Iterable[Edge] = ()
) -> str:
    r"""Write a graph in DOT.

    Parameters
    ----------
    nodes : iterable of str
        The names, whatever they contain.
    directed, undirected : iterable of (str, str)
        The edges; undirected ones get no arrowhead.

    Returns
    -------
    str
        The text, without a newline at the end.

    Examples
    --------
    >>> print(dot_text(["a", 'say "b"'], directed=[("a", 'say "b"')]))
    digraph {
      "a";
      "say \"b\"";
      "a" -> "say \"b\"";
    }
    """
    lines = [f"  {_quoted(node)};" for node in nodes]
    lines += [f"  {_quoted(start)} -> {_quoted(end)};" for start, end in directed]
    lines += [
        f"  {_quoted(first)} -> {_quoted(second)} [dir=none];" for first, second in undirected
    ]
    return "\n".join(["digraph {", *lines, "}"])


def _quoted(name: str) -> str:
    if "\0" in name:
        raise GraphError(f"DOT cannot write the NUL character in node {name!r}; rename the node")
    # A backslash is doubled before anything that makes new ones, so that no two names collide.
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
