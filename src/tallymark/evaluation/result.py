"""`Evaluation`: what the user holds. Every number is worked out when it is first asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from tallymark.drawing.notebook import Glanced
from tallymark.errors import MetricError, OptionError
from tallymark.evaluation.classes import ClassResult
from tallymark.evaluation.curved import Curved
from tallymark.evaluation.numbered import NO_SCORES, Numbered
from tallymark.evaluation.ranked import VOTES
from tallymark.evaluation.slices import Part, Slice
from tallymark.inference import NAME_THE_POSITIVE, Ranking, SetSample, undefined
from tallymark.inference.progress import steps
from tallymark.intake.costs import CostsGiven
from tallymark.metrics import FROM_SCORES, ask
from tallymark.tallies import Label
from tallymark.tallies.confusion import Share
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.curves import (
        Calibration,
        ClassThresholds,
        ConfusedPairs,
        Distribution,
        OneVsRest,
        Rejection,
    )
    from tallymark.decisions import ClassDecision, Decision
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation.curves import Curves
    from tallymark.evaluation.worst import WorstErrors
    from tallymark.explanation import Explanation
    from tallymark.findings import Finding
    from tallymark.inference.recalibration.gain import Recalibration
    from tallymark.metrics.calibration import Strategy

OWN_OF_ALL = "a metric of your own is worked out from all rows as they came"
_HOW_TO_RANK = {
    NO_SCORES: "pass y_score=, or name the column with score= (--score).",
    NAME_THE_POSITIVE: "pos_label= (--positive), or ask one class: ev.per_class[label].roc.",
}


@dataclass(frozen=True, eq=False)
class Evaluation(Numbered, Curved, Glanced):
    """Everything that can be said about a classifier from its tally.

    >>> from tallymark import Confusion
    >>> ev = Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")
    >>> round(ev["accuracy"].value, 3)
    0.905
    """

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """The rows of every slice asked for, evaluated on their own."""
        return tuple(self.each_slice())

    def each_slice(self) -> Iterator[Slice]:
        """The slices one by one, not kept: each holds its draws as long as it lives."""
        by = Counter(tuple(part.key) for part in self.sliced)
        for at in steps(len(self.sliced), "evaluating slices"):
            part = self.sliced[at]
            yield Slice(part.key, self._of_slice(part), self, by[tuple(part.key)])

    def _of_slice(self, part: Part) -> Evaluation:
        own = {name: undefined(OWN_OF_ALL) for name in self.own}
        # Copies, so that draws and rankings are not kept with the counts.
        counted = None if part.counted is None else replace(part.counted)
        ranked = None if part.ranked is None else part.ranked.anew()
        ev = replace(
            self, rows=part.rows, dropped={}, notes=(), sliced=(), own=own, encode=None, ranked=ranked
        )
        if isinstance(counted, SetSample):
            return replace(ev, sets=counted)
        return replace(ev, sample=counted)

    def __copy__(self) -> Evaluation:
        return self

    def __deepcopy__(self, memo: object) -> Evaluation:
        # Nothing of it can change; a pickle, which copies would go through, has no rows.
        return self

    @cached_property
    def per_class(self) -> dict[Label, ClassResult]:
        """Every class against the rest."""
        if self.counted is None and self.ranked is None:
            return {}
        classes = [None] * len(self.labels) if self.counted is None else self.counted.classes
        tallies = zip(self.labels, classes, strict=True)
        return {
            label: ClassResult(label, tally, self, position)
            for position, (label, tally) in enumerate(tallies)
        }

    # --- curves ------------------------------------------------------------------------------

    def curves_of(self, position: int | None) -> Curves:
        """All curves of one class."""
        from tallymark.evaluation.curves import Curves

        found = self.known(self.ranking(position))
        assert position is not None
        assert self.ranked is not None
        # With more classes than two, other shares make other weights, which the rows do not have.
        as_came = self.ranked.shares is None or len(self.labels) == 2
        rows = self.ranked.rows if as_came else None
        cut = self.threshold if position == self.position else None
        probabilities = self.ranked.probabilities(position, found)
        return Curves(found, probabilities, rows, position, cut, VOTES if self.ranked.voters else None)

    @cached_property
    def curves(self) -> Curves:
        """All curves of the positive class."""
        return self.curves_of(self.position)

    def known(self, found: Ranking | str) -> Ranking:
        """A ranking, if it is one; else the error that says why not and what to do."""
        if isinstance(found, str):
            hint = _HOW_TO_RANK.get(found)
            raise OptionError(f"there is no curve: {found}.", hint=hint, about_data=hint is None)
        return found

    @property
    def rejection(self) -> Rejection:
        """Which share is right when the rows that are least clear are left to somebody else.

        With one probability per class a row is clear by as much as the best one is above the second best.
        """
        from tallymark.evaluation.answers import rejection

        return rejection(self) or super().rejection

    def calibration_as(self, n_bins: int = 10, strategy: Strategy = "width") -> Calibration:
        """The same in so many bins, of equal width or of equal mass.

        With more classes than two, of the answers: how often an answer of that probability is right.
        """
        from tallymark.evaluation.answers import calibration

        return calibration(self, n_bins, strategy)

    def distribution_as(self, n_bins: int = 20) -> Distribution:
        """The same in so many bins.

        With more classes than two, of the answers: how probable the right ones and the wrong ones were.
        """
        from tallymark.evaluation.answers import distribution

        return distribution(self, n_bins)

    @property
    def recalibration(self) -> Recalibration:
        """What probabilities would gain by being recalibrated, on rows that were not fitted to."""
        from tallymark.evaluation.answers import recalibration

        return recalibration(self)

    @property
    def one_vs_rest(self) -> OneVsRest:
        """The ROC curve of every class, and which classes are recognised best."""
        from tallymark.evaluation.answers import one_vs_rest

        return one_vs_rest(self)

    def class_thresholds(self, metric: str = "f1") -> ClassThresholds:
        """Of every class the threshold of its score at which a number about it is best."""
        from tallymark.evaluation.answers import thresholds_of_classes

        return thresholds_of_classes(self, metric)

    def confused_pairs(self, most: int = 10) -> ConfusedPairs:
        """The classes that are most often taken for each other."""
        from tallymark.evaluation.answers import pairs

        return pairs(self, most)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful teacher would point out."""
        from tallymark.findings import find_all

        return find_all(self)

    # --- pictures ----------------------------------------------------------------------------

    def figure(self, kind: str = "roc") -> Figure:
        """A picture described for any pen, by its kind: roc, one-vs-rest, pr, roc+pr, gains, lift, threshold,
        confusion, rejection, calibration, distribution, cost or decision."""
        from tallymark.evaluation.pictures import figure

        return figure(self, kind)

    def plot(self, kind: str = "roc", ax: Any = None) -> Any:
        """Draw a picture on matplotlib axes, new ones unless given, and return them."""
        from tallymark.drawing.plots.pen import draw

        return draw(self.figure(kind), ax)

    def at_prevalence(self, prevalence: float | Mapping[Label, float]) -> Evaluation:
        """The same rates under another class distribution.

        The share of the positive class, and all others keep their proportions; or a share for every label.
        """
        from tallymark.evaluation.prevalence import at_prevalence

        return at_prevalence(self, prevalence)

    def decide(
        self,
        costs: CostsGiven | None = None,
        *,
        reject_cost: float | None = None,
        minimum: Mapping[str, float] | None = None,
        maximum: Mapping[str, float] | None = None,
        on_lower_bound: bool = False,
        best: str | None = None,
        choose_on: Evaluation | None = None,
        threshold: float | None = None,
    ) -> Decision | ClassDecision:
        """The cheapest threshold over all of them, or the reject region, and what it saves.

        `costs` as for `evaluate`, whose costs are taken unless others are given. `reject_cost` is what it
        costs to decline a row. `minimum={"recall": 0.9}` and `maximum` restrict the thresholds,
        `on_lower_bound` by the lower end of the interval; `best` names what is best among the rest, the
        costs unless said, and without costs F1. `choose_on` is an evaluation of other rows to choose on.
        `threshold` is one to take as it is: what it costs, and what it saves.
        With more than two classes it is the cheapest class of every row, from its probabilities.
        """
        from tallymark.evaluation.deciding import decided

        return decided(
            self,
            costs,
            reject_cost,
            minimum=minimum,
            maximum=maximum,
            on_lower_bound=on_lower_bound,
            best=best,
            choose_on=choose_on,
            threshold=threshold,
        )

    def explain(self, name: str) -> Explanation:
        """The formula of a number with this evaluation's numbers in it."""
        from tallymark.explanation import explain, explain_ranked

        if name in self.own:
            raise MetricError(f"{name!r} is a function of your own; there is no formula to show.")
        asked = ask(name)
        if asked.metric.about in FROM_SCORES:
            return explain_ranked(*self._found(asked, self.position))
        return explain(asked, self.counted, self.position_for(asked))

    def worst_errors(self, most: int = 20) -> WorstErrors:
        """The rows that were answered wrongly with the surest answers, the surest first.

        It takes scores, and the rows themselves: counts have none.
        """
        from tallymark.evaluation.worst import worst_errors

        return worst_errors(self, most)

    # --- on paper ----------------------------------------------------------------------------

    def document(self, *, normalize: str | None = None, extra: tuple[str, ...] = ()) -> Document:
        """This evaluation described for any pen."""
        from tallymark.evaluation.description import describe

        self._check_normalize(normalize)
        return describe(self, normalize=normalize, extra=extra)

    def report(self, *, title: str = "", worst: int | None = None) -> Document:
        """The whole page about this evaluation, as `save("x.html")` writes it.

        `worst=20` lists the 20 worst errors as well, which are rows of the data.
        """
        from tallymark.evaluation.report import describe

        return describe({"": self}, title=title, worst=worst)

    def glance(self) -> Document:
        """The first screen of the report: the verdict, what was found, the main numbers and the matrix."""
        from tallymark.evaluation.report import glance

        return glance({"": self})

    def _check_normalize(self, by: str | None) -> None:
        if by not in (None, *get_args(Share)):
            raise OptionError(f"normalize must be one of {', '.join(get_args(Share))}; got {by!r}.")
        if by is not None and self.sets is not None:
            raise OptionError("rows have several labels here, so there is no matrix to normalize.")

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self.document())

    def __repr__(self) -> str:
        positive = "" if self.positive is None else f", positive {quoted(self.positive)}"
        return f"Evaluation({self.task}, {self.rows:,} rows, {len(self.labels)} labels{positive})"

    def to_dict(self, *, normalize: str | None = None, extra: tuple[str, ...] = ()) -> dict[str, Any]:
        """The JSON document as Python values."""
        from tallymark.evaluation.form import to_form

        self._check_normalize(normalize)
        return to_form(self, normalize=normalize, extra=extra)

    def to_json(self) -> str:
        """The JSON document (schema `tallymark/evaluation/1`)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_frame(self, library: str | None = None, *, extra: tuple[str, ...] = ()) -> Any:
        """One row per number, in your data frame library: pandas, polars or pyarrow.

        That is the library the data came in, unless another is named; polars when it came in none.
        """
        from tallymark.evaluation.frame import to_frame

        return to_frame(self, library, extra=extra)

    def save(self, path: str | Path, *, overwrite: bool = False, title: str = "") -> None:
        """Write the evaluation whole or not at all; the suffix sets the format.

        The report as .html, with `title` as its heading, .txt, .md or .tex, the JSON document as .json, and
        as .csv the table of `to_frame`. There are many pictures of it: `ev.roc.save("roc.png")` is one.
        """
        from tallymark.evaluation.saving import refuse_picture, report, save

        refuse_picture(path)
        save(path, {**report(self, title=title), ".json": self.to_json}, overwrite=overwrite, title=title)
