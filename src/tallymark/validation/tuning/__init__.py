"""Choosing parameters, and what the choice is worth on rows that took no part in it."""

from __future__ import annotations

from .result import Tuning
from .tune import tune

__all__ = ["Tuning", "tune"]
