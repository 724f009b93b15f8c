"""Rows that judge the choice take no part in it: poisoned, they change nothing but the judgement."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from tallymark.resampling import Oversampling, three_way_split
from tallymark.validation.tuning import Tuning, tune

X, Y = make_classification(90, 5, flip_y=0.3, random_state=7)
GRID = {"max_depth": [1, 2, 4, 8]}


def tamed(features: Any) -> Any:
    """So that a tree can be asked about anything; row by row, so nothing is learned from other rows."""
    return np.clip(np.nan_to_num(features, nan=-1e6), -1e6, 1e6)


MODEL = make_pipeline(FunctionTransformer(tamed), DecisionTreeClassifier(random_state=0))
# Cuts that do not look at the classes: where they do, another class is another cut.
OUTER = KFold(3, shuffle=True, random_state=1)
INNER = KFold(3, shuffle=True, random_state=2)


def search_of(found: Tuning, fold: int) -> list[tuple[float | None, ...]]:
    """What every candidate scored inside an outer fold."""
    return [each.values for each in found.inner_searches[fold].tried]


# --- poison ------------------------------------------------------------------------------------------

POISONS: dict[str, Callable[[Any], Any]] = {
    "missing": lambda part: np.full_like(part, np.nan),
    "infinite": lambda part: np.full_like(part, np.inf),
    "huge": lambda part: part * 1e9 + 1e6,
}


@pytest.mark.parametrize("poison", POISONS)
def test_outer_test_rows_do_not_touch_the_search_of_their_fold(poison: str) -> None:
    clean = tune(MODEL, X, Y, GRID, cv=OUTER, inner_cv=INNER)
    for fold, (_, test) in enumerate(OUTER.split(X)):
        features, classes = X.copy(), Y.copy()
        features[test], classes[test] = POISONS[poison](features[test]), 1 - classes[test]
        found = tune(MODEL, features, classes, GRID, cv=OUTER, inner_cv=INNER)
        assert search_of(found, fold) == search_of(clean, fold)
        assert found.inner_searches[fold].best == clean.inner_searches[fold].best
        # The poison did reach the other folds, so it could have been seen.
        others = [other for other in range(3) if other != fold]
        assert any(search_of(found, other) != search_of(clean, other) for other in others)


@pytest.mark.parametrize("poison", POISONS)
def test_test_rows_of_a_three_way_split_do_not_touch_the_choice(
    poison: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = tune(MODEL, X, Y, GRID, method="three-way")
    test = clean.folds.folds[0].test
    features, classes = X.copy(), Y.copy()
    features[test], classes[test] = POISONS[poison](features[test]), 1 - classes[test]
    split = three_way_split(Y)
    # The split looks at the classes, so it is held still.
    monkeypatch.setattr(
        sys.modules["tallymark.validation.tuning.tune"], "three_way_split", lambda *_, **__: split
    )
    found = tune(MODEL, features, classes, GRID, method="three-way")
    assert found.best_params == clean.best_params
    assert [each.values for each in found.candidates] == [each.values for each in clean.candidates]
    assert [each.training for each in found.candidates] == [each.training for each in clean.candidates]


def test_the_judgement_is_of_the_test_rows_alone() -> None:
    cut = [next(iter(OUTER.split(X)))]
    clean = tune(MODEL, X, Y, GRID, cv=cut, inner_cv=INNER)
    classes = Y.copy()
    classes[cut[0][1]] = 1 - classes[cut[0][1]]
    found = tune(MODEL, X, classes, GRID, cv=cut, inner_cv=INNER)
    assert found.inner_values == clean.inner_values
    assert found.outer.value == pytest.approx(1 - float(clean.outer), abs=1e-12)


# --- a spy -------------------------------------------------------------------------------------------


class Spy(ClassifierMixin, BaseEstimator):
    """Writes down which rows it learned and which it was asked about; the first feature is the row."""

    seen: ClassVar[list[tuple[int, frozenset[int], list[frozenset[int]]]]] = []

    def __init__(self, label: int = 0) -> None:
        self.label = label

    def fit(self, X: Any, y: Any) -> Spy:
        self.classes_ = np.unique(y)
        self.asked: list[frozenset[int]] = []
        self.seen.append((self.label, frozenset(X[:, 0].astype(int).tolist()), self.asked))
        return self

    def predict(self, X: Any) -> Any:
        self.asked.append(frozenset(X[:, 0].astype(int).tolist()))
        return np.full(len(X), self.label)


def spied(**options: Any) -> tuple[Tuning, list[tuple[int, frozenset[int], list[frozenset[int]]]]]:
    Spy.seen.clear()
    rows = np.arange(90.0)[:, None]
    return tune(Spy(), rows, Y, {"label": [0, 1]}, n_jobs=1, **options), list(Spy.seen)


def test_a_spy_sees_outer_test_rows_once_and_only_when_judged() -> None:
    found, seen = spied(cv=OUTER, inner_cv=INNER)
    assert len(seen) == 2 * 3 * (1 + 3) + 3
    inner, judged = seen[6:24], seen[24:]
    for fold, (train, test) in enumerate(OUTER.split(X)):
        mine = inner[6 * fold : 6 * fold + 6]
        for _, learned, asked in mine:
            assert not learned & set(test)
            assert not frozenset().union(*asked) & set(test)
            assert learned | frozenset().union(*asked) == set(train)
        label, learned, asked = judged[fold]
        winner = found.inner_searches[fold].winner
        assert winner is not None
        assert label == winner.candidate.parameters["label"]
        assert (learned, asked) == (set(train), [set(test)])


def test_a_spy_in_a_three_way_split() -> None:
    found, seen = spied(method="three-way")
    split = three_way_split(Y)
    train, validation, test = (frozenset(part.tolist()) for part in split)
    for _, learned, asked in seen[:2]:
        assert learned == train
        assert asked == [validation, train]
    assert [(learned, asked) for _, learned, asked in seen[2:]] == [(train | validation, [test])]
    assert seen[2][0] == found.best_params["label"]


# --- groups and samplers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [3, GroupKFold(3)], ids=["a number", "GroupKFold"])
def test_groups_stay_together_inside_too(inner: Any) -> None:
    groups = np.repeat(np.arange(18), 5)
    _, seen = spied(cv=3, inner_cv=inner, groups=groups)
    for _, learned, asked in seen:
        # The last search asks about the rows it learned as well, for the training score.
        tested = asked[0]
        assert not set(groups[list(learned)]) & set(groups[list(tested)])


def test_groups_stay_together_in_a_three_way_split() -> None:
    groups = np.repeat(np.arange(18), 5)
    _, seen = spied(method="three-way", groups=groups)
    for _, learned, asked in seen:
        assert not set(groups[list(learned)]) & set(groups[list(asked[0])])


def test_copies_of_a_row_that_a_bootstrap_drew_stay_together() -> None:
    _, seen = spied(cv="bootstrap:2", inner_cv=3)
    for _, learned, asked in seen:
        assert not learned & asked[0]


def test_a_sampler_changes_training_rows_only() -> None:
    rare = np.zeros(90, int)
    rare[:15] = 1
    Spy.seen.clear()
    found = tune(
        Spy(), np.arange(90.0)[:, None], rare, {"label": [0, 1]}, cv=3, inner_cv=3, n_jobs=1,
        sampler=Oversampling(), metric="recall",
    )  # fmt: skip
    assert found.evaluation.rows == 90
    assert all(fit.n_train == 100 for fit in found.fits)  # 50 of the large class, and 50 copies of 10


# --- pure noise -------------------------------------------------------------------------------------------


class Direction(ClassifierMixin, BaseEstimator):
    """Which side of a plane a row is on; the plane is told, so there is nothing to learn."""

    def __init__(self, plane: int = 0) -> None:
        self.plane = plane

    def fit(self, X: Any, y: Any) -> Direction:  # noqa: ARG002
        self.classes_ = np.array([0, 1])
        self.normal_ = np.random.default_rng(self.plane).normal(size=X.shape[1])
        return self

    def predict(self, X: Any) -> Any:
        return (X @ self.normal_ > 0).astype(int)


def test_on_pure_noise_the_promise_is_too_good_and_what_is_kept_is_not() -> None:
    """Of 50 candidates that all guess, the best seems to know something; nested folds find out."""
    promised, kept, holds = [], [], []
    for repeat in range(12):
        rng = np.random.default_rng(repeat)
        features, classes = rng.normal(size=(60, 8)), rng.permutation(np.repeat([0, 1], 30))
        found = tune(Direction(), features, classes, {"plane": list(range(50))}, cv=3, inner_cv=2, n_jobs=1)
        promised.append(found.inner.value)
        kept.append(found.outer.value)
        holds.append(found.outer.low is None or found.outer.low <= 0.5 <= (found.outer.high or 0))
    assert np.mean(promised) > 0.6
    error = float(np.std(kept, ddof=1)) / np.sqrt(len(kept))
    assert abs(np.mean(kept) - 0.5) < 3 * error
    assert np.mean(promised) - np.mean(kept) > 0.1
    assert sum(holds) >= 9
