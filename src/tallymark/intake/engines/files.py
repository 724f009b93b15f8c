"""Files that an engine counts: which engine, where it runs, and what it can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallymark.errors import OptionError
from tallymark.intake.engines.duckdb.files import DuckParquet, ParquetAtHand, connected, duckdb_files
from tallymark.intake.engines.file_parts import FileParts
from tallymark.intake.engines.store import Store
from tallymark.intake.files.kinds import SUFFIXES, shown

if TYPE_CHECKING:
    from tallymark.intake.engines.tables import EngineStore
    from tallymark.intake.streams.scan import Scan

ENGINES = {"polars": "Polars", "duckdb": "DuckDB", "spark": "Spark", "dask": "Dask"}
_HERE = "leave out the engine: this process compares files of all kinds"


@dataclass(frozen=True)
class Engine:
    """What counts files in the place of this process."""

    name: str
    at: str | None = None
    """Where it runs: the master of Spark, or the scheduler of Dask."""

    @classmethod
    def of(cls, engine: Any, master: str | None, scheduler: str | None) -> Engine | None:
        """As a user named it, checked; None for files that are read in this process, as by default."""
        if engine is not None and engine not in ENGINES:
            raise OptionError(f"engine is one of {', '.join(ENGINES)}; got {engine!r}.")
        for option, place, owner in (("master", master, "spark"), ("scheduler", scheduler, "dask")):
            if place is not None and engine != owner:
                came = "no engine is named" if engine is None else f"the engine is {engine}"
                raise OptionError(
                    f"{option} is about the engine {owner}, and {came}.",
                    hint=f"add --engine {owner} (in Python engine={owner!r}), or leave out the {option}.",
                )
        at = master if engine == "spark" else scheduler
        return None if engine in (None, "polars") else cls(engine, at)

    @property
    def called(self) -> str:
        return ENGINES[self.name]

    @contextmanager
    def opened(
        self, scan: Scan, files: Sequence[Path], delimiter: str | None, memory: int
    ) -> Iterator[Store]:
        """Files that have been looked at here."""
        if self.name == "duckdb":
            with duckdb_files(scan, files, delimiter, memory) as store:
                yield store
        elif self.name == "dask":
            from tallymark.intake.engines.dask.clusters import client_of
            from tallymark.intake.engines.dask.runs import spread

            with client_of(self.at) as client:
                run = partial(spread, client=client, called=partial(_file, scan.parts))
                yield FileParts(scan, files, delimiter, memory, run)
        else:
            from tallymark.intake.engines.spark.files import SparkParquet, reads_alike
            from tallymark.intake.engines.spark.store import session_of
            from tallymark.intake.engines.spark.store import spread as spread_over

            with session_of(self.at) as session:
                if reads_alike(scan):
                    yield SparkParquet.at_hand(session, scan)
                else:
                    run_there = partial(spread_over, session, called=partial(_file, scan.parts))
                    yield FileParts(scan, files, delimiter, memory, run_there)

    @contextmanager
    def tables(self, given: Sequence[Scan | list[str]]) -> Iterator[list[EngineStore]]:
        """Parquet files as tables of one session, so that they can be joined.

        They have been looked at here, or are at addresses which only the engine can open.
        """
        for files in given:
            self._refuse_unread(files)
        if self.name == "duckdb":
            with connected() as connection:
                yield [
                    _opened(each, partial(ParquetAtHand, connection), partial(DuckParquet, connection))
                    for each in given
                ]
        elif self.name == "dask":
            from tallymark.intake.engines.dask.clusters import client_of
            from tallymark.intake.engines.dask.files import parquet_at, parquet_at_hand

            with client_of(self.at) as client, client.as_current():
                yield [_opened(each, parquet_at_hand, parquet_at) for each in given]
        else:
            from tallymark.intake.engines.spark.files import SparkParquet
            from tallymark.intake.engines.spark.store import session_of

            with session_of(self.at) as session:
                at = partial(SparkParquet, session, called="the rows of the Spark table")
                yield [_opened(each, partial(SparkParquet.at_hand, session), at) for each in given]

    def _refuse_unread(self, files: Scan | list[str]) -> None:
        """Refuse what is no Parquet, or what the engine would not take for what it is."""
        if isinstance(files, list):
            for address in files:
                _refuse_unread(address, self.name)
            return
        name, kind = shown(files.parts[0]), files.format.name
        if kind != "Parquet":
            raise OptionError(
                f"models are compared by the engine {self.name} in Parquet files, and {name} is {kind}.",
                hint=f"write it as Parquet, or {_HERE}.",
            )
        if not self._reads_alike(files):
            raise OptionError(
                f"the engine {self.name} would not read {name} as it is: names of its columns, their types "
                "or those of other parts are in its way.",
                hint=f"{_HERE}.",
            )

    def _reads_alike(self, scan: Scan) -> bool:
        """Whether the engine reads Parquet files as our own reader does."""
        if self.name == "spark":
            from tallymark.intake.engines.spark.files import reads_alike

            return reads_alike(scan)
        types = scan.part_types()
        return self.name == "duckdb" or all(each == types[0] for each in types)


def _opened(
    files: Scan | list[str],
    at_hand: Callable[[Scan], EngineStore],
    at_addresses: Callable[[list[str]], EngineStore],
) -> EngineStore:
    return at_addresses(files) if isinstance(files, list) else at_hand(files)


def _refuse_unread(address: str, engine: str) -> None:
    kind = SUFFIXES.get(Path(address.removesuffix(".gz")).suffix.lower(), "Parquet")
    if kind != "Parquet":
        raise OptionError(
            f"at addresses the engine {engine} reads Parquet only, and {address} is named as {kind}.",
            hint="write it as Parquet, or mount the storage and name the files there.",
        )


def _file(paths: Sequence[Path], number: int) -> str:
    return shown(paths[number])
