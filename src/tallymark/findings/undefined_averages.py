"""TM006: averages that leave out classes for which the number is undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallymark.findings.finding import Finding
from tallymark.metrics import ask
from tallymark.tallies.labels import listed

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    if ev.counted is None:
        return None
    parts: list[str] = []
    numbers: dict[str, Any] = {}
    for name in ("precision", "recall", "f1"):
        missing = ev.counted.undefined_classes(ask(name))
        if missing:
            numbers[name] = [str(label) for label in missing]
            parts.append(f"{name} for {listed(missing)}")
    if not parts:
        return None
    counted = ev.counted.undefined_as
    done = "leave those classes out" if counted is None else f"count them as {counted:g}"
    return Finding("TM006", f"undefined: {'; '.join(parts)}. The averages {done}.", numbers)
