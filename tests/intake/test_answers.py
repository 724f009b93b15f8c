"""The interface's rules on thresholds and on probabilities of every class, one test per rule."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from tallymark.evaluation import Evaluation, evaluate

Matrix = list[list[int]]


def matrix(ev: Evaluation) -> Matrix:
    assert ev.confusion is not None
    counts: Matrix = ev.confusion.matrix.tolist()
    return counts


def refusal(error: type[tm.TallymarkError], *data: Any, **options: Any) -> tm.TallymarkError:
    """The error evaluate() ends with: always one line."""
    with pytest.raises(error) as caught:
        evaluate(*data, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def typed(labels: Sequence[Any]) -> list[tuple[type, Any]]:
    return [(type(label), label) for label in labels]


# --- the threshold ----------------------------------------------------------------------------------


def test_a_score_equal_to_the_threshold_is_positive() -> None:
    ev = evaluate([0, 1, 1], y_score=[0.3, np.nextafter(0.3, 0), 0.3], threshold=0.3)
    assert matrix(ev) == [[0, 1], [1, 1]]
    assert ev.threshold == 0.3


def test_predicted_given_leaves_no_threshold() -> None:
    ev = evaluate([0, 1], [0, 0], y_score=[0.9, 0.9])
    assert ev.threshold is None
    assert matrix(ev) == [[1, 0], [1, 0]]


def test_predicted_and_a_threshold_exclude_each_other() -> None:
    error = refusal(tm.OptionError, [0, 1], [0, 1], threshold=0.5)
    assert error.message == "the answers are given, so a threshold has nothing to decide."
    refusal(tm.OptionError, [0, 1], [0, 1], y_score=[0.1, 0.2], threshold=0.5)


def test_a_score_alone_is_cut_at_one_half_and_said() -> None:
    ev = evaluate([0, 1, 1], y_score=[0.5, 0.5, 0.499])
    assert ev.threshold == 0.5
    assert matrix(ev) == [[0, 1], [1, 1]]
    assert ev.notes == ("no threshold was given: score >= 0.5 is called 1.",)
    assert "no threshold was given" in str(ev)
    assert evaluate([0, 1], y_score=[0.1, 0.9], threshold=0.5).notes == ()


@pytest.mark.parametrize("scores", [[0.1, 1.5], [-0.1, 0.5], [-3, 7]])
def test_scores_outside_0_to_1_have_no_default_threshold(scores: list[float]) -> None:
    ev = evaluate([0, 1], y_score=scores)
    assert (ev.threshold, ev.confusion) == (None, None)
    assert (ev.labels, ev.positive, ev.rows) == ((0, 1), 1, 2)
    assert {ev[name].why for name in ("recall", "accuracy", "f1_macro")} == {"pass a threshold"}
    assert ev.notes == ("scores leave [0, 1], so there is no default threshold; pass one.",)
    form = json.loads(ev.to_json())
    assert form["metrics"]["recall"] == {"value": None, "why": "pass a threshold"}
    assert (form["confusion"], form["threshold"]) == (None, None)
    assert "pass a threshold" in " ".join(str(ev).split())


def test_scores_outside_0_to_1_are_fine_with_a_threshold() -> None:
    assert matrix(evaluate([0, 1], y_score=[-3, 7], threshold=2)) == [[1, 0], [0, 1]]


@pytest.mark.parametrize("threshold", ["0.3", "  0.3 ", np.float32(0.5), 1, "3e-1"])
def test_a_threshold_may_be_written_as_any_number(threshold: Any) -> None:
    assert evaluate([0, 1], y_score=[0.1, 1.0], threshold=threshold).threshold == float(threshold)


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        ("nan", "finite number"),
        (math.inf, "finite number"),
        ([0.5], "finite number"),
        ("worst", "best:f1, best:accuracy, best:youden, best:cost"),
        ("best:auc", "best:f1, best:accuracy, best:youden, best:cost"),
        ("best:", "best:f1, best:accuracy, best:youden, best:cost"),
    ],
)
def test_a_threshold_is_a_finite_number_or_best(threshold: Any, said: str) -> None:
    assert said in refusal(tm.OptionError, [0, 1], y_score=[0.1, 0.9], threshold=threshold).message


@pytest.mark.parametrize(
    ("threshold", "objective"),
    [("best", "f1"), ("best:f1", "f1"), ("best:accuracy", "accuracy"), ("best:youden", "youden")],
)
def test_best_picks_the_threshold_and_says_for_what(threshold: str, objective: str) -> None:
    ev = evaluate([0, 0, 1, 1], y_score=[0.1, 0.2, 0.8, 0.9], threshold=threshold)
    assert (ev.threshold, ev.chosen_here) == (0.8, objective)


def test_best_cost_needs_costs_and_uses_them_in_the_stated_order() -> None:
    assert refusal(tm.OptionError, [0, 1], y_score=[0.1, 0.9], threshold="best:cost").message == (
        "the threshold best:cost needs costs."
    )
    # Misses cost 10, false alarms 1: calling all four rows positive costs 1, any miss 10.
    rows, scores = ["n", "y", "y", "y"], [0.2, 0.1, 0.8, 0.9]
    for labels, costs in ((["y", "n"], [[0, 10], [1, 0]]), (["n", "y"], [[0, 1], [10, 0]])):
        ev = evaluate(rows, y_score=scores, pos_label="y", labels=labels, costs=costs, threshold="best:cost")
        assert ev.threshold == 0.1
        assert ev["total_cost"].value == 1
    named = {"y": {"n": 1}, "n": {"y": 10}}
    ev = evaluate(rows, y_score=scores, pos_label="y", costs=named, threshold="best:cost")
    assert ev.threshold == 0.8


# --- probabilities ----------------------------------------------------------------------------------

ACTUAL = ["a", "b", "c", "b"]
TABLE = {"a": [0.6, 0.2, 0.1, 0.5], "b": [0.3, 0.7, 0.2, 0.3], "c": [0.1, 0.1, 0.7, 0.2]}
COUNTS = [[1, 0, 0], [1, 1, 0], [0, 0, 1]]


def probability_frame(prefix: str, order: str = "abc") -> pl.DataFrame:
    return pl.DataFrame({"y": ACTUAL} | {f"{prefix}{name}": TABLE[name] for name in order})


@pytest.mark.parametrize("prefix", ["", "p_", "prob_"])
@pytest.mark.parametrize("order", ["abc", "cab"])
def test_probability_columns_are_matched_by_name(prefix: str, order: str) -> None:
    frame = probability_frame(prefix, order)
    ev = evaluate(frame, actual="y", probabilities=[f"{prefix}{name}" for name in order])
    assert ev.labels == ("a", "b", "c")
    assert matrix(ev) == COUNTS
    assert (ev.threshold, ev.notes) == (None, ())


def test_probability_columns_may_be_mapped() -> None:
    frame = probability_frame("x").rename({"xa": "one", "xb": "two", "xc": "three"})
    ev = evaluate(frame, actual="y", probabilities={"c": "three", "a": "one", "b": "two"})
    assert matrix(ev) == COUNTS


def test_probability_columns_of_other_names_go_by_the_labels_given() -> None:
    frame = probability_frame("x", "cab")
    ev = evaluate(frame, actual="y", probabilities=["xc", "xa", "xb"], labels=["c", "a", "b"])
    assert ev.labels == ("c", "a", "b")
    assert matrix(ev) == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert ev.notes == ("probability columns were taken in the order of the labels given.",)


def test_names_win_over_the_order_of_the_labels_given() -> None:
    ev = evaluate(
        probability_frame("p_", "bca"),
        actual="y",
        probabilities=["p_b", "p_c", "p_a"],
        labels=["a", "b", "c"],
    )
    assert matrix(ev) == COUNTS


@pytest.mark.parametrize("form", [np.array, list])
def test_a_table_of_probabilities_needs_the_labels(form: Any) -> None:
    table = form([list(row) for row in zip(*TABLE.values(), strict=True)])
    assert matrix(evaluate(ACTUAL, y_score=table, labels=["a", "b", "c"])) == COUNTS
    error = refusal(tm.LabelError, ACTUAL, y_score=table)
    assert error.message == (
        "the probability columns cannot be matched to the labels ['a', 'b', 'c'] by their names."
    )
    assert error.hint is not None
    assert "--labels" in error.hint


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_of_probabilities_is_matched_by_its_names(frame: Any) -> None:
    shuffled = {f"p_{name}": TABLE[name] for name in "bca"}
    assert matrix(evaluate(ACTUAL, y_score=frame(shuffled))) == COUNTS


def test_columns_named_by_numbers_match_number_labels() -> None:
    table = pd.DataFrame({2: TABLE["c"], 0: TABLE["a"], 1: TABLE["b"]})
    ev = evaluate([0, 1, 2, 1], y_score=table)
    assert typed(ev.labels) == typed([0, 1, 2])
    assert matrix(ev) == COUNTS


@pytest.mark.parametrize("actual", [[0, 1, 2, 1], ["0", "1", "2", "1"], ["0.0", "1", "2", "1.0"]])
def test_number_labels_may_be_named_by_text(actual: list[Any]) -> None:
    frame = pl.DataFrame({"y": actual, "p_0": TABLE["a"], "p_1": TABLE["b"], "p_2": TABLE["c"]})
    named = ["p_2", "p_1", "p_0"]
    for given in (named, {"2": "p_2", "1": "p_1", "0": "p_0"}, {2: "p_2", 1: "p_1", 0: "p_0"}):
        ev = evaluate(frame, actual="y", probabilities=given)
        assert typed(ev.labels) == typed([0, 1, 2])
        assert matrix(ev) == COUNTS


def test_a_class_that_never_occurs_still_has_its_column() -> None:
    ev = evaluate(
        pl.DataFrame({"y": ["a", "b"], "a": [0.2, 0.2], "b": [0.3, 0.5], "z": [0.5, 0.3]}),
        actual="y",
        probabilities=["a", "b", "z"],
    )
    assert ev.labels == ("a", "b", "z")
    assert matrix(ev) == [[0, 0, 1], [0, 1, 0], [0, 0, 0]]


def test_an_actual_label_without_a_column_is_refused() -> None:
    frame = probability_frame("p_").select("y", p_a=pl.lit(0.5), p_b=pl.lit(0.5))
    said = "no probability column is named for ['c'], and actual (column 'y') holds it at position 2 (counted"
    error = refusal(tm.LabelError, frame, actual="y", probabilities=["p_a", "p_b"])
    assert error.message == f"{said} from 0)."
    for options in ({}, {"labels": ["a", "b", "c"]}):
        error = refusal(tm.LabelError, frame, actual="y", probabilities={"a": "p_a", "b": "p_b"}, **options)
        assert error.message == f"{said} from 0)."
    with_none = {"probabilities": {"a": "p_a", "b": "p_b"}, "labels": ["a", "b", "c", "z"]}
    error = refusal(tm.LabelError, frame.filter(pl.col("y") != "c"), actual="y", **with_none)
    assert error.message == "no probability column is named for ['c', 'z']."
    error = refusal(tm.LabelError, frame, actual="y", probabilities=["p_a", "p_b"], labels=["a", "b"])
    assert error.message.startswith("actual (column 'y') holds ['c'] at position 2")


def test_a_column_about_a_label_that_was_not_given_is_refused() -> None:
    frame = probability_frame("p_").filter(pl.col("y") != "c")
    error = refusal(tm.LabelError, frame, actual="y", probabilities=["p_a", "p_b", "p_c"], labels=["a", "b"])
    assert error.message == "probability columns are about ['c']; the labels given are ['a', 'b']."


def test_the_number_of_labels_and_columns_must_agree() -> None:
    error = refusal(tm.LabelError, ["a", "b"], y_score=[[0.5, 0.5], [0.5, 0.5]], labels=["a", "b", "c"])
    assert error.message == "2 probability columns for 3 labels ['a', 'b', 'c']."


def test_too_few_columns_are_not_said_to_add_up_to_less_than_1() -> None:
    frame = probability_frame("p_")
    two = ["p_a", "p_b"]
    error = refusal(tm.LabelError, frame, actual="y", probabilities=two, labels=["a", "b", "c"])
    assert error.message == "2 probability columns ['p_a', 'p_b'] for 3 labels ['a', 'b', 'c']."
    error = refusal(tm.LabelError, frame, actual="y", probabilities=two)
    assert "named for ['c'], and actual (column 'y') holds it at position 2" in error.message
    numbers = pl.DataFrame({"y": [0, 2, 1, 2], "p_0": [0.5] * 4, "p_1": [0.4] * 4})
    error = refusal(tm.LabelError, numbers, actual="y", probabilities=["p_0", "p_1"])
    assert "for [2], and actual (column 'y') holds it at positions 1, 3 (" in error.message


def test_a_class_has_one_column() -> None:
    frame = pl.DataFrame({"y": ["a", "a"], "p_a": [0.5, 0.5]})
    error = refusal(tm.OptionError, frame, actual="y", probabilities=["p_a", "p_a"])
    assert error.message == "column 'p_a' is named for two roles; a column has one."
    named = {"a": "p_a", "b": "p_a"}
    assert refusal(tm.OptionError, frame, actual="y", probabilities=named).message == error.message


def test_a_class_has_no_second_column_of_another_form() -> None:
    """`p_a` beside `a` would make a class called 'p_a' of it."""
    table = pl.DataFrame({"a": [0.5, 0.2], "p_a": [0.2, 0.2], "b": [0.3, 0.6]})
    frame = table.with_columns(y=pl.Series(["a", "b"]))
    said = "several probability columns are about 'a': ['a', 'p_a']."
    assert refusal(tm.LabelError, frame, actual="y", probabilities=["a", "p_a", "b"]).message == said
    assert refusal(tm.LabelError, ["a", "b"], y_score=table).message == said
    several = frame.rename({"a": "prob_a", "b": "prob_b"})
    assert refusal(tm.LabelError, several, actual="y", probabilities=["prob_b", "prob_a", "p_a"]).message == (
        "several probability columns are about 'a': ['prob_a', 'p_a']."
    )


def test_rows_add_up_to_1_within_a_hundredth() -> None:
    near = np.array([[0.33, 0.33, 0.33], [0.34, 0.33, 0.34]])
    for table in (near, near.astype(np.float32)):
        assert evaluate(["a", "b"], y_score=table, labels=["a", "b", "c"]).rows == 2
    error = refusal(tm.ColumnError, ["a"] * 5, y_score=[[0.5, 0.5], *[[0.5, 0.48]] * 4], labels=["a", "b"])
    assert error.message == (
        "the probabilities of a row add up to 1; 4 rows do not, at positions 1, 2, 3 and 1 more "
        "(counted from 0); the first adds up to 0.98."
    )


def test_probabilities_lie_between_0_and_1() -> None:
    error = refusal(tm.ColumnError, ["a", "b"], y_score=[[0.5, 0.5], [1.5, -0.5]], labels=["a", "b"])
    assert error.message == (
        "probabilities lie between 0 and 1; 1 row has others, at position 1 (counted from 0)."
    )


def test_probabilities_may_leave_0_to_1_by_the_dust_of_floats() -> None:
    dust = 9e-7
    for table in ([[1 + dust, -dust], [-dust, 1 + dust]], np.array([[1.0000001, 0], [0, 1]], np.float32)):
        assert matrix(evaluate(["a", "b"], y_score=table, labels=["a", "b"])) == [[1, 0], [0, 1]]
    for more in ([1 + 2e-6, 0], [1, -2e-6]):
        error = refusal(tm.ColumnError, ["a", "b"], y_score=[[0.5, 0.5], more], labels=["a", "b"])
        assert error.message.startswith("probabilities lie between 0 and 1; 1 row has others, at position 1")


def test_of_tied_classes_the_first_in_label_order_is_taken_and_ties_are_counted() -> None:
    table = [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.1, 0.1, 0.8]]
    ev = evaluate(["a", "a", "a"], y_score=table, labels=["a", "b", "c"])
    assert matrix(ev)[0] == [1, 1, 1]
    assert ev.notes == ("2 rows have a tie for the largest probability; the first in label order was taken.",)
    ev = evaluate(
        ["a", "a", "a"],
        y_score=pl.DataFrame(table, schema=["a", "b", "c"], orient="row"),
        labels=["c", "b", "a"],
    )
    assert matrix(ev)[2] == [2, 1, 0]


def test_a_threshold_does_not_cut_probabilities_of_every_class() -> None:
    error = refusal(tm.OptionError, ["a", "b"], y_score=[[0.5, 0.5]] * 2, labels=["a", "b"], threshold=0.3)
    assert error.hint == "pass the positive class's column as the score to use a threshold."


def test_a_score_and_probabilities_exclude_each_other() -> None:
    refusal(
        tm.OptionError, probability_frame("p_"), actual="y", score="p_a", probabilities=["p_a", "p_b", "p_c"]
    )


@pytest.mark.parametrize(
    "table", [[[0.5, 0.5], [1.0]], [[[0.5], [0.5]], [[0.5], [0.5]]], [["x", "y"], ["x", "y"]]], ids=str
)
def test_probabilities_are_a_table_of_numbers(table: Any) -> None:
    refusal(tm.InputError, ["a", "b"], y_score=table, labels=["a", "b"])


def test_a_masked_probability_is_missing() -> None:
    table = np.ma.array([[0.9, 0.1], [0.1, 0.9]], mask=[[0, 0], [1, 1]])
    refusal(tm.MissingValueError, [0, 1], y_score=table, labels=[0, 1])


@pytest.mark.parametrize("scores", [[[0.1], [0.9]], np.array([[0.1], [0.9]])], ids=["nested", "array"])
def test_one_column_of_probabilities_is_a_score(scores: Any) -> None:
    assert tm.evaluate([0, 1], y_score=scores)["accuracy"].value == 1


def test_a_name_is_not_read_letter_by_letter() -> None:
    frame = pd.DataFrame({"y": ["a", "b"], "a": [1.0, 0.0], "b": [0.0, 1.0]})
    refusal(tm.OptionError, frame, actual="y", probabilities="ab")


@pytest.mark.parametrize("table", [np.empty((2, 0)), [[], []], pd.DataFrame(index=[0, 1])], ids=type)
def test_probabilities_without_a_column_are_refused(table: Any) -> None:
    refusal(tm.InputError, [0, 1], y_score=table)
