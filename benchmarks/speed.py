"""Speed and memory as ratios in one run: against a bare numpy pass and against scikit-learn.

Each line prints the ratio, the budget it has to keep and whether it does.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import classification_report, f1_score

import tallymark as tm
from tallymark.inference.draws import Draws
from tallymark.metrics import METRICS

ROWS = 5_000_000
TEXT_ROWS = 1_000_000
CLOSED_FORM = ("wilson", "wilson_jaccard", "log")


def best_of(function: Callable[[], Any], times: int = 5) -> float:
    """Seconds of the fastest of several runs: the one least disturbed by other work."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return min(taken)


def line(what: str, ratio: float, budget: str, kept: bool, detail: str = "") -> None:
    print(f"  {what:<58} {ratio:>9.2f}x  budget {budget:<9} {'ok' if kept else 'NOT KEPT':<9} {detail}")


def at_most(what: str, ratio: float, budget: float, detail: str = "") -> None:
    line(what, ratio, f"<= {budget:g}x", ratio <= budget, detail)


def at_least(what: str, ratio: float, budget: float, detail: str = "") -> None:
    line(what, ratio, f">= {budget:g}x", ratio >= budget, detail)


def counting() -> None:
    print("\nCounting rows")
    random = np.random.default_rng(0)
    for classes in (2, 10, 100):
        actual = random.integers(0, classes, ROWS)
        predicted = np.where(random.random(ROWS) < 0.8, actual, random.integers(0, classes, ROWS))
        ours = best_of(lambda a=actual, p=predicted: tm.evaluate(a, p).confusion)
        bare = best_of(lambda a=actual, p=predicted, k=classes: np.bincount(a * k + p, minlength=k * k))
        report = best_of(lambda a=actual, p=predicted: classification_report(a, p), 1)
        at_most(
            f"{ROWS:,} rows, {classes} classes: a bare np.bincount", ours / bare, 1.2, f"{ours * 1e3:.1f} ms"
        )
        at_least(f"{ROWS:,} rows, {classes} classes: classification_report", report / ours, 50)


def text_labels() -> None:
    print("\nText labels")
    random = np.random.default_rng(0)
    names = np.array(["cat", "dog", "horse", "mouse", "elephant"])
    actual, predicted = names[random.integers(0, 5, TEXT_ROWS)], names[random.integers(0, 5, TEXT_ROWS)]
    for kind, budget in (("object", 15), ("numpy", 5)):
        a, p = (actual.astype(object), predicted.astype(object)) if kind == "object" else (actual, predicted)
        ours = best_of(lambda a=a, p=p: tm.evaluate(a, p).confusion, 3)
        report = best_of(lambda a=a, p=p: classification_report(a, p), 1)
        at_least(f"{TEXT_ROWS:,} {kind} strings: classification_report", report / ours, budget)


def small() -> None:
    print("\nA thousand rows")
    random = np.random.default_rng(0)
    for classes in (2, 5):
        actual, predicted = random.integers(0, classes, 1000), random.integers(0, classes, 1000)

        def everything(a: Any = actual, p: Any = predicted) -> None:
            evaluation = tm.evaluate(a, p)
            for estimate in evaluation.metrics.values():
                if estimate.method in CLOSED_FORM:
                    _ = estimate.low

        ours = best_of(everything, 50)
        report = best_of(lambda a=actual, p=predicted: classification_report(a, p), 20)
        at_most(
            f"{classes} classes, all values and closed-form intervals: report",
            ours / report,
            1 / 3,
            f"{ours * 1e3:.2f} ms",
        )


def draws() -> None:
    print("\n10,000 draws of F1 at n = 1,000,000")
    random = np.random.default_rng(0)
    n = 1_000_000
    actual = random.integers(0, 2, n)
    predicted = np.where(random.random(n) < 0.8, actual, 1 - actual)

    def ours() -> None:
        # F1 itself has an interval with a formula; here it is drawn all the same.
        drawn = Draws(tm.evaluate(actual, predicted).confusion).binary(1)
        assert drawn.number == 10_000
        drawn.limits(METRICS["f1"], 0.8, (0.0, 1.0), 0.95)

    def bootstrap() -> None:
        for _ in range(3):
            rows = random.integers(0, n, n)
            f1_score(actual[rows], predicted[rows])

    taken = best_of(ours, 3)
    loop = best_of(bootstrap, 1) / 3 * 10_000
    at_least(
        "a scikit-learn bootstrap loop (extrapolated from 3)", loop / taken, 1000, f"{taken * 1e3:.1f} ms"
    )


def start_up() -> None:
    print("\nStart-up")

    def seconds(*arguments: str) -> float:
        return best_of(
            lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True), 7
        )

    bare = seconds("-c", "pass")
    at_most("tallymark --help: bare Python", seconds("-m", "tallymark", "--help") / bare, 7)
    at_most("import tallymark: bare Python", seconds("-c", "import tallymark") / bare, 2)


def memory() -> None:
    print("\nMemory")
    random = np.random.default_rng(0)
    actual, predicted = random.integers(0, 10, ROWS), random.integers(0, 10, ROWS)
    tm.evaluate(actual[:10], predicted[:10])
    tracemalloc.start()
    tm.evaluate(actual, predicted)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A byte per label of an eight-byte input is kept, so that results do not follow the caller's arrays.
    at_most(f"{ROWS:,} rows: extra memory against the input", peak / (actual.nbytes + predicted.nbytes), 0.15)

    labels = np.array([f"class_{k:05d}" for k in range(10_000)], object)
    codes = random.integers(0, 10_000, 200_000)
    a, p = labels[codes], labels[np.where(random.random(200_000) < 0.8, codes, (codes + 1) % 10_000)]
    start = time.perf_counter()
    tracemalloc.start()
    text = len(str(tm.evaluate(a, p)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    taken = time.perf_counter() - start
    print(
        f"  10,000 classes, 200,000 rows: {taken:.1f} s, {peak / 1e6:.0f} MB (budget 60 s, 300 MB), "
        f"{text:,} characters printed"
    )


def main() -> None:
    for part in (counting, text_labels, small, draws, start_up, memory):
        part()


if __name__ == "__main__":
    main()
