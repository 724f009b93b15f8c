"""A relation of DuckDB: counted by it, or batch by batch as it gives its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from tallymark.errors import EngineError, TallymarkError
from tallymark.intake.columns import array_places
from tallymark.intake.engines.parts import outcome
from tallymark.intake.engines.tables import EngineStore, InTurn, one_line
from tallymark.intake.streams.complaints import Place
from tallymark.intake.streams.passes import in_order

if TYPE_CHECKING:
    import polars as pl

_ROWS = 1 << 18


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

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        rows = [row for _, row in places]
        return array_places([*rows, *[-1] * more])


class DuckStore(BatchStore):
    engine = "DuckDB"

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        import polars as pl

        for batch in self.frame.select(*columns).to_native().fetch_record_batch(_ROWS):
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            yield frame

    @contextmanager
    def failing(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except TallymarkError:
            raise
        except duckdb.Error as problem:
            raise EngineError(f"DuckDB failed: {one_line(problem)}") from problem


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
