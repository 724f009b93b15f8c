"""Folds that add up to the tally, and what recalibration gains on rows it was not fitted to."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.inference.folds import aligned_folds, aligned_grouped_folds
from tallymark.inference.recalibration.fits import Isotonic, Platt, Rows, Scale
from tallymark.inference.recalibration.gain import folds_of, grouped_folds_of, recalibration, recalibration_of
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.tallies import Scores


def rows(n=400, power=2.0, seed=0, digits=3):
    generator = np.random.default_rng(seed)
    score = generator.random(n).round(digits)
    return score, generator.random(n) < score**power


def grouped(score, y, groups=40, weight=None, seed=0):
    group = np.random.default_rng(seed).integers(0, groups, len(y))
    t = count_scores(score, y, weight=weight)
    return t, group, count_groups(t, score, y, weight, group, tuple(range(groups)))


# --- folds -----------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=60),
    st.integers(2, 7),
    st.integers(0, 3),
)
def test_folds_add_up_to_the_tally_and_are_of_one_size(given_rows, k, seed):
    score, y = (np.array(side) for side in zip(*given_rows, strict=True))
    t = count_scores(score, y, positive="yes", dropped={"missing_score": 2})
    folds = folds_of(t, k, seed)
    assert len(folds) == k
    assert sum(folds) == t
    for name in ("n_positive", "n_negative"):
        sizes = [getattr(fold, name) for fold in folds]
        assert max(sizes) - min(sizes) <= 1


def test_billions_of_rows_are_dealt_as_fast_as_few():
    t = Scores(np.array([0.9, 0.1]), np.array([10**12, 7]), np.array([3, 10**12 + 1]))
    folds = folds_of(t, 5, 0)
    assert sum(folds) == t
    for fold in folds:
        # Five standard errors of a fifth.
        assert fold.positives[0] == pytest.approx(2 * 10**11, abs=5 * math.sqrt(0.16 * 10**12))


def test_parts_do_not_tell_of_each_other():
    # Were they dealt along the scores, one part would have as many positives around a score as another.
    score, y = rows(2000, 1.0, digits=6)
    differences = []
    for fold in folds_of(count_scores(score, y), 2, 0):
        differences.append(np.bincount((fold.score * 50).astype(int), fold.positives, 51)[:50])
    # Of two halves of independent rows the difference has the variance of their sum.
    one, two = differences
    assert np.mean((one - two) ** 2) == pytest.approx(np.mean(one + two), rel=5 * math.sqrt(2 / 50))


def test_the_seed_decides():
    t = count_scores(*rows())
    assert folds_of(t, 5, 1) == folds_of(t, 5, 1)
    assert folds_of(t, 5, 1) != folds_of(t, 5, 2)


def test_weights_are_dealt_as_so_many_equal_rows():
    score, y = rows(digits=1)
    t = count_scores(score, y, weight=np.random.default_rng(1).random(400))
    folds = folds_of(t, 4, 0)
    total = sum(folds)
    assert (total.rows, total.score.tolist()) == (t.rows, t.score.tolist())
    for name in ("positives", "negatives"):
        assert getattr(total, name) == pytest.approx(getattr(t, name))
    for dealt, whole in zip(total.squares, t.squares, strict=True):
        assert dealt == pytest.approx(whole)
    # Where a sum is that of one row, that row is in one part.
    single = count_scores(np.arange(40) / 40, y[:40], weight=np.random.default_rng(1).random(40))
    for fold in folds_of(single, 4, 0):
        place = np.searchsorted(-single.score, -fold.score)
        assert np.isin(
            fold.positives / np.where(single.positives[place], single.positives[place], 1), [0, 1]
        ).all()


@pytest.mark.parametrize("weight", [np.ones(5_000), np.tile([0.5, 1.5], 2_500)])
def test_weighted_rows_at_few_scores_are_recalibrated_as_rows_are(weight):
    generator = np.random.default_rng(0)
    score = generator.integers(1, 10, 5_000) / 10
    y = generator.random(5_000) < score  # calibrated, so there is nothing to gain
    found = recalibration_of(count_scores(score, y, weight=weight)).isotonic.brier
    assert found.after == pytest.approx(found.before, abs=0.003)


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_stay_whole(weighted):
    score, y = rows(digits=1)
    weight = np.random.default_rng(1).random(400) if weighted else None
    t, group, groups = grouped(score, y, weight=weight)
    folds = grouped_folds_of(groups, 5, 0)
    assert sorted(key for fold in folds for key in fold.keys) == list(range(40))
    total = sum(fold.total for fold in folds)
    assert total.rows == t.rows
    assert total.positives == pytest.approx(t.positives)
    if weighted:
        assert total.squares[1] == pytest.approx(t.squares[1])
    else:
        assert total == t
    for fold, alone in zip(folds, folds_of(t, 5, 0, groups), strict=True):
        here = np.isin(group, fold.keys)
        counts = count_scores(score[here], y[here], weight=None if weight is None else weight[here])
        assert fold.total == alone
        assert fold.total.positives == pytest.approx(counts.positives)
        assert fold.total.score.tolist() == counts.score.tolist()
        ones = np.ones(len(fold.total.score))
        sizes = np.bincount(group[here], weights=weight if weight is None else weight[here], minlength=40)
        assert fold.per_group(ones, ones) == pytest.approx(sizes[list(fold.keys)])


@pytest.mark.parametrize("weighted", [False, True])
def test_aligned_parts_are_the_same_parts_at_all_scores(weighted):
    score, y = rows(digits=2)
    weight = np.random.default_rng(1).random(400) if weighted else None
    t, _, groups = grouped(score, y, weight=weight)
    by_group = [fold.total for fold in aligned_grouped_folds(groups, 5, 3)]
    for parts, folds in (
        (aligned_folds(t, 5, 3), folds_of(t, 5, 3)),
        (by_group, folds_of(t, 5, 3, groups)),
    ):
        for part, fold in zip(parts, folds, strict=True):
            assert part.score.tolist() == t.score.tolist()
            there = np.flatnonzero(part.positives + part.negatives)
            assert part.score[there].tolist() == fold.score.tolist()
            assert part.positives[there].tolist() == fold.positives.tolist()
            assert part.negatives[there].tolist() == fold.negatives.tolist()
            assert (part.rows, part.n) == (fold.rows, pytest.approx(fold.n))


@pytest.mark.parametrize("k", [1, 0, 2.0, True])
def test_wrong_numbers_of_folds(k):
    with pytest.raises(OptionError, match="folds must be a whole number from 2 up"):
        folds_of(count_scores(*rows()), k)


def test_no_rows():
    assert [fold.n for fold in folds_of(Scores.empty(), 3)] == [0, 0, 0]


# --- the two ways ----------------------------------------------------------------------------


def test_pools_by_hand():
    # Up: 0, then 1 of 2 and 1 of 2 pooled with 0 of 1, then 1. Between 0.5 and 0.9 it is a line.
    t = Rows(np.array([0.9, 0.5, 0.4, 0.1]), np.array([1, 1, 1, 0]), np.array([0, 2, 1, 3]), (3, 6))
    fitted = Isotonic.fit(t)
    assert fitted(np.array([0.0, 0.1, 0.4, 0.5, 0.7, 0.9, 1.0])) == pytest.approx([0, 0, 0.4, 0.4, 0.7, 1, 1])


def test_platt_of_equal_scores_says_the_mean_of_his_targets():
    t = Rows(np.array([0.3]), np.array([3]), np.array([5]), (3, 5))
    fitted = Platt.fit(t, Scale(0.01, 0.99))
    assert fitted(np.array([0.3])) == pytest.approx([(3 * 4 / 5 + 5 / 7) / 8])


def test_scores_that_part_the_classes_stay_finite():
    t = Rows(np.array([5.0, -5.0]), np.array([10, 0]), np.array([0, 10]), (10, 10))
    # With his targets the curve goes through 11 / 12 and 1 / 12.
    assert Platt.fit(t, Scale(None))(t.score) == pytest.approx([11 / 12, 1 / 12])


def test_0_and_1_have_a_logit():
    scale = Scale.of(count_scores(np.array([0.0, 0.2, 0.6, 1.0]), np.ones(4, bool)))
    assert scale(np.array([0.0, 0.2, 1.0])) == pytest.approx([math.log(1 / 9), math.log(0.25), math.log(4)])
    assert np.isfinite(
        Scale.of(count_scores(np.array([0.0, 1.0]), np.ones(2, bool)))(np.array([0.0, 1.0]))
    ).all()


# --- what is gained --------------------------------------------------------------------------


def test_too_extreme_probabilities_gain():
    generator = np.random.default_rng(0)
    score = generator.random(2000)
    y = generator.random(2000) < 1 / (1 + (1 / score - 1) ** 0.5)
    found = recalibration_of(count_scores(score, y))
    assert found.better == "platt"
    # The logit was doubled, so half of it is right.
    assert found.platt.slope == pytest.approx(0.5, abs=0.07)
    assert found.platt.intercept == pytest.approx(0, abs=0.15)
    # Without end: the mean of (p - q)^2, q being right.
    grid = (np.arange(10_000) + 0.5) / 10_000
    expected = np.mean((grid - 1 / (1 + (1 / grid - 1) ** 0.5)) ** 2)
    assert found.platt.brier.gain.low < expected < found.platt.brier.gain.high
    assert "they are too extreme" in text(found.document())


def test_right_probabilities_gain_nothing():
    found = recalibration_of(count_scores(*rows(2000, 1.0, digits=6)))
    assert found.better is None
    assert found.platt.brier.gain.low < 0 < found.platt.brier.gain.high
    assert "Neither clearly lowers the Brier score." in text(found.document())


def test_an_infinite_loss_is_said():
    generator = np.random.default_rng(1)
    score = generator.random(300)
    y = generator.random(300) < 0.05 + 0.9 * score
    found = recalibration_of(count_scores(score, y)).isotonic.log_loss
    assert math.isinf(found.after)
    assert found.gain.why == "after it is infinite, because a row gave what came true probability 0"
    assert found.to_dict()["after"] is None
    impossible = recalibration_of(count_scores(np.append(score, 0.0), np.append(y, True))).platt.log_loss
    assert math.isinf(impossible.before)
    assert impossible.gain.why.startswith("before it is infinite")


def test_scores_that_are_no_probabilities_have_no_before():
    generator = np.random.default_rng(1)
    y = generator.random(300) < 0.4
    found = recalibration_of(count_scores(10 * generator.normal(size=300) + 5 * y, y))
    assert found.platt.brier.before is None
    assert 0 < found.platt.brier.after < 0.25
    assert found.platt.brier.gain.why == "scores leave [0, 1], so they are no probabilities"
    assert "There is nothing to compare with: scores leave [0, 1]" in text(found.document())


@pytest.mark.parametrize(
    ("t", "why"),
    [
        (Scores.from_bins([1, 9], [9, 1], edges=[0, 0.5, 1]), "only bins of the scores were counted"),
        (count_scores(np.array([0.1, 0.2, 0.3]), np.array([False, True, False])), "rows of both classes"),
        (Scores.empty(), "rows of both classes"),
    ],
)
def test_why_nothing_was_fitted(t, why):
    found = recalibration_of(t)
    assert why in found.why
    assert (found.isotonic, found.better) == (None, None)
    assert found.to_dict() == {"folds": 5, "why": found.why}
    assert text(found.document()).count("Nothing was recalibrated") == 1


def test_groups_of_one_row_are_rows():
    score, y = rows(300, digits=6)
    t = count_scores(score, y)
    groups = count_groups(t, score, y, None, np.arange(300), tuple(range(300)))
    folds = grouped_folds_of(groups, 5, 0)
    by_group, by_row = recalibration(folds), recalibration([fold.total for fold in folds])
    for name in ("brier", "log_loss"):
        gains = getattr(by_group.platt, name).gain, getattr(by_row.platt, name).gain
        assert gains[0].se == pytest.approx(gains[1].se)
        assert (gains[0].low, gains[0].high) == pytest.approx((gains[1].low, gains[1].high))
    assert by_group.platt.brier.gain.method == "student_groups"
    assert by_group.platt.brier.gain.assumption.startswith("independent groups (300 of them); ")


def test_rows_that_belong_together_widen_the_interval():
    generator = np.random.default_rng(0)
    p = np.repeat(generator.random(30), 20)
    y = np.repeat(generator.random(30), 20) < p**2
    group = np.repeat(np.arange(30), 20)
    t = count_scores(p, y)
    groups = count_groups(t, p, y, None, group, tuple(range(30)))
    wide, narrow = (recalibration_of(t, groups=each).platt.brier.gain.se for each in (groups, None))
    assert wide > 3 * narrow


def test_weights_that_are_all_equal_change_nothing():
    score, y = rows(300, digits=6)
    plain = recalibration_of(count_scores(score, y))
    doubled = recalibration_of(count_scores(score, y, weight=np.full(300, 2.0)))
    for name in ("isotonic", "platt"):
        one, two = getattr(plain, name).brier, getattr(doubled, name).brier
        assert (one.before, one.after, one.gain.se) == pytest.approx((two.before, two.after, two.gain.se))


def test_json():
    form = recalibration_of(count_scores(*rows())).to_dict()
    json.dumps(form, allow_nan=False)
    assert form["better"] in ("isotonic", "platt")
    assert set(form["platt"]) == {"brier", "log_loss", "slope", "intercept"}
