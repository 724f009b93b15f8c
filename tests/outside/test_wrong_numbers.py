"""Inputs that floats cannot hold: refused, or computed so that nothing is lost."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from distributed import LocalCluster

import tallymark as tm
from collected import each

TRUE = np.array([0, 0, 1, 1, 1, 0])
PREDICTED = np.array([0, 1, 1, 0, 1, 0])
SCORES = np.array([0.1, 0.5, 0.7, 0.2, 0.9, 0.3])
TINY = np.longdouble(2) ** -60
"""A difference that float64 does not resolve, nor longdouble where it is the same type."""
COLUMNS: dict[str, Any] = {"actual": "y", "predicted": "p", "weight": "w"}


def test_longdoubles() -> None:
    """Refused where float64 would make them equal, or infinite; taken as the nearest floats otherwise."""
    wide = SCORES.astype(np.longdouble)
    close, far, labels = wide.copy(), wide.copy(), TRUE.astype(np.longdouble)
    close[2] = close[1] + TINY
    far[4:] = np.array([np.finfo(float).max] * 2, np.longdouble) * [2, 4]
    labels[2] += TINY
    if close[2] != close[1]:
        for made in (np.copy, list, lambda scores: scores.astype(object), pd.Series):
            with pytest.raises(tm.ColumnError):
                tm.evaluate(TRUE, y_score=made(close))
        with pytest.raises(tm.ColumnError):
            tm.evaluate(TRUE, y_score=far)
        with pytest.raises(tm.LabelError):
            tm.evaluate(labels, PREDICTED)
    thirds = wide / np.longdouble(3)
    plain = tm.evaluate(TRUE, y_score=thirds.astype(float))
    assert tm.evaluate(TRUE, y_score=thirds).to_dict() == plain.to_dict()
    assert tm.evaluate(TRUE, y_score=np.full(6, 0.5, np.longdouble) / 3)["auc"].value == 0.5


# --- weights that lie far apart ----------------------------------------------------------------------

FAR = [1e-70, 1e-50, 1e-45, 1e-16, 1.0, 1e16, 1e50]


def exact(actual: np.ndarray, predicted: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """MCC, kappa and accuracy of any number of classes, worked out with fractions."""
    rows = list(zip(actual.tolist(), predicted.tolist(), map(Fraction, weights.tolist()), strict=True))
    classes = range(int(actual.max()) + 1)
    of_actual = [sum((w for a, _, w in rows if a == k), Fraction()) for k in classes]
    of_predicted = [sum((w for _, p, w in rows if p == k), Fraction()) for k in classes]
    n, hits = sum(of_actual), sum((w for a, p, w in rows if a == p), Fraction())
    chance = sum(a * p for a, p in zip(of_actual, of_predicted, strict=True))
    spread = (n * n - sum(a * a for a in of_actual)) * (n * n - sum(p * p for p in of_predicted))
    return {
        "mcc": float(n * hits - chance) / (float(spread / n**4) ** 0.5 * float(n * n)),
        "kappa": float((n * hits - chance) / (n * n - chance)),
        "accuracy": float(hits / n),
    }


def numbers_in(form: Any) -> list[float]:
    if isinstance(form, dict | list | tuple):
        values = form.values() if isinstance(form, dict) else form
        return [number for value in values for number in numbers_in(value)]
    return [form] if isinstance(form, float) else []


def far_apart(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Actual and predicted classes of 30 rows whose weights lie up to 1e120 apart."""
    draws = np.random.default_rng(seed)
    actual = np.concatenate([np.arange(classes), draws.integers(0, classes, 30 - classes)])
    predicted = np.where(draws.random(30) < 0.6, actual, draws.integers(0, classes, 30))
    return actual, predicted, draws.choice(FAR, 30)


@each(("light", "heavier"), [(1e-16, 1.5), (0.5, 1e16), (1e-30, 1e20), (1e-16, 1e30)])
def test_one_heavy_row(light: float, heavier: float) -> None:
    for heavy in range(len(TRUE)):
        weights = np.full(len(TRUE), light)
        weights[heavy] = heavier
        ev = tm.evaluate(TRUE, PREDICTED, sample_weight=weights)
        for name, value in exact(TRUE, PREDICTED, weights).items():
            assert ev[name].value == pytest.approx(value, rel=1e-9, abs=1e-300)


@each("classes", [2, 3, 12])
@each("seed", range(2))
def test_metrics_of_weights_far_apart_are_those_of_fractions(classes: int, seed: int) -> None:
    actual, predicted, weights = far_apart(seed, classes)
    slices = {"half": (np.arange(30) < 15).astype(int)}
    scores = np.round(np.random.default_rng(seed).random(30), 1)
    given: dict[str, Any] = {"sample_weight": weights, "labels": list(range(classes))}
    for beside in ({}, {"groups": np.arange(30) % 7}, {"slices": slices}):
        ev = tm.evaluate(actual, predicted, **given, **beside)
        for name, value in exact(actual, predicted, weights).items():
            assert ev[name].value == pytest.approx(value, rel=1e-6, abs=1e-14)
        of_scores = tm.evaluate((actual > 0).astype(int), y_score=scores, sample_weight=weights, **beside)
        for one in (ev, of_scores):
            assert np.isfinite(numbers_in(one.to_dict())).all()
            assert str(one)
    found = tm.compare({"a": predicted, "b": np.roll(predicted, 1)}, y_true=actual, **given)
    assert np.isfinite(numbers_in(found.to_dict())).all()


@pytest.fixture(scope="module")
def dask() -> Iterator[dict[str, Any]]:
    """The engine, with one scheduler and worker for all files."""
    local: dict[str, Any] = {"processes": False, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, **local) as cluster:
        yield {"engine": "dask", "scheduler": cluster.scheduler_address}


def in_every_way(folder: Path, dask: dict[str, Any], weight: float) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A table with one such weight, and files of it, with the options that read them."""
    table = pl.DataFrame({"y": TRUE, "p": PREDICTED, "w": [1.5, 0.0, weight, 1.0, 1.0, 1.0]})
    yield table, COLUMNS
    table.write_csv(folder / "a.csv")
    table.write_parquet(folder / "a.parquet")
    for options in ({}, {"approximate": True}, {"engine": "duckdb"}, dask):
        for name in ("a.csv", "a.parquet"):
            yield folder / name, COLUMNS | options


@each("weight", [1e-71, 1e-300, 5e-324])
def test_weights_that_floats_cannot_compute_with_count_as_0(tmp_path: Path, dask: Any, weight: float) -> None:
    zeros = tm.evaluate(next(in_every_way(tmp_path, dask, 0.0))[0], **COLUMNS)
    expected = numbers_in(zeros.to_dict()["metrics"])
    for data, options in in_every_way(tmp_path, dask, weight):
        found = numbers_in(tm.evaluate(data, **options).to_dict()["metrics"])
        assert found == pytest.approx(expected, rel=1e-12), (options, data)


@each("weight", [1e300, 1.1e50])
def test_weights_that_floats_cannot_square_are_refused(tmp_path: Path, dask: Any, weight: float) -> None:
    for data, options in in_every_way(tmp_path, dask, weight):
        with pytest.raises(tm.ColumnError):
            tm.evaluate(data, **options)


def test_commands_take_weights_far_apart(run: Any) -> None:
    actual, predicted, weights = far_apart(0, 2)
    score = np.random.default_rng(0).random(30).round(2)
    table = pl.DataFrame({"id": range(30), "y": actual, "q": predicted, "s": score, "w": weights})
    table.write_csv("a.csv")
    table.with_columns(s=pl.col("s").reverse()).write_csv("b.csv")
    columns = "--actual y --score s --weight w"
    for line in (
        f"evaluate a.csv {columns}",
        f"decide a.csv {columns} --labels 1,0 --costs '0 10; 1 0'",
        f"compare --model a=a.csv --model b=b.csv {columns} --id id",
    ):
        assert np.isfinite(numbers_in(run(f"{line} --json").json)).all()
    assert run(f"check a.csv {columns} --no-worse 'auc by 0.9' --baseline b.csv").code in (0, 1)
    assert run(f"report a.csv {columns} -o x.html").code == 0


def test_groups_of_large_whole_weights_have_the_calibration_of_smaller_ones() -> None:
    """Squares of sums beyond 2**31.5 fit no integer of 64 bits."""
    draws = np.random.default_rng(0)
    actual, score, groups = draws.integers(0, 2, 40), draws.random(40).round(1), np.arange(40) % 6
    weights = draws.integers(1, 2**45, 40)
    large, small = (
        tm.evaluate(actual, y_score=score, sample_weight=each, groups=groups, pos_label=1).calibration
        for each in (weights, weights / 2.0**30)
    )
    for one, other in ((large.low, small.low), (large.high, small.high)):
        assert one == pytest.approx(other, rel=1e-9, nan_ok=True)


def test_prevalences_that_floats_cannot_compute_with_are_refused() -> None:
    ev = tm.evaluate([0, 1, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3, 0.8])
    assert np.isfinite(numbers_in(ev.at_prevalence(1e-70).to_dict())).all()
    for prevalence in (1e-300, 5e-324, {0: 1.0, 1: 1e-200}):
        with pytest.raises(tm.OptionError):
            ev.at_prevalence(prevalence)


def test_models_are_compared_where_few_groups_have_all_the_weight() -> None:
    draws = np.random.default_rng(0)
    actual, first, second = draws.integers(0, 2, (3, 200))
    weights = np.append([1e16, 1e16], np.ones(198))
    given: dict[str, Any] = {"y_true": actual, "sample_weight": weights, "groups": np.arange(200) % 20}
    with np.errstate(all="raise"):
        found = tm.compare({"a": first, "b": second}, **given)
    assert np.isfinite(numbers_in(found.to_dict())).all()
