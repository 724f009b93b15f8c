"""TM003: too few rows of a class to say anything about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count
from tallymark.findings.finding import Finding
from tallymark.intervals import bounds
from tallymark.tallies.labels import listed, quoted

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

FEWEST = 10
"""With fewer rows a 95 % interval of a recall of one half is more than 0.53 wide."""


def check(ev: Evaluation) -> Finding | None:
    if ev.counted is None:
        return None
    actual = ev.counted.effective_rows
    few = np.flatnonzero((actual > 0) & (actual < FEWEST))
    if len(few) == 0:
        return None
    labels = [ev.labels[position] for position in few]
    rows = [actual[position].item() for position in few]
    low, high = bounds(min(rows) / 2, min(rows), "wilson", ev.counted.level)
    if len(labels) == 1:
        what = f"class {quoted(labels[0])} has only {count(rows[0])} {'row' if rows[0] == 1 else 'rows'}"
    else:
        what = f"{len(labels)} classes {listed(labels)} have fewer than {FEWEST} rows"
    return Finding(
        "TM003",
        f"{what}: too few to say much (with {count(min(rows))}, a recall of 0.5 could be {low:.2f} to "
        f"{high:.2f}).",
        {"labels": [str(label) for label in labels], "rows": rows, "fewest": FEWEST},
    )
