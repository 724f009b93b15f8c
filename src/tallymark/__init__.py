"""How good is this classifier, how sure are we, is it better than that one, where should its threshold be?

Rows are counted once into a small tally that can be added to another; every number, curve,
interval, test and picture is a pure function of tallies.
"""

from __future__ import annotations

from tallymark._version import __version__ as __version__

# Names only: a module is imported when one of its names is first used, so that
# `import tallymark` costs next to nothing. `__init__.pyi` tells type checkers the same.
_HOMES = {
    "tallymark.evaluation": ("Evaluation", "evaluate"),
    "tallymark.evaluation.tallying": ("tally",),
    "tallymark.tallies": ("Binary", "Confusion", "Keyed", "LabelSets", "Paired", "Scores"),
    "tallymark.tallies.grid": ("Grid",),
    "tallymark.tallies.tally": ("Tally",),
    "tallymark.curves": ("Several", "roc_from_points"),
    "tallymark.decisions": ("ClassDecision", "Decision"),
    "tallymark.inference": ("Estimate",),
    "tallymark.intervals": ("auc_interval", "binomial", "difference", "interval", "paired_difference"),
    "tallymark.comparison": ("Comparison", "Difference", "FoldScores", "compare"),
    "tallymark.resampling": (
        "Bootstrap",
        "Bootstrap632",
        "Folds",
        "Holdout",
        "KFold",
        "LeaveOneGroupOut",
        "LeaveOneOut",
        "LeavePairsOut",
        "Oversampling",
        "RepeatedHoldout",
        "ThreeWay",
        "Undersampling",
        "bootstrap_632",
        "three_way_split",
    ),
    "tallymark.validation": (
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
    ),
    "tallymark.gate": ("Gate", "Outcome", "check"),
    "tallymark.integrations.asserting": ("assert_metric", "assert_not_worse"),
    "tallymark.integrations.metrics_file": ("metrics_dict", "save_metrics"),
    "tallymark.integrations.mlflow": ("log_to_mlflow",),
    "tallymark.integrations.scorers": ("EstimatorScorer", "UndefinedScoreWarning", "scorer"),
    "tallymark.planning": ("Plan", "plan"),
    "tallymark.findings": ("Finding",),
    "tallymark.explanation": ("Explanation",),
    "tallymark.errors": (
        "ColumnError",
        "CostError",
        "FileError",
        "InputError",
        "LabelError",
        "MemoryLimitError",
        "MergeError",
        "MetricError",
        "MissingExtraError",
        "MissingValueError",
        "OptionError",
        "ShapeError",
        "TallymarkError",
        "WorkerError",
        "EngineError",
    ),
    "tallymark.shortcuts": (
        "accuracy",
        "accuracy_example",
        "auc",
        "auc_ovo_macro",
        "auc_ovo_weighted",
        "auc_ovr_macro",
        "auc_ovr_weighted",
        "average_precision",
        "balanced_accuracy",
        "brier",
        "brier_half",
        "cost_threshold",
        "diagnostic_odds_ratio",
        "ece",
        "error_rate",
        "explain",
        "f1",
        "f1_example",
        "f_beta",
        "false_omission_rate",
        "fdr",
        "fnr",
        "fpr",
        "g_mean",
        "gini",
        "hamming_loss",
        "informedness",
        "jaccard",
        "kappa",
        "ks",
        "log_loss",
        "lr_minus",
        "lr_plus",
        "markedness",
        "mcc",
        "mce",
        "mean_cost",
        "no_information_rate",
        "npv",
        "partial_auc",
        "partial_auc_mcclish",
        "precision",
        "precision_example",
        "predicted_positive_rate",
        "prevalence",
        "recall",
        "recall_example",
        "specificity",
        "subset_accuracy",
        "top_k_accuracy",
        "total_cost",
        "weighted_accuracy",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = {"displays": "tallymark.integrations.displays", "tests": "tallymark.tests"}
"""Rooms that are used by their own name: `tm.tests.mcnemar(...)`."""

__all__ = ["__version__", *sorted((*_HOME_OF, *_ROOMS))]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF and name not in _ROOMS:
        raise AttributeError(f"module 'tallymark' has no attribute {name!r}")
    from importlib import import_module

    if name in _ROOMS:
        return import_module(_ROOMS[name])
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
