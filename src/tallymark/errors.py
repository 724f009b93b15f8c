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


class TallymarkError(Exception):
    """Base of all of them."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class InputError(TallymarkError, ValueError):
    """The data cannot be used as it is."""


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


class MetricError(TallymarkError, KeyError):
    """No metric has that name."""


class MissingExtraError(TallymarkError, ImportError):
    """An optional package is needed."""


class MemoryLimitError(TallymarkError, MemoryError):
    """An exact answer needs more memory than is allowed."""


class WorkerError(TallymarkError, RuntimeError):
    """Workers died, or cannot be reached."""


class EngineError(TallymarkError, RuntimeError):
    """What holds a table, as Spark does, failed to count it; its own words are in the message."""
