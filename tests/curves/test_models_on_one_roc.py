"""Several models and single settings on one ROC picture: where each is best, crossings, the common hull."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from scored import BOTH_CLASSES, columns, scored

M1 = tm.roc_from_points([(0.1, 0.6)])
M2 = tm.roc_from_points([(0.4, 0.9)])
SETTINGS = {"bold": (0.5, 0.95), "cautious": (0.1, 0.6), "odd": (0.35, 0.72)}


def curve_of(pairs):
    return scored(*columns(pairs)).roc


def height(curve, f):
    """The highest TPR at an FPR, line by line."""
    found = 0.0
    for (left, low), (right, high) in pairwise(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True)):
        if left <= f <= right:
            found = max(found, high if left == right else low + (high - low) * (f - left) / (right - left))
    return found


def ranges(several):
    return [(part.low, part.high, part.names) for part in several.best]


def test_points_are_joined_in_the_order_of_their_fpr():
    curve = tm.roc_from_points(SETTINGS)
    assert curve.names == ("", "cautious", "odd", "bold", "")
    assert (curve.fpr.tolist(), curve.tpr.tolist()) == ([0, 0.1, 0.35, 0.5, 1], [0, 0.6, 0.72, 0.95, 1])
    # 0.1 * 0.3 + 0.25 * 0.66 + 0.15 * 0.835 + 0.5 * 0.975; without "odd" 0.1 * 0.3 + 0.4 * 0.775 + ...
    assert (curve.auc, curve.hull.auc) == (pytest.approx(0.80775), pytest.approx(0.8275))
    assert curve.inside == ("odd",)
    assert curve.at(fpr=0.4) == ("odd", 0.35, 0.72)
    assert (curve.at(fpr=0.05), curve.at(tpr=0.99)) == (("", 0, 0), ("", 1, 1))
    assert curve.at(tpr=0.7).name == "odd"
    form = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert (form["name"], form["inside"]) == ([None, "cautious", "odd", "bold", None], ["odd"])
    assert (list(curve.table("pandas").columns), len(curve.table())) == (["name", "tpr", "fpr"], 5)


def test_matrices_counts_and_rates_may_be_mixed():
    matrix = tm.Confusion([[30, 20], [5, 45]], labels=["+", "-"])
    curve = tm.roc_from_points([matrix, tm.Binary(tp=9, fn=1, fp=5, tn=5), (0.2, 0.7)])
    assert (curve.fpr.tolist(), curve.tpr.tolist()) == ([0, 0.1, 0.2, 0.5, 1], [0, 0.6, 0.7, 0.9, 1])
    assert curve.names == ("", "point 1", "point 3", "point 2", "")
    assert len(curve.notes) == 1  # the first label of a matrix was taken for the positive class
    assert curve.counts[1] == tm.Binary(tp=30, fn=20, fp=5, tn=45, positive="+")
    other = tm.roc_from_points([matrix], pos_label="-")
    assert (other.fpr[1], other.tpr[1], other.notes) == (0.4, 0.9, ())
    usual = tm.roc_from_points([tm.Confusion([[45, 5], [20, 30]], labels=[0, 1])])
    assert (usual.fpr[1], usual.tpr[1]) == (0.1, 0.6)


def test_equal_points_and_points_on_a_side_of_the_hull():
    curve = tm.roc_from_points([(0.2, 0.5), (0.2, 0.3), (0.2, 0.5), (0, 0), (1, 1)])
    assert curve.tpr.tolist() == [0, 0, 0.3, 0.5, 0.5, 1, 1]
    assert curve.inside == ("point 2",)
    # 0.2 * 0.15 up to the lower of the two, and 0.8 * 0.75 from the higher one
    assert curve.auc == pytest.approx(0.63)
    side = tm.roc_from_points([(0.1, 0.3), (0.2, 0.6), (0.6, 0.8)])
    assert (side.inside, side.hull.fpr.tolist()) == ((), [0, 0.2, 1])
    below = tm.roc_from_points([(0.6, 0.2)])
    assert (bool(below.below_diagonal), below.inside) == (True, ("point 1",))


def test_one_is_better_for_small_and_the_other_for_large_fpr():
    """M1 goes on from (0.1, 0.6) with slope 4/9, M2 comes with slope 9/4."""
    both = tm.Several({"M1": M1, "M2": M2})
    # 0.6 + (f - 0.1) * 4 / 9 = 9 / 4 * f
    f = pytest.approx((0.6 - 0.4 / 9) / (9 / 4 - 4 / 9))
    assert ranges(both) == [(0, f, ("M1",)), (f, 1, ("M2",))]
    (crossing,) = both.crossings
    assert (crossing.before, crossing.after, crossing.fpr, crossing.until) == ("M1", "M2", f, f)
    assert crossing.tpr == pytest.approx(9 / 4 * crossing.fpr)
    assert both.widths == {"M1": f, "M2": pytest.approx(1 - crossing.fpr)}


def test_steps_curves_that_run_together_and_curves_that_touch():
    # One goes up at 0 and 0.5, the other at 0.25 only: all steps, no slopes.
    one = scored([9, 8, 7, 6, 5, 4], [1, 0, 0, 1, 0, 0]).roc
    two = scored([9, 8, 8, 7, 6, 5], [0, 1, 1, 0, 0, 0]).roc
    steps = tm.Several({"one": one, "two": two})
    assert ranges(steps) == [(0, 0.25, ("one",)), (0.25, 0.5, ("two",)), (0.5, 1, ("one", "two"))]
    (crossing,) = steps.crossings
    assert (crossing.before, crossing.fpr, crossing.until, crossing.tpr) == ("one", 0.25, 0.25, 0.5)
    one = tm.roc_from_points([(0.2, 0.5), (0.4, 0.6), (0.6, 0.65)])
    two = tm.roc_from_points([(0.2, 0.4), (0.3, 0.55), (0.4, 0.6), (0.6, 0.8)])
    together = tm.Several({"one": one, "two": two})
    (crossing,) = together.crossings
    assert (crossing.before, crossing.after) == ("one", "two")
    assert (crossing.fpr, crossing.until) == (pytest.approx(0.3), pytest.approx(0.4))
    assert [names for *_, names in ranges(together)] == [("one",), ("one", "two"), ("two",)]
    one, two = tm.roc_from_points([(0.5, 0.8)]), tm.roc_from_points([(0.2, 0.2), (0.5, 0.8), (0.7, 0.8)])
    assert tm.Several({"one": one, "two": two}).crossings == ()
    ev = scored([0.9, 0.8, 0.7, 0.6, 0.5], [1, 0, 1, 1, 0])
    same = tm.Several({"up": ev.roc_as("sequential", ascending=True), "down": ev.roc})
    assert (ranges(same), same.crossings) == ([(0, 1, ("up", "down"))], ())


@given(st.lists(BOTH_CLASSES, min_size=2, max_size=4))
def test_best_and_the_common_hull_against_a_dense_grid(tables):
    models = {f"m{place}": curve_of(pairs) for place, pairs in enumerate(tables)}
    several = tm.Several(models)
    best = several.best
    assert (best[0].low, best[-1].high) == (0, 1)
    assert all(one.high == two.low and one.names != two.names for one, two in pairwise(best))
    for f in (np.arange(60) + 0.5**0.5) / 60:  # no fraction, so no corner where curves touch
        heights = {name: height(curve, f) for name, curve in models.items()}
        top = max(heights.values())
        part = next(part for part in best if part.low <= f < part.high)
        assert set(part.names) == {name for name, value in heights.items() if value >= top - 1e-9}
        assert top <= height(several.hull, f) + 1e-9


@given(BOTH_CLASSES, BOTH_CLASSES)
def test_crossings_against_the_signs_of_a_dense_grid(first, second):
    one, two = curve_of(first), curve_of(second)
    crossings = tm.Several({"one": one, "two": two}).crossings
    # Corners lie at multiples of 1 / n, so between such multiples and crossings the sign is constant.
    ends = {0.0, 1.0, *one.fpr.tolist(), *two.fpr.tolist()}
    ends |= {end for crossing in crossings for end in (crossing.fpr, crossing.until)}
    signs = []
    for low, high in pairwise(sorted(ends)):
        gaps = [height(one, f) - height(two, f) for f in np.linspace(low, high, 7)[1:-1]]
        if high - low > 1e-9:
            assert max(gaps) < 1e-9 or min(gaps) > -1e-9
            signs.append(0 if max(map(abs, gaps)) < 1e-9 else 1 if max(gaps) > 1e-9 else -1)
    expected = [after for before, after in pairwise(sign for sign in signs if sign) if before != after]
    assert [1 if crossing.after == "one" else -1 for crossing in crossings] == expected


def test_common_hull_with_slopes():
    several = tm.Several({"M1": M1, "M2": M2, "rule": (0.5, 0.5), "guess": tm.Binary(1, 1, 1, 1)})
    assert several.hull.fpr.tolist() == [0, 0.1, 0.4, 1]
    # Sides: slope 6 up to (0.1, 0.6), 1 up to (0.4, 0.9), 1/6 up to (1, 1).
    slopes = [(one.names, one.low, one.high, one.slope_low, one.slope_high) for one in several.on_hull]
    assert slopes == [
        (("M1",), 0.1, 0.1, pytest.approx(1), pytest.approx(6)),
        (("M2",), 0.4, 0.4, pytest.approx(1 / 6), pytest.approx(1)),
    ]
    assert several.never_best == ("rule", "guess")
    assert several.hull.auc == pytest.approx(0.03 + 0.225 + 0.57)
    assert several.points == {"rule": (0.5, 0.5), "guess": (0.5, 0.5)}
    form = json.loads(json.dumps(several.to_dict(most=1), allow_nan=False))
    assert [model["name"] for model in form["models"]] == ["M1", "M2", "rule", "guess"]
    assert (len(form["best"]), form["ranges"], form["crossings_total"]) == (1, 2, 1)
    assert [*form["on_hull"][0].values()] == [["M1"], *slopes[0][1:]]


def test_shared_vertices_stretches_and_models_below_the_diagonal():
    shared = tm.Several({"a": (0.2, 0.7), "b": tm.roc_from_points([(0.2, 0.7), (0.5, 0.9)])})
    assert [stretch.names for stretch in shared.on_hull] == [("b", "a"), ("b",)]
    assert shared.never_best == ()
    one = tm.roc_from_points([(0.1, 0.5), (0.2, 0.7)])
    (stretch,) = tm.Several({"one": one, "low": (0.6, 0.61)}).on_hull
    assert (stretch.names, stretch.low, stretch.high) == (("one",), 0.1, 0.2)
    assert (stretch.slope_low, stretch.slope_high) == (pytest.approx(0.3 / 0.8), pytest.approx(5))
    bad = tm.Several({"bad": (0.5, 0.4)})
    assert (bad.on_hull, bad.never_best) == ((), ("bad",))


def test_what_is_written_about_several_models(snapshot):
    random = np.random.default_rng(0)
    positive = random.random(600) < 0.5
    many = {name: scored(random.normal(size=600) + positive, positive).roc for name in "abc"}
    first = tm.roc_from_points([(0.1, 0.5), (0.3, 0.5), (0.35, 0.8), (0.6, 0.8), (0.65, 1.0)])
    second = tm.roc_from_points([(0.12, 0.3), (0.2, 0.65), (0.45, 0.65), (0.5, 0.9), (0.7, 0.9)])
    low = tm.roc_from_points([(0.5, 0.2)])
    changing = tm.Several({"a": first, "b": second, "low": low})
    assert (len(changing.best) > 3, changing.widths["low"]) == (True, 0)
    assert sum(changing.widths.values()) == pytest.approx(1)
    models = {
        "settings": tm.roc_from_points(SETTINGS),
        "settings that are all on the hull": tm.roc_from_points([(0.1, 0.3), (0.2, 0.6), (0.6, 0.8)]),
        "setting below the diagonal": tm.roc_from_points([(0.6, 0.2)]),
        "two curves that cross": tm.Several({"M1": M1, "M2": M2}),
        "points beside a curve": tm.Several({"M1": M1, "good": (0.1, 0.8), "bad": (0.5, 0.5)}),
        "equal curves": tm.Several({"one": M1, "two": M1}),
        "below the diagonal": tm.Several({"bad": (0.5, 0.4)}),
        "the best one changes often": changing,
        "many crossings": tm.Several(many),
    }
    snapshot("text_models_on_one_roc", {name: str(model) for name, model in models.items()})
