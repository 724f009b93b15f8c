"""TM004: a low false positive rate that still makes more false positives than true ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import count, number
from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

LOW = 0.1
"""A false positive rate up to this is one people call low."""


def check(ev: Evaluation) -> Finding | None:
    if ev.sample is None or ev.position is None:
        return None
    tally, rate = ev.sample.classes[ev.position], ev["fpr"].value
    if rate is None or rate > LOW or tally.fp <= tally.tp:
        return None
    negatives = count(tally.actual_negative)
    false = f"{count(tally.fp)} false {'positive' if tally.fp == 1 else 'positives'}"
    true = f", more than the {count(tally.tp)} true {'one' if tally.tp == 1 else 'ones'}"
    return Finding(
        "TM004",
        f"the false positive rate is low ({number(rate)}), but among {negatives} negatives it makes {false}"
        f"{true if tally.tp else ' and no true one'}: precision is {number(ev['precision'].value)}.",
        {"fpr": rate, "fp": tally.fp, "tp": tally.tp, "negatives": tally.actual_negative},
    )
