"""From one probability per class of the rows of a batch to their tally."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.classes.places import answered, placed
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import positions_among
from tallymark.intake.streams.counting import ranked
from tallymark.intake.streams.door import Columns
from tallymark.tallies import Sums
from tallymark.tallies.of_classes import OfClasses
from tallymark.tallies.sums import losses_of_probabilities
from tallymark.tallies.tally import Declared


def count_classes(columns: Columns, declared: Declared) -> tuple[OfClasses, LabelColumn]:
    """Every class against the rest, and all that the largest probability of a row says; also the answers.

    Probabilities stand in the order of the declared classes.
    """
    assert columns.probabilities is not None
    # Row by row, so that what rows add up to is rounded in one way.
    table = np.ascontiguousarray(columns.probabilities)
    weight, size = columns.weight, len(declared.classes)
    own = positions_among(columns.actual, declared.classes)
    said = answered(table)
    right = said.answer == own
    place = placed(table, own)
    squared = None
    if weight is not None and declared.weights != "frequency":
        squared = np.square(weight, dtype=float)
    counted = OfClasses(
        tuple(ranked(np.ascontiguousarray(table[:, at]), own == at, weight, declared) for at in range(size)),
        _losses(table, own, weight, squared, size, declared.clip),
        ranked(said.confidence, right, weight, declared),
        ranked(said.margin, right, weight, declared),
        np.bincount(place, weight, size),
        said.tied,
        None if squared is None else np.bincount(place, squared, size),
    )
    return counted, _labels(said.answer, columns.actual, declared)


def _labels(answer: NDArray[np.int64], actual: LabelColumn, declared: Declared) -> LabelColumn:
    """The answers as a column of labels, of the same family as the actual ones."""
    if actual.names is not None:
        return LabelColumn("predicted", answer, tuple(map(str, declared.classes)))
    return LabelColumn("predicted", np.array(declared.classes)[answer])


def _losses(
    table: NDArray[np.float64],
    own: NDArray[np.int64],
    weight: NDArray[Any] | None,
    squared: NDArray[np.float64] | None,
    size: int,
    clip: float,
) -> tuple[Sums, ...]:
    """How far the probabilities of the rows of every class are from the truth."""
    brier, log_loss = losses_of_probabilities(table, own, clip)
    amount = np.ones(len(own), np.int64) if weight is None else weight
    order = np.argsort(own, kind="stable")
    made = []
    for rows in np.split(order, np.cumsum(np.bincount(own, minlength=size))[:-1]):
        each = amount[rows]
        number = each.sum() if squared is None else np.count_nonzero(each)
        squares = each if squared is None else squared[rows]
        made.append(Sums.of_losses((brier[rows], log_loss[rows]), each, squares, int(number), most=2))
    return tuple(made)
