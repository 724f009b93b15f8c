"""Displays: the same numbers as scikit-learn's, and pictures that share their axes."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from tallymark.errors import LabelError, OptionError
from tallymark.integrations import displays

NAMES = [name for name in displays.__all__ if name != "ConfusionMatrixDisplay"]


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return X[50:, :2], y[50:] - 1


@pytest.fixture(scope="module")
def model(rows: tuple[Any, Any]) -> Any:
    return GaussianNB().fit(*rows)


@pytest.mark.parametrize("name", NAMES)
def test_an_estimator_and_its_scores_give_one_picture(name: str, rows: tuple[Any, Any], model: Any) -> None:
    X, y = rows
    kind = getattr(displays, name)
    figure, ax = plt.subplots(figsize=(12, 9))
    asked = kind.from_estimator(model, X, y, ax=ax)
    assert (asked.ax_, asked.figure_) == (ax, figure)
    again = kind.from_predictions(y, model.predict_proba(X)[:, 1], ax=ax, name="again")
    assert again.curve.to_dict() == asked.curve.to_dict()
    assert isinstance(again, kind)
    assert ax.get_legend() is not None
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(text.startswith("GaussianNB") for text in named)
    assert any(text.startswith("again") for text in named)
    assert not any(text.endswith("(2)") for text in named)


def test_the_numbers_are_those_of_sklearn(rows: tuple[Any, Any], model: Any) -> None:
    X, y = rows
    score = model.predict_proba(X)[:, 1]
    roc = displays.RocCurveDisplay.from_estimator(model, X, y)
    assert roc.curve.auc == pytest.approx(roc_auc_score(y, score), abs=1e-12)
    turned = displays.RocCurveDisplay.from_estimator(model, X, y, pos_label=0)
    assert turned.curve.auc == pytest.approx(roc_auc_score(y, score), abs=1e-12)
    weight = np.where(y == 1, 2.0, 1.0)
    pr = displays.PrecisionRecallDisplay.from_estimator(model, X, y, sample_weight=weight)
    wanted = average_precision_score(y, score, sample_weight=weight)
    assert pr.evaluation["average_precision"].value == pytest.approx(wanted, abs=1e-12)
    matrix = displays.ConfusionMatrixDisplay.from_estimator(model, X, y)
    assert (np.array(matrix.curve.matrix) == confusion_matrix(y, model.predict(X))).all()
    assert repr(matrix) == "ConfusionMatrixDisplay(Evaluation(binary, 100 rows, 2 labels, positive 1))"


def test_what_is_drawn_later_looks_different(rows: tuple[Any, Any], model: Any) -> None:
    X, y = rows
    first = displays.GainsDisplay.from_estimator(model, X, y)
    other = RidgeClassifier().fit(X, y)
    displays.GainsDisplay.from_estimator(other, X, y, ax=first.ax_)
    legend = first.ax_.get_legend()
    looks = dict(
        zip(
            (text.get_text() for text in legend.get_texts()),
            (to_hex(line.get_color()) for line in legend.get_lines()),
            strict=True,
        )
    )
    assert looks["GaussianNB"] == "#0072b2"
    assert looks["RidgeClassifier"] == "#d55e00"


def test_plot_draws_again_under_another_name(rows: tuple[Any, Any], model: Any) -> None:
    display = displays.LiftDisplay.from_estimator(model, *rows)
    first = display.ax_
    assert display.plot(name="mine") is display
    assert display.ax_ is not first
    assert "mine" in [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_what_cannot_be_drawn(rows: tuple[Any, Any], model: Any) -> None:
    X, y = rows
    matrix = displays.ConfusionMatrixDisplay.from_estimator(model, X, y)
    with pytest.raises(OptionError, match="a matrix would cover it"):
        displays.ConfusionMatrixDisplay.from_estimator(model, X, y, ax=matrix.ax_)
    with pytest.raises(OptionError, match="RidgeClassifier has no predict_proba"):
        displays.CalibrationDisplay.from_estimator(RidgeClassifier().fit(X, y), X, y)
    with pytest.raises(LabelError, match="positive class"):
        displays.RocCurveDisplay.from_predictions(np.where(y, "yes", "no"), model.predict_proba(X)[:, 1])
