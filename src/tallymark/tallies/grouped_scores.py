"""`GroupedScores`: which scores every group has, in columns; there may be a million groups."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.arrays import owned
from tallymark.tallies.confusion import frozen
from tallymark.tallies.group_entries import named_by_text, united_groups
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

    def __eq__(self, other: object) -> bool:
        """The same counts, be they of rows one by one or added up."""
        if not isinstance(other, GroupedScores):
            return NotImplemented
        one, two = self.added_up(), other.added_up()
        return (
            one.total == two.total
            and one.keys == two.keys
            and np.array_equal(one.group, two.group)
            and np.array_equal(one.place, two.place)
            and np.array_equal(one.positives, two.positives)
            and np.array_equal(one.negatives, two.negatives)
        )

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: GroupedScores) -> GroupedScores:
        """A group that both sides know is one group, and a score that both have is one score."""
        if not isinstance(other, GroupedScores):
            return NotImplemented
        sides = self, other
        total = self.total + other.total
        keys, group = united_groups([(side.keys, side.group) for side in sides])
        # Scores stand best first, and are searched from the lowest up.
        places = [np.searchsorted(-total.score, -side.total.score)[side.place] for side in sides]
        positives, negatives = (
            np.concatenate([getattr(side, name) for side in sides]) for name in ("positives", "negatives")
        )
        return GroupedScores(total, keys, group, np.concatenate(places), positives, negatives).added_up()

    def __radd__(self, other: object) -> GroupedScores:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def added_up(self) -> GroupedScores:
        """Entries by score, then by group, those of the same added up; groups without rows are left out."""
        code = self.place * len(self.keys) + self.group
        if not (code[1:] > code[:-1]).all():
            # A stable sort merges two runs that are in order, in one pass.
            order = np.argsort(code, kind="stable")
            code = code[order]
            starts = np.flatnonzero(np.diff(code, prepend=-1))
            sides = [np.add.reduceat(side[order], starts) for side in (self.positives, self.negatives)]
            code = code[starts]
        else:
            sides = [self.positives, self.negatives]
        there = (sides[0] != 0) | (sides[1] != 0)
        if not there.all():
            code, sides = code[there], [side[there] for side in sides]
        place, group = np.divmod(code, max(1, len(self.keys)))
        known = np.flatnonzero(np.bincount(group, minlength=len(self.keys)))
        keys = self.keys
        if len(known) < len(keys):
            keys, group = tuple(keys[position] for position in known), np.searchsorted(known, group)
        return GroupedScores(self.total, keys, *map(frozen, (group, place, *sides)))

    def named_by_text(self) -> GroupedScores:
        """The same, with the names of groups written as text."""
        keys, group = named_by_text(self.keys, self.group)
        return replace(self, keys=keys, group=group).added_up()

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
