"""A text file, or some whole records of one that is read block by block."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tallymark.intake.files.kinds import UTF8_MARK


@dataclass(frozen=True)
class Excerpt:
    """All of a file, or the `content` that begins `offset` bytes into it, on the line `line`."""

    path: Path
    content: bytes | None = None
    offset: int = 0
    line: int = 1

    @property
    def begins_file(self) -> bool:
        return self.offset == 0

    @property
    def source(self) -> Path | bytes:
        """What Polars is to read."""
        if self.content is None:
            return self.path.absolute()
        # a mark that begins no file is text, but Polars drops the first one it sees
        return UTF8_MARK + self.content if self.content.startswith(UTF8_MARK) else self.content

    def open(self, newline: str | None = None) -> TextIO:
        if self.content is None:
            return self.path.open(encoding="utf-8-sig", newline=newline)
        return io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline=newline)
