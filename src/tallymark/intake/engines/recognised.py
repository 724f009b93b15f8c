"""Which engine holds a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.intake import frames
from tallymark.intake.engines.tables import EngineStore


def store_of(data: Any, *, lazy: bool = False) -> EngineStore | None:
    """A table that stays in its engine; None for all else. A lazy frame of Polars is one if that is asked."""
    if isinstance(data, np.ndarray | list | tuple):
        return None
    import narwhals.stable.v2 as nw

    data = nw.to_native(data, pass_through=True)
    found = nw.from_native(frames.distinct_names(data)[0], pass_through=True)
    if not isinstance(found, nw.LazyFrame):
        return None
    kind = found.implementation
    if kind.is_duckdb():
        from tallymark.intake.engines.duckdb.store import DuckStore

        return DuckStore(data)
    if kind.is_dask():
        from tallymark.intake.engines.dask.store import DaskStore

        return DaskStore(data)
    if kind.is_pyspark() or kind.is_pyspark_connect():
        from tallymark.intake.engines.spark.store import SparkStore

        return SparkStore(data)
    if kind.is_polars() and not lazy:
        return None
    from tallymark.intake.engines.batches import LazyStore

    return LazyStore(data, "Polars" if kind.is_polars() else kind.value)
