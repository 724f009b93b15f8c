"""What is done well is not found fault with."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tallymark as tm

MODEL = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
TUMOURS = str(files("tallymark.data") / "tumours.csv")
DATA: dict[str, Any] = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "tumours": load_breast_cancer(return_X_y=True),
    "digits": load_digits(n_class=2, return_X_y=True),
    "simulated": make_classification(300, random_state=0),
    "rare": make_classification(400, weights=[0.9], random_state=1),
    "noise": (np.random.default_rng(2).normal(size=(200, 8)), np.arange(200) % 2),
}


@pytest.mark.parametrize("name", DATA)
def test_data_as_they_are(name: str) -> None:
    assert tm.validate(MODEL, *DATA[name], cv=5).findings == ()


@pytest.mark.parametrize("cv", ["kfold:3x2", "bootstrap:5", "holdout:1/3", "loo"])
def test_folds_of_every_kind(cv: str) -> None:
    assert tm.validate("bayes", *DATA["iris"], cv=cv).findings == ()


def test_groups_that_are_kept_together() -> None:
    X, y = DATA["simulated"]
    groups = np.arange(len(y)) // 10
    for cv in (5, "group"):
        assert tm.validate("bayes", X, y, cv=cv, groups=groups).findings == ()


def test_every_door() -> None:
    X, y = DATA["iris"]
    results = (
        tm.tune("tree", X, y, cv=3, inner_cv=2),
        tm.learning_curve("bayes", X, y, n_repeats=2, schedule=[50]),
        tm.permutation_test("bayes", X, y, n_permutations=3),
        tm.validate("bayes", {"iris": (X, y), "wine": DATA["wine"]}, cv=3),
    )
    for result in results:
        assert result.findings == ()
        assert result.to_dict()["findings"] == []
        assert "Findings" not in str(result)


def test_the_shipped_table_on_the_command_line(capsys: Any) -> None:
    from tallymark.cli import main

    asked = ("validate", TUMOURS, "--target", "diagnosis", "--id", "id", "--model", "bayes", "--json")
    assert main(asked) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []
