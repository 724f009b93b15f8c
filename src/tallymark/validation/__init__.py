"""From data and a learner to an honest estimate: fits models, and emits the same tallies fold by fold."""

from __future__ import annotations

from .experiment import Experiment
from .learning import LearningCurve, learning_curve
from .permutation import PermutationTest, permutation_test
from .preparation import Preparation
from .result import Validation
from .summary import Summary
from .tuning import Tuning, tune
from .validate import validate
from .validated import Validated
from .voting import Voting

__all__ = [
    "Experiment",
    "LearningCurve",
    "PermutationTest",
    "Preparation",
    "Summary",
    "Tuning",
    "Validated",
    "Validation",
    "Voting",
    "learning_curve",
    "permutation_test",
    "tune",
    "validate",
]
