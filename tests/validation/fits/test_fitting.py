"""The one place where models are trained: what they see, what they say, and what may go wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, coo_matrix, csr_array, csr_matrix
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tallymark.errors import OptionError
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.fits.fitting import Fit, Task, checked_model, fit, run, seeded

X, IRIS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
TRAIN, TEST = np.arange(0, 150, 2), np.arange(1, 150, 2)
TWO = slice(50, 150)


def fitted(model: Any, data: DataSet | None = None, **options: Any) -> Fit:
    """One fit, on every second row unless said otherwise."""
    found = data_set(X, IRIS) if data is None else data
    rows = np.arange(found.rows)
    given: dict[str, Any] = {"train": rows[::2], "test": rows[1::2], "seed": (0, 1)} | options
    return fit(Task(model, found, **given))


def answered(model: Any, data: DataSet | None = None, **options: Any) -> Fit:
    """The same, which must not fail."""
    found = fitted(model, data, **options)
    assert found.failure is None, found.failure
    return found


class Plain:
    """A model that knows nothing of scikit-learn: the class whose mean is nearest."""

    def fit(self, X: Any, y: Any) -> None:
        self.labels = sorted(set(y))
        self.means = np.array([X[y == label].mean(axis=0) for label in self.labels])

    def predict(self, X: Any) -> Any:
        nearest = ((X[:, None, :] - self.means) ** 2).sum(axis=2).argmin(axis=1)
        return [self.labels[place] for place in nearest]


class Says:
    """A model that answers, and scores, what it was told to."""

    def __init__(self, answers: Any, **methods: Any) -> None:
        self.answers = answers
        for name, value in methods.items():
            setattr(self, name, value if name == "classes_" else lambda _, value=value: value)

    def fit(self, X: Any, y: Any) -> None:
        pass

    def predict(self, _: Any) -> Any:
        return self.answers


def two(y: Any = (0, 0, 1, 1), **options: Any) -> DataSet:
    """Four rows: the first and the third train."""
    return data_set(np.arange(4.0)[:, None], np.asarray(y), **options)


# --- what models say -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(GaussianNB(), id="bayes"),
        pytest.param(DecisionTreeClassifier(random_state=0), id="tree"),
        pytest.param(make_pipeline(StandardScaler(), LogisticRegression()), id="pipeline"),
    ],
)
def test_answers_and_probabilities_equal_scikit_learn_fold_by_fold(model: Any) -> None:
    data = data_set(X, NAMES[IRIS])
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    answers, scores = np.empty(150, int), np.empty((150, 3))
    for train, test in cv.split(X, IRIS):
        found = answered(model, data, train=train, test=test)
        assert found.scores is not None
        answers[test], scores[test] = found.answers, found.scores
        assert found.n_train == 120
    assert (NAMES[answers] == cross_val_predict(model, X, NAMES[IRIS], cv=cv)).all()
    assert np.array_equal(scores, cross_val_predict(model, X, NAMES[IRIS], cv=cv, method="predict_proba"))


def test_training_rows_are_counted() -> None:
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    found = answered(tree)
    answers = tree.fit(X[TRAIN], IRIS[TRAIN]).predict(X[TRAIN])
    assert found.training is not None
    assert found.training.tolist() == [
        [int(((IRIS[TRAIN] == actual) & (answers == said)).sum()) for said in range(3)] for actual in range(3)
    ]
    assert answered(tree, ask_training=False).training is None


def test_a_model_that_knows_nothing_of_scikit_learn() -> None:
    model = Plain()
    found = answered(model)
    assert (found.answers == IRIS[TEST]).mean() > 0.9
    assert (found.scores, found.note) == (None, None)
    assert not hasattr(model, "means")  # a copy was fitted


LABELS = {
    "text": NAMES[IRIS],
    "objects": NAMES[IRIS].astype(object),
    "lists of text": NAMES[IRIS].tolist(),
    "numbers": IRIS,
    "other numbers": IRIS * 7 - 3,
    "floats": IRIS.astype(float),
    "text of numbers": IRIS.astype(str),
    "categories": pd.Series(pd.Categorical(NAMES[IRIS], categories=NAMES[::-1])),
    "pandas text": pd.Series(NAMES[IRIS]),
    "polars text": pl.Series(NAMES[IRIS].tolist()),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize(
    "model", [pytest.param(GaussianNB(), id="sklearn"), pytest.param(Plain(), id="plain")]
)
def test_labels_of_any_type_are_one(kind: str, model: Any) -> None:
    expected = answered(model)
    found = answered(model, data_set(X, LABELS[kind]))
    assert found.answers.tolist() == expected.answers.tolist()
    assert (
        np.array_equal(found.scores, expected.scores) if expected.scores is not None else found.scores is None
    )


def test_booleans_are_labels() -> None:
    found = answered(GaussianNB(), data_set(X, IRIS > 0))
    assert (
        found.answers.tolist() == answered(GaussianNB(), data_set(X, (IRIS > 0).astype(int))).answers.tolist()
    )


FRAME = pd.DataFrame(X, columns=list("abcd"))
FEATURES = {
    "pandas": FRAME,
    "pandas with an index": FRAME.set_index(np.arange(150)[::-1] + 9),
    "polars": pl.DataFrame(X, schema=list("abcd")),
    "pyarrow": pa.table({name: FRAME[name].to_numpy() for name in "abcd"}),
    "csr array": csr_array(X),
    "csr matrix": csr_matrix(X),
    "coo array": coo_array(X),
    "coo matrix": coo_matrix(X),
    "list": X.tolist(),
}


@pytest.mark.parametrize("kind", FEATURES)
def test_features_of_any_kind_are_one(kind: str) -> None:
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = answered(tree, data_set(FEATURES[kind], IRIS))
    assert found.warnings == ()
    assert np.array_equal(found.scores, answered(tree).scores)  # type: ignore[arg-type]


# --- classes that are missing --------------------------------------------------------------------


@pytest.mark.parametrize("labels", [None, ["virginica", "setosa", "versicolor", "unheard of"]])
def test_a_class_that_the_training_rows_lack(labels: list[str] | None) -> None:
    data = data_set(X, NAMES[IRIS], labels=labels)
    train = np.flatnonzero(IRIS != 1)
    found = answered(GaussianNB(), data, train=train, test=TEST)
    assert found.scores is not None
    place = {label: at for at, label in enumerate(data.labels)}
    theirs = GaussianNB().fit(X[train], NAMES[IRIS[train]]).predict_proba(X[TEST])
    assert np.array_equal(found.scores[:, [place["setosa"], place["virginica"]]], theirs)
    never = [place[label] for label in data.labels if label not in ("setosa", "virginica")]
    assert (found.scores[:, never] == 0).all()
    assert not np.isin(found.answers, never).any()


def test_a_model_without_classes_is_taken_to_have_those_it_learned() -> None:
    class Even(Plain):
        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), len(self.labels)), 1 / len(self.labels))

    found = answered(Even(), data_set(X, NAMES[IRIS]), train=np.flatnonzero(IRIS != 1), test=TEST)
    assert found.scores is not None
    assert (found.scores == [0.5, 0, 0.5]).all()


# --- scores ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [LinearSVC(random_state=0), RidgeClassifier()], ids=["svc", "ridge"])
@pytest.mark.parametrize("positive", ["versicolor", "virginica"])
@pytest.mark.parametrize("labels", [None, ["virginica", "versicolor"]], ids=["in order", "turned round"])
def test_decision_function_rises_with_the_positive_class(model: Any, positive: str, labels: Any) -> None:
    data = data_set(X[TWO], NAMES[IRIS[TWO]], pos_label=positive, labels=labels)
    found = answered(model, data)
    assert found.scores is not None
    assert found.scores.shape == (50,)
    assert ((found.scores > 0) == (found.answers == data.position)).all()
    assert 0 < (found.scores > 0).mean() < 1


def test_decision_function_when_it_cannot_be_used() -> None:
    assert answered(LinearSVC(random_state=0)).note == (
        "decision_function gives no probabilities, which more than two classes need"
    )
    unnamed = answered(LinearSVC(random_state=0), data_set(X[TWO], NAMES[IRIS[TWO]]))
    assert (unnamed.scores, unnamed.note) == (
        None,
        "decision_function is the score of one class: name the positive class to use it",
    )
    for scores in ([[1.0], [2.0]], [np.nan, 1.0], [1.0]):
        found = answered(Says([0, 1], decision_function=np.array(scores)), two())
        assert (found.scores, found.note) == (
            None,
            "decision_function gives no number per row, so there are no scores",
        )


@pytest.mark.parametrize(
    ("given", "note"),
    [
        pytest.param([[0.2, 0.8]] * 2, None, id="probabilities"),
        pytest.param([[0.2, 0.795]] * 2, None, id="rounded"),
        pytest.param([[-1e-17, 1]] * 2, None, id="a breath below 0"),
        pytest.param([[0.2, 0.3]] * 2, "add up to 1", id="no sum"),
        pytest.param([[np.nan, 1]] * 2, "add up to 1", id="nan"),
        pytest.param([[-0.5, 1.5]] * 2, "add up to 1", id="below 0"),
        pytest.param([0.2, 0.8], "column per class", id="one column"),
        pytest.param([[0.2, 0.3, 0.5]] * 2, "column per class", id="too many columns"),
        pytest.param([[0.2, 0.8]] * 3, "no row per row", id="too many rows"),
        pytest.param([[[0.2, 0.8]]] * 2, "column per class", id="too deep"),
    ],
)
def test_probabilities_that_are_none(given: Any, note: str | None) -> None:
    found = answered(Says([0, 1], predict_proba=given), two())
    if note is None:
        assert found.scores is not None
        assert found.scores.min() >= 0
        assert found.note is None
    else:
        assert found.scores is None
        assert note in str(found.note)


def test_probabilities_stand_under_the_classes_of_the_model() -> None:
    model = Says(["a", "b"], predict_proba=[[0.9, 0.1], [0.2, 0.8]], classes_=["b", "a"])
    found = answered(model, two(["a", "a", "b", "b"]))
    assert found.scores is not None
    assert found.scores.tolist() == [[0.1, 0.9], [0.8, 0.2]]


# --- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        pytest.param(
            [0.4, 1.2], "the model answered 0.4, which is no class; a model must answer", id="numbers"
        ),
        pytest.param(["0", "x"], "the model answered '0', which is no class", id="text"),
        pytest.param([None, 1], "the model answered None", id="none"),
        pytest.param([0, np.nan], "the model answered nan", id="nan"),
        pytest.param([0, 2], "the model answered 2", id="an unknown class"),
        pytest.param([[0, 1], [1, 0]], "the model answered with 2 dimensions", id="a table"),
        pytest.param([0], "the model gave 1 answers to 2 rows", id="too few"),
        pytest.param([0, 1, 1], "the model gave 3 answers to 2 rows", id="too many"),
    ],
)
def test_answers_that_are_no_labels(answers: Any, message: str) -> None:
    found = fitted(Says(answers), two())
    assert found.failure is not None
    assert message in found.failure
    assert len(found.answers) == 0


@pytest.mark.parametrize("answers", [[[0], [1]], [0.0, 1.0], [False, True], np.array([0, 1], object)])
def test_answers_in_other_forms(answers: Any) -> None:
    assert answered(Says(answers), two(), ask_training=False).answers.tolist() == [0, 1]


def test_a_regression_is_said_not_to_be_a_classifier() -> None:
    found = fitted(LinearRegression())
    assert "a model must answer with one of the classes" in str(found.failure)


class Breaks:
    """A model that breaks on some rows."""

    def __init__(self, message: str = "no luck\nand more", when: str = "fit") -> None:
        self.message, self.when = message, when

    def fit(self, X: Any, _: Any) -> None:
        if self.when == "fit" and 0 in np.asarray(X):
            warnings.warn("about to break", UserWarning, stacklevel=1)
            raise ZeroDivisionError(self.message)

    def predict(self, X: Any) -> Any:
        if self.when == "predict":
            raise KeyError(self.message)
        return np.zeros(len(X), int)


def test_a_failure_is_a_result() -> None:
    found = fitted(Breaks(), two())
    assert found.failure == "ZeroDivisionError: no luck"
    assert found.warnings == ("UserWarning: about to break",)
    assert (len(found.answers), found.scores, found.training, found.n_train) == (0, None, None, 2)
    assert fitted(Breaks(""), two()).failure == "ZeroDivisionError: without a message"
    assert str(fitted(Breaks(when="predict"), two()).failure).startswith("KeyError: ")


def test_the_other_fits_go_on() -> None:
    data = two()
    rows = np.arange(4)
    tasks = [Task(Breaks(), data, np.delete(rows, row), rows[[row]], (0, row)) for row in range(4)]
    found = list(run(tasks, n_jobs=1, what=""))
    assert [each.failure is None for each in found] == [True, False, False, False]


class Warns(Plain):
    def fit(self, X: Any, y: Any) -> None:
        for _ in range(3):
            warnings.warn("it did not converge\nat all", RuntimeWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        super().fit(X, y)


def test_warnings_are_kept_once_and_not_shown() -> None:
    found = answered(Warns())  # warnings are errors in these tests, so a shown one would fail
    assert found.warnings == ("RuntimeWarning: it did not converge", "DeprecationWarning: old")
    found = answered(LogisticRegression(max_iter=1))
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("ConvergenceWarning: ")


# --- what they learn ------------------------------------------------------------------------------


def test_parameters_are_set_on_a_copy() -> None:
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    copy = seeded(pipeline, np.random.default_rng(0), {"decisiontreeclassifier__max_depth": 2})
    assert copy[-1].max_depth == 2
    assert pipeline[-1].max_depth is None
    shallow = answered(DecisionTreeClassifier(), parameters={"max_depth": 1})
    assert len(np.unique(shallow.scores)) < 5  # type: ignore[arg-type]
    assert fitted(DecisionTreeClassifier(), parameters={"depth": 1}).failure is not None


def test_classes_to_learn_instead_of_the_true_ones() -> None:
    data = data_set(X, NAMES[IRIS])
    permuted = np.random.default_rng(0).permutation(data.y[TRAIN])
    found = answered(GaussianNB(), data, labels=permuted)
    assert found.training is None
    assert (NAMES[found.answers] == GaussianNB().fit(X[TRAIN], permuted).predict(X[TEST])).all()


# --- before anything is fitted -------------------------------------------------------------------


def test_models_are_checked() -> None:
    assert isinstance(checked_model("m", Plain()), Plain)
    with pytest.raises(OptionError, match="model 'm' has no method fit; got str"):
        checked_model("m", "tree")
    with pytest.raises(OptionError, match="model 'm' has no method predict; got StandardScaler"):
        checked_model("m", StandardScaler())
    with pytest.raises(OptionError, match="is the class GaussianNB") as told:
        checked_model("m", GaussianNB)
    assert told.value.hint == "write GaussianNB()."


class _Talks:
    """Prints, and leaves the program."""

    def fit(self, *rows: Any) -> None:  # noqa: ARG002
        print("HELLO")
        raise SystemExit(3)

    def predict(self, X: Any) -> None: ...


def test_what_a_model_prints_is_no_output_and_its_exit_is_a_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = data_set(np.zeros((4, 1)), [0, 1, 0, 1])
    found = fit(Task(_Talks(), data, np.arange(2), np.arange(2, 4), (0,)))
    assert found.failure == "SystemExit: 3"
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "HELLO\n")
