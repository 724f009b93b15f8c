"""What tallies of scores must agree on before they are added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MergeError
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import Label, quoted
from tallymark.tallies.merging import EXACT, TOO_MANY

if TYPE_CHECKING:
    from tallymark.tallies.scores import Scores


def merged_positive(first: Scores, second: Scores) -> Label | None:
    for one, two in ((first, second), (second, first)):
        if one.positive is None and not one.rows:
            return two.positive
    if first.positive != second.positive:
        raise MergeError(
            f"the positive class was declared differently: {_named(first)} and {_named(second)}.",
            hint="count both parts for the same class.",
        )
    # True and 1 are one label; the number is kept, whichever side has it.
    return second.positive if isinstance(first.positive, bool) else first.positive


def _named(tally: Scores) -> str:
    return "none" if tally.positive is None else quoted(tally.positive)


def refuse_unlike(first: Scores, second: Scores) -> None:
    if not first.exact and not second.exact and (first.reach is not None or second.reach is not None):
        raise MergeError(
            f"these are the bins of a grid that hold rows, which need not be the same bins: {first!r} and "
            f"{second!r}.",
            hint="add the tallies on the grid itself, that these were made from.",
        )
    if first.exact != second.exact:
        raise MergeError(
            f"one tally has every score and the other only bins of them: {first!r} and {second!r}.",
            hint="count the scores of both, or both in the same bins.",
        )
    if not same(first.edges, second.edges):
        raise MergeError(
            f"the scores were counted in other bins: {_spelled(first)} and {_spelled(second)}"
            f"{_first_difference(first, second)}.",
            hint="count both parts with the same edges.",
        )
    if (first.squares is None) != (second.squares is None):
        with_weights, without = (first, second) if second.squares is None else (second, first)
        raise MergeError(
            f"one tally has weights and the other has none: {with_weights!r} and {without!r}.",
            hint="count both with weights; weight 1 is a plain row.",
        )
    whole = first.positives.dtype.kind == second.positives.dtype.kind == "i"
    if whole and first.n + second.n > EXACT:
        raise MergeError(TOO_MANY)


Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[NDArray[Any], NDArray[Any]] | None]


def merged_columns(first: Scores, second: Scores) -> Columns:
    """Every score of either, with the positives and negatives of both, and their squared weights."""
    score = np.concatenate([first.score, second.score])
    order = np.argsort(-score, kind="stable")  # merges two runs that are in order, in one pass
    ranked = score[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))

    def added(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
        return frozen(np.add.reduceat(np.concatenate([one, two])[order], starts))

    squares = None
    if first.squares is not None and second.squares is not None:
        up, down = (added(*sides) for sides in zip(first.squares, second.squares, strict=True))
        squares = (up, down)
    sides = added(first.positives, second.positives), added(first.negatives, second.negatives)
    return frozen(ranked[starts]), *sides, squares


def _spelled(tally: Scores) -> str:
    edges = tally.edges
    assert edges is not None
    return f"{len(edges) - 1} from {edges[0]:g} to {edges[-1]:g}"


def _first_difference(first: Scores, second: Scores) -> str:
    """Named when both have as many bins, for these may look alike."""
    assert first.edges is not None
    assert second.edges is not None
    if len(first.edges) != len(second.edges):
        return ""
    at = int(np.argmax(first.edges != second.edges))
    return f", and edge {at + 1} is {first.edges[at].item()!r} and {second.edges[at].item()!r}"


def same(one: NDArray[Any] | None, two: NDArray[Any] | None) -> bool:
    return one is two or (one is not None and two is not None and np.array_equal(one, two))
