"""Numbers about all classes at once against scikit-learn, and the areas against pairs of two-class ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, top_k_accuracy_score

from tallymark.inference.classes.ranking import class_ranking
from tallymark.metrics import ask

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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("size", [3, 4, 8])
@pytest.mark.parametrize("name", KINDS)
def test_areas(name, size, decimals, seed):
    table, classes = rows(size, seed, decimals)
    multi_class, average = KINDS[name]
    expected = roc_auc_score(classes, table, multi_class=multi_class, average=average)
    found = class_ranking(table, classes, labels=range(size)).of(ask(name))
    assert found.value == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("name", ["auc_ovr_macro", "auc_ovr_weighted"])
def test_areas_with_weights(name, size, seed):
    table, classes = rows(size, seed, 1)
    weight = np.random.default_rng(seed).lognormal(size=len(classes))
    expected = roc_auc_score(classes, table, multi_class="ovr", average=KINDS[name][1], sample_weight=weight)
    found = class_ranking(table, classes, labels=range(size), weight=weight).of(ask(name))
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_one_vs_one_with_weights_is_the_mean_over_pairs_of_two_class_areas():
    """Scikit-learn has no weights here, but for two classes it has."""
    table, classes = rows(4, 0, 1)
    weight = np.random.default_rng(0).lognormal(size=len(classes))
    areas = []
    for one, two in combinations(range(4), 2):
        at = np.isin(classes, (one, two))
        sides = [
            roc_auc_score(classes[at] == own, table[at, own], sample_weight=weight[at]) for own in (one, two)
        ]
        areas.append(np.mean(sides))
    found = class_ranking(table, classes, labels=range(4), weight=weight).of(ask("auc_ovo_macro"))
    assert found.value == pytest.approx(np.mean(areas), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [3, 8])
def test_first_places(size, seed):
    table, classes = rows(size, seed)
    weight = np.random.default_rng(seed).lognormal(size=len(classes))
    for amounts in (None, weight):
        made = class_ranking(table, classes, labels=range(size), weight=amounts)
        for k in range(1, size):
            expected = top_k_accuracy_score(classes, table, k=k, sample_weight=amounts)
            assert made.of(ask(f"top_k_accuracy:{k}")).value == pytest.approx(expected, abs=1e-12)
