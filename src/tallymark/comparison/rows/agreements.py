"""The sources' 2x2 of two models: rows that both get right, only one of them, or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tallymark.comparison.rows.pairs import Pair
from tallymark.drawing import Block, Column, Paragraph, Section, Table, count
from tallymark.drawing import name as visible
from tallymark.tallies.labels import quoted

_MOST_IN_FULL = 3
"""Pairs with a table each; more of them share one."""


def agreement_sections(pairs: Sequence[Pair]) -> list[Section]:
    """Who was right when."""
    if any(pair.sample is None for pair in pairs):
        return []
    if len(pairs) > _MOST_IN_FULL:
        return [Section("Right and wrong", (_list(pairs),))]
    return [Section("Right and wrong", tuple(block for pair in pairs for block in _in_full(pair)))]


def _in_full(pair: Pair) -> Iterator[Block]:
    found = pair.agreement
    heads = (Column("", "left"), *(Column(f"{visible(pair.a)} {how}") for how in ("wrong", "right")))
    cells = ((found.n00, found.n01), (found.n10, found.n11))
    names = ("n00", "n01"), ("n10", "n11")
    rows = [
        (
            f"{visible(pair.b)} {how}",
            *(f"{name} = {count(cell)}" for name, cell in zip(names[row], cells[row], strict=True)),
        )
        for row, how in enumerate(("wrong", "right"))
    ]
    yield Table(heads, tuple(rows))
    if pair.plain:
        yield Paragraph(
            f"{quoted(pair.a)} alone is right on {count(found.n01)} and {quoted(pair.b)} alone on "
            f"{count(found.n10)} rows: {_formula(found.n01, found.n10)}."
        )


def _formula(n01: float, n10: float) -> str:
    if n01 + n10 == 0:
        return "the two never disagree about a row, so M = 0"
    gap = max(abs(n01 - n10) - 1, 0)
    root = f"|{count(n01)} - {count(n10)}| - 1"
    # Written out only where it matters: the correction never goes past 0.
    root = f"({root})" if gap or abs(n01 - n10) == 1 else f"max({root}, 0)"
    both = f"{root}^2 / ({count(n01)} + {count(n10)})"
    return f"M = {both} = {gap * gap / (n01 + n10):.3f}"


def _list(pairs: Sequence[Pair]) -> Table:
    heads = (Column("a", "left"), Column("b", "left"))
    titles = ("both wrong (n00)", "only a right (n01)", "only b right (n10)", "both right (n11)")
    rows = [
        (
            visible(pair.a),
            visible(pair.b),
            *(count(getattr(pair.agreement, name)) for name in ("n00", "n01", "n10", "n11")),
        )
        for pair in pairs
    ]
    return Table((*heads, *map(Column, titles)), tuple(rows))
