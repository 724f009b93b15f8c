"""`Roc`: true against false positive rate at every threshold, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.open_order import best_case, between, dust_of
from tallymark.curves.roc.band import RocBand
from tallymark.curves.roc.hull import ThresholdHull, upper_hull
from tallymark.curves.roc.landmarks import BELOW_DIAGONAL, LANDMARKS, Landmark
from tallymark.curves.roc.ties import Ties, total_product
from tallymark.curves.shared import (
    DUST,
    NO_POSITIVES,
    NO_ROWS,
    asked_for,
    counts_at,
    drawn,
    in_blocks,
    kept,
    row_at,
    thinned,
)
from tallymark.drawing import count
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.metrics import ask
from tallymark.metrics.registry import ratio
from tallymark.metrics.score_bounds import certified
from tallymark.tallies import Label, Scores
from tallymark.tallies.confusion import frozen

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure

Floats = NDArray[np.float64]
_AREA = ask("auc")


@dataclass(frozen=True)
class RocPoint:
    """One threshold: `score >= threshold` is called positive."""

    threshold: float
    fpr: float | None
    tpr: float | None
    tp: Any
    fp: Any
    tn: Any
    fn: Any
    bounds: tuple[float, float] | None = None
    """What a threshold within a bin can make of it: of the TPR when an FPR was asked for, of the FPR when a
    TPR was. None when no bin leaves it open."""


@dataclass(frozen=True, eq=False)
class Trapezoids:
    """The strips an area is the sum of, in the order of the curve; steps straight up have none."""

    low: Floats
    high: Floats
    """From which FPR to which."""
    height: Floats
    """Mean of the TPR at both ends."""

    @property
    def width(self) -> Floats:
        return self.high - self.low

    @property
    def area(self) -> Floats:
        return self.width * self.height

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, eq=False)
class Roc(Drawn):
    """An ROC curve in one construction; `roc_of` and `roc_of_rows` make it.

    Arrays run in the order printed: the threshold falls from infinity, where nothing is called positive,
    or, ascending, rises from the lowest score to where nothing is.
    """

    scores: Scores
    """The tally behind the points; what equal scores leave open is read from it."""
    construction: str
    ascending: bool
    threshold: Floats
    tp: NDArray[Any]
    fp: NDArray[Any]
    examples: NDArray[np.intp] | None = None
    """Which row each point is about, where every row has a point; -1 at the end without one."""
    names: tuple[str, ...] | None = None
    """What the bins are called, in the order printed; empty at the end without one."""
    note: str = ""
    level: float = 0.95
    """Of the band, unless it is asked for at another."""
    no_band: str = ""
    """Why there is no band."""

    # --- counts and rates ----------------------------------------------------------------------

    @property
    def in_bins(self) -> bool:
        """Whether there is a point per bin, not per score."""
        return self.names is not None or not self.scores.exact

    @property
    def positive(self) -> Label | None:
        return self.scores.positive

    @cached_property
    def _totals(self) -> tuple[Any, Any]:
        return self.tp.max().item(), self.fp.max().item()

    @property
    def tn(self) -> NDArray[Any]:
        return frozen(np.asarray(self._totals[1] - self.fp))

    @property
    def fn(self) -> NDArray[Any]:
        return frozen(np.asarray(self._totals[0] - self.tp))

    @property
    def tpr(self) -> Floats:
        """TP / (TP + FN); NaN when no row is actually positive."""
        return in_blocks(len(self.tp), lambda at: ratio(self.tp[at], self._totals[0]))

    @property
    def fpr(self) -> Floats:
        """FP / (FP + TN); NaN when no row is actually negative."""
        return in_blocks(len(self.fp), lambda at: ratio(self.fp[at], self._totals[1]))

    @property
    def why(self) -> str | None:
        """Why there is no area; None when there is one."""
        positives, negatives = self._totals
        if positives and negatives:
            return None
        if not positives and not negatives:
            return NO_ROWS
        return NO_POSITIVES if negatives else "no row is actually negative"

    @property
    def gained(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Positive and negative rows between each threshold and the next higher one."""
        falling = (side[::-1] if self.ascending else side for side in (self.tp, self.fp))
        steps = (np.diff(side, prepend=side[:1]) for side in falling)
        first, second = (side[::-1] if self.ascending else side for side in steps)
        return frozen(first), frozen(second)

    @property
    def category(self) -> tuple[str | None, ...]:
        """The class of each row ("+" or "-") or how many rows of each ("3+ 1-"); None at the added end."""
        return self.categories(np.arange(len(self.threshold)))

    def categories(self, places: NDArray[np.intp]) -> tuple[str | None, ...]:
        """`category` at some of the points."""
        added = len(self.threshold) - 1 if self.ascending else 0
        cells = zip(places.tolist(), *(side[places].tolist() for side in self.gained), strict=True)
        single = self.examples is not None
        return tuple(None if place == added else _category(*both, single=single) for place, *both in cells)

    # --- areas -----------------------------------------------------------------------------------

    @cached_property
    def auc(self) -> float | None:
        """The area below the points joined by straight lines; None with one class only (see `why`)."""
        if self.why:
            return None
        doubled = total_product(np.abs(np.diff(self.fp)), self.tp[1:] + self.tp[:-1])
        return float(doubled / (2 * self._totals[0] * self._totals[1]))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between what the area of the scores lies when only bins were counted; None when it is exact."""
        if self.auc is None or self.scores.exact:
            return None
        return certified(_AREA, self.scores, self.auc)

    def trapezoids(self) -> Trapezoids:
        """The strips whose areas add up to `auc`; none with one class only."""
        wide = np.flatnonzero(np.diff(self.fp)) if self.why is None else np.empty(0, np.intp)
        fpr, tpr = self.fpr, self.tpr
        start, end = fpr[wide], fpr[wide + 1]
        height = (tpr[wide] + tpr[wide + 1]) / 2
        return Trapezoids(np.minimum(start, end), np.maximum(start, end), height)

    @cached_property
    def ties(self) -> Ties:
        """Tied pairs, and the areas and curves between which any order of them stays."""
        return Ties(self.scores)

    @property
    def optimistic(self) -> float | None:
        return self.ties.optimistic

    @property
    def pessimistic(self) -> float | None:
        return self.ties.pessimistic

    @cached_property
    def hull(self) -> ThresholdHull | None:
        """The upper convex hull of the points that a threshold can reach; None with one class only."""
        if self.why:
            return None
        if self.examples is not None:
            tp, fp, threshold = self.scores.tp, self.scores.fp, self.scores.thresholds
        else:
            tp, fp, threshold = (
                side[::-1] if self.ascending else side for side in (self.tp, self.fp, self.threshold)
            )
        at = upper_hull(fp, tp)
        return ThresholdHull(fp[at] / fp[-1], tp[at] / tp[-1], threshold[at])

    def band(self, confidence_level: float | None = None) -> RocBand | None:
        """A pointwise confidence band; None with one class only, or where rows belong together."""
        if self.why or self.no_band:
            return None
        return RocBand.of(self.scores, self.level if confidence_level is None else confidence_level)

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """What the corners of the picture mean."""
        return LANDMARKS

    @property
    def below_diagonal(self) -> str | None:
        """What an area of the scores below one half says; None when it is not. It is never flipped."""
        if self.optimistic is None or self.pessimistic is None:
            return None
        # Tied pairs count half, whatever this construction makes of them.
        return BELOW_DIAGONAL if (self.optimistic + self.pessimistic) / 2 < 0.5 else None

    # --- one point -------------------------------------------------------------------------------

    def at(
        self, *, threshold: float | None = None, fpr: float | None = None, tpr: float | None = None
    ) -> RocPoint:
        """The counts of `score >= threshold`; the highest TPR whose FPR is not above `fpr`; or the lowest
        FPR whose TPR is not below `tpr`.

        Of equally good thresholds it is one that nothing else beats. What lies between two points of the
        curve is reached only by tossing a coin between their thresholds, and is not given.
        """
        name, value = asked_for({"threshold": threshold, "fpr": fpr, "tpr": tpr})
        if name == "threshold":
            return self._point(row_at(self.scores, value), value)
        if self.why:
            raise OptionError(f"there is no curve: {self.why}.", about_data=True)
        point = self._point(_reached(self.scores, name, value))
        if self.scores.exact:
            return point
        ideal, other = best_case(self.scores), "tpr" if name == "fpr" else "fpr"
        side = ideal.tp if other == "tpr" else ideal.fp
        best = float(side[_reached(ideal, name, value)] / side[-1])
        return replace(point, bounds=between(getattr(point, other), best, dust_of(self.scores)))

    def _point(self, place: int, threshold: float | None = None) -> RocPoint:
        at = counts_at(self.scores, place)
        tp, fp, tn, fn = at.tp, at.fp, at.tn, at.fn
        return RocPoint(
            self.scores.thresholds[place].item() if threshold is None else threshold,
            fp / (fp + tn) if fp + tn else None,
            tp / (tp + fn) if tp + fn else None,
            *(tp, fp, tn, fn),
        )

    # --- on paper --------------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per point, as a polars data frame or in the library named."""
        columns: dict[str, Any] = {"threshold": self.threshold}
        if self.names is not None:
            columns = {"bin": [name or None for name in self.names], **columns}
        if self.examples is not None:
            columns["example"] = [None if row < 0 else row for row in self.examples.tolist()]
            columns["class"] = list(self.category)
        else:
            columns["positives"], columns["negatives"] = self.gained
        for name in ("tp", "fp", "tn", "fn", "tpr", "fpr"):
            columns[name] = getattr(self, name)
        return frame(columns, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; of a longer curve `most` points, evenly, and the vertices of the hull."""
        form: dict[str, Any] = {"construction": self.construction, "ascending": self.ascending}
        form |= {"positive": None if self.positive is None else str(self.positive), "auc": self.auc}
        if self.why:
            form["why"] = self.why
        if not self.scores.exact:
            form |= {"exact": False, "bounds": None if self.bounds is None else list(self.bounds)}
        names = ("fpr", "tpr", "threshold", "tp", "fp", "tn", "fn")
        rows = kept(len(self.threshold), most, self._vertices)
        form |= thinned({name: getattr(self, name) for name in names}, most, rows)
        if self.examples is not None:
            form["class"] = list(self.categories(rows))
        if self.names is not None:
            form["bin"] = [self.names[place] or None for place in rows]
        form["ties"] = self.ties.to_dict()
        form["hull"] = None if self.hull is None else self.hull.to_dict()
        return form | ({"note": self.note} if self.note else {})

    @property
    def _vertices(self) -> list[int]:
        """Where the vertices of the hull are among the points."""
        if self.hull is None:
            return []
        return np.flatnonzero(np.isin(self.threshold, self.hull.threshold)).tolist()

    def document(self) -> Document:
        """The worked table, the trapezoids, ties, hull and landmarks, for any pen to draw."""
        from tallymark.curves.roc.words import describe

        return describe(self)

    def figure(
        self, label: str | None = None, *, band: bool = True, confidence_level: float | None = None
    ) -> Figure:
        """The picture, for any pen to draw; `band` adds the pointwise confidence band."""
        from tallymark.curves.roc.figures import roc_figure

        level = self.level if confidence_level is None else confidence_level
        figure = roc_figure(self, label, band=band, level=level)
        without = self.no_band if band and not self.why else ""
        return replace(figure, note=f"{figure.note} {without}".strip()) if without else figure

    def plot(
        self,
        ax: Any = None,
        *,
        label: str | None = None,
        band: bool = True,
        confidence_level: float | None = None,
    ) -> Any:
        """Draw the picture on matplotlib axes, new ones unless given, and return them."""
        return drawn(self.figure(label, band=band, confidence_level=confidence_level), ax)

    def __repr__(self) -> str:
        area = self.why if self.auc is None else f"auc {self.auc:.4g}"
        return f"Roc({self.construction}, {len(self.threshold):,} points, {area})"


def _reached(scores: Scores, name: str, value: float) -> int:
    """The cut with the highest TPR up to an FPR, or with the lowest FPR from a TPR on."""
    false, true = (side / side[-1] for side in (scores.fp, scores.tp))
    if name == "fpr":
        reached = np.searchsorted(false, value + DUST, side="right") - 1
        return int(np.searchsorted(true, true[reached]))
    reached = np.searchsorted(true, value - DUST)
    return int(np.searchsorted(false, false[reached], side="right")) - 1


def _category(positives: Any, negatives: Any, *, single: bool) -> str:
    if single:
        return "+" if positives else "-"
    both = ((positives, "+"), (negatives, "-"))
    return " ".join(f"{count(amount)}{sign}" for amount, sign in both if amount) or "0"
