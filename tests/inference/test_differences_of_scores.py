"""Two models' scores: differences of areas and losses on the same and other rows, of classes, and swapped."""

import itertools
import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import roc_auc_score

import tallymark as tm
from formulas import Z

RANKED = ("auc", "gini", "partial_auc:0.3", "partial_auc_mcclish:0.3", "average_precision")
LOSSES = ("brier", "brier_half", "log_loss")
AREAS = ("auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_macro", "auc_ovo_weighted")
SIDES = ("two-sided", "greater", "less")


@cache
def rows(n: int = 200, decimals: int | None = None, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Probabilities of two models that are correlated, and the classes."""
    chance = np.random.default_rng(seed)
    positive = chance.random(n) < 0.4
    common = chance.normal(size=n) + positive
    made = [1 / (1 + np.exp(-common - chance.normal(size=n) * noise)) for noise in (0.2, 1.0)]
    return (*(each if decimals is None else np.round(each, decimals) for each in made), positive)


def of(a: Any, b: Any, positive: Any, *names: str, **options: Any) -> tm.Comparison:
    given = {"labels": [0, 1], "metrics": names or (*RANKED, *LOSSES), "threshold": 0.5} | options
    return tm.compare({"a": a, "b": b}, np.asarray(positive, int), **given)


def numbers(found: Any) -> tuple[Any, ...]:
    return found.value, found.low, found.high, found.estimate.se


def losses(name: str, p: Any, positive: Any) -> NDArray[Any]:
    return np.where(positive, -np.log(p), -np.log1p(-p)) if name == "log_loss" else (p - positive) ** 2


# --- areas -----------------------------------------------------------------------------------


def test_delong_is_the_double_sum() -> None:
    """DeLong et al. (1988): the difference, and the covariances, from every pair."""
    for decimals in (None, 2, 1):
        a, b, positive = rows(250, decimals)
        wins = [
            (s[positive][:, None] > s[~positive]) + 0.5 * (s[positive][:, None] == s[~positive])
            for s in (a, b)
        ]
        own, theirs = (np.stack([each.mean(axis=axis) for each in wins]) for axis in (1, 0))
        covariances = np.cov(own) / own.shape[1] + np.cov(theirs) / theirs.shape[1]
        value = wins[0].mean() - wins[1].mean()
        se = math.sqrt(covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1])
        compared = of(a, b, positive, "auc", "gini")
        found = compared["auc"]
        assert numbers(found) == pytest.approx((value, value - Z * se, value + Z * se, se), rel=1e-9)
        z = value / se
        assert (found.outcome.statistic, found.p_value) == pytest.approx((z, 2 * stats.norm.sf(abs(z))))
        assert (found.estimate.method, found.estimate.n, found.estimate.note) == ("delong", 250, None)
        assert numbers(compared["gini"]) == pytest.approx([2 * each for each in numbers(found)])
        for side, p in (("greater", stats.norm.sf(z)), ("less", stats.norm.cdf(z))):
            assert of(a, b, positive, "auc", alternative=side)["auc"].p_value == pytest.approx(p)


def test_against_a_score_that_says_nothing_the_variance_is_that_of_the_other_model() -> None:
    a, _, positive = rows(200, 2)
    chance = np.random.default_rng(3)
    group, flat, wrong = np.arange(200) % 25, np.full(200, 0.5), []
    cases: dict[str, dict[str, Any]] = {
        "rows": {},
        "weights": {"sample_weight": chance.lognormal(size=200)},
        "frequencies": {"sample_weight": chance.integers(0, 4, 200), "weight_kind": "frequency"},
        "groups": {"groups": group},
        "both": {"groups": group, "sample_weight": chance.random(200)},
    }
    for case, options in cases.items():
        alone = tm.evaluate(positive.astype(int), y_score=a, labels=[0, 1], **options)
        found = of(a, flat, positive, *RANKED, **options)
        # Of average precision the number of positives spreads too, so a constant score has a variance.
        for name in RANKED[:-1]:
            if found[name].estimate.se != pytest.approx(alone[name].se) or found[
                name
            ].estimate.n != pytest.approx(alone[name].n):
                wrong.append((case, name))
    assert not wrong


def test_exchanged_models_frequencies_weights_and_copies() -> None:
    for n in (12, 200):
        a, b, positive = rows(n)
        there, back = of(a, b, positive, alternative="greater"), of(b, a, positive, alternative="less")
        for name in (*RANKED, *LOSSES):
            one, two = there[name], back[name]
            assert (-two.value, -two.high, -two.low) == pytest.approx((one.value, one.low, one.high)), name
            assert one.p_value == pytest.approx(two.p_value, abs=1e-9), name
    a, b, positive = rows(120, 2)
    times = np.random.default_rng(1).integers(0, 4, 120)
    repeated = of(*(np.repeat(each, times) for each in (a, b, positive)))
    counted = of(a, b, positive, sample_weight=times, weight_kind="frequency")
    plain, equal = of(a, b, positive), of(a, b, positive, sample_weight=np.full(120, 0.37))
    thrice = [np.repeat(each, 3) for each in (a, b, positive)]
    copies = of(*thrice, groups=np.repeat(np.arange(120), 3))
    for name in (*RANKED, *LOSSES):
        assert numbers(counted[name])[:3] == pytest.approx(numbers(repeated[name])[:3]), name
        assert counted[name].estimate.n == pytest.approx(repeated[name].estimate.n)
        assert numbers(equal[name])[:3] == pytest.approx(numbers(plain[name])[:3], abs=1e-9), name
        assert copies[name].value == pytest.approx(plain[name].value)
        assert copies[name].estimate.se == pytest.approx(plain[name].estimate.se, rel=0.02), name
    assert copies["auc"].estimate.method == "delong_groups"
    # Unequal weights: the variance of what every row adds to both areas.
    weight = np.random.default_rng(2).lognormal(size=120)
    influence = np.zeros(120)
    for sign, score in ((1, a), (-1, b)):
        up, down, mine, theirs = score[positive], score[~positive], weight[positive], weight[~positive]
        wins = (up[:, None] > down) + 0.5 * (up[:, None] == down)
        area = mine @ wins @ theirs / (mine.sum() * theirs.sum())
        influence[positive] += sign * (wins @ theirs / theirs.sum() - area) / mine.sum()
        influence[~positive] += sign * (mine @ wins / mine.sum() - area) / theirs.sum()
    variance = 0.0
    for side in (positive, ~positive):
        w, own = weight[side], influence[side]
        n = w.sum() ** 2 / (w @ w)
        variance += float((w * own) @ (w * own)) * n / (n - 1)
    assert of(a, b, positive, "auc", sample_weight=weight)["auc"].estimate.se == pytest.approx(
        math.sqrt(variance)
    )


# --- no variance, one class, few rows --------------------------------------------------------


def test_models_that_rank_alike_or_are_perfect() -> None:
    a, _, positive = rows(100, 2)
    for side in SIDES:
        same = of(a, np.exp(3 * a), positive, *RANKED, alternative=side)
        for name in RANKED:
            assert (*numbers(same[name]), same[name].p_value) == (0, 0, 0, 0, 1), (name, side)
    chance, positive = np.random.default_rng(0), np.arange(40) < 20
    perfect, other = positive + chance.random((2, 40)) / 2
    found = of(perfect, other, positive, "auc")["auc"]
    low = tm.auc_interval(1.0, n_positive=20, n_negative=20, method="newcombe").low
    assert (found.value, found.low, found.high, found.p_value) == pytest.approx((0, low - 1, 1 - low, 1))
    assert (found.estimate.method, found.estimate.note is None) == ("mover", False)
    # Against a constant score: the p-value is where the interval ends at 0.
    against = of(0.9 * positive + 0.05, np.full(40, 0.3), positive, "auc")["auc"]
    assert (against.value, against.outcome.statistic) == (0.5, None)
    assert 0 < against.low < 0.5 < against.high <= 1
    assert 0 < against.p_value < 0.001
    assert against.estimate.interval(1 - against.p_value).low == pytest.approx(0, abs=1e-6)
    json.dumps(against.to_dict(), allow_nan=False)


def test_few_rows_give_the_wider_interval_and_the_larger_p_value() -> None:
    a, b, positive = rows(14, seed=2)
    found = of(a, b, positive, "auc")["auc"]
    half = Z * found.estimate.se
    assert found.estimate.note
    # The wider of the usual one and one made from those of either model (Zou and Donner 2008).
    one, two = (tm.evaluate(positive.astype(int), y_score=each, labels=[0, 1])["auc"] for each in (a, b))
    together = (one.se**2 + two.se**2 - found.estimate.se**2) / (2 * one.se * two.se)

    def joined(first: float, second: float) -> float:
        return math.sqrt(first**2 + second**2 - 2 * together * first * second)

    below = joined(one.value - one.low, two.high - two.value)
    above = joined(one.high - one.value, two.value - two.low)
    assert found.low == pytest.approx(found.value - max(half, below))
    assert found.high == pytest.approx(min(1, found.value + max(half, above)))
    assert found.p_value >= 2 * stats.norm.sf(abs(found.outcome.statistic)) - 1e-12
    end = found.estimate.interval(1 - found.p_value)
    assert min(abs(end.low), abs(end.high)) == pytest.approx(0, abs=1e-6)


def test_what_has_no_difference_or_no_interval(snapshot: Any) -> None:
    a, b, positive = rows(40)
    zero = b.copy()
    zero[np.flatnonzero(positive)[0]] = 0
    five = np.array([True, False] * 5)
    made = {
        "one class": of(a, b, np.zeros(40, bool))["auc"],
        "largest distance": of(a, b, positive, "ks")["ks"],
        "infinite": of(a, zero, positive, "log_loss")["log_loss"],
        "not probabilities": of(a, 3 * b, positive, "brier")["brier"],
        "few rows": of(*rows(14, seed=2), "auc")["auc"],
        "same probabilities": of(np.full(10, 0.3), np.full(10, 0.3), five, "brier")["brier"],
        "same ranks": of(a, np.sqrt(a), positive, "auc")["auc"],
        "equal gaps": of(np.where(five, 0.8, 0.2), np.where(five, 0.6, 0.4), five, "brier")["brier"],
    }
    for case in ("one class", "infinite", "not probabilities"):
        assert (made[case].value, made[case].p_value) == (None, None), case
    assert (made["equal gaps"].low, made["equal gaps"].p_value) == (None, None)
    assert made["largest distance"].low is None  # it has a permutation test all the same
    assert of(a, zero, positive, "log_loss", clip=1e-6)["log_loss"].value is not None
    methods = {"same probabilities": "paired_t", "same ranks": "delong", "few rows": "delong"}
    assert {case: made[case].estimate.method for case in methods} == methods
    texts = {case: str(each.estimate.note or each.why) for case, each in made.items()}
    snapshot("notes_differences_of_scores", texts)


# --- losses ----------------------------------------------------------------------------------


def test_losses_are_compared_row_by_row() -> None:
    a, b, positive = rows(80)
    for name, side in itertools.product(LOSSES, SIDES):
        found = of(a, b, positive, name, alternative=side)[name]
        pair = [losses(name, p, positive) for p in (a, b)]
        theirs = stats.ttest_rel(*pair, alternative=side)
        assert (found.outcome.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue)), (
            name
        )
        ends = stats.ttest_rel(*pair).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high)), name
        assert found.outcome.df == 79
    group, n = np.arange(80) % 16, 16
    grouped = of(a, b, positive, "brier", groups=group)["brier"]
    totals = np.bincount(group, losses("brier", a, positive) - losses("brier", b, positive), n) / 5
    theirs = stats.ttest_1samp(totals, 0)
    assert (grouped.outcome.statistic, grouped.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    weight = np.random.default_rng(0).lognormal(size=80)
    d = losses("brier", a, positive) - losses("brier", b, positive)
    mean, kish = np.average(d, weights=weight), weight.sum() ** 2 / (weight @ weight)
    se = math.sqrt((weight**2) @ (d - mean) ** 2 / weight.sum() ** 2 * kish / (kish - 1))
    weighted = of(a, b, positive, "brier", sample_weight=weight)["brier"]
    assert (weighted.value, weighted.estimate.se, weighted.outcome.df) == pytest.approx((mean, se, kish - 1))


# --- other rows ------------------------------------------------------------------------------


def evaluated(n: int, apart: float, seed: int, **options: Any) -> tm.Evaluation:
    chance = np.random.default_rng(seed)
    positive = np.arange(n) < n // 3
    score = 1 / (1 + np.exp(-chance.normal(size=n) - apart * positive))
    return tm.evaluate(positive.astype(int), y_score=score, labels=[0, 1], **options)


def test_variances_of_other_rows_add_up() -> None:
    one, two = evaluated(150, 1.0, 0), evaluated(300, 0.5, 1)
    names = ("auc", "gini", "partial_auc:0.5", "average_precision", "brier", "log_loss", "ks")
    compared = tm.compare({"x": one, "y": two}, design="other rows", metrics=names)
    for name in names[:-1]:
        found, (first, second) = compared[name], (each[name] for each in (one, two))
        a, b = first.se**2, second.se**2
        freedom = (a + b) ** 2 / (a**2 / 149 + b**2 / 299)
        assert found.value == first.value - second.value
        assert found.estimate.se == pytest.approx(math.sqrt(a + b)), name
        assert found.outcome.df == pytest.approx(freedom), name
        assert found.p_value == pytest.approx(2 * stats.t.sf(abs(found.value) / math.sqrt(a + b), freedom))
        assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, freedom) * math.sqrt(a + b))
        assert (found.estimate.method, found.estimate.n) == ("welch", 450), name
    assert (compared["ks"].low, compared["ks"].p_value, compared["ks"].estimate.note is None) == (
        None,
        None,
        False,
    )
    # Of losses that is Welch's test.
    chance, sides, scores = np.random.default_rng(0), {}, []
    for name, n in (("x", 60), ("y", 90)):
        positive, p = chance.random(n) < 0.5, chance.random(n)
        sides[name] = tm.evaluate(positive.astype(int), y_score=p)
        scores.append((p - positive) ** 2)
    theirs = stats.ttest_ind(*scores, equal_var=False)
    found = tm.compare(sides, design="other rows", metric="brier")["brier"]
    assert (found.outcome.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_other_rows_without_variance_one_class_and_bins() -> None:
    perfect = tm.evaluate((np.arange(20) >= 10).astype(int), y_score=np.arange(20.0), labels=[0, 1])
    again = tm.evaluate((np.arange(20) >= 10).astype(int), y_score=np.arange(20.0) + 1, labels=[0, 1])
    found = tm.compare({"x": perfect, "y": again}, design="other rows", metric="auc")["auc"]
    assert (found.value, found.estimate.method, found.p_value) == (0, "mover", 1)
    assert found.low == pytest.approx(-found.high)
    assert found.high > 0.1
    none = tm.evaluate(np.zeros(5, int), y_score=np.arange(5.0) / 5, labels=[0, 1])
    lacking = tm.compare({"x": evaluated(30, 1, 0), "y": none}, design="other rows", metric="auc")["auc"]
    assert (lacking.value, lacking.p_value) == (None, None)
    assert lacking.why
    bins = tm.Scores.from_bins([9, 1], [1, 9]).evaluate()
    held = tm.compare({"x": bins, "y": bins}, design="other rows", metric="auc")["auc"].estimate
    assert held.bounds == pytest.approx((0.81 - 0.99, 0.99 - 0.81))
    assert held.low < -0.18
    assert held.note


# --- several classes -------------------------------------------------------------------------


@cache
def tables(n: int, size: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    chance = np.random.default_rng(seed)
    label = chance.integers(0, size, n)
    score = chance.normal(size=(n, size)) + 1.5 * (np.arange(size) == label[:, None])
    both = [score, score + 0.7 * chance.normal(size=score.shape)]
    return (*(np.exp(each) / np.exp(each).sum(axis=1, keepdims=True) for each in both), label)


def of_classes(a: Any, b: Any, label: Any, *names: str, **options: Any) -> tm.Comparison:
    return tm.compare({"a": a, "b": b}, label, labels=range(a.shape[1]), metrics=names, **options)


def test_standard_errors_of_mean_areas_are_those_of_resampled_rows() -> None:
    a, b, label = tables(240, 4)
    found, chance = of_classes(a, b, label, *AREAS), np.random.default_rng(1)
    drawn: dict[str, list[float]] = {name: [] for name in AREAS}
    for _ in range(250):
        at = chance.integers(0, 240, 240)
        sides = [tm.evaluate(label[at], y_score=each[at], labels=range(4)) for each in (a, b)]
        for name in AREAS:
            drawn[name].append(float(sides[0][name]) - float(sides[1][name]))
    for name in AREAS:
        assert found[name].estimate.se == pytest.approx(np.std(drawn[name]), rel=0.15), name


def test_first_places_are_mcnemars_test() -> None:
    a, b, label = tables(200, 3)
    right = [table.argmax(axis=1) == label for table in (a, b)]
    only_a, only_b = (right[0] & ~right[1]).sum(), (right[1] & ~right[0]).sum()
    found = of_classes(a, b, label, "top_k_accuracy:1")["top_k_accuracy:1"]
    z = (only_a - only_b) / math.sqrt(only_a + only_b)
    tango = tm.paired_difference(n01=int(only_a), n10=int(only_b), n11=200 - int(only_a + only_b), n00=0)
    assert (found.value, found.low, found.high) == pytest.approx((tango.value, tango.low, tango.high))
    assert (found.outcome.statistic, found.p_value) == pytest.approx((z, 2 * stats.norm.sf(abs(z))))
    assert found.estimate.method == "tango"
    same = of_classes(a, a, label, *AREAS, "brier", "log_loss", "top_k_accuracy:1")
    for name in (*AREAS, "brier", "log_loss"):
        assert (*numbers(same[name])[:3], same[name].p_value) == (0, 0, 0, 1), name
    top = same["top_k_accuracy:1"]
    assert (top.low < 0 < top.high, top.p_value) == (True, 1)  # on other rows they may disagree


def test_losses_groups_and_weights_of_several_classes() -> None:
    a, b, label = tables(90, 3)
    at = np.arange(90), label
    pairs = {
        "log_loss": [-np.log(p[at]) for p in (a, b)],
        "brier": [((p - np.eye(3)[label]) ** 2).sum(axis=1) for p in (a, b)],
    }
    pairs["brier_half"] = [each / 2 for each in pairs["brier"]]
    plain = of_classes(a, b, label, *AREAS, *LOSSES, "top_k_accuracy:2")
    for name, pair in pairs.items():
        theirs = stats.ttest_rel(*pair)
        found = plain[name]
        assert (found.outcome.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue)), (
            name
        )
        assert found.value == pytest.approx((pair[0] - pair[1]).mean())
    weight, group = np.random.default_rng(0).random(90), np.arange(90) % 30
    both = of_classes(a, b, label, *AREAS, "top_k_accuracy:2", "brier", sample_weight=weight, groups=group)
    for name in (*AREAS, "top_k_accuracy:2", "brier"):
        found = both[name]
        assert found.low < found.value < found.high, name
        assert "30" in found.assumption
        json.dumps(found.to_dict(), allow_nan=False)
    thrice = [np.repeat(each, 3, axis=0) for each in (a, b, label)]
    same = of_classes(*thrice, *AREAS, "brier", groups=np.repeat(np.arange(90), 3))
    for name in (*AREAS, "brier"):
        assert same[name].estimate.se == pytest.approx(plain[name].estimate.se, rel=0.03), name
    assert (plain["auc_ovr_macro"].estimate.method, same["auc_ovr_macro"].estimate.method) == (
        "linearised",
        "linearised_groups",
    )
    a, b, label = tables(90, 4)
    kept = label < 3
    missing = of_classes(a[kept], b[kept], label[kept], "auc_ovr_macro")["auc_ovr_macro"]
    assert missing.estimate.note
    alone = of_classes(a[label == 0], b[label == 0], label[label == 0], "auc_ovr_macro")["auc_ovr_macro"]
    assert alone.value is None
    assert alone.why


# --- swapped scores --------------------------------------------------------------------------


def test_swaps_are_close_to_all_ways_to_swap() -> None:
    chance, positive = np.random.default_rng(1), np.arange(9) < 4
    a, b = chance.random((2, 9))
    a[positive] += 0.5
    a /= a.max()

    def area(score: Any) -> float:
        up, down = score[positive][:, None], score[~positive]
        return float(((up > down) + 0.5 * (up == down)).mean())

    def brier(p: Any) -> float:
        return float(((p - positive) ** 2).mean())

    # Rankings have scales of their own, so there the ranks are swapped.
    for name, function, sides in (
        ("auc", area, [stats.rankdata(each) for each in (a, b)]),
        ("brier", brier, [a, b]),
    ):
        swaps = list(itertools.product([False, True], repeat=9))
        every = np.array([function(np.where(s, *sides[::-1])) - function(np.where(s, *sides)) for s in swaps])
        shares = np.abs(every) >= abs(every[0]) - 1e-12, every >= every[0] - 1e-12, every <= every[0] + 1e-12
        for side, share in zip(SIDES, shares, strict=True):
            found = of(a, b, positive, name, test="permutation", permutations=1_000, alternative=side)[name]
            assert found.value == pytest.approx(every[0]), name
            assert found.p_value == pytest.approx(share.mean(), abs=0.06), (name, side)
            assert found.outcome.counts == {"swaps": 1_000}


def test_swaps_of_ranks_groups_frequencies_and_equal_models() -> None:
    chance, positive = np.random.default_rng(0), np.arange(40) < 20
    a, b = chance.normal(size=(2, 40)) + positive
    options = {"test": "permutation", "permutations": 300, "random_state": 1}
    names = ("auc", "average_precision", "ks")
    one, two = of(a, b, positive, *names, **options), of(a, np.exp(5 * b), positive, *names, **options)
    for name in names:
        assert 0 < one[name].p_value == two[name].p_value <= 1, name
    p = chance.random(40)
    for name in ("auc", "brier"):
        assert of(p, p, positive, name, **options)[name].p_value == 1
    # Two groups can be swapped in four ways, and two of these are as large as what was seen.
    mixed = np.arange(40) % 2 == 0
    group = np.arange(40) // 20
    whole = of(a, b, mixed, "auc", groups=group, sample_weight=chance.random(40), **options)["auc"]
    assert whole.p_value >= 0.4
    times = chance.integers(0, 4, 40)
    counted = of(a, b, positive, "auc", sample_weight=times, weight_kind="frequency", **options)["auc"]
    repeated = of(*(np.repeat(each, times) for each in (a, b, positive)), "auc", **options)["auc"]
    assert counted.p_value == pytest.approx(repeated.p_value, abs=0.12)
    none = of(np.arange(5.0), np.arange(5.0)[::-1], np.zeros(5, bool), "auc", **options)["auc"]
    assert (none.value, none.p_value) == (None, None)


# --- many rows -------------------------------------------------------------------------------


def test_scores_of_many_rows_in_any_shape() -> None:
    shapes: tuple[Any, ...] = (
        lambda g, n: g.normal(size=n),
        lambda g, n: g.integers(-3, 4, n) * 1.0,
        lambda g, n: np.exp(40 * g.normal(size=n)),  # all but a few share a place on a grid
        lambda g, n: np.where(g.random(n) < 0.5, 1e308, -1e308) * g.random(n),
        lambda g, n: np.concatenate([[1e9], g.random(n - 501), 0.5 + g.random(500) * 1e-12]),
        lambda g, n: np.concatenate([u := g.random(n - 60), np.nextafter(u[:60], 2)]),  # lone pairs
    )
    positive = np.random.default_rng(9).random(70_001) < 0.3
    for at, shape in enumerate(shapes):
        score = shape(np.random.default_rng(at), 70_001)
        found = of(score, np.full(70_001, 0.5), positive, "auc")["auc"]
        assert found.value == pytest.approx(
            roc_auc_score(positive, stats.rankdata(score)) - 0.5, abs=1e-12
        ), at


def test_equal_rows_count_as_often_as_they_are_there() -> None:
    chance, n = np.random.default_rng(0), 1 << 16
    y = chance.random(n) < 0.3
    known = chance.normal(1.5 * y, 1)
    a, b = (1 / (1 + np.exp(-known - chance.normal(0, noise, n))) for noise in (0.7, 0.9))
    a, b = (np.clip(score, 0.01, 0.99).round(2) for score in (a, b))
    late = a.copy()
    late[-1] += 1e-9  # so one row is like no other
    (y_of, a_of, b_of), times = np.unique(np.stack([y, a, b]), axis=1, return_counts=True)
    for shift in (0.0, -3.0):
        names = RANKED[:1] + RANKED[2:3] + RANKED[4:] + (LOSSES if shift == 0 else ())
        by_row, nearly = (of(each + shift, b + shift, y, *names) for each in (a, late))
        counted = of(
            a_of + shift, b_of + shift, y_of == 1, *names, sample_weight=times, weight_kind="frequency"
        )
        for name in names:
            one, two = by_row[name], counted[name]
            assert (one.estimate.n, one.estimate.method) == (two.estimate.n, two.estimate.method), name
            assert numbers(two) == pytest.approx(numbers(one), rel=1e-9), name
            assert (two.outcome.statistic, two.p_value) == pytest.approx((one.outcome.statistic, one.p_value))
            assert numbers(nearly[name]) == pytest.approx(numbers(one), abs=1e-5), name
