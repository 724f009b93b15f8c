from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from tallymark.inference import Sample, delta, sample
from tallymark.inference.draws import Draws
from tallymark.metrics import METRICS, ask
from tallymark.tallies import Confusion

Z = 1.959963984540054
TWO = Confusion([[420, 80], [150, 850]])
THREE = Confusion([[300, 40, 10], [30, 410, 60], [5, 45, 100]])
SKEWED = Confusion([[6000, 300, 50, 10], [400, 2000, 60, 20], [30, 90, 700, 40], [20, 10, 50, 220]])


@pytest.fixture
def delta_everywhere(monkeypatch):
    """The delta method for any number of labels."""
    monkeypatch.setattr(sample, "MOST_LABELS", 1)


def average_error(confusion, name):
    estimate = Sample(confusion).of_average(ask(name))
    assert estimate.method == "delta"
    return (estimate.high - estimate.low) / (2 * Z)


def spread_of_draws(confusion, name):
    values = METRICS[name](Draws(confusion).margins)
    return values.std()


# --- against formulas ------------------------------------------------------------------------


@pytest.mark.parametrize("confusion", [TWO, THREE, SKEWED])
def test_accuracy_has_the_error_of_a_proportion(confusion):
    share = np.trace(confusion.matrix) / confusion.n
    expected = np.sqrt(share * (1 - share) / confusion.n)
    assert delta.of_table(confusion, METRICS["accuracy"]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("confusion", [TWO, THREE, SKEWED])
def test_weighted_recall_is_accuracy(confusion):
    share = np.trace(confusion.matrix) / confusion.n
    expected = np.sqrt(share * (1 - share) / confusion.n)
    error = delta.of_average(confusion, METRICS["recall"], lambda margins: margins.actual / confusion.n)
    assert error == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("confusion", [TWO, THREE, SKEWED])
def test_kappa_has_the_error_of_statsmodels(confusion):
    # Fleiss, Cohen and Everitt (1969).
    expected = cohens_kappa(confusion.matrix).std_kappa
    assert delta.of_table(confusion, METRICS["kappa"]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("matrix", [[[420, 80], [150, 850]], [[40, 160], [10, 1790]], [[20, 30], [30, 20]]])
def test_mcc_of_two_classes_has_the_error_of_phi(matrix):
    # The large-sample variance of phi: Bishop, Fienberg and Holland (1975), ch. 11.
    shares = np.array(matrix) / np.sum(matrix)
    (a1, a2), (p1, p2) = shares.sum(axis=1), shares.sum(axis=0)
    phi = (shares[0, 0] * shares[1, 1] - shares[0, 1] * shares[1, 0]) / np.sqrt(a1 * a2 * p1 * p2)
    mixed = (a1 - a2) * (p1 - p2) / np.sqrt(a1 * a2 * p1 * p2)
    squares = (a1 - a2) ** 2 / (a1 * a2) + (p1 - p2) ** 2 / (p1 * p2)
    variance = 1 - phi**2 + phi * (1 + phi**2 / 2) * mixed - 3 / 4 * phi**2 * squares
    expected = np.sqrt(variance / np.sum(matrix))
    assert delta.of_table(Confusion(matrix), METRICS["mcc"]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("confusion", [TWO, THREE, SKEWED])
def test_macro_recall_adds_up_independent_proportions(confusion, delta_everywhere):
    rows = confusion.matrix.sum(axis=1)
    recalls = np.diag(confusion.matrix) / rows
    expected = np.sqrt((recalls * (1 - recalls) / rows).sum()) / len(rows)
    assert average_error(confusion, "recall_macro") == pytest.approx(expected, rel=1e-5)


def test_mean_cost_has_the_error_of_a_mean(delta_everywhere):
    costs = np.array([[-1.0, 100.0], [1.0, 0.0]])
    rows = np.repeat(costs.ravel(), TWO.matrix.ravel())
    expected = rows.std() / np.sqrt(len(rows))
    assert delta.of_cost(TWO, costs) == pytest.approx(expected, rel=1e-12)
    counted = Sample(TWO, costs=costs)
    mean, total = counted.of_table(ask("mean_cost")), counted.of_table(ask("total_cost"))
    assert (mean.low, mean.high) == pytest.approx((rows.mean() - Z * expected, rows.mean() + Z * expected))
    assert (total.low, total.high) == pytest.approx((mean.low * TWO.n, mean.high * TWO.n))


@pytest.mark.parametrize("position", [0, 1, 2])
def test_one_class_against_the_rest(position):
    each = THREE.margins.each
    tp, fn, fp, tn = (float(cell[position]) for cell in (each.tp, each.fn, each.fp, each.tn))
    recall, fallout = tp / (tp + fn), fp / (fp + tn)
    informed = np.sqrt(recall * (1 - recall) / (tp + fn) + fallout * (1 - fallout) / (fp + tn))
    assert delta.of_classes(each, METRICS["informedness"])[position] == pytest.approx(informed, rel=1e-5)
    precise = np.sqrt(tp * fp / (tp + fp) ** 3)
    assert delta.of_classes(each, METRICS["precision"])[position] == pytest.approx(precise, rel=1e-5)
    # MCC of the class by two roads: four cells, or the totals of the 2 x 2.
    two = Confusion(np.array([[tp, fn], [fp, tn]]))
    road = delta.of_table(two, METRICS["mcc"])
    assert delta.of_classes(each, METRICS["mcc"])[position] == pytest.approx(road, rel=1e-5)


# --- against draws ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mcc", "kappa"])
def test_errors_of_the_table_are_the_spread_of_the_draws(name):
    assert delta.of_table(SKEWED, METRICS[name]) == pytest.approx(spread_of_draws(SKEWED, name), rel=0.04)


@pytest.mark.parametrize(
    "name",
    ["f1_macro", "f1_weighted", "precision_macro", "precision_weighted", "jaccard_macro", "f_beta_macro:2"],
)
def test_errors_of_averages_are_the_spread_of_the_draws(name, delta_everywhere):
    asked = ask(name)
    drawn = Draws(SKEWED).margins
    values = asked.metric(drawn.each, *asked.parameters)
    weights = drawn.actual if asked.average == "weighted" else np.ones_like(drawn.actual)
    expected = ((values * weights).sum(axis=1) / weights.sum(axis=1)).std()
    assert average_error(SKEWED, name) == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("name", ["f_beta:2", "markedness", "g_mean", "mcc"])
def test_errors_of_a_class_are_the_spread_of_the_draws(name):
    asked = ask(name)
    errors = delta.of_classes(SKEWED.margins.each, lambda each: asked.metric(each, *asked.parameters))
    draws = Draws(SKEWED)
    for position in range(4):
        expected = asked.metric(draws.binary(position), *asked.parameters).std()
        assert errors[position] == pytest.approx(expected, rel=0.05)


# --- where it is used ------------------------------------------------------------------------


def many(labels):
    """A table with `labels` classes of 30 rows, 24 of them hit and 6 called the next class."""
    table = 24 * np.eye(labels, dtype=int) + 6 * np.roll(np.eye(labels, dtype=int), 1, axis=1)
    return Confusion(table)


def test_it_takes_over_above_200_labels():
    assert Sample(many(200)).of_table(ask("kappa")).method == "dirichlet"
    assert Sample(many(201)).of_table(ask("kappa")).method == "delta"
    assert Sample(many(201)).of_average(ask("f1_macro")).method == "delta"


def test_interval_of_macro_recall_at_300_labels():
    estimate = Sample(many(300)).of_average(ask("recall_macro"))
    half = Z * np.sqrt(0.8 * 0.2 / 9000)
    assert (estimate.low, estimate.high) == pytest.approx((0.8 - half, 0.8 + half), abs=1e-7)
    assert estimate.n == 9000


def test_limits_stay_in_the_range_of_the_number():
    assert delta.around(0.99, 0.02, (0, 1), 0.95) == pytest.approx((0.99 - 0.02 * Z, 1))
    assert delta.around(-0.99, 0.02, (-1, 1), 0.95) == pytest.approx((-1, -0.99 + 0.02 * Z))


def test_without_spread_there_is_no_interval(delta_everywhere):
    estimate = Sample(Confusion([[30, 0], [0, 20]])).of_table(ask("kappa"))
    assert estimate.value == 1
    assert estimate.low is None
    assert "no interval" in estimate.note
