"""Precision against recall: a staircase from the best scores down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.open_order import best_case, between, dust_of
from tallymark.curves.shared import (
    BINS,
    DUST,
    FINER,
    MOST_PRINTED,
    asked_for,
    counts_at,
    cut,
    drawn,
    finite,
    first_called,
    in_blocks,
    no_curve,
    row_at,
    share_of,
    thinned,
    why_undefined,
)
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, interval, number
from tallymark.drawing.figure import Axis, Figure, Line, Mark, Note, Panel, Points
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.metrics import METRICS, ask
from tallymark.metrics.registry import ratio
from tallymark.metrics.score_bounds import certified
from tallymark.tallies import Scores

_AREA = ask("average_precision")
_RECALLS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class PrecisionRecallPoint:
    """One threshold with what it gives; `precision` is None where nothing is called positive."""

    threshold: float
    precision: float | None
    recall: float | None
    tp: Any
    fp: Any
    fn: Any
    tn: Any
    bounds: tuple[float, float] | None = None
    """What a threshold within a bin can make of it: of the precision when a recall was asked for, of the
    recall when a precision was. None when no bin leaves it open."""


@dataclass(frozen=True, eq=False)
class PrecisionRecall(Drawn):
    """Precision and recall at every distinct score, from the highest down, so that recall goes up.

    The curve starts at the highest score. Before it nothing is called positive and there is no precision,
    so no such point is made up. Between two points the curve is a step, as `average_precision` adds it up:
    a straight line would promise precisions that no threshold gives (Davis and Goadrich 2006).

    >>> PrecisionRecall(Scores.from_bins([1, 1, 0], [0, 1, 1])).precision.tolist()
    [1.0, 0.6666666666666666, 0.5]
    """

    scores: Scores

    @cached_property
    def _start(self) -> int:
        """The first cut at which something is called positive."""
        return first_called(self.scores)

    @property
    def threshold(self) -> NDArray[np.float64]:
        return self.scores.thresholds[self._start :]

    @property
    def tp(self) -> NDArray[Any]:
        return self.scores.tp[self._start :]

    @property
    def fp(self) -> NDArray[Any]:
        return self.scores.fp[self._start :]

    @property
    def precision(self) -> NDArray[np.float64]:
        tp, fp = self.tp, self.fp
        return in_blocks(len(tp), lambda at: ratio(tp[at], tp[at] + fp[at]))

    @property
    def recall(self) -> NDArray[np.float64]:
        """NaN throughout when no row is actually positive."""
        tp, total = self.tp, self.scores.tp[-1]
        return in_blocks(len(tp), lambda at: ratio(tp[at], total))

    @property
    def baseline(self) -> float | None:
        """The precision of calling rows positive at random: the prevalence."""
        return finite(self.scores.prevalence)

    @property
    def why(self) -> str | None:
        """Why the curve is undefined, if it is."""
        return why_undefined(self.scores)

    @cached_property
    def average_precision(self) -> float | None:
        """The sum of (R_n - R_{n-1}) P_n; None without positives."""
        return finite(_AREA.metric(self.scores))

    @cached_property
    def bounds(self) -> tuple[float, float] | None:
        """Between what the average precision lies when only bins were counted; None when it is exact."""
        area = self.average_precision
        return None if area is None or self.scores.exact else certified(_AREA, self.scores, area)

    def at(
        self, *, recall: float | None = None, precision: float | None = None, threshold: float | None = None
    ) -> PrecisionRecallPoint:
        """The best precision with at least that recall, the largest recall with at least that precision,
        or what `score >= threshold` gives."""
        name, value = asked_for({"recall": recall, "precision": precision, "threshold": threshold})
        if name == "threshold":
            return self._point(row_at(self.scores, value), value)
        if self.why:
            raise no_curve(self.why)
        place, ideal = self._reached(name, value), self._best_case
        if place is None:
            raise self._too_precise(value)
        point = self._point(place, float(self.scores.thresholds[place]))
        if ideal is None:
            return point
        other = "precision" if name == "recall" else "recall"
        known = best = getattr(point, other)
        if (reached := ideal._reached(name, value)) is not None:
            best = float(METRICS[other](counts_at(ideal.scores, reached)))
        return replace(point, bounds=between(known, best, dust_of(self.scores)))

    def _reached(self, name: str, value: float) -> int | None:
        """The cut with the best precision from a recall on, or the largest recall from a precision on."""
        good = self.recall >= value - DUST if name == "recall" else self.precision >= value - DUST
        if not good.any():
            return None
        wanted = np.where(good, self.precision if name == "recall" else self.recall, -1.0)
        best = np.flatnonzero(wanted == wanted.max())
        # Of equal precisions the larger recall is better; of equal recalls, or equal counts, the higher
        # threshold is named.
        called = self.tp + self.fp
        return self._start + int(np.searchsorted(called, called[best[-1 if name == "recall" else 0]]))

    @cached_property
    def _best_case(self) -> PrecisionRecall | None:
        """The same with the rows of every bin in their best order; None when every score is known."""
        return None if self.scores.exact else PrecisionRecall(best_case(self.scores))

    def _too_precise(self, value: float) -> OptionError:
        top = int(self.precision.argmax())
        highest = f"{number(self.precision[top])}, at the threshold {cut(self.scores, self._start + top)}"
        if self._best_case is not None and self._best_case._reached("precision", value) is not None:
            return OptionError(
                f"no threshold at an edge of a bin has a precision of {value:g}; the highest is {highest}. "
                "One within a bin may have it.",
                hint=FINER,
            )
        return OptionError(f"no threshold has a precision of {value:g}; the highest is {highest}.")

    def _point(self, place: int, threshold: float) -> PrecisionRecallPoint:
        at = counts_at(self.scores, place)
        precision, recall = (finite(METRICS[name](at)) for name in ("precision", "recall"))
        return PrecisionRecallPoint(threshold, precision, recall, at.tp, at.fp, at.fn, at.tn)

    # --- handed on -----------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per point, as a data frame."""
        columns = {name: getattr(self, name) for name in ("threshold", "tp", "fp", "precision", "recall")}
        return frame(columns, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points."""
        columns = {"precision": self.precision, "recall": self.recall, "threshold": self.threshold}
        form: dict[str, Any] = {"average_precision": self.average_precision, "baseline": self.baseline}
        if self.why:
            form["why"] = self.why
        if not self.scores.exact:
            form |= {"exact": False, "bounds": None if self.bounds is None else list(self.bounds)}
        return form | thinned(columns, most)

    def document(self) -> Document:
        """The area, what random answers would give, and the precision that each recall leaves."""
        return Document("", (Section("Precision and recall", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        if self.why:
            yield Paragraph(f"The curve of precision and recall is undefined: {self.why}.")
            return
        yield Paragraph(" ".join(self._sentences()))
        if len(self.threshold) <= MOST_PRINTED:
            yield self._printed(range(self._start, len(self.scores.thresholds)))
            return
        points = [self.at(recall=recall) for recall in _RECALLS]
        places = [row_at(self.scores, point.threshold) for point in points]
        title = f"The best precision with at least so much recall, of {count(len(self.threshold))} thresholds"
        yield self._printed(places, [share_of(recall) for recall in _RECALLS], title)

    def _sentences(self) -> Iterator[str]:
        yield f"Average precision: {number(self.average_precision)}."
        if self.bounds:
            yield f"{BINS} Within the bins it can be {interval(*self.bounds)}."
        yield (
            f"Calling rows positive at random has a precision of {number(self.baseline)}, the share of "
            f"positives ({count(self.tp[-1].item())} of {count((self.tp[-1] + self.fp[-1]).item())})."
        )

    def _printed(self, places: Any, asked: list[str] | None = None, title: str = "") -> Table:
        rows = []
        for row, place in enumerate(places):
            at = counts_at(self.scores, place)
            rates = (number(METRICS[name](at)) for name in ("precision", "recall"))
            begin = () if asked is None else (asked[row],)
            rows.append((*begin, cut(self.scores, place), count(at.tp), count(at.fp), *rates))
        titles = ("score >=", "TP", "FP", "precision", "recall")
        columns = (*(() if asked is None else ("recall of at least",)), *titles)
        return Table(tuple(map(Column, columns)), tuple(rows), title)

    # --- drawn ---------------------------------------------------------------------------------

    def figure(self, label: str = "", threshold: float | None = None) -> Figure:
        """Steps, the baseline with its number, and the point of an operating threshold if one is given."""
        axes = Axis("recall"), Axis("precision")
        if self.why:
            return Figure((Panel(*axes, (Note(0.05, 0.5, f"undefined: {self.why}"),), square=True),))
        baseline = self.scores.prevalence
        named = f"{label}, " if label else ""
        area = f"{named}average precision {number(self.average_precision)}"
        marks: list[Mark] = [
            # From the lowest threshold up, because each precision holds down to the recall before it.
            Line(
                np.append(self.recall[::-1], 0.0),
                np.append(self.precision[::-1], self.precision[0]),
                area,
                stepped=True,
            ),
            Line(np.array([0.0, 1.0]), np.full(2, baseline), f"at random: {number(baseline)}", series=None),
        ]
        if threshold is not None:
            marks += self._operating(threshold)
        return Figure((Panel(*axes, tuple(marks), square=True),), note="" if self.scores.exact else BINS)

    def _operating(self, threshold: float) -> list[Mark]:
        point = self.at(threshold=threshold)
        if point.precision is None or point.recall is None:
            return []
        at = np.array([point.recall]), np.array([point.precision])
        said = f"score >= {threshold:g}: precision {number(point.precision)}, recall {number(point.recall)}"
        return [Points(*at, said)]

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)
