"""`GroupedScores`: which scores every group has, in columns; there may be a million groups."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.arrays import owned
from tallymark.tallies.labels import Label
from tallymark.tallies.scores import Scores
from tallymark.tallies.sums import GroupedSums, losses_of_scores


@dataclass(frozen=True, eq=False)
class GroupedScores:
    """What a tally of scores is made of, group by group: rows of a group belong together (a patient)."""

    total: Scores
    keys: tuple[Label, ...]
    group: NDArray[np.int64]
    """Of each entry: the position of its group among the keys."""
    place: NDArray[np.int64]
    """Of each entry: the position of its score among those of the total."""
    positives: NDArray[Any]
    """Of each entry: rows of the positive class, or the sum of their weights."""
    negatives: NDArray[Any]

    def __post_init__(self) -> None:
        for name in ("group", "place", "positives", "negatives"):
            object.__setattr__(self, name, owned(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.keys)

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable: rebuild instead.
        return GroupedScores, tuple(getattr(self, each.name) for each in fields(self))

    def losses(self, clip: float = 0.0) -> GroupedSums | str:
        """The losses of every group, when the scores are probabilities; else why there are none."""
        if self.total.no_probabilities is not None:
            return self.total.no_probabilities
        (brier, log_loss), (brier_of_rest, log_loss_of_rest) = losses_of_scores(self.total.score, clip)
        one, sides = np.ones(len(brier)), (log_loss, log_loss_of_rest)
        return GroupedSums(
            self.keys,
            weight=self.per_group(one, one),
            brier=self.per_group(brier, brier_of_rest),
            log_loss=self.per_group(*(np.where(np.isinf(side), 0.0, side) for side in sides)),
            infinite=self.per_group(*map(np.isinf, sides)),
        )

    def per_group(self, of_positive: NDArray[Any], of_negative: NDArray[Any]) -> NDArray[np.float64]:
        """Sums over every group's rows of a number that goes with the score, one for each class."""
        amounts = self.positives * of_positive[self.place] + self.negatives * of_negative[self.place]
        return np.asarray(np.bincount(self.group, weights=amounts, minlength=len(self.keys)))
