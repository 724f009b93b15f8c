"""Chapter 3: ROC curves, by every construction of the lectures."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import tallymark as tm
from tallymark.drawing import Block, Picture

from .cases import CASES, Case
from .example import Check, Worked, by_formula, example, row_of_figures, words
from .matrices import TAN
from .rates import NOTES
from .shown import file_of, of_document, table, tables_of


def scored(case: Case) -> tm.Evaluation:
    """The rows of a case with their scores."""
    first, second = (1, 0) if 1 in case["actual"] else ("+", "-")
    return tm.evaluate(case["actual"], y_score=case["scores"], labels=[first, second], pos_label=first)


def rows_of(case: Case) -> str:
    """The line that writes the rows of a case into a file."""
    pairs = zip(case["actual"], case["scores"], strict=True)
    return file_of("rows.csv", ("actual", "score"), list(pairs))


def rows_in_python(case: Case) -> tuple[str, ...]:
    positive = "1" if 1 in case["actual"] else '"+"'
    return (
        "import tallymark as tm",
        f"actual = {case['actual']}",
        f"score = {case['scores']}",
        f"ev = tm.evaluate(actual, y_score=score, pos_label={positive}, threshold=0.5)",
    )


def drawn(curve: Any, said: str) -> Picture:
    return Picture("ROC curve", curve.figure(), said)


@example("roc-16-sequential", 3, "Sixteen examples, one row each", "roc-16-sequential")
def sixteen() -> Worked:
    case = CASES["roc-16-sequential"]
    expected = case["expected"]
    ev = scored(case)
    curve = ev.roc_as("sequential")
    found = [[str(Fraction(int(n), 8)) for n in each[1:]] for each in (curve.tp, curve.fp)]
    checks = []
    for name, ours in zip(("tpr", "fpr"), found, strict=True):
        theirs = [str(Fraction(each)) for each in expected[name]]
        checks.append(Check(f"{name.upper()}, 16 rows", " ".join(theirs), " ".join(ours), theirs == ours))
    heads = ("example", "predicted", "actual", "TPR printed", "TPR found", "FPR printed", "FPR found")
    rows = zip(
        map(str, case["ids"]), (f"{s:.2f}" for s in case["scores"]), map(str, case["actual"]),
        expected["tpr"], map(float, curve.tpr[1:]), expected["fpr"], map(float, curve.fpr[1:]),
        strict=True,
    )  # fmt: skip
    grouped = ev.roc
    return Worked(
        "Sixteen test examples, sorted by the predicted probability of class 1. Going down the list, which "
        "share of the positives and which of the negatives is above the line?",
        tuple(checks),
        (table(heads, rows),),
        (
            drawn(grouped, f"One point for each different score; the area is {float(ev['auc']):.3f}."),
            *of_document(grouped.document(), "Equal scores"),
        ),
        "Examples 2 and 8 have the same score, 0.51, and the document still gives each a row. No threshold "
        "can part them, so by default tallymark makes one step of both, and each such pair counts half.",
        (
            rows_of(case),
            "tallymark roc rows.csv --actual actual --score score --construction sequential",
            "tallymark roc rows.csv --actual actual --score score",
        ),
        (*rows_in_python(case), 'print(ev.roc_as("sequential").table())', 'print(ev["auc"])'),
    )


def _bins(case: Case) -> tm.Evaluation:
    return tm.Scores.from_bins(case["positives"], case["negatives"], _EDGES).evaluate()


def _bin(place: int) -> str:
    """The name of a bin, best first."""
    return f"[{90 - 10 * place} %, {100 - 10 * place} %{')' if place else ']'}"


_EDGES = [each / 10 for each in range(10, -1, -1)]


def _binned(name: str, problem: str, remark: str) -> Worked:
    case = CASES[name]
    expected, digits = case["expected"], case.get("rounded", 3)
    ev = _bins(case)
    checks = [
        row_of_figures("TPR", expected["tpr"], ev.roc.tpr[1:], digits),
        row_of_figures("FPR", expected["fpr"], ev.roc.fpr[1:], digits),
    ]
    if "positives_total" in expected:
        total = [expected["positives_total"], expected["negatives_total"]]
        checks.append(row_of_figures("positives and negatives in all", total, [ev.roc.tp[-1], ev.roc.fp[-1]]))
    if "auc" in expected:
        checks.append(by_formula("area", expected["auc"], ev["auc"].value))
    counts = list(zip(case["positives"], case["negatives"], strict=True))
    return Worked(
        problem,
        tuple(checks),
        (
            table(
                ("probability", "positives", "negatives"),
                [(_bin(n), *each) for n, each in enumerate(counts)],
            ),
        ),
        (*tables_of(ev.roc.document(), "ROC curve"), drawn(ev.roc, f"The area is {float(ev['auc']):.3f}.")),
        remark,
        ("tallymark roc '" + "; ".join(f"{p} {n}" for p, n in counts) + "' --bin-counts",),
        (
            "import tallymark as tm",
            "edges = [n / 10 for n in range(10, -1, -1)]",
            f"scores = tm.Scores.from_bins({case['positives']}, {case['negatives']}, edges)",
            "print(scores.evaluate().roc.tpr, scores.evaluate().roc.fpr)",
        ),
    )


@example("roc-binned-10000", 3, "Ten thousand rows in ten bins", "roc-binned-10000")
def binned() -> Worked:
    return _binned(
        "roc-binned-10000",
        "10,000 rows were counted in ten bins of the predicted probability. Which curve do the counts "
        "alone give?",
        "Inside a bin the order is not known, so the area is known within bounds only; the value is the "
        "middle.",
    )


@example("roc-binned-perfect", 3, "A perfect separation in ten bins", "roc-binned-perfect")
def binned_perfect() -> Worked:
    return _binned(
        "roc-binned-perfect",
        "The same with no bin that holds both classes: all above one half are positive, all others negative.",
        "First straight up, then straight to the right: the area is 1, and no order inside a bin can "
        "change it.",
    )


_CELLS = ("tp", "fp", "tn", "fn", "tpr", "fpr")


@example(
    "roc-10-thresholds", 3, "Ten examples, threshold by threshold", "roc-10-thresholds", also=(TAN, NOTES)
)
def ten_thresholds() -> Worked:
    case = CASES["roc-10-thresholds"]
    expected = case["expected"]
    ev = scored(case)
    curve = ev.roc_as("sequential", ascending=True)
    classes = " ".join(each for each in expected["class"] if each)
    checks = [
        words("class", classes, " ".join(each for each in curve.category if each)),
        row_of_figures("threshold >=", expected["threshold"], curve.threshold),
        *(row_of_figures(name.upper(), expected[name], getattr(curve, name)) for name in _CELLS),
    ]
    unique = ev.roc_as("grouped", ascending=True)
    first = [
        place for place, each in enumerate(expected["threshold"]) if each not in expected["threshold"][:place]
    ]
    for name in ("tp", "fp"):
        said = [expected[name][place] for place in first]
        checks.append(row_of_figures(f"{name.upper()}, unique", said, getattr(unique, name)))
    return Worked(
        "Ten examples sorted by the probability of +. Start with the lowest: everything is called +. Move "
        "up by one example at a time and keep the four counts.",
        tuple(checks),
        (_instances(case),),
        (
            *tables_of(curve.document(), "ROC curve"),
            *of_document(ev.roc_as("sequential").document(), "Equal scores"),
            drawn(ev.roc, f"One point for each unique score; the area is {float(ev['auc']):.2f}."),
        ),
        "The text of the page wants a threshold at each unique value, its table repeats 0.85 three times. "
        "Only the first of the three can be reached: rows of equal score are called alike. Both ways are "
        "there; the grouped one is what tallymark does unless told otherwise.",
        (
            rows_of(case),
            "tallymark roc rows.csv --actual actual --score score --positive + --construction sequential "
            "--ascending",
            "tallymark roc rows.csv --actual actual --score score --positive + --ascending",
        ),
        (
            *rows_in_python(case),
            'print(ev.roc_as("sequential", ascending=True).table())',
            "print(ev.roc.auc)",
        ),
    )


def _instances(case: Case) -> Block:
    ids: Sequence[int] = case.get("ids", range(1, 1 + len(case["scores"])))
    rows = zip(
        map(str, ids), (f"{each:.2f}" for each in case["scores"]), map(str, case["actual"]), strict=True
    )
    return table(("example", "score", "class"), rows)


@example("roc-10-opposite", 3, "Thresholds between opposite neighbours", "roc-10-opposite")
def opposite_neighbours() -> Worked:
    case = CASES["roc-10-opposite"]
    ev = scored(case)
    curve = ev.roc_as("opposite")
    area = Fraction(case["expected"]["auc_fraction"])
    right = sum(
        p > n
        for p, a in zip(case["scores"], case["actual"], strict=True)
        if a == "+"
        for n, b in zip(case["scores"], case["actual"], strict=True)
        if b == "-"
    )
    return Worked(
        "Ten examples sorted by score. Only between neighbours of opposite class does a threshold change "
        "the direction of the curve: how many are needed, and what is the area?",
        (
            by_formula("pairs in the right order, counted one by one", right, 25 * float(ev["auc"])),
            by_formula(f"area {area.numerator * 25 // area.denominator}/25", area, ev["auc"].value),
            by_formula("the same from the corners alone", area, curve.auc),
        ),
        (_instances(case),),
        (
            *tables_of(curve.document(), "ROC curve"),
            drawn(curve, "Corners only: the area is that of all points."),
        ),
        "Six corners instead of ten points. Points in between lie on straight lines, so nothing is lost.",
        (
            rows_of(case),
            "tallymark roc rows.csv --actual actual --score score --positive + --construction opposite",
        ),
        (*rows_in_python(case), 'print(ev.roc_as("opposite").threshold, ev["auc"].value)'),
    )


EXAMPLES = (sixteen, binned, binned_perfect, ten_thresholds, opposite_neighbours)
