"""`extra={"profit": f}`: a user's own function of rows, with an interval from resampled rows."""

# ruff: noqa: ARG005 - functions take the columns that the interface gives them
import functools
import json
import math
import pickle

import numpy as np
import pytest
from sklearn import metrics as peer

import tallymark as tm
from scored import classes, refusals

chance = np.random.default_rng(11)
ACTUAL = chance.integers(0, 2, 200)
SCORE = np.clip(ACTUAL * 0.3 + chance.random(200) * 0.7, 0, 1)
PREDICTED = (SCORE >= 0.5).astype(int)
WEIGHT = chance.integers(1, 5, 200)


def profit(y_true, y_pred):
    return float(np.mean(np.where(y_pred == 1, np.where(y_true == 1, 10.0, -4.0), 0.0)))


def share(y_true, y_pred, sample_weight=None):
    return float(np.average(y_true == y_pred, weights=sample_weight))


class Above:
    """A callable object with a setting of its own."""

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, y_true, y_pred):
        return float(np.mean(y_true == y_pred) > self.limit)


def own(function, *, score=False, **options):
    given = {"y_score": SCORE} if score else {"y_pred": PREDICTED}
    return tm.evaluate(ACTUAL, extra={"mine": function}, **given, **options)["mine"]


def test_functions_of_any_kind():
    for function in (
        profit, functools.partial(peer.fbeta_score, beta=2),
        lambda y, p: np.float32(0.5) + (y == p).mean(),
        lambda y, p, beta=2.0: beta * (y == p).mean(),
        lambda *columns: len(columns) * (columns[0] == columns[1]).mean(),
        lambda y, p, y_score=None: (y == p).mean() + (0 if y_score is None else 100),
        lambda y, p, **options: (y == p).mean(),
    ):  # fmt: skip
        found = own(function)
        assert found.value == pytest.approx(float(function(ACTUAL, PREDICTED)))
        assert found.low < found.value < found.high
        assert (found.method, found.assumption, found.n) == ("row_bootstrap", "independent rows", 200)
    # The score is a parameter that must be given, or is called y_score.
    for function, expected in (
        (lambda y, p, s: s.max(), SCORE.max()),
        (lambda y, p, *, y_score: y_score.max(), SCORE.max()),
        (lambda y, p, beta=2.0: beta + (y == p).mean() * 0, 2),
        (peer.roc_auc_score, peer.roc_auc_score(ACTUAL, SCORE)),
    ):
        assert own(function, score=True).value == expected
    table, seen = np.column_stack([1 - SCORE, SCORE]), []
    loss = tm.evaluate(
        ACTUAL, y_score=table, labels=[0, 1], extra={"loss": lambda y, p, s: s[np.arange(len(y)), y].mean()}
    )
    assert loss["loss"].value == pytest.approx(table[np.arange(200), ACTUAL].mean())
    # Labels are as they were given, and columns are copies.
    words = [np.where(side, "yes", "no") for side in (ACTUAL, PREDICTED)]

    def watch(y_true, y_pred):
        seen.append((set(y_true.tolist()), set(y_pred.tolist())))
        y_true[:] = "no"
        return 0.0

    tm.evaluate(*words, extra={"watch": watch})
    assert seen == [({"no", "yes"}, {"no", "yes"})]
    assert set(words[0]) == {"no", "yes"}


def test_weights_and_frequencies():
    for function in (share, peer.accuracy_score, lambda y, p, sample_weight: sample_weight.sum()):
        expected = float(function(ACTUAL, PREDICTED, sample_weight=WEIGHT))
        assert own(function, sample_weight=WEIGHT).value == pytest.approx(expected)
    lines = own(share, sample_weight=WEIGHT * 20, weight_kind="frequency")
    sampling = own(share, sample_weight=WEIGHT * 20)
    p, n = float(lines), 20 * WEIGHT.sum()
    assert (lines.n, sampling.n) == (n, 200)
    assert lines.high - lines.low == pytest.approx(3.92 * math.sqrt(p * (1 - p) / n), rel=0.12)
    assert sampling.high - sampling.low > 5 * (lines.high - lines.low)


def test_intervals():
    ev = tm.evaluate(ACTUAL, PREDICTED, extra={"mine": share, "profit": profit})
    assert ev["mine"].value == ev["accuracy"].value
    assert (ev["mine"].low, ev["mine"].high) == pytest.approx(
        (ev["accuracy"].low, ev["accuracy"].high), abs=0.01
    )
    for constant, given in ((Above(0.1), (ACTUAL, PREDICTED)), (lambda y, p: 0.5, ([1], [1]))):
        found = tm.evaluate(*given, extra={"mine": constant})["mine"]
        assert (found.value is None, found.low, bool(found.note)) == (False, None, True)
    # Groups without weight are not groups.
    group = np.arange(200) // 5
    half, ones = np.arange(200) < 100, {"groups": group[:100], "extra": {"mine": share}}
    whole = tm.evaluate(ACTUAL, PREDICTED, groups=group, sample_weight=half * 1.0, extra={"mine": share})
    alone = tm.evaluate(ACTUAL[half], PREDICTED[half], sample_weight=np.ones(100), **ones)
    for name in ("accuracy", "mine"):
        assert "20" in whole[name].assumption
        assert (whole[name].low, whole[name].high) == (alone[name].low, alone[name].high)


def test_where_it_is_shown():
    ev = tm.evaluate(
        ACTUAL, PREDICTED, extra={"profit": profit}, confidence_level=0.9, slices={"half": np.arange(200) % 2}
    )
    assert "profit" in list(ev)
    form = json.loads(ev.to_json())["metrics"]["profit"]
    assert form["value"] == profit(ACTUAL, PREDICTED)
    assert (form["method"], form["level"], form["n"]) == ("row_bootstrap", 0.9, 200)
    frame = ev.to_frame("pandas")
    assert frame[frame["metric"] == "profit"]["value"].dropna().tolist() == [form["value"]]
    assert any(line.split()[:1] == ["profit"] for line in str(ev).splitlines())
    again = pickle.loads(
        pickle.dumps(tm.evaluate(ACTUAL, PREDICTED, extra={"mine": lambda y, p: profit(y, p)}))
    )
    known = own(profit)
    assert (again["mine"].value, again["mine"].low) == (known.value, known.low)
    assert again["mine"].interval(0.99).low is None
    # Only of all rows as they came.
    for other in (ev.slices[0].evaluation, ev.at_prevalence(0.3)):
        assert other["profit"].value is None
        assert other["profit"].why
    for value in (math.nan, math.inf, -math.inf):
        ev = tm.evaluate(ACTUAL, PREDICTED, extra={"mine": lambda y, p, value=value: value})
        assert ev["mine"].value is None
        assert json.loads(ev.to_json())["metrics"]["mine"] == {"value": None, "why": ev["mine"].why}


def test_refusals(snapshot):
    broken = {
        "ZeroDivisionError": lambda y, p: 1 / 0, "KeyError": lambda y, p: {}["x"], "None": lambda y, p: None,
        "text": lambda y, p: "0.5", "a list": lambda y, p: [0.5], "an array": lambda y, p: y == p,
        "complex": lambda y, p: 1j,
    }  # fmt: skip
    calls = {name: lambda function=function: own(function) for name, function in broken.items()}
    explained = tm.evaluate(ACTUAL, PREDICTED, extra={"profit": profit})
    calls["explained"] = lambda: explained.explain("profit")
    assert set(classes(refusals(calls)).values()) == {"MetricError"}
    extras = {
        "a list": [profit], "no name": {"": profit}, "a blank": {" ": profit}, "a number": {1: profit},
        "no function": {"mine": 0.5}, "a metric": {"recall": profit}, "a synonym": {"sensitivity": profit},
        "an average": {"f1_macro": profit},
    }  # fmt: skip
    options = {
        f"extra: {name}": lambda extra=extra: tm.evaluate(ACTUAL, PREDICTED, extra=extra)
        for name, extra in extras.items()
    }
    options |= {
        "weights would be lost": lambda: own(profit, sample_weight=WEIGHT),
        "no score": lambda: own(lambda y, p, s: 1.0),
        "no threshold": lambda: tm.evaluate(ACTUAL, y_score=SCORE * 9 - 4, extra={"mine": profit}),
    }
    assert set(classes(refusals(options)).values()) == {"OptionError"}
    snapshot("errors_of_own_metrics", refusals(calls | options))
