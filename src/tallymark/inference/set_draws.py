"""Plausible label sets given the counts: kinds of rows are drawn, row by row or group by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.cells import Cells, GroupCells, in_blocks
from tallymark.inference.differences import units_of
from tallymark.inference.draws import PRIOR_MASS, Drawn
from tallymark.tallies import Grouped, Keyed, LabelSets, SetSizes

_PRIOR_KINDS = 4
_PRIOR = PRIOR_MASS / _PRIOR_KINDS

Groups = Keyed[LabelSets]


def drawn_sets(tally: LabelSets, groups: Groups | None, seed: int) -> Drawn[SetSizes]:
    """All rows."""
    kinds = _with_prior(tally.set_sizes)
    source = _source([tally], None if groups is None else [groups], tally.sizes)
    number = source.number(source.work)
    generator = np.random.default_rng([seed, 0])
    blocks, total = [], np.zeros(len(kinds.counts))
    for draws in in_blocks(number, source.work):
        counts = source.draw(generator, draws) * tally.n
        total += counts.sum(axis=0)
        blocks.append(replace(kinds, counts=counts))
    mean = replace(kinds, counts=total[None] / number)
    return Drawn(blocks, mean, number, source.work, _PRIOR, False, source.groups)


def drawn_part_and_whole(
    part: LabelSets, whole: LabelSets, groups: Sequence[Groups] | None, seed: int, most: int
) -> Drawn[tuple[SetSizes, SetSizes]] | str:
    """Part and rest as one table, the whole of every draw being both; `groups` are of part and whole."""
    kinds = _with_prior(whole.set_sizes)
    source = _source([part, whole], groups, whole.sizes)
    if isinstance(source, GroupCells) and groups is not None:
        # Groups may lie within the part, which tells nothing of how alike the answers in them are.
        of_whole = _source([whole], groups[1:], whole.sizes)
        assert isinstance(of_whole, GroupCells)
        source = replace(source, row=of_whole.row)
    units = units_of(source)
    if isinstance(units, str):
        return units
    number = source.number(source.work, most)
    generator = np.random.default_rng([seed, 0])
    blocks = []
    for draws in in_blocks(number, source.work):
        drawn = source.draw(generator, draws).reshape(draws, 2, -1)
        blocks.append((replace(kinds, counts=drawn[:, 0]), replace(kinds, counts=drawn.sum(axis=1))))
    return Drawn(blocks, blocks[0], number, source.work, _PRIOR, False, units)


def _source(
    tallies: Sequence[LabelSets], groups: Sequence[Groups] | None, kinds: NDArray[np.int64]
) -> Cells | GroupCells:
    """What is drawn: all rows, or with two tallies the first and then what it leaves of the second."""
    prior = np.tile(np.append(np.zeros(len(kinds)), np.full(_PRIOR_KINDS, _PRIOR)), len(tallies))
    whole = tallies[-1]
    if groups is not None:
        names = {key: position for position, key in enumerate(groups[-1])}
        entries = [_entries(side, names, kinds) for side in groups]
        group, places, counts = _and_rest(entries, len(kinds) + _PRIOR_KINDS)
        plain = 1.0 if whole.squares is None else float(whole.squares.sum() / whole.n)
        unlike = np.append(kinds[:, 2] * 2 != kinds[:, 0] + kinds[:, 1], np.zeros(_PRIOR_KINDS, bool))
        wrong = np.tile(unlike, len(tallies))
        return GroupCells.made(len(prior), len(names), group, places, counts, prior, plain, wrong)
    counts = _apart([_placed(side, side.counts, kinds) for side in tallies])
    squares = None
    if whole.squares is not None:
        squares = _apart([_placed(side, side.squares, kinds) for side in tallies])
    cells = Cells.weighted(counts, squares, 0.0)
    return replace(cells, shape=cells.shape + prior)


def _placed(tally: LabelSets, amounts: Any, kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Amounts of a tally's kinds among all kinds, with room for those of the prior."""
    placed = np.zeros(len(kinds) + _PRIOR_KINDS)
    placed[_places(tally.sizes, kinds)] = amounts
    return placed


def _apart(amounts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The first, and what it leaves of the second."""
    return amounts[0] if len(amounts) == 1 else np.concatenate([amounts[0], amounts[1] - amounts[0]])


def _places(sizes: NDArray[np.int64], kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where kinds of rows stand among others, which are in order and hold all of them."""
    base = int(kinds.max(initial=0)) + 1
    powers = np.array([base**2, base, 1])
    return np.asarray(np.searchsorted(kinds @ powers, sizes @ powers))


Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def _entries(groups: Groups, names: dict[Any, int], kinds: NDArray[np.int64]) -> Entries:
    """The group, the kind and the count of everything that was counted."""
    group = np.repeat([names[key] for key in groups], [len(tally.counts) for tally in groups.values()])
    sizes = np.concatenate([tally.sizes for tally in groups.values()])
    counts = np.concatenate([tally.counts for tally in groups.values()])
    return group.astype(np.int64), _places(sizes, kinds), counts


def _and_rest(entries: list[Entries], size: int) -> Entries:
    """The entries of the first, and behind them what they leave of the second."""
    if len(entries) == 1:
        return entries[0]
    (group, places, counts), (groups, everywhere, totals) = entries
    return (
        np.concatenate([group, groups, group]),
        np.concatenate([places, everywhere + size, places + size]),
        np.concatenate([counts, totals, -counts]),
    )


def _with_prior(sizes: SetSizes) -> SetSizes:
    """The kinds of rows seen, and four more: all hit, all missed, all false, and empty on both sides.

    Their sets are as large as the sets seen are on average, leaving out the empty ones. With one
    label they are the four cells of a 2x2, so this is the prior that `Draws` gives a 2x2.
    """
    means = [
        sizes.counts[side > 0] @ side[side > 0] / sizes.counts[side > 0].sum() if side.any() else None
        for side in (sizes.actual, sizes.predicted)
    ]
    actual, predicted = means[0] or means[1] or 1.0, means[1] or means[0] or 1.0
    return SetSizes(
        np.append(sizes.actual, [actual, actual, 0.0, 0.0]),
        np.append(sizes.predicted, [actual, 0.0, predicted, 0.0]),
        np.append(sizes.both, [actual, 0.0, 0.0, 0.0]),
        np.append(sizes.counts, np.zeros(_PRIOR_KINDS)),
        sizes.labels,
    )


def grouped_label(tally: LabelSets, groups: Groups, position: int) -> Grouped:
    """The 2x2 of one label, group by group."""
    cells = np.stack([part.cells[:, position] for part in groups.values()])
    rows = np.array([part.n for part in groups.values()])
    counts = np.column_stack([cells, rows - cells.sum(axis=1)]).ravel()
    group, cell = np.divmod(np.arange(len(counts)), 4)
    there = counts > 0
    keys: tuple[Any, ...] = tuple(groups)
    return Grouped(tally.confusion(position), keys, group[there], cell[there], counts[there])
