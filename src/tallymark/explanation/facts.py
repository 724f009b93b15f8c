"""What is true of a metric without any counts: its meaning, its facts and its general formula."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from tallymark.explanation.steps import Step, Steps, assignments, chain, equation, prose, remark, words
from tallymark.metrics import Asked, Metric, formulas, plainly, vocabulary

KINDS_OF_AVERAGE = {
    "macro": "mean over the classes, each counting the same.",
    "weighted": "mean over the classes, each counting as often as it has actual rows.",
    "micro": "worked out once, from the counts of every class against its rest added up.",
}
AVERAGE_FORMULAS = {
    "macro": "sum({name}_k) / K",
    "weighted": "sum(actual_k * {name}_k) / sum(actual_k)",
}
COUNTS = ("tp", "fn", "fp", "tn")
ALL_COUNTS = " + ".join(COUNTS)
IDENTITY = "n * (q - (q - p) * accuracy)"
COST_TEXT, COST_LATEX = "sum over the cells of count * cost", r"\sum_{i,j} n_{ij} \cdot C(j \mid i)"

_DEFINITIONS = {
    "tp": "actual positive, called positive",
    "fn": "actual positive, called negative",
    "fp": "actual negative, called positive",
    "tn": "actual negative, called negative",
    "n": "all rows",
    "K": "number of classes",
    "hits_k": "rows of class k that were called class k",
    "actual_k": "rows that are class k",
    "predicted_k": "rows that were called class k",
    "beta": "how many times as much recall counts as precision",
    "w1": "weight of tp",
    "w2": "weight of fn",
    "w3": "weight of fp",
    "w4": "weight of tn",
    "p": "cost of every right answer",
    "q": "cost of every wrong answer",
    "equal_k": "1 where the two sets of row k are the same, else 0",
    "true_k": "labels in the true set of row k",
    "called_k": "labels in the predicted set of row k",
    "both_k": "labels in both sets of row k",
    "either_k": "labels in at least one of the two sets of row k",
    "won": "pairs of a positive and a negative row in which the positive one has the better score",
    "tied": "such pairs in which both have the same score",
    "positives": "rows that are actually positive",
    "negatives": "rows that are actually negative",
    "tpr_k": "true positive rate at threshold k, over all thresholds",
    "fpr_k": "false positive rate at threshold k",
    "width_k": "how far the false positive rate goes from threshold k to the next, up to max_fpr",
    "height_k": "mean of the true positive rates at both",
    "max_fpr": "the largest false positive rate that counts",
    "step_k": "recall gained from one threshold to the next, from the highest down",
    "precision_k": "precision where that recall is reached",
    "p_k": "probability that row k gave to the positive class",
    "y_k": "1 where row k is positive, else 0",
    "distance_k": "squared distances of row k's probabilities from 1 for its class and from 0 for the others",
    "most": "the largest distance there can be: 1 with two classes, else 2",
    "own_k": "probability that row k gave to its own class",
    "bin_k": "rows whose probability lies in bin k",
    "observed_k": "share of them for which it came true",
    "stated_k": "their mean probability",
    "n_bins": "number of bins, equally wide; each holds its upper end",
    "auc_k": "area under the ROC curve that tells class k from all others",
    "area_k": "mean of the two areas of a pair of classes, each ranked by its own probability",
    "pairs": "pairs of classes",
    "rows_k": "rows of the two classes of a pair",
    "within": "rows whose class is among the k most probable ones; of equals the first in label order",
    "k": "how many classes may be named",
}
_INTERVALS = {
    "wilson": "interval: Wilson score interval of a share of rows",
    "jaccard": "interval: Wilson score interval of tp among tp + fp + fn",
    "f1": "interval: Wilson score interval of J = tp / (tp + fp + fn), carried over by F = 2 J / (1 + J)",
    "wilson_mean": "interval: Wilson score interval of as many rows, right or wrong, as tell as much",
    "log": "interval: normal on the log scale",
    "draws": "interval: Dirichlet draws over the cells",
    "none": "no interval: the largest of several shares has no honest one",
    "micro": "interval: Wilson score interval of the accuracy, carried over",
    "accuracy": "interval: Wilson score interval of the accuracy, which it is equal to",
    "constant": "no interval: it is the same whatever the answers",
    "delong": "interval: with DeLong's variance, on the logit scale",
    "linearised": "interval: with the variance of the rows' influences, on the logit scale",
    "log_mean": "interval: Student's, on the log scale",
    "chance_adds": "no interval: chance makes distances that all count as positive; the note tells how much",
    "largest_distance": "no interval: the largest over all thresholds, so one around it would be biased",
}
_BETTER = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither high nor low is better",
}


def meaning(asked: Asked) -> str:
    """One sentence."""
    if asked.average is None:
        return asked.metric.meaning
    return f"{asked.metric.meaning.rstrip('.')}; {KINDS_OF_AVERAGE[asked.average]}"


def facts(asked: Asked) -> tuple[str, ...]:
    """Range and direction, when undefined, biases, stability, interval, other names, where to read."""
    metric = asked.metric
    found = [f"{_range(*metric.range)}, {_BETTER[metric.better]}", *_when_undefined(asked)]
    if metric.towards and not asked.average:
        cells = ", ".join(metric.towards)
        found.append(f"biased towards {cells} of the cost matrix C(predicted | actual)")
    if metric.prevalence_free and not asked.average:
        found.append("stays the same when only the class shares change")
    found.append(_interval(asked if asked.average else plainly(asked)))
    if metric.aliases:
        ending = f"_{asked.average}" if asked.average else ""
        found.append(f"also called {', '.join(alias + ending for alias in metric.aliases)}")
    return (*found, f"reference: {metric.reference}")


def _range(low: float, high: float) -> str:
    if math.isinf(low):
        return "any number"
    return f"from {low:g} up" if math.isinf(high) else f"from {low:g} to {high:g}"


def _when_undefined(asked: Asked) -> list[str]:
    metric = asked.metric
    if asked.average in ("macro", "weighted"):
        each = [f"undefined for a class when {case}" for case in _cases(metric.undefined)]
        return [*each, "classes for which it is undefined are left out and named, unless told otherwise"]
    if metric.name == "balanced_accuracy" and not asked.average:
        return ["classes without rows are left out and named, unless told otherwise"]
    found = [f"undefined when {case}" for case in _cases(metric.undefined)]
    if metric.classes_undefined != metric.undefined and not asked.average:
        found += [f"for K classes undefined when {case}" for case in _cases(metric.classes_undefined)]
    return found


def _cases(undefined: Mapping[str, str]) -> Iterable[str]:
    return (f"{formulas.text(zero)} = 0: {meaning}" for zero, meaning in undefined.items())


def _interval(asked: Asked) -> str:
    if asked.metric.name == "ks":
        return _INTERVALS["largest_distance"]
    if asked.metric.about == "calibration":
        return _INTERVALS["chance_adds"]
    if asked.average is None:
        return _INTERVALS[asked.metric.interval]
    stem, average = asked.metric.name, asked.average
    if average in ("macro", "micro") and stem in ("prevalence", "predicted_positive_rate"):
        return _INTERVALS["constant"]
    if average == "micro":
        return _INTERVALS["constant" if stem == "no_information_rate" else "micro"]
    if asked.metric.interval == "none":
        return _INTERVALS["none"]
    return _INTERVALS["accuracy" if (stem, average) == ("recall", "weighted") else "draws"]


# --- the general formula ---------------------------------------------------------------------


def general(asked: Asked) -> Steps:
    """The formula in letters, and what the letters mean."""
    metric = asked.metric
    if metric.name in ("total_cost", "mean_cost"):
        return _general_cost(metric)
    letters = _letters(metric.formula)
    if asked.average in AVERAGE_FORMULAS:
        average = AVERAGE_FORMULAS[asked.average].format(name=metric.name)
        steps = [equation(f"{metric.name}_{asked.average}", average), *_formula(metric, f"{metric.name}_k")]
        steps.append(prose("in each of them class k is the positive one and all others are negative"))
        letters.append("actual_k" if asked.average == "weighted" else "K")
    elif asked.average == "micro":
        letters = [*COUNTS, *(name for name in letters if name not in COUNTS)]
        steps = [*_pooled(letters), *_formula(metric, f"{metric.name}_micro")]
        letters = [name for name in letters if name != "n"]
    else:
        steps = _formula(metric, metric.name)
    if metric.classes_formula and not asked.average:
        steps.append(remark(equation(metric.name, metric.classes_formula), "(for K classes)"))
        letters += _letters(metric.classes_formula)
    values = vocabulary.parameters(metric, asked.parameters) if asked.parameters else {}
    return [*steps, *([assignments(values)] if values else []), *_definitions(letters)]


def _pooled(letters: list[str]) -> Steps:
    steps = [equation(name, f"sum({name}_k)") for name in COUNTS]
    steps.append(prose("in each term class k is the positive one and all others are negative"))
    return [*steps, equation("n", ALL_COUNTS)] if "n" in letters else steps


def _formula(metric: Metric, left: str) -> Steps:
    """The formula, and those of the names in it that stand for something longer."""
    steps = [equation(left, metric.formula)]
    for name in formulas.names(metric.formula):
        if name in vocabulary.HELPERS:
            steps.append(equation(name, vocabulary.HELPERS[name]))
    for used in vocabulary.used_metrics(metric.formula):
        steps += _formula(used, used.name)
    return steps


def _letters(formula: str) -> list[str]:
    """Counts and totals a formula comes down to."""
    found: list[str] = []
    for name in formulas.names(formula):
        longer = vocabulary.HELPERS.get(name)
        longer = longer or next((m.formula for m in vocabulary.used_metrics(name)), None)
        found += _letters(longer) if longer else [name]
    return list(dict.fromkeys(found))


def _definitions(names: Iterable[str]) -> Steps:
    return [_definition(name) for name in dict.fromkeys(names)]


def _definition(name: str) -> Step:
    text = _DEFINITIONS.get(name) or f"{name.removesuffix('_k')} of class k"
    return Step(f"{name}: {text}", formulas.latex(name) + words(f": {text}"))


def _general_cost(metric: Metric) -> Steps:
    steps = [cost_formula("total_cost")]
    if metric.name == "mean_cost":
        steps = [cost_formula("cost"), equation("mean_cost", metric.formula)]
    same = "(where every right answer costs the same, and so does every wrong one)"
    return [*steps, remark(equation("cost", IDENTITY), same), *_definitions(("n", "p", "q"))]


def cost_formula(left: str) -> Step:
    """The sum over the cells, in words and in signs."""
    return chain((left, formulas.latex(left)), (COST_TEXT, COST_LATEX))
