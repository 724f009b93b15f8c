"""ROC curves cell by cell as the source documents print them, as data and on paper."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tallymark.curves import roc_of, roc_of_rows
from tallymark.drawing import text
from tallymark.tallies import Scores


def rows_of(case):
    return np.array(case["scores"]), np.array([label in (1, "+") for label in case["actual"]])


def printed(curve, first):
    """The lines of the worked table, from the one that begins so, split into cells."""
    lines = [line.split() for line in text(curve.document()).splitlines()]
    start = next(place for place, cells in enumerate(lines) if cells[: len(first)] == first)
    return lines[start : start + len(curve.threshold)]


# --- one row per example ---------------------------------------------------------------------------


def test_sixteen_examples(roc_16_sequential_case):
    case = roc_16_sequential_case
    curve = roc_of_rows(*rows_of(case))
    assert curve.threshold.tolist() == [np.inf, *case["scores"]]
    assert curve.tpr[1:].tolist() == [float(Fraction(rate)) for rate in case["expected"]["tpr"]]
    assert curve.fpr[1:].tolist() == [float(Fraction(rate)) for rate in case["expected"]["fpr"]]
    assert (curve.tpr[0], curve.fpr[0]) == (0, 0)
    assert [case["ids"][row] for row in curve.examples[1:]] == case["ids"]
    assert curve.category == (None, *("+" if label else "-" for label in case["actual"]))


def test_sixteen_examples_in_print(roc_16_sequential_case):
    case = roc_16_sequential_case
    lines = printed(roc_of_rows(*rows_of(case)), ["inf"])[1:]
    expected = zip(
        case["scores"], case["actual"], case["expected"]["tpr"], case["expected"]["fpr"], strict=True
    )
    for row, (cells, (score, label, tpr, fpr)) in enumerate(zip(lines, expected, strict=True)):
        assert cells[:3] == [str(row + 1), f"{score:.2f}", "+" if label else "-"]
        assert cells[7:] == [tpr, "=", f"{float(Fraction(tpr)):.3f}", fpr, "=", f"{float(Fraction(fpr)):.3f}"]


def test_sixteen_examples_grouped_merges_the_two_that_tie(roc_16_sequential_case):
    score, positive = rows_of(roc_16_sequential_case)
    curve = roc_of_rows(score, positive, "grouped")
    assert len(curve.threshold) == 1 + 15
    tied = curve.threshold.tolist().index(0.51)
    assert (curve.tp[tied], curve.fp[tied], curve.category[tied]) == (6, 3, "1+ 1-")
    # 64 pairs, one of them tied: 48 won, so 48.5 of 64.
    assert curve.auc == 48.5 / 64
    assert (curve.pessimistic, curve.optimistic) == (48 / 64, 49 / 64)


# --- bins ------------------------------------------------------------------------------------------


def bins_of(case):
    return roc_of(Scores.from_bins(case["positives"], case["negatives"], np.arange(10, -1, -1) / 10))


def test_ten_bins(roc_binned_10000_case):
    case = roc_binned_10000_case
    curve = bins_of(case)
    assert curve.construction == "bins"
    assert [round(rate, case["rounded"]) for rate in curve.tpr[1:]] == case["expected"]["tpr"]
    assert [round(rate, case["rounded"]) for rate in curve.fpr[1:]] == case["expected"]["fpr"]
    assert curve.tp[-1] == case["expected"]["positives_total"]
    assert curve.fp[-1] == case["expected"]["negatives_total"]


def test_ten_bins_in_print(roc_binned_10000_case):
    case = roc_binned_10000_case
    lines = printed(bins_of(case), ["none"])[1:]
    assert [" ".join(cells[:2]) for cells in lines][:2] == ["[0.90, 1.00]", "[0.80, 0.90)"]
    for cells, tpr, fpr in zip(lines, case["expected"]["tpr"], case["expected"]["fpr"], strict=True):
        # The document has two decimals, this table three.
        assert (float(cells[-4]), float(cells[-1])) == (
            pytest.approx(tpr, abs=0.0051),
            pytest.approx(fpr, abs=0.0051),
        )
    counts = zip(case["positives"], case["negatives"], strict=True)
    for cells, (positives, negatives) in zip(lines, counts, strict=True):
        rows = [f"{amount:,}{sign}" for amount, sign in ((positives, "+"), (negatives, "-")) if amount]
        assert cells[2 : 2 + len(rows)] == rows


def test_perfect_bins(roc_binned_perfect_case):
    case = roc_binned_perfect_case
    curve = bins_of(case)
    assert curve.tpr[1:].tolist() == case["expected"]["tpr"]
    assert curve.fpr[1:].tolist() == case["expected"]["fpr"]
    assert curve.auc == case["expected"]["auc"]


# --- the ascending sweep ---------------------------------------------------------------------------


def test_ascending_sweep(roc_10_thresholds_case):
    expected = roc_10_thresholds_case["expected"]
    curve = roc_of_rows(*rows_of(roc_10_thresholds_case), ascending=True)
    assert curve.threshold.tolist() == expected["threshold"]
    assert list(curve.category) == expected["class"]
    for name in ("tp", "fp", "tn", "fn", "tpr", "fpr"):
        assert getattr(curve, name).tolist() == expected[name], name


def test_ascending_sweep_in_print(roc_10_thresholds_case):
    expected = roc_10_thresholds_case["expected"]
    curve = roc_of_rows(*rows_of(roc_10_thresholds_case), ascending=True)
    lines = printed(curve, ["10", "0.25"])
    for place, cells in enumerate(lines):
        threshold, label = f"{expected['threshold'][place]:.2f}", expected["class"][place]
        # The added end has no row and no class.
        named = [threshold] if label is None else [cells[0], threshold, label]
        counts = [str(expected[name][place]) for name in ("tp", "fp", "tn", "fn")]
        assert cells[: len(named) + 4] == [*named, *counts]
        assert [float(cells[-4]), float(cells[-1])] == [expected["tpr"][place], expected["fpr"][place]]


def test_a_threshold_at_each_unique_value(roc_10_thresholds_case):
    """The text of the same page; of the three columns at 0.85 the first has all of them called positive."""
    expected = roc_10_thresholds_case["expected"]
    curve = roc_of_rows(*rows_of(roc_10_thresholds_case), "grouped", ascending=True)
    first = [
        place
        for place, value in enumerate(expected["threshold"])
        if value not in expected["threshold"][:place]
    ]
    assert curve.threshold.tolist() == [expected["threshold"][place] for place in first]
    for name in ("tp", "fp", "tn", "fn", "tpr", "fpr"):
        assert getattr(curve, name).tolist() == [expected[name][place] for place in first], name


# --- neighbours of opposite category ---------------------------------------------------------------


def test_thresholds_between_opposite_neighbours(roc_10_opposite_case):
    curve = roc_of_rows(*rows_of(roc_10_opposite_case), "opposite")
    assert Fraction(curve.auc).limit_denominator(25) == Fraction(
        roc_10_opposite_case["expected"]["auc_fraction"]
    )
    # Read off the list: ++ - ++ -- + --
    assert curve.category == (None, "2+", "1-", "2+", "2-", "1+", "2-")
    assert curve.threshold[1:] == pytest.approx([0.85, 0.71, 0.58, 0.315, 0.175, 0.01])
    assert "20 of the 25 pairs of a positive and a negative row are ranked right." in text(
        curve.document(), width=400
    )


# --- what points mean ------------------------------------------------------------------------------


def test_one_threshold_on_one_axis(threshold_1d_case):
    assert "TPR 0.5, FNR 0.5, FPR 0.12, TNR 0.88" in threshold_1d_case["statement"]
    t = 2.0  # no point lies on it, so x > t and x >= t say the same
    positives = np.concatenate([np.linspace(2.1, 5, 50), np.linspace(-1, 1.9, 50)])
    negatives = np.concatenate([np.linspace(2.05, 3, 12), np.linspace(-4, 1.95, 88)])
    curve = roc_of_rows(np.concatenate([positives, negatives]), np.arange(200) < 100, "grouped")
    point = curve.at(threshold=t)
    assert (point.tpr, point.fpr) == (0.5, 0.12)
    assert (point.fn / 100, point.tn / 100) == (0.5, 0.88)


def test_landmarks(roc_landmarks_case):
    assert "(0,0) calls everything negative" in roc_landmarks_case["statement"]
    rng = np.random.default_rng(0)
    score, positive = rng.random(200), np.arange(200) < 50
    curve = roc_of_rows(score, positive, "grouped")
    words = {(mark.fpr, mark.tpr): mark.words for mark in curve.landmarks}
    assert words[0, 0] == "calls everything negative"
    assert words[1, 1] == "calls everything positive"
    assert words[0, 1].startswith("ideal")
    nothing, everything = curve.at(threshold=2.0), curve.at(threshold=0.0)
    assert (nothing.fpr, nothing.tpr, nothing.tp + nothing.fp) == (0, 0, 0)
    assert (everything.fpr, everything.tpr, everything.tp + everything.fp) == (1, 1, 200)
    said = text(curve.document(), width=400)
    assert "calling positive with probability p, whatever the row, gives TPR = FPR = p" in said


def test_random_guessing_lies_on_the_diagonal(roc_landmarks_case):
    assert "TPR = FPR = p" in roc_landmarks_case["statement"]
    # Scores given without looking at the row: of 50 positives and 150 negatives the same share is called.
    curve = roc_of(Scores(np.array([1.0, 0.0]), np.array([20, 30]), np.array([60, 90])))
    assert (curve.fpr[1], curve.tpr[1], curve.auc) == (0.4, 0.4, 0.5)
    assert curve.below_diagonal is None


def test_ideal_and_opposite(roc_landmarks_case):
    assert "below the diagonal the prediction is the opposite of the truth" in roc_landmarks_case["statement"]
    score, positive = np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, True, False, False])
    assert roc_of_rows(score, positive, "grouped").auc == 1
    upside_down = roc_of_rows(score, ~positive, "grouped")
    assert upside_down.auc == 0  # never flipped
    assert "opposite of the truth" in upside_down.below_diagonal
    assert "opposite of the truth" in text(upside_down.document(), width=400)
