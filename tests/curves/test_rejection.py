"""Rejection curves by hand, theta by theta, and against the identities that their areas have."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from tallymark.curves.overlaid import overlaid
from tallymark.curves.rejection.curve import Rejection
from tallymark.curves.rejection.margins import margins_of
from tallymark.drawing import text
from tallymark.drawing.figure import Band, Line, Note
from tallymark.drawing.plots.pen import image
from tallymark.errors import OptionError
from tallymark.evaluation import evaluate
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.tallies import GroupedScores, Scores

# Six answers by margin: 0.9 right twice, 0.6 right, 0.6 wrong, 0.3 right, 0.1 wrong.
MARGIN = np.array([0.9, 0.9, 0.6, 0.6, 0.3, 0.1])
RIGHT = np.array([1, 1, 1, 0, 1, 0], bool)
SIX = count_scores(MARGIN, RIGHT)


def test_by_hand() -> None:
    curve = Rejection(SIX)
    assert curve.theta.tolist() == [0.1, 0.3, 0.6, 0.9]
    assert curve.rejected.tolist() == [0, 1 / 6, 2 / 6, 4 / 6]
    assert curve.correct.tolist() == [4 / 6, 4 / 5, 3 / 4, 1]
    assert curve.correct_of_all.tolist() == [4 / 6, 4 / 6, 3 / 6, 2 / 6]
    assert (curve.accepted.tolist(), curve.right.tolist()) == ([6, 5, 4, 2], [4, 4, 3, 2])
    assert (curve.accuracy, curve.why, curve.no_band) == (4 / 6, None, None)
    # Steps: 4/6 for the first sixth, 4/5 for the next, 3/4 for two sixths, 1 for the last two.
    area = (4 / 6 + 4 / 5 + 2 * 3 / 4 + 2) / 6
    assert curve.area == pytest.approx(area)
    assert curve.aurc == pytest.approx(1 - area)
    # Trapezoids down to nothing: 4/6 to 4/6, to 3/6 and to 2/6 over two sixths, to 0 over two sixths.
    assert curve.area_of_all == pytest.approx((4 / 6 + (4 / 6 + 3 / 6) / 2 + (3 / 6 + 2 / 6) + 2 / 6) / 6)


def test_a_theta() -> None:
    curve = Rejection(SIX)
    at = curve.at(theta=0.6)
    assert (at.theta, at.rejected, at.correct, at.correct_of_all) == (0.6, 2 / 6, 3 / 4, 3 / 6)
    assert (at.accepted, at.right) == (4, 3)
    # A row is rejected when its margin is below theta, not when it equals it.
    assert curve.at(theta=0.61).accepted == 2
    assert curve.at(theta=0.59).accepted == 4
    assert curve.at(theta=0).accepted == 6
    # 3 * 0.2 is a hair above 0.6, and meant as 0.6.
    assert 3 * 0.2 > 0.6
    assert curve.at(theta=3 * 0.2).accepted == 4
    nothing = curve.at(theta=2)
    assert (nothing.rejected, nothing.correct, nothing.accepted, nothing.low) == (1, None, 0, None)
    assert nothing.correct_of_all == 0


def test_a_share_rejected_is_never_exceeded() -> None:
    curve = Rejection(SIX)
    shares = (0, 0.1, 1 / 6, 0.3, 0.34, 0.5, 0.7, 1)
    assert [curve.at(rejected=share).theta for share in shares] == [0.1, 0.1, 0.3, 0.3, 0.6, 0.6, 0.9, 0.9]


def test_a_share_right_takes_the_fewest_rejected() -> None:
    curve = Rejection(SIX)
    assert [curve.at(correct=share).theta for share in (0.5, 0.7, 0.75, 0.8, 0.81, 1)] == [
        0.1,
        0.3,
        0.3,
        0.3,
        0.9,
        0.9,
    ]


def test_a_share_right_that_cannot_be_had() -> None:
    wrong_at_the_top = count_scores(np.array([0.9, 0.6, 0.6, 0.1]), np.array([0, 1, 1, 0], bool))
    with pytest.raises(OptionError) as raised:
        Rejection(wrong_at_the_top).at(correct=0.99)
    assert str(raised.value) == (
        "no theta leaves 99 % right; the most is 66.7 %, with 25 % rejected (theta 0.6)."
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "ask for one of theta= or rejected= or correct=; got nothing."),
        (
            {"theta": 0.1, "rejected": 0.2},
            "ask for one of theta= or rejected= or correct=; got theta=0.1, rej",
        ),
        ({"rejected": 20}, "rejected must be between 0 and 1; got 20.0."),
        ({"correct": -0.5}, "correct must be between 0 and 1; got -0.5."),
        ({"theta": math.nan}, "theta must be finite, got nan."),
        ({"theta": "much"}, "theta must be a number, got 'much'."),
    ],
)
def test_what_cannot_be_asked(asked: dict, said: str) -> None:
    with pytest.raises(OptionError) as raised:
        Rejection(SIX).at(**asked)
    assert str(raised.value).startswith(said)


ROWS = st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(1, 4)), min_size=1, max_size=40)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_every_theta_row_by_row(rows: list[tuple[int, bool, int]]) -> None:
    margin, right, weight = (np.array(side) for side in zip(*rows, strict=True))
    curve = Rejection(count_scores(margin / 10, right, weight=weight * 1.0))
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
    assert curve.area == pytest.approx(steps)
    assert curve.area_of_all == pytest.approx(straight)
    assert curve.area <= curve.perfect_area + 1e-12
    assert curve.area_of_all <= curve.perfect_area_of_all + 1e-12


# --- areas ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [1, 2, 12])
def test_the_area_of_all_is_that_of_the_roc_of_being_right(decimals: int) -> None:
    """A right row beats half of the right ones, and of the wrong ones the share that the ROC area says."""
    rng = np.random.default_rng(decimals)
    margin = rng.random(500).round(decimals)
    right = rng.random(500) < 0.6 + 0.4 * margin
    curve, share = Rejection(count_scores(margin, right)), right.mean()
    area = roc_auc_score(right, margin)
    assert curve.area_of_all == pytest.approx(share**2 / 2 + area * share * (1 - share), abs=1e-12)


def test_the_risk_coverage_area_is_the_mean_of_the_errors_so_far() -> None:
    """Without ties: over the rows, clearest first, the mean of the error rate among those so far."""
    rng = np.random.default_rng(8)
    margin = rng.random(300)
    right = rng.random(300) < 0.5 + margin / 2
    wrong = ~right[np.argsort(-margin)]
    expected = np.mean(np.cumsum(wrong) / np.arange(1, 301))
    assert Rejection(count_scores(margin, right)).aurc == pytest.approx(expected, abs=1e-12)


def test_perfect_and_random_rejection() -> None:
    rows, share = 20_000, 0.8
    perfect = Rejection(count_scores(np.arange(rows) / rows, np.arange(rows) >= rows * (1 - share)))
    # The wrong fifth first: share / (1 - r) until all that is left is right, which integrates to this.
    assert perfect.perfect_area == pytest.approx(share - share * math.log(share))
    assert perfect.area == pytest.approx(perfect.perfect_area, abs=1e-4)
    assert perfect.area < perfect.perfect_area
    assert perfect.perfect_area_of_all == pytest.approx(0.8 * 0.2 + 0.8**2 / 2)
    assert perfect.area_of_all == pytest.approx(perfect.perfect_area_of_all)
    alike = Rejection(Scores(np.array([0.5]), np.array([8]), np.array([2])))
    assert (alike.area, alike.area_of_all) == pytest.approx((0.8, 0.4))


def test_all_right_and_all_wrong() -> None:
    right = Rejection(count_scores(MARGIN, np.ones(6, bool)))
    assert (right.area, right.aurc, right.area_of_all, right.perfect_area) == (1, 0, 0.5, 1)
    wrong = Rejection(count_scores(MARGIN, np.zeros(6, bool)))
    assert (wrong.area, wrong.aurc, wrong.area_of_all, wrong.perfect_area) == (0, 1, 0, 0)
    assert "No theta leaves 80 % right; the most is 0 %, with 0 % rejected" in text(wrong.document())
    for curve in (right, wrong):
        assert image(curve.figure(), ".png")


# --- the band ------------------------------------------------------------------------------------


def test_the_band_is_wilsons() -> None:
    curve = Rejection(SIX, level=0.9)
    for right, accepted, low, high in zip(curve.right, curve.accepted, curve.low, curve.high, strict=True):
        peer = stats.binomtest(int(right), int(accepted)).proportion_ci(0.9, method="wilson")
        assert (low, high) == pytest.approx((peer.low, peer.high))
    assert (curve.method, curve.assumption) == ("wilson", "independent rows")


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Both roots of (share - p)**2 = z**2 p (1 - p) / n."""
    a, b, c = 1 + z * z / n, -(2 * share + z * z / n), share**2
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def test_weights_count_as_kish_says() -> None:
    weight = np.array([1.0, 2, 3, 1, 2, 5])
    curve = Rejection(count_scores(MARGIN, RIGHT, weight=weight))
    z = stats.norm.ppf(0.975)
    for place, theta in enumerate(curve.theta):
        taken = weight[theta <= MARGIN]
        share = weight[(theta <= MARGIN) & RIGHT].sum() / taken.sum()
        expected = wilson(share, taken.sum() ** 2 / (taken**2).sum(), z)
        assert (curve.low[place], curve.high[place]) == pytest.approx(expected)
    assert curve.assumption == "independent rows; n is Kish's effective number of them among the accepted"


def grouped(
    margin: np.ndarray, right: np.ndarray, group: np.ndarray, weight: np.ndarray | None = None
) -> Rejection:
    total = count_scores(margin, right, weight=weight)
    keys = tuple(range(int(group.max()) + 1))
    return Rejection(total, groups=count_groups(total, margin, right, weight, group, keys))


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_count_as_their_spread_says(weighted: bool) -> None:
    """Theta by theta, from a table of the groups: what one row is worth, one error more at its worst."""
    rng = np.random.default_rng(2)
    group = rng.integers(0, 12, 90)
    margin = rng.random(90).round(1)
    right = rng.random(90) < 0.3 + 0.5 * (group % 3 > 0)
    weight = rng.integers(1, 4, 90) * 1.0 if weighted else None
    curve = grouped(margin, right, group, weight)
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
    assert (curve.method, curve.assumption) == ("wilson_groups", "independent groups (12 of them)")


def test_groups_that_are_all_right_are_worth_one_row_each() -> None:
    group = np.repeat(np.arange(10), 5)
    curve = grouped(np.tile([0.1, 0.2, 0.3, 0.4, 0.5], 10), np.ones(50, bool), group)
    expected = wilson(1.0, 10, stats.t.ppf(0.975, 9))
    assert (curve.low[0], curve.high[0]) == pytest.approx(expected)


def test_one_group_has_no_band() -> None:
    curve = grouped(MARGIN, RIGHT, np.zeros(6, int))
    assert curve.no_band == "there is only one group, which shows no variance"
    assert np.isnan(curve.low).all()
    assert (curve.at(theta=0.3).low, curve.at(theta=0.3).correct) == (None, 0.8)
    said = text(curve.document())
    assert "There is no interval: there is only one group, which shows no variance." in said
    assert not [mark for mark in curve.figure().panels[0].marks if isinstance(mark, Band)]


def test_where_one_group_is_left_there_is_no_interval() -> None:
    curve = grouped(MARGIN, RIGHT, np.array([0, 0, 0, 1, 1, 1]))
    assert np.isnan(curve.low).tolist() == [False, False, False, True]
    json.dumps(curve.to_dict(), allow_nan=False)
    assert image(curve.figure(), ".png")


def calibrated(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Margins, and answers that are right with probability (1 + margin) / 2."""
    margin = rng.random(rows)
    return margin, rng.random(rows) < (1 + margin) / 2


@pytest.mark.parametrize("theta", [0.0, 0.5, 0.9])
def test_the_band_covers(theta: float) -> None:
    """Right above theta: (1 + mean margin) / 2, where the mean is halfway from theta to 1."""
    truth, held = (3 + theta) / 4, 0
    for seed in range(400):
        at = Rejection(count_scores(*calibrated(np.random.default_rng(seed), 100))).at(theta=theta)
        held += at.low is not None and at.high is not None and at.low <= truth <= at.high
    # 0.95 less or more than three standard errors of 400 samples.
    assert 0.917 <= held / 400 <= 0.983


def test_the_band_covers_when_rows_belong_together() -> None:
    """Groups of 20 rows that are all right or wrong with a probability of their own, 0.8 in the mean."""
    held, naive = 0, 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(30), 20)
        right = rng.random(600) < rng.beta(4, 1, 30)[group]
        margin = rng.random(600)
        for curve, among in (
            (grouped(margin, right, group), True),
            (Rejection(count_scores(margin, right)), False),
        ):
            at = curve.at(theta=0.25)
            inside = at.low is not None and at.high is not None and at.low <= 0.8 <= at.high
            held, naive = held + (inside and among), naive + (inside and not among)
    assert 0.917 <= held / 400 <= 0.983
    assert naive / 400 < 0.8


# --- handed on -----------------------------------------------------------------------------------


def test_the_table() -> None:
    table = Rejection(SIX).table("pandas")
    assert list(table) == [
        "theta",
        "rejected",
        "correct",
        "correct_of_all",
        "low",
        "high",
        "accepted",
        "right",
    ]
    assert table["correct"].tolist() == [4 / 6, 4 / 5, 3 / 4, 1]


def test_json() -> None:
    form = json.loads(json.dumps(Rejection(SIX).to_dict(), allow_nan=False))
    assert form["theta"] == [0.1, 0.3, 0.6, 0.9]
    assert form["area"] == pytest.approx((4 / 6 + 4 / 5 + 2 * 3 / 4 + 2) / 6)
    assert (form["form"], form["points"], form["thinned"]) == ("margin", 4, False)
    assert form["definitions"]["rejected"] == "share of all rows whose margin is below theta"
    assert form["threshold"] is None
    assert (form["level"], form["method"], form["assumption"]) == (0.95, "wilson", "independent rows")
    rng = np.random.default_rng(0)
    long = Rejection(count_scores(*calibrated(rng, 5000))).to_dict(most=100)
    assert (len(long["theta"]), long["points"], long["thinned"]) == (100, 5000, True)


def test_in_words() -> None:
    assert text(Rejection(SIX).document()) == SAID


SAID = """\
Rejection
---------

A row is rejected when the probability of its best class does not exceed that of the second best by
at least theta (of two classes: when |2p - 1| < theta). With nothing rejected 66.7 % [30.0 %, 90.3
%] are right (4 of 6 rows).

Area: 0.828, the share right among the accepted rows, averaged over every share rejected (AURC, its
complement: 0.172). Rejecting at random would have 0.667, rejecting the wrong rows first at most
0.937. Counted among all rows, accepted and right: 0.403; at random 0.333, at most 0.444.

To have 80 % right, reject at least 16.7 % (theta 0.3): then 80.0 % [37.6 %, 96.4 %] are right (4
  of 5 rows).
To have 90 % right, reject at least 66.7 % (theta 0.9): then 100.0 % [34.2 %, 100.0 %] are right
  (2 of 2 rows).

These thetas were looked for among these very rows, so what they give is optimistic: on new rows
expect less.

theta  rejected  accepted  right  correct      95 % interval  of all rows
-----  --------  --------  -----  -------  -----------------  -----------
  0.1     0.0 %         6      4   66.7 %   [30.0 %, 90.3 %]       66.7 %
  0.3    16.7 %         5      4   80.0 %   [37.6 %, 96.4 %]       66.7 %
  0.6    33.3 %         4      3   75.0 %   [30.1 %, 95.4 %]       50.0 %
  0.9    66.7 %         2      2  100.0 %  [34.2 %, 100.0 %]       33.3 %

Intervals: Wilson's, each for its own theta; independent rows."""


def test_a_distance_and_a_goal_out_of_reach_in_words() -> None:
    margin, right = np.array([2.5, 1.5, 1.5, 0.5]), np.array([0, 1, 1, 0], bool)
    curve = Rejection(count_scores(margin, right), "distance", threshold=0.25)
    said = " ".join(text(curve.document()).split())
    assert "A row is rejected when its score is nearer than theta to the threshold 0.25." in said
    assert "No theta leaves 80 % right; the most is 66.7 %, with 25 % rejected (theta 1.5)." in said
    assert "90 %" not in said
    assert of(curve, Line)[0].label.startswith("rejecting by distance from 0.25: area ")
    form = curve.to_dict()
    assert (form["form"], form["threshold"]) == ("distance", 0.25)
    rejected = "share of all rows whose distance from the threshold is below theta"
    assert form["definitions"]["rejected"] == rejected
    assert "margin" not in " ".join(form["definitions"].values())


def test_a_threshold_is_spelled_as_it_takes_the_same_rows() -> None:
    ev = evaluate([0, 1, 0, 1], y_score=[0.01, 0.2, 0.3, 0.9], threshold=1 / 21)
    assert ev.rejection.threshold == 1 / 21
    assert of(ev.rejection, Line)[0].label.startswith("rejecting by distance from 0.0476: area ")
    assert "nearer than theta to the threshold 0.0476." in " ".join(text(ev.rejection.document()).split())


def test_long_curves_are_printed_at_round_shares() -> None:
    rng = np.random.default_rng(3)
    said = text(Rejection(count_scores(*calibrated(rng, 1000))).document())
    assert "15 of 1,000 thetas" in said
    assert " 25.0 %       750 " in said


def test_weights_in_words() -> None:
    curve = Rejection(count_scores(MARGIN, RIGHT, weight=np.array([1.5, 2, 3, 1, 2, 5])))
    assert "(a weight of 8.5 of 14.5)" in text(curve.document())


def of(curve: Rejection, kind: type, label: str = "") -> list:
    return [mark for mark in curve.figure(label).panels[0].marks if isinstance(mark, kind)]


def test_the_picture() -> None:
    curve = Rejection(SIX)
    main, random, perfect = of(curve, Line)
    assert main.x.tolist() == [0, 1 / 6, 2 / 6, 4 / 6, 1]
    assert main.y.tolist() == [4 / 6, 4 / 5, 3 / 4, 1, 1]
    assert main.stepped
    assert main.label == "rejecting by margin: area 0.828"
    assert (random.label, random.y.tolist()) == ("rejecting at random", [4 / 6, 4 / 6])
    # Of 3 of 6 rows, at most all 3 are right; of 5 of 6 rows, 4 of the 5.
    assert np.interp([1 / 6, 1 / 2], perfect.x, perfect.y) == pytest.approx([4 / 5, 1], abs=1e-3)
    (band,) = of(curve, Band)
    assert band.low[:4] == pytest.approx(curve.low)
    assert image(curve.figure(), ".png")


def test_several_models_in_one_picture() -> None:
    """Each has its curve and, in the same colour, where rejecting at random would stay; no band."""
    curve, other = Rejection(SIX), Rejection(count_scores(MARGIN, ~RIGHT))
    assert not of(curve, Band, "tree")
    named, random = of(curve, Line, "tree")
    assert (named.label, named.name) == ("tree: area 0.828", "tree")
    assert (random.label, random.y.tolist(), random.faint) == ("", [4 / 6, 4 / 6], True)
    both = overlaid({"tree": curve.figure("tree"), "bayes": other.figure("bayes")})
    assert both.note == "Dotted: rejecting at random."
    lines = [(mark.series, mark.faint, mark.y[0]) for mark in both.panels[0].marks if isinstance(mark, Line)]
    assert lines == [(0, False, 4 / 6), (0, True, 4 / 6), (1, False, 2 / 6), (1, True, 2 / 6)]
    assert image(both, ".png")


def test_no_rows() -> None:
    curve = Rejection(Scores.empty())
    assert (curve.why, curve.area, curve.area_of_all, curve.aurc) == ("there are no rows", None, None, None)
    assert (curve.accuracy, curve.perfect_area, curve.perfect_area_of_all) == (None, None, None)
    assert [len(side) for side in (curve.theta, curve.rejected, curve.correct, curve.low)] == [0, 0, 0, 0]
    assert json.loads(json.dumps(curve.to_dict(), allow_nan=False))["why"] == "there are no rows"
    assert "There is no rejection curve: there are no rows." in text(curve.document())
    (note,) = of(curve, Note)
    assert note.text == "undefined: there are no rows"
    for asked in ({"rejected": 0.2}, {"correct": 0.9}, {"theta": 0.5}):
        with pytest.raises(OptionError, match="there is no curve: there are no rows"):
            curve.at(**asked)


def test_bins_are_known_at_their_edges() -> None:
    curve = Rejection(Scores.from_bins([5, 2, 1], [0, 2, 2], edges=[1, 0.6, 0.3, 0]))
    assert curve.theta.tolist() == [0, 0.3, 0.6]
    assert curve.correct.tolist() == [8 / 12, 7 / 9, 1]
    assert curve.to_dict()["exact"] is False
    assert "Only bins of the scores were counted" in text(curve.document()).replace("\n", " ")
    with pytest.raises(OptionError, match="within a bin"):
        curve.at(theta=0.4)


def test_a_level_is_checked() -> None:
    with pytest.raises(OptionError, match="confidence_level"):
        Rejection(SIX, level=95)


def test_groups_of_margins_come_from_groups_of_scores() -> None:
    score, y, group = np.array([0.9, 0.8, 0.3, 0.1]), np.array([1, 0, 0, 1], bool), np.array([0, 1, 0, 1])
    total = count_scores(score, y)
    margins, groups, form = margins_of(total, None, count_groups(total, score, y, None, group, ("a", "b")))
    assert isinstance(groups, GroupedScores)
    curve = Rejection(margins, form, groups=groups)
    assert curve.correct.tolist() == [0.5, 1 / 3, 0.5]
    assert not np.isnan(curve.low).any()
