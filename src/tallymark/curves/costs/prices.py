"""Costs of the four answers about one class: added up, written, and put into the textbooks' formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import count
from tallymark.tallies import Binary

Costs = NDArray[np.float64]
"""[[TP, FN], [FP, TN]]: what each answer costs, the positive class first."""


def paid(counts: Binary, costs: Costs) -> Any:
    """What the answers cost together."""
    (hit, miss), (alarm, rest) = costs.tolist()
    return hit * counts.tp + miss * counts.fn + alarm * counts.fp + rest * counts.tn


def steps(costs: Costs, *, whole: bool = False) -> tuple[Any, Any]:
    """What calling a row positive saves if it is, and costs if it is not.

    `whole`: in whole numbers of the same proportion, by the digits the costs are written in.

    >>> steps(np.array([[0, 0.3], [0.1, 0]]), whole=True)
    (3, 1)
    """
    (hit, miss), (alarm, rest) = costs.tolist()
    if not whole:
        return miss - hit, alarm - rest
    right, wrong = whole_differences((miss, hit), (alarm, rest))
    return right, wrong


def whole_differences(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """One cost less another, of each pair, in whole numbers of the same proportion."""
    exact = [Fraction(repr(a)) - Fraction(repr(b)) for a, b in pairs]
    unit = math.lcm(*(each.denominator for each in exact))
    numbers = [int(each * unit) for each in exact]
    common = math.gcd(*numbers) or 1
    return tuple(each // common for each in numbers)


def money(amount: float) -> str:
    """A total in print: two decimals at most, without the noise of adding 0.1 up."""
    return count(float(f"{amount:.12g}") + 0.0)


def costs_or_gains(cost: float, write: Callable[[float], str]) -> str:
    """`costs 5`, and of a negative cost `gains 5`."""
    return f"costs {write(cost)}" if cost >= 0 else f"gains {write(-cost)}"


def plainly(cost: float) -> str:
    """A cost as it was given."""
    return repr(float(cost)).removesuffix(".0")


def costs_dict(costs: Costs) -> dict[str, float]:
    """For JSON, each cost by its name."""
    return dict(zip(("tp", "fn", "fp", "tn"), costs.ravel().tolist(), strict=True))


def formula(counts: Binary, costs: Costs) -> tuple[str, ...]:
    """The expected cost as the textbooks have it, then with its numbers, then its parts, then their sum."""
    (hit, miss), (alarm, rest) = costs.tolist()
    negatives, positives = counts.actual_negative, counts.actual_positive
    every = (
        ("FP", alarm, counts.fp, "negatives", negatives),
        ("FN", miss, counts.fn, "positives", positives),
        ("TP", hit, counts.tp, "positives", positives),
        ("TN", rest, counts.tn, "negatives", negatives),
    )
    # Right answers that cost nothing are left out, as the textbooks do, and so are classes without rows.
    terms = [term for term in every if term[4] and (term[1] or term[0] in ("FP", "FN"))]
    if not terms:
        return ()
    names = (f"cost({name}) x P({name}) x {rows}" for name, _, _, rows, _ in terms)
    given = (
        f"{_signed(cost, plainly)} x {count(n)}/{count(rows)} x {count(rows)}"
        for _, cost, n, _, rows in terms
    )
    parts = (_signed(cost * n, money) for _, cost, n, _, _ in terms)
    lines = ["E(cost)", *(" + ".join(each) for each in (names, given, parts))]
    if len(terms) > 1:
        lines.append(money(float(paid(counts, costs))))
    return lines[0] + " = " + lines[1], *(f"{'':7} = {line}" for line in lines[2:])


def _signed(value: float, write: Callable[[float], str]) -> str:
    return f"({write(value)})" if value < 0 else write(value)
