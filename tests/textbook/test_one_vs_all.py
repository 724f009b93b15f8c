"""N classes give N ROC curves, each class against the rest."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm

LABELS = ["X", "Y", "Z"]
ACTUAL = ["X", "X", "X", "Y", "Y", "Y", "Z", "Z", "Z"]
TABLE = np.array(
    [
        [0.8, 0.1, 0.1],
        [0.7, 0.2, 0.1],
        [0.6, 0.1, 0.3],
        [0.5, 0.3, 0.2],
        [0.2, 0.6, 0.2],
        [0.1, 0.4, 0.5],
        [0.1, 0.5, 0.4],
        [0.3, 0.1, 0.6],
        [0.2, 0.2, 0.6],
    ]
)
PAIRS = {"X": 18, "Y": 16, "Z": 17}
"""Of 3 x 6 pairs of a row of the class and one of the rest, those in the right order, counted by hand."""


@pytest.mark.parametrize("label", LABELS)
def test_each_class_has_a_curve_against_the_rest(one_vs_all_roc_case, label):
    assert one_vs_all_roc_case["kind"] == "method"
    ev = tm.evaluate(ACTUAL, y_score=TABLE, labels=LABELS)
    result = ev.per_class[label]
    assert result["auc"].value == PAIRS[label] / 18
    assert result.roc.auc == pytest.approx(PAIRS[label] / 18)
    assert (result.roc.tpr[-1], result.roc.fpr[-1]) == (1, 1)


def test_the_table_shows_which_class_is_recognised_best(one_vs_all_roc_case):
    assert "recognised" in one_vs_all_roc_case["statement"]
    text = str(tm.evaluate(ACTUAL, y_score=TABLE, labels=LABELS))
    line = next(line for line in text.splitlines() if line.rstrip().endswith(" X"))
    assert "1.000" in line


def test_all_curves_in_one_place_best_recognised_first(one_vs_all_roc_case):
    assert one_vs_all_roc_case["statement"].startswith("N classes give N ROC curves")
    every = tm.evaluate(ACTUAL, y_score=TABLE, labels=LABELS).one_vs_rest
    assert every.order == ("X", "Z", "Y")
    assert {label: area[0] for label, area in every.areas.items()} == {
        label: pairs / 18 for label, pairs in PAIRS.items()
    }
    assert len(every.curves) == 3
