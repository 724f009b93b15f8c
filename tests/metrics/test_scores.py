"""Numbers from scores, checked by hand and by trying every order that bins leave open."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from tallymark.errors import MetricError
from tallymark.intake.ranking import count_scores
from tallymark.metrics import METRICS, SCORE_METRICS, ask, formulas, score_bounds, vocabulary
from tallymark.metrics.scores import blocks, pairs_of
from tallymark.tallies import Moments, Scores, Sums

CONTRACT = (
    *("auc", "gini", "ks", "partial_auc", "partial_auc_mcclish", "average_precision"),
    *("brier", "brier_half", "log_loss"),
)


def tally(*rows: tuple[float, int], weight: list[float] | None = None) -> Scores:
    score, positive = np.array(rows, float).T
    return count_scores(score, positive == 1, weight=None if weight is None else np.array(weight))


def certified(name: str, t: Scores) -> tuple[float, float]:
    return score_bounds.certified(ask(name), t, value(name, t))


def value(name: str, t: Any) -> float:
    asked = ask(name)
    return float(asked.metric(t, *asked.parameters))


# Best first: + - (+ -) + -; of nine pairs 2 + 1 + ... see below.
ROWS = ((0.9, 1), (0.8, 0), (0.7, 1), (0.7, 0), (0.4, 1), (0.1, 0))


# --- by hand ---------------------------------------------------------------------------------


def test_pairs_are_won_tied_and_lost():
    # 0.9 beats all three negatives, 0.7 beats 0.1 and ties with 0.7, 0.4 beats 0.1.
    assert pairs_of(tally(*ROWS)) == (5, 1, 3)


def test_auc_and_gini_by_hand():
    assert value("auc", tally(*ROWS)) == 5.5 / 9
    assert value("gini", tally(*ROWS)) == 2 / 9


def test_ks_by_hand():
    # At 0.9: TPR 1/3, FPR 0. At 0.8: 1/3, 1/3. At 0.7: 2/3, 2/3. At 0.4: 1, 2/3.
    assert value("ks", tally(*ROWS)) == pytest.approx(1 / 3)
    # The wrong way round it is as far: |0 - 1|.
    assert value("ks", tally((1, 0), (0, 1))) == 1


def test_average_precision_by_hand():
    # Recall goes up by 1/3 at 0.9 (precision 1), at 0.7 (2 of 4) and at 0.4 (3 of 5).
    assert value("average_precision", tally(*ROWS)) == pytest.approx((1 + 2 / 4 + 3 / 5) / 3)


def test_partial_area_by_hand():
    # Points (0, 1/3), (1/3, 1/3), (2/3, 2/3), (2/3, 1), (1, 1).
    assert value("partial_auc:0.25", tally(*ROWS)) == pytest.approx(0.25 / 3)
    # Half of the way up the tied step: a triangle of 1/6 by 1/6 on top.
    assert value("partial_auc:0.5", tally(*ROWS)) == pytest.approx(0.5 / 3 + (1 / 6) ** 2 / 2)
    assert value("partial_auc:1", tally(*ROWS)) == pytest.approx(5.5 / 9)
    assert value("partial_auc_mcclish:1", tally(*ROWS)) == pytest.approx(5.5 / 9)


def test_chance_and_perfection_are_standardised():
    perfect = tally((0.9, 1), (0.8, 1), (0.2, 0), (0.1, 0))
    constant = tally((0.5, 1), (0.5, 1), (0.5, 0), (0.5, 0))
    for fpr in (0.1, 0.37, 1):
        assert value(f"partial_auc:{fpr}", perfect) == fpr
        assert value(f"partial_auc_mcclish:{fpr}", perfect) == pytest.approx(1)
        assert value(f"partial_auc_mcclish:{fpr}", constant) == pytest.approx(0.5)


def test_losses_by_hand():
    sums = tally((0.9, 1), (0.2, 0)).sums
    assert value("brier", sums) == pytest.approx((0.01 + 0.04) / 2)
    assert value("brier_half", sums) == value("brier", sums)
    assert value("log_loss", sums) == pytest.approx(-(math.log(0.9) + math.log(0.8)) / 2)


def test_constant_scores():
    t = tally(*((0.3, y) for y in (1, 0, 0, 1, 0)))
    assert value("auc", t) == 0.5
    assert value("gini", t) == value("ks", t) == 0
    assert value("average_precision", t) == 2 / 5


@pytest.mark.parametrize("weight", [None, [0.1, 0.7, 0.2, 0.3, 0.1]])
def test_perfect_is_exactly_1_and_its_opposite_exactly_0(weight):
    good = tally((5, 1), (4, 1), (3, 0), (2, 0), (1, 0), weight=weight)
    bad = tally((1, 1), (2, 1), (3, 0), (4, 0), (5, 0), weight=weight)
    assert value("auc", good) == value("gini", good) == 1
    assert value("ks", good) == pytest.approx(1)
    assert value("auc", bad) == 0
    assert value("gini", bad) == -1
    assert value("average_precision", good) == pytest.approx(1, abs=1e-15)


def test_minus_zero_is_zero_and_float32_is_exact():
    t = tally((0.0, 1), (-0.0, 0))
    assert value("auc", t) == 0.5
    score = np.array([0.1, 0.1, 0.2], np.float32)
    assert value("auc", count_scores(score, np.array([True, False, False]))) == 0.25


# --- nothing to rank -------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in CONTRACT if SCORE_METRICS[name].about == "scores"])
def test_one_class_only_is_undefined(name):
    asked = ask(f"{name}:0.1" if SCORE_METRICS[name].parameters else name)
    only_negative, only_positive = tally((0.5, 0), (0.1, 0)), tally((0.5, 1), (0.1, 1))
    for t, why in ((only_negative, "no row is actually positive (positives = 0)"),):
        assert math.isnan(asked.metric(t, *asked.parameters))
        assert vocabulary.reason(asked.metric.undefined, vocabulary.of_scores(t)) == why
    if name == "average_precision":
        assert asked.metric(only_positive) == 1
    else:
        assert math.isnan(asked.metric(only_positive, *asked.parameters))
        words = vocabulary.of_scores(only_positive)
        assert (
            vocabulary.reason(asked.metric.undefined, words) == "no row is actually negative (negatives = 0)"
        )


def test_no_rows_and_impossible_rows_have_no_loss():
    assert math.isnan(value("brier", Sums()))
    assert math.isnan(value("log_loss", Sums()))
    impossible = tally((0.0, 1), (0.2, 0)).sums
    assert value("brier", impossible) == pytest.approx((1 + 0.04) / 2)
    assert math.isnan(value("log_loss", impossible))


# --- exactness -------------------------------------------------------------------------------


def test_pairs_beyond_int64_are_counted_exactly():
    n = 2**40 + 1  # odd, so that no product is a float
    t = Scores(np.array([2.0, 1.0]), np.array([n, 1]), np.array([3, n]))
    assert pairs_of(t) == (n * n, 3 * n + n, 3)
    assert value("auc", t) == (2 * n * n + 4 * n) / (2 * (n + 1) * (n + 3))


def test_large_counts_are_not_rounded_on_the_way():
    # Odd numbers above 2**53, of which none is a float: 2**54 + 2**28 + 1 and the like.
    n = 2**27 + 1
    t = Scores(np.array([3.0, 2.0, 1.0]), np.array([n, n, n]), np.array([0, n, n + 2]))
    pairs = n * n, n * (n + 2)
    assert all(int(float(each)) != each for each in pairs)
    assert pairs_of(t) == (pairs[0] + 2 * pairs[1], pairs[0] + pairs[1], pairs[0])
    assert pairs_of(Scores(np.array([1.0]), np.array([n]), np.array([n]))) == (0, n * n, 0)
    assert pairs_of(Scores(np.array([2.0, 1.0]), np.array([n, 0]), np.array([0, n]))) == (n * n, 0, 0)
    assert pairs_of(Scores(np.array([2.0, 1.0]), np.array([0, n]), np.array([n, 0]))) == (0, 0, n * n)


def test_blocks_join_without_a_seam():
    generator = np.random.default_rng(0)
    n = 200_000
    t = count_scores(generator.random(n), generator.random(n) < 0.3)
    assert len(list(blocks(t))) > 2
    pieces = [np.concatenate(column) for column in zip(*(each[1:] for each in blocks(t)), strict=True)]
    positives, negatives, tp_before, tp, fp_before, fp = pieces
    np.testing.assert_array_equal(tp, np.cumsum(t.positives))
    np.testing.assert_array_equal(fp, np.cumsum(t.negatives))
    np.testing.assert_array_equal(tp_before + positives, tp)
    np.testing.assert_array_equal(fp_before + negatives, fp)


# --- bins ------------------------------------------------------------------------------------

BINNED = Scores.from_bins([2, 1, 1], [1, 2, 1])


def every_order(t: Scores) -> list[Scores]:
    """All ways to order the rows inside the bins, ties included between neighbours or not at all."""
    found = []
    bins = [[1] * int(up) + [0] * int(down) for up, down in zip(t.positives, t.negatives, strict=True)]
    for orders in itertools.product(*(sorted(set(itertools.permutations(rows))) for rows in bins)):
        flat = np.concatenate(orders)
        found.append(count_scores(-np.arange(len(flat), dtype=float), flat == 1))
    return found


@pytest.mark.parametrize("name", ["auc", "gini", "ks", "partial_auc:0.4", "partial_auc_mcclish:0.4"])
def test_bounds_are_the_best_and_the_worst_order(name):
    values = [value(name, t) for t in every_order(BINNED)]
    low, high = certified(name, BINNED)
    assert low == pytest.approx(min(values)) or (name == "ks" and low <= min(values))
    assert high == pytest.approx(max(values))
    assert low - 1e-12 <= value(name, BINNED) <= high + 1e-12


def test_average_precision_bounds_hold_every_order_and_every_tie():
    low, high = certified("average_precision", BINNED)
    values = [value("average_precision", t) for t in every_order(BINNED)]
    assert low == pytest.approx(min(values))
    # At most the positives of a bin are tied above its negatives: better than one by one.
    tied = count_scores(np.array([9, 9, 8, 6, 5, 5, 3, 2], float), np.array([1, 1, 0, 1, 0, 0, 1, 0], bool))
    assert high == pytest.approx(value("average_precision", tied))
    assert max(values) <= high
    assert low <= value("average_precision", BINNED) <= high


def test_bounds_of_weights_hold_those_of_rows():
    as_weights = Scores(
        BINNED.score,
        BINNED.positives * 1.0,
        BINNED.negatives * 1.0,
        squares=(BINNED.positives * 1.0, BINNED.negatives * 1.0),
        edges=BINNED.edges,
    )
    for name in ("auc", "ks", "average_precision", "partial_auc:0.4"):
        (low, high), (least, most) = certified(name, BINNED), certified(name, as_weights)
        assert least <= low + 1e-12
        assert most == pytest.approx(high)


def test_bins_without_a_mixed_one_leave_nothing_open():
    t = Scores.from_bins([3, 0, 1, 0], [0, 2, 0, 1])
    for name in ("auc", "gini", "ks"):
        assert certified(name, t) == (value(name, t), value(name, t))


EMPTY = (
    ([0, 3, 1], [0, 1, 3]),
    ([3, 0, 1], [1, 0, 3]),
    ([3, 1, 0], [1, 3, 0]),
    ([0, 0, 3, 0, 0, 1, 0], [0, 0, 1, 0, 0, 3, 0]),
)


@pytest.mark.parametrize(("positives", "negatives"), EMPTY)
def test_empty_bins_change_nothing(positives, negatives):
    t, full = Scores.from_bins(positives, negatives), Scores.from_bins([3, 1], [1, 3])
    # Recall 3/4 at a precision of 3/4, then 1/4 at 4/8.
    assert value("average_precision", t) == 0.6875
    for name in ("auc", "gini", "ks", "partial_auc:0.3", "average_precision"):
        assert value(name, t) == value(name, full)
        assert certified(name, t) == pytest.approx(certified(name, full), rel=1e-15)


def test_rows_without_weight_at_the_top_change_nothing():
    rows = ((0.9, 0), (0.8, 1), (0.7, 1), (0.5, 0), (0.2, 1))
    weighted = tally(*rows, weight=[0, 0, 1, 1, 1])
    # 1/2 at a precision of 1, 1/2 at 2/3.
    assert value("average_precision", weighted) == pytest.approx(5 / 6)
    kept = Scores(np.array([0.9, 0.7]), np.array([0.0, 2.0]), np.array([0.0, 1.0]), squares=None)
    assert value("average_precision", kept) == pytest.approx(2 / 3)


def test_the_lower_bound_of_average_precision_does_not_cancel_far_down():
    # Below a hundred million negatives: 1 / (1e8 + 1), and 2 / (1e8 + 2) after it.
    above = 10**8
    low, _ = certified("average_precision", Scores.from_bins([0, 2], [above - 5, 5]))
    assert low == pytest.approx((1 / (above + 1) + 2 / (above + 2)) / 2, rel=1e-6)
    # Near the expansion's start it is the sum itself.
    for above in (990, 1001, 1010):
        low, _ = certified("average_precision", Scores.from_bins([0, 30], [0, above]))
        assert low == pytest.approx(sum(k / (above + k) for k in range(1, 31)) / 30, rel=1e-12)


# --- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONTRACT)
def test_every_name_of_the_contract_is_there(name):
    metric = SCORE_METRICS[name]
    assert metric.name == name
    assert name not in METRICS
    assert metric.meaning.endswith(".")
    assert metric.reference
    assert not metric.needs_costs
    formulas.text(metric.formula)
    formulas.latex(metric.formula)
    for zero in metric.undefined:
        formulas.text(zero)


@pytest.mark.parametrize(
    ("alias", "name"),
    [("roc_auc", "auc"), ("auroc", "auc"), ("c_statistic", "auc"), ("ap", "average_precision")],
)
def test_aliases(alias, name):
    assert ask(alias).name == name


def test_a_parameter_is_part_of_the_name():
    assert ask("partial_auc:0.10").name == "partial_auc:0.1"
    assert ask("partial_auc:1").name == "partial_auc:1"
    assert ask("partial_auc", general=True).parameters == ()


@pytest.mark.parametrize(
    "name", ["partial_auc", "partial_auc:0", "partial_auc:-0.1", "partial_auc:x", "partial_auc:nan"]
)
def test_a_false_positive_rate_lies_above_0_and_up_to_1(name):
    with pytest.raises(MetricError) as caught:
        ask(name)
    assert caught.value.message == (
        f"expected partial_auc:MAX_FPR with a false positive rate above 0 and up to 1, got {name!r}."
    )


def test_percent_are_told_to_be_shares():
    with pytest.raises(MetricError) as caught:
        ask("partial_auc:10")
    assert caught.value.hint == "write 0.1 for 10 %."


def test_auc_takes_no_parameter():
    with pytest.raises(MetricError, match="'auc' takes no parameter"):
        ask("auc:0.1")


@pytest.mark.parametrize("name", ["auc_macro", "brier_micro", "average_precision_weighted", "ap_macro"])
def test_there_are_no_averages_of_that_name(name):
    with pytest.raises(MetricError, match=r"has no \w+ average in this version") as caught:
        ask(name)
    assert "class by class" in str(caught.value.hint)


def test_a_near_name_is_suggested():
    with pytest.raises(MetricError) as caught:
        ask("log_los")
    assert "log_loss" in str(caught.value.hint)


def test_the_formula_is_the_function():
    t = tally(*ROWS)
    won, tied, _ = pairs_of(t)
    words = {"won": won, "tied": tied, "positives": 3, "negatives": 3}
    assert formulas.value(SCORE_METRICS["auc"].formula, words) == value("auc", t)
    assert formulas.value(SCORE_METRICS["gini"].formula, {"auc": value("auc", t)}) == pytest.approx(2 / 9)
    area = {"partial_auc": value("partial_auc:0.5", t), "max_fpr": 0.5}
    expected = value("partial_auc_mcclish:0.5", t)
    assert formulas.value(SCORE_METRICS["partial_auc_mcclish"].formula, area) == pytest.approx(expected)
    losses = {"p_k": [0.9, 0.2], "y_k": [1, 0], "n": 2}
    assert formulas.value(SCORE_METRICS["brier"].formula, losses) == pytest.approx(0.025)
    assert formulas.value(SCORE_METRICS["log_loss"].formula, {"own_k": [0.5, 0.5], "n": 2}) == pytest.approx(
        math.log(2)
    )


def test_sums_of_classes_go_up_to_2():
    sums = Sums(1, 1, 1, Moments(2.0, 2.0, 4.0), most=2)
    assert value("brier", sums) == 2
    assert value("brier_half", sums) == 1
