"""Scores counted on a grid: certified bounds hold what every score gives, and `tolerance` narrows them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.evaluation import refining, streamed

RANKED = ("auc", "gini", "average_precision", "ks", "partial_auc:0.2")
PROBABLE = ("brier", "log_loss", "ece", "mce")
ROWS = 3_000


def _scored(seed: int = 0, share: float = 0.3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(ROWS) < share).astype(int)
    return y, np.clip(rng.beta(2, 3, ROWS) + 0.1 * y, 0, 1)


def _both(folder: Any, y: Any, s: Any, options: Any = None, **more: Any) -> tuple[Any, Any]:
    """From every score, and from a grid."""
    path = folder / "rows.parquet"
    columns = {"y": np.asarray(y), "s": np.asarray(s, float), **(options or {})}
    pl.DataFrame(columns).write_parquet(path, row_group_size=max(1, len(y) // 3))
    tolerance = more.pop("tolerance", None)
    exact = tm.evaluate(path, actual="y", score="s", **more)
    return exact, tm.evaluate(path, actual="y", score="s", approximate=True, tolerance=tolerance, **more)


def _ends(estimate: Any) -> tuple[float, float]:
    return estimate.bounds or (estimate.value, estimate.value)


def _holds(exact: Any, grid: Any, names: Any) -> None:
    for name in names:
        low, high = _ends(grid[name])
        value = exact[name].value
        assert low - 1e-12 <= value <= high + 1e-12, name
        assert low - 1e-12 <= grid[name].value <= high + 1e-12, name
        if exact[name].low is not None:
            assert grid[name].low <= exact[name].low + 1e-9, name
            assert grid[name].high >= exact[name].high - 1e-9, name


def test_bounds_hold_what_every_score_gives(tmp_path):
    exact, grid = _both(tmp_path, *_scored())
    _holds(exact, grid, (*RANKED, *PROBABLE))
    low, high = grid["auc"].bounds
    assert 0 < high - low < 1e-3
    assert any("certified bounds" in note for note in grid.notes)
    form = grid.to_dict()["metrics"]["auc"]
    assert (form["exact"], form["bounds"]) == (False, [low, high])


def test_losses_and_calibration_in_tenths_are_exact(tmp_path):
    exact, grid = _both(tmp_path, *_scored(1))
    for name in PROBABLE:
        assert grid[name].bounds is None
        assert grid[name].value == pytest.approx(exact[name].value, abs=1e-12)
    assert grid.calibration.predicted == pytest.approx(exact.calibration.predicted, rel=1e-12)
    assert grid.calibration.count.tolist() == exact.calibration.count.tolist()


@pytest.mark.parametrize("threshold", [None, 0.37, 0.3, 0.1 + 0.2])
def test_a_threshold_asked_for_is_exact(tmp_path, threshold):
    y, s = _scored(2)
    s[:40] = 0.37  # rows at the threshold itself are called positive
    s[40:80], s[80:120] = 0.3, 0.1 + 0.2
    exact, grid = _both(tmp_path, y, s, threshold=threshold)
    assert grid.threshold == exact.threshold
    assert grid.confusion == exact.confusion
    assert grid["recall"].bounds is None


def test_rare_events_that_crowd_at_zero(tmp_path):
    rng = np.random.default_rng(4)
    rows = 20_000
    y = (np.arange(rows) % 1000 == 0).astype(int)
    s = np.where(y == 1, 10 ** rng.uniform(-7, -2, rows), 10 ** rng.uniform(-9, -3, rows))
    exact, wide = _both(tmp_path, y, s)
    _holds(exact, wide, RANKED)
    low, high = wide["auc"].bounds
    assert high - low > 0.1  # most scores share the lowest bin
    exact, narrow = _both(tmp_path, y, s, tolerance=1e-6)
    _holds(exact, narrow, RANKED)
    for name in RANKED[:4]:
        low, high = _ends(narrow[name])
        assert high - low <= 1e-6, name
    assert any(note.startswith("the files were read ") for note in narrow.notes)


def test_scores_outside_0_to_1_are_read_twice_and_that_is_said(tmp_path):
    rng = np.random.default_rng(5)
    y = (rng.random(ROWS) < 0.4).astype(int)
    exact, grid = _both(tmp_path, y, rng.normal(2.0 * y, 3), threshold=1.5)
    _holds(exact, grid, RANKED)
    assert grid.confusion == exact.confusion
    low, high = grid["auc"].bounds
    assert high - low < 1e-3
    assert "the files were read 2 times, first to see where scores lie that leave [0, 1]." in grid.notes
    assert grid["brier"].why == exact["brier"].why == "scores leave [0, 1], so they are no probabilities"


def test_scores_far_from_everything(tmp_path):
    rng = np.random.default_rng(6)
    y = (rng.random(300) < 0.4).astype(int)
    exact, grid = _both(tmp_path, y, 1e9 + rng.random(300) * 1e-4 + y * 1e-5)
    _holds(exact, grid, RANKED)


def test_ties_of_three_decimals_need_no_bounds(tmp_path):
    y, s = _scored(7)
    exact, grid = _both(
        tmp_path, y, np.round(s, 3), slices=["r"], options={"r": np.tile(["a", "b"], ROWS // 2)}
    )
    assert grid["auc"].bounds is None
    assert grid["auc"].value == exact["auc"].value
    assert grid.notes == exact.notes
    for name, estimate in exact.metrics.items():
        assert grid[name].value == pytest.approx(estimate.value, rel=1e-12), name


@pytest.mark.parametrize(
    ("y", "s"),
    [
        (np.ones(50, int), np.linspace(0.01, 0.99, 50)),
        (np.zeros(50, int), np.linspace(-3, 3, 50)),
        (np.arange(50) % 2, np.full(50, 0.3)),
        (np.arange(50) % 2, np.full(50, 5.0)),
        (np.ones(1, int), np.full(1, 0.3)),
        (np.zeros(1, int), np.full(1, 7.0)),
        (np.array([0, 1]), np.array([5e-324, 0.0])),
        (np.arange(9) % 2, np.arange(-4, 5) * 5e-324),
        (np.arange(9) % 2, np.array([-1e308, *np.arange(7), 1e308])),
    ],
    ids=[
        "positives only",
        "negatives only",
        "all equal",
        "all equal to 5",
        "one row",
        "one row at 7",
        "least",
        "near 0",
        "far apart",
    ],
)
def test_hardly_any_order(tmp_path, y, s):
    exact, grid = _both(tmp_path, y, s, tolerance=1e-3)
    for name in (*RANKED, *PROBABLE, "accuracy"):
        assert grid[name].why == exact[name].why, name
        if exact[name].value is not None:
            low, high = _ends(grid[name])
            assert low - 1e-12 <= exact[name].value <= high + 1e-12, name


@pytest.mark.parametrize("kind", ["sampling", "frequency"])
def test_weights(tmp_path, kind):
    y, s = _scored(8)
    weights = np.random.default_rng(8).integers(0, 4, ROWS) * (0.25 if kind == "sampling" else 1)
    exact, grid = _both(tmp_path, y, s, weight="w", weight_kind=kind, options={"w": weights})
    _holds(exact, grid, (*RANKED, *PROBABLE))
    assert grid.confusion == exact.confusion
    assert [note for note in grid.notes if "weight" in note] == [
        note for note in exact.notes if "weight" in note
    ]


def test_slices(tmp_path):
    y, s = _scored(9)
    region = np.random.default_rng(9).choice(["n", "s"], ROWS)
    exact, grid = _both(tmp_path, y, s, slices="r", options={"r": region}, tolerance=1e-5)
    for one, two in zip(exact.slices, grid.slices, strict=True):
        assert (one.slice, one.rows) == (two.slice, two.rows)
        assert one.evaluation.confusion == two.evaluation.confusion
        _holds(one.evaluation, two.evaluation, RANKED)
    said = "bounds of 2 slices stay wider than the tolerance: slices are counted in wider bins."
    assert said in grid.notes


def test_the_best_threshold_is_looked_for_at_edges(tmp_path):
    exact, grid = _both(tmp_path, *_scored(10), threshold="best:f1")
    assert grid.chosen_here == "f1"
    assert 0 <= exact["f1"].value - grid["f1"].value < 1e-3


def test_bounds_that_stay_wide_are_told(tmp_path, monkeypatch):
    y, s = _scored(11)
    monkeypatch.setattr(streamed, "MOST_PASSES", 1)
    _, grid = _both(tmp_path, y, s, tolerance=1e-9)
    assert "bounds stay wider than the tolerance of 1e-09: 1 pass is not enough." in grid.notes
    monkeypatch.undo()
    monkeypatch.setattr(refining, "_MOST_BINS", 61_440)
    _, grid = _both(tmp_path, y, s, tolerance=1e-9)
    assert any(note.endswith("bins, and a finer grid is not made.") for note in grid.notes)


def test_labels_alone_have_nothing_to_approximate(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n1,1\n0,1\n0,0\n")
    ev = tm.evaluate(path, actual="y", predicted="p", approximate=True)
    assert ev["accuracy"].bounds is None
    assert ev["accuracy"].value == pytest.approx(2 / 3)


# --- what an evaluation without rows can do ------------------------------------------------------


@pytest.fixture
def grid(tmp_path):
    region = np.tile(["n", "s"], ROWS // 2)
    costs = {1: {0: 5}, 0: {1: 1}}
    return _both(tmp_path, *_scored(12), slices="r", options={"r": region}, costs=costs)[1]


def test_the_text_says_how_far_off_numbers_can_be(grid):
    text = str(grid)
    assert "off by at most" in text
    low, high = grid["auc"].bounds
    line = next(line.split() for line in text.splitlines() if line.startswith("auc "))
    off = max(high - grid["auc"].value, grid["auc"].value - low)
    assert off <= float(line[-1]) < off * 1.11
    assert len(next(line.split() for line in text.splitlines() if line.startswith("brier "))) == 6


def test_every_form_of_output(grid, tmp_path):
    for suffix in ("txt", "md", "tex", "csv", "json"):
        grid.save(tmp_path / f"report.{suffix}")
        assert (tmp_path / f"report.{suffix}").stat().st_size > 500
    low, high = grid["auc"].bounds
    frame = grid.to_frame()
    notes = frame.filter((pl.col("metric") == "auc") & (pl.col("slice") == "")).get_column("note")
    assert notes[0] == f"certified to lie from {low!r} to {high!r}"


def test_every_number_is_explained(grid):
    for name in grid.metrics:
        assert str(grid.explain(name))


def test_curves_and_decisions(grid):
    for name in ("roc", "precision_recall", "gains", "lift", "calibration", "thresholds", "cost_curve"):
        curve = getattr(grid, name)
        assert len(curve.table()) > 3, name
        curve.plot()
    assert grid.decide(costs={1: {0: 5}, 0: {1: 1}}).cost > 0
    assert grid.at_prevalence(0.01)["precision"].value < grid["precision"].value
    assert pickle.loads(pickle.dumps(grid))["auc"].bounds == grid["auc"].bounds
    assert grid.recalibration is not None
    assert {finding.code for finding in grid.findings} >= {"TM015"}


def test_what_needs_rows_says_so(grid, tmp_path):
    with pytest.raises(OptionError, match="goes by the order of the rows, and there are counts only"):
        grid.roc_as("sequential")
    with pytest.raises(OptionError, match="a metric of your own needs rows"):
        tm.evaluate(
            tmp_path / "rows.parquet", actual="y", score="s", approximate=True, extra={"one": lambda *_: 1.0}
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"approximate": True, "groups": "r"}, "groups are resampled with the exact scores of their rows"),
        (
            {"approximate": True, "tolerance": 2},
            "tolerance is a number between 0 and 1, such as 1e-6; got 2.",
        ),
        ({"approximate": True, "tolerance": True}, "tolerance is a number between 0 and 1"),
        ({"tolerance": 1e-6}, "tolerance is about approximate numbers, and none was asked for."),
        ({"memory": "lots"}, "memory is a size such as 500MB or 2GB; got 'lots'."),
        ({"memory": 10}, "memory must be at least 1MB; got 10."),
    ],
    ids=["groups", "too wide", "a truth", "not approximate", "no size", "too little"],
)
def test_options_that_do_not_fit(grid, tmp_path, options, message):
    with pytest.raises(OptionError) as caught:
        tm.evaluate(tmp_path / "rows.parquet", actual="y", score="s", **options)
    assert caught.value.message.startswith(message)


def test_data_at_hand_is_no_file():
    with pytest.raises(OptionError, match="are about files and tables of an engine, and the data is at hand"):
        tm.evaluate([0, 1], y_score=[0.2, 0.3], approximate=True)
