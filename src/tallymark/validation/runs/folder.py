"""`RunFolder`: where finished fits are kept, and who asked for them."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from tallymark._version import __version__
from tallymark.errors import FileError, OptionError
from tallymark.validation.runs.presence import lives
from tallymark.validation.runs.run_records import Noted, is_finished, is_sound, read_lines

SCHEMA = "tallymark/run-folder/1"
MARKER = "run-folder.json"
FITS, RUNS, AT_WORK, SET_ASIDE = _PARTS = "fits", "runs", "at_work", "set_aside"
_OLD = 3600.0
"""Seconds after which nobody is still writing a file."""


class RunFolderWarning(UserWarning):
    """Something in a run folder that its owner should know; the run itself goes on."""


def _warn(message: str) -> None:
    """At the line that asked, where Python can tell which that is."""
    if sys.version_info >= (3, 12):
        # Without its ending: a prefix that is the whole name of a file is not seen to be one.
        between = str(Path(__file__).parents[2]), contextlib.__file__.removesuffix(".py")
        warnings.warn(message, RunFolderWarning, skip_file_prefixes=between)
    else:
        warnings.warn(message, RunFolderWarning, stacklevel=2)


@dataclass
class Used:
    """What a run folder was good for when something was last asked with it."""

    run: str | None = None
    """The record of what was asked; None before."""
    found: int = 0
    """Fits that were in the folder."""
    made: int = 0


@dataclass(frozen=True, eq=False)
class RunFolder:
    """A folder that keeps every finished fit, so that the same question asked again goes on from there.

    Fits are known again by their model, parameters, rows and libraries, so the same question with more
    models, candidates or permutations makes only those. Several processes may work in it; they share the
    fits.
    """

    path: Path
    retry_failed: bool = False
    """Whether fits that failed are tried again."""
    arguments: Sequence[str] | None = None
    """The command line, if the question came from there."""
    resumed: str | None = None
    """The run that this must be; another is refused."""
    tell: Callable[[str], None] = field(default=_warn, repr=False)
    """What is called with a sentence when something is wrong."""
    used: Used = field(default_factory=Used, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | os.PathLike) or not str(self.path):
            raise OptionError(f"run_folder is the path of a folder; got {self.path!r}.")
        object.__setattr__(self, "path", Path(self.path))

    def open(self) -> OSError | None:
        """Make it, or see that it is one; and why nothing can be written in one that is there, if so."""
        is_one = False
        try:
            is_one = self._check()
            # The marker first: without it, what a process that died left behind would be a stranger's folder.
            self.path.mkdir(parents=True, exist_ok=True)
            if not is_one:
                about = {"schema": SCHEMA, "tallymark": __version__, "made": now()}
                write_whole(self.path / MARKER, as_bytes(about))
            for name in _PARTS:
                (self.path / name).mkdir(exist_ok=True)
        except OSError as problem:
            if is_one:
                return problem
            raise self.refused(problem) from None
        return None

    def refused(self, problem: OSError) -> FileError:
        """The error when nothing can be written here."""
        return FileError(
            f"the run folder {str(self.path)!r} cannot be written in: {problem.strerror or problem}.",
            hint="name another folder, or leave out --run-folder (run_folder=).",
        )

    def _check(self) -> bool:
        """Whether it is a run folder already; an error where it is something else."""
        if not self.path.exists():
            return False
        if not self.path.is_dir():
            raise FileError(f"the run folder {str(self.path)!r} is a file.", hint="name a folder.")
        # Listed before the marker is looked for, which another process may make now, and makes first.
        there = {each.name for each in self.path.iterdir() if not _is_part_of_marker(each)}
        if (self.path / MARKER).exists():
            check_marker(self.path)
            return True
        # A run folder whose marker was deleted has these, and nothing that is not a part of one.
        if there and not {FITS, RUNS} <= there <= set(_PARTS):
            raise FileError(
                f"{str(self.path)!r} is a folder with other things in it, and no run folder.",
                hint="name a new folder, or an empty one.",
            )
        return False

    def clear_away_parts(self) -> None:
        """What processes that died were writing; where nobody can say who died, what is old."""
        for each in (*(self.path / FITS).glob(".*.part"), *(self.path / RUNS).glob(".*.part")):
            owner = each.name.removesuffix(".part").rpartition(".")[2].partition("-")[0]
            living = lives(self.path / AT_WORK, owner)
            if living is False or (living is None and _is_old(each)):
                with contextlib.suppress(OSError):
                    each.unlink()
        for each in filter(_is_part_of_marker, self.path.iterdir()):
            if _is_old(each):
                with contextlib.suppress(OSError):
                    each.unlink()

    def runs(self) -> list[dict[str, Any]]:
        """What was asked here, the first question first; records that cannot be read are left out."""
        found = [self._run(place) for place in sorted((self.path / RUNS).glob("*.json"))]
        return sorted((each for each in found if each is not None), key=lambda run: str(run["started"]))

    def _run(self, place: Path) -> dict[str, Any] | None:
        try:
            run = read_run(place)
        except (OSError, ValueError, RecursionError):
            self.tell(f"the record {str(place)!r} cannot be read and is left out.")
            return None
        if run is None:
            self.tell(f"the record {str(place)!r} is damaged, or of another version, and is left out.")
        return run

    def finished(self, run: Mapping[str, Any]) -> dict[str, Noted]:
        """The fits that a run has finished, by key, and what its log says of them."""
        try:
            place = self.path / RUNS / f"{run['run']}.log"
            return read_lines(place.read_text(encoding="ascii", errors="replace"))
        except OSError:
            return {}

    def state(self, run: Mapping[str, Any]) -> str:
        """How a run stands: "running", "interrupted", "stopped" by an error, or "finished"."""
        if any(lives(self.path / AT_WORK, name) for name in run["at_work"]):
            return "running"
        if run["ended"] is None:
            return "interrupted"
        return "finished" if is_finished(run) else "stopped"


def folder_of(given: Any) -> RunFolder | None:
    """The folder that was asked for, if any was."""
    return given if given is None or isinstance(given, RunFolder) else RunFolder(given)


def existing(path: str | Path, tell: Callable[[str], None] = _warn) -> RunFolder:
    """A run folder to look into."""
    found = RunFolder(Path(path), tell=tell)
    if not (found.path / MARKER).is_file():
        inside = [repr(str(each)) for each in islice(folders_under(found.path), 3)]
        made = "a run folder is made by --run-folder FOLDER of validate, tune, learn and permute."
        raise FileError(
            f"{str(path)!r} {'is no run folder' if found.path.exists() else 'is not there'}.",
            hint=f"name a run folder in it: {', '.join(inside)}." if inside else made,
        )
    check_marker(found.path)
    return found


def folders_under(path: Path, *, deep: int = 2) -> Iterator[Path]:
    """Run folders at a place: itself, or those in it and in its folders."""
    if (path / MARKER).is_file():
        yield path
    elif deep:
        try:
            inside = sorted(each for each in path.iterdir() if each.is_dir() and each.name[:1] != ".")
        except OSError:
            return
        for each in inside:
            yield from folders_under(each, deep=deep - 1)


def check_marker(path: Path) -> None:
    try:
        about = json.loads((path / MARKER).read_bytes())
        schema = about["schema"]
    except (OSError, ValueError, KeyError, TypeError):
        raise FileError(
            f"{str(path / MARKER)!r} cannot be read, so what is in the folder is not touched.",
            hint="name another folder; or delete that file if this is a run folder: the next command that "
            "works in it makes it anew.",
        ) from None
    if schema != SCHEMA:
        raise FileError(
            f"the run folder {str(path)!r} is of the kind {schema!r}; this version of tallymark, "
            f"{__version__}, works with {SCHEMA!r}.",
            hint="name another folder, or use the version that made it.",
        )


def read_run(place: Path) -> dict[str, Any] | None:
    """The record of a run; None if it is none that can be used."""
    run = json.loads(place.read_bytes())
    return run if is_sound(run, place.stem) else None


def _is_part_of_marker(place: Path) -> bool:
    return place.name.startswith(f".{MARKER}.")


def _is_old(place: Path) -> bool:
    try:
        return time.time() - place.stat().st_mtime > _OLD
    except OSError:
        return False


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def as_bytes(value: Any) -> bytes:
    return f"{json.dumps(value, indent=1)}\n".encode()


def write_whole(place: Path, content: bytes, *, mark: str = "") -> None:
    """Under another name first, so that nobody ever sees half of it."""
    part = place.parent / f".{place.name}.{mark or uuid4().hex}.part"
    try:
        part.write_bytes(content)
        os.replace(part, place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
