"""Counting scores, against a naive count in fractions and against numpy."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tallymark.intake import ranking
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intake.score_keys import _WORTH_A_THREAD, BLOCK, Code, sorted_keys
from tallymark.tallies import Scores

some = settings(max_examples=150, deadline=None)

TINY = 5e-324
HUGE = float(np.finfo(float).max)
# The corners of the number line: both zeros, subnormals, where the exponent changes, the ends.
CORNERS = [
    0.0,
    -0.0,
    TINY,
    -TINY,
    1e-310,
    2.2250738585072014e-308,
    1e-30,
    0.1,
    0.5,
    1.0,
    1.5,
    2.0,
    10.0,
    HUGE,
]
NUMBERS = st.sampled_from([*CORNERS, *(-x for x in CORNERS)]) | st.floats(
    allow_nan=False, allow_infinity=False
)
PROBABILITIES = st.sampled_from([0.0, -0.0, 0.1, 0.3, 0.5, 0.1 + 0.2, 1.0]) | st.floats(0, 1)


def rows_of(score: st.SearchStrategy[float], *more: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.tuples(score, st.booleans(), *more), min_size=1, max_size=40)


def columns(rows: list[Any]) -> list[NDArray[Any]]:
    return [np.array(column) for column in zip(*rows, strict=True)]


def naive(
    score: NDArray[Any], positive: NDArray[np.bool_], weight: NDArray[Any] | None = None
) -> list[tuple[float, Fraction, Fraction]]:
    """Score, positives, negatives, best first, row by row."""
    found: dict[float, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    amounts = [1] * len(score) if weight is None else weight.tolist()
    for value, hit, amount in zip(score.tolist(), positive.tolist(), amounts, strict=True):
        if amount:
            found[value][0 if hit else 1] += Fraction(amount)
    return [(value, *found[value]) for value in sorted(found, reverse=True)]


def entries(tally: Scores) -> list[tuple[float, float, float]]:
    sides = tally.score.tolist(), tally.positives.tolist(), tally.negatives.tolist()
    return list(zip(*sides, strict=True))


def assert_counted(score: NDArray[Any], positive: NDArray[np.bool_]) -> Scores:
    before = score.copy(), positive.copy()
    tally = count_scores(score, positive)
    assert entries(tally) == naive(score, positive)
    assert tally.positives.dtype == tally.negatives.dtype == np.int64
    assert not np.signbit(tally.score[tally.score == 0]).any()
    assert tally.rows == len(score)
    assert tally.squares is None
    assert score.tobytes() == before[0].tobytes()
    np.testing.assert_array_equal(positive, before[1])
    assert score.flags.writeable
    return tally


# --- without weights -------------------------------------------------------------------------------


@some
@given(rows_of(PROBABILITIES))
@example([(0.5, True)])
@example([(-0.0, True), (0.0, False)])
@example([(1.0, True), (1.0, True)])
def test_probabilities(rows: list[Any]) -> None:
    assert_counted(*columns(rows))


@some
@given(rows_of(NUMBERS))
@example([(2.0, True), (float(np.nextafter(2, 0)), False), (float(np.nextafter(2, 3)), True)])
@example([(-1.0, True), (-2.0, False)])
@example([(-1.0, True), (0.0, False), (1.0, True)])
@example([(HUGE, True), (-HUGE, True), (TINY, False), (-TINY, False)])
@example([(HUGE, True), (-HUGE, True), (0.0, False), (-TINY, False)])
def test_any_numbers(rows: list[Any]) -> None:
    assert_counted(*columns(rows))


@some
@given(rows_of(st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_scores_of_32_bits_are_exact(rows: list[Any]) -> None:
    score, positive = columns(rows)
    assert_counted(score, positive)
    narrow = assert_counted(score.astype(np.float32), positive)
    assert narrow == count_scores(score, positive)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.float16, np.dtype(">f8")])
def test_numbers_of_other_types(kind: Any) -> None:
    random = np.random.default_rng(0)
    assert_counted(random.integers(0, 100, 300).astype(kind), random.random(300) < 0.4)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("rows", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1, _WORTH_A_THREAD + 3])
def test_around_the_length_of_a_block(rows: int, share: float) -> None:
    random = np.random.default_rng(rows)
    positive = random.random(rows) < share
    for score in (
        random.random(rows),
        random.normal(size=rows),
        random.random(rows).round(3),
        random.random(rows).astype(np.float32),
        np.full(rows, 0.25),
        np.linspace(0, 1, rows).repeat(2)[:rows],
    ):
        tally = count_scores(score, positive)
        distinct, place = np.unique(score.astype(float), return_inverse=True)
        np.testing.assert_array_equal(tally.score, distinct[::-1])
        np.testing.assert_array_equal(
            tally.positives, np.bincount(place[positive], minlength=len(distinct))[::-1]
        )
        np.testing.assert_array_equal(
            tally.negatives, np.bincount(place[~positive], minlength=len(distinct))[::-1]
        )


def many_of(values: list[float]) -> NDArray[np.float64]:
    """As many rows as make a count without a sort worth while."""
    return np.random.default_rng(0).permutation(np.resize(np.array(values), BLOCK + len(values)))


@pytest.mark.parametrize(
    "values",
    [
        [0.0, -0.0, 1.0],
        [k / 1_000 for k in range(1_001)],
        [k / 100 for k in range(250)],
        [k * 0.1 for k in range(11)],  # 0.30000000000000004 is no decimal
        [k / 10_000 for k in range(0, 10_001, 7)],
        [k / 100_000 for k in range(0, 100_001, 77)],
        [float(k) for k in range(101)],
        [16_383.0, 3.0],
        [16_384.0, 3.0],
        [-0.25, 0.25, 0.5],
        [1.0, 1.0, HUGE],
        [0.5, TINY],
    ],
)
def test_scores_of_few_decimals(values: list[float]) -> None:
    score = many_of(values)
    assert_counted(score, np.random.default_rng(1).random(len(score)) < 0.3)


@pytest.mark.parametrize("stray", [0.1234567, -0.5, 0.1 + 0.2, HUGE, -HUGE])
def test_one_score_of_many_decimals_among_those_of_few(stray: float) -> None:
    score = many_of([0.1, 0.25, 0.3])
    score[-1] = stray
    tally = assert_counted(score, np.arange(len(score)) % 3 == 0)
    assert stray in tally.score


def test_columns_need_not_lie_side_by_side_in_memory() -> None:
    table = np.random.default_rng(0).random((200, 3)).round(1)
    assert_counted(table[:, 1], table[:, 0] < 0.5)
    assert_counted(table[::-3, 1], table[::-3, 0] < 0.5)


def test_read_only_rows() -> None:
    score, positive = np.array([0.2, 0.7]), np.array([True, False])
    for column in (score, positive):
        column.flags.writeable = False
    assert entries(count_scores(score, positive)) == [(0.7, 0, 1), (0.2, 1, 0)]


def test_no_rows() -> None:
    tally = count_scores(np.empty(0), np.empty(0, np.bool_))
    assert tally == Scores.empty()
    assert (tally.rows, tally.n, tally.pairs) == (0, 0, 0)


def test_what_else_is_known_is_kept() -> None:
    for weight in (None, np.array([2.0])):
        tally = count_scores(
            np.array([0.5]), np.array([True]), weight=weight, positive="yes", dropped={"missing_score": 3}
        )
        assert (tally.positive, dict(tally.dropped)) == ("yes", {"missing_score": 3})


# --- codes ------------------------------------------------------------------------------------------


@some
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_codes_keep_the_order_and_come_back(values: list[float]) -> None:
    score = np.array(values)
    code = Code.of(score)
    if code.kind is None:
        return
    keys = code.keys(score, np.ones(len(score), np.bool_))
    assert (keys & 1).all()
    np.testing.assert_array_equal(code.scores(np.sort(keys)), np.sort(score)[::-1])
    assert [code.scores(keys[[at]])[0] for at in range(len(keys))] == values
    assert int((keys >> np.uint64(1)).max()) < code.size


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.linspace(0, 1, 7), np.uint64),
        ([0.0, 0.25, 0.5, 1.0, 3.0], np.uint32),
        (np.linspace(0, 1, 7, dtype=np.float32), np.uint32),
        ([-10.0, -1e-12, 0.0, 1e-12, 0.1, 10.0], np.uint64),
        ([0.0, TINY, 0.1, HUGE], np.uint64),
        ([-HUGE, -0.1, -TINY, 0.0], np.uint64),
        ([-HUGE, -TINY, TINY, HUGE], None),
    ],
)
def test_how_wide_a_key_is(values: Any, kind: Any) -> None:
    assert Code.of(np.array(values, float)).kind is kind


def test_keys_go_from_the_best_score_down_and_negatives_first() -> None:
    score, positive = np.array([0.5, 0.9, 0.5, -1.0]), np.array([True, False, False, True])
    code = Code.of(score)
    keys = sorted_keys(code, score, positive)
    assert code.scores(keys).tolist() == [0.9, 0.5, 0.5, -1.0]
    assert (keys & 1).tolist() == [0, 0, 1, 1]


# --- with weights -----------------------------------------------------------------------------------


@some
@given(rows_of(NUMBERS, st.integers(0, 5)))
def test_whole_weights_stay_whole(rows: list[Any]) -> None:
    score, positive, weight = columns(rows)
    tally = count_scores(score, positive, weight=weight)
    assert entries(tally) == naive(score, positive, weight)
    assert not np.signbit(tally.score[tally.score == 0]).any()
    assert tally.positives.dtype == tally.negatives.dtype == np.int64
    assert tally.rows == int((weight > 0).sum())
    if tally.rows:
        assert tally.squares is not None
        assert [side.dtype for side in tally.squares] == [np.int64, np.int64]
        squared = [(a, *map(int, b)) for a, *b in naive(score, positive, weight**2)]
        assert (
            list(zip(tally.score.tolist(), *(side.tolist() for side in tally.squares), strict=True))
            == squared
        )
    frequencies = count_scores(score, positive, weight=weight, weight_kind="frequency")
    assert frequencies == count_scores(np.repeat(score, weight), np.repeat(positive, weight))


@some
@given(rows_of(NUMBERS, st.sampled_from([0.0, 0.1, 0.5, 3.25, 1e9]) | st.floats(1e-6, 1e6)))
def test_weights_are_added_up(rows: list[Any]) -> None:
    score, positive, weight = columns(rows)
    tally = count_scores(score, positive, weight=weight)
    expected = naive(score, positive, weight)
    assert tally.score.tolist() == [value for value, *_ in expected]
    for at, side in ((1, tally.positives), (2, tally.negatives)):
        np.testing.assert_allclose(side, [float(each[at]) for each in expected], rtol=1e-15)
    assert tally.rows == int((weight > 0).sum())


def test_many_weights_at_one_score_are_added_to_the_last_digit() -> None:
    """A running total of a million tenths is off in the 12th digit; the sum is 100,000 (and 10,000)."""
    many = 1_000_000
    tally = count_scores(np.full(many, 0.5), np.ones(many, np.bool_), weight=np.full(many, 0.1))
    assert tally.positives[0] == pytest.approx(100_000, rel=1e-15)
    assert tally.squares is not None
    assert tally.squares[0][0] == pytest.approx(10_000, rel=1e-15)
    assert abs(np.cumsum(np.full(many, 0.1))[-1] - 100_000) > 1e-7


def test_squares_too_large_for_whole_numbers_are_floats() -> None:
    weight = np.array([2**40, 3])
    tally = count_scores(np.array([0.1, 0.2]), np.array([True, False]), weight=weight)
    assert tally.positives.tolist() == [0, 2**40]
    assert tally.squares is not None
    assert tally.squares[0].tolist() == [0.0, 2.0**80]


def test_scores_that_fit_no_key_are_counted_all_the_same() -> None:
    score = np.array([HUGE, -HUGE, TINY, -TINY, TINY, 0.0, -0.0])
    assert Code.of(score).kind is None
    assert_counted(score, np.array([True, False, True, False, False, True, False]))


# --- groups -----------------------------------------------------------------------------------------


def assert_grouped(
    score: NDArray[Any],
    positive: NDArray[np.bool_],
    weight: NDArray[Any] | None,
    group: NDArray[Any],
    keys: int,
) -> None:
    total = count_scores(score, positive, weight=weight)
    names = tuple(f"g{k}" for k in range(keys))
    found = count_groups(total, score, positive, weight, group, names)
    assert found.total is total
    here = [k for k in range(keys) if weight is None or weight[group == k].any()]
    assert found.keys == tuple(names[k] for k in here)
    for at, k in enumerate(here):
        rows, mine = group == k, found.group == at
        cells: dict[float, list[float]] = defaultdict(lambda: [0, 0])
        for place, hit, miss in zip(
            found.place[mine], found.positives[mine], found.negatives[mine], strict=True
        ):
            cells[total.score[place]][0] += hit
            cells[total.score[place]][1] += miss
        expected = naive(score[rows], positive[rows], None if weight is None else weight[rows])
        assert sorted(cells, reverse=True) == [value for value, *_ in expected]
        for value, hit, miss in expected:
            assert cells[value] == pytest.approx([float(hit), float(miss)], rel=1e-14)


@some
@given(rows_of(NUMBERS, st.integers(0, 3), st.sampled_from([0.0, 0.1, 0.7, 2.0])))
def test_groups_are_a_naive_count_of_their_rows(rows: list[Any]) -> None:
    score, positive, group, weight = columns(rows)
    used, group = np.unique(group, return_inverse=True)
    assert_grouped(score, positive, None, group, len(used))
    if weight.any():
        assert_grouped(score, positive, weight, group, len(used))
        assert_grouped(score, positive, (weight * 10).astype(np.int64), group, len(used))


def test_rows_of_a_group_with_the_same_score_are_one_entry_where_that_saves_room() -> None:
    random = np.random.default_rng(0)
    score, positive = random.integers(0, 5, 1_000) / 4, random.random(1_000) < 0.5
    group = random.integers(0, 3, 1_000)
    found = count_groups(count_scores(score, positive), score, positive, None, group, ("a", "b", "c"))
    assert len(found.group) == 15
    assert_grouped(score, positive, None, group, 3)


def test_the_groups_of_the_caller_stay_the_callers() -> None:
    score, positive, group = np.array([0.3, 0.6]), np.array([True, False]), np.array([1, 0])
    found = count_groups(count_scores(score, positive), score, positive, None, group, ("a", "b"))
    group[:] = 0
    positive[:] = False
    assert found.group.tolist() == [0, 1]
    assert (found.positives.tolist(), found.negatives.tolist()) == ([0, 1], [1, 0])


# --- memory -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("weighted", "most"), [(False, 3.2), (True, 4.0)])
def test_memory_against_the_input(weighted: bool, most: float) -> None:
    """All scores differ: the tally itself is then three numbers per row (with weights, five)."""
    random = np.random.default_rng(0)
    rows = 2_000_000
    score, positive = random.random(rows), random.random(rows) < 0.1
    weight = random.random(rows) if weighted else None
    given_ = score.nbytes + positive.nbytes + (weight.nbytes if weight is not None else 0)
    tracemalloc.start()
    tally = ranking.count_scores(score, positive, weight=weight)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(tally.score) == rows
    assert peak < most * given_
