"""Several models on one data set and on several: compared by folds, by rows, over data sets."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import agree
from scored import classes, refusals

X, Y = (part[:200] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
DATA = {"cancer": (X[:150], Y[:150]), "iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
MODELS = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}
CV = StratifiedKFold(4, shuffle=True, random_state=0)


@cache
def two(cv=5, **options):
    return tm.validate(MODELS, X, Y, cv=cv, **options)


@cache
def experiment():
    return tm.validate(MODELS, DATA, cv=CV)


def test_models_are_compared_on_the_same_folds():
    assert tm.compare(two(), per="fold").design == tm.compare(two()).design == "same folds"
    assert tm.compare(two("holdout:1/4"), per="fold").design == "same folds"
    compared = two().compare()
    assert compared.design == "same folds"
    tree, bayes = (two().models[name]["accuracy"].values for name in MODELS)
    expected = tm.tests.corrected_t(tree, bayes, n_train=160, n_test=40)
    assert compared["accuracy"].p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert tm.compare(two(), metric="f1").metric == "f1"
    assert two().compare("auc", margin=0.1).margins
    table = two(metrics=("f1",)).to_frame("polars").filter(pl.col("model") != "majority")
    by_table = tm.compare(table, per="fold", metric="f1")
    assert by_table["f1"].p_value == pytest.approx(two().compare("f1")["f1"].p_value, rel=1e-9)


def test_models_are_compared_on_the_same_rows():
    wrong = []
    for cv in (5, "kfold:3x2", "repeated:4"):
        compared, ranked = tm.compare(two(cv).evaluations), two(cv).compare("auc", per="rows")
        assert ranked.notes != two(cv).compare(per="rows").notes  # that ranks are of several models
        found = (compared.design, ranked.metric, ranked["auc"].paired)
        wrong += [cv] if found != ("same rows", "auc", True) else []
    assert not wrong
    # A holdout is compared row by row.
    found = two("holdout:1/4")
    (fold,) = found.folds.folds
    learned, tested = (X[fold.train], Y[fold.train]), (X[fold.test], Y[fold.test])
    right = [clone(model).fit(*learned).score(*tested) for model in MODELS.values()]
    compared = tm.compare(found)
    assert compared.design == "same rows"
    assert compared["accuracy"].estimate.value == pytest.approx(right[0] - right[1])
    assert found.compare().verdict == compared.verdict
    # A single model is compared with the baseline.
    found = tm.validate({"bayes": GaussianNB()}, X, Y, cv=5)
    assert (found.compare().winner, found.compare(per="rows").winner) == ("bayes", "bayes")


def test_every_data_set_is_a_validation_of_its_own_and_the_table_has_means_and_marks():
    assert list(experiment().data_sets) == ["cancer", "iris", "wine"]
    assert experiment().models == ("tree", "bayes")
    alone, beside = tm.validate(MODELS, *DATA["wine"], cv=CV), experiment()["wine"]
    assert (beside.data.name, beside.fingerprint) == ("wine", alone.fingerprint)
    for name in MODELS:
        assert beside.models[name]["accuracy"].values == alone.models[name]["accuracy"].values
    table, wine = experiment().experimenter(), experiment()["wine"]
    assert table.models == ("tree", "bayes", "majority")
    sets = experiment().data_sets.values()
    means = [[np.mean(model["accuracy"].values) for model in each.models.values()] for each in sets]
    assert table.means[:, :2] == pytest.approx(np.array(means), abs=1e-12)
    tree, bayes = (wine.models[name]["accuracy"].values for name in MODELS)
    sizes = {key: [getattr(fold, key) for fold in wine.folds.folds] for key in ("n_train", "n_test")}
    tested = tm.tests.corrected_t(bayes, tree, **sizes)
    assert table.outcomes[2][0].p_value == pytest.approx(tested.p_value, rel=1e-9)
    assert [marks[1] for marks in table.marks] == ["*", "*", "*"]  # always one class is worse
    assert experiment().experimenter(baseline="bayes").base == "bayes"


def test_one_model_on_several_data_sets_is_compared_with_the_baseline():
    found = tm.validate(GaussianNB(), {name: DATA[name] for name in ("iris", "wine")}, cv=CV)
    table = found.experimenter()
    assert (table.models, table.counts) == (("majority", "GaussianNB"), ((2, 0, 0),))
    bare = tm.validate(GaussianNB(), {"iris": DATA["iris"]}, cv=CV, baseline=False)
    assert bare.experimenter() is None
    assert "GaussianNB" in str(bare)
    with pytest.raises(tm.OptionError):
        found.compare()


def test_models_are_compared_over_data_sets():
    compared, table = experiment().compare(), experiment().to_frame("polars")
    assert compared.design == "many data sets"
    assert [model.name for model in compared.models] == ["tree", "bayes"]
    every = [each.models["tree"]["accuracy"].values for each in experiment().data_sets.values()]
    assert compared.models[0].values["accuracy"].value == pytest.approx(np.mean(np.mean(every, axis=1)))
    assert tm.compare(experiment()).verdict == compared.verdict
    assert compared.to_dict()["experimenter"]["baseline"] == "tree"
    assert experiment().compare(baseline="bayes").to_dict()["experimenter"]["baseline"] == "bayes"
    assert experiment().compare("error_rate").metric == "error_rate"
    assert (table.columns[:3], len(table)) == (["dataset", "model", "run"], 3 * 3 * 4)
    models = table.filter(pl.col("model") != "majority")
    assert tm.compare(models, per="dataset", metric="accuracy").verdict == compared.verdict
    # One data set is compared by its folds.
    compared = tm.validate(MODELS, {"wine": DATA["wine"]}, cv=CV).compare()
    assert compared.design == "same folds"
    same = experiment()["wine"].compare()["accuracy"]
    assert compared["accuracy"].p_value == pytest.approx(same.p_value, rel=1e-9)


def rare(cv, **positives):
    """Folds in order; of "rare" few rows are positive."""
    features, y = np.random.default_rng(0).normal(size=(60, 2)), np.zeros(60, int)
    y[:9] = np.arange(9) % 2 == 0
    y[[*positives.values()]] = 1
    return tm.validate(MODELS, {"rare": (features, y), "other": (features, 1 - y)}, cv=cv, metric="recall")


def test_undefined_folds_are_left_out_for_all_models(snapshot):
    ordered = [(np.setdiff1d(np.arange(60), part), part) for part in np.split(np.arange(60), 3)]
    found = rare(ordered, another=30)  # so that every training set has both classes
    assert found["rare"].models["tree"]["recall"].undefined == 1
    assert found.experimenter().folds == (2, 3)
    notes = {"one of three folds": found.notes, "one of three folds, compared": found.compare().notes}
    with pytest.raises(tm.InputError):
        tm.compare(found)
    # A data set without any defined fold is left out.
    found = rare([(np.arange(40), np.arange(40, 60)), (np.arange(40), np.arange(40, 50))])
    assert found.table_of_scores().data_sets == ("other",)
    assert str(found)
    assert found.to_json()
    notes["every fold of a data set"] = found.notes
    snapshot("validate_undefined_folds", {name: "\n".join(each) for name, each in notes.items()})


def test_failures_are_counted_over_data_sets():
    class Fussy(GaussianNB):
        def fit(self, X, y):
            if len(np.unique(y)) == 3 and X.shape[1] == 4:
                raise ValueError("four columns")
            return super().fit(X, y)

    found = tm.validate({"fussy": Fussy(), "bayes": GaussianNB()}, DATA, cv=3)
    assert found.failed == 3
    assert len([note for note in found.notes if "four columns" in note]) == 1
    assert len(found.compare().to_dict()["experimenter"]["rows"]) == 2
    one_fold = tm.validate(MODELS, {"iris": DATA["iris"]}, cv="holdout")
    assert one_fold.experimenter() is None
    assert one_fold.report().sections


def codes(found):
    return [each.code for each in found.findings]


def search(found):
    """The numbers of the finding about a search, TM025."""
    return next((each.numbers for each in found.findings if each.code == "TM025"), None)


CHOICE = np.random.default_rng(4).normal(size=(80, 3)) + 0.6 * (np.arange(80) % 2)[:, None]
HALF = np.arange(80) % 2
NEIGHBORS = {f"k={k}": KNeighborsClassifier(k) for k in (1, 3, 7, 15)}


def test_many_settings_of_one_learner_are_a_search():
    cut = StratifiedKFold(4, shuffle=True, random_state=0)
    for metric, scoring in (("accuracy", "accuracy"), ("brier", "neg_brier_score")):
        found = search(tm.validate(NEIGHBORS, CHOICE, HALF, cv=cut, metric=metric))
        options = {"cv": cut, "scoring": scoring}
        values = np.array([cross_val_score(each, CHOICE, HALF, **options) for each in NEIGHBORS.values()])
        best = values.mean(axis=1).argmax()
        # Tibshirani and Tibshirani (2009).
        assert found["too_good_by"] == pytest.approx((values.max(axis=0) - values[best]).mean())
        assert found["value"] == pytest.approx(abs(values[best].mean()))
        assert (found["metric"], found["best"]) == (metric, list(NEIGHBORS)[best])
    assert found["settings"] == [{"learner": "KNeighborsClassifier", "models": list(NEIGHBORS)}]
    y = np.arange(80) // 40
    known = np.c_[y, np.random.default_rng(0).normal(size=(80, 1))]
    depths = {f"depth {d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 3)}
    assert search(tm.validate(depths, known, y, cv=4))["too_good_by"] == 0.0
    for cv in ("loo", "holdout:1/4"):
        assert search(tm.validate(NEIGHBORS, CHOICE[:24], HALF[:24], cv=cv))["too_good_by"] is None


def test_what_is_a_search_and_what_is_none(tmp_path):
    scaled = {str(k): make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (1, 3, 7)}
    strategies = ("most_frequent", "stratified", "uniform", "prior")
    pipes = [(), (StandardScaler(),), (MinMaxScaler(),)]
    knn, two = KNeighborsClassifier(), {name: NEIGHBORS[name] for name in ("k=1", "k=3")}
    table = {
        "inside pipelines": (scaled, ["TM025"]),
        "two": (two, []),
        "other learners": ({"bayes": GaussianNB(), "tree": DecisionTreeClassifier(), **two}, []),
        "seeds": ({str(seed): RandomForestClassifier(2, random_state=seed) for seed in range(3)}, []),
        "baselines": ({how: DummyClassifier(strategy=how) for how in strategies}, []),
        "searches": ({k: GridSearchCV(knn, {"n_neighbors": [int(k), 9]}, cv=2) for k in "135"}, []),
        "other pipelines": (
            {str(k): make_pipeline(*s, KNeighborsClassifier(2 * k + 1)) for k, s in enumerate(pipes)},
            [],
        ),
    }
    found = {name: codes(tm.validate(each, CHOICE, HALF, cv=2)) for name, (each, _) in table.items()}
    agree({name: (found[name], expected) for name, (_, expected) in table.items()})
    # What `tune` chose on these very rows is known again, whatever its seed and its preparation.
    folder = tmp_path / "runs"
    tuned = tm.tune("tree", CHOICE, HALF, {"max_depth": [3, 5]}, cv=2, inner_cv=2, run_folder=folder)
    assert codes(tuned) == []
    depth = tuned.best_params["max_depth"]
    chosen = {
        "the model itself": tuned.best_model,
        "by hand": DecisionTreeClassifier(max_depth=depth),
        "seeded": DecisionTreeClassifier(max_depth=depth, random_state=7),
        "scaled": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=depth)),
    }
    others = {"other": DecisionTreeClassifier(max_depth=8 - depth), "plain": DecisionTreeClassifier()}

    def before(models, X=CHOICE, y=HALF, folder=folder):
        return (search(tm.validate(models, X, y, cv=3, run_folder=folder)) or {}).get("chosen_before", [])

    assert before(chosen | others) == before(chosen | others, pd.DataFrame(CHOICE)) == list(chosen)
    assert before(chosen, CHOICE[:, :2]) == before(chosen, y=1 - HALF) == before(others) == []
    assert before(chosen, folder=None) == []


def test_what_cannot_be_compared(snapshot):
    noise = np.random.default_rng(0).normal(size=(40, 3))
    alone = tm.validate({"bayes": GaussianNB()}, X, Y, cv=5, baseline=False)
    ranks = tm.validate(GaussianNB(), noise, np.tile([0, 1], 20), cv="loo", metric="auc")
    others = {"a": two().fold_scores()["tree"], "b": two(random_state=9).fold_scores()["bayes"]}
    calls = {
        "per data set": lambda: tm.compare(two(), per="dataset"),
        "per rows of lists": lambda: tm.compare({"a": [1, 0], "b": [1, 1]}, [1, 0], per="rows"),
        "per rows of several data sets": lambda: tm.compare(experiment(), per="rows"),
        "one model": alone.compare,
        "one model of several data sets": tm.validate("bayes", {"a": (X, Y), "b": (X, Y)}, cv=2).compare,
        "per columns": lambda: two().compare(per="columns"), "ranks of leave-one-out": ranks.compare,
        "other folds": lambda: tm.compare(others), "no such data set": lambda: experiment()["glass"],
    }  # fmt: skip
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(refused, "OptionError") | {"other folds": "InputError"}
    refused["other folds"] = re.sub(r"\b[0-9a-f]{16}-[0-9a-f]{8}\b", "FINGERPRINT", refused["other folds"])
    snapshot("validate_comparisons", refused)
