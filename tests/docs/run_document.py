"""Runs the code blocks of one document, in order and in one folder, and compares what it says they give.

In one document all `python` blocks share their names. An expression that is followed by two blanks and a
comment which starts with a number or a quoted text is compared with it: the number may be cut off or rounded,
and `...` in a text stands for anything. Of a `sh` block every `tallymark` line runs in this process and ends
with code 0, or with the one that the line says, `# exit 1`. A `text` block right below one of these is its
output; a line `...` there stands for any lines. Data (`toml`, `yaml`, `json`, `xml`) are parsed. What cannot
be run stands below a line `<!-- not run: why -->`. `updated` gives a document with what its blocks give now.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

from tallymark.cli import main

FENCE = re.compile(r"^ *(`{3,})([^`]*)$")
NOT_RUN = re.compile(r"^<!-- not run: (\S.*) -->$")
SAID = re.compile(
    r"""^ {2,}# ?(?:(?P<number>-?\d[\d.]*(?:e-?\d+)?)|(?P<quote>["'])(?P<text>.*?)(?P=quote)(?!\w))"""
)
SHELL = ("printf", "cat", "mkdir")
LEFT_OUT = re.compile(r"(pip|make|git) |python examples/|#|$")
PARSERS: dict[str, Callable[[str], object]] = {
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "json": json.loads,
    "xml": ElementTree.fromstring,
}


class Wrong(AssertionError):
    """A document that says what is not so, with its line."""


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int
    """The line of its first line of code."""
    end: int
    """The line of its last fence."""
    not_run: bool
    indent: int = 0


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block of a document."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opened = FENCE.match(lines[at])
        if opened is None:
            at += 1
            continue
        end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == opened[1]), len(lines))
        before = next((line for line in reversed(lines[:at]) if line.strip()), "")
        code = dedent("\n".join(lines[at + 1 : end])) + "\n"
        indent = len(lines[at]) - len(lines[at].lstrip())
        left_out = NOT_RUN.match(before.strip()) is not None
        yield Block(opened[2].strip(), code, at + 2, end + 1, left_out, indent)
        at = end + 1


def run(text: str, name: str) -> int:
    """Run all blocks of a document in the working folder; how many results it shows and were compared."""
    return _ran(text, _Document(name, text)).compared


def updated(text: str, name: str) -> str:
    """The document with the outputs and values that its blocks give now; other faults are raised."""
    document = _ran(text, _Document(name, text, update=True))
    lines = text.splitlines(keepends=True)
    for first, last, new in reversed(document.changes):
        lines[first:last] = new
    return "".join(lines)


def _ran(text: str, document: _Document) -> _Document:
    lines = text.splitlines()
    previous: Block | None = None
    for block in blocks(text):
        follows = previous is not None and not "".join(lines[previous.end : block.line - 2]).strip()
        document.run(block, previous if follows else None)
        previous = block
    return document


class _Document:
    """What the blocks of one document have in common."""

    def __init__(self, name: str, text: str, *, update: bool = False) -> None:
        self.name = name
        self.lines = text.splitlines(keepends=True)
        self.update = update
        self.changes: list[tuple[int, int, list[str]]] = []
        """Lines to be replaced, from and up to a position, in order."""
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.output = ""
        self.compared = 0

    def run(self, block: Block, above: Block | None) -> None:
        if block.not_run:
            return
        if block.language == "text":
            if above is not None and above.language in ("python", "sh") and not above.not_run:
                self._compare_output(block)
            return
        caught = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with redirect_stdout(caught):
            if block.language == "python":
                self._run_python(block)
            elif block.language == "sh":
                self._run_shell(block)
            elif block.language in PARSERS:
                self._parse(block)
            else:
                raise self._wrong(
                    block.line - 1, f"a fence of {block.language or 'no language'!r} is not known"
                )
        caught.seek(0)
        self.output = caught.read()

    def _wrong(self, line: int, what: str) -> Wrong:
        return Wrong(f"{self.name}:{line}: {what}")

    def _run_python(self, block: Block) -> None:
        try:
            tree = ast.parse(block.code)
        except SyntaxError as error:
            raise self._wrong(block.line + (error.lineno or 1) - 1, str(error)) from error
        lines = block.code.splitlines()
        for statement in tree.body:
            line, last = (block.line + (n or 1) - 1 for n in (statement.lineno, statement.end_lineno))
            rest = lines[(statement.end_lineno or 1) - 1].encode()[statement.end_col_offset :].decode()
            ast.increment_lineno(statement, block.line - 1)
            said = SAID.match(rest)
            try:
                if isinstance(statement, ast.Expr):
                    value = eval(compile(ast.Expression(statement.value), self.name, "eval"), self.names)
                    self._compare_value(value, said, line, last)
                else:
                    exec(compile(ast.Module([statement], []), self.name, "exec"), self.names)
            except Wrong:
                raise
            except Exception as error:
                raise self._wrong(line, f"{type(error).__name__}: {error}") from error

    def _compare_value(self, value: object, said: re.Match[str] | None, line: int, last: int) -> None:
        if said is None:
            return
        found = str(value)
        if said["number"] is not None:
            right = found.startswith(said["number"].rstrip(".")) or _rounded(value, said["number"])
        else:
            # A comment such as `# "cannot tell: ..., p = 0.125 ..."` leaves out what it need not say.
            right = _fits(said["text"].split("..."), found)
        self.compared += 1
        if right:
            return
        new = _shown_like(said, value)
        if self.update and new is not None:
            text = self.lines[last - 1]
            at = text.rindex(said[0])
            self.changes.append((last - 1, last, [text[:at] + new + text[at + len(said[0]) :]]))
        else:
            raise self._wrong(line, f"the comment says {said[0].strip()}, but it is {found}")

    def _run_shell(self, block: Block) -> None:
        lines = block.code.splitlines()
        at = 0
        while at < len(lines):
            line = block.line + at
            command = lines[at].strip()
            while command.endswith("\\") and at + 1 < len(lines):
                at += 1
                command = command[:-1] + " " + lines[at].strip()
            at += 1
            self._run_command(command, line)

    def _run_command(self, command: str, line: int) -> None:
        expected = re.search(r" # exit (\d+)", command)
        if command.startswith("tallymark "):
            code = _tallymark(shlex.split(command, comments=True)[1:])
        elif command.startswith("cd "):
            os.chdir(shlex.split(command)[1])
            code = 0
        elif command.partition(" ")[0] in SHELL:
            code = _shell(command)
        elif LEFT_OUT.match(command):
            return
        else:
            raise self._wrong(line, f"this line is of no kind that is run or left out: {command}")
        if code != int(expected[1] if expected else 0):
            raise self._wrong(line, f"exit code {code}: {command}")

    def _parse(self, block: Block) -> None:
        try:
            PARSERS[block.language](block.code)
        except (ValueError, SyntaxError, yaml.YAMLError) as error:
            raise self._wrong(block.line, f"no {block.language}: {error}") from error

    def _compare_output(self, block: Block) -> None:
        shown = _lines(block.code)
        found = _lines(self.output)
        pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown)
        self.compared += 1
        if re.fullmatch(pattern, "".join(line + "\n" for line in found)):
            return
        if self.update:
            new = [f"{' ' * block.indent}{line}".rstrip() + "\n" for line in _like(shown, found)]
            self.changes.append((block.line - 1, block.end - 1, new))
            return
        missing = next((n for n, line in enumerate(shown) if line != "..." and line not in found), 0)
        raise self._wrong(
            block.line + missing,
            f"this is not the output: {shown[missing]!r}\nthe output is:\n" + "\n".join(found),
        )


def _like(shown: list[str], found: list[str]) -> list[str]:
    """The new output with `...` where it was: between them the lines that are most like those shown."""
    if "..." not in shown:
        return found
    new: list[str] = []
    parts = [list(part) for is_gap, part in groupby(shown, "...".__eq__) if not is_gap]
    at = 0
    for number, part in enumerate(parts):
        if shown[0] != "..." and number == 0:
            start = 0
        elif shown[-1] != "..." and number == len(parts) - 1:
            start = max(at, len(found) - len(part))
        else:
            starts = range(at, max(at, len(found) - len(part)) + 1)
            start = max(starts, key=lambda s: _likeness(part, found[s : s + len(part)]), default=at)
        if number or shown[0] == "...":
            new.append("...")
        at = start + len(part)
        new += found[start:at]
    return [*new, "..."] if shown[-1] == "..." else new


def _likeness(one: list[str], two: list[str]) -> float:
    return sum(SequenceMatcher(None, first, second).ratio() for first, second in zip(one, two, strict=False))


def _shown_like(said: re.Match[str], value: object) -> str | None:
    """The comment with the value in place of the one that it has; None where parts of a text are left out."""
    old = said["number"] if said["number"] is not None else said["text"]
    if said["number"] is None and "..." in old:
        return None
    decimals = len(old.partition(".")[2])
    new = f"{value:.{decimals}f}" if said["number"] is not None and isinstance(value, float) else str(value)
    return said[0].replace(old, new)


def _rounded(value: object, said: str) -> bool:
    """Whether a number with decimals is this one, rounded."""
    decimals = len(said.partition(".")[2])
    return isinstance(value, float) and decimals > 0 and f"{value:.{decimals}f}" == said


def _fits(parts: list[str], found: str) -> bool:
    """Whether a text is made of these parts, in order, with anything between them."""
    return re.fullmatch(".*".join(map(re.escape, parts)), found, re.DOTALL) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _tallymark(arguments: list[str]) -> int:
    """Run a command in this process; `> FILE` at its end keeps what it prints."""
    if len(arguments) > 2 and arguments[-2] == ">":
        with open(arguments[-1], "w", encoding="utf-8") as kept, redirect_stdout(kept):
            return main(arguments[:-2])
    return main(arguments)


def _shell(command: str) -> int:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": path})
    sys.stdout.write(ran.stdout)
    sys.stderr.write(ran.stderr)
    return ran.returncode
