"""Numbers about label sets worked out: one term per kind of row, added up over the rows."""

from __future__ import annotations

import numpy as np

from tallymark.explanation.steps import Steps, equation, goes_on, prose, shown
from tallymark.metrics import ask, formulas
from tallymark.metrics.label_sets import ROW_VALUES, conventions
from tallymark.tallies import LabelSets

_TERMS = {
    "hamming_loss": "({either} - {both}) / {labels}",
    "accuracy_example": "{both} / {either}",
    "precision_example": "{both} / {called}",
    "recall_example": "{both} / {true}",
    "f1_example": "2 * {both} / ({true} + {called})",
}
_MOST_TERMS = 8


def worked(tally: LabelSets, name: str, empty_sets: float = 1.0) -> Steps:
    """The formula, the sum over the kinds of rows, and what it comes to.

    `3 x 2 * 1 / (2 + 1)`: three rows have sets of these sizes. Of many kinds the most frequent are shown.
    """
    metric = ask(name).metric
    value = metric(tally, empty_sets)
    steps = [equation(metric.name, metric.formula)]
    if np.isnan(value):
        return steps
    quotient = f"{shown(value * tally.n)} / {shown(tally.n)}"
    if metric.name in _TERMS:
        steps.append(goes_on(*_sum(tally, metric.name, empty_sets)))
    steps.append(goes_on(quotient, formulas.latex(quotient)))
    steps.append(goes_on(shown(value), formulas.latex(shown(value))))
    return [*steps, *map(prose, conventions(tally, metric.name, empty_sets))]


def _sum(tally: LabelSets, name: str, empty_sets: float) -> tuple[str, str]:
    """The terms of the most frequent kinds of rows over the number of rows, as text and as LaTeX."""
    sizes, total = tally.set_sizes, shown(tally.n)
    values = ROW_VALUES[name](sizes, empty_sets)
    shown_kinds = np.sort(np.argsort(-sizes.counts, kind="stable")[:_MOST_TERMS])
    texts, typeset = [], []
    for kind in shown_kinds.tolist():
        term = _TERMS[name].format(
            true=sizes.actual[kind],
            called=sizes.predicted[kind],
            both=sizes.both[kind],
            either=sizes.either[kind],
            labels=sizes.labels,
        )
        if formulas.value(term, {}) is None:
            term = shown(values[kind])  # 0 / 0, which scores as agreed
        times = shown(sizes.counts[kind])
        texts.append(f"{times} x {formulas.text(term)}")
        typeset.append(rf"{times} \times {formulas.latex(term)}")
    if len(shown_kinds) < len(values):
        texts.append(f"... {len(values) - len(shown_kinds):,} more")
        typeset.append(r"\cdots")
    return f"({' + '.join(texts)}) / {total}", rf"\frac{{{' + '.join(typeset)}}}{{{total}}}"
