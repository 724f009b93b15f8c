"""TM013: the scores are no probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.errors import precise
from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

_PERCENT = 2, 100
"""The highest score of percentages: just above 1 it is more likely a probability that was rounded."""


def check(ev: Evaluation) -> Finding | None:
    ranking = ev.ranking(ev.position)
    if isinstance(ranking, str) or ranking.scores.edges is not None or not len(ranking.scores.score):
        return None
    lowest, highest = float(ranking.scores.score[-1]), ranking.scores.highest
    if lowest >= 0 and highest <= 1:
        return None
    voted = ev.ranked is not None and ev.ranked.voters > 0
    percent = not voted and lowest >= 0 and _PERCENT[0] <= highest <= _PERCENT[1]
    hint = " If these are percentages, divide them by 100." if percent else ""
    return Finding(
        "TM013",
        f"the scores run from {precise(lowest, 0, 1)} to {precise(highest, 0, 1)}, so they are no "
        "probabilities: they rank the rows, but Brier and log loss are undefined, and there is no threshold "
        f"to start from.{hint}",
        {"lowest": lowest, "highest": highest},
    )
