"""Tables in this process that give their rows in batches, as lazy ones of Polars do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from tallymark.errors import EngineError
from tallymark.intake.columns import array_places
from tallymark.intake.engines.parts import outcome
from tallymark.intake.engines.tables import EngineStore, InTurn, one_line
from tallymark.intake.streams.complaints import Place
from tallymark.intake.streams.passes import in_order

if TYPE_CHECKING:
    import polars as pl

ROWS = 1 << 18


class BatchStore(EngineStore):
    """A table in this process that gives its rows in batches."""

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The rows, many at once, in their order."""

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


class LazyStore(BatchStore):
    """A lazy table of Polars, or of any library that Narwhals knows."""

    def __init__(self, native: Any, engine: str) -> None:
        self.engine = engine
        super().__init__(native)

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        chosen = self.frame.select(*columns)
        native = chosen.to_native()
        if hasattr(native, "collect_batches"):
            yield from native.collect_batches(chunk_size=ROWS, maintain_order=True)
            return
        yield from self.brought(chosen, "").iter_slices(ROWS)
