"""From a tally of scores alone to an `Evaluation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import row_at
from tallymark.decisions import best_threshold, objective_of
from tallymark.errors import ShapeError
from tallymark.evaluation.counted import (
    DEFAULT_THRESHOLD,
    PASS_A_THRESHOLD,
    AboutCut,
    Counted,
    checked_threshold,
    number_or_word,
)
from tallymark.evaluation.evaluate import evaluation_of
from tallymark.evaluation.ranked import Ranked
from tallymark.evaluation.result import Evaluation
from tallymark.evaluation.settings import checked_clip, clipped, refuse_own_metrics
from tallymark.inference import Ranking
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.intervals import checked_level
from tallymark.tallies import Confusion, Label, Scores
from tallymark.tallies.labels import quoted


def evaluate_scores(
    scores: Scores,
    *,
    threshold: float | str | None = None,
    costs: CostsGiven | None = None,
    clip: float | None = None,
    undefined: float | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    extra: object = None,
) -> Evaluation:
    """Everything that can be said from counted scores alone.

    >>> evaluate_scores(Scores.from_bins([9, 1], [1, 9]))["auc"].bounds
    (0.81, 0.99)
    """
    refuse_own_metrics(extra)
    if not scores.rows:
        raise ShapeError("there are no rows in this tally.")
    level = checked_level(confidence_level)
    positive: Label = "positive" if scores.positive is None else scores.positive
    labels: tuple[Label, Label] = (positive, f"not {positive}")
    table = None if costs is None else read_costs(costs, labels=labels, order_stated=True)
    notes: list[str] = []
    chosen = None
    if isinstance(threshold, str):
        threshold = number_or_word(threshold)
    if isinstance(threshold, str):
        chosen = objective_of(threshold)
        threshold = best_threshold(scores, chosen, None if table is None else np.array(table.matrix, float))
    elif threshold is None and scores.exact and scores.score[-1] >= 0 and scores.score[0] <= 1:
        threshold = DEFAULT_THRESHOLD
        notes.append(AboutCut(f"no threshold was given: score >= {threshold} is called {quoted(positive)}."))
    cut = None if threshold is None else checked_threshold(threshold)
    counted = Counted(
        None
        if cut is None
        else cut_scores(scores, cut, labels, positive, declared=True, dropped=scores.dropped),
        positive,
        cut,
        notes,
        labels,
        scores.rows,
        scores.dropped,
        chosen,
        why_not=None if cut is not None else PASS_A_THRESHOLD,
    )
    ev = evaluation_of(counted, costs, True, level, undefined, random_state)
    kept = checked_clip(clip)
    if kept:
        ev = replace(ev, notes=(*ev.notes, clipped(kept)))
    ranking = Ranking(scores, level, clip=kept)
    ranked = Ranked(labels, level, None, known={0: ranking}, about=0, clip=kept)
    return replace(ev, ranked=ranked)


def cut_scores(
    scores: Scores,
    threshold: float,
    labels: tuple[Label, Label],
    positive: Label,
    *,
    declared: bool,
    dropped: Mapping[str, int],
) -> Confusion:
    """The answers `score >= threshold`."""
    called = row_at(scores, threshold)
    first = labels[0] == positive

    def cells(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> NDArray[np.float64]:
        sides = positives, negatives
        found = [side.sum() for each in sides for side in np.split(each, [called])]
        return np.array(found if first else found[::-1])

    return Confusion.from_cells(
        labels,
        np.arange(4),
        cells(scores.positives, scores.negatives),
        squares=None if scores.squares is None else cells(*scores.squares),
        rows=scores.rows,
        declared=declared,
        dropped=dropped,
    )
