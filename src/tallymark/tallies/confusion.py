"""`Confusion`: how many rows of each actual class got each answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, ShapeError
from tallymark.tallies.labels import Label, find, in_order, listed, stated
from tallymark.tallies.margins import PRODUCTS_FIT, Binary, Margins
from tallymark.tallies.merging import EXACT, TOO_MANY, merged_dropped, merged_labels, refuse_unlike

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

Share = Literal["actual", "predicted", "all"]
"""What a cell is taken as a share of: its row, its column or the whole."""
SCHEMA = "tallymark/confusion/1"
DENSE = 1_000
"""Up to this many labels a matrix is written out whole; above it, as its non-zero cells."""
_MOST_APART = 200


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
    """Rows in each cell, or the sum of their weights."""
    squares: NDArray[Any] | None
    """Sums of squared weights, so that the effective number of rows survives; None without weights."""
    rows: int
    """Rows counted, whatever their weight."""
    declared: bool
    """Whether the labels were stated by a person; observed ones grow when tallies are added."""
    dropped: Mapping[str, int]
    as_written: bool
    """Whether observed labels are from a text file, which has no types: they may be meant as numbers."""

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
        self._set(names, cells, flat[cells], None, flat.sum().item(), declared=True, dropped={})

    def _set(
        self,
        labels: tuple[Label, ...],
        cells: NDArray[Any],
        counts: NDArray[Any],
        squares: NDArray[Any] | None,
        rows: int,
        declared: bool,
        dropped: Mapping[str, int],
        as_written: bool = False,
    ) -> None:
        for name, value in (
            ("labels", labels),
            ("cells", frozen(cells)),
            ("counts", frozen(counts)),
            ("squares", None if squares is None else frozen(squares)),
            ("rows", rows),
            ("declared", declared),
            ("dropped", MappingProxyType({key: n for key, n in sorted(dropped.items()) if n})),
            ("as_written", as_written and not declared and any(isinstance(label, str) for label in labels)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_cells(
        cls,
        labels: Sequence[Label],
        cells: NDArray[Any],
        counts: NDArray[Any],
        *,
        squares: NDArray[Any] | None = None,
        rows: int | None = None,
        declared: bool = False,
        dropped: Mapping[str, int] | None = None,
        as_written: bool = False,
    ) -> Confusion:
        """From positions `actual * K + predicted` (any order, repeats added up) and their counts.

        `squares` and `rows` come with weights; without, every count is so many rows.
        """
        order = np.argsort(cells, kind="stable")
        cells = np.asarray(cells, np.int64)[order]
        starts = np.flatnonzero(np.diff(cells, prepend=-1))

        def per_cell(amounts: NDArray[Any]) -> NDArray[Any]:
            amounts = np.asarray(amounts)[order]
            return np.add.reduceat(amounts, starts) if len(starts) else amounts

        counts = per_cell(counts)
        kept = counts != 0
        # Nothing was weighed where there are no rows, so such a tally can be added to any other.
        squares = None if squares is None or rows == 0 else per_cell(squares)[kept]
        if rows is None:
            rows = int(counts.sum())
        tally = cls.__new__(cls)
        where = cells[starts][kept]
        tally._set(tuple(labels), where, counts[kept], squares, rows, declared, dropped or {}, as_written)
        return tally

    @classmethod
    def empty(cls) -> Confusion:
        """The identity of `+`: no labels, no rows."""
        return cls.from_cells((), np.empty(0, np.int64), np.empty(0, np.int64))

    # --- what metrics read -------------------------------------------------------------------

    @cached_property
    def n(self) -> Any:
        """Rows counted, or the sum of their weights."""
        return self.counts.sum().item() if len(self.counts) else 0

    @cached_property
    def squared(self) -> Confusion | None:
        """The sums of squared weights as a table of their own, with margins of their own."""
        if self.squares is None:
            return None
        return Confusion.from_cells(self.labels, self.cells, self.squares)

    @cached_property
    def effective_n(self) -> Any:
        """Kish's effective number of rows: as many rows of equal weight would tell as much (Kish 1965)."""
        if self.squares is None or not self.n:
            return self.n
        return self.n * (self.n / self.squares.sum().item())

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

        hits = per_class(actual[diagonal], self.counts[diagonal])
        return Margins(
            hits=hits,
            actual=per_class(actual, self.counts),
            predicted=per_class(predicted, self.counts),
            n=self.n,
            apart=None if exact or size > _MOST_APART else self._apart(hits),
        )

    def _apart(self, hits: NDArray[Any]) -> Binary:
        """Every class against the rest by adding only: differences of fractions lose what is small."""
        size = len(self.labels)
        actual, predicted = np.divmod(self.cells, size)
        off = actual != predicted
        missed, false = (
            np.bincount(side[off], weights=self.counts[off], minlength=size) for side in (actual, predicted)
        )
        classes = np.arange(size)[:, None]
        rest = np.where((actual != classes) & (predicted != classes), self.counts, 0).sum(axis=1)
        return Binary(hits, frozen(missed), frozen(false), frozen(rest))

    def binary(self, positive: Label) -> Binary:
        """The 2x2 of one class against the rest."""
        return self.binary_at(self.labels.index(find(positive, self.labels)))

    def binary_at(self, position: int) -> Binary:
        """The 2x2 of the class at a position, without a search among all labels."""
        each = self._each
        # int() of a float total is exact: totals stay below 2**53.
        kind = int if self.counts.dtype.kind == "i" else float
        tp, fn, fp, tn = (kind(cell[position]) for cell in (each.tp, each.fn, each.fp, each.tn))
        return Binary(tp, fn, fp, tn, self.labels[position])

    @cached_property
    def _each(self) -> Binary:
        return self.margins.each

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
            and self.rows == other.rows
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.counts, other.counts)
            and (self.squares is None) == (other.squares is None)
            and (self.squares is None or np.array_equal(self.squares, other.squares))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and arrays come back writeable: rebuild instead.
        return Confusion.from_dict, (self.to_dict(),)

    def __add__(self, other: Confusion) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        labels, declared = merged_labels(self, other)
        refuse_unlike(self, other)
        sides = self, other
        squares = [side.squares for side in sides if side.squares is not None]
        return Confusion.from_cells(
            labels,
            np.concatenate([moved(side.cells, side.labels, labels) for side in sides]),
            np.concatenate([side.counts for side in sides]),
            squares=np.concatenate(squares) if squares else None,
            rows=self.rows + other.rows,
            declared=declared,
            dropped=merged_dropped(self, other),
            as_written=all(side.as_written for side in sides if side.labels),
        )

    def __radd__(self, other: object) -> Confusion:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def relabelled(self, labels: Sequence[Label], order: Iterable[Label] | None = None) -> Confusion:
        """The same counts under other names, position by position; equal names are added up."""
        target = tuple(order) if order is not None else in_order(labels)
        return Confusion.from_cells(
            target,
            moved(self.cells, labels, target),
            self.counts,
            squares=self.squares,
            rows=self.rows,
            declared=self.declared,
            dropped=self.dropped,
            as_written=self.as_written,
        )

    @np.errstate(under="ignore")
    def scaled(self, factors: NDArray[np.float64]) -> Confusion:
        """Every actual class's row times its factor: the same rates under other class shares."""
        factors = factors[self.cells // len(self.labels)]
        return Confusion.from_cells(
            self.labels,
            self.cells,
            self.counts * factors,
            squares=None if self.squares is None else self.squares * factors**2,
            rows=self.rows,
            declared=self.declared,
            dropped=self.dropped,
            as_written=self.as_written,
        )

    def evaluate(self, **options: Any) -> Evaluation:
        """Everything that can be said from these counts; takes the options of `tallymark.evaluate`."""
        # The one declared exception to the one-way flow: a tally may hand itself to the evaluation.
        from tallymark.evaluation import evaluate_confusion

        return evaluate_confusion(self, **options)

    def __repr__(self) -> str:
        weight = "" if self.squares is None else f", weight {self.n:,.12g}"
        return f"Confusion({len(self.labels)} labels {listed(self.labels)}, {self.rows:,} rows{weight})"

    # --- on paper ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The versioned JSON form."""
        form = {
            "schema": SCHEMA,
            **self.table(),
            "declared": self.declared,
            "dropped": dict(self.dropped),
        }
        if self.rows != self.n or self.squares is not None:
            form["rows"] = self.rows
        if self.squares is not None:
            form["squares"] = self.listed_cells(self.squares)
        if self.keeps_text:
            form["text"] = True
        return form

    @property
    def keeps_text(self) -> bool:
        """Whether observed labels are text that is never read as numbers."""
        return not self.declared and not self.as_written and any(isinstance(one, str) for one in self.labels)

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
        squares = None
        if "squares" in form:
            squared = {actual * size + predicted: square for actual, predicted, square in form["squares"]}
            squares = np.array([squared.get(cell, 0) for cell in cells.tolist()])
        return cls.from_cells(
            labels,
            cells,
            counts,
            squares=squares,
            rows=form.get("rows"),
            declared=form["declared"],
            dropped=form["dropped"],
            # Before 0.2 it was not written whether text was typed as such.
            as_written=not form.get("text", False),
        )


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
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table):
        raise ShapeError(
            f"expected a square matrix of counts, got shape {table.shape}.",
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
    if table.sum(dtype=float) > EXACT:
        raise ShapeError(TOO_MANY)
    return table.astype(np.int64)


def moved(cells: NDArray[np.int64], labels: Sequence[Label], target: Sequence[Label]) -> NDArray[np.int64]:
    """Positions in a table over some labels, as positions in a table over the target labels."""
    if not labels:
        return cells
    place = {label: position for position, label in enumerate(target)}
    new = np.array([place[label] for label in labels], np.int64)
    actual, predicted = np.divmod(cells, len(labels))
    return new[actual] * len(target) + new[predicted]
