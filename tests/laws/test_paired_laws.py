"""Answers of several models: `+` is a commutative monoid, and counting parts equals counting the whole."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.intake.pairing import count_paired
from tallymark.tallies.grouped_paired import GroupedPaired
from tallymark.tallies.paired import Paired

some = settings(max_examples=60, deadline=None)

NAMES = ("a", "b", "c")
MODELS = ("tree", "forest")
Row = tuple[int, int, int, int, int]
"""Actual, two answers, weight, group."""

_label = st.integers(0, 2)


def rows(least: int = 0) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(_label, _label, _label, st.integers(0, 5), st.integers(0, 3)), min_size=least)


def both(
    table: Sequence[Row], *, weighted: bool = False, declared: bool = False
) -> tuple[Paired, GroupedPaired | None]:
    """With the labels seen in these rows, as observed labels are."""
    if not table:
        return Paired.empty(), None
    columns = np.array(table).T
    seen = np.arange(3) if declared else np.unique(columns[:3])
    actual, *answers = np.searchsorted(seen, columns[:3])
    weight = columns[3] if weighted else None
    labels = tuple(NAMES[label] for label in seen)
    group = tuple(f"patient {each}" for each in range(4)), columns[4]
    return count_paired(labels, MODELS, actual, answers, weight, group=group, declared=declared)


def counted(table: Sequence[Row], **options: bool) -> Paired:
    return both(table, **options)[0]


@some
@given(rows(), rows(), rows())
def test_addition_is_a_commutative_monoid(one: list[Row], two: list[Row], three: list[Row]) -> None:
    first, second, third = (counted(table) for table in (one, two, three))
    assert (first + second) + third == first + (second + third)
    assert first + second == second + first
    assert first + Paired.empty() == Paired.empty() + first == 0 + first == first


@some
@given(rows(2), st.data(), st.booleans(), st.booleans())
def test_parts_add_up_to_the_whole(
    table: list[Row], data: st.DataObject, weighted: bool, declared: bool
) -> None:
    at = data.draw(st.integers(1, len(table) - 1))
    table = [row if row[3] or not weighted else (*row[:3], 1, row[4]) for row in table]
    whole, groups = both(table, weighted=weighted, declared=declared)
    parts = [both(part, weighted=weighted, declared=declared) for part in (table[:at], table[at:])]
    assert parts[0][0] + parts[1][0] == parts[1][0] + parts[0][0] == whole
    assert parts[0][1] is not None
    assert parts[1][1] is not None
    assert parts[0][1] + parts[1][1] == parts[1][1] + parts[0][1] == 0 + parts[0][1] + parts[1][1] == groups


@some
@given(rows(1), st.booleans())
def test_it_survives_json_and_pickle(table: list[Row], weighted: bool) -> None:
    paired = counted([*table, (0, 0, 0, 1, 0)], weighted=weighted)
    assert Paired.from_dict(json.loads(json.dumps(paired.to_dict()))) == paired
    assert pickle.loads(pickle.dumps(paired)) == paired


@some
@given(rows(1))
def test_every_model_alone_is_its_confusion(table: list[Row]) -> None:
    paired = counted(table)
    for column, name in enumerate(MODELS, 1):
        confusion = paired.confusion(name)
        expected: dict[tuple[str, str], int] = {}
        for row in table:
            cell = NAMES[row[0]], NAMES[row[column]]
            expected[cell] = expected.get(cell, 0) + 1
        found = {
            (confusion.labels[actual], confusion.labels[answer]): count
            for actual, answer, count in confusion.listed_cells(confusion.counts)
        }
        assert found == expected
    agreement = paired.agreement(*MODELS)
    hits = [sum(row[0] == row[column] for row in table) for column in (1, 2)]
    assert agreement.n11 + agreement.n01 == hits[0]
    assert agreement.n11 + agreement.n10 == hits[1]
    assert agreement.value == pytest.approx((hits[0] - hits[1]) / len(table))
    patterns, counts = paired.patterns()
    assert (patterns.T @ counts).tolist() == hits
