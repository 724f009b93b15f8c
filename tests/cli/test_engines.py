"""`--engine`: the same documents whoever counts the files, and what goes wrong there."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from command_lines import write
from waiting import until

FILES = {
    "parts/a.csv": "y,s,p\n1,0.9,1\n0,0.4,0\n1,0.4,1\n",
    "parts/b.csv": "y,s,p\n0,0.1,0\n1,0.3,0\n0,0.6,1\n",
    "broken/c.csv": "y,s,p\n1,high,1\n",
}
SCORED = "--actual y --score s"


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    write(FILES)


def without_notes(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return {key: value for key, value in found.items() if key != "notes"}


def test_duckdb_gives_the_same(run: Any) -> None:
    rows = pl.concat([pl.read_csv(f"parts/{name}.csv") for name in "ab"]).with_row_index("id")
    rows.write_parquet("first.parquet")
    rows[::-1].with_columns(s=1 - pl.col("s")).drop("p").write_parquet("second.parquet")
    for line in (
        *(f"{command} parts {SCORED}" for command in ("evaluate", "roc", "pr", "gains", "thresholds")),
        f"decide parts {SCORED} --costs '0 5; 1 0' --labels 0,1",
        "compare parts/a.csv parts/b.csv --other-rows --actual y --predicted p",
        f"compare --model A=first.parquet --model B=second.parquet {SCORED} --predicted p",
        "compare first.parquet --model A=s --model B=p --actual y",
    ):
        here, there = (run(f"{line} --json {engine}") for engine in ("", "--engine duckdb"))
        assert there.code == 0, there.err
        assert without_notes(there.out) == without_notes(here.out), line
        assert there.out != here.out, f"{line}: nothing is noted"
    told = run(f"tally parts {SCORED} --engine duckdb -o all.tally").err
    assert len(told.splitlines()) == 3
    assert run(f"tally parts {SCORED} --engine duckdb -o all.tally --force --quiet").err == ""
    there = run("evaluate all.tally --json").json
    assert there["metrics"] == run(f"evaluate parts/a.csv parts/b.csv {SCORED} --json").json["metrics"]


def test_calls_that_no_engine_can_answer(run: Any, refused: Any, monkeypatch: Any, snapshot: Any) -> None:
    assert run(f"tally parts/a.csv {SCORED} -o a.tally").code == 0
    text = """
        evaluate parts/a.csv $SCORED {--engine ray|--master local[2]}
        roc parts/a.csv $SCORED --engine duckdb --scheduler tcp://here:1
        evaluate - $SCORED --engine duckdb
        roc --model A=- --model B=parts/b.csv $SCORED --engine dask
        evaluate s3://b/a.parquet $SCORED
        roc s3://b/a.csv $SCORED --engine spark
        compare parts/a.csv parts/b.csv $SCORED --engine duckdb
        compare --accuracy 0.8:50 --accuracy 0.7:50 --engine duckdb
        evaluate a.tally --engine duckdb
        evaluate broken $SCORED --engine duckdb
    """
    refused("cli_errors_engines", text, SCORED=SCORED)
    said = {}
    for engine, *packages in (("dask", "dask", "distributed"), ("duckdb", "duckdb"), ("spark", "pyspark")):
        with monkeypatch.context() as patch:
            for name in [*packages, *(each for each in sys.modules if each.partition(".")[0] in packages)]:
                patch.setitem(sys.modules, name, None)
            result = run(f"evaluate parts {SCORED} --engine {engine}")
        assert (result.code, result.out) == (2, "")
        said[engine] = result.err
    snapshot("cli_errors_engines_not_installed", said)


def test_faults_of_engines_are_one_line(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their own words are in these messages, so they are no snapshot."""
    table = pl.DataFrame({"y": [1, 0] * 500, "s": [at / 1000 for at in range(1000)]})
    Path("data").mkdir()
    for name in ("a", "b"):
        table.write_parquet(f"data/{name}.parquet", compression="uncompressed", statistics=False)
    damaged = bytearray(Path("data/b.parquet").read_bytes())
    damaged[8:60] = b"\xff" * 52  # in the head of the first page
    Path("data/b.parquet").write_bytes(damaged)
    # Other tests of this process may have a session.
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # so that nobody else listens there
        master = f"spark://127.0.0.1:{taken.getsockname()[1]}"
        calls = {
            f"evaluate data {SCORED} --engine duckdb": "b.parquet",
            f"evaluate file://{Path().absolute()}/data {SCORED} --engine duckdb": "DuckDB",
            f"evaluate parts {SCORED} --engine spark --master {master}": re.escape(master),
        }
        for line, part in calls.items():
            result = run(line)
            assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), line
            assert re.search(part, result.err), line

    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("Query interrupted")  # as DuckDB tells of Ctrl-C

    monkeypatch.setattr("narwhals.stable.v2.LazyFrame.collect", interrupted)
    result = run(f"evaluate data/a.parquet {SCORED} --engine duckdb")
    assert (result.code, result.err) == (130, "tallymark: interrupted.\n")


def test_interrupted_workers_say_nothing_and_leave_nothing(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    write({"parts/slow.csv": "y,s,p\n" + "1,0.5,1\n0,0.25,0\n" * 1_000_000})
    command = [sys.executable, "-m", "tallymark", "evaluate", "parts", *SCORED.split(), "--engine", "dask"]
    with subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        workers = "tallymark-*/dask-scratch-space/worker-*"
        until(lambda: [*scratch.glob(workers)] or started.poll() is not None)
        assert started.poll() is None
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does: all processes get it
        out, err = started.communicate()  # which ends when no worker is left that could write
    assert (started.returncode, out, err) == (130, "", "tallymark: interrupted.\n")
    assert [*scratch.iterdir()] == []
