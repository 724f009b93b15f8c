"""`Preparation`: what becomes of columns, from the training rows alone."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import tallymark as tm
from tallymark.validation.learners.preparation import LEVELS, LeftOut, Preparation

NAN = float("nan")


def plain() -> Preparation:
    return Preparation(scale=False)


def rows(found: Any) -> list[list[float]]:
    assert found.dtype == np.float64
    made: list[list[float]] = found.tolist()
    return made


# --- numbers ----------------------------------------------------------------------------------------


def test_complete_numbers_stay_as_they_are() -> None:
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    assert rows(plain().fit_transform(X)) == X.tolist()


def test_a_missing_number_becomes_the_median_of_the_training_rows_and_is_marked() -> None:
    # The median of 1, 2 and 9 is 2; the second column lacks nothing, so it has no mark.
    train = np.array([[1.0, 5.0], [NAN, 6.0], [2.0, 7.0], [9.0, 8.0]])
    made = plain().fit(train)
    assert rows(made.transform(train)) == [[1, 5, 0], [2, 6, 1], [2, 7, 0], [9, 8, 0]]
    assert rows(made.transform(np.array([[NAN, NAN]]))) == [[2, 6.5, 1]]


def test_scaled_as_scikit_learn_does() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(3, 7, (50, 4))
    X[rng.random(X.shape) < 0.2] = NAN
    peer = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    np.testing.assert_allclose(Preparation().fit_transform(X)[:, :4], peer.fit_transform(X), rtol=1e-12)


def test_without_impute_missing_numbers_stay_missing() -> None:
    X = np.array([[1.0], [NAN], [3.0]])
    found = Preparation(scale=False, impute=False).fit_transform(X)
    np.testing.assert_array_equal(found, X)


def test_a_column_that_lacks_every_training_value_is_left_out_whatever_the_test_rows_have() -> None:
    made = plain().fit(np.array([[1.0, NAN], [2.0, NAN]]))
    assert rows(made.transform(np.array([[5.0, 1e9]]))) == [[5]]


def test_a_constant_column_of_numbers_is_scaled_to_zero() -> None:
    assert rows(Preparation().fit_transform(np.array([[4.0], [4.0]]))) == [[0], [0]]


# --- text, booleans, categories ---------------------------------------------------------------------


def frame(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


def test_levels_of_the_training_rows_become_columns() -> None:
    made = plain().fit(frame(c=["b", "a", "b", "a", "a"]))
    assert rows(made.transform(frame(c=["a", "b"]))) == [[1, 0], [0, 1]]


def test_an_unseen_level_is_none_of_them() -> None:
    made = plain().fit(frame(c=["b", "a", "b", "a"]))
    assert rows(made.transform(frame(c=["zebra"]))) == [[0, 0]]


def test_a_level_of_the_training_rows_only_keeps_its_column() -> None:
    made = plain().fit(frame(c=["b", "a", "b", "a"]))
    assert rows(made.transform(frame(c=["a", "a"]))) == [[1, 0], [1, 0]]


def test_missing_is_a_level_of_its_own() -> None:
    made = plain().fit(frame(c=["a", None, "b", None, "a", "b"]))
    assert rows(made.transform(frame(c=pl.Series([None, "a"], dtype=pl.String)))) == [[0, 0, 1], [1, 0, 0]]


def test_a_missing_value_that_training_never_saw_is_none_of_the_levels() -> None:
    made = plain().fit(frame(c=["a", "b", "a", "b"]))
    assert rows(made.transform(frame(c=pl.Series([None], dtype=pl.String)))) == [[0, 0]]


def test_levels_of_one_row_are_pooled() -> None:
    made = plain().fit(frame(c=["a"] * 5 + ["b"] * 5 + ["x", "y"]))
    assert rows(made.transform(frame(c=["a", "x", "y", "never seen"]))) == [
        [1, 0, 0],
        [0, 0, 1],
        [0, 0, 1],
        [0, 0, 0],
    ]


def test_there_are_never_more_columns_than_the_limit() -> None:
    names = [f"level {place:03}" for place in range(3 * LEVELS) for _ in range(3)]
    assert plain().fit_transform(frame(c=names)).shape == (9 * LEVELS, LEVELS)


def test_a_constant_text_is_left_out_without_a_word() -> None:
    assert rows(plain().fit_transform(frame(c=["a", "a"], n=[1, 2]))) == [[1], [2]]


def test_text_that_tells_rows_apart_is_left_out_and_said() -> None:
    table = frame(name=[f"person {place}" for place in range(20)], n=range(20))
    with pytest.warns(LeftOut, match="column 'name', where nearly every row has another text"):
        found = plain().fit_transform(table)
    assert found.shape == (20, 1)


def test_a_remark_that_most_rows_lack_is_kept() -> None:
    remarks = pl.Series([*"abc", *[None] * 17], dtype=pl.String)
    found = plain().fit_transform(frame(remark=remarks))
    assert found.sum(axis=0).tolist() == [17, 3]  # missing, and the pool of single ones


def test_booleans_are_levels() -> None:
    made = plain().fit(frame(b=[True, False, True, False, None]))
    assert rows(made.transform(frame(b=[True, False]))) == [[0, 1, 0], [1, 0, 0]]


def test_dates_are_left_out_and_said() -> None:
    table = frame(when=[datetime.date(2020, 1, day) for day in (1, 2, 3)], n=[1, 2, 3])
    with pytest.warns(LeftOut, match="column 'when', which holds dates"):
        assert plain().fit_transform(table).shape == (3, 1)


# --- any table --------------------------------------------------------------------------------------

NUMBERS = [1.5, None, 2.5, 3.5]
TEXT = ["a", "b", None, "a"]
FLAGS = [True, False, True, None]
# The number and its mark (the median is 2.5); "a" and the pool of single levels; True and the pool.
EXPECTED = [[1.5, 0, 1, 0, 1, 0], [2.5, 1, 0, 1, 0, 1], [2.5, 0, 0, 1, 1, 0], [3.5, 0, 1, 0, 0, 1]]


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(frame(n=NUMBERS, t=TEXT, f=FLAGS), id="polars"),
        pytest.param(frame(n=NUMBERS, t=TEXT, f=FLAGS).lazy(), id="polars lazy"),
        pytest.param(pd.DataFrame({"n": NUMBERS, "t": TEXT, "f": FLAGS}), id="pandas"),
        pytest.param(pd.DataFrame({"n": NUMBERS, "t": TEXT, "f": FLAGS}, dtype=object), id="pandas object"),
        pytest.param(
            pd.DataFrame({"n": NUMBERS, "t": TEXT, "f": FLAGS}).convert_dtypes(), id="pandas nullable"
        ),
        pytest.param(
            pd.DataFrame({"n": NUMBERS, "t": pd.Categorical(TEXT), "f": pd.array(FLAGS, "boolean")}),
            id="pandas category",
        ),
        pytest.param(
            pd.DataFrame({7: NUMBERS, 8: TEXT, 9: FLAGS}, index=[3, 3, 1, 0]), id="pandas odd names and index"
        ),
        pytest.param(pa.table({"n": NUMBERS, "t": TEXT, "f": FLAGS}), id="pyarrow"),
        pytest.param(
            pa.table({"n": NUMBERS, "t": pa.array(TEXT).dictionary_encode(), "f": FLAGS}),
            id="pyarrow dictionary",
        ),
        pytest.param(
            frame(
                n=pl.Series([Decimal(str(n)) if n else None for n in NUMBERS]),
                t=pl.Series(TEXT, dtype=pl.Enum(["z", "b", "a"])),
                f=FLAGS,
            ),
            id="polars decimal and enum",
        ),
        pytest.param(
            frame(n=NUMBERS, t=pl.Series(TEXT, dtype=pl.Categorical), f=FLAGS), id="polars categorical"
        ),
        pytest.param(np.array([*zip(NUMBERS, TEXT, FLAGS, strict=True)], object), id="array of objects"),
        pytest.param([list(row) for row in zip(NUMBERS, TEXT, FLAGS, strict=True)], id="list of rows"),
    ],
)
def test_every_kind_of_table_is_prepared_alike(table: Any) -> None:
    assert plain().fit_transform(table).tolist() == EXPECTED


def test_whole_numbers_and_masked_arrays() -> None:
    nullable = pd.DataFrame({"n": pd.array([1, None, 3], "Int64")})
    masked = np.ma.MaskedArray([[1], [0], [3]], mask=[[0], [1], [0]])
    assert rows(plain().fit_transform(nullable)) == [[1, 0], [2, 1], [3, 0]]
    assert rows(plain().fit_transform(masked)) == [[1, 0], [2, 1], [3, 0]]


def test_sparse_matrices_pass_unchanged() -> None:
    X = sparse.csr_matrix(np.eye(3))
    made = Preparation().fit(X)
    assert made.transform(X) is X
    with pytest.raises(tm.InputError, match="3 columns were learned from; got 2"):
        made.transform(X[:, :2])
    with pytest.raises(tm.InputError, match="a sparse matrix was learned from; got ndarray"):
        made.transform(np.eye(3))


def test_columns_go_by_their_names() -> None:
    made = plain().fit(frame(a=[1.0, 2.0], b=[10.0, 20.0]))
    assert rows(made.transform(pd.DataFrame({"b": [5.0], "new": [0], "a": [3.0]}))) == [[3, 5]]
    with pytest.raises(tm.InputError, match="columns 'a' were learned from and are not there"):
        made.transform(frame(b=[1.0]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param([1.0, 2.0], "X has 1 dimension; rows and columns are expected", id="one dimension"),
        pytest.param(np.zeros((2, 2, 2)), "X has 3 dimensions", id="three dimensions"),
        pytest.param([[1, 2], [3]], "rows of X have between 1 and 2 values", id="ragged"),
        pytest.param([[[1], 2], [[3], 4]], "column 0 (counted from 0) is of type list", id="lists in cells"),
        pytest.param(frame(a=[[1], [2]]), "column 'a' is of type List(Int64)", id="list column"),
        pytest.param(frame(a=[{"x": 1}]), "column 'a' is of type Struct", id="struct column"),
        pytest.param(np.array([[1j]]), "is of type complex", id="complex"),
        pytest.param([[b"a"], [b"b"]], "is of type bytes", id="bytes"),
        pytest.param(frame(c=["a", "a"]), "no column is left to learn from", id="nothing left"),
    ],
)
def test_what_cannot_be_prepared(given: Any, said: str) -> None:
    with pytest.raises(tm.InputError) as caught:
        Preparation().fit(given)
    assert said in str(caught.value)


def test_another_number_of_columns_and_other_types_are_refused() -> None:
    made = plain().fit(np.eye(3))
    with pytest.raises(tm.InputError, match="3 columns were learned from; got 2"):
        made.transform(np.eye(2))
    with pytest.raises(tm.ColumnError, match="holds numbers in the training rows and something else"):
        made.transform([[1, 2, "x"]])
    with pytest.raises(tm.OptionError, match="learned nothing yet"):
        Preparation().transform(np.eye(2))


# --- no leak ----------------------------------------------------------------------------------------


def test_test_rows_leave_no_trace() -> None:
    """Whatever the other rows of the table hold, the training rows are prepared the same."""
    rng = np.random.default_rng(5)
    train = np.arange(60)
    table = frame(
        n=[
            None if gap else value
            for value, gap in zip(rng.normal(size=90), rng.random(90) < 0.2, strict=True)
        ],
        t=rng.choice(["a", "b", "c"], 90).tolist(),
    )
    poisoned = table.with_columns(
        n=pl.when(pl.int_range(90) < 60).then("n").otherwise(1e12),
        t=pl.when(pl.int_range(90) < 60).then("t").otherwise(pl.lit("poison")),
    )
    clean, other = Preparation().fit(table[train]), Preparation().fit(poisoned[train])
    np.testing.assert_array_equal(clean.transform(table), other.transform(table))
    np.testing.assert_array_equal(clean.medians_, other.medians_)
    assert [level.tolist() for level in clean.encoder_.categories_] == [["a", "b", "c"]]


def test_the_classes_are_not_looked_at() -> None:
    X = np.arange(6.0).reshape(-1, 1)
    first, second = (Preparation().fit_transform(X, y) for y in (None, [0, 0, 0, 1, 1, 1]))
    np.testing.assert_array_equal(first, second)


# --- among scikit-learn's ---------------------------------------------------------------------------


def test_it_is_copied_and_stored_as_any_transformer() -> None:
    made = Preparation(scale=False, impute=False)
    assert clone(made).get_params() == {"scale": False, "impute": False}
    fitted = Preparation().fit(frame(n=[1.0, 2.0, 4.0], t=["a", "b", "a"]))
    again = pickle.loads(pickle.dumps(fitted))
    table = frame(n=[None, 3.0], t=["b", None])
    np.testing.assert_array_equal(fitted.transform(table), again.transform(table))


def test_a_pipeline_takes_frames() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    table = frame(n=rng.normal(size=80), t=np.where(y, "yes", "no").tolist())
    model = Pipeline([("prepare", Preparation()), ("model", LogisticRegression())])
    assert model.fit(table, y).score(table, y) == 1.0
    assert model.set_params(prepare__scale=False).get_params()["prepare__scale"] is False
    assert "Preparation" in repr(model)


@pytest.mark.parametrize("copies", [3, 20], ids=["few copies", "many copies"])
def test_copies_of_rows_do_not_hide_a_column_that_names_rows(copies: int) -> None:
    """Oversampling and bootstrap samples repeat rows: what differs in every one still tells rows apart."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"name": [f"row {n}" for n in range(60)], "x": rng.normal(size=60)})
    drawn = np.concatenate([np.arange(60), np.repeat(np.arange(6), copies)])
    for rows in (np.arange(60), drawn, rng.integers(0, 60, 60)):
        with pytest.warns(LeftOut, match="'name', where nearly every row has another text"):
            prepared = Preparation().fit_transform(table.iloc[rows])
        assert prepared.shape[1] == 1
