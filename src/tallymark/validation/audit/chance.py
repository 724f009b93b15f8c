"""Whether rows that are equal may be so by chance: coarse values make them, copying makes others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallymark.resampling.folds import Ints
from tallymark.validation.audit.free import COARSE, free_columns
from tallymark.validation.audit.marks import Bits, Marks, is_free_text, match_in, pairs_in, with_classes
from tallymark.validation.data.data_set import DataSet

_TIMES = 5
"""How many times as many pairs of equal rows as chance makes cannot be chance."""
_NEAR = 0.1
"""Near copies for every copy, from which on both come from coarse values."""
_FEWEST = 2
"""Free columns of many values: with fewer, equal rows are equal values."""
_ALIKE = 0.9
"""The share of repeated rows that are there as often, from which on they were repeated on purpose."""
_SAMPLE = 20_000
"""Rows of a class by which the chance of equal values is judged."""
_CELLS, _COLUMNS = 10_000_000, 8
"""Values that near copies are looked for in, in some of the columns where all are more; at least so many."""


@dataclass(frozen=True)
class Chance:
    """How many pairs of equal rows there are, and how many there would be by chance."""

    pairs: int
    expected: float
    """If columns that do not follow from others were independent within a class."""
    natural: bool
    """Whether equal rows are to be expected of values as coarse as these."""


def chance_of(data: DataSet, marks: Marks, classes: Sequence[int] | None = None) -> Chance:
    """Whether equal rows stand out, of all classes or some.

    Columns that go with each other make more equal rows than chance. They make rows that are equal but for
    one column as well, which copying does not; unless one follows from others, and is left out.
    """
    both = with_classes(marks.rows, data.actual)
    wanted = range(len(data.labels)) if classes is None else classes
    members = [np.flatnonzero(data.actual == place) for place in wanted]
    rows = np.concatenate(members)
    pairs = pairs_in(both[rows])
    expected = _expected(marks, both, members)
    natural = (
        pairs < _TIMES * expected
        or (len(marks.columns) > 0 and _near(both, marks, rows, pairs) >= _NEAR * pairs)
        or (classes is None and all(_are_measured_again(both[rows]) for rows in members))
    )
    return Chance(pairs, expected, natural)


def _expected(marks: Marks, both: Bits, members: list[Ints]) -> float:
    """Pairs that chance makes; of a class with too few free columns of many values, as many as there are."""
    among = np.array([len(rows) * (len(rows) - 1) / 2 for rows in members])
    if marks.match is not None:
        return float(marks.match * among.sum())
    if any(map(is_free_text, marks.columns)):
        return 0.0
    kinds = [_thinned(rows[np.unique(both[rows], return_index=True)[1]]) for rows in members]
    some = [_thinned(rows) for rows in members]
    matches, fine = np.ones(len(members)), np.zeros(len(members), int)
    for place in free_columns(marks, _thinned(np.unique(both, return_index=True)[1])):
        mine = marks.of_column(place)
        # Of every kind of row one: whether a column is coarse must not be told by the copies.
        many = np.array([match_in(mine[rows]) < COARSE for rows in kinds])
        matches *= np.where(many, [match_in(mine[rows]) for rows in some], 1.0)
        fine += many
    there = np.array([pairs_in(both[rows]) for rows in members])
    return float(np.where(fine >= _FEWEST, among * matches, there).sum())


def _are_measured_again(marks: Bits) -> bool:
    """Whether most repeated rows are there three times or more, some more often than others.

    So are things that are measured again. Pasting makes pairs, or as many of each row.
    """
    times = np.unique(marks, return_counts=True)[1]
    times = times[times > 1]
    if not len(times):
        return False
    return bool((times > 2).mean() >= 1 / 2 and np.bincount(times).max() < _ALIKE * len(times))


def _thinned(rows: Ints) -> Ints:
    return rows[:: max(1, len(rows) // _SAMPLE)]


def _near(both: Bits, marks: Marks, rows: Ints, pairs: int) -> float:
    """Pairs that differ in one column only; in a column of hardly any equal values they say little."""
    columns = len(marks.columns)
    looked_at = min(columns, max(_COLUMNS, _CELLS // len(both)))
    kinds = _thinned(rows[np.unique(both[rows], return_index=True)[1]])
    found = 0.0
    for place in np.linspace(0, columns - 1, looked_at).astype(int).tolist():
        mine = marks.of_column(place)
        weight = min(1.0, match_in(mine[kinds]) / COARSE)
        found += weight * (pairs_in((both - mine)[rows]) - pairs) if weight else 0.0
    return found * columns / looked_at
