"""Words for the partitions of a table, and for rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tallymark.intake.streams.complaints import SHOWN, Place


def a_partition(number: int) -> str:
    return f"partition {number:,} (counted from 0)"


def rows_of_partitions(places: Sequence[Place], more: int = 0) -> str:
    """The first of some rows, and how many more there are."""
    found = sorted(set(places))
    said = []
    for part, group in groupby(found[:SHOWN], key=lambda place: place[0]):
        rows = [f"{row:,}" for _, row in group]
        said.append(f"{'row' if len(rows) == 1 else 'rows'} {' and '.join(rows)} of partition {part:,}")
    rest = len(found[SHOWN:]) + more
    others = f" and {rest:,} more" if rest else ""
    return f"{', '.join(said)}{others} (both counted from 0)"
