"""`Estimate`: a number that knows how sure it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import ROUND_UP, Context
from functools import cached_property
from typing import Any

from tallymark.intervals import checked_level

EndsAt = Callable[[float], tuple[float, float] | str]
"""Both ends at a level, or why there are none."""
INDEPENDENT = "independent rows"
_ROUNDED_UP = Context(2, ROUND_UP)
_BY_GROUP = re.compile(r"independent groups \(([\d,]+) of them\)")


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, or no value with the reason why.

    The interval is worked out when `low` or `high` is first read, and can be asked for again
    at another level: `ev["recall"].interval(0.99)`.
    """

    value: float | None
    level: float = 0.95
    method: str | None = None
    n: float | None = None
    assumption: str | None = INDEPENDENT
    why: str | None = None
    """Why there is no value."""
    remark: str | None = None
    bounds: tuple[float, float] | None = None
    """The certified range of an approximate value; None when it is exact."""
    ends_at: EndsAt | None = field(default=None, repr=False, compare=False)
    se: float | None = None
    """Standard error of the value, where there is one."""
    se_bounds: tuple[float, float] | None = None
    """The certified range of the standard error, when the value is approximate and it can be certified."""

    @property
    def low(self) -> float | None:
        return self._ends[0]

    @property
    def high(self) -> float | None:
        return self._ends[1]

    @property
    def note(self) -> str | None:
        """What else a reader must know: which classes were averaged, why there is no interval."""
        parts = (self.remark, self._asked if isinstance(self._asked, str) else None)
        return "; ".join(part for part in parts if part) or None

    @cached_property
    def _asked(self) -> tuple[float, float] | str | None:
        return None if self.ends_at is None or self.value is None else self.ends_at(self.level)

    @cached_property
    def _ends(self) -> tuple[float, float] | tuple[None, None]:
        if self.value is None or not isinstance(self._asked, tuple):
            return None, None
        low, high = self._asked
        # Draws around 1.0 all fall below it; an interval must not exclude its own estimate, nor what an
        # approximate one may be in truth.
        held = (self.value, *(self.bounds or ()))
        return float(min(low, *held)), float(max(high, *held))

    @property
    def off_by(self) -> str:
        """How far the exact value can be from an approximate one, rounded up; empty when it is exact."""
        if self.bounds is None or self.value is None:
            return ""
        low, high = self.bounds
        return f"{_ROUNDED_UP.create_decimal(max(high - self.value, self.value - low, 0)):g}"

    def interval(self, confidence_level: float) -> Estimate:
        """The same estimate at another confidence level."""
        return replace(self, level=checked_level(confidence_level))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        if self.value is None:
            return {"value": None, "why": self.why}
        form: dict[str, Any] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": None if self.low is None else self.method,
            "n": self.n,
            "assumption": self.assumption,
        }
        if self.se is not None:
            form["se"] = self.se
        if self.se_bounds is not None:
            form["se_bounds"] = list(self.se_bounds)
        if self.bounds is not None:
            form |= {"exact": False, "bounds": list(self.bounds)}
        return form | ({"note": self.note} if self.note else {})

    def __reduce__(self) -> tuple[Any, ...]:
        # What makes the ends is a closure over all counts; a pickled estimate keeps the ends it has.
        kept = None if self._asked is None else _Kept(self.level, self._asked)
        fields = (self.value, self.level, self.method, self.n, self.assumption, self.why, self.remark)
        return Estimate, (*fields, self.bounds, kept, self.se, self.se_bounds)

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"the value is undefined: {self.why}")
        return self.value

    def __format__(self, spec: str) -> str:
        """The value by a format such as `.3f`; without one, all of it."""
        if not spec:
            return str(self)
        return "undefined" if self.value is None else format(self.value, spec)

    def __repr__(self) -> str:
        return f"Estimate({self})"

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.why}"
        off = "" if self.bounds is None else f"off by at most {self.off_by}; "
        if self.low is None:
            return f"{self.value:.4g} ({off}no interval: {self.note})"
        from tallymark.drawing import count

        whole = self.n is None or self.n == round(self.n)
        rows = count(self.n) if whole else f"{self.n:,.6g}"
        groups = _BY_GROUP.fullmatch(self.assumption or "")
        of_groups = f", {groups[1]} groups" if groups else ""
        how = f"{self.level * 100:.10g} % {self.method}, n = {rows}{of_groups}"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}] ({off}{how})"


@dataclass(frozen=True)
class _Kept:
    """The ends of an estimate that was pickled."""

    level: float
    ends: tuple[float, float] | str

    def __call__(self, level: float) -> tuple[float, float] | str:
        if level != self.level:
            return f"it was pickled at {self.level:g} and cannot be asked again at another level"
        return self.ends


def by_group(groups: int) -> str:
    """What intervals from resampled groups take for granted."""
    return f"independent groups ({groups:,} of them)"


def undefined(why: str, level: float = 0.95) -> Estimate:
    """No value, and the reason."""
    return Estimate(None, level=level, why=why, assumption=None)
