"""How many rows a test set needs, and what a given one can tell."""

from tallymark.planning.plan import plan
from tallymark.planning.result import Plan

__all__ = ["Plan", "plan"]
