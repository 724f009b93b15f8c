"""Chapter 3, on: several classes and models, and what a threshold is chosen for."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from tallymark import data
from tallymark.drawing import Picture, number

from .cases import CASES
from .estimation import PAROLIN
from .example import Worked, answer, by_formula, example, sure, words
from .matrices import TAN, in_python
from .rates import NOTES, SHAVLIK
from .shown import file_of, lines, matrix_table, of_document, pointed_out, table, tables_of, typed

AT = "predictions.csv --actual actual --positive malignant"
MODELS = "--model tree=tree_score --model bayes=bayes_score"
IN_PYTHON = (
    "import tallymark as tm",
    "from tallymark import data",
    'file = data.path("breast_cancer.csv")',
    'ev = tm.evaluate(file, actual="actual", score="bayes_score", pos_label="malignant")',
)


@cache
def shipped(model: str) -> tm.Evaluation:
    """The shipped answers of a model to 569 tumours, by their scores."""
    file = data.path("breast_cancer.csv")
    return tm.evaluate(file, actual="actual", score=f"{model}_score", pos_label="malignant")


# Nine rows of the classes X, Y and Z of the document.
_ACTUAL = ("X", "X", "X", "Y", "Y", "Y", "Z", "Z", "Z")
_TABLE = (
    (0.8, 0.1, 0.1), (0.7, 0.2, 0.1), (0.6, 0.1, 0.3),
    (0.5, 0.3, 0.2), (0.2, 0.6, 0.2), (0.1, 0.4, 0.5),
    (0.1, 0.5, 0.4), (0.3, 0.1, 0.6), (0.2, 0.2, 0.6),
)  # fmt: skip


@example("one-vs-all-roc", 3, "Three classes, three curves", "one-vs-all-roc")
def one_vs_all() -> Worked:
    labels = ["X", "Y", "Z"]
    ev = tm.evaluate(list(_ACTUAL), y_score=np.array(_TABLE), labels=labels)
    checks = []
    for place, label in enumerate(labels):
        own = [row[place] for row, actual in zip(_TABLE, _ACTUAL, strict=True) if actual == label]
        rest = [row[place] for row, actual in zip(_TABLE, _ACTUAL, strict=True) if actual != label]
        won = sum(Fraction(a > b) + Fraction(a == b, 2) for a in own for b in rest)
        by_hand = won / (len(own) * len(rest))
        checks.append(
            by_formula(f"area of {label} against the rest", by_hand, ev.per_class[label]["auc"].value)
        )
    every = ev.one_vs_rest
    checks.append(by_formula("curves", len(labels), len(every.curves)))
    rows = [(actual, *row) for actual, row in zip(_ACTUAL, _TABLE, strict=True)]
    return Worked(
        "Three classes, X, Y and Z. A ROC curve is about one class, so each gets its own, against the two "
        "others. Which is recognised best?",
        tuple(checks),
        (table(("actual", "P(X)", "P(Y)", "P(Z)"), rows, "nine rows made here"),),
        (
            Picture("One class against the rest", every.figure(), f"Best recognised is {every.order[0]}."),
            *tables_of(every.document(), every.document().sections[0].title),
        ),
        "The pairs of a row of the class and a row of the rest are counted one by one above; a tie counts "
        "half.",
        (
            file_of("classes.csv", ("actual", "X", "Y", "Z"), rows),
            "tallymark roc classes.csv --actual actual --probabilities X,Y,Z",
        ),
        (
            "import tallymark as tm",
            f"table = {[list(row) for row in _TABLE]}",
            f'ev = tm.evaluate({list(_ACTUAL)}, y_score=table, labels=["X", "Y", "Z"])',
            "print(ev.one_vs_rest.order, ev.one_vs_rest.areas)",
        ),
    )


@example("roc-two-models", 3, "Two models whose curves cross", also=(PAROLIN, SHAVLIK, NOTES, TAN))
def two_models() -> Worked:
    tree, bayes = shipped("tree"), shipped("bayes")
    several = tm.Several({"tree": tree.roc, "bayes": bayes.roc})
    smaller = several.best[1]
    middle = (smaller.low + smaller.high) / 2
    return Worked(
        "Two models for the 569 shipped tumours, a decision tree and naive Bayes. Which has the better ROC "
        "curve?",
        (
            words(
                "one is better for small FPR, the other for large",
                "yes",
                answer(len({each.names for each in several.best}) > 1),
            ),
            words(
                f"at FPR {middle:.2f} the larger TPR",
                ", ".join(smaller.names),
                "tree" if sure(tree.roc.at(fpr=middle).tpr) > sure(bayes.roc.at(fpr=middle).tpr) else "bayes",
                origin="formula",
            ),
        ),
        lines("Both answered the same rows; every score is from a fit that had not seen the row."),
        (
            Picture(
                "Two ROC curves",
                several.figure(),
                "The tree is ahead in the middle, naive Bayes at both ends.",
            ),
            *of_document(several.document(), "Models", "Where each is best"),
        ),
        "The area says which is better on average; where the threshold will be says which is better for "
        "you. The difference of the two areas has a test of its own (DeLong), in `tallymark compare "
        "--metric auc`.",
        (
            f"tallymark roc {AT} {MODELS}",
            f"tallymark compare {AT} {MODELS} --metric auc",
        ),
        (
            *IN_PYTHON,
            'tree = tm.evaluate(file, actual="actual", score="tree_score", pos_label="malignant")',
            'print(tm.Several({"tree": tree.roc, "bayes": ev.roc}).best)',
        ),
    )


@example("precision-and-recall", 3, "The same rows in another light", also=(SHAVLIK,))
def precision_and_recall() -> Worked:
    bayes = shipped("bayes")
    score, positive = _rows()
    few = bayes.at_prevalence(0.01)
    best = bayes.against_threshold("f1").best
    assert best is not None
    tpr, fpr = float(bayes["recall"]), float(bayes["fpr"])
    by_hand = 0.01 * tpr / (0.01 * tpr + 0.99 * fpr)
    curve = bayes.precision_recall
    place = int(np.argmin(np.abs(curve.threshold - best.threshold)))
    f1 = 2 * curve.precision[place] * curve.recall[place] / (curve.precision[place] + curve.recall[place])
    return Worked(
        "Think of a search engine: of what it brings, how much is wanted, and of what is wanted, how much "
        "does it bring? The same scores as before, naive Bayes on tumours.",
        (
            by_formula(
                "recall at 0.5 is the TPR of the ROC curve",
                _share((score >= 0.5)[positive]),
                bayes.roc.at(threshold=0.5).tpr,
            ),
            by_formula("precision if 1 % were malignant, from TPR and FPR", by_hand, few["precision"].value),
            by_formula(f"F1 at {best.threshold:g}, from precision and recall there", f1, best.value),
        ),
        lines(
            f"At 0.5: precision {number(bayes['precision'].value)}, recall {number(bayes['recall'].value)}."
        ),
        (
            Picture("Precision and recall", curve.figure(), "Precision at every recall."),
            Picture(
                "F1 at every threshold",
                bayes.against_threshold("f1").figure(),
                f"F1 is largest, {best.value:.3f}, at a threshold of {best.threshold:g}.",
            ),
        ),
        "True negatives are in neither formula: nobody is praised for leaving out what is not wanted. So "
        "this picture changes with the share of positives, and the ROC curve does not. With 1 % malignant "
        f"the same model has a precision of {number(few['precision'].value)} only.",
        (
            f"tallymark pr {AT} --score bayes_score",
            f"tallymark thresholds {AT} --score bayes_score --metric f1",
            f"tallymark evaluate {AT} --score bayes_score --prevalence 0.01",
        ),
        (
            *IN_PYTHON,
            "print(ev.against_threshold('f1').best)",
            'print(ev.at_prevalence(0.01)["precision"].value)',
        ),
    )


@example(
    "expected-cost-of-a-threshold",
    3,
    "Where to cut when errors cost differently",
    "expected-cost-of-a-threshold",
)
def expected_cost() -> Worked:
    bayes = shipped("bayes")
    checks = []
    costs = {"malignant": {"benign": 10, "malignant": 0}, "benign": {"malignant": 1, "benign": 0}}
    gains = {"malignant": {"benign": 10, "malignant": -1}, "benign": {"malignant": 1, "benign": 0}}
    for name, prices in (("only errors cost", costs), ("and a found one earns 1", gains)):
        decision = bayes.decide(costs=prices)
        totals = _totals(prices)
        checks.append(by_formula(f"{name}: least cost", min(totals.values()), decision.cost))
        at = max(cut for cut, total in totals.items() if total == min(totals.values()))
        checks.append(by_formula(f"{name}: threshold", at, decision.threshold))
    decision = bayes.decide(costs=costs)
    return Worked(
        "A missed malignant tumour costs 10, a false alarm 1. Below which probability should naive Bayes "
        "say benign?",
        tuple(checks),
        (matrix_table(["malignant", "benign"], [[0, 10], [1, 0]], "costs, chosen here"),),
        (
            *of_document(decision.document(), "Decision", "What it costs and saves"),
            Picture(
                "The cost of every threshold",
                decision.figure(),
                "What each threshold costs, and the cheapest.",
            ),
        ),
        "E(cost) = cost(FP) P(FP) negatives + cost(FN) P(FN) positives, tried here at every score one by "
        "one, and with costs of right answers added, which may be gains.",
        (
            f"tallymark decide {AT} --score bayes_score --labels malignant,benign --costs '0 10; 1 0'",
            f"tallymark decide {AT} --score bayes_score --labels malignant,benign --costs '-1 10; 1 0'",
        ),
        (
            *IN_PYTHON,
            f"decision = ev.decide(costs={costs})",
            "print(decision.threshold, decision.cost, decision.saving)",
        ),
    )


def _totals(prices: dict[str, dict[str, int]]) -> dict[float, float]:
    """The formula of the document at every score, worked out rate by rate from the file itself."""
    score, positive = _rows()
    sick, well = prices["malignant"], prices["benign"]
    found = {}
    for threshold in (math.inf, *np.unique(score)):
        called = score >= threshold
        p_tp, p_fp = _share(called[positive]), _share(called[~positive])
        positives, negatives = int(positive.sum()), int((~positive).sum())
        total = well["malignant"] * p_fp * negatives + sick["benign"] * (1 - p_tp) * positives
        total += sick["malignant"] * p_tp * positives + well["benign"] * (1 - p_fp) * negatives
        found[float(threshold)] = float(total)
    return found


def _share(called: NDArray[np.bool_]) -> Fraction:
    return Fraction(int(called.sum()), len(called))


def _rows() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The score of naive Bayes for every row, and whether it is malignant, read without tallymark."""
    file = data.path("breast_cancer.csv")
    actual = np.loadtxt(file, delimiter=",", skiprows=1, usecols=1, dtype=str)
    return np.loadtxt(file, delimiter=",", skiprows=1, usecols=5), actual == "malignant"


@example("skew-warning", 3, "A low rate of many is many", "skew-warning")
def skew() -> Worked:
    case = CASES["cost-5660-model-1"]
    ev = tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(pos_label=case["labels"][0])
    (tp, fn), (fp, tn) = case["matrix"]
    fpr, tpr = float(ev["fpr"]), float(ev["recall"])
    rows = []
    for positives, negatives in ((fp + tn, tp + fn), (1000, 1000), (tp + fn, fp + tn), (1000, 1_000_000)):
        rows.append((f"{positives:,} to {negatives:,}", round(tpr * positives), round(fpr * negatives)))
    finding = next(each for each in ev.findings if each.code == "TM004")
    turned = tm.Confusion([[tn, fp], [fn, tp]], labels=["0", "1"]).evaluate(pos_label="0")
    return Worked(
        "The axes of a ROC curve are rates and do not see how many rows there are. Model 1 of the first "
        "lecture has a false positive rate of 0.087, which looks small. Is it?",
        (
            by_formula("FPR times negatives", fpr * (fp + tn), finding.numbers["fp"]),
            words("more false positives than true ones", "possibly", answer(fp > tp), agrees=fp > tp),
            words("tallymark says so (TM004)", "yes", answer(_warned(ev))),
            words("it says so with the classes exchanged", "no", answer(_warned(turned))),
        ),
        (matrix_table(case["labels"], case["matrix"], "class 1 is positive"),),
        (
            table(
                ("positives to negatives", "true positives", "false positives"), rows, "the same TPR and FPR"
            ),
            pointed_out([finding]),
        ),
        "The danger is where negatives are many. The document writes its case the other way round: "
        "`tallymark textbook skew-the-other-way`.",
        (
            f"tallymark matrix {typed(case['matrix'])} --labels 1,0",
            f"tallymark matrix {typed(case['matrix'])} --labels 1,0 --prevalence 0.5",
        ),
        ("import tallymark as tm", f'ev = {in_python(case)}.evaluate(pos_label="1")', "print(ev.findings)"),
    )


def _warned(ev: tm.Evaluation) -> bool:
    return any(finding.code == "TM004" for finding in ev.findings)


@example("rejection-curve", 3, "Leave the unclear rows alone", "rejection-curve")
def rejection() -> Worked:
    bayes = shipped("bayes")
    curve = bayes.rejection
    score, positive = _rows()
    margin, right = np.abs(2 * score - 1), (score >= 0.5) == positive
    checks = []
    for theta in (0.0, 0.2, 0.5, 0.9):
        kept = margin >= theta - 1e-12
        point = curve.at(theta=theta)
        checks.append(by_formula(f"rejected, theta = {theta:g}", 1 - kept.mean(), point.rejected))
        checks.append(
            by_formula(f"right among the rest, theta = {theta:g}", right[kept].mean(), point.correct)
        )
    costs = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
    low, high = bayes.decide(costs=costs, reject_cost=0.3).region  # type: ignore[union-attr, misc]
    return Worked(
        "A row whose two best classes are nearly equally likely is better given to a person. How much "
        "better are the answers to the others, and how many are left?",
        tuple(checks),
        lines(
            "Naive Bayes on the shipped tumours. A row is rejected when |2p - 1|, the margin, is below theta."
        ),
        (
            Picture(
                "Rejection curve",
                curve.figure(),
                "The share right among the accepted, by the share rejected.",
            ),
            *(each for each in tables_of(curve.document(), "Rejection")),
        ),
        "What is right depends on what each error and a rejection cost. With a miss at 10, a false alarm "
        f"at 1 and a rejection at 0.3, it is cheapest to reject scores from {low:g} up to "
        f"{high:g}.",
        (
            f"tallymark rejection {AT} --score bayes_score",
            f"tallymark decide {AT} --score bayes_score --labels malignant,benign --costs '0 10; 1 0' "
            "--reject-cost 0.3",
        ),
        (
            *IN_PYTHON,
            "print(ev.rejection.at(theta=0.5))",
            f"print(ev.decide(costs={costs}, reject_cost=0.3).region)",
        ),
    )


@example("lift-and-gains", 3, "Which share must be taken?", "lift-and-gains")
def lift_and_gains() -> Worked:
    gains = shipped("bayes").gains
    reached = gains.at(recall=0.4)
    score, positive = _rows()
    best_first = positive[np.argsort(-score, kind="stable")]
    enough = int(np.argmax(np.cumsum(best_first) >= 0.4 * positive.sum())) + 1
    fifth = len(score) // 5
    recall = best_first[:fifth].sum() / positive.sum()
    lift = shipped("bayes").lift.at(share=fifth / len(score))
    return Worked(
        "A letter cannot go to everybody. When the cases are sorted by score, which share must be taken to "
        "reach 40 % of the positives? (The lecture's chart says 20 %; its data are not there, so this is "
        "asked of the tumours.)",
        (
            by_formula("rows to take for a recall of 40 %, counted down the list", enough, reached.taken),
            by_formula("share, the predicted positive rate", enough / len(score), reached.share),
            by_formula(
                f"lift of the best {fifth} rows = recall / share", recall / (fifth / len(score)), lift.lift
            ),
        ),
        lines("569 tumours, sorted by the probability that naive Bayes gives to malignant, best first."),
        (
            Picture(
                "Cumulative gains",
                gains.figure(),
                "Recall by the share of rows taken; the diagonal is chance.",
            ),
            *(each for each in tables_of(gains.document(), "Cumulative gains and lift")),
        ),
        "The diagonal is what a random choice would find. Lift is how many times as much is found.",
        (f"tallymark gains {AT} --score bayes_score --recall 0.4 --share 0.2",),
        (*IN_PYTHON, "print(ev.gains.at(recall=0.4))", "print(ev.lift.at(share=0.2))"),
    )


EXAMPLES = (
    two_models,
    one_vs_all,
    expected_cost,
    skew,
    precision_and_recall,
    rejection,
    lift_and_gains,
)
