"""Models on the same rows: every difference is that of two evaluations, and every p-value that of a peer."""

import json
import math
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics as sk
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests

import tallymark as tm
from collected import each
from comparing import ends, every_metric
from scored import classes, refusals

N = 240
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, N)
SCORES = {
    "one": np.clip(0.4 * Y + RNG.normal(0.3, 0.22, N), 0.01, 0.99).round(2),
    "two": np.clip(0.3 * Y + RNG.normal(0.35, 0.25, N), 0.01, 0.99).round(2),
}
WEIGHTS, GROUPS = RNG.lognormal(0, 0.5, N), np.arange(N) // 5
COSTS = {0: {1: 1.0}, 1: {0: 4.0}}
THREE = {f"m{at}": np.where(RNG.random(N) < right, Y, 1 - Y) for at, right in enumerate((0.85, 0.74, 0.65))}
TWO = {name: THREE[name] for name in ("m0", "m1")}
A, B = TWO.values()


def of_classes(labels, pull, seed):
    """Actual classes and a probability per class."""
    rng = np.random.default_rng(seed)
    y = np.random.default_rng(0).integers(0, len(labels), 150)
    table = rng.dirichlet(np.ones(len(labels)), 150)
    table[np.arange(150), y] += pull
    return np.array(labels)[y], table / table.sum(axis=1, keepdims=True)


@cache
def per_class(*labels, **options):
    (y, one), (_, other) = (of_classes(labels, pull, seed) for pull, seed in ((0.8, 5), (0.4, 6)))
    models = {"one": one, "two": (one + other) / 2}
    metrics = [name for name in every_metric() if not name.endswith("_cost")]
    return tm.compare(models, y, labels=labels, metrics=metrics, **options)


def of_scores(models=SCORES, **options):
    metrics = [name for name in every_metric() if "costs" in options or not name.endswith("_cost")]
    return tm.compare(models, Y, **{"metrics": metrics, "permutations": 200} | options)


SHAPES = {
    "scores": lambda: of_scores(costs=COSTS),
    "clip and threshold": lambda: of_scores(
        {"one": SCORES["one"].round(1), "two": SCORES["two"]}, clip=1e-3, threshold=0.4
    ),
    "weights": lambda: of_scores(sample_weight=WEIGHTS),
    "groups": lambda: of_scores(groups=GROUPS),
    "two classes": lambda: per_class("n", "y"),
    "two classes, the second positive": lambda: per_class("n", "y", pos_label="y"),
    "three classes": lambda: per_class("a", "b", "c"),
    "three classes, one positive": lambda: per_class("a", "b", "c", pos_label="b"),
}


@each("shape", SHAPES)
def test_every_difference_is_that_of_two_evaluations(shape):
    found = SHAPES[shape]()
    assert found.design == "same rows"
    json.loads(found.to_json())
    with_interval = 0
    for one in found.differences:
        a, b = (model.values[one.metric].value for model in found.models)
        if a is None or b is None:
            assert one.value is None, one.metric
            assert one.why, one.metric
            continue
        assert one.value == pytest.approx(a - b, abs=1e-12), one.metric
        assert one.paired
        if one.low is None:
            assert one.estimate.note, one.metric
        else:
            with_interval += 1
            assert one.low <= one.value <= one.high, one.metric
    assert with_interval >= 39
    if shape == "scores":
        apart = [tm.evaluate(Y, y_score=score, costs=COSTS) for score in SCORES.values()]
        for one in found.differences:
            if one.value is not None:
                expected = float(apart[0][one.metric]) - float(apart[1][one.metric])
                assert one.value == pytest.approx(expected, abs=1e-12), one.metric


def test_two_classes_without_a_positive_one():
    found, named = per_class("n", "y"), per_class("n", "y", pos_label="y")
    for name, known_as in (("brier", "brier"), ("log_loss", "log_loss"), ("auc_ovr_macro", "auc")):
        assert ends(found[name]) == pytest.approx(ends(named[known_as])), name
        assert found[name].p_value == pytest.approx(named[known_as].p_value), name
    assert found["auc"].value is None
    # The first place is the predicted class.
    assert found["top_k_accuracy:1"].value == pytest.approx(found["accuracy"].value)
    assert found["top_k_accuracy:1"].low == pytest.approx(found["accuracy"].low)
    # Tables may be data frames.
    (y, one), (_, two) = (of_classes(list("abc"), pull, 3) for pull in (0.8, 0.3))
    models = {"one": pd.DataFrame(one, columns=list("abc")), "two": pl.DataFrame(two, list("abc"))}
    found = tm.compare(models, y, labels=list("abc"), metrics=["log_loss"])
    assert found["log_loss"].value == pytest.approx(sk.log_loss(y, one) - sk.log_loss(y, two))


# --- which test ---------------------------------------------------------------------------------------


def table_of(y, a, b):
    """Rows of the first and columns of the second, right before wrong, as statsmodels has it."""
    sides = [[np.equal(side, y), ~np.equal(side, y)] for side in (a, b)]
    return [[int((one & two).sum()) for two in sides[1]] for one in sides[0]]


def disagreeing(rows):
    """Two models that disagree on so many rows, a third of which the first has right."""
    a, b = Y.copy(), Y.copy()
    a[: rows - rows // 3] ^= 1
    b[100 : 100 + rows // 3] ^= 1
    return {"a": a, "b": b}


def test_accuracy_is_tested_by_mcnemar():
    """Exactly where fewer than 25 rows are right in one model alone."""
    for rows in (3, 15, 24, 25, 60):
        models = disagreeing(rows)
        peer = mcnemar(table_of(Y, *models.values()), exact=rows < 25, correction=True)
        for metric in ("accuracy", "error_rate"):
            found = tm.compare(models, Y, metric=metric, metrics=[metric])[metric]
            assert found.test == ("McNemar, exact" if rows < 25 else "McNemar, corrected")
            assert found.p_value == pytest.approx(peer.pvalue)
    # Recall among the positives, specificity among the negatives.
    for metric, label in (("recall", 1), ("fnr", 1), ("specificity", 0), ("fpr", 0)):
        there = label == Y
        peer = mcnemar(table_of(Y[there], A[there], B[there]), exact=True)
        found = tm.compare(TWO, Y, metric=metric, metrics=[metric], test="exact")[metric]
        assert found.p_value == pytest.approx(peer.pvalue), metric
    table = table_of(Y, A, B)
    methods = {"corrected": "corrected", "uncorrected": "uncorrected", "exact": "exact", "mid_p": "mid-p"}
    p = {way: tm.tests.mcnemar(table[0][1], table[1][0], way).p_value for way in methods}
    expected = {f"McNemar, {name}": p[way] for way, name in methods.items()}
    found = tm.compare(TWO, Y, metrics=["accuracy"])
    outcomes = {one.method: one for one in found.outcomes}
    assert {name: outcomes[name].p_value for name in expected} == pytest.approx(expected)
    assert set(outcomes) - set(expected) == {"permutation, rows swapped"}
    for test, name in methods.items():
        asked = tm.compare(TWO, Y, metrics=["accuracy"], test=test)["accuracy"]
        assert (asked.test, asked.p_value) == (f"McNemar, {name}", pytest.approx(p[test]))


def test_each_metric_has_its_test():
    asked = ["f1", "mcc", "precision", "mean_cost", "auc", "average_precision", "brier", "ks", "ece"]
    usual = of_scores(metrics=asked, costs=COSTS)
    draws, swaps = "paired draws, inverted", "permutation, rows swapped"
    expected = dict.fromkeys(("f1", "mcc", "precision"), draws) | {
        "mean_cost": swaps, "auc": "DeLong, paired", "average_precision": "z, paired",
        "brier": "paired t over rows", "ks": swaps, "ece": None,
    }  # fmt: skip
    assert {name: usual[name].test for name in asked} == expected
    permuted = of_scores(metrics=asked, costs=COSTS, test="permutation")
    assert {permuted[name].test for name in asked if name != "ece"} == {swaps}
    # Swaps ask whether models are alike in all; where a metric is a sum over the rows, that is the same.
    notes = {name: bool(permuted[name].outcome.note) for name in ("f1", "mcc", "mean_cost")}
    assert notes == {"f1": True, "mcc": True, "mean_cost": False}
    groups = of_scores(metrics=asked, costs=COSTS, groups=GROUPS)
    assert groups["accuracy"].test == groups["mean_cost"].test == "permutation, groups swapped"
    assert (groups["f1"].test, groups["auc"].test) == (draws, "DeLong, paired")
    assert of_scores(metrics=["accuracy"], sample_weight=WEIGHTS)["accuracy"].test == swaps
    far, near = Y + RNG.normal(0, 0.5, N), Y + RNG.normal(0, 3.0, N)
    found = tm.compare({"far": far, "near": near}, Y, metric="ks", metrics=["ks"])["ks"]
    assert (found.low, found.p_value) == (None, pytest.approx(1 / 1001))
    assert tm.compare({"one": far, "other": far}, Y, metric="ks", metrics=["ks"])["ks"].p_value == 1
    # Scores of several classes are not swapped.
    (y, one), (_, two) = (of_classes(list("abc"), pull, 3) for pull in (0.8, 0.3))
    asked = {"labels": list("abc"), "metrics": ["auc_ovr_macro", "brier", "ece"]}
    both = [tm.compare({"one": one, "two": two}, y, test=test, **asked) for test in ("permutation", "auto")]
    assert len(both[0].notes) == len(both[1].notes) + 1
    assert both[0]["brier"].p_value == both[1]["brier"].p_value


def test_several_models_are_tested_together_and_in_pairs():
    found = tm.compare(THREE, Y, metrics=["accuracy"])
    peer = cochrans_q(np.column_stack([side == Y for side in THREE.values()]))
    (outcome,) = found.outcomes
    assert (outcome.method, outcome.statistic) == ("Cochran's Q", pytest.approx(peer.statistic))
    assert outcome.p_value == pytest.approx(peer.pvalue)
    assert [(one.a, one.b) for one in found.differences] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    raw = []
    for one in found.differences:
        table = table_of(Y, THREE[one.a], THREE[one.b])
        raw.append(mcnemar(table, exact=table[0][1] + table[1][0] < 25, correction=True).pvalue)
    assert [one.p_value for one in found.differences] == pytest.approx(raw)
    for adjust in ("holm", "bonferroni"):
        differences = tm.compare(THREE, Y, metrics=["accuracy"], adjust=adjust).differences
        expected = multipletests(raw, method=adjust)[1]
        assert [one.adjusted for one in differences] == pytest.approx(expected)
        assert [one.decisive for one in differences] == [one.adjusted for one in differences]
    # A pair of two models needs no adjustment.
    alone = tm.compare(TWO, Y, metrics=["accuracy"])["accuracy"]
    assert (alone.adjusted, alone.decisive) == (None, alone.p_value)
    # Cochran's Q is of rows that count once, and of accuracy.
    for options in ({"sample_weight": WEIGHTS}, {"groups": GROUPS}, {"metric": "f1"}):
        assert tm.compare(THREE, Y, metrics=["accuracy"], permutations=100, **options).outcomes == ()
        assert tm.compare(TWO, Y, metrics=["accuracy"], permutations=100, **options).outcomes == ()


def test_a_third_model_changes_nothing():
    for options, metric in (({}, "f1"), ({"sample_weight": WEIGHTS}, "f1"), ({"groups": GROUPS}, "accuracy")):
        asked = {"metric": metric, "metrics": [metric], "permutations": 500, **options}
        three = tm.compare(THREE, Y, **asked)
        for one in three.differences:
            alone = tm.compare({name: THREE[name] for name in (one.a, one.b)}, Y, **asked)[metric]
            assert (one.value, *ends(one)) == pytest.approx((alone.value, *ends(alone)), rel=1e-12)
            assert (one.test, one.p_value) == (alone.test, pytest.approx(alone.p_value, rel=1e-9))


# --- models that are alike, and hardly any rows -----------------------------------------------------


def test_hardly_any_rows_one_class_and_constant_models():
    for y in ([1], [0], [1, 1, 1], [0, 1]):
        found = tm.compare({"a": y, "b": [1 - label for label in y]}, y)
        assert (found["accuracy"].value, found.winner) == (1, None)
        json.loads(found.to_json())
    found = tm.compare({"yes": np.ones(N, int), "no": np.zeros(N, int)}, Y, metrics=["recall", "precision"])
    assert found["recall"].value == 1
    assert found["precision"].value is None
    # What is undefined is counted as 0 where the evaluations do so.
    evs = {name: tm.evaluate(Y, said, undefined=0) for name, said in (("yes", np.ones(N, int)), ("m0", A))}
    found = tm.compare(evs, metrics=["precision_macro"])["precision_macro"]
    one, two = (ev["precision_macro"].value for ev in evs.values())
    assert found.value == pytest.approx(one - two)
    found = tm.compare(SCORES, np.ones(N, int), metrics=["auc", "specificity", "accuracy"])
    assert (found["auc"].value, found["auc"].p_value, found["specificity"].value) == (None, None, None)
    assert found["accuracy"].value is not None
    # A label that one model alone predicts.
    words = np.where(Y, "yes", "no")
    unsure = words.astype(object)
    unsure[:10] = "?"
    found = tm.compare({"sure": words, "unsure": unsure}, words, metrics=["accuracy"])
    assert found["accuracy"].value == pytest.approx(10 / N)
    assert [model.values["accuracy"].value for model in found.models] == [1, 1 - 10 / N]


# --- weights, groups and rows left out --------------------------------------------------------------


def alike(one, two):
    for first, second in zip(one.differences, two.differences, strict=True):
        found = [(x.value, x.low, x.high, x.p_value) for x in (first, second)]
        assert found[0] == pytest.approx(found[1]), first.metric
        assert first.test == second.test


def test_weights_of_one_and_frequencies():
    asked = ["accuracy", "f1", "mean_cost", "auc", "brier"]
    for models in (SCORES, THREE):
        metrics = asked if models is SCORES else asked[:3]
        plain = tm.compare(models, Y, costs=COSTS, metrics=metrics)
        for kind in (float, int):
            weighted = tm.compare(models, Y, costs=COSTS, metrics=metrics, sample_weight=np.ones(N, kind))
            alike(weighted, plain)
            assert [one.method for one in weighted.outcomes] == [one.method for one in plain.outcomes]
            assert weighted.verdict == plain.verdict
            assert weighted.to_dict()["agreement"] == plain.to_dict()["agreement"]
    times, metrics = np.random.default_rng(4).integers(0, 4, N), ["accuracy", "f1", "auc", "brier"]
    weighted = tm.compare(SCORES, Y, sample_weight=times, weight_kind="frequency", metrics=metrics)
    repeated = {name: np.repeat(score, times) for name, score in SCORES.items()}
    alike(weighted, tm.compare(repeated, np.repeat(Y, times), metrics=metrics))
    assert weighted.models[0].n == times.sum()


def test_groups_are_swapped_whole():
    asked = {"metrics": ["accuracy", "recall", "auc", "brier"], "permutations": 4_000}
    found = tm.compare(SCORES, Y, groups=np.arange(N) // 6, **asked)
    assert "40" in found.assumption
    for one in found.differences:
        assert one.outcome.assumption == one.assumption == found.assumption
    assert {one.outcome.assumption for one in tm.compare(SCORES, Y, **asked).differences} == {
        "independent rows"
    }
    plain = tm.compare(TWO, Y, test="permutation", metrics=["accuracy"])["accuracy"]
    alone = tm.compare(TWO, Y, groups=np.arange(N), metrics=["accuracy"])["accuracy"]
    assert alone.p_value == pytest.approx(plain.p_value, abs=0.01)


def test_a_row_that_one_model_lacks_is_left_out_of_all():
    lacking = SCORES["one"].copy()
    lacking[[3, 77]] = np.nan
    models, kept = {"one": lacking, "two": SCORES["two"]}, np.isfinite(lacking)
    asked = {"metrics": ["accuracy", "auc"], "missing": "drop"}
    found = tm.compare(models, Y, **asked)
    alike(found, tm.compare({name: score[kept] for name, score in SCORES.items()}, Y[kept], **asked))
    assert [model.n for model in found.models] == [N - 2] * 2
    often = tm.compare(models, Y, sample_weight=np.full(N, 2), weight_kind="frequency", **asked)
    assert [model.n for model in often.models] == [2 * (N - 2)] * 2


# --- what the rows could have found -----------------------------------------------------------------


def reach_of(models, y=Y, **options):
    (found,) = tm.compare(models, y, **{"metrics": ["accuracy"]} | options).to_dict()["reach"]
    return found


def test_reach_is_that_of_the_plan():
    """Of McNemar's test: n = (z sqrt(d) + z' sqrt(d - s^2))^2 / s^2 rows for a difference of s."""
    table = table_of(Y, A, B)
    apart = (table[0][1] + table[1][0]) / N

    def rows(size, level=0.975):
        z = stats.norm.ppf([level, 0.8])
        return ((z[0] * math.sqrt(apart) + z[1] * math.sqrt(apart - size**2)) / size) ** 2

    found = reach_of(TWO)
    assert rows(found["smallest_difference"]) == pytest.approx(N, rel=1e-6)
    seen = abs((A == Y).mean() - (B == Y).mean())
    assert found["rows_needed"] == 10 * math.ceil(rows(seen) / 10)  # to two figures
    assert found["power"] == 0.8
    turned = reach_of(dict(reversed(TWO.items())))
    assert [turned[name] for name in ("smallest_difference", "rows_needed")] == pytest.approx(
        [found[name] for name in ("smallest_difference", "rows_needed")]
    )
    one_sided = reach_of(TWO, alternative="greater")["smallest_difference"]
    assert rows(one_sided, 0.95) == pytest.approx(N, rel=1e-6)
    # From 50 % down there is no interval that leaves out so much on one side.
    for level, same in ((0.5, True), (0.6, False)):
        two = [reach_of(TWO, alternative=side, confidence_level=level) for side in ("two-sided", "less")]
        assert (two[0] == two[1]) == same
    assert reach_of({"a": [1], "b": [0]}, [1])["smallest_difference"] is None


def test_reach_of_other_metrics_follows_from_the_interval():
    z = stats.norm.ppf([0.975, 0.8])
    for metric in ("auc", "brier", "f1"):
        difference = tm.compare(SCORES, Y, metric=metric, metrics=[metric])
        one = difference[metric]
        smallest = z.sum() * (one.high - one.low) / 2 / z[0]
        (found,) = difference.to_dict()["reach"]
        assert found["smallest_difference"] == pytest.approx(smallest)
        rows = N * (smallest / one.value) ** 2
        # Rounded up to two figures.
        unit = 10 ** max(0, math.floor(math.log10(rows)) - 1) if rows > 100 else 1
        assert found["rows_needed"] == math.ceil(rows / unit) * unit


# --- costs ------------------------------------------------------------------------------------------


def test_costs_in_every_form():
    expected = [((Y == 0) & (p == 1)).sum() + 4 * ((Y == 1) & (p == 0)).sum() for p in (A, B)]
    square = {"labels": [0, 1], "cost": [[0, 1], [4, 0]]}
    for costs in (COSTS, {"0": {"1": 1}, "1": {"0": 4}}, json.dumps(square), square):
        found = tm.compare(TWO, Y, costs=costs, metrics=["mean_cost"])["mean_cost"]
        assert found.value == pytest.approx((expected[0] - expected[1]) / N)
        assert found.better == "lower"
    bare = {"costs": square["cost"], "metrics": ["mean_cost"]}
    assert tm.compare(TWO, Y, labels=[0, 1], **bare)["mean_cost"].value == found.value
    evs = {name: tm.evaluate(Y, side, costs=COSTS) for name, side in TWO.items()}
    assert tm.compare(evs, metrics=["mean_cost"])["mean_cost"].value == found.value
    other = evs | {"m1": tm.evaluate(Y, B, costs=[[0, 2], [1, 0]], labels=[0, 1])}
    refused = refusals(
        {
            "without an order": lambda: tm.compare(TWO, Y, **bare),
            "other costs": lambda: tm.compare(other),
            "costs of one": lambda: tm.compare(evs | {"m1": tm.evaluate(Y, B)}),
            "other labels": lambda: tm.compare(evs | {"m1": tm.evaluate(Y, B + 1, costs=COSTS)}),
        }
    )
    expected = ["CostError", "OptionError", "OptionError", "CostError"]
    assert list(classes(refused).values()) == expected
