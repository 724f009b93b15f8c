"""What candidates score over the one parameter they differ by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points
from tallymark.validation.tuning.figures import shape
from tallymark.validation.tuning.outputs.names import said

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning

_TRAINING, _KEPT, _BEST, _GIVEN_UP = range(1, 5)


def curve(tuning: Tuning, parameter: str) -> Figure:
    """The mean with its deviation, the training score, the winner, and what was kept beside it."""
    tried = sorted(tuning.candidates, key=lambda each: each.candidate.given[parameter])
    value = np.array([each.candidate.given[parameter] for each in tried], float)
    at, x = shape.scale(value, parameter)
    mean = shape.numbers(each.mean for each in tried)
    spread = shape.numbers(each.deviation for each in tried)
    training = shape.numbers(each.training_mean for each in tried)
    across = np.array([x.low, x.high])
    marks: list[Mark] = []
    kept = tuning.outer
    if kept.low is not None and kept.high is not None:
        marks.append(
            Band(across, np.full(2, kept.low), np.full(2, kept.high), shape.kept_label(tuning), _KEPT)
        )
    if kept.value is not None:
        marks.append(Line(across, np.full(2, kept.value), shape.kept_label(tuning), _KEPT))
    if np.isfinite(spread).any():
        marks.append(Band(at, mean - spread, mean + spread, shape.promised_label(tuning)))
    marks.append(Line(at, mean, shape.promised_label(tuning)))
    so_far = shape.numbers(each.so_far for each in tried)
    outdone = np.isfinite(so_far)
    if outdone.any():
        # The line is broken there, and shows nothing of one whose neighbours were both given up.
        label = shape.given_up_label(tuning)
        marks.append(Points(at, mean, shape.promised_label(tuning)))
        marks.append(Points(at[outdone], so_far[outdone], label, _GIVEN_UP, hollow=True))
    if np.isfinite(training).any():
        marks.append(Line(at, training, "training rows", _TRAINING))
    best = tried.index(tuning.best)
    won = f"chosen: {parameter} = {said(tuning.best_params[parameter])}, {number(tuning.best_score)}"
    marks.append(Points(at[best : best + 1], mean[best : best + 1], won, _BEST, hollow=True))
    ends = shape.reach(
        mean - np.nan_to_num(spread), mean + np.nan_to_num(spread), training, so_far, shape.kept_ends(tuning)
    )
    panel = Panel(x, Axis(tuning.metric, *ends), tuple(marks), wide=1.5)
    return Figure((panel,), f"{tuning.metric} by {parameter}", shape.direction(tuning))
