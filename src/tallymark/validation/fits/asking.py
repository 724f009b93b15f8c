"""What is asked of fits, checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.errors import LabelError, MetricError, OptionError
from tallymark.inference import NAME_THE_POSITIVE
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.metrics import Asked
from tallymark.tallies.labels import listed
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit
from tallymark.validation.fits.scoring import Scorer


def with_costs(data: DataSet, costs: CostsGiven | None, *, stated: bool) -> tuple[DataSet, CostsGiven | None]:
    """Costs in the order of the labels, read once, and the data with what each answer costs as a note.

    A bare matrix is taken only in an order that was stated.
    """
    if costs is None:
        return data, None
    found = read_costs(costs, labels=data.labels, order_stated=stated)
    return replace(data, notes=(*data.notes, f"costs: {'; '.join(found.words())}.")), found.matrix


def answerable(data: DataSet, asked: Iterable[Asked], costs: CostsGiven | None = None) -> None:
    """Refuse a number that these data cannot have, however good the model."""
    _, rows = np.unique(data.actual, return_index=True)  # a row of each class, which is all that matters
    perfect = Fit(data.actual[rows], np.eye(len(data.labels))[data.actual[rows]])
    for each in asked:
        if each.metric.about == "sets":
            raise MetricError(f"{each.name!r} is about rows with several labels; these have one each.")
        if each.metric.needs_costs and costs is None:
            raise OptionError(f"{each.name} needs costs.", hint="pass costs= (--costs).")
        if Scorer(data, each, costs).of(rows, perfect).why == NAME_THE_POSITIVE:
            raise _unnamed(each, data)


def scored_by(
    scoring: str | Sequence[str] | None, metric: str, metrics: Sequence[str] = ()
) -> tuple[str, Sequence[str]]:
    """What is asked for: `scoring` is scikit-learn's word for the metric, or for the metric and others."""
    if scoring is None:
        return metric, metrics
    if metric != "accuracy" or metrics:
        raise OptionError("scoring and metric are two words for one thing; pass one of them.")
    named = [scoring] if isinstance(scoring, str) else scoring
    if not isinstance(named, list | tuple) or not named or not all(isinstance(each, str) for each in named):
        raise OptionError(f"scoring is the name of a metric, or a list of names; got {scoring!r}.")
    return named[0], named[1:]


def scored_by_one(scoring: str | None, metric: str) -> str:
    """The same where there is place for one number."""
    name, others = scored_by(scoring, metric)
    if others:
        raise OptionError(f"one metric is asked for here; got {scoring!r}.")
    return name


def directed(asked: Asked) -> Asked:
    """A metric of which more, or less, is better."""
    if asked.metric.better == "neither":
        raise OptionError(
            f"more of {asked.name} is neither better nor worse, so nothing can be judged by it.",
            hint="take a metric that has a direction, such as accuracy or balanced_accuracy.",
        )
    return asked


def checked_sampler(sampler: Any) -> Any:
    """Something that resamples training rows, or nothing."""
    if sampler is not None and not callable(getattr(sampler, "fit_resample", None)):
        raise OptionError(f"a sampler has the method fit_resample; got {sampler!r}.")
    return sampler


def _unnamed(asked: Asked, data: DataSet) -> LabelError:
    hint = f"name it: pos_label={data.labels[-1]!r} (--positive {data.labels[-1]})"
    if asked.metric.about == "class":
        hint += f"; or take the average of all classes: {asked.metric.name}_macro"
    elif len(data.labels) > 2 and asked.metric.name == "auc":
        hint += "; or take all classes together: auc_ovr_macro"
    return LabelError(
        f"{asked.name} is about one class, the positive one; the labels are {listed(data.labels)}.",
        hint=f"{hint}.",
    )
