"""`tm.plan`: the three questions, what is said with the answers, and what is refused."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm

# --- rows for a half width ---------------------------------------------------------------------


def test_half_width() -> None:
    made = tm.plan(half_width=0.05, expected=0.9)
    low, high = proportion_confint(made.n * 0.9, made.n, method="wilson")
    assert (made.low, made.high) == pytest.approx((low, high))
    assert made.half_width == pytest.approx((high - low) / 2)
    assert (high - low) / 2 <= 0.05
    assert (made.n, made.textbook_n) == (141, 139)  # 1.96^2 * 0.09 / 0.0025 = 138.3
    assert (made.method, made.assumption) == ("wilson", "independent rows")
    assert (made.difference, made.power, made.paired) == (None, None, None)
    assert made.chance is not None
    assert "as in 56% of samples" in made.notes[0]


def test_worst_case_is_said() -> None:
    made = tm.plan(half_width=0.01)
    assert (made.n, made.expected, made.chance) == (9600, None, 1)
    assert made.notes == (
        "No value was expected, so this is the worst case: whatever value comes out, the interval is "
        "not wider.",
    )


def test_a_low_confidence_level_is_no_matter_of_power() -> None:
    """z = 0.12566 for 10 %; (z / 2h)^2 - z^2 = 39.5."""
    assert tm.plan(half_width=0.01, confidence_level=0.1).n == 40


def test_error_rate_mirrors_accuracy() -> None:
    assert tm.plan(half_width=0.02, expected=0.1, metric="error_rate").n == (
        tm.plan(half_width=0.02, expected=0.9).n
    )


@pytest.mark.parametrize(
    ("metric", "share", "rows"),
    [
        ("recall", {"prevalence": 0.1}, 1410),
        ("sensitivity", {"prevalence": 0.1}, 1410),
        ("specificity", {"prevalence": 0.1}, 157),
        ("precision", {"predicted_positive_rate": 0.3}, 470),
        ("npv", {"predicted_positive_rate": 0.9}, 1410),
    ],
)
def test_rows_of_one_class(metric: str, share: dict[str, float], rows: int) -> None:
    """141 rows of the class, as above, over its share."""
    made = tm.plan(half_width=0.05, expected=0.9, metric=metric, **share)  # type: ignore[arg-type]
    assert (made.n, made.counted) == (rows, 141)
    assert any(note.startswith(f"How many {made.counts} there are varies") for note in made.notes)


# --- rows for a difference ---------------------------------------------------------------------


def test_difference_on_other_rows() -> None:
    """R: power.prop.test(p1 = .50, p2 = .75, power = .90) gives 76.7 rows in each set."""
    made = tm.plan(difference=0.25, expected=0.5, power=0.9)
    assert (made.n, made.method, made.paired) == (77, "two_proportions", False)
    assert made.values == (0.5, 0.75)
    assert made.power is not None
    assert 0.9 <= made.power < 0.905


def test_difference_on_same_rows() -> None:
    """Chow, Shao & Wang: 0.5 against 0.2 of the pairs takes 59 pairs."""
    made = tm.plan(difference=0.3, disagreement=0.7)
    assert (made.n, made.method, made.paired, made.values) == (59, "mcnemar", True, None)


def test_independent_errors_unless_said() -> None:
    """0.85 * 0.13 + 0.87 * 0.15 = 0.241."""
    made = tm.plan(difference=0.02, expected=0.85, paired=True)
    assert made.disagreement == pytest.approx(0.241)
    assert any("they disagree on 24.1% of the rows" in note for note in made.notes)


def test_better_means_lower_for_errors() -> None:
    made = tm.plan(difference=0.02, expected=0.15, metric="error_rate")
    assert made.values == pytest.approx((0.15, 0.13))
    assert made.n == tm.plan(difference=0.02, expected=0.85).n


def test_worse_takes_other_rows_than_better() -> None:
    better, worse = (tm.plan(difference=d, expected=0.9) for d in (0.05, -0.05))
    assert worse.values == pytest.approx((0.9, 0.85))
    assert worse.n > better.n
    assert worse.n == tm.plan(difference=0.05, expected=0.85).n


def test_few_disagreements_are_said() -> None:
    made = tm.plan(difference=0.1, disagreement=0.1)
    assert made.notes[-1] == (
        "Only about 8 disagreements are to be expected, so few that the power is rough."
    )


# --- what rows tell ----------------------------------------------------------------------------


def test_rows() -> None:
    made = tm.plan(rows=1000, expected=0.85)
    assert (made.low, made.high) == pytest.approx(proportion_confint(850, 1000, method="wilson"))
    assert made.difference is not None
    assert tm.plan(difference=made.difference, expected=0.85).n == 1000
    assert [row["disagreement"] for row in made.same_rows] == [0.02, 0.05, 0.1, 0.2]
    for row in made.same_rows:
        again = tm.plan(difference=row["difference"], expected=0.85, disagreement=row["disagreement"])
        assert again.n == 1000


def test_only_possible_disagreements_are_listed() -> None:
    """Two models of 0.96 disagree on 0.08 of the rows at most, two of 0.05 on 0.1."""
    assert [row["disagreement"] for row in tm.plan(rows=1000, expected=0.96).same_rows] == [0.02, 0.05]
    assert [row["disagreement"] for row in tm.plan(rows=1000, expected=0.05).same_rows] == [0.02, 0.05]


def test_rows_and_a_difference_give_the_power() -> None:
    """R: power.prop.test(n = 50, p1 = .50, p2 = .75) gives 0.740."""
    assert tm.plan(rows=50, difference=0.25, expected=0.5).power == pytest.approx(0.740, abs=0.0005)


def test_out_of_reach_has_a_reason() -> None:
    made = tm.plan(rows=50, expected=0.98)
    assert made.difference is None
    assert made.notes[0].startswith("No improvement is found with power 0.8: even the largest")


def test_evaluation() -> None:
    """(282 + 4841) / 5660 rows are right, 282 of 357 positives."""
    ev = tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")
    made = tm.plan(rows=ev)
    assert (made.n, made.expected) == (5660, pytest.approx(5123 / 5660))
    assert (made.low, made.high) == pytest.approx((ev["accuracy"].low, ev["accuracy"].high))
    made = tm.plan(rows=ev, metric="recall")
    assert (made.counted, made.expected) == (357, pytest.approx(282 / 357))
    assert (made.low, made.high) == pytest.approx((ev["recall"].low, ev["recall"].high))
    assert tm.plan(rows=ev, expected=0.5).expected == 0.5


def test_evaluation_without_errors() -> None:
    ev = tm.Confusion([[5, 0], [0, 5]], labels=["1", "0"]).evaluate(pos_label="1")
    with pytest.raises(tm.OptionError, match=r"accuracy of this evaluation is 1, .* pass expected="):
        tm.plan(rows=ev)
    assert tm.plan(rows=ev, expected=0.95).n == 10


# --- the result --------------------------------------------------------------------------------


PLANS: list[dict[str, Any]] = [
    {"half_width": 0.05},
    {"half_width": 0.05, "expected": 0.9, "metric": "recall", "prevalence": 0.1},
    {"half_width": 0.05, "expected": 0.9, "rows_per_group": 4, "icc": 0.2},
    {"difference": 0.05},
    {"difference": 0.05, "expected": 0.8, "paired": True},
    {"difference": 0.05, "disagreement": 0.2},
    {"rows": 400},
    {"rows": 400, "expected": 0.999},
    {"rows": 400, "difference": 0.05, "disagreement": 0.2},
    {"rows": 400, "metric": "precision", "predicted_positive_rate": 0.1},
    {"rows": 1},
]


@pytest.mark.parametrize("given", PLANS)
def test_json_and_text(given: dict[str, Any]) -> None:
    made = tm.plan(**given)
    form = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert form["schema"] == "tallymark/plan/1"
    assert (form["n"], form["notes"]) == (made.n, list(made.notes))
    text = str(made)
    assert text.startswith(("You need ", "You have "))
    assert "?" not in text
    assert len([row for row in made.table if row["n"] == made.n]) == 1


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        tm.plan(half_width=0.1).n = 5  # type: ignore[misc]


# --- refusals ----------------------------------------------------------------------------------

BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "nothing was asked"),
    ({"half_width": 0.1, "rows": 5}, "half_width and rows are separate questions"),
    ({"half_width": 0.1, "difference": 0.1}, "half_width and difference are separate questions"),
    ({"half_width": 0.5}, "half_width must be below 0.5"),
    ({"half_width": 2}, "got 2. Hint: write 0.02 for 2 %"),
    ({"half_width": 0}, "half_width must be 0.000001 or more; got 0"),
    ({"half_width": -0.1}, "half_width must be 0.000001 or more; got -0.1"),
    ({"half_width": float("nan")}, "half_width must be finite"),
    ({"half_width": "0.1"}, "half_width must be a number, got '0.1'"),
    ({"half_width": 0.1, "expected": 0}, "expected must be a share strictly between 0 and 1; got 0"),
    ({"half_width": 0.1, "expected": 90}, "Hint: write 0.9 for 90 %"),
    ({"half_width": 0.1, "power": 0.8}, "power has no effect on the width of an interval"),
    ({"half_width": 0.1, "paired": True}, "paired has no effect on the width"),
    ({"half_width": 0.1, "metric": "f1"}, "only a share of rows can be planned for, and f1 is not one"),
    ({"half_width": 0.1, "metric": "recall"}, "Hint: give --prevalence (prevalence=)"),
    ({"half_width": 0.1, "metric": "recall_macro"}, "recall_macro is not one"),
    ({"half_width": 0.1, "prevalence": 0.1}, "prevalence has no effect on accuracy"),
    ({"half_width": 0.1, "icc": 0.1}, "icc was given without rows_per_group"),
    ({"half_width": 0.1, "rows_per_group": 5}, "rows_per_group was given without icc"),
    ({"half_width": 0.1, "rows_per_group": 1, "icc": 0.1}, "rows_per_group must be more than 1"),
    ({"half_width": 0.1, "rows_per_group": 5, "icc": -0.1}, "icc must be a correlation from 0 to 1"),
    ({"half_width": 0.1, "confidence_level": 95}, "Hint: write 0.95 for 95 %"),
    ({"difference": 0}, "difference must be 0.000001 or more"),
    ({"difference": 2}, "Hint: write 0.02 for 2 %"),
    ({"difference": 0.2, "expected": 0.85}, "no model can be 0.2 better: from the expected value there is"),
    ({"difference": -0.2, "expected": 0.15}, "no model can be 0.2 worse"),
    ({"difference": 0.1, "power": 0.05}, "power must be more than 0.05"),
    ({"difference": 0.1, "power": 1}, "power must be a probability strictly between 0 and 1"),
    ({"difference": 0.1, "confidence_level": 0.1}, "power must be more than 0.9"),
    ({"difference": 0.1, "disagreement": 0.05}, "disagreement 0.05 is less than difference 0.1"),
    ({"difference": 0.02, "expected": 0.95, "disagreement": 0.2}, "disagreement 0.2 is too much"),
    ({"rows": 100, "expected": 0.95, "disagreement": 0.1}, "disagreement 0.1 is too much"),
    (
        {"difference": 0.1, "metric": "precision", "predicted_positive_rate": 0.2, "paired": True},
        "precision cannot be planned for on the same rows",
    ),
    ({"rows": 0}, "rows must be a whole number from 1"),
    ({"rows": 10.5}, "rows must be a whole number from 1"),
    ({"rows": "many"}, "rows must be a number"),
    ({"rows": 100, "difference": 0.1, "power": 0.9}, "power has no effect beside rows and difference"),
]


@pytest.mark.parametrize(("given", "said"), BAD)
def test_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(tm.OptionError) as refused:
        tm.plan(**given)
    assert said in str(refused.value)


def test_unknown_metric() -> None:
    with pytest.raises(tm.MetricError, match="did you mean recall"):
        tm.plan(half_width=0.1, metric="recal")
