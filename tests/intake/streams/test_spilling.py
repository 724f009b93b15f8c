"""Rows sorted by id onto disk: every row comes to one place, and ids that are there twice are found."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tallymark.errors import InputError
from tallymark.intake.ids import read_ids
from tallymark.intake.streams import spilling
from tallymark.intake.streams.scan import scan_files
from tallymark.intake.streams.spilling import Spill, id_keys, unique_ids


def test_a_number_and_its_text_have_one_key() -> None:
    numbers = np.array([0, 7, -3, 2**62])
    text = pl.Series(["0", "7", "-3", str(2**62)])
    mixed = pl.Series(["0", "7", "-3", str(2**62), "x", "007"])
    keys = id_keys(read_ids(numbers))
    assert id_keys(read_ids(text)).tolist() == keys.tolist()
    assert id_keys(read_ids(mixed))[:4].tolist() == keys.tolist()


@pytest.mark.parametrize("step", [1, 64, 1000, 2**40])
def test_ids_in_steps_are_spread_evenly(step: int, tmp_path: Path) -> None:
    ids = np.arange(6400) * step
    spill = Spill(tmp_path, "ids", 64, 0)
    spill.add(pl.DataFrame({"id": ids}), id_keys(read_ids(ids)))
    sizes = [0 if (rows := spill.take(place)) is None else rows.height for place in range(64)]
    assert sum(sizes) == 6400
    assert max(sizes) < 200


@pytest.mark.parametrize("room", [0, 1 << 30], ids=["disk", "memory"])
def test_every_row_is_in_one_place(room: int, tmp_path: Path) -> None:
    spill, ids = Spill(tmp_path, "rows", 7, room), np.random.default_rng(0).permutation(1000)
    for part in np.split(ids, 4):
        spill.add(pl.DataFrame({"id": part, "double": 2 * part}), id_keys(read_ids(part)))
    assert bool(list(tmp_path.iterdir())) == (room == 0)
    tables = [rows for place in range(7) if (rows := spill.take(place)) is not None]
    found = pl.concat(tables).sort("id")
    assert found["id"].to_list() == list(range(1000))
    assert found["double"].to_list() == list(range(0, 2000, 2))
    assert not list(tmp_path.iterdir())


def parts_of(folder: Path, *parts: list[object]) -> list[Path]:
    files = [folder / f"{place}.parquet" for place in range(len(parts))]
    for file, values in zip(files, parts, strict=True):
        pl.DataFrame({"id": values}).write_parquet(file)
    return files


@pytest.mark.parametrize("second", [[3, 4, 5], [5, 3]], ids=["none", "none, unsorted"])
def test_ids_that_are_there_once_pass(second: list[object], tmp_path: Path) -> None:
    with scan_files(parts_of(tmp_path, [0, 1, 2], second), ["id"]) as scan:
        unique_ids(scan, "id", 1 << 20)


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ([0, 1, 2], [4, 1], "repeats 1 at row 2 of 0.parquet and row 2 of 1.parquet"),
        (["a", "b"], ["c", "d", "a"], "repeats 'a' at row 1 of 0.parquet and row 3 of 1.parquet"),
        ([0, 1, 1], [4], "repeats 1 at rows 2 and 3 of 0.parquet"),
        ([0, None], [4], "lacks one at row 2 of 0.parquet"),
        (
            [0, 1, 1],
            [4, 0, None],
            "repeats 0 at row 1 of 0.parquet and row 2 of 1.parquet (4 rows in all share an id) and lacks "
            "one at row 3 of 1.parquet",
        ),
        ([0.5, float("nan")], [4.5], "lacks one at row 2 of 0.parquet"),
    ],
    ids=["numbers", "text", "one part", "missing", "all of it", "no number"],
)
def test_ids_that_are_there_twice_are_refused_with_their_places(
    first: list[object], second: list[object], where: str, tmp_path: Path
) -> None:
    said = f"ids must be unique and present; column 'id' {where}."
    before = set(threading.enumerate())  # Dask keeps threads of its own
    with scan_files(parts_of(tmp_path, first, second), ["id"]) as scan, pytest.raises(InputError) as problem:
        unique_ids(scan, "id", 1 << 20)
    assert problem.value.message == said
    # the error is still there, and no thread waits for it
    new = set(threading.enumerate()) - before
    assert not [thread for thread in new if thread.name.startswith("ThreadPool")]


def test_ids_of_a_last_line_without_end_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id\n" + "\n".join(["1", "2", "3", "4", "5"] * 2))
    with scan_files([path], ["id"]) as scan, pytest.raises(InputError) as problem:
        unique_ids(scan, "id", 1 << 20)
    assert problem.value.message.endswith("repeats '1' at lines 2 and 7 (10 rows in all share an id).")


def test_ids_that_are_too_many_to_be_named_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilling, "_MOST_NAMED", 2)
    parts = parts_of(tmp_path, [1, 2, 3, 4], [4, 3, 2, 1, 9])
    with scan_files(parts, ["id"]) as scan, pytest.raises(InputError) as problem:
        unique_ids(scan, "id", 1 << 20)
    assert problem.value.message.endswith(
        "row 1 of 0.parquet and row 4 of 1.parquet (8 rows in all share an id)."
    )
