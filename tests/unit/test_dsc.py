import numpy as np
import pytest

from dagwright.errors import DataError
from dagwright.io.dsc import read_dsc

A = 'node a { type: discrete[2] = {"no", "yes"}; }\nprobability(a) { 0.5, 0.5; }\n'
B = 'node b { type: discrete[3] = {"1", "0", "2"}; }\n'


def test_dialects():
    network = read_dsc(
        """belief network "small"
        // a comment
        properties { author = "me;"; version = 1; }
        node N1
        {
          name: "Age";
          type : discrete [ 2 ] =
          {
            "young",
            "old"
          };
          position: (1, 2);
        }
        """
        + B
        + """probability ( N1 ) { 0.25, 0.75; }
        probability ( b | N1 ) { (0) : 1., 0, 0; (1): .5, 5e-1, 0; } /* end */
        """
    )
    assert network.states == {"N1": ("young", "old"), "b": ("1", "0", "2")}
    assert network.parents == {"N1": (), "b": ("N1",)}
    assert network.probabilities["b"].tolist() == [[1, 0, 0], [0.5, 0.5, 0]]


def test_rows_say_states_by_number_or_name_and_numbers_win():
    network = read_dsc(
        A + B + "probability(b) { 0.2, 0.3, 0.5; }"
        'node c { type: discrete[2] = {"u", "v"}; }'
        'probability(c | a, b) { (0, 0): 1, 0; ("yes", 1): 0, 1; default: 0.5, 0.5; }'
    )
    expected = np.full((2, 3, 2), 0.5)
    expected[0, 0] = 1, 0
    expected[1, 1] = 0, 1
    assert network.probabilities["c"].tolist() == expected.tolist()


def test_a_row_without_states_has_the_child_fastest():
    network = read_dsc(A + B + "probability(b | a) { 1, 0, 0, 0, 0.5, 0.5; }")
    assert network.probabilities["b"].tolist() == [[1, 0, 0], [0, 0.5, 0.5]]


def test_the_name_of_the_network_may_be_missing():
    assert read_dsc("belief network " + A).states == read_dsc("network x " + A).states


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("hello", "line 1, column 1: 'belief network', 'node' or 'probability' is needed"),
        ("belief it", "'network' must come after 'belief'"),
        (A + B, "'b' has no table"),
        (A + B + "probability(b | a) { }", "table of 'b' has no numbers"),
        (A + B + "probability(b | a) { (2): 1, 0, 0; }", "unknown state '2' of 'a'"),
        (A + B + "probability(b | a) {\n (0): 1, 0; }", "line 5, column 2: a row of 'b' has 2"),
        (A + B + "probability(b | a) { (0) 1, 0, 0; }", "':' is needed, not '1'"),
        (A + B + "probability(b | a) { (0): 1, 0, 0; 1; }", "rows with states and one without"),
        (A + B + "probability(b | a) { 1; 1; }", "given twice"),
        (A + B + "probability(b | a) { default: 1; default: 1; }", "given twice"),
        (A + B + "probability(b | a) { (0): 0.5, 0, 0; }", "given 'a'='no' has .* sum to 0.5"),
        (A + B + "probability(b | a) { function: max; }", "'function:' is not a finite number"),
        (A + B + "probability(b | a) { (0): 1, 0, 0 }", "a row such as"),
        (A + "probability(a) { 1, 0; }", "table of 'a' is defined twice"),
        ('node a { type: discrete[1000000000] = {"x"}; }', "declares 1000000000 states"),
        ("node a { type: continuous; }", "'a' is 'continuous': it must be discrete"),
        ("node a { }", "'a' has no states"),
    ],
)
def test_errors_say_what_and_where(text, message):
    with pytest.raises(DataError, match=message):
        read_dsc(text)


@pytest.mark.parametrize("text", ["(" * 100_000, "/*" * 100_000, "node {" * 100_000, "\0" * 1000])
def test_hostile_texts_are_refused_quickly(text):
    with pytest.raises(DataError):
        read_dsc(text)
