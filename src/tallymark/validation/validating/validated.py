"""`Validated`: what one model said about the test rows of every fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.inference import undefined
from tallymark.intake.costs import CostsGiven
from tallymark.intake.ids import Values, as_text
from tallymark.metrics import Asked, ask
from tallymark.resampling.folds import Folds, Ints
from tallymark.tallies import Confusion, Keyed
from tallymark.tallies.labels import quoted
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit, Floats
from tallymark.validation.fits.scoring import Scorer, Value, evaluated, numbers_from_scores
from tallymark.validation.validating.summary import (
    Sizes,
    Summary,
    deviation,
    gain_over,
    infinite,
    mean_of_folds,
    pooled_of,
    undefined_everywhere,
)

if TYPE_CHECKING:
    from tallymark.resampling.efron import Bootstrap632

_TOTALS = ("total_cost",)
"""Numbers that grow with the rows, so that a fold's and those of all rows are not alike."""


@dataclass(frozen=True, eq=False)
class Validated:
    """One model, fitted on the training rows of every fold and asked about its test rows.

    `validated["auc"]` is any number over the folds. Fitted models are not kept.
    """

    name: str
    pipeline: str
    """The model in words."""
    data: DataSet
    folds: Folds
    sizes: Sizes
    fits: tuple[Fit, ...]
    """One for each fold."""
    metrics: tuple[Asked, ...]
    """The numbers asked for, the most important first."""
    costs: CostsGiven | None = None
    level: float = 0.95
    seed: int = 0
    baseline: Validated | None = None
    apparent: Fit | None = None
    """Of a bootstrap: the fit on all rows, asked about the same."""
    way_out: str | None = None
    """What may help where fits failed."""

    def __getstate__(self) -> dict[str, Any]:
        """Without what was worked out on the way, which can be worked out again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __getitem__(self, metric: str) -> Summary:
        asked = ask(metric)
        if asked.name not in self._summaries:
            self._summaries[asked.name] = self._summary(asked)
        return self._summaries[asked.name]

    def __repr__(self) -> str:
        return f"Validated({quoted(self.name)}, {len(self.fits):,} fits; {self[self.metrics[0].name]})"

    def mean_value(self, metric: str) -> float | None:
        """The mean of a number over the folds, for which no more than one fold is looked at at a time."""
        found = self._values(ask(metric))
        known = [value for value, _ in found if value is not None]
        return float(np.mean(known)) if known and infinite([why for _, why in found]) is None else None

    def only(self, folds: Sequence[int]) -> Validated:
        """The same of some of the folds."""
        kept = Folds(tuple(self.folds.folds[place] for place in folds), self.folds.rows, self.folds.method)
        fits = tuple(self.fits[place] for place in folds)
        return replace(self, folds=kept, sizes=Sizes.of(kept), fits=fits, baseline=None, apparent=None)

    @property
    def failed(self) -> int:
        """Fits that raised an error."""
        return sum(fit.failure is not None for fit in self.fits)

    @property
    def seconds(self) -> float:
        """Mean time of a fit."""
        return self._mean_seconds("fit_seconds")

    @property
    def ask_seconds(self) -> float:
        """Mean time to answer the test rows of a fold."""
        return self._mean_seconds("ask_seconds")

    def _mean_seconds(self, which: str) -> float:
        made = [getattr(fit, which) for fit in self.fits if fit.failure is None]
        return float(np.mean(made)) if made else 0.0

    @cached_property
    def _summaries(self) -> dict[str, Summary]:
        return {}

    # --- tallies -----------------------------------------------------------------------------

    @cached_property
    def tally(self) -> Keyed[Confusion]:
        """The counts of every fold, by run and fold, both from 1 up; a fold whose fit failed has none."""
        keys = places(self.folds)
        made = [(key, counts) for key, counts in zip(keys, self._counts, strict=True) if counts is not None]
        return Keyed({key: self._confusion(counts) for key, counts in made})

    @cached_property
    def training(self) -> Confusion | None:
        """The counts of the rows learned, all folds together; None where nobody asked."""
        known = [fit.training for fit in self.fits if fit.training is not None]
        return self._confusion(np.sum(known, axis=0)) if known else None

    @cached_property
    def _counts(self) -> list[NDArray[np.int64] | None]:
        size = len(self.data.labels)
        found: list[NDArray[np.int64] | None] = []
        for fold, fit in zip(self.folds.folds, self.fits, strict=True):
            cells = None if fit.failure is not None else self.data.actual[fold.test] * size + fit.answers
            counted = None if cells is None else np.bincount(cells, minlength=size * size)
            found.append(None if counted is None else counted.reshape(size, size))
        return found

    def _confusion(self, counts: NDArray[np.int64]) -> Confusion:
        flat = counts.ravel()
        cells = np.flatnonzero(flat)
        return Confusion.from_cells(self.data.labels, cells, flat[cells], declared=True)

    # --- all test rows together ----------------------------------------------------------------

    @cached_property
    def rows(self) -> Ints:
        """The test rows of all folds that were fitted, one fold after the other."""
        return np.concatenate([fold.test for fold, _ in self._made] or [np.empty(0, np.int64)])

    @cached_property
    def evaluation(self) -> Evaluation:
        """Of the test rows of all folds together.

        Rows that were tested several times are groups of their own, so that intervals do not take them for
        other rows. Ids are the user's, or the positions of rows, so that models can be compared row by row;
        of rows that were tested several times they name the fold as well.
        """
        if not len(self.rows):
            raise InputError(f"every fit of {quoted(self.name)} failed: {self.fits[0].failure}.")
        ids, groups = self.data.ids_at(self.rows), self._groups
        if len(np.unique(self.rows)) < len(self.rows):
            ids, groups = self._ids_in_folds, self.rows if groups is None else groups
        return evaluated(
            self.data,
            self.rows,
            np.concatenate([fit.answers for _, fit in self._made]),
            self._scores,
            ids=ids,
            groups=groups,
            costs=self.costs,
            confidence_level=self.level,
            random_state=self.seed,
        )

    @property
    def _ids_in_folds(self) -> Values:
        """Ids of rows that are tested several times, each time another."""
        fold = np.repeat(
            [place for place, fit in enumerate(self.fits) if fit.failure is None],
            [fold.n_test for fold, _ in self._made],
        )
        if self.data.ids is None:
            return np.asarray(self.rows + self.data.rows * fold)
        import polars as pl

        return as_text(self.data.ids_at(self.rows)) + " in fold " + pl.Series(fold + 1).cast(pl.String)

    @property
    def _made(self) -> list[tuple[Any, Fit]]:
        pairs = zip(self.folds.folds, self.fits, strict=True)
        return [(fold, fit) for fold, fit in pairs if fit.failure is None]

    @property
    def _groups(self) -> NDArray[Any] | None:
        """Groups of the test rows; a row about a pair is of no single group."""
        groups = self.data.groups
        if groups is None or groups.ndim > 1:
            return None
        mine = np.asarray(groups[self.rows])
        return mine if len(np.unique(mine)) > 1 else None

    @property
    def _scores(self) -> Floats | None:
        """None where some of the models gave none."""
        found = [fit.scores for _, fit in self._made]
        known = [scores for scores in found if scores is not None]
        alike = len(known) == len(found) and len({scores.ndim for scores in known}) == 1
        return np.concatenate(known) if alike else None

    # --- a number over the folds -----------------------------------------------------------------

    def _summary(self, asked: Asked) -> Summary:
        found = self._values(asked)
        values, whys = tuple(value for value, _ in found), tuple(why for _, why in found)
        known: dict[str, Any] = {"sizes": self.sizes, "level": self.level}
        gone = sum(value is None for value in values)
        remark = f"undefined in {gone:,} of {len(values):,} folds" if gone else None
        pooled = None
        if len(self.rows):
            pooled = pooled_of(self.evaluation.estimate(asked), asked, len(self._made))
        mean = mean_of_folds(
            values,
            **known,
            limits=asked.metric.range,
            why=undefined_everywhere(whys),
            remark=remark,
            instead="; pooled has one",
            pooled=None if asked.metric.name in _TOTALS else pooled,
        )
        gain = None
        if self.baseline is not None and asked.metric.better != "neither":
            gain = gain_over(values, self.baseline[asked.name].values, asked, **known)
        endless = infinite(whys)
        if endless is not None:
            mean = undefined(endless, self.level)
            gain = None if gain is None else mean
        scorer = Scorer(self.data, asked, self.costs)
        return Summary(
            asked.name,
            asked.metric.better,
            values,
            whys,
            mean,
            None if endless else deviation(values),
            mean if pooled is None else pooled,
            tuple(scorer.training_value(fit) for fit in self.fits),
            gain,
        )

    def _values(self, asked: Asked) -> list[Value]:
        scorer = Scorer(self.data, asked, self.costs)
        if scorer.from_scores:
            return self._values_from_scores(asked)
        return [
            _failed(fit) if counts is None else _value(scorer, counts)
            for fit, counts in zip(self.fits, self._counts, strict=True)
        ]

    def _values_from_scores(self, asked: Asked) -> list[Value]:
        """All numbers that are asked for at once, so that a fold is looked at once."""
        if asked.name not in self._from_scores:
            wanted = [each for each in self.metrics if Scorer(self.data, each).from_scores]
            wanted = [asked, *(each for each in wanted if each.name not in (asked.name, *self._from_scores))]
            found: dict[str, list[Value]] = {each.name: [] for each in wanted}
            for fold, fit in zip(self.folds.folds, self.fits, strict=True):
                numbers = (
                    {name: _failed(fit) for name in found}
                    if fit.failure is not None
                    else numbers_from_scores(wanted, self.data, fold.test, fit)
                )
                for name, value in numbers.items():
                    found[name].append(value)
            self._from_scores.update(found)
        return self._from_scores[asked.name]

    @cached_property
    def _from_scores(self) -> dict[str, list[Value]]:
        return {}

    # --- of a bootstrap ------------------------------------------------------------------------

    @cached_property
    def bootstrap(self) -> Bootstrap632 | None:
        """Efron's .632 and .632+ estimates of the error rate; None when folds are no bootstrap."""
        if self.apparent is None or self.apparent.failure is not None or not self._made:
            return None
        from tallymark.validation.validating.bootstrapped import bootstrapped

        return bootstrapped(self.data, self.apparent, self._made)


def _failed(fit: Fit) -> Value:
    return None, f"the fit failed: {fit.failure}"


def _value(scorer: Scorer, counts: NDArray[np.int64]) -> Value:
    found = scorer.of_counts(counts)
    return found.value, found.why


def places(folds: Folds) -> list[tuple[int, int]]:
    """The run and the fold within it, both from 1 up."""
    seen: dict[int, int] = {}
    found = []
    for fold in folds.folds:
        seen[fold.run] = seen.get(fold.run, 0) + 1
        found.append((fold.run + 1, seen[fold.run]))
    return found


def refuse_infinite(metric: str, models: Mapping[str, Validated]) -> None:
    """A number that is infinite in some folds cannot be compared by the others."""
    for name, model in models.items():
        endless = infinite(model[metric].whys)
        if endless is not None:
            raise OptionError(
                f"{metric} of {quoted(name)} is {endless}; comparing the other folds would flatter it.",
                hint="compare by another number, such as brier.",
            )


def fold_names(folds: Folds) -> list[str]:
    """What folds are called in a table: what they leave out, or their number."""
    several = len({fold.run for fold in folds.folds}) > 1
    numbered = [f"run {run}, fold {fold}" if several else str(fold) for run, fold in places(folds)]
    return [fold.name or number for fold, number in zip(folds.folds, numbered, strict=True)]
