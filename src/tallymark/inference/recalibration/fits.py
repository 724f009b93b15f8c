"""The two usual ways to turn scores into calibrated probabilities, fitted to counts at distinct scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.roc.hull import upper_hull
from tallymark.tallies import Scores

Floats = NDArray[np.float64]
_MOST_STEPS = 100
_LARGE, _LEAST, _MOST = 1e100, 1e-300, float(np.nextafter(1, 0))
_HALVINGS = 30
_CLOSE = 1e-12


class Rows(NamedTuple):
    """Counts at distinct scores, best first."""

    score: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]
    effective: tuple[float, float]
    """Positives and negatives; with weights Kish's effective numbers of them."""


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The closest probabilities that rise with the score; straight between the scores they were fitted to.

    Fitted by pooling adjacent violators (Zadrozny and Elkan 2002, KDD), which finds the slopes of the convex
    hull of the ROC curve (Fawcett and Niculescu-Mizil 2007, Machine Learning 68:97).
    """

    score: Floats
    probability: Floats

    @classmethod
    def fit(cls, rows: Rows) -> Isotonic:
        there = np.flatnonzero((rows.positives > 0) | (rows.negatives > 0))
        score = rows.score[there]
        tp, fp = (np.concatenate([[0], np.cumsum(side[there])]) for side in (rows.positives, rows.negatives))
        ends = upper_hull(fp, tp)
        up, down = np.diff(tp[ends]), np.diff(fp[ends])
        # Each pool from its lowest score to its highest, the lowest pool first.
        pools = np.stack([score[ends[1:] - 1], score[ends[:-1]]], axis=1)[::-1]
        return cls(pools.ravel(), np.repeat((up / (up + down))[::-1], 2))

    def __call__(self, score: Floats) -> Floats:
        return np.interp(score, self.score, self.probability)


@dataclass(frozen=True)
class Scale:
    """From a score to what a logistic curve is fitted to: the logit of a probability, or the score itself."""

    lowest: float | None
    """Of probabilities, what stands for 0; None for other scores."""
    highest: float = 1.0
    unit: float = 1.0
    """What other scores are divided by, so that their squares can be added up."""

    @classmethod
    def of(cls, scores: Scores) -> Scale:
        if scores.no_probabilities:
            largest = float(np.abs(scores.score[[0, -1]]).max())
            return cls(None, unit=largest if largest > _LARGE else 1.0)
        # The logits of 0 and 1 are infinite: they are taken to be half as far from the end as the next.
        inner = scores.score[(scores.score > 0) & (scores.score < 1)]
        if not len(inner):
            return cls(0.25, 0.75)
        return cls(max(float(inner[-1]) / 2, _LEAST), min(1 - (1 - float(inner[0])) / 2, _MOST))

    def __call__(self, score: Floats) -> Floats:
        if self.lowest is None:
            return score if self.unit == 1 else score / self.unit
        kept = np.clip(score, self.lowest, self.highest)
        return np.log(kept) - np.log1p(-kept)


@dataclass(frozen=True)
class Platt:
    """A logistic curve through the scores: 1 / (1 + exp(-(slope * x + intercept))).

    Platt (1999), Advances in Large Margin Classifiers, with his targets (n + 1) / (n + 2) instead of 1 and
    1 / (n + 2) instead of 0; fitted by Newton's method with halved steps (Lin, Lin and Weng 2007, Machine
    Learning 68:267).
    """

    slope: float
    intercept: float
    scale: Scale

    @classmethod
    def fit(cls, rows: Rows, scale: Scale, start: Platt | None = None) -> Platt:
        x = scale(rows.score)
        n = np.asarray(rows.positives + rows.negatives, np.float64)
        high, low = (rows.effective[0] + 1) / (rows.effective[0] + 2), 1 / (rows.effective[1] + 2)
        hits = rows.positives * high + rows.negatives * low
        # In units of their own, so that scores of any size are as easy.
        centre = float((n * x).sum() / n.sum())
        width = math.sqrt(float((n * (x - centre) ** 2).sum() / n.sum())) or 1.0
        first = (0.0, math.log((rows.effective[0] + 1) / (rows.effective[1] + 1)))
        if start is not None:
            first = (start.slope * width, start.intercept + start.slope * centre)
        slope, level = _newton((x - centre) / width, n, hits, *first)
        return cls(slope / width, level - slope / width * centre, scale)

    def __call__(self, score: Floats) -> Floats:
        return _logistic(self.slope * self.scale(score) + self.intercept)


def _newton(x: Floats, n: Floats, hits: Floats, slope: float, level: float) -> tuple[float, float]:
    """Where the likelihood of so many hits among n is largest."""
    now = _cost(x, n, hits, slope, level)
    for _ in range(_MOST_STEPS):
        p = _logistic(slope * x + level)
        rest, weight = n * p - hits, n * p * (1 - p)
        down, along = float(rest.sum()), float((rest * x).sum())
        a, b, c = (float((weight * x**power).sum()) for power in (2, 1, 0))
        ridge = _CLOSE * (a + c)  # of scores that are all equal the slope is anything
        a, c = a + ridge, c + ridge
        bottom = a * c - b * b
        steps = (along * c - down * b) / bottom, (down * a - along * b) / bottom
        gain = steps[0] * along + steps[1] * down
        if gain < _CLOSE * max(1.0, now):
            return slope - steps[0], level - steps[1]
        part = 1.0
        for _ in range(_HALVINGS):
            after = _cost(x, n, hits, slope - part * steps[0], level - part * steps[1])
            if after < now - 1e-4 * part * gain:
                break
            part /= 2
        slope, level, now = slope - part * steps[0], level - part * steps[1], after
    return slope, level


def _cost(x: Floats, n: Floats, hits: Floats, slope: float, level: float) -> float:
    z = slope * x + level
    return float((n * np.logaddexp(0, z) - hits * z).sum())


def _logistic(z: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(z))
