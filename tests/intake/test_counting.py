from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tallymark.intake.counting import _BLOCK, count_pairs

SIGNED = [np.int8, np.int16, np.int32, np.int64]
TYPES = [*SIGNED, np.uint8, np.uint16, np.uint32]


def naive(actual: NDArray[Any], predicted: NDArray[Any]) -> dict[tuple[int, int], int]:
    return dict(Counter(zip(map(int, actual.tolist()), map(int, predicted.tolist()), strict=True)))


def counted(actual: NDArray[Any], predicted: NDArray[Any]) -> dict[tuple[int, int], int]:
    first, second, counts = count_pairs(actual, predicted)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) == len(counts)
    assert all(counts > 0)
    return dict(zip(pairs, counts.tolist(), strict=True))


def assert_counted(actual: NDArray[Any], predicted: NDArray[Any]) -> None:
    before = actual.copy(), predicted.copy()
    assert counted(actual, predicted) == naive(actual, predicted)
    np.testing.assert_array_equal(actual, before[0])
    np.testing.assert_array_equal(predicted, before[1])


def drawn(low: int, high: int, rows: int, kind: Any, seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(low, high, rows, endpoint=True).astype(kind)


@pytest.mark.parametrize("kind", TYPES)
def test_every_integer_type(kind: Any) -> None:
    info = np.iinfo(kind)
    for low, high in (
        (0, 1),
        (0, 9),
        (info.min, info.min + 3),
        (info.max - 3, info.max),
        (info.min, info.max),
    ):
        assert_counted(drawn(low, high, 300, kind, 1), drawn(low, high, 300, kind, 2))


@pytest.mark.parametrize("kind", SIGNED)
def test_negative_values(kind: Any) -> None:
    assert_counted(drawn(-5, 5, 500, kind, 1), drawn(-5, 5, 500, kind, 2))
    assert_counted(drawn(0, 5, 500, kind, 1), drawn(-5, -1, 500, kind, 2))


def test_booleans() -> None:
    actual, predicted = drawn(0, 1, 500, np.bool_, 1), drawn(0, 1, 500, np.bool_, 2)
    assert_counted(actual, predicted)
    assert_counted(np.zeros(3, np.bool_), np.zeros(3, np.bool_))


@pytest.mark.parametrize("kinds", [(np.bool_, np.int64), (np.int8, np.uint32), (np.uint8, np.int64)])
def test_two_types_beside_each_other(kinds: tuple[Any, Any]) -> None:
    first, second = kinds
    assert_counted(drawn(0, 1, 200, first, 1), drawn(0, 90, 200, second, 2))
    assert_counted(drawn(0, 1, 200, first, 1), drawn(5_000, 5_001, 200, second, 2).astype(second))


@pytest.mark.parametrize("offset", [1_000, 10**6, -(10**6), 2**53, 2**62, -(2**63)])
def test_a_narrow_range_far_from_zero(offset: int) -> None:
    actual, predicted = (drawn(0, 4, 400, np.int64, seed) + offset for seed in (1, 2))
    assert_counted(actual, predicted)


@pytest.mark.parametrize("width", [1_022, 1_023, 1_024, 1_025])
@pytest.mark.parametrize("offset", [0, 1, -7, 10**9])
def test_around_the_width_of_a_dense_table(width: int, offset: int) -> None:
    values = np.arange(width + 1) + offset
    assert_counted(values, values[::-1].copy())


def test_more_than_1024_distinct_values() -> None:
    assert_counted(drawn(0, 5_000, 20_000, np.int64, 1), drawn(0, 5_000, 20_000, np.int64, 2))


def test_neighbours_beyond_the_reach_of_floats_stay_apart() -> None:
    big = np.array([2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1])
    assert len(counted(big, big)) == 6
    assert_counted(big, big[::-1].copy())


@pytest.mark.parametrize("rows", [1, 2, _BLOCK - 1, _BLOCK, _BLOCK + 1, 2 * _BLOCK, 2 * _BLOCK + 1])
@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.int64])
def test_around_the_length_of_a_block(rows: int, kind: Any) -> None:
    assert_counted(drawn(0, 1, rows, kind, 1), drawn(0, 1, rows, kind, 2))


@pytest.mark.parametrize("last", [1, 2, 3, 7, 8, 255, 256, 1_023, 1_024, 10**6, -1, -5])
@pytest.mark.parametrize("where", ["actual", "predicted", "both"])
def test_the_range_may_grow_in_a_later_block(last: int, where: str) -> None:
    actual, predicted = (drawn(0, 1, _BLOCK + 2, np.int64, seed) for seed in (1, 2))
    for name, column in (("actual", actual), ("predicted", predicted)):
        if where in (name, "both"):
            column[-1] = last
    assert_counted(actual, predicted)


def test_the_range_may_grow_block_by_block() -> None:
    actual = np.repeat(np.array([0, 3, 17, 200, 1_023]), _BLOCK)
    assert_counted(actual, np.roll(actual, 5))
    assert_counted(actual[::-1].copy(), np.roll(actual, 5))


def test_no_rows() -> None:
    nothing = np.empty(0, np.int64)
    first, second, counts = count_pairs(nothing, nothing)
    assert (len(first), len(second), len(counts)) == (0, 0, 0)


def test_columns_need_not_lie_side_by_side_in_memory() -> None:
    table = drawn(-3, 3, 400, np.int32).reshape(200, 2)
    assert not table[:, 0].flags.c_contiguous
    assert_counted(table[:, 0], table[:, 1])
    assert_counted(table[::-3, 0], table[::-3, 1])


def test_read_only_and_foreign_byte_order() -> None:
    actual = drawn(0, 9, 100, np.dtype(">i4"), 1)
    actual.flags.writeable = False
    assert_counted(actual, drawn(0, 9, 100, np.int64, 2))


anything = st.one_of(st.integers(0, 3), st.integers(-20, 2_000), st.integers(-(2**63), 2**63 - 1))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(anything, anything), min_size=1, max_size=40))
def test_any_pairs(pairs: list[tuple[int, int]]) -> None:
    table = np.array(pairs, np.int64)
    assert_counted(table[:, 0], table[:, 1])
    assert int(count_pairs(table[:, 0], table[:, 1])[2].sum()) == len(pairs)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(anything, anything), min_size=1, max_size=40))
def test_against_numpy(pairs: list[tuple[int, int]]) -> None:
    table = np.array(pairs, np.int64)
    distinct, counts = np.unique(table, axis=0, return_counts=True)
    first, second, ours = count_pairs(table[:, 0], table[:, 1])
    # Both list the pairs in ascending order.
    np.testing.assert_array_equal(np.column_stack([first, second]), distinct)
    np.testing.assert_array_equal(ours, counts)
