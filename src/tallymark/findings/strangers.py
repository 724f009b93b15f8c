"""TM008: answers that never occur among the actual labels, as when the two are coded differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import listed

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    if ev.counted is None:
        return None
    each = ev.counted.each
    strangers = np.flatnonzero((each.predicted_positive > 0) & (each.actual_positive == 0))
    if len(strangers) == 0:
        return None
    labels = [ev.labels[position] for position in strangers]
    rows = each.predicted_positive[strangers].sum().item()
    unit = "row" if rows == 1 else "rows"
    every = ev.sample is not None and rows == ev.sample.margins.n
    advice = " No answer can be right: are actual and predicted written the same way?" if every else ""
    return Finding(
        "TM008",
        f"predicted in {count(rows)} {unit} but never actual: {listed(labels)}.{advice}",
        {"labels": [str(label) for label in labels], "rows": rows},
    )
