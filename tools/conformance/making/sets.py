"""Rows that have several labels, or none."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from making.writing import Answer, exact, vector

ABOUT = "Rows with several labels: means over the rows, empty sets, labels that nobody has."

LABELS = ["art", "film", "sport"]
Sets = list[list[str]]

PLAIN: tuple[Sets, Sets] = (
    [["art", "sport"], ["art"], ["film", "sport"]],
    [["art"], ["art", "film"], ["art"]],
)
EMPTY: tuple[Sets, Sets] = ([[], ["art"], []], [[], ["art", "film"], ["sport"]])
UNCALLED: tuple[Sets, Sets] = ([["art", "film"], ["film"]], [[], ["film"]])
UNUSED: tuple[Sets, Sets] = ([["art"], ["film"], ["art"]], [["art"], ["film"], ["film"]])

BOTH = "Two empty sets are the same answer; scored 0, a model is punished for being right about them."
NONE = "Precision without an answer is 0 / 0: as 0, as 1 or left out, it decides about a cautious model."
ROWS = "Means over rows, over labels and over all cells are three numbers, and one name is used for them."


def share(top: int, bottom: int, both_empty: bool, empty: int) -> Fraction:
    return Fraction(empty) if both_empty else Fraction(top, bottom) if bottom else Fraction(0)


def example(metric: str, actual: Sets, predicted: Sets, empty: int = 1) -> Answer:
    values = []
    for true, called in zip(actual, predicted, strict=True):
        both, either = len(set(true) & set(called)), len(set(true) | set(called))
        top, bottom = {
            "accuracy_example": (both, either),
            "precision_example": (both, len(called)),
            "recall_example": (both, len(true)),
            "f1_example": (2 * both, len(true) + len(called)),
        }[metric]
        values.append(share(top, bottom, not either, empty))
    return exact(sum(values, Fraction(0)) / len(values))


def made() -> Iterator[dict[str, Any]]:
    measures = ("accuracy_example", "precision_example", "recall_example", "f1_example")
    for name, (actual, predicted), about, why in (
        ("plain", PLAIN, "Rows with one or two labels each.", ROWS),
        ("empty", EMPTY, "A row has no label, and none was predicted.", BOTH),
        ("uncalled", UNCALLED, "Nothing was predicted for a row that has labels.", NONE),
    ):
        given = _given(actual, predicted)
        for metric in measures:
            answer, zero = (example(metric, actual, predicted, empty) for empty in (1, 0))
            others = {"two empty sets score 0": zero} if zero != answer else {}
            if (name, metric) in (("empty", "recall_example"), ("uncalled", "precision_example")):
                others["one empty set is left out, or scores 1"] = exact(1)
            yield vector(f"{name}/{metric}", about, why, given, {"metric": metric}, answer, others)
        equal = [set(true) == set(called) for true, called in zip(actual, predicted, strict=True)]
        wrong = sum(len(set(true) ^ set(called)) for true, called in zip(actual, predicted, strict=True))
        question = {"metric": "subset_accuracy"}
        yield vector(f"{name}/subset_accuracy", about, why, given, question, Fraction(sum(equal), len(equal)))
        question = {"metric": "hamming_loss"}
        yield vector(f"{name}/hamming_loss", about, why, given, question, Fraction(wrong, 3 * len(actual)))
    yield from _labels()


def _labels() -> Iterator[dict[str, Any]]:
    about = "The label sport is declared, and no row has it or was given it."
    why = "A label that is not there counts as one that was missed."
    for metric, kind, answer, zero in (
        ("f1", "macro", Fraction(2, 3), Fraction(4, 9)),
        ("precision", "macro", Fraction(3, 4), Fraction(1, 2)),
        ("recall", "macro", Fraction(3, 4), Fraction(1, 2)),
        ("f1", "micro", Fraction(2, 3), None),
    ):
        others = {} if zero is None else {"undefined as 0": zero}
        question = {"metric": metric, "average": kind}
        yield vector(f"unused/{metric}_{kind}", about, why, _given(*UNUSED), question, answer, others)


def _given(actual: Sets, predicted: Sets) -> dict[str, Any]:
    return {"labels": LABELS, "actual_sets": actual, "predicted_sets": predicted}
