"""`tm.interval` and `tm.binomial`: printed tables, large numbers, laws and limits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from formulas import Z, ends
from scored import classes, refusals

METHODS = "wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "wald"
# Newcombe (1998), Statistics in Medicine 17:857-872, table I, methods 1, 3, 4, 5 and 6. A lower limit below 0
# is printed there as "< 0" and is cut at 0 here.
COUNTS = (81, 263), (15, 148), (0, 20), (1, 29)
NEWCOMBE = {
    "wald": ((0.2522, 0.3638), (0.0527, 0.1500), (0, 0), (0, 0.1009)),
    "wilson": ((0.2553, 0.3662), (0.0624, 0.1605), (0, 0.1611), (0.0061, 0.1718)),
    "wilson_cc": ((0.2535, 0.3682), (0.0598, 0.1644), (0, 0.2005), (0.0018, 0.1963)),
    "clopper_pearson": ((0.2527, 0.3676), (0.0578, 0.1617), (0, 0.1684), (0.0009, 0.1776)),
    "mid_p": ((0.2544, 0.3658), (0.0601, 0.1581), (0, 0.1391), (0.0017, 0.1585)),
}


def bounds(correct, of, method="wilson", level=0.95):
    return ends(tm.interval(correct, of, method=method, confidence_level=level))


def test_printed_limits():
    for method, rows in NEWCOMBE.items():
        found = [tuple(round(end, 4) for end in bounds(*counts, method)) for counts in COUNTS]
        assert found == [*rows], method
    # Berry and Armitage (1995), The Statistician 44:417-423, p. 420.
    assert bounds(5, 20, "mid_p") == pytest.approx((0.098, 0.470), abs=5e-4)
    found = tm.interval(81, 263)
    assert (found.correct, found.of, found.value) == (81, 263, 81 / 263)
    assert (found.level, found.method, found.assumption) == (0.95, "wilson", "independent rows")
    assert tm.interval(np.int64(81), np.float64(263)) == found
    assert type(tm.interval(np.int64(81), np.int64(263)).correct) is int
    for method in METHODS:
        again = tm.interval(15, 148, method=method).interval(0.99)
        assert again == tm.interval(15, 148, method=method, confidence_level=0.99)


def test_ends_and_large_numbers():
    for method in METHODS:
        for n in (1, 30, 10**6, 10**15):
            assert (bounds(0, n, method)[0], bounds(n, n, method)[1]) == (0, 1)
        # With 1e15 rows every method is the normal interval, but for a few times 1 / n.
        for share in (0.1, 0.5, 0.9):
            half = Z * math.sqrt(share * (1 - share) / 10**15)
            found = bounds(share * 10**15, 10**15, method)
            assert found == pytest.approx((share - half, share + half), abs=2e-14)
    for n in (1, 5, 1000, 10**9, 10**15):
        # The p with (1 - p)^n = tail.
        exact, half = (-math.expm1(math.log(tail) / n) for tail in (0.025, 0.05))
        assert bounds(0, n, "clopper_pearson")[1] == pytest.approx(exact, rel=1e-13)
        assert bounds(0, n, "mid_p")[1] == pytest.approx(half, rel=1e-13)
        assert bounds(0, n)[1] == pytest.approx(Z * Z / (n + Z * Z), rel=1e-14)
    for n in (10**7, 10**12, 10**15):
        low, high = bounds(1, n, "clopper_pearson")
        assert low == pytest.approx(-math.expm1(math.log(0.975) / n), rel=1e-12)
        tail = math.exp(n * math.log1p(-high)) * (1 + n * high / (1 - high))
        assert tail == pytest.approx(0.025, rel=1e-10)
    # Above 1e9 an expansion takes over: limits grow by 1 / n, without a jump.
    for method in ("clopper_pearson", "mid_p", "jeffreys"):
        below, above, others = 10**9 - 2, 10**9 + 2, 10**9
        growth = above / (above + others) - below / (below + others)
        sides = zip(bounds(below, below + others, method), bounds(above, above + others, method), strict=True)
        assert [late - early for early, late in sides] == pytest.approx([growth] * 2, rel=1e-3)


@given(st.integers(1, 10**4), st.integers(0, 8), st.sampled_from(METHODS), st.floats(0.5, 0.99))
def test_laws_of_every_method(n, eighths, method, level):
    x = n * eighths // 8
    low, high = bounds(x, n, method, level)
    assert 0 <= low <= x / n <= high <= 1
    assert bounds(n - x, n, method, level) == pytest.approx((1 - high, 1 - low), abs=1e-12)
    wide, more = bounds(x, n, method, (level + 1) / 2), bounds(x * 3, n * 3, method, level)
    assert wide[0] <= low + 1e-14
    assert high <= wide[1] + 1e-14
    assert more[1] - more[0] <= high - low + 1e-14
    # Brown, Cai and DasGupta (2001), sections 3 and 4, and by their definitions.
    wider = {"agresti_coull": "wilson", "wilson_cc": "wilson", "clopper_pearson": "mid_p"}
    for outer, inner in (*wider.items(), ("clopper_pearson", "jeffreys")):
        inside, outside = bounds(x, n, inner, level), bounds(x, n, outer, level)
        assert outside[0] - 1e-12 <= inside[0]
        assert inside[1] <= outside[1] + 1e-12


def test_coverage_over_all_counts():
    def coverage(method, n, p):
        limits = [bounds(x, n, method) for x in range(n + 1)]
        return math.fsum(tm.binomial(n, p).pmf(x) for x, (low, high) in enumerate(limits) if low <= p <= high)

    # Brown, Cai and DasGupta (2001), section 2: more rows can make Wald's interval worse.
    for n, p, printed in ((17, 0.5, 0.951), (40, 0.5, 0.919), (98, 0.2, 0.928), (592, 0.005, 0.792)):
        assert round(coverage("wald", n, p), 3) == printed
    # Section 4: just below 0.1765 / n only a count of 0 covers p.
    assert coverage("wilson", 1000, 0.1764 / 1000) == pytest.approx(0.838, abs=5e-4)
    grid = np.linspace(0.05, 0.95, 19)
    assert min(coverage("clopper_pearson", 30, p) for p in grid) >= 0.95
    assert 0.94 <= np.mean([coverage("wilson", 30, p) for p in grid]) <= 0.96
    assert np.mean([coverage("mid_p", 30, p) for p in grid]) >= 0.945


def test_binomial():
    for n, p in ((1, 0.3), (7, 0.5), (60, 0.03)):
        exact = [math.comb(n, k) * Fraction(p) ** k * (1 - Fraction(p)) ** (n - k) for k in range(n + 1)]
        found = tm.binomial(n, p)
        np.testing.assert_allclose(found.pmf(np.arange(n + 1)), [float(each) for each in exact], rtol=1e-12)
        cumulated = np.cumsum([float(each) for each in exact])
        np.testing.assert_allclose(found.cdf(np.arange(n + 1)), cumulated, rtol=1e-11)
        assert (found.mean, found.variance) == pytest.approx((n * p, n * p * (1 - p)), rel=1e-14)
    # comb(n, n / 2) / 2^n = sqrt(2 / (pi n)) (1 - 1 / (4 n) + ...), and n p (1 - p)^(n - 1)
    for n in (10**6, 10**12, 10**15):
        half = math.sqrt(2 / (math.pi * n)) * (1 - 1 / (4 * n))
        assert tm.binomial(n, 0.5).pmf(n // 2) == pytest.approx(half, rel=1e-12)
    rare = 2.5 * math.exp((10**15 - 1) * math.log1p(-2.5e-15))
    assert tm.binomial(10**15, 2.5e-15).pmf(1) == pytest.approx(rare, rel=1e-13)
    edges = [(5, 0.5, -1, 0, 0), (5, 0.5, 6, 0, 1), (5, 0.5, 2.5, 0, 0.5), (5, 0.5, 5, 1 / 32, 1)]
    edges += [(5, 0.0, 1, 0, 1), (5, 1.0, 5, 1, 1), (5, 1.0, 4, 0, 0), (0, 0.3, 0, 1, 1), (0, 1.0, 0, 1, 1)]
    for n, p, k, pmf, cdf in [*edges, (5, 0.5, math.inf, 0, 1), (5, 0.5, -math.inf, 0, 0)]:
        assert (tm.binomial(n, p).pmf(k), tm.binomial(n, p).cdf(k)) == pytest.approx((pmf, cdf), rel=1e-14)
    four = tm.binomial(4.0, 0.5)
    assert (four.n, type(four.n), type(four.pmf(2)), type(four.cdf(np.int64(2)))) == (4, int, float, float)
    assert four.pmf([[0, 1], [2, 3]]) == pytest.approx(np.array([[1, 4], [6, 4]]) / 16)
    assert four.pmf([]).shape == (0,)


def test_refusals(snapshot):
    counts = [(3, 2), (-1, 2), (0, 0), (0, 0.5), (1, -5), (math.nan, 2), (1, math.inf), (1, 10**400)]
    counts += [(True, 2), ("81", 263), (None, 263), ([1, 2], 3)]
    calls = {f"{x!r:.20} of {n!r:.20}": lambda x=x, n=n: tm.interval(x, n) for x, n in counts}
    for name in ("exact", None):
        calls[f"method={name!r}"] = lambda name=name: tm.interval(1, 2, method=name)
    for level in (95, 99.5, 1, 0, math.nan, "0.95"):
        calls[f"confidence_level={level!r}"] = lambda level=level: tm.interval(1, 2, confidence_level=level)
    calls["another level"] = lambda: tm.interval(1, 2).interval(99)
    trials = [(-1, 0.5), (2.5, 0.5), (True, 0.5), (5, 1.5), (5, -0.1), (5, math.nan), (0.5, 50), ("5", 0.5)]
    calls |= {f"binomial {n!r}, {p!r}": lambda n=n, p=p: tm.binomial(n, p) for n, p in trials}
    five = tm.binomial(5, 0.5)
    for k in ("2", None, math.nan, [1, math.nan], [True], ["a", "b"]):
        calls |= {f"pmf of {k!r}": lambda k=k: five.pmf(k), f"cdf of {k!r}": lambda k=k: five.cdf(k)}
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"OptionError"}
    assert all("\n" not in text for text in refused.values())
    snapshot("errors_of_intervals", refused)
