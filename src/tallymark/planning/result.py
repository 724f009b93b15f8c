"""`Plan`: the answer, as numbers, as JSON and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark.drawing.notebook import Described

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.planning.checks import Question

SCHEMA = "tallymark/plan/1"


@dataclass(frozen=True)
class Plan(Described):
    """How many rows, and what they can tell."""

    question: Question
    """What was asked: rows for a `half_width`, rows for a `difference`, or what so many `rows` tell."""
    metric: str
    n: int
    """Rows of the test set; of each of the two when models are compared on other rows."""
    counted: int
    """Those of them, on average, that the metric is a share of."""
    counts: str
    """What these are: rows, actual positives, ..."""
    groups: int | None
    design_effect: float
    expected: float | None
    """The value planned for; None is the worst case."""
    level: float
    half_width: float | None
    low: float | None
    high: float | None
    values: tuple[float, float] | None
    """The values of two models that are `difference` apart."""
    paired: bool | None
    disagreement: float | None
    method: str
    assumption: str
    table: tuple[Mapping[str, float | None], ...]
    """The same for fewer and for more rows."""
    difference: float | None = None
    """The one asked for, or the smallest that is found; positive means better."""
    power: float | None = None
    textbook_n: int | None = None
    """Rows by z^2 p (1 - p) / h^2, to compare with `counted`."""
    chance: float | None = None
    """How often a sample of this size gives the half width asked for, or a smaller one."""
    same_rows: tuple[Mapping[str, float | None], ...] = ()
    """The smallest difference by how often two models disagree, when that was not given."""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "schema": SCHEMA,
            "question": self.question,
            "metric": self.metric,
            "n": self.n,
            "counted": {"rows": self.counts, "n": self.counted},
            "groups": self.groups,
            "design_effect": self.design_effect,
            "expected": self.expected,
            "level": self.level,
            "half_width": self.half_width,
            "low": self.low,
            "high": self.high,
            "textbook_n": self.textbook_n,
            "chance": self.chance,
            "difference": self.difference,
            "values": None if self.values is None else list(self.values),
            "power": self.power,
            "paired": self.paired,
            "disagreement": self.disagreement,
            "method": self.method,
            "assumption": self.assumption,
            "notes": list(self.notes),
            "table": [dict(row) for row in self.table],
            "same_rows": [dict(row) for row in self.same_rows],
        }

    def document(self) -> Document:
        """This plan described for any pen."""
        from tallymark.planning.description import describe

        return describe(self)

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self.document())
