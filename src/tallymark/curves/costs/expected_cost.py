"""What answers cost at every threshold, and where that is least.

The cost of cutting at a threshold is cost(FP) x P(FP) x negatives + cost(FN) x P(FN) x positives, and as much
again for true positives and true negatives, whose costs may be negative: a gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import Costs, costs_dict, formula, money, paid, steps
from tallymark.curves.equally_good import Best, alike, best_dict, best_of, others, said
from tallymark.curves.frames import frame
from tallymark.curves.shared import (
    BINS,
    MOST_PRINTED,
    NO_ROWS,
    asked_for,
    counts_at,
    cut,
    cut_at,
    drawn,
    in_blocks,
    kept,
    row_at,
    thinned,
)
from tallymark.curves.threshold_marks import ends
from tallymark.drawing import Block, Column, Document, Lines, Paragraph, Section, Table, count, number
from tallymark.drawing.figure import Axis, Band, Figure, Legend, Line, Mark, Note, Panel, Points
from tallymark.drawing.notebook import Drawn
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen

OPTIMISTIC = (
    "The cheapest threshold was looked for among these very rows, so its cost is optimistic: expect to pay "
    "more on new rows."
)
_BLOCK = 1 << 16
_FITS = 2**62
_LAST_BITS = 1e-14
_MARGIN = 0.06


@dataclass(frozen=True)
class CostPoint:
    """The counts at one threshold and what they cost."""

    threshold: float
    total: float
    mean: float | None
    tp: float
    fn: float
    fp: float
    tn: float


@dataclass(frozen=True, eq=False)
class ExpectedCost(Drawn):
    """The cost at every threshold that gives another answer, from the highest down.

    >>> scores = Scores(np.array([0.9, 0.6, 0.2]), np.array([2, 1, 1]), np.array([0, 2, 5]))
    >>> curve = ExpectedCost(scores, np.array([[0, 5], [1, 0]]))
    >>> curve.total.tolist(), curve.best.low, curve.best.high
    ([20.0, 10.0, 7.0, 7.0], -inf, 0.6)
    """

    scores: Scores
    costs: Costs

    def __post_init__(self) -> None:
        object.__setattr__(self, "costs", frozen(np.array(self.costs, float)))

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The first is infinite: nothing is called positive."""
        return self.scores.thresholds

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """What all rows cost together."""
        return in_blocks(len(self.threshold), lambda at: paid(self.scores.cuts(at), self.costs))

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """What a row costs; NaN without rows."""
        return in_blocks(len(self.threshold), lambda at: self.total[at] / (self.scores.n or np.nan))

    # --- the cheapest ----------------------------------------------------------------------------

    @property
    def why(self) -> str | None:
        """Why no threshold is cheapest, when none is."""
        return None if self.scores.n else NO_ROWS

    def cheapest(self, allowed: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
        """The places of all thresholds, or of all that are allowed, at which the least is paid.

        Where rows are counted and costs have few digits they are compared in whole numbers, so that equal
        costs are equal; elsewhere what differs by rounding only is equal.
        """
        a_hit, an_alarm, rounding = self._steps
        tp, fp = self.scores.tp, self.scores.fp

        def relative(start: int) -> NDArray[Any]:
            at = slice(start, start + _BLOCK)
            # Less what is paid when nothing is called positive.
            cost = an_alarm * fp[at] - a_hit * tp[at]
            return np.asarray(cost if allowed is None else cost[allowed[at]])

        starts = range(0, len(tp), _BLOCK)
        least = min(block.min() for block in map(relative, starts) if block.size)
        found = []
        for start in starts:
            places = np.flatnonzero(relative(start) <= least + rounding)
            if allowed is not None:
                places = np.flatnonzero(allowed[start : start + _BLOCK])[places]
            found.append(start + places)
        return np.concatenate(found)

    @cached_property
    def _steps(self) -> tuple[Any, Any, float]:
        """What a true positive saves, what a false one costs, and how far rounding may part equal costs."""
        scores = self.scores
        if scores.positives.dtype.kind == "i" and scores.negatives.dtype.kind == "i":
            right, wrong = steps(self.costs, whole=True)
            if (abs(right) + abs(wrong)) * int(scores.n) < _FITS:
                return right, wrong, 0
        right, wrong = steps(self.costs)
        largest = abs(right) * scores.n_positive + abs(wrong) * scores.n_negative
        return right, wrong, _LAST_BITS * float(largest)

    @cached_property
    def _good(self) -> NDArray[np.intp]:
        return self.cheapest()

    @cached_property
    def best(self) -> Best | None:
        """The cheapest threshold with its total cost, the highest of equals; None without rows."""
        if self.why:
            return None
        return self.best_among(self._good)

    def best_among(self, places: NDArray[np.intp]) -> Best:
        """The highest of some equally cheap thresholds, and its interval."""
        return best_of(self.scores, places, float(paid(counts_at(self.scores, int(places[0])), self.costs)))

    def at(self, threshold: float) -> CostPoint:
        """The counts and their cost when `score >= threshold` is called positive."""
        _, value = asked_for({"threshold": threshold})
        counts = counts_at(self.scores, row_at(self.scores, value))
        total = float(paid(counts, self.costs))
        mean = total / self.scores.n if self.scores.n else None
        return CostPoint(value, total, mean, counts.tp, counts.fn, counts.fp, counts.tn)

    # --- handed on -------------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per threshold with its counts and costs, as a data frame."""
        cuts = self.scores.cuts()
        columns = {"threshold": self.threshold} | {
            name: getattr(cuts, name) for name in ("tp", "fp", "fn", "tn")
        }
        return frame(columns | {"total": self.total, "mean": self.mean}, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points, the cheapest among them."""
        best = self.best
        form: dict[str, Any] = {"costs": costs_dict(self.costs)}
        form["best"] = None if best is None else best_dict(best)
        if self.why:
            form["why"] = self.why
        if not self.scores.exact:
            form["exact"] = False
        always = () if best is None else (int(self._good[0]),)
        columns = {"threshold": self.threshold, "total": self.total, "mean": self.mean}
        return form | thinned(columns, most, always)

    def document(self) -> Document:
        """Where it is cheapest, the formula worked out there, and its course."""
        return Document("", (Section("Expected cost against the threshold", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        best = self.best
        if best is None:
            yield Paragraph(f"There is no cheapest threshold: {self.why}.")
            return
        sign, most, paid_at = (1, "least", "paid") if best.value >= 0 else (-1, "most", "gained")
        per_row = number(sign * best.value / self.scores.n)
        where = f"The {most}, {money(sign * best.value)} in total and {per_row} a row, is {paid_at} at "
        parts = f"{where}{said(self.scores, best)}.", alike(best, "costs the same"), others(best, "cheap")
        yield Paragraph(" ".join(part for part in parts if part))
        yield Lines(formula(counts_at(self.scores, int(self._good[0])), self.costs))
        yield Paragraph(OPTIMISTIC)
        if not self.scores.exact:
            yield Paragraph(BINS)
        yield self._printed()

    def _printed(self) -> Table:
        size = len(self.threshold)
        places = kept(size, MOST_PRINTED, (int(self._good[0]),)).tolist()
        title = "" if len(places) == size else f"{len(places)} of {count(size)} thresholds"
        rows = []
        for place in places:
            counts = counts_at(self.scores, place)
            four = (count(side) for side in (counts.tp, counts.fp, counts.fn, counts.tn))
            total = float(paid(counts, self.costs))
            rows.append((cut(self.scores, place), *four, money(total), number(total / self.scores.n)))
        titles = ("score >=", "TP", "FP", "FN", "TN", "cost", "per row")
        return Table(tuple(map(Column, titles)), tuple(rows), title)

    def figure(self, label: str = "") -> Figure:
        """The cost of a row against the threshold, with the cheapest interval."""
        return Figure((self.panel(label),), note=" ".join(self._notes()))

    def _notes(self) -> Iterator[str]:
        if not self.scores.exact:
            yield BINS
        if self.best is None:
            yield f"There is no curve: {self.why}."
        else:
            yield OPTIMISTIC

    def panel(self, label: str = "", *, best: bool = True, more: tuple[Mark, ...] = ()) -> Panel:
        """The axes with the curve; `best` marks the cheapest interval, and more marks may be added."""
        low, high = ends(self.scores)
        marks: list[Mark] = []
        bottom, top = self.heights
        if self.best is not None:
            x, y = self.threshold[1:], self.mean[1:]
            if self.scores.exact:
                x, y = np.concatenate([[high], x, [low]]), np.append(self.mean, self.mean[-1])
            marks.append(Line(x, y, label, stepped=self.scores.exact, name=label))
        if best and self.best is not None:
            marks += cheapest_marks(self.scores, self.best, bottom, top)
        y_axis = Axis("mean cost of a row", bottom, top)
        legend: Legend = "below" if label or more else "none"
        return Panel(Axis("threshold", low, high), y_axis, (*marks, *more), legend=legend)

    @property
    def heights(self) -> tuple[float, float]:
        """The axis of costs: a little beyond the lowest and the highest, and from 0 where that is near."""
        if not self.scores.n:
            return 0.0, 1.0
        low, high = float(self.mean.min()), float(self.mean.max())
        margin = _MARGIN * (high - low) or max(1.0, abs(high)) * _MARGIN
        return (0.0 if 0 <= low <= high / 2 else low - margin), high + margin

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)


def cheapest_marks(scores: Scores, best: Best, bottom: float, top: float) -> Iterator[Mark]:
    """The interval of the cheapest thresholds, and its upper end with what is paid there."""
    low, high = ends(scores)
    mean = best.value / scores.n
    right = min(best.high, high)
    if best.low is not None:
        x = np.array([max(best.low, low), right])
        yield Band(x, np.full(2, bottom), np.full(2, top), "equally cheap", series=2)
    yield Points(np.array([right]), np.array([mean]), "cheapest", hollow=True)
    where = "above every score" if math.isinf(best.high) else f"at {cut_at(scores, best.high)}"
    yield Note(right, mean, f"{number(mean)} {where}", "above")
