"""The rows in equal parts, best scores first: how many positives each part holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.shared import DUST, cut_at, plain, spelled_up, why_undefined
from tallymark.drawing import Block, Column, Paragraph, Table, count, number, percent
from tallymark.errors import OptionError
from tallymark.metrics.registry import ratio
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen

MOST = 1000
_COLUMNS = (
    "decile",
    "rows",
    "highest",
    "lowest",
    "positives",
    "rate",
    "cumulative_positives",
    "cumulative_recall",
    "lift",
    "cumulative_lift",
)


@dataclass(frozen=True, eq=False)
class Deciles:
    """`parts` parts of the same size, or of the same weight.

    Where a border falls among rows of equal score, each side gets its share of their positives, and a row
    may be parted: so nothing depends on the order of the rows.

    >>> parts = Deciles(Scores.from_bins([4, 1, 0], [0, 2, 3]), 5)
    >>> parts.rows.tolist(), parts.positives.round(3).tolist()
    ([2.0, 2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 0.667, 0.333, 0.0])
    """

    scores: Scores
    parts: int = 10

    def __post_init__(self) -> None:
        if isinstance(self.parts, bool) or not isinstance(self.parts, int) or not 1 <= self.parts <= MOST:
            raise OptionError(f"n must be a whole number of parts from 1 to {MOST:,}; got {self.parts!r}.")

    @property
    def decile(self) -> NDArray[np.int64]:
        """1 is the best part."""
        return np.arange(1, self.parts + 1)

    @cached_property
    def _taken(self) -> NDArray[Any]:
        return np.asarray(self.scores.tp + self.scores.fp)

    @cached_property
    def _borders(self) -> NDArray[np.float64]:
        return np.asarray(np.arange(self.parts + 1) * (self._taken[-1] / self.parts))

    @cached_property
    def rows(self) -> NDArray[np.float64]:
        """Rows in each part, or the sum of their weights; a whole number only if the parts come out even."""
        return frozen(np.full(self.parts, self._taken[-1] / self.parts))

    @cached_property
    def _ends(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the first and the last score of each part stand."""
        # In whole numbers, so that a border between two scores is not missed by rounding.
        taken, whole = self._taken * self.parts, self._taken[-1] * np.arange(self.parts + 1)
        dust = 0 if taken.dtype.kind in "iu" else DUST * taken[-1]
        first = np.searchsorted(taken, whole[:-1] + dust, side="right")
        last = np.searchsorted(taken, whole[1:] - dust)
        return first - 1, last - 1

    @property
    def highest(self) -> NDArray[np.float64]:
        """The best score in each part."""
        return frozen(self.scores.score[self._ends[0]])

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The worst score in each part; of bins, the lower edge of the lowest."""
        return frozen(self.scores.score[self._ends[1]])

    @cached_property
    def cumulative_positives(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.interp(self._borders[1:], self._taken, self.scores.tp)
        found[-1] = self.scores.tp[-1]
        return frozen(found)

    @cached_property
    def positives(self) -> NDArray[np.float64]:
        return frozen(np.diff(self.cumulative_positives, prepend=0.0))

    @cached_property
    def rate(self) -> NDArray[np.float64]:
        """Share of positives in each part."""
        return frozen(np.asarray(ratio(self.positives, self.rows)))

    @cached_property
    def cumulative_recall(self) -> NDArray[np.float64]:
        return frozen(np.asarray(ratio(self.cumulative_positives, self.scores.tp[-1])))

    @cached_property
    def lift(self) -> NDArray[np.float64]:
        """The rate over the share of positives among all rows."""
        return frozen(np.asarray(ratio(self.positives * self.parts, self.scores.tp[-1])))

    @cached_property
    def cumulative_lift(self) -> NDArray[np.float64]:
        return frozen(np.asarray(self.cumulative_recall * self.parts / self.decile))

    @cached_property
    def parted(self) -> int:
        """How many borders fall among rows of equal score, or within a row."""
        first, last = self._ends
        return int((first[1:] == last[:-1]).sum())

    # --- handed on -----------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per part, as a data frame."""
        return frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, each column by its name."""
        return {name: plain(values) for name, values in self._columns().items()}

    def _columns(self) -> dict[str, NDArray[Any]]:
        if not self.scores.n:
            return {name: np.empty(0) for name in _COLUMNS}
        return {name: getattr(self, name) for name in _COLUMNS}

    def blocks(self) -> Iterator[Block]:
        """The table, and where its borders are."""
        if why := why_undefined(self.scores):
            yield Paragraph(f"The table of parts is undefined: {why}.")
            return
        whole = "rows" if self.scores.squares is None else "weight"
        titles = ("decile", whole, "scores", "positives", "rate", "so far", "recall", "lift", "so far")
        if self.parts != 10:
            titles = ("part", *titles[1:])
        columns = zip(
            self.decile.tolist(),
            self.rows.tolist(),
            self._ranges(),
            self.positives.tolist(),
            self.rate.tolist(),
            self.cumulative_positives.tolist(),
            self.cumulative_recall.tolist(),
            self.lift.tolist(),
            self.cumulative_lift.tolist(),
            strict=True,
        )
        lines = tuple(
            (
                str(decile),
                count(rows),
                scores,
                count(positives),
                percent(rate),
                count(so_far),
                percent(recall),
                number(lift, 2),
                number(cumulative, 2),
            )
            for decile, rows, scores, positives, rate, so_far, recall, lift, cumulative in columns
        )
        yield Table(tuple(map(Column, titles)), lines)
        if self.parted:
            borders = "1 border falls" if self.parted == 1 else f"{self.parted} borders fall"
            where = "rows of equal score" if self.scores.exact else "the rows of a bin"
            yield Paragraph(
                f"{borders} among {where} or within a row: each side gets its share of them, so that no "
                "number depends on the order of the rows."
            )

    def _ranges(self) -> Iterator[str]:
        """From which score to which: as they are printed, the same rows lie between them."""
        scores = self.scores.score
        for first, last in zip(*(end.tolist() for end in self._ends), strict=True):
            above = float(scores[first - 1]) if first else float("inf")
            low = cut_at(self.scores, float(scores[last]))
            high = float(scores[first])
            yield f"{spelled_up(high, above) if self.scores.exact else cut_at(self.scores, high)} to {low}"
