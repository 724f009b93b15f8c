"""TM021: a test set that many models have been tried on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.drawing import number
from tallymark.findings.finding import Finding
from tallymark.intervals import z_quantile
from tallymark.metrics import ask
from tallymark.validation.audit.earlier import Earlier, runs_before
from tallymark.validation.audit.scored import pooled
from tallymark.validation.runs.hashing import tested_rows
from tallymark.validation.runs.questions import about

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol

MANY = 5
"""Comparisons from which on it is said: with 1 - 0.95^5 = 0.23 one in four or five calls a model better that
is not."""
LEVEL = 0.05
SHARE = 0.5
"""Of the test rows that must have been test rows before: who draws them anew draws many of the same."""
_CHOSEN_NOW = "the models that were chosen fold by fold"
Model = tuple[str, str | None]
"""What a model is known by, and the columns that it sees."""


def check(protocol: Protocol) -> Finding | None:
    if not protocol.fits:
        return None  # it judges no model by these rows
    now = tested_rows(protocol.folds)
    earlier = [each for each in runs_before(protocol, "validate", "tune") if (each.tested & now).any()]
    if len(earlier) < MANY:
        return None
    rows = int(now.sum())
    before = int((now & np.any([each.tested for each in earlier], axis=0)).sum())
    if before < SHARE * rows:
        return None
    runs = [*map(_models, earlier), _models_now(protocol)]
    seen, comparisons = set(runs[0]), 0
    for models in runs[1:]:
        comparisons += not models <= seen
        seen |= models
    if comparisons < MANY:
        return None
    chance = 1 - (1 - LEVEL) ** comparisons
    metric = next(iter(protocol.metrics), "accuracy")
    flattery = _flattery(protocol, metric, len(seen))
    looks = ""
    if flattery is not None:
        looks = f", and the best of {len(seen):,} would look up to {number(flattery)} too good in {metric}"
    which = f"these {rows:,} test rows"
    if before < rows:
        which += f", {before:,} of which were tested on before,"
    return Finding(
        "TM021",
        f"{which} have judged {len(seen):,} different models in {len(runs):,} runs of this run folder: "
        f"{comparisons:,} comparisons with what came before. Were all models equally good, one or more would "
        f"still be called better with a chance of {chance:.0%} (at {LEVEL:.0%} each){looks}. Judge the final "
        "choice on new rows, for in another cut these are no newer; `tallymark tune --method three-way` "
        "(method='three-way') keeps rows that nobody looks at, but would have had to come first. Or ask for "
        f"p < {LEVEL / comparisons:.2g} instead of {LEVEL:g}.",
        {
            "runs": len(runs),
            "models": len(seen),
            "comparisons": comparisons,
            "test_rows": rows,
            "tested_before": before,
            "chance_of_a_false_verdict": chance,
            "metric": metric,
            "best_looks_too_good_by": flattery,
        },
    )


def _models(earlier: Earlier) -> set[Model]:
    """What was judged: the models of a run, or of a search the one that was chosen."""
    chosen = earlier.run.get("chosen")
    models = earlier.run["models"] if chosen is None else [chosen]
    return {(_known_by(each), features) for each in models for features in earlier.features}


def _models_now(protocol: Protocol) -> set[Model]:
    judged = {name: model for name, model in protocol.models.items() if name in protocol.fits}
    names = {_known_by(about(*each)) for each in judged.items()} or {_CHOSEN_NOW}
    return {(name, protocol.features) for name in names}


def _known_by(model: Mapping[str, Any]) -> str:
    return str(model["settings"] or f"{model['name']} {model['text']}")


def _flattery(protocol: Protocol, metric: str, models: int) -> float | None:
    """How much the best of equally good models is expected to look better than it is.

    As if their errors had nothing in common; those of models tried on the same rows do, so it is less.
    """
    asked = ask(metric)
    found = list(pooled(protocol, [metric]).get(asked.name, {}).values())
    if not found or asked.metric.better == "neither":
        return None
    best = max(found, key=lambda each: (each.value or 0.0) * (-1 if asked.metric.better == "lower" else 1))
    if best.low is None or best.high is None:
        return None
    return (best.high - best.low) / (2 * z_quantile(best.level)) * largest_of(models)


def largest_of(count: int) -> float:
    """The expected value of the largest of so many standard normal numbers.

    >>> round(largest_of(2), 4), round(largest_of(10), 4)
    (0.5642, 1.5388)
    """
    from scipy.special import ndtr

    at = np.linspace(0.0, 10.0, 2001)
    # The mean from the distribution function, on either side of 0.
    return float(np.trapezoid(1 - ndtr(at) ** count, at) - np.trapezoid(ndtr(-at) ** count, at))
