"""What comparisons of evaluated models have in common: numbers, verdict, findings and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tallymark.comparison.difference import Difference
from tallymark.comparison.findings import cautions, crossing, disagreement, opposed, said_of
from tallymark.comparison.question import Question
from tallymark.comparison.reach import Reach
from tallymark.comparison.result import Comparison, Design, Detail, Model
from tallymark.comparison.verdict import judge, percent_of
from tallymark.curves import Several
from tallymark.evaluation import Evaluation
from tallymark.inference import Estimate
from tallymark.inference.estimate import INDEPENDENT
from tallymark.metrics import Asked
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure


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
    about = [each for each in detail.differences if each.metric == first]
    assumed = (each.assumption for each in detail.differences if each.assumption)
    verdict = judge(
        about,
        {name: found[first] for name, found in values.items()},
        level=question.level,
        margin=question.margin,
        omnibus=omnibus,
        reach=detail.reach[0].sentence(what) if len(about) == 1 else "",
    )
    cross, at_odds = crossing(several), opposed(detail.differences)
    findings = [
        *([] if cross is None else [cross]),
        *([] if at_odds is None else [disagreement(at_odds, values)]),
        *cautions(evs),
    ]
    text = verdict.text if at_odds is None else f"{verdict.text} {said_of(at_odds, values)}"
    return Comparison(
        design=design,
        models=models,
        metric=first,
        differences=detail.differences,
        verdict=text,
        winner=verdict.winner,
        assumption=next(assumed, INDEPENDENT),
        counted="rows",
        outcomes=outcomes,
        detail=detail,
        notes=tuple(dict.fromkeys(notes)),
        findings=tuple(findings),
        library=next(iter(evs.values())).library,
    )


def _at_level(estimate: Estimate, level: float) -> Estimate:
    return estimate if estimate.level == level else estimate.interval(level)


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

    first = differences[0]
    several = len({(each.a, each.b) for each in differences}) > 1
    shown = [
        each for each in differences if (each.metric == first.metric if several else _alike(each, first))
    ]
    rows = [
        (f"{each.a} - {each.b}" if several else each.metric, each.value, each.low, each.high)
        for each in shown
    ]
    margin = question.margin
    title = f"{first.metric}" if several else f"{first.a} less {first.b}"
    return forest(
        rows,
        title=title,
        note=_directions(shown),
        x_label=f"difference, with its {percent_of(first.level)} interval",
        region=None if margin is None else (-margin, margin),
    )


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
