"""From what a user has (arrays, a frame, files) to `Rows`, by the role each column plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import LabelError, OptionError, ShapeError, TallymarkError
from tallymark.intake import frames
from tallymark.intake.columns import (
    LabelColumn,
    NumberColumn,
    array_places,
    label_column,
    number_column,
    titled,
)
from tallymark.intake.ids import Ids, read_ids
from tallymark.intake.roles import Beside, Roles, names_of, refuse_twice, with_guesses
from tallymark.intake.rows import Checks, Rows, gather
from tallymark.intake.sets.label_sets import holds_sets
from tallymark.intake.sets.rows import SetRows
from tallymark.intake.sets.sources import are_sets, given_sets, named_sets
from tallymark.intake.votes import Votes, vote_table
from tallymark.tallies import Label

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Source:
    """Checked rows, what the probability columns are called, and what was assumed."""

    rows: Rows
    probability_names: tuple[str, ...] | None = None
    probability_labels: tuple[Label, ...] | None = None
    notes: tuple[str, ...] = ()
    slices: tuple[tuple[str, ...], ...] = ()
    """The columns to slice by; several are crossed."""
    library: str | None = None
    """The data frame library the data came in, if it did."""


@dataclass(frozen=True)
class SetSource:
    """Checked rows with several labels each, and what was assumed."""

    rows: SetRows
    notes: tuple[str, ...] = ()
    slices: tuple[tuple[str, ...], ...] = ()
    library: str | None = None


def from_arrays(
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    *,
    beside: Beside,
    checks: Checks,
) -> Source | SetSource:
    """Rows from arrays, lists or columns of any data frame library."""
    tables = () if isinstance(beside.slices, Mapping) else (beside.slices,)
    beside = beside.values()
    sliced = beside.slices.values()
    votes = list(beside.votes.values()) if isinstance(beside.votes, Mapping) else beside.votes
    voting = votes if isinstance(votes, list | tuple) else [votes]
    beside_answers = beside.weight, beside.group, beside.id
    refuse_shuffled(y_true, y_pred, y_score, *beside_answers, *tables, *sliced, *voting)
    ids = None if beside.id is None else read_ids(only_column(beside.id))
    weight = None if beside.weight is None else numbers_in(only_column(beside.weight), "weight")
    group = (
        None
        if beside.group is None
        else sorting_column(labels_in, numbers_in, only_column(beside.group), "group")
    )
    slices = {
        name: sorting_column(labels_in, numbers_in, values, titled("slice", name))
        for name, values in beside.slices.items()
    }
    specs = tuple((name,) for name in slices)
    library = frames.library_of(y_true)
    if holds_sets(y_true) or holds_sets(y_pred):
        _refuse_votes(given=beside.votes is not None)
        columns = [column for column in (weight, group, *slices.values()) if column is not None]
        sets = given_sets(y_true, y_pred, y_score, checks, columns)
        _refuse_other_length(ids, len(sets) + sum(sets.dropped.values()))
        several = SetRows.of(sets, weight, checks.weight_kind, group, slices)
        return SetSource(several, several.sets.notes, specs, library)
    names: tuple[str, ...] | None = None
    score: NumberColumn | None = None
    probabilities: list[NumberColumn] = []
    if y_score is not None:
        table = _as_table(y_score)
        if table is None:
            score = numbers_in(y_score, "score")
        elif len(table[1]) == 1:
            score = numbers_in(table[1][0], "score")
        else:
            names, columns = table
            if not columns:
                raise ShapeError("probabilities must have a column per class; there is none.")
            titles = names or [f"{place + 1}" for place in range(len(columns))]
            probabilities = [
                numbers_in(column, titled("probability", title))
                for column, title in zip(columns, titles, strict=True)
            ]
    actual = labels_in(only_column(y_true), "actual")
    voted = {} if beside.votes is None else vote_table(beside.votes, len(actual))
    rows = gather(
        actual,
        None if y_pred is None else labels_in(only_column(y_pred), "predicted"),
        score,
        probabilities,
        votes=_votes(labels_in(column, titled("votes", name)) for name, column in voted.items()),
        weight=weight,
        weight_kind=checks.weight_kind,
        group=group,
        slices=slices,
        ids=ids,
        missing=checks.missing,
        where=array_places,
    )
    return Source(rows, names, slices=specs, library=library)


def _refuse_other_length(ids: Ids | None, rows: int) -> None:
    if ids is not None and len(ids) != rows:
        raise ShapeError(f"actual has {rows:,} rows and id has {len(ids):,}.")


def _votes(columns: Iterable[LabelColumn]) -> Votes | None:
    found = tuple(columns)
    return Votes(found) if found else None


def _refuse_votes(*, given: bool) -> None:
    if given:
        raise OptionError("votes are for one label per row, and rows have several labels here.")


def sorting_column(
    labels: Callable[[Any, str], LabelColumn],
    numbers: Callable[[Any, str], NumberColumn],
    values: Any,
    role: str,
) -> LabelColumn:
    """A column that sorts rows into groups or slices: labels, or numbers such as a dose of 0.5."""
    try:
        return labels(values, role)
    except LabelError as problem:
        try:
            column = numbers(values, role)
        except TallymarkError:
            raise problem from None
    found, codes = np.unique(np.nan_to_num(column.values), return_inverse=True)
    names = tuple(str(int(value)) if value.is_integer() else repr(value) for value in found.tolist())
    return LabelColumn(role, codes, names, column.missing)


def labels_in(values: Any, role: str) -> LabelColumn:
    return frames.series_labels(values, role) if frames.is_series(values) else label_column(values, role)


def numbers_in(values: Any, role: str) -> NumberColumn:
    return frames.series_numbers(values, role) if frames.is_series(values) else number_column(values, role)


def only_column(values: Any) -> Any:
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


def refuse_shuffled(*columns: Any) -> None:
    """Two pandas columns with the same index in another order were meant to be aligned first."""
    indexes = [column.index for column in columns if hasattr(getattr(column, "index", None), "equals")]
    for other in indexes[1:]:
        if not indexes[0].equals(other) and len(indexes[0]) == len(other) and indexes[0].isin(other).all():
            raise ShapeError(
                "the columns have the same index in different order, so their rows do not match.",
                hint="align them first, for example with .loc[], or pass .to_numpy() to go by position.",
            )


def from_frame(frame: Any, roles: Roles, checks: Checks) -> Source | SetSource:
    """Rows from a data frame of any library."""
    known = frames.frame_names(frame)
    roles, notes = with_guesses(roles, known)
    roles, slices = roles.crossed(known)
    columns = frames.frame_columns(frame, roles.used)
    source = _source(Read(columns, array_places), roles, checks, notes)
    return replace(source, slices=slices, library=frames.library_of(frame))


def from_files(
    paths: Sequence[str | Path],
    roles: Roles,
    checks: Checks,
    *,
    delimiter: str | None = None,
    missing_words: Sequence[str] = (),
) -> Source | SetSource:
    """Rows from one or more files that are parts of one table."""
    from tallymark.intake.files.lists import file_list
    from tallymark.intake.files.tables import column_names, read_table

    if not paths:
        raise OptionError("no file was given.")
    paths, notes = file_list(paths)
    if roles.actual is None or not roles.answered:
        roles, guesses = with_guesses(roles, column_names(paths[0], delimiter=delimiter))
        notes += guesses
    starred = any("*" in name for name in roles.slices)
    roles, slices = roles.crossed(column_names(paths[0], delimiter=delimiter) if starred else roles.slices)
    table = read_table(paths, list(dict.fromkeys(roles.used)), delimiter=delimiter)
    columns = {name: table.frame.get_column(name) for name in roles.used}
    words = [missing_words] if isinstance(missing_words, str) else list(missing_words)
    if words:
        # Where an empty field is an empty set, a missing one must stay the word it is.
        sets = [*names_of(roles.actual), *names_of(roles.predicted)] if roles.set_delimiter else []
        columns = {
            name: column if name in sets else blanked(column, words) for name, column in columns.items()
        }
    read = Read(columns, table.where, table.text, table.as_written)
    source = _source(read, roles, replace(checks, missing_words=tuple(words)), notes)
    return replace(source, slices=slices)


def blanked(column: pl.Series, words: list[str]) -> pl.Series:
    """A column without the words that mean missing; blanks around them do not matter."""
    import polars as pl

    from tallymark.intake.files.tables import is_number

    if column.dtype.is_float():
        means_missing = pl.first().cast(pl.Float64).is_in([float(word) for word in words if is_number(word)])
    elif column.dtype in (pl.String, pl.Categorical, pl.Enum) or column.dtype.is_numeric():
        # Whole numbers are compared as they are written: as floats, large ones would be taken for others.
        written = pl.first().cast(pl.String)
        means_missing = written.is_in(words) | written.str.strip_chars(" \t").is_in(words)
    else:
        return column
    return column.to_frame().select(pl.when(~means_missing).then(pl.first())).to_series()


@dataclass(frozen=True)
class Read:
    """The columns asked for, as they were read, and how the rest of the door is to take them."""

    columns: Mapping[str, Any]
    where: Callable[[Sequence[int]], str]
    text: bool = False
    """Whether every value is text as written in a file."""
    as_written: bool = False
    """Whether labels are from a text file, be its numbers typed or not."""

    def labels(self, name: str, role: str) -> LabelColumn:
        reader = frames.text_labels if self.as_written else frames.series_labels
        return reader(self.columns[name], titled(role, name), self.where)

    def sorted(self, name: str, role: str) -> LabelColumn:
        """A column of groups or slices."""
        return sorting_column(self.labels, self.numbers, name, role)

    def numbers(self, name: str, role: str) -> NumberColumn:
        reader = frames.text_numbers if self.text else frames.series_numbers
        return reader(self.columns[name], titled(role, name), self.where)


def _source(read: Read, roles: Roles, checks: Checks, notes: list[str]) -> Source | SetSource:
    assert roles.actual is not None
    refuse_twice(roles)
    ids = None
    if roles.id is not None:
        ids = read_ids(read.columns[roles.id], name=roles.id, where=read.where)
    weight = None if roles.weight is None else read.numbers(roles.weight, "weight")
    group = None if roles.group is None else read.sorted(roles.group, "group")
    slices = {name: read.sorted(name, "slice") for name in roles.slices}
    if are_sets(read.columns, roles):
        _refuse_votes(given=bool(roles.votes))
        beside = [column for column in (weight, group, *slices.values()) if column is not None]
        sets = named_sets(
            read.columns, roles, checks, read.where, text=read.text, as_written=read.as_written, beside=beside
        )
        rows = SetRows.of(sets, weight, checks.weight_kind, group, slices)
        return SetSource(rows, (*notes, *rows.sets.notes))
    assert isinstance(roles.actual, str)
    assert roles.predicted is None or isinstance(roles.predicted, str)
    named = roles.probabilities
    return Source(
        gather(
            read.labels(roles.actual, "actual"),
            None if roles.predicted is None else read.labels(roles.predicted, "predicted"),
            None if roles.score is None else read.numbers(roles.score, "score"),
            [read.numbers(name, "probability") for name in roles.probability_columns],
            votes=_votes(read.labels(name, "votes") for name in roles.votes),
            weight=weight,
            weight_kind=checks.weight_kind,
            group=group,
            slices=slices,
            ids=ids,
            missing=checks.missing,
            where=read.where,
        ),
        tuple(roles.probability_columns) if named else None,
        tuple(named) if isinstance(named, Mapping) else None,
        tuple(notes),
    )
