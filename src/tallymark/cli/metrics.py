"""`tallymark metrics`: the registry on paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import output_options
from tallymark.cli.output import DRAWN, JSON, Output, as_json

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.metrics import Metric

SCHEMA = "tallymark/metrics/1"
LETTERS = (
    "tp: positive and called positive; fn: positive but called negative; fp: negative but called positive; "
    "tn: negative and called negative; n: all rows; K: number of classes; hits_k, actual_k, predicted_k: "
    "rows of class k that were called k, all rows of class k, all rows called k; cost: over all cells of "
    "the matrix, its rows times the cost of one. Where rows have several labels, k is a row: true_k and "
    "called_k are how many labels it has and was given, both_k and either_k how many are in both sets and in "
    "one of them at least, equal_k is 1 when the two sets are the same. Where rows have scores, won and tied "
    "are the pairs of a positive and a negative row that the score puts in the right order or leaves equal; "
    "width_k and height_k are of the trapezoids below the ROC curve, step_k is the recall gained from one "
    "threshold to the next, p_k what row k gave the positive class and own_k what it gave its own."
)

EXAMPLES = examples(
    "tallymark metrics",
    "tallymark metrics --json",
)


@click.command("metrics", context_settings=SETTINGS, epilog=EXAMPLES)
@output_options
def command(*, output: Output) -> None:
    """All metrics: name, which direction is better, range, other names and formula. Those made of counts
    can be averaged over the classes: precision_macro, precision_micro, precision_weighted."""
    output.check((JSON, *DRAWN))
    from tallymark.drawing import drawn

    output.write({**drawn(_document), JSON: lambda: as_json(_form())})


def _document() -> Document:
    from tallymark.drawing import Column, Document, Lines, Paragraph, Section, Table
    from tallymark.metrics import METRICS, SCORE_METRICS, vocabulary

    every = _every()
    columns = tuple(Column(title, "left") for title in ("name", "better", "range", "also called"))
    rows = tuple(
        (as_asked(m), "-" if m.better == "neither" else m.better, _range(m), ", ".join(m.aliases))
        for m in every
    )
    formulas = [line for metric in every for line in _formulas(metric)]
    formulas += [f"{name} = {formula}" for name, formula in vocabulary.HELPERS.items()]
    averages = (
        "The first have averages over the classes, all but the costs: precision_macro, precision_micro, "
        "precision_weighted, f_beta_macro:2. Those from auc on need scores, and the last are about rows that "
        "have several labels. "
        "`tallymark explain NAME` says more about one."
    )
    sections = (
        Section(
            "Metrics",
            (
                Table(columns, rows, rule_before=(len(METRICS), len(METRICS) + len(SCORE_METRICS))),
                Paragraph(averages),
            ),
        ),
        Section("Formulas", (Lines(tuple(formulas)), Paragraph(LETTERS))),
    )
    return Document("", sections)


def as_asked(metric: Metric) -> str:
    """The name with its parameters, as it is typed."""
    return f"{metric.name}:{','.join(metric.parameters).upper()}" if metric.parameters else metric.name


def _range(metric: Metric) -> str:
    low, high = metric.range
    if math.isinf(low):
        return "any"
    return f"from {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _formulas(metric: Metric) -> list[str]:
    from tallymark.metrics import formulas

    lines = [f"{metric.name} = {formulas.text(metric.formula)}"]
    if metric.classes_formula:
        lines.append(f"  for K classes {formulas.text(metric.classes_formula)}")
    return lines


def _form() -> dict[str, Any]:
    return {"schema": SCHEMA, "metrics": [_facts(metric) for metric in _every()]}


def _every() -> list[Metric]:
    from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS

    return [metric for each in (METRICS, SCORE_METRICS, SET_METRICS) for metric in each.values()]


def _facts(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "aliases": list(metric.aliases),
        "formula": metric.formula,
        "classes_formula": metric.classes_formula,
        "better": metric.better,
        "range": [None if math.isinf(end) else end for end in metric.range],
        "undefined": dict(metric.undefined),
        "about": metric.about,
        "towards": list(metric.towards),
        "parameters": list(metric.parameters),
        "reference": metric.reference,
        "meaning": metric.meaning,
    }
