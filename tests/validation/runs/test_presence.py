"""Who is at work in a folder: claims of the living are respected, those of the dead are free at once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tallymark.validation.runs import presence
from tallymark.validation.runs.presence import Presence, lives


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_claim_of_the_living_is_respected(tmp_path: Path) -> None:
    one, other = Presence(tmp_path), Presence(tmp_path)
    assert one.claim("a")
    assert not other.claim("a")
    assert not one.claim("a"), "it is at it already"
    assert other.claim("b")
    one.release("a")
    assert other.claim("a")
    one.leave()
    other.leave()
    assert names(tmp_path) == []


def test_what_is_not_ours_is_not_let_go(tmp_path: Path) -> None:
    one, other = Presence(tmp_path), Presence(tmp_path)
    one.claim("a")
    other.release("a")
    assert not other.claim("a")
    other.leave()
    assert f"{one.name}.lock" in names(tmp_path)
    one.leave()


def test_who_has_left_lives_no_more(tmp_path: Path) -> None:
    one = Presence(tmp_path)
    assert (tmp_path / f"{one.name}.lock").read_text() == f"{os.getpid()}\n"
    assert lives(tmp_path, one.name)
    one.leave()
    assert not lives(tmp_path, one.name)
    assert not lives(tmp_path, "nobody")
    assert not lives(tmp_path / "nowhere", one.name)


def in_a_child(work: Any) -> int:
    """Do it in another process, which then kills itself."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return child


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_claims_of_the_dead_are_free_and_cleared_away(tmp_path: Path) -> None:
    def work() -> None:
        found = Presence(tmp_path)
        assert found.claim("a")
        assert found.claim("b")

    in_a_child(work)
    assert len(names(tmp_path)) == 3
    here = Presence(tmp_path)
    assert names(tmp_path) == [f"{here.name}.lock"]
    in_a_child(work)
    assert len(names(tmp_path)) == 4
    assert here.claim("a"), "one that died while we are here"
    here.leave()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_does_not_keep_its_parent_alive(tmp_path: Path) -> None:
    """A child that outlives its parent has its files open; with them it would have the lock."""
    read, write = os.pipe()

    def parent() -> None:
        found = Presence(tmp_path)
        found.claim("a")
        child = os.fork()
        if not child:
            signal.pause()
        os.write(write, f"{child} {found.name}".encode())

    in_a_child(parent)
    child, name = os.read(read, 100).decode().split()
    try:
        assert not lives(tmp_path, name)
        here = Presence(tmp_path)
        assert here.claim("a")
        here.leave()
    finally:
        os.kill(int(child), signal.SIGKILL)
        os.close(read)
        os.close(write)


def test_a_fork_leaves_the_lock_to_its_parent(tmp_path: Path) -> None:
    here = Presence(tmp_path)
    presence._give_up_locks()
    assert not lives(tmp_path, here.name), "this process has closed it, as a fork would"
    here.leave()


def broken(*_: Any) -> None:
    raise OSError(38, "Function not implemented")


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can say who lives, so nobody waits for anybody."""
    monkeypatch.setattr(presence.fcntl, "flock", broken)
    one, other = Presence(tmp_path), Presence(tmp_path)
    assert one.claim("a")
    assert other.claim("a")
    assert lives(tmp_path, one.name) is None
    assert {"a.claim", f"{one.name}.lock"} < set(names(tmp_path)), "nothing of others is cleared away"
    other.leave()
    assert "a.claim" in names(tmp_path)
    one.leave()
    assert names(tmp_path) == []


def test_a_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "fcntl", None)
    one = Presence(tmp_path)
    assert one.claim("a")
    assert lives(tmp_path, one.name) is None
    other = Presence(tmp_path)
    assert other.claim("a")
    assert f"{one.name}.lock" in names(tmp_path)
    other.leave()
    one.leave()
    assert lives(tmp_path, one.name) is False
    assert names(tmp_path) == []


def test_who_cannot_write_has_a_reason_and_leaves_nothing(tmp_path: Path) -> None:
    one = Presence(tmp_path / "nowhere")
    assert isinstance(one.problem, FileNotFoundError)
    one.leave()
    assert names(tmp_path) == []


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence.os, "symlink", broken)
    one, other = Presence(tmp_path), Presence(tmp_path)
    assert one.claim("a")
    assert other.claim("a")
    one.release("a")
    one.leave()
    other.leave()
    assert names(tmp_path) == []


def test_a_claim_that_cannot_be_cleared_away_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Presence(tmp_path)
    (tmp_path / "a.claim").symlink_to("somebody dead")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", broken)
        assert one.claim("a")
    one.leave()
