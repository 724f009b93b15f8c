"""Which files were read as inputs, so that no output replaces one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike

File = tuple[int, int]
"""Device and inode, which are the same for every spelling, symbolic link and hard link."""

_read: dict[File, tuple[int, str]] = {}
"""The files that this process has read: when each was last changed, and its path."""
_written: dict[File, int] = {}
"""The files that this process has written, and when."""


def identities(paths: Iterable[str | PathLike[str] | int]) -> set[File]:
    """The files at these paths or file descriptors; what does not exist is left out."""
    found = (_state(path) for path in paths)
    return {_identity(state) for state in found if state is not None}


def note_inputs(paths: Iterable[str | PathLike[str]]) -> None:
    """Remember files that are read; whoever reads input calls this."""
    for path in paths:
        state = _state(path)
        if state is not None:
            _read[_identity(state)] = state.st_ctime_ns, os.path.realpath(path)


def note_output(path: str | PathLike[str]) -> None:
    """Remember a file that has been written."""
    state = _state(path)
    if state is not None:
        _written[_identity(state)] = state.st_ctime_ns


def was_read(path: str | PathLike[str], *, except_own: bool = False) -> bool:
    """Whether the file at this path is one that was read; `except_own`, of those written by others."""
    state = _state(path)
    if state is None or _identity(state) not in _read:
        return False
    if except_own and _written.get(_identity(state)) == state.st_ctime_ns:
        return False
    changed, place = _read[_identity(state)]
    # The inode of a file that was removed may by now be that of another, which is newer and has another path.
    return state.st_ctime_ns == changed or os.path.realpath(path) == place


def forget_inputs() -> None:
    """Begin anew, as each command does."""
    _read.clear()
    _written.clear()


def _state(path: str | PathLike[str] | int) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _identity(state: os.stat_result) -> File:
    return state.st_dev, state.st_ino
