"""From rows to the rows that count, and back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import betabinom, binom, norm

from tallymark.planning import plan
from tallymark.planning.sampling import Sampling


def test_design_effect_by_hand() -> None:
    """1 + 19 * 0.1 = 2.9; 100 independent rows take 290, and 15 whole groups of 20 hold 300."""
    sampling = Sampling(rows_per_group=20, icc=0.1)
    assert sampling.design_effect == pytest.approx(2.9)
    assert (sampling.rows_for(100), sampling.groups(290)) == (300, 15)
    assert sampling.effective(290) == pytest.approx(100)


def test_rows_alike_in_a_group_count_once_and_unlike_ones_in_full() -> None:
    assert Sampling(rows_per_group=5, icc=1).rows_for(100) == 500
    assert Sampling(rows_per_group=5, icc=0).rows_for(100) == 100


@pytest.mark.parametrize(("share", "rows"), [(0.1, 1410), (0.3, 470), (0.9, 157)])
def test_rows_of_one_class(share: float, rows: int) -> None:
    """141 / 0.1, 141 / 0.3, and 141 / 0.9 = 156.7."""
    assert Sampling("actual_positive", share).rows_for(141) == rows


@pytest.mark.parametrize(("share", "wanted"), [(0.1, 141), (0.01, 5), (0.5, 1), (0.9, 300)])
def test_rows_to_be_sure(share: float, wanted: int) -> None:
    sampling = Sampling("actual_positive", share)
    n = sampling.rows_to_be_sure(wanted)
    assert binom.sf(wanted - 1, n, share) >= 0.95 > binom.sf(wanted - 1, n - 1, share)
    assert sampling.chance_of_counted(n, wanted) == pytest.approx(binom.sf(wanted - 1, n, share))


def test_grouped_rows_have_the_planned_spread() -> None:
    """Right answers per group are beta-binomial with that correlation; its variance is known."""
    made = plan(half_width=0.02, expected=0.8, rows_per_group=20, icc=0.1)
    assert made.groups is not None
    a, b = 0.8 * 9, 0.2 * 9  # the correlation is 1 / (a + b + 1)
    deviation = math.sqrt(made.groups * betabinom(20, a, b).var()) / made.n
    assert norm.isf(0.025) * deviation == pytest.approx(0.02, rel=0.01)


def test_a_class_spread_over_groups_is_planned_for_safely() -> None:
    """Positives strewn over the groups correlate less than those of groups that are all positive."""
    made = plan(half_width=0.05, expected=0.8, metric="recall", prevalence=0.2, rows_per_group=10, icc=0.5)
    assert made.groups is not None
    generator = np.random.default_rng(0)
    shares = []
    for _ in range(400):
        positives = generator.binomial(10, 0.2, made.groups)
        right = generator.binomial(positives, generator.beta(0.8, 0.2, made.groups))
        shares.append(right.sum() / positives.sum())
    assert norm.isf(0.025) * float(np.std(shares)) < 0.05
