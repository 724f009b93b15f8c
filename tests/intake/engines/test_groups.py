"""Groups that an engine counted are told of in the same words, in whatever order it gives them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tallymark.errors import EngineError, LabelError, MissingValueError
from tallymark.intake.engines.groups import read_groups, such_as, tally_of, with_losses
from tallymark.intake.roles import Roles
from tallymark.intake.streams.door import Reading
from tallymark.tallies.grid import Grid
from tallymark.tallies.tally import Declared

LABELS = Reading(Roles(actual="y", predicted="p"), text=False)
GROUPS = pl.DataFrame(
    {"actual": [0, 1, None, 1, None], "predicted": [1, 1, 0, None, 1], "rows": [5, 4, 3, 1, 2]}
)
SCORED = Reading(Roles(actual="y", score="s"), text=False)


def test_groups_count_for_all_of_their_rows() -> None:
    groups = read_groups(GROUPS[:2], LABELS)
    tally = tally_of(groups, Declared(answers=True))
    assert (tally.rows, tally.counted.matrix.tolist()) == (9, [[0, 5], [0, 4]])


@pytest.mark.parametrize("seed", range(5))
def test_what_is_wrong_is_told_in_the_same_words_in_any_order(seed: int) -> None:
    groups = read_groups(GROUPS.sample(fraction=1, shuffle=True, seed=seed), LABELS)
    with pytest.raises(MissingValueError) as raised:
        groups.complaints.tell(groups.where)
    assert raised.value.message == (
        "actual (column 'y') is missing in 5 of 15 rows, at rows such as (y=null, p=0) and (y=null, p=1); "
        "predicted (column 'p') is missing in 1 of 15 rows, at the row (y=1, p=null)."
    )


@pytest.mark.parametrize("seed", range(3))
def test_so_is_what_is_refused_at_once(seed: int) -> None:
    table = pl.DataFrame({"actual": [0.5, 1.0, 0.25], "predicted": [1, 1, 0], "rows": [1, 1, 7]})
    with pytest.raises(LabelError, match=r"holds 0\.25 at rows such as \(y=0\.25, p=0\); labels are"):
        read_groups(table.sample(fraction=1, shuffle=True, seed=seed), LABELS)


def test_missing_labels_are_dropped_and_counted() -> None:
    reading = Reading(LABELS.roles, text=False, drop_missing=True)
    tally = tally_of(read_groups(GROUPS, reading), Declared(answers=True, missing="drop"))
    assert (tally.rows, dict(tally.dropped)) == (9, {"missing_actual": 5, "missing_predicted": 1})


def of_bins(low: list[float], high: list[float]) -> pl.DataFrame:
    """Two groups of a grid."""
    return pl.DataFrame({"actual": [0, 1], "low": low, "high": high, "rows": [2, 3], "total": [0.5, 0.5]})


def of_losses(hit: list[int], rows: list[int]) -> pl.DataFrame:
    """What the rows of two labels lost, which is nothing."""
    names = [f"{loss}{what}" for loss in ("brier", "log loss") for what in ("", " squares", " weighted")]
    nothing = {name: [0.0, 0.0] for name in (*names, "endless", "endless squares")}
    return pl.DataFrame({"actual": [0, 1], "hit": hit, "rows": rows} | nothing)


def test_bins_that_another_arithmetic_made_are_refused() -> None:
    declared = Declared(score=True, grid=Grid(0, 1, 10))
    tally = tally_of(read_groups(of_bins([0.11, 0.52], [0.19, 0.52]), SCORED), declared)
    assert np.flatnonzero(tally.scores.points == np.inf).tolist() == [2]  # type: ignore[union-attr]
    with pytest.raises(EngineError, match="a way of its own"):
        tally_of(read_groups(of_bins([0.11, 0.52], [0.21, 0.52]), SCORED), declared)
    unscored = Reading(Roles(actual="y"), text=False)
    whole = with_losses(tally, read_groups(of_losses([0, 1], [2, 3]), unscored))
    assert [side.rows for side in whole.scores.losses] == [3, 2]  # type: ignore[union-attr]
    for hit, rows, said in (([0, 0], [2, 3], "a way of its own"), ([0, 1], [2, 4], "5 rows.*then 6")):
        with pytest.raises(EngineError, match=said):
            with_losses(tally, read_groups(of_losses(hit, rows), unscored))


def test_the_least_score_of_a_bin_is_not_told_as_that_of_a_row() -> None:
    table = of_bins([0.11, 0.52], [0.19, 0.52]).with_columns(actual=pl.Series([None, None], dtype=pl.Int64))
    groups = read_groups(table, SCORED)
    with pytest.raises(MissingValueError, match=r"at rows such as \(y=null\) and \(y=null, s=0\.52\)\."):
        groups.complaints.tell(groups.where)


def test_no_more_than_three_are_named() -> None:
    assert such_as(["(y=1)", "(y=1)"]) == "rows such as (y=1)"
    assert such_as([f"(y={at})" for at in range(9)]) == "rows such as (y=0), (y=1) and (y=2)"
