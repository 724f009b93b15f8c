"""`EngineStore`: a table of an engine, counted by a group-by there or by numpy on its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallymark.errors import InputError, MemoryLimitError, ShapeError, TallymarkError
from tallymark.intake import frames
from tallymark.intake.columns import titled
from tallymark.intake.engines.groups import (
    Groups,
    labels_about,
    read_groups,
    refuse_changed,
    slices_with_losses,
    such_as,
    tallies_by,
    tally_of,
    with_losses,
    written,
)
from tallymark.intake.engines.parts import Counting, Failed, LookingForFaults, both, whole_tally
from tallymark.intake.engines.pushdown import MOST_CUTS, Asked, grouped, label_key, losses
from tallymark.intake.streams.complaints import Place
from tallymark.intake.streams.counting import slice_grid
from tallymark.intake.streams.door import Reading
from tallymark.intake.streams.file_store import labels_of
from tallymark.intake.streams.memory import in_words
from tallymark.intake.streams.passes import check_sum, check_whole
from tallymark.tallies import Label
from tallymark.tallies.binned import Binned
from tallymark.tallies.labels import quoted
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
    text = as_written = False
    pushes_down = True
    """Whether it can count by a group-by of its own."""
    file: str | None = None
    """A column with the file that a row is from."""
    repeated: Set[str] = frozenset()
    """Names that several columns have, of which none is in the table."""

    def __init__(self, native: Any) -> None:
        import narwhals.stable.v2 as nw

        with self.failing():
            frame = nw.from_native(native)
            self.frame: nw.LazyFrame[Any] = frame.lazy() if isinstance(frame, nw.DataFrame) else frame
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
        """Refuse columns that are not there, or more than once."""
        asked = list(columns)
        for name in asked:
            if name in self.repeated:
                raise frames.repeated_name(name)
        frames.check_names(asked, self.names)

    def holds_lists(self, column: str) -> bool:
        return bool(self.kinds[column].is_nested())

    def collected(self, columns: Sequence[str], memory: int, why: str) -> pl.DataFrame:
        """All rows, here, for what cannot be counted where they are."""
        import narwhals.stable.v2 as nw

        names = list(dict.fromkeys(columns))
        with self.failing():
            chosen = self.frame.select(*names)
            number = chosen.select(nw.len().alias("rows"))
        height = int(self.brought(number, "counting rows")["rows"][0])
        size = 2 * 8 * height * len(names)
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
        return whole_tally(found, self.where, reading, check)

    def _is_pushed_down(self, reading: Reading, declared: Declared) -> bool:
        """Whether one group-by can count all that is asked."""
        import narwhals.stable.v2 as nw

        roles, grid, actual = reading.roles, declared.grid, str(reading.roles.actual)
        others = [roles.actual, roles.predicted, roles.score, roles.weight]
        return (
            self.pushes_down
            and not (self.text or reading.missing_words or roles.probabilities or roles.group)
            and (grid is None or (len(grid.cuts) <= MOST_CUTS and not self.kinds[actual].is_temporal()))
            and not any(name in others for name in roles.slices)
            # A column of nothing but null may have no type, and then its numbers are missing.
            and not any(self.kinds[name] == nw.Unknown for name in (roles.score, roles.weight) if name)
        )

    def _from_groups(
        self,
        reading: Reading,
        declared: Declared,
        memory: int,
        what: str,
        check: Callable[[Tally], None],
    ) -> Tally:
        asked = Asked(reading, declared, (), self.file)
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
            refuse_changed(tally, slices[names].values())
        positive = labels_about(groups.columns, declared)
        if _have_losses([tally]):
            tally = with_losses(tally, self._losses(asked, positive, what))
        for names, found in slices.items():
            if _have_losses(found.values()):
                lost = self._losses(replace(asked, slices=names), positive, what)
                slices[names] = slices_with_losses(found, lost, names)
        return replace(tally, slices=slices)

    def _losses(self, asked: Asked, positive: Sequence[Label], what: str) -> Groups:
        with self.failing():
            query = losses(self.frame, self.kinds, asked, positive)
        table = self.brought(query, what)
        roles = replace(asked.reading.roles, score=None, weight=None)
        return read_groups(table, replace(asked.reading, roles=roles))

    def _groups(self, asked: Asked, memory: int, what: str) -> pl.DataFrame:
        most = max(_FEWEST, memory // _GROUP)
        with self.failing():
            query = grouped(self.frame, self.kinds, asked).head(most + 1)
        table = self.brought(query, what)
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
        with self.failing():
            key = label_key(name, self.kinds[name], "actual").alias("actual")
            query = self.frame.select(key).unique().head(_MOST_LABELS)
        column = self.brought(query, "looking for labels")["actual"].sort()

        def where(rows: Sequence[int]) -> str:
            return such_as([written({name: column[row]}) for row in rows])

        return labels_of(frames.series_labels(column, titled("actual", name), where))

    def wrong(self, reading: Reading) -> tuple[int, str]:
        roles = replace(reading.roles, score=None, weight=None, group=None, slices=())
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

        with self.failing():
            key = label_key(column, self.kinds[column], "id").alias("id")
            counts = self.frame.select(key).group_by("id").agg(nw.len().alias("rows"))
            again = counts.filter(nw.col("id").is_null() | (nw.col("rows") > 1))
        number = self.brought(again.select(nw.col("rows").sum()), "looking at ids")["rows"][0]
        if number:
            first = again.sort("id", nulls_last=True).head(_SHOWN)
            raise repeated_ids(column, number, self.brought(first, "looking at ids")["id"].to_list())


def repeated_ids(column: str, rows: int, examples: Sequence[Any]) -> InputError:
    """The error for ids that are there more than once, or missing."""
    shown = ", ".join("null" if value is None else quoted(value) for value in examples)
    return InputError(
        f"ids must be unique and present; column {column!r} repeats or lacks one in {rows:,} rows, such as "
        f"{shown}."
    )


def _have_losses(tallies: Iterable[Tally]) -> bool:
    """Whether any has scores on a grid that are all probabilities; those that are kept tell their losses."""
    return any(isinstance(tally.scores, Binned) and tally.scores.probable for tally in tallies)


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
    if text.endswith(":"):
        text = " ".join(lines[:2])
    return text if len(text) <= 400 else f"{text[:400]} ..."
