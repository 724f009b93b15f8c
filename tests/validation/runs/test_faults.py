"""Whatever is wrong with a run folder: a clear word, the same result, and nothing that was there is lost."""

from __future__ import annotations

import errno
import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scipy
from counted_models import Counted, told
from damages import spoil
from nursery import rows

import tallymark as tm
from tallymark.errors import FileError
from tallymark.validation.runs import recording, records
from tallymark.validation.runs.folder import RunFolder, write_whole

FOLDS = 4
UNDISTURBED = told(tm.validate(Counted(), *rows(), cv=FOLDS))
Says = list[str]


@pytest.fixture
def said() -> Says:
    """What the folder had to tell."""
    return []


@pytest.fixture
def asked(tmp_path: Path, said: Says) -> Callable[..., str]:
    def ask(path: Path = tmp_path / "runs", **options: Any) -> str:
        folder = RunFolder(path, tell=said.append, **options)
        return told(tm.validate(Counted(), *rows(), cv=FOLDS, run_folder=folder))

    return ask


def fits_in(folder: Path) -> list[Path]:
    return sorted((folder / "fits").glob("*.npz"))


# --- nothing can be written -----------------------------------------------------------------------------


@pytest.mark.parametrize("first", [1, 2, 4])
def test_a_disk_that_is_full_from_some_record_on(
    first: int, asked: Any, said: Says, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = 0

    def write(place: Path, content: bytes, *, mark: str = "") -> None:
        nonlocal written
        written += place.suffix == ".npz"
        if written >= first:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_whole(place, content, mark=mark)

    monkeypatch.setattr(recording, "write_whole", write)
    assert asked() == UNDISTURBED
    folder = str(tmp_path / "runs")
    assert said == [
        f"the run folder {folder!r} cannot be written in: No space left on device. The run goes on, but what "
        "is finished now is lost when it is interrupted."
    ]
    assert len(fits_in(tmp_path / "runs")) == first - 1
    monkeypatch.undo()
    said.clear()
    assert asked() == UNDISTURBED
    assert len(fits_in(tmp_path / "runs")) == FOLDS
    assert said == []


def test_files_that_cannot_grow(asked: Any, said: Says, tmp_path: Path) -> None:
    """The system itself refuses to write more than half a record."""
    asked()
    whole = fits_in(tmp_path / "runs")[0].stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (whole // 2, before[1]))
    try:
        assert asked(tmp_path / "others") == UNDISTURBED
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(said) == 1
    assert "cannot be written in: File too large." in said[0]
    assert list((tmp_path / "others" / "fits").iterdir()) == [], "no halves are left"
    assert asked(tmp_path / "others") == UNDISTURBED


def test_a_folder_that_cannot_be_made(asked: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("something")
    with pytest.raises(FileError, match="cannot be written in: Not a directory") as said:
        asked(tmp_path / "file" / "runs")
    assert said.value.hint == "name another folder, or leave out --run-folder (run_folder=)."
    with pytest.raises(FileError, match="is a file"):
        asked(tmp_path / "file")


def contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_a_folder_that_may_only_be_read(
    asked: Any, said: Says, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is all there can be read again; what is not is refused before the first fit."""
    asked()
    made.forget()
    before = contents(tmp_path / "runs")

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tallymark.validation.runs.presence.open", refuse, raising=False)
    monkeypatch.setattr(recording, "write_whole", refuse)
    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "replace", refuse)
    assert asked() == UNDISTURBED
    folder = str(tmp_path / "runs")
    assert said == [
        f"the run folder {folder!r} cannot be written in: Read-only file system. All fits were found in it."
    ]
    fits_in(tmp_path / "runs")[2].unlink()
    with pytest.raises(FileError, match="cannot be written in: Read-only file system"):
        asked()
    monkeypatch.undo()
    assert made.fits == []
    assert contents(tmp_path / "runs").items() < before.items()


def asked_while_it_goes(
    folder: Path, said: Says, monkeypatch: pytest.MonkeyPatch, back: int | None = None
) -> str:
    """The folder is moved away before the third record is written, and back before another."""
    elsewhere = folder.with_name("elsewhere")
    number = 0

    def write(place: Path, content: bytes, *, mark: str = "") -> None:
        nonlocal number
        number += place.suffix == ".npz"
        if number == 3 and folder.exists():
            folder.rename(elsewhere)
        if number == back and elsewhere.exists():
            elsewhere.rename(folder)
        write_whole(place, content, mark=mark)

    monkeypatch.setattr(recording, "write_whole", write)
    return told(tm.validate(Counted(), *rows(), cv=FOLDS, run_folder=RunFolder(folder, tell=said.append)))


def test_a_folder_that_goes_away_meanwhile(
    said: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked_while_it_goes(tmp_path / "runs", said, monkeypatch) == UNDISTURBED
    assert len(said) == 1
    assert "No such file or directory" in said[0]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """All answers are too large to be held in memory."""
    monkeypatch.setattr(records, "_KEPT", 0)


@pytest.mark.usefixtures("large")
def test_a_folder_that_goes_away_with_answers_that_are_needed(
    asked: Any, made: Any, said: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "runs"
    with monkeypatch.context() as patch, pytest.raises(FileError, match="Nothing else is lost") as raised:
        asked_while_it_goes(folder, said, patch)
    assert "makes what is missing" in str(raised.value.hint)
    assert said == [
        f"the run folder {str(folder)!r} is gone, and with it the answers of 2 fits. The run goes on, but "
        "has no result unless the folder is back at its end."
    ]
    assert len(made.fits) == FOLDS
    made.forget()
    folder.with_name("elsewhere").rename(folder)
    assert asked() == UNDISTURBED
    assert len(made.fits) == FOLDS - 2, "what was in it is found"


@pytest.mark.usefixtures("large")
def test_a_folder_that_comes_back_in_time(
    said: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked_while_it_goes(tmp_path / "runs", said, monkeypatch, back=4) == UNDISTURBED
    assert len(said) == 1


# --- records that cannot be used ------------------------------------------------------------------------

DAMAGES = ["half", "empty", "random", "no JSON", "no answers", "pickle", "another version", "another fit"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_record_that_cannot_be_used_is_set_aside(
    how: str, asked: Any, said: Says, made: Any, tmp_path: Path
) -> None:
    asked()
    place = fits_in(tmp_path / "runs")[1]
    spoil(how, place)
    spoiled = place.read_bytes()
    made.forget()
    assert asked() == UNDISTURBED
    assert len(made.fits) == 1
    assert len(said) == 1
    assert said[0].startswith(f"the record {str(place)!r} cannot be used: it is ")
    aside = list((tmp_path / "runs" / "set_aside").iterdir())
    assert [each.read_bytes() for each in aside] == [spoiled]
    assert aside[0].name.startswith(place.stem)
    assert said[0].endswith(f"The fit is made anew, and the record is now in {str(aside[0].parent)!r}.")
    assert asked() == UNDISTURBED
    assert (len(made.fits), len(said)) == (1, 1)
    assert "UNPICKLED" not in os.environ


def test_a_folder_in_place_of_a_record_is_set_aside(asked: Any, said: Says, tmp_path: Path) -> None:
    asked()
    place = fits_in(tmp_path / "runs")[1]
    place.unlink()
    place.mkdir()
    (place / "notes.txt").write_text("mine")
    assert asked() == UNDISTURBED
    assert len(said) == 1
    assert said[0].startswith(f"the record {str(place)!r} cannot be used: it is a folder. The fit is made")
    assert place.is_file()
    (aside,) = (tmp_path / "runs" / "set_aside").iterdir()
    assert (aside / "notes.txt").read_text() == "mine"


def test_many_such_records_are_told_together(asked: Any, said: Says, tmp_path: Path) -> None:
    asked()
    for place in fits_in(tmp_path / "runs"):
        spoil("half", place)
    assert asked() == UNDISTURBED
    assert len(said) == 2
    aside = str(tmp_path / "runs" / "set_aside")
    assert said[1] == f"4 records could not be used; they are now in {aside!r}."


def test_records_that_the_system_does_not_give_stay_where_they_are(
    asked: Any, said: Says, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked()
    made.forget()

    def refuse(*_: Any) -> Any:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr("tallymark.validation.runs.records.zipfile.ZipFile", refuse)
        patch.setattr("tallymark.validation.runs.records.written", refuse)
        assert asked() == UNDISTURBED
    folder = str(tmp_path / "runs")
    assert said[0] == (
        f"records in the run folder {folder!r} cannot be read: Too many open files. Their fits are made anew."
    )
    assert len(said) == 2, "and one word that nothing can be written"
    assert list((tmp_path / "runs" / "set_aside").iterdir()) == []
    made.forget()
    assert asked() == UNDISTURBED
    assert made.fits == []


def test_records_of_other_versions_stay_and_are_told_once(
    asked: Any, said: Says, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked()
    old = fits_in(tmp_path / "runs")
    with monkeypatch.context() as patch:
        patch.setattr(scipy, "__version__", "0.1")
        made.forget()
        assert asked() == UNDISTURBED
        assert len(made.fits) == FOLDS
    folder = str(tmp_path / "runs")
    assert said == [
        f"fits in the run folder {folder!r} were made with other versions (scipy {scipy.__version__}, now "
        "0.1). They stay there, and are made anew with these."
    ]
    now = fits_in(tmp_path / "runs")
    assert len(now) == 2 * FOLDS
    assert set(old) < set(now)
    made.forget()
    assert asked() == UNDISTURBED
    assert made.fits == []


# --- the folder's own files --------------------------------------------------------------------------------


def test_another_version_of_the_folder_is_not_touched(asked: Any, tmp_path: Path) -> None:
    asked()
    marker = tmp_path / "runs" / "run-folder.json"
    marker.write_text(json.dumps({"schema": "tallymark/run-folder/99"}))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FileError, match="is of the kind 'tallymark/run-folder/99'"):
        asked()
    marker.write_text("{")
    with pytest.raises(FileError, match="cannot be read, so what is in the folder is not touched"):
        asked()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "garbage", ["", "{", "[]", '{"schema": "tallymark/run/99"}', '{"schema": "tallymark/run/1"}']
)
def test_a_record_of_the_question_that_cannot_be_read(
    garbage: str, asked: Any, said: Says, made: Any, tmp_path: Path
) -> None:
    asked()
    (record,) = (tmp_path / "runs" / "runs").glob("*.json")
    record.write_text(garbage)
    (record.parent / "stranger.json").write_text("no JSON")
    made.forget()
    assert asked() == UNDISTURBED
    assert made.fits == []
    assert len(said) == 2, "one word for each"
    assert json.loads(record.read_text())["ended"] is not None
    (aside,) = (tmp_path / "runs" / "set_aside").iterdir()
    assert aside.read_text() == garbage
    assert (record.parent / "stranger.json").read_text() == "no JSON"


def test_a_log_that_is_garbage(asked: Any, said: Says, made: Any, tmp_path: Path) -> None:
    asked()
    (log,) = (tmp_path / "runs" / "runs").glob("*.log")
    whole = log.read_bytes()
    log.write_bytes(b"\xff\xfe\x00\n" + whole[:50])
    made.forget()
    assert asked() == UNDISTURBED
    assert made.fits == []
    assert said == []


def test_a_file_system_that_knows_no_locks_and_no_links(
    asked: Any, said: Says, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr("fcntl.flock", refuse)
    monkeypatch.setattr(os, "symlink", refuse)
    assert asked() == UNDISTURBED
    old, young = (tmp_path / "runs" / "fits" / f".key.npz.{name}-1.part" for name in ("a", "b"))
    for each in (old, young):
        each.write_text("half")
        # A process that cannot hold a lock is there, or was.
        (tmp_path / "runs" / "at_work" / f"{each.name[9]}.lock").touch()
    os.utime(old, (0, 0))
    assert asked() == UNDISTURBED
    assert len(made.fits) == FOLDS
    assert said == []
    assert not old.exists()
    assert young.exists()
    assert len(list((tmp_path / "runs" / "at_work").iterdir())) == 2, "nobody knows whether they live"


def test_halves_of_the_dead_are_cleared_away_and_those_of_the_living_are_not(
    asked: Any, tmp_path: Path
) -> None:
    asked()
    folder = tmp_path / "runs"
    somebody = recording.Presence(folder / "at_work")
    dead, living = (folder / "fits" / f".key.npz.{name}-1.part" for name in ("dead", somebody.name))
    for each in (dead, living):
        each.write_bytes(b"half")
    asked()
    assert not dead.exists()
    assert living.exists()
    somebody.leave()
