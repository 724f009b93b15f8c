"""A data frame of Dask: its partitions are counted by its workers, and counts are added up in pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tallymark.intake.engines.tables import EngineStore
from tallymark.intake.streams.complaints import Place


class DaskStore(EngineStore):
    engine = "Dask"
    pushes_down = False

    def mapped(self, work: Callable[[Any], Any], columns: Sequence[str], what: str) -> Any:
        raise NotImplementedError

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        raise NotImplementedError
