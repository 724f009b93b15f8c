"""A disk that is full when something is to lie on it for a while."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tallymark.errors import FileError
from tallymark.intake.streams.memory import in_words

_PART = 2
"""A half of what is free on the disk may be filled."""
_PIECE = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def room_beside(folder: Path, what: str) -> Iterator[None]:
    """Where there is no room for `what`, the error names the place of temporary files and the way out."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in _FULL:
            raise
        raise FileError(
            f"{what} does not fit into {folder.parent}, where it lies while it is read: {problem.strerror}.",
            hint="name a folder on a larger disk in TMPDIR, such as TMPDIR=/var/tmp, or make room there.",
        ) from problem


def copy_some(read: Callable[[int], bytes], target: IO[bytes], folder: Path, what: str, hint: str) -> None:
    """Copy what may have no end into a folder, as long as that leaves room on its disk."""
    most = shutil.disk_usage(folder).free // _PART
    while piece := read(_PIECE):
        most -= len(piece)
        if most < 0:
            raise FileError(
                f"{what} takes more than half of the free space in {folder.parent}, and no more may be "
                f"filled: {in_words(target.tell())} were written.",
                hint=hint,
            )
        target.write(piece)
