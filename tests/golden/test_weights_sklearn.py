"""Weighted values beside scikit-learn's, run here and now; and frequencies beside repeated rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as peer

import tallymark as tm
from tallymark.metrics import METRICS

Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
Answer = Callable[..., float]

OF_TWO: dict[str, Answer] = {
    "accuracy": peer.accuracy_score,
    "balanced_accuracy": peer.balanced_accuracy_score,
    "precision": peer.precision_score,
    "recall": peer.recall_score,
    "specificity": lambda y, p, sample_weight: peer.recall_score(
        y, p, pos_label=0, sample_weight=sample_weight
    ),
    "f1": peer.f1_score,
    "f_beta:2": lambda y, p, sample_weight: peer.fbeta_score(y, p, beta=2, sample_weight=sample_weight),
    "jaccard": peer.jaccard_score,
    "mcc": peer.matthews_corrcoef,
    "kappa": peer.cohen_kappa_score,
    "lr_plus": lambda y, p, sample_weight: peer.class_likelihood_ratios(y, p, sample_weight=sample_weight)[0],
    "lr_minus": lambda y, p, sample_weight: peer.class_likelihood_ratios(y, p, sample_weight=sample_weight)[
        1
    ],
}
OF_MANY = ("accuracy", "balanced_accuracy", "mcc", "kappa")
AVERAGED: dict[str, Answer] = {
    "precision": peer.precision_score,
    "recall": peer.recall_score,
    "f1": peer.f1_score,
    "jaccard": peer.jaccard_score,
}


def rows(classes: int, kind: str, n: int = 300) -> Rows:
    generator = np.random.default_rng([classes, len(kind)])
    actual = generator.integers(0, classes, n)
    predicted = np.where(generator.random(n) < 0.7, actual, generator.integers(0, classes, n))
    whole = generator.integers(0, 6, n)
    return actual, predicted, whole if kind == "whole" else generator.lognormal(0, 1, n)


@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("name", OF_TWO)
def test_two_classes(name: str, kind: str) -> None:
    actual, predicted, weight = rows(2, kind)
    ours = tm.evaluate(actual, predicted, sample_weight=weight)[name].value
    assert ours == pytest.approx(OF_TWO[name](actual, predicted, sample_weight=weight), rel=1e-12)


@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("name", OF_MANY)
def test_four_classes(name: str, kind: str) -> None:
    actual, predicted, weight = rows(4, kind)
    ours = tm.evaluate(actual, predicted, sample_weight=weight)[name].value
    assert ours == pytest.approx(OF_TWO[name](actual, predicted, sample_weight=weight), rel=1e-12)


@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", AVERAGED)
def test_averages(name: str, average: str, kind: str) -> None:
    actual, predicted, weight = rows(4, kind)
    ours = tm.evaluate(actual, predicted, sample_weight=weight)[f"{name}_{average}"].value
    theirs = AVERAGED[name](actual, predicted, average=average, sample_weight=weight)
    assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("kind", ["whole", "fractions"])
def test_every_class_of_four(kind: str) -> None:
    actual, predicted, weight = rows(4, kind)
    ev = tm.evaluate(actual, predicted, sample_weight=weight)
    theirs = peer.precision_recall_fscore_support(actual, predicted, sample_weight=weight)
    for position, result in enumerate(ev.per_class.values()):
        ours = [result["precision"].value, result["recall"].value, result["f1"].value, result.support]
        assert ours == pytest.approx([column[position] for column in theirs], rel=1e-12)
    matrix = peer.confusion_matrix(actual, predicted, sample_weight=weight)
    assert ev.confusion is not None
    np.testing.assert_allclose(ev.confusion.matrix, matrix, rtol=1e-12)


def test_weights_with_a_score_and_a_threshold() -> None:
    actual, _, weight = rows(2, "fractions")
    score = np.random.default_rng(5).random(len(actual))
    ev = tm.evaluate(actual, y_score=score, sample_weight=weight, threshold=0.3)
    theirs = peer.f1_score(actual, score >= 0.3, sample_weight=weight)
    assert ev["f1"].value == pytest.approx(theirs, rel=1e-12)


def test_the_best_threshold_goes_by_the_weights() -> None:
    # Unweighted, 0.6 makes one error and 0.4 one error; the weight of the second row decides.
    actual, score, weight = [1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], [1, 10, 1, 1]
    ev = tm.evaluate(actual, y_score=score, sample_weight=weight, threshold="best:accuracy")
    candidates = [0.9, 0.5, 0.4, 0.1]
    best = max(
        candidates, key=lambda at: peer.accuracy_score(actual, np.array(score) >= at, sample_weight=weight)
    )
    assert ev.threshold == best == 0.4
    assert ev["accuracy"].value == pytest.approx(12 / 13)


# --- frequencies -----------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 4])
def test_frequencies_are_repeated_rows_in_every_number_and_interval(classes: int) -> None:
    actual, predicted, times = rows(classes, "whole")
    lines = tm.evaluate(actual, predicted, sample_weight=times, weight_kind="frequency")
    repeated = tm.evaluate(np.repeat(actual, times), np.repeat(predicted, times))
    assert lines.rows == repeated.rows == times.sum()
    assert lines.confusion == repeated.confusion
    assert lines.to_dict()["metrics"] == repeated.to_dict()["metrics"]
    assert lines.to_dict()["per_class"] == repeated.to_dict()["per_class"]
    for name in ("f_beta:2", "weighted_accuracy:2,1,1,1"):
        if classes == 2:
            assert lines[name].to_dict() == repeated[name].to_dict()


def test_frequencies_in_groups_and_slices_are_repeated_rows_too() -> None:
    actual, predicted, times = rows(2, "whole")
    group, region = np.arange(300) % 30, np.arange(300) % 3
    lines = tm.evaluate(
        actual, predicted, weight=times, weight_kind="frequency", groups=group, slices={"region": region}
    )
    repeated = tm.evaluate(
        *(np.repeat(side, times) for side in (actual, predicted)),
        groups=np.repeat(group, times),
        slices={"region": np.repeat(region, times)},
    )
    assert lines.to_dict()["metrics"] == repeated.to_dict()["metrics"]
    assert lines.to_dict()["slices"] == repeated.to_dict()["slices"]


def test_sampling_weights_give_the_same_values_but_not_the_same_intervals() -> None:
    actual, predicted, times = rows(2, "whole")
    sampling = tm.evaluate(actual, predicted, sample_weight=times)
    frequency = tm.evaluate(actual, predicted, sample_weight=times, weight_kind="frequency")
    for name, metric in METRICS.items():
        if metric.parameters or metric.needs_costs:
            continue
        one, other = sampling[name], frequency[name]
        assert one.value == pytest.approx(other.value, rel=1e-12), name
        if one.low is not None and one.high is not None and other.low is not None and other.high is not None:
            assert one.high - one.low > other.high - other.low, name


def test_undefined_as_zero_is_what_the_peer_does() -> None:
    actual, predicted = [0, 0, 1, 1, 2], [0, 1, 1, 1, 1]
    weight = [0.5, 1.5, 1.0, 2.0, 0.25]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer.precision_score(actual, predicted, average="macro", sample_weight=weight)
    ours = tm.evaluate(actual, predicted, sample_weight=weight, undefined=0)["precision_macro"].value
    assert ours == pytest.approx(theirs)
