"""Columns that other columns do not tell: totals, powers, products and levels are no evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import TallymarkError
from tallymark.validation.audit.marks import Marks, match_in
from tallymark.validation.learners.features import Features

Floats = NDArray[np.float64]
COARSE = 0.1
"""The share of pairs with equal values from which on a column is coarse."""
_LEFT = 1e-3
"""The share of a column's variance that rounding may leave where others tell the column."""
_MOST, _SAMPLE = 50, 1_000
"""Columns looked at, evenly spread where there are more; rows by which they are judged."""
_GAPS = 0.1
"""The share of missing values from which on they are filled, so that other columns keep their rows."""


def free_columns(marks: Marks, kinds: NDArray[np.int64]) -> list[int]:
    """Places of columns that do not follow from coarser ones; `kinds` are rows that are all different."""
    every = len(marks.columns)
    places = np.unique(np.linspace(0, every - 1, min(every, _MOST)).astype(int)).tolist()
    matches = {place: match_in(marks.of_column(place)[kinds]) for place in places}
    rows = kinds[:: max(1, len(kinds) // _SAMPLE)]
    numbers = _numbers(marks, places, rows)
    told = _Told(len(next(iter(numbers.values()), rows)))
    free: list[int] = []
    fine: list[int] = []
    for place in sorted(places, key=lambda place: -matches[place]):
        coarse = matches[place] >= COARSE
        if place in numbers:
            follows = not told.adds(numbers[place], coarse=coarse)
        else:
            follows = not coarse and any(_go_together(marks, place, other) for other in fine)
        if not follows:
            free.append(place)
            fine += [] if coarse else [place]
    return free


def _go_together(marks: Marks, name: int, other: int) -> bool:
    """Whether each value of one column goes with one of the other, as codes and names of the same do."""
    mine, others = marks.of_column(name), marks.of_column(other)
    different = max(len(np.unique(mine)), len(np.unique(others)))
    return len(np.unique(mine + others)) == different


def _numbers(marks: Marks, places: list[int], rows: NDArray[np.int64]) -> dict[int, Floats]:
    """Columns of numbers, of the rows that miss none of those with few gaps."""
    features = Features(marks.columns)
    found: dict[int, Floats] = {}
    for place in places:
        try:
            if features.kind(place) == "number":
                found[place] = features.numbers([place])[rows, 0]
        except TallymarkError:  # neither numbers nor names
            continue
    there = {place: np.isfinite(values) for place, values in found.items()}
    whole = [place for place, known in there.items() if known.mean() > 1 - _GAPS]
    complete = np.all([there[place] for place in whole], axis=0) if whole else np.ones(len(rows), bool)
    return {place: _filled(values[complete]) for place, values in found.items() if there[place].any()}


def _filled(values: Floats) -> Floats:
    known = np.isfinite(values)
    return (
        values if known.all() else np.where(known, values, np.median(values[known]) if known.any() else 0.0)
    )


class _Told:
    """What the columns so far can tell of another: sums of their values, powers and logarithms."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._basis = np.full((rows, 1), 1 / np.sqrt(max(1, rows)))

    def adds(self, values: Floats, *, coarse: bool) -> bool:
        """Whether a column is not among it; then it is from now on."""
        if self._basis.shape[1] > self._rows / 2:
            return False  # with as many forms as rows anything can be told
        value = values / (np.abs(values).max() or 1.0)
        forms = [value] if coarse else _forms(value)
        if any(self._left(form)[1] <= _LEFT for form in forms):
            return False
        # The cube only tells of others: by itself it is what the greatest value is.
        for form in forms if coarse else [*forms, value**3]:
            rest, share = self._left(form)
            if share > _LEFT**2:
                self._basis = np.column_stack((self._basis, rest / np.linalg.norm(rest)))
        return True

    def _left(self, values: Floats) -> tuple[Floats, float]:
        """What the columns so far do not tell, and its share of the variance."""
        centred = values - values.mean()
        size = float(np.linalg.norm(centred))
        if not size:
            return centred, 0.0
        rest = centred / size
        for _ in range(2):  # the second time for what rounding left
            rest = rest - self._basis @ (self._basis.T @ rest)
        return rest, float(rest @ rest)


def _forms(values: Floats) -> list[Floats]:
    """Powers and products are sums of logarithms; a cosine's square is one of the sine's."""
    forms = [values, values**2]
    return forms if (values == 0).any() else [*forms, np.log(np.abs(values))]
