"""`Gate`: what came of all requirements."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallymark.drawing.notebook import Described
from tallymark.gate.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.evaluation.saving import Writers

SCHEMA = "tallymark/check/1"


@dataclass(frozen=True)
class Gate(Described):
    """Whether a model may go on, and why not."""

    outcomes: tuple[Outcome, ...]
    rows: float
    level: float
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every requirement is met."""
        return not self.failed

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The outcomes that did not pass."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)

    @property
    def verdict(self) -> str:
        """One line."""
        from tallymark.gate.description import verdict

        return verdict(self)

    def document(self) -> Document:
        """This gate described for any pen."""
        from tallymark.gate.description import describe

        return describe(self)

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self.document())

    def __repr__(self) -> str:
        return f"Gate({self.verdict!r})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as Python values."""
        return {
            "schema": SCHEMA,
            "passed": self.passed,
            "verdict": self.verdict,
            "rows": self.rows,
            "level": self.level,
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """The JSON document (schema `tallymark/check/1`)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_junit(self) -> str:
        """JUnit XML, which build servers show: one test case for each requirement."""
        from tallymark.gate.junit import junit

        return junit(self)

    def annotations(self) -> list[str]:
        """Lines that GitHub shows with the run: an error for each requirement that failed."""
        from tallymark.gate.github import annotated

        return annotated(self)

    def summary(self) -> str:
        """Markdown for the summary page of a run."""
        from tallymark.gate.github import summary

        return summary(self)

    def writers(self) -> Writers:
        """What writes each format."""
        from tallymark.drawing import drawn
        from tallymark.gate.description import page

        made = drawn(self.document, lambda: page(self))
        return {**made, ".json": self.to_json, ".xml": self.to_junit}

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write it whole or not at all; the suffix sets the format.

        The report as .txt, .md, .tex or .html, the JSON document as .json, and JUnit as .xml.
        """
        from tallymark.evaluation.saving import save

        save(path, self.writers(), overwrite=overwrite)
