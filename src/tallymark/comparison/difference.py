"""`Difference`: how much two models differ in one number, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

from tallymark.comparison.kept import Kept
from tallymark.inference import Estimate
from tallymark.inference.estimate import INDEPENDENT
from tallymark.metrics import Asked
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import Alternative, Outcome

Better = Literal["higher", "lower"]
NO_TEST = "no test"
"""What stands for the name of a test where there is none."""


@dataclass(frozen=True, eq=False)
class Difference:
    """The number of model `a` less that of model `b`."""

    metric: str
    a: str
    b: str
    estimate: Estimate
    """a - b with its interval."""
    paired: bool
    better: Better | None
    """Whether a higher or a lower number is better; None when neither is."""
    make: Callable[[], Outcome] = field(repr=False)
    """Makes the test, which may take a while."""
    adjusted: float | None = None
    """The p-value adjusted for the number of pairs; None when there is one pair."""
    adjusted_by: str | None = None

    @cached_property
    def outcome(self) -> Outcome:
        """The test."""
        return self.make()

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
    def level(self) -> float:
        return self.estimate.level

    @property
    def why(self) -> str | None:
        """Why there is no difference."""
        return self.estimate.why

    @property
    def p_value(self) -> float | None:
        return None if self.value is None else self.outcome.p_value

    @property
    def test(self) -> str | None:
        """The name of the test, where there is one."""
        if self.value is None or self.outcome.method == NO_TEST:
            return None
        return self.outcome.method

    @property
    def assumption(self) -> str | None:
        return self.estimate.assumption

    @property
    def decisive(self) -> float | None:
        """The p-value that counts: adjusted, where there are several pairs."""
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def ahead(self) -> str | None:
        """The model with the better number, however small the difference; None when they are equal."""
        if not self.value or self.better is None:
            return None
        return self.a if (self.value > 0) == (self.better == "higher") else self.b

    def __float__(self) -> float:
        return float(self.estimate)

    def __format__(self, spec: str) -> str:
        """The value by a format such as `.3f`; without one, all of it."""
        return format(self.estimate, spec) if spec else str(self)

    def __str__(self) -> str:
        return f"{self.metric} of {quoted(self.a)} less that of {quoted(self.b)}: {self.estimate}"

    def __getstate__(self) -> dict[str, Any]:
        """With the test made, instead of the rows it is made from."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        return state | {"make": Kept(None if self.value is None else self.outcome)}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {"metric": self.metric, "a": self.a, "b": self.b, **self.estimate.to_dict()}
        if self.value is None:
            return form | {"p_value": None, "test": None, "paired": self.paired}
        form |= {
            "better": self.better,
            "p_value": self.p_value,
            "test": self.test,
            "alternative": self.outcome.alternative,
            "paired": self.paired,
        }
        if self.adjusted is not None:
            form |= {"p_adjusted": self.adjusted, "adjusted_by": self.adjusted_by}
        return form | {"tested": self.outcome.to_dict()}


def outcome_of(
    estimate: Estimate,
    method: str,
    statistic: float | None,
    p_value: float | None,
    alternative: Alternative,
    *,
    df: float | tuple[float, float] | None = None,
    counts: Mapping[str, Any] | None = None,
    why: str | None = None,
    note: str | None = None,
) -> Outcome:
    """A test of no difference, beside the interval; without a p-value there is the reason."""
    if p_value is None:
        why = why or estimate.why or estimate.note or "there is no interval"
    return Outcome(
        method,
        statistic,
        p_value,
        df=df,
        alternative=alternative,
        assumption=estimate.assumption or ("" if p_value is None else INDEPENDENT),
        counts={"n": estimate.n} if counts is None else counts,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        level=estimate.level,
        se=estimate.se,
        why=why,
        note=note,
    )


def better_of(asked: Asked) -> Better | None:
    """Whether a higher or a lower number is better; None when neither is."""
    return None if asked.metric.better == "neither" else asked.metric.better
