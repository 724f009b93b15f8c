"""Files that are opened one by one by whoever counts them: workers of a cluster, or this process.

Each gives one outcome, of which the places are those of lines or rows as the reader tells them, so that what
is wrong is told here in the same words as if the files had been read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallymark.errors import EngineError, FileError, TallymarkError
from tallymark.inference.progress import shown as with_progress
from tallymark.intake.engines.parts import Counting, Failed, LookingForFaults, both, outcome, whole_tally
from tallymark.intake.engines.tables import InTurn
from tallymark.intake.files.column_types import common_schema
from tallymark.intake.files.gzipped import named_as
from tallymark.intake.files.kinds import size_of
from tallymark.intake.files.tables import PLACES_SHOWN, in_words, no_rows
from tallymark.intake.streams.complaints import Complaints, Place
from tallymark.intake.streams.door import Reading
from tallymark.intake.streams.file_store import FileStore
from tallymark.intake.streams.passes import in_order, marked
from tallymark.intake.streams.scan import scan_files
from tallymark.tallies.tally import Declared, Tally

if TYPE_CHECKING:
    import polars as pl

    from tallymark.intake.streams.scan import Scan

Numbers = Callable[[Sequence[int]], list[int]]
"""Which line, or row, of a file each of its rows (from 0) is."""
Spread = Callable[[Sequence[Callable[[], Any]], str], Any]
"""Runs tasks somewhere, and puts their outcomes together in order; None if there are no tasks."""


@dataclass(frozen=True)
class FromFile:
    """What was made of a file, or of several that follow each other."""

    value: Any
    """None if there are no rows."""
    columns: tuple[str, ...] = ()
    numbers_mix: bool = False
    types: Mapping[tuple[pl.DataType, ...], Path] = field(default_factory=dict)
    """The first file that has each set of types, where no schema tells them before."""

    def then(self, later: FromFile) -> FromFile | Failed:
        new = {each: path for each, path in later.types.items() if each not in self.types}
        types = {**self.types, **new}
        if self.types and new:
            schemas = [dict(zip(self.columns, each, strict=True)) for each in types]
            common_schema(list(types.values()), schemas, numbers_mix=self.numbers_mix)
        found = [value for value in (self.value, later.value) if value is not None]
        value = both(*found) if len(found) == 2 else found[0] if found else None
        return value if isinstance(value, Failed) else replace(self, value=value, types=types)


@dataclass(frozen=True)
class FileTask:
    """The work of counting a file with our own reader, which can be sent to a worker."""

    work: Callable[[Any], Any]
    part: int
    path: Path
    """As the user named it."""
    place: Path
    """Where a worker finds it."""
    columns: tuple[str, ...]
    delimiter: str | None
    memory: int
    types: Mapping[str, pl.DataType] | None
    """Those of the whole table, where files tell them before they are read."""

    def __call__(self) -> Any:
        options: dict[str, Any] = {"delimiter": self.delimiter, "memory": self.memory, "may_be_empty": True}
        try:
            self._check_seen()
            with (
                named_as(self.path, self.place),
                scan_files([self.place], self.columns, **options) as scan,
            ):
                return self.made(scan)
        except TallymarkError as problem:
            return Failed(problem, self.part)

    def made(self, scan: Scan) -> FromFile | Failed:
        """What becomes of the file."""

        def numbers(rows: Sequence[int]) -> list[int]:
            return scan.numbers(0, rows)[1]

        return self.counted(scan, (piece.read() for piece in scan.pieces()), numbers)[0]

    def counted(
        self, scan: Scan, frames: Iterable[pl.DataFrame], numbers: Numbers, *, side_by_side: bool = False
    ) -> tuple[FromFile | Failed, int]:
        """What becomes of the rows that are given, and how many there are."""
        total, before = InTurn(), 0
        types: dict[tuple[pl.DataType, ...], Path] = {}

        def placed() -> Iterator[tuple[int, pl.DataFrame]]:
            nonlocal before
            for frame in frames:
                whole = frame if self.types is None else frame.cast(self.types)  # type: ignore[arg-type]
                if self.types is None and not scan.text:
                    types.setdefault(tuple(frame.dtypes), self.path)
                yield before, whole
                before += frame.height

        def made(batch: tuple[int, pl.DataFrame]) -> Any:
            return outcome(self.work, batch[1], self.part, batch[0])

        if side_by_side:
            with closing(in_order(placed(), made)) as results:
                for _, future in results:
                    total.add(future.result())
        else:
            for batch in placed():
                total.add(made(batch))
        value = _numbered(total.finished(), self.part, numbers) if before else None
        if isinstance(value, Failed):
            return value, before
        return FromFile(value, self.columns, scan.format.name == "JSON", types), before

    def _check_seen(self) -> None:
        """Before anything is read of it, a file that is at hand here must be there for a worker."""
        try:
            size_of(self.place)
        except FileError as problem:
            raise EngineError(
                f"a worker could not open a file: {problem.message}",
                hint="files are opened by the workers, so all of them must find them at the same place: put "
                "them on storage that all share.",
            ) from None


def _numbered(value: Any, part: int, numbers: Numbers) -> Any:
    """An outcome whose places tell lines, or rows, as the reader counts them."""
    if value is None:
        return None
    if isinstance(value, Failed):

        def again(places: Sequence[Place], more: int = 0) -> str:
            return marked(numbers([row for _, row in places]), more)

        return Failed(value.error(again), part)
    found = {}
    for key, each in value.complaints.found.items():
        lines = numbers([row for _, row in each.rows])
        found[key] = replace(each, rows=[(part, line) for line in lines])
    return replace(value, complaints=Complaints(value.complaints.rows, found))


class FileParts(FileStore):
    """Files that are counted one by one, wherever `spread` runs tasks."""

    def __init__(
        self,
        scan: Scan,
        files: Sequence[Path],
        delimiter: str | None,
        memory: int,
        spread: Spread,
        task: type[FileTask] = FileTask,
    ) -> None:
        super().__init__(scan, files, delimiter)
        self._delimiter, self._memory = delimiter, memory
        self._spread, self._task = spread, task

    def count(
        self,
        reading: Reading,
        declared: Declared,
        memory: int,
        what: str = "reading",
        check: Callable[[Tally], None] = lambda _: None,
    ) -> Tally:
        found = self._made(Counting(reading, declared, memory), what)
        return whole_tally(found, self.where, reading, check)

    def wrong(self, reading: Reading) -> tuple[int, str]:
        found = self._made(LookingForFaults(reading), "looking for rows")
        return found.complaints.first(self.where)  # type: ignore[no-any-return]

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        """Words for lines, or rows, of files."""
        found, unit = sorted(set(places)), self.scan.format.unit

        def told(_: int, numbers: list[int]) -> tuple[str, list[int]]:
            return unit, numbers

        return in_words(self.scan.parts, found[:PLACES_SHOWN], len(found) + more, told)

    def _made(self, work: Callable[[Any], Any], what: str) -> Any:
        scan = self.scan
        tasks = [
            self._task(
                work, part, path, path.absolute(), scan.columns, self._delimiter, self._memory, scan.types
            )
            for part, path in enumerate(scan.parts)
        ]
        found = self._spread(tasks, what)
        if isinstance(found, Failed):
            raise found.error(self.where)
        if found.value is None:
            raise no_rows(scan.parts)
        return found.value


def in_turn(tasks: Sequence[Callable[[], Any]], what: str) -> Any:
    """Tasks run one after the other, here."""
    total = InTurn()
    for task in with_progress(tasks, len(tasks), what):
        made = task()
        total.add(made)
        if isinstance(made, Failed):
            break  # as no other can set it right
    return total.finished()
