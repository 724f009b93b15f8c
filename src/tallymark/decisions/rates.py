"""Rates of the answers that a way gives, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tallymark.decisions.constraints import SHARE
from tallymark.decisions.ways import Way, answered, squared_counts
from tallymark.inference import Estimate, Ranking, Sample, undefined
from tallymark.inference.limits_at_cuts import LimitsAtCuts, share_of
from tallymark.metrics import Asked, ask, vocabulary
from tallymark.tallies import Binary, Confusion, GroupedScores, Scores

NO_INTERVAL = "its interval is in the report of an evaluation at this threshold"


def rates(ranking: Ranking, way: Way, names: Sequence[str]) -> dict[str, Estimate]:
    """The numbers asked for, of all rows that are not declined."""
    scores, groups = ranking.seen
    counts = answered(scores, way).counts
    two = _collapsed(scores, counts, squared_counts(scores, way))
    by_group = None if groups is None else _collapsed_groups(groups, two, way)
    return {name: _rate(name, ranking, way, counts, two, by_group) for name in names}


def _rate(
    name: str, ranking: Ranking, way: Way, counts: Binary, scores: Scores, groups: GroupedScores | None
) -> Estimate:
    asked = ask("predicted_positive_rate" if name == SHARE else name)
    value = float(asked.metric(counts, *asked.parameters))
    if math.isnan(value):
        words = vocabulary.of_binary(counts) | vocabulary.parameters(asked.metric, asked.parameters)
        return undefined(vocabulary.reason(asked.metric.undefined, words), ranking.level)
    if ranking.share is not None and not asked.metric.prevalence_free:
        return _at_other_shares(asked, ranking, way, value)
    share = share_of(asked)
    if share is None:
        return Estimate(value, ranking.level, assumption=ranking.assumption, remark=NO_INTERVAL)

    def ends(level: float) -> tuple[float, float]:
        low, high = LimitsAtCuts(asked, scores, groups, level).at(slice(1, 2))
        return float(low[0]), float(high[0])

    method = "wilson" if groups is None else "wilson_groups"
    n = _effective(share[1], ranking.scores, way)
    return Estimate(value, ranking.level, method, n, ranking.assumption, ends_at=ends)


def _effective(rows: str, scores: Scores, way: Way) -> float:
    """Rows that a proportion is of; with weights Kish's effective number of them."""
    total, squared = float(getattr(answered(scores, way).counts, rows)), squared_counts(scores, way)
    return total if squared is None else total * (total / float(getattr(squared, rows)))


def _at_other_shares(asked: Asked, ranking: Ranking, way: Way, value: float) -> Estimate:
    """What depends on the class shares, which are given: only rows within a class are a matter of chance."""
    if ranking.groups is not None or way.lower != way.upper:
        return Estimate(value, ranking.level, assumption=ranking.assumption, remark=NO_INTERVAL)
    assert ranking.share is not None
    t = ranking.scores
    counts, squared = answered(t, way).counts, squared_counts(t, way)
    confusion = Confusion.from_cells(
        ("positive", "rest"),
        np.arange(4),
        np.array([counts.tp, counts.fn, counts.fp, counts.tn]),
        squares=None if squared is None else np.array([squared.tp, squared.fn, squared.fp, squared.tn]),
        rows=t.rows,
        declared=True,
    )
    shares = np.array([ranking.share, 1 - ranking.share])
    return Sample(confusion, ranking.level, shares=shares).of(asked, 0)


def _collapsed(scores: Scores, counts: Binary, squared: Binary | None) -> Scores:
    """The rows answered, as if the only scores were 1, called positive, and 0."""
    squares = None
    if squared is not None:
        squares = np.array([squared.tp, squared.fn]), np.array([squared.fp, squared.tn])
    sides = np.array([counts.tp, counts.fn]), np.array([counts.fp, counts.tn])
    return Scores(np.array([1.0, 0.0]), *sides, squares=squares, rows=scores.rows)


def _collapsed_groups(groups: GroupedScores, two: Scores, way: Way) -> GroupedScores:
    """The same by group: one entry for each group and either score."""
    upper, lower = way.places(groups.total)
    there = np.flatnonzero((groups.place < upper) | (groups.place >= lower))
    size, code = 2 * len(groups), 2 * groups.group[there] + (groups.place[there] >= lower)
    sides = (np.bincount(code, side[there], size) for side in (groups.positives, groups.negatives))
    return GroupedScores(two, groups.keys, np.arange(size) // 2, np.arange(size) % 2, *sides)
