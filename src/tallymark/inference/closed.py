"""Intervals with a formula: proportions, F1 and Jaccard, ratios on the log scale."""

from __future__ import annotations

import math

from tallymark.intervals import bounds, z_quantile
from tallymark.tallies import Binary


def wilson(successes: float, n: float, level: float) -> tuple[float, float]:
    """Wilson score interval of a proportion."""
    return bounds(successes, n, "wilson", level)


def jaccard(tally: Binary, level: float) -> tuple[float, float]:
    """Wilson on tp of tp + fp + fn: given the rows that matter, hits are a proportion."""
    return bounds(tally.tp, tally.tp + tally.fp + tally.fn, "wilson", level)


def f1(tally: Binary, level: float) -> tuple[float, float]:
    """Jaccard's interval carried over by F = 2J / (1 + J), which only goes up with J."""
    low, high = jaccard(tally, level)
    return 2 * low / (1 + low), 2 * high / (1 + high)


_MOST_LOG = 300.0


def log_scale(name: str, tally: Binary, level: float) -> tuple[float, float] | str:
    """exp(log ratio +- z * se), with 0.5 added to every cell when one of them is empty (Haldane 1956)."""
    cells = (tally.tp, tally.fn, tally.fp, tally.tn)
    tp, fn, fp, tn = (cell + 0.5 for cell in cells) if 0 in cells else cells
    positives, negatives = tp + fn, fp + tn
    if name == "lr_plus":
        centre, variance = _rates(tp, positives, fp, negatives)
    elif name == "lr_minus":
        centre, variance = _rates(fn, positives, tn, negatives)
    else:
        centre, variance = tp * tn / (fp * fn), 1 / tp + 1 / fn + 1 / fp + 1 / tn
    half = z_quantile(level) * math.sqrt(variance)
    if half > _MOST_LOG:
        return "a cell weighs next to nothing, so the ratio could be anything"
    return centre * math.exp(-half), centre * math.exp(half)


def _rates(top: float, top_of: float, bottom: float, bottom_of: float) -> tuple[float, float]:
    """A ratio of two independent proportions and the variance of its logarithm."""
    variance = 1 / top - 1 / top_of + 1 / bottom - 1 / bottom_of
    return (top / top_of) / (bottom / bottom_of), variance
