"""Several processes, and several workers of one, in the same run folder."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from counted_models import Counted, told
from nursery import QUESTIONS, rows
from sklearn.pipeline import FunctionTransformer, make_pipeline

import tallymark as tm
from tallymark.errors import WorkerError
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.fitting import Task, run
from tallymark.validation.fits.sending import KEPT
from tallymark.validation.runs import shared_work
from tallymark.validation.runs.folder import RunFolder, RunFolderWarning
from tallymark.validation.runs.presence import Presence
from tallymark.validation.runs.recording import Recording, recording


def until(happened: Any) -> None:
    """Wait for something that must happen."""
    for _ in range(3000):
        if happened():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


@pytest.mark.parametrize("question", ["validate", "tune"])
@pytest.mark.parametrize("many", [2, 3])
def test_processes_share_the_fits(question: str, many: int, made: Any, start: Any, tmp_path: Path) -> None:
    alone = QUESTIONS[question](None).replace("Counted()", "Counted(pause=0.01)")
    needed = made.fits
    made.forget()
    children = [start(question, folder=tmp_path / "runs", pause=0.01) for _ in range(many)]
    assert {child.answer() for child in children} == {alone}
    assert sorted(made.fits) == sorted(needed), "every fit is made once"
    assert made.makers == {child.pid for child in children}, "everybody made some"
    assert not list((tmp_path / "runs" / "at_work").iterdir())


def test_others_take_over_from_one_that_is_killed(made: Any, start: Any, tmp_path: Path) -> None:
    alone = QUESTIONS["validate"](None, folds=2).replace("Counted()", "Counted(pause=0.05)")
    needed = len(made.fits)
    made.forget()
    folder = tmp_path / "runs"
    one, other = (start("validate", folder=folder, pause=0.05, folds=2) for _ in range(2))
    until(lambda: len(made.fits) > 4)
    one.kill()
    assert other.answer() == alone
    assert one.wait() == -9
    assert needed <= len(made.fits) <= needed + 1
    assert not list((folder / "at_work").glob("*.claim"))


def test_one_waits_for_what_another_is_at(made: Any, start: Any, tmp_path: Path) -> None:
    """All fits are claimed by somebody living: nothing is made until they are let go."""
    folder = tmp_path / "runs"
    QUESTIONS["few"](str(folder))
    keys = [each.stem for each in (folder / "fits").iterdir()]
    for each in (folder / "fits").iterdir():
        each.unlink()
    made.forget()
    somebody = Presence(folder / "at_work")
    for key in keys:
        assert somebody.claim(key)
    child = start("few", folder=folder)
    until(lambda: len(list((folder / "at_work").glob("*.lock"))) == 2)
    time.sleep(0.5)
    assert made.fits == []
    somebody.release(keys[0])
    until(lambda: len(made.fits) == 1)
    somebody.leave()
    assert child.answer() == QUESTIONS["few"](None)
    assert len(set(made.fits)) == 3


def test_who_waits_long_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was suspended lives, and is at its fits for ever."""
    folder, said = tmp_path / "runs", []
    QUESTIONS["few"](str(folder))
    somebody = Presence(folder / "at_work")
    for each in (folder / "fits").iterdir():
        assert somebody.claim(each.stem)
        each.unlink()
    monkeypatch.setattr(shared_work, "_PATIENCE", 0.2)
    pauses = 0

    def wait(_: float) -> None:
        nonlocal pauses
        pauses += 1
        time.sleep(0.05)
        if pauses == 12:
            somebody.leave()

    monkeypatch.setattr(shared_work, "sleep", wait)
    few = {"cv": 3, "baseline": False, "run_folder": RunFolder(folder, tell=said.append)}
    assert told(tm.validate(Counted(), *rows(), **few)) == QUESTIONS["few"](None)
    at_work = str(folder / "at_work")
    assert said == [
        "waits for 3 fits that another process is at. If that was suspended, wake or kill it: its number is "
        f"in {at_work!r}."
    ]


# --- the record of a run that several ask for ---------------------------------------------------------------


def asks(_: Any) -> dict[str, Any]:
    """A question about no data."""
    lists: dict[str, Any] = {name: [] for name in ("data", "models", "tested", "test_rows", "tested_bits")}
    return {"question": "validate", "method": "", "metric": "accuracy", "seed": 0, **lists}


def only_run(folder: RunFolder) -> dict[str, Any]:
    (found,) = folder.runs()
    return found


def test_a_second_process_does_not_undo_what_the_first_has_finished(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs")
    second = recording(folder, asks)
    with recording(folder, asks) as first:
        begun = second.__enter__()
        assert len(only_run(folder)["at_work"]) == 2
        first.finish({"data": 0.75}, None)
    done = only_run(folder)
    assert (done["outcome"], folder.state(done)) == ({"data": 0.75}, "running")
    begun.write_run()
    again = only_run(folder)
    assert [again[name] for name in ("outcome", "ended", "error")] == [{"data": 0.75}, done["ended"], None]
    assert again["at_work"] == [begun.presence.name]
    second.__exit__(WorkerError, WorkerError("a worker died."), None)
    assert folder.state(only_run(folder)) == "finished"
    with recording(folder, asks) as third:
        third.finish({"data": 0.5}, None)
    assert only_run(folder)["outcome"] == {"data": 0.5}, "newer ones count"


def test_an_error_that_was_stays_until_somebody_finishes(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs")
    with pytest.raises(WorkerError) as raised, recording(folder, asks):
        raise WorkerError("a worker died.", hint=f"take fewer; {KEPT}")
    assert raised.value.hint == (
        "take fewer; what is finished is in the run folder: the same command, or call, goes on from there."
    )
    assert folder.state(only_run(folder)) == "stopped"
    with recording(folder, asks) as record:
        record.finish({}, None)
    assert folder.state(only_run(folder)) == "finished"


def test_nobody_stays_at_work_when_a_run_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(Recording, "write_run", broken)
    with pytest.raises(RuntimeError, match="no"), recording(RunFolder(tmp_path / "runs"), asks):
        pass
    assert not list((tmp_path / "runs" / "at_work").iterdir())


def test_a_model_under_two_names_is_fitted_once(made: Any, tmp_path: Path) -> None:
    X, y = rows()
    twice = {"one": Counted(), "other": Counted()}
    result = tm.validate(twice, X, y, cv=3, run_folder=tmp_path / "runs")
    assert len(made.fits) == 3
    assert told(result) == told(tm.validate(twice, X, y, cv=3))


# --- workers ---------------------------------------------------------------------------------------


@pytest.fixture
def fresh_workers() -> Any:
    """Workers see the surroundings they were started in; those of other tests have others."""
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    yield
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.usefixtures("fresh_workers")
def test_workers_fill_the_folder_and_find_what_is_there(backend: str, made: Any, tmp_path: Path) -> None:
    X, y = rows()
    folder = tmp_path / "runs"
    with joblib.parallel_config(backend=backend):
        first = told(tm.validate(Counted(), X, y, cv="kfold:5x2", n_jobs=2, run_folder=folder))
        assert len(made.fits) == 10
        for place in sorted((folder / "fits").iterdir())[::3]:
            place.unlink()
        again = told(tm.validate(Counted(), X, y, cv="kfold:5x2", n_jobs=2, run_folder=folder))
    assert len(made.fits) == 14
    alone = told(tm.validate(Counted(), X, y, cv="kfold:5x2", run_folder=folder))
    assert len(made.fits) == 14, "the number of workers is not part of what a fit is known by"
    assert first == again == alone == told(tm.validate(Counted(), X, y, cv="kfold:5x2"))


def test_killed_with_workers(made: Any, start: Any, tmp_path: Path) -> None:
    alone = QUESTIONS["validate"](None, folds=2).replace("Counted()", "Counted(pause=0.05)")
    needed = len(made.fits)
    made.forget()
    child = start("validate", folder=tmp_path / "runs", pause=0.05, folds=2, n_jobs=2)
    try:
        until(lambda: len(made.fits) >= 3)
        child.kill()
        assert child.wait() == -9
        again = start("validate", folder=tmp_path / "runs", pause=0.05, folds=2, n_jobs=2)
        assert again.answer() == alone
        # Two workers, and as many fits again that lie ready for them; the orphans finish what they have.
        assert len(made.fits) <= needed + 6
        assert len(made.makers) == 4
    finally:
        for orphan in made.makers:
            os.kill(orphan, signal.SIGKILL)


def test_what_threads_have_to_say_is_said_in_the_end(tmp_path: Path) -> None:
    """The second model is described while fits of the first catch warnings."""
    nameless = make_pipeline(FunctionTransformer(lambda table: table), Counted())
    models = {"known": Counted(pause=0.01), "nameless": nameless}
    with (
        joblib.parallel_config(backend="threading"),
        pytest.warns(RunFolderWarning, match="a lambda") as said,
    ):
        tm.validate(models, *rows(), cv="kfold:10x2", n_jobs=2, run_folder=tmp_path / "runs")
    assert len(said) == 1


def test_an_error_among_the_tasks_is_raised_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    data = data_set(*rows())

    def tasks() -> Iterator[Task]:
        for number in range(20):
            if number == 10:
                raise KeyError("no such task")
            yield Task(Counted(pause=0.01), data, np.arange(60), np.arange(60, 90), (0, number))

    with recording(RunFolder(tmp_path / "runs"), lambda _: {"data": [], "models": []}) as record:
        found = run(tasks(), n_jobs=2, what="", total=20, record=record)
        with joblib.parallel_config(backend="threading"), pytest.raises(KeyError, match="no such task"):
            list(found)
    assert len(list((tmp_path / "runs" / "fits").iterdir())) == 10


def test_what_is_not_waited_for_any_more_is_free_for_others(tmp_path: Path) -> None:
    X, y = rows()
    folder = tmp_path / "runs"
    options = {"n_permutations": 60, "early_stop": True, "run_folder": folder}
    noise = np.random.default_rng(1).permutation(y)
    with joblib.parallel_config(backend="threading"):
        stopped = tm.permutation_test(Counted(), X, noise, n_jobs=2, **options)
    assert not list((folder / "at_work").iterdir())
    # What threads were at when it stopped may end only now, so fits are counted by who asks for them.
    again = RunFolder(folder)
    assert told(tm.permutation_test(Counted(), X, noise, **options | {"run_folder": again})) == told(stopped)
    assert (again.used.found > 0, again.used.made) == (True, 0)


def test_a_folder_that_another_process_makes_now_is_a_run_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, listed = tmp_path / "runs", Path.iterdir
    folder.mkdir()

    def made_meanwhile(path: Path) -> Any:
        monkeypatch.setattr(Path, "iterdir", listed)
        assert RunFolder(folder).open() is None
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", made_meanwhile)
    assert RunFolder(folder).open() is None
