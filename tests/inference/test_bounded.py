"""Intervals over all that bins leave open: no share and no standard error among them reaches further."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.inference.bounded import FAR, NOT_SURE, Sure, over_bounds
from tallymark.inference.influence import Spread
from tallymark.inference.influence_bounds import SpreadBounds
from tallymark.inference.ranking import NO_SPREAD, Part, _of_area
from tallymark.intervals import logit_bounds
from tallymark.intervals.proportions import z_quantile

LEVEL = 0.95
ROWS = (40.0, 60.0)


def part(share: float) -> Part:
    return Part(share, lambda: iter(()))


def spread(se: float, carriers: float = 50.0) -> Spread:
    return Spread(se**2, (se**2 / 2, se**2 / 2), carriers, math.inf, ROWS)


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.2, 0.95), (0.45, 0.55), (0.001, 0.4), (0.6, 0.9999)],
    ids=["wide", "mid", "low", "high"],
)
@pytest.mark.parametrize("most", [0.01, 0.1, 0.6, 1.4], ids=["sure", "usual", "unsure", "two-rows"])
@pytest.mark.parametrize("steepest", [1.5, 2.0], ids=["many-rows", "few-rows"])
def test_nothing_that_is_possible_reaches_further(
    low: float, high: float, most: float, steepest: float
) -> None:
    share = (low + high) / 2
    sure = Sure((low, high), SpreadBounds((most / 4, most), 50.0), steepest)
    limits, note = over_bounds(_of_area, "delong", part(share), spread(most / 2), sure, NO_SPREAD)
    assert note is None
    down, up = limits(LEVEL)
    times = z_quantile(LEVEL)
    for each in np.linspace(low, high, 400).tolist():
        se = min(most, steepest * min(each, 1 - each))
        lower, upper = logit_bounds(each, se, times)
        assert down <= lower + 1e-12
        assert upper <= up + 1e-12


def test_what_is_not_certified_is_said() -> None:
    known = SpreadBounds((0.01, 0.02), 50.0)
    for sure, said in (
        (Sure((0.7, 0.8), None), NOT_SURE),
        (Sure((0.7, 0.999), known), FAR),
        (Sure((0.7, 0.8), known), None),
    ):
        limits, note = over_bounds(_of_area, "delong", part(0.75), spread(0.015), sure, NO_SPREAD)
        assert note == said
        down, up = limits(LEVEL)
        assert down < sure.share[0] < sure.share[1] < up
