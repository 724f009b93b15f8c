"""Arguments of splitters, checked where they are given."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tallymark.errors import OptionError

# Of the whole, what a product of floats may miss a whole number by: 0.07 * 100 is 7.000000000000001.
_ROUNDING = 1e-9
_PLAIN = 10
"""Shares with a denominator up to this are written as fractions."""


def whole(name: str, given: object, least: int, hint: str | None = None) -> int:
    """A whole number that is not too small."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise OptionError(f"{name} must be a whole number from {least} up; got {given!r}.", hint=hint)
    return int(given)


def part(name: str, given: object) -> float | int:
    """A share of the rows, or a number of rows."""
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and given >= 1:
        return int(given)
    if isinstance(given, float | np.floating | Fraction) and 0 < given < 1:
        return float(given)
    raise OptionError(f"{name} must be a share between 0 and 1, or a number of rows; got {given!r}.")


def rows_in(size: float | int, rows: int) -> int:
    """How many rows that is, a broken one counted as one more."""
    if isinstance(size, int):
        return size
    exact = size * rows
    near = round(exact)
    return near if abs(exact - near) <= _ROUNDING * rows else math.ceil(exact)


def share_in_words(size: float | int) -> str:
    """1/3 of the rows, 30% of the rows, 50 rows."""
    if isinstance(size, int):
        return f"{size:,} {'row' if size == 1 else 'rows'}"
    near = Fraction(size).limit_denominator(_PLAIN)
    plain = near.denominator % 2 and near.denominator % 5 and abs(near - Fraction(size)) < _ROUNDING
    return f"{near if plain else f'{100 * size:.4g}%'} of the rows"


def random_legacy(seed: int) -> np.random.RandomState:
    """The stream scikit-learn draws its folds from, so that the same seed gives the same folds."""
    if seed < 2**32:
        return np.random.RandomState(seed)
    return np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))


def stream(seed: int, *key: int) -> np.random.Generator:
    """A stream of its own for each part of the work."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
