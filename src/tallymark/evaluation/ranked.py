"""Rows ranked by their scores, class by class; each ranking is counted when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import ClassRanking, Losses, Ranking
from tallymark.inference.classes.places import Answers, answered
from tallymark.inference.classes.ranking import class_ranking
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import encoded, freeze_rows
from tallymark.intake.ids import Ids
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intake.weights import WeightKind
from tallymark.tallies import GroupedScores, GroupedSums, Label, Scores, Sums
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import quoted

_MOST_KEPT = 3
MOST_PAIRED = 2_000
"""Classes; pairs of more take hundreds of megabytes."""
TOO_MANY = f"there are more than {MOST_PAIRED:,} classes, too many to compare each with each"
GONE = "the rows were not kept"
VOTES = "the scores are votes, so they are no probabilities"
ONE_SCORE = "it takes one probability per class"


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
    answered: Callable[[], NDArray[Any]] | None = None
    """The position of each row's answer among the labels, where answers stand beside the score."""
    times: NDArray[np.float64] | None = None
    """How many times as heavy each row is, when that was settled among other rows than these."""
    ids: Ids | None = None
    """What tells the rows apart, while they are all of the rows that came."""

    def __post_init__(self) -> None:
        freeze_rows(self.score, self.weight, self.group, self.times)

    def at(self, rows: NDArray[np.int64]) -> ScoredRows:
        """Some of the rows."""
        return replace(
            self,
            score=self.score[rows],
            actual=lambda: self.classes[rows],
            weight=None if self.weight is None else self.weight[rows],
            group=None if self.group is None else replace(self.group, values=self.group.values[rows]),
            answered=None if self.answered is None else lambda: self.given[rows],
            times=None if self.times is None else self.times[rows],
            ids=None,
        )

    @cached_property
    def classes(self) -> NDArray[Any]:
        return frozen(self.actual())

    @cached_property
    def given(self) -> NDArray[Any]:
        """The answer to every row: that which stands beside the score, else the most probable class."""
        return self.answers.answer if self.answered is None else self.answered()

    def of(self, position: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The score of one class, and which rows are of it."""
        score = self.score if self.about is not None else self.score[:, position]
        if self.about not in (None, position):
            score = -score  # what ranks one class high ranks the other low
        return score, self.classes == position

    def scores(self, position: int) -> Scores:
        return self._counted(*self.of(position), self.labels[position])

    def ranking(
        self,
        score: NDArray[np.float64],
        is_positive: NDArray[np.bool_],
        positive: Label | None,
        level: float,
        shares: NDArray[np.float64] | None = None,
    ) -> Ranking:
        """Any number of every row, counted by whether something is true of the row."""
        if shares is None:
            scores, weight = self._counted(score, is_positive, positive), self.weight
        else:
            scores, weight = self._under(score, is_positive, positive, shares)
        return Ranking(scores, level, self.grouped(scores, score, is_positive, weight))

    def _counted(
        self, score: NDArray[np.float64], is_positive: NDArray[np.bool_], positive: Label | None
    ) -> Scores:
        return count_scores(
            score, is_positive, weight=self.weight, weight_kind=self.weight_kind, positive=positive
        )

    def _under(
        self,
        score: NDArray[np.float64],
        is_positive: NDArray[np.bool_],
        positive: Label | None,
        shares: NDArray[np.float64],
    ) -> tuple[Scores, NDArray[np.float64]]:
        """The same when classes have other shares, with what each row then weighs.

        With more than two classes the rest is a mix that changes with them.
        """
        factor = self.factor(shares)
        weight = factor if self.weight is None else self.weight * factor
        # A frequency is so many rows, each as heavy as the factor.
        once = self.weight is None or self.weight_kind == "frequency"
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
            positive=positive,
            rows=int(rows),
        )
        return scores, weight

    def factor(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many times as heavy each row is when classes have these shares."""
        if self.times is not None:
            return self.times
        seen = np.bincount(self.classes, weights=self.weight, minlength=len(self.labels))
        return np.asarray((shares * seen.sum() / np.where(seen > 0, seen, 1))[self.classes])

    @cached_property
    def groups(self) -> tuple[tuple[Label, ...], NDArray[np.int64]] | None:
        """The groups that count, and which of them each row is of."""
        return None if self.group is None else encoded(self.group)

    def grouped(
        self,
        total: Scores,
        score: NDArray[np.float64],
        is_positive: NDArray[np.bool_],
        weight: NDArray[Any] | None,
    ) -> GroupedScores | None:
        if self.groups is None:
            return None
        keys, group = self.groups
        return count_groups(total, score, is_positive, weight, group, keys)

    @cached_property
    def answers(self) -> Answers:
        """The most probable class of every row; of equals the first."""
        return answered(self.score)

    def losses(self, level: float, shares: NDArray[np.float64] | None, clip: float) -> Losses:
        """How far one probability per class is from the truth, under the classes' own shares or others."""
        if shares is None:
            return self._losses(level, clip)
        factor = self.factor(shares)
        of_classes = (np.flatnonzero(self.classes == position) for position in range(len(self.labels)))
        classes = tuple(self._losses(level, clip, factor, rows) for rows in of_classes)
        return replace(self._losses(level, clip, factor), classes=classes)

    def _losses(
        self, level: float, clip: float, factor: NDArray[np.float64] | None = None, rows: Any = slice(None)
    ) -> Losses:
        columns = self.score[rows], self.classes[rows]
        weight, times = (None if each is None else each[rows] for each in (self.weight, factor))
        sums = Sums.of_probabilities(*columns, weight, self.weight_kind, times, clip)
        if self.groups is None:
            return Losses(sums, level)
        if times is not None:
            weight = times if weight is None else weight * times
        keys, group = self.groups
        by_group = GroupedSums.of_probabilities(*columns, weight, group[rows], keys, clip)
        return Losses(sums, level, by_group)


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
    clip: float = 0.0
    """How far probabilities are kept from 0 and 1 in the logarithmic loss."""
    voters: int = 0
    """How many models voted, when the score is the number of their votes."""

    @classmethod
    def of(cls, rows: ScoredRows, level: float, scores: Scores | None, clip: float) -> Ranked:
        """The rows, with the counts of the class a single score is about if they were counted already."""
        made = cls(rows.labels, level, rows, about=rows.about, clip=clip, voters=rows.voters)
        if scores is not None and rows.about is not None:
            groups = rows.grouped(scores, *rows.of(rows.about), rows.weight)
            made.known[rows.about] = Ranking(scores, level, groups, clip=clip)
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Rows stay behind; what they say of every class goes along."""
        every = {position: self.of_class(position) for position in range(len(self.labels))}
        known = {position: found for position, found in every.items() if isinstance(found, Ranking)}
        kept = ("labels", "level", "shares", "about", "clip", "voters")
        state = {name: getattr(self, name) for name in kept}
        made = {name: getattr(self, name) for name in ("losses", "confidence", "margins", "all_classes")}
        return state | {"known": known, "rows": None} | made

    def at(self, rows: NDArray[np.int64]) -> Ranked:
        """The ranking of some of the rows."""
        assert self.rows is not None
        return replace(self, rows=self.rows.at(rows), known={})

    def part(self, rows: NDArray[np.int64]) -> Ranked:
        """The same, but each row weighs what it weighs among all of them."""
        assert self.rows is not None
        shares = self._shares_of_many
        whole = self.rows if shares is None else replace(self.rows, times=self.rows.factor(shares))
        return replace(self, rows=whole.at(rows), shares=shares, known={})

    def called(self, position: int) -> Ranked | None:
        """The rows that are answered with this class, if they are answered but by a cut of their score."""
        if self.rows is None or (self.rows.answered is None and self.about is not None):
            return None
        return self.part(np.flatnonzero(self.rows.given == position))

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

    def probabilities(self, position: int, found: Ranking) -> Ranking:
        """The same, but of two classes the other one's score is 1 less a probability, not its negative."""
        if self.about in (None, position) or self.voters:
            return found
        of_other = self.of_class(self.about)
        if isinstance(of_other, str) or of_other.scores.no_probabilities:
            return found
        return of_other.complement(self.labels[position])

    def _counted(self, position: int) -> Ranking | str:
        if self.about is not None and position != self.about:
            if len(self.labels) > 2:
                return f"the scores are about {quoted(self.labels[self.about])} only"
            other = self.of_class(self.about)
            return other if isinstance(other, str) else other.reversed(self.labels[position])
        if self.rows is None:
            return GONE
        return self.rows.ranking(
            *self.rows.of(position), self.labels[position], self.level, self._shares_of_many
        )

    @property
    def _shares_of_many(self) -> NDArray[np.float64] | None:
        """Other shares of more than two classes, which change what rows weigh."""
        return self.shares if len(self.labels) > 2 else None

    def _under(self, ranking: Ranking, position: int, shares: NDArray[np.float64] | None) -> Ranking:
        """Of two classes the rest is one class, and its share is all that changes."""
        given = shares is not None and len(shares) == 2
        share = float(shares[position]) if given and shares is not None else None
        return replace(ranking, share=share, clip=self.clip)

    @cached_property
    def losses(self) -> Losses:
        """How far the probabilities are from the truth."""
        if self.voters:
            return Losses(VOTES, self.level)
        about = self.about
        if about is None and len(self.labels) == 2:
            about = 1  # of two classes the distances are equal, and one of them is counted
        if about is not None:
            ranking = self.of_class(about)
            return Losses(ranking, self.level) if isinstance(ranking, str) else ranking.losses
        if self.rows is None:
            return Losses(GONE, self.level)
        return self.rows.losses(self.level, self.shares, self.clip)

    @cached_property
    def confidence(self) -> Ranking | str:
        """The probability of the answer, by whether it was right; or why there is none."""
        return self._of_answers("confidence")

    @cached_property
    def margins(self) -> Ranking | str:
        """How far the answer was ahead of the second best, by whether it was right; or why there is none."""
        return self._of_answers("margin")

    def _of_answers(self, number: Literal["confidence", "margin"]) -> Ranking | str:
        rows = self.columns
        if isinstance(rows, str):
            return rows
        answers = rows.answers
        right = answers.answer == rows.classes
        found = rows.ranking(getattr(answers, number), right, None, self.level, self.shares)
        return replace(found, clip=self.clip)

    @property
    def columns(self) -> ScoredRows | str:
        """The rows, if they have one probability per class; or why there is none."""
        if self.about is not None:
            return ONE_SCORE
        return GONE if self.rows is None else self.rows

    @cached_property
    def all_classes(self) -> ClassRanking | str:
        """How well all classes are told apart, or why there is no saying."""
        rows = self.columns
        if isinstance(rows, str):
            return rows
        if len(self.labels) > MOST_PAIRED:
            return TOO_MANY
        return class_ranking(
            rows.score,
            rows.classes,
            labels=self.labels,
            level=self.level,
            weight=rows.weight,
            weight_kind=rows.weight_kind,
            group=rows.groups,
            shares=self.shares,
        )
