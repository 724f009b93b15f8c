"""Writing a result to a file: format by suffix, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from tallymark.errors import FileError, OptionError

Writers = Mapping[str, Callable[[], str | bytes]]
"""What writes each format: text, or the bytes of a picture."""
PAGE = ".html"
PICTURES = (".png", ".svg", ".pdf")


def check_target(path: str | Path, suffixes: Sequence[str], *, overwrite: bool) -> Path:
    """Refuse, before any work is done, a place that could not be written."""
    if not isinstance(path, str | PathLike):
        raise OptionError(f"the path of a file is expected; got {path!r}.")
    place = Path(path)
    if place.suffix.lower() not in suffixes:
        *others, last = sorted(suffixes)
        formats = f"{', '.join(others)} or {last}" if others else last
        raise FileError(f"cannot write {str(place)!r}: the suffix sets the format and must be {formats}.")
    if place.is_dir():
        raise FileError(f"{str(place)!r} is a directory; the name of a file is expected.")
    if not place.parent.is_dir():
        raise FileError(f"the folder {str(place.parent)!r} does not exist.")
    if place.exists() and not overwrite:
        raise FileError(f"{str(place)!r} exists already.", hint="use --force (overwrite=True) to replace it.")
    return place


def save(path: str | Path, writers: Writers, *, overwrite: bool, title: str = "") -> None:
    """Write through a temporary file beside the target, so that a reader never sees half of it.

    A `title` is taken for granted to be in the page that `writers` make; other formats have none.
    """
    place = check_target(path, list(writers), overwrite=overwrite)
    if title and place.suffix.lower() != PAGE:
        raise OptionError(f"title= is that of a page (.html); {place.suffix} has none.")
    content = writers[place.suffix.lower()]()
    # Half a surrogate pair cannot be written; escaped, JSON reads it back.
    whole = content if isinstance(content, bytes) else f"{content}\n".encode(errors="backslashreplace")
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(whole)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as problem:
        raise FileError(f"cannot write {str(place)!r}: {problem.strerror}.") from problem


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
