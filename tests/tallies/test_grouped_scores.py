from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import MergeError
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.labels import in_order

TOTAL = Scores(np.array([0.9, 0.5, 0.1]), np.array([2, 1, 0]), np.array([0, 1, 3]))


def grouped() -> GroupedScores:
    """p has the positives at 0.9 and a negative at 0.1, q the rest."""
    return GroupedScores(
        TOTAL,
        ("p", "q"),
        group=np.array([0, 1, 0, 1]),
        place=np.array([0, 1, 2, 2]),
        positives=np.array([2, 1, 0, 0]),
        negatives=np.array([0, 1, 1, 2]),
    )


def test_sums_over_every_groups_rows() -> None:
    found = grouped().per_group(np.array([1.0, 10.0, 100.0]), np.array([0.1, 0.2, 0.3]))
    assert found.tolist() == pytest.approx([2 * 1.0 + 0.3, 10.0 + 0.2 + 2 * 0.3])
    assert len(grouped()) == 2


def test_a_group_without_entries_has_nothing() -> None:
    found = replace(grouped(), keys=("p", "q", "r")).per_group(np.ones(3), np.ones(3))
    assert found.tolist() == [3.0, 4.0, 0.0]


def test_it_cannot_be_changed_and_the_callers_arrays_can() -> None:
    group = np.array([0, 1, 0, 1])
    found = replace(grouped(), group=group)
    group[0] = 1
    assert found.group.tolist() == [0, 1, 0, 1]
    for again in (found, pickle.loads(pickle.dumps(found))):
        assert again.keys == ("p", "q")
        assert again.total == TOTAL
        for array in (again.group, again.place, again.positives, again.negatives):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7


# --- added up --------------------------------------------------------------------------------------

Row = tuple[str, float, bool, int]
TABLES = st.lists(
    st.tuples(
        st.sampled_from("pqr"), st.sampled_from([0.1, 0.5, 0.9, -0.0, 0.0]), st.booleans(), st.integers(0, 3)
    ),
    max_size=12,
)


def counted(rows: list[Row]) -> GroupedScores:
    """Rows with whole weights, so that sums are exact."""
    names, score, positive, weight = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = np.array(score, float), np.array(positive, bool)
    weights = np.array(weight, np.int64)
    keys = in_order(names)
    group = np.array([keys.index(name) for name in names], np.int64)
    total = count_scores(*columns, weight=weights)
    return count_groups(total, *columns, weights, group, keys)


def by_hand(rows: list[Row]) -> dict[tuple[str, float], tuple[int, int]]:
    """What every group has at every score, row by row."""
    sides: tuple[Counter[tuple[str, float]], ...] = (Counter(), Counter())
    for name, score, positive, weight in rows:
        sides[0 if positive else 1][name, score + 0.0] += weight
    every = sides[0] | sides[1]
    return {key: (sides[0][key], sides[1][key]) for key, most in every.items() if most}


def told(groups: GroupedScores) -> dict[tuple[str, float], tuple[int, int]]:
    columns = groups.group, groups.place, groups.positives, groups.negatives
    rows = zip(*(column.tolist() for column in columns), strict=True)
    score = groups.total.score.tolist()
    return {(str(groups.keys[group]), score[place]): (up, down) for group, place, up, down in rows}


@settings(max_examples=60, deadline=None)
@given(TABLES, TABLES, TABLES)
def test_parts_added_are_the_whole(one: list[Row], two: list[Row], three: list[Row]) -> None:
    a, b, c = map(counted, (one, two, three))
    both = a + b
    assert both == counted(one + two)
    assert told(both) == by_hand(one + two)
    assert set(both.keys) == {name for name, _ in by_hand(one + two)}
    assert (a + b) + c == a + (b + c) == sum([a, b, c])
    assert b + a == both
    assert a + counted([]) == a == counted([]) + a


def test_entries_go_by_score_then_by_group() -> None:
    one_by_one = counted(
        [("q", 0.1, True, 1), ("p", 0.9, False, 1), ("q", 0.9, True, 2), ("p", 0.1, True, 1)]
    )
    again = one_by_one + counted([("p", 0.9, False, 1)])
    assert again.total.score.tolist() == [0.9, 0.1]
    assert again.place.tolist() == [0, 0, 1, 1]
    assert again.group.tolist() == [0, 1, 0, 1]
    assert again.negatives.tolist() == [2, 0, 0, 0]
    assert one_by_one.added_up() == one_by_one
    assert again != one_by_one
    assert again != "groups"


def test_a_group_that_is_a_number_and_one_that_is_a_word_do_not_match() -> None:
    words = counted([("p", 0.5, True, 1)])
    with pytest.raises(MergeError, match="groups are named by text on one side and by numbers"):
        words + replace(words, keys=(7,))
    with pytest.raises(TypeError):
        words + 1  # type: ignore[operator]
    fractions = replace(counted([("p", 0.5, True, 1), ("q", 0.9, True, 1)]), keys=("0.5", "7"))
    assert (replace(words, keys=(7,)) + fractions).keys == ("0.5", "7")
