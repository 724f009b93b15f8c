"""A relation of DuckDB: counted by it, or batch by batch as it gives its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tallymark.errors import ColumnError, EngineError
from tallymark.intake.engines.batches import ROWS, BatchStore

if TYPE_CHECKING:
    import polars as pl

_ALL_COLUMNS = "*"


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
    except OSError as problem:  # the same, of Arrow
        if str(problem).startswith("INTERRUPT Error"):
            raise KeyboardInterrupt from None
        raise


def frames_of(relation: Any) -> Iterator[pl.DataFrame]:
    """The rows of a relation of DuckDB, many at once."""
    import polars as pl

    # Before 1.5 it was called otherwise.
    reader = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_arrow_reader
    for batch in reader(ROWS):
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        yield frame
