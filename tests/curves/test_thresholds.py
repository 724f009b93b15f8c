"""Metrics against the threshold: by hand, against scikit-learn and a search; and thresholds in print."""

import itertools
import json
import math
import re
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peers

import tallymark as tm
from scored import binned, columns, scored, shown
from tallymark.metrics import METRICS

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = scored([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0])
SAME_NAME = ("f1", "precision", "recall", "accuracy", "balanced_accuracy")
PEERS = {name: getattr(peers, f"{name}_score") for name in SAME_NAME}
PEERS |= {"mcc": peers.matthews_corrcoef, "kappa": peers.cohen_kappa_score}
PEERS["f_beta:2"] = partial(peers.fbeta_score, beta=2)
# Where they have no error, they are infinite.
INFINITE = ("lr_plus", "diagnostic_odds_ratio")
ROWS = st.lists(st.tuples(st.sampled_from([-2.0, 0.1, 0.3, 0.5, 0.9]), st.booleans()), min_size=1)
CLOSE = st.floats(0.8422, 0.8424)
FINITE = {"allow_nan": False, "allow_infinity": False, "allow_subnormal": False}
NUMBERS = st.floats(**FINITE).map(lambda value: value + 0.0)


def test_by_hand() -> None:
    curve = SMALL.thresholds
    assert curve.metric == "f1"
    assert curve.threshold.tolist() == [math.inf, 0.9, 0.8, 0.4, 0.1]
    assert curve.value.tolist() == [0, 2 / 4, 4 / 6, 6 / 7, 6 / 8]
    best = curve.best
    assert (best.threshold, best.value, best.low, best.high, best.others) == (0.4, 6 / 7, 0.1, 0.4, 0)
    assert [curve.at(threshold) for threshold in (0.5, 0.4, 7)] == [4 / 6, 6 / 7, 0]
    table = SMALL.against_threshold("precision").table()
    assert table.columns == ["threshold", "tp", "fp", "fn", "tn", "precision"]
    assert [table.row(0), table.row(3)] == [(math.inf, 0, 0, 3, 2, None), (0.4, 3, 1, 0, 1, 0.75)]


def test_as_scikit_learn_at_every_threshold() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(24) < 0.4
    score, weight, wrong = rng.normal(size=24) + y, rng.random(24), []
    for decimals, weighted in itertools.product((None, 1), (False, True)):
        cut = score if decimals is None else score.round(decimals)
        amounts = weight if weighted else None
        ev = scored(cut, y, sample_weight=amounts)
        for name, peer in PEERS.items():
            curve = ev.against_threshold(name)
            for threshold, value in zip(curve.threshold, curve.value, strict=True):
                if math.isnan(value) and name in ("precision", "mcc"):
                    continue
                if value != pytest.approx(peer(y, cut >= threshold, sample_weight=amounts), abs=1e-12):
                    wrong.append((name, decimals, weighted, threshold, value))
    assert not wrong


def test_every_metric_of_counts_has_a_curve() -> None:
    parameters, wrong = {"f_beta": ":2", "weighted_accuracy": ":2,1,1,0"}, []
    for name, metric in METRICS.items():
        if not metric.needs_costs:
            curve = SMALL.against_threshold(name + parameters.get(name, ""))
            has_best = metric.better != "neither" and name not in INFINITE
            missing = sum(curve.undefined.values()) == np.isnan(curve.value).sum()
            json.dumps(curve.to_dict(), allow_nan=False)
            if len(curve.value) != 5 or (curve.best is not None) != has_best or not missing:
                wrong.append(name)
    assert not wrong


@given(ROWS)
def test_the_best_interval_is_that_of_a_search(rows: list[tuple[float, bool]]) -> None:
    score, y = columns(rows)
    ev = scored(score, y)
    for name in ("f1", "accuracy", "error_rate", "youden", "mcc", "fpr"):
        curve = ev.against_threshold(name)
        # One threshold inside of every interval between two scores, and beyond both ends.
        known = sorted({*score.tolist(), -math.inf, math.inf})
        inner = [(low, high, curve.at(high)) for low, high in pairwise(known)]
        defined = [value for _, _, value in inner if value is not None]
        if not defined:
            assert curve.best is None
            assert curve.no_best
            continue
        wanted = (min if name in ("error_rate", "fpr") else max)(defined)
        good = [value is not None and abs(value - wanted) < 1e-14 for _, _, value in inner]
        top = bottom = max(place for place, fits in enumerate(good) if fits)
        # The lowest interval goes on below every score, where predictions are those at the lowest.
        while bottom > 0 and good[bottom - 1]:
            bottom -= 1
        best = curve.best
        assert best.value == pytest.approx(wanted, abs=1e-14)
        assert (best.threshold, best.high, best.low) == (inner[top][1], inner[top][1], inner[bottom][0])
        runs = sum(fits and not before for fits, before in zip(good, [False, *good], strict=False))
        assert best.others == runs - 1


def test_best_in_special_cases() -> None:
    # TPR - FPR is 0.3 - 0.1 at 0.9 and 0.4 - 0.2 at 0.5, which rounding makes unequal.
    score = [0.9] * 4 + [0.5] * 2 + [0.1] * 14
    best = scored(score, [1, 1, 1, 0, 1, 0] + [1] * 6 + [0] * 8).against_threshold("youden").best
    assert (best.threshold, best.low) == (0.9, 0.1)
    # Best is to predict nothing positive, or everything.
    curve = scored([0.9, 0.2], [0, 0]).against_threshold("accuracy")
    assert (curve.best.threshold, curve.best.low, curve.best.value) == (math.inf, 0.9, 1)
    assert curve.to_dict()["best"]["threshold"] is None
    curve = scored([0.5], [1]).against_threshold("accuracy")
    assert (curve.best.threshold, curve.best.low, curve.to_dict()["best"]["low"]) == (0.5, -math.inf, None)
    # Accuracy: 2/4 above all, 3/4 at 0.9, 2/4 at 0.7, 3/4 at 0.5, 2/4 at 0.3.
    best = scored([0.9, 0.7, 0.5, 0.3], [1, 0, 1, 0]).against_threshold("accuracy").best
    assert (best.threshold, best.low, best.others) == (0.9, 0.7, 1)
    neither = SMALL.against_threshold("predicted_positive_rate")
    assert (neither.best, bool(neither.to_dict()["why"])) == (None, True)
    bins = binned([2, 1, 0], [0, 1, 3], [1, 0.6, 0.3, 0]).thresholds
    assert bins.value.tolist() == pytest.approx([0, 4 / 5, 6 / 7, 6 / 10])
    assert (bins.best.threshold, bins.best.low, bins.to_dict()["exact"]) == (0.3, None, False)


def test_where_a_ratio_is_infinite_none_is_best() -> None:
    # At 0.9 and 0.8 no negative is predicted positive, at 0.6 the ratio is 1 / 0.5; above 0.9 it is 0 / 0.
    ev = scored([0.9, 0.8, 0.7, 0.6, 0.3], [1, 1, 0, 1, 0])
    curve = ev.against_threshold("lr_plus")
    assert (curve.best, curve.to_dict()["best"]) == (None, None)
    assert curve.value[3:].tolist() == pytest.approx([4 / 3, 2, 1])
    assert sorted(curve.undefined.values()) == [1, 2]
    printed = [line.split()[-1] for line in str(curve).splitlines()[-6:]]
    assert printed == ["?", "inf", "inf", "1.333", "2.000", "1.000"]
    # Lower is better, and at 0.6 no positive is missed.
    assert ev.against_threshold("lr_minus").best.threshold == 0.6


def test_reasons_for_undefined_points_are_counted() -> None:
    constant, none = scored([0.5] * 4, [1, 1, 0, 0]), scored([0.3, 0.2], [0, 0])
    curves = [SMALL.against_threshold(name) for name in ("precision", "mcc", "lr_plus", "recall")]
    curves += [constant.against_threshold("mcc"), none.against_threshold("recall")]
    assert [[*curve.undefined.values()] for curve in curves] == [[1], [1, 1], [1, 1], [], [1, 1], [3]]
    assert (curves[4].best, curves[4].at(0.5)) == (None, None)
    assert curves[5].to_dict()["value"] == [None, None, None]


def test_json_is_thinned_but_keeps_the_best_point() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.5
    form = scored(rng.normal(size=1000) + y, y).thresholds.to_dict(most=10)
    assert (form["thinned"], form["threshold"][0]) == (True, None)
    assert form["best"]["threshold"] in form["threshold"]


def test_texts(snapshot) -> None:
    curves = {
        "f1": SMALL.thresholds,
        "best of all is nothing": scored([0.9, 0.2], [0, 0]).against_threshold("accuracy"),
        "the lowest is best": scored([0.9, 0.8, 0.7], [1, 1, 0]).against_threshold("fpr"),
        "infinite ratio": scored([0.9, 0.8, 0.7, 0.6, 0.3], [1, 1, 0, 1, 0]).against_threshold("lr_plus"),
        "others are as good": scored([0.9, 0.7, 0.5, 0.3], [1, 0, 1, 0]).against_threshold("accuracy"),
        "neither is better": SMALL.against_threshold("predicted_positive_rate"),
        "undefined everywhere": scored([0.3, 0.2], [0, 0]).against_threshold("recall"),
        "bins": binned([2, 1, 0], [0, 1, 3], [1, 0.6, 0.3, 0]).thresholds,
    }
    texts = {name: f"{curve.briefly}\n\n{curve}" for name, curve in curves.items()}
    snapshot("text_thresholds", texts)


@given(st.lists(NUMBERS | CLOSE, min_size=1, max_size=12), NUMBERS | CLOSE)
def test_printed_thresholds_take_the_same_rows(values: list[float], threshold: float) -> None:
    """However close the scores are to each other, or to the threshold."""
    score = np.array(values)
    ev = scored(score, np.arange(len(score)) % 2 == 0, threshold=threshold)
    rows = str(ev.against_threshold("accuracy")).splitlines()[-len({*values}) - 1 :]
    taken = [[float(cell) for cell in row.split()[:3]] for row in rows]
    assert [(score >= at).sum() for at, *_ in taken] == [tp + fp for _, tp, fp in taken]
    if ev.rejection.form == "distance":
        (named,) = re.findall(r"to the threshold (\S+)\.(?: |$)", " ".join(str(ev.rejection).split()))
        assert ((score >= float(named)) == (score >= threshold)).all()


def test_a_threshold_for_every_class(snapshot) -> None:
    table, labels = [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.3, 0.7, 0.0]], ["a", "b", "c"]
    found = tm.evaluate(["a", "a", "b"], y_score=np.array(table), labels=labels).class_thresholds()
    first = found.classes[0]
    assert (first.best.threshold, first.best.low, first.best.value) == (0.8, 0.3, 1)
    assert (first.called, first.precision, first.recall, first.support) == (2, 1, 1, 2)
    assert (found.classes[2].best, found.table()["f1"].to_list()) == (None, [1, 1, None])
    form = json.loads(json.dumps(found.to_dict()))["classes"][2]
    assert (form["label"], form["support"], form["threshold"], bool(form["why"])) == ("c", 0, None, True)
    snapshot("text_class_thresholds", {"a class without rows": shown(found)})
