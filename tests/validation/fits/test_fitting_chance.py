"""Chance in fits: one stream for each, and sampling of the training rows alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.under_sampling import RandomUnderSampler
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import ExtraTreeClassifier

from tallymark.resampling.sampling import Oversampling, Undersampling
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.fits.fitting import Fit, Task, fit, run, seeded

X, IRIS = load_iris(return_X_y=True)
TRAIN, TEST = np.arange(0, 150, 2), np.arange(1, 150, 2)


def fitted(model: Any, data: DataSet, **options: Any) -> Fit:
    """One fit, on every second row unless said otherwise."""
    rows = np.arange(data.rows)
    given: dict[str, Any] = {"train": rows[::2], "test": rows[1::2], "seed": (0, 1)} | options
    return fit(Task(model, data, **given))


def answered(model: Any, data: DataSet, **options: Any) -> Fit:
    """The same, which must not fail."""
    found = fitted(model, data, **options)
    assert found.failure is None, found.failure
    return found


class Plain:
    """A model without parameters."""

    def fit(self, X: Any, y: Any) -> None:
        pass

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), int)


# --- chance --------------------------------------------------------------------------------------


def test_an_open_random_state_is_filled_from_the_stream_and_a_set_one_kept() -> None:
    model = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    rng = np.random.default_rng(0)
    first, second = seeded(model, rng), seeded(model, rng)
    states = [each[-1].random_state for each in (first, second)]
    assert all(isinstance(state, int) for state in states)
    assert states[0] != states[1]
    assert model[-1].random_state is None
    assert seeded(RandomForestClassifier(random_state=5), rng).random_state == 5
    assert seeded(RandomForestClassifier(), rng, {"random_state": 6}).random_state == 6
    assert seeded(Undersampling(), rng).random_state is not None
    assert isinstance(seeded(Plain(), rng), Plain)


def tasks_by_chance() -> list[Task]:
    data = data_set(X[:, :2], IRIS)
    models = [ExtraTreeClassifier(), RandomForestClassifier(3)]
    samplers = [None, Oversampling(), Undersampling(0.9)]
    return [
        Task(model, data, TRAIN[4:], TEST, (seed, place, at), sampler=sampler)
        for seed in (0, 1)
        for place, model in enumerate(models)
        for at, sampler in enumerate(samplers)
    ]


def test_any_number_of_workers_gives_the_same() -> None:
    one, again, spread = (list(run(tasks_by_chance(), n_jobs=jobs, what="")) for jobs in (1, 1, 2))
    assert len(one) == 12
    for found in zip(one, again, spread, strict=True):
        scores = [each.scores for each in found]
        assert all(each.failure is None for each in found)
        assert all(np.array_equal(scores[0], other) for other in scores[1:])  # type: ignore[arg-type]
    different = {each.scores.tobytes() for each in one if each.scores is not None}
    assert len(different) == 12


def test_other_fits_have_other_chance() -> None:
    data = data_set(X[:, :2], IRIS)
    seeds = [(0, 0), (0, 1), (1, 0), (0, 0, 1)]
    found = {answered(ExtraTreeClassifier(), data, seed=seed).scores.tobytes() for seed in seeds}  # type: ignore[union-attr]
    assert len(found) == len(seeds)


# --- over- and undersampling -----------------------------------------------------------------------

SEEN: list[tuple[Any, Any]] = []
"""What `Watched` models were given: rows to learn, rows to answer."""


class Watched(BaseEstimator):
    """It writes down the rows that it is shown."""

    def fit(self, X: Any, y: Any) -> Watched:
        self.learned_ = np.asarray(X), np.asarray(y)
        return self

    def predict(self, X: Any) -> Any:
        SEEN.append((self.learned_, np.asarray(X)))
        return np.full(len(X), "common")


MARKED = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=60)])
RARE = np.where(np.arange(60) % 6 == 0, "rare", "common")
SAMPLERS = {
    "over": (Oversampling(), 50, 25),
    "over to a half": (Oversampling(0.6), 40, 15),
    "under": (Undersampling(), 10, 5),
    "under to a half": (Undersampling(0.5), 15, 5),
    "by count": (Undersampling({"common": 7}), 12, 5),
    "imbalanced-learn over": (RandomOverSampler(), 50, 25),
    "imbalanced-learn under": (RandomUnderSampler(), 10, 5),
}


def watched(sampler: Any, test: Any) -> tuple[Any, Any, Any, Fit]:
    SEEN.clear()
    train = np.setdiff1d(np.arange(60), test)
    found = answered(Watched(), data_set(MARKED, RARE), train=train, test=test, sampler=sampler)
    (learned, asked), (_, of_training) = SEEN
    assert np.array_equal(asked, MARKED[test])  # as many, in order, unchanged
    assert np.array_equal(of_training, MARKED[train])  # also asked about the rows as they are
    assert len(found.answers) == len(test)
    return train, *learned, found


@pytest.mark.parametrize("kind", SAMPLERS)
@pytest.mark.parametrize("test", [np.arange(30), np.arange(30, 60)], ids=["first half", "second half"])
def test_only_training_rows_are_sampled(kind: str, test: Any) -> None:
    sampler, rows, rare = SAMPLERS[kind]
    train, learned, classes, found = watched(sampler, test)
    marks = learned[:, 0].astype(int)
    assert not set(marks) & set(test.tolist())
    assert set(marks) <= set(train.tolist())
    assert np.array_equal(learned, MARKED[marks])
    assert (classes == RARE[marks]).all()
    assert (len(learned), (classes == "rare").sum(), found.n_train) == (rows, rare, rows)
    assert found.training is not None
    assert found.training.sum() == 30


def test_rows_made_up_by_smote_come_from_training_rows() -> None:
    test = np.arange(30)
    _, learned, classes, found = watched(SMOTE(k_neighbors=2), test)
    assert (len(learned), (classes == "rare").sum(), found.n_train) == (50, 25, 50)
    # Between training rows, whose marks are 30 and more; a test row would draw a mark below.
    assert learned[:, 0].min() >= 30


def test_a_sampler_that_breaks_is_a_failure() -> None:
    found = fitted(Watched(), data_set(MARKED, RARE), sampler=Undersampling({"common": 999}))
    assert str(found.failure).startswith("OptionError: class 'common' has ")
    found = fitted(Watched(), data_set(MARKED, RARE), sampler=SMOTE(k_neighbors=50))
    assert str(found.failure).startswith("ValueError: ")
