"""`Majority`: the most frequent class, whatever the features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tallymark.errors import OptionError, ShapeError
from tallymark.resampling import parameters
from tallymark.resampling.sampling import Oversampling
from tallymark.validation.data.data_set import data_set
from tallymark.validation.learners.majority import Majority, majority_fit

Y = np.array(["b", "a", "c", "b", "b", "c"])


class Unseen:
    """Features that must not be looked at."""

    shape = (6, 2)

    def __getitem__(self, rows: Any) -> Any:
        raise AssertionError("it looked")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise AssertionError("it looked")


def test_the_most_frequent_class_and_the_shares() -> None:
    model = Majority().fit(Unseen(), Y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict(Unseen()).tolist() == ["b"] * 6
    assert model.predict_proba(Unseen()).tolist() == [[1 / 6, 3 / 6, 2 / 6]] * 6


@pytest.mark.parametrize("seed", range(5))
def test_equals_scikit_learn(seed: int) -> None:
    y = np.random.default_rng(seed).integers(4, size=30)
    X = np.zeros((30, 1))
    ours, theirs = Majority().fit(X, y), DummyClassifier(strategy="prior").fit(X, y)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert np.array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_the_first_of_equally_frequent_classes() -> None:
    assert Majority().fit([[0]] * 4, ["d", "c", "c", "d"]).predict([[0]]).tolist() == ["c"]


@pytest.mark.parametrize(
    "X",
    [
        pytest.param([[0]] * 6, id="list"),
        pytest.param(csr_array(np.eye(6)), id="sparse"),
        pytest.param(np.full((6, 1), np.nan), id="nothing but missing"),
    ],
)
def test_features_of_any_kind(X: Any) -> None:
    assert Majority().fit(X, list(Y)).predict(X).tolist() == ["b"] * 6


def test_it_is_a_classifier_to_scikit_learn() -> None:
    assert is_classifier(Majority())
    assert clone(Majority()).get_params() == {}
    assert repr(Majority()) == "Majority()"
    X, y = np.zeros((20, 1)), np.repeat([0, 1], [15, 5])
    assert cross_val_score(make_pipeline(StandardScaler(), Majority()), X, y, cv=5).tolist() == [0.75] * 5


@pytest.mark.parametrize("labels", [None, ["c", "b", "a"]], ids=["in order", "turned round"])
def test_the_baseline_is_of_all_rows(labels: Any) -> None:
    data = data_set(np.zeros((6, 1)), Y, labels=labels)
    train, test = np.array([1, 2, 5]), np.array([0, 3, 4])  # among the rows to train on there is no b
    found = majority_fit(data, train, test)
    assert [data.labels[place] for place in found.answers] == ["b"] * 3
    assert found.scores is not None
    shares = {"a": 1 / 6, "b": 3 / 6, "c": 2 / 6}
    assert found.scores.tolist() == [[shares[label] for label in data.labels]] * 3
    assert found.training is not None
    assert found.training.sum() == found.n_train == 3
    assert found.training[:, data.labels.index("b")].tolist() == [
        {"a": 1, "b": 0, "c": 2}[label] for label in data.labels
    ]


def test_the_baseline_of_equally_frequent_classes_is_the_first_label() -> None:
    rows = np.arange(4)
    for labels in (["c", "d"], ["d", "c"]):
        data = data_set(np.zeros((4, 1)), np.array(["d", "c", "c", "d"]), labels=labels)
        for left_out in rows:
            assert majority_fit(data, np.delete(rows, left_out), rows[[left_out]]).answers.tolist() == [0]


def test_errors() -> None:
    with pytest.raises(OptionError, match="this Majority has learned nothing yet") as told:
        Majority().predict([[1]])
    assert told.value.hint == "call fit first."
    with pytest.raises(ShapeError, match="no rows"):
        Majority().fit([], [])
    with pytest.raises(ShapeError, match="X has 2, y has 6"):
        Majority().fit([[1], [2]], Y)


def test_a_copy_does_not_look_up_its_arguments_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameters, "signature", lambda _: pytest.fail("looked up for a copy"))
    assert clone(Majority()).get_params() == {}
    assert clone(Oversampling(0.5)).get_params() == {"ratio": 0.5, "random_state": None}


def test_a_class_made_from_one_of_ours_has_its_own_arguments() -> None:
    class Half(Oversampling):
        def __init__(self, *, random_state: int | None = None) -> None:
            super().__init__(0.5, random_state=random_state)

    assert Half(random_state=3).get_params() == {"random_state": 3}
