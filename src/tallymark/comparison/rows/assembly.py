"""What comparisons of evaluated models have in common: numbers, verdict, findings and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tallymark.comparison.difference import Difference
from tallymark.comparison.findings import (
    against,
    cautions,
    crossing,
    disagreement,
    opposed,
    preferred,
    said_of,
    torn,
)
from tallymark.comparison.margins import fitting
from tallymark.comparison.question import Question
from tallymark.comparison.reach import Reach
from tallymark.comparison.result import Comparison, Design, Detail, Model
from tallymark.comparison.verdict import judge
from tallymark.curves import Several
from tallymark.drawing import level_text, number, with_interval
from tallymark.evaluation import Evaluation
from tallymark.inference import Estimate
from tallymark.inference.estimate import INDEPENDENT
from tallymark.metrics import Asked
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure

_MOST_TOLD = 3
"""Numbers that are told in a note, where they are not drawn; of more only the names are."""
_LONGEST = 40
"""Letters of a model's name in a title."""


class OfRows(Detail, Protocol):
    """What a design of evaluated models knows besides."""

    @property
    def differences(self) -> tuple[Difference, ...]: ...
    @property
    def reach(self) -> tuple[Reach, ...]: ...


def assembled(
    design: Design,
    evs: Mapping[str, Evaluation],
    asked: Sequence[Asked],
    detail: OfRows,
    question: Question,
    *,
    what: str = "rows",
    omnibus: Outcome | None = None,
    outcomes: tuple[Outcome, ...] = (),
    several: Several | None = None,
    notes: Sequence[str] = (),
) -> Comparison:
    """The comparison of models that were evaluated, on the same rows or on others."""
    models = tuple(
        Model(name, ev.rows, {each.name: _at_level(ev.estimate(each), question.level) for each in asked})
        for name, ev in evs.items()
    )
    values = {
        model.name: {name: estimate.value for name, estimate in model.values.items()} for model in models
    }
    first = asked[0].name
    margin = fitting(question.margin, first)
    about = [each for each in detail.differences if each.metric == first]
    assumed = (each.assumption for each in detail.differences if each.assumption)
    verdict = judge(
        about,
        {name: found[first] for name, found in values.items()},
        level=question.level,
        margin=margin,
        omnibus=omnibus,
        reach=detail.reach[0].sentence(what) if len(about) == 1 else "",
    )
    at_odds = opposed(detail.differences, question.level)
    sides = preferred(detail.differences, question.level) if len(models) == 2 else {}
    found = (
        crossing(several, _deviation(detail.differences)),
        None if at_odds is None else disagreement(at_odds, values, question.level),
        torn(sides, question.level),
        *cautions(evs),
    )
    told = () if at_odds is None else (at_odds.accuracy.metric, at_odds.cost.metric)
    text = (
        verdict.text,
        "" if at_odds is None else said_of(at_odds, values),
        against(sides, verdict.winner, told, evs),
    )
    return Comparison(
        design=design,
        models=models,
        metric=first,
        differences=detail.differences,
        verdict=" ".join(filter(None, text)),
        winner=verdict.winner,
        assumption=next(assumed, INDEPENDENT),
        counted="rows",
        outcomes=outcomes,
        detail=detail,
        notes=tuple(dict.fromkeys(notes)),
        findings=tuple(each for each in found if each is not None),
        library=next(iter(evs.values())).library,
        margin=margin,
        evaluations=evs,
    )


def _at_level(estimate: Estimate, level: float) -> Estimate:
    return estimate if estimate.level == level else estimate.interval(level)


def _deviation(differences: Sequence[Difference]) -> float | None:
    """The largest standard error of a difference of areas, where areas were compared."""
    found = [
        each.estimate.se for each in differences if each.metric == "auc" and each.estimate.se is not None
    ]
    return max(found, default=None)


def curves_of(evs: Mapping[str, Evaluation]) -> Several | None:
    """The ROC curves of models with one, in one picture."""
    if any(ev.ranked is None or ev.position is None for ev in evs.values()):
        return None
    curves = {name: ev.roc for name, ev in evs.items()}
    return None if any(curve.why for curve in curves.values()) else Several(curves)


def shared_figures(
    differences: Sequence[Difference], question: Question, several: Several | None
) -> dict[str, Callable[[], Figure]]:
    """The pictures of any design: differences with intervals, and ROC curves."""
    known: dict[str, Callable[[], Figure]] = {"differences": lambda: _forest(differences, question)}
    if several is not None:
        from tallymark.comparison.figures import roc_pair

        known["roc"] = lambda: roc_pair(several.curves)
    return known


def _forest(differences: Sequence[Difference], question: Question) -> Figure:
    """All pairs in the verdict's number; of two models all numbers that have its scale."""
    from tallymark.comparison.figures import forest
    from tallymark.comparison.figures.spelling import shortened

    first = differences[0]
    several = len({(each.a, each.b) for each in differences}) > 1
    shown = [
        each for each in differences if (each.metric == first.metric if several else _alike(each, first))
    ]
    left_out = [] if several else [each for each in differences if each not in shown]
    margin = question.margin
    # The margin is one of the verdict's number, and other numbers beside it have none.
    alone = all(each.metric == first.metric for each in shown)
    said = "" if margin is None or alone else f"The margin of {number(margin)} is for {first.metric} alone."
    return forest(
        [((each.a, each.b) if several else each.metric, each.value, each.low, each.high) for each in shown],
        title=first.metric if several else " less ".join(shortened((first.a, first.b), _LONGEST)),
        note=" ".join(filter(None, (_directions(shown), said, _not_drawn(left_out)))),
        x_label=f"difference, with its {level_text(first.level)} interval",
        region=(-margin, margin) if margin is not None and alone else None,
    )


def _not_drawn(left_out: Sequence[Difference]) -> str:
    """The numbers that would need an axis of their own; where they are many, their names."""
    if not left_out:
        return ""
    told = [each.metric for each in left_out]
    if len(left_out) <= _MOST_TOLD:
        told = [f"{each.metric} {with_interval(each.value, each.low, each.high)}" for each in left_out]
    return f"Not drawn, on another scale: {', '.join(told)}."


def _directions(shown: Sequence[Difference]) -> str:
    """Which numbers are better when they are lower, so that being left of 0 speaks for the first model."""
    directions = {each.metric: each.better for each in shown}
    lower = [metric for metric, better in directions.items() if better == "lower"]
    neither = [metric for metric, better in directions.items() if better is None]
    if len(lower) == len(directions):
        return "Lower is better." if len(lower) == 1 else "Lower is better in all of them."
    said = [f"Lower is better in {', '.join(lower)}." if lower else ""]
    said.append(f"Neither is better in {', '.join(neither)}." if neither else "")
    said.append("Higher is better in the others." if lower or neither else "Higher is better.")
    return " ".join(filter(None, said))


def _alike(one: Difference, other: Difference) -> bool:
    """Whether two differences can stand on one axis."""
    from tallymark.metrics import ask

    def bounded(difference: Difference) -> bool:
        return bool(np.isfinite(ask(difference.metric).metric.range).all())

    return one.metric == other.metric or (bounded(one) and bounded(other))
