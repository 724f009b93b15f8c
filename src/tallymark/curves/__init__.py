"""Curves as data: rates, gains, costs, rejection and calibration, each from counted scores."""

from tallymark.curves.benefit.decision_curve import DecisionCurve
from tallymark.curves.calibration.curve import Calibration, CalibrationBin
from tallymark.curves.classes.confused_pairs import ConfusedPairs, confused_pairs
from tallymark.curves.classes.one_vs_rest import OneVsRest
from tallymark.curves.classes.thresholds import ClassThresholds, class_thresholds
from tallymark.curves.confusion_map import confusion_figure
from tallymark.curves.costs.cost_curve import CostCurve, CostLine, probability_cost
from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.curves.deciles import Deciles
from tallymark.curves.distribution import Distribution, DistributionBin
from tallymark.curves.equally_good import Best
from tallymark.curves.gains import Gains, Taken
from tallymark.curves.lift import Lift
from tallymark.curves.precision_recall import PrecisionRecall, PrecisionRecallPoint
from tallymark.curves.rejection.curve import Rejection, RejectionPoint
from tallymark.curves.rejection.margins import margins_of
from tallymark.curves.roc.constructions import CONSTRUCTIONS, roc_of, roc_of_rows
from tallymark.curves.roc.curve import Roc, RocPoint
from tallymark.curves.roc.from_points import RocOfPoints, roc_from_points
from tallymark.curves.roc.several import Several
from tallymark.curves.side_by_side import roc_and_precision_recall
from tallymark.curves.threshold_curve import ThresholdCurve, ThresholdCurves, threshold_curves

__all__ = [
    "CONSTRUCTIONS",
    "Best",
    "Calibration",
    "CalibrationBin",
    "ClassThresholds",
    "ConfusedPairs",
    "CostCurve",
    "CostLine",
    "Deciles",
    "DecisionCurve",
    "Distribution",
    "DistributionBin",
    "ExpectedCost",
    "Gains",
    "Lift",
    "OneVsRest",
    "PrecisionRecall",
    "PrecisionRecallPoint",
    "Rejection",
    "RejectionPoint",
    "Roc",
    "RocOfPoints",
    "RocPoint",
    "Several",
    "Taken",
    "ThresholdCurve",
    "ThresholdCurves",
    "class_thresholds",
    "confused_pairs",
    "confusion_figure",
    "margins_of",
    "probability_cost",
    "roc_and_precision_recall",
    "roc_from_points",
    "roc_of",
    "roc_of_rows",
    "threshold_curves",
]
