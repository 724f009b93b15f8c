"""Intervals of differences between two models' scores keep what they promise, and false alarms stay at 5 %.

This is benchmarks/coverage_paired_ranking.py in small. Seeds are fixed, and bands are five binomial standard
errors wide, so a test fails for a wrong method and not for bad luck.
"""

from __future__ import annotations

import numpy as np
import pytest

import coverage_paired_ranking as bench

SAMPLES = 200
BAND = 5 * np.sqrt(0.95 * 0.05 / SAMPLES)


def least(design):
    return min(found.coverage for found in bench.study(design, SAMPLES).values())


@pytest.mark.parametrize("correlation", [0.0, 0.9])
@pytest.mark.parametrize("b", [0.8, 0.7])
def test_areas(b, correlation):
    found = bench.study(bench.normal(0.8, b, correlation, 60, 60), SAMPLES)["auc"]
    assert found.coverage == pytest.approx(0.95, abs=BAND)


@pytest.mark.parametrize("size", [(10, 10), (20, 20), (10, 300)])
def test_areas_near_1_where_the_usual_interval_fails(size):
    found = bench.study(bench.normal(0.99, 0.95, 0.5, *size), SAMPLES)["auc"]
    assert found.coverage >= 0.95 - BAND
    assert found.usual < 0.87


def test_ties_weights_groups_and_other_rows():
    assert least(bench.levels(0.5, 40, 40)) >= 0.95 - BAND
    assert least(bench.weighted(0.8, 0.7, 200)) >= 0.95 - BAND
    assert least(bench.grouped(0.8, 0.7, 20, one_class=True)) >= 0.95 - BAND
    assert least(bench.grouped(0.8, 0.8, 20, one_class=False)) >= 0.95 - BAND
    assert least(bench.other_rows(0.8, 0.7, (20, 20), (60, 60))) >= 0.95 - BAND


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_other_numbers(noise):
    assert least(bench.probabilities(noise, 100)) >= 0.95 - BAND


def test_several_classes():
    assert least(bench.classes(0.5, 100, 3)) >= 0.95 - BAND


def test_false_alarms_of_swapped_scores():
    assert bench.false_alarms(20, 20, 100) <= 0.05 + 5 * np.sqrt(0.05 * 0.95 / 100)
