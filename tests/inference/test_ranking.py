"""Intervals of numbers from scores: variances against double sums and jackknife, all ways to have none."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tallymark.inference import Estimate, Losses, Ranking
from tallymark.inference.sample import ONE_GROUP
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import newcombe_bounds, wilson_bounds, z_quantile
from tallymark.metrics import ask
from tallymark.tallies import Scores, Sums

Z = z_quantile(0.95)
Rows = tuple[NDArray[np.float64], NDArray[np.bool_]]


def rows(n: int = 300, decimals: int | None = None, seed: int = 0, apart: float = 1.0) -> Rows:
    generator = np.random.default_rng(seed)
    positive = generator.random(n) < 0.4
    score = 1 / (1 + np.exp(-generator.normal(size=n) - apart * positive))
    return (score if decimals is None else np.round(score, decimals)), positive


def ranking(score: Any, positive: Any, group: NDArray[np.int64] | None = None, **options: Any) -> Ranking:
    score, positive = np.asarray(score, float), np.asarray(positive, bool)
    weight = options.pop("weight", None)
    total = count_scores(score, positive, weight=weight)
    if group is None:
        return Ranking(total, **options)
    keys = tuple(range(int(group.max()) + 1))
    return Ranking(total, groups=count_groups(total, score, positive, weight, group, keys), **options)


def of(made: Ranking, name: str) -> Estimate:
    asked = ask(name)
    return (made if asked.metric.about == "scores" else made.losses).of(asked)


def on_logit(value: float, se: float, reach: float = Z) -> tuple[float, float]:
    centre, half = math.log(value / (1 - value)), reach * se / (value * (1 - value))
    return 1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre))


# --- the area --------------------------------------------------------------------------------


def naive_delong(score: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[float, float]:
    """DeLong et al. (1988): area and variance from every pair."""
    up, down = score[positive][:, None], score[~positive][None, :]
    wins = (up > down) + 0.5 * (up == down)
    own, theirs = wins.mean(axis=1), wins.mean(axis=0)
    return wins.mean(), own.var(ddof=1) / len(own) + theirs.var(ddof=1) / len(theirs)


@pytest.mark.parametrize("decimals", [None, 2, 1])
@pytest.mark.parametrize("apart", [0.0, 1.0, 2.5, -1.0])
def test_delong_is_the_double_sum(decimals, apart):
    score, positive = rows(400, decimals, apart=apart)
    found = of(ranking(score, positive), "auc")
    area, variance = naive_delong(score, positive)
    assert found.value == pytest.approx(area, abs=1e-14)
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert (found.method, found.n, found.assumption) == ("delong", 400, "independent rows")
    assert (found.low, found.high) == pytest.approx(on_logit(area, math.sqrt(variance)), rel=1e-10)
    assert found.note is None


def test_gini_is_the_area_twice_less_1():
    made = ranking(*rows())
    area, gini = of(made, "auc"), of(made, "gini")
    for end in ("value", "low", "high"):
        assert getattr(gini, end) == pytest.approx(2 * getattr(area, end) - 1)
    assert gini.se == pytest.approx(2 * area.se)


def test_whole_weights_that_are_frequencies_are_rows():
    score, positive = rows(120, 2)
    times = np.random.default_rng(1).integers(1, 4, 120)
    repeated = of(ranking(np.repeat(score, times), np.repeat(positive, times)), "auc")
    counted = Ranking(count_scores(score, positive, weight=times, weight_kind="frequency")).of(ask("auc"))
    assert (counted.value, counted.low, counted.high, counted.n) == pytest.approx(
        (repeated.value, repeated.low, repeated.high, times.sum())
    )


def test_equal_weights_are_no_weights():
    score, positive = rows(150, 2)
    plain, weighted = ranking(score, positive), ranking(score, positive, weight=np.full(150, 0.37))
    for name in ("auc", "partial_auc:0.2", "average_precision", "brier", "log_loss"):
        one, two = of(plain, name), of(weighted, name)
        assert (two.value, two.low, two.high, two.se) == pytest.approx(
            (one.value, one.low, one.high, one.se), rel=1e-9
        )
    assert "Kish" in of(weighted, "auc").assumption
    assert of(weighted, "auc").n == pytest.approx(150)


def test_weights_enter_squared():
    score, positive = rows(200)
    weight = np.random.default_rng(2).lognormal(size=200)
    found = of(ranking(score, positive, weight=weight), "auc")
    up, down = score[positive], score[~positive]
    mine, theirs = weight[positive], weight[~positive]
    wins = (up[:, None] > down).astype(float)
    own, other = wins @ theirs / theirs.sum(), mine @ wins / mine.sum()
    area = own @ mine / mine.sum()

    def part(placements, w):
        n = w.sum() ** 2 / (w @ w)
        return (w**2) @ (placements - area) ** 2 / w.sum() ** 2 * n / (n - 1)

    assert found.value == pytest.approx(area)
    assert found.se == pytest.approx(math.sqrt(part(own, mine) + part(other, theirs)))


def test_the_other_class_tells_the_same():
    score, positive = rows(200, 2)
    group = np.arange(200) // 4
    for made in (ranking(score, positive), ranking(score, positive, group)):
        one, two = of(made, "auc"), of(made.reversed(), "auc")
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))


# --- where DeLong has nothing to say ---------------------------------------------------------


def test_complete_separation_has_an_honest_interval():
    found = of(ranking([4, 3, 3.5, 1, 2, 0.5], [1, 1, 1, 0, 0, 0]), "auc")
    assert (found.value, found.method, found.se) == (1, "newcombe", None)
    assert found.low == pytest.approx(newcombe_bounds(1, 3, 3, Z)[0])
    assert 0.3 < found.low < 0.7
    assert found.high == 1
    assert found.note == (
        "complete separation shows no variance, so the interval is Newcombe's (2006, method 5)"
    )


def test_complete_separation_the_wrong_way_round():
    found = of(ranking([1, 2, 3, 4], [1, 1, 0, 0]), "auc")
    assert (found.value, found.low, found.method) == (0, 0, "newcombe")
    assert found.high == pytest.approx(1 - newcombe_bounds(1, 2, 2, Z)[0])


@pytest.mark.parametrize("weight", [None, np.array([0.1, 0.7, 0.2, 0.3, 0.1, 0.6])])
def test_constant_scores_have_an_interval(weight):
    found = of(ranking([0.1] * 6, [1, 0, 0, 1, 0, 1], weight=weight), "auc")
    assert found.value == pytest.approx(0.5)
    assert found.method == "newcombe"
    assert found.low < 0.25 < 0.75 < found.high
    assert "all ranked alike" in found.note


@pytest.mark.parametrize("positive", [[1, 0, 0, 0, 0], [0, 1, 1, 1, 1]])
def test_one_row_of_a_class(positive):
    found = of(ranking([0.4, 0.1, 0.3, 0.5, 0.9], positive), "auc")
    assert (found.method, found.se) == ("newcombe", None)
    assert "one row" in found.note


def test_two_rows():
    found = of(ranking([0.4, 0.1], [1, 0]), "auc")
    assert (found.value, found.method, found.high) == (1, "newcombe", 1)
    assert found.low < 0.3


def test_few_rows_that_are_wrong_carry_no_variance():
    # One positive among 50 is ranked below some of 1,000 negatives: DeLong's variance rests on it alone.
    score = np.concatenate([np.linspace(2, 3, 49), [0.95], np.linspace(0, 1, 1000)])
    found = of(ranking(score, np.arange(1050) < 50), "auc")
    assert found.method == "delong"
    assert found.note == (
        "its variance rests on few rows (about 1.1), so the interval is the wider of this and Newcombe's "
        "(2006, method 5)"
    )
    (low, high), (lower, higher) = on_logit(found.value, found.se), newcombe_bounds(found.value, 50, 1000, Z)
    assert (found.low, found.high) == pytest.approx((min(low, lower), max(high, higher)))


# --- partial areas ---------------------------------------------------------------------------


def jackknife(score: NDArray[Any], positive: NDArray[np.bool_], name: str, *, by_class: bool) -> float:
    """Variance from leaving out every row in turn, of each class apart or of all rows."""
    total = 0.0
    for part in (positive, ~positive) if by_class else (np.full(len(score), True),):
        left_out = []
        for row in np.flatnonzero(part):
            kept = np.arange(len(score)) != row
            left_out.append(float(of(ranking(score[kept], positive[kept]), name)))
        n = len(left_out)
        total += (n - 1) / n * float(np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    return total


@pytest.mark.parametrize(
    ("name", "tolerance"), [("auc", 1e-9), ("partial_auc:0.3", 0.08), ("partial_auc_mcclish:0.3", 0.08)]
)
def test_variances_are_those_of_the_jackknife(name, tolerance):
    # Equal for the area; for parts of it up to what is lost by linearising.
    score, positive = rows(240)
    expected = math.sqrt(jackknife(score, positive, name, by_class=True))
    assert of(ranking(score, positive), name).se == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("by_class", [False, True])
def test_the_variance_of_average_precision_is_that_of_the_jackknife(by_class):
    # Left out class by class, the share of the classes stays: as it does when the share is given.
    score, positive = rows(400)
    share = float(positive.mean()) if by_class else None
    found = of(ranking(score, positive, share=share), "average_precision")
    expected = math.sqrt(jackknife(score, positive, "average_precision", by_class=by_class))
    assert found.se == pytest.approx(expected, rel=0.05)


def test_the_whole_area_is_a_partial_one():
    made = ranking(*rows(300, 2))
    whole, part, standard = (of(made, n) for n in ("auc", "partial_auc:1", "partial_auc_mcclish:1"))
    for found in (part, standard):
        assert (found.value, found.low, found.high, found.se) == pytest.approx(
            (whole.value, whole.low, whole.high, whole.se)
        )
    assert (part.method, whole.method) == ("linearised", "delong")


def test_the_standardised_area_is_a_line_away():
    made = ranking(*rows(300, 2))
    raw, standard = of(made, "partial_auc:0.2"), of(made, "partial_auc_mcclish:0.2")
    for end in ("value", "low", "high"):
        assert getattr(standard, end) == pytest.approx((1 + (getattr(raw, end) - 0.02) / 0.18) / 2)


def test_few_negatives_within_the_limit_give_the_wider_of_two():
    made = ranking(*rows(80))
    found = of(made, "partial_auc:0.1")
    share, negatives = found.value / 0.1, 0.1 * made.scores.n_negative
    low, high = on_logit(share, found.se / 0.1)
    lower, higher = newcombe_bounds(share, made.scores.n_positive, negatives, Z)
    assert (found.low, found.high) == pytest.approx((0.1 * min(low, lower), 0.1 * max(high, higher)))
    assert "few negatives" in found.note


@pytest.mark.parametrize(("negatives", "few"), [(60, True), (190, True), (200, False), (210, False)])
def test_twenty_negatives_within_the_limit_are_enough(negatives, few):
    generator = np.random.default_rng(0)
    positive = np.arange(200 + negatives) < 200
    found = of(ranking(generator.normal(size=200 + negatives) + positive, positive), "partial_auc:0.1")
    share, se = found.value / 0.1, found.se / 0.1
    low, high = on_logit(share, se)
    if few:
        lower, higher = newcombe_bounds(share, 200, 0.1 * negatives, Z)
        low, high = min(low, lower), max(high, higher)
        assert found.note.startswith(f"few negatives (about {0.1 * negatives:.2g}) lie within")
    else:
        assert found.note is None
    assert (found.low, found.high) == pytest.approx((0.1 * low, 0.1 * high))


def test_partial_areas_at_their_ends():
    perfect = of(ranking([4, 3, 2, 1], [1, 1, 0, 0]), "partial_auc:0.5")
    assert (perfect.value, perfect.high) == (0.5, 0.5)
    assert perfect.low < 0.4
    nothing = of(ranking([4, 3, 2, 1], [0, 0, 1, 1]), "partial_auc:0.5")
    assert (nothing.value, nothing.low) == (0, 0)
    assert nothing.high > 0.1


# --- average precision -----------------------------------------------------------------------


def test_the_variance_of_average_precision_is_drawn_towards_the_largest():
    score, positive = rows(200, apart=3)
    found = of(ranking(score, positive), "average_precision")
    n, value = int(positive.sum()), found.value
    # As if n rows had the variance n se^2 each and four more the largest at that mean.
    of_a_row = (n * (n * found.se**2) + 4 * value * (1 - value)) / (n + 4)
    assert (found.low, found.high) == pytest.approx(on_logit(value, math.sqrt(of_a_row / n)))
    assert of_a_row / n > 1.01 * found.se**2


def test_empty_bins_change_no_interval():
    made = [
        Ranking(Scores.from_bins([0, 30, 0, 10, 0], [0, 10, 0, 30, 0])),
        Ranking(Scores.from_bins([30, 10], [10, 30])),
    ]
    for name in ("auc", "average_precision", "partial_auc:0.3"):
        one, two = (of(each, name) for each in made)
        assert (one.value, one.low, one.high, one.se, *one.bounds) == pytest.approx(
            (two.value, two.low, two.high, two.se, *two.bounds)
        )
    # Under another share too, where the classes' influences are centred.
    one, two = (of(Ranking(each.scores, share=0.1), "average_precision") for each in made)
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))


def test_perfect_average_precision_is_wilsons():
    found = of(ranking([4, 3, 2, 1], [1, 1, 0, 0]), "average_precision")
    assert (found.value, found.method) == (1, "wilson")
    assert (found.low, found.high) == pytest.approx(wilson_bounds(2, 2, 0.95))
    assert "Wilson" in found.note


def test_average_precision_without_negatives_is_1():
    found = of(ranking([4, 3], [1, 1]), "average_precision")
    assert (found.value, found.high) == (1, 1)
    assert found.low < 0.5


def test_ranking_by_chance_still_has_a_spread():
    found = of(ranking([0.1] * 50, np.arange(50) < 10), "average_precision")
    assert found.value == pytest.approx(0.2)
    assert found.low < 0.15 < 0.25 < found.high


# --- other shares of the classes -------------------------------------------------------------


def test_areas_do_not_change_with_the_share():
    score, positive = rows(200, 2)
    for name in ("auc", "gini", "ks", "partial_auc:0.3"):
        plain, other = of(ranking(score, positive), name), of(ranking(score, positive, share=0.01), name)
        assert (plain.value, plain.low, plain.high) == (other.value, other.low, other.high)


def test_average_precision_at_another_share_is_that_of_rows_repeated():
    score, positive = rows(200, 2)
    # Ten times as many negatives.
    times = np.where(positive, 1, 10)
    many = ranking(np.repeat(score, times), np.repeat(positive, times))
    found = of(ranking(score, positive, share=many.scores.prevalence), "average_precision")
    assert found.value == pytest.approx(of(many, "average_precision").value)
    assert found.low < found.value < found.high
    assert found.n == 200


def test_the_own_share_changes_no_value():
    made = ranking(*rows(200, 2))
    same = Ranking(made.scores, share=made.scores.prevalence)
    for name in ("average_precision", "brier", "log_loss"):
        assert of(same, name).value == pytest.approx(of(made, name).value)
    # The share is given and not estimated, so there is less to be unsure of.
    assert of(same, "average_precision").se < of(made, "average_precision").se


def test_losses_at_another_share():
    made = ranking([0.9, 0.6, 0.2, 0.4], [1, 1, 0, 0], share=0.25)
    # 0.25 times the mean of 0.01 and 0.16, 0.75 times that of 0.04 and 0.16.
    assert of(made, "brier").value == pytest.approx(0.25 * 0.085 + 0.75 * 0.1)


def test_a_share_of_nothing():
    made = ranking([0.9, 0.6, 0.2, 0.4], [1, 1, 0, 0], share=0.0)
    assert of(made, "average_precision").why == "no row is actually positive (positives = 0)"
    assert of(made, "auc").value == 1
    assert of(made, "brier").value == pytest.approx(0.1)


# --- groups ----------------------------------------------------------------------------------


def test_groups_of_one_row_are_rows():
    score, positive = rows(250)
    alone = of(ranking(score, positive), "auc")
    found = of(ranking(score, positive, np.arange(250)), "auc")
    assert found.value == alone.value
    assert found.se == pytest.approx(alone.se, rel=1e-3)
    assert (found.method, found.n) == ("delong_groups", 250)
    assert found.assumption == "independent groups (250 of them)"


def test_rows_counted_ten_times_tell_nothing_new():
    score, positive = rows(100)
    once = of(ranking(score, positive, np.arange(100)), "auc")
    tenfold = ranking(np.repeat(score, 10), np.repeat(positive, 10), np.repeat(np.arange(100), 10))
    found = of(tenfold, "auc")
    assert (found.value, found.se, found.low, found.high) == pytest.approx(
        (once.value, once.se, once.low, once.high)
    )
    assert found.n == 1000
    for name in ("average_precision", "brier", "log_loss", "partial_auc:0.3"):
        assert of(tenfold, name).se > 2 * of(ranking(np.repeat(score, 10), np.repeat(positive, 10)), name).se


def test_obuchowskis_variance_by_hand():
    generator = np.random.default_rng(3)
    group = np.repeat(np.arange(30), 5)
    positive = generator.random(150) < 0.4
    score = generator.normal(size=150) + generator.normal(size=30)[group] + positive
    found = of(ranking(score, positive, group), "auc")
    up, down = score[positive], score[~positive]
    area = (up[:, None] > down).mean()
    placed = np.where(
        positive,
        [(s > down).mean() for s in score],
        [(up > s).mean() for s in score],
    )
    sums = {
        side: np.bincount(group[side == positive], (placed - area)[side == positive], 30)
        / (side == positive).sum()
        for side in (True, False)
    }
    holds = {side: len(np.unique(group[side == positive])) for side in (True, False)}
    expected = sum(sums[side] @ sums[side] * holds[side] / (holds[side] - 1) for side in (True, False))
    expected += 2 * (sums[True] @ sums[False]) * 30 / 29
    assert found.se == pytest.approx(math.sqrt(expected))


def test_a_class_in_few_groups_has_few_degrees_of_freedom():
    from scipy import stats

    # Positives in 4 of 30 groups: Welch and Satterthwaite's degrees of freedom are near 3, not 29.
    generator = np.random.default_rng(4)
    group = np.repeat(np.arange(30), 20)
    positive = (group < 4) & (generator.random(600) < 0.7)
    score = generator.normal(size=600) + generator.normal(size=30)[group] + positive
    found = of(ranking(score, positive, group), "auc")
    assert "few groups" in found.note
    up, down = score[positive], score[~positive]
    area = (up[:, None] > down).mean()
    own = []
    for side, placed in (
        (positive, np.array([(s > down).mean() for s in score])),
        (~positive, np.array([(up > s).mean() for s in score])),
    ):
        sums = np.bincount(group[side], (placed - area)[side] / side.sum(), 30)
        holds = len(np.unique(group[side]))
        own.append((sums @ sums * holds / (holds - 1), holds))
    freedom = sum(each for each, _ in own) ** 2 / sum(each**2 / (n - 1) for each, n in own)
    assert freedom < 5
    low, high = on_logit(area, found.se, stats.t.ppf(0.975, freedom))
    # The wider of this and Newcombe's: this one here, on the side of the lower end at least.
    assert found.low <= low + 1e-12
    assert found.high >= high - 1e-12
    assert found.low == pytest.approx(low) or found.high == pytest.approx(high)


def test_one_group_has_no_interval():
    score, positive = rows(40)
    made = ranking(score, positive, np.zeros(40, np.int64))
    for name in ("auc", "average_precision", "partial_auc:0.5", "brier", "log_loss"):
        found = of(made, name)
        assert (found.low, found.note) == (None, ONE_GROUP)
        assert found.value is not None


def test_separated_groups_count_as_groups():
    group = np.repeat(np.arange(10), 20)
    positive = group < 5
    found = of(ranking(positive + np.linspace(0, 0.5, 200), positive, group), "auc")
    assert (found.value, found.method) == (1, "newcombe_groups")
    # Ten groups, however many rows, and Student's quantile.
    assert found.low < newcombe_bounds(1, 5, 5, Z)[0]


def test_a_class_in_one_group_only():
    group = np.repeat(np.arange(4), 10)
    score, _ = rows(40)
    found = of(ranking(score, group == 0, group), "auc")
    assert found.method == "newcombe_groups"
    assert found.high - found.low > 0.5


# --- losses ----------------------------------------------------------------------------------


def test_the_standard_error_of_a_mean():
    score, positive = rows(200)
    loss = np.where(positive, 1 - score, score) ** 2
    found = of(ranking(score, positive), "brier")
    assert found.se == pytest.approx(loss.std(ddof=1) / math.sqrt(200))
    assert of(ranking(score, positive), "brier_half").se == found.se
    assert found.low < found.value < found.high
    assert (found.method, found.n) == ("wilson_mean", 200)


def test_answers_that_are_sure_have_wilsons_interval():
    # Probabilities of 0 and 1 lose nothing or everything: Brier's loss is the error rate.
    score, positive = np.array([1.0] * 30 + [0.0] * 20), np.array([1] * 27 + [0] * 23)
    found = of(ranking(score, positive), "brier")
    assert found.value == pytest.approx(3 / 50)
    assert (found.low, found.high) == pytest.approx(wilson_bounds(3, 50, 0.95))
    found = of(ranking(positive, positive), "brier")
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(wilson_bounds(0, 50, 0.95)[1])


def test_log_loss_is_students_on_the_log_scale():
    from scipy import stats

    score, positive = rows(60)
    loss = -np.log(np.where(positive, score, 1 - score))
    found = of(ranking(score, positive), "log_loss")
    half = stats.t.ppf(0.975, 59) * loss.std(ddof=1) / math.sqrt(60) / loss.mean()
    assert (found.low, found.high) == pytest.approx(
        (loss.mean() * math.exp(-half), loss.mean() * math.exp(half))
    )


def test_losses_without_spread():
    found = of(ranking([0.5] * 8, [1, 0, 1, 0, 1, 1, 0, 0]), "log_loss")
    assert found.value == pytest.approx(math.log(2))
    assert (found.low, found.note) == (None, "all rows have the same loss, which shows no spread")
    assert of(ranking([0.3], [1]), "log_loss").low is None
    assert of(ranking([0.3], [1]), "brier").high < 1


@pytest.mark.parametrize(
    ("score", "weight", "why"),
    [
        ([0, 0.5, 1], None, "infinite: 1 row gave its actual class probability 0"),
        ([0, 0, 0.5], None, "infinite: 2 rows gave their actual class probability 0"),
        (
            [0, 0, 0.5],
            [0.5, 0.75, 1.0],
            "infinite: rows that weigh 1.25 gave their actual class probability 0",
        ),
    ],
)
def test_impossible_rows_are_counted(score, weight, why):
    made = ranking(score, [1, 1, 1], weight=None if weight is None else np.array(weight))
    assert of(made, "log_loss").why == why
    assert of(made, "brier").value is not None


def test_scores_that_are_no_probabilities_have_no_loss():
    found = of(ranking([2, 0.5], [1, 0]), "brier")
    assert (found.value, found.why) == (None, "scores leave [0, 1], so they are no probabilities")
    assert Losses("no scores").of(ask("brier")).why == "no scores"
    assert Losses(Sums()).of(ask("log_loss")).why == "there are no rows (n = 0)"


def test_a_few_rows_that_lose_most_are_said():
    found = of(ranking([0.01] * 40 + [0.01], [0] * 40 + [1]), "log_loss")
    assert found.note.startswith("few rows (about 1.2) make up most of the loss")
    assert of(ranking(*rows(300)), "log_loss").note is None


def test_group_losses_of_one_row_each_are_rows():
    score, positive = rows(100)
    one, two = (of(ranking(score, positive, group), "log_loss") for group in (None, np.arange(100)))
    assert (one.low, one.high, one.se) == pytest.approx((two.low, two.high, two.se))
    assert two.method == "log_mean_groups"


# --- everything ------------------------------------------------------------------------------

ALL = ("auc", "gini", "partial_auc:0.2", "partial_auc_mcclish:0.2", "average_precision", "brier", "log_loss")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_higher_level_is_wider(name, grouped):
    score, positive = rows(120, 2)
    found = of(ranking(score, positive, np.arange(120) // 4 if grouped else None), name)
    wide, short = found.interval(0.99), found.interval(0.5)
    assert wide.low < found.low < short.low <= found.value <= short.high < found.high < wide.high
    assert found.interval(0.999999).low < found.value


@pytest.mark.parametrize("name", ["ks"])
def test_ks_has_no_interval(name):
    found = of(ranking(*rows()), name)
    assert found.value > 0.2
    assert (found.low, found.method) == (None, None)
    assert found.note == "the largest over all thresholds, so an interval around it would be biased"


def test_one_class_only_says_which():
    assert of(ranking([0.1, 0.2], [0, 0]), "auc").why == "no row is actually positive (positives = 0)"
    assert of(ranking([0.1, 0.2], [1, 1]), "gini").why == "no row is actually negative (negatives = 0)"


def test_bins_carry_bounds_and_their_interval_covers_them():
    made = Ranking(Scores.from_bins([40, 30, 10], [10, 30, 60]))
    for name in ("auc", "gini", "ks", "partial_auc:0.2", "average_precision"):
        found = of(made, name)
        low, high = found.bounds
        assert low < found.value < high or name == "ks"
        form = json.loads(json.dumps(found.to_dict()))
        assert (form["exact"], form["bounds"]) == (False, [low, high])
        if name != "ks":
            assert found.low <= low
            assert found.high >= high
    assert of(made, "brier").why == "only bins of the scores were counted, not the scores themselves"
    exact = of(ranking(*rows()), "auc")
    assert exact.bounds is None
    assert "exact" not in exact.to_dict()


def test_standard_errors_in_json_and_pickles():
    found = of(ranking(*rows()), "auc")
    assert found.to_dict()["se"] == found.se
    back = pickle.loads(pickle.dumps(found))
    assert (back.se, back.low, back.high, back.bounds) == (found.se, found.low, found.high, None)
    assert "se" not in of(ranking([1, 0], [1, 0]), "auc").to_dict()


def test_a_ranking_can_be_pickled():
    score, positive = rows(50)
    made = ranking(score, positive, np.arange(50) // 5)
    assert of(pickle.loads(pickle.dumps(made)), "auc") == of(made, "auc")
