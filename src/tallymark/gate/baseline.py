"""Numbers that must not be worse than the baseline's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tallymark.comparison import Comparison, compare
from tallymark.errors import InputError, OptionError, precise
from tallymark.evaluation import Evaluation
from tallymark.evaluation.matching import Stated
from tallymark.gate.judging import number_judged, reason
from tallymark.gate.numbers import Numbers, OfEvaluation
from tallymark.gate.outcome import Outcome
from tallymark.gate.requirement import NoWorse, Operator, asks_for_more, kept
from tallymark.metrics import ask
from tallymark.tallies.labels import listed

THIS, BASELINE = "this model", "the baseline"
LIKE_WITH_LIKE = "like is held against like, which is not a test of the difference"
NUMBERS_ALONE = f"is known from its numbers alone, so {LIKE_WITH_LIKE}; give its predictions for one."


@dataclass(frozen=True)
class Held:
    """What came of all of them, and what must be said of it."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]


def hold(asked: Sequence[NoWorse], new: Numbers, base: Numbers, design: Stated | None) -> Held:
    """Every number against the baseline's: by their difference where both have rows, else as they are."""
    if isinstance(new, OfEvaluation) and isinstance(base, OfEvaluation) and _have_rows(new.ev, base.ev):
        return _by_difference(asked, new, base, design)
    if design is not None:
        raise OptionError(
            f"{design!r} is about the predictions of two models, and one of them is known from its numbers "
            "alone.",
            hint="give predictions on both sides, or leave it out.",
        )
    _check_fit(new, base)
    return Held(tuple(_from_numbers(each, new, base) for each in asked), (_no_test(new, base),))


def direction(asked: NoWorse, own: frozenset[str]) -> Operator:
    """Which way a number is worse."""
    better = None if asked.target.metric in own else ask(asked.target.metric).metric.better
    if better not in ("higher", "lower"):
        raise OptionError(
            f"nothing tells whether {asked.target.metric} is better when it is higher or lower, so it has no "
            "worse.",
            hint="give it a limit: --require (in Python require=).",
        )
    return ">=" if better == "higher" else "<="


def _have_rows(*evs: Evaluation) -> bool:
    """Whether models can be compared: they have rows of one label each, with their own class shares."""
    return all(
        ev.sets is None
        and (ev.encode is not None or (ev.ranked is not None and ev.ranked.rows is not None))
        and not any(each is not None and each.shares is not None for each in (ev.sample, ev.ranked))
        for ev in evs
    )


def _no_test(new: Numbers, base: Numbers) -> str:
    """Why the difference is not tested."""
    if new.task == "multilabel":
        return f"rows have several labels, of which differences are not tested: {LIKE_WITH_LIKE}."
    if new.shares is not None:
        return f"under other class shares differences are not tested: {LIKE_WITH_LIKE}."
    known = isinstance(base, OfEvaluation) and _have_rows(base.ev)
    return f"{THIS if known else BASELINE} {NUMBERS_ALONE}"


# --- from rows -----------------------------------------------------------------------------------


def _by_difference(
    asked: Sequence[NoWorse], new: OfEvaluation, base: OfEvaluation, design: Stated | None
) -> Held:
    outcomes: dict[NoWorse, Outcome] = {}
    notes: tuple[str, ...] = ()
    for label in dict.fromkeys(each.target.label for each in asked):
        about = [each for each in asked if each.target.label == label]
        found = _compared(about, new, base, label, design)
        notes += found.notes
        for each in about:
            outcomes[each] = _of_difference(each, found)
    return Held(tuple(outcomes[each] for each in asked), notes)


def _compared(
    asked: Sequence[NoWorse], new: OfEvaluation, base: OfEvaluation, label: str | None, design: Stated | None
) -> Comparison:
    """Both models compared in all numbers, about one class if one is named."""
    evs = {THIS: new.ev, BASELINE: base.ev}
    if label is not None:
        evs = {
            THIS: replace(new.ev, positive=new.label(label)),
            BASELINE: replace(base.ev, positive=base.label(label)),
        }
    first, *others = dict.fromkeys(ask(each.target.metric).name for each in asked)
    return compare(
        evs, metric=first, metrics=others, design=design, confidence_level=new.level, random_state=new.ev.seed
    )


def _of_difference(asked: NoWorse, found: Comparison) -> Outcome:
    operator = direction(asked, frozenset())
    metric = ask(asked.target.metric).name
    difference = next(each for each in found.differences if each.metric == metric)
    estimate = difference.estimate
    least = asks_for_more(operator)
    limit = 0 - asked.margin if least else asked.margin
    number, by, why = number_judged(estimate, asked.target.judged, least=least)
    values = {model.name: model.values.get(metric) for model in found.models}
    return Outcome(
        requirement=_text(asked),
        metric=asked.target.metric,
        name=asked.target.name,
        kind="difference",
        operator=operator,
        limit=limit,
        judged=by,
        found=number,
        estimate=estimate,
        passed=number is not None and kept(number, operator, limit),
        why=why,
        margin=asked.margin,
        new=values[THIS],
        baseline=values[BASELINE],
        paired=difference.paired,
    )


# --- from numbers --------------------------------------------------------------------------------


def _from_numbers(asked: NoWorse, new: Numbers, base: Numbers) -> Outcome:
    """Like with like: the same end of both intervals, or both values."""
    operator = direction(asked, new.own | base.own)
    target = asked.target
    one, two = new.number(target.metric, target.label), base.number(target.metric, target.label)
    least = asks_for_more(operator)
    wanted = target.judged
    both = one.value is not None and two.value is not None
    if both and wanted is None and (one.low is None or two.low is None):
        wanted = "value"
    found, by, why = number_judged(one, wanted, least=least)
    # The bound of the baseline that counts against is the other one.
    against, _, other_why = number_judged(two, wanted, least=not least if wanted == "value" else least)
    if both and wanted == "value" != target.judged:
        note = reason(one if one.low is None else two)
        why = "it has no interval, so values were judged" + (f": {note}" if note else "")
    limit = None if against is None else against - asked.margin if least else against + asked.margin
    return Outcome(
        requirement=_text(asked),
        metric=target.metric,
        name=target.name,
        kind="baseline",
        operator=operator,
        limit=limit,
        judged=by,
        found=found,
        estimate=one,
        passed=found is not None and limit is not None and kept(found, operator, limit),
        why=why if found is None or against is not None else other_why,
        margin=asked.margin,
        baseline=two,
    )


def _check_fit(new: Numbers, base: Numbers) -> None:
    """Refuse a baseline that is about something else."""
    sides = {
        "task is": (new.task, base.task),
        "labels are": (listed(sorted(new.labels)), listed(sorted(base.labels))),
        "positive class is": (_positive(new), _positive(base)),
        "confidence level is": (precise(new.level, base.level), precise(base.level, new.level)),
        "class shares are": (new.shares or "those of its rows", base.shares or "those of its rows"),
    }
    differing = [what for what, (one, two) in sides.items() if one != two]
    if sorted(new.labels) != sorted(base.labels) or differing:
        what = differing[0] if differing else "labels are"
        one, two = sides[what]
        raise InputError(
            f"the baseline does not fit: its {what} {two}, and this model's {what.split()[-1]} {one}.",
            hint="evaluate both in the same way.",
        )


def _positive(numbers: Numbers) -> str:
    return "not named" if numbers.positive is None else repr(numbers.positive)


def _text(asked: NoWorse) -> str:
    return f"{asked.text} worse by at most {asked.margin:.6g}" if asked.margin else f"{asked.text} no worse"
