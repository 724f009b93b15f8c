"""Which classes change places: those of rows, of whole groups, or of rows within a group."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.resampling.folds import Ints
from tallymark.validation.data import DataSet

Among = Literal["rows", "groups", "rows of a group"]


@dataclass(frozen=True, eq=False)
class Exchange:
    """What changes places with what."""

    among: Among
    keys: Ints
    """The group of each row; each row is its own where there are none."""
    note: str | None = None

    def sources(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """For each of these rows, the row whose class it gets; a row drawn twice gets one class."""
        known, again = np.unique(rows, return_inverse=True)
        keys = self.keys[known]
        if self.among == "rows of a group":
            given = np.empty_like(known)
            given[np.argsort(keys, kind="stable")] = known[np.lexsort((rng.random(len(known)), keys))]
        else:
            _, first, group = np.unique(keys, return_index=True, return_inverse=True)
            given = known[rng.permutation(first)][group]
        return given[again]

    def ways(self, rows: Ints, actual: Ints) -> float:
        """The logarithm of how many different relabellings of these rows there are."""
        known = np.unique(rows)
        keys = self.keys[known]
        if self.among == "rows of a group":
            parts = [actual[known[keys == key]] for key in np.unique(keys)]
        else:
            parts = [actual[known[np.unique(keys, return_index=True)[1]]]]
        return sum(_arrangements(np.bincount(part)) for part in parts)


def exchange_of(data: DataSet) -> Exchange:
    """Whole groups where each is of one class, else rows of a group; rows where there are no groups."""
    if data.groups is None:
        return Exchange("rows", np.arange(data.rows))
    groups = np.asarray(data.groups)
    if groups.ndim == 2 and groups.shape[1] > 1:
        return Exchange(
            "rows",
            np.arange(data.rows),
            "rows are about pairs, and their classes change places as if rows that share an entity had "
            "nothing in common; where they have, p is too small.",
        )
    keys = np.unique(groups.ravel(), return_inverse=True)[1].astype(np.int64)
    pairs = np.unique(keys * len(data.labels) + data.actual)
    if len(pairs) == keys.max() + 1:
        alone = len(pairs) == data.rows
        said = "every row of a group is of the same class, so whole groups change their classes."
        return Exchange("groups", keys, None if alone else said)
    return Exchange(
        "rows of a group",
        keys,
        "groups have rows of several classes, so classes change places within a group: what is tested is "
        "whether the classes of rows of the same group can be told apart.",
    )


def _arrangements(counts: NDArray[np.int64]) -> float:
    """The logarithm of n! / (n1! n2! ...)."""
    return lgamma(counts.sum() + 1) - sum(lgamma(n + 1) for n in counts.tolist())


def few_ways(logarithm: float, permutations: int) -> str | None:
    """What to say when there are fewer relabellings than were drawn."""
    if logarithm >= log(permutations + 1) - 1e-9:
        return None
    found = round(exp(logarithm))
    ways = "is only 1 way" if found == 1 else f"are only {found:,} ways"
    return (
        f"there {ways} to deal these classes to these rows, the real one among them, so p cannot be far "
        f"below {1 / found:.2g} however many permutations are drawn."
    )
