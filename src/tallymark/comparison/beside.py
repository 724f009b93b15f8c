"""What is given beside the models of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark.comparison.question import Question
from tallymark.comparison.rows.in_engine import InEngine
from tallymark.errors import OptionError
from tallymark.evaluation.matching import Stated
from tallymark.intake.streams.memory import parsed_memory

if TYPE_CHECKING:
    from tallymark.intake.engines.files import Engine


@dataclass(frozen=True, eq=False)
class GivenBeside:
    """What was given beside the models."""

    y_true: Any
    models: Mapping[str, str] | Sequence[str] | None
    design: Stated | None
    reading: Mapping[str, Any]
    """What is said of rows."""
    in_tables: Mapping[str, Any]
    """What is said of the columns of files and data frames."""
    of_files: dict[str, Any]
    """What is said of files alone, and of tables of an engine."""

    @property
    def approximate(self) -> bool:
        return self.of_files["approximate"] is not None

    @property
    def memory(self) -> int:
        return parsed_memory(self.of_files["memory"])

    @property
    def engine(self) -> Engine | None:
        """What is to join files in the place of this process."""
        named = [self.of_files[name] for name in ("engine", "master", "scheduler")]
        if named == [None, None, None]:
            return None
        from tallymark.intake.engines.files import Engine

        return Engine.of(*named)

    @property
    def of_rows(self) -> dict[str, Any]:
        """All that is about rows."""
        beside = {"y_true": self.y_true, "design": self.design}
        return {**beside, **self.of_files, **self.reading, **self.in_tables}

    def options(self, asked: Question) -> dict[str, Any]:
        """How rows are evaluated."""
        return {**self.reading, "confidence_level": asked.level, "random_state": asked.seed}

    def in_engine(self, asked: Question, options: Mapping[str, Any], notes: tuple[str, ...]) -> InEngine:
        """How tables of an engine are compared."""
        for option in ("missing_words", "delimiter", "engine", "master", "scheduler"):
            if options.get(option) or self.of_files.get(option):
                raise OptionError(f"{option} is about reading files, and the models are tables of an engine.")
        return InEngine(asked, options, self.memory, self.approximate, self.design, notes)
