"""What is counted by group as JSON and stretches of long arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.tallies.confusion import Confusion
from tallymark.tallies.grouped import Grouped
from tallymark.tallies.grouped_scores import GroupedScores
from tallymark.tallies.labels import Label, in_order
from tallymark.tallies.scores import Scores

Form = Mapping[str, Any]
_NAMELESS = "it has groups without names"
_UNLIKE = "its groups do not add up to its rows"


class Shelf(Protocol):
    """Where arrays are put."""

    def put(self, array: NDArray[Any]) -> list[Any] | None: ...
    def named(self, keys: Sequence[Label]) -> list[Any] | None: ...


def group_form(groups: Grouped | GroupedScores, shelf: Shelf) -> dict[str, Any]:
    """The JSON form, which refers to names that slices share and to arrays on a shelf."""
    arrays = ("cells", "counts") if isinstance(groups, Grouped) else ("place", "positives", "negatives")
    names = shelf.named(groups.keys)
    return {"names": names, **{each: shelf.put(getattr(groups, each)) for each in ("group", *arrays)}}


class GroupReader:
    """Takes such forms apart; whatever does not fit is refused."""

    def __init__(self, names: Sequence[Any], array: Callable[[Any], NDArray[Any]]) -> None:
        check(all(isinstance(name, str | int) for name in names), _NAMELESS)
        self._names: list[Label] = list(names)
        self._array = array

    def of_answers(self, form: Form, total: Confusion) -> Grouped:
        keys, group, cells = self._keys(form, "cells")
        counts = amounts(self._array(form["counts"]))
        at = np.searchsorted(total.cells, cells)
        check(inside(at, len(total.cells)) and np.array_equal(total.cells[at], cells), _UNLIKE)
        _check_sums(at, counts, total.counts)
        return Grouped(total, keys, group, cells, counts)

    def of_scores(self, form: Form, total: Scores) -> GroupedScores:
        keys, group, place = self._keys(form, "place")
        check(inside(place, len(total.score)), _UNLIKE)
        positives, negatives = (amounts(self._array(form[side])) for side in ("positives", "negatives"))
        _check_sums(place, positives, total.positives)
        _check_sums(place, negatives, total.negatives)
        return GroupedScores(total, keys, group, place, positives, negatives).added_up()

    def _keys(self, form: Form, what: str) -> tuple[tuple[Label, ...], NDArray[Any], NDArray[Any]]:
        """The names of the groups, and of each entry its group and where it counts."""
        names, group, at = (self._array(form[each]) for each in ("names", "group", what))
        check(all(each.dtype.kind == "i" for each in (names, group, at)), "its groups are no places")
        check(inside(names, len(self._names)), _NAMELESS)
        keys = tuple(self._names[place] for place in names.tolist())
        check(keys == in_order(keys), "its groups are not in order")
        check(inside(group, len(keys)) and len(group) == len(at), _NAMELESS)
        return keys, group, at


def _check_sums(place: NDArray[Any], counts: NDArray[Any], total: NDArray[Any]) -> None:
    """What groups have at every place is what all of them have, but for rounding."""
    same_length = len(place) == len(counts)
    sums = np.bincount(place, counts, len(total)) if same_length else np.zeros(len(total))
    check(same_length and np.allclose(sums, total, rtol=1e-9, atol=0), _UNLIKE)


def check(right: Any, wrong: str) -> None:
    if not right:
        raise InputError(wrong)


def amounts(array: NDArray[Any]) -> NDArray[Any]:
    """Counts, or sums of weights."""
    check(np.isfinite(array).all() and (array >= 0).all(), "a count is below 0, or no number")
    return array


def within(ascending: NDArray[Any], size: int) -> bool:
    return not len(ascending) or bool(ascending[0] >= 0 and ascending[-1] < size)


def inside(places: NDArray[Any], size: int) -> bool:
    return not len(places) or bool(places.min() >= 0 and places.max() < size)
