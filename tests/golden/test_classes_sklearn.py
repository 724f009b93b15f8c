"""Metrics of all classes at once against scikit-learn, and areas against pairs of two-class ones."""

from itertools import combinations, product

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score, top_k_accuracy_score

import tallymark as tm
from collected import each

KINDS = {
    "auc_ovr_macro": ("ovr", "macro"),
    "auc_ovr_weighted": ("ovr", "weighted"),
    "auc_ovo_macro": ("ovo", "macro"),
    "auc_ovo_weighted": ("ovo", "weighted"),
}


def rows(size, seed, decimals=None, n=300):
    generator = np.random.default_rng(seed)
    classes = generator.choice(size, n, p=generator.dirichlet(np.full(size, 4.0)))
    classes[:size] = np.arange(size)
    logits = generator.normal(size=(n, size))
    logits[np.arange(n), classes] += 1
    table = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if decimals is not None:
        # Ties in every column, and rows that still add up to 1 as scikit-learn demands.
        table = np.round(table, decimals)
        table[:, -1] = 1 - table[:, :-1].sum(axis=1)
        table = np.clip(table, 0, None)
        table /= table.sum(axis=1, keepdims=True)
    return table, classes


def evaluated(table, classes, weight=None):
    return tm.evaluate(classes, y_score=table, labels=range(table.shape[1]), sample_weight=weight)


@each("size, decimals, seed, weighted", product([3, 4, 8], [None, 1], range(2), [False, True]))
def test_areas(size, decimals, seed, weighted):
    table, classes = rows(size, seed, decimals)
    weight = np.random.default_rng(seed).lognormal(size=len(classes)) if weighted else None
    ev = evaluated(table, classes, weight)
    for name, (multi_class, average) in KINDS.items():
        if weight is None or multi_class == "ovr":
            options = {"multi_class": multi_class, "average": average, "sample_weight": weight}
            assert ev[name].value == pytest.approx(roc_auc_score(classes, table, **options), abs=1e-12), name


def test_one_vs_one_with_weights_is_the_mean_over_pairs_of_two_class_areas():
    """Scikit-learn has no weights here, but for two classes it has."""
    table, classes = rows(4, 0, 1)
    weight = np.random.default_rng(0).lognormal(size=len(classes))
    areas = []
    for pair in combinations(range(4), 2):
        at = np.isin(classes, pair)
        sides = [roc_auc_score(classes[at] == own, table[at, own], sample_weight=weight[at]) for own in pair]
        areas.append(np.mean(sides))
    found = evaluated(table, classes, weight)["auc_ovo_macro"]
    assert found.value == pytest.approx(np.mean(areas), abs=1e-12)


@each("size, seed, weighted", product([3, 8], range(3), [False, True]))
def test_the_class_is_among_the_first(size, seed, weighted):
    table, classes = rows(size, seed)
    weight = np.random.default_rng(seed).lognormal(size=len(classes)) if weighted else None
    ev = evaluated(table, classes, weight)
    for k in range(1, size):
        expected = top_k_accuracy_score(classes, table, k=k, sample_weight=weight)
        assert ev[f"top_k_accuracy:{k}"].value == pytest.approx(expected, abs=1e-12)


@each("classes, weighted", product([3, 7, 1_000], [False, True]))
def test_losses(classes, weighted):
    generator = np.random.default_rng(classes)
    actual, table = generator.integers(0, classes, 200), generator.dirichlet(np.ones(classes), 200)
    weight = generator.random(200) if weighted else None
    ev = evaluated(table, actual, weight)
    expected = log_loss(actual, table, labels=range(classes), sample_weight=weight)
    assert ev["log_loss"].value == pytest.approx(expected, rel=1e-11)
    distances = np.square(table - np.eye(classes)[actual]).sum(axis=1)
    mean = np.average(distances, weights=weight)
    assert (ev["brier"].value, ev["brier_half"].value) == pytest.approx((mean, mean / 2))
    if weight is None:
        assert ev["brier"].se == pytest.approx(distances.std(ddof=1) / np.sqrt(200))
