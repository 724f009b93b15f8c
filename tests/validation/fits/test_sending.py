"""What crosses to a worker is small, and is the same task when it is there."""

from __future__ import annotations

import pickle
from dataclasses import replace

import cloudpickle
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tallymark.metrics import ask
from tallymark.validation.data.data_set import data_set
from tallymark.validation.data.sharing import Shelf
from tallymark.validation.fits.fitting import Task
from tallymark.validation.fits.scoring import of_training
from tallymark.validation.fits.sending import Message, Parcel

N = 5_000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
Y = RNG.integers(0, 2, N)
FOLD = np.arange(N) % 10 == 0
TRAIN, TEST = np.flatnonzero(~FOLD), np.flatnonzero(FOLD)
DATA = data_set(X, Y, groups=np.arange(N) // 2, ids=[f"row {place}" for place in range(N)])


def task(**changes) -> Task:
    made = Task(LogisticRegression(C=2), DATA, TRAIN, TEST, (0, 1), of_training=of_training([ask("auc")]))
    return replace(made, **changes)


def there_and_back(given: Task) -> Task:
    """As a worker gets it; features and classes stay on the shelf."""
    shelf = Shelf(lambda thing: thing)
    return pickle.loads(pickle.dumps(Parcel(given, shelf))).task


ROWS = {
    "a fold and the others": (TRAIN, TEST),
    "drawn with replacement": (RNG.integers(0, N, N), np.arange(7)),
    "in no order": (RNG.permutation(TRAIN), TEST[::-1].copy()),
    "few": (np.array([4, 9]), np.array([0, N - 1])),
    "one in both": (np.array([4, 9]), np.array([4])),
    "all": (np.arange(N), np.arange(N)),
    "none to test on": (np.arange(10), np.empty(0, np.int64)),
}


@pytest.mark.parametrize("rows", ROWS)
def test_rows_come_as_they_were(rows: str) -> None:
    train, test = ROWS[rows]
    found = there_and_back(task(train=train, test=test))
    assert found.train.dtype == found.test.dtype == np.int64
    assert found.train.tolist() == train.tolist()
    assert found.test.tolist() == test.tolist()


LABELS = {
    "numbers": RNG.integers(0, 3, len(TRAIN)) * 100,
    "text": np.array(["yes", "no", "perhaps"])[RNG.integers(0, 3, len(TRAIN))],
    "objects": np.array(["yes", 1, 2.5], object)[RNG.integers(0, 3, len(TRAIN))],
}


@pytest.mark.parametrize("kind", LABELS)
def test_other_classes_to_learn_come_as_they_were(kind: str) -> None:
    found = there_and_back(task(labels=LABELS[kind])).labels
    assert found is not None
    assert found.dtype == LABELS[kind].dtype
    assert found.tolist() == LABELS[kind].tolist()


def test_all_else_of_a_task_comes_too() -> None:
    given = task(parameters={"C": 3.0}, ask_training=False)
    found = there_and_back(given)
    assert (found.seed, dict(found.parameters), found.ask_training) == ((0, 1), {"C": 3.0}, False)
    assert found.model.get_params() == given.model.get_params()
    assert np.array_equal(found.data.X, X)
    assert found.data.y.tolist() == Y.tolist()
    assert found.data.groups.tolist() == DATA.groups.tolist()
    assert (found.data.labels, found.data.positive) == (DATA.labels, DATA.positive)
    assert found.data.ids is None, "which no fit needs"


def test_a_task_that_stays_is_itself() -> None:
    given = task()
    assert Parcel(given, Shelf(lambda thing: thing)).task is given


def test_a_task_without_its_data_is_small() -> None:
    """A bit for every row, and the model."""
    rows = 100_000
    fold = np.arange(rows) % 10 == 0
    data = data_set(np.zeros((rows, 2)), np.arange(rows) % 2)
    given = Task(
        LogisticRegression(),
        data,
        np.flatnonzero(~fold),
        np.flatnonzero(fold),
        (0, 1),
        of_training=of_training([ask("auc"), ask("brier")]),
    )
    placed = []
    shelf = Shelf(lambda thing: placed.append(thing))
    assert len(cloudpickle.dumps(Parcel(given, shelf))) < 5_000 + rows / 8
    # Classes to learn of two kinds: one byte for each.
    relabelled = replace(given, labels=data.y[given.train])
    assert len(cloudpickle.dumps(Parcel(relabelled, shelf))) < 5_000 + rows / 8 + rows
    assert [thing is data.X for thing in placed] == [True, False]
    assert placed[1] is data.without_features


def test_data_of_few_rows_travel_with_the_task() -> None:
    placed = []
    few = data_set(X[:100], Y[:100])
    given = task(data=few, train=np.arange(50), test=np.arange(50, 100))
    pickle.dumps(Parcel(given, Shelf(lambda thing: placed.append(thing))))
    assert len(placed) == 1, "the features alone"


def test_of_all_permuted_classes_the_features_are_the_same() -> None:
    """`permute="all"` makes a new data set for every permutation."""
    placed = []
    shelf = Shelf(lambda thing: placed.append(thing))
    for _ in range(20):
        pickle.dumps(Parcel(task(data=replace(DATA, y=Y[::-1], actual=DATA.actual[::-1])), shelf))
    assert sum(thing is X for thing in placed) == 1
    assert len(placed) == 21


def test_a_message_holds_no_data() -> None:
    assert Message.of(task()).task.data is None
