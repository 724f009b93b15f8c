"""ROC curves cell by cell as the source documents print them, as data and as text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from textbook_cases import CASES, scored

import tallymark as tm
from collected import each
from scored import shown

SIXTEEN, TEN, OPPOSITE = (CASES[f"roc-{name}"] for name in ("16-sequential", "10-thresholds", "10-opposite"))
COUNTS = ("tp", "fp", "tn", "fn", "tpr", "fpr")
# CASES["roc-16-sequential"], CASES["roc-10-thresholds"], CASES["roc-10-opposite"]


def binned(case):
    edges = np.arange(10, -1, -1) / 10
    return tm.Scores.from_bins(case["positives"], case["negatives"], edges).evaluate().roc


def of_rows(score, positive):
    return tm.evaluate(np.asarray(positive, int), y_score=np.asarray(score, float), labels=[0, 1]).roc


# --- one row per example ---------------------------------------------------------------------------


def test_sixteen_examples():
    curve = scored(SIXTEEN).roc_as("sequential")
    assert curve.threshold.tolist() == [np.inf, *SIXTEEN["scores"]]
    assert curve.tpr.tolist() == [0, *(float(Fraction(rate)) for rate in SIXTEEN["expected"]["tpr"])]
    assert curve.fpr.tolist() == [0, *(float(Fraction(rate)) for rate in SIXTEEN["expected"]["fpr"])]
    assert [SIXTEEN["ids"][row] for row in curve.examples[1:]] == SIXTEEN["ids"]
    assert curve.category == (None, *("+" if label else "-" for label in SIXTEEN["actual"]))


def test_sixteen_examples_grouped_merges_the_two_that_tie():
    curve = scored(SIXTEEN).roc
    assert len(curve.threshold) == 1 + 15
    tied = curve.threshold.tolist().index(0.51)
    assert (curve.tp[tied], curve.fp[tied], curve.category[tied]) == (6, 3, "1+ 1-")
    # 64 pairs, one of them tied: 48 won, so 48.5 of 64.
    assert curve.auc == 48.5 / 64
    assert (curve.pessimistic, curve.optimistic) == (48 / 64, 49 / 64)


# --- bins ------------------------------------------------------------------------------------------


def test_bins():
    case = CASES["roc-binned-10000"]
    expected, curve = case["expected"], binned(case)
    assert curve.construction == "bins"
    assert [round(rate, case["rounded"]) for rate in curve.tpr[1:]] == expected["tpr"]
    assert [round(rate, case["rounded"]) for rate in curve.fpr[1:]] == expected["fpr"]
    assert (curve.tp[-1], curve.fp[-1]) == (expected["positives_total"], expected["negatives_total"])
    perfect = CASES["roc-binned-perfect"]
    curve = binned(perfect)
    assert curve.tpr[1:].tolist() == perfect["expected"]["tpr"]
    assert curve.fpr[1:].tolist() == perfect["expected"]["fpr"]
    assert curve.auc == perfect["expected"]["auc"]


# --- the ascending sweep ---------------------------------------------------------------------------


def test_ascending_sweep():
    expected = TEN["expected"]
    curve = scored(TEN).roc_as("sequential", ascending=True)
    assert curve.threshold.tolist() == expected["threshold"]
    assert list(curve.category) == expected["class"]
    assert {name: getattr(curve, name).tolist() for name in COUNTS} == {
        name: expected[name] for name in COUNTS
    }
    # The text of the same page has a threshold at each unique value: of the three columns at 0.85 the first,
    # where all of them are predicted positive.
    curve, thresholds = scored(TEN).roc_as("grouped", ascending=True), expected["threshold"]
    first = [place for place, value in enumerate(thresholds) if value not in thresholds[:place]]
    assert curve.threshold.tolist() == [thresholds[place] for place in first]
    for name in COUNTS:
        assert getattr(curve, name).tolist() == [expected[name][place] for place in first], name


# --- neighbours of opposite category ---------------------------------------------------------------


def test_thresholds_between_opposite_neighbours():
    curve = scored(OPPOSITE).roc_as("opposite")
    area = Fraction(curve.auc).limit_denominator(25)
    assert area == Fraction(OPPOSITE["expected"]["auc_fraction"])
    # Read off the list: ++ - ++ -- + --
    assert curve.category == (None, "2+", "1-", "2+", "2-", "1+", "2-")
    assert curve.threshold[1:] == pytest.approx([0.85, 0.71, 0.58, 0.315, 0.175, 0.01])


def test_the_worked_tables_as_text(snapshot):
    snapshot(
        "textbook_roc",
        {
            "roc-16-sequential": shown(scored(SIXTEEN).roc_as("sequential")),
            "roc-binned-10000": shown(binned(CASES["roc-binned-10000"])),
            "roc-10-thresholds": shown(scored(TEN).roc_as("sequential", ascending=True)),
            "roc-10-opposite": shown(scored(OPPOSITE).roc_as("opposite")),
        },
    )


# --- what points mean ------------------------------------------------------------------------------


def test_one_threshold_on_one_axis():
    assert "TPR 0.5, FNR 0.5, FPR 0.12, TNR 0.88" in CASES["threshold-1d"]["statement"]
    t = 2.0  # no point lies on it, so x > t and x >= t say the same
    positives = np.concatenate([np.linspace(2.1, 5, 50), np.linspace(-1, 1.9, 50)])
    negatives = np.concatenate([np.linspace(2.05, 3, 12), np.linspace(-4, 1.95, 88)])
    point = of_rows([*positives, *negatives], np.arange(200) < 100).at(threshold=t)
    assert (point.tpr, point.fpr) == (0.5, 0.12)
    assert (point.fn / 100, point.tn / 100) == (0.5, 0.88)


def test_landmarks():  # roc-landmarks
    """(0, 0): all negative; (1, 1): all positive; (0, 1): ideal; the diagonal: random guessing."""
    curve = of_rows(np.random.default_rng(0).random(200), np.arange(200) < 50)
    assert {(mark.fpr, mark.tpr) for mark in curve.landmarks} >= {(0, 0), (1, 1), (0, 1)}
    nothing, everything = curve.at(threshold=2.0), curve.at(threshold=0.0)
    assert (nothing.fpr, nothing.tpr, nothing.tp + nothing.fp) == (0, 0, 0)
    assert (everything.fpr, everything.tpr, everything.tp + everything.fp) == (1, 1, 200)
    # Of 50 positives and 150 negatives the same proportion is predicted positive.
    guessed = of_rows(np.repeat([1, 0, 1, 0], [20, 30, 60, 90]), np.arange(200) < 50)
    assert (guessed.fpr[1], guessed.tpr[1], guessed.auc) == (0.4, 0.4, 0.5)
    assert guessed.below_diagonal is None


@each("positive, area", [([1, 1, 0, 0], 1), ([0, 0, 1, 1], 0)])
def test_below_the_diagonal_the_prediction_is_the_opposite_of_the_truth(positive, area):
    curve = of_rows([0.9, 0.8, 0.2, 0.1], positive)
    assert curve.auc == area  # never flipped
    assert (curve.below_diagonal is None) == (area == 1)
