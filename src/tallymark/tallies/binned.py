"""`Binned`: how many rows of the positive class and of the rest have their score in each bin of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MergeError
from tallymark.tallies.arrays import owned
from tallymark.tallies.confusion import frozen
from tallymark.tallies.grid import Grid
from tallymark.tallies.labels import Label
from tallymark.tallies.merging import EXACT
from tallymark.tallies.scores import Scores
from tallymark.tallies.sums import Sums

SEVERAL = np.inf
"""In the place of the score of a bin, where rows have several."""


@dataclass(frozen=True, eq=False)
class Binned:
    """Counts that are as small for a billion rows as for a thousand, and can be added.

    What is lost is the order of rows within a bin, unless all of them have the same score; so every number
    from here has certified bounds.
    """

    grid: Grid
    positives: NDArray[Any]
    """Rows of the positive class in each bin, or the sum of their weights."""
    negatives: NDArray[Any]
    squares: tuple[NDArray[Any], NDArray[Any]] | None
    """Sums of squared weights of positives and negatives; None without weights."""
    totals: NDArray[np.float64]
    """The scores in each bin, added up; those outside [0, 1] as if they were 0 or 1."""
    points: NDArray[np.float64]
    """The one score that all rows of a bin have; NaN in an empty bin, infinite where they have several."""
    losses: tuple[Sums, Sums]
    """Of the positives and of the negatives, as long as all scores are probabilities."""
    low: float
    """The least score."""
    high: float
    """The highest score."""
    rows: int
    """Rows counted, whatever their weight."""

    def __post_init__(self) -> None:
        for name in ("positives", "negatives", "totals", "points"):
            object.__setattr__(self, name, owned(getattr(self, name)))
        if self.squares is not None:
            first, second = map(owned, self.squares)
            # Nothing was weighed where there are no rows, so such a tally can be added to any other.
            object.__setattr__(self, "squares", (first, second) if self.rows else None)
        if not self.probable:
            object.__setattr__(self, "losses", (Sums(), Sums()))

    @classmethod
    def empty(cls, grid: Grid) -> Binned:
        """The identity of `+` among tallies on this grid."""
        none, size = (Sums(), Sums()), len(grid)
        counts = np.zeros(size, np.int64)
        points = np.full(size, np.nan)
        return cls(grid, counts, counts.copy(), None, np.zeros(size), points, none, np.inf, -np.inf, 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Binned):
            return NotImplemented
        plain = ("grid", "losses", "low", "high", "rows")
        arrays: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [(self.squares or (), other.squares or ())]
        arrays += [((getattr(self, name),), (getattr(other, name),)) for name in _ARRAYS]
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            len(one) == len(two)
            and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, two, strict=True))
            for one, two in arrays
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # What workers send to each other: of every bin that holds rows, in as few bytes as that takes.
        held = ~np.isnan(self.points)
        points = self.points[held]
        several = points == SEVERAL
        counts = [self.positives, self.negatives, *(self.squares or ())]
        return _rebuilt, (
            self.grid,
            np.packbits(held),
            np.packbits(several),
            points[~several],
            self.totals[held],
            [(each.dtype.str, _narrow(each[held])) for each in counts],
            (self.losses, self.low, self.high, self.rows),
        )

    def __add__(self, other: Binned) -> Binned:
        if not isinstance(other, Binned):
            return NotImplemented
        if self.grid != other.grid:
            raise MergeError(
                f"the scores were counted on different grids: {self.grid} and {other.grid}.",
                hint="count all parts with the same --grid and --threshold.",
            )
        if self.rows and other.rows and (self.squares is None) != (other.squares is None):
            raise MergeError(
                "one tally has weights and the other has none.",
                hint="count both with weights; weight 1 is a plain row.",
            )
        squares = self.squares or other.squares
        if self.squares is not None and other.squares is not None:
            squares = self.squares[0] + other.squares[0], self.squares[1] + other.squares[1]
        return Binned(
            self.grid,
            frozen(self.positives + other.positives),
            frozen(self.negatives + other.negatives),
            squares,
            frozen(self.totals + other.totals),
            frozen(_one_score(self.points, other.points)),
            (self.losses[0] + other.losses[0], self.losses[1] + other.losses[1]),
            min(self.low, other.low),
            max(self.high, other.high),
            self.rows + other.rows,
        )

    def __radd__(self, other: object) -> Binned:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"Binned({self.grid}, {self.rows:,} rows)"

    @property
    def probable(self) -> bool:
        """Whether all scores are from 0 to 1."""
        return self.low >= 0 and self.high <= 1

    @property
    def outside(self) -> bool:
        """Whether scores lie where there is no bin but one for all of them."""
        flows = self.points[[0, -1]]
        return bool((flows == SEVERAL).any())

    def scores(self, positive: Label | None = None) -> Scores:
        """The bins that hold rows, from the best down; exact where every one of them holds one score."""
        held = np.flatnonzero(~np.isnan(self.points))[::-1]
        points = self.points[held]
        several = points == SEVERAL
        # No score is below the least one, which matters in the lowest bin, and none above the highest.
        ends = np.nextafter(np.append(self.grid.edges[1:], np.inf), -np.inf)
        low = np.where(several, np.maximum(self.grid.edges[held], self.low), points)
        reach = np.where(several, np.minimum(ends[held], self.high), points)
        exact = not several.any()
        squares, counts = self.squares, self.positives[held] + self.negatives[held]
        return Scores(
            frozen(low + 0.0),
            frozen(self.positives[held]),
            frozen(self.negatives[held]),
            squares=None if squares is None else (frozen(squares[0][held]), frozen(squares[1][held])),
            positive=positive,
            rows=self.rows,
            reach=None if exact else frozen(reach + 0.0),
            totals=None if exact else frozen(np.where(several, self.totals[held], points * counts)),
            known=self.losses if self.probable and not exact else None,
        )


def _rebuilt(
    grid: Grid,
    held: NDArray[np.uint8],
    several: NDArray[np.uint8],
    points: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: list[tuple[str, NDArray[Any]]],
    rest: tuple[Any, ...],
) -> Binned:
    """From a pickle, out of which arrays would come writeable."""
    places = np.flatnonzero(np.unpackbits(held))

    def full(values: NDArray[Any], kind: str = "<f8", empty: float = 0) -> NDArray[Any]:
        array = np.full(len(grid), empty, kind)
        array[places] = values
        return frozen(array)

    scores = np.full(len(places), SEVERAL)
    scores[np.unpackbits(several, count=len(places)) == 0] = points
    positives, negatives, *squares = (full(values, kind) for kind, values in counts)
    both = (squares[0], squares[1]) if squares else None
    return Binned(grid, positives, negatives, both, full(totals), full(scores, empty=np.nan), *rest)


def _narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as the largest takes."""
    largest = counts.max(initial=0)
    whole = counts.dtype.kind == "i" or (largest <= EXACT and (counts == np.floor(counts)).all())
    return counts.astype(np.min_scalar_type(int(largest))) if whole else counts


_ARRAYS = ("positives", "negatives", "totals", "points")


def _one_score(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
    """The score that both sides have in a bin, or the only side that has rows in it."""
    alike = (one == two) | np.isnan(two)
    return np.where(alike, one, np.where(np.isnan(one), two, SEVERAL))
