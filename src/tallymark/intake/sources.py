"""From what a user has (arrays, a frame, files) to `Rows`, by the role each column plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import ColumnError, InputError, OptionError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import (
    LabelColumn,
    NumberColumn,
    array_places,
    label_column,
    number_column,
    titled,
)
from tallymark.intake.rows import Missing, Rows, gather
from tallymark.tallies import Label

if TYPE_CHECKING:
    import polars as pl

Probabilities = Sequence[str] | Mapping[Label, str]

_GUESSES = {
    "actual": ("actual", "y_true", "true", "truth", "label", "target", "y", "class", "reference"),
    "predicted": ("predicted", "y_pred", "prediction", "predictions", "pred", "yhat", "y_hat"),
    "score": ("score", "y_score", "probability", "prob", "proba", "y_prob", "y_proba"),
}


@dataclass(frozen=True)
class Roles:
    """Which column is what; None where the user did not say."""

    actual: str | None = None
    predicted: str | None = None
    score: str | None = None
    probabilities: Probabilities | None = None
    id: str | None = None

    @property
    def probability_columns(self) -> list[str]:
        chosen = self.probabilities or ()
        return list(chosen.values()) if isinstance(chosen, Mapping) else list(chosen)

    @property
    def used(self) -> list[str]:
        named = [self.actual, self.predicted, self.score, *self.probability_columns, self.id]
        return [name for name in named if name is not None]


@dataclass(frozen=True)
class Source:
    """Checked rows, what the probability columns are called, and what was assumed."""

    rows: Rows
    probability_names: tuple[str, ...] | None = None
    probability_labels: tuple[Label, ...] | None = None
    notes: tuple[str, ...] = ()


def from_arrays(y_true: Any, y_pred: Any, y_score: Any, *, missing: Missing) -> Source:
    """Rows from arrays, lists or columns of any data frame library."""
    _refuse_shuffled(y_true, y_pred, y_score)
    names: tuple[str, ...] | None = None
    score: NumberColumn | None = None
    probabilities: list[NumberColumn] = []
    if y_score is not None:
        table = _as_table(y_score)
        if table is None:
            score = _numbers(y_score, "score")
        elif len(table[1]) == 1:
            score = _numbers(table[1][0], "score")
        else:
            names, columns = table
            if not columns:
                raise ShapeError("probabilities must have a column per class; there is none.")
            titles = names or [f"{place + 1}" for place in range(len(columns))]
            probabilities = [
                _numbers(column, titled("probability", title))
                for column, title in zip(columns, titles, strict=True)
            ]
    rows = gather(
        _labels(_only_column(y_true), "actual"),
        None if y_pred is None else _labels(_only_column(y_pred), "predicted"),
        score,
        probabilities,
        missing=missing,
        where=array_places,
    )
    return Source(rows, names)


def _labels(values: Any, role: str) -> LabelColumn:
    return frames.series_labels(values, role) if frames.is_series(values) else label_column(values, role)


def _numbers(values: Any, role: str) -> NumberColumn:
    return frames.series_numbers(values, role) if frames.is_series(values) else number_column(values, role)


def _only_column(values: Any) -> Any:
    """The column of a frame that has no other; anything else as it is."""
    if isinstance(values, np.ndarray | list | tuple) or not frames.is_frame(values):
        return values
    names = frames.frame_names(values)
    return frames.frame_columns(values, names)[names[0]] if len(names) == 1 else values


def _as_table(values: Any) -> tuple[tuple[str, ...] | None, list[Any]] | None:
    """Names and columns when the scores have two dimensions."""
    if not isinstance(values, np.ndarray | list | tuple) and frames.is_frame(values):
        names = frames.frame_names(values)
        return tuple(names), list(frames.frame_columns(values, names).values())
    if isinstance(values, list | tuple) and values and isinstance(values[0], list | tuple | np.ndarray):
        if len({len(row) if hasattr(row, "__len__") else 0 for row in values}) > 1:
            raise ShapeError("probabilities must have as many columns in every row.")
        columns = [list(column) for column in zip(*values, strict=True)]
        return None, columns
    if isinstance(values, np.ndarray) and values.ndim > 1:
        if values.ndim > 2:
            raise ShapeError(f"probabilities must have two dimensions; got shape {values.shape}.")
        return None, list(values.T)
    return None


def _refuse_shuffled(*columns: Any) -> None:
    """Two pandas columns with the same index in another order were meant to be aligned first."""
    indexes = [column.index for column in columns if hasattr(getattr(column, "index", None), "equals")]
    for other in indexes[1:]:
        if not indexes[0].equals(other) and len(indexes[0]) == len(other) and indexes[0].isin(other).all():
            raise ShapeError(
                "the columns have the same index in different order, so their rows do not match.",
                hint="align them first, for example with .loc[], or pass .to_numpy() to go by position.",
            )


def from_frame(frame: Any, roles: Roles, *, missing: Missing) -> Source:
    """Rows from a data frame of any library."""
    roles, notes = with_guesses(roles, frames.frame_names(frame))
    columns = frames.frame_columns(frame, roles.used)
    return _source(columns, roles, frames.series_numbers, array_places, missing, notes)


def from_files(
    paths: Sequence[str | Path],
    roles: Roles,
    *,
    missing: Missing,
    delimiter: str | None = None,
    missing_words: Sequence[str] = (),
) -> Source:
    """Rows from one or more files that are parts of one table."""
    from tallymark.intake.files import column_names, read_table

    if not paths:
        raise OptionError("no file was given.")
    places = [Path(path).resolve() for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise OptionError(f"the file {str(path)!r} is given twice; its rows would count double.")
    notes: list[str] = []
    if roles.actual is None or not (roles.predicted or roles.score or roles.probabilities):
        roles, notes = with_guesses(roles, column_names(paths[0], delimiter=delimiter))
    table = read_table(paths, list(dict.fromkeys(roles.used)), delimiter=delimiter)
    columns = {name: table.frame.get_column(name) for name in roles.used}
    words = [missing_words] if isinstance(missing_words, str) else list(missing_words)
    if words:
        columns = {name: _blanked(column, words) for name, column in columns.items()}
    numbers = frames.text_numbers if table.text else frames.series_numbers
    return _source(columns, roles, numbers, table.where, missing, notes)


def _blanked(column: pl.Series, words: list[str]) -> pl.Series:
    """A column without the words that mean missing; blanks around them do not matter."""
    import polars as pl

    from tallymark.intake.files import is_number

    if column.dtype.is_float():
        means_missing = pl.first().cast(pl.Float64).is_in([float(word) for word in words if is_number(word)])
    elif column.dtype in (pl.String, pl.Categorical, pl.Enum) or column.dtype.is_numeric():
        # Whole numbers are compared as they are written: as floats, large ones would be taken for others.
        written = pl.first().cast(pl.String)
        means_missing = written.is_in(words) | written.str.strip_chars(" \t").is_in(words)
    else:
        return column
    return column.to_frame().select(pl.when(~means_missing).then(pl.first())).to_series()


def with_guesses(roles: Roles, names: Sequence[str]) -> tuple[Roles, list[str]]:
    """Fill in roles nobody named from well-known column names, and say so."""
    wanted = [] if roles.actual is not None else ["actual"]
    if not (roles.predicted or roles.score or roles.probabilities):
        wanted += ["predicted", "score"]
    notes = []
    for role in wanted:
        if role == "score" and roles.predicted is not None:
            break  # the answers are there; a column nobody asked for must not cost rows
        found = next((name for guess in _GUESSES[role] if (name := _like(guess, names, roles))), None)
        if found is not None:
            roles = replace(roles, **{role: found})
            notes.append(f"column {found!r} was taken as {role} (guessed from its name).")
    if roles.actual is None:
        raise _unnamed("actual", "the true classes", names)
    if not (roles.predicted or roles.score or roles.probabilities):
        raise _unnamed("predicted", "the answers (or score= for scores)", names)
    return roles, notes


def _like(guess: str, names: Sequence[str], roles: Roles) -> str | None:
    """The one free column of that name, in whatever case; an exact one goes first, of two alike none."""
    alike = [name for name in names if name.casefold() == guess and name not in roles.used]
    return guess if guess in alike else alike[0] if len(alike) == 1 else None


def _unnamed(role: str, what: str, names: Sequence[str]) -> ColumnError:
    from tallymark.intake.files import delimiter_hint

    shown = ", ".join(repr(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")
    return ColumnError(
        f"no column is named for {what}; the columns are {shown}.",
        hint=delimiter_hint(names) or f"say which with --{role} COLUMN (in Python {role}='COLUMN').",
    )


def _source(
    columns: Mapping[str, Any],
    roles: Roles,
    numbers: Callable[..., NumberColumn],
    where: Callable[[Sequence[int]], str],
    missing: Missing,
    notes: list[str],
) -> Source:
    def labels(name: str, role: str) -> LabelColumn:
        return frames.series_labels(columns[name], titled(role, name), where)

    def scores(name: str, role: str) -> NumberColumn:
        return numbers(columns[name], titled(role, name), where)

    assert roles.actual is not None
    twice = [name for name in roles.used if roles.used.count(name) > 1]
    if twice:
        raise OptionError(f"column {twice[0]!r} is named for two roles; a column has one.")
    if roles.id is not None:
        _refuse_repeated(columns[roles.id], roles.id, where)
    rows = gather(
        labels(roles.actual, "actual"),
        None if roles.predicted is None else labels(roles.predicted, "predicted"),
        None if roles.score is None else scores(roles.score, "score"),
        [scores(name, "probability") for name in roles.probability_columns],
        missing=missing,
        where=where,
    )
    named = roles.probabilities
    return Source(
        rows,
        tuple(roles.probability_columns) if named else None,
        tuple(named) if isinstance(named, Mapping) else None,
        tuple(notes),
    )


def _refuse_repeated(column: Any, name: str, where: Callable[[Sequence[int]], str]) -> None:
    import narwhals.stable.v2 as nw

    ids = nw.from_native(column, series_only=True)
    repeated = np.flatnonzero((ids.is_duplicated() | ids.is_null()).to_numpy())
    if len(repeated):
        raise InputError(
            f"ids must be unique and present; column {name!r} repeats or lacks one "
            f"at {where(repeated.tolist())}."
        )
