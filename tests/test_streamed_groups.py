"""Rows that belong together in groups: counted in parts they give every number that they give in memory."""

from __future__ import annotations

import pickle
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import tallymark as tm
from documents import same
from tallymark.errors import (
    MemoryLimitError,
    MergeError,
    MissingValueError,
    OptionError,
    ShapeError,
    TallymarkError,
)

ROWS = 120


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    """Patients with scores of their own kind; of some, the first rows have whole doses only."""
    rng = np.random.default_rng(5)
    patient = rng.integers(0, 14, ROWS)
    y = (rng.random(ROWS) < 0.35).astype(int)
    s = np.round(np.clip(rng.beta(2, 4, ROWS) + 0.2 * y + rng.normal(0, 0.1, 14)[patient], 0, 1), 2)
    said = s + rng.normal(0, 0.1, ROWS) > 0.45
    return pl.DataFrame(
        {
            "y": y,
            "p": said.astype(int),
            "s": s,
            "z": s * 4 - 2,
            "word": np.where(y == 1, "yes", "no"),
            "three": rng.choice(["a", "b", "c"], ROWS),
            "named": rng.choice(["a", "b", "c"], ROWS),
            "whole": rng.integers(0, 4, ROWS),
            "share": np.round(rng.random(ROWS), 3),
            "region": rng.choice(["n", "s"], ROWS),
            "patient": patient,
            "name": [f"patient {number}" for number in patient],
            "dose": np.where(np.arange(ROWS) < ROWS // 2, patient // 2, patient / 2),
            "late": patient > 6,
        }
    )


CASES: dict[str, dict[str, Any]] = {
    "answers": {"actual": "three", "predicted": "named", "groups": "name"},
    "answers with a positive": {"actual": "y", "predicted": "p", "groups": "patient"},
    "score": {"actual": "y", "score": "s", "groups": "patient"},
    "answers beside a score": {"actual": "y", "predicted": "p", "score": "s", "groups": "name"},
    "best cost": {
        "actual": "y",
        "score": "s",
        "groups": "name",
        "threshold": "best:cost",
        "costs": {1: {0: 5}, 0: {1: 1}},
    },
    "one of three": {
        "actual": "three",
        "score": "s",
        "pos_label": "b",
        "threshold": 0.3,
        "groups": "patient",
    },
    "no threshold": {"actual": "y", "score": "z", "groups": "name"},
    "weights": {"actual": "y", "score": "s", "weight": "share", "groups": "patient"},
    "frequencies": {
        "actual": "y",
        "predicted": "p",
        "weight": "whole",
        "weight_kind": "frequency",
        "groups": "name",
    },
    "slices": {"actual": "y", "score": "s", "slices": ["region"], "groups": "patient"},
    "slices of answers": {
        "actual": "word",
        "predicted": "three",
        "slices": ["region*late"],
        "weight": "whole",
        "groups": "name",
    },
}


def _settled(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said when rows are counted, and what when the tally is evaluated."""
    later = {"costs", "threshold"}
    return (
        {name: value for name, value in options.items() if name not in later},
        {name: value for name, value in options.items() if name in later},
    )


@pytest.mark.parametrize("case", CASES)
def test_every_number_of_files_read_in_pieces(tmp_path, read_in_pieces, table, case):
    path = tmp_path / "rows.csv"
    table.write_csv(path)
    kept = tm.evaluate(path, **CASES[case])
    read_in_pieces(1_000)
    streamed = tm.evaluate(path, **CASES[case])
    assert streamed.encode is None
    form = streamed.to_dict()
    same(kept.to_dict(), form)
    assert "independent groups (14 of them)" in str(form)


@pytest.mark.parametrize("case", CASES)
def test_tallies_of_parts_carried_in_files(tmp_path, table, case):
    counting, asking = _settled(CASES[case])
    paths = []
    for part in range(3):
        paths.append(tmp_path / f"{part}.tally")
        tm.tally(table[part * 40 : part * 40 + 40], **counting).save(paths[-1])
    whole = tm.tally(table, **counting)
    read = [tm.Tally.load(path) for path in paths]
    if "share" not in counting.values():  # whose sums are rounded
        assert read[0] + (read[1] + read[2]) == whole
    assert pickle.loads(pickle.dumps(read[0])) == read[0]
    same(tm.evaluate(table, **CASES[case]).to_dict(), tm.evaluate(paths, **asking).to_dict())


@pytest.mark.parametrize("case", CASES)
def test_a_table_of_duckdb(table, case):
    relation = duckdb.from_arrow(table.to_arrow())
    counting, _ = _settled(CASES[case])
    counted, kept = tm.tally(relation, **counting), tm.tally(table, **counting)
    assert counted.groups == kept.groups
    assert counted.score_groups == kept.score_groups
    if case in ("answers", "score", "weights"):
        same(tm.evaluate(table, **CASES[case]).to_dict(), tm.evaluate(relation, **CASES[case]).to_dict())


def test_curves_and_decisions(table):
    options = {"actual": "y", "score": "s", "weight": "share", "groups": "name"}
    costs = {1: {0: 5}, 0: {1: 1}}
    kept = tm.evaluate(table, **options)
    added = sum(tm.tally(table[start : start + 30], **options) for start in range(0, ROWS, 30)).evaluate()
    for one, two in ((kept, added), (kept.at_prevalence(0.1), added.at_prevalence(0.1))):
        same(one.decide(costs=costs).to_dict(), two.decide(costs=costs).to_dict())
        for name in ("roc", "precision_recall", "decision_curve", "rejection", "cost_curve"):
            same(getattr(one.curves, name).to_dict(), getattr(two.curves, name).to_dict())
        same(one.curves.calibration().to_dict(), two.curves.calibration().to_dict())


@pytest.mark.parametrize("side", [{"score": "s"}, {"predicted": "p"}], ids=["score", "answers"])
def test_groups_that_fractions_name_by_text_in_some_parts_only(tmp_path, read_in_pieces, table, side):
    path = tmp_path / "rows.parquet"
    # The rows of one slice are all in parts where doses are whole.
    half = ROWS // 2
    early = pl.Series("early", ["first"] * 30 + ["second"] * (ROWS - 30))
    table.with_columns(early).write_parquet(path, row_group_size=20)
    options = {"actual": "y", "groups": "dose", "slices": "early", **side}
    kept = tm.evaluate(path, **options)
    read_in_pieces()
    same(kept.to_dict(), tm.evaluate(path, **options).to_dict())
    tally = tm.tally(table[:half], actual="y", groups="dose", **side)
    groups = tally.groups or tally.score_groups
    assert groups is not None
    assert isinstance(groups.keys[0], int)
    both = tally + tm.tally(table[half:], actual="y", groups="dose", **side)
    assert both == tm.tally(table, actual="y", groups="dose", **side)


def test_groups_of_truth_values_and_of_a_column_that_has_another_role(tmp_path, read_in_pieces, table):
    path = tmp_path / "rows.parquet"
    table.write_parquet(path, row_group_size=20)
    for group in ("late", "three"):
        options = {"actual": "three", "predicted": "named", "groups": group}
        assert tm.tally(path, **options) == tm.tally(table, **options)
    read_in_pieces()
    ev = tm.evaluate(path, actual="three", predicted="named", groups="late")
    same(tm.evaluate(table, actual="three", predicted="named", groups="late").to_dict(), ev.to_dict())


def test_what_groups_count_by_hand():
    rows = pl.DataFrame(
        {
            "y": [1, 0, 1, 1, 0, 0],
            "p": [1, 1, 0, 1, 0, 0],
            "s": [0.9, 0.5, 0.5, 0.9, 0.1, 0.5],
            "w": [2, 1, 3, 1, 0, 4],
            "g": ["ann", "ann", "bob", "bob", "eve", "bob"],
        }
    )
    tally = tm.tally(rows, actual="y", predicted="p", score="s", weight="w", groups="g")
    assert tally.groups is not None
    assert tally.score_groups is not None
    # Eve has no weight, so she is in no group. Cells are actual * 2 + predicted.
    assert tally.groups.keys == tally.score_groups.keys == ("ann", "bob")
    found = zip(*(getattr(tally.groups, name).tolist() for name in ("group", "cells", "counts")), strict=True)
    assert list(found) == [(1, 0, 4), (0, 1, 1), (1, 2, 3), (0, 3, 2), (1, 3, 1)]
    names = ("group", "place", "positives", "negatives")
    found = zip(*(getattr(tally.score_groups, name).tolist() for name in names), strict=True)
    assert list(found) == [(0, 0, 2, 0), (1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 3, 4)]
    assert repr(tally).endswith("2 groups)")


# --- what is wrong -----------------------------------------------------------------------------------

HEADER = "y,p,s,w,g\n"
GOOD = "1,1,0.4,1,ann\n0,1,0.5,1,bob\n" * 15
WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "missing": ("1,1,,1,\n0,1,0.5,,bob\n1,1,0.4,1,\n", {}),
    "missing weights before": ("1,1,0.4,,\n", {"weight": "w", "slices": ["p"]}),
    "a word as score": ("1,1,x,1,\n", {}),
    "no such column": ("", {"groups": "h"}),
}


@pytest.mark.parametrize("case", WRONG)
def test_faults_are_told_as_in_memory(tmp_path, read_in_pieces, case):
    rows, options = WRONG[case]
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + GOOD + rows + GOOD)
    options = {"actual": "y", "score": "s", "groups": "g"} | options
    with pytest.raises(TallymarkError) as kept:
        tm.evaluate(path, **options)
    read_in_pieces(100)
    with pytest.raises(type(kept.value)) as streamed:
        tm.evaluate(path, **options)
    assert (streamed.value.message, streamed.value.hint) == (kept.value.message, kept.value.hint)


def test_dropped_for_want_of_a_group(tmp_path, read_in_pieces):
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + GOOD + "1,1,0.4,1,\n,1,0.4,1,\n1,1,0.4,,\n" * 4 + GOOD)
    options = {"actual": "y", "score": "s", "weight": "w", "groups": "g", "slices": "p", "missing": "drop"}
    kept = tm.evaluate(path, **options)
    read_in_pieces(100)
    streamed = tm.evaluate(path, **options)
    assert streamed.dropped == {"missing_actual": 4, "missing_group": 4, "missing_weight": 4} == kept.dropped
    same(kept.to_dict() | {"dropped": None}, streamed.to_dict() | {"dropped": None})
    path.write_text(HEADER + "1,1,0.4,1,\n" * 20)
    with pytest.raises(MissingValueError, match="every row has a missing value, so none is left"):
        tm.evaluate(path, **options)


@pytest.mark.parametrize("side", [{"score": "s"}, {"predicted": "p"}], ids=["score", "answers"])
def test_one_group_only(tmp_path, read_in_pieces, side):
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + GOOD.replace("bob", "ann"))
    read_in_pieces(100)
    with pytest.raises(ShapeError, match="all rows are of one group, 'ann'; groups are resampled"):
        tm.evaluate(path, actual="y", groups="g", **side)
    # A part may be of one group, and slices may.
    path.write_text(HEADER + GOOD.replace("bob", "ann") + GOOD)
    ev = tm.evaluate(path, actual="y", groups="g", slices="g", **side)
    assert [part["accuracy"].low for part in ev.slices] == [None, None]
    # Nothing is resampled without a threshold.
    if "score" in side:
        path.write_text(HEADER + GOOD.replace("bob", "ann").replace("0.4", "1.4"))
        assert tm.evaluate(path, actual="y", groups="g", **side)["auc"].low is None


def test_what_is_refused(tmp_path, read_in_pieces, table):
    path = tmp_path / "rows.csv"
    table.with_columns(pa=pl.col("s") / 2, pb=pl.col("s") / 2, pc=1 - pl.col("s")).write_csv(path)
    three = {"actual": "three", "probabilities": {"a": "pa", "b": "pb", "c": "pc"}, "groups": "name"}
    with pytest.raises(OptionError, match="one probability per class are not counted in parts"):
        tm.tally(path, **three)
    grid = {"actual": "y", "score": "s", "groups": "name", "approximate": True}
    for count in (tm.tally, tm.evaluate):
        with pytest.raises(OptionError, match="groups are resampled with the exact scores of their rows"):
            count(path, **grid)
    with pytest.raises(OptionError, match="groups are resampled with the exact scores of their rows"):
        tm.tally(table, **grid)
    # Where there are no scores, nothing is approximate.
    ev = tm.evaluate(path, actual="y", predicted="p", groups="name", approximate=True)
    assert ev["accuracy"].method == "group_bootstrap"
    with pytest.raises(OptionError, match="groups is the name of a column"):
        tm.tally(table, actual="y", score="s", groups=[1, 2])  # type: ignore[arg-type]
    read_in_pieces()
    with pytest.raises(OptionError, match="probabilities of classes in groups are counted in memory only"):
        tm.evaluate(path, **three)


def test_with_groups_and_without_do_not_add_up(table):
    with pytest.raises(MergeError, match="do not add up: rows in groups: yes and no"):
        tm.tally(table, actual="y", score="s", groups="name") + tm.tally(table, actual="y", score="s")


def test_groups_take_memory(tmp_path):
    rows, path = 20_000, tmp_path / "rows.parquet"
    pl.DataFrame(
        {"y": np.arange(rows) % 2, "p": np.arange(rows) % 3 % 2, "g": [f"g{row}" for row in range(rows)]}
    ).write_parquet(path, row_group_size=1_000)
    options = {"actual": "y", "predicted": "p", "groups": "g"}
    with pytest.raises(
        MemoryLimitError, match="groups are resampled with all that is counted of each"
    ) as caught:
        tm.tally(path, memory="1MB", **options)
    assert caught.value.hint == "allow more with --memory (in Python memory=)."
    groups = tm.tally(path, memory="20MB", **options).groups
    assert groups is not None
    assert len(groups) == rows
