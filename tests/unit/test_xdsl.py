import numpy as np
import pytest

from dagwright.errors import DataError
from dagwright.io.file_network import FileNetwork
from dagwright.io.xdsl import read_xdsl, xdsl_text

A = (
    '<cpt id="a"><state id="no"/><state id="yes" label="x"/>'
    "<probabilities>0.25 .75</probabilities></cpt>\n"
)
B = (
    '<cpt id="b"><state id="x"/><state id="y"/><state id="z"/><parents>a</parents>'
    "<probabilities>1. 0 0 .5 5e-1 0</probabilities><property id='p'>q</property></cpt>\n"
)


def xdsl(*nodes):
    extensions = (
        "<extensions><genie><node id='a'><name>A long one</name></node></genie></extensions>"
    )
    return f'<smile version="1.0" id="n"><nodes>{"".join(nodes)}</nodes>{extensions}</smile>'


def test_a_file_of_genie():
    network = read_xdsl('<?xml version="1.0" encoding="ISO-8859-1"?>' + xdsl(A, B))
    assert network.states == {"a": ("no", "yes"), "b": ("x", "y", "z")}
    assert network.parents == {"a": (), "b": ("a",)}
    assert network.probabilities["b"].tolist() == [[1, 0, 0], [0.5, 0.5, 0]]


def test_deterministic_nodes_are_certain_of_a_state():
    network = read_xdsl(
        xdsl(
            A,
            B,
            '<deterministic id="c"><state id="u"/><state id="v"/><parents>a b</parents>'
            "<resultingstates>u v u v v v</resultingstates></deterministic>",
        )
    )
    assert network.parents["c"] == ("a", "b")
    assert network.probabilities["c"][0].tolist() == [[1, 0], [0, 1], [1, 0]]
    assert network.probabilities["c"][1].tolist() == [[0, 1], [0, 1], [0, 1]]


def test_parents_are_written_first_but_the_order_comes_back():
    half = np.array([0.5, 0.5])
    network = FileNetwork(
        {"c": ("0", "1"), "a": ("0", "1"), "b": ("0", "1")},
        {"c": ("b",), "a": (), "b": ("a",)},
        {"c": np.array([half, half]), "a": half, "b": np.array([half, half])},
    )
    text = xdsl_text(network)
    assert text.index('<cpt id="a"') < text.index('<cpt id="b"') < text.index('<cpt id="c"')
    assert list(read_xdsl(text).states) == ["c", "a", "b"]


def test_a_cycle_cannot_be_written():
    half = np.full((2, 2), 0.5)
    states = {"a": ("0", "1"), "b": ("0", "1")}
    network = FileNetwork(states, {"a": ("b",), "b": ("a",)}, {"a": half, "b": half})
    with pytest.raises(DataError, match="XDSL cannot write the cycle"):
        xdsl_text(network)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not XML"),
        ("<BIF/>", "XDSL needs <smile> with one <nodes>, not 'BIF' with 0"),
        (xdsl(), "no variables"),
        ("<smile><nodes/><dynamic/></smile>", "the network is dynamic"),
        (xdsl(A, '<noisymax id="m"/>'), "line 2, column 1: the node 'm' is a <noisymax>"),
        (xdsl(A, '<decision id="d"/>'), "the node 'd' is a <decision>: only <cpt>"),
        (xdsl(A, '<utility id="u"/>'), "the node 'u' is a <utility>"),
        (xdsl("<cpt/>"), "a <cpt> has no id"),
        (xdsl(A, '<cpt id="b"><state/></cpt>'), "a <state> has no id"),
        (xdsl(A, '<cpt id="b"><state id="x"/></cpt>'), "'b' must have one <probabilities>, not 0"),
        (xdsl(A, A), "'a' is defined twice"),
        (xdsl(B), "unknown variable 'a'"),
        (xdsl(A.replace("0.25", "0.25 0")), "has 3 numbers, but 2"),
        (xdsl(A.replace("0.25", "x")), "'x' is not a finite number"),
        (
            xdsl(
                A,
                '<deterministic id="d"><state id="x"/><parents>a</parents>'
                "<resultingstates>x</resultingstates></deterministic>",
            ),
            "'d' has 1 resulting states, but 2 are needed",
        ),
        (
            xdsl(
                '<deterministic id="d"><state id="x"/>'
                "<resultingstates>xx</resultingstates></deterministic>"
            ),
            "unknown state 'xx' of 'd'",
        ),
        ("<smile>" * 100_000, "nested more than 100 deep"),
    ],
)
def test_errors_say_what_and_where(text, message):
    with pytest.raises(DataError, match=message):
        read_xdsl(text)
