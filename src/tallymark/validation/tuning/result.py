"""`Tuning`: what was tried, what was chosen, and what the choice is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tallymark.evaluation import Evaluation
from tallymark.inference import Estimate
from tallymark.resampling.folds import Folds
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.described import Described
from tallymark.validation.fits.fitting import Fit, Task, trained
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.tuning.given import Trials
from tallymark.validation.tuning.search import Searched, Tried
from tallymark.validation.validating.summary import Sizes, Summary, mean_of_folds
from tallymark.validation.validating.validated import Validated

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.validation.page import PageWords

SCHEMA = "tallymark/tuning/1"
BEST_OF_MANY = "the best of several numbers on the same rows flatters itself, so it has no honest interval"
ONE_SPLIT = "one split does not show how much splits vary"


@dataclass(frozen=True)
class Stopped:
    """What early stopping saved."""

    saved: int
    """Fits of candidates that were given up; the choice is the same as with them."""
    of: int
    """Fits of all candidates in all searches."""
    draws: int | None
    """How many were asked for, of each model, where 59 were enough."""


@dataclass(frozen=True, eq=False)
class Tuning(Described):
    """A choice among candidates, and an honest estimate of choosing this way.

    `best_params` and `best_model` are to be used. `inner` is what the winners promised where they were
    chosen, `outer` what they kept on rows that took no part, and `optimism` is the difference.
    """

    method: str
    """"nested" or "three-way"."""
    data: DataSet
    scorer: Scorer
    trials: Trials
    folds: Folds
    """The outer folds; one that tests the test rows when the method is three-way."""
    inner_folds: Folds
    """How the rows of the search that chose were cut; three-way, one that tests the validation rows."""
    search: Searched
    """The search that chose: on all rows when nested, else on training and validation rows."""
    inner_searches: tuple[Searched, ...]
    """One for each outer fold, on its training rows alone."""
    fits: tuple[Fit, ...]
    """What the winner of each said about the outer test rows."""
    final: Task
    """The fit that gives the model to use."""
    level: float = 0.95
    early_stop: bool = False
    earlier: Sequence[Mapping[str, Any]] = ()
    """Records of earlier runs on these data in the run folder."""

    def __repr__(self) -> str:
        return f"Tuning({dict(self.best_params)!r}; {self.metric} {self.outer})"

    def __getitem__(self, metric: str) -> Summary:
        """Any number of the winners on the outer test rows."""
        return self.validated[metric]

    @property
    def library(self) -> str | None:  # type: ignore[override]
        return self.data.library

    @property
    def fingerprint(self) -> str:
        """What tells these outer folds of these rows from others; that of `validate` on the same folds."""
        return f"{self.folds.fingerprint}-{self.data.fingerprint}"

    @property
    def split(self) -> str:
        """How the rows of a search were cut, in words."""
        return self.inner_folds.method

    @property
    def metric(self) -> str:
        return self.scorer.asked.name

    @property
    def better(self) -> str:
        return self.scorer.asked.metric.better

    # --- the choice ------------------------------------------------------------------------------

    @property
    def candidates(self) -> tuple[Tried, ...]:
        """Every candidate in the order it was tried, with what it scored in the search that chose."""
        return self.search.tried

    @property
    def best(self) -> Tried:
        """The winner."""
        assert self.search.winner is not None
        return self.search.winner

    @property
    def best_name(self) -> str:
        """Of the model that won."""
        return self.best.candidate.name

    @property
    def best_params(self) -> dict[str, Any]:
        """By the names they were given by."""
        return self.best.candidate.given

    @property
    def best_score(self) -> float:
        """What the winner scored where it was chosen: optimistic."""
        assert self.best.mean is not None
        return self.best.mean

    @cached_property
    def best_model(self) -> Any:
        """The winner, trained when first asked for: on all rows when nested, else on all but test rows."""
        return trained(self.final, self.data.at(self.final.train))[0]

    # --- what it is worth --------------------------------------------------------------------------

    @cached_property
    def validated(self) -> Validated:
        """The winners as one model over the outer folds: choosing is part of the training."""
        return Validated(
            "the chosen",
            "",
            self.data,
            self.folds,
            Sizes.of(self.folds),
            self.fits,
            (self.scorer.asked,),
            self.scorer.costs,
            self.level,
            self.final.seed[0],
        )

    @property
    def evaluation(self) -> Evaluation:
        """Of the outer test rows together, none of which took part in the choice that was tried on it."""
        return self.validated.evaluation

    @property
    def inner_values(self) -> tuple[float | None, ...]:
        """What the winner of every outer fold scored inside its training rows."""
        return tuple(None if each.winner is None else each.winner.mean for each in self.inner_searches)

    @property
    def outer_values(self) -> tuple[float | None, ...]:
        """What the same winners scored on the outer test rows."""
        return self.validated[self.metric].values

    @cached_property
    def inner(self) -> Estimate:
        """What the winners promised: the mean over the outer folds of what they scored where chosen."""
        known = [value for value in self.inner_values if value is not None]
        if not known:
            return Estimate(None, self.level, why=self.inner_searches[0].why)
        return Estimate(
            sum(known) / len(known), self.level, n=len(known), assumption=None, ends_at=lambda _: BEST_OF_MANY
        )

    @cached_property
    def outer(self) -> Estimate:
        """What they kept: the mean of the outer folds; of a three-way split the number of the test rows."""
        summary = self.validated[self.metric]
        return summary.mean if self.method == "nested" else summary.pooled

    @cached_property
    def optimism(self) -> Estimate:
        """By how much the promise was better than what was kept, paired by outer fold."""
        sign = -1.0 if self.better == "lower" else 1.0
        pairs = zip(self.inner_values, self.outer_values, strict=True)
        gaps = [None if a is None or b is None else sign * (a - b) for a, b in pairs]
        low, high = self.scorer.asked.metric.range
        found = mean_of_folds(
            gaps,
            Sizes.of(self.folds),
            limits=(low - high, high - low),
            level=self.level,
            why=f"no outer fold has both: {self.outer.why or self.inner.why}",
        )
        if self.method == "nested":
            return found
        return Estimate(
            found.value, self.level, n=1, assumption=None, why=found.why, ends_at=lambda _: ONE_SPLIT
        )

    # --- how sure the choice is -----------------------------------------------------------------------

    @cached_property
    def choices(self) -> tuple[tuple[Tried, int], ...]:
        """What the outer folds chose, most frequent first, and how often; how stable the choice is."""
        places = Counter(each.best for each in self.inner_searches if each.best is not None)
        order = sorted(places, key=lambda place: (-places[place], place))
        return tuple((self.search.tried[place], places[place]) for place in order)

    # --- what happened on the way ----------------------------------------------------------------------

    @property
    def searches(self) -> tuple[Searched, ...]:
        """All of them, the one that chose first."""
        return (self.search, *self.inner_searches) if self.method == "nested" else (self.search,)

    @property
    def n_fits(self) -> int:
        """Fits that were tried: of all searches, and of their winners."""
        asked = sum(each.winner is not None for each in self.inner_searches)
        return sum(each.fits for each in self.searches) + asked

    @property
    def stopped(self) -> Stopped | None:
        """What early stopping saved; None when it was not asked for."""
        if not self.early_stop:
            return None
        saved, made = (sum(getattr(each, name) for each in self.searches) for name in ("saved", "fits"))
        return Stopped(saved, saved + made, self.trials.draws)

    @property
    def failed(self) -> int:
        """Fits that raised an error."""
        return len(self.failures)

    @cached_property
    def failures(self) -> tuple[str, ...]:
        """Their errors, in a line each."""
        tried = (one for search in self.searches for each in search.tried for one in each.failures)
        chosen = zip(self.fits, self.inner_searches, strict=True)
        winners = (fit.failure for fit, found in chosen if fit.failure and found.winner is not None)
        return (*tried, *winners)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know, in sentences."""
        from tallymark.validation.tuning.outputs.notes import notes

        return tuple(notes(self))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader of the protocol would point out, each with a code and the numbers."""
        from tallymark.validation.audit import audited
        from tallymark.validation.audit.checks import groups_across
        from tallymark.validation.audit.protocol import Protocol

        models = {each.candidate.name: each.candidate.model for each in self.candidates}
        fits = {self.validated.name: self.fits}
        found = audited(Protocol(self.data, self.folds, (self.metric,), models, fits, self.earlier))
        inner = groups_across.check(Protocol(self.data, self.inner_folds))
        if inner is None:
            return found
        said = replace(inner, message=f"inner folds: {inner.message}")
        return tuple(sorted((*found, said), key=lambda each: each.code))

    # --- outputs ------------------------------------------------------------------------------------

    def document(self) -> Document:
        from tallymark.validation.tuning.outputs.description import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        from tallymark.validation.tuning.outputs.form import to_form

        return to_form(self)

    def columns(self) -> Mapping[str, Any]:
        from tallymark.validation.tuning.outputs.form import columns

        return columns(self)

    def page_words(self) -> PageWords:
        from tallymark.validation.tuning.outputs.page import page_words

        return page_words(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        from tallymark.validation.tuning.figures import figures

        return figures(self)
