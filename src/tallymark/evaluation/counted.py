"""From checked rows to a tally: answers, scores cut at a threshold, or the most probable class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tallymark.decisions import best_threshold, objective_of
from tallymark.errors import OptionError, ShapeError
from tallymark.evaluation.ranked import ScoredRows
from tallymark.intake.answers import Scored, scored, unnamed_positive
from tallymark.intake.columns import LabelColumn, array_places
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.intake.encoded import Encoded, positions_among
from tallymark.intake.probabilities import count_beside, count_probabilities
from tallymark.intake.rows import Rows, count_labels, finished
from tallymark.intake.sets.rows import SetRows
from tallymark.intake.sources import Source
from tallymark.intake.weights import about_weights
from tallymark.tallies import Confusion, Grouped, Label, Scores
from tallymark.tallies.labels import conventional_positive, find, quoted

DEFAULT_THRESHOLD = 0.5
PASS_A_THRESHOLD = "pass a threshold"
PASS_VOTES = f"{PASS_A_THRESHOLD}: a number of votes"


class AboutCut(str):
    """A note on how a score becomes answers, which does not matter to a curve."""

    __slots__ = ()


@dataclass(frozen=True)
class Counted:
    """What came through the door: a tally, or the reason why there is none yet."""

    confusion: Confusion | None
    positive: Label | None
    threshold: float | None
    notes: list[str]
    labels: tuple[Label, ...]
    rows: int
    dropped: Mapping[str, int]
    chosen_here: str | None = None
    encode: Callable[[], Encoded] | None = None
    """The rows themselves, for what is no function of the tally."""
    groups: Grouped | None = None
    scored: ScoredRows | None = None
    """The rows with their scores, when they have any."""
    scores: Scores | None = None
    """The same, counted, if a threshold had to be looked for."""
    why_not: str | None = None
    """Why there is no tally."""
    corners: tuple[Confusion, ...] = ()
    """What the tally can be at the utmost, where scores are cut within a bin of them."""


class Choices(NamedTuple):
    """What the user settled: labels, the positive class, where to cut scores, what answers cost."""

    declared: Sequence[Label] | None
    positive: object
    threshold: float | str | None
    costs: CostsGiven | None


def count(
    source: Source,
    choices: Choices,
) -> Counted:
    """Count the rows, with their weights and by their groups where they have them."""
    counted = _plainly(source, choices)
    rows, confusion = source.rows, counted.confusion
    if confusion is None or counted.encode is None or (rows.weight is None and rows.group is None):
        return counted
    encoded = counted.encode()
    counted = replace(counted, encode=lambda: encoded)
    if rows.weight is not None:
        confusion = encoded.tally(declared=confusion.declared, dropped=confusion.dropped)
        counted = replace(counted, confusion=confusion, rows=confusion.rows)
        counted.notes.extend(weights_of(rows, confusion.rows))
    if rows.group is not None:
        groups = encoded.grouped(confusion)
        if len(groups) < 2:
            raise one_group(groups.keys[0])
        counted = replace(counted, groups=groups)
    return counted


def nothing_to_cut() -> OptionError:
    """The error for a threshold beside answers."""
    return OptionError(
        "the answers are given, so a threshold has nothing to decide.",
        hint="to cut the score name only the score (--score, in Python score= or y_score=), or leave out the "
        "threshold.",
    )


def one_group(key: object) -> ShapeError:
    """The error for groups that leave nothing to resample."""
    return ShapeError(
        f"all rows are of one group, {key!r}; groups are resampled, so it takes two.",
        hint="leave out the groups if the rows are independent.",
    )


def weights_of(rows: Rows | SetRows, counted: int) -> list[str]:
    """What must be said of the weights of rows."""
    if rows.weight is None:
        return []
    return about_weights(rows.weight_kind, len(rows), counted, int((rows.weight == 0).sum()))


def _plainly(
    source: Source,
    choices: Choices,
) -> Counted:
    notes = list(source.notes)
    rows = source.rows
    # What tells the place of a row holds the whole file; rows that are kept need not.
    kept = replace(rows, where=array_places)
    if rows.predicted is not None:
        if choices.threshold is not None:
            raise nothing_to_cut()
        predicted, order = rows.predicted, list[int]()
        if rows.probabilities is not None:
            confusion, order = count_beside(source, choices.declared, notes)
        else:
            confusion = finished(count_labels(rows, choices.declared), notes)
    elif rows.score is not None:
        return _count_scores(source, choices, notes)
    else:
        if choices.threshold is not None:
            raise OptionError(
                "with one probability per class the most probable class is the answer, not a threshold.",
                hint="pass the positive class's column as the score to use a threshold.",
            )
        confusion, predicted, order = count_probabilities(source, choices.declared, notes)
        confusion = finished(confusion, notes)
    positive = positive_of(confusion.labels, choices.positive)
    return Counted(
        confusion,
        positive,
        None,
        notes,
        confusion.labels,
        confusion.rows,
        rows.dropped,
        encode=lambda: _encoded(kept, predicted, confusion.labels),
        scored=_with_scores(kept, confusion.labels, positive, order),
    )


def _with_scores(
    rows: Rows, labels: tuple[Label, ...], positive: Label | None, order: list[int]
) -> ScoredRows | None:
    """The rows to rank: by one probability per class, or by a score beside the answers."""
    table, about, predicted = rows.probabilities, None, rows.predicted
    if rows.score is not None:
        if positive is None and len(labels) == 2:
            raise unnamed_positive(labels)
        if positive is None:
            return None
        table, about = rows.score, labels.index(positive)
    elif table is not None and order != sorted(order):
        table = table[:, order]
    if table is None:
        return None
    return ScoredRows(
        labels,
        table,
        lambda: positions_among(rows.actual, labels),
        about,
        rows.weight,
        rows.weight_kind,
        rows.group,
        rows.voters,
        None if predicted is None else lambda: positions_among(predicted, labels),
        ids=rows.ids,
    )


def _encoded(rows: Rows, predicted: LabelColumn, labels: tuple[Label, ...]) -> Encoded:
    return Encoded.of(rows, labels, *(positions_among(column, labels) for column in (rows.actual, predicted)))


def _count_scores(source: Source, choices: Choices, notes: list[str]) -> Counted:
    parts = scored(source.rows, choices.declared, choices.positive, notes)
    rows = _ranked(source.rows, parts)
    cut = _cut(source.rows, parts, rows, choices, notes)
    if cut is None:
        return Counted(
            None,
            parts.positive,
            None,
            notes,
            parts.labels,
            len(parts.score),
            parts.dropped,
            scored=rows,
            why_not=PASS_VOTES if source.rows.voters else PASS_A_THRESHOLD,
        )
    confusion, kept = parts.count(cut.threshold), replace(source.rows, where=array_places)
    return Counted(
        confusion,
        parts.positive,
        cut.threshold,
        notes,
        parts.labels,
        confusion.rows,
        parts.dropped,
        cut.best_for,
        encode=lambda: parts.encoded(kept, cut.threshold),
        scored=rows,
        scores=cut.scores,
    )


class _Cut(NamedTuple):
    """Where scores are cut."""

    threshold: float
    best_for: str | None = None
    """What it was looked for, if it was."""
    scores: Scores | None = None
    """What it was looked for in."""


def _cut(rows: Rows, parts: Scored, ranked: ScoredRows, choices: Choices, notes: list[str]) -> _Cut | None:
    """The threshold given, looked for, or to begin with; None where there is none to begin with."""
    declared, _, threshold, costs = choices
    if isinstance(threshold, str):
        threshold = number_or_word(threshold)
    if isinstance(threshold, str):
        objective = objective_of(threshold)
        table = _costs_of_two(parts, declared, costs) if objective == "cost" and costs is not None else None
        scores = ranked.scores(parts.labels.index(parts.positive))
        return _Cut(best_threshold(scores, objective, table), objective, scores)
    if threshold is not None:
        return _Cut(checked_threshold(threshold))
    if rows.voters:
        majority = f"a majority is {rows.voters // 2 + 1} of {rows.voters}"
        notes.append(AboutCut(f"votes have no default threshold; pass one ({majority})."))
        return None
    if parts.score.min() < 0 or parts.score.max() > 1:
        notes.append(AboutCut("scores leave [0, 1], so there is no default threshold; pass one."))
        return None
    called = quoted(parts.positive)
    notes.append(AboutCut(f"no threshold was given: score >= {DEFAULT_THRESHOLD} is called {called}."))
    return _Cut(DEFAULT_THRESHOLD)


def _ranked(rows: Rows, parts: Scored) -> ScoredRows:
    place = parts.labels.index(parts.positive)
    actual = parts.is_positive if place == 1 else ~parts.is_positive
    return ScoredRows(
        parts.labels,
        parts.score,
        lambda: actual,
        place,
        rows.weight,
        rows.weight_kind,
        rows.group,
        rows.voters,
        ids=rows.ids,
    )


def checked_threshold(threshold: object) -> float:
    """A number to cut at."""
    try:
        cut = float("nan") if isinstance(threshold, bool) else float(threshold)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        cut = float("nan")
    if not np.isfinite(cut):
        raise OptionError(f"a threshold is a finite number; got {threshold!r}.")
    return cut


def _costs_of_two(
    parts: Scored, declared: Sequence[Label] | None, costs: CostsGiven
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The cost matrix with the positive class first, as the search for a threshold has it."""
    order = [parts.positive, *(label for label in parts.labels if label != parts.positive)]
    read = read_costs(costs, labels=parts.labels, order_stated=declared == parts.labels)
    at = [read.labels.index(label) for label in order]
    matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.array(read.matrix, float)[np.ix_(at, at)]
    return matrix


def number_or_word(threshold: str) -> float | str:
    """A threshold as it was typed: a number, or `best:NAME`."""
    try:
        return float(threshold)
    except ValueError:
        return threshold


def positive_of(labels: Sequence[Label], pos_label: object) -> Label | None:
    """The class named, or the one that convention names; None when there is no convention."""
    if pos_label is not None:
        return find(pos_label, labels)
    return conventional_positive(labels)
