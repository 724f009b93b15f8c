"""Rates of a table with two classes, and every way in which they have nothing to divide by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from making.writing import Answer, exact, infinite, ratio, signed_root, undefined, vector

ABOUT = "Rates of a table of two classes: plain ones, and every denominator that can be zero."

POSITIVES = "no row is actually positive"
NEGATIVES = "no row is actually negative"
NOT_CALLED = "nothing was predicted positive"
ALL_CALLED = "nothing was predicted negative"

Rate = Callable[[int, int, int, int], Answer]


def _both(answers: list[Answer], of: Callable[..., Fraction]) -> Answer:
    for answer in answers:
        if isinstance(answer, dict):
            return answer
    return exact(of(*(Fraction(answer) for answer in answers)))


def recall(tp: int, fn: int, fp: int, tn: int) -> Answer:
    return ratio(tp, tp + fn, POSITIVES)


def specificity(tp: int, fn: int, fp: int, tn: int) -> Answer:
    return ratio(tn, fp + tn, NEGATIVES)


def balanced_accuracy(tp: int, fn: int, fp: int, tn: int) -> Answer:
    """The mean over the classes that occur."""
    known = [Fraction(hits, rows) for hits, rows in ((tp, tp + fn), (tn, fp + tn)) if rows]
    return exact(sum(known, Fraction(0)) / len(known))


def precision(tp: int, fn: int, fp: int, tn: int) -> Answer:
    return ratio(tp, tp + fp, NOT_CALLED)


def npv(tp: int, fn: int, fp: int, tn: int) -> Answer:
    return ratio(tn, fn + tn, ALL_CALLED)


def mcc(tp: int, fn: int, fp: int, tn: int) -> Answer:
    totals = {POSITIVES: tp + fn, NEGATIVES: fp + tn, NOT_CALLED: tp + fp, ALL_CALLED: fn + tn}
    for reason, total in totals.items():
        if not total:
            return undefined(reason)
    top = tp * tn - fp * fn
    below = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
    return signed_root(Fraction(top * top, below), 1 if top >= 0 else -1)


def kappa(tp: int, fn: int, fp: int, tn: int) -> Answer:
    n = tp + fn + fp + tn
    chance = (tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)
    return ratio(n * (tp + tn) - chance, n * n - chance, "every row is of one class and got that answer")


def g_mean(tp: int, fn: int, fp: int, tn: int) -> Answer:
    for answer in (recall(tp, fn, fp, tn), specificity(tp, fn, fp, tn)):
        if isinstance(answer, dict):
            return answer
    return signed_root(Fraction(tp, tp + fn) * Fraction(tn, fp + tn))


def lr_plus(tp: int, fn: int, fp: int, tn: int) -> Answer:
    if not tp + fn or not fp + tn or not tp + fp:
        return undefined(NOT_CALLED if tp + fn and fp + tn else POSITIVES if fp + tn else NEGATIVES)
    if not fp:
        return infinite("no negative was called positive")
    return exact(Fraction(tp, tp + fn) / Fraction(fp, fp + tn))


def lr_minus(tp: int, fn: int, fp: int, tn: int) -> Answer:
    if not tp + fn or not fp + tn or not fn + tn:
        return undefined(ALL_CALLED if tp + fn and fp + tn else POSITIVES if fp + tn else NEGATIVES)
    if not tn:
        return infinite("no negative was called negative")
    return exact(Fraction(fn, tp + fn) / Fraction(tn, fp + tn))


def odds_ratio(tp: int, fn: int, fp: int, tn: int) -> Answer:
    if not (tp * tn or fp * fn):
        return undefined("both products of the table are zero")
    return ratio(tp * tn, fp * fn, "") if fp * fn else infinite("one kind of error never happened")


def f_beta(beta: Fraction) -> Rate:
    def rate(tp: int, fn: int, fp: int, tn: int) -> Answer:
        top = (1 + beta**2) * tp
        return ratio(top, top + beta**2 * fn + fp, "the class neither occurs nor is predicted")

    return rate


RATES: dict[str, Rate] = {
    "accuracy": lambda tp, fn, fp, tn: ratio(tp + tn, tp + fn + fp + tn, "there are no rows"),
    "error_rate": lambda tp, fn, fp, tn: ratio(fp + fn, tp + fn + fp + tn, "there are no rows"),
    "balanced_accuracy": balanced_accuracy,
    "precision": precision,
    "recall": recall,
    "specificity": specificity,
    "npv": npv,
    "fpr": lambda _, __, fp, tn: ratio(fp, fp + tn, NEGATIVES),
    "fnr": lambda tp, fn, *_: ratio(fn, tp + fn, POSITIVES),
    "fdr": lambda tp, _, fp, __: ratio(fp, tp + fp, NOT_CALLED),
    "false_omission_rate": lambda _, fn, __, tn: ratio(fn, fn + tn, ALL_CALLED),
    "f1": f_beta(Fraction(1)),
    "jaccard": lambda tp, fn, fp, _: ratio(tp, tp + fn + fp, "the class neither occurs nor is predicted"),
    "mcc": mcc,
    "kappa": kappa,
    "informedness": lambda *cells: _both([recall(*cells), specificity(*cells)], lambda a, b: a + b - 1),
    "markedness": lambda *cells: _both([precision(*cells), npv(*cells)], lambda a, b: a + b - 1),
    "lr_plus": lr_plus,
    "lr_minus": lr_minus,
    "diagnostic_odds_ratio": odds_ratio,
    "g_mean": g_mean,
    "prevalence": lambda tp, fn, fp, tn: ratio(tp + fn, tp + fn + fp + tn, "there are no rows"),
    "predicted_positive_rate": lambda tp, fn, fp, tn: ratio(tp + fp, tp + fn + fp + tn, "there are no rows"),
    "no_information_rate": lambda tp, fn, fp, tn: ratio(
        max(tp + fn, fp + tn), tp + fn + fp + tn, "there are no rows"
    ),
}

PLAIN = (6, 2, 1, 11)
WHY_PLAIN = (
    "Whoever differs here means another thing by this name, so figures of two papers cannot be compared."
)

NEVER = (
    "A model that never says yes looks like one whose every yes is wrong, and a search over models drops it."
)
ALWAYS = "A model that always says yes gets credit, or blame, for answers of no that it never gave."
NO_ONE = (
    "A test set without a single positive row seems to show that the model finds none, or finds all of them."
)
NO_OTHER = "A test set without a single negative row seems to show how the model treats negatives."
LUCK = "0 reads as no better than chance, so a fold that cannot judge the model pulls its mean down."
ONE_CELL = "Two raters who agree on every row are reported as agreeing no better than chance, or perfectly."
ABSENT = "A class that is not there counts as one that was missed, or as one that was found."
NEVER_HIT = (
    "Precision has no value here, F1 has one: a class that exists and is never hit must lower the mean."
)
ENDLESS = "A ratio of 0 says that a call speaks against the disease; here every call was right."
ENDLESS_MINUS = "A ratio of 0 says that a call of no rules the disease out; here every call of no was wrong."

ZERO, ONE = {"counts as 0": "0"}, {"counts as 1": "1"}

# name, (tp, fn, fp, tn), metric, what is special, why it matters, other answers people state
SPECIAL: list[tuple[str, tuple[int, int, int, int], str, str, str, dict[str, Answer]]] = [
    ("never-called", (0, 3, 0, 5), "precision", "Nothing was predicted positive.", NEVER, ZERO | ONE),
    ("never-called", (0, 3, 0, 5), "fdr", "Nothing was predicted positive.", NEVER, ZERO | ONE),
    ("never-called", (0, 3, 0, 5), "markedness", "Nothing was predicted positive.", NEVER,
     {"counts as 0": "0", "precision counts as 0": "-3/8"}),
    ("never-called", (0, 3, 0, 5), "mcc", "Nothing was predicted positive.", LUCK, ZERO),
    ("never-called", (0, 3, 0, 5), "f1", "Nothing was predicted positive.", NEVER_HIT,
     {"left undefined, as precision is": undefined(NOT_CALLED)}),
    ("never-called", (0, 3, 0, 5), "lr_plus", "Nothing was predicted positive: 0 / 0.", NEVER, ZERO | ONE),
    ("never-called", (0, 3, 0, 5), "kappa", "Every row got the same answer, and there are two classes.",
     "This is chance agreement exactly: a value, not a gap.", {}),
    ("always-called", (3, 0, 5, 0), "npv", "Nothing was predicted negative.", ALWAYS, ZERO | ONE),
    ("always-called", (3, 0, 5, 0), "false_omission_rate", "Nothing was predicted negative.", ALWAYS,
     ZERO | ONE),
    ("always-called", (3, 0, 5, 0), "lr_minus", "Nothing was predicted negative: 0 / 0.", ALWAYS, ZERO | ONE),
    ("always-called", (3, 0, 5, 0), "mcc", "Nothing was predicted negative.", LUCK, ZERO),
    ("no-positives", (0, 0, 2, 6), "recall", "No row is actually positive.", NO_ONE, ZERO | ONE),
    ("no-positives", (0, 0, 2, 6), "fnr", "No row is actually positive.", NO_ONE, ZERO | ONE),
    ("no-positives", (0, 0, 2, 6), "precision", "No row is positive, and two were called so.",
     "Here precision has a value, 0: every call was wrong.", {}),
    ("no-positives", (0, 0, 2, 6), "balanced_accuracy", "No row is actually positive.", NO_ONE,
     {"left undefined": undefined(POSITIVES), "recall counts as 0": "3/8"}),
    ("no-positives", (0, 0, 2, 6), "informedness", "No row is actually positive.", NO_ONE,
     {"recall counts as 0": "-1/4", "counts as 0": "0"}),
    ("no-positives", (0, 0, 2, 6), "g_mean", "No row is actually positive.", NO_ONE, ZERO),
    ("no-positives", (0, 0, 2, 6), "mcc", "No row is actually positive.", LUCK, ZERO),
    ("no-positives", (0, 0, 2, 6), "lr_plus", "No row is actually positive.", NO_ONE, ZERO | ONE),
    ("no-positives", (0, 0, 2, 6), "diagnostic_odds_ratio", "No row is actually positive.", NO_ONE, ZERO),
    ("no-negatives", (5, 3, 0, 0), "specificity", "No row is actually negative.", NO_OTHER, ZERO | ONE),
    ("no-negatives", (5, 3, 0, 0), "fpr", "No row is actually negative.", NO_OTHER, ZERO | ONE),
    ("no-negatives", (5, 3, 0, 0), "npv", "No row is negative, and three were called so.",
     "Here the negative predictive value has a value, 0: every call of no was wrong.", {}),
    ("no-negatives", (5, 3, 0, 0), "balanced_accuracy", "No row is actually negative.", NO_OTHER,
     {"left undefined": undefined(NEGATIVES), "specificity counts as 0": "5/16"}),
    ("one-cell", (0, 0, 0, 8), "kappa", "Every row is negative and was called so: 0 / 0.", ONE_CELL,
     ZERO | ONE),
    ("one-cell", (0, 0, 0, 8), "mcc", "Every row is negative and was called so: 0 / 0.", LUCK, ZERO | ONE),
    ("one-cell", (0, 0, 0, 8), "f1", "The class neither occurs nor is predicted.", ABSENT, ZERO | ONE),
    ("one-cell", (0, 0, 0, 8), "jaccard", "The class neither occurs nor is predicted.", ABSENT, ZERO | ONE),
    ("one-cell", (0, 0, 0, 8), "accuracy", "Every row is negative and was called so.",
     "This one has a value: all rows are right.", {}),
    ("no-false-alarm", (4, 1, 0, 7), "lr_plus", "No negative was called positive: a number over 0.", ENDLESS,
     ZERO),
    ("no-false-alarm", (4, 1, 0, 7), "diagnostic_odds_ratio", "One kind of error never happened.", ENDLESS,
     {"counts as 0": "0", "half a row added to each cell": "45"}),
    ("all-negatives-called", (3, 1, 6, 0), "lr_minus", "No negative was called negative: a number over 0.",
     ENDLESS_MINUS, ZERO),
    ("perfect", (4, 0, 0, 6), "mcc", "Every row is right.", "A perfect table must give exactly 1.", {}),
    ("perfect", (4, 0, 0, 6), "diagnostic_odds_ratio", "Every row is right: a number over 0.", ENDLESS,
     {"counts as 0": "0", "half a row added to each cell": "117"}),
    ("reversed", (0, 4, 6, 0), "mcc", "Every row is wrong.",
     "-1 tells a model with swapped labels from a useless one.", {}),
    ("reversed", (0, 4, 6, 0), "kappa", "Every row is wrong.",
     "Kappa is not -1 here but -12/13: it is not a correlation.", {}),
    ("large", (3_000_000_000, 1, 1, 3_000_000_000), "mcc", "Counts whose product leaves 64 bits.",
     "A product that overflows turns a perfect model into a useless one.", {}),
    ("rare", (1, 0, 0, 9_999), "mcc", "One positive row in ten thousand, found.",
     "Rounding must not take away what one row shows.", {}),
]  # fmt: skip


def table(cells: tuple[int, int, int, int]) -> dict[str, Any]:
    tp, fn, fp, tn = cells
    return {"labels": [1, 0], "positive": 1, "matrix": [[tp, fn], [fp, tn]]}


def made() -> Iterator[dict[str, Any]]:
    for metric, rate in RATES.items():
        about = "A plain table: 6 of 8 positives found, 1 of 12 negatives called."
        yield vector(f"plain/{metric}", about, WHY_PLAIN, table(PLAIN), {"metric": metric}, rate(*PLAIN))
    for beta in (Fraction(2), Fraction(1, 2)):
        question = {"metric": "f_beta", "beta": float(beta)}
        why = "Beta taken for beta squared, or the wrong way round, prefers the model that misses more."
        about = f"Recall counts {beta} times as much as precision."
        yield vector(
            f"plain/f_beta-{float(beta):g}", about, why, table(PLAIN), question, f_beta(beta)(*PLAIN)
        )
    for name, cells, metric, about, why, alternatives in SPECIAL:
        answer = RATES[metric](*cells)
        yield vector(f"{name}/{metric}", about, why, table(cells), {"metric": metric}, answer, alternatives)
