"""Tables of DuckDB and lazy tables of Polars: counted where they are, and refused, as frames are."""

import itertools

import duckdb
import numpy as np
import polars as pl
import pytest
from inputs import refused

import tallymark as tm
from collected import each
from scored import classes

ROWS = pl.DataFrame(
    {
        "y": [0, 1, 1, 0, 1, 0],
        "p": [0, 1, 0, 1, 1, 0],
        "s": [0.1, 0.9, 0.4, 0.6, 0.9, 0.1],
        "q": [0.9, 0.1, 0.6, 0.4, 0.1, 0.9],
        "id": ["a", "b", "c", "a", None, "d"],
        "r": list("nnssns"),
    }
)
LABELS = {"actual": "y", "predicted": "p"}
SCORED = {"actual": "y", "score": "s"}
GRID = {**SCORED, "approximate": True}


@pytest.fixture(scope="module")
def duck():
    """Makes a relation of DuckDB from a frame."""
    with duckdb.connect() as connection:
        yield lambda frame: connection.from_arrow(frame.to_arrow())


# a column with two roles is counted by numpy
OPTIONS = [{**LABELS, "slices": ["y"]}, LABELS, {**SCORED, "slices": ["r*p"]}]
OPTIONS += [{**SCORED, "predicted": "p", "weight": "q", "groups": "r"}, GRID]
OPTIONS += [{**GRID, "threshold": 0.35, "slices": ["r"]}, {"actual": "y", "probabilities": {0: "q", 1: "s"}}]


@each("options", OPTIONS)
def test_they_are_counted_as_frames_are(options, duck):
    expected = tm.tally(ROWS, **options)
    for table in (duck(ROWS), ROWS.lazy()):
        found = tm.tally(table, **options)
        for side in ("counted", "groups", "score_groups"):
            assert getattr(found, side) == getattr(expected, side)
        for side in ("positives", "negatives", "points") if "approximate" in options else ():
            one, two = (getattr(tally.scores, side) for tally in (found, expected))
            assert np.array_equal(one, two, equal_nan=True)
        # sums of losses and of weights are rounded in their last digit
        assert found == expected or {"weight", "approximate"} & {*options}


def test_names_of_columns_are_not_taken_for_others(duck):
    """Not even if they are those that a query gives to what it makes of them."""
    names = {"y": "score", "p": "actual", "s": "weight", "r": "predicted", "id": "rows"}
    asked = {"actual": "score", "score": "weight", "slices": ["predicted", "actual"]}
    renamed = duck(ROWS).select(", ".join(f'{old} as "{new}"' for old, new in names.items()))
    assert tm.tally(renamed, **asked) == tm.tally(ROWS.rename(names), **asked)


def test_a_grid_of_many_cuts(duck):
    """Bounds are narrowed by cuts, too many for a query, and stay those that hold what every score gives."""
    rng = np.random.default_rng(0)
    y = np.arange(20_000) % 1_000 == 0
    s = np.where(y, 10 ** rng.uniform(-7, -2, 20_000), 10 ** rng.uniform(-9, -3, 20_000))
    frame = pl.DataFrame({"y": y.astype(int), "s": s})
    frame.write_parquet("rows.parquet")
    exact = tm.evaluate(frame, **SCORED)["auc"].value
    expected = tm.evaluate("rows.parquet", **GRID, tolerance=1e-4)["auc"].bounds
    low, high = tm.evaluate(duck(frame), **GRID, tolerance=1e-4)["auc"].bounds
    assert (low, high) == pytest.approx(expected, abs=1e-12)
    assert low <= exact <= high <= low + 1e-4


WIDE = {"UBIGINT": (pl.UInt64, 2**64 - 1), "HUGEINT": (pl.Int128, -(2**100)), "BIGINT": (pl.Int64, 2**53 + 1)}
OUTSIDE = {**GRID, "grid": (-10, 10)}


@each("kind, options", itertools.product(WIDE, (SCORED, OUTSIDE)))
def test_wide_whole_numbers(kind, options, duck):
    """They are scores, but for those that no float holds."""
    dtype, value = WIDE[kind]
    good = pl.DataFrame({"y": [0, 1, 1], "s": pl.Series([1, 7, None], dtype=dtype)})
    with duckdb.connect() as connection:
        rows = "(values (0, 1), (1, 7), (1, null)) t(y, s)"
        relation = connection.sql(f"select y, s::{kind} as s from {rows}")
        whole = tm.tally(good, **options, missing="drop")
        for table in (relation, good.lazy()):
            assert tm.tally(table, **options, missing="drop") == whole
        assert (whole.rows, whole.dropped) == (2, {"missing_score": 1})
        bad = pl.DataFrame({"y": [0, 1], "s": pl.Series([1, value], dtype=dtype)})
        relation = connection.sql(f"select y, s::{kind} as s from (values (0, 1), (1, {value})) t(y, s)")
        for table in (relation, bad, bad.lazy()):
            with pytest.raises(tm.ColumnError):
                tm.tally(table, **options)


def test_weights_without_number_are_told_apart_from_those_that_count(duck):
    weights = [1.0, float("nan"), None, 0.0, 2.0]
    frame = pl.DataFrame({"y": [0, 1, 1, 0, 1], "p": [0, 1, 0, 0, 1], "w": weights})
    asked = {**LABELS, "weight": "w", "missing": "drop"}
    found = tm.tally(duck(frame), **asked)
    # by hand: two weights are missing, one is 0, and the others are 1 for (0, 0) and 2 for (1, 1)
    assert found.counted.matrix.tolist() == [[1, 0], [0, 2]]
    assert (found.rows, found.lines, found.weightless, found.dropped) == (2, 3, 1, {"missing_weight": 2})
    assert found == tm.tally(frame, **asked)


MISSING = pl.DataFrame(
    {
        "y": [0] * 5 + [1] * 4 + [None] * 3 + [1] + [None] * 2,
        "p": [1] * 9 + [0] * 3 + [None] + [1] * 2,
        "s": [0.11] * 5 + [0.52] * 8 + [0.11, 0.1100001],
        "f": [0.5, 0.25] + [1.0] * 13,
    }
)


def test_what_is_wrong_is_told_in_the_same_words_in_any_order(duck, snapshot):
    none = pl.DataFrame({"y": [None] * 9, "p": range(9)}, schema={"y": pl.Int64, "p": pl.Int64})
    cases = {
        "missing": (MISSING, LABELS),
        "missing beside a grid": (MISSING, GRID),
        "many places": (none, LABELS),
        "fractions": (MISSING, {**LABELS, "actual": "f"}),
        "ids": (ROWS, {**LABELS, "id": "id"}),
    }
    found = []
    for seed in range(4):
        calls = {}
        for name, (frame, options) in cases.items():
            table = duck(frame.sample(fraction=1, shuffle=True, seed=seed))
            count = tm.evaluate if "id" in options else tm.tally
            calls[name] = lambda table=table, options=options, count=count: count(table, **options)
        found.append(refused(calls))
    assert found[0] == found[1] == found[2] == found[3]
    assert {*classes(found[0]).values()} == {"MissingValueError", "LabelError", "InputError"}
    large = ROWS.select(pl.all().repeat_by(20_000).list.explode())
    found[0] |= refused(
        {"rows": lambda: tm.evaluate(duck(large), **LABELS, extra={"own": lambda *_: 1.0}, memory="1MB")}
    )
    snapshot("errors_input_engine_tables", found[0])
    dropped = tm.tally(duck(MISSING), **LABELS, missing="drop")
    assert (dropped.rows, dropped.dropped) == (9, {"missing_actual": 5, "missing_predicted": 1})
    assert dropped.counted.matrix.tolist() == [[0, 5], [0, 4]]
    once = duck(ROWS).filter("id in ('b', 'c', 'd')")
    assert tm.evaluate(once, **LABELS, id="id").rows == 3
    # rows are brought where they fit
    seen = []
    tm.evaluate(duck(ROWS), **LABELS, extra={"own": lambda y, p: float(seen.append((y, p)) or 0)})
    assert sorted(zip(*(side.tolist() for side in seen[0]), strict=True)) == sorted(
        ROWS.select("y", "p").rows()
    )
