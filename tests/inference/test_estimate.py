from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from tallymark.errors import OptionError
from tallymark.inference import Estimate, Sample, undefined
from tallymark.intervals import checked_level
from tallymark.metrics import ask
from tallymark.tallies import Confusion

CONTRACT = ["value", "low", "high", "level", "method", "n", "assumption"]
NO_POSITIVES = Confusion([[0, 0], [4, 40]])
TWO = Confusion([[14, 2], [4, 40]])
THREE = Confusion([[50, 8, 2], [6, 70, 9], [1, 4, 30]])
THIRTY = Confusion(24 * np.eye(30, dtype=int) + 6 * np.eye(30, k=1, dtype=int) + np.eye(30, k=-1, dtype=int))
SIZES = pytest.mark.parametrize(
    "confusion", [pytest.param(table, id=f"{len(table.labels)} classes") for table in (TWO, THREE, THIRTY)]
)


def at(level):
    return 0.5 - level / 10, 0.5 + level / 10


def all_numbers(sample):
    """One estimate of every kind of interval."""
    yield from (sample.of_class(ask(name), 0) for name in ("recall", "f1", "lr_minus", "g_mean", "f_beta:2"))
    yield from (sample.of_table(ask(name)) for name in ("accuracy", "mcc", "kappa", "balanced_accuracy"))
    yield from (sample.of_average(ask(name)) for name in ("f1_macro", "precision_weighted", "f1_micro"))


def test_the_interval_is_worked_out_on_first_need_and_once():
    asked = []
    estimate = Estimate(0.5, method="wilson", n=10, ends_at=lambda level: asked.append(level) or at(level))
    assert asked == []
    assert (estimate.low, estimate.high) == pytest.approx((0.405, 0.595))
    assert estimate.to_dict()["high"] == estimate.high
    assert asked == [0.95]


def test_asking_again_at_another_level_leaves_the_first_alone():
    estimate = Estimate(0.5, method="wilson", n=10, ends_at=at)
    wider = estimate.interval(0.99)
    assert (wider.low, wider.high, wider.level) == (pytest.approx(0.401), pytest.approx(0.599), 0.99)
    assert (wider.value, wider.method, wider.n) == (0.5, "wilson", 10)
    assert (estimate.low, estimate.level) == (pytest.approx(0.405), 0.95)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_proportion_has_the_wilson_limits_of_statsmodels(level):
    estimate = Sample(TWO).of_class(ask("recall"), 0).interval(level)
    expected = proportion_confint(14, 16, alpha=1 - level, method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx(expected, rel=1e-9)


@SIZES
def test_higher_levels_are_wider_for_every_kind_of_interval(confusion):
    for estimate in all_numbers(Sample(confusion)):
        wider = estimate.interval(0.99)
        assert wider.low < estimate.low < estimate.value < estimate.high < wider.high


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 0], [0, 1]],
        [[50, 0], [0, 50]],
        [[0, 9], [9, 1]],
        [[3, 1], [0, 90]],
        [[9, 0, 0], [0, 9, 0], [0, 0, 9]],
        [[1, 0, 0], [0, 1, 0], [1, 0, 90]],
        np.eye(20, dtype=int),
        5 * np.eye(21, dtype=int) + np.eye(21, k=1, dtype=int),
    ],
)
def test_the_value_lies_in_its_interval_even_at_the_edge(matrix):
    for estimate in all_numbers(Sample(Confusion(matrix))):
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.high - estimate.low > 1e-3


def test_the_level_of_the_sample_is_the_level_of_its_estimates():
    for estimate in all_numbers(Sample(TWO, level=0.8)):
        assert estimate.level == 0.8


def test_json_has_the_keys_of_the_contract():
    estimate = Sample(TWO).of_class(ask("recall"), 0)
    form = estimate.to_dict()
    assert list(form) == CONTRACT
    assert (form["value"], form["method"], form["n"]) == (0.875, "wilson", 16)
    assert (form["level"], form["assumption"]) == (0.95, "independent rows")
    assert json.loads(json.dumps(form)) == form


@SIZES
def test_json_of_every_kind_of_interval_is_plain(confusion):
    for estimate in all_numbers(Sample(confusion)):
        assert list(estimate.to_dict()) == CONTRACT
        assert type(estimate.value) is type(estimate.low) is type(estimate.high) is float
        json.dumps(estimate.to_dict(), allow_nan=False)


def test_a_note_is_added_to_the_json():
    # Nothing was called the second class, so its precision is left out of the average: 3 / 5 is left.
    estimate = Sample(Confusion([[3, 0], [2, 0]], labels=["a", "b"])).of_average(ask("precision_macro"))
    form = estimate.to_dict()
    assert list(form) == [*CONTRACT, "note"]
    assert form["value"] == pytest.approx(0.6)
    assert "1 of 2 classes" in form["note"]
    assert "'b'" in form["note"]


def test_an_undefined_number_has_a_reason_and_nothing_else():
    estimate = Sample(NO_POSITIVES).of_class(ask("recall"), 0)
    assert estimate.value is estimate.low is estimate.high is None
    assert estimate.to_dict() == {"value": None, "why": estimate.why}
    assert estimate.why == "no row is actually positive (tp + fn = 0)"
    assert str(estimate) == f"undefined: {estimate.why}"
    with pytest.raises(ValueError, match="no row is actually positive"):
        float(estimate)


def test_undefined_stays_undefined_at_another_level():
    again = undefined("there are no rows").interval(0.99)
    assert again.to_dict() == {"value": None, "why": "there are no rows"}
    assert again.level == 0.99


def test_a_number_without_interval_says_why():
    estimate = Sample(TWO).of_table(ask("no_information_rate"))
    assert estimate.value == pytest.approx(44 / 60)
    assert estimate.low is estimate.high is None
    assert str(estimate) == f"0.7333 (no interval: {estimate.note})"


@pytest.mark.parametrize(
    "name",
    [
        "prevalence_micro",
        "prevalence_macro",
        "predicted_positive_rate_micro",
        "predicted_positive_rate_macro",
    ],
)
@SIZES
def test_shares_of_all_rows_average_to_1_by_the_number_of_classes(name, confusion):
    # Every row belongs to one class and is called one, so the shares add up to 1 whatever the table.
    estimate = Sample(confusion).of_average(ask(name))
    assert estimate.value == pytest.approx(1 / len(confusion.labels))
    assert estimate.low is estimate.high is None
    assert "no interval" in estimate.note


def test_text_and_number():
    estimate = Estimate(0.87512, method="wilson", n=1600, ends_at=lambda level: (0.85, 0.9 * level / 0.95))
    assert str(estimate) == "0.8751 [0.85, 0.9] (95 % wilson, n = 1,600)"
    assert float(estimate) == 0.87512


def test_a_number_in_a_console_shows_value_and_interval():
    estimate = Estimate(0.87512, method="wilson", n=1600, ends_at=lambda level: (0.85, 0.9 * level / 0.95))
    assert repr(estimate) == "Estimate(0.8751 [0.85, 0.9] (95 % wilson, n = 1,600))"
    assert repr(undefined("there are no rows")) == "Estimate(undefined: there are no rows)"
    assert repr(Estimate(0.5, remark="given")) == "Estimate(0.5 (no interval: given))"


@pytest.mark.parametrize(("level", "text"), [(0.999, "99.9 %"), (0.995, "99.5 %"), (0.9, "90 %")])
def test_the_text_does_not_round_the_level(level, text):
    assert text in str(Estimate(0.5, method="wilson", n=10, ends_at=at).interval(level))


def test_an_estimate_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Estimate(0.5).value = 0.6  # type: ignore[misc]


@pytest.mark.parametrize("level", [0.5, 0.95, np.float64(0.99)])
def test_levels_between_0_and_1_are_taken(level):
    assert checked_level(level) == level


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, 101, float("nan"), True, "0.95", None])
def test_other_levels_are_refused(level):
    with pytest.raises(OptionError):
        Estimate(0.5, ends_at=at).interval(level)


def test_a_level_in_percent_is_refused_with_the_number_meant():
    with pytest.raises(OptionError) as caught:
        Estimate(0.5, ends_at=at).interval(95)
    assert "between 0 and 1, got 95" in caught.value.message
    assert "0.95" in caught.value.hint
    assert "95 %" in caught.value.hint


def test_an_approximate_value_says_how_far_off_it_can_be():
    made = Estimate(0.5, method="wilson", n=10, ends_at=at, bounds=(0.4, 0.5123))
    assert made.off_by == "0.10"
    assert str(made) == "0.5 [0.4, 0.595] (off by at most 0.10; 95 % wilson, n = 10)"
    without = Estimate(0.5, remark="it has none", bounds=(0.49999, 0.5000123))
    assert str(without) == "0.5 (off by at most 0.000013; no interval: it has none)"
    assert Estimate(0.5).off_by == ""
