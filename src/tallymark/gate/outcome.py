"""`Outcome`: what came of one requirement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from tallymark.gate.requirement import Judged, Operator, asks_for_more
from tallymark.inference import Estimate

Kind = Literal["limit", "difference", "baseline"]


@dataclass(frozen=True)
class Outcome:
    """Whether a requirement is met, and by which number that was judged."""

    requirement: str
    """As it was written."""
    metric: str
    name: str
    """The metric with the class and the slice it is about."""
    kind: Kind
    """`limit`: a number against a limit. `difference`: the difference from the baseline against the margin.
    `baseline`: a number against the baseline's, from these two alone."""
    operator: Operator
    limit: float | None
    """None when the baseline's number is undefined."""
    judged: Judged
    found: float | None
    """The number that was held against the limit."""
    estimate: Estimate
    """What it belongs to: the number, or the difference."""
    passed: bool
    why: str | None = None
    """Why the number is undefined, or why another one was judged than usual."""
    margin: float | None = None
    new: Estimate | None = None
    """The number itself, where the estimate is a difference."""
    baseline: Estimate | None = None
    paired: bool | None = None

    @property
    def value(self) -> float | None:
        return self.estimate.value

    @property
    def low(self) -> float | None:
        return self.estimate.low

    @property
    def high(self) -> float | None:
        return self.estimate.high

    @property
    def least(self) -> bool:
        """Whether the number must be high."""
        return asks_for_more(self.operator)

    @property
    def short_by(self) -> float | None:
        """How far the number is from what was asked; None when it passed or is undefined."""
        if self.passed or self.found is None or self.limit is None or math.isnan(self.found):
            return None
        return max(0.0, self.limit - self.found if self.least else self.found - self.limit)

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        from tallymark.gate.words import sentence

        return sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {
            "requirement": self.requirement,
            "passed": self.passed,
            "kind": self.kind,
            "metric": self.metric,
            "name": self.name,
            "operator": self.operator,
            "limit": _finite(self.limit),
            "judged": self.judged,
            "found": _finite(self.found),
            "short_by": _finite(self.short_by),
            "sentence": self.sentence,
            "estimate": self.estimate.to_dict(),
        }
        if self.why is not None:
            form["why"] = self.why
        if self.margin is not None:
            form["margin"] = self.margin
        if self.paired is not None:
            form["paired"] = self.paired
        for key, estimate in (("new", self.new), ("baseline", self.baseline)):
            if estimate is not None:
                form[key] = estimate.to_dict()
        return form


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
