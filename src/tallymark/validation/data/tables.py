"""`table_data`: a data set from a table, in memory or in files, whose classes are in a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, InputError, LabelError, OptionError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import LabelColumn, Where, array_places, label_column, titled
from tallymark.intake.files.kinds import listed
from tallymark.intake.ids import read_ids
from tallymark.intake.rows import (
    Missing,
    before_dropping,
    gone_from,
    missing_error,
    translation,
    undeclared,
)
from tallymark.intake.sources import blanked, sorting_column
from tallymark.resampling.rows import rows_at
from tallymark.tallies import Label
from tallymark.tallies.labels import in_order, quoted, stated
from tallymark.tallies.plain_numbers import whole_numbers
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.data.table_columns import (
    Reading,
    feature_table,
    gaps_and_idle_columns,
    like_identifiers,
)

Names = str | int | Sequence[str | int] | None
_FEW = 10
"""Rows below which classes cannot be told from numbers by how many there are."""


@dataclass(frozen=True)
class _Roles:
    """Which column is what."""

    target: str
    groups: tuple[str, ...]
    id: str | None
    features: tuple[str, ...]
    text: tuple[str, ...]

    @property
    def used(self) -> list[str]:
        id_ = () if self.id is None else (self.id,)
        return [self.target, *self.groups, *id_, *self.features]


@dataclass(frozen=True)
class _Table:
    """The names of a table's columns, and what reads some of them."""

    names: list[str]
    load: Callable[[list[str]], Reading]
    title: str
    notes: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    """Columns that are declared to hold names, whatever these look like."""


def table_data(
    source: Any,
    *,
    target: str | int,
    groups: Names = None,
    features: Names = None,
    ignore: Names = (),
    id: str | int | None = None,
    text: Names = (),
    missing: Missing = "error",
    missing_words: str | Sequence[str] = (),
    delimiter: str | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    name: str | None = None,
) -> DataSet:
    """A data set from a data frame of any library or from files that are parts of one table.

    Every column is a feature but the target, the groups, the id and those to ignore; `features` names them
    instead. `groups` names one column, or two when rows are about pairs. In text files a column is of numbers
    when all its values are; `text` names columns whose numbers are names. Features may be missing; a missing
    class or group is an error, unless missing="drop".
    """
    if missing not in ("error", "drop"):
        raise OptionError(f"missing must be 'error' or 'drop'; got {missing!r}.")
    words = [missing_words] if isinstance(missing_words, str) else list(missing_words)
    table = _files(source, words, delimiter) if _is_path(source) else _frame(source, words, delimiter)
    roles, left_out = _roles(
        table.names, _name(target, "target"), _names(groups, "groups"), _names(features, "features"),
        _names(ignore, "ignore"), None if id is None else _name(id, "id"), _names(text, "text"),
    )  # fmt: skip
    read = table.load(roles.used)
    classes = _classes(read, roles.target)
    if not len(classes):
        raise ShapeError("there are no rows.")
    grouping = [
        sorting_column(read.labels, read.numbers, group, titled("group", group)) for group in roles.groups
    ]
    ids = None if roles.id is None else read_ids(read.columns[roles.id], name=roles.id, where=read.where)
    X, notes = feature_table(read, roles.features, (*roles.text, *table.nominal))
    if not features:
        notes += like_identifiers(read, roles.features, id_named=ids is not None)
    kept = np.arange(len(classes))
    gone, dropped = gone_from([classes, *grouping])
    if dropped and missing == "error":
        raise missing_error([classes, *grouping], read.where)
    if dropped:
        if gone.all():
            raise InputError("every row lacks its class or group, so none is left.")
        kept = np.flatnonzero(~gone)
        X = rows_at(X, kept)
        ids = None if ids is None else ids.without(gone)
        classes, *grouping = (column.without(gone) for column in (classes, *grouping))
        notes += (_dropped(dropped, len(gone)),)
    notes += gaps_and_idle_columns(X)
    _refuse_numbers(classes)
    _refuse_undeclared(classes, labels, before_dropping(read.where, kept))
    return data_set(
        X,
        _as_models_see_them(classes),
        groups=_groups(grouping),
        labels=labels,
        pos_label=pos_label,
        name=name or table.title,
        notes=(*table.notes, *left_out, *notes),
        ids=ids.values if ids is not None else kept if dropped else None,
        id_name=roles.id,
    )


# --- what came -----------------------------------------------------------------------------------


def _is_path(source: Any) -> bool:
    one = isinstance(source, str | PathLike)
    return one or (
        isinstance(source, list | tuple)
        and bool(source)
        and all(isinstance(p, str | PathLike) for p in source)
    )


def _files(source: Any, words: list[str], delimiter: str | None) -> _Table:
    from tallymark.intake.files.lists import file_list
    from tallymark.intake.files.tables import column_names, nominal_columns, read_table

    given = [source] if isinstance(source, str | PathLike) else list(source)
    paths, notes = file_list([Path(path) for path in given])

    def load(names: list[str]) -> Reading:
        table = read_table(paths, names, delimiter=delimiter)
        columns = {name: table.frame.get_column(name) for name in names}
        if words:
            columns = {name: blanked(column, words) for name, column in columns.items()}
        return Reading(columns, table.where, text=table.text, as_written=table.as_written)

    first = paths[0] if len(paths) == 1 else paths[0].parent
    title = first.name.partition(".")[0] or "data"
    names, nominal = (named(paths[0], delimiter=delimiter) for named in (column_names, nominal_columns))
    return _Table(names, load, title, tuple(notes), tuple(nominal))


def _frame(source: Any, words: list[str], delimiter: str | None) -> _Table:
    if isinstance(source, np.ndarray | list | tuple) or not frames.is_frame(source):
        raise OptionError(
            f"target names a column of a table; got {type(source).__name__}.",
            hint="pass a data frame or a file; or X and y without target=.",
        )
    for option, given in (("missing_words", words), ("delimiter", delimiter)):
        if given:
            raise OptionError(f"{option} is about reading files, and the data is a data frame.")

    def load(names: list[str]) -> Reading:
        return Reading(frames.frame_columns(source, names), array_places)

    return _Table(_frame_names(source), load, "data")


def _frame_names(source: Any) -> list[str]:
    """All names, repeated ones among them: whoever uses such a column is told."""
    given = source.columns if hasattr(source, "iloc") else getattr(source, "column_names", None)
    return frames.frame_names(source) if given is None else list(dict.fromkeys(map(str, given)))


# --- which column is what ------------------------------------------------------------------------


def _roles(
    known: Sequence[str],
    target: str,
    groups: tuple[str, ...],
    features: tuple[str, ...],
    ignore: tuple[str, ...],
    id: str | None,
    text: tuple[str, ...],
) -> tuple[_Roles, tuple[str, ...]]:
    """The columns by their roles, and what to say of those that have none."""
    named_columns = (target, *groups, *features, *ignore, *(() if id is None else (id,)), *text)
    lacking = list(dict.fromkeys(name for name in named_columns if name not in known))
    if lacking:
        raise _absent(lacking, known)
    if len(groups) > 2:
        raise OptionError(
            f"groups are one column, or two for pairs; got {listed([quoted(g) for g in groups])}."
        )
    taken: dict[str, str] = {}
    named = (("the target", (target,)), ("a group", groups), ("the id", () if id is None else (id,)),
             ("one to ignore", ignore), ("a feature", features))  # fmt: skip
    for role, names in named:
        for name in names:
            if name in taken:
                raise OptionError(
                    f"column {quoted(name)} is named as {taken[name]} and as {role}; a column has one role."
                )
            taken[name] = role
    blank = [name for name in known if not name.strip() and name not in taken]
    chosen = features or tuple(name for name in dict.fromkeys(known) if name not in taken and name.strip())
    if not chosen:
        raise OptionError(
            "there is no column to learn from.", hint="the table needs columns beside the classes."
        )
    for name in text:
        if name not in chosen:
            raise OptionError(f"column {quoted(name)} is named as text, and it is not learned from.")
    notes: tuple[str, ...] = ()
    if blank and not features:
        notes = ("a column without a name was left out; row numbers are often saved so.",)
    return _Roles(target, groups, id, chosen, text), notes


def _absent(names: Sequence[str], known: Sequence[str]) -> ColumnError:
    from tallymark.intake.files.tables import delimiter_hint

    problem = frames.absent(names, known)
    return ColumnError(problem.message, hint=delimiter_hint(known) or problem.hint)


def _name(given: Any, role: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise OptionError(f"with a table, {role} is the name of a column; got {_shown(given)}.")
    return str(given)


def _names(given: Any, role: str) -> tuple[str, ...]:
    if given is None:
        return ()
    several = [given] if isinstance(given, str | int) else given
    if not isinstance(several, list | tuple):
        raise OptionError(f"with a table, {role} are names of its columns; got {_shown(given)}.")
    names = tuple(_name(each, role) for each in several)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise OptionError(f"{role} names column {quoted(twice[0])} twice.")
    return names


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a value of type {type(value).__name__}"


# --- classes and groups --------------------------------------------------------------------------


def _classes(read: Reading, target: str) -> LabelColumn:
    try:
        return read.labels(target, titled("target", target))
    except LabelError as problem:
        if "score" not in (problem.hint or ""):
            raise
        hint = "numbers on a scale are not estimated here: make classes of them."
        raise LabelError(problem.message, hint=hint) from None


def _refuse_numbers(classes: LabelColumn) -> None:
    rows, distinct = len(classes), len(np.unique(classes.values))
    if rows >= _FEW and distinct > rows / 2:
        raise LabelError(
            f"{classes.role} has {distinct:,} different values in {rows:,} rows; a target has few classes.",
            hint="is another column meant? Numbers on a scale are not estimated here.",
        )


def _refuse_undeclared(classes: LabelColumn, labels: Any, where: Where) -> None:
    """Here, where it is known on which lines they are; labels that are no list are refused later."""
    if not hasattr(labels, "__len__") or len(labels) < 2:
        return
    declared, column = stated(labels), label_column(_as_models_see_them(classes), classes.role)
    there = [column.label(code) for code in np.unique(column.values).tolist()]
    translate = translation(there, declared)
    extra = in_order(set(map(translate, there)) - set(declared))
    if extra:
        raise undeclared(column, extra, declared, translate, where)


def _as_models_see_them(classes: LabelColumn) -> NDArray[Any]:
    """Classes as themselves; 0 and 1 of a text file as numbers, which is how labels are read everywhere."""
    numbers = whole_numbers(classes.names or ()) if classes.as_written else None
    if numbers is None or any(abs(number) >= 2**63 for number in numbers.values()):
        return _values(classes)
    return np.asarray(np.array(list(numbers.values()))[classes.values])


def _values(column: LabelColumn) -> NDArray[Any]:
    """Labels as themselves."""
    if column.names is not None:
        return np.asarray(np.array(column.names)[column.values])
    # Columns of few classes are held in single bytes; models get whole numbers of the usual width.
    return column.values if column.values.dtype == np.bool_ else column.values.astype(np.int64)


def _numbered(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as such, so that a text file has its groups in the order of any other."""
    found, codes = np.unique(values, return_inverse=True)
    numbers = whole_numbers(found.tolist()) if found.dtype.kind == "U" else None
    if numbers is None or len(set(numbers.values())) < len(numbers):
        return values
    return np.array([numbers[text] for text in found.tolist()])[codes]


def _groups(columns: Sequence[LabelColumn]) -> NDArray[Any] | None:
    if not columns:
        return None
    values = [_numbered(_values(column)) for column in columns]
    if len(values) == 1:
        return values[0]
    if len({value.dtype.kind for value in values}) > 1:
        raise OptionError(
            f"{columns[0].role} and {columns[1].role} are of different types, so no entity could be in both.",
            hint="write entities the same way in both columns.",
        )
    return np.column_stack(values)


def _dropped(dropped: Mapping[str, int], rows: int) -> str:
    words = {"missing_target": "without a class", "missing_group": "without a group"}
    parts = [f"{count:,} {words[key]}" for key, count in dropped.items()]
    return f"{sum(dropped.values()):,} of {rows:,} rows were left out: {listed(parts)}."
