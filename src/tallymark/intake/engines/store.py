"""`Store`: rows that are counted where they are, be that files, a database or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tallymark.intake.streams.door import Reading
from tallymark.tallies import Label
from tallymark.tallies.tally import Declared, Tally


class Store(Protocol):
    """What an evaluation asks of rows that it never sees."""

    @property
    def called(self) -> str:
        """What messages call it: `the files`, `the rows of the Spark table`."""

    @property
    def text(self) -> bool:
        """Whether every value is text as written in a file."""

    @property
    def as_written(self) -> bool:
        """Whether labels are from a text file, be its numbers typed or not."""

    def holds_lists(self, column: str) -> bool:
        """Whether a column has several values in a row, by its type."""

    def count(
        self,
        reading: Reading,
        declared: Declared,
        memory: int,
        what: str = "reading",
        check: Callable[[Tally], None] = lambda _: None,
    ) -> Tally:
        """The tally of all rows; raises what is wrong with any of them when all have been looked at.

        `check` looks at the tally of some rows, and raises what no other rows can set right.
        """

    def some_labels(self, reading: Reading) -> list[Label]:
        """Actual labels of all rows, or of the first that have any."""

    def wrong(self, reading: Reading) -> tuple[int, str]:
        """How many rows the first complaint is about, and words for where they are."""

    def refuse_repeated(self, column: str, memory: int) -> None:
        """Raise an error if ids of rows are missing, or there more than once."""
