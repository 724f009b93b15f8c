"""Rows with several labels: from every kind of input, with weights, groups and slices, in every output."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics as sk

import tallymark as tm
from scored import classes, refusals
from tallymark.metrics import SET_METRICS

LABELS = ["art", "film", "sport"]
RANDOM = np.random.default_rng(11)
ACTUAL = RANDOM.random((120, 3)) < 0.5
PREDICTED = np.where(RANDOM.random((120, 3)) < 0.2, ~ACTUAL, ACTUAL)
WEIGHT = RANDOM.random(120) + 0.1
REGION = np.array(["north", "south", "east"])[RANDOM.integers(0, 3, 120)]


def sets(table: Any) -> list[set[str]]:
    return [{label for label, has in zip(LABELS, row, strict=True) if has} for row in table]


SIDES = (("", ACTUAL), ("p_", PREDICTED))
COLUMNS = {
    f"{mark}{label}": side[:, at].astype(int) for mark, side in SIDES for at, label in enumerate(LABELS)
}
LISTS = {side: [sorted(row) for row in sets(table)] for side, table in (("y", ACTUAL), ("p", PREDICTED))}
OF_COLUMNS: dict[str, Any] = {"actual": LABELS, "predicted": [f"p_{label}" for label in LABELS]}
OF_LISTS: dict[str, Any] = {"actual": "y", "predicted": "p"}


def inputs(folder: Path) -> dict[str, Callable[[], tm.Evaluation]]:
    lists, columns = pl.DataFrame(LISTS), pl.DataFrame(COLUMNS)
    columns.write_csv(folder / "columns.csv")
    columns.write_parquet(folder / "columns.parquet")
    lists.write_ndjson(folder / "lists.ndjson")
    lists.write_parquet(folder / "lists.parquet")
    lines = (f"{';'.join(y)},{';'.join(p)}" for y, p in zip(*LISTS.values(), strict=True))
    (folder / "lists.csv").write_text("\n".join(["y,p", *lines]) + "\n")
    frames = [pd.DataFrame(side, columns=LABELS) for side in (ACTUAL, PREDICTED)]
    return {
        "tables": lambda: tm.evaluate(ACTUAL.astype(int), PREDICTED.astype(float), labels=LABELS),
        "sets": lambda: tm.evaluate(sets(ACTUAL), sets(PREDICTED)),
        "lists": lambda: tm.evaluate(*LISTS.values()),
        "frames": lambda: tm.evaluate(*frames),
        "pandas columns": lambda: tm.evaluate(pd.DataFrame(COLUMNS), **OF_COLUMNS),
        "polars columns": lambda: tm.evaluate(columns, **OF_COLUMNS),
        "pyarrow columns": lambda: tm.evaluate(pa.table(COLUMNS), **OF_COLUMNS),
        "polars lists": lambda: tm.evaluate(lists, **OF_LISTS),
        "pandas lists": lambda: tm.evaluate(pd.DataFrame(LISTS), **OF_LISTS),
        "csv": lambda: tm.evaluate(folder / "columns.csv", **OF_COLUMNS),
        "parquet": lambda: tm.evaluate(folder / "columns.parquet", **OF_COLUMNS),
        "delimited": lambda: tm.evaluate(folder / "lists.csv", **OF_LISTS, set_delimiter=";"),
        "ndjson": lambda: tm.evaluate(folder / "lists.ndjson", **OF_LISTS),
        "parquet lists": lambda: tm.evaluate(folder / "lists.parquet", **OF_LISTS),
    }


def test_every_kind_of_input_is_counted_alike(tmp_path: Path) -> None:
    both = ACTUAL & PREDICTED
    cells = [side.sum(axis=0).tolist() for side in (both, ACTUAL & ~PREDICTED, ~ACTUAL & PREDICTED)]
    for name, made in inputs(tmp_path).items():
        ev = made()
        assert (ev.task, ev.rows, ev.labels, ev.confusion) == ("multilabel", 120, tuple(LABELS), None), name
        assert ev.sets.tally.cells.tolist() == cells, name
        assert ev["subset_accuracy"].value == pytest.approx(sk.accuracy_score(ACTUAL, PREDICTED)), name
    assert ev["hamming_loss"].value == pytest.approx(sk.hamming_loss(ACTUAL, PREDICTED))
    assert ev["f1_macro"].value == pytest.approx(sk.f1_score(ACTUAL, PREDICTED, average="macro"))
    film = sk.recall_score(ACTUAL[:, 1], PREDICTED[:, 1])
    assert ev.per_class["film"]["recall"].value == pytest.approx(film)


def test_outputs(tmp_path: Path, snapshot: Any) -> None:
    ev, empty = tm.evaluate(sets(ACTUAL), sets(PREDICTED)), set[str]()
    form = json.loads(ev.to_json())
    expected = {"task": "multilabel", "positive": None, "confusion": None, "empty_sets": 1.0}
    assert {name: form[name] for name in expected} == expected
    assert set(SET_METRICS) <= set(form["metrics"])
    assert [entry["label"] for entry in form["per_class"]] == LABELS
    assert form["per_class"][0]["tp"] == int((ACTUAL & PREDICTED)[:, 0].sum())
    assert set(SET_METRICS) <= set(ev.to_frame()["metric"])
    for suffix in (".txt", ".md", ".tex", ".csv", ".json"):
        ev.save(tmp_path / f"x{suffix}")
    again = pickle.loads(pickle.dumps(ev))
    assert again["f1_example"].low == ev["f1_example"].low
    # Two empty sets score as agreed.
    one, zero = (tm.evaluate([{"a"}, empty], [{"a"}, empty], empty_sets=score) for score in (1, 0))
    assert (one["f1_example"].value, zero["f1_example"].value) == (1, 0.5)
    assert zero.to_dict()["empty_sets"] == 0
    snapshot("label_sets", {"of 120 rows": str(ev), "two empty sets score 1": str(one), "and 0": str(zero)})


# --- weights, groups, slices, own metrics ------------------------------------------------------------


def test_frequencies_are_repeated_rows() -> None:
    times = RANDOM.integers(0, 4, 120)
    counted = tm.evaluate(ACTUAL, PREDICTED, sample_weight=times, weight_kind="frequency")
    repeated = tm.evaluate(np.repeat(ACTUAL, times, axis=0), np.repeat(PREDICTED, times, axis=0))
    assert counted.rows == repeated.rows == times.sum()
    assert counted.sets.tally == repeated.sets.tally
    for name in counted.metrics:
        assert (counted[name].value, counted[name].low) == (repeated[name].value, repeated[name].low), name


def test_slices_are_the_rows_alone() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, slices={"region": REGION}, sample_weight=WEIGHT)
    assert [part.slice for part in ev.slices] == [{"region": name} for name in ("east", "north", "south")]
    for part in ev.slices:
        here = part.slice["region"] == REGION
        alone = tm.evaluate(ACTUAL[here], PREDICTED[here], sample_weight=WEIGHT[here])
        for name in ("f1_example", "hamming_loss", "precision_macro"):
            assert (part[name].value, part[name].low) == (alone[name].value, alone[name].low)
        difference = part.difference("f1_example")
        assert difference.value == pytest.approx(float(alone["f1_example"]) - float(ev["f1_example"]))
        assert difference.low < difference.value < difference.high
    assert len(ev.to_dict()["slices"]) == 3
    with pytest.raises(tm.MetricError):
        ev.slices[0].difference("f1_macro")


def test_own_metrics_and_tallies() -> None:
    def exact(y_true: Any, y_pred: Any) -> float:
        assert y_true.shape[1] == 3
        return float((y_true == y_pred).all(axis=1).mean())

    ev = tm.evaluate(sets(ACTUAL), sets(PREDICTED), extra={"exact": exact})
    assert ev["exact"].value == ev["subset_accuracy"].value == ev.to_dict()["metrics"]["exact"]["value"]
    assert ev["exact"].low == pytest.approx(ev["subset_accuracy"].low, abs=0.03)
    halves = [tm.evaluate(sets(ACTUAL)[rows], sets(PREDICTED)[rows]) for rows in (slice(70), slice(70, None))]
    one, two = (half.sets.tally for half in halves)
    assert (one + two).evaluate()["f1_example"].value == pytest.approx(ev["f1_example"].value)
    assert tm.f1_example(one) == halves[0]["f1_example"].value
    assert tm.f1_example(ACTUAL, PREDICTED) == pytest.approx(ev["f1_example"].value)


def test_what_does_not_go_with_label_sets(snapshot: Any) -> None:
    options: dict[str, Any] = {
        "pos_label": "art", "threshold": 0.5, "costs": [[0, 1], [1, 0]], "empty_sets": 0.5,
        "y_score": [0.5] * 120, "groups": [1] * 120, "sample_weight": [-1.0] * 120, "labels": ["art", "film"],
    }  # fmt: skip
    calls: dict[str, Any] = {
        name: lambda name=name, value=value: tm.evaluate(ACTUAL, PREDICTED, **{name: value})
        for name, value in options.items()
    }
    calls |= {
        "empty_sets of truth": lambda: tm.evaluate(ACTUAL, PREDICTED, empty_sets=True),
        "few groups": lambda: tm.evaluate(ACTUAL, PREDICTED, groups=[1] * 3),
        "another prevalence": lambda: tm.evaluate(ACTUAL, PREDICTED).at_prevalence(0.5),
        "empty_sets of one label per row": lambda: tm.evaluate([0, 1, 1], [0, 1, 0], empty_sets=0),
    }
    refused = refusals(calls)
    others = {
        "groups": "ShapeError",
        "sample_weight": "ColumnError",
        "labels": "LabelError",
        "few groups": "ShapeError",
    }
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | others
    snapshot("label_sets_errors", refused)
    ev = tm.evaluate([0, 1, 1], [0, 1, 0])
    assert (ev["f1_example"].value, bool(ev["f1_example"].why)) == (None, True)
    assert not set(SET_METRICS) & set(ev.metrics)
