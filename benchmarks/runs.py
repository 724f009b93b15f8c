"""Run folders: what recording costs, what is won when fits are read back, and the memory of many fits.

Times are of small fits of about 1, 10 and 100 ms, with the report; memory is that of processes of their own.

    python benchmarks/runs.py            some minutes
    python benchmarks/runs.py --quick    a tenth of the fits
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from speed import at_most, best_of

FITS, FOLDS = 1_000, 10
LARGE = 200_000
"""Rows of which every fit is tested on a tenth."""
MODELS: dict[str, tuple[Any, int]] = {
    "about 1 ms": (GaussianNB(), 1),
    "about 10 ms": (RandomForestClassifier(4), 5),
    "about 100 ms": (RandomForestClassifier(60), 20),
}
"""By what a fit takes: a model, and by how many fewer fits it is tried."""


def data(rows: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 8))
    return X, (X[:, 0] + random.normal(size=rows) > 0).astype(np.int64)


def validated(model: Any, rows: int, fits: int, folder: Path | None) -> tm.Validation:
    given = {"cv": f"kfold:{fits // FOLDS}x{FOLDS}", "baseline": False, "run_folder": folder}
    return tm.validate(model, *data(rows), **given)


def what_recording_costs(fits: int) -> None:
    print("\nRecording every fit, against the same run and report without a folder; and reading it back")
    for takes, (model, fewer) in MODELS.items():
        many = max(fits // fewer, 4 * FOLDS)
        without = best_of(lambda m=model, n=many: str(validated(m, 500, n, None)), 3)
        with TemporaryDirectory() as place:
            folders = iter(Path(place, str(number)) for number in range(3))
            recorded = best_of(lambda m=model, n=many, f=folders: str(validated(m, 500, n, next(f))), 3)
            read = best_of(lambda m=model, n=many, f=Path(place, "0"): str(validated(m, 500, n, f)), 3)
        more, again = (recorded - without) / many * 1e3, read / many * 1e3
        short = without / many < 0.005
        what = f"{many:,} fits of {takes}"
        at_most(f"{what}: recorded", recorded / without, 1.5 if short else 1.1, f"{more:.2f} ms a fit more")
        at_most(f"{what}: read back", read / without, 0.5 if short else 0.2, f"{again:.2f} ms a fit")


def memory(fits: int) -> None:
    """In processes of their own, whose memory is only theirs."""
    rows = LARGE // FOLDS
    print(f"\nMemory of {fits:,} fits, each tested on {rows:,} rows, before anything is asked of the result")
    with TemporaryDirectory() as place:
        idle = _held(0, "")
        without, recorded = (_held(fits, folder) - idle for folder in ("", place))
    which_rows = fits * rows * 8 / 1e6
    said = f"{recorded:,.0f} and {without:,.0f} MB; {which_rows:,.0f} of them say which rows were tested"
    at_most("with a run folder, against without", recorded / without, 0.5, said)


def _held(fits: int, folder: str) -> float:
    """Megabytes that a process needs at most."""
    command = [sys.executable, __file__, "--held", str(fits), folder]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def hold(fits: int, folder: str) -> None:
    warnings.simplefilter("ignore")
    validated(GaussianNB(), 1_000, 20, None)
    if fits:
        result = validated(GaussianNB(), LARGE, fits, Path(folder, "runs") if folder else None)
        assert result.rows_tested
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(quick: bool = False) -> None:
    warnings.simplefilter("ignore")
    fits = FITS // 10 if quick else FITS
    what_recording_costs(fits)
    memory(fits)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--held", nargs=2, metavar=("FITS", "FOLDER"))
    given = parser.parse_args()
    if given.held:
        hold(int(given.held[0]), given.held[1])
    else:
        main(given.quick)
