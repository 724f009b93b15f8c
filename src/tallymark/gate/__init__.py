"""A build that stops when a model is not good enough, or got worse."""

from __future__ import annotations

from .checking import check
from .outcome import Outcome
from .requirement import Requirement, requirement
from .result import Gate

__all__ = ["Gate", "Outcome", "Requirement", "check", "requirement"]
