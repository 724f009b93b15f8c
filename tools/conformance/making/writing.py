"""How a vector and its answer are written down."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

DIGITS = 30

Answer = Any
"""A rational number as text, or a mapping with one of undefined, infinite, sqrt, decimal."""


def exact(value: Fraction | int) -> str:
    """A rational number: "2/3", or "1" when it is whole."""
    return str(Fraction(value))


def undefined(reason: str) -> dict[str, str]:
    """There is no number, and why."""
    return {"undefined": reason}


def infinite(reason: str) -> dict[str, str]:
    """The number has no end, and why."""
    return {"infinite": reason}


def signed_root(of: Fraction, sign: int = 1) -> Answer:
    """A square root; a rational number where it is one."""
    top, bottom = math.isqrt(of.numerator), math.isqrt(of.denominator)
    if top * top == of.numerator and bottom * bottom == of.denominator:
        return exact(sign * Fraction(top, bottom))
    return {"sqrt": exact(of)} if sign > 0 else {"sqrt": exact(of), "sign": -1}


def decimal(value: Decimal, worked: str) -> dict[str, str]:
    """A number that is no root of a rational one, to 30 digits, and how it was worked out."""
    shown = format(Decimal(f"{value:.{DIGITS - 1}e}"), "f")
    return {"decimal": shown.rstrip("0") if "." in shown else shown, "worked": worked}


def vector(
    name: str,
    about: str,
    why: str,
    given: dict[str, Any],
    question: dict[str, Any],
    answer: Answer | Fraction | int,
    alternatives: dict[str, Answer | Fraction | int] | None = None,
    refusal: str = "",
) -> dict[str, Any]:
    """One question with its exact answer; a `refusal` says why an error is as good an answer."""
    made = {
        "id": name,
        "about": about,
        "why": why,
        "input": given,
        "question": question,
        "answer": _answer(answer),
    }
    if alternatives:
        made["alternatives"] = {said: _answer(each) for said, each in alternatives.items()}
    return made | ({"refusal": refusal} if refusal else {})


def _answer(answer: Answer | Fraction | int) -> Answer:
    return exact(answer) if isinstance(answer, Fraction | int) else answer


def ratio(top: Fraction | int, bottom: Fraction | int, reason: str) -> Answer:
    """A share, or why there is none."""
    return exact(Fraction(top) / Fraction(bottom)) if bottom else undefined(reason)
