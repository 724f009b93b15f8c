"""One evaluation of each shape of data, made once in a process, for tests that look at results."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tallymark as tm

Rows = dict[str, NDArray[Any]]
# Rows actual, columns predicted; hits 50, 30, 10.
MATRIX = [[50, 6, 4], [8, 30, 2], [5, 5, 10]]
NAMES = ["a", "b", "c"]


def three(**options: Any) -> tm.Evaluation:
    return tm.Confusion(MATRIX, labels=NAMES).evaluate(**options)


def two(**options: Any) -> tm.Evaluation:
    """tp 282, fn 75, fp 462, tn 4841."""
    counts = tm.Confusion([[282, 75], [462, 4_841]], labels=["1", "0"])
    return counts.evaluate(**{"pos_label": "1"} | options)


def values(ev: tm.Evaluation, *names: str) -> list[float | None]:
    return [ev[name].value for name in names]


@cache
def rows(classes: int = 2, n: int = 300, seed: int = 5) -> Rows:
    """Columns: y, p (predicted), P (probabilities), s (score), w and f (weights, f whole), g (groups)."""
    chance = np.random.default_rng(seed)
    y = chance.integers(0, classes, n)
    table = chance.gamma(0.6 + 2.0 * (y[:, None] == np.arange(classes)))
    table /= table.sum(axis=1, keepdims=True)
    made = {
        "y": y, "p": table.argmax(axis=1), "P": table, "w": chance.choice([0.5, 1.0, 2.5], n),
        "f": chance.integers(1, 4, n), "g": chance.integers(0, n // 6, n),
    }  # fmt: skip
    if classes == 2:
        made["s"] = table[:, 1].round(3)
    for column in made.values():
        column.setflags(write=False)
    return made


@cache
def binary(**options: Any) -> tm.Evaluation:
    """Scores of two classes; in the options "w", "f" and "g" stand for the columns of `rows()`."""
    here = rows()
    return tm.evaluate(here["y"], y_score=here["s"], **_columns(options, here))


@cache
def labels(classes: int = 2, **options: Any) -> tm.Evaluation:
    """Predicted classes alone."""
    here = rows(classes)
    return tm.evaluate(here["y"], here["p"], **_columns(options, here))


@cache
def probabilities(classes: int = 3, **options: Any) -> tm.Evaluation:
    here = rows(classes)
    return tm.evaluate(here["y"], y_score=here["P"], labels=range(classes), **_columns(options, here))


@cache
def label_sets(**options: Any) -> tm.Evaluation:
    chance = np.random.default_rng(3)
    actual = chance.random((200, 3)) < (0.5, 0.3, 0.1)
    predicted = actual ^ (chance.random((200, 3)) < 0.2)
    return tm.evaluate(actual.astype(int), predicted.astype(int), labels=["a", "b", "c"], **options)


def _columns(options: dict[str, Any], here: Rows) -> dict[str, Any]:
    return {
        name: here[value] if isinstance(value, str) and name in ("sample_weight", "groups") else value
        for name, value in options.items()
    }
