"""What goes wrong in Spark: in rows, in files, in executors and where it is started."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from alike import alike
from py4j.protocol import Py4JNetworkError

import tallymark as tm
from tallymark.errors import EngineError, MissingExtraError, OptionError
from tallymark.intake.engines.spark import sessions as spark_sessions
from tallymark.intake.engines.spark.errors import told
from tallymark.intake.engines.spark.store import session_of, spread

pytestmark = pytest.mark.xdist_group("spark")

CHANCES = {"probabilities": ["p", "q"], "labels": [0, 1], "actual": "y"}


# --- rows ----------------------------------------------------------------------------------------


def test_bad_rows_are_counted_in_all_groups(spark: Any) -> None:
    # Of 100 rows 8, 28, ..., 88 are infinite, and 3, 13, ..., 93 have no label.
    rows = spark.sql(
        "select if(id % 10 = 3, null, id % 2) as y, if(id % 20 = 8, double('inf'), id / 100D) as s "
        "from range(100)"
    )
    with pytest.raises(tm.InputError) as raised:
        tm.tally(rows, actual="y", score="s", missing="drop")
    assert "5 " in str(raised.value)
    assert "such as (y=0, s=inf)" in str(raised.value)
    with pytest.raises(tm.MissingValueError, match=r"'y'.* is missing in 10 of 95 rows"):
        tm.tally(rows.filter("s < 2"), actual="y", score="s")


def test_bad_rows_are_found_in_their_partitions(spark: Any) -> None:
    # Four partitions of 25 rows each: row 40 is the 16th of the second, and so on.
    rows = spark.range(0, 100, 1, 4).selectExpr(
        "id % 2 as y", "if(id in (40, 90, 91, 92, 93), null, 0.25D) as p", "0.75D as q"
    )
    with pytest.raises(tm.MissingValueError) as raised:
        tm.tally(rows, **CHANCES)
    assert "missing in 5 of 100 rows" in str(raised.value)
    places = "row 15 of partition 1, rows 15 and 16 of partition 3 and 2 more (both counted from 0)"
    assert places in str(raised.value)


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parquet files, of which one lost its end."""
    folder = tmp_path_factory.mktemp("broken")
    for name in ("first", "second"):
        pl.DataFrame({"y": [0, 1] * 9, "p": [0.5] * 18, "q": [0.5] * 18}).write_parquet(
            folder / f"{name}.parquet"
        )
    whole = (folder / "second.parquet").read_bytes()
    (folder / "second.parquet").write_bytes(whole[:-8])
    return folder


@pytest.mark.parametrize("asked", [{"actual": "y", "score": "p"}, CHANCES], ids=["pushed down", "by parts"])
def test_a_file_that_cannot_be_read_is_named(asked: dict[str, Any], spark: Any, broken: Path) -> None:
    rows = spark.read.schema("y long, p double, q double").parquet(str(broken))
    with pytest.raises(EngineError) as raised:
        tm.tally(rows, **asked)
    assert str(raised.value).startswith("Spark failed")
    assert "second.parquet" in str(raised.value)
    assert "is not a Parquet file" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_spark_itself_refuses(spark: Any) -> None:
    rows = spark.sql("select raise_error('the well is dry') as y, 1 as p from range(3)")
    with pytest.raises(EngineError, match=r"^Spark failed.*the well is dry") as raised:
        tm.tally(rows, actual="y", predicted="p")
    assert "\n" not in str(raised.value)


def test_counts_that_are_too_large_to_be_sent(spark: Any) -> None:
    rows = spark.range(1_500_000).selectExpr("id % 2 as y", "id / 1.5e6D as s")
    with pytest.raises(EngineError, match=r"larger than Spark may send here.*approximate=True"):
        tm.tally(rows, actual="y", score="s")


# --- executors -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_an_executor_that_is_killed_changes_nothing(
    spark: Any, tmp_path: Path, until: Callable[..., Any]
) -> None:
    under_way, go_on = tmp_path / "under way", tmp_path / "go on"

    def slowly(batches: Iterator[Any]) -> Iterator[Any]:
        import time

        import psutil
        from pyspark import TaskContext

        if TaskContext.get().partitionId() == 1 and not go_on.exists():
            executor = next(each for each in psutil.Process().parents() if each.name() == "java")
            under_way.with_suffix(".part").write_text(str(executor.pid))
            under_way.with_suffix(".part").rename(under_way)
            while not go_on.exists():
                time.sleep(0.02)
        yield from batches

    rows = spark.range(0, 400, 1, 4).selectExpr("id % 2 as y", "(id % 8) / 8D as p", "1 - (id % 8) / 8D as q")
    with ThreadPoolExecutor(1) as thread:
        try:
            counted = thread.submit(tm.tally, rows.mapInArrow(slowly, rows.schema), **CHANCES)
            executor = int(until(lambda: under_way.exists() and under_way.read_text()))
            os.kill(executor, signal.SIGKILL)
        finally:
            go_on.touch()
        found = counted.result()
    number = [i % 8 for i in range(400)]
    same = pl.DataFrame(
        {"y": [i % 2 for i in range(400)], "p": [i / 8 for i in number], "q": [1 - i / 8 for i in number]}
    )
    alike(found, tm.tally(same, **CHANCES))


def test_a_task_that_fails_is_named(spark: Any) -> None:
    def fails() -> Any:
        raise RuntimeError("no such luck")

    with pytest.raises(EngineError, match=r"^Spark failed.*: RuntimeError: no such luck\.$"):
        spread(spark, [fails], "counting")

    def refuses() -> Any:
        raise tm.FileError("line 3 of a.csv is broken.")

    found = spread(spark, [refuses, fails][:1], "counting")
    assert str(found.error(lambda *_: "")) == "line 3 of a.csv is broken."


# --- where it is started -------------------------------------------------------------------------


def test_a_session_of_another_master(spark: Any) -> None:
    with (
        pytest.raises(OptionError, match=r"of the master 'local-cluster\[2,1,1024\]' is active"),
        session_of("yarn"),
    ):
        pass
    with session_of() as found:
        assert found is spark


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tallymark\[spark\]'"), session_of():
        pass


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        EngineError, match=r"needs Java 17 or newer, and there is none here\. Hint: apt install"
    ):
        spark_sessions._start_java({})


def test_with_an_old_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'UnsupportedClassVersionError: class file version 61.0' >&2\nexit 1\n")
    java.chmod(0o700)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    ended = "ended before it began: UnsupportedClassVersionError: class file version 61.0. Hint: Java 17"
    assert ended in not_started({})


def test_at_a_master_that_is_none() -> None:
    assert not_started({"spark.master": "nonsense"}) == (
        "'nonsense' is no master of Spark: Master must either be yarn or start with spark, k8s, or local. "
        "Hint: write local[2], spark://HOST:7077, yarn or k8s://https://HOST:PORT."
    )


def not_started(settings: dict[str, str]) -> str:
    """What is said of a Java process that ends at once."""
    with warnings.catch_warnings():
        # PySpark leaves the input of such a process open.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            spark_sessions._start_java(settings)
        except tm.TallymarkError as problem:
            said = str(problem)
        gc.collect()
    return said


def test_java_that_is_gone() -> None:
    assert str(told(Py4JNetworkError("empty answer"))).startswith("Spark's Java process does not answer.")
