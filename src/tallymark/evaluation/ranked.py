"""Rows ranked by their scores, class by class; each ranking is counted when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Losses, Ranking
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import encoded
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intake.weights import WeightKind
from tallymark.tallies import GroupedScores, GroupedSums, Label, Scores, Sums
from tallymark.tallies.labels import quoted

_MOST_KEPT = 3
GONE = "the rows were not kept"
VOTES = "the scores are votes, so they are no probabilities"


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """What is ranked: one score per row, about one class, or one per row and class."""

    labels: tuple[Label, ...]
    score: NDArray[np.float64]
    """Columns, where there are several, in the order of the labels."""
    actual: Callable[[], NDArray[Any]]
    """The position of each row's class among the labels; of two labels, whether it is the second."""
    about: int | None
    """Which class a single score is about."""
    weight: NDArray[Any] | None = None
    weight_kind: WeightKind = "sampling"
    group: LabelColumn | None = None
    voters: int = 0
    """How many models voted, when the score is the number of their votes."""

    def at(self, rows: NDArray[np.int64]) -> ScoredRows:
        """Some of the rows."""
        return replace(
            self,
            score=self.score[rows],
            actual=lambda: self.classes[rows],
            weight=None if self.weight is None else self.weight[rows],
            group=None if self.group is None else replace(self.group, values=self.group.values[rows]),
        )

    @cached_property
    def classes(self) -> NDArray[Any]:
        return self.actual()

    def of(self, position: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The score of one class, and which rows are of it."""
        score = self.score if self.about is not None else self.score[:, position]
        if self.about not in (None, position):
            score = -score  # what ranks one class high ranks the other low
        return score, self.classes == position

    def scores(self, position: int) -> Scores:
        score, is_positive = self.of(position)
        return count_scores(
            score,
            is_positive,
            weight=self.weight,
            weight_kind=self.weight_kind,
            positive=self.labels[position],
        )

    def under(self, position: int, shares: NDArray[np.float64]) -> tuple[Scores, NDArray[np.float64]]:
        """The same when classes have other shares, with what each row then weighs.

        With more than two classes the rest is a mix that changes with them.
        """
        factor = self._factor(shares)
        weight = factor if self.weight is None else self.weight * factor
        # A frequency is so many rows, each as heavy as the factor.
        once = self.weight is None or self.weight_kind == "frequency"
        score, is_positive = self.of(position)
        total, squared = (
            count_scores(score, is_positive, weight=amount, weight_kind="frequency")
            for amount in (weight, weight * factor if once else weight**2)
        )
        rows = np.count_nonzero(weight) if self.weight is None or not once else self.weight.sum()
        scores = Scores(
            total.score,
            total.positives,
            total.negatives,
            squares=(squared.positives, squared.negatives),
            positive=self.labels[position],
            rows=int(rows),
        )
        return scores, weight

    def _factor(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many times as heavy each row is when classes have these shares."""
        seen = np.bincount(self.classes, weights=self.weight, minlength=len(self.labels))
        return np.asarray((shares * seen.sum() / np.where(seen > 0, seen, 1))[self.classes])

    @cached_property
    def groups(self) -> tuple[tuple[Label, ...], NDArray[np.int64]] | None:
        """The groups that count, and which of them each row is of."""
        return None if self.group is None else encoded(self.group)

    def grouped(
        self, total: Scores, position: int, weight: NDArray[Any] | None = None
    ) -> GroupedScores | None:
        if self.groups is None:
            return None
        keys, group = self.groups
        weight = self.weight if weight is None else weight
        return count_groups(total, *self.of(position), weight, group, keys)

    def losses(self, level: float, shares: NDArray[np.float64] | None) -> Losses:
        """How far one probability per class is from the truth, under the classes' own shares or others."""
        if shares is None:
            return self._losses(level)
        factor = self._factor(shares)
        of_classes = (np.flatnonzero(self.classes == position) for position in range(len(self.labels)))
        classes = tuple(self._losses(level, factor, rows) for rows in of_classes)
        return replace(self._losses(level, factor), classes=classes)

    def _losses(
        self, level: float, factor: NDArray[np.float64] | None = None, rows: Any = slice(None)
    ) -> Losses:
        columns = self.score[rows], self.classes[rows]
        weight, times = (None if each is None else each[rows] for each in (self.weight, factor))
        sums = Sums.of_probabilities(*columns, weight, self.weight_kind, times)
        if self.groups is None:
            return Losses(sums, level)
        if times is not None:
            weight = times if weight is None else weight * times
        keys, group = self.groups
        return Losses(sums, level, GroupedSums.of_probabilities(*columns, weight, group[rows], keys))


@dataclass(frozen=True, eq=False)
class Ranked:
    """The ranking of every class that has one."""

    labels: tuple[Label, ...]
    level: float
    rows: ScoredRows | None
    """By reference; None when there were counts only. Never pickled."""
    shares: NDArray[np.float64] | None = None
    """Class shares to answer for, when they are not the sample's own."""
    known: dict[int, Ranking] = field(default_factory=dict)
    """What was counted already."""
    about: int | None = None
    """Which class a single score is about."""

    @classmethod
    def of(cls, rows: ScoredRows, level: float, scores: Scores | None = None) -> Ranked:
        """The rows, with the counts of the class a single score is about if they were counted already."""
        made = cls(rows.labels, level, rows, about=rows.about)
        if scores is not None and rows.about is not None:
            made.known[rows.about] = Ranking(scores, level, rows.grouped(scores, rows.about))
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Rows stay behind; what they say of every class goes along."""
        every = {position: self.of_class(position) for position in range(len(self.labels))}
        known = {position: found for position, found in every.items() if isinstance(found, Ranking)}
        state = {name: getattr(self, name) for name in ("labels", "level", "shares", "about")}
        return state | {"known": known, "rows": None, "losses": self.losses}

    def at(self, rows: NDArray[np.int64]) -> Ranked:
        """The ranking of some of the rows."""
        assert self.rows is not None
        return replace(self, rows=self.rows.at(rows), known={})

    def anew(self) -> Ranked:
        """A copy to count with, so that what is counted is not kept here; without rows it is kept."""
        return self if self.rows is None else replace(self, known={})

    def at_shares(self, shares: NDArray[np.float64] | None) -> Ranked:
        """The same rows under other class shares."""
        if len(self.labels) > 2:
            return replace(self, shares=shares, known={})
        known = {at: self._under(ranking, at, shares) for at, ranking in self.known.items()}
        return replace(self, shares=shares, known=known)

    def of_class(self, position: int) -> Ranking | str:
        """The ranking of one class against the rest, or why there is none."""
        if position not in self.known:
            made = self._counted(position)
            if isinstance(made, str):
                return made
            if self.rows is not None and len(self.known) >= _MOST_KEPT:
                # Rankings are as long as the data, and of many classes there is one each.
                self.known.pop(next(iter(self.known)))
            self.known[position] = self._under(made, position, self.shares)
        return self.known[position]

    def _counted(self, position: int) -> Ranking | str:
        if self.about is not None and position != self.about:
            if len(self.labels) > 2:
                return f"the scores are about {quoted(self.labels[self.about])} only"
            other = self.of_class(self.about)
            return other if isinstance(other, str) else other.reversed(self.labels[position])
        if self.rows is None:
            return GONE
        if self.shares is not None and len(self.labels) > 2:
            scores, weight = self.rows.under(position, self.shares)
            return Ranking(scores, self.level, self.rows.grouped(scores, position, weight))
        scores = self.rows.scores(position)
        return Ranking(scores, self.level, self.rows.grouped(scores, position))

    @staticmethod
    def _under(ranking: Ranking, position: int, shares: NDArray[np.float64] | None) -> Ranking:
        """Of two classes the rest is one class, and its share is all that changes."""
        if shares is None or len(shares) > 2:
            return replace(ranking, share=None)
        return replace(ranking, share=float(shares[position]))

    @cached_property
    def losses(self) -> Losses:
        """How far the probabilities are from the truth."""
        if self.rows is not None and self.rows.voters:
            return Losses(VOTES, self.level)
        about = self.about
        if about is None and len(self.labels) == 2:
            about = 1  # of two classes the distances are equal, and one of them is counted
        if about is not None:
            ranking = self.of_class(about)
            return Losses(ranking, self.level) if isinstance(ranking, str) else ranking.losses
        if self.rows is None:
            return Losses(GONE, self.level)
        return self.rows.losses(self.level, self.shares)
