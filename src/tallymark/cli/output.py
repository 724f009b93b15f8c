"""Where a command's result goes, and in which format."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import splitext
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.failures import visible
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.evaluation.saving import Writers

TEXT, JSON, MARKDOWN, LATEX, CSV, HTML = ".txt", ".json", ".md", ".tex", ".csv", ".html"
DRAWN = (TEXT, MARKDOWN, LATEX, HTML)
"""Formats that are drawn from a document."""
PICTURES = (".png", ".svg", ".pdf")
_FLAGS = {JSON: "--json", LATEX: "--latex"}

# Valid in JSON as they are, but a terminal would obey them or could not show them.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


@dataclass(frozen=True)
class Output:
    """The format asked for by a flag, and the file asked for, if any."""

    flag: str | None
    path: str | None
    force: bool
    quiet: bool

    @property
    def suffix(self) -> str | None:
        """That of the file asked for."""
        return None if self.path is None else splitext(self.path)[1].lower()

    def check(self, suffixes: Sequence[str]) -> None:
        """Refuse, before any work is done, what could not be written."""
        if self.path is None:
            return
        from tallymark.evaluation.saving import check_target

        place = check_target(self.path, suffixes, overwrite=self.force)
        if place.suffix.lower() in PICTURES:
            from tallymark.drawing.plots.pen import require_matplotlib

            require_matplotlib()
        if self.flag is not None and place.suffix.lower() != self.flag:
            raise OptionError(
                f"{_FLAGS[self.flag]} does not go with -o {self.path}: the suffix sets the format.",
                hint=f"leave out {_FLAGS[self.flag]}, or name a {self.flag} file.",
            )

    def write(self, writers: Writers) -> None:
        """Write the result whole to the file, or to standard output."""
        if self.path is None:
            content = writers[self.flag or TEXT]()
            assert isinstance(content, str)
            sys.stdout.write(f"{content}\n")
            return
        from tallymark.evaluation.saving import save

        save(self.path, writers, overwrite=self.force)
        self.say_written(self.path)

    def say_written(self, path: str) -> None:
        """Which file there is now."""
        if not self.quiet:
            click.echo(f"wrote {visible(path)}", err=True)


def as_json(form: Mapping[str, Any]) -> str:
    """One JSON document on one line, safe to show on any terminal."""
    text = json.dumps(form, ensure_ascii=False, allow_nan=False)
    text = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(form, allow_nan=False)
    return text
