import pytest

from dagwright.errors import DataError
from dagwright.io.uai import read_uai

TEXT = """BAYES
3
2 3 2
3
1 0   # a comment
1 1
3 0 1 2

2
 0.5 0.5
3
 0.2 .3 5e-1
12
 1 0  0 1  1 0
 0 1  0 1  0 1
"""


def test_the_last_variable_is_the_child_and_changes_fastest():
    network = read_uai(TEXT)
    assert network.states == {"x0": ("0", "1"), "x1": ("0", "1", "2"), "x2": ("0", "1")}
    assert network.parents == {"x0": (), "x1": (), "x2": ("x0", "x1")}
    assert network.probabilities["x1"].tolist() == [0.2, 0.3, 0.5]
    assert network.probabilities["x2"][0, :, 0].tolist() == [1, 0, 1]
    assert network.probabilities["x2"][1, :, 0].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: 'BAYES' must be the first word"),
        ("MARKOV 1 2 1 1 0 2 0.5 0.5", "no Bayesian network: read it with dw.load"),
        ("BAYES", "the number of variables is missing"),
        ("BAYES 0", "the number of variables must be from 1 to 2, not '0'"),
        ("BAYES 1000000000 2", "must be from 1 to 3, not '1000000000'"),
        ("BAYES " + "9" * 10_000, "the number of variables must be"),
        ("BAYES -1", "the number of variables must be"),
        ("BAYES 1\n1000000000 1 1 0 2 1 0", "line 2, column 1: the number of states of variable 0"),
        ("BAYES 2 5 5 2 1 0 1 1", "10 states need as many numbers"),
        ("BAYES 1 2 2 1 0 1 0 2 1 0 2 1 0", "the number of tables must be from 1 to 1"),
        ("BAYES 1 2 1 1 1 2 1 0", "a variable of table 0 must be from 0 to 0, not '1'"),
        ("BAYES 2 1 1 2 1 0 1 0 1 1 1 1", "table of 'x0' is defined twice"),
        ("BAYES 1 2 1 1 0 2 1 0 7", "more follows after the last table"),
        ("BAYES 1 2 1 1 0 1 1", "has 1 numbers, but 2 are needed, one a state"),
        ("BAYES 1 2 1 1 0 9 1 0", "numbers for x0 must be from 0 to 2"),
        ("BAYES 1 2 1 1 0 2\n1 x", "line 2, column 3: 'x' is not a finite number"),
        ("BAYES 1 2 1 1 0 2 0.5 0.6", "'x0' has probabilities that sum to 1.1"),
        ("BAYES 1 2 1 99 0 2 0.5 0.6", "number of variables of table 0 must be"),
    ],
)
def test_errors_say_what_and_where(text, message):
    with pytest.raises(DataError, match=message):
        read_uai(text)
