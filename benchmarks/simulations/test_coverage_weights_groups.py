"""Intervals for weights, groups and slices keep what they promise.

This is benchmarks/coverage_weights_groups.py in small. Seeds are fixed, and bands are 0.95 plus or minus five
binomial standard errors, other ones only where a comment says why; so a test fails for a wrong method and not
for bad luck.
"""

from __future__ import annotations

import numpy as np
import pytest

import coverage_weights_groups as bench

TWO = bench.two_classes(0.4, 0.8, 0.9)


def five_errors(samples):
    return 5 * np.sqrt(0.95 * 0.05 / samples)


# --- the measuring itself --------------------------------------------------------------------


def test_the_truth_is_the_number_at_the_true_probabilities():
    # prevalence 0.4, recall 0.8, specificity 0.9: tp 0.32, fn 0.08, fp 0.06, tn 0.54.
    design = bench.grouped(50, 0.2, TWO)
    assert design.truth("accuracy") == pytest.approx(0.86)
    assert design.truth("precision") == pytest.approx(0.32 / 0.38)
    assert design.truth("f1") == pytest.approx(0.64 / (0.64 + 0.08 + 0.06))


def test_rows_of_a_group_correlate_as_the_design_says():
    # The variance of the mean of 20 hits is p q (1 + 19 * 0.2) / 20.
    design = bench.grouped(4_000, 0.2, TWO, one_class=True)
    rows = design.draw(np.random.default_rng(0))
    hits = (rows.actual == rows.predicted).reshape(-1, 20)[rows.actual[::20] == 0].mean(axis=1)
    assert hits.mean() == pytest.approx(0.8, abs=0.02)
    assert hits.var() == pytest.approx(0.16 * (1 + 19 * 0.2) / 20, rel=0.1)


def test_weighted_back_the_sample_is_the_population():
    table = bench.two_classes(0.05, 0.8, 0.9)
    rows = bench.inverse_weights(200_000, table).draw(np.random.default_rng(0))
    cells = np.bincount(rows.actual * 2 + rows.predicted, weights=rows.weight)
    np.testing.assert_allclose(cells / cells.sum(), table.ravel(), atol=0.002)


# --- groups ----------------------------------------------------------------------------------


def test_20_rows_per_group_break_naive_intervals_and_not_ours():
    names, samples = ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro"), 200
    ours, naive = bench.study(bench.grouped(50, 0.2, TWO), names, samples, bench.without_groups)
    for name in names:
        assert ours[name].coverage == pytest.approx(0.95, abs=five_errors(samples)), name
        # Measured 0.73 to 0.78 on 1,000 samples.
        assert naive[name].coverage < 0.86, name
        assert ours[name].width > 1.5 * naive[name].width, name


def test_groups_that_make_no_difference_cost_next_to_nothing():
    names, samples = ("accuracy", "f1", "mcc"), 120
    ours, naive = bench.study(bench.grouped(50, 0.0, TWO), names, samples, bench.without_groups)
    for name in names:
        assert ours[name].coverage == pytest.approx(0.95, abs=five_errors(samples)), name
        assert ours[name].width < 1.08 * naive[name].width, name


def test_four_classes_in_ten_groups():
    names, samples = ("accuracy", "mcc", "f1_macro"), 150
    ours, _ = bench.study(bench.grouped(10, 0.2, bench.four_classes()), names, samples)
    for name in names:
        assert ours[name].coverage == pytest.approx(0.95, abs=five_errors(samples)), name


# --- weights ---------------------------------------------------------------------------------


def test_weights_that_have_nothing_to_do_with_the_answers():
    names, samples = ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro"), 200
    found, _ = bench.study(bench.chance_weights(300, TWO), names, samples)
    for name in names:
        assert found[name].coverage == pytest.approx(0.95, abs=five_errors(samples)), name


def test_negatives_sampled_1_in_20_and_weighted_back():
    names, samples = ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro"), 200
    design = bench.inverse_weights(600, bench.two_classes(0.05, 0.8, 0.9))
    found, _ = bench.study(design, names, samples)
    for name in names:
        assert found[name].coverage >= 0.95 - five_errors(samples), name


# --- slices ----------------------------------------------------------------------------------


@pytest.mark.parametrize("different", [False, True])
@pytest.mark.parametrize("groups", [0, 40])
def test_slice_less_whole(groups, different):
    part = bench.two_classes(0.5, 0.65, 0.85) if different else TWO
    names, samples = ("accuracy", "recall", "f1", "mcc"), 80
    found = bench.study_slices(bench.sliced(400, 0.25, part, TWO, groups=groups), part, names, samples)
    for name in names:
        assert found[name].coverage == pytest.approx(0.95, abs=five_errors(samples)), name


def test_slices_made_of_whole_groups():
    # Ten of forty groups: a little too wide, 0.97 to 0.98 measured.
    names, samples = ("accuracy", "recall", "f1"), 60
    design = bench.sliced(400, 0.25, TWO, TWO, groups=40, whole_groups=True)
    found = bench.study_slices(design, TWO, names, samples)
    for name in names:
        assert found[name].coverage >= 0.95 - five_errors(samples) / 2, name
