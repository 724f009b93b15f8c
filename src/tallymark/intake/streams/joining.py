"""Rows of several models that lie on disk by their id, brought together place by place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import naming
from tallymark.intake.ids import Values, places, taken
from tallymark.intake.streams.spilling import Repeated, repeated, repeated_error
from tallymark.intake.streams.surveyed import DROPPED, Surveyed

if TYPE_CHECKING:
    import polars as pl

    from tallymark.intake.streams.spilled_rows import Spilled

_EXAMPLES = 5


@dataclass
class Some:
    """How many there are, and the first of them in order."""

    number: int = 0
    first: list[Any] = field(default_factory=list)

    def add(self, number: int, examples: Sequence[Any]) -> None:
        if number:
            self.number += number
            self.first = sorted([*self.first, *examples])[:_EXAMPLES]

    def then(self, later: Some) -> Some:
        """With those of other rows."""
        both = Some(self.number, list(self.first))
        both.add(later.number, later.first)
        return both


@dataclass
class Beside:
    """How the rows of a model go with those of the first one."""

    shared: int = 0
    only_first: Some = field(default_factory=Some)
    """Ids that only the first model has."""
    only_other: Some = field(default_factory=Some)
    other_class: Some = field(default_factory=Some)
    """Rows of another class: their id, and what they are here and there."""
    other_weight: Some = field(default_factory=Some)

    @property
    def apart(self) -> bool:
        """Whether one of them has rows that the other has not."""
        return bool(self.only_first.number or self.only_other.number)

    def then(self, later: Beside) -> Beside:
        """With what is noted of other rows."""
        return Beside(
            self.shared + later.shared,
            self.only_first.then(later.only_first),
            self.only_other.then(later.only_other),
            self.other_class.then(later.other_class),
            self.other_weight.then(later.other_weight),
        )


class Together(NamedTuple):
    """Rows that all models have, in one order."""

    actual: NDArray[np.int64]
    """Positions among the labels of all models."""
    weight: NDArray[Any] | None
    """Whole numbers where all are."""
    rows: list[pl.DataFrame]
    """What every model says of them."""


def as_numbers(models: Sequence[Surveyed]) -> bool:
    """Whether the ids of all models are whole numbers, as they stand or as text."""
    return all(model.whole_ids for model in models)


def joined(
    models: Sequence[Spilled], actual: Sequence[NDArray[np.int64]]
) -> Iterator[tuple[Together | None, list[Beside]]]:
    """The rows of every place that all models have, and how those of all but the first go with the first's.

    `actual` has the positions of the classes of every model among the labels of all.
    """
    whole, weights = as_numbers(models), models[0].whole_weights
    for place in range(models[0].spill.partitions):
        tables = [model.spill.take(place) for model in models]
        for model, table in zip(models, tables, strict=True):
            _refuse_repeated(model, table, place)
        ids = [None if table is None else _ids(table, whole=whole) for table in tables]
        yield matched(tables, ids, actual, whole_weights=weights)


def _refuse_repeated(model: Spilled, table: pl.DataFrame | None, place: int) -> None:
    import polars as pl

    ids = None if table is None else table.get_column("id")
    if ids is None or ids.n_unique() == len(ids):
        return
    here = ids.filter(ids.is_duplicated())
    later = repeated(model.spill, range(place + 1, model.spill.partitions))
    assert model.roles.id is not None
    again = here.unique() if later.ids is None else pl.concat([here.unique(), later.ids])
    with naming(model.scan.parts, model.title):
        raise repeated_error(model.scan, model.roles.id, Repeated(again, len(here) + later.rows))


def matched(
    tables: Sequence[pl.DataFrame | None],
    ids: Sequence[Values | None],
    actual: Sequence[NDArray[np.int64]],
    *,
    whole_weights: bool,
) -> tuple[Together | None, list[Beside]]:
    """Rows of one place with the ids of each table; where all ids of all are the same, they are one."""
    classes = [_classes(table, places) for table, places in zip(tables, actual, strict=True)]
    first, *others = range(len(tables))
    beside = [Beside() for _ in others]
    at: list[NDArray[np.int64]] = []
    for other, note in zip(others, beside, strict=True):
        at.append(_places(ids[first], ids[other]))
        _note(note, (ids[first], ids[other]), (classes[first], classes[other]), at[-1])
    there = classes[first] != DROPPED
    for other, found in zip(others, at, strict=True):
        # A row that is not there is looked up in the last place.
        there &= np.append(classes[other], DROPPED)[found] != DROPPED
    common = np.flatnonzero(there)
    if not len(common):
        return None, beside
    orders = [common, *(found[common] for found in at)]
    rows = [table[order] for table, order in zip(tables, orders, strict=True) if table is not None]
    mine = taken(ids[first], common)  # type: ignore[arg-type]
    for other, order, note in zip(others, orders[1:], beside, strict=True):
        one, two = classes[first][common], classes[other][order]
        _differing(note.other_class, mine, one, two)
        if "weight" in rows[0].columns and "weight" in rows[other].columns:
            _differing(note.other_weight, mine, _weight(rows[0]), _weight(rows[other]))
    weight = _weight(rows[0]) if "weight" in rows[0].columns else None
    if weight is not None and whole_weights:
        weight = weight.astype(np.int64)
    return Together(classes[first][common], weight, rows), beside


def _weight(table: pl.DataFrame) -> NDArray[np.float64]:
    return table.get_column("weight").to_numpy()


def _ids(table: pl.DataFrame, *, whole: bool) -> Values:
    import polars as pl

    ids = table.get_column("id")
    if whole:
        return ids.cast(pl.Int64).to_numpy()
    return ids.cast(pl.String)


def _classes(table: pl.DataFrame | None, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions among all labels; rows that were dropped keep their mark."""
    if table is None:
        return np.empty(0, np.int64)
    codes = table.get_column("actual").to_numpy()
    return np.asarray(np.append(places, DROPPED)[codes], np.int64)


def _places(first: Values | None, other: Values | None) -> NDArray[np.int64]:
    if first is None:
        return np.empty(0, np.int64)
    if first is other:
        return np.arange(len(first))
    return np.full(len(first), -1) if other is None else places(first, other)


def _note(
    note: Beside,
    ids: tuple[Values | None, Values | None],
    classes: tuple[NDArray[np.int64], NDArray[np.int64]],
    at: NDArray[np.int64],
) -> None:
    """Which ids both have, be it in rows that were dropped, and which only one."""
    kept, others_kept = (each != DROPPED for each in classes)
    found = np.flatnonzero(at >= 0)
    note.shared += int((kept[found] | others_kept[at[found]]).sum())
    seen = np.zeros(len(others_kept), bool)
    seen[at[found]] = True
    for some, values, alone in (
        (note.only_first, ids[0], kept & (at < 0)),
        (note.only_other, ids[1], others_kept & ~seen),
    ):
        rows = np.flatnonzero(alone)
        if len(rows) and values is not None:
            some.add(len(rows), smallest(taken(values, rows)))


def smallest(values: Values) -> list[Any]:
    """The first ids in order."""
    import polars as pl

    return pl.Series(values).bottom_k(_EXAMPLES).to_list()


def _differing(some: Some, ids: Values, one: NDArray[Any], two: NDArray[Any]) -> None:
    import polars as pl

    rows = np.flatnonzero(one != two)
    if len(rows):
        first = smallest(taken(ids, rows))
        at = places(np.array(first) if isinstance(ids, np.ndarray) else pl.Series(first), ids)
        some.add(len(rows), [(each, one[k].item(), two[k].item()) for each, k in zip(first, at, strict=True)])
