"""Models in files that an engine reads: the same comparison as in memory, from tables that it joins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallymark as tm
from documents import same

ROWS = 120
ASKED: dict[str, Any] = {"actual": "y", "id": "id", "missing": "drop", "metrics": ["auc", "f1"]}


def table(seed: int) -> pl.DataFrame:
    """The same rows for every seed, in another order, with scores and answers of which some are missing."""
    fixed, rng = np.random.default_rng(11), np.random.default_rng(seed)
    y, ids = fixed.integers(0, 2, ROWS), 2**60 + fixed.permutation(9 * ROWS)[:ROWS]
    score = np.clip(0.3 * y + rng.normal(0.35, 0.2, ROWS), 0.02, 0.98).round(3)
    frame = pl.DataFrame({"id": ids, "y": y, "s": score, "p": (score > 0.45).astype(int)})
    return frame.with_columns(p=pl.when(pl.col("id") % 7 > 0).then("p"))[rng.permutation(ROWS)]


def written(folder: Path, **tables: pl.DataFrame) -> dict[str, str]:
    """The files of models, each of two parts."""
    for name, frame in tables.items():
        (folder / name).mkdir()
        frame[:50].write_parquet(folder / name / "1.parquet")
        frame[50:].write_parquet(folder / name / "2.parquet")
    return {name: str(folder / name) for name in tables}


def test_duckdb_joins_files(tmp_path: Path) -> None:
    tables = {"a": table(1), "b": table(2)}
    files = written(tmp_path, **tables)
    options = {"score": "s", "predicted": "p", **ASKED}
    one = tm.compare(tables, **options)
    two = tm.compare(files, engine="duckdb", **options)
    same(one.to_dict(), two.to_dict(), but=["notes"])
    assert one.notes[0] == two.notes[0]
    assert "rows were joined in DuckDB, counted part by part, and are not kept." in two.notes
    guessed = tm.compare(files, engine="duckdb", **{**options, "id": None})
    assert "column 'id' was taken as id (guessed from its name)." in guessed.notes


def test_columns_of_files(tmp_path: Path) -> None:
    wide = table(1).with_columns(t=1 - pl.col("s"))
    wide.write_parquet(tmp_path / "wide.parquet")
    options: dict[str, Any] = {"models": ["s", "t", "p"], "actual": "y", "missing": "drop"}
    one = tm.compare(wide, **options)
    two = tm.compare(tmp_path / "wide.parquet", engine="duckdb", **options)
    same(one.to_dict(), two.to_dict(), but=["notes"])
    assert "rows stay in DuckDB, were counted part by part, and are not kept." in two.notes


def test_dask_joins_files(tmp_path: Path, dask_client: Any) -> None:
    assert dask_client is not None
    words = [table(seed).with_columns(id="r" + pl.col("id").cast(pl.String)) for seed in (1, 2)]
    files = {name: str(tmp_path / f"{name}=1" / "rows.parquet") for name in "ab"}
    for place, (file, frame) in enumerate(zip(files.values(), words, strict=True)):
        Path(file).parent.mkdir()
        rows = frame.to_arrow()
        ids = rows["id"].dictionary_encode() if place else rows["id"]
        pq.write_table(pa.table({**{name: rows[name] for name in rows.column_names}, "id": ids}), file)
    options = {"score": "s", "predicted": "p", **ASKED}
    one = tm.compare(dict(zip("ab", words, strict=True)), **options)
    two = tm.compare(files, engine="dask", **options)
    same(one.to_dict(), two.to_dict(), but=["notes"])
    assert "rows were joined in Dask, counted part by part, and are not kept." in two.notes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engine": "duckdb", "groups": "p"}, "a comparison by groups takes every row here"),
        ({"engine": "duckdb", "threshold": "best"}, "threshold 'best' takes every row here"),
        ({"engine": "duckdb", "id": "none"}, "model 'a': .* has no column 'none'"),
        (
            {"engine": "duckdb", "id": None, "design": "same rows"},
            "rows in DuckDB have no order of their own",
        ),
        ({"engine": "ray"}, "engine is one of polars, duckdb, spark, dask; got 'ray'"),
        ({"master": "local"}, "master is about the engine spark, and no engine is named"),
    ],
)
def test_what_cannot_be_asked_of_an_engine(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    files = written(tmp_path, a=table(1), b=table(2))
    with pytest.raises(tm.errors.TallymarkError, match=said):
        tm.compare(files, score="s", **ASKED | options)


@pytest.mark.parametrize("engine", ["duckdb", "dask", "spark"])
def test_text_is_compared_in_this_process(tmp_path: Path, engine: Any) -> None:
    for name in "ab":
        table(1).write_csv(tmp_path / f"{name}.csv")
    files = {name: str(tmp_path / f"{name}.csv") for name in "ab"}
    with pytest.raises(tm.errors.OptionError, match=f"engine {engine} in Parquet files, and .*a.csv is text"):
        tm.compare(files, score="s", engine=engine, **ASKED)
    assert tm.compare(files, score="s", engine="polars", **ASKED).design == "same rows"


def test_parts_of_other_types_are_not_for_dask(tmp_path: Path) -> None:
    files = written(tmp_path, a=table(1), b=table(2))
    narrow = table(1)[50:].with_columns(pl.col("y").cast(pl.Int8))
    narrow.write_parquet(tmp_path / "a" / "2.parquet")
    with pytest.raises(tm.errors.OptionError, match=r"the engine dask would not read .* as it is"):
        tm.compare(files, score="s", engine="dask", **ASKED)
    one = tm.compare({"a": table(1), "b": table(2)}, score="s", **ASKED)
    same(one.to_dict(), tm.compare(files, score="s", engine="duckdb", **ASKED).to_dict(), but=["notes"])


def test_an_engine_is_about_files() -> None:
    with pytest.raises(
        tm.errors.OptionError, match="engine has no effect beside models of which some are no"
    ):
        tm.compare({"a": table(1), "b": table(2)}, score="s", engine="duckdb", **ASKED)
    with pytest.raises(tm.errors.OptionError, match="engine has no effect beside y_true"):
        tm.compare({"a": [1, 0], "b": [0, 0]}, [1, 0], engine="duckdb")
