"""`explain`: the formula of a metric with an evaluation's own numbers in it, as text and as LaTeX."""

from __future__ import annotations

from tallymark.explanation.facts import facts, general, meaning
from tallymark.explanation.layout import filled
from tallymark.explanation.rankings import explain_ranked
from tallymark.explanation.spread import certified, interval_steps
from tallymark.explanation.steps import Explanation, Step, prose
from tallymark.explanation.values import value_steps
from tallymark.inference import NAME_THE_POSITIVE, AnySample, SetSample
from tallymark.metrics import Asked

__all__ = ["Explanation", "Step", "explain", "explain_ranked", "filled"]


def explain(asked: Asked, sample: AnySample | None = None, position: int | None = None) -> Explanation:
    """What a metric means and how its value and interval come about; without a sample, in general.

    `position` is the index of the positive label; numbers about one class need it.
    """
    if sample is None:
        return Explanation(asked.name, meaning(asked), facts(asked), tuple(general(asked)), (), None, None)
    estimate = sample.of(asked, position)
    if estimate.why == NAME_THE_POSITIVE:
        steps = [*general(asked), prose(f"undefined: {NAME_THE_POSITIVE}")]
    else:
        steps = [*value_steps(asked, sample, position, estimate), *certified(estimate)]
    interval = interval_steps(asked, sample, position, estimate)
    told = facts(asked)
    if isinstance(sample, SetSample) or sample.shares is not None or sample.groups is not None:
        # Here the interval may be made in another way than the metric's usual one.
        told = tuple(fact for fact in told if not fact.startswith("interval:"))
    return Explanation(
        asked.name, meaning(asked), told, tuple(steps), tuple(interval), estimate.value, estimate.why
    )
