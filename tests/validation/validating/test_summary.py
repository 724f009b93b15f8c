"""One number over the folds: mean, spread, the corrected interval, and what is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from tallymark.inference import Estimate
from tallymark.metrics import ask
from tallymark.resampling.folds import Fold, folds_from_pairs
from tallymark.validation.validating.summary import (
    OVERLAP,
    Sizes,
    Summary,
    deviation,
    gain_over,
    mean_of_folds,
    pooled_of,
    undefined_everywhere,
)

ACCURACY = {"limits": (0.0, 1.0), "level": 0.95, "why": "nothing"}


def sizes(folds: int, train: float = 90, test: float = 10) -> Sizes:
    return Sizes(np.full(folds, float(train)), np.full(folds, float(test)))


def test_the_interval_is_the_corrected_t_by_hand() -> None:
    # Mean 0.8, deviation 0.1; variance of the mean 0.01 (1/3 + 1/9); t of 2 degrees of freedom.
    found = mean_of_folds([0.7, 0.8, 0.9], sizes(3), **ACCURACY)
    se = math.sqrt(0.01 * (1 / 3 + 1 / 9))
    half = stats.t.ppf(0.975, 2) * se
    assert found.value == pytest.approx(0.8, abs=1e-15)
    assert found.se == pytest.approx(se, abs=1e-15)
    assert (found.low, found.high) == (pytest.approx(0.8 - half, abs=1e-9), 1.0)  # no further than it can be
    assert found.interval(0.5).low == pytest.approx(0.8 - stats.t.ppf(0.75, 2) * se, abs=1e-12)
    assert (found.method, found.n, found.assumption) == ("corrected t", 3, OVERLAP)
    assert "Nadeau and Bengio 2003" in OVERLAP
    assert "Bengio and Grandvalet 2004" in OVERLAP


def test_the_mean_agrees_with_the_corrected_t_test_against_nothing() -> None:
    values = [0.61, 0.64, 0.7, 0.58, 0.66]
    found = mean_of_folds(values, sizes(5, 80, 20), **ACCURACY)
    tested = tm.tests.corrected_t(values, [0.0] * 5, n_train=80, n_test=20)
    assert found.se == pytest.approx(tested.se, rel=1e-12)
    assert found.low == pytest.approx(tested.low, rel=1e-12)


def test_the_interval_is_no_narrower_than_that_of_pooled() -> None:
    pooled = Estimate(0.7, ends_at=lambda level: (0.7 - 0.3 * level, 0.7 + 0.01 * level))
    found = mean_of_folds([0.79, 0.8, 0.81], sizes(3), **ACCURACY, pooled=pooled)
    half = stats.t.ppf(0.975, 2) * 0.01 * math.sqrt(1 / 3 + 1 / 9)
    assert half > 0.0095
    assert found.low == pytest.approx(0.8 - 0.3 * 0.95, abs=1e-12)
    assert found.high == pytest.approx(0.8 + half, abs=1e-12)
    assert found.interval(0.5).low == pytest.approx(0.8 - 0.15, abs=1e-12)
    assert found.method == "corrected t, no narrower than pooled"
    assert str(found.assumption).startswith(f"{OVERLAP}; no narrower than pooled")
    without = mean_of_folds([0.79, 0.8, 0.81], sizes(3), **ACCURACY, pooled=Estimate(0.7))
    assert without.low == pytest.approx(0.8 - half, abs=1e-12)


def test_the_interval_of_pooled_is_not_made_before_it_is_asked_for() -> None:
    def never(_: float) -> tuple[float, float]:
        raise AssertionError

    found = mean_of_folds([0.7, 0.9], sizes(2), **ACCURACY, pooled=Estimate(0.8, ends_at=never))
    assert found.value == pytest.approx(0.8)
    with pytest.raises(AssertionError):
        _ = found.low


def test_equal_folds_have_the_interval_of_pooled() -> None:
    pooled = Estimate(0.8, ends_at=lambda _: (0.7, 0.85))
    found = mean_of_folds([0.8, 0.8, 0.8], sizes(3), **ACCURACY, pooled=pooled)
    assert (found.low, found.high) == (pytest.approx(0.7), pytest.approx(0.85))
    assert found.se is None


def test_folds_of_several_sizes_take_the_mean_of_their_shares() -> None:
    found = mean_of_folds([0.5, 0.6], Sizes(np.array([80.0, 60.0]), np.array([20.0, 30.0])), **ACCURACY)
    assert found.se == pytest.approx(math.sqrt(0.005 * (1 / 2 + (1 / 4 + 1 / 2) / 2)))


def test_one_fold_has_no_interval_and_says_why() -> None:
    found = mean_of_folds([0.7], sizes(1), **ACCURACY, instead="; pooled has one")
    assert (found.value, found.low, found.high) == (0.7, None, None)
    assert found.note == "one fold does not show how much folds vary; pooled has one"


@pytest.mark.parametrize("value", [0.0, 0.1 + 0.2, 1.0])
def test_equal_folds_have_no_interval_and_say_why(value: float) -> None:
    found = mean_of_folds([value, value, value], sizes(3), **ACCURACY)
    assert found.low is None
    assert "in every fold, so there is no spread to judge by" in str(found.note)
    assert deviation([value] * 3) == 0


def test_undefined_folds_are_left_out_of_mean_spread_and_sizes() -> None:
    three = Sizes(np.array([90.0, 1.0, 90.0]), np.array([10.0, 99.0, 10.0]))
    found = mean_of_folds([0.7, None, 0.9], three, **ACCURACY, remark="undefined in 1 of 3 folds")
    assert found.value == pytest.approx(0.8)
    assert found.se == pytest.approx(math.sqrt(0.02 * (1 / 2 + 1 / 9)))
    assert (found.n, found.note) == (2, "undefined in 1 of 3 folds")
    assert deviation([0.7, None, 0.9]) == pytest.approx(math.sqrt(0.02))
    assert deviation([0.7, None]) is None


def test_undefined_everywhere_is_undefined_with_every_reason() -> None:
    whys = ["no row is positive", "no row is negative", "no row is positive"]
    said = undefined_everywhere(whys)
    assert said == "undefined in all 3 folds: no row is positive (2 folds); no row is negative (1 fold)"
    found = mean_of_folds([None] * 3, sizes(3), limits=(0, 1), level=0.95, why=said)
    assert (found.value, found.why) == (None, said)
    assert undefined_everywhere(["x"]) == "undefined in the one fold: x"


def test_a_bootstrap_counts_the_different_rows_it_trains_on() -> None:
    train = np.array([0, 0, 1, 2, 2, 2])
    folds = folds_from_pairs([(train, np.array([3, 4, 5]))], 6, "bootstrap")
    found = Sizes.of(folds)
    assert (found.train.tolist(), found.test.tolist()) == ([3.0], [3.0])
    rest = folds_from_pairs([(np.arange(4), np.array([4, 5]))], 6, "holdout")
    assert Sizes.of(rest).train.tolist() == [4.0]
    assert isinstance(folds.folds[0], Fold)


@pytest.mark.parametrize(("metric", "sign"), [("accuracy", 1), ("error_rate", -1), ("log_loss", -1)])
def test_a_gain_is_positive_where_the_model_is_better(metric: str, sign: int) -> None:
    gain = gain_over([0.5, 0.7, None], [0.4, 0.4, 0.4], ask(metric), sizes=sizes(3), level=0.95)
    assert gain.value == pytest.approx(sign * 0.2)
    assert gain.low is not None
    assert gain.high is not None
    assert gain.low < gain.value < gain.high


def test_a_gain_over_what_is_undefined_is_undefined() -> None:
    gain = gain_over([0.5], [None], ask("precision"), sizes=sizes(1), level=0.95)
    assert gain.value is None
    assert gain.why == "it is undefined for the model or for the baseline in every fold"


def summary(values: list[float | None], training: list[float | None], better: str = "higher") -> Summary:
    mean = mean_of_folds(values, sizes(len(values)), **ACCURACY)
    whys = tuple(None if value is not None else "no row is positive" for value in values)
    return Summary("f1", better, tuple(values), whys, mean, deviation(values), mean, tuple(training), None)


def test_training_and_gap_are_of_folds_that_have_both() -> None:
    found = summary([0.6, None, 0.8], [1.0, 0.9, 0.9])
    assert found.training == pytest.approx(0.95)
    assert found.gap == pytest.approx(0.25)
    assert summary([0.6], [0.9], "lower").gap == pytest.approx(-0.3)
    assert summary([0.6], [None]).training is None
    assert summary([0.6], [None]).gap is None


def test_undefined_folds_are_counted_and_said() -> None:
    found = summary([0.6, None, 0.8], [None] * 3)
    assert (found.n, found.undefined) == (2, 1)
    assert found.remark == "undefined in 1 of 3 folds: no row is positive; mean of 2"
    assert summary([0.6], [0.6]).remark is None
    assert summary([None, None], [None] * 2).remark == "undefined in all 2 folds: no row is positive"
    form = found.to_dict()
    assert (form["values"], form["why"][1], form["undefined"]) == ([0.6, None, 0.8], "no row is positive", 1)
    assert "mean of folds 0.7" in str(found)


def test_pooled_ranks_say_that_they_put_models_on_one_scale() -> None:
    auc = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.4, 0.5, 0.9])["auc"]
    assert "on one scale" in str(pooled_of(auc, ask("auc"), 5).note)
    assert pooled_of(auc, ask("auc"), 1) is auc
    right = tm.evaluate([0, 1, 0, 1], [0, 1, 1, 1])["accuracy"]
    pooled = pooled_of(right, ask("accuracy"), 5)
    assert pooled.note is None
    assert pooled.assumption == "independent rows, the models of all folds taken as one"
    assert (pooled.low, pooled.high) == (right.low, right.high)
