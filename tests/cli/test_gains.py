"""`tallymark gains`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

# Best first: + + - + - - - - - -
TEN = "y,s\n" + "".join(f"{int(place in (0, 1, 3))},{(10 - place) / 10}\n" for place in range(10))
GAINS = ("gains", "-", "--actual", "y", "--score", "s")


def test_questions_are_answered_in_sentences(run: Any) -> None:
    result = run(*GAINS, "--recall", "0.4", "--share", "0.2", stdin=TEN)
    assert (result.code, result.err) == (0, "")
    assert "10 rows, 3 positive and 7 negative." in result.out
    assert "The best 20 % (2 rows) hold 66.7 % of the positives (lift 3.33)." in result.out
    assert "To reach a recall of 40 %, take the best 20 % (2 of 10 rows): scores >= 0.9." in result.out
    assert result.out.count("To reach") == 1
    assert run(*GAINS, stdin=TEN).out.count("To reach") == 3


def test_the_table_of_parts(run: Any) -> None:
    deciles = run(*GAINS, "--json", stdin=TEN).json["deciles"]
    assert deciles["positives"] == pytest.approx([1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    assert deciles["cumulative_recall"] == pytest.approx([1 / 3, 2 / 3, 2 / 3, *[1] * 7])
    fifths = run(*GAINS, "--parts", "5", "--json", stdin=TEN).json["deciles"]
    assert (fifths["rows"], fifths["positives"]) == ([2] * 5, pytest.approx([2, 1, 0, 0, 0]))
    assert "\npart  rows " in run(*GAINS, "--parts", "5", stdin=TEN).out


def test_json(run: Any) -> None:
    form = run(*GAINS, "--share", "0.25", "--recall", "1", "--json", stdin=TEN).json
    assert form["schema"] == "tallymark/gains/1"
    assert (form["share"][:3], form["recall"][:3]) == ([0, 0.1, 0.2], pytest.approx([0, 1 / 3, 2 / 3]))
    assert form["lift"][:2] == [None, pytest.approx(10 / 3)]
    first, second = form["answers"]
    assert (first["asked"], first["recall"]) == ({"share": 0.25}, pytest.approx(2 / 3))
    assert (second["asked"], second["share"], second["threshold"]) == ({"recall": 1}, 0.4, 0.7)


def test_ties_do_not_depend_on_the_order_of_rows(run: Any) -> None:
    one, two = "y,s\n1,0.5\n0,0.5\n", "y,s\n0,0.5\n1,0.5\n"
    assert run(*GAINS, stdin=one).out == run(*GAINS, stdin=two).out
    assert run(*GAINS, "--share", "0.5", "--json", stdin=one).json["answers"][0]["recall"] == 0.5


def test_what_a_threshold_takes(run: Any) -> None:
    form = run(*GAINS, "--threshold", "0.65", "--json", stdin=TEN).json
    assert form["at"] == {"threshold": 0.65, "share": 0.4, "recall": 1.0, "lift": 2.5}
    text = run(*GAINS, "--threshold", "0.65", stdin=TEN).out
    assert (
        "Of all rows score >= 0.65 calls 40.0% positive, and among these are 100.0% of the positives" in text
    )


def test_no_positives(run: Any) -> None:
    result = run(*GAINS, stdin="y,s\n0,0.9\n0,0.2\n")
    assert result.code == 0
    assert "Gains are undefined: no row is actually positive." in result.out
    assert (
        run(*GAINS, "--share", "0.5", "--json", stdin="y,s\n0,0.9\n0,0.2\n").json["answers"][0]["recall"]
        is None
    )


def test_files(run: Any) -> None:
    run(*GAINS, "-o", "gains.csv", stdin=TEN)
    with Path("gains.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    assert list(rows[0]) == ["threshold", "taken", "found", "share", "recall", "lift"]
    assert [rows[0][name] for name in ("threshold", "taken", "lift")] == ["inf", "0", ""]
    assert len(rows) == 11
    run(*GAINS, "-o", "gains.svg", stdin=TEN)
    words = Path("gains.svg").read_text()
    assert "rows taken" in words
    assert "positives found" in words
    run(*GAINS, "--lift", "-o", "lift.svg", stdin=TEN)
    assert ">lift<" in Path("lift.svg").read_text()
