"""`Summary`: one number of one model over the folds, as the mean of the folds and pooled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate, undefined
from tallymark.intervals import student_quantile
from tallymark.metrics import Asked, ask
from tallymark.metrics.classes import AREAS
from tallymark.resampling.folds import Fold, Folds
from tallymark.tests.folds import ONE_FOLD
from tallymark.tests.scores import without_noise

Floats = NDArray[np.float64]

OVERLAP = (
    "overlapping training sets, corrected after Nadeau and Bengio 2003; there is no unbiased variance "
    "(Bengio and Grandvalet 2004)"
)
NO_NARROWER = "no narrower than pooled, for folds with the same shares of classes do not show how these vary"
ONE_SCALE = (
    "it ranks rows by the scores of different models as if they were on one scale, and is usually too low; "
    "the mean of folds does not"
)
_SHOWN = 3
_NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class Sizes:
    """Rows of every fold, as far as the spread of a mean depends on them."""

    train: Floats
    """Different rows trained on: one that a bootstrap drew twice tells no more than once."""
    test: Floats

    @classmethod
    def of(cls, folds: Folds) -> Sizes:
        return cls(
            np.array([_different(fold) for fold in folds.folds], float),
            np.array([fold.n_test for fold in folds.folds], float),
        )


def _different(fold: Fold) -> int:
    """How many different rows it trains on."""
    if fold.kept is None:
        return fold.n_train
    return int(np.count_nonzero(np.bincount(fold.kept, minlength=fold.rows)))


@dataclass(frozen=True, eq=False)
class Summary:
    """One number of one model: fold by fold, their mean, and of all test rows together."""

    metric: str
    better: str
    values: tuple[float | None, ...]
    """One for each fold; None where it is undefined."""
    whys: tuple[str | None, ...]
    """Why it is undefined."""
    mean: Estimate
    """The mean of the folds it is defined in, with an interval by the corrected t, no narrower than that of
    pooled."""
    deviation: float | None
    """The standard deviation of these; None of fewer than two."""
    pooled: Estimate
    """The number of the test rows of all folds together."""
    training_values: tuple[float | None, ...]
    """The number of the rows each model learned."""
    gain: Estimate | None
    """By how much the mean is better than the baseline's on the same folds; None without a baseline, or where
    neither more nor less is better."""

    @property
    def n(self) -> int:
        """Folds the mean is of."""
        return len(self.values) - self.undefined

    @property
    def undefined(self) -> int:
        """Folds it is undefined in, those whose fit failed among them."""
        return sum(value is None for value in self.values)

    @property
    def training(self) -> float | None:
        """The mean of the training values, of folds that have both."""
        both = self._both
        return float(np.mean([learned for learned, _ in both])) if both else None

    @property
    def gap(self) -> float | None:
        """By how much it is better on the rows learned than on rows not seen."""
        both = self._both
        if not both:
            return None
        gap = float(np.mean([learned - value for learned, value in both]))
        if abs(gap) < _NOISE:
            return 0.0
        return -gap if self.better == "lower" else gap

    @property
    def _both(self) -> list[tuple[float, float]]:
        if infinite(self.whys) is not None:
            return []
        pairs = zip(self.training_values, self.values, strict=True)
        return [(learned, value) for learned, value in pairs if learned is not None and value is not None]

    @property
    def remark(self) -> str | None:
        """In how many folds it is undefined, and why; None when it is in none."""
        if not self.undefined:
            return None
        endless = infinite(self.whys)
        if endless is not None:
            return f"{endless}; so it has no mean"
        many = "all" if not self.n else f"{self.undefined:,} of"
        rest = "" if not self.n else f"; mean of {self.n:,}"
        return f"undefined in {many} {len(self.values):,} folds: {_reasons(self.whys)}{rest}"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "better": None if self.better == "neither" else self.better,
            "mean_of_folds": self.mean.to_dict(),
            "standard_deviation": self.deviation,
            "pooled": self.pooled.to_dict(),
            "training": self.training,
            "gap": self.gap,
            "gain_over_baseline": None if self.gain is None else self.gain.to_dict(),
            "folds": len(self.values),
            "undefined": self.undefined,
            "values": list(self.values),
            "why": list(self.whys),
            "training_values": list(self.training_values),
        }

    def __str__(self) -> str:
        return f"{self.metric}: mean of folds {self.mean}; pooled {self.pooled}"


def mean_of_folds(
    values: Sequence[float | None],
    sizes: Sizes,
    *,
    limits: tuple[float, float],
    level: float,
    why: str,
    remark: str | None = None,
    instead: str = "",
    pooled: Estimate | None = None,
) -> Estimate:
    """The mean of the defined values, whose spread allows for training sets that share rows.

    The variance of the mean of k values is s^2 (1/k + n_test / n_train); the plain s^2 / k would take folds
    as independent, which they are not. `why` is for when no value is defined, and `instead` for when there is
    no interval.

    Neither end is nearer than that of `pooled` is to its own value: stratified folds all have the same shares
    of classes, so their spread tells nothing of how a number varies with these.
    """
    there = np.array([value is not None for value in values])
    if not there.any():
        return undefined(why, level)
    found = np.array([value for value in values if value is not None])
    mean, k = float(found.mean()), len(found)
    method = "corrected t" if pooled is None else "corrected t, no narrower than pooled"
    about: dict[str, Any] = {"level": level, "method": method, "n": k, "remark": remark}
    if k == 1:
        return Estimate(mean, **about, assumption=None, ends_at=lambda _: ONE_FOLD + instead)
    ratio = float((sizes.test[there] / sizes.train[there]).mean())
    variance = float(found.var(ddof=1)) if _spread(found) else 0.0
    se = math.sqrt(variance * (1 / k + ratio))

    def ends(at: float) -> tuple[float, float] | str:
        half = student_quantile(at, k - 1) * se
        below, above = (max(half, room) for room in _room(pooled, at))
        if not below and not above:
            return f"it is {mean:.4g} in every fold, so there is no spread to judge by{instead}"
        return max(mean - below, limits[0]), min(mean + above, limits[1])

    assumption = OVERLAP if pooled is None else f"{OVERLAP}; {NO_NARROWER}"
    return Estimate(mean, **about, assumption=assumption, ends_at=ends, se=se if variance else None)


def _room(pooled: Estimate | None, level: float) -> tuple[float, float]:
    """How far the ends at a level are from the value; 0 where there is no interval."""
    asked = pooled if pooled is None or level == pooled.level else pooled.interval(level)
    if asked is None or asked.value is None or asked.low is None or asked.high is None:
        return 0.0, 0.0
    return asked.value - asked.low, asked.high - asked.value


def gain_over(
    mine: Sequence[float | None], its: Sequence[float | None], asked: Asked, **known: Any
) -> Estimate:
    """By how much values are better than those of a baseline on the same folds."""
    sign = -1.0 if asked.metric.better == "lower" else 1.0
    pairs = zip(mine, its, strict=True)
    gains = [None if a is None or b is None else sign * (a - b) for a, b in pairs]
    width = asked.metric.range[1] - asked.metric.range[0]
    why = "it is undefined for the model or for the baseline in every fold"
    there = sum(gain is not None for gain in gains)
    remark = None if there == len(gains) else f"of {there:,} of {len(gains):,} folds"
    return mean_of_folds(gains, limits=(-width, width), why=why, remark=remark, **known)


def pooled_of(estimate: Estimate, asked: Asked, fits: int) -> Estimate:
    """A number of the test rows of several models, with what must be said of that."""
    if fits < 2 or estimate.value is None:
        return estimate
    remark = ONE_SCALE if is_ranked(asked.name) else None
    said = "; ".join(filter(None, (estimate.remark, remark))) or None
    return replace(
        estimate, assumption=f"{estimate.assumption}, the models of all folds taken as one", remark=said
    )


def is_ranked(metric: str) -> bool:
    """Whether a number ranks rows against each other by their scores."""
    asked = ask(metric).metric
    return asked.about == "scores" or asked.name in AREAS


def deviation(values: Sequence[float | None]) -> float | None:
    """Standard deviation of the defined values, with n - 1."""
    found = np.array([value for value in values if value is not None])
    if len(found) < 2:
        return None
    return float(found.std(ddof=1)) if _spread(found) else 0.0


def _spread(found: Floats) -> float:
    """From the least to the greatest, but for the noise of floating point."""
    return float(np.ptp(without_noise(found, float(np.abs(found).max()))))


def infinite(whys: Sequence[str | None]) -> str | None:
    """In how many folds a number is infinite, and why; None when it is finite wherever it is defined.

    Such folds must not be left out of a mean as if nothing were known of them: they are the worst, or the
    best, of all.
    """
    found = [why for why in whys if why and "infinite" in why]
    if not found:
        return None
    reason = found[0].removeprefix("infinite: ")
    return f"infinite in {len(found):,} of {len(whys):,} folds: {reason}"


def undefined_everywhere(whys: Sequence[str | None]) -> str:
    """Why there is no mean of folds."""
    return (
        f"undefined in {'the one fold' if len(whys) == 1 else f'all {len(whys):,} folds'}: {_reasons(whys)}"
    )


def _reasons(whys: Sequence[str | None]) -> str:
    """Every reason once, the most frequent first."""
    often: dict[str, int] = {}
    for why in filter(None, whys):
        often[why] = often.get(why, 0) + 1
    order = sorted(often, key=lambda why: -often[why])
    told = list(order[:_SHOWN])
    if len(order) > 1:
        told = [f"{why} ({often[why]:,} fold{'s' if often[why] > 1 else ''})" for why in told]
    return "; ".join((*told, *(["and other reasons"] if len(order) > _SHOWN else [])))
