"""A grid: where bins begin, which bin a score is in, what a cut adds; and rows counted on it."""

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each
from scored import classes, refusals


@each(
    ("grid", "edges", "scores", "index"),
    [
        (
            tm.Grid(0, 1, 4),
            [-np.inf, 0, 0.25, 0.5, 0.75, 1],
            [-7, -5e-324, -0.0, 0, 0.2499, 0.25, 0.9999, 1, 1e300],
            [0, 0, 1, 1, 1, 2, 4, 5, 5],
        ),
        (tm.Grid(-1, 3, 4), [-np.inf, -1, 0, 1, 2, 3], [-1.5, -1, -0.5, 0, 2.5, 3], [0, 1, 1, 2, 4, 5]),
        # A cut puts rows above, at and below it apart.
        (
            tm.Grid(0, 1, 4).cut_at([0.3]),
            [-np.inf, 0, 0.25, 0.3, np.nextafter(0.3, 1), 0.5, 0.75, 1],
            [0.25, np.nextafter(0.3, 0), 0.3, np.nextafter(0.3, 1), 0.49, 0.5, 3],
            [2, 2, 3, 4, 4, 5, 7],
        ),
    ],
    ids=["from 0 to 1", "from below 0", "with a cut"],
)
def test_bins_by_hand(grid, edges, scores, index) -> None:
    assert grid.edges.tolist() == pytest.approx(edges, abs=1e-15)
    assert len(grid) == len(edges)
    assert grid.index(np.array(scores)).tolist() == index


def test_a_cut_at_an_edge_or_outside() -> None:
    grid = tm.Grid(0, 1, 2).cut_at([0.5, -2.0, 9.0])
    found = grid.index(np.array([-3, -2, -1, 0, 0.5, 0.6, 1, 8, 9, 10])).tolist()
    assert found == [0, 1, 2, 3, 4, 5, 6, 6, 7, 8]
    assert tm.Grid(0, 1, 4).cut_at([0.3]).cut_at([0.3]) == tm.Grid(0, 1, 4).cut_at([0.3])


def test_bins_of_calibration_curves_end_where_these_do() -> None:
    assert tm.Grid().bins == 61_440
    edges = set(tm.Grid().edges.tolist())
    for parts in (10, 15, 16):
        # The float next to k / parts may be the first of its bin, for products are rounded.
        for k in range(parts + 1):
            near = {k / parts, np.nextafter(k / parts, 2), np.nextafter(k / parts, -1)}
            assert near & edges, (k, parts)


def test_a_grid_is_a_value() -> None:
    grid = tm.Grid(-1, 1, 8, np.array([0.3, 0.1, 0.3]))
    again = pickle.loads(pickle.dumps(grid))
    assert again == grid
    assert hash(again) == hash(grid)
    assert grid.cuts.tolist() == [0.1, 0.3]
    for other in (tm.Grid(-1, 1, 8), tm.Grid(-1, 1, 9, grid.cuts), tm.Grid(-1, 2, 8, grid.cuts), "a grid"):
        assert grid != other
    for array in (grid.edges, grid.cuts, again.edges):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_what_is_no_grid(snapshot) -> None:
    wrong = [(1, 0, 10), (0, 0, 10), (0, float("inf"), 10), (float("nan"), 1, 10), (-1e308, 1e308, 10)]
    wrong += [(0, 1, 0), (0, 1, 1 << 25), (0, 5e-324, 10)]
    refused = refusals(
        {f"{low} to {high} in {bins}": lambda at=(low, high, bins): tm.Grid(*at) for low, high, bins in wrong}
    )
    assert set(classes(refused).values()) == {"OptionError"}
    texts = {"a grid": str(tm.Grid(0, 1, 4)), "with cuts": str(tm.Grid(0, 1, 4).cut_at([0.3]))}
    snapshot("tallies_errors_of_grids", refused | texts)


# --- rows counted on a grid --------------------------------------------------------------------------


def on_grid(score: list[float], positive: list[int], weight: Any = None, **options: Any) -> Any:
    table = pl.DataFrame({"y": positive, "s": [float(s) for s in score], "w": weight or [1.0] * len(score)})
    more = {} if weight is None else {"weight": "w"}
    options = {"labels": [0, 1], "approximate": True, "grid": (0, 1)} | more | options
    return tm.tally(table, actual="y", score="s", **options).scores


NEAR = 0.12 + 1e-9  # in the same bin as 0.12


def test_what_is_kept_of_every_bin() -> None:
    tally = on_grid([0.12, NEAR, 0.3, 0.3, 1.0], [0, 1, 1, 0, 1])
    held = tally.grid.index(np.array([1.0, 0.3, 0.12]))
    assert tally.positives[held].tolist() == [1, 1, 1]
    assert tally.negatives[held].tolist() == [0, 1, 1]
    assert (tally.positives.sum(), tally.negatives.sum()) == (3, 2)
    assert tally.totals[held].tolist() == pytest.approx([1, 0.6, 0.12 + NEAR])
    assert (tally.low, tally.high, tally.rows, tally.outside) == (0.12, 1.0, 5, False)
    # From the best down; no score is above the highest of its bin, nor below the least one there is.
    scores = tally.scores(1)
    end = np.nextafter(tally.grid.edges[held[2] + 1], 0)
    assert (scores.score.tolist(), scores.reach.tolist()) == ([1.0, 0.3, 0.12], [1.0, 0.3, end])
    assert scores.loose.tolist() == [False, False, True]
    assert (scores.exact, scores.positive, scores.highest) == (False, 1, 1.0)
    assert on_grid([0.12, NEAR, 0.12000001], [0, 1, 1]).scores().highest == 0.12000001


def test_scores_are_exact_when_every_bin_holds_one() -> None:
    scores = on_grid([0.12, 0.12, 0.3, 7.0], [0, 1, 1, 0]).scores()
    assert (scores.exact, scores.reach, scores.known) == (True, None, None)
    assert scores.score.tolist() == [7, 0.3, 0.12]


def test_losses_are_added_up_row_by_row() -> None:
    sums = on_grid([0.5, 0.12, NEAR], [1, 1, 0]).scores().sums
    assert sums.brier.total == pytest.approx(0.5**2 + 0.88**2 + NEAR**2)
    assert sums.log_loss.total == pytest.approx(-np.log(0.5) - np.log(0.12) - np.log(1 - NEAR))
    assert on_grid([0.0, 0.12, NEAR], [1, 1, 0]).scores().sums.infinite == 1


def test_weights_on_a_grid() -> None:
    tally = on_grid([0.12, NEAR, 0.3], [1, 1, 0], [2, 3, 4])
    (at,) = tally.grid.index(np.array([0.12]))
    assert (tally.positives[at], tally.squares[0][at], tally.rows) == (5, 4 + 9, 3)
    assert tally.totals[at] == pytest.approx(2 * 0.12 + 3 * NEAR)
    assert tally.scores().squares[0].tolist() == [0, 13]
    frequencies = on_grid([0.12, NEAR, 0.3], [1, 1, 0], [2, 3, 4], weight_kind="frequency")
    assert (frequencies.squares, frequencies.rows) == (None, 9)


def test_where_there_is_no_bin_but_one_for_all() -> None:
    grid = {"grid": (2, 3)}
    below, above = on_grid([0, 1.1, 2.5], [0, 1, 1], **grid), on_grid([4, 5, 2.5], [0, 1, 1], **grid)
    assert below.outside
    assert above.outside
    assert not on_grid([4, 4, 0], [0, 1, 1], **grid).outside
    scores = (below + above).scores()
    assert scores.score.tolist() == [3, 2.5, 0]
    assert scores.reach.tolist() == [5, 2.5, np.nextafter(2, 0)]
    # Beyond 0 and 1 they are no probabilities.
    assert scores.known is None


def test_tallies_on_a_grid_are_added() -> None:
    one, two = on_grid([0.12, 0.3], [0, 1]), on_grid([NEAR, 0.9], [1, 0])
    both = one + two
    assert both == on_grid([NEAR, 0.9, 0.12, 0.3], [1, 0, 0, 1]) == sum([two, one])
    assert both.scores().loose.tolist() == [False, False, True]
    assert not (one + one).scores().loose.any()
    for other in (on_grid([0.12], [0], [1.5]), on_grid([0.12], [0], grid=(0, 2))):
        for sides in ((one, other), (other, one)):
            with pytest.raises(tm.MergeError):
                sides[0] + sides[1]
    nothing = type(one).empty(one.grid)
    for tally in (one, on_grid([0.5], [1], [2.5])):
        assert nothing + tally == tally == tally + nothing != nothing


@each("weights", [None, [1, 2, 300], [0.5, 0.25, 1e49]], ids=["none", "whole", "shares"])
def test_what_is_sent_is_small(weights) -> None:
    """Workers send it to each other: no more than of the bins that hold rows."""
    sent = on_grid([0.12, 0.5, NEAR], [1, 0, 1], weights, threshold=0.5)
    message = pickle.dumps(sent)
    found = pickle.loads(message)
    assert found == sent
    assert len(message) < 10_000 < sent.positives.nbytes
    assert [part.dtype for part in (found.positives, found.totals)] == [sent.positives.dtype, np.float64]
