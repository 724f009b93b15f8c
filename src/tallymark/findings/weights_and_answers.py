"""TM010: weights that differ between right and wrong answers, which Kish's number of rows cannot know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import count
from tallymark.findings.finding import Finding
from tallymark.metrics import METRICS

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation
    from tallymark.tallies import Binary

WORTH = 0.7
"""Where the rows are worth less than this share of Kish's number, an interval is too narrow by a fifth."""
FEWEST = 20
"""Of fewer rows the variance is not known well enough to say."""
_SHARES = ("precision", "recall", "specificity", "npv")


def check(ev: Evaluation) -> Finding | None:
    sample = ev.sample
    if sample is None or sample.groups is not None or sample.confusion.squared is None or ev.position is None:
        return None
    tally = sample.confusion.binary(ev.labels[ev.position])
    squares = sample.confusion.squared.binary(ev.labels[ev.position])
    found = {name: pair for name in _SHARES if (pair := _worth(name, tally, squares)) is not None}
    low = {name: pair for name, pair in found.items() if pair[0] < WORTH * pair[1] and pair[1] >= FEWEST}
    if not low:
        return None
    name, (worth, kish) = min(low.items(), key=lambda item: item[1][0] / item[1][1])
    return Finding(
        "TM010",
        f"right and wrong answers have different weights, so the interval of {name} is too narrow: its rows "
        f"are worth {count(round(worth, 1))} of equal weight, not {count(round(kish, 1))} (Kish). A group of "
        "its own for every row has the rows resampled instead.",
        {each: {"worth": pair[0], "kish": pair[1]} for each, pair in low.items()},
    )


def _worth(name: str, tally: Binary, squares: Binary) -> tuple[float, float] | None:
    """How many rows of weight 1 would give a share the variance it has, and Kish's number of them."""
    share = METRICS[name].share
    assert share is not None
    yes, total = (getattr(tally, part) for part in share)
    yes_squares, all_squares = (getattr(squares, part) for part in share)
    if not 0 < yes < total or not all_squares:
        return None
    p = yes / total
    spread = p**2 * (all_squares - yes_squares) + (1 - p) ** 2 * yes_squares
    return float(p * (1 - p) * total**2 / spread), float(total**2 / all_squares)
