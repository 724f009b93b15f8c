"""The predictions of several models for the same rows, counted together."""

import numpy as np
import pytest

import tallymark as tm
from collected import each
from hand_counts import paired_of
from scored import classes, refusals
from tallymark.tallies import Agreement, GroupedPaired

ACTUAL = [0, 0, 0, 1, 1, 2, 2, 2]
FIRST = [0, 0, 1, 1, 0, 2, 2, 1]
SECOND = [0, 1, 1, 1, 1, 2, 0, 0]
THREE = paired_of("abc", ("one", "two", "right"), ACTUAL, FIRST, SECOND, ACTUAL)


def test_combinations_are_in_order_and_counted() -> None:
    rows = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1], [2, 1, 0], [2, 2, 0], [2, 2, 2]]
    pair = paired_of("abc", ("one", "two"), ACTUAL, FIRST, SECOND)
    assert (pair.cells.tolist(), pair.counts.tolist()) == (rows, [1] * 8)
    assert (pair.n, pair.rows, pair.effective_n) == (8, 8, 8)
    twice = paired_of("abc", ("one", "two"), *(2 * side for side in (ACTUAL, FIRST, SECOND)))
    assert twice == pair + pair
    assert sum([THREE, THREE]).n == 16


def test_the_confusion_of_a_model_is_what_counting_it_alone_gives() -> None:
    found = THREE.confusion("two")
    assert (found.matrix.tolist(), found.labels) == ([[1, 2, 0], [0, 2, 0], [2, 0, 1]], ("a", "b", "c"))
    assert isinstance(found, tm.Confusion)


def test_agreement_counts_who_is_right() -> None:
    # Row by row: both, one only, none, both, two only, both, one only, none.
    found = THREE.agreement("one", "two")
    assert found == Agreement(n00=2, n01=2, n10=1, n11=3)
    assert (found.n, found.value) == (8, 1 / 8)
    assert THREE.agreement("two", "one") == Agreement(n00=2, n01=1, n10=2, n11=3)
    assert THREE.disagreements("one", "two") == 4  # the last row is wrong in both, in two ways
    assert Agreement(0, 0, 0, 0).value is None
    patterns, counts = THREE.patterns()
    found = dict(zip(map(tuple, patterns.tolist()), counts.tolist(), strict=True))
    assert found == {(0, 0, 1): 2, (0, 1, 1): 1, (1, 0, 1): 2, (1, 1, 1): 3}


def test_rows_split_by_two_things_at_once() -> None:
    pair = paired_of("abc", ("one", "two"), ACTUAL, FIRST, SECOND)
    is_a, says_a = pair.cells[:, 0] == 0, pair.cells[:, 1] == 0
    found = pair.split(is_a, says_a)
    assert (found.n00, found.n01, found.n10, found.n11) == (4, 1, 1, 2)
    assert pair.split(is_a, says_a, among=pair.cells[:, 2] == 1).n == 4


def test_a_pair_of_the_models() -> None:
    assert THREE.pair("right", "one") == paired_of("abc", ("right", "one"), ACTUAL, ACTUAL, FIRST)


def test_what_is_no_pair_of_models(snapshot) -> None:
    calls = {"another model": lambda: THREE.pair("right", "tree")}
    calls["equal names"] = lambda: paired_of("abc", ("one", "one"), ACTUAL, FIRST, SECOND)
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"OptionError"}
    weighted = paired_of("abc", ("one",), ACTUAL, FIRST, weight=[0.5] * 8)
    snapshot("tallies_of_models", refused | {"three models": repr(THREE), "weights": repr(weighted)})


def test_weights_are_added_and_so_are_their_squares() -> None:
    weight = [1.0, 2.0, 0.0, 0.5, 1.0, 1.0, 3.0, 1.0]
    pair = paired_of("abc", ("one", "two"), ACTUAL, FIRST, SECOND, weight=weight)
    assert [0, 1, 1] not in pair.cells.tolist()
    assert (pair.n, pair.rows) == (9.5, 7)
    assert pair.effective_n == pytest.approx(9.5**2 / (1 + 4 + 0.25 + 1 + 1 + 9 + 1))
    found = pair.agreement("one", "two")
    assert (found.n00, found.n01, found.n10, found.n11) == (1.0, 5.0, 1.0, 2.5)
    assert found.squares == (1.0, 13.0, 1.0, 2.25)
    # Rows with one right prediction in units of their own weight: (6 + 1.8158) / (14 + 1.8158**2) each.
    usual = 17.25 / 9.5
    factor = (6 + usual) / (14 + usual**2)
    assert (found.effective.n01, found.effective.n10) == pytest.approx((5 * factor, factor))
    equal = paired_of("abc", ("one", "two"), ACTUAL, FIRST, SECOND, weight=[0.25] * 8)
    effective = equal.agreement("one", "two").effective
    assert (effective.n00, effective.n01, effective.n10, effective.n11) == pytest.approx((2, 2, 1, 3))
    assert (pair + pair).squares.sum() == pytest.approx(2 * 17.25)


def test_groups_of_both_sides_are_joined() -> None:
    total = paired_of("abc", ("one", "two", "right"), ACTUAL, FIRST, SECOND, ACTUAL)
    group = np.array([0, 0, 1, 1, 1, 2, 2, 2])  # the rows are all different, and in order but for two
    rows = zip(ACTUAL, FIRST, SECOND, ACTUAL, strict=True)
    places = [total.cells.tolist().index(list(row)) for row in rows]
    grouped = GroupedPaired(total, ("p", "q", "r"), group, np.array(places), np.ones(8, int))
    assert len(grouped) == 3
    assert np.bincount(grouped.group, grouped.counts).tolist() == [2, 3, 3]
    pair = grouped.pair("two", "one")
    assert pair.total == total.pair("two", "one")
    assert np.bincount(pair.entry, pair.counts).tolist() == pair.total.counts.tolist()
    one, two = paired_of("ac", ("one",), [0, 1], [0, 0]), paired_of("bc", ("one",), [0, 1], [0, 1])
    sides = [
        GroupedPaired(side, keys, np.array([0, 1]), np.array([0, 1]), np.ones(2, int))
        for side, keys in ((one, ("p", "q")), (two, ("q", "s")))
    ]
    both = sides[0] + sides[1]
    # By name: p has (a, a), q has (c, a) and (b, b), s has (c, c).
    entries = zip(both.group, both.entry, both.counts.tolist(), strict=True)
    found = {(both.keys[g], *both.total.cells[e].tolist()): n for g, e, n in entries}
    assert found == {("p", 0, 0): 1, ("q", 2, 0): 1, ("q", 1, 1): 1, ("s", 2, 2): 1}
    assert both == sides[1] + sides[0]
    assert sum(sides) == both
    light = GroupedPaired(one, ("p", "q", "r"), np.array([0, 1, 2]), np.array([0, 1, 1]), np.array([1, 1, 0]))
    assert light.keys == ("p", "q")


@each(("size", "models"), [(41, 2), (1_000, 2), (300, 9)])
def test_more_combinations_than_a_table_or_64_bits_hold(size, models) -> None:
    generator = np.random.default_rng(size)
    rows = generator.integers(0, size, (200, models + 1))[generator.integers(0, 200, 1_000)]
    names = [f"model {each}" for each in range(models)]
    weight = generator.integers(1, 4, 1_000)
    plain = tm.Paired.from_cells(range(size), names, rows, np.ones(1_000, int))
    weighted = tm.Paired.from_cells(range(size), names, rows, weight, squares=weight**2, rows=1_000)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    for pair in (plain, weighted):
        assert np.array_equal(pair.cells, distinct)
    assert plain.counts.tolist() == counts.tolist()
    assert (weighted.n, weighted.squares.sum()) == (weight.sum(), (weight**2).sum())
    assert plain + plain == tm.Paired.from_cells(range(size), names, distinct, 2 * counts)


def test_no_rows() -> None:
    nothing = paired_of("abc", ("one", "two"), [], [], [])
    assert (nothing.n, nothing.rows, nothing.effective_n) == (0, 0, 0)
    assert nothing.patterns()[0].shape == (0, 2)
    assert nothing.confusion("one").n == 0
