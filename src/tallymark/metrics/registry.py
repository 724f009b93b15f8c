"""What a metric is: a plain function of a tally with its facts on it, in one registry."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tallymark.errors import MetricError

Better = Literal["higher", "lower", "neither"]
Average = Literal["macro", "micro", "weighted"]
About = Literal["class", "all", "sets", "scores", "losses", "calibration", "classes"]
IntervalKind = Literal[
    "wilson", "wilson_mean", "jaccard", "f1", "log", "draws", "none", "delong", "linearised", "log_mean"
]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")
FROM_SCORES: tuple[About, ...] = ("scores", "losses", "calibration", "classes")


@dataclass(frozen=True)
class Metric:
    """A number: call it with a tally; everything known about it sits beside the function."""

    name: str
    function: Callable[..., Any]
    formula: str
    better: Better
    range: tuple[float, float]
    undefined: Mapping[str, str]
    """Expression that is zero when the value is undefined -> what that means in words."""
    about: About
    """`class`: needs a positive class. `all`: about all classes at once. `sets`: about rows of label sets.
    `scores`: about a ranking. `losses` and `calibration`: about probabilities. `classes`: about the
    probabilities of all classes at once."""
    interval: IntervalKind
    share: tuple[str, str] | None
    """Attributes of the tally whose ratio this is, when it is a proportion of independent rows."""
    swap: str | None
    """The metric that has this value after the other class is made the positive one."""
    prevalence_free: bool
    """Whether the value stays when only the class shares change."""
    towards: tuple[str, ...]
    """Cells of the cost matrix C(predicted | actual) it is biased towards, as the sources put it."""
    parameters: tuple[str, ...]
    defaults: tuple[float, ...]
    """What the parameters are when they are left out; empty when they must be given."""
    classes_formula: str | None
    """The formula for K classes, where it differs."""
    classes_undefined: Mapping[str, str]
    """As `undefined`, in the words of `classes_formula`."""
    aliases: tuple[str, ...]
    reference: str
    meaning: str = field(default="")

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: the function's own name is that of the metric, so a pickle could not find it.
        return resolve, (self.name,)

    def __call__(self, tally: Any, *parameters: float) -> Any:
        return self.function(tally, *parameters)

    @property
    def needs_costs(self) -> bool:
        """Whether it reads a cost matrix, and so can neither be taken of one class nor averaged."""
        return "cost" in self.formula

    @property
    def plain(self) -> bool:
        """Whether it can be asked for without a parameter."""
        return not self.parameters or bool(self.defaults)

    @property
    def symmetric(self) -> bool:
        """Whether it does not matter which of two classes is the positive one."""
        return self.swap == self.name


_LARGEST = 1e9
"""Parameters beyond it would overflow when squared long before they mean anything."""

METRICS: dict[str, Metric] = {}
SET_METRICS: dict[str, Metric] = {}
"""The metrics of rows with several labels, which read `LabelSets` and no other tally."""
SCORE_METRICS: dict[str, Metric] = {}
"""Those of a ranking and of calibration, which read `Scores`, of losses, which read `Sums`, and of
all classes at once, which read `ClassRanks`."""
ALIASES: dict[str, str] = {}


def metric(
    *,
    formula: str,
    undefined: Mapping[str, str],
    better: Better = "higher",
    range: tuple[float, float] = (0.0, 1.0),
    about: About = "class",
    interval: IntervalKind = "draws",
    share: tuple[str, str] | None = None,
    swap: str | None = None,
    prevalence_free: bool = False,
    towards: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
    defaults: tuple[float, ...] = (),
    classes_formula: str | None = None,
    classes_undefined: Mapping[str, str] | None = None,
    aliases: tuple[str, ...] = (),
    reference: str = "",
) -> Callable[[Callable[..., Any]], Metric]:
    """Put the facts on the function and the function into the registry."""

    def register(function: Callable[..., Any]) -> Metric:
        name = function.__name__
        made = Metric(
            name=name,
            function=function,
            formula=formula,
            better=better,
            range=range,
            undefined=undefined,
            about=about,
            interval="wilson" if share else interval,
            share=share,
            swap=swap,
            prevalence_free=prevalence_free,
            towards=towards,
            parameters=parameters,
            defaults=defaults,
            classes_formula=classes_formula,
            classes_undefined=classes_undefined or undefined,
            aliases=aliases,
            reference=reference,
            meaning=(function.__doc__ or name).strip().splitlines()[0],  # python -OO takes the words away
        )
        home = SET_METRICS if about == "sets" else SCORE_METRICS if about in FROM_SCORES else METRICS
        home[name] = made
        ALIASES.update(dict.fromkeys(aliases, name))
        return made

    return register


def ratio(top: Any, bottom: Any) -> Any:
    """top / bottom; NaN, the inner sign for undefined, where bottom is zero. Numbers or arrays."""
    if isinstance(bottom, np.ndarray) or isinstance(top, np.ndarray):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.equal(bottom, 0), np.nan, np.divide(top, bottom))
    return float(top / bottom) if bottom else math.nan


def root(value: Any) -> Any:
    """Square root of a number or of every element."""
    return np.sqrt(value) if isinstance(value, np.ndarray) else math.sqrt(value)


@dataclass(frozen=True)
class Asked:
    """A metric as a user names it: `f_beta:2`, `precision_macro`, `sensitivity`."""

    metric: Metric
    parameters: tuple[float, ...] = ()
    average: Average | None = None

    @property
    def name(self) -> str:
        stem = f"{self.metric.name}_{self.average}" if self.average else self.metric.name
        given = () if self.parameters == self.metric.defaults else self.parameters
        shown = [str(int(p)) if float(p).is_integer() else repr(p) for p in given]
        return f"{stem}:{','.join(shown)}" if shown else stem


def ask(name: str, *, general: bool = False) -> Asked:
    """Read a metric's name; an unknown one is an error that suggests the nearest.

    `general` lets a parametrised metric be named without its parameters, to speak of its formula.
    """
    if not isinstance(name, str):
        raise MetricError(f"a metric is asked for by its name; got {name!r}.")
    stem, _, tail = name.strip().partition(":")
    average: Average | None = None
    if resolve(stem) is None:
        for candidate in AVERAGES:
            if stem.endswith(f"_{candidate}") and resolve(stem.removesuffix(f"_{candidate}")):
                stem, average = stem.removesuffix(f"_{candidate}"), candidate
    found = resolve(stem)
    if found is None:
        raise MetricError(f"no metric is called {name!r}.", hint=_nearest(stem))
    if average and found.needs_costs:
        raise MetricError(f"{found.name!r} is about all classes, so it has no {average} average.")
    if average and found.about == "sets":
        raise MetricError(f"{found.name!r} is a mean over the rows, so it has no {average} average.")
    if average and found.about in FROM_SCORES:
        raise MetricError(
            f"{found.name!r} has no {average} average in this version.",
            hint="ask for it class by class: per_class[label].",
        )
    parameters = () if general and not tail else _parameters(found, tail, name)
    return Asked(found, parameters, average)


def resolve(name: str) -> Metric | None:
    """The metric of that name or alias."""
    name = ALIASES.get(name, name)
    return METRICS.get(name) or SET_METRICS.get(name) or SCORE_METRICS.get(name)


def _parameters(found: Metric, tail: str, name: str) -> tuple[float, ...]:
    wanted = len(found.parameters)
    if not tail and found.defaults:
        return found.defaults
    if tail and not wanted:
        raise MetricError(f"{found.name!r} takes no parameter; got {name!r}.")
    form = ":".join((found.name, ",".join(found.parameters).upper()))
    try:
        values = tuple(float(part) for part in tail.split(",")) if tail else ()
    except ValueError:
        values = (math.nan,)
    if found.about == "scores" and wanted:
        return _rates(form, values, name)
    if found.about in ("calibration", "classes") and wanted:
        return _whole(form, values, name)
    if len(values) != wanted or not all(0 <= value <= _LARGEST for value in values):
        raise MetricError(f"expected {form} with numbers from 0 to 1e9, got {name!r}.")
    return values


def _rates(form: str, values: tuple[float, ...], name: str) -> tuple[float, ...]:
    if len(values) == 1 and 0 < values[0] <= 1:
        return values
    percent = len(values) == 1 and 1 < values[0] <= 100
    hint = f"write {values[0] / 100:g} for {values[0]:g} %." if percent else None
    raise MetricError(
        f"expected {form} with a false positive rate above 0 and up to 1, got {name!r}.", hint=hint
    )


def _whole(form: str, values: tuple[float, ...], name: str) -> tuple[float, ...]:
    if len(values) == 1 and 1 <= values[0] <= _LARGEST and values[0].is_integer():
        return values
    raise MetricError(f"expected {form} with a whole number from 1 up, got {name!r}.")


def _nearest(stem: str) -> str:
    every = [
        *METRICS,
        *SET_METRICS,
        *SCORE_METRICS,
        *ALIASES,
        *(f"{m}_{a}" for m in METRICS for a in AVERAGES if not METRICS[m].needs_costs),
    ]
    close = difflib.get_close_matches(stem.lower(), every, n=3, cutoff=0.7)
    listed = "`tallymark metrics` lists them all."
    return f"did you mean {' or '.join(close)}? {listed}" if close else listed
