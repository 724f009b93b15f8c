"""A decision curve in words, in a table and in a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.shared import BINS, MOST_PRINTED, kept, share_of, spelled
from tallymark.drawing import Block, Column, Document, Lines, Paragraph, Section, Table, interval, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Note, Panel

if TYPE_CHECKING:
    from tallymark.curves.benefit.decision_curve import DecisionCurve, Ranges

FORMULA = "net benefit = TP / n - FP / n x t / (1 - t), for acting on the rows with a probability >= t"
UNITS = (
    "The net benefit is in true positives per row. Avoided: what is gained over acting on all rows is worth "
    "as much as acting on so many fewer of 100 rows while missing no more positives (net reduction in "
    "interventions)."
)
_SMALL = 0.1
_BELOW = 0.25
"""Of the height of the picture, below 0."""


def describe(curve: DecisionCurve) -> Document:
    """Where it is worth acting on the probabilities, and the net benefit in numbers."""
    return Document("", (Section("Decision curve", tuple(_blocks(curve))),))


def _blocks(curve: DecisionCurve) -> Iterator[Block]:
    if curve.why:
        yield Paragraph(f"There is no decision curve: {curve.why}.")
        return
    yield Paragraph(" ".join((_useful(curve), _sure(curve))).strip())
    yield Lines((FORMULA,))
    if not curve.scores.exact:
        yield Paragraph(BINS)
    yield _table(curve)
    yield Paragraph(f"{UNITS} {_about_intervals(curve)}")


def _useful(curve: DecisionCurve) -> str:
    """Where it is better than acting on all and on none."""
    if not curve.useful:
        return "On these rows it is at no threshold better than both acting on all rows and acting on none."
    others = ", where it gains most, and in some other ranges" if len(curve.useful) > 1 else ""
    return (
        "On these rows acting on the probabilities is better than acting on all rows and than acting on none "
        f"{_between(curve)}{others}."
    )


def _between(curve: DecisionCurve) -> str:
    low, high = main_range(curve, curve.useful)
    if not curve.scores.exact:
        return _from_to(low, high)
    start = "about 0" if low < curve.prevalence / 100 else f"{low:.3g}"
    return f"at thresholds between {start} and {high:.3g}"


def main_range(curve: DecisionCurve, ranges: Ranges) -> tuple[float, float]:
    """The range in which it gains most over the better of all and none, or else the longest."""
    gain = curve.net_benefit - np.maximum(curve.all, 0)
    most = float(curve.threshold[gain.argmax()])
    return max(ranges, key=lambda each: (each[0] <= most <= each[1], each[1] - each[0]))


def _from_to(low: float, high: float) -> str:
    if low == high:
        return f"at the threshold {spelled(low)}"
    return f"at the thresholds from {spelled(low)} to {spelled(high)}"


def _sure(curve: DecisionCurve) -> str:
    """Where that is more than chance."""
    if curve.no_interval or not curve.useful:
        return ""
    level = share_of(curve.level)
    if not curve.sure:
        return f"At no threshold is that beyond chance ({level} intervals)."
    where = _from_to(*main_range(curve, curve.sure))
    return f"That is beyond chance {where} ({level} intervals of both differences at each of them)."


def _about_intervals(curve: DecisionCurve) -> str:
    if curve.no_interval:
        return f"There are no intervals: {curve.no_interval}."
    return (
        f"Intervals are {share_of(curve.level)} ones at each threshold, from Wilson's of true and false "
        f"positives (Zou and Donner 2008); {curve.assumption}."
    )


def _table(curve: DecisionCurve) -> Table:
    size = len(curve.threshold)
    places = kept(size, MOST_PRINTED)
    if curve.scores.exact:
        places = np.searchsorted(curve.threshold, curve.round_thresholds)
    digits = _digits(curve)
    names = ("threshold", "net_benefit", "low", "high", "all", "avoided")
    columns = (getattr(curve, name)[places].tolist() for name in names)
    rows = []
    for at, value, low, high, acting, avoided in zip(*columns, strict=True):
        ends = "-" if curve.no_interval else interval(low, high, digits)
        fewer = "-" if math.isnan(avoided) else number(100 * avoided, 1)
        on_all = number(acting, digits if abs(acting) < _SMALL else 3)
        rows.append((spelled(at), number(value, digits), ends, on_all, fewer))
    title = "" if len(rows) == size else f"{len(rows)} of {size} thresholds"
    titles = ("threshold", "net benefit", "interval", "acting on all", "avoided of 100")
    return Table(tuple(map(Column, titles)), tuple(rows), title)


def _digits(curve: DecisionCurve) -> int:
    """Three figures of the largest net benefit there can be, which is the share of positives."""
    return max(3, 2 - math.floor(math.log10(curve.prevalence))) if curve.prevalence else 3


# --- drawn -------------------------------------------------------------------------------------


def picture(curve: DecisionCurve, label: str = "") -> Figure:
    """The net benefit with its interval, beside acting on all rows and on none."""
    x = Axis("threshold probability", 0, curve.reach, percent=True)
    if curve.why:
        y = Axis("net benefit")
        return Figure((Panel(x, y, (Note(0.05, 0.5, f"undefined: {curve.why}"),)),))
    share = curve.prevalence or 0.01
    seen = curve.threshold <= curve.reach
    top = share if curve.no_interval else max(share, float(curve.high[seen].max()))
    y = Axis("net benefit: true positives per row", -_BELOW * share, 1.05 * top)
    marks: list[Mark] = []
    if not curve.no_interval:
        by_group = "" if curve.groups is None else ", by group"
        name = f"{share_of(curve.level)} interval at each threshold{by_group}"
        low, high = (side[seen].clip(y.low) for side in (curve.low, curve.high))
        marks.append(Band(curve.threshold[seen], low, high, name))
    marks += (
        _acting_on_all(curve, y.low),
        Line(np.array([0.0, 1.0]), np.zeros(2), "act on none", series=None, faint=True),
        Line(curve.threshold, curve.net_benefit, label or "act from the threshold on", name=label),
    )
    return Figure((Panel(x, y, tuple(marks)),), note=" ".join(_notes(curve, label)))


def _notes(curve: DecisionCurve, label: str) -> Iterator[str]:
    if not curve.scores.exact:
        yield BINS
    if label:
        where = _between(curve) if curve.useful else "at no threshold"
        yield f"On these rows better than acting on all and on none {where}."
        return
    yield _useful(curve)
    if curve.no_interval:
        yield _about_intervals(curve)
    if curve.reach < 1:
        most = float(curve.net_benefit[curve.threshold > curve.reach].max())
        left = f"is at most about {number(most, _digits(curve))}" if most > 0 else "is 0 or less"
        yield f"Above {share_of(curve.reach)}, which is not drawn, the net benefit {left}."


def _acting_on_all(curve: DecisionCurve, lowest: float) -> Line:
    """Down to where it leaves the picture."""
    share = curve.prevalence
    last = min(0.99, 1 - (1 - share) / (1 - lowest))
    x = np.linspace(0, last, 101)
    return Line(x, share - (1 - share) * x / (1 - x), "act on all", series=None)
