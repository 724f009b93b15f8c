"""What copies are worth: the number of test rows with a twin, and of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.drawing import number
from tallymark.metrics import ask
from tallymark.tallies.labels import quoted
from tallymark.validation.audit.twins import Twins
from tallymark.validation.fits.fitting import Fit
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.validating.summary import is_ranked

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol


def worth(protocol: Protocol, twins: Twins) -> dict[str, Any]:
    """The number asked for, or accuracy, of test rows with a twin and of the others, by model."""
    metric = next(iter(protocol.metrics), "accuracy")
    for name in dict.fromkeys((metric, "accuracy")):
        # Scores of the models of several folds are not on one scale.
        if is_ranked(name) and len(protocol.folds) > 1:
            continue
        scores = {model: _scores(protocol, fits, twins, name) for model, fits in protocol.fits.items()}
        known = {model: each for model, each in scores.items() if None not in each.values()}
        if known:
            return {"metric": name, "scores": known}
    return {"metric": None, "scores": {}}


def _scores(protocol: Protocol, fits: Sequence[Fit], twins: Twins, metric: str) -> dict[str, float | None]:
    scorer = Scorer(protocol.data, ask(metric))
    made = [
        (fold.test, fit, flags)
        for fold, fit, flags in zip(protocol.folds.folds, fits, twins.in_folds, strict=True)
        if fit.failure is None
    ]
    found: dict[str, float | None] = {}
    for which, wanted in (("copies", True), ("others", False)):
        rows = [test[flags == wanted] for test, _, flags in made]
        answers = [fit.answers[flags == wanted] for _, fit, flags in made]
        kept = [None if fit.scores is None else fit.scores[flags == wanted] for _, fit, flags in made]
        scores = [each for each in kept if each is not None]
        if not sum(map(len, rows)):
            return {"copies": None, "others": None}
        joined = Fit(np.concatenate(answers), np.concatenate(scores) if len(scores) == len(kept) else None)
        found[which] = scorer.of(np.concatenate(rows), joined).value
    return found


def told(found: dict[str, Any]) -> str:
    """The model that gains most from copies, in words; nothing where that is unknown."""
    if not found["scores"]:
        return ""
    better = -1 if ask(found["metric"]).metric.better == "lower" else 1
    name, each = max(
        found["scores"].items(), key=lambda item: better * (item[1]["copies"] - item[1]["others"])
    )
    return (
        f" {quoted(name)} has {found['metric']} {number(each['copies'])} on them and "
        f"{number(each['others'])} on the other test rows."
    )
