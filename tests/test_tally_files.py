"""Tallies in files: what is written is read back, and what was damaged is refused by name."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import FileError, OptionError
from tallymark.evaluation.tally_files import add_files, packed, read_tally

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1, 0, 0],
        "p": [1, 1, 0, 0, 1, 0, 1],
        "s": [0.9, 0.7, 0.4, 0.2, 0.7, 0.4, 0.41],
        "q": [0.1, 0.3, 0.6, 0.8, 0.3, 0.6, 0.59],
        "w": [1.5, 2, 0, 1, 3, 0.25, 1],
        "f": [1, 2, 0, 1, 3, 1, 1],
        "sex": ["f", "m", "f", "m", "f", "m", None],
    }
)
SHAPES: dict[str, dict[str, Any]] = {
    "labels": {"predicted": "p"},
    "exact": {"score": "s"},
    "both": {"predicted": "p", "score": "s", "pos_label": 0},
    "weights": {"score": "s", "weight": "w"},
    "frequencies": {"score": "s", "weight": "f", "weight_kind": "frequency"},
    "declared": {"predicted": "p", "labels": [1, 0, 5]},
    "slices": {"score": "s", "slices": ["sex", "sex*p"], "missing": "drop"},
    "grid": {"score": "s", "approximate": True, "threshold": 0.3, "clip": 1e-6},
    "grid of its own": {"score": "f", "approximate": True, "grid": (-10, 10)},
    "classes": {"probabilities": {0: "q", 1: "s"}},
    "classes on a grid": {
        "probabilities": {0: "q", 1: "s"}, "approximate": True, "weight": "w", "slices": ["p"],
    },
    "grid with weights and slices": {
        "score": "s", "approximate": True, "weight": "w", "slices": ["sex"], "missing": "drop",
    },
}  # fmt: skip


def counted(**options: Any) -> tm.Tally:
    return tm.tally(ROWS, actual="y", **options)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_written_is_read(shape: str, tmp_path: Path) -> None:
    tally = counted(**SHAPES[shape]).named("a.csv", "b \ud800.csv")
    tally.save(tmp_path / "part.tally")
    again = tm.Tally.load(tmp_path / "part.tally")
    assert again == tally
    assert (again.sources, again.notes, again.dropped) == (tally.sources, tally.notes, tally.dropped)
    assert (again.lines, again.weightless) == (tally.lines, tally.weightless)
    assert packed(again) == packed(tally)
    assert again + again == tally + tally
    ev, same = (each.evaluate().to_dict() for each in (tally, again))
    assert json.dumps(same) == json.dumps(ev)
    assert tm.evaluate(tmp_path / "part.tally").to_dict() == ev


def test_text_labels_and_booleans_stay_what_they_are(tmp_path: Path) -> None:
    for column in (["a", "b", "ü\n"], [True, False, True], [2**60, -3, 0]):
        tally = tm.tally(pl.DataFrame({"actual": column, "predicted": column[::-1]}))
        tally.save(tmp_path / "part.tally", overwrite=True)
        labels = read_tally(tmp_path / "part.tally").counted.labels
        assert labels == tally.counted.labels
        assert [type(label) for label in labels] == [type(label) for label in tally.counted.labels]


def test_a_file_is_small_and_always_the_same(tmp_path: Path) -> None:
    one, two = (counted(score="s", approximate=True) for _ in range(2))
    assert packed(one) == packed(two)
    assert len(packed(one)) < 3_000  # of 61,440 bins six hold rows
    with zipfile.ZipFile(io.BytesIO(packed(one))) as archive:
        assert archive.namelist() == ["tally.json", "counts.npy", "numbers.npy"]
        assert archive.testzip() is None
        form = json.loads(archive.read("tally.json"))
        counts = np.load(io.BytesIO(archive.read("counts.npy")), allow_pickle=False)
    assert form["schema"] == "tallymark/tally/1"
    assert form["version"] == tm.__version__
    assert form["rows"] == 7
    assert counts.dtype == np.int64


def test_a_file_is_not_replaced_unless_that_is_said(tmp_path: Path) -> None:
    place = tmp_path / "part.tally"
    counted(score="s").save(place)
    with pytest.raises(FileError, match="exists already"):
        counted(predicted="p").save(place)
    counted(predicted="p").save(place, overwrite=True)
    assert tm.Tally.load(place) == counted(predicted="p")
    with pytest.raises(FileError, match=r"the name of a tally ends in \.tally"):
        counted(score="s").save(tmp_path / "part.json")


def test_an_interruption_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "part.tally"
    counted(score="s").save(place)
    before = place.read_bytes()

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    other = counted(predicted="p")
    for home, name in ((zipfile.ZipFile, "writestr"), (os, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(home, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                other.save(place, overwrite=True)
        assert [path.name for path in tmp_path.iterdir()] == ["part.tally"]
        assert place.read_bytes() == before


# --- several files, and what is asked of them ---------------------------------------------------------------


def test_files_are_added_and_named_when_they_do_not_fit(tmp_path: Path) -> None:
    for name, rows in (("a", ROWS[:3]), ("b", ROWS[3:])):
        tm.tally(rows, actual="y", score="s").named(f"{name}.csv").save(tmp_path / f"{name}.tally")
    paths = [tmp_path / "a.tally", tmp_path / "b.tally"]
    tally, notes = add_files(paths)
    assert tally == counted(score="s")
    assert tally.sources == ("a.csv", "b.csv")
    assert not notes
    whole = counted(score="s").evaluate()
    for given in (paths, str(tmp_path / "*.tally"), tmp_path):
        assert tm.evaluate(given)["auc"].value == whole["auc"].value
    tm.tally(ROWS.cast({"y": pl.String}), actual="y", score="s").save(tmp_path / "text.tally")
    with pytest.raises(
        tm.LabelError, match=r"text\.tally cannot be added to the files before it: labels must"
    ):
        add_files([*paths, tmp_path / "text.tally"])


def test_exact_scores_that_do_not_fit_say_what_to_do(tmp_path: Path) -> None:
    scores = np.arange(40_000) / 40_000
    for name in "ab":
        rows = pl.DataFrame({"actual": (scores > 0.5).astype(int), "score": scores + (name == "b") / 100_000})
        tm.tally(rows, score="score").save(tmp_path / f"{name}.tally")
    with pytest.raises(tm.MemoryLimitError, match="the memory allowed is 3 MB") as caught:
        tm.evaluate(tmp_path, memory="3MB")
    assert caught.value.hint
    assert "tallymark tally --approximate" in caught.value.hint


def test_a_tally_under_another_name_is_known_by_its_content(tmp_path: Path) -> None:
    counted(predicted="p").save(tmp_path / "part.tally")
    (tmp_path / "part.tally").rename(tmp_path / "part.bin")
    assert tm.evaluate(tmp_path / "part.bin")["accuracy"].value == 4 / 7


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("actual", "y", "--actual (in Python actual=) was settled when the rows were counted"),
        ("score", "s", "--score (in Python score=) was settled"),
        ("weight", "w", "--weight (in Python weight=) was settled"),
        ("sample_weight", [1, 2], "--weight (in Python weight=) was settled"),
        ("slices", ["sex"], "--slice (in Python slices=) was settled"),
        ("labels", [0, 1], "--labels (in Python labels=) was settled"),
        ("missing", "drop", "--drop-missing (in Python missing=) was settled"),
        ("missing_words", ["NA"], "--missing (in Python missing_words=) was settled"),
        ("approximate", True, "--approximate (in Python approximate=) was settled"),
        ("y_score", [1, 2], "y_score was settled"),
        ("groups", "sex", "--group (in Python groups=) was settled"),
        ("id", "w", "--id (in Python id=) needs rows"),
        ("extra", {"profit": max}, "a metric of your own needs rows"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_settled_is_refused(option: str, value: Any, said: str, tmp_path: Path) -> None:
    counted(score="s").save(tmp_path / "part.tally")
    with pytest.raises(OptionError) as caught:
        tm.evaluate(tmp_path / "part.tally", **{option: value})
    assert said in caught.value.message
    assert caught.value.hint


def test_tallies_are_not_parts_of_a_table(tmp_path: Path) -> None:
    counted(score="s").save(tmp_path / "part.tally")
    ROWS.write_csv(tmp_path / "rows.csv")
    with pytest.raises(OptionError, match=r"part\.tally holds counts and .*rows\.csv does not"):
        tm.evaluate([tmp_path / "part.tally", tmp_path / "rows.csv"])
    with pytest.raises(OptionError, match="holds counts already"):
        tm.tally(tmp_path / "part.tally")
    # In a folder of rows a tally is no row.
    ev = tm.evaluate(tmp_path, actual="y", predicted="p")
    assert ev.rows == 7
    assert "(part.tally left out)" in ev.notes[0]
