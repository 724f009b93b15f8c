"""Small, frozen, labelled counts that can be added to each other."""

from tallymark.tallies.confusion import Confusion
from tallymark.tallies.keyed import Keyed, from_dict
from tallymark.tallies.labels import Label
from tallymark.tallies.margins import Binary, Margins

__all__ = ["Binary", "Confusion", "Keyed", "Label", "Margins", "from_dict"]
