"""Pictures of a validation and of an experiment."""

from __future__ import annotations

from typing import Any, TypeVar

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.drawing.figure import Cells, Figure, Line, Points, Spans

mpl.use("Agg")

X, Y = (part[:120] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
MODELS = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
Mark = TypeVar("Mark", Line, Points, Spans, Cells)


@pytest.fixture(scope="module")
def found() -> tm.Validation:
    return tm.validate(MODELS, X, Y, cv=4)


def marks(figure: Figure, kind: type[Mark]) -> list[Mark]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, kind)]


def test_folds_are_points_with_mean_interval_and_baseline(found: tm.Validation) -> None:
    figure = found.figure()
    folds, mean = marks(figure, Points)[:2]
    assert folds.x.tolist() == list(found.models["tree"]["accuracy"].values)
    assert mean.x.tolist() == [found.models["tree"]["accuracy"].mean.value]
    (interval, _) = marks(figure, Spans)
    assert interval.low[0] == found.models["tree"]["accuracy"].mean.low
    (base,) = marks(figure, Line)
    assert found.baseline is not None
    assert base.x.tolist() == [found.baseline["accuracy"].mean.value] * 2
    assert [name for _, name in figure.panels[0].y.names] == ["tree", "bayes"]
    # The same fold stands at the same height above its model's mean.
    tree, bayes = (mark for mark in marks(figure, Points) if mark.label == "a fold")
    assert np.diff(tree.y) == pytest.approx(np.diff(bayes.y))
    assert tree.y.min() > bayes.y.max()


def test_training_values_are_held_against_test_values(found: tm.Validation) -> None:
    figure = found.figure("training")
    tree = next(mark for mark in marks(figure, Points) if mark.label == "tree")
    assert tree.x.tolist() == [1.0] * 4  # it grows until it knows every row
    assert tree.y.tolist() == list(found.models["tree"]["accuracy"].values)
    assert figure.panels[0].x.low == figure.panels[0].y.low
    assert figure.panels[0].square


@pytest.mark.parametrize("kind", ["folds", "training", "split"])
@pytest.mark.parametrize("cv", [4, "holdout", "kfold:15x4", "bootstrap:5"])
def test_every_picture_can_be_drawn(cv: Any, kind: str) -> None:
    validation = tm.validate(MODELS, X[:60], Y[:60], cv=cv, metric="error_rate")
    assert validation.writers(kind)[".png"]()[:4] == b"\x89PNG"
    assert validation.plot(kind) is not None


def test_undefined_folds_and_failed_models_are_drawn_without_them() -> None:
    class Never(GaussianNB):
        def fit(self, *_: Any) -> Never:
            raise RuntimeError

    models = {"never": Never(), "bayes": GaussianNB()}
    validation = tm.validate(models, X[:24], Y[:24], cv=LeaveOneOut(), metric="auc")
    for kind in ("folds", "training", "split"):
        assert validation.writers(kind)[".svg"]()
    figure = validation.figure()
    assert [text for _, text in figure.panels[0].y.second_names] == ["undefined", "undefined"]
    assert not any(np.isnan(mark.x).any() for mark in marks(figure, Points))


def test_an_experiment_is_drawn_by_data_set() -> None:
    data = {"cancer": (X, Y), "iris": load_iris(return_X_y=True)}
    experiment = tm.validate(MODELS, data, cv=3)
    figure = experiment.figure("intervals")
    points = marks(figure, Points)
    assert [mark.label for mark in points] == ["tree", "bayes"]
    assert points[1].x.tolist() == [
        each.models["bayes"]["accuracy"].mean.value for each in experiment.data_sets.values()
    ]
    assert [name for _, name in figure.panels[0].y.names] == ["cancer", "iris"]
    (base,) = marks(figure, Line)
    assert base.x[0] == experiment["cancer"].baseline["accuracy"].mean.value  # type: ignore[index]
    (cells,) = marks(experiment.figure("scores"), Cells)
    assert cells.rows == ("cancer", "iris")
    assert cells.columns == ("tree", "bayes")
    for kind in ("intervals", "scores"):
        assert experiment.writers(kind)[".png"]()[:4] == b"\x89PNG"
    lower = tm.validate(MODELS, data, cv=3, metric="error_rate").figure("scores")
    assert marks(lower, Cells)[0].shade.tolist() == cells.shade.tolist()
