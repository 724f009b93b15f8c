"""Curves as data: ROC, precision and recall, a metric against the threshold, gains and lift."""

from tallymark.curves.confusion_map import confusion_figure
from tallymark.curves.deciles import Deciles
from tallymark.curves.gains import Gains, Taken
from tallymark.curves.lift import Lift
from tallymark.curves.precision_recall import PrecisionRecall, PrecisionRecallPoint
from tallymark.curves.roc.constructions import CONSTRUCTIONS, roc_of, roc_of_rows
from tallymark.curves.roc.curve import Roc, RocPoint
from tallymark.curves.roc.from_points import RocOfPoints, roc_from_points
from tallymark.curves.roc.several import Several
from tallymark.curves.side_by_side import roc_and_precision_recall
from tallymark.curves.threshold_curve import Best, ThresholdCurve, ThresholdCurves, threshold_curves

__all__ = [
    "CONSTRUCTIONS",
    "Best",
    "Deciles",
    "Gains",
    "Lift",
    "PrecisionRecall",
    "PrecisionRecallPoint",
    "Roc",
    "RocOfPoints",
    "RocPoint",
    "Several",
    "Taken",
    "ThresholdCurve",
    "ThresholdCurves",
    "confusion_figure",
    "roc_and_precision_recall",
    "roc_from_points",
    "roc_of",
    "roc_of_rows",
    "threshold_curves",
]
