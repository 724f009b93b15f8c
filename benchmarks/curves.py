"""Speed and memory of rankings: areas with intervals, every curve, every threshold."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, metric_at_thresholds, roc_auc_score

import tallymark as tm
from speed import at_least, at_most, best_of
from tallymark.curves.roc.hull import upper_hull

ROWS = 10_000_000
DELONG_ROWS = 1_000_000
BOOTSTRAP = 1_000
THRESHOLDS = 4_000


def rows(n: int, share: float = 0.1) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    actual = (random.random(n) < share).astype(np.int64)
    return actual, 1 / (1 + np.exp(-(random.normal(size=n) + 1.5 * actual - 2)))


def everything(actual: Any, score: Any) -> None:
    """All numbers with their intervals and all curves."""
    ev = tm.evaluate(actual, y_score=score)
    for estimate in ev.metrics.values():
        _ = estimate.low
    # One after the other, as a reader looks at them: a curve's arrays are made when they are asked for.
    assert ev.roc.hull is not None
    for array in (
        lambda: ev.roc.fpr,
        lambda: ev.roc.tpr,
        lambda: ev.precision_recall.precision,
        lambda: ev.gains.recall,
        lambda: ev.lift.lift,
    ):
        assert len(array()) > 1
    assert ev.thresholds.best is not None


def full() -> None:
    print(f"\nA full evaluation of {ROWS:,} rows: all numbers, intervals and curves")
    actual, score = rows(ROWS)
    ours = best_of(lambda: everything(actual, score), 2)
    theirs = best_of(lambda: roc_auc_score(actual, score), 2)
    at_most("roc_auc_score alone", ours / theirs, 1, f"{ours:.2f} s against {theirs:.2f} s")
    tracemalloc.start()
    everything(actual, score)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    at_most("memory beside the input: the input", peak / (actual.nbytes + score.nbytes), 4)


def delong() -> None:
    print(f"\nAUC with DeLong's interval at n = {DELONG_ROWS:,}")
    actual, score = rows(DELONG_ROWS)

    def ours() -> None:
        _ = tm.evaluate(actual, y_score=score)["auc"].low

    taken = best_of(ours, 5)
    random = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(3):
        chosen = random.integers(0, DELONG_ROWS, DELONG_ROWS)
        roc_auc_score(actual[chosen], score[chosen])
    bootstrap = (time.perf_counter() - start) / 3 * BOOTSTRAP
    at_least(
        f"a bootstrap of {BOOTSTRAP:,} roc_auc_scores (extrapolated from 3)",
        bootstrap / taken,
        1000,
        f"{taken * 1e3:.0f} ms",
    )


def thresholds() -> None:
    print(f"\nF1 at every threshold, n = {THRESHOLDS:,}")
    actual, score = rows(THRESHOLDS)
    taken = best_of(lambda: tm.evaluate(actual, y_score=score).thresholds.value, 20)
    start = time.perf_counter()
    metric_at_thresholds(actual, score, f1_score)
    theirs = time.perf_counter() - start
    at_least("metric_at_thresholds of scikit-learn", theirs / taken, 1000, f"{taken * 1e3:.2f} ms")


def on_paper() -> None:
    """Curves with a million points, against what it takes to put the scores in order."""
    print(f"\nROC curves of {DELONG_ROWS:,} distinct scores: JSON, the printed words, the picture")
    actual, score = rows(DELONG_ROWS)
    bare = best_of(lambda: np.sort(score), 3)
    one, other = (tm.evaluate(actual, y_score=each).roc for each in (score, np.roll(score, 1)))

    def written() -> None:
        for make in (one.to_dict, one.document, one.figure):
            assert make()

    at_most("one curve: a bare np.sort of its scores", best_of(written, 2) / bare, 15)
    hull = best_of(lambda: upper_hull(one.fp, one.tp), 3)
    at_most("its hull: a bare np.sort", hull / bare, 1)

    def compared() -> None:
        several = tm.Several({"one": one, "other": other})
        assert several.document().sections
        assert several.to_dict()

    at_most("two models compared: a bare np.sort", best_of(compared, 2) / bare, 25)


def main() -> None:
    full()
    delong()
    thresholds()
    on_paper()


if __name__ == "__main__":
    main()
