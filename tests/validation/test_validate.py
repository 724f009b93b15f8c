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
from tallymark.validation.validated import fold_names, is_bootstrap, places

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
    assert not any("among the training rows" in note for note in found.notes)
    leaking = tm.validate(GaussianNB(), X, Y, cv=list(THREE_FOLDS.split(X, Y)), groups=groups)
    assert any(note.startswith("in 3 of 3 folds groups of test rows") for note in leaking.notes)


def test_rows_about_pairs() -> None:
    pairs = np.random.default_rng(0).integers(0, 12, (200, 2))
    found = tm.validate(GaussianNB(), X, Y, cv="pairs:3", groups=pairs)
    assert any("share an entity are not independent" in note for note in found.notes)
    assert not any("among the training rows" in note for note in found.notes)
    mixed = tm.validate(GaussianNB(), X, Y, cv=list(THREE_FOLDS.split(X, Y)), groups=pairs)
    assert any("entities of pairs of test rows are among" in note for note in mixed.notes)


# --- the baseline ----------------------------------------------------------------------------------


def test_the_baseline_is_the_most_frequent_class_of_the_training_rows() -> None:
    found = tm.validate(GaussianNB(), X, Y, cv=THREE_FOLDS)
    assert found.baseline is not None
    expected = []
    for train, test in THREE_FOLDS.split(X, Y):
        top = np.bincount(Y[train]).argmax()
        expected.append((Y[test] == top).mean())
    assert defined(found.baseline["accuracy"].values) == pytest.approx(expected, abs=1e-15)
    assert found.baseline["auc"].values == (0.5, 0.5, 0.5)
    gain = found["accuracy"].gain
    assert gain is not None
    assert gain.value == pytest.approx(defined(found["accuracy"].values).mean() - np.mean(expected))
    assert tm.validate(GaussianNB(), X, Y, cv=3, baseline=False)["accuracy"].gain is None


def test_a_model_of_the_same_name_does_not_displace_the_baseline() -> None:
    found = tm.validate({"majority": GaussianNB()}, X, Y, cv=3)
    assert found.baseline is not None
    assert found.baseline.name == "baseline"


def test_a_model_that_does_not_beat_the_baseline_is_told() -> None:
    noise = np.random.default_rng(0).normal(size=(200, 2))
    found = tm.validate({"tree": DecisionTreeClassifier(random_state=0)}, noise, Y, cv=5)
    assert any(note.startswith("'tree' is no") and "frequent class" in note for note in found.notes)


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
    assert any("auc is undefined in all 30 folds" in note and "pooled" in note for note in found.notes)
    with pytest.raises(InputError, match="cannot be compared fold by fold"):
        found.compare()


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
    assert by_rows.notes[-1] == "2 of 3 folds are left out, for a fit failed in them."
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


def test_folds_that_agree_by_chance_are_not_believed() -> None:
    rows = np.arange(40)
    y = rows % 2
    wrong = np.isin(rows, [0, 10, 20, 31, 30])  # one or two of ten in every fold
    guess = np.where(wrong, 1 - y, y).astype(float)[:, None]
    cv = [(np.setdiff1d(rows, part), part) for part in np.split(rows, 4)]
    same = np.isin(rows, [0, 10, 20, 30])
    found = tm.validate(GaussianNB(), guess, y, cv=cv)
    assert not any("more alike" in note for note in found.notes)
    even = np.where(same, 1 - y, y).astype(float)[:, None]
    assert "no spread" in str(tm.validate(GaussianNB(), even, y, cv=cv)["accuracy"].mean.note)
    large = np.arange(4000)
    few = np.isin(large, [*range(100), *range(1000, 1101), *range(2000, 2100), *range(3000, 3100)])
    labels = large % 2
    alike = tm.validate(
        GaussianNB(),
        np.where(few, 1 - labels, labels).astype(float)[:, None],
        labels,
        cv=[(np.setdiff1d(large, part), part) for part in np.split(large, 4)],
    )
    assert any("the folds are more alike than the number of rows explains" in n for n in alike.notes)


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
    assert is_bootstrap(found.folds)
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
    assert found.folds.partition
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
