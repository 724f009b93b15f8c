"""`tm.compare`: what can be given, what is recognised, and what is refused with a word."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm

RNG = np.random.default_rng(3)
N = 80
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.85, 0.7))
S, T = (np.clip(gap * Y + RNG.normal(0.3, 0.2, N), 0.01, 0.99) for gap in (0.4, 0.2))
EXPECTED = float((A == Y).mean() - (B == Y).mean())


def refused(*given: Any, **options: Any) -> str:
    with pytest.raises(tm.TallymarkError) as caught:
        tm.compare(*given, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- all that can be given --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made",
    [
        np.asarray,
        list,
        tuple,
        pd.Series,
        lambda values: pd.Series(values, dtype="Int64"),
        lambda values: pd.Series(values, dtype="category"),
        lambda values: pl.Series(values),
        lambda values: pa.array(values),
        lambda values: pa.chunked_array([values]),
        lambda values: np.asarray(values).astype(bool),
        lambda values: np.asarray(values).astype(float),
        lambda values: np.asarray(values).astype(np.int8),
        lambda values: ["yes" if each else "no" for each in values],
    ],
)
def test_answers_of_any_kind(made: Any) -> None:
    found = tm.compare({"a": made(A), "b": made(B)}, y_true=made(Y))
    assert found.design == "same rows"
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    assert [model.name for model in found.models] == ["a", "b"]


def test_numbers_that_are_no_labels_are_scores() -> None:
    found = tm.compare({"a": S, "b": T}, Y)
    assert found["auc"].p_value is not None
    mixed = tm.compare({"a": S, "b": B}, Y)
    assert "scores are not compared: 'b' has no scores." in mixed.notes
    # Whole numbers that are not the labels are scores, too: votes, or points.
    points = tm.compare({"a": np.rint(S * 10), "b": np.rint(T * 10)}, Y)
    assert points.metric == "auc"


def test_a_model_of_answers_and_scores() -> None:
    found = tm.compare({"a": {"y_pred": A, "y_score": S}, "b": {"y_pred": B, "y_score": T}}, Y)
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    assert found["auc"].value == pytest.approx(
        tm.evaluate(Y, y_score=S)["auc"].value - tm.evaluate(Y, y_score=T)["auc"].value
    )
    assert "has y_pred and y_score" in refused({"a": {"pred": A}, "b": {"y_pred": B}}, Y)
    assert refused({"a": {}, "b": {"y_pred": B}}, Y)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_one_frame(library: Any) -> None:
    frame = library({"y": Y, "tree": A, "forest": B})
    found = tm.compare(frame, models=["tree", "forest"], actual="y")
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    renamed = tm.compare(frame, models={"T": "tree", "F": "forest"}, actual="y")
    assert [model.name for model in renamed.models] == ["T", "F"]
    assert type(found.table()).__module__.split(".")[0] == library.__module__.split(".")[0]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_for_each_model(library: Any) -> None:
    back = np.arange(N)[::-1]
    one = library({"id": np.arange(N), "y": Y, "p": A})
    two = library({"id": back, "y": Y[back], "p": B[back]})
    found = tm.compare({"a": one, "b": two}, actual="y", predicted="p", id="id")
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    assert found.notes[0] == "rows were matched by their id."
    guessed = tm.compare({"a": one, "b": two}, actual="y", predicted="p")
    assert "column 'id' was taken as id (guessed from its name)." in guessed.notes


def test_files(tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(N)
    pl.DataFrame({"id": range(N), "y": Y, "p": A}).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"id": order, "y": Y[order], "p": B[order]}).write_parquet(tmp_path / "b.parquet")
    both = {"a": tmp_path / "a.csv", "b": str(tmp_path / "b.parquet")}
    found = tm.compare(both, actual="y", predicted="p", id="id")
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    pl.DataFrame({"y": Y, "a": A, "b": B}).write_csv(tmp_path / "both.csv")
    one = tm.compare(tmp_path / "both.csv", models=["a", "b"], actual="y")
    assert one["accuracy"].p_value == found["accuracy"].p_value
    assert "there is no file" in refused({"a": "no.csv", "b": "none.csv"}, actual="y")


def test_evaluations() -> None:
    found = tm.compare({"a": tm.evaluate(Y, A), "b": tm.evaluate(Y, B)})
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    assert f"the actual classes agree in all {N}" in found.notes[0]
    back = np.arange(N)[::-1]
    by_id = tm.compare({"a": tm.evaluate(Y, A, id=np.arange(N)), "b": tm.evaluate(Y[back], B[back], id=back)})
    assert by_id["accuracy"].p_value == found["accuracy"].p_value


def test_evaluations_at_another_level() -> None:
    asked = tm.compare({"a": tm.evaluate(Y, y_score=S), "b": tm.evaluate(Y, y_score=T)}, confidence_level=0.8)
    direct = tm.compare({"a": S, "b": T}, Y, confidence_level=0.8)
    for each in direct.differences:
        assert (asked[each.metric].low, asked[each.metric].high) == (each.low, each.high)
        assert each.level == 0.8
    assert all(value.level == 0.8 for model in asked.models for value in model.values.values())
    assert asked.models[0].values["auc"].low == direct.models[0].values["auc"].low


def test_a_pickled_evaluation_is_refused_unless_something_is_stated() -> None:
    lost = {"a": pickle.loads(pickle.dumps(tm.evaluate(Y, A))), "b": tm.evaluate(Y, B)}
    assert "'a' has counts only" in refused(lost)
    assert tm.compare(lost, design="other rows").design == "other rows"
    same = tm.compare(lost, design="same rows")
    assert same.design == "same rows"
    assert "only counts are left of the same rows" in same.notes[0]


def test_scores_of_folds_with_a_fingerprint() -> None:
    scores = {"a": [0.8, 0.9, 0.85], "b": [0.7, 0.8, 0.86]}
    proven = {name: tm.FoldScores(each, "k=3, seed 1") for name, each in scores.items()}
    found = tm.compare(proven)
    assert found.design == "same folds"
    stated = tm.compare(scores, per="fold", same_folds=True)
    assert stated["accuracy"].p_value == found["accuracy"].p_value
    other = {"a": proven["a"], "b": tm.FoldScores(scores["b"], "k=3, seed 2")}
    assert "fingerprints are k=3, seed 1 and k=3, seed 2" in refused(other)
    assert "nothing proves" in refused(scores, per="fold")


def test_sizes_of_folds_are_said_once() -> None:
    folds = {name: tm.FoldScores([0.8, 0.9, 0.85 + at], "f") for at, name in ((0.0, "a"), (0.01, "b"))}
    sized = {name: tm.FoldScores(each.scores, "f", 90, 10) for name, each in folds.items()}
    by_option = tm.compare(folds, n_train=90, n_test=10)["accuracy"]
    assert by_option.p_value == tm.compare(sized)["accuracy"].p_value
    assert by_option.p_value != tm.compare(folds)["accuracy"].p_value
    assert "n_train is said by the scores" in refused(sized, n_train=90, n_test=10)


def test_scores_of_data_sets() -> None:
    table = {"a": [0.8, 0.9, 0.85, 0.7, 0.9, 0.8], "b": [0.7, 0.8, 0.84, 0.6, 0.7, 0.7]}
    assert tm.compare(table, per="dataset").design == "many data sets"
    frame = pd.DataFrame({"dataset": list("uvwxyz"), **table})
    assert tm.compare(frame, per="dataset").winner == "a"


# --- refused ----------------------------------------------------------------------------------------

FOLDS = {"a": [0.8, 0.9], "b": [0.7, 0.8]}


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ({"a": A, "b": B}, {"y_true": Y[:-1]}, "rows"),
        ({"a": A[:-1], "b": B}, {"y_true": Y}, "rows"),
        ({"a": A}, {"y_true": Y}, "two models or more; got 1"),
        ({}, {"y_true": Y}, "models are given by name"),
        (None, {}, "models are given by name"),
        ([A, B], {"y_true": Y}, "models are given by name"),
        (A, {"y_true": Y}, "models are given by name"),
        (pd.DataFrame({"a": A, "b": B}), {"y_true": Y}, "models="),
        ({"a": [], "b": []}, {"y_true": []}, "no rows"),
        ({1: A, "1": B}, {"y_true": Y}, "two models are called '1'"),
        ({"a": A, "b": B}, {}, "nothing says what they are"),
        ({"a": tm.evaluate(Y, A), "b": B}, {}, "nothing says what they are"),
        ({"a": tm.evaluate(Y, A), "b": B}, {"y_true": Y}, "'a' is evaluated already"),
        ({"a": (0.85, 30), "b": tm.evaluate(Y, A)}, {}, "(0.85, 30)"),
        ({"a": A, "b": B}, {"y_true": Y, "design": "other rows"}, "the same table"),
        ({"a": A, "b": B}, {"y_true": Y, "design": "paired"}, "'same rows' or 'other rows'"),
        ({"a": A, "b": B}, {"y_true": Y, "pos_label": 7}, "7 is not a label"),
        ({"a": S, "b": T}, {"y_true": np.where(Y, "y", "n")}, "positive class"),
        ({"a": A, "b": B}, {"y_true": Y, "n_train": 90}, "say per='fold'"),
        ({"a": A, "b": B}, {"y_true": Y, "actual": "y"}, "actual has no effect beside y_true"),
        (FOLDS, {"per": "folds"}, "'fold' or 'dataset'"),
        (FOLDS, {"per": "fold", "same_folds": True, "y_true": Y}, "y_true has no effect beside per='fold'"),
        (FOLDS, {"per": "fold", "same_folds": True, "costs": [[0, 1], [1, 0]]}, "costs has no effect"),
        (FOLDS, {"per": "fold", "same_folds": True, "metrics": ["auc"]}, "metrics has no effect"),
        ({"a": (0.8, 30), "b": (0.7, 30)}, {"design": "same rows"}, "design has no effect beside accuracies"),
        ({"a": (0.8, 30), "b": (0.7, 30)}, {"groups": np.arange(3)}, "groups has no effect"),
        ({"a": (0.8, 30), "b": (0.7, 30)}, {"metric": "recall"}, "only accuracy"),
        ({"a": tm.evaluate(Y, A), "b": tm.evaluate(Y, B)}, {"threshold": 0.3}, "threshold has no effect"),
        ({"a": tm.evaluate(Y, A), "b": tm.evaluate(Y, B)}, {"sample_weight": Y + 1}, "sample_weight has no"),
        ({"a": tm.evaluate(Y, A), "b": tm.evaluate(Y, B)}, {"pos_label": 0}, "pos_label has no effect"),
        ({"a": tm.evaluate(Y, A).at_prevalence(0.1), "b": tm.evaluate(Y, B)}, {}, "at_prevalence"),
        (pl.DataFrame({"y": Y, "a": A}), {"models": "a", "actual": "y"}, "columns by name"),
        (pl.DataFrame({"y": Y, "a": A}), {"models": ["a", "z"], "actual": "y"}, "no column 'z'"),
        (pl.DataFrame({"y": Y, "a": A}), {"models": ["a", "y"], "score": "a"}, "both say where"),
    ],
)
def test_what_cannot_be_compared_is_refused(data: Any, options: dict[str, Any], said: str) -> None:
    assert said in refused(data, **options)


def test_missing_values() -> None:
    lacking = S.copy()
    lacking[4] = np.nan
    assert "score is missing in 1 of 80 rows" in refused({"a": lacking, "b": T}, Y)
    apart = {"a": tm.evaluate(Y, y_score=lacking, missing="drop"), "b": tm.evaluate(Y, y_score=T)}
    assert "nothing tells which of them are the same" in refused(apart)


def test_what_has_no_effect_is_told() -> None:
    pair = {"a": A, "b": B}
    assert any(
        "'mee' is about models on other rows" in note for note in tm.compare(pair, Y, method="mee").notes
    )
    figures = tm.compare({"a": (0.8, 30), "b": (0.7, 40)}, test="exact")
    assert any("'exact' is about models on the same rows" in note for note in figures.notes)


def test_a_threshold_that_was_tuned_here_is_pointed_out() -> None:
    found = tm.compare({"a": S, "b": T}, Y, threshold="best:f1")
    assert [each.code for each in found.findings if each.code == "TM007"] == ["TM007", "TM007"]
    assert found.findings[-1].message.startswith("'b': the threshold")


def test_few_groups_are_pointed_out_once() -> None:
    found = tm.compare({"a": A, "b": B}, Y, groups=np.arange(N) // 20)
    assert [each.code for each in found.findings] == ["TM009"]


def test_curves_that_cross_are_told_for_small_and_large_rates() -> None:
    y = np.array([1, 1, 0, 1, 0, 0, 1, 0])
    early = np.array([8, 7, 6, 2, 5, 4, 1, 3]) / 10
    late = np.array([7, 6, 8, 5, 3, 2, 4, 1]) / 10
    few = tm.compare({"early": early, "late": late}, y)
    assert "TM014" not in [each.code for each in few.findings]  # eight rows cross by chance
    rows = [np.tile(each, 60) for each in (y, early, late)]
    found = next(
        each
        for each in tm.compare({"early": rows[1], "late": rows[2]}, rows[0]).findings
        if each.code == "TM014"
    )
    assert found.message.startswith(
        "the ROC curves cross: 'early' is better for false positive rates below 0.250, 'late' for larger "
    )


# --- laws -------------------------------------------------------------------------------------------


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], int]:
    """Classes of a few rows and two models' answers."""
    classes = draw(st.integers(2, 4))
    n = draw(st.integers(1, 14))
    rows = st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)
    return draw(rows), draw(rows), draw(rows), classes


def told(comparison: tm.Comparison) -> None:
    """Everything that it can say is said, and no number is NaN."""
    json.loads(comparison.to_json(), parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    assert str(comparison)
    assert comparison.table("polars").height == len(comparison.differences)
    for kind in comparison.detail.figures():
        comparison.figure(kind)


@settings(max_examples=8, deadline=None)
@given(problems())
def test_answers_of_any_rows_can_be_compared(problem: Any) -> None:
    y, a, b, classes = problem
    options: dict[str, Any] = {"labels": list(range(classes)), "permutations": 200}
    if classes == 2:
        options["pos_label"] = 1
    found = tm.compare({"a": a, "b": b}, y, **options)
    told(found)
    swapped = tm.compare({"b": b, "a": a}, y, **options)
    order = np.random.default_rng(len(y)).permutation(len(y))
    moved = tm.compare({"a": np.take(a, order), "b": np.take(b, order)}, np.take(y, order), **options)
    names = [chr(ord("k") + each) for each in range(classes)]
    renamed = tm.compare(
        *({"a": [names[each] for each in a], "b": [names[each] for each in b]}, [names[each] for each in y]),
        **{**options, "labels": names, **({"pos_label": "l"} if classes == 2 else {})},
    )
    for each in found.differences:
        other = swapped[each.metric]
        assert (each.value is None) == (other.value is None)
        for alike in (moved[each.metric], renamed[each.metric]):
            assert alike.value == each.value
            assert alike.p_value == each.p_value
        if each.value is not None and other.value is not None:
            assert other.value == pytest.approx(-each.value, abs=1e-12)
            assert other.p_value == pytest.approx(each.p_value)
            assert each.p_value is None or 0 < each.p_value <= 1


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=14),
    st.booleans(),
)
def test_scores_of_any_rows_can_be_compared(rows: list[tuple[int, int, int]], weighted: bool) -> None:
    y, one, two = (np.array(column) for column in zip(*rows, strict=True))
    options: dict[str, Any] = {"labels": [0, 1], "pos_label": 1, "permutations": 200}
    if weighted:
        options["sample_weight"] = np.linspace(1, 2, len(y))
    scores = {"a": {"y_score": one / 5}, "b": {"y_score": two / 5}}
    found = tm.compare(scores, y, **options)
    told(found)
    swapped = tm.compare(dict(reversed(scores.items())), y, **options)
    for each in found.differences:
        other = swapped[each.metric]
        if each.value is None or other.value is None:
            assert each.value is other.value
            continue
        assert other.value == pytest.approx(-each.value, abs=1e-12)
        if each.p_value is not None:
            assert other.p_value == pytest.approx(each.p_value, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(problems())
def test_a_model_and_its_copy_have_p_1(problem: Any) -> None:
    y, a, _, classes = problem
    found = tm.compare({"a": a, "copy": list(a)}, y, labels=list(range(classes)))
    told(found)
    assert all(each.p_value == 1 and each.value == 0 for each in found.differences if each.value is not None)
    assert found.winner is None


@settings(max_examples=8, deadline=None)
@given(problems())
def test_models_on_other_rows_can_be_compared(problem: Any) -> None:
    y, a, b, classes = problem
    labels = list(range(classes))
    pair = {"a": tm.evaluate(y, a, labels=labels), "b": tm.evaluate(a, b, labels=labels)}
    found = tm.compare(pair, design="other rows")
    told(found)
    swapped = tm.compare(dict(reversed(pair.items())), design="other rows")
    for each in found.differences:
        if each.value is not None:
            assert swapped[each.metric].value == pytest.approx(-each.value)
            assert swapped[each.metric].p_value == pytest.approx(each.p_value, abs=1e-6)
