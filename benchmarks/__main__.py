"""All benchmarks: `make bench`. Ratios within this run, coverage of every interval, errors of every test."""

from __future__ import annotations

import sys

import comparison
import coverage_binomial
import coverage_calibration
import coverage_cells
import coverage_classes
import coverage_decision_curve
import coverage_decisions
import coverage_differences
import coverage_label_sets
import coverage_learning
import coverage_paired
import coverage_paired_ranking
import coverage_ranking
import coverage_rejection
import coverage_tuning
import coverage_validation
import coverage_weights_groups
import curves
import decisions
import engines
import false_positives
import files
import gate
import permutation
import ranking
import report
import runs
import scale
import speed
import validation


def main() -> None:
    for title, part in (
        ("Speed and memory", speed),
        ("Ranking", ranking),
        ("Curves", curves),
        ("Decisions", decisions),
        ("Files", files),
        ("The page: size and time", report),
        ("Coverage of the binomial intervals (exact)", coverage_binomial),
        ("Coverage of the intervals of other numbers", coverage_cells),
        ("Coverage with weights, groups and slices", coverage_weights_groups),
        ("Coverage with several labels per row, and of metrics of one's own", coverage_label_sets),
        ("Coverage of the intervals of numbers from scores", coverage_ranking),
        ("Coverage of savings, and how much a chosen threshold flatters itself", coverage_decisions),
        ("Coverage of net benefits", coverage_decision_curve),
        ("Coverage of rejection curves", coverage_rejection),
        ("Calibration: false positives of its test, coverage of bins and gains", coverage_calibration),
        ("Coverage of numbers about many classes", coverage_classes),
    ):
        print(f"\n=== {title} ===")
        part.main()
    quick = "--quick" in sys.argv[1:]
    for title, compared in (
        ("Files larger than memory", scale),
        ("DuckDB, Dask and Spark", engines),
        ("Comparison of two models: speed and memory", comparison),
        ("Coverage of differences of proportions, and McNemar's tests (exact)", coverage_differences),
        ("Coverage of differences between two models' answers", coverage_paired),
        ("Coverage of differences between two models' scores", coverage_paired_ranking),
        ("False positives and power of every test", false_positives),
        ("How often the gate passes what is worse than the baseline", gate),
        ("Validation of models: speed and memory", validation),
        ("Run folders: what recording costs, and memory of a thousand fits", runs),
        ("Coverage of the intervals of validation", coverage_validation),
        ("What tuning promises and keeps", coverage_tuning),
        ("Coverage of learning curves, and of what more rows would buy", coverage_learning),
        ("False positives and power of permutation tests", permutation),
    ):
        print(f"\n=== {title} ===")
        compared.main(quick)


if __name__ == "__main__":
    main()
