"""TM014: no model is the best at every false positive rate, whatever the areas say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import number, percent
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.curves import Several

WIDE = 0.02
"""A model that is best on a smaller part of the axis is best by accident."""


def check(several: Several) -> Finding | None:
    """Of several models in one picture, not of an evaluation."""
    widest = sorted(several.widths.items(), key=lambda each: -each[1])
    wide = {name: share for name, share in widest if share >= WIDE}
    if len(wide) < 2 or not several.crossings:
        return None
    each = [f"{quoted(name)} on {percent(share)}" for name, share in wide.items()]
    crossings, first = len(several.crossings), several.crossings[0]
    where = f"{'once' if crossings == 1 else f'{crossings:,} times, first'} at {number(first.fpr)}"
    return Finding(
        "TM014",
        f"the curves cross, {where}: the highest is {', '.join(each)} of the false positive rates. One area "
        "for each model hides that; compare them at the rates you can accept.",
        {"best_share": wide, "crossings": crossings, "first_fpr": first.fpr, "first_tpr": first.tpr},
    )
