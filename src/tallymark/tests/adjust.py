"""p-values adjusted for many comparisons, so that the chance of any false finding stays at alpha."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, precise
from tallymark.tests.scores import Floats, checked_choice, checked_scores

Adjustment = Literal["holm", "hochberg", "hommel", "bonferroni", "shaffer", "bergmann_hommel"]

# 12 models have 4.2 million partitions, 13 have 27.6 million.
_MODELS = 12


def adjust(p_values: Any, method: Adjustment = "holm") -> Floats:
    """Adjusted p-values in the order given; each is the smallest alpha at which its hypothesis is rejected.

    "bonferroni" and "holm" always hold; "hochberg" and "hommel" when tests do not work against each other.
    "shaffer" and "bergmann_hommel" are for all pairs of k models, in order of `itertools.combinations`. They
    find more, because models cannot be equal in just any number or pattern of pairs. Bergmann-Hommel looks at
    every partition of the models, up to 12; a larger p-value never gets a smaller adjusted one.

    >>> adjust([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]

    References: Holm 1979; Hochberg 1988; Hommel 1988; Shaffer 1986; Bergmann and Hommel 1988; Garcia and
    Herrera 2008, Journal of Machine Learning Research 9:2677.
    """
    checked_choice("method", method, Adjustment)
    p = checked_scores(p_values, "p_values", "comparison")
    outside = (p < 0) | (p > 1)
    if outside.any():
        at = int(np.argmax(outside))
        raise OptionError(f"p-values are from 0 to 1; got {precise(p[at], 0, 1)} at place {at + 1}.")
    if method == "bergmann_hommel":
        return _bergmann_hommel(p)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, _STEPS[method](p[order]))
    return adjusted


def _bonferroni(p: Floats) -> Floats:
    return len(p) * p


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(np.arange(len(p), 0, -1) * p)


def _hochberg(p: Floats) -> Floats:
    return np.minimum.accumulate((np.arange(len(p), 0, -1) * p)[::-1])[::-1]


def _hommel(p: Floats) -> Floats:
    """Of every number of true hypotheses, the Simes test of the largest p-values with each one."""
    m = len(p)
    adjusted = p.copy()
    for true in range(m, 1, -1):
        rest = p[m - true + 1 :]
        least = float(np.min(true * rest / np.arange(2, true + 1)))
        adjusted = np.maximum(adjusted, np.minimum(least, true * p))
        # The largest p-values are among the hypotheses themselves.
        adjusted[m - true + 1 :] = np.maximum(adjusted[m - true + 1 :], least)
    return adjusted


def _shaffer(p: Floats) -> Floats:
    possible = sorted(_true_pairs(_models(len(p), "shaffer")))
    most = [max(true for true in possible if true <= left) for left in range(len(p), 0, -1)]
    return np.maximum.accumulate(np.array(most) * p)


_STEPS = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "shaffer": _shaffer,
}


@lru_cache(maxsize=128)
def _true_pairs(k: int) -> frozenset[int]:
    """How many of the pairs of k models can be equal at once: a group of j, and the rest in any way."""
    if k < 2:
        return frozenset({0})
    return frozenset(math.comb(j, 2) + rest for j in range(1, k + 1) for rest in _true_pairs(k - j))


def _models(pairs: int, method: str) -> int:
    k = (1 + math.isqrt(1 + 8 * pairs)) // 2
    if k * (k - 1) // 2 != pairs:
        near = ", ".join(f"{each * (each - 1) // 2} for {each} models" for each in (k, k + 1))
        raise OptionError(
            f"{method} takes all pairs of k models; got {pairs} p-values.", hint=f"there are {near}."
        )
    return k


def _bergmann_hommel(p: Floats) -> Floats:
    """The pairs within the groups of a partition can all be equal: their number times their smallest p."""
    k = _models(len(p), "bergmann_hommel")
    if k > _MODELS:
        raise OptionError(
            f"bergmann_hommel looks at every partition of the models, up to {_MODELS}; got {k} models.",
            hint="shaffer takes any number.",
        )
    group = _partitions(k)
    size = np.zeros(len(group), np.int16)
    least = np.ones(len(group))
    for at, (i, j) in enumerate(combinations(range(k), 2)):
        together = group[:, i] == group[:, j]
        size += together
        np.minimum(least, p[at], out=least, where=together)
    bound = size * least
    highest = np.array([bound[group[:, i] == group[:, j]].max() for i, j in combinations(range(k), 2)])
    # Made monotone as the authors' and scmamp's tables are; by itself it need not be.
    return np.array([min(1.0, highest[p <= each].max()) for each in p])


def _partitions(k: int) -> NDArray[np.int8]:
    """Every partition of k models, a row each: the number of the group a model is in."""
    rows = np.zeros((1, 1), np.int8)
    for _ in range(1, k):
        groups = rows.max(axis=1).astype(np.int64) + 2
        parent = np.repeat(np.arange(len(rows)), groups)
        first = np.repeat(np.cumsum(groups) - groups, groups)
        joined = (np.arange(len(parent)) - first).astype(np.int8)
        rows = np.column_stack((rows[parent], joined))
    return rows
