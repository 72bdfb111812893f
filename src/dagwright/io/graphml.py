"""GraphML, the XML of networkx, igraph, yEd and Gephi."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from os import PathLike

from dagwright._names import Edge
from dagwright.errors import DataError, GraphError
from dagwright.io.files import check_path, write_text

__all__ = ["read_graphml", "write_graphml"]

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(path: str | PathLike[str], nodes: Iterable[str], edges: Iterable[Edge]) -> None:
    """Write a directed graph; the names are the ids of the nodes.

    Parameters
    ----------
    path : path
        The file to write.
    nodes : iterable of str
        The names. Control characters, which XML cannot hold, are refused.
    edges : iterable of (str, str)
        The edges, each from parent to child.

    Examples
    --------
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "graph.graphml")
    >>> write_graphml(path, ["a", "<b>"], [("a", "<b>")])
    >>> read_graphml(path)
    (('a', '<b>'), (('a', '<b>'),))
    """
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    graph = ET.SubElement(root, "graph", edgedefault="directed")
    for node in nodes:
        if _NOT_IN_XML.search(node):
            raise GraphError(
                f"GraphML cannot write the control characters in node {node!r}; rename the node"
            )
        ET.SubElement(graph, "node", id=node)
    for start, end in edges:
        ET.SubElement(graph, "edge", source=start, target=end)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n', path)


def read_graphml(path: str | PathLike[str]) -> tuple[tuple[str, ...], tuple[Edge, ...]]:
    """Read a directed graph; attributes are left out.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    nodes : tuple of str
        The ids of the nodes in the order of the file.
    edges : tuple of (str, str)
        The edges, each from parent to child; whether they make a cycle is not checked here.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.graphml"
    >>> _ = path.write_text('<graphml><graph><node id="a"/></graph></graphml>')
    >>> read_graphml(path)
    (('a',), ())
    """
    file = check_path(path)
    try:
        root = ET.parse(file, ET.XMLParser(target=_NoDoctype())).getroot()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ET.ParseError, LookupError, ValueError) as error:  # also an encoding that is not known
        raise GraphError(f"{path} is not XML: {error}") from error
    graphs = [element for element in root if _tag(element) == "graph"]
    if _tag(root) != "graphml" or len(graphs) != 1:
        raise GraphError(
            f"{path} must be GraphML with one graph, not <{_tag(root)}> with {len(graphs)} graphs"
        )
    (graph,) = graphs
    directed_by_default = graph.get("edgedefault") == "directed"
    nodes: list[str] = []
    edges: list[Edge] = []
    for element in graph:
        if _tag(element) == "node":
            nodes.append(_attribute(element, "id", path))
        elif _tag(element) == "edge":
            edge = (_attribute(element, "source", path), _attribute(element, "target", path))
            if element.get("directed", str(directed_by_default)).lower() not in ("true", "1"):
                raise GraphError(
                    f"{path}: the edge {edge[0]!r} -- {edge[1]!r} is undirected; "
                    'a DAG needs edgedefault="directed"'
                )
            edges.append(edge)
    return tuple(nodes), tuple(edges)


class _NoDoctype(ET.TreeBuilder):
    """Refuse document types: no GraphML needs one, and entities can blow up memory."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise GraphError(f"the file declares a document type {name!r}; remove it")


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _attribute(element: ET.Element, name: str, path: str | PathLike[str]) -> str:
    value = element.get(name)
    if value is None:
        raise GraphError(f"{path}: a <{_tag(element)}> has no {name}")
    return value
