"""What is said on the page of a learning curve and in no table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from tallymark.drawing import count, number, with_interval
from tallymark.evaluation.report.models import MOST_NAMED, named
from tallymark.tallies.labels import quoted
from tallymark.validation.learning.outputs.description import more_data
from tallymark.validation.page import PageWords, Shown

if TYPE_CHECKING:
    from tallymark.validation.learning.result import LearningCurve


def page_words(curve: LearningCurve) -> PageWords:
    """Of models that learned from more and more rows."""
    return PageWords(
        f"Learning curve of {named(list(curve.models))}",
        " ".join(_lead(curve)),
        {"learning-curve": lambda: Shown("Learning curve", _risen(curve), curve.metric, "above")},
    )


def _lead(curve: LearningCurve) -> Iterator[str]:
    last = int(curve.sizes[-1])
    said = []
    for name, model in islice(curve.models.items(), MOST_NAMED):
        mean = model.points[-1].mean
        value = with_interval(mean.value, mean.low, mean.high)
        said.append(f"{quoted(name)} has {curve.metric} {value}")
    yield f"After learning {count(last)} rows {', '.join(said)}."
    if all(isinstance(model.law, str) for model in curve.models.values()):
        yield "What more rows would buy cannot be said."
    elif len(curve.models) <= MOST_NAMED:
        yield from islice(more_data(curve), len(curve.models))


def _risen(curve: LearningCurve) -> str:
    said = []
    for name, model in curve.models.items():
        first, last = model.points[0], model.points[-1]
        start = f"{number(first.mean.value)} at {count(first.size)} training rows"
        said.append(f"{quoted(name)} from {start} to {number(last.mean.value)} at {count(last.size)}")
    return f"{curve.metric}: {'; '.join(said)}."
