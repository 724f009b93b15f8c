"""Tables of Spark, counted by its executors: the same tally as in memory, whatever goes wrong."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from nasty import TABLES
from sklearn.metrics import roc_auc_score
from test_equal_bits import for_spark, options_of
from workers import QUICKLY, SETTINGS

import tallymark as tm
from alike import alike
from scored import classes, refusals
from tallymark.cli import main
from waiting import until

pytestmark = pytest.mark.xdist_group("spark")

N, RNG = 600, np.random.default_rng(10)
CLASSES = [f"class {place:02}" for place in range(25)]


def _rows() -> pl.DataFrame:
    actual = RNG.integers(0, 2, N)
    score = np.clip(RNG.normal(0.35 + 0.3 * actual, 0.2), 0, 1)
    columns: dict[str, Any] = {
        "y": actual,
        "p": RNG.integers(0, 2, N),
        "score": score,
        "crowded": 0.7 + score / 1e5,
    }
    columns |= {
        "gappy": np.where(np.arange(N) % 50 == 7, np.nan, np.round(score, 2)),
        "weight": RNG.random(N),
    }
    columns |= {
        "times": RNG.integers(0, 4, N),
        "region": RNG.choice(["north", "south"], N),
        "sex": RNG.choice(["f", "m"], N),
    }
    for mark, size in (("p", 3), ("q", 25)):
        probabilities = RNG.dirichlet([1.0] * size, N)
        columns |= {f"{mark} {name}": probabilities[:, place] for place, name in enumerate(CLASSES[:size])}
        columns[f"of {size}"] = RNG.choice(CLASSES[:size], N)
    return pl.DataFrame(columns)


ROWS = _rows()
ON_GRID: dict[str, Any] = {"actual": "y", "score": "score", "approximate": True}
THREE = {"actual": "of 3", "probabilities": [f"p {name}" for name in CLASSES[:3]], "labels": CLASSES[:3]}
MANY = {"actual": "of 25", "probabilities": [f"q {name}" for name in CLASSES], "labels": CLASSES}
EVERY: dict[str, dict[str, Any]] = {
    "labels": {"actual": "y", "predicted": "p", "slices": ["region", "region*sex"]},
    "scores": {"actual": "y", "score": "gappy", "missing": "drop"},
    "a grid": {**ON_GRID, "weight": "weight"},
    "frequencies": {**ON_GRID, "weight": "times", "weight_kind": "frequency", "slices": ["sex"]},
    "3 classes": {**THREE, "weight": "times", "slices": ["region"]},
    "25 classes on a grid": {**MANY, "approximate": True},
}
TWO_COLUMNS = {"probabilities": ["p", "q"], "labels": [0, 1], "actual": "y"}


@pytest.fixture(scope="module")
def table(spark: Any) -> Any:
    """The rows in four partitions, of which one is empty."""
    three = spark.createDataFrame(ROWS.to_arrow()).repartitionByRange(3, "score")
    return three.union(spark.createDataFrame(ROWS.to_arrow()).limit(0).coalesce(1))


def test_executors_count_as_it_is_counted_in_memory(table: Any, spark: Any) -> None:
    for asked in EVERY.values():
        alike(tm.tally(table, **asked), tm.tally(ROWS, **asked))
    # A second look at the rows narrows what is not known.
    exact = roc_auc_score(ROWS["y"].to_numpy(), ROWS["crowded"].to_numpy())
    low, high = tm.evaluate(table, **ON_GRID | {"score": "crowded", "tolerance": 1e-3})["auc"].bounds
    assert low <= exact <= high <= low + 2e-3
    # The rules of ANSI do not matter.
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", {"true": "false"}.get(before, "true"))
    try:
        alike(tm.tally(table, **EVERY["a grid"]), tm.tally(ROWS, **EVERY["a grid"]))
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)


def test_text_and_names(spark: Any) -> None:
    # A slice by text that Spark compares without case has a slice of its own for each.
    without_case = spark.sql(
        "SELECT y, p, region COLLATE UTF8_LCASE AS region FROM VALUES (1, 1, 'a'), (1, 0, 'A'), (0, 0, 'b'), "
        "(0, 1, 'a') AS t(y, p, region)"
    )
    found = tm.tally(without_case, actual="y", predicted="p", slices=["region"]).slices["region",]
    assert {key: part.rows for key, part in found.items()} == {("a",): 2, ("A",): 1, ("b",): 1}
    nameless = spark.sql("SELECT 1 AS ``, 1 AS p UNION ALL SELECT 0, 0")
    assert tm.tally(nameless, actual="", predicted="p").rows == 2


# --- what goes wrong ---------------------------------------------------------------------------------


def test_what_cannot_be_counted(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Any
) -> None:
    twice = spark.sql("select 0 as y, 1 as y, 1 as p, 0 as `p.q` from range(3)")
    nothing = spark.sql("select 0 as y, 1 as p, 0.5D as a, 0.5D as b from range(0)")
    # Of 100 rows 8, 28, ..., 88 are infinite, and 3, 13, ..., 93 have no label.
    bad = spark.sql(
        "select if(id % 10 = 3, null, id % 2) as y, if(id % 20 = 8, double('inf'), id / 100D) as s "
        "from range(100)"
    )
    # Four partitions of 25 rows each: row 40 is the 16th of the second, and so on.
    lacking = spark.range(0, 100, 1, 4).selectExpr(
        "id % 2 as y", "if(id in (40, 90, 91, 92, 93), null, 0.25D) as p", "0.75D as q"
    )
    one = spark.sql("SELECT 1 AS y, 1 AS p, 0 AS q")
    large = spark.range(1_500_000).selectExpr("id % 2 as y", "id / 1.5e6D as s")
    csv = tmp_path / "rows.csv"
    csv.write_text("y,s\n1,0.9\n0,0.4\n")
    sides = {"actual": "y", "predicted": "p"}
    calls: dict[str, Any] = {
        "a name twice": lambda: tm.tally(twice, **sides),
        "a part of a column": lambda: tm.tally(twice, actual="p", predicted="p.q"),
        "no column": lambda: tm.tally(twice, actual="p", predicted="z"),
        "no rows": lambda: tm.tally(nothing, **sides),
        "no rows with probabilities": lambda: tm.tally(
            nothing, actual="y", probabilities=["a", "b"], labels=[0, 1]
        ),
        "infinite": lambda: tm.tally(bad, actual="y", score="s", missing="drop"),
        "missing": lambda: tm.tally(bad.filter("s < 2"), actual="y", score="s"),
        "missing in partitions": lambda: tm.tally(lacking, **TWO_COLUMNS),
        "columns": lambda: tm.evaluate(one.y, one.p),
        "two tables": lambda: tm.evaluate(one, one),
        "too large to be sent": lambda: tm.tally(large, actual="y", score="s"),
        "another master": lambda: tm.tally(csv, engine="spark", master="yarn", actual="y", score="s"),
    }
    refused = refusals(calls)
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "pyspark.sql", None)
        refused |= refusals({"no package": lambda: tm.tally(csv, engine="spark", actual="y", score="s")})
    found = classes(refused)
    expected = dict.fromkeys(("a name twice", "a part of a column", "no column", "infinite"), "ColumnError")
    expected |= dict.fromkeys(("no rows", "no rows with probabilities"), "ShapeError") | {
        "no package": "MissingExtraError"
    }
    expected |= dict.fromkeys(("missing", "missing in partitions"), "MissingValueError") | {
        "another master": "OptionError"
    }
    assert {name: found[name] for name in expected} == expected
    assert found["too large to be sent"] == "EngineError"
    # Which of the rows are shown is up to the executors.
    refused |= {name: refused[name].partition(", at ")[0] for name in ("infinite", "missing")}
    refused["too large to be sent"] = refused["too large to be sent"].partition(" (")[0][:40]
    said = refused["another master"].replace(spark.sparkContext.master, "MASTER")
    snapshot("engines_refused_spark", refused | {"another master": said})


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_what_spark_itself_refuses_names_what_is_at_fault(spark: Any, tmp_path: Path) -> None:
    def failing(batches: Iterator[Any]) -> Iterator[Any]:  # in here, so that it crosses to executors
        raise RuntimeError("no such luck")
        yield from batches

    for name in ("first", "second"):
        frame = pl.DataFrame({"y": [0, 1] * 9, "p": [0.5] * 18, "q": [0.5] * 18})
        frame.write_parquet(tmp_path / f"{name}.parquet")
    (tmp_path / "second.parquet").write_bytes((tmp_path / "second.parquet").read_bytes()[:-8])
    broken = spark.read.schema("y long, p double, q double").parquet(
        *(str(tmp_path / f"{name}.parquet") for name in ("first", "second"))
    )
    dry = spark.sql("select raise_error('the well is dry') as y, 1 as p from range(3)")
    task = spark.range(0, 40, 1, 2).selectExpr("id % 2 as y", "0.25D as p", "0.75D as q")
    for rows, asked, named in (
        (broken, {"actual": "y", "score": "p"}, "second.parquet"),
        (broken, TWO_COLUMNS, "second.parquet"),
        (dry, {"actual": "y", "predicted": "p"}, "the well is dry"),
        (task.mapInArrow(failing, task.schema), TWO_COLUMNS, "no such luck"),
    ):
        with pytest.raises(tm.EngineError) as raised:
            tm.tally(rows, **asked)
        assert named in str(raised.value)
        assert "\n" not in str(raised.value)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_an_executor_that_is_killed_changes_nothing(spark: Any, tmp_path: Path) -> None:
    under_way, go_on = tmp_path / "under way", tmp_path / "go on"

    def slowly(batches: Iterator[Any]) -> Iterator[Any]:
        from threading import Event

        import psutil
        from pyspark import TaskContext

        if TaskContext.get().partitionId() == 1 and not go_on.exists():
            executor = next(each for each in psutil.Process().parents() if each.name() == "java")
            under_way.with_suffix(".part").write_text(str(executor.pid))
            under_way.with_suffix(".part").rename(under_way)
            while not go_on.exists():
                Event().wait(0.02)
        yield from batches

    rows = spark.range(0, 400, 1, 4).selectExpr("id % 2 as y", "(id % 8) / 8D as p", "1 - (id % 8) / 8D as q")
    with ThreadPoolExecutor(1) as thread:
        try:
            counted = thread.submit(tm.tally, rows.mapInArrow(slowly, rows.schema), **TWO_COLUMNS)
            executor = int(until(lambda: under_way.exists() and under_way.read_text()))
            os.kill(executor, signal.SIGKILL)
        finally:
            go_on.touch()
        found = counted.result()
    number = np.arange(400)
    same = pl.DataFrame({"y": number % 2, "p": number % 8 / 8, "q": 1 - number % 8 / 8})
    alike(found, tm.tally(same, **TWO_COLUMNS))


# --- a session without executors ---------------------------------------------------------------------

SCRIPT = """
import os, pickle, signal, sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
import tallymark as tm
from tallymark.cli import main
given, made = pickle.load(sys.stdin.buffer)
folder, csv = Path(given["folder"]), given["command"][0]
asked, chances = {"actual": "y", "score": "s"}, {"actual": "y", "probabilities": ["p", "q"], "labels": [0, 1]}

def said(call):
    try:
        return call()
    except tm.TallymarkError as problem:
        return f"{type(problem).__name__}: {problem}"

def started(master, **others):
    kept = dict(os.environ)
    os.environ.update(others)
    found = said(lambda: tm.tally(csv, engine="spark", master=master, **asked))
    os.environ.clear()
    os.environ.update(kept)
    return found

result = {name: started("local[2]", JAVA_HOME=str(folder / name)) for name in ("no java", "old java")}
result["no master"] = started("nonsense")
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]")
for name, value in given["settings"].items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
rows = spark.sql("select id % 2 as y, 0.25D as p, 0.75D as q from range(10)")
result["nasty"] = tm.tally(spark.createDataFrame(given["nasty"]), **given["options"])
with redirect_stdout(StringIO()) as written:
    result["code"] = main(["evaluate", *given["command"], "--engine", "spark", "--master", "local[2]"])
result["written"] = written.getvalue()
elsewhere = {"engine": "spark", "master": "spark://elsewhere:7077"}
result["another master"] = said(lambda: tm.tally(csv, **elsewhere, **asked))
result["tally"] = tm.tally(rows, **chances)
python = folder / "python"
python.write_text(f'#!/bin/sh\\nPYTHONPATH="{folder}:$PYTHONPATH" exec "{sys.executable}" "$@"')
python.chmod(0o700)
spark.sparkContext.pythonExec = str(python)
result["pushed down"] = said(lambda: tm.tally(rows, actual="y", score="p").rows)
result["by parts"] = said(lambda: tm.tally(rows, **chances))
spark.stop()
result["stopped"] = said(lambda: tm.tally(rows, actual="y", score="p"))
again = builder.getOrCreate()
rows, unseen = (again.sql("select 1 as y, 0.5D as p") for _ in range(2))
rows.schema
os.kill(again.sparkContext._gateway.proc.pid, signal.SIGKILL)
again.sparkContext._gateway.proc.wait()
result["java is gone"] = said(lambda: tm.tally(rows, actual="y", score="p"))
result["java is gone before the schema is known"] = said(lambda: tm.tally(unseen, actual="y", score="p"))
Path(made).write_bytes(pickle.dumps(result))
"""


@pytest.mark.thorough
def test_a_session_of_one_process_and_what_may_be_lacking(tmp_path: Path, capsys: Any, snapshot: Any) -> None:
    """All of it is asked at once, for a session takes long to start."""
    csv = tmp_path / "a.csv"
    csv.write_text("y,s\n1,0.9\n0,0.4\n1,0.4\n0,0.1\n1,0.3\n0,0.6\n")
    for name in ("tallymark", "no java", "old java/bin"):
        (tmp_path / name).mkdir(parents=True)
    java = tmp_path / "old java" / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'UnsupportedClassVersionError: class file version 61.0' >&2\nexit 1\n")
    java.chmod(0o700)
    (tmp_path / "tallymark" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'tallymark'\")"
    )
    command = [str(csv), "--actual", "y", "--score", "s", "--json"]
    given = {"nasty": for_spark(TABLES["text"]), "options": options_of("text", "a grid"), "command": command}
    given["settings"] = SETTINGS
    others = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        input=pickle.dumps((given | {"folder": str(tmp_path)}, str(tmp_path / "result"))),
        env={**others, "SPARK_SUBMIT_OPTS": QUICKLY, "PYSPARK_PYTHON": sys.executable},
        check=True,
    )
    found = pickle.loads((tmp_path / "result").read_bytes())
    alike(found["nasty"], tm.tally(pl.from_arrow(TABLES["text"].arrow), **given["options"]))
    same = pl.DataFrame({"y": [0, 1] * 5, "p": [0.25] * 10, "q": [0.75] * 10})
    alike(found["tally"], tm.tally(same, **TWO_COLUMNS))
    # The command writes what it writes without Spark.
    assert (found["code"], found["pushed down"], main(["evaluate", *command])) == (0, 10, 0)
    there, here = json.loads(found["written"]), json.loads(capsys.readouterr().out)
    assert len(there.pop("notes")) == len(here.pop("notes")) + 1
    assert there == here
    ours = "no master", "another master"
    sparks = "no java", "old java", "by parts", "stopped", "java is gone"
    sparks += ("java is gone before the schema is known",)
    refused = {name: found[name] for name in (*ours, *sparks)}
    assert classes(refused) == dict.fromkeys(ours, "OptionError") | dict.fromkeys(sparks, "EngineError")
    snapshot("engines_lacking_spark", refused)
