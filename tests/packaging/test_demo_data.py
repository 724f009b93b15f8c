"""The shipped data sets are what they are said to be."""

import csv

import pytest
from sklearn.datasets import load_breast_cancer

import tallymark as tm
from tallymark import data

SOURCE = load_breast_cancer()
ACTUAL = [str(SOURCE.target_names[code]) for code in SOURCE.target]


def rows_of(name: str) -> list[dict[str, str]]:
    with data.path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_predictions_of_two_models() -> None:
    rows = rows_of("breast_cancer.csv")
    assert list(rows[0]) == ["id", "actual", "tree_predicted", "tree_score", "bayes_predicted", "bayes_score"]
    assert [row["actual"] for row in rows] == ACTUAL  # in the order of the source
    assert (len(rows), ACTUAL.count("malignant"), ACTUAL.count("benign")) == (569, 212, 357)  # as UCI counts
    assert [int(row["id"]) for row in rows] == list(range(1, 570))
    for model in ("tree", "bayes"):
        for row in rows:
            score = float(row[f"{model}_score"])
            assert 0 <= score <= 1
            assert row[f"{model}_predicted"] == ("malignant" if score >= 0.5 else "benign")
        # A demo without mistakes has nothing to show: both classes are missed at least ten times.
        missed = [row["actual"] for row in rows if row["actual"] != row[f"{model}_predicted"]]
        assert min(missed.count(label) for label in ("benign", "malignant")) >= 10


def test_measurements_are_those_of_the_source() -> None:
    rows = rows_of("tumours.csv")
    assert [row["diagnosis"] for row in rows] == ACTUAL
    names = [str(name).removeprefix("mean ").replace(" ", "_") for name in SOURCE.feature_names[:10]]
    assert [[float(row[name]) for name in names] for row in rows] == SOURCE.data[:, :10].tolist()


def test_another_name_is_refused() -> None:
    with pytest.raises(tm.FileError) as caught:
        data.path("iris.csv")
    assert all(name in str(caught.value.hint) for name in ("breast_cancer.csv", "tumours.csv"))
