"""A metric against the threshold, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing.figure import Line, Mark, Points
from tallymark.tallies import Scores

if TYPE_CHECKING:
    from tallymark.curves.threshold_curve import ThresholdCurve


def ends(scores: Scores) -> tuple[float, float]:
    """The axis of thresholds: 0 to 1 where all scores are in it, else a little beyond the scores."""
    if not len(scores.score) or (scores.score[-1] >= 0 and scores.highest <= 1):
        return 0.0, 1.0
    low, high = float(scores.score[-1]), scores.highest
    margin = 0.02 * (high - low) or max(1.0, abs(high)) * 0.02
    return low - margin, high + margin


def heights(curves: Sequence[ThresholdCurve]) -> tuple[float, float]:
    """From 0, or from -1 where a value is below 0, to 1, or a little beyond the highest."""
    values = np.concatenate([curve.value for curve in curves])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    return (0.0 if low >= 0 else -1.0 if low >= -1 else low), (1.0 if high <= 1 else 1.05 * high)


def marks_of(curve: ThresholdCurve, series: int, low: float, high: float, model: str) -> Iterator[Mark]:
    """Steps, because a value holds from a score down to the next; of bins only the edges are known."""
    scores, value = curve.scores, curve.value
    if scores.exact:
        x, y = np.concatenate([[high], scores.score, [low]]), np.append(value, value[-1])
    else:
        x, y = scores.score, value[1:]
    best = curve.best
    label = model or curve.metric
    if best is not None:
        label = f"{label}: {curve.briefly}"
    yield Line(x, y, label, series, stepped=scores.exact, name=model)
    if best is not None:
        at = np.array([min(best.threshold, high)])
        yield Points(at, np.array([best.value]), series=series, hollow=True)
