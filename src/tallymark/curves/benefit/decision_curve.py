"""The decision curve: is it worth acting on a probability, and from which one on?

Vickers and Elkin (2006), Medical Decision Making 26:565. Whoever acts from a probability t on says with it
that a false positive is t / (1 - t) times as bad as a true positive is good. That is what the net benefit
counts with, in true positives per row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.benefit import net_benefit
from tallymark.curves.frames import frame
from tallymark.curves.shared import (
    BINS,
    MOST_PRINTED,
    NO_ROWS,
    asked_for,
    assumed,
    drawn,
    kept,
    no_curve,
    row_at,
    share_of,
    spelled,
    thinned,
)
from tallymark.drawing import Block, Column, Document, Lines, Paragraph, Section, Table, interval, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Note, Panel
from tallymark.errors import OptionError
from tallymark.intervals import checked_level
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen
from tallymark.tallies.scores import OUTSIDE

FORMULA = "net benefit = TP / n - FP / n x t / (1 - t), for acting on the rows with a probability >= t"
BINS_OUTSIDE = "the bins leave [0, 1], so they are none of probabilities"
ONE_GROUP = "all rows are of one group"
_GRID = np.arange(1, 100) / 100
_FIFTH = 5
"""Every fifth of a hundred thresholds is printed."""
METHOD = "zou_donner"


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit at every threshold from 1 to 99 %, or at the edges of bins, and of acting on all rows.

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
        ends = self.scores.score if self.scores.edges is None else self.scores.edges
        if ends.min() < 0 or ends.max() > 1:
            return OUTSIDE if self.scores.exact else BINS_OUTSIDE
        if self.share is not None and not self.scores.pairs:
            return "without rows of both classes nothing is known for another share of positives"
        return None

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """Ascending: 0.01 to 0.99, or the edges of bins below 1; empty without a curve."""
        if self.why:
            return np.empty(0)
        if self.scores.exact:
            return frozen(_GRID.copy())
        edges = self.scores.score[::-1]
        return frozen(edges[edges < 1])

    @cached_property
    def net_benefit(self) -> NDArray[np.float64]:
        """True positives per row, less the false ones by their weight."""
        return frozen(self._worth(self._places, self._odds))

    @property
    def all(self) -> NDArray[np.float64]:
        """Of acting on all rows; acting on none has 0."""
        return np.asarray(self._worth(-1, self._odds))

    @property
    def avoided(self) -> NDArray[np.float64]:
        """Net reduction in interventions: how many per row fewer than by acting on all, without one more
        positive missed. NaN at the threshold 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            fewer = (self.net_benefit - self.all) / self._odds
        return np.where(self._odds > 0, fewer, np.nan)

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
        return np.searchsorted(-self.scores.score, -self.threshold, side="right")

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
        return None if self.no_interval else next(self._intervals([place], [odds], level))

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
        return assumed(self.groups)

    @property
    def method(self) -> str:
        """How the intervals are made: two of Wilson's, of the rows acted on rightly and wrongly, combined."""
        return METHOD if self.groups is None else f"{METHOD}_groups"

    def _intervals(self, places: list[int], odds: list[float], level: float) -> Iterator[tuple[float, float]]:
        reach = net_benefit.reach_of(level, self.groups, self.share)
        if self.groups is None:
            found = net_benefit.of_rows(self.scores, places, odds, self.share)
        else:
            found = net_benefit.of_groups(self.groups, places, odds, self.share)
        return (each.interval(reach) for each in found)

    @cached_property
    def _ends(self) -> NDArray[np.float64]:
        """Low and high at every threshold."""
        if self.no_interval:
            return np.full((2, len(self.threshold)), np.nan)
        # From the highest threshold down, so that the places go up.
        places, odds = self._places[::-1].tolist(), self._odds[::-1].tolist()
        return frozen(np.array(list(self._intervals(places, odds, self.level))).T[:, ::-1])

    @property
    def low(self) -> NDArray[np.float64]:
        """Of the interval at each threshold, one by one; NaN where there is none."""
        return np.asarray(self._ends[0])

    @property
    def high(self) -> NDArray[np.float64]:
        return np.asarray(self._ends[1])

    @cached_property
    def useful(self) -> tuple[tuple[float, float], ...]:
        """Ranges of thresholds, ascending, within which it is better than acting on all and on none.

        With every score known the ends are exact, and may not belong to the range; of bins they are edges.
        """
        if self.why:
            return ()
        if not self.scores.exact:
            better = self.net_benefit > np.maximum(self.all, 0)
            starts, stops = _runs(better)
            return _pairs(self.threshold[starts], self.threshold[stops - 1])
        among, left = self._positives_acted_on_and_left()
        # A cut is that of the thresholds above the next score, up to its own.
        low, high = np.maximum(np.append(self.scores.score, 0.0), left), np.append(1.0, self.scores.score)
        closed = high < among
        high = np.minimum(high, among)
        there = np.flatnonzero(low < high)[::-1]  # from the lowest threshold up
        low, high, closed = low[there], high[there], closed[there]
        parted = (high[:-1] < low[1:]) | ~closed[:-1]
        edge = np.ones(min(1, len(low)), bool)
        return _pairs(low[np.append(edge, parted)], high[np.append(parted, edge)])

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
        form["useful"] = [list(each) for each in self.useful]
        if not self.scores.exact:
            form["exact"] = False
        if self.no_interval:
            form["note"] = self.no_interval
        return form | thinned(self._columns(), most)

    def document(self) -> Document:
        """Where it is worth acting on the probabilities, and the net benefit in numbers."""
        return Document("", (Section("Decision curve", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        if self.why:
            yield Paragraph(f"There is no decision curve: {self.why}.")
            return
        yield Paragraph(" ".join(self.sentences()))
        yield Lines((FORMULA,))
        if not self.scores.exact:
            yield Paragraph(BINS)
        yield self._printed()
        yield Paragraph(
            "The net benefit is in true positives per row. Avoided: so many fewer of 100 rows are acted on "
            f"than if all were, without one more positive missed. {self._about_intervals()}"
        )

    def _about_intervals(self) -> str:
        if self.no_interval:
            return f"There are no intervals: {self.no_interval}."
        return (
            f"Intervals are {share_of(self.level)} ones at each threshold, from Wilson's of true and false "
            f"positives (Zou and Donner 2008); {self.assumption}."
        )

    def sentences(self) -> Iterator[str]:
        """Where it is better than acting on all and on none."""
        if not self.useful:
            yield "At no threshold is it better than both acting on all rows and acting on none."
            return
        low, high = max(self.useful, key=lambda each: each[1] - each[0])
        yield (
            "Acting on the probabilities is better than acting on all rows and than acting on none "
            f"{self._between(low, high)}."
        )
        others = len(self.useful) - 1
        if others:
            ranges = "1 shorter range" if others == 1 else f"{others:,} shorter ranges"
            yield f"It is in {ranges} of thresholds as well."

    def _between(self, low: float, high: float) -> str:
        if self.scores.exact:
            return f"at thresholds between {number(low)} and {number(high)}"
        if low == high:
            return f"at the threshold {spelled(low)}"
        return f"at the thresholds from {spelled(low)} to {spelled(high)}"

    def _printed(self) -> Table:
        size = len(self.threshold)
        places = kept(size, MOST_PRINTED)
        if self.scores.exact:
            places = np.arange(_FIFTH - 1, size, _FIFTH)
        columns = {name: values[places].tolist() for name, values in self._columns().items()}
        rows = []
        for at, value, low, high, acting, avoided in zip(*columns.values(), strict=True):
            ends = "-" if self.no_interval else interval(low, high)
            fewer = "-" if np.isnan(avoided) else number(100 * avoided, 1)
            rows.append((spelled(at), number(value), ends, number(acting), fewer))
        title = "" if len(rows) == size else f"{len(rows)} of {size} thresholds"
        titles = ("threshold", "net benefit", "interval", "acting on all", "avoided of 100")
        return Table(tuple(map(Column, titles)), tuple(rows), title)

    def figure(self, label: str = "") -> Figure:
        """The net benefit with its interval, beside acting on all rows and on none."""
        x = Axis("threshold probability", percent=True)
        if self.why:
            y = Axis("net benefit")
            return Figure((Panel(x, y, (Note(0.05, 0.5, f"undefined: {self.why}"),)),))
        share = max(self.prevalence, 0.01)
        top = share if self.no_interval else max(share, float(self.high.max()))
        y = Axis("net benefit: true positives per row", -0.25 * share, 1.05 * top)
        marks: list[Mark] = []
        if not self.no_interval:
            by_group = "" if self.groups is None else ", by group"
            name = f"{share_of(self.level)} interval at each threshold{by_group}"
            marks.append(Band(self.threshold, self.low.clip(y.low), self.high.clip(y.low), name))
        marks += (
            self._acting_on_all(y.low),
            Line(np.array([0.0, 1.0]), np.zeros(2), "act on none", series=None, faint=True),
            Line(self.threshold, self.net_benefit, label or "act from the threshold on", name=label),
        )
        notes = ["" if self.scores.exact else BINS, next(self.sentences())]
        if self.no_interval:
            notes.append(self._about_intervals())
        return Figure((Panel(x, y, tuple(marks)),), note=" ".join(notes).strip())

    def _acting_on_all(self, lowest: float) -> Line:
        """Down to where it leaves the picture."""
        share = self.prevalence
        last = 1 - (1 - share) / (1 - lowest)
        x = np.append(_GRID[last > _GRID], last) if last < 1 else _GRID
        x = np.append(0.0, x)
        return Line(x, share - (1 - share) * x / (1 - x), "act on all", series=None)

    def plot(self, ax: Any = None) -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back."""
        return drawn(self.figure(), ax)


def _runs(good: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where runs of true start, and where they are over."""
    steps = np.diff(np.concatenate([[0], good.astype(np.int8), [0]]))
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)


def _pairs(low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    return tuple(zip(low.tolist(), high.tolist(), strict=True))
