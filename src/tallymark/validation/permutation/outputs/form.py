"""A permutation test as JSON values (schema `tallymark/permutation-test/1`)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tallymark.validation.data.data_form import data_form
from tallymark.validation.permutation.words import null

if TYPE_CHECKING:
    from tallymark.validation.permutation.result import PermutationTest


def to_form(test: PermutationTest) -> dict[str, Any]:
    """Every number of the test, with every permutation's."""
    from tallymark.validation.permutation.result import QUANTILES, SCHEMA

    most = test.majority
    return {
        "schema": SCHEMA,
        "model": test.model,
        "pipeline": test.pipeline,
        "data": data_form(test.data),
        "method": test.folds.method,
        "folds": len(test.folds),
        "metric": test.metric,
        "better": test.better,
        "value": test.value,
        "baseline": {"value": most.value, **({"why": most.why} if most.value is None else {})},
        "p_value": test.p_value,
        "p_error": test.p_error,
        "p_low": test.p_low,
        "p_high": test.p_high,
        "level": test.level,
        "n_permutations": test.n_permutations,
        "early_stop": test.rule is not None,
        "stopped": None if test.stopped is None else asdict(test.stopped),
        "at_least_as_good": test.at_least_as_good,
        "ties": test.ties,
        "undefined": test.undefined,
        "permute": test.permute,
        "among": test.among,
        "candidates": test.candidates,
        "null": null(test),
        "exact": test.exact,
        "permuted": {
            "mean": test.mean,
            "standard_deviation": test.deviation,
            "lowest": test.quantile(0),
            "quantiles": {str(share): test.quantile(share) for share in QUANTILES},
            "highest": test.quantile(1),
            "values": [None if value != value else value for value in test.permuted.tolist()],
        },
        "verdict": test.verdict,
        "failed": test.failed,
        "notes": list(test.notes),
        "findings": [finding.to_dict() for finding in test.findings],
    }
