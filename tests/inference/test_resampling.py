"""Rows and groups drawn with replacement, for numbers that are a function of rows alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tallymark.errors import MetricError
from tallymark.inference.resampling import RESAMPLES, Resampled

VALUES = np.random.default_rng(3).normal(10, 2, 400)


def mean(rows: NDArray[np.int64], times: NDArray[Any] | None) -> float:
    return float(np.average(VALUES[rows], weights=times))


def limits(level: float = 0.95, function: Callable[..., float] = mean, **options: Any) -> tuple[float, float]:
    found = Resampled("mean", function, len(VALUES), **options).limits(level)
    assert isinstance(found, tuple)
    return found


def test_a_mean_has_the_interval_of_a_mean() -> None:
    deviation = VALUES.std(ddof=1) / math.sqrt(400)
    low, high = limits()
    assert low == pytest.approx(VALUES.mean() - 1.966 * deviation, abs=0.3 * deviation)
    assert high == pytest.approx(VALUES.mean() + 1.966 * deviation, abs=0.3 * deviation)


def test_a_higher_level_is_wider() -> None:
    ends = [limits(level) for level in (0.5, 0.8, 0.95, 0.99, 0.9999)]
    for inner, outer in pairwise(ends):
        assert outer[0] < inner[0]
        assert inner[1] < outer[1]


def test_a_level_that_the_resamples_do_not_reach() -> None:
    # A thousand resamples end at about 3.2 deviations; at this level it takes 4.9.
    deviation = VALUES.std() / math.sqrt(400)
    low, high = limits(0.999999)
    reach = math.sqrt(400 / 399) * stats.t(399).ppf(1 - 5e-7)
    assert high - low == pytest.approx(2 * reach * deviation, rel=0.1)
    assert (low + high) / 2 == pytest.approx(VALUES.mean())


def test_whole_groups_are_drawn() -> None:
    group = np.array([0, 1, 1, 2, 2, 2, 0, 3])
    seen = []

    def watch(rows: NDArray[np.int64], times: NDArray[Any] | None) -> float:
        assert times is None
        often = np.bincount(rows, minlength=len(group))
        for number in range(4):
            # Every row of a group is there as often as every other of it.
            assert len(set(often[group == number])) == 1
        drawn = sum(often[group == number][0] for number in range(4))
        assert drawn == 4
        seen.append(len(rows))
        return float(rows.mean())

    found = Resampled("watch", watch, len(group), group).limits(0.5)
    assert isinstance(found, tuple)
    assert len(seen) == RESAMPLES
    # 4 groups of 1 to 3 rows: the number of rows varies with the groups drawn.
    assert min(seen) < 8 < max(seen)


def test_groups_widen_the_interval() -> None:
    group = np.arange(400) // 20
    values = np.repeat(np.random.default_rng(1).normal(0, 1, 20), 20)

    def grouped_mean(rows: NDArray[np.int64], times: NDArray[Any] | None) -> float:
        return float(values[rows].mean())

    low, high = limits(function=grouped_mean, group=group)
    expected = 2 * stats.t(19).ppf(0.975) * values[::20].std(ddof=1) / math.sqrt(20)
    assert high - low == pytest.approx(expected, rel=0.12)


def test_frequencies_are_drawn_as_the_rows_they_stand_for() -> None:
    times = np.array([0, 1, 5, 100, 894])
    sums = []

    def watch(rows: NDArray[np.int64], drawn: NDArray[Any] | None) -> float:
        assert drawn is not None
        assert 0 not in rows
        assert (drawn > 0).all()
        assert drawn.sum() == 1_000
        sums.append(drawn[rows == 3].sum())
        return float(np.average(rows, weights=drawn))

    found = Resampled("watch", watch, len(times), frequency=times).limits(0.95)
    assert isinstance(found, tuple)
    # The fourth line is drawn Binomial(1000, 0.1) times.
    assert np.mean(sums) == pytest.approx(100, abs=2)
    assert np.std(sums) == pytest.approx(math.sqrt(90), rel=0.1)


def test_the_seed_decides() -> None:
    assert limits(seed=1) == limits(seed=1) != limits(seed=2)


def test_a_constant_has_no_interval() -> None:
    def one(rows: NDArray[np.int64], times: NDArray[Any] | None) -> float:
        return 1.0

    found = Resampled("one", one, 10).limits(0.95)
    assert found == "every resample gives the same value"


def test_one_row_or_one_group_cannot_be_resampled() -> None:
    for options in ({"rows": 1}, {"rows": 3, "group": np.zeros(3, np.int64)}):
        found = Resampled("x", mean, **options).limits(0.95)  # type: ignore[arg-type]
        assert isinstance(found, str)
        assert "nothing to resample" in found


@pytest.mark.parametrize(
    ("share", "expected"), [(0.02, None), (0.3, "it has no value in 30% of the resamples")]
)
def test_resamples_without_a_value(share: float, expected: str | None) -> None:
    calls = iter(range(10**6))

    def sometimes(rows: NDArray[np.int64], times: NDArray[Any] | None) -> float:
        number = next(calls)
        if number % 100 < 100 * share:
            if number % 2:
                raise MetricError("fails here")
            return math.nan
        return mean(rows, times)

    found = Resampled("sometimes", sometimes, len(VALUES)).limits(0.95)
    assert found == expected if expected else isinstance(found, tuple)
