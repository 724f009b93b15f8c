"""Counting row by row in plain Python, by the rules as they are written and not by the code that counts."""

import datetime
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import tallymark as tm
from tallymark.tallies.binned import Binned

TENTHS = [*(k * 0.1 for k in range(11)), 0.3, 0.6, 0.7]
BINS, SLICE_BINS = 61_440, 4_096
ROLES = ("actual", "predicted", "score", "weight")


@dataclass(frozen=True)
class Grid:
    low: float = 0.0
    high: float = 1.0
    bins: int = BINS
    threshold: float | None = None

    @property
    def cuts(self) -> list[float]:
        at = TENTHS if self.low >= 0 and self.high <= 1 else []
        return at if self.threshold is None else [*at, self.threshold]

    def place(self, score: float) -> tuple[int, int]:
        """The bin, and how many cuts are not above the score: each is an edge, and the next float is one."""
        scaled = (score - self.low) * (self.bins / (self.high - self.low))
        place = math.floor(min(max(scaled, -1.0), self.bins))
        edges = {edge for cut in self.cuts for edge in (cut, math.nextafter(cut, math.inf))}
        return place, sum(score >= edge for edge in edges)


@dataclass
class Place:
    """What rows with the same score, or in the same bin, add up to."""

    amounts: list[Fraction] = field(default_factory=lambda: [Fraction(0), Fraction(0)])
    """Of the negatives and of the positives."""
    squares: list[Fraction] = field(default_factory=lambda: [Fraction(0), Fraction(0)])
    scores: list[tuple[float, Fraction]] = field(default_factory=list)


@dataclass
class Count:
    """All that is counted of a table."""

    matrix: Counter[tuple[Any, Any]] = field(default_factory=Counter)
    squares: Counter[tuple[Any, Any]] = field(default_factory=Counter)
    rows: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    weightless: int = 0
    places: dict[Any, Place] = field(default_factory=dict)
    losses: list[tuple[bool, float, float, Fraction]] = field(default_factory=list)
    """Whether a row is positive, how far it is from the truth, its logarithmic loss and its weight."""


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def label(value: Any) -> Any:
    if isinstance(value, str | bool):
        return value
    return str(value) if isinstance(value, datetime.date) else int(value)


def is_positive(actual: Any, positive: Any) -> bool:
    return (actual == positive) if positive is not None else str(actual).lower() in ("1", "1.0", "true")


def count(
    columns: dict[str, list[Any]],
    *,
    positive: Any = None,
    frequency: bool = False,
    grid: Grid | None = None,
    clip: float = 0.0,
) -> Count:
    """Of columns by their role; all that are no role are slices, which must not be missing either."""
    found = Count()
    order = [*(role for role in ROLES if role in columns), *(name for name in columns if name not in ROLES)]
    for values in zip(*(columns[name] for name in order), strict=True):
        row = dict(zip(order, values, strict=True))
        lacking = next((name for name in order if is_missing(row[name])), None)
        if lacking is not None:
            found.dropped[f"missing_{lacking if lacking in ROLES else 'slice'}"] += 1
            continue
        weight = Fraction(row.get("weight", 1))
        if weight == 0:
            found.weightless += 1
            continue
        actual = label(row["actual"])
        cell = actual, label(row["predicted"]) if "predicted" in row else actual
        squared = weight if frequency or "weight" not in row else weight * weight
        found.rows += int(weight) if frequency else 1
        found.matrix[cell] += weight  # type: ignore[assignment]
        found.squares[cell] += squared  # type: ignore[assignment]
        if "score" in row:
            _rank(found, float(row["score"]), is_positive(actual, positive), (weight, squared), grid, clip)
    return found


def _rank(
    found: Count,
    score: float,
    positive: bool,
    amounts: tuple[Fraction, Fraction],
    grid: Grid | None,
    clip: float,
) -> None:
    place = found.places.setdefault(score if grid is None else grid.place(score), Place())
    place.amounts[positive] += amounts[0]
    place.squares[positive] += amounts[1]
    place.scores.append((score, amounts[0]))
    if 0 <= score <= 1:
        kept = min(max(score, clip), 1 - clip) if clip else score
        right = kept if positive else 1 - kept
        lost = math.inf if right == 0 else -(math.log(kept) if positive else math.log1p(-kept))
        found.losses.append((positive, (1 - score) ** 2 if positive else score**2, lost, amounts[0]))


# --- against a tally --------------------------------------------------------------------------------


def agrees(tally: tm.Tally, found: Count) -> None:
    """Fail where a tally is not what was counted here."""
    counted = tally.counted
    size = len(counted.labels)
    squares = counted.counts if counted.squares is None else counted.squares
    cells = [(counted.labels[cell // size], counted.labels[cell % size]) for cell in counted.cells.tolist()]
    assert dict(zip(cells, map(Fraction, counted.counts.tolist()), strict=True)) == found.matrix
    assert dict(zip(cells, map(Fraction, squares.tolist()), strict=True)) == found.squares
    assert (counted.rows, tally.weightless) == (found.rows, found.weightless)
    assert dict(counted.dropped) == found.dropped
    if isinstance(tally.scores, Binned):
        _same_bins(tally.scores, found)
    elif tally.scores is not None:
        scores = tally.scores
        expected = sorted(found.places.items(), reverse=True)
        assert scores.score.tolist() == [score for score, _ in expected]
        _same_sides(scores.positives, scores.negatives, scores.squares, [place for _, place in expected])


def _same_sides(positives: Any, negatives: Any, squares: Any, places: Sequence[Place]) -> None:
    for side, amounts in enumerate((negatives, positives)):
        assert list(map(Fraction, amounts.tolist())) == [place.amounts[side] for place in places]
    if squares is not None:
        for side, amounts in enumerate(squares[::-1]):
            assert list(map(Fraction, amounts.tolist())) == [place.squares[side] for place in places]


def _same_bins(scores: Binned, found: Count) -> None:
    held = np.flatnonzero(~np.isnan(scores.points))
    # Bins that hold rows stand in the same order, whatever their numbers are.
    places = [place for _, place in sorted(found.places.items())]
    assert len(held) == len(places)
    squares = None if scores.squares is None else (scores.squares[0][held], scores.squares[1][held])
    _same_sides(scores.positives[held], scores.negatives[held], squares, places)
    every = [score for place in places for score, _ in place.scores]
    assert (scores.low, scores.high, scores.rows) == (min(every), max(every), found.rows)
    for place, total, point in zip(places, scores.totals[held], scores.points[held], strict=True):
        _close(total, math.fsum(min(max(score, 0.0), 1.0) * weight for score, weight in place.scores))
        distinct = {score for score, _ in place.scores}
        assert point == (distinct.pop() if len(distinct) == 1 else math.inf)
    if min(every) < 0 or max(every) > 1:
        return
    for side, sums in ((True, scores.losses[0]), (False, scores.losses[1])):
        rows = [row[1:] for row in found.losses if row[0] is side]
        _close(sums.brier.total, math.fsum(brier * weight for brier, _, weight in rows))
        _close(sums.log_loss.total, math.fsum(loss * weight for _, loss, weight in rows if loss < math.inf))
        assert sums.infinite == sum(weight for _, loss, weight in rows if loss == math.inf)


def _close(one: float, two: float) -> None:
    assert math.isclose(one, two, rel_tol=1e-12, abs_tol=0.0), (one, two)
