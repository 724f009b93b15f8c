from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.evaluation.live.decimals import shortest, with_few_figures

NUMBERS = st.floats(-1000, 1000, allow_nan=False).map(lambda number: number + 0.0)


def greatest(high: float, decimals: int) -> int:
    """The greatest whole number which, divided, is a float that is not above `high`."""
    near = int(Fraction(high) * 10**decimals)
    return max(whole for whole in range(near - 2, near + 3) if whole / 10**decimals <= high)


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=20, unique=True))
def test_as_few_decimals_as_can_be(numbers: list[float]) -> None:
    high = np.array(sorted(numbers, reverse=True))
    low = np.append(high[1:], -np.inf)
    found = shortest(low, high)
    if found is None:
        return
    whole, digits = found
    for number, below, above in zip(whole.tolist(), low.tolist(), high.tolist(), strict=True):
        assert below < number / 10**digits <= above
        own = next(each for each in range(digits + 1) if number % 10 ** (digits - each) == 0)
        assert number // 10 ** (digits - own) == greatest(above, own)
        if own:
            assert greatest(above, own - 1) / 10 ** (own - 1) <= below


def test_by_hand() -> None:
    high = np.array([12.5, 1.0, 0.7, 0.25, 0.23, -0.7, -3.75])
    whole, digits = shortest(np.append(high[1:], -np.inf), high) or (np.array([]), 0)
    assert [number / 10**digits for number in whole.tolist()] == [12, 1, 0.7, 0.25, 0, -1, -4]


def test_numbers_that_need_too_many_figures() -> None:
    assert shortest(np.array([1e-30]), np.array([2e-30])) is None
    assert shortest(np.array([0.9999999999999997]), np.array([0.9999999999999999])) is None
    assert shortest(np.array([1.0]), np.array([1e17])) is None


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_few_figures(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if low < high:
        assert low < with_few_figures(low, high) <= high


def test_few_figures_by_hand() -> None:
    assert with_few_figures(2.5e-31, 4.25e-31) == 4e-31
    assert with_few_figures(0.9999999999999, 0.99999999999999) == 0.99999999999999
    assert with_few_figures(-np.inf, 3e-40) == 0
    assert with_few_figures(-np.inf, -3e40) == -3e40
