"""The pictures as data: what is on them, and that the pen draws each."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.curves import (
    Gains,
    Lift,
    PrecisionRecall,
    ThresholdCurve,
    confusion_figure,
    roc_and_precision_recall,
    threshold_curves,
)
from tallymark.curves.roc.constructions import roc_of
from tallymark.drawing.figure import Axis, Cells, Figure, Line, Note, Panel, Points
from tallymark.drawing.plots.pen import image
from tallymark.errors import OptionError, ShapeError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Confusion, Scores

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = count_scores(np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool))
BINS = Scores.from_bins([2, 1, 0], [0, 1, 3], edges=[1, 0.6, 0.3, 0])
NONE = count_scores(np.array([0.3, 0.2]), np.zeros(2, bool))


def of(figure: Figure, kind: type) -> list:
    return [mark for panel in figure.panels for mark in panel.marks if isinstance(mark, kind)]


def held(line: Line, at: float) -> float:
    """The height of a stepped line: each y holds until the next x, here going left."""
    assert line.stepped
    assert (np.diff(line.x) <= 0).all()
    return float(line.y[np.flatnonzero(line.x >= at)[-1]])


def test_precision_recall() -> None:
    figure = PrecisionRecall(SMALL).figure(threshold=0.5)
    curve, baseline = of(figure, Line)
    # The steps are those that average precision adds up: recall 1/3 to 2/3 at precision 2/3.
    assert held(curve, 0.2) == 1
    assert held(curve, 0.5) == 2 / 3
    assert held(curve, 0.9) == 3 / 4
    assert (curve.x[0], curve.x[-1], curve.y[0]) == (1, 0, 3 / 5)
    assert (baseline.y.tolist(), baseline.label, baseline.series) == ([0.6, 0.6], "at random: 0.600", None)
    (point,) = of(figure, Points)
    assert (point.x.tolist(), point.y.tolist()) == ([2 / 3], [2 / 3])
    assert point.label == "score >= 0.5: precision 0.667, recall 0.667"
    assert curve.label == "average precision 0.806"
    assert of(PrecisionRecall(SMALL).figure("tree"), Line)[0].label == "tree, average precision 0.806"
    assert not of(PrecisionRecall(SMALL).figure(threshold=2), Points)


def test_a_metric_against_the_threshold() -> None:
    figure = ThresholdCurve(SMALL).figure()
    (curve,) = of(figure, Line)
    for threshold in (0.05, 0.1, 0.3, 0.4, 0.79, 0.8, 0.9, 0.95):
        assert held(curve, threshold) == ThresholdCurve(SMALL).at(threshold)
    (point,) = of(figure, Points)
    assert (point.x.tolist(), point.y.tolist()) == ([0.4], [6 / 7])
    assert [note.text for note in of(figure, Note)] == ["best 0.857 at 0.4"]
    assert "optimistic" in figure.note
    assert (figure.panels[0].y.label, figure.panels[0].legend) == ("f1", "none")


def test_several_metrics_against_the_threshold() -> None:
    figure = threshold_curves(SMALL, ["precision", "recall", "prevalence"]).figure()
    assert [line.label for line in of(figure, Line)] == [
        "precision: best 1.000 at 0.9",
        "recall: best 1.000 at 0.4",
        "prevalence",
    ]
    assert [line.series for line in of(figure, Line)] == [0, 1, 2]
    assert [point.series for point in of(figure, Points)] == [0, 1]


def test_thresholds_beyond_0_and_1() -> None:
    figure = ThresholdCurve(count_scores(np.array([-3.0, 5.0]), np.array([0, 1], bool))).figure()
    axis = figure.panels[0].x
    assert (axis.low, axis.high) == pytest.approx((-3.16, 5.16))
    constant = ThresholdCurve(count_scores(np.array([7.0, 7.0]), np.array([0, 1], bool))).figure()
    assert constant.panels[0].x.low < 7 < constant.panels[0].x.high


def test_of_bins_only_the_edges_are_drawn() -> None:
    (line,) = of(ThresholdCurve(BINS).figure(), Line)
    assert (line.stepped, line.x.tolist()) == (False, [0.6, 0.3, 0])


def test_gains() -> None:
    figure = Gains(SMALL).figure()
    random, ideal, curve = of(figure, Line)
    assert (random.label, random.series, ideal.x.tolist()) == ("random order", None, [0, 0.6, 1])
    assert (curve.x.tolist(), curve.y.tolist()) == (
        Gains(SMALL).share.tolist(),
        Gains(SMALL).recall.tolist(),
    )
    panel = figure.panels[0]
    assert (panel.x.second, panel.x.second_high) == ("rows taken", 5)
    assert (panel.y.second, panel.y.second_high) == ("positives found", 3)
    assert panel.x.percent
    assert panel.y.percent


def test_lift() -> None:
    figure = Lift(SMALL).figure()
    random, curve = of(figure, Line)
    assert random.y.tolist() == [1, 1]
    assert np.interp(0.1, curve.x, curve.y) == pytest.approx(1 / 3 / 0.2)
    # Among the two tied rows: 1.5 of 3 positives in 2 of 5 rows.
    assert np.interp(0.4, curve.x, curve.y) == pytest.approx(1.5 / 3 / 0.4)
    assert not figure.note


def test_a_lift_beyond_the_picture_is_said() -> None:
    y = np.zeros(10_000, bool)
    y[[0, *range(100, 10_000, 120)]] = True
    figure = Lift(count_scores(np.linspace(1, 0, 10_000), y)).figure()
    assert figure.panels[0].y.high < 10
    assert figure.note == "Within the best 0.5 % the lift goes up to 119.0."


def test_confusion() -> None:
    figure = confusion_figure(Confusion([[3, 1], [0, 0]], labels=["cat", "dog"]))
    (cells,) = of(figure, Cells)
    assert (cells.rows, cells.columns) == (("cat", "dog"), ("cat", "dog"))
    assert (cells.x_label, cells.y_label) == ("predicted", "actual")
    assert cells.texts == (("3\n75.0%", "1\n25.0%"), ("0", "0"))
    np.testing.assert_array_equal(cells.shade, [[0.75, 0.25], [np.nan, np.nan]])
    assert figure.note == (
        "Shade and percent: share of the actual class. Grey: no row is actually of that class."
    )


def test_confusion_of_many_classes() -> None:
    (cells,) = of(confusion_figure(Confusion(np.eye(20, dtype=int)), "all"), Cells)
    assert cells.texts[0][0] == "1"
    with pytest.raises(ShapeError, match="a picture of 101 classes cannot be read; at most 100 are drawn"):
        confusion_figure(Confusion(np.eye(101, dtype=int)))
    with pytest.raises(OptionError) as caught:
        confusion_figure(Confusion([[3, 1], [0, 2]]), "rows")
    assert str(caught.value) == "normalize must be one of actual, predicted, all; got 'rows'."


def test_roc_beside_precision_recall() -> None:
    square = np.array([0.0, 1.0])
    roc = Figure((Panel(Axis("fpr"), Axis("tpr"), (Line(square, square),), square=True),), note="A note.")
    # 10 of 1,000 are positive; at the best 8 + 10 rows FPR is 1.01 % and TPR 80 %.
    skewed = Scores.from_bins([8, 2], [9, 981])
    both = roc_and_precision_recall(roc, PrecisionRecall(skewed).figure(), skewed)
    assert len(both.panels) == 2
    assert both.note == (
        "A note. Only bins of the scores were counted, so the curve is known at their edges only. "
        "1 % of the rows are positive: at the point marked, with a false positive rate of 0.9 % and a true "
        "positive rate of 80 %, there are 1.1 false positives for every true one. The ROC curve does not "
        "change with the share of positives, precision does."
    )
    left, right = (panel.marks[-1] for panel in both.panels)
    assert (left.x, left.y) == (9 / 990, 0.8)
    assert (right.x, right.y) == (0.8, 8 / 17)
    assert roc_and_precision_recall(roc, PrecisionRecall(NONE).figure(), NONE).note == "A note."


def test_that_scores_were_binned_is_said_once() -> None:
    binned = Scores.from_bins([8, 2], [9, 981])
    both = roc_and_precision_recall(roc_of(binned).figure(), PrecisionRecall(binned).figure(), binned)
    assert both.note.startswith(
        "Only bins of the scores were counted, so the curve is known at their edges only. 1 % of the rows"
    )


def test_a_ratio_that_is_infinite_says_so_below_its_picture() -> None:
    figure = ThresholdCurve(SMALL, "lr_plus").figure()
    assert of(figure, Points) == []
    assert figure.note == (
        "No threshold is best for lr_plus: at the threshold 0.9 no negative was called positive, so "
        "the ratio is infinite (fp = 0)."
    )


def test_the_remark_on_skew_is_about_the_threshold_asked_for_or_about_a_telling_one() -> None:
    roc = Figure((Panel(Axis("fpr"), Axis("tpr"), ()),))

    def said(scores: Scores, threshold: float | None = None) -> str:
        return roc_and_precision_recall(roc, PrecisionRecall(scores).figure(), scores, threshold).note

    mixed = count_scores(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 0, 1, 0], bool))
    assert (
        "at score >= 0.8, with a false positive rate of 50 % and a true positive rate of 50 %, there are 1.0"
        in (said(mixed, 0.8))
    )
    plain = "50 % of the rows are positive. The ROC curve does not change with the share of positives, "
    plain += "precision does."
    perfect = count_scores(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 0], bool))
    constant = count_scores(np.full(4, 0.5), np.array([1, 1, 0, 0], bool))
    assert said(perfect) == said(constant) == said(mixed, 0.95) == plain


@pytest.mark.parametrize(
    "figure",
    [
        PrecisionRecall(SMALL).figure(threshold=0.4),
        PrecisionRecall(NONE).figure(),
        threshold_curves(SMALL).figure(),
        ThresholdCurve(NONE, "recall").figure(),
        ThresholdCurve(Scores.empty()).figure(),
        Gains(SMALL).figure(),
        Gains(NONE).figure(),
        Lift(SMALL).figure(),
        Lift(NONE).figure(),
        Lift(BINS).figure(),
        confusion_figure(Confusion([[3, 1], [0, 2]], labels=["a", "$b_1$"])),
    ],
)
def test_the_pen_draws_it(figure: Figure) -> None:
    assert image(figure, ".svg").startswith(b"<?xml")


def test_plot_gives_back_the_axes() -> None:
    from matplotlib.figure import Figure as Page

    for curve in (
        PrecisionRecall(SMALL),
        ThresholdCurve(SMALL),
        threshold_curves(SMALL),
        Gains(SMALL),
        Lift(SMALL),
    ):
        ax = Page().add_subplot()
        assert curve.plot(ax=ax) is ax
        assert ax.lines
