"""How the rows of a model that are not here are read: its labels, its positive class, where its score is cut.

All of that is decided by which labels there are and how far scores reach. So a few rows that have them go the
way that rows in memory go, and every word said of them is said of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.rows.joined_counts import Said
from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.counted import Choices, Counted, count, number_or_word
from tallymark.evaluation.evaluate import evaluation_of
from tallymark.intake.costs import CostsGiven
from tallymark.intake.weights import about_weights

if TYPE_CHECKING:
    from tallymark.intake.streams.surveyed import Surveyed
    from tallymark.tallies.grid import Grid


@dataclass(frozen=True, eq=False)
class Probed:
    """The rows of a model, of which none is here, and how they are read."""

    rows: Surveyed
    ev: Evaluation
    """Right in all but its counts."""
    actual: NDArray[np.int64]
    """Where each class that rows have stands among the labels."""
    predicted: NDArray[np.int64] | None
    """The same of each answer."""

    def said(self, name: str, places: NDArray[np.int64], grid: Grid | None) -> Said:
        """How what it says is counted, under the labels of all models, which are at these places."""
        ev, ranked = self.ev, self.ev.ranked
        return Said(
            name,
            places,
            self.predicted,
            ev.threshold,
            ev.position,
            answers=ev.sample is not None,
            scored=ranked is not None,
            grid=None if ranked is None else grid,
            clip=0.0 if ranked is None else ranked.clip,
        )


def probed(rows: Surveyed, options: Mapping[str, Any], costs: CostsGiven | None) -> Probed:
    """A model as it is read."""
    threshold = options.get("threshold")
    if isinstance(threshold, str) and isinstance(number_or_word(threshold), str):
        raise OptionError(
            f"threshold {threshold!r} is looked for in rows that are in memory, and these are not.",
            hint="`tallymark evaluate FILE --threshold best` finds it; give that number here.",
        )
    declared = rows.checks.labels
    source = rows.probe()
    counted = count(source, Choices(declared, options.get("pos_label"), threshold, costs))
    ev = evaluation_of(
        counted,
        costs,
        declared == counted.labels,
        options.get("confidence_level", 0.95),
        None,
        options.get("random_state", 0),
        clip=options.get("clip"),
    )
    ev = replace(ev, notes=(*ev.notes, *_weights_of(rows)), dropped=dict(rows.dropped), encode=None)
    actual, predicted = _positions(counted)
    of_answers = None if rows.predicted is None else predicted[: len(rows.predicted.codes)]
    return Probed(rows, ev, actual[: len(rows.actual.codes)], of_answers)


def _positions(counted: Counted) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of the rows of a probe: where their class and their answer stand among the labels."""
    if counted.encode is not None:
        encoded = counted.encode()
        return encoded.actual, encoded.predicted
    assert counted.scored is not None
    actual = counted.scored.classes.astype(np.int64)
    return actual, actual


def _weights_of(rows: Surveyed) -> list[str]:
    """What must be said of weights, as of rows in memory."""
    kind = None if rows.roles.weight is None else rows.checks.weight_kind
    return about_weights(kind, rows.left, int(rows.weight), rows.weightless)
