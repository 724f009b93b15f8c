"""How candidates and their parameters are called."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from tallymark.validation.tuning.candidates import Candidate

_LONGEST = 60


def said(value: Any) -> str:
    """A value of a parameter, in a line."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value).lower() if not isinstance(value, str) else value
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return f"{float(value):.4g}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def called(candidate: Candidate, *, several: bool) -> str:
    """A candidate in a line, with its model where there are several."""
    listed = ", ".join(f"{name}={said(value)}" for name, value in candidate.given.items())
    if not several:
        return listed or "as it is"
    return f"{candidate.name}: {listed}" if listed else candidate.name


def plain(value: Any) -> Any:
    """A value as JSON has it; what has no such form in words."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and float("-inf") < float(value) < float("inf"):
        return float(value)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return " ".join(repr(value).split())
