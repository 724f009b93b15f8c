"""How far influences, and with them a standard error, can be off when only bins of the scores were counted.

The influences of all rows are a vector, and a standard error is its length. The exact vector differs from
that of the bins, row by row, by no more than the orders within bins allow, so their lengths differ by no more
than the length of these differences: the triangle inequality.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.influence import Influences, Spread
from tallymark.metrics.rounding import rounding
from tallymark.metrics.scores import part_of
from tallymark.tallies import Scores

Floats = NDArray[np.float64]
Bounds = tuple[float, float]
_OUTWARD = 1 + 1e-9
_DUST = 1e-12


class Apart(NamedTuple):
    """How far the influence of a row at each place can be from that of its bin."""

    of_positive: Floats
    of_negative: Floats


class SpreadBounds(NamedTuple):
    """What a spread can be for the exact scores."""

    se: Bounds
    carriers: float
    """At least so many; with weights, which a bin does not know one by one, about so many."""


def spread_bounds(t: Scores, spread: Spread, influences: Influences, apart: Apart) -> SpreadBounds:
    """From the spread of the bins; carriers are a ratio of sums of second and of fourth powers."""
    if math.isnan(spread.variance):
        return SpreadBounds((math.nan, math.nan), math.nan)
    own = [np.concatenate([each[side] for each in influences()]) for side in (1, 2)]
    factors = [n / (n - 1) for n in t.effective]
    (second, fourth), (off, off_fourth) = (_powers(t, sides, (1.0, 1.0)) for sides in (own, list(apart)))
    by = math.sqrt(_powers(t, list(apart), (factors[0], factors[1]))[0]) * _OUTWARD
    by += rounding(t.rows, fractions=t.squares is not None)
    se = math.sqrt(spread.variance)
    least, most = math.sqrt(second) - math.sqrt(off), fourth**0.25 + off_fourth**0.25
    return SpreadBounds((max(0.0, se - by), se + by), max(0.0, least / most) ** 4 if most else 0.0)


def _powers(t: Scores, sides: list[Floats], factors: Bounds) -> Bounds:
    """Sums over the rows of second and of fourth powers, as the spread of rows is made."""
    counts = t.positives, t.negatives
    second = fourth = 0.0
    for side, squares, count, factor in zip(sides, t.squares or counts, counts, factors, strict=True):
        shares, alike = squares * np.square(side), np.square(count.astype(float))
        second += factor * float(shares.sum())
        fourth += float((np.square(shares) * part_of(squares, alike)).sum())
    return second, fourth


def apart_auc(t: Scores) -> Apart:
    """Within a bin a row may beat all rows of the other class or none; by the bin's count it beats half."""
    up, down = (
        np.where(t.loose, others / (2 * n), 0.0)
        for others, n in ((t.negatives, t.n_negative), (t.positives, t.n_positive))
    )
    sides = (up, t.positives, t.n_positive), (down, t.negatives, t.n_negative)
    # Less its mean a vector is no longer than before, unless rows differ in weight.
    means = [0.0 if t.squares is None else float((counts * off).sum()) / n for off, counts, n in sides]
    return Apart((up + means[0]) / t.n_positive, (down + means[1]) / t.n_negative)


def apart_partial(t: Scores, fpr: float, share: float, shares: Bounds) -> Apart:
    """Of the area up to a limit, as a share of the limit, that lies between `shares`.

    A positive counts from where its bin begins or ends; a negative is above the limit or not, at a height
    within its bin; and so is the limit itself.
    """
    loose, negatives = t.loose, t.n_negative
    start, end = t.fp[:-1] / negatives, t.fp[1:] / negatives
    before, after = t.tp[:-1] / t.n_positive, t.tp[1:] / t.n_positive
    width = end - start
    along = np.clip((fpr - start) / np.where(width > 0, width, 1.0), 0.0, 1.0)
    at = min(int(np.searchsorted(t.fp[1:], fpr * negatives)), len(start) - 1)
    height = before[at] + (along[at] if width[at] > 0 else 1.0) * (after[at] - before[at])
    lower, upper = (before[at], after[at]) if loose[at] else (height, height)
    off = max(share - shares[0], shares[1] - share)
    first, last = (np.clip(fpr - side, 0.0, None) / fpr for side in (start, end))
    mean = before + (after - before) * along / 2
    own = along * (mean - height)
    least, most = (np.where(loose, side, mean) for side in (before, after))
    cut = loose & (start < fpr + _DUST) & (end > fpr - _DUST)
    low = np.where(cut, np.minimum(0.0, least - upper), along * (least - upper))
    high = np.where(cut, np.maximum(0.0, most - lower), along * (most - lower))
    shift = off + max(height - lower, upper - height)
    return Apart(
        (np.where(loose, first - last, 0.0) + off) / t.n_positive,
        (np.maximum(own - low, high - own) / fpr + shift) / negatives,
    )


def apart_average_precision(t: Scores, value: float, bounds: Bounds) -> Apart:
    """Of whole rows. A row counts in its own precision, if it is positive, and in those at or below it.

    The k-th positive of a bin is called with at least k rows more than stand above the bin.
    """
    loose, positives = t.loose, t.positives.astype(float)
    tp_before, tp, fp_before, fp = (side.astype(float) for side in (t.tp[:-1], t.tp[1:], t.fp[:-1], t.fp[1:]))
    called, above = tp + fp, tp_before + fp_before
    own = part_of(tp, called)
    best = np.where(loose, part_of(tp, tp + fp_before), own)
    worst = np.where(loose, (tp_before + 1) / (tp_before + 1 + fp), own)
    # Over the positives of a bin: at most the sum of 1 / called, and of the negatives called / called**2.
    most = np.where(loose, np.log1p(positives / (above + 0.5)), part_of(positives, called))
    gain = part_of(positives, called) * (1 - own)
    least_gain = np.where(loose, positives * part_of(fp_before, called**2), gain)
    squares = fp * positives / ((above + 0.5) * (above + positives + 0.5))
    most_gain = np.where(loose, np.minimum(most, squares), gain)
    cost = part_of(positives, called) * own
    least_cost = np.where(loose, part_of(positives, called) * worst, cost)
    most_cost = np.where(loose, most * best, cost)
    off = max(value - bounds[0], bounds[1] - value)
    up, down = own + _from_here(gain), _from_here(cost)
    # Of its own bin any part may be at or below a row.
    low = worst + _from_here(least_gain) - np.where(loose, least_gain, 0.0)
    high = best + _from_here(most_gain)
    lower = _from_here(least_cost) - np.where(loose, least_cost, 0.0)
    return Apart(
        (np.maximum(up - low, high - up) + off) / t.n_positive,
        np.maximum(down - lower, _from_here(most_cost) - down) / t.n_positive,
    )


def _from_here(amounts: Floats) -> Floats:
    """Of every place and all below it, added up."""
    return np.asarray(np.cumsum(amounts[::-1])[::-1])
