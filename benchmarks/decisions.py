"""Speed of decisions: the cheapest threshold, the reject region, calibration and many classes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score

import tallymark as tm
from curves import rows
from speed import at_least, at_most, best_of

ROWS = 1_000_000
COSTS = {1: {0: 10, 1: -1}, 0: {1: 1}}
CLASSES = 10
CLASS_ROWS = 100_000


def evaluated(actual: Any, score: Any) -> tm.Evaluation:
    """Every number of an evaluation, with intervals."""
    ev = tm.evaluate(actual, y_score=score)
    for estimate in ev.metrics.values():
        _ = estimate.low
    return ev


def decide() -> None:
    print(f"\nThe cheapest of {ROWS:,} thresholds, and what it saves, with intervals, beside an evaluation")
    actual, score = rows(ROWS)
    base = best_of(lambda: evaluated(actual, score), 3)

    def ours(**options: Any) -> None:
        made = evaluated(actual, score).decide(COSTS, **options)
        assert all(saved.low is not None for saved in made.savings.values())

    for name, options in (("decide", {}), ("decide with a cost of rejecting", {"reject_cost": 0.2})):
        taken = best_of(partial(ours, **options), 3)
        at_most(f"{name}: the evaluation alone", taken / base, 1.5, f"{taken:.2f} s against {base:.2f} s")
    with_words = best_of(lambda: evaluated(actual, score).decide(COSTS).document(), 2)
    print(f"    with all its words, cross-fitting included: {with_words / base:.2f}x")


def calibration() -> None:
    print(f"\nCalibration in 10 bins of {ROWS:,} rows, from counts that are there")
    actual, score = rows(ROWS)
    tally = tm.evaluate(actual, y_score=score).curves.scores

    def theirs() -> None:
        calibration_curve(actual, score, n_bins=10)
        brier_score_loss(actual, score)

    taken = best_of(lambda: _bins(tally), 5)
    at_least("calibration_curve and brier_score_loss", best_of(theirs, 3) / taken, 1, f"{taken * 1e3:.0f} ms")


def _bins(tally: tm.Scores) -> None:
    curve = tally.evaluate().calibration
    assert curve.test.p_value is not None
    assert len(curve.low) == len(curve.observed)


def many_classes() -> None:
    print(f"\nOne against one, {CLASS_ROWS:,} rows of {CLASSES} classes, with intervals")
    random = np.random.default_rng(0)
    actual = random.integers(0, CLASSES, CLASS_ROWS)
    table = random.gamma(1.0, size=(CLASS_ROWS, CLASSES))
    table[np.arange(CLASS_ROWS), actual] *= 3
    table /= table.sum(axis=1, keepdims=True)
    labels = list(range(CLASSES))

    def ours() -> None:
        _ = tm.evaluate(actual, y_score=table, labels=labels)["auc_ovo_macro"].low

    taken = best_of(ours, 2)
    theirs = best_of(lambda: roc_auc_score(actual, table, multi_class="ovo"), 2)
    at_least("roc_auc_score(multi_class='ovo')", theirs / taken, 1, f"{taken:.2f} s against {theirs:.2f} s")


def main() -> None:
    decide()
    calibration()
    many_classes()


if __name__ == "__main__":
    main()
