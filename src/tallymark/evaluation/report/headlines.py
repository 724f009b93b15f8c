"""The numbers that matter most: of one model as tiles, of several as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallymark.drawing import (
    NO_INTERVAL,
    Beside,
    Block,
    Column,
    Folded,
    Headline,
    Headlines,
    Table,
    value_and_interval,
)
from tallymark.drawing import name as visible
from tallymark.evaluation.report.models import with_interval
from tallymark.metrics import ask

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import Estimate

_OF_SETS = ("subset_accuracy", "accuracy_example", "f1_example", "hamming_loss", "f1_micro", "f1_macro")
_MOST_BESIDE = 5
"""Lines of a matrix; a larger one has a row of its own."""
_MOST_STACKED = 2
_MOST_SHOWN = 6
"""Matrices; more of them are folded."""
_MOST_COLUMNS = 4
_SAID = {
    "accuracy": "of all rows are answered right",
    "recall": "of the actual positives are found",
    "precision": "of the alarms are true",
    "f1": "harmonic mean of precision and recall",
    "auc": "of all pairs are ranked rightly",
    "mcc": "correlation of answers and truth",
    "balanced_accuracy": "mean recall of the classes",
    "kappa": "agreement beyond chance",
    "f1_macro": "mean F1 of the classes",
    "f1_micro": "F1 of all labels together",
    "auc_ovr_macro": "mean AUC of the classes",
    "average_precision": "mean precision over the recall",
    "brier": "squared distance of probabilities",
    "mean_cost": "cost of a row",
    "subset_accuracy": "of the rows have exactly their labels",
    "accuracy_example": "mean overlap of both sets of a row",
    "f1_example": "mean F1 of the rows",
    "hamming_loss": "of all single labels are wrong",
}
_SAID_OF_SETS = {**_SAID, "f1_macro": "mean F1 of the labels"}


def names_of(ev: Evaluation) -> tuple[str, ...]:
    """About six numbers, by what is known and asked."""
    if ev.sets is not None:
        return _OF_SETS
    scored = ev.ranked is not None
    if ev.counted is None:
        return ("auc", "average_precision", "brier") if ev.positive is not None or not scored else ("brier",)
    costs = ("mean_cost",) if ev.costs is not None else ()
    if ev.positive is not None:
        ranked = ("auc",) if scored else ("balanced_accuracy",)
        return ("accuracy", "recall", "precision", "f1", *ranked, *(costs or ("mcc",)))
    many = scored and len(ev.labels) > 2
    of_scores = ("auc_ovr_macro",) if many else ("brier",) if scored else ()
    return ("accuracy", "balanced_accuracy", "f1_macro", "mcc", *of_scores, *(costs or ("kappa",)))


def headlines(ev: Evaluation, counted: Sequence[Block]) -> Iterator[Block]:
    """The tiles, with the answers counted beside them."""
    said = _SAID if ev.sets is None else _SAID_OF_SETS
    tiles = Headlines(tuple(_tile(name, ev[name], said[name]) for name in names_of(ev)))
    yield from _beside(tiles, counted, 1)


def _beside(main: Block, counted: Sequence[Block], most: int) -> Iterator[Block]:
    """Few small matrices stand beside, others below."""
    tables = [block for block in counted if isinstance(block, Table)]
    small = len(tables) == len(counted) <= most and all(len(each.rows) <= _MOST_BESIDE for each in tables)
    if counted and small:
        yield Beside(((main,), tuple(counted)))
        return
    yield main
    if len(tables) == len(counted) > 1 and all(len(each.rows) <= _MOST_BESIDE for each in tables):
        yield Beside(tuple((block,) for block in counted))
        return
    yield from counted


def _tile(name: str, estimate: Estimate, said: str) -> Headline:
    shown = name.replace("_", " ")
    if estimate.value is None:
        return Headline(shown, "?", said=f"undefined: {estimate.why}")
    value, ends = value_and_interval(estimate.value, estimate.low, estimate.high)
    return Headline(shown, value, ends.removesuffix(NO_INTERVAL), said, _place(name, estimate))


def _place(name: str, estimate: Estimate) -> tuple[float, float, float] | None:
    """Where low, value and high are between the worst and the best that the number can be."""
    metric = ask(name).metric
    worst, best = metric.range if metric.better == "higher" else metric.range[::-1]
    if not math.isfinite(best - worst) or estimate.value is None:
        return None
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    ends = (low, estimate.value, high) if best > worst else (high, estimate.value, low)
    first, value, last = (min(1.0, max(0.0, (each - worst) / (best - worst))) for each in ends)
    return first, value, last


def headline_table(models: Models, counted: Sequence[Block], about: str = "") -> Iterator[Block]:
    """The same numbers of several models, a column for each or of many a row, and the answers counted.

    The number that the verdict is `about` is among them.
    """
    names = dict.fromkeys(name for ev in models.values() for name in names_of(ev))
    if about and about not in names:
        names = {about: None, **names}
    cells = {name.replace("_", " "): [with_interval(ev[name]) for ev in models.values()] for name in names}
    levels = {ev.level for ev in models.values() if ev.level is not None}
    level = f", with {levels.pop() * 100:.10g} % intervals" if len(levels) == 1 else ""
    heads = [visible(name) for name in models]
    if len(models) > _MOST_COLUMNS:
        rows = tuple((name, *row) for name, row in zip(heads, zip(*cells.values(), strict=True), strict=True))
        heads = list(cells)
    else:
        rows = tuple((name, *row) for name, row in cells.items())
    columns = (Column("", "left"), *map(Column, heads))
    table = Table(columns, rows, f"Headline numbers{level}")
    if len(counted) > _MOST_SHOWN:
        yield table
        yield Folded("The answers of every model, counted", (Beside(tuple((each,) for each in counted)),))
    else:
        yield from _beside(table, counted, _MOST_STACKED)
