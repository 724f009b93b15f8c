"""`Confusion`: how many rows of each actual class got each answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, MergeError, ShapeError
from tallymark.tallies.labels import Label, find, in_order, listed, stated
from tallymark.tallies.margins import PRODUCTS_FIT, Binary, Margins

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

Share = Literal["actual", "predicted", "all"]
"""What a cell is taken as a share of: its row, its column or the whole."""
SCHEMA = "tallymark/confusion/1"
DENSE = 1_000
"""Up to this many labels a matrix is written out whole; above it, as its non-zero cells."""
_EXACT = 2**53
TOO_MANY = "counts add up to more than 2**53 and could not be added exactly."


@dataclass(frozen=True, eq=False, init=False)
class Confusion:
    """A K x K table of counts, rows = actual, columns = predicted; only non-zero cells are kept.

    >>> Confusion([[150, 40], [60, 250]], labels=["+", "-"]).n
    500
    """

    labels: tuple[Label, ...]
    cells: NDArray[np.int64]
    """Positions `actual * K + predicted` of the non-zero cells, ascending."""
    counts: NDArray[Any]
    declared: bool
    """Whether the labels were stated by a person; observed ones grow when tallies are added."""
    dropped: Mapping[str, int]

    def __init__(
        self, matrix: Sequence[Sequence[float]] | NDArray[Any], labels: Sequence[Label] | None = None
    ) -> None:
        table = _checked(matrix)
        size = len(table)
        names = stated(labels if labels is not None else [f"class {k + 1}" for k in range(size)])
        if len(names) != size:
            raise LabelError(f"{len(names)} labels {listed(names)} for a {size} x {size} matrix.")
        flat = table.ravel()
        cells = np.flatnonzero(flat)
        self._set(names, cells, flat[cells], declared=True, dropped={})

    def _set(
        self,
        labels: tuple[Label, ...],
        cells: NDArray[Any],
        counts: NDArray[Any],
        declared: bool,
        dropped: Mapping[str, int],
    ) -> None:
        for name, value in (
            ("labels", labels),
            ("cells", frozen(cells)),
            ("counts", frozen(counts)),
            ("declared", declared),
            ("dropped", MappingProxyType({key: n for key, n in sorted(dropped.items()) if n})),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_cells(
        cls,
        labels: Sequence[Label],
        cells: NDArray[Any],
        counts: NDArray[Any],
        *,
        declared: bool = False,
        dropped: Mapping[str, int] | None = None,
    ) -> Confusion:
        """From positions `actual * K + predicted` (any order, repeats added up) and their counts."""
        order = np.argsort(cells, kind="stable")
        cells, counts = np.asarray(cells, np.int64)[order], np.asarray(counts)[order]
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        if len(cells):
            cells, counts = cells[starts], np.add.reduceat(counts, starts)
        kept = counts != 0
        tally = cls.__new__(cls)
        tally._set(tuple(labels), cells[kept], counts[kept], declared, dropped or {})
        return tally

    @classmethod
    def empty(cls) -> Confusion:
        """The identity of `+`: no labels, no rows."""
        return cls.from_cells((), np.empty(0, np.int64), np.empty(0, np.int64))

    # --- what metrics read -------------------------------------------------------------------

    @cached_property
    def n(self) -> Any:
        """Rows counted."""
        return self.counts.sum().item() if len(self.counts) else 0

    @cached_property
    def matrix(self) -> NDArray[Any]:
        """The whole table, rows = actual."""
        size = len(self.labels)
        table = np.zeros(size * size, self.counts.dtype)
        table[self.cells] = self.counts
        return frozen(table.reshape(size, size))

    @cached_property
    def margins(self) -> Margins:
        """Hits, actual rows and predicted rows of every class."""
        size = len(self.labels)
        actual, predicted = np.divmod(self.cells, size)
        diagonal = actual == predicted
        # Sums of squares must stay exact; past 2**31 rows they leave int64, so floats take over.
        exact = self.counts.dtype.kind == "i" and self.n < PRODUCTS_FIT
        kind: type[Any] = np.int64 if exact else np.float64

        def per_class(codes: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
            return frozen(np.bincount(codes, weights=counts, minlength=size).astype(kind))

        return Margins(
            hits=per_class(actual[diagonal], self.counts[diagonal]),
            actual=per_class(actual, self.counts),
            predicted=per_class(predicted, self.counts),
            n=self.n,
        )

    def binary(self, positive: Label) -> Binary:
        """The 2x2 of one class against the rest."""
        position = self.labels.index(find(positive, self.labels))
        each = self.margins.each
        # int() of a float total is exact: totals stay below 2**53.
        kind = int if self.counts.dtype.kind == "i" else float
        tp, fn, fp, tn = (kind(cell[position]) for cell in (each.tp, each.fn, each.fp, each.tn))
        return Binary(tp, fn, fp, tn, self.labels[position])

    def normalized(self, by: Share) -> NDArray[np.float64]:
        """The matrix as shares of its rows, its columns or the whole; NaN where there is nothing to share."""
        size = len(self.labels)
        whole = {
            "actual": self.margins.actual[:, None],
            "predicted": self.margins.predicted[None, :],
            "all": np.full((1, 1), self.n),
        }[by]
        shares = np.where(np.broadcast_to(whole, (size, size)) == 0, np.nan, 0.0)
        shares.ravel()[self.cells] = self.cell_shares(by)
        return shares

    def cell_shares(self, by: Share) -> NDArray[np.float64]:
        """The same shares, of the non-zero cells alone."""
        actual, predicted = np.divmod(self.cells, len(self.labels))
        if by == "all":
            return np.asarray(self.counts / self.n)
        whole = self.margins.actual[actual] if by == "actual" else self.margins.predicted[predicted]
        return np.asarray(self.counts / whole)

    # --- values ------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        return (
            self.labels == other.labels
            and self.declared == other.declared
            and self.dropped == other.dropped
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and arrays come back writeable: rebuild instead.
        return Confusion.from_dict, (self.to_dict(),)

    def __add__(self, other: Confusion) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        labels, declared = _merged_labels(self, other)
        if self.n + other.n > _EXACT:
            raise MergeError(TOO_MANY)
        parts = [_moved(self, labels), _moved(other, labels)]
        return Confusion.from_cells(
            labels,
            np.concatenate(parts),
            np.concatenate([self.counts, other.counts]),
            declared=declared,
            dropped={
                key: self.dropped.get(key, 0) + other.dropped.get(key, 0)
                for key in {*self.dropped, *other.dropped}
            },
        )

    def __radd__(self, other: object) -> Confusion:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def relabelled(self, labels: Sequence[Label], order: Iterable[Label] | None = None) -> Confusion:
        """The same counts under other names, position by position; equal names are added up."""
        target = tuple(order) if order is not None else in_order(labels)
        return Confusion.from_cells(
            target,
            _moved(self, target, names=labels),
            self.counts,
            declared=self.declared,
            dropped=self.dropped,
        )

    def scaled(self, factors: NDArray[np.float64]) -> Confusion:
        """Every actual class's row times its factor: the same rates under other class shares."""
        rows = self.cells // len(self.labels)
        return Confusion.from_cells(
            self.labels,
            self.cells,
            self.counts * factors[rows],
            declared=self.declared,
            dropped=self.dropped,
        )

    def evaluate(self, **options: Any) -> Evaluation:
        """Everything that can be said from these counts; takes the options of `tallymark.evaluate`."""
        # The one declared exception to the one-way flow: a tally may hand itself to the evaluation.
        from tallymark.evaluation import evaluate_confusion

        return evaluate_confusion(self, **options)

    def __repr__(self) -> str:
        return f"Confusion({len(self.labels)} labels {listed(self.labels)}, {self.n:,.12g} rows)"

    # --- on paper ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The versioned JSON form."""
        return {
            "schema": SCHEMA,
            **self.table(),
            "declared": self.declared,
            "dropped": dict(self.dropped),
        }

    def table(self) -> dict[str, Any]:
        """Labels with the matrix, or with the non-zero cells when there are many labels."""
        if len(self.labels) <= DENSE:
            return {"labels": list(self.labels), "matrix": self.matrix.tolist()}
        return {"labels": list(self.labels), "cells": self.listed_cells(self.counts)}

    def listed_cells(self, values: NDArray[Any]) -> list[list[Any]]:
        """[actual, predicted, value] of every non-zero cell."""
        actual, predicted = np.divmod(self.cells, len(self.labels))
        rows = zip(actual.tolist(), predicted.tolist(), values.tolist(), strict=True)
        return [list(row) for row in rows]

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Confusion:
        labels = tuple(form["labels"])
        size = len(labels)
        if "cells" in form:
            rows = np.asarray(form["cells"] or np.empty(0, np.int64)).reshape(-1, 3)
            cells, counts = (rows[:, 0] * size + rows[:, 1]).astype(np.int64), rows[:, 2]
        else:
            counts = np.asarray(form["matrix"] if size else np.empty(0, np.int64)).ravel()
            cells = np.arange(size * size)
        return cls.from_cells(labels, cells, counts, declared=form["declared"], dropped=form["dropped"])


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, no longer writeable."""
    array.flags.writeable = False
    return array


def _checked(matrix: Any) -> NDArray[np.int64]:
    if hasattr(matrix, "columns"):
        raise ShapeError(
            "a data frame has names that would be lost here.",
            hint="pass its numbers and its labels: Confusion(frame.to_numpy(), labels=[...]).",
        )
    try:
        table = np.asarray(matrix)
    except ValueError as problem:
        raise ShapeError("the matrix has rows of different lengths.") from problem
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise ShapeError(
            f"expected a square matrix of at least 2 x 2 counts, got shape {table.shape}.",
            hint="rows are actual classes, columns predicted ones, in the same order.",
        )
    if table.dtype == object and all(isinstance(cell, int) and cell >= 0 for cell in table.ravel()):
        raise ShapeError(TOO_MANY)
    if table.dtype.kind not in "iuf":
        raise ShapeError(f"expected counts, got values of type {table.dtype}.")
    whole = np.isfinite(table) & (table == np.floor(table)) & (table >= 0)
    if not whole.all():
        row, column = np.argwhere(~whole)[0]
        raise ShapeError(
            f"counts are whole numbers from 0 up; row {row + 1}, column {column + 1} "
            f"holds {table[row, column].item()!r}."
        )
    if table.sum(dtype=float) > _EXACT:
        raise ShapeError(TOO_MANY)
    return table.astype(np.int64)


def _merged_labels(first: Confusion, second: Confusion) -> tuple[tuple[Label, ...], bool]:
    if not first.labels and not first.declared:
        return second.labels, second.declared
    if not second.labels and not second.declared:
        return first.labels, first.declared
    if first.declared != second.declared or (first.declared and first.labels != second.labels):
        sides = [
            f"{listed(side.labels)} ({'declared' if side.declared else 'observed'})"
            for side in (first, second)
        ]
        raise MergeError(
            f"labels were declared differently: {sides[0]} and {sides[1]}.",
            hint="declare the same labels, in the same order, for every part.",
        )
    if first.declared:
        # (True, False) equals (1, 0); the numbers are kept, whichever side has them.
        return max(first.labels, second.labels, key=lambda labels: type(labels[0]) is int), True
    return in_order([*first.labels, *second.labels]), False


def _moved(
    tally: Confusion, target: Sequence[Label], names: Sequence[Label] | None = None
) -> NDArray[np.int64]:
    """The tally's cell positions in a table over the target labels."""
    if not tally.labels:
        return tally.cells
    place = {label: position for position, label in enumerate(target)}
    new = np.array([place[name] for name in (tally.labels if names is None else names)], np.int64)
    actual, predicted = np.divmod(tally.cells, len(tally.labels))
    return new[actual] * len(target) + new[predicted]
