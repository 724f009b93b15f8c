"""What is said on the page of an experiment and in no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.evaluation.report.models import named
from tallymark.metrics import ask
from tallymark.tallies.labels import quoted
from tallymark.validation.page import PageWords, Shown

if TYPE_CHECKING:
    from tallymark.validation.validating.experiment import Experiment


def page_words(experiment: Experiment) -> PageWords:
    """Of models on several data sets."""
    sets = len(experiment.data_sets)
    return PageWords(
        f"{named(experiment.models)} on {sets} data set{'s' if sets > 1 else ''}",
        _lead(experiment),
        {
            "intervals": lambda: Shown("Every data set", _intervals(experiment), "Data sets"),
            "scores": lambda: Shown("Scores by data set", _best(experiment), "Result"),
        },
    )


def _lead(experiment: Experiment) -> str:
    more = " Whether that is more than chance, a comparison tells." if len(experiment.models) > 1 else ""
    return f"{_best(experiment)}{more}"


def _best(experiment: Experiment) -> str:
    """On how many data sets each model is the best, ties counted for all."""
    wins = dict.fromkeys(experiment.models, 0)
    lower = ask(experiment.metric).metric.better == "lower"
    for each in experiment.data_sets.values():
        means = {name: each.models[name][experiment.metric].mean.value for name in experiment.models}
        known = [value for value in means.values() if value is not None]
        top = (min if lower else max)(known, default=None)
        for name, value in means.items():
            wins[name] += value is not None and value == top
    said = ", ".join(f"{quoted(name)} on {won}" for name, won in wins.items())
    way = "lowest" if lower else "highest"
    return f"The {way} {experiment.metric} of {len(experiment.data_sets)} data sets: {said}."


def _intervals(experiment: Experiment) -> str:
    """Where models are better than always answering the most frequent class."""
    above = dict.fromkeys(experiment.models, 0)
    lower = ask(experiment.metric).metric.better == "lower"
    for each in experiment.data_sets.values():
        base = None if each.baseline is None else each.baseline[experiment.metric].mean.value
        for name in experiment.models:
            mean = each.models[name][experiment.metric].mean
            if base is not None and mean.low is not None and mean.high is not None:
                above[name] += mean.high < base if lower else mean.low > base
    said = ", ".join(f"{quoted(name)} on {count}" for name, count in above.items())
    return (
        f"The whole interval is better than always answering the most frequent class, of "
        f"{len(experiment.data_sets)} data sets: {said}."
    )
