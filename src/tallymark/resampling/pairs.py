"""Leave out pairs of entities: what is tested on shares no entity with what is trained on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError
from tallymark.evaluation.settings import checked_seed
from tallymark.resampling.checks import stream, whole
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.grouping import Coded, coded, members
from tallymark.resampling.splitter import Splitter, rows_of

_SIDES = "the first column of groups", "the second column of groups"
_HALF = 0.5
"""Of the entities of a side: when as many are on the other side too, both may be of one kind."""

ON_BOTH_SIDES = "are on both sides of pairs"


class LeavePairsOut(Splitter):
    """For facts about pairs, such as a student and a professor, told by an n x 2 array as `groups`.

    The entities of each side are cut into blocks. A fold leaves out one block of each: it tests on the pairs
    of both, trains on the pairs of neither, and does not use the others. So every pair is tested on once.
    `n_blocks` is a number for both sides or one for each; `n_left_out=(N, M)` has blocks of N and of M
    entities instead. With `symmetric` both sides are of one kind, such as proteins, and an entity that is
    left out is left out on either side.
    """

    def __init__(
        self,
        n_blocks: int | tuple[int, int] = 5,
        *,
        n_left_out: int | tuple[int, int] | None = None,
        symmetric: bool = False,
        random_state: int | None = 0,
        shuffle: bool = True,
    ) -> None:
        self.n_blocks = _for_both("n_blocks", n_blocks, 2)
        self.n_left_out = None if n_left_out is None else _for_both("n_left_out", n_left_out, 1)
        self.symmetric = bool(symmetric)
        self.random_state = checked_seed(random_state)
        self.shuffle = bool(shuffle)
        for name in ("n_blocks", "n_left_out"):
            given = getattr(self, name)
            if self.symmetric and given is not None and given[0] != given[1]:
                raise OptionError(
                    f"symmetric pairs have one kind of entity: {name} is one number; got {given}."
                )

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cuts of these pairs."""
        if groups is None:
            raise OptionError(
                "LeavePairsOut needs groups: the two entities of each pair, an n x 2 array.",
                hint="pass groups=.",
            )
        first, second = _columns(groups)
        rows_of(X, y, first)
        return self._of_one_kind(first, second) if self.symmetric else self._of_two_kinds(first, second)

    def _of_two_kinds(self, first: NDArray[Any], second: NDArray[Any]) -> Folds:
        ends = coded(first, _SIDES[0]), coded(second, _SIDES[1])
        (block, names), (block_2, names_2) = (self._blocks(end, place) for place, end in enumerate(ends))
        one, other = block[ends[0].codes], block_2[ends[1].codes]
        made = _folds(one, other, (names, names_2), (members(one, len(names)), members(other, len(names_2))))
        called = f"leave pairs out, {len(names):,} x {len(names_2):,} blocks of entities"
        return Folds(tuple(made), len(first), called, notes=_alike(*ends))

    def _of_one_kind(self, first: NDArray[Any], second: NDArray[Any]) -> Folds:
        every = coded(np.concatenate((first, second)), "groups")
        block, names = self._blocks(every)
        blocks = block[every.codes].reshape(2, -1)
        low, high = blocks.min(axis=0), blocks.max(axis=0)
        sides = members(low, len(names)), members(high, len(names))
        held = [np.union1d(*both) for both in zip(*sides, strict=True)]
        made = _folds(low, high, (names, names), (held, held))
        called = f"leave pairs out, {len(names):,} blocks of entities on either side"
        return Folds(tuple(made), len(first), called)

    def _blocks(self, entities: Coded, place: int = 0) -> tuple[Ints, list[str]]:
        """The block of each entity, and what blocks are called."""
        count = len(entities.names)
        where = "groups" if self.symmetric else _SIDES[place]
        there = f"{where} has {count:,} {'entity' if count == 1 else 'entities'}"
        number = np.arange(count)
        if self.n_left_out is not None:
            size = self.n_left_out[place]
            if size >= count:
                raise OptionError(f"n_left_out={size:,} leaves none to train on: {there}.")
            number //= size
        else:
            wanted = self.n_blocks[place]
            if wanted > count:
                raise OptionError(
                    f"{wanted:,} blocks are too many: {there}.",
                    hint="ask for fewer: --method pairs:COL,COL:2 (n_blocks=2).",
                )
            number = number * wanted // count
        order = stream(self.random_state, place).permutation(count) if self.shuffle else np.arange(count)
        block = np.empty(count, np.int64)
        block[order] = number
        blocks = int(number[-1]) + 1
        if blocks == count:
            return block, [str(entities.names[code]) for code in order.tolist()]
        return block, [f"block {index + 1:,}" for index in range(blocks)]


def _folds(
    one: Ints, other: Ints, names: tuple[list[str], list[str]], held: tuple[list[Ints], list[Ints]]
) -> Iterator[Fold]:
    """A fold for each two blocks that have a pair; `held` are the pairs that have an entity of a block."""
    rows, across = len(one), len(names[1])
    cells, codes = np.unique(one * across + other, return_inverse=True)
    for cell, test in zip(cells.tolist(), members(codes, len(cells)), strict=True):
        first, second = divmod(cell, across)
        name = f"{names[0][first]} x {names[1][second]}"
        touched = np.union1d(held[0][first], held[1][second])
        if len(touched) == rows:
            raise OptionError(
                f"no pair is left to train on: each of the {rows:,} has an entity of {name}, which one fold "
                "leaves out.",
                hint="leave out fewer at a time by more blocks: --method pairs:COL,COL:10 (n_blocks=10, or a "
                "smaller n_left_out).",
            )
        yield Fold(test, rows, name=name, unused=np.setdiff1d(touched, test, assume_unique=True))


def _for_both(name: str, given: object, least: int) -> tuple[int, int]:
    """A number for both sides, or one for each."""
    if isinstance(given, tuple | list):
        if len(given) != 2:
            raise OptionError(f"{name} is one number, or one for each side, as in (5, 3); got {given!r}.")
        return whole(name, given[0], least), whole(name, given[1], least)
    number = whole(name, given, least)
    return number, number


def _columns(groups: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    array = np.asarray(groups, dtype=object if isinstance(groups, list | tuple) else None)
    if array.ndim != 2 or array.shape[1] != 2:
        size = " x ".join(f"{length:,}" for length in array.shape)
        raise ShapeError(
            f"groups must be n x 2, the two entities of each pair; got {size}.",
            hint="from two columns: np.column_stack((first, second)).",
        )
    return array[:, 0], array[:, 1]


def _alike(first: Coded, second: Coded) -> tuple[str, ...]:
    """A note when entities of two kinds look as if they were of one."""
    shared = set(first.names) & set(second.names)
    if len(shared) < _HALF * min(len(first.names), len(second.names)):
        return ()
    return (
        f"{len(shared):,} of the entities {ON_BOTH_SIDES}; if they are of one kind, pass symmetric=True.",
    )
