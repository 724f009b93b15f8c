"""The verdict: who is better, by how much and how sure that is; or that it cannot be told, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tallymark.comparison import margins
from tallymark.comparison.difference import Difference
from tallymark.drawing import interval, level_text, number, numbers_together, with_interval
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import Outcome, rejects

_MOST_TOLD = 3
"""Models that a sentence compares with the best; the others are in the table."""


class Verdict(NamedTuple):
    """A sentence or two, and the model that is better than all others, if one is."""

    text: str
    winner: str | None


class _Case(NamedTuple):
    """What is judged beside the differences."""

    values: Mapping[str, float | None]
    level: float
    margin: float | None
    omnibus: Outcome | None
    reach: str
    medians: bool


def judge(
    differences: Sequence[Difference],
    values: Mapping[str, float | None],
    *,
    level: float,
    margin: float | None = None,
    omnibus: Outcome | None = None,
    reach: str = "",
    medians: bool = False,
) -> Verdict:
    """From the differences of every pair of models in one number.

    `values` are the models' own numbers, `omnibus` tests all models at once, and `reach` says what this
    much data could have found. `medians` says that the differences are medians while the values are means,
    so that one is not the difference of the others.
    """
    case = _Case(values, level, margin, omnibus, reach, medians)
    return _of_two(differences[0], case) if len(differences) == 1 else _of_many(differences, case)


def significant(difference: Difference, level: float) -> bool:
    """Whether the test finds one of them better at this level."""
    return difference.ahead is not None and _differs(difference, level)


def tells_reach(differences: Sequence[Difference], level: float) -> bool:
    """Whether the verdict about these, in its first number, says what so much data could have found."""
    first = differences[0]
    two = all({each.a, each.b} == {first.a, first.b} for each in differences)
    return two and first.value is not None and not _differs(first, level)


def _differs(difference: Difference, level: float) -> bool:
    return rejects(difference.decisive, level)


def _of_two(difference: Difference, case: _Case) -> Verdict:
    level = case.level
    if difference.value is None:
        return Verdict(f"cannot tell: {difference.metric} is undefined: {difference.why}.", None)
    within = _within(difference, level, case.margin)
    numbers = _open_numbers if not _differs(difference, level) else _numbers
    told = _joined(f"{numbers(difference, case)}, {_p(difference)}.", _contrary([difference], case))
    if _differs(difference, level) and difference.better is None:
        both = f"{quoted(difference.a)} and {quoted(difference.b)} differ"
        return Verdict(_joined(f"{both}: {told}", _neither(difference), within), None)
    if not significant(difference, level):
        found = margins.within(difference, level, case.margin)
        if found is not None and found.equivalent:
            return Verdict(_joined(f"no difference that matters: {told}", within), None)
        return Verdict(_joined(f"cannot tell: {told}", _at_odds(difference, level), within, case.reach), None)
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
    return "The interval still holds 0, so this is not as sure as it looks."


def _better(difference: Difference) -> str:
    loser = difference.b if difference.ahead == difference.a else difference.a
    return f"{quoted(difference.ahead)} is better than {quoted(loser)}"


def _numbers(difference: Difference, case: _Case) -> str:
    """Both numbers, those of the model ahead first, and how far they are apart."""
    value = difference.value
    assert value is not None
    first, second, low, high = difference.a, difference.b, difference.low, difference.high
    if difference.ahead == second:
        first, second, value = second, first, -value
        low, high = (None if end is None else -end for end in (high, low))
    one, two = numbers_together(case.values[first], case.values[second])
    lower = _lower(difference)
    size = _size(difference, value, low, high)
    if case.medians:
        return f"{_median(difference, size)}, means {one} and {two}{lower}"
    return f"{difference.metric} {one} against {two}{lower}, {_apart(size)}"


def _open_numbers(difference: Difference, case: _Case) -> str:
    """The same where neither model is ahead: in the order in which they were given, and by name."""
    a, b = difference.a, difference.b
    assert difference.value is not None
    one, two = numbers_together(case.values[a], case.values[b])
    lower = _lower(difference)
    size = _size(difference, difference.value, difference.low, difference.high)
    if case.medians:
        return f"{_median(difference, size)}, mean of {quoted(a)} {one} and of {quoted(b)} {two}{lower}"
    return f"{quoted(a)} has {difference.metric} {one} and {quoted(b)} {two}{lower}, {_apart(size)}"


def _lower(difference: Difference) -> str:
    return " (lower is better)" if difference.better == "lower" else ""


def _size(difference: Difference, value: float, low: float | None, high: float | None) -> str:
    """How far apart they are, with the interval; nothing when that is not at all."""
    if value == 0 and not low and not high:
        return ""
    ends = f"({level_text(difference.level)})"
    if low is None:
        ends = f"(no interval: {difference.estimate.note})"
    return f"{with_interval(value, low, high)} {ends}"


def _apart(size: str) -> str:
    return f"a difference of {size}" if size else "no difference"


def _median(difference: Difference, size: str) -> str:
    what = f"median difference in {difference.metric}"
    return f"{what} {size}" if size else f"no {what}"


def _contrary(differences: Sequence[Difference], case: _Case) -> str:
    """That the means are in another order than the medians of the differences say."""
    for each in differences:
        one, two = case.values[each.a], case.values[each.b]
        if (
            case.medians
            and each.value
            and one is not None
            and two is not None
            and each.value * (one - two) < 0
        ):
            return (
                f"The means of {quoted(each.a)} and {quoted(each.b)} are in the other order: they follow a "
                "few large differences, which the median and the test do not."
            )
    return ""


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
    found = margins.within(difference, level, margin)
    if found is None or difference.value is None:
        return ""
    size = number(found.margin)
    if found.low is None or found.high is None:
        return f"Nothing can be said of the margin of {size}: there is no interval."
    turned = difference.ahead == difference.b and significant(difference, level)
    shown = (-found.high, -found.low) if turned else (found.low, found.high)
    ends = f"{level_text(found.level)} interval {interval(*shown)}"
    a, b = difference.a, difference.b
    if found.equivalent:
        start = "But within" if _differs(difference, level) else "Within"
        return f"{start} {size} {quoted(a)} and {quoted(b)} are equivalent: the {ends} lies inside."
    if difference.better is None:
        return f"That {quoted(a)} and {quoted(b)} are equivalent within {size} is not shown: {ends}."
    if significant(difference, level):
        shown_so = "" if found.a_better or found.b_better else "not shown to be "
        return f"{quoted(difference.ahead)} is {shown_so}better by more than {size}: {ends}."
    told = [
        f"{quoted(one)} is worse than {quoted(other)} by less than {size}"
        for one, other, shown_so in ((a, b, found.a_not_worse), (b, a, found.b_not_worse))
        if shown_so
    ]
    if told:
        return f"{' and '.join(told)}, if at all: {ends}."
    return f"Neither is shown to be within {size} of the other: {ends}."


def _of_many(differences: Sequence[Difference], case: _Case) -> Verdict:
    level = case.level
    undefined = next((each for each in differences if each.value is None), None)
    if undefined is not None:
        return Verdict(f"cannot tell: {undefined.metric} is undefined: {undefined.why}.", None)
    if differences[0].better is None:
        return _of_neither(differences, case)
    found = [each for each in differences if significant(each, level)]
    omnibus = case.omnibus
    refused = omnibus is not None and (omnibus.p_value is None or omnibus.p_value >= 1 - level)
    if refused or not found:
        said = f"cannot tell: {_nothing(differences, omnibus, level)}."
        return Verdict(_joined(said, *_each_margin(differences, case), case.reach), None)
    first = _foremost(differences, found, case)
    if first is None:
        said = f"cannot tell which is the best: {_listed(found)}."
        return Verdict(_joined(said, _contrary(found[:_MOST_TOLD], case)), None)
    beaten = [each for each in found if each.ahead == first]
    open_ = [each for each in differences if first in (each.a, each.b) and each not in found]
    said = _told(first, beaten, case)
    if open_:
        others = _either([quoted(_other(each, first)) for each in open_[:_MOST_TOLD]], len(open_))
        said += f" Whether it is better than {others} cannot be told."
    rest = [each for each in found if each.ahead != first]
    besides = f"Of the others, {_listed(rest)}." if rest else ""
    contrary = _contrary([*beaten[:_MOST_TOLD], *rest[:_MOST_TOLD]], case)
    told_margins = _each_margin(open_, case)
    reach = case.reach if open_ else ""
    return Verdict(_joined(said, besides, contrary, *told_margins, reach), None if open_ else first)


def _each_margin(differences: Sequence[Difference], case: _Case) -> list[str]:
    """What the margin says of several pairs, which is not adjusted for their number."""
    told = [text for each in differences[:_MOST_TOLD] if (text := _within(each, case.level, case.margin))]
    more = len(differences) - _MOST_TOLD
    if not told:
        return []
    rest = f", and {more} more in the JSON document" if more > 0 else ""
    return [*told, f"These are said of each pair by itself{rest}."] if len(differences) > 1 else told


def _foremost(differences: Sequence[Difference], found: Sequence[Difference], case: _Case) -> str | None:
    """The model with the best number unless one is found better; then the one that is better than most.

    Pairs are not tested by the models' numbers everywhere, so the best number may be of a model that is
    beaten, and each model may be beaten by another: then none is foremost.
    """
    beaten = {_other(each, each.ahead) for each in found if each.ahead is not None}
    best = _best(case.values, differences)
    if best not in beaten:
        return best
    wins = Counter(each.ahead for each in found if each.ahead not in beaten)
    return max(wins, key=lambda name: wins[name], default=None)


def _of_neither(differences: Sequence[Difference], case: _Case) -> Verdict:
    """Of a number that is not to be high or low, models differ at most."""
    found = [each for each in differences if _differs(each, case.level)]
    if not found:
        said = f"cannot tell: {_nothing(differences, case.omnibus, case.level)}."
        return Verdict(_joined(said, case.reach), None)
    pairs = [
        f"{quoted(each.a)} and {quoted(each.b)} differ: {_numbers(each, case)}, {_p(each)}"
        for each in found[:_MOST_TOLD]
    ]
    more = f"; and {len(found) - _MOST_TOLD} more pairs" if len(found) > _MOST_TOLD else ""
    return Verdict(_joined(f"{'; '.join(pairs)}{more}.", _neither(found[0])), None)


def _neither(difference: Difference) -> str:
    return f"Neither is better for it: {difference.metric} is not a number to be high or low."


def _told(first: str, beaten: Sequence[Difference], case: _Case) -> str:
    if not beaten:
        what = "mean" if case.medians else "number"
        return f"{quoted(first)} has the best {what}, {number(case.values[first])}."
    each = [
        f"{quoted(_other(difference, first))}: {_numbers(difference, case)}, {_p(difference)}"
        for difference in beaten[:_MOST_TOLD]
    ]
    more = f", and {len(beaten) - _MOST_TOLD} more" if len(beaten) > _MOST_TOLD else ""
    return f"{quoted(first)} is better than {'; and than '.join(each)}{more}."


def _listed(found: Sequence[Difference]) -> str:
    """Who is better than whom."""
    each = [f"{_better(difference)}, {_p(difference)}" for difference in found[:_MOST_TOLD]]
    more = f", and {len(found) - _MOST_TOLD} more" if len(found) > _MOST_TOLD else ""
    return f"{'; '.join(each)}{more}"


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
