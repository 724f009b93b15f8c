"""Curves from counts alone: scores counted in bins, and classifiers that are a point each."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tallymark.errors import ColumnError, InputError, ShapeError, naming, precise
from tallymark.intake.cells import cell_fault, cells_in_words, is_empty, number, number_hint, quoted
from tallymark.intake.files.kinds import listed, shown
from tallymark.intake.files.tables import Table, column_names, delimiter_hint, read_table
from tallymark.tallies import Binary
from tallymark.tallies.merging import EXACT, TOO_MANY

COUNTS = ("positives", "negatives")
EXAMPLE = "1000 0; 900 100"

_BIN, _EDGES, _NAMES = "bin", ("low", "high"), ("name", "model", "parameter")
_CELLS, _RATES = ("tp", "fn", "fp", "tn"), ("fpr", "tpr")
_TYPED = re.compile(r"[\d\s;,.+\-–—eE]*")
_DASHES = ("-", "–", "—")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")
_TOTALS = ("total", "totals", "sum", "all")
_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)"
_INTERVAL = re.compile(rf"\s*[\[(]?\s*{_NUMBER}\s*(?:,|;|-|–|—|\.\.|to)\s*{_NUMBER}\s*[\])]?\s*")
# Edges that were computed may miss each other by rounding: 0.1 + 0.2 is not 0.3.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class BinsGiven:
    """Positives and negatives in every bin of a score, in the order given."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]
    edges: tuple[float, ...] | None
    """Where the bins end, in their order, one more than bins; None: only their order is known, best first."""
    names: tuple[str, ...]
    """What the bins are called; empty when they have no names."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class PointGiven:
    """A classifier that is one point of a ROC plot, from its counts or from its rates alone."""

    name: str
    binary: Binary | None
    fpr: float
    tpr: float


@dataclass(frozen=True)
class _Sheet:
    """A small table, as it was written."""

    path: Path
    names: Sequence[str]
    table: Table

    @classmethod
    def read(cls, path: Path, delimiter: str | None) -> _Sheet:
        names = column_names(path, delimiter=delimiter)
        asked = [name for name in names if names.count(name) == 1] or names
        return cls(path, names, read_table([path], asked, delimiter=delimiter))

    def find(self, word: str) -> str | None:
        """The column of that name, in whatever case."""
        alike = [name for name in self.names if name.strip().casefold() == word]
        if len(alike) > 1:
            raise ColumnError(f"{shown(self.path)} has several columns {word}: {self.listed(alike)}.")
        return alike[0] if alike else None

    def find_all(self, words: Sequence[str]) -> list[str] | None:
        found = [name for word in words if (name := self.find(word)) is not None]
        return found if len(found) == len(words) else None

    def cells(self, name: str) -> list[object]:
        found: list[object] = self.table.frame.get_column(name).to_list()
        return found

    def place(self, *rows: int) -> str:
        return f"{self.table.where(rows)} of {shown(self.path)}"

    def texts(self, name: str) -> list[str]:
        """The cells of a column of names."""
        cells = self.cells(name)
        for row, cell in enumerate(cells):
            if is_empty(cell):
                raise InputError(f"{name} is empty at {self.place(row)}; expected a name.")
        return [str(cell).strip() for cell in cells]

    def listed(self, names: Sequence[str]) -> str:
        return listed([quoted(name) for name in names])


# --- bins --------------------------------------------------------------------------------------


def read_bins(source: str | os.PathLike[str], *, delimiter: str | None = None) -> BinsGiven:
    """Bins typed as `positives negatives; ...`, best first, or from a table with those two columns.

    A table may give the edges of its bins: in columns `low` and `high`, or in the names of a column `bin`
    such as '[90%, 100%]'. Then bins may also go upwards.

    >>> read_bins("1000 0; 900 100; 800 200").negatives
    (0, 100, 200)
    """
    if isinstance(source, str) and not _names_a_file(source):
        return _typed_bins(source)
    with naming([source]):
        return _table_of_bins(_Sheet.read(Path(source), delimiter))


def _names_a_file(text: str) -> bool:
    if _TYPED.fullmatch(text) or ((";" in text or "\n" in text) and not os.path.exists(text)):
        return False
    if not Path(text).suffix and not os.path.exists(text):
        raise InputError(
            f"{quoted(text)} is neither counts in bins nor the name of a file that exists.",
            hint=f"type positives and negatives of each bin, best first, such as '{EXAMPLE}'.",
        )
    return True


def _typed_bins(text: str) -> BinsGiven:
    lines = [line.strip().removesuffix(";") for line in text.strip().splitlines()]
    rows = [re.split(r"\s*,\s*|\s+", row.strip()) for line in lines if line for row in line.split(";")]
    if not rows:
        raise ShapeError("there are no bins.", hint=f"type rows such as '{EXAMPLE}'.")
    for place, row in enumerate(rows, 1):
        if len(row) != 2 or "" in row:
            came = "is empty" if row == [""] else f"has {cells_in_words(len(row))}"
            raise ShapeError(
                f"bin {place} {came}; expected two, its positives and its negatives.",
                hint=f"type rows such as '{EXAMPLE}', best first, without thousands separators.",
            )
    notes: list[str] = []
    columns = [
        _counts([row[at] for row in rows], word, lambda row: f"bin {row + 1}", notes)
        for at, word in enumerate(COUNTS)
    ]
    if _ends_in_sums(*columns):
        raise _of_totals(f"bin {len(rows)}, the last,")
    return _checked(BinsGiven(columns[0], columns[1], None, (), _once(notes)))


def _table_of_bins(sheet: _Sheet) -> BinsGiven:
    notes: list[str] = []
    columns = sheet.find_all(COUNTS) or _two_of_numbers(sheet, notes)
    named = sheet.find(_BIN) or _intervals(sheet, columns, notes)
    names = () if named is None else tuple(sheet.texts(named))
    _refuse_repeated(names, sheet)
    positives, negatives = (_counts(sheet.cells(name), name, sheet.place, notes) for name in columns)
    _refuse_totals(names, positives, negatives, sheet)
    edges = _edges(sheet, names)
    open_below = next((name for name in names if name.startswith("(")), None)
    if edges is not None and open_below is not None:
        notes.append(f"bin {quoted(open_below)} does not hold its lower edge: read score > threshold.")
    return _checked(BinsGiven(positives, negatives, edges, names, _once(notes)))


def _two_of_numbers(sheet: _Sheet, notes: list[str]) -> list[str]:
    """The only two columns of numbers, when none are called positives and negatives."""
    others = [name for name in sheet.table.frame.columns if name.strip().casefold() not in (_BIN, *_EDGES)]
    found = [name for name in others if all(map(_is_number, sheet.cells(name)))]
    absent = [word for word in COUNTS if sheet.find(word) is None]
    if len(absent) < 2 or len(found) != 2 or any(map(_is_number, found)):
        hint = "call the columns of counts positives and negatives."
        if any(map(_is_number, found)):
            hint = "the first line must hold the names of the columns."
        raise ColumnError(
            f"{shown(sheet.path)} has no {'column' if len(absent) == 1 else 'columns'} {listed(absent)}; "
            f"it has {sheet.listed(sheet.names)}.",
            hint=delimiter_hint(sheet.names) or hint,
        )
    notes.append(f"column {quoted(found[0])} was taken as positives, {quoted(found[1])} as negatives.")
    return found


def _is_number(cell: object) -> bool:
    return _is_dash(cell) or _count(cell) is not None or number(cell) is not None


def _intervals(sheet: _Sheet, taken: Sequence[str], notes: list[str]) -> str | None:
    """The only other column that is all intervals, when nothing else tells the bins."""
    found = []
    for name in sheet.table.frame.columns:
        cells = [cell for cell in sheet.cells(name) if not _is_total(cell)]
        if name not in taken and cells and None not in map(_interval, cells):
            found.append(name)
    if len(found) != 1 or any(sheet.find(word) is not None for word in _EDGES):
        return None
    notes.append(f"column {quoted(found[0])} was taken as the bins.")
    return found[0]


def _refuse_repeated(names: Sequence[str], sheet: _Sheet) -> None:
    for row, name in enumerate(names):
        first = names.index(name)
        if first != row:
            raise InputError(f"bin {quoted(name)} is there twice, at {sheet.place(first, row)}.")


def _refuse_totals(
    names: Sequence[str], positives: Sequence[int], negatives: Sequence[int], sheet: _Sheet
) -> None:
    for row, name in enumerate(names):
        if _is_total(name) and all(2 * counts[row] == sum(counts) for counts in (positives, negatives)):
            raise _of_totals(f"{quoted(name)} at {sheet.place(row)}", hint="delete the row of totals.")
    last = len(positives) - 1
    # What has edges is a bin, whatever it holds.
    edged = sheet.find_all(_EDGES) is not None or (names and _interval(names[last]) is not None)
    if not edged and _ends_in_sums(positives, negatives):
        raise _of_totals(f"the last row, at {sheet.place(last)},")


def _ends_in_sums(*columns: Sequence[int]) -> bool:
    """Whether the last of several bins holds as many rows of either class as all others together."""
    return len(columns[0]) > 2 and any(map(any, columns)) and all(2 * c[-1] == sum(c) for c in columns)


_OR_EDGES = "delete the row of totals; if it is a bin, say so with its edges, in columns low and high."


def _of_totals(what: str, hint: str = _OR_EDGES) -> InputError:
    return InputError(f"{what} holds the sums of the bins; expected the bins alone.", hint=hint)


def _is_total(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip().casefold() in _TOTALS


def _edges(sheet: _Sheet, names: Sequence[str]) -> tuple[float, ...] | None:
    """The edges of all bins, from columns of their own or from the names; None when there are none."""
    columns = sheet.find_all(_EDGES)
    if columns is not None:
        lows, highs = (
            [_edge(sheet, name, *each) for each in enumerate(sheet.cells(name))] for name in columns
        )
        return _joined(list(zip(lows, highs, strict=True)), sheet)
    for there, absent in (_EDGES, _EDGES[::-1]):
        if sheet.find(there) is not None:
            raise ColumnError(f"{shown(sheet.path)} has a column {there} but no column {absent}.")
    found = [_interval(name) for name in names]
    pairs = [pair for pair in found if pair is not None]
    if not pairs:
        return None
    if len(pairs) < len(found):
        row = found.index(None)
        raise InputError(
            f"bin {quoted(names[row])} at {sheet.place(row)} does not hold two numbers, as others do.",
            hint="write every bin such as [0.9, 1] or [90%, 100%], or give columns low and high.",
        )
    return _joined(pairs, sheet)


def _interval(cell: object) -> tuple[float, float] | None:
    """The two numbers in a text such as '[90%, 100%]', '0.9-1' or '90 to 100%'."""
    found = _INTERVAL.fullmatch(cell) if isinstance(cell, str) else None
    if found is None or _count(cell) is not None:  # 1,000 is one number
        return None
    low, _, high, _ = found.groups()
    unit = 100 if "%" in found.groups() else 1
    return float(Decimal(low) / unit), float(Decimal(high) / unit)


def _edge(sheet: _Sheet, column: str, row: int, cell: object) -> float:
    percent = isinstance(cell, str) and cell.strip().endswith("%")
    value = number(str(cell).strip().removesuffix("%") if percent else cell)
    if value is None:
        raise InputError(f"{column} {cell_fault(cell)} at {sheet.place(row)}; expected the edge of a bin.")
    return float(Decimal(str(value)) / 100) if percent else float(value)


def _joined(pairs: Sequence[tuple[float, float]], sheet: _Sheet) -> tuple[float, ...]:
    """The edges of bins that follow each other, upwards or downwards."""
    for row, (low, high) in enumerate(pairs):
        if not low < high:
            raise InputError(
                f"the bin at {sheet.place(row)} goes from {precise(low, high)} to {precise(high, low)}; "
                "the lower edge comes first."
            )
    down = len(pairs) == 1 or pairs[1][0] < pairs[0][0]
    for row in range(1, len(pairs)):
        lower, upper = (pairs[row], pairs[row - 1]) if down else (pairs[row - 1], pairs[row])
        if abs(upper[0] - lower[1]) <= _ROUNDING * (upper[1] - lower[0]):
            continue
        apart = "leave a gap" if upper[0] > lower[1] else "overlap, or are out of order"
        spelled = [f"{low:g} to {high:g}" for low, high in pairs[row - 1 : row + 1]]
        raise InputError(
            f"the bins at {sheet.place(row - 1, row)} {apart}: {' and '.join(spelled)}.",
            hint="each bin begins where the one before it ends, all the way up or all the way down.",
        )
    return (pairs[0][1], *(low for low, _ in pairs)) if down else (pairs[0][0], *(high for _, high in pairs))


def _checked(bins: BinsGiven) -> BinsGiven:
    total = sum(bins.positives) + sum(bins.negatives)
    if total == 0:
        raise InputError("every count is 0; expected at least one row counted.")
    if total > EXACT:
        raise InputError(TOO_MANY)
    if bins.edges is not None:
        return bins
    said = (*bins.notes, "the bins have no edges: they were taken best first.")
    return BinsGiven(bins.positives, bins.negatives, None, bins.names, said)


def _once(notes: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))


# --- points ------------------------------------------------------------------------------------


def read_points(path: str | os.PathLike[str], *, delimiter: str | None = None) -> list[PointGiven]:
    """Classifiers from a table, a row each: by columns tp, fn, fp and tn, or else by fpr and tpr.

    What a point is called stands in a column name, model or parameter, the first of these that is there.
    """
    with naming([path]):
        sheet = _Sheet.read(Path(path), delimiter)
        called = next((name for word in _NAMES if (name := sheet.find(word)) is not None), None)
        size = sheet.table.frame.height
        names = sheet.texts(called) if called is not None else [f"point {row}" for row in range(1, size + 1)]
        columns = sheet.find_all(_CELLS)
        if columns is not None:
            counts = [_counts(sheet.cells(column), column, sheet.place) for column in columns]
            cells = [Binary(*row) for row in zip(*counts, strict=True)]
            return [_point(sheet, row, name, cells[row]) for row, name in enumerate(names)]
        columns = sheet.find_all(_RATES)
        if columns is None:
            raise ColumnError(
                f"a point is given by columns tp, fn, fp and tn, or fpr and tpr; {shown(sheet.path)} has "
                f"{sheet.listed(sheet.names)}.",
                hint=delimiter_hint(sheet.names),
            )
        fpr, tpr = ([_rate(sheet, name, *each) for each in enumerate(sheet.cells(name))] for name in columns)
        return [PointGiven(name, None, *rates) for name, *rates in zip(names, fpr, tpr, strict=True)]


def _point(sheet: _Sheet, row: int, name: str, cells: Binary) -> PointGiven:
    for total, what in (
        (cells.actual_positive, "positives (tp + fn = 0), so it has no TPR"),
        (cells.actual_negative, "negatives (fp + tn = 0), so it has no FPR"),
    ):
        if total == 0:
            raise InputError(f"{quoted(name)} at {sheet.place(row)} has no {what}.")
    if cells.n > EXACT:
        raise InputError(f"{quoted(name)} at {sheet.place(row)}: {TOO_MANY}")
    return PointGiven(name, cells, cells.fp / cells.actual_negative, cells.tp / cells.actual_positive)


def _rate(sheet: _Sheet, column: str, row: int, cell: object) -> float:
    value = number(cell)
    if value is None or not 0 <= value <= 1:
        hint = number_hint(cell)
        if value is not None and 1 < value <= 100:
            hint = "write percentages as shares: 0.25 for 25%."
        raise InputError(
            f"{column} {cell_fault(cell)} at {sheet.place(row)}; expected a rate between 0 and 1.", hint=hint
        )
    return float(value)


# --- counts ------------------------------------------------------------------------------------


def _counts(
    cells: Sequence[object], name: str, place: Callable[[int], str], notes: list[str] | None = None
) -> tuple[int, ...]:
    """Whole numbers from 0 up; where there are notes to say so in, a dash is 0."""
    counts = []
    for row, cell in enumerate(cells):
        dash = notes is not None and _is_dash(cell)
        count = 0 if dash else _count(cell)
        if count is None:
            raise InputError(
                f"{name} {cell_fault(cell)} at {place(row)}; expected a whole number, 0 or more.",
                hint="write 0 where nothing was counted." if is_empty(cell) else number_hint(cell),
            )
        if notes is not None and dash:
            notes.append(f"a dash among the {name} was read as 0.")
        counts.append(count)
    return tuple(counts)


def _count(cell: object) -> int | None:
    """A whole number from 0 up, perhaps with thousands separators."""
    if isinstance(cell, str) and _THOUSANDS.fullmatch(cell.strip()):
        return int(cell.replace(",", ""))
    value = number(cell)
    return int(value) if value is not None and value >= 0 and value == int(value) else None


def _is_dash(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip() in _DASHES
