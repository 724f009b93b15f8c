"""How sure a number is: estimates and the interval each one gets."""

from tallymark.inference.estimate import INDEPENDENT, Estimate, undefined
from tallymark.inference.sample import Sample

__all__ = ["INDEPENDENT", "Estimate", "Sample", "undefined"]
