from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tallymark.inference import Sample
from tallymark.inference.draws import Draws, percentiles
from tallymark.metrics import ask
from tallymark.tallies import Confusion

TWO = Confusion([[40, 10], [5, 145]], labels=["+", "-"])
THREE = Confusion([[50, 8, 2], [6, 70, 9], [1, 4, 30]], labels=["a", "b", "c"])
CELLS = ("tp", "fn", "fp", "tn")


def cells(binary):
    return np.stack([getattr(binary, name) for name in CELLS])


def test_the_same_seed_gives_the_same_draws():
    first, again, other = Draws(THREE, seed=3), Draws(THREE, seed=3), Draws(THREE, seed=4)
    assert np.array_equal(first.margins.hits, again.margins.hits)
    assert np.array_equal(cells(first.binary(1)), cells(again.binary(1)))
    assert not np.array_equal(first.margins.hits, other.margins.hits)
    assert not np.array_equal(cells(first.binary(1)), cells(other.binary(1)))


def test_a_class_does_not_depend_on_what_was_asked_before():
    alone = cells(Draws(THREE).binary(2))
    draws = Draws(THREE)
    draws.binary(0)
    assert draws.margins.hits.shape[1] == 3
    draws.binary(1)
    assert np.array_equal(cells(draws.binary(2)), alone)


def test_classes_have_streams_of_their_own():
    # Two classes with the same counts: one stream for both would give the same draws twice.
    same = Confusion([[20, 3, 3], [3, 20, 3], [3, 3, 20]])
    draws = Draws(same)
    assert not np.array_equal(cells(draws.binary(0)), cells(draws.binary(1)))
    assert abs(np.corrcoef(draws.binary(0).tp, draws.binary(1).tp)[0, 1]) < 0.04


@pytest.mark.parametrize("confusion", [TWO, THREE])
def test_mean_and_spread_are_those_of_the_dirichlet_distribution(confusion):
    size = len(confusion.labels)
    # Two rows in all are added, an equal part of them to every cell.
    peer = stats.dirichlet((confusion.matrix + 2 / size**2).ravel())
    mean, covariance = peer.mean(), peer.cov()
    drawn = Draws(confusion).margins
    hits = drawn.hits / confusion.n
    actual = drawn.actual / confusion.n
    for k in range(size):
        row = slice(k * size, (k + 1) * size)
        spread = np.sqrt(covariance[row, row].sum())
        assert actual[:, k].mean() == pytest.approx(mean[row].sum(), abs=5 * spread / np.sqrt(len(hits)))
        assert actual[:, k].std() == pytest.approx(spread, rel=0.04)
        diagonal = k * size + k
        spread = np.sqrt(covariance[diagonal, diagonal])
        assert hits[:, k].mean() == pytest.approx(mean[diagonal], abs=5 * spread / np.sqrt(len(hits)))
        assert hits[:, k].std() == pytest.approx(spread, rel=0.04)


def test_one_class_of_many_is_a_dirichlet_of_four_cells():
    # Class b: 70 hits, 15 missed, 12 false alarms, 83 others; one half is added to each.
    mean = np.array([70.5, 15.5, 12.5, 83.5]) / 182
    drawn = cells(Draws(THREE).binary(1)) / THREE.n
    assert drawn.mean(axis=1) == pytest.approx(mean, abs=0.002)
    assert drawn.sum(axis=0) == pytest.approx(1)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_of_a_single_share_are_beta_quantiles(level):
    # The share of one cell of a Dirichlet distribution is a beta distribution.
    a, b = 40 + 0.5, 160 + 1.5
    expected = stats.beta(a, b).interval(level)
    assert percentiles(Draws(TWO).binary(0).tp / TWO.n, level) == pytest.approx(expected, abs=0.002)


def test_two_classes_are_one_set_of_draws_seen_from_both_sides():
    draws = Draws(TWO)
    first, second = draws.binary(0), draws.binary(1).swapped()
    assert cells(first) == pytest.approx(cells(second), abs=1e-9)


def test_a_symmetric_number_has_one_interval_for_both_classes():
    sample = Sample(TWO)
    first, second = (sample.of_class(ask("informedness"), position) for position in (0, 1))
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)


def test_no_draw_is_outside_the_table():
    empty = Confusion([[3, 0, 0], [0, 0, 0], [0, 1, 5]])
    margins = Draws(empty).margins
    assert (margins.hits >= 0).all()
    assert (margins.hits <= margins.actual).all()
    assert (margins.hits <= margins.predicted).all()
    assert margins.actual.sum(axis=1) == pytest.approx(9)


def test_costs_are_the_cells_times_their_cost():
    costs = np.array([[-1.0, 100.0], [1.0, 0.0]])
    draws = Draws(TWO, costs=costs)
    first = draws.binary(0)
    assert draws.margins.cost == pytest.approx(-first.tp + 100 * first.fn + first.fp)


@pytest.mark.parametrize("prevalence", [0.01, 0.25, 0.5, 0.9])
def test_other_class_shares_give_the_precision_of_bayes(prevalence):
    # Recall and false positive rate stay; precision = tpr p / (tpr p + fpr (1 - p)).
    tpr, fpr = 40 / 50, 5 / 150
    expected = tpr * prevalence / (tpr * prevalence + fpr * (1 - prevalence))
    sample = Sample(TWO, shares=np.array([prevalence, 1 - prevalence]))
    estimate = sample.of_class(ask("precision"), 0)
    assert estimate.value == pytest.approx(expected, rel=1e-12)
    assert estimate.method == "dirichlet"
    drawn = sample.draws.binary(0)
    assert (drawn.tp + drawn.fn) / TWO.n == pytest.approx(prevalence)
    # The draws are centred on the rates with the prior's one half in each cell.
    tpr, fpr = 40.5 / 51, 5.5 / 151
    centre = tpr * prevalence / (tpr * prevalence + fpr * (1 - prevalence))
    middle = np.median(drawn.tp / (drawn.tp + drawn.fp))
    assert middle == pytest.approx(centre, abs=0.1 * (estimate.high - estimate.low))
    assert estimate.low < expected < estimate.high


def test_rates_keep_their_interval_under_other_class_shares():
    usual = Sample(TWO).of_class(ask("recall"), 0)
    moved = Sample(TWO, shares=np.array([0.01, 0.99])).of_class(ask("recall"), 0)
    assert moved.value == pytest.approx(usual.value)
    assert (moved.low, moved.high, moved.n) == (usual.low, usual.high, 50)


def test_a_given_prevalence_has_no_interval():
    estimate = Sample(TWO, shares=np.array([0.01, 0.99])).of_class(ask("prevalence"), 0)
    assert estimate.value == pytest.approx(0.01)
    assert estimate.low is None
    assert estimate.note == "given, not estimated"


def test_draws_without_a_value_are_left_out():
    values = np.array([np.nan, *np.linspace(0, 1, 101), np.inf])
    assert percentiles(values, 0.9) == pytest.approx((0.05, 0.95))
