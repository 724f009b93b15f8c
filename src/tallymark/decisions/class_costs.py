"""The cheapest class for every row, from its probabilities and a cost for every answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.decisions.class_decision import MOST_PROBABLE, ClassDecision
from tallymark.inference import Estimate
from tallymark.inference.savings import saving
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import quoted

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
REJECTED = -1
"""The answer of a row that is declined."""
_BLOCK = 1 << 17
"""Probabilities looked at in one go, so that no second table as large as theirs is made."""
_ROUNDING = 1e-12
_MOST_KINDS = 10_000


def cheapest(
    table: NDArray[Any], costs: Floats, reject_cost: float | None, factor: Floats | None = None
) -> Iterator[tuple[slice, Codes, Floats]]:
    """Block by block the position of the class with the lowest expected cost in every row, and that cost.

    `costs` has a row for every actual class and a column for every answer. Of equally cheap classes the first
    is taken, or if all answers always cost the same the most probable. A row is declined only where that is
    cheaper than any answer. Where the rows of a class are so many times as frequent, so is the class likely
    (Saerens et al. 2002, Neural Computation 14:21).
    """
    sizes, indifferent = np.abs(costs), bool((costs == costs[:, :1]).all())
    length = max(1, _BLOCK // max(1, table.shape[1]))
    for start in range(0, len(table), length):
        block = slice(start, start + length)
        part = np.asarray(table[block], float) * (1.0 if factor is None else factor)
        # Rounded probabilities may add up to a hair more or less than 1. Of a row that gave all of its
        # probability to classes which are not to be expected, it stays as it is.
        sums = part.sum(axis=1, keepdims=True)
        part = np.where(sums > 0, part / np.where(sums > 0, sums, 1.0), table[block])
        expected = part @ costs
        # What differs by rounding only is equally cheap, and sums of large costs are rounded more.
        rounding = _ROUNDING * (part @ sizes)
        rows, least = np.arange(len(part)), expected.argmin(axis=1)
        slack = np.maximum(rounding, rounding[rows, least][:, None])
        chosen = np.argmax(expected - expected[rows, least][:, None] <= slack, axis=1)
        if indifferent:
            chosen = part.argmax(axis=1)
        cost = expected[rows, chosen]
        if reject_cost is not None:
            declined = cost > reject_cost + np.maximum(rounding[rows, chosen], _ROUNDING * abs(reject_cost))
            chosen[declined] = REJECTED
            cost = np.where(declined, reject_cost, cost)
        yield block, chosen, cost


class _Kinds(NamedTuple):
    """Rows that are of the same class and get the same two answers are one kind."""

    actual: Codes
    plain: Codes
    """The most probable class."""
    chosen: Codes
    amounts: NDArray[Any]
    """Rows of each kind, or the sum of their weights."""
    squares: NDArray[Any] | None
    of_row: Codes


def decide_classes(
    table: NDArray[Any],
    classes: NDArray[Any],
    costs: Floats,
    *,
    labels: Sequence[Label],
    reject_cost: float | None = None,
    level: float = 0.95,
    weight: NDArray[Any] | None = None,
    weight_kind: Literal["sampling", "frequency"] = "sampling",
    group: tuple[Sequence[Label], NDArray[Any]] | None = None,
    shares: Floats | None = None,
    seed: int = 0,
) -> ClassDecision:
    """The cheapest class for every row against the most probable one, and what that saves on these rows.

    `classes` is the position of each row's class among the labels, `group` the groups and which of them each
    row is of, `shares` those of the classes to answer for when they are not the sample's own: probabilities
    are carried over to them.
    """
    size, actual = len(labels), np.asarray(classes).astype(np.intp)
    amount = np.ones(len(actual), np.int64) if weight is None else np.asarray(weight)
    chosen, believed = np.empty(len(table), np.intp), 0.0
    factor = _factor(actual, amount, shares, size)
    for block, answers, cost in cheapest(table, costs, reject_cost, factor):
        chosen[block] = answers
        heavy = amount[block] if factor is None else amount[block] * factor[actual[block]]
        believed += float((heavy * cost).sum())
    sampling = weight is not None and weight_kind == "sampling"
    plain = np.argmax(table, axis=1)
    kinds = _kinds(actual, plain, chosen, amount, factor, size, sampling=sampling)
    rows = int(np.count_nonzero(amount)) if sampling else int(amount.sum())
    with_reject = np.column_stack([costs, np.full(size, 0.0 if reject_cost is None else reject_cost)])
    paid = with_reject[kinds.actual, kinds.chosen]

    def saved(against: Floats) -> Estimate:
        groups = None
        if group is not None:
            heavy = amount if factor is None else amount * factor[actual]
            groups = (len(group[0]), np.asarray(group[1]).astype(np.int64), kinds.of_row, heavy)
        return saving(
            against - paid,
            kinds.amounts,
            kinds.squares,
            level=level,
            seed=seed,
            strata=None if shares is None else kinds.actual,
            classes=kinds.actual,
            groups=groups,
            rows=rows if group is not None else _equal_rows(amount) if sampling else float(rows),
            kish=sampling,
        )

    per_class = np.bincount(kinds.actual, kinds.amounts, size)
    constant = int(np.argmin(per_class @ costs))
    always = f"always {quoted(labels[constant])}"
    confusions = [_confusion(kinds, answers, tuple(labels), rows) for answers in (kinds.plain, kinds.chosen)]
    return ClassDecision(
        labels=tuple(labels),
        costs=costs,
        reject_cost=reject_cost,
        before=confusions[0][0],
        confusion=confusions[1][0],
        declined=confusions[1][1],
        changes=_changes(kinds, with_reject),
        cost=float(paid @ kinds.amounts),
        n=kinds.amounts.sum().item(),
        believed=believed,
        savings={
            MOST_PROBABLE: saved(costs[kinds.actual, kinds.plain]),
            always: saved(costs[kinds.actual, constant]),
        },
        weighted=sampling,
        shares=shares,
    )


def _equal_rows(weight: NDArray[Any]) -> float:
    """As many rows of equal weight tell as much (Kish 1965)."""
    total = float(weight.sum())
    return total * (total / float(np.square(weight, dtype=float).sum())) if total else 0.0


def _factor(actual: Codes, amount: NDArray[Any], shares: Floats | None, size: int) -> Floats | None:
    """How many times as heavy the rows of a class are when classes have these shares."""
    if shares is None:
        return None
    seen = np.bincount(actual, amount, size)
    there = np.where(seen > 0, shares, 0.0)
    factor = np.divide(there * seen.sum(), seen * there.sum(), out=np.zeros(size), where=seen > 0)
    return np.asarray(factor)


def _kinds(
    actual: Codes,
    plain: Codes,
    chosen: Codes,
    amount: NDArray[Any],
    factor: Floats | None,
    size: int,
    *,
    sampling: bool,
) -> _Kinds:
    answers, given = np.unique(plain * (size + 1) + chosen % (size + 1), return_inverse=True)
    codes = given * size + actual
    if len(answers) * size <= _MOST_KINDS:
        # Whatever its two answers, a row could have been of any class that has rows.
        here = np.unique(actual)
        kinds = (np.arange(len(answers))[:, None] * size + here).ravel()
    else:
        kinds = np.unique(codes)
    of_row = np.searchsorted(kinds, codes)
    pair, own = np.divmod(kinds, size)
    times = np.ones(len(kinds)) if factor is None else factor[own]
    amounts: NDArray[Any] = np.bincount(of_row, amount, len(kinds))
    squares = None
    if sampling:
        squares = np.bincount(of_row, np.square(amount, dtype=float), len(kinds)) * times**2
    elif factor is not None:
        squares = amounts * times**2
    whole = amount.dtype.kind in "iu" and factor is None
    amounts = amounts.astype(np.int64) if whole else amounts * times
    return _Kinds(own, answers[pair] // (size + 1), answers[pair] % (size + 1), amounts, squares, of_row)


def _confusion(
    kinds: _Kinds, answers: Codes, labels: tuple[Label, ...], rows: int
) -> tuple[Confusion, Floats]:
    """The answers given, and of every class the rows that were declined."""
    size = len(labels)
    given = answers < size
    declined = np.bincount(kinds.actual[~given], kinds.amounts[~given], size).astype(float)
    part = kinds.amounts[given]
    confusion = Confusion.from_cells(
        labels,
        (kinds.actual * size + answers)[given],
        part,
        squares=None if kinds.squares is None else kinds.squares[given],
        rows=None if kinds.squares is None else rows,
        declared=True,
    )
    return confusion, declined


def _changes(kinds: _Kinds, costs: Floats) -> tuple[tuple[int, int, Any, float], ...]:
    """Other answers than the most probable class: from which to which, for how many rows, saving what."""
    moved = np.flatnonzero((kinds.plain != kinds.chosen) & (kinds.amounts > 0))
    pairs, place = np.unique(np.stack([kinds.plain[moved], kinds.chosen[moved]]), axis=1, return_inverse=True)
    gains = costs[kinds.actual, kinds.plain] - costs[kinds.actual, kinds.chosen]
    amounts = kinds.amounts[moved]
    rows = np.bincount(place.ravel(), amounts, pairs.shape[1])
    saved = np.bincount(place.ravel(), amounts * gains[moved], pairs.shape[1])
    order = np.argsort(-rows, kind="stable")
    whole = amounts.dtype.kind in "iu"
    return tuple(
        (int(pairs[0, at]), int(pairs[1, at]), int(rows[at]) if whole else float(rows[at]), float(saved[at]))
        for at in order
    )
