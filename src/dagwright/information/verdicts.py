"""Why the three tests of independence may differ, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagwright.information.independence import Independence

__all__ = ["SIGNIFICANT", "why_they_differ"]

SIGNIFICANT = 0.05


def why_they_differ(test: Independence) -> str:
    """Return a few sentences; none if the tests agree."""
    verdicts = test.verdicts
    sentences = []
    if verdicts["p-value"] != verdicts["BIC"]:
        sentences += _thresholds(test)
    if verdicts["Bayes"] != verdicts["BIC"]:
        sentences.append(_terms_without_rows(test))
    by_permutation = test.permutation_p_value
    if by_permutation is not None and (by_permutation < SIGNIFICANT) != (
        test.p_value < SIGNIFICANT
    ):
        sentences.append(
            "Permuted rows do not follow the chi-square distribution here, as with few rows a "
            "cell: the p-value by permutation is the one to trust."
        )
    return " ".join(sentences)


def _thresholds(test: Independence) -> list[str]:
    """Say from which information on the p-value and BIC see dependence."""
    declared, testable = test.degrees_of_freedom, test.testable_degrees_of_freedom
    if testable == 0:
        return ["The rows can test nothing: in every stratum x or y has one state only."]
    from scipy.special import chdtri

    smallest = float(chdtri(testable, SIGNIFICANT)) / (2 * test.n_rows)
    sentences = [
        f"With {test.n_rows:,g} rows a p-value below {SIGNIFICANT} takes more than {smallest:.3g} "
        f"nats of information, BIC {test.bic_threshold:.3g}; there are "
        f"{test.mutual_information:.3g}."
    ]
    if testable < declared:
        empty = test.n_strata - test.n_observed_strata
        strata = f" ({empty:,} of {test.n_strata:,} strata are empty)" if empty else ""
        sentences.append(
            f"BIC pays for all {declared:,} parameters of the edge, of which the rows can test "
            f"{testable:,}{strata}."
        )
    elif smallest < test.bic_threshold:
        sentences.append(
            "BIC asks for more, because it weighs whether the edge is worth its parameters, and "
            "their price grows with ln N."
        )
    else:
        sentences.append(
            "BIC asks for less: with so few rows a parameter costs it ln N / 2, which the rule of "
            f"p < {SIGNIFICANT} exceeds."
        )
    return sentences


def _terms_without_rows(test: Independence) -> str:
    """Say by how much the Bayes factor and BIC differ, and in what."""
    difference = f"{test.log_bayes_factor - test.bic_gain:+.3g} nats"
    if test.testable_degrees_of_freedom < test.degrees_of_freedom:
        return (
            "The Bayes factor, unlike BIC, is charged nothing for what no row meets: with the "
            f"prior of ess={test.ess:g} it is {difference} from BIC's gain."
        )
    return (
        "BIC is the log Bayes factor up to terms that do not grow with the rows; with the prior "
        f"of ess={test.ess:g} they are {difference} here."
    )
