"""Rejection: which share of the answers is right when the least clear ones are not given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.group_squares import worth_of_groups
from tallymark.curves.rejection.margins import Form
from tallymark.curves.shared import (
    DUST,
    NO_ROWS,
    asked_for,
    assumed,
    cut,
    drawn,
    finite,
    first_called,
    in_blocks,
    no_curve,
    row_at,
    share_of,
    thinned,
)
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.intervals import checked_level, wilson_bounds
from tallymark.intervals.checks import checked_number
from tallymark.metrics.registry import ratio
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure

Floats = NDArray[np.float64]

_DEFINITIONS = {
    "rejected": "share of all rows whose {what} is below theta",
    "correct": "share of the accepted rows that are answered rightly",
    "correct_of_all": "share of all rows that are accepted and answered rightly",
    "area": "mean of correct over every share rejected from 0 to 1; each value holds until more is rejected",
    "area_of_all": "area below correct_of_all for shares rejected from 0 to 1, straight among equal {form}s",
    "aurc": "1 - area: mean error among the accepted rows (Geifman, Uziel and El-Yaniv 2019)",
}
_LAST_BITS = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class RejectionPoint:
    """What one theta gives: rows with `margin < theta` are rejected."""

    theta: float
    rejected: float
    correct: float | None
    """None when everything is rejected."""
    correct_of_all: float
    accepted: Any
    """Rows, or the sum of their weights."""
    right: Any
    low: float | None
    high: float | None
    """Confidence interval of `correct`."""


@dataclass(frozen=True, eq=False)
class Rejection(Drawn):
    """Share rejected and share right among the rest, from nothing rejected to only the clearest accepted.

    Made from a tally of margins whose positives are the rows answered rightly (see `margins_of`). A point
    for each distinct margin as theta; any theta above the one before it does the same. Where everything is
    rejected nothing is right or wrong, so no such point is made up.

    >>> margins = Scores(np.array([0.8, 0.4, 0.1]), np.array([2, 1, 0]), np.array([0, 0, 1]))
    >>> curve = Rejection(margins)
    >>> curve.theta.tolist(), curve.rejected.tolist(), curve.correct.tolist(), curve.area
    ([0.1, 0.4, 0.8], [0.0, 0.25, 0.5], [0.75, 1.0, 1.0], 0.9375)
    """

    margins: Scores
    form: Form = "margin"
    """Best less second-best probability, or distance of the score from where it is cut."""
    level: float = 0.95
    groups: GroupedScores | None = None
    """The same rows by group, when rows belong together."""
    threshold: float | None = None
    """Where the score is cut, when its distance from there is what is looked at."""
    spelling: str = ""
    """How the threshold is written, where something shorter takes the same rows."""

    def __post_init__(self) -> None:
        checked_level(self.level)

    @property
    def why(self) -> str | None:
        """Why there is no curve, if there is none."""
        return None if self.margins.n else NO_ROWS

    @cached_property
    def _start(self) -> int:
        """The first cut at which something is accepted."""
        return first_called(self.margins)

    def _points(self, cuts: NDArray[Any]) -> NDArray[Any]:
        """Of all cuts of the tally, those of the curve in its order."""
        return cuts[: self._start - 1 : -1]

    # --- the curve -----------------------------------------------------------------------------

    @property
    def theta(self) -> Floats:
        return self._points(self.margins.thresholds)

    @property
    def accepted(self) -> NDArray[Any]:
        """Rows accepted, or the sum of their weights."""
        return self._points(frozen(self.margins.tp + self.margins.fp))

    @property
    def right(self) -> NDArray[Any]:
        """Those of them that are answered rightly."""
        return self._points(self.margins.tp)

    @property
    def rejected(self) -> Floats:
        """Share of all rows that is rejected."""
        accepted = self.accepted
        return in_blocks(len(accepted), lambda at: ratio(accepted[0] - accepted[at], accepted[0]))

    @property
    def correct(self) -> Floats:
        """Share of the accepted rows that is right."""
        accepted, right = self.accepted, self.right
        return in_blocks(len(accepted), lambda at: ratio(right[at], accepted[at]))

    @property
    def correct_of_all(self) -> Floats:
        """Share of all rows that is accepted and right."""
        right, n = self.right, self.margins.n
        return in_blocks(len(right), lambda at: ratio(right[at], n))

    @property
    def accuracy(self) -> float | None:
        """What is right when nothing is rejected."""
        return finite(self.margins.prevalence)

    # --- its band ------------------------------------------------------------------------------

    @property
    def no_band(self) -> str | None:
        """Why there is no band, if there is none."""
        alone = self.groups is not None and len(self.groups) < 2
        return "there is only one group, which shows no variance" if alone else None

    @property
    def assumption(self) -> str:
        """What the band takes for granted."""
        return assumed(self.margins, self.groups, " among the accepted")

    @property
    def method(self) -> str:
        return "wilson" if self.groups is None else "wilson_groups"

    @cached_property
    def _worth(self) -> Floats:
        """So many independent rows are as good as those accepted, at each cut."""
        above = self.margins.tp + self.margins.fp
        if self.groups is not None:
            return worth_of_groups(self.groups, self.level)
        if self.margins.squares is None:
            return np.asarray(above, np.float64)
        squared = np.cumsum(self.margins.squares[0] + self.margins.squares[1], dtype=np.float64)
        worth = np.zeros(len(above))
        np.divide(above[1:] * above[1:].astype(float), squared, out=worth[1:], where=squared > 0)
        return worth

    @cached_property
    def _band(self) -> tuple[Floats, Floats]:
        worth = self._points(self._worth)
        low, high = wilson_bounds(self.correct * worth, worth, self.level)
        return frozen(low), frozen(high)

    @property
    def low(self) -> Floats:
        """Lower end of the confidence interval of `correct` at each theta: Wilson's, and pointwise.

        With weights from Kish's effective number of rows; with groups from what the groups are worth.
        Measured coverage: benchmarks/coverage_rejection.py.
        """
        return self._band[0]

    @property
    def high(self) -> Floats:
        return self._band[1]

    # --- areas ---------------------------------------------------------------------------------

    @cached_property
    def aurc(self) -> float | None:
        """Mean error among the accepted rows, over every share accepted: `1 - area`.

        Each row in turn is the last one accepted; rows of equal margin are accepted together (Geifman,
        Uziel and El-Yaniv, Bias-reduced uncertainty estimation for deep neural classifiers, ICLR 2019).
        """
        right, wrong = self.margins.tp[1:], self.margins.fp[1:]
        return self._mean(lambda at: ratio(wrong[at], right[at] + wrong[at]))

    @property
    def area(self) -> float | None:
        """Below `correct` against `rejected`, as steps: each value holds until more is rejected."""
        return None if self.aurc is None else 1 - self.aurc

    @cached_property
    def area_of_all(self) -> float | None:
        """Below `correct_of_all` against `rejected`, from nothing rejected to everything.

        Straight among rows of equal margin, where any order is as good as another. At most 1/2.
        """
        right = self.margins.tp
        doubled = self._mean(lambda at: right[:-1][at] + right[1:][at])
        return None if doubled is None else doubled / (2 * self.margins.n)

    def _mean(self, of_margin: Callable[[slice], Any]) -> float | None:
        """A number that goes with each distinct margin, averaged over the rows."""
        t = self.margins
        if not t.n:
            return None
        rows = t.positives + t.negatives
        seen = rows > 0
        return float((in_blocks(len(rows), of_margin)[seen] * rows[seen]).sum() / t.n)

    @property
    def perfect_area(self) -> float | None:
        """The area if the wrong rows were rejected first: no order of the same answers has more."""
        return self.accuracy and self.accuracy * (1 - math.log(self.accuracy))

    @property
    def perfect_area_of_all(self) -> float | None:
        """The same of `area_of_all`."""
        return None if self.accuracy is None else self.accuracy * (1 - self.accuracy / 2)

    # --- one point -----------------------------------------------------------------------------

    def at(
        self, *, theta: float | None = None, rejected: float | None = None, correct: float | None = None
    ) -> RejectionPoint:
        """What a theta gives; or rejecting as much as possible, but no more than that share; or rejecting
        as little as leaves at least that share of the rest right."""
        if theta is not None and rejected is None and correct is None:
            name, value = "theta", float(checked_number("theta", theta))  # a distance may be beyond 1
        else:
            name, value = asked_for({"theta": theta, "rejected": rejected, "correct": correct})
        if self.why:
            raise no_curve(self.why)
        if name == "theta":
            # 3 * 0.1 is meant as 0.3.
            slack = _LAST_BITS * abs(value) if self.margins.exact else 0.0
            return self._point(row_at(self.margins, value - slack), value)
        if name == "rejected":
            place = int(np.searchsorted(self.rejected, value + DUST, side="right")) - 1
            return self._point(self._cut(place))
        good = self.correct >= value - DUST
        if not good.any():
            raise self._too_much(value)
        return self._point(self._cut(int(good.argmax())))

    def _cut(self, place: int) -> int:
        """Which cut of the tally a point of the curve is."""
        return len(self.margins.score) - place

    def _too_much(self, value: float) -> OptionError:
        top = int(self.correct.argmax())
        most, given_up = (share_of(float(side[top])) for side in (self.correct, self.rejected))
        theta = cut(self.margins, self._cut(top))
        return OptionError(
            f"no theta leaves {share_of(value)} right; the most is {most}, "
            f"with {given_up} rejected (theta {theta})."
        )

    def _point(self, place: int, theta: float | None = None) -> RejectionPoint:
        t = self.margins
        right, wrong = t.tp[place].item(), t.fp[place].item()
        accepted = right + wrong
        low, high = math.nan, math.nan
        if accepted:
            worth = float(self._worth[place])
            low, high = wilson_bounds(right / accepted * worth, worth, self.level)
        return RejectionPoint(
            theta=float(t.thresholds[place]) if theta is None else theta,
            rejected=float(ratio(t.n - accepted, t.n)),
            correct=right / accepted if accepted else None,
            correct_of_all=float(ratio(right, t.n)),
            accepted=accepted,
            right=right,
            low=finite(low),
            high=finite(high),
        )

    @property
    def definitions(self) -> dict[str, str]:
        """What its numbers are."""
        what = "margin" if self.form == "margin" else "distance from the threshold"
        return {name: text.format(form=self.form, what=what) for name, text in _DEFINITIONS.items()}

    # --- handed on -----------------------------------------------------------------------------

    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("theta", "rejected", "correct", "correct_of_all", "low", "high", "accepted", "right")
        return {name: getattr(self, name) for name in names}

    def table(self, library: str | None = None) -> Any:
        """One row per theta, as a data frame."""
        return frame(self._columns(), library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points."""
        areas = ("area", "area_of_all", "aurc", "perfect_area", "perfect_area_of_all")
        form: dict[str, Any] = {"form": self.form, "threshold": self.threshold, "accuracy": self.accuracy}
        form |= {name: getattr(self, name) for name in areas}
        form |= {"definitions": self.definitions, "level": self.level, "method": self.method}
        form["assumption"] = self.assumption
        for name in ("why", "no_band"):
            if getattr(self, name):
                form[name] = getattr(self, name)
        if not self.margins.exact:
            form["exact"] = False
        return form | thinned(self._columns(), most)

    def document(self) -> Document:
        """Areas, how much to reject for so much right, and the curve."""
        from tallymark.curves.rejection.words import describe

        return describe(self)

    def figure(self, label: str = "") -> Figure:
        """Share right against share rejected with its band, between random and perfect rejection."""
        from tallymark.curves.rejection.words import picture

        return picture(self, label)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)
