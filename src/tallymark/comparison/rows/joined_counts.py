"""What is counted of rows that all models have, place by place, wherever they were matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MemoryLimitError
from tallymark.intake.engines.parts import Anywhere
from tallymark.intake.pairing import count_paired
from tallymark.intake.ranking import count_scores
from tallymark.intake.streams.counting import count_binned
from tallymark.intake.streams.joining import Beside, Together
from tallymark.intake.streams.memory import in_words
from tallymark.intake.weights import WeightKind
from tallymark.tallies import Label, Scores
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.paired import Paired

if TYPE_CHECKING:
    import polars as pl

_MERGING = 3
"""How many times their own size scores take while they are added up."""


@dataclass(frozen=True, eq=False)
class Said:
    """How what one model says of rows is counted."""

    name: str
    places: NDArray[np.int64]
    """Where its labels stand among those of all models."""
    predicted: NDArray[np.int64] | None
    """Where each of its answers stands among its labels; None where a score is cut."""
    threshold: float | None
    position: int | None
    """Where its positive class stands among its labels."""
    answers: bool
    scored: bool
    grid: Grid | None = None
    """What its scores are counted on; None keeps every one."""
    clip: float = 0.0

    def answered(self, rows: pl.DataFrame) -> NDArray[np.int64]:
        """The position of the answer to each of some rows among the labels of all models."""
        if self.predicted is not None:
            return np.asarray(self.places[self.predicted[rows.get_column("predicted").to_numpy()]])
        assert self.threshold is not None
        assert self.position is not None
        called = rows.get_column("score").to_numpy() >= self.threshold
        return np.asarray(self.places[np.where(called, self.position, 1 - self.position)])


class Scored(NamedTuple):
    """Rows of one place that weigh anything."""

    hit: NDArray[np.bool_]
    weight: NDArray[Any] | None
    scores: list[NDArray[np.float64]]
    """Of every model."""


@dataclass(frozen=True, eq=False)
class Counts(Anywhere):
    """What was counted of some rows."""

    beside: Sequence[Beside]
    """How the rows of every model but the first go with those of the first."""
    came: int = 0
    """Rows that were looked at, be they counted or not."""
    rows: int = 0
    ones: bool = True
    """Whether every row weighs 1."""
    paired: Paired | None = None
    """The answers of the models that have them."""
    scores: Mapping[str, Scores | Binned] | None = None
    memory: int = 0

    def then(self, later: Counts) -> Counts:
        """With what was counted of rows that come later."""
        rows = self.rows + later.rows
        scores = self.scores if later.scores is None else later.scores
        if self.scores is not None and later.scores is not None:
            _refuse_large([*self.scores.values(), *later.scores.values()], rows, self.memory)
            scores = {name: _sum(each, later.scores[name]) for name, each in self.scores.items()}
        paired = self.paired if later.paired is None else later.paired
        if self.paired is not None and later.paired is not None:
            paired = self.paired + later.paired
        beside = [one.then(two) for one, two in zip(self.beside, later.beside, strict=True)]
        came, ones = self.came + later.came, self.ones and later.ones
        return Counts(beside, came, rows, ones, paired, scores, self.memory)

    def ranking(self, name: str, positive: Label | None) -> Scores:
        """The scores of a model."""
        assert self.scores is not None
        found = self.scores[name]
        return found.scores(positive) if isinstance(found, Binned) else found


def _sum(one: Scores | Binned, two: Scores | Binned) -> Scores | Binned:
    if isinstance(one, Binned):
        assert isinstance(two, Binned)
        return one + two
    assert isinstance(two, Scores)
    return one + two


def _refuse_large(kept: Sequence[Scores | Binned], rows: int, memory: int) -> None:
    exact = [each for each in kept if isinstance(each, Scores)]
    size = _MERGING * sum(each.score.nbytes * (3 if each.squares is None else 5) for each in exact)
    if size > memory:
        raise MemoryLimitError(
            f"every score is kept to compare areas exactly, and the different ones of the first "
            f"{rows:,} rows take {in_words(size)}; the memory allowed is {in_words(memory)}.",
            hint="count them on a grid, which gives certified bounds: add --approximate (in Python "
            "approximate=True); or allow more with --memory SIZE (memory=).",
        )


@dataclass(frozen=True, eq=False)
class Counting:
    """The work of counting rows that all models have, which can be sent to a worker."""

    models: Sequence[Said]
    labels: tuple[Label, ...]
    position: int | None
    """Where the positive class stands among the labels."""
    weight_kind: WeightKind
    memory: int

    @property
    def scoring(self) -> list[str]:
        return [model.name for model in self.models if model.scored]

    def __call__(self, found: Together | None, beside: Sequence[Beside], came: int = 0) -> Counts:
        """The rows of one place."""
        if found is None:
            return Counts(beside, came, memory=self.memory)
        ones = found.weight is None or bool((found.weight == 1).all())
        scores = self._scores(found) if self.scoring else None
        if scores is not None:
            _refuse_large(list(scores.values()), len(found.actual), self.memory)
        return Counts(beside, came, len(found.actual), ones, self._paired(found), scores, self.memory)

    def _paired(self, found: Together) -> Paired | None:
        answering = [
            (model, rows) for model, rows in zip(self.models, found.rows, strict=True) if model.answers
        ]
        if not answering:
            return None
        # Labels stay as they are: those of pooled classes, or in an order of one's own, have no other.
        counted, _ = count_paired(
            self.labels,
            [model.name for model, _ in answering],
            found.actual,
            [model.answered(rows) for model, rows in answering],
            found.weight,
            self.weight_kind,
            declared=True,
        )
        return counted

    def scored(self, found: Together) -> Scored:
        """The scores of all models that have them; rows without weight are not counted."""
        tables = [rows for model, rows in zip(self.models, found.rows, strict=True) if model.scored]
        scores = [rows.get_column("score").to_numpy() for rows in tables]
        hit, weight = found.actual == self.position, found.weight
        if weight is None or weight.all():
            return Scored(hit, weight, scores)
        seen = np.flatnonzero(weight)
        return Scored(hit[seen], weight[seen], [score[seen] for score in scores])

    def _scores(self, found: Together) -> dict[str, Scores | Binned]:
        hit, weight, scores = self.scored(found)
        positive = None if self.position is None else self.labels[self.position]
        made: dict[str, Scores | Binned] = {}
        for model, score in zip((each for each in self.models if each.scored), scores, strict=True):
            if model.grid is not None:
                made[model.name] = count_binned(score, hit, weight, self.weight_kind, model.grid, model.clip)
                continue
            made[model.name] = count_scores(
                score, hit, weight=weight, weight_kind=self.weight_kind, positive=positive
            )
        return made
