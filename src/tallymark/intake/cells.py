"""What `square.py` reads tables with: a file's text, its CSV records, and the words and numbers in a cell."""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tallymark.errors import FileError, InputError, LabelError
from tallymark.intake.files.kinds import bad_bytes, check_text, size_of, unreadable
from tallymark.intake.files.kinds import shown as path_shown

_ACTUAL = frozenset({"actual", "true", "truth", "reference"})
_PREDICTED = frozenset({"predicted", "prediction", "pred"})
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_NUMBER_LIKE = re.compile(r"[+-]?\.?\d|[+-]?(nan|inf|infinity)$", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,.' \u00a0\u2009\u202f]\d{3})+", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)


# --- files ---------------------------------------------------------------------------------------


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    check_text(path, size_of(path))
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise bad_bytes(path) from None
    except OSError as error:
        raise unreadable(path, error) from None
    if "\0" in text:
        raise bad_bytes(path)
    if not text.strip():
        raise FileError(f"{path_shown(path)} has only blank lines.")
    return text


@dataclass(frozen=True)
class Record:
    """One CSV record: the line it starts on, and its fields without the blanks around them."""

    line: int
    fields: tuple[str, ...]


def records_of(text: str, name: str, delimiter: str | None) -> list[Record]:
    """The records of a CSV, all equally long; lines with nothing in them are left out."""
    records = _parsed(text, name, delimiter or _delimiter_of(text, name))
    if not records:
        raise FileError(f"{name} holds no values.")
    width = len(records[0].fields)
    if width == 1:
        raise FileError(
            f"line {records[0].line} of {name} has one cell; expected several, separated by "
            f"{'tabs' if delimiter else 'commas'}.",
            hint="commas and semicolons go in a .csv file, tabs in .tsv, blanks in .txt.",
        )
    for record in records:
        if len(record.fields) != width:
            one_more = all(len(other.fields) == width + 1 for other in records[1:])
            raise FileError(
                f"line {record.line} of {name} has {cells_in_words(len(record.fields))}; "
                f"line {records[0].line} has {width}.",
                hint="the header needs a cell above the row labels; it may be empty."
                if one_more
                else "write numbers without thousands separators (4841, not 4,841), and every cell.",
            )
    return records


def _parsed(text: str, name: str, delimiter: str) -> list[Record]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    records = []
    line = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                records.append(Record(line, tuple(field.strip() for field in fields)))
            line = reader.line_num + 1
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise FileError(f"a quote opened on line {line} of {name} is never closed.") from None
        raise FileError(f"line {line} of {name} cannot be read as CSV: {error}.") from None
    return records


def _delimiter_of(text: str, name: str) -> str:
    # The comma comes last: files cut by ';' often hold decimal commas, the reverse is rare.
    for delimiter in "\t;,":
        try:
            widths = {len(record.fields) for record in _parsed(text, name, delimiter)}
        except FileError:
            continue
        if len(widths) == 1 and widths != {1}:
            return delimiter
    header = text.lstrip().splitlines()[0]
    return max(",;\t", key=header.count)


# --- words ---------------------------------------------------------------------------------------


def axis_of(word: str) -> Literal["actual", "predicted"] | None:
    """Which axis a word names: 'True label' is actual, 'pred' is predicted."""
    plain = re.sub(r"[ _](class|label)(es|s)?$", "", word.strip().lower())
    if plain in _ACTUAL:
        return "actual"
    return "predicted" if plain in _PREDICTED else None


def corner_axis(corner: str, name: str) -> Literal["actual", "predicted"] | None:
    r"""What the rows are by the corner cell: 'predicted \ actual' and 'predicted' say predicted."""
    rows, *others = re.split(r"[\\/|]", corner)
    row_axis = axis_of(rows)
    column_axis = axis_of(others[0]) if len(others) == 1 else None
    if column_axis is None:
        return row_axis
    if row_axis == column_axis:
        raise InputError(f"the corner {quoted(corner)} of {name} calls both axes {row_axis}.")
    return "actual" if column_axis == "predicted" else "predicted"


def quoted(text: str) -> str:
    """Text in quotes on one line; a backslash stays single, for corners such as actual\\predicted."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...").replace("\\\\", "\\")


def listed(texts: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    few = ", ".join(map(quoted, texts[:5]))
    return few if len(texts) <= 5 else f"{few} and {len(texts) - 5} more"


def shown(content: object) -> str:
    """What a cell holds, short enough for a message."""
    if isinstance(content, int) and content.bit_length() > 10_000:
        return "a number of thousands of digits"  # Python refuses to print those
    return quoted(content) if isinstance(content, str) else quoted(str(content))[1:-1]


def cells_in_words(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"


def cell_fault(content: object) -> str:
    """'is empty' or "holds 'x'"."""
    return "is empty" if is_empty(content) else f"holds {shown(content)}"


# --- numbers -------------------------------------------------------------------------------------


def is_empty(content: object) -> bool:
    return content is None or (isinstance(content, str) and not content.strip())


def looks_like_number(text: str) -> bool:
    """Whether a number was meant, even a wrong one such as '4,841', '12%' or 'NaN'."""
    return bool(_NUMBER_LIKE.match(text))


def number(content: object) -> int | float | None:
    """The finite number a cell holds, or None. True and False are not numbers here."""
    if isinstance(content, str):
        text = content.strip()
        if _WHOLE.fullmatch(text):
            return int(text)
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
    elif isinstance(content, bool) or not isinstance(content, numbers.Real):
        return None
    elif isinstance(content, numbers.Integral):
        return int(content)
    else:
        value = float(content)
    return value if math.isfinite(value) else None


def number_hint(content: object) -> str | None:
    """What to do about a cell that is not the number it should be."""
    if not isinstance(content, str):
        return None
    text = content.strip()
    if text.endswith("%"):
        return "give the numbers themselves, not percentages."
    if _THOUSANDS.fullmatch(text):
        return "write numbers without thousands separators (4841, not 4,841)."
    return "write decimals with a point (0.5, not 0,5)." if _DECIMAL_COMMA.fullmatch(text) else None


# --- labels --------------------------------------------------------------------------------------


def label_text(label: object, what: str) -> str:
    """The text a label is matched by: 1 is named '1', True is named 'True'."""
    label = label.item() if hasattr(label, "item") else label
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    if not isinstance(label, str | int) or not str(label).strip():
        raise LabelError(f"{what} is {shown(label)}; expected a label (text or a whole number).")
    return str(label)


def checked_labels(labels: object, what: str) -> tuple[str, ...]:
    """Labels as text, each there once."""
    labels = plain(labels)
    if not isinstance(labels, Sequence) or isinstance(labels, str):
        raise LabelError(f"{what} are {shown(labels)}; expected a list of labels.")
    texts = tuple(label_text(label, f"one of {what}") for label in labels)
    if len(set(texts)) != len(texts):
        twice = next(text for index, text in enumerate(texts) if text in texts[:index])
        raise LabelError(f"{what} hold {quoted(twice)} twice.")
    return texts


def check_label_count(labels: Sequence[str], size: int) -> None:
    if len(labels) != size:
        raise LabelError(
            f"expected as many labels as rows; got {len(labels)} ({listed(labels)}) "
            f"for a {size} x {size} matrix."
        )


def plain(value: object) -> object:
    """An array as nested lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value
