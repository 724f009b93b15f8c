"""Small square tables as people write them: inline text, JSON, a CSV with labels on both sides, a long CSV.

Cells stay as they were written, each with its place, so that counts and costs can say what is wrong where.
Labels in a CSV lose the blanks around them; labels in JSON and in Python are taken as they are.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tallymark.errors import FileError, InputError, LabelError, ShapeError
from tallymark.input_files import note_inputs
from tallymark.intake.cells import (
    Record,
    axis_of,
    cells_in_words,
    check_label_count,
    checked_labels,
    corner_axis,
    label_text,
    listed,
    looks_like_number,
    plain,
    quoted,
    read_text,
    records_of,
    shown,
)
from tallymark.intake.files.kinds import size_of

Axis = Literal["actual", "predicted"]
SUFFIXES = (".json", ".csv", ".tsv", ".txt")
ABSENT = object()
"""Stands where a source that names its cells has not named one."""

_ONLY_NUMBERS = re.compile(r"[\d\s;,.+\-eE]*")
_THOUSANDS_WORD = re.compile(r"\d{1,3}(,\d{3})+")
_THOUSANDS_HINT = "a comma separates cells; write 4841, not 4,841."


@dataclass(frozen=True)
class Kind:
    """What is being read: the words for it, and the names its values may have."""

    noun: str
    value_columns: tuple[str, ...]
    matrix_keys: tuple[str, ...]
    example: str
    typed_alone: bool
    """Whether what is typed can only be this, so that a row of it need not be said to be of it."""


@dataclass(frozen=True)
class Written:
    """A table as it was written: labels as text (None when it has none), cells not yet numbers."""

    title: str
    cells: Sequence[Sequence[object]]
    place: Callable[[int, int], str]
    row_labels: tuple[str, ...] | None = None
    column_labels: tuple[str, ...] | None = None
    rows: Axis | None = None
    axes_named_by: str = ""

    def turned(self) -> Written:
        return replace(
            self,
            cells=tuple(zip(*self.cells, strict=True)),
            place=lambda row, column: self.place(column, row),
            row_labels=self.column_labels,
            column_labels=self.row_labels,
        )


def files_in(source: object) -> list[Path]:
    """The file that a table is in; empty when the source is the table itself."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and _names_a_file(source)):
        return [Path(source)]
    return []


def read_square(source: object, kind: Kind) -> Written:
    """Read a table from text, a path, nested sequences or a mapping."""
    for path in files_in(source):
        return _from_file(path, kind)
    if isinstance(source, str):
        return _from_text(source, None, kind)
    return _from_values(source, None, kind)


def rows_actual(written: Written, rows: Axis | None) -> tuple[Written, tuple[str, ...]]:
    """Turn the table so that its rows are actual, and say what the user should know about it."""
    if rows and written.rows and rows != written.rows:
        raise InputError(
            f"rows={rows!r} was given, but {written.axes_named_by} of {written.title} says "
            f"that its rows are {written.rows}.",
            hint="drop the option, or correct the table.",
        )
    notes: tuple[str, ...] = ()
    if not rows and written.rows == "predicted":
        notes = (f"rows of {written.title} are predicted (named so in {written.axes_named_by})",)
    elif not rows and not written.rows and written.axes_named_by:
        notes = (
            f"{written.axes_named_by} of {written.title} does not name the axes: rows are taken as actual",
        )
    if (rows or written.rows) == "predicted":
        written = written.turned()
    return written, notes


def _names_a_file(text: str) -> bool:
    if _ONLY_NUMBERS.fullmatch(text):
        return False
    typed_rows = ";" in text or "\n" in text
    return os.path.exists(text) or (not typed_rows and Path(text).suffix.lower() in SUFFIXES)


def _from_file(path: Path, kind: Kind) -> Written:
    suffix = path.suffix.lower()
    size_of(path)  # says what is wrong with a folder or an absent file before its suffix matters
    if suffix not in SUFFIXES:
        raise FileError(
            f"expected a file that ends in {', '.join(SUFFIXES)}; got {quoted(path.name)}.",
            hint=f"rename it by what is in it; .txt holds rows such as '{kind.example}'.",
        )
    note_inputs([path])
    text = read_text(path)
    if suffix == ".json":
        return _from_values(_parsed_json(text, path.name, kind), path.name, kind)
    if suffix == ".txt":
        return _from_text(text, path.name, kind)
    return _from_csv(records_of(text, path.name, "\t" if suffix == ".tsv" else None), path.name, kind)


def _title(name: str | None, kind: Kind) -> str:
    return name or f"the {kind.noun}"


def _of(name: str | None, kind: Kind) -> str:
    return "" if name is None and kind.typed_alone else f" of {_title(name, kind)}"


# --- inline text ---------------------------------------------------------------------------------


def _from_text(text: str, name: str | None, kind: Kind) -> Written:
    if text.lstrip().startswith(("[", "{")):
        return _from_values(_parsed_json(text, name, kind), name, kind)
    lines = [line.strip().removesuffix(";") for line in text.splitlines()]
    rows = [row.strip() for line in lines if line.strip() for row in line.split(";")]
    if len(rows) == 1 and not looks_like_number(rows[0]) and name is None:
        raise InputError(
            f"{quoted(text)} is neither a {kind.noun} nor the name of a file that exists.",
            hint=f"type rows such as '{kind.example}', or the path of a {', '.join(SUFFIXES)} file.",
        )
    if "" in rows:
        raise ShapeError(f"row {rows.index('') + 1} of {_title(name, kind)} is empty.")
    words = (word.strip(",") for row in rows for word in row.split())
    hint = _THOUSANDS_HINT if any(map(_THOUSANDS_WORD.fullmatch, words)) else None
    return _bare([re.split(r"\s*,\s*|\s+", row) for row in rows], name, kind, hint=hint)


# --- JSON and Python values ----------------------------------------------------------------------


class _Fields(tuple[tuple[object, object], ...]):
    """The pairs of a JSON object, in order, so that a key given twice can still be seen."""


def _parsed_json(text: str, name: str | None, kind: Kind) -> object:
    try:
        return json.loads(text, object_pairs_hook=_Fields)
    except json.JSONDecodeError as error:
        why = f"{error.msg} (line {error.lineno}, column {error.colno})"
    except (ValueError, RecursionError):
        why = "a number is too long, or it is nested too deeply"
    problem = FileError if name else InputError
    raise problem(f"{_title(name, kind)} is not valid JSON: {why}.")


def _from_values(value: object, name: str | None, kind: Kind) -> Written:
    if isinstance(value, Mapping):
        value = _Fields(value.items())
    if isinstance(value, _Fields):
        keys = {key for key, _ in value}
        if keys & set(kind.matrix_keys) and keys <= {"labels", "rows", *kind.matrix_keys}:
            return _from_labelled(value, name, kind)
        return _from_names(value, name, kind)
    return _bare(_nested(value, name, kind), name, kind)


def _nested(value: object, name: str | None, kind: Kind) -> list[list[object]]:
    value = plain(value)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | _Fields):
        came = "a mapping" if isinstance(value, Mapping | _Fields) else type(value).__name__
        raise InputError(
            f"expected {_title(name, kind)} as rows of numbers; got {came}.",
            hint="write rows such as [[150, 40], [60, 250]], or names: {actual: {predicted: value}}.",
        )
    rows = []
    for index, row in enumerate(map(plain, value), start=1):
        if not isinstance(row, Sequence) or isinstance(row, str | bytes | _Fields):
            raise ShapeError(f"row {index}{_of(name, kind)} is {shown(row)}; expected a list of numbers.")
        rows.append(list(row))
    return rows


def _from_labelled(fields: _Fields, name: str | None, kind: Kind) -> Written:
    found: dict[object, object] = {}
    for key, value in fields:
        word = "matrix" if key in kind.matrix_keys else key
        if word in found:
            raise InputError(f"{_title(name, kind)} gives {quoted(str(key))} twice.")
        found[word] = value
    rows = found.get("rows")
    if rows not in (None, "actual", "predicted"):
        raise InputError(f'"rows" of {_title(name, kind)} is {shown(rows)}; expected actual or predicted.')
    written = _bare(_nested(found["matrix"], name, kind), name, kind)
    if rows is not None:
        axis: Axis = "actual" if rows == "actual" else "predicted"
        written = replace(written, rows=axis, axes_named_by='"rows"')
    if "labels" not in found:
        return written
    labels = checked_labels(found["labels"], f"the labels of {_title(name, kind)}")
    check_label_count(labels, len(written.cells))
    return replace(written, row_labels=labels, column_labels=labels)


def _from_names(fields: _Fields, name: str | None, kind: Kind) -> Written:
    entries: list[_Entry] = []
    actual: dict[str, None] = {}
    for key, value in fields:
        label = label_text(key, f"a name in {_title(name, kind)}")
        if label in actual:
            raise InputError(f"{_title(name, kind)} gives actual {quoted(label)} twice.")
        actual[label] = None
        if not isinstance(value, Mapping | _Fields):
            raise InputError(
                f"actual {quoted(label)}{_of(name, kind)} holds {shown(value)}; expected a value for each "
                "predicted label.",
                hint=f'write {{actual: {{predicted: value}}}}, or only "labels" and "{kind.matrix_keys[0]}".',
            )
        for inner, content in value.items() if isinstance(value, Mapping) else value:
            predicted = label_text(inner, f"a name in {_title(name, kind)}")
            place = f"actual {quoted(label)}, predicted {quoted(predicted)}{_of(name, kind)}"
            entries.append(_Entry(label, predicted, content, place))
    return _from_entries(tuple(actual), entries, _title(name, kind))


@dataclass(frozen=True)
class _Entry:
    actual: str
    predicted: str
    content: object
    place: str


def _from_entries(actual: Iterable[str], entries: Sequence[_Entry], title: str) -> Written:
    row_of = {label: index for index, label in enumerate(dict.fromkeys(actual))}
    column_of = {
        label: index for index, label in enumerate(dict.fromkeys(entry.predicted for entry in entries))
    }
    cells: list[list[object]] = [[ABSENT] * len(column_of) for _ in row_of]
    places: dict[tuple[int, int], str] = {}
    for entry in entries:
        row, column = row_of[entry.actual], column_of[entry.predicted]
        if (row, column) in places:
            first = places[row, column]
            where = "" if first == entry.place else f": {first}, and {entry.place}"
            raise InputError(
                f"{title} gives actual {quoted(entry.actual)}, predicted {quoted(entry.predicted)} "
                f"twice{where}."
            )
        cells[row][column] = entry.content
        places[row, column] = entry.place
    return Written(title, cells, lambda row, column: places[row, column], tuple(row_of), tuple(column_of))


def _bare(
    rows: Sequence[Sequence[object]],
    name: str | None,
    kind: Kind,
    *,
    place: Callable[[int, int], str] | None = None,
    hint: str | None = None,
) -> Written:
    if not rows:
        raise ShapeError(f"{_title(name, kind)} has no rows.", hint=f"type rows such as '{kind.example}'.")
    width = len(rows[0])
    for index, row in enumerate(rows, start=1):
        if len(row) != width:
            raise ShapeError(
                f"row {index}{_of(name, kind)} has {cells_in_words(len(row))}; row 1 has {width}.",
                hint=hint,
            )
    if len(rows) != width:
        raise ShapeError(
            f"expected as many columns as rows; {_title(name, kind)} is {len(rows)} x {width}.", hint=hint
        )

    def counted(row: int, column: int) -> str:
        return f"row {row + 1}, column {column + 1}{_of(name, kind)}"

    return Written(_title(name, kind), rows, place or counted)


# --- CSV -----------------------------------------------------------------------------------------


def _from_csv(records: Sequence[Record], name: str, kind: Kind) -> Written:
    header = records[0].fields
    others = [field for field in header if axis_of(field) is None]
    if {axis_of(field) for field in header} >= {"actual", "predicted"} and len(others) == len(header) - 2:
        if not others:
            raise InputError(
                f"line {records[0].line} of {name} names the columns {listed(header)}; expected also "
                f"{' or '.join(kind.value_columns)}.",
                hint="one line for each prediction is read by `tallymark evaluate`.",
            )
        # Not by the first two names alone: 'predicted,true,false' is the header of a table with sides.
        if len(others) == 1 and others[0].lower() in kind.value_columns:
            return _from_long(records, name)
    if looks_like_number(header[0]):
        rows = [record.fields for record in records]
        return _bare(
            rows,
            name,
            kind,
            place=lambda row, column: f"line {records[row].line}, column {column + 1} of {name}",
        )
    return _from_sides(records, name, kind)


def _from_long(records: Sequence[Record], name: str) -> Written:
    header = records[0].fields
    axes = [axis_of(field) for field in header]
    columns = (axes.index("actual"), axes.index("predicted"), axes.index(None))
    entries = []
    for record in records[1:]:
        for index in columns[:2]:
            if not record.fields[index]:
                raise LabelError(
                    f"line {record.line}, column {quoted(header[index])} of {name} holds no label."
                )
        actual, predicted, content = (record.fields[index] for index in columns)
        place = f"line {record.line}, column {quoted(header[columns[2]])} of {name}"
        entries.append(_Entry(actual, predicted, content, place))
    if not entries:
        raise ShapeError(f"{name} has a header and nothing under it.")
    written = _from_entries((entry.actual for entry in entries), entries, name)
    return replace(written, rows="actual", axes_named_by="the header")


def _from_sides(records: Sequence[Record], name: str, kind: Kind) -> Written:
    corner, *columns = records[0].fields
    body = records[1:]
    for index, label in enumerate(columns, start=2):
        if not label:
            raise LabelError(f"line {records[0].line}, column {index} of {name} holds no label.")
        if columns.index(label) != index - 2:
            raise LabelError(f"line {records[0].line} of {name} names the column {quoted(label)} twice.")
    first_line: dict[str, int] = {}
    for record in body:
        label = record.fields[0]
        if not label:
            raise LabelError(f"line {record.line}, column 1 of {name} holds no label.")
        if label in first_line:
            raise LabelError(
                f"line {record.line} of {name} names the row {quoted(label)} again "
                f"(first on line {first_line[label]})."
            )
        first_line[label] = record.line
    if not set(columns) & set(first_line):
        raise LabelError(
            f"no row of {name} has the label of a column: its columns are {listed(columns)}, "
            f"its rows {listed(list(first_line))}.",
            hint="give labels in the header and in the first column, or in neither, or one line for each "
            f"pair under the header actual,predicted,{kind.value_columns[0]}.",
        )
    return Written(
        name,
        [record.fields[1:] for record in body],
        lambda row, column: f"line {body[row].line}, column {quoted(columns[column])} of {name}",
        tuple(first_line),
        tuple(columns),
        corner_axis(corner, name),
        f"the corner {quoted(corner)}" if corner else "",
    )
