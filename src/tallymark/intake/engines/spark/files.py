"""Parquet files that Spark reads by itself, and counts where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tallymark.intake.engines.duckdb.files import free_name
from tallymark.intake.engines.spark.store import SparkStore
from tallymark.intake.files.lists import is_pattern

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import polars as pl

    from tallymark.intake.streams.scan import Scan

_READ = (
    *("Boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32"),
    *("Float32", "Float64", "Decimal", "String", "Categorical", "Enum", "Date"),
)
"""Types of Parquet that Spark reads as what they are."""


def reads_alike(scan: Scan) -> bool:
    """Whether Spark reads these files as our own reader does: their names, their columns and their types."""
    types = scan.part_types()
    if scan.format.name != "Parquet" or any(each != types[0] for each in types):
        return False
    folded = [name.casefold() for name in scan.names]
    return (
        all(folded.count(name.casefold()) == 1 and not set(name) & set(".`") for name in scan.columns)
        and all(type(each).__name__ in _READ for each in (types[0] or {}).values())
        and not any(is_pattern(str(path)) or set(str(path)) & set("{}\\") for path in scan.parts)
    )


class SparkParquet(SparkStore):
    """Parquet files, each row with the one that it is from."""

    def __init__(self, session: Any, places: Sequence[str], called: str, names: Sequence[str] = ()) -> None:
        from pyspark.sql import functions as of

        self._called, self.file = called, free_name(names)
        # Folders named as region=north are no columns of files that were named one by one.
        reader = session.read.option("recursiveFileLookup", bool(names))
        with self.failing():
            table = reader.parquet(*places).withColumn(self.file, of.input_file_name())
        super().__init__(table)

    @classmethod
    def at_hand(cls, session: Any, scan: Scan) -> SparkParquet:
        """Files that have been looked at here."""
        # With its scheme, for a name alone is one of the storage that Spark is set up for.
        places = [f"file://{path.absolute()}" for path in scan.parts]
        return cls(session, places, "the files", scan.names)

    @property
    def called(self) -> str:
        return self._called

    def brought(self, query: nw.LazyFrame[Any], what: str) -> pl.DataFrame:
        import polars as pl

        table = super().brought(query, what)
        if "file" not in table.columns:
            return table
        return table.with_columns(pl.Series("file", [_plain(each) for each in table["file"]], pl.String))


def _plain(place: str) -> str:
    """A file at hand as it is named, not as an address."""
    return unquote(urlsplit(place).path) if place.startswith("file:") else place
