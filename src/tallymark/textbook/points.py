"""Chapter 3: what a point of a ROC curve is, and where scores come from."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

import tallymark as tm

from .cases import CASES
from .curves import drawn, rows_in_python, rows_of, scored
from .example import Worked, by_formula, example, sure, words
from .matrices import TAN
from .rates import NOTES
from .shown import file_of, lines, of_document, table, tables_of

_AXIS = ((1, 1.2), (1, 0.4), (1, -0.3), (1, -1.1), (0, 0.2), (0, -0.6), (0, -1.4), (0, -2.2))
"""Eight points to type."""


@example("threshold-1d", 3, "One threshold on one axis", "threshold-1d", also=(TAN,))
def one_threshold() -> Worked:
    # Quantiles of two bell curves: half of the positives and 12 % of the negatives are above t = 0.
    steps = (np.arange(100) + 0.5) / 100
    positive = np.array([NormalDist().inv_cdf(float(step)) for step in steps])
    negative = positive - NormalDist().inv_cdf(0.88)
    ev = tm.evaluate(
        np.repeat([1, 0], 100), y_score=np.concatenate([positive, negative]), labels=[1, 0], threshold=0.0
    )
    stated = {
        "TPR": ("0.5", "recall"),
        "FNR": ("0.5", "fnr"),
        "FPR": ("0.12", "fpr"),
        "TNR": ("0.88", "specificity"),
    }
    assert all(
        f"{name} {figure}" in CASES["threshold-1d"]["statement"] for name, (figure, _) in stated.items()
    )
    checks = [words(name, figure, f"{float(ev[metric]):g}") for name, (figure, metric) in stated.items()]
    return Worked(
        "Rows lie on one axis, those of the positive class mostly to the right. Everything to the right of "
        "t is called positive. Which shares come out?",
        tuple(checks),
        lines(
            "The lecture shows a picture without data. Here: 100 points of each class, the quantiles of "
            "two bell curves of the same width, 1.175 apart, and t in the middle of the positives."
        ),
        (
            *tables_of(ev.document(), "Confusion matrix"),
            drawn(ev.roc, "Every t gives a point; t = 0 is one of them."),
        ),
        "TPR and FNR add up to 1, and so do FPR and TNR. The document prints the last figure as FN: "
        "`tallymark textbook fn-for-tn`.",
        (
            "tallymark matrix '50 50; 12 88' --labels +,-",
            file_of("axis.csv", ("actual", "x"), _AXIS),
            "tallymark evaluate axis.csv --actual actual --score x --threshold 0",
        ),
        (
            "import tallymark as tm",
            f"actual, x = {[a for a, _ in _AXIS]}, {[x for _, x in _AXIS]}",
            "ev = tm.evaluate(actual, y_score=x, threshold=0)",
            'print(ev["recall"].value, ev["fpr"].value)',
        ),
    )


@example("roc-landmarks", 3, "What the corners and the diagonal mean", "roc-landmarks", also=(NOTES,))
def landmarks() -> Worked:
    ten = CASES["roc-10-thresholds"]
    ev = scored(ten)
    nothing, everything = ev.roc.at(threshold=2.0), ev.roc.at(threshold=0.0)
    ideal = tm.evaluate([1, 1, 0, 0], y_score=[0.9, 0.8, 0.2, 0.1]).roc
    opposite = tm.evaluate([0, 0, 1, 1], y_score=[0.9, 0.8, 0.2, 0.1]).roc
    # 0.4 of 50 positives and 0.4 of 150 negatives are called positive.
    guessing = tm.Confusion([[20, 30], [60, 90]], labels=["+", "-"]).evaluate()
    return Worked(
        "A classifier is a point with its false positive rate to the right and its true positive rate "
        "upwards. What is at the corners, on the diagonal and below it?",
        (
            words("TPR and FPR when nothing is called positive", "0 0", f"{nothing.tpr:g} {nothing.fpr:g}"),
            words("TPR and FPR when everything is", "1 1", f"{everything.tpr:g} {everything.fpr:g}"),
            by_formula("guessing + with p = 0.4: TPR = p", 0.4, guessing["recall"].value),
            by_formula("guessing + with p = 0.4: FPR = p", 0.4, guessing["fpr"].value),
            by_formula("area of an ideal order", 1, ideal.auc),
            by_formula("area of the opposite order", 0, opposite.auc),
        ),
        (
            table(
                ("", "called +", "called -"),
                (("actual +", 20, 30), ("actual -", 60, 90)),
                "guessing, p = 0.4",
            ),
        ),
        of_document(ev.roc.document(), "Landmarks"),
        "Guessing calls the same share of both classes positive, so it cannot leave the diagonal, whatever "
        "the class shares. Below the diagonal the answers are the opposite of the truth; turned round they "
        "would be above. Other thresholds, other rows or other costs move the point.",
        (
            "tallymark matrix '20 30; 60 90' --labels +,-",
            rows_of(ten),
            "tallymark roc rows.csv --actual actual --score score --positive +",
        ),
        (*rows_in_python(ten), "print(ev.roc.landmarks)", "print(ev.roc.at(threshold=0.5))"),
    )


_MODELS, _ROWS = 100, 60
_BALLOTS = (
    ("yes", "yes", "yes", "no"),
    ("no", "no", "no", "no"),
    ("no", "yes", "no", "yes"),
    ("yes", "yes", "yes", "yes"),
)
"""Four rows to type, each with its class and what three models say."""


@example("votes-as-scores", 3, "A hundred models vote", "votes-as-scores")
def votes() -> Worked:
    random = np.random.default_rng(7)
    actual = np.where(random.random(_ROWS) < 0.4, "yes", "no")
    chance = np.where(actual == "yes", random.normal(0.58, 0.15, _ROWS), random.normal(0.42, 0.15, _ROWS))
    ballots = np.where(random.random((_ROWS, _MODELS)) < chance[:, None], "yes", "no")
    ev = tm.evaluate(actual, votes=ballots, labels=["yes", "no"], pos_label="yes", threshold=50)
    counted = [int(sum(vote == "yes" for vote in row)) for row in ballots]
    alone = tm.evaluate(actual, ballots[:, 0], pos_label="yes")
    single = tm.evaluate(actual == "yes", y_score=(ballots[:, 0] == "yes").astype(float))
    called = [count >= 50 for count in counted]
    tp = sum(said for said, label in zip(called, actual, strict=True) if label == "yes")
    fp = sum(called) - tp
    assert ev.confusion is not None
    (found_tp, _), (found_fp, _) = ev.confusion.matrix.tolist()
    points = [(f"{vote} votes and more", ev.roc.at(threshold=float(vote))) for vote in (70, 60, 50, 40, 30)]
    return Worked(
        "A ROC curve needs scores, and some models only say yes or no. A hundred of them vote about each "
        "row, and the number of votes is the score.",
        (
            by_formula("true positives at 50 votes, counted ballot by ballot", tp, found_tp),
            by_formula("false positives at 50 votes", fp, found_fp),
            by_formula("points of one yes-or-no model between the ends", 1, len(single.roc.threshold) - 2),
        ),
        lines(
            f"{_ROWS} rows and the answers of {_MODELS} models, made here with seed 7; 2 in 5 rows are yes."
        ),
        (
            table(("threshold", "TPR", "FPR"), [(name, sure(p.tpr), sure(p.fpr)) for name, p in points]),
            drawn(
                ev.roc,
                f"The votes' curve, area {float(ev['auc']):.3f}; the first model alone is the one point "
                f"with FPR {float(alone['fpr']):.2f} and TPR {float(alone['recall']):.2f}.",
            ),
        ),
        "A model without a score is one point. One of the documents calls such a model non-parametric; "
        "what it means is that there is no threshold to move.",
        (
            file_of("ballots.csv", ("y", "a", "b", "c"), _BALLOTS),
            "tallymark roc ballots.csv --actual y --votes a,b,c --positive yes",
            TUMOUR_VOTE,
        ),
        (
            "import numpy as np",
            "import tallymark as tm",
            f"actual = {[row[0] for row in _BALLOTS]}",
            f"ballots = np.array({[list(row[1:]) for row in _BALLOTS]})",
            'ev = tm.evaluate(actual, votes=ballots, pos_label="yes", threshold=2)',
            "print(ev.roc.tpr, ev.roc.fpr)",
        ),
    )


TUMOUR_VOTE = (
    "tallymark validate tumours.csv --target diagnosis --id id --positive malignant --model vote:tree:5 "
    "--method holdout:1/3 --metric auc"
)

EXAMPLES = (one_threshold, landmarks, votes)
