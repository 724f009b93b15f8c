"""The fold each row is tested in."""

from __future__ import annotations

import heapq

import numpy as np

from tallymark.resampling.folds import Ints
from tallymark.resampling.grouping import Coded, crossed, members

Random = np.random.RandomState
_SWEEPS = 3


def by_rows(rows: int, folds: int, random: Random | None) -> Ints:
    """Folds of equal size, the first ones larger by a row where that does not come out even."""
    order = np.arange(rows)
    if random is not None:
        random.shuffle(order)
    fold = np.empty(rows, np.int64)
    fold[order] = np.arange(folds).repeat([len(range(first, rows, folds)) for first in range(folds)])
    return fold


def by_class(classes: Coded, folds: int, random: Random | None) -> Ints:
    """Folds of equal size with equally many rows of each class, both within one."""
    codes, size = classes.codes, len(classes.names)
    # In the order in which classes come first, as scikit-learn has them: the last value written stays.
    first = np.empty(size, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first)
    if random is not None and (classes.counts < folds).all():
        # With so few rows of each the folds would hardly depend on chance, and all runs be alike.
        random.shuffle(order)
    rows = members(codes, size)
    fold, start = np.empty(len(codes), np.int64), 0
    for code in order.tolist():
        # Classes are dealt one after the other, each going on where the one before ended.
        dealt = np.sort(np.arange(start, start + len(rows[code])) % folds)
        if random is not None:
            random.shuffle(dealt)
        fold[rows[code]] = dealt
        start += len(dealt)
    return fold


def by_group(groups: Coded, folds: int, random: Random | None) -> Ints:
    """Whole groups, the largest first, each into the fold with the fewest rows so far."""
    sizes = groups.counts
    loads = [(0, fold) for fold in range(folds)]
    fold_of = np.empty(len(sizes), np.int64)
    for group in _largest_first(sizes, random).tolist():
        load, fold = loads[0]
        fold_of[group] = fold
        heapq.heapreplace(loads, (load + int(sizes[group]), fold))
    return fold_of[groups.codes]


def by_group_and_class(groups: Coded, classes: Coded, folds: int, random: Random | None) -> Ints:
    """Whole groups, so that folds differ as little as can be in their size and in their share of each class.

    Each group goes where it adds least to the sum of squared counts, relative to the class, which is least
    when all folds have the same; then each is moved again where that makes the sum smaller.
    """
    table = crossed(groups.codes, classes.codes, (len(groups.names), len(classes.names)))
    counts = np.column_stack((table, groups.counts)).astype(np.float64)
    weighted = counts / counts.sum(axis=0) ** 2
    filled = np.zeros((folds, counts.shape[1]))
    order = _largest_first(groups.counts, random).tolist()
    fold_of = np.empty(len(counts), np.int64)
    for group in order:
        fold_of[group] = fold = int(np.argmin(filled @ weighted[group]))
        filled[fold] += counts[group]
    for _ in range(_SWEEPS):
        for group in order:
            fold = fold_of[group]
            filled[fold] -= counts[group]
            added = filled @ weighted[group]
            best = int(np.argmin(added))
            if added[best] < added[fold]:
                fold_of[group] = fold = best
            filled[fold] += counts[group]
    return fold_of[groups.codes]


def _largest_first(sizes: Ints, random: Random | None) -> Ints:
    if random is None:
        return np.argsort(sizes, kind="stable")[::-1]
    # Those within a factor of two in random order: else other seeds would give the same folds.
    order = random.permutation(len(sizes))
    return order[np.argsort(np.frexp(sizes[order])[1], kind="stable")[::-1]]
