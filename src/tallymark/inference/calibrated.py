"""Numbers about calibration as estimates: with what chance adds to them, and without an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tallymark.curves.calibration.curve import Calibration
from tallymark.drawing import number
from tallymark.inference.estimate import INDEPENDENT, Estimate, by_group, undefined
from tallymark.metrics import Asked, vocabulary
from tallymark.metrics.score_bounds import certified
from tallymark.tallies import GroupedScores, Scores

BIASED = "chance makes distances that all count as positive, so an interval around them would be too high"


@dataclass(frozen=True)
class Calibrated:
    """Probabilities by whether they came true, and what else an estimate depends on."""

    scores: Scores
    level: float = 0.95
    groups: GroupedScores | None = None

    def curve(self, asked: Asked) -> Calibration:
        """The bins that a number is worked out from."""
        return Calibration(self.scores, int(asked.parameters[0]), "width", self.level, self.groups)

    def of(self, asked: Asked) -> Estimate:
        """ECE or MCE as it is usually worked out; the remark says what is left of it without chance."""
        t = self.scores
        if t.no_probabilities:
            return undefined(t.no_probabilities, self.level)
        value = asked.metric(t, *asked.parameters)
        if math.isnan(value):
            return undefined(vocabulary.reason(asked.metric.undefined, vocabulary.of_scores(t)), self.level)
        return Estimate(
            value,
            self.level,
            assumption=self.assumption,
            remark=self._remark(asked),
            bounds=None if t.exact else certified(asked, t, value),
        )

    def _remark(self, asked: Asked) -> str:
        curve = self.curve(asked)
        debiased = curve.debiased_ece if asked.metric.name == "ece" else curve.debiased_mce
        return f"{BIASED}; less what chance adds it is about {number(debiased)}"

    @property
    def assumption(self) -> str:
        """What the part of chance is worked out for."""
        return INDEPENDENT if self.groups is None else by_group(len(self.groups))
