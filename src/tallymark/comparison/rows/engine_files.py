"""Models in files that an engine reads, as tables that it joins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tallymark.comparison.question import Question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.in_engine import (
    InEngine,
    compare_columns,
    compare_tables,
    refuse_apart,
    refuse_needing_rows,
)
from tallymark.comparison.rows.on_disk import ModelFiles, refuse_tolerance, scanned
from tallymark.errors import OptionError, naming
from tallymark.evaluation.given import addresses_in
from tallymark.evaluation.matching import refuse_design
from tallymark.intake.streams.memory import parsed_memory

if TYPE_CHECKING:
    from tallymark.evaluation.matching import Stated
    from tallymark.intake.engines.files import Engine
    from tallymark.intake.engines.tables import EngineStore


@dataclass(frozen=True)
class ByEngine:
    """Which engine is to compare files, and what is asked of them."""

    engine: Engine
    question: Question
    design: Stated | None
    notes: tuple[str, ...] = ()

    def compare_files(self, models: Mapping[str, ModelFiles]) -> Comparison:
        """Models that have files each."""
        refuse_design(len(models), self.design, one_table=False)
        asked = self._asked(next(iter(models.values())).options)
        asked = replace(
            asked,
            own={name: model.options for name, model in models.items()},
            files={name: model.paths for name, model in models.items()},
        )
        with self._tables(models, asked.memory) as (stores, said):
            ids = [model.options.get("id") for model in models.values()]
            refuse_apart(stores, named=None not in ids)
            refuse_needing_rows(stores, asked)
            return compare_tables(stores, replace(asked, notes=(*said, *self.notes)))

    def compare_columns(self, files: ModelFiles, columns: Mapping[str, str]) -> Comparison:
        """Models that are columns of the same files."""
        refuse_design(len(columns), self.design, one_table=True)
        asked = self._asked(files.options)
        looked_at = replace(files, options={**files.options, "votes": tuple(columns.values())})
        with self._tables({"": looked_at}, asked.memory) as (stores, said):
            refuse_needing_rows(stores, asked)
            with naming(files.paths):
                return compare_columns(stores[""], columns, replace(asked, notes=(*said, *self.notes)))

    def _asked(self, options: Mapping[str, Any]) -> InEngine:
        refuse_tolerance(options, f"in {self.engine.called}")
        memory, approximate = parsed_memory(options.get("memory")), bool(options.get("approximate"))
        return InEngine(self.question, options, memory, approximate, self.design)

    @contextmanager
    def _tables(
        self, models: Mapping[str, ModelFiles], memory: int
    ) -> Iterator[tuple[dict[str, EngineStore], list[str]]]:
        """The tables of all models in one session, and what must be said of their files."""
        with ExitStack() as stack:
            found, said = list[Any](), list[str]()
            for model in models.values():
                addresses = addresses_in(model.paths)
                if addresses:
                    _refuse_delimiter(model.options)
                    found.append(addresses)
                    continue
                with naming(model.paths, model.title):
                    _, scan, notes = scanned(model, memory, stack)
                found.append(scan)
                said += notes
            stores = stack.enter_context(self.engine.tables(found))
            yield dict(zip(models, stores, strict=True)), said


def _refuse_delimiter(options: Mapping[str, Any]) -> None:
    if options.get("delimiter") is not None:
        raise OptionError("a delimiter is about text, and at addresses Parquet is read.")
