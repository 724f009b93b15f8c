"""What a fit is known by: all that it depends on, and nothing else."""

from __future__ import annotations

import binascii
import pickle
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from counted_models import Counted
from scipy.sparse import csc_matrix, csr_array, csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.metrics import ask
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.fits.fitting import Task
from tallymark.validation.fits.scoring import of_training
from tallymark.validation.runs import hashing
from tallymark.validation.runs.describing import Indescribable
from tallymark.validation.runs.hashing import Hashes
from tallymark.validation.runs.keys import Key, Keys

X = np.random.default_rng(0).normal(size=(30, 3)).round(3)
y = np.arange(30) % 2
NAMES = np.array(["no", "yes"])
GROUPS = np.arange(30) // 3


def task(data: DataSet | None = None, **options: Any) -> Task:
    given = {"model": DecisionTreeClassifier(), "train": np.arange(20), "test": np.arange(20, 30)}
    given |= {"seed": (0, 1)}
    return Task(data=data or data_set(X, y), **{**given, **options})


def key(given: Task, by: Any = None) -> Key:
    return Keys(Hashes(), {}).of(given, by)


def changed(at: tuple[int, int], value: float) -> Any:
    found = X.copy()
    found[at] = value
    return found


def framed(table: Any, **options: Any) -> DataSet:
    return data_set(table, y, **options)


FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


def with_attributes(table: pd.DataFrame) -> pd.DataFrame:
    found = table.copy()
    found.attrs["unit"] = "m"
    return found


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(task(model=DecisionTreeClassifier(max_depth=2)), id="parameter"),
        pytest.param(task(model=LogisticRegression()), id="model"),
        pytest.param(task(parameters={"max_depth": 2}), id="tried parameter"),
        pytest.param(task(seed=(1, 1)), id="seed"),
        pytest.param(task(seed=(0, 2)), id="stream"),
        pytest.param(task(seed=(0, 1, 0)), id="longer stream"),
        pytest.param(task(train=np.arange(19)), id="training rows"),
        pytest.param(task(train=np.arange(20)[::-1]), id="order of training rows"),
        pytest.param(task(test=np.arange(21, 30)), id="test rows"),
        pytest.param(task(labels=1 - y[:20]), id="other classes to learn"),
        pytest.param(task(sampler=KFold()), id="sampler"),
        pytest.param(task(ask_training=False), id="training rows not asked"),
        pytest.param(task(of_training=of_training([ask("auc")])), id="numbers of training"),
        pytest.param(task(data_set(changed((3, 1), X[3, 1] + 1e-9), y)), id="value"),
        pytest.param(task(data_set(changed((3, 1), np.nan), y)), id="missing value"),
        pytest.param(task(data_set(X[::-1], y)), id="order of rows"),
        pytest.param(task(data_set(X[:, ::-1], y)), id="order of columns"),
        pytest.param(task(data_set(X.astype("f4"), y)), id="type of features"),
        pytest.param(task(data_set(X, np.where(np.arange(30) == 5, 1 - y, y))), id="class of a row"),
        pytest.param(task(data_set(X, NAMES[y])), id="classes as text"),
        pytest.param(task(data_set(X, y.astype(bool))), id="classes as booleans"),
        pytest.param(task(data_set(X, y, labels=[1, 0])), id="order of labels"),
        pytest.param(task(data_set(X, y, labels=[0, 1, 2])), id="another label"),
        pytest.param(task(data_set(X, y, pos_label=0)), id="positive class"),
        pytest.param(task(data_set(X, y, groups=GROUPS)), id="groups"),
        pytest.param(task(framed(FRAME)), id="table"),
        pytest.param(task(data_set(csr_matrix(X), y)), id="sparse"),
        pytest.param(task(data_set(X.tolist(), y)), id="lists"),
    ],
)
def test_what_a_fit_depends_on_makes_another_key(other: Task) -> None:
    one, another = key(task()).name, key(other).name
    assert one.partition("-")[0] != another.partition("-")[0]


def test_tables_are_told_apart_by_all_that_models_see() -> None:
    text = FRAME.assign(c=NAMES[y])
    tables = [
        FRAME,
        FRAME.rename(columns={"a": "z"}),
        FRAME[["b", "a", "c"]],
        FRAME.astype({"a": "float32"}),
        FRAME.assign(a=FRAME.a.mask(FRAME.index == 1)),
        text,
        text.assign(c=text.c.astype("category")),
        text.assign(c=pd.Categorical(text.c, categories=["yes", "no"])),
        text.assign(c=pd.Categorical(text.c, categories=["no", "yes", "maybe"])),
        text.assign(c=text.c.mask(text.index == 1)),
        pl.DataFrame(X, schema=["a", "b", "c"]),
        pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(pl.col("a").cast(pl.Float32)),
        FRAME.set_axis([0, 1, 2], axis=1),
        FRAME.set_axis(["0", "1", "2"], axis=1),
        FRAME.set_axis(["a", "a", "c"], axis=1),
        FRAME.rename_axis(columns="names"),
        FRAME.set_axis(range(1, 31)),
        FRAME.set_axis(list("abcdefghijklmnopqrstuvwxyz0123")),
        FRAME.set_axis(pd.date_range("2020-01-01", periods=30)),
        FRAME.set_axis(pd.date_range("2020-01-01", periods=30, tz="UTC")),
        FRAME.set_axis(pd.MultiIndex.from_product([range(5), range(6)])),
        FRAME.set_axis(pd.MultiIndex.from_product([range(6), range(5)])),
        FRAME.rename_axis("row"),
        FRAME.astype({"a": "Float64"}),
        with_attributes(FRAME),
        text.astype({"c": "string"}),
        text.astype({"c": object}),
        text.assign(c=text.c.astype(object).mask(text.index == 1, None)),
        text.assign(c=text.c.astype(object).mask(text.index == 1, np.nan)),
        text.assign(c=text.c.astype(object).mask(text.index == 1, pd.NA)),
        text.assign(c=text.c.astype(object).mask(text.index == 1, "<NA>")),
        text.assign(c=y),
        text.assign(c=y.astype("i4")),
        text.assign(c=pd.Series(y).astype("Int64")),
        text.assign(c=pd.Series(y).astype("Int64").mask(text.index == 1)),
        text.assign(c=y.astype(bool)),
        text.assign(c=pd.Series(y).astype("boolean")),
        text.assign(c=pd.Series(y).astype("int64[pyarrow]")),
        text.assign(c=pd.Series([[0, each] for each in y])),
        text.assign(c=pd.Series([np.r_[np.zeros(1500), each] for each in y])),
        text.assign(c=pd.Series([np.r_[np.zeros(1500), 1 - each] for each in y])),
        pl.DataFrame({"a": NAMES[y]}),
        pl.DataFrame({"a": pl.Series(NAMES[y]).cast(pl.Enum(["no", "yes"]))}),
        pl.DataFrame({"a": pl.Series(NAMES[y]).cast(pl.Enum(["yes", "no"]))}),
        pl.DataFrame({"a": pl.Series([[0.0, each] for each in y])}),
        pl.DataFrame({"a": pl.Series([[1.0, each] for each in y])}),
        pl.DataFrame({"a": pl.Series([np.arange(3) + each for each in y], dtype=pl.Object)}),
        pl.DataFrame({"a": pl.Series([np.arange(3) - each for each in y], dtype=pl.Object)}),
        pa.table({"a": X[:, 0]}),
        pa.table({"a": X[:, 0]}).replace_schema_metadata({"unit": "m"}),
        pa.table({"a": pa.DictionaryArray.from_arrays(pa.array(y), ["no", "yes"])}),
        pa.table({"a": pa.DictionaryArray.from_arrays(pa.array(1 - y), ["yes", "no"])}),
    ]
    assert len({key(task(framed(table))).name for table in tables}) == len(tables)


def test_what_a_fit_does_not_depend_on_makes_no_other(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    renamed = replace(data_set(X, y), name="other", notes=("a note.",), ids=np.arange(30))
    same = [
        task(data_set(X.copy(), y.copy())),
        task(data_set(np.asfortranarray(X), y.tolist())),
        task(data_set(mapped, y)),
        task(data_set(X, pd.Series(y))),
        task(renamed),
        task(model=pickle.loads(pickle.dumps(DecisionTreeClassifier()))),
        task(model=DecisionTreeClassifier().fit(X, y)),
        task(train=np.arange(20).astype(np.int64)),
        pickle.loads(pickle.dumps(task())),
    ]
    assert {key(each).name for each in same} == {key(task()).name}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_that_is_read_again_is_the_same(library: str, tmp_path: Path) -> None:
    table = FRAME.assign(word=NAMES[y], target=y)
    table.loc[3, "word"] = None
    table.to_csv(tmp_path / "table.csv", index=False)

    def read() -> DataSet:
        found = (pd if library == "pandas" else pl).read_csv(tmp_path / "table.csv")
        return framed(found[["a", "b", "c", "word"]])

    assert key(task(read())).name == key(task(read())).name


def test_sparse_tables_are_the_same_in_any_order_of_storage() -> None:
    mixed = csr_matrix(X)
    mixed.indices[:3], mixed.data[:3] = mixed.indices[2::-1].copy(), mixed.data[2::-1].copy()
    mixed.has_sorted_indices = False
    assert key(task(data_set(csr_matrix(X), y))).name == key(task(data_set(mixed, y))).name
    others = [csr_matrix(X), csr_matrix(2 * X), csc_matrix(X), csr_array(X), csr_matrix(X.astype("f4"))]
    assert len({key(task(data_set(each, y))).name for each in others}) == len(others)


def test_the_order_in_which_parameters_are_named_does_not_matter() -> None:
    one = task(parameters={"max_depth": 2, "criterion": "entropy"})
    assert key(one).name == key(task(parameters={"criterion": "entropy", "max_depth": 2})).name


def test_a_nested_parameter() -> None:
    one, other = (make_pipeline(StandardScaler(), LogisticRegression(C=C)) for C in (1.0, 2.0))
    assert key(task(model=one)).name != key(task(model=other)).name


class Chooser:
    """Something that does fits its own way."""

    def __init__(self, identity: Any) -> None:
        self.identity = identity

    def fit(self, _: Task) -> None: ...


def test_who_does_the_fit_matters() -> None:
    names = {key(task(), by).name for by in (None, Chooser([1]).fit, Chooser([2]).fit)}
    assert len(names) == 3
    assert key(task(), Chooser([1]).fit).name == key(task(), Chooser([1]).fit).name


def test_tuning_inside_knows_its_folds_grid_and_groups(tmp_path: Path, made: Any) -> None:
    """A permutation test that chooses parameters inside every fit."""
    ask_for = partial(tm.permutation_test, Counted(), X, y, n_permutations=20, run_folder=tmp_path / "runs")
    grid = {"var_smoothing": [1e-9, 1e-3]}
    for options in (
        {"param_grid": grid, "inner_cv": 2},
        {"param_grid": grid, "inner_cv": 3},
        {"param_grid": {"var_smoothing": [1e-9, 1e-2]}, "inner_cv": 2},
        {"param_grid": grid, "inner_cv": 2, "groups": GROUPS},
        {"param_grid": grid, "inner_cv": 2, "metric": "balanced_accuracy"},
    ):
        made.forget()
        ask_for(**options)
        assert made.fits, options
        made.forget()
        ask_for(**options)
        assert not made.fits, options


# --- what the key is made of ---------------------------------------------------------------------------


def test_the_record_says_what_the_fit_was() -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.5))
    found = key(task(model=model, parameters={"logisticregression__C": 2.0}))
    assert found.identity["model"]["is"] == "sklearn.pipeline:Pipeline"
    steps = found.identity["model"]["parameters"]["steps"]
    assert steps[1]["tuple"][1]["parameters"]["C"] == 0.5
    assert found.identity["parameters"] == {"logisticregression__C": 2.0}
    assert found.identity["seed"] == [0, 1]
    assert found.identity["train"][0] == 20
    assert found.identity["test"][0] == 10
    assert len(found.identity["data"]) == 32
    assert found.versions["scikit-learn"] == sklearn.__version__
    assert found.versions["tallymark"] == tm.__version__
    assert len(found.name) == 32 + 1 + 8


def test_other_versions_are_another_key_of_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(task()).name
    monkeypatch.setattr(sklearn, "__version__", "0.1")
    after = key(task()).name
    assert before[:32] == after[:32]
    assert before != after


def test_features_that_cannot_be_described_are_tried_once() -> None:
    tries = []

    class Opaque:
        def __reduce_ex__(self, _: Any) -> Any:
            tries.append(1)
            raise TypeError("never")

    data = replace(data_set(X, y), X=[Opaque()])
    keys = Keys(Hashes(), {})
    for _ in range(3):
        with pytest.raises(Indescribable, match="of type Opaque"):
            keys.of(task(data))
    assert len(tries) == 1


def test_no_data_set_is_taken_for_another_that_lay_in_its_place() -> None:
    """Hashes are kept by object, and objects that are gone leave their place to others."""
    hashes = Hashes()
    found = [hashes.of(data_set(X + number, y)) for number in range(100)]
    assert len(set(found)) == 100


def test_rows_tested_on_are_the_same_in_any_folds() -> None:
    def tested(**options: Any) -> tuple[str, int]:
        return hashing.tested_hash(tm.validate(DecisionTreeClassifier(), X, y, **options).folds)

    assert tested(cv=3) == tested(cv=5) == tested(cv="kfold:3x2")
    assert tested(cv=3)[1] == 30
    assert tested(cv="holdout:1/3") != tested(cv="holdout:1/3", random_state=1)
    assert tested(cv="holdout:1/3")[1] == 10


def test_test_rows_are_kept_one_by_one_up_to_a_million() -> None:
    rows = np.random.default_rng(0).random(10_001) < 0.3
    text = hashing.written_rows(rows)
    assert text is not None
    assert len(text) < 10_001 / 8 * 4 / 3  # bits in base64
    assert np.array_equal(hashing.read_rows(text, 10_001), rows)
    every = hashing.written_rows(np.ones(1_000_000, bool))
    assert every is not None
    assert len(every) < 1000
    assert hashing.written_rows(np.ones(1_000_001, bool)) is None
    for other in ("no rows", "bm8gcm93cw=="):
        with pytest.raises(ValueError, match=r"."):
            hashing.read_rows(other, 10)


def test_a_text_that_unpacks_to_many_more_rows_is_refused() -> None:
    text = binascii.b2a_base64(zlib.compress(bytes(10**7))).decode()
    with pytest.raises(ValueError, match="of more rows"):
        hashing.read_rows(text, 10)


def test_numbers_are_the_same_features_in_any_container() -> None:
    import pandas
    import polars

    numbers = X.astype(float)
    numbers[3, 1] = np.nan
    names = [f"x{place}" for place in range(X.shape[1])]
    frame = pandas.DataFrame(numbers, columns=names)
    nulls = polars.DataFrame(numbers, schema=names).fill_nan(None)

    def features(table: Any) -> str:
        return Hashes().of_features(replace(data_set(X, y), X=table))

    same = [
        numbers,
        np.asfortranarray(numbers),
        frame,
        frame.convert_dtypes(),
        nulls,
        polars.DataFrame(frame),
    ]
    assert len({features(each) for each in same}) == 1
    flags = numbers[:, :1] > numbers[0, 0]
    assert features(flags) == features(pandas.DataFrame(flags)) == features(flags.astype(int))
    others = [
        numbers,
        numbers[:, ::-1],
        numbers[::-1],
        numbers[:, :1],
        frame.astype(str),
        np.nan_to_num(numbers),
        frame.set_axis(["same"] * X.shape[1], axis=1),
        (frame + 1).set_axis(["same"] * X.shape[1], axis=1),
    ]
    assert len({features(each) for each in others}) == len(others)


def test_features_and_data_of_one_object_have_their_own_hashes() -> None:
    hashes, data = Hashes(), data_set(X, y)
    assert hashes.of(data) == hashes.of(data)
    assert hashes.of_features(data) == hashes.of_features(data_set(X, 1 - y)) != hashes.of(data)
