"""What is said about each metric, from its definition: its ends, which way is better, its names.

The law tests see that values stay inside the range; here the ends are the least and largest values there are.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.errors import MetricError
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS, plainly
from tallymark.metrics.registry import ask
from tallymark.tallies import Binary, Scores

EVERY = {**METRICS, **SET_METRICS, **SCORE_METRICS}
CORRELATIONS = {"mcc", "kappa", "informedness", "markedness", "gini"}
COSTS = {"total_cost", "mean_cost"}
RATIOS = {"lr_plus", "lr_minus", "diagnostic_odds_ratio"}
ERRORS = {"error_rate", "hamming_loss", "fpr", "fnr", "fdr", "false_omission_rate", "lr_minus", "ece", "mce"}
LOSSES = {"brier", "brier_half", "log_loss"}
# How often something is there is neither good nor bad.
SHARES_OF_ROWS = {"no_information_rate", "prevalence", "predicted_positive_rate"}


def ends(name: str) -> tuple[float, float]:
    if name in CORRELATIONS:
        return -1, 1
    if name in COSTS:
        return -math.inf, math.inf
    if name in RATIOS or name == "log_loss":
        return 0, math.inf
    return (0, 2) if name == "brier" else (0, 1)


@pytest.mark.parametrize("name", EVERY)
def test_ends_and_direction(name: str) -> None:
    assert EVERY[name].range == ends(name)
    lower, neither = name in ERRORS | LOSSES | COSTS, name in SHARES_OF_ROWS
    assert EVERY[name].better == ("lower" if lower else "neither" if neither else "higher")


# Numerator and denominator are rows; the interval of such a share is Wilson's.
OF_ROWS = {
    "accuracy": ("correct", "n"),
    "error_rate": ("wrong", "n"),
    "precision": ("tp", "predicted_positive"),
    "recall": ("tp", "actual_positive"),
    "specificity": ("tn", "actual_negative"),
    "npv": ("tn", "predicted_negative"),
    "fpr": ("fp", "actual_negative"),
    "fnr": ("fn", "actual_positive"),
    "fdr": ("fp", "predicted_positive"),
    "false_omission_rate": ("fn", "predicted_negative"),
    "prevalence": ("actual_positive", "n"),
    "predicted_positive_rate": ("predicted_positive", "n"),
}
# Which interval the others have: draws from the cells of the table, unless said here.
INTERVALS = {
    **dict.fromkeys(("subset_accuracy", "top_k_accuracy"), "wilson"),
    **dict.fromkeys(("no_information_rate", "ks", "ece", "mce"), "none"),
    **{name: name for name in ("f1", "jaccard")},
    **dict.fromkeys(RATIOS, "log"),
    **dict.fromkeys(("auc", "gini"), "delong"),
    **dict.fromkeys(("partial_auc", "partial_auc_mcclish", "average_precision"), "linearised"),
    **{f"auc_{way}_{mean}": "linearised" for way in ("ovr", "ovo") for mean in ("macro", "weighted")},
    **dict.fromkeys(("brier", "brier_half", "hamming_loss"), "wilson_mean"),
    **{f"{name}_example": "wilson_mean" for name in ("accuracy", "precision", "recall", "f1")},
    "log_loss": "log_mean",
}


@pytest.mark.parametrize("name", EVERY)
def test_shares_and_intervals(name: str) -> None:
    assert EVERY[name].share == OF_ROWS.get(name)
    assert EVERY[name].interval == ("wilson" if name in OF_ROWS else INTERVALS.get(name, "draws"))


# As scikit-learn, PyCM, R's caret and yardstick, and the literature on diagnostic tests and forecasts write.
NAMES = {
    "accuracy": "acc",
    "error_rate": "error misclassification_rate",
    "no_information_rate": "nir majority_rate",
    "balanced_accuracy": "bac",
    "mcc": "phi matthews_corrcoef",
    "kappa": "cohen_kappa cohens_kappa",
    "total_cost": "cost",
    "precision": "ppv positive_predictive_value",
    "recall": "sensitivity tpr true_positive_rate hit_rate",
    "specificity": "tnr true_negative_rate selectivity",
    "npv": "negative_predictive_value",
    "fpr": "false_positive_rate fall_out false_alarm_rate",
    "fnr": "false_negative_rate miss_rate",
    "fdr": "false_discovery_rate",
    "false_omission_rate": "for",
    "f1": "f_measure f_score dice",
    "jaccard": "iou threat_score critical_success_index",
    "informedness": "youden youden_j bookmaker_informedness",
    "markedness": "delta_p",
    "lr_plus": "positive_likelihood_ratio plr",
    "lr_minus": "negative_likelihood_ratio nlr",
    "diagnostic_odds_ratio": "dor odds_ratio",
    "g_mean": "geometric_mean",
    "prevalence": "base_rate",
    "predicted_positive_rate": "ppr detection_prevalence support_rate",
    "auc": "roc_auc auroc c_statistic",
    "gini": "somers_d accuracy_ratio",
    "ks": "ks_statistic",
    "partial_auc:0.5": "pauc:0.5",
    "average_precision": "ap pr_auc",
    "brier": "brier_score brier_score_loss",
    "log_loss": "cross_entropy logarithmic_loss",
    "ece": "expected_calibration_error",
    "mce": "maximum_calibration_error",
    "auc_ovo_macro": "hand_till",
}


@pytest.mark.parametrize("name", NAMES)
def test_other_names(name: str) -> None:
    for other in NAMES[name].split():
        assert ask(other).name == ask(name).name, other


# Ratios whose numerator and denominator are of one actual class stay when the classes' shares change.
BY_ACTUAL_CLASS = {
    *("recall", "specificity", "fpr", "fnr", "balanced_accuracy", "informedness", "g_mean"),
    *RATIOS,
    *("auc", "gini", "ks", "partial_auc", "partial_auc_mcclish", "auc_ovo_macro"),
}


@pytest.mark.parametrize("name", EVERY)
def test_what_stays_when_the_shares_of_classes_change(name: str) -> None:
    assert EVERY[name].prevalence_free == (name in BY_ACTUAL_CLASS)


# What a number is of: a class of the table by default.
KINDS = {
    **dict.fromkeys(("accuracy", "error_rate", "no_information_rate", "balanced_accuracy"), "all"),
    **dict.fromkeys(("mcc", "kappa", "total_cost", "mean_cost"), "all"),
    **dict.fromkeys(SET_METRICS, "sets"),
    **dict.fromkeys(LOSSES, "losses"),
    **dict.fromkeys(("ece", "mce"), "calibration"),
    **dict.fromkeys(
        ("auc", "gini", "ks", "partial_auc", "partial_auc_mcclish", "average_precision"), "scores"
    ),
    **{f"auc_{way}_{mean}": "classes" for way in ("ovr", "ovo") for mean in ("macro", "weighted")},
    "top_k_accuracy": "classes",
}


@pytest.mark.parametrize("name", EVERY)
def test_what_it_is_about(name: str) -> None:
    assert EVERY[name].about == KINDS.get(name, "class")


# Which cells of the table a formula reads, by actual and predicted class.
TOWARDS = {
    "accuracy": ("C(+|+)", "C(-|+)", "C(+|-)", "C(-|-)"),
    "precision": ("C(+|+)", "C(+|-)"),
    "recall": ("C(+|+)", "C(-|+)"),
    "specificity": ("C(-|-)", "C(+|-)"),
    "npv": ("C(-|-)", "C(-|+)"),
    **dict.fromkeys(("f1", "f_beta", "jaccard"), ("C(+|+)", "C(-|+)", "C(+|-)")),
}


@pytest.mark.parametrize("name", EVERY)
def test_the_costs_that_a_metric_leans_towards(name: str) -> None:
    assert EVERY[name].towards == TOWARDS.get(name, ())


def test_the_worst_and_the_best_there_is() -> None:
    wrong, right = Binary(tp=0, fn=3, fp=5, tn=0), Binary(tp=3, fn=0, fp=0, tn=5)
    for name in ("mcc", "informedness", "markedness", "accuracy", "recall", "npv"):
        assert (EVERY[name](wrong), EVERY[name](right)) == pytest.approx(EVERY[name].range), name
    backwards = Scores(np.array([0.9, 0.1]), np.array([0, 3]), np.array([5, 0]))
    forwards = Scores(np.array([0.9, 0.1]), np.array([3, 0]), np.array([0, 5]))
    for name in ("auc", "gini"):
        assert (EVERY[name](backwards), EVERY[name](forwards)) == EVERY[name].range


# What a number becomes when the other of two classes is made the positive one.
PARTNERS = {"precision": "npv", "recall": "specificity", "fpr": "fnr", "fdr": "false_omission_rate"}
EXCHANGED = PARTNERS | {second: first for first, second in PARTNERS.items()}
THE_SAME = {
    *("accuracy", "error_rate", "no_information_rate", "balanced_accuracy", "mcc", "kappa"),
    *("total_cost", "mean_cost", "informedness", "markedness", "diagnostic_odds_ratio", "g_mean"),
    *("auc", "gini", "ks", *LOSSES),
}


@pytest.mark.parametrize("name", EVERY)
def test_what_it_becomes_for_the_other_class(name: str) -> None:
    assert EVERY[name].swap == (name if name in THE_SAME else EXCHANGED.get(name))
    assert EVERY[name].symmetric == (name in THE_SAME)


@pytest.mark.parametrize("name", EVERY)
def test_where_it_is_from(name: str) -> None:
    assert EVERY[name].reference
    assert EVERY[name].meaning.endswith(".")


def test_a_metric_under_a_longer_name() -> None:
    assert plainly(ask("weighted_accuracy:4,2,2,0")).name == "f1"
    assert plainly(ask("f_beta:0")).name == "precision"
    for name in ("weighted_accuracy:0,0,0,0", "weighted_accuracy:3,1,1,0", "f_beta:2"):
        assert plainly(ask(name)) == ask(name)


@pytest.mark.parametrize(
    ("given", "meant"), [("2", "0.02 for 2 %"), ("1.5", "0.015 for 1.5 %"), ("100", "1 for 100 %")]
)
def test_a_rate_in_percent_is_understood(given: str, meant: str) -> None:
    with pytest.raises(MetricError, match=f"write {meant}"):
        ask(f"partial_auc:{given}")
