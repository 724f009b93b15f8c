"""An ROC curve from classifiers that only answer: each setting of their parameters gives one point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.roc.hull import Hull, area, upper_hull
from tallymark.curves.roc.landmarks import BELOW_DIAGONAL, LANDMARKS, Landmark
from tallymark.curves.shared import DUST, asked_for, drawn
from tallymark.drawing.notebook import Drawn
from tallymark.errors import InputError, LabelError, ShapeError, precise
from tallymark.tallies import Binary, Confusion, Label
from tallymark.tallies.labels import conventional_positive, listed, quoted

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure

Given: TypeAlias = Confusion | Binary | Sequence[float]
Floats = NDArray[np.float64]


class NamedPoint(NamedTuple):
    """One setting of a classifier; without a name, one of the two ends that every classifier reaches."""

    name: str
    fpr: float
    tpr: float


@dataclass(frozen=True, eq=False)
class RocOfPoints(Drawn):
    """Settings in the order of their FPR, between (0, 0) and (1, 1); `roc_from_points` makes it."""

    names: tuple[str, ...]
    """What each point is called; empty at the two ends."""
    fpr: Floats
    tpr: Floats
    counts: tuple[Binary | None, ...]
    """The counts of each point, where they were given."""
    notes: tuple[str, ...] = ()

    @property
    def auc(self) -> float:
        """The area below the points joined by straight lines, which a coin between neighbours reaches."""
        return area(self.fpr, self.tpr)

    @cached_property
    def hull(self) -> Hull:
        """The upper convex hull of the points."""
        at = upper_hull(self.fpr, self.tpr)
        return Hull(self.fpr[at], self.tpr[at])

    @cached_property
    def _below_hull(self) -> Floats:
        """How far each point is below the hull."""
        x, first = np.unique(self.hull.fpr[::-1], return_index=True)
        return np.asarray(np.interp(self.fpr, x, self.hull.tpr[::-1][first]) - self.tpr)

    @property
    def inside(self) -> tuple[str, ...]:
        """Settings below the hull: whatever the costs, another one, or a coin between two, is better."""
        below = self._below_hull > DUST
        return tuple(name for name, inside in zip(self.names, below, strict=True) if inside and name)

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """What the corners of the picture mean."""
        return LANDMARKS

    @property
    def below_diagonal(self) -> str | None:
        """What an area below one half says; None when it is not."""
        return BELOW_DIAGONAL if self.auc < 0.5 else None

    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> NamedPoint:
        """The setting with the highest TPR whose FPR is not above `fpr`, or with the lowest FPR whose TPR
        is not below `tpr`."""
        name, value = asked_for({"fpr": fpr, "tpr": tpr})
        if name == "fpr":
            allowed = np.flatnonzero(self.fpr <= value + DUST)
            place = allowed[np.lexsort((self.fpr[allowed], -self.tpr[allowed]))[0]]
        else:
            allowed = np.flatnonzero(self.tpr >= value - DUST)
            place = allowed[np.lexsort((-self.tpr[allowed], self.fpr[allowed]))[0]]
        return NamedPoint(self.names[place], self.fpr[place].item(), self.tpr[place].item())

    def table(self, library: str | None = None) -> Any:
        """One row per point, as a polars data frame or in the library named."""
        columns: dict[str, Any] = {"name": [name or None for name in self.names]}
        if any(self.counts):
            for cell in ("tp", "fp", "tn", "fn"):
                columns[cell] = [None if tally is None else getattr(tally, cell) for tally in self.counts]
        return frame({**columns, "tpr": self.tpr, "fpr": self.fpr}, library)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        form: dict[str, Any] = {
            "construction": "points",
            "auc": self.auc,
            "name": [name or None for name in self.names],
            "fpr": self.fpr.tolist(),
            "tpr": self.tpr.tolist(),
            "points": len(self.names),
            "hull": self.hull.to_dict(),
            "inside": list(self.inside),
        }
        return form | ({"notes": list(self.notes)} if self.notes else {})

    def document(self) -> Document:
        """The points, the area and the hull, for any pen to draw."""
        from tallymark.curves.roc.points_words import describe

        return describe(self)

    def figure(self, label: str | None = None) -> Figure:
        """The picture, for any pen to draw."""
        from tallymark.curves.roc.figures import points_figure

        return points_figure(self, label)

    def plot(self, ax: Any = None, *, label: str | None = None) -> Any:
        """Draw the picture on matplotlib axes, new ones unless given, and return them."""
        return drawn(self.figure(label), ax)

    def __repr__(self) -> str:
        return f"RocOfPoints({len(self.names) - 2:,} settings, auc {self.auc:.4g})"


def roc_from_points(
    points: Sequence[Given] | Mapping[str, Given], pos_label: Label | None = None
) -> RocOfPoints:
    """The ROC curve of a classifier's parameter settings: confusion matrices, counts or (FPR, TPR) pairs.

    A mapping gives the settings names. `pos_label` is the positive class of confusion matrices.

    >>> roc_from_points({"cautious": (0.1, 0.5), "bold": (0.4, 0.8)}).auc
    0.76
    """
    if isinstance(points, Mapping):
        given = {str(name) or "(no name)": point for name, point in points.items()}
    elif hasattr(points, "__iter__"):
        given = {f"point {place + 1}": point for place, point in enumerate(points)}
    else:
        raise ShapeError(
            f"expected a list of points, or names with their points; got {type(points).__name__}.",
            hint="a point is a confusion matrix, counts, or a pair (FPR, TPR).",
        )
    if not given:
        raise ShapeError("there is no point.", hint="pass at least one confusion matrix or (FPR, TPR) pair.")
    notes: dict[str, None] = {}
    read = {name: point_of(name, point, pos_label, notes) for name, point in given.items()}
    if len(notes) > 1:
        labels = {listed(point.labels) for point in given.values() if isinstance(point, Confusion)}
        raise LabelError(
            f"the matrices do not have the same first label: {' and '.join(sorted(labels))}.",
            hint="name the positive class: pos_label=...",
        )
    every = [("", 0.0, 0.0, None), *((name, *point) for name, point in read.items()), ("", 1.0, 1.0, None)]
    # Sorting is stable: the ends stay outside of settings that lie on them.
    every[1:-1] = sorted(every[1:-1], key=lambda point: point[1:3])
    names, fpr, tpr, counts = zip(*every, strict=True)
    return RocOfPoints(names, np.array(fpr), np.array(tpr), counts, tuple(notes))


def point_of(
    name: str, given: Any, pos_label: Label | None = None, notes: dict[str, None] | None = None
) -> tuple[float, float, Binary | None]:
    """FPR, TPR and the counts, where there are any."""
    if isinstance(given, Confusion):
        given = given.binary(_positive(name, given, pos_label, {} if notes is None else notes))
    if not isinstance(given, Binary):
        return *_pair(name, given), None
    for total, kind in ((given.actual_positive, "positive"), (given.actual_negative, "negative")):
        if not total:
            rate = "TPR" if kind == "positive" else "FPR"
            raise InputError(f"{quoted(name)} has no {rate}: no row is actually {kind}.")
    return float(given.fp / given.actual_negative), float(given.tp / given.actual_positive), given


def _pair(name: str, given: Any) -> tuple[float, float]:
    try:
        fpr, tpr = (float(rate) for rate in given)
    except (TypeError, ValueError):
        raise ShapeError(
            f"{quoted(name)} must be a confusion matrix, counts or a pair (FPR, TPR); got {quoted(given)}."
        ) from None
    if not (0 <= fpr <= 1 and 0 <= tpr <= 1):
        shown = f"FPR {precise(fpr, 0, 1)} and TPR {precise(tpr, 0, 1)}"
        raise InputError(f"rates lie between 0 and 1; {quoted(name)} has {shown}.")
    return fpr, tpr


def _positive(name: str, confusion: Confusion, pos_label: Label | None, notes: dict[str, None]) -> Label:
    if pos_label is not None:
        return pos_label
    usual = conventional_positive(confusion.labels)
    if usual is not None:
        return usual
    if len(confusion.labels) == 2 and confusion.declared:
        notes[f"positive class: {quoted(confusion.labels[0])}, the first label of the matrices"] = None
        return confusion.labels[0]
    raise LabelError(
        f"name the positive class: the labels of {quoted(name)} are {listed(confusion.labels)}.",
        hint="pos_label=...",
    )
