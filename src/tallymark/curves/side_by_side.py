"""ROC and precision-recall in one figure, and what skewed classes do to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallymark.curves.shared import cut_at, row_at, share_of, within_bin
from tallymark.drawing import number
from tallymark.drawing.figure import Figure, Points
from tallymark.tallies import Scores

_RATES = (0.01, 0.05, 0.1, 0.2, 0.5)
_NO_CHANGE = "The ROC curve does not change with the share of positives, precision does."


def roc_and_precision_recall(
    roc: Figure, precision_recall: Figure, scores: Scores, threshold: float | None = None
) -> Figure:
    """Both pictures side by side, with a remark on how many of the rows are positive.

    The remark is about the threshold given, or about one at a low false positive rate, which is marked.
    """
    if not scores.pairs:
        return _joined(roc, precision_recall, "")
    share = f"{share_of(scores.prevalence)} of the rows are positive"
    if threshold is not None and within_bin(scores, threshold):
        threshold = None
    place = _telling(scores) if threshold is None else row_at(scores, threshold)
    if place is None or not scores.tp[place]:
        return _joined(roc, precision_recall, f"{share}. {_NO_CHANGE}")
    tp, fp = scores.tp[place].item(), scores.fp[place].item()
    fpr, tpr = fp / scores.fp[-1].item(), tp / scores.tp[-1].item()
    # Of bins the scores are not known, and perhaps not even the edges.
    at = "the point marked"
    if threshold is not None or scores.exact:
        cut = float(scores.thresholds[place]) if threshold is None else threshold
        at = f"score >= {cut_at(scores, cut)}"
    if threshold is None:
        label = at if scores.exact else "spoken of below"
        roc = _marked(roc, fpr, tpr, label)
        precision_recall = _marked(precision_recall, tpr, tp / (tp + fp), label)
    said = (
        f"{share}: at {at}, with a false positive rate of {share_of(fpr)} and a true positive rate of "
        f"{share_of(tpr)}, there are {number(fp / tp, 1)} false positives for every true one. {_NO_CHANGE}"
    )
    return _joined(roc, precision_recall, said)


def _telling(scores: Scores) -> int | None:
    """Where the lowest of a few round false positive rates is reached with any error and any positive found;
    None where there is no such place, as with scores that part the classes, or tell nothing."""
    if scores.tp[np.searchsorted(scores.fp, 0, side="right") - 1] == scores.tp[-1]:
        return None
    rates = scores.fp / scores.fp[-1]
    for rate in _RATES:
        place = int(np.searchsorted(rates, rate, side="right")) - 1
        if scores.tp[place] and scores.fp[place] and scores.tp[place] / scores.tp[-1] > rates[place]:
            return place
    return None


def _marked(figure: Figure, x: float, y: float, label: str) -> Figure:
    (panel,) = figure.panels
    marks = (*panel.marks, Points(np.array([x]), np.array([y]), label))
    return replace(figure, panels=(replace(panel, marks=marks),))


def _joined(roc: Figure, precision_recall: Figure, said: str) -> Figure:
    notes = dict.fromkeys(note for note in (roc.note, precision_recall.note, said) if note)
    return Figure((*roc.panels, *precision_recall.panels), roc.title, " ".join(notes))
