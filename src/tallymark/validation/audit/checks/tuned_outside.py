"""TM025: settings chosen by the folds that are to judge the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tallymark.drawing import number
from tallymark.findings.finding import Finding
from tallymark.metrics import ask
from tallymark.tallies.labels import quoted
from tallymark.validation.audit.earlier import runs_before
from tallymark.validation.audit.scored import fold_values
from tallymark.validation.learners.majority import Majority
from tallymark.validation.runs.describing import kind_of, settings_of, settings_unseeded, steps_of

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol

MANY = 3
"""Settings of one learner from which on it looks like a search."""
_SEARCHES = ("param_grid", "param_distributions")
_EVEN = 4
"""Folds from which on the estimate is too large rather than too small: sqrt(4) - 1 = 1."""
_HOW = "Let the choice be part of the training: `tallymark tune` (tm.tune)"


def check(protocol: Protocol) -> Finding | None:
    """Of models with answers on the folds: what `tune` chooses inside each of them is not chosen by them."""
    judged = {name: model for name, model in protocol.models.items() if protocol.fits.get(name)}
    families = _families(judged)
    chosen = _chosen_before(protocol, judged)
    if not families and not chosen:
        return None
    best = _best(protocol, [name for family in families for name in family.models])
    return Finding(
        "TM025",
        " ".join((*_said_of_families(families, best), *_said_of_chosen(chosen))),
        {
            "settings": [{"learner": each.learner, "models": list(each.models)} for each in families],
            "metric": next(iter(protocol.metrics), None),
            "best": None if best is None else best.name,
            "value": None if best is None else best.value,
            "too_good_by": None if best is None else best.bias,
            "chosen_before": chosen,
        },
    )


# --- many settings of one learner ----------------------------------------------------------------------


class _Family(NamedTuple):
    """A learner, and the models that are settings of it."""

    learner: str
    models: tuple[str, ...]


def _families(models: Mapping[str, Any]) -> list[_Family]:
    found: dict[Any, dict[str, str]] = {}
    for name, model in models.items():
        if _is_baseline(model):
            continue
        parameters = model.get_params(deep=True) if hasattr(model, "get_params") else {}
        if any(word in parameters for word in _SEARCHES):
            continue  # it chooses inside its training rows
        inner = {place: kind_of(part) for place, part in parameters.items() if hasattr(part, "get_params")}
        # Other seeds are no other settings.
        chance = {place: None for place in parameters if place.rpartition("__")[2] == "random_state"}
        settings = settings_of(model, chance) or name
        found.setdefault((kind_of(model), tuple(sorted(inner.items()))), {}).setdefault(settings, name)
    return [
        _Family(kind.rpartition(":")[2], tuple(names.values()))
        for (kind, _), names in found.items()
        if len(names) >= MANY
    ]


def _is_baseline(model: Any) -> bool:
    """Whether it never looks at the features: nobody takes the best of those."""
    from sklearn.dummy import DummyClassifier

    return isinstance([model, *steps_of(model)][-1], DummyClassifier | Majority)


class _Best(NamedTuple):
    """The best of some models by the mean of the folds, and how much of that is the choice."""

    metric: str
    name: str
    value: float
    bias: float
    large: bool
    """Whether the estimate tends to be too large."""


def _best(protocol: Protocol, names: Sequence[str]) -> _Best | None:
    """By Tibshirani and Tibshirani 2009, Annals of Applied Statistics 3:822: how far the one that is best on
    all folds is, on average, behind the best of every fold. None where folds are too few or of one row.

    One fold varies more than the mean of k: of equally good models whose errors have nothing in common this
    is sqrt(k) - 1 times what the choice flatters. It was conservative on real data as well (Tsamardinos,
    Rakhshani and Lagani 2015, International Journal on Artificial Intelligence Tools 24).
    """
    metric = next(iter(protocol.metrics), "accuracy")
    better, folds = ask(metric).metric.better, protocol.folds.folds
    if not names or better == "neither" or len(folds) < 2 or any(fold.n_test == 1 for fold in folds):
        return None
    values = np.array([fold_values(protocol, name, metric) for name in names], float)  # None becomes NaN
    values = values[:, np.isfinite(values).all(axis=0)]
    if values.shape[1] < 2:
        return None
    goodness = -values if better == "lower" else values
    best = int(np.argmax(goodness.mean(axis=1)))
    bias = float((goodness.max(axis=0) - goodness[best]).mean())
    return _Best(metric, names[best], float(values[best].mean()), bias, values.shape[1] > _EVEN)


def _said_of_families(families: Sequence[_Family], best: _Best | None) -> list[str]:
    if not families:
        return []
    told = " and ".join(f"{len(each.models):,} settings of {each.learner}" for each in families)
    flattered = ""
    if best is not None:
        value = f"{best.metric} of {quoted(best.name)}, {number(best.value)},"
        flattered = (
            f" By the estimate of Tibshirani and Tibshirani (2009), {value} would then be "
            f"{'up to ' if best.large else ''}about {number(best.bias)} too good."
        )
        if not best.bias:
            flattered = f" Here little is lost by that: {quoted(best.name)} is the best in every fold."
    return [
        f"{told} are tried on the same folds: to take the best of them by these numbers is to tune it on the "
        f"rows that judge it.{flattered} {_HOW}."
    ]


# --- what was chosen here before -----------------------------------------------------------------------


def _chosen_before(protocol: Protocol, models: Mapping[str, Any]) -> list[str]:
    """Models with the settings that an earlier search on the same data chose."""
    searches = [each for each in runs_before(protocol, "tune") if protocol.features in each.features]
    chosen = {each.run["chosen"]["settings_unseeded"] for each in searches if each.run.get("chosen")}
    return [name for name, model in models.items() if settings_unseeded(model) in chosen - {None}]


def _said_of_chosen(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    have = "has the settings" if len(names) == 1 else "have settings"
    return [
        f"{' and '.join(map(quoted, names))} {have} that an earlier `tune` of the run folder chose on these "
        "very rows, so the numbers here are optimistic: those that `tune` gave for rows that took no part "
        "are not."
    ]
