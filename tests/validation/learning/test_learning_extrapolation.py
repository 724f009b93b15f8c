"""What more data would buy: known laws are found again, doubtful ones refused, bands hold what they say."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import curve_fit
from sklearn.naive_bayes import GaussianNB

from tallymark.errors import OptionError
from tallymark.validation.learning.curve import learning_curve
from tallymark.validation.learning.extrapolation import law_of

FILE = Path(__file__).parents[3] / "benchmarks" / "coverage_learning.py"
_spec = importlib.util.spec_from_file_location("coverage_learning", FILE)
coverage = importlib.util.module_from_spec(_spec)
sys.modules["coverage_learning"] = coverage
_spec.loader.exec_module(coverage)

SIZES = [25, 50, 100, 200, 400, 800]
AT = np.array(SIZES, float)


def repeats(curve, noise=0.002, count=10, seed=0):
    random = np.random.default_rng(seed)
    return curve + noise * random.normal(size=(count, len(curve)))


def law(values, sizes=SIZES, **options):
    return law_of(sizes, values, **{"top": 1.0, "test_by_train": 0.5, **options})


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [(0.95, 1.2, 0.5), (0.8, 3.0, 1.0), (0.9, 0.8, 0.3)],
    ids=["root", "parametric", "slow"],
)
def test_a_power_law_is_found_again(a, b, c):
    found = law(repeats(a - b * AT**-c, 1e-4))
    assert (found.a, found.b, found.c) == pytest.approx((a, b, c), rel=0.1)
    for rows in (1_600, 8_000):
        true = b * 800**-c - b * rows**-c
        gain, error = found.gain(rows)
        assert gain == pytest.approx(true, rel=0.05)
        assert 0 < error < true


def test_as_good_a_fit_as_scipys():
    values = repeats(0.9 - 0.9 * AT**-0.45, 0.003)
    found = law(values)
    # The law is fitted without the smallest third of the sizes, less to those whose values vary more.
    mean, at = values.mean(axis=0)[2:], AT[2:]
    variance = values.var(axis=0, ddof=1)
    sigma = np.sqrt((variance + variance.mean()) / 2)[2:]
    peer, _ = curve_fit(
        lambda n, a, b, c: a - b * n**-c, at, mean, (0.9, 1, 0.5), sigma, bounds=([0, 0, 0.05], [1, 50, 2])
    )

    def error(a, b, c):
        return (((mean - a + b * at**-c) / sigma) ** 2).sum()

    assert error(found.a, found.b, found.c) <= error(*peer) * 1.02


def test_nothing_is_better_than_the_best_possible():
    # Nearly straight in log n: a free asymptote would be far above 1.
    found = law(repeats(0.5 + 0.09 * np.log2(AT / 25) ** 0.9, 1e-4))
    assert found.a <= 1
    gain, _ = found.gain(8_000)
    assert 0.88 < 0.88 + gain <= 1


@pytest.mark.parametrize(
    ("values", "sizes", "said"),
    [
        pytest.param(
            np.full((10, 3), 0.8), [10, 20, 40], "from 4 sizes or more, and there are 3", id="short"
        ),
        pytest.param(np.full((10, 4), 0.8), [10, 12, 15, 20], "too close to each other", id="narrow"),
        pytest.param(repeats(0.9 - AT**-0.5, count=4), SIZES, "from 5 repeats or more, and 4", id="repeats"),
        pytest.param(repeats(np.full(6, 0.8)), SIZES, "which is not clearly above its noise", id="flat"),
        pytest.param(np.full((10, 6), 0.8), SIZES, "by 0.000 (0.000 to 0.000)", id="all equal"),
        pytest.param(
            repeats(0.7 + 0.1 * AT**-0.5), SIZES, "which is not clearly above its noise", id="falling"
        ),
        pytest.param(
            repeats(0.8 - 0.1 * AT**-0.5, 0.2), SIZES, "which is not clearly above its noise", id="noisy"
        ),
        pytest.param(repeats(0.5 + (AT / 1_600) ** 2), SIZES, "gets no flatter", id="steepening"),
        pytest.param(np.full((10, 6), np.nan), SIZES, "and there are 0", id="undefined"),
    ],
)
def test_what_shows_no_law_is_refused_with_the_reason(values, sizes, said):
    found = law(values, sizes)
    assert isinstance(found, str)
    assert said in found


def test_a_curve_that_ends_undefined_is_not_continued():
    values = repeats(0.9 - AT**-0.5)
    values[:, -1] = np.nan
    assert law(values) == "it is undefined at the last size"


def test_sizes_and_repeats_without_a_value_are_left_out():
    values = repeats(0.9 - AT**-0.5)
    with_gaps = values.copy()
    with_gaps[:, 0] = np.nan
    with_gaps[3, 2] = np.nan
    kept = np.delete(values, 3, axis=0)[:, 1:]
    found, expected = law(with_gaps), law(kept, SIZES[1:])
    assert (found.a, found.b, found.c) == (expected.a, expected.b, expected.c)
    assert found.repeats == 9


# --- on a learning curve -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curve():
    random = np.random.default_rng(0)
    y = random.integers(2, size=600)
    return learning_curve(GaussianNB(), random.normal(size=(600, 10)) + 0.4 * y[:, None], y)


def test_the_value_is_the_last_mean_and_the_gain(curve):
    gain, value = curve.gain(800), curve.extrapolate(800)
    assert value.value == pytest.approx(curve.mean[-1] + gain.value)
    assert value.low < gain.low + curve.mean[-1] < gain.high + curve.mean[-1] < value.high <= 1
    assert gain.interval(0.5).high < gain.high
    assert curve.gain(4_000).value > gain.value


def test_an_error_gains_by_falling(curve):
    error = learning_curve(GaussianNB(), curve.data.X, curve.data.y, metric="error_rate")
    assert error.gain(800).value == pytest.approx(curve.gain(800).value, rel=1e-6)
    assert error.extrapolate(800).value == pytest.approx(1 - curve.extrapolate(800).value)
    assert "would lower error_rate by about" in " ".join(str(error).split())


def test_it_is_said_in_a_sentence(curve):
    gain = curve.gain(800)
    text = " ".join(str(curve).split())
    about = f"{gain.value:.3f} accuracy ({gain.low:.3f} to {gain.high:.3f})"
    assert f"Twice the 400 training rows (800) would buy about {about}, ten times (4,000) about" in text
    assert "In brackets a rough band: 95 % is asked of it and no promise." in text


def test_there_is_no_telling_beyond_ten_times_the_rows(curve):
    assert curve.gain(4_001).value is None
    assert "more than 10 times the 400 that were tried" in curve.extrapolate(4_001).why
    with pytest.raises(OptionError, match="400 training rows are not more than the 400 that were tried"):
        curve.extrapolate(400)


def test_a_number_without_a_direction_is_not_continued():
    random = np.random.default_rng(0)
    y = random.integers(2, size=90)
    found = learning_curve(GaussianNB(), random.normal(size=(90, 2)), y, metric="prevalence", n_repeats=5)
    assert found.extrapolate(100).why == "prevalence is better neither when high nor when low"


# --- measured ----------------------------------------------------------------------------------------

DESIGN = replace(next(coverage.designs(quick=True)), sets=150)


def test_bands_hold_the_truth_and_the_plain_interval_does_not():
    # Binomial: of 16 samples, 13 or more hold with a probability of 0.993 where 0.95 do.
    found = coverage.measure(DESIGN, 16)
    assert min(found.coverage(what) for what in ("first", "middle", "last", "x2", "x10")) >= 13 / 16
    assert found.coverage("last, plain") < 0.85
    assert len(found.held["x2"]) >= 12
    assert found.wide("x2") < 0.08


def test_progressive_sampling_seldom_stops_too_soon():
    # True gains of the doublings are 0.046, 0.041, 0.030, 0.019 and 0.012.
    wrong, _ = np.mean(list(coverage.stops(replace(DESIGN, tolerance=0.025), 16)), axis=0)
    assert wrong <= 3 / 16


def test_it_seldom_does_where_all_that_repeats_share_is_left_in_a_gain():
    # Every doubling is worth 0.03. With 0.2 of what is shared, or after one doubling, 20 % or more are wrong:
    # of 40 samples, 3 or fewer then have a probability of 0.03; where 1 % are, more have one of 0.001.
    stable = next(design for design in coverage.designs(quick=True) if design.title == "stable learner")
    wrong, _ = np.mean(list(coverage.stops(replace(stable, sets=150), 40)), axis=0)
    assert wrong <= 3 / 40


def test_a_short_and_noisy_curve_is_not_continued():
    # From 13 to 100 rows it rises by 0.05, give or take 0.06: a fifth of what repeats share let it pass.
    at = np.array([13.0, 25.0, 50.0, 100.0])
    values = repeats(0.72 - 0.35 * at**-0.5, 0.03, seed=5)
    rise = values[:, -1] - values[:, 0]
    half = stats.t.ppf(0.975, 9) * rise.std(ddof=1) * np.sqrt([1 / 10 + 0.2 * 0.5, 1 / 10 + 0.5])
    assert rise.mean() > half[0]
    assert rise.mean() < half[1]
    assert "which is not clearly above its noise" in law(values, at.tolist())
