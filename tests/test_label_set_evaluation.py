"""Rows with several labels through `evaluate`: every door, weights, groups, slices, own metrics, on paper."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics as sk

import tallymark as tm
from tallymark.evaluation import Evaluation
from tallymark.metrics import SET_METRICS

LABELS = ["art", "film", "sport"]
RANDOM = np.random.default_rng(11)
ACTUAL = RANDOM.random((120, 3)) < 0.5
PREDICTED = np.where(RANDOM.random((120, 3)) < 0.2, ~ACTUAL, ACTUAL)
WEIGHT = RANDOM.random(120) + 0.1
PATIENT = np.arange(120) // 6
REGION = np.array(["north", "south", "east"])[RANDOM.integers(0, 3, 120)]


def sets(table: Any) -> list[set[str]]:
    return [{label for label, has in zip(LABELS, row, strict=True) if has} for row in table]


def columns() -> dict[str, Any]:
    actual = {label: ACTUAL[:, at].astype(int) for at, label in enumerate(LABELS)}
    return actual | {f"p_{label}": PREDICTED[:, at].astype(int) for at, label in enumerate(LABELS)}


def lists() -> dict[str, Any]:
    return {side: [sorted(row) for row in sets(table)] for side, table in (("y", ACTUAL), ("p", PREDICTED))}


def delimited(path: Path) -> Path:
    lines = (f"{';'.join(y)},{';'.join(p)}" for y, p in zip(*lists().values(), strict=True))
    path.write_text("\n".join(["y,p", *lines]) + "\n")
    return path


def written(frame: pl.DataFrame, path: Path) -> Path:
    getattr(
        frame, {".csv": "write_csv", ".parquet": "write_parquet", ".ndjson": "write_ndjson"}[path.suffix]
    )(path)
    return path


@pytest.fixture(
    params=[
        "tables",
        "sets",
        "lists",
        "frames",
        "pandas columns",
        "polars columns",
        "pyarrow columns",
        "polars lists",
        "pandas lists",
        "csv",
        "parquet",
        "delimited",
        "ndjson",
        "parquet lists",
    ]
)
def ev(request: pytest.FixtureRequest, tmp_path: Path) -> Evaluation:
    """The same rows through every door."""
    of_columns: dict[str, Any] = {"actual": LABELS, "predicted": [f"p_{label}" for label in LABELS]}
    of_lists: dict[str, Any] = {"actual": "y", "predicted": "p"}
    made = {
        "tables": lambda: tm.evaluate(ACTUAL.astype(int), PREDICTED.astype(float), labels=LABELS),
        "sets": lambda: tm.evaluate(sets(ACTUAL), sets(PREDICTED)),
        "lists": lambda: tm.evaluate(*lists().values()),
        "frames": lambda: tm.evaluate(
            pd.DataFrame(ACTUAL, columns=LABELS), pd.DataFrame(PREDICTED, columns=LABELS)
        ),
        "pandas columns": lambda: tm.evaluate(pd.DataFrame(columns()), **of_columns),
        "polars columns": lambda: tm.evaluate(pl.DataFrame(columns()), **of_columns),
        "pyarrow columns": lambda: tm.evaluate(pa.table(columns()), **of_columns),
        "polars lists": lambda: tm.evaluate(pl.DataFrame(lists()), **of_lists),
        "pandas lists": lambda: tm.evaluate(pd.DataFrame(lists()), **of_lists),
        "csv": lambda: tm.evaluate(written(pl.DataFrame(columns()), tmp_path / "t.csv"), **of_columns),
        "parquet": lambda: tm.evaluate(
            written(pl.DataFrame(columns()), tmp_path / "t.parquet"), **of_columns
        ),
        "delimited": lambda: tm.evaluate(delimited(tmp_path / "t.csv"), **of_lists, set_delimiter=";"),
        "ndjson": lambda: tm.evaluate(written(pl.DataFrame(lists()), tmp_path / "t.ndjson"), **of_lists),
        "parquet lists": lambda: tm.evaluate(
            written(pl.DataFrame(lists()), tmp_path / "t.parquet"), **of_lists
        ),
    }
    evaluation: Evaluation = made[request.param]()
    return evaluation


def test_every_door_counts_the_same(ev: Evaluation) -> None:
    assert (ev.task, ev.rows, ev.labels, ev.confusion) == ("multilabel", 120, tuple(LABELS), None)
    assert ev.sets is not None
    both = ACTUAL & PREDICTED
    assert ev.sets.tally.cells.tolist() == [
        both.sum(axis=0).tolist(),
        (ACTUAL & ~PREDICTED).sum(axis=0).tolist(),
        (~ACTUAL & PREDICTED).sum(axis=0).tolist(),
    ]
    assert ev["subset_accuracy"].value == pytest.approx(sk.accuracy_score(ACTUAL, PREDICTED))
    assert ev["hamming_loss"].value == pytest.approx(sk.hamming_loss(ACTUAL, PREDICTED))
    assert ev["f1_macro"].value == pytest.approx(sk.f1_score(ACTUAL, PREDICTED, average="macro"))
    assert ev.per_class["film"]["recall"].value == pytest.approx(
        sk.recall_score(ACTUAL[:, 1], PREDICTED[:, 1])
    )


def test_numbers_on_paper(tmp_path: Path) -> None:
    ev = tm.evaluate(sets(ACTUAL), sets(PREDICTED))
    form = json.loads(ev.to_json())
    assert (form["task"], form["positive"], form["confusion"], form["empty_sets"]) == (
        "multilabel",
        None,
        None,
        1.0,
    )
    assert set(SET_METRICS) <= set(form["metrics"])
    assert [entry["label"] for entry in form["per_class"]] == LABELS
    assert form["per_class"][0]["tp"] == int((ACTUAL & PREDICTED)[:, 0].sum())
    text = str(ev)
    assert "Detailed Accuracy By Label" in text
    assert "Undefined" not in text
    frame = ev.to_frame()
    assert set(SET_METRICS) <= set(frame["metric"])
    for suffix in (".txt", ".md", ".tex", ".csv", ".json"):
        ev.save(tmp_path / f"x{suffix}")
    again = pickle.loads(pickle.dumps(ev))
    assert again["f1_example"].low == ev["f1_example"].low
    assert again.encoded is None


def test_two_empty_sets_score_as_told_and_it_is_said() -> None:
    empty: set[str] = set()
    ev = tm.evaluate([{"a"}, empty], [{"a"}, empty])
    assert ev["f1_example"].value == 1
    assert "1 row has two empty sets, which score 1." in " ".join(str(ev).split())
    zero = tm.evaluate([{"a"}, empty], [{"a"}, empty], empty_sets=0)
    assert zero["f1_example"].value == 0.5
    assert "which score 0." in " ".join(str(zero).split())
    assert zero.to_dict()["empty_sets"] == 0


# --- weights, groups, slices, own metrics ----------------------------------------------------------


def test_weights_are_those_of_scikit_learn() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, sample_weight=WEIGHT)
    for name, function in (
        ("accuracy_example", sk.jaccard_score),
        ("precision_example", sk.precision_score),
        ("f1_example", sk.f1_score),
    ):
        # Rows with two empty sets score 1 here and 0 there.
        kept = ACTUAL.any(axis=1) | PREDICTED.any(axis=1)
        found = tm.evaluate(ACTUAL[kept], PREDICTED[kept], sample_weight=WEIGHT[kept])[name].value
        weights = {"average": "samples", "sample_weight": WEIGHT[kept], "zero_division": 0}
        assert found == pytest.approx(function(ACTUAL[kept], PREDICTED[kept], **weights)), name
    for average in ("macro", "micro", "weighted"):
        expected = sk.f1_score(ACTUAL, PREDICTED, average=average, sample_weight=WEIGHT)
        assert ev[f"f1_{average}"].value == pytest.approx(expected)
    assert ev["subset_accuracy"].n == pytest.approx(WEIGHT.sum() ** 2 / (WEIGHT**2).sum())


def test_frequencies_are_repeated_rows() -> None:
    times = RANDOM.integers(0, 4, 120)
    counted = tm.evaluate(ACTUAL, PREDICTED, sample_weight=times, weight_kind="frequency")
    repeated = tm.evaluate(np.repeat(ACTUAL, times, axis=0), np.repeat(PREDICTED, times, axis=0))
    assert counted.rows == repeated.rows == times.sum()
    assert counted.sets is not None
    assert repeated.sets is not None
    assert counted.sets.tally == repeated.sets.tally
    for name in counted.metrics:
        assert (counted[name].value, counted[name].low) == (repeated[name].value, repeated[name].low), name


def test_groups_are_resampled_for_every_number() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, groups=PATIENT)
    for name, estimate in ev.metrics.items():
        assert estimate.method == "group_bootstrap", name
        assert estimate.assumption == "independent groups (20 of them)"
        assert estimate.low < estimate.value < estimate.high  # type: ignore[operator]
    assert {one["recall"].method for one in ev.per_class.values()} == {"group_bootstrap"}
    # Where every group is one row many times over, there are as many rows as groups.
    same = np.repeat(np.arange(30), 20)
    clumped = tm.evaluate(ACTUAL[same], PREDICTED[same], groups=same)["f1_example"]
    alone = tm.evaluate(ACTUAL[:30], PREDICTED[:30])["f1_example"]
    naive = tm.evaluate(ACTUAL[same], PREDICTED[same])["f1_example"]
    width, of_rows, too_sure = (float(e.high) - float(e.low) for e in (clumped, alone, naive))  # type: ignore[arg-type]
    assert width == pytest.approx(of_rows, rel=0.25)
    assert too_sure < 0.4 * of_rows


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
        assert difference.low < difference.value < difference.high  # type: ignore[operator]
    assert "Slices" in str(ev)
    assert len(ev.to_dict()["slices"]) == 3
    with pytest.raises(tm.MetricError, match="averages over classes"):
        ev.slices[0].difference("f1_macro")


def test_a_metric_of_ones_own_gets_tables_of_zeros_and_ones() -> None:
    def exact(y_true: Any, y_pred: Any) -> float:
        assert y_true.shape[1] == 3
        return float((y_true == y_pred).all(axis=1).mean())

    ev = tm.evaluate(sets(ACTUAL), sets(PREDICTED), extra={"exact": exact})
    assert ev["exact"].value == ev["subset_accuracy"].value
    assert ev["exact"].low == pytest.approx(ev["subset_accuracy"].low, abs=0.03)
    assert "exact" in ev.to_dict()["metrics"]


def test_tallies_of_parts_add_up_to_an_evaluation() -> None:
    parts = [tm.evaluate(sets(ACTUAL)[rows], sets(PREDICTED)[rows]) for rows in (slice(70), slice(70, None))]
    tallies = [part.sets.tally for part in parts if part.sets is not None]
    assert (tallies[0] + tallies[1]).evaluate()["f1_example"].value == pytest.approx(
        float(tm.evaluate(sets(ACTUAL), sets(PREDICTED))["f1_example"])
    )
    assert tm.f1_example(tallies[0]) == parts[0]["f1_example"].value
    assert tm.f1_example(ACTUAL, PREDICTED) == pytest.approx(
        float(tm.evaluate(ACTUAL, PREDICTED)["f1_example"])
    )


# --- what makes no sense ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pos_label": "art"}, "nothing for pos_label to do"),
        ({"threshold": 0.5}, "nothing for threshold to do"),
        ({"costs": [[0, 1], [1, 0]]}, "nothing for costs to do"),
        ({"empty_sets": 0.5}, "empty_sets must be 1 or 0"),
        ({"empty_sets": True}, "empty_sets must be 1 or 0"),
        ({"y_score": [0.5] * 120}, "not from scores"),
        ({"groups": [1] * 120}, "all rows are of one group"),
        ({"groups": [1] * 3}, "group has 3"),
        ({"sample_weight": [-1.0] * 120}, "weights are 0 or more"),
        ({"labels": ["art", "film"]}, "2 labels"),
    ],
)
def test_what_does_not_go_with_label_sets(options: dict[str, Any], said: str) -> None:
    with pytest.raises(tm.TallymarkError, match=said):
        tm.evaluate(ACTUAL, PREDICTED, **options)


def test_other_shares_of_labels_are_refused() -> None:
    with pytest.raises(tm.OptionError, match="no counts to re-weigh"):
        tm.evaluate(ACTUAL, PREDICTED).at_prevalence(0.5)


def test_one_label_per_row_knows_nothing_of_sets() -> None:
    ev = tm.evaluate([0, 1, 1], [0, 1, 0])
    assert ev["f1_example"].why == "every row has one label; this is about rows with several"
    assert not set(SET_METRICS) & set(ev.metrics)
    with pytest.raises(tm.OptionError, match="empty_sets is about label sets"):
        tm.evaluate([0, 1, 1], [0, 1, 0], empty_sets=0)
