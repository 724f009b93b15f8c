"""How a fault is met by tests: in a copy of the sources."""

from __future__ import annotations

import ast
import builtins
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import types
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from faults import MARK, Place, marked, places

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "tallymark"
_MOST_NAMED = 400
"""Tests that are named one by one on a command line."""

Line = tuple[str, int]


class Reached:
    """The statements of these files that were run: a mark is put before each one within a function."""

    def __init__(self, files: set[str]) -> None:
        self.lines: set[Line] = set()
        builtins.__dict__[MARK] = self.lines.add
        usual = SourceFileLoader.get_code

        # What is kept compiled has no marks, and must not get any: so it is neither read nor written.
        def get_code(loader: SourceFileLoader, name: str) -> types.CodeType | None:
            file = str(loader.get_filename(name))
            if file not in files:
                return usual(loader, name)
            return compile(marked(ast.parse(Path(file).read_text()), file), file, "exec")

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]

    def taken(self) -> set[Line]:
        lines = set(self.lines)
        self.lines.clear()
        return lines


class Mutant:
    """One place of one file, changed."""

    def __init__(self, file: Path, index: int, place: Place) -> None:
        self.file, self.index, self.place = file, index, place
        self.package = file.relative_to(SOURCES).parts[0]
        where = f"{file.relative_to(SOURCES)}:{place.line}:{place.column}"
        self.name = f"{where} {place.what}: {place.before} => {place.after}"

    def tree(self) -> ast.Module:
        tree = ast.parse(self.file.read_text())
        list(places(tree))[self.index].change()
        return ast.fix_missing_locations(tree)


def every_mutant(packages: Iterable[str]) -> list[Mutant]:
    files = [file for package in packages for file in sorted((SOURCES / package).rglob("*.py"))]
    return [
        Mutant(file, index, place)
        for file in files
        for index, place in enumerate(places(ast.parse(file.read_text())))
    ]


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


class Copy:
    """The sources once more, into which one fault is put at a time."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "src"
        shutil.rmtree(self.sources, ignore_errors=True)
        shutil.copytree(SOURCES.parent, self.sources, ignore=shutil.ignore_patterns("__pycache__"))

    def judged(self, mutant: Mutant, tests: list[str], limit: float) -> tuple[str, str]:
        """What becomes of the tests with the fault, and the first that notices it."""
        file = self.sources / mutant.file.relative_to(SOURCES.parent)
        file.write_text(ast.unparse(mutant.tree()))
        # Python takes a compiled file for current if the second and the size are the same.
        os.utime(file, (time.time(), 1e9 + random.randrange(10**8)))
        try:
            code, said = self._run(tests[:_MOST_NAMED], limit)
            if code == pytest.ExitCode.USAGE_ERROR:
                # Some of the tests are gone with the fault: their files are there.
                code, said = self._run(sorted({test.partition("::")[0] for test in tests}), limit)
        except subprocess.TimeoutExpired:
            return "timed out", ""
        finally:
            shutil.copy2(mutant.file, file)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "timed out", ""
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return ("killed" if code else "passed"), (failed[0][:200] if failed else said[-200:])

    def _run(self, tests: list[str], limit: float) -> tuple[int, str]:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
        environment = os.environ | {"PYTHONPATH": str(self.sources)}

        def limited() -> None:
            # Of processor time, so that a busy machine judges as a quiet one does.
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))

        run = subprocess.run(
            [*command, "--hypothesis-seed=0", *tests],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=6 * limit,
            preexec_fn=limited,
        )
        return run.returncode, run.stdout.decode(errors="replace")
