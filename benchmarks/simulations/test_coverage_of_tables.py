"""The intervals keep what they promise, measured with the tools of benchmarks/coverage_cells.py.

Sampled coverages have a fixed seed; their bands are 0.95 plus or minus five binomial standard errors, so they
fail for a wrong method and not for bad luck. Where a method falls a little short, the test says so.
"""

from __future__ import annotations

import numpy as np
import pytest

import coverage_cells as cells

TWO_CLASSES = [
    pytest.param(prevalence, quality, id=f"{prevalence}-{quality}")
    for prevalence in (0.5, 0.1)
    for quality in ("good", "mediocre")
]


def exactly(name, prevalence, quality):
    """Coverage over every table of 50 rows, each with its probability."""
    design = cells.two_classes(50, prevalence, quality)
    probabilities = cells.chances(cells.all_tables(50), design.probabilities)
    return cells.measure(cells.exact_limits(50)[name], probabilities, design.truth(name))


# --- the measuring itself --------------------------------------------------------------------


def test_all_tables_are_there_and_their_probabilities_add_up():
    # Tables of 50 rows in 4 cells: (50 + 3 choose 3) = 53 * 52 * 51 / 6.
    tables = cells.all_tables(50)
    assert len(tables) == len(np.unique(tables, axis=0)) == 23_426
    assert (tables.sum(axis=1) == 50).all()
    design = cells.two_classes(50, 0.1, "good")
    assert cells.chances(tables, design.probabilities).sum() == pytest.approx(1, abs=1e-10)


def test_the_truth_is_the_number_at_the_true_probabilities():
    # prevalence 0.1, recall 0.9, specificity 0.95: tp 0.09, fn 0.01, fp 0.045, tn 0.855.
    design = cells.two_classes(50, 0.1, "good")
    assert design.truth("f1") == pytest.approx(0.18 / (0.18 + 0.01 + 0.045))
    assert design.truth("lr_plus") == pytest.approx(0.9 / 0.05)
    assert design.truth("mean_cost") == pytest.approx(-0.09 + 100 * 0.01 + 0.045)
    assert design.truth("balanced_accuracy") == pytest.approx(0.925)


def test_measuring_counts_held_missed_and_left_out():
    limits = cells.Limits("by hand", np.array([0.1, 0.5, 0.2, np.nan]), np.array([0.6, 0.9, 0.2, np.nan]))
    found = cells.measure(limits, np.array([0.4, 0.2, 0.2, 0.2]), 0.3)
    assert found.coverage == pytest.approx(0.4 / 0.8)
    assert found.zero_width == pytest.approx(0.2 / 0.8)
    assert found.width == pytest.approx((0.4 * 0.5 + 0.2 * 0.4) / 0.8)
    assert found.left_out == pytest.approx(0.2)


# --- intervals with a formula, exactly -------------------------------------------------------


@pytest.mark.parametrize(("prevalence", "quality"), TWO_CLASSES)
@pytest.mark.parametrize("name", ["f1", "jaccard"])
def test_f1_and_jaccard(name, prevalence, quality):
    found = exactly(name, prevalence, quality)
    assert 0.92 <= found.coverage <= 0.985
    assert found.zero_width == 0
    assert found.left_out < 0.02


@pytest.mark.parametrize(("prevalence", "quality"), TWO_CLASSES[:2])
@pytest.mark.parametrize("name", ["lr_plus", "lr_minus", "diagnostic_odds_ratio"])
def test_ratios_where_both_classes_have_rows(name, prevalence, quality):
    # Up to a third of the tables are left out: without false positives lr_plus is infinite, not estimated.
    found = exactly(name, prevalence, quality)
    assert 0.93 <= found.coverage <= 0.99
    assert found.zero_width == 0


# --- draws -----------------------------------------------------------------------------------


def sampled(design, names, samples):
    """Coverage of our intervals over sampled tables; fewer draws than the library makes, same limits."""
    tables, weights = design.tables(samples)
    with cells.percentiles_of(cells.DRAWS):
        limits = cells.ours(tables, names)
    return {name: cells.measure(limits[name], weights, design.truth(name)) for name in names}


def five_errors(samples):
    return 5 * np.sqrt(0.95 * 0.05 / samples)


@pytest.mark.parametrize(
    ("design", "names", "samples"),
    [
        pytest.param(
            cells.two_classes(50, 0.1, "good"), ("mcc", "kappa"), 1_500, id="2 classes, few positives"
        ),
        pytest.param(
            cells.two_classes(200, 0.5, "good"),
            ("mcc", "kappa", "informedness", "markedness", "g_mean", "f_beta:2", "mean_cost"),
            1_500,
            id="2 classes",
        ),
        pytest.param(
            cells.many_classes(200, 3, 0.0, "mediocre"),
            ("mcc", "kappa", "f1_macro", "precision_macro", "precision_weighted", "mean_cost"),
            1_000,
            id="3 classes",
        ),
        pytest.param(
            cells.many_classes(1_000, 10, 1.0, "good"), ("mcc", "kappa", "f1_macro"), 700, id="10 classes"
        ),
        pytest.param(
            cells.many_classes(600, 30, 1.0, "good"), ("f_beta:2", "mcc_of_class"), 1_000, id="rarest of 30"
        ),
    ],
)
def test_dirichlet_draws(design, names, samples):
    for name, found in sampled(design, names, samples).items():
        assert found.method == "dirichlet"
        assert found.coverage == pytest.approx(0.95, abs=five_errors(samples)), name
        assert found.zero_width == 0


def test_averages_over_30_classes_with_10_rows_each():
    # A little short, where the percentile bootstrap, on record here, is far off: F1 and weighted precision
    # are biased on so few rows, and resampling adds the same bias once more instead of taking it back.
    design = cells.many_classes(300, 30, 0.0, "mediocre")
    names, samples = ("f1_macro", "precision_weighted"), 300
    found = sampled(design, names, samples)
    tables, weights = design.tables(samples)
    resampled = cells.bootstrap(tables, names)
    for name, gain in (("f1_macro", 0.02), ("precision_weighted", 0.1)):
        beside = cells.measure(resampled[name], weights, design.truth(name))
        assert 0.88 <= found[name].coverage <= 0.95 + five_errors(samples), name
        assert beside.coverage < found[name].coverage - gain, name


def test_few_draws_of_a_very_large_table():
    # What a table of more than 100,000 filled cells gets: 200 draws, and limits from their deviation.
    design = cells.many_classes(600, 30, 0.0, "mediocre")
    names, samples = ("mcc", "kappa", "f1_macro", "precision_weighted"), 700
    tables, weights = design.tables(samples)
    with cells.fewest_draws():
        limits = cells.ours(tables, names)
    for name in names:
        found = cells.measure(limits[name], weights, design.truth(name))
        assert found.coverage == pytest.approx(0.95, abs=five_errors(samples)), name


def test_the_percentile_bootstrap_falls_short_where_ours_does_not():
    # On record, as the reason why it is not what we offer: 50 rows, 5 of them positive.
    design = cells.two_classes(50, 0.1, "good")
    tables, weights = design.tables(1_500)
    resampled = cells.bootstrap(tables, ("f1", "informedness"))
    f1 = cells.measure(resampled["f1"], weights, design.truth("f1"))
    assert f1.coverage < 0.92
    assert f1.zero_width > 0.03
    assert cells.measure(resampled["informedness"], weights, design.truth("informedness")).coverage < 0.7
    assert exactly("f1", 0.1, "good").coverage > 0.94
