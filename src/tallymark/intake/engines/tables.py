"""`EngineStore`: a table of an engine, counted by a group-by there or by numpy on its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallymark.errors import InputError, MemoryLimitError, ShapeError, TallymarkError
from tallymark.intake import frames
from tallymark.intake.columns import array_places, titled
from tallymark.intake.engines.groups import read_groups, tallies_by, tally_of
from tallymark.intake.engines.parts import Counting, Failed, LookingForFaults, both
from tallymark.intake.engines.pushdown import MOST_CUTS, Asked, grouped, label_key
from tallymark.intake.streams.complaints import Place
from tallymark.intake.streams.counting import slice_grid
from tallymark.intake.streams.door import Reading
from tallymark.intake.streams.file_store import labels_of
from tallymark.intake.streams.memory import in_words
from tallymark.intake.streams.passes import check_sum, check_whole
from tallymark.tallies import Label
from tallymark.tallies.labels import may_be_positive, quoted
from tallymark.tallies.tally import Declared, Tally

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import polars as pl

_GROUP = 200
"""Bytes that a group takes here, and more."""
_FEWEST = 1 << 20
"""Groups that may come, however little memory is allowed."""
_MOST_LABELS = 1 << 20
_SHOWN = 3


class EngineStore(ABC):
    """A table that stays where it is."""

    engine: str
    """Its name, for messages."""
    text = False
    pushes_down = True
    """Whether it can count by a group-by of its own."""
    file: str | None = None
    """A column with the file that a row is from."""

    def __init__(self, native: Any) -> None:
        import narwhals.stable.v2 as nw

        frame = nw.from_native(native)
        self.frame: nw.LazyFrame[Any] = frame.lazy() if isinstance(frame, nw.DataFrame) else frame
        with self.failing():
            self.kinds = dict(self.frame.collect_schema())

    # --- what engines do in ways of their own ----------------------------------------------------

    @abstractmethod
    def mapped(self, work: Callable[[Any], Any], columns: Sequence[str], what: str) -> Any:
        """What work makes of the rows, part by part where they are, put together in order.

        None if there are no rows. The work takes columns by name, and can be pickled (by cloudpickle).
        """

    @abstractmethod
    def where(self, places: Sequence[Place], more: int = 0) -> str:
        """Words for rows of parts, and for how many more."""

    def brought(self, query: nw.LazyFrame[Any], what: str) -> pl.DataFrame:  # noqa: ARG002
        """The few rows that a query gives, here."""
        with self.failing():
            return query.collect("polars").to_native()  # type: ignore[no-any-return]

    @contextmanager
    def failing(self) -> Iterator[None]:
        """The engine's own errors, in one sentence."""
        yield

    # --- what all of them do in the same way -----------------------------------------------------

    @property
    def called(self) -> str:
        return f"the rows of the {self.engine} table"

    @property
    def names(self) -> list[str]:
        return list(self.kinds)

    def check_columns(self, columns: Iterable[str]) -> None:
        """Refuse columns that are not there."""
        for name in columns:
            if name not in self.kinds:
                raise frames.absent(name, self.names)

    def holds_lists(self, column: str) -> bool:
        return bool(self.kinds[column].is_nested())

    def collected(self, columns: Sequence[str], memory: int, why: str) -> pl.DataFrame:
        """All rows, here, for what cannot be counted where they are."""
        import narwhals.stable.v2 as nw

        chosen = self.frame.select(*dict.fromkeys(columns))
        height = int(self.brought(chosen.select(nw.len().alias("rows")), "counting rows")["rows"][0])
        size = 2 * 8 * height * len(chosen.collect_schema().names())
        if size > memory:
            raise MemoryLimitError(
                f"{why} needs rows, and {self.called}, {height:,} of them, would take about {in_words(size)} "
                f"here; the memory allowed is {in_words(memory)}.",
                hint="allow more with memory=, or evaluate fewer rows.",
            )
        return self.brought(chosen, "collecting rows")

    def count(
        self,
        reading: Reading,
        declared: Declared,
        memory: int,
        what: str = "reading",
        check: Callable[[Tally], None] = lambda _: None,
    ) -> Tally:
        if self._is_pushed_down(reading, declared):
            return self._from_groups(reading, declared, memory, what, check)
        found = self.mapped(Counting(reading, declared, memory), reading.roles.used, what)
        if found is None:
            raise ShapeError("there are no rows.")
        if isinstance(found, Failed):
            raise found.error(self.where)
        found.complaints.tell(self.where)
        assert found.tally is not None
        check(found.tally)
        check_whole(found.tally, found.weights[0], reading)
        return found.tally  # type: ignore[no-any-return]

    def _is_pushed_down(self, reading: Reading, declared: Declared) -> bool:
        """Whether one group-by can count all that is asked."""
        roles, grid = reading.roles, declared.grid
        others = [roles.actual, roles.predicted, roles.score, roles.weight]
        return (
            self.pushes_down
            and not (self.text or reading.missing_words or roles.probabilities or roles.group)
            and (grid is None or len(grid.cuts) <= MOST_CUTS)
            and not any(name in others for name in roles.slices)
        )

    def _from_groups(
        self,
        reading: Reading,
        declared: Declared,
        memory: int,
        what: str,
        check: Callable[[Tally], None],
    ) -> Tally:
        positive: tuple[Label, ...] = ()
        if declared.score and declared.grid is not None:
            labels = self.some_labels(reading)
            positive = tuple(label for label in labels if may_be_positive(label, declared.positive))
        asked = Asked(reading, declared, (), positive, self.file)
        table = self._groups(asked, memory, what)
        if not len(table):
            raise ShapeError("there are no rows.")
        groups = read_groups(table, reading)
        groups.complaints.tell(groups.where)
        check_sum(groups.together, reading)
        tally = tally_of(groups, declared)
        check(tally)
        check_whole(tally, groups.heaviest, reading)
        of_slice = replace(declared, slices=(), grid=slice_grid(declared))
        slices = {}
        for names in declared.slices:
            table = self._groups(replace(asked, declared=of_slice, slices=names), memory, what)
            slices[names] = tallies_by(read_groups(table, reading), of_slice, names)
        return replace(tally, slices=slices)

    def _groups(self, asked: Asked, memory: int, what: str) -> pl.DataFrame:
        most = max(_FEWEST, memory // _GROUP)
        table = self.brought(grouped(self.frame, self.kinds, asked).head(most + 1), what)
        if len(table) <= most:
            return table
        exact = asked.grid is None and asked.reading.roles.score is not None
        grid = "count scores on a grid, which gives certified bounds: add --approximate (in Python "
        slices = "" if not asked.slices else " in all slices"
        raise MemoryLimitError(
            f"{self.called} have more than {most:,} different {'scores' if exact else 'labels'}{slices}, "
            f"which do not fit into the {in_words(memory)} of memory allowed.",
            hint=f"{grid}approximate=True), or allow more with --memory (in Python memory=)."
            if exact
            else "allow more with --memory (in Python memory=), or slice by fewer columns.",
        )

    def some_labels(self, reading: Reading) -> list[Label]:
        name = str(reading.roles.actual)
        query = self.frame.select(label_key(name, self.kinds[name]).alias("actual")).unique()
        column = self.brought(query.head(_MOST_LABELS), "looking for labels")["actual"]
        return labels_of(frames.series_labels(column, titled("actual", name), array_places))

    def wrong(self, reading: Reading) -> tuple[int, str]:
        roles = replace(reading.roles, score=None, weight=None, slices=())
        reading, declared = replace(reading, roles=roles), Declared()
        if self._is_pushed_down(reading, declared):
            table = self._groups(Asked(reading, declared, file=self.file), 0, "looking for rows")
            groups = read_groups(table, reading)
            return groups.complaints.first(groups.where)
        found = self.mapped(LookingForFaults(reading), reading.roles.used, "looking for rows")
        if isinstance(found, Failed):
            raise found.error(self.where)
        return found.complaints.first(self.where)  # type: ignore[no-any-return]

    def refuse_repeated(self, column: str, memory: int) -> None:  # noqa: ARG002
        import narwhals.stable.v2 as nw

        key = label_key(column, self.kinds[column]).alias("id")
        counts = self.frame.select(key).group_by("id").agg(nw.len().alias("rows"))
        again = counts.filter(nw.col("id").is_null() | (nw.col("rows") > 1))
        number = self.brought(again.select(nw.col("rows").sum()), "looking at ids")["rows"][0]
        if number:
            some = self.brought(again.head(_SHOWN), "looking at ids")["id"].to_list()
            shown = ", ".join("null" if value is None else quoted(value) for value in some)
            raise InputError(
                f"ids must be unique and present; column {column!r} repeats or lacks one in {number:,} rows, "
                f"such as {shown}."
            )


class InTurn:
    """Outcomes put together as they come, like with like in size, so that nothing large is copied often."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Any]] = []

    def add(self, outcome: Any) -> None:
        self._waiting.append((1, outcome))
        while len(self._waiting) > 1 and self._waiting[-2][0] == self._waiting[-1][0]:
            size, last = self._waiting.pop()
            self._waiting[-1] = (2 * size, both(self._waiting[-1][1], last))

    def finished(self) -> Any:
        """All of them; None if there was none."""
        if not self._waiting:
            return None
        total = self._waiting.pop()[1]
        while self._waiting:
            total = both(self._waiting.pop()[1], total)
        return total


def one_line(problem: BaseException) -> str:
    """The first words of an engine's error, which may be pages long."""
    if isinstance(problem, TallymarkError):
        return problem.message
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    text = lines[0] if lines else type(problem).__name__
    return text if len(text) <= 400 else f"{text[:400]} ..."
