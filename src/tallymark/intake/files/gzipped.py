"""Compressed text: what a .gz holds, in a temporary file, because the readers go back and forth in one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tallymark.errors import FileError, TallymarkError
from tallymark.intake.files.full_disk import copy_some, room_beside
from tallymark.intake.files.kinds import (
    GZIP_MARK,
    UNPACK,
    USUAL_SUFFIXES,
    head_of,
    kind_by_content,
    shown,
    size_of,
    unreadable,
)

SUFFIX = ".gz"
_CONVERSION = re.compile(r"iconv -f (\S+) -t utf-8 .*", re.DOTALL)
_RENAMING = re.compile(r"(rename it to .*)\.$", re.DOTALL)


def suffix_for(head: bytes) -> str:
    """The suffix for data without a name, by how it begins; what is not recognised is taken for CSV."""
    if not head.startswith(GZIP_MARK):
        return USUAL_SUFFIXES.get(kind_by_content(head), ".csv")
    import zlib

    try:
        inside = zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(head, len(head))
    except zlib.error:
        inside = b""
    return f"{USUAL_SUFFIXES.get(kind_by_content(inside), '.csv')}{SUFFIX}"


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The file itself, or what a .gz holds; errors raised meanwhile name what the user named."""
    if path.suffix.lower() != SUFFIX:
        yield path
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="tallymark-") as folder:
        inside = Path(folder) / path.stem
        _unpack(path, inside)
        with named_as(path, inside):
            yield inside


@contextmanager
def named_as(path: Path, inside: Path) -> Iterator[None]:
    """Errors raised meanwhile about the unpacked file name what the user named."""
    try:
        yield
    except TallymarkError as error:
        if inside != path:
            error.message = error.message.replace(shown(inside), shown(path))
            error.hint = None if error.hint is None else _hint(error.hint, inside, path)
        raise


def _unpack(path: Path, inside: Path) -> None:
    import gzip
    import zlib

    head = head_of(path, size_of(path))
    if not head.startswith(GZIP_MARK):
        raise FileError(
            f"{shown(path)} is not compressed with gzip, though its name says so.",
            hint=f"if it is a text file, rename it to {shown(path.with_suffix(''))}.",
        )
    try:
        with (
            room_beside(inside.parent, f"what {shown(path)} unpacks to"),
            gzip.open(path) as source,
            inside.open("wb") as target,
        ):
            hint = "if it is no gzip bomb, unpack it yourself, or name a folder on a larger disk in TMPDIR."
            copy_some(source.read, target, inside.parent, f"what {shown(path)} unpacks to", hint)
    except EOFError:
        raise FileError(f"{shown(path)} is cut short.", hint="copy or write it again.") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, error) from None
    except OSError as error:
        raise unreadable(path, error) from None
    _check_inside(path, inside)


def unpacked_size(path: Path, most: int) -> int:
    """How many bytes a .gz unpacks to; no more is unpacked when there are more than `most`."""
    import gzip
    import zlib

    size = 0
    with suppress(OSError, EOFError, zlib.error), gzip.open(path) as source:  # whoever reads it tells
        while size <= most and (piece := source.read(1 << 20)):
            size += len(piece)
    return size


def _damaged(path: Path, error: Exception) -> FileError:
    # what begins no further gzip stream stands behind the end of the last one
    if str(error).startswith("Not a gzipped file"):
        return FileError(
            f"{shown(path)} has bytes that are not gzip after its compressed text.",
            hint="unpack it and look at its end: something may have been appended.",
        )
    return FileError(f"{shown(path)} is damaged: its checksum or its data are wrong.", hint="copy it again.")


def _check_inside(path: Path, inside: Path) -> None:
    size = inside.stat().st_size
    if size == 0:
        raise FileError(f"{shown(path)} holds nothing: it unpacks to 0 bytes.")
    head = head_of(inside, size)
    kind = "gzip" if head.startswith(GZIP_MARK) else kind_by_content(head)
    if kind in ("gzip", "Parquet", "Arrow", "NumPy"):
        raise FileError(
            f"{shown(path)} holds {kind} data inside the gzip; only text is read so.", hint=UNPACK
        )


def _hint(hint: str, inside: Path, path: Path) -> str:
    """What to do, said to someone who has only the compressed file."""
    if str(inside.parent) not in hint:
        return hint
    target = path.with_name(f"{inside.stem}-utf8{inside.suffix}{path.suffix}")
    source, copy = shlex.quote(shown(path)), shlex.quote(shown(target))
    hint = _CONVERSION.sub(
        lambda found: f"gunzip -c {source} | iconv -f {found[1]} -t utf-8 | gzip > {copy}", hint
    )
    folder = "" if path.parent == Path() else f"{path.parent}/"
    return _RENAMING.sub(r"\1.gz.", hint.replace(f"{inside.parent}/", folder))
