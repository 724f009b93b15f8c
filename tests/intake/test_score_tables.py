"""Tables of scores: wide, long, nested and WEKA's; what is refused, where, and what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallymark.errors import TallymarkError
from tallymark.intake.score_tables import ScoreTable, read_scores

WIDE = {"fold": [1, 2, 3], "tree": [0.8, 0.7, 0.75], "forest": [0.9, 0.8, 0.7]}
LONG = """data set,fold,model,score
iris,1,tree,0.8
iris,2,tree,0.7
iris,1,forest,0.9
iris,2,forest,0.95
wine,1,tree,0.6
wine,2,tree,0.5
wine,2,forest,0.65
wine,1,forest,0.75
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def writer(content: str, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return writer


def refused(data: Any, **options: Any) -> str:
    with pytest.raises(TallymarkError) as caught:
        read_scores(data, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def scores(table: ScoreTable, place: int = 0) -> list[list[float]]:
    found: list[list[float]] = table.folds[place].scores.tolist()
    return found


# --- layouts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "library"),
    [(dict, None), (pd.DataFrame, "pandas"), (pl.DataFrame, "polars"), (pa.table, "pyarrow")],
)
def test_a_wide_table_of_folds_in_any_library(make: Any, library: str | None) -> None:
    table = read_scores(make(WIDE))
    assert table.design == "same folds"
    assert table.models == ("tree", "forest")
    assert table.folds[0].names == ("1", "2", "3")
    assert table.by_model() == {"tree": [0.8, 0.7, 0.75], "forest": [0.9, 0.8, 0.7]}
    assert table.library == library


def test_a_wide_table_of_data_sets(write: Any) -> None:
    table = read_scores(write("dataset,tree,forest\niris,0.8,0.9\nwine,0.7,0.8\n"))
    assert table.design == "many data sets"
    assert table.data_sets == ("iris", "wine")
    assert not table.has_folds
    assert table.means.tolist() == [[0.8, 0.9], [0.7, 0.8]]


@pytest.mark.parametrize("name", ["data set", "Dataset", "data_set", "Data", "DATASET"])
def test_the_column_of_data_sets_has_several_names(name: str) -> None:
    assert read_scores({name: ["a", "b"], "x": [1, 2], "y": [3, 4]}).data_sets == ("a", "b")


def test_without_a_column_of_names_the_rows_must_be_stated() -> None:
    columns = {"tree": [0.8, 0.7], "forest": [0.9, 0.8]}
    assert "--per fold or --per dataset" in refused(columns)
    assert read_scores(columns, per="fold").design == "same folds"
    stated = read_scores(columns, per="dataset")
    assert stated.design == "many data sets"
    assert stated.data_sets == ("1", "2")


def test_what_is_stated_must_fit_the_columns() -> None:
    assert refused(WIDE, per="dataset") == (
        "scores are stated to be per data set, but there is a column 'fold'."
    )
    assert refused({"data": ["a"], "x": [1.0], "y": [1.0]}, per="fold") == (
        "scores are stated to be per fold, but there is a column 'data'."
    )


def test_what_is_stated_must_fit_the_data_sets(write: Any) -> None:
    assert "but there are ['iris', 'wine']. Hint: --per dataset" in refused(write(LONG), per="fold")
    one = {"iris": {"a": [0.1, 0.2], "b": [0.2, 0.3]}}
    assert "but there is only 'iris', with its folds. Hint: --per fold" in refused(one, per="dataset")
    assert "columns is for tables" in refused(one, columns={"model": "a"})


def test_two_columns_with_one_name_are_refused(write: Any) -> None:
    frame = pd.DataFrame([[1, 0.1, 0.2, 0.3]], columns=["fold", "tree", "tree", "forest"])
    assert "several columns called 'tree'" in refused(frame)
    assert "2 columns named 'tree'" in refused(write("fold,tree,tree,forest\n1,0.1,0.2,0.3\n"))


def test_a_long_table_pairs_folds_by_name(write: Any) -> None:
    table = read_scores(write(LONG))
    assert table.design == "many data sets"
    assert table.has_folds
    assert scores(table) == [[0.8, 0.9], [0.7, 0.95]]
    assert scores(table, 1) == [[0.6, 0.75], [0.5, 0.65]]
    np.testing.assert_allclose(table.means, [[0.75, 0.925], [0.55, 0.7]])


def test_a_parquet_file_is_read_as_the_text_is(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "scores.parquet"
    pl.read_csv(write(LONG)).write_parquet(path)
    assert scores(read_scores(path)) == scores(read_scores(write(LONG)))


def test_one_data_set_in_a_long_table_is_compared_by_its_folds() -> None:
    table = read_scores(pl.read_csv(LONG.encode()).filter(pl.col("data set") == "iris"))
    assert table.design == "same folds"
    assert table.data_sets == ("iris",)


def test_the_score_of_a_long_table_is_chosen_by_the_metric() -> None:
    frame = {"fold": [1, 1], "model": ["a", "b"], "accuracy": [0.1, 0.2], "AUC": [0.3, 0.4]}
    assert "['accuracy', 'AUC'] could all be it" in refused(frame)
    assert scores(read_scores(frame, metric="auc")) == [[0.3, 0.4]]
    only = read_scores({name: frame[name] for name in ("fold", "model", "accuracy")})
    assert only.metric == "accuracy"


def test_columns_of_other_names_are_named() -> None:
    frame = {"Korpus": ["x", "x"], "System": ["a", "b"], "F": [0.1, 0.2]}
    parts = {"data set": "Korpus", "model": "System", "score": "F"}
    assert read_scores(frame, columns=parts).data_sets == ("x",)
    assert "did you mean 'Korpus'?" in refused(frame, columns={"data set": "Korpora"})
    assert "the parts are data_set, run, fold" in refused(frame, columns={"corpus": "Korpus"})
    assert "named for two parts" in refused(frame, columns={"model": "System", "fold": "System"})


def test_only_the_models_named_are_compared(write: Any) -> None:
    wide = write("fold,tree,forest,knn,remark\n1,0.1,0.2,0.3,good\n")
    assert read_scores(wide, models=["knn", "tree"]).models == ("knn", "tree")
    assert "holds 'good' at line 2" in refused(wide)
    assert "models=" in refused(wide)
    long = {"fold": [1, 1, 1], "model": ["a", "b", "c"], "score": [0.1, 0.2, 0.3]}
    assert scores(read_scores(long, models=["c", "a"])) == [[0.3, 0.1]]
    assert refused(long, models=["c", "x"]) == "there is no model 'x'; the models are ['a', 'b', 'c']."


def test_runs_and_folds_come_in_order() -> None:
    run, fold = [2, 2, 1, 1], [1, 2, 10, 9]
    folds = read_scores({"run": run, "fold": fold, "x": [1, 2, 3, 4], "y": [0, 0, 0, 0]}).folds[0]
    assert folds.names == ("run 1, fold 9", "run 1, fold 10", "run 2, fold 1", "run 2, fold 2")
    assert folds.scores[:, 0].tolist() == [4, 3, 1, 2]
    assert folds.runs == 2


def test_runs_alone_are_folds_and_said() -> None:
    table = read_scores({"run": [1, 2], "x": [0.1, 0.2], "y": [0.1, 0.3]})
    assert table.folds[0].runs == 1
    assert "give n_train and n_test" in table.notes[0]


def test_the_named_index_of_a_pandas_frame_names_the_rows() -> None:
    frame = pd.DataFrame(
        {"x": [0.1, 0.2], "y": [0.2, 0.3]}, index=pd.Index(["iris", "wine"], name="data set")
    )
    assert read_scores(frame).data_sets == ("iris", "wine")


def test_nested_mappings() -> None:
    folds = read_scores(
        {"iris": {"a": [0.1, 0.2], "b": (0.3, 0.4)}, "wine": {"a": [0.5], "b": np.array([0.6])}}
    )
    assert folds.design == "many data sets"
    assert scores(folds) == [[0.1, 0.3], [0.2, 0.4]]
    means = read_scores({"iris": {"a": 0.1, "b": 0.2}, "wine": {"b": 0.4, "a": 0.3}})
    assert not means.has_folds
    assert means.means.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert "has 1 and another model 2 scores" in refused({"iris": {"a": [0.1, 0.2], "b": [0.3]}})
    assert "holds True or False" in refused({"iris": {"a": True, "b": 0.3}})


def test_percentages_are_read_as_shares_when_asked() -> None:
    table = read_scores({"data": ["p", "q"], "x": [80, 70.5], "y": [90, 60]}, scale="percent")
    np.testing.assert_allclose(table.means, [[0.8, 0.9], [0.705, 0.6]])


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dataset,x,y\niris,0.8,oops\n", "score (column 'y') holds 'oops' at line 2; numbers are expected."),
        ("dataset,x,y\n,0.8,0.9\n", "data set (column 'dataset') is empty at line 2; every score needs one."),
        ("dataset,x,y\na,1,2\na,3,4\n", "'x' on data set 'a' has two scores, at lines 2 and 3."),
        ("fold,model,score\n1,x,1\n1,y,2\n1,x,3\n", "'x' on fold 1 has two scores, at lines 2 and 4."),
        ("dataset,x,y\na,1,\nb,2,3\n", "1 score is missing: 'y' on data set 'a', at line 2."),
        ("dataset,model,score\na,x,1\na,y,2\nb,x,3\n", "1 score is missing: 'y' on data set 'b'."),
        ("dataset,x,y\na,1,NA\n", "say so: --missing NA (in Python missing_words=['NA'])"),
        ("dataset,x\na,1\n", "needs two models or more; the columns are ['dataset', 'x']"),
        ("dataset;x;y\na;1;2\n", "try delimiter ';' (--delimiter ';')"),
        ("dataset,model,score\na,x,1\n", "a comparison needs two models or more; there is ['x']."),
        ("dataset,x,y\na,1\n", "line 2 of"),
    ],
)
def test_errors_name_the_place(write: Any, content: str, said: str) -> None:
    assert said in refused(write(content))


def test_at_most_three_gaps_are_shown() -> None:
    said = refused({"data": list("abcde"), "x": [None] * 5, "y": [0.1] * 5})
    assert said.startswith("5 scores are missing: 'x' on data set 'a', at position 0")
    assert "and 2 more." in said
    assert "--drop-missing" in said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([1, 2], "a table of scores is expected; got list."),
        (np.ones((2, 2)), "a table of scores is expected; got ndarray."),
        ({"x": 0.5, "y": 0.6}, "'x' must hold a list of scores; got float."),
        ({"x": [0.5], "y": [0.6, 0.7]}, "'x' has 1 values and 'y' has 2"),
        ({"fold": [1], "x": [True], "y": [0.6]}, "score (column 'x') holds True or False"),
        ({"fold": [1], "x": [float("inf")], "y": [0.6]}, "score (column 'x') is infinite in 1 row"),
        ({}, "a comparison needs two models or more"),
    ],
)
def test_values_that_are_no_table(data: Any, said: str) -> None:
    assert said in refused(data)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"per": "folds"}, "per must be 'fold' or 'dataset'; got 'folds'."),
        ({"missing": "skip"}, "missing must be 'error' or 'drop'; got 'skip'."),
        ({"scale": "%"}, "scale must be 'share' or 'percent'; got '%'."),
    ],
)
def test_options_that_do_not_exist(options: Any, said: str) -> None:
    assert refused(WIDE, **options) == said


# --- missing ones left out --------------------------------------------------------------------------


def test_a_fold_without_a_score_is_left_out_for_all_models_and_said() -> None:
    table = read_scores({**WIDE, "tree": [0.8, None, 0.75]}, missing="drop")
    assert table.folds[0].names == ("1", "3")
    assert table.notes == (
        "1 fold was left out for all models, because a score is missing: 'tree' on fold 2, at position 1 "
        "(counted from 0).",
    )
    # It was 3-fold cross-validation all the same: every model was trained on two thirds.
    assert table.folds[0].n_train is not None
    assert table.folds[0].n_test is not None
    assert table.folds[0].n_test[0] / table.folds[0].n_train[0] == pytest.approx(1 / 2)


def test_a_data_set_that_a_model_lacks_is_left_out() -> None:
    table = read_scores({"iris": {"a": 0.1, "b": 0.2}, "wine": {"a": 0.3}}, missing="drop")
    assert table.data_sets == ("iris",)
    assert table.notes[0].startswith("1 data set was left out for all models")
    assert "nothing is left" in refused({"iris": {"a": 0.1}, "wine": {"b": 0.3}}, missing="drop")


def test_words_for_missing(write: Any) -> None:
    table = read_scores(write("dataset,x,y\na,1,NA\nb,0.2,0.3\n"), missing="drop", missing_words=["NA"])
    assert table.data_sets == ("b",)


# --- WEKA's Experimenter ----------------------------------------------------------------------------

WEKA_HEAD = (
    "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Key_Scheme_version_ID,Date_time,"
    "Number_of_training_instances,Number_of_testing_instances,Percent_correct,Area_under_ROC"
)
SCHEMES = (("rules.ZeroR", ""), ("trees.J48", "'-C 0.25 -M 2'"), ("trees.J48", "'-U -M 2'"))


def weka_lines() -> list[str]:
    return [
        f"iris,{run},{fold},weka.classifiers.{scheme},{options},-1,20261115.1,135.0,15.0,{90 + place + fold},"
        f"{'?' if place == 0 and fold == 2 else 0.5}"
        for place, (scheme, options) in enumerate(SCHEMES)
        for run in (1, 2)
        for fold in (1, 2, 3)
    ]


def test_wekas_csv_is_known_by_its_columns(write: Any) -> None:
    table = read_scores(write("\n".join([WEKA_HEAD, *weka_lines()])))
    assert table.metric == "accuracy"
    assert table.models == ("ZeroR", "J48 '-C 0.25 -M 2'", "J48 '-U -M 2'")
    assert table.notes == (
        "WEKA's Experimenter wrote this table; Percent_correct is read as accuracy, in shares of 1.",
    )
    folds = table.folds[0]
    assert folds.names[3] == "run 2, fold 1"
    assert folds.runs == 2
    assert folds.n_train == (135.0,) * 6
    assert folds.n_test == (15.0,) * 6
    np.testing.assert_allclose(folds.scores[0], [0.91, 0.92, 0.93])


def test_wekas_arff_is_read_as_its_csv(write: Any) -> None:
    names = WEKA_HEAD.split(",")
    kinds = {
        "Key_Dataset": "{iris}",
        "Key_Scheme": "{weka.classifiers.rules.ZeroR,weka.classifiers.trees.J48}",
        "Key_Scheme_options": r"{'','\'-C 0.25 -M 2\'','\'-U -M 2\''}",
    }
    head = ["@relation InstanceResultListener", *(f"@attribute {n} {kinds.get(n, 'numeric')}" for n in names)]
    body = [line.replace(",'", r",'\'").replace("',", r"\'',").replace(",,", ",'',") for line in weka_lines()]
    path = write("\n".join([*head, "@data", *body]), "results.arff")
    text = read_scores(write("\n".join([WEKA_HEAD, *weka_lines()])))
    arff = read_scores(path)
    assert arff.models == text.models
    assert scores(arff) == scores(text)


def test_wekas_other_numbers_by_our_names(write: Any) -> None:
    path = write("\n".join([WEKA_HEAD, *weka_lines()]))
    assert "2 scores are missing: 'ZeroR' on data set 'iris', run 1, fold 2, at line 3" in refused(
        path, metric="auc"
    )
    assert read_scores(path, metric="auc", missing="drop").folds[0].scores.shape == (4, 3)
    assert "no 'F_measure' for 'f1'" in refused(path, metric="f1")
    other = read_scores(path, metric="Date_time")
    assert other.metric == "Date_time"
