"""Thresholds that are equally good: the whole interval, not one of them by chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import cut_at, finite, spelled, spelled_up
from tallymark.tallies import Scores


@dataclass(frozen=True)
class Best:
    """Where something is best: every t with `low < t <= high` is equally good, and `threshold` is `high`."""

    threshold: float
    """Infinite when it is best to call nothing positive."""
    value: float
    low: float | None
    """None when only bins were counted: between their edges nothing is known."""
    high: float
    others: int
    """How many other intervals of thresholds, all lower, are equally good."""


def best_of(scores: Scores, good: NDArray[np.intp], value: float) -> Best:
    """From the places of all equally good thresholds: the highest, and the interval it is the end of."""
    ends = np.flatnonzero(np.diff(good) > 1)
    last = int(good[ends[0]] if len(ends) else good[-1])
    low = below(scores, last) if scores.exact else None
    high = threshold_at(scores, int(good[0]))
    return Best(high, value, low, high, len(ends))


def threshold_at(scores: Scores, place: int) -> float:
    """One of the cuts, without making the whole list of them."""
    return float(scores.score[place - 1]) if place else math.inf


def below(scores: Scores, place: int) -> float:
    """The next lower cut, which does not answer alike any more; minus infinity after the last."""
    return float(scores.score[place]) if place < len(scores.score) else -math.inf


def said(scores: Scores, best: Best) -> str:
    """The best threshold in a sentence."""
    if math.isinf(best.threshold):
        return "a threshold above every score"
    return f"a threshold of {cut_at(scores, best.threshold)}"


def alike(best: Best, same: str) -> str:
    """The whole interval in a sentence; `same` says in what all of it is alike, such as `costs the same`."""
    if best.low is None:
        return ""
    if math.isinf(best.low):
        return f"Every {'' if math.isinf(best.high) else 'lower '}threshold {same}."
    if math.isinf(best.high):
        return f"Every threshold above {spelled_up(best.low, math.inf)} {same}."
    low = spelled_up(best.low, best.high)
    return f"Every threshold above {low} and up to {spelled(best.high, float(low))} {same}."


def others(best: Best, good: str) -> str:
    """That there are more such intervals; `good` is the word, such as `cheap`."""
    if not best.others:
        return ""
    more = "1 other interval is" if best.others == 1 else f"{best.others:,} other intervals are"
    return f"{more} as {good}; this one calls the fewest rows positive."


def best_dict(best: Best) -> dict[str, Any]:
    """For JSON."""
    ends = {name: finite(getattr(best, name)) for name in ("threshold", "value", "low", "high")}
    return ends | {"others": best.others}
