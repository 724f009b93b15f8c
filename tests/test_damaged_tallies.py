"""Files of tallies that were cut, changed or never were any are refused in one line that names them."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import FileError
from tallymark.evaluation.tally_files import packed, read_tally

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1, 0, 0],
        "p": [1, 1, 0, 0, 1, 0, 1],
        "s": [0.9, 0.7, 0.4, 0.2, 0.7, 0.4, 0.41],
        "w": [1.5, 2, 0, 1, 3, 0.25, 1],
        "sex": ["f", "m", "f", "m", "f", "m", "m"],
    }
)
SHAPES: dict[str, dict[str, Any]] = {
    "labels": {"predicted": "p"},
    "exact": {"score": "s"},
    "weights": {"score": "s", "weight": "w"},
    "slices": {"score": "s", "slices": ["sex"]},
    "grid": {"score": "s", "approximate": True},
    "groups": {"predicted": "p", "score": "s", "weight": "w", "groups": "sex"},
}


def counted(**options: Any) -> tm.Tally:
    return tm.tally(ROWS, actual="y", **options)


Change = Callable[[dict[str, Any], dict[str, Any]], None]


def changed(tally: tm.Tally, change: Change) -> bytes:
    """The file after somebody was at its JSON and its arrays."""
    with zipfile.ZipFile(io.BytesIO(packed(tally))) as archive:
        form = json.loads(archive.read("tally.json"))
        arrays: dict[str, Any] = {
            name: np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in ("counts", "numbers")
        }
    change(form, arrays)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("tally.json", json.dumps(form))
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=True)
            archive.writestr(f"{name}.npy", member.getvalue())
    return stream.getvalue()


def _set(path: str, value: Any) -> Change:
    """Another value in the JSON."""

    def change(form: dict[str, Any], _: dict[str, Any]) -> None:
        *way, last = path.split(".")
        for name in way:
            form = form[name]
        if value is KeyError:
            del form[last]
        else:
            form[last] = value

    return change


def _array(path: str, edit: Callable[[Any], Any]) -> Change:
    """Other values in the stretch of an array that the JSON refers to."""

    def change(form: dict[str, Any], arrays: dict[str, Any]) -> None:
        where: Any = form
        for name in path.split("."):
            where = where[name]
        shelf, start, length = where
        arrays[shelf] = arrays[shelf].copy()
        arrays[shelf][start : start + length] = edit(arrays[shelf][start : start + length])

    return change


def _whole(name: str, edit: Callable[[Any], Any]) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = edit(arrays[name])

    return change


CHANGES: dict[str, tuple[str, Change, str]] = {
    "schema": ("exact", _set("schema", "tallymark/tally/2"), "in a form that this version does not know"),
    "other schema": ("exact", _set("schema", "other/1"), "holds other/1, not a tally"),
    "no schema": ("exact", _set("schema", KeyError), "its tally.json is no JSON of a tally"),
    "no declared": ("exact", _set("declared", KeyError), "is not complete, or was changed (KeyError"),
    "unknown": ("exact", _set("declared.colour", 1), "it declares colour, which this version does not know"),
    "rows": ("exact", _set("rows", 8), "it says 8 rows and holds 7"),
    "rows of labels": ("exact", _set("counted.rows", 6), "its counts do not add up to its rows"),
    "rows of scores": ("exact", _set("scores.rows", 6), "its scores do not add up to its rows"),
    "rows of bins": ("grid", _set("scores.rows", 6), "its bins do not add up to its rows"),
    "rows with weights": ("weights", _set("scores.rows", 5), "its labels are of 6 rows"),
    "rows as text": ("weights", _set("scores.rows", "6"), "'6' is no number of rows"),
    "rows below 0": ("weights", _set("lines", -1), "-1 is no number of rows"),
    "negative count": ("exact", _array("scores.positives", lambda a: -a), "a count is below 0"),
    "negative weight": ("weights", _array("scores.negatives", lambda a: a * np.nan), "or no number"),
    "unsorted scores": ("exact", _array("scores.score", lambda a: a[::-1]), "from the highest down"),
    "unsorted bins": ("grid", _array("scores.bins", lambda a: a[::-1]), "an array is not in order"),
    "unsorted cuts": (
        "grid", lambda form, arrays: _array("0", lambda a: a[::-1])({"0": form["grids"][0]["cuts"]}, arrays),
        "an array is not in order",
    ),
    "bins beyond": ("grid", _array("scores.bins", lambda a: a + 61_460), "bins that its grid has not"),
    "points elsewhere": ("grid", _array("scores.points", lambda a: a / 2), "scores are not in their bins"),
    "points undefined": ("grid", _array("scores.points", lambda a: a * np.nan), "not in their bins"),
    "totals": ("grid", _array("scores.totals", lambda a: a + np.inf), "its scores are no numbers"),
    "reach": ("grid", _set("scores.reach", [1, 0]), "its scores are no numbers"),
    "losses": ("grid", _set("scores.losses", []), "is not complete, or was changed"),
    "no such grid": ("grid", _set("scores.grid", 7), "is not complete, or was changed"),
    "grid undeclared": ("grid", _set("declared.grid", None), "on a grid that it does not declare"),
    "bad grid": ("grid", lambda form, _: form["grids"][0].update(high=-1), "OptionError"),
    "cells beyond": ("labels", _array("counted.cells", lambda a: a + 4), "labels that it does not have"),
    "labels twice": ("labels", _set("counted.labels", [1, 1]), "its labels are not in order"),
    "labels of two kinds": ("labels", _set("counted.labels", [1, "a"]), "all numbers or all text"),
    "no scores": ("exact", _set("scores", None), "its scores are not those that it declares"),
    "short array": ("exact", _whole("numbers", lambda a: a[:-1]), "an array is shorter than it says"),
    "lengths": ("exact", _set("scores.positives", ["counts", 0, 2]), "differ in length"),
    "place": ("exact", _set("scores.score", ["numbers", -1, 1]), "-1 is no number of rows"),
    "no such array": ("exact", _set("scores.score", ["objects", 0, 1]), "is not complete, or was changed"),
    "other kind": ("exact", _whole("counts", lambda a: a.astype(float)), "counts.npy is not the array"),
    "two dimensions": ("exact", _whole("counts", lambda a: a[None, :]), "counts.npy is not the array"),
    "pickle": ("exact", _whole("counts", lambda a: a.astype(object)), "counts.npy is not the array"),
    "slice twice": (
        "slices", lambda form, _: form["slices"][0]["keys"].__setitem__(0, ["m"]), "a slice is there twice"
    ),
    "groups undeclared": ("groups", _set("declared.groups", KeyError), "groups are not those that it"),
    "groups lost": ("groups", _set("groups", KeyError), "its groups are not those that it declares"),
    "groups declared": ("exact", _set("declared.groups", True), "its groups are not those that it declares"),
    "groups without names": ("groups", _set("group_names", ["f"]), "it has groups without names"),
    "groups named by lists": ("groups", _set("group_names", [["f"], "m"]), "it has groups without names"),
    "groups not in order": ("groups", _set("group_names", ["m", "f"]), "its groups are not in order"),
    "groups beyond": ("groups", _array("score_groups.group", lambda a: a + 1), "it has groups without names"),
    "groups elsewhere": ("groups", _array("groups.cells", lambda a: a[::-1]), "its groups do not add up"),
    "groups at no cell": ("groups", _array("groups.cells", lambda a: a + 9), "its groups do not add up"),
    "groups at no score": ("groups", _array("score_groups.place", lambda a: a + 9), "groups do not add up"),
    "more in groups": ("groups", _array("score_groups.positives", lambda a: 2 * a), "groups do not add up"),
    "less than nothing": ("groups", _array("groups.counts", lambda a: -a), "a count is below 0"),
    "fewer in groups": ("groups", _set("groups.counts", ["numbers", 0, 1]), "its groups do not add up"),
    "groups as fractions": ("groups", _set("groups.group", ["numbers", 0, 6]), "its groups are no places"),
    "slices lost": ("slices", _set("slices", []), "does not have the slices that it declares"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(name: str, tmp_path: Path) -> None:
    shape, change, said = CHANGES[name]
    place = tmp_path / "part.tally"
    place.write_bytes(changed(counted(**SHAPES[shape]), change))
    with pytest.raises(FileError) as caught:
        tm.evaluate(place)
    assert said in caught.value.message
    assert str(place) in caught.value.message
    assert "\n" not in str(caught.value)


def test_an_unchanged_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "part.tally").write_bytes(changed(counted(score="s"), lambda *_: None))
    assert read_tally(tmp_path / "part.tally") == counted(score="s")


def _zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return stream.getvalue()


WHOLE = packed(counted(score="s"))
BYTES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty (0 bytes)"),
    "text": (b"actual,predicted\n1,1\n", "is no tally"),
    "pickle": (pickle.dumps([1]), "is no tally"),
    "cut": (WHOLE[:-30], "it is no whole zip archive"),
    "cut in the middle": (WHOLE[: len(WHOLE) // 2], "it is no whole zip archive"),
    "a byte": (WHOLE[:200] + bytes([WHOLE[200] ^ 255]) + WHOLE[201:], "it is no whole zip archive"),
    "other zip": (_zipped(a__csv=b"x"), "there is no tally.json in it"),
    "other json": (_zipped(tally__json=b"[1]"), "no JSON of a tally"),
    "no json": (_zipped(tally__json=b"{"), "no JSON of a tally"),
    "no arrays": (_zipped(tally__json=b'{"schema": "tallymark/tally/1"}'), "there is no counts.npy in it"),
    "bad arrays": (
        _zipped(tally__json=b'{"schema": "tallymark/tally/1"}', counts__npy=b"x", numbers__npy=b"x"),
        "counts.npy is no array",
    ),
}


@pytest.mark.parametrize("name", BYTES)
def test_other_bytes_are_refused(name: str, tmp_path: Path) -> None:
    content, said = BYTES[name]
    place = tmp_path / "part.tally"
    place.write_bytes(content)
    with pytest.raises(FileError) as caught:
        tm.evaluate(str(place))
    assert said in caught.value.message
    assert str(place) in caught.value.message
    assert caught.value.hint


def test_every_cut_of_a_file_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "part.tally"
    for length in range(0, len(WHOLE), 37):
        place.write_bytes(WHOLE[:length])
        with pytest.raises(FileError):
            read_tally(place)
