"""Rows in bins: how far each row's influence can be from that of its bin, against every order looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tallymark.inference import influence
from tallymark.inference.influence import Influence
from tallymark.inference.influence_bounds import Apart, apart_auc, apart_average_precision, apart_partial
from tallymark.inference.ranking import Ranking
from tallymark.intake.ranking import count_scores
from tallymark.metrics import ask
from tallymark.metrics.score_bounds import certified
from tallymark.tallies import Scores

LIMITS = (0.2, 0.5, 0.8)


def drawn(seed: int) -> tuple[Scores, Scores, np.ndarray, np.ndarray, np.ndarray]:
    """Some rows exactly, in a few bins, and of each row its class, score and bin."""
    generator = np.random.default_rng(seed)
    n, bins = int(generator.integers(6, 30)), int(generator.integers(2, 6))
    positive = np.arange(n) < generator.integers(2, n - 2)
    score = np.round(generator.random(n) ** generator.choice([0.4, 1.0, 2.5]), 2)
    place = np.minimum((score * bins).astype(int), bins - 1)
    best_first = bins - 1 - place
    edges = np.linspace(1, 0, bins + 1)
    sides = [np.bincount(best_first[each], minlength=bins) for each in (positive, ~positive)]
    return count_scores(score, positive), Scores.from_bins(*sides, edges=edges), positive, score, best_first


def of_rows(found: Iterator[Influence], at: np.ndarray, positive: np.ndarray) -> np.ndarray:
    up, down = (np.concatenate(side) for side in list(zip(*found, strict=True))[1:])
    return np.where(positive, up[at], down[at])


def assert_no_further(
    one: np.ndarray, two: np.ndarray, apart: Apart, at: np.ndarray, positive: np.ndarray
) -> None:
    """The length of all differences of a class is that of the allowed ones at the most."""
    for side, allowed in ((positive, apart.of_positive), (~positive, apart.of_negative)):
        off, most = (one - two)[side], allowed[at[side]]
        assert math.sqrt(off @ off) <= math.sqrt(most @ most) + 1e-12


@pytest.mark.parametrize("seed", range(60))
def test_no_order_within_bins_moves_influences_further(seed: int) -> None:
    exact, binned, positive, score, at = drawn(seed)
    place = np.searchsorted(-exact.score, -score)
    areas = [ask("auc").metric(t) for t in (exact, binned)]
    assert_no_further(
        of_rows(influence.of_auc(exact, areas[0]), place, positive),
        of_rows(influence.of_auc(binned, areas[1]), at, positive),
        apart_auc(binned),
        at,
        positive,
    )
    for limit in LIMITS:
        asked = ask(f"partial_auc:{limit}")
        values = [asked.metric(t, limit) for t in (exact, binned)]
        ends = certified(asked, binned, values[1])
        shares = (ends[0] / limit, ends[1] / limit)
        assert_no_further(
            of_rows(influence.of_partial_share(exact, limit, values[0] / limit), place, positive),
            of_rows(influence.of_partial_share(binned, limit, values[1] / limit), at, positive),
            apart_partial(binned, limit, values[1] / limit, shares),
            at,
            positive,
        )
    asked = ask("average_precision")
    means = [asked.metric(t) for t in (exact, binned)]
    assert_no_further(
        of_rows(influence.of_average_precision(exact, means[0], fixed=False), place, positive),
        of_rows(influence.of_average_precision(binned, means[1], fixed=False), at, positive),
        apart_average_precision(binned, means[1], certified(asked, binned, means[1])),
        at,
        positive,
    )
    for name in ("auc", "average_precision", *(f"partial_auc:{limit}" for limit in LIMITS)):
        sure, known = Ranking(binned).of(ask(name)), Ranking(exact).of(ask(name))
        if sure.se_bounds is not None and known.se is not None:
            assert sure.se_bounds[0] <= known.se <= sure.se_bounds[1]


def test_the_largest_step_of_an_area_by_hand() -> None:
    # In a bin of 2 positives and 3 negatives a positive beats from 0 to 3 of the 4 negatives: half of that,
    # 3 / 8, to either side, of 2 positives; a negative is beaten by 0 to 2 of 2 positives, of 4 negatives.
    apart = apart_auc(Scores.from_bins([2, 0], [3, 1], edges=[1, 0.5, 0]))
    assert apart.of_positive.tolist() == [3 / 8 / 2, 1 / 8 / 2]
    assert apart.of_negative.tolist() == [1 / 2 / 4, 0]


@pytest.mark.parametrize(("bounds", "off"), [((0.2, 0.6), 0.3), ((0.45, 0.9), 0.4), ((0.5, 0.5), 0)])
def test_how_far_the_number_itself_can_be_off_adds_to_every_row(
    bounds: tuple[float, float], off: float
) -> None:
    # Two positives and two negatives in one bin, and two of each above.
    t = Scores.from_bins([2, 2], [2, 2], edges=[1, 0.5, 0])
    at, sure = apart_average_precision(t, 0.5, bounds), apart_average_precision(t, 0.5, (0.5, 0.5))
    assert (at.of_positive - sure.of_positive).tolist() == pytest.approx([off / 4] * 2)
    at, sure = apart_partial(t, 0.3, 0.5, bounds), apart_partial(t, 0.3, 0.5, (0.5, 0.5))
    assert (at.of_positive - sure.of_positive).tolist() == pytest.approx([off / 4] * 2)
    assert (at.of_negative - sure.of_negative).tolist() == pytest.approx([off / 4] * 2)


def test_a_part_of_the_area_in_one_bin_by_hand() -> None:
    # The limit, half of the false positive rate, lies in the middle of the only bin. A positive has from none
    # to all of it before it, and the share of the area, 1 / 4 on the line, may be 0 or 1.
    apart = apart_partial(Scores.from_bins([2], [2], edges=[1, 0]), 0.5, 0.25, (0, 1))
    assert apart.of_positive.tolist() == [(1 + 3 / 4) / 2]
    # A negative is above the limit or not, at any height, so 1 at the most; on the line it is 1 / 8 below.
    # The height at the limit is 1 / 2 off at the most.
    assert apart.of_negative.tolist() == [((1 + 1 / 8) / 0.5 + 3 / 4 + 1 / 2) / 2]
