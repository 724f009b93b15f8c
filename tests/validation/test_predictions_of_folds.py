"""What models say of test rows, as scikit-learn has it; fits that fail or warn, and what is noted of them."""

from __future__ import annotations

import datetime
import warnings
from functools import partial

import numpy as np
import polars as pl
import pytest
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.under_sampling import RandomUnderSampler
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import agree
from scored import classes, refusals
from watched import Says, Watched, said

X, IRIS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
TRAIN = np.arange(0, 150, 2)
TWO = slice(50, 150)
FOUR = np.arange(4.0)[:, None]
"""Four rows: the first and the third train."""


class Plain:
    """A model that knows nothing of scikit-learn: the class whose mean is nearest."""

    def fit(self, X, y):
        self.labels = sorted(set(y))
        self.means = np.array([X[y == label].mean(axis=0) for label in self.labels])

    def predict(self, X):
        nearest = ((X[:, None, :] - self.means) ** 2).sum(axis=2).argmin(axis=1)
        return [self.labels[place] for place in nearest]


class Even(Plain):
    """It does not say which classes its probabilities are of."""

    def predict_proba(self, X):
        return np.full((len(X), len(self.labels)), 1 / len(self.labels))


def scores(columns, labels=NAMES):
    return np.column_stack([columns[f"p_{label}"] for label in labels])


def about_models(form):
    """The notes that name a model."""
    return [note for note in form["notes"] if note.startswith("'m'")]


# --- what models say ----------------------------------------------------------------------------------


def test_a_model_that_knows_nothing_of_scikit_learn():
    model = Plain()
    columns, form = said(model, X, IRIS)
    assert np.mean(np.equal(columns["predicted"], columns["actual"])) > 0.9
    assert (set(columns), about_models(form)) == ({"row", "run", "fold", "actual", "predicted"}, [])
    assert not hasattr(model, "means"), "a copy was fitted"
    forms = ([[0], [1]], [0.0, 1.0], [False, True], np.array([0, 1], object))
    assert all(said(Says(each), FOUR, [0, 0, 1, 1])[0]["predicted"] == [0, 1] for each in forms)


def test_labels_of_any_type_are_one():
    labels = {
        "text": NAMES[IRIS], "objects": NAMES[IRIS].astype(object), "lists of text": NAMES[IRIS].tolist(),
        "other numbers": IRIS * 7 - 3, "floats": IRIS.astype(float), "text of numbers": IRIS.astype(str),
        "polars text": pl.Series(NAMES[IRIS].tolist()), "booleans": IRIS > 0,
    }  # fmt: skip
    found = {}
    for model in (GaussianNB(), Plain()):
        for kind, y in labels.items():
            pair = said(model, X, y)[0], said(model, X, (IRIS > 0) * 1 if kind == "booleans" else IRIS)[0]
            order = sorted(set(pair[0]["actual"]))
            pair[0]["predicted"] = [order.index(each) for each in pair[0]["predicted"]]
            found[kind, type(model).__name__] = [
                [list(values) for name, values in columns.items() if name.startswith(("pred", "p_", "score"))]
                for columns in pair
            ]
    agree(found)


def test_a_class_that_the_training_rows_lack_has_probability_0():
    train = np.flatnonzero(IRIS != 1)
    theirs = GaussianNB().fit(X[train], NAMES[IRIS[train]]).predict_proba(X[IRIS == 1])
    cut = [(train, np.flatnonzero(IRIS == 1))]
    for labels in (None, ["virginica", "setosa", "versicolor", "unheard of"]):
        columns, _ = said(GaussianNB(), X, NAMES[IRIS], cv=cut, labels=labels)
        assert np.array_equal(scores(columns, ["setosa", "virginica"]), theirs)
        never = [f"p_{label}" for label in ("versicolor", "unheard of") if f"p_{label}" in columns]
        assert len(never) == (1 if labels is None else 2)
        assert not any(any(columns[name]) for name in never)
        assert set(columns["predicted"]) <= {"setosa", "virginica"}
    even, _ = said(Even(), X, NAMES[IRIS], cv=cut)
    assert (scores(even) == [0.5, 0, 0.5]).all(), "it is taken to have the classes it learned"


def test_scores_stand_under_the_classes_of_the_model():
    model = Says(["a", "b"], predict_proba=[[0.9, 0.1], [0.2, 0.8]], classes_=["b", "a"])
    assert said(model, FOUR, ["a", "a", "b", "b"], pos_label="b")[0]["score"] == [0.9, 0.2]
    # A decision function rises with the positive class, whichever that is.
    for positive in NAMES[1:]:
        for labels in (None, ["virginica", "versicolor"]):
            columns, _ = said(RidgeClassifier(), X[TWO], NAMES[IRIS[TWO]], pos_label=positive, labels=labels)
            above = [score > 0 for score in columns["score"]]
            assert above == [predicted == positive for predicted in columns["predicted"]]
            assert 0 < sum(above) < 50


PROBABILITIES = {
    "probabilities": ([[0.2, 0.8]] * 2, True),
    "rounded": ([[0.2, 0.795]] * 2, True),
    "a breath below 0": ([[-1e-17, 1]] * 2, True),
    "no sum": ([[0.2, 0.3]] * 2, False),
    "nan": ([[np.nan, 1]] * 2, False),
    "below 0": ([[-0.5, 1.5]] * 2, False),
    "one column": ([0.2, 0.8], False),
    "too many columns": ([[0.2, 0.3, 0.5]] * 2, False),
    "too many rows": ([[0.2, 0.8]] * 3, False),
    "too deep": ([[[0.2, 0.8]]] * 2, False),
}


def test_scores_that_are_none_are_left_out_with_a_note(snapshot):
    found, svc = {}, LinearSVC(random_state=0)
    for case, (given, good) in PROBABILITIES.items():
        columns, found[case] = said(Says([0, 1], predict_proba=given), FOUR, [0, 0, 1, 1])
        assert ("score" in columns) == good, case
        assert min(columns.get("score", [0])) >= 0, case
    for number, given in enumerate(([[1.0], [2.0]], [np.nan, 1.0], [1.0])):
        columns, form = said(Says([0, 1], decision_function=np.array(given)), FOUR, [0, 0, 1, 1])
        assert "score" not in columns
        found[f"decision function {number + 1}"] = form
    found["a score of three classes"] = said(svc, X, IRIS)[1]
    found["a score of no class"] = said(svc, X[TWO], NAMES[IRIS[TWO]])[1]
    notes = {case: "\n".join(about_models(form)) for case, form in found.items()}
    good = {case for case, (_, each) in PROBABILITIES.items() if each}
    assert {case for case, note in notes.items() if not note} == good
    snapshot("notes_scores_of_models", {case: note for case, note in notes.items() if note})


# --- metrics of what they say -------------------------------------------------------------------------

WEAK = X[:, 1:2]
"""The feature that tells least, so that there are errors of all kinds."""
OF_ROWS = ["accuracy", "error_rate", "f1_weighted", "recall_micro", "mcc", "kappa"]
MEANS = ["balanced_accuracy", "recall_macro", "f1_macro", "precision_macro", "auc_ovr_macro", "auc_ovo_macro"]
OF_ONE = ["precision", "recall", "f1", "f_beta:2", "specificity", "lr_plus", "prevalence"]
OF_ONE += ["auc", "average_precision", "log_loss", "brier", "ks", "ece"]
COSTS = ["mean_cost", "total_cost"]
TEXTS = {"X": WEAK[TWO], "y": NAMES[IRIS[TWO]]}
ONE = TEXTS | {"pos_label": "versicolor"}
THREE = {"X": WEAK, "y": NAMES[IRIS]}


def measured(model, metrics, **given):
    """Values of one fold and why there are none, by metric; and the columns of predictions."""
    columns, form = said(model, **given, metric=metrics[0], metrics=metrics[1:])
    found = form["models"][0]["metrics"]
    return *({name: found[name][part][0] for name in metrics} for part in ("values", "why")), columns


def test_metrics_of_a_fold_are_those_of_evaluate():
    turned = ONE | {"labels": ["virginica", "versicolor"]}
    cases = {
        "one class": (ONE, [*OF_ROWS, *OF_ONE]),
        "labels turned round": (turned, [*OF_ROWS, *OF_ONE]),
        "booleans": ({"X": WEAK[TWO], "y": IRIS[TWO] == 1}, [*OF_ROWS, *OF_ONE]),
        "no positive class": (TEXTS, [*OF_ROWS, "balanced_accuracy"]),
        "costs in the order of the labels": (turned | {"costs": [[0, 1], [5, 0]]}, COSTS),
        "three classes": (THREE, [*OF_ROWS, *MEANS, "auc_ovr_weighted", "log_loss"]),
    }
    wrong = []
    for case, (given, metrics) in cases.items():
        values, _, columns = measured(GaussianNB(), metrics, **given)
        table = scores(columns) if case == "three classes" else columns.get("score")
        order = {"labels": [*NAMES]} if case == "three classes" else {}
        settings = {name: given[name] for name in given if name not in "Xy"} | order
        same = tm.evaluate(columns["actual"], columns["predicted"], y_score=table, **settings)
        wrong += [(case, name) for name in metrics if values[name] != pytest.approx(same[name].value)]
        assert len({*values.values()}) > 1, case
    assert not wrong


def of_these(test, y=NAMES[IRIS], answers=None, **methods):
    """A model that is right about these rows, and the folds in which it is asked about them."""
    model = Says(y[test] if answers is None else answers, y[0], **methods)
    return {"model": model, "cv": [(np.setdiff1d(np.arange(len(y)), test), test)]}


def test_a_mean_of_classes_needs_rows_of_all_and_a_mean_of_rows_does_not(snapshot):
    def sure(test):
        return of_these(test, predict_proba=np.eye(3)[IRIS[test]], classes_=NAMES)

    why = {}
    for case, test in {"a class": np.flatnonzero(IRIS != 1)[::2], "two classes": np.arange(3)}.items():
        values, whys, _ = measured(**sure(test), metrics=[*OF_ROWS[2:4], *MEANS], **THREE)
        assert values == dict.fromkeys(OF_ROWS[2:4], 1) | dict.fromkeys(MEANS)
        (why[case],) = {whys[name] for name in MEANS}
    assert measured(**sure(np.arange(0, 150, 10)), metrics=MEANS, **THREE)[0] == dict.fromkeys(MEANS, 1)
    named = of_these(np.arange(0, 100, 5), TEXTS["y"])
    values, _, _ = measured(**named, metrics=["balanced_accuracy"], **TEXTS, labels=[*NAMES])
    assert values == {"balanced_accuracy": 1}, "no rows are missed of a class that is only named"
    other = of_these(np.arange(4), answers=["setosa", "setosa", "versicolor", "virginica"])
    assert measured(**other, metrics=["accuracy"], **THREE)[0] == {"accuracy": 0.5}
    counts = said(**other, **THREE)[1]["models"][0]["confusion"]["matrix"]
    assert counts == [[2, 1, 1], [0, 0, 0], [0, 0, 0]], "classes that no test row has are counted too"
    few = of_these(np.flatnonzero(TEXTS["y"] == "versicolor")[:5], TEXTS["y"])
    values, whys, _ = measured(**few, metrics=["accuracy", "specificity", "kappa", "auc", MEANS[0]], **ONE)
    assert values == {"accuracy": 1, "specificity": None, "kappa": None, "auc": None, MEANS[0]: None}
    why |= {f"{name} of one class": whys[name] for name in ("specificity", "kappa")} | {
        "no scores": whys["auc"]
    }
    # Two folds, of which the model has predictions for the second.
    rows = np.arange(100)
    halves = [(rows[:60], rows[60:]), (rows[::2], rows[1::2])]
    failed = measured(Says(TEXTS["y"][1::2]), ["accuracy"], **TEXTS, cv=halves)
    why["the fit failed"] = failed[1]["accuracy"]
    snapshot("undefined_numbers_of_folds", why)


def test_scoring_is_another_word_for_metric_and_wrong_metrics_are_refused(snapshot):
    x, y = WEAK[TWO], IRIS[TWO] - 1
    grid = {"var_smoothing": [1]}
    asked = {
        "validate": lambda **more: tm.validate(GaussianNB(), x, y, cv=3, **more),
        "tune": lambda **more: tm.tune(GaussianNB(), x, y, grid, cv=2, inner_cv=2, **more),
        "learn": lambda **more: tm.learning_curve(GaussianNB(), x, y, n_repeats=2, schedule=[50], **more),
        "permute": lambda **more: tm.permutation_test(GaussianNB(), x, y, n_permutations=2, **more),
    }
    assert {name: ask(scoring="roc_auc").to_dict()["metric"] for name, ask in asked.items()} == dict.fromkeys(
        asked, "auc"
    )
    assert asked["validate"](scoring=["roc_auc", "f1"]).metrics == ("auc", "f1")
    two_words = refusals({name: partial(ask, scoring="f1", metric="auc") for name, ask in asked.items()})
    assert set(classes(two_words).values()) == {"OptionError"}
    elsewhere = {"setosa": {"virginica": 1}}
    calls = {
        "a class's number of three classes": partial(measured, GaussianNB(), ["recall"], **THREE),
        "costs of another class": partial(measured, GaussianNB(), COSTS, **ONE, costs=elsewhere),
        "several of a tuned model": partial(asked["tune"], scoring=["auc", "f1"]),
        "no name": partial(asked["validate"], scoring=7),
    }
    refused = {**refusals(calls), "two words for one thing": two_words["validate"]}
    assert list(classes(refused).values()) == ["LabelError", "CostError", *["OptionError"] * 3]
    snapshot("errors_numbers_to_validate_by", refused)


# --- sampling of the training rows --------------------------------------------------------------------

MARKED = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=60)])
RARE = np.where(np.arange(60) % 6 == 0, "rare", "common")


def sampled(sampler, test):
    """The rows and classes that were learned."""
    Watched.learned.clear()
    Watched.asked.clear()
    train = np.setdiff1d(np.arange(60), test)
    _, form = said(Watched(), MARKED, RARE, cv=[(train, test)], sampler=sampler)
    asked, of_training = Watched.asked
    assert np.array_equal(asked, MARKED[test]), "as many, in order, unchanged"
    assert np.array_equal(of_training, MARKED[train]), "also asked about the rows as they are"
    assert np.sum(form["models"][0]["training_confusion"]["matrix"]) == 30
    ((learned, y),) = Watched.learned
    return learned, np.asarray(y), (len(learned), (np.asarray(y) == "rare").sum())


def test_only_training_rows_are_sampled():
    expected = {
        tm.Oversampling(): (50, 25), tm.Oversampling(0.6): (40, 15), RandomOverSampler(): (50, 25),
        tm.Undersampling(): (10, 5), tm.Undersampling(0.5): (15, 5), RandomUnderSampler(): (10, 5),
        tm.Undersampling({"common": 7}): (12, 5),
    }  # fmt: skip
    for test in (np.arange(30), np.arange(30, 60)):
        for sampler, counts in expected.items():
            learned, y, found = sampled(sampler, test)
            marks = learned[:, 0].astype(int)
            assert found == counts, sampler
            assert not set(marks) & set(test.tolist()), sampler
            assert np.array_equal(learned, MARKED[marks]), sampler
            assert (y == RARE[marks]).all(), sampler
    made_up, _, counts = sampled(SMOTE(k_neighbors=2), np.arange(30))
    assert counts == (50, 25)
    assert made_up[:, 0].min() >= 30, "between training rows; a test row would draw a mark below"


# --- fits that fail, and warnings ---------------------------------------------------------------------


class Breaks:
    """A model that breaks on some rows."""

    def __init__(self, message="no luck\nand more", when="fit"):
        self.message, self.when = message, when

    def fit(self, X, _):
        if self.when == "fit" and 0 in np.asarray(X):
            warnings.warn("about to break", UserWarning, stacklevel=1)
            raise ZeroDivisionError(self.message)
        if self.when == "exit":
            print("HELLO")
            raise SystemExit(3)

    def predict(self, X):
        if self.when == "predict":
            raise KeyError(self.message)
        return np.zeros(len(X), int)


FAILING = {
    "numbers": Says([0.4, 1.2]),
    "text": Says(["0", "x"]),
    "none": Says([None, 1]),
    "nan": Says([0, np.nan]),
    "an unknown class": Says([0, 2]),
    "a table": Says([[0, 1], [1, 0]]),
    "too few": Says([0]),
    "too many": Says([0, 1, 1]),
    "a regression": LinearRegression(),
    "an error": Breaks(),
    "without a message": Breaks(""),
    "when asked": Breaks(when="predict"),
    "an exit": Breaks(when="exit"),
}


def test_a_fit_that_fails_is_a_result_and_the_others_go_on(snapshot, capsys):
    cut = [(np.array([0, 2]), np.array([1, 3]))]
    found = tm.validate({**FAILING, "good": Says([0, 1])}, FOUR, [0, 0, 1, 1], cv=cut, baseline=False)
    form = found.to_dict()
    assert (found.failed, found.models["good"]["accuracy"].pooled.value) == (len(FAILING), 1.0)
    assert all(model["metrics"]["accuracy"]["values"] == [None] for model in form["models"][:-1])
    errors = {each["model"]: each["error"] for each in form["failures"]}
    assert [*errors] == [*FAILING]
    assert errors.pop("a regression").startswith("InputError"), "which depends on the last bits"
    snapshot("failures_of_fits", errors)
    assert found.models["an error"].fits[0].warnings == ("UserWarning: about to break",)
    assert tuple(capsys.readouterr()) == ("", "HELLO\n"), "what a model prints is no output"
    by_rows = [(np.delete(np.arange(4), row), np.array([row])) for row in range(4)]
    form = said(Breaks(), FOUR, [0, 0, 1, 1], cv=by_rows)[1]
    assert [each["fold"] for each in form["failures"]] == [2, 3, 4]
    for sampler in (tm.Undersampling({"common": 999}), SMOTE(k_neighbors=50)):
        with pytest.raises(tm.InputError):
            tm.validate(Watched(), MARKED, RARE, cv=2, sampler=sampler, baseline=False)


class Complains(Watched):
    """Fails, or warns, where the number it finds in the first training row has words for it."""

    def __init__(self, errors=(), warned=(), category=UserWarning):
        self.errors, self.warned, self.category = errors, warned, category

    def fit(self, X, y):
        fold = int(np.asarray(X)[0, 0])
        if fold < len(self.warned):
            for word in self.warned[fold]:
                warnings.warn(word, self.category, stacklevel=1)
        if fold < len(self.errors):
            raise ValueError(self.errors[fold])
        return super().fit(X, y)


ROWS = np.arange(12)
HALVES = [(ROWS[:6], ROWS[6:]), (ROWS[6:], ROWS[:6])]
ENTITIES = np.array([(a, b) for a in range(4) for b in range(4) if a != b])
FEW = np.array(["a"] * 8 + ["b", "b", "c", "c"])


APART = np.column_stack((ROWS, 100 + ROWS))
"""Pairs of entities whose columns share nothing, so that only their dependence is noted."""


def of_folds(y=ROWS % 2, **options):
    """The notes that are not there in two halves, be they plain or of such pairs."""

    def ask(**options):
        return tm.validate(Watched(), ROWS[:, None] ** 2.5, y, baseline=False, **options).notes

    known = [ask(cv=HALVES), ask(cv=HALVES, groups=APART)]
    assert len(known[1]) == len(known[0]) + 1
    return [note for note in ask(**options) if note not in (*known[0], *known[1])]


def test_notes_of_folds_failures_and_warnings(snapshot):
    turned = np.column_stack((ROWS, np.r_[ROWS[6:], ROWS[:6]]))
    texts = {
        "a class too rare for a holdout": of_folds(FEW, cv="holdout:1/4"),
        "entities that change the column": of_folds(cv=HALVES, groups=turned),
        "pairs left out": of_folds(cv=tm.LeavePairsOut(4), groups=ENTITIES),
    }
    cut = [(np.arange(fold, 18), np.array([18, 19])) for fold in range(12)]
    kinds = {
        "one error": Complains(("a.",)),
        "one kind of errors": Complains(("a", "a")),
        "two kinds of errors": Complains(("a.", "b", "b")),
        "many kinds of errors": Complains(tuple("aaabbccdde")),
        "three kinds of warnings": Complains((), (["a."], ["a.", "b:"], ["a.", "c"], ["b:", "c"])),
        "many kinds of warnings": Complains((), tuple(map(list, ("abcd", "abcd", "abc", "ab", "a")))),
        "one warning often": Complains((), (["a\nat all"] * 3,), DeprecationWarning),
        "no trouble": Complains(),
    }
    for name, model in kinds.items():
        texts[name] = about_models(said(model, np.arange(20.0)[:, None], np.arange(20) % 2, cv=cut)[1])
    assert texts.pop("no trouble") == []
    snapshot("notes_of_folds_and_fits", {name: "\n".join(notes) for name, notes in texts.items()})
    # What is a finding, or no trouble, is no note.
    quiet = {
        "groups that are cut": of_folds(cv=HALVES, groups=ROWS // 4),
        "entities that are cut": of_folds(cv=HALVES, groups=np.column_stack((ROWS // 6, 100 + ROWS % 6))),
        "either side left out": of_folds(cv=tm.LeavePairsOut(4, symmetric=True), groups=ENTITIES),
    }
    assert {name: each for name, each in quiet.items() if each} == {}
    learned = np.where(np.arange(60) < 2, "rare", np.where(np.arange(60) % 2, "yes", "no"))
    cut = tm.KFold(3).folds(learned, learned)
    assert cut.notes
    for ask in (tm.validate, tm.learning_curve):
        found = ask(GaussianNB(), MARKED, learned, cv=cut, groups=np.arange(60) % 5)
        assert [each.code for each in found.findings] == ["TM019", "TM023"]
        assert not set(found.notes) & set(cut.notes)


# --- a way out: columns that not every model takes ----------------------------------------------------

N = 24
CLASSES = np.arange(N) % 2
NUMBERS = {"x": (CLASSES + np.random.default_rng(0).normal(0, 0.3, N)).round(3)}
TEXT, GAPS = {"city": ["Bonn", "Jena", "Ulm"] * 8}, {"age": [None, 31.0, 45.0] * 8}
COLUMNS = {
    "text": TEXT, "missing": GAPS, "both": TEXT | GAPS, "dates": {"day": [datetime.date(2020, 1, 1)] * N},
    "missing text": {"city": [None, "Jena", "Ulm"] * 8}, "nothing at all": {"none": [None] * N},
    "no cause": {}, "booleans": {"flag": [True, False, False] * 8},
}  # fmt: skip
FRAME = pl.DataFrame(NUMBERS | TEXT)


class Fussy(ClassifierMixin, BaseEstimator):
    """Fails as models do that take no such columns, unless `learns` is in the first training row."""

    def __init__(self, learns=None, error=ValueError):
        self.learns, self.error = learns, error

    def fit(self, X, y):
        if self.learns is None or self.learns not in X["x"]:
            raise self.error("could not convert string to float: 'Bonn'")
        self.model_ = GaussianNB().fit(X.select("x").to_numpy(), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X.select("x").to_numpy())


def hint(model, X, ask=tm.validate, **options):
    with pytest.raises(tm.InputError) as caught:
        ask(model, X, CLASSES, **options or {"cv": 2})
    return str(caught.value.hint)


def test_the_way_out_is_the_hint_where_every_fit_fails_and_a_note_where_some_do(snapshot):
    hints = {name: hint(Fussy(), pl.DataFrame(NUMBERS | each)) for name, each in COLUMNS.items()}
    hints["another error"] = hint(Fussy(error=RuntimeError), FRAME)
    hints["sparse"] = hint(Fussy(), csr_array(np.eye(N)))
    hints["prepared already"] = hint(make_pipeline(tm.Preparation(), Fussy()), FRAME)
    few = {"cv": [(range(4), range(4, N))]}  # fewer rows than the five neighbours of these models
    hints |= {name: hint(name, FRAME, **few) for name in ("knn", "vote:knn:2")}
    silent = {"no cause", "booleans", "another error", "sparse", "prepared already", "knn", "vote:knn:2"}
    assert {name for name, each in hints.items() if each == "None"} == silent
    snapshot("hints_where_all_fits_failed", {name: hints[name] for name in hints if name not in silent})
    asked = {
        tm.tune: {"param_grid": {}, "cv": 3, "inner_cv": 2},
        tm.learning_curve: {"n_repeats": 4},
        tm.permutation_test: {"n_permutations": 3},
    }
    for ask, options in asked.items():
        assert hint(SVC(), FRAME, ask, **options) == hints["text"]
        ask(make_pipeline(tm.Preparation(), SVC()), FRAME, CLASSES, **options)
    for ask, options in ((tm.validate, {"cv": 4}), (tm.learning_curve, {"n_repeats": 4})):
        found = ask(Fussy(NUMBERS["x"][0]), FRAME, CLASSES, **options)
        assert found.failed
        assert any(note.endswith(hints["text"]) for note in found.notes)


def test_what_is_no_model_is_refused_and_parameters_are_set_on_a_copy(snapshot):
    given = {"text": {"m": "oak"}, "transformer": {"m": StandardScaler()}}
    refused = refusals({name: lambda m=m: tm.validate(m, X, IRIS, cv=2) for name, m in given.items()})
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("errors_models_to_validate", refused)
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    grid = {"decisiontreeclassifier__max_depth": [2]}
    found = tm.tune(pipeline, X, IRIS, grid, cv=2, inner_cv=2)
    assert (found.best_model[-1].max_depth, pipeline[-1].max_depth) == (2, None)
    with pytest.raises(tm.TallymarkError):
        tm.tune(DecisionTreeClassifier(), X, IRIS, {"depth": [1]}, cv=2, inner_cv=2)
