"""What goes wrong with `--engine`, and how it is told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "parts"
    made.mkdir()
    (made / "a.csv").write_text("y,s,p\n1,0.9,1\n0,0.4,0\n1,0.4,1\n")
    return made


def test_a_damaged_parquet_file_is_named(run: Any, tmp_path: Path) -> None:
    table = pl.DataFrame({"y": [1, 0] * 500, "s": [at / 1000 for at in range(1000)]})
    data = tmp_path / "data"
    data.mkdir()
    for name in ("a.parquet", "b.parquet"):
        table.write_parquet(data / name, compression="uncompressed", statistics=False)
    written = bytearray((data / "b.parquet").read_bytes())
    written[8:60] = b"\xff" * 52  # in the head of the first page
    (data / "b.parquet").write_bytes(written)
    result = run("evaluate", str(data), "--actual", "y", "--score", "s", "--engine", "duckdb")
    assert result.code == 2
    assert result.err.startswith(f"tallymark: DuckDB failed at {data / 'b.parquet'}: ")
    assert result.out == ""


def test_an_address_may_name_a_folder(run: Any, tmp_path: Path) -> None:
    result = run(
        "evaluate", f"file://{tmp_path}/parts", "--actual", "y", "--score", "s", "--engine", "duckdb"
    )
    assert result.code == 2
    assert "DuckDB failed: IO Error: No files found" in result.err


def test_a_master_that_does_not_listen_is_told_of_at_once(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests of this process may have a session.
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # so that nobody else listens there
        master = f"spark://127.0.0.1:{taken.getsockname()[1]}"
        asked = ["evaluate", str(folder), "--actual", "y", "--score", "s", "--engine", "spark"]
        result = run(*asked, "--master", master)
    assert result.code == 2
    assert f"no master of Spark answers at '{master}'." in result.err


@pytest.mark.parametrize(
    ("engine", "packages"),
    [
        ("dask", ["dask", "distributed"]),
        ("dask", ["distributed"]),
        ("duckdb", ["duckdb"]),
        ("spark", ["pyspark"]),
    ],
)
def test_an_engine_that_is_not_installed(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, engine: str, packages: list[str]
) -> None:
    loaded = [name for name in sys.modules if name.partition(".")[0] in packages]
    for name in [*packages, *loaded]:
        monkeypatch.setitem(sys.modules, name, None)
    result = run("evaluate", str(folder), "--actual", "y", "--score", "s", "--engine", engine)
    assert result.code == 2
    assert f"pip install 'tallymark[{engine}]'" in result.err


def test_an_interrupted_query_of_duckdb_is_an_interruption(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("Query interrupted")  # as DuckDB tells of Ctrl-C

    pl.DataFrame({"y": [1, 0], "p": [1, 1]}).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr("narwhals.stable.v2.LazyFrame.collect", interrupted)
    result = run(
        "evaluate", str(tmp_path / "a.parquet"), "--actual", "y", "--predicted", "p", "--engine", "duckdb"
    )
    assert (result.code, result.err) == (130, "tallymark: interrupted.\n")


def test_interrupted_workers_say_nothing_and_leave_nothing(folder: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (folder / "slow.csv").write_text("y,s,p\n" + "1,0.5,1\n0,0.25,0\n" * 1_000_000)
    command = [sys.executable, "-m", "tallymark", "evaluate", str(folder), "--actual", "y", "--score", "s"]
    with subprocess.Popen(
        [*command, "--engine", "dask"],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        while not list(scratch.glob("tallymark-*/dask-scratch-space/worker-*")):
            assert started.poll() is None
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does: all processes get it
        out, err = started.communicate()  # which ends when no worker is left that could write
    assert (started.returncode, out, err) == (130, "", "tallymark: interrupted.\n")
    assert list(scratch.iterdir()) == []
