"""What an evaluation holds, and its numbers by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import MetricError
from tallymark.evaluation.slices import Part
from tallymark.inference import (
    NAME_THE_POSITIVE,
    AnySample,
    Calibrated,
    ClassRanking,
    Estimate,
    Losses,
    Ranking,
    Sample,
    SetSample,
    undefined,
)
from tallymark.intake.costs import Costs
from tallymark.metrics import AVERAGES, FROM_SCORES, METRICS, SCORE_METRICS, SET_METRICS, Asked, Average, ask
from tallymark.tallies import Confusion, Label

if TYPE_CHECKING:
    from tallymark.evaluation.ranked import Ranked
    from tallymark.intake.sets.rows import AnyRows

NO_SCORES = "no scores were given"
SEVERAL_LABELS = "rows have several labels, and scores of each are not read"
AVERAGED = ("precision", "recall", "f1", "specificity", "fpr", "jaccard")


@dataclass(frozen=True, eq=False)
class Numbered:
    """What was counted, and every number that is worked out from it."""

    sample: Sample | None
    """The counts, when every row has one label."""
    labels: tuple[Label, ...]
    positive: Label | None
    rows: float
    dropped: Mapping[str, int]
    """Rows left out, and why."""
    threshold: float | None = None
    costs: Costs | None = None
    order_stated: bool = False
    """Whether the order of the labels is the user's own, so that a bare matrix of costs can be read."""
    seed: int = 0
    notes: tuple[str, ...] = ()
    """What was assumed on the way in and must be said."""
    chosen_here: str | None = None
    """What the threshold was tuned for on these very rows, if it was."""
    why_not: str | None = None
    """Why there are no counts, when there are none."""
    sets: SetSample | None = None
    """The counts, when rows have several labels."""
    ranked: Ranked | None = None
    """The scores, when there are any."""
    sliced: tuple[Part, ...] = ()
    """The counts of every slice."""
    library: str | None = None
    """The data frame library the rows came in, if they did."""
    own: Mapping[str, Estimate] = field(default_factory=dict)
    """The user's own metrics."""
    encode: Callable[[], AnyRows] | None = None
    """The rows, by reference; None when there were counts only. Never pickled."""

    @property
    def task(self) -> str:
        if self.sets is not None:
            return "multilabel"
        return "binary" if len(self.labels) == 2 else "multiclass"

    @property
    def counted(self) -> AnySample | None:
        """What every number is worked out from; None while there are no answers."""
        return self.sets if self.sets is not None else self.sample

    @property
    def level(self) -> float | None:
        """The confidence level of the intervals."""
        known = self.counted or self.ranked
        return None if known is None else known.level

    @property
    def confusion(self) -> Confusion | None:
        """The counts (expected counts, after `at_prevalence`); None when rows have several labels."""
        return None if self.sample is None else self.sample.seen

    @property
    def position(self) -> int | None:
        """Where the positive class stands among the labels."""
        return None if self.positive is None else self.labels.index(self.positive)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was worked out on the way, which can be worked out again."""
        return {each.name: getattr(self, each.name) for each in fields(self)} | {"encode": None}

    @cached_property
    def encoded(self) -> AnyRows | None:
        """The rows as positions among the labels, or as sets of them; None when there were counts only."""
        return None if self.encode is None else self.encode()

    def __getitem__(self, name: str) -> Estimate:
        return self.own[name] if name in self.own else self.estimate(ask(name))

    def __contains__(self, name: object) -> bool:
        if name in self.own:
            return True
        try:
            return isinstance(name, str) and bool(ask(name))
        except MetricError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    @np.errstate(under="ignore")
    def estimate(self, asked: Asked) -> Estimate:
        """A number with its interval, or the reason why there is none."""
        if asked.metric.about in FROM_SCORES:
            return self.ranked_estimate(asked, self.position)
        if self.counted is None:
            return undefined(self.why_not or "")
        return self.counted.of(asked, self.position_for(asked))

    def ranked_estimate(self, asked: Asked, position: int | None) -> Estimate:
        """A number that scores are needed for."""
        asked, found = self._found(asked, position)
        return undefined(found) if isinstance(found, str) else found.of(asked)

    def _found(
        self, asked: Asked, position: int | None
    ) -> tuple[Asked, Ranking | Losses | Calibrated | ClassRanking | str]:
        """What a number is worked out from, or why it is not; and under which name."""
        if self.ranked is None:
            return asked, self.no_scores
        if asked.metric.about == "losses":
            return asked, self.ranked.losses
        if asked.metric.about == "calibration":
            return asked, self.calibrated
        if asked.metric.about == "classes" and (len(self.labels) > 2 or asked.parameters):
            return asked, self.ranked.all_classes
        if asked.metric.about == "classes":
            # Of two classes either is told from the other as well as the other from it.
            return ask("auc"), self.ranking(1 if position is None else position)
        return asked, self.ranking(position)

    def compared_by(self, asked: Asked) -> tuple[Asked, Ranking | Losses | Calibrated | ClassRanking | str]:
        """What a number from scores is worked out from, or why it is not; and under which name."""
        return self._found(asked, self.position)

    @property
    def calibrated(self) -> Calibrated | str:
        """What calibration is worked out from: the probabilities of the answers, of two classes of one."""
        from tallymark.evaluation.answers import trusted

        found = trusted(self)
        return found if isinstance(found, str) else Calibrated(found.seen[0], found.level, found.seen[1])

    def ranking(self, position: int | None) -> Ranking | str:
        """The ranking of one class against the rest, or why there is none."""
        if self.ranked is None:
            return self.no_scores
        return NAME_THE_POSITIVE if position is None else self.ranked.of_class(position)

    @property
    def no_scores(self) -> str:
        """Why there are none."""
        return NO_SCORES if self.sets is None else SEVERAL_LABELS

    def position_for(self, asked: Asked) -> int | None:
        """Which class a number is about; of two it may not matter, and then none need be named."""
        two = self.position is None and self.task == "binary"
        return 0 if two and asked.metric.symmetric else self.position

    @cached_property
    def metrics(self) -> dict[str, Estimate]:
        """Every number that needs no parameter, by canonical name, averages included."""
        names = [
            name
            for name, metric in ({**METRICS, **SCORE_METRICS} if self.sets is None else SET_METRICS).items()
            if metric.plain
            and (self.costs is not None or not metric.needs_costs)
            and (metric.about != "classes" or len(self.labels) > 2)
        ]
        names += [f"{name}_{average}" for average in AVERAGES for name in AVERAGED]
        return {name: self[name] for name in (*names, *self.own)}

    @cached_property
    def averages(self) -> dict[Average, dict[str, Estimate]]:
        """Averages over the classes: macro, micro and weighted by support."""
        return {average: {name: self[f"{name}_{average}"] for name in AVERAGED} for average in AVERAGES}
