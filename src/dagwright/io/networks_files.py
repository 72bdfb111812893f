"""Files of Bayesian networks: the ending says the format."""

from __future__ import annotations

import re
from collections.abc import Callable
from os import PathLike

from dagwright.errors import DataError
from dagwright.io.bif import bif_text, read_bif
from dagwright.io.dsc import dsc_text, read_dsc
from dagwright.io.file_network import FileNetwork
from dagwright.io.files import check_path, read_bytes, write_text
from dagwright.io.net import net_text, read_net
from dagwright.io.uai import read_uai, uai_text
from dagwright.io.xdsl import read_xdsl, xdsl_network, xdsl_text
from dagwright.io.xml_tree import XmlTree
from dagwright.io.xmlbif import read_xmlbif, xmlbif_network, xmlbif_text

__all__ = ["read_network", "write_network"]

_KNOWN_ENCODING = re.compile(r"utf-8|(us-)?ascii|iso-8859-[0-9]{1,2}|windows-125[0-9]")
_ENCODING = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._-]{1,40})""")


def _read_xml(text: str) -> FileNetwork:
    tree = XmlTree(text)
    return xdsl_network(tree) if tree.root.tag == "smile" else xmlbif_network(tree)


_FORMATS: dict[str, tuple[Callable[[str], FileNetwork], Callable[[FileNetwork], str]]] = {
    ".bif": (read_bif, bif_text),
    ".xmlbif": (read_xmlbif, xmlbif_text),
    ".xml": (_read_xml, xmlbif_text),
    ".xdsl": (read_xdsl, xdsl_text),
    ".net": (read_net, net_text),
    ".uai": (read_uai, uai_text),
    ".dsc": (read_dsc, dsc_text),
}


def read_network(path: str | PathLike[str]) -> FileNetwork:
    """Read a Bayesian network.

    Parameters
    ----------
    path : path
        The file; its ending is .bif, .xmlbif, .xml (XMLBIF or XDSL), .xdsl, .net, .uai or .dsc,
        and may have .gz after it.

    Returns
    -------
    FileNetwork
        The network. Whether its edges make a cycle is not checked here.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.uai"
    >>> _ = path.write_text("BAYES 1 2 1 1 0 2 0.25 0.75")
    >>> read_network(path).states
    {'x0': ('0', '1')}
    """
    read, _ = _FORMATS[_ending(path)]
    text = _decoded(read_bytes(path), path)
    try:
        return read(text)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def write_network(network: FileNetwork, path: str | PathLike[str]) -> None:
    """Write a Bayesian network.

    Parameters
    ----------
    network : FileNetwork
        The network.
    path : path
        The file; the ending says the format, as in `read_network`. UAI loses all names.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.25, 0.75])})
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.bif.gz"
    >>> write_network(network, path)
    >>> read_network(path).states
    {'a b': ('x', 'y')}
    """
    _, text_of = _FORMATS[_ending(path)]
    try:
        text = text_of(network)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    write_text(text, path)


def _ending(path: str | PathLike[str]) -> str:
    name = check_path(path).name.lower().removesuffix(".gz")
    for ending in _FORMATS:
        if name.endswith(ending):
            return ending
    raise DataError(
        f"{path}: the ending must say the format of the network: one of "
        f"{', '.join(_FORMATS)}, each also with .gz"
    )


def _decoded(data: bytes, path: str | PathLike[str]) -> str:
    # GeNIe writes ISO-8859-1, and says so.
    declared = _ENCODING.match(data)
    encoding = declared[1].decode().lower() if declared else "utf-8"
    if not _KNOWN_ENCODING.fullmatch(encoding):  # Python knows some that are no text
        raise DataError(f"{path}: the encoding {encoding!r} is not read: save the file as UTF-8")
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise DataError(f"{path} is not text in {encoding}: {error}") from None
