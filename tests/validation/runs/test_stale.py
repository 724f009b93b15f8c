"""Two questions that differ in one thing, in one run folder: each has the answer that it has without one."""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import seeing_models as seeing
import sklearn
from scipy.sparse import csc_matrix, csr_matrix
from seeing_models import Distinct, Items, Names, Sees
from sklearn.compose import make_column_transformer
from sklearn.pipeline import FunctionTransformer, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm

N = 30
X = np.random.default_rng(0).normal(size=(N, 2))
Y = (np.arange(N) % 3 == 0).astype(int)
FRAME = pd.DataFrame(X, columns=["a", "b"])


def answer(model: Any, table: Any, folder: Path | None = None) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunFolderWarning)  # of models that cannot be kept
        found = tm.validate({"m": model}, table, Y, cv=3, run_folder=folder)
    return float(found.models["m"]["accuracy"].mean.value)


def compare(one: tuple[Any, Any], other: tuple[Any, Any], folder: Path) -> None:
    alone = [answer(*each) for each in (one, other)]
    assert alone[0] != alone[1], "the case tells nothing"
    assert [answer(*each, folder=folder) for each in (one, other)] == alone
    assert [answer(*each, folder=folder) for each in (one, other)] == alone


def fields(*names: str) -> Any:
    found = np.zeros(N, [(name, "f8") for name in names])
    found["a"] = X[:, 0]
    return found


def noted() -> pd.DataFrame:
    found = FRAME.copy()
    found.attrs["unit"] = "m"
    return found


def vectors(value: float) -> pd.DataFrame:
    return pd.DataFrame({"e": [np.r_[np.zeros(700), value, np.zeros(799)] for _ in range(N)]})


@pytest.mark.parametrize(
    ("what", "one", "other"),
    [
        pytest.param(seeing.mask, np.ma.array(X, mask=False), np.ma.array(X, mask=True), id="mask"),
        pytest.param(seeing.first_field, fields("a", "b"), fields("b", "a"), id="order of fields"),
        pytest.param(seeing.index, FRAME, FRAME.set_axis(range(1000, 1000 + N)), id="index"),
        pytest.param(seeing.attributes, FRAME, noted(), id="attributes"),
        pytest.param(seeing.is_nullable, FRAME, FRAME.astype("Float64"), id="type of a column"),
        pytest.param(
            seeing.is_named, FRAME.set_axis([0, 1], axis=1), FRAME.set_axis(["0", "1"], axis=1), id="names"
        ),
        pytest.param(seeing.by_row, csr_matrix(X), csc_matrix(X), id="sparse format"),
        pytest.param(seeing.inside, vectors(0), vectors(1), id="arrays in a column"),
    ],
)
def test_data(what: Any, one: Any, other: Any, tmp_path: Path) -> None:
    compare((Sees(what), one), (Sees(what), other), tmp_path / "runs")


def flagged(value: Any) -> Any:
    value.flag = True
    return value


SHOUTS, WHISPERS = functools.lru_cache(seeing.one), functools.lru_cache(seeing.zero)


@pytest.mark.parametrize(
    ("what", "one", "other"),
    [
        pytest.param(seeing.missing_key, defaultdict(seeing.zero), defaultdict(seeing.one), id="factory"),
        pytest.param(seeing.missing_key, defaultdict(lambda: 0), defaultdict(lambda: 1), id="local factory"),
        pytest.param(seeing.flag, Items([1]), flagged(Items([1])), id="list with attributes"),
        pytest.param(seeing.flag, Names(a=1), flagged(Names(a=1)), id="dictionary with attributes"),
        pytest.param(seeing.flag, Distinct({1}), flagged(Distinct({1})), id="set with attributes"),
        pytest.param(seeing.frozen, {1}, frozenset({1}), id="set and frozen set"),
        pytest.param(seeing.called, seeing.first_of_loop, seeing.in_a_loop, id="defined in a loop"),
        pytest.param(seeing.called, seeing.saying(0), seeing.saying(1), id="wrapped"),
        pytest.param(seeing.called, WHISPERS, SHOUTS, id="cached"),
        pytest.param(
            seeing.called, functools.lru_cache(lambda: 0), functools.lru_cache(lambda: 1), id="cached lambda"
        ),
        pytest.param(seeing.called, functools.partial(int, 0), functools.partial(int, 1), id="partial"),
    ],
)
def test_parameters(what: Any, one: Any, other: Any, tmp_path: Path) -> None:
    compare((Sees(what, one), X), (Sees(what, other), X), tmp_path / "runs")


def test_classes_made_by_a_program(tmp_path: Path) -> None:
    one, other = (
        type("Made", (Sees,), {"__module__": __name__, "predict": lambda _, X, k=k: np.full(len(X), k)})
        for k in (0, 1)
    )
    compare((one(None), X), (other(None), X), tmp_path / "runs")


def test_functions_made_by_numpy(tmp_path: Path) -> None:
    def model(function: Any) -> Any:
        return make_pipeline(
            FunctionTransformer(np.frompyfunc(function, 1, 1)), DecisionTreeClassifier(random_state=0)
        )

    def same(value: float) -> float:
        return value

    def nothing(_: float) -> float:
        return 0.0

    nothing.__name__ = "same"
    table = np.column_stack([Y, Y])
    compare((model(same), table), (model(nothing), table), tmp_path / "runs")


def test_models_in_one_run(tmp_path: Path) -> None:
    models = {
        name: Sees(seeing.called, each)
        for name, each in {"a": seeing.first_of_loop, "b": seeing.in_a_loop}.items()
    }
    with pytest.warns(
        tm.RunFolderWarning, match="'in_a_loop' is not the one that seeing_models has by that name"
    ):
        kept = tm.validate(models, X, Y, cv=3, run_folder=tmp_path / "runs")
    alone = tm.validate(models, X, Y, cv=3)
    for name in models:
        assert kept.models[name]["accuracy"].mean.value == alone.models[name]["accuracy"].mean.value


def test_output_of_transformers(tmp_path: Path) -> None:
    plain, framed = StandardScaler(), StandardScaler().set_output(transform="pandas")
    one, other = (make_pipeline(each, Sees(seeing.is_frame)) for each in (plain, framed))
    compare((one, FRAME), (other, FRAME), tmp_path / "runs")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_settings_of_scikit_learn(n_jobs: int, tmp_path: Path) -> None:
    """In other processes as well."""
    model = make_pipeline(
        StandardScaler(), make_column_transformer(("passthrough", ["a"])), Sees(seeing.is_frame)
    )
    for _ in range(2):
        with pytest.raises(tm.InputError, match="all 3 fits failed"):
            tm.validate(model, FRAME, Y, cv=3, run_folder=tmp_path / "runs", n_jobs=n_jobs)
        with sklearn.config_context(transform_output="pandas"):
            found = tm.validate({"m": model}, FRAME, Y, cv=3, run_folder=tmp_path / "runs", n_jobs=n_jobs)
        assert found.models["m"]["accuracy"].mean.value == pytest.approx(1 / 3)


def test_metadata_that_is_asked_for(tmp_path: Path) -> None:
    from tallymark.validation.runs.describing import described

    with sklearn.config_context(enable_metadata_routing=True):
        asks = DecisionTreeClassifier().set_fit_request(sample_weight=True)
        assert described(asks) != described(DecisionTreeClassifier())
        assert described(asks) == described(DecisionTreeClassifier().set_fit_request(sample_weight=True))


def test_another_positive_class_is_another_fit_of_the_same_data(tmp_path: Path) -> None:
    folder = tm.RunFolder(tmp_path / "runs")
    for positive in (0, 1):
        tm.validate(DecisionTreeClassifier(), X, Y, cv=3, pos_label=positive, run_folder=folder)
        assert folder.used.made == 3
    one, other = folder.runs()
    assert one["run"] != other["run"]
    assert one["data"][0]["hash"] == other["data"][0]["hash"]
