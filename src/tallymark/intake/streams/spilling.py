"""Rows of a table larger than memory, sorted by their id into files small enough to be looked at one by one.

A row goes by a number made from its id, so rows of several tables that have the same id come to the same
place. Different ids may come to one place as well, which does not matter: there the ids themselves are
compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import FileError, InputError
from tallymark.intake.ids import Ids, Values, as_text, unchecked_ids, wrong_ids
from tallymark.intake.streams.complaints import Place
from tallymark.intake.streams.passes import Table, in_order
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    import polars as pl

    from tallymark.intake.streams.scan import Piece, Scan

MOST_PARTITIONS = 1024
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio of 2**64: numbers in a row, or in any steps, are spread evenly by it."""
_MOST_NAMED = 1_000
"""Ids whose places are looked for."""
_SHOWN = 3


@contextmanager
def spilling_folder() -> Iterator[Path]:
    """A folder beside other temporary files, which is gone afterwards whatever happens."""
    with tempfile.TemporaryDirectory(prefix="tallymark-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


class Spill:
    """The rows of one table by the place their id sends them to."""

    def __init__(self, folder: Path, name: str, partitions: int, room: int) -> None:
        self.partitions = partitions
        self._folder, self._name, self._room = folder, name, room
        self._held: list[list[pl.DataFrame]] = [[] for _ in range(partitions)]
        self._files: list[list[Path]] = [[] for _ in range(partitions)]
        self._size = self._written = 0

    def add(self, rows: pl.DataFrame, keys: NDArray[np.uint64]) -> None:
        """Rows with the key of each; what no longer fits the room goes to disk."""
        which = ((keys >> np.uint64(32)) * np.uint64(self.partitions) >> np.uint64(32)).astype(np.uint16)
        sorted_rows = rows[np.argsort(which, kind="stable")]
        start = 0
        for place, count in enumerate(np.bincount(which, minlength=self.partitions).tolist()):
            if count:
                self._held[place].append(sorted_rows.slice(start, count))
            start += count
        self._size += int(rows.estimated_size())
        if self._size > self._room:
            self.flush()

    def flush(self) -> None:
        """Everything to disk."""
        import polars as pl

        self._written += 1
        for place, held in enumerate(self._held):
            if held:
                path = self._folder / f"{self._name}-{place}-{self._written}.arrow"
                write_rows(pl.concat(held), path)
                self._files[place].append(path)
                held.clear()
        self._size = 0

    def take(self, place: int) -> pl.DataFrame | None:
        """The rows of one place, which are forgotten here; None if there are none."""
        import polars as pl

        parts = [pl.read_ipc(path.read_bytes()) for path in self._files[place]] + self._held[place]
        for path in self._files[place]:
            path.unlink()
        self._files[place], self._held[place] = [], []
        return pl.concat(parts) if parts else None


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """One file of rows; a full disk is told of."""
    import polars as pl

    try:
        rows.write_ipc(path)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise FileError(
            f"rows could not be written to {path.parent.parent}, where they lie until they are counted: "
            f"{problem}.",
            hint="it takes about as much room as the columns in use: name a folder on a larger disk in "
            "TMPDIR, or allow more memory (--memory SIZE, in Python memory=).",
        ) from problem


def id_keys(ids: Ids) -> NDArray[np.uint64]:
    """A number for every id, equal for 7 and the text '7'."""
    import polars as pl

    values = ids.values
    assert values is not None
    if isinstance(values, np.ndarray):
        return values.view(np.uint64) * _SPREAD
    numbers = values.cast(pl.Int64, strict=False)
    plain = (numbers.cast(pl.String) == values).fill_null(False).to_numpy()
    # Not the hash itself, whose upper bits may be poor.
    of_text = values.hash().to_numpy() * _SPREAD
    return np.where(plain, numbers.fill_null(0).to_numpy().view(np.uint64) * _SPREAD, of_text)


# --- ids that are there twice ------------------------------------------------------------------


def unique_ids(scan: Scan, column: str, memory: int) -> None:
    """Refuse a column of ids in which one is missing, or there twice."""
    import polars as pl

    partitions = min(MOST_PARTITIONS, 8 * scan.bytes // memory + 1)
    with spilling_folder() as folder:
        spill, kinds, lacking = Spill(folder, "ids", partitions, memory // 8), set[bool](), 0
        with closing(_ids_of(scan, column)) as found:
            for ids, missing in found:
                lacking += missing
                if ids.total:
                    kinds.add(is_typed(ids))
                    refuse_two_kinds(kinds, column)
                    spill.add(pl.DataFrame({"id": stored(ids)}), id_keys(ids))
        again = repeated(spill, range(partitions))
    if again.rows or lacking:
        raise repeated_error(scan, column, Repeated(again.ids, again.rows + lacking))


def _ids_of(scan: Scan, column: str) -> Generator[tuple[Ids, int], None, None]:
    """The ids of every piece, and in how many of its rows there is none."""
    table = Table(scan)

    def work(piece: Piece) -> tuple[int, Ids]:
        values = piece.read().get_column(column)
        return len(values), unchecked_ids(values.filter(_present(values)))

    with closing(in_order(scan.pieces(), work)) as results:
        for piece, future in results:
            height, ids = table.result(piece.part, future)
            table.add(piece.part, height)
            yield ids, height - ids.total


def _present(values: pl.Series) -> pl.Series:
    """Which rows have an id."""
    return values.is_not_null() & values.is_not_nan() if values.dtype.is_float() else values.is_not_null()


def is_typed(ids: Ids) -> bool:
    """Whether ids are numbers, and not text that could be read as such."""
    return isinstance(ids.values, np.ndarray) and not ids.written


def refuse_two_kinds(kinds: set[bool], column: str) -> None:
    if len(kinds) > 1:
        raise InputError(
            f"column {column!r} holds whole numbers in some places and something else in others, so ids "
            "cannot be told apart.",
            hint="write all of them the same way, for example as text.",
        )


def stored(ids: Ids) -> Values:
    """The ids as they are kept on disk: numbers that came as text stay text."""
    values = ids.values
    assert values is not None
    return values if is_typed(ids) else as_text(values)


class Repeated(NamedTuple):
    """Ids that are there more than once, or some of them if they are many; and all rows they are in."""

    ids: pl.Series | None
    rows: int


def repeated(spill: Spill, places: Sequence[int]) -> Repeated:
    """Ids that are there more than once in some places."""
    import polars as pl

    found: list[pl.Series] = []
    number = 0
    for place in places:
        rows = spill.take(place)
        if rows is not None:
            ids = rows.get_column("id")
            if ids.n_unique() < len(ids):
                several = ids.filter(ids.is_duplicated())
                number += len(several)
                found.append(several.unique())
    return Repeated(pl.concat(found).sort().head(_MOST_NAMED) if found else None, number)


def repeated_error(scan: Scan, column: str, again: Repeated) -> InputError:
    """The error for ids that are there more than once or missing; the table is read again to find where."""
    import polars as pl

    table, lacking, missing = Table(scan), list[Place](), 0
    found: dict[Any, list[Place]] = {}
    wanted = None if again.ids is None else again.ids.implode()

    def work(piece: Piece) -> tuple[int, NDArray[np.int64], list[tuple[int, Any]]]:
        values = piece.read().get_column(column)
        present = _present(values).to_numpy()
        rows = list[tuple[int, Any]]()
        if wanted is not None and present.any():
            ids = pl.Series(stored(unchecked_ids(values.filter(present))))
            here = pl.DataFrame({"row": np.flatnonzero(present), "id": ids}).filter(ids.is_in(wanted))
            rows = here.group_by("id", maintain_order=True).head(2).select("row", "id").sort("row").rows()
        return len(values), np.flatnonzero(~present), rows

    with closing(in_order(scan.pieces(), work)) as results:
        for piece, future in results:
            height, without, rows = table.result(piece.part, future)
            before = table.before(piece.part)
            missing += len(without)
            lacking += [(piece.part, before + row) for row in without[:_SHOWN].tolist()]
            for row, value in rows:
                found.setdefault(value, []).append((piece.part, before + row))
            table.add(piece.part, height)
    del lacking[_SHOWN:]
    where = table.where(lacking, missing - len(lacking)) if lacking else ""
    called = f"column {column!r}"
    if not found:
        return wrong_ids(called, lacking=where)
    value, places = next(iter(found.items()))
    return wrong_ids(called, quoted(value), table.where(places[:2]), max(again.rows - missing, 0), where)
