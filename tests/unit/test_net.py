import numpy as np
import pytest

from dagwright.errors import DataError
from dagwright.io.net import net_text, read_net

A = 'node a { states = ("no" "yes"); }\npotential (a) { data = (0.5 0.5); }\n'
B = 'node b { states = ("x" "y" "z"); }\n'


def test_old_style():
    network = read_net(
        """net
        {
          node_size = (80 40); % the size; "of nodes
          name = "a net; with all";
        }
        discrete node a
        {
          label = "say \\"a\\"; }";
          position = (1 2);
          states = ("no" "yes % of course");
        }
        node b { states = (x y z); }
        potential (a) { data = ( 0.25 0.75 ); }
        potential (b | a)
        {
          data = (( 1. 0 0 )     % a=no; b
                  ( .5 5e-1 0 )); % a=yes
          experience = (10 20);
        }
        """
    )
    assert network.states == {"a": ("no", "yes % of course"), "b": ("x", "y", "z")}
    assert network.parents == {"a": (), "b": ("a",)}
    assert network.probabilities["b"].tolist() == [[1, 0, 0], [0.5, 0.5, 0]]


def test_new_style():
    network = read_net(
        "class demo { inputs = (); outputs = (a); node_size = (1 2);\n"
        + A
        + B
        + "potential (b | a) { data = (0.1 0.2 0.7 0.3 0.3 0.4); } }"
    )
    np.testing.assert_allclose(network.probabilities["b"], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])


def test_the_first_parent_changes_slowest():
    network = read_net(
        A + B + 'potential (b | ) { data = (0.2 0.3 0.5); } node c { states = ("u" "v"); }'
        "potential (c | a b) { data = (((1 0)(0 1)(1 0)) ((0 1)(0 1)(0 1))); }"
    )
    assert network.parents["c"] == ("a", "b")
    assert network.probabilities["c"][0, :, 0].tolist() == [1, 0, 1]
    assert network.probabilities["c"][1, :, 0].tolist() == [0, 0, 0]
    again = read_net(net_text(network))
    assert again.probabilities["c"].tolist() == network.probabilities["c"].tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("net { }", "no variables"),
        ("hello", "line 1, column 1: 'net', 'class', 'node' or 'potential' is needed"),
        (A + "decision d { }", "line 3, column 1: the node 'd' is a decision node"),
        (A + "utility u { }", "the node 'u' is a utility node"),
        (A + "continuous node c { }", "the node 'c' is a continuous node"),
        (A + "discrete thing c { }", "'discrete' must come before 'node'"),
        (A + B, "'b' has no table"),
        (A + B + "potential (b | a) { }", "potential of 'b' has no data"),
        (A + B + "potential (b | a) { model_data = (); }", "a formula"),
        (A + B + "potential (b a) { }", "potential of more than one node"),
        (A + B + "potential (b | a) { data = ((1 0 0)(1 0)); }", "has 5 numbers, but 6"),
        (A + B + "potential (b | a) { data = ((1 0 0)(1 0 0); }", r"1 '\)' are missing"),
        (A + B + "potential (b | a) {\ndata = (1 0 0)); }", r"line 5, column 15: no '\('"),
        (A + B + "potential (b | a) {\ndata = (1 0 o); }", "line 5, column 13: 'o' is not a"),
        (A + B + "potential (b | a) { data = (1); data = (1); }", "'data' is given twice"),
        (A + B + "potential (b | c) { data = (1); }", "unknown variable 'c'"),
        (A + "potential (a) { data = (1 0); }", "table of 'a' is defined twice"),
        (A + "node a { states = (x); }", "'a' is defined twice"),
        (A + "node b { }", "'b' has no states"),
        ('node a { states = ("x" "x"); }', "state 'x' twice"),
        ('node a { states = ("x" ; }', "a state or '\\)' is needed, not ';'"),
        ("class c { " + A, "the '}' of the class is missing"),
        ('net { "', "the quote is never closed"),
    ],
)
def test_errors_say_what_and_where(text, message):
    with pytest.raises(DataError, match=message):
        read_net(text)


def test_deep_parentheses_are_only_counted():
    deep = 100_000
    text = 'node a { states = ("no" "yes"); } potential (a) { data = %s0.5 0.5%s; }'
    assert read_net(text % ("(" * deep, ")" * deep)).probabilities["a"].tolist() == [0.5, 0.5]
    with pytest.raises(DataError, match=r"100000 '\)' are missing"):
        read_net(text % ("(" * deep, ""))


@pytest.mark.parametrize("text", ["(" * 100_000, "net {" * 100_000, "%" * 100_000, "\0" * 1000])
def test_hostile_texts_are_refused_quickly(text):
    with pytest.raises(DataError):
        read_net(text)
