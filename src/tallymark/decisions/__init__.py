"""Where to cut, what to decline, and what that costs."""

from tallymark.decisions.class_costs import decide_classes
from tallymark.decisions.class_decision import ClassDecision
from tallymark.decisions.closed_form import closed_form, cost_threshold
from tallymark.decisions.decide import decide
from tallymark.decisions.decision import Decision
from tallymark.decisions.gap import best_gap
from tallymark.decisions.threshold import best_threshold, objective_of
from tallymark.decisions.ways import AsIs

__all__ = [
    "AsIs",
    "ClassDecision",
    "Decision",
    "best_gap",
    "best_threshold",
    "closed_form",
    "cost_threshold",
    "decide",
    "decide_classes",
    "objective_of",
]
