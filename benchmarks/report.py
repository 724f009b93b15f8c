"""The page: how large it is and how long it takes to write, against the number of rows and of classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import tallymark as tm
from curves import everything, rows
from speed import at_most, best_of
from tallymark.drawing.html import page

FEW, MANY = 1_000, 2_000_000
COSTS = [[0, 1], [5, 0]]
CLASSES = (10, 100, 1_000)
LARGEST = 150_000
"""Bytes of a page for two classes and two models."""


def pages(make: Callable[[], Any], count: Callable[[], Any]) -> tuple[int, float]:
    """The bytes of a page, and its seconds, with those of counting, against those of counting alone."""
    written = page(make().report())
    taken = best_of(lambda: page(make().report()), 1)
    return len(written.encode()), taken / best_of(count, 1)


def two_models() -> None:
    print("\nTwo classes, two models, costs, continuous scores")
    sizes = []
    for n in (FEW, MANY):
        actual, score = rows(n)
        other = np.clip(score + np.random.default_rng(1).normal(0, 0.1, n), 0, 1)

        def compared(actual: Any = actual, scores: Any = (score, other)) -> Any:
            models = [tm.evaluate(actual, y_score=each, labels=[0, 1], costs=COSTS) for each in scores]
            return tm.compare(dict(zip(("one", "other"), models, strict=True)))

        def counted(actual: Any = actual, scores: Any = (score, other)) -> None:
            for each in scores:
                everything(actual, each)

        size, ratio = pages(compared, counted)
        sizes.append(size)
        at_most(f"{n:,} rows: the largest page that we allow", size / LARGEST, 1, f"{size / 1000:.0f} kB")
        if n == MANY:
            at_most(f"{n:,} rows: two evaluations with all curves", ratio, 15)
    at_most(f"{MANY:,} rows: the page of {FEW:,}", sizes[1] / sizes[0], 1.2)


def many_classes() -> None:
    print("\nMany classes, labels only, 20 rows a class")
    random = np.random.default_rng(0)
    for classes in CLASSES:
        actual = random.integers(0, classes, 20 * classes)
        wrong = (actual + random.integers(1, 30, len(actual))) % classes
        predicted = np.where(random.random(len(actual)) < 0.8, actual, wrong)
        evaluated = partial(tm.evaluate, actual, predicted)
        size, ratio = pages(evaluated, lambda make=evaluated: make().document())
        at_most(f"{classes:,} classes: 600 kB", size / 600_000, 1, f"{size / 1000:.0f} kB")
        at_most(f"{classes:,} classes: the printed report", ratio, 5)


def main() -> None:
    two_models()
    many_classes()


if __name__ == "__main__":
    main()
