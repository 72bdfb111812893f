"""Numbers from papers, and numbers that can be written down exactly."""

from fractions import Fraction
from math import comb, factorial, log

import numpy as np
import pytest

import dagwright as dw

# G. Cooper and E. Herskovits, "A Bayesian method for the induction of probabilistic networks from
# data", Machine Learning 9 (1992), table 1: ten cases of three variables, 1 = present.
COOPER_HERSKOVITS = dw.Table(
    {
        "x1": [1, 1, 0, 1, 0, 0, 1, 0, 1, 0],
        "x2": [0, 1, 0, 1, 0, 1, 1, 0, 1, 0],
        "x3": [0, 1, 1, 1, 0, 1, 1, 0, 1, 0],
    }
)


def test_cooper_and_herskovits():
    """P(D | B_S1) = 2.23e-9 and P(D | B_S2) = 2.23e-10; B_S1 is ten times as probable."""
    first = dw.Dag([("x1", "x2"), ("x2", "x3")])
    second = dw.Dag([("x1", "x2"), ("x1", "x3")])
    of_first = dw.score(first, COOPER_HERSKOVITS, score=dw.K2())
    of_second = dw.score(second, COOPER_HERSKOVITS, score=dw.K2())
    assert np.exp(of_first) == pytest.approx(2.23e-9, rel=2e-3)
    assert np.exp(of_second) == pytest.approx(2.23e-10, rel=2e-3)
    assert of_first - of_second == pytest.approx(log(10))


def marginal_likelihood(ones, zeros):
    """Of a sequence of zeros and ones under a uniform prior, as a fraction."""
    return Fraction(factorial(ones) * factorial(zeros), factorial(ones + zeros + 1))


def test_k2_in_exact_fractions():
    exact = marginal_likelihood(5, 5)  # x1
    exact *= marginal_likelihood(4, 1) * marginal_likelihood(1, 4)  # x2 given x1
    exact *= marginal_likelihood(5, 0) * marginal_likelihood(1, 4)  # x3 given x2
    dag = dw.Dag([("x1", "x2"), ("x2", "x3")])
    score = dw.score(dag, COOPER_HERSKOVITS, score=dw.K2())
    assert score == pytest.approx(log(exact.numerator) - log(exact.denominator), rel=1e-12)


def test_bdeu_of_one_variable_is_polya():
    """ess 2 on two states is the uniform prior: N + 1 times C(N, n) in the denominator."""
    table = dw.Table({"x": [0] * 7 + [1] * 3})
    assert dw.Scorer(table, dw.BDeu(2)).local("x") == pytest.approx(-log(11 * comb(10, 3)))


def test_bic_by_hand():
    """Four rows, a = b: LL is that of one fair coin, and three parameters cost ln 4 / 2 each."""
    table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
    score = dw.score(dw.Dag([("a", "b")]), table, score=dw.BIC())
    assert score == pytest.approx(4 * log(1 / 2) - 3 * log(4) / 2)
