"""Kish's effective number of rows, by hand, in every kind of interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from tallymark.evaluation import Evaluation
from tallymark.inference.cells import Cells
from tallymark.tallies import Confusion

# Actual, predicted, weight. Sums of weights: tp 2 + 3 + 1 = 6, fn 2, fp 1 + 1 = 2, tn 4 + 2 = 6.
# Sums of squares: tp 4 + 9 + 1 = 14, fn 4, fp 1 + 1 = 2, tn 16 + 4 = 20.
TABLE = [
    ("yes", "yes", 2),
    ("yes", "yes", 3),
    ("yes", "yes", 1),
    ("yes", "no", 2),
    ("no", "yes", 1),
    ("no", "yes", 1),
    ("no", "no", 4),
    ("no", "no", 2),
]
Z = 1.959963984540054


def evaluation(**options: Any) -> Evaluation:
    actual, predicted, weight = zip(*TABLE, strict=True)
    return tm.evaluate(actual, predicted, sample_weight=weight, pos_label="yes", **options)


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's formula, for a number of rows that need not be whole."""
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return centre - half, centre + half


# name, value, effective rows of its denominator: (sum of weights)**2 / sum of squares.
PROPORTIONS = [
    ("accuracy", 12 / 16, 16**2 / 40),
    ("error_rate", 4 / 16, 16**2 / 40),
    ("recall", 6 / 8, 8**2 / 18),
    ("fnr", 2 / 8, 8**2 / 18),
    ("specificity", 6 / 8, 8**2 / 22),
    ("fpr", 2 / 8, 8**2 / 22),
    ("precision", 6 / 8, 8**2 / 16),
    ("fdr", 2 / 8, 8**2 / 16),
    ("npv", 6 / 8, 8**2 / 24),
    ("prevalence", 8 / 16, 16**2 / 40),
    ("jaccard", 6 / 10, 10**2 / 20),
]


@pytest.mark.parametrize(("name", "value", "n"), PROPORTIONS)
def test_proportions(name: str, value: float, n: float) -> None:
    found = evaluation()[name]
    assert found.value == pytest.approx(value)
    assert found.n == pytest.approx(n)
    assert (found.low, found.high) == pytest.approx(wilson(value, n))
    assert found.assumption == "independent rows; n is Kish's effective number of them"


def test_wilson_beside_a_peer() -> None:
    from statsmodels.stats import proportion

    n = 8**2 / 18
    found = evaluation()["recall"]
    theirs = proportion.proportion_confint(0.75 * n, n, method="wilson")
    assert (found.low, found.high) == pytest.approx(theirs)


def test_f1_follows_jaccard() -> None:
    low, high = wilson(0.6, 5)
    found = evaluation()["f1"]
    assert found.value == pytest.approx(12 / 16)
    assert found.n == pytest.approx(5)
    assert (found.low, found.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))


def test_ratios_have_an_effective_n_for_the_positives_and_one_for_the_negatives() -> None:
    # Positives count as 64/18 rows, negatives as 64/22; log lr+ has variance (1-r)/(r n+) + (1-f)/(f n-).
    found = evaluation()["lr_plus"]
    variance = 0.25 / (0.75 * 64 / 18) + 0.75 / (0.25 * 64 / 22)
    assert found.value == pytest.approx(3)
    expected = [3 * math.exp(sign * Z * math.sqrt(variance)) for sign in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(expected)


def test_micro_and_weighted_averages_are_the_accuracy() -> None:
    ev = evaluation()
    accuracy = ev["accuracy"].low, ev["accuracy"].high
    for name in ("recall_micro", "f1_micro", "recall_weighted"):
        assert (ev[name].low, ev[name].high) == pytest.approx(accuracy)
        assert ev[name].n == pytest.approx(6.4)


def test_draws_have_the_mean_and_the_spread_of_weighted_exponentials() -> None:
    # A cell is a sum of w times an exponential: mean is the sum of w, variance the sum of squares.
    counts, squares = np.array([6.0, 2.0, 2.0, 6.0]), np.array([14.0, 4.0, 2.0, 20.0])
    cells = Cells.weighted(counts, squares, 0.0)
    assert cells.scale is not None
    np.testing.assert_allclose(cells.shape * cells.scale, counts)
    np.testing.assert_allclose(cells.shape * cells.scale**2, squares)
    np.testing.assert_allclose(cells.shape, counts**2 / squares)


def test_an_empty_cell_gets_prior_rows_of_the_usual_weight() -> None:
    cells = Cells.weighted(np.array([6.0, 0.0]), np.array([18.0, 0.0]), 0.5)
    assert cells.scale is not None
    assert cells.scale.tolist() == [3.0, 3.0]
    assert cells.shape.tolist() == [2.5, 0.5]


def test_two_classes_without_weights_are_beta_draws() -> None:
    # The share of the first cell is Beta(7 + 1/2, 3 + 1/2): its quantiles are known.
    drawn = Cells(np.array([7.5, 3.5])).draw(np.random.default_rng(0), 200_000)[:, 0]
    quantiles = np.quantile(drawn, [0.025, 0.5, 0.975])
    np.testing.assert_allclose(quantiles, stats.beta(7.5, 3.5).ppf([0.025, 0.5, 0.975]), atol=0.003)


def test_weights_widen_drawn_intervals_as_their_effective_n_says() -> None:
    # Half of the rows weigh 3 and half 1, in every cell: worth 16/20 of the rows.
    generator = np.random.default_rng(1)
    actual = generator.integers(0, 2, 2_000)
    predicted = np.where(generator.random(2_000) < 0.8, actual, 1 - actual)
    order = np.argsort(actual * 2 + predicted, kind="stable")
    weight = np.tile([1, 3], 1_000)
    plain = tm.evaluate(actual, predicted)["mcc"]
    ev = tm.evaluate(actual[order], predicted[order], sample_weight=weight)
    found = ev["mcc"]
    assert found.n == pytest.approx(1_600, rel=1e-6)
    assert None not in (plain.low, plain.high, found.low, found.high)
    wider = (found.high - found.low) / (plain.high - plain.low)  # type: ignore[operator]
    assert wider == pytest.approx(math.sqrt(20 / 16), rel=0.04)


# --- hard weights ----------------------------------------------------------------------------


def test_one_row_that_outweighs_all_others_is_one_row() -> None:
    ev = tm.evaluate([1, 0, 1, 0], [1, 0, 0, 1], sample_weight=[1e12, 1, 1, 1])
    assert ev["accuracy"].n == pytest.approx(1)
    low, high = wilson(1.0, 1)
    assert (ev["accuracy"].low, ev["accuracy"].high) == pytest.approx((low, high), abs=1e-9)


def test_squares_of_large_whole_weights_do_not_wrap_around() -> None:
    # 4e9 squared is 1.6e19, more than 64 bits hold.
    ev = tm.evaluate([1, 1, 0], [1, 0, 0], sample_weight=[4_000_000_000] * 3)
    assert ev.confusion is not None
    assert ev.confusion.effective_n == pytest.approx(3)


def test_a_weight_too_small_to_square_is_drawn_as_an_empty_cell() -> None:
    ev = tm.evaluate([1, 0, 1, 0], [1, 0, 0, 1], sample_weight=[1, 1, 1, 1e-200])
    without = tm.evaluate([1, 0, 1], [1, 0, 0], sample_weight=[1, 1, 1])
    assert ev["mcc"].low == pytest.approx(without["mcc"].low, abs=1e-9)


def test_fractions_leave_no_dust_in_empty_cells() -> None:
    # 0.1 + 0.2 is not 0.3 to a computer; what nobody has must stay undefined all the same.
    ev = tm.evaluate([1, 1, 1, 1, 1], [1, 0, 1, 0, 1], sample_weight=[0.1, 0.2, 0.3, 0.7, 1e-3])
    for name in ("specificity", "fpr", "lr_plus", "informedness"):
        assert ev[name].value is None
        assert ev[name].why == "no row is actually negative (fp + tn = 0)"


def test_a_weighted_tally_from_elsewhere_is_evaluated_by_its_squares() -> None:
    tally = Confusion.from_cells(
        ("yes", "no"),
        np.arange(4),
        np.array([6, 2, 2, 6]),
        squares=np.array([14, 4, 2, 20]),
        rows=8,
        declared=True,
    )
    ev = tally.evaluate(pos_label="yes")
    assert ev.rows == 8
    assert ev["recall"].n == pytest.approx(64 / 18)
    assert ev["recall"].to_dict() == evaluation()["recall"].to_dict()
