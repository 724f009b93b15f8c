"""Features are written once for all workers, and nothing is left behind."""

from __future__ import annotations

import os
import pickle

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.validation.data.data_set import data_set, sharing

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


@pytest.mark.parametrize("features", [X, FRAME], ids=["array", "frame"])
def test_a_data_set_for_workers_is_small_and_comes_back_whole(features) -> None:
    data = data_set(features, Y)
    whole = len(pickle.dumps(data))
    with sharing.shared_features(_Processes):
        sent = pickle.dumps(data)
        again = pickle.dumps(data)
        found = pickle.loads(sent)
        folder = sharing._folders[0]
        assert len(os.listdir(folder)) == 1, "written once"
    assert len(sent) < whole / 10
    assert again == sent
    assert np.array_equal(np.asarray(found.X), X)
    assert np.array_equal(found.actual, data.actual)
    assert not folder.exists()
    assert len(pickle.dumps(data)) == whole, "as ever when no worker is meant"


def test_data_sets_with_the_same_features_share_the_file() -> None:
    data = data_set(FRAME, Y)
    other = data_set(FRAME, 1 - Y)
    with sharing.shared_features(_Processes):
        found = [pickle.loads(pickle.dumps(each)) for each in (data, other)]
        assert len(os.listdir(sharing._folders[0])) == 1
    assert not np.array_equal(found[0].actual, found[1].actual)


def test_threads_need_no_file() -> None:
    with parallel_config(backend="threading"):
        found = tm.validate(GaussianNB(), FRAME, Y, cv=4, n_jobs=2)
    assert found["accuracy"].values == tm.validate(GaussianNB(), FRAME, Y, cv=4)["accuracy"].values
