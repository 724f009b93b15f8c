"""Arguments people pass: numbers and confidence levels."""

from __future__ import annotations

import math
from numbers import Integral, Real

from tallymark.errors import OptionError, precise


def checked_number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise OptionError(
            f"{name} must be a number, got {on_one_line(value)}.", hint="pass one plain number."
        )
    try:
        number = int(value) if isinstance(value, Integral) else float(value)
        finite = math.isfinite(number)
    except OverflowError:
        finite = False
    if not finite:
        raise OptionError(f"{name} must be finite, got {on_one_line(value)}.")
    return number


def checked_level(value: object) -> float:
    level = float(checked_number("confidence_level", value))
    if not 0 < level < 1:
        hint = f"write {level / 100:g} for {level:g} %." if 1 < level < 100 else "0.95 is usual."
        raise OptionError(
            f"confidence_level must be strictly between 0 and 1, got {precise(level, 0, 1)}.", hint=hint
        )
    return level


def on_one_line(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
