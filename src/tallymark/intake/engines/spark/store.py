"""A data frame of Spark: counted by a group-by there, or by its executors part by part."""

from __future__ import annotations

import pickle
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark._version import __version__
from tallymark.errors import ColumnError, EngineError, TallymarkError
from tallymark.intake.engines.partitions import rows_of_partitions
from tallymark.intake.engines.parts import Failed, outcome
from tallymark.intake.engines.spark.errors import failing, refuse_stopped
from tallymark.intake.engines.spark.sessions import session_of as session_of
from tallymark.intake.engines.tables import EngineStore, InTurn
from tallymark.intake.streams.complaints import Place

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import polars as pl

_ROWS = 1 << 18
"""Rows that are counted at once: Spark sends them in batches of ten thousand."""
_WIDTH = 256
"""Outcomes that are put together by one task, so that few come here however many partitions there are."""
_EXACTLY = "UTF8_BINARY"
"""The collation of text that is equal only if its bytes are; before Spark 4 there was no other."""
_SCHEMA = "part long, outcome binary"


class SparkStore(EngineStore):
    engine = "Spark"

    def __init__(self, native: Any) -> None:
        refuse_stopped(native.sparkSession)
        with self.failing():
            times = Counter(native.columns)
            self.repeated = {name for name, number in times.items() if number > 1}
            if self.repeated:
                # By their places, for a name that is there twice cannot be asked for.
                numbered = [f"{place} {name}" for place, name in enumerate(native.columns)]
                alone = [f"`{each}`" for each in numbered if each.split(" ", 1)[1] not in self.repeated]
                native = native.toDF(*numbered).select(*alone)
                native = native.toDF(*(name for name, number in times.items() if number == 1))
            native = _compared_exactly(native)
        super().__init__(native)

    def mapped(self, work: Callable[[Any], Any], columns: Sequence[str], what: str) -> Any:  # noqa: ARG002
        with self.failing():
            chosen = self.frame.to_native().select(*(f"`{name}`" for name in dict.fromkeys(columns)))
            return _put_together(chosen.mapInArrow(_OfPartition(work, __version__), _SCHEMA))

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        return rows_of_partitions(places, more)

    def brought(self, query: nw.LazyFrame[Any], what: str) -> pl.DataFrame:  # noqa: ARG002
        with self.failing():
            return _frame(query.to_native().toArrow())

    @contextmanager
    def failing(self) -> Iterator[None]:
        with failing():
            yield

    def check_columns(self, columns: Iterable[str]) -> None:
        columns = list(columns)
        super().check_columns(columns)
        for name in columns:
            if "." in name or "`" in name:
                raise ColumnError(
                    f"column {name!r} has a name that Spark takes for a part of a column.",
                    hint="rename it with withColumnRenamed.",
                )


def _compared_exactly(table: Any) -> Any:
    """Text of a column that is compared without case, or accents, would be one label, or one id."""
    from pyspark.sql import functions as of
    from pyspark.sql.types import StringType

    kinds = {field.name: field.dataType for field in table.schema.fields}
    loose = [name for name, kind in kinds.items() if getattr(kind, "collation", _EXACTLY) != _EXACTLY]
    if not loose:
        return table
    # Names in backquotes may hold any sign.
    quoted = {name: "`" + name.replace("`", "``") + "`" for name in loose}
    return table.withColumns({name: of.col(quoted[name]).cast(StringType()) for name in loose})


def spread(
    session: Any,
    tasks: Sequence[Callable[[], Any]],
    what: str,  # noqa: ARG001
    called: Callable[[int], str] = "task {:,} (counted from 0)".format,
) -> Any:
    """What tasks make, each of them run by an executor, put together in order; None without tasks.

    `called` tells what a task is about, where one fails.
    """
    if not tasks:
        return None
    with failing(called):
        numbers = session.range(0, len(tasks), 1, len(tasks))
        return _put_together(numbers.mapInArrow(_OfTasks(tuple(tasks), __version__), _SCHEMA))


# --- on executors --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _OfPartition:
    """Counts the batches of a partition."""

    work: Callable[[Any], Any]
    version: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        part, before, total = context.partitionId(), 0, InTurn()
        for piece in _pieces(batches):
            total.add(_of_other_version(self.version) or outcome(self.work, piece, part, before))
            before += len(piece)
        yield from _sent(part, total)


@dataclass(frozen=True)
class _OfTasks:
    """Runs the tasks whose numbers come."""

    tasks: tuple[Callable[[], Any], ...]
    version: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                total = InTurn()
                total.add(_of_other_version(self.version) or self._made(number))
                yield from _sent(number, total)

    def _made(self, number: int) -> Any:
        try:
            return self.tasks[number]()
        except TallymarkError as problem:
            return Failed(problem, number)


def _of_other_version(version: str) -> Failed | None:
    """Counts of another version may mean something else."""
    if version == __version__:
        return None
    return Failed(
        EngineError(
            f"the executors of Spark have tallymark {__version__}, and here it is {version}.",
            hint=f"install tallymark {version} on them.",
        )
    )


def _pieces(batches: Iterable[Any]) -> Iterator[pl.DataFrame]:
    """The rows of batches, many at once."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= _ROWS:
            yield _frame(pa.Table.from_batches(waiting))
            waiting = []
    if any(each.num_rows for each in waiting):
        yield _frame(pa.Table.from_batches(waiting))


def _merged(table: Any) -> Any:
    """Outcomes of neighbours as one, numbered for the next to be put together."""
    import pyarrow as pa

    part = table.column("part")[0].as_py() // _WIDTH
    return pa.Table.from_batches(_sent(part, _in_order(table)))


def _sent(part: int, total: InTurn) -> Iterator[Any]:
    """What was made of a part, if it has rows, as a row for Spark."""
    dumps: Any
    import pyarrow as pa
    from pyspark.cloudpickle import dumps

    made = total.finished()
    if made is not None:
        data = zlib.compress(dumps(made), 1)
        yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.int64()), "outcome": [data]})


# --- on both sides -------------------------------------------------------------------------------


def _put_together(outcomes: Any) -> Any:
    """One outcome of those of all parts."""
    from pyspark.sql import functions as of

    bundled = outcomes.groupBy(of.floor(of.col("part") / _WIDTH)).applyInArrow(_merged, _SCHEMA)
    return _in_order(bundled.toArrow()).finished()


def _in_order(table: Any) -> InTurn:
    total = InTurn()
    for row in table.sort_by("part").to_pylist():
        total.add(pickle.loads(zlib.decompress(row["outcome"])))
    return total


def _frame(table: Any) -> pl.DataFrame:
    import polars as pl

    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame
