"""The shipped data set is what its docstring says it is."""

from __future__ import annotations

import csv

import pytest
from sklearn.datasets import load_breast_cancer

from tallymark import data
from tallymark.errors import FileError


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with data.path("breast_cancer.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_columns(rows: list[dict[str, str]]) -> None:
    assert list(rows[0]) == ["id", "actual", "tree_predicted", "tree_score", "bayes_predicted", "bayes_score"]


def test_rows_and_classes_are_those_the_uci_page_counts(rows: list[dict[str, str]]) -> None:
    actual = [row["actual"] for row in rows]
    assert (len(rows), actual.count("malignant"), actual.count("benign")) == (569, 212, 357)


def test_actual_is_in_the_order_of_the_source(rows: list[dict[str, str]]) -> None:
    source = load_breast_cancer()
    assert [row["actual"] for row in rows] == [str(source.target_names[code]) for code in source.target]


def test_ids_are_unique(rows: list[dict[str, str]]) -> None:
    assert [int(row["id"]) for row in rows] == list(range(1, 570))


@pytest.mark.parametrize("model", ["tree", "bayes"])
def test_answers_follow_from_the_printed_scores(rows: list[dict[str, str]], model: str) -> None:
    for row in rows:
        score = float(row[f"{model}_score"])
        assert 0 <= score <= 1
        assert row[f"{model}_predicted"] == ("malignant" if score >= 0.5 else "benign")


@pytest.mark.parametrize("model", ["tree", "bayes"])
def test_neither_model_is_near_perfect(rows: list[dict[str, str]], model: str) -> None:
    """A demo without mistakes has nothing to show: both classes are missed at least ten times."""
    for label in ("benign", "malignant"):
        missed = sum(row["actual"] == label != row[f"{model}_predicted"] for row in rows)
        assert missed >= 10


def test_unknown_name_lists_what_is_shipped() -> None:
    with pytest.raises(FileError) as caught:
        data.path("iris.csv")
    assert str(caught.value) == (
        "no data file named 'iris.csv' is shipped. Hint: choose from ['breast_cancer.csv', 'tumours.csv']."
    )


def test_measurements_are_those_of_the_source() -> None:
    with data.path("tumours.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    source = load_breast_cancer()
    names = [str(name) for name in source.feature_names[:10]]
    assert all(name.startswith("mean ") for name in names)
    for row, values, code in zip(table, source.data, source.target, strict=True):
        assert row["diagnosis"] == str(source.target_names[code])
        own = [float(row[name.removeprefix("mean ").replace(" ", "_")]) for name in names]
        assert own == values[:10].tolist()
