"""A plan in the words of a colleague, and as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, number
from tallymark.drawing import interval as ends

if TYPE_CHECKING:
    from tallymark.planning.result import Plan

TITLES = {
    "n": "rows",
    "half_width": "half width",
    "power": "power",
    "difference": "difference",
    "other_rows": "on other rows",
    "disagreement": "disagreement",
}
BY_DISAGREEMENT = "Smallest difference on the same rows, by the share that exactly one model gets right"


def describe(plan: Plan) -> Document:
    """The answer, the same for fewer and for more rows, and what must be said with it."""
    said = {"half_width": _half_width, "difference": _difference, "rows": _rows}[plan.question](plan)
    blocks: list[Block] = [Paragraph(" ".join(said)), _table(plan.table)]
    if plan.same_rows:
        blocks.append(_table(plan.same_rows, BY_DISAGREEMENT))
    blocks += [Paragraph(f"Note: {note}") for note in plan.notes]
    return Document("", (Section("", tuple(blocks)),))


def _half_width(plan: Plan) -> Iterator[str]:
    yield f"You need {_size(plan)}."
    yield f"{_interval(plan, 'they give')}."
    alone = "independent rows" if plan.groups and plan.counts == "rows" else plan.counts
    yield f"The textbook formula z^2 p (1 - p) / h^2 says {count(plan.textbook_n)} {alone}."


def _difference(plan: Plan) -> Iterator[str]:
    where = ", the same for both models," if plan.paired else " in each of two test sets"
    yield f"You need {_size(plan)}{where} to tell {_models(plan)} with power {_short(plan.power)}."


def _rows(plan: Plan) -> Iterator[str]:
    yield f"You have {_size(plan)}."
    yield f"{_interval(plan, 'they give')}."
    where = "when each model has that many rows of its own"
    if plan.paired:
        where = f"when the models disagree on {_short(plan.disagreement)} of the same rows"
    if "power" in plan.table[0]:
        yield f"They tell {_models(plan)} with power {_short(plan.power)} {where}."
    elif plan.difference is not None:
        yield (
            f"The smallest improvement they find with power {_short(plan.power)} is {_short(plan.difference)}"
            f"{_from_to(plan)}, {where}."
        )


def _size(plan: Plan) -> str:
    rows = f"{count(plan.n)} {'row' if plan.n == 1 else 'rows'}"
    if plan.counts != "rows":
        rows += f" (about {count(plan.counted)} {plan.counts} among them)"
    if plan.groups:
        rows += f" in {count(plan.groups)} {'group' if plan.groups == 1 else 'groups'}"
    return rows


def _interval(plan: Plan, give: str) -> str:
    at = 0.5 if plan.expected is None else plan.expected
    digits = 4 if plan.half_width is None else max(4, 1 - math.floor(math.log10(plan.half_width)))
    return (
        f"At {plan.metric} {_short(at)} {give} the {plan.level * 100:.10g} % interval "
        f"{ends(plan.low, plan.high, digits)}, of half width {_short(plan.half_width)} (wilson)"
    )


def _models(plan: Plan) -> str:
    if plan.values is None or plan.difference is None:
        return f"two models apart whose {plan.metric} differs by {_short(plan.difference)}"
    first, second = _values(plan.values)
    return f"{plan.metric} {second} from {first}, a difference of {_short(abs(plan.difference))},"


def _from_to(plan: Plan) -> str:
    if plan.values is None:
        return ""
    first, second = _values(plan.values)
    return f" ({plan.metric} {first} to {second})"


def _values(values: tuple[float, float]) -> list[str]:
    """Both with the decimals that show how far apart they are."""
    digits = max(3, 1 - math.floor(math.log10(abs(values[1] - values[0]))))
    return [f"{round(value, digits):.12g}" for value in values]


def _table(rows: tuple[Mapping[str, float | None], ...], title: str = "") -> Table:
    drawn = [_cells(name, [row[name] for row in rows]) for name in rows[0]]
    columns = tuple(Column(TITLES[name]) for name in rows[0])
    return Table(columns, tuple(zip(*drawn, strict=True)), title)


def _cells(name: str, values: list[float | None]) -> list[str]:
    """One column; all cells get the decimals that leave the smallest two digits."""
    if name == "n":
        return [count(value) for value in values]
    if name == "power":
        return [">0.99" if value is None or value >= 0.995 else number(value, 2) for value in values]
    if name == "disagreement":
        return [number(value, 2) for value in values]
    smallest = min((value for value in values if value), default=1.0)
    digits = max(3, 1 - math.floor(math.log10(smallest)))
    return ["none" if value is None else number(value, digits) for value in values]


def _short(value: float | None) -> str:
    return "?" if value is None else f"{value:.3g}"
