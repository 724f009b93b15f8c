"""Outcomes in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import number, with_interval
from tallymark.drawing.numbers import ABSENT
from tallymark.gate.requirement import Judged
from tallymark.inference import Estimate

if TYPE_CHECKING:
    from tallymark.gate.outcome import Outcome

_END: dict[Judged, str] = {"low": "lower end", "high": "upper end", "value": "value"}
_KEPT = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}
_DIGITS = (3, 4, 5, 6, 9, 12)


def sentence(outcome: Outcome) -> str:
    """What was found, what was judged, and what came of it."""
    said = {"limit": _limit, "difference": _difference, "baseline": _numbers}[outcome.kind](outcome)
    settled = outcome.found is None or outcome.limit is None
    return said if outcome.why is None or settled else f"{said} {_whole(outcome.why)}"


def _limit(outcome: Outcome) -> str:
    if outcome.found is None:
        return f"{outcome.name} {_undefined(outcome.estimate, outcome.why)}, so it cannot pass."
    found = f"{outcome.name} is {shown(outcome.estimate)}"
    if outcome.judged == "value" and outcome.estimate.bounds is None:
        return f"{found}, which {_result(outcome)}."
    return f"{found}; {_judged(outcome)} {_result(outcome)}."


def _difference(outcome: Outcome) -> str:
    assert outcome.margin is not None
    if outcome.found is None:
        why = _undefined(outcome.estimate, outcome.why)
        return f"The difference in {outcome.name} from the baseline {why}, so it cannot pass."
    both = f"{outcome.name} is {_value(outcome.new)} and the baseline's is {_value(outcome.baseline)}"
    if outcome.judged == "value" and outcome.estimate.bounds is None:
        judged = f"the difference {signed(outcome.found)}"
    else:
        judged = f"the difference is {shown(outcome.estimate)}, and {_judged(outcome)}"
    return f"{both}; {judged} is {_within(outcome)}."


def _numbers(outcome: Outcome) -> str:
    assert outcome.margin is not None
    if outcome.found is None or outcome.limit is None:
        lacking = outcome.estimate if outcome.estimate.value is None else outcome.baseline
        whose = outcome.name if lacking is outcome.estimate else f"the baseline's {outcome.name}"
        assert lacking is not None
        return f"{whose} {_undefined(lacking, outcome.why)}, so it cannot pass."
    both = f"{outcome.name} is {shown(outcome.estimate)} and the baseline's is {shown(outcome.baseline)}"
    against = outcome.limit + (outcome.margin if outcome.least else -outcome.margin)
    one, two = apart(outcome.found, against)
    return f"{both}; its {judged_by(outcome)} {one}, against {two}, is {_within(outcome)}."


def _judged(outcome: Outcome) -> str:
    assert outcome.found is not None
    found = outcome.found if outcome.limit is None else apart(outcome.found, outcome.limit)[0]
    return f"its {judged_by(outcome)} {found}"


def judged_by(outcome: Outcome) -> str:
    """Which number was judged: an end of the interval, the value, or a bound of one that is approximate."""
    if outcome.judged == "value" and outcome.estimate.bounds is not None:
        return f"{'lower' if outcome.least else 'upper'} bound"
    return _END[outcome.judged]


def _result(outcome: Outcome) -> str:
    assert outcome.limit is not None
    limit = f"{outcome.limit:.6g}"
    if outcome.passed:
        return f"is {_KEPT[outcome.operator]} {limit}"
    if not outcome.short_by:
        return f"is not {_KEPT[outcome.operator]} {limit}"
    verb = "falls short of" if outcome.least else "exceeds"
    return f"{verb} {limit} by {amount(outcome.short_by)}"


def _within(outcome: Outcome) -> str:
    if not outcome.margin:
        return "no worse" if outcome.passed else f"worse by {amount(outcome.short_by)}"
    if outcome.passed:
        return f"within the margin of {outcome.margin:.6g}"
    return f"worse than the margin of {outcome.margin:.6g} allows, by {amount(outcome.short_by)}"


def _undefined(estimate: Estimate, why: str | None) -> str:
    if estimate.value is None:
        return f"is undefined ({why or estimate.why})"
    return f"has no such number ({why})"


def shown(estimate: Estimate | None) -> str:
    """A number with its interval, or without one."""
    if estimate is None or estimate.value is None:
        return "undefined"
    off = "" if estimate.bounds is None else f" (off by at most {estimate.off_by})"
    return f"{with_interval(estimate.value, estimate.low, estimate.high)}{off}"


def amount(short_by: float | None) -> str:
    """How much is lacking, in the two figures that matter."""
    if short_by is None:
        return ABSENT
    return (
        f"{float(f'{short_by:.2g}'):g}" if short_by < 0.1 else number(float(short_by)).rstrip("0").rstrip(".")
    )


def signed(value: float) -> str:
    """A difference with its sign."""
    text = number(value)
    return text if value <= 0 else f"+{text}"


def apart(found: float, limit: float) -> tuple[str, str]:
    """Two numbers with the decimals it takes to tell them apart, if they can be."""
    for digits in _DIGITS:
        texts = number(float(found), digits), number(float(limit), digits)
        if texts[0] != texts[1]:
            return texts
    return number(float(found)), number(float(limit))


def _value(estimate: Estimate | None) -> str:
    return "undefined" if estimate is None or estimate.value is None else number(estimate.value)


def _whole(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
