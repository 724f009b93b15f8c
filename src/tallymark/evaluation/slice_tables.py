"""Slices on paper: one table for every way the rows were sliced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from tallymark.drawing import (
    NO_INTERVAL,
    Block,
    Column,
    Paragraph,
    Table,
    count,
    level_text,
    value_and_interval,
)
from tallymark.drawing import name as visible
from tallymark.evaluation.slices import headlines, ranked_headlines

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.evaluation.slices import Slice
    from tallymark.inference import Estimate

MOST_PRINTED = 30
"""With more slices, the worst of them."""
MOST_LISTED = 4


def tables(ev: Evaluation) -> Iterator[Block]:
    """Every number of every slice with its interval, and how far it is from all rows."""
    for columns, found in groupby(ev.slices, key=lambda part: tuple(part.slice)):
        slices = list(found)
        first = (*headlines(ev), *ranked_headlines(ev), "")[0]
        shown = _worst(slices, first) if len(slices) > MOST_PRINTED else slices
        if len(shown) < len(slices):
            yield Paragraph(
                f"The {len(shown)} of {len(slices):,} slices with the lowest {first}; "
                "JSON and CSV have all of them."
            )
        yield _table(ev, columns, shown)
        without = _without_interval(shown, headlines(ev))
        for why, numbers in without.items():
            more = f" and {len(numbers) - MOST_LISTED:,} more" if len(numbers) > MOST_LISTED else ""
            listed = ", ".join(numbers[:MOST_LISTED])
            yield Paragraph(f"No interval of the difference for {listed}{more}: {why}.")
        if sum(map(len, without.values())) < len(shown) * len(headlines(ev)):
            yield Paragraph(_multiplicity(ev, len(slices)))


def _worst(slices: list[Slice], name: str) -> list[Slice]:
    known = [part for part in slices if part[name].value is not None]
    return sorted(known, key=lambda part: float(part[name]))[:MOST_PRINTED]


def _table(ev: Evaluation, columns: tuple[str, ...], slices: Iterable[Slice]) -> Table:
    level = "" if ev.level is None else f"{ev.level * 100:.10g} % interval"
    titles = (
        *(Column(visible(column), "left") for column in columns),
        Column("rows"),
        Column("metric", "left"),
        Column("value"),
        Column(level),
        Column("difference"),
        Column(level),
        Column("", "left"),
    )
    compared = headlines(ev)
    names = (*compared, *ranked_headlines(ev))
    lines = [
        (
            *_first(("all rows", *("",) * (len(columns) - 1)), count(ev.rows), place),
            name,
            *_drawn(ev[name]),
            "",
            "",
            "",
        )
        for place, name in enumerate(names)
    ]
    rules = []
    for part in slices:
        rules.append(len(lines))
        keys = tuple(visible(str(value)) for value in part.slice.values())
        for place, name in enumerate(names):
            difference = _drawn(part.difference(name)) if name in compared else ("", "")
            first = _first(keys, count(part.rows), place)
            lines.append((*first, name, *_drawn(part[name]), *difference, _mark(part, name, place)))
    return Table(titles, tuple(lines), rule_before=tuple(rules))


def _without_interval(slices: Iterable[Slice], names: Iterable[str]) -> dict[str, list[str]]:
    """The differences that have no interval, by the reason why."""
    reasons = defaultdict(list)
    for part in slices:
        where = ", ".join(visible(str(value)) for value in part.slice.values())
        for name in names:
            difference = part.difference(name)
            if difference.low is None:
                reasons[difference.why or difference.note or ""].append(f"{name} in {where}")
    return reasons


def _first(keys: tuple[str, ...], rows: str, place: int) -> tuple[str, ...]:
    """What names a slice, on its first line only."""
    return ("",) * (len(keys) + 1) if place else (*keys, rows)


def _drawn(estimate: Estimate) -> tuple[str, str]:
    value, ends = value_and_interval(estimate.value, estimate.low, estimate.high)
    return value, ends.removesuffix(NO_INTERVAL)


def _mark(part: Slice, name: str, place: int) -> str:
    marks = ["few rows"] if part.few and not place else []
    return ", ".join([*marks, *(["differs"] if part.differs(name) else [])])


def _multiplicity(ev: Evaluation, slices: int) -> str:
    level = ev.level or 0.0
    numbers = slices * len(headlines(ev))
    return (
        f"Of {numbers:,} differences at {level_text(level)}, about {numbers * (1 - level):.2g} would "
        "seem to be there even if all slices were alike. 'differs' marks those that remain when the error "
        f"is shared out among the {slices:,} {'slice' if slices == 1 else 'slices'} (Bonferroni)."
    )
