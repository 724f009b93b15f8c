"""Models on rows they have not learned: scikit-learn's numbers, tallies per fold, failures, comparisons."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import InputError, LabelError, MetricError, OptionError
from tallymark.validation.validating.validated import fold_names, places

X, Y = (part[:200] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
THREE_FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)


def defined(values: Any) -> NDArray[np.float64]:
    assert None not in values
    return np.array(values, float)


# --- the same numbers as the peer ------------------------------------------------------------------


@pytest.mark.parametrize(
    "cv",
    [
        pytest.param(THREE_FOLDS, id="stratified"),
        pytest.param(KFold(4, shuffle=True, random_state=2), id="plain"),
        pytest.param(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=3), id="repeated"),
        pytest.param(ShuffleSplit(4, test_size=0.3, random_state=4), id="shuffled"),
    ],
)
@pytest.mark.parametrize("model", [TREE, GaussianNB()], ids=["tree", "bayes"])
def test_scores_of_test_and_training_rows_are_scikit_learns(model: Any, cv: Any) -> None:
    theirs = {
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced_accuracy",
        "f1": "f1",
        "precision": "precision",
        "recall": "recall",
        "mcc": make_scorer(matthews_corrcoef),
        "auc": "roc_auc",
        "average_precision": "average_precision",
    }
    expected = cross_validate(model, X, Y, cv=cv, scoring=theirs, return_train_score=True)
    found = tm.validate(model, X, Y, cv=cv, metrics=list(theirs))
    for name in theirs:
        assert defined(found[name].values) == pytest.approx(expected[f"test_{name}"], abs=1e-12)
        assert defined(found[name].training_values) == pytest.approx(expected[f"train_{name}"], abs=1e-12)
        assert found[name].mean.value == pytest.approx(expected[f"test_{name}"].mean(), abs=1e-12)
        assert found[name].deviation == pytest.approx(expected[f"test_{name}"].std(ddof=1), abs=1e-12)
        assert found[name].training == pytest.approx(expected[f"train_{name}"].mean(), abs=1e-12)


def test_scores_of_several_classes_are_scikit_learns() -> None:
    theirs = {
        "accuracy": "accuracy",
        "f1_macro": "f1_macro",
        "recall_weighted": "recall_weighted",
        "auc_ovr_macro": "roc_auc_ovr",
        "log_loss": "neg_log_loss",
    }
    expected = cross_validate(
        GaussianNB(), IRIS, NAMES, cv=THREE_FOLDS, scoring=theirs, return_train_score=True
    )
    found = tm.validate(GaussianNB(), IRIS, NAMES, cv=THREE_FOLDS, metrics=list(theirs))
    for name in theirs:
        sign = -1 if name == "log_loss" else 1
        assert defined(found[name].values) == pytest.approx(sign * expected[f"test_{name}"], abs=1e-12)
        assert defined(found[name].training_values) == pytest.approx(
            sign * expected[f"train_{name}"], abs=1e-12
        )


def test_a_number_may_be_asked_for_afterwards() -> None:
    found = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS)
    expected = cross_validate(GaussianNB(), X, Y, cv=THREE_FOLDS, scoring=["roc_auc", "f1"])
    assert defined(found["auc"].values) == pytest.approx(expected["test_roc_auc"], abs=1e-12)
    assert defined(found["f1"].values) == pytest.approx(expected["test_f1"], abs=1e-12)
    assert found["f1"].training is not None
    assert found["auc"].training is None  # scores of the training rows were not asked for
    assert found["auc"] is found["auc"]
    with pytest.raises(MetricError):
        found["no such number"]


def test_decision_values_are_scores() -> None:
    model = RidgeClassifier()
    expected = cross_validate(model, X, Y, cv=THREE_FOLDS, scoring="roc_auc")
    for positive in (1, 0):  # turned round with the other class
        found = tm.validate(model, X, Y, cv=THREE_FOLDS, metric="auc", pos_label=positive)
        assert defined(found["auc"].values) == pytest.approx(expected["test_score"], abs=1e-12)


# --- tallies ---------------------------------------------------------------------------------------


def test_the_tallies_of_the_folds_add_up_to_the_pooled_one() -> None:
    found = tm.validate(TREE, IRIS, NAMES, cv=THREE_FOLDS).models["DecisionTreeClassifier"]
    assert list(found.tally) == [(1, 1), (1, 2), (1, 3)]
    assert found.evaluation.confusion is not None
    assert found.tally.total().matrix.tolist() == found.evaluation.confusion.matrix.tolist()
    assert [tally.n for tally in found.tally.values()] == [50, 50, 50]
    for (_, _), tally, value in zip(
        found.tally, found.tally.values(), found["accuracy"].values, strict=False
    ):
        assert tally.evaluate()["accuracy"].value == value
    assert found.training is not None
    assert found.training.n == 300


def test_pooled_is_the_evaluation_of_the_out_of_fold_answers() -> None:
    found = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS)
    answers, scores = np.zeros(len(Y), int), np.zeros(len(Y))
    for train, test in THREE_FOLDS.split(X, Y):
        fitted = GaussianNB().fit(X[train], Y[train])
        answers[test], scores[test] = fitted.predict(X[test]), fitted.predict_proba(X[test])[:, 1]
    expected = tm.evaluate(Y, answers, y_score=scores)
    for name in ("accuracy", "auc", "brier"):
        pooled = found[name].pooled
        assert pooled.value == pytest.approx(expected[name].value, abs=1e-12)
        assert pooled.low == pytest.approx(expected[name].low, abs=1e-12)
    table = found.predictions("polars").sort("row")
    assert table["predicted"].to_list() == answers.tolist()
    assert table["score"].to_numpy() == pytest.approx(scores, abs=1e-15)
    again = tm.evaluate(table, actual="actual", predicted="predicted", score="score", id="row")
    assert again["auc"].value == pytest.approx(expected["auc"].value, abs=1e-12)


def test_rows_that_are_tested_several_times_count_once_in_intervals() -> None:
    once = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS)["accuracy"].pooled
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=8, random_state=0)
    repeated = tm.validate(GaussianNB(), X, Y, cv=cv)
    often = repeated["accuracy"].pooled
    assert None not in (once.low, once.high, often.low, often.high)
    assert often.high - often.low > 0.8 * (once.high - once.low)  # type: ignore[operator]
    assert any("rows are tested 8 times" in note for note in repeated.notes)


def test_groups_make_pooled_intervals_and_are_kept_together() -> None:
    groups = np.repeat(np.arange(20), 10)
    found = tm.validate(GaussianNB(), X, Y, cv=4, groups=groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in found.folds)
    assert "group" in str(found["accuracy"].pooled.method)
    assert not found.findings
    leaking = tm.validate(GaussianNB(), X, Y, cv=list(THREE_FOLDS.split(X, Y)), groups=groups)
    assert [each.code for each in leaking.findings] == ["TM019"]


def test_rows_about_pairs() -> None:
    pairs = np.random.default_rng(0).integers(0, 12, (200, 2))
    two_kinds = pairs + np.array([0, 100])
    found = tm.validate(GaussianNB(), X, Y, cv="pairs:3", groups=two_kinds)
    (told,) = (note for note in found.notes if "share an entity are not independent" in note)
    assert "too narrow: that of the mean of folds" in told
    assert not found.findings
    alike = tm.validate(GaussianNB(), X, Y, cv="pairs:3", groups=pairs)
    shared = sum(bool(set(pairs[train].ravel()) & set(pairs[test].ravel())) for train, test in alike.folds)
    assert shared == len(alike.folds)
    assert any(note.startswith(f"in {shared} of {shared} folds entities of test") for note in alike.notes)
    mixed = tm.validate(GaussianNB(), X, Y, cv=list(THREE_FOLDS.split(X, Y)), groups=pairs)
    assert any("entities of pairs of test rows are among" in each.message for each in mixed.findings)


# --- the baseline ----------------------------------------------------------------------------------


def test_the_baseline_is_the_most_frequent_class() -> None:
    found = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS)
    assert found.baseline is not None
    assert np.bincount(Y).argmax() == 0
    assert found.baseline.pipeline == "always 0, the most frequent class"
    expected = [(Y[test] == 0).mean() for _, test in THREE_FOLDS.split(X, Y)]
    assert defined(found.baseline["accuracy"].values) == pytest.approx(expected, abs=1e-15)
    assert found.baseline["auc"].values == (0.5, 0.5, 0.5)
    gain = found["accuracy"].gain
    assert gain is not None
    assert gain.value == pytest.approx(defined(found["accuracy"].values).mean() - np.mean(expected))
    assert tm.validate(GaussianNB(), X, Y, cv=3, baseline=False)["accuracy"].gain is None


@pytest.mark.parametrize(
    ("rows", "cv"), [(40, "loo"), (30, "kfold:10"), (60, "repeated:5")], ids=["one out", "folds", "holdouts"]
)
def test_the_baseline_of_balanced_classes_is_right_in_half_of_the_rows(rows: int, cv: str) -> None:
    # The majority of the rows that one fold leaves is the minority of those it tests.
    y = np.arange(rows) % 2
    noise = np.random.default_rng(1).normal(size=(rows, 2))
    found = tm.validate(GaussianNB(), noise, y, cv=cv, metrics=["auc"])
    assert found.baseline is not None
    accuracy = found.baseline["accuracy"]
    assert accuracy.mean.value == pytest.approx(0.5, abs=1e-12)
    assert accuracy.pooled.value == pytest.approx(0.5, abs=1e-12)
    assert found.baseline["auc"].pooled.value == 0.5
    assert found.compare().winner != "GaussianNB"


def test_a_model_of_the_same_name_does_not_displace_the_baseline() -> None:
    found = tm.validate({"majority": GaussianNB()}, X, Y, cv=3)
    assert found.baseline is not None
    assert found.baseline.name == "baseline"


def test_a_model_that_does_not_beat_the_baseline_is_told() -> None:
    noise = np.random.default_rng(0).normal(size=(200, 2))
    found = tm.validate({"tree": DecisionTreeClassifier(random_state=0)}, noise, Y, cv=5)
    gain = found["accuracy"].gain
    assert gain is not None
    assert gain.value is not None
    assert gain.value <= 0
    told = "'tree' was no better here in accuracy than always answering the most frequent class: it gains"
    assert any(note.startswith(told) for note in found.notes)


# --- what is undefined or fails --------------------------------------------------------------------


def test_a_number_undefined_in_some_folds_is_counted_and_not_averaged_away() -> None:
    rows = np.arange(60)
    y = (rows % 20 == 0).astype(int)  # three positives, all in the first two of three test sets
    tests = [np.r_[0:19, 59], np.r_[19:41], np.r_[41:59]]
    cv = [(np.setdiff1d(rows, test), test) for test in tests]
    found = tm.validate(GaussianNB(), X[:60], y, cv=cv, metric="recall")
    summary = found["recall"]
    assert summary.undefined == 1
    assert summary.values[2] is None
    assert "no row is actually positive" in str(summary.whys[2])
    assert summary.mean.value == np.mean(defined(summary.values[:2]))
    assert summary.mean.note is not None
    assert summary.mean.note.startswith("undefined in 1 of 3 folds")
    assert any("recall is undefined in 1 of 3 folds: no row is actually" in note for note in found.notes)
    assert found.fold_scores("recall")["GaussianNB"].note.startswith("recall is undefined in 1 of 3 folds")


def test_leave_one_out_has_no_area_per_fold_and_points_to_pooled() -> None:
    found = tm.validate(GaussianNB(), X[:30], Y[:30], cv=LeaveOneOut(), metric="auc")
    assert found["auc"].mean.value is None
    assert str(found["auc"].mean.why).startswith("undefined in all 30 folds: no row is actually")
    assert found["auc"].pooled.value is not None
    assert [each.code for each in found.findings] == ["TM024"]
    with pytest.raises(InputError, match="cannot be compared fold by fold"):
        found.compare(per="fold")
    assert found.compare("accuracy").design == "same rows"


class Fussy(GaussianNB):
    """Does not learn when the third row is among those to learn."""

    def fit(self, X: Any, y: Any) -> Fussy:
        if (X[:, 0] == IRIS[2, 0] + 100).any():
            raise ValueError("cannot learn this\nsecond line")
        return super().fit(X, y)


@pytest.fixture
def fussy() -> tm.Validation:
    shifted = IRIS.copy()
    shifted[2] += 100
    return tm.validate({"fussy": Fussy(), "tree": TREE}, shifted, SPECIES, cv=3)


def test_a_failed_fit_is_counted_and_the_rest_goes_on(fussy: tm.Validation) -> None:
    assert fussy.failed == 2
    summary = fussy.models["fussy"]["accuracy"]
    assert [value is None for value in summary.values].count(True) == 2
    assert "the fit failed: ValueError: cannot learn this" in str(summary.remark)
    assert "'fussy': 2 of 3 fits failed: ValueError: cannot learn this." in fussy.notes
    assert fussy.models["tree"].failed == 0
    assert len(fussy.models["fussy"].tally) == 1
    assert fussy.evaluations["fussy"].rows == 50
    assert fussy.to_dict()["failed"] == 2
    assert fussy.predictions("polars")["fussy_predicted"].null_count() == 100
    by_rows = fussy.compare(per="rows")
    assert [model.n for model in by_rows.models] == [50, 50]
    assert "2 of 3 folds are left out, for a fit failed in them." in by_rows.notes
    assert tm.compare(fussy, per="rows").notes == by_rows.notes
    form = fussy.to_dict()
    assert form["failures"] == [
        {"model": "fussy", "run": 1, "fold": place + 1, "error": "ValueError: cannot learn this"}
        for place, value in enumerate(summary.values)
        if value is None
    ]
    with pytest.raises(OptionError, match="several models"):
        fussy["accuracy"]
    with pytest.raises(OptionError, match=r"\.models\['fussy'\]\.evaluation"):
        _ = fussy.evaluation


def test_a_model_that_always_fails_is_left_out_of_comparisons() -> None:
    class Never(GaussianNB):
        def fit(self, *_: Any) -> Never:
            raise RuntimeError

    found = tm.validate({"never": Never(), "tree": TREE, "bayes": GaussianNB()}, IRIS, SPECIES, cv=3)
    assert list(found.evaluations) == ["tree", "bayes"]
    assert "'never': 3 of 3 fits failed: RuntimeError: without a message." in found.notes
    compared = found.compare()
    assert [model.name for model in compared.models] == ["tree", "bayes"]
    assert any("'never' is left out: every fit failed." in note for note in compared.notes)
    with pytest.raises(InputError, match="every fit of 'never' failed"):
        _ = found.models["never"].evaluation
    assert "never" in str(found)
    with pytest.raises(InputError, match=r"all 3 fits failed; the first, of 'Never': RuntimeError"):
        tm.validate(Never(), IRIS, SPECIES, cv=3)


def test_warnings_of_models_are_counted_and_said_once() -> None:
    class Loud(GaussianNB):
        def fit(self, X: Any, y: Any) -> Loud:
            warnings.warn("this is hard.", RuntimeWarning, stacklevel=2)
            return super().fit(X, y)

    found = tm.validate({"loud": Loud()}, IRIS, SPECIES, cv=3)
    assert "'loud': RuntimeWarning: this is hard (in 3 of 3 fits)." in found.notes


@pytest.mark.parametrize("wrong", [[0, 10, 20, 30], [0, 10, 20, 31, 30]], ids=["equal", "nearly equal"])
def test_the_interval_of_folds_that_agree_is_no_narrower_than_pooled(wrong: list[int]) -> None:
    rows = np.arange(40)
    y = rows % 2
    guess = np.where(np.isin(rows, wrong), 1 - y, y).astype(float)[:, None]
    cv = [(np.setdiff1d(rows, part), part) for part in np.split(rows, 4)]
    mean = tm.validate(GaussianNB(), guess, y, cv=cv)["accuracy"].mean
    expected = tm.evaluate(y, guess[:, 0].astype(int))["accuracy"]  # the model answers what it is told
    assert mean.value == pytest.approx(1 - len(wrong) / 40)
    assert mean.low is not None
    assert mean.low <= expected.low + 1e-12  # type: ignore[operator]
    assert mean.high >= expected.high - 1e-12  # type: ignore[operator]
    assert mean.method == "corrected t, no narrower than pooled"
    assert mean.interval(0.99).low <= expected.interval(0.99).low + 1e-12  # type: ignore[operator]


@pytest.mark.parametrize("cv", ["kfold:10", "repeated:8"])
def test_the_mean_of_stratified_folds_covers_the_accuracy_of_other_rows(cv: str) -> None:
    # Answers that are right for class 1 and wrong for class 0, whatever is learned: the accuracy of the
    # population is 0.95, and that of stratified folds is the share of class 1 in the sample, in every fold.
    class Ones(GaussianNB):
        def fit(self, _: Any, y: Any) -> Ones:
            self.classes_ = np.unique(y)
            return self

        def predict(self, X: Any) -> Any:
            return np.ones(len(X), int)

        def predict_proba(self, X: Any) -> Any:
            return np.tile([0.05, 0.95], (len(X), 1))

    covered = 0
    for seed in range(40):
        y = (np.random.default_rng([7, seed]).random(200) < 0.95).astype(int)
        mean = tm.validate(Ones(), np.zeros((200, 1)), y, cv=cv, baseline=False, random_state=seed)[
            "accuracy"
        ].mean
        covered += mean.low is not None and mean.low <= 0.95 <= mean.high  # type: ignore[operator]
    assert covered >= 33  # with 0.95 per interval fewer come by chance once in 1,000 times


# --- the same result however it is run ---------------------------------------------------------------


def test_workers_models_beside_and_pickles_change_nothing() -> None:
    forest = DecisionTreeClassifier(max_features=1)  # its chance is left to the run
    options: dict[str, Any] = {"cv": 3, "metrics": ["auc"], "random_state": 5}
    one = tm.validate({"tree": forest, "bayes": GaussianNB()}, X, Y, n_jobs=1, **options)
    two = tm.validate({"tree": forest, "bayes": GaussianNB()}, X, Y, n_jobs=2, **options)
    alone = tm.validate({"tree": forest}, X, Y, **options)
    for name in ("accuracy", "auc"):
        assert one.models["tree"][name].values == two.models["tree"][name].values
        assert one.models["tree"][name].training_values == two.models["tree"][name].training_values
        assert one.models["tree"][name].values == alone[name].values
    assert one.predictions("polars").equals(two.predictions("polars"))
    other = tm.validate({"tree": forest}, X, Y, **{**options, "random_state": 6})
    assert other.fingerprint != one.fingerprint
    copy = pickle.loads(pickle.dumps(one))
    assert str(copy) == str(one)
    assert not hasattr(one.models["tree"].fits[0], "model")


def test_a_sampler_sees_training_rows_only() -> None:
    seen: list[int] = []

    class Recorded:
        def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
            seen.append(len(y))
            return X[:40], y[:40]

    found = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS, sampler=Recorded())
    assert seen == [fold.n_train for fold in found.folds.folds]
    assert {fit.n_train for fit in found.models["GaussianNB"].fits} == {40}
    assert found.models["GaussianNB"].tally.total().n == len(Y)
    assert "Recorded" in str(found.sampler)
    with pytest.raises(OptionError, match="fit_resample"):
        tm.validate(GaussianNB(), X, Y, sampler=object())


def test_the_bootstrap_has_efrons_estimates() -> None:
    found = tm.validate({"tree": DecisionTreeClassifier(random_state=0)}, X, Y, cv="bootstrap:12")
    assert found.folds.bootstrap
    efron = found.models["tree"].bootstrap
    assert efron is not None
    assert efron.apparent == 0  # a tree that grows until it knows every row
    wrong, asked = np.zeros(len(Y)), np.zeros(len(Y))
    for fold, fit in zip(found.folds.folds, found.models["tree"].fits, strict=True):
        wrong[fold.test] += fit.answers != Y[fold.test]
        asked[fold.test] += 1
    expected = (wrong[asked > 0] / asked[asked > 0]).mean()
    assert efron.out_of_bag == pytest.approx(expected, abs=1e-12)
    shares = np.bincount(Y) / len(Y)
    assert efron.no_information == pytest.approx(1 - shares @ shares, abs=1e-12)
    assert efron.error_632 == pytest.approx(0.632 * expected, abs=1e-12)
    sizes = found.models["tree"].sizes
    assert (sizes.train < len(Y) * 0.75).all()  # different rows, not the rows drawn
    assert tm.validate(TREE, X, Y, cv=3).models["DecisionTreeClassifier"].bootstrap is None


def test_one_fold_is_a_holdout() -> None:
    found = tm.validate(GaussianNB(), X, Y, cv="holdout:1/4", metric="error_rate")
    summary = found["error_rate"]
    assert len(summary.values) == 1
    assert summary.mean.low is None
    assert summary.pooled.low is not None
    assert summary.pooled.n == 50
    assert summary.gap == pytest.approx(summary.mean.value - summary.training)  # type: ignore[operator]


def test_rows_of_repeated_pairs_are_no_bootstrap() -> None:
    train = np.r_[0:100, 0:50]
    found = tm.validate(GaussianNB(), X, Y, cv=[(train, np.arange(100, 200))])
    assert not found.folds.bootstrap
    assert found.models["GaussianNB"].bootstrap is None
    assert found.models["GaussianNB"].sizes.train.tolist() == [100.0]


def test_a_mean_of_classes_is_undefined_where_a_class_has_no_rows() -> None:
    rows = np.arange(100)
    y = (rows < 5).astype(int)
    cv = [(np.setdiff1d(rows, part), part) for part in (np.r_[0:3, 5:50], np.r_[3:5, 50:70], np.r_[70:100])]
    names = ["balanced_accuracy", "f1_macro", "recall_macro"]
    found = tm.validate(GaussianNB(), X[:100], y, cv=cv, metrics=names, pos_label=1)
    for name in names:
        summary = found[name]
        assert [value is None for value in summary.values] == [False, False, True]
        assert summary.whys[2] == "class 1 has no rows here"
        assert summary.mean.n == 2
        assert found.baseline is not None
        assert found.baseline[name].undefined == 1
    assert found.baseline is not None
    assert found.baseline["balanced_accuracy"].mean.value == 0.5
    assert found["accuracy"].undefined == 0
    assert found["f1_weighted"].undefined == 0
    assert any(
        "balanced_accuracy is undefined in 1 of 3 folds: class 1 has no rows" in n for n in found.notes
    )
    three = np.where(rows < 40, "a", np.where(rows % 2, "b", "c"))
    areas = tm.validate(GaussianNB(), X[:100], three, cv=cv, metric="auc_ovr_macro")["auc_ovr_macro"]
    assert [value is None for value in areas.values] == [False, False, True]
    assert areas.whys[2] == "class 'a' has no rows here"


def test_a_gain_says_of_how_many_folds_it_is() -> None:
    rows = np.arange(60)
    y = (rows % 20 == 0).astype(int)
    tests = [np.r_[0:19, 59], np.r_[19:41], np.r_[41:59]]
    cv = [(np.setdiff1d(rows, test), test) for test in tests]
    gain = tm.validate(GaussianNB(), X[:60], y, cv=cv, metric="recall")["recall"].gain
    assert gain is not None
    assert (gain.n, gain.remark) == (2, "of 2 of 3 folds")
    whole = tm.validate(GaussianNB(), X[:60], y, cv=cv)["accuracy"].gain
    assert whole is not None
    assert whole.remark is None


def test_classes_with_few_test_rows_are_told() -> None:
    y = np.where(np.arange(200) < 5, "few", "many")
    found = tm.validate(GaussianNB(), X, y, cv="kfold:5x3")
    told = "class 'few' has only 5 test rows: intervals of numbers about it are not to be relied on."
    assert told in found.notes
    y[5:10] = "few"
    assert not any("not to be relied on" in note for note in tm.validate(GaussianNB(), X, y, cv=5).notes)
    y[:4], y[4:8] = "rare", "thin"
    several = tm.validate(GaussianNB(), X, y, cv=4)
    told = "classes with fewer than 10 test rows: 'few' (2), 'rare' (4), 'thin' (4): "
    assert any(note.startswith(told) for note in several.notes)


def test_notes_of_folds_are_shown() -> None:
    y = np.where(np.arange(200) < 3, "few", "many")
    found = tm.validate(GaussianNB(), X, y, cv="holdout:0.1")
    assert found.folds.notes
    assert set(found.folds.notes) <= set(found.notes)


# --- models against each other ----------------------------------------------------------------------


def two_models(**options: Any) -> tm.Validation:
    return tm.validate({"tree": TREE, "bayes": GaussianNB()}, X, Y, cv=5, **options)


def test_models_are_compared_on_the_same_folds() -> None:
    found = two_models()
    compared = found.compare()
    assert compared.design == "same folds"
    assert "their fingerprints agree" in compared.notes[0]
    expected = tm.tests.corrected_t(
        found.models["tree"]["accuracy"].values,
        found.models["bayes"]["accuracy"].values,
        n_train=160,
        n_test=40,
    )
    assert compared["accuracy"].p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert tm.compare(found, metric="f1").metric == "f1"
    assert found.compare("auc", margin=0.1).margins
    others = two_models(random_state=9)
    mixed = {"a": found.fold_scores()["tree"], "b": others.fold_scores()["bayes"]}
    with pytest.raises(InputError, match="not tried on the same folds"):
        tm.compare(mixed)


def test_the_folds_of_other_data_are_other_folds() -> None:
    one, two = (tm.validate(GaussianNB(), X, y, cv=KFold(3)) for y in (Y, 1 - Y))
    assert one.folds.fingerprint == two.folds.fingerprint
    assert one.fingerprint != two.fingerprint


@pytest.mark.parametrize("cv", [5, "kfold:3x2", "repeated:4"], ids=["once", "runs", "holdouts"])
def test_models_are_compared_on_the_same_rows(cv: Any) -> None:
    found = tm.validate({"tree": TREE, "bayes": GaussianNB()}, X, Y, cv=cv)
    compared = tm.compare(found.evaluations)
    assert compared.design == "same rows"
    assert compared.notes[0] == "rows were matched by their id."
    by_method = found.compare("auc", per="rows")
    assert by_method.metric == "auc"
    assert by_method["auc"].paired


def test_a_holdout_is_compared_row_by_row() -> None:
    found = tm.validate({"tree": TREE, "bayes": GaussianNB()}, X, Y, cv="holdout:1/4")
    compared = tm.compare(found)
    assert compared.design == "same rows"
    (fold,) = found.folds.folds
    right = [
        model.fit(X[fold.train], Y[fold.train]).predict(X[fold.test]) == Y[fold.test]
        for model in (DecisionTreeClassifier(max_depth=3, random_state=0), GaussianNB())
    ]
    assert compared["accuracy"].estimate.value == pytest.approx(right[0].mean() - right[1].mean())
    assert found.compare().verdict == compared.verdict
    assert tm.compare(found, per="fold").design == "same folds"


def test_per_is_honoured() -> None:
    found = two_models()
    assert tm.compare(found, per="rows").design == "same rows"
    assert tm.compare(found, per="fold").design == "same folds"
    assert tm.compare(found).design == "same folds"
    with pytest.raises(OptionError, match="per must be 'fold' or 'rows'; got 'dataset'"):
        tm.compare(found, per="dataset")
    with pytest.raises(OptionError, match="per='rows' is about what `validate` found"):
        tm.compare({"a": [1, 0], "b": [1, 1]}, [1, 0], per="rows")
    with pytest.raises(OptionError, match="over 2 data sets"):
        tm.compare(tm.validate(["bayes", "tree"], {"a": (X, Y), "b": (X, Y)}, cv=2), per="rows")


def test_ranks_of_all_rows_say_that_they_are_of_several_models() -> None:
    told = "auc of all test rows: it ranks rows by the scores of different models"
    assert any(note.startswith(told) for note in two_models().compare("auc", per="rows").notes)
    assert not any(note.startswith(told) for note in two_models().compare(per="rows").notes)


def test_a_single_model_is_compared_with_the_baseline() -> None:
    found = tm.validate({"bayes": GaussianNB()}, X, Y, cv=5)
    assert found.compare().winner == "bayes"
    assert found.compare(per="rows").winner == "bayes"
    alone = tm.validate({"bayes": GaussianNB()}, X, Y, cv=5, baseline=False)
    with pytest.raises(OptionError, match="nothing to compare"):
        alone.compare()
    with pytest.raises(OptionError, match="per must be 'fold' or 'rows'"):
        found.compare(per="columns")  # type: ignore[arg-type]


def test_a_rows_table_of_folds_is_read_by_compare() -> None:
    found = two_models(metrics=["f1"])
    table = found.to_frame("polars").filter(pl.col("model") != "majority")
    by_table = tm.compare(table, per="fold", metric="f1")
    assert by_table["f1"].p_value == pytest.approx(found.compare("f1")["f1"].p_value, rel=1e-9)


# --- what is asked -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        pytest.param({"metric": "recall"}, LabelError, "recall_macro", id="no positive class"),
        pytest.param({"metric": "auc"}, LabelError, "auc_ovr_macro", id="area of no class"),
        pytest.param({"metrics": ["mean_cost"]}, OptionError, "mean_cost needs costs", id="no costs"),
        pytest.param({"metric": "hamming_loss"}, MetricError, "several labels", id="label sets"),
        pytest.param({"metric": "accuracyy"}, MetricError, "did you mean accuracy", id="misspelled"),
        pytest.param({"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, InputError, "not stated", id="bare costs"),
        pytest.param({"random_state": -1}, OptionError, "random_state", id="seed"),
        pytest.param({"confidence_level": 2}, OptionError, "confidence_level", id="level"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_fitted(
    options: dict[str, Any], error: type[Exception], said: str
) -> None:
    class Untouched(GaussianNB):
        def fit(self, *_: Any) -> Untouched:
            raise AssertionError

    with pytest.raises(error, match=said):
        tm.validate(Untouched(), IRIS, NAMES, **options)


def test_no_seed_is_the_seed_0() -> None:
    none, zero = (tm.validate(GaussianNB(), X, Y, cv=3, random_state=seed) for seed in (None, 0))
    assert none.fingerprint == zero.fingerprint
    assert none["accuracy"].values == zero["accuracy"].values


def test_costs_are_numbers_like_others() -> None:
    costs = {0: {1: 10}, 1: {0: 1}}
    found = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS, metric="mean_cost", costs=costs)
    for value, tally in zip(
        found["mean_cost"].values, found.models["GaussianNB"].tally.values(), strict=True
    ):
        (_, called), (missed, _) = tally.matrix.tolist()
        assert value == pytest.approx((10 * called + missed) / tally.n)
    stated = tm.validate(
        GaussianNB(), X, Y, cv=THREE_FOLDS, metric="mean_cost", costs=[[0, 10], [1, 0]], labels=[0, 1]
    )
    assert stated["mean_cost"].values == found["mean_cost"].values
    assert found["mean_cost"].pooled.value == found.evaluation["mean_cost"].value
    total = tm.validate(GaussianNB(), X, Y, cv=10, metric="total_cost", costs=costs)["total_cost"]
    expected = tm.tests.corrected_t(total.values, [0.0] * 10, n_train=180, n_test=20)
    assert total.pooled.value == pytest.approx(sum(defined(total.values)))
    assert total.mean.high == pytest.approx(expected.high)  # the total of all rows is of another size


def test_frames_and_tables_are_data() -> None:
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "class": np.where(Y == 1, "benign", "malignant")})
    found = tm.validate("bayes", frame, target="class", pos_label="benign", cv=3, metric="f1")
    plain = tm.validate("bayes", X[:, :2], Y, cv=3, metric="f1")
    assert found["f1"].values == plain["f1"].values
    assert isinstance(found.predictions(), pl.DataFrame)
    assert set(found.predictions()["predicted"]) == {"benign", "malignant"}
    pandas = frame.to_pandas()
    assert tm.validate("bayes", pandas, target="class", pos_label="benign", cv=3)["f1"].values == (
        plain["f1"].values
    )


def test_one_shot_pairs_are_folds() -> None:
    def pairs() -> Iterator[Any]:
        yield from THREE_FOLDS.split(X, Y)

    found = tm.validate(LogisticRegression(max_iter=5000), X, Y, cv=pairs())
    assert (found.folds.runs, found.rows_tested) == (1, len(Y))
    assert found.folds.method == "folds as given"
    rest = tm.validate(GaussianNB(), X, Y, cv=[(np.arange(100), np.arange(100, 150))] * 2)
    assert "150 of 200 rows are in no test fold." in rest.notes
    assert rest.rows_tested == 100


def test_folds_have_places_and_names() -> None:
    folds = two_models().folds
    assert fold_names(folds) == ["1", "2", "3", "4", "5"]
    runs = tm.KFold(2, n_repeats=2).folds(X, Y)
    assert places(runs) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert fold_names(runs)[3] == "run 2, fold 2"
    groups = np.repeat(["ann", "bob", "cid", "dan"], 50)
    assert fold_names(tm.LeaveOneGroupOut().folds(X, Y, groups)) == ["ann", "bob", "cid", "dan"]
