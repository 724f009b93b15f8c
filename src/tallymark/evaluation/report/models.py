"""What the parts of a page share: the models, and how numbers of theirs are put into words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tallymark.drawing import Block, Folded, Lines, Paragraph, Table, percents_together
from tallymark.drawing import name as visible
from tallymark.drawing import with_interval as drawn_with_interval
from tallymark.drawing.escape import distinct

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import Estimate

    Models: TypeAlias = Mapping[str, Evaluation]

_SOME_OF = re.compile(r"^\d[\d,]* of ")
MOST_ROWS, MOST_ROWS_OF_SEVERAL = 13, 5
"""Of a table below a picture of one model, and of several."""
MOST_NAMED = 3
"""Models that are named one by one; of more, how many there are."""
_LONGEST_NAME = 40


def with_interval(estimate: Estimate) -> str:
    """`0.910 [0.884, 0.931]`, or "?"."""
    return drawn_with_interval(estimate.value, estimate.low, estimate.high)


def in_percent(estimate: Estimate, *beside: float | None) -> tuple[str, ...]:
    """`91.0 % [88.4 %, 93.1 %]`, or "?", and the shares that it stands beside."""
    value, low, high, *others = percents_together(estimate.value, estimate.low, estimate.high, *beside)
    return value if estimate.low is None else f"{value} [{low}, {high}]", *others


def parted(blocks: Mapping[str, Iterable[Block]]) -> tuple[Block, ...]:
    """What is said of one model as it is, of several folded under its name, and of all alike once."""
    made = {name: tuple(each) for name, each in blocks.items()}
    if len(made) == 1:
        return next(iter(made.values()))
    first, *others = made.values()
    alike = tuple(
        block
        for block in first
        if isinstance(block, Paragraph | Lines) and all(block in each for each in others)
    )
    own = {name: tuple(block for block in each if block not in alike) for name, each in made.items()}
    return (*(Folded(name, each) for name, each in own.items() if each), *alike)


def shortened(blocks: Iterable[Block], most: int = MOST_ROWS) -> tuple[Block, ...]:
    """With no more rows in a table than that: the first, the last and others evenly between."""
    return tuple(_short(block, most) for block in blocks)


def _short(block: Block, most: int) -> Block:
    if isinstance(block, Folded):
        return Folded(block.title, shortened(block.blocks, most))
    return _short_table(block, most) if isinstance(block, Table) else block


def _short_table(table: Table, most: int) -> Table:
    size = len(table.rows)
    if size <= most:
        return table
    places = sorted({round(step * (size - 1) / (most - 1)) for step in range(most)})
    rows = tuple(table.rows[place] for place in places)
    # The title of a curve says already of how many points a few are shown.
    fewer = _SOME_OF.sub(f"{len(rows)} of ", table.title)
    title = fewer if fewer != table.title else f"{table.title} {len(rows)} of {size} lines".strip()
    return Table(table.columns, rows, title)


def briefly(names: Iterable[str]) -> list[str]:
    """Names that stand in a page a hundred times, cut where they are long and still different."""
    return distinct(list(names), _LONGEST_NAME)


def named(models: Iterable[str]) -> str:
    """Models in a title: a few of them one by one."""
    *others, last = map(visible, briefly(models))
    if len(others) >= MOST_NAMED:
        return f"{len(others) + 1} models"
    return f"{', '.join(others)} and {last}" if others else last


def why_absent(reasons: Mapping[str, str]) -> Paragraph:
    """One sentence in place of what is not there."""
    shared = set(reasons.values())
    if len(shared) == 1:
        return Paragraph(shared.pop())
    return Paragraph(" ".join(f"{name}: {reason}" for name, reason in reasons.items()))
