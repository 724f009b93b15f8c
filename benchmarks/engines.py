"""Engines against the run in this process: DuckDB, Dask and Spark on the same Parquet rows, start-up apart.

Every run is a process of its own, and its memory is that of the process that asks: workers and the machine of
Java are counted beside it. Then a cluster that is not even: a slow worker, and a partition that holds four
fifths of the rows.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import polars as pl

import tallymark as tm
from scale import rows

PARTS = 20
SIZES = (100_000, 1_000_000, 10_000_000)
_COMPILED = Path(tempfile.gettempdir()) / "tallymark-benchmark-compiled"
_WORK = '''
import json, os, re, sys, time
from pathlib import Path
import tallymark as tm

def peak(pid="self"):
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024

def java():
    """What the machine of Java takes now, which it may have taken without need."""
    own = [pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()]
    named = [pid for pid in own if Path(f"/proc/{pid}/comm").read_text().strip() == "java"]
    return sum(peak(pid) for pid in named)

def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result

def told(start_up, first, again, auc, **more):
    print(json.dumps({"start": start_up, "first": first, "again": again, "auc": auc, "peak": peak(), **more}))

folder, approximate = sys.argv[1], sys.argv[2] == "grid"
asked = {"actual": "actual", "score": "score", "approximate": approximate}
number = "auc"
if len(sys.argv) > 3:
    asked, number = {"actual": "actual", "predicted": "predicted"}, "accuracy"
'''
_PROCESS = """
def evaluated():
    return tm.evaluate(folder, **asked)[number].value
first, auc = timed(evaluated)
again, auc = timed(evaluated)
told(0.0, first, again, auc)
"""
_DUCKDB = """
import duckdb
def evaluated():
    return tm.evaluate(duckdb.sql(f"select * from read_parquet('{folder}/*.parquet')"), **asked)[number].value
first, auc = timed(evaluated)
again, auc = timed(evaluated)
told(0.0, first, again, auc)
"""
_DASK = """
import dask.dataframe as dd
from dask.distributed import Client, LocalCluster
if __name__ == "__main__":
    start_up, cluster = timed(lambda: LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    with cluster, Client(cluster):
        def evaluated():
            return tm.evaluate(dd.read_parquet(folder), **asked)[number].value
        first, auc = timed(evaluated)
        again, auc = timed(evaluated)
        told(start_up, first, again, auc)
"""
_SPARK = """
import tempfile
from tallymark.intake.engines.spark.store import session_of
with tempfile.TemporaryDirectory() as local:
    os.environ["SPARK_LOCAL_DIRS"] = local
    started = session_of("local[2]")
    start_up, spark = timed(started.__enter__)
    spark.conf.set("spark.sql.shuffle.partitions", "8")
    def evaluated():
        return tm.evaluate(spark.read.parquet(folder), **asked)[number].value
    first, auc = timed(evaluated)
    shuffled = sum(path.stat().st_size for path in Path(local).rglob("shuffle_*.data"))
    again, auc = timed(evaluated)
    told(start_up, first, again, auc, java=java(), shuffled=shuffled)
    started.__exit__(None, None, None)
"""
_UNEVEN = """
import time
import dask.dataframe as dd
from dask.distributed import Client, LocalCluster, get_worker
kind = folder.rpartition("=")[2]
folder = folder.rpartition("=")[0]
def delayed(frame):
    # A worker that takes four times as long as the other for the same rows.
    if get_worker().name == 0:
        time.sleep(3 * len(frame) * 4e-7)
    time.sleep(len(frame) * 4e-7)
    return frame
def even(frame):
    time.sleep(len(frame) * 4e-7)
    return frame
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        table = dd.read_parquet(folder)
        if kind == "huge":
            most = 4 * table.npartitions // 5
            table = dd.concat([table.partitions[:most].repartition(npartitions=1), table.partitions[most:]])
        table = table.map_partitions(delayed if kind == "slow" else even, meta=table._meta)
        def evaluated():
            return tm.evaluate(table, **asked)[number].value
        first, auc = timed(evaluated)
        again, auc = timed(evaluated)
        told(0.0, first, again, auc)
"""
ENGINES = {"in this process": _PROCESS, "DuckDB": _DUCKDB, "Dask": _DASK, "Spark": _SPARK}


def run(work: str, folder: str, *how: str) -> dict[str, float]:
    """What one process tells."""
    # Compiled once, as installed packages are.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(_COMPILED)}
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(_WORK + work)
        script.flush()
        command = [sys.executable, "-W", "ignore", script.name, folder, *how]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def made(folder: Path, number: int) -> Path:
    place = folder / f"rows-{number}"
    place.mkdir()
    for part in range(PARTS):
        rows(number // PARTS, part).write_parquet(place / f"part-{part:03d}.parquet")
    return place


def against_the_process(place: Path, number: int) -> None:
    for title, how in (
        ("scores on a grid", ("grid",)),
        ("every score kept", ("exact",)),
        ("answers", ("exact", "answers")),
    ):
        print(f"\n{number:,} Parquet rows, {title}: to one number, counted twice (the second is warm)")
        bare = run(_PROCESS, str(place), *how)
        for name, work in ENGINES.items():
            found = run(work, str(place), *how)
            assert abs(found["auc"] - bare["auc"]) < 1e-9, (name, found, bare)
            times = (found["start"], found["first"], found["again"], found["again"] / bare["again"])
            java = ""
            if "java" in found:
                java = f", {found['java']:,.0f} MiB of Java, {found['shuffled'] / 1e6:.1f} MB shuffled"
            print(
                "  {:16} start {:5.2f} s   first {:6.2f} s   again {:6.2f} s ({:.1f}x)".format(name, *times),
                f"  {found['peak']:,.0f} MiB here{java}",
            )


def memory(places: dict[int, Path]) -> None:
    print("\nMemory of the process that asks, and what one more row costs (warm), scores on a grid")
    for name, work in ENGINES.items():
        found = {number: run(work, str(place), "grid") for number, place in places.items()}
        said = ", ".join(f"{number:,} rows {each['peak']:,.0f} MiB" for number, each in found.items())
        (few, first), *_, (many, last) = found.items()
        print(f"  {name:16} {said}; {1e9 * (last['again'] - first['again']) / (many - few):.0f} ns a row")


def sent() -> None:
    print("\nWhat a partition sends, on a grid, packed as for Spark")
    for weight in (None, "weight"):
        for number in (10_000, 100_000, 1_000_000):
            table = rows(number, 0).with_columns(weight=pl.col("score").sqrt())
            tally = tm.tally(table, actual="actual", score="score", weight=weight, approximate=True)
            size = len(zlib.compress(pickle.dumps(tally), 1))
            print(f"  {number:,} rows{' with weights' if weight else ''}: {size / 1e3:,.0f} kB")


def uneven(place: Path, number: int) -> None:
    print(
        f"\nA cluster that is not even (Dask, two workers): {number:,} rows, 400 ns more for each by sleeping"
    )
    level = run(_UNEVEN, f"{place}=even", "grid")
    for kind, said in (
        ("slow", "one worker four times slower"),
        ("huge", "four fifths of the rows in one partition"),
    ):
        found = run(_UNEVEN, f"{place}={kind}", "grid")
        assert found["auc"] == level["auc"], "counts changed"
        print(f"  {said}: {found['again']:.2f} s, {found['again'] / level['again']:.2f}x an even one")


def main(quick: bool = False) -> None:
    sizes = SIZES[:2] if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        places = {number: made(Path(name), number) for number in sizes}
        against_the_process(places[sizes[-1]], sizes[-1])
        memory(places)
        sent()
        uneven(places[sizes[-1]], sizes[-1])
    shutil.rmtree(_COMPILED, ignore_errors=True)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
