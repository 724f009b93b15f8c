"""Rejection curves and the margins they go by: by hand, row by row, and by identities of their areas."""

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from formulas import wilson
from scored import columns, of_one_group, scored

# Six predictions by margin: 0.9 right twice, 0.6 right, 0.6 wrong, 0.3 right, 0.1 wrong.
MARGIN = np.array([0.9, 0.9, 0.6, 0.6, 0.3, 0.1])
RIGHT = np.array([1, 1, 1, 0, 1, 0], bool)
ROWS = st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(1, 4)), min_size=1, max_size=40)
ROW = st.tuples(st.integers(0, 20), st.booleans(), st.integers(1, 3), st.integers(0, 3))
IN_GROUPS = st.lists(ROW, min_size=2, max_size=40).filter(lambda rows: len({each[3] for each in rows}) > 1)


def rejection(margin: Any, right: Any, **options: Any) -> Any:
    """Cut at 0 every row is predicted positive, and its score is how far it is from there."""
    return scored(margin, right, threshold=0.0, **options).rejection


SIX = rejection(MARGIN, RIGHT)


def test_by_hand() -> None:
    assert SIX.theta.tolist() == [0.1, 0.3, 0.6, 0.9]
    assert SIX.rejected.tolist() == [0, 1 / 6, 2 / 6, 4 / 6]
    assert SIX.correct.tolist() == [4 / 6, 4 / 5, 3 / 4, 1]
    assert SIX.correct_of_all.tolist() == [4 / 6, 4 / 6, 3 / 6, 2 / 6]
    assert (SIX.accepted.tolist(), SIX.right.tolist()) == ([6, 5, 4, 2], [4, 4, 3, 2])
    assert (SIX.accuracy, SIX.why, SIX.no_band) == (4 / 6, None, None)
    # Steps: 4/6 for the first sixth, 4/5 for the next, 3/4 for two sixths, 1 for the last two.
    area = (4 / 6 + 4 / 5 + 2 * 3 / 4 + 2) / 6
    assert (SIX.area, SIX.aurc) == (pytest.approx(area), pytest.approx(1 - area))
    # Trapezoids down to nothing: 4/6 to 4/6, to 3/6 and to 2/6 over two sixths, to 0 over two sixths.
    assert SIX.area_of_all == pytest.approx((4 / 6 + (4 / 6 + 3 / 6) / 2 + (3 / 6 + 2 / 6) + 2 / 6) / 6)
    names = ["theta", "rejected", "correct", "correct_of_all", "low", "high", "accepted", "right"]
    assert (SIX.table().columns, SIX.table()["accepted"].to_list()) == (names, [6, 5, 4, 2])
    form = json.loads(json.dumps(SIX.to_dict(), allow_nan=False))
    assert (form["theta"], form["area"]) == ([0.1, 0.3, 0.6, 0.9], SIX.area)
    assert (form["form"], form["threshold"], form["points"], form["thinned"]) == ("distance", 0, 4, False)
    assert (form["level"], form["method"]) == (0.95, "wilson")
    many = rejection(np.arange(500) / 500, np.arange(500) % 3 > 0).to_dict(most=50)
    assert (len(many["theta"]), many["points"], many["thinned"]) == (50, 500, True)


def test_points_asked_for() -> None:
    at = SIX.at(theta=0.6)
    assert (at.theta, at.rejected, at.correct, at.correct_of_all) == (0.6, 2 / 6, 3 / 4, 3 / 6)
    assert (at.accepted, at.right) == (4, 3)
    # A row is rejected if its margin is below theta, not if it equals it; 3 * 0.2, a hair above 0.6, is 0.6.
    assert [SIX.at(theta=theta).accepted for theta in (0.61, 0.59, 0, 3 * 0.2)] == [2, 4, 6, 4]
    nothing = SIX.at(theta=2)
    assert (nothing.rejected, nothing.correct, nothing.accepted, nothing.low) == (1, None, 0, None)
    assert nothing.correct_of_all == 0
    # A proportion to reject is never exceeded; one to be right takes the fewest rejected.
    rejected = [SIX.at(rejected=share).theta for share in (0, 0.1, 1 / 6, 0.3, 0.34, 0.5, 0.7, 1)]
    assert rejected == [0.1, 0.1, 0.3, 0.3, 0.6, 0.6, 0.9, 0.9]
    right = [SIX.at(correct=share).theta for share in (0.5, 0.7, 0.75, 0.8, 0.81, 1)]
    assert right == [0.1, 0.3, 0.3, 0.3, 0.9, 0.9]


@given(ROWS)
def test_every_theta_row_by_row(rows: list[tuple[int, bool, int]]) -> None:
    margin, right, weight = columns(rows)
    curve = rejection(margin / 10, right, sample_weight=weight * 1.0)
    n = weight.sum()
    assert curve.theta.tolist() == (np.unique(margin) / 10).tolist()
    steps, straight = 0.0, 0.0
    for place, theta in enumerate(curve.theta):
        taken = margin / 10 >= theta
        share = weight[taken & right].sum() / weight[taken].sum()
        assert curve.rejected[place] == pytest.approx(weight[~taken].sum() / n)
        assert curve.correct[place] == pytest.approx(share)
        assert curve.correct_of_all[place] == pytest.approx(weight[taken & right].sum() / n)
        here = weight[margin / 10 == theta].sum() / n
        higher = weight[(margin / 10 > theta) & right].sum() / n
        steps += here * share
        straight += here * (curve.correct_of_all[place] + higher) / 2
        at = curve.at(theta=float(theta))
        assert (at.rejected, at.correct) == (curve.rejected[place], curve.correct[place])
        assert (at.low, at.high) == pytest.approx((curve.low[place], curve.high[place]))
    assert (curve.area, curve.area_of_all) == pytest.approx((steps, straight))
    assert curve.area <= curve.perfect_area + 1e-12
    assert curve.area_of_all <= curve.perfect_area_of_all + 1e-12


def test_perfect_random_right_and_wrong() -> None:
    rows, share = 5_000, 0.8
    perfect = rejection(np.arange(rows) / rows, np.arange(rows) >= rows * (1 - share))
    # The wrong fifth first: share / (1 - r) until all that is left is right, which integrates to this.
    assert perfect.perfect_area == pytest.approx(share - share * math.log(share))
    assert perfect.area == pytest.approx(perfect.perfect_area, abs=2e-4)
    assert perfect.area < perfect.perfect_area
    assert perfect.perfect_area_of_all == pytest.approx(0.8 * 0.2 + 0.8**2 / 2)
    assert perfect.area_of_all == pytest.approx(perfect.perfect_area_of_all)
    alike = rejection([0.5] * 10, [1] * 8 + [0] * 2)
    assert (alike.area, alike.area_of_all) == pytest.approx((0.8, 0.4))
    right, wrong = rejection(MARGIN, np.ones(6)), rejection(MARGIN, np.zeros(6))
    assert (right.area, right.aurc, right.area_of_all, right.perfect_area) == (1, 0, 0.5, 1)
    assert (wrong.area, wrong.aurc, wrong.area_of_all, wrong.perfect_area) == (0, 1, 0, 0)


def test_the_band_is_wilsons_and_weights_count_as_kish_says() -> None:
    curve = rejection(MARGIN, RIGHT, confidence_level=0.9)
    for right, accepted, low, high in zip(curve.right, curve.accepted, curve.low, curve.high, strict=True):
        peer = stats.binomtest(int(right), int(accepted)).proportion_ci(0.9, method="wilson")
        assert (low, high) == pytest.approx((peer.low, peer.high))
    weight = np.array([1.0, 2, 3, 1, 2, 5])
    curve = rejection(MARGIN, RIGHT, sample_weight=weight)
    for place, theta in enumerate(curve.theta):
        taken = weight[theta <= MARGIN]
        share = weight[(theta <= MARGIN) & RIGHT].sum() / taken.sum()
        expected = wilson(share, taken.sum() ** 2 / (taken**2).sum(), stats.norm.ppf(0.975))
        assert (curve.low[place], curve.high[place]) == pytest.approx(expected)


def test_groups_count_as_their_spread_says() -> None:
    """Theta by theta, from a table of the groups: what one row is worth, one error more at its worst."""
    rng = np.random.default_rng(2)
    group = rng.integers(0, 12, 90)
    margin = rng.random(90).round(1)
    right = rng.random(90) < 0.3 + 0.5 * (group % 3 > 0)
    for weight in (None, rng.integers(1, 4, 90) * 1.0):
        curve = rejection(margin, right, groups=group, sample_weight=weight)
        each = np.ones(90) if weight is None else weight
        for place, theta in enumerate(curve.theta):
            taken = theta <= margin
            sizes = np.array([each[taken & (group == key)].sum() for key in range(12)])
            wrong = np.array([each[taken & ~right & (group == key)].sum() for key in range(12)])
            n, groups = sizes.sum(), np.count_nonzero(sizes)
            error = wrong.sum() / n
            usual, worst = (each[taken] ** 2).sum() / n, (sizes**2).sum() / n
            spread = ((wrong - error * sizes) ** 2).sum() * groups / (groups - 1)
            seen = max(usual, spread / (n * error * (1 - error)))
            errors = min(wrong.sum(), n - wrong.sum()) / usual
            row = (errors * seen + max(seen, worst)) / (errors + 1)
            expected = wilson(1 - error, n / row, stats.t.ppf(0.975, groups - 1))
            assert (curve.low[place], curve.high[place]) == pytest.approx(expected)
        assert curve.method == "wilson_groups"
    # Groups that are all right are worth one row each.
    curve = rejection(np.tile([0.1, 0.2, 0.3, 0.4, 0.5], 10), np.ones(50), groups=np.repeat(np.arange(10), 5))
    assert (curve.low[0], curve.high[0]) == pytest.approx(wilson(1.0, 10, stats.t.ppf(0.975, 9)))


def test_where_one_group_is_left_there_is_no_interval() -> None:
    some = rejection(MARGIN, RIGHT, groups=[0, 0, 0, 1, 1, 1])
    assert np.isnan(some.low).tolist() == [False, False, False, True]
    json.dumps(some.to_dict(), allow_nan=False)
    one = of_one_group([0.95, 0.95, 0.8, 0.8, 0.65, 0.55], RIGHT).rejection
    assert (bool(one.no_band), one.to_dict()["no_band"]) == (True, one.no_band)
    assert np.isnan(one.low).all()
    assert (one.at(theta=0.3).low, one.at(theta=0.3).correct) == (None, 0.8)


def margins(score: Any, positive: Any, **options: Any) -> tuple[list[float], list[float], list[float]]:
    """The distinct margins, clearest first, with right and wrong rows."""
    curve = scored(score, positive, **options).rejection
    counts = np.array([curve.accepted, curve.right])[:, ::-1]
    accepted, right = np.diff(counts, prepend=0)
    return curve.theta[::-1].tolist(), right.tolist(), (accepted - right).tolist()


def test_margins_and_distances_by_hand() -> None:
    # At 0.5: 0.9+ right 0.8, 0.7- wrong 0.4, 0.5+ right 0, 0.3- right 0.4, 0.3+ wrong 0.4, 0- right 1.
    found = margins([0.9, 0.7, 0.5, 0.3, 0.3, 0.0], [1, 0, 1, 0, 1, 0])
    assert found == ([1, 0.8, 0.4, 0], [1, 1, 1, 1], [0, 0, 2, 0])
    # Cut at 0, a score of 0 is predicted positive.
    found = margins([3.0, 1.5, 0.0, -1.5, -4.0], [1, 0, 0, 0, 1], threshold=0)
    assert found == ([4, 3, 1.5, 0], [0, 1, 1, 0], [1, 0, 1, 1])
    forms = [scored([0.9, 0.2], [1, 0], threshold=cut).rejection.form for cut in (None, 0.5, 0.3)]
    forms += [scored([1.9, 0.2], [1, 0], threshold=0.5).rejection.form]
    assert forms == ["margin", "margin", "distance", "distance"]


def test_margins_that_are_equal_on_paper_are_equal() -> None:
    """p and 1 - p with so many decimals, shares of votes, and distances from a threshold."""
    wrong = []
    for steps in (10, 100, 1000):
        typed = np.array([float(Fraction(step, steps)) for step in range(steps + 1)])
        exact = sorted({float(abs(2 * Fraction(step, steps) - 1)) for step in range(steps + 1)}, reverse=True)
        if margins(typed, typed >= 0.5)[0] != exact:
            wrong.append(steps)
    for votes in (3, 7, 30, 300, 499):
        share = np.arange(votes + 1) / votes
        found, right, bad = margins(share, share >= 0.5)
        if len(found) != votes // 2 + 1 or not {*right} <= {1, 2} or any(bad):
            wrong.append((votes, len(found)))
    for cut in (0.3, 0.1, 7.7, -2.3, 123.4, 9.9):
        away = [Fraction(step, 1000) for step in range(1, 1500, 7)]
        score = np.array([float(Fraction(str(cut)) + side * each) for each in away for side in (1, -1)])
        if margins(score, score >= cut, threshold=cut)[0] != [float(each) for each in reversed(away)]:
            wrong.append(cut)
    assert not wrong


def test_small_and_large_scores_keep_their_digits() -> None:
    found = margins([1e12 + 0.5, 1.0 + 1e-9, 1.0 - 1e-12, -1e12], [1] * 4, threshold=1.0)[0]
    assert found == pytest.approx([1e12 + 1, 1e12 - 0.5, 1e-9, 1e-12], rel=1e-3)
    # Fifteen digits, though another distance has one before the point.
    assert margins([0.423456789012345, 1.3], [1, 1], threshold=0.3)[0] == [1, 0.123456789012345]
    assert margins([3e-300, 1e-300, -2e-300], [1] * 3, threshold=0.0)[0] == [3e-300, 2e-300, 1e-300]


@given(IN_GROUPS, st.sampled_from([0, 6, 10, 13, 20]), st.booleans())
def test_margins_row_by_row(rows: list[tuple[int, bool, int, int]], cut: int, weighted: bool) -> None:
    """Scores in twentieths; right and wrong per margin, and what the groups make of the band."""
    step, positive, weight, group = columns(rows)
    options = {"threshold": cut / 20, "sample_weight": weight * 1.0 if weighted else None}
    away, right = np.abs(step - cut), (step >= cut) == positive
    amount = weight if weighted else np.ones(len(step), int)
    distinct = np.unique(away)[::-1]
    found = margins(step / 20, positive, **options)
    assert found[0] == pytest.approx(distinct / (10 if cut == 10 else 20), abs=1e-15)
    assert found[1] == [amount[(away == each) & right].sum() for each in distinct]
    assert found[2] == [amount[(away == each) & ~right].sum() for each in distinct]
    one = scored(step / 20, positive, groups=group, **options).rejection
    same = rejection(away / 20, right, groups=group, sample_weight=options["sample_weight"])
    assert one.low == pytest.approx(same.low, nan_ok=True)
    assert one.high == pytest.approx(same.high, nan_ok=True)
