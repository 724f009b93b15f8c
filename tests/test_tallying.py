"""`tally()`: what it counts, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.tallies.binned import Binned

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1, 0, 0],
        "p": [1, 1, 0, 0, 1, 0, 1],
        "s": [0.9, 0.7, 0.4, 0.2, 0.7, 0.4, 0.41],
        "w": [1.5, 2, 0, 1, 3, 0.25, 1],
        "f": [1, 2, 0, 1, 3, 1, 1],
        "sex": ["f", "m", "f", "m", "f", "m", None],
    }
)


def counted(**options: Any) -> tm.Tally:
    return tm.tally(ROWS, actual="y", **options)


def test_files_and_frames_of_any_library_are_counted_alike(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    ROWS.write_parquet(tmp_path / "rows.parquet")
    options: dict[str, Any] = {
        "actual": "y",
        "predicted": "p",
        "score": "s",
        "slices": "sex",
        "missing": "drop",
    }
    whole = tm.tally(ROWS, **options)
    assert whole == tm.tally(tmp_path / "rows.parquet", **options)
    assert whole == tm.tally(ROWS.lazy(), **options)
    assert whole == tm.tally(pandas.DataFrame(ROWS.to_dict(as_series=False)), **options)
    assert whole == tm.tally(ROWS[:3], **options) + tm.tally(ROWS[3:], **options)
    assert whole.dropped == {"missing_slice": 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"score": "f", "approximate": True}, "from 0 to 1, and these reach from 0 to 3."),
        ({"score": "s", "grid": (0, 1)}, "a grid is about approximate numbers"),
        ({"score": "s", "approximate": True, "grid": 5}, "given by its two ends, such as (-5, 5); got 5"),
        ({"score": "s", "approximate": True, "grid": (2, 1)}, "up to a larger one; got 2.0 to 1.0"),
        ({"score": "s", "threshold": "best:f1"}, "threshold 'best:f1' takes all parts"),
        ({"score": "s", "probabilities": ["s", "w"]}, "exclude each other"),
        ({"score": "s", "weight_kind": "frequency"}, "no weights were named"),
        ({"score": "s", "weight": "f", "weight_kind": "often"}, "weight_kind must be one of"),
        ({"score": "s", "missing": "zero"}, "missing must be 'error' or 'drop'"),
        ({"score": "s", "delimiter": ";"}, "delimiter is about reading files"),
        ({"score": "s", "memory": "lots"}, "memory is a size such as 500MB"),
        ({"predicted": ["p", "f"]}, "one column each here"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_what_cannot_be_counted(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError) as caught:
        counted(**options)
    assert said in caught.value.message


@pytest.mark.parametrize("data", [[], [1, 0], {"y": [1]}, 5, np.zeros(3)], ids=list("abcde"))
def test_what_is_no_table(data: Any) -> None:
    with pytest.raises(OptionError, match="data frame"):
        tm.tally(data)


def test_a_positive_class_is_one_label() -> None:
    with pytest.raises(tm.LabelError, match=r"the positive class is one label; got \[1\]"):
        counted(score="s", pos_label=[1])


def test_labels_that_were_not_stated_are_refused() -> None:
    for option in ({"predicted": "p"}, {"score": "s"}):
        with pytest.raises(
            tm.LabelError, match=r"actual \(column 'y'\) holds \[0\] at positions 1, 3, 5 and 1 more"
        ):
            counted(labels=[1, 2], **option)


def test_a_grid_of_ones_own_holds_other_scores() -> None:
    tally = counted(score="f", approximate=True, grid=(-10, 10))
    assert isinstance(tally.scores, Binned)
    assert (tally.scores.grid.low, tally.scores.grid.high) == (-10, 10)
    assert tally.evaluate(threshold=1)["auc"].value == counted(score="f").evaluate(threshold=1)["auc"].value
