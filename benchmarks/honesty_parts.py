"""What is in each table of docs/honesty.md; the words around them are in honesty.template.md."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A table."""

    title: str
    studies: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """Of intervals: numbers that peers were measured on too. Of tests: how the names in this table begin."""
    warned: tuple[str, ...] = ()
    """Methods that we offer with a warning, because books have them."""

    @property
    def link(self) -> str:
        anchor = re.sub(r"[^a-z0-9 -]", "", self.title.lower()).replace(" ", "-")
        return f"[{self.title}](#{anchor})"


INTERVALS = (
    Part(
        "One proportion",
        ("coverage_binomial",),
        beside=("a proportion, worst p", "a proportion, mean over p"),
        warned=("wald",),
    ),
    Part(
        "Other numbers of counts",
        ("coverage_cells",),
    ),
    Part(
        "Weights, groups and slices",
        ("coverage_weights_groups",),
    ),
    Part(
        "Several labels a row, and metrics of one's own",
        ("coverage_label_sets",),
    ),
    Part(
        "Numbers from scores",
        ("coverage_ranking",),
        beside=("auc", "auc, from its value alone", "average_precision", "brier", "log_loss"),
    ),
    Part(
        "Scores of many classes",
        ("coverage_classes",),
    ),
    Part(
        "Decisions",
        ("coverage_decisions", "coverage_decision_curve", "coverage_rejection"),
    ),
    Part(
        "Calibration",
        ("coverage_calibration",),
    ),
    Part(
        "Differences of proportions",
        ("coverage_differences",),
        beside=("difference, other rows, worst shares", "difference, other rows, mean over shares"),
        warned=("wald",),
    ),
    Part(
        "Differences between two models' answers",
        ("coverage_paired",),
    ),
    Part(
        "Differences between two models' scores",
        ("coverage_paired_ranking",),
    ),
    Part(
        "Models that are fitted again and again",
        ("coverage_validation", "coverage_tuning", "coverage_learning"),
        warned=("pooled", "band of the law"),
    ),
)

SAMES = (
    "false_positives",
    "coverage_differences",
    "coverage_paired",
    "coverage_paired_ranking",
    "peers_tests",
)
TESTS = (
    Part(
        "Answers to the same rows",
        SAMES,
        beside=("McNemar", "Cochran", "exact McNemar", "permutation, ", "paired draws", "swapped answers"),
        warned=(
            "permutation, accuracy, groups ignored",
            "permutation, f1, groups ignored",
            "permutation, precision",
        ),
    ),
    Part(
        "Scores and losses",
        SAMES,
        beside=("DeLong", "paired t over rows", "swapped scores"),
    ),
    Part(
        "Answers to other rows",
        SAMES,
        beside=("two proportions",),
        warned=("two proportions, wald",),
    ),
    Part(
        "Folds that overlap",
        SAMES,
        beside=(
            "plain t",
            "corrected t",
            "5 x 2",
            "Bayes, 10 x 10",
            "swapped folds",
            "ranks of folds",
        ),
        warned=("plain t",),
    ),
    Part(
        "Many data sets",
        SAMES,
        beside=(
            *("Wilcoxon", "sign", "paired t over data sets", "Bayes, signed rank", "Friedman", "Nemenyi"),
            "ranks of pairs",
        ),
    ),
    Part(
        "Calibration's test",
        ("coverage_calibration",),
        beside=("calibration test", "finding TM015"),
    ),
    Part(
        "Permuted classes",
        ("permutation", "peers_tests"),
        beside=("permutation test",),
        warned=("permutation test, 5 folds, training rows", "permutation test, 10 holdouts, training rows"),
    ),
    Part(
        "The gate, and progressive sampling",
        ("gate", "coverage_learning"),
        beside=("gate", "progressive sampling"),
    ),
)
