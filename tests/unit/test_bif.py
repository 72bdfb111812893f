import numpy as np
import pytest

from dagwright.errors import DataError
from dagwright.io.bif import bif_text, read_bif

TWO = """
variable a { type discrete [ 2 ] { no, yes }; }
variable b { type discrete [ 3 ] { x, y, z }; }
probability ( a ) { table 0.5, 0.5; }
"""


def test_a_table_of_rows_in_any_order():
    network = read_bif(
        "network unknown {\n}\n"
        + TWO
        + "probability ( b | a ) {\n (yes) .5, 5e-1, 0;\n (no) 1., 0.0, 0;\n}"
    )
    assert network.states == {"a": ("no", "yes"), "b": ("x", "y", "z")}
    assert list(network.states) == ["a", "b"]
    assert network.parents == {"a": (), "b": ("a",)}
    assert network.probabilities["b"].tolist() == [[1, 0, 0], [0.5, 0.5, 0]]


def test_a_full_table_begins_with_the_childs_first_state():
    network = read_bif(TWO + "probability ( b | a ) { table 0.1 0.2 0.3 0.4 0.6 0.4; }")
    np.testing.assert_allclose(network.probabilities["b"], [[0.1, 0.3, 0.6], [0.2, 0.4, 0.4]])


def test_the_last_parent_of_a_full_table_changes_fastest():
    network = read_bif(
        TWO
        + """variable c { type discrete [ 2 ] { u, v }; }
        probability ( b ) { table 0.2, 0.3, 0.5; }
        probability ( c | a, b ) { table 1, 0, 0, 0, 1, 0,  0, 1, 1, 1, 0, 1; }"""
    )
    assert network.parents["c"] == ("a", "b")
    assert network.probabilities["c"][0, 0].tolist() == [1, 0]
    assert network.probabilities["c"][0, 1].tolist() == [0, 1]
    assert network.probabilities["c"][1, 1].tolist() == [1, 0]


def test_default_fills_the_rows_that_are_not_given():
    network = read_bif(
        TWO + "probability ( b | a ) { default 0.2, 0.2, 0.6; (yes) 0.5, 0.25, 0.25; }"
    )
    assert network.probabilities["b"].tolist() == [[0.2, 0.2, 0.6], [0.5, 0.25, 0.25]]


def test_a_row_that_is_not_given_is_undefined():
    network = read_bif(TWO + "probability ( b | a ) { (yes) 0.5, 0.25, 0.25; }")
    assert np.isnan(network.probabilities["b"][0]).all()
    assert network.probabilities["b"][1].tolist() == [0.5, 0.25, 0.25]
    with pytest.raises(DataError, match=r"of 'b' given 'a'='no' are undefined.*BDeu\(1\)"):
        bif_text(network)


def test_dialects():
    network = read_bif(
        """// written by hand
        network { property credit "me; or not" ; }
        variable "a 1"{type discrete[3]{<5, 5-12, 12+};property position = (1, 2);}
        /* states with spaces, quotes, and only spaces between them */
        variable b { type discrete [ 2 ] { low risk, >=7.5/day }; }
        variable c { type discrete [ 2 ] { "no risk" "risk" }; }
        variable d { type discrete [ 2 ] { 0 1 }; }
        probability("a 1"){table 0.2 0.3 0.5;}
        probability (b | "a 1") { (<5) 0.1, 0.9; (5-12) 0.2, 0.8; (12+) 0.3, 0.7; }
        probability (c, b) { (low risk) 0.5 0.5; (>=7.5/day) 0.5 0.5; }
        probability (d | b, c) {
          (low risk, no risk) 0.1, 0.9; ("low risk" "risk") 0.1, 0.9; default 0.5 0.5;
        }
        """
    )
    assert network.states == {
        "a 1": ("<5", "5-12", "12+"),
        "b": ("low risk", ">=7.5/day"),
        "c": ("no risk", "risk"),
        "d": ("0", "1"),
    }
    assert network.parents["c"] == ("b",)
    assert network.probabilities["d"][0].tolist() == [[0.1, 0.9], [0.1, 0.9]]


def test_rounded_rows_are_divided_by_their_sum():
    network = read_bif(
        TWO + "probability ( b | a ) { (no) 0.333, 0.333, 0.333; (yes) 0.1, 0.2, 0.7; }"
    )
    assert network.probabilities["b"][0].tolist() == pytest.approx([1 / 3] * 3)
    assert network.probabilities["b"][1].tolist() == [0.1, 0.2, 0.7]  # as it is, to the last bit


B = "probability ( b | a ) "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("network unknown { }", "no variables"),
        ("hello", "line 1, column 1: 'network', 'variable' or 'probability' is needed"),
        ("\n\n  }", "line 3, column 3: .* needed, not '}'"),
        (TWO, "'b' has no table"),
        (TWO + "probability ( c ) { table 1; }", "line 5, column 1: unknown variable 'c'"),
        (TWO + "probability ( b | c ) { table 1; }", "unknown variable 'c' in the table of 'b'"),
        (TWO + "variable a { type discrete [ 1 ] { x }; }", "line 5, .*'a' is defined twice"),
        (TWO + "probability ( a ) { table 1, 0; }", "table of 'a' is defined twice"),
        (TWO + B + "{ table 0.5, 0.5, 1; }", r"has 3 numbers, but 6 are needed \(2 config"),
        (TWO + B + "{\n\n (no) 0.5, 0.5; }", "line 7, column 2: a row of 'b' has 2 numbers"),
        (TWO + B + "{ (no) 1, 0, 0; (no) 1, 0, 0; }", r"row '\(no\)' of 'b' is given twice"),
        (TWO + B + "{ (yess) 1, 0, 0; }", "unknown state 'yess' of 'a'.*did you mean 'yes'"),
        (TWO + B + "{ (no, no) 1, 0, 0; }", "a state for each of 1 parents"),
        (TWO + B + "{ (no) 0.5, 0.2, 0.2; }", "'b' given 'a'='no' has probabilities that sum to"),
        (TWO + B + "{ (no) -0.5, 0.5, 1; }", "probability -0.5, which is not between"),
        (TWO + B + "{ (no) 1e999, 0, 0; }", "probability inf"),
        (TWO + B + "{ (no) nan, 0, 0; }", "'nan' is not a finite number"),
        (TWO + B + "{ (no) 1_0, 0, 0; }", "'1_0' is not a finite number"),
        (TWO + B + "{ (no) 1-, 0, 0; }", "'1-' is not a finite number"),
        (TWO + B + "{ (no) 2, 0, 0; }", "probability 2.0"),
        (TWO + B + "{ }", "table of 'b' has no numbers"),
        (TWO + B + "{ table 1; table 1; }", "given twice"),
        (TWO + B + "{ default 1; default 1; }", "given twice"),
        (TWO + B + "{ table 1; default 1; }", "both a 'table' and rows"),
        (TWO + B + "{ nothing 1; }", "'table' or 'default' is needed, not 'nothing'"),
        (TWO + B + "{ table 1 }", "no ';' ends this"),
        (TWO + "probability ( b | a, a ) { table 1; }", "table of 'b' has 'a' twice"),
        (TWO + "probability ( b | b ) { table 1; }", "table of 'b' has 'b' twice"),
        ("variable a { type discrete [ 3 ] { x, y }; }", "declares 3 states, but lists 2"),
        ("variable a { type discrete [ 1000000000 ] { x, y }; }", "declares 1000000000 states"),
        ("variable a { type discrete [ %s ] { x }; }" % ("9" * 10000), "declares 99999"),
        ("variable a { type discrete [ 2 ] { x, x }; }", "state 'x' twice"),
        ("variable a { type continuous; }", "'a' is 'continuous': it must be discrete"),
        ("variable a { }", "'a' has no states"),
        ("variable a { kind; }", "'type' or 'property' is needed, not 'kind'"),
        ("/* never", "line 1, column 1: the comment is never closed"),
        ('network "never', "line 1, column 9: the quote is never closed"),
        ("variable a { property dagwright_name = ~; }", "no states"),
        ("variable a { type discrete [1] {x}; property dagwright_name = ~; }", "no encoded name"),
        ("variable a { type discrete [1] {x}; property dagwright_name = ~ffffff~; }", "no encoded"),
        ("variable a { type discrete [1] {x}; property dagwright_states = a b; }", "1 different"),
    ],
)
def test_errors_say_what_and_where(text, message):
    with pytest.raises(DataError, match=message):
        read_bif(text)


def many_parents(n_parents, n_states=2):
    states = ", ".join(f"s{state}" for state in range(n_states))
    names = [f"v{number}" for number in range(n_parents + 1)]
    text = "".join(
        f"variable {name} {{ type discrete [ {n_states} ] {{ {states} }}; }}\n" for name in names
    )
    one = ", ".join(["1"] + ["0"] * (n_states - 1))
    text += "".join(f"probability ( {name} ) {{ table {one}; }}\n" for name in names[1:])
    return text + f"probability ( v0 | {', '.join(names[1:])} ) {{ default {one}; }}"


def test_tables_beyond_memory_are_refused_before_they_are_made():
    with pytest.raises(DataError, match="cells in all, but at most 100,000,000"):
        read_bif(many_parents(30))
    with pytest.raises(DataError, match="cells in all"):
        read_bif(many_parents(31, 100))
    with pytest.raises(DataError, match="has 70 parents, but at most 31"):
        read_bif(many_parents(70, 1))
    assert read_bif(many_parents(31, 1)).probabilities["v0"].shape == (1,) * 32


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "{" * 100_000,
        "/*" * 100_000,
        'network "' + '\\"' * 100_000,
        "probability ( a ) { " + "(" * 100_000,
        "probability ( a ) { " + "() " * 100_000,
        "variable a { property " + '"' * 100_001,
        "variable a { type discrete [ 2 ] { " + "x, " * 100_000,
        "probability ( a | " + "b, " * 100_000 + ") { }",
        "\0" * 100_000,
        " " * 1_000_000,
    ],
)
def test_hostile_texts_are_refused_quickly(text):
    with pytest.raises(DataError):
        read_bif(text)
