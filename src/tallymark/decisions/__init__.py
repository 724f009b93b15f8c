"""Where to cut."""

from tallymark.decisions.threshold import best_threshold, objective_of

__all__ = ["best_threshold", "objective_of"]
