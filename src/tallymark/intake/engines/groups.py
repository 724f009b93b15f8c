"""From the groups that an engine counted to a tally, through the same door that rows go through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import EngineError, TallymarkError
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import distinct
from tallymark.intake.engines.pushdown import WEIGHS
from tallymark.intake.ranking import count_scores
from tallymark.intake.rows import side_of
from tallymark.intake.streams.complaints import SHOWN, Complaints, Place
from tallymark.intake.streams.counting import is_positive, refuse_many, slice_keys
from tallymark.intake.streams.door import Columns, Reading, read_batch
from tallymark.tallies import Confusion, Label, Scores, Sums
from tallymark.tallies.binned import SEVERAL, Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.labels import in_order, quoted
from tallymark.tallies.merging import EXACT
from tallymark.tallies.sums import Moments
from tallymark.tallies.tally import Declared, Key, Tally

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Groups:
    """Groups of rows that can be counted, and what is wrong with others."""

    table: pl.DataFrame
    """Those that are left."""
    columns: Columns
    complaints: Complaints
    where: Any
    """Words for groups with something wrong."""
    heaviest: float
    together: float


def read_groups(table: pl.DataFrame, reading: Reading) -> Groups:
    """Check them as rows are, each for all that it stands for."""
    batch = _batch(table, reading)
    try:
        groups = _read(table, batch, reading)
        if not groups.complaints.found:
            return groups
    except TallymarkError:
        pass
    # Engines give groups in any order, on which what is told of them shall not depend.
    plain = [column for column in batch.values() if not column.dtype.is_nested()]
    table = table.sort(plain, nulls_last=True, maintain_order=True)
    return _read(table, _batch(table, reading), reading)


def _batch(table: pl.DataFrame, reading: Reading) -> dict[str, pl.Series]:
    """The columns of groups by the names that they have in the table."""
    roles = reading.roles
    batch = {str(roles.actual): table["actual"]}
    if roles.predicted is not None:
        batch[str(roles.predicted)] = table["predicted"]
    if roles.score is not None:
        batch[roles.score] = table["low" if "low" in table.columns else "exact score"]
    if roles.weight is not None:
        batch[roles.weight] = table["weight"]
    return batch | {name: table[f"slice {place}"] for place, name in enumerate(roles.slices)}


def _read(table: pl.DataFrame, batch: dict[str, pl.Series], reading: Reading) -> Groups:
    import polars as pl

    times = table["rows"].cast(pl.Int64).to_numpy()

    def where(places: Sequence[Place], more: int = 0) -> str:
        rows = [row for _, row in places]
        held = [_held(row, table, batch, reading) for row in rows]
        return such_as(held, one=int(times[rows].sum()) + more == 1)

    columns = read_batch(batch, reading, lambda rows: where([(0, row) for row in rows]), times)
    left = table if columns.kept is None else table.filter(columns.kept)
    sums = left["sum"] if "sum" in left.columns else pl.Series([0.0])
    heaviest = left["heaviest"].max() if "heaviest" in left.columns and len(left) else 0.0
    return Groups(left, columns, columns.complaints, where, float(heaviest or 0.0), float(sums.sum()))  # type: ignore[arg-type]


def such_as(held: Sequence[str], *, one: bool = False) -> str:
    """Groups have no place in a table, but what their rows hold is known.

    >>> such_as(["(y=0)", "(y=1)", "(y=null)"]), such_as(["(y=0)"], one=True)
    ('rows such as (y=0), (y=1) and (y=null)', 'the row (y=0)')
    """
    *first, last = dict.fromkeys(held[:SHOWN])
    shown = f"{', '.join(first)} and {last}" if first else last
    return f"the row {shown}" if one else f"rows such as {shown}"


def written(values: Mapping[str, Any]) -> str:
    """What a row holds, for a message."""
    return f"({', '.join(f'{name}={_value(value)}' for name, value in values.items())})"


def _held(row: int, table: pl.DataFrame, batch: dict[str, pl.Series], reading: Reading) -> str:
    values = {name: column[row] for name, column in batch.items()}
    for name in reading.roles.slices:
        # Of columns that are sliced by it is only known whether there is a value.
        if values[name] is not None:
            del values[name]
    several = "low" in table.columns and table["low"][row] != table["high"][row]
    if several and reading.roles.score is not None:  # the least score of a bin may not be that of this row
        del values[reading.roles.score]
    file = f" in {table['file'][row]}" if "file" in table.columns else ""
    return f"{written(values)}{file}"


def _value(value: Any) -> str:
    return "null" if value is None else quoted(value) if isinstance(value, str) else str(value)


def tally_of(groups: Groups, declared: Declared) -> Tally:
    """All that is counted of these rows, but for their losses on a grid."""
    return _counted(groups.table, groups.columns, declared, _whole(groups.table))


def tallies_by(groups: Groups, declared: Declared, names: tuple[str, ...]) -> dict[Key, Tally]:
    """The same of every slice."""
    found: dict[Key, Tally] = {}
    whole = _whole(groups.table)
    for key, rows in slice_keys(groups.columns, names):
        found[key] = _counted(groups.table[rows], groups.columns.at(rows), declared, whole)
    refuse_many(len(found), names)
    return found


def labels_about(columns: Columns, declared: Declared) -> list[Label]:
    """The actual labels, as they are written, of the class that a score is about."""
    codes = distinct(columns.actual.values[is_positive(columns.actual, declared)].astype(np.int64))[0]
    return [columns.actual.label(code) for code in codes.tolist()]


def with_losses(tally: Tally, lost: Groups) -> Tally:
    """With what the losses of its rows add up to."""
    return _losing(tally, lost.table, lost.columns)


def slices_with_losses(
    tallies: Mapping[Key, Tally], lost: Groups, names: tuple[str, ...]
) -> dict[Key, Tally]:
    """The same of every slice."""
    # As text, for what rows of no weight hold may have made text of numbers.
    rows = {tuple(map(str, key)): rows for key, rows in slice_keys(lost.columns, names)}
    none = np.empty(0, np.int64)
    made = {}
    for key, tally in tallies.items():
        here = rows.get(tuple(map(str, key)), none)
        made[key] = _losing(tally, lost.table[here], lost.columns.at(here))
    return made


def _losing(tally: Tally, table: pl.DataFrame, columns: Columns) -> Tally:
    scores = tally.scores
    assert isinstance(scores, Binned)
    if not scores.rows or not scores.probable:
        return tally
    positive = is_positive(columns.actual, tally.declared)
    weighed, whole = tally.declared.weights, scores.positives.dtype == np.int64
    rows = [int(table["rows"].filter(side).sum()) for side in (positive, ~positive)]
    if (table["hit"].to_numpy() != positive).any():
        raise _unsure()
    _refuse_others(_counting(tally), sum(rows))
    if weighed is None:
        _refuse_others(int(scores.positives.sum()), rows[0])
    lost = []
    for place, side in enumerate((positive, ~positive)):
        weight = (scores.positives, scores.negatives)[place].sum().item()
        squares = weight if scores.squares is None else scores.squares[place].sum().item()
        number = weight if weighed == "frequency" else rows[place]
        lost.append(_sums(table.filter(side), int(number), weight, squares, whole=whole))
    return replace(tally, scores=replace(scores, losses=(lost[0], lost[1])))


def refuse_changed(tally: Tally, parts: Iterable[Tally]) -> None:
    """Refuse parts that are not of the same rows: tables such as those of random numbers change."""
    _refuse_others(_counting(tally), sum(map(_counting, parts)))


def _counting(tally: Tally) -> int:
    """Rows that count, each for one, be they frequencies."""
    return tally.rows if tally.declared.weights is None else tally.lines - tally.weightless


def _refuse_others(before: int, now: int) -> None:
    if before != now:
        raise EngineError(
            f"the table had {before:,} rows that count, and then {now:,}: it changes while it is read.",
            hint="write it to a table or file first, or keep its rows (in Spark persist()).",
        )


def _unsure() -> EngineError:
    return EngineError("the engine rounds or compares in a way of its own, so its counts are not sure.")


def _whole(table: pl.DataFrame) -> bool:
    """Whether all weights are whole numbers, and add up exactly."""
    return "odd" not in table.columns or (not table["odd"].sum() and float(table["sum"].sum()) < EXACT)


@dataclass(frozen=True)
class _Amounts:
    """What every group counts."""

    rows: NDArray[np.int64]
    """Rows that count; those without weight do not."""
    weight: NDArray[Any]
    squares: NDArray[np.float64] | None
    """None where a count is so many rows."""

    def at(self, chosen: NDArray[Any]) -> _Amounts:
        squares = None if self.squares is None else self.squares[chosen]
        return _Amounts(self.rows[chosen], self.weight[chosen], squares)


def _counted(table: pl.DataFrame, columns: Columns, declared: Declared, whole: bool) -> Tally:
    import polars as pl

    rows = table["rows"].cast(pl.Int64).to_numpy()
    lines = weightless = 0
    amounts = _Amounts(rows, rows, None)
    if declared.weights is not None:
        counts = (table["state"] == WEIGHS).to_numpy()
        lines, weightless = int(rows.sum()), int(rows[~counts].sum())
        weight, squares = table["sum"].to_numpy(), table["squares"].to_numpy()
        weight = weight.astype(np.int64) if whole else weight
        frequency = declared.weights == "frequency"
        amounts = _Amounts(np.where(counts, rows, 0), weight, None if frequency else squares)
    answers = columns.actual if columns.predicted is None else columns.predicted
    counted = _confusion(columns.actual, answers, amounts, columns.dropped)
    scores: Scores | Binned | None = None
    if columns.score is not None:
        positive = is_positive(columns.actual, declared)
        if declared.grid is None:
            scores = _exact(columns.score, positive, amounts)
        else:
            scores = _binned(table, columns.score, positive, amounts, declared.grid)
    return Tally(declared, counted, scores, lines=lines, weightless=weightless)


def _confusion(actual: LabelColumn, answers: LabelColumn, amounts: _Amounts, dropped: Any) -> Confusion:
    sides = side_of(actual.values, actual.label), side_of(answers.values, answers.label)
    labels = in_order([*sides[0].labels, *sides[1].labels])
    place = {label: position for position, label in enumerate(labels)}
    first, second = (
        np.array([place[label] for label in side.labels], np.int64)[side.which] for side in sides
    )
    squares = amounts.squares
    if squares is not None and amounts.weight.dtype == np.int64 and float(squares.sum()) <= EXACT:
        squares = squares.astype(np.int64)
    rows = None if amounts.squares is None else int(amounts.rows.sum())
    cells = first * len(labels) + second
    of_file = actual.as_written
    return Confusion.from_cells(
        labels, cells, amounts.weight, squares=squares, rows=rows, dropped=dropped, as_written=of_file
    )


def _exact(score: NDArray[np.float64], positive: NDArray[np.bool_], amounts: _Amounts) -> Scores:
    if amounts.squares is None:
        weight = None if (amounts.weight == 1).all() else amounts.weight
        return count_scores(score, positive, weight=weight, weight_kind="frequency")
    seen = amounts.weight != 0
    score, positive, amounts = score[seen] + 0.0, positive[seen], amounts.at(seen)
    found, which = np.unique(-score, return_inverse=True)
    up, down = (_added(which, amounts.weight, side, len(found)) for side in (positive, ~positive))
    assert amounts.squares is not None
    of_squares = [_added(which, amounts.squares, side, len(found)) for side in (positive, ~positive)]
    exact = amounts.weight.dtype == np.int64 and float(amounts.squares.sum()) <= EXACT
    first, second = (each.astype(np.int64) if exact else each for each in of_squares)
    return Scores(-found + 0.0, up, down, squares=(first, second), rows=int(amounts.rows.sum()))


def _added(
    which: NDArray[np.int64], amounts: NDArray[Any], side: NDArray[np.bool_], size: int
) -> NDArray[Any]:
    total = np.zeros(size, amounts.dtype)
    np.add.at(total, which[side], amounts[side])
    return total


def _binned(
    table: pl.DataFrame,
    low: NDArray[np.float64],
    positive: NDArray[np.bool_],
    amounts: _Amounts,
    grid: Grid,
) -> Binned:
    import polars as pl

    seen = np.flatnonzero(amounts.weight != 0)
    if not len(seen):
        return Binned.empty(grid)
    table, low, positive, amounts = table[seen], low[seen] + 0.0, positive[seen], amounts.at(seen)
    high = table["high"].cast(pl.Float64).to_numpy() + 0.0
    place, size = grid.index(low), len(grid)
    if (grid.index(high) != place).any():
        raise _unsure()
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, place, low)
    np.maximum.at(most, place, high)
    points = np.where(least == most, least, SEVERAL)
    points[least > most] = np.nan
    totals = np.zeros(size)
    np.add.at(totals, place, table["total"].to_numpy())
    sides = positive, ~positive
    up, down = (_added(place, amounts.weight, side, size) for side in sides)
    squares = None
    if amounts.squares is not None:
        squares = (
            _added(place, amounts.squares, sides[0], size),
            _added(place, amounts.squares, sides[1], size),
        )
    none = Sums(), Sums()
    frequency = "sum" in table.columns and amounts.squares is None
    rows = int((amounts.weight if frequency else amounts.rows).sum())
    return Binned(grid, up, down, squares, totals, points, none, float(low.min()), float(high.max()), rows)


def _sums(table: pl.DataFrame, rows: int, weight: float, squares: float, *, whole: bool) -> Sums:
    """The losses of the rows of one side."""

    def moments(loss: str) -> Moments:
        total = float(table[loss].sum())
        weighted = f"{loss} weighted"
        of_weights = float(table[weighted].sum()) if weighted in table.columns else total
        return Moments(total, of_weights, float(table[f"{loss} squares"].sum()))

    endless, endless_squares = float(table["endless"].sum()), float(table["endless squares"].sum())
    if whole:
        endless = int(endless)
        endless_squares = endless if squares == weight else endless_squares
    return Sums(rows, weight, squares, moments("brier"), moments("log loss"), endless, endless_squares)
