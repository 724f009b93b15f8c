"""What a threshold chosen on these rows is worth on other rows: chosen on some of them, tried on the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tallymark.decisions.choose import Aim, choose
from tallymark.decisions.ways import (
    Answered,
    AsIs,
    Kind,
    Way,
    against_way,
    answered,
    answered_now,
    entries_of,
    total_saving,
)
from tallymark.errors import OptionError
from tallymark.inference import Estimate, Ranking
from tallymark.inference.folds import aligned_folds, aligned_grouped_folds
from tallymark.inference.ranking import factors, scaled, scaled_groups
from tallymark.inference.savings import GroupEntries
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen

FOLDS = 5
NOT_BY_FOLD = "which of the answers given are of which part is not known, so it has no interval"


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """Every row answered by a threshold that was chosen without it."""

    ways: tuple[Way, ...]
    """Of each part of the rows, chosen on the others."""
    answered: Answered
    cost: float | None
    mean_cost: float | None
    savings: Mapping[str, Estimate]
    """Against the same ways as the decision's; the thresholds are taken as given."""
    value: float | None
    """Of the metric, when that is what was chosen for."""
    metrics: Mapping[str, float | None]
    """What must be at least or at most so much."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "folds": len(self.ways),
            "cost": self.cost,
            "mean_cost": self.mean_cost,
            "savings": {name: each.to_dict() for name, each in self.savings.items()},
            "value": self.value,
            "metrics": dict(self.metrics),
        }


def cross_fitted(
    ranking: Ranking, aim: Aim, against: Mapping[str, Way | AsIs], *, seed: int = 0
) -> CrossFitted | str:
    """Five parts, each answered by the threshold that the other four choose; or why that cannot be done."""
    units = ranking.scores.rows if ranking.groups is None else len(ranking.groups)
    if units < FOLDS:
        what = "rows" if ranking.groups is None else "groups"
        return f"there are fewer than {FOLDS} {what}"
    try:
        tried = [_tried(ranking, part, aim, against) for part in _parts(ranking, seed)]
    except OptionError as problem:
        return f"on four fifths of the rows {problem.message.removesuffix('.')}"
    ways, found = tuple(each.way for each in tried), [each.answered for each in tried]
    every = Answered(
        sum((each.counts for each in found[1:]), found[0].counts),
        (sum(each.declined[0] for each in found), sum(each.declined[1] for each in found)),
    )
    metrics = {each.metric: each.value(every.counts) for each in aim.constraints}
    if aim.costs is None:
        return CrossFitted(ways, every, None, None, {}, aim.value(every.counts), metrics)
    cost = every.cost(aim.costs, aim.reject_cost)
    savings = {}
    for name, before in against.items():
        if isinstance(before, AsIs):
            assert before.called is not None
            now = answered_now(ranking.seen[0], before.called).cost(aim.costs)
            savings[name] = Estimate(
                now - cost, ranking.level, assumption=ranking.assumption, remark=NOT_BY_FOLD
            )
        else:
            savings[name] = _saved(ranking, [each.saved[name] for each in tried], seed)
    return CrossFitted(ways, every, cost, cost / ranking.seen[0].n, savings, None, metrics)


_Saved = tuple[list[Kind], GroupEntries | None]


class _Tried(NamedTuple):
    """A part of the rows, answered by what the others choose."""

    way: Way
    answered: Answered
    saved: Mapping[str, _Saved]
    """Against each way that goes by the score: rows by kind, and by group and kind."""


def _parts(ranking: Ranking, seed: int) -> Iterator[tuple[Scores, GroupedScores | None]]:
    """The rows dealt out, with the counts to expect under other class shares."""
    by = factors(ranking.scores, ranking.share)
    if ranking.groups is None:
        for part in aligned_folds(ranking.scores, FOLDS, seed):
            yield scaled(part, by), None
    else:
        for part_of_groups in aligned_grouped_folds(ranking.groups, FOLDS, seed):
            groups = scaled_groups(part_of_groups, by)
            yield groups.total, groups


def _tried(
    ranking: Ranking,
    part: tuple[Scores, GroupedScores | None],
    aim: Aim,
    against: Mapping[str, Way | AsIs],
) -> _Tried:
    scores, groups = part
    way = choose(_without(ranking, part, by_group=any(each.on_lower for each in aim.constraints)), aim).way
    saved: dict[str, _Saved] = {}
    if (prices := aim.prices) is not None:
        saved = {
            name: (
                list(against_way(scores, before, way, prices)),
                None if groups is None else entries_of(groups, before, way),
            )
            for name, before in against.items()
            if isinstance(before, Way)
        }
    return _Tried(way, answered(scores, way), saved)


def _without(ranking: Ranking, part: tuple[Scores, GroupedScores | None], *, by_group: bool) -> Ranking:
    """All rows but those of the part; scores that only it has stay, without rows, and change nothing."""
    (scores, groups), (away, groups_away) = ranking.seen, part

    def less(side: Any, taken: Any) -> Any:
        left = side - taken
        # Differences of fractions leave dust.
        return frozen(left if left.dtype.kind == "i" else np.where(left > 1e-12 * side, left, 0.0))

    squares = None
    if scores.squares is not None:
        # A part without rows has no squares.
        sides = zip(scores.squares, away.squares or (0.0, 0.0), strict=True)
        first, second = (less(side, taken) for side, taken in sides)
        squares = (first, second)
    rest = scores.with_counts(
        less(scores.positives, away.positives),
        less(scores.negatives, away.negatives),
        squares=squares,
        rows=scores.rows - away.rows,
    )
    if not by_group or groups is None or groups_away is None:
        return Ranking(rest, ranking.level)
    there = np.bincount(groups_away.group, minlength=len(groups))
    entries = np.flatnonzero(there[groups.group] == 0)
    columns = (column[entries] for column in (groups.group, groups.place, groups.positives, groups.negatives))
    return Ranking(rest, ranking.level, GroupedScores(rest, groups.keys, *columns))


def _saved(ranking: Ranking, parts: list[_Saved], seed: int) -> Estimate:
    """What the parts save together."""
    kinds: list[Kind] = []
    entries = []
    for of_part, by_group in parts:
        if by_group is not None:
            _, group, kind, amount = by_group
            entries.append((group, kind + len(kinds), amount))
        kinds += of_part
    groups = None
    if ranking.groups is not None:
        group, kind, amount = (np.concatenate(column) for column in zip(*entries, strict=True))
        groups = (len(ranking.groups), group, kind, amount)
    return total_saving(kinds, ranking, seed=seed, groups=groups)
