"""Rows for a half width: against Wilson's limits, a search, a peer and exact sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint, samplesize_confint_proportion

from tallymark.planning.widths import chance_of_half_width, half_width, rows_for_half_width, textbook_rows

SHARES = (0.5, 0.8, 0.9, 0.99, 0.03)


def peer_half_width(n: int, share: float, level: float) -> float:
    low, high = proportion_confint(n * share, n, alpha=1 - level, method="wilson")
    return float(high - low) / 2


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", [1, 7, 100, 12345])
def test_half_width_is_that_of_the_wilson_limits(n: int, share: float) -> None:
    assert half_width(n, share, 0.95) == pytest.approx(peer_half_width(n, share, 0.95), rel=1e-9)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("wanted", [0.02, 0.05, 0.2])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_fewest_rows_and_every_larger_number_is_enough(wanted: float, share: float, level: float) -> None:
    n = rows_for_half_width(wanted, share, level)
    if n > 1:
        assert peer_half_width(n - 1, share, level) > wanted
    widths = [peer_half_width(size, share, level) for size in range(n, n + 500)]
    assert widths[0] <= wanted
    assert widths == sorted(widths, reverse=True)


def test_textbook_figure() -> None:
    """1.96^2 * 0.25 / 0.01^2 = 9604; the peer gives the same before it is rounded up."""
    assert textbook_rows(0.01, 0.5, 0.95) == 9604
    for share in SHARES:
        peer = samplesize_confint_proportion(share, 0.02, alpha=0.1)
        assert textbook_rows(0.02, share, 0.9) == np.ceil(peer)


def test_worst_case_by_hand() -> None:
    """At 0.5 Wilson's half width is z / (2 sqrt(n + z^2)), so n = (z / 2h)^2 - z^2 = 9603.65 - 3.84."""
    assert rows_for_half_width(0.01, 0.5, 0.95) == 9600


def test_very_narrow() -> None:
    """(z / 2h)^2 = 960 364 705 173.5; taking z^2 = 3.84 off leaves 960 364 705 169.7."""
    assert rows_for_half_width(1e-6, 0.5, 0.95) == pytest.approx(960364705170, abs=1)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("wanted", [0.02, 0.05])
@pytest.mark.parametrize("more", [-0.2, 0.0, 0.2])
def test_chance_is_the_share_of_samples_that_are_narrow_enough(
    share: float, wanted: float, more: float
) -> None:
    n = round(rows_for_half_width(wanted, share, 0.95) * (1 + more))
    counts = np.arange(n + 1)
    low, high = proportion_confint(counts, n, method="wilson")
    narrow = (high - low) / 2 <= wanted + 1e-12
    exact = binom.pmf(counts, n, share)[narrow].sum()
    assert chance_of_half_width(wanted, n, share, 0.95) == pytest.approx(exact, abs=1e-9)


def test_at_the_worst_case_every_sample_is_narrow_enough() -> None:
    n = rows_for_half_width(0.03, 0.5, 0.95)
    assert chance_of_half_width(0.03, n, 0.5, 0.95) == 1
    assert chance_of_half_width(0.03, n, 0.7, 0.95) == 1


@pytest.mark.parametrize("share", [0.8, 0.9, 0.97])
def test_at_another_value_about_half_of_the_samples_are(share: float) -> None:
    n = rows_for_half_width(0.02, share, 0.95)
    assert 0.45 < chance_of_half_width(0.02, n, share, 0.95) < 0.6
