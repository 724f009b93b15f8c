"""`tallymark pr`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import average_precision_score

SCORES = ("pr", "scores.csv", "--actual", "y", "--score", "s", "--positive", "yes")


def test_text(run: Any) -> None:
    result = run(*SCORES)
    assert (result.code, result.err) == (0, "")
    assert "4 rows, 2 positive and 2 negative. Positive class: 'yes'." in result.out
    for line in (
        "0.9   1   0      1.000   0.500",
        "0.6   1   1      0.500   0.500",
        "0.4   2   1      0.667   1.000",
    ):
        assert line in result.out
    assert "a precision of 0.500, the share of\npositives (2 of 4)" in result.out
    # 1/2 x 1 + 1/2 x 2/3
    assert "\naverage precision  0.833  [" in result.out


def test_json(run: Any) -> None:
    form = run(*SCORES, "--json").json
    assert (form["schema"], form["baseline"]) == ("tallymark/precision_recall/1", 0.5)
    assert form["threshold"] == [0.9, 0.6, 0.4, 0.2]
    assert form["precision"] == [1, 0.5, pytest.approx(2 / 3), 0.5]
    assert form["recall"] == [0.5, 0.5, 1, 1]
    expected = average_precision_score([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    assert form["average_precision"]["value"] == pytest.approx(expected)
    assert form["average_precision"]["low"] < expected < form["average_precision"]["high"]
    assert "at" not in form


def test_an_operating_point(run: Any) -> None:
    at = run(*SCORES, "--threshold", "0.5", "--json").json["at"]
    assert (at["threshold"], at["precision"]["value"], at["recall"]["value"]) == (0.5, 0.5, 0.5)
    assert (
        "At the threshold 0.5 the precision is 0.500 and the recall 0.500."
        in run(*SCORES, "--threshold", "0.5").out
    )


def test_no_positives(run: Any) -> None:
    arguments = ("pr", "-", "--actual", "y", "--score", "s")
    form = run(*arguments, "--json", stdin="y,s\n0,0.9\n0,0.2\n").json
    assert form["average_precision"]["value"] is None
    assert form["recall"] == [None, None]
    assert "undefined: no row is actually positive" in run(*arguments, stdin="y,s\n0,0.9\n0,0.2\n").out


def test_files(run: Any) -> None:
    run(*SCORES, "-o", "pr.csv")
    assert Path("pr.csv").read_text() == (
        "threshold,tp,fp,precision,recall\n0.9,1,0,1.0,0.5\n0.6,1,1,0.5,0.5\n0.4,2,1,0.6666666666666666,1.0\n"
        "0.2,2,2,0.5,1.0\n"
    )
    run(*SCORES, "-o", "pr.svg", "--threshold", "0.5")
    words = Path("pr.svg").read_text()
    assert "average precision 0.833" in words
    assert "at random: 0.500" in words
    assert "score &gt;= 0.5: precision 0.500" in words
