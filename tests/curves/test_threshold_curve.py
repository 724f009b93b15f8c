"""Metrics against the threshold, checked threshold by threshold with scikit-learn and by brute force."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peers

from tallymark.curves import ThresholdCurve, threshold_curves
from tallymark.drawing import text
from tallymark.errors import MetricError, OptionError
from tallymark.intake.ranking import count_scores
from tallymark.metrics import METRICS
from tallymark.tallies import Scores

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = count_scores(np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool))
PEERS: dict[str, Callable[..., float]] = {
    "f1": peers.f1_score,
    "precision": peers.precision_score,
    "recall": peers.recall_score,
    "accuracy": peers.accuracy_score,
    "mcc": peers.matthews_corrcoef,
    "balanced_accuracy": peers.balanced_accuracy_score,
    "kappa": peers.cohen_kappa_score,
    "f_beta:2": lambda *rows, **options: peers.fbeta_score(*rows, beta=2, **options),
}


def test_by_hand() -> None:
    curve = ThresholdCurve(SMALL)
    assert curve.metric == "f1"
    assert curve.threshold.tolist() == [math.inf, 0.9, 0.8, 0.4, 0.1]
    assert curve.value.tolist() == [0, 2 / 4, 4 / 6, 6 / 7, 6 / 8]
    best = curve.best
    assert best is not None
    assert (best.threshold, best.value, best.low, best.high, best.others) == (0.4, 6 / 7, 0.1, 0.4, 0)
    assert curve.at(0.5) == 4 / 6
    assert curve.at(0.4) == 6 / 7
    assert curve.at(7) == 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("name", PEERS)
def test_as_scikit_learn_at_every_threshold(name: str, decimals: int | None, weighted: bool) -> None:
    rng = np.random.default_rng(5)
    y = rng.random(60) < 0.4
    score = rng.normal(size=60) + y
    if decimals is not None:
        score = score.round(decimals)
    weight = rng.random(60) if weighted else None
    curve = ThresholdCurve(count_scores(score, y, weight=weight), name)
    for threshold, value in zip(curve.threshold, curve.value, strict=True):
        if math.isnan(value):
            assert name in ("precision", "mcc")
            continue
        expected = PEERS[name](y, score >= threshold, sample_weight=weight)
        assert value == pytest.approx(expected, abs=1e-12)


INFINITE = ("lr_plus", "diagnostic_odds_ratio")


def test_every_metric_of_counts_has_a_curve() -> None:
    parameters = {"f_beta": ":2", "weighted_accuracy": ":2,1,1,0"}
    for name, metric in METRICS.items():
        if not metric.needs_costs:
            curve = ThresholdCurve(SMALL, name + parameters.get(name, ""))
            assert len(curve.value) == 5
            assert (curve.best is None) == (metric.better == "neither" or name in INFINITE)
            assert sum(curve.undefined.values()) == np.isnan(curve.value).sum()
            json.dumps(curve.to_dict(), allow_nan=False)
            assert curve.figure().panels


# --- the best threshold ------------------------------------------------------------------------

ROWS = st.lists(st.tuples(st.sampled_from([-2.0, 0.1, 0.3, 0.5, 0.9]), st.booleans()), min_size=1)


@pytest.mark.parametrize("name", ["f1", "accuracy", "error_rate", "youden", "mcc", "fpr"])
@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_the_best_interval_is_that_of_a_search(name: str, rows: list[tuple[float, bool]]) -> None:
    score, y = (np.array(side) for side in zip(*rows, strict=True))
    curve = ThresholdCurve(count_scores(score, y), name)
    # One threshold inside of every interval between two scores, and beyond both ends.
    known = sorted({*score.tolist(), -math.inf, math.inf})
    inner = [(low, high, curve.at(high)) for low, high in pairwise(known)]
    defined = [value for _, _, value in inner if value is not None]
    if not defined:
        assert curve.best is None
        assert curve.no_best is not None
        assert curve.no_best.startswith("it is undefined at every one of them: ")
        return
    wanted = (min if curve.metric in ("error_rate", "fpr") else max)(defined)
    good = [value is not None and abs(value - wanted) < 1e-14 for _, _, value in inner]
    best = curve.best
    assert best is not None
    assert best.value == pytest.approx(wanted, abs=1e-14)
    for (low, high, _), fits in zip(inner, good, strict=True):
        if best.low is not None and best.low <= low and high <= best.high:
            assert fits
    top = max(place for place, fits in enumerate(good) if fits)
    bottom = top
    # The lowest interval goes on below every score, where the answer is the same as at the lowest.
    while bottom > 0 and good[bottom - 1]:
        bottom -= 1
    assert (best.threshold, best.high) == (inner[top][1], inner[top][1])
    assert best.low == inner[bottom][0]
    runs = sum(fits and not before for fits, before in zip(good, [False, *good], strict=False))
    assert best.others == runs - 1


def test_equal_differences_of_shares_are_equal() -> None:
    """TPR - FPR is 0.3 - 0.1 at 0.9 and 0.4 - 0.2 at 0.5, which rounding makes unequal."""
    score = np.array([0.9] * 4 + [0.5] * 2 + [0.1] * 14)
    y = np.array([1, 1, 1, 0, 1, 0] + [1] * 6 + [0] * 8, bool)
    best = ThresholdCurve(count_scores(score, y), "youden").best
    assert best is not None
    assert (best.threshold, best.low) == (0.9, 0.1)


def test_best_when_nothing_is_called_positive() -> None:
    curve = ThresholdCurve(count_scores(np.array([0.9, 0.2]), np.array([0, 0], bool)), "accuracy")
    assert curve.best is not None
    assert (curve.best.threshold, curve.best.low, curve.best.value) == (math.inf, 0.9, 1)
    said = "accuracy is highest, 1.000, when nothing is called positive, at every threshold above 0.9."
    assert said in text(curve.document())
    assert curve.briefly == "best 1.000 at every threshold above 0.9"
    assert curve.to_dict()["best"]["threshold"] is None


def test_thresholds_as_good_as_calling_nothing_are_named() -> None:
    curve = ThresholdCurve(count_scores(np.array([0.9, 0.8, 0.7]), np.array([1, 1, 0], bool)), "fpr")
    assert "fpr is lowest, 0.000, at every threshold above 0.7." in text(curve.document())


def test_where_a_ratio_is_infinite_none_is_best() -> None:
    # At 0.9 and 0.8 no negative is called positive, at 0.6 the ratio is 1 / 0.5; above 0.9 it is 0 / 0.
    scores = count_scores(np.array([0.9, 0.8, 0.7, 0.6, 0.3]), np.array([1, 1, 0, 1, 0], bool))
    curve = ThresholdCurve(scores, "lr_plus")
    assert curve.best is None
    said = text(curve.document(), width=300)
    assert (
        "No threshold is best for lr_plus: at 2 thresholds, 0.8 the lowest, no negative was called positive, "
        "so the ratio is infinite (fp = 0)." in said
    )
    assert [line.split()[-1] for line in said.splitlines()[-6:]] == [
        "?",
        "inf",
        "inf",
        "1.333",
        "2.000",
        "1.000",
    ]
    assert curve.undefined["nothing was predicted positive (tp + fp = 0)"] == 1
    assert curve.to_dict()["best"] is None
    # Lower is better, and at 0.6 no positive is missed.
    assert ThresholdCurve(scores, "lr_minus").best.threshold == 0.6


def test_the_interval_is_printed_so_that_it_holds() -> None:
    scores = count_scores(np.array([0.84230191, 0.84229961, 0.1]), np.array([1, 0, 0], bool))
    said = text(ThresholdCurve(scores).document(), width=300)
    low, high = re.search(r"every threshold above (\S+) and up to (\S+) gives the same", said).groups()
    assert 0.84229961 <= float(low) < float(high) <= 0.84230191
    assert len(low) < 10


def test_best_when_everything_is_called_positive() -> None:
    curve = ThresholdCurve(count_scores(np.array([0.5]), np.ones(1, bool)), "accuracy")
    assert curve.best is not None
    assert (curve.best.threshold, curve.best.low) == (0.5, -math.inf)
    assert curve.to_dict()["best"]["low"] is None


def test_others_as_good_are_counted() -> None:
    # Accuracy: 2/4 above all, 3/4 at 0.9, 2/4 at 0.7, 3/4 at 0.5, 2/4 at 0.3.
    score, y = np.array([0.9, 0.7, 0.5, 0.3]), np.array([1, 0, 1, 0], bool)
    curve = ThresholdCurve(count_scores(score, y), "accuracy")
    assert curve.best is not None
    assert (curve.best.threshold, curve.best.low, curve.best.others) == (0.9, 0.7, 1)
    assert "1 other interval is as good; this one calls the fewest rows positive." in text(
        curve.document(), width=400
    )


def test_neither_more_nor_less_is_better() -> None:
    curve = ThresholdCurve(SMALL, "predicted_positive_rate")
    assert curve.best is None
    assert curve.to_dict()["why"] == "neither more nor less predicted_positive_rate is better"


# --- undefined ---------------------------------------------------------------------------------


def test_undefined_points_are_counted_with_their_reasons() -> None:
    assert ThresholdCurve(SMALL, "precision").undefined == {"nothing was predicted positive (tp + fp = 0)": 1}
    assert ThresholdCurve(SMALL, "mcc").undefined == {
        "nothing was predicted positive (tp + fp = 0)": 1,
        "nothing was predicted negative (fn + tn = 0)": 1,
    }
    assert ThresholdCurve(SMALL, "lr_plus").undefined == {
        "nothing was predicted positive (tp + fp = 0)": 1,
        "no negative was called positive, so the ratio is infinite (fp = 0)": 1,
    }


def test_constant_scores_are_undefined_for_two_reasons() -> None:
    curve = ThresholdCurve(count_scores(np.full(4, 0.5), np.array([1, 1, 0, 0], bool)), "mcc")
    assert list(curve.undefined.values()) == [1, 1]
    assert curve.best is None
    assert curve.at(0.5) is None


def test_no_positives() -> None:
    curve = ThresholdCurve(count_scores(np.array([0.3, 0.2]), np.zeros(2, bool)), "recall")
    assert curve.undefined == {"no row is actually positive (tp + fn = 0)": 3}
    assert "No threshold is best for recall: it is undefined at every one of them" in text(curve.document())
    assert curve.to_dict()["value"] == [None, None, None]


def test_no_rows() -> None:
    curve = ThresholdCurve(Scores.empty())
    assert curve.no_best == "there are no rows"
    assert text(curve.document())
    assert curve.figure().panels


def test_bins_are_known_at_their_edges() -> None:
    curve = ThresholdCurve(Scores.from_bins([2, 1, 0], [0, 1, 3], edges=[1, 0.6, 0.3, 0]))
    assert curve.value.tolist() == pytest.approx([0, 4 / 5, 6 / 7, 6 / 10])
    assert curve.best is not None
    assert (curve.best.threshold, curve.best.low) == (0.3, None)
    with pytest.raises(OptionError, match="within a bin"):
        curve.at(0.5)
    assert "known at their edges only" in text(curve.document(), width=400)


# --- asked wrongly -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "total_cost",
            "'total_cost' needs costs, which a curve over thresholds does not have. "
            "Hint: `tallymark decide FILE --costs ...` (ev.decide) finds the cheapest threshold.",
        ),
        (
            "f1_macro",
            "'f1_macro' is an average over classes, and a threshold is about one of them. Hint: ask for f1.",
        ),
        (
            "auc",
            "'auc' is about the scores as a whole, so it has no value at a threshold. "
            "Hint: ask for one that counts answers, such as f1, precision, recall, accuracy or mcc.",
        ),
    ],
)
def test_what_has_no_value_at_a_threshold(name: str, message: str) -> None:
    with pytest.raises(MetricError) as caught:
        ThresholdCurve(SMALL, name)
    assert str(caught.value) == message


def test_several_need_a_list() -> None:
    for given_metrics in ("f1", []):
        with pytest.raises(OptionError, match="metrics must be a list of names; got"):
            threshold_curves(SMALL, given_metrics)


# --- handed on ---------------------------------------------------------------------------------


def test_several_in_one_table() -> None:
    table = threshold_curves(SMALL, ["precision", "recall", "f1"]).table()
    assert table.columns == ["threshold", "tp", "fp", "fn", "tn", "precision", "recall", "f1"]
    assert table.row(0) == (math.inf, 0, 0, 3, 2, None, 0, 0)
    assert table.row(3) == (0.4, 3, 1, 0, 1, 0.75, 1, 6 / 7)
    assert list(threshold_curves(SMALL).to_dict()) == ["precision", "recall", "f1"]


def test_the_best_point_stays_in_thinned_json() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.5
    curve = ThresholdCurve(count_scores(rng.normal(size=5000) + y, y))
    form: dict[str, Any] = curve.to_dict(most=10)
    assert form["thinned"] is True
    assert form["best"]["threshold"] in form["threshold"]
    assert form["threshold"][0] is None
    with pytest.raises(OptionError, match=r"^most must be at least 2 points; got 1\.$"):
        curve.to_dict(most=1)


def test_the_document() -> None:
    assert text(ThresholdCurve(SMALL).document()) == (
        "f1 against the threshold\n"
        "------------------------\n"
        "\n"
        "f1 is highest, 0.857, at the threshold 0.4; every threshold above 0.1 and up to 0.4 gives the "
        "same.\n"
        "\n"
        "The best threshold was looked for among these very rows, so its value is optimistic: on new rows\n"
        "expect less.\n"
        "\n"
        "score >=  TP  FP  FN  TN     f1\n"
        "--------  --  --  --  --  -----\n"
        "     inf   0   0   3   2  0.000\n"
        "     0.9   1   0   2   2  0.500\n"
        "     0.8   2   1   1   1  0.667\n"
        "     0.4   3   1   0   1  0.857\n"
        "     0.1   3   2   0   0  0.750"
    )
