"""An evaluation as a picture, by the name of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tallymark.curves import confusion_figure, roc_and_precision_recall
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation.result import Evaluation

KINDS = (
    *("roc", "one-vs-rest", "pr", "roc+pr", "gains", "lift", "threshold", "confusion"),
    *("rejection", "calibration", "distribution", "cost", "decision"),
)


def figure(ev: Evaluation, kind: str) -> Figure:
    """The picture of that kind."""
    if kind == "confusion":
        if ev.confusion is None:
            raise OptionError("there is no matrix to draw.", hint=ev.why_not)
        return confusion_figure(ev.confusion)
    if kind == "roc+pr":
        return roc_and_precision_recall(
            ev.roc.figure(), ev.precision_recall.figure(), ev.curves.expected, ev.threshold
        )
    if kind not in KINDS:
        raise OptionError(f"a picture is one of {', '.join(KINDS)}; got {kind!r}.")
    pictures: dict[str, Callable[[], Figure]] = {
        "roc": lambda: ev.roc.figure(),
        "one-vs-rest": lambda: ev.one_vs_rest.figure(),
        "pr": lambda: ev.precision_recall.figure(),
        "gains": lambda: ev.gains.figure(),
        "lift": lambda: ev.lift.figure(),
        "threshold": lambda: ev.thresholds.figure(),
        "rejection": lambda: ev.rejection.figure(),
        "calibration": lambda: ev.calibration.figure(),
        "distribution": lambda: ev.distribution.figure(),
        "cost": lambda: ev.cost_curve.figure(),
        "decision": lambda: ev.decision_curve.figure(),
    }
    return pictures[kind]()
