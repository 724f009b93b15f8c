"""Models on many data sets: Wilcoxon, sign, Friedman, Nemenyi and pairs of mean ranks, against scipy."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tallymark as tm

wilcoxon, sign, friedman = tm.tests.wilcoxon, tm.tests.sign, tm.tests.friedman
nemenyi, post_hoc = tm.tests.nemenyi, tm.tests.post_hoc
SIDES = ("two-sided", "greater", "less")
THEIRS = {"drop": "wilcox", "split": "zsplit", "pratt": "pratt"}
whole = st.lists(st.integers(-6, 6), min_size=1, max_size=10)


def columns(n: int, decimals: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(0.2, 1, n), decimals), np.round(rng.normal(0, 1, n), decimals)


# --- Wilcoxon --------------------------------------------------------------------------------


def test_wilcoxon_is_scipys() -> None:
    wrong = []
    for n, side in itertools.product([1, 2, 7, 25, 50, 51, 300], SIDES):
        a, b = columns(n, 12)
        found, theirs = (test(a, b, alternative=side) for test in (wilcoxon, stats.wilcoxon))
        if found.statistic != theirs.statistic or found.p_value != pytest.approx(theirs.pvalue, rel=1e-9):
            wrong.append((n, side))
    a, b = columns(40, 1)
    assert (a == b).any()
    for side, zeros, correction in itertools.product(SIDES, THEIRS, ("none", "continuity")):
        found = wilcoxon(a, b, method="approx", zeros=zeros, correction=correction, alternative=side)
        asked = {"zero_method": THEIRS[zeros], "correction": correction == "continuity"}
        theirs = stats.wilcoxon(np.round(a - b, 9), method="asymptotic", alternative=side, **asked)
        if found.statistic != theirs.statistic or found.p_value != pytest.approx(theirs.pvalue, rel=1e-9):
            wrong.append((side, zeros, correction))
    assert not wrong


@given(whole, st.sampled_from(sorted(THEIRS)), st.sampled_from(SIDES))
def test_tied_ranks_are_counted_out(d, zeros, side):
    """All signs of the differences that are not 0, one by one."""
    there = np.array([each for each in d if each or zeros != "drop"])
    ranks = stats.rankdata(np.abs(there))[there != 0]
    seen = ranks[there[there != 0] > 0].sum()
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(ranks))])
    below, above = np.mean(sums <= seen), np.mean(sums >= seen)
    p = {"greater": above, "less": below, "two-sided": min(1, 2 * min(below, above))}[side]
    assert wilcoxon(d, [0] * len(d), zeros=zeros, alternative=side).p_value == pytest.approx(p)


def test_wilcoxon_by_hand() -> None:
    # Differences 2, -1, 4 and two zeros; ranks 2, 1, 3.
    a, b = [3, 1, 5, 2, 2], [1, 2, 1, 2, 2]
    found = wilcoxon(a, b)
    assert found.counts == {"data_sets": 5, "n": 3, "zeros": 2, "w_plus": 5.0, "w_minus": 1.0}
    assert (found.statistic, wilcoxon(a, b, alternative="greater").statistic) == (1, 5)
    # Zeros share ranks 1 and 2, so 2, -1, 4 rank 4, 3, 5; halved they add 1.5 to both sums.
    pratt, split = (wilcoxon(a, b, zeros=zeros) for zeros in ("pratt", "split"))
    assert (pratt.counts["w_plus"], pratt.counts["w_minus"]) == (9, 3)
    assert (split.counts["w_plus"], split.counts["w_minus"]) == (10.5, 4.5)
    # The estimate is the median of the means of two, those with zeros included.
    first, second = np.triu_indices(5)
    d = np.subtract(a, b)
    assert found.value == np.median((d[first] + d[second]) / 2)
    # 0.768 - 0.763 and 0.936 - 0.931 are 0.005 both: ranks 1.5 and 1.5.
    tied = wilcoxon([0.768, 0.931, 0.8], [0.763, 0.936, 0.7]).counts
    assert (tied["w_plus"], tied["w_minus"]) == (4.5, 1.5)
    # Hodges and Lehmann: differences 1, 2, 6 have means of two 1, 1.5, 2, 3.5, 4, 6.
    assert wilcoxon([1, 2, 6], [0, 0, 0]).value == 2.75
    for zeros, method in itertools.product(THEIRS, ("auto", "exact", "approx")):
        same = wilcoxon([0.5, 0.7], [0.5, 0.7], zeros=zeros, method=method)
        assert (same.p_value, same.value) == (1, 0)
        json.dumps(same.to_dict(), allow_nan=False)


def test_the_interval_of_wilcoxon_says_what_the_test_says() -> None:
    # Of the 512 signs of 9 ranks P(W+ <= 5) = 10/512 = 0.020 and P(W+ <= 6) = 14/512 = 0.027, so at 95 % the
    # ends are the 6th of the 45 means from either side.
    d = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 256])
    means = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(d, 2)])
    found = wilcoxon(d, np.zeros(9))
    assert (found.low, found.high) == (means[5], means[-6])
    wrong = []
    for n, seed in itertools.product((6, 12, 50, 80), range(25)):
        found = wilcoxon(*columns(n, 12, seed))
        if (found.p_value <= 0.05) != (found.low > 0 or found.high < 0):
            wrong.append((n, seed))
    assert not wrong


def test_many_data_sets() -> None:
    many = wilcoxon(np.arange(6000.0) + 1, np.zeros(6000))
    assert many.value is None
    assert many.p_value < 1e-12
    assert wilcoxon(np.arange(1, 601.0), np.zeros(600), method="exact").p_value == pytest.approx(0.5**599)


# --- sign test -------------------------------------------------------------------------------


def test_the_sign_test_is_binomial() -> None:
    a, b = columns(30, 1)
    wins, losses = int((a > b).sum()), int((a < b).sum())
    for side in SIDES:
        found = sign(a, b, alternative=side)
        assert found.p_value == pytest.approx(stats.binomtest(wins, wins + losses, alternative=side).pvalue)
        assert found.statistic == wins
    assert found.counts == {"data_sets": 30, "wins": wins, "losses": losses, "ties": 30 - wins - losses}
    # P(at most 1 head in 10) = 11/1024 = 0.011, at most 2: 0.055. So the 2nd from either side.
    found = sign(range(1, 11), [0] * 10)
    assert (found.value, found.low, found.high) == (5.5, 2, 9)
    assert sign([1, 2, 3, 4, 5], [0] * 5).low is None
    assert (sign([1, 2, 3], [1, 2, 3]).p_value, sign([1, 2, 3], [1, 2, 3]).counts["ties"]) == (1, 3)


# --- Friedman --------------------------------------------------------------------------------

PLAIN = np.random.default_rng(0).normal([0, 0.2, 0.9, 1.2], size=(12, 4))
TIED = np.round(PLAIN)


def mean_ranks(table: np.ndarray) -> np.ndarray:
    return stats.rankdata(-table, axis=1).mean(axis=0)


def test_friedman_is_scipys_and_its_formulas() -> None:
    for table in (PLAIN, TIED):
        found, theirs = friedman(table), stats.friedmanchisquare(*table.T)
        assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
        assert found.df == 3
        assert found.counts["ranks"] == pytest.approx(mean_ranks(table).tolist())
    chi2 = 12 * 12 / (4 * 5) * ((mean_ranks(TIED) ** 2).sum() - 4 * 25 / 4)
    assert friedman(TIED, ties="uncorrected").statistic == pytest.approx(chi2)
    assert friedman(TIED).statistic > chi2
    f = 11 * chi2 / (12 * 3 - chi2)
    found = friedman(TIED, "f", ties="uncorrected")
    assert (found.statistic, found.df) == (pytest.approx(f), (3, 33))
    assert found.p_value == pytest.approx(stats.f.sf(f, 3, 33))
    # Two models: the sign test's squared z, 5 wins, 1 loss: (5 - 1)^2 / 6.
    assert friedman([[2, 1]] * 5 + [[1, 2]]).statistic == pytest.approx(16 / 6)


def test_orders_that_never_or_always_repeat() -> None:
    for method in ("chi2", "f"):
        found = friedman([[1, 1, 1]] * 4, method)
        assert (found.statistic, found.p_value) == (0, 1)
        # Noise of floating point has no rank.
        noisy = friedman(np.column_stack([[0.1 + 0.2] * 6, [0.3] * 6]), method)
        assert (noisy.p_value, noisy.counts["ranks"]) == (1, [1.5, 1.5])
    assert friedman([[3e9, 2e9, 1e9], [3e-9, 2e-9, 1e-9]]).counts["ranks"] == [1, 2, 3]
    assert friedman([[1, 2, 3]]).p_value is None
    assert friedman([[1, 2, 3]]).why
    # chi2 = N (k - 1); F has no end. 3! orders, the same four times: (1/6)^3; with two tied, 3 orders.
    assert friedman([[3, 2, 1]] * 4).statistic == pytest.approx(8)
    found = friedman([[3, 2, 1]] * 4, "f")
    assert (found.statistic, found.p_value) == (None, pytest.approx(1 / 6**3))
    assert friedman([[3, 3, 1]] * 4, "f").p_value == pytest.approx(1 / 3**3)
    json.dumps(found.to_dict(), allow_nan=False)


# --- Nemenyi and pairs -----------------------------------------------------------------------


def spread_of_ranks(k: int, n: int) -> float:
    """Standard deviation of one mean rank."""
    return math.sqrt(k * (k + 1) / (12 * n))


def test_nemenyi_has_the_studentized_range_of_scipy() -> None:
    found, ranks = nemenyi(PLAIN), mean_ranks(PLAIN)
    apart = np.abs(ranks[:, None] - ranks) / spread_of_ranks(4, 12)
    assert found.p_values == pytest.approx(stats.studentized_range.sf(apart, 4, np.inf), abs=1e-9)
    assert found.ranks == pytest.approx(tuple(ranks))
    assert found.statistic == pytest.approx(apart.max())
    assert found.p_value == pytest.approx(found.p_values.min(), abs=1e-9)
    assert found.counts == post_hoc(PLAIN).counts == {"data_sets": 12, "models": 4}
    rng = np.random.default_rng(2)
    for k, alpha in itertools.product((2, 3, 5, 10, 30), (0.001, 0.05, 0.5)):
        q = nemenyi(rng.normal(size=(8, k)), alpha).critical_difference / spread_of_ranks(k, 8)
        assert stats.studentized_range.sf(q, k, np.inf) == pytest.approx(alpha, abs=1e-8), (k, alpha)
    # Far out: two values have a range of sqrt(2) |z|, and k reach it in one of k (k - 1) / 2 pairs.
    far = nemenyi([[2, 1, 1.5, 1.2]] * 700).p_values[0, 1]
    q = 3 / spread_of_ranks(4, 700)
    assert far == pytest.approx(6 * 2 * stats.norm.sf(q / math.sqrt(2)), rel=1e-6)


def test_groups_are_the_largest_that_are_not_told_apart() -> None:
    # Ranks 1, 2, 3 over 8 data sets: the critical difference is 2.3437 * sqrt(12 / 48) = 1.172.
    frame = pd.DataFrame({"worst": [1] * 8, "best": [3] * 8, "middle": [2] * 8})
    found = nemenyi(frame)
    assert found.critical_difference == pytest.approx(1.172, abs=5e-4)
    assert found.groups == (("best", "middle"), ("middle", "worst"))
    assert nemenyi(frame.to_numpy()).groups == ((1, 2), (2, 0))
    assert nemenyi(frame[:3]).groups == (("best", "middle"), ("middle", "worst"))
    assert nemenyi(frame[:2]).groups == (("best", "middle", "worst"),)
    assert nemenyi(pd.concat([frame] * 5)).groups == ()
    same = nemenyi([[1, 1, 1]] * 5)
    assert same.groups == ((0, 1, 2),)
    assert (same.p_values == 1).all()
    json.dumps(same.to_dict(), allow_nan=False)
    rng = np.random.default_rng(1)
    for alpha in (0.01, 0.05, 0.2, 0.5) * 4:
        found = nemenyi(rng.normal(size=(10, 6)) + np.arange(6) / 2, alpha)
        ranks, critical = np.array(found.ranks), found.critical_difference
        assert ((found.p_values <= alpha) == (np.abs(ranks[:, None] - ranks) >= critical)).all()
        order = np.argsort(ranks)
        runs = [frozenset(order[i:j].tolist()) for i in range(6) for j in range(i + 2, 7)]
        alike = [run for run in runs if np.ptp(ranks[list(run)]) < critical]
        largest = {run for run in alike if not any(run < other for other in alike)}
        assert {frozenset(group) for group in found.groups} == largest


def test_pairs_of_mean_ranks_and_a_control() -> None:
    found, ranks = post_hoc(PLAIN), mean_ranks(PLAIN)
    assert found.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    z = [(ranks[a] - ranks[b]) / (math.sqrt(2) * spread_of_ranks(4, 12)) for a, b in found.pairs]
    assert found.z == pytest.approx(z)
    assert found.p_values == pytest.approx(2 * stats.norm.sf(np.abs(z)))
    named = post_hoc(pd.DataFrame(PLAIN, columns=["a", "b", "c", "d"]), control="c")
    assert named.pairs == (("c", "a"), ("c", "b"), ("c", "d"))
    assert post_hoc(PLAIN, control=2).z == named.z
    assert named.to_dict()["pairs"] == [["c", "a"], ["c", "b"], ["c", "d"]]
    # A control is a name first, also one that is a number, and then a position.
    numbered = pd.DataFrame(PLAIN[:, :3], columns=[10, 20, 1])
    assert post_hoc(numbered, control=20).pairs == (("20", "10"), ("20", "1"))
    assert post_hoc(numbered, control=1).pairs == (("1", "10"), ("1", "20"))
    assert post_hoc(numbered, control=0).pairs == (("10", "20"), ("10", "1"))
    for test in (nemenyi, post_hoc):
        assert test([[0.9, 0.8, 0.7]]).note
        assert test(PLAIN).note is None
