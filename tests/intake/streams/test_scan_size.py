"""The estimate of what an evaluation takes that keeps all rows, against what such processes took."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from tallymark.intake.streams.scan import scan_files
from tallymark.intake.streams.size import estimated_bytes

ROWS = 20_000
COLUMNS = ("actual", "predicted", "score")


def frame(rows: int = ROWS) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "actual": [place % 3 for place in range(rows)],
            "predicted": [place % 2 for place in range(rows)],
            "score": [(place * 37 % 1000) / 1000 for place in range(rows)],
            "name": [f"row {place % 7}" for place in range(rows)],
        }
    )


def estimated(path: Path, columns: tuple[str, ...] = COLUMNS) -> float:
    """Bytes per row; few rows are taken for twice as much."""
    with scan_files([path], columns) as scan:
        return estimated_bytes(scan) / 2 / ROWS


@pytest.mark.parametrize(
    ("columns", "measured"),
    [
        (("actual", "predicted"), 38),
        (("actual", "score"), 105),
        (COLUMNS, 113),
        ((*COLUMNS, "name"), 166),
    ],
    ids=["labels", "label and score", "both", "with a slice"],
)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_columns_with_types(tmp_path: Path, suffix: str, columns: tuple[str, ...], measured: float) -> None:
    path = tmp_path / f"x.{suffix}"
    frame().write_parquet(path) if suffix == "parquet" else frame().write_ipc(path)
    assert measured <= estimated(path, columns) <= 1.5 * measured


def test_text_counts_its_lines_and_its_bytes(tmp_path: Path) -> None:
    narrow, wide = tmp_path / "narrow.csv", tmp_path / "wide.csv"
    frame().select(COLUMNS).write_csv(narrow)
    frame().with_columns(more=pl.lit("x" * 30)).write_csv(wide)
    # measured with lines of 10 and of 49 bytes
    assert 124 <= estimated(narrow) <= 1.5 * 124
    assert 155 <= estimated(wide) <= 1.5 * 155
    assert estimated(wide, ("actual", "predicted")) < estimated(wide, ("actual", "score"))


def test_compressed_text_is_as_large_as_what_it_holds(tmp_path: Path) -> None:
    plain, packed = tmp_path / "x.csv", tmp_path / "y.csv.gz"
    frame().write_csv(plain)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert estimated(packed) == pytest.approx(estimated(plain), rel=0.01)


def test_json(tmp_path: Path) -> None:
    lines, items = tmp_path / "x.ndjson", tmp_path / "x.json"
    frame().write_ndjson(lines)
    frame().write_json(items)
    assert 1.3 <= estimated(lines) * ROWS / lines.stat().st_size <= 4
    assert 3 <= estimated(items) * ROWS / items.stat().st_size <= 6


def test_more_parts_take_more(tmp_path: Path) -> None:
    paths = [tmp_path / f"{place}.csv" for place in range(3)]
    for path in paths:
        frame().write_csv(path)
    with scan_files(paths, COLUMNS) as scan:
        three = estimated_bytes(scan) / 2 / ROWS
    assert three == pytest.approx(3 * estimated(paths[0]), rel=0.01)
