"""Could a learner have done as well on classes that mean nothing? The permutation test."""

from __future__ import annotations

from .result import PermutationTest
from .test import permutation_test

__all__ = ["PermutationTest", "permutation_test"]
