"""Files that are written: their mode and name, two writers at once, and inputs, which are never replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Barrier, Thread

import pytest

import tallymark as tm
from tallymark.cli import main

ROWS = "y,p\n1,1\n1,0\n0,0\n0,0\n0,1\n1,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(ROWS)
    return tmp_path


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


# --- how a file is written -----------------------------------------------------------------------


def test_the_umask_is_left_alone_and_obeyed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "plain").touch()
    expected = mode("plain")
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("other threads would write with another umask"))
    tm.evaluate("a.csv", actual="y", predicted="p").save("out.json")
    assert mode("out.json") == expected


@pytest.mark.parametrize("force", [False, True])
def test_the_longest_name_can_be_written(folder: Path, force: bool) -> None:
    name = "a" * 250 + ".json"
    ev = tm.evaluate("a.csv", actual="y", predicted="p")
    ev.save(name, overwrite=force)
    assert sorted(os.listdir(folder)) == ["a.csv", name]


def test_a_name_that_is_too_long_is_an_error_of_ours(folder: Path) -> None:
    ev = tm.evaluate("a.csv", actual="y", predicted="p")
    with pytest.raises(tm.FileError, match="File name too long"):
        ev.save("a" * 251 + ".json")
    assert os.listdir(folder) == ["a.csv"]


def test_force_keeps_the_mode_of_the_file_that_is_replaced(folder: Path) -> None:
    (folder / "out.json").touch()
    os.chmod("out.json", 0o640)
    assert main(["evaluate", "a.csv", "--actual", "y", "--predicted", "p", "-o", "out.json", "--force"]) == 0
    assert mode("out.json") == 0o640
    assert (folder / "out.json").stat().st_size > 0


def no_hard_links(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False])
def test_of_two_writers_exactly_one_succeeds(
    folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_hard_links)
    both = Barrier(2)
    written = tm.Evaluation.to_json

    def after_both_have_looked(ev: tm.Evaluation) -> str:
        both.wait()
        return written(ev)

    monkeypatch.setattr(tm.Evaluation, "to_json", after_both_have_looked)
    outcomes: list[str] = []

    def write() -> None:
        try:
            tm.evaluate("a.csv", actual="y", predicted="p").save("out.json")
            outcomes.append("written")
        except tm.FileError as problem:
            outcomes.append(problem.message)

    threads = [Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["'out.json' exists already.", "written"]
    assert sorted(os.listdir(folder)) == ["a.csv", "out.json"]
