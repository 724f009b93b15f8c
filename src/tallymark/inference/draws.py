"""Dirichlet draws over the cells of a confusion matrix: one set of draws serves every metric.

Prior mass 2 spread evenly over the cells keeps the coverage near its level where a percentile
bootstrap falls short, and never gives an interval of zero width.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies import Binary, Confusion, Margins

PRIOR_MASS = 2.0
MOST_LABELS = 200
"""Above this many labels the delta method takes over: K * K cells per draw become too many."""
_MOST, _LEAST = 10_000, 2_000
_GAMMAS = 20_000_000
_AT_ONCE = 1_000_000


class Draws:
    """Plausible matrices given the counts, made on first need and kept."""

    def __init__(
        self,
        confusion: Confusion,
        *,
        seed: int = 0,
        costs: NDArray[np.float64] | None = None,
        shares: NDArray[np.float64] | None = None,
    ) -> None:
        self._confusion = confusion
        self._seed = seed
        self._costs = costs
        self._shares = shares

    @cached_property
    def margins(self) -> Margins:
        """Hits, actual and predicted rows per class for every draw (draws along the first axis)."""
        parts = [self._margins_of(block) for block in self._blocks()]

        def joined(name: str) -> NDArray[np.float64]:
            return np.concatenate([getattr(part, name) for part in parts])

        return Margins(
            joined("hits"),
            joined("actual"),
            joined("predicted"),
            n=float(self._confusion.n),
            cost=None if self._costs is None else joined("cost"),
        )

    def binary(self, position: int) -> Binary:
        """One class against the rest for every draw."""
        if len(self._confusion.labels) == 2 or self._shares is not None:
            each = self.margins.each
            tp, fn, fp, tn = (cell[:, position] for cell in (each.tp, each.fn, each.fp, each.tn))
            return Binary(tp, fn, fp, tn)
        tally = self._confusion.binary(self._confusion.labels[position])
        counts = np.array([tally.tp, tally.fn, tally.fp, tally.tn], float)
        # A stream of its own per class: the answer must not depend on which class was asked first.
        drawn = _dirichlet(np.random.default_rng([self._seed, position + 1]), counts, _MOST)
        tp, fn, fp, tn = (drawn * self._confusion.n).T
        return Binary(tp, fn, fp, tn)

    def _blocks(self) -> Iterator[NDArray[np.float64]]:
        generator = np.random.default_rng([self._seed, 0])
        size = len(self._confusion.labels)
        wanted = int(np.clip(_GAMMAS // size**2, _LEAST, _MOST))
        at_once = max(1, _AT_ONCE // size**2)
        counts = self._confusion.matrix.ravel().astype(float)
        for start in range(0, wanted, at_once):
            drawn = _dirichlet(generator, counts, min(at_once, wanted - start))
            yield drawn.reshape(-1, size, size) * self._confusion.n

    def _margins_of(self, block: NDArray[np.float64]) -> Margins:
        if self._shares is not None:
            block *= (self._confusion.n * self._shares / block.sum(axis=2))[:, :, None]
        return Margins(
            hits=np.diagonal(block, axis1=1, axis2=2),
            actual=block.sum(axis=2),
            predicted=block.sum(axis=1),
            n=float(self._confusion.n),
            cost=None if self._costs is None else np.tensordot(block, self._costs, axes=2),
        )


def _dirichlet(
    generator: np.random.Generator, counts: NDArray[np.float64], draws: int
) -> NDArray[np.float64]:
    shape = counts + PRIOR_MASS / len(counts)
    drawn = generator.standard_gamma(shape, (draws, len(counts)))
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn


def percentiles(values: NDArray[Any], level: float) -> tuple[float, float]:
    """The middle `level` of the draws."""
    tail = (1 - level) / 2
    low, high = np.quantile(values[np.isfinite(values)], [tail, 1 - tail])
    return float(low), float(high)
