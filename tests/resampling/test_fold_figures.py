"""The pictures of folds show which rows train and which test, and can be drawn in every case."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

import tallymark as tm
from tallymark.drawing import Figure, Spans, image
from tallymark.resampling import folds_of

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def marks(figure: Figure) -> dict[str, Spans]:
    (panel,) = figure.panels
    return {mark.label: mark for mark in panel.marks}


def names(figure: Figure) -> list[str]:
    return [name for _, name in figure.panels[0].y.names]


def covered(figure: Figure, label: str, name: str) -> list[int]:
    """The rows that a colour covers in a bar."""
    (place,) = [place for place, other in figure.panels[0].y.names if other == name]
    mark = marks(figure)[label]
    mine = mark.y == place
    spans = zip(mark.low[mine], mark.high[mine], strict=True)
    return [row for low, high in spans for row in range(int(low), int(high))]


def test_every_fold_shows_its_test_rows():
    y = np.array(["no"] * 20 + ["yes"] * 10)
    folds = tm.KFold(5).folds(y=y)
    figure = folds.figure(y)
    assert names(figure) == ["class", "fold 1", "fold 2", "fold 3", "fold 4", "fold 5"]
    for number, fold in enumerate(folds.folds):
        assert covered(figure, "test rows", f"fold {number + 1}") == fold.test.tolist()
    assert covered(figure, "class yes", "class") == list(range(20, 30))
    assert "rows not used" not in marks(figure)
    assert figure.title == "5-fold cross-validation, stratified"
    assert figure.note == "Trained on 24, tested on 6 of 30 rows."


def test_rows_that_are_not_used():
    pairs = [(a, b) for a in "abc" for b in "xyz"]
    folds = tm.LeavePairsOut(3, shuffle=False).folds(groups=pairs)
    figure = folds.figure(groups=pairs)
    assert names(figure)[:3] == ["entity 1", "entity 2", "a x x"]
    assert covered(figure, "test rows", "b x y") == [4]
    assert covered(figure, "rows not used", "b x y") == [1, 3, 5, 7]


def test_folds_beyond_the_first_are_counted():
    figure = tm.KFold(10, n_repeats=10).folds(np.zeros(100)).figure()
    assert names(figure)[9:11] == ["run 1, fold 10", "run 2, fold 1"]
    assert len(names(figure)) == 30
    assert figure.note == "Trained on 90, tested on 10 of 100 rows. 70 more folds are not shown."


def test_many_rows_are_stripes_with_the_share_of_each():
    figure = tm.KFold(4).folds(np.zeros(40_000)).figure()
    mark = marks(figure)["test rows"]
    assert len(mark.y) <= 4 * 100
    assert (mark.high - mark.low).sum() == pytest.approx(40_000)
    assert "100 stripes" in figure.note


def test_a_single_row_of_many_can_be_seen():
    figure = folds_of([(np.arange(1, 20_000), [0])], np.zeros(20_000)).figure()
    mark = marks(figure)["test rows"]
    assert (mark.high - mark.low).tolist() == [50.0]


def test_three_ways():
    parts = tm.three_way_split([0, 1] * 10)
    figure = parts.figure([0, 1] * 10)
    for label, rows in (("validation rows", parts.validation), ("test rows", parts.test)):
        assert covered(figure, label, "split") == rows.tolist()
    assert figure.note == "12 training, 4 validation, 4 test rows."
    assert parts.plot() is not None


DRAWN = {
    "holdout": (tm.Holdout(), {}),
    "bootstrap": (tm.Bootstrap(3), {}),
    "leave one out": (tm.LeaveOneOut(), {}),
    "groups": (tm.LeaveOneGroupOut(), {"groups": ["A & <b>", "$x_1$", "_c"] * 8}),
    "classes": (tm.KFold(3), {"y": [*"abcdefgh"] * 3}),
    "too many classes": (tm.KFold(3), {"y": np.arange(24)}),
}


@pytest.mark.parametrize("case", DRAWN)
def test_it_can_be_drawn(case):
    cv, given = DRAWN[case]
    X = np.zeros((24, 2))
    figure = cv.folds(X, **given).figure(**given)
    assert image(figure, ".png").startswith(b"\x89PNG")
    _, ax = plt.subplots()
    assert cv.plot(X, **given, ax=ax) is ax
