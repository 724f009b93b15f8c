"""Which files are meant: names, patterns such as `parts/*.csv`, and folders."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tallymark.errors import FileError, OptionError
from tallymark.input_files import note_inputs
from tallymark.intake.files.gzipped import SUFFIX as GZIP_SUFFIX
from tallymark.intake.files.kinds import NOT_READ, READ, SUFFIXES, listed, shown, unreadable

_NAMES_SHOWN = 3
_SIGNS = "*?["


def files_named(data: Any) -> list[str | Path]:
    """The files, if `data` is the path of one or a list of paths."""
    several = data if isinstance(data, list | tuple) else [data]
    if not all(isinstance(each, str | os.PathLike) for each in several):
        return []
    return [each if isinstance(each, str) else Path(each) for each in several]


def is_pattern(name: str) -> bool:
    return any(sign in name for sign in _SIGNS)


def file_list(given: Sequence[str | Path]) -> tuple[list[Path], list[str]]:
    """The files that are meant, each pattern's and folder's in sorted order; and what to say about it."""
    files: list[Path] = []
    notes: list[str] = []
    for path in (Path(name) for name in given):
        found, note = _found(path)
        files += found
        notes += note
    _refuse_repeated(files)
    note_inputs(files)
    return files, notes


def _refuse_repeated(files: Sequence[Path]) -> None:
    seen: dict[object, Path] = {}
    for path in files:
        for identity in _identities(path):
            first = seen.setdefault(identity, path)
            if first is not path:
                raise _repeated(first, path)


def _repeated(first: Path, again: Path) -> OptionError:
    also = "" if again == first else f", also as {str(again)!r}"
    hint = None if again == first else "leave one of them out."
    return OptionError(
        f"the file {str(first)!r} is given twice{also}; its rows would count double.", hint=hint
    )


def _identities(path: Path) -> set[object]:
    """What another path to the same rows has in common with this one: x.csv.gz holds those of x.csv."""
    try:
        names = os.path.realpath(path), os.path.join(os.path.realpath(path.parent), path.name)
    except (OSError, ValueError):
        return set()  # no such name: reading it will tell
    found: set[object] = {
        re.sub(rf"{re.escape(GZIP_SUFFIX)}$", "", name, flags=re.IGNORECASE) for name in names
    }
    try:
        facts = path.stat()
    except OSError:
        return found
    return found | {(facts.st_dev, facts.st_ino)}


def _found(path: Path) -> tuple[list[Path], list[str]]:
    if _is_folder(path):
        return _in_folder(path)
    if os.path.lexists(path) or not is_pattern(str(path)):
        return [path], []
    matches = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
    if not any(part.startswith("_") for part in path.parts):
        matches = [match for match in matches if not any(part.startswith("_") for part in match.parts)]
    if not matches:
        raise _nothing(path)
    files: list[Path] = []
    for match in matches:
        files += _in_folder(match)[0] if _is_folder(match) else [match]
    files = sorted(set(files))
    return files, [f"{shown(path)} means {_counted(files)}."]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _nothing(path: Path) -> FileError:
    fixed = path
    while is_pattern(str(fixed)):
        fixed = fixed.parent
    if not fixed.is_dir():
        return FileError(f"no file matches {shown(path)}: there is no folder {shown(fixed)}.")
    return FileError(f"no file matches {shown(path)}.", hint="`ls` with the same pattern shows what does.")


def _in_folder(folder: Path) -> tuple[list[Path], list[str]]:
    """All files of a kind that is read, also in folders below; hidden ones and those with _ are left out."""
    everything = list(_walk(folder))
    files = [path for path in everything if _kind(path) is not None]
    if not files:
        raise FileError(
            f"the folder {shown(folder)} holds no file of a kind that is read; these are: {READ}.",
            hint="files of other names can be named by a pattern, such as 'folder/*.txt'.",
        )
    for path in files:
        if _kind(path) != _kind(files[0]):
            raise FileError(
                f"the folder {shown(folder)} holds files of several kinds, such as {shown(files[0])} and "
                f"{shown(path)}.",
                hint=f"name those that are meant by a pattern: '{shown(folder)}/**/*{files[0].suffix}'.",
            )
    others = [path.name for path in everything if _kind(path) is None]
    left_out = ""
    if others:
        names = [shown(Path(name)) for name in others[:_NAMES_SHOWN]]
        more = [f"{len(others) - len(names):,} more"] if len(others) > len(names) else []
        left_out = f" ({listed(names + more)} left out)"
    return files, [f"the folder {shown(folder)} means {_counted(files)}{left_out}."]


def _counted(files: Sequence[Path]) -> str:
    return "1 file" if len(files) == 1 else f"{len(files):,} files, parts of one table"


def _walk(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from None
    for entry in entries:
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _walk(entry)
        else:
            yield entry


def _kind(path: Path) -> str | None:
    """The kind that a suffix tells, read or not; None for a suffix that is no table's."""
    suffix = path.suffix.lower()
    if suffix == GZIP_SUFFIX:
        suffix = Path(path.stem).suffix.lower()
    kind = SUFFIXES.get(suffix)
    return kind or (suffix if suffix in NOT_READ else None)
