"""The cost curve: the lowest expected cost that thresholds reach, whatever the costs and the class shares.

Drummond and Holte (2006), Machine Learning 65:95. Both are put into one number, the probability cost: the
share of the positives, weighted by what a mistake costs. A threshold is then a straight line, and the curve
the lower envelope of the lines of all thresholds, which are those of the vertices of the ROC hull.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark.curves.costs.prices import steps
from tallymark.curves.frames import frame
from tallymark.curves.open_order import best_case, between, dust_of
from tallymark.curves.roc.hull import area, upper_hull
from tallymark.curves.shared import (
    BINS,
    MOST_PRINTED,
    NO_POSITIVES,
    NO_ROWS,
    asked_for,
    counts_at,
    cut,
    cut_at,
    drawn,
    kept,
    no_curve,
    row_at,
    thinned,
)
from tallymark.drawing import (
    Block,
    Column,
    Document,
    Lines,
    Paragraph,
    Section,
    Table,
    count,
    interval,
    number,
)
from tallymark.drawing.figure import Axis, Figure, Line, Mark, Note, Panel, Points
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.metrics.rounding import rounding
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen

TRIVIAL_AREA = 0.25
"""Below the cheaper of calling none and calling all positive."""
EVERYWHERE = (0.0, 1.0)
FORMULAS = (
    "probability cost = p FN / (p FN + (1 - p) FP), for a share p of positives and what a missed positive",
    "                   (FN) and a false alarm (FP) cost more than the right answer would",
    "normalised cost  = FNR x probability cost + FPR x (1 - probability cost)",
)
OPTIMISTIC = (
    "Every threshold was chosen among these very rows, so the curve is optimistic: on new rows expect more."
)
_OF_THRESHOLD = ("threshold", "fpr", "fnr")
_COARSE = "With every score known the curve could only be lower."


@dataclass(frozen=True)
class CostLine:
    """One threshold: its normalised expected cost goes straight from its FPR, at 0, to its FNR, at 1."""

    threshold: float
    fpr: float
    fnr: float

    def at(self, *, probability_cost: float) -> float:
        """The normalised expected cost of this threshold."""
        _, x = asked_for({"probability_cost": probability_cost})
        return self.fnr * x + self.fpr * (1 - x)

    @property
    def operating_range(self) -> tuple[float, float] | None:
        """Between which probability costs it is cheaper than calling all and calling none positive."""
        called, left = 1 - self.fnr + self.fpr, 1 - self.fpr + self.fnr
        if not called or not left:
            return None
        ends = self.fpr / called, (1 - self.fpr) / left
        return ends if ends[0] < ends[1] else None


@dataclass(frozen=True, eq=False)
class CostCurve(Drawn):
    """The lowest normalised expected cost at every probability cost, as the corners between straight lines.

    >>> curve = CostCurve(Scores.from_bins([3, 1], [1, 3], edges=[1, 0.5, 0]))
    >>> curve.probability_cost.tolist(), curve.cost.tolist(), curve.at(probability_cost=0.1)
    ([0.0, 0.25, 0.75, 1.0], [0.0, 0.25, 0.25, 0.0], 0.1)
    """

    scores: Scores
    share: float | None = None
    """Of positives, when it is not the sample's own; the curve itself is for all of them."""

    @property
    def why(self) -> str | None:
        """Why there is no curve, if there is none."""
        if not self.scores.n:
            return NO_ROWS
        if not self.scores.n_positive:
            return NO_POSITIVES
        return None if self.scores.n_negative else "no row is actually negative"

    @cached_property
    def _hull(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Places of the vertices of the ROC hull, and at which probability cost neighbours cost alike."""
        fp, tp = self.scores.fp, self.scores.tp
        at = upper_hull(fp, tp)
        right, up = np.diff(fp[at]) / fp[-1], np.diff(tp[at]) / tp[-1]
        return at, right / (right + up)

    @cached_property
    def _lines(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Places of the thresholds that are the cheapest somewhere, and where that starts; at the end 1."""
        if self.why:
            return np.empty(0, np.intp), np.empty(0)
        at, meet = self._hull
        starts, stops = np.append(0.0, meet), np.append(meet, 1.0)
        # A vertex above (0, 0) or beside (1, 1) is as cheap as its neighbour at one end, and cheaper beyond.
        wide = stops > starts
        return at[wide], frozen(np.append(starts[wide], 1.0))

    @property
    def probability_cost(self) -> NDArray[np.float64]:
        """The corners, from 0 to 1; empty without a curve."""
        return self._lines[1]

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The cheapest from each corner to the next; the last stands for 1. Infinite: call none positive."""
        return frozen(self.scores.thresholds[self._places])

    @property
    def fpr(self) -> NDArray[np.float64]:
        """Of each threshold."""
        return frozen(np.asarray(self.scores.fp[self._places] / self.scores.fp[-1]))

    @property
    def fnr(self) -> NDArray[np.float64]:
        """Of each threshold."""
        tp = self.scores.tp
        return frozen(np.asarray((tp[-1] - tp[self._places]) / tp[-1]))

    @property
    def cost(self) -> NDArray[np.float64]:
        """Normalised expected cost at each corner: 1 is what always being wrong costs."""
        x = self.probability_cost
        return frozen(self.fnr * x + self.fpr * (1 - x))

    @property
    def _places(self) -> NDArray[np.intp]:
        """Of the threshold that goes with each corner."""
        places = self._lines[0]
        return np.append(places, places[-1:])

    @property
    def area(self) -> float | None:
        """The mean of the cost over all probability costs; a coin's is 0.25. None without a curve."""
        return None if self.why else area(self.probability_cost, self.cost)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between what the area lies when only bins were counted; None when they leave nothing open."""
        ideal, known = self._best_case, self.area
        if ideal is None or ideal.area is None or known is None:
            return None
        return between(known, ideal.area, self._dust)

    @property
    def least(self) -> NDArray[np.float64]:
        """What the cost at each corner could be with every score known; as it is when every one is."""
        ideal = self._best_case
        if ideal is None or self.why:
            return self.cost
        least = np.interp(self.probability_cost, ideal.probability_cost, ideal.cost)
        return frozen(np.maximum(0.0, np.minimum(self.cost, least - self._dust)))

    @property
    def _dust(self) -> float:
        return max(dust_of(self.scores), rounding(0))

    @cached_property
    def _best_case(self) -> CostCurve | None:
        """The same with the rows of every bin in their best order; None when every score is known."""
        return None if self.scores.exact else CostCurve(best_case(self.scores), self.share)

    @property
    def operating_range(self) -> tuple[float, float] | None:
        """Between which probability costs some threshold beats calling all and calling none positive."""
        if self.why or len(self._hull[0]) == 2:
            return None
        meet = self._hull[1]
        return float(meet[0]), float(meet[-1])

    # --- asked ---------------------------------------------------------------------------------

    def at(self, *, probability_cost: float) -> float:
        """The lowest normalised expected cost there."""
        place, x = self._cheapest(probability_cost)
        return float(self.fnr[place] * x + self.fpr[place] * (1 - x))

    def bounds_at(self, probability_cost: float) -> tuple[float, float] | None:
        """Between what that cost lies when only bins were counted; None when they leave nothing open."""
        known, ideal = self.at(probability_cost=probability_cost), self._best_case
        if ideal is None:
            return None
        return between(known, ideal.at(probability_cost=probability_cost), self._dust)

    def threshold_at(self, probability_cost: float) -> float:
        """The cheapest threshold there; where two are, at a corner, the higher one."""
        return float(self.threshold[self._cheapest(probability_cost)[0]])

    def _cheapest(self, probability_cost: float) -> tuple[int, float]:
        _, x = asked_for({"probability_cost": probability_cost})
        if self.why:
            raise no_curve(self.why)
        return int(np.searchsorted(self.probability_cost[1:-1], x)), x

    def line(self, threshold: float) -> CostLine:
        """What one threshold costs at every probability cost."""
        _, value = asked_for({"threshold": threshold})
        if self.why:
            raise no_curve(self.why)
        at = counts_at(self.scores, row_at(self.scores, value))
        return CostLine(value, at.fp / (at.fp + at.tn), at.fn / (at.tp + at.fn))

    # --- handed on -----------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per corner, with the threshold that is the cheapest from there on, as a data frame."""
        names = ("probability_cost", "cost", *_OF_THRESHOLD)
        return frame({name: getattr(self, name) for name in names}, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` corners."""
        reach = self.operating_range
        form: dict[str, Any] = {"area": self.area, "trivial_area": TRIVIAL_AREA}
        form["operating_range"] = None if reach is None else list(reach)
        if self.why:
            form["why"] = self.why
        if not self.scores.exact:
            form |= {"exact": False, "bounds": None if self.bounds is None else list(self.bounds)}
            form["note"] = f"{BINS[:1].lower()}{BINS[1:]} {_COARSE}"
        names = ("probability_cost", "cost", *(() if self.scores.exact else ("least",)), *_OF_THRESHOLD)
        return form | thinned({name: getattr(self, name) for name in names}, most)

    def document(self) -> Document:
        """What the curve says, and which threshold is the cheapest where."""
        return Document("", (Section("Cost curve", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        if self.why:
            yield Paragraph(f"There is no cost curve: {self.why}.")
            return
        yield Paragraph(" ".join(self.sentences()))
        yield Lines(FORMULAS)
        yield Paragraph(OPTIMISTIC)
        if not self.scores.exact:
            within = "" if self.bounds is None else f" The mean cost can be {interval(*self.bounds)}."
            yield Paragraph(f"{BINS} {_COARSE}{within}")
        yield self._printed()

    def sentences(self) -> Iterator[str]:
        """Where thresholds are worth having, what they save, and the lowest error rate."""
        reach, share = self.operating_range, self.scores.prevalence if self.share is None else self.share
        if reach is None:
            edge = "" if self.scores.exact else " at an edge of a bin"
            yield f"No threshold{edge} is ever cheaper than both calling all and calling none positive."
        else:
            where = f"where the probability cost is between {number(reach[0])} and {number(reach[1])}"
            if reach == EVERYWHERE:
                where = "whatever the probability cost"
            yield f"Some threshold is cheaper than both calling all and calling none positive {where}."
        yield (
            f"The mean cost over all probability costs is {number(self.area)}; without looking at the scores "
            f"it would be {TRIVIAL_AREA}."
        )
        lowest = number(self.at(probability_cost=share))
        best = cut_at(self.scores, self.threshold_at(share))
        whose = "these rows'" if self.share is None else "the given"
        where = "when none is called positive" if best == "inf" else f"at the threshold {best}"
        yield (
            f"With {whose} share of positives and equal costs the probability cost is {number(share)}, "
            f"and the cost is the lowest error rate: {lowest}, {where}."
        )

    def _printed(self) -> Table:
        """One row per threshold, from where on it is the cheapest."""
        places, starts = self._lines
        rows = []
        for line in kept(len(places), MOST_PRINTED).tolist():
            ends = number(starts[line]), number(starts[line + 1])
            rates = number(float(self.fpr[line])), number(float(self.fnr[line]))
            costs = number(float(self.cost[line])), number(float(self.cost[line + 1]))
            rows.append((*ends, cut(self.scores, int(places[line])), *rates, *costs))
        title = "" if len(rows) == len(places) else f"{len(rows)} of {count(len(places))} thresholds"
        titles = ("from", "to", "score >=", "FPR", "FNR", "cost from", "cost to")
        return Table(tuple(map(Column, titles)), tuple(rows), title)

    def figure(self, label: str = "", threshold: float | None = None) -> Figure:
        """The curve below the two lines of calling all and calling none positive; one threshold as a line."""
        x = Axis("probability cost: share of positives, weighted by costs")
        y = Axis("normalised expected cost", 0, 0.5)
        if self.why:
            return Figure((Panel(x, y, (Note(0.05, 0.25, f"undefined: {self.why}"),)),))
        said = f"area {number(self.area)}"
        ends, half = np.array([0.0, 0.5]), np.array([0.5, 1.0])
        marks: list[Mark] = [
            Line(ends, ends, "call none positive", series=None),
            Line(half, 1 - half, "call all positive", series=None, faint=True),
            Line(self.probability_cost, self.cost, f"{label}, {said}" if label else said, name=label),
        ]
        reach = self.operating_range
        if reach is not None and reach != EVERYWHERE:
            low, high = (number(end) for end in reach)
            at = np.array(reach)
            corners = np.array([self.at(probability_cost=end) for end in reach])
            own = f"{label}: " if label else ""
            marks.append(Points(at, corners, f"{own}worth using from {low} to {high}", hollow=True))
        if threshold is not None:
            line = self.line(threshold)
            name = f"score >= {cut_at(self.scores, threshold)}"
            marks.append(Line(np.array([0.0, 1.0]), np.array([line.fpr, line.fnr]), name, faint=True))
        note = OPTIMISTIC if self.scores.exact else f"{OPTIMISTIC} {BINS} {_COARSE}"
        return Figure((Panel(x, y, tuple(marks)),), note=note)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)


def probability_cost(costs: ArrayLike, prevalence: float) -> float:
    """Where on the curve costs `[[TP, FN], [FP, TN]]` and a share of positives are.

    >>> round(probability_cost([[0, 10], [1, 0]], 0.01), 4)
    0.0917
    """
    _, share = asked_for({"prevalence": prevalence})
    miss, alarm = steps(np.asarray(costs, float))
    weights = share * miss, (1 - share) * alarm
    if min(miss, alarm) < 0 or not 0 < sum(weights) < math.inf:
        raise OptionError(
            f"these costs have no place on a cost curve: missing a positive costs {miss:g} more than finding "
            f"it, and a false alarm {alarm:g} more than none.",
            hint="a mistake must cost more than the right answer.",
        )
    return float(weights[0] / sum(weights))
