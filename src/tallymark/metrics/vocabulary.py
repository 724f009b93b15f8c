"""The words formulas are written in, with the numbers a tally gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallymark.metrics import formulas
from tallymark.metrics.registry import METRICS, SCORE_METRICS, Metric
from tallymark.tallies import Binary, Margins, Scores

HELPERS = {"chance": "(tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)"}
"""Names used in formulas that are neither counts nor metrics, and what they stand for."""


def of_binary(tally: Binary) -> dict[str, Any]:
    """Counts of one class against the rest."""
    counts = {"tp": tally.tp, "fn": tally.fn, "fp": tally.fp, "tn": tally.tn, "n": tally.n}
    return counts | {name: formulas.value(helper, counts) for name, helper in HELPERS.items()}


def of_margins(margins: Margins) -> dict[str, Any]:
    """Totals per class, as lists."""
    words: dict[str, Any] = {
        "n": margins.n,
        "K": len(margins.actual),
        "hits_k": margins.hits.tolist(),
        "actual_k": margins.actual.tolist(),
        "predicted_k": margins.predicted.tolist(),
    }
    return words | ({} if margins.cost is None else {"cost": margins.cost})


def of_scores(tally: Scores) -> dict[str, Any]:
    """How many rows of either class there are."""
    return {"positives": tally.n_positive, "negatives": tally.n_negative, "n": tally.n}


def parameters(metric: Metric, values: tuple[float, ...]) -> dict[str, float]:
    """A metric's parameters by name."""
    whole = [int(value) if value == int(value) else value for value in values]
    return dict(zip(metric.parameters, whole, strict=True))


def used_metrics(formula: str) -> list[Metric]:
    """Other metrics a formula is written with, such as recall in informedness."""
    every = METRICS | SCORE_METRICS
    return [every[name] for name in formulas.names(formula) if name in every]


def reason(cases: Mapping[str, str], words: Mapping[str, Any]) -> str:
    """Which of a metric's undefined cases this is: 'nothing was predicted positive (tp + fp = 0)'."""
    for expression, meaning in cases.items():
        if formulas.value(expression, words) == 0:
            return f"{meaning} ({formulas.text(expression)} = 0)"
    raise AssertionError(f"undefined for no stated reason: {list(cases)}")
