"""Classes, groups and entities as codes: what rows have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MissingValueError, OptionError, ShapeError
from tallymark.intake.columns import array_places, is_missing
from tallymark.resampling.folds import Ints
from tallymark.tallies.labels import quoted

_FEW = 3
"""Rare classes that a note names."""
_SHORT = 2**15
TOO_RARE = "too rare to be tested on"
"""What notes on classes that are not tested on everywhere have in common."""


@dataclass(frozen=True, eq=False)
class Coded:
    """Which of the distinct values each row has."""

    codes: Ints
    names: Sequence[Any]
    """In ascending order; as they come first where they have none."""

    @property
    def counts(self) -> Ints:
        return np.bincount(self.codes, minlength=len(self.names))


@dataclass(frozen=True, eq=False)
class Strata:
    """Classes to have the same shares of everywhere; None where there is nothing to go by."""

    classes: Coded | None = None
    notes: tuple[str, ...] = ()


def coded(values: Any, what: str) -> Coded:
    """Codes of any values that can be told apart; a missing one is an error."""
    array = _column(values, what)
    if array.dtype.kind in "biufmM":
        missing = np.isnan(array) if array.dtype.kind == "f" else None
        missing = np.isnat(array) if array.dtype.kind in "mM" else missing
        if missing is not None:
            _refuse_missing(missing, what)
        distinct, codes = np.unique(array, return_inverse=True)
        return Coded(codes, list(distinct) if array.dtype.kind in "mM" else distinct.tolist())
    seen: dict[Any, int] = {}
    try:
        first = [seen.setdefault(value, len(seen)) for value in array.tolist()]
    except TypeError:
        raise ShapeError(
            f"{what} must hold one plain value for each row, such as text or a number."
        ) from None
    names, codes = list(seen), np.array(first, np.int64)
    _refuse_missing(np.array([is_missing(name) for name in names], bool)[codes], what)
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # values of several types have no order
        return Coded(codes, names)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return Coded(place[codes], [names[index] for index in order])


def strata(y: Any, *, stratify: bool) -> Strata:
    """The classes, where folds are to have the same shares of each."""
    if y is None or not stratify:
        return Strata()
    shape = np.shape(y)
    if len(shape) == 2 and shape[1] > 1:
        return Strata(notes=(f"y has {shape[1]:,} columns, so nothing is stratified.",))
    classes = coded(y, "y")
    if any(isinstance(name, float) and not name.is_integer() for name in classes.names):
        return Strata(notes=("y holds numbers that are not whole, so nothing is stratified.",))
    return Strata(classes)


def grouped(groups: Any) -> Coded:
    """The groups, at least two."""
    shape = np.shape(groups)
    if len(shape) == 2 and shape[1] == 2:
        raise ShapeError(
            "groups has two columns; one group for each row is expected.",
            hint="for facts about pairs of entities, use LeavePairsOut.",
        )
    found = coded(groups, "groups")
    if len(found.names) == 1:
        raise OptionError(
            f"all rows are of one group, {quoted(found.names[0])}: none can be left out.",
            hint="to cut through it, leave out --group (groups=).",
        )
    return found


def members(codes: Ints, count: int) -> list[Ints]:
    """The rows of each code, ascending."""
    # numpy sorts short integers by their digits, in one pass.
    order = np.argsort(codes.astype(np.int16) if count < _SHORT else codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes, minlength=count))[:-1])


def crossed(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """How many rows have each pair of codes."""
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def too_rare(classes: Coded, lacking: NDArray[np.bool_], where: str) -> tuple[str, ...]:
    """A note on classes that are not tested on everywhere."""
    rare = np.flatnonzero(lacking)
    if not len(rare):
        return ()
    counts = classes.counts
    rare = rare[np.argsort(counts[rare], kind="stable")]
    told = [
        f"{quoted(classes.names[place])} ({counts[place]:,} {'row' if counts[place] == 1 else 'rows'})"
        for place in rare[:_FEW].tolist()
    ]
    if len(rare) == 1:
        return (f"class {told[0]} is {TOO_RARE}{where}.",)
    more = ", ..." if len(rare) > _FEW else ""
    return (f"{len(rare):,} classes are {TOO_RARE}{where}: {', '.join(told)}{more}.",)


def _column(values: Any, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
        if isinstance(values, list | tuple) and array.dtype.kind not in "biufmM":
            # As they are: numpy would write NaN beside text as the text "nan".
            array = np.asarray(values, dtype=object)
    except ValueError:
        raise ShapeError(f"{what} must hold one value for each row; got rows of several lengths.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        size = " x ".join(f"{length:,}" for length in array.shape) or "one value"
        raise ShapeError(f"{what} must hold one value for each row; got {size}.")
    if not len(array):
        raise ShapeError(f"{what} has no rows.")
    return array


def _refuse_missing(missing: NDArray[np.bool_], what: str) -> None:
    if missing.any():
        rows = np.flatnonzero(missing)
        raise MissingValueError(
            f"{what} is missing in {len(rows):,} of {len(missing):,} rows, at {array_places(rows.tolist())}.",
            hint="leave these rows out, or give each a value of its own.",
        )
