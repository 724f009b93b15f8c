"""Every construction of an ROC curve: where the thresholds are, and what ties leave open."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.curves import roc_of, roc_of_rows
from tallymark.drawing import text
from tallymark.errors import OptionError, ShapeError
from tallymark.tallies import Scores

TEN = np.array([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
TEN_POSITIVE = np.array(list("++---+-+-+")) == "+"

both_classes = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=12).filter(
    lambda rows: len({positive for _, positive in rows}) == 2
)


def columns(rows):
    score, positive = zip(*rows, strict=True)
    return np.array(score, float), np.array(positive)


def random_rows(seed, size=400, levels=20, dtype=np.float64):
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < 0.3
    score = np.round((rng.normal(size=size) + positive) * levels / 6) / levels
    return score.astype(dtype), positive, rng


@given(both_classes)
def test_opposite_has_the_area_of_grouped(rows):
    score, positive = columns(rows)
    grouped, opposite = (roc_of_rows(score, positive, way) for way in ("grouped", "opposite"))
    assert opposite.auc == grouped.auc
    assert (opposite.fpr[0], opposite.tpr[0], opposite.fpr[-1], opposite.tpr[-1]) == (0, 0, 1, 1)
    assert len(opposite.threshold) <= len(grouped.threshold)
    for threshold, tp, fp in zip(opposite.threshold, opposite.tp, opposite.fp, strict=True):
        assert (tp, fp) == ((positive & (score >= threshold)).sum(), (~positive & (score >= threshold)).sum())


@given(both_classes)
def test_opposite_leaves_out_only_thresholds_within_one_class(rows):
    score, positive = columns(rows)
    distinct = sorted(set(score), reverse=True)
    classes = [frozenset(positive[score == value].tolist()) for value in distinct]
    changes = sum(len(one | two) == 2 for one, two in itertools.pairwise(classes))
    assert len(roc_of_rows(score, positive, "opposite").threshold) == changes + 2


def test_no_middle_between_neighbouring_floats():
    score = np.array([np.nextafter(0.5, 1), 0.5, 5e-324, 0.0, -1e308, -1.7e308])
    positive = np.array([True, False, True, False, True, False])
    curve = roc_of_rows(score, positive, "opposite")
    for threshold, tp in zip(curve.threshold, curve.tp, strict=True):
        assert tp == (positive & (score >= threshold)).sum()


@given(both_classes)
def test_orders_within_ties_stay_between_the_two_bounds(rows):
    score, positive = columns(rows)
    curve = roc_of_rows(score, positive, "grouped")
    areas = set()
    rng = np.random.default_rng(0)
    for _ in range(30):
        order = rng.permutation(len(score))
        areas.add(roc_of_rows(score[order], positive[order]).auc)
    assert curve.pessimistic <= min(areas)
    assert max(areas) <= curve.optimistic
    for first, area in ((positive, curve.optimistic), (~positive, curve.pessimistic)):
        order = np.argsort(~first, kind="stable")
        assert roc_of_rows(score[order], positive[order]).auc == area
    assert curve.auc == pytest.approx((curve.optimistic + curve.pessimistic) / 2, abs=1e-15)


@given(both_classes)
def test_sequential_stays_within_the_band_of_ties(rows):
    score, positive = columns(rows)
    curve = roc_of_rows(score, positive)
    fpr, low, high = curve.ties.band
    for f, t in zip(curve.fpr, curve.tpr, strict=True):
        here = np.flatnonzero((fpr[::2] <= f) & (f <= fpr[1::2]))
        assert low[::2][here].min() <= t <= high[::2][here].max()


def test_ascending_is_the_same_points_backwards():
    for way in ("grouped", "opposite", "bins:4", "quantiles:3"):
        down = roc_of_rows(TEN, TEN_POSITIVE, way)
        up = roc_of_rows(TEN, TEN_POSITIVE, way, ascending=True)
        assert up.tp.tolist() == down.tp[::-1].tolist()
        assert up.threshold[:-1].tolist() == down.threshold[1:][::-1].tolist()
        assert up.category == down.category[::-1]
        assert (up.auc, up.hull.auc) == (down.auc, down.hull.auc)


@pytest.mark.parametrize(
    ("score", "last"), [([0.2, 0.9], 1.0), ([0.2, 1.0], np.inf), ([-0.1, 0.5], np.inf), ([3, 40], np.inf)]
)
def test_where_an_ascending_sweep_ends(score, last):
    curve = roc_of_rows(np.array(score), np.array([False, True]), "grouped", ascending=True)
    assert curve.threshold[-1] == last
    assert (curve.tp[-1], curve.fp[-1]) == (0, 0)


def test_file_order_within_ties_goes_with_the_sweep():
    score, positive = np.array([0.5, 0.5, 0.5]), np.array([True, False, True])
    down, up = (roc_of_rows(score, positive, ascending=way) for way in (False, True))
    assert down.examples.tolist() == [-1, 0, 1, 2]
    assert up.examples.tolist() == [0, 1, 2, -1]
    assert down.tp.tolist() == [0, 1, 1, 2]
    assert up.tp.tolist() == [2, 1, 1, 0]


def test_bins_of_equal_width_between_0_and_1():
    score = np.array([0.3, 0.29999, 0.7, 1.0, 0.0, 0.95])
    positive = np.array([True, False, True, True, False, False])
    curve = roc_of_rows(score, positive, "bins:10")
    assert curve.threshold.tolist() == [np.inf, *(k / 10 for k in range(9, -1, -1))]
    assert curve.gained[0].tolist() == [0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert curve.gained[1].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]
    assert curve.names[1:3] == ("[0.90, 1.00]", "[0.80, 0.90)")
    assert curve.note == "10 bins of equal width from 0 to 1"


def test_bins_of_scores_beyond_0_and_1():
    curve = roc_of_rows(np.array([-2.0, 3.0, 8.0]), np.array([False, True, True]), "bins:2")
    assert curve.threshold.tolist() == [np.inf, 3, -2]
    assert curve.note == "2 bins of equal width from -2 to 8, the lowest and the highest score"
    huge = roc_of_rows(np.array([-1.7e308, 1.7e308]), np.array([False, True]), "bins:2")
    assert huge.threshold.tolist() == [np.inf, 0, -1.7e308]


@pytest.mark.parametrize("way", ["bins:5", "quantiles:5"])
def test_constant_scores(way):
    curve = roc_of_rows(np.full(4, 7.0), np.array([True, False, True, False]), way)
    assert curve.auc == 0.5
    assert len(curve.threshold) == 2
    assert curve.note.startswith("1 bin ")


def test_quantiles_hold_equally_many_rows():
    rng = np.random.default_rng(0)
    score, positive = rng.permutation(100).astype(float), rng.random(100) < 0.4
    curve = roc_of_rows(score, positive, "quantiles:10")
    assert (curve.gained[0] + curve.gained[1]).tolist() == [0] + [10] * 10
    assert curve.threshold.tolist() == [np.inf, *range(90, -1, -10)]
    assert curve.note == "10 bins with about equally many rows each"


@given(both_classes, st.integers(1, 6))
def test_quantiles_never_split_equal_scores(rows, bins):
    score, positive = columns(rows)
    curve = roc_of_rows(score, positive, f"quantiles:{bins}")
    assert len(curve.threshold) - 1 <= min(bins, len(set(score)))
    for threshold, tp, fp in zip(curve.threshold, curve.tp, curve.fp, strict=True):
        assert (tp, fp) == ((positive & (score >= threshold)).sum(), (~positive & (score >= threshold)).sum())


def test_fewer_quantiles_are_said():
    score = np.array([1.0, 1, 1, 1, 2])
    curve = roc_of_rows(score, np.array([True, False, True, False, True]), "quantiles:4")
    assert curve.note == "2 bins with about equally many rows each, not 4, because equal scores stay together"


@pytest.mark.parametrize("way", ["sequential", "grouped", "opposite", "bins:3", "quantiles:3"])
def test_file_order_matters_in_one_construction_only(way):
    score, positive, rng = random_rows(5, levels=3)
    order = rng.permutation(len(score))
    one, two = roc_of_rows(score, positive, way), roc_of_rows(score[order], positive[order], way)
    assert (one.fp.tolist() == two.fp.tolist()) == (way != "sequential")


def test_wrong_constructions():
    tally = Scores(TEN[:3].copy(), np.array([1, 1, 0]), np.array([0, 0, 1]))
    with pytest.raises(
        OptionError, match="must be one of grouped, sequential, opposite, bins:N, quantiles:N; got"
    ):
        roc_of(tally, "ties")
    for wrong in ("bins", "bins:0", "bins:2.5", "quantiles:-1", "bins:1000001"):
        with pytest.raises(OptionError, match="with a whole number of bins from 1 to 1,000,000; got"):
            roc_of(tally, wrong)
    with pytest.raises(OptionError, match="'sequential' needs rows"):
        roc_of(tally, "sequential")
    with pytest.raises(OptionError, match="names are those of bins"):
        roc_of(tally, names=["a", "b", "c"])
    with pytest.raises(ShapeError, match="as many as each other"):
        roc_of_rows(TEN, TEN_POSITIVE[:3])


# --- counted in bins -------------------------------------------------------------------------------


def test_counted_bins_have_one_point_each():
    curve = roc_of(Scores.from_bins([0, 2, 6], [5, 2, 0], edges=[0, 0.25, 0.5, 1]))
    assert (curve.construction, curve.threshold.tolist()) == ("bins", [np.inf, 0.5, 0.25, 0])
    assert curve.names == ("", "[0.50, 1.00]", "[0.25, 0.50)", "[0.00, 0.25)")
    assert "one point per bin" in curve.note
    # 6 * 7 won, and 2 * 5 won, and 2 * 2 tied, of 56
    assert curve.auc == pytest.approx((42 + 10 + 2) / 56)
    assert (curve.pessimistic, curve.optimistic) == (52 / 56, 1.0)


def test_counted_bins_keep_their_own_names():
    curve = roc_of(Scores.from_bins([2, 1], [0, 3]), names=["sure", "unsure"])
    assert "sure" in text(curve.document())
    assert curve.table()["bin"].to_list() == [None, "sure", "unsure"]
    with pytest.raises(ShapeError, match="1 names for 2 bins"):
        roc_of(Scores.from_bins([2, 1], [0, 3]), names=["sure"])


@pytest.mark.parametrize("way", ["opposite", "bins:2", "quantiles:2"])
def test_counted_bins_have_no_other_construction(way):
    with pytest.raises(OptionError, match="needs every score, and only bins"):
        roc_of(Scores.from_bins([2, 1], [0, 3]), way)


def test_no_threshold_inside_a_bin():
    curve = roc_of(Scores.from_bins([2, 1], [0, 3], edges=[1, 0.5, 0]))
    assert curve.at(threshold=0.5).tp == 2
    assert curve.at(threshold=1.1).tp == 0
    assert curve.at(threshold=-1).tp == 3
    for inside in (0.7, 1.0):
        with pytest.raises(
            OptionError, match=r"is within a bin, and only bins were counted\. Hint: .* 0\.5\."
        ):
            curve.at(threshold=inside)
