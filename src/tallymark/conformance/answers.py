"""Exact answers: rational numbers, square roots, decimals of 30 digits, and numbers that do not exist."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

TOLERANCE = 1e-6
"""How far a number may be off, of itself, and still be right: single precision is enough."""

Kind = Literal["number", "undefined", "infinite"]


@dataclass(frozen=True)
class Exact:
    """What is true, as it is written in a vector."""

    kind: Kind
    value: float
    """The nearest number of double precision; NaN where there is none."""
    text: str
    """As people write it: 2/3, sqrt(2/9), or the reason why there is no number."""

    @classmethod
    def of(cls, written: str | Mapping[str, Any]) -> Exact:
        """From its JSON form."""
        if isinstance(written, str):
            return cls("number", float(Fraction(written)), written)
        if "undefined" in written:
            return cls("undefined", math.nan, written["undefined"])
        if "infinite" in written:
            return cls("infinite", math.inf, written["infinite"])
        if "sqrt" in written:
            sign = written.get("sign", 1)
            return cls(
                "number",
                sign * _root(Fraction(written["sqrt"])),
                f"{'-' * (sign < 0)}sqrt({written['sqrt']})",
            )
        return cls("number", float(written["decimal"]), written["worked"])

    def fits(self, given: float | None) -> bool:
        """Whether a library that gives this is right; None is its word for a number that does not exist."""
        if self.kind == "undefined":
            return given is None
        if self.kind == "infinite":
            return given is None or given == math.inf
        return given is not None and math.isclose(given, self.value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)

    def __str__(self) -> str:
        if self.kind != "number":
            return f"{self.kind}: {self.text}"
        shown = f"{self.value:.5g}"
        if self.text == shown:
            return shown
        return f"{self.text} = {shown}" if len(self.text) <= _SHORT else shown


_SHORT = 12


def _root(of: Fraction) -> float:
    # In whole numbers, because the top and the bottom may be too large for a float.
    scale = 10**40
    return math.isqrt(of.numerator * scale**2 // of.denominator) / scale
