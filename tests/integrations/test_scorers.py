"""`tm.scorer` beside scikit-learn's own scorers, and beside costs counted in a plain loop."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.feature_selection import RFECV
from sklearn.inspection import permutation_importance
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score, hamming_loss, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tallymark.errors import CostError, LabelError, MetricError, OptionError
from tallymark.integrations.scorers import UndefinedScoreWarning, scorer

FOLDS = StratifiedKFold(4)
ON_TWO = {
    "accuracy": "accuracy",
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "f1": "f1",
    "f1_macro": "f1_macro",
    "balanced_accuracy": "balanced_accuracy",
    "mcc": "matthews_corrcoef",
}
ON_THREE = {
    "accuracy": "accuracy",
    "auc_ovr_macro": "roc_auc_ovr",
    "auc_ovo_macro": "roc_auc_ovo",
    "log_loss": "neg_log_loss",
    "f1_macro": "f1_macro",
    "f1_weighted": "f1_weighted",
}


@pytest.fixture(scope="module")
def two() -> tuple[Any, Any]:
    X, y = make_classification(160, 4, weights=[0.7], flip_y=0.1, random_state=4)
    return X, y


@pytest.fixture(scope="module")
def three() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return X[:, :2], np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array([0.0, 1.0]), np.array([False, True])])
def test_equals_the_scorers_of_sklearn_on_two_classes(two: tuple[Any, Any], labels: Any) -> None:
    _assert_same(two[0], labels[two[1]], ON_TWO)


def test_equals_the_scorers_of_sklearn_on_three_classes(three: tuple[Any, Any]) -> None:
    _assert_same(*three, ON_THREE)


def _assert_same(X: Any, y: Any, pairs: dict[str, str]) -> None:
    scoring = {f"their {name}": name for name in pairs.values()}
    ours = {f"our {name}": scorer(name) for name in pairs}
    found = cross_validate(GaussianNB(), X, y, cv=FOLDS, scoring=scoring | ours)
    for mine, theirs in pairs.items():
        np.testing.assert_allclose(found[f"test_our {mine}"], found[f"test_their {theirs}"], atol=1e-12)


def test_a_search_finds_what_is_cheapest_by_hand(two: tuple[Any, Any]) -> None:
    X, y = two
    words = np.where(y == 1, "ill", "well")
    shares = [None, (0.6, 0.4), (0.95, 0.05)]
    by_hand = []
    for prior in shares:
        of_folds = []
        for train, test in FOLDS.split(X, words):
            model = GaussianNB(priors=prior).fit(X[train], words[train])
            total = 0
            for actual, said in zip(words[test], model.predict(X[test]), strict=True):
                if actual == "ill" and said == "well":
                    total += 20
                elif actual == "well" and said == "ill":
                    total += 1
            of_folds.append(total / len(test))
        by_hand.append(sum(of_folds) / len(of_folds))
    scoring = {
        "cost": scorer("mean_cost", costs={"ill": {"well": 20}, "well": {"ill": 1}}),
        "matrix": scorer("mean_cost", costs=[[0, 20], [1, 0]], labels=["ill", "well"]),
        "accuracy": scorer("accuracy"),
    }
    grid = {"priors": shares}
    search = GridSearchCV(GaussianNB(), grid, scoring=scoring, refit="cost", cv=FOLDS)
    search = clone(search).fit(X, words)
    assert search.best_params_ == {"priors": shares[int(np.argmin(by_hand))]}
    np.testing.assert_allclose(search.cv_results_["mean_test_cost"], -np.array(by_hand), atol=1e-12)
    np.testing.assert_allclose(search.cv_results_["mean_test_matrix"], -np.array(by_hand), atol=1e-12)
    # Costs decide: by accuracy another one would be taken.
    assert np.argmax(search.cv_results_["mean_test_accuracy"]) != np.argmin(by_hand)


def test_features_are_chosen_and_shuffled_by_it(two: tuple[Any, Any]) -> None:
    X, y = two
    model = RidgeClassifier().fit(X, y)
    ours, theirs = scorer("auc"), "roc_auc"
    np.testing.assert_allclose(
        *(
            permutation_importance(model, X, y, scoring=each, n_repeats=2, random_state=0).importances
            for each in (ours, theirs)
        ),
        atol=1e-12,
    )
    chosen = [RFECV(RidgeClassifier(), cv=3, scoring=each).fit(X, y).support_ for each in (ours, theirs)]
    assert (chosen[0] == chosen[1]).all()


def test_a_decision_function_ranks_as_well(two: tuple[Any, Any]) -> None:
    X, y = two
    model = RidgeClassifier().fit(X, y)
    wanted = roc_auc_score(y, model.decision_function(X))
    assert scorer("auc")(model, X, y) == pytest.approx(wanted, abs=1e-12)
    assert scorer("auc", pos_label=0)(model, X, y) == pytest.approx(wanted, abs=1e-12)


def test_a_threshold_cuts_the_scores(two: tuple[Any, Any]) -> None:
    X, y = two
    model = GaussianNB().fit(X, y)
    called = model.predict_proba(X)[:, 1] >= 0.2
    assert scorer("recall", threshold=0.2)(model, X, y) == (called & (y == 1)).sum() / (y == 1).sum()


def test_rows_that_lack_a_class(three: tuple[Any, Any]) -> None:
    X, y = three
    model = GaussianNB().fit(X, y)
    kept = y != "virginica"
    X, y = X[kept], y[kept]
    probabilities = model.predict_proba(X)
    places = [list(model.classes_).index(each) for each in y]
    loss = -np.mean([math.log(row[place]) for row, place in zip(probabilities, places, strict=True)])
    assert scorer("accuracy")(model, X, y) == np.mean(model.predict(X) == y)
    assert scorer("log_loss")(model, X, y) == pytest.approx(-loss, rel=1e-12)
    with pytest.warns(UndefinedScoreWarning, match="f1_macro is undefined .class 'virginica' has no rows"):
        assert math.isnan(scorer("f1_macro")(model, X, y))


def test_an_undefined_score_is_nan_and_says_why(two: tuple[Any, Any]) -> None:
    X, y = two
    model = GaussianNB().fit(X, y)
    with pytest.warns(UndefinedScoreWarning, match=r"^recall is undefined \(.*\), so the score is nan\.$"):
        assert math.isnan(scorer("recall")(model, X[y == 0], y[y == 0]))


def test_weights_by_hand_and_by_routing(two: tuple[Any, Any]) -> None:
    X, y = two
    weight = np.where(y == 1, 3.0, 0.5)
    model = GaussianNB().fit(X, y)
    wanted = accuracy_score(y, model.predict(X), sample_weight=weight)
    assert scorer("accuracy")(model, X, y, sample_weight=weight) == pytest.approx(wanted, abs=1e-12)
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = {
            "ours": scorer("accuracy").set_score_request(sample_weight=True),
            "theirs": make_scorer(accuracy_score).set_score_request(sample_weight=True),
            "plain": scorer("accuracy").set_score_request(sample_weight=False),
        }
        unweighted = GaussianNB().set_fit_request(sample_weight=False)
        found = cross_validate(unweighted, X, y, cv=FOLDS, scoring=scoring, params={"sample_weight": weight})
    np.testing.assert_allclose(found["test_ours"], found["test_theirs"], atol=1e-12)
    assert not np.allclose(found["test_ours"], found["test_plain"])


def test_rows_with_several_labels(two: tuple[Any, Any]) -> None:
    X, y = two
    sets = np.stack([y, X[:, 0] > 0, X[:, 1] > 0], axis=1).astype(int)
    model = KNeighborsClassifier(30).fit(X, sets)
    wanted = hamming_loss(sets, model.predict(X))
    assert 0 < wanted == pytest.approx(-scorer("hamming_loss")(model, X, sets), abs=1e-12)


def test_it_is_pickled_and_shown_as_it_was_written() -> None:
    made = scorer("f_beta:2", pos_label="yes", threshold=0.3)
    assert repr(made) == "scorer('f_beta:2', pos_label='yes', threshold=0.3)"
    assert repr(pickle.loads(pickle.dumps(made))) == repr(made)


# --- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: scorer("recal"), MetricError, "did you mean recall"),
        (lambda: scorer("mean_cost"), OptionError, "mean_cost needs costs"),
        (lambda: scorer("prevalence"), OptionError, "neither better nor worse"),
        (lambda: scorer("recall", threshold="best:f1"), OptionError, "threshold is a number here"),  # type: ignore[arg-type]
        (lambda: scorer("recall", threshold=math.nan), OptionError, "a threshold is a finite number"),
    ],
)
def test_what_no_scorer_can_be(make: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("made", "error", "words"),
    [
        (scorer("recall"), LabelError, "recall is about one class.*pos_label='virginica'.*recall_macro"),
        (scorer("auc"), LabelError, "auc_ovr_macro"),
        (scorer("auc", pos_label="rose"), LabelError, "'rose' is not a label"),
        (scorer("mean_cost", costs=[[0, 1], [1, 0]]), CostError, "the order of the labels .* was not stated"),
        (scorer("hamming_loss"), MetricError, "about rows with several labels"),
    ],
)
def test_what_does_not_fit_the_classes(
    three: tuple[Any, Any], made: Any, error: type[Exception], words: str
) -> None:
    model = GaussianNB().fit(*three)
    with pytest.raises(error, match=words):
        made(model, *three)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("log_loss", "log_loss needs probabilities, and RidgeClassifier has no predict_proba"),
        ("auc_ovr_macro", "auc_ovr_macro needs probabilities"),
    ],
)
def test_probabilities_that_a_model_does_not_have(three: tuple[Any, Any], metric: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        scorer(metric)(RidgeClassifier().fit(*three), *three)
