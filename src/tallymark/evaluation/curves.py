"""The curves of one class, each made when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tallymark.curves import Gains, Lift, PrecisionRecall, Roc, ThresholdCurve, roc_of, roc_of_rows
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.evaluation.ranked import ScoredRows
    from tallymark.tallies import Scores

BY_ROWS = "sequential"
GROUPED = "No band is drawn, because rows belong together in groups."


@dataclass(frozen=True, eq=False)
class Curves:
    """What a ranking looks like."""

    scores: Scores
    expected: Scores
    """The same, or what to expect under other class shares: rates within a class do not change with them."""
    rows: ScoredRows | None
    """The rows themselves, for what depends on their order."""
    position: int
    level: float
    grouped: bool
    """Whether rows belong together in groups."""

    @cached_property
    def roc(self) -> Roc:
        return self._said(roc_of(self.scores))

    def _said(self, roc: Roc) -> Roc:
        """With what a tally of scores does not know."""
        return replace(roc, level=self.level, no_band=GROUPED if self.grouped else "")

    def roc_as(self, construction: str, *, ascending: bool = False) -> Roc:
        """The ROC curve in another construction of the textbooks."""
        if construction != BY_ROWS:
            return self._said(roc_of(self.scores, construction, ascending=ascending))
        if self.rows is None:
            raise OptionError(
                "the sequential construction goes by the order of the rows, and there are counts only.",
                hint="evaluate the rows, or use the grouped construction.",
            )
        score, is_positive = self.rows.of(self.position)
        made = roc_of_rows(
            score,
            is_positive,
            BY_ROWS,
            ascending=ascending,
            weight=self.rows.weight,
            scores=self.scores,
        )
        return self._said(made)

    @cached_property
    def precision_recall(self) -> PrecisionRecall:
        return PrecisionRecall(self.expected)

    @cached_property
    def gains(self) -> Gains:
        return Gains(self.expected)

    @cached_property
    def lift(self) -> Lift:
        return Lift(self.expected)

    @cached_property
    def thresholds(self) -> ThresholdCurve:
        return self.against_threshold("f1")

    def against_threshold(self, metric: str) -> ThresholdCurve:
        """A number about one class at every threshold."""
        return ThresholdCurve(self.expected, metric)
