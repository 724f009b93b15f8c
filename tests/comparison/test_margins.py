"""What a margin says of two models, for those who read it by machine."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.comparison.difference import Better, Difference
from tallymark.comparison.margins import Within, fitting, within
from tallymark.inference import Estimate
from tallymark.tests.outcome import Outcome

SHOWN = ("equivalent", "a_not_worse", "b_not_worse", "a_better", "b_better")


def difference(low: float, high: float, better: Better | None = "higher") -> Difference:
    """An interval that is the same at every level."""
    estimate = Estimate((low + high) / 2, method="made up", ends_at=lambda _: (low, high))
    return Difference("accuracy", "a", "b", estimate, True, better, lambda: Outcome("none", None, 0.5))


def shown(low: float, high: float, better: Better | None = "higher") -> set[str]:
    found = within(difference(low, high, better), 0.95, 0.1)
    assert found is not None
    assert (found.low, found.high, found.margin, found.level) == (low, high, 0.1, 0.9)
    return {name for name in SHOWN if getattr(found, name)}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.05, 0.05, {"equivalent", "a_not_worse", "b_not_worse"}),
        (-0.05, 0.2, {"a_not_worse"}),
        (-0.2, 0.05, {"b_not_worse"}),
        (-0.2, 0.2, set()),
        (0.05, 0.2, {"a_not_worse"}),
        (0.15, 0.2, {"a_not_worse", "a_better"}),
        (-0.2, -0.15, {"b_not_worse", "b_better"}),
        # At the margin is not within it.
        (-0.1, 0.1, set()),
        (0.1, 0.2, {"a_not_worse"}),
    ],
)
def test_what_is_shown(low: float, high: float, expected: set[str]) -> None:
    assert shown(low, high) == expected
    # Where lower is better, the models change places.
    assert shown(-high, -low, "lower") == expected
    assert shown(low, high, None) == expected & {"equivalent"}


def test_without_a_margin_or_an_interval() -> None:
    assert within(difference(-0.05, 0.05), 0.95, None) is None
    bare = Estimate(0.1, ends_at=lambda _: "it was left out")
    found = within(
        Difference("ks", "a", "b", bare, True, "higher", lambda: Outcome("x", None, None)), 0.95, 0.1
    )
    assert isinstance(found, Within)
    assert (found.low, found.high, found.why) == (None, None, "it was left out")
    assert not any(getattr(found, name) for name in SHOWN)


RNG = np.random.default_rng(1)
Y = np.repeat([0, 1], 300)
A, B, C = (np.where(RNG.random(600) < share, Y, 1 - Y) for share in (0.85, 0.84, 0.7))


def test_the_interval_is_that_of_two_one_sided_tests() -> None:
    compared = tm.compare({"a": A, "b": B}, Y, margin=0.05)
    (found,) = compared.margins
    asked = compared["accuracy"].estimate.interval(0.9)
    assert (found.low, found.high) == (pytest.approx(asked.low), pytest.approx(asked.high))
    assert asked.low is not None
    assert asked.high is not None
    assert found.equivalent == (max(-asked.low, asked.high) < 0.05)
    assert ("are equivalent" in compared.verdict) == found.equivalent


def test_every_pair_in_the_verdicts_number() -> None:
    compared = tm.compare({"a": A, "b": B, "c": C}, Y, margin=0.2, metric="error_rate")
    assert [(each.a, each.b, each.metric) for each in compared.margins] == [
        ("a", "b", "error_rate"),
        ("a", "c", "error_rate"),
        ("b", "c", "error_rate"),
    ]
    # 0.15 and 0.16 against 0.3: never worse by as much as 0.2.
    assert all(each.a_not_worse for each in compared.margins)


def test_the_json_document_and_a_pickle_have_them() -> None:
    compared = tm.compare({"a": A, "b": B}, Y, margin=0.05)
    (form,) = json.loads(compared.to_json())["margins"]
    (found,) = compared.margins
    assert form == {
        "metric": "accuracy",
        "a": "a",
        "b": "b",
        "margin": 0.05,
        "level": 0.9,
        "low": found.low,
        "high": found.high,
        **{name: getattr(found, name) for name in SHOWN},
    }
    assert all(type(form[name]) is bool for name in SHOWN)
    assert pickle.loads(pickle.dumps(compared)).margins == compared.margins
    without = tm.compare({"a": A, "b": B}, Y)
    assert without.margins == ()
    assert "margins" not in without.to_dict()


def test_an_undefined_number_says_why_in_json() -> None:
    zeros = np.zeros(600, int)
    (form,) = tm.compare({"a": zeros, "b": zeros}, Y, margin=0.05, metric="precision").to_dict()["margins"]
    assert form["why"]
    assert form["low"] is None
    assert form["equivalent"] is False


@pytest.mark.parametrize(("margin", "metric"), [(1, "accuracy"), (5, "accuracy"), (2, "mcc"), (1.0, "auc")])
def test_a_margin_as_wide_as_the_number_is_refused(margin: float, metric: str) -> None:
    with pytest.raises(tm.TallymarkError, match=f"{metric} lies between .* a margin of {margin:g}"):
        tm.compare({"a": A * 0.5, "b": B * 0.5}, Y, margin=margin, metric=metric)


def test_margins_of_what_has_no_end_and_of_percentages() -> None:
    assert fitting(5.0, "log_loss") == 5.0
    assert fitting(1.9, "mcc") == 1.9
    assert fitting(5.0, "a number of one's own") == 5.0
    assert fitting(None, "accuracy") is None
    with pytest.raises(tm.TallymarkError) as raised:
        fitting(5.0, "accuracy")
    assert str(raised.value) == (
        "accuracy lies between 0 and 1, so no difference is beyond a margin of 5. "
        "Hint: 5 percentage points are written as 0.05."
    )


SCORES = [0.8, 0.82, 0.81, 0.79, 0.8, 0.83, 0.805, 0.795]
DESIGNS: dict[str, dict[str, Any]] = {
    "folds": {"data": {"a": SCORES, "b": SCORES[::-1]}, "per": "fold", "same_folds": True},
    "data sets": {"data": {"a": SCORES, "b": SCORES[::-1]}, "per": "dataset"},
    "figures": {"data": {"a": (0.85, 3000), "b": (0.85, 3000)}},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_other_designs_have_them_too(design: str) -> None:
    compared = tm.compare(**DESIGNS[design], margin=0.1)
    (found,) = compared.margins
    assert found.equivalent == ("are equivalent" in compared.verdict)
    with pytest.raises(tm.TallymarkError, match="a margin of 5"):
        tm.compare(**DESIGNS[design], margin=5)
