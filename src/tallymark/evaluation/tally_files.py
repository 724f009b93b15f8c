"""Tallies in files: counted where the rows are, carried, added and evaluated elsewhere."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark._version import __version__
from tallymark.errors import (
    CostError,
    FileError,
    InputError,
    LabelError,
    MemoryLimitError,
    MergeError,
    OptionError,
)
from tallymark.evaluation.saving import save
from tallymark.inference.progress import shown as with_progress
from tallymark.intake.files.kinds import shown, size_of, unreadable
from tallymark.intake.files.lists import file_list, is_pattern
from tallymark.intake.files.zip_archives import ALWAYS, Archive, NotAnArray, zip_archive
from tallymark.intake.streams.memory import parsed_memory, refuse_unfit
from tallymark.intake.streams.passes import Adding
from tallymark.intake.streams.stray_labels import SAME_WAY, positive_labels
from tallymark.tallies.labels import Label, listed, quoted
from tallymark.tallies.tally import Tally, refuse_unlike
from tallymark.tallies.tally_forms import ARRAYS, SCHEMA, form_of, tally_of

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation

SUFFIX = ".tally"
_FORM = "tally.json"
_BEGINS = b"PK\x03\x04"
_WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of every member, so that the same counts are the same bytes."""
_PIPED = "standard input"


# --- one file ------------------------------------------------------------------------------------


def write_tally(tally: Tally, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a tally whole or not at all; the same counts give the same bytes."""
    check_suffix(path)
    save(path, {SUFFIX: lambda: packed(tally)}, overwrite=overwrite, read_again=True)


def check_suffix(path: str | Path) -> None:
    """By its name a tally is known to whoever has it."""
    if Path(path).suffix.lower() != SUFFIX:
        raise FileError(f"cannot write {str(path)!r}: the name of a tally ends in {SUFFIX}.")


def packed(tally: Tally) -> bytes:
    """The bytes of the file."""
    form, arrays = form_of(tally)
    text = json.dumps({"schema": form.pop("schema"), "version": __version__, **form}, allow_nan=False)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        _add(archive, _FORM, text.encode())
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            _add(archive, f"{name}.npy", member.getbuffer())
    return stream.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes | memoryview) -> None:
    member = zipfile.ZipInfo(name, _WHEN)
    member.create_system, member.external_attr = 3, 0o644 << 16
    archive.writestr(member, content, zipfile.ZIP_DEFLATED, compresslevel=1)


def read_tally(path: str | Path, memory: int | None = None) -> Tally:
    """The tally in a file; a `FileError` says what is wrong with one that is none."""
    place = Path(path)
    if not size_of(place):
        raise FileError(f"{shown(place)} is empty (0 bytes).", hint=_AGAIN)
    try:
        with place.open("rb") as file:
            begins = file.read(len(_BEGINS))
        if begins != _BEGINS:
            raise FileError(f"{shown(place)} is no tally.", hint=_MADE_BY)
        with zip_archive(place) as archive:
            return _read(place, archive, max(ALWAYS, parsed_memory(memory)))
    except zipfile.BadZipFile as problem:
        raise _damaged(place, "it is no whole zip archive") from problem
    except OSError as problem:
        raise unreadable(place, problem) from None


def _read(place: Path, archive: Archive, memory: int) -> Tally:
    names = set(archive.names)
    if _FORM not in names:
        raise FileError(
            f"{shown(place)} is a zip archive, but no tally: there is no {_FORM} in it.",
            hint=_MADE_BY,
        )
    lacking = sorted({f"{name}.npy" for name in ARRAYS} - names)
    refuse_unfit(shown(place), archive.memory, memory, "count its rows on a grid or with fewer slices.")
    try:
        form = json.loads(archive.read(_FORM))
        schema = form["schema"]
        if schema != SCHEMA:
            raise _other_schema(place, str(schema), str(form.get("version")))
        if lacking:
            raise _damaged(place, f"there is no {lacking[0]} in it")
        return tally_of(form, {name: _array(archive, name) for name in ARRAYS}, memory)
    except FileError:
        raise
    except MemoryLimitError as problem:
        problem.message = f"{shown(place)} cannot be read: {problem.message}"
        raise
    except InputError as problem:
        raise _damaged(place, problem.message) from problem
    except (KeyError, TypeError, ValueError, RecursionError) as problem:
        raise _damaged(place, f"its {_FORM} is no JSON of a tally") from problem


def _array(archive: Archive, name: str) -> NDArray[Any]:
    """One of the two long arrays, as it was written; never unpickled."""
    try:
        found = archive.header(name)
    except NotAnArray as problem:
        raise InputError(f"{name}.npy is no array") from problem
    if found.dtype != ARRAYS[name] or len(found.shape) != 1:
        raise InputError(f"{name}.npy is not the array that belongs there")
    return archive.array(name)


def _damaged(place: Path, why: str) -> FileError:
    return FileError(f"{shown(place)} is damaged, or no tally: {why}.", hint=_AGAIN)


_MADE_BY = "`tallymark tally FILE... -o part.tally` counts rows into one."
_AGAIN = "copy the file again, or count its rows again with `tallymark tally`."


def _other_schema(place: Path, schema: str, version: str) -> FileError:
    if schema.startswith("tallymark/tally/"):
        return FileError(
            f"{shown(place)} was written by tallymark {version} in a form that this version does not know "
            f"({schema}; known is {SCHEMA}).",
            hint=f"use tallymark {version} or newer: this is {__version__}.",
        )
    return FileError(f"{shown(place)} holds {schema}, not a tally ({SCHEMA}).")


# --- which files are tallies ---------------------------------------------------------------------


def are_tallies(paths: Sequence[Path]) -> bool:
    """Whether these are tallies; tallies among other files are refused."""
    kinds = [is_tally(path) for path in paths]
    if any(kinds) and not all(kinds):
        tally, other = paths[kinds.index(True)], paths[kinds.index(False)]
        raise OptionError(
            f"{shown(tally)} holds counts and {shown(other)} does not, so they are no parts of one table.",
            hint=f"count that as well, and add both: `tallymark tally {shown(other)} ... -o other.tally`.",
        )
    return any(kinds)


def is_tally(path: Path) -> bool:
    """Whether a file is a tally by its name or how it begins, and a folder holds tallies and no table."""
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        if path.is_dir():
            return _only_tallies(path)
        if is_pattern(str(path)) and not path.exists():
            return False
        with path.open("rb") as file:
            head = file.read(30 + len(_FORM))
    except (OSError, ValueError):
        return False  # whoever reads it says why it cannot be read
    return head.startswith(_BEGINS) and head[30:] == _FORM.encode()


def _only_tallies(folder: Path) -> bool:
    if next(folder.rglob(f"*{SUFFIX}"), None) is None:
        return False
    try:
        file_list([folder])
    except FileError:
        return True  # nothing else in it is read
    return False


# --- several files -------------------------------------------------------------------------------


def tally_list(given: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """The files that are meant by names, patterns and folders, and what to say about it."""
    return file_list([path / "**" / f"*{SUFFIX}" if path.is_dir() else path for path in given])


def add_files(paths: Sequence[Path], memory: Any = None) -> tuple[Tally, list[str]]:
    """The tallies of files added up, with one of them in memory after the other; and what to say about it."""
    allowed = parsed_memory(memory)
    total, first, seen = Adding(allowed), None, _Sources()
    labels: dict[Label, Path] = {}
    for path in with_progress(paths, len(paths), "adding"):
        tally = read_tally(path, allowed)
        seen.note(path, tally)
        if first is None:
            first = tally.named(shown(path))
        refuse_unlike(first, tally.named(shown(path)))
        _add_to(total, tally, path)
        for label in tally.counted.labels:
            labels.setdefault(label, path)
    whole = total.finished()
    _refuse_spellings(whole, labels)
    return whole, seen.notes()


def _refuse_spellings(tally: Tally, labels: Mapping[Label, Path]) -> None:
    """Refuse a sum in which the class that a score is about has several names, so it cannot be asked for."""
    spelled = positive_labels(tally)
    if len(spelled) > 1:
        said = " and ".join(f"{quoted(label)} in {shown(labels[label])}" for label in spelled[:2])
        raise MergeError(
            f"the tallies do not add up, for the class that a score is about is {said}; the labels of all "
            f"are {listed(tally.counted.labels)}.",
            hint=f"{SAME_WAY.removesuffix('.')}, and count them again with `tallymark tally`.",
        )


def _add_to(total: Adding, tally: Tally, path: Path) -> None:
    try:
        total.add(tally)
    except (MergeError, LabelError) as problem:
        problem.message = f"{shown(path)} cannot be added to the files before it: {problem.message}"
        raise
    except MemoryLimitError as problem:
        problem.hint = (
            "count the parts on a grid, which gives certified bounds (`tallymark tally --approximate`), or "
            "allow more with --memory (in Python memory=)."
        )
        raise


class _Sources:
    """What was counted into which file: rows that are in two of them would count double."""

    def __init__(self) -> None:
        self._first: dict[str, Path] = {}
        self._again: dict[str, Path] = {}

    def note(self, path: Path, tally: Tally) -> None:
        for name in tally.sources:
            if name != _PIPED and self._first.setdefault(name, path) != path:
                self._again.setdefault(name, path)

    def notes(self) -> list[str]:
        if not self._again:
            return []
        name, path = next(iter(self._again.items()))
        others = len(self._again) - 1
        more = f", and {'1 other' if others == 1 else f'{others:,} others'} twice as well" if others else ""
        return [
            f"{name!r} was counted into {shown(self._first[name])} and {shown(path)}{more}: if that is the "
            "same data, its rows count double."
        ]


# --- evaluated -----------------------------------------------------------------------------------

_FLAGS = {
    "y_pred": "y_pred",
    "y_score": "y_score",
    "group": "--group (in Python groups=)",
    "missing": "--drop-missing (in Python missing=)",
    "missing_words": "--missing (in Python missing_words=)",
    "slices": "--slice (in Python slices=)",
    "extra": "a metric of your own",
}
_NEED_ROWS = ("id", "votes", "extra", "tolerance")


def evaluate_files(
    paths: Sequence[Path], settled: Mapping[str, Any], memory: Any, **options: Any
) -> Evaluation:
    """Everything that can be said from tallies in files; what was `settled` by counting is refused."""
    for name, value in settled.items():
        nothing = value is None or value is False or (isinstance(value, Sequence) and not len(value))
        if not nothing:
            raise _settled(name, paths[0])
    files, notes = tally_list(paths)
    tally, said = add_files(files, memory)
    try:
        return tally.evaluate(notes=notes + said, **options)
    except CostError as problem:
        if problem.hint is not None and "--labels" in problem.hint:
            problem.hint = "name the labels in the costs; their order is stated when rows are counted."
        raise


def _settled(name: str, path: Path) -> OptionError:
    flag = _FLAGS.get(name) or f"--{name.replace('_', '-')} (in Python {name}=)"
    if name in _NEED_ROWS:
        return OptionError(
            f"{flag} needs rows, and {shown(path)} holds only what they add up to.",
            hint="leave it out, or evaluate the files that hold the rows.",
        )
    return OptionError(
        f"{flag} was settled when the rows were counted, and {shown(path)} holds only what they add up to.",
        hint="leave it out, or count the rows again with it: `tallymark tally`.",
    )
