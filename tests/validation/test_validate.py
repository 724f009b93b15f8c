"""`validate`: the values of scikit-learn, tallies that add up, the baseline, groups, the bootstrap."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from scripted_models import Constant

X, Y = (part[:200] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
THREE = StratifiedKFold(3, shuffle=True, random_state=1)


@cache
def bayes(**options):
    return tm.validate(GaussianNB(), X, Y, cv=THREE, **options)


def close(found, expected):
    return None not in found and np.allclose(np.array(found, float), expected, rtol=0, atol=1e-12)


def test_values_of_test_and_training_rows_are_scikit_learns():
    two = {
        "accuracy": "accuracy", "balanced_accuracy": "balanced_accuracy", "f1": "f1",
        "precision": "precision", "recall": "recall", "mcc": make_scorer(matthews_corrcoef),
        "auc": "roc_auc", "average_precision": "average_precision",
    }  # fmt: skip
    three = {
        "accuracy": "accuracy", "f1_macro": "f1_macro", "recall_weighted": "recall_weighted",
        "auc_ovr_macro": "roc_auc_ovr", "log_loss": "neg_log_loss",
    }  # fmt: skip
    twice = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=3)
    cases = {
        "stratified, a tree": (TREE, X, Y, THREE, two),
        "plain": (GaussianNB(), X, Y, KFold(4, shuffle=True, random_state=2), two),
        "repeated": (GaussianNB(), X, Y, twice, two),
        "shuffled": (GaussianNB(), X, Y, ShuffleSplit(4, test_size=0.3, random_state=4), two),
        "three classes": (GaussianNB(), IRIS, NAMES, THREE, three),
    }  # fmt: skip
    wrong = []
    for case, (model, features, y, cv, scoring) in cases.items():
        peer = cross_validate(model, features, y, cv=cv, scoring=scoring, return_train_score=True)
        found = tm.validate(model, features, y, cv=cv, metrics=list(scoring))
        for name in scoring:
            sign = -1 if name == "log_loss" else 1
            test, train = sign * peer[f"test_{name}"], sign * peer[f"train_{name}"]
            one = found[name]
            pairs = [(one.values, test), (one.training_values, train), ([one.mean.value], test.mean())]
            pairs += [([one.deviation], test.std(ddof=1)), ([one.training], train.mean())]
            wrong += [(case, name, place) for place, pair in enumerate(pairs) if not close(*pair)]
    assert not wrong
    # A metric may be asked for afterwards.
    peer = cross_validate(GaussianNB(), X, Y, cv=THREE, scoring=["roc_auc", "f1"])
    assert close(bayes()["auc"].values, peer["test_roc_auc"])
    assert close(bayes()["f1"].values, peer["test_f1"])
    assert bayes()["f1"].training is not None
    assert bayes()["auc"].training is None  # scores of the training rows were not asked for
    assert bayes()["auc"] is bayes()["auc"]


def test_the_tallies_of_the_folds_add_up_to_the_pooled_one():
    found = tm.validate(TREE, IRIS, NAMES, cv=THREE).models["DecisionTreeClassifier"]
    assert list(found.tally) == [(1, 1), (1, 2), (1, 3)]
    assert found.tally.total().matrix.tolist() == found.evaluation.confusion.matrix.tolist()
    assert [tally.n for tally in found.tally.values()] == [50, 50, 50]
    assert [each.evaluate()["accuracy"].value for each in found.tally.values()] == [*found["accuracy"].values]
    assert found.training.n == 300
    runs = tm.validate(GaussianNB(), X, Y, cv=tm.KFold(2, n_repeats=2)).models["GaussianNB"].tally
    assert list(runs) == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_pooled_is_the_evaluation_of_the_out_of_fold_predictions():
    predicted, scores = np.zeros(len(Y), int), np.zeros(len(Y))
    for train, test in THREE.split(X, Y):
        fitted = GaussianNB().fit(X[train], Y[train])
        predicted[test], scores[test] = fitted.predict(X[test]), fitted.predict_proba(X[test])[:, 1]
    expected = tm.evaluate(Y, predicted, y_score=scores)
    for name in ("accuracy", "auc", "brier"):
        pooled = bayes()[name].pooled
        assert [pooled.value, pooled.low] == pytest.approx(
            [expected[name].value, expected[name].low], abs=1e-12
        )
    assert bayes()["accuracy"].pooled.note is None
    assert bayes()["auc"].pooled.note  # that it puts models on one scale
    table = bayes().predictions("polars").sort("row")
    assert table["row"].to_list() == list(range(200))
    assert table["actual"].to_list() == Y.tolist()
    assert table["predicted"].to_list() == predicted.tolist()
    assert table["score"].to_numpy() == pytest.approx(scores, abs=1e-15)
    several = tm.validate(GaussianNB(), IRIS, NAMES, cv=THREE).predictions("polars").sort("row")
    expected = cross_val_predict(GaussianNB(), IRIS, NAMES, cv=THREE, method="predict_proba")
    assert several.select(several.columns[5:]).to_numpy() == pytest.approx(expected, abs=1e-15)
    # Rows that are tested several times count once in intervals.
    once = bayes()["accuracy"].pooled
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=8, random_state=0)
    repeated = tm.validate(GaussianNB(), X, Y, cv=cv)
    often = repeated["accuracy"].pooled
    assert often.high - often.low > 0.8 * (once.high - once.low)
    assert len(repeated.notes) == 1
    # One fold is a holdout.
    found = tm.validate(GaussianNB(), X, Y, cv="holdout:1/4", metric="error_rate")["error_rate"]
    assert (len(found.values), found.mean.low, found.pooled.n) == (1, None, 50)
    assert found.pooled.low is not None
    assert found.gap == pytest.approx(found.mean.value - found.training)


def test_groups_make_pooled_intervals_and_are_kept_together():
    groups = np.repeat(np.arange(20), 10)
    found = tm.validate(GaussianNB(), X, Y, cv=4, groups=groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in found.folds)
    rows = tm.evaluate(Y, found.predictions("polars").sort("row")["predicted"])
    assert found["accuracy"].pooled.method != rows["accuracy"].method
    assert not found.findings
    leaking = tm.validate(GaussianNB(), X, Y, cv=list(THREE.split(X, Y)), groups=groups)
    assert [each.code for each in leaking.findings] == ["TM019"]
    left = tm.validate(GaussianNB(), X, Y, groups=np.repeat(["ann", "bob", "cid", "dan"], 50), cv="group")
    assert left.to_frame("polars")["left_out"].to_list()[:4] == ["ann", "bob", "cid", "dan"]
    # Rows about pairs.
    pairs = np.random.default_rng(0).integers(0, 12, (200, 2))
    apart = tm.validate(GaussianNB(), X, Y, cv="pairs:3", groups=pairs + np.array([0, 100]))
    assert not apart.findings
    assert len(apart.notes) == 1, "that pairs which share an entity are not independent"


def test_folds_that_are_given_and_their_fingerprints():
    found = tm.validate(GaussianNB(), X, Y, cv=(pair for pair in THREE.split(X, Y)))
    assert (found.folds.runs, found.rows_tested) == (1, len(Y))
    assert found["accuracy"].values == bayes()["accuracy"].values
    rest = tm.validate(GaussianNB(), X, Y, cv=[(np.arange(100), np.arange(100, 150))] * 2)
    assert rest.rows_tested == 100
    assert len(rest.notes) > 0
    # Folds of other data and of another seed have other fingerprints.
    one, other = (tm.validate(GaussianNB(), X, y, cv=KFold(3)) for y in (Y, 1 - Y))
    assert one.folds.fingerprint == other.folds.fingerprint
    assert one.fingerprint != other.fingerprint


def test_the_baseline_is_the_most_frequent_class_of_all_rows():
    assert np.bincount(Y).argmax() == 0
    expected = [(Y[test] == 0).mean() for _, test in THREE.split(X, Y)]
    assert close(bayes().baseline["accuracy"].values, expected)
    assert bayes().baseline["auc"].values == (0.5, 0.5, 0.5)
    gain = np.mean(bayes()["accuracy"].values) - np.mean(expected)
    assert bayes()["accuracy"].gain.value == pytest.approx(gain)
    assert tm.validate(GaussianNB(), X, Y, cv=3, baseline=False)["accuracy"].gain is None
    assert tm.validate({"majority": GaussianNB()}, X, Y, cv=3).baseline.name == "baseline"
    # Where the rows to train on have none of it; probabilities are the proportions of all rows.
    y, cut = np.array(list("bacbbc")), [(np.array([1, 2, 5]), np.array([0, 3, 4]))]
    for labels in (None, ["c", "b", "a"]):
        options = {"cv": cut, "labels": labels, "metrics": ["log_loss"]}
        few = tm.validate(Constant("a"), np.zeros((6, 1)), y, **options).baseline
        assert few["accuracy"].values == (1.0,)
        assert few["log_loss"].values[0] == pytest.approx(np.log(2))
        assert few["accuracy"].training == pytest.approx(0)


def test_the_baseline_of_balanced_classes_is_right_in_half_of_the_rows():
    # The majority of the rows that one fold leaves is the minority of those it tests.
    noise, wrong = np.random.default_rng(1).normal(size=(60, 2)), []
    for rows, cv in ((40, "loo"), (30, "kfold:10"), (60, "repeated:5")):
        found = tm.validate(GaussianNB(), noise[:rows], np.arange(rows) % 2, cv=cv, metrics=["auc"])
        accuracy, area = found.baseline["accuracy"], found.baseline["auc"].pooled.value
        halves = np.allclose([accuracy.mean.value, accuracy.pooled.value, area], 0.5, rtol=0, atol=1e-12)
        if not halves or found.compare().winner == "GaussianNB":
            wrong.append(cv)
    assert not wrong
    for labels in (["c", "d"], ["d", "c"]):  # of equally many, the first label
        found = tm.validate(Constant("c"), np.zeros((4, 1)), list("dccd"), cv="loo", labels=labels)
        assert found.baseline["accuracy"].values == tuple(float(label == labels[0]) for label in "dccd")
    # A model that does not beat the baseline is noted.
    noise = np.random.default_rng(0).normal(size=(200, 2))
    found = tm.validate({"tree": DecisionTreeClassifier(random_state=0)}, noise, Y, cv=5)
    assert found["accuracy"].gain.value <= 0
    assert (len(found.notes), len(bayes().notes)) == (1, 0)


def test_costs_are_metrics_like_others():
    costs = {0: {1: 10}, 1: {0: 1}}
    found = tm.validate(GaussianNB(), X, Y, cv=THREE, metric="mean_cost", costs=costs)
    by_hand = []
    for tally in found.models["GaussianNB"].tally.values():
        (_, alarms), (missed, _) = tally.matrix.tolist()
        by_hand.append((10 * alarms + missed) / tally.n)
    assert close(found["mean_cost"].values, by_hand)
    matrix = {"costs": [[0, 10], [1, 0]], "labels": [0, 1]}
    stated = tm.validate(GaussianNB(), X, Y, cv=THREE, metric="mean_cost", **matrix)
    assert stated["mean_cost"].values == found["mean_cost"].values
    assert found["mean_cost"].pooled.value == found.evaluation["mean_cost"].value
    total = tm.validate(GaussianNB(), X, Y, cv=10, metric="total_cost", costs=costs)["total_cost"]
    expected = tm.tests.corrected_t(total.values, [0.0] * 10, n_train=180, n_test=20)
    assert total.pooled.value == pytest.approx(sum(total.values))
    assert total.mean.high == pytest.approx(expected.high)  # the total of all rows is of another size


def test_the_bootstrap_has_efrons_estimates():
    found = tm.validate({"tree": DecisionTreeClassifier(random_state=0)}, X, Y, cv="bootstrap:12")
    tree = found.models["tree"]
    wrong, asked = np.zeros(len(Y)), np.zeros(len(Y))
    for fold, fit in zip(found.folds.folds, tree.fits, strict=True):
        wrong[fold.test] += fit.answers != Y[fold.test]
        asked[fold.test] += 1
    expected = (wrong[asked > 0] / asked[asked > 0]).mean()
    efron, shares = tree.bootstrap, np.bincount(Y) / len(Y)
    numbers = (efron.apparent, efron.out_of_bag, efron.no_information, efron.error_632)
    # A tree that grows until it knows every row has no apparent error.
    assert numbers == pytest.approx((0, expected, 1 - shares @ shares, 0.632 * expected), abs=1e-12)
    assert (tree.sizes.train < len(Y) * 0.75).all()  # different rows, not the rows drawn
    forms = found.to_dict()
    assert "bootstrap" in forms["models"][0]
    distinct = [len(np.unique(train)) for train, _ in found.folds]
    assert [fold["n_train_distinct"] for fold in forms["folds"]] == distinct == tree.sizes.train.tolist()
    # Pairs in which rows repeat are no bootstrap, and the rows count once all the same.
    cut = [(np.r_[0:100, 0:50], np.arange(100, 200))]
    pairs = tm.validate(GaussianNB(), X, Y, cv=cut).models["GaussianNB"]
    assert pairs.bootstrap is bayes().models["GaussianNB"].bootstrap is None
    assert pairs.sizes.train.tolist() == [100.0]


def test_models_beside_change_nothing_and_fitted_models_are_not_kept():
    tree = DecisionTreeClassifier(max_features=1)  # its chance is left to the run
    options = {"cv": 3, "metrics": ["auc"], "random_state": 5}
    both = tm.validate({"tree": tree, "bayes": GaussianNB()}, X, Y, **options).models["tree"]
    alone = tm.validate({"tree": tree}, X, Y, **options)
    for name in ("accuracy", "auc"):
        assert both[name].values == alone[name].values
        assert both[name].training_values == alone[name].training_values
    assert not hasattr(both.fits[0], "model")
