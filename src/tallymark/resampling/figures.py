"""Folds as a picture: a bar for each, along the rows of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing.figure import Axis, Figure, Mark, Panel, Spans
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.grouping import coded, crossed

if TYPE_CHECKING:
    from tallymark.resampling.three_way import ThreeWay

Floats = NDArray[np.float64]

_FOLDS = 30
"""Shown at most."""
_ROWS, _STRIPES = 1000, 100
"""More rows than can be told apart are drawn as stripes."""
_FEW, _SEEN = 0.1, 1 / 400
"""What is in few of the stripes is drawn as wide as can be seen, as parts of the whole."""
_WIDE = 2.0
_APART = 0.4
"""Between the classes and groups and the folds below them, in bars."""


@dataclass(frozen=True)
class _Look:
    """What rows are, and how they are shown."""

    label: str
    series: int | None
    faint: bool = False


_TRAIN, _TEST = _Look("training rows", 0), _Look("test rows", 1)
_VALIDATION, _UNUSED = _Look("validation rows", 0, faint=True), _Look("rows not used", None, faint=True)
_CLASSES = tuple((series, faint) for faint in (False, True) for series in (2, 3, 5, 4))
"""The colours of classes, other than those of training and test rows."""
_GROUPS = _Look("", None), _Look("", None, faint=True)


@dataclass(frozen=True, eq=False)
class _Bar:
    """What each row is."""

    name: str
    codes: Ints
    looks: Sequence[_Look]


def folds_figure(folds: Folds, y: Any = None, groups: Any = None) -> Figure:
    """Each fold's training and test rows, below the classes and groups of the rows if given."""
    shown = [
        _Bar(_called(folds, place), _parts(fold), (_TRAIN, _TEST, _UNUSED))
        for place, fold in enumerate(folds.folds[:_FOLDS])
    ]
    return _figure(_above(y, groups), shown, folds.rows, folds.method, _said(folds))


def three_way_figure(parts: ThreeWay, y: Any = None, groups: Any = None) -> Figure:
    """The three parts in one bar, below the classes and groups of the rows if given."""
    codes = np.zeros(parts.rows, np.int64)
    codes[parts.validation], codes[parts.test] = 1, 2
    bar = _Bar("split", codes, (_TRAIN, _VALIDATION, _TEST))
    sizes = (
        f"{len(parts.train):,} training, {len(parts.validation):,} validation, {len(parts.test):,} test rows"
    )
    return _figure(
        _above(y, groups),
        [bar],
        parts.rows,
        "training, validation and test rows",
        _sentences((f"{sizes}.", *parts.notes)),
    )


def _figure(above: list[_Bar], bars: list[_Bar], rows: int, title: str, note: str) -> Figure:
    gap = _APART if above else 0.0
    high = len(above) + gap + len(bars)
    places = [
        high - place - 0.5 - (gap if place >= len(above) else 0) for place in range(len(above) + len(bars))
    ]
    both = list(zip(places, (*above, *bars), strict=True))
    names = tuple((place, bar.name) for place, bar in both)
    if rows > _ROWS:
        note += f" The rows are drawn as {_STRIPES} stripes, each with its share of every colour."
    panel = Panel(
        Axis("row", 0.0, float(rows)),
        Axis("", 0.0, high, names=names),
        tuple(_marks(both, rows)),
        wide=_WIDE,
        frame=False,
    )
    return Figure((panel,), title, note)


def _marks(bars: list[tuple[float, _Bar]], rows: int) -> list[Mark]:
    """One mark for each look, the first looks of bars behind the others."""
    found: dict[_Look, list[tuple[Floats, Floats, Floats]]] = {}
    for place, bar in bars:
        for code, (low, high) in enumerate(_stripes(bar.codes, len(bar.looks), rows)):
            if len(low):
                found.setdefault(bar.looks[code], []).append((np.full(len(low), place), low, high))
    marks: list[Mark] = []
    for look, spans in found.items():
        y, low, high = (np.concatenate(part) for part in zip(*spans, strict=True))
        marks.append(Spans(y, low, high, look.label, look.series, bar=True, faint=look.faint))
    return marks


def _stripes(codes: Ints, size: int, rows: int) -> list[tuple[Floats, Floats]]:
    """From where to where each code goes; the first one lies under all others."""
    count = rows if rows <= _ROWS else _STRIPES
    edges = np.arange(count + 1) * rows // count
    wide = np.diff(edges)
    table = crossed(np.repeat(np.arange(count), wide), codes, (count, size))
    ends = np.cumsum(table, axis=1)
    found: list[tuple[Floats, Floats]] = [(np.zeros(1), np.full(1, float(rows)))]
    for code in range(1, size):
        there = table[:, code] > 0
        high = (edges[:-1] + ends[:, code])[there].astype(np.float64)
        low = high - table[there, code]
        if there.mean() < _FEW:
            low = np.minimum(low, high - rows * _SEEN)
        starts = np.flatnonzero(np.append(True, low[1:] > high[:-1])[: len(low)])
        stops = np.append(starts[1:], len(low)) - 1
        found.append((low[starts], high[stops]) if len(low) else (low, high))
    return found


def _parts(fold: Fold) -> Ints:
    """0 for training rows, 1 for test rows, 2 for rows that are not used."""
    codes = np.full(fold.rows, 2, np.int64)
    codes[fold.train] = 0
    codes[fold.test] = 1
    return codes


def _above(y: Any, groups: Any) -> list[_Bar]:
    bars = []
    if y is not None and len(np.shape(y)) == 1:
        classes = coded(y, "y")
        size = len(classes.names)
        if size <= len(_CLASSES):
            looks = [
                _Look(f"class {name}", *look) for name, look in zip(classes.names, _CLASSES, strict=False)
            ]
            bars.append(_Bar("class", classes.codes, looks))
    if groups is not None:
        array = np.asarray(groups)
        columns = [array] if array.ndim == 1 else list(array.T)
        for number, column in enumerate(columns):
            name = "group" if len(columns) == 1 else f"entity {number + 1}"
            bars.append(_Bar(name, coded(column, "groups").codes % 2, _GROUPS))
    return bars


def _called(folds: Folds, place: int) -> str:
    fold = folds.folds[place]
    if fold.name:
        return fold.name
    if len(folds) == 1:
        return "split"
    if folds.runs > 1:
        first = next(number for number, other in enumerate(folds.folds) if other.run == fold.run)
        return f"run {fold.run + 1}, fold {place - first + 1}"
    return f"fold {place + 1}"


def _said(folds: Folds) -> str:
    train, test = ([getattr(fold, name) for fold in folds.folds] for name in ("n_train", "n_test"))
    parts = [f"trained on {_range(train)}, tested on {_range(test)} of {folds.rows:,} rows."]
    if len(folds) > _FOLDS:
        parts.append(f"{len(folds) - _FOLDS:,} more folds are not shown.")
    return _sentences((*parts, *folds.notes))


def _sentences(notes: Sequence[str]) -> str:
    return " ".join(f"{note[:1].upper()}{note[1:]}" for note in notes)


def _range(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
