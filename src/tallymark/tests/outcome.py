"""`Outcome`: what a test found, and what it was worked out from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tallymark.errors import OptionError
from tallymark.intervals.tails import Alternative as Alternative
from tallymark.intervals.tails import checked_alternative as checked_alternative

# Floating point ends soon below.
_SMALLEST = 1e-300
# 1 - 0.9 is a little below 0.1, and some tests give just such a p.
_DUST = 1e-12


def rejects(p_value: float | None, level: float) -> bool:
    """Whether chance alone does so much in at most 1 - `level` of all samples.

    >>> rejects(0.05, 0.95), rejects(0.1, 0.9), rejects(0.051, 0.95), rejects(None, 0.95)
    (True, True, False, False)
    """
    return p_value is not None and p_value <= 1 - level + _DUST


@dataclass(frozen=True)
class Outcome:
    """A test's statistic and p-value, with its assumption and the counts it stands on.

    Where a test has no answer its `p_value` is None, and `why` says the reason.
    """

    method: str
    """The test by name: "McNemar, corrected"."""
    statistic: float | None
    p_value: float | None
    df: float | tuple[float, float] | None = None
    alternative: Alternative = "two-sided"
    assumption: str = "independent rows"
    counts: Mapping[str, Any] = field(default_factory=dict)
    """What it was worked out from."""
    value: float | None = None
    """The difference tested, a less b, where it is one."""
    low: float | None = None
    high: float | None = None
    level: float | None = None
    se: float | None = None
    why: str | None = None
    """Why there is no p-value."""
    note: str | None = None
    """What else a reader must know."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {
            "method": self.method,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": list(self.df) if isinstance(self.df, tuple) else self.df,
            "alternative": self.alternative,
            "assumption": self.assumption,
            "counts": dict(self.counts),
        }
        if self.value is not None:
            ends = {"value": self.value, "low": self.low, "high": self.high, "level": self.level}
            form |= ends | ({} if self.se is None else {"se": self.se})
        said = {"why": self.why, "note": self.note}
        return form | {name: text for name, text in said.items() if text}

    def __str__(self) -> str:
        from tallymark.drawing import number

        if self.p_value is None:
            return f"{self.method}: no p-value: {self.why}"
        statistic = "" if self.statistic is None else f"{number(self.statistic)}, "
        sided = "" if self.alternative == "two-sided" else f" ({self.alternative})"
        p = f"p = {number(self.p_value)}" if self.p_value >= _SMALLEST else f"p < {_SMALLEST:g}"
        return f"{self.method}: {statistic}{p}{sided}"


def refuse_sides(
    alternative: object,
    test: str,
    hint: str = "test the pair you mean, for example with wilcoxon or mcnemar.",
) -> None:
    """A test of more than two models, or of squares, knows no direction."""
    if checked_alternative(alternative) != "two-sided":
        raise OptionError(
            f"{test} has no sides, so alternative can only be 'two-sided'; got {alternative!r}.", hint=hint
        )
