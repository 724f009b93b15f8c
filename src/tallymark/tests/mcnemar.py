"""McNemar's test: are two models right equally often on the same rows?

McNemar (1947), Psychometrika 12:153-157; the mid-p version: Fagerland, Lydersen and Laake (2013), BMC Medical
Research Methodology 13:91.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, get_args

from tallymark.errors import OptionError, precise
from tallymark.intervals import binomial, checked_level, z_quantile
from tallymark.intervals.paired_differences import checked_count, tango
from tallymark.intervals.tails import checked_method, normal_tail
from tallymark.tests.outcome import Alternative, Outcome, checked_alternative

McNemarMethod = Literal["corrected", "uncorrected", "exact", "mid_p"]
MCNEMAR_METHODS: tuple[McNemarMethod, ...] = get_args(McNemarMethod)
_NAMES = {"corrected": "corrected", "uncorrected": "uncorrected", "exact": "exact", "mid_p": "mid-p"}
_NEVER = "the models never disagree about a row"


def mcnemar(
    n01: float,
    n10: float,
    method: McNemarMethod = "corrected",
    *,
    n00: float | None = None,
    n11: float | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Outcome:
    """McNemar's test from the rows that only the first model has right (n01) or only the second (n10).

    `corrected` and `uncorrected` take (|n01 - n10| - 1)^2 / (n01 + n10), or the same without the 1, as
    chi-squared with 1 degree of freedom; `exact` and `mid_p` are binomial, and their statistic is the smaller
    count. With n00 (right by neither) and n11 (right by both) there is the difference of the accuracies too,
    with Tango's interval.

    >>> test = mcnemar(5, 15)
    >>> round(test.statistic, 2), round(test.p_value, 4)
    (4.05, 0.0442)
    """
    checked_method(method, MCNEMAR_METHODS, "corrected")
    alternative, level = checked_alternative(alternative), checked_level(confidence_level)
    first, second = checked_count("n01", n01), checked_count("n10", n10)
    counts = _counts(first, second, n00, n11)
    if method in ("exact", "mid_p"):
        outcome = _binomial(first, second, method, alternative, counts)
    else:
        outcome = _chi_squared(first, second, method, alternative, level, counts)
    return _with_difference(outcome, level) if "n00" in counts else outcome


def methods_of(
    n01: float,
    n10: float,
    *,
    n00: float | None = None,
    n11: float | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> tuple[Outcome, ...]:
    """The test by all four methods."""
    return tuple(
        mcnemar(
            n01, n10, method, n00=n00, n11=n11, alternative=alternative, confidence_level=confidence_level
        )
        for method in MCNEMAR_METHODS
    )


def _counts(n01: float, n10: float, n00: float | None, n11: float | None) -> dict[str, float]:
    if n00 is None and n11 is None:
        return {"n01": n01, "n10": n10}
    if n00 is None or n11 is None:
        absent, given = ("n00", "n11") if n00 is None else ("n11", "n00")
        raise OptionError(f"{given} is given without {absent}.", hint="give both, or neither.")
    return {"n00": checked_count("n00", n00), "n01": n01, "n10": n10, "n11": checked_count("n11", n11)}


def _chi_squared(
    n01: float, n10: float, method: str, alternative: Alternative, level: float, counts: dict[str, float]
) -> Outcome:
    correction = 1.0 if method == "corrected" else 0.0
    disagreements = n01 + n10
    gap = max(abs(n01 - n10) - correction, 0.0)
    root = math.sqrt(disagreements)
    if not disagreements:
        p_value, note = 1.0, _NEVER
    else:
        p_value = _tail(n01 - n10, gap, correction, root, alternative)
        note = f"the critical value at a confidence level of {level:g} is {z_quantile(level) ** 2:.4g}"
    return Outcome(
        f"McNemar, {_NAMES[method]}",
        gap * gap / disagreements if disagreements else 0.0,
        p_value,
        df=1,
        alternative=alternative,
        counts=counts,
        note=note if alternative == "two-sided" or not disagreements else None,
    )


def _tail(difference: float, gap: float, correction: float, root: float, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return normal_tail(gap / root, alternative)
    # Corrected against the alternative, not towards 0: P(n01 or more) holds n01 itself on either side.
    against = correction if alternative == "greater" else -correction
    return normal_tail((difference - against) / root, alternative)


def _binomial(
    n01: float, n10: float, method: str, alternative: Alternative, counts: dict[str, float]
) -> Outcome:
    name = f"McNemar, {_NAMES[method]}"
    for count in (n01, n10):
        if count != round(count):
            why = (
                f"a binomial count is a whole number of rows, not {precise(count, round(count))}; the"
                "corrected test takes weights"
            )
            return Outcome(name, None, None, alternative=alternative, counts=counts, why=why)
    if n01 + n10 == 0:
        return Outcome(name, 0.0, 1.0, alternative=alternative, counts=counts, note=_NEVER)
    p_value = _binomial_tail(n01, n10, method == "mid_p", alternative)
    return Outcome(name, float(min(n01, n10)), p_value, alternative=alternative, counts=counts)


def _binomial_tail(n01: float, n10: float, mid: bool, alternative: Alternative) -> float:
    """Probability of rows divided at least as unevenly, when either model is as likely to be right."""
    coin = binomial(n01 + n10, 0.5)
    at = coin.pmf(n01) if mid else 0.0
    if alternative != "two-sided":
        return coin.cdf(n10 if alternative == "greater" else n01) - at / 2
    if n01 == n10:
        # Both tails hold the middle, whose half is left out once.
        return 1 - at / 2
    return min(2 * coin.cdf(min(n01, n10)) - at, 1.0)


def _with_difference(outcome: Outcome, level: float) -> Outcome:
    n01, n10, n = outcome.counts["n01"], outcome.counts["n10"], sum(outcome.counts.values())
    if n == 0:
        return outcome
    low, high = tango(n01, n10, n, level)
    return replace(outcome, value=(n01 - n10) / n, low=low, high=high, level=level)
