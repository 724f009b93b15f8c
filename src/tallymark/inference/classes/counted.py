"""Numbers about all classes at once from every class against the rest alone, when no rows were kept.

Areas of classes and means of them are as they are from rows. How the areas go together is not known, but they
never spread more together than if all of them went up and down at once: the standard error of a sum is at
most the sum of standard errors. Pairs of classes are not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.classes.influence import ONE_ROW, Floats, counting
from tallymark.inference.classes.places import counted_spreads
from tallymark.inference.classes.ranking import AreaSpread, ClassRanking, alike
from tallymark.inference.ranking import NO_SPREAD, Ranking
from tallymark.metrics import ask
from tallymark.tallies.class_ranks import ClassRanks
from tallymark.tallies.labels import Label


class _Area(NamedTuple):
    """Of one class against the rest."""

    value: float
    bounds: tuple[float, float] | None
    """None when it is exact."""
    se: float
    """At most."""
    carriers: float


def counted_ranking(
    labels: Sequence[Label],
    rankings: Sequence[Ranking],
    places: NDArray[Any],
    place_squares: NDArray[Any] | None,
    level: float,
) -> ClassRanking:
    """From the ranking of every class, and how many rows have their class at each place."""
    tallies = [ranking.scores for ranking in rankings]
    support = np.array([float(t.n_positive) for t in tallies])
    areas = [_area(ranking) for ranking in rankings]
    # As if a class were told from every other equally well: together that is how well it is told from all.
    alone = np.nan_to_num([area.value for area in areas])
    won = alone[:, None] * np.multiply.outer(support, support)
    np.fill_diagonal(won, 0.0)
    effective = np.array([float(t.effective[0]) for t in tallies])
    spreads, bounds = _means(areas, support, effective) if np.count_nonzero(support) > 1 else ((), ())
    return ClassRanking(
        ClassRanks(tuple(labels), support, won, places),
        level,
        rows=tallies[0].rows,
        effective=float(effective.sum()),
        weighted=place_squares is not None,
        groups=None,
        areas=spreads,
        tops=counted_spreads(places, place_squares),
        apart=True,
        bounds=bounds,
    )


def _area(ranking: Ranking) -> _Area:
    asked, t = ask("auc"), ranking.scores
    value = float(asked.metric(t))
    if math.isnan(value):
        return _Area(value, None, 0.0, math.inf)
    spread = ranking.spread(asked, ranking.part(asked, value))
    # One row does not spread around itself; how far others like it would, `_unseen` says.
    se = math.sqrt(sum(part for part in spread.parts if not math.isnan(part)))
    carriers = spread.carriers if se**2 > NO_SPREAD else math.inf
    if math.isnan(spread.variance):
        carriers = 1.0
    if t.exact:
        return _Area(value, None, se, carriers)
    made = ranking.of(asked)
    return _Area(value, made.bounds, max(se, made.se_bounds[1]) if made.se_bounds else se, carriers)


def _means(
    areas: Sequence[_Area], support: Floats, effective: Floats
) -> tuple[tuple[AreaSpread, ...], tuple[tuple[float, float] | None, ...]]:
    """What is known of the plain mean of the areas, and of that weighted by the rows of the classes."""
    there, shares = support > 0, support / support.sum()
    values, errors = np.nan_to_num([area.value for area in areas]), np.array([area.se for area in areas])
    ends = np.nan_to_num([area.bounds or (area.value,) * 2 for area in areas])
    exact = all(area.bounds is None for area in areas)
    carriers = min(area.carriers for area in areas)
    dust = len(areas) * float(np.finfo(np.float64).eps)  # what rounding can do to a mean
    # The shares of the classes vary with the rows, and the weighted mean with them.
    squares = np.divide(shares**2, effective, out=np.zeros(len(shares)), where=there)
    by_shares = math.sqrt(float((squares * (values - shares @ values) ** 2).sum()))
    ways = zip((there / there.sum(), shares), (0.0, by_shares), counting(shares)[:2], strict=True)
    spreads, bounds = [], []
    for weights, more, counts in ways:
        variance = float(weights @ errors + more) ** 2 + _unseen(weights, values, errors, shares, effective)
        spreads.append(AreaSpread(variance, carriers, math.inf, *alike(counts, effective)))
        low, high = (weights @ ends).tolist()
        bounds.append(None if exact else (max(0.0, low - dust), min(1.0, high + dust)))
    return tuple(spreads), tuple(bounds)


def _unseen(weights: Floats, values: Floats, errors: Floats, shares: Floats, effective: Floats) -> float:
    """At most what few rows of a class do not show of their spread, as `influence.spread_of` adds it.

    A class takes part in its own area, and as one of the rest in those of all others: there by no more than
    they spread, and no row by more than 1.
    """
    total = 0.0
    rest = np.divide(1.0, 1 - shares, out=np.zeros(len(shares)), where=shares < 1)
    for own in np.flatnonzero(shares).tolist():
        others = np.arange(len(shares)) != own
        if effective[own] <= ONE_ROW:
            part = weights[own] * math.sqrt(values[own] * (1 - values[own]))
            total += float(part + (weights * shares[own] * rest)[others].sum() / 2) ** 2
            continue
        alone = shares[own] / math.sqrt(effective[own]) * rest
        part = weights[own] * errors[own] + (weights * np.minimum(errors, alone))[others].sum()
        total += float(part) ** 2 / (effective[own] - 1)
    return total
