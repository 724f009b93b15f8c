"""Rows of several models in one engine: looked at, joined there by id, and read as those on disk are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import EngineError, InputError, MissingValueError, ShapeError
from tallymark.intake.engines.parts import Anywhere, Failed
from tallymark.intake.engines.pushdown import label_key
from tallymark.intake.engines.recognised import store_of
from tallymark.intake.engines.tables import EngineStore
from tallymark.intake.ids import Values, taken, unchecked_ids
from tallymark.intake.roles import Roles
from tallymark.intake.rows import Checks
from tallymark.intake.streams.complaints import Complaints
from tallymark.intake.streams.door import Reading, read_batch
from tallymark.intake.streams.joining import Beside, Some, Together, matched, smallest
from tallymark.intake.streams.passes import check_largest, check_sum, marked
from tallymark.intake.streams.spilling import stored
from tallymark.intake.streams.surveyed import Surveyed

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import polars as pl

_KEY = "key"


def run(store: EngineStore, work: Any, columns: Sequence[str], what: str) -> Any:
    """What work makes of all rows; what went wrong with that is raised."""
    found = store.mapped(work, columns, what)
    if isinstance(found, Failed):
        raise found.error(store.where)
    return found


# --- the rows of one model -----------------------------------------------------------------------


@dataclass(frozen=True)
class ModelTable:
    """The table of one model, and how its rows are taken."""

    store: EngineStore
    roles: Roles
    checks: Checks
    title: str
    """What errors call the model."""

    @property
    def reading(self) -> Reading:
        checks, roles = self.checks, replace(self.roles, id=None)
        drop, words = checks.missing == "drop", checks.missing_words
        return Reading(
            roles,
            self.store.text,
            drop,
            words,
            checks.weight_kind,
            checks.labels,
            as_written=self.store.as_written,
        )


@dataclass(frozen=True)
class _Survey:
    """What is known of some rows, and what is wrong with them."""

    known: Surveyed
    complaints: Complaints

    def within(self, part: int, before: int) -> _Survey:
        return _Survey(self.known, self.complaints.within(part, before))

    def then(self, later: _Survey) -> _Survey:
        return _Survey(self.known.then(later.known), self.complaints.then(later.complaints))


@dataclass(frozen=True)
class _Surveying:
    """The work of looking at rows, which can be sent to a worker."""

    roles: Roles
    checks: Checks
    title: str
    reading: Reading

    def __call__(self, batch: Any) -> _Survey:
        columns = read_batch(batch, self.reading, marked)
        known = Surveyed(self.roles, self.checks, self.title, rows=columns.complaints.rows)
        if not columns.complaints.found:
            known.note_labels(columns)
            known.note(columns)
            if self.roles.id is not None:
                known.note_ids(unchecked_ids(batch[self.roles.id]))
        return _Survey(known, columns.complaints)


def survey(table: ModelTable, memory: int) -> Surveyed:
    """All that is known of the rows of a model, checked as those of a table in memory are."""
    store, roles, reading = table.store, table.roles, table.reading
    if roles.id is not None:
        store.refuse_repeated(roles.id, memory)
    work = _Surveying(roles, table.checks, table.title, reading)
    found = run(store, work, roles.used, "looking at rows")
    if found is None:
        raise ShapeError("there are no rows.")
    found.complaints.tell(store.where)
    known: Surveyed = found.known
    if not known.left:
        raise MissingValueError("every row has a missing value, so none is left.")
    check_largest(known.heaviest, reading)
    check_sum(known.weight, reading)
    return known


# --- the rows of all models ----------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """The columns of one model in a table that has those of others as well."""

    known: Surveyed
    reading: Reading
    columns: Mapping[str, str]
    """What they are called there, by their own names."""

    def rows(self, batch: Any) -> pl.DataFrame:
        """Its rows encoded; those that lack a value are marked."""
        import polars as pl

        columns = read_batch({own: batch[name] for own, name in self.columns.items()}, self.reading, marked)
        return pl.DataFrame(self.known.encoded(columns, columns.complaints.rows))


@dataclass(frozen=True)
class Bringing:
    """From a batch of rows that stand side by side to those that all models have, as from disk."""

    sides: Sequence[Side]
    actual: Sequence[NDArray[np.int64]]
    """The positions of the classes of every model among the labels of all."""
    key: str | None
    """The column with the ids; None where rows of one table need none."""

    def __call__(self, batch: Any) -> tuple[Together | None, list[Beside], int]:
        """The rows, what is noted of them, and how many came."""
        tables = [side.rows(batch) for side in self.sides]
        came = len(tables[0])
        ids = np.arange(came) if self.key is None else _ids(batch[self.key])
        whole = self.sides[0].known.whole_weights
        return *matched(tables, [ids] * len(tables), self.actual, whole_weights=whole), came


def _ids(column: Any) -> Values:
    import polars as pl

    ids = stored(unchecked_ids(column))
    return ids if isinstance(ids, np.ndarray) else ids.cast(pl.String)


class JoinedTables:
    """The tables of several models, which can be joined by the ids of their rows."""

    def __init__(self, tables: Sequence[ModelTable], known: Sequence[Surveyed]) -> None:
        self._tables, self._known = tables, known
        keys = _keys(tables, known)
        roles = [_columns(table.roles, place) for place, table in enumerate(tables)]
        self.sides = [
            Side(rows, table.reading, columns)
            for rows, table, columns in zip(known, tables, roles, strict=True)
        ]
        self._frames = [
            _chosen(table.store, key, columns)
            for table, key, columns in zip(tables, keys, roles, strict=True)
        ]

    def joined(self, places: Sequence[int]) -> EngineStore:
        """The rows that some models have in common."""
        first, *others = places
        frame = self._frames[first]
        with self._joining():
            for other in others:
                frame = frame.join(self._frames[other], on=_KEY, how="inner")
        return self._store(frame)

    def bringing(self, places: Sequence[int], actual: Sequence[NDArray[np.int64]]) -> Bringing:
        """How a batch of these is read."""
        return Bringing([self.sides[place] for place in places], [actual[place] for place in places], _KEY)

    def beside(self, other: int, actual: Sequence[NDArray[np.int64]]) -> Beside:
        """How the rows of another model go with those of the first one, where some do not."""
        work = _Noting(self.bringing((0, other), actual))
        store = self.joined((0, other))
        noted = run(store, work, store.names, "looking for rows")
        note = Beside() if noted is None else noted.found
        return replace(note, only_first=self._alone(0, other), only_other=self._alone(other, 0))

    def _alone(self, place: int, other: int) -> Some:
        """Rows of one model whose id the other never had."""
        with self._joining():
            frame = self._frames[place].join(self._frames[other].select(_KEY), on=_KEY, how="anti")
        store = self._store(frame)
        found = run(store, _Alone(self.sides[place]), store.names, "looking for rows")
        return Some() if found is None else found.found

    def _store(self, frame: nw.LazyFrame[Any]) -> EngineStore:
        store = store_of(frame.to_native(), lazy=True)
        assert store is not None
        return store

    @contextmanager
    def _joining(self) -> Iterator[None]:
        try:
            with self._tables[0].store.failing():
                yield
        except EngineError as problem:
            problem.message = f"the tables of the models cannot be joined: {problem.message}"
            problem.hint = "make all of them with one connection or session."
            raise


def _columns(roles: Roles, place: int) -> dict[str, str]:
    """What columns are called beside those of other models, by their own names."""
    sides = {"actual": roles.actual, "predicted": roles.predicted, "score": roles.score}
    sides["weight"] = roles.weight
    return {str(name): f"{role}_{place}" for role, name in sides.items() if name is not None}


def _chosen(store: EngineStore, key: nw.Expr, columns: Mapping[str, str]) -> nw.LazyFrame[Any]:
    import narwhals.stable.v2 as nw

    return store.frame.select(key.alias(_KEY), *(nw.col(own).alias(name) for own, name in columns.items()))


def _keys(tables: Sequence[ModelTable], known: Sequence[Surveyed]) -> list[nw.Expr]:
    """The ids of all models as something that every engine compares alike: whole numbers, or text."""
    import narwhals.stable.v2 as nw

    names = [str(table.roles.id) for table in tables]
    kinds = [table.store.kinds[name] for table, name in zip(tables, names, strict=True)]
    keys = [label_key(name, kind, "id") for name, kind in zip(names, kinds, strict=True)]
    if all(kind in (nw.String, nw.Categorical, nw.Enum) for kind in kinds):
        return [key.cast(nw.String) for key in keys]
    if all(rows.whole_ids for rows in known):
        return [key.cast(nw.Int64) for key in keys]
    other = next((place for place, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is None:
        return keys
    raise InputError(
        f"the ids of {tables[0].title} are of type {kinds[0]} and those of {tables[other].title} of type "
        f"{kinds[other]}, so they cannot be matched.",
        hint="make them of one type, for example text.",
    )


@dataclass(frozen=True)
class _Noted(Anywhere):
    found: Any

    def then(self, later: _Noted) -> _Noted:
        return _Noted(self.found.then(later.found))


@dataclass(frozen=True)
class _Noting:
    """The work of noting how the rows of two models go together."""

    bringing: Bringing

    def __call__(self, batch: Any) -> _Noted:
        return _Noted(self.bringing(batch)[1][0])


@dataclass(frozen=True)
class _Alone:
    """The work of finding the ids of rows that lack nothing."""

    side: Side

    def __call__(self, batch: Any) -> _Noted:
        rows = np.flatnonzero(self.side.rows(batch).get_column("actual").to_numpy() >= 0)
        some, ids = Some(), _ids(batch[_KEY])
        if len(rows):
            some.add(len(rows), smallest(taken(ids, rows)))
        return _Noted(some)


@contextmanager
def kept(store: EngineStore) -> Iterator[None]:
    """While rows are looked at several times, those of Spark stay where they are once they were joined."""
    native = store.frame.to_native()
    if store.engine != "Spark":
        yield
        return
    native.persist()
    try:
        yield
    finally:
        native.unpersist()
