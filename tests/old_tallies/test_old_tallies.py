"""Tallies that earlier versions wrote are read, and give what scikit-learn said of their rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tallymark as tm

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("version_*/*.tally"))
ON_A_GRID = ("auc", "average_precision")


def expected(path: Path) -> Any:
    return json.loads((path.parent / "expected.json").read_text())


def compare(found: Any, wanted: dict[str, float], *, grid: bool) -> None:
    for name, value in wanted.items():
        estimate = found(name)
        if grid and name in ON_A_GRID:
            low, high = estimate.bounds
            assert low < value < high, name
            assert high - low < 0.1, name
        else:
            assert estimate.value == pytest.approx(value, rel=1e-9), name


def test_there_are_files_of_every_version() -> None:
    names = {path.stem for path in FILES if path.parent.name == "version_1"}
    assert names == {"labels", "exact", "grid", "grid_weights_slices", "classes"}
    assert sum(path.stat().st_size for path in FILES) < 50_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_old_tally_gives_the_numbers_of_its_rows(path: Path) -> None:
    ev = tm.evaluate(path)
    assert ev.rows == 48
    compare(ev.__getitem__, expected(path)[path.stem], grid="grid" in path.stem)


@pytest.mark.parametrize(
    "path", [path for path in FILES if "slices" in path.stem], ids=lambda path: path.stem
)
def test_so_do_its_slices(path: Path) -> None:
    slices = {part["slice"]["region"]: part for part in tm.evaluate(path).to_dict()["slices"]}
    for region, wanted in expected(path)["regions"].items():
        for name in ("accuracy", "recall", "precision", "f1", "brier", "log_loss"):
            assert slices[region]["metrics"][name]["value"] == pytest.approx(wanted[name], rel=1e-9), name
        low, high = slices[region]["metrics"]["auc"]["bounds"]
        assert low <= wanted["auc"] <= high


def test_an_old_tally_is_added_to_a_new_one() -> None:
    table = pl.read_csv(HERE / "version_1" / "rows.csv", infer_schema=False)
    new = tm.tally(table, actual="actual", predicted="answer", pos_label="yes")
    old = tm.Tally.load(HERE / "version_1" / "labels.tally")
    assert old == new
    assert (old + new).rows == 96
