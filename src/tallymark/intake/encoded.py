"""Rows encoded: what weights, groups, slices and a user's own metrics are counted from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intake.columns import LabelColumn
from tallymark.intake.counting import count_keys
from tallymark.intake.ids import Ids
from tallymark.intake.rows import Rows, translation
from tallymark.intake.weights import WeightKind
from tallymark.tallies import Confusion, Grouped, Label
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import in_order

_NARROW = 1 << 20


@dataclass(frozen=True, eq=False)
class Encoded:
    """Every row as positions among the labels, with its score, weight, group and slices."""

    labels: tuple[Label, ...]
    actual: NDArray[np.int64]
    predicted: NDArray[np.int64]
    score: NDArray[np.float64] | None = None
    """One per row, or one per row and class."""
    weight: NDArray[Any] | None = None
    weight_kind: WeightKind = "sampling"
    group: LabelColumn | None = None
    slices: Mapping[str, LabelColumn] = field(default_factory=dict)
    ids: Ids | None = None
    """What tells the rows apart, while they are all of the rows that came."""

    def __post_init__(self) -> None:
        freeze_rows(self.actual, self.predicted, self.score, self.weight, self.group, *self.slices.values())
        if self.ids is not None and isinstance(self.ids.values, np.ndarray):
            frozen(self.ids.values)

    @classmethod
    def of(
        cls,
        rows: Rows,
        labels: tuple[Label, ...],
        actual: NDArray[np.int64],
        predicted: NDArray[np.int64],
    ) -> Encoded:
        """With what else is known of the rows."""
        score = rows.score if rows.score is not None else rows.probabilities
        beside = rows.weight, rows.weight_kind, rows.group, rows.slices, rows.ids
        return cls(labels, actual, predicted, score, *beside)

    def __len__(self) -> int:
        return len(self.actual)

    @property
    def rows(self) -> int:
        """Rows that count: those without weight do not."""
        return len(self) if self.weight is None else int((self.weight > 0).sum())

    @property
    def cells(self) -> NDArray[np.int64]:
        return self.actual * len(self.labels) + self.predicted

    def at(self, rows: NDArray[np.int64]) -> Encoded:
        """Some of the rows; their slices are no longer asked for."""
        return replace(
            self,
            actual=self.actual[rows],
            predicted=self.predicted[rows],
            score=None if self.score is None else self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            group=None if self.group is None else replace(self.group, values=self.group.values[rows]),
            slices={},
            ids=None,
        )

    def side(self, of: str, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """`y_true` or `y_pred` of some rows, in the labels' own words."""
        positions = self.actual if of == "y_true" else self.predicted
        return np.asarray(np.array(self.labels)[positions[chosen]])

    def tally(self, *, declared: bool, dropped: Mapping[str, int] | None = None) -> Confusion:
        """These rows counted with their weights."""
        totals = count_keys(self.cells, self.weight)
        counted = self.weight_kind == "frequency"
        return Confusion.from_cells(
            self.labels,
            totals.keys,
            totals.counts,
            squares=None if counted else totals.squares,
            rows=None if counted else self.rows,
            declared=declared,
            dropped=dropped,
        )

    def grouped(self, total: Confusion) -> Grouped:
        """These rows counted group by group."""
        assert self.group is not None
        keys, group = encoded(self.group)
        size = len(self.labels) ** 2
        totals = count_keys(group * size + self.cells, self.weight)
        return Grouped(total, keys, *np.divmod(totals.keys, size), totals.counts)


def freeze_rows(*columns: NDArray[Any] | LabelColumn | None) -> None:
    """Make columns read-only before they are handed out: every metric is computed from them."""
    for column in columns:
        if column is not None:
            frozen(column.values if isinstance(column, LabelColumn) else column)


def encoded(column: LabelColumn) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """The distinct values of a column in order, and the position of each row among them."""
    codes = column.values.astype(np.int64, copy=False)
    found, positions = distinct(codes)
    names = [column.label(code) for code in found.tolist()]
    order = in_order(names)
    if list(order) == names:
        return order, frozen(positions)
    place = {name: position for position, name in enumerate(order)}
    return order, frozen(np.array([place[name] for name in names], np.int64)[positions])


def positions_among(column: LabelColumn, labels: Sequence[Label]) -> NDArray[np.int64]:
    """The position of each row's label among the labels of a finished tally."""
    if _are_positions(column, labels):
        return column.values.astype(np.int64, copy=False)
    found, which = distinct(column.values.astype(np.int64, copy=False))
    names = [column.label(code) for code in found.tolist()]
    translate = translation(names, labels)
    place = {label: position for position, label in enumerate(labels)}
    return np.array([place[translate(name)] for name in names], np.int64)[which]


def _are_positions(column: LabelColumn, labels: Sequence[Label]) -> bool:
    """Whether the codes are the positions already: 0, 1 and so on, or text in the order of the labels."""
    if column.names is not None:
        return column.names == tuple(labels)
    # False and True equal 0 and 1, and stand where those do.
    return tuple(labels) == tuple(range(len(labels)))


def distinct(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct codes, ascending, and which of them each row has; without sorting when they lie close."""
    lowest = int(codes.min()) if len(codes) else 0
    span = int(codes.max()) - lowest + 1 if len(codes) else 0
    if span > max(_NARROW, len(codes)):
        found, which = np.unique(codes, return_inverse=True)
        return found, which
    shifted = codes - lowest
    seen = np.flatnonzero(np.bincount(shifted, minlength=span))
    place = np.zeros(span, np.int64)
    place[seen] = np.arange(len(seen))
    return seen + lowest, place[shifted]
