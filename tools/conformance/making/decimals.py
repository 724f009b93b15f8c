"""Functions that rational numbers are not enough for, to 40 digits, from their series."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from math import comb

getcontext().prec = 60
_SMALL = Decimal(10) ** -58


def of(value: Fraction | int | str) -> Decimal:
    """A rational number as a decimal."""
    fraction = Fraction(value)
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def arctangent(x: Decimal) -> Decimal:
    """Its series, after the angle was halved until it is small."""
    halvings = 0
    while abs(x) > Decimal("0.1"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, power, at = Decimal(0), x, 1
    while abs(power) > _SMALL:
        total += power / at if at % 4 == 1 else -power / at
        power, at = power * x * x, at + 2
    return total * 2**halvings


PI = 16 * arctangent(Decimal(1) / 5) - 4 * arctangent(Decimal(1) / 239)


def normal_below(z: Decimal) -> Decimal:
    """The share of a normal distribution below z: 1/2 + z exp(-z^2/2) / sqrt(2 pi) (1 + z^2/3 + ...)."""
    # The terms are all of one sign, so none of the digits is lost but where the share is next to 0.
    term = total = z
    at = 3
    while abs(term) > _SMALL * max(abs(total), Decimal(1)):
        term = term * z * z / at
        total += term
        at += 2
    return Decimal(1) / 2 + total * (-z * z / 2).exp() / (2 * PI).sqrt()


def bisected(low_enough: Callable[[Decimal], bool], low: Decimal, high: Decimal) -> Decimal:
    """Where something stops to hold."""
    for _ in range(160):
        middle = (low + high) / 2
        low, high = (middle, high) if low_enough(middle) else (low, middle)
    return low


def normal_quantile(share: Decimal) -> Decimal:
    """The value that so large a share lies below."""
    return bisected(lambda z: normal_below(z) < share, Decimal(-10), Decimal(10))


Z = normal_quantile(of("39/40"))
"""For 95 %, on both sides."""


def two_sided(squared: Fraction) -> Decimal:
    """The chance that a squared normal value is as large: chi-squared with 1 degree of freedom."""
    return 2 * (1 - normal_below(of(squared).sqrt()))


def chi_squared_2(statistic: Fraction) -> Decimal:
    """Chi-squared with 2 degrees of freedom, whose tail is exp(-x/2)."""
    return (-of(statistic) / 2).exp()


def student_2(squared: Fraction) -> Decimal:
    """Both tails of Student's t with 2 degrees of freedom: 1 - |t| / sqrt(2 + t^2)."""
    return 1 - of(squared / (2 + squared)).sqrt()


def student_5(squared: Fraction) -> Decimal:
    """Both tails of Student's t with 5 degrees of freedom (Abramowitz and Stegun 26.7.3)."""
    angle = arctangent(of(squared / 5).sqrt())
    cosine = of(Fraction(5) / (5 + squared)).sqrt()
    sine = of(squared / (5 + squared)).sqrt()
    return 1 - (angle + sine * (cosine + Decimal(2) / 3 * cosine**3)) * 2 / PI


def jeffreys_end(n: int, share: str) -> Decimal:
    """An end for 0 of n: the quantile of the beta distribution with 1/2 and n + 1/2."""
    whole = PI * comb(2 * n, n) / Decimal(4) ** n

    def below(x: Decimal) -> Decimal:
        # x^a times the sum of (1 - b)_j x^j / (j! (a + j)), with a = 1/2 and b = n + 1/2.
        total, factor, j = Decimal(0), Decimal(1), 0
        while abs(factor) > _SMALL:
            total += factor / (Decimal(1) / 2 + j)
            j += 1
            factor = factor * (Decimal(1) / 2 - n + j - 1) / j * x
        return x.sqrt() * total / whole

    with localcontext(prec=50):
        return bisected(lambda x: below(x) < of(share), Decimal(0), Decimal("0.9"))


def range_quantile_3(share: str) -> Decimal:
    """The quantile of the range of 3 normal values.

    P(range <= q) = 3 * the integral of density(x) * (below(x + q) - below(x))^2. The trapezoid rule over the
    whole line is exact to some exp(-2 (pi/step)^2) for such a function.
    """
    with localcontext(prec=45):
        step = Decimal(1) / 4
        places = [step * at for at in range(-60, 61)]
        density = [(-x * x / 2).exp() / (2 * PI).sqrt() for x in places]
        start = [normal_below(x) for x in places]

        def covered(q: Decimal) -> Decimal:
            parts = zip(places, density, start, strict=True)
            return 3 * step * sum((d * (normal_below(x + q) - s) ** 2 for x, d, s in parts), Decimal(0))

        first, second = Decimal("3.3"), Decimal("3.32")
        wanted, at_first, at_second = of(share), covered(first), covered(second)
        for _ in range(12):
            if at_first == at_second:
                break
            third = second - (at_second - wanted) * (second - first) / (at_second - at_first)
            first, at_first, second, at_second = second, at_second, third, covered(third)
        return second
