"""XMLBIF, the XML of JavaBayes, Weka, pgmpy and pyAgrum."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from dagwright.io.check_network import Draft, Table, check_complete
from dagwright.io.file_network import FileNetwork
from dagwright.io.safe_names import kept_names, safe_network
from dagwright.io.scanner import shown
from dagwright.io.xml_tree import Element, XmlTree, element_numbers

__all__ = ["read_xmlbif", "xmlbif_network", "xmlbif_text"]

# What XML holds and no reader changes: no control characters, no space at the ends.
_NAME = re.compile(r"(?!\s)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+(?<!\s)")


def read_xmlbif(text: str) -> FileNetwork:
    """Read a network in XMLBIF.

    Parameters
    ----------
    text : str
        What the file has. Declarations of elements are skipped; entities are refused.

    Examples
    --------
    >>> network = read_xmlbif(
    ...     "<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME>"
    ...     "</VARIABLE><DEFINITION><FOR>a</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>"
    ...     "</NETWORK></BIF>"
    ... )
    >>> network.states, network.probabilities["a"].tolist()
    ({'a': ('no', 'yes')}, [0.25, 0.75])
    """
    return xmlbif_network(XmlTree(text))


def xmlbif_network(tree: XmlTree) -> FileNetwork:
    """Return the network of a tree."""
    networks = tree.root.all("NETWORK")
    if tree.root.tag != "BIF" or len(networks) != 1:
        raise tree.fault(
            tree.root.at,
            f"XMLBIF needs <BIF> with one <NETWORK>, not {shown(tree.root.tag)} with "
            f"{len(networks)}",
        )
    draft = Draft(tree.fault)
    for variable in networks[0].all("VARIABLE"):
        name = _text(tree, variable, "NAME")
        kind = variable.attributes.get("TYPE", "nature")
        if kind != "nature":
            raise tree.fault(
                variable.at, f"the variable {shown(name)} is a {kind[:20]}: it must be of nature"
            )
        kept: dict[str, str] = {}
        for element in variable.all("PROPERTY"):
            kept |= kept_names(element.text)
        states = [state.text for state in variable.all("OUTCOME", "VALUE")]
        draft.add_variable(name, states, variable.at, **kept)
    for definition in networks[0].all("DEFINITION", "PROBABILITY"):
        child = _text(tree, definition, "FOR")
        tables = definition.all("TABLE")
        if len(tables) != 1:
            raise tree.fault(
                definition.at, f"{shown(child)} must have one <TABLE>, not {len(tables)}"
            )
        numbers = element_numbers(tree, tables[0])
        parents = [parent.text for parent in definition.all("GIVEN")]
        draft.add_table(Table(child, parents, definition.at, numbers=numbers))
    return draft.network()


def _text(tree: XmlTree, element: Element, tag: str) -> str:
    found = element.all(tag)
    if len(found) != 1:
        raise tree.fault(element.at, f"a <{element.tag}> needs one <{tag}>, not {len(found)}")
    return found[0].text


def xmlbif_text(network: FileNetwork) -> str:
    """Write a network in XMLBIF 0.3.

    Parameters
    ----------
    network : FileNetwork
        The network. Names that XML cannot hold are replaced; properties keep the true ones.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a<b": ("x", "y")}, {"a<b": ()}, {"a<b": np.array([0.25, 0.75])})
    >>> print(xmlbif_text(network), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <BIF VERSION="0.3">
      <NETWORK>
        <NAME>unknown</NAME>
        <VARIABLE TYPE="nature">
          <NAME>a&lt;b</NAME>
          <OUTCOME>x</OUTCOME>
          <OUTCOME>y</OUTCOME>
        </VARIABLE>
        <DEFINITION>
          <FOR>a&lt;b</FOR>
          <TABLE>0.25 0.75</TABLE>
        </DEFINITION>
      </NETWORK>
    </BIF>
    """
    check_complete(network)
    safe = safe_network(network, names=_NAME, states=_NAME)
    root = ET.Element("BIF", VERSION="0.3")
    inside = ET.SubElement(root, "NETWORK")
    ET.SubElement(inside, "NAME").text = "unknown"
    for name, states in safe.states.items():
        variable = ET.SubElement(inside, "VARIABLE", TYPE="nature")
        ET.SubElement(variable, "NAME").text = safe.names[name]
        for state in states:
            ET.SubElement(variable, "OUTCOME").text = state
        for key, value in safe.kept[name].items():
            ET.SubElement(variable, "PROPERTY").text = f"{key} = {value}"
    for name, parents in network.parents.items():
        definition = ET.SubElement(inside, "DEFINITION")
        ET.SubElement(definition, "FOR").text = safe.names[name]
        for parent in parents:
            ET.SubElement(definition, "GIVEN").text = safe.names[parent]
        numbers = network.probabilities[name].ravel().tolist()
        ET.SubElement(definition, "TABLE").text = " ".join(map(repr, numbers))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
