"""Inputs that floats cannot hold: refused, or computed so that nothing is lost."""

from __future__ import annotations

import json
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from tallymark.cli import main

TRUE = np.array([0, 0, 1, 1, 1, 0])
PREDICTED = np.array([0, 1, 1, 0, 1, 0])
WIDER = np.finfo(np.longdouble).eps < np.finfo(np.float64).eps
only_where_wider = pytest.mark.skipif(not WIDER, reason="longdouble is float64 on this platform")


def close_scores() -> np.ndarray:
    """Six scores; the second and the third differ by less than float64 resolves."""
    scores = np.array([0.1, 0.5, 0.5, 0.2, 0.9, 0.3], np.longdouble)
    scores[2] += np.longdouble(2) ** -60
    return scores


@only_where_wider
@pytest.mark.parametrize("made", [np.copy, list, lambda scores: scores.astype(object), pd.Series])
def test_longdouble_scores_that_would_become_equal_are_refused(made: Any) -> None:
    with pytest.raises(tm.ColumnError, match=r"score .*positions 1, 2|score is of type"):
        tm.evaluate(TRUE, y_score=made(close_scores()))


@only_where_wider
def test_other_longdouble_scores_are_taken_as_the_nearest_floats() -> None:
    scores = np.array([0.1, 0.5, 0.7, 0.2, 0.9, 0.3], np.longdouble) / np.longdouble(3)
    assert tm.evaluate(TRUE, y_score=scores).to_dict() == (
        tm.evaluate(TRUE, y_score=scores.astype(float)).to_dict()
    )
    equal = np.array([0.5] * 6, np.longdouble) / np.longdouble(3)
    assert tm.evaluate(TRUE, y_score=equal)["auc"].value == 0.5


@only_where_wider
def test_longdouble_scores_beyond_floats_are_refused_without_warnings() -> None:
    scores = np.array([0.1, 0.5, 0.7, 0.2, 1, 1], np.longdouble)
    scores[4:] = np.longdouble("1e400"), np.longdouble("1e401")
    with pytest.raises(tm.ColumnError):
        tm.evaluate(TRUE, y_score=scores)


@only_where_wider
def test_longdouble_labels_beside_a_whole_number_are_refused() -> None:
    labels = TRUE.astype(np.longdouble)
    labels[2] += np.longdouble(2) ** -60
    with pytest.raises(tm.LabelError, match="position 2"):
        tm.evaluate(labels, PREDICTED)


# --- weights that lie far apart ----------------------------------------------------------------------


def exact(weights: np.ndarray) -> dict[str, float]:
    """MCC and kappa worked out with fractions."""
    cell = {(a, p): Fraction(0) for a in (0, 1) for p in (0, 1)}
    for actual, predicted, weight in zip(TRUE.tolist(), PREDICTED.tolist(), weights.tolist(), strict=True):
        cell[actual, predicted] += Fraction(weight)
    tp, fn, fp, tn = cell[1, 1], cell[1, 0], cell[0, 1], cell[0, 0]
    n, covariance = tp + fn + fp + tn, tp * tn - fp * fn
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    chance = (tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)
    return {
        "mcc": float(covariance) / sqrt(spread),
        "kappa": float((n * (tp + tn) - chance) / (n * n - chance)),
    }


@pytest.mark.parametrize("heavy", range(len(TRUE)))
@pytest.mark.parametrize(("light", "heavier"), [(1e-16, 1.5), (0.5, 1e16), (1e-30, 1e20), (1e-16, 1e30)])
def test_weights_far_apart(heavy: int, light: float, heavier: float) -> None:
    weights = np.full(len(TRUE), light)
    weights[heavy] = heavier
    evaluation = tm.evaluate(TRUE, PREDICTED, sample_weight=weights)
    for name, value in exact(weights).items():
        assert evaluation[name].value == pytest.approx(value, rel=1e-9, abs=1e-300)
    assert str(evaluation)
    assert evaluation.to_dict()["metrics"]["mcc"]["value"] is not None


def test_weights_far_apart_with_scores_and_three_classes(tmp_path: Any) -> None:
    score = np.array([0.1, 0.6, 0.7, 0.3, 0.9, 0.2])
    for heavy in range(len(TRUE)):
        weights = np.full(len(TRUE), 1e-16)
        weights[heavy] = 1.0
        tm.evaluate(TRUE, y_score=score, sample_weight=weights).save(tmp_path / f"{heavy}.html")
        many = tm.evaluate([0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 2, 2], sample_weight=weights)
        assert many["mcc"].value is not None
        assert str(many)


FAR = [1e-70, 1e-50, 1e-45, 1e-16, 1.0, 1e16, 1e50]


def far_apart(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Actual and predicted classes of 30 rows whose weights lie up to 1e100 apart."""
    draws = np.random.default_rng(seed)
    actual = np.concatenate([np.arange(classes), draws.integers(0, classes, 30 - classes)])
    predicted = np.where(draws.random(30) < 0.6, actual, draws.integers(0, classes, 30))
    return actual, predicted, draws.choice(FAR, 30)


def exact_of_classes(actual: np.ndarray, predicted: np.ndarray, weights: np.ndarray) -> dict[str, float]:
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
    if isinstance(form, dict):
        return [number for value in form.values() for number in numbers_in(value)]
    if isinstance(form, list | tuple):
        return [number for value in form for number in numbers_in(value)]
    return [form] if isinstance(form, float) else []


@pytest.mark.parametrize("classes", [2, 3, 12])
@pytest.mark.parametrize("seed", range(4))
def test_metrics_of_weights_far_apart_are_those_of_fractions(classes: int, seed: int) -> None:
    actual, predicted, weights = far_apart(seed, classes)
    groups, slices = np.arange(30) % 7, {"half": (np.arange(30) < 15).astype(int)}
    for beside in ({}, {"groups": groups}, {"slices": slices}):
        ev = tm.evaluate(actual, predicted, sample_weight=weights, labels=list(range(classes)), **beside)
        for name, value in exact_of_classes(actual, predicted, weights).items():
            assert ev[name].value == pytest.approx(value, rel=1e-6, abs=1e-14)
        assert np.isfinite(numbers_in(ev.to_dict())).all()
        assert "every row is of the same class" not in str(ev)
    scores = np.round(np.random.default_rng(seed).random(30), 1)
    for beside in ({}, {"groups": groups}, {"slices": slices}):
        ev = tm.evaluate((actual > 0).astype(int), y_score=scores, sample_weight=weights, **beside)
        assert np.isfinite(numbers_in(ev.to_dict())).all()
    found = tm.compare(
        {"a": predicted, "b": np.roll(predicted, 1)},
        y_true=actual,
        sample_weight=weights,
        labels=list(range(classes)),
    )
    assert np.isfinite(numbers_in(found.to_dict())).all()


@pytest.mark.parametrize("weight", [1e-71, 1e-200, 1e-300, 5e-324])
def test_weights_that_floats_cannot_compute_with_count_as_0(tmp_path: Any, weight: float) -> None:
    table = pl.DataFrame({"y": TRUE, "p": PREDICTED, "w": [1.5, 0.0, weight, 1.0, 1.0, 1.0]})
    table.write_csv(tmp_path / "a.csv")
    table.write_parquet(tmp_path / "a.parquet")
    zeros = table.with_columns(w=pl.Series([1.5, 0.0, 0.0, 1.0, 1.0, 1.0]))
    columns: dict[str, Any] = {"actual": "y", "predicted": "p", "weight": "w"}
    expected = tm.evaluate(zeros, **columns).to_dict()
    assert tm.evaluate(table, **columns).to_dict() == expected
    for options in ({}, {"approximate": True}, {"engine": "duckdb"}, {"engine": "dask"}):
        for name in ("a.csv", "a.parquet"):
            ev = tm.evaluate(tmp_path / name, **columns, **options)
            found = numbers_in(ev.to_dict()["metrics"])
            assert found == pytest.approx(numbers_in(expected["metrics"]), rel=1e-12), (options, name)


@pytest.mark.parametrize("weight", [1e300, 1.1e50])
def test_weights_that_floats_cannot_square_are_refused(tmp_path: Any, weight: float) -> None:
    table = pl.DataFrame({"y": TRUE, "p": PREDICTED, "w": [1.0, 0.0, weight, 1.0, 1.0, 1.0]})
    table.write_csv(tmp_path / "a.csv")
    table.write_parquet(tmp_path / "a.parquet")
    columns: dict[str, Any] = {"actual": "y", "predicted": "p", "weight": "w"}
    for options in ({}, {"approximate": True}, {"engine": "duckdb"}, {"engine": "dask"}):
        for name in ("a.csv", "a.parquet"):
            with pytest.raises(tm.ColumnError):
                tm.evaluate(tmp_path / name, **columns, **options)


@pytest.mark.parametrize("kind", ["evaluate", "decide", "check", "report", "compare"])
def test_commands_take_weights_far_apart(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    actual, predicted, weights = far_apart(0, 2)
    score = np.random.default_rng(0).random(30).round(2)
    table = pl.DataFrame({"id": range(30), "y": actual, "q": predicted, "s": score, "w": weights})
    table.write_csv("a.csv")
    table.with_columns(s=pl.col("s").reverse()).write_csv("b.csv")
    rows = ("a.csv", "--actual", "y", "--score", "s", "--weight", "w")
    command = {
        "evaluate": ("evaluate", *rows, "--json"),
        "decide": ("decide", *rows, "--labels", "1,0", "--costs", "0 10; 1 0", "--json"),
        "check": ("check", *rows, "--no-worse", "auc by 0.9", "--baseline", "b.csv", "--json"),
        "report": ("report", *rows, "-o", "x.html"),
        "compare": ("compare", "--model", "a=a.csv", "--model", "b=b.csv", *rows[1:], "--id", "id", "--json"),
    }[kind]
    code = main(command)
    out = capsys.readouterr().out
    assert code in (0, 1)
    if "--json" in command:
        assert np.isfinite(numbers_in(json.loads(out))).all()


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
    weights = np.ones(200)
    weights[:2] = 1e16
    with np.errstate(all="raise"):
        found = tm.compare(
            {"a": first, "b": second}, y_true=actual, sample_weight=weights, groups=np.arange(200) % 20
        )
    assert np.isfinite(numbers_in(found.to_dict())).all()
