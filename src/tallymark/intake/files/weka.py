"""What WEKA prints with `-p` or `-classifications`: the table of predictions, as plain text or as CSV.

The table ends with its first blank line; what stands around it (the model, the summary) is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.errors import FileError
from tallymark.intake.files.arff_words import WordError, words
from tallymark.intake.files.kinds import bad_bytes, shown, unreadable

if TYPE_CHECKING:
    import polars as pl

_HEADER = re.compile(
    r"[ \t]*inst#[ \t]+actual[ \t]+predicted[ \t]+error"
    r"(?:[ \t]+(?P<last>prediction|distribution))?(?:[ \t]*\((?P<names>.*)\))?[ \t]*"
)
_CSV_HEADER = re.compile(
    r"[ \t]*inst#(?P<mark>[,\t])actual(?P=mark)predicted(?P=mark)error"
    r"(?:(?P=mark)(?P<last>prediction|distribution)(?P<names>.*))?"
)
_LABEL = r"\d+:'(?:[^'\\]|\\.)*'|\d+:\S+"
_ROW = re.compile(
    rf"\s*(?P<inst>\d+)\s+(?P<actual>{_LABEL}|\?)\s+(?P<predicted>\d+:.*?|\?)\s+(?:(?P<error>\+)\s+)?"
    r"(?P<last>\?|\*?[-0-9.,*eE]+)(?:\s+\((?P<values>.*)\))?\s*"
)
_CSV_FIELD = re.compile(r"(?:\d+:)?'(?:[^'\\]|\\.)*'|[^,\t]*")
_STRAY = re.compile(r"\s*\d+[\s,]+(?:\d+:\S|\?).*?[\s,](?:\d+:\S|\?)")
_NUMBER = re.compile(r"\d+(\.\d+)?([eE][-+]?\d+)?", re.ASCII)
_USE_CSV = 'print it with -classifications "weka.classifiers.evaluation.output.prediction.CSV".'


@dataclass(frozen=True)
class _Layout:
    """What the header line tells; `mark` is the separator of the CSV form, `attributes` the extra columns."""

    line: int
    mark: str
    distribution: bool
    attributes: list[str]
    classes: int = 0


@dataclass
class _Predictions:
    """The table: the cells of each row, the shares of its classes, and the names of the classes."""

    layout: _Layout
    cells: list[list[str | None]] = field(default_factory=list)
    shares: list[list[str | None]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    labels: dict[str, str | None] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        count = max((len(shares) for shares in self.shares), default=0)
        shares = [
            f"p_{self.names[place]}" if place in self.names else f"distribution_{place}"
            for place in range(1, count + 1)
        ]
        return ["inst#", "actual", "predicted", "error", "prediction", *shares, *self.layout.attributes]


def header(path: Path) -> list[str]:
    layout = _layout(path, _lines(path))
    # only the rows tell what the classes are called
    return (_predictions(path) if layout.distribution else _Predictions(layout)).columns


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    table = _predictions(path)
    names = table.columns
    count = len(names) - 5 - len(table.layout.attributes)
    series = []
    for name in columns:
        place = names.index(name)
        if 5 <= place < 5 + count:
            values = [shares[place - 5] if shares else None for shares in table.shares]
        else:
            position = place if place < 5 else place - count
            values = [cells[position] for cells in table.cells]
        series.append(pl.Series(name, values, dtype=pl.String))
    return pl.DataFrame(series)


def line_numbers(path: Path, rows: Sequence[int]) -> list[int]:
    """The line (from 1) of each of the rows (from 0), which follow the header without a gap."""
    first = _layout(path, _lines(path)).line + 1
    return [first + row for row in rows]


# --- the file ----------------------------------------------------------------------------------


def _predictions(path: Path) -> _Predictions:
    lines = _lines(path)
    table = _Predictions(_layout(path, lines))
    for number, line in lines:
        if not line.strip():
            break
        _add(path, number, line, table)
    for number, line in lines:
        _refuse_header(path, number, line)
        if _STRAY.match(line):
            raise FileError(
                f"line {number} of {shown(path)} looks like a prediction, but the table ended before it.",
                hint="take out the blank line inside the table.",
            )
    if len(set(table.names.values())) != len(table.names):
        raise _same_name(path, table.names)
    return table


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if "\0" in line:
                    raise bad_bytes(path)
                yield number, line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise bad_bytes(path) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _layout(path: Path, lines: Iterator[tuple[int, str]]) -> _Layout:
    number, found = next(
        ((number, found) for number, line in lines if (found := _header_of(line))), (0, None)
    )
    if found is None:
        raise FileError(f"{shown(path)} has no line with the names of WEKA's columns (inst#, actual, ...).")
    if found["last"] is None:
        raise FileError(
            f"{shown(path)} holds predictions of a number (line {number}), not of classes.",
            hint="tallymark evaluates classifiers.",
        )
    mark = found.groupdict().get("mark") or ""
    given = found["names"] or ""
    names = given.split(mark)[1:] if mark else given.split(",") if given else []
    blank = next((place for place, name in enumerate(names) if name), len(names))
    distribution = found["last"] == "distribution"
    if mark and distribution:
        return _Layout(number, mark, True, names[blank:], blank + 1)
    return _Layout(number, mark, distribution, [name for name in names if name])


def _header_of(line: str) -> re.Match[str] | None:
    return (_CSV_HEADER.fullmatch(line) or _HEADER.fullmatch(line)) if "inst#" in line else None


def _refuse_header(path: Path, number: int, line: str) -> None:
    if _header_of(line):
        raise FileError(
            f"a second table of predictions begins on line {number} of {shown(path)}.",
            hint="keep one table per file: predictions on training and on test data must not be mixed.",
        )


# --- rows --------------------------------------------------------------------------------------


def _add(path: Path, number: int, line: str, table: _Predictions) -> None:
    layout = table.layout
    row = _csv_row(line, layout) if layout.mark else _plain_row(line, layout)
    if row is None:
        _refuse_header(path, number, line)
        raise FileError(
            f"line {number} of {shown(path)} is not a row of WEKA's predictions: {line.strip()[:60]!r}.",
            hint=None if layout.mark else f"labels with blanks may be cut off: {_USE_CSV}",
        )
    inst, actual, predicted, error, last, values = row
    for word in (actual, predicted):
        if word not in table.labels:
            table.labels[word] = _label(path, number, word, table.names)
    shares, top = _shares(path, number, last, predicted, layout)
    if table.shares and shares and len(shares) != len(next(filter(None, table.shares), shares)):
        raise FileError(f"line {number} of {shown(path)} has {len(shares)} shares, unlike the rows above.")
    table.shares.append(shares)
    table.cells.append([inst, table.labels[actual], table.labels[predicted], error or None, top, *values])


_Row = tuple[str, str, str, str, list[str], list[str | None]]


def _plain_row(line: str, layout: _Layout) -> _Row | None:
    found = _ROW.fullmatch(line)
    if found is None:
        return None
    values = _attribute_values(found["values"] or "")
    if values is None or len(values) != len(layout.attributes):
        return None
    inst, actual, predicted, error = found.group("inst", "actual", "predicted", "error")
    return inst, actual, predicted.rstrip(), error or "", found["last"].split(","), values


def _csv_row(line: str, layout: _Layout) -> _Row | None:
    fields, at = [], 0
    while True:
        found = _CSV_FIELD.match(line, at)
        assert found is not None
        fields.append(found[0])
        at = found.end() + 1
        if at > len(line):
            break
        if line[at - 1] != layout.mark:
            return None
    # asked for no attributes (-p 0), WEKA ends the header and every row with a comma
    comma_ends = not layout.attributes and not fields[-1]
    if comma_ends:
        fields.pop()
    shares = layout.classes - comma_ends if layout.distribution and fields[4:5] != ["?"] else 1
    width = 4 + shares + len(layout.attributes)
    if len(fields) != width or not fields[0].isdecimal() or fields[3] not in ("", "+"):
        return None
    values = [None if text == "?" else _unquoted(text) for text in fields[4 + shares :]]
    return fields[0], fields[1], fields[2], fields[3], fields[4 : 4 + shares], values


def _attribute_values(text: str) -> list[str | None] | None:
    try:
        found, at = words(text)
    except WordError:
        return None
    return [None if word == ("?", False) else word[0] for word in found] if at >= len(text) else None


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        try:
            return words(text)[0][0][0]
        except WordError:
            pass
    return text


def _label(path: Path, number: int, word: str, names: dict[int, str]) -> str | None:
    """The name behind `index:`; WEKA writes a missing class as `1:?`."""
    place, colon, name = word.partition(":")
    if word == "?" or name == "?":
        return None
    if not colon or not place.isdecimal():
        raise FileError(
            f"line {number} of {shown(path)} has {word!r} where a class such as 1:yes is expected.",
            hint="predictions of a numeric class are not those of a classifier.",
        )
    label = _unquoted(name)
    known = names.setdefault(int(place), label)
    if known != label:
        raise FileError(
            f"line {number} of {shown(path)} calls class {place} {label!r}; it was {known!r} before.",
            hint=f"WEKA cuts long names in plain text: {_USE_CSV}",
        )
    return known


def _shares(
    path: Path, number: int, last: list[str], predicted: str, layout: _Layout
) -> tuple[list[str | None], str | None]:
    """The share of each class (none without -distribution), and that of the predicted one."""
    if last == ["?"]:
        return [], None
    starred = [place for place, text in enumerate(last, 1) if text.startswith("*")]
    shares = [text.removeprefix("*") for text in last]
    told = [str(place) for place in starred] == [predicted.partition(":")[0]]
    right = told if layout.distribution else len(last) == 1
    if not right or not all(_NUMBER.fullmatch(text) for text in shares):
        wanted = "shares with a * at the predicted class are" if layout.distribution else "a number is"
        raise FileError(
            f"line {number} of {shown(path)} has {','.join(last)[:40]!r} where {wanted} expected."
        )
    if not layout.distribution:
        return [], shares[0]
    return list(shares), shares[starred[0] - 1]


def _same_name(path: Path, names: dict[int, str]) -> FileError:
    ordered = sorted(names.items())
    one, other = next((a, b) for (a, name) in ordered for (b, later) in ordered if a < b and name == later)
    return FileError(
        f"{shown(path)} calls both class {one} and class {other} {names[one]!r}.",
        hint=f"WEKA cuts long names in plain text: {_USE_CSV}",
    )
