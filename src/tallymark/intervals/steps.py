"""The Wilson interval worked out on paper."""

from __future__ import annotations

import math

from tallymark.intervals.proportions import interval, wilson_reaching, z_quantile


def wilson_steps(
    correct: float, of: float, level: float, student: float | None = None
) -> tuple[tuple[str, str], ...]:
    """The Wilson interval worked out step by step, each step as (plain text, LaTeX).

    `student` is the quantile t to take in place of the normal one, z.
    """
    result = interval(correct, of, confidence_level=level)
    x, n, acc = result.correct, result.of, result.value
    z = z_quantile(result.level) if student is None else student
    low, high = wilson_reaching(x, n, z)
    root = z * math.sqrt(z * z + 4 * x * ((n - x) / n))
    centre, half = (2 * x + z * z) / (2 * (n + z * z)), root / (2 * (n + z * z))
    # As many decimals as give half the width four digits, so that low and high differ in print; the two
    # numbers they are made of get one more, so that the sums in print come out right.
    decimals = 3 - math.floor(math.log10(half)) if half > 0 else 5
    worked = {"N": n, "x": x, "z": z, "zz": z * z, "sum": n + z * z, "root": root}
    products = {"2x": 2 * x, "4x": 4 * x, "4xx": 4 * x * acc}
    plain = {name: _digits(number) for name, number in (worked | products).items()}
    plain |= {"acc": _trimmed(acc, decimals), "low": f"{low:.{decimals}f}"}
    plain |= {"high": f"{high:.{decimals}f}", "centre": f"{centre:.{decimals + 1}f}"}
    plain["half"] = f"{half:.{decimals + 1}f}"
    plain |= {"level": f"{result.level:.10g}", "q": "z" if student is None else "t"}
    latex = {name: _latex_number(text) for name, text in plain.items()}
    return tuple((text % plain, formula % latex) for text, formula in _WILSON_STEPS)


_WILSON_STEPS = (
    (
        "low, high = (2 N acc + %(q)s^2 -+ %(q)s sqrt(%(q)s^2 + 4 N acc - 4 N acc^2)) / (2 (N + %(q)s^2))",
        r"\text{low}, \text{high} = \frac{2 N\,\mathit{acc} + %(q)s^2 \mp"
        r" %(q)s \sqrt{%(q)s^2 + 4 N\,\mathit{acc} - 4 N\,\mathit{acc}^2}}{2 (N + %(q)s^2)}",
    ),
    (
        "N = %(N)s, acc = %(x)s / %(N)s = %(acc)s, %(q)s = %(z)s for a confidence level of %(level)s",
        r"N = %(N)s, \quad \mathit{acc} = \frac{%(x)s}{%(N)s} = %(acc)s, \quad %(q)s = %(z)s"
        r" \text{ for a confidence level of } %(level)s",
    ),
    (
        "centre = (2 N acc + %(q)s^2) / (2 (N + %(q)s^2)) = (%(2x)s + %(zz)s) / (2 * %(sum)s) = %(centre)s",
        r"\text{centre} = \frac{2 N\,\mathit{acc} + %(q)s^2}{2 (N + %(q)s^2)}"
        r" = \frac{%(2x)s + %(zz)s}{2 \cdot %(sum)s} = %(centre)s",
    ),
    (
        "root = %(q)s sqrt(%(q)s^2 + 4 N acc - 4 N acc^2)"
        " = %(z)s * sqrt(%(zz)s + %(4x)s - %(4xx)s) = %(root)s",
        r"\text{root} = %(q)s \sqrt{%(q)s^2 + 4 N\,\mathit{acc} - 4 N\,\mathit{acc}^2}"
        r" = %(z)s \sqrt{%(zz)s + %(4x)s - %(4xx)s} = %(root)s",
    ),
    (
        "half = root / (2 (N + %(q)s^2)) = %(root)s / (2 * %(sum)s) = %(half)s",
        r"\text{half} = \frac{\text{root}}{2 (N + %(q)s^2)} = \frac{%(root)s}{2 \cdot %(sum)s} = %(half)s",
    ),
    (
        "low = centre - half = %(centre)s - %(half)s = %(low)s",
        r"\text{low} = \text{centre} - \text{half} = %(centre)s - %(half)s = %(low)s",
    ),
    (
        "high = centre + half = %(centre)s + %(half)s = %(high)s",
        r"\text{high} = \text{centre} + \text{half} = %(centre)s + %(half)s = %(high)s",
    ),
)


def _digits(number: float) -> str:
    """Five digits, but a whole or large number in full: 1000000, never 1e+06."""
    if number == round(number) or number >= 1e4:
        return _trimmed(number, 1)
    return f"{number:.5g}"


def _trimmed(number: float, decimals: int) -> str:
    return f"{number:.{decimals}f}".rstrip("0").rstrip(".")


def _latex_number(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if e else text
