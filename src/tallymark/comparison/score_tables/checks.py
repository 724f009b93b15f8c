"""Scores of models by fold or by data set, checked; and which way a number is better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.difference import Better
from tallymark.errors import InputError, OptionError, ShapeError, precise
from tallymark.metrics import ask
from tallymark.metrics.registry import resolve
from tallymark.tallies.labels import quoted
from tallymark.tests.scores import checked_scores

Floats = NDArray[np.float64]


def direction(metric: object, better: object) -> tuple[str, Better | None]:
    """The number's name, and whether a higher or a lower one is better; None when neither is."""
    if better not in (None, "higher", "lower"):
        raise OptionError(f"better must be 'higher' or 'lower'; got {better!r}.")
    if not isinstance(metric, str) or not metric.strip():
        raise OptionError(f"metric is the name of a number; got {metric!r}.")
    known = _known(metric)
    name = metric if known is None else ask(metric).name
    if better is not None:
        return name, "lower" if better == "lower" else "higher"
    if known is None:
        raise OptionError(
            f"no metric is called {quoted(metric)}, so nothing says which way it is better.",
            hint="say so: --better higher or --better lower (in Python better=).",
        )
    return name, None if known.better == "neither" else known.better


def _known(metric: str) -> Any:
    stem = metric.partition(":")[0]
    return resolve(stem) or next(
        (resolve(stem.removesuffix(end)) for end in ("_macro", "_micro", "_weighted") if stem.endswith(end)),
        None,
    )


def checked(scores: Mapping[str, Sequence[float]], counted: str, metric: str) -> dict[str, Floats]:
    """The models' scores, equally many of each, that the metric can have."""
    if not isinstance(scores, Mapping):
        raise InputError(
            f"scores are given by model; got {type(scores).__name__}.", hint="pass {model: scores}."
        )
    if len(scores) < 2:
        came = f"only {quoted(str(next(iter(scores))))}" if scores else "none"
        raise InputError(f"a comparison needs two models or more; got {came}.")
    found = {
        str(name): checked_scores(values, f"the column of {quoted(str(name))}", counted)
        for name, values in scores.items()
    }
    first, *others = found
    for name in others:
        if len(found[name]) != len(found[first]):
            raise ShapeError(
                f"{quoted(first)} has {len(found[first]):,} scores and {quoted(name)} has "
                f"{len(found[name]):,}; they belong together {counted} by {counted}."
            )
    _refuse_beyond(found, metric)
    return found


def range_of(metric: str) -> tuple[float, float]:
    """What the metric can be at all."""
    known = _known(metric)
    return (-math.inf, math.inf) if known is None else known.range


def _refuse_beyond(scores: Mapping[str, Floats], metric: str) -> None:
    low, high = range_of(metric)
    for name, values in scores.items():
        beyond = values[(values < low - 1e-9) | (values > high + 1e-9)]
        if len(beyond):
            percent = low == 0 and high == 1 and beyond.min() > 1 and beyond.max() <= 100
            raise InputError(
                f"{metric} lies between {low:g} and {high:g}; {quoted(name)} has "
                f"{precise(beyond[0], low, high)}.",
                hint="percentages are read with --scale percent (in Python scale='percent')."
                if percent
                else None,
            )
