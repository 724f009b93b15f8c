"""`tallymark learn`: the learning curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

ROWS = 90
RANDOM = np.random.default_rng(9)
Y = np.arange(ROWS) % 2
CALL = ("learn", "rows.csv", "--target", "y", "--model", "bayes", "--repeats", "3")


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    x = RANDOM.normal(0, 1, (ROWS, 2)) + 1.1 * Y[:, None]
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "patient": Y + 2 * (np.arange(ROWS) // 9), "y": Y}).write_csv(
        "rows.csv"
    )


def sizes(run: Any, *options: str) -> list[int]:
    form = run(*CALL, "--ignore", "patient", *options, "--json").json
    assert form["schema"] == "tallymark/learning-curve/1"
    found: list[int] = form["schedule"]["sizes"]
    return found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [15, 30, 60]),
        (("--start", "10"), [10, 20, 40, 60]),
        (("--start", "10", "--factor", "3"), [10, 30, 60]),
        (("--schedule", "arithmetic", "--start", "20", "--step", "15"), [20, 35, 50, 60]),
        (("--schedule", "arithmetic", "--sizes", "3"), [20, 40, 60]),
        (("--schedule", "12,24,60"), [12, 24, 60]),
        (("--schedule", "0.5,1.0"), [30, 60]),
        (("--schedule", "10,40", "--test-size", "1/2"), [10, 40, 45]),
        (("--schedule", "10,40", "--test-size", "10%"), [10, 40, 81]),
    ],
    ids=["usual", "start", "factor", "arithmetic", "sizes", "list", "shares", "half", "tenth"],
)
def test_schedules(run: Any, options: tuple[str, ...], expected: list[int]) -> None:
    assert sizes(run, *options) == expected


def test_other_cuts(run: Any) -> None:
    call = ("learn", "rows.csv", "--target", "y", "--model", "bayes", "--ignore", "patient")
    form = run(*call, "--method", "kfold:3", "--schedule", "20,60", "--json").json
    assert form["cv"]["repeats"] == 3
    assert "3-fold" in form["cv"]["method"]
    assert all(len(point["values"]) == 3 for point in form["models"][0]["points"])


def test_groups_are_left_out_whole(run: Any) -> None:
    form = run(*CALL, "--group", "patient", "--schedule", "20,40", "--json").json
    assert form["models"][0]["points"][0]["n_train"] > 0
    assert form["schedule"]["sizes"][:2] == [20, 40]


def test_stops_when_more_rows_do_not_pay(run: Any) -> None:
    pl.DataFrame({"a": np.random.default_rng(0).normal(3.0 * Y), "y": Y}).write_csv("easy.csv")
    call = ("learn", "easy.csv", "--target", "y", "--model", "bayes", "--schedule", "10,20,40")
    form = run(*call, "--progressive", "--tolerance", "0.1", "--json").json
    assert form["progressive"] is not None
    assert len(form["models"][0]["points"]) < len(form["schedule"]["sizes"])
    assert run(*call, "--json").json["progressive"] is None


def test_the_report_of_several_models(run: Any) -> None:
    text = run(*CALL, "--model", "stump=tree", "--ignore", "patient", "--metric", "balanced_accuracy").out
    for said in ("Learning curve", "'bayes' and 'stump' on 90 rows", "balanced_accuracy", "More data"):
        assert said in text, said
    assert all(len(line) <= 100 for line in text.splitlines())


def test_the_picture_and_the_table(run: Any) -> None:
    assert run(*CALL, "-o", "curve.png").code == 0
    assert Path("curve.png").read_bytes().startswith(b"\x89PNG")
    assert run(*CALL, "--schedule", "15,60", "-o", "curve.csv").code == 0
    assert len(pl.read_csv("curve.csv")) >= 2


def test_fits_that_fail_are_exit_code_3(run: Any) -> None:
    result = run(
        *CALL[:3], "y", "--model", "near=knn", "--ignore", "patient", "--repeats", "2", "--schedule", "4,60"
    )
    assert result.code == 3
    assert result.err.startswith("tallymark: 2 of 4 fits failed: ValueError: ")
    assert result.err.count("\n") == 1
