"""Which rows of several models are the same: by id, by place, or not at all."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.errors import InputError, LabelError, OptionError, TallymarkError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.matching import Matched, match

Y = [1, 0, 1, 0, 1]
A, B = [1, 0, 0, 0, 1], [0, 0, 1, 1, 1]
IDS = [11, 12, 13, 14, 15]
OTHER_ROWS = "say that these are other rows (--other-rows, in Python design='other rows')."
WAYS_OUT = f"Hint: give the ids of the rows (--id COLUMN, in Python id=), or {OTHER_ROWS}"
ONE_ROW = "Hint: one id is one row, so it has the same class, weight and group for every model."

ev = tm.evaluate


def drop(actual: Any, answers: Any, **options: Any) -> Evaluation:
    return ev(actual, answers, missing="drop", **options)


def ordered(matched: Matched) -> dict[str, list[int] | None]:
    return {name: None if at is None else at.tolist() for name, at in matched.order.items()}


def common(matched: Matched, ev: Evaluation) -> int:
    """How many rows of the first model all models have."""
    first = next(iter(matched.order.values()))
    return ev.rows if first is None else len(first)


def refused(error: type[TallymarkError], a: Evaluation, b: Evaluation, *more: Evaluation, **how: Any) -> str:
    with pytest.raises(error) as caught:
        match(dict(zip("abcd", (a, b, *more), strict=False)), **how)
    return str(caught.value)


# --- by id ----------------------------------------------------------------------------------------


def test_ids_in_the_same_order_leave_everything_as_it_is() -> None:
    found = match({"a": ev(Y, A, id=IDS), "b": ev(Y, B, id=IDS)})
    assert (found.same, found.how) == (True, "rows were matched by their id.")
    assert ordered(found) == {"a": None, "b": None}


@pytest.mark.parametrize("kind", [np.array, list, pd.Series, pl.Series])
@pytest.mark.parametrize("ids", [IDS, list("vwxyz"), [-(2**62), 5, 2**62, 0, 1]])
def test_shuffled_ids_are_put_in_the_order_of_the_first(kind: Any, ids: list[Any]) -> None:
    turn = [3, 1, 4, 0, 2]
    other = ev([Y[at] for at in turn], [B[at] for at in turn], id=kind([ids[at] for at in turn]))
    found = match({"a": ev(Y, A, id=ids), "b": other})
    assert ordered(found) == {"a": None, "b": [3, 1, 4, 0, 2]}


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)), st.booleans())
def test_every_row_meets_itself_whatever_was_dropped(
    turn: list[int], gone_a: set[int], gone_b: set[int], text: bool
) -> None:
    actual = [0, 1, 1, 0, 1, 0, 0, 1]
    ids: list[Any] = [f"r{at}" if text else at * 1_000 for at in range(8)]
    common = [at for at in range(8) if at not in gone_a | gone_b]
    if len(gone_a) == 8 or len(gone_b) == 8:
        return
    a = drop(actual, [None if at in gone_a else 1 for at in range(8)], id=ids)
    b = drop(
        [actual[at] for at in turn], [None if at in gone_b else 1 for at in turn], id=[ids[at] for at in turn]
    )
    if not common:
        assert (
            refused(InputError, a, b) == "no row has a value in every model, so there is nothing to compare."
        )
        return
    found = match({"a": a, "b": b})
    kept = {"a": [at for at in range(8) if at not in gone_a], "b": [at for at in turn if at not in gone_b]}
    for name, at in ordered(found).items():
        assert (kept[name] if at is None else [kept[name][place] for place in at]) == common
    lacking = [f"{name!r} lacks {len(gone)}" for name, gone in (("a", gone_a), ("b", gone_b)) if gone]
    assert ("left out of all" in found.how) == bool(lacking)
    assert all(each in found.how for each in lacking)


def test_rows_dropped_in_one_model_are_left_out_of_all_and_it_is_said() -> None:
    a = drop(Y, [1, None, 0, None, 1], id=IDS)
    b = drop(Y[::-1], [None, 0, 0, 1, 0], id=IDS[::-1])
    found = match({"a": a, "b": b})
    assert ordered(found) == {"a": [0, 1], "b": [3, 1]}
    assert found.how == (
        "rows were matched by their id. Rows that lack a value in one model are left out of all: "
        "'a' lacks 2, 'b' lacks 1."
    )


def test_ids_with_nothing_in_common_are_other_rows() -> None:
    a, b = ev(Y, A, id=IDS), ev(Y[:4], B[:4], id=[1, 2, 3, 4])
    found = match({"a": a, "b": b})
    assert not found.same
    assert found.how == "the ids have nothing in common, so these are other rows."
    assert refused(InputError, a, b, stated="same rows") == (
        "the ids of the models have nothing in common, so these are not the same rows. "
        "Hint: name the column that tells the same row in every file."
    )


def test_ids_with_nothing_in_common_of_what_seem_to_be_the_same_rows_are_asked_about() -> None:
    a, b = ev(Y, A, id=IDS), ev(Y, B, id=["c1", "c2", "c3", "c4", "c5"])
    said = refused(InputError, ev(Y, A, id=[f"x{each}" for each in IDS]), b)
    assert said.startswith(
        "the ids of the models have nothing in common, but as many rows are of every class"
    )
    assert "'b' has 'c1', 'c2'" in said
    assert "--other-rows" in said
    assert not match({"a": ev(Y, A, id=[1, 2, 3, 4, 5]), "b": a}, stated="other rows").same


def test_shared_ids_are_no_other_rows() -> None:
    a, b = ev(Y, A, id=IDS), ev(Y, B, id=IDS[::-1])
    assert refused(InputError, a, b, stated="other rows") == (
        "the models are stated to have other rows, but share 5 ids. Hint: leave out --other-rows (in Python "
        "design=), and rows are matched by id."
    )


def test_ids_that_are_partly_shared_are_named_on_both_sides() -> None:
    said = refused(InputError, ev(Y, A, id=IDS), ev(Y, B, id=[11, 99, 13, 98, 15]))
    assert said.startswith(
        "'a' and 'b' share 3 ids; 2 are only in 'a' (12, 14) and 2 are only in 'b' (99, 98)."
    )
    part = ev(Y[:4], B[:4], id=IDS[:4])
    assert refused(InputError, ev(Y, A, id=IDS), part).startswith(
        "'a' and 'b' share 4 ids; 1 is only in 'a' (15)."
    )
    many = ev([0, 1] * 10, [0, 1] * 10, id=list(range(20)))
    said = refused(InputError, many, ev([0, 1], [0, 1], id=[0, 1]))
    assert "18 are only in 'a' (2, 3, 4, 5, 6, ...)." in said


def test_an_id_that_was_dropped_in_one_model_and_unknown_to_the_other_is_no_matter() -> None:
    a = drop([*Y, 1], [*A, None], id=[*IDS, 16])
    found = match({"a": a, "b": ev(Y, B, id=IDS)})
    assert ordered(found) == {"a": None, "b": None}


def test_three_models_are_all_matched_or_all_others() -> None:
    a, b = ev(Y, A, id=IDS), ev(Y[::-1], B, id=IDS[::-1])
    found = match({"a": a, "b": b, "c": ev(Y, B, id=IDS)})
    assert ordered(found) == {"a": None, "b": [4, 3, 2, 1, 0], "c": None}
    elsewhere = ev(Y, B, id=[1, 2, 3, 4, 5])
    assert refused(InputError, a, b, elsewhere).startswith(
        "'a' and 'c' share no id, and other models share theirs; 5 are only in 'a' (11, 12, 13, 14, 15)"
    )
    assert refused(InputError, elsewhere, a, b) == (
        "'b' and 'c' share 5 ids, and 'a' has none of them. Hint: give all models the same rows."
    )


def test_ids_in_some_models_only() -> None:
    assert refused(InputError, ev(Y, A, id=IDS), ev(Y, B)) == (
        "'a' has ids and 'b' has none, so rows cannot be matched. "
        "Hint: name the id column for every model: --id COLUMN (in Python id=)."
    )


# --- ids of other types -----------------------------------------------------------------------------


def test_whole_numbers_meet_text_that_says_the_same() -> None:
    found = match({"a": ev(Y, A, id=IDS), "b": ev(Y[::-1], B, id=[str(at) for at in IDS[::-1]])})
    assert ordered(found) == {"a": None, "b": [4, 3, 2, 1, 0]}
    assert found.how == (
        "rows were matched by their id. Ids that are whole numbers in one model and text in another were "
        "read as whole numbers."
    )


def test_text_of_numbers_meets_other_text() -> None:
    a, b = ev(Y, A, id=["1", "2", "3", "4", "x"]), drop(Y, [*B[:4], None], id=["1", "2", "3", "4", "x"])
    assert common(match({"a": a, "b": b}), a) == 4
    numbers = drop(Y[:4], [*B[:3], None], id=["1", "2", "3", "4"])
    assert "share 4 ids; 1 is only in 'a' ('x')" in refused(InputError, a, numbers)


def test_whole_numbers_and_other_text_are_refused() -> None:
    assert refused(InputError, ev(Y, A, id=IDS), ev(Y, B, id=["11", "12", "013", "x", "15"])) == (
        "the ids of 'a' are whole numbers (11, 12, 13, 14, 15) and those of 'b' are text ('013', 'x'), so "
        "they cannot be matched. Hint: write them the same way, for example both as text."
    )


@pytest.mark.parametrize(
    ("one", "other"), [("7", "007"), ("b7", "B7"), ("b7", "b7 "), ("x", "X"), ("007", "7.0")]
)
def test_ids_that_look_alike_are_not_taken_for_other_rows(one: str, other: str) -> None:
    a, b = ev([0, 1], [0, 1], id=[one, "p"]), ev([0, 1], [0, 1], id=[other, "q"])
    assert refused(InputError, a, b) == (
        f"'a' and 'b' share no id, but 1 of them looks alike: {one!r} and {other!r}. Hint: write ids "
        f"the same way (case, blanks and leading zeros count), or {OTHER_ROWS}"
    )


# --- without ids ------------------------------------------------------------------------------------


MIXED = np.random.default_rng(2).integers(0, 2, 100).tolist()


def test_rows_whose_mixed_classes_agree_are_the_same() -> None:
    found = match({"a": ev(MIXED, MIXED), "b": ev(MIXED, MIXED[::-1])})
    assert (found.same, ordered(found)) == (True, {"a": None, "b": None})
    assert found.how == "rows are taken as the same in the same order: the actual classes agree in all 100."


@pytest.mark.parametrize(
    "actual",
    [
        Y,
        [0] * 100 + [1] * 100,
        [0] * 200,
        [each for each in range(40) for _ in range(5)],
        [0, 1] * 100,
        [0, 1, 2] * 70,
        ([0] * 10 + [1] * 10) * 10,
    ],
    ids=[
        "few",
        "sorted",
        "one class",
        "forty classes, sorted",
        "by turns",
        "three by turns",
        "ten sorted parts",
    ],
)
def test_classes_that_agree_in_any_test_set_prove_little(actual: list[int]) -> None:
    a, b = ev(actual, actual, pos_label=None), ev(actual, actual[::-1], pos_label=None)
    found = match({"a": a, "b": b})
    assert found.same
    assert found.how == (
        f"rows are taken as the same in the same order: the actual classes agree in all {len(actual)}. Rows "
        "that are few, sorted by class or in turns agree with other rows as well, so that proves little: "
        "match them by id (--id COLUMN, in Python id=), or say --same-rows or --other-rows (in Python "
        "design=)."
    )
    stated = match({"a": a, "b": b}, stated="same rows")
    assert stated.how == (
        f"rows are the same in the same order, as stated; the actual classes agree in all {len(actual)}."
    )
    assert not match({"a": a, "b": b}, stated="other rows").same
    ids = list(range(len(actual)))
    assert match({"a": ev(actual, actual, id=ids), "b": ev(actual, actual, id=ids)}).same


def test_a_rare_class_at_scattered_places_tells_rows_apart_when_it_is_there_often_enough() -> None:
    """Each of the scattered positives makes two changes; sorted rows of two classes make one."""
    for positives, told in ((10, False), (11, True)):
        actual = np.zeros(1000, int)
        actual[np.arange(positives) * 70 + 30] = 1
        pair = {"a": ev(actual, actual), "b": ev(actual, actual)}
        assert ("proves little" in match(pair).how) == (not told)


def test_as_many_rows_of_other_classes_are_refused_with_both_ways_out() -> None:
    assert refused(InputError, ev(Y, A), ev([1, 0, 1, 1, 0], B)) == (
        "the actual class is not the same in 'a' and 'b' for 2 of 5 rows: row 4 (0 and 1), row 5 (1 and 0). "
        f"{WAYS_OUT}"
    )
    said = refused(InputError, ev([0, 1] * 6, [0, 1] * 6), ev([1, 0] * 6, [1, 0] * 6))
    assert "for 12 of 12 rows: row 1 (0 and 1), row 2 (1 and 0)" in said
    assert "row 5 (0 and 1) and 7 more." in said


def test_another_number_of_rows_is_other_rows() -> None:
    found = match({"a": ev(Y, A), "b": ev(Y[:3], B[:3])})
    assert not found.same
    assert found.how == (
        "taken as other rows: the numbers differ ('a' has 5, 'b' has 3); if they share rows, match by id "
        "(--id COLUMN, in Python id=)."
    )
    assert refused(InputError, ev(Y, A), ev(Y[:3], B[:3]), stated="same rows") == (
        "'a' has 5 rows and 'b' has 3, so they are not the same rows. Hint: give all models the same rows."
    )
    assert refused(InputError, ev(Y, A), ev(Y[:3], B[:3]), ev(Y, B)) == (
        "some models have as many rows as others and some have not: 'a' has 5, 'b' has 3, 'c' has 5. "
        f"{WAYS_OUT}"
    )


def test_dropped_rows_that_could_explain_it_are_refused() -> None:
    a, b = drop(Y, [1, None, 0, 0, 1]), ev(Y, B)
    assert refused(InputError, a, b) == (
        "'a' and 'b' came with 5 rows each, of which 4 and 5 are left; nothing tells which of them are the "
        f"same. {WAYS_OUT}"
    )
    assert "of which 4 and 4 are left" in refused(InputError, a, drop(Y, [None, 0, 0, 0, 1]))
    found = match({"a": a, "b": b}, stated="same rows")
    assert ordered(found) == {"a": None, "b": [0, 2, 3, 4]}
    lacking = [None if at == 7 else each for at, each in enumerate(MIXED)]
    alike = {"a": drop(MIXED, lacking), "b": drop(MIXED, lacking)}
    assert "agree in all 99" in match(alike).how


def test_same_rows_as_stated_may_have_been_dropped_before() -> None:
    a, b = drop(Y, [1, None, 0, 0, 1]), ev([1, 1, 0, 1], [1, 1, 0, 0])
    assert ordered(match({"a": a, "b": b}, stated="same rows")) == {"a": None, "b": None}


# --- columns of one table ---------------------------------------------------------------------------


def test_columns_of_one_table_meet_row_by_row() -> None:
    a, b, c = drop(Y, [1, None, 0, 0, 1]), drop(Y, [None, 0, 0, 1, 0]), drop(Y, B)
    found = match({"a": a, "b": b, "c": c}, one_table=True)
    assert ordered(found) == {"a": [1, 2, 3], "b": [1, 2, 3], "c": [2, 3, 4]}
    assert found.how == (
        "the models answered the same table, row by row. Rows that lack a value in one model are left out of "
        "all: 'a' lacks 1, 'b' lacks 1."
    )
    assert refused(OptionError, a, b, one_table=True, stated="other rows") == (
        "the models answered the same table, so they have the same rows."
    )
    none = drop(Y, [1, 0, None, None, None]), drop(Y, [None, None, 0, 1, 0])
    assert refused(InputError, *none, one_table=True).startswith("no row has a value in every model")


def test_one_table_needs_no_ids_and_takes_them() -> None:
    found = match({"a": drop(Y, [1, None, 0, 0, 1], id=IDS), "b": ev(Y, B, id=IDS)}, one_table=True)
    assert ordered(found) == {"a": None, "b": [0, 2, 3, 4]}


# --- other rows, as stated, and models without rows ---------------------------------------------------


def test_other_rows_as_stated_are_not_looked_at() -> None:
    found = match({"a": ev(Y, A, id=IDS), "b": ev(Y, B)}, stated="other rows")
    assert (found.same, found.how) == (False, "the models are compared as on other rows, as stated.")


def test_counts_tell_other_rows_by_their_classes() -> None:
    counts = tm.Confusion([[3, 2], [1, 4]], labels=[0, 1]).evaluate(pos_label=1)
    found = match({"a": ev(Y, A), "b": counts})
    assert not found.same
    assert found.how == "the actual classes are not as many in every model, so these are other rows."
    said = refused(InputError, ev(Y, A), counts, stated="same rows")
    assert said.startswith("'b' has counts only, so rows cannot be matched. Hint: give the predictions")


@pytest.mark.parametrize(
    "other",
    [
        tm.Confusion([[1, 1], [1, 2]], labels=[0, 1]).evaluate(pos_label=1),
        pickle.loads(pickle.dumps(ev(Y, B))),
    ],
)
def test_counts_of_as_many_classes_may_be_the_same_rows(other: Evaluation) -> None:
    said = refused(InputError, ev(Y, A), other)
    assert said.startswith(
        "'b' has counts only, and nothing tells whether 'a' and 'b' have the same rows. Hint: say that they "
        "have other rows (--other-rows, in Python design='other rows') or the same (--same-rows, "
        "design='same rows'), or give the predictions themselves"
    )
    assert not match({"a": ev(Y, A), "b": other}, stated="other rows").same


# --- the same row is the same in everything -----------------------------------------------------------


def test_another_class_for_the_same_id_is_refused_with_examples() -> None:
    a = ev(["n", "y", "y"], ["n", "y", "y"], id=list("pqr"), pos_label="y")
    b = ev(["y", "n", "y"], ["n", "y", "y"], id=list("rqp"), pos_label="y")
    assert refused(InputError, a, b) == (
        "the actual class is not the same in 'a' and 'b' for 2 of 3 rows: id 'p' ('n' and 'y'), "
        f"id 'q' ('y' and 'n'). {ONE_ROW}"
    )


def test_other_weights_are_refused() -> None:
    a, b = ev(Y, A, weight=[1, 1, 2, 2, 3], id=IDS), ev(Y, B, weight=[1, 1, 2, 2.5, 3], id=IDS)
    assert refused(InputError, a, b) == (
        f"the weight is not the same in 'a' and 'b' for 1 of 5 rows: id 14 (2 and 2.5). {ONE_ROW}"
    )
    assert refused(OptionError, a, ev(Y, B, id=IDS)) == (
        "rows have weights in 'a' and none in 'b'. "
        "Hint: name the column for every model: --weight (in Python weight=)."
    )
    often = ev(Y, A, weight=[1, 1, 2, 2, 3], weight_kind="frequency", id=IDS)
    assert "the kind 'sampling' in 'a' and 'frequency' in 'b'" in refused(OptionError, a, often)
    assert match({"a": a, "b": ev(Y, B, weight=[1.0, 1.0, 2.0, 2.0, 3.0], id=IDS)}).same


def test_other_groups_are_refused() -> None:
    a, b = ev(Y, A, groups=[1, 1, 2, 2, 3]), ev(Y, B, groups=["1", "1", "2", "2", "4"])
    assert refused(InputError, a, b) == (
        f"the group is not the same in 'a' and 'b' for 1 of 5 rows: row 5 ('3' and '4'). {WAYS_OUT}"
    )
    assert match({"a": a, "b": ev(Y, B, groups=["1", "1", "2", "2", "3"])}, stated="same rows").same
    assert refused(OptionError, ev(Y, B), a) == (
        "rows have groups in 'b' and none in 'a'. "
        "Hint: name the column for every model: --group (in Python groups=)."
    )


def test_scores_without_a_cut_have_rows_too() -> None:
    scores = ev(Y, y_score=[2.0, -1, 3, 4, 5], id=IDS)
    assert scores.encoded is None
    turned = match({"a": scores, "b": ev(Y[::-1], B, id=IDS[::-1])})
    assert ordered(turned) == {"a": None, "b": [4, 3, 2, 1, 0]}
    said = refused(InputError, scores, ev([1, 0, 1, 1, 1], B, id=IDS))
    assert "for 1 of 5 rows: id 14 (0 and 1)." in said


# --- labels and the positive class ----------------------------------------------------------------------


def test_a_label_only_one_model_says_joins_the_others() -> None:
    found = match({"a": ev(["x", "z"], ["x", "z"]), "b": ev(["x", "z"], ["x", "y"])}, stated="same rows")
    assert found.labels == ("x", "y", "z")
    assert {name: at.tolist() for name, at in found.places.items()} == {"a": [0, 2], "b": [0, 1, 2]}
    assert found.positive is None


def test_labels_read_as_numbers_in_one_model_are_compared_as_text() -> None:
    a, b = (
        ev(["0", "1.0", "1.0"], ["0", "1.0", "1.0"]),
        ev(["0", "1.0", "1.0"], ["0", "no", "1.0"], pos_label="1.0"),
    )
    assert (a.labels, b.labels) == ((0, 1), ("0", "1.0", "no"))
    found = match({"a": a, "b": b}, stated="same rows")
    assert (found.labels, found.positive) == (("0", "1", "no"), "1")
    assert {name: at.tolist() for name, at in found.places.items()} == {"a": [0, 1], "b": [0, 1, 2]}


def test_booleans_and_zeros_and_ones_are_one_family() -> None:
    a, b = ev([True, False], [True, True]), ev([1, 0], [1, 2], pos_label=1)
    found = match({"a": a, "b": b}, stated="same rows")
    assert (found.same, found.labels, found.positive) == (True, (0, 1, 2), 1)


def test_labels_keep_an_order_that_all_models_declare() -> None:
    order = ["low", "mid", "high"]
    sides = (["low", "high"], ["low", "high"]), (["low", "high"], ["high", "high"])
    a, b = (ev(*side, labels=order) for side in sides)
    assert match({"a": a, "b": b}, stated="same rows").labels == ("low", "mid", "high")


def test_the_positive_class_is_the_same_in_all_models() -> None:
    y, p = ["n", "y", "y"], ["n", "n", "y"]
    a = ev(y, p, pos_label="y")
    assert refused(LabelError, a, ev(y, p, pos_label="n")) == (
        "the models have different positive classes: 'y' of 'a', 'n' of 'b'. "
        "Hint: write the classes in the same way for every model, and name the same one as positive."
    )
    assert refused(LabelError, a, ev(y, p), stated="other rows") == (
        "the models have different positive classes: 'y' of 'a', none of 'b'. "
        "Hint: name the same one for every model: --positive LABEL (in Python pos_label=)."
    )


def test_one_class_against_the_rest_is_not_compared_with_all_classes() -> None:
    y = list("abcab")
    scores = ev(y, y_score=[0.1, 0.2, 0.3, 0.4, 0.5], pos_label="a")
    assert refused(LabelError, scores, ev(y, y, pos_label="a")).startswith(
        "'a' tells 'a' from the rest, and 'b' tells ['a', 'b', 'c'] apart."
    )


# --- what is no comparison --------------------------------------------------------------------------------


def test_what_cannot_be_matched() -> None:
    with pytest.raises(OptionError, match="takes two models or more; got 1"):
        match({"a": ev(Y, A)})
    assert refused(OptionError, ev(Y, A), ev(Y, B), stated="same folds") == (
        "design must be 'same rows' or 'other rows'; got 'same folds'."
    )
    sets = [{"a"}, {"b"}, {"a", "b"}]
    assert refused(OptionError, ev(sets, sets), ev(sets, sets)).startswith(
        "rows have several labels in 'a'; models are compared on one label per row."
    )
