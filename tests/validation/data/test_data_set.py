"""`DataSet`: rows to learn from, of any kind, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, coo_matrix, csc_array, csr_array, csr_matrix, dok_array, lil_array

from tallymark.errors import LabelError, MissingValueError, OptionError, ShapeError
from tallymark.resampling.rows import rows_at
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.fitting import positions

TEXT = ["b", "a", "b", "c", "a", "b"]
X = np.arange(12.0).reshape(6, 2)
ROWS = np.array([4, 0, 0, 5])


# --- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "read"),
    [
        pytest.param(np.array, np.asarray, id="numpy"),
        pytest.param(lambda X: pd.DataFrame(X, index=list("zyxwvu")), np.asarray, id="pandas"),
        pytest.param(lambda X: pl.DataFrame(X, schema=["p", "q"]), lambda X: X.to_numpy(), id="polars"),
        pytest.param(
            lambda X: pa.table({"p": X[:, 0], "q": X[:, 1]}), lambda X: X.to_pandas().to_numpy(), id="pyarrow"
        ),
        pytest.param(
            lambda X: pa.RecordBatch.from_pydict({"p": X[:, 0], "q": X[:, 1]}),
            lambda X: X.to_pandas().to_numpy(),
            id="pyarrow batch",
        ),
        *(
            pytest.param(kind, lambda X: X.toarray(), id=kind.__name__)
            for kind in (csr_array, csr_matrix, csc_array, coo_array, coo_matrix, lil_array, dok_array)
        ),
        pytest.param(lambda X: X.tolist(), np.array, id="list"),
        pytest.param(lambda X: tuple(map(tuple, X)), np.array, id="tuple"),
    ],
)
def test_some_rows_of_any_kind_of_features(make: Any, read: Any) -> None:
    data = data_set(make(X), TEXT)
    assert data.rows == 6
    assert np.array_equal(read(data.at(ROWS)), X[ROWS])


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pd.Series(TEXT, index=list("zyxwvu")), id="pandas"),
        pytest.param(pl.Series(TEXT), id="polars"),
        pytest.param(pa.array(TEXT), id="arrow"),
        pytest.param(pa.chunked_array([TEXT[:2], TEXT[2:]]), id="arrow chunks"),
        pytest.param(np.array(TEXT), id="numpy"),
        pytest.param(TEXT, id="list"),
    ],
)
def test_some_rows_of_a_column(column: Any) -> None:
    found = rows_at(column, ROWS)
    assert (found.to_pylist() if hasattr(found, "to_pylist") else list(found)) == ["a", "b", "b", "b"]


# --- classes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        pytest.param(TEXT, id="list"),
        pytest.param(np.array(TEXT), id="numpy"),
        pytest.param(np.array(TEXT, object), id="objects"),
        pytest.param(np.array(TEXT, np.dtypes.StringDType()), id="numpy strings"),
        pytest.param(pd.Series(TEXT), id="pandas"),
        pytest.param(pd.Series(TEXT, dtype="category"), id="pandas categories"),
        pytest.param(pd.DataFrame({"y": TEXT}), id="a frame of one column"),
        pytest.param(np.array(TEXT)[:, None], id="an array of one column"),
        pytest.param(pl.Series(TEXT), id="polars"),
        pytest.param(pl.Series(TEXT, dtype=pl.Categorical), id="polars categories"),
        pytest.param(pa.chunked_array([TEXT]), id="arrow"),
    ],
)
def test_text_of_any_kind(y: Any) -> None:
    data = data_set(X, y)
    assert data.labels == ("a", "b", "c")
    assert data.actual.tolist() == [1, 0, 1, 2, 0, 1]
    assert (data.positive, data.position) == (None, None)
    assert data.y.tolist() == TEXT
    assert data.classes.tolist() == ["a", "b", "c"]
    assert positions(data, data.y).tolist() == data.actual.tolist()


@pytest.mark.parametrize(
    ("y", "labels", "positive"),
    [
        pytest.param([0, 1, 1, 0, 1, 0], (0, 1), 1, id="whole numbers"),
        pytest.param([0.0, 1.0, 1.0, 0.0, 1.0, 0.0], (0, 1), 1, id="whole floats"),
        pytest.param([False, True, True, False, True, False], (False, True), True, id="booleans"),
        pytest.param(list("011010"), (0, 1), 1, id="numbers as text"),
        pytest.param(pd.Series([0, 1, 1, 0, 1, 0], dtype="Int64"), (0, 1), 1, id="nullable"),
        pytest.param([-1, 1, 1, -1, 1, -1], (-1, 1), None, id="minus one and one"),
    ],
)
def test_two_classes(y: Any, labels: tuple[Any, ...], positive: Any) -> None:
    data = data_set(X, y)
    assert (data.labels, data.positive) == (labels, positive)
    assert data.actual.tolist() == [0, 1, 1, 0, 1, 0]
    # The models see what came, not what the labels are called.
    assert data.y.tolist() == list(y)
    assert positions(data, data.y).tolist() == [0, 1, 1, 0, 1, 0]


def test_labels_in_the_order_stated_and_a_positive_class() -> None:
    data = data_set(X, TEXT, labels=["c", "b", "a"], pos_label="b")
    assert (data.labels, data.positive, data.position) == (("c", "b", "a"), "b", 1)
    assert data.actual.tolist() == [1, 2, 1, 0, 2, 1]
    assert data.classes.tolist() == ["c", "b", "a"]
    assert positions(data, ["a", "b", "c"]).tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        pytest.param(np.array(list("aabbab")), ["abc", "a", "b"], id="a longer text"),
        pytest.param(np.array(list("aabbab"), object), ["abc", "a", "b"], id="a longer object"),
        pytest.param(np.array([0, 1] * 3, np.int8), [300, 0, 1], id="a larger number"),
        pytest.param(np.array(list("010101")), ["10", "0", "1"], id="a longer number as text"),
        pytest.param(np.array(list("010101"), object), ["10", "0", "1"], id="a number as an object"),
    ],
)
def test_a_label_that_no_row_has(y: Any, labels: list[Any]) -> None:
    data = data_set(X, y, labels=labels)
    assert set(data.actual.tolist()) == {1, 2}
    assert data.classes.tolist() == labels
    assert positions(data, np.array([*y, *labels], y.dtype if y.dtype == object else None)).tolist() == [
        *data.actual.tolist(),
        0,
        1,
        2,
    ]


# --- beside --------------------------------------------------------------------------------------


def test_the_library_is_that_of_the_features_or_the_classes() -> None:
    assert data_set(X, TEXT).library is None
    assert data_set(pl.DataFrame(X), TEXT).library == "polars"
    assert data_set(X, pd.Series(TEXT)).library == "pandas"
    assert data_set(X, pd.DataFrame({"y": TEXT})).library == "pandas"


def test_groups_are_kept_also_as_pairs() -> None:
    assert data_set(X, TEXT, groups=pd.Series(list("ppqqrr"))).groups.tolist() == list("ppqqrr")
    assert data_set(X, TEXT, groups=np.arange(12).reshape(6, 2)).groups.shape == (6, 2)


def test_the_fingerprint_is_of_the_classes_in_order() -> None:
    first = data_set(X, TEXT).fingerprint
    assert data_set(pd.DataFrame(X), np.array(TEXT, object)).fingerprint == first
    assert data_set(X, TEXT[::-1]).fingerprint != first
    assert data_set(X, [each.upper() for each in TEXT]).fingerprint != first


# --- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        pytest.param(None, OptionError, "the classes are missing", id="none"),
        pytest.param(
            ["a"] * 6, LabelError, r"all 6 rows are of one class, \['a'\]: there is nothing", id="one class"
        ),
        pytest.param([0.5, 1, 2, 3, 4, 5], LabelError, "holds 0.5 at position 0", id="not classes"),
        pytest.param([0, "a"] * 3, LabelError, "mixes text with int", id="mixed"),
        pytest.param(TEXT[:4], ShapeError, "X has 6, y has 4", id="too few"),
        pytest.param(np.eye(6, dtype=int), ShapeError, "rows have several labels", id="label sets"),
        pytest.param("y", OptionError, "y is a class per row; got 'y'", id="a name"),
        pytest.param(
            ["a", None, "b", "a", None, "b"], MissingValueError, "missing in 2 of 6 rows", id="missing"
        ),
        pytest.param(
            pd.Series([0, None] * 3, dtype="Int64"),
            MissingValueError,
            "at positions 1, 3, 5",
            id="missing numbers",
        ),
    ],
)
def test_classes_that_do_not_do(y: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        data_set(X, y)


def test_a_name_instead_of_classes_says_what_to_write() -> None:
    with pytest.raises(OptionError) as told:
        data_set(X, "outcome")
    assert told.value.hint == "a column of the table is target='outcome'."


def test_groups_and_labels_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="groups has 2"):
        data_set(X, TEXT, groups=[1, 2])
    with pytest.raises(LabelError, match="'c'"):
        data_set(X, TEXT, labels=["a", "b"])
    with pytest.raises(LabelError, match="'z' is not a label"):
        data_set(X, TEXT, pos_label="z")


@pytest.mark.parametrize(
    "y",
    [
        pytest.param(["0", "1", "1.0", "0", "1.0", "0.0"], id="list"),
        pytest.param(np.array(["0", "1", "1.0", "0", "1.0", "0.0"], object), id="objects"),
    ],
)
def test_one_class_that_is_written_in_two_ways_is_one_to_the_models(y: Any) -> None:
    data = data_set(X, y)
    assert data.labels == (0, 1)
    assert data.y.tolist() == ["0", "1", "1", "0", "1", "0"]
    assert positions(data, data.y).tolist() == data.actual.tolist() == [0, 1, 1, 0, 1, 0]


def test_rows_are_told_apart_by_their_ids_or_by_position() -> None:
    assert data_set(X, TEXT).ids_at(ROWS).tolist() == [4, 0, 0, 5]
    numbers = data_set(X, TEXT, ids=np.arange(10, 16), id_name="id")
    assert numbers.ids_at(ROWS).tolist() == [14, 10, 10, 15]
    words = data_set(X, TEXT, ids=pl.Series(list("uvwxyz")), id_name="id")
    assert words.ids_at(ROWS).to_list() == ["y", "u", "u", "z"]
