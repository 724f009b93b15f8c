"""Who is at work in a run folder, and at what: so that several processes share the fits."""

from __future__ import annotations

import contextlib
import os
from importlib import import_module
from pathlib import Path
from typing import IO, Any
from uuid import uuid4
from weakref import WeakSet

fcntl: Any = None
with contextlib.suppress(ImportError):  # Windows has none: processes there do the same fits, to the same end
    fcntl = import_module("fcntl")

_LOCK, _CLAIM = ".lock", ".claim"
_locks: WeakSet[IO[bytes]] = WeakSet()
"""All that this process holds."""


def _give_up_locks() -> None:
    """A fork would hold them as well, and so keep the claims of a process that died."""
    for each in list(_locks):
        each.close()


if fcntl is not None:
    os.register_at_fork(after_in_child=_give_up_locks)


class Presence:
    """One process in a run folder. It holds a lock as long as it lives; the system frees it, however it dies.

    Claims only save work. Two processes that make the same fit write the same record. Where a file system has
    no locks, nobody can say who lives: then claims are free, and nothing of others is cleared away.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = uuid4().hex[:12]
        self.problem: OSError | None = None
        """Why nothing can be written in the folder; one can still read there."""
        self._claims: set[str] = set()
        self._lock: IO[bytes] | None = None
        try:
            self._lock = self._locked()
        except OSError as problem:
            self.problem = problem
            return
        _locks.add(self._lock)
        self._clear_away_the_dead()

    def claim(self, key: str) -> bool:
        """Whether this process may make a fit: nobody living is at it."""
        place = self._folder / f"{key}{_CLAIM}"
        for _ in range(2):
            try:
                # A link that leads nowhere: it is there with its owner's name, or not at all.
                os.symlink(self.name, place)
            except FileExistsError:
                living = self._owner_lives(place)
                if living is not False:
                    return living is None  # where nobody can say who lives, nobody waits for anybody
                with contextlib.suppress(OSError):
                    place.unlink()
            except (OSError, NotImplementedError):  # without links, or on a full disk, nobody can say
                break
            else:
                self._claims.add(key)
                break
        return True

    def release(self, key: str) -> None:
        """The fit is done, or given up."""
        if key in self._claims:
            self._claims.remove(key)
            with contextlib.suppress(OSError):
                (self._folder / f"{key}{_CLAIM}").unlink()

    def leave(self) -> None:
        """Nothing of this process stays behind."""
        for key in list(self._claims):
            self.release(key)
        if self._lock is not None:
            with contextlib.suppress(OSError):
                (self._folder / f"{self.name}{_LOCK}").unlink()
            self._lock.close()

    def _locked(self) -> IO[bytes]:
        place = self._folder / f"{self.name}{_LOCK}"
        while True:
            file = open(place, "ab")  # noqa: SIM115 - open as long as the process is at work
            _lock(file)
            # Somebody who cleared away the dead may have taken it for dead before it was locked.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), place.stat()):
                    with contextlib.suppress(OSError):  # for people who look for it
                        os.write(file.fileno(), f"{os.getpid()}\n".encode())
                    return file
            file.close()

    def _owner_lives(self, claim: Path) -> bool | None:
        try:
            owner = os.readlink(claim)
        except OSError:
            return False
        return True if owner == self.name else lives(self._folder, owner)

    def _clear_away_the_dead(self) -> None:
        for place in self._folder.glob(f"*{_LOCK}"):
            if place.stem != self.name and lives(self._folder, place.stem) is False:
                with contextlib.suppress(OSError):
                    place.unlink()
        for claim in self._folder.glob(f"*{_CLAIM}"):
            if self._owner_lives(claim) is False:
                with contextlib.suppress(OSError):
                    claim.unlink()


def lives(folder: Path, name: str) -> bool | None:
    """Whether the process of that name is still at work; None where there are no locks that could tell."""
    try:
        with open(folder / f"{name}{_LOCK}", "rb") as file:
            if fcntl is None:
                return None
            try:
                # Shared: several may look at once, and a network's file system wants no more than reading.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                return True
            return False
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return None


def _lock(file: IO[bytes]) -> None:
    """Wait for it: who looks whether its owner lives holds it for a moment."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
