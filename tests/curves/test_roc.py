"""The ROC curve: points, area, ties, hull and band, in every construction, by hand and against peers."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

import tallymark as tm
from scored import BOTH_CLASSES, binned, columns, scored

TEN = np.array([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
TEN_POSITIVE = np.array(list("++---+-+-+")) == "+"
WAYS = ("sequential", "grouped", "opposite", "bins:3", "quantiles:3")


def random_rows(seed=1, size=300, levels=20):
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < 0.3
    return np.round((rng.normal(size=size) + positive) * levels / 6) / levels, positive, rng


def counted(score, positives, negatives):
    return tm.Scores(np.array(score, float), np.array(positives), np.array(negatives)).evaluate().roc


def counts_are_of_rows(curve, score, positive):
    for threshold, tp, fp in zip(curve.threshold, curve.tp, curve.fp, strict=True):
        assert (tp, fp) == ((positive & (score >= threshold)).sum(), (~positive & (score >= threshold)).sum())


def brute_hull(fpr, tpr):
    """A point is a vertex if it repeats no other and is on or below no line between two others."""
    points = list(dict.fromkeys(zip(fpr, tpr, strict=True)))

    def below(place):
        pairs, (x, y) = itertools.product(points[:place], points[place + 1 :]), points[place]
        return any((bx - ax) * (y - ay) <= (by - ay) * (x - ax) for (ax, ay), (bx, by) in pairs)

    return [point for place, point in enumerate(points) if not below(place)]


# --- points and area ---------------------------------------------------------------------------------


def test_points_and_area_are_those_of_scikit_learn():
    wrong = []
    for levels, kind in itertools.product((2, 20, 10_000), ("float64", "float32", "whole", "fractions")):
        score, positive, rng = random_rows(levels=levels)
        score = score.astype(np.float32).astype(float) if kind == "float32" else score
        weight = {"whole": rng.integers(0, 4, len(score)), "fractions": rng.random(len(score))}.get(kind)
        curve = scored(score, positive, sample_weight=weight).roc
        fpr, tpr, threshold = roc_curve(positive, score, sample_weight=weight, drop_intermediate=False)
        # Rows without weight make no point.
        seen = np.isin(threshold, [np.inf, *score[np.ones(len(score)) > 0 if weight is None else weight > 0]])
        area = roc_auc_score(positive, score, sample_weight=weight)
        same = curve.threshold.tolist() == threshold[seen].tolist() and curve.auc == pytest.approx(area)
        same = same and np.allclose([curve.fpr, curve.tpr], [fpr[seen], tpr[seen]], atol=1e-13)
        if not same or (kind == "fractions") != (curve.tp.dtype.kind == "f"):
            wrong.append((levels, kind))
    assert not wrong


def test_float32_scores_are_not_rounded():
    score, positive, _ = random_rows(3)
    curve = tm.evaluate(positive.astype(int), y_score=score.astype(np.float32), labels=[0, 1]).roc
    assert curve.threshold[1:].astype(np.float32).tolist() == curve.threshold[1:].tolist()


def test_one_class_has_no_area_hull_band_or_rates():
    wrong = []
    for positive, way in itertools.product((True, False), WAYS):
        curve = scored([0.0, 0.5, 1.0], [positive] * 3).roc_as(way)
        form = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
        found = [curve.auc, curve.hull, curve.band(), curve.optimistic, curve.pessimistic, form["auc"]]
        found += [form["hull"], curve.ties.optimistic, curve.below_diagonal]
        right = found == [None] * 9 and curve.why and form["why"] == curve.why
        right = right and len(curve.trapezoids()) == 0 and curve.at(threshold=-1).tp == 3 * positive
        right = right and np.isnan(curve.fpr if positive else curve.tpr).all()
        if not right or len(curve.table()) != len(curve.threshold):
            wrong.append((positive, way))
    assert not wrong
    assert (scored([0.2, 0.9], [0, 1]).roc.auc, scored([0.2, 0.9], [0, 1]).roc.below_diagonal) == (1, None)
    assert scored([0.2, 0.9], [1, 0]).roc.below_diagonal


def test_products_of_counts_beyond_64_bits_stay_exact():
    big = 2**50
    curve = binned([big, 1], [1, big]).roc
    # Won: big * big; tied: 2 * big; of (big + 1) squared.
    assert curve.ties.won == big * big
    assert curve.auc == (big * big + big) / (big + 1) ** 2
    n = 2**40 + 1
    ties = counted([2, 1], [n, 1], [3, n]).ties
    assert (ties.won, ties.pairs, ties.of) == (n * n, 4 * n, (n + 1) * (n + 3))
    hull = counted([3, 2, 1], [n, n, 0], [0, n, n]).hull
    assert (hull.fpr.tolist(), hull.tpr.tolist()) == ([0, 0, 0.5, 1], [0, 0.5, 1, 1])


@given(BOTH_CLASSES, st.floats(0, 1))
def test_the_best_point_at_a_rate(rows, asked):
    score, positive = columns(rows)
    curve = scored(score, positive).roc
    every = list(zip(curve.fpr, curve.tpr, strict=True))
    at_fpr, at_tpr = curve.at(fpr=asked), curve.at(tpr=asked)
    assert at_fpr.tpr == max(tpr for fpr, tpr in every if fpr <= asked + 1e-12)
    assert at_fpr.fpr == min(fpr for fpr, tpr in every if tpr == at_fpr.tpr)
    assert at_tpr.fpr == min(fpr for fpr, tpr in every if tpr >= asked - 1e-12)
    assert at_tpr.tpr == max(tpr for fpr, tpr in every if fpr == at_tpr.fpr)
    counts_are_of_rows(curve, score, positive)
    for point in (at_fpr, at_tpr):
        assert (point.threshold, point.tp, point.fp) in zip(curve.threshold, curve.tp, curve.fp, strict=True)


def test_a_fixed_table_and_its_json():
    curve = scored(TEN, TEN_POSITIVE).roc_as("sequential")
    names = ["threshold", "example", "class", "tp", "fp", "tn", "fn", "tpr", "fpr"]
    assert list(curve.table().columns) == list(curve.table("pandas").columns) == names
    assert curve.table("pyarrow").column_names == names
    assert curve.table().row(3) == (0.87, 2, "-", 2, 1, 4, 3, 0.4, 0.2)
    assert scored(TEN, TEN_POSITIVE).roc.table().row(4)[1:3] == (1, 2)
    form = scored(TEN, TEN_POSITIVE).roc_as("sequential", ascending=True).to_dict()
    json.dumps(form, allow_nan=False)
    assert (form["points"], form["thinned"], form["threshold"][0]) == (11, False, 0.25)
    assert form["class"] == ["+", "-", "+", "-", "-", "-", "+", "-", "+", "+", None]
    assert form["ties"] == {"groups": 1, "pairs": 2, "of": 25, "optimistic": 0.6, "pessimistic": 0.52}
    assert curve.to_dict()["threshold"][0] is None


def test_json_of_a_long_curve_is_thinned_but_keeps_ends_and_hull():
    score, positive, _ = random_rows(7, size=5000, levels=10**9)
    curve = scored(score, positive).roc
    form = curve.to_dict(most=100)
    assert (form["thinned"], form["points"]) == (True, len(curve.threshold))
    assert 100 <= len(form["fpr"]) <= 100 + len(curve.hull.fpr)
    assert {0, 1, *curve.hull.fpr.tolist()} <= set(form["fpr"])


# --- ties --------------------------------------------------------------------------------------------


def test_ties_by_hand():
    # Best first: + (+ -) -; of four pairs three are won and one is tied.
    ties = scored([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0]).roc.ties
    assert (ties.groups, ties.pairs, ties.won, ties.of) == (1, 1, 3, 4)
    assert (ties.pessimistic, ties.optimistic) == (0.75, 1)


def test_areas_of_weighted_ties_never_leave_0_and_1():
    positive, found = np.arange(9) < 4, set()
    for seed in range(20):
        weight = np.random.default_rng(seed).random(9)
        perfect = scored(np.arange(9, 0, -1.0), positive, sample_weight=weight).roc
        same = scored(np.ones(9), positive, sample_weight=weight).roc
        found.add((perfect.pessimistic, perfect.optimistic, same.pessimistic, same.optimistic))
    assert found == {(1, 1, 0, 1)}


@given(BOTH_CLASSES)
def test_every_order_within_ties_stays_between_the_two_areas(rows):
    score, positive = columns(rows)
    curve, rng = scored(score, positive).roc, np.random.default_rng(0)

    def in_order(order):
        return scored(score[order], positive[order]).roc_as("sequential")

    areas = {in_order(rng.permutation(len(score))).auc for _ in range(10)}
    assert curve.pessimistic <= min(areas)
    assert max(areas) <= curve.optimistic
    assert in_order(np.argsort(~positive, kind="stable")).auc == curve.optimistic
    assert in_order(np.argsort(positive, kind="stable")).auc == curve.pessimistic
    assert curve.auc == pytest.approx((curve.optimistic + curve.pessimistic) / 2, abs=1e-15)
    fpr, low, high = curve.ties.band
    own = scored(score, positive).roc_as("sequential")
    for f, t in zip(own.fpr, own.tpr, strict=True):
        here = np.flatnonzero((fpr[::2] <= f) & (f <= fpr[1::2]))
        assert low[::2][here].min() <= t <= high[::2][here].max()


# --- constructions -----------------------------------------------------------------------------------


@given(BOTH_CLASSES)
def test_opposite_leaves_out_only_thresholds_within_one_class(rows):
    score, positive = columns(rows)
    ev = scored(score, positive)
    opposite = ev.roc_as("opposite")
    assert opposite.auc == ev.roc.auc
    assert (opposite.fpr[0], opposite.tpr[0], opposite.fpr[-1], opposite.tpr[-1]) == (0, 0, 1, 1)
    counts_are_of_rows(opposite, score, positive)
    groups = [frozenset(positive[score == value].tolist()) for value in sorted(set(score), reverse=True)]
    changes = sum(len(one | two) == 2 for one, two in itertools.pairwise(groups))
    assert len(opposite.threshold) == changes + 2


def test_neighbouring_floats_have_no_middle():
    score = np.array([np.nextafter(0.5, 1), 0.5, 5e-324, 0.0, -1e308, -1.7e308])
    positive = np.array([True, False, True, False, True, False])
    counts_are_of_rows(scored(score, positive).roc_as("opposite"), score, positive)


def test_ascending_is_the_same_points_backwards():
    ev = scored(TEN, TEN_POSITIVE)
    wrong = []
    for way in ("grouped", "opposite", "bins:4", "quantiles:3"):
        down, up = ev.roc_as(way), ev.roc_as(way, ascending=True)
        same = up.tp.tolist() == down.tp[::-1].tolist() and up.category == down.category[::-1]
        same = same and up.threshold[:-1].tolist() == down.threshold[1:][::-1].tolist()
        if not same or (up.auc, up.hull.auc) != (down.auc, down.hull.auc):
            wrong.append(way)
    assert not wrong


def test_an_ascending_sweep_ends_at_1_only_if_all_scores_are_below():
    ends = {(0.2, 0.9): 1, (0.2, 1.0): np.inf, (-0.1, 0.5): np.inf, (3, 40): np.inf}
    curves = {score: scored(score, [0, 1]).roc_as("grouped", ascending=True) for score in ends}
    assert {score: curve.threshold[-1] for score, curve in curves.items()} == ends
    assert {(curve.tp[-1], curve.fp[-1]) for curve in curves.values()} == {(0, 0)}


def test_order_of_rows_within_ties_goes_with_the_sweep():
    ev = scored([0.5, 0.5, 0.5], [1, 0, 1])
    down, up = (ev.roc_as("sequential", ascending=way) for way in (False, True))
    assert (down.examples.tolist(), up.examples.tolist()) == ([-1, 0, 1, 2], [0, 1, 2, -1])
    assert (down.tp.tolist(), up.tp.tolist()) == ([0, 1, 1, 2], [2, 1, 1, 0])
    score, positive, rng = random_rows(5, levels=3)
    order = rng.permutation(len(score))
    one, two = scored(score, positive), scored(score[order], positive[order])
    changed = [way for way in WAYS if one.roc_as(way).fp.tolist() != two.roc_as(way).fp.tolist()]
    assert changed == ["sequential"]


def test_bins_of_equal_width():
    score, positive = [0.3, 0.29999, 0.7, 1.0, 0.0, 0.95], [1, 0, 1, 1, 0, 0]
    curve = scored(score, positive).roc_as("bins:10")
    assert curve.threshold.tolist() == [np.inf, *(k / 10 for k in range(9, -1, -1))]
    assert curve.gained[0].tolist() == [0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert curve.gained[1].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]
    assert curve.names[1:3] == ("[0.90, 1.00]", "[0.80, 0.90)")
    # Beyond 0 and 1 the bins go from the lowest score to the highest.
    assert scored([-2, 3, 8], [0, 1, 1]).roc_as("bins:2").threshold.tolist() == [np.inf, 3, -2]
    huge = scored([-1.7e308, 1.7e308], [0, 1]).roc_as("bins:2")
    assert huge.threshold.tolist() == [np.inf, 0, -1.7e308]
    for way in ("bins:5", "quantiles:5"):
        constant = scored([7.0] * 4, [1, 0, 1, 0]).roc_as(way)
        assert (constant.auc, len(constant.threshold)) == (0.5, 2)


def test_bins_keep_the_weights_of_rows():
    score, positive, rng = random_rows()
    weight = rng.random(len(score))
    for way in ("bins:7", "quantiles:7"):
        curve = scored(score, positive, sample_weight=weight).roc_as(way)
        sums = [weight[(score >= threshold) & positive].sum() for threshold in curve.threshold]
        assert curve.tp == pytest.approx(sums)
        # The band goes by the squares of the weights in each bin.
        equal = scored(score, positive, sample_weight=np.full(len(score), 0.5)).roc_as(way).band().at(0.3)
        assert equal == pytest.approx(scored(score, positive).roc_as(way).band().at(0.3))


def test_quantiles_hold_equally_many_rows():
    rng = np.random.default_rng(0)
    curve = scored(rng.permutation(100), rng.random(100) < 0.4).roc_as("quantiles:10")
    assert (curve.gained[0] + curve.gained[1]).tolist() == [0] + [10] * 10
    assert curve.threshold.tolist() == [np.inf, *range(90, -1, -10)]


@given(BOTH_CLASSES, st.integers(1, 6))
def test_quantiles_never_split_equal_scores(rows, bins):
    score, positive = columns(rows)
    curve = scored(score, positive).roc_as(f"quantiles:{bins}")
    assert len(curve.threshold) - 1 <= min(bins, len(set(score)))
    counts_are_of_rows(curve, score, positive)


def test_counted_bins_have_one_point_each():
    curve = binned([0, 2, 6], [5, 2, 0], [0, 0.25, 0.5, 1]).roc
    assert (curve.construction, curve.threshold.tolist()) == ("bins", [np.inf, 0.5, 0.25, 0])
    assert curve.names == ("", "[0.50, 1.00]", "[0.25, 0.50)", "[0.00, 0.25)")
    # 6 * 7 won, and 2 * 5 won, and 2 * 2 tied, of 56
    assert curve.auc == pytest.approx((42 + 10 + 2) / 56)
    assert (curve.pessimistic, curve.optimistic) == (52 / 56, 1.0)
    inside = binned([2, 1], [0, 3], [1, 0.5, 0]).roc
    assert [inside.at(threshold=at).tp for at in (0.5, 1.1, -1)] == [2, 0, 3]


# --- hull --------------------------------------------------------------------------------------------


def test_hull_by_hand():
    # ++ - ++ -- + --: vertices read off by hand.
    score = [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01]
    hull = scored(score, np.array(list("++-++--+--")) == "+").roc.hull
    assert hull.fpr.tolist() == [0, 0, 0.2, 0.6, 1]
    assert hull.tpr.tolist() == [0, 0.4, 0.8, 1, 1]
    assert hull.threshold.tolist() == [np.inf, 0.98, 0.65, 0.24, 0.01]
    assert hull.slope.tolist() == pytest.approx([np.inf, 2, 0.5, 0])
    # 0.2 * 0.6 + 0.4 * 0.9 + 0.4 * 1
    assert hull.auc == pytest.approx(0.88)
    # An order within ties is no threshold, so the hull does not profit from a lucky one.
    lucky = scored([0.5] * 4, [1, 1, 0, 0]).roc_as("sequential")
    assert (lucky.auc, lucky.hull.fpr.tolist(), lucky.hull.auc) == (1, [0, 1], 0.5)
    empty = binned([3, 0, 1, 0], [0, 0, 1, 3]).roc.hull
    assert list(zip(empty.fpr, empty.tpr, strict=True)) == [(0, 0), (0, 0.75), (0.25, 1), (1, 1)]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_hull_against_every_line_between_two_points(steps):
    positives, negatives = columns(steps)
    if positives.any() and negatives.any():
        hull = counted(np.arange(len(steps), 0, -1), positives, negatives).hull
        fp, tp = (np.cumsum([0, *side]).tolist() for side in (negatives, positives))
        found = zip(np.rint(hull.fpr * fp[-1]), np.rint(hull.tpr * tp[-1]), strict=True)
        assert list(found) == brute_hull(fp, tp)


@given(st.lists(st.tuples(st.integers(1, 11), st.integers(0, 12)), min_size=1, max_size=20))
def test_hull_of_points_that_go_down_as_well(points):
    hull = tm.roc_from_points([(x / 12, y / 12) for x, y in points]).hull
    x, y = np.array(sorted({(0, 0), (12, 12), *points})).T
    found = zip(np.rint(hull.fpr * 12), np.rint(hull.tpr * 12), strict=True)
    assert list(found) == brute_hull(x.tolist(), y.tolist())


def test_hull_of_shapes_that_take_many_passes():
    # A sag ever deeper to the right: each pass takes out its last point only.
    rise = np.diff(np.floor(1000 * np.sqrt(np.arange(200))).astype(int))
    rise[-1] = 10**8
    assert counted(np.arange(199, 0, -1), rise, np.ones(199, int)).hull.fpr.tolist() == [0, 1]
    # More points than one block holds.
    hit = np.random.default_rng(1).random(140_000) < np.linspace(0.9, 0.1, 140_000)
    curve = counted(np.arange(140_000, 0, -1), hit.astype(int), (~hit).astype(int))
    assert 10 < len(curve.hull.fpr) < 1000
    assert (np.diff(curve.hull.slope) < 0).all()
    assert (curve.tpr <= np.interp(curve.fpr, curve.hull.fpr, curve.hull.tpr) + 1e-12).all()
    assert len(curve.to_dict()["fpr"]) < 6_000


# --- band --------------------------------------------------------------------------------------------


@given(BOTH_CLASSES.filter(lambda rows: len({score for score, _ in rows}) == len(rows)), st.floats(0, 1))
def test_band_joins_rectangles_of_wilson_intervals(rows, f):
    """Without ties: the highest top of those that begin by f, the lowest bottom of those not ended by f."""
    curve = scored(*columns(rows)).roc
    low, high = curve.band(0.9).at(f)
    side, every = math.sqrt(0.9), []
    for tp, fp in zip(curve.tp.tolist(), curve.fp.tolist(), strict=True):
        true = tm.interval(tp, int(curve.tp[-1]), confidence_level=side)
        false = tm.interval(fp, int(curve.fp[-1]), confidence_level=side)
        every.append((false.low, false.high, true.low, true.high))
    dust = 1e-12  # f may be the end of a rectangle but for the last bit
    highs = [{top for left, _, _, top in every if left <= f + sign * dust} for sign in (-1, 0, 1)]
    lows = [{bottom for _, right, bottom, _ in every if right >= f + sign * dust} for sign in (-1, 0, 1)]
    assert any(high == pytest.approx(max(tops, default=0), abs=1e-9) for tops in highs)
    assert any(low == pytest.approx(min(bottoms, default=1), abs=1e-9) for bottoms in lows)


def test_band_holds_the_curve_and_grows_with_the_level():
    wrong = []
    for levels in (2, 5, 1000):
        score, positive, _ = random_rows(levels, levels=levels)
        curve = scored(score, positive, confidence_level=0.8).roc
        narrow, wide = curve.band(), curve.band(0.99)
        for f, t in zip(curve.fpr, curve.tpr, strict=True):
            (low, high), (lowest, highest) = narrow.at(f), wide.at(f)
            if not lowest <= low <= t <= high <= highest or narrow.at(f) != curve.band(0.8).at(f):
                wrong.append((levels, f))
    assert not wrong


def test_band_follows_the_curve_between_few_levels_of_score():
    curve, grid = counted([3, 2, 1], [6000, 3000, 1000], [1000, 3000, 6000]), np.linspace(0, 1, 101)
    low, high = curve.band().at(grid)
    middle = np.interp(grid, curve.fpr, curve.tpr)
    assert ((low <= middle) & (middle <= high)).all()
    assert (high - low).max() < 0.12


def test_bins_widen_the_band():
    positives, negatives, grid = [60, 30, 10], [10, 30, 60], np.linspace(0, 1, 101)
    known = counted([3, 2, 1], positives, negatives).band()
    open_band = binned(positives, negatives).roc.band()
    assert (open_band.at(grid)[0] <= known.at(grid)[0] + 1e-12).all()
    assert (open_band.at(grid)[1] >= known.at(grid)[1] - 1e-12).all()
    # Between the edges the true curve may go along either side of the box.
    low, high = open_band.at(0.25)
    assert low < 0.6 < 0.9 < high


def test_the_outline_of_the_band():
    score, positive, rng = random_rows(0, levels=10**9)
    band = scored(score, positive).roc.band()
    x, low, high = band.outline()
    assert (x[0], x[-1]) == (0, 1)
    assert (np.diff(x) >= 0).all()
    wide = np.flatnonzero(np.diff(x) > 1e-9)
    middle = (x[wide] + x[wide + 1]) / 2
    assert (low[wide] + low[wide + 1]) / 2 == pytest.approx(band.at(middle)[0])
    assert (high[wide] + high[wide + 1]) / 2 == pytest.approx(band.at(middle)[1])
    # With fewer corners it is a little wider, never narrower.
    x, low, high = band.outline(most=50)
    assert len(x) == 2 * 50 - 2
    grid = rng.random(300)
    part = np.searchsorted(x[::2], grid, side="right") - 1
    assert (low[::2][part] <= band.at(grid)[0]).all()
    assert (high[::2][part] >= band.at(grid)[1]).all()


def test_weights_and_groups_change_the_band():
    rng = np.random.default_rng(4)
    positive, score, grid = rng.random(100) < 0.5, rng.normal(size=100), np.linspace(0, 1, 41)
    plain = scored(score, positive).roc.band()
    equal = scored(score, positive, sample_weight=np.full(100, 3.0)).roc.band()
    uneven = scored(score, positive, sample_weight=rng.exponential(size=100)).roc.band()
    assert equal.at(grid)[1] == pytest.approx(plain.at(grid)[1])
    widths = [np.mean(band.at(grid)[1] - band.at(grid)[0]) for band in (plain, uneven)]
    assert widths[1] > 1.2 * widths[0]
    together = scored(score, positive, groups=np.arange(100) // 5).roc
    assert (together.band(), bool(together.no_band)) == (None, True)
