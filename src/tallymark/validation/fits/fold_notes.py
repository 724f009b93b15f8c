"""What must be said of folds and of the fits in them, whoever made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.resampling.folds import Folds, Ints
from tallymark.resampling.grouping import TOO_RARE
from tallymark.resampling.pairs import ON_BOTH_SIDES
from tallymark.validation.data.data_set import DataSet

_SHOWN = 3
"""Kinds of errors and of warnings that are told."""


def said_of_folds(folds: Folds, data: DataSet) -> Iterator[str]:
    """The folds' own notes, unless findings say the same, and whether entities may be on both sides."""
    findings = (ON_BOTH_SIDES, TOO_RARE) if len(folds) > 1 else (ON_BOTH_SIDES,)
    yield from (note for note in folds.notes if not any(words in note for words in findings))
    if data.groups is None or np.size(data.groups) == data.rows:
        return
    codes = codes_of_groups(data)
    if any(_meet(codes[train], codes[test]) for train, test in folds):
        return  # which is a finding
    across = sum(bool(np.isin(codes[test], codes[train]).any()) for train, test in folds)
    if across:
        # Names in both columns may be of one kind, such as proteins, or of two that are numbered alike.
        yield (
            f"in {across:,} of {len(folds):,} folds entities of test rows are in the other column of "
            "training rows; if both columns name one kind of entity, results may be too good; "
            "--method pairs:COL,COL:symmetric (LeavePairsOut(symmetric=True)) keeps them apart."
        )


def codes_of_groups(data: DataSet) -> Ints:
    """Which of the distinct groups each row is of; of pairs two columns, with one code for one name."""
    groups = np.asarray(data.groups).reshape(data.rows, -1)
    return _codes(groups.ravel()).reshape(groups.shape)


def _codes(values: NDArray[Any]) -> Ints:
    """Which of the distinct values each is; of any type."""
    if values.dtype.kind in "biu":
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values.tolist()], np.int64)


def _meet(train: Ints, test: Ints) -> bool:
    """Whether a value of a column is on both sides."""
    return any(bool(np.isin(one, other).any()) for one, other in zip(test.T, train.T, strict=True))


def said_of_failures(failures: Sequence[str], fits: int) -> Iterator[str]:
    """How many fits failed, and of what; nothing when none did."""
    if not failures:
        return
    kinds = Counter(failure.rstrip(".:; ") for failure in failures)
    told = [why if len(kinds) == 1 else f"{why} ({times:,}x)" for why, times in kinds.most_common(_SHOWN)]
    yield f"{_some(len(failures), fits)} failed: {'; '.join((*told, *_others(kinds)))}."


def all_failed(failures: Sequence[str], remedy: str | None) -> InputError:
    """The error when no fit is left to say anything about; `remedy` is what may help."""
    many = "the one fit" if len(failures) == 1 else f"all {len(failures):,} fits"
    return InputError(f"{many} failed: {failures[0].rstrip('.:; ')}.", hint=remedy)


def said_of_warnings(said: Counter[str], fits: int) -> Iterator[str]:
    """What models warned of, the most frequent first, and in how many fits."""
    for text, times in said.most_common(_SHOWN):
        yield f"{text.rstrip('.:; ')} (in {_some(times, fits)})."
    for more in _others(said):
        yield f"{more} of warnings."


def _others(kinds: Counter[str]) -> Iterator[str]:
    rest = len(kinds) - _SHOWN
    if rest > 0:
        yield f"and {rest:,} other {'kind' if rest == 1 else 'kinds'}"


def _some(some: int, total: int) -> str:
    return "the one fit" if total == 1 else f"{some:,} of {total:,} fits"
