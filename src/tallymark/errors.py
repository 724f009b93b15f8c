"""Every error tallymark raises on purpose.

TallymarkError
├── InputError            the data cannot be used as it is (also a ValueError)
│   ├── FileError         a file cannot be read, or a line of it is broken
│   ├── ColumnError       a column is absent, duplicated or of the wrong type
│   │   └── NotNumbersError   it has something else where numbers are expected
│   ├── LabelError        a label, or the choice of a positive class, does not fit
│   ├── MissingValueError values are missing and nobody said to drop them
│   ├── ShapeError        lengths or dimensions disagree
│   └── CostError         a cost matrix does not fit the labels
├── OptionError           an argument has a value it cannot have (also a ValueError)
├── MergeError            two tallies were declared differently (also a ValueError)
├── MetricError           no metric has that name (also a KeyError)
├── MissingExtraError     an optional package is needed (also an ImportError)
├── MemoryLimitError      an exact answer needs more memory than is allowed (also a MemoryError)
├── WorkerError           workers died, or cannot be reached (also a RuntimeError)
└── EngineError           what holds a table, as Spark does, failed to count it (also a RuntimeError)

Each says what was expected, what came, and (as `hint`) what to do about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path

_FILES_SHOWN = 3


class TallymarkError(Exception):
    """Base of all of them."""

    about_data: bool = False
    """Whether it is about what is in the files, so that it names them."""
    file: str = ""
    """The file, or files, that the error is about."""
    option: str = ""
    """The option that named the file, such as --baseline; empty for the data themselves."""

    def __init__(self, message: str, *, hint: str | None = None, about_data: bool | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if about_data is not None:
            self.about_data = about_data

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class InputError(TallymarkError, ValueError):
    """The data cannot be used as it is."""

    about_data = True


class FileError(InputError):
    """A file cannot be read, or a line of it is broken."""


class ColumnError(InputError):
    """A column is absent, duplicated or of the wrong type."""


class NotNumbersError(ColumnError):
    """A column has something else where numbers are expected."""


class LabelError(InputError):
    """A label, or the choice of a positive class, does not fit."""


class MissingValueError(InputError):
    """Values are missing and nobody said to drop them."""


class ShapeError(InputError):
    """Lengths or dimensions disagree."""


class CostError(InputError):
    """A cost matrix does not fit the labels."""


class OptionError(TallymarkError, ValueError):
    """An argument has a value it cannot have."""


class MergeError(TallymarkError, ValueError):
    """Two tallies were declared differently."""

    about_data = True


class MetricError(TallymarkError, KeyError):
    """No metric has that name."""


class MissingExtraError(TallymarkError, ImportError):
    """An optional package is needed."""


class MemoryLimitError(TallymarkError, MemoryError):
    """An exact answer needs more memory than is allowed."""

    about_data = True


class WorkerError(TallymarkError, RuntimeError):
    """Workers died, or cannot be reached."""


class EngineError(TallymarkError, RuntimeError):
    """What holds a table, as Spark does, failed to count it; its own words are in the message."""


def precise(value: float, *limits: float) -> str:
    """A number for a message, in so many digits that it is seen on which side of the limits it lies.

    >>> precise(0.123456789, 0, 1), precise(1.0000001, 0, 1), precise(-1e-9, 0, 1)
    ('0.123457', '1.0000001', '-1e-09')
    """
    texts = (f"{value:.{digits}g}" for digits in range(6, 17))
    fits = (text for text in texts if all(_side(float(text), each) == _side(value, each) for each in limits))
    return next(fits, f"{value:.17g}")


def _side(value: float, limit: float) -> tuple[bool, bool]:
    return value < limit, value > limit


@contextmanager
def naming(files: Iterable[str | PathLike[str]], title: str = "", *, option: str = "") -> Iterator[None]:
    """Errors about data name the files that hold it; `title` is what the files are of, as "model 'a'".

    An error about an option names no file, and costs belong to all models.
    """
    try:
        yield
    except TallymarkError as problem:
        if not isinstance(problem, CostError) or option:
            _name(problem, [_plain(file) for file in files] if problem.about_data else [], title, option)
        raise


def _name(problem: TallymarkError, files: list[str], title: str, option: str) -> None:
    shown = ", ".join(files[:_FILES_SHOWN])
    if len(files) > _FILES_SHOWN:
        shown += f" and {len(files) - _FILES_SHOWN:,} more"
    if problem.file not in ("", shown):
        return  # about another file, such as that of the costs
    problem.file, problem.option = shown, option or problem.option
    message = problem.message.removeprefix(f"{shown}: ")
    where = "" if any(_mentions(f"{title} {message}", file) for file in files) else shown
    lead = f"{title} ({where})" if title and where else title or where
    problem.message = f"{lead}: {message}" if lead else message


def _plain(file: str | PathLike[str]) -> str:
    text = fspath(file)
    if text == "-":
        return "standard input"
    text = text if "://" in text else str(Path(text))
    return text if text.isprintable() else repr(text)


def _mentions(text: str, file: str) -> bool:
    """Whether a text names a file; what is quoted and has no suffix may be a column instead."""
    quotes = "" if Path(file).suffix else "'"
    names = {re.escape(name) for name in (file, Path(file).name) if name.strip(".")}
    return any(re.search(rf"(?<![\w{quotes}]){name}(?![\w{quotes}])", text) for name in names)
