"""ROC and precision-recall in one figure, and what skewed classes do to them."""

from __future__ import annotations

import numpy as np

from tallymark.curves.shared import share_of
from tallymark.drawing import number
from tallymark.drawing.figure import Figure
from tallymark.tallies import Scores

_RATES = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)


def roc_and_precision_recall(roc: Figure, precision_recall: Figure, scores: Scores) -> Figure:
    """Both pictures side by side, with a remark on how many of the rows are positive."""
    notes = (roc.note, precision_recall.note, skew_remark(scores))
    said = " ".join(dict.fromkeys(note for note in notes if note))
    return Figure((*roc.panels, *precision_recall.panels), roc.title, said)


def skew_remark(scores: Scores) -> str:
    """How many false alarms come with each hit at a low false positive rate; empty with one class only."""
    if not scores.pairs:
        return ""
    # The lowest of a few round rates that is reached with any positive found.
    for rate in _RATES:
        place = int(np.searchsorted(scores.fp / scores.fp[-1], rate, side="right")) - 1
        if scores.tp[place] and scores.fp[place]:
            break
    tp, fp = scores.tp[place].item(), scores.fp[place].item()
    rates = share_of(fp / scores.fp[-1].item()), share_of(tp / scores.tp[-1].item())
    return (
        f"{share_of(scores.prevalence)} of the rows are positive: at a false positive rate of {rates[0]} and "
        f"a true positive rate of {rates[1]} there are {number(fp / tp, 1)} false positives for every true "
        "one. The ROC curve does not change with the share of positives, precision does."
    )
