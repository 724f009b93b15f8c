"""The verdict: who is better, by how much and how sure that is; or that it cannot be told, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tallymark.comparison.difference import Difference
from tallymark.drawing import interval, number
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import Outcome

_MOST_TOLD = 3
"""Models that a sentence compares with the best; the others are in the table."""


class Verdict(NamedTuple):
    """A sentence or two, and the model that is better than all others, if one is."""

    text: str
    winner: str | None


def judge(
    differences: Sequence[Difference],
    values: Mapping[str, float | None],
    *,
    level: float,
    margin: float | None = None,
    omnibus: Outcome | None = None,
    reach: str = "",
) -> Verdict:
    """From the differences of every pair of models in one number.

    `values` are the models' own numbers, `omnibus` tests all models at once, and `reach` says what this
    much data could have found.
    """
    if len(differences) == 1:
        return _of_two(differences[0], values, level, margin, reach)
    return _of_many(differences, values, level, margin, omnibus, reach)


def significant(difference: Difference, level: float) -> bool:
    """Whether the test finds one of them better at this level."""
    return difference.ahead is not None and _differs(difference, level)


def tells_reach(differences: Sequence[Difference], level: float) -> bool:
    """Whether the verdict about these, in its first number, says what so much data could have found."""
    first = differences[0]
    two = all({each.a, each.b} == {first.a, first.b} for each in differences)
    return two and first.value is not None and not _differs(first, level)


def _differs(difference: Difference, level: float) -> bool:
    p = difference.decisive
    return p is not None and p < 1 - level


def _of_two(
    difference: Difference,
    values: Mapping[str, float | None],
    level: float,
    margin: float | None,
    reach: str,
) -> Verdict:
    if difference.value is None:
        return Verdict(f"cannot tell: {difference.metric} is undefined: {difference.why}.", None)
    within = _within(difference, level, margin)
    told = f"{_numbers(difference, values)}, {_p(difference)}."
    if _differs(difference, level) and difference.better is None:
        both = f"{quoted(difference.a)} and {quoted(difference.b)} differ"
        return Verdict(_joined(f"{both}: {told}", _neither(difference), within), None)
    if not significant(difference, level):
        return Verdict(_joined(f"cannot tell: {told}", _at_odds(difference, level), within, reach), None)
    said = f"{_better(difference)}: {told}"
    return Verdict(_joined(said, _at_odds(difference, level), within), difference.ahead)


def _at_odds(difference: Difference, level: float) -> str:
    """That interval and test, which are not made in the same way, do not say the same."""
    low, high = difference.low, difference.high
    if low is None or high is None or difference.p_value is None or difference.adjusted is not None:
        return ""
    if difference.outcome.alternative != "two-sided":
        return ""
    leaves_out_0 = low > 0 or high < 0
    if leaves_out_0 == significant(difference, level):
        return ""
    if leaves_out_0:
        return "The interval just leaves out 0, but the test, the stricter one here, finds no difference."
    return "The interval still holds 0, so this is close to the limit."


def _better(difference: Difference) -> str:
    loser = difference.b if difference.ahead == difference.a else difference.a
    return f"{quoted(difference.ahead)} is better than {quoted(loser)}"


def _numbers(difference: Difference, values: Mapping[str, float | None]) -> str:
    """Both numbers, the better one first, and how far they are apart."""
    value = difference.value
    assert value is not None
    first, second, low, high = difference.a, difference.b, difference.low, difference.high
    if difference.ahead == second:
        first, second, value = second, first, -value
        low, high = (None if end is None else -end for end in (high, low))
    both = f"{difference.metric} {number(values[first])} against {number(values[second])}"
    both += " (lower is better)" if difference.better == "lower" else ""
    if value == 0 and not low and not high:
        return f"{both}, no difference"
    apart = f"a difference of {number(value)}"
    if low is None:
        return f"{both}, {apart} (no interval: {difference.estimate.note})"
    return f"{both}, {apart} {interval(low, high)} ({percent_of(difference.level)})"


def _p(difference: Difference) -> str:
    found = difference.outcome
    if found.p_value is None:
        said_already = difference.low is None and found.why == difference.estimate.note
        return "and no p-value" if said_already else f"no p-value ({found.why})"
    sided = ""
    if found.alternative != "two-sided":
        sided = f"; one-sided, whether that of {quoted(difference.a)} is {found.alternative}"
    p = f"p = {number(found.p_value)}"
    if difference.adjusted is not None:
        p = f"p = {number(difference.adjusted)} after {difference.adjusted_by}"
    return f"{p} ({found.method}{sided})"


def _within(difference: Difference, level: float, margin: float | None) -> str:
    """What a margin says: equivalent, not worse, or neither."""
    if margin is None or difference.value is None:
        return ""
    # Two one-sided tests at 1 - level: the interval that leaves so much out on either side.
    estimate = difference.estimate.interval(2 * level - 1)
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return f"Nothing can be said of the margin of {number(margin)}: there is no interval."
    shown = (-high, -low) if difference.ahead == difference.b else (low, high)
    ends = f"{percent_of(estimate.level)} interval {interval(*shown)}"
    size = number(margin)
    if -margin < low and high < margin:
        within = "But within" if _differs(difference, level) else "Within"
        return f"{within} {size} they are equivalent: the {ends} lies inside."
    if difference.better is None:
        return f"That they are equivalent within {size} is not shown: {ends}."
    if significant(difference, level):
        more = max(low, -high) > margin
        return f"It is {'' if more else 'not shown to be '}better by more than {size}: {ends}."
    lower = difference.better == "lower"
    # How much worse a may be than b, and b than a.
    a_worse, b_worse = (high, -low) if lower else (-low, high)
    a, b = difference.a, difference.b
    told = [
        f"{quoted(one)} is worse than {quoted(other)} by less than {size}"
        for one, other, worse in ((a, b, a_worse), (b, a, b_worse))
        if worse < margin
    ]
    if told:
        return f"{' and '.join(told)}, if at all: {ends}."
    return f"Neither is shown to be within {size} of the other: {ends}."


def _of_many(
    differences: Sequence[Difference],
    values: Mapping[str, float | None],
    level: float,
    margin: float | None,
    omnibus: Outcome | None,
    reach: str,
) -> Verdict:
    undefined = next((each for each in differences if each.value is None), None)
    if undefined is not None:
        return Verdict(f"cannot tell: {undefined.metric} is undefined: {undefined.why}.", None)
    if differences[0].better is None:
        return _of_neither(differences, values, level, omnibus, reach)
    found = [each for each in differences if significant(each, level)]
    refused = omnibus is not None and (omnibus.p_value is None or omnibus.p_value >= 1 - level)
    if refused or not found:
        return Verdict(_joined(f"cannot tell: {_nothing(differences, omnibus, level)}.", reach), None)
    best = _best(values, differences)
    beaten = [each for each in found if each.ahead == best]
    open_ = [each for each in differences if best in (each.a, each.b) and each not in found]
    said = _told(best, beaten, values)
    if open_:
        others = _either([quoted(_other(each, best)) for each in open_[:_MOST_TOLD]], len(open_))
        said += f" Whether it is better than {others} cannot be told."
    said = _joined(said, _besides([each for each in found if each.ahead != best]))
    margins = [_within(each, level, margin) for each in open_[:_MOST_TOLD]]
    return Verdict(_joined(said, *margins, reach if open_ else ""), None if open_ else best)


def _of_neither(
    differences: Sequence[Difference],
    values: Mapping[str, float | None],
    level: float,
    omnibus: Outcome | None,
    reach: str,
) -> Verdict:
    """Of a number that is not to be high or low, models differ at most."""
    found = [each for each in differences if _differs(each, level)]
    if not found:
        return Verdict(_joined(f"cannot tell: {_nothing(differences, omnibus, level)}.", reach), None)
    pairs = [
        f"{quoted(each.a)} and {quoted(each.b)} differ: {_numbers(each, values)}, {_p(each)}"
        for each in found[:_MOST_TOLD]
    ]
    more = f"; and {len(found) - _MOST_TOLD} more pairs" if len(found) > _MOST_TOLD else ""
    return Verdict(_joined(f"{'; '.join(pairs)}{more}.", _neither(found[0])), None)


def _neither(difference: Difference) -> str:
    return f"Neither is better for it: {difference.metric} is not a number to be high or low."


def _told(best: str, beaten: Sequence[Difference], values: Mapping[str, float | None]) -> str:
    if not beaten:
        return f"{quoted(best)} has the best number, {number(values[best])}."
    each = [
        f"{quoted(_other(difference, best))}: {_numbers(difference, values)}, {_p(difference)}"
        for difference in beaten[:_MOST_TOLD]
    ]
    more = f", and {len(beaten) - _MOST_TOLD} more" if len(beaten) > _MOST_TOLD else ""
    return f"{quoted(best)} is better than {'; and than '.join(each)}{more}."


def _besides(found: Sequence[Difference]) -> str:
    """Who else is better than whom."""
    if not found:
        return ""
    each = [f"{_better(difference)}, {_p(difference)}" for difference in found[:_MOST_TOLD]]
    more = f", and {len(found) - _MOST_TOLD} more" if len(found) > _MOST_TOLD else ""
    return f"Of the others, {'; '.join(each)}{more}."


def _nothing(differences: Sequence[Difference], omnibus: Outcome | None, level: float) -> str:
    if omnibus is not None and omnibus.p_value is None:
        return f"the models together have no test: {omnibus.why}"
    if omnibus is not None and omnibus.p_value is not None and omnibus.p_value >= 1 - level:
        return (
            f"tested together, the models do not differ in {differences[0].metric} beyond chance, "
            f"p = {number(omnibus.p_value)} ({omnibus.method})"
        )
    known = [each for each in differences if each.decisive is not None]
    if not known:
        return f"no pair of the models has a p-value ({differences[0].outcome.why})"
    least = min(known, key=lambda each: each.decisive or 0.0)
    pair = f"{quoted(least.a)} and {quoted(least.b)}"
    return (
        f"no pair of the models differs in {least.metric} beyond chance; the nearest to it are {pair}, "
        f"{_p(least)}"
    )


def _best(values: Mapping[str, float | None], differences: Sequence[Difference]) -> str:
    known = {name: value for name, value in values.items() if value is not None}
    chosen = min if differences[0].better == "lower" else max
    return chosen(known, key=lambda name: known[name])


def _other(difference: Difference, name: str) -> str:
    return difference.b if difference.a == name else difference.a


def _either(names: Sequence[str], total: int) -> str:
    """All of them by name, or some and how many there are more."""
    more = total - len(names)
    if more:
        names = [*names, f"{more} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def percent_of(level: float) -> str:
    """A confidence level as it is written in a sentence."""
    return f"{level * 100:.10g} %"
