"""All benchmarks: `make bench`. Ratios within this run, coverage of every interval, errors of every test.

python benchmarks                        everything, and docs/honesty.md anew
python benchmarks --only honesty         what docs/honesty.md is written from, without the speed of anything
python benchmarks --only speed           the other way round
python benchmarks --only gate permutation    these studies; docs/honesty.md keeps what it says of others
python benchmarks --quick                everything in small; nothing is kept
python benchmarks --share 0.25           a quarter of the samples; docs/honesty.md says how many
"""

from __future__ import annotations

import argparse
import inspect
import sys
import time
import traceback
from importlib import import_module

import honesty
import records

SPEED = {
    "speed": "Speed and memory",
    "ranking": "Ranking",
    "curves": "Curves",
    "decisions": "Decisions",
    "files": "Files",
    "report": "The page: size and time",
    "scale": "Files larger than memory",
    "engines": "DuckDB, Dask and Spark",
    "comparison": "Comparison of two models: speed and memory",
    "validation": "Validation of models: speed and memory",
    "runs": "Run folders: what recording costs, and memory of a thousand fits",
}
HONESTY = {
    "coverage_binomial": "Coverage of the binomial intervals (exact)",
    "coverage_cells": "Coverage of the intervals of other numbers",
    "coverage_weights_groups": "Coverage with weights, groups and slices",
    "coverage_label_sets": "Coverage with several labels per row, and of metrics of one's own",
    "coverage_ranking": "Coverage of the intervals of numbers from scores",
    "coverage_decisions": "Coverage of savings, and how much a chosen threshold flatters itself",
    "coverage_decision_curve": "Coverage of net benefits",
    "coverage_rejection": "Coverage of rejection curves",
    "coverage_calibration": "Calibration: false positives of its test, coverage of bins and gains",
    "coverage_classes": "Coverage of numbers about many classes",
    "coverage_differences": "Coverage of differences of proportions, and McNemar's tests (exact)",
    "coverage_paired": "Coverage of differences between two models' answers",
    "coverage_paired_ranking": "Coverage of differences between two models' scores",
    "false_positives": "False positives and power of every test",
    "gate": "How often the gate passes what is worse than the baseline",
    "coverage_validation": "Coverage of the intervals of validation",
    "coverage_tuning": "What tuning promises and keeps",
    "coverage_learning": "Coverage of learning curves, and of what more rows would buy",
    "permutation": "False positives and power of permutation tests",
    "peers_intervals": "Coverage of other packages' intervals",
    "peers_tests": "False positives and power of other packages' tests",
}
ALL = {**SPEED, **HONESTY}


def main() -> None:
    given = _options()
    records.set_share(given.share)
    began = time.perf_counter()
    failed = [name for name in _asked(given.only) if not ran(name, quick=given.quick)]
    if not given.quick:
        records.write_versions()
        honesty.main()
    print(f"\nAll of it took {(time.perf_counter() - began) / 60:.0f} minutes.")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}.")


def ran(name: str, *, quick: bool) -> bool:
    """Whether a study went through; what it measured is kept then, and what was kept before if not."""
    print(f"\n=== {ALL[name]} ===", flush=True)
    at, worked = time.perf_counter(), time.process_time()
    try:
        study = import_module(name).main
        study(quick) if inspect.signature(study).parameters else study()
    except Exception:  # noqa: BLE001 - hours of other studies are still wanted
        traceback.print_exc()
        records.forget()
        return False
    taken, busy = time.perf_counter() - at, time.process_time() - worked
    print(f"\n({name}: {taken:.0f} s, {busy:.0f} s of processor time)", flush=True)
    if not quick:
        records.write(name)
    return True


def _asked(only: list[str]) -> list[str]:
    names: list[str] = []
    for each in only:
        names += {"honesty": HONESTY, "speed": SPEED}.get(each, [each])
    return names


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    choices = ("honesty", *ALL)
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        choices=choices,
        default=["speed", "honesty"],
        help=", ".join(choices),
    )
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the samples that every study is made for"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
