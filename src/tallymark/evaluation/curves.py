"""The curves of one class, each made when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tallymark.curves import (
    Calibration,
    CostCurve,
    DecisionCurve,
    Distribution,
    Gains,
    Lift,
    PrecisionRecall,
    Rejection,
    Roc,
    ThresholdCurve,
    margins_of,
    roc_of,
    roc_of_rows,
)
from tallymark.curves.shared import cut_at
from tallymark.errors import OptionError
from tallymark.metrics.calibration import Strategy

if TYPE_CHECKING:
    from tallymark.evaluation.ranked import ScoredRows
    from tallymark.inference import Ranking
    from tallymark.tallies import Scores

BY_ROWS = "sequential"
GROUPED = "No band is drawn, because rows belong together in groups."


@dataclass(frozen=True, eq=False)
class Curves:
    """What a ranking looks like."""

    ranking: Ranking
    probabilities: Ranking
    """The same, or if the scores are probabilities of the other one of two classes, 1 less each."""
    rows: ScoredRows | None
    """The rows themselves, for what depends on their order."""
    position: int
    threshold: float | None
    """Where the scores are cut, if they are."""
    votes: str | None = None
    """Why the scores are no probabilities wherever they lie, if they are votes."""

    @property
    def scores(self) -> Scores:
        return self.ranking.scores

    @property
    def complemented(self) -> bool:
        """Whether the scores are probabilities of the other one of two classes."""
        return self.probabilities is not self.ranking

    @property
    def expected(self) -> Scores:
        """The same, or what to expect under other class shares; they do not change rates within a class."""
        return self.ranking.seen[0]

    @cached_property
    def roc(self) -> Roc:
        return self._said(roc_of(self.scores))

    def _said(self, roc: Roc) -> Roc:
        """With what a tally of scores does not know."""
        grouped = self.ranking.groups is not None
        return replace(roc, level=self.ranking.level, no_band=GROUPED if grouped else "")

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

    @cached_property
    def rejection(self) -> Rejection:
        if self.votes and self.threshold is None:
            raise OptionError(
                "there is no curve: votes have no default threshold.",
                hint="pass the threshold, as many votes as make a row positive.",
            )
        scores, groups = self.probabilities.seen
        margins, groups, form = margins_of(scores, self.threshold, groups)
        if form == "margin" or self.threshold is None:
            return Rejection(margins, form, self.ranking.level, groups)
        spelling = cut_at(scores, self.threshold)
        return Rejection(margins, form, self.ranking.level, groups, self.threshold, spelling)

    def calibration(self, n_bins: int = 10, strategy: Strategy = "width") -> Calibration:
        self._check_probabilities()
        scores, groups = self.probabilities.seen
        known = self.ranking
        return Calibration(scores, n_bins, strategy, known.level, groups, clip=known.clip)

    def distribution(self, n_bins: int = 20) -> Distribution:
        """The scores of the class and of the rest, in so many bins."""
        return Distribution(self.probabilities.seen[0], n_bins, self.threshold)

    @cached_property
    def cost_curve(self) -> CostCurve:
        return CostCurve(self.probabilities.scores, self.probabilities.share)

    @cached_property
    def decision_curve(self) -> DecisionCurve:
        self._check_probabilities()
        known = self.probabilities
        return DecisionCurve(known.scores, known.level, known.groups, known.share)

    def _check_probabilities(self) -> None:
        if self.votes:
            raise OptionError(f"there is no curve: {self.votes}.", about_data=True)
