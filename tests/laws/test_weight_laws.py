"""Weights are what rows count: only their ratios matter, a weight of 0 is no row, and parts add up."""

from __future__ import annotations

import json
import math
import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.errors import MergeError
from tallymark.evaluation import Evaluation
from tallymark.inference import cells as draws_of
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import Encoded
from tallymark.tallies import Confusion, Grouped, from_dict

some = settings(max_examples=40, deadline=None)

NAMES = ("a", "b", "c")
Row = tuple[int, int, float, int]
"""Actual, predicted, weight, group."""


@pytest.fixture(autouse=True, scope="module")
def _few_draws() -> Iterator[None]:
    """The laws hold for any number of draws; fewer are faster."""
    with patch.multiple(draws_of, MOST_DRAWS=2_000, MOST_GROUP_DRAWS=2_000):
        yield


WHOLE = st.integers(1, 9)
FRACTIONS = st.floats(1e-3, 1e3)


def tables(weight: st.SearchStrategy[Any], least: int = 2) -> st.SearchStrategy[list[Row]]:
    label = st.integers(0, 2)
    return st.lists(st.tuples(label, label, weight, st.integers(0, 4)), min_size=least, max_size=25)


def evaluated(rows: Sequence[Row], weights: Sequence[float] | None, **options: Any) -> Evaluation:
    actual, predicted = ([NAMES[row[side]] for row in rows] for side in (0, 1))
    return tm.evaluate(actual, predicted, labels=NAMES, sample_weight=weights, **options)


def numbers(ev: Evaluation) -> dict[str, tuple[Any, ...]]:
    return {
        f"{label} {name}": (estimate.value, estimate.low, estimate.high, estimate.n)
        for label, names in ((None, ev.metrics), *ev.per_class.items())
        for name, estimate in names.items()
    }


def assert_same(one: Evaluation, other: Evaluation) -> None:
    expected = numbers(other)
    for name, found in numbers(one).items():
        assert [each is None for each in found] == [each is None for each in expected[name]], name
        pairs = zip(found, expected[name], strict=True)
        assert all(first == near(second) for first, second in pairs if first is not None), name


def near(number: float | None) -> Any:
    return pytest.approx(number, rel=1e-9, abs=1e-9)


# --- intervals and values --------------------------------------------------------------------


@some
@given(tables(WHOLE), st.one_of(st.integers(1, 10**6), st.floats(1e-20, 1e20)))
@example([(0, 0, 1, 0), (1, 0, 1, 0)], 4_000_000_000)  # its square leaves 64 bits
@example([(0, 0, 1, 0), (1, 0, 1, 0), (1, 1, 1, 0)], 1e50)
@example([(0, 0, 1, 0), (1, 0, 1, 0), (1, 1, 1, 0)], 1e-50)
def test_equal_weights_are_no_weights(rows: list[Row], weight: float) -> None:
    assert_same(evaluated(rows, [weight] * len(rows)), evaluated(rows, None))


@some
@given(tables(FRACTIONS), st.floats(1e-6, 1e6))
def test_only_the_ratios_of_weights_matter(rows: list[Row], factor: float) -> None:
    weights = [row[2] for row in rows]
    assert_same(evaluated(rows, [weight * factor for weight in weights]), evaluated(rows, weights))


@some
@given(tables(FRACTIONS), st.data())
def test_a_row_without_weight_is_no_row(rows: list[Row], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)).filter(any))
    left = [row for row, keep in zip(rows, kept, strict=True) if keep]
    weights = [row[2] if keep else 0.0 for row, keep in zip(rows, kept, strict=True)]
    assert_same(evaluated(rows, weights), evaluated(left, [row[2] for row in left]))


@some
@given(tables(FRACTIONS), st.data())
def test_a_row_without_weight_is_no_row_of_its_group_either(rows: list[Row], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    left = [row for row, keep in zip(rows, kept, strict=True) if keep]
    assume(len({row[3] for row in left}) > 1)
    weights = [row[2] if keep else 0.0 for row, keep in zip(rows, kept, strict=True)]
    one = evaluated(rows, weights, groups=[row[3] for row in rows])
    other = evaluated(left, [row[2] for row in left], groups=[row[3] for row in left])
    for name in ("accuracy", "mcc", "f1_macro"):
        for first, second in ((one[name].low, other[name].low), (one[name].high, other[name].high)):
            assert first is second is None or first == near(second), name


@some
@given(tables(FRACTIONS))
def test_the_effective_number_of_rows_is_at_most_their_number(rows: list[Row]) -> None:
    tally = counted(rows)
    assert 1 - 1e-9 <= tally.effective_n <= len(rows) * (1 + 1e-9)
    weights = [row[2] for row in rows]
    assert tally.effective_n == pytest.approx(sum(weights) ** 2 / sum(weight**2 for weight in weights))


# --- parts and the whole ---------------------------------------------------------------------


def encoded(rows: Sequence[Row], *, weighted: bool = True) -> Encoded:
    """With the labels seen in these rows, as observed labels are."""
    seen = sorted({row[side] for row in rows for side in (0, 1)})
    place = {label: position for position, label in enumerate(seen)}
    actual, predicted = (np.array([place[row[side]] for row in rows], np.int64) for side in (0, 1))
    weight = np.array([row[2] for row in rows]) if weighted else None
    group = LabelColumn("group", np.array([row[3] for row in rows], np.int64))
    return Encoded(tuple(NAMES[label] for label in seen), actual, predicted, weight=weight, group=group)


def counted(rows: Sequence[Row], *, weighted: bool = True) -> Confusion:
    return encoded(rows, weighted=weighted).tally(declared=False) if rows else Confusion.empty()


def grouped(rows: Sequence[Row]) -> Grouped:
    side = encoded(rows)
    return side.grouped(side.tally(declared=False))


def cells(tally: Confusion) -> dict[tuple[Any, Any], tuple[float, float]]:
    assert tally.squares is not None
    listed = zip(tally.listed_cells(tally.counts), tally.listed_cells(tally.squares), strict=True)
    return {
        (tally.labels[actual], tally.labels[predicted]): (count, square)
        for (actual, predicted, count), (_, _, square) in listed
    }


@some
@given(tables(WHOLE), st.data())
def test_parts_of_whole_weights_add_up_exactly(rows: list[Row], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(rows)))
    both = counted(rows[:at]) + counted(rows[at:])
    assert both == counted(rows) == counted(rows[at:]) + counted(rows[:at])
    assert both.counts.dtype.kind == "i"
    assert both.rows == len(rows)


@some
@given(tables(FRACTIONS), st.data())
def test_parts_of_other_weights_add_up_to_the_last_digits(rows: list[Row], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(rows)))
    amounts: dict[Any, list[float]] = defaultdict(list)
    for actual, predicted, weight, _ in rows:
        amounts[NAMES[actual], NAMES[predicted]].append(weight)
    exact = {cell: (math.fsum(each), math.fsum(w * w for w in each)) for cell, each in amounts.items()}
    for tally in (counted(rows), counted(rows[:at]) + counted(rows[at:])):
        found = cells(tally)
        assert found.keys() == exact.keys()
        for cell, sums in exact.items():
            assert found[cell] == pytest.approx(sums, rel=1e-12)


def test_a_million_fractions_add_up() -> None:
    # 0.1 is no float; a plain running sum of three million of them is off by 4e-11 of the total.
    n = 3_000_000
    rows = Encoded(("a", "b"), np.zeros(n, np.int64), np.ones(n, np.int64), weight=np.full(n, 0.1))
    tally = rows.tally(declared=False)
    assert tally.n == pytest.approx(math.fsum([0.1] * n), rel=1e-12)


@some
@given(tables(WHOLE, least=1), tables(WHOLE, least=1))
def test_weighted_and_unweighted_are_not_added(one: list[Row], other: list[Row]) -> None:
    with_weights, without = counted(one), counted(other, weighted=False)
    for first, second in ((with_weights, without), (without, with_weights)):
        with pytest.raises(MergeError, match="one tally has weights and the other has none") as caught:
            first + second
        assert "weight 1 is a plain row" in str(caught.value.hint)


@some
@given(tables(WHOLE))
def test_nothing_is_the_identity_with_weights_too(rows: list[Row]) -> None:
    tally = counted(rows)
    assert tally + Confusion.empty() == Confusion.empty() + tally == 0 + tally == tally


@some
@given(st.one_of(tables(WHOLE), tables(FRACTIONS)))
def test_weights_survive_json_and_pickle(rows: list[Row]) -> None:
    tally = counted(rows)
    for again in (from_dict(json.loads(json.dumps(tally.to_dict()))), pickle.loads(pickle.dumps(tally))):
        assert isinstance(again, Confusion)
        assert again == tally
        assert again.effective_n == tally.effective_n
        assert not again.counts.flags.writeable
    plain = counted(rows, weighted=False)
    assert pickle.loads(pickle.dumps(plain)) == plain != tally


# --- groups ----------------------------------------------------------------------------------


@some
@given(tables(WHOLE), st.data())
def test_groups_of_parts_are_groups_of_the_whole(rows: list[Row], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(rows) - 1))
    first, second = grouped(rows[:at]), grouped(rows[at:])
    assert first + second == second + first == grouped(rows) == 0 + grouped(rows)


@some
@given(tables(WHOLE), tables(WHOLE), tables(WHOLE))
def test_adding_groups_is_associative(one: list[Row], two: list[Row], three: list[Row]) -> None:
    first, second, third = grouped(one), grouped(two), grouped(three)
    assert (first + second) + third == first + (second + third)


@some
@given(st.one_of(tables(WHOLE), tables(FRACTIONS)))
def test_groups_add_up_to_their_total(rows: list[Row]) -> None:
    tally = grouped(rows)
    assert len(tally) == len({row[3] for row in rows})
    for cell, count in zip(tally.total.cells, tally.total.counts, strict=True):
        assert tally.counts[tally.cells == cell].sum() == pytest.approx(count)


@some
@given(tables(WHOLE))
def test_groups_survive_pickle(rows: list[Row]) -> None:
    assert pickle.loads(pickle.dumps(grouped(rows))) == grouped(rows)


@some
@given(tables(WHOLE), st.permutations(range(5)))
def test_the_names_and_the_order_of_groups_do_not_matter(rows: list[Row], other: list[int]) -> None:
    assume(len({row[3] for row in rows}) > 1)
    named = [row[3] for row in rows]
    one = evaluated(rows, [row[2] for row in rows], groups=named)
    # Text that sorts in the same order: only then are the same groups drawn by the same numbers.
    two = evaluated(rows, [row[2] for row in rows], groups=[f"patient {group}" for group in named])
    assert_same(one, two)
    three = evaluated(rows, [row[2] for row in rows], groups=[other[group] for group in named])
    assert one["accuracy"].value == three["accuracy"].value
