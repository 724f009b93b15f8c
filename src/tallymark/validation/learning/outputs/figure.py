"""The picture of a learning curve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points

if TYPE_CHECKING:
    from tallymark.validation.learning.result import LearningCurve, ModelCurve

Floats = NDArray[np.float64]

_WIDE = 1.6
_MOST_BANDS = 3
"""Models whose bands can still be told apart."""
_STEPS = 30
_FAR, _NEAR = 10, 2
"""How far the curve is continued, in times the last size: on a logarithmic axis, and on an even one."""
_ROOM = 0.06


def learning_curve_figure(curve: LearningCurve) -> Figure:
    """Test and training values against the training rows, with what more of them would buy."""
    banded = len(curve.models) <= _MOST_BANDS
    times = _FAR if curve.schedule.log else _NEAR
    marks: list[Mark] = []
    for series, (name, model) in enumerate(curve.models.items()):
        marks += _measured(model, series, name if len(curve.models) > 1 else "", banded=banded)
        marks += _continued(model, series, times, banded=banded)
    first, last = float(curve.sizes[0]), float(curve.sizes[-1])
    right = times * last if any(isinstance(mark, Line) and mark.dashed for mark in marks) else last
    x = Axis("training rows", *_around(first, right, log=curve.schedule.log), log=curve.schedule.log)
    if curve.baseline.value is not None:
        label = f"most frequent class {number(curve.baseline.value)}"
        marks.append(Line(np.array([x.low, x.high]), np.full(2, curve.baseline.value), label, None))
    y = Axis(curve.metric, *_height(curve, marks))
    title = f"Learning curve: {curve.metric}, {curve.data.rows:,} rows, {len(curve.folds):,} repeats"
    return Figure((Panel(x, y, tuple(marks), wide=_WIDE),), title, _note(curve, banded=banded))


def _measured(model: ModelCurve, series: int, name: str, *, banded: bool) -> Iterator[Mark]:
    """One model; its name is empty when it is the only one."""
    sizes = model.sizes.astype(float)
    mean, deviation, training = model.mean, model.deviation, model.training
    there = np.isfinite(mean)
    label = f"{name}, on test rows" if name else "mean on test rows"
    yield Line(sizes, mean, label, series, name=name)
    yield Points(sizes[there], mean[there], label, series, name=name)
    if banded:
        limits = model.asked.metric.range
        spread = there & np.isfinite(deviation)
        low, high = (np.clip(mean + way * deviation, *limits)[spread] for way in (-1, 1))
        yield Band(sizes[spread], low, high, "" if name else "± standard deviation of the repeats", series)
    if np.isfinite(training).any():
        label = f"{name}, on training rows" if name else "on training rows"
        yield Line(sizes, training, label, series, faint=True, name=name)


def _continued(model: ModelCurve, series: int, times: int, *, banded: bool) -> Iterator[Mark]:
    """Where the curve is thought to go on, with the band of the gain."""
    if isinstance(model.law, str):
        return
    last, mean = float(model.sizes[-1]), float(model.mean[-1])
    rows = np.geomspace(1, times, _STEPS + 1)[1:] * last
    gains = [model.gain(min(each, times * last)) for each in rows.tolist()]
    value, low, high = (
        mean + model.sign * np.append(0.0, np.array([getattr(gain, end) for gain in gains], float))
        for end in ("value", "low", "high")
    )
    x = np.append(last, rows)
    label = "" if series else f"more rows, rough {model.level * 100:.10g} % band" if banded else "more rows"
    if banded:
        limits = model.asked.metric.range
        yield Band(x, np.clip(low, *limits), np.clip(high, *limits), label, series)
    yield Line(x, value, label, series, dashed=True)


def _around(first: float, right: float, *, log: bool) -> tuple[float, float]:
    """From a little before the first size to a little behind the last."""
    if log:
        room = (right / first) ** 0.03
        return first / room, right * room
    room = 0.03 * (right - first)
    return max(first - room, 0.0), right + room


def _height(curve: LearningCurve, marks: list[Mark]) -> tuple[float, float]:
    """As high as what was measured, and no higher than the number can be."""
    seen = [mark.y for mark in marks if isinstance(mark, Line)]
    seen += [end for mark in marks if isinstance(mark, Band) for end in (mark.low, mark.high)]
    every = np.concatenate(seen) if seen else np.zeros(1)
    every = every[np.isfinite(every)]
    if not len(every):
        return 0.0, 1.0
    low, high = float(every.min()), float(every.max())
    least, most = next(iter(curve.models.values())).asked.metric.range
    room = _ROOM * (high - low) or 0.05
    return max(low - room, least), min(high + room, most)


def _note(curve: LearningCurve, *, banded: bool) -> str:
    said = [f"{curve.folds.method[:1].upper()}{curve.folds.method[1:]}; subsets are nested."]
    if banded and len(curve.models) > 1:
        said.append(
            "Bands: ± standard deviation of the repeats, and of the gain where the curve is continued."
        )
    whys = {name: model.law for name, model in curve.models.items() if isinstance(model.law, str)}
    if len(curve.models) == 1:
        said += [f"Not continued: {why}." for why in whys.values()]
    elif whys:
        said.append(f"Not continued: {', '.join(repr(name) for name in whys)}.")
    if curve.stopped is not None and curve.stopped.early:
        said.append(f"Stopped at {curve.stopped.size:,} of {curve.stopped.whole:,} rows: more no longer pay.")
    return " ".join(said)
