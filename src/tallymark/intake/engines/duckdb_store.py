"""A relation of DuckDB: counted by it, or batch by batch as it gives its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from tallymark.errors import ColumnError, EngineError
from tallymark.intake.columns import array_places
from tallymark.intake.engines.parts import outcome
from tallymark.intake.engines.tables import EngineStore, InTurn, one_line
from tallymark.intake.streams.complaints import Place
from tallymark.intake.streams.passes import in_order

if TYPE_CHECKING:
    import polars as pl

_ROWS = 1 << 18
_ALL_COLUMNS = "*"


class BatchStore(EngineStore):
    """A table in this process that gives its rows in batches."""

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        raise NotImplementedError

    def mapped(self, work: Callable[[Any], Any], columns: Sequence[str], what: str) -> Any:  # noqa: ARG002
        total = InTurn()

        def numbered() -> Iterator[tuple[int, pl.DataFrame]]:
            before = 0
            with self.failing():
                for batch in self.batches(columns):
                    yield before, batch
                    before += len(batch)

        def made(piece: tuple[int, pl.DataFrame]) -> Any:
            before, batch = piece
            return outcome(work, batch, 0, before)

        with closing(in_order(numbered(), made)) as results:
            for _, future in results:
                total.add(future.result())
        return total.finished()

    @property
    def problems(self) -> tuple[type[Exception], ...]:
        """The errors of what rows come through; an engine adds its own."""
        from narwhals.exceptions import NarwhalsError
        from polars.exceptions import PolarsError

        return (NarwhalsError, PolarsError)

    @contextmanager
    def failing(self) -> Iterator[None]:
        try:
            yield
        except self.problems as problem:
            raise EngineError(f"{self.engine} failed: {one_line(problem)}") from problem

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        return array_places([row for _, row in places], more)


class DuckStore(BatchStore):
    engine = "DuckDB"

    def __init__(self, native: Any) -> None:
        from duckdb import ColumnExpression

        with self.failing():
            kinds = dict(zip(native.columns, native.types, strict=False))
            # Names are compared without case: of "y" and "Y" DuckDB gives the first, whichever is asked for.
            times = Counter(name.lower() for name in native.columns)
            self.repeated = {name for name in kinds if times[name.lower()] > 1}
            columns = [
                (ColumnExpression(name), name)
                for name in kinds
                if name not in self.repeated and name != _ALL_COLUMNS
            ]
            if not columns:
                self.check_columns(kinds)
            # Text of a column that is compared without case would be one label, or one id.
            native = native.select(
                *(
                    column.collate("C").alias(name) if kinds[name] == "VARCHAR" else column
                    for column, name in columns
                )
            )
        super().__init__(native)

    def check_columns(self, columns: Iterable[str]) -> None:
        columns = list(columns)
        if _ALL_COLUMNS in columns:
            raise ColumnError(
                f"a column is called {_ALL_COLUMNS!r}, which DuckDB takes for all columns.",
                hint='rename it: SELECT "*" AS score FROM ...',
            )
        super().check_columns(columns)

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        return frames_of(self.frame.select(*columns).to_native())

    @property
    def problems(self) -> tuple[type[Exception], ...]:
        import duckdb

        return (*super().problems, duckdb.Error)

    @contextmanager
    def failing(self) -> Iterator[None]:
        import duckdb

        with super().failing():
            try:
                with interruptible():
                    yield
            except duckdb.ConnectionException as problem:
                if "closed" not in str(problem):
                    raise
                raise EngineError(
                    "the DuckDB connection of this table is closed.",
                    hint="make the table again with one that is open.",
                ) from problem


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C as Python knows it: DuckDB makes an error of it."""
    try:
        yield
    except RuntimeError as problem:
        if "interrupted" in str(problem):
            raise KeyboardInterrupt from None
        raise


def frames_of(relation: Any) -> Iterator[pl.DataFrame]:
    """The rows of a relation of DuckDB, many at once."""
    import polars as pl

    # Before 1.5 it was called otherwise.
    reader = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_arrow_reader
    for batch in reader(_ROWS):
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        yield frame


class LazyStore(BatchStore):
    """A lazy table of Polars, or of any library that Narwhals knows."""

    def __init__(self, native: Any, engine: str) -> None:
        self.engine = engine
        super().__init__(native)

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        chosen = self.frame.select(*columns)
        native = chosen.to_native()
        if hasattr(native, "collect_batches"):
            yield from native.collect_batches(chunk_size=_ROWS, maintain_order=True)
            return
        yield from self.brought(chosen, "").iter_slices(_ROWS)
