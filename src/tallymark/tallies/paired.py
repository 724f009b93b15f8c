"""`Paired`: how many rows of each actual class got which answers of several models, on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MergeError, OptionError, ShapeError
from tallymark.tallies.confusion import Confusion, frozen
from tallymark.tallies.labels import Label, listed, quoted
from tallymark.tallies.merging import merged_dropped, merged_labels, refuse_unlike

SCHEMA = "tallymark/paired/1"
FITS = 2**62
"""Codes of combinations up to here are plain whole numbers."""


@dataclass(frozen=True)
class Agreement:
    """How many rows both of two models got right, only one of them, or neither.

    >>> Agreement(n00=10, n01=6, n10=2, n11=82).value
    0.04
    """

    n00: Any
    """Neither is right."""
    n01: Any
    """Only the first is right."""
    n10: Any
    """Only the second is right."""
    n11: Any
    """Both are right."""
    squares: tuple[Any, Any, Any, Any] | None = None
    """Sums of squared weights of the same four; None without weights."""

    @property
    def n(self) -> Any:
        return self.n00 + self.n01 + self.n10 + self.n11

    @property
    def value(self) -> float | None:
        """The accuracy of the first less that of the second; None without rows."""
        return (self.n01 - self.n10) / self.n if self.n else None

    @cached_property
    def effective(self) -> Agreement:
        """The four as if of rows that weigh 1 each and tell as much about the difference.

        Only rows with one right answer move the difference, so it is their weight that rows are counted in;
        one row of the usual weight is added, because few rows may happen to be light.
        """
        if self.squares is None or not self.n:
            return self
        usual = sum(self.squares) / self.n
        apart, squared = self.n01 + self.n10, self.squares[1] + self.squares[2]
        factor = (apart + usual) / (squared + usual * usual)
        return Agreement(self.n00 * factor, self.n01 * factor, self.n10 * factor, self.n11 * factor)


@dataclass(frozen=True, eq=False, init=False)
class Paired:
    """Counts of actual x answer 1 x ... x answer m; only the combinations seen are kept."""

    labels: tuple[Label, ...]
    names: tuple[str, ...]
    """The models, in the order of their answers."""
    cells: NDArray[np.int32]
    """A row per combination: positions of the actual label and of every model's answer, in order."""
    counts: NDArray[Any]
    """Rows of each combination, or the sum of their weights."""
    squares: NDArray[Any] | None
    """Sums of squared weights; None without weights."""
    rows: int
    """Rows counted, whatever their weight."""
    declared: bool
    """Whether the labels were stated by a person; observed ones grow when tallies are added."""
    dropped: Mapping[str, int]

    @classmethod
    def from_cells(
        cls,
        labels: Sequence[Label],
        names: Sequence[str],
        cells: NDArray[Any],
        counts: NDArray[Any],
        *,
        squares: NDArray[Any] | None = None,
        rows: int | None = None,
        declared: bool = False,
        dropped: Mapping[str, int] | None = None,
    ) -> Paired:
        """From rows of positions (any order, repeats added up) and their counts.

        `squares` and `rows` come with weights; without, every count is so many rows.
        """
        names = tuple(names)
        if len(set(names)) < len(names):
            raise OptionError(f"models must have different names; they are {list(names)}.")
        cells = np.asarray(cells, np.int32).reshape(-1, len(names) + 1)
        codes = mixed(cells.T, len(labels))
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))

        def per_cell(amounts: NDArray[Any]) -> NDArray[Any]:
            amounts = np.asarray(amounts)[order]
            return np.add.reduceat(amounts, starts) if len(starts) else amounts

        counts = per_cell(counts)
        kept = counts != 0
        # Nothing was weighed where there are no rows, so such a tally can be added to any other.
        squares = None if squares is None or rows == 0 else frozen(per_cell(squares)[kept])
        tally = cls.__new__(cls)
        for name, value in (
            ("labels", tuple(labels)),
            ("names", names),
            ("cells", frozen(cells[order[starts][kept]])),
            ("counts", frozen(counts[kept])),
            ("squares", squares),
            ("rows", int(counts.sum()) if rows is None else rows),
            ("declared", declared),
            ("dropped", MappingProxyType({key: n for key, n in sorted((dropped or {}).items()) if n})),
        ):
            object.__setattr__(tally, name, value)
        return tally

    @classmethod
    def empty(cls) -> Paired:
        """The identity of `+`: no models, no labels, no rows."""
        return cls.from_cells((), (), np.empty((0, 1)), np.empty(0, np.int64))

    # --- what is read from it ----------------------------------------------------------------

    @cached_property
    def n(self) -> Any:
        """Rows counted, or the sum of their weights."""
        return self.counts.sum().item() if len(self.counts) else 0

    @cached_property
    def effective_n(self) -> Any:
        """Kish's effective number of rows: as many rows of equal weight would tell as much (Kish 1965)."""
        if self.squares is None or not self.n:
            return self.n
        return self.n * (self.n / self.squares.sum().item())

    @property
    def actual(self) -> NDArray[np.int32]:
        """Of every combination: the position of the actual label."""
        return self.cells[:, 0]

    def answers(self, name: str) -> NDArray[np.int32]:
        """Of every combination: the position of the label that the model answered."""
        if name not in self.names:
            raise OptionError(f"no model is called {quoted(name)}; there are {listed(self.names)}.")
        return self.cells[:, 1 + self.names.index(name)]

    def confusion(self, name: str) -> Confusion:
        """The confusion matrix of one model."""
        cells = self.actual.astype(np.int64) * len(self.labels) + self.answers(name)
        return Confusion.from_cells(
            self.labels,
            cells,
            self.counts,
            squares=self.squares,
            rows=self.rows,
            declared=self.declared,
            dropped=self.dropped,
        )

    def pair(self, a: str, b: str) -> Paired:
        """Two of the models alone, in this order."""
        return Paired.from_cells(
            self.labels,
            (a, b),
            np.stack([self.actual, self.answers(a), self.answers(b)], axis=1),
            self.counts,
            squares=self.squares,
            rows=self.rows,
            declared=self.declared,
            dropped=self.dropped,
        )

    def agreement(self, a: str, b: str) -> Agreement:
        """How often both are right, only one, or neither."""
        right_a, right_b = (self.answers(name) == self.actual for name in (a, b))
        return self.split(right_a, right_b)

    def split(
        self,
        first: NDArray[np.bool_],
        second: NDArray[np.bool_],
        among: NDArray[np.bool_] | None = None,
    ) -> Agreement:
        """Rows by whether one thing and another holds for their combination; among some or all of them."""
        which = 2 * second + first.astype(np.int64)
        if among is None:
            among = np.ones(len(which), bool)

        def four(amounts: NDArray[Any]) -> tuple[Any, Any, Any, Any]:
            kind = int if amounts.dtype.kind == "i" else float
            # As neither, first, second, both; whole counts are added as whole numbers.
            neither, one, other, both = (kind(amounts[among & (which == each)].sum()) for each in range(4))
            return neither, one, other, both

        return Agreement(*four(self.counts), squares=None if self.squares is None else four(self.squares))

    def disagreements(self, a: str, b: str) -> Any:
        """Rows, or their weight, that two models answer differently, be both of them wrong."""
        return self.counts[self.answers(a) != self.answers(b)].sum().item()

    def patterns(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Which models are right together: rows of 0 and 1, a column per model, and how often each is."""
        right = (self.cells[:, 1:] == self.cells[:, :1]).astype(np.int64)
        found, which = np.unique(right, axis=0, return_inverse=True)
        totals = np.zeros(len(found), self.counts.dtype)
        np.add.at(totals, which.reshape(-1), self.counts)
        return found, totals

    # --- values ------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Paired):
            return NotImplemented
        return (
            self.labels == other.labels
            and self.names == other.names
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
        return Paired.from_dict, (self.to_dict(),)

    def __add__(self, other: Paired) -> Paired:
        if not isinstance(other, Paired):
            return NotImplemented
        labels, declared = merged_labels(self, other)
        refuse_unlike(self, other)
        sides = self, other
        names = {side.names for side in sides if side.names or side.rows}
        if len(names) > 1:
            raise MergeError(
                f"these are the answers of different models: {list(self.names)} and {list(other.names)}.",
                hint="count every part with the same models, in the same order.",
            )
        named = names.pop() if names else ()
        squares = [side.squares for side in sides if side.squares is not None]
        return Paired.from_cells(
            labels,
            named,
            np.concatenate([side.moved(labels) for side in sides if side.names or not named]),
            np.concatenate([side.counts for side in sides]),
            squares=np.concatenate(squares) if squares else None,
            rows=self.rows + other.rows,
            declared=declared,
            dropped=merged_dropped(self, other),
        )

    def __radd__(self, other: object) -> Paired:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def moved(self, labels: Sequence[Label]) -> NDArray[np.int32]:
        """The combinations as positions among other labels, which hold all of these."""
        place = {label: position for position, label in enumerate(labels)}
        new = np.array([place[label] for label in self.labels], np.int32)
        return new[self.cells] if len(self.cells) else self.cells

    def __repr__(self) -> str:
        weight = "" if self.squares is None else f", weight {self.n:,.12g}"
        return (
            f"Paired({len(self.names)} models {listed(self.names)}, {len(self.labels)} labels "
            f"{listed(self.labels)}, {self.rows:,} rows{weight})"
        )

    # --- on paper ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The versioned JSON form; a cell is [actual, answer 1, ..., answer m, count]."""
        cells = zip(self.cells.tolist(), self.counts.tolist(), strict=True)
        form: dict[str, Any] = {
            "schema": SCHEMA,
            "labels": list(self.labels),
            "models": list(self.names),
            "cells": [[*cell, count] for cell, count in cells],
            "declared": self.declared,
            "dropped": dict(self.dropped),
        }
        if self.rows != self.n or self.squares is not None:
            form["rows"] = self.rows
        if self.squares is not None:
            form["squares"] = self.squares.tolist()
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Paired:
        width = len(form["models"]) + 1
        if any(len(cell) != width + 1 for cell in form["cells"]):
            raise ShapeError(f"every cell must have {width + 1} numbers: {width} positions and a count.")
        counts = [cell[-1] for cell in form["cells"]]
        return cls.from_cells(
            tuple(form["labels"]),
            form["models"],
            np.array([cell[:-1] for cell in form["cells"]], np.int32),
            np.array(counts) if counts else np.empty(0, np.int64),
            squares=np.array(form["squares"]) if "squares" in form else None,
            rows=form.get("rows"),
            declared=form["declared"],
            dropped=form["dropped"],
        )


def mixed(columns: Sequence[NDArray[Any]] | NDArray[Any], size: int) -> NDArray[np.int64]:
    """One whole number per row of positions, in the order of the rows: equal rows have equal numbers."""
    codes, span = columns[0].astype(np.int64), max(size, 1)
    for column in columns[1:]:
        if span > FITS // size:
            # The codes would leave int64: those that are there are numbered anew, in the same order.
            found, codes = np.unique(codes, return_inverse=True)
            span = len(found)
        codes = codes * size + column
        span *= size
    return codes
