"""`LabelSets`: how large true and predicted label sets are and how much they share, and a 2x2 per label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.confusion import Confusion, frozen
from tallymark.tallies.labels import Label, find, listed
from tallymark.tallies.margins import PRODUCTS_FIT, Binary
from tallymark.tallies.merging import merged_dropped, merged_labels, refuse_unlike

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

SCHEMA = "tallymark/label_sets/1"
_DUST = 1e-13
MOST_JOINT = 100
"""With more labels, the pairs of them are too many to be counted by the way."""
_CELLS = ("tp", "fn", "fp")


@dataclass(frozen=True)
class SetSizes:
    """What metrics of label sets read: every kind of row, and how many rows there are of it.

    Kinds run along the last axis; `counts` may have draws along the first.
    """

    actual: NDArray[Any]
    """Labels in the true set."""
    predicted: NDArray[Any]
    """Labels in the predicted set."""
    both: NDArray[Any]
    """Labels in both of them."""
    counts: NDArray[Any]
    labels: int
    """How many labels there are in all."""

    @property
    def either(self) -> Any:
        """Labels in at least one of the two sets."""
        return self.actual + self.predicted - self.both

    @property
    def n(self) -> Any:
        total = self.counts.sum(axis=-1)
        return total if total.ndim else total.item()

    @property
    def each(self) -> Binary:
        """Every kind of row as a 2x2 over its labels."""
        missed, wrong = self.actual - self.both, self.predicted - self.both
        return Binary(self.both, missed, wrong, self.labels - self.either)

    @property
    def pooled(self) -> Binary:
        """The 2x2 of all labels added up: what micro averages are made of."""
        each = self.each
        totals = (self.counts @ cell for cell in (each.tp, each.fn, each.fp, each.tn))
        return Binary(*(total if total.ndim else total.item() for total in totals))


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Rows with any number of labels each, counted by the sizes of their sets and label by label."""

    labels: tuple[Label, ...]
    sizes: NDArray[np.int64]
    """Labels in the true set, in the predicted set and in both: one line per kind of row, ascending."""
    counts: NDArray[Any]
    """Rows of each kind, or the sum of their weights."""
    cells: NDArray[Any]
    """tp, fn and fp of every label, one line each; what is left of all rows is tn."""
    squares: NDArray[Any] | None
    """Sums of squared weights of each kind, so that the effective number of rows survives."""
    cell_squares: NDArray[Any] | None
    """The same of tp, fn and fp; both are None without weights."""
    joint: NDArray[Any] | None
    """Rows in which two of all these cells meet (sums of squared weights), tp of every label first, then fn,
    then fp: how labels hang together. None with more than `MOST_JOINT` labels."""
    rows: int
    """Rows counted, whatever their weight."""
    declared: bool
    """Whether the labels were stated by a person; observed ones grow when tallies are added."""
    dropped: Mapping[str, int]

    @classmethod
    def from_kinds(
        cls,
        labels: Sequence[Label],
        sizes: NDArray[Any],
        counts: NDArray[Any],
        cells: NDArray[Any],
        *,
        squares: NDArray[Any] | None = None,
        cell_squares: NDArray[Any] | None = None,
        joint: NDArray[Any] | None = None,
        rows: int | None = None,
        declared: bool = False,
        dropped: Mapping[str, int] | None = None,
    ) -> LabelSets:
        """From kinds of rows (any order, repeats added up), and tp, fn and fp of every label.

        `squares`, `cell_squares` and `rows` come with weights; without, every count is so many rows.
        """
        sizes = np.asarray(sizes, np.int64)
        order = np.lexsort(sizes.T[::-1])
        starts = np.flatnonzero((np.diff(sizes[order], axis=0, prepend=-1) != 0).any(axis=1))

        def per_kind(amounts: NDArray[Any]) -> NDArray[Any]:
            return np.add.reduceat(np.asarray(amounts)[order], starts) if len(starts) else np.asarray(amounts)

        totals = per_kind(counts)
        kept = totals != 0
        if rows == 0:
            squares = cell_squares = None  # nothing was weighed, so this can be added to any tally
        return cls(
            tuple(labels),
            frozen(sizes[order][starts][kept]),
            frozen(totals[kept]),
            frozen(np.array(cells)),
            None if squares is None else frozen(per_kind(squares)[kept]),
            None if cell_squares is None else frozen(np.array(cell_squares)),
            None if joint is None else frozen(np.array(joint)),
            int(totals.sum()) if rows is None else rows,
            declared,
            MappingProxyType({key: count for key, count in sorted((dropped or {}).items()) if count}),
        )

    @classmethod
    def empty(cls) -> LabelSets:
        """The identity of `+`: no labels, no rows."""
        nothing = np.empty((0, 0), np.int64)
        return cls.from_kinds(
            (), np.empty((0, 3)), np.empty(0, np.int64), np.empty((3, 0), np.int64), joint=nothing
        )

    # --- what metrics read -------------------------------------------------------------------

    @cached_property
    def n(self) -> Any:
        """Rows counted, or the sum of their weights."""
        return self.counts.sum().item() if len(self.counts) else 0

    @cached_property
    def effective_n(self) -> Any:
        """Kish's effective number of rows: as many rows of equal weight would tell as much (Kish 1965)."""
        if self.squares is None or not len(self.squares):
            return self.n
        return self.n * (self.n / self.squares.sum().item())

    @cached_property
    def set_sizes(self) -> SetSizes:
        """The kinds of rows, as metrics read them."""
        actual, predicted, both = self.sizes.T
        return SetSizes(actual, predicted, both, self.counts, len(self.labels))

    @cached_property
    def each(self) -> Binary:
        """Every label, rows with it against rows without it, as one `Binary` of arrays."""
        # Metrics multiply counts; past 2**31 rows products leave int64, so floats take over.
        cells = self.cells if self.n < PRODUCTS_FIT else self.cells.astype(float)
        tp, fn, fp = cells
        return Binary(tp, fn, fp, _rest(self.n, cells))

    @property
    def pooled(self) -> Binary:
        """The 2x2 of all labels added up: what micro averages are made of."""
        return self.set_sizes.pooled

    @property
    def four(self) -> NDArray[Any]:
        """tp, fn, fp and tn of every label, one line each, as they were counted."""
        return np.vstack([self.cells, _rest(self.n, self.cells)])

    def binary(self, label: Label) -> Binary:
        """The 2x2 of one label: rows with it against rows without it."""
        position = self.labels.index(find(label, self.labels, what="label"))
        tp, fn, fp, tn = _four(self.n, self.cells[:, position]).tolist()
        return Binary(tp, fn, fp, tn, self.labels[position])

    def confusion(self, position: int) -> Confusion:
        """The 2x2 of one label as a tally of two classes: True, rows with it; False, rows without it."""
        squares = None
        if self.squares is not None and self.cell_squares is not None:
            squares = _four(self.squares.sum(), self.cell_squares[:, position])
        return Confusion.from_cells(
            (True, False),
            np.arange(4),
            _four(self.n, self.cells[:, position]),
            squares=squares,
            rows=self.rows,
            declared=True,
        )

    # --- values ------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSets):
            return NotImplemented
        plain = ("labels", "declared", "dropped", "rows")
        arrays = ("sizes", "counts", "cells", "squares", "cell_squares", "joint")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            _same(getattr(self, name), getattr(other, name)) for name in arrays
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and arrays come back writeable: rebuild instead.
        return LabelSets.from_dict, (self.to_dict(),)

    def __add__(self, other: LabelSets) -> LabelSets:
        if not isinstance(other, LabelSets):
            return NotImplemented
        labels, declared = merged_labels(self, other)
        refuse_unlike(self, other)
        # A side without rows has no squares to add.
        squares = [side.squares for side in (self, other) if side.squares is not None]
        return LabelSets.from_kinds(
            labels,
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.counts, other.counts]),
            _moved(self.cells, self.labels, labels) + _moved(other.cells, other.labels, labels),
            squares=np.concatenate(squares) if squares else None,
            cell_squares=_moved(self.cell_squares, self.labels, labels)
            + _moved(other.cell_squares, other.labels, labels)
            if squares
            else None,
            joint=_merged_joint(self, other, labels),
            rows=self.rows + other.rows,
            declared=declared,
            dropped=merged_dropped(self, other),
        )

    def __radd__(self, other: object) -> LabelSets:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def evaluate(self, **options: Any) -> Evaluation:
        """Everything that can be said from these counts: `empty_sets`, `undefined`, `confidence_level`."""
        # As `Confusion.evaluate`, the one kind of import that goes up.
        from tallymark.evaluation import evaluate_sets

        return evaluate_sets(self, **options)

    def __repr__(self) -> str:
        weight = "" if self.squares is None else f", weight {self.n:,.12g}"
        return f"LabelSets({len(self.labels)} labels {listed(self.labels)}, {self.rows:,} rows{weight})"

    # --- on paper ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The versioned JSON form; a kind of row is [true labels, predicted labels, shared labels, rows]."""
        kinds = zip(self.sizes.tolist(), self.counts.tolist(), strict=True)
        form: dict[str, Any] = {
            "schema": SCHEMA,
            "labels": list(self.labels),
            "kinds": [[*sizes, count] for sizes, count in kinds],
            **dict(zip(_CELLS, self.cells.tolist(), strict=True)),
            "rows": self.rows,
            "declared": self.declared,
            "dropped": dict(self.dropped),
        }
        if self.joint is not None:
            form["joint"] = self.joint.tolist()
        if self.squares is not None and self.cell_squares is not None:
            cells = dict(zip(_CELLS, self.cell_squares.tolist(), strict=True))
            form["squares"] = {"kinds": self.squares.tolist(), **cells}
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> LabelSets:
        squares = form.get("squares")
        return cls.from_kinds(
            form["labels"],
            np.array([kind[:3] for kind in form["kinds"]], np.int64).reshape(-1, 3),
            _amounts([kind[3] for kind in form["kinds"]]),
            _amounts([form[name] for name in _CELLS]),
            squares=None if squares is None else _amounts(squares["kinds"]),
            cell_squares=None if squares is None else _amounts([squares[name] for name in _CELLS]),
            joint=None if form.get("joint") is None else _square(form["joint"]),
            rows=form["rows"],
            declared=form["declared"],
            dropped=form["dropped"],
        )


def _amounts(numbers: list[Any]) -> NDArray[Any]:
    """An array; of nothing it holds whole numbers, which numpy would make floats."""
    array = np.array(numbers)
    return array if array.size else array.astype(np.int64)


def _square(rows: list[list[Any]]) -> NDArray[Any]:
    return _amounts(rows).reshape(len(rows), len(rows))


def _four(whole: Any, cells: NDArray[Any]) -> NDArray[Any]:
    """tp, fn, fp and tn of one label."""
    return np.append(cells, _rest(whole, cells))


def _rest(whole: Any, parts: NDArray[Any]) -> NDArray[Any]:
    """What the parts leave of the whole."""
    rest = whole - parts.sum(axis=0)
    # Differences of fractions leave dust where nothing is left; a rate of dust is no rate.
    return rest if rest.dtype.kind == "i" else np.where(rest < _DUST * whole, 0.0, rest)


def _same(first: NDArray[Any] | None, second: NDArray[Any] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def _moved(cells: NDArray[Any] | None, labels: Sequence[Label], target: Sequence[Label]) -> NDArray[Any]:
    """Cells of some labels among those of the target labels; where there is nothing, zeros."""
    wide = np.zeros((len(_CELLS), len(target)), np.int64 if cells is None else cells.dtype)
    if cells is not None and len(labels):
        place = {label: position for position, label in enumerate(target)}
        wide[:, [place[label] for label in labels]] = cells
    return wide


def _merged_joint(first: LabelSets, second: LabelSets, target: Sequence[Label]) -> NDArray[Any] | None:
    if first.joint is None or second.joint is None or len(target) > MOST_JOINT:
        return None
    place = {label: position for position, label in enumerate(target)}
    size = len(_CELLS) * len(target)
    total = np.zeros((size, size), np.result_type(first.joint, second.joint))
    for side in (first, second):
        one = np.array([place[label] for label in side.labels], np.int64)
        at = np.concatenate([one + cell * len(target) for cell in range(len(_CELLS))])
        total[np.ix_(at, at)] += side.joint
    return total
