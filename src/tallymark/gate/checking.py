"""From requirements and an evaluation to what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tallymark.comparison.margins import fitting
from tallymark.errors import OptionError
from tallymark.evaluation.matching import Stated
from tallymark.gate.baseline import Held, direction, hold
from tallymark.gate.judging import judge
from tallymark.gate.numbers import Numbers, numbers_of
from tallymark.gate.outcome import Outcome
from tallymark.gate.requirement import (
    NoWorse,
    Requirement,
    check_limit,
    checked_margin,
    no_worse,
    requirement,
)
from tallymark.gate.result import Gate
from tallymark.metrics import ask


def check(
    ev: Any,
    require: str | Iterable[str] = (),
    *,
    baseline: Any = None,
    no_worse: str | Iterable[str] = (),
    margin: float | None = None,
    design: Stated | None = None,
) -> Gate:
    """Does a model keep what is required of it, and is it no worse than the baseline?

    `ev` is an evaluation, its JSON document (as a dictionary or a .json file) or a .tally file. A requirement
    is `METRIC >= LIMIT`, also with >, <= or <, and is judged by the end of the interval that makes it harder;
    by the value alone where that is written, `recall.value >= 0.8`. `recall@malignant` is of one class,
    `recall[region=north]` of one slice, `recall[region]` of every slice. What is undefined does not pass.

    `no_worse` names metrics in which the model must not be worse than `baseline` by more than `margin`, or by
    more than a margin of its own: "f1 by 0.02". Where both have rows, the difference is judged by its
    interval, as `compare` makes it; else numbers are held against each other, like with like.

    >>> from tallymark import Confusion
    >>> ev = Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")
    >>> gate = check(ev, ["recall >= 0.7", "accuracy >= 0.9"])
    >>> gate.passed, [outcome.sentence for outcome in gate.failed]
    (False, ['accuracy is 0.905 [0.897, 0.912]; its lower end 0.897 falls short of 0.9 by 0.0028.'])
    """
    texts = _texts(require, "require"), _texts(no_worse, "no_worse")
    asked, kept = read_asked(*texts, baseline is not None, margin)
    numbers = numbers_of(ev, "what is checked")
    check_names(asked, kept, numbers.own)
    outcomes: list[Outcome] = [outcome for each in asked for outcome in judge(each, numbers)]
    held = _held(kept, numbers, baseline, design)
    every = (*outcomes, *held.outcomes)
    notes = dict.fromkeys((*numbers.notes, *held.notes, *against_direction(asked, numbers.own)))
    return Gate(every, numbers.rows, numbers.level, tuple(notes))


def read_asked(
    require: Sequence[str], no_worse: Sequence[str], known: bool, margin: float | None
) -> tuple[list[Requirement], list[NoWorse]]:
    """All that is asked, each once; `known` is whether there is a baseline."""
    asked = list(dict.fromkeys(map(requirement, require)))
    kept = _read_no_worse(no_worse, known, margin)
    if not asked and not kept:
        raise OptionError(
            "nothing is required.",
            hint="say what is: --require 'recall >= 0.8' (in Python require=[...]), or --no-worse f1 with a "
            "--baseline.",
        )
    return asked, kept


def _read_no_worse(texts: Sequence[str], known: bool, margin: float | None) -> list[NoWorse]:
    """What must not get worse, with the margin of each."""
    if margin is not None and not texts:
        raise OptionError(
            "a margin was given, and nothing that must not get worse.",
            hint="name it: --no-worse f1 (in Python no_worse=['f1']).",
        )
    if texts and not known:
        raise OptionError(
            f"{texts[0]!r} is to be no worse than a baseline, and there is none.",
            hint="give one: --baseline main.json (in Python baseline=).",
        )
    if known and not texts:
        raise OptionError(
            "a baseline was given, and nothing that must not be worse than it.",
            hint="name it: --no-worse f1 (in Python no_worse=['f1']).",
        )
    usual = 0.0 if margin is None else checked_margin(margin)
    return list(dict.fromkeys(no_worse(text, usual) for text in texts))


def check_names(asked: Sequence[Requirement], kept: Sequence[NoWorse], own: frozenset[str]) -> None:
    """Refuse metrics and limits that there are not."""
    for each in asked:
        if each.metric not in own:
            ask(each.metric)
            check_limit(each)
    for other in kept:
        direction(other, own)
        fitting(other.margin, other.target.metric)
        if other.target.part:
            raise OptionError(
                f"{other.text!r} names a slice, and models are compared on all rows.",
                hint="give slices a limit: --require 'recall[region] >= 0.8' (in Python require=).",
            )


def _held(kept: Sequence[NoWorse], numbers: Numbers, baseline: Any, design: Stated | None) -> Held:
    if not kept:
        return Held((), ())
    return hold(kept, numbers, numbers_of(baseline, "the baseline"), design)


def against_direction(asked: Sequence[Requirement], own: frozenset[str]) -> Iterator[str]:
    """What must be said of requirements that ask for the worse."""
    for each in asked:
        better = None if each.metric in own else ask(each.metric).metric.better
        if better == ("lower" if each.least else "higher"):
            way = "high" if each.least else "low"
            yield f"{each.metric} is better when it is {better}, and {each.text!r} asks that it be {way}."


def _texts(given: str | Iterable[str], option: str) -> list[str]:
    if isinstance(given, str):
        return [given]
    try:
        return list(given)
    except TypeError:
        raise OptionError(f"{option} is text or a list of texts; got {given!r}.") from None
