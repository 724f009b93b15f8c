"""Curves by name, for whatever has them: an evaluation, and every class of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallymark.curves import Gains, Lift, PrecisionRecall, Roc, ThresholdCurve
    from tallymark.evaluation.curves import Curves


class Curved:
    """What has `curves`: those of one class against the rest."""

    @property
    def curves(self) -> Curves:
        raise NotImplementedError

    @property
    def roc(self) -> Roc:
        """True against false positive rate at every threshold."""
        return self.curves.roc

    def roc_as(self, construction: str, *, ascending: bool = False) -> Roc:
        """The ROC curve as the textbooks construct it: sequential, opposite, bins:10, quantiles:10."""
        return self.curves.roc_as(construction, ascending=ascending)

    @property
    def precision_recall(self) -> PrecisionRecall:
        """Precision against recall at every threshold."""
        return self.curves.precision_recall

    @property
    def gains(self) -> Gains:
        """Which share of the positives the best-scored share of all rows holds."""
        return self.curves.gains

    @property
    def lift(self) -> Lift:
        """How many times more positives that is than a random choice would hold."""
        return self.curves.lift

    @property
    def thresholds(self) -> ThresholdCurve:
        """F1 at every threshold."""
        return self.curves.thresholds

    def against_threshold(self, metric: str) -> ThresholdCurve:
        """Any number about the positive class at every threshold."""
        return self.curves.against_threshold(metric)
