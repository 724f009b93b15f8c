"""One pass over files: pieces are read and counted side by side, and added up in the order of the table.

So the same files give the same tally to the last bit, however many threads there are.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, MemoryLimitError, MissingValueError, TallymarkError
from tallymark.inference.progress import scanning
from tallymark.intake.columns import LabelColumn, titled
from tallymark.intake.rows import same_family
from tallymark.intake.streams.complaints import SHOWN, Complaints, Place, Places
from tallymark.intake.streams.counting import count_columns, refuse_many
from tallymark.intake.streams.door import Columns, Reading, read_batch
from tallymark.intake.streams.memory import in_words
from tallymark.intake.weights import BETWEEN, DIVIDE, SMALLEST, no_weight, too_frequent
from tallymark.tallies import Label
from tallymark.tallies.binned import Binned
from tallymark.tallies.merging import EXACT
from tallymark.tallies.scores import Scores
from tallymark.tallies.tally import Declared, Tally

if TYPE_CHECKING:
    from tallymark.intake.streams.scan import Piece, Scan

_MARK = re.compile("\0([0-9,]*);([0-9]+)\0")
_MERGING = 3
"""How many times their own size counts take while they are added up."""
_IN_ANY_CASE = 1 << 28
"""What counts on a grid may take, however little memory is allowed."""
_NAME = 100
"""Bytes that the name of a group takes."""
_ALIKE = 1.5
"""Up to how many times the size of the next a tally is added to it."""


class Counted(NamedTuple):
    """What became of a piece."""

    tally: Tally
    complaints: Complaints
    rows: int
    weights: tuple[float, float]
    """The largest, and what they add up to."""


def count_batch(batch: Any, reading: Reading, declared: Declared) -> Counted:
    """What becomes of the rows of a piece."""
    columns = read_batch(batch, reading, marked)
    tally = count_columns(columns, declared)
    return Counted(tally, columns.complaints, columns.complaints.rows, _weighed(columns))


def count_files(
    scan: Scan,
    reading: Reading,
    declared: Declared,
    memory: int,
    what: str = "reading",
    check: Callable[[Tally], None] = lambda _: None,
) -> Tally:
    """The tally of all rows; raises what is wrong with any of them when all have been looked at.

    `check` looks at the tally of every piece, and raises what no other piece can set right.
    """
    table, complaints, total = Table(scan), Complaints(), Adding(memory)

    def counted(piece: Piece) -> Counted:
        return count_batch(piece.read(), reading, declared)

    largest = together = 0.0
    with scanning(scan.bytes, what) as advance, closing(in_order(scan.pieces(), counted)) as results:
        for piece, future in results:
            found: Counted = table.result(piece.part, future)
            complaints = complaints.then(table.placed(found.complaints, piece.part))
            table.add(piece.part, found.rows)
            largest, together = max(largest, found.weights[0]), together + found.weights[1]
            if not complaints.found:
                check_sum(together, reading)
                check(found.tally)
                total.add(found.tally)
            advance(piece.bytes, found.rows)
    complaints.tell(table.where)
    tally = total.finished()
    check_whole(tally, largest, reading)
    return tally


def check_whole(tally: Tally, largest: float, reading: Reading) -> None:
    """What is known to be wrong only when all rows have been counted."""
    if not tally.rows and tally.dropped and not tally.lines:
        raise MissingValueError("every row has a missing value, so none is left.")
    check_largest(largest, reading)
    _check_sides(tally, reading)


def _weighed(columns: Columns) -> tuple[float, float]:
    weight = columns.weight
    return (0.0, 0.0) if weight is None else (float(weight.max(initial=0)), float(weight.sum()))


def check_sum(together: float, reading: Reading) -> None:
    """Refuse frequencies that add up to too many rows."""
    if reading.weight_kind == "frequency" and together >= EXACT:
        raise too_frequent(titled("weight", reading.roles.weight or ""))


def check_largest(largest: float, reading: Reading) -> None:
    """Refuse weights of which none counts for anything, now that all are known."""
    if reading.roles.weight is None:
        return
    role = titled("weight", reading.roles.weight)
    if not largest:
        raise no_weight(role)
    if largest < SMALLEST:
        raise ColumnError(f"{role} is nowhere more than {largest!r}; {BETWEEN}.", hint=DIVIDE)


def _check_sides(tally: Tally, reading: Reading) -> None:
    """Refuse answers that can never be the actual labels, now that all of both are known."""
    roles, counted = reading.roles, tally.counted
    if roles.predicted is None:
        return
    actual, predicted = np.divmod(counted.cells, max(1, len(counted.labels)))
    same_family(
        _label_column(counted.labels, actual, titled("actual", str(roles.actual))),
        _label_column(counted.labels, predicted, titled("predicted", str(roles.predicted))),
        reading.labels,
    )


def _label_column(labels: Sequence[Label], positions: NDArray[np.int64], name: str) -> LabelColumn:
    """The labels at these positions, as a column."""
    names = tuple(str(labels[position]) for position in np.unique(positions).tolist())
    text = bool(names) and isinstance(labels[0], str)
    return LabelColumn(name, positions, names if text else None)


class Table:
    """The rows read so far, and where they stand in the files."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._rows: dict[int, int] = {}

    def __len__(self) -> int:
        return sum(self._rows.values())

    def add(self, part: int, rows: int) -> None:
        """So many more rows of a part; parts come one after the other."""
        self._rows[part] = self._rows.get(part, 0) + rows

    def before(self, part: int) -> int:
        """Rows of a part that were read so far."""
        return self._rows.get(part, 0)

    def placed(self, complaints: Complaints, part: int) -> Complaints:
        """What is wrong with the next rows of a part, told of that part."""
        return complaints.within(part, self.before(part))

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        """Words for rows of the table, and how many more there are."""
        return self._scan.where(places, more)

    def result(self, part: int, future: Future[Any]) -> Any:
        """What a worker made of the next piece; what it says of rows of the piece is said of the table."""
        try:
            return future.result()
        except TallymarkError as problem:
            raise located(problem, part, self._scan.where, self.before(part)) from None


def marked(rows: Sequence[int], more: int = 0) -> str:
    """Rows of a piece, to be named when it is known what stands before it, and how many more there are."""
    return f"\0{','.join(str(int(row)) for row in rows[:SHOWN])};{len(rows) + more}\0"


def located(problem: TallymarkError, part: int, where: Places, before: int = 0) -> TallymarkError:
    """An error about rows of a piece, told of rows of the table."""

    def placed(mark: re.Match[str]) -> str:
        rows = [int(row) for row in mark[1].split(",")]
        return where([(part, before + row) for row in rows], int(mark[2]) - len(rows))

    problem.message = _MARK.sub(placed, problem.message)
    return problem


def in_order(
    pieces: Iterator[Any], work: Callable[[Any], Any]
) -> Generator[tuple[Any, Future[Any]], None, None]:
    """Pieces with what becomes of each, worked on by as many threads as there are cores, in order."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = ThreadPoolExecutor(threads)
    try:
        # A few wait, so that no thread does; not all, for each holds a piece in memory.
        waiting = deque((piece, pool.submit(work, piece)) for piece in islice(pieces, threads + 1))
        while waiting:
            yield waiting.popleft()
            waiting.extend((piece, pool.submit(work, piece)) for piece in islice(pieces, 1))
    finally:
        pool.shutdown(cancel_futures=True)


class Adding:
    """Tallies added up in their order, like with like in size, so that nothing large is copied often."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._waiting: list[tuple[int, Tally]] = []

    def add(self, tally: Tally) -> None:
        self._waiting.append((size_in_memory(tally), tally))
        self._check_size()
        while len(self._waiting) > 1 and self._waiting[-2][0] <= _ALIKE * self._waiting[-1][0]:
            _, last = self._waiting.pop()
            both = self._waiting[-1][1] + last
            self._waiting[-1] = (size_in_memory(both), both)
        for columns, found in self._waiting[-1][1].slices.items():
            refuse_many(len(found), columns)

    def finished(self) -> Tally:
        total = self._waiting.pop()[1]
        while self._waiting:
            total = self._waiting.pop()[1] + total
        return total

    def _check_size(self) -> None:
        size = sum(size for size, _ in self._waiting)
        if _MERGING * size > self._memory:
            refuse_large([tally for _, tally in self._waiting], self._memory)


def refuse_large(tallies: Sequence[Tally], memory: int) -> None:
    """Refuse tallies that take more memory than is allowed when they are added up."""
    size = _MERGING * sum(map(size_in_memory, tallies))
    if size <= memory:
        return
    rows = sum(tally.rows for tally in tallies)
    more = "allow more with --memory (in Python memory=)"
    slices = " and the counts of all slices" if tallies[0].slices else ""
    if tallies[0].declared.groups:
        raise MemoryLimitError(
            f"groups are resampled with all that is counted of each, and the groups of the first {rows:,} "
            f"rows{slices} take {in_words(size)}; the memory allowed is {in_words(memory)}.",
            hint=f"{more}.",
        )
    if any(isinstance(each, Scores) for tally in tallies for each in _kept(tally)):
        raise MemoryLimitError(
            f"every different score is kept to be exact, and those of the first {rows:,} rows{slices} "
            f"take {in_words(size)}; the memory allowed is {in_words(memory)}.",
            hint="count them on a grid, which gives certified bounds: add --approximate (in Python "
            f"approximate=True), or {more}.",
        )
    if size <= _IN_ANY_CASE:
        return
    raise MemoryLimitError(
        f"the counts of the first {rows:,} rows{slices} take {in_words(size)}; the memory allowed is "
        f"{in_words(memory)}.",
        hint=f"{more}{', or slice by fewer columns' if slices else ''}.",
    )


def size_in_memory(tally: Tally) -> int:
    """Bytes of what may be large in a tally."""
    arrays = (
        len(each.positives) * ((4 if isinstance(each, Binned) else 3) + (0 if each.squares is None else 2))
        for each in _kept(tally)
    )
    return 8 * sum(arrays) + _size_of_groups(tally)


def _size_of_groups(tally: Tally) -> int:
    """Bytes of what is counted by group, with that of slices."""
    parts = [part for found in tally.slices.values() for part in found.values()]
    size = sum(map(_size_of_groups, parts))
    if tally.groups is not None:
        size += 8 * 3 * len(tally.groups.counts) + _NAME * len(tally.groups)
    if tally.score_groups is not None:
        size += 8 * 4 * len(tally.score_groups.positives) + _NAME * len(tally.score_groups)
    return size


def _kept(tally: Tally) -> Iterator[Scores | Binned]:
    """All counts of scores in a tally, with those of its slices."""
    if tally.scores is not None:
        yield tally.scores
    if tally.classes is not None:
        yield from tally.classes.counted
    for found in tally.slices.values():
        for part in found.values():
            yield from _kept(part)
