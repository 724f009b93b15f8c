"""What labels may be, which of them is positive, and that their order is a matter of the labels alone."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from making.decimals import of
from making.writing import decimal, undefined, vector

ABOUT = "Types and order of labels, and which class is positive."

# Rows 1 to 6: three positives of which two are found, three negatives of which one is called.
ACTUAL = (1, 1, 1, 0, 0, 0)
PREDICTED = (1, 1, 0, 1, 0, 0)
# Two of four positives found and no false alarm, so that precision and recall of both classes all differ.
OTHER_PREDICTED = (1, 0, 0, 0, 0, 0)

SAME = "The same rows under other names must give the same number; else a column type decides about a model."
SWAPPED = "The number of the other class is reported under this name: sensitivity for specificity."


def rows(negative: Any, positive: Any, named: Any, **others: Any) -> dict[str, Any]:
    names = (negative, positive)
    made: dict[str, Any] = {
        "actual": [names[each] for each in ACTUAL],
        "predicted": [names[each] for each in OTHER_PREDICTED],
    }
    return made | ({} if named is None else {"positive": named}) | others


# name, negative, positive, what is special, why
TYPES: list[tuple[str, Any, Any, str, str]] = [
    ("whole-numbers", 0, 1, "Labels 0 and 1.", SAME),
    ("fractions", 0.0, 1.0, "Labels 0.0 and 1.0, as a column with a gap once had them.", SAME),
    ("booleans", False, True, "Labels false and true.", SAME),
    ("digits-as-text", "0", "1", 'Labels "0" and "1", as text.', SAME),
    ("text", "no", "yes", "Labels in words.", SAME),
    ("signs", -1, 1, "Labels -1 and 1.", SAME),
    ("ones-and-twos", 1, 2, "Labels 1 and 2, of which 2 is positive: 1 is no convention here.", SWAPPED),
    ("positive-sorts-first", "sick", "ill", "The positive label comes first in the alphabet.", SWAPPED),
    ("accents", "non", "oui à tout", "Labels with blanks and letters beyond ASCII.", SAME),
    ("other-scripts", "否", "是", "Labels in another script.", SAME),
    ("case", "Yes", "yes", "Labels that differ only in case.", SAME),
    ("one-look", "e\u0301", "é", "Two labels that look alike: one code point, and two.", SAME),
    ("word-for-missing", "NA", "yes", "A label that other tools read as a gap.",
     "The class NA vanishes from the table, and with it its errors."),
    ("ten-and-nine", "9", "10", 'Labels "9" and "10": as text 10 comes first.', SWAPPED),
]  # fmt: skip


def made() -> Iterator[dict[str, Any]]:
    for name, negative, positive, about, why in TYPES:
        given = rows(negative, positive, positive)
        yield vector(f"{name}/recall", about, why, given, {"metric": "recall"}, Fraction(1, 3))
    yield from _unnamed()
    yield from _orders()


def _unnamed() -> Iterator[dict[str, Any]]:
    for name, pair, about in (
        ("numbers", (0, 1), "Labels 0 and 1, and nobody says which is positive: 1 is."),
        ("booleans", (False, True), "Labels false and true, and nobody says which is positive: true is."),
    ):
        question = {"metric": "recall"}
        yield vector(f"unnamed-{name}/recall", about, SWAPPED, rows(*pair, None), question, Fraction(1, 3))
    about = "Labels in words, and nobody says which is positive."
    why = (
        "A class is chosen by the alphabet, and the report is about benign tumours instead of malignant ones."
    )
    others = {"the last in the alphabet": "1/3", "the first in the alphabet": "1"}
    question = {"metric": "recall"}
    answer = undefined("the positive class was not named")
    yield vector("unnamed-text/recall", about, why, rows("no", "yes", None), question, answer, others)
    about = "Labels 0 and 1, of which 0 is named as positive."
    given = {"actual": list(ACTUAL), "predicted": list(OTHER_PREDICTED), "positive": 0}
    yield vector("named-zero/recall", about, SWAPPED, given, question, 1)
    yield vector("named-zero/precision", about, SWAPPED, given, {"metric": "precision"}, Fraction(3, 5))


def _orders() -> Iterator[dict[str, Any]]:
    """Columns of probabilities go with labels in the order that was stated."""
    probabilities = [[0.75, 0.125, 0.125], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.5, 0.25, 0.25]]
    at = (0, 1, 2, 0)
    own = [Fraction(3, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1, 2)]
    loss: Decimal = -sum((of(each).ln() for each in own), Decimal(0)) / 4
    answer = decimal(loss, "-(2 ln(3/4) + 2 ln(1/2)) / 4")
    why = "The columns are read in the order of the alphabet, so every class gets the probability of another."
    for name, labels, about in (
        ("columns-by-number", [9, 10, 11], "Columns in the order 9, 10, 11, as numbers."),
        (
            "columns-by-text",
            ["9", "10", "11"],
            'Columns in the order "9", "10", "11", which is not the alphabet\'s.',
        ),
        (
            "columns-as-stated",
            ["low", "middle", "high"],
            "Columns in the order low, middle, high, as stated.",
        ),
    ):
        given = {"labels": labels, "actual": [labels[each] for each in at], "probabilities": probabilities}
        yield vector(f"{name}/log_loss", about, why, given, {"metric": "log_loss"}, answer)
        question = {"metric": "top_k_accuracy", "k": 1}
        yield vector(f"{name}/top_1", about, why, given, question, 1)
