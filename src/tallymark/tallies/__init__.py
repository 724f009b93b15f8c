"""Small, frozen, labelled counts that can be added to each other."""

from tallymark.tallies.confusion import Confusion
from tallymark.tallies.grouped import Grouped
from tallymark.tallies.keyed import Keyed, from_dict
from tallymark.tallies.label_sets import LabelSets, SetSizes
from tallymark.tallies.labels import Label
from tallymark.tallies.margins import Binary, Margins

__all__ = [
    "Binary",
    "Confusion",
    "Grouped",
    "Keyed",
    "Label",
    "LabelSets",
    "Margins",
    "SetSizes",
    "from_dict",
]
