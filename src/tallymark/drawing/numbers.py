"""How numbers look, everywhere.

One rule goes beyond rounding: a value that is not exactly 0, 1 or -1 is never written as if it were.
Where three decimals would turn 0.9996 into "1.000" or 0.00004 into "0.000", decimals are added until
the difference shows. Below a millionth the notation becomes scientific ("1.2e-07"). Numbers that stand side
by side, such as a value, the ends of its interval and what it is compared with, have the same decimals, and
enough of them to tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import SupportsIndex

ABSENT = "?"
NO_INTERVAL = "-"

_MOST_DECIMALS = 6
# Sums of shares miss 1 by a few units in the 16th decimal; that is noise, not news.
_NOISE = 1e-12
_SURE_DECIMALS = 13
_HUNDRED = 1e2
_THOUSAND = 1e3
_HUGE = 1e12


def number(value: float | None, digits: int = 3) -> str:
    """A value with a fixed number of decimals; "?" when there is none.

    Integers are written as counts. From a thousand on, two decimals at most and a thousands separator;
    from 1e12 on, scientific. Values near 0, 1 and -1 get the decimals they need (see the module).

    >>> number(0.9049), number(0.9996), number(0.00004), number(12), number(1.2e-7), number(None)
    ('0.905', '0.9996', '0.00004', '12', '1.2e-07', '?')
    """
    if value is None:
        return ABSENT
    if isinstance(value, SupportsIndex) or abs(value) >= _THOUSAND:
        return count(value)
    return _fixed(float(value), digits)


def count(n: float | None) -> str:
    """A count with thousands separators; a weighted count with two decimals at most.

    >>> count(99900), count(12.0), count(12.345), count(0.00137)
    ('99,900', '12', '12.35', '0.0014')
    """
    if n is None:
        return ABSENT
    if isinstance(n, SupportsIndex):
        return f"{n.__index__():,}"
    n = float(n)
    if not math.isfinite(n):
        return str(n)
    if abs(n) >= _HUGE:
        return f"{n:.3e}"
    text = f"{n:,.2f}".rstrip("0").rstrip(".")
    if text not in ("0", "-0"):
        return text
    return "0" if n == 0 else _two_figures(n)


def percent(value: float | None, digits: int = 1) -> str:
    """A share in percent; the rule for 0, 1 and -1 holds for 0%, 100% and -100%.

    >>> percent(0.905), percent(0.9996), percent(1.0), percent(None)
    ('90.5%', '99.96%', '100.0%', '?')
    """
    return ABSENT if value is None else _fixed(float(value), digits, shift=2) + "%"


def level_text(level: float) -> str:
    """A level of confidence or significance, as it is written in a sentence.

    >>> level_text(0.95), level_text(0.999)
    ('95 %', '99.9 %')
    """
    return f"{level * 100:.10g} %"


def numbers_together(*values: float | None, digits: int = 3) -> tuple[str, ...]:
    """Numbers that stand side by side: all with as many decimals as tell them apart, and from 0 and 1.

    Amounts of a hundred and more have two decimals at most, and so has what stands beside them.

    >>> numbers_together(0.99912, 0.99905), numbers_together(0.905, 1.0), numbers_together(826.0, 402.8251)
    (('0.9991', '0.9990'), ('0.905', '1.000'), ('826', '402.83'))
    """
    if any(value is not None and _HUNDRED <= abs(value) < math.inf for value in values):
        return tuple(map(_amount, values))
    digits = _decimals(values, digits)
    return tuple(number(value, digits) for value in values)


def percents_together(*values: float | None, digits: int = 1) -> tuple[str, ...]:
    """The same in percent, as sentences have it.

    >>> percents_together(0.99912, 0.99905), percents_together(0.905, None)
    (('99.91 %', '99.90 %'), ('90.5 %', '?'))
    """
    digits = _decimals(values, digits, shift=2)
    return tuple(percent(value, digits).replace("%", " %") for value in values)


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Both ends in brackets, with the decimals it takes to tell them apart; "-" when there are none.

    >>> interval(0.897, 0.9121), interval(0.90512, 0.90518), interval(None, None)
    ('[0.897, 0.912]', '[0.9051, 0.9052]', '-')
    """
    return bracketed(*numbers_together(low, high, digits=digits))


def bracketed(low: str, high: str) -> str:
    """Both ends in brackets, written already; "-" when there are none."""
    return NO_INTERVAL if low == high == ABSENT else f"[{low}, {high}]"


def value_and_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 3
) -> tuple[str, str]:
    """A value and its interval for two cells of a table; a whole amount, such as a total cost, is a count.

    >>> value_and_interval(0.00105, 0.0009, 0.0012), value_and_interval(12.0, 3.5, 20.25)
    (('0.0010', '[0.0009, 0.0012]'), ('12', '[3.500, 20.250]'))
    """
    shown, *ends = numbers_together(value, low, high, digits=digits)
    whole = value is not None and 1 < abs(value) < math.inf and float(value).is_integer()
    return count(value) if whole else shown, bracketed(*ends)


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """A value and its interval, if it has one.

    >>> with_interval(0.905, 0.897, 0.9121), with_interval(0.905, None, None)
    ('0.905 [0.897, 0.912]', '0.905')
    """
    return " ".join(value_and_interval(value, low, high)).removesuffix(f" {NO_INTERVAL}")


def _amount(value: float | None) -> str:
    """Beside large numbers: as a count, but what is small all the same by its own figures."""
    return count(value) if value is None or abs(value) >= 1 else number(value)


def _decimals(values: Iterable[float | None], digits: int, shift: int = 0) -> int:
    """How many all of them need, so that those that differ look different and none like 0, 1 or -1."""
    known = [float(value) for value in values if value is not None and math.isfinite(value)]
    while digits < _MOST_DECIMALS:
        texts = [_fixed(value, digits, shift) for value in known]
        longest = max((len(text.partition(".")[2]) for text in texts if "e" not in text), default=digits)
        if longest <= digits and not _look_alike(known, texts):
            break
        digits = max(digits + 1, min(longest, _MOST_DECIMALS))
    return digits


def _look_alike(values: Sequence[float], texts: Sequence[str]) -> bool:
    """Whether two that differ by more than noise are written in the same way."""
    first: dict[str, float] = {}
    pairs = zip(texts, values, strict=True)
    return any(abs(first.setdefault(text, value) - value) > _NOISE for text, value in pairs)


def _fixed(value: float, digits: int, shift: int = 0) -> str:
    """With that many decimals; with a `shift` of 2 in percent, rounded as the share itself would be."""
    if not math.isfinite(value):
        return str(value)
    scale = 10**shift
    nearest = min((0, 1, -1), key=lambda special: abs(value - special))
    if abs(value - nearest) <= (_NOISE if nearest else 0):
        return f"{nearest * scale:.{digits}f}"
    if abs(value) * scale < 10**-_MOST_DECIMALS:
        return _scientific(value * scale)
    # 143 / 400 lies between two thousandths, and how it was summed up must not decide between them.
    value = round(value, _SURE_DECIMALS)
    while (rounded := round(value, digits + shift)) == nearest:
        digits += 1
    return f"{rounded * scale:.{digits}f}"


def _two_figures(value: float) -> str:
    if abs(value) < 10**-_MOST_DECIMALS:
        return _scientific(value)
    return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"


def _scientific(value: float) -> str:
    return f"{value:.1e}"
