"""TM007: the threshold was picked on the rows it is judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import number
from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    if ev.chosen_here is None:
        return None
    return Finding(
        "TM007",
        f"the threshold {number(ev.threshold)} was picked on these rows as the best for {ev.chosen_here}, "
        "so the numbers at it are optimistic; judge it on other rows.",
        {"threshold": ev.threshold, "best_for": ev.chosen_here},
    )
