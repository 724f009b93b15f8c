"""A permutation test is wrong as rarely as it says with one holdout, and not with many that overlap.

This is benchmarks/permutation.py in small, with fixed seeds; bounds are those of the exact binomial.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm

FILE = Path(__file__).parents[1] / "permutation.py"
_spec = importlib.util.spec_from_file_location("permutation_benchmark", FILE)
bench = importlib.util.module_from_spec(_spec)
sys.modules["permutation_benchmark"] = bench
_spec.loader.exec_module(bench)


FEW = 4
"""Permutations: with the real classes five results, each of which is the best in one of five data sets."""
UNLIKELY = 0.001


@pytest.mark.parametrize(
    ("way", "samples"),
    [
        pytest.param("one holdout, training rows", 200, id="training rows"),
        pytest.param("one holdout, all rows", 150, id="all rows"),
    ],
)
def test_one_holdout_keeps_its_promise(way, samples):
    design = bench.Design("1-NN", 30, 0.5, way, samples)
    cv, permute = bench.WAYS[way]
    random = np.random.default_rng(0)
    small = best = 0
    for seed in range(samples):
        X, y = bench.drawn(design, 0.0, random)
        test = tm.permutation_test(
            bench.Nearest(), X, y, cv=cv, permute=permute, n_permutations=FEW, random_state=seed
        )
        small += test.p_value <= 1 / (FEW + 1)
        better = test.at_least_as_good - test.ties
        # Accuracy of ten rows is often tied; when luck breaks ties, no result is the best more often.
        best += better == 0 and random.random() < 1 / (test.ties + 1)
    assert binomtest(best, samples, 1 / (FEW + 1)).pvalue > UNLIKELY
    assert binomtest(small, samples, 1 / (FEW + 1), alternative="greater").pvalue > UNLIKELY
    assert small > 0


def of_groups(design, random, apart=0.0):
    """Groups of one class each, whose size goes with it; rows of a group are alike."""
    if design == "two sizes":
        classes = random.permutation(np.arange(30) % 2)
        sizes = np.where(classes == 1, 8, 2)
    elif design == "sizes from 1 to 20":
        sizes = random.permutation(np.arange(1, 21))
        classes = (random.random(20) < 1 / (1 + np.exp((10.5 - sizes) / 3))).astype(int)
    else:
        sizes, classes = random.permutation(np.repeat([1, 3], 15)), random.permutation(np.arange(30) % 2)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    middle = random.normal(size=(len(sizes), 3)) + apart * classes[:, None]
    return middle[groups] + random.normal(size=(len(groups), 3)), classes[groups], groups


@pytest.mark.parametrize("design", ["two sizes", "sizes from 1 to 20"])
@pytest.mark.parametrize(
    ("cv", "permute"), [("holdout:1/3", "training"), (3, "all")], ids=["holdout", "folds"]
)
def test_groups_whose_size_goes_with_the_class_show_no_relation(design, cv, permute):
    random, samples = np.random.default_rng(5), 60
    options = {"cv": cv, "permute": permute, "n_permutations": FEW, "pos_label": 1}
    small = 0
    for seed in range(samples):
        X, y, groups = of_groups(design, random)
        test = tm.permutation_test(GaussianNB(), X, y, groups=groups, random_state=seed, **options)
        small += test.p_value <= 1 / (FEW + 1)
    assert binomtest(small, samples, 1 / (FEW + 1), alternative="greater").pvalue > UNLIKELY


def test_a_relation_is_found_in_groups_of_several_sizes():
    X, y, groups = of_groups("no relation to size", np.random.default_rng(1), apart=3.0)
    test = tm.permutation_test(GaussianNB(), X, y, groups=groups, cv=3, permute="all", n_permutations=39)
    assert test.among == "groups of the same size"
    assert test.p_value == 1 / 40


def test_many_holdouts_of_permuted_training_rows_do_not(monkeypatch):
    # Of so many fits, more samples of fewer permutations tell more.
    monkeypatch.setattr(bench, "PERMUTATIONS", 9)
    monkeypatch.setattr(bench, "ALPHA", 0.1)
    samples = 48
    design = bench.Design("1-NN", 30, 0.5, "10 holdouts, training rows", samples)
    found = round(samples * bench.rejected(design, 0.0, samples)["accuracy"])
    # At about 0.25 instead of 0.1, so few samples cannot be sure of less than this.
    assert binomtest(found, samples, bench.ALPHA, alternative="greater").pvalue < 0.01


def test_a_relation_is_found():
    design = bench.Design("logistic", 60, 0.5, "5 folds, all rows", 6)
    assert bench.rejected(design, 4.0, 6)["auc"] == 1.0


def test_the_majority_never_finds_one():
    design = bench.Design("majority", 30, 0.5, "one holdout, training rows", 10)
    assert bench.rejected(design, 4.0, 10) == {"accuracy": 0.0, "balanced_accuracy": 0.0}


def test_with_one_strong_feature_accuracy_shows_less_than_brier():
    # The two clusters lie 3 deviations apart, so that what is true cannot be missed but by the test.
    found = {"accuracy": [], "brier": []}
    for seed in range(3):
        y = np.arange(60) % 2
        X = np.random.default_rng(seed).normal(size=(60, 1)) + 3 * y[:, None]
        for metric, values in found.items():
            values.append(tm.permutation_test(GaussianNB(), X, y, n_permutations=39, metric=metric).p_value)
    assert np.median(found["accuracy"]) > 0.05 >= np.median(found["brier"])
