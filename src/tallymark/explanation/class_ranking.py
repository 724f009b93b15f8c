"""Numbers about all classes at once worked out: areas of classes or of pairs of them, the first k places."""

from __future__ import annotations

import math

from tallymark.drawing import level_text
from tallymark.explanation.facts import facts, general, meaning
from tallymark.explanation.spread import end_of, natural, wilson_lines
from tallymark.explanation.steps import (
    Explanation,
    Steps,
    assignments,
    equation,
    first_classes,
    goes_on,
    in_one_line,
    line_by_line,
    names_of,
    precise,
    prose,
    remark,
    shown,
    worked_out,
)
from tallymark.inference import Estimate
from tallymark.inference.classes.ranking import AreaSpread, ClassRanking, alike_bounds
from tallymark.intervals import student_quantile
from tallymark.metrics import Asked, formulas, vocabulary
from tallymark.metrics.classes import AREAS, words_of

_MOST_TERMS = 1_000
"""A sum of more terms is not written out, not even with dots: nobody adds up so many."""
_ALIKE = "mean * (1 - mean) * (by_rows * part + by_pairs * (1 - part))"


def explain_classes(asked: Asked, found: ClassRanking | str) -> Explanation:
    """How a number about all classes and its interval come about; a string says why there are no scores."""
    estimate = None if isinstance(found, str) else found.of(asked)
    why = found if isinstance(found, str) else None if estimate is None else estimate.why
    if isinstance(found, str) or estimate is None or estimate.value is None:
        steps = [*general(asked), prose(f"undefined: {why}")]
        return Explanation(asked.name, meaning(asked), facts(asked), tuple(steps), (), None, why)
    told = facts(asked)
    if found.groups is not None or estimate.method == "newcombe":
        # Here the interval is made in another way than the metric's usual one.
        told = tuple(fact for fact in told if not fact.startswith("interval:"))
    return Explanation(
        asked.name,
        meaning(asked),
        told,
        tuple(_value(asked, found, estimate.value)),
        tuple(_interval(asked, found, estimate)),
        estimate.value,
        None,
    )


# --- values ----------------------------------------------------------------------------------


def _value(asked: Asked, ranking: ClassRanking, value: float) -> Steps:
    t, metric = ranking.ranks, asked.metric
    if metric.name not in AREAS:
        within = t.places[: int(asked.parameters[0])].sum().item()
        numbers = {"within": within, "n": t.places.sum().item()}
        words = "(rows whose class is among the k most probable)"
        given = assignments(vocabulary.parameters(metric, asked.parameters))
        return [
            given,
            remark(assignments({"within": within}), words),
            *worked_out(metric.name, metric.formula, numbers, value),
        ]
    steps = _of_classes(ranking) if "ovr" in metric.name else _of_pairs(ranking)
    numbers = words_of(t)
    if max(numbers["K"], numbers["pairs"]) <= _MOST_TERMS:
        return [*steps, *worked_out(metric.name, metric.formula, numbers, value)]
    return [
        *steps,
        equation(metric.name, metric.formula),
        goes_on(shown(value), formulas.latex(shown(value))),
    ]


def _of_classes(ranking: ClassRanking) -> Steps:
    """The area of every class against all others, as a share of pairs."""
    t = ranking.ranks
    there = t.there.nonzero()[0].tolist()
    names = names_of([t.labels[position] for position in there])
    steps = [prose("of every class k against all others: pairs of rows that its own score ranks rightly")]
    for place in first_classes(len(there)):
        position = there[place]
        own = t.support[position].item()
        rest = float(t.n - own)
        numbers = {"won": float(t.one_vs_rest[position]) * own * rest, "positives": own, "negatives": rest}
        area = in_one_line("auc_k", "won / (positives * negatives)", numbers, float(t.one_vs_rest[position]))
        steps.append(remark(area, f"({names[place]})"))
    return [*steps, *_more(len(there), "classes")]


def _of_pairs(ranking: ClassRanking) -> Steps:
    """Of every two classes the mean of the areas by either's own score."""
    t = ranking.ranks
    steps = [
        prose("of every pair k of classes, among their rows only: the area by the score of the one, and by"),
        prose("the score of the other"),
    ]
    names = names_of(t.labels)
    first, second = t.pairs
    for place in first_classes(len(first)):
        one, two = int(first[place]), int(second[place])
        numbers = {"one": float(t.areas[one, two]), "other": float(t.areas[two, one])}
        area = in_one_line("area_k", "(one + other) / 2", numbers, float(t.pair_areas[place]))
        steps.append(remark(area, f"({names[one]} and {names[two]})"))
    return [*steps, *_more(len(first), "pairs")]


def _more(number: int, what: str) -> Steps:
    left = number - len(first_classes(number))
    return [prose(f"and so on for {left:,} more {what}")] if left else []


# --- intervals -------------------------------------------------------------------------------


def _interval(asked: Asked, ranking: ClassRanking, estimate: Estimate) -> Steps:
    if estimate.low is None or estimate.high is None:
        return [prose(f"no interval: {estimate.note}")]
    said = [prose(estimate.note)] if estimate.note else []
    level = level_text(estimate.level)
    if asked.metric.name not in AREAS:
        top = ranking.tops[int(asked.parameters[0]) - 1]
        title = prose(f"{level} Wilson score interval, in which acc stands for {asked.metric.name}")
        student = None if ranking.groups is None else student_quantile(estimate.level, top.freedom)
        lines = wilson_lines(float(estimate) * top.worth, top.worth, estimate.level, student)
        return [title, *said, *_worth(ranking), *lines, *end_of(estimate)]
    spread = ranking.areas[AREAS.index(asked.metric.name)]
    quantile = student_quantile(estimate.level, spread.freedom)
    groups = [] if ranking.groups is None else _by_group(spread.freedom)
    if (estimate.method or "").startswith("newcombe"):
        title = prose(f"{level} interval of areas taken to be equal, after Newcombe (2006), method 5")
        return [title, *said, *groups, *_alike(ranking, spread, quantile), *end_of(estimate)]
    title = prose(f"{level} interval on the logit scale, with the variance of the rows' influences")
    steps = [title, *said, *groups, *_logit(ranking, float(estimate), spread, quantile)]
    if "wider" in (estimate.note or ""):
        low, high = alike_bounds(float(estimate), spread, quantile)
        steps.append(prose(f"areas taken to be equal give {precise(low)} and {precise(high)}:"))
        steps += _alike(ranking, spread, quantile)
    return [*steps, *end_of(estimate)]


def _worth(ranking: ClassRanking) -> Steps:
    if ranking.groups is not None:
        return [prose("N is how many independent rows would tell as much as these groups")]
    if ranking.weighted:
        return [prose("rows have weights w, so N is Kish's effective number, (sum of w)^2 / sum of w^2")]
    return []


def _by_group(freedom: float) -> Steps:
    return [
        prose("groups are what is independent, so what the rows of a group do is added up first"),
        prose(f"t is Student's quantile with {shown(freedom)} degrees of freedom, for groups are few"),
    ]


def _letter(ranking: ClassRanking) -> str:
    return "z" if ranking.groups is None else "t"


def _logit(ranking: ClassRanking, value: float, spread: AreaSpread, quantile: float) -> Steps:
    letter = _letter(ranking)
    numbers = {"mean": value, "se": math.sqrt(spread.variance), letter: quantile}
    steps = [
        prose("a row's influence is by how much of other classes it beats, and how much of them beats it"),
        assignments(numbers, precise),
        *line_by_line(
            numbers,
            ("centre", "log(mean / (1 - mean))"),
            ("half", f"{letter} * se / (mean * (1 - mean))"),
            ("low", "1 / (1 + exp(half - centre))"),
            ("high", "1 / (1 + exp(-half - centre))"),
        ),
    ]
    return [natural(step) for step in steps]


def _alike(ranking: ClassRanking, spread: AreaSpread, quantile: float) -> Steps:
    return [
        prose(f"low and high are the means {_letter(ranking)} = {precise(quantile)} of their own standard"),
        prose("errors away from the one at hand, and a mean has the variance"),
        equation("variance", _ALIKE),
        equation("part", "(1 - mean) / (2 - mean) + mean / (1 + mean)"),
        prose("by_rows and by_pairs say how much rows and pairs of rows add, by how many each class has"),
        assignments({"by_rows": spread.by_rows, "by_pairs": spread.by_pairs}, precise),
    ]
