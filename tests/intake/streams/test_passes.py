"""One pass over pieces: in order, whatever the threads do; added up within the memory allowed."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np
import polars as pl
import pytest

from tallymark.errors import MemoryLimitError, OptionError
from tallymark.intake.columns import label_column
from tallymark.intake.roles import Roles
from tallymark.intake.streams import passes
from tallymark.intake.streams.counting import count_columns
from tallymark.intake.streams.door import Columns, Reading
from tallymark.intake.streams.passes import Adding, count_files, in_order, size_in_memory
from tallymark.intake.streams.scan import scan_files
from tallymark.tallies.grid import Grid
from tallymark.tallies.scores import Scores
from tallymark.tallies.tally import Declared, Tally

EXACT = Declared(score=True)


def _tally(scores: Any, declared: Declared = EXACT, region: Any = None) -> Tally:
    scores = np.asarray(scores, float)
    slices = {} if region is None else {"r": label_column(region, "slice")}
    actual = label_column(np.arange(len(scores)) % 2, "actual")
    return count_columns(Columns(actual, None, scores, None, None, slices, {}), declared)


# --- in order ------------------------------------------------------------------------------------


def test_results_come_in_order_and_only_a_few_pieces_wait(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    taken = []

    def pieces():
        for piece in range(12):
            taken.append(piece)
            yield piece

    def work(piece: int) -> int:
        time.sleep(0.002 * (piece % 3 == 0))
        return piece * piece

    found = []
    for piece, future in in_order(pieces(), work):
        assert len(taken) <= piece + 4
        found.append((piece, future.result()))
    assert found == [(piece, piece * piece) for piece in range(12)]


def test_threads_are_gone_when_it_is_left_early():
    before = set(threading.enumerate())
    results = in_order(iter(range(100)), lambda piece: piece)
    next(results)
    results.close()
    assert set(threading.enumerate()) <= before


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    path = tmp_path / "rows.parquet"
    frame = pl.DataFrame({"y": y, "s": rng.random(400), "w": rng.random(400)})
    frame.write_parquet(path, row_group_size=30)
    return path


@pytest.mark.parametrize("grid", [None, Grid(0, 1, 50)], ids=["exact", "grid"])
def test_any_number_of_threads_gives_the_same_tally_to_the_last_bit(table, monkeypatch, grid):
    roles = Roles("y", score="s", weight="w")
    declared = Declared(score=True, grid=grid, weights="sampling")
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(
            os, "sched_getaffinity", lambda _, threads=threads: set(range(threads)), raising=False
        )
        with scan_files([table], roles.used) as scan:
            found.append(count_files(scan, Reading(roles, scan.text), declared, 1 << 30))
    assert found[0] == found[1] == found[2]
    assert found[0].rows == 400


@pytest.mark.parametrize("size", [7, 100, 400])
def test_any_size_of_pieces_gives_the_same_counts(table, tmp_path, size):
    other = tmp_path / "other.parquet"
    pl.read_parquet(table).write_parquet(other, row_group_size=size)
    roles = Roles("y", score="s")
    found = []
    for path in (table, other):
        with scan_files([path], roles.used) as scan:
            found.append(count_files(scan, Reading(roles, scan.text), EXACT, 1 << 30))
    assert found[0] == found[1]


# --- added up --------------------------------------------------------------------------------------


def test_tallies_are_added_in_their_order_like_with_like(monkeypatch):
    sizes = []
    added = Tally.__add__

    def watched(self: Tally, other: Tally) -> Tally:
        sizes.append((self.rows, other.rows))
        return added(self, other)

    monkeypatch.setattr(Tally, "__add__", watched)
    total = Adding(1 << 30)
    rng = np.random.default_rng(1)
    for _ in range(8):
        total.add(_tally(rng.random(10)))
    assert total.finished().rows == 80
    assert sizes == [(10, 10), (10, 10), (20, 20), (10, 10), (10, 10), (20, 20), (40, 40)]


def test_counts_of_one_size_are_added_at_once():
    total = Adding(1 << 30)
    for start in range(9):
        total.add(_tally([start / 10, 0.05], Declared(score=True, grid=Grid(0, 1, 10))))
        assert len(total._waiting) == 1


def test_exact_scores_that_do_not_fit():
    total = Adding(1_000)
    total.add(_tally([0.1, 0.2, 0.2]))
    with pytest.raises(MemoryLimitError) as caught:
        total.add(_tally(np.linspace(0, 1, 40)))
    # 42 scores with two counts each are 42 * 3 * 8 bytes, and three times that while they are added.
    assert caught.value.message == (
        "every different score is kept to be exact, and those of the first 43 rows take 3.02 kB; the memory "
        "allowed is 1 kB."
    )
    assert "add --approximate (in Python approximate=True), or allow more" in (caught.value.hint or "")


def test_scores_of_slices_take_memory_too():
    whole = _tally(np.linspace(0, 1, 40))
    sliced = _tally(np.linspace(0, 1, 40), Declared(score=True, slices=(("r",),)), np.arange(40) % 4)
    assert size_in_memory(sliced) == 2 * size_in_memory(whole) == 2 * 40 * 3 * 8
    with pytest.raises(MemoryLimitError, match="rows and the counts of all slices take"):
        Adding(5_000).add(sliced)


def test_a_grid_is_never_too_large_but_slices_on_it_may_be(monkeypatch):
    declared = Declared(score=True, grid=Grid())
    total = Adding(1_000_000)
    total.add(_tally([0.1, 0.2], declared))
    assert total.finished().rows == 2
    monkeypatch.setattr(passes, "_IN_ANY_CASE", 5_000_000)
    sliced = Declared(score=True, grid=Grid(), slices=(("r",),))
    with pytest.raises(
        MemoryLimitError, match=r"^the counts of the first 40 rows and the counts of all slices"
    ):
        Adding(1_000_000).add(_tally(np.linspace(0, 1, 40), sliced, np.arange(40)))


def test_slices_that_become_too_many(monkeypatch):
    monkeypatch.setattr("tallymark.intake.streams.counting.MOST_SLICES", 5)
    declared = Declared(score=True, slices=(("r",),))
    total = Adding(1 << 30)
    total.add(_tally([0.1, 0.2, 0.3], declared, ["a", "b", "c"]))
    with pytest.raises(OptionError, match="slicing by 'r' gives 6 slices or more; at most 5 are made"):
        total.add(_tally([0.1, 0.2, 0.3], declared, ["d", "e", "f"]))


def test_a_tally_of_ties_stays_small():
    total = Adding(3_000)
    for _ in range(50):
        total.add(_tally(np.arange(20) / 20))
    found = total.finished().scores
    assert isinstance(found, Scores)
    assert (len(found.score), found.rows) == (20, 1_000)
