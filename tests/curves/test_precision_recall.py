"""Precision against recall, checked by hand, against scikit-learn and against every order within bins."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve

import tallymark as tm
from tallymark.curves import PrecisionRecall
from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

# Five rows: 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = count_scores(np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool))


def test_by_hand() -> None:
    curve = PrecisionRecall(SMALL)
    assert curve.threshold.tolist() == [0.9, 0.8, 0.4, 0.1]
    assert curve.precision.tolist() == [1, 2 / 3, 3 / 4, 3 / 5]
    assert curve.recall.tolist() == [1 / 3, 2 / 3, 1, 1]
    assert curve.baseline == 3 / 5
    assert curve.average_precision == pytest.approx((1 + 2 / 3 + 3 / 4) / 3, rel=1e-15)
    assert curve.bounds is None
    assert curve.why is None


def rows(seed: int, decimals: int | None, weighted: bool) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    y = rng.random(400) < 0.3
    score = rng.normal(size=400) + y
    if decimals is not None:
        score = score.round(decimals)
    return score, y, rng.random(400) if weighted else np.ones(400)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("seed", range(3))
def test_as_scikit_learn(seed: int, decimals: int | None, weighted: bool) -> None:
    score, y, weight = rows(seed, decimals, weighted)
    curve = PrecisionRecall(count_scores(score, y, weight=weight if weighted else None))
    # Theirs goes up with the threshold and ends in a point (0, 1) that no threshold gives.
    precision, recall, threshold = precision_recall_curve(y, score, sample_weight=weight)
    np.testing.assert_allclose(curve.precision, precision[-2::-1], rtol=1e-12)
    np.testing.assert_allclose(curve.recall, recall[-2::-1], rtol=1e-12)
    np.testing.assert_array_equal(curve.threshold, threshold[::-1])
    expected = average_precision_score(y, score, sample_weight=weight)
    assert curve.average_precision == pytest.approx(expected, rel=1e-12)


def test_at_a_recall() -> None:
    curve = PrecisionRecall(SMALL)
    assert curve.at(recall=0).threshold == 0.9
    # 0.75 at recall 1 beats 0.67 at recall 0.67.
    point = curve.at(recall=0.5)
    assert (point.threshold, point.precision, point.recall) == (0.4, 0.75, 1.0)
    assert (point.tp, point.fp, point.fn, point.tn) == (3, 1, 0, 1)
    assert curve.at(recall=1 / 3).precision == 1


def test_at_a_recall_written_as_a_sum() -> None:
    scores = Scores.from_bins([3, 7], [0, 10])
    assert 0.1 + 0.2 > 3 / 10
    assert PrecisionRecall(scores).at(recall=0.1 + 0.2).precision == 1


def test_of_equal_precisions_the_larger_recall() -> None:
    scores = count_scores(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1], bool))
    point = PrecisionRecall(scores).at(recall=0.2)
    assert (point.threshold, point.recall) == (0.8, 2 / 3)


def test_at_a_precision() -> None:
    curve = PrecisionRecall(SMALL)
    assert curve.at(precision=1).threshold == 0.9
    assert curve.at(precision=0.7).recall == 1
    # All rows have recall 1 too, but the higher threshold has the same with fewer false alarms.
    assert curve.at(precision=0.1).threshold == 0.4


def test_at_a_precision_out_of_reach() -> None:
    scores = count_scores(np.array([0.9, 0.9, 0.2]), np.array([1, 0, 1], bool))
    with pytest.raises(OptionError) as caught:
        PrecisionRecall(scores).at(precision=0.95)
    assert str(caught.value) == (
        "no threshold has a precision of 0.95; the highest is 0.667, at the threshold 0.2."
    )


def test_at_a_threshold() -> None:
    curve = PrecisionRecall(SMALL)
    between = curve.at(threshold=0.5)
    assert (between.threshold, between.tp, between.fp, between.precision) == (0.5, 2, 1, 2 / 3)
    above = curve.at(threshold=2)
    assert (above.precision, above.recall, above.fn) == (None, 0.0, 3)
    assert curve.at(threshold=-5).tn == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "ask for one of recall= or precision= or threshold=; got nothing."),
        (
            {"recall": 0.1, "precision": 0.2},
            "ask for one of recall= or precision= or threshold=; got recall=0.1, precision=0.2.",
        ),
        ({"recall": 40}, "recall must be between 0 and 1; got 40.0."),
        ({"threshold": "best"}, "threshold must be a number; got 'best'."),
        ({"threshold": float("nan")}, "threshold must be a number; got nan."),
    ],
)
def test_asked_wrongly(asked: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        PrecisionRecall(SMALL).at(**asked)
    assert str(caught.value) == message


def test_no_positives() -> None:
    curve = PrecisionRecall(count_scores(np.array([0.3, 0.2]), np.zeros(2, bool)))
    assert curve.why == "no row is actually positive"
    assert curve.average_precision is None
    assert np.isnan(curve.recall).all()
    assert curve.precision.tolist() == [0, 0]
    form = curve.to_dict()
    assert form["recall"] == [None, None]
    assert form["why"] == "no row is actually positive"
    assert "undefined: no row is actually positive." in text(curve.document())
    with pytest.raises(OptionError, match=r"^there is no curve: no row is actually positive\.$"):
        curve.at(recall=0.5)
    assert curve.at(threshold=0.25).recall is None


def test_no_rows() -> None:
    curve = PrecisionRecall(Scores.empty())
    assert (curve.why, curve.baseline, len(curve.threshold)) == ("there are no rows", None, 0)
    assert curve.to_dict()["points"] == 0


def test_no_negatives_and_one_row() -> None:
    curve = PrecisionRecall(count_scores(np.array([0.3]), np.ones(1, bool)))
    assert (curve.precision.tolist(), curve.recall.tolist(), curve.average_precision) == ([1], [1], 1)


def test_constant_scores_and_the_two_zeros() -> None:
    curve = PrecisionRecall(count_scores(np.array([0.0, -0.0, 0.0]), np.array([1, 0, 0], bool)))
    assert (curve.threshold.tolist(), curve.precision.tolist()) == ([0], [1 / 3])
    assert curve.average_precision == pytest.approx(1 / 3)


def rankings(rows_in_bin: int) -> set[tuple[int, ...]]:
    """Every order of the rows of a bin, with ties, once."""
    every = itertools.product(range(rows_in_bin), repeat=rows_in_bin)
    return {tuple(np.unique(each, return_inverse=True)[1].tolist()) for each in every}


@pytest.mark.parametrize(
    ("positives", "negatives"), [([2, 1], [1, 2]), ([1, 2], [3, 1]), ([0, 3], [2, 1]), ([3, 0], [1, 2])]
)
def test_bounds_are_the_extremes_of_all_orders_within_bins(
    positives: list[int], negatives: list[int]
) -> None:
    y = np.array([1] * positives[0] + [0] * negatives[0] + [1] * positives[1] + [0] * negatives[1])
    first = positives[0] + negatives[0]
    values = [
        average_precision_score(y, np.concatenate([10.0 + np.array(upper), np.array(lower, float)]))
        for upper in rankings(first)
        for lower in rankings(len(y) - first)
    ]
    curve = PrecisionRecall(Scores.from_bins(positives, negatives))
    assert curve.bounds == (pytest.approx(min(values), abs=1e-12), pytest.approx(max(values), abs=1e-12))


def test_the_lower_bound_does_not_cancel_far_down() -> None:
    """One positive below a hundred million negatives: 1 / (1e8 + 1)."""
    curve = PrecisionRecall(Scores.from_bins([0, 1], [10**8 - 5, 5]))
    assert curve.bounds is not None
    assert curve.bounds[0] == pytest.approx(1 / (10**8 + 1), rel=1e-6)
    assert curve.bounds[1] == pytest.approx(1 / (10**8 - 4), rel=1e-12)


def test_the_curve_has_the_area_and_bounds_of_the_metric() -> None:
    ev = tm.Scores.from_bins([0, 3, 0, 1], [0, 1, 0, 3]).evaluate()
    found = ev["average_precision"]
    assert (ev.precision_recall.average_precision, ev.precision_recall.bounds) == (found.value, found.bounds)
    assert found.value == 0.6875


def test_bins() -> None:
    # The best bin is empty, and so is one in between.
    curve = PrecisionRecall(Scores.from_bins([0, 3, 0, 1], [0, 1, 0, 3], edges=[1, 0.75, 0.5, 0.25, 0]))
    assert curve.threshold.tolist() == [0.5, 0.25, 0]
    assert curve.precision.tolist() == [0.75, 0.75, 0.5]
    assert curve.average_precision == pytest.approx(0.75 * 0.75 + 0.25 * 0.5)
    assert curve.at(recall=0.5).threshold == 0.5
    assert "known at their edges only" in text(curve.document(), width=400)
    assert curve.to_dict()["exact"] is False
    with pytest.raises(OptionError) as caught:
        curve.at(threshold=0.3)
    assert str(caught.value) == (
        "the threshold 0.3 is within a bin, and only bins were counted. "
        "Hint: ask at an edge of the bins, such as 0.25."
    )


def test_json_is_thinned_with_both_ends() -> None:
    score = np.linspace(1, 0, 10_001)
    curve = PrecisionRecall(count_scores(score, score > 0.7))
    form = curve.to_dict(most=50)
    assert (form["points"], form["thinned"], len(form["threshold"])) == (10_001, True, 50)
    assert (form["threshold"][0], form["threshold"][-1]) == (1.0, 0.0)
    assert form["average_precision"] == 1
    json.dumps(form, allow_nan=False)
    assert PrecisionRecall(SMALL).to_dict()["thinned"] is False


def test_the_table() -> None:
    table = PrecisionRecall(SMALL).table()
    assert table.columns == ["threshold", "tp", "fp", "precision", "recall"]
    assert table.row(1) == (0.8, 2, 1, 2 / 3, 2 / 3)


def test_the_document() -> None:
    assert text(PrecisionRecall(SMALL).document()) == (
        "Precision and recall\n"
        "--------------------\n"
        "\n"
        "Average precision: 0.806. Calling rows positive at random has a precision of 0.600, the share of\n"
        "positives (3 of 5).\n"
        "\n"
        "score >=  TP  FP  precision  recall\n"
        "--------  --  --  ---------  ------\n"
        "     0.9   1   0      1.000   0.333\n"
        "     0.8   2   1      0.667   0.667\n"
        "     0.4   3   1      0.750   1.000\n"
        "     0.1   3   2      0.600   1.000"
    )


def test_a_long_curve_is_printed_at_round_recalls() -> None:
    score = np.linspace(1, 0, 1000)
    printed = text(PrecisionRecall(count_scores(score, np.arange(1000) % 2 == 0)).document())
    assert "The best precision with at least so much recall, of 1,000 thresholds" in printed
    assert "\n              10 % " in printed
