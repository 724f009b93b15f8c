"""Learning curves: how a model gets better with more rows to learn from, and when that no longer pays."""

from __future__ import annotations

from .curve import learning_curve
from .result import LearningCurve

__all__ = ["LearningCurve", "learning_curve"]
