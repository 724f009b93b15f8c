"""Which classes change places: those of rows, of whole groups of like size, or of rows within a group."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import Literal

import numpy as np

from tallymark.resampling.folds import Ints
from tallymark.validation.data.data_set import DataSet

Among = Literal["rows", "groups", "groups of the same size", "groups of similar size", "rows of a group"]

_ENOUGH = 0.75
"""Share of the groups that need another of exactly their size, for classes to change places among those."""
_ALIKE = 1.25
"""How many times as large as the smallest a group of similar size is at most; a test measures what comes of
it where size goes with the class."""


@dataclass(frozen=True, eq=False)
class Exchange:
    """What changes places with what."""

    among: Among
    units: Ints
    """Of each row, what has one class: the row itself, or its group."""
    strata: Ints
    """Of each row, where its unit changes places: all together, with groups of like size, or in its group."""
    note: str | None = None

    def sources(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """For each of these rows, the row whose class it gets; a row drawn twice gets one class."""
        known, again = np.unique(rows, return_inverse=True)
        _, first, unit = np.unique(self.units[known], return_index=True, return_inverse=True)
        strata = self.strata[known[first]]
        given = np.empty_like(first)
        given[np.argsort(strata, kind="stable")] = first[np.lexsort((rng.random(len(first)), strata))]
        return known[given[unit]][again]

    def ways(self, rows: Ints, actual: Ints) -> float:
        """The logarithm of how many different relabellings of these rows there are."""
        from scipy.special import gammaln

        known = np.unique(rows)
        known = known[np.unique(self.units[known], return_index=True)[1]]
        strata = self.strata[known]
        # Of every stratum n! / (n1! n2! ...); classes that a stratum does not have add nothing.
        _, sizes = np.unique(strata, return_counts=True)
        _, cells = np.unique(strata * (actual.max() + 1) + actual[known], return_counts=True)
        return float(gammaln(sizes + 1).sum() - gammaln(cells + 1).sum())


def exchange_of(data: DataSet) -> Exchange:
    """Whole groups where each is of one class, else rows of a group; rows where there are no groups."""
    each, together = np.arange(data.rows), np.zeros(data.rows, np.int64)
    if data.groups is None:
        return Exchange("rows", each, together)
    groups = np.asarray(data.groups)
    if groups.ndim == 2 and groups.shape[1] > 1:
        return Exchange(
            "rows",
            each,
            together,
            "rows are about pairs, and their classes change places as if rows that share an entity had "
            "nothing in common; where they have, p is too small.",
        )
    keys = np.unique(groups.ravel(), return_inverse=True)[1].astype(np.int64)
    pairs = np.unique(keys * len(data.labels) + data.actual)
    if len(pairs) == keys.max() + 1:
        return _of_groups(keys)
    return Exchange(
        "rows of a group",
        each,
        keys,
        "groups have rows of several classes, so classes change places within a group: what is tested is "
        "whether the classes of rows of the same group can be told apart.",
    )


def _of_groups(keys: Ints) -> Exchange:
    """Whole groups change their classes, with groups of like size.

    Were a class of large groups dealt to small ones, it would have fewer rows than it really has, and any
    model that learns which class has more rows would look as if it had found something in the features.
    """
    sizes = np.bincount(keys)
    whole = "every row of a group is of the same class, so whole groups change their classes"
    if (sizes == sizes[0]).all():
        return Exchange("groups", keys, np.zeros_like(keys), f"{whole}." if sizes[0] > 1 else None)
    distinct, same, often = np.unique(sizes, return_inverse=True, return_counts=True)
    if (often[same] > 1).mean() >= _ENOUGH:
        alone = _kept(int((often == 1).sum()), "no other group is as large")
        said = f"{whole}, with groups of the same number of rows: the size of a group may go with its class"
        return Exchange("groups of the same size", keys, same[keys], f"{said}{alone}.")
    strata = _similar(distinct)[same]
    alone = _kept(int((np.bincount(strata) == 1).sum()), "none is near in size")
    said = (
        f"{whole}, with groups of up to {_ALIKE:g} times their number of rows, for few are of the same size: "
        "the size of a group may go with its class"
    )
    return Exchange("groups of similar size", keys, strata[keys], f"{said}{alone}.")


def _similar(distinct: Ints) -> Ints:
    """Of sizes in ascending order, which stratum each is in; no stratum reaches further than is alike."""
    found, at, smallest = [], -1, 0
    for size in distinct.tolist():
        if size > _ALIKE * smallest:
            at, smallest = at + 1, size
        found.append(at)
    return np.array(found, np.int64)


def _kept(alone: int, why: str) -> str:
    if not alone:
        return ""
    return f"; {alone:,} {'group keeps its' if alone == 1 else 'groups keep their'} class, for {why}"


def few_ways(logarithm: float, permutations: int, among: Among) -> str | None:
    """What to say when there are fewer relabellings than were drawn."""
    if logarithm >= log(permutations + 1) - 1e-9:
        return None
    found = round(exp(logarithm))
    sized = " where only groups of like size change places" if among.endswith(" size") else ""
    if found == 1:
        return f"there is no other way to deal these classes to these rows{sized}, so nothing can be tested."
    return (
        f"there are only {found:,} ways to deal these classes to these rows{sized}, the real one among them, "
        f"so p cannot be far below {1 / found:.2g} however many permutations are drawn."
    )
