"""How far from the best a decision can be when only bins of the scores were counted.

A threshold is chosen among the edges of bins, and one within a bin may be better.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import Costs
from tallymark.decisions.choose import Aim
from tallymark.decisions.threshold import OBJECTIVES
from tallymark.decisions.ways import Way, answered
from tallymark.decisions.within_bins import Within
from tallymark.inference import Ranking
from tallymark.metrics import ask
from tallymark.metrics.rounding import rounding
from tallymark.tallies import Scores

Floats = NDArray[np.float64]


def gap_of(ranking: Ranking, aim: Aim, way: Way) -> float | None:
    """What a threshold within a bin could save at most, or how much better it could make the metric.

    None when every score is known; infinite where nothing bounds it.
    """
    scores = ranking.seen[0]
    if scores.exact:
        return None
    now = answered(scores, way)
    if aim.costs is not None and aim.reject_cost is not None:
        return _between(_least_with_declined(scores, aim), now.cost(aim.costs, aim.reject_cost), scores)
    within = Within.of(scores)
    possible = within.may_keep(aim.constraints)
    if not possible.any():
        return 0.0
    if aim.costs is not None:
        return _between(float(within.cost(aim.costs)[possible].min()), now.cost(aim.costs), scores)
    asked = ask(aim.objective)
    if within.endless(asked)[possible].any():
        return math.inf
    sign = 1 if asked.metric.better == "higher" else -1
    best = float(np.fmax.reduce(sign * within.best(asked, sign)[possible]))
    return _between(sign * float(asked.metric(now.counts, *asked.parameters)), best, scores)


def _between(low: float, high: float, scores: Scores) -> float:
    """How far the second is above the first; a little more where they are rounded."""
    if not high > low:
        return 0.0
    fractions = scores.squares is not None or scores.positives.dtype.kind == "f"
    if low.is_integer() and high.is_integer() and not fractions:
        return high - low
    return high - low + rounding(scores.rows, fractions=fractions) * max(abs(low), abs(high))


def best_gap(scores: Scores, objective: str, threshold: float, costs: Costs | None = None) -> float | None:
    """The same of a threshold that `best_threshold` found: `objective` is its word, such as youden."""
    name = OBJECTIVES[objective]
    aim = Aim(costs, None, (), "f1") if name == "cost" else Aim(None, None, (), name)
    return gap_of(Ranking(scores), aim, Way.cut(threshold))


def _least_with_declined(scores: Scores, aim: Aim) -> float:
    """No pair of thresholds costs less: either end at an edge or, at its best, within a bin."""
    assert aim.costs is not None
    assert aim.reject_cost is not None
    (hit, miss), (alarm, rest) = (aim.costs - aim.reject_cost).tolist()
    tp, fp = scores.tp.astype(float), scores.fp.astype(float)
    # What the rows above a cut cost more than declined, and those below it.
    above = _in_turn(scores, hit * tp, alarm * fp)
    below = _in_turn(scores, miss * (tp[-1] - tp), rest * (fp[-1] - fp))
    least = float((np.minimum.accumulate(above) + below).min())
    return least + aim.reject_cost * float(scores.n)


def _in_turn(scores: Scores, of_positives: Floats, of_negatives: Floats) -> Floats:
    """At every cut and, between them, the least within the bin."""
    least = sum(np.minimum(side[:-1], side[1:]) for side in (of_positives, of_negatives))
    found = np.empty(2 * len(of_positives) - 1)
    found[::2] = of_positives + of_negatives
    found[1::2] = np.where(scores.loose, least, np.inf)
    return found
