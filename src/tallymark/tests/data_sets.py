"""Tests of two models over many data sets: Wilcoxon's signed ranks and the sign test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import level_text
from tallymark.errors import OptionError
from tallymark.intervals import checked_level, z_quantile
from tallymark.tests.outcome import Alternative, Outcome, checked_alternative
from tallymark.tests.scores import Floats, checked_choice, differences

Zeros = Literal["drop", "split", "pratt"]
WilcoxonMethod = Literal["auto", "exact", "approx"]
Correction = Literal["none", "continuity"]

# Up to here the null distribution is counted out unless asked otherwise. From there on the normal one is off
# by 0.0003 at most for p-values from 0.04 to 0.06, and by 0.006 anywhere.
_EXACT = 50
_EXACT_ASKED = 1000
# The estimate needs all means of two differences.
_PAIRS = 5000


def wilcoxon(
    a: Any,
    b: Any,
    *,
    zeros: Zeros = "drop",
    method: WilcoxonMethod = "auto",
    correction: Correction = "none",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Outcome:
    """Wilcoxon's signed-rank test of a - b over data sets.

    The differences are ranked by size; W+ and W- are the sums of ranks of the positive and the negative ones.
    The statistic is the smaller of the two, and W+ for a one-sided alternative. Differences of 0 are dropped,
    or ranked and then dropped ("pratt"), or ranked and their ranks halved between both sums ("split").
    "exact" counts all signs of the differences that are not 0, tied ranks included; "auto" does so for up to
    50 of them. "approx" is normal, with the correction for ties.

    `value` is the Hodges-Lehmann estimate: the median of the means of every two differences, zeros included;
    its interval is made of the same means and the exact distribution without ties.

    >>> wilcoxon([0.9, 0.8, 0.7, 0.9, 0.6], [0.8, 0.6, 0.4, 0.5, 0.1]).p_value
    0.0625

    References: Wilcoxon 1945; Pratt 1959; Hollander, Wolfe and Chicken 2014, chapter 3.
    """
    checked_choice("zeros", zeros, Zeros)
    checked_choice("method", method, WilcoxonMethod)
    checked_choice("correction", correction, Correction)
    alternative, level = checked_alternative(alternative), checked_level(confidence_level)
    _, _, d = differences(a, b, "data set")
    kept = d[d != 0] if zeros == "drop" else d
    ranks = average_ranks(np.abs(kept))
    halved = float(ranks[kept == 0].sum()) / 2 if zeros == "split" else 0.0
    plus, minus = float(ranks[kept > 0].sum()) + halved, float(ranks[kept < 0].sum()) + halved
    signed = ranks[kept != 0]
    exact = _is_exact(method, len(signed))
    if not len(signed):
        p = 1.0
    elif exact:
        p = _exact_p(plus - halved, signed, alternative)
    else:
        # Halved ranks count as if they could still fall on either side.
        p = _normal_p(plus, ranks if zeros == "split" else signed, correction, alternative)
    value, low, high, note = _hodges_lehmann(d, level)
    dropped = len(d) - len(kept)
    if dropped and low is not None:
        were = "difference of 0 was" if dropped == 1 else "differences of 0 were"
        note = f"{dropped:,} {were} dropped from the test; the estimate and its interval keep them"
    return Outcome(
        method=f"Wilcoxon signed-rank, {'exact' if exact else 'normal approximation'}",
        statistic=min(plus, minus) if alternative == "two-sided" else plus,
        p_value=p,
        alternative=alternative,
        assumption="independent data sets, differences spread alike on both sides of their median",
        counts={"data_sets": len(d), "n": len(signed), "zeros": int((d == 0).sum()), "w_plus": plus,
                "w_minus": minus},
        value=value,
        low=low,
        high=high,
        level=level,
        note=note,
    )  # fmt: skip


def sign(
    a: Any, b: Any, *, alternative: Alternative = "two-sided", confidence_level: float = 0.95
) -> Outcome:
    """The sign test: on how many data sets a is above b, against a fair coin.

    Equal scores are dropped and counted. `value` is the median difference, with the interval of two ordered
    differences that the binomial distribution gives.

    >>> sign([3, 4, 5, 6, 7, 1], [1, 1, 1, 1, 1, 1]).p_value
    0.0625
    """
    alternative, level = checked_alternative(alternative), checked_level(confidence_level)
    _, _, d = differences(a, b, "data set")
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    below, above = _coin(wins, wins + losses), _coin(losses, wins + losses)
    p = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(below, above))}[alternative]
    ordered = np.sort(d)
    at = _last(lambda each: _coin(each - 1, len(d)) <= (1 - level) / 2, len(d) // 2)
    low, high, note = _ends(ordered, at, level, len(d))
    return Outcome(
        method="sign test",
        statistic=float(wins),
        p_value=p,
        alternative=alternative,
        assumption="independent data sets",
        counts={"data_sets": len(d), "wins": wins, "losses": losses, "ties": len(d) - wins - losses},
        value=float(np.median(d)),
        low=low,
        high=high,
        level=level,
        note=note,
    )


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1 for the smallest; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], np.float64)


def _is_exact(method: WilcoxonMethod, n: int) -> bool:
    if method == "exact" and n > _EXACT_ASKED:
        raise OptionError(
            f"the exact distribution is counted for up to {_EXACT_ASKED:,} differences; got {n:,}.",
            hint='method="approx" is as good with so many.',
        )
    return method == "exact" or (method == "auto" and n <= _EXACT)


def _null(doubled: NDArray[np.int64]) -> Floats:
    """Chance of every sum of doubled ranks when each rank counts or not by a fair coin."""
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0], top = 1.0, 0
    for rank in doubled.tolist():
        chances[rank : top + rank + 1] += chances[: top + 1].copy()
        top += rank
        chances[: top + 1] /= 2
    return chances


def _exact_p(plus: float, ranks: Floats, alternative: Alternative) -> float:
    chances = _null(np.rint(2 * ranks).astype(np.int64))
    at = round(2 * plus)
    below, above = float(chances[: at + 1].sum()), float(chances[at:].sum())
    p = {"greater": above, "less": below, "two-sided": 2 * min(below, above)}[alternative]
    return min(1.0, p)


def _normal_p(plus: float, ranks: Floats, correction: Correction, alternative: Alternative) -> float:
    from scipy.special import ndtr

    # Mean and variance of a sum of ranks with random signs; ties are in the ranks already.
    off = plus - float(ranks.sum()) / 2
    if correction == "continuity":
        off -= 0.5 * {"greater": 1.0, "less": -1.0, "two-sided": float(np.sign(off))}[alternative]
    z = off / math.sqrt(float(ranks @ ranks) / 4)
    return float({"greater": ndtr(-z), "less": ndtr(z), "two-sided": 2 * ndtr(-abs(z))}[alternative])


def _hodges_lehmann(d: Floats, level: float) -> tuple[float | None, float | None, float | None, str | None]:
    n = len(d)
    if n > _PAIRS:
        return None, None, None, f"no estimate: it takes all means of two of the {n:,} differences"
    first, second = np.triu_indices(n)
    means = np.sort((d[first] + d[second]) / 2)
    if n <= _EXACT:
        chances = np.cumsum(_null(np.arange(1, n + 1)))
        at = _last(lambda each: bool(chances[each - 1] <= (1 - level) / 2), len(means) // 2)
    else:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        at = max(0, math.floor(n * (n + 1) / 4 - z_quantile(level) * spread))
    low, high, note = _ends(means, at, level, n)
    return float(np.median(means)), low, high, note


def _last(holds: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` that holds, when all below it do; 0 when none."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _ends(ordered: Floats, at: int, level: float, n: int) -> tuple[float | None, float | None, str | None]:
    """The `at`-th value from below and from above."""
    if not at:
        sets = "1 data set is" if n == 1 else f"{n} data sets are"
        return None, None, f"no interval: {sets} too few for {level_text(level)}"
    return float(ordered[at - 1]), float(ordered[-at]), None


def _coin(heads: int, tosses: int) -> float:
    """Chance of at most so many heads."""
    from scipy.special import bdtr

    return 1.0 if heads >= tosses else float(bdtr(heads, tosses, 0.5)) if heads >= 0 else 0.0
