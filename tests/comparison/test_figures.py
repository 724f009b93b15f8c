"""The pictures of a comparison show the numbers they were given, and can be drawn in every case."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

import tallymark as tm
from tallymark.comparison.figures import (
    agreement,
    critical_difference,
    folds,
    forest,
    posterior,
    roc_pair,
    scores,
    simplex,
)
from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import Band, Cells, Figure, Line, Mark, Note, Points, Spans, draw, image
from tallymark.drawing.escape import cells

matplotlib.use("agg")
import matplotlib.pyplot as plt

LONG = "a_very_long_name_of_a_model_that_goes_on_and_on_and_on"
ALIKE = [f"gradient_boosted_trees_depth_6_lr_0.1_seed_{number}" for number in range(1, 8)]
HOSTILE = "$x^2$_\\n<b>\n"
BOTH = ("tree", "forest")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def marks(figure: Figure, kind: type[Any]) -> list[Any]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, kind)]


def labels(figure: Figure) -> list[str]:
    named: list[Mark] = [mark for mark in figure.panels[0].marks if not isinstance(mark, Note | Cells)]
    return list(dict.fromkeys(mark.label for mark in named if mark.label))  # type: ignore[union-attr]


def area(band: Band) -> float:
    return float(np.trapezoid(band.high - band.low, band.x))


def drawn(figure: Figure) -> None:
    """On a page of its own, as a file, and on small axes."""
    assert image(figure, ".png")
    page, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    draw(figure, ax)
    page.canvas.draw()


# --- differences with intervals ------------------------------------------------------------------


def test_a_forest_shows_its_rows_from_top_to_bottom() -> None:
    # The textbook's 0.100 +- 0.128.
    figure = forest([("accuracy", 0.1, -0.028, 0.228), ("auc", 0.02, 0.01, 0.03)], region=(-0.01, 0.01))
    (spans,), (points,) = marks(figure, Spans), marks(figure, Points)
    assert points.x.tolist() == [0.1, 0.02]
    assert (spans.low.tolist(), spans.high.tolist()) == ([-0.028, 0.01], [0.228, 0.03])
    assert spans.y.tolist() == points.y.tolist() == [1.5, 0.5]
    panel = figure.panels[0]
    assert panel.y.names == ((1.5, "accuracy"), (0.5, "auc"))
    assert panel.y.second_names == ((1.5, "0.100 [-0.028, 0.228]"), (0.5, "0.020 [0.010, 0.030]"))
    assert panel.x.low < -0.028 < 0.228 < panel.x.high
    (band,) = marks(figure, Band)
    assert band.x.tolist() == [-0.01, 0.01]
    assert labels(figure) == ["too small to matter: -0.010 to 0.010"]
    (zero,) = marks(figure, Line)
    assert zero.x.tolist() == [0, 0]


def test_a_forest_without_value_or_interval() -> None:
    figure = forest([("f1", None, None, None), ("ks", 0.02, None, None), ("accuracy", 0, 0, 0)])
    assert [text for _, text in figure.panels[0].y.second_names] == [
        "undefined",
        "0.020",
        "0.000 [0.000, 0.000]",
    ]
    assert marks(figure, Points)[0].y.tolist() == [1.5, 0.5]
    drawn(figure)


def test_a_far_wider_interval_does_not_hide_the_others() -> None:
    rows = [(f"metric {place}", 0.02, 0.01, 0.03) for place in range(5)]
    panel = forest([*rows, ("rare class", 0.05, -0.9, 0.95)]).panels[0]
    assert -0.2 < panel.x.low < 0 < 0.05 < panel.x.high < 0.2
    endless = forest([("rare class", 0.05, -np.inf, np.inf)]).panels[0]
    assert endless.x.low < 0 < 0.05 < endless.x.high < 1


@pytest.mark.parametrize("count", [1, 30])
def test_forests_of_many_sizes_can_be_drawn(count: int) -> None:
    rows = [(f"{LONG} {place}", place / 100, place / 100 - 0.1, np.inf) for place in range(count)]
    drawn(forest(rows, title="tree less forest", note="Assumed: independent rows.", region=(0.0, 0.0)))


@pytest.mark.parametrize("zero", [0.0, 1.0, -3.0])
def test_a_forest_of_equal_values_has_an_axis(zero: float) -> None:
    panel = forest([("accuracy", zero, zero, zero)], zero=zero).panels[0]
    assert panel.x.low < zero < panel.x.high


def test_the_two_names_of_a_pair_are_cut_each_by_itself() -> None:
    rows = [((one, other), 0.0, -0.1, 0.1) for one, other in combinations(ALIKE, 2)]
    figure = forest(rows)
    shown = [name for _, name in figure.panels[0].y.names]
    assert len(set(shown)) == 21
    pairs = combinations(range(1, 8), 2)
    for text, numbers in zip(shown, pairs, strict=True):
        first, second = text.split(" less ")
        assert (first[-6:], second[-6:]) == tuple(f"seed_{number}" for number in numbers)
    drawn(figure)
    assert forest([(("a", "b"), 0.0, None, None)]).panels[0].y.names == ((0.5, "a less b"),)


# --- names ---------------------------------------------------------------------------------------


def test_names_keep_what_differs_between_them() -> None:
    name = "gradient_boosted_trees_depth_{}_lr_{}_seed_1_on_v2".format
    depths = shortened([name(6, 0.1), name(8, 0.1)], 16)
    assert [text[-3:] for text in depths] == ["_6\N{HORIZONTAL ELLIPSIS}", "_8\N{HORIZONTAL ELLIPSIS}"]
    both = shortened([name(6, 0.1), name(8, 0.1), name(6, 0.3)], 16)
    assert len(set(both)) == 3
    for text, (depth, rate) in zip(both, (("6", "0.1"), ("8", "0.1"), ("6", "0.3")), strict=True):
        assert depth in text
        assert rate in text
    mixed = shortened(["svm", *ALIKE, LONG, f"{LONG} again"], 16)
    assert mixed[0] == "svm"
    assert [text[-6:] for text in mixed[1:8]] == [f"seed_{number}" for number in range(1, 8)]
    assert len(set(mixed)) == 10


@given(st.lists(st.text("ab_ 1é漢\u0301.", max_size=30), min_size=1, max_size=8), st.integers(8, 40))
def test_different_names_stay_different_and_short(names: list[str], longest: int) -> None:
    shown = shortened(names, longest)
    assert len(set(zip(names, shown, strict=True))) == len(set(names)) == len(set(shown))
    assert all(cells(text) <= longest for text in shown)
    assert all(text == name for text, name in zip(shown, names, strict=True) if cells(name) <= longest)


def test_long_names_that_begin_alike_in_every_picture() -> None:
    y, a, b = _rows(60)
    curves = {name: tm.evaluate(y, y_score=a + place * b / 9).roc for place, name in enumerate(ALIKE)}
    figures = [
        agreement(1, 2, 3, 4, names=(ALIKE[0], ALIKE[1])),
        critical_difference(ALIKE, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 2.0, [(0, 1)]),
        roc_pair(curves),
    ]
    (cells_,) = marks(figures[0], Cells)
    assert (cells_.x_label[-6:], cells_.y_label[-6:]) == ("seed_1", "seed_2")
    assert [line.name[-6:] for line in marks(figures[2], Line) if line.name] == [
        f"seed_{number}" for number in range(1, 8)
    ]
    for figure in figures:
        drawn(figure)


# --- the 2x2 table -------------------------------------------------------------------------------


def test_agreement_is_the_table_of_the_textbook() -> None:
    """n00 n01 above n10 n11, with n01 right by the first model only."""
    figure = agreement(120, 25, 15, 1840, names=BOTH)
    (cells,) = marks(figure, Cells)
    # Halves are rounded as Python writes the shares: f"{0.0125:.3f}" is 0.013, f"{0.0075:.3f}" is 0.007.
    assert cells.texts == (("n00\n120\n6.0%", "n01\n25\n1.3%"), ("n10\n15\n0.7%", "n11\n1,840\n92.0%"))
    assert cells.shade.tolist() == [[0.06, 0.0125], [0.0075, 0.92]]
    # n01 is in the column where the first is right and the row where the second is wrong.
    assert (cells.columns[1], cells.x_label) == ("right", "tree")
    assert (cells.rows[0], cells.y_label) == ("wrong", "forest")
    assert figure.note == (
        "Only 'tree' is right: 25. Only 'forest' is right: 15. Shade and percent: share of all 2,000 rows."
    )


def test_agreement_of_weights_of_nothing_and_of_odd_names() -> None:
    assert "0.0001%" in marks(agreement(0, 12.5, 0, 1e7, names=BOTH), Cells)[0].texts[0][1]
    nothing = agreement(0, 0, 0, 0, names=BOTH)
    assert nothing.note.endswith("There are no rows.")
    assert np.isnan(marks(nothing, Cells)[0].shade).all()
    for figure in (nothing, agreement(1, 2, 3, 4, names=(LONG, HOSTILE), note="McNemar, exact: p = 1.")):
        drawn(figure)


# --- mean ranks ----------------------------------------------------------------------------------

# Demšar (2006), Journal of Machine Learning Research 7, table 6: mean ranks of C4.5 and three variants on 14
# data sets. With the critical difference 1.12 at 10 % C4.5 is told apart from the two that tune m, and
# cannot be told apart from the one that tunes cf (section 3.2.2).
DEMSAR = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
CRITICAL = 2.291 * np.sqrt(4 * 5 / (6 * 14))


def _demsar() -> Figure:
    return critical_difference(list(DEMSAR), list(DEMSAR.values()), CRITICAL, [(0, 2), (1, 2, 3)])


def test_the_diagram_of_the_published_example() -> None:
    figure = _demsar()
    assert [mark.x[0] for mark in marks(figure, Line)] == [-3.143, -2.893, -2.0, -1.964]
    bars = [mark for mark in marks(figure, Spans) if mark.thick]
    joined = [(-bar.high[0], -bar.low[0]) for bar in bars]
    # A bar reaches a little over what it joins, and never as far as what it does not.
    assert joined == [
        (pytest.approx(1.964, abs=0.05), pytest.approx(2.893, abs=0.05)),
        (pytest.approx(2.893, abs=0.05), pytest.approx(3.143, abs=0.05)),
    ]
    (scale,) = [mark for mark in marks(figure, Spans) if mark.series == 4]
    assert scale.high[0] - scale.low[0] == pytest.approx(1.12, abs=0.005)
    assert [note.text for note in marks(figure, Note)] == ["CD = 1.12"]


def test_the_better_half_is_on_the_right_and_no_line_crosses_another() -> None:
    panel = _demsar().panels[0]
    assert [name for _, name in panel.y.names] == ["C4.5  3.14", "C4.5+cf  2.89"]
    assert [name for _, name in panel.y.second_names] == ["C4.5+m  2.00", "C4.5+m+cf  1.96"]
    assert panel.x.second_names == ((-1.0, "1"), (-2.0, "2"), (-3.0, "3"), (-4.0, "4"))
    for one, other in combinations(marks(_demsar(), Line), 2):
        assert not _crosses(one, other)
        assert not _crosses(other, one)


def _crosses(level: Line, upright: Line) -> bool:
    """Whether the level part of one line crosses the upright part of the other."""
    left, right = sorted(level.x[1:])
    return bool(left < upright.x[0] < right and upright.y[1] < level.y[1] < upright.y[0])


def test_bars_that_overlap_have_levels_of_their_own() -> None:
    ranks = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    figure = critical_difference(list("abcdef"), ranks, 1.5, [(0, 1), (1, 2), (2, 3), (4, 5), (3,)])
    bars = [mark for mark in marks(figure, Spans) if mark.thick]
    assert len(bars) == 4
    for one, other in combinations(bars, 2):
        apart = one.low[0] > other.high[0] or other.low[0] > one.high[0]
        assert apart or one.y[0] != other.y[0]
    assert len({bar.y[0] for bar in bars}) == 2


@pytest.mark.parametrize("count", [1, 2, 3, 9, 20])
@pytest.mark.parametrize("cd", [None, 0.3, 50.0])
def test_diagrams_of_many_sizes_can_be_drawn(count: int, cd: float | None) -> None:
    names = [f"{LONG}_{place}" for place in range(count)]
    ranks = [(count + 1) / 2] * count if cd == 50.0 else [place + 1.0 for place in range(count)]
    figure = critical_difference(names, ranks, cd, [tuple(range(count))], title="AUC", note="Nemenyi at 5 %.")
    y = figure.panels[0].y
    shown = [name for _, name in (*y.names, *y.second_names)]
    assert len(set(shown)) == count
    drawn(figure)


# --- posteriors ----------------------------------------------------------------------------------


def test_the_areas_are_the_probabilities() -> None:
    shape, rope = stats.t(9, 0.02, 0.015), 0.01
    chances = shape.cdf(-rope), shape.cdf(rope) - shape.cdf(-rope), shape.sf(rope)
    x = np.linspace(-0.4, 0.4, 20_001)
    figure = posterior(x, shape.pdf(x), rope, chances, BOTH)
    bands = marks(figure, Band)
    assert [area(band) for band in bands] == pytest.approx(chances, abs=1e-5)
    assert [(band.x[0], band.x[-1]) for band in bands][1] == (-rope, rope)
    said = [f"{chance * 100:.1f}%" for chance in chances]
    names = ["forest is better", "within 0.010 of each other", "tree is better"]
    assert labels(figure) == [f"{name}: {share}" for name, share in zip(names, said, strict=True)]


def test_without_a_region_there_are_two_parts() -> None:
    x = np.linspace(-3, 3, 601)
    figure = posterior(x, stats.norm.pdf(x), 0.0, (0.5, 0.0, 0.5), BOTH)
    assert [area(band) for band in marks(figure, Band)] == pytest.approx([0.5, 0.5], abs=0.01)
    assert len(marks(figure, Line)) == 1


@pytest.mark.parametrize("density", [np.inf, np.nan, 0.0])
def test_a_difference_without_doubt_is_a_line(density: float) -> None:
    figure = posterior(np.array([0.02]), np.array([density]), 0.01, (0.0, 0.0, 1.0), BOTH)
    assert labels(figure)[-2:] == ["tree is better: 100.0%", "certainly 0.020"]
    assert marks(figure, Line)[0].x.tolist() == [0.02, 0.02]
    drawn(figure)
    drawn(posterior(np.zeros(1), np.array([density]), 0.0, (0.0, 1.0, 0.0), BOTH))


def test_a_density_far_from_the_region_and_long_names() -> None:
    x = np.linspace(0.5, 0.6, 101)
    figure = posterior(x, stats.norm.pdf(x, 0.55, 0.01), 0.01, (0.0, 0.0, 1.0), (LONG, f"{LONG}{HOSTILE}"))
    assert [area(band) for band in marks(figure, Band)] == pytest.approx([0, 0, 1], abs=1e-4)
    assert figure.panels[0].x.low < -0.01
    drawn(figure)


def test_the_triangle_has_the_draws_at_their_shares() -> None:
    draws = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.2, 0.2, 0.6]])
    figure = simplex(draws, 0.01, (0.25, 0.25, 0.5), BOTH)
    worse, equivalent, better = marks(figure, Points)
    assert (worse.x.tolist(), worse.y.tolist()) == ([0.0], [0.0])
    assert (equivalent.x.tolist(), equivalent.y.tolist()) == ([0.5], [1.0])
    assert better.x.tolist() == pytest.approx([1.0, 0.7])
    assert better.y.tolist() == pytest.approx([0.0, 0.2])
    x = figure.panels[0].x
    assert x.names == ((0.0, "forest is better: 25.0%"), (1.0, "tree is better: 50.0%"))
    assert x.second_names == ((0.5, "within 0.010 of each other: 25.0%"),)
    drawn(figure)


def test_many_draws_are_thinned_and_said() -> None:
    draws = np.random.default_rng(0).dirichlet([2, 3, 9], 50_000)
    figure = simplex(draws, 0.01, (0.0, 0.1, 0.9), (LONG, HOSTILE))
    assert sum(len(points.x) for points in marks(figure, Points)) == 1500
    assert figure.note == "Each of 1,500 points is a draw of the three probabilities on another data set."
    drawn(figure)


# --- ROC curves ----------------------------------------------------------------------------------


def _rows(n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    narrow = np.where(y == 1, rng.normal(1.2, 0.5, n), rng.normal(0, 1, n))
    wide = np.where(y == 1, rng.normal(1.2, 1.8, n), rng.normal(0, 1, n))
    return y, narrow, wide


def _pair(y: Any, **given: Any) -> Figure:
    return roc_pair({name: tm.evaluate(y, y_score=score).roc for name, score in given.items()})


@pytest.mark.parametrize("rows", [10, 300])
def test_what_lies_between_two_curves_is_the_difference_of_their_areas(rows: int) -> None:
    y, a, b = _rows(rows)
    areas = {mark.label: area(mark) for mark in marks(_pair(y, tree=a, forest=b), Band)}
    difference = areas.get("tree is better", 0.0) - areas.get("forest is better", 0.0)
    assert difference == pytest.approx(roc_auc_score(y, a) - roc_auc_score(y, b), abs=1e-12)


def test_curves_that_cross_once_by_hand() -> None:
    # Up to FPR 1/2 the second is lower by 1/2, from there on the first is.
    y = np.array([1, 0, 0, 1])
    figure = _pair(y, a=np.array([4, 3, 2, 1]), b=np.array([3, 4, 1, 2]))
    (first,) = [mark for mark in marks(figure, Band) if mark.series == 0]
    (second,) = [mark for mark in marks(figure, Band) if mark.series == 1]
    assert (area(first), area(second)) == (0.25, 0.25)
    (crossing,) = marks(figure, Points)
    assert (crossing.x.tolist(), crossing.y.tolist(), crossing.label) == ([0.5], [0.5], "crossing")
    drawn(figure)


def test_equal_curves_have_nothing_between_them_and_three_are_not_shaded() -> None:
    y, a, b = _rows(300)
    same = _pair(y, tree=a, forest=a)
    assert not marks(same, Band)
    assert not marks(same, Points)
    assert not marks(_pair(y, tree=a, forest=b, other=a + b), Band)


def test_many_crossings_are_not_marked() -> None:
    y, a, _ = _rows(3000)
    noise = np.random.default_rng(1).normal(0, 0.02, len(y))
    figure = _pair(y, tree=a, forest=a + noise)
    assert not marks(figure, Points)
    assert labels(figure)[:2] == ["tree is better", "forest is better"]
    drawn(figure)


# --- folds and data sets -------------------------------------------------------------------------


def test_folds_with_both_intervals() -> None:
    a = np.array([0.81, 0.79, 0.84, 0.80, 0.78])
    b = np.array([0.78, 0.79, 0.80, 0.79, 0.77])
    low, high = stats.ttest_rel(a, b).confidence_interval(0.95)
    wider = stats.t(4, np.mean(a - b), np.std(a - b, ddof=1) * np.sqrt(1 / 5 + 1 / 4)).interval(0.95)
    figure = folds((a - b).tolist(), plain=(low, high), corrected=wider, y_label="accuracy")
    (points,), (band,) = marks(figure, Points), marks(figure, Band)
    assert points.x.tolist() == [1, 2, 3, 4, 5]
    assert points.y.tolist() == (a - b).tolist()
    assert (band.low[0], band.high[0]) == wider
    assert [mark.y[0] for mark in marks(figure, Line) if mark.series == 1] == [low, high]
    # The differences are 0.03, 0, 0.04, 0.01, 0.01: mean 0.018, variance 0.00027, t(4) = 2.7764.
    assert labels(figure) == [
        "95 % corrected t [-0.013, 0.049]",
        "95 % plain t [-0.002, 0.038]",
        "no difference",
        "mean 0.018",
        "a fold",
    ]
    assert figure.panels[0].x.names == tuple((float(place), str(place)) for place in range(1, 6))


@pytest.mark.parametrize(
    ("count", "named"),
    [(12, list(range(1, 13))), (30, [1, 5, 10, 15, 20, 25, 30]), (100, [1, 20, 40, 60, 80, 100])],
)
def test_of_many_folds_some_are_named(count: int, named: list[int]) -> None:
    figure = folds([0.01 * place for place in range(count)])
    assert [int(name) for _, name in figure.panels[0].x.names] == named
    drawn(figure)


def test_folds_in_odd_cases_can_be_drawn() -> None:
    drawn(folds([0.02]))
    drawn(folds([0.0, 0.0], plain=(0.0, 0.0), corrected=(0.0, 0.0)))
    drawn(folds([0.1, -0.1], plain=(-1.27, 1.27), corrected=(-2.2, 2.2), level=0.99))
    figure = folds([0.1, -0.1], names=[f"{LONG} north", f"{LONG} south"])
    assert len({name for _, name in figure.panels[0].x.names}) == 2
    drawn(figure)


def test_scores_are_shaded_by_rank() -> None:
    table = np.array([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]])
    ranks = stats.rankdata(-table, axis=1)
    figure = scores(table, models=["a", "b", LONG], data_sets=["iris", "wine"], ranks=ranks)
    (cells,) = marks(figure, Cells)
    assert cells.shade.tolist() == [[1.0, 0.25, 0.25], [0.0, 1.0, 0.5]]
    assert cells.texts == (("0.900", "0.800", "0.800"), ("0.500", "0.700", "0.600"))
    drawn(figure)
