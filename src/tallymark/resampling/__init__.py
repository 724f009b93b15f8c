"""Which rows train and which rows test: splitters with fingerprints, and resampling of training rows."""

from __future__ import annotations

from .bootstrap import Bootstrap
from .efron import Bootstrap632, bootstrap_632
from .folds import Fold, Folds
from .holdout import Holdout, RepeatedHoldout
from .kfold import KFold
from .leave_out import LeaveOneGroupOut, LeaveOneOut
from .named import method_named, splitter_named
from .pairs import LeavePairsOut
from .sampling import Oversampling, Undersampling
from .splitter import Splitter, folds_of
from .three_way import ThreeWay, three_way_split

__all__ = [
    "Bootstrap",
    "Bootstrap632",
    "Fold",
    "Folds",
    "Holdout",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePairsOut",
    "Oversampling",
    "RepeatedHoldout",
    "Splitter",
    "ThreeWay",
    "Undersampling",
    "bootstrap_632",
    "folds_of",
    "method_named",
    "splitter_named",
    "three_way_split",
]
