"""Confidence intervals of shares, mostly where they are hard: at none and at all."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from making.decimals import Z, jeffreys_end, of
from making.writing import decimal, vector

ABOUT = "95 % intervals of shares, and of differences of shares: ends at none and at all, published examples."

POINT = "An interval of no width at none or all of 10 says that the share is known for certain."
COVER = "Another end than the method's own covers less, or more, than it says."
TAIL = Decimal(1) / 40


def wilson(x: int, n: int) -> tuple[Decimal, Decimal]:
    """(2x + z^2 -+ z sqrt(z^2 + 4x(n - x)/n)) / (2(n + z^2))"""
    root = (Z * Z + 4 * of(Fraction(x * (n - x), n))).sqrt()
    return tuple((2 * x + Z * Z + side * Z * root) / (2 * (n + Z * Z)) for side in (-1, 1))  # type: ignore[return-value]


def _ends(method: str, x: int, n: int) -> tuple[Any, Any]:
    z = "z the normal quantile of 39/40"
    if method == "wilson":
        low, high = wilson(x, n)
        worked = f"(2x + z^2 -+ z sqrt(z^2 + 4x(n - x)/n)) / (2(n + z^2)), {z}"
        return (0 if x == 0 else decimal(low, worked)), (1 if x == n else decimal(high, worked))
    if method == "clopper_pearson":
        root = (TAIL.ln() / n).exp()
        return (0, decimal(1 - root, "1 - (1/40)^(1/n)")) if x == 0 else (decimal(root, "(1/40)^(1/n)"), 1)
    if method == "jeffreys":
        end = jeffreys_end(n, "39/40")
        worked = "the 39/40 quantile of the beta distribution with 1/2 and n + 1/2"
        return (0, decimal(end, worked)) if x == 0 else (decimal(1 - end, f"1 - {worked}"), 1)
    if method == "agresti_coull":
        rows = n + Z * Z
        share = (x + Z * Z / 2) / rows
        half = Z * (share * (1 - share) / rows).sqrt()
        worked = f"p -+ z sqrt(p(1 - p)/N), p = (x + z^2/2)/N, N = n + z^2, {z}"
        return decimal(share - half, worked), decimal(share + half, worked)
    half = Z * (of(Fraction(x * (n - x), n**3))).sqrt()
    worked = f"x/n -+ z sqrt(x(n - x)/n^3), {z}"
    return decimal(of(Fraction(x, n)) - half, worked), decimal(of(Fraction(x, n)) + half, worked)


CASES = [
    ("wilson", 0, 10, "None of 10.", POINT),
    ("wilson", 10, 10, "All of 10.", POINT),
    ("wilson", 81, 263, "81 of 263, the example of Newcombe (1998).", COVER),
    ("clopper_pearson", 0, 10, "None of 10.", POINT),
    ("clopper_pearson", 10, 10, "All of 10.", POINT),
    ("jeffreys", 0, 10, "None of 10; the end at 0 is 0 (Brown, Cai and DasGupta 2001).", COVER),
    ("jeffreys", 10, 10, "All of 10; the end at 1 is 1 (Brown, Cai and DasGupta 2001).", COVER),
    ("agresti_coull", 40, 100, "40 of 100.", COVER),
    ("wald", 40, 100, "40 of 100.", COVER),
]


def made() -> Iterator[dict[str, Any]]:
    for method, x, n, about, why in CASES:
        given = {"correct": x, "of": n}
        for side, end in zip(("low", "high"), _ends(method, x, n), strict=True):
            question = {"interval": method, "confidence_level": 0.95, "give": side}
            others: dict[str, Any] = {}
            if method == "jeffreys" and end in (0, 1):
                raw = jeffreys_end(n, "1/40")
                worked = "the 1/40 quantile of the beta distribution with 1/2 and n + 1/2"
                others["the quantile itself"] = decimal(raw if end == 0 else 1 - raw, worked)
            yield vector(f"{method}-{x}-of-{n}/{side}", about, why, given, question, end, others)
    yield from _differences()


def _differences() -> Iterator[dict[str, Any]]:
    cases = [
        ((56, 70), (48, 80), "56 of 70 less 48 of 80, the example of Newcombe (1998)."),
        ((0, 10), (0, 20), "None of 10 less none of 20."),
        ((10, 10), (0, 20), "All of 10 less none of 20."),
    ]
    for (x1, n1), (x2, n2), about in cases:
        gap = of(Fraction(x1, n1) - Fraction(x2, n2))
        first, second = wilson(x1, n1), wilson(x2, n2)
        share1, share2 = of(Fraction(x1, n1)), of(Fraction(x2, n2))
        low = gap - ((share1 - first[0]) ** 2 + (second[1] - share2) ** 2).sqrt()
        high = gap + ((first[1] - share1) ** 2 + (share2 - second[0]) ** 2).sqrt()
        given = {"first": [x1, n1], "second": [x2, n2]}
        for side, end in (("low", low), ("high", high)):
            worked = "from the ends of Wilson's intervals: Newcombe 1998, his method 10"
            answer: Any = 1 if end == 1 else decimal(end, worked)
            question = {"difference": "newcombe", "confidence_level": 0.95, "give": side}
            name = f"newcombe-{x1}-of-{n1}-{x2}-of-{n2}/{side}"
            yield vector(name, about, POINT if x1 in (0, n1) else COVER, given, question, answer)
