"""Chapter 1, on: precision, recall and their kin, several classes, several labels, WEKA's table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import tallymark as tm
from tallymark.drawing import Block

from .cases import CASES
from .example import Check, Worked, by_formula, example, printed, row_of_figures
from .matrices import TAN, evaluated, in_python
from .shown import file_of, lines, matrix_table, of_document, table, tables_of, typed

WIN, SHAVLIK, NOTES = "001_d2ca4497a4f980ca.txt", "002_145021a7e3c3304a.txt", "003_e8297cd05b71ba4c.txt"

# The names of a rate, the cell above the line and the other one below it.
_RATES = {
    "recall = sensitivity = TPR": ("recall", "tp", "fn"),
    "FNR": ("fnr", "fn", "tp"),
    "specificity = TNR": ("specificity", "tn", "fp"),
    "FPR": ("fpr", "fp", "tn"),
    "precision": ("precision", "tp", "fp"),
    "NPV": ("npv", "tn", "fn"),
}


@example("rates-2x2", 1, "All rates of a two by two matrix", "rates-2x2", also=(WIN, SHAVLIK, NOTES, TAN))
def rates_of_a_matrix() -> Worked:
    case = CASES["cost-5660-model-1"]
    cells = _cells(case["matrix"])
    ev = tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(pos_label=case["labels"][0])
    checks = []
    for words, (name, top, other) in _RATES.items():
        shown = f"{words} = {top.upper()} / ({top.upper()} + {other.upper()})"
        checks.append(by_formula(shown, Fraction(cells[top], cells[top] + cells[other]), ev[name].value))
    precision = Fraction(cells["tp"], cells["tp"] + cells["fp"])
    recall = Fraction(cells["tp"], cells["tp"] + cells["fn"])
    for beta in (Fraction(1, 2), Fraction(1), Fraction(2)):
        by_hand = (beta**2 + 1) * precision * recall / (beta**2 * precision + recall)
        checks.append(by_formula(f"F, beta = {float(beta):g}", by_hand, ev[f"f_beta:{float(beta):g}"].value))
    harmonic = 2 / (1 / precision + 1 / recall)
    checks.append(by_formula("F1 = 2 / (1/P + 1/R), the harmonic mean", harmonic, ev["f1"].value))
    return Worked(
        "Model 1 of the first lecture once more. Which share of the rows of a class is found, and which "
        "share of the answers can be believed?",
        tuple(checks),
        (matrix_table(case["labels"], case["matrix"], "class 1 is positive"),),
        tables_of(ev.document(), "Confusion matrix"),
        "Rates of a row of the matrix go to its right, rates of a column below it. Recall looks at what is "
        "there, precision at what was said; neither sees the true negatives. Precision is governed by the "
        "costs of what is called positive, recall by the costs of what is positive, F1 by all but those of "
        "a true negative.",
        (
            "tallymark explain --tp {tp} --fn {fn} --fp {fp} --tn {tn}".format(**cells),
            "tallymark explain f_beta:2 --tp {tp} --fn {fn} --fp {fp} --tn {tn}".format(**cells),
        ),
        (
            "import tallymark as tm",
            f'ev = {in_python(case)}.evaluate(pos_label="1")',
            'print(ev["recall"].value, ev["precision"].value, ev["f_beta:2"].value)',
            'print(ev.explain("recall"))',
        ),
    )


def _cells(matrix: Sequence[Sequence[int]]) -> dict[str, int]:
    (tp, fn), (fp, tn) = matrix
    return {"tp": tp, "fn": fn, "fp": fp, "tn": tn}


# Which metric each of the weights named in the statement is.
_WEIGHED = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "F1": "f1"}


@example("weighted-accuracy", 1, "One formula for four metrics", "weighted-accuracy", also=(NOTES,))
def weighted_accuracy() -> Worked:
    case = CASES["cost-500-M1"]
    ev = evaluated(case)
    (tp, fn), (fp, tn) = case["matrix"]
    checks = []
    stated = CASES["weighted-accuracy"]["statement"]
    for weights, name in re.findall(r"w = \(([\d,]+)\) (?:it is )?(\w+)", stated):
        a, b, c, d = map(int, weights.split(","))
        by_hand = Fraction(a * tp + d * tn, a * tp + b * fn + c * fp + d * tn)
        checks.append(by_formula(f"w = {weights}", by_hand, ev[f"weighted_accuracy:{weights}"].value))
        checks.append(by_formula(f"that is {name}", by_hand, ev[_WEIGHED[name]].value))
    return Worked(
        "Accuracy gives every row the same weight. What comes out when each of the four cells has a weight "
        "of its own?",
        tuple(checks),
        (matrix_table(case["labels"], case["matrix"], "M1"),),
        lines("weighted accuracy = (w1 TP + w4 TN) / (w1 TP + w2 FN + w3 FP + w4 TN)"),
        "Accuracy, precision, recall and F1 are all of this form and differ in the weights only. One of "
        "the documents has two letters of the denominator exchanged: `tallymark textbook "
        "weighted-accuracy-letters`.",
        (
            f"tallymark matrix {typed(case['matrix'])} --labels +,- --metric weighted_accuracy:2,1,1,0",
            "tallymark explain weighted_accuracy:2,1,1,0",
        ),
        (
            "import tallymark as tm",
            f"ev = {in_python(case)}.evaluate()",
            'print(ev["weighted_accuracy:2,1,1,0"].value, ev["f1"].value)',
        ),
    )


@example("multiclass-1564", 1, "Three classes and three averages", "multiclass-1564", also=(NOTES,))
def three_classes() -> Worked:
    case = CASES["multiclass-1564"]
    expected, digits = case["expected"], case["rounded"]
    ev = evaluated(case)
    checks = [printed("accuracy", expected["accuracy"], ev["accuracy"].value, digits, percent=True)]
    for name in ("recall", "precision"):
        for label, figure in zip(case["labels"], expected[name], strict=True):
            value = ev.per_class[label][name].value
            checks.append(printed(f"{name} of class {label}", figure, value, digits, percent=True))
    checks.append(
        row_of_figures("support", expected["support"], [ev.per_class[c].support for c in case["labels"]])
    )
    for name in ("precision", "recall"):
        for average in ("macro", "micro", "weighted"):
            asked = f"{name}_{average}"
            checks.append(printed(asked, expected[asked], ev[asked].value, digits, percent=True))
    return Worked(
        "1,564 rows of three classes, of which one is small. How good is the model for each class, and how "
        "good is it over all?",
        tuple(checks),
        (matrix_table(case["labels"], case["matrix"]),),
        of_document(ev.document(), "Detailed Accuracy By Class"),
        "Class 1 has 92 rows and a precision of about a half. The macro average takes every class alike "
        "and shows it, the weighted one goes by the rows of a class and hides it. Micro precision, micro "
        "recall and weighted recall are all the accuracy. One of the documents says there are no true "
        "negatives with several classes: for one class against the rest there are.",
        (
            f"tallymark matrix {typed(case['matrix'])} --labels 0,1,2",
            f"tallymark matrix {typed(case['matrix'])} --labels 0,1,2 --explain precision_macro",
        ),
        (
            "import tallymark as tm",
            f"ev = {in_python(case)}.evaluate()",
            'print(ev["precision_macro"].value, ev["precision_micro"].value, ev["precision_weighted"].value)',
            'print(ev.per_class["1"]["precision"])',
        ),
    )


@example("multilabel-4", 1, "Rows with several labels", "multilabel-4")
def several_labels() -> Worked:
    case = CASES["multilabel-4"]
    ev = tm.evaluate(case["actual"], case["predicted"], labels=["x", "y", "z"])
    hand = _set_formulas(case["actual"], case["predicted"])
    figure = case["expected"]["f1_example"]
    checks = [printed("F1", figure, ev["f1_example"].value, case["rounded"], percent=True)]
    checks += [by_formula(name.partition("_")[0], value, ev[name].value) for name, value in hand.items()]
    of_means = 2 * hand["precision_example"] * hand["recall_example"]
    of_means /= hand["precision_example"] + hand["recall_example"]
    rows = zip(case["actual"], case["predicted"], strict=True)
    pairs = [(*map(str, row), *map(str, answer)) for row, answer in rows]
    heads = ("x", "y", "z", "x called", "y called", "z called")
    return Worked(
        "Each of four rows has some of three labels, and is given some. How well do the two sets overlap?",
        tuple(checks),
        (table(("row", *heads), [(str(n), *each) for n, each in enumerate(pairs, 1)]),),
        lines(*(step.text for step in ev.explain("f1_example").steps)),
        "F1 is worked out row by row and then averaged. The document calls that the harmonic mean of "
        f"precision and recall; of their averages it would be {float(of_means):.4f}. Something else again "
        "is the accuracy that asks for the whole set: subset_accuracy, here "
        f"{ev['subset_accuracy'].value:g}.",
        (
            file_of("sets.csv", ("x", "y", "z", "px", "py", "pz"), pairs),
            "tallymark evaluate sets.csv --actual x,y,z --predicted px,py,pz",
        ),
        (
            "import tallymark as tm",
            f"ev = tm.evaluate({case['actual']}, {case['predicted']})",
            'print(ev["f1_example"].value, ev["accuracy_example"].value)',
        ),
    )


def _set_formulas(actual: Any, predicted: Any) -> dict[str, Fraction]:
    """The four formulas of the document, each the mean of a fraction per row."""
    sums = dict.fromkeys(("accuracy", "recall", "precision", "f1"), Fraction(0))
    for row, answer in zip(actual, predicted, strict=True):
        both = sum(a and p for a, p in zip(row, answer, strict=True))
        there, said = sum(row), sum(answer)
        sums["accuracy"] += Fraction(both, there + said - both)
        sums["recall"] += Fraction(both, there)
        sums["precision"] += Fraction(both, said)
        sums["f1"] += Fraction(2 * both, there + said)
    return {f"{name}_example": total / len(actual) for name, total in sums.items()}


_COLUMNS = {"tp_rate": "recall", "fp_rate": "fpr", "f_measure": "f1"}


@example("weka-detailed-accuracy", 1, "WEKA's table of one operating point", "weka-detailed-accuracy")
def weka_table() -> Worked:
    case = CASES["weka-detailed-accuracy"]
    expected, digits = case["expected"], case["rounded"]
    ev = evaluated(case)
    averages: list[Check] = []
    checks: list[Check] = []
    for column in ("tp_rate", "fp_rate", "precision", "recall", "f_measure"):
        name = _COLUMNS.get(column, column)
        found = [float(ev.per_class[label][name]) for label in case["labels"]]
        checks.append(row_of_figures(column.replace("_", " "), expected[column], found, digits))
        averages.append(
            printed(
                f"{column.replace('_', ' ')}, weighted",
                expected["weighted"][column],
                ev[f"{name}_weighted"].value,
                digits,
            )
        )
    support = [ev.per_class[label].support for label in case["labels"]]
    area = sum(a * n for a, n in zip(case["roc_area"], support, strict=True)) / sum(support)
    averages.append(printed("ROC area, weighted", expected["weighted"]["roc_area"], area, digits))
    worked: tuple[Block, ...] = of_document(ev.document(), "Detailed Accuracy By Class")
    return Worked(
        "WEKA prints a table for one threshold. The lecture shows the table without the matrix: can it be "
        "told what was counted?",
        (*checks, *averages),
        (
            matrix_table(
                case["labels"], case["matrix"], "the smallest matrix that gives every printed figure"
            ),
        ),
        worked,
        "The matrix was found by search and is the smallest that gives them all. The two ROC areas cannot "
        "be had from counts, so they are averaged as printed. That they differ is odd: `tallymark textbook "
        "two-roc-areas`.",
        (f"tallymark matrix {typed(case['matrix'])} --labels 0,1",),
        (
            "import tallymark as tm",
            f"ev = {in_python(case)}.evaluate()",
            'print(ev.per_class["1"]["precision"].value, ev["f1_weighted"].value)',
            "print(ev)",
        ),
    )


EXAMPLES = (rates_of_a_matrix, weighted_accuracy, three_classes, several_labels, weka_table)
