"""Every number with its interval, and what answers cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Column, Lines, Paragraph, Table
from tallymark.drawing import name as visible
from tallymark.evaluation.description import costs_in_words, known_numbers, rules_between, summary
from tallymark.evaluation.report.models import with_interval

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.inference import Estimate

_COSTS = ("total_cost", "mean_cost")


def numbers(models: Models) -> Iterator[Block]:
    """The summary of one model; of several one table with a column for each."""
    if len(models) == 1:
        (ev,) = models.values()
        yield from summary(ev, ())
        return
    each = {name: known_numbers(ev, ()) for name, ev in models.items()}
    every = dict.fromkeys(name for known in each.values() for name in known)
    shown = [name for name in every if any(_known(known, name) for known in each.values())]
    rows = tuple(
        (name, *(with_interval(known[name]) if name in known else "" for known in each.values()))
        for name in shown
    )
    columns = (Column("", "left"), *(Column(visible(name)) for name in models))
    first = next(iter(models.values()))
    yield Table(columns, rows, rule_before=rules_between(first, (), shown))
    yield from _undefined(each)


def _undefined(each: dict[str, dict[str, Estimate]]) -> Iterator[Block]:
    """Why numbers are undefined, and of which models."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for model, known in each.items():
        for name, estimate in known.items():
            if estimate.value is None:
                reasons.setdefault(estimate.why or "", {}).setdefault(model, []).append(name)
    for why, by_model in reasons.items():
        names = dict.fromkeys(name for found in by_model.values() for name in found)
        of = "" if len(by_model) == len(each) else f" of {', '.join(by_model)}"
        yield Paragraph(f"Undefined{of}: {', '.join(names)}. Why: {why}.")


def _known(known: dict[str, Estimate], name: str) -> bool:
    return name in known and known[name].value is not None


def costs(models: Models) -> Iterator[Block]:
    """What each answer costs, and what all of them do."""
    priced = {name: ev for name, ev in models.items() if ev.costs is not None}
    if len(priced) == 1:
        yield from (block for ev in priced.values() for block in costs_in_words(ev))
    elif priced:
        words = dict.fromkeys(ev.costs.words() for ev in priced.values() if ev.costs is not None)
        yield from map(Lines, words)
        rows = [(name, *(with_interval(ev[name]) for ev in priced.values())) for name in _COSTS]
        yield Table((Column("", "left"), *(Column(visible(name)) for name in priced)), tuple(rows))
