"""From the rows of a batch to counts, against counting row by row."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tallymark.errors import OptionError
from tallymark.intake.columns import label_column
from tallymark.intake.streams import counting
from tallymark.intake.streams.counting import asked_cuts, count_binned, count_columns
from tallymark.intake.streams.door import Columns
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import SLICE_BINS, Grid
from tallymark.tallies.scores import Scores
from tallymark.tallies.tally import Declared

RNG = np.random.default_rng(0)
ROWS = 300
Y = RNG.integers(0, 2, ROWS)
P = RNG.integers(0, 2, ROWS)
S = np.round(RNG.random(ROWS), 2)
W = RNG.integers(0, 4, ROWS)
REGION = RNG.choice(["n", "s"], ROWS)


def _columns(*, weight: Any = None, predicted: bool = True, region: Any = REGION) -> Columns:
    return Columns(
        label_column(Y, "actual"),
        label_column(P, "predicted") if predicted else None,
        S,
        None,
        weight,
        {"region": label_column(region, "slice")},
        {"missing_actual": 2},
    )


def test_exact_counts():
    tally = count_columns(_columns(), Declared(answers=True, score=True))
    assert isinstance(tally.scores, Scores)
    pairs = Counter(zip(Y.tolist(), P.tolist(), strict=True))
    assert tally.counted.matrix.tolist() == [[pairs[0, 0], pairs[0, 1]], [pairs[1, 0], pairs[1, 1]]]
    ones, zeros = Counter(S[Y == 1].tolist()), Counter(S[Y == 0].tolist())
    assert tally.scores.positives.tolist() == [ones[s] for s in sorted({*S.tolist()}, reverse=True)]
    assert tally.scores.negatives.tolist() == [zeros[s] for s in sorted({*S.tolist()}, reverse=True)]
    assert (tally.rows, tally.dropped) == (ROWS, {"missing_actual": 2})


@pytest.mark.parametrize("kind", [None, "sampling", "frequency"])
def test_counts_on_a_grid(kind):
    grid = Grid(0, 1, 8).cut_at([0.5])
    weight = None if kind is None else W
    tally = count_columns(
        _columns(weight=weight, predicted=False), Declared(score=True, grid=grid, weights=kind)
    )
    binned = tally.scores
    assert isinstance(binned, Binned)
    amount = np.ones(ROWS, int) if weight is None else weight
    for at, (low, high) in enumerate(zip(grid.edges, [*grid.edges[1:], np.inf], strict=True)):
        held = (low <= S) & (high > S) & (amount > 0)
        assert binned.positives[at] == amount[held & (Y == 1)].sum()
        assert binned.negatives[at] == amount[held & (Y == 0)].sum()
        assert binned.totals[at] == pytest.approx((S * amount)[held].sum())
        found = set(S[held].tolist())
        point = binned.points[at]
        assert np.isnan(point) if not found else point == (np.inf if len(found) > 1 else found.pop())
    assert (binned.low, binned.high) == (S[amount > 0].min(), S[amount > 0].max())
    assert binned.rows == tally.rows == (W.sum() if kind == "frequency" else np.count_nonzero(amount))
    brier = (amount * (S - Y) ** 2).sum()
    assert sum(side.brier.total for side in binned.losses) == pytest.approx(brier)


def test_slices_are_tallies_of_the_same_kind():
    declared = Declared(answers=True, score=True, grid=Grid(), slices=(("region",),), threshold=0.123)
    tally = count_columns(_columns(), declared)
    parts = tally.slices["region",]
    assert {key: part.rows for key, part in parts.items()} == {
        ("n",): (REGION == "n").sum(),
        ("s",): (REGION == "s").sum(),
    }
    for part in parts.values():
        assert isinstance(part.scores, Binned)
        assert part.scores.grid.bins == SLICE_BINS
        assert 0.123 in part.scores.grid.cuts
        assert part.declared.slices == ()


def test_cuts_of_finer_grids_are_not_those_of_slices():
    fine = Grid().finer(np.linspace(0, 0.01, 5_000))
    tally = count_columns(_columns(), Declared(score=True, grid=fine, slices=(("region",),)))
    part = tally.slices["region",]["n",]
    assert isinstance(part.scores, Binned)
    assert len(part.scores.grid.cuts) < 100


def test_too_many_slices_are_refused_before_they_are_counted(monkeypatch):
    monkeypatch.setattr(counting, "_counted", lambda *_: pytest.fail("counted"))
    columns = _columns(region=np.arange(ROWS) % 11)
    monkeypatch.setattr(counting, "MOST_SLICES", 10)
    with pytest.raises(OptionError, match="slicing by 'region' gives 11 slices or more; at most 10 are made"):
        counting._by(columns, ("region",), Declared())


@pytest.mark.parametrize("block", [1, 7, 64])
def test_any_size_of_blocks_gives_the_same_counts(monkeypatch, block):
    # Sixteenths, whose sums are exact.
    score = np.floor(S * 16) / 16
    whole = count_binned(score, Y == 1, None, "sampling", Grid(0, 1, 5))
    monkeypatch.setattr(counting, "_BLOCK", block)
    again = count_binned(score, Y == 1, None, "sampling", Grid(0, 1, 5))
    for name in ("positives", "negatives", "totals", "points"):
        assert np.array_equal(getattr(again, name), getattr(whole, name), equal_nan=True)
    assert again.losses[0].brier == whole.losses[0].brier


def test_where_bins_of_a_calibration_curve_end_is_cut():
    edges = np.linspace(0, 1, 11)
    grid = Grid().cut_at(asked_cuts(0, 1, None))
    place = grid.index(edges)
    assert (grid.index(np.nextafter(edges, 2)) == place + 1).all()
    assert (grid.index(np.nextafter(edges[1:], -1)) == place[1:] - 1).all()
    assert asked_cuts(-1, 1, 0.25) == [0.25]
