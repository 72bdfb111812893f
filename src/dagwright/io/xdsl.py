"""XDSL, the XML of GeNIe and SMILE."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from graphlib import CycleError, TopologicalSorter

from dagwright.errors import DataError
from dagwright.io.check_network import Draft, Table, check_complete
from dagwright.io.file_network import FileNetwork
from dagwright.io.safe_names import QUOTABLE, kept_names, safe_network
from dagwright.io.scanner import shown
from dagwright.io.xml_tree import Element, XmlTree, element_numbers

__all__ = ["read_xdsl", "xdsl_network", "xdsl_text"]

_ORDER = "dagwright_order"


def read_xdsl(text: str) -> FileNetwork:
    """Read a network in XDSL.

    Parameters
    ----------
    text : str
        What the file has. Nodes other than ``<cpt>`` and ``<deterministic>`` are refused. The first
        parent changes slowest, as GeNIe has it.

    Examples
    --------
    >>> network = read_xdsl(
    ...     '<smile><nodes><cpt id="a"><state id="no"/><state id="yes"/>'
    ...     "<probabilities>0.25 0.75</probabilities></cpt></nodes></smile>"
    ... )
    >>> network.states, network.probabilities["a"].tolist()
    ({'a': ('no', 'yes')}, [0.25, 0.75])
    """
    return xdsl_network(XmlTree(text))


def xdsl_network(tree: XmlTree) -> FileNetwork:
    """Return the network of a tree."""
    sections = tree.root.all("nodes")
    if tree.root.tag != "smile" or len(sections) != 1:
        raise tree.fault(
            tree.root.at,
            f"XDSL needs <smile> with one <nodes>, not {shown(tree.root.tag)} with {len(sections)}",
        )
    for element in tree.root.all("dynamic"):
        raise tree.fault(element.at, "the network is dynamic, which is not read")
    draft = Draft(tree.fault)
    for node in _in_order(sections[0].children):
        name = _id(tree, node)
        if node.tag not in ("cpt", "deterministic"):
            raise tree.fault(
                node.at,
                f"the node {shown(name)} is a <{node.tag[:20]}>: only <cpt> and <deterministic> "
                "can be read",
            )
        kept: dict[str, str] = {}
        for element in node.all("property"):
            kept |= kept_names(f"{element.attributes.get('id')} = {element.text}")
        states = [_id(tree, state) for state in node.all("state")]
        draft.add_variable(name, states, node.at, **kept)
        parents = [parent for element in node.all("parents") for parent in element.text.split()]
        table = Table(name, parents, node.at)
        if node.tag == "cpt":
            table.numbers = element_numbers(tree, _only(tree, node, "probabilities", name))
        else:
            table.results = _only(tree, node, "resultingstates", name).text.split()
        draft.add_table(table)
    return draft.network()


def _in_order(nodes: list[Element]) -> list[Element]:
    """Return the nodes in the order of the network that we wrote, if we wrote it."""
    orders = []
    for node in nodes:
        texts = [item.text for item in node.all("property") if item.attributes.get("id") == _ORDER]
        if len(texts) != 1 or not re.fullmatch(r"[0-9]{1,9}", texts[0]):
            return nodes
        orders.append(int(texts[0]))
    return [nodes[index] for index in sorted(range(len(nodes)), key=orders.__getitem__)]


def _id(tree: XmlTree, element: Element) -> str:
    if "id" not in element.attributes:
        raise tree.fault(element.at, f"a <{element.tag[:20]}> has no id")
    return element.attributes["id"]


def _only(tree: XmlTree, node: Element, tag: str, name: str) -> Element:
    found = node.all(tag)
    if len(found) != 1:
        raise tree.fault(node.at, f"{shown(name)} must have one <{tag}>, not {len(found)}")
    return found[0]


def xdsl_text(network: FileNetwork) -> str:
    """Write a network in XDSL.

    Parameters
    ----------
    network : FileNetwork
        The network. Names that are no identifiers are replaced; GeNIe shows the true names of the
        variables, and properties keep all.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.25, 0.75])})
    >>> print(xdsl_text(network), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <smile version="1.0" id="unknown">
      <nodes>
        <cpt id="a_b">
          <state id="x" />
          <state id="y" />
          <probabilities>0.25 0.75</probabilities>
          <property id="dagwright_name">a~20~b</property>
        </cpt>
      </nodes>
      <extensions>
        <genie version="1.0" app="dagwright" name="unknown">
          <node id="a_b">
            <name>a b</name>
          </node>
        </genie>
      </extensions>
    </smile>
    """
    check_complete(network)
    safe = safe_network(network)
    root = ET.Element("smile", version="1.0", id="unknown")
    nodes = ET.SubElement(root, "nodes")
    genie = ET.SubElement(
        ET.SubElement(root, "extensions"),
        "genie",
        {"version": "1.0", "app": "dagwright", "name": "unknown"},
    )
    place_of = {name: str(number) for number, name in enumerate(network.states)}
    order = _parents_first(network)
    for name in order:
        node = ET.SubElement(nodes, "cpt", id=safe.names[name])
        for state in safe.states[name]:
            ET.SubElement(node, "state", id=state)
        if network.parents[name]:
            parents = [safe.names[parent] for parent in network.parents[name]]
            ET.SubElement(node, "parents").text = " ".join(parents)
        numbers = network.probabilities[name].ravel().tolist()
        ET.SubElement(node, "probabilities").text = " ".join(map(repr, numbers))
        for key, value in safe.kept[name].items():
            ET.SubElement(node, "property", id=key).text = value
        if order != list(network.states):
            ET.SubElement(node, "property", id=_ORDER).text = place_of[name]
        shown_name = name if QUOTABLE.fullmatch(name) else safe.names[name]
        node = ET.SubElement(genie, "node", id=safe.names[name])
        ET.SubElement(node, "name").text = shown_name
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _parents_first(network: FileNetwork) -> list[str]:
    """Return the variables, each after its parents, as SMILE needs them."""
    seen: set[str] = set()
    for name, parents in network.parents.items():
        if not seen.issuperset(parents):
            break
        seen.add(name)
    else:
        return list(network.parents)
    try:
        return list(TopologicalSorter(network.parents).static_order())
    except CycleError as error:
        raise DataError(f"XDSL cannot write the cycle {' -> '.join(error.args[1])}") from None
