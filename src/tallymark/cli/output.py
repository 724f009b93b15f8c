"""Where a command's result goes, and in which format."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os.path import isdir, splitext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.failures import visible
from tallymark.errors import OptionError, TallymarkError

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


_INPUTS = {
    **dict.fromkeys(("files", "models", "data_sets", "matrix", "matrices"), "the data"),
    "baseline": "the baseline",
    "choose_on": "the rows of --choose-on",
    "config": "the configuration",
    "costs": "the costs",
}
"""Parameters of commands that may name files to read, and what they are."""
_STANDARD_INPUT = 0
_OUTPUTS = {
    "path": "-o", "metrics_file": "--metrics-file", "junit": "--junit", "predictions": "--predictions",
}  # fmt: skip
"""Parameters that name a file to write, and their options."""


def refuse_to_replace_inputs(files: Sequence[str] = ()) -> None:
    """Refuse, before any work is done, an output that is an input under any name.

    `files` are data that parameters do not name.
    """
    from tallymark.input_files import identities

    given = click.get_current_context().params
    paths = {option: given[name] for name, option in _OUTPUTS.items() if given.get(name)}
    outputs = {option: found for option, path in paths.items() if (found := identities([path]))}
    if not outputs:
        return
    for name, what in _INPUTS.items():
        value = given.get(name) or ()
        typed = (*((value,) if isinstance(value, str) else value), *(files if name == "files" else ()))
        inputs = identities(path for item in typed for path in _meant(item))
        for option, output in outputs.items():
            if output & inputs:
                message = f"{option} {paths[option]} would replace {what}."
                raise OptionError(message, hint="name another file.")


def _meant(item: str) -> Iterator[str | Path | int]:
    """All files that an argument may name: FILE, NAME=FILE, a pattern, a folder or standard input."""
    from tallymark.evaluation.tally_files import tally_list
    from tallymark.intake.files.lists import file_list, is_pattern

    for name in (item, item.partition("=")[2]):
        yield _STANDARD_INPUT if name == "-" else name
        if isdir(name) or is_pattern(name):
            for listed in (file_list, tally_list):
                with suppress(TallymarkError, OSError, ValueError):  # reading it says what is wrong
                    yield from listed([Path(name)])[0]


def as_json(form: Mapping[str, Any]) -> str:
    """One JSON document on one line, safe to show on any terminal."""
    text = json.dumps(form, ensure_ascii=False, allow_nan=False)
    text = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(form, allow_nan=False)
    return text
