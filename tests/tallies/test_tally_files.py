"""Tallies in files: read back as written, also old ones; damaged ones are refused by name."""

import io
import json
import os
import pickle
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each
from scored import classes, refusals

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1, 0, 0], "p": [1, 1, 0, 0, 1, 0, 1], "s": [0.9, 0.7, 0.4, 0.2, 0.7, 0.4, 0.41],
        "q": [0.1, 0.3, 0.6, 0.8, 0.3, 0.6, 0.59], "w": [1.5, 2, 0, 1, 3, 0.25, 1],
        "f": [1, 2, 0, 1, 3, 1, 1], "sex": ["f", "m", "f", "m", "f", "m", None], "g": list("fmfmfmm"),
    }
)  # fmt: skip
GRID = {"score": "s", "approximate": True}
SHAPES = {
    "labels": {"predicted": "p"}, "exact": {"score": "s"},
    "both": {"predicted": "p", "score": "s", "pos_label": 0}, "weights": {"score": "s", "weight": "w"},
    "frequencies": {"score": "s", "weight": "f", "weight_kind": "frequency"},
    "declared": {"predicted": "p", "labels": [1, 0, 5]}, "slices": {"score": "s", "slices": ["g"]},
    "slices and crossed": {"score": "s", "slices": ["sex", "sex*p"], "missing": "drop"},
    "groups": {"predicted": "p", "score": "s", "weight": "w", "groups": "g"}, "grid": GRID,
    "grid with options": {**GRID, "threshold": 0.3, "clip": 1e-6},
    "grid of its own": {"score": "f", "approximate": True, "grid": (-10, 10)},
    "grid with weights and slices": {**GRID, "weight": "w", "slices": ["sex"], "missing": "drop"},
    "classes": {"probabilities": {0: "q", 1: "s"}},
    "classes on a grid": {"probabilities": {0: "q", 1: "s"}, "approximate": True, "weight": "w",
        "slices": ["p"]},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@cache
def counted(shape):
    return tm.tally(ROWS, actual="y", **SHAPES[shape])


def packed(tally):
    """What is written into its file."""
    tally.save("packed.tally", overwrite=True)
    return Path("packed.tally").read_bytes()


@each("shape", SHAPES)
def test_what_is_written_is_read(shape):
    tally = counted(shape).named("a.csv", "b \ud800.csv")
    content, again = packed(tally), tm.Tally.load("packed.tally")
    assert pickle.loads(pickle.dumps(again)) == again == tally
    for name in ("sources", "notes", "dropped", "lines", "weightless", "rows"):
        assert getattr(again, name) == getattr(tally, name), name
    assert (packed(again), again + again) == (content, tally + tally)
    document = json.dumps(tally.evaluate().to_dict())
    assert json.dumps(tm.evaluate("packed.tally").to_dict()) == document
    Path("packed.tally").rename("under another name.bin")  # it is known by its content
    assert tm.evaluate("under another name.bin").rows == tally.rows


def test_labels_stay_what_they_are():
    for column in (["a", "b", "ü\n"], [True, False, True], [2**60, -3, 0]):
        tally = tm.tally(pl.DataFrame({"actual": column, "predicted": column[::-1]}))
        packed(tally)
        labels = tm.Tally.load("packed.tally").counted.labels
        assert (labels, [*map(type, labels)]) == (tally.counted.labels, [*map(type, tally.counted.labels)])


def test_a_file_is_small_and_always_the_same():
    one, two = (packed(tm.tally(ROWS, actual="y", **GRID)) for _ in range(2))
    assert one == two
    assert len(one) < 3_000  # of 61,440 bins six hold rows
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert archive.namelist() == ["tally.json", "counts.npy", "numbers.npy"]
        assert archive.testzip() is None
        form = json.loads(archive.read("tally.json"))
        assert np.load(io.BytesIO(archive.read("counts.npy")), allow_pickle=False).dtype == np.int64
    assert (form["schema"], form["version"], form["rows"]) == ("tallymark/tally/1", tm.__version__, 7)


def test_a_file_is_replaced_whole_or_not_at_all(monkeypatch):
    counted("exact").save("part.tally")
    before = Path("part.tally").read_bytes()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    for home, name in ((zipfile.ZipFile, "writestr"), (os, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(home, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                counted("labels").save("part.tally", overwrite=True)
        assert {path.name: path.read_bytes() for path in Path().iterdir()} == {"part.tally": before}
    counted("labels").save("part.tally", overwrite=True)
    assert tm.Tally.load("part.tally") == counted("labels")


# --- several files, and what is asked of them ----------------------------------------------------------


def test_files_are_added():
    Path("parts").mkdir()
    for name, rows in (("a", ROWS[:3]), ("b", ROWS[3:])):
        tm.tally(rows, actual="y", score="s").named(f"{name}.csv").save(f"parts/{name}.tally")
    paths = ["parts/a.tally", Path("parts/b.tally")]
    assert sum(map(tm.Tally.load, paths)) == counted("exact")
    for given in (paths, "parts/*.tally", "parts"):
        found = tm.evaluate(given)
        assert (found.rows, found["auc"].value) == (7, counted("exact").evaluate()["auc"].value)
    ROWS.write_csv("rows.csv")
    Path("folder").mkdir()
    for name in ("rows.csv", "parts/a.tally"):
        (Path("folder") / Path(name).name).write_bytes(Path(name).read_bytes())
    # in a folder of rows a tally is no row
    found = tm.evaluate("folder", actual="y", predicted="p")
    assert (found.rows, len(found.notes)) == (7, 1)


OPTIONS = {
    "actual": "y", "score": "s", "weight": "w", "sample_weight": [1, 2], "slices": ["sex"], "labels": [0, 1],
    "missing": "drop", "missing_words": ["NA"], "approximate": True, "y_score": [1, 2], "groups": "sex",
    "id": "w", "extra": {"profit": max},
}  # fmt: skip


def test_what_is_refused(snapshot):
    counted("exact").save("part.tally")
    ROWS.write_csv("rows.csv")
    tm.tally(ROWS.cast({"y": pl.String}), actual="y", score="s").save("text.tally")
    calls = {
        f"{name} was settled": lambda name=name, value=value: tm.evaluate("part.tally", **{name: value})
        for name, value in OPTIONS.items()
    }
    calls |= {
        "labels of two kinds": lambda: tm.evaluate(["part.tally", "text.tally"]),
        "a tally and rows": lambda: tm.evaluate(["part.tally", "rows.csv"]),
        "a tally to be counted": lambda: tm.tally("part.tally"),
        "another suffix": lambda: counted("exact").save("part.json"),
        "there already": lambda: counted("exact").save("part.tally"),
    }
    found = refusals(calls)
    others = {name for name, kind in classes(found).items() if kind != "OptionError"}
    assert others == {"labels of two kinds", "another suffix", "there already"}
    snapshot("errors_tally_files", found)


COUNTING = {
    "scores beyond the grid": {"score": "f", "approximate": True},
    "a grid of exact scores": {"score": "s", "grid": (0, 1)}, "a grid of one end": {**GRID, "grid": 5},
    "a grid turned round": {**GRID, "grid": (2, 1)},
    "a threshold that takes all parts": {"score": "s", "threshold": "best:f1"},
    "a score and probabilities": {"score": "s", "probabilities": ["s", "w"]},
    "a kind without weights": {"score": "s", "weight_kind": "frequency"},
    "an unknown kind": {"score": "s", "weight": "f", "weight_kind": "often"},
    "an unknown way of missing": {"score": "s", "missing": "zero"},
    "a delimiter of a frame": {"score": "s", "delimiter": ";"}, "no size": {"score": "s", "memory": "lots"},
    "two columns": {"predicted": ["p", "f"]},
    "a list of positive classes": {"score": "s", "pos_label": [1]},
    "labels not stated": {"predicted": "p", "labels": [1, 2]},
    "labels of scores not stated": {"score": "s", "labels": [1, 2]},
}  # fmt: skip


def test_what_cannot_be_counted(snapshot):
    calls = {
        name: lambda options=options: tm.tally(ROWS, actual="y", **options)
        for name, options in COUNTING.items()
    }
    for data in ([], [1, 0], {"y": [1]}, 5, np.zeros(3)):
        calls[f"no table: {data!r}"] = lambda data=data: tm.tally(data)
    found = refusals(calls)
    labels = {"a list of positive classes", "labels not stated", "labels of scores not stated"}
    assert classes(found) == {name: "LabelError" if name in labels else "OptionError" for name in calls}
    snapshot("errors_counting", found)


def test_a_grid_of_ones_own():
    exact, grid = (tm.tally(ROWS, actual="y", **more) for more in ({"score": "f"}, SHAPES["grid of its own"]))
    assert (grid.scores.grid.low, grid.scores.grid.high) == (-10, 10)
    assert grid.evaluate(threshold=1)["auc"].value == exact.evaluate(threshold=1)["auc"].value


# --- damage --------------------------------------------------------------------------------------------


def changed(tally, change):
    """The file after somebody was at its JSON and its arrays."""
    with zipfile.ZipFile(io.BytesIO(packed(tally))) as archive:
        form = json.loads(archive.read("tally.json"))
        arrays = {name: np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in ("counts", "numbers")}
    change(form, arrays)
    members = {"tally.json": json.dumps(form).encode()}
    for name, array in arrays.items():
        member = io.BytesIO()
        np.save(member, array, allow_pickle=True)
        members[f"{name}.npy"] = member.getvalue()
    return zipped(members)


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def put(path, value):
    """Another value in the JSON; KeyError takes it out."""

    def change(form, _):
        *way, last = path.split(".")
        for name in way:
            form = form[name]
        form[last] = value
        if value is KeyError:
            del form[last]

    return change


def array(path, edit):
    """Other values in the stretch of an array that the JSON refers to."""

    def change(form, arrays):
        where = form
        for name in path.split("."):
            where = where[int(name) if name.isdigit() else name]
        shelf, start, length = where
        arrays[shelf] = arrays[shelf].copy()
        arrays[shelf][start : start + length] = edit(arrays[shelf][start : start + length])

    return change


def whole(name, edit):
    return lambda _, arrays: arrays.update({name: edit(arrays[name])})


CHANGES = {
    "schema": ("exact", put("schema", "tallymark/tally/2")),
    "other schema": ("exact", put("schema", "other/1")), "no schema": ("exact", put("schema", KeyError)),
    "no declared": ("exact", put("declared", KeyError)), "unknown": ("exact", put("declared.colour", 1)),
    "rows": ("exact", put("rows", 8)), "rows of labels": ("exact", put("counted.rows", 6)),
    "rows of scores": ("exact", put("scores.rows", 6)), "rows of bins": ("grid", put("scores.rows", 6)),
    "rows with weights": ("weights", put("scores.rows", 5)),
    "rows as text": ("weights", put("scores.rows", "6")), "rows below 0": ("weights", put("lines", -1)),
    "negative count": ("exact", array("scores.positives", lambda a: -a)),
    "a weight that is no number": ("weights", array("scores.negatives", lambda a: a * np.nan)),
    "unsorted scores": ("exact", array("scores.score", lambda a: a[::-1])),
    "unsorted bins": ("grid", array("scores.bins", lambda a: a[::-1])),
    "unsorted cuts": ("grid", array("grids.0.cuts", lambda a: a[::-1])),
    "bins beyond": ("grid", array("scores.bins", lambda a: a + 61_460)),
    "points elsewhere": ("grid", array("scores.points", lambda a: a / 2)),
    "points undefined": ("grid", array("scores.points", lambda a: a * np.nan)),
    "totals": ("grid", array("scores.totals", lambda a: a + np.inf)),
    "reach": ("grid", put("scores.reach", [1, 0])), "losses": ("grid", put("scores.losses", [])),
    "no such grid": ("grid", put("scores.grid", 7)),
    "grid undeclared": ("grid", put("declared.grid", None)),
    "bad grid": ("grid", lambda form, _: form["grids"][0].update(high=-1)),
    "cells beyond": ("labels", array("counted.cells", lambda a: a + 4)),
    "labels twice": ("labels", put("counted.labels", [1, 1])),
    "labels of two kinds": ("labels", put("counted.labels", [1, "a"])),
    "no scores": ("exact", put("scores", None)),
    "short array": ("exact", whole("numbers", lambda a: a[:-1])),
    "lengths": ("exact", put("scores.positives", ["counts", 0, 2])),
    "place": ("exact", put("scores.score", ["numbers", -1, 1])),
    "no such array": ("exact", put("scores.score", ["objects", 0, 1])),
    "other kind": ("exact", whole("counts", lambda a: a.astype(float))),
    "two dimensions": ("exact", whole("counts", lambda a: a[None, :])),
    "pickle": ("exact", whole("counts", lambda a: a.astype(object))),
    "slice twice": ("slices", lambda form, _: form["slices"][0]["keys"].__setitem__(0, ["m"])),
    "slices lost": ("slices", put("slices", [])),
    "groups undeclared": ("groups", put("declared.groups", KeyError)),
    "groups lost": ("groups", put("groups", KeyError)),
    "groups declared": ("exact", put("declared.groups", True)),
    "groups without names": ("groups", put("group_names", ["f"])),
    "groups named by lists": ("groups", put("group_names", [["f"], "m"])),
    "groups not in order": ("groups", put("group_names", ["m", "f"])),
    "groups beyond": ("groups", array("score_groups.group", lambda a: a + 1)),
    "groups elsewhere": ("groups", array("groups.cells", lambda a: a[::-1])),
    "groups at no cell": ("groups", array("groups.cells", lambda a: a + 9)),
    "groups at no score": ("groups", array("score_groups.place", lambda a: a + 9)),
    "more in groups": ("groups", array("score_groups.positives", lambda a: 2 * a)),
    "less than nothing": ("groups", array("groups.counts", lambda a: -a)),
    "fewer in groups": ("groups", put("groups.counts", ["numbers", 0, 1])),
    "groups as fractions": ("groups", put("groups.group", ["numbers", 0, 6])),
}  # fmt: skip


def test_damaged_files_are_refused_by_name(snapshot):
    files = {f"changed: {name}": changed(counted(shape), change) for name, (shape, change) in CHANGES.items()}
    good, schema = packed(counted("exact")), b'{"schema": "tallymark/tally/1"}'
    files |= {
        "empty": b"",
        "text": b"actual,predicted\n1,1\n",
        "pickle": pickle.dumps([1]),
        "cut": good[:-30],
        "cut in the middle": good[: len(good) // 2],
        "a byte": good[:200] + bytes([good[200] ^ 255]) + good[201:],
        "other zip": zipped({"a.csv": b"x"}),
        "other json": zipped({"tally.json": b"[1]"}),
        "no json": zipped({"tally.json": b"{"}),
        "no arrays": zipped({"tally.json": schema}),
        "bad arrays": zipped({"tally.json": schema, "counts.npy": b"x", "numbers.npy": b"x"}),
    }

    def call(content):
        Path("part.tally").write_bytes(content)
        return tm.evaluate("part.tally")

    found = refusals({name: lambda content=content: call(content) for name, content in files.items()})
    found |= refusals({"loaded": lambda: tm.Tally.load("part.tally")})
    assert set(classes(found).values()) == {"FileError"}
    assert all("part.tally" in text and text.isprintable() for text in found.values())
    for length in range(0, len(good), 37):
        with pytest.raises(tm.FileError):
            call(good[:length])
    said = {name: text.replace(tm.__version__, "VERSION") for name, text in found.items()}
    snapshot("errors_damaged_tallies", said)
    Path("part.tally").write_bytes(changed(counted("exact"), lambda *_: None))
    assert tm.Tally.load("part.tally") == counted("exact")


# --- files that earlier versions wrote -----------------------------------------------------------------

OLD = sorted((Path(__file__).parents[1] / "old_tallies").glob("version_*/*.tally"))


def compare(found, wanted, grid, case):
    for name, value in wanted.items():
        if grid and name in ("auc", "average_precision"):
            low, high = found[name].bounds
            assert low <= value <= high < low + 0.1, (case, name)
        else:
            assert found[name].value == pytest.approx(value, rel=1e-9), (case, name)


def test_old_files_give_what_scikit_learn_said_of_their_rows():
    assert {path.stem for path in OLD} == {"labels", "exact", "grid", "grid_weights_slices", "classes"}
    assert sum(path.stat().st_size for path in OLD) < 50_000
    for path in OLD:
        ev, expected = tm.evaluate(path), json.loads((path.parent / "expected.json").read_text())
        assert ev.rows == 48
        compare(ev, expected[path.stem], "grid" in path.stem, path.stem)
        for part in ev.slices:
            wanted = expected["regions"][part.slice["region"]]
            wanted.pop("average_precision", None)
            compare(part.evaluation, wanted, True, path.stem)
        assert len(ev.slices) == 2 * ("slices" in path.stem)
    folder = OLD[0].parent
    table = pl.read_csv(folder / "rows.csv", infer_schema=False)
    new = tm.tally(table, actual="actual", predicted="answer", pos_label="yes")
    old = tm.Tally.load(folder / "labels.tally")
    assert (old, (old + new).rows) == (new, 96)
