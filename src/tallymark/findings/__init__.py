"""What a careful teacher would point out, one small file per finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.findings import (
    alike,
    below_half,
    few_groups,
    few_rows,
    majority,
    miscalibrated,
    never_predicted,
    no_probabilities,
    skew,
    strangers,
    tied_scores,
    tuned_here,
    undefined_averages,
    weights_and_answers,
)
from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

__all__ = ["Finding", "find_all"]

_CHECKS = (
    majority,
    never_predicted,
    few_rows,
    skew,
    alike,
    undefined_averages,
    tuned_here,
    strangers,
    few_groups,
    weights_and_answers,
    below_half,
    tied_scores,
    no_probabilities,
    miscalibrated,
)


@np.errstate(under="ignore")
def find_all(ev: Evaluation) -> tuple[Finding, ...]:
    """All findings that apply, in the order of their codes."""
    found = (check.check(ev) for check in _CHECKS)
    return tuple(finding for finding in found if finding is not None)
