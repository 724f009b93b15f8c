"""What the studies measured, kept as rows in `results/`, from which docs/honesty.md is written.

A study calls `covered` for an interval and `rejected` for a test while it prints. `python benchmarks` writes
the rows of a study to its file when the study has ended; a study that is run alone only prints.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

OURS = "tallymark"
FOLDER = Path(__file__).parent / "results"
ALPHA = 0.05
IN_SMALL = "in_small.txt"
PACKAGES = ("scikit-learn", "scipy", "statsmodels", "mlxtend", "baycomp")


class Covered(NamedTuple):
    """How often an interval held the truth, in one design."""

    what: str
    """The number that has the interval."""
    design: str
    size: int
    """Rows, or groups of rows, that tell something new; of areas twice the rows of the rarer class."""
    method: str
    whose: str
    level: float
    coverage: float
    width: float
    """Mean width."""
    runs: int
    """Samples; 0 where every sample there can be was visited with its probability."""

    @property
    def error(self) -> float:
        """The standard error that a coverage as promised would have."""
        return error(self.level, self.runs)

    @property
    def short(self) -> bool:
        """Whether it held by more than 0.01 and two standard errors less often than promised."""
        return self.coverage < self.level - 0.01 - 2 * self.error


class Rejected(NamedTuple):
    """How often a test at 5 % found what is not there, and what is there."""

    test: str
    design: str
    whose: str
    false: float
    power: float
    """NaN where only false positives were measured."""
    runs: int
    promised: float = ALPHA
    """The rate of false positives at the most; NaN where nothing is promised."""

    @property
    def error(self) -> float:
        """The standard error that a rate as promised would have."""
        return error(self.promised, self.runs)

    @property
    def too_many(self) -> bool:
        """Whether the rate is by more than 0.01 and two standard errors above what is promised."""
        return self.false > self.promised + 0.01 + 2 * self.error


def error(rate: float, runs: int) -> float:
    """The standard error of a rate that was simulated; 0 of one that was worked out."""
    return math.sqrt(rate * (1 - rate) / runs) if runs else 0.0


_covered: list[Covered] = []
_rejected: list[Rejected] = []
_share = [1.0]


def set_share(share: float) -> None:
    """Let every study draw this share of its samples."""
    _share[0] = share


def times(samples: int) -> int:
    """How many samples a study draws that is made for so many."""
    return max(min(50, samples), round(samples * _share[0]))


def covered(
    what: str,
    design: str,
    size: int,
    method: str,
    coverage: float,
    width: float,
    runs: int,
    *,
    whose: str = OURS,
) -> None:
    """Keep what an interval did."""
    if not math.isnan(coverage):
        _covered.append(Covered(what, design, size, method, whose, 0.95, coverage, width, runs))


def rejected(
    test: str,
    design: str,
    false: float,
    power: float,
    runs: int,
    *,
    whose: str = OURS,
    promised: float = ALPHA,
) -> None:
    """Keep what a test did."""
    _rejected.append(Rejected(test, design, whose, false, power, runs, promised))


def write(study: str, *, in_small: str = "") -> None:
    """Replace the rows of a study by those that were kept since the last time.

    `in_small` tells what was left out, if not all designs of the study were drawn; the page says so.
    """
    FOLDER.mkdir(exist_ok=True)
    notes = notes_in_small() | {study: in_small}
    text = "".join(f"{name},{note}\n" for name, note in sorted(notes.items()) if note)
    (FOLDER / IN_SMALL).write_text(text, encoding="utf-8")
    for kind, rows in (("intervals", _covered), ("tests", _rejected)):
        if rows:
            _write(FOLDER / f"{study}.{kind}.csv", rows)
    forget()


def notes_in_small() -> dict[str, str]:
    """What was left out, of every study that was drawn in small."""
    file = FOLDER / IN_SMALL
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return dict(line.split(",", 1) for line in lines)


def forget() -> None:
    """Drop what was kept since the last time."""
    _covered.clear()
    _rejected.clear()


def write_versions() -> None:
    """Of the packages that stand beside ours."""
    lines = [f"{name},{version(name)}" for name in PACKAGES]
    (FOLDER / "versions.csv").write_text("\n".join(["package,version", *lines, ""]), encoding="utf-8")


def _write(file: Path, rows: Sequence[Covered | Rejected]) -> None:
    kept = [tuple(f"{cell:.5g}" if isinstance(cell, float) else cell for cell in row) for row in rows]
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(rows[0]._fields)
        writer.writerows(kept)


def intervals(study: str) -> list[Covered]:
    """What a study measured of intervals."""
    return [
        Covered(
            *(row[name] for name in ("what", "design")),
            int(row["size"]),
            *(row[name] for name in ("method", "whose")),
            *(float(row[name]) for name in ("level", "coverage", "width")),
            int(row["runs"]),
        )
        for row in _read(FOLDER / f"{study}.intervals.csv")
    ]


def tests(study: str) -> list[Rejected]:
    """What a study measured of tests."""
    return [
        Rejected(
            *(row[name] for name in ("test", "design", "whose")),
            *(float(row[name]) for name in ("false", "power")),
            int(row["runs"]),
            float(row["promised"]),
        )
        for row in _read(FOLDER / f"{study}.tests.csv")
    ]


def _read(file: Path) -> Iterator[dict[str, str]]:
    if file.exists():
        with file.open(newline="", encoding="utf-8") as text:
            yield from csv.DictReader(text)
