"""Curves by name, for whatever has them: an evaluation, and every class of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallymark.curves import (
        Calibration,
        CostCurve,
        DecisionCurve,
        Distribution,
        Gains,
        Lift,
        PrecisionRecall,
        Rejection,
        Roc,
        ThresholdCurve,
    )
    from tallymark.evaluation.curves import Curves
    from tallymark.metrics.calibration import Strategy


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

    @property
    def rejection(self) -> Rejection:
        """Which share is right when the rows that are least clear are left to somebody else."""
        return self.curves.rejection

    @property
    def calibration(self) -> Calibration:
        """How often what is given a probability comes true, in ten bins of equal width."""
        return self.calibration_as()

    def calibration_as(self, n_bins: int = 10, strategy: Strategy = "width") -> Calibration:
        """The same in so many bins, of equal width or of equal mass."""
        return self.curves.calibration(n_bins, strategy)

    @property
    def distribution(self) -> Distribution:
        """How the scores of each class are spread, in twenty bins of equal width."""
        return self.distribution_as()

    def distribution_as(self, n_bins: int = 20) -> Distribution:
        """The same in so many bins."""
        return self.curves.distribution(n_bins)

    @property
    def cost_curve(self) -> CostCurve:
        """The least cost at every mix of class shares and costs."""
        return self.curves.cost_curve

    @property
    def decision_curve(self) -> DecisionCurve:
        """The net benefit of acting on the score, against acting on all rows and on none."""
        return self.curves.decision_curve
