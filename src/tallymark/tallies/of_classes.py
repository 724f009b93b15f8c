"""`OfClasses`: what one probability per class adds up to, column by column."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.arrays import owned
from tallymark.tallies.binned import Binned
from tallymark.tallies.score_merging import same
from tallymark.tallies.scores import Scores
from tallymark.tallies.sums import Sums

Counted = Scores | Binned


@dataclass(frozen=True, eq=False)
class OfClasses:
    """Every class against the rest by its own probability, and what the largest probability of a row says."""

    columns: tuple[Counted, ...]
    """In the order of the declared classes."""
    losses: tuple[Sums, ...]
    """Of the rows of every class: how far all probabilities are from the truth."""
    confidence: Counted
    """The largest probability, by whether it is that of the actual class."""
    margins: Counted
    """How far it is ahead of the second largest, by the same."""
    places: NDArray[Any]
    """Rows whose actual class has the largest probability of its row, the second largest and so on."""
    ties: int
    """Rows in which several probabilities are the largest."""
    place_squares: NDArray[Any] | None = None
    """Sums of squared weights of the rows at each place; None without weights."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", owned(self.places))
        if self.place_squares is not None:
            # Nothing was weighed where there are no rows, so such a tally can be added to any other.
            squares = owned(self.place_squares) if self.place_squares.any() else None
            object.__setattr__(self, "place_squares", squares)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OfClasses):
            return NotImplemented
        plain = ("columns", "losses", "confidence", "margins", "ties")
        alike = all(getattr(self, name) == getattr(other, name) for name in plain)
        return alike and same(self.places, other.places) and same(self.place_squares, other.place_squares)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return OfClasses, tuple(getattr(self, each.name) for each in fields(self))

    def __add__(self, other: OfClasses) -> OfClasses:
        if not isinstance(other, OfClasses):
            return NotImplemented
        return OfClasses(
            tuple(_added(one, two) for one, two in zip(self.columns, other.columns, strict=True)),
            tuple(one + two for one, two in zip(self.losses, other.losses, strict=True)),
            _added(self.confidence, other.confidence),
            _added(self.margins, other.margins),
            self.places + other.places,
            self.ties + other.ties,
            _either(self.place_squares, other.place_squares),
        )

    def __radd__(self, other: object) -> OfClasses:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def counted(self) -> tuple[Counted, ...]:
        """All scores in it, which may be as many as there are rows."""
        return *self.columns, self.confidence, self.margins

    def __repr__(self) -> str:
        return f"OfClasses({len(self.columns)} classes)"


def _added(one: Any, two: Any) -> Any:
    return one + two


def _either(one: NDArray[Any] | None, two: NDArray[Any] | None) -> NDArray[Any] | None:
    if one is None or two is None:
        return two if one is None else one
    return np.asarray(one + two)
