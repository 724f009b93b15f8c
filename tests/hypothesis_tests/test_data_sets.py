"""Wilcoxon's signed ranks and the sign test, against scipy, plain enumeration and arithmetic."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tallymark.errors import OptionError, ShapeError
from tallymark.tests.data_sets import average_ranks, sign, wilcoxon

ALTERNATIVES = ("two-sided", "greater", "less")
THEIRS = {"drop": "wilcox", "split": "zsplit", "pratt": "pratt"}
whole = st.lists(st.integers(-6, 6), min_size=1, max_size=10)


def columns(n: int, decimals: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(0.2, 1, n), decimals), np.round(rng.normal(0, 1, n), decimals)


# --- Wilcoxon -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 2, 7, 25, 50, 51, 300])
def test_without_ties_it_is_scipys(n, alternative):
    a, b = columns(n, 12)
    found = wilcoxon(a, b, alternative=alternative)
    theirs = stats.wilcoxon(a, b, alternative=alternative, correction=False)
    assert found.statistic == theirs.statistic
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", THEIRS)
@pytest.mark.parametrize("correction", ["none", "continuity"])
def test_the_normal_approximation_is_scipys(alternative, zeros, correction):
    a, b = columns(40, 1)
    assert (a == b).any()
    options = {"method": "approx", "zeros": zeros, "correction": correction, "alternative": alternative}
    found = wilcoxon(a, b, **options)
    d = np.round(a - b, 9)
    theirs = stats.wilcoxon(d, method="asymptotic", zero_method=THEIRS[zeros], alternative=alternative,
                            correction=correction == "continuity")  # fmt: skip
    assert found.statistic == theirs.statistic
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


def by_enumeration(d: np.ndarray, zeros: str, alternative: str) -> float:
    """All signs of the differences that are not 0, one by one."""
    kept = d[d != 0] if zeros == "drop" else d
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    seen = ranks[kept[kept != 0] > 0].sum()
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(ranks))])
    below, above = np.mean(sums <= seen), np.mean(sums >= seen)
    return {"greater": above, "less": below, "two-sided": min(1, 2 * min(below, above))}[alternative]


@settings(max_examples=60, deadline=None)
@given(whole, st.sampled_from(sorted(THEIRS)), st.sampled_from(ALTERNATIVES))
def test_tied_ranks_are_counted_out(d, zeros, alternative):
    found = wilcoxon(d, [0] * len(d), zeros=zeros, alternative=alternative)
    assert found.p_value == pytest.approx(by_enumeration(np.array(d), zeros, alternative))


def test_scipys_permutations_of_tied_ranks():
    a, b = columns(12, 1, seed=2)
    d = np.round(a - b, 9)
    for zeros, theirs in THEIRS.items():
        expected = stats.wilcoxon(d, zero_method=theirs)
        assert wilcoxon(a, b, zeros=zeros).p_value == pytest.approx(expected.pvalue)


def test_differences_that_only_floating_point_tells_apart():
    # 0.768 - 0.763 and 0.936 - 0.931 are 0.005 both: ranks 1.5 and 1.5.
    found = wilcoxon([0.768, 0.931, 0.8], [0.763, 0.936, 0.7])
    assert found.counts["w_plus"] == 4.5
    assert found.counts["w_minus"] == 1.5


def test_what_the_counts_say():
    found = wilcoxon([3, 1, 5, 2, 2], [1, 2, 1, 2, 2])
    # Differences 2, -1, 4 and two zeros; ranks 2, 1, 3.
    assert found.counts == {"data_sets": 5, "n": 3, "zeros": 2, "w_plus": 5.0, "w_minus": 1.0}
    assert found.statistic == 1
    assert wilcoxon([3, 1, 5, 2, 2], [1, 2, 1, 2, 2], alternative="greater").statistic == 5
    # Zeros share ranks 1 and 2, so 2, -1, 4 rank 4, 3, 5; halved they add 1.5 to both sums.
    pratt = wilcoxon([3, 1, 5, 2, 2], [1, 2, 1, 2, 2], zeros="pratt").counts
    split = wilcoxon([3, 1, 5, 2, 2], [1, 2, 1, 2, 2], zeros="split").counts
    assert (pratt["w_plus"], pratt["w_minus"]) == (9, 3)
    assert (split["w_plus"], split["w_minus"]) == (10.5, 4.5)


@pytest.mark.parametrize("zeros", THEIRS)
@pytest.mark.parametrize("method", ["auto", "exact", "approx"])
def test_models_that_never_differ(zeros, method):
    found = wilcoxon([0.5, 0.7], [0.5, 0.7], zeros=zeros, method=method)
    assert found.p_value == 1
    assert found.value == 0
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_estimate_of_hodges_and_lehmann():
    # Differences 1, 2, 6: means of two are 1, 1.5, 2, 3.5, 4, 6.
    assert wilcoxon([1, 2, 6], [0, 0, 0]).value == 2.75
    assert wilcoxon([1, 2, 6], [0, 0, 0]).note == "no interval: 3 data sets are too few for 95 %"


def test_the_interval_is_of_ordered_means():
    # Of the 512 signs of 9 ranks 1, 1, 1, 2, 2, 3, 4 have sums of 0 to 6: P(W+ <= 5) = 10/512 = 0.020 and
    # P(W+ <= 6) = 14/512 = 0.027, so at 95 % the ends are the 6th of the 45 means from either side.
    d = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 256])
    means = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(d, 2)])
    found = wilcoxon(d, np.zeros(9))
    assert (found.low, found.high) == (means[5], means[-6])


@pytest.mark.parametrize("n", [6, 12, 50, 80])
def test_the_interval_says_what_the_test_says(n):
    for seed in range(60):
        a, b = columns(n, 12, seed)
        found = wilcoxon(a, b)
        assert (found.p_value <= 0.05) == (found.low > 0 or found.high < 0)


def test_beyond_what_is_counted():
    a, b = np.arange(1, 1102.0), np.zeros(1101)
    with pytest.raises(OptionError, match=r'up to 1,000 differences; got 1,101. Hint: method="approx"'):
        wilcoxon(a, b, method="exact")
    many = wilcoxon(np.arange(6000.0) + 1, np.zeros(6000))
    assert many.value is None
    assert many.p_value < 1e-12
    assert wilcoxon(a[:600], b[:600], method="exact").p_value == pytest.approx(0.5**599)


@pytest.mark.parametrize(("name", "given"), [("zeros", "keep"), ("method", "fast"), ("correction", True)])
def test_options(name, given):
    with pytest.raises(OptionError, match=f"{name} must be one of .*; got {given!r}"):
        wilcoxon([1, 2], [2, 1], **{name: given})


def test_lengths():
    with pytest.raises(ShapeError, match="they belong together data set by data set"):
        wilcoxon([1, 2], [1])


# --- sign test ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_sign_test_is_binomial(alternative):
    a, b = columns(30, 1)
    found = sign(a, b, alternative=alternative)
    wins, losses = int((a > b).sum()), int((a < b).sum())
    assert found.p_value == pytest.approx(
        stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
    )
    assert found.statistic == wins
    assert found.counts == {"data_sets": 30, "wins": wins, "losses": losses, "ties": 30 - wins - losses}


def test_the_median_and_its_interval():
    # P(at most 1 head in 10) = 11/1024 = 0.011, at most 2: 0.055. So the 2nd from either side.
    found = sign(range(1, 11), [0] * 10)
    assert (found.value, found.low, found.high) == (5.5, 2, 9)
    assert sign([1, 2, 3, 4, 5], [0] * 5).note == "no interval: 5 data sets are too few for 95 %"


def test_a_sign_test_of_ties():
    found = sign([1, 2, 3], [1, 2, 3])
    assert found.p_value == 1
    assert found.counts["ties"] == 3


def test_ranks_are_scipys():
    values = np.random.default_rng(0).integers(0, 10, 50).astype(float)
    assert average_ranks(values) == pytest.approx(stats.rankdata(values))
