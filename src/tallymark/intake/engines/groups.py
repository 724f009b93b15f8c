"""From the groups that an engine counted to a tally, through the same door that rows go through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import EngineError
from tallymark.intake.columns import LabelColumn
from tallymark.intake.engines.pushdown import WEIGHS
from tallymark.intake.rows import side_of
from tallymark.intake.streams.complaints import SHOWN, Complaints
from tallymark.intake.streams.counting import is_positive, refuse_many, slice_keys
from tallymark.intake.streams.door import Columns, Reading, read_batch
from tallymark.tallies import Confusion, Scores, Sums
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
    import polars as pl

    roles = reading.roles
    batch = {str(roles.actual): table["actual"]}
    if roles.predicted is not None:
        batch[str(roles.predicted)] = table["predicted"]
    if roles.score is not None:
        batch[roles.score] = table["low" if "low" in table.columns else "exact score"]
    if roles.weight is not None:
        batch[roles.weight] = table["weight"]
    batch |= {name: table[f"slice {place}"] for place, name in enumerate(roles.slices)}
    times = table["rows"].cast(pl.Int64).to_numpy()

    def where(places: Sequence[tuple[int, int]], _: int = 0) -> str:
        return _such_as([row for _, row in places], batch, table)

    columns = read_batch(batch, reading, lambda rows: where([(0, row) for row in rows]), times)
    left = table if columns.kept is None else table.filter(columns.kept)
    sums = left["sum"] if "sum" in left.columns else pl.Series([0.0])
    heaviest = left["heaviest"].max() if "heaviest" in left.columns and len(left) else 0.0
    return Groups(left, columns, columns.complaints, where, float(heaviest or 0.0), float(sums.sum()))  # type: ignore[arg-type]


def _such_as(rows: Sequence[int], batch: dict[str, pl.Series], table: pl.DataFrame) -> str:
    """Groups have no place in a table, but what their rows hold is known."""
    shown = []
    for row in rows[:SHOWN]:
        held = ", ".join(f"{name}={_value(column[int(row)])}" for name, column in batch.items())
        file = f" in {table['file'][int(row)]}" if "file" in table.columns else ""
        shown.append(f"({held}){file}")
    return f"{'a row' if len(rows) == 1 else 'rows'} such as {' and '.join(dict.fromkeys(shown))}"


def _value(value: Any) -> str:
    return "null" if value is None else quoted(value) if isinstance(value, str) else str(value)


def tally_of(groups: Groups, declared: Declared) -> Tally:
    """All that is counted of these rows."""
    return _counted(groups.table, groups.columns, declared, _whole(groups.table))


def tallies_by(groups: Groups, declared: Declared, names: tuple[str, ...]) -> dict[Key, Tally]:
    """The same of every slice."""
    found: dict[Key, Tally] = {}
    if not len(groups.columns):
        return found
    whole = _whole(groups.table)
    for key, rows in slice_keys(groups.columns, names):
        columns = replace(groups.columns.at(rows), dropped={})
        found[key] = _counted(groups.table[rows], columns, declared, whole)
    refuse_many(len(found), names)
    return found


def _whole(table: pl.DataFrame) -> bool:
    """Whether all weights are whole numbers, and add up exactly."""
    return "odd" not in table.columns or (not table["odd"].sum() and float(table["sum"].sum()) <= EXACT)


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
    return Confusion.from_cells(labels, cells, amounts.weight, squares=squares, rows=rows, dropped=dropped)


def _exact(score: NDArray[np.float64], positive: NDArray[np.bool_], amounts: _Amounts) -> Scores:
    seen = amounts.weight != 0
    score, positive, amounts = score[seen] + 0.0, positive[seen], amounts.at(seen)
    found, which = np.unique(-score, return_inverse=True)
    up, down = (_added(which, amounts.weight, side, len(found)) for side in (positive, ~positive))
    squares = None
    if amounts.squares is not None:
        of_squares = [_added(which, amounts.squares, side, len(found)) for side in (positive, ~positive)]
        exact = amounts.weight.dtype == np.int64 and float(amounts.squares.sum()) <= EXACT
        first, second = (each.astype(np.int64) if exact else each for each in of_squares)
        squares = first, second
    rows = None if squares is None else int(amounts.rows.sum())
    return Scores(-found + 0.0, up, down, squares=squares, rows=rows)


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
    if (grid.index(high) != place).any() or (table["hit"].to_numpy() != positive).any():
        raise EngineError(
            "the engine rounds or compares numbers in a way of its own, so counts are not sure."
        )
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
    lost = (
        _sums(table.filter(positive), amounts.at(positive)),
        _sums(table.filter(~positive), amounts.at(~positive)),
    )
    frequency = "sum" in table.columns and amounts.squares is None
    rows = int((amounts.weight if frequency else amounts.rows).sum())
    return Binned(grid, up, down, squares, totals, points, lost, float(low.min()), float(high.max()), rows)


def _sums(table: pl.DataFrame, amounts: _Amounts) -> Sums:
    """The losses of the rows of one side."""
    weighed = "sum" in table.columns
    weight = amounts.weight.sum().item()
    squares = weight if amounts.squares is None else amounts.squares.sum().item()
    rows = weight if weighed and amounts.squares is None else int(amounts.rows.sum())

    def moments(loss: str) -> Moments:
        total = float(table[loss].sum())
        weighted = float(table[f"{loss} weighted"].sum()) if weighed else total
        return Moments(total, weighted, float(table[f"{loss} squares"].sum()))

    endless, endless_squares = float(table["endless"].sum()), float(table["endless squares"].sum())
    if amounts.weight.dtype == np.int64:
        endless, endless_squares = int(endless), int(endless_squares)
    return Sums(int(rows), weight, squares, moments("brier"), moments("log loss"), endless, endless_squares)
