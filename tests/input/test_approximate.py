"""Scores counted on a grid: guaranteed bounds hold what every score gives, and `tolerance` narrows them."""

import pickle

import numpy as np
import polars as pl
import pytest
from inputs import refused, refused_with, written

import tallymark as tm
from collected import each
from scored import classes

RANKED = ("auc", "gini", "average_precision", "ks", "partial_auc:0.2")
PROBABLE = ("brier", "log_loss", "ece", "mce")
N = 3_000
PAIR = np.arange(N) % 2


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(N) < 0.3).astype(int)
    return y, np.clip(rng.beta(2, 3, N) + 0.1 * y, 0, 1)


def both(y, s, columns=None, tolerance=None, **more):
    """From every score, and from a grid."""
    frame = pl.DataFrame({"y": np.asarray(y), "s": np.asarray(s, float), **(columns or {})})
    frame.write_parquet("rows.parquet", row_group_size=max(1, len(y) // 3))
    asked = {"actual": "y", "score": "s", **more}
    grid = tm.evaluate("rows.parquet", approximate=True, tolerance=tolerance, **asked)
    return tm.evaluate("rows.parquet", **asked), grid


def ends(estimate):
    return estimate.bounds or (estimate.value, estimate.value)


def width(estimate):
    low, high = ends(estimate)
    return high - low


def holds(exact, grid, names):
    for name in names:
        assert grid[name].why == exact[name].why, name
        if exact[name].value is None:
            continue
        (low, high), value = ends(grid[name]), exact[name].value
        assert low - 1e-12 <= value <= high + 1e-12, name
        assert low - 1e-12 <= grid[name].value <= high + 1e-12, name
        if exact[name].low is not None:
            assert grid[name].low <= exact[name].low + 1e-9, name
            assert grid[name].high >= exact[name].high - 1e-9, name


RNG = np.random.default_rng(6)
MANY = (np.arange(20_000) % 1000 == 0).astype(int)
SCORES = {
    "beta": (*drawn(), {}),
    "outside 0 to 1": (PAIR, RNG.normal(2.0 * PAIR, 3), {"threshold": 1.5}),
    "far from everything": (PAIR, 1e9 + RNG.random(N) * 1e-4 + PAIR * 1e-5, {}),
    "positives only": (np.ones(50, int), np.linspace(0.01, 0.99, 50), {}),
    "negatives only": (np.zeros(50, int), np.linspace(-3, 3, 50), {}),
    "all equal": (PAIR[:50], np.full(50, 0.3), {}),
    "all equal to 5": (PAIR[:50], np.full(50, 5.0), {}),
    "one row": (np.ones(1, int), np.full(1, 0.3), {}),
    "one row at 7": (np.zeros(1, int), np.full(1, 7.0), {}),
    "the least of floats": (PAIR[:2], np.array([5e-324, 0.0]), {}),
    "near 0": (PAIR[:9], np.arange(-4, 5) * 5e-324, {}),
    "far apart": (PAIR[:9], np.array([-1e308, *np.arange(7), 1e308]), {}),
    "sampling weights": (*drawn(8), {"weight": "w", "columns": {"w": RNG.integers(0, 4, N) / 4}}),
    "frequencies": (
        *drawn(8),
        {"weight": "w", "weight_kind": "frequency", "columns": {"w": RNG.integers(0, 4, N)}},
    ),
    "rare events at zero": (
        MANY,
        10 ** np.where(MANY, RNG.uniform(-7, -2, 20_000), RNG.uniform(-9, -3, 20_000)),
        {},
    ),
}


@each("y, s, options", SCORES.values(), ids=SCORES)
def test_bounds_hold_what_every_score_gives(y, s, options):
    for tolerance in (None, 1e-3 if len(y) < N else 1e-6):
        exact, grid = both(y, s, tolerance=tolerance, **options)
        holds(exact, grid, (*RANKED, *PROBABLE, "accuracy"))
        assert (grid.confusion is None) == (exact.confusion is None)
        if "threshold" in options or 0 <= s.min() <= s.max() <= 1:
            assert (grid.threshold, grid.confusion) == (exact.threshold, exact.confusion)
        if tolerance is None:
            wide = grid
        elif len(y) >= N:
            assert all(width(grid[name]) <= min(tolerance, width(wide[name])) for name in RANKED[:4])
        for name in PROBABLE if tolerance is None and exact["brier"].value is not None else ():
            # losses, and calibration in tenths, need no bins
            assert grid[name].bounds is None
            assert grid[name].value == pytest.approx(exact[name].value, abs=1e-12)
            assert grid.calibration.predicted == pytest.approx(exact.calibration.predicted, rel=1e-12)
            assert grid.calibration.count.tolist() == exact.calibration.count.tolist()


def test_notes_of_bounds(snapshot):
    """How often files were read, where bounds stay, and why they stay wide."""
    asked = {"beta": None, "outside 0 to 1": None, "rare events at zero": 1e-6, "positives only": None}
    found = {name: both(*SCORES[name][:2], tolerance=value)[1] for name, value in asked.items()}
    found["slices"] = both(*drawn(9), {"r": PAIR}, slices="r", tolerance=1e-5)[1]
    found["little memory"] = both(*drawn(11), tolerance=1e-9, memory="1MB")[1]
    crowds = 2.0 ** -np.arange(1, 1_070)
    found["crowds in crowds"] = both(np.arange(1_069) % 3 % 2, crowds, tolerance=1e-12)[1]
    snapshot("notes_of_bounds", {name: "\n".join(ev.notes) or "no note" for name, ev in found.items()})
    low, high = found["beta"]["auc"].bounds
    form = found["beta"].to_dict()["metrics"]["auc"]
    assert (form["exact"], form["bounds"], 0 < high - low < 1e-3) == (False, [low, high], True)
    assert width(both(*SCORES["rare events at zero"][:2])[1]["auc"]) > 0.1  # most scores share the lowest bin


def test_a_threshold_asked_for_is_exact():
    y, s = drawn(2)
    s[:40] = 0.37  # rows at the threshold itself are predicted positive
    s[40:80], s[80:120] = 0.3, 0.1 + 0.2
    for threshold in (None, 0.37, 0.3, 0.1 + 0.2):
        exact, grid = both(y, s, threshold=threshold)
        assert (grid.threshold, grid.confusion) == (exact.threshold, exact.confusion)
        assert grid["recall"].bounds is None
    exact, grid = both(y, s, threshold="best:f1")  # it is looked for at edges of bins
    assert (grid.chosen_here, 0 <= exact["f1"].value - grid["f1"].value < 1e-3) == ("f1", True)


def test_ties_of_three_decimals_need_no_bounds():
    y, s = drawn(7)
    exact, grid = both(y, np.round(s, 3), {"r": PAIR}, slices=["r"])
    assert (grid["auc"].bounds, grid["auc"].value, grid.notes) == (None, exact["auc"].value, exact.notes)
    for name, estimate in exact.metrics.items():
        assert grid[name].value == pytest.approx(estimate.value, rel=1e-12), name


def test_slices():
    exact, grid = both(*drawn(9), {"r": RNG.choice(["n", "s"], N)}, slices="r", tolerance=1e-5)
    for one, two in zip(exact.slices, grid.slices, strict=True):
        assert (one.slice, one.evaluation.confusion) == (two.slice, two.evaluation.confusion)
        holds(one.evaluation, two.evaluation, RANKED)


@each("kind", [None, "sampling", "frequency"])
def test_bins_are_counted_row_by_row(kind):
    """By hand, also of slices, whose bins are wider; a bin of one score keeps it."""
    y, s, w = PAIR[:300], RNG.integers(0, 101, 300) / 100, RNG.integers(0, 4, 300)
    frame = pl.DataFrame({"y": y, "s": s, "w": w, "r": np.where(s < 0.5, "n", "s")})
    more = {} if kind is None else {"weight": "w", "weight_kind": kind}
    tally = tm.tally(frame, actual="y", score="s", approximate=True, threshold=0.123, slices="r", **more)
    amount, slices = np.ones(300, int) if kind is None else w, tally.slices["r",]
    for part, here in [(tally, s >= 0), (slices["n",], s < 0.5), (slices["s",], s >= 0.5)]:
        found, kept = part.scores, here & (amount > 0)
        place = np.searchsorted(found.grid.edges, s, side="right") - 1
        for side, counts in ((1, found.positives), (0, found.negatives)):
            expected = np.bincount(place[here & (y == side)], amount[here & (y == side)], len(counts))
            assert counts.tolist() == expected.tolist()
        assert found.totals.sum() == pytest.approx((s * amount)[here].sum())
        assert (found.low, found.high) == (s[kept].min(), s[kept].max())
        assert found.rows == part.rows == (amount[here].sum() if kind == "frequency" else kept.sum())
        brier = sum(loss.brier.total for loss in found.losses)
        assert brier == pytest.approx((amount * (s - y) ** 2)[here].sum())
        assert 0.123 in found.grid.cuts
    assert tally.scores.grid.bins > part.scores.grid.bins
    held = tally.scores.points[np.searchsorted(tally.scores.grid.edges, s[amount > 0], side="right") - 1]
    assert held.tolist() == s[amount > 0].tolist()
    for edge in (0.5, 0.1, 0.3, 0.123):  # where tenths end, bins end as well
        near = {"y": [0, 1, 0], "s": [np.nextafter(edge, 0), edge, np.nextafter(edge, 1)]}
        counted = tm.tally(
            pl.DataFrame(near), actual="y", score="s", approximate=True, threshold=0.123
        ).scores
        assert (counted.positives + counted.negatives).max() == 1


def without_rows():
    return both(*drawn(12), {"r": PAIR}, slices="r", costs={1: {0: 5}, 0: {1: 1}})[1]


def test_what_an_evaluation_without_rows_can_do():
    grid = without_rows()
    low, high = grid["auc"].bounds
    off = max(high - grid["auc"].value, grid["auc"].value - low)
    line = next(line.split() for line in str(grid).splitlines() if line.startswith("auc "))
    assert off <= float(line[-1]) < off * 1.11  # how far off it can be, rounded up
    for suffix in ("txt", "md", "tex", "csv", "json"):
        grid.save(f"report.{suffix}")
    assert all(str(grid.explain(name)) for name in grid.metrics)
    for name in ("roc", "precision_recall", "gains", "lift", "calibration", "thresholds", "cost_curve"):
        assert len(getattr(grid, name).table()) > 3, name
    grid.roc.plot()
    assert grid.decide(costs={1: {0: 5}, 0: {1: 1}}).cost > 0
    assert grid.at_prevalence(0.01)["precision"].value < grid["precision"].value
    assert pickle.loads(pickle.dumps(grid))["auc"].bounds == (low, high)
    assert grid.recalibration is not None
    assert "TM015" in {finding.code for finding in grid.findings}
    labels = tm.evaluate(written("y,p\n1,1\n0,1\n0,0\n"), actual="y", predicted="p", approximate=True)
    assert (labels["accuracy"].bounds, labels["accuracy"].value) == (None, pytest.approx(2 / 3))


def test_what_is_refused(snapshot):
    grid = without_rows()
    grid_of = {"approximate": True}
    asked = {
        "groups": {**grid_of, "groups": "r"},
        "a tolerance of 0": {**grid_of, "tolerance": 0},
        "too wide a tolerance": {**grid_of, "tolerance": 2},
        "a tolerance of 1": {**grid_of, "tolerance": 1},
        "a truth as tolerance": {**grid_of, "tolerance": True},
        "nothing approximate": {"tolerance": 1e-6},
        "a metric of one's own": {**grid_of, "extra": {"one": lambda *_: 1.0}},
    }
    calls = {}
    calls["the order of rows"] = lambda: grid.roc_as("sequential")
    calls["data at hand"] = lambda: tm.evaluate([0, 1], y_score=[0.2, 0.3], approximate=True)
    found = refused(calls) | refused_with(tm.evaluate, asked, "rows.parquet", actual="y", score="s")
    assert set(classes(found).values()) == {"OptionError"}
    snapshot("errors_input_approximate", found)
