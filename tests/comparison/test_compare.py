"""`tm.compare`: what can be given, how it is understood, and what is refused."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import tallymark as tm
from collected import each
from comparing import ends, loaded
from scored import classes, refusals

RNG = np.random.default_rng(3)
N = 80
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.85, 0.7))
S, T = (np.clip(gap * Y + RNG.normal(0.3, 0.2, N), 0.01, 0.99) for gap in (0.4, 0.2))
EXPECTED = float((A == Y).mean() - (B == Y).mean())
PAIR = {"a": A, "b": B}
BACK = np.arange(N)[::-1]
RAGGED = [[1, 2], [3]]
ONLY = {"metrics": ["accuracy"]}


def accuracy(*given, **options):
    found = tm.compare(*given, **ONLY, **options)
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    return found


# --- all that can be given --------------------------------------------------------------------------


def test_predictions_of_any_kind():
    kinds = [
        *(np.asarray, list, tuple, pd.Series, pl.Series, pa.array, lambda values: pa.chunked_array([values])),
        *(lambda values, dtype=dtype: pd.Series(values, dtype=dtype) for dtype in ("Int64", "category")),
        *(lambda values, dtype=dtype: np.asarray(values).astype(dtype) for dtype in (bool, float, np.int8)),
        lambda values: ["yes" if value else "no" for value in values],
    ]
    for made in kinds:
        found = accuracy({"a": made(A), "b": made(B)}, y_true=made(Y))
        assert (found.design, found.counted) == ("same rows", "rows")
        assert [model.name for model in found.models] == ["a", "b"]
    # Names may be numbers.
    few, more = {1: (0.85, 30), 2: (0.75, 5000)}, {1: [0.8, 0.9, 0.7], 2: [0.7, 0.9, 0.6]}
    for found in (
        tm.compare({1: A, 2: B}, Y, **ONLY),
        tm.compare(few),
        tm.compare(more, per="dataset"),
        tm.compare({name: tm.FoldScores(scores, "f") for name, scores in more.items()}),
    ):
        assert [model.name for model in found.models] == ["1", "2"]
        loaded(found.to_json())


HOLED = [*S[:-1].tolist(), None]


@each(
    "a, y, options, area",
    [
        (S, Y, {}, True),
        (A, Y, {}, False),
        (A.astype(float), Y, {}, False),
        (A.astype(bool), Y, {}, False),
        (A.astype(bool), Y.astype(bool), {}, False),
        # Whole numbers that are not the labels: votes, or points.
        (np.rint(S * 10), Y, {}, True),
        (np.rint(S * 10).astype(int), Y, {}, True),
        ([0, 1, 2, 1, 1], [0, 1, 0, 1, 1], {}, True),
        ([0, 1, 1, 1, 1], [0, 1, 0, 1, 1], {}, False),
        # A model may predict what is nowhere true, and labels may be declared.
        ([0, 1, 1], [0, 0, 0], {"labels": [0, 1]}, False),
        ([3, 2, 3], [2, 2, 3], {"pos_label": 3}, False),
        ([3, 1, 3], [2, 2, 3], {"pos_label": 3}, True),
        ([3, 1, 3], [2, 2, 3], {"pos_label": 3, "labels": [1, 2, 3]}, False),
        # Of several classes one number is a score only of a class that is named.
        ([0, 7, 2], [0, 1, 2], {}, False),
        ([0.5, 0.7, 0.2], [0, 1, 2], {"pos_label": 1, "threshold": 0.6}, True),
        ([1.0, 2.0, 0.0], [0, 1, 2], {}, False),
        # Numbers beside text.
        (S, np.where(Y, "y", "n"), {"pos_label": "y"}, True),
        (np.where(A, "y", "n"), np.where(Y, "y", "n"), {}, False),
        # A missing value hides no type.
        (HOLED, Y, {"missing": "drop"}, True),
        (pd.Series(HOLED, dtype="Float64"), Y, {"missing": "drop"}, True),
        (A, [None, *Y[1:].tolist()], {"missing": "drop"}, False),
        (A, [None, *(Y[1:] == 1).tolist()], {"missing": "drop"}, False),
    ],
    ids=range(22),
)
def test_numbers_that_are_not_all_labels_are_scores(a, y, options, area):
    found = tm.compare({"a": a, "b": a}, y, **options)
    assert any(one.metric in ("auc", "brier") for one in found.differences) == area
    assert found.differences[0].value in (0, None)


def test_predictions_and_scores():
    both = {"a": {"y_pred": A, "y_score": S}, "b": {"y_pred": B, "y_score": T}}
    found = tm.compare(both, Y, metrics=["accuracy", "auc"])
    areas = [sk.roc_auc_score(Y, score) for score in (S, T)]
    assert found["accuracy"].value == pytest.approx(EXPECTED)
    assert found["auc"].value == pytest.approx(areas[0] - areas[1])
    mixed = tm.compare({"a": S, "b": B}, Y)
    assert "auc" not in {one.metric for one in mixed.differences}
    # Where "a" is cut, and that scores are not compared.
    assert len(mixed.notes) == len(tm.compare({"a": A, "b": B}, Y).notes) + 2
    holed = tm.compare({"a": HOLED, "b": S.tolist()}, Y, missing="drop", metrics=["auc"])
    assert (holed["auc"].value, holed.models[1].n) == (0, N - 1)


def test_frames_and_files(tmp_path):
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = library({"y": Y, "tree": A, "forest": B})
        found = accuracy(frame, models=["tree", "forest"], actual="y")
        renamed = accuracy(frame, models={"T": "tree", "F": "forest"}, actual="y")
        assert [model.name for model in renamed.models] == ["T", "F"]
        assert type(found.table()).__module__.split(".")[0] == library.__module__.split(".")[0]
        one, two = (
            library({"id": np.arange(N), "y": Y, "p": A}),
            library({"id": BACK, "y": Y[BACK], "p": B[BACK]}),
        )
        named = accuracy({"a": one, "b": two}, actual="y", predicted="p", id="id")
        guessed = accuracy({"a": one, "b": two}, actual="y", predicted="p")
        assert len(guessed.notes) == len(named.notes) + 1
        beside = {"a": one, "b": tm.evaluate(Y, B, id=np.arange(N))}
        accuracy(beside, actual="y", predicted="p", id="id")
    order = RNG.permutation(N)
    pl.DataFrame({"id": range(N), "y": Y, "p": A}).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"id": order, "y": Y[order], "p": B[order]}).write_parquet(tmp_path / "b.parquet")
    files = {"a": tmp_path / "a.csv", "b": str(tmp_path / "b.parquet")}
    found = accuracy(files, actual="y", predicted="p", id="id")
    assert accuracy(files, actual="y", predicted="p")["accuracy"].p_value == found["accuracy"].p_value
    frame = pl.DataFrame(
        {"y": Y, "a": A, "b": B, "s": S, "t": T, "u": np.where(A, "1", "0"), "k": np.arange(N) % 3}
    )
    frame.write_csv(tmp_path / "both.csv")
    one = accuracy(tmp_path / "both.csv", models=["a", "b"], actual="y")
    assert one["accuracy"].p_value == found["accuracy"].p_value
    for table in (frame, tmp_path / "both.csv"):
        scores = tm.compare(table, models=["s", "t"], actual="y", metrics=["auc"])
        assert scores["auc"].value == pytest.approx(sk.roc_auc_score(Y, S) - sk.roc_auc_score(Y, T))
    # Of three classes one number is not a score: these are predictions.
    three = tm.compare(
        frame.with_columns(q=pl.col("k"), r=pl.col("k")), models=["q", "r"], actual="k", **ONLY
    )
    assert three["accuracy"].value == 0


def test_evaluations_are_compared_at_the_level_asked():
    evs = {"a": tm.evaluate(Y, A), "b": tm.evaluate(Y, B)}
    found = accuracy(evs)
    ids = {"a": tm.evaluate(Y, A, id=np.arange(N)), "b": tm.evaluate(Y[BACK], B[BACK], id=BACK)}
    assert accuracy(ids)["accuracy"].p_value == found["accuracy"].p_value
    scored = {"a": tm.evaluate(Y, y_score=S), "b": tm.evaluate(Y, y_score=T)}
    asked = tm.compare(scored, confidence_level=0.8)
    direct = tm.compare({"a": S, "b": T}, Y, confidence_level=0.8)
    for one in direct.differences:
        assert ends(asked[one.metric]) == ends(one)
        assert one.level == 0.8
    assert all(value.level == 0.8 for model in asked.models for value in model.values.values())
    assert asked.models[0].values["auc"].low == direct.models[0].values["auc"].low
    lost = {"a": pickle.loads(pickle.dumps(evs["a"])), "b": evs["b"]}
    for design in ("same rows", "other rows"):
        assert tm.compare(lost, design=design, **ONLY).design == design


# --- what is noted and refused ----------------------------------------------------------------------


def test_options_without_effect_are_noted():
    plain = tm.compare(PAIR, Y, **ONLY)
    assert len(tm.compare(PAIR, Y, method="mee", **ONLY).notes) == len(plain.notes) + 1
    figures = {"a": (0.8, 30), "b": (0.7, 40)}
    assert len(tm.compare(figures, test="exact").notes) == len(tm.compare(figures).notes) + 1
    lost = {name: tm.Confusion([[40, 10], [5, 45]]) for name in "ab"}
    asked = {"design": "same rows", "pos_label": "class 1", **ONLY}
    assert (
        len(tm.compare(lost, test="permutation", **asked).notes) == len(tm.compare(lost, **asked).notes) + 1
    )
    # NumPy's numbers are numbers, and limits are allowed.
    for options in (
        {"margin": np.float32(0.5), "permutations": np.int64(100), "random_state": np.uint8(3)},
        {"permutations": 1_000_000, "random_state": None, "metrics": "accuracy"},
        {"margin": 0.1, "confidence_level": 0.51},
    ):
        assert accuracy(PAIR, Y, **{name: value for name, value in options.items() if name != "metrics"})
    assert tm.compare(PAIR, Y, metrics="f1").differences[1].metric == "f1"
    assert math.isclose(tm.compare(PAIR, Y, margin=np.float32(0.5), **ONLY).margin, 0.5)


FRAME = pl.DataFrame({"y": Y, "a": A, "b": B})
EVALUATED = {"a": tm.evaluate(Y, A), "b": tm.evaluate(Y, B)}
FOLDS = {"a": [0.8, 0.9], "b": [0.7, 0.8]}
BY_FOLD = {"per": "fold", "same_folds": True}
TEXT = np.where(Y, "y", "n")
OF_SCORES = {"one": tm.evaluate(Y, y_score=S, clip=1e-3), "two": tm.evaluate(Y, y_score=T)}
UNDEFINED = {"one": tm.evaluate(Y, A, undefined=0), "two": tm.evaluate(Y, B)}
REFUSED = {
    "other lengths of rows": (PAIR, {"y_true": Y[:-1]}),
    "other lengths": ({"a": A[:-1], "b": B}, {"y_true": Y}),
    "one model": ({"a": A}, {"y_true": Y}),
    "nothing": ({}, {"y_true": Y}),
    "None": (None, {}),
    "a list of models": ([A, B], {"y_true": Y}),
    "an array": (A, {"y_true": Y}),
    "a frame without models": (FRAME.to_pandas(), {"y_true": Y}),
    "no rows": ({"a": [], "b": []}, {"y_true": []}),
    "a name twice": ({1: A, "1": B}, {"y_true": Y}),
    "rows without classes": (PAIR, {}),
    "numbers alone": ({"a": 0.5, "b": 0.6}, {}),
    "an evaluation and rows": ({"a": EVALUATED["a"], "b": B}, {}),
    "an evaluation beside classes": ({"a": EVALUATED["a"], "b": B}, {"y_true": Y}),
    "an accuracy and an evaluation": ({"a": (0.85, 30), "b": EVALUATED["a"]}, {}),
    "other rows of one table": (PAIR, {"y_true": Y, "design": "other rows"}),
    "design": (PAIR, {"y_true": Y, "design": "paired"}),
    "not a label": (PAIR, {"y_true": Y, "pos_label": 7}),
    "no positive class": ({"a": S, "b": T}, {"y_true": TEXT}),
    "folds of rows": (PAIR, {"y_true": Y, "n_train": 90}),
    "sizes of rows": (PAIR, {"y_true": Y, "n_train": np.array([90, 90])}),
    "columns beside arrays": (PAIR, {"y_true": Y, "actual": "y"}),
    "memory beside arrays": (PAIR, {"y_true": Y, "memory": "1GB"}),
    "nothing to cut": (PAIR, {"y_true": Y, "threshold": 0.5}),
    "a ragged model": ({"a": RAGGED, "b": S}, {"y_true": Y}),
    "a ragged array": ({"a": np.array(RAGGED, dtype=object), "b": S}, {"y_true": Y}),
    "one number": ({"a": 5, "b": S}, {"y_true": Y}),
    "a number of numpy": ({"a": np.float64(0.5), "b": S}, {"y_true": Y}),
    "ragged classes": ({"a": S, "b": T}, {"y_true": RAGGED}),
    "one class for all": ({"a": S, "b": T}, {"y_true": 3}),
    "one class for predictions": (PAIR, {"y_true": 3}),
    "unknown columns of a model": ({"a": {"pred": A}, "b": {"y_pred": B}}, {"y_true": Y}),
    "no column of a model": ({"a": {}, "b": {"y_pred": B}}, {"y_true": Y}),
    "a missing score": ({"a": HOLED, "b": S}, {"y_true": Y}),
    "per": (FOLDS, {"per": "folds"}),
    "per rows": (FOLDS, {"per": "rows"}),
    "classes of evaluations": (EVALUATED, {"threshold": 0.3}),
    "weights of evaluations": (EVALUATED, {"sample_weight": Y + 1}),
    "the positive class of evaluations": (EVALUATED, {"pos_label": 0}),
    "memory of evaluations": (EVALUATED, {"memory": "1GB"}),
    "another prevalence": ({"a": EVALUATED["a"].at_prevalence(0.1), "b": EVALUATED["b"]}, {}),
    "another clip": (OF_SCORES, {"metric": "log_loss"}),
    "another clip, other rows": (OF_SCORES, {"metric": "log_loss", "design": "other rows"}),
    "another rule": (UNDEFINED, {"metric": "f1_macro"}),
    "another rule, other rows": (UNDEFINED, {"metric": "balanced_accuracy", "design": "other rows"}),
    "scores of predictions": (PAIR, {"y_true": Y, "metric": "auc"}),
    "predictions and scores": ({"a": A, "b": T * 9 - 3}, {"y_true": Y}),
    "one column": (FRAME, {"models": "a", "actual": "y"}),
    "no columns": (FRAME, {"models": [], "actual": "y"}),
    "an absent column": (FRAME, {"models": ["a", "z"], "actual": "y"}),
    "models and a score": (FRAME, {"models": ["a", "y"], "score": "a"}),
    "models and classes": (FRAME, {"models": ["a", "b"], "y_true": Y, "actual": "y"}),
    "absent files": ({"a": "there/is/no/such.csv", "b": "none.csv"}, {"actual": "y"}),
    **{
        f"{name} = {value!r}": (PAIR, {"y_true": Y, name: value})
        for name, values in {
            "metric": ["nope", 3],
            "metrics": [[1], ["f1", "nope"]],
            "margin": [0, -0.1, True, math.nan, math.inf, "0.1"],
            "adjust": ["fdr", ["holm"]],
            "test": ["t"],
            "method": ["wilson"],
            "permutations": [99, 1_000_001, 1000.0, True],
            "confidence_level": [95, 1.0, 0.0],
            "random_state": [-1, 1.5, True],
            "alternative": ["larger"],
        }.items()
        for value in values
    },
    "a margin at 50 %": (PAIR, {"y_true": Y, "margin": 0.1, "confidence_level": 0.5}),
}  # fmt: skip


OTHER_KINDS = {
    "ShapeError": [
        *("other lengths of rows", "other lengths", "no rows", "a ragged model", "a ragged array"),
        *("one number", "a number of numpy", "one class for all", "one class for predictions"),
    ],
    "LabelError": ["not a label", "no positive class"],
    "MissingValueError": ["a missing score"],
    "ColumnError": ["an absent column"],
    "FileError": ["absent files"],
    "MetricError": ["metric = 'nope'", "metric = 3", "metrics = [1]", "metrics = ['f1', 'nope']"],
}


def test_what_cannot_be_compared(snapshot):
    refused = refusals(
        {name: lambda to=to, more=more: tm.compare(to, **more) for name, (to, more) in REFUSED.items()}
    )
    assert all("\n" not in text for text in refused.values())
    expected = {name: kind for kind, names in OTHER_KINDS.items() for name in names}
    assert classes(refused) == {name: expected.get(name, "OptionError") for name in REFUSED}
    snapshot("errors_of_comparisons", refused)
    # Where it does not matter, other rules are not refused.
    for design in ("same rows", "other rows"):
        assert tm.compare(OF_SCORES, design=design, metrics=["auc"]).design == design
        assert tm.compare(UNDEFINED, design=design, **ONLY).design == design


# --- laws -------------------------------------------------------------------------------------------

METRICS = ["accuracy", "precision_weighted", "mcc"]


@st.composite
def problems(draw):
    """Classes of a few rows and the predictions of two models."""
    size, n = draw(st.integers(2, 4)), draw(st.integers(1, 14))
    rows = st.lists(st.integers(0, size - 1), min_size=n, max_size=n)
    return draw(rows), draw(rows), draw(rows), size


@given(problems())
def test_predictions_of_any_rows_can_be_compared(problem):
    y, a, b, size = problem
    options = {"labels": list(range(size)), "permutations": 100, "metrics": METRICS}
    found = tm.compare({"a": a, "b": b}, y, **options)
    loaded(found.to_json())
    swapped = tm.compare({"b": b, "a": a}, y, **options)
    order = np.random.default_rng(len(y)).permutation(len(y))
    moved = tm.compare({"a": np.take(a, order), "b": np.take(b, order)}, np.take(y, order), **options)
    copied = tm.compare({"a": a, "copy": list(a)}, y, **options)
    assert all((one.p_value, one.value) == (1, 0) for one in copied.differences if one.value is not None)
    assert copied.winner is None
    for one in found.differences:
        other = swapped[one.metric]
        assert (moved[one.metric].value, moved[one.metric].p_value) == (one.value, one.p_value)
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert other.value == pytest.approx(-one.value, abs=1e-12)
            assert other.p_value == pytest.approx(one.p_value)
            assert one.p_value is None or 0 < one.p_value <= 1
