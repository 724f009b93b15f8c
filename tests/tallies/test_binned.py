"""Counts on a grid: what is kept of the scores in a bin, adding, and the scores that come out."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tallymark.errors import MergeError
from tallymark.intake.streams.counting import count_binned
from tallymark.tallies.binned import SEVERAL, Binned
from tallymark.tallies.grid import Grid

GRID = Grid(0, 1, 4)


def binned(
    score: list[float], positive: list[int], weight: Any = None, kind: Any = "sampling", grid: Grid = GRID
) -> Binned:
    amounts = None if weight is None else np.array(weight)
    return count_binned(np.array(score, float), np.array(positive, bool), amounts, kind, grid)


def test_rows_in_every_bin() -> None:
    tally = binned([0.1, 0.2, 0.3, 0.3, 1.0], [0, 1, 1, 0, 1])
    assert tally.positives.tolist() == [0, 1, 1, 0, 0, 1]
    assert tally.negatives.tolist() == [0, 1, 1, 0, 0, 0]
    assert tally.totals.tolist() == pytest.approx([0, 0.3, 0.6, 0, 0, 1])
    np.testing.assert_array_equal(tally.points, [np.nan, SEVERAL, 0.3, np.nan, np.nan, 1])
    assert (tally.low, tally.high, tally.rows) == (0.1, 1.0, 5)
    assert not tally.outside
    assert repr(tally) == "Binned(4 bins from 0 to 1, 5 rows)"


def test_losses_are_added_up_row_by_row() -> None:
    up, down = binned([0.5, 0.25, 0.25], [1, 1, 0]).losses
    assert up.brier.total == 0.5**2 + 0.75**2
    assert down.brier.total == 0.25**2
    assert up.log_loss.total == pytest.approx(-np.log(0.5) - np.log(0.25))
    assert binned([0.0, 0.4], [1, 1]).losses[0].infinite == 1


def test_weights() -> None:
    tally = binned([0.1, 0.2, 0.3], [1, 1, 0], [2, 3, 4])
    assert tally.positives.tolist() == [0, 5, 0, 0, 0, 0]
    assert tally.squares is not None
    assert tally.squares[0][1] == 4 + 9
    assert tally.totals[1] == pytest.approx(2 * 0.1 + 3 * 0.2)
    assert tally.rows == 3
    frequencies = binned([0.1, 0.2, 0.3], [1, 1, 0], [2, 3, 4], "frequency")
    assert frequencies.squares is None
    assert frequencies.rows == 9


def test_scores_come_out_from_the_best_down_with_their_reach() -> None:
    scores = binned([0.1, 0.2, 0.3, 0.3, 1.0], [0, 1, 1, 0, 1]).scores(1)
    assert scores.score.tolist() == [1.0, 0.3, 0.1]
    assert scores.reach is not None
    # No score is above the highest of its bin, nor below the least one there is.
    assert scores.reach.tolist() == [1.0, 0.3, np.nextafter(0.25, 0)]
    assert scores.positives.tolist() == [1, 1, 1]
    assert not scores.exact
    assert scores.loose.tolist() == [False, False, True]
    assert scores.positive == 1
    assert scores.known is not None


def test_scores_are_exact_when_every_bin_holds_one() -> None:
    scores = binned([0.1, 0.1, 0.3, 7.0], [0, 1, 1, 0]).scores()
    assert scores.exact
    assert scores.score.tolist() == [7, 0.3, 0.1]
    assert scores.known is None


def test_where_there_is_no_bin_but_one_for_all() -> None:
    below, above = binned([-3, -2, 0.5], [0, 1, 1]), binned([4, 5, 0.5], [0, 1, 1])
    assert below.outside
    assert above.outside
    assert not binned([4, 4, -2], [0, 1, 1]).outside
    scores = (below + above).scores()
    assert scores.reach is not None
    assert list(zip(scores.score.tolist(), scores.reach.tolist(), strict=True)) == [
        (1.0, 5.0), (0.5, 0.5), (-3.0, -5e-324),
    ]  # fmt: skip
    assert scores.known is None  # no probabilities


def test_adding() -> None:
    one, two = binned([0.1, 0.3], [0, 1]), binned([0.4, 0.9], [1, 0])
    both = one + two
    np.testing.assert_array_equal(both.points, [np.nan, 0.1, SEVERAL, np.nan, 0.9, np.nan])
    assert both == binned([0.1, 0.3, 0.4, 0.9], [0, 1, 1, 0])
    assert sum([one, two]) == both
    nothing = Binned.empty(GRID)
    assert nothing + one == one == one + nothing
    assert nothing + binned([0.5], [1], [2.5]) == binned([0.5], [1], [2.5])
    assert pickle.loads(pickle.dumps(both)) == both
    assert one != two
    assert one != binned([0.1, 0.3], [0, 1], [1, 1])


@pytest.mark.parametrize("weights", [None, [1, 2, 300], [0.5, 0.25, 1e100]], ids=["none", "whole", "shares"])
def test_what_is_sent_is_small(weights: list[float] | None) -> None:
    """Workers send it to each other: no more than of the bins that hold rows."""
    grid = Grid(0, 1).cut_at([0.5])
    sent = binned([0.1, 0.5, 0.100001], [1, 0, 1], weights, grid=grid)
    message = pickle.dumps(sent)
    found = pickle.loads(message)
    assert found == sent
    assert len(message) < 10_000 < sent.positives.nbytes
    assert not found.positives.flags.writeable
    assert [each.dtype for each in (found.positives, found.totals)] == [sent.positives.dtype, np.float64]


def test_what_is_not_added() -> None:
    with pytest.raises(MergeError, match=r"different grids: 4 bins from 0 to 1 and 4 bins from 0 to 2"):
        binned([0.1], [0]) + binned([0.1], [0], grid=Grid(0, 2, 4))
    with pytest.raises(MergeError, match="one tally has weights and the other has none"):
        binned([0.1], [0]) + binned([0.1], [0], [1.5])
    with pytest.raises(TypeError):
        binned([0.1], [0]) + 1  # type: ignore[operator]
