"""TM007: the threshold was picked on the rows it is judged on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tallymark.curves.shared import cut_at
from tallymark.decisions import Decision
from tallymark.decisions.cross_fitting import CrossFitted
from tallymark.decisions.threshold import OBJECTIVES
from tallymark.drawing import number
from tallymark.errors import OptionError
from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    if ev.chosen_here is None:
        return None
    numbers: dict[str, Any] = {"threshold": ev.threshold, "best_for": ev.chosen_here}
    tried, told = _tried(ev, ev.chosen_here), ""
    if tried is not None:
        numbers |= {"metric": tried.metric, "here": tried.here, "cross_fitted": tried.there}
        here, there = number(tried.here), number(tried.there)
        told = (
            f"{', if hardly' if here == there else ''}: with each fifth of them answered by the threshold "
            f"that the others choose, {tried.metric} is "
            f"{f'{there} as well' if here == there else f'{there}, not {here}'}"
        )
    return Finding(
        "TM007",
        f"the threshold {_spelled(ev)} was picked on these rows as the best for {ev.chosen_here}, "
        f"so the numbers at it are optimistic{told}; judge it on other rows.",
        numbers,
    )


def _spelled(ev: Evaluation) -> str:
    """As everywhere on the page."""
    assert ev.threshold is not None
    ranking = ev.ranking(ev.position)
    return number(ev.threshold) if isinstance(ranking, str) else cut_at(ranking.scores, ev.threshold)


class _Tried(NamedTuple):
    """What the threshold is the best for, on the rows it was picked on and on rows that took no part."""

    metric: str
    here: float
    there: float


def _tried(ev: Evaluation, objective: str) -> _Tried | None:
    """The number that `decide` gives for new rows; None where there is none.

    Under other class shares than those that it was picked under, another threshold is the best.
    """
    cost = objective == "cost"
    metric = "mean_cost" if cost else OBJECTIVES[objective]
    try:
        decision = ev.decide() if cost else ev.decide(best=metric)
    except OptionError:
        return None
    assert isinstance(decision, Decision)
    fitted, now = decision.cross_fitted, ev[metric].value
    if not isinstance(fitted, CrossFitted) or now is None:
        return None
    here, there = (decision.mean_cost, fitted.mean_cost) if cost else (decision.value, fitted.value)
    if here is None or there is None or not math.isclose(now, here, rel_tol=1e-9, abs_tol=1e-12):
        return None
    return _Tried(metric, here, there)
