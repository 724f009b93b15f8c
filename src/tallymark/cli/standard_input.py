"""Standard input as a file, because the readers want to go back and forth in one."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tallymark.errors import FileError, TallymarkError

NAME = "standard input"
_CONVERSION = re.compile(r"(?:(gunzip) -c .* \| )?(iconv -f \S+ -t \S+) .*", re.DOTALL)
_HEAD = 1 << 20


@contextmanager
def saved_input(suffix_of: Callable[[bytes], str]) -> Iterator[Path]:
    """Standard input in a temporary file; `suffix_of` tells its suffix from how it begins.

    Errors raised meanwhile say "standard input" instead of the name of that file.
    """
    import tempfile

    from tallymark.intake.files.full_disk import copy_some, room_beside

    with tempfile.TemporaryDirectory(prefix="tallymark-") as folder:
        head = _standard_input().read(_HEAD)
        path = Path(folder) / f"{NAME}{suffix_of(head)}"
        with room_beside(path.parent, NAME), path.open("wb") as file:
            file.write(head)
            hint = "save it to a file and name that, or name a folder on a larger disk in TMPDIR."
            copy_some(_standard_input().read, file, path.parent, NAME, hint)
        try:
            yield path
        except TallymarkError as error:
            error.message, error.file = renamed(error.message, path), renamed(error.file, path)
            error.hint = None if error.hint is None else _hint(error.hint, path)
            raise


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise FileError(
            f"{NAME} is closed, so there is nothing to read.", hint="pipe the data in: ... < FILE."
        )
    return sys.stdin.buffer


def renamed(text: str, path: Path) -> str:
    """The text with the temporary file called what it stands for."""
    return text.replace(f"{path.parent}/", "").replace(path.name, NAME)


def _hint(hint: str, path: Path) -> str:
    """What to do, said to someone who pipes the data in and so has no file to convert."""
    if str(path) in hint:
        hint = _CONVERSION.sub(
            lambda found: " | ".join(["...", *filter(None, found.groups()), "tallymark ..."]), hint
        )
    return renamed(hint, path)
