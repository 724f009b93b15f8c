"""The choice, and what it is worth: the same numbers as scikit-learn on the same splits."""

from __future__ import annotations

import json
import math
import pickle
import tracemalloc
from collections import Counter
from typing import Any, get_type_hints

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tallymark.errors import TallymarkError
from tallymark.inference import Estimate
from tallymark.metrics import ask
from tallymark.resampling import three_way_split
from tallymark.validation import validate
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.tuning import tune
from tallymark.validation.tuning.candidates import Candidate
from tallymark.validation.tuning.search import Tried, search_on, searched

X, Y = make_classification(160, 6, flip_y=0.25, random_state=5)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 5]}
INNER = StratifiedKFold(3, shuffle=True, random_state=1)
OUTER = StratifiedKFold(4, shuffle=True, random_state=2)


class Always(ClassifierMixin, BaseEstimator):
    """Says one class whatever it is shown; a label it was not given is an error."""

    def __init__(self, label: Any = 0) -> None:
        self.label = label

    def fit(self, X: Any, y: Any) -> Always:  # noqa: ARG002
        self.classes_ = np.unique(y)
        if self.label == "fails":
            raise RuntimeError("it was told to fail")
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label)


def refused(*given: Any, **options: Any) -> str:
    with pytest.raises(TallymarkError) as caught:
        tune(*given, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- golden ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "scoring", "sign"),
    [("accuracy", "accuracy", 1), ("auc", "roc_auc", 1), ("log_loss", "neg_log_loss", -1), ("f1", "f1", 1)],
    ids=["accuracy", "auc", "log loss", "f1"],
)
def test_nested_numbers_are_those_of_scikit_learn(metric: str, scoring: str, sign: int) -> None:
    model, grid = GaussianNB(), {"var_smoothing": [1e-9, 0.1, 1.0, 10.0, 100.0]}
    found = tune(model, X, Y, grid, cv=OUTER, inner_cv=INNER, metric=metric)
    peer = GridSearchCV(model, grid, cv=INNER, scoring=scoring, return_train_score=True).fit(X, Y)
    assert found.best_params == peer.best_params_
    assert found.best_score == pytest.approx(sign * peer.best_score_, abs=1e-12)
    means = [each.mean for each in found.candidates]
    assert means == pytest.approx(sign * peer.cv_results_["mean_test_score"], abs=1e-12)
    training = [each.training_mean for each in found.candidates]
    assert training == pytest.approx(sign * peer.cv_results_["mean_train_score"], abs=1e-12)
    # scikit-learn lets the 16th decimal break ties in its ranks.
    rounded = np.round(-peer.cv_results_["mean_test_score"], 12)
    assert list(found.search.ranks) == stats.rankdata(rounded, method="min").tolist()
    search = GridSearchCV(model, grid, cv=INNER, scoring=scoring)
    outer = cross_validate(search, X, Y, cv=OUTER, scoring=scoring, return_estimator=True)
    assert found.outer_values == pytest.approx(sign * outer["test_score"], abs=1e-12)
    chosen = [each.winner.candidate.parameters for each in found.inner_searches if each.winner]
    assert chosen == [each.best_params_ for each in outer["estimator"]]
    promised = [sign * each.best_score_ for each in outer["estimator"]]
    assert found.inner_values == pytest.approx(promised, abs=1e-12)
    assert found.inner.value == pytest.approx(np.mean(promised), abs=1e-12)
    assert found.outer.value == pytest.approx(sign * outer["test_score"].mean(), abs=1e-12)
    assert (found.best_model.predict(X) == peer.predict(X)).all()


def test_three_classes_and_the_deviation() -> None:
    features, classes = load_iris(return_X_y=True)
    model, grid = KNeighborsClassifier(), {"n_neighbors": [1, 9, 99]}
    found = tune(model, features, classes, grid, cv=OUTER, inner_cv=INNER)
    peer = GridSearchCV(model, grid, cv=INNER).fit(features, classes)
    # scikit-learn divides by the number of folds, we by one less.
    deviations = peer.cv_results_["std_test_score"] * math.sqrt(3 / 2)
    assert [each.deviation for each in found.candidates] == pytest.approx(deviations, abs=1e-12)


def test_optimism_is_paired_by_outer_fold_and_its_interval_corrected() -> None:
    found = tune(TREE, X, Y, GRID, cv=OUTER, inner_cv=INNER, confidence_level=0.9)
    gaps = np.subtract(found.inner_values, found.outer_values)
    se = math.sqrt(gaps.var(ddof=1) * (1 / 4 + 40 / 120))
    half = stats.t.ppf(0.95, 3) * se
    assert found.optimism.value == pytest.approx(gaps.mean(), abs=1e-12)
    assert found.optimism.value == pytest.approx(found.inner.value - found.outer.value, abs=1e-12)
    ends = found.optimism.low, found.optimism.high
    assert ends == pytest.approx((gaps.mean() - half, gaps.mean() + half), abs=1e-12)
    assert found.optimism.level == 0.9
    assert found.inner.low is None
    assert "no honest interval" in str(found.inner)


def test_optimism_of_a_loss_is_turned_round() -> None:
    found = tune(TREE, X, Y, GRID, cv=OUTER, inner_cv=INNER, metric="error_rate")
    other = tune(TREE, X, Y, GRID, cv=OUTER, inner_cv=INNER)
    assert found.best_params == other.best_params
    assert found.optimism.value == pytest.approx(other.optimism.value, abs=1e-12)
    assert found.search.ranks == other.search.ranks


def test_three_ways_by_hand() -> None:
    found = tune(TREE, X, Y, GRID, method="three-way", validation_size=0.25, test_size=0.25, random_state=4)
    train, validation, test = three_way_split(Y, validation_size=0.25, test_size=0.25, random_state=4)
    scores = []
    for each in found.candidates:
        model = DecisionTreeClassifier(random_state=0, **each.candidate.parameters).fit(X[train], Y[train])
        scores.append(accuracy_score(Y[validation], model.predict(X[validation])))
    assert [each.mean for each in found.candidates] == pytest.approx(scores, abs=1e-12)
    best = found.candidates[int(np.argmax(scores))].candidate.parameters
    assert found.best_params == best
    both = np.sort(np.concatenate([train, validation]))
    model = DecisionTreeClassifier(random_state=0, **best).fit(X[both], Y[both])
    assert found.outer.value == pytest.approx(accuracy_score(Y[test], model.predict(X[test])), abs=1e-12)
    assert found.optimism.value == pytest.approx(max(scores) - found.outer.value, abs=1e-12)
    assert (found.outer.method, found.outer.n) == ("wilson", len(test))
    assert found.optimism.low is None
    assert (found.best_model.predict(X) == model.predict(X)).all()


def test_the_model_of_a_three_way_split_is_the_one_that_was_tested() -> None:
    forest = RandomForestClassifier(5)  # its seed is open, so another fit would be another forest
    found = tune(forest, X, Y, {"max_depth": [2, 5]}, method="three-way")
    test = found.folds.folds[0].test
    assert (found.best_model.predict(X[test]) == found.fits[0].answers).all()


# --- the choice --------------------------------------------------------------------------------------


def test_equal_candidates_leave_the_choice_to_their_order() -> None:
    found = tune(Always(), X, Y, {"label": [1, 1.0, True]}, cv=3, inner_cv=2)
    assert found.best_params == {"label": 1}
    assert found.search.ranks == (1, 1, 1)
    assert any("3 candidates share the best score" in note for note in found.notes)


def test_noise_of_floating_point_breaks_no_tie() -> None:
    found = tune(TREE, X, Y, {"max_depth": [3], "min_samples_split": [2, 3]}, cv=2, inner_cv=7)
    first, second = found.candidates
    assert first.mean is not None
    assert second.mean is not None
    object.__setattr__(second, "mean", float(np.nextafter(first.mean, 1)))
    assert type(found.search)(found.candidates, True).best == 0


def test_candidates_that_fail_or_have_no_number_are_counted_and_never_chosen() -> None:
    found = tune(Always(), X, Y, {"label": ["fails", 0, 1]}, cv=2, inner_cv=2, metric="precision")
    failed, undefined, fine = found.candidates
    assert found.best_params == {"label": 1}
    assert found.search.ranks == (None, None, 1)
    assert failed.why == "the fit failed: RuntimeError: it was told to fail (2 of 2 folds)"
    assert undefined.why is not None
    assert "nothing was predicted positive" in undefined.why
    assert fine.mean == pytest.approx(np.mean(Y == 1), abs=0.01)
    # Two inner folds of the last search and of both outer folds.
    assert found.failed == 6
    assert found.n_fits == 3 * 2 * 3 + 2
    assert "6 of 20 fits failed: RuntimeError: it was told to fail." in found.notes
    assert any(note.startswith("2 of 3 candidates have no score") for note in found.notes)


def test_a_fold_without_a_number_is_not_averaged_away() -> None:
    few = np.zeros(40, int)
    few[:6] = 1
    cut = [(np.r_[0:20], np.r_[20:40]), (np.r_[2:40], np.r_[0:2])]
    data = data_set(np.arange(40.0)[:, None], few)
    scorer = Scorer(data, ask("recall"))
    search = search_on([Candidate("always", Always(), {})], data, np.arange(40), cut, scorer, seed=(0,))
    (found,) = searched([search], n_jobs=1, what="")
    assert found.tried[0].values == (None, 0.0)
    assert found.tried[0].mean is None
    assert found.best is None


def test_a_search_makes_its_pairs_of_rows_one_by_one() -> None:
    many = np.arange(1500) % 2
    data = data_set(np.zeros((1500, 1)), many)
    rows = np.arange(0, 1500, 2)[::-1].copy()
    rows[0] = 1  # a row of the other class
    tracemalloc.start()
    search = search_on(
        [Candidate("", Always(), {})], data, rows, "loo", Scorer(data, ask("accuracy")), seed=(0,)
    )
    first = next(search.tasks())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (first.test.tolist(), first.train.tolist()) == ([1], rows[1:].tolist())
    # All 750 x 749 positions of eight bytes would take 4.5 million bytes.
    assert peak < 1_500_000


def test_values_that_differ_by_rounding_have_no_deviation() -> None:
    scores = (0.1 + 0.2, 0.3, 0.3)
    tried = Tried(Candidate("", Always(), {}), tuple(map(Estimate, scores)), (), (), Counter(), 0.0)
    assert tried.deviation == 0.0


def test_nothing_to_choose_from_is_an_error_with_the_reason() -> None:
    said = refused(Always(), X, Y, {"label": ["fails"]})
    assert said.startswith("all 30 fits failed: RuntimeError: it was told to fail")
    said = refused(Always(), X, Y, {"label": [0]}, metric="precision", inner_cv=2)
    assert said.startswith("no candidate can be chosen: precision of every one of 1 is undefined")


def test_an_outer_fold_in_which_nothing_can_be_chosen_is_counted() -> None:
    class Picky(Always):
        def fit(self, X: Any, y: Any) -> Picky:
            if X[:, 0].max() < 159:
                raise RuntimeError("the last row is missing")
            super().fit(X, y)
            return self

    numbered = np.arange(160.0)[:, None]
    halves = [(np.r_[0:80], np.r_[80:160]), (np.r_[80:160], np.r_[0:80])]

    class First:
        """The last rows always learn."""

        def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:  # noqa: ARG002
            yield np.arange(20, len(X)), np.arange(20)

    found = tune(Picky(), numbered, Y, {"label": [0, 1]}, cv=halves, inner_cv=First())
    assert found.outer_values[0] is None
    assert found.outer_values[1] is not None
    assert found.inner_values[0] is None
    assert found.outer.n == 1
    lost = "undefined in 1 of 2 folds: the fit failed: no candidate could be chosen"
    assert any(lost in note for note in found.notes)


def test_several_models_are_chosen_among() -> None:
    found = tune(
        {"tree": (TREE, {"max_depth": [1, 3]}), "always": (Always(), {"label": [0]})}, X, Y, cv=3, inner_cv=3
    )
    assert found.best_name == "tree"
    assert set(found.best_params) == {"max_depth"}
    assert isinstance(found.best_model, DecisionTreeClassifier)


@pytest.mark.parametrize("typed", ["max_depth", "decisiontreeclassifier__max_depth"])
def test_parameters_are_called_as_they_were_given(typed: str) -> None:
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    found = tune(pipe, X, Y, {typed: [1, 3]}, cv=2, inner_cv=2)
    assert found.best_params.keys() == {typed}
    (kept,) = found.best_params.values()
    assert found.best_model.get_params()["decisiontreeclassifier__max_depth"] == kept
    form = found.to_dict()
    assert [each["parameters"] for each in form["candidates"]] == [{typed: 1}, {typed: 3}]
    assert all(fold["parameters"].keys() == {typed} for fold in form["folds"])
    assert f"param_{typed}" in found.columns()
    assert found.figure("search").panels[0].x.label == typed


def test_learners_by_name_are_given_short_names() -> None:
    found = tune("tree", X, Y, {"max_depth": [1]}, cv=2, inner_cv=2)
    assert found.best_params == {"max_depth": 1}
    assert found.best_model.named_steps["model"].max_depth == 1
    several = tune(
        {"tree": ("tree", [{"max_depth": [1]}, {"model__max_depth": [2]}])}, X, Y, cv=2, inner_cv=2
    )
    # One parameter has one name, the first.
    assert [each.candidate.given for each in several.candidates] == [{"max_depth": 1}, {"max_depth": 2}]


def test_how_stable_the_choice_is() -> None:
    found = tune(TREE, X, Y, GRID, cv=OUTER, inner_cv=INNER)
    assert sum(times for _, times in found.choices) == 4
    often = [times for _, times in found.choices]
    assert often == sorted(often, reverse=True)
    assert all(tried in found.candidates for tried, _ in found.choices)


def test_the_evaluation_is_of_all_outer_test_rows() -> None:
    found = tune(TREE, X, Y, GRID, cv=OUTER, inner_cv=INNER)
    assert found.evaluation.rows == 160
    assert found.evaluation["accuracy"].value == pytest.approx(np.mean(found.outer_values), abs=1e-12)
    assert found["recall"].pooled.value == found.evaluation["recall"].value


# --- chance -------------------------------------------------------------------------------------------


def plainly(found: Any) -> str:
    """Everything but the time it took."""
    form = found.to_dict()
    for each in form["candidates"]:
        del each["seconds"]
    return json.dumps(form)


def test_two_workers_give_what_one_gives() -> None:
    forest, space = RandomForestClassifier(5), {"max_depth": stats.randint(1, 9)}
    one, two = (
        tune(forest, X, Y, param_distributions=space, n_iter=3, cv=2, inner_cv=2, n_jobs=n) for n in (1, 2)
    )
    assert plainly(one) == plainly(two)


def test_a_candidate_scores_the_same_whatever_else_is_tried() -> None:
    forest = RandomForestClassifier(5)
    alone = tune(forest, X, Y, {"max_depth": [3]}, cv=2, inner_cv=3)
    among = tune(forest, X, Y, {"max_depth": [1, 2, 3]}, cv=2, inner_cv=3)
    assert among.candidates[2].values == alone.candidates[0].values


def test_models_as_parameters_are_not_shared_by_fits() -> None:
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    given = {"decisiontreeclassifier": [RandomForestClassifier(3), DecisionTreeClassifier()]}
    found = tune(pipe, X, Y, given, cv=2, inner_cv=2)
    assert given["decisiontreeclassifier"][0].random_state is None
    assert not hasattr(given["decisiontreeclassifier"][0], "estimators_")
    assert json.loads(found.to_json())["candidates"][1]["parameters"] == {
        "decisiontreeclassifier": "DecisionTreeClassifier()"
    }


def test_the_seed_makes_the_folds() -> None:
    first, second, third = (tune(TREE, X, Y, {"max_depth": [1]}, random_state=seed) for seed in (0, 0, 1))
    assert first.folds.fingerprint == second.folds.fingerprint != third.folds.fingerprint


@pytest.mark.parametrize("seed", [0, 3])
def test_outer_folds_have_the_fingerprint_of_validate(seed: int) -> None:
    found = tune(TREE, X, Y, {"max_depth": [1]}, cv=4, inner_cv=2, random_state=seed)
    other = validate(TREE, X, Y, cv=4, random_state=seed)
    assert found.fingerprint == other.fingerprint
    assert found.to_dict()["outer"]["fingerprint"] == other.to_dict()["fingerprint"]
    assert tune(TREE, X, 1 - Y, {"max_depth": [1]}, cv=4, random_state=seed).fingerprint != found.fingerprint


def test_without_a_seed_it_is_the_usual_one() -> None:
    assert get_type_hints(tune)["random_state"] == (int | None)
    none, usual = (tune(TREE, X, Y, {"max_depth": [1]}, cv=2, random_state=seed) for seed in (None, 0))
    assert plainly(none) == plainly(usual)


def test_a_tuning_can_be_pickled() -> None:
    found = tune(TREE, X, Y, GRID, cv=2, inner_cv=2)
    again = pickle.loads(pickle.dumps(found))
    assert plainly(again) == plainly(found)
    assert (again.best_model.predict(X) == found.best_model.predict(X)).all()


# --- errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "loocv"}, "method must be one of nested, three-way; got 'loocv'"),
        ({"metric": "prevalence"}, "neither better nor worse"),
        ({"metric": "acuracy"}, "accuracy"),
        ({"metric": "mean_cost"}, "mean_cost needs costs"),
        ({"metric": "subset_accuracy"}, "these have one each"),
        ({"inner_cv": [(np.arange(80), np.arange(80, 160))]}, "inside every outer fold; got list"),
        ({"inner_cv": 500}, "inner folds of all rows: "),
        ({"random_state": -1}, "random_state"),
        ({"sampler": 3}, "fit_resample"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"method": "three-way", "test_size": 2.0}, "test_size"),
        ({"method": "three-way", "cv": 3}, "cv has no effect with method='three-way'; got 3."),
        ({"method": "three-way", "inner_cv": 5}, "inner_cv has no effect with method='three-way'; got 5."),
        ({"test_size": 0.2}, "test_size has no effect with method='nested'; got 0.2."),
    ],
    ids=[
        *(
            "method",
            "direction",
            "metric",
            "costs",
            "sets",
            "pairs",
            "too many",
            "seed",
            "sampler",
            "level",
            "share",
            "outer folds of a split",
            "inner folds of a split",
            "share of folds",
        ),
    ],
)
def test_errors_come_before_anything_is_fitted(options: dict[str, Any], said: str) -> None:
    assert said in refused(Always("fails"), X, Y, {"label": ["fails"]}, **options)


def test_copies_of_a_row_cannot_be_left_out_one_by_one() -> None:
    said = refused(Always(), X, Y, {"label": [0]}, cv="bootstrap:3", inner_cv="loo")
    assert said.startswith("inside outer fold 1: training rows are drawn several times, as a bootstrap does")
    assert "which inner_cv='loo' cannot prevent. Hint: take few inner folds, such as inner_cv=5" in said
    assert "groups are given" not in said
    # What is wrong without copies too is said as ever.
    said = refused(Always(), X, Y, {"label": [0]}, cv="bootstrap:3", inner_cv="lou")
    assert "drawn several times" not in said
    said = refused(Always(), X, Y, {"label": [0]}, inner_cv="loo", groups=np.arange(160) // 4)
    assert "groups are given" in said


def test_a_number_about_one_class_needs_its_name() -> None:
    words = np.where(Y == 1, "ill", "well")
    for metric in ("recall", "auc"):
        said = refused(Always("fails"), X, words, {"label": ["fails"]}, metric=metric)
        assert said.startswith(f"{metric} is about one class, the positive one; the labels are ['ill'")
    found = tune(TREE, X, words, {"max_depth": [1]}, metric="recall", pos_label="ill", cv=2, inner_cv=2)
    assert found.outer.value is not None
