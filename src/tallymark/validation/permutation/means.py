"""What the fits of one permutation are worth, and which are as good as the real one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.resampling.folds import Folds
from tallymark.validation.fits.fitting import Fit
from tallymark.validation.fits.scoring import Scorer

# Means of folds are sums of shares: what differs by less is the same result.
_NOISE = 1e-9


class Mean(NamedTuple):
    """Of the folds of one permutation; undefined when it is in one of them."""

    value: float | None
    why: str | None
    failures: tuple[str, ...]
    """Errors of the fits that raised one."""


def mean_of(fits: Iterator[Fit], scorer: Scorer, folds: Folds) -> Mean:
    """What the next fits, one for each fold, are worth."""
    values, whys, failures = [], [], []
    for fold, made in zip(folds.folds, islice(fits, len(folds)), strict=True):
        found = scorer.of(fold.test, made)
        if found.value is None:
            whys.append(made.note or found.why or "undefined")
        else:
            values.append(found.value)
        failures += [] if made.failure is None else [made.failure]
    mean = None if whys else float(np.mean(values))
    return Mean(mean, whys[0] if whys else None, tuple(failures))


def ahead(value: float, permuted: NDArray[np.float64], *, higher: bool) -> NDArray[np.float64]:
    """By how much permuted results are better than the real one: 0 where they are the same, NaN where there
    is none."""
    found = permuted - value if higher else value - permuted
    found[np.abs(found) <= _NOISE * max(1.0, abs(value))] = 0.0
    return found


def is_as_good(value: float, mean: Mean, *, higher: bool) -> bool:
    """Whether one permutation is at least as good as the real classes; taken to be where it is undefined."""
    found = ahead(value, np.array([np.nan if mean.value is None else mean.value]), higher=higher)
    return not found[0] < 0


def p_value(ahead: NDArray[np.float64]) -> float:
    """(b + 1) / (m + 1): the real classes are one of the orders that chance could have given.

    Results that are the same, and undefined ones, are among the b that are at least as good.

    >>> p_value(np.array([-0.1, -0.2, 0.0, np.nan]))
    0.6
    """
    return (int((~(ahead < 0)).sum()) + 1) / (len(ahead) + 1)
