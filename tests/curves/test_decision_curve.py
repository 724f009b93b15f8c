"""The decision curve against arithmetic row by row, and its intervals against those of textbooks."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import tallymark as tm
from scored import binned, columns, of_one_group, scored

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = scored([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0])
ROWS = st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=25)


def sample(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, size=n).round(3)
    return score, rng.random(n) < score


def gain(score: Any, y: Any, t: float) -> NDArray[np.float64]:
    """What each row adds to the net benefit of acting from t on."""
    return (score >= t) * np.where(y, 1, -t / (1 - t))


def test_by_hand() -> None:
    curve = SMALL.decision_curve
    # From 0.8 on: 2 true, 1 false positive of 5 rows, and odds of 4; from 0.4 on 3, 1 and 2/3.
    found = [curve.at(threshold=t) for t in (0.8, 0.4, 0.41, 0, 0.95)]
    assert found == pytest.approx([(2 - 1 * 4) / 5, (3 - 2 / 3) / 5, (2 - 41 / 59) / 5, 3 / 5, 0])
    assert curve.threshold.tolist() == [place / 100 for place in range(1, 100)]
    assert curve.all[49] == pytest.approx((3 - 2) / 5)
    # Against acting on all at 0.4: (3 - 2/3) / 5 - (3 - 4/3) / 5 = 2/15, by odds of 2/3: 0.2 per row.
    assert curve.avoided[39] == pytest.approx(0.2)
    # Up to 0.4 no positive is left, and 3 of 4 acted on are positive: better than both above 0.1, where not
    # all are acted on. Up to 0.8 one of two left is positive and 2 of 3 acted on: from 1/2 to 2/3. Up to 0.9
    # two of four left and the one acted on.
    assert np.array(curve.useful) == pytest.approx(np.array([[0.1, 0.4], [1 / 2, 2 / 3], [0.8, 0.9]]))
    assert scored([0.9, 0.1], [0, 1]).decision_curve.useful == ()
    assert curve.table().columns == ["threshold", "net_benefit", "low", "high", "all", "avoided"]
    form = json.loads(json.dumps(curve.to_dict(most=10), allow_nan=False))
    assert (form["points"], len(form["threshold"]), form["prevalence"]) == (99, 10, 3 / 5)


def test_the_other_class_of_one_score_is_that_of_two_columns() -> None:
    """1 minus a probability of few digits is that on paper, not that of floating-point numbers."""
    y, p = [1, 0, 0, 1, 0, 1], [0.93, 0.5, 0.2, 0.97, 0.07, 0.61]
    table = np.column_stack([[0.07, 0.5, 0.8, 0.03, 0.93, 0.39], p])
    one, two = (tm.evaluate(y, y_score=given, labels=[0, 1]).per_class[0] for given in (p, table))
    for t in (0.03, 0.07, 0.39, 0.5, 0.8, 0.93):
        assert one.decision_curve.at(threshold=t) == two.decision_curve.at(threshold=t)


def test_another_proportion_of_positives() -> None:
    curve = SMALL.at_prevalence(0.1).decision_curve
    # TPR 2/3 and FPR 1/2 at 0.8
    assert curve.at(threshold=0.8) == pytest.approx(0.1 * 2 / 3 - 0.9 / 2 * 4)
    assert curve.all[0] == pytest.approx(0.1 - 0.9 / 99)
    own, plain = SMALL.at_prevalence(0.6).decision_curve, SMALL.decision_curve
    assert own.net_benefit == pytest.approx(plain.net_benefit)
    assert np.array(own.useful) == pytest.approx(np.array(plain.useful))


@given(ROWS, st.sampled_from([None, 0.3]))
def test_useful_ranges_are_those_of_a_search(rows: list[tuple[int, bool]], share: float | None) -> None:
    score, y = columns(rows)
    if share is not None and (y.all() or not y.any()):
        return
    ev = scored(score / 10, y)
    curve = (ev if share is None else ev.at_prevalence(share)).decision_curve
    ends = [end for each in curve.useful for end in each]
    assert ends == sorted(ends)
    prevalence = y.mean() if share is None else share
    for t in np.arange(0.0005, 1, 0.005):
        if min((abs(t - end) for end in ends), default=1) < 1e-9:
            continue
        best = max(0, prevalence - (1 - prevalence) * t / (1 - t))
        inside = any(low < t < high for low, high in curve.useful)
        assert inside == (curve.at(threshold=t) > best + 1e-12)


def test_sure_is_where_both_means_of_rows_are_above_0() -> None:
    """Of many rows, but for a threshold at either end; copies of a row that belong together are one."""
    score, y = sample(5000)
    # Not worth it everywhere: high probabilities are too high, and low ones too low.
    y = (y & (score < 0.7)) | ((score < 0.1) & (np.arange(5000) % 8 == 0))
    good = []
    for t in np.arange(1, 100) / 100:
        acted, odds = score >= t, t / (1 - t)
        both = acted * np.where(y, 1, -odds), ~acted * np.where(y, -1, odds)
        if all(each.mean() > 1.959964 * each.std(ddof=1) / math.sqrt(len(each)) for each in both):
            good.append(t)
    assert 0.1 < good[0] < good[-1] < 0.7
    copies = [np.repeat(each, 3) for each in (score, y, np.arange(5000))]
    together = scored(*copies[:2], groups=copies[2])
    for ev in (scored(score, y), together):
        ((low, high),) = ev.decision_curve.sure
        assert (low, high) == pytest.approx((good[0], good[-1]), abs=0.011)
        assert ev.decision_curve.to_dict()["sure"] == [[low, high]]


def test_of_rare_positives_low_thresholds_are_shown() -> None:
    rng = np.random.default_rng(0)
    score = 1 / (1 + np.exp(-rng.normal(-7, 2, 20_000)))
    y = rng.random(20_000) < score
    assert 0.005 < y.mean() < 0.007
    curve = scored(score, y).decision_curve
    # Up to ten times their proportion, rounded up.
    assert curve.reach == 0.1
    assert set(np.arange(1, 100) / 100) | set(np.arange(1, 100) / 1000) <= set(curve.threshold)
    for t in (0.0007, 0.003, 0.05, 0.33):
        assert curve.at(threshold=t) == pytest.approx(gain(score, y, t).mean(), abs=1e-15)
    place = int(np.searchsorted(curve.threshold, 0.003))
    assert (curve.threshold[place], curve.net_benefit[place]) == (0.003, curve.at(threshold=0.003))
    rows = [line.split() for line in str(curve).splitlines() if line[:9].strip().startswith("0.")]
    assert [row[0] for row in rows][:4] == ["0.0007", "0.001", "0.0015", "0.002"]
    assert rows[4][1] == f"{curve.at(threshold=0.003):.5f}"


def test_how_far_the_picture_goes() -> None:
    """Always right: the whole net benefit is there up to 1, so ten times the proportion is shown."""
    reaches = {0.3: 1, 0.11: 1, 0.05: 0.5, 0.01: 0.1, 0.001: 0.01, 1e-5: 1e-4}
    found = {}
    for share in reaches:
        counts = np.array([10, 0]), np.array([0, round(10 / share) - 10])
        found[share] = tm.Scores(np.array([1.0, 0.0]), *counts).evaluate().decision_curve.reach
    assert found == pytest.approx(reaches)
    # 1 % are positive, and all scores are 0.02 or less: nobody is acted on above.
    counts = np.array([50, 50]), np.array([400, 9500])
    assert tm.Scores(np.array([0.02, 0.01]), *counts).evaluate().decision_curve.reach == 0.02
    assert scored([0.02] * 10, [0] * 10).decision_curve.reach == 1


def test_it_is_wilsons_without_false_positives_and_the_usual_one_for_many_rows() -> None:
    # At the threshold 0 false positives weigh nothing, and everybody is acted on.
    score, y = sample(80)
    wilson = tm.interval(int(y.sum()), 80)
    assert scored(score, y).decision_curve.interval(0) == pytest.approx((wilson.low, wilson.high))
    score, y = sample(200_000)
    curve = scored(score, y).decision_curve
    for t in (0.1, 0.3, 0.6):
        each = gain(score, y, t)
        half = 1.959964 * each.std(ddof=1) / math.sqrt(len(each))
        assert curve.interval(t) == pytest.approx((each.mean() - half, each.mean() + half), abs=0.01 * half)
    narrow, wide = curve.interval(0.3, 0.8), curve.interval(0.3, 0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_copies_of_a_row_that_belong_together_are_one_row() -> None:
    score, y = sample(2000)
    alone, single = scored(score, y).decision_curve, scored(score, y, groups=np.arange(2000)).decision_curve
    group = np.repeat(np.arange(2000), 10)
    ten = scored(np.repeat(score, 10), np.repeat(y, 10), groups=group).decision_curve
    for t in (0.1, 0.3, 0.6):
        assert single.interval(t) == pytest.approx(alone.interval(t), rel=0.012)
        assert ten.interval(t) == pytest.approx(alone.interval(t), rel=0.02)


def test_groups_against_sums_by_hand() -> None:
    """With many rows in every group the interval is Student's of the group sums (linearised)."""
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(40), 500)
    score = rng.random(20_000).round(2)
    y = rng.random(20_000) < (score + np.repeat(rng.random(40), 500)) / 2
    ev, t, acted = scored(score, y, groups=group), 0.4, score >= 0.4
    for share in (None, 0.2):
        if share is None:
            each = gain(score, y, t)
            value = each.mean()
            sums = np.bincount(group, each - value) / len(each)
        else:
            odds = t / (1 - t)
            tpr, fpr = acted[y].mean(), acted[~y].mean()
            value = share * tpr - (1 - share) * odds * fpr
            parts = share * (acted - tpr) / y.sum(), -(1 - share) * odds * (acted - fpr) / (~y).sum()
            sums = np.bincount(group, np.where(y, *parts))
        half = 2.0226909 * math.sqrt(sums @ sums * 40 / 39)  # Student's 0.975 quantile with 39 degrees
        found = (ev if share is None else ev.at_prevalence(share)).decision_curve.interval(t)
        assert found == pytest.approx((value - half, value + half), abs=0.08 * half)


def test_intervals_of_the_curve_are_those_asked_one_by_one() -> None:
    score, y = sample(300)
    plain, together = scored(score, y), scored(score, y, groups=np.arange(300) // 5)
    for ev in (plain, together, plain.at_prevalence(0.1), together.at_prevalence(0.1)):
        curve = ev.decision_curve
        for place in (0, 20, 70, 98):
            ends = curve.low[place], curve.high[place]
            assert curve.interval(curve.threshold[place]) == pytest.approx(ends, abs=1e-12)
        assert ((curve.low <= curve.net_benefit) & (curve.net_benefit <= curve.high)).all()


def test_weights_count_as_kish_says() -> None:
    score, y = sample(1000)
    plain, halves = (scored(score, y, sample_weight=each) for each in (None, np.full(1000, 0.5)))
    assert halves.decision_curve.interval(0.3) == pytest.approx(plain.decision_curve.interval(0.3))
    # Half of the weight on a tenth of the rows: Kish's number is (100 x 9 + 900)^2 / (100 x 81 + 900) = 360.
    weight = np.where(np.arange(1000) < 100, 9.0, 1.0)
    low, high = scored(score, y, sample_weight=weight).decision_curve.interval(0.3)
    each = gain(score, y, 0.3)
    spread = np.average((each - np.average(each, weights=weight)) ** 2, weights=weight)
    assert (high - low) / 2 == pytest.approx(1.96 * math.sqrt(spread / 360), rel=0.03)


def test_one_group_has_no_interval() -> None:
    curve = of_one_group(*sample(30)).decision_curve
    assert (curve.interval(0.3), bool(curve.no_interval), curve.sure) == (None, True, ())
    assert np.isnan(curve.low).all()
    json.dumps(curve.to_dict(), allow_nan=False)


def test_one_class_has_a_curve_and_bins_have_one_at_their_edges() -> None:
    curve = scored([0.9, 0.2], [0, 0]).decision_curve
    assert (curve.at(threshold=0.5), curve.useful) == (-0.5, ())
    assert scored([0.9, 0.2], [1, 1]).decision_curve.at(threshold=0.5) == 0.5
    curve = binned([6, 3, 1], [1, 4, 15], [1, 0.6, 0.2, 0]).decision_curve
    assert curve.threshold.tolist() == [0, 0.2, 0.6]
    assert curve.net_benefit == pytest.approx([10 / 30, (9 - 5 / 4) / 30, (6 - 1.5) / 30])
    assert curve.useful == ((0.2, 0.6),)
    assert (curve.to_dict()["exact"], curve.to_dict()["avoided"][0]) == (False, None)


def test_no_curve_of_bins_and_scores_outside() -> None:
    for ev in (scored([-1.0, 0.5], [1, 0], threshold=0.0), binned([1, 1, 1], [1, 1, 1])):
        curve = ev.decision_curve
        assert (bool(curve.why), curve.useful, curve.to_dict()["why"]) == (True, (), curve.why)
        sizes = [len(part) for part in (curve.net_benefit, curve.low, curve.avoided, curve.table())]
        assert sizes == [0] * 4
