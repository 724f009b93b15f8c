"""Two models on other rows, with several classes, and with their scores swapped."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

from tallymark.errors import MetricError
from tallymark.inference import Ranking
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores import permutation
from tallymark.inference.paired_scores.classes import paired_classes
from tallymark.inference.paired_scores.other_rows import of_other_rows, other_rows_tested
from tallymark.inference.paired_scores.permutation import permuted
from tallymark.intake.ranking import count_scores
from tallymark.metrics import ask
from tallymark.tallies import Scores

AREAS = ("auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_macro", "auc_ovo_weighted")


def ranking(n: int, apart: float, seed: int) -> Ranking:
    generator = np.random.default_rng(seed)
    positive = np.arange(n) < n // 3
    score = 1 / (1 + np.exp(-generator.normal(size=n) - apart * positive))
    return Ranking(count_scores(score, positive))


# --- other rows ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["auc", "gini", "partial_auc:0.5", "average_precision", "brier", "log_loss"])
def test_variances_of_other_rows_add_up(name):
    models, asked = (ranking(150, 1.0, 0), ranking(300, 0.5, 1)), ask(name)
    sides = [(each.losses if name in ("brier", "log_loss") else each).of(asked) for each in models]
    found, tested = of_other_rows(*models, asked), other_rows_tested(*models, asked)
    assert found.value == float(sides[0]) - float(sides[1])
    assert found.se == pytest.approx(math.hypot(sides[0].se, sides[1].se))
    a, b = (side.se**2 for side in sides)
    freedom = (a + b) ** 2 / (a**2 / 149 + b**2 / 299)
    assert tested.freedom == pytest.approx(freedom)
    assert tested.p_value == pytest.approx(2 * stats.t.sf(abs(found.value / found.se), freedom))
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, freedom) * found.se)
    assert (found.method, found.n) == ("welch", 450)


def test_losses_of_other_rows_are_welchs_test():
    generator = np.random.default_rng(0)
    sides = []
    for n in (60, 90):
        positive, p = generator.random(n) < 0.5, generator.random(n)
        sides.append((Ranking(count_scores(p, positive)), (p - positive) ** 2))
    peer = stats.ttest_ind(sides[0][1], sides[1][1], equal_var=False)
    tested = other_rows_tested(sides[0][0], sides[1][0], ask("brier"))
    assert (tested.statistic, tested.p_value) == pytest.approx((peer.statistic, peer.pvalue))


def test_other_rows_that_show_no_variance():
    perfect = Ranking(count_scores(np.arange(20.0), np.arange(20) >= 10))
    found, tested = (
        of_other_rows(perfect, perfect, ask("auc")),
        other_rows_tested(perfect, perfect, ask("auc")),
    )
    assert found.low == pytest.approx(-found.high)
    assert (found.value, found.method, tested.p_value) == (0, "mover", 1)
    assert found.high > 0.1


def test_other_rows_that_are_of_one_class():
    none = Ranking(count_scores(np.arange(5.0), np.zeros(5, bool)))
    found = of_other_rows(ranking(30, 1, 0), none, ask("auc"), ("tree", "forest"))
    assert found.why == "forest: no row is actually positive (positives = 0)"
    assert other_rows_tested(none, none, ask("auc")) == (None, None, None)


def test_bins_keep_their_bounds():
    bins = Ranking(Scores.from_bins([9, 1], [1, 9]))
    found = of_other_rows(bins, bins, ask("auc"))
    assert found.bounds == pytest.approx((0.81 - 0.99, 0.99 - 0.81))
    assert found.low < -0.18
    assert "bins" in found.note


def test_the_largest_distance_of_other_rows_has_no_interval():
    found = of_other_rows(ranking(30, 1, 0), ranking(30, 1, 1), ask("ks"))
    assert found.low is None
    assert "largest" in found.note
    assert other_rows_tested(ranking(30, 1, 0), ranking(30, 1, 1), ask("ks")).p_value is None


# --- several classes -------------------------------------------------------------------------


def tables(n: int, size: int, seed: int = 0):
    generator = np.random.default_rng(seed)
    label = generator.integers(0, size, n)
    score = generator.normal(size=(n, size)) + 1.5 * (np.arange(size) == label[:, None])
    both = [score, score + 0.7 * generator.normal(size=score.shape)]
    return (*(np.exp(each) / np.exp(each).sum(axis=1, keepdims=True) for each in both), label)


@pytest.mark.parametrize("name", AREAS)
def test_two_classes_are_one_score(name):
    a, b, label = tables(150, 2)
    one = PairedRanking(a[:, 1], b[:, 1], label == 1)
    two = paired_classes(a, b, label, labels=[0, 1])
    for part in ("value", "low", "high", "se"):
        assert getattr(two.of(ask(name)), part) == pytest.approx(getattr(one.of(ask("auc")), part), rel=1e-6)
    assert two.tested(ask(name)).p_value == pytest.approx(one.tested(ask("auc")).p_value, rel=1e-6)


@pytest.mark.parametrize("name", AREAS)
def test_standard_errors_of_mean_areas_are_those_of_resampled_rows(name):
    a, b, label = tables(300, 4)
    found = paired_classes(a, b, label, labels=range(4)).of(ask(name))
    generator, drawn = np.random.default_rng(1), []
    for _ in range(300):
        at = generator.integers(0, 300, 300)
        drawn.append(float(paired_classes(a[at], b[at], label[at], labels=range(4)).of(ask(name))))
    assert found.se == pytest.approx(np.std(drawn), rel=0.15)


def test_first_places_are_mcnemars_test():
    a, b, label = tables(200, 3)
    right = [table.argmax(axis=1) == label for table in (a, b)]
    only_a, only_b = (right[0] & ~right[1]).sum(), (right[1] & ~right[0]).sum()
    made = paired_classes(a, b, label, labels=range(3))
    found, tested = made.of(ask("top_k_accuracy:1")), made.tested(ask("top_k_accuracy:1"))
    assert found.value == pytest.approx((only_a - only_b) / 200)
    assert tested.statistic == pytest.approx((only_a - only_b) / math.sqrt(only_a + only_b))
    assert tested.p_value == pytest.approx(stats.chi2.sf(tested.statistic**2, 1))
    assert found.method == "tango"
    assert found.interval(1 - tested.p_value).low == pytest.approx(0, abs=1e-6)


def test_models_that_say_the_same_of_every_class():
    a, _, label = tables(60, 3)
    made = paired_classes(a, a, label, labels=range(3))
    for name in (*AREAS, "brier", "log_loss"):
        found = made.of(ask(name))
        assert (found.value, found.low, found.high, made.tested(ask(name)).p_value) == (0, 0, 0, 1)
    top = made.of(ask("top_k_accuracy:1"))
    assert top.low < 0 < top.high  # they agree on these rows; on others they may not
    assert made.tested(ask("top_k_accuracy:1")).p_value == 1


@pytest.mark.parametrize("name", ["brier", "brier_half", "log_loss"])
def test_losses_of_several_classes_are_compared_row_by_row(name):
    a, b, label = tables(80, 3)
    at = np.arange(80), label
    losses = [
        -np.log(p[at]) if name == "log_loss" else ((p - np.eye(3)[label]) ** 2).sum(axis=1) for p in (a, b)
    ]
    peer, made = stats.ttest_rel(*losses), paired_classes(a, b, label, labels=range(3))
    tested = made.tested(ask(name))
    assert (tested.statistic, tested.p_value) == pytest.approx((peer.statistic, peer.pvalue))
    scale = 0.5 if name == "brier_half" else 1
    assert made.of(ask(name)).value == pytest.approx(scale * (losses[0] - losses[1]).mean())


def test_groups_and_weights_of_several_classes():
    a, b, label = tables(90, 3)
    weight, groups = np.random.default_rng(0).random(90), (30, np.arange(90) % 30)
    made = paired_classes(a, b, label, labels=range(3), weight=weight, groups=groups)
    for name in (*AREAS, "top_k_accuracy:2", "brier"):
        found = made.of(ask(name))
        assert found.low < found.value < found.high
        assert "30 of them" in found.assumption
        json.dumps(found.to_dict(), allow_nan=False)
    thrice = [np.repeat(each, 3, axis=0) for each in (a, b, label)]
    same = paired_classes(*thrice, labels=range(3), groups=(90, np.repeat(np.arange(90), 3)))
    plain = paired_classes(a, b, label, labels=range(3))
    for name in (*AREAS, "brier"):
        assert same.of(ask(name)).se == pytest.approx(plain.of(ask(name)).se, rel=0.03)


def test_a_class_without_rows_is_said():
    a, b, label = tables(90, 4)
    kept = label < 3
    made = paired_classes(a[kept], b[kept], label[kept], labels=range(4))
    assert "3 of 4 classes" in made.of(ask("auc_ovr_macro")).note
    one = paired_classes(a[label == 0], b[label == 0], label[label == 0], labels=range(4))
    assert "all rows are of one class" in one.of(ask("auc_ovr_macro")).why
    with pytest.raises(MetricError, match="one probability per class"):
        made.of(ask("auc"))


# --- swapped scores --------------------------------------------------------------------------


def all_swaps(a, b, positive, difference):
    """The difference after every way to swap."""
    made = []
    for swap in itertools.product([False, True], repeat=len(a)):
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        made.append(difference(first, positive) - difference(second, positive))
    return np.array(made)


def area(score, positive):
    up, down = score[positive][:, None], score[~positive]
    return float(((up > down) + 0.5 * (up == down)).mean())


@pytest.mark.parametrize("name", ["auc", "brier"])
def test_draws_come_near_all_ways_to_swap(name):
    generator, positive = np.random.default_rng(1), np.arange(9) < 4
    a, b = generator.random((2, 9))
    a[positive] += 0.5
    a /= a.max()
    if name == "auc":
        every = all_swaps(stats.rankdata(a), stats.rankdata(b), positive, area)
    else:
        every = all_swaps(a, b, positive, lambda p, y: float(((p - y) ** 2).mean()))
    found = permuted(PairedRanking(a, b, positive), [ask(name)], draws=4_000, seed=0)[0]
    seen = every[0]
    assert found.value == pytest.approx(seen)
    exact = {
        "two-sided": np.mean(np.abs(every) >= abs(seen) - 1e-12),
        "greater": np.mean(every >= seen - 1e-12),
        "less": np.mean(every <= seen + 1e-12),
    }
    assert found.p_value == pytest.approx(exact, abs=0.03)
    assert found.draws == 4_000


def test_ranks_are_swapped_so_that_scales_do_not_matter():
    generator, positive = np.random.default_rng(0), np.arange(40) < 20
    a, b = generator.normal(size=(2, 40)) + positive
    asked = [ask("auc"), ask("average_precision"), ask("ks")]
    one = permuted(PairedRanking(a, b, positive), asked, draws=300, seed=1)
    two = permuted(PairedRanking(a, np.exp(5 * b), positive), asked, draws=300, seed=1)
    assert one == two
    assert all(0 < each.p_value["two-sided"] <= 1 for each in one)


def test_models_that_are_the_same_have_a_p_value_of_1():
    generator, positive = np.random.default_rng(0), np.arange(30) < 15
    a = generator.random(30)
    for found in permuted(PairedRanking(a, a, positive), [ask("auc"), ask("brier")], draws=200, seed=0):
        assert found.p_value == {"two-sided": 1, "greater": 1, "less": 1}


def test_groups_are_swapped_whole():
    generator, positive = np.random.default_rng(0), np.arange(40) % 2 == 0
    a, b = generator.normal(size=(2, 40)) + positive
    made = PairedRanking(a, b, positive, groups=(2, np.arange(40) // 20), weight=generator.random(40))
    drawn = permuted(made, [ask("auc")], draws=500, seed=0)[0]
    # Two groups can be swapped in four ways, and two of these are as large as what was seen.
    assert drawn.p_value["two-sided"] >= 0.4


def test_too_many_rows_are_refused_with_the_reason(monkeypatch):
    generator, positive = np.random.default_rng(0), np.arange(100) < 50
    made = PairedRanking(*generator.normal(size=(2, 100)), positive)
    monkeypatch.setattr(permutation, "_WORK", 30_000)
    assert permuted(made, [ask("auc")], draws=1_000, seed=0)[0].draws == 300
    monkeypatch.setattr(permutation, "_WORK", 1_000)
    found = permuted(made, [ask("auc")], draws=1_000, seed=0)[0]
    assert (found.value, found.p_value) == (None, {})
    assert "100 rows are too many" in found.why


def test_what_is_undefined_is_not_swapped():
    found = permuted(PairedRanking(np.arange(5.0), np.arange(5.0), np.zeros(5, bool)), [ask("auc")])[0]
    assert found.why == "no row is actually positive (positives = 0)"
