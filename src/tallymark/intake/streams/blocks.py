"""Text in blocks that end where a record ends, so that each can be read by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tallymark.errors import FileError
from tallymark.intake.files.delimited_text import bytes_in
from tallymark.intake.files.kinds import UTF8_MARK, lines_before, shown, unreadable

BLOCK = 1 << 24
MOST_LINES = 1_000_000
LONGEST = 1 << 26
_LOOKED_AT = 1 << 16
_LEAST = 1 << 20
_SHARE = 64
"""A block, once read, checked and encoded, takes some ten times its size, and every thread has one."""
_QUOTE = 0x22


def block_for(memory: int) -> int:
    """The size of blocks of which several are worked on in that memory, or as near to it as is useful."""
    return min(BLOCK, max(_LEAST, memory // _SHARE))


def block_size(path: Path, most: int) -> int:
    """Bytes that hold about a million lines or fewer, judged by the first ones."""
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
    except OSError as error:
        raise unreadable(path, error) from None
    lines = max(1, head.count(b"\n"), head.count(b"\r"))
    return min(most, max(_LEAST, MOST_LINES * len(head) // lines))


class Block(NamedTuple):
    """Whole records, and where they begin and end in the file; its mark of UTF-8 is left out."""

    start: int
    end: int
    content: bytes


def blocks(path: Path, size: int, delimiter: str | None) -> Iterator[Block]:
    """All records of a file in turn; in a text without delimiter a quote has no meaning.

    One block and the record that is begun behind it are held at a time.
    """
    start, held = 0, b""
    try:
        with path.open("rb") as file:
            mark = file.read(len(UTF8_MARK))
            held = mark.removeprefix(UTF8_MARK)
            at = len(mark) - len(held)
            while read := file.read(size):
                held += read
                end = record_end(held, delimiter)
                # blank lines may stand above the header, which the first block is to hold
                if end and (start or held[:end].strip(b"\r\n")):
                    yield Block(start, at + end, held[:end])
                    start, at, held = at + end, at + end, held[end:]
                elif len(held) > LONGEST:
                    raise _too_long(path, start)
    except OSError as error:
        raise unreadable(path, error) from None
    if held:
        yield Block(start, at + len(held), held)


def block_at(path: Path, start: int, end: int) -> Block:
    """The same block once more."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            content = file.read(end - start)
    except OSError as error:
        raise unreadable(path, error) from None
    return Block(start, end, content.removeprefix(UTF8_MARK) if start == 0 else content)


def _too_long(path: Path, start: int) -> FileError:
    line = lines_before(path, start) + 1
    return FileError(
        f"the record that begins on line {line} of {shown(path)} is longer than {LONGEST >> 20} MB.",
        hint="look there for a quote that is never closed, or for line ends that are missing.",
    )


def record_end(text: bytes, delimiter: str | None) -> int:
    """The place behind the last record that surely ends in a text which begins with a record; 0 if none."""
    end = text.rfind(b"\n") + 1
    if not end:
        # old Mac line ends; a return at the very end may be half of a pair
        end = text.rfind(b"\r", 0, len(text) - 1) + 1
    if delimiter is None or text.find(b'"', 0, end) < 0:
        return end
    spans = _whole_quotes(text, end, delimiter) if delimiter.isascii() else None
    return _before_open(text, end, _any_quotes(text, end, delimiter) if spans is None else spans)


# Where each quoted field opens and closes; one that is open at the end has no place of closing.
_Spans = tuple[Sequence[int], Sequence[int]]


def _before_open(text: bytes, end: int, spans: _Spans) -> int:
    """The last line end that is in no quotes, when the last quotes may still be open."""
    opened, closed = spans
    if len(opened) == len(closed):
        return end
    for place in range(len(opened) - 1, -1, -1):
        after, before = closed[place - 1] if place else 0, opened[place]
        last = max(text.rfind(b"\n", after, before), text.rfind(b"\r", after, before))
        if last >= 0:
            return last + 1
    return 0


def _whole_quotes(text: bytes, end: int, delimiter: str) -> _Spans | None:
    """The quotes when each opens or closes a whole field or is one of a doubled pair; None when not."""
    content = np.frombuffer(text, dtype=np.uint8, count=end)
    quotes = np.flatnonzero(content == _QUOTE)
    opened, closed = quotes[::2], quotes[1::2]
    mark = delimiter.encode()
    # the text ends with a line end, which index -1 finds before its first byte; closed + 1 stays inside
    opens, closes = bytes_in(mark + b'\n"'), bytes_in(mark + b'\r\n"')
    if not (opens[content[opened - 1]].all() and closes[content[closed + 1]].all()):
        return None
    return (opened.tolist(), closed.tolist()) if len(opened) > len(closed) else ([], [])


def _any_quotes(text: bytes, end: int, delimiter: str) -> _Spans:
    """Fields in quotes, found from the front, as text before or behind quotes may have any number of them."""
    opened, closed = [], []
    for found in _quoted(delimiter).finditer(text, 0, end):
        opened.append(found.start())
        if found[1]:
            closed.append(found.end())
    return opened, closed


@cache
def _quoted(delimiter: str) -> re.Pattern[bytes]:
    mark = re.escape(delimiter.encode())
    return re.compile(rb"(?:\A|(?<=[\r\n])|(?<=" + mark + rb'))"(?:[^"]++|"")*+("?)')
