"""Files of which no rows are kept give every number that they give in memory."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from documents import same
from tallymark.errors import TallymarkError

ROWS = 90
COSTS = {1: {0: 5}, 0: {1: 1}}


def _table() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    y = (rng.random(ROWS) < 0.3).astype(int)
    s = np.round(np.clip(rng.beta(2, 5, ROWS) + 0.15 * y, 0, 1), 2)
    said = s > 0.4
    return pl.DataFrame(
        {
            "y": y,
            "p": said.astype(int),
            "s": s,
            "z": s * 4 - 2,
            "word": np.where(y == 1, "yes", "no"),
            "said": np.where(said, "yes", "no"),
            "truth": y == 1,
            "three": rng.choice(["a", "b", "c"], ROWS),
            "named": rng.choice(["a", "b", "c"], ROWS),
            "whole": rng.integers(0, 4, ROWS),
            "share": np.round(rng.random(ROWS), 3),
            "region": rng.choice(["n", "s", "e"], ROWS),
            "step": rng.choice([1, 2, 10], ROWS),
            # Whole at first, so that pieces differ in what they seem to hold.
            "dose": np.r_[np.ones(ROWS // 2), rng.choice([0.5, 1.0, 2.0], ROWS - ROWS // 2)],
        }
    )


CASES: dict[str, dict[str, Any]] = {
    "labels": {"actual": "y", "predicted": "p"},
    "score": {"actual": "y", "score": "s"},
    "both": {"actual": "y", "predicted": "p", "score": "s"},
    "whole weights": {"actual": "y", "score": "s", "weight": "whole"},
    "fractions as weights": {"actual": "y", "predicted": "p", "score": "s", "weight": "share"},
    "frequencies": {"actual": "y", "score": "s", "weight": "whole", "weight_kind": "frequency"},
    "frequencies of answers": {
        "actual": "y",
        "predicted": "p",
        "weight": "whole",
        "weight_kind": "frequency",
    },
    "slices": {"actual": "y", "score": "s", "slices": ["region", "dose*step"]},
    "slices with weights": {
        "actual": "y",
        "predicted": "p",
        "weight": "share",
        "slices": ["step", "dose"],
    },
    "text": {"actual": "word", "score": "s", "pos_label": "yes"},
    "text both": {"actual": "word", "predicted": "said", "score": "s", "pos_label": "no"},
    "text without a positive": {"actual": "word", "predicted": "said"},
    "booleans": {"actual": "truth", "score": "s"},
    "declared": {"actual": "word", "predicted": "said", "labels": ["yes", "no"], "costs": [[0, 5], [1, 0]]},
    "declared numbers": {"actual": "y", "score": "s", "labels": [1, 0]},
    "three and a positive": {"actual": "three", "score": "s", "pos_label": "b"},
    "three": {"actual": "three", "predicted": "named"},
    "a threshold": {"actual": "y", "score": "s", "threshold": 0.3},
    "a threshold as text": {"actual": "y", "score": "z", "threshold": "-1"},
    "best f1": {"actual": "y", "score": "s", "threshold": "best:f1"},
    "best cost": {"actual": "y", "score": "s", "threshold": "best:cost", "costs": COSTS},
    "clip": {"actual": "y", "score": "s", "clip": 1e-3},
    "no probabilities": {"actual": "y", "score": "z", "slices": ["region"]},
    "options": {
        "actual": "y",
        "score": "s",
        "undefined": 0,
        "confidence_level": 0.9,
        "random_state": 3,
    },
}


def _counts(ev: Any) -> dict[str, Any]:
    """What every number is a function of."""
    form = {
        name: getattr(ev, name)
        for name in ("labels", "positive", "rows", "dropped", "threshold", "why_not", "chosen_here", "costs")
    }
    form["notes"] = list(ev.notes)
    if ev.counted is not None:
        squares = ev.confusion.squares
        form["confusion"] = [ev.confusion.matrix.tolist(), None if squares is None else squares.tolist()]
    if ev.ranked is not None:
        scores = ev.ranking(ev.ranked.about).scores
        sides = [scores.positives, scores.negatives, *(scores.squares or ())]
        form["scores"] = [scores.score.tolist(), *(side.tolist() for side in sides), ev.ranked.clip]
    form["slices"] = [{"slice": part.slice, **_counts(part.evaluation)} for part in ev.slices]
    return form


def _compared(read_in_pieces: Any, paths: Any, block: int = 300, **options: Any) -> tuple[Any, Any]:
    kept = tm.evaluate(paths, **options)
    assert kept.counted is None or kept.encode is not None
    read_in_pieces(block)
    streamed = tm.evaluate(paths, **options)
    assert streamed.encode is None
    same(_counts(kept), _counts(streamed))
    return kept, streamed


@pytest.mark.parametrize("case", ["both", "slices", "frequencies", "best cost", "no probabilities"])
def test_every_number(tmp_path, read_in_pieces, case):
    path = tmp_path / "rows.csv"
    _table().write_csv(path)
    kept, streamed = _compared(read_in_pieces, path, **CASES[case])
    same(kept.to_dict(), streamed.to_dict())


@pytest.mark.parametrize("case", CASES)
def test_csv(tmp_path, read_in_pieces, case):
    path = tmp_path / "rows.csv"
    _table().write_csv(path)
    _compared(read_in_pieces, path, **CASES[case])


@pytest.mark.parametrize("case", ["both", "slices with weights", "booleans"])
@pytest.mark.parametrize("kind", ["tsv", "csv.gz", "ndjson", "parquet", "arrow"])
def test_other_files(tmp_path, read_in_pieces, kind, case):
    table, path = _table(), tmp_path / f"rows.{kind}"
    if kind == "tsv":
        table.write_csv(path, separator="\t")
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(table.write_csv().encode()))
    elif kind == "ndjson":
        table.write_ndjson(path)
    elif kind == "parquet":
        table.write_parquet(path, row_group_size=20)
    else:
        table.write_ipc(path, record_batch_size=20)
    _compared(read_in_pieces, path, 2_000 if kind == "ndjson" else 300, **CASES[case])


@pytest.mark.parametrize("given", ["files", "folder", "pattern"])
def test_several_files(tmp_path, read_in_pieces, given):
    table = _table()
    paths = [tmp_path / f"part{part}.csv" for part in range(3)]
    for part, path in enumerate(paths):
        table[part * 25 : (part + 1) * 25].write_csv(path)
    data = {"files": paths, "folder": tmp_path, "pattern": str(tmp_path / "part*.csv")}[given]
    _, ev = _compared(read_in_pieces, data, actual="word", score="s", pos_label="yes", slices="region")
    assert ev.rows == 75


# --- labels that parts tell differently ----------------------------------------------------------

HEADER = "y,p,s,w,r\n"
ONES, ZEROS = "1,1,0.4,1,a\n" * 20, "0,1,0.5,1,b\n" * 20
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "only ones first": (ONES + ZEROS, {"actual": "y", "score": "s", "slices": ["r"]}),
    "only ones": (ONES, {"actual": "y", "score": "s"}),
    "only zeros": (ZEROS, {"actual": "y", "predicted": "p"}),
    "ones about zero": (ONES, {"actual": "y", "score": "s", "pos_label": 0}),
    "1.0 and 0": (ONES.replace("1,1,", "1.0,1,") + ZEROS, {"actual": "y", "score": "s"}),
    "01 is not 1": (ONES.replace("1,1,", "01,1,") + ONES, {"actual": "y", "score": "s", "pos_label": "01"}),
    "words after numbers": (
        ONES + ZEROS + "no,no,0.1,1,a\n" * 20,
        {"actual": "y", "predicted": "p", "score": "s", "pos_label": "1"},
    ),
    "named by True": (ONES + ZEROS, {"actual": "y", "score": "s", "pos_label": True}),
    "named by text": (ONES + ZEROS, {"actual": "y", "score": "s", "pos_label": "0"}),
    "a column without values": (
        ONES + "0,,0.5,1,a\n" * 20,
        {"actual": "y", "predicted": "p", "missing": "drop"},
    ),
    "fractions on both sides": (
        "1,0.5,0.4,1,a\n" * 20 + "0.5,1,0.4,1,a\n" * 20,
        {"actual": "y", "predicted": "p"},
    ),
    "some dropped": (
        ONES + "1,1,,1,a\n0,1,0.2,,a\n,1,0.2,1,a\n" * 9 + ZEROS,
        {"actual": "y", "score": "s", "weight": "w", "missing": "drop"},
    ),
    "a weight of a dropped row": (
        ONES + ZEROS + "1,1,,-1,a\n",
        {"actual": "y", "score": "s", "weight": "w", "missing": "drop"},
    ),
    "words that mean missing": (
        ONES + "1,1,NA,1,a\n0,?,0.3,1,a\n" * 9 + ZEROS,
        {"actual": "y", "predicted": "p", "score": "s", "missing": "drop", "missing_words": ["NA", "?"]},
    ),
    "large weights": (
        ONES + ZEROS + "1,1,0.3,20000000000,a\n",
        {"actual": "y", "predicted": "p", "score": "s", "weight": "w"},
    ),
}


@pytest.mark.parametrize("case", PARTS)
def test_parts_that_differ(tmp_path, read_in_pieces, case):
    rows, options = PARTS[case]
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + rows)
    _compared(read_in_pieces, path, 60, **options)


def test_values_of_a_slice_that_are_text_in_some_parts_only(tmp_path, read_in_pieces):
    path = tmp_path / "rows.parquet"
    table = pl.DataFrame({"y": [0, 1] * 6, "p": [1, 1, 0] * 4, "dose": [1.0] * 6 + [0.5, 1.0] * 3})
    table.write_parquet(path, row_group_size=4)
    _, ev = _compared(read_in_pieces, path, actual="y", predicted="p", slices="dose")
    assert [(part.slice["dose"], part.rows) for part in ev.slices] == [("0.5", 3), ("1", 9)]


# --- what is wrong ---------------------------------------------------------------------------------

GOOD = ONES + ZEROS
WRONG: dict[str, tuple[str, str, dict[str, Any]]] = {
    "missing": ("1,1,,1,a\n0,,0.5,1,a\n", "1,1,,1,a\n", {"predicted": "p"}),
    "missing weights and slices": ("1,1,0.4,,a\n", "1,1,0.3,,\n", {"weight": "w", "slices": ["r"]}),
    "words": ("1,1,NA,1,a\n", "1,1,x,1,a\n1,1,NA,1,a\n1,1,y,1,a\n", {}),
    "decimal comma": ('1,1,"0,5",1,a\n', "", {}),
    "infinite": ("1,1,inf,1,a\n", "1,1,-inf,1,a\n", {}),
    "words before what is infinite": ("1,1,inf,1,a\n", "1,1,q,1,a\n", {}),
    "weights before scores": ("1,1,q,1,a\n", "1,1,1,v,a\n", {"weight": "w"}),
    "beyond what a float holds": ("1,1,9007199254740993,1,a\n", "", {}),
    "negative weights": ("1,1,0.3,-1,a\n", "1,1,0.3,-2.5,a\n", {"weight": "w"}),
    "too large a weight": ("1,1,0.3,1e60,a\n", "", {"weight": "w"}),
    "fractions as frequencies": (
        "1,1,0.3,1.5,a\n",
        "1,1,0.3,2.5,a\n",
        {"weight": "w", "weight_kind": "frequency"},
    ),
    "too many rows": (
        "1,1,0.3,9007199254740991,a\n",
        "1,1,0.3,2,a\n",
        {"weight": "w", "weight_kind": "frequency"},
    ),
    "undeclared labels": ("2,1,0.3,1,a\n", "3,1,0.3,1,a\n", {"labels": [0, 1]}),
    "undeclared answers": ("1,2,0.3,1,a\n", "1,4,0.3,1,a\n", {"labels": [0, 1], "predicted": "p"}),
    "answers that are scores": ("1,0.5,0.3,1,a\n", "", {"predicted": "p"}),
    "a column for two roles": ("", "", {"predicted": "y"}),
    "a threshold beside answers": ("", "", {"predicted": "p", "threshold": 0.5}),
    "no such threshold": ("", "", {"threshold": "bestest"}),
    "clip without probabilities": ("", "", {"score": None, "predicted": "p", "clip": 0.1}),
    "one label": ("", "", {"labels": [1]}),
    "sets": ("", "", {"empty_sets": 0}),
    "two scores": ("", "", {"votes": ["p", "r"]}),
    "no such column": ("", "", {"score": "zz"}),
    "no such label": ("", "", {"pos_label": "zz"}),
    "no such way to weigh": ("", "", {"weight": "w", "weight_kind": "often"}),
    "no such way of missing": ("", "", {"missing": "guess"}),
    "a slice twice": ("", "", {"slices": ["r", "r"]}),
    "a cost is missing": ("", "", {"costs": {1: {0: 1}}}),
}


@pytest.mark.parametrize("case", WRONG)
def test_faults_are_told_as_in_memory(tmp_path, read_in_pieces, case):
    first, second, options = WRONG[case]
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    paths[0].write_text(HEADER + GOOD + first + GOOD)
    paths[1].write_text(HEADER + GOOD + second)
    options = {"actual": "y", "score": "s"} | options
    with pytest.raises(TallymarkError) as kept:
        tm.evaluate(paths, **options)
    read_in_pieces(100)
    with pytest.raises(type(kept.value)) as streamed:
        tm.evaluate(paths, **options)
    assert (streamed.value.message, streamed.value.hint) == (kept.value.message, kept.value.hint)


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ("1,1,,1,a\n" * 20, {"missing": "drop"}),
        ("1,1,,1,a\n" * 20, {}),
        ("1,1,0.5,0,a\n" * 20, {"weight": "w"}),
        ("", {}),
    ],
    ids=["all dropped", "all missing", "no weight", "no rows"],
)
def test_nothing_left(tmp_path, read_in_pieces, rows, options):
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + rows)
    options = {"actual": "y", "score": "s"} | options
    with pytest.raises(TallymarkError) as kept:
        tm.evaluate(path, **options)
    read_in_pieces(60)
    with pytest.raises(type(kept.value)) as streamed:
        tm.evaluate(path, **options)
    assert str(streamed.value) == str(kept.value)


def test_weights_that_are_too_small(tmp_path, read_in_pieces):
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + "1,1,0.5,1e-60,a\n" * 20)
    read_in_pieces(60)
    with pytest.raises(
        tm.errors.ColumnError, match="is nowhere more than 1e-60; the largest weight must lie"
    ):
        tm.evaluate(path, actual="y", score="s", weight="w")
