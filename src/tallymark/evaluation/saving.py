"""Writing a result to a file: format by suffix, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tallymark.errors import FileError


def check_target(path: str | Path, suffixes: list[str], *, overwrite: bool) -> Path:
    """Refuse, before any work is done, a place that could not be written."""
    place = Path(path)
    if place.suffix.lower() not in suffixes:
        raise FileError(
            f"cannot write {str(place)!r}: the suffix sets the format and must be {' or '.join(suffixes)}."
        )
    if place.is_dir():
        raise FileError(f"{str(place)!r} is a directory; the name of a file is expected.")
    if not place.parent.is_dir():
        raise FileError(f"the folder {str(place.parent)!r} does not exist.")
    if place.exists() and not overwrite:
        raise FileError(f"{str(place)!r} exists already.", hint="use --force (overwrite=True) to replace it.")
    return place


def save(path: str | Path, writers: Mapping[str, Callable[[], str]], *, overwrite: bool) -> None:
    """Write through a temporary file beside the target, so that a reader never sees half of it."""
    place = check_target(path, sorted(writers), overwrite=overwrite)
    content = writers[place.suffix.lower()]()
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(content)
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
