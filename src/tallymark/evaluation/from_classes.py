"""From a tally of one probability per class to what an `Evaluation` is made of."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.evaluation.counted import Counted, positive_of
from tallymark.evaluation.from_tally import as_scores, on_grid
from tallymark.evaluation.ranked import MOST_PAIRED, TOO_MANY, Ranked
from tallymark.inference import ClassRanking, Losses, Ranking
from tallymark.inference.classes.counted import counted_ranking
from tallymark.intake.probabilities import refuse_unscored, tied
from tallymark.tallies import Confusion, Label, Scores, Sums
from tallymark.tallies.binned import Binned
from tallymark.tallies.labels import in_order
from tallymark.tallies.of_classes import OfClasses
from tallymark.tallies.tally import Tally

OTHER_SHARES = "under other class shares it takes rows, which were not kept"


def classes_of(
    tally: Tally, confusion: Confusion, pos_label: object, level: float, clip: float, notes: list[str]
) -> tuple[Counted, Ranked]:
    """The matrix of the answers, given or those that are most probable, and the ranking of every class."""
    assert tally.classes is not None
    labels = confusion.labels
    refuse_unscored(labels, tally.declared.classes)
    if tally.classes.ties and not tally.declared.answers:
        notes.append(tied(tally.classes.ties))
    counted = tally.classes.counted
    if tally.declared.grid is not None and not all(as_scores(each, None).exact for each in counted):
        notes.append(on_grid(tally.declared.grid))
    named = tally.declared.positive if pos_label is None else pos_label
    positive = positive_of(labels, named)
    made = Counted(confusion, positive, None, notes, labels, confusion.rows, dict(confusion.dropped))
    return made, RankedClasses(labels, level, None, clip=clip, counts=tally.classes)


def ranked_classes(tally: Tally, ranked: Ranked) -> Ranked:
    """The same of a slice."""
    assert isinstance(ranked, RankedClasses)
    assert tally.classes is not None
    return replace(ranked, counts=tally.classes, known={})


def with_all_classes(tally: Tally) -> Confusion:
    """The counts, in which every class that a probability is about has a label."""
    counted = tally.counted
    text = bool(counted.labels) and isinstance(counted.labels[0], str)
    classes = [str(label) if text else label for label in tally.declared.classes]
    return counted.relabelled(counted.labels, in_order([*counted.labels, *classes]))


def refuse_threshold(threshold: object) -> None:
    """The most probable class is the answer."""
    if threshold is not None:
        raise OptionError(
            "with one probability per class the most probable class is the answer, not a threshold.",
            hint="pass the positive class's column as the score to use a threshold.",
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedClasses(Ranked):
    """The ranking of every class from counts of its own probability; there are no rows."""

    counts: OfClasses
    """In the order of the labels."""

    def __getstate__(self) -> dict[str, Any]:
        """Without what was worked out on the way, which can be worked out again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def _counted(self, position: int) -> Ranking | str:
        if self._shares_of_many is not None:
            return OTHER_SHARES
        return self._ranking(self.counts.columns[position], self.labels[position])

    def _ranking(self, counted: Scores | Binned, positive: Label | None) -> Ranking:
        return Ranking(as_scores(counted, positive), self.level, clip=self.clip)

    @cached_property
    def losses(self) -> Losses:
        """How far the probabilities are from the truth."""
        if len(self.labels) == 2:
            return super().losses
        if self.shares is None:
            return Losses(sum(self.counts.losses, Sums()), self.level)
        classes = [
            sums.scaled(by) for sums, by in zip(self.counts.losses, self._factors(self.shares), strict=True)
        ]
        each = tuple(Losses(sums, self.level) for sums in classes)
        return Losses(sum(classes, Sums()), self.level, classes=each)

    def _factors(self, shares: NDArray[np.float64]) -> list[float]:
        """How many times as heavy the rows of every class are when classes have these shares."""
        seen = np.array([float(sums.weight) for sums in self.counts.losses])
        factors: list[float] = (shares * seen.sum() / np.where(seen > 0, seen, 1)).tolist()
        return factors

    def _of_answers(self, number: Literal["confidence", "margin"]) -> Ranking | str:
        if self.shares is not None:
            return OTHER_SHARES
        counted = self.counts.confidence if number == "confidence" else self.counts.margins
        return self._ranking(counted, None)

    @cached_property
    def all_classes(self) -> ClassRanking | str:
        """How well all classes are told apart, or why there is no saying."""
        if len(self.labels) > MOST_PAIRED:
            return TOO_MANY
        if self.shares is not None:
            return OTHER_SHARES
        rankings = [self.of_class(position) for position in range(len(self.labels))]
        known = [ranking for ranking in rankings if isinstance(ranking, Ranking)]
        places, squares = self.counts.places, self.counts.place_squares
        return counted_ranking(self.labels, known, places, squares, self.level)
