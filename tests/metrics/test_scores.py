"""Metrics of scores: exact where they can be, counts of any size, and bounds over every order within bins."""

import itertools
import math
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

import tallymark as tm
from scored import scored
from tallymark.metrics.rounding import rounding

RANKINGS = ("auc", "gini", "ks", "average_precision", "partial_auc:0.4", "partial_auc_mcclish:0.4")


def of(found: Any, *names: str) -> list[Any]:
    ev = found if isinstance(found, tm.Evaluation) else found.evaluate()
    return [ev[name].value for name in names]


def bounds(found: Any, name: str) -> tuple[float, float]:
    estimate = found.evaluate()[name]
    return estimate.bounds or (estimate.value, estimate.value)


def test_chance_and_perfection_are_exact() -> None:
    for weight in (None, [0.1, 0.7, 0.2, 0.3, 0.1]):
        good, bad = (
            scored(score, [1, 1, 0, 0, 0], sample_weight=weight)
            for score in ([5, 4, 3, 2, 1], [1, 2, 3, 4, 5])
        )
        assert of(good, "auc", "gini") == [1, 1]
        assert of(bad, "auc", "gini") == [0, -1]
        # The wrong way round the two rates are as far apart.
        assert of(good, "ks", "average_precision") + of(bad, "ks") == pytest.approx([1] * 3, abs=1e-15)
    perfect, constant = scored([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0]), scored([0.5] * 4, [1, 1, 0, 0])
    for fpr in (0.1, 0.37, 1):
        assert perfect[f"partial_auc:{fpr}"].value == fpr
        assert of(perfect, f"partial_auc_mcclish:{fpr}") == pytest.approx([1])
        assert of(constant, f"partial_auc_mcclish:{fpr}") == pytest.approx([0.5])
    assert of(constant, "auc", "gini", "ks", "average_precision") == [0.5, 0, 0, 0.5]
    # A table of three classes in which one is always set apart, whatever the weights.
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, 200)
    table = np.eye(3)[classes] + random.random((200, 3)) / 2
    table /= table.sum(axis=1, keepdims=True)
    for options in ({}, {"sample_weight": random.random(200)}):
        ev = tm.evaluate(classes, y_score=table, labels=range(3), **options)
        for each in (ev, ev.at_prevalence({0: 0.1, 1: 0.3, 2: 0.6})):
            names = (f"auc_{way}_{mean}" for way in ("ovr", "ovo") for mean in ("macro", "weighted"))
            assert of(each, *names) == [1] * 4


def test_half_of_the_score_of_several_classes_goes_up_to_1() -> None:
    wrong = tm.evaluate([0, 1, 2], y_score=np.roll(np.eye(3), 1, axis=1), labels=range(3))
    assert of(wrong, "brier", "brier_half") == [2, 1]
    assert of(scored([1.0, 0.0], [0, 1]), "brier", "brier_half") == [1, 1]


def test_rows_without_weight_at_the_top_change_nothing() -> None:
    ev = scored([0.9, 0.8, 0.7, 0.5, 0.2], [0, 1, 1, 0, 1], sample_weight=[0, 0, 1, 1, 1])
    # 1/2 at a precision of 1, 1/2 at 2/3.
    assert ev["average_precision"].value == pytest.approx(5 / 6)
    kept = tm.Scores(np.array([0.9, 0.7]), np.array([0.0, 2.0]), np.array([0.0, 1.0]), squares=None)
    assert of(kept, "average_precision") == pytest.approx([2 / 3])


# --- large ---------------------------------------------------------------------------------------------


def test_large_counts_are_not_rounded_on_the_way() -> None:
    n = 2**40 + 1  # odd, so that no product is a float
    m = 2**27 + 1
    for score, ups, downs in (
        ([2.0, 1.0], [n, 1], [3, n]),
        ([3.0, 2.0, 1.0], [m, m, m], [0, m, m + 2]),
        ([1.0], [m], [m]),
        ([2.0, 1.0], [m, 0], [0, m]),
        ([2.0, 1.0], [0, m], [m, 0]),
        ([2.0, 1.0], [2**31, 2**31], [2**32 - 1, 2]),
    ):
        won = sum(up * down for at, up in enumerate(ups) for down in downs[at + 1 :])
        tied, pairs = sum(map(int.__mul__, ups, downs)), sum(ups) * sum(downs)
        found = of(tm.Scores(np.array(score), np.array(ups), np.array(downs)), "auc", "gini", "ks")
        sides = [[Fraction(sum(side[:k]), sum(side)) for k in range(len(ups) + 1)] for side in (ups, downs)]
        rates = [abs(tpr - fpr) for tpr, fpr in zip(*sides, strict=True)]
        assert found[:2] == [(2 * won + tied) / (2 * pairs), (2 * won + tied - pairs) / pairs], ups
        assert found[2] == pytest.approx(float(max(rates)), rel=1e-15)
        # All pairs of a bin lost, and all of them won.
        if len(ups) > 1:
            low, high = bounds(tm.Scores.from_bins(ups, downs), "auc")
            assert (low, high) == (won / pairs, (won + tied) / pairs)


def test_a_curve_of_many_points_has_no_seam() -> None:
    random = np.random.default_rng(0)
    n = 140_000
    score, positive = random.random(n), random.random(n) < 0.3
    ev = scored(score, positive)
    rates = roc_curve(positive, score, drop_intermediate=False)
    assert ev["auc"].value == pytest.approx(roc_auc_score(positive, score), rel=1e-13)
    assert ev["ks"].value == pytest.approx((rates[1] - rates[0]).max(), rel=1e-13)
    assert ev["average_precision"].value == pytest.approx(average_precision_score(positive, score), rel=1e-12)
    assert ev["partial_auc_mcclish:0.2"].value == pytest.approx(
        roc_auc_score(positive, score, max_fpr=0.2), rel=1e-12
    )


# --- bins ----------------------------------------------------------------------------------------------

BINNED = tm.Scores.from_bins([2, 1, 1], [1, 2, 1])


def every_order(t: tm.Scores) -> list[tm.Evaluation]:
    found = []
    bins = [[1] * int(up) + [0] * int(down) for up, down in zip(t.positives, t.negatives, strict=True)]
    for orders in itertools.product(*(sorted(set(itertools.permutations(rows))) for rows in bins)):
        flat = np.concatenate(orders)
        found.append(scored(-np.arange(len(flat)), flat == 1))
    return found


def test_bounds_are_the_best_and_the_worst_order() -> None:
    orders = every_order(BINNED)
    for name in RANKINGS:
        values = [ev[name].value for ev in orders]
        low, high = bounds(BINNED, name)
        assert low == pytest.approx(min(values)) or (name == "ks" and low <= min(values)), name
        if name == "average_precision":
            # At most the positives of a bin are tied above its negatives: better than one by one.
            tied = scored([9, 9, 8, 6, 5, 5, 3, 2], [1, 1, 0, 1, 0, 0, 1, 0])
            assert max(values) <= high == pytest.approx(tied[name].value)
        else:
            assert high == pytest.approx(max(values)), name
        assert low - 1e-12 <= BINNED.evaluate()[name].value <= high + 1e-12
    sides = BINNED.positives * 1.0, BINNED.negatives * 1.0
    as_weights = tm.Scores(BINNED.score, *sides, squares=sides, edges=BINNED.edges)
    for name in RANKINGS:
        (low, high), (least, most) = bounds(BINNED, name), bounds(as_weights, name)
        # Weights may be split ever finer, so that precision falls further.
        assert least == pytest.approx(low) or (name == "average_precision" and least < low)
        assert most == pytest.approx(high)


def test_bins_without_a_mixed_one_leave_nothing_open_and_empty_ones_change_nothing() -> None:
    pure = tm.Scores.from_bins([3, 0, 1, 0], [0, 2, 0, 1])
    for name in ("auc", "gini", "ks"):
        assert bounds(pure, name) == (pure.evaluate()[name].value,) * 2
    full = tm.Scores.from_bins([3, 1], [1, 3])
    for ups, downs in (
        ([0, 3, 1], [0, 1, 3]),
        ([3, 0, 1], [1, 0, 3]),
        ([3, 1, 0], [1, 3, 0]),
        ([0, 0, 3, 0, 0, 1, 0], [0, 0, 1, 0, 0, 3, 0]),
    ):
        t = tm.Scores.from_bins(ups, downs)
        # Recall 3/4 at a precision of 3/4, then 1/4 at 4/8.
        assert of(t, "average_precision") == [0.6875]
        for name in RANKINGS:
            assert of(t, name) == of(full, name)
            assert bounds(t, name) == pytest.approx(bounds(full, name), rel=1e-15)


def test_the_lower_bound_of_average_precision_does_not_cancel_far_down() -> None:
    # Below a hundred million negatives: 1 / (1e8 + 1), and 2 / (1e8 + 2) after it.
    above = 10**8
    low, _ = bounds(tm.Scores.from_bins([0, 2], [above - 5, 5]), "average_precision")
    assert low == pytest.approx((1 / (above + 1) + 2 / (above + 2)) / 2, rel=1e-6)
    # Near the expansion's start it is the sum itself.
    for above in (3, 990, 1001, 1010):
        low, _ = bounds(tm.Scores.from_bins([0, 30], [0, above]), "average_precision")
        assert low == pytest.approx(sum(k / (above + k) for k in range(1, 31)) / 30, rel=1e-12)


# --- rounding ------------------------------------------------------------------------------------------


def test_bounds_of_weighted_rows_hold_what_the_same_rows_have_without() -> None:
    """Every row has the same weight, a third, which is rounded the same way each time it is added."""
    random = np.random.default_rng(2)
    rows = 200_000
    positive = random.random(rows) < 0.3
    score = np.round(random.beta(2 + positive, 4), 2)
    score[:2] = 0.005, 0.005001  # one bin with two scores, so that values have bounds
    exact, third = scored(score, positive), np.full(rows, 1 / 3)
    table = pl.DataFrame({"y": positive * 1, "s": score, "w": third})
    ev = tm.tally(table, actual="y", score="s", weight="w", approximate=True).evaluate()
    for name in ("auc", "gini", "ks", "average_precision", "partial_auc:0.2"):
        low, high = ev[name].bounds
        assert low <= exact[name].value <= high, name
        assert 0 < high - low < 1e-6


def test_a_sum_is_not_further_off_than_it_is_taken_to_be() -> None:
    """One number after the other, against a sum that is rounded once."""
    random = np.random.default_rng(0)
    for rows in (1, 10, 1_000, 20_000):
        amounts = random.random(rows).tolist()
        one_by_one = reduce(float.__add__, amounts)
        assert abs(one_by_one - math.fsum(amounts)) <= rounding(rows) * math.fsum(amounts)
    # A third is a little too low or too high at every step of the way, not once so and once so.
    rows, thirds = 1_000_000, math.fsum([1 / 3] * 1_000_000)
    drifted = float(np.bincount(np.zeros(rows, np.int64), weights=np.full(rows, 1 / 3))[0])
    assert rounding(rows) * thirds < abs(drifted - thirds) <= rounding(rows, fractions=True) * thirds
