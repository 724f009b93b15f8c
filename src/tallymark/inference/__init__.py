"""How sure a number is: estimates and the interval each one gets."""

from tallymark.inference.estimate import INDEPENDENT, Estimate, undefined
from tallymark.inference.sample import NAME_THE_POSITIVE, Sample

__all__ = ["INDEPENDENT", "NAME_THE_POSITIVE", "Estimate", "Sample", "undefined"]
