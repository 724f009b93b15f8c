"""What more data would buy: an inverse power law through the means, and how far it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import student_quantile
from tallymark.validation.learning.progressive import doubling, shared_variance

Floats = NDArray[np.float64]
Basis = Callable[[Floats, Floats], Floats]
"""Shape parameters (one row each) and sizes over the last size (one column each) -> how much is left."""

FARTHEST = 10
"""Times the rows of the last size: nothing is said of more, and the coverage was measured up to here."""
_SIZES, _REPEATS, _SPAN = 4, 5, 4
"""The least that shows a shape and its noise: sizes, repeats, and the last size over the first."""
_DRAWS = 400
_EXPONENTS = np.geomspace(0.05, 2, 60)
_RATES = np.geomspace(1, 30, 60)


def _power(shape: Floats, size: Floats) -> Floats:
    return np.asarray(size[None, :] ** -shape[:, None])


def _exponential(shape: Floats, size: Floats) -> Floats:
    return np.asarray(np.exp(-shape[:, None] * size[None, :]))


@dataclass(frozen=True, eq=False)
class Law:
    """value = a - b * n**-c, in the direction in which more is better, with how sure it is."""

    a: float
    b: float
    c: float
    last: int
    """The size it goes on from."""
    repeats: int
    gains: Callable[[Floats], tuple[Floats, Floats]]
    """Multiples of the last size -> gain over it, and its standard error."""

    def gain(self, rows: float) -> tuple[float, float]:
        """How much better it is with so many rows than at the last size, and the standard error of that."""
        gain, error = self.gains(np.array([rows / self.last]))
        return float(gain[0]), float(error[0])


def law_of(
    sizes: Sequence[int],
    values: Floats,
    *,
    top: float,
    test_by_train: float,
    level: float = 0.95,
    seed: int = 0,
) -> Law | str:
    """The law of values (repeats x sizes, more is better, none above `top`); or why there is none.

    The spread is that of the repeats, drawn with replacement and corrected for the rows they share (Nadeau
    and Bengio 2003). The law is fitted without the small sizes; how far the law of all sizes, and an
    exponential one, which levels off sooner, are from it is added to the spread.
    """
    known = np.asarray(~np.isnan(values).all(axis=0))
    at, kept = np.asarray(sizes, float)[known], values[:, known]
    kept = kept[~np.isnan(kept).any(axis=1)]
    why = _too_little(at, kept) or _flat(at, kept, test_by_train, level) or _steepening(at, kept)
    if why or not known[-1]:
        return why or "it is undefined at the last size"
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(len(at),)))
    repeats = len(kept)
    drawn = kept[rng.integers(repeats, size=(_DRAWS, repeats))].mean(axis=1)
    means = np.vstack((kept.mean(axis=0), drawn))
    weight = _weights(kept)
    # Draws with replacement show a variance of (k - 1) / k of s^2 / k; repeats share rows besides.
    widening = math.sqrt(shared_variance(repeats, test_by_train) * repeats**2 / (repeats - 1))
    # The law holds for large sizes; small ones bend it.
    late = slice(min(len(at) // 3, len(at) - _SIZES), None)

    def gains(times: Floats) -> tuple[Floats, Floats]:
        of_law = _gains(_power, _EXPONENTS, at[late], means[:, late], weight[late], top, times)
        shapes = ((_power, _EXPONENTS), (_exponential, _RATES))
        others = [_gains(*shape, at, means[:1], weight, top, times)[0] for shape in shapes]
        form = np.sqrt(np.mean([(other - of_law[0]) ** 2 for other in others], axis=0))
        return of_law[0], np.hypot(widening * of_law[1:].std(axis=0), form)

    a, slope, best = _fitted(_power, _EXPONENTS, at[late], means[:1, late], weight[late], top)
    exponent = float(_EXPONENTS[best[0]])
    b = -float(slope[0]) * at[-1] ** exponent
    return Law(float(a[0]), float(b), exponent, int(at[-1]), repeats, gains)


def _too_little(at: Floats, kept: Floats) -> str | None:
    if len(at) < _SIZES:
        return f"a curve is continued from {_SIZES} sizes or more, and there are {len(at)}"
    if at[-1] < _SPAN * at[0]:
        return f"the sizes, {at[0]:,.0f} to {at[-1]:,.0f}, are too close to each other to show a shape"
    if len(kept) < _REPEATS:
        return (
            f"a curve is continued from {_REPEATS} repeats or more, and {len(kept)} have a value at each size"
        )
    return None


def _flat(at: Floats, kept: Floats, test_by_train: float, level: float) -> str | None:
    """Whether nothing was measurably learned between the first size and the last."""
    rise = kept[:, -1] - kept[:, 0]
    se = math.sqrt(rise.var(ddof=1) * shared_variance(len(rise), test_by_train))
    half = student_quantile(level, len(rise) - 1) * se
    if rise.mean() - half > 0:
        return None
    return (
        f"from {at[0]:,.0f} to {at[-1]:,.0f} rows it got better by {rise.mean():.3f} "
        f"({rise.mean() - half:.3f} to {rise.mean() + half:.3f}), which is not clearly above its noise"
    )


def _steepening(at: Floats, kept: Floats) -> str | None:
    """Whether the last doubling rises more than what was before, as by no such law: the turn is yet to come.

    Even if that may be chance: where a curve turns late, the band would not hold.
    """
    half, mean = doubling(at.tolist()), kept.mean(axis=0)
    if not half:
        return None
    late = (mean[-1] - mean[half]) / np.log(at[-1] / at[half])
    if late <= (mean[half] - mean[0]) / np.log(at[half] / at[0]):
        return None
    return f"the curve gets no flatter: from {at[half]:,.0f} rows on each doubling gained more than before"


def _weights(kept: Floats) -> Floats:
    """Less for sizes whose values vary more; half of the mean is mixed in, as few repeats show it roughly."""
    variance = kept.var(axis=0, ddof=1)
    mixed = (variance + variance.mean()) / 2
    return np.asarray(1 / mixed if mixed.any() else np.ones(len(mixed)))


def _gains(
    basis: Basis, shapes: Floats, at: Floats, means: Floats, weight: Floats, top: float, times: Floats
) -> Floats:
    """The gain over the last size (one row per row of means) at so many times its rows."""
    _, slope, best = _fitted(basis, shapes, at, means, weight, top)
    chosen = shapes[best]
    ends = basis(chosen, times) - basis(chosen, np.ones(1))
    return np.asarray(slope[:, None] * ends)


def _fitted(
    basis: Basis, shapes: Floats, at: Floats, means: Floats, weight: Floats, top: float
) -> tuple[Floats, Floats, NDArray[Any]]:
    """Weighted least squares of means = a + slope * basis, for the best of the shapes and with a <= top."""
    x = basis(shapes, at / at[-1])
    weight = weight / weight.sum()
    middle = x @ weight
    off = x - middle[:, None]
    level = means @ weight
    slope = ((means - level[:, None]) * weight) @ off.T / ((off**2) @ weight)
    a = level[:, None] - slope * middle
    held = ((means - top) * weight) @ x.T / ((x**2) @ weight)
    slope, a = np.where(a > top, held, slope), np.minimum(a, top)
    error = ((means[:, None, :] - a[:, :, None] - slope[:, :, None] * x) ** 2) @ weight
    best = error.argmin(axis=1)
    rows = np.arange(len(means))
    return a[rows, best], slope[rows, best], best
