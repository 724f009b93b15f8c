"""What a careful teacher would point out about a comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tallymark.comparison.difference import Difference
from tallymark.comparison.verdict import significant
from tallymark.curves import Several
from tallymark.curves.roc.paths import Path
from tallymark.drawing import number, numbers_together
from tallymark.evaluation import Evaluation
from tallymark.findings import Finding, curves_cross, few_groups, tuned_here
from tallymark.metrics import FROM_SCORES, ask
from tallymark.tallies.labels import quoted

Values = Mapping[str, Mapping[str, float | None]]
"""The numbers of every model."""
_LOOKS = 4096
_ERRORS = 1.5
"""Standard errors of the difference of two areas, by which each curve must be above the other."""


def crossing(several: Several | None, deviation: float | None) -> Finding | None:
    """TM014: one model is better at small false positive rates, another at large ones.

    Curves of equal models cross all the time; so each must be above the other by an area that the standard
    error of the difference of their areas does not explain.
    """
    if several is None or _by_chance(several, deviation):
        return None
    found = curves_cross.check(several)
    if found is None or len(several.curves) != 2 or len(several.crossings) != 1:
        return found
    met = several.crossings[0]
    words = (
        f"the ROC curves cross: {quoted(met.before)} is better for false positive rates below "
        f"{number(met.fpr)}, {quoted(met.after)} for larger ones. One area for each model hides that; "
        "compare them at the rates you can accept."
    )
    return Finding(found.code, words, found.numbers)


def _by_chance(several: Several, deviation: float | None) -> bool:
    """Whether no two curves are above each other by more than chance has it, each on a part of the axis."""
    at = (np.arange(_LOOKS) + 0.5) / _LOOKS
    heights = np.stack([Path.of(curve).at(at) for curve in several.curves.values()])
    least = _ERRORS * (deviation or 0.0)
    for one, two in combinations(heights, 2):
        gap = one - two
        if min(gap.clip(0).mean(), (-gap).clip(0).mean()) > max(least, 1e-9):
            return False
    return True


class Opposed(NamedTuple):
    """The model with the best accuracy is not the cheapest one."""

    accuracy: Difference
    cost: Difference
    better: str
    cheaper: str


def opposed(differences: Sequence[Difference], level: float) -> Opposed | None:
    """Whether cost and accuracy prefer different models, and one of them at least beyond chance."""
    accuracy = _of_pairs(differences, ("accuracy", "error_rate"))
    cost = _of_pairs(differences, ("mean_cost", "total_cost"))
    better, cheaper = _foremost(accuracy), _foremost(cost)
    if better is None or cheaper is None or better == cheaper:
        return None
    pair = {better, cheaper}
    of_accuracy, of_cost = (
        next(each for each in family if {each.a, each.b} == pair) for family in (accuracy, cost)
    )
    if not any(significant(each, level) for each in (of_accuracy, of_cost)):
        return None
    return Opposed(of_accuracy, of_cost, better, cheaper)


def _of_pairs(differences: Sequence[Difference], metrics: tuple[str, ...]) -> list[Difference]:
    """Every pair of models in the first of these numbers that was compared."""
    families = ([each for each in differences if each.metric == metric] for metric in metrics)
    return next((family for family in families if family), [])


def _foremost(family: Sequence[Difference]) -> str | None:
    """The one model that is ahead of all others."""
    ahead = [each.ahead for each in family]
    others = len({name for each in family for name in (each.a, each.b)}) - 1
    return next((name for name in ahead if ahead.count(name) == others), None)


def disagreement(found: Opposed, values: Values, level: float) -> Finding:
    """TM016: the model with the best accuracy is more expensive than another."""
    accuracy, cost, better, cheaper = found
    unsure = next((each for each in (accuracy, cost) if not significant(each, level)), None)
    chance = "" if unsure is None else f" The difference in {unsure.metric} may be chance ({_p(unsure)})."
    return Finding(
        "TM016",
        f"cost and accuracy disagree: {quoted(better)} has the better {accuracy.metric} "
        f"({_against(accuracy, better, cheaper, values)}), but {quoted(cheaper)} is cheaper "
        f"({cost.metric} {_against(cost, cheaper, better, values)}).{chance} Judge by what errors cost, if "
        "the costs are right.",
        {
            "better": better,
            "cheaper": cheaper,
            accuracy.metric: {name: values[name][accuracy.metric] for name in (better, cheaper)},
            cost.metric: {name: values[name][cost.metric] for name in (better, cheaper)},
        },
    )


def said_of(found: Opposed, values: Values) -> str:
    """The same as a sentence of the verdict, which tells how sure both are."""
    accuracy, cost, better, cheaper = found
    return (
        f"Cost and accuracy disagree: {quoted(better)} has the better {accuracy.metric}, "
        f"{_against(accuracy, better, cheaper, values)} ({_p(accuracy)}), but {quoted(cheaper)} the lower "
        f"{cost.metric}, {_against(cost, cheaper, better, values)} ({_p(cost)})."
    )


def _against(difference: Difference, first: str, second: str, values: Values) -> str:
    one, two = numbers_together(*(values[name][difference.metric] for name in (first, second)))
    return f"{one} against {two}"


def _p(difference: Difference) -> str:
    return "no p-value" if difference.decisive is None else f"p = {number(difference.decisive)}"


def preferred(differences: Sequence[Difference], level: float) -> dict[str, list[str]]:
    """The numbers by which each of two models is better beyond chance."""
    sides: dict[str, list[str]] = {}
    for each in differences:
        if each.ahead is not None and significant(each, level):
            sides.setdefault(each.ahead, []).append(each.metric)
    return sides


def torn(sides: Mapping[str, Sequence[str]], level: float) -> Finding | None:
    """TM017: of two models one is better by some numbers and the other by others, each beyond chance."""
    if len(sides) != 2:
        return None
    told = [f"{quoted(name)} is better by {_listed(metrics)}" for name, metrics in sides.items()]
    of_scores = [
        {ask(metric).metric.about in FROM_SCORES for metric in metrics} for metrics in sides.values()
    ]
    hint = "Choose the number that is about your use before you look."
    if of_scores in ([{False}, {True}], [{True}, {False}]):
        hint = (
            "Answers depend on the threshold; areas and losses do not: look for the best threshold of each."
        )
    return Finding(
        "TM017",
        f"the numbers prefer different models: {', and '.join(told)} (each with p < {1 - level:.10g}, not "
        f"adjusted for their number). {hint}",
        {"better_by": {name: list(metrics) for name, metrics in sides.items()}},
    )


def against(
    sides: Mapping[str, Sequence[str]],
    winner: str | None,
    told: Collection[str],
    evs: Mapping[str, Evaluation],
) -> str:
    """That the other model is better by other numbers than the verdict's, but for those told already."""
    left = [
        (name, metric)
        for name, metrics in sides.items()
        for metric in metrics
        if winner not in (None, name) and metric not in told
    ]
    if not left:
        return ""
    metrics = [metric for _, metric in left]
    cuts = {ev.threshold for ev in evs.values()} - {None}
    of_answers = all(ask(metric).metric.about not in FROM_SCORES for metric in metrics)
    where = f"at the threshold {cuts.pop():g} " if of_answers and len(cuts) == 1 else ""
    return f"But {where}{quoted(left[0][0])} is better by {_listed(metrics)}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def cautions(evs: Mapping[str, Evaluation]) -> list[Finding]:
    """What was found of a model by itself and makes its comparison less sure, too."""
    found: dict[str, Finding] = {}
    for name, ev in evs.items():
        tuned = tuned_here.check(ev)
        if tuned is not None:
            said = f"{quoted(name)}: {tuned.message}"
            found[said] = Finding(tuned.code, said, {"model": name, **tuned.numbers})
        few = few_groups.check(ev)
        if few is not None:
            found.setdefault(few.message, few)
    return list(found.values())
