"""TM009: too few groups for intervals that stand on groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

FEWEST = 10
"""Measured down to here: with ten groups intervals cover 0.92 to 0.99 instead of 0.95 (`make bench`)."""


def check(ev: Evaluation) -> Finding | None:
    if ev.counted is None or ev.counted.groups is None:
        return None
    groups = len(ev.counted.groups)
    if groups >= FEWEST:
        return None
    return Finding(
        "TM009",
        f"there are only {groups} groups, and groups are what the intervals stand on: with so few they are "
        "rough, however many rows there are.",
        {"groups": groups, "fewest": FEWEST},
    )
