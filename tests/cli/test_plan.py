"""`tallymark plan`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tallymark as tm


def test_half_width_alone(run: Any) -> None:
    result = run("plan", "--half-width", "0.01")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "You need 9,600 rows. At accuracy 0.5 they give the 95 % interval [0.4900, 0.5100], of half width\n"
        "0.01 (wilson). The textbook formula z^2 p (1 - p) / h^2 says 9,604 rows.\n"
        "\n"
        "  rows  half width\n"
        "------  ----------\n"
        " 2,400      0.0200\n"
        " 4,800      0.0141\n"
        " 9,600      0.0100\n"
        "19,200      0.0071\n"
        "38,400      0.0050\n"
        "\n"
        "Note: No value was expected, so this is the worst case: whatever value comes out, the interval is\n"
        "not wider.\n"
    )


def test_difference(run: Any) -> None:
    text = run("plan", "--difference", "0.25", "--expected", "0.5", "--power", "0.9").out
    assert text.startswith("You need 77 rows in each of two test sets to tell accuracy 0.75 from 0.5, ")
    text = run("plan", "--difference", "0.3", "--disagreement", "0.7").out
    assert text.startswith("You need 59 rows, the same for both models, to tell two models apart whose ")


def test_rows(run: Any) -> None:
    text = run("plan", "--rows", "1000", "--expected", "0.85", "--paired", "--disagreement", "0.1").out
    assert text.startswith(
        "You have 1,000 rows. At accuracy 0.85 they give the 95 % interval [0.8265, 0.8708]"
    )
    assert "is 0.028 (accuracy 0.85 to\n0.878), when the models disagree on 0.1 of the same rows.\n" in text
    assert " rows  half width  difference  on other rows\n" in text


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        (["--half-width", "0.02", "--expected", "0.8", "--rows-per-group", "20", "--icc", "0.1"],
         {"half_width": 0.02, "expected": 0.8, "rows_per_group": 20, "icc": 0.1}),
        (["--half-width", "0.05", "--metric", "precision", "--predicted-positive-rate", "0.1"],
         {"half_width": 0.05, "metric": "precision", "predicted_positive_rate": 0.1}),
        (["--difference", "-0.02", "--expected", "0.9", "--confidence", "0.99", "--paired"],
         {"difference": -0.02, "expected": 0.9, "confidence_level": 0.99, "paired": True}),
        (["--rows", "1e4", "--metric", "recall", "--prevalence", "0.1"],
         {"rows": 10000, "metric": "recall", "prevalence": 0.1}),
    ],
)  # fmt: skip
def test_json_is_that_of_python(run: Any, arguments: list[str], same: dict[str, Any]) -> None:
    assert run("plan", *arguments, "--json").json == tm.plan(**same).to_dict()


def test_file(run: Any) -> None:
    assert run("plan", "--half-width", "0.1", "-o", "plan.txt").err == "wrote plan.txt\n"
    assert Path("plan.txt").read_text() == run("plan", "--half-width", "0.1").out
    assert run("plan", "--half-width", "0.1", "-o", "plan.md", "--quiet").code == 0
    assert Path("plan.md").read_text().startswith("You need 93 rows.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing was asked: expected one of half_width, difference, rows."
         " Hint: half_width=0.01 (--half-width 0.01) asks how many rows make an interval that narrow."),
        (["--half-width", "0.1", "--rows", "9"], "half_width and rows are separate questions."
         " Hint: ask one at a time: leave the others out."),
        (["--half-width", "wide"], "--half-width: expected a number; got 'wide'."
         " Hint: `tallymark plan --help` shows how it is used."),
    ],
)  # fmt: skip
def test_bad_calls(run: Any, arguments: list[str], message: str) -> None:
    result = run("plan", *arguments)
    assert (result.code, result.out, result.err) == (2, "", f"tallymark: {message}\n")
