"""`--prepare`: models of one's own get the preparation that the others have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import tallymark as tm

ROWS = 48
RANDOM = np.random.default_rng(3)
Y = np.arange(ROWS) % 2
DATA: dict[str, Any] = {
    "name": [f"n{place}" for place in RANDOM.permutation(ROWS)],
    "x": [None if place % 7 == 3 else round(RANDOM.normal() + y, 3) for place, y in enumerate(Y)],
    "city": [("Bonn", "Jena", "Ulm")[place % 3] for place in range(ROWS)],
    "y": Y,
}
OWN = ("--model", "sklearn.svm:SVC")
READ = ("rows.csv", "--target", "y", "--id", "name")
SMALL = {
    "validate": ("--method", "kfold:4"),
    "tune": ("--param", "C=0.1,10", "--method", "nested:2x2"),
    "learn": ("--repeats", "3", "--schedule", "16"),
    "permute": ("--permutations", "5"),
}
PREPARED = (
    "numbers scaled, missing ones replaced by the median of the training rows and marked; text columns "
    "one-hot (up to 50 levels each, missing is one); SVC()."
)


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    pl.DataFrame(DATA).write_csv("rows.csv")


@pytest.mark.parametrize("command", SMALL)
def test_a_model_that_takes_no_text_is_prepared_for_and_the_report_says_so(run: Any, command: str) -> None:
    call = (command, *READ, *OWN, *SMALL[command])
    refused = run(*call)
    assert (refused.code, refused.out) == (2, "")
    assert (
        "Hint: the data have text and missing values, which not every model takes: --prepare" in refused.err
    )
    found = run(*call, "--prepare")
    assert (found.code, found.err) == (0, "")
    assert PREPARED in " ".join(found.out.split())


def test_it_is_the_preparation_of_python(run: Any) -> None:
    found = run("validate", *READ, *OWN, "--method", "kfold:4", "--prepare", "--json").json
    X = pl.DataFrame(DATA).select("x", "city")
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = clone(make_pipeline(tm.Preparation(), SVC()))
    expected = np.mean(cross_val_predict(model, X, Y, cv=folds) == Y)
    value = found["models"][0]["metrics"]["accuracy"]["pooled"]["value"]
    assert value == pytest.approx(expected)


def test_the_others_stay_as_they_are_and_votes_are_prepared_too(run: Any) -> None:
    models = ("--model", "tree", "--model", "vote:tree,sklearn.svm:SVC")
    found = run("validate", *READ, *models, "--method", "kfold:3", "--prepare", "--json").json
    alone = run("validate", *READ, "--model", "tree", "--method", "kfold:3", "--json").json
    assert found["failed"] == 0
    assert found["models"][0]["metrics"] == alone["models"][0]["metrics"]


def test_it_is_refused_where_it_does_nothing(run: Any) -> None:
    result = run("validate", *READ, "--model", "tree", "--model", "vote:tree:5", "--prepare")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "tallymark: --prepare is for models of your own, module:object; the others have their data prepared "
        "anyway. Hint: leave it out.\n"
    )


# --- predictions under the ids of the data -----------------------------------------------------------


def test_predictions_have_the_ids_by_which_other_files_are_matched(run: Any) -> None:
    # Another program's answers to the same rows, in another order.
    others = pl.DataFrame({"name": DATA["name"], "actual": Y, "predicted": Y ^ (np.arange(ROWS) % 5 == 0)})
    others.sort("name").write_csv("theirs.csv")
    call = ("validate", *READ, "--model", "bayes", "--method", "kfold:4")
    assert run(*call, "--predictions", "ours.csv").code == 0
    ours = pl.read_csv("ours.csv")
    assert ours.columns == ["name", "run", "fold", "actual", "predicted", "score"]
    actual = dict(zip(DATA["name"], Y.tolist(), strict=True))
    assert dict(zip(ours["name"], ours["actual"], strict=True)) == actual
    compared = run("compare", "ours.csv", "theirs.csv", "--id", "name", "--json").json
    assert (compared["design"], compared["rows"]) == ("same rows", ROWS)
    both = ours.join(others, on="name", suffix="_theirs")
    right = [(both[column] == both["actual"]).sum() for column in ("predicted", "predicted_theirs")]
    assert compared["differences"][0]["value"] == pytest.approx((right[0] - right[1]) / ROWS)


def test_without_ids_predictions_have_the_positions_in_the_file(run: Any) -> None:
    lines = Path("rows.csv").read_text().splitlines()
    lines[5] = lines[5].rpartition(",")[0] + ","  # row 4 has no class
    Path("gap.csv").write_text("\n".join(lines))
    call = ("gap.csv", "--target", "y", "--ignore", "name", "--drop-missing", "--method", "kfold:4")
    assert run("validate", *call, "--model", "bayes", "--predictions", "out.csv").code == 0
    assert sorted(pl.read_csv("out.csv")["row"]) == [place for place in range(ROWS) if place != 4]


def test_an_id_called_as_another_column_is_called_id(run: Any) -> None:
    pl.DataFrame(DATA).rename({"name": "fold"}).write_csv("odd.csv")
    call = ("odd.csv", "--target", "y", "--id", "fold", "--model", "bayes", "--method", "kfold:4")
    assert run("validate", *call, "--predictions", "out.csv").code == 0
    table = pl.read_csv("out.csv")
    assert table.columns[:4] == ["id", "run", "fold", "actual"]
    assert sorted(table["id"]) == sorted(DATA["name"])
