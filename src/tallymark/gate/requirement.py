"""Requirements as people write them: `recall >= 0.8`, `f1.value > 0.7`, `recall@malignant >= 80%`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from tallymark.errors import OptionError
from tallymark.metrics import ask

Operator = Literal[">=", ">", "<=", "<"]
Judged = Literal["low", "high", "value"]
_SLOPPY = 1e-12
"""Sums and differences miss a limit such as 0.01 by a few units in the 16th decimal, which is no news."""
_OPERATORS: dict[str, Operator] = {">=": ">=", ">": ">", "<=": "<=", "<": "<"}
_JUDGED: dict[str | None, Judged] = {"low": "low", "high": "high", "value": "value"}
_OPERATOR = re.compile(r"[<>=!≤≥](?:[<>=!≤≥\s]*[<>=!≤≥])?")
_TARGET = re.compile(
    r"(?P<metric>.*?)(?:\.(?P<judged>value|low|high))?(?:\[(?P<part>[^\]]*)\])?(?:@(?P<label>.*))?", re.DOTALL
)
_FORM = "write METRIC >= LIMIT, such as 'recall >= 0.8'; >=, >, <= and < are understood."
_MEANT = {"=>": ">=", "=<": "<=", "≥": ">=", "≤": "<="}
_OTHER_WAY = str.maketrans("<>", "><")
_BY = re.compile(r"(?P<target>.*\S)\s+by\s+(?P<margin>\S.*)", re.DOTALL)


@dataclass(frozen=True)
class Target:
    """Which number is meant: a metric, of all rows or of one class or slice, and which part of it."""

    metric: str
    judged: Judged | None = None
    """What was written behind the name; None for the end of the interval that makes it harder."""
    label: str | None = None
    """The class it is about, as text."""
    part: tuple[tuple[str, str | None], ...] = ()
    """The slice it is about: columns with their value, or without one for every value."""

    @property
    def name(self) -> str:
        """The number in words: `recall of 'malignant' where region=north`."""
        of = "" if self.label is None else f" of {self.label!r}"
        where = ", ".join(column if value is None else f"{column}={value}" for column, value in self.part)
        return f"{self.metric}{of}{f' where {where}' if where else ''}"


@dataclass(frozen=True)
class Requirement:
    """A limit that a number must keep."""

    text: str
    """As it was written."""
    target: Target
    operator: Operator
    limit: float

    @property
    def metric(self) -> str:
        return self.target.metric

    @property
    def judged(self) -> Judged:
        """The end of the interval that makes it harder, unless another number was named."""
        return self.target.judged or ("low" if self.least else "high")

    @property
    def least(self) -> bool:
        """Whether the number must be high."""
        return asks_for_more(self.operator)

    def kept(self, found: float) -> bool:
        """Whether the number keeps the limit; NaN never does."""
        return kept(found, self.operator, self.limit)


@dataclass(frozen=True)
class NoWorse:
    """A number that must not be worse than the baseline's by more than a margin."""

    text: str
    """As it was written, without the margin."""
    target: Target
    margin: float


def asks_for_more(operator: Operator) -> bool:
    """Whether a number must be high to keep its limit."""
    return operator in (">=", ">")


def kept(found: float, operator: Operator, limit: float) -> bool:
    """Whether the number keeps the limit; NaN never does."""
    match operator:
        case ">=":
            return found >= limit - _SLOPPY
        case ">":
            return found > limit + _SLOPPY
        case "<=":
            return found <= limit + _SLOPPY
        case "<":
            return found < limit - _SLOPPY


def requirement(text: str) -> Requirement:
    """Read a requirement; what cannot be one is an error that says how it is written.

    >>> found = requirement("recall@malignant >= 80%")
    >>> found.metric, found.operator, found.limit, found.judged, found.target.label
    ('recall', '>=', 0.8, 'low', 'malignant')
    """
    if not isinstance(text, str):
        raise OptionError(f"a requirement is text, such as 'recall >= 0.8'; got {text!r}.")
    whole = text.strip()
    # A label may hold such signs; a limit does not, so the last one counts, if not of a slice: [sex=f].
    signs = [sign for sign in _OPERATOR.finditer(whole) if sign.start() > whole.find("]")]
    if not signs:
        raise OptionError(f"the requirement {text!r} compares nothing.", hint=_FORM)
    name, sign, limit = whole[: signs[-1].start()], signs[-1][0], whole[signs[-1].end() :]
    if "@" in name and sign.split()[-1] in _OPERATORS:
        # The label itself ends in such a sign: recall@<none> >= 0.8.
        sign = sign.split()[-1]
        name = whole[: signs[-1].end() - len(sign)]
    if sign not in _OPERATORS:
        raise _unknown_operator(text, name.strip(), sign, limit.strip())
    if len(signs) > 1 and "@" not in name:
        raise OptionError(
            f"the requirement {text!r} compares more than once.",
            hint="write each on its own: --require 'recall >= 0.8' --require 'fpr <= 0.1'.",
        )
    if not name.strip() or not limit.strip():
        lacking = "has no limit" if name.strip() else "names no metric"
        raise OptionError(f"the requirement {text!r} {lacking}.", hint=_FORM)
    target = _target(name.strip(), text)
    bound = amount(
        limit, f"the requirement {text!r}", "a limit such as 0.8 or 80%", _turned(name, sign, limit)
    )
    return Requirement(whole, target, _OPERATORS[sign], bound)


def no_worse(text: str, margin: float) -> NoWorse:
    """Read a number that must not get worse: `f1`, `f1.value`, or `f1 by 0.02` with a margin of its own."""
    if not isinstance(text, str) or not text.strip():
        raise OptionError(f"no_worse names a metric, such as 'f1'; got {text!r}.")
    if _OPERATOR.search(text) and "[" not in text and "@" not in text:
        raise OptionError(
            f"no_worse names a metric and no limit; got {text!r}.",
            hint="a limit is a requirement: --require (in Python require=).",
        )
    own = _BY.fullmatch(text.strip())
    if own is None:
        return NoWorse(text.strip(), _target(text.strip(), text), margin)
    found = amount(
        own["margin"], f"no_worse {text!r}", "a margin such as 0.01 or 1%", "write it as 'f1 by 0.01'."
    )
    return NoWorse(own["target"], _target(own["target"], text), checked_margin(found))


def checked_margin(margin: object) -> float:
    """A difference that does not matter: a number from 0 up."""
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin < math.inf:
        raise OptionError(
            f"margin is how much worse does not matter, a number from 0 up; got {margin!r}.",
            hint="0.01 lets a number be worse by one percentage point.",
        )
    return float(margin)


def amount(text: str, of: str, what: str, form: str) -> float:
    """A number or a percentage; `form` is how it is written."""
    written = text.strip()
    digits = written.removesuffix("%").rstrip()
    try:
        found = float(digits)
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or "_" in digits:
        hint = (
            f"write {written.replace(',', '.')} with a point." if re.fullmatch(r"\d+,\d+", written) else form
        )
        raise OptionError(f"{of}: expected {what}; got {written!r}.", hint=hint)
    # 29 / 100 in decimals, so that 29% is 0.29 and not a number beside it.
    return float(Decimal(digits) / 100) if written.endswith("%") else found


def check_limit(asked: Requirement) -> None:
    """Refuse a limit that the metric cannot have: it would always be kept, or never."""
    low, high = ask(asked.metric).metric.range
    if asked.text.endswith("%") and high > 1:
        raise OptionError(
            f"{asked.metric} is no share, so {asked.text!r} has no percentage to be held against.",
            hint=f"write {asked.limit:g} if that is meant.",
        )
    if low <= asked.limit <= high:
        return
    hint = None
    if high == 1 and 1 < asked.limit <= 100:
        hint = f"write {asked.limit / 100:g} or {asked.limit:g}%."
    reach = f"lies between {low:g} and {high:g}" if math.isfinite(high) else f"is at least {low:g}"
    how = "never" if asked.least == (asked.limit > high) else "always"
    raise OptionError(f"{asked.metric} {reach}, so {asked.text!r} would {how} be met.", hint=hint)


def _unknown_operator(text: str, name: str, sign: str, limit: str) -> OptionError:
    joined = "".join(sign.split())
    meant = _MEANT.get(joined, joined)
    if meant in _OPERATORS:
        return OptionError(
            f"the requirement {text!r} has {sign!r}, which is no comparison.",
            hint=f"write '{name} {meant} {limit}'.",
        )
    if sign in ("=", "=="):
        return OptionError(
            f"the requirement {text!r} asks for one exact number, which no measured number hits.",
            hint=f"say what it must reach: '{name} >= {limit}', or '{name} <= {limit}'.",
        )
    return OptionError(f"the requirement {text!r} has {sign!r}, which is no comparison.", hint=_FORM)


def _turned(name: str, sign: str, limit: str) -> str:
    """How it is written, also of one that has the limit first."""
    if not re.fullmatch(r"[\d.]+\s*%?", name.strip()):
        return _FORM
    return f"write '{limit.strip()} {sign.translate(_OTHER_WAY)} {name.strip()}'."


def _target(name: str, text: str) -> Target:
    found = _TARGET.fullmatch(name)
    assert found is not None
    metric, label, part = found["metric"].strip(), found["label"], found["part"]
    if not metric:
        raise OptionError(f"{text!r} names no metric.", hint=_FORM)
    if label is not None and not label.strip():
        raise OptionError(f"{text!r} names no class behind @.", hint="write it as 'recall@malignant >= 0.8'.")
    return Target(metric, _JUDGED.get(found["judged"]), label and label.strip(), _part(part, text))


def _part(part: str | None, text: str) -> tuple[tuple[str, str | None], ...]:
    if part is None:
        return ()
    items = [item.partition("=") for item in part.split(",")]
    columns = [(column.strip(), value.strip() if equals else None) for column, equals, value in items]
    if any(not column or value == "" for column, value in columns):
        raise OptionError(
            f"{text!r} names no slice in its brackets.",
            hint="write 'recall[region=north] >= 0.8', or 'recall[region] >= 0.8' for every region.",
        )
    return tuple(columns)
