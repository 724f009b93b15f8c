from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.drawing import (
    count,
    interval,
    number,
    numbers_together,
    percent,
    percents_together,
    value_and_interval,
    with_interval,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "?"),
        (0.905, "0.905"),
        (0.90449, "0.904"),
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1.0, "1.000"),
        (-1.0, "-1.000"),
        (12, "12"),
        (12.0, "12.000"),
        (12.3456, "12.346"),
        (99900, "99,900"),
        (0.9996, "0.9996"),
        (0.99951, "0.9995"),
        (0.99999, "0.99999"),
        (0.9999999, "0.9999999"),
        (-0.9996, "-0.9996"),
        (1.0004, "1.0004"),
        (1 - 2**-53, "1.000"),
        (0.0004, "0.0004"),
        (-0.0004, "-0.0004"),
        (0.00004, "0.00004"),
        (0.000004, "0.000004"),
        (1.2e-7, "1.2e-07"),
        (-1.2e-7, "-1.2e-07"),
        (5e-324, "4.9e-324"),
        (999.5, "999.500"),
        (3910.0, "3,910"),
        (-1234.567, "-1,234.57"),
        (1.2345e12, "1.234e+12"),
        (1e300, "1.000e+300"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (np.float64(0.5), "0.500"),
        (np.float32(0.5), "0.500"),
        (np.int64(1200), "1,200"),
    ],
)
def test_number(value: float | None, shown: str) -> None:
    assert number(value) == shown


def test_number_takes_other_digits() -> None:
    assert number(0.904762, digits=4) == "0.9048"
    assert number(12.6, digits=0) == "13"
    assert number(0.4, digits=0) == "0.4"


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (None, "?"),
        (0, "0"),
        (-3, "-3"),
        (999, "999"),
        (99900, "99,900"),
        (2**60, "1,152,921,504,606,846,976"),
        (np.int64(99900), "99,900"),
        (12.0, "12"),
        (12.5, "12.5"),
        (12.346, "12.35"),
        (1500.25, "1,500.25"),
        (100.0, "100"),
        (0.0, "0"),
        (-0.0, "0"),
        (-0.001, "-0.0010"),
        (0.00137, "0.0014"),
        (1.37e-9, "1.4e-09"),
        (3.5e13, "3.500e+13"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_count(n: float | None, shown: str) -> None:
    assert count(n) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "?"),
        (0.905, "90.5%"),
        (0.0, "0.0%"),
        (-0.0, "0.0%"),
        (1.0, "100.0%"),
        (0.07, "7.0%"),
        (0.01, "1.0%"),
        (0.9996, "99.96%"),
        (0.0004, "0.04%"),
        (2.5, "250.0%"),
        (-0.25, "-25.0%"),
        (math.inf, "inf%"),
    ],
)
def test_percent(value: float | None, shown: str) -> None:
    assert percent(value) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.897, 0.9121, "[0.897, 0.912]"),
        (None, None, "-"),
        (None, 0.5, "[?, 0.500]"),
        (0.5, math.inf, "[0.500, inf]"),
        (0.9996, 1.0, "[0.9996, 1.0000]"),
        (0.00092, 0.012, "[0.001, 0.012]"),
        (0.0004, 0.012, "[0.0004, 0.0120]"),
        (1e-9, 0.5, "[1.0e-09, 0.500]"),
        (1 / 3, 1 - 2 / 3, "[0.333, 0.333]"),
        (402.8251, 1242.662, "[402.83, 1,242.66]"),
        (-0.01, 0.02, "[-0.010, 0.020]"),
        (0.90512, 0.90518, "[0.9051, 0.9052]"),
        (0.5, 0.5, "[0.500, 0.500]"),
        (0.5, 0.5 + 1e-9, "[0.500000, 0.500000]"),
        (3, 1200, "[3, 1,200]"),
    ],
)
def test_interval(low: float | None, high: float | None, shown: str) -> None:
    assert interval(low, high) == shown


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((0.905, 0.897, 0.912), "0.905 [0.897, 0.912]"),
        ((0.00105, 0.00092, 0.0012), "0.0010 [0.0009, 0.0012]"),
        ((0.99877, 0.99861, 0.99891), "0.9988 [0.9986, 0.9989]"),
        ((0.9994, 0.99904, 0.99952), "0.9994 [0.9990, 0.9995]"),
        ((0.5, None, None), "0.500"),
        ((1.0, 0.9653, 1.0), "1.000 [0.965, 1.000]"),
        ((826.0, 402.8251, 1242.662), "826 [402.83, 1,242.66]"),
        ((57.0, -43.83, 129.7), "57 [-43.83, 129.7]"),
        ((-6506.5, None, None), "-6,506.5"),
        ((None, None, None), "?"),
    ],
)
def test_a_value_has_the_decimals_of_its_interval(values: tuple[Any, Any, Any], shown: str) -> None:
    assert with_interval(*values) == shown
    assert " ".join(value_and_interval(*values)).removesuffix(" -") == shown


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((0.99912, 0.99906, 0.99918, 0.99897), ("99.912 %", "99.906 %", "99.918 %", "99.897 %")),
        ((0.905, 0.627), ("90.5 %", "62.7 %")),
        ((0.99996, 0.5), ("99.996 %", "50.000 %")),
        ((1.0, 0.99996, None), ("100.000 %", "99.996 %", "?")),
        ((0.0, 0.000004), ("0.0000 %", "0.0004 %")),
        ((0.25, 0.25), ("25.0 %", "25.0 %")),
    ],
)
def test_percents_side_by_side(values: tuple[Any, ...], shown: tuple[str, ...]) -> None:
    assert percents_together(*values) == shown


@given(st.lists(st.floats(0, 1).map(lambda value: round(value, 5)), min_size=1, max_size=5))
def test_numbers_side_by_side_can_be_told_apart(values: list[float]) -> None:
    shown = numbers_together(*values)
    assert len(set(shown)) == len(set(values))
    assert len({len(text.partition(".")[2]) for text in shown}) == 1


@pytest.mark.parametrize("rows", [400, 800, 2000])
def test_a_share_is_rounded_alike_in_percent(rows: int) -> None:
    """Thousandths of a share are tenths of a percent: 329 of 400 is not 0.823 here and 82.2% there."""
    for right in range(rows + 1):
        share = right / rows
        assert percent(share) == f"{Decimal(number(share)) * 100:.{len(number(share)) - 4}f}%"


def test_how_a_share_was_summed_up_does_not_show() -> None:
    sums = [0.3575, math.nextafter(0.3575, 1), math.nextafter(0.3575, 0), sum([0.1, 0.1, 0.1575])]
    assert len({(number(each), percent(each)) for each in sums}) == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_only_zero_and_one_look_like_zero_and_one(value: float) -> None:
    shown = number(value)
    assert not (shown.startswith("-") and float(shown.replace(",", "")) == 0 and value >= 0)
    for special in (0, 1, -1):
        if float(shown.replace(",", "")) == special:
            assert abs(value - special) <= 1e-12


@given(st.floats(min_value=-1e300, max_value=1e300))
def test_a_number_is_short_and_close(value: float) -> None:
    shown = number(value)
    assert len(shown) <= len("-999,999,999,999.99")
    assert math.isclose(float(shown.replace(",", "")), value, rel_tol=0.06, abs_tol=0.0006)
