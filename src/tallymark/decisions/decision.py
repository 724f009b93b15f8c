"""`Decision`: where to cut, what that costs, and what it saves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.curves.costs.prices import formula
from tallymark.curves.shared import drawn, finite
from tallymark.curves.threshold_curve import ThresholdCurve
from tallymark.decisions.choose import Aim, Choice
from tallymark.decisions.closed_form import ClosedForm, at_prevalence, closed_form
from tallymark.decisions.constraints import SHARE
from tallymark.decisions.cross_fitting import CrossFitted, cross_fitted
from tallymark.decisions.gap import gap_of
from tallymark.decisions.rates import rates
from tallymark.decisions.reject import chow_thresholds
from tallymark.decisions.ways import (
    ALL_NEGATIVE,
    ALL_POSITIVE,
    Answered,
    AsIs,
    Way,
    answered,
    answered_now,
    saved,
    squared_counts,
)
from tallymark.drawing import Document
from tallymark.drawing.figure import Figure
from tallymark.drawing.illustrated import illustrated
from tallymark.drawing.notebook import Glanced
from tallymark.drawing.saved import Saved
from tallymark.errors import OptionError
from tallymark.inference import Estimate, Ranking
from tallymark.tallies import Confusion, Label, Scores

AS_IS, POSITIVE, NEGATIVE = "as is", "all positive", "all negative"
_SHOWN = ("recall", "precision", "specificity", SHARE)


@dataclass(frozen=True, eq=False)
class Decision(Glanced, Saved):
    """The best threshold for what was asked, on some rows, and what it does to these or other rows."""

    ranking: Ranking
    """The rows that are reported on."""
    aim: Aim
    choice: Choice
    labels: tuple[Label, Label]
    """The positive class, and the rest."""
    as_is: AsIs | None
    chosen_on: Ranking | None
    """The rows it was chosen on, when they were given apart."""
    seed: int = 0
    votes: str | None = None
    """Why the scores are no probabilities wherever they lie, if they are votes."""

    # --- what was chosen -------------------------------------------------------------------------

    @property
    def threshold(self) -> float:
        """`score >= threshold` is called positive; infinite when nothing is."""
        return self.choice.best.threshold

    @property
    def given(self) -> bool:
        """Whether the threshold was named, and not looked for."""
        return self.choice.given

    @property
    def low(self) -> float | None:
        """Every t with `low < t <= high` is as good; None when only bins were counted."""
        return self.choice.best.low

    @property
    def high(self) -> float:
        return self.choice.best.high

    @property
    def others(self) -> int:
        """How many other intervals of thresholds, all lower, are as good."""
        return self.choice.best.others

    @property
    def region(self) -> tuple[float, float] | None:
        """Rows with `lower <= score < upper` are declined; None when none is."""
        region = self.choice.region
        return None if region is None else (region.lower, region.upper)

    @property
    def way(self) -> Way:
        return self.choice.way

    @cached_property
    def elsewhere(self) -> Ranking | None:
        """The rows it was chosen on, unless they are the very rows it is reported on."""
        same = self.chosen_on is None or self.chosen_on.scores == self.ranking.scores
        return None if same else self.chosen_on

    @property
    def chosen_among(self) -> Scores:
        """The scores whose thresholds, or edges of bins, there were to choose from."""
        return (self.elsewhere or self.ranking).scores

    # --- what it does ----------------------------------------------------------------------------

    @property
    def scores(self) -> Scores:
        """The rows reported on, or what to expect of them under other class shares."""
        return self.ranking.seen[0]

    @cached_property
    def answered(self) -> Answered:
        return answered(self.scores, self.way)

    @property
    def rejected(self) -> float:
        """The share of the rows that is declined."""
        return float(sum(self.answered.declined) / self.scores.n) if self.scores.n else math.nan

    @property
    def cost(self) -> float | None:
        """Of all rows together; None without costs."""
        return None if self.aim.costs is None else self.answered.cost(self.aim.costs, self.aim.reject_cost)

    @property
    def mean_cost(self) -> float | None:
        """Of a row."""
        return None if self.cost is None or not self.scores.n else self.cost / self.scores.n

    @cached_property
    def confusion(self) -> Confusion:
        """The answers to the rows that are not declined, the positive class first."""
        counts, squares = self.answered.counts, None
        if (squared := squared_counts(self.scores, self.way)) is not None:
            squares = np.array([squared.tp, squared.fn, squared.fp, squared.tn])
        return Confusion.from_cells(
            self.labels,
            np.arange(4),
            np.array([counts.tp, counts.fn, counts.fp, counts.tn]),
            squares=squares,
            rows=None if squares is None else self.scores.rows,
            declared=True,
        )

    @cached_property
    def value(self) -> float | None:
        """Of the metric that was made best, on the rows reported on; None with costs."""
        return None if self.aim.costs is not None else self.aim.value(self.answered.counts)

    @property
    def gap(self) -> float | None:
        """What a threshold within a bin could at most save more, or add to the metric that was made best, on
        the rows it was chosen on; None when every score is known, or when nothing bounds it (`gap_note`)."""
        return finite(self._gap)

    @property
    def gap_note(self) -> str | None:
        """That nothing bounds how much better a threshold within a bin could be; None when something does."""
        if self._gap is None or math.isfinite(self._gap):
            return None
        return (
            f"a threshold within a bin could have a better {self.aim.objective}, and nothing bounds by how "
            "much: one kind of error may be as rare as anything there, or never happen."
        )

    @cached_property
    def _gap(self) -> float | None:
        return gap_of(self.elsewhere or self.ranking, self.aim, self.way)

    # --- against other ways ------------------------------------------------------------------------

    @cached_property
    def against(self) -> dict[str, Way | AsIs]:
        """What it is compared with."""
        ways: dict[str, Way | AsIs] = {}
        if self.as_is is not None:
            cut = self.as_is.threshold
            ways[AS_IS] = self.as_is if cut is None else Way.cut(cut)
        return ways | {POSITIVE: ALL_POSITIVE, NEGATIVE: ALL_NEGATIVE}

    def answered_by(self, name: str) -> Answered:
        """The counts of one of the ways it is compared with."""
        way = self.against[name]
        if isinstance(way, Way):
            return answered(self.scores, way)
        assert way.called is not None
        return answered_now(self.scores, way.called)

    def cost_of(self, name: str) -> float | None:
        """What one of the ways it is compared with costs."""
        return None if self.aim.costs is None else self.answered_by(name).cost(self.aim.costs)

    @cached_property
    def savings(self) -> dict[str, Estimate]:
        """What it saves against each of them, on all rows together; nothing without costs."""
        prices = self.aim.prices
        if prices is None:
            return {}
        return {
            name: saved(self.ranking, way, self.way, prices, seed=self.seed)
            for name, way in self.against.items()
        }

    @property
    def saving_against(self) -> str:
        """What `saving` is measured from: as is, or the cheaper of all positive and all negative."""
        if AS_IS in self.against:
            return AS_IS
        positive, negative = self.cost_of(POSITIVE), self.cost_of(NEGATIVE)
        return POSITIVE if positive is not None and negative is not None and positive < negative else NEGATIVE

    @property
    def saving(self) -> float | None:
        """In total; None without costs."""
        return self.savings[self.saving_against].value if self.savings else None

    @cached_property
    def metrics(self) -> dict[str, Estimate]:
        """Rates of the answers given, each with its interval; rows that are declined have no part in them."""
        asked = [constraint.metric for constraint in self.aim.constraints]
        if self.aim.costs is None:
            asked.insert(0, self.aim.objective)
        return rates(self.ranking, self.way, tuple(dict.fromkeys((*asked, *_SHOWN))))

    # --- beside it ---------------------------------------------------------------------------------

    @cached_property
    def closed_form(self) -> ClosedForm | None:
        """Where to cut calibrated probabilities; None without costs."""
        return None if self.aim.costs is None else closed_form(self.aim.costs)

    @property
    def no_probabilities(self) -> str | None:
        """Why the scores are no probabilities, if they are none."""
        return self.votes or self.ranking.scores.no_probabilities

    @property
    def closed_threshold(self) -> float | None:
        """The closed form as a threshold for these scores, when they can be probabilities."""
        form = self.closed_form
        if form is None or form.threshold is None or self.no_probabilities:
            return None
        return self._on_these(form.threshold)

    def _on_these(self, probability: float) -> float:
        """A threshold for probabilities at the class shares asked for, as one for these scores.

        Probabilities that are right at the shares of the sample are others at other shares.
        """
        share = self.ranking.share
        if share is None or self.no_probabilities or not 0 < probability < 1:
            return probability
        return at_prevalence(probability, sample=share, other=self.ranking.scores.prevalence)

    @property
    def chow(self) -> tuple[float, float] | str | None:
        """Between which of these scores to decline when they are calibrated; or why there are none such."""
        if self.aim.costs is None or self.aim.reject_cost is None:
            return None
        try:
            lower, upper = chow_thresholds(self.aim.costs, self.aim.reject_cost)
        except OptionError as problem:
            return problem.message
        return self._on_these(lower), self._on_these(upper)

    @property
    def optimistic(self) -> str | None:
        """That it was chosen on the very rows it is reported on; None when it was not."""
        if self.elsewhere is not None or self.given:
            return None
        best = "cost" if self.aim.costs is not None else self.aim.objective
        flattered = list(dict.fromkeys([best, *(each.metric for each in self.aim.constraints)]))
        *others, last = (f"the {name}" for name in flattered)
        what = f"{', '.join(others)} and {last} here are" if others else f"{last} here is"
        what += " optimistic"
        if self.chosen_on is not None:
            return f"The rows it was chosen on are the very rows reported on, so {what}."
        chosen = "threshold was" if self.region is None else "two thresholds were"
        return f"The {chosen} chosen on these very rows, so {what}."

    @cached_property
    def cross_fitted(self) -> CrossFitted | str | None:
        """What a threshold chosen this way does to rows it was not chosen on; or why that is not known."""
        if self.elsewhere is not None or self.given:
            return None
        return cross_fitted(self.ranking, self.aim, self.against, seed=self.seed)

    @property
    def formula(self) -> tuple[str, ...]:
        """The expected cost as the textbooks have it, with the numbers in it; nothing without costs."""
        if self.aim.costs is None:
            return ()
        return formula(self.answered.counts, self.aim.costs)

    @cached_property
    def curve(self) -> ExpectedCost | ThresholdCurve:
        """What was looked at: the cost, or the metric, at every threshold of the rows reported on."""
        if self.aim.costs is None:
            return ThresholdCurve(self.scores, self.aim.objective)
        return ExpectedCost(self.scores, self.aim.costs)

    # --- handed on ---------------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """Counts and costs, or the metric, at every threshold, as a data frame."""
        return self.curve.table(library)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an infinite threshold is null."""
        from tallymark.decisions.form import form_of

        return form_of(self)

    def document(self) -> Document:
        """All of it in words and tables, for any pen to draw."""
        from tallymark.decisions.words import describe

        return describe(self)

    def figure(self) -> Figure:
        """The cost, or the metric, against the threshold, and the ROC curve with the line of equal cost."""
        from tallymark.decisions.figures import decision_figure

        return decision_figure(self)

    def report(self) -> Document:
        """All of it with the picture, as a page."""
        return illustrated(self.document(), self.figure())

    def glance(self) -> Document:
        """The same: all of it is about one choice."""
        return self.report()

    def plot(self, ax: Any = None) -> Any:
        """Draw the figure on the axes given, one for each panel, or on new ones, and hand them back."""
        return drawn(self.figure(), ax)

    def __repr__(self) -> str:
        cost = "" if self.cost is None else f", cost {self.cost:g}, saving {self.saving:g}"
        between = "" if self.region is None else f", declined from {self.region[0]:g}"
        return f"Decision(threshold {self.threshold:g}{between}{cost})"
