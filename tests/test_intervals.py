from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import OptionError
from tallymark.intervals import (
    METHODS,
    Interval,
    binomial,
    bounds,
    interval,
    wilson_bounds,
    wilson_steps,
    z_quantile,
)

EXACT = ("clopper_pearson", "mid_p", "jeffreys")
few_examples = settings(max_examples=60, deadline=None)

# Newcombe (1998), Statistics in Medicine 17:857-872, Table I. Methods 1, 3, 4, 5 and 6; a lower Wald limit
# below 0 is printed there as "< 0" and is cut at 0 by us.
NEWCOMBE = {
    "wald": {(81, 263): (0.2522, 0.3638), (15, 148): (0.0527, 0.1500), (0, 20): (0, 0), (1, 29): (0, 0.1009)},
    "wilson": {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    },
    "wilson_cc": {
        (81, 263): (0.2535, 0.3682),
        (15, 148): (0.0598, 0.1644),
        (0, 20): (0, 0.2005),
        (1, 29): (0.0018, 0.1963),
    },
    "clopper_pearson": {
        (81, 263): (0.2527, 0.3676),
        (15, 148): (0.0578, 0.1617),
        (0, 20): (0, 0.1684),
        (1, 29): (0.0009, 0.1776),
    },
    "mid_p": {
        (81, 263): (0.2544, 0.3658),
        (15, 148): (0.0601, 0.1581),
        (0, 20): (0, 0.1391),
        (1, 29): (0.0017, 0.1585),
        # Berry and Armitage (1995), The Statistician 44:417-423, p. 420 (three digits).
        (5, 20): (0.098, 0.470),
    },
}


@pytest.mark.parametrize(
    ("method", "counts", "limits"),
    [(method, counts, limits) for method, rows in NEWCOMBE.items() for counts, limits in rows.items()],
)
def test_published_limits(method, counts, limits):
    digits = 3 if counts == (5, 20) else 4
    result = interval(*counts, method=method)
    assert (round(result.low, digits), round(result.high, digits)) == limits


def test_interval_carries_what_it_was_made_from():
    result = interval(81, 263, method="wilson", confidence_level=0.95)
    assert (result.correct, result.of, result.value) == (81, 263, 81 / 263)
    assert (result.level, result.method, result.assumption) == (0.95, "wilson", "independent rows")
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.low = 0


@pytest.mark.parametrize("method", METHODS)
def test_interval_can_be_asked_again_at_another_level(method):
    result = interval(15, 148, method=method)
    assert result.interval(0.99) == interval(15, 148, method=method, confidence_level=0.99)
    assert dataclasses.replace(result, assumption="one row per patient").interval(0.9).assumption == (
        "one row per patient"
    )
    with pytest.raises(OptionError, match="strictly between 0 and 1, got 99"):
        result.interval(99)


def test_numpy_scalars_are_numbers():
    assert interval(np.int64(81), np.float64(263)) == interval(81, 263)
    assert type(interval(np.int64(81), np.int64(263)).correct) is int


@pytest.mark.parametrize(
    ("arguments", "options", "message", "hint"),
    [
        ((3, 2), {}, "correct must be between 0 and of=2, got 3.", "correct counts some of the rows"),
        ((-1, 2), {}, "correct must be between 0 and of=2, got -1.", "correct counts some of the rows"),
        ((0, 0), {}, "of must be at least 1, got 0.", "an interval needs at least one row."),
        ((0, 0.5), {}, "of must be at least 1, got 0.5.", "an interval needs at least one row."),
        ((1, -5), {}, "of must be at least 1, got -5.", "an interval needs at least one row."),
        ((math.nan, 2), {}, "correct must be finite, got nan.", None),
        ((1, math.inf), {}, "of must be finite, got inf.", None),
        ((1, Fraction(10**400)), {}, "of must be finite, got Fraction(1", None),
        ((1, 10**400), {}, "of must be finite, got 1000", None),
        ((True, 2), {}, "correct must be a number, got True.", "pass one plain number."),
        ((1, np.True_), {}, "of must be a number, got np.True_.", "pass one plain number."),
        (("81", 263), {}, "correct must be a number, got '81'.", "pass one plain number."),
        ((None, 263), {}, "correct must be a number, got None.", "pass one plain number."),
        ((np.ones((2, 2)), 3), {}, "correct must be a number, got array([[1., 1.], [1., 1.]]).", "pass one"),
        ((1, 2), {"method": "exact"}, "mid_p, agresti_coull, jeffreys, wald; got 'exact'.", "for wilson."),
        ((1, 2), {"method": None}, "method must be one of wilson, wilson_cc,", "leave method out"),
        ((1, 2), {"confidence_level": 95}, "strictly between 0 and 1, got 95.", "write 0.95 for 95 %."),
        ((1, 2), {"confidence_level": 99.5}, "got 99.5.", "write 0.995 for 99.5 %."),
        ((1, 2), {"confidence_level": 1}, "strictly between 0 and 1, got 1.", "0.95 is usual."),
        ((1, 2), {"confidence_level": 0}, "strictly between 0 and 1, got 0.", "0.95 is usual."),
        ((1, 2), {"confidence_level": math.nan}, "confidence_level must be finite, got nan.", None),
        ((1, 2), {"confidence_level": "0.95"}, "confidence_level must be a number, got '0.95'.", "pass one"),
    ],
)
def test_bad_arguments_are_refused(arguments, options, message, hint):
    with pytest.raises(OptionError) as raised:
        interval(*arguments, **options)
    assert message in raised.value.message
    assert "\n" not in str(raised.value)
    assert hint is None if raised.value.hint is None else hint in raised.value.hint


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999, 1 - 1e-9])
def test_z_quantile_inverts_the_normal_distribution(level):
    assert math.erf(z_quantile(level) / math.sqrt(2)) == pytest.approx(level, rel=1e-14)
    assert math.erfc(z_quantile(level) / math.sqrt(2)) == pytest.approx(1 - level, rel=1e-12)


def test_wilson_needs_no_scipy():
    code = (
        "import sys; from tallymark.intervals import interval, wilson_steps, wilson_bounds; import numpy;"
        "interval(81, 263).interval(0.9); wilson_steps(80, 100, 0.95); wilson_bounds(numpy.ones(3), 5, 0.95);"
        "sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The ends


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 7, 30, 263, 10**6, 10**15])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_no_dust_at_the_ends(method, n, level):
    assert bounds(0, n, method, level)[0] == 0.0
    assert bounds(n, n, method, level)[1] == 1.0


@pytest.mark.parametrize("n", [1, 5, 20, 1000, 10**9, 10**15])
def test_upper_limits_at_zero_have_closed_forms(n):
    def root(tail):  # the p with (1 - p)^n = tail
        return -math.expm1(math.log(tail) / n)

    z = 1.959963984540054
    assert bounds(0, n, "clopper_pearson", 0.95)[1] == pytest.approx(root(0.025), rel=1e-13)
    assert bounds(0, n, "mid_p", 0.95)[1] == pytest.approx(root(0.05), rel=1e-13)
    assert bounds(0, n, "wilson", 0.95)[1] == pytest.approx(z * z / (n + z * z), rel=1e-14)
    assert bounds(0, n, "wald", 0.95) == (0, 0)


@pytest.mark.parametrize("method", METHODS)
def test_without_rows_there_is_no_interval(method):
    assert all(math.isnan(limit) for limit in bounds(0, 0, method, 0.95))


# Large and tiny numbers


def exact_wilson(successes: float, n: float, level: float) -> tuple[float, float]:
    """The quadratic solved with exact fractions; only the square root is cut, at 80 digits."""
    x, n_, z = Fraction(successes), Fraction(n), Fraction(z_quantile(level))
    square = z**4 / 4 + z**2 * x * (n_ - x) / n_
    root = Fraction(math.isqrt(square.numerator * square.denominator * 10**160), square.denominator * 10**80)
    centre, total = x + z**2 / 2, n_ + z**2
    return float((centre - root) / total), float((centre + root) / total)


@few_examples
@given(
    n=st.one_of(st.integers(1, 100), st.integers(1, 10**15), st.floats(1, 1e15)),
    share=st.one_of(st.floats(0, 1), st.floats(0, 1e-9)),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.999999]),
)
def test_wilson_keeps_its_digits(n, share, level):
    successes = min(share * n, n)
    low, high = exact_wilson(successes, n, level)
    # Below 1e-60 the 80 digits of the root run out, not ours.
    assert bounds(successes, n, "wilson", level) == pytest.approx((low, high), rel=1e-14, abs=1e-60)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_with_1e15_rows_every_method_is_the_normal_interval(method, share):
    # They differ by a few times 1 / n.
    n = 10**15
    half = 1.959963984540054 * math.sqrt(share * (1 - share) / n)
    expected = (share - half, share + half)
    assert bounds(share * n, n, method, 0.95) == pytest.approx(expected, rel=0, abs=2e-14)


@pytest.mark.parametrize("n", [10**7, 10**9, 10**12, 10**15])
def test_one_success_in_very_many_rows(n):
    def at_most_one(p):
        return math.exp(n * math.log1p(-p)) * (1 + n * p / (1 - p))

    low, high = bounds(1, n, "clopper_pearson", 0.95)
    assert low == pytest.approx(-math.expm1(math.log(0.975) / n), rel=1e-12)
    assert at_most_one(high) == pytest.approx(0.025, rel=1e-10)
    low, high = bounds(1, n, "mid_p", 0.95)

    def none(p):
        return math.exp(n * math.log1p(-p))

    assert 1 - (none(low) + at_most_one(low)) / 2 == pytest.approx(0.025, rel=1e-10)
    assert (none(high) + at_most_one(high)) / 2 == pytest.approx(0.025, rel=1e-10)


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("others", [10**9, 10**13])
def test_large_and_very_large_counts_use_two_formulas_that_agree(method, others):
    # Just below and above the count where the expansion takes over the limits grow by 1 / n, no jump.
    below, above = 10**9 - 2, 10**9 + 2
    first, second = (bounds(x, x + others, method, 0.95) for x in (below, above))
    growth = above / (above + others) - below / (below + others)
    for early, late in zip(first, second, strict=True):
        assert late - early == pytest.approx(growth, rel=1e-3)


# Properties


@st.composite
def whole_counts(draw, largest=10**6):
    n = draw(st.integers(1, largest))
    return draw(st.integers(0, n)), n


@st.composite
def fractional_counts(draw):
    n = draw(st.floats(1, 1e4))
    return draw(st.integers(0, 1024)) / 1024 * n, n


levels = st.floats(0.5, 0.9999)
methods = st.sampled_from(METHODS)


@few_examples
@given(st.one_of(whole_counts(), fractional_counts()), methods, levels)
def test_limits_are_ordered_and_inside_zero_and_one(counts, method, level):
    low, high = bounds(*counts, method, level)
    assert 0 <= low <= high <= 1


@few_examples
@given(st.one_of(whole_counts(), fractional_counts()), methods, levels)
def test_failures_mirror_successes(counts, method, level):
    successes, n = counts
    low, high = bounds(successes, n, method, level)
    assert bounds(n - successes, n, method, level) == pytest.approx((1 - high, 1 - low), rel=0, abs=1e-12)


@few_examples
@given(whole_counts(), methods, levels)
def test_the_interval_contains_the_value(counts, method, level):
    result = interval(*counts, method=method, confidence_level=level)
    assert result.low <= result.value <= result.high


@few_examples
@given(whole_counts(), methods, levels, levels)
def test_a_higher_level_contains_the_lower_one(counts, method, one, other):
    narrow = bounds(*counts, method, min(one, other))
    wide = bounds(*counts, method, max(one, other))
    assert wide[0] <= narrow[0] + 1e-14
    assert narrow[1] <= wide[1] + 1e-14


@few_examples
@given(whole_counts(largest=10**4), st.integers(2, 100), methods, levels)
def test_less_data_is_wider(counts, times, method, level):
    successes, n = counts
    low, high = bounds(successes, n, method, level)
    low_more, high_more = bounds(successes * times, n * times, method, level)
    assert high_more - low_more <= high - low + 1e-14
    if 0 < successes < n and (low, high) != (0, 1):  # Wald can fill the whole range with both
        assert high_more - low_more < high - low


@few_examples
@given(whole_counts(), levels)
def test_order_of_the_methods(counts, level):
    # Brown, Cai and DasGupta (2001), sections 3 and 4: Agresti-Coull contains Wilson and shares its centre;
    # Jeffreys lies inside Clopper-Pearson. Mid-p and the corrected interval follow from their definitions.
    def inside(inner, outer):
        inner, outer = bounds(*counts, inner, level), bounds(*counts, outer, level)
        return outer[0] - 1e-12 <= inner[0] and inner[1] <= outer[1] + 1e-12

    assert inside("wilson", "agresti_coull")
    assert inside("jeffreys", "clopper_pearson")
    assert inside("mid_p", "clopper_pearson")
    assert inside("wilson", "wilson_cc")


def test_wilson_and_agresti_coull_share_their_centre():
    for method in ("wilson", "agresti_coull"):
        assert sum(bounds(30, 100, method, 0.95)) / 2 == pytest.approx(
            (30 + 1.959963984540054**2 / 2) / (100 + 1.959963984540054**2), rel=1e-14
        )


# Arrays


def test_wilson_bounds_of_arrays_are_the_scalar_ones():
    random = np.random.default_rng(7)
    n = random.integers(1, 2000, 300)
    successes = random.integers(0, n + 1)
    low, high = wilson_bounds(successes, n, 0.9)
    expected = np.array([bounds(int(x), int(of), "wilson", 0.9) for x, of in zip(successes, n, strict=True)])
    np.testing.assert_allclose(np.stack([low, high], axis=1), expected, rtol=1e-14)
    assert np.all(low[successes == 0] == 0)
    assert np.all(high[successes == n] == 1)


def test_wilson_bounds_without_rows_are_nan():
    low, high = wilson_bounds(np.array([0, 3]), np.array([0, 10]), 0.95)
    assert np.isnan([low[0], high[0]]).all()
    assert (low[1], high[1]) == pytest.approx(wilson_bounds(3, 10, 0.95), rel=1e-15)
    assert all(math.isnan(limit) for limit in wilson_bounds(0, 0, 0.95))


def test_wilson_bounds_broadcast():
    low, high = wilson_bounds(np.array([0.0, 5.0, 10.0]), 10, 0.95)
    other_low, other_high = wilson_bounds(5, np.array([10, 20]), 0.95)
    assert low.shape == high.shape == (3,)
    assert (low[1], high[1]) == (other_low[0], other_high[0])


# Exact coverage: the probability of the counts whose interval contains p, nothing simulated


def exact_coverage(method: str, n: int, p: float) -> float:
    limits = [bounds(x, n, method, 0.95) for x in range(n + 1)]
    return math.fsum(
        math.comb(n, x) * p**x * (1 - p) ** (n - x)
        for x, (low, high) in enumerate(limits)
        if low <= p <= high
    )


@pytest.mark.parametrize(
    ("n", "p", "coverage"),
    [
        (17, 0.5, 0.951),
        (40, 0.5, 0.919),
        (30, 0.2, 0.946),
        (98, 0.2, 0.928),
        (591, 0.005, 0.945),
        (592, 0.005, 0.792),
    ],
)
def test_wald_coverage_is_as_erratic_as_published(n, p, coverage):
    # Brown, Cai and DasGupta (2001), section 2: more rows can make it worse.
    assert round(exact_coverage("wald", n, p), 3) == coverage


def test_wilson_dips_near_zero_as_published():
    # The same paper, section 4: just below 0.1765 / n only a count of 0 covers p, with probability 0.838.
    assert exact_coverage("wilson", 1000, 0.1764 / 1000) == pytest.approx(0.838, abs=5e-4)
    assert 1000 * bounds(1, 1000, "wilson", 0.95)[0] == pytest.approx(0.1765, abs=5e-4)


GRID = np.linspace(0.05, 0.95, 91)


@pytest.mark.parametrize("n", [10, 30, 50, 100])
def test_exact_coverage_is_as_promised(n):
    def over_grid(method):
        limits = np.array([bounds(x, n, method, 0.95) for x in range(n + 1)])
        covered = (limits[:, :1] <= GRID) & (limits[:, 1:] >= GRID)
        probability = np.array([binomial(n, p).pmf(np.arange(n + 1)) for p in GRID]).T
        return (covered * probability).sum(axis=0)

    assert over_grid("clopper_pearson").min() >= 0.95
    assert 0.94 <= over_grid("wilson").mean() <= 0.96
    assert over_grid("mid_p").mean() >= 0.945
    if n == 10:
        assert over_grid("wald").mean() < 0.93


# Binomial


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (50, 0.5), (200, 0.03), (500, 0.9)])
def test_binomial_is_the_counted_one(n, p):
    exact = [math.comb(n, k) * Fraction(p) ** k * (1 - Fraction(p)) ** (n - k) for k in range(n + 1)]
    distribution = binomial(n, p)
    expected = np.array([float(probability) for probability in exact])
    np.testing.assert_allclose(distribution.pmf(np.arange(n + 1)), expected, rtol=1e-12, atol=1e-300)
    cumulated = [float(sum(exact[: k + 1])) for k in range(0, n + 1, max(1, n // 10))]
    np.testing.assert_allclose(
        distribution.cdf(range(0, n + 1, max(1, n // 10))), cumulated, rtol=1e-11, atol=1e-300
    )
    assert distribution.mean == pytest.approx(float(sum(k * q for k, q in enumerate(exact))), rel=1e-14)
    assert distribution.variance == pytest.approx(n * p * (1 - p), rel=1e-14)


def test_pmf_of_a_fair_coin_thrown_very_often():
    # comb(n, n / 2) / 2^n = sqrt(2 / (pi n)) (1 - 1 / (4 n) + ...)
    for n in (10**6, 10**9, 10**12, 10**15):
        expected = math.sqrt(2 / (math.pi * n)) * (1 - 1 / (4 * n))
        assert binomial(n, 0.5).pmf(n // 2) == pytest.approx(expected, rel=1e-12)


@few_examples
@given(st.integers(10, 10**12), st.floats(0.001, 0.999), st.floats(-6, 6))
def test_neighbouring_probabilities_have_the_exact_ratio(n, p, deviations):
    k = min(max(round(n * p + deviations * math.sqrt(n * p * (1 - p))), 0), n - 1)
    distribution = binomial(n, p)
    here, after = distribution.pmf(k), distribution.pmf(k + 1)
    ratio = float(Fraction(n - k, k + 1) * Fraction(p) / (1 - Fraction(p)))
    assert after == pytest.approx(here * ratio, rel=2e-12)


def test_rare_events_are_poisson():
    # n p (1 - p)^(n - 1), by hand
    n, p = 10**15, 2.5e-15
    assert binomial(n, p).pmf(1) == pytest.approx(n * p * math.exp((n - 1) * math.log1p(-p)), rel=1e-13)


@pytest.mark.parametrize(
    ("n", "p", "k", "pmf", "cdf"),
    [
        (5, 0.5, -1, 0, 0),
        (5, 0.5, 6, 0, 1),
        (5, 0.5, 2.5, 0, 0.5),
        (5, 0.5, 5, 1 / 32, 1),
        (5, 0.0, 0, 1, 1),
        (5, 0.0, 1, 0, 1),
        (5, 0.0, 5, 0, 1),
        (5, 1.0, 5, 1, 1),
        (5, 1.0, 4, 0, 0),
        (5, 1.0, 0, 0, 0),
        (0, 0.3, 0, 1, 1),
        (0, 1.0, 0, 1, 1),
        (5, 0.5, math.inf, 0, 1),
        (5, 0.5, -math.inf, 0, 0),
    ],
)
def test_binomial_at_its_edges(n, p, k, pmf, cdf):
    assert binomial(n, p).pmf(k) == pytest.approx(pmf, rel=1e-14)
    assert binomial(n, p).cdf(k) == pytest.approx(cdf, rel=1e-14)


def test_binomial_answers_in_the_shape_it_was_asked():
    distribution = binomial(4.0, 0.5)
    assert distribution.n == 4
    assert type(distribution.n) is int
    assert type(distribution.pmf(2)) is float
    assert type(distribution.cdf(np.int64(2))) is float
    assert distribution.pmf([[0, 1], [2, 3]]) == pytest.approx(np.array([[1, 4], [6, 4]]) / 16)
    assert distribution.pmf([]).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0.5), "n must be a whole number of trials, 0 or more, got -1."),
        ((2.5, 0.5), "n must be a whole number of trials, 0 or more, got 2.5."),
        ((True, 0.5), "n must be a number, got True."),
        ((5, 1.5), "p must be a probability between 0 and 1, got 1.5."),
        ((5, -0.1), "p must be a probability between 0 and 1, got -0.1."),
        ((5, math.nan), "p must be finite, got nan."),
        ((0.5, 50), "n must be a whole number of trials, 0 or more, got 0.5."),
        (("5", 0.5), "n must be a number, got '5'."),
    ],
)
def test_bad_binomials_are_refused(arguments, message):
    with pytest.raises(OptionError) as raised:
        binomial(*arguments)
    assert raised.value.message == message


@pytest.mark.parametrize("k", ["2", None, math.nan, [1, math.nan], [True], ["a", "b"]])
def test_bad_counts_are_refused(k):
    for function in (binomial(5, 0.5).pmf, binomial(5, 0.5).cdf):
        with pytest.raises(OptionError, match="k must be a number or an array of numbers, got"):
            function(k)


# Step by step


def test_wilson_steps_of_the_textbook_example():
    # z = 1.96, z^2 = 3.8415; (160 + 3.8415) / 207.683 = 0.7889; 1.96 sqrt(67.8415) = 16.143;
    # 16.143 / 207.683 = 0.07773
    plain = [text for text, _ in wilson_steps(80, 100, 0.95)]
    assert plain == [
        "low, high = (2 N acc + z^2 -+ z sqrt(z^2 + 4 N acc - 4 N acc^2)) / (2 (N + z^2))",
        "N = 100, acc = 80 / 100 = 0.8, z = 1.96 for a confidence level of 0.95",
        "centre = (2 N acc + z^2) / (2 (N + z^2)) = (160 + 3.8415) / (2 * 103.84) = 0.788902",
        "root = z sqrt(z^2 + 4 N acc - 4 N acc^2) = 1.96 * sqrt(3.8415 + 320 - 256) = 16.143",
        "half = root / (2 (N + z^2)) = 16.143 / (2 * 103.84) = 0.077731",
        "low = centre - half = 0.788902 - 0.077731 = 0.71117",
        "high = centre + half = 0.788902 + 0.077731 = 0.86663",
    ]


def test_wilson_steps_in_latex():
    formulas = [formula for _, formula in wilson_steps(80, 100, 0.95)]
    assert formulas[0] == (
        r"\text{low}, \text{high} = \frac{2 N\,\mathit{acc} + z^2 \mp"
        r" z \sqrt{z^2 + 4 N\,\mathit{acc} - 4 N\,\mathit{acc}^2}}{2 (N + z^2)}"
    )
    assert formulas[1].startswith(r"N = 100, \quad \mathit{acc} = \frac{80}{100} = 0.8, \quad z = 1.96")
    assert formulas[-1] == r"\text{high} = \text{centre} + \text{half} = 0.788902 + 0.077731 = 0.86663"


@few_examples
@given(whole_counts(largest=10**12), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_steps_show_what_the_interval_is(counts, level):
    steps = wilson_steps(*counts, level)
    result: Interval = interval(*counts, confidence_level=level)
    shown = [float(text.rpartition("= ")[2]) for text, _ in steps[2:]]
    centre, _, half, low, high = shown
    width = result.high - result.low
    assert (low, high) == pytest.approx((result.low, result.high), rel=0, abs=width / 1000)
    assert (centre - half, centre + half) == pytest.approx((low, high), rel=0, abs=width / 1000)
    for _, formula in steps:
        assert formula.count("{") == formula.count("}")
        assert "e-" not in formula
        assert "e+" not in formula


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((999_999, 1_000_000), "N = 1000000, acc = 999999 / 1000000 = 0.999999, z = 1.96"),
        ((0, 20), "N = 20, acc = 0 / 20 = 0, z = 1.96"),
        ((3.5, 7.25), "N = 7.25, acc = 3.5 / 7.25 = 0.4828, z = 1.96"),
    ],
)
def test_wilson_steps_write_numbers_as_people_do(counts, shown):
    assert wilson_steps(*counts, 0.95)[1][0].startswith(shown)


def test_wilson_steps_check_their_arguments():
    with pytest.raises(OptionError, match="correct must be between 0 and of=2, got 3"):
        wilson_steps(3, 2, 0.95)
