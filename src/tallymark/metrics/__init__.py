"""One plain function per number, facts on it, one registry, one alias table."""

from tallymark.metrics import counts as counts  # registers the count-based metrics
from tallymark.metrics import label_sets as label_sets  # registers those of label sets
from tallymark.metrics import scores as scores  # registers those of rankings and probabilities

# After those above, because lists of metrics follow the order in which they are registered.
# isort: split
from tallymark.metrics import calibration as calibration  # and those of calibration
from tallymark.metrics import classes as classes  # and those of all classes at once
from tallymark.metrics.identities import plainly
from tallymark.metrics.registry import (
    ALIASES,
    AVERAGES,
    FROM_SCORES,
    METRICS,
    SCORE_METRICS,
    SET_METRICS,
    Asked,
    Average,
    Metric,
    ask,
)

__all__ = [
    "ALIASES",
    "AVERAGES",
    "FROM_SCORES",
    "METRICS",
    "SCORE_METRICS",
    "SET_METRICS",
    "Asked",
    "Average",
    "Metric",
    "ask",
    "plainly",
]
