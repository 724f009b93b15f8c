"""Groups of a tally as an evaluation has them: under its labels, and cut where it cuts scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tallymark.evaluation.counted import one_group
from tallymark.intake.rows import translation
from tallymark.tallies import Confusion, Grouped, GroupedScores, Label
from tallymark.tallies.confusion import moved
from tallymark.tallies.tally import Tally

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation


def enough(groups: Grouped) -> Grouped:
    """Groups of which some can be drawn."""
    if len(groups) < 2:
        raise one_group(groups.keys[0])
    return groups


def groups_under(groups: Grouped, confusion: Confusion) -> Grouped:
    """The same counts under the labels of a table, which settle how those of the groups are read."""
    raw = groups.total.labels
    translate = translation(raw, confusion.labels)
    cells = moved(groups.cells, [translate(label) for label in raw], confusion.labels)
    return Grouped(confusion, groups.keys, groups.group, cells, groups.counts)


def cut_groups(groups: GroupedScores, threshold: float, table: Confusion, positive: Label) -> Grouped:
    """The answers `score >= threshold` of every group; the table is that of all of them."""
    own = table.labels.index(positive)
    called = np.where(groups.place < groups.total.called(threshold), own, 1 - own)
    return Grouped(
        table,
        groups.keys,
        np.concatenate([groups.group, groups.group]),
        np.concatenate([2 * own + called, 2 * (1 - own) + called]),
        np.concatenate([groups.positives, groups.negatives]),
    )


# --- slices --------------------------------------------------------------------------------------


def named_by_text(tally: Tally) -> bool:
    """Whether the groups of the whole are named by text, as fractions in some part of it may make them."""
    groups = tally.groups if tally.score_groups is None else tally.score_groups
    return groups is not None and isinstance(groups.keys[0], str)


def with_text(part: Tally) -> Tally:
    groups, of_scores = part.groups, part.score_groups
    return replace(
        part,
        groups=None if groups is None else groups.named_by_text(),
        score_groups=None if of_scores is None else of_scores.named_by_text(),
    )


def groups_of_slice(tally: Tally, whole: Evaluation, table: Confusion) -> Grouped | None:
    if tally.groups is not None:
        return groups_under(tally.groups, table)
    if tally.score_groups is None or whole.threshold is None or whole.positive is None:
        return None
    return cut_groups(tally.score_groups, whole.threshold, table, whole.positive)
