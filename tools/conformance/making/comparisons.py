"""Tests of hypotheses: counts, ranks and folds, where there is nothing to tell apart, ties, no spread."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from making.decimals import Z, chi_squared_2, of, range_quantile_3, student_2, student_5, two_sided
from making.writing import Answer, decimal, signed_root, undefined, vector

ABOUT = (
    "Tests of hypotheses: McNemar, Cochran, Wilcoxon, signs, Friedman, Nemenyi, Holm, and tests over folds."
)

EVIDENCE = (
    "No evidence must read as p = 1; a gap, an error or a small p-value stops a comparison of many models."
)
CLAMPED = "A correction for continuity that overshoots turns perfect balance into a difference."
ALIKE = "Whoever differs here means another test by this name."
DROPPED = "What becomes of differences of 0 changes the p-value; it must be said and the same everywhere."
TIED = "Without the correction for ties the test is too cautious, and a better model is not seen."
NO_SPREAD = (
    "All folds differ by the same amount: no spread to judge it by, and no p-value of 0 to be proud of."
)
ONCE = "Uncorrected at the 5 % level, one comparison in twenty of equal models is a discovery."

NEVER: dict[str, Answer] = {"0 / 0 is left undefined": undefined("the models never disagree about a row")}


def made() -> Iterator[dict[str, Any]]:
    for topic in (_mcnemar, _cochran, _wilcoxon, _signs, _friedman, _holm, _folds, _five_by_two):
        yield from topic()


def _mcnemar() -> Iterator[dict[str, Any]]:
    def asked(name: str, n01: int, n10: int, method: str, give: str, about: str, why: str, answer: Any,
              others: Any = None) -> dict[str, Any]:  # fmt: skip
        question = {"test": "mcnemar", "method": method, "give": give}
        given = {"n01": n01, "n10": n10}
        return vector(f"mcnemar-{name}/{method}-{give}", about, why, given, question, answer, others)

    about = "Only the first model is right on 5 rows, only the second on 15."
    yield asked("plain", 5, 15, "corrected", "statistic", about, ALIKE, Fraction(81, 20))
    chance = decimal(two_sided(Fraction(81, 20)), "the chance of a squared normal value of 81/20 or more")
    yield asked("plain", 5, 15, "corrected", "p_value", about, ALIKE, chance)
    yield asked("plain", 5, 15, "uncorrected", "statistic", about, ALIKE, Fraction(5))
    tail = sum(comb(20, at) for at in range(6))
    yield asked("plain", 5, 15, "exact", "p_value", about, ALIKE, Fraction(2 * tail, 2**20))
    yield asked("plain", 5, 15, "mid_p", "p_value", about, ALIKE, Fraction(2 * tail - comb(20, 5), 2**20))
    about = "The models are right on the same rows."
    for method in ("corrected", "uncorrected", "exact", "mid_p"):
        half = {"half of the one case": "1/2"} if method == "mid_p" else {}
        others = {} if method == "exact" else NEVER | half
        yield asked("no-disagreement", 0, 0, method, "p_value", about, EVIDENCE, 1, others)
    about = "Each model alone is right on 7 rows."
    balance = {"not clamped": Fraction(1, 14)}
    yield asked("balance", 7, 7, "corrected", "statistic", about, CLAMPED, 0, balance)
    unclamped = decimal(two_sided(Fraction(1, 14)), "the chance of a squared normal value of 1/14 or more")
    yield asked("balance", 7, 7, "corrected", "p_value", about, CLAMPED, 1, {"not clamped": unclamped})
    why, doubled = (
        "A doubled tail that holds the middle twice is above 1.",
        sum(comb(14, at) for at in range(8)),
    )
    others = {"the doubled tail": Fraction(2 * doubled, 2**14)}
    yield asked("balance", 7, 7, "exact", "p_value", about, why, 1, others)
    yield asked("balance", 7, 7, "mid_p", "p_value", about, "Half of the middle is left out once, not twice.",
                1 - Fraction(comb(14, 7), 2**15),
                {"of the capped tail": 1 - Fraction(comb(14, 7), 2**14)})  # fmt: skip
    about = "The counts differ by one."
    yield asked("by-one", 3, 4, "corrected", "statistic", about, CLAMPED, 0)
    about = "One model alone is right on 6 rows, the other never."
    why = "The exact test says 0.031, the corrected one 0.041, the plain one 0.014: the form must be named."
    yield asked("one-sided-rows", 6, 0, "exact", "p_value", about, why, Fraction(1, 32))


def _cochran() -> Iterator[dict[str, Any]]:
    def asked(
        name: str, table: list[list[int]], about: str, why: str, others: Any = None
    ) -> Iterator[dict[str, Any]]:
        k = len(table[0])
        columns, rows = [sum(column) for column in zip(*table, strict=True)], [sum(row) for row in table]
        top = (k - 1) * (k * sum(c * c for c in columns) - sum(columns) ** 2)
        bottom = k * sum(rows) - sum(r * r for r in rows)
        q = Fraction(top, bottom) if bottom else Fraction(0)
        for give in ("statistic", "p_value"):
            answer: Any = q
            if give == "p_value":
                answer = 1 if not q else decimal(chi_squared_2(q), "exp(-Q / 2)") if k == 3 else decimal(
                    two_sided(q), "the chance of a squared normal value of Q or more")  # fmt: skip
            question = {"test": "cochran_q", "give": give}
            yield vector(f"cochran-{name}/{give}", about, why, {"correct": table}, question, answer, others)

    table = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]]
    yield from asked("plain", table, "Three models on eight rows; 1 is right.", ALIKE)
    about = "Three models that are right on the same rows."
    yield from asked("no-disagreement", [[1, 1, 1], [0, 0, 0], [1, 1, 1]], about, EVIDENCE, NEVER)
    about = "Two models: Q is McNemar's statistic without correction."
    yield from asked("two-models", [[1, 0]] * 5 + [[0, 1]] * 2 + [[1, 1]] * 3, about, ALIKE)


def _ranked(differences: list[Fraction]) -> list[Fraction]:
    sizes = sorted(abs(each) for each in differences)
    return [Fraction(2 * sizes.index(abs(each)) + 1 + sizes.count(abs(each)), 2) for each in differences]


def _wilcoxon() -> Iterator[dict[str, Any]]:
    cases: list[tuple[str, list[int], str, str]] = [
        ("plain", [1, -2, 3, 4, -5, 6, 7, 8], "Eight differences, no ties.", ALIKE),
        ("ties", [2, 2, -2, 4, 4, 6, -1], "Differences of equal size: every order of signs is counted.",
         "A table or an approximation made for ranks without ties gives another p-value."),
        ("zeros", [0, 0, 1, 2, -3, 4, 5], "Two differences are 0: dropped, as Wilcoxon did.", DROPPED),
        ("zeros-and-ties", [0, 3, 3, -3, 6, 6, 0, -1], "Differences of 0, and some of equal size.", DROPPED),
    ]  # fmt: skip
    for name, differences, about, why in cases:
        kept = [Fraction(each) for each in differences if each]
        ranks = _ranked(kept)
        plus = sum((r for r, d in zip(ranks, kept, strict=True) if d > 0), Fraction(0))
        minus = sum(ranks, Fraction(0)) - plus
        sums = [sum((r for r, s in zip(ranks, signs, strict=True) if s), Fraction(0)) for signs in
                product((0, 1), repeat=len(kept))]  # fmt: skip
        least = min(plus, minus)
        p = min(Fraction(1), Fraction(2 * sum(each <= least for each in sums), len(sums)))
        # Halves of whole numbers, so that both sides and their differences are exact in binary too.
        given = {"a": [each / 2 + 8 for each in differences], "b": [8.0] * len(differences)}
        for give, answer in (("statistic", least), ("p_value", p)):
            question = {"test": "wilcoxon", "zeros": "drop", "give": give}
            yield vector(f"wilcoxon-{name}/{give}", about, why, given, question, answer)
    about = "Every difference is 0."
    given = {"a": [0.5, 0.75, 0.25], "b": [0.5, 0.75, 0.25]}
    question = {"test": "wilcoxon", "zeros": "drop", "give": "p_value"}
    others = {"no differences are left undefined": undefined("every difference is 0")}
    yield vector("wilcoxon-all-zeros/p_value", about, EVIDENCE, given, question, 1, others)


def _signs() -> Iterator[dict[str, Any]]:
    about = "Six wins, one loss and two draws; draws are dropped."
    given = {"a": [3, 3, 3, 3, 3, 3, 1, 2, 2], "b": [2] * 9}
    question = {"test": "sign", "give": "p_value"}
    half = {"draws count half for each": Fraction(2 * sum(comb(9, at) for at in range(3)), 2**9)}
    yield vector("sign-draws/p_value", about, DROPPED, given, question, Fraction(2 * 8, 2**7), half)
    given = {"a": [2, 2], "b": [2, 2]}
    others = {"no differences are left undefined": undefined("every difference is 0")}
    yield vector("sign-only-draws/p_value", "Only draws.", EVIDENCE, given, question, 1, others)


def _friedman() -> Iterator[dict[str, Any]]:
    tables: list[tuple[str, list[list[int]], str, str]] = [
        (
            "plain",
            [[9, 8, 7], [8, 9, 7], [9, 7, 8], [6, 5, 4]],
            "Four data sets, three models, no ties.",
            ALIKE,
        ),
        (
            "ties",
            [[9, 9, 7], [8, 9, 9], [9, 7, 7], [6, 5, 4], [3, 2, 1]],
            "Ties in three of five data sets.",
            TIED,
        ),
    ]
    for name, table, about, why in tables:
        chi, plain = _friedman_of(table, True), _friedman_of(table, False)
        n, k = len(table), len(table[0])
        given = {"table": table}
        others: dict[str, Any] = {"without the correction for ties": plain} if plain != chi else {}
        question = {"test": "friedman", "method": "chi2", "give": "statistic"}
        yield vector(f"friedman-{name}/chi2-statistic", about, why, given, question, chi, others)
        answer = decimal(chi_squared_2(chi), "exp(-chi2 / 2)")
        others = {said: decimal(chi_squared_2(each), "exp(-chi2 / 2)") for said, each in others.items()}
        question = {"test": "friedman", "method": "chi2", "give": "p_value"}
        yield vector(f"friedman-{name}/chi2-p_value", about, why, given, question, answer, others)
        f = (n - 1) * chi / (n * (k - 1) - chi)
        question = {"test": "friedman", "method": "f", "give": "statistic"}
        yield vector(f"friedman-{name}/f-statistic", about, why, given, question, f)
    about = "All models are tied on every data set."
    question = {"test": "friedman", "method": "chi2", "give": "p_value"}
    others = {"0 / 0 is left undefined": undefined("all models are tied")}
    given = {"table": [[1, 1, 1], [2, 2, 2], [3, 3, 3]]}
    yield vector("friedman-all-tied/chi2-p_value", about, EVIDENCE, given, question, 1, others)
    why = (
        "With the table's q instead of q by sqrt(2) it is 1.4 times too large, and better models are missed."
    )
    for k, q, worked in (
        (2, Z, "z sqrt(k(k + 1)/(6N)), z the normal quantile of 39/40: the range of two values"),
        (3, range_quantile_3("19/20") / of(2).sqrt(),
         "q sqrt(k(k + 1)/(6N)), q the 19/20 quantile of the range of 3 normal values by sqrt(2)"),
    ):  # fmt: skip
        size = decimal(q * of(Fraction(k * (k + 1), 6 * 10)).sqrt(), worked)
        table = [[(row + at) % k for at in range(k)] for row in range(10)]
        about = f"How far apart the mean ranks of {k} models on 10 data sets must be, at the 5 % level."
        question = {"test": "nemenyi", "alpha": 0.05, "give": "critical_difference"}
        yield vector(f"nemenyi-{k}-models/critical_difference", about, why, {"table": table}, question, size)


def _friedman_of(table: list[list[int]], corrected: bool) -> Fraction:
    n, k = len(table), len(table[0])
    ranks = [
        [Fraction(2 * sum(o > each for o in row) + 1 + row.count(each), 2) for each in row] for row in table
    ]
    means = [sum(column, Fraction(0)) / n for column in zip(*ranks, strict=True)]
    chi = Fraction(12 * n, k * (k + 1)) * (sum(r * r for r in means) - Fraction(k * (k + 1) ** 2, 4))
    ties = sum(row.count(each) ** 3 - row.count(each) for row in table for each in set(row))
    return chi / (1 - Fraction(ties, n * k * (k * k - 1))) if corrected else chi


def _holm() -> Iterator[dict[str, Any]]:
    cases: list[tuple[str, list[float], str, str]] = [
        ("plain", [0.0078125, 0.03125, 0.5, 0.015625], "Four p-values, out of order.", ONCE),
        ("never-down", [0.015625, 0.25, 0.265625], "A larger p-value whose product would be smaller.",
         "A test that is less sure may not end up surer than one before it: p-values never go down."),
        ("at-most-one", [0.5, 0.75], "A product above 1.", "A probability is at most 1."),
    ]  # fmt: skip
    for name, p, about, why in cases:
        order = sorted(range(len(p)), key=p.__getitem__)
        adjusted, so_far = [Fraction(0)] * len(p), Fraction(0)
        for place, at in enumerate(order):
            so_far = max(so_far, min(Fraction(1), (len(p) - place) * Fraction(p[at])))
            adjusted[at] = so_far
        for at in range(len(p)) if name != "plain" else (1, 3):
            question = {"test": "adjust", "method": "holm", "give": at}
            given = {"p_values": p}
            yield vector(f"holm-{name}/{at}", about, why, given, question, adjusted[at])


def _t_squared(differences: list[Fraction], factor: Fraction) -> tuple[Fraction, int]:
    mean = sum(differences, Fraction(0)) / len(differences)
    variance = sum(((d - mean) ** 2 for d in differences), Fraction(0)) / (len(differences) - 1)
    return mean**2 / (variance * factor), 1 if mean >= 0 else -1


def _folds() -> Iterator[dict[str, Any]]:
    a, b = [0.875, 0.75, 0.875], [0.75, 0.75, 0.625]
    d = [Fraction(x) - Fraction(y) for x, y in zip(a, b, strict=True)]
    given: dict[str, Any] = {"a": a, "b": b}
    ways: list[tuple[str, Fraction, dict[str, Any], str]] = [
        ("paired_t", Fraction(1, 3), {}, "Three folds, taken as independent."),
        ("corrected_t", Fraction(1, 3) + Fraction(1, 2), {"n_train": 60, "n_test": 30},
         "Three folds whose training sets overlap: 60 rows to train, 30 to test (Nadeau and Bengio 2003)."),
    ]  # fmt: skip
    for test, factor, sizes, about in ways:
        squared, sign = _t_squared(d, factor)
        why = "Folds share training rows: uncorrected, equal models differ too often." if sizes else ALIKE
        question = {"test": test, "give": "statistic"}
        yield vector(
            f"{test}-plain/statistic", about, why, given | sizes, question, signed_root(squared, sign)
        )
        question = {"test": test, "give": "p_value"}
        answer = decimal(student_2(squared), "1 - |t| / sqrt(2 + t^2)")
        yield vector(f"{test}-plain/p_value", about, why, given | sizes, question, answer)
        yield from _no_spread(test, sizes)


def _no_spread(test: str, sizes: dict[str, Any]) -> Iterator[dict[str, Any]]:
    question = {"test": test, "give": "p_value"}
    answer = undefined("the difference is the same in every fold")
    given = {"a": [0.75, 0.5, 0.625], "b": [0.5, 0.25, 0.375]} | sizes
    about = "The difference is 1/4 in every fold."
    yield vector(f"{test}-no-spread/p_value", about, NO_SPREAD, given, question, answer, {"counts as 0": 0})
    about = "The difference is 1/10 in every fold, which binary numbers only nearly are."
    given = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6]} | sizes
    why = "What rounding leaves of no spread is divided by, and gives t = 10^15 and a p-value of nothing."
    yield vector(f"{test}-rounded-spread/p_value", about, why, given, question, answer)
    given = {"a": [0.75, 0.5, 0.625], "b": [0.75, 0.5, 0.625]} | sizes
    others = {"0 / 0 is left undefined": undefined("there is no difference and no spread")}
    yield vector(f"{test}-equal/p_value", "Both have the same scores.", EVIDENCE, given, question, 1, others)


def _five_by_two() -> Iterator[dict[str, Any]]:
    a = [0.75, 0.625, 0.875, 0.75, 0.75, 0.875, 0.625, 0.75, 0.875, 0.75]
    b = [0.625, 0.625, 0.75, 0.8125, 0.625, 0.75, 0.625, 0.625, 0.75, 0.6875]
    d = [Fraction(x) - Fraction(y) for x, y in zip(a, b, strict=True)]
    spread = sum(((x - y) ** 2 / 2 for x, y in zip(d[::2], d[1::2], strict=True)), Fraction(0))
    t_squared = d[0] ** 2 / (spread / 5)
    given = {"a": a, "b": b}
    about = "Five runs of two folds; t is of the first difference (Dietterich 1998)."
    why = "Which difference stands above the line is a convention; F takes all ten (Alpaydin 1999)."
    question = {"test": "five_by_two", "method": "t", "give": "statistic"}
    yield vector("five-by-two/t-statistic", about, why, given, question, signed_root(t_squared))
    question = {"test": "five_by_two", "method": "t", "give": "p_value"}
    answer = decimal(student_5(t_squared), "Student's t with 5 degrees of freedom, in closed form")
    yield vector("five-by-two/t-p_value", about, why, given, question, answer)
    about = "Five runs of two folds; F is of all ten differences (Alpaydin 1999)."
    question = {"test": "five_by_two", "method": "f", "give": "statistic"}
    f = sum((each**2 for each in d), Fraction(0)) / (2 * spread)
    yield vector("five-by-two/f-statistic", about, why, given, question, f)
