"""Columns as data frames of three libraries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallymark.curves.frames import chosen_library, frame
from tallymark.errors import MissingExtraError, OptionError

COLUMNS = {
    "threshold": np.array([np.inf, 0.5]),
    "tp": np.array([0, 3]),
    "value": np.array([np.nan, 0.75]),
    "class": ["yes", None],
}


def test_polars_is_the_default_and_undefined_is_missing() -> None:
    made = frame(COLUMNS)
    assert isinstance(made, pl.DataFrame)
    assert made.to_dict(as_series=False) == {
        "threshold": [np.inf, 0.5],
        "tp": [0, 3],
        "value": [None, 0.75],
        "class": ["yes", None],
    }
    assert made.schema == {
        "threshold": pl.Float64(),
        "tp": pl.Int64(),
        "value": pl.Float64(),
        "class": pl.String(),
    }


def test_pandas() -> None:
    made = frame(COLUMNS, "pandas")
    assert isinstance(made, pd.DataFrame)
    assert made["value"].isna().tolist() == [True, False]
    assert made["threshold"].tolist() == [np.inf, 0.5]


def test_pyarrow() -> None:
    made = frame(COLUMNS, "pyarrow")
    assert isinstance(made, pa.Table)
    assert made.column("value").to_pylist() == [None, 0.75]
    assert made.column("tp").type == pa.int64()


def test_no_rows() -> None:
    assert frame({"x": np.empty(0)}).shape == (0, 1)


def test_an_unknown_library() -> None:
    with pytest.raises(OptionError) as caught:
        frame(COLUMNS, "panda")
    assert str(caught.value) == "library must be one of pandas, polars, pyarrow; got 'panda'."


def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallymark.curves.frames.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pyarrow is not installed\. Hint: pip install pyarrow"):
        frame(COLUMNS, "pyarrow")


@pytest.mark.parametrize(
    ("asked", "came_in", "chosen"),
    [
        (None, None, "polars"),
        (None, "pandas", "pandas"),
        ("pyarrow", "pandas", "pyarrow"),
        (None, "duckdb", "polars"),
    ],
)
def test_which_library(asked: str | None, came_in: str | None, chosen: str) -> None:
    assert chosen_library(asked, came_in) == chosen
