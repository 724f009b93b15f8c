"""TM002: a class that occurs and is never predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import listed, quoted

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    if ev.counted is None:
        return None
    each = ev.counted.each
    never = np.flatnonzero((each.predicted_positive == 0) & (each.actual_positive > 0))
    if len(never) == 0:
        return None
    labels = [ev.labels[position] for position in never]
    rows = each.actual_positive[never].sum().item()
    what = (
        f"class {quoted(labels[0])} is" if len(labels) == 1 else f"{len(labels)} classes {listed(labels)} are"
    )
    missed = "the one row of it was not found" if rows == 1 else f"none of {count(rows)} rows was found"
    return Finding(
        "TM002",
        f"{what} never predicted: {missed}.",
        {"labels": [str(label) for label in labels], "rows": rows},
    )
