"""Zip archives of arrays and JSON: what they unpack to is checked before anything is unpacked."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import FileError
from tallymark.intake.files.kinds import cut, shown
from tallymark.intake.streams.memory import in_words

ALWAYS = 256 << 20
"""Bytes of memory that an archive may need at any compression ratio."""
_MOST_TIMES = 200
"""How many times its own size a larger archive may unpack to. Deflate reaches 1,032 times, our tallies 25,
labels in random order 27; labels that are sorted, or repeat themselves, reach more."""
_MOST_MEMBERS = 10_000
_JSON_TIMES = 30
"""How many times its size JSON takes in memory at most: `{"":0},` takes 27 times."""
_HEAD = 1 << 16
"""Bytes in which the header of an array ends."""
_ARRAY = ".npy"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Version 3.0 differs from 2.0 in the encoding of the names of fields only, and no array here has fields.
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}


class NotAnArray(zipfile.BadZipFile):
    """A member that does not begin as an array does."""


class Header(NamedTuple):
    """What an array in an archive will be."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    bytes: int


@contextmanager
def zip_archive(path: Path) -> Iterator[Archive]:
    """An archive that is no bomb: a `FileError` names what is refused, `BadZipFile` what is damaged."""
    with _damage():
        file = zipfile.ZipFile(path)
    with file:
        _check(path, file.infolist())
        yield Archive(file)


def _check(path: Path, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > _MOST_MEMBERS:
        raise FileError(f"{shown(path)} has {len(members):,} members; at most {_MOST_MEMBERS:,} are read.")
    for each in members:
        if each.flag_bits & 1:
            raise FileError(f"{cut(each.filename)} in {shown(path)} is encrypted.", hint="decrypt it first.")
        if each.compress_type not in _METHODS:
            raise FileError(
                f"{cut(each.filename)} in {shown(path)} is compressed by method {each.compress_type} of zip "
                "archives; only 0 (stored) and 8 (deflate) are read.",
                hint="unpack the archive, and pack it again with deflate.",
            )
    size = path.stat().st_size
    if sum(each.compress_size for each in members) > size:
        raise zipfile.BadZipFile("its members overlap")
    unpacked = sum(each.file_size for each in members)
    if _memory_for(members) > ALWAYS and unpacked > _MOST_TIMES * size:
        raise FileError(
            f"{shown(path)} unpacks to {in_words(unpacked)}, {unpacked // size:,} times its size, as only "
            "archives do that are made to fill the memory.",
            hint="if you trust it, pack it again without compression (numpy.savez): what needs more than "
            f"{ALWAYS >> 20} MiB may unpack to {_MOST_TIMES} times its size.",
        )


def _memory_for(members: list[zipfile.ZipInfo]) -> int:
    return sum(each.file_size * (1 if each.filename.endswith(_ARRAY) else _JSON_TIMES) for each in members)


class Archive:
    """The members of an archive. Each is read up to the size in the directory, whatever it unpacks to."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self.names = file.namelist()
        self.memory = _memory_for(file.infolist())
        """Bytes that all members take when they are read: JSON takes more than its text."""

    def read(self, name: str) -> bytes:
        """The whole of a member."""
        return self._first(name, self._member(name).file_size)

    def header(self, name: str) -> Header:
        """What the array of this name will be, which has the size that its member has."""
        member = self._member(f"{name}{_ARRAY}")
        head = io.BytesIO(self._first(member.filename, min(member.file_size, _HEAD)))
        with _damage():
            if not head.getvalue().startswith(np.lib.format.MAGIC_PREFIX):
                raise NotAnArray(f"{member.filename} is no array")
            try:
                shape, _, dtype = _HEADERS[np.lib.format.read_magic(head)](head)
            except MemoryError:  # of Python's parser, about brackets in brackets
                raise ValueError("the header is nested too deeply") from None
        expected = math.prod(shape) * dtype.itemsize
        sound = min(shape, default=0) >= 0 and (dtype.itemsize > 0 or math.prod(shape) == 0)
        if not dtype.hasobject and not (sound and expected == member.file_size - head.tell()):
            raise zipfile.BadZipFile(f"{member.filename} has another size than its header says")
        return Header(shape, dtype, expected)

    def array(self, name: str) -> NDArray[Any]:
        """An array, never unpickled."""
        self.header(name)
        with _damage(), self._file.open(f"{name}{_ARRAY}") as stream:
            found: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return found

    def _first(self, name: str, length: int) -> bytes:
        # zipfile unpacks up to 1 GiB beyond the size in the directory, unless a length is given.
        with _damage(), self._file.open(name) as stream:
            content = stream.read(length)
        if len(content) < length:
            raise zipfile.BadZipFile(f"{name} is shorter than the directory says")
        return content

    def _member(self, name: str) -> zipfile.ZipInfo:
        if self.names.count(name) != 1:
            raise zipfile.BadZipFile(f"{name} is there {self.names.count(name)} times")
        return self._file.getinfo(name)


@contextmanager
def _damage() -> Iterator[None]:
    """Whatever zipfile and numpy raise about bytes that are not what they should be, as one error."""
    try:
        yield
    except (OSError, MemoryError, zipfile.BadZipFile):
        raise
    except Exception as problem:
        raise zipfile.BadZipFile(f"{type(problem).__name__}: {problem}") from problem
