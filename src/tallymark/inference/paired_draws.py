"""Draws over the joint cells of two models: actual x answer of a x answer of b.

The combinations seen are drawn as in `draws`: Dirichlet for independent rows, whole groups otherwise. On top
comes a prior of two rows. Spread evenly over K^3 cells nearly all of it would be rows that both models get
wrong, which tells them apart in nothing; so each model is right in half of it, on its own, as is the case
with two classes when the cells share it evenly. Its rows are drawn as a few atoms at cells of their own, so
that the cells never seen need no room: the cost does not depend on K^3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.cells import Cells, GroupCells, in_blocks
from tallymark.inference.draws import PRIOR_MASS, Drawn
from tallymark.tallies import Margins
from tallymark.tallies.grouped_paired import GroupedPaired
from tallymark.tallies.paired import Paired, mixed

_ATOMS = 16
_STREAM = 1 << 34
"""Past the streams that tables, resampled rows and savings draw from."""

Both = tuple[Margins, Margins]


class PairedDraws:
    """Plausible margins of two models given the counts, made on first need and kept."""

    def __init__(self, paired: Paired, groups: GroupedPaired | None, seed: int) -> None:
        self._joint = Joint.of(paired, groups)
        self._seed = seed
        self._last: tuple[int, Drawn[Both]] | None = None

    @cached_property
    def margins(self) -> Drawn[Both]:
        """All classes."""
        return self._joint.drawn(self._seed, 0)

    def of_class(self, position: int) -> Drawn[Both]:
        """One class, at position 1, against the rest; the last one asked for is kept."""
        last = self._last
        if position == 1 and self._joint.size == 2:
            return self.margins
        if last is None or last[0] != position:
            # A stream of its own per class: the answer must not depend on which class was asked first.
            drawn = self._joint.of_class(position).drawn(self._seed, position + 1)
            self._last = last = position, drawn
        return last[1]


class GroupEntries(NamedTuple):
    """How many groups there are, and of each entry its group, its combination, and the rows."""

    number: int
    group: NDArray[np.int64]
    entry: NDArray[np.int64]
    counts: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Joint:
    """The combinations of two models' answers, ready to be drawn."""

    size: int
    """Number of classes."""
    actual: NDArray[np.int64]
    answers: tuple[NDArray[np.int64], NDArray[np.int64]]
    counts: NDArray[np.float64]
    squares: NDArray[np.float64] | None
    groups: GroupEntries | None

    @classmethod
    def of(cls, paired: Paired, groups: GroupedPaired | None) -> Joint:
        """Those of a tally of two models."""
        actual, first, second = paired.cells.T.astype(np.int64)
        entries = None
        if groups is not None:
            entries = GroupEntries(len(groups), groups.group, groups.entry, groups.counts)
        squares = None if paired.squares is None else paired.squares.astype(float)
        counts = paired.counts.astype(float)
        return cls(len(paired.labels), actual, (first, second), counts, squares, entries)

    def of_class(self, position: int) -> Joint:
        """One class, at position 1, against the rest, at 0."""
        sides = [(side == position).astype(np.int64) for side in (self.actual, *self.answers)]
        found, which = np.unique(mixed(sides, 2), return_inverse=True)
        which = which.reshape(-1)
        actual, first, second = found >> 2, (found >> 1) & 1, found & 1
        groups = self.groups
        return Joint(
            2,
            actual,
            (first, second),
            _summed(which, self.counts),
            None if self.squares is None else _summed(which, self.squares),
            None if groups is None else groups._replace(entry=which[groups.entry]),
        )

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    @cached_property
    def source(self) -> Cells | GroupCells:
        """What draws the shares of the combinations seen."""
        usual = self._usual
        if self.groups is not None:
            number, group, entry, counts = self.groups
            # Only rows that are answered differently move a difference: how they clump is what matters.
            apart = self.answers[0] != self.answers[1]
            return GroupCells.made(len(self.counts), number, group, entry, counts, 0.0, usual, apart)
        if self.squares is None:
            return Cells(self.counts)
        # One row more of the usual weight is taken to have been seen: few rows may happen to be light.
        scale = (self.squares + usual**2) / (self.counts + usual)
        return Cells(self.counts / scale, scale)

    @property
    def _usual(self) -> float:
        """What a row weighs, as a row sees it."""
        return 1.0 if self.squares is None else float(self.squares.sum()) / self.n

    @property
    def _rows(self) -> float:
        """How many independent rows of equal weight these are."""
        source = self.source
        return self.n / (source.row if isinstance(source, GroupCells) else self._usual)

    def drawn(self, seed: int, stream: int) -> Drawn[Both]:
        """Margins of both models in every draw."""
        room = max(len(self.counts), 20 * self.size)
        number = self.source.number(room)
        generator = np.random.default_rng([seed, _STREAM + stream])
        blocks = list(self._blocks(generator, number, max(room, self.source.work)))
        mean = _mean([block[0] for block in blocks]), _mean([block[1] for block in blocks])
        return Drawn(blocks, mean, number, len(self.counts), 0.0, self.size > 2, self.source.groups)

    def _blocks(self, generator: np.random.Generator, number: int, work: int) -> Iterator[Both]:
        a, b = self.answers
        right_a, right_b = a == self.actual, b == self.actual
        sums = [
            _Sums(self.actual, self.size),
            *(_Sums(side, self.size) for side in self.answers),
            _Sums(self.actual, self.size, right_a),
            _Sums(self.actual, self.size, right_b),
        ]
        for draws in in_blocks(number, work):
            shares = self.source.draw(generator, draws)
            mass = generator.standard_gamma(PRIOR_MASS / _ATOMS, (draws, _ATOMS))
            y, p, q = _placed(generator, self.size, mass.shape)
            atoms = (y, None), (p, None), (q, None), (y, p == y), (y, q == y)
            rows = self._rows
            unit = self.n / (rows + mass.sum(axis=1, keepdims=True))
            actual, *answered, hits_a, hits_b = (
                (total(shares) * rows + _added(mass, *atom, self.size)) * unit
                for total, atom in zip(sums, atoms, strict=True)
            )
            yield (
                Margins(hits_a, actual, answered[0], self.n),
                Margins(hits_b, actual, answered[1], self.n),
            )


class _Sums:
    """Adds up the shares of the combinations of each class, of some combinations or all."""

    def __init__(self, classes: NDArray[np.int64], size: int, among: NDArray[np.bool_] | None = None) -> None:
        chosen = np.arange(len(classes)) if among is None else np.flatnonzero(among)
        self._size = size
        self._order = chosen[np.argsort(classes[chosen], kind="stable")]
        ordered = classes[self._order]
        self._starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        self._classes = ordered[self._starts]

    def __call__(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = np.zeros((len(shares), self._size))
        if len(self._order):
            totals[:, self._classes] = np.add.reduceat(shares[:, self._order], self._starts, axis=1)
        return totals


def _placed(
    generator: np.random.Generator, size: int, shape: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cells for the atoms: any class, and each model right or wrong with equal chance."""
    actual = generator.integers(0, size, shape)

    def answer() -> NDArray[np.int64]:
        wrong = (actual + generator.integers(1, max(size, 2), shape)) % size
        return np.where(generator.random(shape) < 0.5, actual, wrong)

    return actual, answer(), answer()


def _added(
    mass: NDArray[np.float64], classes: NDArray[np.int64], among: NDArray[np.bool_] | None, size: int
) -> NDArray[np.float64]:
    """The atoms of each class, a row per draw."""
    draws = len(mass)
    places = np.arange(draws)[:, None] * size + classes
    weights = mass if among is None else mass * among
    return _summed(places.ravel(), weights.ravel(), draws * size).reshape(draws, size)


def _summed(places: NDArray[np.int64], amounts: NDArray[np.float64], size: int = 0) -> NDArray[np.float64]:
    return np.bincount(places, amounts, size).astype(float, copy=False)


def _mean(blocks: list[Margins]) -> Margins:
    """The mean of all draws, as one draw."""
    hits, actual, predicted = (
        np.concatenate([getattr(block, side) for block in blocks]).mean(axis=0, keepdims=True)
        for side in ("hits", "actual", "predicted")
    )
    return Margins(hits, actual, predicted, blocks[0].n)
