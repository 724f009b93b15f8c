"""Rows for a difference: published examples, peers, and the exact power of the tests planned for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from tallymark.planning.power import Models

Z = norm.isf(0.025)


def exact_power_on_other_rows(n: int, first: float, second: float) -> float:
    """How often the pooled z test rejects, summed over all pairs of counts."""
    counts = np.arange(n + 1)
    a, b = np.meshgrid(counts, counts, indexing="ij")
    pooled = (a + b) / (2 * n)
    rejects = np.abs(a - b) / n > Z * np.sqrt(2 * pooled * (1 - pooled) / n)
    return float(binom.pmf(counts, n, first) @ rejects @ binom.pmf(counts, n, second))


def exact_power_on_same_rows(n: int, difference: float, disagreement: float, method: str) -> float:
    """How often McNemar's test rejects, summed over the numbers of disagreements and who wins them."""
    total = 0.0
    for apart in range(1, n + 1):
        weight = binom.pmf(apart, n, disagreement)
        if weight < 1e-10:
            continue
        wins = np.arange(apart + 1)
        if method == "mid_p":
            fewer = np.minimum(wins, apart - wins)
            p_value = 2 * binom.cdf(fewer, apart, 0.5) - binom.pmf(fewer, apart, 0.5)
            rejects = (p_value <= 0.05) & (2 * wins != apart)
        else:
            correction = 1 if method == "corrected" else 0
            rejects = np.maximum(np.abs(2 * wins - apart) - correction, 0) > Z * math.sqrt(apart)
        chance = binom.pmf(wins, apart, 0.5 + difference / (2 * disagreement))
        total += weight * chance[rejects].sum()
    return float(total)


# --- published ---------------------------------------------------------------------------------


def test_examples_of_power_prop_test() -> None:
    """R, help page of power.prop.test: n = 76.7; power = 0.740 at n = 50; p2 = 0.8026 at power 0.9."""
    models = Models(0.5, paired=False)
    assert models.rows(0.25, 0.9, 0.95) == pytest.approx(76.7, abs=0.05)
    assert models.power(50, 0.25, 0.95) == pytest.approx(0.740, abs=0.0005)
    found = models.smallest_difference(50, 0.9, 0.95)
    assert found is not None
    assert 0.5 + found == pytest.approx(0.8026, abs=0.00005)


@pytest.mark.parametrize(
    ("more", "fewer", "pairs"),
    [
        (0.5, 0.2, 59),  # Chow, Shao & Wang, Sample Size Calculations in Clinical Research, McNemar's test
        (0.45, 0.05, 23),  # powerandsamplesize.com, McNemar's z test, two-sided: 22.01
        (0.30, 0.15, 155),
    ],
)
def test_examples_of_mcnemar(more: float, fewer: float, pairs: int) -> None:
    models = Models(None, paired=True, disagreement=more + fewer)
    assert math.ceil(models.rows(more - fewer, 0.8, 0.95)) == pairs


@pytest.mark.parametrize("first", [0.5, 0.7, 0.85])
@pytest.mark.parametrize("difference", [0.02, 0.1, -0.1])
@pytest.mark.parametrize(("power", "level"), [(0.8, 0.95), (0.9, 0.99), (0.3, 0.9)])
def test_rows_of_a_peer(first: float, difference: float, power: float, level: float) -> None:
    """The peer takes one tail, so it is given half of alpha."""
    peer = samplesize_proportions_2indep_onetail(
        difference, first, power, alpha=(1 - level) / 2, alternative="larger" if difference > 0 else "smaller"
    )
    assert Models(first, paired=False).rows(difference, power, level) == pytest.approx(peer)


# --- what is planned for is reached ------------------------------------------------------------


@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize(
    ("first", "difference"), [(0.5, 0.1), (0.5, 0.2), (0.7, 0.1), (0.7, 0.2), (0.85, 0.1), (0.95, 0.03)]
)
def test_power_is_reached_on_other_rows(first: float, difference: float, power: float) -> None:
    n = math.ceil(Models(first, paired=False).rows(difference, power, 0.95))
    exact = exact_power_on_other_rows(n, first, first + difference)
    assert -0.005 < exact - power < 0.02


@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize(
    ("difference", "disagreement"), [(0.02, 0.1), (0.04, 0.1), (0.07, 0.1), (0.04, 0.2), (0.16, 0.4)]
)
def test_power_is_reached_on_same_rows(difference: float, disagreement: float, power: float) -> None:
    """The formula errs to the safe side, more so the fewer disagreements there are."""
    models = Models(None, paired=True, disagreement=disagreement)
    n = math.ceil(models.rows(difference, power, 0.95))
    plain, mid_p, corrected = (
        exact_power_on_same_rows(n, difference, disagreement, method)
        for method in ("uncorrected", "mid_p", "corrected")
    )
    assert -0.002 < plain - power < 0.042
    assert abs(mid_p - plain) < 0.01
    assert plain - 0.08 < corrected < plain
    assert corrected > power - 0.05


# --- laws --------------------------------------------------------------------------------------


MODELS = [
    Models(None, paired=False),
    Models(0.85, paired=False),
    Models(None, paired=True, disagreement=0.1),
    Models(0.85, paired=True, disagreement=0.1),
    Models(0.3, paired=True),
]


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("power", [0.1, 0.5, 0.8, 0.99])
def test_rows_power_and_difference_undo_each_other(models: Models, power: float) -> None:
    n = models.rows(0.03, power, 0.95)
    assert models.power(n, 0.03, 0.95) == pytest.approx(power)
    assert models.smallest_difference(n, power, 0.95) == pytest.approx(0.03)


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("n", [10, 100, 10000])
def test_power_grows_with_the_difference_once_it_is_even(models: Models, n: int) -> None:
    found = [models.power(n, d, 0.95) for d in np.linspace(1e-4, models.largest_difference, 200)]
    above = [power for power in found if power >= 0.5]
    assert above == sorted(above)
    assert found[len(found) - len(above) :] == above


def test_independent_errors_need_as_many_same_rows_as_other_rows() -> None:
    """The variances differ by d^2 / 2 under the null hypothesis only."""
    same, other = (Models(0.85, paired=paired).rows(0.02, 0.8, 0.95) for paired in (True, False))
    assert same == pytest.approx(other, rel=0.002)


def test_worst_case_is_worst() -> None:
    most = Models(None, paired=False).rows(0.1, 0.8, 0.95)
    assert most >= max(Models(p, paired=False).rows(0.1, 0.8, 0.95) for p in np.linspace(0.01, 0.9, 90))


def test_no_model_is_good_enough() -> None:
    """50 rows at 0.98: even a perfect model has power 0.17."""
    assert Models(0.98, paired=False).smallest_difference(50, 0.8, 0.95) is None
    assert Models(None, paired=True, disagreement=0.05).smallest_difference(100, 0.8, 0.95) is None


def test_certain_difference() -> None:
    """A model that is always wrong and one that is always right leave nothing to chance."""
    models = Models(None, paired=True, disagreement=1.0)
    assert models.power(4, 1.0, 0.95) == 1
    assert models.power(3, 1.0, 0.95) == 0
