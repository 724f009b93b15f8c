"""ARFF, WEKA's own format: columns as text, missing ones null, checked against what the header declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.errors import ColumnError, FileError
from tallymark.intake.files.arff_words import Word, WordError, after_blanks, next_word, plain_values, words
from tallymark.intake.files.kinds import bad_bytes, listed, shown, unreadable

if TYPE_CHECKING:
    import polars as pl

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NUMERIC = ("numeric", "real", "integer")
_TYPES = (*_NUMERIC, "string", "date")
_LABELS_SHOWN = 8


@dataclass(frozen=True)
class _Attribute:
    """A declared column; `labels` is the set of a nominal one."""

    name: str
    type: str
    labels: dict[str, str]

    @property
    def left_out(self) -> str | None:
        """What a sparse row means that does not name the column: 0, or the first label."""
        return "0" if self.type in _NUMERIC else next(iter(self.labels), None)


def header(path: Path) -> list[str]:
    return [attribute.name for attribute in _attributes(path, _lines(path))]


def nominal(path: Path) -> list[str]:
    """Columns whose values are declared one by one: names, even where they look like numbers."""
    return [attribute.name for attribute in _attributes(path, _lines(path)) if attribute.labels]


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    lines = _lines(path)
    attributes = _attributes(path, lines)
    names = [attribute.name for attribute in attributes]
    chosen = [(names.index(name), attributes[names.index(name)]) for name in columns]
    values: list[list[str | None]] = [[] for _ in columns]
    for number, line in lines:
        row = _row(path, number, line, attributes)
        for (position, attribute), column in zip(chosen, values, strict=True):
            column.append(_value(path, number, attribute, row[position]))
    return pl.DataFrame(
        {name: pl.Series(column, dtype=pl.String) for name, column in zip(columns, values, strict=True)}
    )


def line_numbers(path: Path, rows: Sequence[int]) -> list[int]:
    """The line (from 1) of each of the rows (from 0, ascending)."""
    lines = _lines(path)
    _attributes(path, lines)
    wanted = set(rows)
    return list(islice((number for row, (number, _) in enumerate(lines) if row in wanted), len(wanted)))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines without blanks around; empty ones and comments are left out."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if "\0" in line:
                    raise bad_bytes(path)
                text = line.strip()
                if text and not text.startswith("%"):
                    yield number, text
    except UnicodeDecodeError:
        raise bad_bytes(path) from None
    except OSError as error:
        raise unreadable(path, error) from None


# --- the header --------------------------------------------------------------------------------


def _attributes(path: Path, lines: Iterator[tuple[int, str]]) -> list[_Attribute]:
    """The declared columns; afterwards `lines` stands before the first row."""
    found: list[_Attribute] = []
    for number, line in lines:
        keyword = line.split(maxsplit=1)[0].casefold()
        if keyword == "@data":
            if not found:
                raise FileError(f"{shown(path)} declares no @attribute before @data (line {number}).")
            return found
        if keyword == "@attribute":
            try:
                found.append(_attribute(path, number, line, after_blanks(line, len(keyword))))
            except WordError as error:
                raise FileError(f"line {number} of {shown(path)} {error}.") from None
        elif keyword != "@relation":
            what = line if len(line) <= 40 else line[:40] + "..."
            raise FileError(
                f"line {number} of {shown(path)}: expected @relation, @attribute or @data; got {what!r}."
            )
    raise FileError(f"{shown(path)} has no @data line.", hint="the file may be cut short.")


def _attribute(path: Path, number: int, line: str, at: int) -> _Attribute:
    if at >= len(line):
        raise WordError("has an @attribute without a name")
    (name, _), at = next_word(line, at)
    at = after_blanks(line, at)
    if line.startswith("{", at):
        listed_words, at = words(line, at + 1, "}")
        if not line.startswith("}", at):
            raise WordError(f"has a set of labels for {name!r} that is never closed with }}")
        labels = {label: label for label, _ in listed_words}
        if len(labels) != len(listed_words) or not labels:
            what = "no label" if not labels else "a label twice"
            raise WordError(f"has {what} in the set of {name!r}")
        return _Attribute(name, "nominal", labels)
    kind = line[at:].split(maxsplit=1)[0].casefold() if line[at:] else ""
    if kind == "relational":
        raise ColumnError(
            f"line {number} of {shown(path)}: {name!r} is a relational attribute (a table in a table), "
            "which is not read."
        )
    if kind not in _TYPES:
        hint = f"the types are {', '.join(_TYPES)} and {{label, label, ...}}."
        raise ColumnError(
            f"line {number} of {shown(path)}: attribute {name!r} has "
            f"{f'the unknown type {kind!r}' if kind else 'no type'}.",
            hint=hint,
        )
    return _Attribute(name, kind, {})


# --- rows --------------------------------------------------------------------------------------


def _row(path: Path, number: int, line: str, attributes: list[_Attribute]) -> Sequence[Word | None]:
    """A value for every column; None where a sparse row leaves out a text."""
    plain = plain_values(line)
    if plain is not None and len(plain) == len(attributes):
        return [(value, False) for value in plain]
    row: Sequence[Word | None]
    try:
        if line.startswith("{"):
            row, at = _sparse(line, attributes)
        else:
            row, at = words(line)
            if len(row) != len(attributes):
                have, want = _counted(len(row), "value"), _counted(len(attributes), "attribute")
                raise WordError(f"has {have}; the header declares {want}")
        _check_weight(path, number, line, at)
    except WordError as error:
        raise FileError(f"line {number} of {shown(path)} {error}.", hint=_hint(str(error))) from None
    return row


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _hint(problem: str) -> str | None:
    if "commas" in problem or "a comma" in problem:
        return "a missing value is written ?."
    if "quote" in problem:
        return r"a quote inside a value in quotes is written \' or \"."
    return "a value with blanks, commas, quotes or % in it stands in quotes." if "value" in problem else None


def _sparse(line: str, attributes: list[_Attribute]) -> tuple[list[Word | None], int]:
    row: list[Word | None] = [
        None if attribute.left_out is None else (attribute.left_out, True) for attribute in attributes
    ]
    found, at = words(line, 1, "}")
    if not line.startswith("}", at):
        raise WordError("has a sparse row that is never closed with }")
    if len(found) % 2:
        raise WordError(
            "has a sparse row with an odd number of words; it holds pairs of a position and a value"
        )
    before = -1
    for (position, _), value in zip(found[::2], found[1::2], strict=True):
        place = int(position) if position.isdecimal() and position.isascii() else -1
        if not before < place < len(attributes):
            last = len(attributes) - 1
            raise WordError(
                f"has the position {position!r} in a sparse row; positions rise and go from 0 to {last}"
            )
        row[place], before = value, place
    return row, at + 1


def _check_weight(path: Path, number: int, line: str, at: int) -> None:
    """What may follow a row: a comment, or its weight in braces, which must be 1."""
    at = after_blanks(line, at)
    if line.startswith(",", at):
        at = after_blanks(line, at + 1)
    if at >= len(line) or line[at] == "%":
        return
    found = re.compile(r"\{\s*([^{}]*?)\s*\}\s*(%.*)?$").match(line, at)
    if found is None or not _NUMBER.fullmatch(found[1]):
        raise WordError(f"has {line[at:][:20]!r} behind its values")
    if float(found[1]) != 1:
        raise FileError(
            f"line {number} of {shown(path)} gives its row the weight {found[1]}; such weights are not read.",
            hint="write the weights into a column of their own.",
        )


def _value(path: Path, number: int, attribute: _Attribute, word: Word | None) -> str | None:
    if word is None:
        raise FileError(
            f"line {number} of {shown(path)} is sparse and leaves out {attribute.name!r}, "
            f"a {attribute.type} attribute, for which that has no meaning.",
            hint="write the value, or ? if it is missing.",
        )
    text, quoted = word
    if text == "?" and not quoted:
        return None
    if attribute.labels:
        if text not in attribute.labels:
            raise _unknown_label(path, number, attribute, text)
        return attribute.labels[text]
    if attribute.type in _NUMERIC and not _NUMBER.fullmatch(text):
        raise ColumnError(
            f"line {number} of {shown(path)} has {text!r} for {attribute.name!r}, which is {attribute.type}.",
            hint="a missing value is written ?.",
        )
    return text


def _unknown_label(path: Path, number: int, attribute: _Attribute, text: str) -> ColumnError:
    labels = [repr(label) for label in attribute.labels]
    if len(labels) > _LABELS_SHOWN:
        labels = [*labels[:_LABELS_SHOWN], f"{len(labels) - _LABELS_SHOWN:,} more"]
    return ColumnError(
        f"line {number} of {shown(path)} has {text!r} for {attribute.name!r}; "
        f"its labels are {listed(labels)}.",
        hint="labels are case-sensitive and stand in the @attribute line.",
    )
