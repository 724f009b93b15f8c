"""A data frame of Dask: its partitions are counted by its workers, and counts are added up in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tallymark.intake import frames
from tallymark.intake.columns import array_places, titled
from tallymark.intake.engines.dask.runs import engine_error, put_together
from tallymark.intake.engines.partitions import a_partition, rows_of_partitions
from tallymark.intake.engines.parts import Anywhere, Failed, outcome
from tallymark.intake.engines.tables import EngineStore, repeated_ids
from tallymark.intake.streams.complaints import SHOWN, Place
from tallymark.intake.streams.door import Reading
from tallymark.intake.streams.file_store import labels_of
from tallymark.tallies import Label


class DaskStore(EngineStore):
    engine = "Dask"
    pushes_down = False

    def __init__(self, native: Any) -> None:
        with self.failing():
            self._table, self.repeated = frames.distinct_names(native)
        super().__init__(self._table)

    def mapped(self, work: Callable[[Any], Any], columns: Sequence[str], what: str) -> Any:
        return self._mapped(self._table[list(dict.fromkeys(columns))], work, what)

    def _mapped(self, table: Any, work: Callable[[Any], Any], what: str) -> Any:
        import cloudpickle
        from dask.delayed import delayed

        with self.failing():
            partitions = table.to_delayed()
        # A task of its own, so that it crosses once to every worker, and is made again if one is lost.
        shared = delayed(_unpickled, pure=False)(cloudpickle.dumps(work))
        counted = delayed(_counted, pure=False)
        found = [counted(shared, each, number) for number, each in enumerate(partitions)]
        return put_together(found, what, a_partition)

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        return rows_of_partitions(places, more)

    @contextmanager
    def failing(self) -> Iterator[None]:
        with engine_error():
            yield

    def some_labels(self, reading: Reading) -> list[Label]:
        name = str(reading.roles.actual)
        found = self.mapped(_LookingForLabels(name), [name], "looking for labels")
        if isinstance(found, Failed):
            raise found.error(self.where)
        return [] if found is None else list(found.labels)

    def refuse_repeated(self, column: str, memory: int) -> None:  # noqa: ARG002
        # Equal ids come together in a partition, so that none of them has to hold all.
        with self.failing():
            keys = self._table[[column]].map_partitions(_plain_ids, column)
            keys = keys.shuffle(on=column, shuffle_method="tasks")
        found = self._mapped(keys, _LookingForRepeated(column), "looking at ids")
        if found is not None and found.rows:
            raise repeated_ids(column, found.rows, found.examples)


# --- in workers ----------------------------------------------------------------------------------


def _unpickled(message: bytes) -> Any:
    import cloudpickle

    return cloudpickle.loads(message)


def _counted(work: Callable[[Any], Any], partition: Any, number: int) -> Any:
    """What work makes of a partition; None if it is empty, for then it may be of any type."""
    return outcome(work, partition.reset_index(drop=True), number) if len(partition) else None


@dataclass(frozen=True)
class _Labels(Anywhere):
    labels: tuple[Label, ...]

    def then(self, later: _Labels) -> _Labels:
        return _Labels(tuple(dict.fromkeys((*self.labels, *later.labels))))


@dataclass(frozen=True)
class _LookingForLabels:
    column: str

    def __call__(self, batch: Any) -> _Labels:
        column = frames.series_labels(batch[self.column], titled("actual", self.column), array_places)
        return _Labels(tuple(labels_of(column)))


@dataclass(frozen=True)
class _Repeated(Anywhere):
    """Rows whose id is missing or there more than once."""

    rows: int
    examples: tuple[Any, ...]

    def then(self, later: _Repeated) -> _Repeated:
        return _Repeated(self.rows + later.rows, (*self.examples, *later.examples)[:SHOWN])


@dataclass(frozen=True)
class _LookingForRepeated:
    column: str

    def __call__(self, batch: Any) -> _Repeated:
        ids = batch[self.column]
        missing = ids.isna()
        again = ids[ids.duplicated(keep=False) & ~missing]
        examples = again.drop_duplicates().sort_values()[:SHOWN].to_list()
        if missing.any():
            examples.append(None)
        return _Repeated(len(again) + int(missing.sum()), tuple(examples[:SHOWN]))


def _plain_ids(partition: Any, column: str) -> Any:
    """Ids that are equal where they are the same: 0.0 is -0.0, and a category what it stands for."""
    ids = partition[column]
    if ids.dtype.name.startswith("dictionary"):
        ids = ids.astype(type(ids.dtype)(ids.dtype.pyarrow_dtype.value_type))
    if ids.dtype.name == "category":
        ids = ids.astype(ids.cat.categories.dtype if not ids.isna().any() else object)
    if ids.dtype.kind == "f":
        ids = ids + 0.0
    return ids.to_frame()
