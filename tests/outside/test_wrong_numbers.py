"""Inputs that floats cannot hold: refused, or computed so that nothing is lost."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallymark as tm

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
