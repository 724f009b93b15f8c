"""Probabilities of every class: which column is about which class, and which tables are refused."""

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from inputs import matrix, refusals, rows_of, typed, written

import tallymark as tm

ACTUAL = ["a", "b", "c", "b"]
TABLE = {"a": [0.6, 0.2, 0.1, 0.5], "b": [0.3, 0.7, 0.2, 0.3], "c": [0.1, 0.1, 0.7, 0.2]}
COUNTS = [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
ROWS = [list(row) for row in zip(*TABLE.values(), strict=True)]
NAN = math.nan


def frame(prefix: str = "p_", order: str = "abc", **more: Any) -> pl.DataFrame:
    return pl.DataFrame({"y": ACTUAL, **{f"{prefix}{name}": TABLE[name] for name in order}, **more})


def test_columns_are_matched_to_classes() -> None:
    y: dict[str, Any] = {"actual": "y"}
    renamed = frame("x").rename({"xa": "one", "xb": "two", "xc": "three"})
    numbers = {"p_2": TABLE["c"], "p_0": TABLE["a"], "p_1": TABLE["b"]}
    found = {
        f"named {prefix}{order}": tm.evaluate(
            frame(prefix), probabilities=[prefix + name for name in order], **y
        )
        for prefix in ("", "p_", "prob_")
        for order in ("abc", "cab")
    } | {
        "mapped": tm.evaluate(renamed, probabilities={"c": "three", "a": "one", "b": "two"}, **y),
        "by name before order": tm.evaluate(
            frame(), probabilities=["p_b", "p_c", "p_a"], labels=["a", "b", "c"], **y
        ),
        "lists": tm.evaluate(ACTUAL, y_score=ROWS, labels=["a", "b", "c"]),
        "an array": tm.evaluate(ACTUAL, y_score=np.array(ROWS), labels=["a", "b", "c"]),
        "single precision": tm.evaluate(ACTUAL, y_score=np.array(ROWS, np.float32), labels=["a", "b", "c"]),
        "pandas": tm.evaluate(ACTUAL, y_score=pd.DataFrame({f"p_{name}": TABLE[name] for name in "bca"})),
        "polars": tm.evaluate(ACTUAL, y_score=pl.DataFrame({name: TABLE[name] for name in "bca"})),
    }
    assert {
        name: (ev.labels, matrix(ev), ev.threshold, ev.notes) for name, ev in found.items()
    } == dict.fromkeys(found, (("a", "b", "c"), COUNTS, None, ()))
    # Labels that are numbers, and columns that are named after them or by text.
    by_number = pd.DataFrame({2: TABLE["c"], 0: TABLE["a"], 1: TABLE["b"]})
    whole = [tm.evaluate([0, 1, 2, 1], y_score=by_number)]
    table = pl.DataFrame({"y": [0, 1, 2, 1], **numbers})
    text = written(table.with_columns(y=pl.Series(["0.0", "1", "2", "1.0"])).write_csv())
    for data in (table, text):
        for given in (
            ["p_2", "p_1", "p_0"],
            {"2": "p_2", "1": "p_1", "0": "p_0"},
            {2: "p_2", 1: "p_1", 0: "p_0"},
        ):
            whole.append(tm.evaluate(data, probabilities=given, **y))
    assert [(typed(ev.labels), matrix(ev)) for ev in whole] == [(typed([0, 1, 2]), COUNTS)] * 7
    # Other names go by the order of the labels given, and it is said.
    ev = tm.evaluate(frame("x"), probabilities=["xc", "xa", "xb"], labels=["c", "a", "b"], **y)
    assert (ev.labels, matrix(ev), len(ev.notes)) == (("c", "a", "b"), [[1, 0, 0], [0, 1, 0], [0, 1, 1]], 1)
    # A class without rows has its column all the same, before or after the others.
    for name, order in (("z", ("a", "b", "z")), ("A", ("A", "a", "b"))):
        scores = {"a": [0.2, 0.2], "b": [0.3, 0.5], name: [0.5, 0.3]}
        ev = tm.evaluate(pl.DataFrame({"y": ["a", "b"], **scores}), probabilities=[name, "a", "b"], **y)
        assert ev.labels == order
        assert {
            (actual, ev.labels[at]): n
            for actual, row in zip(order, matrix(ev), strict=True)
            for at, n in enumerate(row)
            if n
        } == {("a", name): 1, ("b", "b"): 1}
    # One column is a score.
    for scores in ([[0.1], [0.9]], np.array([[0.1], [0.9]])):
        assert tm.evaluate([0, 1], y_score=scores).threshold == 0.5


def test_predictions_beside_probabilities() -> None:
    """The columns stand in another order than the classes, one of which no row has."""
    rows = pl.DataFrame(
        {
            "y": ["a", "b", "a", "b"], "said": ["b", "b", "a", "b"], "p_c": [0.1, 0.1, 0.4, 0.7],
            "p_a": [0.6, 0.2, 0.3, 0.1], "p_b": [0.3, 0.7, 0.3, 0.2],
        }
    )  # fmt: skip
    for options in ({}, {"predicted": "said"}):
        ev = tm.evaluate(rows, actual="y", probabilities=["p_c", "p_a", "p_b"], **options)
        assert ev.labels == ("a", "b", "c")
        # a: 0.6 and 0.3 against 0.2 and 0.1; b: 0.7 and 0.2 against 0.3 and 0.3.
        assert [ev.per_class[label]["auc"].value for label in ev.labels] == [1.0, 0.5, None]
        assert ev["brier"].value == pytest.approx((0.26 + 0.14 + 0.74 + 1.14) / 4)
        assert ev["accuracy"].value == (0.75 if options else 0.5)


def test_of_tied_classes_the_first_in_label_order_is_predicted() -> None:
    table = [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.1, 0.1, 0.8], [0.1, 0.8, 0.1]]
    ev = tm.evaluate(["a"] * 4, y_score=table, labels=["a", "b", "c"])
    assert matrix(ev)[0] == [1, 2, 1]
    assert ev.notes[0].startswith("2 rows")
    named = pl.DataFrame(table, schema=["a", "b", "c"], orient="row")
    assert matrix(tm.evaluate(["a"] * 4, y_score=named, labels=["c", "b", "a"]))[2] == [2, 2, 0]


def test_dust_of_floats_is_no_error() -> None:
    dust = 9e-7
    for table in ([[1 + dust, -dust], [-dust, 1 + dust]], np.array([[1.0000001, 0], [0, 1]], np.float32)):
        assert matrix(tm.evaluate(["a", "b"], y_score=table, labels=["a", "b"])) == [[1, 0], [0, 1]]
    near = np.array([[0.33, 0.33, 0.33], [0.34, 0.33, 0.34]])
    for table in (near, near.astype(np.float32)):
        assert tm.evaluate(["a", "b"], y_score=table, labels=["a", "b", "c"]).rows == 2


def test_a_row_is_dropped_for_its_first_missing_probability() -> None:
    columns = {"p_0": [0.5, NAN, NAN, 0.5], "p_1": [0.5, 0.5, NAN, NAN]}
    actual, dropped = [0, 1, 1, 0], {"missing_probability": 3}
    table = np.column_stack([*columns.values()])
    masked = np.ma.array(np.nan_to_num(table), mask=np.isnan(table))
    for form in (pd.DataFrame(columns), pl.DataFrame(columns), table, masked):
        ev = tm.evaluate(actual, y_score=form, labels=[0, 1], missing="drop")
        assert (ev.rows, ev.dropped) == (1, dropped)
    whole = pl.DataFrame({"y": actual, **columns})
    kept = rows_of(whole, actual="y", probabilities=["p_0", "p_1"], missing="drop")
    assert kept == ([0], [0], [[0.5, 0.5]])


def test_what_is_refused(snapshot: Any) -> None:
    two, ab = {"y_score": [[0.5, 0.5]] * 2}, {"labels": ["a", "b"]}
    y, halves = {"actual": "y"}, {"p_a": [0.5] * 4, "p_b": [0.5] * 4}
    bare = frame("", "").with_columns(**{name: pl.Series(values) for name, values in halves.items()})
    pair: dict[str, Any] = y | {"probabilities": ["p_a", "p_b"]}
    forms = pl.DataFrame({"a": [0.5, 0.2], "p_a": [0.2, 0.2], "b": [0.3, 0.6]})
    ab_only = frame().filter(pl.col("y") != "c")
    cases: list[tuple[Any, ...]] = [(ACTUAL, {"y_score": ROWS})]
    cases += [(ACTUAL, {"y_score": pl.DataFrame({f"x{name}": TABLE[name] for name in "abc"})}), (bare, pair)]
    cases += [(bare, y | {"probabilities": {"a": "p_a", "b": "p_b"}})]
    cases += [(frame(), y | {"probabilities": ["p_a", "y2"]})]
    cases += [
        (
            pl.DataFrame({"y": [0, 2, 1, 2], "p_0": [0.5] * 4, "p_1": [0.5] * 4}),
            y | {"probabilities": ["p_0", "p_1"]},
        )
    ]
    cases += [(ab_only, y | {"probabilities": {"a": "p_a", "b": "p_b"}, "labels": ["a", "b", "c", "z"]})]
    cases += [(bare, pair | ab), (ab_only, y | {"probabilities": ["p_a", "p_b", "p_c"]} | ab)]
    cases += [(["a", "b"], two | {"labels": ["a", "b", "c"]}), (frame(), pair | {"labels": ["a", "b", "c"]})]
    cases += [(frame(), y | {"probabilities": ["p_a", "p_a"]})]
    cases += [(frame(), y | {"probabilities": {"a": "p_a", "b": "p_a"}}), (["a", "b"], {"y_score": forms})]
    cases += [(["a", "b"], {"y_score": forms.rename({"a": "prob_a", "b": "prob_b"})})]
    cases += [
        (
            written("y,p_1,p_1.0,p_2\n1,0.5,0.3,0.2\n2,0.5,0.3,0.2\n"),
            y | {"probabilities": ["p_1", "p_1.0", "p_2"]},
        )
    ]
    cases += [(["a"] * 5, {"y_score": [[0.5, 0.5], *[[0.5, 0.48]] * 4]} | ab)]
    cases += [(["a"] * 2, {"y_score": [[0.5, 0.5], [0.5, 0.5101]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[0.5, 0.5], [1.5, -0.5]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[0.5, 0.5], [1 + 2e-6, 0]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[1, -2e-6], [1, -2e-6]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[50, 50], [99.5, 0]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[50, 50], [101.5, 0]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[50, 50], [101, -1]]} | ab)]
    cases += [(["a", "b"], two | ab | {"threshold": 0.3}), (frame(), pair | {"score": "p_c"})]
    cases += [
        (pd.DataFrame({"y": ["a", "b"], "a": [1.0, 0.0], "b": [0.0, 1.0]}), y | {"probabilities": "ab"})
    ]
    cases += [(["a", "b"], {"y_score": [[0.5, 0.5], [1.0]]} | ab)]
    cases += [(["a", "b"], {"y_score": [[0.5, 0.5], 1.0]} | ab)]
    cases += [(["a", "b"], {"y_score": np.ones((2, 2, 1))} | ab)]
    cases += [(["a", "b"], {"y_score": [["x", "y"], ["x", "y"]]} | ab)]
    cases += [([0, 1], {"y_score": np.empty((2, 0))}), ([0, 1], {"y_score": [[], []]})]
    cases += [([0, 1], {"y_score": pd.DataFrame(index=[0, 1])})]
    cases += [(["a", "b", "b"], {"y_score": pl.DataFrame({"a": [0.5] * 2, "b": [0.5] * 2})})]
    cases += [(frame(said=["d"] * 4), y | {"probabilities": ["p_a", "p_b", "p_c"], "predicted": "said"})]
    cases += [(["a", "b"], {"y_score": pl.DataFrame({"p_a": [0.5, 0.5], "p_b": [0.5, math.inf]})})]
    cases += [(["a", "b"], {"y_score": pd.DataFrame({"p_a": [0.5, 0.5], "p_b": [0.5, None]})})]
    cases += [(["a", "b"], {"y_score": np.array([[0.5, 0.5], [0.5, math.inf]])} | ab)]
    cases += [(["a", "b"], {"y_score": [[0.5, 0.5], [0.5, None]]} | ab)]
    cases += [(written("y,a,b\na,0.5,0.5\nb,0.5,0.4\n", "s.csv"), y | {"probabilities": ["a", "b"]})]
    cases += [(written("y,a,b\na,0.5,0.5\nb,0.5,inf\n", "i.csv"), y | {"probabilities": ["a", "b"]})]
    found = refusals(cases)
    snapshot("errors_data_probabilities", found)
