"""What count-based metrics read: a 2x2 (`Binary`) or the margins of a K x K (`Margins`).

Both work on plain numbers and, unchanged, on arrays: all classes at once, or all draws at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.errors import MergeError, ShapeError
from tallymark.tallies.labels import Label

SCHEMA = "tallymark/binary/1"
_DUST = 1e-13
PRODUCTS_FIT = 2**31


@dataclass(frozen=True)
class Binary:
    """Counts of one class against the rest.

    >>> Binary(tp=282, fn=75, fp=462, tn=4841).n
    5660
    """

    tp: Any
    fn: Any
    fp: Any
    tn: Any
    positive: Label | None = None

    def __post_init__(self) -> None:
        if isinstance(self.tp, int) and min(self.tp, self.fn, self.fp, self.tn) < 0:
            raise ShapeError(
                f"counts cannot be negative: tp={self.tp}, fn={self.fn}, fp={self.fp}, tn={self.tn}."
            )

    @property
    def n(self) -> Any:
        return self.tp + self.fn + self.fp + self.tn

    @property
    def correct(self) -> Any:
        return self.tp + self.tn

    @property
    def wrong(self) -> Any:
        return self.fn + self.fp

    @property
    def actual_positive(self) -> Any:
        return self.tp + self.fn

    @property
    def actual_negative(self) -> Any:
        return self.fp + self.tn

    @property
    def predicted_positive(self) -> Any:
        return self.tp + self.fp

    @property
    def predicted_negative(self) -> Any:
        return self.fn + self.tn

    @property
    def largest(self) -> Any:
        """Rows of the larger actual class."""
        return np.maximum(self.actual_positive, self.actual_negative)

    @property
    def chance(self) -> Any:
        """Sum over classes of actual rows times predicted rows."""
        return self.actual_positive * self.predicted_positive + self.actual_negative * self.predicted_negative

    @property
    def relevant(self) -> Any:
        """Rows that are positive or were called so."""
        return self.tp + self.fp + self.fn

    def swapped(self) -> Binary:
        """The same rows with the other class as the positive one."""
        return Binary(self.tn, self.fp, self.fn, self.tp)

    def __add__(self, other: Binary) -> Binary:
        if not isinstance(other, Binary):
            return NotImplemented
        named = [side.positive for side in (self, other) if not _blank(side)]
        if len(named) == 2 and named[0] != named[1]:
            raise MergeError(
                f"these counts are of different classes: positive={self.positive!r} "
                f"and positive={other.positive!r}."
            )
        # True and 1 are one label; the number is kept, whichever side has it.
        positive = next(
            (label for label in named if not isinstance(label, bool)), named[0] if named else None
        )
        return Binary(
            self.tp + other.tp, self.fn + other.fn, self.fp + other.fp, self.tn + other.tn, positive
        )

    def __radd__(self, other: object) -> Binary:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "positive": self.positive,
            "tp": self.tp,
            "fn": self.fn,
            "fp": self.fp,
            "tn": self.tn,
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Binary:
        return cls(form["tp"], form["fn"], form["fp"], form["tn"], form["positive"])


def _blank(tally: Binary) -> bool:
    """The identity of `+`: no rows and no class named."""
    return tally.positive is None and bool(np.all(tally.n == 0))


@dataclass(frozen=True)
class Margins:
    """Per class: rows hit, rows that are it, rows called it; classes along the last axis."""

    hits: Any
    actual: Any
    predicted: Any
    n: Any
    cost: Any = None
    apart: Binary | None = None
    """Every class against the rest, where that was added up cell by cell."""

    @property
    def correct(self) -> Any:
        return self._summed(self.hits)

    @property
    def wrong(self) -> Any:
        return self.n - self.correct

    @property
    def largest(self) -> Any:
        return self.actual.max(axis=-1)

    @property
    def chance(self) -> Any:
        return self._summed(self.actual, self.predicted)

    # Weights can lie so far apart that n**2 less a sum of squares is 0 in floats though it is not; sums of
    # products of the cells themselves lose nothing.

    @property
    def beyond_chance(self) -> Any:
        """n * correct - chance."""
        if isinstance(self.n, float) and (cells := self.apart) is not None:
            return _total(cells.tp * cells.tn - cells.fp * cells.fn)
        return self.n * self.correct - self.chance

    @property
    def unlike_chance(self) -> Any:
        """n**2 - chance."""
        if isinstance(self.n, float) and (cells := self.apart) is not None:
            return _total(self.actual * cells.predicted_negative)
        return self.n**2 - self.chance

    @property
    def unlike_actual(self) -> Any:
        """n**2 - sum(actual_k**2): twice the pairs of rows that are of different classes."""
        if isinstance(self.n, float) and (cells := self.apart) is not None:
            return _total(self.actual * cells.actual_negative)
        return _dusted(self.n**2 - self._summed(self.actual, self.actual), self.n)

    @property
    def unlike_predicted(self) -> Any:
        """n**2 - sum(predicted_k**2): twice the pairs of rows that got different answers."""
        if isinstance(self.n, float) and (cells := self.apart) is not None:
            return _total(self.predicted * cells.predicted_negative)
        return _dusted(self.n**2 - self._summed(self.predicted, self.predicted), self.n)

    def _summed(self, counts: Any, times: Any = None) -> Any:
        """Sum over the classes of counts, or of their products; exact for whole counts of any size."""
        if isinstance(self.n, int) and self.n >= PRODUCTS_FIT:
            factors = [1] * len(counts) if times is None else times
            return sum(int(one) * int(other) for one, other in zip(counts, factors, strict=True))
        return _total(counts if times is None else counts * times)

    @property
    def each(self) -> Binary:
        """Every class against the rest, as one `Binary` of arrays."""
        if self.apart is not None:
            return self.apart
        n = self.n[..., None] if isinstance(self.n, np.ndarray) else self.n
        fn, fp = self.actual - self.hits, self.predicted - self.hits
        tn = n - self.hits - fn - fp
        if isinstance(n, float):
            # Differences of fractions leave dust where a cell is empty; a rate of dust is no rate.
            fn, fp, tn = (np.where(cell < _DUST * n, 0.0, cell) for cell in (fn, fp, tn))
        return Binary(self.hits, fn, fp, tn)

    @property
    def pooled(self) -> Binary:
        """The one-vs-rest matrices added up: what micro averages are made of."""
        each = self.each
        tp, fn, fp, tn = (_total(cell) for cell in (each.tp, each.fn, each.fp, each.tn))
        return Binary(tp, fn, fp, tn)


def _total(counts: Any) -> Any:
    """Sum over the classes; a plain number, whose products cannot overflow, when there is one table."""
    total = counts.sum(axis=-1)
    return total if total.ndim else total.item()


def _dusted(difference: Any, n: Any) -> Any:
    """A difference of squares without what rounding leaves of it where every row is of one class."""
    if isinstance(n, int):
        return difference
    return np.where(np.abs(difference) < _DUST * np.square(n), 0.0, difference)
