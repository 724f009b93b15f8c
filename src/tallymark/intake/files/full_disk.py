"""A disk that is full when something is to lie on it for a while."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tallymark.errors import FileError

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
