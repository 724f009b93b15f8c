"""How numbers are written: short, never a rounded 0 or 1, and alike wherever they stand."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from collected import each
from tallymark import drawing as td

NUMBERS: list[tuple[Any, str]] = [
    (None, "?"), (0.905, "0.905"), (0.90449, "0.904"), (0.0, "0.000"), (-0.0, "0.000"), (1.0, "1.000"),
    (-1.0, "-1.000"), (12, "12"), (12.0, "12.000"), (12.3456, "12.346"), (99900, "99,900"),
    (0.9996, "0.9996"), (0.99951, "0.9995"), (0.9999999, "0.9999999"), (-0.9996, "-0.9996"),
    (1.0004, "1.0004"), (1 - 2**-53, "1.000"), (0.0004, "0.0004"), (0.000004, "0.000004"),
    (1.2e-7, "1.2e-07"), (-1.2e-7, "-1.2e-07"), (5e-324, "4.9e-324"), (999.5, "999.500"), (3910.0, "3,910"),
    (-1234.567, "-1,234.57"), (1.2345e12, "1.234e+12"), (1e300, "1.000e+300"), (math.inf, "inf"),
    (-math.inf, "-inf"), (math.nan, "nan"), (np.float64(0.5), "0.500"), (np.float32(0.5), "0.500"),
    (np.int64(1200), "1,200"),
]  # fmt: skip
COUNTS: list[tuple[Any, str]] = [
    (None, "?"), (0, "0"), (-3, "-3"), (999, "999"), (99900, "99,900"),
    (2**60, "1,152,921,504,606,846,976"), (np.int64(99900), "99,900"), (12.0, "12"), (12.5, "12.5"),
    (12.346, "12.35"), (1500.25, "1,500.25"), (100.0, "100"), (0.0, "0"), (-0.0, "0"), (-0.001, "-0.0010"),
    (0.00137, "0.0014"), (1.37e-9, "1.4e-09"), (3.5e13, "3.500e+13"), (math.inf, "inf"), (math.nan, "nan"),
]  # fmt: skip
PERCENTS: list[tuple[Any, str]] = [
    (None, "?"), (0.905, "90.5%"), (0.0, "0.0%"), (-0.0, "0.0%"), (1.0, "100.0%"), (0.07, "7.0%"),
    (0.01, "1.0%"), (0.9996, "99.96%"), (0.0004, "0.04%"), (2.5, "250.0%"), (-0.25, "-25.0%"),
    (math.inf, "inf%"),
]  # fmt: skip
INTERVALS = [
    (0.897, 0.9121, "[0.897, 0.912]"), (None, None, "-"), (None, 0.5, "[?, 0.500]"),
    (0.5, math.inf, "[0.500, inf]"), (0.9996, 1.0, "[0.9996, 1.0000]"), (0.00092, 0.012, "[0.001, 0.012]"),
    (0.0004, 0.012, "[0.0004, 0.0120]"), (1e-9, 0.5, "[1.0e-09, 0.500]"),
    (1 / 3, 1 - 2 / 3, "[0.333, 0.333]"), (402.8251, 1242.662, "[402.83, 1,242.66]"),
    (-0.01, 0.02, "[-0.010, 0.020]"), (0.90512, 0.90518, "[0.9051, 0.9052]"), (0.5, 0.5, "[0.500, 0.500]"),
    (0.5, 0.5 + 1e-9, "[0.500000, 0.500000]"), (3, 1200, "[3, 1,200]"),
]  # fmt: skip
WITH_INTERVALS: list[tuple[Any, str]] = [
    ((0.905, 0.897, 0.912), "0.905 [0.897, 0.912]"), ((0.00105, 0.00092, 0.0012), "0.0010 [0.0009, 0.0012]"),
    ((0.99877, 0.99861, 0.99891), "0.9988 [0.9986, 0.9989]"),
    ((0.9994, 0.99904, 0.99952), "0.9994 [0.9990, 0.9995]"), ((0.5, None, None), "0.500"),
    ((1.0, 0.9653, 1.0), "1.000 [0.965, 1.000]"), ((826.0, 402.8251, 1242.662), "826 [402.83, 1,242.66]"),
    ((57.0, -43.83, 129.7), "57 [-43.83, 129.7]"), ((-6506.5, None, None), "-6,506.5"),
    ((None, None, None), "?"),
]  # fmt: skip
PERCENTS_TOGETHER = [
    ((0.99912, 0.99906, 0.99918, 0.99897), ("99.912 %", "99.906 %", "99.918 %", "99.897 %")),
    ((0.905, 0.627), ("90.5 %", "62.7 %")),
    ((0.99996, 0.5), ("99.996 %", "50.000 %")),
    ((1.0, 0.99996, None), ("100.000 %", "99.996 %", "?")),
    ((0.0, 0.000004), ("0.0000 %", "0.0004 %")),
    ((0.25, 0.25), ("25.0 %", "25.0 %")),
]


@each(
    ("write", "values", "written"),
    [
        *((td.number, (value,), written) for value, written in NUMBERS),
        *((td.number, *case) for case in (((0.904762, 4), "0.9048"), ((12.6, 0), "13"), ((0.4, 0), "0.4"))),
        *((td.count, (value,), written) for value, written in COUNTS),
        *((td.percent, (value,), written) for value, written in PERCENTS),
        *((td.interval, (low, high), written) for low, high, written in INTERVALS),
        *((td.with_interval, values, written) for values, written in WITH_INTERVALS),
        *((td.percents_together, values, written) for values, written in PERCENTS_TOGETHER),
    ],
)
def test_how_it_is_written(write: Any, values: tuple[Any, ...], written: Any) -> None:
    assert write(*values) == written
    if write is td.with_interval:
        assert " ".join(td.value_and_interval(*values)).removesuffix(" -") == written


@given(st.lists(st.floats(0, 1).map(lambda value: round(value, 5)), min_size=1, max_size=5))
def test_numbers_side_by_side_can_be_told_apart(values: list[float]) -> None:
    shown = td.numbers_together(*values)
    assert len(set(shown)) == len(set(values))
    assert len({len(text.partition(".")[2]) for text in shown}) == 1


def test_a_proportion_is_rounded_alike_in_percent() -> None:
    """Thousandths are tenths of a percent: 329 of 400 is not 0.823 here and 82.2% there."""
    shares = {right / rows for rows in (400, 800, 2000) for right in range(rows + 1)}
    for share in shares:
        number = td.number(share)
        assert td.percent(share) == f"{Decimal(number) * 100:.{len(number) - 4}f}%"
    sums = [0.3575, math.nextafter(0.3575, 1), math.nextafter(0.3575, 0), sum([0.1, 0.1, 0.1575])]
    assert len({(td.number(share), td.percent(share)) for share in sums}) == 1


# Four digits of the largest floats are more than a float holds.
@given(st.floats(-1e308, 1e308))
def test_only_zero_and_one_look_like_zero_and_one_and_all_are_short_and_close(value: float) -> None:
    shown = td.number(value)
    read = float(shown.replace(",", ""))
    assert not (shown.startswith("-") and read == 0 and value >= 0)
    assert read not in (0, 1, -1) or abs(value - read) <= 1e-12
    assert len(shown) <= len("-999,999,999,999.99")
    assert math.isclose(read, value, rel_tol=0.06, abs_tol=0.0006)
