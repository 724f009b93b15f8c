"""A table of scores opened: its names first, then the columns that are used, as numbers and as names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, InputError, MissingValueError, NotNumbersError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import Where, array_places, label_column, number_column, titled
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    import polars as pl

_NOT_NUMBERS = (
    "every other column is taken as a model's; say which are (--model, in Python models=), or which part "
    "this one plays (--columns, in Python columns=)."
)


@dataclass(frozen=True)
class Columns:
    """The columns that are used."""

    values: Mapping[str, Any]
    where: Where = array_places
    text: bool = False
    """Whether every value is text as written in a file."""
    missing_words: tuple[str, ...] = ()
    hint: str | None = _NOT_NUMBERS
    """What to do about a column that holds no numbers."""

    def numbers(self, name: str, role: str) -> NDArray[np.float64]:
        """Numbers, NaN where one is missing."""
        values, title = self._column(name), titled(role, name)
        try:
            if self.text:
                return frames.text_numbers(values, title, self.where).values
            if frames.is_series(values):
                _refuse_booleans(np.asarray(values), title)
                return frames.series_numbers(values, title, self.where).values
            _refuse_booleans(np.asarray(values, object), title)
            return number_column(values, title, self.where).values
        except NotNumbersError as problem:
            raise NotNumbersError(problem.message, hint=problem.hint or self.hint) from None

    def labels(self, name: str, role: str) -> list[str]:
        """Names as text; none may be missing."""
        values, title = self._column(name), titled(role, name)
        reader = frames.series_labels if frames.is_series(values) else label_column
        column = reader(values, title, self.where)
        if column.missing is not None and column.missing.any():
            gone = np.flatnonzero(column.missing).tolist()
            raise MissingValueError(f"{title} is empty at {self.where(gone)}; every score needs one.")
        return [str(column.label(code)) for code in column.values.tolist()]

    def _column(self, name: str) -> Any:
        column = self.values[name]
        return _blanked(column, self.missing_words) if self.text and self.missing_words else column


def _refuse_booleans(values: NDArray[Any], title: str) -> None:
    if values.dtype == np.bool_ or any(isinstance(value, bool | np.bool_) for value in values.ravel()):
        raise NotNumbersError(f"{title} holds True or False; numbers are expected.")


def _blanked(column: pl.Series, words: Sequence[str]) -> pl.Series:
    """A column without the words that mean missing."""
    import polars as pl

    means_missing = pl.first().str.strip_chars(" \t").is_in(list(words))
    return column.to_frame().select(pl.when(~means_missing).then(pl.first())).to_series()


@dataclass(frozen=True)
class Opened:
    """The names of a table's columns, and what reads some of them."""

    names: list[str]
    load: Callable[[list[str]], Columns]
    library: str | None = None
    notes: tuple[str, ...] = ()


def opened(data: Any, delimiter: str | None) -> Opened:
    """Files, a data frame of any library, or a mapping of columns."""
    if isinstance(data, str | Path) or _are_paths(data):
        return _files([data] if isinstance(data, str | Path) else list(data), delimiter)
    if isinstance(data, Mapping):
        return _mapping({str(name): values for name, values in data.items()})
    if not isinstance(data, np.ndarray | list | tuple) and frames.is_frame(data):
        _refuse_repeated(data)
        library, table = frames.library_of(data), _with_index(data)
        return Opened(
            frames.frame_names(table), lambda names: Columns(frames.frame_columns(table, names)), library
        )
    raise InputError(
        f"a table of scores is expected; got {type(data).__name__}.",
        hint="pass a file, a data frame, {model: scores}, or {data set: {model: scores}}.",
    )


def _are_paths(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(x, str | Path) for x in data)


def _files(given: Sequence[str | Path], delimiter: str | None) -> Opened:
    from tallymark.intake.files.lists import file_list
    from tallymark.intake.files.tables import column_names, read_table

    paths, notes = file_list(given)

    def load(names: list[str]) -> Columns:
        table = read_table(paths, names, delimiter=delimiter)
        return Columns({name: table.frame.get_column(name) for name in names}, table.where, table.text)

    return Opened(column_names(paths[0], delimiter=delimiter), load, notes=tuple(notes))


def _mapping(columns: Mapping[str, Any]) -> Opened:
    lengths = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            raise ShapeError(
                f"{quoted(name)} must hold a list of scores; got {type(values).__name__}.",
                hint="pass {model: scores}, or {data set: {model: scores}}.",
            )
        lengths[name] = len(values)
    for name, length in lengths.items():
        first = next(iter(lengths))
        if length != lengths[first]:
            raise ShapeError(
                f"{quoted(first)} has {lengths[first]:,} values and {quoted(name)} has {length:,}; every row "
                "needs a score of every model."
            )
    return Opened(list(columns), lambda names: Columns({name: columns[name] for name in names}))


def _refuse_repeated(frame: Any) -> None:
    """Of two columns with one name neither could be chosen, and both would be left out without a word."""
    given = frame.column_names if hasattr(frame, "column_names") else getattr(frame, "columns", ())
    twice = [str(name) for name, times in Counter(map(str, given)).items() if times > 1]
    if twice:
        raise ColumnError(
            f"the frame has several columns called {quoted(twice[0])}.", hint="rename one of them."
        )


def _with_index(data: Any) -> Any:
    """A pandas frame with its index as columns where that has a name, such as `data set`."""
    levels = getattr(getattr(data, "index", None), "names", None)
    named = levels is not None and hasattr(data, "reset_index") and all(name is not None for name in levels)
    return data.reset_index() if named else data
