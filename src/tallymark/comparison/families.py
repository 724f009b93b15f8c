"""Every pair of models in one number: a family of tests, whose p-values are adjusted together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tallymark.comparison.difference import Difference
from tallymark.tests.adjust import Adjustment, adjust

WORDS = {
    "holm": "Holm",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann-Hommel",
    "bonferroni": "Bonferroni",
}


def adjusted(differences: Sequence[Difference], method: Adjustment) -> list[Difference]:
    """With adjusted p-values; one pair needs none, and a pair without a p-value counts as 1."""
    if len(differences) < 2:
        return list(differences)
    p_values = [1.0 if each.p_value is None else each.p_value for each in differences]
    found = [float(p) for p in adjust(p_values, method=method)]
    return [
        each if each.p_value is None else replace(each, adjusted=p, adjusted_by=WORDS[method])
        for each, p in zip(differences, found, strict=True)
    ]
