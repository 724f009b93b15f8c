"""How good probabilities are: losses, bins of calibration, the first places, areas over several classes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from making.decimals import of
from making.ranking import area
from making.writing import Answer, decimal, infinite, undefined, vector

ABOUT = "Probabilities: losses at 0 and 1, edges of bins, ties for the first places, several classes."

SURE = "One answer that was sure and wrong costs everything; clipped, its price is the program's rounding."
SCALE = "Brier's score of K classes runs to 2, of two classes by custom to 1: one name, two scales."
EDGE = (
    "A score on an edge changes its bin between two programs, and a well calibrated model with round scores "
)
EDGE += "looks badly calibrated in one of them."
LOST = "The row falls out of all bins, and with it its error."
PLACES = (
    "With ties the class that comes first, or last, in the list of labels is right, whatever the model knew."
)
ABSENT = "A class without rows has no area; counted as 0, or as an error, it spoils the whole number."


def made() -> Iterator[dict[str, Any]]:
    yield from _losses()
    yield from _bins()
    yield from _first_places()
    yield from _areas()


def _losses() -> Iterator[dict[str, Any]]:
    actual, score = [1, 0, 1, 0], [0.75, 0.25, 0.5, 0.5]
    given = {"actual": actual, "score": score, "positive": 1}
    same = "Whoever differs here means another thing by this name."
    about = "Probabilities of two classes."
    yield vector("plain/brier", about, SCALE, given, {"metric": "brier"}, Fraction(5, 32),
                 {"summed over both classes": Fraction(5, 16)})  # fmt: skip
    loss = (-2 * of("3/4").ln() - 2 * of("1/2").ln()) / 4
    answer = decimal(loss, "-(2 ln(3/4) + 2 ln(1/2)) / 4")
    yield vector("plain/log_loss", about, same, given, {"metric": "log_loss"}, answer)
    about = "A row gave its own class probability 0."
    given = {"actual": [1, 0, 1, 0], "score": [0.0, 0.25, 0.5, 0.5], "positive": 1}
    answer = infinite("a row gave its own class probability 0")
    clipped = (52 * of(2).ln() - of("3/4").ln() + 2 * of(2).ln()) / 4
    others = {"clipped at 2^-52": decimal(clipped, "(52 ln 2 - ln(3/4) + 2 ln 2) / 4")}
    yield vector("sure-and-wrong/log_loss", about, SURE, given, {"metric": "log_loss"}, answer, others)
    yield vector("sure-and-wrong/brier", about, SURE, given, {"metric": "brier"}, Fraction(25, 64))
    about = "Every row gave its own class probability 1."
    given = {"actual": [1, 0, 1], "score": [1.0, 0.0, 1.0], "positive": 1}
    why = "A perfect model must have a loss of exactly 0: 0 ln 0 is nothing, not an error."
    for metric in ("log_loss", "brier"):
        yield vector(f"sure-and-right/{metric}", about, why, given, {"metric": metric}, 0)
    about = "A probability next to 1 that single precision takes for 1."
    given = {"actual": [0, 1], "score": [1 - 2**-30, 0.5], "positive": 1}
    loss = (30 * of(2).ln() + of(2).ln()) / 2
    why = "The price of a sure error is cut off where the program's numbers end."
    answer = decimal(loss, "(30 ln 2 + ln 2) / 2")
    yield vector("nearly-sure/log_loss", about, why, given, {"metric": "log_loss"}, answer)
    yield from _class_losses()


def _class_losses() -> Iterator[dict[str, Any]]:
    actual, table = (
        [0, 1, 2, 1],
        [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.5, 0.25, 0.25]],
    )
    given = {"labels": [0, 1, 2], "actual": actual, "probabilities": table}
    total = sum(
        (Fraction(p) - (at == a)) ** 2
        for a, row in zip(actual, table, strict=True)
        for at, p in enumerate(row)
    )
    brier = Fraction(total) / 4
    about = "Probabilities of three classes."
    yield vector("classes/brier", about, SCALE, given, {"metric": "brier"}, brier,
                 {"half of it, up to 1": brier / 2, "the mean over the classes": brier / 3})  # fmt: skip
    yield vector("classes/brier_half", about, SCALE, given, {"metric": "brier_half"}, brier / 2)
    own = [Fraction(table[row][a]) for row, a in enumerate(actual)]
    loss = -sum((of(each).ln() for each in own), Decimal(0)) / 4
    answer = decimal(loss, "-(ln(1/2) + ln(1/2) + ln(3/4) + ln(1/4)) / 4")
    same = "Whoever differs here means another thing by this name."
    yield vector("classes/log_loss", about, same, given, {"metric": "log_loss"}, answer)
    about = "Every row gave all its probability to a wrong class of three."
    given = {"labels": [0, 1, 2], "actual": [0, 1], "probabilities": [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]}
    yield vector("all-wrong/brier", about, SCALE, given, {"metric": "brier"}, 2, {"half of it, up to 1": 1})
    about = "Three classes are declared, and one has no row."
    given = {"labels": [0, 1, 2], "actual": [0, 1, 1], "probabilities": [*table[:2], table[3]]}
    loss = (2 * of(2).ln() + of(4).ln()) / 3
    answer = decimal(loss, "(2 ln 2 + ln 4) / 3")
    why = "A fold that lacks a class is an error, or its columns are shifted by one."
    yield vector("absent/log_loss", about, why, given, {"metric": "log_loss"}, answer)


def calibration_error(rows: list[tuple[int, Fraction]], n_bins: int, edge: str) -> Fraction:
    """Rows of one bin together: how far their mean probability is from the share that came true."""
    bins: dict[int, list[tuple[int, Fraction]]] = {}
    for actual, score in rows:
        place = score * n_bins
        at = -(-place // 1) - 1 if edge == "below" else place // 1
        bins.setdefault(int(min(max(at, 0), n_bins - 1)), []).append((actual, score))
    off = [abs(sum((Fraction(a) - s for a, s in each), Fraction(0))) for each in bins.values()]
    return sum(off, Fraction(0)) / len(rows)


def _bins() -> Iterator[dict[str, Any]]:
    cases: list[tuple[str, list[int], list[float], int, str, str]] = [
        ("plain", [1, 1, 0, 0, 1, 0], [0.875, 0.8125, 0.375, 0.3125, 0.4375, 0.0625], 2,
         "Two bins, no score on an edge.", "Whoever differs here means another thing by this name."),
        ("on-the-edge", [1, 1, 1, 0], [0.5, 0.5, 0.75, 0.25], 2,
         "Two rows have exactly the score that divides two bins.", EDGE),
        ("ends", [1, 0, 0, 1], [1.0, 0.0, 1.0, 0.0], 10, "Scores of exactly 0 and 1.", LOST),
        ("empty-bins", [1, 0, 1], [0.9375, 0.0625, 0.0625], 10, "Most bins are empty.",
         "An empty bin has no error; 0 / 0 must not enter the mean."),
    ]  # fmt: skip
    for name, actual, score, n_bins, about, why in cases:
        rows = [(a, Fraction(s)) for a, s in zip(actual, score, strict=True)]
        answer, above = (calibration_error(rows, n_bins, edge) for edge in ("below", "above"))
        others = {"an edge belongs to the bin above": above} if above != answer else {}
        given = {"actual": actual, "score": score, "positive": 1}
        question = {"metric": "ece", "n_bins": n_bins}
        yield vector(f"bins-{name}/ece", about, why, given, question, answer, others)
    actual, table = [0, 1, 2], [[0.75, 0.125, 0.125], [0.4375, 0.3125, 0.25], [0.125, 0.25, 0.625]]
    given = {"labels": [0, 1, 2], "actual": actual, "probabilities": table}
    about = "Three classes: the probability of the answer against whether it is right."
    answer = (Fraction(1, 4) + Fraction(3, 8) + Fraction(7, 16)) / 3
    why = "Of several classes one may mean the answer's probability, or every class's: two numbers, one name."
    question = {"metric": "ece", "n_bins": 2}
    yield vector("bins-classes/ece", about, why, given, question, answer)


def _first_places() -> Iterator[dict[str, Any]]:
    table = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.25, 0.5, 0.25]]
    for name, actual, k, answer, last in (
        ("ties", [0, 1, 2, 1], 1, Fraction(3, 4), Fraction(3, 4)),
        ("ties-first-true", [0, 0, 2, 1], 1, Fraction(1), Fraction(1, 2)),
        ("ties-last-true", [1, 1, 2, 1], 1, Fraction(1, 2), Fraction(1)),
        ("ties-second", [0, 1, 1, 0], 2, Fraction(3, 4), Fraction(3, 4)),
    ):
        given = {"labels": [0, 1, 2], "actual": actual, "probabilities": table}
        about = f"Two classes share place {k}; the one that comes first in the labels has it."
        others: dict[str, Answer | Fraction] = {"the last in the labels": last} if last != answer else {}
        if answer != 1:
            others["every tied class counts"] = Fraction(1)
        question = {"metric": "top_k_accuracy", "k": k}
        yield vector(f"{name}/top_{k}", about, PLACES, given, question, answer, others)


AREA_TABLE = [
    [0.5, 0.25, 0.25],
    [0.25, 0.5, 0.25],
    [0.25, 0.25, 0.5],
    [0.5, 0.375, 0.125],
    [0.375, 0.5, 0.125],
    [0.125, 0.375, 0.5],
]


def _rest(actual: list[int], table: list[list[float]], k: int) -> Fraction | None:
    rows = [(int(a == k), Fraction(row[k]), Fraction(1)) for a, row in zip(actual, table, strict=True)]
    return area(rows) if 0 < sum(a for a, *_ in rows) < len(rows) else None


def _pair(actual: list[int], table: list[list[float]], i: int, j: int) -> Fraction | None:
    chosen = [(a, row) for a, row in zip(actual, table, strict=True) if a in (i, j)]
    if len({a for a, _ in chosen}) < 2:
        return None
    one = area([(int(a == i), Fraction(row[i]), Fraction(1)) for a, row in chosen])
    return (one + area([(int(a == j), Fraction(row[j]), Fraction(1)) for a, row in chosen])) / 2


def _areas() -> Iterator[dict[str, Any]]:
    for name, actual, about in (
        ("areas", [0, 1, 2, 1, 0, 1], "Three classes that all occur."),
        ("areas-absent", [0, 1, 0, 1, 0, 1], "Three classes are declared, and the third has no row."),
    ):
        given = {"labels": [0, 1, 2], "actual": actual, "probabilities": AREA_TABLE}
        why = (
            ABSENT
            if "absent" in name
            else "Each class against the rest, or each pair: two numbers, one name."
        )
        support = [actual.count(k) for k in range(3)]
        rest = [(value, support[k]) for k in range(3) if (value := _rest(actual, AREA_TABLE, k)) is not None]
        pairs = [
            (value, support[i] + support[j])
            for i, j in combinations(range(3), 2)
            if (value := _pair(actual, AREA_TABLE, i, j)) is not None
        ]
        for metric, values, weighted in (
            ("auc_ovr_macro", rest, False),
            ("auc_ovr_weighted", rest, True),
            ("auc_ovo_macro", pairs, False),
            ("auc_ovo_weighted", pairs, True),
        ):
            weights = [weight if weighted else 1 for _, weight in values]
            total = sum((v * w for (v, _), w in zip(values, weights, strict=True)), Fraction(0))
            answer = total / sum(weights)
            others: dict[str, Any] = {}
            if "absent" in name and not weighted:
                others["absent as 0"] = total / 3
            if "absent" in name:
                others["left undefined"] = undefined("a class has no rows")
            yield vector(f"{name}/{metric}", about, why, given, {"metric": metric}, answer, others)
    about = "All rows are of one class."
    given = {"labels": [0, 1, 2], "actual": [1, 1], "probabilities": AREA_TABLE[:2]}
    answer = undefined("all rows are of one class")
    others = {"counts as 0": "0"}
    question = {"metric": "auc_ovr_macro"}
    yield vector("areas-one-class/auc_ovr_macro", about, ABSENT, given, question, answer, others)
