"""Weights are what rows count: only their ratios matter, a weight of 0 is no row, and parts add up."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallymark as tm

NAMES = ("a", "b", "c")
Row = tuple[int, int, float, int]
"""Actual, predicted, weight, group."""
OF_CLASSES, OF_ALL = ("precision", "recall", "f1", "fpr"), ("accuracy", "mcc", "f1_macro", "recall_weighted")
FACTORS = (1, 7, 4_000_000_000, 1e50, 1e-50, 0.1)  # squares of some leave 64 bits
label = st.integers(0, 2)
tables = st.lists(st.tuples(label, label, st.floats(1e-3, 1e3), st.integers(0, 4)), min_size=2, max_size=25)


def evaluated(rows: Sequence[Row], weights: Any, **options: Any) -> tm.Evaluation:
    actual, predicted = ([NAMES[row[side]] for row in rows] for side in (0, 1))
    return tm.evaluate(actual, predicted, labels=NAMES, sample_weight=weights, **options)


def numbers(ev: tm.Evaluation) -> dict[str, tuple[Any, ...]]:
    named = {name: ev[name] for name in OF_ALL}
    named |= {f"{name} of {one}": ev.per_class[one][name] for one in NAMES for name in OF_CLASSES}
    return {name: (found.value, found.low, found.high, found.n) for name, found in named.items()}


def same(one: tm.Evaluation, other: tm.Evaluation) -> None:
    expected = numbers(other)
    for name, found in numbers(one).items():
        for first, second in zip(found, expected[name], strict=True):
            assert first is second is None or first == pytest.approx(second, rel=1e-9, abs=1e-9), name


@given(tables, st.sampled_from(FACTORS), st.lists(st.booleans(), min_size=25, max_size=25).filter(any))
@example([(0, 0, 1, 0), (1, 0, 1, 0)], 4_000_000_000, [True] * 25)
@example([(0, 0, 1, 0), (1, 0, 1, 0), (1, 1, 1, 0)], 1e50, [True] * 25)
def test_only_ratios_matter_and_a_row_without_weight_is_no_row(
    rows: list[Row], factor: float, kept: list[bool]
) -> None:
    same(evaluated(rows, [factor] * len(rows)), evaluated(rows, None))
    weights, found = [row[2] for row in rows], evaluated(rows, [row[2] for row in rows])
    same(evaluated(rows, [weight * np.clip(factor, 1e-6, 1e6) for weight in weights]), found)
    kish = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    assert found["accuracy"].n == found.confusion.effective_n == pytest.approx(kish)
    assert 1 - 1e-9 <= kish <= len(rows) * (1 + 1e-9)
    left = [row for row, keep in zip(rows, kept, strict=False) if keep]
    if left:
        gone = [row[2] if keep else 0.0 for row, keep in zip(rows, kept, strict=False)]
        same(evaluated(rows, gone), evaluated(left, [row[2] for row in left]))


@given(tables, st.lists(st.booleans(), min_size=25, max_size=25), st.permutations(range(5)))
def test_groups_have_neither_names_nor_an_order_nor_rows_without_weight(
    rows: list[Row], kept: list[bool], other: list[int]
) -> None:
    groups, weights = [row[3] for row in rows], [row[2] for row in rows]
    if len(set(groups)) > 1:
        one = evaluated(rows, weights, groups=groups)
        # Text that sorts in the same order: only then are the same groups drawn by the same numbers.
        same(one, evaluated(rows, weights, groups=[f"patient {group}" for group in groups]))
        moved = evaluated(rows, weights, groups=[other[group] for group in groups])
        assert one["accuracy"].value == moved["accuracy"].value
    left = [row for row, keep in zip(rows, kept, strict=False) if keep]
    if len({row[3] for row in left}) > 1:
        gone = evaluated(
            rows, [row[2] if keep else 0.0 for row, keep in zip(rows, kept, strict=False)], groups=groups
        )
        without = evaluated(left, [row[2] for row in left], groups=[row[3] for row in left])
        for name in OF_ALL:
            for first, second in ((gone[name].low, without[name].low), (gone[name].high, without[name].high)):
                assert first is second is None or first == pytest.approx(second, rel=1e-9, abs=1e-9), name


@given(tables, st.data())
def test_fractions_of_parts_add_up_to_the_last_digits(rows: list[Row], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(rows) - 1))
    table = pl.DataFrame(rows, ["y", "p", "w", "g"], orient="row")
    options: dict[str, Any] = {"actual": "y", "predicted": "p", "weight": "w", "groups": "g"}
    whole, *parts = (tm.tally(part, **options) for part in (table, table[:at], table[at:]))
    amounts: dict[Any, list[float]] = defaultdict(list)
    for actual, predicted, weight, _ in rows:
        amounts[actual, predicted].append(weight)
    exact = {cell: (math.fsum(each), math.fsum(w * w for w in each)) for cell, each in amounts.items()}
    for tally in (whole, parts[0] + parts[1]):
        counted, size = tally.counted, len(tally.counted.labels)
        cells = [
            (counted.labels[cell // size], counted.labels[cell % size]) for cell in counted.cells.tolist()
        ]
        found = dict(
            zip(cells, zip(counted.counts.tolist(), counted.squares.tolist(), strict=True), strict=True)
        )
        assert found.keys() == exact.keys()
        for cell, sums in exact.items():
            assert found[cell] == pytest.approx(sums, rel=1e-12)
        # Groups add up to their total.
        assert len(tally.groups) == len({row[3] for row in rows})
        for cell, count in zip(counted.cells, counted.counts, strict=True):
            assert tally.groups.counts[tally.groups.cells == cell].sum() == pytest.approx(count)


def test_a_million_fractions_add_up() -> None:
    # 0.1 is no float; a plain running sum of three million of them is off by 4e-11 of the total.
    n = 3_000_000
    table = pl.DataFrame({"y": np.zeros(n, np.int8), "p": np.ones(n, np.int8), "w": np.full(n, 0.1)})
    found = tm.tally(table, actual="y", predicted="p", weight="w").counted
    assert found.n == pytest.approx(math.fsum([0.1] * n), rel=1e-12)
