"""Intervals of numbers about all classes cover, as benchmarks/coverage_classes.py measures in full.

Seeds are fixed, and bands are 0.95 plus or minus five binomial standard errors, so a test fails for a wrong
method and not for bad luck.
"""

from __future__ import annotations

import numpy as np
import pytest

import coverage_classes as bench
from tallymark.metrics import ask

SAMPLES = 200
# --- coverage --------------------------------------------------------------------------------


def five_errors(samples=SAMPLES):
    return 5 * np.sqrt(0.95 * 0.05 / samples)


def test_the_true_numbers_are_those_of_many_rows():
    design = bench.neighbours(4, 40_000)
    found = bench.ranking_of(design, design.draw(np.random.default_rng(0)))
    for name, truth in design.truth().items():
        assert found.of(ask(name)).value == pytest.approx(truth, abs=0.01)


@pytest.mark.parametrize(
    "design",
    [
        bench.alike(0.8, 3, 60),
        bench.alike(0.95, 5, 200),
        bench.alike(0.99, 3, 60),
        bench.neighbours(5, 200),
        bench.neighbours(3, 100, weighted=True),
        bench.neighbours(4, 150, shares_given=True),
        bench.neighbours(3, 200, groups=20, spread=0.7),
    ],
    ids=lambda design: design.title,
)
def test_coverage(design):
    assert bench.least(bench.study(design, SAMPLES)) >= 0.95 - five_errors()
