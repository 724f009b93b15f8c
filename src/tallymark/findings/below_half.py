"""TM011: the ranking is more often wrong than right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import bracketed, numbers_together
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

GUESSING = 0.5


def check(ev: Evaluation) -> Finding | None:
    if ev.ranked is None or ev.position is None:
        return None
    auc = ev["auc"]
    if auc.value is None or auc.value >= GUESSING:
        return None
    value, low, high, _ = numbers_together(auc.value, auc.low, auc.high, GUESSING)
    ends = "" if auc.low is None else f" {bracketed(low, high)}"
    guessing = auc.high is not None and auc.high >= GUESSING
    meaning = (
        "guessing is within the interval"
        if guessing
        else f"a row of {quoted(ev.positive)} more often has the lower score; check which class the scores "
        "are about, and that a higher score means more of it"
    )
    return Finding(
        "TM011",
        f"the area under the ROC curve is {value}{ends}, below {GUESSING}: {meaning}. "
        "Nothing was turned round.",
        {"auc": auc.value, "low": auc.low, "high": auc.high},
    )
