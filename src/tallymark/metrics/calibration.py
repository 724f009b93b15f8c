"""Calibration: how far probabilities are from how often what they are of comes true, in bins of `Scores`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.metrics.registry import metric
from tallymark.metrics.scores import NO_ROWS
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen

Floats = NDArray[np.float64]
Strategy = Literal["width", "mass"]
"""Bins of equal width, or of as many rows each as ties allow."""

MOST_BINS = 10_000


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins that hold rows, from the lowest probability up; a bin is above its lower edge and up to its
    upper one, and the first holds its lower edge too."""

    edges: Floats
    """Of all bins, also of empty ones: one more than bins."""
    place: NDArray[np.intp]
    """Which of all bins each is."""
    start: NDArray[np.intp]
    """The scores of a tally go down: those of a bin are `score[start:stop]`."""
    stop: NDArray[np.intp]
    predicted: Floats
    """Mean probability of the rows."""
    observed: Floats
    """Share of them that are positive."""
    count: NDArray[Any]
    """Rows, or the sum of their weights."""
    squares: NDArray[Any]
    """The same, or the sum of their squared weights."""

    def __len__(self) -> int:
        return len(self.count)

    def total(self, amounts: NDArray[Any]) -> NDArray[Any]:
        """Something that goes with every score of the tally, added up in each bin."""
        # Scores go down and bins up. Between bins there are at most scores of no weight, which add nothing.
        return np.asarray(np.add.reduceat(amounts, self.start[::-1])[::-1]) if len(self) else np.empty(0)

    @property
    def above(self) -> Floats:
        return self.edges[self.place]

    @property
    def up_to(self) -> Floats:
        return self.edges[self.place + 1]

    @property
    def gap(self) -> Floats:
        """How much more often it came true than was said."""
        return self.observed - self.predicted

    @property
    def count_squared(self) -> Floats:
        """Not of whole numbers, for the squares of large ones fit no integer of numpy."""
        return np.asarray(np.square(self.count, dtype=np.float64))

    @property
    def effective(self) -> Floats:
        """Rows of each; with weights, Kish's effective number of them."""
        return np.asarray(self.count * (self.count / self.squares))


def bins_of(t: Scores, n_bins: int = 10, strategy: Strategy = "width") -> Bins:
    """The rows by their probability, as scikit-learn's calibration_curve and Guo et al. (2017) bin them.

    `width`: equal parts of [0, 1]. `mass`: parts of equally many rows, between percentiles of the
    probabilities; rows that are tied stay together. With weights those percentiles are the lowest
    probabilities that have such a share of the weight at or below them.

    >>> t = Scores(np.array([0.9, 0.8, 0.1]), np.array([1, 0, 0]), np.array([0, 1, 2]))
    >>> bins_of(t, 2).predicted.round(3).tolist(), bins_of(t, 2).observed.tolist()
    ([0.1, 0.85], [0.0, 0.5])
    """
    if not isinstance(n_bins, int | np.integer) or isinstance(n_bins, bool) or not 1 <= n_bins <= MOST_BINS:
        raise OptionError(f"n_bins must be a whole number from 1 to {MOST_BINS:,}; got {n_bins!r}.")
    if strategy not in ("width", "mass"):
        raise OptionError(
            f"strategy must be 'width' or 'mass'; got {strategy!r}.",
            hint="width: bins of equal width; mass: bins of equally many rows.",
        )
    counts = t.positives + t.negatives
    rising = np.ascontiguousarray(t.means[::-1])
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "mass" and len(rising):
        edges = percentiles(rising, counts[::-1], edges, weighted=t.squares is not None)
    # An edge belongs to the bin below it.
    ends = np.concatenate([[0], np.searchsorted(rising, edges[1:-1], side="right"), [len(rising)]])
    place = np.flatnonzero(np.diff(ends))
    if not len(place):
        none = np.empty(0)
        return Bins(frozen(edges), place, place, place, none, none, none, none)
    # From the end, because the scores of a tally go down.
    start, stop = len(rising) - ends[place + 1], len(rising) - ends[place]

    def total(amounts: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.add.reduceat(amounts, start[::-1])[::-1])

    count, positives = total(counts), total(t.positives)
    squares = count if t.squares is None else total(t.squares[0] + t.squares[1])
    there = count > 0
    with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
        said = t.means * counts if t.totals is None else t.totals
        # The mean of equal numbers is that number, whatever rounding says.
        predicted = np.clip(total(said) / count, t.means[stop - 1], t.means[start])
        columns = place, start, stop, predicted, positives / count, count, squares
    return Bins(frozen(edges), *(frozen(column[there]) for column in columns))


def percentiles(
    rising: Floats, counts: NDArray[Any], shares: Floats, *, weighted: bool, shift: float = 0.0
) -> Floats:
    """The probabilities below which such shares of the rows lie; to the bit `np.percentile` of all rows.

    With weights, which are rounded when they are added up, the shares are moved by `shift`.
    """
    below = np.cumsum(counts)
    if weighted:
        # As of inverted_cdf, which is the only method of numpy that takes weights.
        at = np.searchsorted(below, (shares + shift) * below[-1])
        return np.asarray(rising[np.minimum(at, len(rising) - 1)])
    # Through percent and back, as scikit-learn asks: that may move the last bit.
    at = (shares * 100 / 100) * (below[-1] - 1)
    rank = np.floor(at)
    left, right = (rising[np.searchsorted(below, each, side="right")] for each in (rank, np.ceil(at)))
    part = at - rank
    return np.asarray(np.where(part < 0.5, left + (right - left) * part, right - (right - left) * (1 - part)))


def error_of(bins: Bins) -> float:
    """The mean distance, each bin counting as often as it has rows; NaN without rows."""
    return float((bins.count * np.abs(bins.gap)).sum() / bins.count.sum()) if len(bins) else math.nan


def largest_error_of(bins: Bins) -> float:
    """The largest distance; NaN without rows."""
    return float(np.abs(bins.gap).max()) if len(bins) else math.nan


GUO = "Naeini, Cooper & Hauskrecht 2015, AAAI; Guo et al. 2017, ICML"


@metric(
    formula="sum(bin_k * abs(observed_k - stated_k)) / n",
    undefined=NO_ROWS,
    about="calibration",
    better="lower",
    interval="none",
    parameters=("n_bins",),
    defaults=(10.0,),
    aliases=("expected_calibration_error",),
    reference=GUO,
)
def ece(t: Scores, n_bins: float = 10, strategy: Strategy = "width") -> float:
    """Mean distance between what was said and what came true, over bins of equal width, ten unless said."""
    return math.nan if t.no_probabilities else error_of(bins_of(t, int(n_bins), strategy))


@metric(
    formula="max(abs(observed_k - stated_k))",
    undefined=NO_ROWS,
    about="calibration",
    better="lower",
    interval="none",
    parameters=("n_bins",),
    defaults=(10.0,),
    aliases=("maximum_calibration_error",),
    reference=GUO,
)
def mce(t: Scores, n_bins: float = 10, strategy: Strategy = "width") -> float:
    """Largest distance between what was said and what came true, of bins of equal width, ten unless said."""
    return math.nan if t.no_probabilities else largest_error_of(bins_of(t, int(n_bins), strategy))
