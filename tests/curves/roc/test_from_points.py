"""ROC curves of classifiers that only answer."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm
from tallymark.curves import roc_from_points
from tallymark.drawing import text
from tallymark.drawing.figure import Note, Points
from tallymark.errors import InputError, LabelError, ShapeError
from tallymark.tallies import Binary

SETTINGS = {"bold": (0.5, 0.95), "cautious": (0.1, 0.6), "odd": (0.35, 0.72)}


def test_points_are_joined_in_the_order_of_their_fpr():
    curve = roc_from_points(SETTINGS)
    assert curve.names == ("", "cautious", "odd", "bold", "")
    assert curve.fpr.tolist() == [0, 0.1, 0.35, 0.5, 1]
    assert curve.tpr.tolist() == [0, 0.6, 0.72, 0.95, 1]
    # 0.1 * 0.3 + 0.25 * 0.66 + 0.15 * 0.835 + 0.5 * 0.975
    assert curve.auc == pytest.approx(0.80775)
    # 0.1 * 0.3 + 0.4 * 0.775 + 0.5 * 0.975
    assert curve.hull.auc == pytest.approx(0.8275)
    assert curve.inside == ("odd",)


def test_confusion_counts_and_rates_may_be_mixed():
    matrix = tm.Confusion([[30, 20], [5, 45]], labels=["+", "-"])
    curve = roc_from_points([matrix, Binary(tp=9, fn=1, fp=5, tn=5), (0.2, 0.7)])
    assert curve.fpr.tolist() == [0, 0.1, 0.2, 0.5, 1]
    assert curve.tpr.tolist() == [0, 0.6, 0.7, 0.9, 1]
    assert curve.names == ("", "point 1", "point 3", "point 2", "")
    assert curve.notes == ("positive class: '+', the first label of the matrices",)
    assert curve.counts[1] == Binary(tp=30, fn=20, fp=5, tn=45, positive="+")


def test_the_positive_class_may_be_named():
    matrix = tm.Confusion([[30, 20], [5, 45]], labels=["+", "-"])
    curve = roc_from_points([matrix], pos_label="-")
    assert (curve.fpr[1], curve.tpr[1], curve.notes) == (0.4, 0.9, ())
    usual = roc_from_points([tm.Confusion([[45, 5], [20, 30]], labels=[0, 1])])
    assert (usual.fpr[1], usual.tpr[1]) == (0.1, 0.6)


def test_equal_fpr_goes_up_and_equal_points_stay():
    curve = roc_from_points([(0.2, 0.5), (0.2, 0.3), (0.2, 0.5), (0, 0), (1, 1)])
    assert curve.tpr.tolist() == [0, 0, 0.3, 0.5, 0.5, 1, 1]
    assert curve.inside == ("point 2",)
    # 0.2 * 0.15 up to the lower of the two, and 0.8 * 0.75 from the higher one
    assert curve.auc == pytest.approx(0.63)


def test_points_on_a_side_of_the_hull_are_not_inside():
    curve = roc_from_points([(0.1, 0.3), (0.2, 0.6), (0.6, 0.8)])
    assert curve.inside == ()
    assert curve.hull.fpr.tolist() == [0, 0.2, 1]
    assert "All settings lie on it" in text(curve.document())


def test_questions():
    curve = roc_from_points(SETTINGS)
    assert curve.at(fpr=0.4) == ("odd", 0.35, 0.72)
    assert curve.at(fpr=0.05) == ("", 0, 0)
    assert curve.at(tpr=0.7).name == "odd"
    assert curve.at(tpr=0.99) == ("", 1, 1)


def test_below_the_diagonal():
    curve = roc_from_points([(0.6, 0.2)])
    assert "opposite of the truth" in curve.below_diagonal
    assert curve.inside == ("point 1",)
    assert "opposite of the truth" in text(curve.document())


@pytest.mark.parametrize(
    ("points", "error", "said"),
    [
        ([], ShapeError, "there is no point"),
        ({}, ShapeError, "there is no point"),
        (3, ShapeError, "expected a list of points, or names with their points; got int"),
        (tm.Confusion([[1, 0], [0, 1]]), ShapeError, "got Confusion"),
        (
            (0.1, 0.5),
            ShapeError,
            r"'point 1' must be a confusion matrix, counts or a pair \(FPR, TPR\); got 0.1",
        ),
        ({"deep": (0.1, 0.5, 0.9)}, ShapeError, "'deep' must be"),
        ({"deep": ("a", "b")}, ShapeError, "'deep' must be"),
        ({"deep": (1.1, 0.5)}, InputError, "between 0 and 1; 'deep' has FPR 1.1 and TPR 0.5"),
        ({"deep": (float("nan"), 0.5)}, InputError, "between 0 and 1; 'deep'"),
        ({"deep": Binary(0, 0, 1, 5)}, InputError, "'deep' has no TPR: no row is actually positive"),
        ({"deep": Binary(3, 1, 0, 0)}, InputError, "'deep' has no FPR: no row is actually negative"),
        (
            {"deep": tm.Confusion(np.eye(3, dtype=int))},
            LabelError,
            "name the positive class: the labels of 'deep'",
        ),
    ],
)
def test_wrong_points(points, error, said):
    with pytest.raises(error, match=said):
        roc_from_points(points)


def test_on_paper():
    curve = roc_from_points(SETTINGS)
    said = text(curve.document(), width=300)
    assert "3 settings of a classifier" in said
    assert "'odd' lies below it and is never the best choice" in said
    form = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert form["name"] == [None, "cautious", "odd", "bold", None]
    assert form["inside"] == ["odd"]
    table = curve.table("pandas")
    assert list(table.columns) == ["name", "tpr", "fpr"]
    assert len(table) == 5


def test_picture():
    marks = roc_from_points(SETTINGS).figure().panels[0].marks
    points = next(mark for mark in marks if isinstance(mark, Points))
    assert points.x.tolist() == [0.1, 0.35, 0.5]
    assert [mark.text for mark in marks if isinstance(mark, Note)] == ["cautious", "odd", "bold"]
    many = roc_from_points([(k / 20, k / 20) for k in range(20)]).figure().panels[0].marks
    assert not any(isinstance(mark, Note) for mark in many)
