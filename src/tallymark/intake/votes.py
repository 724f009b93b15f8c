"""Votes: answers of several models, which become a score once the positive class is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import LabelColumn

_ONE_COLUMN = "one column of answers is predicted: --predicted (in Python y_pred, or predicted=)."


@dataclass(frozen=True)
class Votes:
    """What every model answered; a row that lacks one of the answers lacks its count."""

    columns: tuple[LabelColumn, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def role(self) -> str:
        lacking = [column.role for column in self.columns if column.missing is not None]
        return lacking[0] if len(lacking) == 1 else "votes"

    @cached_property
    def missing(self) -> NDArray[np.bool_] | None:
        lacking = [column.missing for column in self.columns if column.missing is not None]
        return np.logical_or.reduce(lacking) if lacking else None

    def without(self, gone: NDArray[np.bool_]) -> Votes:
        return Votes(tuple(column.without(gone) for column in self.columns))


def are_names(votes: Any) -> bool:
    """Whether votes are named columns, or at least nothing like a table of answers."""
    return isinstance(votes, str) or all(isinstance(item, str | int) for item in _flat(votes))


def vote_names(votes: Any) -> tuple[str, ...]:
    """Names of at least two columns, each there once."""
    if not are_names(votes):
        raise OptionError(
            "with a data frame or a file, votes are names of its columns; "
            f"got a value of type {type(votes).__name__}."
        )
    names = (votes,) if isinstance(votes, str) else tuple(map(str, _flat(votes)))
    if len(names) < 2:
        raise OptionError(f"votes are several columns; got {list(names)}.", hint=_ONE_COLUMN)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"column {twice!r} is named twice among the votes; a column votes once.")
    return names


def vote_table(votes: Any, rows: int) -> dict[str, Any]:
    """Columns by name, or by number from 1: of a table with a column per model, or of a list of columns."""
    if are_names(votes):
        raise OptionError(
            "with arrays, votes are a column per model: a table, or a list of columns; "
            f"got a flat {type(votes).__name__}.",
            hint="names of columns go with a data frame or a file; " + _ONE_COLUMN,
        )
    columns = _columns(votes)
    if len(columns) < 2:
        raise OptionError(f"votes are several columns; got {len(columns)}.", hint=_ONE_COLUMN)
    for name, column in columns.items():
        if not hasattr(column, "__len__") or len(column) != rows:
            size = f"{len(column):,} votes" if hasattr(column, "__len__") else "no list of votes"
            raise ShapeError(
                f"there are {rows:,} rows, but column {name} of the votes has {size}.",
                hint="a list holds a column per model; pass a list of rows as numpy.array(votes)."
                if isinstance(votes, list | tuple)
                else None,
            )
    return columns


def _columns(votes: Any) -> dict[str, Any]:
    if isinstance(votes, Mapping):
        return {str(name): column for name, column in votes.items()}
    if not isinstance(votes, list | tuple | np.ndarray) and frames.is_frame(votes):
        names = frames.frame_names(votes)
        if getattr(votes, "shape", (0, len(names)))[1] != len(names):
            raise ShapeError("several columns of the votes have the same name.", hint="rename them.")
        return dict(frames.frame_columns(votes, names))
    if not isinstance(votes, list | tuple):
        array = np.asanyarray(votes)
        if array.ndim != 2:
            raise ShapeError(f"votes must have two dimensions, rows and models; got shape {array.shape}.")
        votes = list(array.T)
    return {str(place): column for place, column in enumerate(votes, 1)}


def _flat(votes: Any) -> Sequence[Any]:
    """The items of a list, or of an array or an index of one dimension."""
    if getattr(votes, "ndim", 1) == 1 and hasattr(votes, "tolist"):
        votes = votes.tolist()
    return votes if isinstance(votes, list | tuple) else [votes]
