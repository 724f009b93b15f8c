"""A learning curve described as a document, for any pen to draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, interval, number
from tallymark.drawing import name as visible
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.described import findings_sections
from tallymark.validation.validating.outputs.description import in_words

if TYPE_CHECKING:
    from tallymark.inference import Estimate
    from tallymark.validation.learning.progressive import Gain, Stop
    from tallymark.validation.learning.result import LearningCurve, ModelCurve, Point

TIMES = (2, 10)
_WORDS = {2: "twice", 10: "ten times"}


def describe(curve: LearningCurve) -> Document:
    """Sections in the order people read them."""
    sections = [
        Section("Learning curve", tuple(_opening(curve))),
        Section(f"{curve.metric}{_way(curve)} by training rows", tuple(_tables(curve))),
        Section("More data", tuple(Paragraph(text) for text in more_data(curve))),
    ]
    if curve.stopped is not None:
        told = (Paragraph(stopping(curve.stopped, curve.metric)),)
        sections.insert(1, Section("Progressive sampling", told))
    return Document("", (*sections, *findings_sections(curve.findings)))


def _way(curve: LearningCurve) -> str:
    better = next(iter(curve.models.values())).asked.metric.better
    return "" if better == "neither" else f" ({better} is better)"


def _opening(curve: LearningCurve) -> Iterator[Block]:
    data, folds = curve.data, curve.folds
    names = [quoted(name) for name in curve.models]
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    said = [
        f"{who} on {count(data.rows)} rows, {len(data.labels)} classes: {listed(data.labels)[1:-1]}.",
        *([f"Positive class: {quoted(data.positive)}."] if data.positive is not None else []),
        f"{folds.method[:1].upper()}{folds.method[1:]}: {_sizes(curve)}.",
        f"Sizes: {curve.schedule.name}. {_subsets(curve)}",
    ]
    yield Paragraph(" ".join(said))
    yield from (Paragraph(in_words(model.name, model.pipeline)) for model in curve.models.values())
    for note in curve.notes:
        yield Paragraph(f"Note: {note}")


def _sizes(curve: LearningCurve) -> str:
    train = count(curve.schedule.sizes[-1])
    test = round(float(np.mean([fold.n_test for fold in curve.folds.folds])))
    return f"up to {train} rows to train on and {count(test)} to test on"


def _subsets(curve: LearningCurve) -> str:
    grouped = curve.data.groups is not None and curve.data.groups.ndim == 1
    how = "consists of whole groups" if grouped else "has the same class shares"
    every = "All models learn from the same ones. " if len(curve.models) > 1 else ""
    return (
        f"Each training subset of a repeat contains the smaller ones and {how}. {every}All sizes of a repeat "
        "are tested on the same rows."
    )


def _tables(curve: LearningCurve) -> Iterator[Block]:
    several = len(curve.models) > 1
    for name, model in curve.models.items():
        yield _table(model, visible(name) if several else "")
    yield Paragraph(" ".join(_legend(curve)))


def _table(model: ModelCurve, title: str) -> Table:
    level = f"{model.level * 100:.10g} % interval"
    heads = ["rows", "mean", level, "deviation", "training", "s/fit"]
    undefined = any(point.undefined for point in model.points)
    grouped = any(round(point.n_train) != point.size for point in model.points[:-1])
    columns = [Column(head) for head in heads]
    columns[1:1] = [Column("on average")] if grouped else []
    columns += [Column("undefined")] if undefined else []
    rows = []
    for point in model.points:
        cells = [
            number(point.mean.value),
            interval(point.mean.low, point.mean.high),
            number(point.deviation) if point.deviation is not None else "-",
            number(point.training) if point.training is not None else "-",
            _seconds(point),
        ]
        cells[:0] = [count(round(point.n_train))] if grouped else []
        cells += [f"{point.undefined} of {len(point.values)}"] if undefined else []
        rows.append((count(point.size), *cells))
    return Table(tuple(columns), tuple(rows), title)


def _seconds(point: Point) -> str:
    return f"{point.seconds:.2g}" if point.seconds < 10 else count(round(point.seconds))


def _legend(curve: LearningCurve) -> Iterator[str]:
    yield (
        "Mean and deviation are over the repeats. The interval is of the mean, by the corrected t, for "
        "repeats share rows (Nadeau and Bengio 2003). Training: on the rows learned."
    )
    whys = [
        why
        for model in curve.models.values()
        for point in model.points
        for why in ([point.mean.why] if point.mean.value is None else point.whys)
        if why
    ]
    yield from (f"Undefined: {why}." for why in list(dict.fromkeys(whys))[:3])
    if curve.baseline.value is not None:
        yield f"Always answering the most frequent class: {number(curve.baseline.value)}."


# --- what more data would buy ------------------------------------------------------------------------


def more_data(curve: LearningCurve) -> Iterator[str]:
    """What twice and ten times the rows would buy each model, in a sentence; or why nobody can say."""
    several = len(curve.models) > 1
    for name, model in curve.models.items():
        who = f"{quoted(name)}: " if several else ""
        text = _bought(model, curve.metric)
        yield f"{who}{text}" if who else f"{text[:1].upper()}{text[1:]}"
    if any(not isinstance(model.law, str) for model in curve.models.values()):
        level = next(iter(curve.models.values())).level
        yield (
            f"In brackets a rough band: {level * 100:.10g} % is asked of it and no promise. It takes for "
            "granted that the curve goes on as an inverse power law (a - b n^-c) or nearly so; a model of "
            "another kind, or data that differ from these, would be another curve."
        )


def _bought(model: ModelCurve, metric: str) -> str:
    last = int(model.sizes[-1])
    gains = {times: model.gain(times * last) for times in TIMES}
    if isinstance(model.law, str):
        return f"what more data would buy cannot be said: {model.law}."
    parts = [
        f"{_WORDS[times]} the {count(last)} training rows ({count(times * last)}) would "
        f"{_amount(gain, metric, lower=model.sign < 0)}"
        if times == TIMES[0]
        else f"{_WORDS[times]} ({count(times * last)}) {_amount(gain, '', lower=model.sign < 0, short=True)}"
        for times, gain in gains.items()
    ]
    return f"{', '.join(parts)}."


def _amount(gain: Estimate, metric: str, *, lower: bool, short: bool = False) -> str:
    band = "" if gain.low is None else f" ({number(gain.low)} to {number(gain.high)})"
    about = f"about {number(gain.value)}"
    if short:
        return f"{'by ' if lower else ''}{about}{band}"
    return f"lower {metric} by {about}{band}" if lower else f"buy {about} {metric}{band}"


# --- progressive sampling ----------------------------------------------------------------------------


def stopping(stop: Stop, metric: str) -> str:
    """Where it stopped, why, with which error, and what that saved."""
    rule = (
        f"The rule: each of the last two doublings of the rows gained less than {number(stop.tolerance)} "
        f"{metric} by its upper {stop.level * 100:.10g} % confidence bound, and the model is not just as "
        "good as always answering the most frequent class. In simulations made to mislead it, up to 3 of 100 "
        "runs with 95 % bounds stopped where the last doubling was in truth worth it. A later jump of the "
        "curve would go unseen."
    )
    told = "; ".join(_doubling(name, gain, len(stop.gains) > 1) for name, gain in stop.gains.items())
    if not stop.early:
        ran = f"All sizes were run, up to the whole {count(stop.whole)} training rows"
        return f"{ran}: {told or 'no size is half of another'}. {rule}"
    plural = "s were" if len(stop.left_out) > 1 else " was"
    return (
        f"Stopped at {count(stop.size)} of {count(stop.whole)} training rows, because more no longer pay: "
        f"{told}. {len(stop.left_out)} larger size{plural} not run, which saves {count(stop.fits)} fits and "
        f"{stop.rows * 100:.0f} % of all rows to learn from. {rule}"
    )


def _doubling(name: str, gain: Gain, several: bool) -> str:
    who = f"{quoted(name)}, " if several else ""
    most = "the same in every repeat, which bounds nothing"
    if gain.upper is not None:
        most = f"at most {number(gain.upper)}"
    return f"{who}from {count(gain.before)} to {count(gain.after)} rows {number(gain.value)}, {most}"
