"""Several models: where each is best, where they cross, who is on the common hull."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.curves import Several, roc_from_points, roc_of, roc_of_rows
from tallymark.curves.roc.several_words import sentence
from tallymark.drawing import text
from tallymark.drawing.figure import Line, Points
from tallymark.errors import InputError, ShapeError
from tallymark.tallies import Binary, Scores

M1 = roc_from_points([(0.1, 0.6)])
M2 = roc_from_points([(0.4, 0.9)])

rows = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=25).filter(
    lambda pairs: len({positive for _, positive in pairs}) == 2
)


def curve_of(pairs):
    score, positive = zip(*pairs, strict=True)
    return roc_of_rows(np.array(score, float), np.array(positive), "grouped")


def height(curve, f):
    """The highest TPR at an FPR, line by line."""
    points = list(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    found = 0.0
    for (left, low), (right, high) in pairwise(points):
        if left <= f <= right:
            found = max(found, high if left == right else low + (high - low) * (f - left) / (right - left))
    return found


# --- where each is best ----------------------------------------------------------------------------


def test_one_is_better_for_small_and_the_other_for_large_fpr():
    """The sources' picture. M1 goes on from (0.1, 0.6) with slope 4/9, M2 comes with slope 9/4."""
    both = Several({"M1": M1, "M2": M2})
    # 0.6 + (f - 0.1) * 4 / 9 = 9 / 4 * f
    f = (0.6 - 0.4 / 9) / (9 / 4 - 4 / 9)
    first, second = both.best
    assert (first.low, first.names, second.high, second.names) == (0, ("M1",), 1, ("M2",))
    assert first.high == second.low == pytest.approx(f)
    (crossing,) = both.crossings
    assert (crossing.before, crossing.after) == ("M1", "M2")
    assert crossing.fpr == crossing.until == pytest.approx(f)
    assert crossing.tpr == pytest.approx(9 / 4 * f)
    said = text(both.document(), width=300)
    assert f"Best are 'M1' up to an FPR of {f:.3f} and 'M2' above {f:.3f}." in said


def test_vertical_steps_cross_at_their_fpr():
    # One goes up at 0 and 0.5, the other at 0.25 only: all steps, no slopes.
    one = curve_of([(9, True), (8, False), (7, False), (6, True), (5, False), (4, False)])
    two = curve_of([(9, False), (8, True), (8, True), (7, False), (6, False), (5, False)])
    both = Several({"one": one, "two": two})
    assert [(part.low, part.high, part.names) for part in both.best] == [
        (0, 0.25, ("one",)),
        (0.25, 0.5, ("two",)),
        (0.5, 1, ("one", "two")),
    ]
    (crossing,) = both.crossings
    assert (crossing.before, crossing.fpr, crossing.until, crossing.tpr) == ("one", 0.25, 0.25, 0.5)


def test_curves_that_run_together_between():
    one = roc_from_points([(0.2, 0.5), (0.4, 0.6), (0.6, 0.65)])
    two = roc_from_points([(0.2, 0.4), (0.3, 0.55), (0.4, 0.6), (0.6, 0.8)])
    both = Several({"one": one, "two": two})
    (crossing,) = both.crossings
    assert (crossing.before, crossing.after) == ("one", "two")
    assert (crossing.fpr, crossing.until) == (pytest.approx(0.3), pytest.approx(0.4))
    assert [part.names for part in both.best] == [("one",), ("one", "two"), ("two",)]


def test_touching_is_no_crossing():
    one = roc_from_points([(0.5, 0.8)])
    two = roc_from_points([(0.2, 0.2), (0.5, 0.8), (0.7, 0.8)])
    assert Several({"one": one, "two": two}).crossings == ()


@settings(deadline=None)
@given(st.lists(rows, min_size=2, max_size=4))
def test_best_against_a_dense_grid(tables):
    models = {f"m{place}": curve_of(pairs) for place, pairs in enumerate(tables)}
    several = Several(models)
    best = several.best
    assert (best[0].low, best[-1].high) == (0, 1)
    assert all(one.high == two.low and one.names != two.names for one, two in pairwise(best))
    for f in (np.arange(200) + 0.5**0.5) / 200:  # no fraction, so no corner where curves touch
        heights = {name: height(curve, f) for name, curve in models.items()}
        top = max(heights.values())
        part = next(part for part in best if part.low <= f < part.high)
        assert set(part.names) == {name for name, value in heights.items() if value >= top - 1e-9}


@settings(deadline=None)
@given(rows, rows)
def test_crossings_against_the_signs_of_a_dense_grid(first, second):
    one, two = curve_of(first), curve_of(second)
    crossings = Several({"one": one, "two": two}).crossings
    # Corners lie at multiples of 1 / n, so between such multiples and crossings the sign is constant.
    ends = {0.0, 1.0, *one.fpr.tolist(), *two.fpr.tolist()}
    ends |= {end for crossing in crossings for end in (crossing.fpr, crossing.until)}
    ordered = sorted(ends)
    signs = []
    for low, high in pairwise(ordered):
        gaps = [height(one, f) - height(two, f) for f in np.linspace(low, high, 7)[1:-1]]
        if high - low > 1e-9:
            assert max(gaps) < 1e-9 or min(gaps) > -1e-9
            signs.append(0 if max(map(abs, gaps)) < 1e-9 else 1 if max(gaps) > 1e-9 else -1)
    changes = [sign for sign in signs if sign]
    expected = [after for before, after in pairwise(changes) if before != after]
    assert [1 if crossing.after == "one" else -1 for crossing in crossings] == expected


def test_ascending_and_descending_curves_are_the_same():
    score = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    positive = np.array([True, False, True, True, False])
    up, down = (roc_of_rows(score, positive, ascending=way) for way in (True, False))
    both = Several({"up": up, "down": down})
    assert [part.names for part in both.best] == [("up", "down")]
    assert both.crossings == ()
    assert "are equally good at every FPR" in text(both.document(), width=300)


# --- the common hull -------------------------------------------------------------------------------


def test_common_hull_with_slopes():
    several = Several({"M1": M1, "M2": M2, "rule": (0.5, 0.5), "guess": Binary(1, 1, 1, 1)})
    assert several.hull.fpr.tolist() == [0, 0.1, 0.4, 1]
    first, second = several.on_hull
    # Sides: 6 up to (0.1, 0.6), 1 up to (0.4, 0.9), 1/6 up to (1, 1).
    assert (first.names, first.low, first.high) == (("M1",), 0.1, 0.1)
    assert (first.slope_low, first.slope_high) == (pytest.approx(1), pytest.approx(6))
    assert (second.names, second.slope_low, second.slope_high) == (
        ("M2",),
        pytest.approx(1 / 6),
        pytest.approx(1),
    )
    assert several.never_best == ("rule", "guess")
    assert several.hull.auc == pytest.approx(0.03 + 0.225 + 0.57)


def test_shared_vertices_belong_to_both():
    several = Several({"a": (0.2, 0.7), "b": roc_from_points([(0.2, 0.7), (0.5, 0.9)])})
    assert [stretch.names for stretch in several.on_hull] == [("b", "a"), ("b",)]
    assert several.never_best == ()


def test_stretches_of_one_model_are_joined():
    one = roc_from_points([(0.1, 0.5), (0.2, 0.7)])
    (stretch,) = Several({"one": one, "low": (0.6, 0.61)}).on_hull
    assert (stretch.names, stretch.low, stretch.high) == (("one",), 0.1, 0.2)
    assert (stretch.slope_low, stretch.slope_high) == (pytest.approx(0.3 / 0.8), pytest.approx(5))


def test_no_model_above_the_diagonal():
    several = Several({"bad": (0.5, 0.4)})
    assert several.on_hull == ()
    assert several.never_best == ("bad",)
    assert "No model is above the diagonal" in text(several.document())


@settings(deadline=None)
@given(st.lists(rows, min_size=1, max_size=4))
def test_nobody_is_above_the_common_hull(tables):
    several = Several({f"m{place}": curve_of(pairs) for place, pairs in enumerate(tables)})
    hull = several.hull
    for curve in several.curves.values():
        for f, t in zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True):
            assert t <= height(hull, f) + 1e-9


# --- what came, what is said -----------------------------------------------------------------------


def test_single_points_beside_curves():
    several = Several({"M1": M1, "good": (0.1, 0.8), "bad": (0.5, 0.5)})
    said = text(several.document(), width=300)
    assert "'good' is one point, 0.200 above every curve at its FPR." in said
    assert "'bad' is one point; at its FPR 'M1' reaches a TPR of 0.778." in said
    assert several.points == {"good": (0.1, 0.8), "bad": (0.5, 0.5)}


def test_many_ranges_are_summed_up():
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < 0.5
    models = {
        name: roc_of_rows(rng.normal(size=2000) + positive, positive, "grouped") for name in ("a", "b", "c")
    }
    several = Several(models)
    said = text(several.document(), width=300)
    assert f"These are the 20 widest of {len(several.best)} ranges." in said
    assert "Alone the best: 'a' on" in said
    assert f"{len(several.crossings)} crossings, of which the first 20:" in said


@pytest.mark.parametrize("wrong", [{}, [], None])
def test_nothing_came(wrong):
    with pytest.raises(ShapeError, match="expected models by name"):
        Several(wrong)


def test_wrong_models():
    with pytest.raises(InputError, match="'one' has no ROC curve: no row is actually negative"):
        Several({"one": roc_of_rows(np.array([1.0]), np.array([True]))})
    with pytest.raises(InputError, match="'one' has FPR 2"):
        Several({"one": (2, 0.5)})
    with pytest.raises(ShapeError, match="'one' must be a confusion matrix, counts or a pair"):
        Several({"one": 0.5})


def test_json():
    several = Several(
        {"M1": M1, "M2": M2, "perfect": roc_of(Scores.from_bins([5, 0], [0, 5])), "rule": (0.2, 0.3)}
    )
    form = json.loads(json.dumps(several.to_dict(), allow_nan=False))
    assert [model["name"] for model in form["models"]] == ["M1", "M2", "perfect", "rule"]
    assert form["best"] == [{"low": 0.0, "high": 1.0, "models": ["perfect"]}]
    assert (form["ranges"], form["crossings_total"]) == (1, 1)
    assert form["on_hull"] == [
        {"models": ["perfect"], "low": 0.0, "high": 0.0, "slope_low": 0.0, "slope_high": None}
    ]
    assert form["never_best"] == ["M1", "M2", "rule"]


def test_picture():
    (panel,) = Several({"M1": M1, "M2": M2, "rule": (0.2, 0.3)}).figure().panels
    lines = [mark for mark in panel.marks if isinstance(mark, Line)]
    assert [(line.label, line.series) for line in lines] == [
        (f"M1, AUC {M1.auc:.3f}", 0),
        (f"M2, AUC {M2.auc:.3f}", 1),
        ("common hull", None),
        ("random guessing", None),
    ]
    (point,) = (mark for mark in panel.marks if isinstance(mark, Points))
    assert (point.label, point.series, point.x.tolist()) == ("rule", 2, [0.2])


def test_a_million_rows():
    rng = np.random.default_rng(0)
    positive = rng.random(1_000_000) < 0.3
    models = {
        name: roc_of_rows(rng.normal(size=1_000_000) + positive, positive, "grouped") for name in ("a", "b")
    }
    several = Several(models)
    assert several.document().sections
    best = several.to_dict()["best"]
    assert (best[0]["low"], best[-1]["high"]) == (0, 1)


def test_a_model_that_is_never_the_best_is_not_listed_with_nothing() -> None:
    first = [(0.1, 0.5), (0.3, 0.5), (0.35, 0.8), (0.6, 0.8), (0.65, 1.0)]
    second = [(0.12, 0.3), (0.2, 0.65), (0.45, 0.65), (0.5, 0.9), (0.7, 0.9)]
    curves = {"a": roc_from_points(first), "b": roc_from_points(second), "low": roc_from_points([(0.5, 0.2)])}
    several = Several(curves)
    assert len(several.best) > 3
    assert several.widths["low"] == 0
    assert sum(several.widths.values()) == pytest.approx(1)
    said = sentence(several)
    assert "'low'" not in said
    assert said.endswith("% of the FPR axis, the others never.")
    assert said.startswith("Alone the best: 'a' on ")
    assert sentence(Several({name: curves[name] for name in "ab"})).endswith("% of the FPR axis.")
