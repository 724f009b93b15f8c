"""TM022: columns and parts of models that were fitted before the split."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, make_circles
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

import tallymark as tm
from tallymark.validation.audit.checks.prepared_before import check
from tallymark.validation.audit.columns_prepared import prepared_columns
from tallymark.validation.audit.protocol import Protocol
from tallymark.validation.data.data_set import data_set

RAW, CLASSES = load_breast_cancer(return_X_y=True)
RAW = RAW[:, :6]
HOLED = np.where(np.random.default_rng(0).random(RAW.shape) < [0.1, 0, 0, 0, 0, 0], np.nan, RAW)
NORMAL_HOLED = np.random.default_rng(3).normal(5, 1, (400, 2))
NORMAL_HOLED[50:70, 0] = np.nan
ALL = list(range(6))


def centred_and_turned(whiten: bool) -> Any:
    return PCA(whiten=whiten).fit_transform(RAW)


@pytest.mark.parametrize(
    ("X", "kind", "columns"),
    [
        (StandardScaler().fit_transform(RAW), "standardised", ALL),
        ((RAW - RAW.mean(axis=0)) / RAW.std(axis=0, ddof=1), "standardised", ALL),
        (StandardScaler().fit_transform(RAW).astype(np.float32), "standardised", ALL),
        (StandardScaler().fit_transform(RAW).round(6), "standardised", ALL),
        (StandardScaler().fit_transform(HOLED), "standardised", ALL),
        (np.c_[StandardScaler().fit_transform(RAW[:, :2]), RAW[:, 2:]], "standardised", [0, 1]),
        (MinMaxScaler().fit_transform(RAW), "scaled", ALL),
        (MinMaxScaler((-1, 1)).fit_transform(RAW), "scaled", ALL),
        (centred_and_turned(whiten=False), "components", ALL),
        (centred_and_turned(whiten=True), "components", ALL),
        (PCA(2).fit_transform(RAW), "components", [0, 1]),
        (np.c_[MinMaxScaler().fit_transform(RAW[:, :3]), np.arange(569) % 63 / 62], "scaled", [0, 1, 2]),
        (SimpleImputer().fit_transform(HOLED), "imputed", [0]),
        (SimpleImputer(strategy="median").fit_transform(NORMAL_HOLED), "imputed", [0]),
        (SimpleImputer(strategy="median").fit_transform(NORMAL_HOLED[1:]), "imputed", [0]),
    ],
    ids=[
        "standardised", "as of a sample", "float32", "six decimals", "gaps left", "some of the columns",
        "to 0 and 1", "to -1 and 1", "components", "components of one size", "two components",
        "beside whole numbers", "means in gaps", "medians in gaps", "medians of one row less",
    ],
)  # fmt: skip
def test_what_is_seen(X: Any, kind: str, columns: list[int]) -> None:
    assert prepared_columns(X) == {kind: columns}


def test_several_things_at_once() -> None:
    filled = SimpleImputer().fit_transform(HOLED)
    both = np.c_[StandardScaler().fit_transform(filled), filled[:, 0]]
    assert prepared_columns(both) == {"standardised": ALL, "imputed": [6]}


RANDOM = np.random.default_rng(1)
GRID = np.indices((11, 11)).reshape(2, -1).T / 10
HOUR, DAY = np.arange(480) * 2 * np.pi / 24, np.arange(730) * 2 * np.pi / 365
EVEN = np.linspace(-1, 1, 21)
WEEK = np.where(RANDOM.random(500) < 0.4, 40.5, RANDOM.integers(1, 160, 500) / 2)


@pytest.mark.parametrize(
    "X",
    [
        RAW,
        HOLED,
        RANDOM.normal(size=(500, 40)),
        RANDOM.normal(size=(20, 40)),
        RANDOM.random((500, 10)),
        np.where(RANDOM.random((500, 4)) < 0.5, -1.0, 1.0),
        StandardScaler().fit_transform(RANDOM.integers(0, 3, (300, 5))),
        np.c_[GRID, GRID[::-1]],
        RANDOM.integers(0, 101, (3000, 4)) / 100,
        np.c_[MinMaxScaler().fit_transform(RAW[:, :2]), RAW[:, 2:]],
        MinMaxScaler().fit_transform(RAW[:, :2]),
        MaxAbsScaler().fit_transform(RAW),
        np.c_[RAW[:, 0], np.r_[RAW[:284, 1], -RAW[:284, 1], 0]],
        csr_matrix(StandardScaler().fit_transform(RAW)),
        ["a text", "another"],
        np.array([[1e308, 1.0], [-1e308, 2.0]] * 20),
        np.full((30, 3), 7.0),
        np.c_[np.sin(HOUR), np.cos(HOUR), RANDOM.normal(size=480)],
        np.c_[np.sin(DAY), np.cos(DAY), RANDOM.normal(15, 5, 730)],
        np.c_[np.repeat(EVEN, 21), np.tile(EVEN, 21)],
        make_circles(200, random_state=0)[0],
        np.clip(RANDOM.normal(0.5, 0.5, (600, 3)), 0, 1),
        RANDOM.integers(0, 1024, (3000, 3)) / 1023,
        np.column_stack([RANDOM.permutation(600) / 599 for _ in range(3)]),
        np.column_stack([RANDOM.permutation(31) / 30 for _ in range(4)]),
        np.c_[RANDOM.normal(size=500), WEEK],
        PCA(3).fit_transform(RAW)[:, ::-1],
    ],
    ids=[
        "raw", "raw with gaps", "standard normal", "few rows", "uniform", "a design", "grades, scaled",
        "a grid", "per cent", "shares beside others", "two shares", "by the greatest", "mirrored rows",
        "sparse", "texts", "huge", "constant", "hours", "days", "a grid about 0", "circles",
        "cut at both ends", "fine pixels", "ranks", "a Latin hypercube", "usual hours", "largest last",
    ],
)  # fmt: skip
def test_what_is_let_pass(X: Any) -> None:
    assert prepared_columns(X) == {}


def test_columns_prepared_group_by_group_are_let_pass() -> None:
    groups = np.repeat([f"subject {number}" for number in range(20)], 30)
    raw = RANDOM.normal(size=(600, 3)) + np.repeat(RANDOM.normal(size=(20, 3)), 30, axis=0)
    by_group = np.vstack(
        [StandardScaler().fit_transform(raw[rows : rows + 30]) for rows in range(0, 600, 30)]
    )
    assert prepared_columns(by_group, groups) == {}
    assert prepared_columns(StandardScaler().fit_transform(raw), groups) == {"standardised": [0, 1, 2]}
    classes = np.arange(600) % 2
    assert not tm.validate(GaussianNB(), by_group, classes, groups=groups, cv=3).findings


def test_pixels_are_let_pass() -> None:
    # Divided by their greatest possible value; at the edges none is that bright.
    bright = np.minimum(RANDOM.integers(0, 256, (400, 6)), [255, 255, 255, 255, 90, 60])
    bright[:2, :4] = [[0], [255]]
    assert prepared_columns(bright / 255) == {}


def test_sentence_and_numbers() -> None:
    X = pd.DataFrame(StandardScaler().fit_transform(RAW[:, :2]), columns=["radius", "texture"])
    validation = tm.validate(GaussianNB(), X, CLASSES, cv=3)
    (found,) = validation.findings
    assert found.code == "TM022"
    assert found.numbers == {"columns": {"standardised": ["radius", "texture"]}, "models": {}}
    assert found.message == (
        "there are 2 columns with mean 0 and standard deviation 1 over all rows: 'radius', 'texture'. They "
        "look prepared before the split, with the test rows. Scaling alone tells a model little of them; "
        "columns chosen, gaps filled or components made at the same time may tell it much. Give the "
        "columns as they were measured, and prepare inside the fold: --prepare "
        "(make_pipeline(StandardScaler(), model))."
    )


def test_the_way_out_is_silent() -> None:
    assert not tm.validate(make_pipeline(StandardScaler(), GaussianNB()), RAW, CLASSES, cv=3).findings


# --- models --------------------------------------------------------------------------------------

FITTED = GaussianNB().fit(RAW, CLASSES)
FROZEN = FrozenEstimator(StandardScaler().fit(RAW))


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        (FrozenEstimator(FITTED), ["FrozenEstimator"]),
        (make_pipeline(FROZEN, GaussianNB()), ["frozenestimator=FrozenEstimator"]),
        (
            make_pipeline(SelectFromModel(LogisticRegression(), prefit=True), GaussianNB()),
            ["selectfrommodel__prefit=True"],
        ),
        (StackingClassifier([("a", FITTED)], cv="prefit"), ["cv='prefit'"]),
    ],
    ids=["the whole model", "a step", "selected before", "stacked before"],
)  # fmt: skip
def test_parts_that_are_fitted_already(model: Any, parts: list[str]) -> None:
    folds = tm.KFold(3).folds(CLASSES, CLASSES)
    found = check(Protocol(data_set(RAW, CLASSES), folds, models={"mine": model}))
    assert found is not None
    assert found.numbers == {"columns": {}, "models": {"mine": parts}}
    assert found.message.startswith(
        f"model 'mine' has parts that are not fitted in the fold ({parts[0]}): if they learned from test rows"
    )


def test_a_frozen_part_is_found_through_every_door() -> None:
    model = {"mine": make_pipeline(FROZEN, GaussianNB())}
    results = (
        tm.validate(model, RAW, CLASSES, cv=2),
        tm.learning_curve(model, RAW, CLASSES, n_repeats=2, schedule=[100]),
        tm.permutation_test(model, RAW, CLASSES, n_permutations=2),
        tm.tune(model["mine"], RAW, CLASSES, {"gaussiannb__var_smoothing": [1e-9]}, cv=2, inner_cv=2),
    )
    for result in results:
        assert [each.code for each in result.findings] == ["TM022"]
        assert result.to_dict()["findings"] == [each.to_dict() for each in result.findings]
        assert "TM022" in str(result)


# --- the command line --------------------------------------------------------------------------------


def test_on_the_command_line(tmp_path: Any, capsys: Any) -> None:
    from tallymark.cli import main

    scaled = pl.DataFrame(StandardScaler().fit_transform(RAW[:, :3]), schema=["a", "b", "c"])
    scaled.with_columns(pl.Series("y", CLASSES)).write_csv(tmp_path / "scaled.csv")
    asked = (
        "validate",
        str(tmp_path / "scaled.csv"),
        "--target",
        "y",
        "--model",
        "bayes",
        "--method",
        "kfold:3",
    )
    assert main((*asked, "--json")) == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["code"], found["numbers"]["columns"]) == ("TM022", {"standardised": ["a", "b", "c"]})
