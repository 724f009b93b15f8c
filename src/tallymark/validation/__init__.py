"""From data and a learner to an honest estimate: fits models, and emits the same tallies fold by fold."""

from __future__ import annotations

from .learners.preparation import Preparation
from .learners.voting import Voting
from .learning import LearningCurve, learning_curve
from .permutation import PermutationTest, permutation_test
from .runs.folder import RunFolder, RunFolderWarning
from .tuning import Tuning, tune
from .validating.experiment import Experiment
from .validating.result import Validation
from .validating.summary import Summary
from .validating.validate import validate
from .validating.validated import Validated

__all__ = [
    "Experiment",
    "LearningCurve",
    "PermutationTest",
    "Preparation",
    "RunFolder",
    "RunFolderWarning",
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
