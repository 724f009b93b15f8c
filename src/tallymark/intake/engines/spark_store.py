"""A data frame of Spark: counted by a group-by there, or by its executors part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tallymark.intake.engines.tables import EngineStore
from tallymark.intake.streams.complaints import Place


class SparkStore(EngineStore):
    engine = "Spark"

    def mapped(self, work: Callable[[Any], Any], columns: Sequence[str], what: str) -> Any:
        raise NotImplementedError

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        raise NotImplementedError
