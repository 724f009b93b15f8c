"""What may help when a model cannot be fitted: columns that not every model takes."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import tallymark as tm
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.failures import way_out
from tallymark.validation.learners.by_name import learner

ROWS = 24
Y = np.arange(ROWS) % 2
NUMBERS = {"x": (Y + np.random.default_rng(0).normal(0, 0.3, ROWS)).round(3)}
TEXT = {"city": ["Bonn", "Jena", "Ulm"] * 8}
GAPS = {"age": [None, 31.0, 45.0] * 8}
DAYS = {"day": [datetime.date(2020, 1, 1)] * ROWS}
FLAGS = {"flag": [True, False, False] * 8}
FAILURES = ["ValueError: could not convert string to float: 'Bonn'"]
WAY = ", which not every model takes: --prepare makes numbers of them inside the fold (in Python "
PYTHON = "make_pipeline(tm.Preparation(), model))."


def said(*columns: dict[str, Any], model: Any = None, failures: Any = FAILURES) -> str | None:
    X = pl.DataFrame({name: values for each in (NUMBERS, *columns) for name, values in each.items()})
    return way_out(SVC() if model is None else model, data_set(X, Y), failures)


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        pytest.param([TEXT], "text", id="text"),
        pytest.param([GAPS], "missing values", id="missing"),
        pytest.param([TEXT, GAPS], "text and missing values", id="both"),
        pytest.param([DAYS], "dates", id="dates"),
        pytest.param([{"city": [None, "Jena", "Ulm"] * 8}], "text and missing values", id="missing text"),
        pytest.param([{"none": [None] * ROWS}], "missing values", id="nothing at all"),
    ],
)
def test_what_the_columns_hold_is_said(columns: list[dict[str, Any]], what: str) -> None:
    assert said(*columns) == f"the data have {what}{WAY}{PYTHON}"


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(learner("tree"), id="a learner by name"),
        pytest.param(learner("vote:tree,knn"), id="a vote"),
        pytest.param(make_pipeline(tm.Preparation(), SVC()), id="one's own behind a preparation"),
    ],
)
def test_what_is_prepared_already_failed_for_another_reason(model: Any) -> None:
    assert said(TEXT, GAPS, model=model) is None


def test_nothing_is_said_without_a_cause() -> None:
    assert said() is None
    assert said(FLAGS) is None  # most models take booleans
    assert said(TEXT, failures=["RuntimeError: no luck"]) is None
    assert said(TEXT, failures=[None]) is None
    assert way_out(SVC(), data_set(csr_array(np.eye(ROWS)), Y), FAILURES) is None


# --- where it is said --------------------------------------------------------------------------------


class Fussy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fails unless it learns the first row."""

    def fit(self, X: Any, y: Any) -> Fussy:
        if NUMBERS["x"][0] not in X["x"]:
            raise ValueError("could not convert string to float")
        self.model_ = GaussianNB().fit(X.select("x").to_numpy(), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X.select("x").to_numpy())


FRAME = pl.DataFrame({**NUMBERS, **TEXT})
CALLS = {
    "validate": lambda model, **more: tm.validate(model, FRAME, Y, cv=4, **more),
    "tune": lambda model, **more: tm.tune(model, FRAME, Y, {}, cv=3, inner_cv=2, **more),
    "learning curve": lambda model, **more: tm.learning_curve(model, FRAME, Y, n_repeats=4, **more),
    "permutation": lambda model, **more: tm.permutation_test(model, FRAME, Y, n_permutations=3, **more),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_way_out_is_the_hint_where_every_fit_fails(call: str) -> None:
    with pytest.raises(tm.InputError, match="could not convert string to float") as caught:
        CALLS[call](SVC())
    assert caught.value.hint == f"the data have text{WAY}{PYTHON}"
    CALLS[call](make_pipeline(tm.Preparation(), SVC()))


@pytest.mark.parametrize("call", ["validate", "learning curve"])
def test_the_way_out_is_a_note_where_some_fits_fail(call: str) -> None:
    found = CALLS[call](Fussy())
    assert found.failed
    assert any(note.endswith(f"the data have text{WAY}{PYTHON}") for note in found.notes)
