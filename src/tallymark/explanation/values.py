"""The value of a metric worked out with the counts of a sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.explanation.costs import cost_steps
from tallymark.explanation.facts import ALL_COUNTS, AVERAGE_FORMULAS, COUNTS
from tallymark.explanation.label_sets import worked
from tallymark.explanation.steps import (
    Step,
    Steps,
    assignments,
    chain,
    first_classes,
    goes_on,
    in_one_line,
    listing,
    names_of,
    prose,
    remark,
    shown,
    words,
    worked_out,
)
from tallymark.inference import AnySample, Estimate, Sample, SetSample
from tallymark.metrics import METRICS, Asked, ask, formulas, vocabulary
from tallymark.tallies import Binary

UNDEFINED = goes_on("undefined", r"\text{undefined}")


def value_steps(asked: Asked, sample: AnySample, position: int | None, estimate: Estimate) -> Steps:
    """How the value comes about, or where it fails to."""
    if isinstance(sample, SetSample):
        steps = _of_sets(asked, sample, position, estimate)
    else:
        steps = [*_expected(sample), *_steps(asked, sample, position, estimate)]
    return steps if estimate.value is not None else [*steps, prose(f"undefined: {estimate.why}")]


def _of_sets(asked: Asked, sample: SetSample, position: int | None, estimate: Estimate) -> Steps:
    if asked.metric.about == "sets":
        return worked(sample.tally, asked.metric.name, sample.empty_sets)
    if asked.average == "micro":
        return _micro(asked, sample, estimate)
    if asked.average:
        return _mean(f"{asked.metric.name}_{asked.average}", asked, sample, estimate)
    return [] if position is None else _one_class(asked, sample, position, estimate)


def _steps(asked: Asked, sample: Sample, position: int | None, estimate: Estimate) -> Steps:
    metric, size = asked.metric, len(sample.confusion.labels)
    if asked.average == "micro":
        return _micro(asked, sample, estimate)
    if asked.average:
        return _mean(f"{metric.name}_{asked.average}", asked, sample, estimate)
    if metric.name in ("total_cost", "mean_cost"):
        return cost_steps(metric.name, sample, estimate)
    two = position is not None and size == 2
    if metric.name == "balanced_accuracy" and not (two and sample.margins.actual.all()):
        return _mean(metric.name, ask("recall_macro"), sample, estimate)
    if position is not None and (metric.about == "class" or two):
        return _one_class(asked, sample, position, estimate)
    return _all_classes(asked, sample, estimate)


def _expected(sample: Sample) -> Steps:
    if sample.shares is None:
        return []
    named = zip(names_of(sample.confusion.labels), sample.shares.tolist(), strict=True)
    shares = listing([f"{name} {shown(share)}" for name, share in named])
    return [prose(f"counts to expect when the class shares are {shares}")]


# --- one formula -----------------------------------------------------------------------------


def _one_class(asked: Asked, sample: AnySample, position: int, estimate: Estimate) -> Steps:
    tally, labels = sample.classes[position], sample.labels
    rest = "" if len(labels) == 2 else " against the rest"
    counts = {name: getattr(tally, name) for name in COUNTS}
    first = remark(assignments(counts), f"(positive: {names_of(labels)[position]}{rest})")
    total = in_one_line("n", ALL_COUNTS, counts, tally.n)
    needs_total = "n" in formulas.names(asked.metric.formula)
    return [
        first,
        *([total] if needs_total else []),
        *_from_counts(asked, asked.metric.name, tally, estimate),
    ]


def _from_counts(asked: Asked, left: str, tally: Binary, estimate: Estimate) -> Steps:
    numbers = vocabulary.of_binary(tally)
    parameters = vocabulary.parameters(asked.metric, asked.parameters)
    steps = [assignments(parameters)] if parameters else []
    formula = asked.metric.formula
    steps += _parts(formula, numbers)
    return steps + worked_out(left, formula, numbers | parameters, estimate.value)


def _parts(formula: str, numbers: dict[str, Any]) -> Steps:
    """Works out what a formula is written with, and adds it to the numbers."""
    steps: Steps = []
    for name in formulas.names(formula):
        if name in vocabulary.HELPERS:
            steps += worked_out(name, vocabulary.HELPERS[name], numbers, numbers[name])
        elif name in METRICS:
            longer = METRICS[name].formula
            steps += _parts(longer, numbers)
            numbers[name] = formulas.value(longer, numbers)
            steps += worked_out(name, longer, numbers, numbers[name])
            steps += [UNDEFINED] if numbers[name] is None else []
    return steps


def _all_classes(asked: Asked, sample: Sample, estimate: Estimate) -> Steps:
    formula = asked.metric.classes_formula or asked.metric.formula
    numbers = vocabulary.of_margins(sample.margins)
    steps = [prose(f"classes k: {listing(names_of(sample.confusion.labels))}")]
    for name in formulas.names(formula):
        if name == "n":
            steps.append(assignments({"n": numbers["n"]}))
        else:
            given = listing([shown(number) for number in numbers[name]])
            steps.append(Step(f"{name}: {given}", formulas.latex(name) + words(f": {given}")))
    return [*steps, *worked_out(asked.metric.name, formula, numbers, estimate.value)]


# --- averages --------------------------------------------------------------------------------


def _micro(asked: Asked, sample: AnySample, estimate: Estimate) -> Steps:
    each, pooled = sample.each, sample.pooled
    counts = {name: getattr(pooled, name) for name in COUNTS}
    steps = [prose("the counts of every class against its rest, added up")]
    for name, total in counts.items():
        steps.append(in_one_line(name, f"sum({name}_k)", {f"{name}_k": getattr(each, name)}, total))
    if "n" in formulas.names(asked.metric.formula):
        steps.append(in_one_line("n", ALL_COUNTS, counts, sum(counts.values())))
    return steps + _from_counts(asked, f"{asked.metric.name}_micro", pooled, estimate)


def _mean(left: str, asked: Asked, sample: AnySample, estimate: Estimate) -> Steps:
    stem, names = asked.metric.name, names_of(sample.labels)
    first = first_classes(len(names))
    steps = [_of_class(asked, sample, position, names[position]) for position in first]
    if len(names) > len(steps):
        steps.append(prose(f"... and so on for all {len(names)} classes"))
    values = np.asarray(asked.metric(sample.each, *asked.parameters), float)
    kept = ~np.isnan(values)
    missing = listing([names[position] for position in np.flatnonzero(~kept)])
    if missing:
        fate = "left out" if sample.undefined_as is None else f"counted as {shown(sample.undefined_as)}"
        steps.append(prose(f"undefined, so {fate}: {missing}"))
    if sample.undefined_as is not None:
        values = np.where(kept, values, sample.undefined_as)
        kept = np.full(len(values), True)
    numbers = {
        f"{stem}_k": values[kept].tolist(),
        "actual_k": sample.each.actual_positive[kept].tolist(),
        "K": int(kept.sum()),
    }
    formula = AVERAGE_FORMULAS[asked.average or "macro"].format(name=stem)
    return [*steps, *worked_out(left, formula, numbers, estimate.value)]


def _of_class(asked: Asked, sample: AnySample, position: int, name: str) -> Step:
    """`precision of 'a' = 512 / 550 = 0.9309`."""
    tally, formula = sample.classes[position], asked.metric.formula
    numbers = vocabulary.of_binary(tally) | vocabulary.parameters(asked.metric, asked.parameters)
    _parts(formula, numbers)
    shorter = formulas.reduced(formula, numbers)
    text = shorter or formulas.worked(formula, numbers)
    typeset = formulas.latex(shorter) if shorter else formulas.latex(formula, numbers)
    left = f"{asked.metric.name} of {name}", formulas.latex(asked.metric.name) + words(f" of {name}")
    value = float(asked.metric(tally, *asked.parameters))
    if not math.isnan(value):
        return chain(left, (text, typeset), (shown(value), formulas.latex(shown(value))))
    why = f", undefined: {sample.of_class(asked, position).why}"
    return chain(left, (text + why, typeset + words(why)))
