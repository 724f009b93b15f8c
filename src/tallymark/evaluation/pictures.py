"""An evaluation as a picture, by the name of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tallymark.curves import confusion_figure, roc_and_precision_recall
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation.result import Evaluation

KINDS = ("roc", "pr", "roc+pr", "gains", "lift", "threshold", "confusion")


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
    curves = ev.curves
    pictures: dict[str, Callable[[], Figure]] = {
        "roc": lambda: curves.roc.figure(),
        "pr": lambda: curves.precision_recall.figure(),
        "gains": lambda: curves.gains.figure(),
        "lift": lambda: curves.lift.figure(),
        "threshold": lambda: curves.thresholds.figure(),
    }
    return pictures[kind]()
