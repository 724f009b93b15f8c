"""`Voting`: scores from models that only answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from tallymark.errors import InputError, OptionError, ShapeError
from tallymark.validation.learners.majority import Majority
from tallymark.validation.learners.voting import Voting

X, NUMBERS = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]


class Says:
    """A model that always answers the same, without any parameters."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Any) -> Says:
        self.seen = (X, y)
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.answer] * len(X))


def three() -> dict[str, Any]:
    return {
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "bayes": GaussianNB(),
        "knn": KNeighborsClassifier(1),
    }


# --- votes ---------------------------------------------------------------------------------------


def test_the_probability_is_the_share_of_the_votes() -> None:
    votes = Voting([Says("yes"), Says("no"), Says("yes")]).fit([[1], [2]], ["yes", "no"])
    assert votes.classes_.tolist() == ["no", "yes"]
    assert votes.predict_proba([[5]]).tolist() == [[1 / 3, 2 / 3]]
    assert votes.predict([[5]]).tolist() == ["yes"]


def test_equally_many_votes_are_the_first_class_in_order() -> None:
    votes = Voting([Says("c"), Says("b")]).fit([[1]] * 3, ["a", "b", "c"])
    assert votes.predict_proba([[5], [6]]).tolist() == [[0, 1 / 2, 1 / 2]] * 2
    assert votes.predict([[5], [6]]).tolist() == ["b", "b"]


def test_equals_counting_the_answers_of_models_fitted_apart() -> None:
    answers = np.array([model.fit(X, Y).predict(X) for model in three().values()])
    votes = Voting(three()).fit(X, Y)
    expected = np.stack([(answers == label).mean(axis=0) for label in np.unique(Y)], axis=1)
    assert np.allclose(votes.predict_proba(X), expected, atol=1e-15)
    assert 0 < ((expected > 0) & (expected < 1)).any(axis=1).mean() < 1


def test_answers_equal_those_of_scikit_learn() -> None:
    theirs = VotingClassifier(list(three().items()), voting="hard").fit(X[:, :1], Y)
    assert (Voting(three()).fit(X[:, :1], Y).predict(X[:, :1]) == theirs.predict(X[:, :1])).all()


@pytest.mark.parametrize(
    "y",
    [
        pytest.param(NUMBERS, id="numbers"),
        pytest.param(NUMBERS > 0, id="booleans"),
        pytest.param(Y.astype(object), id="objects"),
        pytest.param(pd.Series(Y), id="pandas"),
        pytest.param(pd.Series(Y, dtype="category"), id="pandas categories"),
        pytest.param(Y.tolist(), id="list"),
    ],
)
def test_labels_of_any_type(y: Any) -> None:
    for copies in (1, 3):
        model = Voting(three(), copies, random_state=0).fit(X, y)
        assert model.classes_.tolist() == np.unique(np.asarray(y)).tolist()
        assert (model.predict(X) == np.asarray(y)).mean() > 0.9


# --- copies --------------------------------------------------------------------------------------


def test_copies_learn_bootstrap_samples() -> None:
    rows = np.arange(200).reshape(-1, 1)
    votes = Voting(Says(0), n_copies=20, random_state=0).fit(rows, np.arange(200) % 2)
    assert len(votes.models_) == 20
    shares = []
    for model in votes.models_:
        seen, classes = model.seen
        assert len(seen) == 200
        assert (seen[:, 0] % 2 == classes).all()
        shares.append(len(np.unique(seen)) / 200)
    # 1 - (1 - 1/200)^200 = 0.633 of the rows are in a sample, with a standard deviation of about 0.02.
    assert np.mean(shares) == pytest.approx(0.633, abs=0.02)
    assert len({tuple(np.sort(model.seen[0][:, 0])) for model in votes.models_}) == 20


def test_several_models_without_copies_learn_all_rows() -> None:
    rows = np.arange(6).reshape(-1, 1)
    for model in Voting([Says(0), Says(1)]).fit(rows, [0, 1] * 3).models_:
        assert model.seen[0] is rows


def test_every_copy_has_its_own_chance() -> None:
    votes = Voting(ExtraTreeClassifier(), 5, random_state=0).fit(X, Y)
    assert len({model.random_state for model in votes.models_}) == 5
    kept = Voting(ExtraTreeClassifier(random_state=7), 5, random_state=0).fit(X, Y)
    assert {model.random_state for model in kept.models_} == {7}


def test_the_seed_decides() -> None:
    def scores(seed: int | None) -> Any:
        return Voting(ExtraTreeClassifier(), 5, random_state=seed).fit(X[::2], Y[::2]).predict_proba(X)

    assert np.array_equal(scores(1), scores(1))
    assert not np.array_equal(scores(1), scores(2))
    assert not np.array_equal(scores(None), scores(None))


def test_a_sample_is_never_of_one_class() -> None:
    # Logistic regression refuses one class; a third of all samples of these rows would miss the rare one.
    y = np.array([1] + [0] * 9)
    votes = Voting(LogisticRegression(), 30, random_state=0).fit(np.arange(10.0)[:, None], y)
    assert len(votes.models_) == 30
    assert Voting(Majority(), 3, random_state=0).fit([[1]] * 4, ["a"] * 4).predict([[1]]).tolist() == ["a"]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(pd.DataFrame, id="pandas"),
        pytest.param(lambda X: pl.DataFrame(X, schema=list("abcd")), id="polars"),
        pytest.param(csr_array, id="sparse"),
        pytest.param(lambda X: X.tolist(), id="list"),
    ],
)
def test_features_of_any_kind(make: Any) -> None:
    tree = DecisionTreeClassifier(max_depth=2)
    expected = Voting(tree, 4, random_state=3).fit(X, Y).predict_proba(X)
    assert np.array_equal(Voting(tree, 4, random_state=3).fit(make(X), Y).predict_proba(make(X)), expected)


# --- the protocol of scikit-learn ------------------------------------------------------------------


def test_copies_of_the_whole() -> None:
    model = Voting(three(), 2, random_state=1).fit(X, Y)
    copy = clone(model)
    assert not hasattr(copy, "models_")
    assert copy.n_copies == 2
    assert copy.models["tree"] is not model.models["tree"]
    assert copy.models["tree"].get_params() == model.models["tree"].get_params()
    assert clone(Voting([GaussianNB(), Majority()])).get_params()["n_copies"] == 1


def test_the_models_given_are_not_fitted() -> None:
    given = three()
    Voting(given).fit(X, Y)
    assert not any(hasattr(model, "classes_") for model in given.values())


@pytest.mark.parametrize(
    ("models", "name"),
    [
        pytest.param(
            {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}, "tree__max_depth", id="names"
        ),
        pytest.param(
            [DecisionTreeClassifier(), GaussianNB()], "decisiontreeclassifier__max_depth", id="list"
        ),
        pytest.param(
            [DecisionTreeClassifier()] * 2, "decisiontreeclassifier-2__max_depth", id="two of a kind"
        ),
        pytest.param(DecisionTreeClassifier(), "model__max_depth", id="one"),
        pytest.param(
            make_pipeline(StandardScaler(), DecisionTreeClassifier()),
            "model__decisiontreeclassifier__max_depth",
            id="pipeline",
        ),
    ],
)
def test_parameters_of_the_models(models: Any, name: str) -> None:
    votes = clone(Voting(models, 2))
    assert votes.get_params()[name] is None
    assert votes.set_params(**{name: 1, "n_copies": 3}) is votes
    assert (votes.get_params()[name], votes.n_copies) == (1, 3)
    assert all(hasattr(model, "predict") for model in votes.fit(X, Y).models_)
    assert name not in votes.get_params(deep=False)


def test_parameters_go_to_models_given_at_the_same_time() -> None:
    new = {"stump": DecisionTreeClassifier(), "bayes": GaussianNB()}
    votes = Voting(three()).set_params(models=new, stump__max_depth=1)
    assert votes.get_params()["stump__max_depth"] == 1


def test_parameters_that_do_not_exist() -> None:
    with pytest.raises(
        OptionError, match="Voting has no parameter 'forest__max_depth'; it has models, n_copies"
    ):
        Voting(three()).set_params(forest__max_depth=3)
    with pytest.raises(ValueError, match="max_dept"):
        Voting(three()).set_params(tree__max_dept=3)


def test_tools_of_scikit_learn_take_it() -> None:
    assert is_classifier(Voting(three()))
    folded = cross_val_score(make_pipeline(StandardScaler(), Voting(three())), X, Y, cv=3)
    assert folded.mean() > 0.9
    search = GridSearchCV(
        Voting(DecisionTreeClassifier(), 3, random_state=0), {"model__max_depth": [1, 4]}, cv=3
    )
    assert search.fit(X, Y).best_params_ == {"model__max_depth": 4}


# --- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((GaussianNB(),), "one model alone has no one to vote with", id="one model"),
        pytest.param(([GaussianNB()],), "one model alone", id="a list of one"),
        pytest.param(([],), "there is no model", id="no model"),
        pytest.param((GaussianNB(), 0), "n_copies must be a whole number from 1 up; got 0", id="no copies"),
        pytest.param((GaussianNB(), 2.5), "got 2.5", id="half a copy"),
        pytest.param((GaussianNB(), True), "got True", id="a boolean"),
        pytest.param(({"a": 3, "b": GaussianNB()},), "model 'a' has no method fit; got int", id="a number"),
        pytest.param(([GaussianNB, GaussianNB],), "is the class GaussianNB", id="a class"),
        pytest.param(({"a__b": GaussianNB(), "c": GaussianNB()},), "two underscores", id="underscores"),
    ],
)
def test_what_cannot_vote(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Voting(*arguments)


def test_votes_for_what_is_no_class() -> None:
    with pytest.raises(InputError, match="Says votes 'other', which is no class"):
        Voting(Says("other"), 2).fit(X, Y).predict(X)


def test_before_and_without_rows() -> None:
    with pytest.raises(OptionError, match="this Voting has learned nothing yet"):
        Voting(three()).predict(X)
    with pytest.raises(ShapeError, match="no rows"):
        Voting(three()).fit([], [])
