"""A gate in words and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, interval, number
from tallymark.gate.requirement import kept
from tallymark.gate.words import amount, apart, judged_by

if TYPE_CHECKING:
    from tallymark.gate.outcome import Outcome
    from tallymark.gate.result import Gate

TITLE = "What is required of the model"
_COLUMNS = (
    Column("requirement", "left"),
    Column("found"),
    Column("interval"),
    Column("judged by", "left"),
    Column("limit"),
    Column("result", "left"),
)


def verdict(gate: Gate) -> str:
    """Whether all requirements are met, and how many are not."""
    every, failed = len(gate.outcomes), len(gate.failed)
    if not failed:
        return (
            "Passed: the requirement is met." if every == 1 else f"Passed: all {every} requirements are met."
        )
    if every == 1:
        return "Failed: the requirement is not met."
    return f"Failed: {failed} of {every} requirements {'is' if failed == 1 else 'are'} not met."


def describe(gate: Gate) -> Document:
    """The verdict, a row for each requirement, why some failed, and what must be said."""
    blocks: list[Block] = [Paragraph(gate.verdict, lead=True), table(gate.outcomes)]
    blocks += [Paragraph(outcome.sentence) for outcome in gate.failed]
    said = dict.fromkeys((*_unusual(gate), *_advice(gate), *gate.notes))
    blocks += [Paragraph(f"Note: {note}") for note in said]
    return Document("", (Section("", tuple(blocks)),))


def page(gate: Gate) -> Document:
    """The same with a title."""
    return replace(describe(gate), title=TITLE)


def table(outcomes: tuple[Outcome, ...]) -> Table:
    """A row for each requirement."""
    return Table(_COLUMNS, tuple(_row(outcome) for outcome in outcomes))


def _row(outcome: Outcome) -> tuple[str, ...]:
    estimate = outcome.estimate
    return (
        named(outcome),
        _found(outcome),
        interval(estimate.low, estimate.high),
        judged_by(outcome),
        "-" if outcome.limit is None else _limit(outcome),
        result(outcome),
    )


def named(outcome: Outcome) -> str:
    """The requirement as it was written, with the slice it turned out to be about."""
    where = outcome.name.partition(" where ")[2]
    return (
        f"{outcome.requirement} ({where})"
        if where and where not in outcome.requirement
        else outcome.requirement
    )


def _found(outcome: Outcome) -> str:
    if outcome.value is None or outcome.found is None or outcome.limit is None:
        return number(outcome.value)
    text = apart(outcome.value, outcome.limit)[0] if outcome.judged == "value" else number(outcome.value)
    return f"+{text}" if outcome.kind == "difference" and outcome.value > 0 else text


def _limit(outcome: Outcome) -> str:
    assert outcome.limit is not None
    text = f"{outcome.limit:.6g}" if outcome.kind != "baseline" else number(outcome.limit)
    return f"{outcome.operator} {text}"


def result(outcome: Outcome) -> str:
    """In a few words."""
    if outcome.passed:
        return "passed"
    if outcome.short_by is None:
        return "undefined"
    if not outcome.short_by:
        return "at the limit"
    return f"{'short' if outcome.least else 'over'} by {amount(outcome.short_by)}"


def _unusual(gate: Gate) -> Iterator[str]:
    """Why another number was judged than usual, where the outcome's own sentence is not shown."""
    return (outcome.sentence for outcome in gate.outcomes if outcome.passed and outcome.why is not None)


def _advice(gate: Gate) -> Iterator[str]:
    """What to do about numbers that failed for want of rows, or of a margin."""
    unsure = [outcome for outcome in gate.failed if outcome.judged != "value" and _value_passes(outcome)]
    if unsure:
        names = dict.fromkeys(outcome.name for outcome in unsure)
        yield (
            f"the value alone would pass for {', '.join(names)}. Judged is the end of the "
            f"{gate.level * 100:.10g} % interval that counts against it, so that luck does not pass. More "
            f"rows make it narrower; '{unsure[0].metric}.value' judges the value alone."
        )
    if any(outcome.kind == "difference" and outcome.margin == 0 for outcome in unsure):
        yield (
            "without a margin a model must be shown to be as good at the very least, and one that is just as "
            "good mostly fails. Give a --margin (in Python margin=): a difference that does not matter."
        )


def _value_passes(outcome: Outcome) -> bool:
    value, limit = outcome.value, outcome.limit
    if outcome.kind == "baseline" and outcome.baseline is not None and outcome.margin is not None:
        against = outcome.baseline.value
        limit = None if against is None else against + outcome.margin * (-1 if outcome.least else 1)
    return value is not None and limit is not None and kept(value, outcome.operator, limit)
