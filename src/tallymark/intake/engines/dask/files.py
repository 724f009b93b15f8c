"""Parquet files as tables of Dask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallymark.intake.engines.dask.runs import engine_error
from tallymark.intake.engines.dask.store import DaskStore

if TYPE_CHECKING:
    from tallymark.intake.streams.scan import Scan


def parquet_at_hand(scan: Scan) -> DaskStore:
    """Files that have been looked at here."""
    # Folders named as region=north are no columns of files that were named one by one.
    return _read([str(path.absolute()) for path in scan.parts], dataset={"partitioning": None})


def parquet_at(addresses: list[str]) -> DaskStore:
    """Files at addresses."""
    return _read(addresses)


def _read(places: list[str], **options: Any) -> DaskStore:
    import dask.dataframe as dd

    with engine_error():
        # In types of Arrow whole numbers stay whole where some are missing; an index is a column like others.
        return DaskStore(dd.read_parquet(places, dtype_backend="pyarrow", index=False, **options))
