"""Whatever is wrong with a run folder: a clear message, the same result, and no finished fit is lost."""

from __future__ import annotations

import errno
import json
import os
import pickle
import random
import re
import shutil
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted import MADE_HERE, QUESTIONS, Answer, Counted, Folder, Holds, few, large, rows, told, undisturbed

import tallymark as tm
from scored import classes, refusals
from tallymark.cli import main

FITS = 3


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """It holds all fits, and is never changed."""
    found = Folder(tmp_path_factory.mktemp("whole") / "runs")
    assert found.ask(few).counts == (0, FITS, 0)
    return found


@pytest.fixture(scope="module")
def fits(whole: Folder) -> list[Path]:
    """The file of each fit."""
    found = whole.records(few)
    assert len(found) == FITS
    return found


@pytest.fixture
def copy(whole: Folder, tmp_path: Path) -> Callable[[], Folder]:
    """New copies of it."""

    def made() -> Folder:
        shutil.rmtree(tmp_path / "runs", ignore_errors=True)
        return Folder(Path(shutil.copytree(whole.path, tmp_path / "runs")))

    return made


def looked_at(folder: Path) -> set[int]:
    """The exit codes of `tallymark runs`."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        return {main(["runs", what, str(folder)]) for what in ("list", "show")}


# --- files that are damaged ----------------------------------------------------------------------------


class Trap:
    """What must never be made: unpickling it would say so."""

    def __reduce__(self) -> Any:
        return eval, ("__import__('os').environ.update(UNPICKLED='yes')",)


def objects() -> bytes:
    """An array that is read by unpickling."""
    found = BytesIO()
    np.save(found, np.array([Trap()], object), allow_pickle=True)
    return found.getvalue()


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "gone": lambda _: None,
    "empty": lambda _: b"",
    "half": lambda old: old[: len(old) // 2],
    "without an end": lambda old: old[:-2],
    "zeros": lambda old: bytes(len(old)),
    "random": lambda old: random.Random(0).randbytes(len(old)),
    "garbage first": lambda old: b"\xff\xfe\x00\n" + old[:50],
    "a pickle": lambda _: pickle.dumps(Trap()),
    "no object": lambda _: b"[]",
    "an empty object": lambda _: b"{}",
    "another version": lambda _: b'{"schema": "tallymark/99"}',
}
OF_PARTS = [DAMAGES[how] for how in ("gone", "empty", "half", "a pickle", "no object")] + [
    lambda _: objects()
]


def damaged(old: bytes) -> Iterator[tuple[str, bytes | None]]:
    """In many ways; where it is a zip, any of its parts, too."""
    yield from ((how, damage(old)) for how, damage in DAMAGES.items())
    if not zipfile.is_zipfile(BytesIO(old)):
        return
    with zipfile.ZipFile(BytesIO(old)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    for (victim, part), damage in product(parts.items(), OF_PARTS):
        new = BytesIO()
        with zipfile.ZipFile(new, "w") as file:
            for name, content in {**parts, victim: damage(part)}.items():
                if content is not None:
                    file.writestr(name, content)
        yield f"a part of {victim}", new.getvalue()


def test_any_file_that_is_damaged(whole: Folder, fits: list[Path], copy: Any, snapshot: Any) -> None:
    """It is refused, and nothing changed; or it costs its own fit at most, and is kept; no pickle is read."""
    words, wrong = {}, []
    for place in sorted(set(whole.contents()) - set(fits[1:])):
        name = re.sub(r"^[0-9a-f-]{9,}", "NAME", place.name)
        for how, spoiled in [*damaged((whole.path / place).read_bytes()), ("a folder", b"mine")]:
            folder = copy()
            victim = folder.path / place
            victim.unlink()
            if how == "a folder":
                victim.mkdir()
                (victim / "notes.txt").write_bytes(b"mine")
            elif spoiled is not None:
                victim.write_bytes(spoiled)
            codes, before = looked_at(folder.path), folder.contents()
            answer, again = folder.ask(few), folder.ask(few)
            after = folder.contents()
            if answer.error:
                sound = (answer.error[:10], before) == ("FileError:", after)
            else:
                costs, tells = (1, how != "gone") if place in fits else (0, len(answer.said))
                sound = answer.counts == (FITS - costs, costs, tells) and again.counts[:2] == (FITS, 0)
                sound &= {answer.told, again.told} == {undisturbed(few)}
                kept = place in fits or how == "a folder"
                sound &= not kept or spoiled is None or spoiled in after.values()
            if not sound or not codes <= {0, 2} or "UNPICKLED" in os.environ:
                wrong.append((place.name, how, codes, answer.counts, again.counts, answer.error))
            text = (answer.error or "\n".join(answer.said)).replace(tm.__version__, "VERSION")
            text = re.sub(rf"{place.stem}(?=\W)", name.partition(".")[0], text)
            if text and text not in words.values() and "a part" not in how:
                words[f"{name}: {how}"] = text
    assert wrong == []
    snapshot("run_folder_damaged_files", words)


def test_any_bit_that_falls_over(whole: Folder, fits: list[Path], copy: Any) -> None:
    """It is refused, or it costs its own fit, or what is read is what was written."""
    wrong, refused, tried = [], 0, 0
    for place, old in whole.contents().items():
        for at in range(0, len(old), max(1, len(old) // 20)):
            folder = copy()
            (folder.path / place).write_bytes(old[:at] + bytes([old[at] ^ 0x41]) + old[at + 1 :])
            answer = folder.ask(few)
            if place in fits:
                tried, refused = tried + 1, refused + answer.made
                sound = not answer.error
            else:
                sound = answer.made == 0
            if not sound or (not answer.error and answer.told != undisturbed(few)):
                wrong.append((place, at, answer.counts, answer.error))
    assert wrong == []
    assert tried / 2 < refused < tried


def test_many_damaged_records_are_told_together_where_the_run_was_asked_for(
    fits: list[Path], copy: Any
) -> None:
    folder = copy()
    for place in fits:
        (folder.path / place).write_bytes(b"damaged")
    assert folder.ask(few).counts == (0, FITS, 2)
    for place in fits:
        (folder.path / place).write_bytes(b"damaged")
    with pytest.warns(tm.RunFolderWarning) as warned:
        few(folder.path)
    # Before 3.12 Python cannot be told which files are not the caller's.
    assert sys.version_info < (3, 12) or {one.filename for one in warned} == {few.__code__.co_filename}


# --- what the system refuses ----------------------------------------------------------------------------


def test_disks_that_are_full(
    tmp_path: Path, whole: Folder, fits: list[Path], start: Any, snapshot: Any
) -> None:
    """From the beginning, or from some fit on: no file can grow."""
    size, words = max((whole.path / place).stat().st_size for place in fits), {}
    for room in (0, 50, size // 2):
        folder = Folder(tmp_path / f"room {room}")
        answer = start("few", folder.path, FITS_ROOM=room).answer()
        going_on = undisturbed(few), (0, FITS, 1)
        assert answer.error[:10] == "FileError:" or (answer.told, answer.counts) == going_on
        again = folder.ask(few)
        assert (again.told, again.counts) == (undisturbed(few), (0, FITS, 0)), "no halves are left"
        words[f"room for {room / size:.0%} of a record"] = answer.error or answer.said[0]
    for fit in (1, 2, 3):
        folder = Folder(tmp_path / f"full {fit}")
        answer = start("few", folder.path, FITS_FULL=fit).answer()
        assert (answer.told, answer.counts) == (undisturbed(few), (0, FITS, 1))
        again = folder.ask(few)
        assert (again.told, again.counts) == (undisturbed(few), (fit - 1, FITS - fit + 1, 0))
        words["full on the way"] = answer.said[0]
    snapshot("run_folder_full_disks", words)


def test_permissions(fits: list[Path], copy: Any, start: Any, snapshot: Any) -> None:
    """What is all there can be read again; where something is missing it is refused before the first fit."""
    folder = copy()
    before = folder.contents()

    def asked() -> Answer:
        places = [folder.path, *folder.path.rglob("*")]
        for place in places:
            place.chmod(0o555 if place.is_dir() else 0o444)
        try:
            return start("few", folder.path, FITS_PLAIN=1).answer()
        finally:
            for place in places:
                place.chmod(0o755 if place.is_dir() else 0o644)

    only_read = asked()
    assert (only_read.told, only_read.counts) == (undisturbed(few), (FITS, 0, 1))
    assert folder.contents() == before
    (folder.path / fits[2]).unlink()
    missing = asked()
    assert (missing.made, missing.error[:10]) == (0, "FileError:")
    texts = {"all are there": only_read.said[0], "some are missing": missing.error}
    snapshot("run_folder_read_only", texts)
    folder = copy()
    for place in fits:
        (folder.path / place).chmod(0)
    answer = start("few", folder.path, FITS_PLAIN=1).answer()
    assert (answer.told, answer.counts) == (undisturbed(few), (0, FITS, 1)), "records that may not be read"
    assert folder.ask(few).counts == (FITS, 0, 0)


def test_a_file_system_that_knows_no_locks_and_no_links(
    fits: list[Path], copy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: Any) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr("fcntl.flock", unsupported)
    monkeypatch.setattr(os, "symlink", unsupported)
    folder = copy()
    (folder.path / fits[0]).unlink()
    answer = folder.ask(few)
    assert (answer.told, answer.counts) == (undisturbed(few), (FITS - 1, 1, 0))


# --- folders that go away -----------------------------------------------------------------------------------


class Moves(Counted):
    """Moves the folder away in its third fit, and back in its fourth, if it is told to."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if "MOVED" in os.environ:
            place = Path(os.environ["MOVED"])
            if len(MADE_HERE) == 2:
                place.rename(place.with_name("elsewhere"))
            elif len(MADE_HERE) == 3 and os.environ["BACK"]:
                place.with_name("elsewhere").rename(place)
        return super().fit(X, y, sample_weight)


def moving(size: int) -> Callable[..., Any]:
    return lambda folder: tm.validate(Moves(), *rows(size), cv=4, baseline=False, run_folder=folder)


def test_a_folder_that_goes_away_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Any
) -> None:
    words = {}
    for name, size in {"small": 90, "large": 9_000, "back in time": 9_000}.items():
        folder, ask = Folder(tmp_path / name), moving(size)
        alone = undisturbed(ask)
        MADE_HERE.clear()
        with monkeypatch.context() as patch:
            patch.setenv("MOVED", str(folder.path))
            patch.setenv("BACK", "yes" if name == "back in time" else "")
            answer = folder.ask(ask)
        assert answer.counts == (0, 4, 1)
        assert answer.error.startswith("FileError:") if name == "large" else answer.told == alone
        if name == "back in time":
            continue
        words[f"{name}: reported"], words[f"{name}: error"] = answer.said[0], answer.error or "none"
        shutil.rmtree(folder.path, ignore_errors=True)
        (tmp_path / "elsewhere").rename(folder.path)
        again = folder.ask(ask)
        assert (again.told, again.counts) == (alone, (2, 2, 0)), "what was in it is found"
    hashes = re.compile(r"[0-9a-f]{32}-[0-9a-f]{8}")
    snapshot("run_folder_gone", {case: hashes.sub("FIT", text) for case, text in words.items()})


def test_predictions_of_many_rows_stay_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result, again = large("runs"), large("runs")
    assert told(result) == told(again) == undisturbed(large)
    copied = pickle.dumps(result)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    assert told(again) == undisturbed(large), "found from anywhere"
    size = sum(map(len, Folder(tmp_path / "runs").contents().values()))
    (tmp_path / "runs").rename(tmp_path / "moved")
    with pytest.raises(tm.FileError):
        again.predictions("polars")
    assert told(pickle.loads(copied)) == undisturbed(large), "a copy holds everything"
    assert size < FITS * (3_000 * (1 + 16) + 9_000), "a byte for a prediction, and two scores"


def test_predictions_of_many_fits_do_not_pile_up(tmp_path: Path) -> None:
    def held(folder: Path | None) -> int:
        tracemalloc.start()
        result = tm.validate(Counted(), *rows(5_000), cv="kfold:5x2", baseline=False, run_folder=folder)
        found = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(result.folds.folds) == 10
        return found

    held(None)
    assert held(None) - held(tmp_path / "runs") > 10 * 2_500 * 20


# --- what a folder is -------------------------------------------------------------------------------------


class Odd(Holds):
    """Scores of all kinds."""

    def decision_function(self, X: Any) -> Any:
        return np.resize([-1e308, np.pi, 5e-324, 0.1 + 0.2, -0.0, 1 / 3], len(X))


class Nearest(Holds):
    """Knows the first column by heart: more classes than a byte can tell apart."""

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, 0].astype(int)


class Turned(Counted):
    """Its training numbers are infinite, or there are none."""

    def predict_proba(self, X: Any) -> Any:
        return np.asfortranarray(super().predict_proba(X).round())


def test_what_is_read_is_what_was_written_bit_for_bit(tmp_path: Path) -> None:
    X, y = rows()
    sizes: dict[str, Any] = {"schedule": [0.1, 1.0], "n_repeats": 3, "metric": "log_loss"}
    many = np.arange(600.0).reshape(-1, 1) // 2, np.arange(600) // 2
    asks: list[Any] = [
        lambda to: tm.validate({"odd": Odd()}, X, y, cv=3, pos_label=1, run_folder=to),
        lambda to: tm.validate(Turned(), X, y, metric="auc", metrics=["lr_plus", "log_loss"], run_folder=to),
        lambda to: tm.validate(Holds(), X, np.arange(90) % 3, cv=3, run_folder=to),
        lambda to: tm.validate(Holds(), X, y, cv="bootstrap:4", run_folder=to),
        lambda to: tm.validate(Nearest(), *many, cv=2, baseline=False, run_folder=to),
        lambda to: tm.learning_curve(Turned(), X, y, **sizes, run_folder=to),
    ]
    for ask in asks:
        kept = [Folder(tmp_path / "runs").ask(ask) for _ in range(2)]
        assert {answer.told for answer in kept} == {told(ask(None))}
        assert (kept[0].found, kept[1].made) == (0, 0)


def test_what_is_no_run_folder_is_left_alone(tmp_path: Path, snapshot: Any) -> None:
    files = {
        "other things/thesis.txt": "precious",
        "a folder/fits/notes.txt": "mine",
        "another version/run-folder.json": '{"schema": "tallymark/run-folder/99"}',
        "file": "something",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    places = ["other things", "a folder", "another version", "file", "file/inside", "/proc/nothing/here"]
    calls: dict[str, Callable[[], Any]] = {name: lambda name=name: few(tmp_path / name) for name in places}
    calls |= {f"{given!r}": lambda given=given: few(given) for given in (3, "", True)}
    before = sorted(tmp_path.rglob("*")), Folder(tmp_path).contents()
    refused = refusals(calls)
    assert (sorted(tmp_path.rglob("*")), Folder(tmp_path).contents()) == before
    options = dict.fromkeys(("3", "''", "True"), "OptionError")
    assert classes(refused) == {**dict.fromkeys(places, "FileError"), **options}
    steady = {str(tmp_path): "HERE", tm.__version__: "VERSION"}
    for old, new in steady.items():
        refused = {name: text.replace(old, new) for name, text in refused.items()}
    snapshot("errors_run_folders", refused)


def test_a_folder_is_made_or_taken_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "deep" / "night")
    assert folder.ask(few).counts == (0, FITS, 0)
    before = set(folder.contents())
    for place in sorted(folder.path.iterdir()):
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()  # archives leave out folders that are empty
    folder.path.rename(tmp_path / "moved")
    assert Folder(tmp_path / "moved").ask(few).counts == (FITS, 0, 0)
    assert set(Folder(tmp_path / "moved").contents()) == before
    (tmp_path / "empty").mkdir()
    assert Folder(tmp_path / "empty").ask(few).counts == (0, FITS, 0)


# --- fits that fail -----------------------------------------------------------------------------------------


def test_failed_fits_are_kept_and_made_again_when_asked_to(
    made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the three training parts, two hold row 0."""
    for kind in ("ValueError", "MemoryError", "SystemExit"):
        monkeypatch.setenv("FITS_FAIL", kind)
        folder, alone = Folder(tmp_path / kind), told(few(None))
        assert json.loads(alone)[0]["failed"] == 2
        answers = [folder.ask(few), folder.ask(few)]
        assert [answer.counts for answer in answers] == [(0, FITS, 0), (FITS, 0, 0)]
        assert {answer.told for answer in answers} == {alone}, "with the error, and warnings of all fits"
    shown = folder.shown()
    assert (shown["state"], shown["done"], len(shown["failures"])) == ("finished", FITS, 2)
    again = Folder(folder.path, retry_failed=True)
    answer = again.ask(few)
    assert (answer.told, answer.counts) == (alone, (1, 2, 0)), "only those, and each once"
    made.forget()
    models = {"one": Counted(), "other": Counted()}
    for _ in range(2):
        given: dict[str, Any] = {"cv": 3, "baseline": False, "run_folder": again.run_folder}
        assert tm.validate(models, *rows(), **given).failed == 4
    assert len(made.fits) == 4, "one that failed again a moment ago is not made a third time"
    cut: Any = {"cv": [(np.arange(60), np.arange(60, 90))], "baseline": False}
    with pytest.raises(tm.InputError) as raised:
        tm.validate(models, *rows(), **cut, run_folder=folder.path)
    assert raised.value.hint is None, "what was made for the other name a moment ago is no earlier run"
    monkeypatch.delenv("FITS_FAIL")
    answer = again.ask(few)
    assert (json.loads(answer.told)[0]["failed"], answer.counts) == (0, (1, 2, 0))
    assert folder.shown()["failures"] == []


def test_other_questions_know_what_failed_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FITS_FAIL", "ValueError")
    for question in ("tune", "learn", "permute"):
        folder = Folder(tmp_path / question)
        first, again = (folder.ask(QUESTIONS[question]) for _ in range(2))
        errors = {answer.error.partition(" Hint:")[0] for answer in (first, again)}
        assert (first.told, len(errors)) == (again.told, 1), question
        assert (first.made > 0, again.made, again.found > 0) == (True, 0, True), question
        assert folder.shown()["failed"] > 0, question
