"""`tm.scorer` and `tm.displays` beside scikit-learn's own, and beside costs counted in a plain loop."""

import math
import pickle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn
from matplotlib.colors import to_hex
from sklearn import metrics as peers
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import tallymark as tm
from scored import classes, refusals

FOLDS = StratifiedKFold(4)
ON_TWO = {
    "accuracy": "accuracy", "auc": "roc_auc", "average_precision": "average_precision",
    "log_loss": "neg_log_loss", "brier": "neg_brier_score", "f1": "f1", "f1_macro": "f1_macro",
    "balanced_accuracy": "balanced_accuracy", "mcc": "matthews_corrcoef",
}  # fmt: skip
ON_THREE = {
    "accuracy": "accuracy", "auc_ovr_macro": "roc_auc_ovr", "auc_ovo_macro": "roc_auc_ovo",
    "log_loss": "neg_log_loss", "f1_macro": "f1_macro", "f1_weighted": "f1_weighted",
}  # fmt: skip
TWO = make_classification(160, 4, weights=[0.7], flip_y=0.1, random_state=4)
IRIS = load_iris(return_X_y=True)
THREE = IRIS[0][:, :2], np.array(["setosa", "versicolor", "virginica"])[IRIS[1]]
CURVES = IRIS[0][50:, :2], IRIS[1][50:] - 1


def test_scores_equal_those_of_sklearn() -> None:
    for X, y, pairs in (
        *((TWO[0], np.array(labels)[TWO[1]], ON_TWO) for labels in ([0, 1], [0.0, 1.0], [False, True])),
        (*THREE, ON_THREE),
    ):
        scoring = {f"their {name}": name for name in pairs.values()}
        ours = {f"our {name}": tm.scorer(name) for name in pairs}
        found = cross_validate(GaussianNB(), X, y, cv=FOLDS, scoring=scoring | ours)
        for mine, theirs in pairs.items():
            np.testing.assert_allclose(found[f"test_our {mine}"], found[f"test_their {theirs}"], atol=1e-12)
    # A decision function ranks as well.
    X, y = TWO
    model = RidgeClassifier().fit(X, y)
    wanted = peers.roc_auc_score(y, model.decision_function(X))
    for positive in (None, 0):
        assert tm.scorer("auc", pos_label=positive)(model, X, y) == pytest.approx(wanted, abs=1e-12)
    # Rows with several labels.
    sets = np.stack([y, X[:, 0] > 0, X[:, 1] > 0], axis=1).astype(int)
    neighbours = KNeighborsClassifier(30).fit(X, sets)
    wanted = peers.hamming_loss(sets, neighbours.predict(X))
    assert 0 < wanted == pytest.approx(-tm.scorer("hamming_loss")(neighbours, X, sets), abs=1e-12)
    # A threshold cuts the scores.
    bayes = GaussianNB().fit(X, y)
    called = bayes.predict_proba(X)[:, 1] >= 0.2
    assert tm.scorer("recall", threshold=0.2)(bayes, X, y) == (called & (y == 1)).sum() / (y == 1).sum()


def test_a_search_finds_what_is_cheapest_by_hand() -> None:
    X, words = TWO[0], np.where(TWO[1] == 1, "ill", "well")
    shares = [None, (0.6, 0.4), (0.95, 0.05)]
    by_hand = []
    for prior in shares:
        of_folds = []
        for train, test in FOLDS.split(X, words):
            model = GaussianNB(priors=prior).fit(X[train], words[train])
            pairs = zip(words[test], model.predict(X[test]), strict=True)
            paid = [{("ill", "well"): 20, ("well", "ill"): 1}.get(pair, 0) for pair in pairs]
            of_folds.append(sum(paid) / len(test))
        by_hand.append(sum(of_folds) / len(of_folds))
    scoring = {
        "cost": tm.scorer("mean_cost", costs={"ill": {"well": 20}, "well": {"ill": 1}}),
        "matrix": tm.scorer("mean_cost", costs=[[0, 20], [1, 0]], labels=["ill", "well"]),
        "accuracy": tm.scorer("accuracy"),
    }
    search = GridSearchCV(GaussianNB(), {"priors": shares}, scoring=scoring, refit="cost", cv=FOLDS)
    search = clone(search).fit(X, words)
    assert search.best_params_ == {"priors": shares[int(np.argmin(by_hand))]}
    for name in ("cost", "matrix"):
        np.testing.assert_allclose(search.cv_results_[f"mean_test_{name}"], -np.array(by_hand), atol=1e-12)
    # Costs decide: by accuracy another one would be taken.
    assert np.argmax(search.cv_results_["mean_test_accuracy"]) != np.argmin(by_hand)


def test_rows_that_lack_a_class_and_undefined_scores() -> None:
    X, y = THREE
    model = GaussianNB().fit(X, y)
    X, y = X[y != "virginica"], y[y != "virginica"]
    probabilities = model.predict_proba(X)
    places = [list(model.classes_).index(one) for one in y]
    loss = -np.mean([math.log(row[place]) for row, place in zip(probabilities, places, strict=True)])
    assert tm.scorer("accuracy")(model, X, y) == np.mean(model.predict(X) == y)
    assert tm.scorer("log_loss")(model, X, y) == pytest.approx(-loss, rel=1e-12)
    with pytest.warns(tm.UndefinedScoreWarning, match="virginica"):
        assert math.isnan(tm.scorer("f1_macro")(model, X, y))
    X, y = TWO
    with pytest.warns(tm.UndefinedScoreWarning, match="recall"):
        assert math.isnan(tm.scorer("recall")(GaussianNB().fit(X, y), X[y == 0], y[y == 0]))


def test_weights_by_hand_and_by_routing() -> None:
    X, y = TWO
    weight = np.where(y == 1, 3.0, 0.5)
    model = GaussianNB().fit(X, y)
    wanted = peers.accuracy_score(y, model.predict(X), sample_weight=weight)
    assert tm.scorer("accuracy")(model, X, y, sample_weight=weight) == pytest.approx(wanted, abs=1e-12)
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = {
            "ours": tm.scorer("accuracy").set_score_request(sample_weight=True),
            "theirs": peers.make_scorer(peers.accuracy_score).set_score_request(sample_weight=True),
            "plain": tm.scorer("accuracy").set_score_request(sample_weight=False),
        }
        unweighted = GaussianNB().set_fit_request(sample_weight=False)
        found = cross_validate(unweighted, X, y, cv=FOLDS, scoring=scoring, params={"sample_weight": weight})
    np.testing.assert_allclose(found["test_ours"], found["test_theirs"], atol=1e-12)
    assert not np.allclose(found["test_ours"], found["test_plain"])


def test_what_no_scorer_can_be_and_what_does_not_fit(snapshot: Any) -> None:
    made = tm.scorer("f_beta:2", pos_label="yes", threshold=0.3)
    assert repr(made) == "scorer('f_beta:2', pos_label='yes', threshold=0.3)"
    assert repr(pickle.loads(pickle.dumps(made))) == repr(made)
    bayes, ridge = GaussianNB().fit(*THREE), RidgeClassifier().fit(*THREE)
    calls = {
        "a typing error": lambda: tm.scorer("recal"),
        "no costs": lambda: tm.scorer("mean_cost"),
        "no direction": lambda: tm.scorer("prevalence"),
        "a tuned threshold": lambda: tm.scorer("recall", threshold="best:f1"),  # type: ignore[arg-type]
        "a threshold of nan": lambda: tm.scorer("recall", threshold=math.nan),
        "recall of three classes": lambda: tm.scorer("recall")(bayes, *THREE),
        "AUC of three classes": lambda: tm.scorer("auc")(bayes, *THREE),
        "no label": lambda: tm.scorer("auc", pos_label="rose")(bayes, *THREE),
        "costs of two": lambda: tm.scorer("mean_cost", costs=[[0, 1], [1, 0]])(bayes, *THREE),
        "label sets": lambda: tm.scorer("hamming_loss")(bayes, *THREE),
        "no probabilities": lambda: tm.scorer("log_loss")(ridge, *THREE),
        "no probabilities for AUC": lambda: tm.scorer("auc_ovr_macro")(ridge, *THREE),
    }
    refused = refusals(calls)
    kinds = {"Metric": 1, "Option": 4, "Label": 3, "Cost": 1}
    expected = [f"{kind}Error" for kind, times in kinds.items() for _ in range(times)]
    assert list(classes(refused).values()) == [*expected, "MetricError", "OptionError", "OptionError"]
    snapshot("errors_scorers", refused)


# --- displays ------------------------------------------------------------------------------------


def test_an_estimator_and_its_scores_give_one_picture() -> None:
    X, y = CURVES
    model = GaussianNB().fit(X, y)
    for name in [name for name in tm.displays.__all__ if name != "ConfusionMatrixDisplay"]:
        kind = getattr(tm.displays, name)
        figure, ax = plt.subplots(figsize=(12, 9))
        asked = kind.from_estimator(model, X, y, ax=ax)
        assert (asked.ax_, asked.figure_) == (ax, figure)
        again = kind.from_predictions(y, model.predict_proba(X)[:, 1], ax=ax, name="again")
        assert again.curve.to_dict() == asked.curve.to_dict()
        assert isinstance(again, kind)
        named = [text.get_text() for text in ax.get_legend().get_texts()]
        assert any(text.startswith("GaussianNB") for text in named)
        assert any(text.startswith("again") for text in named)
        assert not any(text.endswith("(2)") for text in named)
        plt.close("all")


def test_displays_have_the_numbers_of_sklearn() -> None:
    X, y = CURVES
    model = GaussianNB().fit(X, y)
    score, show = model.predict_proba(X)[:, 1], tm.displays
    for positive in (None, 0):
        roc = show.RocCurveDisplay.from_estimator(model, X, y, pos_label=positive)
        assert roc.curve.auc == pytest.approx(peers.roc_auc_score(y, score), abs=1e-12)
    weight = np.where(y == 1, 2.0, 1.0)
    pr = show.PrecisionRecallDisplay.from_estimator(model, X, y, sample_weight=weight)
    wanted = peers.average_precision_score(y, score, sample_weight=weight)
    assert pr.evaluation["average_precision"].value == pytest.approx(wanted, abs=1e-12)
    matrix = show.ConfusionMatrixDisplay.from_estimator(model, X, y)
    assert (np.array(matrix.curve.matrix) == peers.confusion_matrix(y, model.predict(X))).all()
    assert repr(matrix) == "ConfusionMatrixDisplay(Evaluation(binary, 100 rows, 2 labels, positive 1))"
    # What is drawn later looks different, and is drawn again under another name.
    first, other = show.GainsDisplay.from_estimator(model, X, y), RidgeClassifier().fit(X, y)
    show.GainsDisplay.from_estimator(other, X, y, ax=first.ax_)
    legend = first.ax_.get_legend()
    texts, lines = legend.get_texts(), legend.get_lines()
    looks = {text.get_text(): to_hex(line.get_color()) for text, line in zip(texts, lines, strict=True)}
    assert (looks["GaussianNB"], looks["RidgeClassifier"]) == ("#0072b2", "#d55e00")
    ax = first.ax_
    assert first.plot(name="mine") is first
    assert first.ax_ is not ax
    assert "mine" in [text.get_text() for text in first.ax_.get_legend().get_texts()]
    refused = refusals(
        {
            "over a matrix": lambda: show.ConfusionMatrixDisplay.from_estimator(model, X, y, ax=matrix.ax_),
            "no probabilities": lambda: show.CalibrationDisplay.from_estimator(other, X, y),
            "labels": lambda: show.RocCurveDisplay.from_predictions(np.where(y, "yes", "no"), score),
        }
    )
    assert list(classes(refused).values()) == ["OptionError", "OptionError", "LabelError"]
