"""A user's own metrics: `extra={"profit": f}` with f(y_true, y_pred) or f(y_true, y_pred, y_score)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MetricError, OptionError
from tallymark.inference import AnySample, Estimate, undefined
from tallymark.inference.resampling import Resampled
from tallymark.intake.encoded import encoded
from tallymark.intake.sets.rows import AnyRows
from tallymark.metrics import ask

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_CATCH_ALL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def own_metrics(extra: Mapping[str, Any], rows: AnyRows, sample: AnySample) -> dict[str, Estimate]:
    """Every number, with the interval that resampled rows or groups give it."""
    return {name: _estimate(name, function, rows, sample) for name, function in extra.items()}


def checked(extra: Any) -> dict[str, Any]:
    """Functions by a name that no metric of ours has."""
    if not isinstance(extra, Mapping):
        raise OptionError(f"extra is a dictionary of functions by name; got {type(extra).__name__}.")
    for name, function in extra.items():
        if not isinstance(name, str) or not name.strip():
            raise OptionError(f"a metric of your own has a name; got {name!r}.")
        if not callable(function):
            raise OptionError(f"extra[{name!r}] is a function of y_true and y_pred; got {function!r}.")
        if _taken(name):
            raise OptionError(f"{name!r} is the name of a metric already.", hint="choose another name.")
    return dict(extra)


def _taken(name: str) -> bool:
    try:
        return bool(ask(name, general=True))
    except MetricError:
        return False


def _estimate(name: str, function: Callable[..., Any], rows: AnyRows, sample: AnySample) -> Estimate:
    if rows.weight is not None and not rows.weight.all():
        rows = rows.at(np.flatnonzero(rows.weight))  # neither a row nor a group without weight is drawn
    call = _caller(name, function, rows)
    value = call(np.arange(len(rows)), None)
    if not math.isfinite(value):
        return undefined(f"your function gives {value}", sample.level)
    group = None if rows.group is None else encoded(rows.group)[1]
    frequency = rows.weight if rows.weight_kind == "frequency" else None
    resampled = Resampled(name, call, len(rows), group, frequency, sample.seed)
    return Estimate(
        value,
        sample.level,
        "row_bootstrap" if group is None else "group_bootstrap",
        sample.rows,
        sample.assumption.partition(";")[0],
        ends_at=resampled.limits,
    )


def _caller(
    name: str, function: Callable[..., Any], rows: AnyRows
) -> Callable[[NDArray[np.int64], NDArray[Any] | None], float]:
    """The function as one of row positions: given the columns it takes, in the labels' own words."""
    placed, named = _taken_columns(function)
    if "y_score" in placed and rows.score is None:
        raise OptionError(
            f"extra[{name!r}] takes a score, and there is none.", hint="name the score as well."
        )
    if rows.weight is not None and "sample_weight" not in (*placed, *named):
        raise OptionError(
            f"extra[{name!r}] takes no sample_weight, so the weights would be lost.",
            hint="give it a parameter sample_weight.",
        )

    def column(of: str, chosen: NDArray[np.int64], times: NDArray[Any] | None) -> NDArray[Any] | None:
        if of in ("y_true", "y_pred"):
            return rows.side(of, chosen)
        if of == "sample_weight" and times is not None:
            return times
        values = rows.score if of == "y_score" else rows.weight
        return None if values is None else values[chosen]

    def call(chosen: NDArray[np.int64], times: NDArray[Any] | None) -> float:
        arguments = [column(of, chosen, times) for of in placed]
        keywords = {of: given for of in named if (given := column(of, chosen, times)) is not None}
        try:
            found = function(*arguments, **keywords)
        except Exception as problem:
            said = " ".join(str(problem).split())[:200]
            raise MetricError(f"extra[{name!r}] failed: {type(problem).__name__}: {said}") from problem
        return _number(name, found)

    return call


def _number(name: str, found: Any) -> float:
    try:
        if isinstance(found, str | bytes) or np.ndim(found):
            raise TypeError
        return float(found)
    except (TypeError, ValueError):
        shown = repr(found)
        what = shown if len(shown) <= 60 and "\n" not in shown else f"a value of type {type(found).__name__}"
        raise MetricError(f"extra[{name!r}] must return one number; it returned {what}.") from None


def _taken_columns(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """The columns a function takes by place, and those it takes by name; what has a default is its own."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["y_true", "y_pred"], []
    required = [each.name for each in parameters if each.kind in _POSITIONAL and each.default is each.empty]
    placed = ["y_true", "y_score" if required[1:2] == ["y_score"] else "y_pred"]
    placed += ["sample_weight" if required[2] == "sample_weight" else "y_score"] if len(required) > 2 else []
    by_name = {each.name for each in parameters if each.kind not in _CATCH_ALL} - {*required[: len(placed)]}
    return placed, [of for of in ("y_score", "sample_weight") if of in by_name and of not in placed]
