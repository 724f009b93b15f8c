"""Runs that are killed, at any moment, and asked again: nothing finished is lost, the result is the same."""

from __future__ import annotations

import os
from pathlib import Path
from threading import get_ident
from typing import Any

import joblib
import numpy as np
import pytest
from counted import QUESTIONS, Counted, Folder, Holds, few, rows, told, tune, undisturbed, validate

import tallymark as tm
from collected import each

X, Y = rows()


def parts(folder: Path) -> int:
    """How many files a folder has; nothing of a process that died stays behind."""
    return len([place for place in folder.rglob("*") if place.is_file() or place.is_symlink()])


def state(folder: Path) -> tuple[str, int]:
    run = Folder(folder).shown()
    return run["state"], run["done"]


@each("question", ["validate", "tune", "learn", "permute"])
def test_kills_change_nothing(question: str, made: Any, start: Any, tmp_path: Path) -> None:
    ask, folder = QUESTIONS[question], tmp_path / question
    whole = Folder(tmp_path / f"{question} at once").ask(ask)
    made.forget()
    for at in (1, 4, 2):
        assert start(question, folder, FITS_KILL=at).was_killed()
        assert state(folder)[0] == "interrupted"
    assert start(question, folder).answer().told == whole.told == undisturbed(ask)
    assert len(made.fits) == len(set(made.fits)) + 3, "those at work are lost, and no others"
    assert state(folder)[0] == "finished"
    assert parts(folder) == parts(tmp_path / f"{question} at once")
    made.forget()
    again = Folder(folder).ask(ask)
    assert (made.fits, again.counts[1:], again.told) == ([], (0, 0), whole.told)
    assert 0 < again.found <= whole.made


def test_killed_in_every_step_of_writing(made: Any, start: Any, tmp_path: Path) -> None:
    files, wrong = 0, []
    for step in range(1, 1_000):
        made.forget()
        folder = Folder(tmp_path / f"run {step}")
        ended = start("few", folder.path, FITS_STEP=step).was_killed() is False
        before = len(made.fits)
        answer = folder.ask(few)
        found = parts(folder.path)
        files = files or found
        lost, left = before - answer.found, found - files
        # Half of the first file may stay: another process could be writing it.
        if answer.told != undisturbed(few) or lost not in (0, 1) or left > (before == 0):
            wrong.append((step, answer.counts, before, answer.error, found))
        if ended:
            break
    assert (wrong, step > 20) == ([], True), "a folder, and three records: there are more steps than that"


# --- several processes -----------------------------------------------------------------------------------


@each("ask", [validate, tune])
def test_processes_share_the_fits(ask: Any, made: Any, start: Any, tmp_path: Path) -> None:
    """All of them are at their first fit before one goes on."""
    folder = tmp_path / ask.__name__
    made.forget()
    children = [start(ask.__name__, folder, FITS_MEET=3) for _ in range(3)]
    assert {child.answer().told for child in children} == {undisturbed(ask)}
    assert len(made.fits) == len(set(made.fits)), "every fit is made once"
    assert made.makers == {child.pid for child in children}, "everybody made some"


def test_others_take_over_from_one_that_is_killed(made: Any, start: Any, tmp_path: Path) -> None:
    one = start("validate", tmp_path / "runs", FITS_MEET=2, FITS_KILL=1)
    other = start("validate", tmp_path / "runs", FITS_MEET=2)
    assert one.was_killed()
    assert other.answer().told == undisturbed(validate)
    assert len(made.fits) == 11, "the one that was at work is made again"


def test_one_waits_for_what_another_is_at(made: Any, start: Any, tmp_path: Path) -> None:
    """The fits of a process that lives are not made again, however long it takes."""
    folder, go_on = tmp_path / "runs", tmp_path / "go on"
    slow = start("few", folder, FITS_WAIT=go_on)
    slow.until(lambda: len(made.fits) == 1)
    assert state(folder) == ("running", 0)
    begun = Folder(folder).shown()
    other = start("few", folder)
    other.until(lambda: state(folder) == ("running", 2))
    assert len(made.fits) == 3
    go_on.touch()
    assert slow.answer().told == other.answer().told == undisturbed(few)
    assert len(set(made.fits)) == len(made.fits) == 3
    assert state(folder) == ("finished", 3)
    assert Folder(folder).shown()["started"] == begun["started"]


def test_a_finished_run_stays_finished_when_a_later_process_is_killed(start: Any, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "runs")
    folder.ask(few)
    before = folder.shown()
    (folder.path / folder.records(few)[1]).unlink()
    assert start("few", folder.path, FITS_KILL=1).was_killed()
    after = folder.shown()
    assert (after["state"], after["done"]) == ("finished", 2)
    kept = ("run", "outcome", "started", "ended", "error")
    assert [after[name] for name in kept] == [before[name] for name in kept]


@pytest.mark.thorough
def test_who_waits_for_long_says_so_once(made: Any, start: Any, tmp_path: Path, snapshot: Any) -> None:
    """A process that is suspended lives, and is at its fits for ever; after 30 seconds one is told."""
    folder, go_on = tmp_path / "runs", tmp_path / "go on"
    slow = start("few", folder, FITS_WAIT=go_on)
    slow.until(lambda: len(made.fits) == 1)
    said: list[str] = []

    def tell(message: str) -> None:
        said.append(message)
        go_on.touch()

    assert told(few(tm.RunFolder(folder, tell=tell))) == slow.answer().told
    assert len(said) == 1
    snapshot("run_folder_waits", {"a suspended process": said[0].replace(str(tmp_path), "HERE")})


PARENT = """
import os, signal, sys
import counted
class Forks(counted.Counted):
    def fit(self, X, y):
        if not os.fork():
            open("orphan", "w").write(str(os.getpid()))
            signal.pause()
        counted.until(lambda: os.path.exists("orphan") and open("orphan").read())
        os.kill(os.getpid(), signal.SIGKILL)
counted.Counted.fit = Forks.fit
counted.few("runs")
"""


def test_a_child_of_one_that_died_does_not_hold_its_claims(begin: Any, start: Any, tmp_path: Path) -> None:
    """It has the files of its parent open, and locks with them."""
    (tmp_path / "parent.py").write_text(PARENT)
    assert begin("run", tmp_path, "parent.py").was_killed()
    assert start("few", tmp_path / "runs").answer().told == undisturbed(few)
    os.kill(int((tmp_path / "orphan").read_text()), 0)  # it still lives


# --- workers ---------------------------------------------------------------------------------------


def test_threads_fill_the_folder_and_find_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path / "runs")
    monkeypatch.setenv("FITS_JOBS", "2")
    with joblib.parallel_config(backend="threading"):
        answers = [folder.ask(validate)]
        for place in folder.records(validate)[::2]:
            (folder.path / place).unlink()
        answers.append(folder.ask(validate))
    monkeypatch.delenv("FITS_JOBS")
    answers.append(folder.ask(validate))  # the number of workers is not part of what a fit is known by
    assert [answer.counts for answer in answers] == [(0, 20, 0), (10, 10, 0), (20, 0, 0)]
    assert {answer.told for answer in answers} == {undisturbed(validate)}


def test_messages_of_threads_are_reported_once_and_by_the_caller(tmp_path: Path) -> None:
    """Joblib's threads describe the second model while fits of the first one run."""
    threads: list[int] = []
    folder = tm.RunFolder(tmp_path / "runs", tell=lambda _: threads.append(get_ident()))
    models = {"known": Counted(), "unknown": Holds(lambda: 1)}
    with joblib.parallel_config(backend="threading"):
        tm.validate(models, X, Y, cv="kfold:5x2", n_jobs=2, run_folder=folder)
    assert threads == [get_ident()]


def test_killed_with_workers(made: Any, start: Any, tmp_path: Path) -> None:
    """A worker kills the process that started it, in its second fit; it goes on to the end of that itself."""
    folder = tmp_path / "runs"
    assert start("validate", folder, FITS_JOBS=2, FITS_KILL=2, FITS_PARENT=1).was_killed()
    kept = len(list(folder.rglob("*.npz")))
    assert start("validate", folder).answer()[:2] == (undisturbed(validate), kept)
    assert 0 < kept < 20
    # Two workers, and as many fits again that lie ready for them.
    assert len(made.fits) <= 10 + 6


def test_an_error_of_the_plan_is_raised_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    options: dict[str, Any] = {"cv": [(range(1, 90), range(1))], "groups": np.arange(90) == 0}
    options |= {"permute": "all", "param_grid": {"var_smoothing": [1e-9, 1e-2]}, "run_folder": tmp_path}
    for n_jobs in (1, 2):
        with joblib.parallel_config(backend="threading"), pytest.raises(tm.OptionError):
            tm.permutation_test(Counted(), X, Y, n_permutations=3, n_jobs=n_jobs, **options)


def test_what_is_not_waited_for_any_more_is_free_for_others(tmp_path: Path) -> None:
    def ask(folder: Any, **options: Any) -> Any:
        noise = np.random.default_rng(1).permutation(Y)
        options |= {"n_permutations": 60, "early_stop": True, "run_folder": folder}
        return tm.permutation_test(Counted(), X, noise, **options)

    with joblib.parallel_config(backend="threading"):
        stopped = Folder(tmp_path / "runs").ask(lambda folder: ask(folder, n_jobs=2))
    # What threads were at when it stopped may end only now, so fits are counted by who asks for them.
    again = Folder(tmp_path / "runs").ask(ask)
    assert (again.told, again.found > 0, again.made) == (stopped.told, True, 0)
