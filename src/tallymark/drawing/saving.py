"""Writing a result to a file: format by suffix, whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path

from tallymark.errors import FileError, OptionError
from tallymark.input_files import note_output, was_read

Writers = Mapping[str, Callable[[], str | bytes]]
"""What writes each format: text, or the bytes of a picture."""
PAGE = ".html"
PICTURES = (".png", ".svg", ".pdf")


def check_target(
    path: str | Path, suffixes: Sequence[str], *, overwrite: bool, read_again: bool = False
) -> Path:
    """Refuse, before any work is done, a place that could not be written.

    A file that is made to be `read_again`, as predictions and tallies are, may replace one that this process
    has written.
    """
    if not isinstance(path, str | PathLike):
        raise OptionError(f"the path of a file is expected; got {path!r}.")
    place = Path(path)
    if place.suffix.lower() not in suffixes:
        *others, last = sorted(suffixes)
        formats = f"{', '.join(others)} or {last}" if others else last
        raise FileError(f"cannot write {str(place)!r}: the suffix sets the format and must be {formats}.")
    try:
        if place.is_dir():
            raise FileError(f"{str(place)!r} is a directory; the name of a file is expected.")
        if not place.parent.is_dir():
            raise FileError(f"the folder {str(place.parent)!r} does not exist.")
    except OSError as problem:
        raise _unwritable(place, problem) from problem
    if was_read(place, except_own=read_again):
        raise FileError(
            f"cannot write {str(place)!r}: it has been read as input, which is never replaced.",
            hint="name another file.",
        )
    if os.path.lexists(place) and not overwrite:
        raise _exists(place)
    return place


def save(
    path: str | Path, writers: Writers, *, overwrite: bool, title: str = "", read_again: bool = False
) -> None:
    """Write through a temporary file beside the target, so that a reader never sees half of it.

    A `title` is taken for granted to be in the page that `writers` make; other formats have none.
    """
    place = check_target(path, list(writers), overwrite=overwrite, read_again=read_again)
    if title and place.suffix.lower() != PAGE:
        raise OptionError(f"title= is that of a page (.html); {place.suffix} has none.")
    content = writers[place.suffix.lower()]()
    # Half a surrogate pair cannot be written; escaped, JSON reads it back.
    whole = content if isinstance(content, bytes) else f"{content}\n".encode(errors="backslashreplace")
    try:
        handle, name = _temporary(place.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(whole)
            if overwrite:
                with suppress(FileNotFoundError):
                    os.chmod(name, stat.S_IMODE(os.stat(place).st_mode))
                os.replace(name, place)
            else:
                _publish(name, place)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)
        note_output(place)
    except FileExistsError:
        raise _exists(place) from None
    except OSError as problem:
        raise _unwritable(place, problem) from problem


def _temporary(folder: Path) -> tuple[int, str]:
    """A new file with the mode of new files; its name does not depend on the target's."""
    while True:
        name = os.path.join(folder, f".tallymark-{secrets.token_hex(8)}")
        with suppress(FileExistsError):
            return os.open(
                name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
            ), name


def _publish(name: str, place: Path) -> None:
    """Give a finished file its name, which nothing else may have; of two processes only one can."""
    try:
        os.link(name, place)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        # A file system without hard links: the name is taken first, then the file moved over it.
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        try:
            os.replace(name, place)
        except BaseException:
            os.unlink(place)
            raise


def _exists(place: Path) -> FileError:
    return FileError(f"{str(place)!r} exists already.", hint="use --force (overwrite=True) to replace it.")


def _unwritable(place: Path, problem: OSError) -> FileError:
    return FileError(f"cannot write {str(place)!r}: {problem.strerror}.")
