"""What fits need is put once where workers find it, and nothing is left behind."""

from __future__ import annotations

import gc
import os
import pickle
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.validation.data.data_set import data_set
from tallymark.validation.data.sharing import Shelf, shared_features

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 50))
Y = (X[:, 0] > 0).astype(int)
FRAME = pl.DataFrame({f"c{place}": X[:, place] for place in range(50)})


class _Processes:
    """Stands for joblib while its workers are processes."""

    class parallel:
        @staticmethod
        def get_active_backend():
            return type("LokyBackend", (), {})(), 1


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """Where temporary files are."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.shared"))


@pytest.mark.parametrize("features", [X, FRAME], ids=["array", "frame"])
def test_features_are_a_file_that_is_written_once(features, folder) -> None:
    with shared_features(_Processes) as shelf:
        sent = [pickle.dumps(shelf.place(features)) for _ in range(3)]
        found = pickle.loads(sent[0])
        assert len(files(folder)) == 1
    assert len(set(sent)) == 1
    assert len(sent[0]) < 300
    assert np.array_equal(np.asarray(found), X)
    assert os.listdir(folder) == []


def test_one_within_another_uses_the_same_shelf(folder) -> None:
    with shared_features(_Processes) as shelf:
        shelf.place(X)
        for _ in range(2):
            with shared_features(_Processes) as inner:
                assert inner is shelf
            assert len(files(folder)) == 1, "the inner one leaves it alone"
    with shared_features(_Processes) as other:
        assert other is not shelf


def test_what_no_fit_needs_any_more_goes(folder) -> None:
    """As with the classes of a thousand permutations."""
    with shared_features(_Processes) as shelf:
        needed = shelf.place(X)
        for _ in range(40):
            shelf.place(RNG.random(10))
        gc.collect()
        assert len(files(folder)) < 12
        assert np.array_equal(pickle.loads(pickle.dumps(needed)), X), "a fit that is under way refers to it"


def test_a_thing_in_use_is_not_put_twice() -> None:
    put = []
    shelf = Shelf(lambda thing: put.append(thing))
    for number in range(100):
        shelf.place(X)
        shelf.place([number])
    assert sum(thing is X for thing in put) == 1


def test_threads_need_no_file(folder) -> None:
    with parallel_config(backend="threading"):
        found = tm.validate(GaussianNB(), FRAME, Y, cv=4, n_jobs=2)
    assert found["accuracy"].values == tm.validate(GaussianNB(), FRAME, Y, cv=4)["accuracy"].values
    assert os.listdir(folder) == []


def test_a_data_set_is_pickled_whole() -> None:
    found = pickle.loads(pickle.dumps(data_set(FRAME, Y)))
    assert np.array_equal(np.asarray(found.X), X)
    assert found.actual.tolist() == Y.tolist()
