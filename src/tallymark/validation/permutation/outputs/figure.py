"""The picture of a permutation test: the permuted results, and where the real one lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import count, level_text, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel
from tallymark.validation.permutation.words import one_of

if TYPE_CHECKING:
    from tallymark.validation.permutation.result import PermutationTest

Floats = NDArray[np.float64]

_PERMUTED, _REAL = 0, 1
_MARGIN = 0.06
_MOST_BARS = 40
_FEWEST_BARS = 8
_GAP = 0.2
"""Of a bar's width, between bars of results that come in steps."""
_NOISE = 1e-9


def permutations(test: PermutationTest) -> Figure:
    """How many permutations had which result; those at least as good as the real classes stand out."""
    known = ~np.isnan(test.permuted)
    values, as_good = test.permuted[known], test.as_good[known]
    places, width, gap = _bars(values, test.value, higher=test.better == "higher")
    worse, good = (_shares(values[chosen], places, test.n_permutations) for chosen in (~as_good, as_good))
    top = 1.12 * float((worse + good).max()) or 1.0
    marks: list[Mark] = []
    if worse.any():
        label = f"permuted classes: {count(int((~as_good).sum()))} worse"
        marks.append(_band(places, width * (1 - gap), np.zeros(len(places)), worse, label, _PERMUTED))
    if good.any():
        label = f"permuted classes: {count(int(as_good.sum()))} at least as good"
        marks.append(_band(places, width * (1 - gap), worse, worse + good, label, _REAL))
    marks += _lines(test, top)
    across = _axis(test, places, width)
    panel = Panel(across, Axis("share of permutations", 0.0, top, percent=True), tuple(marks))
    return Figure((panel,), f"{test.model}: p = {number(test.p_value)}", _note(test))


def _bars(values: Floats, real: float, *, higher: bool) -> tuple[Floats, float, float]:
    """Where bars stand, how wide they are, and which share of that is left free.

    Shares of few test rows come in steps, and each has its own bar; otherwise bars join, and one begins at
    the real result, so that none is in part at least as good.
    """
    found = np.unique(np.round(values, 9))
    if not len(found):
        return np.array([real]), 0.02, _GAP
    steps = np.diff(found)
    span = float(found[-1] - found[0])
    if not span or (len(steps) and span / steps.min() < _MOST_BARS + 1):
        width = float(steps.min()) if span else max(0.02 * abs(real), 0.005)
        return found, width, _GAP
    spread = float(np.subtract(*np.quantile(values, (0.75, 0.25))))
    wanted = 2 * spread / len(values) ** (1 / 3) or span / _FEWEST_BARS  # Freedman and Diaconis 1981
    width = float(np.clip(wanted, span / _MOST_BARS, span / _FEWEST_BARS))
    # An edge lies where results begin to be as good: a hair before the real one.
    edge = real - _NOISE if higher else real + _NOISE
    first = np.floor((found[0] - edge) / width)
    last = np.ceil((found[-1] - edge) / width)
    return edge + width * (np.arange(first, last + 1) + 0.5), width, 0.0


def _shares(values: Floats, places: Floats, of: int) -> Floats:
    """Of all permutations, those whose value is nearest to each place."""
    edges = (places[1:] + places[:-1]) / 2
    return np.bincount(np.searchsorted(edges, values), minlength=len(places)) / of


def _band(places: Floats, width: float, low: Floats, high: Floats, label: str, series: int) -> Band:
    """Bars from `low` to `high`, as one area that falls to nothing between them."""
    there = high > low
    x = np.column_stack((places - width / 2, places + width / 2))[there].ravel()
    ends = np.column_stack((high, low))[there].ravel()
    floor = np.column_stack((low, low))[there].ravel()
    return Band(x, floor, ends, label, series, stepped=True)


def _lines(test: PermutationTest, top: float) -> Iterator[Line]:
    upright = np.array([0.0, top])
    yield Line(np.full(2, test.value), upright, f"real classes: {number(test.value)}", series=_REAL)
    if test.majority.value is not None:
        label = f"most frequent class: {number(test.majority.value)}"
        yield Line(np.full(2, test.majority.value), upright, label, series=None)


def _axis(test: PermutationTest, places: Floats, width: float) -> Axis:
    shown = [test.value, float(places[0]) - width / 2, float(places[-1]) + width / 2]
    if test.majority.value is not None:
        shown.append(test.majority.value)
    low, high = min(shown), max(shown)
    room = _MARGIN * (high - low) or 0.05
    return Axis(f"{test.metric} ({test.better} is better)", low - room, high + room)


def _note(test: PermutationTest) -> str:
    whose = "training rows" if test.permute == "training" else "all rows"
    said = (
        f"Classes of {whose} permuted {count(test.n_permutations)} times; {test.folds.method}. "
        f"p {level_text(test.level)} interval {number(test.p_low)} to {number(test.p_high)}."
    )
    if test.stopped is not None:
        said += (
            f" Stopped before {count(test.stopped.of)}: the verdict at {number(1 - test.stopped.level)} was "
            f"clear, by a rule that is wrong in at most {one_of(test.stopped.risk)} tests."
        )
    if test.undefined:
        said += f" {count(test.undefined)} without a result are not drawn; p counts them as at least as good."
    return said
