"""TM024: leave-one-out with numbers that rank rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

import tallymark as tm

ROWS = 40
X = np.random.default_rng(8).normal(size=(ROWS, 2))
Y = (np.arange(ROWS) % 4 == 0).astype(int)
SHARES = DummyClassifier(strategy="prior")


def found_in(result: Any) -> tm.Finding | None:
    found = [finding for finding in result.findings if finding.code == "TM024"]
    assert len(found) <= 1
    return found[0] if found else None


def validated(cv: Any, model: Any = SHARES, y: Any = Y, **options: Any) -> tm.Validation:
    return tm.validate(model, X, y, cv=cv, **{"metric": "auc", **options})


def test_a_model_that_knows_nothing_is_put_below_chance() -> None:
    result = validated("loo")
    # Without a positive the share of positives is 9/39, without a negative 10/39: every pair is wrong.
    assert result["auc"].pooled.value == 0.0
    found = found_in(result)
    assert found is not None
    assert found.message == (
        "auc ranks rows against each other, but each of 40 folds tests one row, so it is undefined there. "
        "Pooled (0.000), the scores of 40 different models are ranked, each of which learned less of the "
        "class that it is tested on: a model that knows nothing but the shares of the classes gets an auc "
        "near 0, not 0.5. Take folds of several rows: --method kfold:10x10 (cv='kfold:10x10')."
    )
    assert found.numbers == {
        "folds": 40,
        "folds_of_one_class": 40,
        "pooled": {"auc": {"DummyClassifier": 0.0}},
    }
    again = validated("kfold:10x10")
    assert found_in(again) is None
    assert again["auc"].mean.value == 0.5


def test_it_is_said_in_one_place() -> None:
    notes = validated("loo").notes
    assert not any("undefined in all" in note or "on one scale" in note for note in notes)
    assert any("on one scale" in note for note in validated(5).notes)


def test_pooled_values_are_of_every_model_and_number() -> None:
    models = {"shares": SHARES, "bayes": GaussianNB()}
    result = validated("loo", models, metrics=["average_precision", "accuracy"])
    found = found_in(result)
    assert found is not None
    scores = [
        GaussianNB().fit(np.delete(X, i, 0), np.delete(Y, i)).predict_proba(X[[i]])[0, 1] for i in range(ROWS)
    ]
    assert found.numbers["pooled"]["auc"]["bayes"] == pytest.approx(roc_auc_score(Y, scores))
    assert set(found.numbers["pooled"]) == {"auc", "average_precision"}
    assert found.message.startswith("auc and average_precision rank rows against each other")
    assert "Pooled (auc 'shares' 0.000, 'bayes' " in found.message


def test_groups_of_one_class_each_are_the_same_trap() -> None:
    groups = np.arange(ROWS) // 4
    y = (groups % 3 == 0).astype(int)  # four of ten groups
    found = found_in(validated("group", y=y, groups=groups))
    assert found is not None
    assert found.numbers["pooled"]["auc"]["DummyClassifier"] == 0.0
    assert "each of 10 folds tests rows of one class" in found.message
    assert found.message.endswith("Take folds of several groups: --method kfold:4 (cv=4).")
    assert found_in(validated(4, y=y, groups=groups)) is None


def test_some_folds_of_one_class_are_enough_when_they_are_most() -> None:
    rows = np.arange(ROWS)
    y = (rows < 10).astype(int)
    tests = np.split(rows, 10)  # the third has both classes, all others one
    found = found_in(validated([(np.setdiff1d(rows, test), test) for test in tests], y=y))
    assert found is not None
    assert "but 9 of 10 folds test rows of one class" in found.message
    half = [np.r_[0:5, 10:20], np.r_[5:10, 20:30], np.r_[30:40]]
    assert found_in(validated([(np.setdiff1d(rows, test), test) for test in half], y=y)) is None


@pytest.mark.parametrize("options", [{"metric": "accuracy"}, {"metric": "brier"}], ids=["accuracy", "brier"])
def test_numbers_that_rank_nothing_are_fine(options: dict[str, Any]) -> None:
    assert found_in(validated("loo", GaussianNB(), **options)) is None


def test_the_first_places_rank_classes_not_rows() -> None:
    y = np.arange(ROWS) % 3
    result = validated("loo", GaussianNB(), y=y, metric="top_k_accuracy:2")
    assert found_in(result) is None
    assert not any("on one scale" in note for note in result.notes)
    assert found_in(validated("loo", GaussianNB(), y=y, metric="auc_ovr_macro")) is not None


def test_a_tuned_model_is_told_how_to_cut_the_outer_folds() -> None:
    found = found_in(
        tm.tune(GaussianNB(), X, Y, {"var_smoothing": [1e-9]}, cv="loo", inner_cv=2, metric="auc")
    )
    assert found is not None
    assert found.message.endswith("Take folds of several rows: --method nested:10x5 (cv=10).")
