"""Several models in one ROC picture: which is best where, and which are never the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.roc.curve import Roc
from tallymark.curves.roc.from_points import Given, RocOfPoints, point_of
from tallymark.curves.roc.hull import Hull, upper_hull
from tallymark.curves.roc.paths import Path, crossings_of, merged
from tallymark.curves.shared import DUST, drawn
from tallymark.drawing.notebook import Drawn
from tallymark.errors import InputError, LabelError, ShapeError
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure

Model: TypeAlias = Roc | RocOfPoints | Given
Floats = NDArray[np.float64]
_ENDS = ((0.0, 0.0), (1.0, 1.0))


@dataclass(frozen=True)
class Range:
    """From one FPR to another the same model, or several alike, has the highest TPR."""

    low: float
    high: float
    names: tuple[str, ...]


@dataclass(frozen=True)
class Crossing:
    """Below `fpr` the model `before` is above the other, beyond `until` the model `after` is."""

    before: str
    after: str
    fpr: float
    until: float
    """Equal to `fpr`, unless the two run together for a while."""
    tpr: float


@dataclass(frozen=True)
class OnHull:
    """A stretch of the common hull that belongs to one model, or to several alike."""

    names: tuple[str, ...]
    low: float
    high: float
    """From which FPR to which its vertices lie."""
    slope_low: float
    slope_high: float
    """It is the best choice where cost(FP) * negatives / (cost(FN) * positives) lies between these."""


@dataclass(frozen=True, eq=False, init=False)
class Several(Drawn):
    """Models by name: ROC curves, and classifiers that only answer, as single points.

    >>> Several({"tree": (0.1, 0.6), "rule": (0.5, 0.55)}).never_best
    ('rule',)
    """

    curves: Mapping[str, Roc | RocOfPoints]
    points: Mapping[str, tuple[float, float]]
    """FPR and TPR of the single points."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        if not isinstance(models, Mapping) or not models:
            raise ShapeError("expected models by name: {'tree': curve, 'rule': (FPR, TPR)}.")
        curves: dict[str, Roc | RocOfPoints] = {}
        points: dict[str, tuple[float, float]] = {}
        for name, model in models.items():
            if isinstance(model, Drawn) and not isinstance(model, Roc | RocOfPoints):
                raise ShapeError(
                    f"models by their ROC curves are expected; {quoted(name)} is {type(model).__name__}.",
                    hint='pass ev.roc; or draw others on one picture: b.gains.plot(a.gains.plot(label="a"), '
                    'label="b").',
                )
            if not isinstance(model, Roc | RocOfPoints):
                points[str(name)] = point_of(str(name), model)[:2]
            elif isinstance(model, Roc) and model.why:
                raise InputError(
                    f"{quoted(name)} has no ROC curve: {model.why}.",
                    hint="leave it out: without rows of both classes there is nothing to compare.",
                )
            else:
                curves[str(name)] = model
        _refuse_other_classes(curves)
        object.__setattr__(self, "curves", curves)
        object.__setattr__(self, "points", points)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.curves, *self.points)

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return {name: Path.of(curve) for name, curve in self.curves.items()}

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Where one curve passes another, by FPR."""
        found = []
        for (one, first), (two, second) in combinations(self._paths.items(), 2):
            for up, fpr, until, tpr in crossings_of(first, second):
                before, after = (two, one) if up else (one, two)
                found.append(Crossing(before, after, fpr, until, tpr))
        return tuple(sorted(found, key=lambda crossing: crossing.fpr))

    @cached_property
    def best(self) -> tuple[Range, ...]:
        """Which curve is highest from which FPR to which; several where they run together."""
        if not self._paths:
            return ()
        ends = [end for crossing in self.crossings for end in (crossing.fpr, crossing.until)]
        grid = merged(*(path.fpr for path in self._paths.values()), np.sort(ends))
        grid = grid[np.concatenate([[True], np.diff(grid) > DUST])]
        grid[-1] = 1.0
        # Between two of these no curve has a corner and no two cross, so the middle stands for all.
        middle = (grid[1:] + grid[:-1]) / 2
        heights = np.stack([path.at(middle) for path in self._paths.values()])
        highest = heights >= heights.max(axis=0) - DUST
        starts = np.flatnonzero(np.concatenate([[True], (highest[:, 1:] != highest[:, :-1]).any(axis=0)]))
        names = np.array(list(self._paths), object)
        stops = np.append(starts[1:], len(middle))
        return tuple(
            Range(grid[start].item(), grid[stop].item(), tuple(names[highest[:, start]]))
            for start, stop in zip(starts, stops, strict=True)
        )

    @property
    def widths(self) -> dict[str, float]:
        """On how much of the FPR axis each curve alone is the highest."""
        found = dict.fromkeys(self.curves, 0.0)
        for part in self.best:
            if len(part.names) == 1:
                found[part.names[0]] += part.high - part.low
        return found

    # --- the common hull -------------------------------------------------------------------------

    @cached_property
    def _owners(self) -> dict[tuple[float, float], tuple[str, ...]]:
        """Every point that could be on the common hull, and whose it is."""
        owners: dict[tuple[float, float], tuple[str, ...]] = dict.fromkeys(_ENDS, ())
        for name, curve in self.curves.items():
            hull = curve.hull
            assert hull is not None
            for place in zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True):
                owners[place] = (*owners.get(place, ()), name)
        for name, point in self.points.items():
            owners[point] = (*owners.get(point, ()), name)
        return owners | dict.fromkeys(_ENDS, ())

    @cached_property
    def hull(self) -> Hull:
        """The upper convex hull of all models together."""
        fpr, tpr = np.array(sorted(self._owners)).T
        at = upper_hull(fpr, tpr)
        return Hull(fpr[at], tpr[at])

    @cached_property
    def on_hull(self) -> tuple[OnHull, ...]:
        """Whose vertices the common hull has, stretch by stretch; its two ends are everybody's."""
        hull = self.hull
        slopes = hull.slope.tolist()
        stretches: list[OnHull] = []
        for place, vertex in enumerate(zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)):
            names = self._owners[vertex]
            if not names:
                continue
            last = stretches[-1] if stretches else None
            if last is not None and last.names == names:
                stretches[-1] = OnHull(names, last.low, vertex[0], slopes[place], last.slope_high)
            else:
                stretches.append(OnHull(names, vertex[0], vertex[0], slopes[place], slopes[place - 1]))
        return tuple(stretches)

    @property
    def never_best(self) -> tuple[str, ...]:
        """Models without a vertex on the common hull: for no costs and class shares the best choice."""
        seen = {name for stretch in self.on_hull for name in stretch.names}
        return tuple(name for name in self.names if name not in seen)

    # --- on paper --------------------------------------------------------------------------------

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; of more ranges or crossings than `most` the first."""
        models: list[dict[str, Any]] = [
            {"name": name, "auc": curve.auc} for name, curve in self.curves.items()
        ]
        models += [{"name": name, "fpr": fpr, "tpr": tpr} for name, (fpr, tpr) in self.points.items()]
        return {
            "models": models,
            "best": [
                {"low": part.low, "high": part.high, "models": list(part.names)} for part in self.best[:most]
            ],
            "ranges": len(self.best),
            "crossings": [vars(crossing) for crossing in self.crossings[:most]],
            "crossings_total": len(self.crossings),
            "hull": self.hull.to_dict(),
            "on_hull": [_on_hull(stretch) for stretch in self.on_hull],
            "never_best": list(self.never_best),
        }

    def document(self) -> Document:
        """Which is best where, in words and tables."""
        from tallymark.curves.roc.several_words import describe

        return describe(self)

    def figure(self) -> Figure:
        """All in one picture."""
        from tallymark.curves.roc.figures import several_figure

        return several_figure(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture on matplotlib axes, new ones unless given, and return them."""
        return drawn(self.figure(), ax)


def _on_hull(stretch: OnHull) -> dict[str, Any]:
    slopes = [None if np.isinf(slope) else slope for slope in (stretch.slope_low, stretch.slope_high)]
    return {
        "models": list(stretch.names),
        "low": stretch.low,
        "high": stretch.high,
        "slope_low": slopes[0],
        "slope_high": slopes[1],
    }


def _refuse_other_classes(curves: Mapping[str, Roc | RocOfPoints]) -> None:
    """Curves of two classes cannot be compared; of some the class is not known."""
    about = {
        name: curve.positive
        for name, curve in curves.items()
        if isinstance(curve, Roc) and curve.positive is not None
    }
    first = next(iter(about.items()), None)
    for name, positive in about.items():
        if first is not None and positive != first[1]:
            one, other = (
                f"{quoted(model)} is about {quoted(label)}" for model, label in (first, (name, positive))
            )
            raise LabelError(
                f"{one} and {other}.",
                hint="compare curves of the same positive class.",
            )
