"""When a permutation test may stop: the boundaries, how rarely they mislead, and that p stays exact."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice, product

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tallymark.validation.permutation.stopping import (
    RISK,
    Rule,
    looks,
    outcomes,
    p_of,
    share_interval,
    stopped,
)

NEVER = 1e-300
"""A risk so small that no test stops."""


@cache
def boundaries(rule):
    """After each of the permutations, the largest number that stops low and the smallest that stops high."""
    found = islice(looks(rule.alpha, rule.risk), rule.most)
    return [(look.first + look.low - 1, look.first + look.high) for look in found]


def ends(rule, chance):
    """Of every outcome (n, b) its chance, when the next permutation is as good with `chance(b, n)`.

    Written without the code under test, but for where it stops.
    """
    alive, found = {0: 1.0}, {}
    for n, (low, high) in enumerate(boundaries(rule), 1):
        after = {}
        for b, ways in alive.items():
            as_good = chance(b, n - 1)
            after[b] = after.get(b, 0.0) + ways * (1 - as_good)
            after[b + 1] = after.get(b + 1, 0.0) + ways * as_good
        out = {b: ways for b, ways in after.items() if b <= low or b >= high or n == rule.most}
        found.update({(n, b): ways for b, ways in out.items()})
        alive = {b: ways for b, ways in after.items() if b not in out}
    return found


def urn(b, n):
    """Of n + 2 equally likely ranks of the next one, b + 1 are at least as good as the real classes."""
    return (b + 1) / (n + 2)


def side(rule, n, b):
    low, high = boundaries(rule)[n - 1]
    return "low" if b <= low else "high" if b >= high else None


# --- the boundaries ------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 2)], ids=["1 of 20", "1 of 2"])
def test_boundaries_are_the_farthest_that_the_risk_allows(alpha):
    # Gandy's definition, by all 2^10 ways and exact fractions; the risk is large, so that many stop.
    risk, most = Fraction(1, 2), 10
    rule = Rule(most, float(1 - alpha), float(risk))
    ways = list(product((0, 1), repeat=most))
    weight = {way: alpha ** sum(way) * (1 - alpha) ** (most - sum(way)) for way in ways}
    spent = {"low": Fraction(0), "high": Fraction(0)}
    for n, (low, high) in enumerate(boundaries(rule), 1):
        may = risk * n / (1000 + n)
        counts = {}
        for way in ways:
            counts[sum(way[:n])] = counts.get(sum(way[:n]), Fraction(0)) + weight[way]
        best_low, best_high = -1, n + 1
        for b in range(n + 1):
            if spent["low"] + sum(chance for at, chance in counts.items() if at <= b) <= may:
                best_low = b
        for b in range(n, -1, -1):
            if spent["high"] + sum(chance for at, chance in counts.items() if at >= b) <= may:
                best_high = b
        # Numbers that no way leads to any more are outside of either.
        reached = sorted(counts)
        assert [b for b in reached if b <= low] == [b for b in reached if b <= best_low]
        assert [b for b in reached if b >= high] == [b for b in reached if b >= best_high]
        spent["low"] += sum(chance for b, chance in counts.items() if b <= low)
        spent["high"] += sum(chance for b, chance in counts.items() if b >= high)
        ways = [way for way in ways if low < sum(way[:n]) < high]
    assert spent["high"] > 0
    assert (spent["low"] > 0) == (alpha == Fraction(1, 2))


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.1])
def test_a_test_without_any_as_good_stops_when_that_is_unlikely_enough(alpha):
    # Before that, nothing can stop low; (1 - alpha)^n is the chance of none in n.
    first = next(n for n in range(1, 2000) if (1 - alpha) ** n <= RISK * n / (1000 + n))
    assert alpha != 0.05 or first == 173
    found = boundaries(Rule(first, 1 - alpha))
    assert [low for low, _ in found] == [-1] * (first - 1) + [0]


def test_five_of_five_stop_high():
    # 0.05^4 = 6.3e-6 is more than 0.001 * 4 / 1004 = 4.0e-6; 0.05^5 = 3.1e-7 is less than 5.0e-6.
    rule = Rule(5, 0.95)
    assert [side(rule, n, n) for n in range(1, 6)] == [None, None, None, None, "high"]
    assert stopped(rule, 5, 5).side == "high"
    assert stopped(rule, 4, 4) is None
    assert side(rule, 5, 4) is None


def test_boundaries_move_by_one_step_at_most():
    found = np.array(boundaries(Rule(3000, 0.95)))
    assert np.isin(np.diff(found, axis=0)[5:], (0, 1)).all()
    # They lie on either side of a twentieth, and close in on it.
    low, high = (found[[499, 2999]] / [[500], [3000]]).T
    assert low[0] < low[1] < 0.05 < high[1] < high[0]


# --- the risk ------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.2])
@pytest.mark.parametrize("times", [0.8, 1.0, 1.2])
def test_the_risk_is_kept_on_either_side_of_alpha(alpha, times):
    rule, share = Rule(1000, 1 - alpha), alpha * times
    found = ends(rule, lambda _b, _n: share)
    limits = boundaries(rule)
    low = sum(chance for (n, b), chance in found.items() if b <= limits[n - 1][0])
    high = sum(chance for (n, b), chance in found.items() if b >= limits[n - 1][1])
    assert sum(found.values()) == pytest.approx(1)
    allowed = RISK / 2  # after 1,000
    if times >= 1:
        assert low <= allowed
    if times <= 1:
        assert high <= allowed
    if times == 1:
        # The risk is taken, not left unused.
        assert min(low, high) > allowed / 2


def test_outcomes_have_the_chances_of_a_simulation():
    rule, share, tests = Rule(300, 0.95), 0.12, 4000
    drawn = np.cumsum(np.random.default_rng(3).random((tests, rule.most)) < share, axis=1)
    limits = np.array(boundaries(rule))
    out = (drawn <= limits[:, 0]) | (drawn >= limits[:, 1])
    out[:, -1] = True
    when = out.argmax(axis=1) + 1
    found = outcomes(rule, rule.most)
    chances = found.with_share(share)
    assert chances.sum() == pytest.approx(1)
    assert (chances * found.n).sum() == pytest.approx(when.mean(), abs=4 * when.std() / np.sqrt(tests))
    for n in (50, 100, 200):
        times = int((when <= n).sum())
        assert binomtest(times, tests, chances[found.n <= n].sum()).pvalue > 0.001


# --- p -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 4, 19, 60])
def test_where_nothing_stops_p_is_the_usual_one(m):
    rule = Rule(m, 0.95, NEVER)
    assert [p_of(rule, m, b) for b in range(m + 1)] == [(b + 1) / (m + 1) for b in range(m + 1)]


@pytest.mark.parametrize(("n", "b"), [(16, 0), (40, 4), (100, 3), (173, 0), (5, 5)], ids=str)
def test_p_is_the_usual_one_to_the_last_digit_where_nobody_as_strong_can_have_stopped(n, b):
    # Five of five are the first that stop high, none of 173 the first that stop low.
    assert p_of(Rule(500, 0.95), n, b) == (b + 1) / (n + 1)


def by_fractions(rule, n, b):
    """p without any rounding: stopped low before, or b or fewer of n."""
    alive, low = {0: Fraction(1)}, Fraction(0)
    for at, (most_low, least_high) in enumerate(boundaries(rule)[:n], 1):
        after = {}
        for k, chance in alive.items():
            after[k] = after.get(k, 0) + chance * Fraction(at - k, at + 1)
            after[k + 1] = after.get(k + 1, 0) + chance * Fraction(k + 1, at + 1)
        if at == n:
            return low + sum(chance for k, chance in after.items() if k <= b)
        low += sum(chance for k, chance in after.items() if k <= most_low)
        alive = {k: chance for k, chance in after.items() if most_low < k < least_high}
    raise AssertionError


@pytest.mark.parametrize(("n", "b"), [(10, 6), (40, 6), (100, 9), (220, 9)], ids=str)
def test_elsewhere_p_has_the_digits_that_hold(n, b):
    rule = Rule(300, 0.95)
    exact = by_fractions(rule, n, b)
    assert exact != Fraction(b + 1, n + 1)
    assert p_of(rule, n, b) == float(f"{float(exact):.12g}")


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_the_weakest_outcome_has_a_p_of_1_and_none_has_more(alpha):
    rule = Rule(60, 1 - alpha)
    assert max(p_of(rule, n, b) for n, b in ends(rule, urn)) == 1.0


@pytest.mark.parametrize("most", [30, 220])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_without_a_relation_p_is_as_rarely_small_as_it_says(most, alpha):
    rule = Rule(most, 1 - alpha)
    found = ends(rule, urn)
    assert {side(rule, n, b) for n, b in found} >= {None, "high"}
    every = sorted((p_of(rule, n, b), chance) for (n, b), chance in found.items() if chance > 0)
    p, chance = np.array(every).T
    # Every p is the chance of it or a smaller one: never more, and no power is given away.
    assert np.cumsum(chance) == pytest.approx(p, abs=1e-12)
    assert len(np.unique(p.round(12))) == len(p)


def test_outcomes_are_in_order():
    rule = Rule(220, 0.95)
    found = ends(rule, urn)
    every = sorted(found, key=lambda outcome: p_of(rule, *outcome))
    sides = [side(rule, *outcome) for outcome in every]
    assert sides == sorted(sides, key=["low", None, "high"].index)
    assert set(sides) == {"low", None, "high"}
    low, drawn, high = (
        [each for each, at in zip(every, sides, strict=True) if at == wanted]
        for wanted in ("low", None, "high")
    )
    assert [n for n, _ in low] == sorted(n for n, _ in low)
    assert [b for _, b in drawn] == sorted(b for _, b in drawn)
    assert [n for n, _ in high] == sorted((n for n, _ in high), reverse=True)


def test_p_of_a_test_that_stopped_does_not_depend_on_how_many_were_asked_for():
    for n, b in ((173, 0), (5, 5), (10, 6)):
        assert len({p_of(Rule(most, 0.95), n, b) for most in (200, 5000)}) == 1
    # None of 173: the real classes are the best of 174.
    assert p_of(Rule(500, 0.95), 173, 0) == 1 / 174
    # Five of five are all outcomes that there are.
    assert p_of(Rule(500, 0.95), 5, 5) == 1


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.1])
def test_a_test_that_stops_has_its_p_on_the_side_where_it_stopped(alpha):
    rule = Rule(3000, 1 - alpha)
    found = outcomes(rule, rule.most)
    drawn = np.flatnonzero(found.n == rule.most)
    weakest_low, strongest_high = (
        p_of(rule, found.n[at], found.as_good[at]) for at in (drawn[0] - 1, drawn[-1] + 1)
    )
    assert weakest_low < alpha < strongest_high
    assert (found.as_good[: drawn[0]] / found.n[: drawn[0]] < alpha).all()


def test_ties_make_p_larger_never_smaller():
    # Ties count as at least as good; here every result is one of three, and the real classes one of them too.
    rule = Rule(60, 0.9)
    shares = (0.2, 0.5, 1.0)  # at least as good as the best, the middling, the worst of the three
    chances = {}
    for weight, share in zip((0.2, 0.3, 0.5), shares, strict=True):
        for outcome, chance in ends(rule, lambda _b, _n, share=share: share).items():
            chances[outcome] = chances.get(outcome, 0.0) + weight * chance
    p = {outcome: p_of(rule, *outcome) for outcome in chances}
    for x in sorted(p.values()):
        assert sum(chance for outcome, chance in chances.items() if p[outcome] <= x) <= x + 1e-9


# --- the interval --------------------------------------------------------------------------------


@pytest.mark.parametrize(("b", "m"), [(0, 20), (3, 20), (20, 20), (7, 60)])
def test_where_nothing_stops_the_interval_is_clopper_and_pearsons(b, m):
    expected = binomtest(b, m).proportion_ci(0.9, "exact")
    assert share_interval(Rule(m, 0.95, NEVER), m, b, 0.9) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("share", [0.002, 0.03, 0.05, 0.08, 0.3, 0.8])
def test_the_interval_holds_the_share_as_often_as_it_says(share):
    rule, level = Rule(300, 0.95), 0.9
    found = ends(rule, lambda _b, _n: share)
    missed = {"below": 0.0, "above": 0.0}
    for (n, b), chance in found.items():
        if chance < 1e-9:
            continue
        low, high = share_interval(rule, n, b, level)
        missed["below"] += chance * (share < low)
        missed["above"] += chance * (share > high)
    assert max(missed.values()) <= (1 - level) / 2 + 1e-6


def test_a_test_that_stopped_has_its_interval_on_one_side_of_alpha():
    rule = Rule(300, 0.95)
    assert share_interval(rule, 173, 0, 0.99)[1] < 0.05
    assert share_interval(rule, 173, 0, 0.99)[0] == 0
    assert share_interval(rule, 10, 6, 0.99)[0] > 0.05
    assert share_interval(rule, 5, 5, 0.99)[1] == 1
    # None of 173 was the first chance to stop low: the upper end is that of any 173.
    assert share_interval(rule, 173, 0, 0.95)[1] == pytest.approx(1 - 0.025 ** (1 / 173))
    # Of five that were all as good, it is the lower one.
    assert share_interval(rule, 5, 5, 0.95)[0] == pytest.approx(0.025 ** (1 / 5))


def test_chances_at_alpha_are_binomial_until_something_stops():
    found = outcomes(Rule(4, 0.95), 4)
    assert found.chances == pytest.approx(binom(4, 0.05).pmf(range(5)))
