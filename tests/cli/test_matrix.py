"""`tallymark matrix`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TYPED = ("matrix", "150 40; 60 250")


def test_the_textbook_matrix_with_its_cost(run: Any) -> None:
    """Tan, Steinbach & Kumar, Introduction to Data Mining: accuracy 80 %, cost 3910."""
    form = run(*TYPED, "--labels", "+,-", "--costs", "-1 100; 1 0", "--json").json
    assert (form["labels"], form["positive"]) == (["+", "-"], "+")
    assert form["metrics"]["accuracy"]["value"] == 0.8
    assert form["costs"]["total"]["value"] == 3910


def test_the_first_label_is_positive_and_said(run: Any) -> None:
    form = run(*TYPED, "--json").json
    assert (form["labels"], form["positive"]) == (["class 1", "class 2"], "class 1")
    assert "positive class: 'class 1', the first label of the matrix." in form["notes"]


def test_positive_can_be_named(run: Any) -> None:
    form = run(*TYPED, "--labels", "+,-", "--positive", "-", "--json").json
    assert form["metrics"]["recall"]["value"] == 250 / 310


def test_numbers_as_labels(run: Any) -> None:
    form = run(*TYPED, "--labels", "0,1", "--json").json
    assert (form["labels"], form["positive"]) == (["0", "1"], "1")
    assert form["metrics"]["recall"]["value"] == 250 / 310


def test_codes_as_labels_stay_text(run: Any) -> None:
    assert run(*TYPED, "--labels", "007,7", "--json").json["labels"] == ["007", "7"]


def test_rows_predicted(run: Any) -> None:
    form = run(*TYPED, "--rows", "predicted", "--json").json
    assert form["confusion"]["matrix"] == [[150, 60], [40, 250]]


def test_costs_are_rows_actual_whatever_the_rows_of_the_matrix_are(run: Any) -> None:
    """Predicted + and actually -: 40 rows, at 1 each; the other error 60 rows at 100."""
    options = ("--labels", "+,-", "--rows", "predicted", "--costs", "0 100; 1 0", "--json")
    assert run(*TYPED, *options).json["costs"]["total"]["value"] == 40 + 6000
    said = " ".join(run("matrix", "--help").out.split())
    assert "Always rows = actual, columns = predicted, whatever --rows says" in said


def test_a_file_that_names_its_axes(run: Any) -> None:
    form = run("matrix", "matrix.csv", "--json").json
    assert form["confusion"] == {"labels": ["a", "b"], "matrix": [[5, 1], [2, 7]]}
    assert form["notes"][0] == ("rows of matrix.csv are predicted (named so in the corner 'predicted').")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("5 1; 2 7", ["class 1", "class 2"]),
        ("5 1\n2 7\n", ["class 1", "class 2"]),
        ("5,1\r\n2,7\r\n", ["class 1", "class 2"]),
        ("[[5, 1], [2, 7]]", ["class 1", "class 2"]),
        ('{"labels": [1, 0], "matrix": [[5, 1], [2, 7]]}', ["1", "0"]),
        ("predicted,a,b\na,5,2\nb,1,7\n", ["a", "b"]),
        ("\ufeffpredicted,a,b\na,5,2\nb,1,7\n", ["a", "b"]),
        ("actual\ta\tb\na\t5\t1\nb\t2\t7\n", ["a", "b"]),
        ("actual,predicted,count\na,a,5\na,b,1\nb,a,2\nb,b,7\n", ["a", "b"]),
    ],
)
def test_standard_input(run: Any, text: str, labels: list[str]) -> None:
    form = run("matrix", "-", "--json", stdin=text).json
    assert form["confusion"] == {"labels": labels, "matrix": [[5, 1], [2, 7]]}


def test_standard_input_is_called_so(run: Any) -> None:
    result = run("matrix", "-", stdin="predicted,a,b\na,5,x\nb,1,7\n")
    assert result.code == 2
    assert result.err == (
        "tallymark: line 2, column 'b' of standard input holds 'x'; expected a whole number, 0 or more.\n"
    )
    notes = run("matrix", "-", "--json", stdin="predicted,a,b\na,5,2\nb,1,7\n").json["notes"]
    assert notes[0] == "rows of standard input are predicted (named so in the corner 'predicted')."


def test_costs_from_a_file(run: Any) -> None:
    Path("costs.json").write_text('{"labels": ["-", "+"], "cost": [[0, 1], [100, -1]]}')
    form = run(*TYPED, "--labels", "+,-", "--costs", "costs.json", "--json").json
    assert form["costs"]["total"]["value"] == 3910


def test_explain(run: Any) -> None:
    result = run(*TYPED, "--labels", "+,-", "--explain", "recall")
    assert (result.code, result.err) == (0, "")
    assert "= 150 / (150 + 40)\n" in result.out
    assert result.out.endswith("\nNote: positive class: '+', the first label of the matrix.\n")


def test_explain_a_cost(run: Any) -> None:
    form = run(*TYPED, "--costs", "-1 100; 1 0", "--explain", "cost", "--json").json
    assert [one["value"] for one in form["explanations"]] == [3910]
