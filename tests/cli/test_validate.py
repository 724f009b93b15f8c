"""`tallymark validate`: data and models by name in, estimates on rows not seen out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import (
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

ROWS = 60
RANDOM = np.random.default_rng(5)
Y = np.arange(ROWS) % 2
DATA: dict[str, Any] = {
    "id": np.arange(ROWS) + 100,
    "x": (RANDOM.normal(0, 1, ROWS) + 1.2 * Y).round(4),
    "z": RANDOM.normal(0, 1, ROWS).round(4),
    "patient": [f"p{i % 6}" for i in range(ROWS)],
    "doctor": [f"d{i // 6 % 5}" for i in range(ROWS)],
    "y": Y,
}
X = np.column_stack([DATA["x"], DATA["z"]])
NUMBERS = ("--target", "y", "--features", "x,z")
MODULE = '''
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
import numpy as np

bayes = GaussianNB()
Stump = DecisionTreeClassifier


def shallow():
    return DecisionTreeClassifier(max_depth=2, random_state=0)


class Balanced(GaussianNB):
    def fit(self, X, y):
        shares = np.unique(y, return_counts=True)[1]
        if shares.min() < shares.max():
            raise ValueError(f"there are {shares.tolist()} of each class.")
        return super().fit(X, y)


class Picky(GaussianNB):
    """Fails when it would learn the first rows, which are in all training sets but one of five."""

    def fit(self, X, y):
        if X[0, 0] != FIRST:
            raise ValueError("row 0 is missing")
        return super().fit(X, y)


class Hopeless(GaussianNB):
    def fit(self, X, y):
        raise RuntimeError("no luck")
'''


@pytest.fixture(autouse=True)
def files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame(DATA).write_csv("rows.csv")
    Path("own_for_validate.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_for_validate", raising=False)


def validated(run: Any, *arguments: str, **more: Any) -> Any:
    return run("validate", *arguments, "--json", **more).json


def scores(form: Any, place: int = 0, metric: str = "accuracy") -> list[float]:
    found: list[float] = form["models"][place]["metrics"][metric]["values"]
    return found


# --- the numbers are scikit-learn's -----------------------------------------------------------------


def test_folds_as_scikit_learn_has_them(run: Any) -> None:
    form = validated(run, "rows.csv", *NUMBERS, "--model", "own_for_validate:bayes", "--seed", "3")
    cv = StratifiedKFold(10, shuffle=True, random_state=3)
    expected = cross_val_score(GaussianNB(), X, Y, cv=cv)
    assert form["schema"] == "tallymark/validation/1"
    assert scores(form) == pytest.approx(expected.tolist())
    found = form["models"][0]["metrics"]["accuracy"]
    assert found["mean_of_folds"]["value"] == pytest.approx(expected.mean())
    assert found["standard_deviation"] == pytest.approx(expected.std(ddof=1))


def test_runs_of_folds(run: Any) -> None:
    form = validated(run, "rows.csv", *NUMBERS, "--model", "own_for_validate:bayes", "--method", "kfold:5x2")
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    assert scores(form) == pytest.approx(cross_val_score(GaussianNB(), X, Y, cv=cv).tolist())
    assert form["runs"] == 5


@pytest.mark.parametrize("way", [("--method", "group:patient"), ("--method", "group", "--group", "patient")])
def test_one_group_out(run: Any, way: tuple[str, ...]) -> None:
    form = validated(run, "rows.csv", *NUMBERS, "--model", "own_for_validate:bayes", *way)
    expected = cross_val_score(GaussianNB(), X, Y, cv=LeaveOneGroupOut(), groups=DATA["patient"])
    assert scores(form) == pytest.approx(expected.tolist())


def test_several_models_and_metrics(run: Any) -> None:
    form = validated(
        run, "rows.csv", *NUMBERS, "--model", "own_for_validate:bayes", "--model",
        "shallow=own_for_validate:shallow", "--metric", "auc", "--metric", "f1", "--method", "kfold:5",
    )  # fmt: skip
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    models = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
    assert [model["name"] for model in form["models"]] == ["own_for_validate:bayes", "shallow"]
    assert form["metric"] == "auc"
    for place, model in enumerate(models):
        for metric, scoring in (("auc", "roc_auc"), ("f1", "f1")):
            expected = cross_val_score(model, X, Y, cv=cv, scoring=scoring).tolist()
            assert scores(form, place, metric) == pytest.approx(expected)


# --- which rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "folds", "tested"),
    [
        ("holdout", 1, 20),
        ("holdout:1/4", 1, 15),
        ("repeated:3", 3, 20),
        ("loo", ROWS, 1),
        ("bootstrap:4", 4, None),
    ],
    ids=["holdout", "quarter", "repeated", "one out", "bootstrap"],
)
def test_methods(run: Any, method: str, folds: int, tested: int | None) -> None:
    form = validated(run, "rows.csv", *NUMBERS, "--model", "bayes", "--method", method)
    assert len(form["folds"]) == folds
    if tested is not None:
        assert {fold["n_test"] for fold in form["folds"]} == {tested}


def test_groups_stay_together(run: Any) -> None:
    run("validate", "rows.csv", *NUMBERS, "--model", "bayes", "--group", "patient", "--method", "kfold:3",
        "--predictions", "said.csv", "--quiet")  # fmt: skip
    said = pl.read_csv("said.csv").with_columns(
        pl.Series("patient", DATA["patient"])[pl.read_csv("said.csv")["row"]]
    )
    assert said.group_by("patient").agg(pl.col("fold").n_unique())["fold"].to_list() == [1] * 6


def test_pairs_stay_apart(run: Any) -> None:
    form = validated(run, "rows.csv", *NUMBERS, "--model", "bayes", "--method", "pairs:patient,doctor:2")
    assert len(form["folds"]) == 4
    # Two of six patients' halves and two of five doctors' halves: no row is in both sides, some in neither.
    assert all(fold["n_train"] + fold["n_test"] < ROWS for fold in form["folds"])


# --- where the data come from --------------------------------------------------------------------


def test_the_same_rows_from_anywhere(run: Any) -> None:
    whole = pl.DataFrame(DATA)
    whole[:25].write_csv("part1.csv")
    whole[25:].write_csv("part2.csv")
    whole.write_parquet("rows.parquet")
    call = (*NUMBERS, "--model", "bayes", "--method", "kfold:3")
    expected = scores(validated(run, "rows.csv", *call))
    assert scores(validated(run, "part1.csv", "part2.csv", *call)) == expected
    assert scores(validated(run, "rows.parquet", *call)) == expected
    piped = validated(run, "-", *call, stdin=Path("rows.csv").read_bytes())
    assert scores(piped) == expected
    assert piped["data"]["name"] == "standard input"


def test_which_columns_are_learned_from(run: Any) -> None:
    model = ("--model", "own_for_validate:bayes", "--method", "kfold:5", "--target", "y")
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    both, one = (cross_val_score(GaussianNB(), x, Y, cv=cv).tolist() for x in (X, X[:, :1]))
    assert both != one
    rest = "--ignore", "patient,doctor", "--id", "id"
    assert scores(validated(run, "rows.csv", *model, *rest)) == pytest.approx(both)
    assert scores(validated(run, "rows.csv", *model, "--features", "x")) == pytest.approx(one)


def test_missing_values_and_text(run: Any) -> None:
    frame = pl.DataFrame(DATA).with_columns(
        pl.when(pl.col("id") % 7 == 0).then(pl.lit("?")).otherwise(pl.col("x").cast(pl.String)).alias("x")
    )
    frame.write_csv("gaps.csv")
    assert "--missing '?'" in run("validate", "gaps.csv", "--target", "y", "--model", "bayes").err
    form = validated(run, "gaps.csv", "--target", "y", "--id", "id", "--model", "bayes", "--missing", "?")
    gaps = sum(i % 7 == 0 for i in DATA["id"])
    assert any("'x'" in note and str(gaps) in note for note in form["notes"])
    assert "median of the training rows" in form["models"][0]["pipeline"]


def test_a_code_as_text(run: Any) -> None:
    """Codes of 0, 1, 2 of which the middle one is positive: no line tells them apart, names do."""
    code = np.arange(ROWS) % 3
    pl.DataFrame({"code": code, "y": np.where(code == 1, "a", "b")}).write_csv("codes.csv")
    call = ("codes.csv", "--target", "y", "--model", "logistic", "--method", "kfold:5")
    assert np.mean(scores(validated(run, *call))) < 0.8
    assert scores(validated(run, *call, "--text", "code")) == [1.0] * 5


# --- how models are fitted ------------------------------------------------------------------------


def test_as_many_workers_as_you_like(run: Any) -> None:
    call = (
        *NUMBERS,
        "--model",
        "forest=vote:tree:3",
        "--model",
        "own=own_for_validate:shallow",
        "--method",
        "kfold:3",
    )
    one, two = (validated(run, "rows.csv", *call, "--jobs", jobs) for jobs in ("1", "2"))
    for place in range(2):
        assert scores(one, place) == scores(two, place)


def test_sampling_of_training_rows(run: Any) -> None:
    frame = pl.DataFrame(DATA)
    frame.filter((pl.col("y") == 0) | (pl.col("id") < 130)).write_csv("rare.csv")
    call = ("rare.csv", *NUMBERS, "--model", "own_for_validate:Balanced", "--method", "kfold:3")
    plain = run("validate", *call)
    assert (plain.code, plain.err) == (
        2,
        "tallymark: all 3 fits failed; the first, of 'own_for_validate:Balanced': "
        "ValueError: there are [20, 10] of each class.\n",
    )
    for option in ("--oversample", "--undersample"):
        assert len(scores(validated(run, *call, option, "1"))) == 3
    assert run("validate", *call, "--oversample", "0.8").code == 2


def test_costs(run: Any) -> None:
    call = ("rows.csv", *NUMBERS, "--model", "own_for_validate:bayes", "--method", "kfold:3")
    form = validated(run, *call, "--costs", "0 1; 5 0", "--labels", "0,1", "--metric", "mean_cost")
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    expected = []
    for train, test in cv.split(X, Y):
        answers = GaussianNB().fit(X[train], Y[train]).predict(X[test])
        expected.append(np.where(answers == Y[test], 0, np.where(Y[test] == 1, 5, 1)).mean())
    assert scores(form, metric="mean_cost") == pytest.approx(expected)
    named = validated(run, *call, "--costs", '{"0": {"1": 1}, "1": {"0": 5}}', "--metric", "mean_cost")
    assert scores(named, metric="mean_cost") == scores(form, metric="mean_cost")


def test_fits_that_fail_are_exit_code_3(run: Any) -> None:
    Path("own_for_validate.py").write_text(MODULE + f"\nFIRST = {DATA['x'][0]}\n")
    call = ("rows.csv", "--target", "y", "--features", "x", "--method", "kfold:5")
    models = ("--model", "picky=own_for_validate:Picky", "--model", "bayes")
    failed = run("validate", *call, *models)
    assert failed.code == 3
    assert failed.err == "tallymark: 'picky': 1 of 5 fits failed: ValueError: row 0 is missing.\n"
    assert "1 of 5 fits failed" in failed.out
    written = run("validate", *call, *models, "--json", "-o", "out.json")
    assert (written.code, written.out) == (3, "")
    assert written.err.startswith("wrote out.json\ntallymark: 'picky': 1 of 5")
    form = json.loads(Path("out.json").read_text())
    assert scores(form).count(None) == 1
    assert None not in scores(form, 1)


def test_no_fit_is_left(run: Any) -> None:
    result = run(
        "validate", "rows.csv", *NUMBERS, "--model", "own_for_validate:Hopeless", "--method", "holdout"
    )
    assert (result.code, result.out) == (2, "")
    assert (
        result.err
        == "tallymark: the fit failed; the first, of 'own_for_validate:Hopeless': RuntimeError: no luck.\n"
    )


def test_without_the_extra(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    result = run("validate", "rows.csv", *NUMBERS, "--model", "bayes")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "tallymark: fitting models needs scikit-learn and joblib. Hint: pip install 'tallymark[validate]'\n"
    )
