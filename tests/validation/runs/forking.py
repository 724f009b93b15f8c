"""Processes for tests: one interpreter imports all that they need, and forks one for each line that it reads.

A line is a JSON object: {"does": "ask" or "run", "given": [...], "out": file, "environment": {...}} starts a
process and is answered with its number, {"wait": number} is answered with the exit code of that process.

The interpreter has one thread, so no child can wait for a lock that a thread held which it does not have:
the process that runs the tests has threads of polars, Arrow and BLAS, and is never forked.
"""

from __future__ import annotations

import faulthandler
import functools
import importlib.metadata
import io
import json
import os
import runpy
import signal
import struct
import sys
import threading
import traceback
import warnings
from contextlib import redirect_stdout
from ctypes import CDLL
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from typing import Any

import counted
import scipy.special  # noqa: F401

import tallymark.validation

CHANGES = {"write", "replace", "rename", "symlink", "mkdir", "unlink", "rmdir", "execute", "commit"}
IN_MEMORY = str, io.BytesIO, io.StringIO
NO_CAPABILITIES = struct.pack("Ii", 0x20080522, 0), bytes(24)
TASKS = Path("/proc/self/task")


def main() -> None:
    # What is installed is looked up once, not by every process.
    importlib.metadata.packages_distributions = functools.cache(importlib.metadata.packages_distributions)
    importlib.metadata.packages_distributions()
    for module in walk_packages(tallymark.validation.__path__, "tallymark.validation."):
        importlib.import_module(module.name)
    with TemporaryDirectory() as place:  # what the first run imports and reads, too
        counted.few(place)
    counted.MADE_HERE.clear()
    for line in sys.stdin:
        call = json.loads(line)
        if "wait" in call:
            print(os.waitstatus_to_exitcode(os.waitpid(call["wait"], 0)[1]), flush=True)
            continue
        threads = len(list(TASKS.iterdir())) if TASKS.is_dir() else threading.active_count()
        assert threads == 1, f"{threads} threads"
        child = os.fork()
        if not child:
            be(**call)
            break
        print(child, flush=True)


def be(does: str, given: list[str], out: str, environment: dict[str, str]) -> None:
    os.setsid()  # its workers are ended with it
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # which this process has from its parent, who talks to the tests by them
        os.dup2(nothing, stream)
    os.environ.update(environment)
    faulthandler.dump_traceback_later(300, exit=True)  # the tests wait for its end
    warnings.simplefilter("error")
    try:
        text = {"ask": ask, "run": run}[does](*given)
    except BaseException:
        text = traceback.format_exc()
        raise
    finally:
        counted.let_files_grow()
        Path(out).write_text(text)


def ask(question: str, folder: str) -> str:
    """Ask one of the questions."""
    if "FITS_PLAIN" in os.environ:  # root, too, may do only what permissions say
        assert CDLL(None).capset(*NO_CAPABILITIES) == 0
    if "FITS_PARENT" in os.environ:
        os.environ.update(FITS_PARENT=str(os.getpid()), FITS_FOLDER=folder)
    if "FITS_STEP" in os.environ:
        die_at(int(os.environ["FITS_STEP"]))
    if "FITS_ROOM" in os.environ:
        counted.let_files_grow(int(os.environ["FITS_ROOM"]))
    return json.dumps(counted.Folder(Path(folder)).ask(counted.QUESTIONS[question]))


def die_at(step: int) -> None:
    """Kill this process before the call of that number, of all that may change a file."""
    left = step

    def watch(_: Any, event: str, called: Any) -> None:
        nonlocal left
        if event == "c_call" and called.__name__ in CHANGES and not isinstance(called.__self__, IN_MEMORY):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)


def run(folder: str, program: str, *arguments: str) -> str:
    """What a program prints: a file, or a module."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True  # of files that are edited within a second
    sys.argv = [program, *arguments]
    with redirect_stdout(io.StringIO()) as printed:
        if program.endswith(".py"):
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    return printed.getvalue()


if __name__ == "__main__":
    main()
