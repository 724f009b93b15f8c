"""ROC curves from rows and tallies: areas, single points, JSON, frames, pictures."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from tallymark.curves import Roc, roc_of, roc_of_rows
from tallymark.curves.values import written
from tallymark.drawing import text
from tallymark.drawing.figure import Band, Line
from tallymark.errors import OptionError
from tallymark.tallies import Scores

TEN = np.array([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
TEN_POSITIVE = np.array(list("++---+-+-+")) == "+"

both_classes = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=12).filter(
    lambda rows: len({positive for _, positive in rows}) == 2
)


def columns(rows):
    score, positive = zip(*rows, strict=True)
    return np.array(score, float), np.array(positive)


def random_rows(seed, size=400, levels=20, dtype=np.float64):
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < 0.3
    score = np.round((rng.normal(size=size) + positive) * levels / 6) / levels
    return score.astype(dtype), positive, rng


# --- against scikit-learn --------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [2, 20, 10_000])
def test_grouped_is_scikit_learns_curve(levels):
    score, positive, _ = random_rows(1, levels=levels)
    curve = roc_of_rows(score, positive, "grouped")
    fpr, tpr, threshold = roc_curve(positive, score, drop_intermediate=False)
    assert curve.fpr == pytest.approx(fpr)
    assert curve.tpr == pytest.approx(tpr)
    assert curve.threshold.tolist() == threshold.tolist()
    assert curve.auc == pytest.approx(roc_auc_score(positive, score), abs=1e-14)


@pytest.mark.parametrize("whole", [True, False])
def test_weights(whole):
    score, positive, rng = random_rows(2)
    weight = rng.integers(0, 4, len(score)) if whole else rng.random(len(score))
    curve = roc_of_rows(score, positive, "grouped", weight=weight)
    fpr, tpr, threshold = roc_curve(positive, score, sample_weight=weight, drop_intermediate=False)
    seen = np.isin(threshold, [np.inf, *score[weight > 0]])
    assert curve.threshold.tolist() == threshold[seen].tolist()
    assert curve.fpr == pytest.approx(fpr[seen])
    assert curve.tpr == pytest.approx(tpr[seen])
    assert curve.auc == pytest.approx(roc_auc_score(positive, score, sample_weight=weight), abs=1e-13)
    assert curve.tp.dtype.kind == ("i" if whole else "f")


def test_float32_scores_are_taken_exactly():
    score, positive, _ = random_rows(3, dtype=np.float32)
    curve = roc_of_rows(score, positive, "grouped")
    assert curve.auc == pytest.approx(roc_auc_score(positive, score), abs=1e-14)
    assert curve.threshold[1:].astype(np.float32).tolist() == curve.threshold[1:].tolist()


def test_zero_has_one_sign():
    curve = roc_of_rows(np.array([0.0, -0.0, 1.0]), np.array([True, False, True]), "grouped")
    assert curve.threshold.tolist() == [np.inf, 1, 0]
    assert curve.ties.pairs == 1


# --- one class only, few rows ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("positive", "why"),
    [
        ([], "there are no rows"),
        ([True], "no row is actually negative"),
        ([False, False], "no row is actually positive"),
    ],
)
@pytest.mark.parametrize("way", ["sequential", "grouped", "opposite", "bins:3", "quantiles:3"])
def test_one_class_has_no_area(positive, why, way):
    curve = roc_of_rows(np.linspace(0, 1, len(positive)), np.array(positive, bool), way)
    assert (curve.auc, curve.why, curve.hull, curve.band()) == (None, why, None, None)
    assert (curve.optimistic, curve.pessimistic, curve.below_diagonal) == (None, None, None)
    assert len(curve.trapezoids()) == 0
    assert why in text(curve.document())
    assert why in curve.figure().note
    form = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert (form["auc"], form["why"], form["hull"]) == (None, why, None)
    assert curve.at(threshold=-1).tp == sum(positive)
    assert len(curve.table()) == len(curve.threshold)
    with pytest.raises(OptionError, match=f"there is no curve: {why}"):
        curve.at(fpr=0.1)


def test_one_row_of_each_class():
    curve = roc_of_rows(np.array([0.2, 0.9]), np.array([False, True]), "grouped")
    assert (curve.auc, curve.below_diagonal) == (1, None)


# --- areas -----------------------------------------------------------------------------------------


@given(both_classes)
def test_trapezoids_add_up_to_the_area(rows):
    score, positive = columns(rows)
    for way, ascending in itertools.product(("sequential", "grouped"), (False, True)):
        curve = roc_of_rows(score, positive, way, ascending=ascending)
        strips = curve.trapezoids()
        assert strips.area.sum() == pytest.approx(curve.auc, abs=1e-14)
        assert strips.width.sum() == pytest.approx(1)
        assert (strips.width > 0).all()


def test_counts_beyond_64_bits_stay_exact():
    big = 2**50
    curve = roc_of(Scores.from_bins([big, 1], [1, big]))
    # won: big * big; tied: 2 * big; of (big + 1) squared
    assert curve.ties.won == big * big
    assert curve.auc == (big * big + big) / (big + 1) ** 2


# --- single points ---------------------------------------------------------------------------------


@given(both_classes, st.floats(0, 1))
def test_the_best_point_at_a_rate(rows, asked):
    score, positive = columns(rows)
    curve = roc_of_rows(score, positive, "grouped")
    every = list(zip(curve.fpr, curve.tpr, strict=True))
    at_fpr, at_tpr = curve.at(fpr=asked), curve.at(tpr=asked)
    assert at_fpr.tpr == max(tpr for fpr, tpr in every if fpr <= asked + 1e-12)
    assert at_fpr.fpr == min(fpr for fpr, tpr in every if tpr == at_fpr.tpr)
    assert at_tpr.fpr == min(fpr for fpr, tpr in every if tpr >= asked - 1e-12)
    assert at_tpr.tpr == max(tpr for fpr, tpr in every if fpr == at_tpr.fpr)
    for point in (at_fpr, at_tpr):
        assert point.tp == (positive & (score >= point.threshold)).sum()
        assert point.fp == (~positive & (score >= point.threshold)).sum()


@pytest.mark.parametrize("threshold", [0.85, 0.9, 0.2, 1.0, np.inf, -np.inf])
def test_counts_at_a_threshold(threshold):
    point = roc_of_rows(TEN, TEN_POSITIVE).at(threshold=threshold)
    called = threshold <= TEN
    assert (point.tp, point.fp) == ((called & TEN_POSITIVE).sum(), (called & ~TEN_POSITIVE).sum())
    assert (point.fn, point.tn) == ((~called & TEN_POSITIVE).sum(), (~called & ~TEN_POSITIVE).sum())
    assert point.threshold == threshold


def test_wrong_questions():
    curve = roc_of_rows(TEN, TEN_POSITIVE)
    with pytest.raises(OptionError, match="got nothing"):
        curve.at()
    with pytest.raises(OptionError, match=r"got fpr=0\.1, tpr=0\.2"):
        curve.at(fpr=0.1, tpr=0.2)
    for wrong in ({"fpr": 1.5}, {"tpr": -0.1}, {"fpr": np.nan}, {"threshold": np.nan}):
        with pytest.raises(OptionError, match="must be"):
            curve.at(**wrong)


# --- on paper --------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [None, "pandas", "polars", "pyarrow"])
def test_table(library):
    table = roc_of_rows(TEN, TEN_POSITIVE).table(library)
    names = list(table.column_names if library == "pyarrow" else table.columns)
    assert names == ["threshold", "example", "class", "tp", "fp", "tn", "fn", "tpr", "fpr"]
    assert len(table) == 11
    assert list(roc_of_rows(TEN, TEN_POSITIVE, "grouped").table("pandas").columns[1:3]) == [
        "positives",
        "negatives",
    ]


def test_json_of_a_short_curve():
    curve = roc_of_rows(TEN, TEN_POSITIVE, ascending=True)
    form = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert (form["points"], form["thinned"]) == (11, False)
    assert form["threshold"] == curve.threshold.tolist()
    assert form["class"] == list(curve.category)
    assert form["ties"] == {"groups": 1, "pairs": 2, "of": 25, "optimistic": 0.6, "pessimistic": 0.52}
    assert roc_of_rows(TEN, TEN_POSITIVE).to_dict()["threshold"][0] is None


def test_json_of_a_long_curve_keeps_the_hull():
    score, positive, _ = random_rows(7, size=20_000, levels=10**9)
    curve = roc_of_rows(score, positive, "grouped")
    form = curve.to_dict(most=100)
    assert form["thinned"]
    assert form["points"] == len(curve.threshold)
    assert 100 <= len(form["fpr"]) <= 100 + len(curve.hull.fpr)
    assert set(curve.hull.fpr.tolist()) <= set(form["fpr"])
    assert (form["fpr"][0], form["fpr"][-1]) == (0, 1)


def test_long_tables_show_some_points_from_end_to_end():
    score, positive, _ = random_rows(8, size=500, levels=10**9)
    curve = roc_of_rows(score, positive, "grouped")
    said = text(curve.document())
    assert f"30 of {len(curve.threshold)} points\n" in said
    assert "A .csv file has them all." in said
    table = said.split("points\n")[1].split("\n\n")[0].splitlines()[2:]
    shown = np.array([float(line.split()[0]) for line in table])
    # As printed every threshold takes the rows of the one that it stands for, from end to end evenly.
    places = np.searchsorted(-curve.scores.score, -shown, side="right")
    assert places.tolist() == np.linspace(0, len(curve.threshold) - 1, 30).round().astype(int).tolist()
    assert said.count("\n") < 150


def test_weighted_curves_speak_of_weight():
    said = text(roc_of_rows(TEN, TEN_POSITIVE, "grouped", weight=np.full(10, 0.5)).document(), width=400)
    assert "10 rows, by weight 2.5 positive and 2.5 negative." in said
    assert "By weight 3.5 of 6.25 pairs of a positive and a negative row are ranked right" in said


def test_thresholds_in_print():
    assert written(np.array([0.1, 0.25, 1 / 3])) == ["0.1", "0.25", "0.333333"]
    neighbours = written(np.array([0.1, np.nextafter(0.1, 1)]))
    assert neighbours == ["0.10000000000000001", "0.10000000000000002"]
    assert written(np.array([1e300, 5.0])) == ["1e+300", "5"]
    assert written(np.array([])) == []


def test_picture():
    curve = roc_of_rows(TEN, TEN_POSITIVE, "grouped")
    (panel,) = curve.figure("forest").panels
    assert panel.square
    assert (panel.x.label, panel.y.label) == ("false positive rate", "true positive rate")
    labels = [mark.label for mark in panel.marks]
    assert labels == [
        "forest, AUC 0.560",
        "95 % band, pointwise",
        "order within ties open",
        "convex hull",
        "random guessing",
    ]
    lines = [mark for mark in panel.marks if isinstance(mark, Line)]
    assert lines[0].x.tolist() == curve.fpr.tolist()
    assert lines[-1].series is None
    bare = curve.figure(band=False).panels[0].marks
    assert [mark.label for mark in bare if isinstance(mark, Band)] == ["order within ties open"]


def test_plot_draws_on_the_axes_given():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert roc_of_rows(TEN, TEN_POSITIVE).plot(axes) is axes
    assert axes.get_xlabel() == "false positive rate"


def test_a_million_scores():
    rng = np.random.default_rng(0)
    positive = rng.random(1_000_000) < 0.3
    score = rng.normal(size=1_000_000) + positive
    order = np.argsort(-score)
    tally = Scores(score[order], positive[order].astype(int), (~positive[order]).astype(int))
    curve = roc_of(tally)
    assert isinstance(curve, Roc)
    assert curve.auc == pytest.approx(roc_auc_score(positive, score), abs=1e-12)
    assert len(curve.to_dict()["fpr"]) < 6_000
    assert curve.document().sections
    assert curve.figure().panels
