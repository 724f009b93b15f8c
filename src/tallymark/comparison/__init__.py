"""Is it really better? Designs, the valid test of each, and the verdict."""

from __future__ import annotations

from .compare import compare
from .difference import Difference
from .result import Comparison
from .score_tables.tables import FoldScores

__all__ = ["Comparison", "Difference", "FoldScores", "compare"]
