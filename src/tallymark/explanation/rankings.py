"""Numbers from scores worked out: pairs won and lost, areas, steps of recall, losses, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.explanation.facts import facts, general, meaning
from tallymark.explanation.spread import end_of, natural, percent, wilson_lines
from tallymark.explanation.steps import (
    Explanation,
    Steps,
    assignments,
    both_ends,
    equation,
    goes_on,
    in_one_line,
    names_of,
    prose,
    remark,
    shown,
    worked_out,
)
from tallymark.inference import Estimate, Losses, Ranking
from tallymark.inference.influence import Spread
from tallymark.inference.ranking import WIDER, Part, drawn_variance, reach
from tallymark.intervals import newcombe_bounds
from tallymark.metrics import SCORE_METRICS, Asked, formulas, vocabulary
from tallymark.metrics.scores import pairs_of, rate_distance
from tallymark.tallies import Scores, Sums

_MOST_TERMS = 1_000
"""A sum of more terms is not written out, not even with dots: nobody adds up so many."""
_NEWCOMBE = (
    "area * (1 - area) * (1 + m * ((1 - area) / (2 - area) + area / (1 + area))) / (positives * negatives)"
)


def explain_ranked(asked: Asked, found: Ranking | Losses | str) -> Explanation:
    """How a number from scores and its interval come about; a string says why there are no scores."""
    if isinstance(found, str):
        steps = [*general(asked), prose(f"undefined: {found}")]
        return Explanation(asked.name, meaning(asked), facts(asked), tuple(steps), (), None, found)
    estimate = found.of(asked)
    if estimate.value is None:
        steps = [*general(asked), prose(f"undefined: {estimate.why}")]
    elif isinstance(found, Ranking):
        steps = _ranked(asked, found, estimate.value)
    else:
        assert isinstance(found.sums, Sums)
        steps = _lost(asked, found, estimate.value)
    told = facts(asked)
    if estimate.method not in (None, asked.metric.interval):
        told = tuple(fact for fact in told if not fact.startswith("interval:"))
    return Explanation(
        asked.name,
        meaning(asked),
        told,
        tuple(steps),
        tuple(_interval(asked, found, estimate)),
        estimate.value,
        estimate.why,
    )


# --- values ----------------------------------------------------------------------------------


def _ranked(asked: Asked, ranking: Ranking, value: float) -> Steps:
    t, name = ranking.basis(asked)[0], asked.metric.name
    counts = assignments({"positives": t.n_positive, "negatives": t.n_negative})
    steps = [counts if t.positive is None else remark(counts, f"(positive: {names_of([t.positive])[0]})")]
    if ranking.share is not None and not asked.metric.prevalence_free:
        share = shown(ranking.share)
        steps = [prose(f"counts to expect when {share} of all rows are positive"), *steps]
    if name in ("auc", "gini"):
        return [*steps, *_pairs(asked, t, value)]
    if name == "ks":
        return [*steps, *_largest(t, value)]
    if name == "average_precision":
        return [*steps, *_sum(name, _recall_steps(t), value)]
    limit = vocabulary.parameters(asked.metric, asked.parameters)
    area = SCORE_METRICS["partial_auc"]
    steps += [
        assignments(limit),
        *_sum(area.name, _trapezoids(t, *asked.parameters), area(t, *asked.parameters)),
    ]
    if name == area.name:
        return steps
    numbers = limit | {area.name: area(t, *asked.parameters)}
    return [*steps, *worked_out(name, asked.metric.formula, numbers, value)]


def _pairs(asked: Asked, t: Scores, value: float) -> Steps:
    won, tied, _ = pairs_of(t)
    numbers = {"won": won, "tied": tied, "positives": t.n_positive, "negatives": t.n_negative}
    words = "(pairs of a positive and a negative row: the positive one has the better score, or the same)"
    steps = [remark(assignments({"won": won, "tied": tied}), words)]
    area = SCORE_METRICS["auc"]
    if asked.metric is area:
        return [*steps, *worked_out("auc", area.formula, numbers, value)]
    steps += worked_out("auc", area.formula, numbers, area(t))
    return [*steps, *worked_out(asked.metric.name, asked.metric.formula, {"auc": area(t)}, value)]


def _largest(t: Scores, value: float) -> Steps:
    """The threshold at which the two rates are farthest apart."""
    tpr, fpr = t.tp / t.n_positive, t.fp / t.n_negative
    at = int(np.argmax(rate_distance(t, t.tp, t.fp)))
    steps = [equation("ks", SCORE_METRICS["ks"].formula)]
    if at == 0:  # every score is the same
        return [*steps, goes_on(shown(value), formulas.latex(shown(value)))]
    steps.append(prose(f"largest where score >= {shown(float(t.thresholds[at]))} is called positive"))
    for name, counts, n, rate in (("tpr", t.tp, t.n_positive, tpr), ("fpr", t.fp, t.n_negative, fpr)):
        steps.append(in_one_line(name, "called / n", {"called": counts[at].item(), "n": n}, float(rate[at])))
    distance = {"tpr": float(tpr[at]), "fpr": float(fpr[at])}
    return [*steps, in_one_line("ks", "abs(tpr - fpr)", distance, value)]


def _recall_steps(t: Scores) -> Mapping[str, NDArray[Any]]:
    there = np.flatnonzero(t.positives)
    tp, fp = t.tp[1:][there], t.fp[1:][there]
    return {"step_k": t.positives[there] / t.n_positive, "precision_k": tp / (tp + fp)}


def _trapezoids(t: Scores, fpr: float) -> Mapping[str, NDArray[Any]]:
    """Those of the ROC curve that have a width, up to the limit."""
    x, y = t.fp / t.n_negative, t.tp / t.n_positive
    last = int(np.searchsorted(x, fpr, side="right"))
    if last < len(x):
        along = (fpr - x[last - 1]) / (x[last] - x[last - 1])
        x = np.append(x[:last], fpr)
        y = np.append(y[:last], y[last - 1] + along * (y[last] - y[last - 1]))
    width = np.diff(x)
    return {"width_k": width[width > 0], "height_k": ((y[1:] + y[:-1]) / 2)[width > 0]}


def _sum(name: str, terms: Mapping[str, NDArray[Any]], value: float) -> Steps:
    formula = SCORE_METRICS[name].formula
    number = len(next(iter(terms.values())))
    if number <= _MOST_TERMS:
        lists = {word: each.tolist() for word, each in terms.items()}
        return worked_out(name, formula, lists, value)
    return [
        remark(equation(name, formula), f"(over {number:,} steps)"),
        goes_on(shown(value), formulas.latex(shown(value))),
    ]


def _lost(asked: Asked, losses: Losses, value: float) -> Steps:
    t, metric = losses.sums, asked.metric
    assert isinstance(t, Sums)
    loss = SCORE_METRICS["log_loss" if metric.name == "log_loss" else "brier"]
    total = (t.log_loss if loss.name == "log_loss" else t.brier).total
    several = t.most > 1 and loss.classes_formula
    steps = [equation(loss.name, several or loss.formula)]
    quotient = f"{shown(total)} / {shown(t.weight)}"
    mean = shown(loss(t))
    steps += [goes_on(quotient, formulas.latex(quotient)), goes_on(mean, formulas.latex(mean))]
    if metric.name == "brier_half":
        steps += worked_out(metric.name, metric.formula, {"brier": loss(t), "most": t.most}, value)
    return steps


# --- intervals -------------------------------------------------------------------------------


def _interval(asked: Asked, found: Ranking | Losses, estimate: Estimate) -> Steps:
    if estimate.value is None:
        return []
    if estimate.low is None or estimate.high is None:
        return [prose(f"no interval: {estimate.note}")]
    method = (estimate.method or "").removesuffix("_groups")
    title = prose(f"{percent(estimate.level)} {_TITLES[method]}")
    said = [prose(estimate.note)] if estimate.note else []
    if isinstance(found, Losses):
        steps = _of_losses(asked, found, estimate)
    else:
        steps = _of_ranking(asked, found, estimate, method)
    return [title, *said, *steps, *end_of(estimate)]


_TITLES = {
    "delong": "interval on the logit scale, with DeLong's variance",
    "linearised": "interval on the logit scale, with the variance of the rows' influences",
    "newcombe": "interval of Newcombe (2006), method 5",
    "wilson": "Wilson score interval",
    "wilson_mean": "Wilson score interval, in which acc stands for the mean loss",
    "log_mean": "interval on the log scale",
}


def _of_ranking(asked: Asked, ranking: Ranking, estimate: Estimate, method: str) -> Steps:
    assert estimate.value is not None
    part = ranking.part(asked, estimate.value)
    spread = ranking.spread(asked, part)
    steps: Steps = []
    if ranking.groups is not None:
        steps.append(
            prose("groups are what is independent, so what the rows of a group do is added up first")
        )
    quantile = reach(spread, estimate.level)
    positives, negatives = spread.worth[0], max(1.0, part.limit * spread.worth[1])
    if method == "newcombe":
        letters = {"positives": positives, "negatives": negatives, "m": (positives + negatives) / 2 - 1}
        steps += [
            prose(f"low and high are the areas {shown(quantile)} of their own standard errors away from"),
            prose(f"{shown(part.share)}, and an area has the variance"),
            equation("variance", _NEWCOMBE),
            assignments(letters),
        ]
    elif method == "wilson":
        steps += wilson_lines(part.share * positives, positives, estimate.level)
    else:
        steps += _logit(asked, ranking, part, spread, quantile)
    if WIDER in (estimate.note or ""):
        ends = both_ends(*newcombe_bounds(part.share, positives, negatives, quantile))
        steps.append(prose("Newcombe's low and high are {} and {}".format(*ends)))
    return [*steps, *_way_back(asked, part)]


def _logit(asked: Asked, ranking: Ranking, part: Part, spread: Spread, quantile: float) -> Steps:
    letter, se = "auc", math.sqrt(spread.variance)
    steps: Steps = []
    if asked.metric.interval == "delong" and ranking.groups is None:
        steps = _placements(spread)
    elif asked.parameters:
        letter = "share"
        steps = [prose("share is the partial area divided by max_fpr")]
    elif asked.metric.name == "average_precision":
        letter, se = "ap", math.sqrt(drawn_variance(part, spread))
        steps = [
            prose("the variance is drawn towards the largest there is, as if four positives had shown it")
        ]
    numbers = {letter: part.share, "se": se, "z": quantile}
    steps.append(assignments(numbers))
    for name, formula in (
        ("centre", f"log({letter} / (1 - {letter}))"),
        ("half", f"z * se / ({letter} * (1 - {letter}))"),
        ("low", "1 / (1 + exp(half - centre))"),
        ("high", "1 / (1 + exp(-half - centre))"),
    ):
        numbers[name] = formulas.value(formula, numbers) or 0.0
        steps.append(natural(in_one_line(name, formula, numbers, numbers[name])))
    return steps


def _placements(spread: Spread) -> Steps:
    positives, negatives = spread.worth
    numbers = {
        "s1": spread.parts[0] * positives,
        "s2": spread.parts[1] * negatives,
        "positives": positives,
        "negatives": negatives,
    }
    return [
        prose("the placement of a row is the share of the other class that it is ranked rightly against; s1"),
        prose("and s2 are the variances of the placements of the positives and of the negatives"),
        in_one_line("se", "sqrt(s1 / positives + s2 / negatives)", numbers, math.sqrt(spread.variance)),
    ]


def _way_back(asked: Asked, part: Part) -> Steps:
    if (part.scale, part.shift) == (1.0, 0.0):
        return []
    shift = f" {'-' if part.shift < 0 else '+'} {shown(abs(part.shift))}" if part.shift else ""
    return [prose(f"{asked.name} is {shown(part.scale)} times that{shift}")]


def _of_losses(asked: Asked, losses: Losses, estimate: Estimate) -> Steps:
    spread = losses.spread(asked)
    quantile = spread.reach(estimate.level)
    if asked.metric.name == "log_loss":
        numbers = {"log_loss": spread.mean, "se": math.sqrt(spread.variance), "t": quantile}
        steps = [assignments(numbers)]
        for name, formula in (
            ("half", "t * se / log_loss"),
            ("low", "log_loss * exp(-half)"),
            ("high", "log_loss * exp(half)"),
        ):
            numbers[name] = formulas.value(formula, numbers) or 0.0
            steps.append(in_one_line(name, formula, numbers, numbers[name]))
        return steps
    assert isinstance(losses.sums, Sums)
    most = losses.sums.most
    n = spread.worth(most)
    steps = [
        prose("N is how many rows that lose nothing or everything would tell as much about the mean as these")
    ]
    if losses.groups is not None:
        return [
            *steps,
            prose(f"N = {shown(n)}, and for few groups z is Student's quantile, {shown(quantile)}"),
        ]
    steps += wilson_lines(spread.mean / most * n, n, estimate.level)
    scale = 1 if asked.metric.name == "brier_half" else most
    return [*steps, *([] if scale == 1 else [prose(f"{asked.name} is {shown(scale)} times that")])]
