"""TM013: the scores are no probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.errors import precise
from tallymark.findings.finding import Finding

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation


def check(ev: Evaluation) -> Finding | None:
    ranking = ev.ranking(ev.position)
    if isinstance(ranking, str) or ranking.scores.edges is not None or not len(ranking.scores.score):
        return None
    lowest, highest = float(ranking.scores.score[-1]), ranking.scores.highest
    if lowest >= 0 and highest <= 1:
        return None
    return Finding(
        "TM013",
        f"the scores run from {precise(lowest, 0, 1)} to {precise(highest, 0, 1)}, so they are no "
        "probabilities: they rank the rows, "
        "but Brier and log loss are undefined, and there is no threshold to start from.",
        {"lowest": lowest, "highest": highest},
    )
