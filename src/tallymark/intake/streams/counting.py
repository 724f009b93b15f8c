"""From the rows of a batch to its tally."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.intake.columns import LabelColumn
from tallymark.intake.counting import count_keys, count_pairs
from tallymark.intake.encoded import Encoded, distinct, encoded, positions_among
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intake.rows import side_of
from tallymark.intake.streams.door import Columns
from tallymark.intake.weights import WeightKind
from tallymark.tallies import Confusion, Grouped, Scores, Sums
from tallymark.tallies.binned import SEVERAL, Binned
from tallymark.tallies.grid import SLICE_BINS, Grid
from tallymark.tallies.labels import in_order, may_be_positive
from tallymark.tallies.sums import Moments
from tallymark.tallies.tally import Declared, Key, Tally

MOST_SLICES = 1_000
_BLOCK = 1 << 16
"""Rows in one go: fewer make more of the bins; the memory of more is given back and asked for each time."""
_ADDED = 1 << 18
"""Numbers that are added one after the other."""


def count_columns(columns: Columns, declared: Declared) -> Tally:
    """All that is counted of these rows, with that of every slice."""
    tally = _counted(columns, declared)
    if not declared.slices:
        return tally
    of_slices = replace(declared, slices=(), grid=slice_grid(declared))
    found = {names: _by(columns, names, of_slices) for names in declared.slices}
    return replace(tally, slices=found)


def asked_cuts(low: float, high: float, threshold: float | None) -> list[float]:
    """Scores to be in bins of their own: the threshold, and where bins of a calibration curve end."""
    # 0.3 is what people write, and 0.30000000000000004 what three tenths of the way from 0 to 1 is.
    tenths = [*np.linspace(0.0, 1.0, 11).tolist(), 0.3, 0.6, 0.7] if low >= 0 and high <= 1 else []
    return tenths if threshold is None else [*tenths, threshold]


def slice_grid(declared: Declared) -> Grid | None:
    """The same for slices, of which there may be many: wider bins, and no cuts but those asked for."""
    grid = declared.grid
    if grid is None:
        return None
    wide = Grid(grid.low, grid.high, min(grid.bins, SLICE_BINS))
    return wide.cut_at(asked_cuts(grid.low, grid.high, declared.threshold))


def refuse_many(slices: int, names: tuple[str, ...]) -> None:
    if slices > MOST_SLICES:
        raise OptionError(
            f"slicing by {' and '.join(map(repr, names))} gives {slices:,} slices or more; "
            f"at most {MOST_SLICES:,} are made.",
            hint="slice by a column with fewer values; cut numbers into ranges.",
        )


def _by(columns: Columns, names: tuple[str, ...], declared: Declared) -> dict[Key, Tally]:
    return {key: _counted(columns.at(rows), declared) for key, rows in slice_keys(columns, names)}


def slice_keys(columns: Columns, names: tuple[str, ...]) -> Iterator[tuple[Key, NDArray[np.int64]]]:
    """The values of every slice, and the rows that are in it."""
    if not len(columns):
        return
    values, positions = zip(*(encoded(columns.slices[name]) for name in names), strict=True)
    sizes = tuple(map(len, values))
    for name, size in zip(names, sizes, strict=True):
        refuse_many(size, (name,))
    seen, codes = distinct(np.ravel_multi_index(positions, sizes))
    refuse_many(len(seen), names)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(seen)))
    places = np.stack(np.unravel_index(seen, sizes), axis=1).tolist()
    for place, rows in zip(places, np.split(order, ends[:-1]), strict=True):
        yield tuple(each[at] for each, at in zip(values, place, strict=True)), rows


def _counted(columns: Columns, declared: Declared) -> Tally:
    weight = columns.weight
    answers = columns.actual if columns.predicted is None else columns.predicted
    scores = groups = score_groups = None
    if columns.score is not None:
        positive = is_positive(columns.actual, declared)
        scores = ranked(columns.score, positive, weight, declared)
        if columns.group is not None:
            assert isinstance(scores, Scores)
            keys, group = encoded(columns.group)
            by_group = count_groups(scores, columns.score, positive, weight, group, keys)
            score_groups = by_group.added_up()
    classes = None
    if columns.probabilities is not None:
        from tallymark.intake.streams.class_counting import count_classes

        classes, most_probable = count_classes(columns, declared)
        if columns.predicted is None:
            answers = most_probable
    counted = _confusion(columns.actual, answers, weight, declared, columns.dropped)
    if columns.group is not None and columns.predicted is not None:
        groups = _grouped(columns, counted)
    lines, weightless = (0, 0) if weight is None else (len(weight), int((weight == 0).sum()))
    return Tally(
        declared,
        counted,
        scores,
        classes,
        lines=lines,
        weightless=weightless,
        groups=groups,
        score_groups=score_groups,
    )


def _grouped(columns: Columns, counted: Confusion) -> Grouped:
    """The answers of every group, under the labels of all of them."""
    if columns.weight is not None and not columns.weight.all():
        columns = columns.at(np.flatnonzero(columns.weight))  # rows without weight are not counted
    assert columns.predicted is not None
    labels = counted.labels
    actual, predicted = (positions_among(side, labels) for side in (columns.actual, columns.predicted))
    rows = Encoded(labels, actual, predicted, weight=columns.weight, group=columns.group)
    return rows.grouped(counted)


def _confusion(
    actual: LabelColumn,
    answers: LabelColumn,
    weight: NDArray[Any] | None,
    declared: Declared,
    dropped: Mapping[str, int],
) -> Confusion:
    """Actual labels against answers, as they are written."""
    if weight is None:
        first, second, counts = count_pairs(actual.values, answers.values)
        squares = rows = None
    else:
        (found, one), (given, two) = (distinct(each.values.astype(np.int64)) for each in (actual, answers))
        totals = count_keys(one * max(1, len(given)) + two, weight)
        at, to = np.divmod(totals.keys, max(1, len(given)))
        first, second, counts = found[at], given[to], totals.counts
        frequency = declared.weights == "frequency"
        squares, rows = (None, None) if frequency else (totals.squares, int(np.count_nonzero(weight)))
    sides = side_of(first, actual.label), side_of(second, answers.label)
    labels = in_order([*sides[0].labels, *sides[1].labels])
    place = {label: position for position, label in enumerate(labels)}
    rows_at, columns_at = (
        np.array([place[label] for label in side.labels], np.int64)[side.which] for side in sides
    )
    cells = rows_at * len(labels) + columns_at
    of_file = actual.as_written
    return Confusion.from_cells(
        labels, cells, counts, squares=squares, rows=rows, dropped=dropped, as_written=of_file
    )


def is_positive(actual: LabelColumn, declared: Declared) -> NDArray[np.bool_]:
    """Which rows are of the class that is positive by name or by convention."""
    if actual.names is not None:
        table = np.array([may_be_positive(name, declared.positive) for name in actual.names], np.bool_)
        return table[actual.values] if len(table) else np.zeros(0, np.bool_)
    if actual.values.dtype == np.bool_ and may_be_positive(True, declared.positive):
        return np.asarray(actual.values)
    if declared.positive is None:
        return np.asarray(actual.values == 1)
    codes = distinct(actual.values.astype(np.int64))[0]
    wanted = [code for code in codes.tolist() if may_be_positive(actual.label(code), declared.positive)]
    return np.isin(actual.values, wanted)


# --- scores --------------------------------------------------------------------------------------


def ranked(
    score: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[Any] | None, declared: Declared
) -> Scores | Binned:
    """Rows by their score, whether something is true of them, on the declared grid or exactly."""
    kind: WeightKind = "frequency" if declared.weights == "frequency" else "sampling"
    if declared.grid is None:
        return count_scores(score, positive, weight=weight, weight_kind=kind)
    if weight is not None and not weight.all():
        seen = np.flatnonzero(weight)  # rows without weight are not counted
        score, positive, weight = score[seen], positive[seen], weight[seen]
    return count_binned(score, positive, weight, kind, declared.grid, declared.clip)


def count_binned(
    score: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[Any] | None,
    kind: WeightKind,
    grid: Grid,
    clip: float = 0.0,
) -> Binned:
    """Rows of the positive class and of the rest in every bin of a grid."""
    if not len(score):
        return Binned.empty(grid)
    size = len(grid)
    place, points = np.empty(len(score), np.int64), np.full(size, np.nan)
    low, high = np.inf, -np.inf
    losses: list[tuple[Sums, Sums]] = []
    for start in range(0, len(score), _BLOCK):
        block = slice(start, start + _BLOCK)
        part = score[block], positive[block], None if weight is None else weight[block]
        low, high = min(low, float(part[0].min())), max(high, float(part[0].max()))
        place[block] = grid.index(part[0])
        _note(points, place[block], part[0])
        if low >= 0 and high <= 1:
            losses.append(_losses(*part, kind, clip))
    # Only probabilities are added up for anything; of other scores the sum might be infinite.
    amount = score if low >= 0 and high <= 1 else score.clip(0, 1)
    totals = _per_bin(place, size, amount if weight is None else amount * weight)
    place <<= 1
    place |= positive
    counts, squares = _per_bin(place, 2 * size, weight), None
    if kind == "sampling" and weight is not None:
        squares = _sides(_per_bin(place, 2 * size, np.square(weight, dtype=float)))
    frequency = kind == "frequency" and weight is not None
    return Binned(
        grid,
        *_sides(counts),
        squares,
        totals,
        points,
        (
            sum((each[0] for each in losses), Sums()),
            sum((each[1] for each in losses), Sums()),
        ),
        low + 0.0,
        high + 0.0,
        int(counts.sum()) if frequency else len(score),
    )


def _per_bin(place: NDArray[np.int64], size: int, amount: NDArray[Any] | None) -> NDArray[Any]:
    """Rows in every bin, or what their amounts add up to, in pieces: rounding grows with a piece."""
    if amount is None:
        return np.bincount(place, minlength=size)
    total = np.zeros(size)
    for start in range(0, len(place), _ADDED):
        piece = slice(start, start + _ADDED)
        total += np.bincount(place[piece], weights=amount[piece], minlength=size)
    return total.astype(amount.dtype)


def _sides(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of the positives and of the negatives."""
    return table[1::2].copy(), table[::2].copy()


def _note(points: NDArray[np.float64], place: NDArray[np.int64], score: NDArray[np.float64]) -> None:
    """Which score every bin holds, or that it holds several."""
    held = points.take(place)
    other = np.flatnonzero((held != score) & (held != SEVERAL))
    if len(other):
        place, score = place[other], score[other]
        new = np.isnan(held[other])
        points[place[new]] = score[new]
        points[place[points[place] != score]] = SEVERAL


def _losses(
    score: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[Any] | None,
    kind: WeightKind,
    clip: float,
) -> tuple[Sums, Sums]:
    """How far the probabilities of the positives are from 1, and those of the negatives from 0."""
    sides = []
    for rows, is_one in ((positive, True), (~positive, False)):
        chosen = np.flatnonzero(rows)  # five times as fast as by truth values
        p = score.take(chosen)
        distance = 1 - p if is_one else p
        kept = p.clip(clip, 1 - clip) if clip else p
        with np.errstate(divide="ignore"):
            log_loss = -(np.log(kept) if is_one else _log_of_rest(kept))
        amount = None if weight is None else weight[chosen]
        sides.append(_sums(distance * distance, log_loss, amount, kind))
    return sides[0], sides[1]


def _log_of_rest(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 - p) without loss where p is small, four times as fast as log1p (Kahan's correction)."""
    rest = 1 - p
    lost = (rest - 1) + p
    with np.errstate(invalid="ignore"):
        lost /= rest
    if len(rest) and not rest.min():
        lost[rest == 0] = 0.0
    return np.asarray(np.log(rest) - lost)


def _sums(
    brier: NDArray[np.float64], log_loss: NDArray[np.float64], weight: NDArray[Any] | None, kind: WeightKind
) -> Sums:
    rows = len(brier)
    if weight is not None:
        squared = weight if kind == "frequency" else np.square(weight, dtype=float)
        number = int(weight.sum()) if kind == "frequency" else rows
        return Sums.of_losses((brier, log_loss), weight, squared, number)
    lost = float(log_loss.sum())
    infinite = 0
    if np.isinf(lost):
        finite = log_loss[np.isfinite(log_loss)]
        infinite, log_loss, lost = rows - len(finite), finite, float(finite.sum())
    first, second = float(brier.sum()), float(np.square(brier).sum())
    of_brier = Moments(first, first, second)
    of_log_loss = Moments(lost, lost, float(np.square(log_loss).sum()))
    return Sums(rows, rows, rows, of_brier, of_log_loss, infinite, infinite)
