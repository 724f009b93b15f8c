"""The calibration curve by hand, its intervals, its test and what chance adds; promises are simulated."""

from __future__ import annotations

import importlib.util
import json
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tallymark.curves.calibration.curve import Calibration
from tallymark.curves.calibration.spread import bias_of_largest
from tallymark.curves.overlaid import overlaid
from tallymark.drawing import image, text
from tallymark.drawing.figure import Band, Line, Points
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import wilson_bounds, wilson_reaching
from tallymark.tallies import Scores

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage_calibration.py"
_spec = importlib.util.spec_from_file_location("coverage_calibration", FILE)
bench = importlib.util.module_from_spec(_spec)
sys.modules["coverage_calibration"] = bench
_spec.loader.exec_module(bench)

# Five bins: 0.1 x 10 of which 2, 0.3 x 10 of which 2, 0.7 x 10 of which 9; the others are empty.
SCORE = np.repeat([0.1, 0.3, 0.7], 10)
Y = np.repeat([1, 0, 1, 0, 1, 0], [2, 8, 2, 8, 9, 1]).astype(bool)
THIRTY = count_scores(SCORE, Y, positive="yes")
SAMPLES = 300


def grouped(score, y, group, **options):
    t = count_scores(score, y, positive="yes")
    return Calibration(
        t, groups=count_groups(t, score, y, None, group, tuple(range(int(group.max()) + 1))), **options
    )


def five_errors(rate, samples=SAMPLES):
    return 5 * math.sqrt(rate * (1 - rate) / samples)


# --- by hand ---------------------------------------------------------------------------------


def test_by_hand():
    curve = Calibration(THIRTY, 5)
    assert curve.predicted.tolist() == [0.1, 0.3, 0.7]
    assert curve.observed == pytest.approx([0.2, 0.2, 0.9])
    assert curve.count.tolist() == [10, 10, 10]
    assert curve.edges == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    low, high = wilson_bounds(np.array([2, 2, 9]), 10, 0.95)
    assert (curve.low.tolist(), curve.high.tolist()) == (pytest.approx(low), pytest.approx(high))
    assert curve.ece == pytest.approx((0.1 + 0.1 + 0.2) / 3)
    assert curve.mce == pytest.approx(0.2)


def test_the_parts_of_the_brier_score():
    parts = Calibration(THIRTY, 5).decomposition
    base = 13 / 30
    assert parts.reliability == pytest.approx((0.01 + 0.01 + 0.04) / 3)
    assert parts.resolution == pytest.approx((2 * (0.2 - base) ** 2 + (0.9 - base) ** 2) / 3)
    assert parts.uncertainty == pytest.approx(base * (1 - base))
    # Probabilities do not differ within the bins.
    assert parts.within == pytest.approx(0, abs=1e-15)
    assert Calibration(THIRTY, 5).brier == pytest.approx(np.mean((SCORE - Y) ** 2))


def test_within_bins_by_hand():
    # One bin: variance of 0.1 and 0.3 around 0.2, less twice the covariance with the truth.
    parts = Calibration(count_scores(np.array([0.1, 0.3]), np.array([False, True])), 1).decomposition
    assert parts.within == pytest.approx(0.01 - 2 * 0.05)
    assert parts.brier == pytest.approx((0.01 + 0.49) / 2)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.sampled_from([0.5, 1.0, 3.0])), min_size=1),
    st.integers(1, 20),
    st.sampled_from(["width", "mass"]),
    st.booleans(),
)
def test_the_parts_add_up_for_any_bins(rows, n_bins, strategy, weighted):
    score, y, weight = (np.array(side) for side in zip(*rows, strict=True))
    curve = Calibration(count_scores(score, y, weight=weight if weighted else None), n_bins, strategy)
    expected = np.average((score - y) ** 2, weights=weight if weighted else None)
    assert curve.decomposition.brier == pytest.approx(expected, abs=1e-12)


def test_the_test_by_hand():
    score = np.repeat([0.25, 0.75], 40)
    y = np.repeat([1, 0, 1, 0], [15, 25, 30, 10]).astype(bool)
    test = Calibration(count_scores(score, y)).test
    # 15 instead of 10, with a variance of 40 x 0.25 x 0.75; 30 as expected.
    assert test.statistic == pytest.approx(25 / 7.5)
    assert (test.df, test.bins) == (2, 2)
    assert test.p_value == pytest.approx(stats.chi2.sf(25 / 7.5, 2))


def test_bins_of_little_variance_are_joined():
    # 20 x 0.05 x 0.95 = 0.95 and 20 x 0.45 x 0.55 = 4.95 make one of 5.9; what is left joins it.
    score = np.repeat([0.05, 0.45, 0.95], 20)
    y = np.zeros(60, bool)
    test = Calibration(count_scores(score, y)).test
    assert test.bins == 1
    assert test.statistic == pytest.approx((20 * 1.45) ** 2 / (0.95 + 4.95 + 0.95))


def test_weights_stand_for_fewer_rows():
    weight = np.where(np.arange(30) % 2, 3.0, 1.0)
    curve = Calibration(count_scores(SCORE, Y, weight=weight), 5)
    kish = 20**2 / (5 * 9 + 5)
    share = np.average(Y[:10], weights=weight[:10])
    assert curve.observed[0] == pytest.approx(share)
    assert curve.low[0] == pytest.approx(wilson_bounds(share * kish, kish, 0.95)[0])


# --- chance ----------------------------------------------------------------------------------


def test_what_chance_adds_to_one_bin():
    # No gap at all: all that is left is 0.
    calm = Calibration(count_scores(np.full(100, 0.5), np.arange(100) < 50))
    assert (calm.ece, calm.debiased_ece, calm.debiased_mce) == (0, 0, 0)
    # A gap of 0.4 is 8 standard errors: nothing is taken off, but for the last digits.
    wide = Calibration(count_scores(np.full(100, 0.5), np.arange(100) < 90))
    assert wide.debiased_ece == pytest.approx(0.4, abs=1e-6)
    assert wide.debiased_mce == pytest.approx(0.4, abs=1e-3)
    # One smaller than its standard error, 0.05: the mean of |z| of a standard normal number is taken off.
    narrow = Calibration(count_scores(np.full(100, 0.5), np.arange(100) < 54))
    assert narrow.debiased_ece == pytest.approx(max(0, 0.04 - 0.05 * math.sqrt(2 / math.pi)), abs=1e-4)


def test_what_chance_adds_to_the_largest():
    # Two bins without a gap and with equal errors: the mean of the larger of two |z| is 2 / sqrt(pi).
    curve = Calibration(
        count_scores(np.repeat([0.25, 0.75], 48), np.tile(np.arange(48) < 12, 2) ^ (np.arange(96) > 47))
    )
    assert curve.mce == 0
    assert bias_of_largest(curve.bins, np.full(2, 0.05)) == pytest.approx(
        0.05 * 2 / math.sqrt(math.pi), rel=1e-4
    )


@pytest.mark.parametrize("rows", [200, 1000])
@pytest.mark.parametrize("slope", [1.0, 0.7, 0.5])
def test_less_chance_the_errors_are_nearer_to_the_true_ones(rows, slope):
    design = bench.Design(rows, slope=slope)
    found, (ece, mce) = bench.study(design, 100), bench.true_errors(design)
    assert abs(found.debiased_ece - ece) < 0.4 * (found.ece - ece) + 0.01
    assert abs(found.debiased_mce - mce) < 0.75 * (found.mce - mce)


# --- promises, in small ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "design",
    [
        bench.Design(50),
        bench.Design(1000, strategy="mass"),
        bench.Design(200, (0.2, 0.2)),
        bench.Design(1000, (0.5, 30.0)),
        bench.Design(300, weighted=True),
        bench.Design(600, groups=30),
    ],
    ids=str,
)
def test_right_probabilities_are_rarely_rejected_and_their_intervals_hold(design):
    found = bench.study(design, SAMPLES)
    assert found.rejected <= 0.05 + five_errors(0.05)
    assert found.warned <= 0.01 + five_errors(0.01)
    # The bins of a sample are nearly independent, so this is far more than so many.
    assert found.coverage >= 0.95 - five_errors(0.05)


def test_rows_of_a_group_break_what_takes_them_for_independent():
    design, generator = bench.Design(1000, groups=50), np.random.default_rng(0)
    alone = []
    for _ in range(100):
        curve = design.draw(generator)
        alone.append(Calibration(curve.scores).test.p_value < 0.05)
    assert np.mean(alone) > 0.15
    assert bench.study(design, 100).rejected <= 0.05 + five_errors(0.05, 100)


def test_wrong_probabilities_are_found():
    found = bench.study(bench.Design(1000, slope=0.6), 50)
    assert found.rejected == 1
    assert found.warned > 0.9


def test_what_platt_gains_is_held():
    assert bench.gains(bench.Design(300, slope=0.6), 200) >= 0.95 - five_errors(0.95, 200)


# --- groups ----------------------------------------------------------------------------------


def test_groups_of_one_row_are_rows_but_for_students_quantile():
    curve = grouped(SCORE, Y, np.arange(30), n_bins=5)
    reach = stats.t.ppf(0.975, 9)
    assert curve.low == pytest.approx([wilson_reaching(x, 10, reach)[0] for x in (2, 2, 9)])


def test_groups_that_are_all_alike_are_worth_one_row_each():
    score, y = np.full(40, 0.5), np.repeat([True, False, True, False], 10)
    curve = grouped(score, y, np.repeat(np.arange(4), 10))
    # Four rows of which two came true, with Student's quantile for four groups.
    expected = wilson_reaching(2, 4, stats.t.ppf(0.975, 3))
    assert (curve.low[0], curve.high[0]) == pytest.approx(expected)
    assert curve.test.df == 3


def test_a_bin_of_one_group_has_no_interval():
    group = np.where(SCORE == 0.7, 0, np.arange(30))
    curve = grouped(SCORE, Y, group, n_bins=5)
    assert np.isnan(curve.low).tolist() == [False, False, True]
    assert curve.at(probability=0.65).low is None
    assert curve.to_dict()["low"][2] is None
    assert "A bin has no interval where all its rows are of one group." in text(curve.document())
    assert curve.debiased_ece < curve.ece


def test_one_group_cannot_be_tested():
    test = grouped(SCORE, Y, np.zeros(30, int)).test
    assert (test.p_value, test.why) == (
        None,
        "all rows of a bin are of one group, and groups are what is independent",
    )


# --- asked and handed on ---------------------------------------------------------------------


def test_the_bin_of_a_probability():
    curve = Calibration(THIRTY, 5)
    assert curve.at(probability=0.05) == curve.at(probability=0.2) == curve.at(0)
    found = curve.at(probability=0.21)
    assert (found.count, found.predicted, found.observed) == (10, 0.3, 0.2)
    assert (found.above, found.up_to) == pytest.approx((0.2, 0.4))
    empty = curve.at(probability=0.5)
    assert (empty.count, empty.predicted, empty.observed, empty.low) == (0, None, None, None)
    for wrong in (1.2, math.nan, "x"):
        with pytest.raises(OptionError, match="probability must be"):
            curve.at(probability=wrong)


@pytest.mark.parametrize(
    ("t", "why"),
    [
        (Scores.empty(), "there are no rows"),
        (
            count_scores(np.array([1.5]), np.array([True])),
            "scores leave [0, 1], so they are no probabilities",
        ),
        (
            Scores.from_bins([1], [1], edges=[0, 1]),
            "only bins of the scores were counted, not the scores themselves",
        ),
    ],
)
def test_no_curve(t, why):
    curve = Calibration(t)
    assert curve.why == why
    assert (curve.ece, curve.mce, curve.debiased_ece, curve.debiased_mce) == (None,) * 4
    assert curve.decomposition is None
    assert curve.test.p_value is None
    assert f"There is no calibration curve: {why}." in text(curve.document())
    assert curve.to_dict()["why"] == why
    json.dumps(curve.to_dict(), allow_nan=False)
    assert len(curve.table("pandas")) == 0
    assert "undefined" in curve.figure().panels[0].marks[0].text
    with pytest.raises(OptionError, match="there is no curve"):
        curve.at(probability=0.5)


def test_wrong_options_are_refused_at_once():
    with pytest.raises(OptionError, match="n_bins"):
        Calibration(THIRTY, 0)
    with pytest.raises(OptionError, match="strategy"):
        Calibration(THIRTY, 5, "quantile")


def test_table_and_json():
    curve = Calibration(THIRTY, 5)
    assert curve.table("pandas").columns.tolist() == [
        *("above", "up_to", "predicted", "observed", "low", "high", "count")
    ]
    form = curve.to_dict()
    json.dumps(form, allow_nan=False)
    assert (form["n_bins"], form["strategy"], form["count"]) == (5, "width", [10, 10, 10])
    assert form["ece"] == curve.ece
    assert set(form["decomposition"]) == {"reliability", "resolution", "uncertainty", "within"}
    # 10 x 0.1 x 0.9 + 20 x 0.3 x 0.7 = 5.1: all bins in one, of which 13 came true instead of 11.
    assert (form["test"]["df"], form["test"]["statistic"]) == (1, pytest.approx(4 / 5.1))


def test_words():
    said = " ".join(text(Calibration(THIRTY, 5).document()).split())
    assert (
        "In 5 bins of equal width the probability of 'yes' is on average 0.133 away from the share of 'yes'"
        in said
    )
    assert "Over all rows 0.367 was said, and 0.433 came true." in said
    brier = np.mean((SCORE - Y) ** 2)
    assert f"Brier score {brier:.4f} (of one probability, from 0 to 1; added up over both classes" in said
    answers = text(Calibration(THIRTY, 5, of_answers=True).document())
    assert "share of right answers" in answers
    assert "both classes" not in answers
    assert "5 bins of equally many rows" in text(Calibration(THIRTY, 5, "mass").document())


def test_the_test_in_words():
    # As in the tests by hand: all five bins of three make one; two bins stay two.
    said = " ".join(text(Calibration(THIRTY, 5).document()).split())
    joined = "for 3 bins, because those that tell little are joined with a neighbour"
    assert f"(chi-squared 0.78 with 1 degree of freedom {joined}; independent rows, none of which" in said
    score = np.repeat([0.25, 0.75], 40)
    y = np.repeat([1, 0, 1, 0], [15, 25, 30, 10]).astype(bool)
    said = " ".join(text(Calibration(count_scores(score, y)).document()).split())
    assert "(chi-squared 3.33 with 2 degrees of freedom; independent rows, none of which" in said


def test_a_row_that_was_impossible():
    curve = Calibration(count_scores(np.array([0.0, 0.4]), np.array([True, False])))
    assert curve.log_loss is None
    assert "Log loss infinite, because a row gave what came true probability 0." in " ".join(
        text(curve.document()).split()
    )
    assert curve.test.why == "there are too few rows with a probability well between 0 and 1"


def test_many_bins_are_printed_in_part():
    score = (np.arange(1000) + 0.5) / 1000
    printed = text(Calibration(count_scores(score, score > 0.5), 500).document())
    assert "in 30 of 500 bins" in printed
    assert len(printed.splitlines()) < 60


@pytest.mark.parametrize("strategy", ["width", "mass"])
def test_pictures(strategy):
    curve = Calibration(THIRTY, 5, strategy)
    figure = curve.figure()
    (panel,) = figure.panels
    assert curve.figure("tree").panels[0].y.second == ""
    assert panel.y.second == ("rows in the bin" if strategy == "width" else "")
    assert image(figure, ".svg").startswith(b"<?xml")
    assert curve.plot() is not None


def test_several_models_in_one_picture_have_a_short_caption():
    other = Calibration(count_scores(SCORE, ~Y), 5)
    both = overlaid({"a": Calibration(THIRTY, 5).figure("a"), "b": other.figure("b")})
    assert both.note == "5 bins of equal width, with 95 % intervals."
    assert image(both, ".png")


@pytest.mark.parametrize("bins", [30, 31])
def test_many_bins_have_a_band_and_not_an_interval_each(bins):
    score = (np.arange(1000) + 0.5) / 1000
    curve = Calibration(count_scores(score, score > 0.5), bins, "mass")
    marks = curve.figure().panels[0].marks
    bands = [mark for mark in marks if isinstance(mark, Band)]
    whiskers = [mark for mark in marks if isinstance(mark, Line) and np.isnan(mark.x).any()]
    assert (len(whiskers), len(bands)) == ((1, 0) if bins == 30 else (0, 1))
    assert any(isinstance(mark, Points) for mark in marks) == (bins == 30)
    if bands:
        assert bands[0].label == "95 % interval of each bin"
        assert (bands[0].low.tolist(), bands[0].high.tolist()) == (curve.low.tolist(), curve.high.tolist())
    note = curve.figure("tree").note
    assert note == f"{bins} bins of equally many rows{', with 95 % intervals' if bins == 30 else ''}."


def test_a_used_curve_can_be_pickled():
    curve = Calibration(THIRTY, 5)
    assert curve.debiased_ece is not None
    assert pickle.loads(pickle.dumps(curve)).to_dict() == curve.to_dict()
