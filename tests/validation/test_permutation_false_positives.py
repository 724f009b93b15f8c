"""A permutation test is wrong as rarely as it says with one holdout, and not with many that overlap.

This is benchmarks/permutation.py in small, with fixed seeds.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "permutation.py"
_spec = importlib.util.spec_from_file_location("permutation_benchmark", FILE)
bench = importlib.util.module_from_spec(_spec)
sys.modules["permutation_benchmark"] = bench
_spec.loader.exec_module(bench)


def false_positives(way, samples, metric="accuracy"):
    return bench.rejected(bench.Design("1-NN", 30, 0.5, way, samples), 0.0, samples)[metric]


@pytest.mark.parametrize(
    ("way", "samples"),
    [
        pytest.param("one holdout, training rows", 80, id="training rows"),
        pytest.param("one holdout, all rows", 40, id="all rows"),
    ],
)
def test_one_holdout_keeps_its_promise(way, samples):
    assert false_positives(way, samples) <= 0.05 + 4 * bench.error(0.05, samples)


def test_many_holdouts_of_permuted_training_rows_do_not():
    assert false_positives("10 holdouts, training rows", 24) > 0.1


def test_a_relation_is_found():
    design = bench.Design("logistic", 60, 0.5, "5 folds, all rows", 6)
    assert bench.rejected(design, 4.0, 6)["auc"] == 1.0


def test_the_majority_never_finds_one():
    design = bench.Design("majority", 30, 0.5, "one holdout, training rows", 10)
    assert bench.rejected(design, 4.0, 10) == {"accuracy": 0.0, "balanced_accuracy": 0.0}
