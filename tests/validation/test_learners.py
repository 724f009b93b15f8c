"""Models by name, models of one's own by module, votes, and what becomes of columns."""

from __future__ import annotations

import datetime
import pickle
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import tallymark as tm
from collected import agree
from scored import classes, refusals

LEARNERS = ("logistic", "tree", "forest", "boosting", "knn", "bayes", "majority")
X, NUMBERS = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]
HALVES = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
BAYES = GaussianNB()


def validated(model, features=X, y=Y, cv=HALVES):
    return tm.validate({"m": model}, features, y, cv=cv, baseline=False).models["m"]


def estimator(text):
    """The model that a name stands for."""
    return tm.validate(text, X[:100], Y[:100], cv="holdout", baseline=False).estimators[text]


def test_each_learns_from_numbers_text_and_gaps():
    random = np.random.default_rng(2)
    y, rows = random.integers(0, 2, 120), np.arange(120)
    numbers = np.where(rows % 10 > 0, y + random.normal(0, 0.3, 120), None)
    words = np.where(rows % 9 > 0, np.where(y, "up", "down"), None)
    table = pl.DataFrame({"n": list(numbers), "t": list(words), "b": (random.random(120) < 0.5).tolist()})
    wrong = []
    for name in LEARNERS:
        found = tm.validate(name, table, y, cv=[(rows[:90], rows[90:])], baseline=False)
        right, most = found["accuracy"].values[0], max(np.bincount(y[90:])) / 30
        good = right == pytest.approx(most) if name == "majority" else right > 0.85
        fitted = found.models[name].fits[0]
        # All but forests and boosting, whose leaves need more rows, are without chance or warnings.
        wrong += [] if good and not fitted.warnings and fitted.scores is not None else [(name, right)]
    assert not wrong


def test_complete_numbers_are_learned_as_scikit_learn_does():
    peers = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "bayes": make_pipeline(StandardScaler(), BAYES),
        "majority": DummyClassifier(strategy="prior"),
    }
    train, test = HALVES[0]
    for name, peer in peers.items():
        found = validated(name).fits[0].scores
        assert found == pytest.approx(peer.fit(X[train], Y[train]).predict_proba(X[test]), abs=1e-12), name


def test_parameters_have_short_names_and_chance_is_left_open():
    for name in LEARNERS:
        model = estimator(name)
        assert not {value for key, value in model.get_params().items() if key.endswith("random_state")} - {
            None
        }
        assert name == "majority" or model.get_params()["prepare__impute"] == (name != "boosting")
    boosted = Pipeline([("model", AdaBoostClassifier(LogisticRegression()))])
    table = [
        ("tree", "max_depth", 1, "model__max_depth"),
        ("tree", "model__max_depth", 1, "model__max_depth"),
        ("knn", "scale", True, "prepare__scale"),
        (SVC(), "C", 1.0, "C"),
        (make_pipeline(StandardScaler(), SVC()), "C", 1.0, "svc__C"),
        (boosted, "random_state", 1, "model__random_state"),  # not that of the inner one
        (boosted, "C", 1.0, "model__estimator__C"),
        ("vote:tree,knn", "tree__model__max_depth", 1, "tree__model__max_depth"),
    ]
    for model, short, value, whole in table:
        found = tm.tune(model, X, Y, {short: [value]}, method="three-way").candidates[0].candidate
        assert dict(found.parameters) == {whole: value}


OWN = """
from sklearn.tree import DecisionTreeClassifier
shallow = DecisionTreeClassifier(max_depth=1)
def deep():
    return DecisionTreeClassifier(max_depth=9)
def asks(depth):
    return DecisionTreeClassifier(max_depth=depth)
class Nested:
    inner = shallow
number = 7
def breaks():
    raise ValueError("no luck\\nat all")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Modules of one's own in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    bad = {
        "broken": "1 / 0", "syntax": "def", "exits": "raise SystemExit(3)",
        "needs": "import nothing_called_so",
    }  # fmt: skip
    for name, text in {"own": OWN, **bad}.items():
        (tmp_path / f"{name}_of_test.py").write_text(text, encoding="utf-8")
    yield tmp_path
    for name in [name for name in sys.modules if name.endswith("_of_test")]:
        del sys.modules[name]


def test_models_of_the_current_folder_and_names_that_are_none(folder, snapshot):
    depths = {
        "own_of_test:shallow": 1, "own_of_test:deep": 9, "own_of_test:DecisionTreeClassifier": None,
        "own_of_test:Nested.inner": 1, "sklearn.tree:DecisionTreeClassifier": None,
    }  # fmt: skip
    found = {text: estimator(text) for text in depths}
    assert {text: model.max_depth for text, model in found.items()} == depths
    assert all(isinstance(model, DecisionTreeClassifier) for model in found.values())
    votes = estimator("vote:own_of_test:shallow,own_of_test:deep:3")
    assert (list(votes.models), votes.n_copies) == (["own_of_test:shallow", "own_of_test:deep"], 3)
    names = (
        "frest Tree vote vote: vote:tree vote:tree,tree vote:tree:1 vote:tree, vote:vote:tree:5 vote:tree,oak"
    )
    names += " own_of_test.py:shallow folder/own:shallow own_of_test: own_of_test:shalow own_of_test:asks"
    names += " own_of_test:breaks own_of_test:number broken_of_test:model syntax_of_test:model"
    names += " exits_of_test:model needs_of_test:model nowhere_of_test:model"
    refused = refusals({name: lambda name=name: tm.validate(name, X, Y) for name in ["", *names.split()]})
    assert set(classes(refused).values()) == {"OptionError"}
    texts = {f"{name!r}": text.replace(str(folder), "HERE") for name, text in refused.items()}
    snapshot("learners_errors", texts)


def test_what_models_do_in_words(snapshot):
    names = [*LEARNERS, "vote:tree,bayes", "vote:tree:5", "vote:majority,boosting:5"]
    models = {name: name for name in names}
    models["votes without names"] = tm.Voting([BAYES, KNeighborsClassifier()])
    models["one's own"] = make_pipeline(StandardScaler(), SVC(C=3.0))
    words = {name: validated(model, cv="holdout").pipeline for name, model in models.items()}
    snapshot("learners_in_words", words)


def test_the_majority_is_the_first_of_the_most_frequent_and_never_looks():
    model = type(estimator("majority"))()

    class Unseen:
        shape = (6, 2)

        def __array__(self, *_, **__):
            raise AssertionError("it looked")

    y = np.array(["b", "a", "c", "b", "b", "c"])
    for features in (Unseen(), [[0]] * 6, csr_array(np.eye(6)), np.full((6, 1), np.nan)):
        assert model.fit(features, y).predict(features).tolist() == ["b"] * 6
        assert model.predict_proba(features).tolist() == [[1 / 6, 3 / 6, 2 / 6]] * 6
    assert model.score(np.zeros((6, 1)), y) == 0.5
    assert model.fit([[0]] * 4, ["d", "c", "c", "d"]).predict([[0]]).tolist() == ["c"]
    assert (is_classifier(model), clone(model).get_params(), repr(model)) == (True, {}, "Majority()")
    calls = {"learned": lambda: clone(model).predict([[1]]), "rows": lambda: model.fit([], [])}
    calls["lengths"] = lambda: model.fit([[1], [2]], y)
    assert [*classes(refusals(calls)).values()] == ["OptionError", "ShapeError", "ShapeError"]


class Says:
    """It says one thing, and keeps what it learned."""

    def __init__(self, said):
        self.said = said

    def fit(self, *seen):
        self.seen = seen

    def predict(self, X):
        return np.array([self.said] * len(X))


def three():
    return {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB(),
            "knn": KNeighborsClassifier(1)}  # fmt: skip


def test_the_probability_is_the_proportion_of_the_votes():
    votes = tm.Voting([Says("yes"), Says("no"), Says("yes")]).fit([[1], [2]], ["yes", "no"])
    assert votes.classes_.tolist() == ["no", "yes"]
    assert (votes.predict_proba([[5]]).tolist(), votes.predict([[5]]).tolist()) == ([[1 / 3, 2 / 3]], ["yes"])
    # Of equally many votes the first class in order is predicted.
    even = tm.Voting([Says("c"), Says("b")]).fit([[1]] * 3, ["a", "b", "c"])
    assert even.predict_proba([[5], [6]]).tolist() == [[0, 1 / 2, 1 / 2]] * 2
    assert even.predict([[5], [6]]).tolist() == ["b", "b"]
    given, narrow = three(), X[:, :1]
    theirs = VotingClassifier([*three().items()], voting="hard").fit(narrow, Y)
    found = tm.Voting(given).fit(narrow, Y)
    said = np.array([model.fit(narrow, Y).predict(narrow) for model in three().values()])
    expected = np.stack([(said == label).mean(axis=0) for label in np.unique(Y)], axis=1)
    assert found.predict_proba(narrow) == pytest.approx(expected, abs=1e-15)
    assert (found.predict(narrow) == theirs.predict(narrow)).all()
    assert not any(hasattr(model, "classes_") for model in given.values()), "those given are not fitted"
    named = validated("vote:tree,logistic,knn")
    assert set(np.round(named.fits[0].scores.ravel() * 3, 9)) <= {0.0, 1.0, 2.0, 3.0}
    # Labels of any kind.
    labels = {
        "numbers": NUMBERS, "booleans": NUMBERS > 0, "objects": Y.astype(object),
        "categories": pd.Series(Y, dtype="category"), "list": Y.tolist(),
    }  # fmt: skip
    for name, y in labels.items():
        for copies in (1, 3):
            model = tm.Voting(three(), copies, random_state=0).fit(X, y)
            assert model.classes_.tolist() == np.unique(np.asarray(y)).tolist(), name
            assert (model.predict(X) == np.asarray(y)).mean() > 0.9, name


def test_copies_learn_bootstrap_samples_each_with_its_own_chance():
    rows = np.arange(200).reshape(-1, 1)
    votes = tm.Voting(Says(0), n_copies=20, random_state=0).fit(rows, np.arange(200) % 2)
    seen = [model.seen for model in votes.models_]
    assert {len(features) for features, _ in seen} == {200}
    assert all((features[:, 0] % 2 == y).all() for features, y in seen)
    assert len({tuple(np.sort(features[:, 0])) for features, _ in seen}) == len(seen) == 20
    # 1 - (1 - 1/200)^200 = 0.633 of the rows are in a sample, with a standard deviation of about 0.02.
    assert np.mean([len(np.unique(features)) / 200 for features, _ in seen]) == pytest.approx(0.633, abs=0.02)
    two = tm.Voting([Says(0), Says(1)]).fit(rows, rows[:, 0] % 2)
    assert all(model.seen[0] is rows for model in two.models_)
    trees = tm.Voting(ExtraTreeClassifier(), 5, random_state=0).fit(X, Y)
    kept = tm.Voting(ExtraTreeClassifier(random_state=7), 5, random_state=0).fit(X, Y)
    assert (len({m.random_state for m in trees.models_}), {m.random_state for m in kept.models_}) == (5, {7})

    def scores(seed):
        votes = tm.Voting(ExtraTreeClassifier(), 5, random_state=seed).fit(X[::2], Y[::2])
        return votes.predict_proba(X).tolist()

    assert scores(1) == scores(1) != scores(2)
    assert scores(None) != scores(None)
    # Rows of any kind of table are drawn alike.
    kinds = (
        np.array, pd.DataFrame, lambda X: pl.DataFrame(X, schema=[*"abcd"]), csr_array, np.ndarray.tolist,
    )  # fmt: skip
    shallow = DecisionTreeClassifier(max_depth=2)
    found = [tm.Voting(shallow, 4, random_state=3).fit(m(X), Y).predict_proba(m(X)).tolist() for m in kinds]
    assert found == [found[0]] * 5
    # Logistic regression refuses one class; a third of all samples of these rows would miss the rare one.
    rare = tm.Voting(LogisticRegression(), 30, random_state=0).fit(np.arange(10.0)[:, None], [1] + [0] * 9)
    assert len(rare.models_) == 30
    assert tm.Voting(Says("a"), 3, random_state=0).fit([[1]] * 4, ["a"] * 4).predict([[1]]).tolist() == ["a"]


def test_votes_are_set_copied_and_searched_as_other_classifiers():
    tree, two = DecisionTreeClassifier(), [DecisionTreeClassifier(), GaussianNB()]
    names = {
        "tree__max_depth": {"tree": tree, "bayes": BAYES}, "decisiontreeclassifier__max_depth": two,
        "decisiontreeclassifier-2__max_depth": [tree] * 2, "model__max_depth": tree,
        "model__decisiontreeclassifier__max_depth": make_pipeline(StandardScaler(), tree),
    }  # fmt: skip
    for name, models in names.items():
        votes = clone(tm.Voting(models, 2))
        assert votes.get_params()[name] is None
        assert votes.set_params(**{name: 1, "n_copies": 3}) is votes
        assert (votes.get_params()[name], votes.n_copies) == (1, 3)
        assert name not in votes.get_params(deep=False)
    fitted = tm.Voting(three(), 2, random_state=1).fit(X, Y)
    copy = clone(fitted)
    assert (hasattr(copy, "models_"), copy.n_copies) == (False, 2)
    assert copy.models["tree"] is not fitted.models["tree"]
    new = {"stump": DecisionTreeClassifier(), "bayes": GaussianNB()}
    assert copy.set_params(models=new, stump__max_depth=1).get_params()["stump__max_depth"] == 1
    assert is_classifier(copy)
    votes = tm.Voting(DecisionTreeClassifier(), 3, random_state=0)
    search = GridSearchCV(votes, {"model__max_depth": [1, 4]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"model__max_depth": 4}


def test_what_cannot_vote(snapshot):
    arguments = {
        "one model": (BAYES,), "a list of one": ([BAYES],), "no model": ([],), "no copies": (BAYES, 0),
        "half a copy": (BAYES, 2.5), "a boolean": (BAYES, True), "a number": ({"a": 3, "b": BAYES},),
        "a class": ([GaussianNB, GaussianNB],), "underscores": ({"a__b": BAYES, "c": BAYES},),
    }  # fmt: skip
    calls = {name: lambda given=given: tm.Voting(*given) for name, given in arguments.items()}
    calls |= {
        "a seed": lambda: tm.Voting(BAYES, 2, random_state=-1),
        "no such parameter": lambda: tm.Voting(three()).set_params(forest__max_depth=3),
        "no class": lambda: tm.Voting(Says("other"), 2).fit(X, Y).predict(X),
        "nothing learned": lambda: tm.Voting(three()).predict(X),
        "no rows": lambda: tm.Voting(three()).fit([], []),
    }
    refused = refusals(calls)
    errors = {"no class": "InputError", "no rows": "ShapeError"}
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | errors
    snapshot("voting_errors", refused)


NAN = float("nan")
TABLE = np.array([[1.0, 5.0], [NAN, 6.0], [2.0, 7.0], [9.0, 8.0]])


def plain():
    return tm.Preparation(scale=False)


def frame(**columns):
    return pl.DataFrame(columns)


def text(*values):
    return frame(c=pl.Series(values, dtype=pl.String))


def test_what_becomes_of_columns_by_hand():
    """Training rows, other rows, and what these become."""
    ten = ["a"] * 5 + ["b"] * 5
    table = {
        "complete numbers": (TABLE[:1], TABLE[3:], [[9, 8]]),
        # The median of 1, 2 and 9 is 2; the second column lacks nothing, so it has no mark.
        "a gap is the median, and marked": (TABLE, TABLE, [[1, 5, 0], [2, 6, 1], [2, 7, 0], [9, 8, 0]]),
        "gaps of other rows": (TABLE, np.array([[NAN, NAN]]), [[2, 6.5, 1]]),
        "a column of gaps": (np.array([[1.0, NAN], [2.0, NAN]]), np.array([[5.0, 1e9]]), [[5]]),
        "levels": (text(*"babaa"), text("a", "b"), [[1, 0], [0, 1]]),
        "a level of learned rows only": (text(*"baba"), text("a", "a"), [[1, 0], [1, 0]]),
        "an unseen level": (text(*"baba"), text("zebra"), [[0, 0]]),
        "missing is a level": (text("a", None, "b", None, "a", "b"), text(None, "a"), [[0, 0, 1], [1, 0, 0]]),
        "missing, never seen": (text(*"abab"), text(None), [[0, 0]]),
        "levels of one row are pooled": (
            text(*ten, "x", "y"), text("a", "x", "y", "new"), [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]]
        ),
        "a constant text": (frame(c=["a", "a"], n=[1, 2]), frame(c=["a", "b"], n=[3, 4]), [[3], [4]]),
        "booleans": (frame(b=[True, False] * 2 + [None]), frame(b=[True, False]), [[0, 1, 0], [1, 0, 0]]),
        "columns by name": (
            frame(a=[1.0, 2.0], b=[10.0, 20.0]), pd.DataFrame({"b": [5.0], "new": [0], "a": [3.0]}), [[3, 5]]
        ),
        "nullable": (*[pd.DataFrame({"n": pd.array([1, None, 3], "Int64")})] * 2, [[1, 0], [2, 1], [3, 0]]),
        "masked": (*[np.ma.MaskedArray([[1], [0], [3]], mask=[[0], [1], [0]])] * 2, [[1, 0], [2, 1], [3, 0]]),
    }  # fmt: skip
    found = {name: plain().fit(train).transform(other) for name, (train, other, _) in table.items()}
    agree({name: (found[name].tolist(), expected) for name, (*_, expected) in table.items()})
    assert {each.dtype for each in found.values()} == {np.dtype(float)}
    # A remark that most rows lack is kept: missing, and the pool of single ones.
    assert plain().fit_transform(text(*"abc", *[None] * 17)).sum(axis=0).tolist() == [17, 3]
    many = [f"level {place:03}" for place in range(150) for _ in range(3)]
    assert plain().fit_transform(text(*many)).shape == (450, 50), "never more columns than 50"


def test_scaling_and_gaps_as_scikit_learn_has_them():
    random = np.random.default_rng(0)
    X = random.normal(3, 7, (50, 4))
    X[random.random(X.shape) < 0.2] = NAN
    peer = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    assert tm.Preparation().fit_transform(X)[:, :4] == pytest.approx(peer.fit_transform(X), rel=1e-12)
    assert tm.Preparation().fit_transform(np.array([[4.0], [4.0]])).tolist() == [[0], [0]]
    kept = tm.Preparation(scale=False, impute=False).fit_transform(X)
    assert np.array_equal(kept, X, equal_nan=True)


def test_columns_that_tell_rows_apart_and_dates_are_left_out_with_a_warning():
    # Oversampling and bootstrap samples repeat rows: what differs in every one still tells rows apart.
    random, names = np.random.default_rng(0), [f"row {n}" for n in range(60)]
    table = pd.DataFrame({"name": names, "x": random.normal(size=60)})
    few, many = (np.concatenate([np.arange(60), np.repeat(np.arange(6), copies)]) for copies in (3, 20))
    for rows in (np.arange(60), few, many, random.integers(0, 60, 60)):
        with pytest.warns(UserWarning, match="'name'") as told:
            assert tm.Preparation().fit_transform(table.iloc[rows]).shape[1] == 1
        assert type(told[0].message).__name__ == "LeftOut"
    dates = frame(when=[datetime.date(2020, 1, day) for day in (1, 2, 3)], n=[1, 2, 3])
    with pytest.warns(UserWarning, match="'when'"):
        assert plain().fit_transform(dates).shape == (3, 1)


def test_every_kind_of_table_is_prepared_alike():
    columns = {"n": [1.5, None, 2.5, 3.5], "t": ["a", "b", None, "a"], "f": [True, False, True, None]}
    # The number and its mark (the median is 2.5); "a" and the pool of single levels; True and the pool.
    expected = [[1.5, 0, 1, 0, 1, 0], [2.5, 1, 0, 1, 0, 1], [2.5, 0, 0, 1, 1, 0], [3.5, 0, 1, 0, 0, 1]]
    numbers, words, flags = columns.values()
    rows = [*zip(*columns.values(), strict=True)]
    category = {"t": pd.Categorical(words), "f": pd.array(flags, "boolean")}
    decimals = pl.Series([Decimal(str(n)) if n else None for n in numbers])
    tables = {
        "polars": frame(**columns), "polars lazy": frame(**columns).lazy(),
        "polars decimal and enum": frame(n=decimals, t=pl.Series(words, dtype=pl.Enum([*"zba"])), f=flags),
        "pandas": pd.DataFrame(columns), "pandas objects": pd.DataFrame(columns, dtype=object),
        "polars categories": frame(**columns | {"t": pl.Series(words, dtype=pl.Categorical)}),
        "pyarrow dictionary": pa.table(columns | {"t": pa.array(words).dictionary_encode()}),
        "pandas nullable": pd.DataFrame(columns).convert_dtypes(),
        "pandas category": pd.DataFrame({"n": numbers, **category}),
        "pandas odd names and index": pd.DataFrame({7: numbers, 8: words, 9: flags}, index=[3, 3, 1, 0]),
        "pyarrow": pa.table(columns), "array of objects": np.array(rows, object),
        "list of rows": [list(row) for row in rows],
    }  # fmt: skip
    found = {name: plain().fit_transform(table).tolist() for name, table in tables.items()}
    assert {name for name, each in found.items() if each != expected} == set()


def test_test_rows_and_classes_leave_no_trace():
    random = np.random.default_rng(5)
    numbers = np.where(random.random(90) < 0.2, None, random.normal(size=90))
    table = frame(n=list(numbers), t=random.choice(["a", "b", "c"], 90).tolist())
    kept = pl.int_range(90) < 60
    poisoned = table.with_columns(
        n=pl.when(kept).then("n").otherwise(1e12), t=pl.when(kept).then("t").otherwise(pl.lit("poison"))
    )
    clean, other = (tm.Preparation().fit(each[:60]) for each in (table, poisoned))
    assert clean.transform(table).tolist() == other.transform(table).tolist()
    assert np.abs(clean.transform(table)).max() < 10
    labelled = tm.Preparation().fit(table[:60], np.arange(60) % 2)
    assert labelled.transform(table).tolist() == clean.transform(table).tolist()


def test_it_is_copied_stored_and_piped_as_any_transformer():
    assert clone(tm.Preparation(scale=False, impute=False)).get_params() == {"scale": False, "impute": False}
    fitted = tm.Preparation().fit(frame(n=[1.0, 2.0, 4.0], t=["a", "b", "a"]))
    table = frame(n=[None, 3.0], t=["b", None])
    assert pickle.loads(pickle.dumps(fitted)).transform(table).tolist() == fitted.transform(table).tolist()
    y = np.arange(80) % 2
    table = frame(n=np.random.default_rng(1).normal(size=80), t=np.where(y, "yes", "no").tolist())
    model = Pipeline([("prepare", tm.Preparation()), ("model", LogisticRegression())])
    assert model.fit(table, y).score(table, y) == 1.0
    assert model.set_params(prepare__scale=False).get_params()["prepare__scale"] is False
    X = sparse.csr_matrix(np.eye(3))
    assert tm.Preparation().fit(X).transform(X) is X


def test_what_cannot_be_prepared(snapshot):
    three, thin = plain().fit(np.eye(3)), tm.Preparation().fit(sparse.csr_matrix(np.eye(3)))
    given = {
        "one dimension": [1.0, 2.0], "three dimensions": np.zeros((2, 2, 2)), "ragged": [[1, 2], [3]],
        "lists in cells": [[[1], 2], [[3], 4]], "list column": frame(a=[[1], [2]]),
        "struct column": frame(a=[{"x": 1}]), "complex": np.array([[1j]]), "bytes": [[b"a"], [b"b"]],
        "nothing left": text("a", "a"),
    }  # fmt: skip
    calls = {name: lambda each=each: tm.Preparation().fit(each) for name, each in given.items()}
    calls |= {
        "fewer columns": lambda: three.transform(np.eye(2)),
        "another type": lambda: three.transform([[1, 2, "x"]]),
        "columns that are gone": lambda: plain().fit(frame(a=[1.0], b=[2.0])).transform(frame(b=[1.0])),
        "fewer sparse columns": lambda: thin.transform(sparse.csr_matrix(np.eye(3))[:, :2]),
        "not sparse": lambda: thin.transform(np.eye(3)),
        "nothing learned": lambda: tm.Preparation().transform(np.eye(2)),
    }
    refused = refusals(calls)
    snapshot("preparation_errors", refused)
    found = classes(refused)
    assert "not refused" not in found.values()
    assert (found["another type"], found["nothing learned"]) == ("ColumnError", "OptionError")
