"""Intervals of savings cover, as benchmarks/coverage_decisions.py measures in full."""

from __future__ import annotations

import numpy as np
import pytest

import coverage_decisions as bench


def band(samples):
    """Five binomial standard errors."""
    return 5 * np.sqrt(0.95 * 0.05 / samples)


@pytest.mark.parametrize("flips", [(0.1, 0.1), (0.02, 0.05), (0.005, 0.02)])
def test_coverage_of_independent_rows(flips):
    samples = 200
    found = bench.study_rows(300, flips, (10.0, -1.0), samples)
    assert found.coverage >= 0.95 - band(samples)


def test_coverage_with_weights():
    samples = 200
    assert bench.study_weights(400, (0.05, 0.08), (10.0, -1.0), samples).coverage >= 0.95 - band(samples)


def test_20_rows_a_group_break_the_interval_of_rows_and_not_that_of_groups():
    samples = 150
    ours, naive = bench.study_groups(50, (0.05, 0.08), (10.0, -1.0), samples)
    assert ours.coverage >= 0.95 - band(samples)
    assert naive.coverage < 0.85
