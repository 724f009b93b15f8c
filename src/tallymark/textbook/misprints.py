"""The misprints of the documents: what stands there, why it cannot be right, and what is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import tallymark as tm
from tallymark import data
from tallymark.drawing import Block, Column, Table, number
from tallymark.intervals import student_quantile, z_quantile

from .cases import CASES, MISPRINTS
from .curves import rows_in_python, rows_of, scored
from .example import MISPRINTED, Check, Example, Work, Worked, by_formula, by_mistake, example, printed, sure
from .matrices import evaluated, in_python
from .shown import file_of, lines, matrix_table, nested, table, typed
from .thresholds import AT, IN_PYTHON


def _misprint(name: str, title: str) -> Callable[[Work], Example]:
    return example(name, MISPRINTED, title, name)


def _worked(
    name: str,
    why: str,
    checks: tuple[Check, ...],
    worked: tuple[Block, ...] = (),
    command: tuple[str, ...] = (),
    python: tuple[str, ...] = (),
) -> Worked:
    """A misprint: what is printed and what is right are in the data."""
    misprint = MISPRINTS[name]
    given = Table(
        (Column("", "left"), Column("", "left")),
        (("printed", misprint["prints"]), ("right", misprint["right"])),
    )
    return Worked(why, checks, (given,), worked, command=command, python=python)


@_misprint("roc-axes", "The axes of the ROC curve exchanged")
def roc_axes() -> Worked:
    case = CASES["roc-16-sequential"]
    ev = scored(case)
    area = float(ev["auc"])
    exchanged = _area(ev.roc.tpr, ev.roc.fpr)
    return _worked(
        "roc-axes",
        "With the axes exchanged the curve is mirrored at the diagonal: a good model would lie below it, "
        "and the area would be what is missing to 1. The same page has the ideal point in the upper left "
        "corner, where it is only with the false positive rate to the right.",
        (
            by_mistake("area of the sixteen examples, axes exchanged", exchanged, area),
            by_formula("1 less that area", 1 - exchanged, area),
        ),
        command=(rows_of(case), "tallymark roc rows.csv --actual actual --score score"),
        python=(*rows_in_python(case), 'print(ev["auc"].value, 1 - ev["auc"].value)'),
    )


def _area(x: Any, y: Any) -> float:
    """By trapezoids, in the order of the points."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


@_misprint("tnr-for-fpr", "TNR where FPR is meant")
def tnr_for_fpr() -> Worked:
    case = CASES["roc-10-thresholds"]
    ev = scored(case)
    curve = ev.roc
    tnr = curve.tn / (curve.tn + curve.fp)
    rows = [
        ("above all" if math.isinf(at) else f"{at:g}", float(tpr), float(fpr), float(other))
        for at, tpr, fpr, other in zip(curve.threshold, curve.tpr, curve.fpr, tnr, strict=True)
    ]
    backwards = abs(_area(tnr, curve.tpr))
    return _worked(
        "tnr-for-fpr",
        "The axis of a ROC curve is the false positive rate. TNR is 1 less it: the curve would begin at "
        "the lower right and run to the left. The area would stay what it is, for the picture is only "
        "mirrored, but every point would be read wrongly.",
        (
            by_formula("FPR + TNR at every threshold", 1, float(np.mean(curve.fpr + tnr))),
            by_mistake("x of the first point, nothing called positive", float(tnr[0]), float(curve.fpr[0])),
            by_formula("area, read backwards", backwards, curve.auc),
        ),
        (table(("threshold", "TPR", "FPR", "TNR"), rows),),
        (rows_of(case), "tallymark roc rows.csv --actual actual --score score --positive +"),
        (*rows_in_python(case), "print(ev.roc.fpr, 1 - ev.roc.fpr)"),
    )


@_misprint("weighted-accuracy-letters", "Two letters of weighted accuracy exchanged")
def weighted_accuracy_letters() -> Worked:
    case = CASES["cost-500-M1"]
    ev = evaluated(case)
    (tp, fn), (fp, tn) = case["matrix"]
    checks = []
    for w, name in (((1, 1, 0, 0), "recall"), ((2, 1, 1, 0), "f1"), ((1, 0, 0, 1), None)):
        asked = f"weighted_accuracy:{','.join(map(str, w))}"
        wrong = Fraction(w[0] * tp + w[3] * tn, w[0] * tp + w[1] * tn + w[2] * fp + w[3] * fn)
        checks.append(by_mistake(f"w = {w}", wrong, ev[asked].value))
        if name is not None:
            checks.append(by_formula(f"w = {w} should be {name}", float(ev[name]), ev[asked].value))
    return _worked(
        "weighted-accuracy-letters",
        "A weighted mean has the same weights above and below the line. As printed, correct rows are above "
        "it with one weight and below it with another, and the result can be larger than 1: with w = (1, "
        "0, 0, 1), M1 would be right on more than all rows.",
        tuple(checks),
        (matrix_table(case["labels"], case["matrix"], "M1"),),
        (f"tallymark matrix {typed(case['matrix'])} --labels +,- --metric weighted_accuracy:1,0,0,1",),
        (
            "import tallymark as tm",
            f'print({in_python(case)}.evaluate()["weighted_accuracy:1,1,0,0"].value)',
        ),
    )


@_misprint("twice-the-harmonic-mean", "F1 as twice the harmonic mean")
def twice_the_harmonic_mean() -> Worked:
    case = CASES["cost-500-M1"]
    ev = evaluated(case)
    (tp, fn), (fp, _) = case["matrix"]
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
    harmonic = 2 / (1 / precision + 1 / recall)
    perfect = tm.Confusion([[10, 0], [0, 10]], labels=["+", "-"]).evaluate()
    return _worked(
        "twice-the-harmonic-mean",
        "The formula on the page is right and the sentence below it is not: 2 P R / (P + R) is the "
        "harmonic mean itself. Twice that would be 2 for a model without an error.",
        (
            by_mistake("M1, twice the harmonic mean", 2 * harmonic, ev["f1"].value),
            by_formula("M1, 2 / (1/P + 1/R)", harmonic, ev["f1"].value),
            by_formula("M1, 2 P R / (P + R)", 2 * precision * recall / (precision + recall), ev["f1"].value),
            by_mistake("no error, twice the harmonic mean", 2, perfect["f1"].value),
        ),
        command=(f"tallymark matrix {typed(case['matrix'])} --labels +,- --explain f1",),
        python=("import tallymark as tm", f'print({in_python(case)}.evaluate().explain("f1"))'),
    )


@_misprint("skew-the-other-way", "Skewed data written the wrong way round")
def skew_the_other_way() -> Worked:
    case = CASES["cost-5660-model-1"]
    ev = tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(pos_label=case["labels"][0])
    (tp, fn), (fp, tn) = case["matrix"]
    tpr, fpr = Fraction(tp, tp + fn), Fraction(fp, fp + tn)
    other = ev.at_prevalence(1 - float(ev["prevalence"]))
    wanted = (fp + tn) * tpr / ((fp + tn) * tpr + (tp + fn) * fpr)
    rows = (
        (f"{tp + fn:,} to {fp + tn:,}, |-| >> |+|", tp, fp, float(ev["precision"])),
        (
            f"{fp + tn:,} to {tp + fn:,}, |+| >> |-|",
            round((fp + tn) * tpr),
            round((tp + fn) * fpr),
            float(wanted),
        ),
    )
    return _worked(
        "skew-the-other-way",
        "What the page warns of is a low FPR times many negatives. With many positives, as its formula has "
        "it, there is nothing to warn of: with the same rates and the classes exchanged, nearly every "
        "answer + is right.",
        (
            by_formula("precision where positives are many", wanted, other["precision"].value),
            by_mistake(
                "precision of model 1, if positives were the many", float(wanted), ev["precision"].value
            ),
        ),
        (table(("positives to negatives", "true positives", "false positives", "precision"), rows),),
        (
            f"tallymark matrix {typed(case['matrix'])} --labels 1,0",
            f"tallymark matrix {typed(case['matrix'])} --labels 1,0 --prevalence 0.94",
        ),
        (
            "import tallymark as tm",
            f'ev = {in_python(case)}.evaluate(pos_label="1")',
            'print(ev["precision"].value, ev.at_prevalence(0.94)["precision"].value)',
        ),
    )


@_misprint("two-roc-areas", "Two ROC areas of one binary problem")
def two_roc_areas() -> Worked:
    file = data.path("breast_cancer.csv")
    malignant = tm.evaluate(file, actual="actual", score="bayes_score", pos_label="malignant")
    actual = np.loadtxt(file, delimiter=",", skiprows=1, usecols=1, dtype=str)
    score = np.loadtxt(file, delimiter=",", skiprows=1, usecols=5)
    benign = tm.evaluate(actual, y_score=1 - score, pos_label="benign")
    area = CASES["weka-detailed-accuracy"]["roc_area"]
    rows = [(f"class {n}, printed", each) for n, each in enumerate(area)]
    return _worked(
        "two-roc-areas",
        "The area is the share of pairs of a positive and a negative row in the right order. Exchange the "
        "classes and turn the score round, and every pair is still in the order it was in. Two areas that "
        "differ belong to two scores that are not each other's complement.",
        (
            by_formula("malignant by p, benign by 1 - p", float(malignant["auc"]), benign["auc"].value),
            _areas(area, [float(malignant["auc"]), float(benign["auc"])]),
        ),
        (
            table(
                ("", "ROC area"),
                (
                    *rows,
                    ("malignant, by p", float(malignant["auc"])),
                    ("benign, by 1 - p", float(benign["auc"])),
                ),
            ),
        ),
        (f"tallymark evaluate {AT} --score bayes_score",),
        (
            *IN_PYTHON,
            'print(ev.per_class["malignant"]["auc"].value, ev.per_class["benign"]["auc"].value)',
        ),
    )


def _areas(printed: Sequence[float], found: Sequence[float]) -> Check:
    theirs, ours = (" ".join(number(each) for each in both) for both in (printed, found))
    return Check("the areas of the two classes", theirs, ours, printed[0] == printed[1], "misprint")


@_misprint("fn-for-tn", "FN where TN is meant")
def fn_for_tn() -> Worked:
    ev = tm.Confusion([[50, 50], [12, 88]], labels=["+", "-"]).evaluate()
    return _worked(
        "fn-for-tn",
        "The line has FN twice, with 0.5 and with 0.88. Of the positives half are called so, so half are "
        "not: FN is 0.5. What goes with FP = 0.12 is what the other negatives are, and 0.12 + 0.88 = 1. "
        "All four are rates, not counts.",
        (
            by_mistake("FN", 0.88, ev["fnr"].value),
            by_formula("TN", 0.88, ev["specificity"].value),
            by_formula("FP + TN", 1, float(ev["fpr"]) + float(ev["specificity"])),
        ),
        (matrix_table(["+", "-"], [[50, 50], [12, 88]], "100 rows of each class with these rates"),),
        ("tallymark matrix '50 50; 12 88' --labels +,-",),
        (
            "import tallymark as tm",
            'ev = tm.Confusion([[50, 50], [12, 88]], labels=["+", "-"]).evaluate()',
            'print(ev["fnr"].value, ev["specificity"].value)',
        ),
    )


@_misprint("wilson-without-z", "Wilson's interval without z before the root")
def wilson_without_z() -> Worked:
    case = CASES["wilson-accuracy-0.8"]
    n, accuracy, z = 100, case["accuracy"], z_quantile(0.95)
    found = tm.interval(80, n)
    place = case["n"].index(n)
    root = math.sqrt(z**2 + 4 * n * accuracy - 4 * n * accuracy**2)
    ends = [(2 * n * accuracy + z**2 + sign * root) / (2 * (n + z**2)) for sign in (-1, 1)]
    sharp = [
        (f"z = {value:g}", (2 * n * accuracy + value**2 - _root(n, accuracy, value)) / (2 * (n + value**2)))
        for value in (z_quantile(0.99), z_quantile(0.95), z_quantile(0.5))
    ]
    return _worked(
        "wilson-without-z",
        "As printed, the formula gives other figures than the table below it, which was made with the z. "
        "It also could not do what z is for: the root hardly changes with z, so an interval of 99 % would "
        "be about as wide as one of 50 %.",
        (
            by_mistake("lower end for 80 of 100, as printed", ends[0], found.low),
            by_mistake("upper end, as printed", ends[1], found.high),
            printed("lower end in the table", case["expected"]["low"][place], found.low, case["rounded"]),
            printed("upper end in the text", case["expected"]["high"][place], found.high, case["rounded"]),
        ),
        (table(("lower end, as printed", "value"), sharp, "80 of 100; z of 99 %, 95 % and 50 %"),),
        ("tallymark interval --correct 80 --of 100", "tallymark interval --correct 80 --of 100 --method all"),
        ("import tallymark as tm", "print(tm.interval(80, 100))"),
    )


def _root(n: int, accuracy: float, z: float) -> float:
    return math.sqrt(z**2 + 4 * n * accuracy - 4 * n * accuracy**2)


@_misprint("variance-named-sigma", "A variance named sigma")
def variance_named_sigma() -> Worked:
    case = CASES["independent-difference"]
    e, n = case["e1"], case["n1"]
    found = tm.compare({"M1": (1 - e, n), "M2": (1 - case["e2"], case["n2"])})["accuracy"]
    variances = [case[f"e{i}"] * (1 - case[f"e{i}"]) / case[f"n{i}"] for i in (1, 2)]
    wrong = z_quantile(0.95) * math.sqrt(sum(each**2 for each in variances))
    half = (sure(found.high) - sure(found.low)) / 2
    return _worked(
        "variance-named-sigma",
        "e (1 - e) / n is the variance of an error rate; its root is the standard deviation sigma. The "
        "next page has it right. Taken at its word, sigma would be squared once more and the interval "
        "would be far too narrow: the difference of the example would be significant with 30 rows.",
        (
            by_mistake("half width with the variance taken for sigma", wrong, half),
            printed("half width", case["expected"]["half_width"], half, 3),
        ),
        lines(f"sigma of e = {e:g} and n = {n}: sqrt({variances[0]:.5f}) = {math.sqrt(variances[0]):.4f}"),
        ("tallymark compare --accuracy 0.85:30 --accuracy 0.75:5000",),
        ("import tallymark as tm", 'print(tm.compare({"M1": (0.85, 30), "M2": (0.75, 5000)})["accuracy"])'),
    )


_ERRORS = ((0.12, 0.15, 0.11, 0.14, 0.13), (0.15, 0.16, 0.15, 0.15, 0.18))
"""Five folds made here."""


@_misprint("one-sided-t", "A one-sided quantile in a two-sided interval")
def one_sided_t() -> Worked:
    a, b = (np.array(each) for each in _ERRORS)
    d = a - b
    k = len(d)
    sigma = math.sqrt(float(((d - d.mean()) ** 2).sum()) / (k * (k - 1)))
    found = tm.tests.paired_t(a, b)
    wrong, right = student_quantile(0.90, k - 1), student_quantile(0.95, k - 1)
    shown = [[str(n + 1), float(x), float(y)] for n, (x, y) in enumerate(zip(a, b, strict=True))]
    return _worked(
        "one-sided-t",
        "An interval with both ends leaves alpha / 2 out on either side, so it takes the 1 - alpha / 2 "
        "quantile. With 1 - alpha it would hold the true difference in 90 of 100 cases and be called one "
        "of 95 %.",
        (
            by_mistake(
                "half width with the 0.95 quantile", wrong * sigma, (sure(found.high) - sure(found.low)) / 2
            ),
            by_formula(
                "half width with the 0.975 quantile", right * sigma, (sure(found.high) - sure(found.low)) / 2
            ),
        ),
        (
            table(("fold", "error of L1", "error of L2"), shown, "five folds made here"),
            table(("quantile of t with 4 degrees of freedom", "value"), (("0.95", wrong), ("0.975", right))),
        ),
        (
            file_of("folds.csv", ("fold", "L1", "L2"), shown),
            "tallymark compare folds.csv --per fold --metric error_rate",
        ),
        ("import tallymark as tm", f"print(tm.tests.paired_t({list(_ERRORS[0])}, {list(_ERRORS[1])}))"),
    )


@_misprint("lost-cells", "Cells lost from the cost tables")
def lost_cells() -> Worked:
    case = CASES["cost-500-M1"]
    ev = evaluated(case)
    kept = sum(row[1] * cost[1] for row, cost in zip(case["matrix"], case["costs"], strict=True))
    lost = sum(row[0] * cost[0] for row, cost in zip(case["matrix"], case["costs"], strict=True))
    return _worked(
        "lost-cells",
        "The tables have lost their first column of numbers: of the costs 100 and 0 are left, of M1 40 and "
        "250. What is left does not add up to the cost printed beside it; another of the documents has the "
        "whole tables, and with them it does.",
        (
            by_mistake("cost of M1 from the cells left", kept, ev["total_cost"].value),
            by_formula("cost of the cells lost", lost, float(ev["total_cost"]) - kept),
            printed("cost of M1", case["expected"]["total_cost"], ev["total_cost"].value),
        ),
        (
            matrix_table(case["labels"], case["costs"], "costs, whole"),
            matrix_table(case["labels"], case["matrix"], "rows of M1, whole"),
        ),
        (f"tallymark matrix {typed(case['matrix'])} --labels +,- --costs {typed(case['costs'])}",),
        (
            "import tallymark as tm",
            f'print({in_python(case)}.evaluate(costs={nested(case["costs"])})["total_cost"].value)',
        ),
    )


EXAMPLES = (
    roc_axes,
    tnr_for_fpr,
    weighted_accuracy_letters,
    twice_the_harmonic_mean,
    skew_the_other_way,
    two_roc_areas,
    fn_for_tn,
    wilson_without_z,
    variance_named_sigma,
    one_sided_t,
    lost_cells,
)
