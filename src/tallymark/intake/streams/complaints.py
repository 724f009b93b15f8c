"""What is wrong with rows, counted in all parts of a table and told once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MissingValueError, TallymarkError
from tallymark.intake.rows import LEAVE_OUT

SHOWN = 3
"""How many rows are named, and how many of the values that they hold."""
_LOOKED_AT = 50
MISSING = 1
"""The turn of missing values, which are told of all columns at once."""

Place = tuple[int, int]
"""A part of the table, and a row of it, both from 0."""
Places = Callable[[Sequence[Place], int], str]
"""Words for the first rows that are wrong, and how many more there are."""
Told = Callable[[Sequence[str], int, str], TallymarkError]
"""The error, from examples, the number of rows and where they are."""
Key = tuple[int, int]
"""The turn of a complaint, and its place among those of the same turn."""


@dataclass
class Complaint:
    """Rows that one thing is wrong with."""

    told: Told | None
    """None of missing values, whose only example is the column."""
    number: int = 0
    rows: list[Place] = field(default_factory=list)
    """The first of them."""
    examples: list[str] = field(default_factory=list)
    """What the first of them hold."""

    def where(self, places: Places) -> str:
        return places(self.rows, self.number - len(self.rows))


@dataclass
class Complaints:
    """All that is wrong, by its turn and its place in it: what would be asked first is told first."""

    rows: int = 0
    """Rows looked at."""
    found: dict[Key, Complaint] = field(default_factory=dict)
    times: NDArray[np.int64] | None = None
    """How many rows each of a batch stands for, where equal ones were counted before."""

    def add(
        self,
        key: Key,
        wrong: NDArray[np.bool_],
        told: Told | None,
        held: Callable[[int], str] | None = None,
    ) -> None:
        """Rows of a batch that are wrong; `held` tells what a row holds."""
        rows = np.flatnonzero(wrong)
        if len(rows):
            shown = [] if held is None else map(held, rows[:_LOOKED_AT].tolist())
            examples = list(dict.fromkeys(shown))[:SHOWN]
            number = len(rows) if self.times is None else int(self.times[rows].sum())
            places = [(0, row) for row in rows[:SHOWN].tolist()]
            self._note(key, Complaint(told, number, places, examples))

    def missing(self, place: int, role: str, missing: NDArray[np.bool_] | None) -> None:
        """Rows of a batch in which a column has no value."""
        if missing is not None:
            self.add((MISSING, place), missing, None, lambda _: role)

    def within(self, part: int, before: int = 0) -> Complaints:
        """Those of a batch, told of a part of the table in which so many rows come before."""
        found = {
            key: replace(each, rows=[(part, before + row) for _, row in each.rows])
            for key, each in self.found.items()
        }
        return Complaints(self.rows, found)

    def then(self, other: Complaints) -> Complaints:
        """These, and those of rows that come later."""
        both = Complaints(self.rows + other.rows, {key: replace(each) for key, each in self.found.items()})
        for key, each in other.found.items():
            both._note(key, each)
        return both

    def _note(self, key: Key, new: Complaint) -> None:
        known = self.found.setdefault(key, Complaint(new.told))
        known.number += new.number
        known.rows = (known.rows + new.rows)[:SHOWN]
        known.examples = list(dict.fromkeys(known.examples + new.examples))[:SHOWN]

    def first(self, places: Places) -> tuple[int, str]:
        """How many rows what comes first is about, and words for where they are."""
        complaint = self.found[min(self.found)]
        return complaint.number, complaint.where(places)

    def tell(self, places: Places) -> None:
        """Raise what comes first, if anything is wrong."""
        if not self.found:
            return
        first = self.found[min(self.found)]
        if first.told is not None:
            raise first.told(first.examples, first.number, first.where(places))
        columns = [
            f"{each.examples[0]} is missing in {each.number:,} of {self.rows:,} rows, at {each.where(places)}"
            for key, each in sorted(self.found.items(), key=lambda item: item[0])
            if key[0] == MISSING
        ]
        raise MissingValueError(f"{'; '.join(columns)}.", hint=LEAVE_OUT)


def in_brackets(labels: Sequence[str]) -> str:
    """Labels that are quoted already, in their order, whichever was seen first: numbers by value."""

    def place(label: str) -> tuple[int, str]:
        return (int(label), "") if label.removeprefix("-").isdecimal() else (0, label)

    return f"[{', '.join(sorted(labels, key=place))}]"
