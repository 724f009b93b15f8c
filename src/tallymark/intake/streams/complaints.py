"""What is wrong with rows, counted in all parts of a table and told once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MissingValueError, TallymarkError
from tallymark.intake.rows import LEAVE_OUT

SHOWN = 3
"""How many rows are named, and how many of the values that they hold."""
_LOOKED_AT = 50
MISSING = 1
"""The turn of missing values, which are told of all columns at once."""

Places = Callable[[Sequence[int], int], str]
"""Words for the first rows that are wrong, counted from 0 in the whole table, and how many more there are."""
Told = Callable[[str, int, str], TallymarkError]
"""The error, from examples, the number of rows and where they are."""
Key = tuple[int, int]
"""The turn of a complaint, and its place among those of the same turn."""


@dataclass
class Complaint:
    """Rows that one thing is wrong with."""

    told: Told | None
    """None of missing values, whose only example is the column."""
    number: int = 0
    rows: list[int] = field(default_factory=list)
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
            self._note(key, Complaint(told, len(rows), rows[:SHOWN].tolist(), examples))

    def missing(self, place: int, role: str, missing: NDArray[np.bool_] | None) -> None:
        """Rows of a batch in which a column has no value."""
        if missing is not None:
            self.add((MISSING, place), missing, None, lambda _: role)

    def after(self, other: Complaints, rows: int) -> None:
        """Those of the next batch, which so many rows come before."""
        self.rows = rows + other.rows
        for key, each in other.found.items():
            self._note(
                key, Complaint(each.told, each.number, [row + rows for row in each.rows], each.examples)
            )

    def _note(self, key: Key, new: Complaint) -> None:
        known = self.found.setdefault(key, Complaint(new.told))
        known.number += new.number
        known.rows = (known.rows + new.rows)[:SHOWN]
        known.examples = list(dict.fromkeys(known.examples + new.examples))[:SHOWN]

    def tell(self, places: Places) -> None:
        """Raise what comes first, if anything is wrong."""
        if not self.found:
            return
        first = self.found[min(self.found)]
        if first.told is not None:
            raise first.told(", ".join(first.examples), first.number, first.where(places))
        columns = [
            f"{each.examples[0]} is missing in {each.number:,} of {self.rows:,} rows, at {each.where(places)}"
            for key, each in sorted(self.found.items(), key=lambda item: item[0])
            if key[0] == MISSING
        ]
        raise MissingValueError(f"{'; '.join(columns)}.", hint=LEAVE_OUT)
