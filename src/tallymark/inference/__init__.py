"""How sure a number is: estimates and the interval each one gets."""

from tallymark.inference.calibrated import Calibrated
from tallymark.inference.classes.ranking import ClassRanking
from tallymark.inference.differences import Difference
from tallymark.inference.estimate import INDEPENDENT, Estimate, undefined
from tallymark.inference.losses import Losses
from tallymark.inference.ranking import Ranking
from tallymark.inference.sample import NAME_THE_POSITIVE, Sample
from tallymark.inference.set_differences import SetDifference
from tallymark.inference.sets import SetSample

AnySample = Sample | SetSample
"""Counted rows that have one label each, or several."""

__all__ = [
    "INDEPENDENT",
    "NAME_THE_POSITIVE",
    "AnySample",
    "Calibrated",
    "ClassRanking",
    "Difference",
    "Estimate",
    "Losses",
    "Ranking",
    "Sample",
    "SetDifference",
    "SetSample",
    "undefined",
]
