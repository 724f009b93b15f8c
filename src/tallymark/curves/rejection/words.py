"""A rejection curve in words and in a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.shared import (
    BINS,
    MOST_PRINTED,
    amount,
    cut,
    row_at,
    share_of,
    share_with_interval,
    spelled,
)
from tallymark.drawing import (
    Block,
    Column,
    Document,
    Lines,
    Paragraph,
    Section,
    Table,
    bracketed,
    count,
    number,
    percent,
    percents_together,
)
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Note, Panel
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves.rejection.curve import Rejection, RejectionPoint

RULES = {
    "margin": (
        "A row is rejected when the probability of its best class does not exceed that of the second best "
        "by at least theta (of two classes: when |2p - 1| < theta)."
    ),
    "distance": "A row is rejected when its score is nearer than theta to the threshold {}.",
}
OPTIMISTIC = (
    "These thetas were looked for among these very rows, so what they give is optimistic: on new rows "
    "expect less."
)
TARGETS = (0.8, 0.9, 0.95, 0.99, 0.999)
_SHARES = (0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_FEW_LEFT = 0.95
_STEPS = 10


def describe(curve: Rejection) -> Document:
    """Areas, how much to reject for so much right, and the curve."""
    return Document("", (Section("Rejection", tuple(_blocks(curve))),))


def _blocks(curve: Rejection) -> Iterator[Block]:
    if curve.why:
        yield Paragraph(f"There is no rejection curve: {curve.why}.")
        return
    yield Paragraph(f"{RULES[curve.form].format(_threshold(curve))} {_nothing_rejected(curve)}")
    yield Paragraph(" ".join(_areas(curve)))
    if lines := tuple(targets(curve)):
        yield Lines(lines)
        yield Paragraph(OPTIMISTIC)
    if not curve.margins.exact:
        yield Paragraph(BINS)
    yield _table(curve)
    yield Paragraph(_band(curve))


def _threshold(curve: Rejection) -> str:
    return "it is cut at" if curve.threshold is None else curve.spelling or spelled(curve.threshold)


def _nothing_rejected(curve: Rejection) -> str:
    return f"With nothing rejected {_right(curve, curve.at(theta=0))}."


def _right(curve: Rejection, point: RejectionPoint) -> str:
    assert point.correct is not None
    share = share_with_interval(point.correct, point.low, point.high)
    return f"{share} are right ({amount(curve.margins, point.right, point.accepted)})"


def _share(share: float | None) -> str:
    """In a table: with a decimal, and the blank that sentences have."""
    return percent(share).replace("%", " %")


def _correct(point: RejectionPoint) -> tuple[str, str]:
    """The share right and its interval, in the same decimals."""
    value, *ends = percents_together(point.correct, point.low, point.high)
    return value, bracketed(*ends)


def _areas(curve: Rejection) -> Iterator[str]:
    assert curve.accuracy is not None
    yield (
        f"Area: {number(curve.area)}, the share right among the accepted rows, averaged over every share "
        f"rejected (AURC, its complement: {number(curve.aurc)}). Rejecting at random would have "
        f"{number(curve.accuracy)}, rejecting the wrong rows first at most {number(curve.perfect_area)}."
    )
    yield (
        f"Counted among all rows, accepted and right: {number(curve.area_of_all)}; at random "
        f"{number(curve.accuracy / 2)}, at most {number(curve.perfect_area_of_all)}."
    )


def targets(curve: Rejection) -> Iterator[str]:
    """How much must be rejected to have so much right, for the shares not yet reached."""
    said: RejectionPoint | None = None
    for target in TARGETS:
        if curve.accuracy is None or target <= curve.accuracy:
            continue
        try:
            point = curve.at(correct=target)
        except OptionError as problem:
            yield problem.message[:1].upper() + problem.message[1:]
            return  # what is more cannot be had either
        if point != said:
            theta = cut(curve.margins, row_at(curve.margins, point.theta))
            yield (
                f"To have {share_of(target)} right, reject at least {share_of(point.rejected)} "
                f"(theta {theta}): then {_right(curve, point)}."
            )
        said = point


def _table(curve: Rejection) -> Table:
    size = len(curve.theta)
    if size <= MOST_PRINTED:
        points = [curve.at(theta=theta) for theta in curve.theta.tolist()]
        title = ""
    else:
        points = list(
            {point.theta: point for point in (curve.at(rejected=share) for share in _SHARES)}.values()
        )
        title = f"{len(points)} of {count(size)} thetas"
    rows = tuple(
        (
            cut(curve.margins, row_at(curve.margins, point.theta)),
            _share(point.rejected),
            count(point.accepted),
            count(point.right),
            *_correct(point),
            _share(point.correct_of_all),
        )
        for point in points
    )
    heads = ("theta", "rejected", "accepted", "right", "correct", _level(curve), "of all rows")
    return Table(tuple(map(Column, heads)), rows, title)


def _level(curve: Rejection) -> str:
    return f"{share_of(curve.level)} interval"


def _band(curve: Rejection) -> str:
    if curve.no_band:
        return f"There is no interval: {curve.no_band}."
    kind = "Wilson's" if curve.groups is None else "Wilson's, as wide as the groups make them"
    return f"Intervals: {kind}, each for its own theta; {curve.assumption}."


# --- drawn -------------------------------------------------------------------------------------


def picture(curve: Rejection, label: str = "") -> Figure:
    """Share right against share rejected with its band, between random and perfect rejection."""
    across = Axis("share of rows rejected", percent=True)
    if curve.why:
        up = Axis("share right among the accepted", percent=True)
        return Figure((Panel(across, up, (Note(0.05, 0.5, f"undefined: {curve.why}"),)),))
    x, y = np.append(curve.rejected, 1.0), _held(curve.correct)
    words = f"{label or _kind(curve)}: area {number(curve.area)}"
    marks: list[Mark] = [Line(x, y, words, stepped=True, name=label)]
    notes = [] if curve.margins.exact else [BINS]
    if label:
        # Of several models each would have a band and two references of its own, which is too much.
        marks.append(_at_random(curve, "", series=0))
        notes.append("Dotted: rejecting at random.")
    else:
        if not curve.no_band:
            marks.insert(0, Band(x, _held(curve.low), _held(curve.high), _level(curve), stepped=True))
        marks += _references(curve)
        notes.append(_band(curve))
    up = Axis("share right among the accepted", _lowest(curve), 1, percent=True)
    return Figure((Panel(across, up, tuple(marks)),), note=" ".join(notes))


def _kind(curve: Rejection) -> str:
    if curve.threshold is None:
        return f"rejecting by {curve.form}"
    return f"rejecting by distance from {_threshold(curve)}"


def _at_random(curve: Rejection, label: str, series: int | None) -> Line:
    """The share right stays as it is."""
    assert curve.accuracy is not None
    ends = np.array([0.0, 1.0])
    return Line(ends, np.full(2, curve.accuracy), label, series, faint=series is not None)


def _references(curve: Rejection) -> Iterator[Line]:
    yield _at_random(curve, "rejecting at random", series=None)
    if curve.accuracy:
        accepted = np.linspace(1, curve.accuracy, 201)
        x, y = 1 - accepted, curve.accuracy / accepted
        words = "rejecting the wrong rows first"
        yield Line(np.append(x, 1.0), np.append(y, 1.0), words, series=None, faint=True)


def _held(values: np.ndarray) -> np.ndarray:
    """The last value holds until everything is rejected."""
    return np.append(values, values[-1])


def _lowest(curve: Rejection) -> float:
    """Where the axis begins: below the curve, but for its end, where few rows are left and it jumps."""
    begun = curve.correct[curve.rejected <= _FEW_LEFT]
    lows = [float(begun.min())] if curve.no_band else [float(begun.min()), float(curve.low[0])]
    return max(0.0, math.floor(_STEPS * min(lows)) / _STEPS)
