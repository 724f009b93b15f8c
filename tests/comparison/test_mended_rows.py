"""What holds for every number: a difference is that of the two models, on the same rows and on other ones."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import tallymark as tm
from tallymark.metrics import AVERAGES, METRICS, SCORE_METRICS, ask

GIVEN = {
    "f_beta": ("2", "1", "0"),
    "weighted_accuracy": ("2,1,1,0", "1,1,1,1", "3,1,0,2"),
    "partial_auc": ("0.3",),
    "partial_auc_mcclish": ("0.3",),
    "top_k_accuracy": ("1", "2"),
}
"""Parameters for those that need some."""


def every_name() -> list[str]:
    """Every number of the registry, with parameters and averaged where it can be."""
    names = []
    for name, metric in {**METRICS, **SCORE_METRICS}.items():
        stems = [name]
        if name in METRICS and not metric.needs_costs:
            stems += [f"{name}_{average}" for average in AVERAGES]
        given = [""] if metric.plain else [f":{each}" for each in GIVEN[name]]
        names += [f"{stem}{each}" for stem in stems for each in given]
    return names


EVERY = every_name()
COSTS = {0: {1: 1.0}, 1: {0: 4.0}}


def tables(n: int, pull: float, labels: list[Any], seed: int = 0) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Actual classes and a probability per class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(labels), n)
    table = rng.dirichlet(np.ones(len(labels)), n)
    table[np.arange(n), y] += pull
    return np.array(labels)[y], table / table.sum(axis=1, keepdims=True)


def binary(n: int, gap: float, seed: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.clip(gap * y + rng.normal(0.3, 0.2, n), 0.01, 0.99)


def scored(n: int, gap: float, seed: int, **options: Any) -> tm.Evaluation:
    y, score = binary(n, gap, seed)
    return tm.evaluate(y, y_score=score, costs=COSTS, **options)


def of_table(n: int, pull: float, labels: list[Any], seed: int) -> tm.Evaluation:
    y, table = tables(n, pull, labels, seed)
    return tm.evaluate(y, y_score=table, labels=labels)


def separated(n: int, up: float) -> tm.Evaluation:
    """All positives above all negatives."""
    y = np.arange(n) % 2
    score = np.where(y == 1, up, 0.2) + np.linspace(0, 0.1, n)
    return tm.evaluate(y, y_score=score, threshold=0.9, costs=COSTS)


WEIGHTS = np.random.default_rng(4).lognormal(0, 0.5, 200)
GROUPS = np.arange(200) // 5
OTHER_ROWS = {
    "one score": {"a": scored(150, 0.4, 1), "b": scored(170, 0.2, 2)},
    "complete separation": {"a": separated(40, 0.8), "b": separated(30, 0.6)},
    "worse than chance": {"a": scored(150, -0.3, 3), "b": scored(170, -0.1, 4)},
    "weights": {"a": scored(200, 0.3, 5, sample_weight=WEIGHTS), "b": scored(170, 0.2, 6)},
    "groups": {
        "a": scored(200, 0.3, 7, groups=GROUPS),
        "b": scored(170, 0.2, 8, groups=np.arange(170) // 5),
    },
    "two classes": {"a": of_table(120, 0.8, ["n", "y"], 1), "b": of_table(130, 0.4, ["n", "y"], 2)},
    "three classes": {"a": of_table(120, 0.8, [0, 1, 2], 3), "b": of_table(140, 0.3, [0, 1, 2], 4)},
}


def mover(one: tm.Estimate, two: tm.Estimate) -> tuple[float, float]:
    """The squares of the distances to the ends add up (Zou and Donner 2008; Newcombe 1998, method 10)."""
    assert one.low is not None
    assert one.high is not None
    assert two.low is not None
    assert two.high is not None
    a, b = float(one), float(two)
    return a - b - math.hypot(a - one.low, two.high - b), a - b + math.hypot(one.high - a, b - two.low)


def welch(found: Any, one: tm.Estimate, two: tm.Estimate) -> tuple[float, float]:
    """Variances add up, and Student's distribution says how many standard errors it takes."""
    se = math.hypot(one.se or 0.0, two.se or 0.0)
    half = (stats.norm.ppf(0.975) if found.outcome.df is None else stats.t.ppf(0.975, found.outcome.df)) * se
    return float(one) - float(two) - half, float(one) - float(two) + half


@pytest.mark.parametrize("given", OTHER_ROWS)
def test_on_other_rows_every_interval_is_made_of_those_of_both_models(given: str) -> None:
    models = OTHER_ROWS[given]
    compared = tm.compare(models, metrics=EVERY, design="other rows")
    json.loads(compared.to_json())
    with_interval = 0
    for name in EVERY:
        one, two = (model.values[ask(name).name] for model in compared.models)
        found = compared[ask(name).name]
        if one.value is None or two.value is None:
            assert found.value is None, name
            assert found.why, name
            continue
        assert found.value == pytest.approx(one.value - two.value, abs=1e-12), name
        if one.low is None or two.low is None:
            assert found.low is None, name
            assert found.estimate.note, name
            continue
        with_interval += 1
        expected = mover(one, two)
        if found.estimate.method == "welch":
            usual = welch(found, one, two)
            if "wider" in (found.estimate.note or ""):
                usual = min(usual[0], expected[0]), max(usual[1], expected[1])
            low, high = ask(name).metric.range
            expected = max(usual[0], low - high), min(usual[1], high - low)
        else:
            assert found.estimate.method in ("newcombe", "mover"), name
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-8), name
        assert found.p_value is not None, name
    assert with_interval > 60


@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1_micro", "recall_weighted", "f_beta:0"])
def test_shares_are_compared_by_the_method_asked_for(metric: str) -> None:
    found = tm.compare(OTHER_ROWS["one score"], metric=metric, method="wald", design="other rows")
    one, two = (model.values[metric] for model in found.models)
    variances = [float(each) * (1 - float(each)) / each.n for each in (one, two)]  # type: ignore[operator]
    half = stats.norm.ppf(0.975) * math.sqrt(sum(variances))
    assert found[metric].low == pytest.approx(found[metric].value - half)


@pytest.mark.parametrize("metric", ["mcc_micro", "average_precision", "specificity_micro", "jaccard_micro"])
def test_what_is_no_share_of_rows_is_not_listed_by_the_methods_of_shares(metric: str) -> None:
    found = tm.compare(OTHER_ROWS["complete separation"], metric=metric, design="other rows")
    assert found.detail.form()["methods"] == []  # type: ignore[union-attr]
    assert "two proportions" not in (found[metric].test or "")


# --- the same rows ----------------------------------------------------------------------------------


@cache
def same_rows(*names: str, **options: Any) -> tm.Comparison:
    labels = list(names)
    y, one = tables(150, 0.8, labels, seed=5)
    _, other = tables(150, 0.4, labels, seed=6)
    two = (one + other) / 2
    return tm.compare({"one": one, "two": two}, y, labels=labels, metrics=EVERY, **options)


Y, SCORE = binary(150, 0.4, 9)
NOISY = np.clip(SCORE + np.random.default_rng(1).normal(0, 0.1, 150), 0.01, 0.99)
SAME_ROWS = {
    "one score": lambda: tm.compare({"one": SCORE, "two": NOISY}, Y, metrics=EVERY, costs=COSTS),
    "clip": lambda: tm.compare(
        {"one": SCORE.round(1), "two": NOISY}, Y, metrics=EVERY, clip=1e-3, threshold=0.5
    ),
    "weights": lambda: tm.compare(
        {"one": SCORE, "two": NOISY}, Y, metrics=EVERY, sample_weight=WEIGHTS[:150]
    ),
    "groups": lambda: tm.compare({"one": SCORE, "two": NOISY}, Y, metrics=EVERY, groups=GROUPS[:150]),
    "two classes, none positive": lambda: same_rows("n", "y"),
    "two classes, the first positive": lambda: same_rows("n", "y", pos_label="n"),
    "two classes, the second positive": lambda: same_rows("n", "y", pos_label="y"),
    "three classes": lambda: same_rows("a", "b", "c"),
    "three classes, one positive": lambda: same_rows("a", "b", "c", pos_label="b"),
}


@pytest.mark.parametrize("given", SAME_ROWS)
def test_on_the_same_rows_every_difference_is_that_of_the_models(given: str) -> None:
    compared = SAME_ROWS[given]()
    assert compared.design == "same rows"
    json.loads(compared.to_json())
    for name in EVERY:
        one, two = (model.values[ask(name).name] for model in compared.models)
        found = compared[ask(name).name]
        if one.value is None or two.value is None:
            assert found.value is None, name
            assert found.why, name
            continue
        assert found.value == pytest.approx(one.value - two.value, abs=1e-12), name
        if found.low is not None:
            assert found.low <= found.value <= found.high, name
        else:
            assert found.estimate.note, name


def test_two_classes_without_a_positive_one_have_intervals() -> None:
    found = same_rows("n", "y")
    named = same_rows("n", "y", pos_label="y")
    for name, known_as in (("brier", "brier"), ("log_loss", "log_loss"), ("auc_ovr_macro", "auc")):
        ends = found[name].low, found[name].high
        assert ends == pytest.approx((named[known_as].low, named[known_as].high)), name
        assert found[name].p_value == pytest.approx(named[known_as].p_value), name
    assert found["auc"].why == "name the positive class"
    assert found["ece"].estimate.note == "ece counts rows in bins, and its difference has no honest interval"


def test_the_first_place_of_two_classes_is_the_accuracy() -> None:
    found = same_rows("n", "y")
    assert found["top_k_accuracy:1"].value == pytest.approx(found["accuracy"].value)
    assert found["top_k_accuracy:1"].low == pytest.approx(found["accuracy"].low)
    one = tm.compare({"one": SCORE, "two": NOISY}, Y, metrics=["top_k_accuracy:1", "auc_ovr_macro"])
    assert one["top_k_accuracy:1"].why == "it takes one probability per class"
    assert one["auc_ovr_macro"].value == pytest.approx(
        tm.compare({"one": SCORE, "two": NOISY}, Y)["auc"].value
    )


def test_several_classes_are_not_swapped_and_that_is_said() -> None:
    y, one = tables(60, 0.8, [0, 1, 2])
    two = tables(60, 0.3, [0, 1, 2])[1]
    asked = ["accuracy", "auc_ovr_macro", "brier", "ece"]
    found = tm.compare({"one": one, "two": two}, y, labels=[0, 1, 2], metrics=asked, test="permutation")
    said = "scores of several classes are not swapped, so these have their usual test: auc_ovr_macro, brier."
    assert said in found.notes
    usual = tm.compare({"one": one, "two": two}, y, labels=[0, 1, 2], metrics=asked)
    assert not any("swapped" in note for note in usual.notes)
    assert found["brier"].p_value == usual["brier"].p_value


# --- evaluations that were made by other rules ------------------------------------------------------


@pytest.mark.parametrize("design", ["same rows", "other rows"])
def test_another_clip_is_refused_where_it_matters(design: Any) -> None:
    pair = {"one": tm.evaluate(Y, y_score=SCORE, clip=1e-3), "two": tm.evaluate(Y, y_score=NOISY)}
    with pytest.raises(tm.TallymarkError) as caught:
        tm.compare(pair, design=design)
    assert "'one' was evaluated with clip=0.001 and 'two' with clip=None" in str(caught.value)
    assert tm.compare(pair, design=design, metrics=["auc"]).design == design


@pytest.mark.parametrize("design", ["same rows", "other rows"])
def test_another_way_with_undefined_classes_is_refused_where_it_matters(design: Any) -> None:
    answer = (SCORE > 0.5).astype(int)
    pair = {"one": tm.evaluate(Y, answer, undefined=0), "two": tm.evaluate(Y, 1 - answer)}
    with pytest.raises(tm.TallymarkError) as caught:
        tm.compare(pair, design=design, metric="f1_macro")
    assert "'one' was evaluated with undefined=0" in str(caught.value)
    assert "'two' with undefined=None" in str(caught.value)
    assert tm.compare(pair, design=design, metrics=["accuracy"]).design == design


# --- frequencies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["ks", "auc", "brier"])
def test_a_row_of_frequency_eleven_is_swapped_as_eleven_rows(metric: str) -> None:
    rng = np.random.default_rng(3)
    y, times = rng.integers(0, 2, 14), rng.choice([1, 2, 11], 14)
    y[:2] = 0, 1
    a, b = (np.clip(y * gap + rng.normal(0.35, 0.25, 14), 0.01, 0.99).round(2) for gap in (0.35, 0.15))
    options = {"metric": metric, "metrics": [metric], "test": "permutation"}
    counted = tm.compare({"a": a, "b": b}, y, sample_weight=times, weight_kind="frequency", **options)[metric]
    rows = np.repeat(np.arange(14), times)
    repeated = tm.compare({"a": a[rows], "b": b[rows]}, y[rows], **options)[metric]
    assert counted.value == pytest.approx(repeated.value)
    # A thousand swaps of either: the standard error of their difference is at most 0.022.
    assert counted.p_value == pytest.approx(repeated.p_value, abs=0.07)


# --- hardly any rows --------------------------------------------------------------------------------


def test_ends_that_no_loss_can_have_are_not_told() -> None:
    y, weight = [0, 1, 1], [1.0, 50.0, 0.01]
    pair = {
        "one": tm.evaluate(y, y_score=[0.2, 0.7, 0.6], sample_weight=weight),
        "two": tm.evaluate([*y, 0], y_score=[0.6, 0.9, 0.2, 0.4], sample_weight=[*weight, 3.0]),
    }
    compared = tm.compare(pair, design="other rows", confidence_level=0.99999)
    json.loads(compared.to_json())
    found = compared["log_loss"]
    assert found.low is None
    assert "the rows say too little" in (found.estimate.note or "")


# --- memory -----------------------------------------------------------------------------------------


def test_the_rows_of_a_model_are_ranked_once_whatever_pair_asks() -> None:
    rng = np.random.default_rng(0)
    scores = {f"m{at}": rng.random(50) for at in range(4)}
    compared = tm.compare(scores, Y[:50], metric="auc")
    pairs = compared.detail.pairs  # type: ignore[union-attr]
    kept = {id(side) for pair in pairs for side in (pair.scores._of_class(1).a, pair.scores._of_class(1).b)}
    assert len(pairs) == 6
    assert len(kept) == 4
