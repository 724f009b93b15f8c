"""Learners by name: what they are, what they do with tables, and how they are named."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.fitting import Task, fit
from tallymark.validation.learners.by_name import GRIDS, LEARNERS, described, learner, parameter_name
from tallymark.validation.learners.majority import Majority
from tallymark.validation.learners.voting import Voting

N = 120
RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, N)
TABLE = pl.DataFrame(
    {
        "n": Y + RNG.normal(0, 0.3, N),
        "t": np.where(Y, "up", "down"),
        "b": RNG.random(N) < 0.5,
    }
).with_columns(
    n=pl.when(pl.int_range(N) % 10 > 0).then("n"),
    t=pl.when(pl.int_range(N) % 9 > 0).then("t"),
)
DATA = data_set(TABLE, np.where(Y, "yes", "no"))


def refused(text: str) -> str:
    with pytest.raises(tm.OptionError) as caught:
        learner(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- by name ----------------------------------------------------------------------------------------


def test_the_names() -> None:
    assert LEARNERS == ("logistic", "tree", "forest", "boosting", "knn", "bayes", "majority")
    assert isinstance(learner("majority"), Majority)
    assert isinstance(learner("logistic"), Pipeline)


@pytest.mark.parametrize("name", LEARNERS)
def test_each_learns_from_numbers_text_and_gaps(name: str) -> None:
    model = learner(name)
    quick = {
        "boosting": {"model__max_iter": 5, "model__min_samples_leaf": 5},
        "forest": {"model__n_estimators": 10},
    }
    found = fit(Task(model, DATA, np.arange(90), np.arange(90, N), (0, 1), quick.get(name, {})))
    assert found.failure is None
    assert found.warnings == ()
    assert found.scores is not None
    right = float((found.answers == DATA.actual[90:]).mean())
    share = max(np.bincount(DATA.actual[90:])) / 30
    assert right == pytest.approx(share) if name == "majority" else right > 0.85


@pytest.mark.parametrize(
    "name", [name for name in LEARNERS if name not in ("majority", "boosting", "forest")]
)
def test_complete_numbers_are_learned_as_scikit_learn_does(name: str) -> None:
    X = RNG.normal(size=(80, 3))
    y = (X[:, 0] + RNG.normal(0, 1, 80) > 0).astype(int)
    model = learner(name).set_params(**({"model__random_state": 0} if name == "tree" else {}))
    peer = clone(model.named_steps["model"])
    if name != "tree":
        peer = make_pipeline(StandardScaler(), peer)
    np.testing.assert_allclose(model.fit(X, y).predict_proba(X), peer.fit(X, y).predict_proba(X), atol=1e-12)


def test_chance_is_left_open_for_the_stream_of_the_run() -> None:
    for name in LEARNERS:
        open_ = [value for key, value in learner(name).get_params().items() if key.endswith("random_state")]
        assert all(value is None for value in open_)


def test_missing_numbers_reach_boosting() -> None:
    assert learner("boosting").get_params()["prepare__impute"] is False
    assert learner("tree").get_params()["prepare__impute"] is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("frest", "Hint: did you mean 'forest'?", id="misspelt"),
        pytest.param("Tree", "Hint: did you mean 'tree'?", id="capital"),
        pytest.param("", "no learner is called ''; there are logistic, tree", id="empty"),
        pytest.param("vote", "vote:tree,logistic,knn or vote:tree:25", id="vote without models"),
        pytest.param("vote:", "has an empty name", id="vote for nothing"),
        pytest.param(
            "vote:tree", "names one model; a vote needs several. Hint: write vote:tree:25", id="one voter"
        ),
        pytest.param("vote:tree,tree", "names 'tree' twice", id="a voter twice"),
        pytest.param(
            "vote:tree:1", "a vote needs at least 2 copies; 'vote:tree:1' asks for 1.", id="one copy"
        ),
        pytest.param("vote:tree,", "has an empty name", id="trailing comma"),
        pytest.param("vote:vote:tree:5", "votes in votes", id="vote in a vote"),
        pytest.param("vote:tree,oak", "no learner is called 'oak'", id="unknown voter"),
    ],
)
def test_names_that_are_none(text: str, said: str) -> None:
    assert said in refused(text)


# --- votes ------------------------------------------------------------------------------------------


def test_votes_of_several() -> None:
    model = learner("vote:tree,logistic,knn")
    assert isinstance(model, Voting)
    assert list(model.models) == ["tree", "logistic", "knn"]
    found = fit(Task(model, DATA, np.arange(90), np.arange(90, N), (0, 1)))
    assert found.scores is not None
    assert set(np.round(found.scores.ravel() * 3, 9)) <= {0.0, 1.0, 2.0, 3.0}


def test_votes_of_copies() -> None:
    model = learner("vote:tree:5")
    assert (model.n_copies, type(model.models)) == (5, Pipeline)
    assert fit(Task(model, DATA, np.arange(90), np.arange(90, N), (0, 1))).failure is None
    both = learner("vote:tree,knn:5")
    assert (both.n_copies, list(both.models)) == (5, ["tree", "knn"])


# --- one's own --------------------------------------------------------------------------------------

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "own_of_test.py").write_text(OWN, encoding="utf-8")
    yield tmp_path
    for name in [name for name in sys.modules if name.endswith("_of_test")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        pytest.param("own_of_test:shallow", 1, id="a model"),
        pytest.param("own_of_test:deep", 9, id="a function"),
        pytest.param("own_of_test:DecisionTreeClassifier", None, id="a class"),
        pytest.param("own_of_test:Nested.inner", 1, id="deeper"),
        pytest.param("sklearn.tree:DecisionTreeClassifier", None, id="installed"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_model_of_the_current_folder(text: str, depth: int | None) -> None:
    model = learner(text)
    assert isinstance(model, DecisionTreeClassifier)
    assert model.max_depth == depth


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "own_of_test:shalow",
            "'own_of_test' has no 'shalow'. Hint: did you mean 'shallow'?",
            id="misspelt",
        ),
        pytest.param(
            "nowhere_of_test:model",
            "there is no module 'nowhere_of_test', neither installed nor in",
            id="no module",
        ),
        pytest.param("own_of_test.py:shallow", "Hint: write own_of_test, without .py.", id="a file name"),
        pytest.param("folder/own:shallow", "does not name an object of a module", id="a path"),
        pytest.param("own_of_test:", "does not name an object of a module", id="no object"),
        pytest.param(
            "own_of_test:asks",
            "cannot be called without arguments: TypeError: asks() missing 1",
            id="arguments",
        ),
        pytest.param("own_of_test:breaks", "ValueError: no luck.", id="raises"),
        pytest.param("own_of_test:number", "has no method fit; got int", id="no model"),
        pytest.param(
            "broken_of_test:model", "cannot be imported: ZeroDivisionError: division by zero.", id="broken"
        ),
        pytest.param("syntax_of_test:model", "cannot be imported: SyntaxError", id="syntax"),
        pytest.param("exits_of_test:model", "cannot be imported: SystemExit: 3.", id="exits"),
        pytest.param(
            "needs_of_test:model", "imports nothing_called_so, which is not installed", id="needs another"
        ),
    ],
)
def test_models_that_cannot_be_had(folder: Path, text: str, said: str) -> None:
    (folder / "broken_of_test.py").write_text("1 / 0", encoding="utf-8")
    (folder / "syntax_of_test.py").write_text("def", encoding="utf-8")
    (folder / "exits_of_test.py").write_text("raise SystemExit(3)", encoding="utf-8")
    (folder / "needs_of_test.py").write_text("import nothing_called_so", encoding="utf-8")
    assert said in refused(text)


# --- in words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "said"),
    [
        pytest.param(
            "logistic",
            "numbers scaled, missing ones replaced by the median of the training rows and marked; text "
            "columns one-hot (up to 50 levels each, missing is one); LogisticRegression(max_iter=1000)",
            id="logistic",
        ),
        pytest.param(
            "boosting",
            "numbers as they are, missing ones kept; text columns one-hot (up to 50 levels each, missing is "
            "one); HistGradientBoostingClassifier()",
            id="boosting",
        ),
        pytest.param(
            "majority",
            "always the most frequent class of the training rows, whatever the columns say",
            id="majority",
        ),
        pytest.param(
            "vote:tree,bayes",
            "2 models vote: tree (numbers as they are, missing ones replaced by the median of the training "
            "rows and marked; text columns one-hot (up to 50 levels each, missing is one); "
            "DecisionTreeClassifier()), bayes (numbers scaled, missing ones replaced by the median of the "
            "training rows and marked; text columns one-hot (up to 50 levels each, missing is one); "
            "GaussianNB())",
            id="votes",
        ),
        pytest.param(
            "vote:tree:5",
            "5 copies vote, each learns a bootstrap sample of the training rows: numbers as they are, "
            "missing ones replaced by the median of the training rows and marked; text columns one-hot (up "
            "to 50 levels each, missing is one); DecisionTreeClassifier()",
            id="copies",
        ),
        pytest.param(
            "vote:majority,boosting:5",
            "5 copies of each vote, each learns a bootstrap sample of the training rows: majority (always "
            "the most frequent class of the training rows, whatever the columns say), boosting (numbers as "
            "they are, missing ones kept; text columns one-hot (up to 50 levels each, missing is one); "
            "HistGradientBoostingClassifier())",
            id="copies of several",
        ),
    ],
)
def test_what_a_learner_does_in_words(model: str, said: str) -> None:
    assert described(learner(model)) == said


def test_votes_of_models_without_names_in_words() -> None:
    votes = Voting([GaussianNB(), KNeighborsClassifier()])
    assert described(votes) == "2 models vote: GaussianNB(), KNeighborsClassifier()"


def test_one_s_own_in_words_is_a_line() -> None:
    model = make_pipeline(StandardScaler(), SVC(C=3.0))
    assert described(model) == "Pipeline(steps=[('standardscaler', StandardScaler()), ('svc', SVC(C=3.0))])"


# --- parameters -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_every_grid_names_parameters_that_can_be_set(name: str) -> None:
    assert set(GRIDS) == set(LEARNERS)
    model = learner(name)
    for parameter, values in GRIDS[name].items():
        for value in values:
            model.set_params(**{parameter_name(model, parameter): value})


def test_short_names_of_parameters() -> None:
    assert parameter_name(learner("tree"), "max_depth") == "model__max_depth"
    assert parameter_name(learner("tree"), "model__max_depth") == "model__max_depth"
    assert parameter_name(learner("knn"), "scale") == "prepare__scale"
    assert parameter_name(SVC(), "C") == "C"
    assert parameter_name(make_pipeline(StandardScaler(), SVC()), "C") == "svc__C"
    boosted = Pipeline([("model", AdaBoostClassifier(LogisticRegression()))])
    assert parameter_name(boosted, "random_state") == "model__random_state"  # not that of the inner one
    assert parameter_name(boosted, "C") == "model__estimator__C"


class Bare:
    def fit(self, X: Any, y: Any) -> None: ...
    def predict(self, X: Any) -> None: ...


@pytest.mark.parametrize(
    ("model", "name", "said"),
    [
        pytest.param("tree", "max_dept", "Hint: did you mean max_depth", id="misspelt"),
        pytest.param(
            "tree", "zzz", "there is no parameter 'zzz'; there are ccp_alpha, class_weight", id="unknown"
        ),
        pytest.param(
            "vote:tree,forest",
            "max_depth",
            "could be forest__model__max_depth, tree__model__max_depth",
            id="two",
        ),
        pytest.param(
            Bare(), "depth", "Bare has no get_params, so its parameters cannot be set", id="none at all"
        ),
    ],
)
def test_parameters_that_cannot_be_found(model: Any, name: str, said: str) -> None:
    with pytest.raises(tm.OptionError) as caught:
        parameter_name(learner(model) if isinstance(model, str) else model, name)
    assert said in str(caught.value)
