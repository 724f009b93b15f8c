"""Where a comparison goes: every format, every picture."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tallymark.cli import compare
from tallymark.comparison import question

BY_COLUMN = ("one.csv", "--actual", "y", "--model", "tree=t", "--model", "forest=f")


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    Path("one.csv").write_text("y,t,f\n1,0.9,0.8\n0,0.6,0.3\n1,0.4,0.7\n0,0.2,0.1\n1,0.3,0.9\n")


def test_every_format(run: Any) -> None:
    for suffix in (".txt", ".md", ".tex", ".json", ".csv", ".png", ".svg", ".pdf"):
        result = run("compare", *BY_COLUMN, "-o", f"out{suffix}")
        assert (result.code, result.out, result.err) == (0, "", f"wrote out{suffix}\n")
        assert Path(f"out{suffix}").stat().st_size
    assert run("compare", *BY_COLUMN, "-o", "out.txt").code == 2
    quiet = run("compare", *BY_COLUMN, "-o", "out.txt", "--force", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert Path("out.txt").read_text() == run("compare", *BY_COLUMN).out
    assert json.loads(Path("out.json").read_text()) == run("compare", *BY_COLUMN, "--json").json
    with Path("out.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    assert [row["metric"] for row in rows][:2] == ["accuracy", "recall"]
    assert float(rows[0]["difference"]) == pytest.approx(2 / 5 - 1)


@pytest.mark.parametrize("kind", ["differences", "roc", "agreement"])
def test_every_picture(run: Any, kind: str) -> None:
    result = run("compare", *BY_COLUMN, "--picture", kind, "-o", "out.svg")
    assert (result.code, result.err) == (0, "wrote out.svg\n")
    assert "forest" in Path("out.svg").read_text()


def test_named_choices_are_those_of_the_arithmetic() -> None:
    """`--help` names them without importing it."""
    assert get_args(question.Test) == compare.TESTS
    assert get_args(question.DifferenceMethod) == compare.METHODS
    assert get_args(question.Adjust) == compare.ADJUSTMENTS
