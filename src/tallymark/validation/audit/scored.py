"""Numbers of the models that a protocol is about, as the result itself works them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tallymark.inference import Estimate
from tallymark.metrics import ask
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.validating.summary import Sizes
from tallymark.validation.validating.validated import Validated

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol


def fold_values(protocol: Protocol, model: str, metric: str) -> list[float | None]:
    """A number of a model fold by fold; None where it has none, as all have that need costs."""
    asked = ask(metric)
    if asked.metric.needs_costs:
        return [None] * len(protocol.folds)
    scorer = Scorer(protocol.data, asked)
    pairs = zip(protocol.folds.folds, protocol.fits[model], strict=True)
    return [scorer.of(fold.test, fit).value for fold, fit in pairs]


def pooled(protocol: Protocol, metrics: Sequence[str]) -> dict[str, dict[str, Estimate]]:
    """By number and model, what the test rows of all folds together give, where they do."""
    data, folds = protocol.data, protocol.folds
    asked = [each for each in map(ask, metrics) if not each.metric.needs_costs]
    found: dict[str, dict[str, Estimate]] = {each.name: {} for each in asked}
    for name, fits in protocol.fits.items():
        model = Validated(name, "", data, folds, Sizes.of(folds), tuple(fits), tuple(asked))
        for each in asked if len(model.rows) else ():
            estimate = model.evaluation.estimate(each)
            if estimate.value is not None:
                found[each.name][name] = estimate
    return found
