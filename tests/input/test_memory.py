"""How much memory may be used, what takes how much of it, and that little of it changes no number."""

import gzip
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from inputs import refused_with, rows_of

import tallymark as tm
from collected import each
from scored import classes

N = 20_000
PLACE = np.arange(N)
SPREAD = pl.DataFrame(
    {
        "y": PLACE * 7 % 3 % 2,
        "p": PLACE % 3 % 2,
        "s": PLACE / N,
        "w": 1 + PLACE % 5 / 2,
        "r": PLACE % 4,
        "g": [f"g{place}" for place in PLACE],
    }
)
"""Every score is another one, and every row is a group of its own."""


def saved(**options):
    for name, half in (("a", SPREAD[: N // 2]), ("b", SPREAD[N // 2 :])):
        tm.tally(half, actual="y", **options).save(f"{name}.tally", overwrite=True)
    return ["a.tally", "b.tally"]


SHAPES = {
    "scores": ({"score": "s"}, 3 * 8 * 3 * N),
    "weights have squares": ({"score": "s", "weight": "w"}, 3 * 8 * 5 * N),
    "slices once more": ({"score": "s", "slices": "r"}, 2 * 3 * 8 * 3 * N),
}


@each("options, least", SHAPES.values(), ids=SHAPES)
def test_what_exact_scores_take(options, least):
    paths = saved(**options)
    assert tm.evaluate(paths, memory=least).rows == N
    with pytest.raises(tm.MemoryLimitError):
        tm.evaluate(paths, memory=least - 1)


SIZES = ["1MB", "1.05 MB", "1.05mb", "1 MiB", "1050k", "1025 KiB", "1.05e6", "1.1E+6", "0.001gb", "1_010_000"]
SIZES += ["1000000", 1_200_000]
LARGE = ["2GB", "1.5 GiB", "1T", "1tib", 2e9, 1e20, 1_440_000, "1440 kB", "1.44e6"]
NONE = ["", "GB", "-1GB", "1 parsec", "1e9x", True, float("nan"), float("inf"), 999_999, "2", "999kB"]
NONE += ["0.9MB", 10]


def test_sizes_as_people_write_them(snapshot, monkeypatch):
    """By default it is half of what this process may use."""
    paths, read = saved(score="s"), Path.read_text

    found, none = (
        refused_with(tm.evaluate, {repr(size): {"memory": size} for size in sizes}, paths)
        for sizes in (SIZES, NONE)
    )
    assert set(classes(found).values()) == {"MemoryLimitError"}
    assert set(classes(none).values()) == {"OptionError"}
    snapshot("errors_input_memory", found | none)
    for size in LARGE:
        assert tm.evaluate(paths, memory=size).rows == N, size
    for at in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        for limit, fits in ((2 * 3 * 8 * 3 * N - 2, False), (2 * 3 * 8 * 3 * N, True), ("max", True)):
            text = {at: f"{limit}\n"}
            monkeypatch.setattr(Path, "read_text", lambda path, text=text: text.get(str(path)) or read(path))
            if fits:
                assert tm.evaluate(paths).rows == N
            else:
                with pytest.raises(tm.MemoryLimitError):
                    tm.evaluate(paths)


COLUMNS = ("actual", "predicted", "score")
FRAME = pl.DataFrame(
    {
        "actual": [place % 3 for place in range(N)],
        "predicted": [place % 2 for place in range(N)],
        "score": [(place * 37 % 1000) / 1000 for place in range(N)],
        "name": [f"row {place % 7}" for place in range(N)],
    }
)


def kept(data, memory, columns=COLUMNS):
    """Whether rows are held in memory, so that a metric of one's own can be asked of them."""
    asked = {name: name for name in columns if name != "name"}
    if "score" in asked:
        asked |= {"pos_label": 1}
    try:
        rows_of(data, **asked, slices=["name"] if "name" in columns else [], memory=int(memory))
    except tm.OptionError:
        return False
    return True


@each("suffix", ["parquet", "arrow"])
def test_what_rows_take_that_are_kept(suffix):
    """Bytes per row that such processes took; few rows are taken for twice as much."""
    path = f"x.{suffix}"
    FRAME.write_parquet(path) if suffix == "parquet" else FRAME.write_ipc(path)
    measured = {COLUMNS[:2]: 38, COLUMNS[::2]: 105, COLUMNS: 113, (*COLUMNS, "name"): 166}
    for columns, rate in measured.items():
        assert not kept(path, 2 * N * rate - 1, columns), columns
        assert kept(path, 2 * N * rate * 1.5, columns), columns


def test_what_text_takes():
    FRAME.select(COLUMNS).write_csv("narrow.csv")
    FRAME.with_columns(more=pl.lit("x" * 30)).write_csv("wide.csv")
    FRAME.write_ndjson("x.ndjson")
    FRAME.write_json("x.json")
    Path("x.csv.gz").write_bytes(gzip.compress(Path("narrow.csv").read_bytes()))
    np.savez("x.npz", **{name: FRAME[name].to_numpy() for name in COLUMNS})
    parts = []
    for part in range(3):
        parts.append(f"{part}.csv")
        FRAME.select(COLUMNS).write_csv(parts[-1])
    rows = 2 * N
    lines, items = (2 * Path(name).stat().st_size for name in ("x.ndjson", "x.json"))
    rates = {"narrow.csv": 124, "wide.csv": 155, "x.csv.gz": 124, "x.npz": 113, tuple(parts): 3 * 124}
    measured = [(data, rate * rows, 1.5 * rate * rows) for data, rate in rates.items()]
    measured += [("x.ndjson", 1.3 * lines, 4 * lines), ("x.json", 3 * items, 6 * items)]
    assert [case for case in measured if kept(case[0], case[1]) or not kept(case[0], case[2])] == []


def parquet(frame=SPREAD, rows=1_000):
    frame.write_parquet("rows.parquet", row_group_size=rows)
    return "rows.parquet"


def test_ties_stay_small_and_so_does_a_grid():
    ties = pl.DataFrame({"y": PLACE % 2, "s": PLACE % 20 / 20, "r": PLACE % 40})
    found = tm.tally(parquet(ties), actual="y", score="s", memory="1MB")
    assert (found.rows, len(found.scores.score)) == (N, 20)
    assert tm.tally(parquet(), actual="y", score="s", memory="1MB", approximate=True).rows == N


def test_what_does_not_fit_is_told_with_a_way_out(snapshot):
    asked = {
        "scores": {"score": "s"},
        "scores of slices": {"score": "s", "slices": "r"},
        "groups of predictions": {"predicted": "p", "groups": "g"},
        "groups of scores": {"score": "s", "groups": "g"},
        "classes": {"probabilities": {0: "s", 1: "t"}},
        "slices on a grid": {"score": "s", "approximate": True, "slices": "many"},
        "too many slices": {"predicted": "p", "slices": "g"},
    }
    frame = SPREAD.with_columns(t=1 - pl.col("s"), many=PLACE % 990)
    path = parquet(frame)
    found = refused_with(tm.tally, asked, path, actual="y", memory="1MB")
    assert classes(found) == dict.fromkeys(asked, "MemoryLimitError") | {"too many slices": "OptionError"}
    snapshot("errors_input_unfit", found)
    groups = tm.tally(path, actual="y", predicted="p", groups="g", memory="20MB").groups
    assert len(groups) == N
    asked = {"actual": "y", "predicted": "p", "slices": "r"}
    rows = parquet(frame.with_columns(r=PLACE % 1_000), 400)
    assert len(tm.tally(rows, **asked).slices["r",]) == 1_000
    with pytest.raises(tm.OptionError):  # one more is too many
        tm.tally(parquet(frame.with_columns(r=PLACE % 1_001), 400), **asked)


@each("approximate", [False, True])
def test_threads_and_pieces_change_no_bit(approximate, monkeypatch):
    asked = {"actual": "y", "score": "s", "approximate": approximate}
    rows, found = SPREAD[:400].with_columns(w=np.random.default_rng(0).random(400)), []
    path = parquet(rows, 30)
    for threads in (1, 2, 5):
        with monkeypatch.context() as patch:
            cores = set(range(threads))
            patch.setattr(os, "sched_getaffinity", lambda _, cores=cores: cores, raising=False)
            found.append(tm.tally(path, **asked, weight="w"))
    assert found[0] == found[1] == found[2]
    whole = tm.tally(rows, **asked)
    for size in (7, 100, 400):
        found = tm.tally(parquet(rows, size), **asked)
        assert found.scores.positives.tolist() == whole.scores.positives.tolist()


def test_a_record_without_end_is_refused_before_it_fills_the_memory():
    Path("x.csv").write_bytes(b"a,b\n1,2\n" + b'3,"' + b"4,5\n" * (20 << 20))
    with pytest.raises(tm.FileError):
        tm.tally("x.csv", actual="a", predicted="b")
