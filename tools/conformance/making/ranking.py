"""Scores: ties, constant scores, scores that are next to each other, steps and trapezoids, where to cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from making.writing import Answer, undefined, vector

ABOUT = "Scores: ties, extremes, precision of numbers, areas below curves, and cuts."

Row = tuple[int, Fraction, Fraction]
"""Actual (0 or 1), score, weight."""


def of(actual: Sequence[int], score: Sequence[Any]) -> list[Row]:
    return [(a, _number(s), Fraction(1)) for a, s in zip(actual, score, strict=True)]


def _number(score: Any) -> Fraction:
    # Beyond every score of these vectors.
    return {"inf": Fraction(10**40), "-inf": Fraction(-(10**40))}.get(str(score)) or Fraction(score)


def area(rows: list[Row]) -> Fraction:
    """Pairs of a positive and a negative row: 1 when the positive has the better score, 1/2 for a tie."""
    pairs = [(p, n, v * w) for a, p, v in rows if a for b, n, w in rows if not b]
    won = sum(
        (weight * (1 if p > n else Fraction(1, 2) if p == n else 0) for p, n, weight in pairs), Fraction(0)
    )
    return won / sum((weight for *_, weight in pairs), Fraction(0))


def points(rows: list[Row]) -> list[tuple[Fraction, Fraction]]:
    """(positives, negatives) at or above each score, from none on."""
    found = [(Fraction(0), Fraction(0))]
    for score in sorted({score for _, score, weight in rows if weight}, reverse=True):
        above = [(a, w) for a, s, w in rows if s >= score]
        found.append(
            (sum((w for a, w in above if a), Fraction(0)), sum((w for a, w in above if not a), Fraction(0)))
        )
    return found


def precision_steps(rows: list[Row]) -> Fraction:
    """Average precision: the recall gained at each score by the precision there."""
    every = points(rows)
    steps = [(b[0] - a[0]) * b[0] / (b[0] + b[1]) for a, b in pairwise(every)]
    return sum(steps, Fraction(0)) / every[-1][0]


def precision_trapezoids(rows: list[Row]) -> Fraction:
    """The area below straight lines between the points, from precision 1 at recall 0."""
    every = points(rows)
    curve = [(Fraction(0), Fraction(1))] + [(tp / every[-1][0], tp / (tp + fp)) for tp, fp in every[1:]]
    parts = [(b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(curve)]
    return sum(parts, Fraction(0))


def partial(rows: list[Row], limit: Fraction) -> Fraction:
    """The area below the lines of the ROC curve up to a false positive rate."""
    every = points(rows)
    curve = [(fp / every[-1][1], tp / every[-1][0]) for tp, fp in every]
    total = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 >= limit or x1 == x0:
            continue
        end = min(x1, limit)
        at_end = y0 + (y1 - y0) * (end - x0) / (x1 - x0)
        total += (end - x0) * (y0 + at_end) / 2
    return total


def mcclish(part: Fraction, limit: Fraction) -> Fraction:
    chance = limit * limit / 2
    return (1 + (part - chance) / (limit - chance)) / 2


def smirnov(rows: list[Row]) -> Fraction:
    every = points(rows)
    return max(abs(tp / every[-1][0] - fp / every[-1][1]) for tp, fp in every)


TIES = "Tied rows are ranked as they lie in the file, so sorting the file by class makes a perfect model."
FLAT = "A model that says the same of every row earns something for nothing."
PAIR = "One pair is enough for an area; a library that asks for more loses small folds."
CAST = "Scores are rounded, or squashed, until some are equal, and the order that the model found is lost."
STEPS = "Lines between points of this curve promise what no threshold gives (Davis and Goadrich 2006)."
REFUSED = "to ask for finite scores is a rule that no number depends on in silence"
NO_ONE = "A fold without one of the classes has no ranking to judge; 0 or 1/2 moves the mean over folds."

HALF, FOUR = [1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]
TIED = ([1, 1, 0, 1, 0, 0, 1, 0], [0.875, 0.75, 0.75, 0.5, 0.5, 0.5, 0.25, 0.125])

# name, actual, score, what is special, why, metrics
CASES: list[tuple[str, list[int], list[Any], str, str, tuple[str, ...]]] = [
    ("plain", [1, 1, 0, 1, 0, 0], [0.875, 0.75, 0.625, 0.5, 0.375, 0.25], "No ties.",
     "Whoever differs here means another thing by this name.", ("auc", "average_precision", "gini", "ks")),
    ("ties", *TIED, "Two scores are shared by rows of both classes.", TIES,
     ("auc", "average_precision", "gini", "ks")),
    ("ties-positives-first", [1, 1, 0, 0], [0.5, 0.5, 0.5, 0.25], "A tie; its positives come first in it.",
     TIES, ("auc", "average_precision", "ks")),
    ("ties-negatives-first", [0, 1, 1, 0], [0.5, 0.5, 0.5, 0.25], "The same rows, the negative first.", TIES,
     ("auc", "average_precision", "ks")),
    ("constant", HALF, FOUR, "Every row has the same score.", FLAT,
     ("auc", "average_precision", "gini", "ks")),
    ("perfect", [0, 1, 0, 1], [0.25, 0.75, 0.125, 0.875], "Every positive is above every negative.",
     "A perfect ranking must give exactly 1.", ("auc", "average_precision", "ks")),
    ("reversed", [1, 0, 1, 0], [0.25, 0.75, 0.125, 0.875], "Every positive is below every negative.",
     "0 tells a reversed score from a useless one; a library that turns it round hides the fault.",
     ("auc", "average_precision", "gini", "ks")),
    ("infinite", [1, 0, 1, 0], ["inf", "-inf", 0.5, 0.75], "A score of infinity, and one of minus infinity.",
     "Log odds of a sure answer are infinite, and still the best and the worst score.",
     ("auc", "average_precision")),
    ("next-to-one", [1, 0, 1, 0], [1 - 2**-30, 1 - 2**-29, 0.5, 0.25],
     "Two scores that differ by a thousand millionth, less than single precision can tell near 1.", CAST,
     ("auc", "average_precision")),
    ("large-offset", [1, 0, 1, 0], [2**24 + 1, 2**24, 2**23 + 1, 2**23],
     "Whole numbers as scores, which single precision cannot tell apart.", CAST,
     ("auc", "average_precision")),
    ("beyond-one", [1, 0, 1, 0], [60.0, 40.0, 30.0, 20.0], "Scores above 1, such as points or log odds.",
     CAST, ("auc", "average_precision")),
    ("below-zero", [1, 0, 1, 0], [-1.0, -2.0, -4.0, -3.0], "Scores below 0, such as log likelihoods.",
     CAST, ("auc", "average_precision")),
    ("one-row-each", [1, 0], [0.75, 0.25], "One row of each class.", PAIR, ("auc", "average_precision")),
]  # fmt: skip


def made() -> Iterator[dict[str, Any]]:
    workings = {"auc": area, "average_precision": precision_steps, "ks": smirnov}
    for name, actual, score, about, why, metrics in CASES:
        rows, given = of(actual, score), {"actual": actual, "score": score, "positive": 1}
        for metric in metrics:
            answer = 2 * area(rows) - 1 if metric == "gini" else workings[metric](rows)
            others: dict[str, Answer | Fraction | int] = {}
            if metric == "average_precision" and precision_trapezoids(rows) != answer:
                others = {"trapezoids, from precision 1": precision_trapezoids(rows)}
            reason = STEPS if others and name == "plain" else why
            refusal = REFUSED if name == "infinite" else ""
            yield vector(
                f"{name}/{metric}", about, reason, given, {"metric": metric}, answer, others, refusal
            )
    yield from _one_class()
    yield from _partial()
    yield from _cuts()


def _one_class() -> Iterator[dict[str, Any]]:
    reasons = {1: "no row is actually negative", 0: "no row is actually positive"}
    for only, name in ((1, "only-positives"), (0, "only-negatives")):
        about = f"Every row is {'positive' if only else 'negative'}."
        given = {"actual": [only] * 3, "score": [0.75, 0.5, 0.25], "positive": 1, "labels": [0, 1]}
        others: dict[str, Answer] = {"counts as 0": "0", "counts as 1/2": "1/2", "counts as 1": "1"}
        for metric in ("auc", "ks"):
            answer = undefined(reasons[only])
            yield vector(f"{name}/{metric}", about, NO_ONE, given, {"metric": metric}, answer, others)
        precision: Any = 1 if only else undefined(reasons[0])
        question = {"metric": "average_precision"}
        yield vector(
            f"{name}/average_precision", about, NO_ONE, given, question, precision, {} if only else others
        )


def _partial() -> Iterator[dict[str, Any]]:
    why = "Raw and standardised areas carry one name: 0.4 of at most 0.5, or 0.87 of at most 1."
    actual, score = TIED
    rows, given = of(actual, score), {"actual": actual, "score": score, "positive": 1}
    for limit, said in ((Fraction(1, 2), "at a corner"), (Fraction(1, 8), "in the middle of a tie")):
        about = f"The area up to a false positive rate of {limit}, {said} of the curve."
        part = partial(rows, limit)
        question = {"metric": "partial_auc", "max_fpr": float(limit)}
        others = {"standardised (McClish 1989)": mcclish(part, limit)}
        name = f"partial-{limit.denominator}"
        yield vector(f"{name}/partial_auc", about, why, given, question, part, others)
        question = {"metric": "partial_auc_mcclish", "max_fpr": float(limit)}
        yield vector(f"{name}/mcclish", about, why, given, question, mcclish(part, limit), {"raw area": part})


def _cuts() -> Iterator[dict[str, Any]]:
    about = "Two rows have exactly the threshold as their score; at the threshold is positive."
    why = "Rows at the threshold change sides between the program that chose it and the one that applies it."
    given = {
        "actual": [1, 1, 0, 0, 0],
        "score": [0.75, 0.5, 0.5, 0.25, 0.125],
        "positive": 1,
        "threshold": 0.5,
    }
    for metric, answer, other in (
        ("recall", Fraction(1), Fraction(1, 2)),
        ("precision", Fraction(2, 3), Fraction(1)),
    ):
        others = {"above the threshold": other}
        yield vector(f"at-the-threshold/{metric}", about, why, given, {"metric": metric}, answer, others)
    actual, score = TIED
    given = {"actual": actual, "score": score, "positive": 1}
    why = (
        "Who is called from a tie decides about the gain; a mean over all orders does not depend on the file."
    )
    for share, recall in (
        (Fraction(1, 8), Fraction(1, 4)),
        (Fraction(1, 4), Fraction(3, 8)),
        (Fraction(1, 2), None),
    ):
        about = f"The best {share} of the rows is called" + (
            ", which cuts a tie." if share != Fraction(1, 8) else "."
        )
        gained = _gained(of(actual, score), share) if recall is None else recall
        assert gained == _gained(of(actual, score), share)
        name = f"best-{share.denominator}"
        question = {"curve": "gains", "share": float(share), "give": "recall"}
        yield vector(f"{name}/gains", about, why, given, question, gained)
        question = {"curve": "lift", "share": float(share), "give": "lift"}
        yield vector(f"{name}/lift", about, why, given, question, gained / share)


def _gained(rows: list[Row], share: Fraction) -> Fraction:
    """The share of the positives among the best rows; of a tie the part that is called, on average."""
    every, called = points(rows), share * len(rows)
    for (tp0, fp0), (tp1, fp1) in pairwise(every):
        if tp1 + fp1 >= called:
            part = (called - tp0 - fp0) / (tp1 + fp1 - tp0 - fp0)
            return (tp0 + part * (tp1 - tp0)) / every[-1][0]
    raise AssertionError
