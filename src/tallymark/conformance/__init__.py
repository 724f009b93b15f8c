"""Questions whose exact answers are known, and who gives them: tallymark and other libraries."""

from __future__ import annotations

from .answers import Exact
from .case import Case, NotOffered
from .result import Conformance, Library, Reply
from .running import conform
from .vector import Vector, read_vectors

__all__ = [
    "Case",
    "Conformance",
    "Exact",
    "Library",
    "NotOffered",
    "Reply",
    "Vector",
    "conform",
    "read_vectors",
]
