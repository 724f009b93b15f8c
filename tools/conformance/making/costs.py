"""What answers cost."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from making.writing import vector

ABOUT = "Cost matrices: rows are actual, columns predicted."

TURNED = "A matrix read the other way round charges misses as false alarms, and the dearer model is bought."


def made() -> Iterator[dict[str, Any]]:
    about = "A miss costs 100, a false alarm 1, and a hit earns 1."
    given: dict[str, Any] = {
        "labels": ["+", "-"],
        "positive": "+",
        "matrix": [[150, 40], [60, 250]],
        "costs": [[-1, 100], [1, 0]],
    }
    yield vector("plain/total_cost", about, TURNED, given, {"metric": "total_cost"}, 3910,
                 {"columns are actual": 150 * -1 + 40 * 1 + 60 * 100})  # fmt: skip
    yield vector("plain/mean_cost", about, TURNED, given, {"metric": "mean_cost"}, Fraction(3910, 500),
                 {"columns are actual": Fraction(5890, 500)})  # fmt: skip
    about = "The other model of the same lecture: more accurate, and dearer."
    other = given | {"matrix": [[250, 45], [5, 200]]}
    yield vector("more-accurate/total_cost", about, TURNED, other, {"metric": "total_cost"}, 4255,
                 {"columns are actual": 250 * -1 + 45 * 1 + 5 * 100})  # fmt: skip
    about = "Three classes and costs that are not symmetric."
    matrix, costs = [[5, 1, 0], [2, 3, 1], [0, 1, 7]], [[0, 1, 5], [2, 0, 3], [9, 4, -1]]
    total = sum(
        n * c for row, prices in zip(matrix, costs, strict=True) for n, c in zip(row, prices, strict=True)
    )
    given = {"labels": [0, 1, 2], "matrix": matrix, "costs": costs}
    yield vector("classes/total_cost", about, TURNED, given, {"metric": "total_cost"}, total)
    about = "The threshold that is cheapest when probabilities are true: a miss costs 9, a false alarm 1."
    why = "At the threshold 1/2 rows in between are not called, though it would pay (Elkan 2001)."
    given = {"labels": [1, 0], "positive": 1, "costs": [[0, 9], [1, 0]]}
    yield vector("threshold/miss-dear", about, why, given, {"metric": "cost_threshold"}, Fraction(1, 10))
    about = "The same when a hit also earns 1."
    given = {"labels": [1, 0], "positive": 1, "costs": [[-1, 9], [1, 0]]}
    yield vector("threshold/hit-earns", about, why, given, {"metric": "cost_threshold"}, Fraction(1, 11))
