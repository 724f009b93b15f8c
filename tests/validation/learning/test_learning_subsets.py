"""Nested subsets: laws that hold for any classes and groups."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.validation.learning.subsets import nested

NO_TEST = np.empty(0, np.int64)


def made(actual, groups=None, seed=0):
    actual = np.asarray(actual)
    return nested(np.arange(len(actual)), NO_TEST, actual, groups, np.random.default_rng(seed))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_every_beginning_has_the_class_shares_to_within_one_row(counts, seed):
    actual = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    order = made(actual, seed=seed).order
    assert sorted(order) == list(range(len(actual)))
    so_far = np.cumsum(actual[order][:, None] == np.arange(len(counts)), axis=0)
    fair = np.arange(1, len(actual) + 1)[:, None] * np.array(counts) / len(actual)
    assert np.abs(so_far - fair).max() < 1


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_with_groups_every_subset_has_whole_groups_nearest_to_its_size(groups, seed):
    groups = np.array(groups)
    part = made(groups % 2, groups, seed)
    ends = {0}
    for size in range(1, len(groups) + 1):
        rows = part.rows(size)
        inside = np.unique(groups[rows])
        assert len(rows) == np.isin(groups, inside).sum()
        ends.add(len(rows))
    for size in range(1, len(groups) + 1):
        assert abs(len(part.rows(size)) - size) == min(abs(end - size) for end in ends - {0})


def test_smaller_subsets_are_contained_in_larger_ones():
    for part in (made([0, 1, 1, 2] * 10), made([0, 1] * 20, np.repeat(np.arange(10), 4))):
        sizes = [set(part.rows(size).tolist()) for size in range(1, 41)]
        assert all(small <= large for small, large in pairwise(sizes))
        assert part.rows(1, whole=True).tolist() == part.order.tolist()


def test_the_shortest_beginning_with_two_classes():
    # One row in ten is of the other class; half a row is due after five, and the row comes then or next.
    assert made([0] * 90 + [1] * 10).least in (5, 6)
    assert made([0, 1]).least == 2
    assert made([0, 0, 0]).least == 1
    # The second class begins with the second group, and a subset ends behind a group.
    part = made([0, 0, 0, 1, 1], np.array([1, 1, 1, 2, 2]))
    assert part.least == 5


def test_rows_of_a_bootstrap_stay_as_often_as_drawn():
    train = np.array([3, 3, 0, 1, 1, 1])
    part = nested(train, NO_TEST, np.array([0, 1, 0, 0]), None, np.random.default_rng(0))
    assert sorted(part.order) == sorted(train)


def test_the_order_is_by_chance_and_the_same_for_the_same_stream():
    actual = np.zeros(50, int)
    assert made(actual, seed=1).order.tolist() == made(actual, seed=1).order.tolist()
    assert made(actual, seed=1).order.tolist() != made(actual, seed=2).order.tolist()
