"""A small JSON file of numbers and nothing else, as DVC and other trackers read it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.saving import check_target, save
from tallymark.inference import Estimate
from tallymark.metrics import ask

SUFFIX = ".json"
Numbers = dict[str, dict[str, float]]


def metrics_dict(ev: Evaluation, metrics: Sequence[str] | None = None) -> Numbers:
    """Every number that is defined, or those named, with the ends of its interval where it has one.

    >>> from tallymark import Confusion
    >>> ev = Confusion([[150, 40], [60, 250]], labels=["+", "-"]).evaluate()
    >>> metrics_dict(ev, ["accuracy"])["accuracy"]["value"]
    0.8
    """
    return {name: _ends(estimate) for name, estimate in _asked(ev, metrics) if estimate.value is not None}


def left_out(ev: Evaluation, metrics: Sequence[str] | None = None) -> dict[str, str]:
    """The numbers that are not there, and why."""
    return {name: estimate.why or "" for name, estimate in _asked(ev, metrics) if estimate.value is None}


def save_metrics(
    ev: Evaluation | Mapping[str, Evaluation],
    path: str | Path,
    metrics: Sequence[str] | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write `metrics_dict` as JSON, whole or not at all; of several models by name, each below its own."""
    form: Mapping[str, Any]
    if isinstance(ev, Mapping):
        form = {name: metrics_dict(each, metrics) for name, each in ev.items()}
    else:
        form = metrics_dict(ev, metrics)
    text = json.dumps(form, indent=2, ensure_ascii=False, allow_nan=False)
    save(path, {SUFFIX: lambda: text}, overwrite=overwrite)


def check_metrics_file(path: str | Path, *, overwrite: bool) -> None:
    """Refuse, before any work is done, a place that could not be written."""
    check_target(path, [SUFFIX], overwrite=overwrite)


def _asked(ev: Evaluation, metrics: Sequence[str] | None) -> Iterator[tuple[str, Estimate]]:
    if isinstance(metrics, str):
        raise OptionError(f"metrics is a list of names; got {metrics!r}.", hint=f"write [{metrics!r}].")
    if metrics is None:
        yield from ev.metrics.items()
        return
    for name in metrics:
        yield name if name in ev.own else ask(name).name, ev[name]


def _ends(estimate: Estimate) -> dict[str, float]:
    """What there is of value, low and high; JSON has no infinite ends."""
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: end for name, end in ends.items() if end is not None and math.isfinite(end)}
