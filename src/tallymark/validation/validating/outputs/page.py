"""What is said on the page of a validation and in no table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import count, number, with_interval
from tallymark.evaluation.report.models import MOST_NAMED, named
from tallymark.metrics import ask
from tallymark.tallies.labels import quoted
from tallymark.validation.page import PageWords, Shown

if TYPE_CHECKING:
    from tallymark.inference import Estimate
    from tallymark.validation.validating.result import Validation
    from tallymark.validation.validating.summary import Summary


def page_words(validation: Validation) -> PageWords:
    """Of models on the folds of one data set."""
    evs = validation.evaluations
    return PageWords(
        f"Validation of {named(list(validation.models))}",
        " ".join(_lead(validation)),
        {
            "folds": lambda: Shown("Fold by fold", _folds(validation), "Result"),
            "training": lambda: Shown("Rows learned and rows tested", _training(validation), "Result"),
            "split": lambda: Shown("Which rows train and which test", _split(validation), "Folds"),
        },
        {"": next(iter(evs.values()))} if len(validation.models) == 1 and evs else evs,
        _pooled(validation),
    )


def of_folds(validation: Validation, summary: Summary) -> Estimate:
    """The number to believe: the mean of the folds, or that of the only fold."""
    return summary.mean if len(validation.folds) > 1 else summary.pooled


def _lead(validation: Validation) -> Iterator[str]:
    metric = validation.metric
    found = {name: of_folds(validation, model[metric]) for name, model in validation.models.items()}
    told = list(found)
    if len(found) > MOST_NAMED:
        sign = -1 if ask(metric).metric.better == "lower" else 1
        known = {name: each.value for name, each in found.items() if each.value is not None}
        told = sorted(known, key=lambda name: -sign * known[name])
        told = [told[0], told[-1]] if len(told) > 1 else told
        yield f"Of {len(found)} models the best and the worst in these folds:"
    yield f"{'; '.join(_of_model(name, metric, found[name]) for name in told)}."
    folds = len(validation.folds)
    where = f"the mean of {count(folds)} folds" if folds > 1 else "of one fold"
    yield f"That is on rows that were not learned, {where}."
    base = None if validation.baseline is None else of_folds(validation, validation.baseline[metric]).value
    if base is not None:
        yield f"Always answering the most frequent class gives {number(base)}."


def _of_model(name: str, metric: str, estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{metric} of {quoted(name)} is undefined: {estimate.why}"
    return f"{quoted(name)} has {metric} {with_interval(estimate.value, estimate.low, estimate.high)}"


def _folds(validation: Validation) -> str:
    said = []
    for name, model in validation.models.items():
        summary = model[validation.metric]
        values = [value for value in summary.values if value is not None]
        if values:
            spread = f"from {number(min(values))} to {number(max(values))}"
            found = of_folds(validation, summary)
            mean = with_interval(found.value, found.low, found.high)
            said.append(
                f"{quoted(name)} {spread}, mean {mean}" if len(values) > 1 else f"{quoted(name)} {mean}"
            )
    told = f": {'; '.join(said)}" if said else " is undefined in every fold"
    return f"{validation.metric}{told}."


def _training(validation: Validation) -> str:
    said = [
        f"{quoted(name)} {number(summary.training)} and {number(of_folds(validation, summary).value)}"
        for name, model in validation.models.items()
        if (summary := model[validation.metric]).training is not None
    ]
    if not said:
        return f"{validation.metric} of the rows learned is not known."
    return f"{validation.metric} of the rows learned and of the test rows: {'; '.join(said)}."


def _split(validation: Validation) -> str:
    folds = validation.folds
    size = (
        f"{count(len(folds))} {'folds' if len(folds) > 1 else 'fold'} of {count(validation.data.rows)} rows"
    )
    return f"{folds.method[:1].upper()}{folds.method[1:]}: {size}."


def _pooled(validation: Validation) -> str:
    if len(validation.folds) == 1:
        return "What the models answered to the test rows."
    return (
        "What the models of all folds answered to their test rows, taken as the answers of one model. "
        "Intervals of this part are too narrow for learners that change with their training rows; that of "
        "the mean of folds, above, is the one to believe. Scores of other folds are on scales of their own, "
        "so curves are rough."
    )
