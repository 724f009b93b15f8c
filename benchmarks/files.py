"""Reading files, as ratios against Polars reading the same columns, and the file of 10,000 classes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import tallymark as tm
from speed import at_most, best_of

ROWS = 1_000_000


def table(rows: int, classes: int) -> pl.DataFrame:
    random = np.random.default_rng(0)
    actual = random.integers(0, classes, rows)
    predicted = np.where(random.random(rows) < 0.8, actual, random.integers(0, classes, rows))
    names = [f"class_{k:05d}" for k in range(classes)]
    return pl.DataFrame({
        "actual": pl.Series([names[code] for code in actual.tolist()]),
        "predicted": pl.Series([names[code] for code in predicted.tolist()]),
        "region": pl.Series(random.integers(0, 8, rows)).cast(pl.String),
        "weight": random.random(rows).round(3),
        "patient": random.integers(0, 20_000, rows),
    })  # fmt: skip


def formats(folder: Path) -> None:
    print(f"\nReading {ROWS:,} rows, two columns of text out of five")
    frame = table(ROWS, 5)
    used = ["actual", "predicted"]
    bare: dict[str, tuple[float, Callable[[Path], Any], Callable[[Path], Any]]] = {
        ".csv": (4.0, lambda path: frame.write_csv(path), lambda path: pl.read_csv(path, columns=used)),
        ".parquet": (
            6.0,
            lambda path: frame.write_parquet(path),
            lambda path: pl.read_parquet(path, columns=used),
        ),
        ".arrow": (
            4.0,
            lambda path: frame.write_ipc(path, compression="lz4"),
            lambda path: pl.read_ipc(path, columns=used),
        ),
        ".ndjson": (
            5.0,
            lambda path: frame.write_ndjson(path),
            lambda path: pl.read_ndjson(path).select(used),
        ),
    }
    for suffix, (budget, write, read) in bare.items():
        path = folder / f"table{suffix}"
        write(path)

        def counted(path: Path = path, read: Callable[[Path], Any] = read) -> Any:
            return read(path).group_by(used).len()

        ours = best_of(lambda path=path: tm.evaluate(path, actual="actual", predicted="predicted"), 3)
        at_most(f"{suffix}: Polars reading and counting", ours / best_of(counted, 3), budget, f"{ours:.2f} s")


def beside(folder: Path) -> None:
    print(f"\nWhat comes beside the answers, {ROWS:,} rows of a Parquet file")
    path = folder / "table.parquet"
    names: dict[str, Any] = {"actual": "actual", "predicted": "predicted"}
    plain = best_of(lambda: tm.evaluate(path, **names), 3)
    for what, budget, options in (
        ("weights", 4, {"weight": "weight"}),
        ("20,000 groups", 6, {"groups": "patient"}),
        ("8 slices", 4, {"slices": ["region"]}),
    ):
        taken = best_of(lambda options=options: tm.evaluate(path, **names, **options), 3)
        at_most(f"{what}: the same without", taken / plain, budget, f"{taken:.2f} s")


# Not ru_maxrss: a child starts with that of its parent.
_MEASURED = (
    "import re, sys; from tallymark.cli import main; code = main(sys.argv[1:]); "
    "kib = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]; "
    "print(int(kib) // 1024, file=sys.stderr); sys.exit(code)"
)


def many_classes(folder: Path) -> None:
    print(f"\n10,000 classes, {ROWS:,} rows of a CSV file, the command line with everything it prints")
    path = folder / "classes.csv"
    table(ROWS, 10_000).select("actual", "predicted").write_csv(path)
    for what, extra in (("text", []), ("JSON", ["--json"])):
        command = ["evaluate", str(path), "--actual", "actual", "--predicted", "predicted", *extra]
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", _MEASURED, *command], check=True, capture_output=True)
        taken = time.perf_counter() - start
        print(f"  {what}: {taken:.1f} s, {int(done.stderr):,} MiB at most (budget 60 s, 400 MiB)")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        for part in (formats, beside, many_classes):
            part(Path(name))


if __name__ == "__main__":
    main()
