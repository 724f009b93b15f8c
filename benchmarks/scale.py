"""Files larger than memory: 1e8 rows of Parquet on a grid, 1e7 rows of CSV, and what one more row costs.

Every run is a process of its own, whose memory is measured with that of its children. The files are made in
a temporary folder and deleted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from speed import at_least, at_most

PART = 10_000_000
_COMPILED = Path(tempfile.gettempdir()) / "tallymark-benchmark-compiled"
COLUMNS = ("--actual", "actual", "--predicted", "predicted", "--score", "score")
# Not ru_maxrss: a child starts with that of its parent.
_MEASURED = """
import re, sys, time
from pathlib import Path
def peak():
    own = Path("/proc/self/status").read_text()
    children = Path("/proc/self/task").glob("*/children")
    others = [f"/proc/{pid}/status" for each in children for pid in each.read_text().split()]
    texts = [own, *(Path(other).read_text() for other in others)]
    return sum(int(re.search(r"VmHWM:\\s+(\\d+)", text)[1]) for text in texts)
start = time.perf_counter()
{work}
print(time.perf_counter() - start, peak(), file=sys.stderr)
"""
_OURS = """
from tallymark.cli import main
assert main(sys.argv[1:]) == 0
"""
_SAME = """
import tallymark as tm
ev = tm.evaluate(sys.argv[1], actual="actual", predicted="predicted", score="score",
                 approximate=len(sys.argv) > 2)
print(ev.confusion.matrix, [[ev.per_class[label][name].value for name in ("precision", "recall", "f1")]
                            for label in ev.labels], ev["f1_macro"].value, ev["f1_weighted"].value)
names = "accuracy", "auc", "average_precision", "brier", "log_loss"
print([ev[name].value for name in names], len(ev.roc.fpr))
"""
_POLARS = """
import polars as pl
print(pl.scan_parquet(sys.argv[1]).group_by("actual", "predicted").agg(pl.col("score").sum())
      .collect(engine="streaming"))
"""
_PEERS = """
import pandas as pd
from sklearn.metrics import average_precision_score, brier_score_loss, classification_report
from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score, roc_curve
table = pd.read_csv(sys.argv[1])
actual, predicted, score = table["actual"], table["predicted"], table["score"]
print(confusion_matrix(actual, predicted), classification_report(actual, predicted))
print(roc_auc_score(actual, score), average_precision_score(actual, score), len(roc_curve(actual, score)[0]))
print(brier_score_loss(actual, score), log_loss(actual, score))
"""


def measured(work: str, *arguments: str) -> tuple[float, float]:
    """Seconds and MiB of a process, its start included."""
    # Compiled once, as installed packages are.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(_COMPILED)}
    start = time.perf_counter()
    command = [sys.executable, "-c", _MEASURED.replace("{work}", work), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return time.perf_counter() - start, int(done.stderr.split()[-1]) / 1024


def rows(number: int, seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    actual = random.random(number) < 0.2
    score = random.beta(2, 5, number)
    score += actual * (1 - score) * 0.3
    return pl.DataFrame({
        "actual": actual.astype(np.int8),
        "predicted": (score > 0.4).astype(np.int8),
        "score": score,
    })  # fmt: skip


def parquet(folder: Path, number: int) -> tuple[float, float, float]:
    """Our seconds, those of Polars, and our MiB, for so many rows."""
    parts = max(1, number // PART)
    place = folder / f"rows-{number}"
    place.mkdir()
    for part in range(parts):
        rows(number // parts, part).write_parquet(place / f"part-{part:03d}.parquet")
    bare, _ = measured(_POLARS, f"{place}/*.parquet")
    ours, memory = measured(_OURS, "evaluate", str(place), *COLUMNS, "--approximate", "--json")
    for path in place.iterdir():
        path.unlink()
    return ours, bare, memory


def on_a_grid(folder: Path, sizes: tuple[int, ...]) -> None:
    print("\nParquet rows on a grid (--approximate), everything the report holds, start-up included")
    costs = {}
    for number in sizes:
        ours, bare, memory = parquet(folder, number)
        costs[number] = ours
        print(f"  {number:,} rows: {ours:.2f} s ({1e9 * ours / number:.0f} ns a row), {memory:,.0f} MiB")
        if number == sizes[-1]:
            at_most("a Polars group_by(actual, predicted) with sum(score)", ours / bare, 3, f"{bare:.2f} s")
            at_most("memory in GiB, children counted", memory / 1024, 1)
    first, *_, last = sizes
    more = (costs[last] - costs[first]) / (last - first)
    middle = (costs[sizes[-2]] - costs[first]) / (sizes[-2] - first)
    at_most(
        "cost of one more row, the last tenfold against the one before",
        more / middle,
        1.5,
        f"{1e9 * more:.0f} ns",
    )


def from_text(folder: Path, number: int) -> None:
    print(f"\n{number:,} rows of a CSV file, from the command to all numbers")
    path = folder / "rows.csv"
    rows(number, 0).write_csv(path)
    peers, theirs = measured(_PEERS, str(path))
    report = ("evaluate", str(path), *COLUMNS)
    for what, work, arguments in (
        ("the same numbers, exact", _SAME, (str(path),)),
        ("the same numbers, on a grid", _SAME, (str(path), "approximate")),
        ("the whole report, exact", _OURS, report),
        ("the whole report, on a grid", _OURS, (*report, "--approximate")),
    ):
        ours, memory = measured(work, *arguments)
        said = f"{ours:.2f} s and {memory:,.0f} MiB against {peers:.2f} s and {theirs:,.0f} MiB"
        at_least(f"{what}: pandas and scikit-learn", peers / ours, 5, said)


def main(quick: bool = False) -> None:
    with tempfile.TemporaryDirectory() as name:
        parquet(Path(name), 1_000)  # so that all is compiled
        on_a_grid(
            Path(name), (100_000, 1_000_000, 10_000_000) if quick else (1_000_000, 10_000_000, 100_000_000)
        )
        from_text(Path(name), 1_000_000 if quick else 10_000_000)
    shutil.rmtree(_COMPILED, ignore_errors=True)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
