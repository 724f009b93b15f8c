"""How much memory it takes to hold all rows at once and evaluate them, told before they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tallymark.intake.files.numpy_archives import headers
from tallymark.intake.files.zip_archives import Header
from tallymark.intake.streams.scan import Scan

if TYPE_CHECKING:
    import polars as pl

# Bytes per row, from the peak memory of processes that read 4e6 rows, took every metric with its interval
# and every curve. Parquet and Arrow: two labels as numbers 38, as text 55; a label and a score 105; both
# labels and a score 113; with a weight 140, with a slice by text 166; a label and three probabilities 255.
_WHOLE_NUMBER, _TEXT, _FLOAT = 20, 40, 90
# CSV, where a line of the file takes 49: two labels 100, a label and a score 140, all three 155, as text 187;
# where a line takes 10: all three 124; where it takes 4: two labels 57.
_WRITTEN_LABEL, _WRITTEN_FLOAT = 30, 80
# JSON lines of 93 bytes: two labels 122, all three 131; of 102 bytes with labels as text: 144 and 155.
_JSON_LINES = 1.5
# What 1e6 rows took above these rates; few rows take less.
_ALWAYS = 64 << 20


def estimated_bytes(scan: Scan) -> int:
    """About how much memory an evaluation takes that keeps all rows, its curves included; rather too much."""
    of_rows = _of_rows(scan)
    return of_rows + min(of_rows, _ALWAYS)


def _of_rows(scan: Scan) -> int:
    if scan.types is not None and scan.rows is not None:
        return scan.rows * _typed(scan.types)
    if scan.format.name == "NumPy":
        return sum(_of_arrays(headers(path, scan.columns)) for path in scan.parts)
    sample = scan.sample()
    if sample is None:
        return scan.whole_files()
    frame, taken, unpacked = sample
    rows = unpacked * max(1, frame.height) // taken
    if scan.text:
        return unpacked + rows * sum(_WRITTEN_FLOAT if _is_float(each) else _WRITTEN_LABEL for each in frame)
    return max(int(unpacked * _JSON_LINES), rows * _typed(frame.schema))


def _of_arrays(found: Sequence[Header]) -> int:
    rates = {"f": _FLOAT, "S": _TEXT, "U": _TEXT}
    return sum(each.shape[0] * rates.get(each.dtype.kind, _WHOLE_NUMBER) + each.bytes for each in found)


def _typed(types: Mapping[str, pl.DataType]) -> int:
    return sum(
        _WHOLE_NUMBER if dtype.is_integer() else _FLOAT if dtype.is_float() else _TEXT
        for dtype in types.values()
    )


def _is_float(values: pl.Series) -> bool:
    """Whether a column of text holds numbers with a fraction."""
    import polars as pl

    written = values.drop_nulls()
    points = written.str.contains(r"[.eE]")
    return bool(points.any()) and written.filter(points).cast(pl.Float64, strict=False).null_count() == 0
