"""TM012: so many rows share their score that the ranking is half open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import count, numbers_together, percent
from tallymark.findings.finding import Finding
from tallymark.metrics.scores import pairs_of

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

MANY = 0.05
"""From this share of tied pairs on, the order within ties moves the area by 0.025 either way."""


def check(ev: Evaluation) -> Finding | None:
    ranking = ev.ranking(ev.position)
    if isinstance(ranking, str) or not ranking.scores.exact or not ranking.scores.pairs:
        return None
    pairs, auc = pairs_of(ranking.scores), ev["auc"].value
    won, tied, high = (float(part / sum(pairs)) for part in (pairs.won, pairs.tied, pairs.won + pairs.tied))
    if tied < MANY or auc is None:
        return None
    groups = len(ranking.scores.score)
    few = "all rows have the same score" if groups == 1 else f"there are only {count(groups)} distinct scores"
    least, now, most = numbers_together(won, auc, high)
    return Finding(
        "TM012",
        f"{percent(tied)} of the pairs of a positive and a negative row are tied ({few}): each counts half. "
        f"A score that told them apart could have an area anywhere from {least} to {most} instead of "
        f"{now}.",
        {"tied_share": tied, "distinct_scores": groups, "lowest_auc": won, "highest_auc": high},
    )
