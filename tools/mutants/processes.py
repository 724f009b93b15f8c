"""How a fault is met by tests: in a fork of the process that collected them, or in a copy of the sources."""

from __future__ import annotations

import ast
import builtins
import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
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
    """The statements of the rooms that were run: functions are compiled with a mark before each of theirs."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.lines: set[Line] = set()
        builtins.__dict__[MARK] = self.lines.add
        within = tuple(f"{folder}{os.sep}" for folder in folders)
        usual = SourceFileLoader.get_code

        # What is kept compiled has no marks, and must not get any: so it is neither read nor written.
        def get_code(loader: SourceFileLoader, name: str) -> types.CodeType | None:
            file = str(loader.get_filename(name))
            if not file.startswith(within):
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
        self.room = file.relative_to(SOURCES).parts[0]
        where = f"{file.relative_to(SOURCES)}:{place.line}:{place.column}"
        self.name = f"{where} {place.what}: {place.before} => {place.after}"

    def tree(self) -> ast.Module:
        tree = ast.parse(self.file.read_text())
        list(places(tree))[self.index].change()
        return ast.fix_missing_locations(tree)

    def reached_in(self, lines: set[Line]) -> bool:
        return (str(self.file), self.place.statement) in lines


def every_mutant(rooms: Iterable[str]) -> list[Mutant]:
    files = [file for room in rooms for file in sorted((SOURCES / room).rglob("*.py"))]
    return [
        Mutant(file, index, place)
        for file in files
        for index, place in enumerate(places(ast.parse(file.read_text())))
    ]


def key_of(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_within(constant)


def living_functions(rooms: Iterable[str]) -> dict[tuple[str, str, int], list[types.FunctionType]]:
    # Some are only imported when they are needed, which would be after the fork.
    for file in (file for room in rooms for file in (SOURCES / room).rglob("*.py")):
        import_module(
            ".".join(file.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
        )
    # What is frozen, as the tests' conftest does, is not listed.
    gc.unfreeze()
    found = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__code__.co_filename.startswith(str(SOURCES)):
            found[key_of(thing.__code__)].append(thing)
    gc.freeze()
    return found


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def in_fork(work: Callable[[], bool], limit: float) -> str:
    """What became of the work in a process of its own."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        said = None
        try:
            said = work()
        finally:
            os._exit(3 if said is None else 0 if said else 1)
    until = time.monotonic() + limit
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return {0: "passed", 1: "killed"}.get(os.waitstatus_to_exitcode(status), "broke off")
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timed out"


def in_a_copy(mutant: Mutant, tests: list[str], folder: Path, limit: float) -> tuple[str, str]:
    """What becomes of the tests with the fault in a copy of the sources, and the end of what they say."""
    copy = folder / "src"
    if not copy.exists():
        shutil.copytree(SOURCES.parent, copy)
    file = copy / mutant.file.relative_to(SOURCES.parent)
    file.write_text(ast.unparse(mutant.tree()))
    # Python takes a compiled file for current if the second and the size are the same.
    os.utime(file, (time.time(), 1e9 + random.randrange(10**8)))
    try:
        code, said = _run(tests[:_MOST_NAMED], copy, limit)
        if code == pytest.ExitCode.USAGE_ERROR:
            # Some of the tests are gone with the fault: their files are there.
            code, said = _run(sorted({test.partition("::")[0] for test in tests}), copy, limit)
    except subprocess.TimeoutExpired:
        return "timed out", ""
    finally:
        shutil.copy2(mutant.file, file)
    return ("killed" if code else "passed"), said


def _run(tests: list[str], sources: Path, limit: float) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": str(sources)}
    run = subprocess.run([*command, *tests], cwd=ROOT, env=environment, capture_output=True, timeout=limit)
    return run.returncode, run.stdout[-300:].decode(errors="replace")
