"""Any count-based metric at every threshold, from one sort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.equally_good import Best, best_dict, best_of
from tallymark.curves.frames import frame
from tallymark.curves.shared import (
    BINS,
    DUST,
    MOST_PRINTED,
    NO_ROWS,
    asked_for,
    counts_at,
    cut,
    drawn,
    finite,
    in_blocks,
    kept,
    row_at,
    spelled,
    spelled_up,
    thinned,
)
from tallymark.curves.threshold_marks import ends, heights, marks_of
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, number
from tallymark.drawing.figure import Axis, Figure, Legend, Mark, Note, Panel, Points
from tallymark.drawing.notebook import Drawn
from tallymark.errors import MetricError, OptionError
from tallymark.metrics import Asked, ask, vocabulary
from tallymark.tallies import Binary, Scores

OPTIMISTIC = (
    "The best threshold was looked for among these very rows, so its value is optimistic: on new rows "
    "expect less."
)
# Where rows are counted, rates are rounded once or twice; a sum of weights is rounded at every step.
_ROUNDING = 4 * float(np.finfo(np.float64).eps)
NEXT_TO_NONE, _BEYOND = 1e-100, 1e50


@dataclass(frozen=True, eq=False)
class ThresholdCurve(Drawn):
    """A metric at every threshold that gives another answer, from the highest down.

    >>> curve = ThresholdCurve(Scores.from_bins([2, 1, 0], [0, 1, 3], edges=[1, 0.6, 0.3, 0]))
    >>> curve.value.round(3).tolist(), curve.best.threshold
    ([0.0, 0.8, 0.857, 0.6], 0.3)
    """

    scores: Scores
    metric: str = "f1"

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", _asked(self.metric).name)

    @cached_property
    def _asked(self) -> Asked:
        return _asked(self.metric)

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The first is infinite: nothing is called positive."""
        return self.scores.thresholds

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """NaN where the metric is undefined."""
        metric, parameters = self._asked.metric, self._asked.parameters
        return in_blocks(len(self.threshold), lambda at: metric(self.scores.cuts(at), *parameters))

    @cached_property
    def undefined(self) -> dict[str, int]:
        """Why the metric is undefined, and at how many thresholds."""
        missing = np.flatnonzero(np.isnan(self.value))
        reasons: Counter[str] = Counter()
        for run in np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1):
            if len(run):
                self._count_reasons(int(run[0]), int(run[-1]), reasons)
        return dict(reasons)

    def _count_reasons(self, first: int, last: int, reasons: Counter[str]) -> None:
        """As the threshold sinks counts only grow or only shrink, so equal reasons are neighbours."""
        ends = self._reason(first), self._reason(last)
        if ends[0] == ends[1]:
            reasons[ends[0]] += last - first + 1
            return
        middle = (first + last) // 2
        self._count_reasons(first, middle, reasons)
        self._count_reasons(middle + 1, last, reasons)

    def _reason(self, place: int) -> str:
        words = vocabulary.of_binary(counts_at(self.scores, place))
        words |= vocabulary.parameters(self._asked.metric, self._asked.parameters)
        return vocabulary.reason(self._asked.metric.undefined, words)

    @property
    def no_best(self) -> str | None:
        """Why no threshold is best, when none is."""
        if not self.scores.n:
            return NO_ROWS
        if self._asked.metric.better == "neither":
            return f"neither more nor less {self.metric} is better"
        if len(self._infinite):
            lowest = int(self._infinite[-1])
            at, points = cut(self.scores, lowest), len(self._infinite)
            where = f"at the threshold {at}" if points == 1 else f"at {points:,} thresholds, {at} the lowest,"
            return f"{where} {self._reason(lowest)}"
        if self.undefined_throughout:
            return "it is undefined at every one of them: " + " or ".join(self.undefined)
        return None

    @property
    def undefined_throughout(self) -> bool:
        """Whether it has no value at any threshold, and is not infinite at one either."""
        return not len(self._infinite) and bool(np.isnan(self.value).all())

    @cached_property
    def _infinite(self) -> NDArray[np.intp]:
        """Where a ratio that is better the higher grows beyond all bounds as its errors go to none."""
        if not _may_be_infinite(self._asked):
            return np.empty(0, np.intp)
        size = len(self.threshold)
        return np.flatnonzero(in_blocks(size, lambda at: without_end(self._asked, self.scores.cuts(at))))

    @cached_property
    def _good(self) -> NDArray[np.intp]:
        """Where the metric has its best value, highest threshold first."""
        values = self.value if self._asked.metric.better == "higher" else -self.value
        best = np.nanmax(values)
        share = _ROUNDING if self.scores.squares is None else DUST
        return np.flatnonzero(values >= best - share * max(1.0, abs(best)))

    @cached_property
    def best(self) -> Best | None:
        """The best threshold, the highest of equally good ones; None when there is none (see `no_best`)."""
        if self.no_best:
            return None
        return best_of(self.scores, self._good, float(self.value[self._good[0]]))

    def at(self, threshold: float) -> float | None:
        """The value when `score >= threshold` is called positive; None where it is undefined."""
        _, value = asked_for({"threshold": threshold})
        return None if np.isnan(found := self.value[row_at(self.scores, value)]) else float(found)

    # --- handed on -----------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per threshold with its counts, as a data frame."""
        return ThresholdCurves((self,)).table(library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points, the best among them."""
        best = self.best
        form: dict[str, Any] = {"metric": self.metric, "undefined": self.undefined, "best": None}
        if best is None:
            form["why"] = self.no_best
        else:
            form["best"] = best_dict(best)
        if not self.scores.exact:
            form["exact"] = False
        always = () if best is None else (int(self._good[0]),)
        return form | thinned({"threshold": self.threshold, "value": self.value}, most, always)

    def document(self) -> Document:
        """Where it is best, what that is worth, and its course."""
        return ThresholdCurves((self,)).document()

    def sentences(self) -> Iterator[str]:
        """Where the metric is best, and where it is undefined."""
        best = self.best
        if best is None:
            yield f"No threshold is best for {self.metric}: {self.no_best}."
        else:
            word = "highest" if self._asked.metric.better == "higher" else "lowest"
            yield f"{self.metric} is {word}, {number(best.value)}, {self._where(best)}."
            if best.others:
                others = "1 other interval is" if best.others == 1 else f"{best.others:,} other intervals are"
                yield f"{others} as good; this one calls the fewest rows positive."
        if best is not None or self._asked.metric.better == "neither":
            for why, points in self.undefined.items():
                where = "1 threshold" if points == 1 else f"{points:,} thresholds"
                yield f"At {where} {self.metric} is undefined: {why}."

    def _printed(self, place: int) -> str:
        if place in self._infinite:
            return "inf"
        return number(finite(float(self.value[place])))

    def _where(self, best: Best) -> str:
        place = int(self._good[0])
        if place == 0:
            nothing = "when nothing is called positive"
            if best.low is None:
                return nothing
            alone = len(self._good) == 1 or self._good[1] > 1
            return f"{nothing}, {_above(best)}" if alone else _above(best)
        at = f"at the threshold {cut(self.scores, place)}"
        if best.low is None:
            return at
        if np.isinf(best.low):
            return f"{at} and at every lower one"
        low = spelled_up(best.low, best.high)
        return f"{at}; every threshold above {low} and up to {spelled(best.high, float(low))} gives the same"

    @property
    def briefly(self) -> str:
        """The best value and where, for a picture; nothing when there is none."""
        if self.best is None:
            return ""
        place = int(self._good[0])
        where = f"at {cut(self.scores, place)}" if place else "above every score"
        if not place and self.best.low is not None:
            where = _above(self.best)
        return f"best {number(self.best.value)} {where}"

    def figure(self, label: str = "") -> Figure:
        """The metric against the threshold, with its best point."""
        return ThresholdCurves((self,)).figure(label)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)


@dataclass(frozen=True, eq=False)
class ThresholdCurves(Drawn):
    """Several metrics against the same thresholds."""

    curves: tuple[ThresholdCurve, ...]

    @property
    def scores(self) -> Scores:
        return self.curves[0].scores

    def table(self, library: str | None = None) -> Any:
        """One row per threshold with its counts and every metric, as a data frame."""
        cuts = self.scores.cuts()
        columns = {"threshold": self.scores.thresholds} | {
            name: getattr(cuts, name) for name in ("tp", "fp", "fn", "tn")
        }
        return frame(columns | {curve.metric: curve.value for curve in self.curves}, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON, each metric by its name."""
        return {curve.metric: curve.to_dict(most) for curve in self.curves}

    def document(self) -> Document:
        """Where each is best, and their course."""
        title = "Metrics against the threshold"
        if len(self.curves) == 1:
            title = f"{self.curves[0].metric} against the threshold"
        return Document("", (Section(title, tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        for curve in self.curves:
            yield Paragraph(" ".join(curve.sentences()))
        if any(curve.best is not None for curve in self.curves):
            yield Paragraph(OPTIMISTIC)
        if not self.scores.exact:
            yield Paragraph(BINS)
        if self.scores.n:
            yield self._printed()

    def _printed(self) -> Table:
        size = len(self.scores.thresholds)
        always = [int(curve._good[0]) for curve in self.curves if curve.best is not None]
        places = kept(size, MOST_PRINTED, always).tolist()
        title = "" if len(places) == size else f"{len(places)} of {count(size)} thresholds"
        rows = []
        for place in places:
            counts = counts_at(self.scores, place)
            four = (count(side) for side in (counts.tp, counts.fp, counts.fn, counts.tn))
            values = (curve._printed(place) for curve in self.curves)
            rows.append((cut(self.scores, place), *four, *values))
        titles = ("score >=", "TP", "FP", "FN", "TN", *(curve.metric for curve in self.curves))
        return Table(tuple(map(Column, titles)), tuple(rows), title)

    def figure(self, label: str = "") -> Figure:
        """Every metric against the threshold, each with its best point; one of several models has a label."""
        low, high = ends(self.scores)
        marks: list[Mark] = []
        for series, curve in enumerate(self.curves):
            marks += marks_of(curve, series, low, high, label)
        if all(np.isnan(curve.value).all() for curve in self.curves):
            marks = [Note(low, 0.5, f"undefined: {' or '.join(self.curves[0].undefined)}")]
        alone = len(self.curves) == 1
        if alone and not label and (best := self.curves[0].best):
            marks.append(Note(min(best.threshold, high), best.value, self.curves[0].briefly, "above"))
        y = Axis(self.curves[0].metric if alone else "value", *heights(self.curves))
        notes = [] if self.scores.exact else [BINS]
        notes += [next(curve.sentences()) for curve in self.curves if len(curve._infinite)]
        if any(isinstance(mark, Points) for mark in marks):
            notes.append(OPTIMISTIC)
        note = " ".join(notes)
        legend: Legend = "none" if alone and not label else "below"
        return Figure((Panel(Axis("threshold", low, high), y, tuple(marks), legend=legend),), note=note)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)


def threshold_curves(
    scores: Scores, metrics: Sequence[str] = ("precision", "recall", "f1")
) -> ThresholdCurves:
    """Several metrics against the threshold, in one table and one picture."""
    if isinstance(metrics, str) or not len(metrics):
        raise OptionError(f"metrics must be a list of names; got {metrics!r}.")
    return ThresholdCurves(tuple(ThresholdCurve(scores, name) for name in metrics))


def _may_be_infinite(asked: Asked) -> bool:
    return asked.metric.better == "higher" and bool(np.isinf(asked.metric.range[1]))


def without_end(asked: Asked, counts: Binary) -> NDArray[np.bool_]:
    """Where a ratio that is better the higher is undefined because, as its errors go to none, it grows
    beyond all bounds."""
    if not _may_be_infinite(asked):
        return np.zeros(len(counts.tp), np.bool_)
    fn, fp = (np.where(side == 0, NEXT_TO_NONE, side) for side in (counts.fn, counts.fp))
    near = asked.metric(Binary(counts.tp, fn, fp, counts.tn), *asked.parameters)
    return np.asarray(np.isnan(asked.metric(counts, *asked.parameters)) & (near > _BEYOND))


def _asked(name: str) -> Asked:
    """A metric that a 2x2 of counts, and so a threshold, gives."""
    asked = ask(name)
    if asked.metric.needs_costs:
        raise MetricError(
            f"{asked.name!r} needs costs, which a curve over thresholds does not have.",
            hint="`tallymark decide FILE --costs ...` (ev.decide) finds the cheapest threshold.",
        )
    if asked.average:
        raise MetricError(
            f"{asked.name!r} is an average over classes, and a threshold is about one of them.",
            hint=f"ask for {asked.metric.name}.",
        )
    if asked.metric.about not in ("class", "all"):
        what = "rows with several labels" if asked.metric.about == "sets" else "the scores as a whole"
        raise MetricError(
            f"{asked.name!r} is about {what}, so it has no value at a threshold.",
            hint="ask for one that counts answers, such as f1, precision, recall, accuracy or mcc.",
        )
    return asked


def _above(best: Best) -> str:
    """Thresholds up to infinity, at which nothing is called positive."""
    assert best.low is not None
    return "at every threshold" + ("" if np.isinf(best.low) else f" above {spelled_up(best.low, np.inf)}")
