"""Small, frozen, labelled counts that can be added to each other."""

from tallymark.tallies.class_ranks import ClassRanks
from tallymark.tallies.confusion import Confusion
from tallymark.tallies.grouped import Grouped
from tallymark.tallies.grouped_paired import GroupedPaired
from tallymark.tallies.grouped_scores import GroupedScores
from tallymark.tallies.keyed import Keyed, from_dict
from tallymark.tallies.label_sets import LabelSets, SetSizes
from tallymark.tallies.labels import Label
from tallymark.tallies.margins import Binary, Margins
from tallymark.tallies.paired import Agreement, Paired
from tallymark.tallies.scores import Scores
from tallymark.tallies.sums import GroupedSums, Moments, Sums

__all__ = [
    "Agreement",
    "Binary",
    "ClassRanks",
    "Confusion",
    "Grouped",
    "GroupedPaired",
    "GroupedScores",
    "GroupedSums",
    "Keyed",
    "Label",
    "LabelSets",
    "Margins",
    "Moments",
    "Paired",
    "Scores",
    "SetSizes",
    "Sums",
    "from_dict",
]
