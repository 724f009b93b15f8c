"""Numbers from scores worked out: pairs won and lost, areas, steps of recall, losses, and their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.explanation.calibrated import explain_calibrated
from tallymark.explanation.facts import facts, general, meaning
from tallymark.explanation.ranking_intervals import ranked_interval
from tallymark.explanation.spread import certified
from tallymark.explanation.steps import (
    Explanation,
    Steps,
    assignments,
    equation,
    goes_on,
    in_one_line,
    names_of,
    prose,
    remark,
    shown,
    worked_out,
)
from tallymark.inference import Calibrated, ClassRanking, Losses, Ranking
from tallymark.metrics import SCORE_METRICS, Asked, formulas, vocabulary
from tallymark.metrics.scores import pairs_of, rate_distance
from tallymark.tallies import Scores, Sums

_MOST_TERMS = 1_000
"""A sum of more terms is not written out, not even with dots: nobody adds up so many."""


def explain_ranked(asked: Asked, found: Ranking | Losses | Calibrated | ClassRanking | str) -> Explanation:
    """How a number from scores and its interval come about; a string says why there are no scores."""
    if isinstance(found, Calibrated):
        return explain_calibrated(asked, found)
    if isinstance(found, ClassRanking):
        from tallymark.explanation.class_ranking import explain_classes

        return explain_classes(asked, found)
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
        (*steps, *certified(estimate)),
        tuple(ranked_interval(asked, found, estimate)),
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
    same = "the same" if t.exact else "one in the same bin"
    words = f"(pairs of a positive and a negative row: the positive one has the better score, or {same})"
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
