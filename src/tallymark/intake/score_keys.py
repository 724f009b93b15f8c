"""A score and the class of its row as one whole number, so that sorting whole numbers ranks all rows."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 16
"""Rows in one go: a block and what is made of it stay in the cache."""
_WORTH_A_THREAD = 1 << 18
_SIGN = 1 << 63


class Code(NamedTuple):
    """How scores become whole numbers from 0 up, the best score first, and back; nothing is rounded.

    The bits of floats of one sign, read as a whole number, are in the order of the floats. What no score
    uses is left out: the numbers above and below all of them, those between zero and the ones nearest to
    it, and the low bits that all have as 0. That frees a bit for the class of the row, except where scores
    of both signs reach from far below 1e-100 to far above.
    """

    top: int
    """The bits of the highest score; 0 if no score is above 0."""
    zero: int
    """What stands for the bits of 0: one step below those of the least score above 0."""
    negative: int
    """The code of the highest score below 0, before its low bits are cut off."""
    first: int
    """The bits of that score; 0 if none is below 0."""
    cut: int
    """Low bits that are 0 in every score: 29 of those that were float32."""
    size: int
    """Codes there are."""

    @classmethod
    def of(cls, score: NDArray[Any]) -> Code:
        """Made for these scores, of which there is at least one."""
        found = zip(*(_extremes(score[block]) for block in blocks(len(score))), strict=True)
        least, highest, lowest, nearest, used = (list(each) for each in found)
        top, first, last = max(highest), min(nearest) % 2**64, max(lowest)
        step = _lowest_bit(reduce(or_, used))
        zero = min(least) - step if top > 0 else 0
        negative = top - zero + step if top >= 0 else 0
        if first < _SIGN:
            return cls(max(top, 0), zero, negative, 0, step.bit_length() - 1, negative // step)
        size = negative + last - first + step
        return cls(max(top, 0), zero, negative, first, step.bit_length() - 1, size // step)

    @property
    def kind(self) -> type[np.unsignedinteger[Any]] | None:
        """The narrowest whole numbers that hold a code and a class; None if there are none."""
        return np.uint32 if self.size <= 2**31 else np.uint64 if self.size <= 2**63 else None

    def keys(self, score: NDArray[Any], is_positive: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Twice the code of the score, and one more in the positive class."""
        bits = _bits(score)
        np.maximum(bits, np.uint64(self.zero), out=bits)
        codes = np.uint64(self.top) - bits
        if self.first:
            shift = np.uint64((self.negative - self.first) % 2**64)
            codes = np.where(bits < _SIGN, codes, bits + shift)
        codes >>= np.uint64(self.cut)
        codes <<= np.uint64(1)
        codes |= is_positive
        return codes

    def scores(self, keys: NDArray[Any]) -> NDArray[np.float64]:
        """The scores of keys in order, whatever the class."""
        bits = keys.astype(np.uint64)
        bits >>= np.uint64(1)
        bits <<= np.uint64(self.cut)
        zero, negative = np.searchsorted(bits, np.array([self.top - self.zero, self.negative], np.uint64))
        np.subtract(np.uint64(self.top), bits[:zero], out=bits[:zero])
        bits[zero:negative] = 0
        bits[negative:] += np.uint64((self.first - self.negative) % 2**64)
        return bits.view(np.float64)


def sorted_keys(code: Code, score: NDArray[Any], is_positive: NDArray[np.bool_]) -> NDArray[Any]:
    """The keys of all rows, ascending: the best score first."""
    assert code.kind is not None
    keys = np.empty(len(score), code.kind)

    def sort(part: slice) -> None:
        for block in blocks(part.stop, part.start):
            keys[block] = code.keys(score[block], is_positive[block])
        keys[part].sort()

    if len(keys) < _WORTH_A_THREAD:
        sort(slice(0, len(keys)))
        return keys
    half = len(keys) // 2
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(sort, (slice(0, half), slice(half, len(keys)))))
    # The stable sort looks for runs that are in order: it merges the two in one pass.
    keys.sort(kind="stable")
    return keys


def blocks(stop: int, start: int = 0) -> Iterator[slice]:
    """Consecutive slices of rows."""
    for at in range(start, stop, BLOCK):
        yield slice(at, min(at + BLOCK, stop))


def _bits(score: NDArray[Any]) -> NDArray[np.uint64]:
    # Adding 0 makes -0.0, whose bits are others, the same score as 0.0.
    bits: NDArray[np.uint64] = np.add(score, 0.0, dtype=np.float64).view(np.uint64)
    return bits


def _extremes(score: NDArray[Any]) -> tuple[int, int, int, int, int]:
    """Bits: the least above 0, the highest; of scores below 0 the lowest, the nearest; all together."""
    bits = _bits(score)
    # Read as signed numbers, floats below 0 come first, from zero down; unsigned, they come last.
    signed = bits.view(np.int64)
    furthest, used = int(bits.max()), int(np.bitwise_or.reduce(bits))
    highest, nearest = int(signed.max()), int(signed.min())
    bits -= np.uint64(1)  # 0 becomes the largest of all
    return int(bits.min()) + 1, highest, furthest, nearest, used


def _lowest_bit(number: int) -> int:
    """The value of the lowest bit that is set; 1 in zero."""
    return number & -number or 1
