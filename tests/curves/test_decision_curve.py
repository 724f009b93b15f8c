"""The decision curve against row by row arithmetic, and its intervals against textbook ones."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tallymark.curves.benefit.decision_curve import DecisionCurve
from tallymark.curves.overlaid import overlaid
from tallymark.drawing import text
from tallymark.drawing.figure import Band, Line, Note
from tallymark.drawing.plots.pen import image
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import interval as share_interval
from tallymark.tallies import GroupedScores, Scores

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = count_scores(np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool))


def sample(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, size=n).round(3)
    return score, rng.random(n) < score


def grouped(
    score: NDArray[Any], y: NDArray[np.bool_], group: NDArray[np.int64], weight: NDArray[Any] | None = None
) -> tuple[Scores, GroupedScores]:
    total = count_scores(score, y, weight=weight)
    return total, count_groups(total, score, y, weight, group, tuple(range(int(group.max()) + 1)))


def test_by_hand() -> None:
    curve = DecisionCurve(SMALL)
    # From 0.8 on: 2 true, 1 false positive of 5 rows, and odds of 4; from 0.4 on 3, 1 and 2/3.
    assert curve.at(threshold=0.8) == pytest.approx((2 - 1 * 4) / 5)
    assert curve.at(threshold=0.4) == pytest.approx((3 - 2 / 3) / 5)
    assert curve.at(threshold=0.41) == pytest.approx((2 - 41 / 59) / 5)
    assert curve.at(threshold=0) == 3 / 5
    assert curve.at(threshold=0.95) == 0
    assert curve.threshold.tolist() == [place / 100 for place in range(1, 100)]
    assert curve.all[49] == pytest.approx((3 - 2) / 5)
    # Against acting on all at 0.4: (3 - 2/3) / 5 - (3 - 4/3) / 5 = 2/15, by odds of 2/3: 0.2 per row.
    assert curve.avoided[39] == pytest.approx(0.2)


@pytest.mark.parametrize("weighted", [False, True])
def test_row_by_row_at_every_threshold(weighted: bool) -> None:
    score, y = sample(200)
    weight = np.random.default_rng(9).random(200) if weighted else None
    each = np.ones(200) if weight is None else weight
    curve = DecisionCurve(count_scores(score, y, weight=weight))
    for place, t in enumerate(np.arange(1, 100) / 100):
        acted = score >= t
        expected = np.average(acted * np.where(y, 1, -t / (1 - t)), weights=each)
        assert curve.net_benefit[place] == pytest.approx(expected, abs=1e-12)
        assert curve.at(threshold=t) == curve.net_benefit[place]
        assert curve.all[place] == pytest.approx(np.average(np.where(y, 1, -t / (1 - t)), weights=each))
        # Net reduction in interventions: TN per row, less FN per row by the odds the other way round.
        left = np.average(~acted & ~y, weights=each) - np.average(~acted & y, weights=each) * (1 - t) / t
        assert curve.avoided[place] == pytest.approx(left, abs=1e-10)


def test_another_share_of_positives() -> None:
    curve = DecisionCurve(SMALL, share=0.1)
    # TPR 2/3 and FPR 1/2 at 0.8
    assert curve.at(threshold=0.8) == pytest.approx(0.1 * 2 / 3 - 0.9 / 2 * 4)
    assert curve.all[0] == pytest.approx(0.1 - 0.9 / 99)
    own = DecisionCurve(SMALL, share=0.6)
    assert own.net_benefit == pytest.approx(DecisionCurve(SMALL).net_benefit)
    assert np.array(own.useful) == pytest.approx(np.array(DecisionCurve(SMALL).useful))


# --- where it is worth it ----------------------------------------------------------------------

ROWS = st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=25)


@settings(max_examples=100, deadline=None)
@given(ROWS, st.sampled_from([None, 0.3]))
def test_useful_ranges_are_those_of_a_search(rows: list[tuple[int, bool]], share: float | None) -> None:
    score, y = (np.array(side) for side in zip(*rows, strict=True))
    curve = DecisionCurve(count_scores(score / 10, y), share=share)
    if curve.why:
        return
    ends = [end for each in curve.useful for end in each]
    assert ends == sorted(ends)
    prevalence = y.mean() if share is None else share
    for t in np.arange(0.0005, 1, 0.001):
        if min((abs(t - end) for end in ends), default=1) < 1e-9:
            continue
        best = max(0, prevalence - (1 - prevalence) * t / (1 - t))
        inside = any(low < t < high for low, high in curve.useful)
        assert inside == (curve.at(threshold=t) > best + 1e-12)


def test_useful_by_hand() -> None:
    # Up to 0.4 no positive is left, and 3 of 4 acted on are positive: better than both above 0.1, where not
    # all are acted on. Up to 0.8 one of two left is positive and 2 of 3 acted on: from 1/2 to 2/3. Up to 0.9
    # two of four left and the one acted on.
    expected = [[0.1, 0.4], [1 / 2, 2 / 3], [0.8, 0.9]]
    assert np.array(DecisionCurve(SMALL).useful) == pytest.approx(np.array(expected))
    said = text(DecisionCurve(SMALL).document()).replace("\n", " ")
    assert "On these rows acting on the probabilities is better than acting on all rows and than" in said
    # At 0.9 one true positive of five rows is gained over none; at 0.4 it is 2/15 over all, as above.
    assert "at thresholds between 0.8 and 0.9, where it gains most, and in some other ranges." in said
    # Five rows tell nothing.
    assert "At no threshold is that beyond chance (95 % intervals)." in said
    wrong = DecisionCurve(count_scores(np.array([0.9, 0.1]), np.array([0, 1], bool)))
    assert wrong.useful == ()
    assert "On these rows it is at no threshold better than both" in text(wrong.document())
    assert "beyond chance" not in text(wrong.document())


# --- beyond chance -----------------------------------------------------------------------------


def sure_by_rows(score: NDArray[Any], y: NDArray[np.bool_], thresholds: NDArray[Any]) -> list[float]:
    """Where two means of rows are above 0 by 1.96 standard errors: of acting, and of leaving rows alone."""
    good = []
    for t in thresholds:
        acted, odds = score >= t, t / (1 - t)
        both = acted * np.where(y, 1, -odds), ~acted * np.where(y, -1, odds)
        if all(each.mean() > 1.959964 * each.std(ddof=1) / math.sqrt(len(each)) for each in both):
            good.append(t)
    return good


@pytest.mark.parametrize("copies", [1, 10])
def test_sure_is_where_both_means_of_rows_are_above_0(copies: int) -> None:
    """Of many rows, but for a threshold at either end; ten copies of a row that belong together are one."""
    score, y = sample(20_000)
    # Not worth it everywhere: high probabilities are too high, and low ones too low.
    y = (y & (score < 0.7)) | ((score < 0.1) & (np.arange(20_000) % 8 == 0))
    total, groups = grouped(*(np.repeat(each, copies) for each in (score, y, np.arange(20_000))))
    curve = DecisionCurve(total, groups=None if copies == 1 else groups)
    expected = sure_by_rows(score, y, np.arange(1, 100) / 100)
    ((low, high),) = curve.sure
    assert 0.1 < expected[0] < expected[-1] < 0.7
    assert (low, high) == pytest.approx((expected[0], expected[-1]), abs=0.011)
    assert curve.to_dict()["sure"] == [[low, high]]
    said = " ".join(text(curve.document()).split())
    assert f"That is beyond chance at the thresholds from {low} to {high} (95 % intervals of both" in said


def test_sure_for_another_share_of_positives() -> None:
    score, y = sample(5000)
    own, same = DecisionCurve(count_scores(score, y)), DecisionCurve(count_scores(score, y), share=y.mean())
    # The share is taken for known, so the intervals are a little narrower.
    assert same.sure[0][0] <= own.sure[0][0] + 0.01
    assert same.sure[0][1] >= own.sure[0][1] - 0.01
    assert DecisionCurve(count_scores(score, y), share=0.9).sure != own.sure


def test_a_model_that_knows_nothing_is_rarely_sure() -> None:
    """Scores that say nothing: acting on some at random is never better than the better of all and none."""
    rng = np.random.default_rng(5)
    found = [
        any(low <= 0.3 <= high for low, high in DecisionCurve(count_scores(rng.random(300), y)).sure)
        for y in rng.random((300, 300)) < 0.3
    ]
    assert np.mean(found) <= 0.03


# --- rare positives ----------------------------------------------------------------------------


def rare(n: int = 20_000) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(0)
    score = 1 / (1 + np.exp(-rng.normal(-7, 2, n)))
    return score, rng.random(n) < score


def test_of_rare_positives_low_thresholds_are_shown() -> None:
    score, y = rare()
    assert 0.005 < y.mean() < 0.007
    curve = DecisionCurve(count_scores(score, y))
    # Up to ten times their share, rounded up.
    assert curve.reach == 0.1
    assert set(np.arange(1, 100) / 100) | set(np.arange(1, 100) / 1000) <= set(curve.threshold)
    for t in (0.0007, 0.003, 0.05, 0.33):
        acted = score >= t
        expected = np.mean(acted * np.where(y, 1, -t / (1 - t)))
        assert curve.at(threshold=t) == pytest.approx(expected, abs=1e-15)
    place = int(np.searchsorted(curve.threshold, 0.003))
    assert (curve.threshold[place], curve.net_benefit[place]) == (0.003, curve.at(threshold=0.003))
    printed = text(curve.document())
    rows = [line.split() for line in printed.splitlines() if line[:9].strip().startswith("0.")]
    assert [row[0] for row in rows][:4] == ["0.0007", "0.001", "0.0015", "0.002"]
    assert rows[4][1] == f"{curve.at(threshold=0.003):.5f}"
    assert "between about 0 and 0." in " ".join(printed.split())
    figure = curve.figure()
    (panel,) = figure.panels
    assert (panel.x.low, panel.x.high) == (0, 0.1)
    most = curve.net_benefit[curve.threshold > 0.1].max()
    assert f"Above 10 %, which is not drawn, the net benefit is at most about {most:.5f}." in figure.note
    assert image(figure, ".png")


@pytest.mark.parametrize(
    ("share", "reach"), [(0.3, 1), (0.11, 1), (0.05, 0.5), (0.01, 0.1), (0.001, 0.01), (1e-5, 1e-4)]
)
def test_how_far_the_picture_goes(share: float, reach: float) -> None:
    """Always right: the whole net benefit is there up to 1, so ten times the share is shown."""
    perfect = Scores(np.array([1.0, 0.0]), np.array([10, 0]), np.array([0, round(10 / share) - 10]))
    assert DecisionCurve(perfect).reach == pytest.approx(reach)


def test_nothing_is_drawn_where_nothing_is_left() -> None:
    # 1 % are positive, and all scores are 0.02 or less: nobody is acted on above.
    scores = Scores(np.array([0.02, 0.01]), np.array([50, 50]), np.array([400, 9500]))
    curve = DecisionCurve(scores)
    assert curve.reach == 0.02
    assert curve.figure().note.endswith("Above 2 %, which is not drawn, the net benefit is 0 or less.")
    none = DecisionCurve(Scores(np.array([0.02]), np.array([0]), np.array([10])))
    assert none.reach == 1
    assert image(none.figure(), ".png")


def test_models_in_one_picture_share_what_they_are_compared_with() -> None:
    score, y = rare()
    curves = {name: DecisionCurve(count_scores(s, y)) for name, s in (("a", score), ("b", score**2))}
    both = overlaid({name: curve.figure(name) for name, curve in curves.items()})
    lines = [mark for mark in both.panels[0].marks if isinstance(mark, Line)]
    assert [line.label for line in lines] == ["a", "b", "act on all", "act on none"]
    assert both.note.startswith("a: On these rows better than acting on all and on none at thresholds ")


def test_what_is_avoided_in_words() -> None:
    said = " ".join(text(DecisionCurve(SMALL).document()).split())
    assert (
        "Avoided: what is gained over acting on all rows is worth as much as acting on so many fewer of 100 "
        "rows while missing no more positives (net reduction in interventions)."
    ) in said


# --- intervals ---------------------------------------------------------------------------------


def test_with_no_false_positives_it_is_an_interval_of_a_share() -> None:
    """At the threshold 0 false positives weigh nothing, and everybody is acted on."""
    score, y = sample(80)
    wilson = share_interval(int(y.sum()), 80)
    assert DecisionCurve(count_scores(score, y)).interval(0) == pytest.approx((wilson.low, wilson.high))


def test_for_many_rows_it_is_the_usual_interval() -> None:
    score, y = sample(200_000)
    curve = DecisionCurve(count_scores(score, y))
    for t in (0.1, 0.3, 0.6):
        each = (score >= t) * np.where(y, 1, -t / (1 - t))
        half = 1.959964 * each.std(ddof=1) / math.sqrt(len(each))
        expected = each.mean() - half, each.mean() + half
        assert curve.interval(t) == pytest.approx(expected, abs=0.01 * half)
    narrow, wide = curve.interval(0.3, 0.8), curve.interval(0.3, 0.99)
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_groups_of_one_row_are_rows() -> None:
    score, y = sample(3000)
    total, groups = grouped(score, y, np.arange(3000))
    alone, together = DecisionCurve(total), DecisionCurve(total, groups=groups)
    for t in (0.1, 0.3, 0.6):
        assert together.interval(t) == pytest.approx(alone.interval(t), rel=1e-2)


def test_many_groups_give_the_cluster_robust_interval() -> None:
    score, y = sample(2000)
    group = np.repeat(np.arange(2000), 10)
    total, groups = grouped(np.repeat(score, 10), np.repeat(y, 10), group)
    curve, of_rows = DecisionCurve(total, groups=groups), DecisionCurve(count_scores(score, y))
    for t in (0.1, 0.3, 0.6):
        # Ten copies of a row are worth one.
        assert curve.interval(t) == pytest.approx(of_rows.interval(t), rel=0.02)
    assert curve.assumption == "independent groups (2,000 of them)"


@pytest.mark.parametrize("share", [None, 0.2])
def test_groups_against_sums_by_hand(share: float | None) -> None:
    """With many rows in every group the interval is Student's of the group sums (linearised)."""
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(40), 500)
    score = rng.random(20_000).round(2)
    y = rng.random(20_000) < (score + np.repeat(rng.random(40), 500)) / 2
    total, groups = grouped(score, y, group)
    t, acted = 0.4, score >= 0.4
    odds = t / (1 - t)
    if share is None:
        each = acted * np.where(y, 1, -odds)
        value = each.mean()
        sums = np.bincount(group, each - value) / len(each)
    else:
        tpr, fpr = acted[y].mean(), acted[~y].mean()
        value = share * tpr - (1 - share) * odds * fpr
        part = np.where(y, share * (acted - tpr) / y.sum(), -(1 - share) * odds * (acted - fpr) / (~y).sum())
        sums = np.bincount(group, part)
    half = 2.0226909 * math.sqrt(sums @ sums * 40 / 39)  # Student's 0.975 quantile with 39 degrees
    found = DecisionCurve(total, groups=groups, share=share).interval(t)
    assert found == pytest.approx((value - half, value + half), abs=0.08 * half)


def test_intervals_of_the_grid_are_those_asked_one_by_one() -> None:
    score, y = sample(300)
    total, groups = grouped(score, y, np.arange(300) // 5)
    for curve in (
        DecisionCurve(total),
        DecisionCurve(total, groups=groups),
        DecisionCurve(total, share=0.1),
        DecisionCurve(total, groups=groups, share=0.1),
    ):
        for place in (0, 20, 70, 98):
            ends = curve.low[place], curve.high[place]
            assert curve.interval(curve.threshold[place]) == pytest.approx(ends, abs=1e-12)
        assert (curve.low <= curve.net_benefit).all()
        assert (curve.net_benefit <= curve.high).all()


def test_weights_count_as_kish_says() -> None:
    score, y = sample(1000)
    same = DecisionCurve(count_scores(score, y, weight=np.full(1000, 0.5)))
    assert same.interval(0.3) == pytest.approx(DecisionCurve(count_scores(score, y)).interval(0.3))
    # Half of the weight on a tenth of the rows: Kish's number is (100 x 9 + 900)^2 / (100 x 81 + 900) = 360.
    weight = np.where(np.arange(1000) < 100, 9.0, 1.0)
    uneven = DecisionCurve(count_scores(score, y, weight=weight))
    ends = uneven.interval(0.3)
    assert ends is not None
    acted = score >= 0.3
    value = np.average(acted * np.where(y, 1, -3 / 7), weights=weight)
    spread = np.average((acted * np.where(y, 1, -3 / 7) - value) ** 2, weights=weight)
    assert (ends[1] - ends[0]) / 2 == pytest.approx(1.96 * math.sqrt(spread / 360), rel=0.03)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_it_holds_the_truth_as_often_as_it_says(threshold: float) -> None:
    """Of 100 uniform scores s >= t, (1 - t^2) / 2 of all rows are positive and (1 - t)^2 / 2 negative."""
    truth = (1 - threshold**2) / 2 - (1 - threshold) ** 2 / 2 * threshold / (1 - threshold)
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(500):
        score = rng.random(100)
        ends = DecisionCurve(count_scores(score, rng.random(100) < score)).interval(threshold)
        assert ends is not None
        held += ends[0] <= truth <= ends[1]
    assert 0.92 < held / 500 < 0.99


def test_one_group_has_no_interval() -> None:
    score, y = sample(30)
    total, groups = grouped(score, y, np.zeros(30, np.int64))
    curve = DecisionCurve(total, groups=groups)
    assert curve.interval(0.3) is None
    assert curve.no_interval == "all rows are of one group"
    assert np.isnan(curve.low).all()
    assert not [mark for mark in curve.figure().panels[0].marks if isinstance(mark, Band)]
    assert curve.figure().note.endswith("There are no intervals: all rows are of one group.")
    json.dumps(curve.to_dict(), allow_nan=False)


# --- what has no curve -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "share", "why"),
    [
        (Scores.empty(), None, "there are no rows"),
        (count_scores(np.array([-1.0, 0.5]), np.array([1, 0], bool)), None, "scores leave [0, 1]"),
        (Scores.from_bins([1, 1, 1], [1, 1, 1]), None, "the bins leave [0, 1]"),
        (count_scores(np.ones(2), np.ones(2, bool)), 0.1, "without rows of both classes"),
    ],
)
def test_why_there_is_none(scores: Scores, share: float | None, why: str) -> None:
    curve = DecisionCurve(scores, share=share)
    assert curve.why is not None
    assert curve.why.startswith(why)
    assert len(curve.net_benefit) == len(curve.low) == len(curve.avoided) == len(curve.table()) == 0
    assert curve.useful == ()
    assert curve.to_dict()["why"] == curve.why
    assert "There is no decision curve: " in text(curve.document())
    (note,) = curve.figure().panels[0].marks
    assert isinstance(note, Note)
    with pytest.raises(OptionError, match="there is no curve: "):
        curve.at(threshold=0.5)


def test_one_class_has_a_curve() -> None:
    curve = DecisionCurve(count_scores(np.array([0.9, 0.2]), np.zeros(2, bool)))
    assert curve.at(threshold=0.5) == -0.5
    assert curve.useful == ()
    assert DecisionCurve(count_scores(np.array([0.9, 0.2]), np.ones(2, bool))).at(threshold=0.5) == 0.5


@pytest.mark.parametrize("threshold", [-0.1, 1, 2, math.inf])
def test_a_threshold_is_a_probability_below_1(threshold: float) -> None:
    with pytest.raises(OptionError, match="threshold must be at least 0 and below 1; got "):
        DecisionCurve(SMALL).at(threshold=threshold)


def test_bins_have_a_curve_at_their_edges() -> None:
    curve = DecisionCurve(Scores.from_bins([6, 3, 1], [1, 4, 15], edges=[1, 0.6, 0.2, 0]))
    assert curve.threshold.tolist() == [0, 0.2, 0.6]
    assert curve.net_benefit == pytest.approx([10 / 30, (9 - 5 / 4) / 30, (6 - 1.5) / 30])
    assert curve.useful == ((0.2, 0.6),)
    assert "at the thresholds from 0.2 to 0.6." in text(curve.document()).replace("\n", " ")
    assert curve.to_dict()["exact"] is False
    assert curve.to_dict()["avoided"][0] is None
    with pytest.raises(OptionError, match=r"the threshold 0\.5 is within a bin"):
        curve.at(threshold=0.5)


# --- handed on ---------------------------------------------------------------------------------


def test_handed_on() -> None:
    score, y = sample(300)
    curve = DecisionCurve(count_scores(score, y))
    table = curve.table()
    assert table.columns == ["threshold", "net_benefit", "low", "high", "all", "avoided"]
    assert len(table) == 99
    form = curve.to_dict(most=10)
    json.dumps(form, allow_nan=False)
    assert (form["points"], len(form["threshold"]), form["prevalence"]) == (99, 10, y.mean())
    printed = text(curve.document())
    assert "19 of 99 thresholds" in printed
    said = " ".join(printed.split())
    assert "Intervals are 95 % ones at each threshold, from Wilson's of true and false positives" in said
    assert "(Zou and Donner 2008); independent rows." in said


def test_drawn() -> None:
    score, y = sample(300)
    curve = DecisionCurve(count_scores(score, y))
    (panel,) = curve.figure("tree").panels
    acting, none, own = (mark for mark in panel.marks if isinstance(mark, Line))
    assert own.label == "tree"
    assert (acting.series, none.series) == (None, None)
    # Acting on all is drawn down to the lower edge of the picture, and no further.
    assert acting.y[-1] == pytest.approx(panel.y.low)
    assert acting.y[0] == y.mean()
    (band,) = (mark for mark in panel.marks if isinstance(mark, Band))
    assert band.low.min() >= panel.y.low
    assert image(curve.figure(), ".svg")
