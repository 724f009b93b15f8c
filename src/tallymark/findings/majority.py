"""TM001: accuracy no better than always answering the majority class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import bracketed, numbers_together
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    if ev.sample is None or len(ev.labels) < 2:
        return None
    accuracy, baseline = ev["accuracy"], ev["no_information_rate"]
    if accuracy.value is None or baseline.value is None or accuracy.low is None:
        return None
    if accuracy.low > baseline.value:
        return None
    majority = ev.labels[int(ev.sample.margins.actual.argmax())]
    if accuracy.value <= baseline.value:
        value, without = numbers_together(accuracy.value, baseline.value)
        how = f"accuracy {value} is no better than"
    else:
        value, low, high, without = numbers_together(
            accuracy.value, accuracy.low, accuracy.high, baseline.value
        )
        how = f"accuracy {value} {bracketed(low, high)} is not clearly better than"
    return Finding(
        "TM001",
        f"{how} always answering {quoted(majority)} ({without}).",
        {
            "accuracy": accuracy.value,
            "low": accuracy.low,
            "no_information_rate": baseline.value,
            "majority": str(majority),
        },
    )
