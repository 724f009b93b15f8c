"""The counts at every threshold of a ranking in a few thousand letters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.roc.hull import upper_hull
from tallymark.curves.shared import cut_at, within_bin
from tallymark.evaluation.live.decimals import shortest, with_few_figures
from tallymark.tallies import Scores

Places = NDArray[np.intp]

_UNITS = (1, 0.5, 0.25, 0.1, 0.01, 0.001)
_LEVELS, _SQUARE_LEVELS = 2**31, 2**20
"""In how many steps sums of any other weights are written, and of their squares, for intervals alone."""
_EXACT = 2**53
_DUST = 1e-12
"""Of a sum: what adding up many numbers may add."""
_AS_GIVEN = 6
"""Decimals of a threshold that is shown as it was given."""
_NEAR = 0.25
"""How far, in steps, a threshold may be from its place, to be shorter."""


class Most(NamedTuple):
    """How many thresholds a curve may have."""

    all: int
    """Up to so many different scores each has its own."""
    chosen: int
    """Else so many, and the vertices of the hull."""
    both_hulls: bool = True
    """Whether also those that are best where being wrong is cheaper than being right."""

    @property
    def fewer(self) -> Most:
        """Where every number is long, because rows have odd weights."""
        return self._replace(all=self.all // 4, chosen=self.chosen // 3)


BINARY = Most(4096, 896)


def of_classes(size: int) -> Most:
    """So many for each class that all together have about as many as a single one may have."""
    most = min(max(BINARY.all // size, 32), 256)
    return Most(2 * most, most, both_hulls=False)


NOTHING: dict[str, Any] = {
    "digits": 0, "steps": [], "positives": [], "negatives": [], "unit": 1, "square_unit": 1,
    "exact": True, "at": -1, "until": None, "scores": 0,
}  # fmt: skip
"""Of a model without scores."""


def curve(scores: Scores, threshold: float | None, most: Most = BINARY) -> dict[str, Any]:
    """The thresholds from the highest down, and how many rows of either class lie between each and the last.

    Rows with `score >= t` are counted exactly, at every t that is written. At the place of `threshold`, which
    is `at`, t is the threshold itself, if that is as short, and any up to `until` takes the same rows.
    """
    called = None if threshold is None or within_bin(scores, threshold) else int(scores.called(threshold))
    unit = _unit((scores.tp, scores.fp), _LEVELS)
    places = _places(scores, most if unit in _UNITS else most.fewer, called)
    at = -1 if called is None else int(np.searchsorted(places, called)) + 1 if called else 0
    positives, negatives = _in_units((scores.tp[places], scores.fp[places]), unit)
    squares: dict[str, Any] = {"square_unit": 1}
    if scores.squares is not None:
        sums = [np.cumsum(each)[places - 1] for each in scores.squares]
        square_unit = _unit(sums, _SQUARE_LEVELS)
        squares = {"square_unit": square_unit, "squares": _in_units(sums, square_unit)}
    return {
        **_thresholds(scores, places, _given(scores, threshold, at)),
        "positives": positives,
        "negatives": negatives,
        "unit": unit,
        **squares,
        "exact": scores.exact and len(places) == len(scores.score),
        "at": at,
        "until": float(scores.score[places[at - 1] - 1]) if at > 0 else None,
        "scores": len(scores.score),
    }


def _places(scores: Scores, most: Most, at: int | None) -> Places:
    """Which thresholds are written, of those behind the first, at which nothing is called positive.

    The cheapest threshold is a vertex of the hull for any costs, and so is that with the best F1.
    """
    size = len(scores.score)
    if size <= most.all:
        return np.arange(1, size + 1)
    always = [size] if at is None else [size, at]
    chosen = [_evenly(scores, most.chosen), upper_hull(scores.fp, scores.tp), np.array(always)]
    if most.both_hulls:
        # The lower hull is the upper one of the curve turned round by half a turn.
        turned = upper_hull(scores.fp[-1] - scores.fp[::-1], scores.tp[-1] - scores.tp[::-1])
        chosen.append(size - turned)
    places = np.unique(np.concatenate(chosen))
    return np.asarray(places[places > 0])


def _evenly(scores: Scores, most: int) -> Places:
    """Places between which about as much of both classes lies, where thresholds have few decimals."""
    passed = sum(side / side[-1] for side in (scores.tp, scores.fp) if side[-1])
    steps = np.arange(1, most) * (passed[-1] / most)
    around = steps[0] * _NEAR
    above, places, below = (np.searchsorted(passed, steps + by) for by in (-around, 0, around))
    last = len(scores.score) - 1
    found = shortest(scores.score[np.minimum(below, last)], scores.score[np.maximum(above - 1, 0)])
    if found is None:
        return np.asarray(places)
    whole, digits = found
    return np.asarray(scores.called(whole / 10.0**digits))


def _thresholds(scores: Scores, places: Places, given: Mapping[int, float]) -> dict[str, Any]:
    """As steps between whole numbers of a decimal place, or where that takes too many figures one by one."""
    high = scores.score[places - 1]
    if scores.edges is not None:
        low = np.nextafter(high, -np.inf)
    else:
        lower = np.append(scores.score if scores.reach is None else scores.reach, _below(scores.score))
        low = lower[places]
    found = shortest(low, high)
    if found is None:
        short = [with_few_figures(*pair) for pair in zip(low.tolist(), high.tolist(), strict=True)]
        return {"thresholds": [given.get(place, each) for place, each in enumerate(short)]}
    whole, digits = found
    for place, threshold in given.items():
        own = next((own for own in range(_AS_GIVEN + 1) if round(threshold, own) == threshold), 0)
        times = 10 ** max(own - digits, 0)
        if int(np.abs(whole).max()) * times < _EXACT:
            whole, digits = whole * times, max(digits, own)
        as_given = round(threshold * 10.0**digits)
        if as_given / 10.0**digits == threshold:
            whole[place] = as_given
    return {"digits": digits, "steps": [*whole[:1].tolist(), *(-np.diff(whole)).tolist()]}


def _below(score: NDArray[np.float64]) -> float:
    """As far under the lowest score as that is under the next, so that its threshold is not far away."""
    lowest = float(score[-1])
    return lowest - (float(score[-2]) - lowest) if len(score) > 1 else -math.inf


def _given(scores: Scores, threshold: float | None, at: int) -> dict[int, float]:
    """The place of the threshold among those that are written, if it is there, spelled as on the page."""
    if threshold is None or at <= 0 or not math.isfinite(threshold):
        return {}
    return {at - 1: float(cut_at(scores, threshold))}


def _in_units(sums: Sequence[NDArray[Any]], unit: float) -> list[list[int]]:
    """What is added to each sum from threshold to threshold, in whole numbers of a unit."""
    return [np.diff(np.rint(each / unit).astype(np.int64), prepend=0).tolist() for each in sums]


def _unit(sums: Sequence[NDArray[Any]], levels: int) -> float:
    """The largest that all sums are whole numbers of, of those with few decimals, or else a small part."""
    if all(each.dtype.kind == "i" for each in sums):
        return 1
    total = float(sum(each[-1] for each in sums))
    for unit in _UNITS:
        if total / unit < _EXACT and all(_whole(each / unit) for each in sums):
            return unit
    return total / levels


def _whole(sums: NDArray[Any]) -> bool:
    near = np.rint(sums)
    return bool((np.abs(sums - near) <= _DUST * near[-1]).all())
