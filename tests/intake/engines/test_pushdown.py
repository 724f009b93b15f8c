"""What one group-by makes of values that engines hold in ways of their own."""

from __future__ import annotations

from typing import Any

import duckdb
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import ColumnError

WIDE = {"UBIGINT": pl.UInt64, "HUGEINT": pl.Int128, "BIGINT": pl.Int64}
GRID = {"approximate": True, "grid": (-10, 10)}


@pytest.mark.parametrize("options", [{}, GRID])
@pytest.mark.parametrize("kind", WIDE)
def test_wide_whole_numbers_are_scores(kind: str, options: dict[str, Any]) -> None:
    frame = pl.DataFrame({"y": [0, 1, 1], "s": pl.Series([1, 7, None], dtype=WIDE[kind])})
    asked = {"actual": "y", "score": "s", "missing": "drop", **options}
    with duckdb.connect() as connection:
        rows = connection.sql(f"select y, s::{kind} as s from (values (0, 1), (1, 7), (1, null)) t(y, s)")
        assert tm.tally(rows, **asked) == tm.tally(frame, **asked) == tm.tally(frame.lazy(), **asked)


@pytest.mark.parametrize("options", [{}, GRID])
@pytest.mark.parametrize(
    ("kind", "value"), [("UBIGINT", 2**64 - 1), ("HUGEINT", -(2**100)), ("BIGINT", 2**53 + 1)]
)
def test_whole_numbers_that_no_float_holds_are_refused(
    kind: str, value: int, options: dict[str, Any]
) -> None:
    frame = pl.DataFrame({"y": [0, 1], "s": pl.Series([1, value], dtype=WIDE[kind])})
    with duckdb.connect() as connection:
        rows = connection.sql(f"select y, s::{kind} as s from (values (0, 1), (1, {value})) t(y, s)")
        for table in (rows, frame, frame.lazy()):
            with pytest.raises(ColumnError, match=r"holds whole numbers beyond 2\*\*53 at "):
                tm.tally(table, actual="y", score="s", **options)


def test_weights_without_number_are_told_apart_from_those_that_count() -> None:
    weights = [1.0, float("nan"), None, 0.0, 2.0]
    frame = pl.DataFrame({"y": [0, 1, 1, 0, 1], "p": [0, 1, 0, 0, 1], "w": weights})
    asked = {"actual": "y", "predicted": "p", "weight": "w", "missing": "drop"}
    with duckdb.connect() as connection:
        found = tm.tally(connection.from_arrow(frame.to_arrow()), **asked)
    # By hand: two weights are missing, one is 0, and the others are 1 for (0, 0) and 2 for (1, 1).
    assert found.counted.matrix.tolist() == [[1, 0], [0, 2]]
    assert (found.rows, found.lines, found.weightless) == (2, 3, 1)
    assert dict(found.dropped) == {"missing_weight": 2}
    assert found == tm.tally(frame, **asked)
