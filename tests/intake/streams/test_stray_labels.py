"""A few labels that do not belong with the rest are told with their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tallymark as tm
from tallymark.errors import LabelError

HEAD = "y,p\n" + "1,0.7\n0,0.2\n" * 100


def files(folder: Path, *more: str) -> list[Path]:
    """Two parts of 200 rows each, with further labels at the end of the second."""
    (folder / "a.csv").write_text(HEAD)
    (folder / "b.csv").write_text(HEAD + "".join(f"{label},0.5\n" for label in more))
    return [folder / "a.csv", folder / "b.csv"]


def refused(paths: list[Path], **options: Any) -> LabelError:
    with pytest.raises(LabelError) as caught:
        tm.evaluate(paths, actual="y", score="p", approximate=True, **options)
    return caught.value


def test_where_a_slip_stands(tmp_path: Path) -> None:
    problem = refused(files(tmp_path, "2", "1", "2"))
    assert problem.message == (
        "a score needs to know the positive class; the labels are [0, 1, 2]. Most rows are [0, 1]; 2 rows "
        "hold [2], at lines 202 and 204 of b.csv."
    )
    assert problem.hint == "mend that, or name the positive class: --positive 1 (in Python pos_label=1)."


def test_words_among_numbers(tmp_path: Path) -> None:
    problem = refused(files(tmp_path, "yes"))
    assert problem.message.endswith("Most rows are ['0', '1']; 1 row holds ['yes'], at line 202 of b.csv.")


def test_missing_values_beside_it_do_not_move_the_place(tmp_path: Path) -> None:
    paths = files(tmp_path, "", "2")
    assert "1 row holds [2], at line 203 of b.csv." in refused(paths, missing="drop").message


@pytest.mark.parametrize("count", [tm.evaluate, tm.tally], ids=["evaluated", "counted"])
def test_classes_written_in_two_ways(count: Any, tmp_path: Path) -> None:
    paths = files(tmp_path, *["true", "false"] * 20)
    with pytest.raises(LabelError) as caught:
        count(paths, actual="y", score="p", approximate=True)
    assert "40 rows hold ['false', 'true'], at lines 202, 203 and 204 of b.csv and 37 more" in str(
        caught.value
    )
    assert caught.value.hint == "write the labels of all rows in the same way."


def test_a_third_class_is_no_slip(tmp_path: Path) -> None:
    problem = refused(files(tmp_path, *["2"] * 50))
    assert problem.message.endswith(
        "/a.csv, " + str(tmp_path / "b.csv") + ": a score needs to know the positive class; the labels are"
        " [0, 1, 2]."
    )


def test_a_class_that_is_named(tmp_path: Path) -> None:
    paths = files(tmp_path, "2")
    ev = tm.evaluate(paths, actual="y", score="p", approximate=True, pos_label=1)
    assert (ev.rows, ev.positive) == (401, 1)
    # a part may lack what is named later
    assert tm.tally(paths, actual="y", score="p").evaluate(pos_label=1).rows == 401
