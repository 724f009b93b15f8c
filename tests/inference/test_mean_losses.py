"""Brier score and log loss: their spread by formulas, given shares, groups, and losses hard to square."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from formulas import Z, wilson, worth

LOSSES = ("brier", "log_loss")


def rows(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    chance = np.random.default_rng(seed)
    positive = chance.random(n) < 0.4
    return 1 / (1 + np.exp(-chance.normal(size=n) - 2 * positive + 1)), positive


def of(score: Any, positive: Any, groups: Any = None, weight: Any = None) -> tm.Evaluation:
    actual, score = np.asarray(positive, int), np.asarray(score, float)
    return tm.evaluate(actual, y_score=score, labels=[0, 1], groups=groups, sample_weight=weight)


def losses(name: str, score: Any, positive: Any) -> NDArray[np.float64]:
    own = np.where(positive, score, 1 - score)
    return (1 - own) ** 2 if name == "brier" else -np.log(own)


# --- independent rows ------------------------------------------------------------------------


def test_the_intervals_by_their_formulas() -> None:
    score, positive = rows(60)
    ev = of(score, positive)
    brier, log_loss = (losses(name, score, positive) for name in LOSSES)
    found = ev["brier"]
    assert (found.value, found.se) == pytest.approx((brier.mean(), brier.std(ddof=1) / math.sqrt(60)))
    expected = wilson(brier.mean(), worth(brier.mean(), brier.var(), 60))
    assert (found.low, found.high) == pytest.approx(expected)
    assert (found.method, found.n) == ("wilson_mean", 60)
    # Student's on the log scale.
    found = ev["log_loss"]
    half = stats.t.ppf(0.975, 59) * log_loss.std(ddof=1) / math.sqrt(60) / log_loss.mean()
    assert (found.low, found.high) == pytest.approx(
        [log_loss.mean() * math.exp(sign * half) for sign in (-1, 1)]
    )
    assert found.se == pytest.approx(log_loss.std(ddof=1) / math.sqrt(60))
    assert found.note is None
    # Weights enter squared, with Kish's number of rows.
    weight = np.random.default_rng(1).lognormal(size=60)
    weighted, n = of(score, positive, weight=weight), weight.sum() ** 2 / (weight @ weight)
    for name, loss in (("brier", brier), ("log_loss", log_loss)):
        mean = float(np.average(loss, weights=weight))
        variance = float((weight**2) @ (loss - mean) ** 2) / weight.sum() ** 2 * n / (n - 1)
        assert (weighted[name].value, weighted[name].se) == pytest.approx((mean, math.sqrt(variance))), name
        assert weighted[name].n == pytest.approx(n)


def test_rows_that_lose_nothing_or_everything_have_wilsons_interval() -> None:
    score, positive = np.array([1.0] * 30 + [0.0] * 20), np.array([1] * 27 + [0] * 23)
    found = of(score, positive)["brier"]
    assert found.value == pytest.approx(3 / 50)
    assert (found.low, found.high) == pytest.approx(proportion_confint(3, 50, method="wilson"))
    sure = of(positive, positive)["brier"]
    assert (sure.value, sure.low) == (0, 0)
    assert sure.high == pytest.approx(proportion_confint(0, 50, method="wilson")[1])


def test_half_of_briers_score_has_half_of_its_interval() -> None:
    table = np.random.default_rng(0).dirichlet(np.ones(3), 40)
    three = tm.evaluate(np.arange(40) % 3, y_score=table, labels=[0, 1, 2])
    whole, half = three["brier"], three["brier_half"]
    assert (half.value, half.low, half.high, half.se) == pytest.approx(
        (whole.value / 2, whole.low / 2, whole.high / 2, whole.se / 2)
    )
    two = of(*rows(40))
    assert two["brier_half"].se == two["brier"].se


def test_reasons_for_infinite_losses(snapshot: Any) -> None:
    table, texts = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]]), {}
    for classes in (2, 3):
        for case, weight, kind in (
            ("one row", None, "sampling"),
            ("weight 2.5", [2.5, 1, 1], "sampling"),
            ("equal weights", [1, 1, 1], "sampling"),
            ("frequency 2", [2, 1, 1], "frequency"),
        ):
            given = {} if weight is None else {"sample_weight": weight, "weight_kind": kind}
            score = table if classes == 3 else table[:, 1]
            ev = tm.evaluate([1, 0, 0], y_score=score, labels=[*range(classes)], **given)
            texts[f"{case}, {classes} classes"] = ev["log_loss"].why
    assert of([0.3], [1])["brier"].high < 1
    assert of([0.0, 0.5, 1.0], [1, 1, 1])["brier"].value is not None
    texts["two rows"] = of([0, 0, 0.5], [1, 1, 1])["log_loss"].why
    texts["two weights"] = of([0, 0, 0.5], [1, 1, 1], weight=[0.5, 0.75, 1.0])["log_loss"].why
    texts["another prevalence"] = of([0, 0.5, 0.5], [1, 0, 0]).at_prevalence(0.1)["log_loss"].why
    texts["not probabilities"] = of([2, 0.5], [1, 0])["brier"].why
    texts["one row, not impossible"] = of([0.3], [1])["log_loss"].note
    texts["few rows"] = of([0.01] * 41, [0] * 40 + [1])["log_loss"].note
    texts["no spread"] = of([0.5] * 4, [1, 0, 1, 0])["log_loss"].note
    texts["no spread of groups"] = of([0.2, 0.4] * 2, [1] * 4, [0, 0, 1, 1])["log_loss"].note
    texts["too small"] = of([1e-200] * 3, [0] * 3)["log_loss"].note
    snapshot("notes_losses", texts)


# --- given shares ----------------------------------------------------------------------------


def test_given_shares_leave_the_variance_within_the_classes() -> None:
    """A stratified mean: the shares squared times the variances of the classes' means."""
    score, positive = rows(300)
    for name in LOSSES:
        loss = losses(name, score, positive)
        sides = loss[positive], loss[~positive]
        for share in (0.02, 0.4, 0.9):
            parts = [*zip((share, 1 - share), sides, strict=True)]
            se = math.sqrt(sum(weight**2 * part.var(ddof=1) / len(part) for weight, part in parts))
            found = of(score, positive).at_prevalence(share)[name]
            assert found.value == pytest.approx(sum(weight * part.mean() for weight, part in parts))
            assert found.se == pytest.approx(se), (name, share)
            assert found.low < found.value < found.high
            if share == 0.4:
                assert (found.high - found.low) / 2 == pytest.approx(Z * se, rel=0.1)
            alone = of(score, positive, np.arange(300)).at_prevalence(share)[name]  # groups of one row
            assert (alone.value, alone.se) == pytest.approx((found.value, found.se))
    # Of three classes.
    chance = np.random.default_rng(0)
    table, actual = chance.dirichlet([1, 1, 1], 90), chance.integers(0, 3, 90)
    shares = {0: 0.7, 1: 0.2, 2: 0.1}
    loss = ((table - np.eye(3)[actual]) ** 2).sum(axis=1)
    parts = [(share, loss[actual == label]) for label, share in shares.items()]
    for groups in (None, np.arange(90)):
        ev = tm.evaluate(actual, y_score=table, labels=[0, 1, 2], groups=groups)
        found = ev.at_prevalence(shares)["brier"]
        assert found.value == pytest.approx(sum(share * part.mean() for share, part in parts))
        assert found.se == pytest.approx(
            math.sqrt(sum(share**2 * part.var(ddof=1) / len(part) for share, part in parts))
        )


def test_given_shares_of_few_rows_and_groups_by_hand() -> None:
    # Either group has a row of both classes, and where one loses less than its class so does the other.
    found = of([0.9, 0.7, 0.2, 0.4], [1, 1, 0, 0], [0, 1, 0, 1]).at_prevalence(0.5)["brier"]
    # Losses 0.01 and 0.09 of mean 0.05, 0.04 and 0.16 of mean 0.1; each row weighs 1 of 4.
    up, down = np.array([-0.04, 0.04]) / 4, np.array([-0.06, 0.06]) / 4
    assert found.se == pytest.approx(math.sqrt(2 * (up @ up + down @ down) + 2 * 2 * (up @ down)))
    # A class of one row is measured from the mean of all: 0.5 x 0.01 + 0.5 x (0.04 + 0.16) / 2.
    found = of([0.9, 0.2, 0.4], [1, 0, 0]).at_prevalence(0.5)["brier"]
    assert found.value == pytest.approx(0.055)
    expected = 0.25 * (0.01 - 0.055) ** 2 + 0.25 * ((0.06**2 + 0.06**2) / 2 * 2) / 2
    assert found.se == pytest.approx(math.sqrt(expected))
    # So is a class in one group: 0.01, 0.04 | 0.04, 0.16 of means 0.025 and 0.1; that of all is 0.0625.
    found = of([0.9, 0.8, 0.2, 0.4], [1, 1, 0, 0], [0, 0, 1, 2]).at_prevalence(0.5)["brier"]
    up, down = (0.01 + 0.04 - 2 * 0.0625) / 4, np.array([-0.06, 0.06]) / 4
    assert found.se == pytest.approx(math.sqrt(up**2 * 3 / 2 + down @ down * 2))


# --- groups ----------------------------------------------------------------------------------


def test_groups_add_up_their_rows_and_have_students_quantile() -> None:
    chance = np.random.default_rng(4)
    group = np.repeat(np.arange(15), 8)
    positive = chance.random(120) < 0.5
    score = 1 / (1 + np.exp(-chance.normal(size=120) - chance.normal(size=15)[group] - positive))
    ev = of(score, positive, group)
    for name in LOSSES:
        loss, found = losses(name, score, positive), ev[name]
        mean, totals = loss.mean(), np.bincount(group, loss - loss.mean(), 15)
        variance = float(totals @ totals) / 120**2 * 15 / 14
        assert (found.value, found.se) == pytest.approx((mean, math.sqrt(variance))), name
        reach = stats.t.ppf(0.975, 14)
        if name == "log_loss":
            half = reach * math.sqrt(variance) / mean
            expected = mean * math.exp(-half), mean * math.exp(half)
        else:
            design = max(1.0, variance / (loss.var(ddof=1) / 120))
            expected = wilson(mean, worth(mean, loss.var(), max(15.0, 120 / design)), reach)
        assert (found.low, found.high) == pytest.approx(expected, rel=1e-6), name
    assert (ev["log_loss"].method, ev["log_loss"].n) == ("log_mean_groups", 120)
    alike = of([0.2, 0.4, 0.2, 0.4], [1] * 4, [0, 0, 1, 1])["log_loss"]
    assert alike.low is None
    assert alike.note


# --- too small to square ---------------------------------------------------------------------


def test_tiny_losses() -> None:
    options: dict[str, Any] = {"groups": [2, 1, 1], "weight": [0.51, 0.49, 0.3]}
    brier = of([1e-100] * 3, [0] * 3, **options)["brier"]
    assert brier.value == pytest.approx(1e-200)
    assert (brier.low, brier.high > 0.5) == (0, True)  # three rows that lost nothing say little
    for given in (options, {}):
        found = of([1e-200] * 3, [0] * 3, **given)["log_loss"]
        assert (found.value, found.low) == (pytest.approx(1e-200), None)
        assert found.note
    lost = of(np.array([1, 2, 3, 4.0]) * 1e-161, [0] * 4, np.arange(4))["log_loss"]
    assert lost.low is None


def test_rounding_is_not_a_spread() -> None:
    """Rows of one loss, or of a mixture of tiny ones, however weighted."""
    wrong = []
    for seed in range(40):
        chance = np.random.default_rng(seed)
        n = int(chance.integers(3, 9))
        weight, group = (
            chance.choice([0.1, 0.3, 0.49, 0.51, 0.7, 7], n),
            np.r_[0, 1, chance.integers(0, 2, n - 2)],
        )
        # Where squares keep some of their digits rounding is largest.
        same = np.full(n, 10.0 ** -chance.uniform(*((150, 163) if seed % 3 else (0.1, 320))))
        mixed = chance.choice([1, 0.3, 0.999], n) * 10.0 ** -chance.choice([0, 5, 80, 140, 155, 161, 308], n)
        positive = chance.random(n) < 0.3
        for groups in (None, group):
            ev = of(same, np.zeros(n), groups, weight if seed % 2 else None)
            if ev["log_loss"].low is not None or not ev["log_loss"].note:
                wrong.append(("spread", seed))
            if not ev["brier"].low <= ev["brier"].value < ev["brier"].high or ev["brier"].se not in (0, None):
                wrong.append(("brier", seed))
            uneven = of(mixed, positive, groups, weight)
            for each in (uneven, uneven.at_prevalence(0.2)) if 0 < positive.sum() < n else (uneven,):
                for name in LOSSES:
                    found = each[name]
                    if found.low is not None and not 0 <= found.low <= found.value <= found.high:
                        wrong.append((name, seed, str(found)))
    assert not wrong
