"""Calibration: how often what is given a probability comes true, in bins of the probability."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.calibration import words
from tallymark.curves.calibration.spread import (
    BinSpread,
    CalibrationTest,
    bias_of_largest,
    bias_of_mean,
    deviations,
    gaps_tested,
    limits_of,
    spread_of,
)
from tallymark.curves.frames import frame
from tallymark.curves.shared import NO_ROWS, asked_for, assumed, drawn, finite, no_curve, thinned
from tallymark.drawing import Document
from tallymark.drawing.figure import Figure
from tallymark.drawing.notebook import Drawn
from tallymark.intervals import checked_level
from tallymark.metrics.calibration import Bins, Strategy, bins_of, error_of, largest_error_of
from tallymark.metrics.calibration_bounds import Bounds, calibration_bounds
from tallymark.metrics.scores import brier, log_loss
from tallymark.tallies import GroupedScores, Scores, Sums
from tallymark.tallies.confusion import frozen

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CalibrationBin:
    """One bin: probabilities above `above` and up to `up_to`; None where it has no rows."""

    above: float
    up_to: float
    count: float
    predicted: float | None
    observed: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Decomposition:
    """What a Brier score is made of: reliability - resolution + uncertainty + within.

    After Murphy (1973), Journal of Applied Meteorology 12:595. Probabilities that differ within a bin add
    their variance there less twice their covariance with the truth: Stephenson et al. (2008), Weather and
    Forecasting 23:752. With that it adds up for any bins.
    """

    reliability: float
    """Mean squared gap of the bins: 0 is best, and what recalibration could at most take away from them."""
    resolution: float
    """How far the bins' shares of positives are from that of all rows: more is better."""
    uncertainty: float
    """The Brier score of always saying the share of positives."""
    within: float

    @property
    def brier(self) -> float:
        return self.reliability - self.resolution + self.uncertainty + self.within

    def to_dict(self) -> dict[str, float]:
        names = ("reliability", "resolution", "uncertainty", "within")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Calibration(Drawn):
    """Mean probability and share that came true in every bin that has rows, from the lowest up.

    >>> curve = Calibration(Scores(np.array([0.9, 0.8, 0.1]), np.array([1, 0, 0]), np.array([0, 1, 2])), 2)
    >>> curve.predicted.round(2).tolist(), curve.observed.tolist(), curve.count.tolist()
    ([0.1, 0.85], [0.0, 0.5], [2, 2])
    """

    scores: Scores
    n_bins: int = 10
    strategy: Strategy = "width"
    level: float = 0.95
    groups: GroupedScores | None = None
    """The same rows by group, when rows belong together: then groups are what is independent."""
    of_answers: bool = False
    """Whether the probabilities are of the answers given, and the positives are the right ones."""
    clip: float = 0.0
    """How far probabilities are kept from 0 and 1 in the logarithmic loss."""

    def __post_init__(self) -> None:
        checked_level(self.level)
        if not self.why:
            _ = self.bins  # so that wrong options are refused here and now

    @property
    def why(self) -> str | None:
        """Why there is no curve, if there is none."""
        return self.scores.no_probabilities or (None if self.scores.n else NO_ROWS)

    @cached_property
    def bins(self) -> Bins:
        return bins_of(Scores.empty() if self.why else self.scores, self.n_bins, self.strategy)

    @property
    def edges(self) -> Floats:
        """Of all bins, also of empty ones."""
        return self.bins.edges

    @property
    def predicted(self) -> Floats:
        """Mean probability of the rows of each bin."""
        return self.bins.predicted

    @property
    def observed(self) -> Floats:
        """Share of them that are positive."""
        return self.bins.observed

    @property
    def count(self) -> NDArray[Any]:
        """Rows of each bin, or the sum of their weights."""
        return self.bins.count

    @property
    def low(self) -> Floats:
        """Lower end of the interval of what was observed; NaN where there is none."""
        return self._limits[0]

    @property
    def high(self) -> Floats:
        return self._limits[1]

    @cached_property
    def _spread(self) -> BinSpread:
        return spread_of(self.bins, self.groups)

    @cached_property
    def _limits(self) -> tuple[Floats, Floats]:
        if self.why:
            return frozen(np.empty(0)), frozen(np.empty(0))
        low, high = limits_of(self.bins, self._spread, self.level)
        return frozen(low), frozen(high)

    # --- numbers -------------------------------------------------------------------------------

    @property
    def ece(self) -> float | None:
        """Expected calibration error: the mean distance of predicted and observed over the rows."""
        return finite(error_of(self.bins))

    @property
    def mce(self) -> float | None:
        """Maximum calibration error: the largest distance."""
        return finite(largest_error_of(self.bins))

    @cached_property
    def bounds(self) -> tuple[Bounds, Bounds] | None:
        """Between what the exact ECE and MCE lie, when only bins of the probabilities were counted and some
        of them go beyond a bin of the curve; else None."""
        found = None if self.why else calibration_bounds(self.scores, self.n_bins, self.strategy)
        if found is None or self.ece is None or self.mce is None:
            return None
        ece, mce = (
            (min(low, value), max(high, value))
            for (low, high), value in zip(found, (self.ece, self.mce), strict=True)
        )
        return ece, mce

    @cached_property
    def debiased_ece(self) -> float | None:
        """Less what chance adds, for it makes distances of either sign and all of them count as positive.

        Estimated: measured in benchmarks/coverage_calibration.py.
        """
        return None if self.ece is None else max(0.0, self.ece - bias_of_mean(self.bins, self._deviation))

    @cached_property
    def debiased_mce(self) -> float | None:
        return None if self.mce is None else max(0.0, self.mce - bias_of_largest(self.bins, self._deviation))

    @property
    def _deviation(self) -> Floats:
        return deviations(self.scores, self.bins, self._spread)

    @property
    def brier(self) -> float | None:
        """Mean squared distance of the probability from the truth, from 0 to 1."""
        return finite(brier(self.sums)) if isinstance(self.sums, Sums) else None

    @property
    def log_loss(self) -> float | None:
        """None also where it is infinite."""
        return finite(log_loss(self.sums)) if isinstance(self.sums, Sums) else None

    @cached_property
    def sums(self) -> Sums | str:
        """The losses, or why there are none."""
        return self.scores.losses(self.clip) if self.clip else self.scores.sums

    @cached_property
    @np.errstate(under="ignore")
    def decomposition(self) -> Decomposition | None:
        """The parts of the Brier score."""
        if self.why:
            return None
        t, bins = self.scores, self.bins
        n, base = float(t.n), float(t.prevalence)
        reliability = float((bins.count * bins.gap**2).sum() / n)
        resolution = float((bins.count * (bins.observed - base) ** 2).sum() / n)
        uncertainty = base * (1 - base)
        if not t.exact:
            # What the losses have beyond the other parts: within bins scores are not known.
            whole = self.brier
            within = None if whole is None else whole - reliability + resolution - uncertainty
            return None if within is None else Decomposition(reliability, resolution, uncertainty, within)
        # Centred sums, bin by bin: of squared probabilities, and of probabilities with the truth.
        squares = bins.total((t.positives + t.negatives) * t.score**2) - bins.count * bins.predicted**2
        products = bins.total(t.positives * t.score) - bins.count * bins.observed * bins.predicted
        within = float((squares - 2 * products).sum() / n)
        return Decomposition(reliability, resolution, uncertainty, within)

    @cached_property
    def test(self) -> CalibrationTest:
        """Whether chance alone explains the gaps."""
        return gaps_tested(self.scores, self.bins, self.groups)

    @property
    def method(self) -> str:
        """How the interval of a bin is made."""
        return "wilson" if self.groups is None else "wilson_groups"

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        return assumed(self.scores, self.groups, " in each bin")

    def at(self, probability: float) -> CalibrationBin:
        """The bin that holds a probability."""
        _, value = asked_for({"probability": probability})
        if self.why:
            raise no_curve(self.why)
        place = int(np.searchsorted(self.edges[1:-1], value))
        above, up_to = self.edges[place : place + 2].tolist()
        (found,) = np.nonzero(self.bins.place == place)
        if not len(found):
            return CalibrationBin(above, up_to, 0, None, None, None, None)
        at = int(found[0])
        columns = self.predicted, self.observed, self.low, self.high
        return CalibrationBin(above, up_to, self.count[at].item(), *(finite(float(c[at])) for c in columns))

    # --- handed on -----------------------------------------------------------------------------

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("predicted", "observed", "low", "high", "count")
        edges = {"above": self.bins.above, "up_to": self.bins.up_to}
        return edges | {name: getattr(self, name) for name in names}

    def table(self, library: str | None = None) -> Any:
        """One row per bin that has rows, as a data frame."""
        return frame(self._columns, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` bins."""
        form: dict[str, Any] = {"of": "answers" if self.of_answers else "positive"}
        form |= {"n_bins": int(self.n_bins), "strategy": self.strategy, "level": self.level}
        form |= {"method": self.method, "assumption": self.assumption}
        if self.why:
            return form | {"why": self.why} | thinned(self._columns, most)
        names = ("ece", "mce", "debiased_ece", "debiased_mce", "brier", "log_loss")
        form |= {name: getattr(self, name) for name in names}
        if self.bounds is not None:
            form |= {"exact": False, "bounds": {"ece": list(self.bounds[0]), "mce": list(self.bounds[1])}}
        parts = self.decomposition
        form["decomposition"] = None if parts is None else parts.to_dict()
        form["test"] = self.test.to_dict()
        return form | thinned(self._columns, most)

    def document(self) -> Document:
        """How far off the probabilities are, what their Brier score is made of, and the bins."""
        return words.document(self)

    def figure(self, label: str = "") -> Figure:
        """Observed against predicted with intervals, the diagonal, and how many rows each bin has."""
        return words.figure(self, label)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)
