"""A run folder: made once, recognised, never taken for another folder, and looked into from outside."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.cli import runs_shown
from tallymark.drawing import text
from tallymark.errors import FileError, OptionError
from tallymark.validation import RunFolder
from tallymark.validation.runs.folder import (
    AT_WORK,
    MARKER,
    RunFolderWarning,
    existing,
    folder_of,
    folders_under,
    write_whole,
)
from tallymark.validation.runs.looking import looks
from tallymark.validation.runs.presence import Presence
from tallymark.validation.runs.run_records import Noted, line_of

DATA = {"name": "d", "rows": 9, "hash": "ab", "classes": "cd", "features": "ef"}
MODEL = {"name": "m", "kind": "a:B", "settings": "ab", "settings_unseeded": None, "text": "B()"}
RECORD: dict[str, Any] = {
    "schema": "tallymark/run/1", "run": "aa", "question": "validate", "data": [DATA], "models": [MODEL],
    "method": "10-fold", "metric": "accuracy", "seed": 0, "arguments": None, "folder": "/", "total": 3,
    "started": "2026-01-01", "ended": None, "error": None, "at_work": [], "tested": ["ab"], "test_rows": [9],
    "tested_bits": [None], "outcome": None, "chosen": None,
}  # fmt: skip


def opened(path: Path, **options: Any) -> RunFolder:
    folder = RunFolder(path, **options)
    folder.open()
    return folder


def written(folder: RunFolder, **changed: Any) -> dict[str, Any]:
    record = RECORD | changed
    (folder.path / "runs" / f"{record['run']}.json").write_text(json.dumps(record))
    return record


# --- making it -----------------------------------------------------------------------------------------


def test_it_is_made_with_a_marker_and_opened_again(tmp_path: Path) -> None:
    opened(tmp_path / "deep" / "night")
    marker = tmp_path / "deep" / "night" / MARKER
    before = marker.read_bytes()
    assert json.loads(before)["schema"] == "tallymark/run-folder/1"
    opened(tmp_path / "deep" / "night")
    assert marker.read_bytes() == before
    assert sorted(each.name for each in marker.parent.iterdir()) == sorted(
        ["fits", "runs", "at_work", "set_aside", MARKER]
    )


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    opened(tmp_path)
    assert (tmp_path / MARKER).is_file()


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(FileError, match="with other things in it, and no run folder") as raised:
        opened(tmp_path)
    assert raised.value.hint == "name a new folder, or an empty one."
    assert os.listdir(tmp_path) == ["thesis.txt"]


def test_a_run_folder_whose_marker_was_deleted_is_taken_again(tmp_path: Path) -> None:
    """As the error about a damaged marker says."""
    opened(tmp_path)
    (tmp_path / "fits" / "a.npz").write_text("a fit")
    (tmp_path / MARKER).write_text("")
    with pytest.raises(FileError) as raised:
        opened(tmp_path)
    assert "delete that file if this is a run folder" in str(raised.value.hint)
    (tmp_path / MARKER).unlink()
    (tmp_path / f".{MARKER}.x.part").write_text("half")
    # Archives leave out folders that are empty.
    (tmp_path / "at_work").rmdir()
    opened(tmp_path)
    assert json.loads((tmp_path / MARKER).read_bytes())["schema"] == "tallymark/run-folder/1"
    assert (tmp_path / "fits" / "a.npz").read_text() == "a fit"


@pytest.mark.parametrize("others", [["runs"], ["fits"], ["fits", "runs", "thesis"]], ids="-".join)
def test_folders_that_only_look_like_ours_are_left_alone(tmp_path: Path, others: list[str]) -> None:
    for name in others:
        (tmp_path / name).mkdir()
    with pytest.raises(FileError, match="with other things in it"):
        opened(tmp_path)
    assert sorted(os.listdir(tmp_path)) == others


def test_halves_of_markers_are_cleared_away_when_nobody_can_be_writing_them(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    old, young = (tmp_path / f".{MARKER}.{name}.part" for name in ("old", "young"))
    for each in (old, young):
        each.write_text("{")
    os.utime(old, (0, 0))
    folder.clear_away_parts()
    assert not old.exists()
    assert young.exists()


def test_two_that_make_it_at_once_do_not_share_a_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    replace = os.replace

    def noted(part: Path, place: Path) -> None:
        names.append(part.name)
        replace(part, place)

    monkeypatch.setattr(os, "replace", noted)
    for name in ("a", "b"):
        opened(tmp_path / name)
    assert len(set(names)) == 2


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="is a file"):
        opened(tmp_path / "file")


def test_another_versions_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_text('{"schema": "tallymark/run-folder/2"}')
    with pytest.raises(FileError, match="is of the kind 'tallymark/run-folder/2'; this version of tallymark"):
        opened(tmp_path)
    assert os.listdir(tmp_path) == [MARKER]


@pytest.mark.parametrize("content", ["", "[]", "{}", "{"])
def test_a_damaged_marker_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / MARKER).write_text(content)
    with pytest.raises(FileError, match="cannot be read, so what is in the folder is not touched"):
        opened(tmp_path)


def test_a_place_that_cannot_be_written_in_is_an_error() -> None:
    with pytest.raises(FileError, match="cannot be written in"):
        opened(Path("/proc/nothing/here"))


@pytest.mark.parametrize("given", [3, "", True])
def test_only_paths_name_a_folder(given: Any) -> None:
    with pytest.raises(OptionError, match="run_folder is the path of a folder"):
        folder_of(given)


def test_what_is_given_stays_what_it_is(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, retry_failed=True)
    assert folder_of(folder) is folder
    assert folder_of(None) is None
    found = folder_of(str(tmp_path))
    assert found is not None
    assert found.path == tmp_path


# --- what is in it -----------------------------------------------------------------------------------------


def test_runs_come_in_the_order_they_were_begun(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    for run, started in {"aa": "2026-03", "bb": "2026-01", "cc": "2026-02"}.items():
        written(folder, run=run, started=started)
    assert [each["run"] for each in folder.runs()] == ["bb", "cc", "aa"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"schema": "tallymark/run/1", "run"', "cannot be read"),
        ('{"schema": "tallymark/run/2", "run": "bb"}', "is damaged, or of another version,"),
        ('{"schema": "tallymark/run/1", "run": "bb"}', "is damaged, or of another version,"),
        ("[1]", "is damaged, or of another version,"),
        ("[" * 100_000, "cannot be read"),
    ],
    ids=["half", "newer", "without its keys", "list", "deep"],
)
def test_other_records_are_told_and_left_alone(tmp_path: Path, content: str, said: str) -> None:
    told: list[str] = []
    folder = opened(tmp_path, tell=told.append)
    written(folder)
    place = tmp_path / "runs" / "bb.json"
    place.write_text(content)
    assert [each["run"] for each in folder.runs()] == ["aa"]
    assert told == [f"the record {str(place)!r} {said} and is left out."]
    assert place.read_text() == content


KINDS = [None, True, 3, "text", [], [None], ["a", 3], {}, {"a": None}, [{}], ["../x"], ["a", "\0"]]
ODD = [(name, value) for name in RECORD for value in KINDS] + [
    *(("data", [DATA | {name: 3.5}]) for name in DATA),
    *(("models", [MODEL | {name: 3.5}]) for name in (*MODEL, "parameters")),
    *(("chosen", MODEL | {name: 3.5}) for name in (*MODEL, "parameters")),
    ("data", [DATA, DATA]),
    ("run", "a/../aa"),
]


@pytest.mark.parametrize("case", ODD, ids=lambda case: f"{case[0]} {str(case[1])[:40]!a}")
def test_records_of_odd_kinds_break_nothing(tmp_path: Path, case: tuple[str, Any]) -> None:
    """Either such a record is told and left out, or it can be looked at."""
    told: list[str] = []
    folder = opened(tmp_path, tell=told.append)
    (tmp_path / "runs" / "aa.json").write_text(json.dumps(RECORD | dict([case])))
    found = looks(folder)
    assert len(found) + len(told) == 1
    if found:
        text(runs_shown.listed(found))
        text(runs_shown.shown(found[0], every=True))
        json.dumps([runs_shown.list_form(found), runs_shown.show_form(found[0])])


def test_a_sound_record_is_none_of_those(tmp_path: Path) -> None:
    folder = opened(tmp_path, tell=pytest.fail)
    for run, changed in {"aa": {}, "bb": {"chosen": MODEL, "at_work": ["x"], "outcome": {"d": 0.5}}}.items():
        written(folder, run=run, **changed)
    assert len(looks(folder)) == 2


def test_a_warning_points_at_the_call(tmp_path: Path) -> None:
    opened(tmp_path)
    (tmp_path / "runs" / "bb.json").write_text("")
    with pytest.warns(RunFolderWarning) as said:
        tm.validate("bayes", np.arange(20.0)[:, None], np.arange(20) % 2, cv=2, run_folder=tmp_path)
    # Before 3.12 Python cannot be told which files are not the caller's.
    assert sys.version_info < (3, 12) or {each.filename for each in said} == {__file__}


def test_without_words_of_its_own_it_warns(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    (tmp_path / "runs" / "bb.json").write_text("")
    with pytest.warns(RunFolderWarning, match="cannot be read and is left out"):
        folder.runs()


def test_half_a_line_of_the_log_does_not_count(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    record = written(folder)
    assert folder.finished(record) == {}
    (tmp_path / "runs" / "aa.log").write_text("k1\nk2 odd\nk1\n\nk3")
    assert folder.finished(record) == {"k1": Noted(), "k2": Noted()}


def test_the_log_says_what_is_true_last(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    record = written(folder)
    failed = [line_of(key, 3, failed=True) for key in ("k1", "k2")]
    (tmp_path / "runs" / "aa.log").write_text("\n".join([*failed, line_of("k1", 2e-7, failed=False), ""]))
    assert folder.finished(record) == {"k1": Noted(2e-7, failed=False), "k2": Noted(3.0, failed=True)}


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({}, "interrupted"),
        ({"ended": "2026-01-02"}, "finished"),
        ({"ended": "2026-01-02", "error": "all failed"}, "stopped"),
        ({"at_work": ["dead"]}, "interrupted"),
    ],
    ids=["no end", "end", "error", "dead"],
)
def test_states(tmp_path: Path, changed: dict[str, Any], state: str) -> None:
    assert opened(tmp_path).state(RECORD | changed) == state


def test_a_run_runs_as_long_as_its_process_is_there(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    process = Presence(tmp_path / AT_WORK)
    record = RECORD | {"at_work": ["dead", process.name]}
    assert folder.state(record) == "running"
    process.leave()
    assert folder.state(record) == "interrupted"


# --- looking for it ----------------------------------------------------------------------------------------


def test_existing_ones_are_found(tmp_path: Path) -> None:
    opened(tmp_path / "a" / "b")
    assert existing(tmp_path / "a" / "b").path == tmp_path / "a" / "b"
    with pytest.raises(FileError, match="is not there"):
        existing(tmp_path / "c")
    with pytest.raises(FileError, match="is no run folder") as raised:
        existing(tmp_path / "a")
    assert raised.value.hint == f"name a run folder in it: {str(tmp_path / 'a' / 'b')!r}."
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="is no run folder"):
        existing(tmp_path / "file")


def test_folders_are_looked_for_two_levels_deep(tmp_path: Path) -> None:
    for name in ("b", "a/c", "a/d/e", ".hidden/f", "b/fits/g"):
        opened(tmp_path / name)
    assert list(folders_under(tmp_path)) == [tmp_path / "a" / "c", tmp_path / "b"]
    assert list(folders_under(tmp_path / "a")) == [tmp_path / "a" / "c", tmp_path / "a" / "d" / "e"]
    assert list(folders_under(tmp_path / "b")) == [tmp_path / "b"]
    assert list(folders_under(tmp_path / "nowhere")) == []


# --- writing ------------------------------------------------------------------------------------------------


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "x", b"first")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "x", b"second")
    assert (tmp_path / "x").read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["x"]
