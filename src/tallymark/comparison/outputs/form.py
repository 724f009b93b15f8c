"""A comparison as JSON values (schema `tallymark/comparison/1`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison


def to_form(comparison: Comparison) -> dict[str, Any]:
    """Every number of the comparison; undefined ones say why."""
    from tallymark.comparison.result import SCHEMA

    margins = [each.to_dict() for each in comparison.margins]
    return {
        "schema": SCHEMA,
        "design": comparison.design,
        "models": [
            {
                "name": model.name,
                comparison.counted.replace(" ", "_"): model.n,
                "metrics": {name: estimate.to_dict() for name, estimate in model.values.items()},
            }
            for model in comparison.models
        ],
        "metric": comparison.metric,
        "differences": [difference.to_dict() for difference in comparison.differences],
        "verdict": comparison.verdict,
        "winner": comparison.winner,
        **({"margins": margins} if margins else {}),
        "assumption": comparison.assumption,
        "tests": [outcome.to_dict() for outcome in comparison.outcomes],
        **comparison.detail.form(),
        "findings": [finding.to_dict() for finding in comparison.findings],
        "notes": list(comparison.notes),
    }
