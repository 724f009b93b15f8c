"""Numbers of fits: the same as scikit-learn's, and as those of `evaluate`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as theirs
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import TallymarkError
from tallymark.metrics import ask
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.fits.asking import answerable
from tallymark.validation.fits.fitting import Fit, Task, fit
from tallymark.validation.fits.scoring import Scorer, evaluated

X, IRIS = load_iris(return_X_y=True)
X = X[:, 1:2]  # the feature that tells least, so that there are errors of all kinds
NAMES = np.array(["setosa", "versicolor", "virginica"])
TRAIN, TEST = np.arange(0, 150, 2), np.arange(1, 150, 2)
THREE = data_set(X, NAMES[IRIS])
TWO = data_set(X[50:], NAMES[IRIS[50:]], pos_label="versicolor")
TURNED = data_set(X[50:], NAMES[IRIS[50:]], pos_label="versicolor", labels=["virginica", "versicolor"])


def fitted(data: DataSet, model: Any = None) -> tuple[Any, Fit]:
    rows = np.arange(data.rows)
    found = fit(Task(model or GaussianNB(), data, rows[::2], rows[1::2], (0,)))
    assert found.failure is None
    return rows[1::2], found


def value(data: DataSet, name: str, model: Any = None, **options: Any) -> float | None:
    return Scorer(data, ask(name), **options).of(*fitted(data, model)).value


def both(data: DataSet, model: Any = None) -> tuple[Any, Any]:
    rows, found = fitted(data, model)
    labels = np.array(data.labels)
    return labels[data.actual[rows]], labels[found.answers]


# --- against scikit-learn --------------------------------------------------------------------------

OF_TWO = {
    "accuracy": theirs.accuracy_score,
    "error_rate": theirs.zero_one_loss,
    "balanced_accuracy": theirs.balanced_accuracy_score,
    "precision": lambda y, p: theirs.precision_score(y, p, pos_label="versicolor"),
    "recall": lambda y, p: theirs.recall_score(y, p, pos_label="versicolor"),
    "f1": lambda y, p: theirs.f1_score(y, p, pos_label="versicolor"),
    "f_beta:2": lambda y, p: theirs.fbeta_score(y, p, beta=2, pos_label="versicolor"),
    "specificity": lambda y, p: theirs.recall_score(y, p, pos_label="virginica"),
    "mcc": theirs.matthews_corrcoef,
    "kappa": theirs.cohen_kappa_score,
    "f1_macro": lambda y, p: theirs.f1_score(y, p, average="macro"),
    "precision_weighted": lambda y, p: theirs.precision_score(y, p, average="weighted"),
}


@pytest.mark.parametrize("name", OF_TWO)
@pytest.mark.parametrize("data", [TWO, TURNED], ids=["in order", "turned round"])
def test_numbers_of_two_classes(name: str, data: DataSet) -> None:
    assert value(data, name) == pytest.approx(OF_TWO[name](*both(data)))


OF_THREE = {
    "accuracy": theirs.accuracy_score,
    "mcc": theirs.matthews_corrcoef,
    "kappa": theirs.cohen_kappa_score,
    "balanced_accuracy": theirs.balanced_accuracy_score,
    "recall_macro": lambda y, p: theirs.recall_score(y, p, average="macro"),
    "f1_micro": lambda y, p: theirs.f1_score(y, p, average="micro"),
    "f1_weighted": lambda y, p: theirs.f1_score(y, p, average="weighted"),
}


@pytest.mark.parametrize("name", OF_THREE)
def test_numbers_of_three_classes(name: str) -> None:
    assert value(THREE, name) == pytest.approx(OF_THREE[name](*both(THREE)))


SCORED = {
    "auc": lambda y, p: theirs.roc_auc_score(y == "versicolor", p),
    "average_precision": lambda y, p: theirs.average_precision_score(y == "versicolor", p),
    "log_loss": lambda y, p: theirs.log_loss(y == "versicolor", p),
    "brier": lambda y, p: theirs.brier_score_loss(y == "versicolor", p),
}


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("data", [TWO, TURNED], ids=["in order", "turned round"])
def test_numbers_from_the_probabilities_of_two_classes(name: str, data: DataSet) -> None:
    rows, found = fitted(data)
    assert found.scores is not None
    assert data.position is not None
    actual = np.array(data.labels)[data.actual[rows]]
    assert value(data, name) == pytest.approx(SCORED[name](actual, found.scores[:, data.position]))
    assert Scorer(data, ask(name)).from_scores


@pytest.mark.parametrize("positive", ["versicolor", "virginica"])
def test_auc_from_a_decision_function(positive: str) -> None:
    data = data_set(X[50:], NAMES[IRIS[50:]], pos_label=positive)
    rows = np.arange(100)
    model = RidgeClassifier().fit(X[50:][::2], NAMES[IRIS[50:]][::2])
    scores = model.decision_function(X[50:][1::2]) * (1 if positive == "virginica" else -1)
    expected = theirs.roc_auc_score(data.y[rows[1::2]] == positive, scores)
    assert expected > 0.5
    assert value(data, "auc", RidgeClassifier()) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("auc_ovr_macro", {"multi_class": "ovr", "average": "macro"}, id="ovr macro"),
        pytest.param("auc_ovr_weighted", {"multi_class": "ovr", "average": "weighted"}, id="ovr weighted"),
        pytest.param("auc_ovo_macro", {"multi_class": "ovo", "average": "macro"}, id="ovo macro"),
    ],
)
def test_auc_of_three_classes(name: str, options: dict[str, str]) -> None:
    rows, found = fitted(THREE)
    assert value(THREE, name) == pytest.approx(
        theirs.roc_auc_score(THREE.actual[rows], found.scores, **options)
    )


def test_log_loss_of_three_classes() -> None:
    rows, found = fitted(THREE)
    assert value(THREE, "log_loss") == pytest.approx(theirs.log_loss(THREE.actual[rows], found.scores))


# --- against `evaluate`, and counts -------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [*OF_TWO, *SCORED, "ks", "ece", "lr_plus", "prevalence", "no_information_rate"]
)
@pytest.mark.parametrize(
    "data", [TWO, TURNED, data_set(X[50:], IRIS[50:] == 1)], ids=["text", "turned", "bool"]
)
def test_equals_the_evaluation_of_the_same_rows(name: str, data: DataSet) -> None:
    rows, found = fitted(data)
    assert data.position is not None
    assert found.scores is not None
    expected = tm.evaluate(
        data.y[rows],
        data.classes[found.answers],
        y_score=found.scores[:, data.position],
        labels=data.labels,
        pos_label=data.positive,
    )
    of_rows = evaluated(data, rows, found.answers, found.scores)
    for estimate in (Scorer(data, ask(name)).of(rows, found), of_rows.estimate(ask(name))):
        assert estimate.value == pytest.approx(expected[name].value)


def test_from_counts() -> None:
    rows, found = fitted(THREE)
    confusion = theirs.confusion_matrix(THREE.actual[rows], found.answers)
    scorer = Scorer(THREE, ask("accuracy"))
    assert scorer.of_counts(confusion).value == pytest.approx(np.trace(confusion) / confusion.sum())
    assert (
        Scorer(THREE, ask("auc_ovr_macro")).of_counts(confusion).why == "scores of these rows were not kept"
    )


def test_training_counts_are_scored_the_same_way() -> None:
    _, found = fitted(THREE, DecisionTreeClassifier(max_depth=1, random_state=0))
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[TRAIN], IRIS[TRAIN])
    assert found.training is not None
    expected = theirs.f1_score(IRIS[TRAIN], tree.predict(X[TRAIN]), average="macro", zero_division=0)
    assert Scorer(THREE, ask("f1_macro")).of_counts(found.training).value == pytest.approx(expected)


COSTS = {"versicolor": {"virginica": 5}, "virginica": {"versicolor": 1}}


@pytest.mark.parametrize("data", [TWO, TURNED], ids=["in order", "turned round"])
@pytest.mark.parametrize("as_matrix", [False, True], ids=["names", "matrix"])
def test_costs_by_name_or_in_the_order_of_the_labels(data: DataSet, as_matrix: bool) -> None:
    matrix = [[COSTS.get(a, {}).get(b, 0) for b in data.labels] for a in data.labels]
    actual, answers = both(data)
    paid = 5 * ((actual == "versicolor") & (answers != actual)) + (
        (actual == "virginica") & (answers != actual)
    )
    costs: Any = matrix if as_matrix else COSTS
    assert value(data, "mean_cost", costs=costs) == pytest.approx(paid.mean())
    assert value(data, "total_cost", costs=costs) == pytest.approx(paid.sum())
    rows, found = fitted(data)
    of_rows = evaluated(data, rows, found.answers, found.scores, costs=costs)
    assert of_rows["mean_cost"].value == pytest.approx(paid.mean())


# --- what is undefined ---------------------------------------------------------------------------


def test_a_failed_fit_has_no_number() -> None:
    estimate = Scorer(TWO, ask("accuracy")).of(TEST[:3], Fit(np.empty(0, int), failure="ValueError: no"))
    assert (estimate.value, estimate.why) == (None, "the fit failed: ValueError: no")


def test_rows_of_one_class_leave_some_numbers_undefined() -> None:
    rows = np.flatnonzero(TWO.actual == TWO.position)[:5]
    found = Fit(TWO.actual[rows], np.full((5, 2), 0.5))
    assert Scorer(TWO, ask("accuracy")).of(rows, found).value == 1
    for name in ("specificity", "auc", "kappa"):
        estimate = Scorer(TWO, ask(name)).of(rows, found)
        assert estimate.value is None
        assert estimate.why


def test_numbers_from_scores_need_scores() -> None:
    rows, found = fitted(TWO)
    estimate = Scorer(TWO, ask("auc")).of(rows, Fit(found.answers))
    assert estimate.value is None
    assert "score" in str(estimate.why)


@pytest.mark.parametrize(
    "name",
    ["balanced_accuracy", "recall_macro", "f1_macro", "precision_macro", "auc_ovr_macro", "auc_ovo_macro"],
)
def test_a_mean_of_classes_needs_rows_of_all(name: str) -> None:
    rows = np.flatnonzero(THREE.actual != 1)[::2]
    found = Fit(THREE.actual[rows], np.eye(3)[THREE.actual[rows]])
    scorer = Scorer(THREE, ask(name))
    estimate = scorer.of(rows, found)
    assert (estimate.value, estimate.why) == (None, "class 'versicolor' has no rows here")
    one = np.flatnonzero(THREE.actual == 0)[:3]
    assert scorer.of(one, Fit(THREE.actual[one], np.eye(3)[THREE.actual[one]])).why == (
        "classes ['versicolor', 'virginica'] have no rows here"
    )
    whole = np.arange(0, 150, 10)
    assert scorer.of(whole, Fit(THREE.actual[whole], np.eye(3)[THREE.actual[whole]])).value == 1


def test_a_mean_of_rows_does_not() -> None:
    rows = np.flatnonzero(THREE.actual != 1)[::2]
    found = Fit(THREE.actual[rows], np.eye(3)[THREE.actual[rows]])
    for name in ("accuracy", "f1_weighted", "recall_micro", "mcc"):
        assert Scorer(THREE, ask(name)).of(rows, found).value == 1


def test_a_class_that_was_only_named_is_not_missed() -> None:
    data = data_set(X[50:], NAMES[IRIS[50:]], labels=[*NAMES])
    rows = np.arange(0, 100, 5)
    assert Scorer(data, ask("balanced_accuracy")).of(rows, Fit(data.actual[rows])).value == 1


def test_numbers_of_the_rows_learned() -> None:
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    learned = tree.fit(X[50:][::2], IRIS[50:][::2])
    by_answers, by_scores = (Scorer(TWO, ask(name)) for name in ("accuracy", "auc"))
    assert by_answers.of_training is None
    rows = np.arange(100)
    task = Task(tree, TWO, rows[::2], rows[1::2], (0,), of_training=by_scores.of_training)
    found = fit(task)
    assert by_answers.training_value(found) == pytest.approx(learned.score(X[50:][::2], IRIS[50:][::2]))
    versicolor = list(learned.classes_).index(1)
    expected = theirs.roc_auc_score(IRIS[50:][::2] == 1, learned.predict_proba(X[50:][::2])[:, versicolor])
    assert by_scores.training_value(found) == pytest.approx(expected)
    assert by_scores.training_value(replace(found, of_training={})) is None
    assert by_answers.training_value(replace(found, training=None)) is None


def test_a_question_is_answered_by_a_row_of_each_class(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    of = Scorer.of

    def seen(self: Scorer, rows: Any, found: Fit) -> Any:
        asked.append(len(rows))
        return of(self, rows, found)

    monkeypatch.setattr(Scorer, "of", seen)
    answerable(THREE, [ask("accuracy"), ask("auc_ovr_macro"), ask("f1_macro")])
    assert asked == [3, 3, 3]
    with pytest.raises(TallymarkError, match="is about one class"):
        answerable(THREE, [ask("recall")])


def test_a_positive_class_nobody_named() -> None:
    data = data_set(X[50:], NAMES[IRIS[50:]])
    estimate = Scorer(data, ask("recall")).of(*fitted(data))
    assert estimate.value is None
    assert "positive class" in str(estimate.why)
    actual, answers = both(data)
    for name in ("accuracy", "mcc", "kappa", "balanced_accuracy"):
        assert value(data, name) == pytest.approx(OF_TWO[name](actual, answers))


def test_an_answer_in_a_class_that_no_test_row_has() -> None:
    rows = np.flatnonzero(THREE.actual == 0)[:4]
    found = Fit(np.array([0, 0, 1, 2]))
    assert Scorer(THREE, ask("accuracy")).of(rows, found).value == 0.5
    assert evaluated(THREE, rows, found.answers, None).labels == THREE.labels


def test_groups_reach_the_evaluation() -> None:
    rows = np.arange(100)
    groups = rows // 5
    wrong = np.isin(groups, [0, 3, 7, 11, 12, 18])
    answers = np.where(wrong, 1 - TWO.actual, TWO.actual)
    options: dict[str, Any] = {"confidence_level": 0.9}
    plain = evaluated(TWO, rows, answers, None, **options)["accuracy"]
    grouped = evaluated(TWO, rows, answers, None, groups=groups, **options)["accuracy"]
    assert plain.value == grouped.value == pytest.approx(0.7)
    # Rows of a group are right or wrong together: there are 20 observations, not 100.
    for estimate, independent, tolerance in ((plain, 100, 0.05), (grouped, 20, 0.2)):
        width = 2 * stats.norm.ppf(0.95) * math.sqrt(0.7 * 0.3 / independent)
        assert estimate.high - estimate.low == pytest.approx(width, rel=tolerance)  # type: ignore[operator]


def test_costs_that_do_not_fit() -> None:
    with pytest.raises(TallymarkError, match="'setosa'"):
        value(TWO, "mean_cost", costs={"setosa": {"virginica": 1}})
