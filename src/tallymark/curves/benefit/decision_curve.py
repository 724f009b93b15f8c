"""The decision curve: is it worth acting on a probability, and from which one on?

Vickers and Elkin (2006), Medical Decision Making 26:565. Whoever acts from a probability t on says with it
that a false positive is t / (1 - t) times as bad as a true positive is good. That is what the net benefit
counts with, in true positives per row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.benefit.net_benefit import intervals, seen_from_the_other_class
from tallymark.curves.frames import frame
from tallymark.curves.shared import NO_ROWS, asked_for, assumed, drawn, no_curve, row_at, thinned
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.intervals import checked_level
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen
from tallymark.tallies.scores import OUTSIDE

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure

BINS_OUTSIDE = "the bins leave [0, 1], so they are none of probabilities"
ONE_GROUP = "all rows are of one group"
METHOD = "zou_donner"
_HUNDRED = 100
_MOST_EDGES = 1_000
"""Of bins; each takes an interval of its own."""
_TENTH = 0.1
_MOST_RANGES = 100
_LEAST_ODDS = 1e-290
"""Below these, which a threshold just above 0 has, their inverse times a count is more than a float holds."""

Ranges = tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class DecisionCurve(Drawn):
    """Net benefit at every threshold from 1 to 99 %, or at the edges of bins, and of acting on all rows.

    Where positives are rare, all there is to see is at low thresholds; then there are more of them up to
    `reach`.

    >>> curve = DecisionCurve(Scores.from_bins([3, 1], [1, 5], edges=[1, 0.5, 0]))
    >>> curve.at(threshold=0.5), curve.all.tolist()
    (0.2, [0.4, -0.2])
    """

    scores: Scores
    level: float = 0.95
    groups: GroupedScores | None = None
    """The same rows by group, when rows belong together."""
    share: float | None = None
    """Of the positives, where it is not these rows' own, as in a case-control study."""

    @property
    def why(self) -> str | None:
        """Why there is no curve, if there is none."""
        if not self.scores.n:
            return NO_ROWS
        if self.scores.score[-1] < 0 or self.scores.highest > 1:
            return OUTSIDE if self.scores.edges is None else BINS_OUTSIDE
        if self.share is not None and not self.scores.pairs:
            return "without rows of both classes nothing is known for another share of positives"
        return None

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """Ascending: 0.01 to 0.99, hundredths of `reach` and the round ones, or the edges of bins below 1, of
        very many some; empty without a curve."""
        if self.why:
            return np.empty(0)
        if self.scores.exact:
            close = np.arange(1, _HUNDRED) / (_HUNDRED * self._parts)
            return frozen(
                np.unique(np.concatenate([np.arange(1, _HUNDRED) / _HUNDRED, close, self.round_thresholds]))
            )
        edges = self.scores.score[::-1]
        edges = edges[edges < 1]
        if len(edges) > _MOST_EDGES:
            # Those next to round thresholds, and as many evenly, for scores may crowd.
            near = np.searchsorted(edges[:-1], np.arange(1, _HUNDRED) / _HUNDRED)
            edges = edges[np.union1d(near, np.linspace(0, len(edges) - 1, _HUNDRED).astype(np.intp))]
        return frozen(edges)

    @property
    def reach(self) -> float:
        """Where the picture ends: at ten times the share of positives, or where less than a tenth of it is
        left as net benefit; rounded up."""
        return 1 / self._parts

    @property
    def round_thresholds(self) -> NDArray[np.float64]:
        """Some round thresholds: every 5 %, or where positives are rare, the closer the lower."""
        if self._parts == 1:
            return frozen(np.arange(1, 20) / 20)
        first = math.floor(math.log10(self.prevalence)) - 1
        texts = (f"{digit}e{power}" for power in range(first, 0) for digit in (1, 1.5, 2, 3, 5, 7))
        every = np.array(list(map(float, texts)))
        return frozen(every[every >= _TENTH * self.prevalence])

    @cached_property
    def _parts(self) -> int:
        """1, 2, 5, 10, 20 and so on."""
        share = self.prevalence
        if self.why or not self.scores.exact or not 0 < share <= _TENTH:
            return 1
        needed = max(2 * share, min(10 * share, self._until(_TENTH * share)))
        parts = 1.0
        for step in cycle((2, 2.5, 2)):
            if 1 / (parts * step) < needed:
                break
            parts *= step
        return int(parts)

    def _until(self, worth: float) -> float:
        """The highest threshold at which the net benefit is more than that."""
        up, down, whole = self._factors
        tp, fp = up * self.scores.tp - worth * whole, down * self.scores.fp
        low, high = self._from_and_to()
        # tp - fp x t / (1 - t) > 0
        reached = tp > 0
        below = np.minimum(high[reached], tp[reached] / (tp + fp)[reached])
        return float(below.max(where=low[reached] < below, initial=0.0))

    def _from_and_to(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A cut is that of the thresholds above the next score, up to its own."""
        return np.append(self.scores.score, 0.0), np.append(1.0, self.scores.score)

    @cached_property
    def net_benefit(self) -> NDArray[np.float64]:
        """True positives per row, less the false ones by their weight."""
        return frozen(self._worth(self._places, self._odds))

    @property
    def all(self) -> NDArray[np.float64]:
        """Of acting on all rows; acting on none has 0."""
        return frozen(np.asarray(self._worth(-1, self._odds)))

    @property
    def avoided(self) -> NDArray[np.float64]:
        """Net reduction in interventions: what it gains over acting on all is worth as much as acting on so
        many rows fewer, as a share of all, while missing no more positives. NaN at the threshold 0."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fewer = (self.net_benefit - self.all) / self._odds
        return frozen(np.where(self._odds > _LEAST_ODDS, fewer, np.nan))

    @property
    def prevalence(self) -> float:
        """The share of positives that is reckoned with."""
        return self.scores.prevalence if self.share is None else self.share

    @property
    def _odds(self) -> NDArray[np.float64]:
        return self.threshold / (1 - self.threshold)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """Of the thresholds among the cuts."""
        return np.asarray(self.scores.called(self.threshold))

    @property
    def _factors(self) -> tuple[float, float, float]:
        """What a positive and a negative row count for, and what all rows count for together."""
        if self.share is None:
            return 1.0, 1.0, float(self.scores.n)
        positives, negatives = self.scores.n_positive or 1, self.scores.n_negative or 1
        return self.share / positives, (1 - self.share) / negatives, 1.0

    def _worth(self, places: Any, odds: Any) -> Any:
        """The net benefit at some cuts."""
        up, down, whole = self._factors
        return (up * self.scores.tp[places] - down * self.scores.fp[places] * odds) / whole

    # --- asked ---------------------------------------------------------------------------------

    def at(self, *, threshold: float) -> float:
        """The net benefit of acting on the rows with a probability of at least the threshold."""
        place, odds = self._asked(threshold)
        return float(self._worth(place, odds))

    def interval(self, threshold: float, confidence_level: float | None = None) -> tuple[float, float] | None:
        """Around one net benefit; None where there is none (see `no_interval`)."""
        place, odds = self._asked(threshold)
        level = self.level if confidence_level is None else checked_level(confidence_level)
        if self.no_interval:
            return None
        (ends,) = self._intervals([place], [odds], level)
        return ends

    def _asked(self, threshold: float) -> tuple[int, float]:
        """Its place among the cuts, and its odds."""
        _, value = asked_for({"threshold": threshold})
        if self.why:
            raise no_curve(self.why)
        if not 0 <= value < 1:
            raise OptionError(
                f"threshold must be at least 0 and below 1; got {value!r}.",
                hint="a decision curve is about acting from a probability on.",
            )
        return row_at(self.scores, value), value / (1 - value)

    @property
    def no_interval(self) -> str | None:
        """Why there are no intervals, if there are none."""
        if self.why:
            return self.why
        return ONE_GROUP if self.groups is not None and len(self.groups) == 1 else None

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        return assumed(self.scores, self.groups)

    @property
    def method(self) -> str:
        """How the intervals are made: two of Wilson's, of the rows acted on rightly and wrongly, combined."""
        return METHOD if self.groups is None else f"{METHOD}_groups"

    def _intervals(
        self, places: Sequence[int], odds: Sequence[float], level: float
    ) -> list[tuple[float, float]]:
        return list(intervals(self.groups or self.scores, places, odds, self.share, level))

    @cached_property
    def _ends(self) -> NDArray[np.float64]:
        """Low and high at every threshold."""
        if self.no_interval:
            return frozen(np.full((2, len(self.threshold)), np.nan))
        # From the highest threshold down, so that the places go up.
        places, odds = self._places[::-1].tolist(), self._odds[::-1].tolist()
        return frozen(np.array(self._intervals(places, odds, self.level)).T[:, ::-1])

    @property
    def low(self) -> NDArray[np.float64]:
        """Of the interval at each threshold, one by one; NaN where there is none."""
        return np.asarray(self._ends[0])

    @property
    def high(self) -> NDArray[np.float64]:
        return np.asarray(self._ends[1])

    @cached_property
    def useful(self) -> Ranges:
        """Ranges of thresholds, ascending, within which it is better than acting on all and on none.

        With every score known the ends are exact, and may not belong to the range; of bins they are edges.
        """
        if self.why:
            return ()
        if not self.scores.exact:
            return self._where(self.net_benefit > np.maximum(self.all, 0))
        among, left = self._positives_acted_on_and_left()
        low, high = self._from_and_to()
        low = np.maximum(low, left)
        closed = high < among
        high = np.minimum(high, among)
        there = np.flatnonzero(low < high)[::-1]  # from the lowest threshold up
        low, high, closed = low[there], high[there], closed[there]
        parted = (high[:-1] < low[1:]) | ~closed[:-1]
        edge = np.ones(min(1, len(low)), bool)
        return _pairs(low[np.append(edge, parted)], high[np.append(parted, edge)])

    @cached_property
    def sure(self) -> Ranges:
        """Ranges of the thresholds of this curve at each of which it is so beyond chance: the interval of the
        net benefit is above 0, and so is that of what it gains over acting on all."""
        there = self._odds > _LEAST_ODDS
        if self.no_interval or not there.any():
            return ()
        # What it gains over acting on all is `avoided`, the net benefit of leaving rows alone.
        left = seen_from_the_other_class(self.groups or self.scores)
        places, odds = len(self.scores.score) - self._places[there], 1 / self._odds[there]
        share = None if self.share is None else 1 - self.share
        over_all = [low for low, _ in intervals(left, places.tolist(), odds.tolist(), share, self.level)]
        sure = self.low > 0
        sure[there] &= np.array(over_all) > 0
        return self._where(sure & there)

    def _where(self, good: NDArray[np.bool_]) -> Ranges:
        """The first and the last threshold of every run of good ones."""
        steps = np.diff(np.concatenate([[0], good.astype(np.int8), [0]]))
        starts, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
        return _pairs(self.threshold[starts], self.threshold[stops - 1])

    def _positives_acted_on_and_left(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The share of positives among the rows acted on and among the others, at each cut.

        A threshold is better than none while it is below the first, and better than all while it is above
        the second. NaN where every row is acted on, or none: there it is one of the two.
        """
        up, down, _ = self._factors
        cuts = self.scores.cuts()
        with np.errstate(invalid="ignore"):
            among = up * cuts.tp / (up * cuts.tp + down * cuts.fp)
            left = up * cuts.fn / (up * cuts.fn + down * cuts.tn)
        return among, left

    # --- handed on -----------------------------------------------------------------------------

    def _columns(self) -> dict[str, NDArray[np.float64]]:
        names = ("threshold", "net_benefit", "low", "high", "all", "avoided")
        return {name: getattr(self, name) for name in names}

    def table(self, library: str | None = None) -> Any:
        """One row per threshold, as a data frame."""
        return frame(self._columns(), library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points."""
        form: dict[str, Any] = {"level": self.level, "method": self.method, "assumption": self.assumption}
        if self.why:
            form["why"] = self.why
        else:
            form["prevalence"] = self.prevalence
        widest = sorted(self.useful, key=lambda each: each[0] - each[1])[:_MOST_RANGES]
        form["useful"] = [list(each) for each in sorted(widest)]
        form["sure"] = [list(each) for each in self.sure]
        if not self.scores.exact:
            form["exact"] = False
        if self.no_interval:
            form["note"] = self.no_interval
        return form | thinned(self._columns(), most)

    def document(self) -> Document:
        """Where it is worth acting on the probabilities, and the net benefit in numbers."""
        from tallymark.curves.benefit.words import describe

        return describe(self)

    def figure(self, label: str = "") -> Figure:
        """The net benefit with its interval, beside acting on all rows and on none."""
        from tallymark.curves.benefit.words import picture

        return picture(self, label)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)


def _pairs(low: NDArray[np.float64], high: NDArray[np.float64]) -> Ranges:
    return tuple(zip(low.tolist(), high.tolist(), strict=True))
