"""Could a learner have done as well on classes that mean nothing? The permutation test."""

from __future__ import annotations

from .permute import permutation_test
from .result import PermutationTest

__all__ = ["PermutationTest", "permutation_test"]
