"""Holdout: a part of the rows is left out to test on, once or again and again at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.evaluation.settings import checked_seed
from tallymark.resampling.checks import part, rows_in, share_in_words, stream, whole
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.grouping import Coded, Strata, crossed, grouped, members, strata, too_rare
from tallymark.resampling.splitter import Splitter, rows_of

_SWEEPS = 3
_FAR = 0.05
"""By how much of all rows whole groups may miss the share asked for without a word."""

Generator = np.random.Generator


class Holdout(Splitter):
    """Leaves out a third of the rows, or any share or number of them, to test on.

    Classes have the same share on both sides, unless `stratify=False`. Whole groups are left out when
    `groups` are given. Without shuffling the last rows, of each class, are tested on.

    >>> [test.tolist() for _, test in Holdout(0.5, shuffle=False).split(y=["a", "a", "b", "b"])]
    [[1, 3]]
    """

    def __init__(
        self,
        test_size: float = 1 / 3,
        *,
        shuffle: bool = True,
        random_state: int | None = 0,
        stratify: bool = True,
    ) -> None:
        self.test_size = part("test_size", test_size)
        self.shuffle = bool(shuffle)
        self.random_state = checked_seed(random_state)
        self.stratify = bool(stratify)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """One, whatever the rows."""
        return 1

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cut of these rows."""
        cuts = _Cuts(rows_of(X, y, groups), self.test_size, y, groups, stratify=self.stratify)
        random = stream(self.random_state, 0) if self.shuffle else None
        return cuts.folds([cuts.test_rows(random)], "holdout", "")


class RepeatedHoldout(Splitter):
    """Holdout again and again, each time with other rows at random: random subsampling.

    `n_splits` is another word for `n_repeats`.
    """

    def __init__(
        self,
        n_repeats: int = 10,
        *,
        test_size: float = 1 / 3,
        random_state: int | None = 0,
        stratify: bool = True,
        n_splits: int | None = None,
    ) -> None:
        repeats = n_repeats if n_splits is None else n_splits
        self.n_repeats = whole("the number of repeats (n_repeats)", repeats, 1)
        self.test_size = part("test_size", test_size)
        self.random_state = checked_seed(random_state)
        self.stratify = bool(stratify)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """How many times rows are left out, whatever the rows."""
        return self.n_repeats

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cuts of these rows."""
        cuts = _Cuts(rows_of(X, y, groups), self.test_size, y, groups, stratify=self.stratify)
        tests = [cuts.test_rows(stream(self.random_state, place)) for place in range(self.n_repeats)]
        return cuts.folds(tests, f"holdout repeated {self.n_repeats:,} times", " every time")


class _Cuts:
    """What parts of the same rows have in common."""

    def __init__(self, rows: int, size: float | int, y: Any, groups: Any, *, stratify: bool) -> None:
        self.rows, self.size = rows, size
        self.count = rows_in(size, rows)
        if self.count >= rows:
            raise OptionError(
                f"a test part of {share_in_words(size)} leaves none of {rows:,} "
                f"{'row' if rows == 1 else 'rows'} to train on.",
                hint="take a smaller one: --method holdout:1/3, or --test-size 1/3 (test_size=1/3).",
            )
        self.by: Strata = strata(y, stratify=stratify)
        self.groups: Coded | None = None if groups is None else grouped(groups)

    def test_rows(self, random: Generator | None) -> Ints:
        return left_out(self.count, np.arange(self.rows), self.by.classes, self.groups, random)

    def folds(self, tests: list[Ints], called: str, every: str) -> Folds:
        how = ", stratified" if self.by.classes is not None else ""
        method = f"{called}, {share_in_words(self.size)} left out{how}"
        return Folds(
            tuple(Fold(test, self.rows) for test in tests),
            self.rows,
            method if self.groups is None else f"{method}, groups whole",
            notes=(
                *self.by.notes,
                *self._rare(tests, every),
                *missed(self.count, [len(test) for test in tests], self.rows),
            ),
        )

    def _rare(self, tests: list[Ints], every: str) -> tuple[str, ...]:
        classes = self.by.classes
        if classes is None:
            return ()
        size = len(classes.names)
        lacking = [np.bincount(classes.codes[test], minlength=size) == 0 for test in tests]
        return too_rare(classes, np.any(lacking, axis=0), every)


def missed(count: int, found: list[int], rows: int) -> tuple[str, ...]:
    """A note where whole groups are far from as many rows as asked for."""
    farthest = max(found, key=lambda size: abs(size - count))
    if abs(farthest - count) <= _FAR * rows:
        return ()
    return (f"groups are left out whole: {farthest:,} rows instead of {count:,}.",)


def left_out(
    count: int,
    rows: Ints,
    classes: Coded | None,
    groups: Coded | None,
    random: Generator | None,
    *,
    spare: int = 1,
) -> Ints:
    """As many of these rows as asked for, ascending; without a random stream the last ones.

    At least so many groups are to `spare`.
    """
    if groups is not None:
        return rows[_whole_groups(count, rows, classes, groups, random, spare)]
    order = np.arange(len(rows))[::-1] if random is None else random.permutation(len(rows))
    if classes is None:
        return np.sort(rows[order[:count]])
    codes = classes.codes[rows]
    sizes = np.bincount(codes, minlength=len(classes.names))
    taken = _shared_out(count, sizes, random)
    each = (order[places] for places in members(codes[order], len(sizes)))
    chosen = [ordered[:some] for ordered, some in zip(each, taken.tolist(), strict=True)]
    return np.sort(rows[np.concatenate(chosen)])


def _shared_out(count: int, sizes: Ints, random: Generator | None) -> Ints:
    """How many rows each class gives, within one of its share.

    The rows that do not come out even are of the classes with the largest remainders; a class that would
    have no row left gives its last one only when no other can.
    """
    taken, rest = np.divmod(sizes * count, sizes.sum())
    luck = np.arange(len(sizes)) if random is None else random.permutation(len(sizes))
    order = np.lexsort((luck, -rest, taken + 1 == sizes, rest == 0))
    taken[order[: count - int(taken.sum())]] += 1
    return taken


def _whole_groups(
    count: int, rows: Ints, classes: Coded | None, groups: Coded, random: Generator | None, spare: int
) -> NDArray[np.bool_]:
    """Which rows are of the groups left out.

    Groups are asked in random order whether the rows left out are nearer to what is wanted, in number and in
    each class, with them or without them.
    """
    present, codes = np.unique(groups.codes[rows], return_inverse=True)
    counts = np.bincount(codes)[:, None].astype(np.float64)
    if classes is not None:
        table = crossed(codes, classes.codes[rows], (len(present), len(classes.names)))
        counts = np.column_stack((counts, table[:, table.any(axis=0)]))
    counts /= counts.sum(axis=0)
    # What is still to be left out, as a share of all rows and of each class.
    short = np.full(counts.shape[1], count / len(rows))
    if random is None:
        last = np.zeros(len(present), np.int64)
        last[codes] = np.arange(len(codes))
        order = np.argsort(last)[::-1]
    else:
        order = random.permutation(len(present))
    out, many = np.zeros(len(present), bool), 0
    for _ in range(_SWEEPS):
        for group in order.tolist():
            sign = -1 if out[group] else 1
            change = sign * counts[group]
            # Nearer when (short - change)^2 < short^2.
            if 0 < many + sign <= len(present) - spare and change @ (change - 2 * short) < 0:
                out[group], many, short = sign > 0, many + sign, short - change
    if not out.any():
        out[np.argmin(((counts - short) ** 2).sum(axis=1))] = True
    return out[codes]
