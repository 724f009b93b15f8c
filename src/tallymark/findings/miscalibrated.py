"""TM015: probabilities are not what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.calibration.words import p_value
from tallymark.drawing import bracketed, number, numbers_together
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.curves.calibration.curve import Calibration
    from tallymark.evaluation import Evaluation

APART = 0.02
"""From this mean distance on, less what chance adds to it, probabilities mislead: two in a hundred."""
OF_THE_RARER = 0.2
"""Where a class is rare less misleads: a fifth of its share. Of 1 % positives, 0.2 % is said too much."""
SURE = 0.01
"""Nobody asked for this test, so it speaks up less often than one that was asked for. With the distance
above, 0 to 2 of 100 calibrated models are called miscalibrated: benchmarks/coverage_calibration.py."""
SMALL = 0.01
"""A smaller Brier score, as of rare classes, has a decimal more."""
WORTH_SAYING = 0.01
"""A smaller part of the Brier score to be gained is not given as a number."""


def check(ev: Evaluation) -> Finding | None:
    # Under other class shares than the sample's, probabilities of the sample cannot be right.
    if isinstance(ev.calibrated, str) or ev.ranked is None or ev.ranked.shares is not None:
        return None
    curve = ev.calibration
    if curve.why or curve.test.p_value is None or curve.debiased_ece is None or curve.brier is None:
        return None
    rarer = min(curve.scores.prevalence, 1 - curve.scores.prevalence)
    if curve.test.p_value >= SURE or curve.debiased_ece < min(APART, OF_THE_RARER * rarer):
        return None
    gain = saving(curve)
    brier, lower = numbers_together(curve.brier, gain, digits=3 if curve.brier >= SMALL else 4)
    much = f"be about {lower}" if gain >= WORTH_SAYING * curve.brier else "hardly be"
    return Finding(
        "TM015",
        f"the probabilities are not calibrated: on average they are about {number(curve.debiased_ece)} away "
        f"from how often they come true (ECE {number(curve.ece)}, less what chance adds to it; gaps like "
        f"these by chance: {p_value(curve.test.p_value)}). {_farthest(curve)}With every bin set right the "
        f"Brier score {'of the answers ' if curve.of_answers else ''}{brier} would {much} lower.",
        {
            "ece": curve.ece,
            "debiased_ece": curve.debiased_ece,
            "mce": curve.mce,
            "p_value": curve.test.p_value,
            "brier": curve.brier,
            "brier_saving": gain,
        },
    )


def saving(curve: Calibration) -> float:
    """The reliability of the Brier score less what chance adds to it (Ferro and Fricker 2012)."""
    bins = curve.bins
    many = bins.effective > 1
    rows = np.where(many, bins.effective, 2)
    noise = np.where(many, bins.observed * (1 - bins.observed) / (rows - 1), bins.gap**2)
    return max(0.0, float((bins.count * (bins.gap**2 - noise)).sum() / bins.count.sum()))


def _farthest(curve: Calibration) -> str:
    """The gap that is surest: farthest from its interval, in units of it."""
    reach = (curve.high - curve.low) / 2
    if np.isnan(reach).all():
        return ""
    at = int(np.nanargmax(np.abs(curve.bins.gap) / reach))
    of = "of the answers are right"
    if not curve.of_answers:
        positive = curve.scores.positive
        of = "are positive" if positive is None else f"are {quoted(positive)}"
    columns = (curve.predicted, curve.observed, curve.low, curve.high)
    predicted, observed, low, high = numbers_together(*(float(column[at]) for column in columns))
    return f"Where {predicted} is said, {observed} {bracketed(low, high)} {of}. "
