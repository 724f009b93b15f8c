"""Two models' scores of the same rows: variances against double sums, resampling and peers; no variance."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tallymark.errors import MetricError
from tallymark.inference import Estimate, Ranking
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.gap import Gap, mover
from tallymark.inference.paired_scores.ranked import best_first
from tallymark.inference.sample import ONE_GROUP
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import newcombe_bounds, z_quantile
from tallymark.metrics import ask

Z = z_quantile(0.95)
RANKED = ("auc", "gini", "partial_auc:0.3", "partial_auc_mcclish:0.3", "average_precision")
LOSSES = ("brier", "brier_half", "log_loss")


def rows(n: int = 200, decimals: int | None = None, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Probabilities of two models that are correlated, and the classes."""
    generator = np.random.default_rng(seed)
    positive = generator.random(n) < 0.4
    common = generator.normal(size=n) + positive
    made = [1 / (1 + np.exp(-common - generator.normal(size=n) * noise)) for noise in (0.2, 1.0)]
    return (*(each if decimals is None else np.round(each, decimals) for each in made), positive)


def of(made: PairedRanking, name: str) -> Estimate:
    return made.of(ask(name))


# --- the area --------------------------------------------------------------------------------


def naive_delong(a: NDArray[Any], b: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[float, Any]:
    """DeLong et al. (1988): the difference, and the covariances, from every pair."""
    wins = [
        (s[positive][:, None] > s[~positive]) + 0.5 * (s[positive][:, None] == s[~positive]) for s in (a, b)
    ]
    own, theirs = (np.stack([each.mean(axis=axis) for each in wins]) for axis in (1, 0))
    covariances = np.cov(own) / own.shape[1] + np.cov(theirs) / theirs.shape[1]
    return wins[0].mean() - wins[1].mean(), covariances


@pytest.mark.parametrize("decimals", [None, 2, 1, 0])
def test_delong_is_the_double_sum(decimals):
    a, b, positive = rows(250, decimals)
    made = PairedRanking(a, b, positive)
    found = of(made, "auc")
    value, covariances = naive_delong(a, b, positive)
    variance = covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1]
    assert found.value == pytest.approx(value, abs=1e-14)
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-10)
    half = Z * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx((value - half, value + half))
    assert made.variances(ask("auc")) == pytest.approx(
        (covariances[0, 0], covariances[1, 1], covariances[0, 1]), rel=1e-9
    )
    z, p, freedom = made.tested(ask("auc"))
    assert (z, p) == pytest.approx((value / math.sqrt(variance), 2 * stats.norm.sf(abs(z))))
    assert (found.method, found.n, found.note, freedom) == ("delong", 250, None, None)


def test_gini_is_the_area_twice():
    made = PairedRanking(*rows())
    area, gini = of(made, "auc"), of(made, "gini")
    for part in ("value", "low", "high", "se"):
        assert getattr(gini, part) == pytest.approx(2 * getattr(area, part))


@pytest.mark.parametrize("name", RANKED + LOSSES)
def test_the_difference_is_that_of_the_models(name):
    a, b, positive = rows(150, 2)
    one, two = (Ranking(count_scores(score, positive)) for score in (a, b))
    sides = [(each if name in RANKED else each.losses).of(ask(name)) for each in (one, two)]
    found = of(PairedRanking(a, b, positive, clip=0.0), name)
    assert found.value == float(sides[0]) - float(sides[1])


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("kind", ["rows", "weights", "frequencies", "groups", "both"])
def test_against_a_model_that_says_nothing_the_variance_is_the_other_ones(name, kind):
    a, _, positive = rows(200, 2)
    generator = np.random.default_rng(3)
    weight = {"weights": generator.lognormal(size=200), "frequencies": generator.integers(0, 4, 200)}.get(
        kind, generator.random(200) if kind == "both" else None
    )
    weight_kind = "frequency" if kind == "frequencies" else "sampling"
    group = np.arange(200) % 25 if kind in ("groups", "both") else None
    total = count_scores(a, positive, weight=weight, weight_kind=weight_kind)
    keys = tuple(range(25))
    groups = None if group is None else count_groups(total, a, positive, weight, group, keys)
    alone = Ranking(total, groups=groups).of(ask(name))
    flat = np.full(200, 0.5)
    groups = None if group is None else (25, group)
    made = PairedRanking(a, flat, positive, weight=weight, weight_kind=weight_kind, groups=groups)
    # A constant score has one place: nothing spreads but, in average precision, the number of positives.
    if name == "average_precision":
        assert made.variances(ask(name)).of_a == pytest.approx(alone.se**2)
    else:
        assert of(made, name).se == pytest.approx(alone.se)
    assert of(made, name).n == pytest.approx(alone.n)


@pytest.mark.parametrize("name", RANKED + LOSSES)
@pytest.mark.parametrize("n", [12, 200])
def test_turned_round_everything_changes_its_sign(name, n):
    a, b, positive = rows(n)
    one, two = PairedRanking(a, b, positive), PairedRanking(b, a, positive)
    found, back = of(one, name), of(two, name)
    assert (-back.value, -back.high, -back.low) == pytest.approx((found.value, found.low, found.high))
    assert one.tested(ask(name), "greater").p_value == pytest.approx(
        two.tested(ask(name), "less").p_value, abs=1e-9
    )


@pytest.mark.parametrize("name", RANKED)
def test_standard_errors_are_those_of_resampled_rows(name):
    a, b, positive = rows(400)
    found, generator = of(PairedRanking(a, b, positive), name), np.random.default_rng(5)
    drawn = []
    for _ in range(400):
        at = generator.integers(0, 400, 400)
        drawn.append(float(of(PairedRanking(a[at], b[at], positive[at]), name)))
    assert found.se == pytest.approx(np.std(drawn), rel=0.12)


def test_frequencies_are_rows():
    a, b, positive = rows(120, 2)
    times = np.random.default_rng(1).integers(0, 4, 120)
    repeated = PairedRanking(*(np.repeat(each, times) for each in (a, b, positive)))
    counted = PairedRanking(a, b, positive, weight=times, weight_kind="frequency")
    for name in RANKED + LOSSES:
        one, two = of(repeated, name), of(counted, name)
        assert (two.value, two.low, two.high, two.n) == pytest.approx((one.value, one.low, one.high, one.n))


def test_equal_weights_are_no_weights():
    a, b, positive = rows(150, 2)
    plain, weighted = PairedRanking(a, b, positive), PairedRanking(a, b, positive, weight=np.full(150, 0.37))
    for name in RANKED + LOSSES:
        one, two = of(plain, name), of(weighted, name)
        assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high), abs=1e-9)


def test_rows_repeated_in_groups_are_one_row():
    a, b, positive = rows(60)
    thrice = [np.repeat(each, 3) for each in (a, b, positive)]
    grouped = of(PairedRanking(*thrice, groups=(60, np.repeat(np.arange(60), 3))), "auc")
    plain = of(PairedRanking(a, b, positive), "auc")
    assert grouped.value == pytest.approx(plain.value)
    assert grouped.se == pytest.approx(plain.se, rel=0.02)  # of 60 groups, 59 are free to move
    assert grouped.method == "delong_groups"


# --- no variance, one class, few rows ---------------------------------------------------------


def test_models_that_rank_alike_do_not_differ():
    a, _, positive = rows(100, 2)
    made = PairedRanking(a, np.exp(3 * a), positive)
    for name in RANKED:
        found = of(made, name)
        assert (found.value, found.low, found.high, found.se) == (0, 0, 0, 0)
        for side in ("two-sided", "greater", "less"):
            assert made.tested(ask(name), side) == (0, 1, None)


def test_two_perfect_models_may_still_differ():
    generator, positive = np.random.default_rng(0), np.arange(40) < 20
    made = PairedRanking(*(positive + generator.random((2, 40)) / 2), positive)
    found = of(made, "auc")
    low = newcombe_bounds(1.0, 20, 20, Z)[0]
    assert (found.value, found.low, found.high) == pytest.approx((0, low - 1, 1 - low))
    assert (found.method, made.tested(ask("auc")).p_value) == ("mover", 1)
    assert "no variance" in found.note


def test_a_perfect_model_against_a_constant_one():
    positive = np.arange(40) < 20
    made = PairedRanking(positive * 1.0, np.ones(40), positive)
    found, tested = of(made, "auc"), made.tested(ask("auc"))
    assert found.value == 0.5
    assert 0 < found.low < 0.5 < found.high <= 1
    assert tested.statistic is None
    assert 0 < tested.p_value < 0.001
    # The p-value is where the interval ends at 0.
    assert found.interval(1 - tested.p_value).low == pytest.approx(0, abs=1e-6)
    json.dumps(found.to_dict(), allow_nan=False)


def test_few_rows_give_the_wider_interval_and_the_larger_p_value():
    a, b, positive = rows(14, seed=2)
    made = PairedRanking(a, b, positive)
    found, tested = of(made, "auc"), made.tested(ask("auc"))
    assert "few rows" in found.note
    assert found.high - found.low >= 2 * Z * found.se
    assert tested.p_value >= 2 * stats.norm.sf(abs(tested.statistic)) - 1e-12


@pytest.mark.parametrize("name", RANKED)
def test_one_class_has_no_ranking(name):
    a, b, _ = rows(20)
    found = of(PairedRanking(a, b, np.zeros(20, bool)), name)
    assert (found.value, found.why) == (None, "no row is actually positive (positives = 0)")
    assert PairedRanking(a, b, np.zeros(20, bool)).tested(ask(name)) == (None, None, None)


def test_one_group_has_no_interval():
    made = PairedRanking(*rows(20), groups=(1, np.zeros(20, int)))
    for name in ("auc", "brier"):
        assert of(made, name).note == ONE_GROUP
        assert made.tested(ask(name)).p_value is None


def test_the_largest_distance_has_no_interval():
    found = of(PairedRanking(*rows()), "ks")
    assert found.low is None
    assert "largest over all thresholds" in found.note


def test_other_numbers_are_refused():
    with pytest.raises(MetricError, match="one score per row"):
        of(PairedRanking(*rows()), "recall")


# --- losses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_compared_row_by_row(name):
    a, b, positive = rows(80)
    losses = [
        np.where(positive, -np.log(p), -np.log(1 - p)) if name == "log_loss" else (p - positive) ** 2
        for p in (a, b)
    ]
    peer = stats.ttest_rel(*losses)
    made = PairedRanking(a, b, positive)
    z, p, freedom = made.tested(ask(name))
    assert (z, p, freedom) == pytest.approx((peer.statistic, peer.pvalue, 79))
    ends = peer.confidence_interval(0.95)
    assert (of(made, name).low, of(made, name).high) == pytest.approx((ends.low, ends.high))
    for side in ("greater", "less"):
        assert made.tested(ask(name), side).p_value == pytest.approx(
            stats.ttest_rel(*losses, alternative=side).pvalue
        )


def test_an_infinite_loss_names_the_model():
    a, b, positive = rows(20)
    b[np.flatnonzero(positive)[0]] = 0
    made = PairedRanking(a, b, positive, names=("tree", "forest"))
    assert of(made, "log_loss").why == "forest: infinite: 1 row gave its actual class probability 0"
    assert of(PairedRanking(a, b, positive, clip=1e-6), "log_loss").value is not None
    assert of(PairedRanking(a, b * 3, positive), "brier").why.startswith("b: scores leave [0, 1]")


def test_losses_without_spread():
    positive = np.array([True, False] * 5)
    same = PairedRanking(np.full(10, 0.3), np.full(10, 0.3), positive)
    assert (of(same, "brier").low, of(same, "brier").high, same.tested(ask("brier")).p_value) == (0, 0, 1)
    apart = PairedRanking(np.where(positive, 0.8, 0.2), np.where(positive, 0.6, 0.4), positive)
    assert "differ by the same amount" in of(apart, "brier").note
    assert apart.tested(ask("brier")) == (None, None, None)
    alone = PairedRanking(np.array([0.3]), np.array([0.4]), np.array([True]))
    assert "one row" in of(alone, "brier").note


# --- the parts -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "shape",
    [
        lambda g, n: g.normal(size=n),
        lambda g, n: g.random(n).round(3),
        lambda g, n: g.integers(-3, 4, n) * 1.0,
        lambda g, n: np.exp(40 * g.normal(size=n)),  # all but a few share a place on the grid
        lambda g, n: np.where(g.random(n) < 0.001, 1e6, 0) + g.random(n),
        lambda g, n: np.where(g.random(n) < 0.5, 1e308, -1e308) * g.random(n),
        lambda g, n: np.full(n, g.random()),
        lambda g, n: np.where(g.random(n) < 0.01, 1e306, 0) + g.random(n),
        lambda g, n: g.choice(g.random(7), n) - 3,
    ],
)
def test_the_order_of_many_rows(shape, seed):
    score = shape(np.random.default_rng(seed), 70_001)
    order = best_first(score)
    assert np.array_equal(np.sort(order), np.arange(len(score)))
    assert np.array_equal(score[order], np.sort(score)[::-1])


def test_rows_on_one_place_of_the_grid_are_put_in_order():
    generator = np.random.default_rng(0)
    score = np.concatenate([[1e9], generator.random(100_000), 0.5 + generator.random(500) * 1e-12])
    assert np.array_equal(score[best_first(score)], np.sort(score)[::-1])


def test_mover_of_independent_shares_is_newcombes():
    # Newcombe (1998), Statistics in Medicine 17:873, example (a), method 10: 56/70 - 48/80.
    from tallymark.intervals import wilson_bounds

    def share(x: int, n: int) -> Estimate:
        return Estimate(x / n, ends_at=lambda level: wilson_bounds(x, n, level))

    assert mover(share(56, 70), share(48, 80), 0.0)(0.95) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_no_difference_with_a_variance_is_one_half_to_either_side():
    assert Gap(0.0, 1.0).tested("greater").p_value == 0.5
    assert Gap(0.0, 1.0).tested().p_value == 1
