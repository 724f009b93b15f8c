"""What workers make of the parts of a table, and how it is put together in the order of the table.

Nothing is raised on a worker, which would be tried again there and lose what others found: what is wrong is
an outcome like any other, and told when all parts are there. An outcome has `within(part, before)`, the same
told of rows of a part, and `then(later)`, with what was made of the rows that come later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from tallymark.errors import TallymarkError
from tallymark.intake.streams.complaints import Complaints, Places
from tallymark.intake.streams.counting import refuse_many
from tallymark.intake.streams.door import Reading, read_batch
from tallymark.intake.streams.passes import (
    check_sum,
    check_whole,
    count_batch,
    located,
    marked,
    refuse_large,
)
from tallymark.tallies.tally import Declared, Tally


class Anywhere:
    """An outcome that names no rows, so that it is the same whatever part of a table they are."""

    def within(self, part: int, before: int) -> Self:  # noqa: ARG002
        return self


@dataclass(frozen=True)
class Failed:
    """An error in the place of an outcome; rows that it names are rows of a part."""

    problem: TallymarkError
    part: int = 0
    before: int = 0

    def then(self, _: Any) -> Failed:
        return self

    def error(self, where: Places) -> TallymarkError:
        """What is raised, about rows of the table."""
        return located(self.problem, self.part, where, self.before)


def outcome(work: Callable[[Any], Any], batch: Any, part: int, before: int = 0) -> Any:
    """What work makes of a batch: its value, told of a part of the table, or what it raised."""
    try:
        return work(batch).within(part, before)
    except TallymarkError as problem:
        return Failed(problem, part, before)


def both(first: Any, later: Any) -> Any:
    """Two outcomes put together."""
    if isinstance(later, Failed):
        return first if isinstance(first, Failed) else later
    try:
        return first.then(later)
    except TallymarkError as problem:
        return Failed(problem)


@dataclass(frozen=True)
class Tallied:
    """The tally of some rows, what is wrong with them, and how much memory it may take."""

    tally: Tally | None
    """None where something is wrong."""
    complaints: Complaints
    weights: tuple[float, float]
    """The largest, and what they add up to."""
    reading: Reading
    memory: int

    def within(self, part: int, before: int) -> Tallied:
        complaints = self.complaints.within(part, before)
        return Tallied(self.tally, complaints, self.weights, self.reading, self.memory)

    def then(self, later: Tallied) -> Tallied:
        (one, first), (two, second) = self.weights, later.weights
        check_sum(first + second, self.reading)
        tally = None
        if self.tally is not None and later.tally is not None:
            refuse_large([self.tally, later.tally], self.memory)
            tally = self.tally + later.tally
            for columns, found in tally.slices.items():
                refuse_many(len(found), columns)
        complaints = self.complaints.then(later.complaints)
        return Tallied(tally, complaints, (max(one, two), first + second), self.reading, self.memory)


def whole_tally(found: Tallied, where: Places, reading: Reading, check: Callable[[Tally], None]) -> Tally:
    """The tally of all rows; raises what is wrong with any of them."""
    found.complaints.tell(where)
    assert found.tally is not None
    check(found.tally)
    check_whole(found.tally, found.weights[0], reading)
    return found.tally


@dataclass(frozen=True)
class Counting:
    """The work of counting a batch, which can be sent to a worker."""

    reading: Reading
    declared: Declared
    memory: int

    def __call__(self, batch: Any) -> Tallied:
        counted = count_batch(batch, self.reading, self.declared)
        tally = None if counted.complaints.found else counted.tally
        return Tallied(tally, counted.complaints, counted.weights, self.reading, self.memory)


@dataclass(frozen=True)
class Faults:
    """What is wrong with some rows."""

    complaints: Complaints

    def within(self, part: int, before: int) -> Faults:
        return Faults(self.complaints.within(part, before))

    def then(self, later: Faults) -> Faults:
        return Faults(self.complaints.then(later.complaints))


@dataclass(frozen=True)
class LookingForFaults:
    """The work of looking for what is wrong, which can be sent to a worker."""

    reading: Reading

    def __call__(self, batch: Any) -> Faults:
        return Faults(read_batch(batch, self.reading, marked).complaints)
