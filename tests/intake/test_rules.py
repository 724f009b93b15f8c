"""The interface's "Words and rules", one test per rule."""

from __future__ import annotations

import datetime as dt
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


# --- a matrix is rows = actual, columns = predicted -------------------------------------------------


def test_rows_are_actual_and_columns_predicted() -> None:
    ev = evaluate(["a", "a", "b"], ["b", "b", "b"])
    assert matrix(ev) == [[0, 2], [0, 1]]


# --- label order ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        ([10, 9, -1], (-1, 9, 10)),
        (["10", "9", "-1"], (-1, 9, 10)),
        (["b", "B", "a", "é", "10", "9"], ("10", "9", "B", "a", "b", "é")),
        ([True, False], (False, True)),
    ],
)
def test_numbers_stand_by_value_and_text_by_code_point(labels: list[Any], order: tuple[Any, ...]) -> None:
    assert typed(evaluate(labels, labels).labels) == typed(order)


@pytest.mark.parametrize("given", [["b", "c", "a"], ("b", "c", "a"), np.array(["b", "c", "a"])])
def test_labels_given_set_the_order_and_may_be_unseen(given: Any) -> None:
    ev = evaluate(["a", "b"], ["b", "b"], labels=given)
    assert typed(ev.labels) == typed(["b", "c", "a"])
    assert matrix(ev) == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_the_positive_class_is_not_moved() -> None:
    assert evaluate(["a", "b"], ["a", "b"], pos_label="b").labels == ("a", "b")
    assert evaluate(["a", "b"], ["a", "b"], pos_label="a").labels == ("a", "b")


def test_a_label_that_was_not_given_is_named_with_its_place() -> None:
    error = refusal(tm.LabelError, ["a", "b", "c", "c"], ["a"] * 4, labels=["a", "b"])
    assert (
        error.message
        == "actual holds ['c'] at positions 2, 3 (counted from 0); the labels given are ['a', 'b']."
    )
    error = refusal(tm.LabelError, [0, 1, 1], [0, 1, 7], labels=[0, 1])
    assert error.message == "predicted holds [7] at position 2 (counted from 0); the labels given are [0, 1]."


def test_the_place_of_an_unknown_label_is_the_users_even_after_rows_were_dropped() -> None:
    error = refusal(tm.LabelError, [None, 0, 1, 2], [0, 0, 1, 1], labels=[0, 1], missing="drop")
    assert "position 3 " in error.message


@pytest.mark.parametrize(
    ("found", "given", "labels"),
    [
        (["0", "1.0"], [0, 1], [0, 1]),
        (["0", "1.0"], ["0", "1"], ["0", "1"]),
        ([0, 1], ["0", "1"], ["0", "1"]),
        ([False, True], [0, 1], [0, 1]),
        ([0, 1], [0.0, 1.0], [0, 1]),
        ([0, 1], np.array([0, 1], np.int8), [0, 1]),
    ],
)
def test_labels_given_settle_how_the_found_ones_are_read(found: Any, given: Any, labels: list[Any]) -> None:
    ev = evaluate(found, found, labels=given)
    assert typed(ev.labels) == typed(labels)
    assert matrix(ev) == [[1, 0], [0, 1]]
    assert ev.positive == labels[1]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a"], "at least two"),
        ("ab", "must be a list"),
        ({"a", "b"}, "a list"),
        ({"a": 1, "b": 2}, "a list"),
        (5, "a list"),
        (["a", "b", "a"], "differ"),
        (["a", 1], "all numbers or all text"),
        (["a", None], "got None"),
        ([0.5, 1], "got 0.5"),
        ([["a"], ["b"]], "got ['a']"),
    ],
)
def test_labels_given_are_a_list_of_two_or_more_different_ones(labels: Any, said: str) -> None:
    assert said in refusal(tm.LabelError, ["a"], ["a"], labels=labels).message


# --- label types ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 1],
        [0.0, 1.0, 1.0],
        ["0", "1", "1"],
        ["0.0", "1.0", "1"],
        ["0", "1", "1.00"],
        np.array([0, 1, 1], np.uint8),
        np.array([0, 1, 1], np.float32),
    ],
    ids=str,
)
def test_zero_and_one_in_any_form_are_one_family_with_1_as_positive(labels: Any) -> None:
    ev = evaluate(labels, labels)
    assert typed(ev.labels) == typed([0, 1])
    assert typed([ev.positive]) == typed([1])
    assert matrix(ev) == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([False, True], True),
        (["False", "True"], "True"),
        (["false", "true"], "true"),
        (["FALSE", "TRUE"], "TRUE"),
    ],
)
def test_false_and_true_also_as_text_have_true_as_positive(labels: list[Any], positive: Any) -> None:
    ev = evaluate(labels, labels)
    assert typed(ev.labels) == typed(labels)
    assert typed([ev.positive]) == typed([positive])


@pytest.mark.parametrize("labels", [["a", "b"], [1, 2], [-1, 1], ["no", "yes"], [0, 1, 2], ["0", "1", "x"]])
def test_no_other_labels_have_a_positive_class_of_their_own(labels: list[Any]) -> None:
    assert evaluate(labels, labels).positive is None


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ([True, False], [1, 0]),
        ([1, 0], [True, False]),
        ([True, False], [1.0, 0.0]),
        ([1.0, 0.0], [1, 0]),
        ([1.0, 0], [True, 0.0]),
    ],
)
def test_booleans_zero_one_and_whole_floats_match_each_other(actual: Any, predicted: Any) -> None:
    ev = evaluate(actual, predicted)
    assert typed(ev.labels) == typed([0, 1])
    assert matrix(ev) == [[1, 0], [0, 1]]


def test_number_text_read_as_numbers_is_said_where_that_looks_different() -> None:
    assert evaluate(["0", "1"], ["0", "1.0"]).notes == ("labels were read as whole numbers.",)
    assert evaluate(["0", "1"], ["0", "1"]).notes == ()
    assert evaluate([0, 1], [0, 1]).notes == ()
    assert evaluate(["a", "1"], ["a", "1"]).notes == ()


def test_0_and_0_point_0_as_text_are_one_class() -> None:
    ev = evaluate(["0", "0.0", "3"], ["0.0", "0", "3.000"])
    assert ev.labels == (0, 3)
    assert matrix(ev) == [[2, 0], [0, 1]]


@pytest.mark.parametrize(
    "labels", [["007", "7"], ["+1", "1"], ["1", "1.5"], ["1", "1e0"], ["1", "1,0"], ["1", "١"], ["1", " 1"]]
)
def test_what_is_not_plain_keeps_every_label_as_text(labels: list[str]) -> None:
    ev = evaluate(labels, labels)
    assert ev.labels == tuple(sorted(labels))
    assert matrix(ev) == [[1, 0], [0, 1]]
    assert ev.notes == ()


@pytest.mark.parametrize("big", [2**53, 2**62, -(2**53) - 1])
@pytest.mark.parametrize("form", [int, str, np.int64])
def test_integers_beyond_two_to_the_53_stay_exact(big: int, form: Any) -> None:
    labels = [form(big), form(big + 1)]
    ev = evaluate(labels, [labels[0]] * 2)
    assert ev.labels == (big, big + 1)
    assert matrix(ev) == [[1, 0], [1, 0]]


def test_integers_beyond_64_bits_are_refused_as_numbers_and_exact_as_text() -> None:
    assert refusal(tm.LabelError, [2**64, 1], [1, 1]).hint == "pass such labels as text."
    assert refusal(tm.LabelError, [-1, 2**63], [1, 1]).hint == "pass such labels as text."
    assert evaluate([str(2**64), "1"], ["1", "1"]).labels == (1, 2**64)
    assert refusal(tm.LabelError, [1, 1], [1, -(2**63) - 1]).message == (
        "predicted has whole numbers from 2**63 up or below -2**63."
    )
    ends = [2**63 - 1, -(2**63)]
    assert evaluate(ends, ends).labels == (-(2**63), 2**63 - 1)


def test_thousands_of_digits_are_text() -> None:
    long = "1" * 5_000
    assert evaluate([long, "1"], ["1", "1"]).labels == ("1", long)


def test_dates_stay_text() -> None:
    days = [dt.date(2024, 1, 1), dt.date(2023, 12, 31)]
    assert evaluate(days, days).labels == ("2023-12-31", "2024-01-01")
    assert evaluate(["2024-01-01", "2023-12-31"], ["2024-01-01"] * 2).labels == ("2023-12-31", "2024-01-01")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_numbers_against_text_never_match_so_they_are_refused(frame: Any) -> None:
    data = frame({"y": [0, 1], "p": ["0", "1"]})
    error = refusal(tm.LabelError, data, actual="y", predicted="p")
    assert error.message == (
        "actual (column 'y') holds numbers or booleans and predicted (column 'p') text, "
        "so no label would ever match."
    )
    assert error.hint == "convert one of them, for example both to text."
    assert refusal(tm.LabelError, ["0", "1"], [0, 1]).message == (
        "actual holds text and predicted numbers or booleans, so no label would ever match."
    )


def test_text_of_zero_one_against_text_of_false_true_is_refused() -> None:
    error = refusal(tm.LabelError, ["1", "0"], ["True", "False"])
    assert error.message == "one of actual and predicted says 0/1 and the other False/True."
    refusal(tm.LabelError, ["true", "false", None], ["1.0", "0", "0"], missing="drop")


def test_decimals_among_labels_are_taken_for_scores_and_refused() -> None:
    error = refusal(tm.LabelError, ["1", "0"], ["0.75", "0.25"])
    assert error.message == "predicted holds decimals such as '0.25', not labels."
    assert error.hint == (
        "pass that column as the score: --score (in Python score=); if these are classes, name them all: "
        "--labels (in Python labels=)."
    )
    assert "pass them as the score" in str(refusal(tm.LabelError, [1, 0], [0.75, 0.25]))


def test_decimals_on_both_sides_are_labels() -> None:
    assert evaluate(["1.5", "2.5"], ["1.5", "1.5"]).labels == ("1.5", "2.5")


def test_case_blanks_and_unicode_forms_are_not_merged() -> None:
    labels = ["yes", "Yes", "yes ", "ye\u0301s", "y\u00e9s"]
    assert len(evaluate(labels, labels).labels) == 5


# --- one class only ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "labels"),
    [
        (1, [0, 1]),
        (0, [0, 1]),
        ("1", [0, 1]),
        ("0.0", [0, 1]),
        (True, [False, True]),
        ("True", ["False", "True"]),
        ("true", ["false", "true"]),
    ],
)
def test_one_observed_class_of_a_pair_brings_its_partner(label: Any, labels: list[Any]) -> None:
    ev = evaluate([label] * 3, [label] * 3)
    assert typed(ev.labels) == typed(labels)
    assert ev.positive == labels[1]
    assert ev.task == "binary"


def test_all_positive_rows_have_a_recall_and_no_specificity() -> None:
    ev = evaluate([1, 1, 1], [1, 1, 0])
    assert ev["recall"].value == pytest.approx(2 / 3)
    assert ev["specificity"].value is None
    assert ev["specificity"].why == "no row is actually negative (fp + tn = 0)"
    assert evaluate([1, 1, 1], [1, 1, 1])["recall"].value == 1.0


@pytest.mark.parametrize("label", ["a", 7])
def test_one_observed_class_of_no_pair_stays_alone(label: Any) -> None:
    ev = evaluate([label] * 3, [label] * 3)
    assert ev.labels == (label,)
    assert ev["accuracy"].value == 1.0


def test_scores_of_one_class_that_is_the_positive_one() -> None:
    ev = evaluate(["yes", "yes"], y_score=[0.2, 0.9], pos_label="yes")
    assert (ev.labels, ev.positive) == (("yes", "not yes"), "yes")
    assert ev["recall"].value == 0.5


def test_scores_of_one_class_that_is_the_other_one() -> None:
    ev = evaluate(["no", "no"], y_score=[0.2, 0.9], pos_label="yes")
    assert (ev.labels, ev.positive) == (("no", "yes"), "yes")
    assert matrix(ev) == [[1, 1], [0, 0]]
    assert ev.notes[0] == "no row is actually 'yes': all are 'no'."


def test_a_slip_of_the_pen_is_not_taken_for_the_other_class() -> None:
    assert "did you mean 'yes'?" in str(
        refusal(tm.LabelError, ["yes"] * 2, y_score=[0.2, 0.9], pos_label="Yes")
    )


# --- the positive class -----------------------------------------------------------------------------


def test_a_typed_matrix_has_its_first_label_as_positive_and_says_so() -> None:
    ev = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]).evaluate()
    assert ev.positive == "+"
    assert ev.notes == ("positive class: '+', the first label of the matrix.",)


def test_a_typed_matrix_without_labels_has_class_1_to_k() -> None:
    ev = tm.Confusion([[150, 40], [60, 250]]).evaluate()
    assert (ev.labels, ev.positive) == (("class 1", "class 2"), "class 1")


def test_a_typed_matrix_of_zero_and_one_has_1_as_positive() -> None:
    assert tm.Confusion([[150, 40], [60, 250]], labels=[0, 1]).evaluate().positive == 1


def test_two_text_labels_with_a_score_need_a_positive_class() -> None:
    error = refusal(tm.LabelError, ["no", "yes"], y_score=[0.1, 0.9])
    assert error.message == "a score needs to know the positive class; the labels are ['no', 'yes']."
    assert error.hint == "name it, for example --positive yes (in Python pos_label='yes')."


def test_labels_only_have_class_neutral_numbers_and_no_recall() -> None:
    ev = evaluate(["no", "yes", "yes", "no"], ["no", "yes", "no", "no"])
    # tp = 1, fn = 1, fp = 0, tn = 2: mcc = 2 / sqrt(1 * 2 * 2 * 3), kappa = (3/4 - 1/2) / (1 - 1/2)
    assert ev["accuracy"].value == 0.75
    assert ev["mcc"].value == pytest.approx(2 / math.sqrt(12))
    assert ev["kappa"].value == pytest.approx(0.5)
    assert ev["informedness"].value == pytest.approx(0.5)
    for name in ("recall", "precision", "specificity", "f1", "fpr", "npv"):
        assert ev[name].value is None
        assert ev[name].why == "name the positive class"
    assert ev.per_class["yes"]["recall"].value == 0.5


@pytest.mark.parametrize("positive", ["b", np.str_("b")])
def test_the_named_class_is_the_positive_one(positive: Any) -> None:
    ev = evaluate(["a", "b", "c", "b"], ["a", "b", "b", "c"], pos_label=positive)
    assert ev.positive == "b"
    assert ev["recall"].value == 0.5
    assert ev.task == "multiclass"


@pytest.mark.parametrize("positive", [0, "0", 0.0, False, np.int64(0), "0.0", "0.00"])
def test_a_label_may_be_named_by_value_or_by_text(positive: Any) -> None:
    assert typed([evaluate([0, 1], [0, 1], pos_label=positive).positive]) == typed([0])
    assert typed([evaluate([0, 1], y_score=[0.1, 0.9], pos_label=positive).positive]) == typed([0])


def test_a_positive_that_is_no_label_is_refused_with_the_near_one() -> None:
    error = refusal(tm.LabelError, ["no", "yes"], ["no", "no"], pos_label="Yes")
    assert error.message == "positive='Yes' is not a label; labels are ['no', 'yes']."
    assert error.hint is not None
    assert "'yes'" in error.hint
    assert "case-sensitive" in error.hint
    assert refusal(tm.LabelError, ["no", "yes"], ["no", "no"], pos_label="maybe").hint is None
    assert "is not a label" in refusal(tm.LabelError, ["no", "yes"], y_score=[0, 1], pos_label="Yes").message


def test_more_labels_with_one_score_are_pooled_as_the_rest_and_said() -> None:
    ev = evaluate(["a", "b", "c", "b"], y_score=[0.1, 0.6, 0.7, 0.4], pos_label="b")
    assert (ev.labels, ev.positive, ev.task) == (("b", "rest"), "b", "binary")
    assert matrix(ev) == [[1, 1], [1, 1]]
    assert ev.notes[0] == "['a', 'c'] were pooled as 'rest', against 'b'."


@pytest.mark.parametrize("positive", [1, "1", 1.0, "1.0", np.int64(1)])
def test_pooling_leaves_the_positive_class_as_it_is(positive: Any) -> None:
    ev = evaluate([0, 1, 2], y_score=[0.9, 0.8, 0.2], pos_label=positive)
    assert typed(ev.labels) == typed([1, "rest"])
    assert typed([ev.positive]) == typed([1])
    assert matrix(ev) == [[1, 0], [1, 1]]
    assert ev.notes[0] == "[0, 2] were pooled as 'rest', against 1."


def test_pooled_labels_are_a_stated_order_that_adds_up_and_comes_back() -> None:
    """The positive class stands first whatever its name: numbers and words have no order among each other."""
    for rows, positive in ((["a", "z", "b"], "z"), ([0, 7, 2], 7)):
        tally = evaluate(rows, y_score=[0.9, 0.8, 0.2], pos_label=positive).confusion
        assert tally is not None
        assert (tally.labels, tally.declared) == ((positive, "rest"), True)
        assert (tally + tally).matrix.tolist() == [[2, 0], [2, 2]]
        assert typed([tally.evaluate().positive]) == typed([positive])
        assert tm.Confusion.from_dict(json.loads(json.dumps(tally.to_dict()))) == tally


def test_costs_name_a_pooled_class_by_value_or_by_text() -> None:
    for costs in ({1: {"rest": 5}, "rest": {1: 3}}, {"1": {"rest": 5}, "rest": {"1": 3}}):
        ev = evaluate([0, 1, 2], y_score=[0.9, 0.8, 0.2], pos_label=1, costs=costs)
        assert ev["total_cost"].value == 3


def test_the_rest_has_another_name_when_a_class_is_called_rest() -> None:
    ev = evaluate(["rest", "b", "c"], y_score=[0.1, 0.6, 0.7], pos_label="b")
    assert ev.labels == ("b", "not b")


def test_more_labels_with_one_score_need_a_positive() -> None:
    assert "the labels are [0, 1, 2]" in refusal(tm.LabelError, [0, 1, 2], y_score=[0.1, 0.2, 0.3]).message


def test_number_text_that_stays_text_is_not_positive_by_its_value() -> None:
    """'+1' keeps all labels text, so '7.0' is another class than '7'."""
    ev = evaluate(["7", "7.0", "+1"], y_score=[0.9, 0.8, 0.1], pos_label="7")
    assert matrix(ev) == [[1, 0], [1, 1]]


@pytest.mark.parametrize("actual", [["0", "1", "1.0"], [False, True, True], [0.0, 1.0, 1.0]])
def test_scores_know_the_positive_rows_however_they_are_written(actual: list[Any]) -> None:
    assert matrix(evaluate(actual, y_score=[0.1, 0.9, 0.8])) == [[1, 0], [0, 2]]


# --- missing and infinite values --------------------------------------------------------------------


def test_missing_values_are_an_error_that_counts_them_and_names_the_first() -> None:
    error = refusal(tm.MissingValueError, [None, 1, math.nan, 1, None, 0, None], [1, None, 1, 1, None, 0, 1])
    assert error.message == (
        "actual is missing in 4 of 7 rows, at positions 0, 2, 4 and 1 more (counted from 0); "
        "predicted is missing in 2 of 7 rows, at positions 1, 4 (counted from 0)."
    )
    assert error.hint == (
        "to leave such rows out and have them counted, use --drop-missing (in Python missing='drop')."
    )


def test_dropped_rows_are_counted_once_and_reported_in_every_output() -> None:
    ev = evaluate(
        [None, 1, math.nan, 1, 0, 0],
        [1, None, None, 1, 0, 0],
        y_score=[0.1, 0.2, 0.3, None, None, 0.4],
        missing="drop",
    )
    assert ev.dropped == {"missing_actual": 2, "missing_predicted": 1, "missing_score": 2}
    assert ev.rows == 1
    assert json.loads(ev.to_json())["dropped"] == dict(ev.dropped)
    printed = " ".join(str(ev).split())
    for reason, rows in ev.dropped.items():
        assert f"{rows} {'row' if rows == 1 else 'rows'} ({reason.replace('_', ' ')})" in printed


def test_dropped_rows_of_scores_and_probabilities_are_counted_too() -> None:
    assert evaluate([0, 1, 1], y_score=[0.1, math.nan, 0.9], missing="drop").dropped == {"missing_score": 1}
    table = [[0.5, 0.5], [math.nan, 0.5], [math.nan, math.nan]]
    ev = evaluate([0, 1, 1], y_score=table, labels=[0, 1], missing="drop")
    assert ev.dropped == {"missing_probability": 2}


def test_nothing_missing_drops_nothing() -> None:
    ev = evaluate([0, 1], [0, 1], missing="drop")
    assert ev.dropped == {}
    assert "Dropped" not in str(ev)


def test_whole_float_labels_with_nan_can_be_dropped() -> None:
    ev = evaluate(np.array([1.0, math.nan, 0.0]), [1, 1, 0], missing="drop")
    assert typed(ev.labels) == typed([0, 1])
    assert matrix(ev) == [[1, 0], [0, 1]]


def test_no_row_left_is_an_error() -> None:
    error = refusal(tm.MissingValueError, [None, 1], [1, None], missing="drop")
    assert error.message == "every row has a missing value, so none is left."


@pytest.mark.parametrize("word", ["NA", "null", "None", "nan", "", " "])
def test_words_in_arrays_are_labels(word: str) -> None:
    assert word in evaluate([word, "a"], ["a", "a"]).labels


def test_missing_is_error_or_drop() -> None:
    refusal(tm.OptionError, [0, 1], [0, 1], missing="ignore")


def test_a_dropped_row_counts_for_its_first_probability_only() -> None:
    columns = {"p_0": [0.5, math.nan, math.nan, 0.5], "p_1": [0.5, 0.5, math.nan, math.nan]}
    for frame in (pd.DataFrame, pl.DataFrame):
        ev = evaluate([0, 1, 1, 0], y_score=frame(columns), missing="drop")
        assert (ev.rows, ev.dropped) == (1, {"missing_probability": 3})
        whole = frame({"y": [0, 1, 1, 0], **columns})
        assert evaluate(whole, actual="y", probabilities=list(columns), missing="drop").dropped == ev.dropped


def test_infinite_scores_are_an_error_with_their_places() -> None:
    error = refusal(tm.ColumnError, [0, 1, 1], y_score=[0.5, math.inf, -math.inf])
    assert error.message == (
        "score is infinite in 2 rows, at positions 1, 2 (counted from 0); finite numbers are expected."
    )


# --- errors name the role and the column ------------------------------------------------------------

FAULTS: dict[str, tuple[type[tm.TallymarkError], list[Any], str]] = {
    "infinite": (tm.ColumnError, [0.5, math.inf], "is infinite in 1 row, at position 1 (counted from 0)"),
    "missing": (tm.MissingValueError, [0.5, None], "is missing in 1 of 2 rows, at position 1 (counted"),
}
every_fault = pytest.mark.parametrize("fault", FAULTS)


@every_fault
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("name", "title"),
    [("s", "score (column 's')"), ("Score", "score (column 'Score')"), ("score", "score")],
)
def test_a_score_is_named_with_its_column(frame: Any, name: str, title: str, fault: str) -> None:
    kind, values, said = FAULTS[fault]
    error = refusal(kind, frame({"y": [0, 1], name: values}), actual="y", score=name)
    assert error.message.startswith(f"{title} {said}")


@every_fault
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_probability_is_named_with_its_column(frame: Any, fault: str) -> None:
    kind, values, said = FAULTS[fault]
    table = {"p_a": [0.5, 0.5], "p_b": values}
    message = f"probability (column 'p_b') {said}"
    whole = frame({"y": ["a", "b"], **table})
    assert refusal(kind, whole, actual="y", probabilities=["p_a", "p_b"]).message.startswith(message)
    assert refusal(kind, ["a", "b"], y_score=frame(table)).message.startswith(message)


@every_fault
@pytest.mark.parametrize("form", [list, np.array])
def test_a_probability_of_a_table_is_named_by_its_place_from_1(form: Any, fault: str) -> None:
    kind, (good, bad), said = FAULTS[fault]
    table = form([[0.5, good], [0.5, math.nan if bad is None else bad]])
    error = refusal(kind, ["a", "b"], y_score=table, labels=["a", "b"])
    assert error.message.startswith(f"probability (column '2') {said}")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_labels_are_named_with_their_column(frame: Any) -> None:
    missing = {"actual": ["a", None], "answer": [None, "a"]}
    assert refusal(tm.MissingValueError, frame(missing), actual="actual", predicted="answer").message == (
        "actual is missing in 1 of 2 rows, at position 1 (counted from 0); "
        "predicted (column 'answer') is missing in 1 of 2 rows, at position 0 (counted from 0)."
    )
    fractions = frame({"y": [0.5, 1.0], "predicted": [0, 1]})
    assert refusal(tm.LabelError, fractions, actual="y").message.startswith(
        "actual (column 'y') holds 0.5 at position 0 (counted from 0)"
    )


def test_arrays_have_a_role_and_no_name() -> None:
    assert refusal(tm.MissingValueError, [0, None], [0, 1]).message.startswith("actual is missing in 1 of 2")
    columns = pd.Series([0, 1], name="y"), pd.Series([0, None], name="p")
    assert refusal(tm.MissingValueError, *columns).message.startswith("predicted is missing in 1 of 2 rows")
    assert refusal(tm.ColumnError, [0, 1], y_score=["x", 0.5]).message.startswith("score ")


def test_a_column_of_another_length_is_named_too() -> None:
    error = refusal(tm.ShapeError, ["a", "b", "b"], y_score=pl.DataFrame({"a": [0.5, 0.5], "b": [0.5, 0.5]}))
    assert error.message == "actual has 3 rows and probability (column 'a') has 2."


# --- long values are cut ----------------------------------------------------------------------------

LONG = "x" * 80
CUT = f"{'x' * 59!r}..."


def test_long_labels_are_cut_in_messages_and_notes() -> None:
    assert refusal(tm.LabelError, ["a", LONG], ["a", "a"], pos_label="b").message == (
        f"positive='b' is not a label; labels are ['a', {CUT}]."
    )
    error = refusal(tm.LabelError, ["a", "b"], ["a", LONG], labels=["a", "b"])
    assert error.message.startswith(f"predicted holds [{CUT}] at position 1 (counted from 0); the labels")
    ev = evaluate(["a", LONG], y_score=[0.1, 0.9], pos_label=LONG)
    assert ev.notes == (f"no threshold was given: score >= 0.5 is called {CUT}.",)
    assert ev.positive == LONG
    ev = evaluate(["a", "b", LONG], y_score=[0.1, 0.9, 0.2], pos_label=LONG, threshold=0.5)
    assert ev.notes == (f"['a', 'b'] were pooled as 'rest', against {CUT}.",)
    assert tm.Confusion([[1, 2], [3, 4]], labels=[LONG, "b"]).evaluate().notes == (
        f"positive class: {CUT}, the first label of the matrix.",
    )


# --- shapes and arguments ---------------------------------------------------------------------------


def test_columns_are_of_equal_length() -> None:
    assert refusal(tm.ShapeError, [0, 1, 1], [0, 1]).message == "actual has 3 rows and predicted has 2."
    assert refusal(tm.ShapeError, [0, 1], y_score=[0.5]).message == "actual has 2 rows and score has 1."


def test_there_are_rows() -> None:
    for nothing in ([], (), np.array([]), pd.Series([], dtype=float)):
        assert refusal(tm.ShapeError, nothing, nothing).message == "there are no rows."


def test_columns_of_pandas_with_the_same_index_in_another_order_are_refused() -> None:
    actual, predicted = pd.Series([1, 0], index=[1, 0]), pd.Series([1, 0], index=[0, 1])
    error = refusal(tm.ShapeError, actual, predicted)
    assert error.message == "the columns have the same index in different order, so their rows do not match."
    assert error.hint == "align them first, for example with .loc[], or pass .to_numpy() to go by position."
    refusal(tm.ShapeError, actual, y_score=predicted)
    refusal(tm.ShapeError, actual, y_score=pd.DataFrame({0: [1, 0], 1: [0, 1]}, index=[0, 1]))
    assert matrix(evaluate(actual, predicted.loc[[1, 0]])) == [[0, 1], [1, 0]]
    assert matrix(evaluate(actual.to_numpy(), predicted.to_numpy())) == [[1, 0], [0, 1]]


def test_columns_of_pandas_with_indexes_that_have_nothing_in_common_go_by_position() -> None:
    assert matrix(evaluate(pd.Series([1, 0], index=[7, 8]), pd.Series([1, 0]))) == [[1, 0], [0, 1]]


def test_the_answers_must_be_given() -> None:
    assert refusal(tm.OptionError, np.array([0, 1])).message == "the answers are missing."


def test_column_names_do_not_go_with_arrays() -> None:
    error = refusal(tm.OptionError, [0, 1], [0, 1], actual="y")
    assert error.message == "column names ['y'] go with a data frame or a file, not with arrays."


@pytest.mark.parametrize("option", [{"missing_words": ["NA"]}, {"delimiter": ";"}])
def test_options_about_files_do_not_go_with_other_data(option: dict[str, Any]) -> None:
    name = next(iter(option))
    assert name in refusal(tm.OptionError, [0, 1], [0, 1], **option).message
    frame = pl.DataFrame({"y": [0, 1], "p": [0, 1]})
    assert name in refusal(tm.OptionError, frame, actual="y", predicted="p", **option).message


@pytest.mark.parametrize(
    "option",
    [
        {"undefined": 1},
        {"undefined": 0.5},
        {"random_state": -1},
        {"random_state": 0.5},
        {"random_state": True},
        {"random_state": "0"},
        {"confidence_level": 95},
        {"confidence_level": 0},
    ],
)
def test_options_have_the_values_they_can_have(option: dict[str, Any]) -> None:
    refusal(tm.OptionError, [0, 1], [0, 1], **option)


def test_no_random_state_is_the_default_one() -> None:
    rows = ([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])
    expected = evaluate(*rows)["mcc"]
    for estimate in (
        evaluate(*rows, random_state=None)["mcc"],
        tm.Confusion([[1, 1], [1, 2]], labels=[0, 1]).evaluate(random_state=None)["mcc"],
    ):
        assert (estimate.low, estimate.high) == (expected.low, expected.high)


# --- costs ------------------------------------------------------------------------------------------


def test_a_bare_cost_matrix_is_taken_only_in_an_order_that_was_stated() -> None:
    bare = [[0, 1], [2, 0]]
    error = refusal(tm.CostError, ["a", "b", "b"], ["b", "a", "a"], costs=bare)
    assert error.hint is not None
    assert "--labels a,b" in error.hint
    # a called b costs 1, b called a costs 2, or the other way round in the other order.
    rows = (["a", "b", "b"], ["b", "a", "a"])
    assert evaluate(*rows, costs=bare, labels=["a", "b"])["total_cost"].value == 1 + 2 * 2
    assert evaluate(*rows, costs=bare, labels=["b", "a"])["total_cost"].value == 2 + 2 * 1


def test_costs_that_name_their_labels_need_no_order() -> None:
    ev = evaluate(["a", "b", "b"], ["b", "a", "a"], costs={"b": {"a": 2}, "a": {"b": 1}})
    assert ev["total_cost"].value == 5


def test_a_typed_matrix_states_the_order_of_its_costs() -> None:
    ev = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]).evaluate(costs=[[-1, 100], [1, 0]])
    assert ev["total_cost"].value == -150 + 4_000 + 60


def test_pooling_makes_the_stated_order_of_labels_useless_for_costs() -> None:
    rows = {"y_score": [0.1, 0.2, 0.9], "labels": ["c", "b", "a"], "pos_label": "c"}
    refusal(tm.CostError, ["a", "b", "c"], costs=[[0, 1], [2, 0]], **rows)
    named = evaluate(["a", "b", "c"], costs={"c": {"rest": 5}, "rest": {"c": 1}}, threshold=0.15, **rows)
    assert named["total_cost"].value == 1


def test_every_cell_of_the_costs_is_echoed_in_words() -> None:
    ev = evaluate(["a", "b"], ["b", "b"], labels=["a", "b"], costs=[[0, 7], [2, -3]])
    for words in (
        "an actual 'a' called 'a' costs 0",
        "an actual 'a' called 'b' costs 7",
        "an actual 'b' called 'a' costs 2",
        "an actual 'b' called 'b' gains 3 (cost -3)",
    ):
        assert words in str(ev)
        assert words in ev.to_dict()["costs"]["cells"]
