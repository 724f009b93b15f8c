"""Columns to learn from, each made numbers or text by all its values; odd ones are named with their lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, NotNumbersError
from tallymark.intake import frames
from tallymark.intake.columns import LabelColumn, NumberColumn, Where, is_missing
from tallymark.intake.files.kinds import listed
from tallymark.tallies.labels import quoted
from tallymark.validation.learners.features import Features, Kind

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import polars as pl

_SHOWN = 3
_LOOKED_AT = 50
_NAMED = 8
_POINT = "decimals are written with a point, not a comma"
_SHARES = "write percentages as shares, 0.25 for 25%"
_COMMA = r"^[+-]?\d+,\d+$"
_PERCENT = r"^[+-]?\d+(\.\d+)?\s*%$"
_LEADING_ZERO = r"^[+-]?0\d"
_FIGURES = r"^\s*\d+\s*$"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDS = ("id", "ids", "identifier", "uid", "uuid", "guid")
"""How names of identifiers end; patient_id, CustomerID."""
_NUMBERED = ("index", "idx", "row", "rowid", "rownumber", "key", "record", "unnamed0")
"""Names that identifiers have as a whole: a price_index or a grid_row may be a measurement."""
_FEW = 10
"""Rows below which numbers that count up may well be a measurement, such as a dose."""


@dataclass(frozen=True)
class Reading:
    """Columns as they were read, and where their rows stand."""

    columns: Mapping[str, Any]
    where: Where
    text: bool = False
    """Whether every value is text as written in a file."""
    as_written: bool = False
    """Whether labels are from a text file, be its numbers typed or not."""

    def labels(self, name: str, role: str) -> LabelColumn:
        reader = frames.text_labels if self.as_written else frames.series_labels
        return reader(self.columns[name], role, self.where)

    def numbers(self, name: str, role: str) -> NumberColumn:
        reader = frames.text_numbers if self.text else frames.series_numbers
        return reader(self.columns[name], role, self.where)


def feature_table(read: Reading, names: Sequence[str], text: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """The columns as one table of the library they came in, and what to say of them."""
    import narwhals.stable.v2 as nw

    given = [nw.from_native(read.columns[name], series_only=True) for name in names]
    columns: list[nw.Series[Any]] = []
    notes: list[str] = []
    for name, series in zip(names, given, strict=True):
        column = _Column(name, series, read)
        made, said = (column.as_text(), []) if name in text else column.typed()
        columns.append(made)
        notes += said
    # Begun with a column as it came, which in pandas has the index of the rows.
    return given[0].to_frame().with_columns(*columns).to_native(), tuple(notes)


@dataclass(frozen=True)
class _Column:
    """A column before it is known what it holds."""

    name: str
    series: nw.Series[Any]
    read: Reading

    def as_text(self) -> nw.Series[Any]:
        """The column as text, whatever it holds."""
        import narwhals.stable.v2 as nw

        kind = self.series.dtype
        if kind in (nw.String, nw.Categorical, nw.Enum):
            return self.series
        self._kind()  # refuses what is no text either
        if kind != nw.Object:
            return self.series.cast(nw.String())
        items = [None if is_missing(value) else str(value) for value in self.series.to_list()]
        return self._of(items, nw.String())

    def typed(self) -> tuple[nw.Series[Any], list[str]]:
        """The column by its type, or in a text file by its values; and what to say of it."""
        import narwhals.stable.v2 as nw

        kind = self._kind()
        if kind == "number":
            numbers = Features([self.series], (self.name,)).numbers([0])[:, 0]
            self._refuse_infinite(numbers)
            return (self._of(numbers, nw.Float64()) if self.series.dtype == nw.Object else self.series), []
        if kind == "text" and self.series.dtype == nw.Object:
            column = replace(self, series=self.as_text())
            return column.series, column._text_notes()
        if kind == "text" and self.series.dtype == nw.String:
            return self._decided() if self.read.text else (self.series, self._text_notes())
        return self.series, []

    def _kind(self) -> Kind:
        return Features([self.series], (self.name,)).kind(0)

    def _of(self, values: Any, kind: Any) -> nw.Series[Any]:
        import narwhals.stable.v2 as nw

        return nw.new_series(self.name, values, kind, backend=self.series.implementation)

    def _refuse_infinite(self, numbers: NDArray[np.float64]) -> None:
        infinite = np.flatnonzero(np.isinf(numbers)).tolist()
        if infinite:
            many = f"{len(infinite):,} {'row' if len(infinite) == 1 else 'rows'}"
            raise ColumnError(
                f"column {quoted(self.name)} is infinite in {many}, at {self.read.where(infinite)}; finite "
                "numbers are expected."
            )

    # --- text ------------------------------------------------------------------------------------

    def _decided(self) -> tuple[nw.Series[Any], list[str]]:
        """Numbers when all that is there is a number, as text files do not tell."""
        import narwhals.stable.v2 as nw

        written: pl.Series = self.series.to_native()
        numbers = _as_numbers(written)
        if numbers.count() < written.count():
            self._refuse_mixed(written, numbers)
            return self.series, []
        zeros = written.filter(written.str.contains(_LEADING_ZERO).fill_null(False))
        note = [] if zeros.is_empty() else [
            f"column {quoted(self.name)} is taken as numbers, though it has {quoted(zeros[0])}; if these are "
            f"names, say so: {_text_option(self.name)}."
        ]  # fmt: skip
        return nw.from_native(numbers, series_only=True), note

    def _text_notes(self) -> list[str]:
        """What to say of a column that is of text by its type."""
        import polars as pl

        items = [None if is_missing(item) else item for item in self.series.to_list()]
        written = pl.Series(items, dtype=pl.String)
        numbers = _as_numbers(written)
        if numbers.count() < written.count():
            self._refuse_mixed(written, numbers)
            return []
        return [
            f"column {quoted(self.name)} is text by its type and taken as text, though all of it is numbers."
        ]

    def _refuse_mixed(self, written: pl.Series, numbers: pl.Series) -> None:
        """Text that was probably meant as numbers."""
        there, good = written.count(), numbers.count()
        if good * 2 > there:
            odd = np.flatnonzero((written.is_not_null() & numbers.is_null()).to_numpy())
            words = list(dict.fromkeys(written[int(row)] for row in odd[:_LOOKED_AT]))[:_SHOWN]
            raise NotNumbersError(
                f"column {quoted(self.name)} holds numbers in {good:,} of {there:,} rows, and "
                f"{', '.join(quoted(word) for word in words)} at {self.read.where(odd.tolist())}.",
                hint=self._hint(words),
            )
        for pattern, way_out in ((_COMMA, _POINT), (_PERCENT, _SHARES)):
            if (written.str.contains(pattern).sum() or 0) * 2 > there:
                example = written.filter(written.str.contains(pattern).fill_null(False))[0]
                raise NotNumbersError(
                    f"column {quoted(self.name)} holds {quoted(example)} and the like, which is text.",
                    hint=f"{way_out}; if it is text all the same, say so: {_text_option(self.name)}.",
                )

    def _hint(self, words: Sequence[str]) -> str:
        text = f"if the column is text, {_text_option(self.name)}."
        if not self.read.text:
            return f"make numbers of it first, with missing values for what is none; {text}"
        flags = " ".join(f"--missing {shlex.quote(word)}" for word in words)
        verb = "means" if len(words) == 1 else "mean"
        told = " and ".join([repr(word) for word in words])
        return f"if {told} {verb} missing, say so: {flags} (in Python missing_words={words}); {text}"


def _as_numbers(written: pl.Series) -> pl.Series:
    """Finite numbers; null for all else."""
    import polars as pl

    numbers = written.str.strip_chars(" \t").cast(pl.Float64, strict=False)
    return numbers.to_frame().select(pl.when(pl.first().is_finite()).then(pl.first())).to_series()


def _text_option(name: str) -> str:
    return f"--text {shlex.quote(name)} (in Python text=[{name!r}])"


# --- what to say of all of them ------------------------------------------------------------------


def gaps_and_idle_columns(X: Any) -> tuple[str, ...]:
    """Where values are missing, and which columns tell nothing; an error when none tells anything."""
    import narwhals.stable.v2 as nw

    columns = list(nw.from_native(X, eager_only=True).iter_columns())
    idle = [column.name for column in columns if column.n_unique() <= 1]
    if len(idle) == len(columns):
        raise ColumnError(f"every row has the same in {_columns(idle)}: there is nothing to learn from.")
    notes = []
    lacking = {
        column.name: gone for column in columns if column.name not in idle and (gone := _missing(column))
    }
    if lacking:
        counts = [f"{quoted(name)} ({gone:,})" for name, gone in lacking.items()]
        notes.append(f"values are missing in some of {len(columns[0]):,} rows: {_columns_of(counts)}.")
    if idle:
        notes.append(f"nothing can be learned from {_columns(idle)}: every row has the same.")
    return tuple(notes)


def like_identifiers(read: Reading, names: Sequence[str], *, id_named: bool) -> tuple[str, ...]:
    """Columns that may tell rows apart, from which a model learns nothing about other rows."""
    import narwhals.stable.v2 as nw

    notes: list[str] = []
    for name in names:
        series = nw.from_native(read.columns[name], series_only=True)
        if not _is_like_identifier(name, series, text=read.text):
            continue
        # A table has one id; what else tells rows apart can be left out.
        way = f"leave it out: --ignore {shlex.quote(name)} (ignore=[{name!r}])"
        if not (id_named or notes):
            way = f"name it: --id {shlex.quote(name)} (id={name!r})"
        notes.append(
            f"column {quoted(name)} differs in every row, as an identifier does; if it is one, {way}."
        )
    return tuple(notes)


def _is_like_identifier(name: str, series: nw.Series[Any], *, text: bool) -> bool:
    """By its name, or because it counts the rows; whole numbers or text, each there and each once."""
    import narwhals.stable.v2 as nw

    rows, named = len(series), _named_like_identifier(name)
    if rows < 2 or series.null_count():
        return False
    numbers: nw.Series[Any] | None = series if series.dtype.is_integer() else None
    if text and (named or _whole(series.head(1)) is not None):
        numbers = _whole(series)
        if numbers is None and _are_decimals(series.to_native()):
            return False
    counts = rows >= _FEW and numbers is not None and int(numbers.max()) - int(numbers.min()) == rows - 1
    of_a_kind = numbers is not None or series.dtype == nw.String
    return (counts or (named and of_a_kind)) and series.n_unique() == rows


def _are_decimals(written: pl.Series) -> bool:
    """Numbers, of which some are not whole; figures too long for a whole number are none."""
    return not _as_numbers(written).null_count() and not written.str.contains(_FIGURES).all()


def _whole(written: nw.Series[Any]) -> nw.Series[Any] | None:
    """Text as whole numbers; None unless all of it is."""
    import narwhals.stable.v2 as nw
    import polars as pl

    numbers = written.to_native().str.strip_chars(" \t").cast(pl.Int64, strict=False)
    return None if numbers.null_count() else nw.from_native(numbers, series_only=True)


def _named_like_identifier(name: str) -> bool:
    words = [word.casefold() for word in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _IDS or "".join(words) in _NUMBERED)


def _missing(column: nw.Series[Any]) -> int:
    if column.dtype.is_float():  # where a library may tell null from NaN, and both are missing
        return int(np.isnan(Features([column]).numbers([0])).sum())
    return column.null_count()


def _columns(names: Sequence[str]) -> str:
    return _columns_of([quoted(name) for name in names])


def _columns_of(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return f"{'column' if len(names) == 1 else 'columns'} {listed([*names[:_NAMED], *more])}"
