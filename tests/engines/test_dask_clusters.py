"""Workers of Dask that are started for a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

SCRIPT = """
import tallymark as tm
try:
    tm.evaluate("rows.parquet", actual="y", score="s", engine="dask")
except tm.errors.WorkerError as problem:
    print(problem)
"""


def test_a_script_that_its_workers_would_run_again(tmp_path: Path) -> None:
    pl.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.3]}).write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "script.py").write_text(SCRIPT)
    found = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith("Dask could not start workers on this machine: ")
    assert "`if __name__ == '__main__':`" in found.stdout
    assert "Traceback" not in found.stderr
