"""JSON in: objects one per line, or in one list; every flaw is told with its line or item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tallymark.errors import ColumnError, FileError
from tallymark.intake.files.excerpts import Excerpt
from tallymark.intake.files.kinds import bad_bytes, shown, unreadable

if TYPE_CHECKING:
    import polars as pl

Pairs = tuple[tuple[str, Any], ...]
Unit = Literal["line", "item"]

_ROWS = 'write the rows as a list: [{"column": value, ...}, ...] (with pandas: orient="records").'
_LOOKED_AT = 1000
_BLANK = re.compile(r"[ \t\r\n]*")
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
_FAMILIES: dict[type, str] = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    tuple: "an object",
}


def header(path: Path, wanted: Sequence[str], *, unit: Unit) -> list[str]:
    """The keys of the objects as they first appear; the whole file is looked at only for a wanted key."""
    names: dict[str, None] = {}
    count = 0
    for count, (_, pairs) in enumerate(_objects(Excerpt(path), unit), 1):
        names.update((key, None) for key, _ in pairs)
        if count >= _LOOKED_AT and all(name in names for name in wanted):
            break
    if count == 1 and unit == "line" and path.suffix.lower() == ".json":
        # columns written as lists would pass for one row of label sets
        raise FileError(f"{shown(path)} holds a single object, not rows.", hint=_ROWS)
    if count == 0:
        what = "has only blank lines" if unit == "line" else "holds an empty list, so there are no rows"
        raise FileError(f"{shown(path)} {what}.")
    return list(names)


def read(path: Path, columns: Sequence[str], *, unit: Unit) -> pl.DataFrame:
    """The asked columns, typed by their values; a key that an object lacks is a missing value."""
    return read_excerpt(Excerpt(path), columns, unit=unit)


def read_excerpt(excerpt: Excerpt, columns: Sequence[str], *, unit: Unit) -> pl.DataFrame:
    import polars as pl

    values: dict[str, list[Any]] = {name: [] for name in columns}
    seen: dict[str, dict[type, int]] = {name: {} for name in columns}
    for place, pairs in _objects(excerpt, unit):
        found = dict(pairs)
        if len(found) != len(pairs):
            _refuse_repeated(excerpt.path, f"{unit} {place}", pairs, columns)
        for name in columns:
            value = found.get(name)
            values[name].append(value)
            seen[name].setdefault(type(value), place)
    return pl.DataFrame([_series(excerpt, unit, name, values[name], seen[name]) for name in columns])


def numbers(path: Path, rows: Sequence[int], *, unit: Unit) -> list[int]:
    """The line or item (from 1) of each of the rows (from 0, ascending)."""
    return excerpt_numbers(Excerpt(path), rows, unit=unit)


def excerpt_numbers(excerpt: Excerpt, rows: Sequence[int], *, unit: Unit) -> list[int]:
    wanted = set(rows)
    places = (place for row, (place, _) in enumerate(_objects(excerpt, unit)) if row in wanted)
    return list(islice(places, len(wanted)))


# --- objects -----------------------------------------------------------------------------------


def _constant(word: str) -> Any:
    raise ValueError(word)


# Objects come as tuples of pairs, so that a repeated key is not lost.
_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_constant=_constant)


def _objects(excerpt: Excerpt, unit: Unit) -> Iterator[tuple[int, Pairs]]:
    try:
        yield from _lines(excerpt) if unit == "line" else _items(excerpt.path)
    except UnicodeDecodeError:
        raise bad_bytes(excerpt.path) from None
    except OSError as error:
        raise unreadable(excerpt.path, error) from None


def _lines(excerpt: Excerpt) -> Iterator[tuple[int, Pairs]]:
    path = excerpt.path
    with excerpt.open() as file:
        for number, line in enumerate(file, excerpt.line):
            text = line.strip(" \t\r\n")
            if text:
                value, end = _decoded(path, f"line {number}", text, 0)
                if end < len(text):
                    raise FileError(
                        f"line {number} of {shown(path)} has text behind its object.",
                        hint="write one object per line.",
                    )
                yield number, _object(path, f"line {number}", value)


def _items(path: Path) -> Iterator[tuple[int, Pairs]]:
    text = path.read_text("utf-8-sig")
    at, number, behind = _after_blanks(text, 0), 0, "["
    if not text.startswith("[", at):
        raise FileError(f"{shown(path)} holds no list of objects.", hint=_ROWS)
    at += 1
    while True:
        at = _after_blanks(text, at)
        if text.startswith("]", at):
            if behind == ",":
                raise FileError(f"{shown(path)} has a comma behind its last item ({number:,}).")
            break
        number += 1
        value, at = _decoded(path, f"item {number}", text, at)
        yield number, _object(path, f"item {number}", value)
        at = _after_blanks(text, at)
        behind = text[at : at + 1]
        if behind == ",":
            at += 1
        elif behind != "]":
            hint = "the file may be cut short." if not behind else "items are separated by commas."
            raise FileError(
                f"the list in {shown(path)} does not go on after item {number} as JSON does.", hint=hint
            )
    if _after_blanks(text, at + 1) < len(text):
        raise FileError(f"{shown(path)} has text behind the end of its list.")


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _decoded(path: Path, place: str, text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _not_json(path, place, text, at, error) from None
    except ValueError as error:
        word = str(error)
        if word in _CONSTANTS:
            raise FileError(
                f"{place} of {shown(path)} has {word}, which is no JSON.",
                hint="write null for a number that is missing.",
            ) from None
        raise FileError(f"{place} of {shown(path)} has a number with too many digits.") from None
    except RecursionError:
        raise FileError(f"{place} of {shown(path)} is nested too deeply.") from None


def _not_json(path: Path, place: str, text: str, at: int, error: json.JSONDecodeError) -> FileError:
    if "\0" in text:
        return bad_bytes(path)
    reason = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
    hint = None
    if text[at:].strip() in ("{", "["):
        hint = "an object must stand on one line; a list of objects is read from a .json file."
    elif error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        hint = "the file may be cut short."
    elif place.startswith("line") and text[at : at + 1] not in ("{", "["):
        hint = "a CSV has the suffix .csv." if "," in text else None
    column = f" at its character {error.pos - at + 1:,}" if error.pos > at else ""
    return FileError(f"{place} of {shown(path)} is not JSON{column}: {reason}.", hint=hint)


def _object(path: Path, place: str, value: Any) -> Pairs:
    if type(value) is tuple:
        return value
    what = "null" if value is None else _FAMILIES[type(value)]
    raise FileError(
        f"{place} of {shown(path)} is {what}; an object is expected.",
        hint='write each row as {"column": value, ...}.',
    )


def _refuse_repeated(path: Path, place: str, pairs: Pairs, columns: Sequence[str]) -> None:
    keys = [key for key, _ in pairs]
    for name in columns:
        if keys.count(name) > 1:
            raise ColumnError(
                f"{place} of {shown(path)} has the key {name!r} {keys.count(name)} times.",
                hint="give each value its own key.",
            )


# --- columns -----------------------------------------------------------------------------------


def _series(excerpt: Excerpt, unit: Unit, name: str, values: list[Any], seen: dict[type, int]) -> pl.Series:
    import polars as pl

    kinds = {kind: place for kind, place in seen.items() if kind is not type(None)}
    if tuple in kinds:
        raise ColumnError(
            f"column {name!r} holds an object at {unit} {kinds[tuple]} of {shown(excerpt.path)}.",
            hint="values are text, numbers, true or false, or lists of text or of whole numbers.",
        )
    refuse_mixed(excerpt.path, unit, name, kinds)
    if not kinds:
        return pl.Series(name, values, dtype=pl.Null)
    if list in kinds:
        return _list_series(excerpt, unit, name, values)
    return _plain_series(excerpt, unit, name, values, set(kinds))


def refuse_mixed(path: Path, unit: Unit, name: str, kinds: dict[type, int]) -> None:
    """Raise when a column holds values of two families; `kinds` tells where each type was first seen."""
    places: dict[str, int] = {}
    for kind, place in kinds.items():
        places.setdefault(_FAMILIES[kind], place)
    if len(places) > 1:
        (one, first), (other, second) = list(places.items())[:2]
        raise ColumnError(
            f"column {name!r} holds {one} at {unit} {first} and {other} at {unit} {second} of {shown(path)}.",
            hint="write all values of a column in the same way.",
        )


def _plain_series(excerpt: Excerpt, unit: Unit, name: str, values: list[Any], kinds: set[type]) -> pl.Series:
    import polars as pl

    def refused(row: int, what: str) -> ColumnError:
        place = excerpt_numbers(excerpt, [row], unit=unit)[0]
        return ColumnError(f"column {name!r} holds {what} at {unit} {place} of {shown(excerpt.path)}.")

    if str in kinds:
        try:
            return pl.Series(name, values, dtype=pl.String)
        except UnicodeEncodeError:
            row = next(row for row, value in enumerate(values) if value and _is_broken(value))
            raise refused(row, "half a character (a lone surrogate)") from None
    if bool in kinds:
        return pl.Series(name, values, dtype=pl.Boolean)
    largest = max(range(len(values)), key=lambda row: abs(values[row] or 0))
    if abs(values[largest]) >= 2**127 and isinstance(values[largest], int):
        raise refused(largest, "a whole number beyond 2**127")
    if float in kinds:
        floats = [None if value is None else float(value) for value in values]
        return pl.Series(name, floats, dtype=pl.Float64)
    return pl.Series(name, values, dtype=pl.Int64 if abs(values[largest]) < 2**63 else pl.Int128)


def _is_broken(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _list_series(excerpt: Excerpt, unit: Unit, name: str, values: list[Any]) -> pl.Series:
    """Lists of text or of whole numbers, as label sets are written."""
    import polars as pl

    family, path = None, excerpt.path
    for row, items in enumerate(values):
        for item in items or ():
            family = family or type(item)
            if type(item) is not family or family not in (str, int):
                place = excerpt_numbers(excerpt, [row], unit=unit)[0]
                what = "null" if item is None else _FAMILIES[type(item)]
                raise ColumnError(
                    f"column {name!r} holds a list with {what} in it at {unit} {place} of {shown(path)}.",
                    hint="lists are read when they hold only text, or only whole numbers.",
                )
            if family is int and abs(item) >= 2**63:
                place = excerpt_numbers(excerpt, [row], unit=unit)[0]
                raise ColumnError(
                    f"column {name!r} holds a list with a number beyond 2**63 at {unit} {place} "
                    f"of {shown(path)}."
                )
    inner = pl.String if family is str else pl.Int64 if family is int else pl.Null
    return pl.Series(name, values, dtype=pl.List(inner))
