"""Comparisons as pictures: pure functions from plain data to a `Figure`."""

from __future__ import annotations

from .agreement import agreement
from .folds import folds
from .forest import Row, forest
from .posterior import posterior, simplex
from .ranks import critical_difference
from .roc_pair import roc_pair
from .scores import scores

__all__ = [
    "Row",
    "agreement",
    "critical_difference",
    "folds",
    "forest",
    "posterior",
    "roc_pair",
    "scores",
    "simplex",
]
