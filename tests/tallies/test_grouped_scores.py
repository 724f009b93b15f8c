from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from tallymark.tallies import GroupedScores, Scores

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
