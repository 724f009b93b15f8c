"""A disk that is full of temporary files: which folder it is, and what to do."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tallymark.errors import FileError
from tallymark.intake.files.full_disk import room_beside


def test_the_folder_and_the_way_out() -> None:
    with pytest.raises(FileError) as caught, room_beside(Path("/tmp/tallymark-x"), "standard input"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.message == (
        "standard input does not fit into /tmp, where it lies while it is read: No space left on device."
    )
    assert "TMPDIR" in str(caught.value.hint)


def test_other_failures_stay_what_they_are() -> None:
    with pytest.raises(IsADirectoryError), room_beside(Path("/tmp/tallymark-x"), "standard input"):
        raise IsADirectoryError(errno.EISDIR, "Is a directory")
