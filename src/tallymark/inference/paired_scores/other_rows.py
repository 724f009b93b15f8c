"""Two models whose scores are of other rows: their variances add up.

For areas as DeLong's are added up by Welch's test, with as many degrees of freedom as Satterthwaite says of
the rows of either model, which is what pROC does for curves that are not paired.
"""

from __future__ import annotations

import math
from dataclasses import replace

from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.losses import Losses
from tallymark.inference.paired_scores.gap import Evidence, Gap, mover, weighed
from tallymark.inference.paired_scores.losses import named_reason
from tallymark.inference.paired_scores.spread import RowSpread
from tallymark.inference.ranking import NO_SPREAD, Ranking
from tallymark.intervals.tails import Alternative
from tallymark.metrics import Asked

BINS = "only bins of the scores were counted, so the interval is {}"


def of_other_rows(
    a: Ranking | Losses, b: Ranking | Losses, asked: Asked, names: tuple[str, str] = ("a", "b")
) -> Estimate:
    """The difference of a number, a - b, of models that were tried on other rows.

    Both are rankings; for losses of one probability per class, `Losses`.
    """
    return _compared(a, b, asked, names)[0]


def other_rows_tested(
    a: Ranking | Losses, b: Ranking | Losses, asked: Asked, alternative: Alternative = "two-sided"
) -> Evidence:
    """Against no difference: Welch's statistic, and the p-value that goes with the interval."""
    gap = other_rows_gap(a, b, asked)
    return Evidence(None, None) if gap is None else gap.tested(alternative)


def other_rows_gap(a: Ranking | Losses, b: Ranking | Losses, asked: Asked) -> Gap | None:
    """What interval and test are made of; None where there is neither."""
    return _compared(a, b, asked, ("a", "b"))[1]


def _compared(
    a: Ranking | Losses, b: Ranking | Losses, asked: Asked, names: tuple[str, str]
) -> tuple[Estimate, Gap | None]:
    models = tuple(_meant(model, asked) for model in (a, b))
    one, two = (model.of(asked) for model in models)
    lacking = named_reason((one, two), names)
    if lacking is not None:
        return undefined(lacking, a.level), None
    said = _of_either(one.remark, two.remark, names) if one.low is None or two.low is None else None
    exact = one.bounds is None and two.bounds is None
    made = Estimate(
        float(one) - float(two),
        a.level,
        assumption=_of_either(one.assumption, two.assumption, names),
        bounds=None if exact else _apart(one, two),
        remark=said,
    )
    if said is not None:
        return made, None
    first, second = (_spread(model, asked) for model in models)
    variance = first.variance + second.variance
    freedom = _shared(variance, (first.variance, first.freedom), (second.variance, second.freedom))
    carriers = _shared(variance, (first.variance, first.carriers), (second.variance, second.carriers))
    low, high = asked.metric.range
    gap = Gap(float(made), variance, freedom, method="welch", widest=high - low)
    if exact:
        gap = weighed(gap, carriers, "rows or groups", lambda: mover(one, two, 0.0))
    else:  # the ends of either model's interval know what bins hide
        wide = BINS.format("made from those of either model (Zou & Donner 2008)")
        gap = replace(gap, variance=math.nan, limits=mover(one, two, 0.0), method="mover", remark=wide)
    n = None if one.n is None or two.n is None else one.n + two.n
    return gap.estimate(replace(made, n=n)), gap


def _meant(model: Ranking | Losses, asked: Asked) -> Ranking | Losses:
    return model.losses if isinstance(model, Ranking) and asked.metric.about == "losses" else model


def _spread(model: Ranking | Losses, asked: Asked) -> RowSpread:
    if isinstance(model, Losses):
        found = model.spread(asked)
        assert not isinstance(model.sums, str)
        scale = 1 / model.sums.most if asked.metric.name == "brier_half" else 1.0
        return RowSpread(scale**2 * found.variance, found.carriers, found.freedom)
    value = float(asked.metric(model.basis(asked)[0], *asked.parameters))
    part = model.part(asked, value)
    spread = model.spread(asked, part)
    rows = max(1.0, model.n - 1)
    variance, freedom = part.scale**2 * spread.variance, min(spread.freedom, rows)
    return RowSpread(variance, spread.carriers if variance > NO_SPREAD else math.nan, freedom)


def _shared(total: float, *parts: tuple[float, float]) -> float:
    """Welch and Satterthwaite: how many both variances rest on together."""
    unsure = sum(part**2 / number for part, number in parts if part > NO_SPREAD)
    return total**2 / unsure if unsure > 0 else math.nan


def _apart(one: Estimate, two: Estimate) -> tuple[float, float]:
    """Where the difference certainly is."""
    (low, high), (lower, higher) = (each.bounds or (float(each), float(each)) for each in (one, two))
    return low - higher, high - lower


def _of_either(one: str | None, two: str | None, names: tuple[str, str]) -> str | None:
    """What holds of both once, else with the model it is about."""
    if one == two:
        return one
    return "; ".join(f"{name}: {text}" for name, text in zip(names, (one, two), strict=True) if text)
