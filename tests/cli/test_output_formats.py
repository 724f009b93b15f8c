"""`-o`: the suffix sets the format."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

MATRIX = ("matrix", "50 3 2; 4 60 1; 0 5 70", "--labels", "a,b,c")
ANSWERS = ("evaluate", "answers.csv", "--positive", "yes")
NEEDS = "% Input this into a document that has \\usepackage{booktabs} in its preamble.\n"


@pytest.mark.parametrize("command", [MATRIX, ANSWERS])
@pytest.mark.parametrize(
    ("name", "begins", "holds"),
    [
        ("out.md", "## Evaluation\n", "| accuracy "),
        ("out.MD", "## Evaluation\n", "| accuracy "),
        ("out.tex", NEEDS, "\naccuracy & "),
        ("out.csv", "slice,class,average,metric,value,low,high,level,", ",accuracy,"),
        ("out.txt", "Evaluation\n----------\n", "\naccuracy  "),
        ("out.json", '{"schema": "tallymark/evaluation/1"', '"accuracy": '),
    ],
)
def test_a_report_in_every_format(
    run: Any, command: tuple[str, ...], name: str, begins: str, holds: str
) -> None:
    result = run(*command, "-o", name)
    assert (result.code, result.out, result.err) == (0, "", f"wrote {name}\n")
    written = Path(name).read_text(encoding="utf-8")
    assert written.startswith(begins)
    assert holds in written
    assert written.endswith("\n")
    assert not written.endswith("\n\n")


def test_csv_has_the_digits_of_the_json_document(run: Any) -> None:
    run(*MATRIX, "--metric", "f_beta_macro:2", "-o", "out.csv")
    run(*MATRIX, "--metric", "f_beta_macro:2", "-o", "out.json")
    with Path("out.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    form = json.loads(Path("out.json").read_text(encoding="utf-8"))
    (row,) = [row for row in rows if (row["metric"], row["average"]) == ("f_beta:2", "macro")]
    number = form["metrics"]["f_beta_macro:2"]
    assert [row[key] for key in ("value", "low", "high", "n")] == [
        json.dumps(number[key]) for key in ("value", "low", "high", "n")
    ]


def test_normalize_is_drawn_and_refused_where_there_is_no_matrix(run: Any) -> None:
    run(*MATRIX, "--normalize", "actual", "-o", "out.md")
    assert "90.9%" in Path("out.md").read_text(encoding="utf-8")
    result = run(*MATRIX, "--normalize", "actual", "-o", "out.csv")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "tallymark: a .csv file has one row per number and no matrix, so --normalize would have no effect. "
        "Hint: leave one of them out.\n"
    )


def test_formulas_in_markdown(run: Any) -> None:
    run(*MATRIX, "--explain", "accuracy", "--explain", "recall_macro", "-o", "out.md")
    written = Path("out.md").read_text(encoding="utf-8")
    assert written.startswith("## accuracy\n\n```text\naccuracy: ")
    assert "\n```\n\n## recall_macro\n\n```text\n" in written
    assert "\n  recall of 'a' = 50 / 55 = 0.9091\n" in written


def test_what_was_assumed_is_said_below_formulas_in_markdown(run: Any) -> None:
    run("matrix", "5 1; 2 7", "--explain", "accuracy", "-o", "out.md")
    said = Path("out.md").read_text(encoding="utf-8").partition("```\n\n")[2]
    assert said.startswith("Note: positive class: 'class 1', the first label of the matrix.\n")


def test_formulas_have_no_table(run: Any) -> None:
    result = run(*MATRIX, "--explain", "accuracy", "-o", "out.csv")
    assert result.err == (
        "tallymark: cannot write 'out.csv': the suffix sets the format and must be "
        ".html, .json, .md, .tex or .txt.\n"
    )


@pytest.mark.parametrize("suffix", ["pdf", "markdown"])
def test_other_suffixes_are_refused_before_any_work(run: Any, suffix: str) -> None:
    result = run("evaluate", "no_such_file.csv", "-o", f"out.{suffix}")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"tallymark: cannot write 'out.{suffix}': the suffix sets the format and must be "
        ".csv, .html, .json, .md, .tex or .txt.\n"
    )


def test_the_input_is_not_overwritten(run: Any) -> None:
    before = Path("answers.csv").read_text()
    result = run(*ANSWERS, "-o", "answers.csv")
    assert result.err == "tallymark: -o answers.csv would replace the data. Hint: name another file.\n"
    assert Path("answers.csv").read_text() == before


@pytest.mark.parametrize(
    "command",
    [("interval", "--correct", "80", "--of", "100", "--method", "all"), ("metrics",)],
    ids=["interval", "metrics"],
)
def test_other_commands_that_draw(run: Any, command: tuple[str, ...]) -> None:
    for name, holds in (("out.md", "| ---"), ("out.tex", r"\toprule"), ("out.txt", "-----")):
        assert run(*command, "-o", name).code == 0
        assert holds in Path(name).read_text(encoding="utf-8")
    assert "must be .html, .json, .md, .tex or .txt." in run(*command, "-o", "out.csv").err


def test_hostile_labels_in_files(run: Any) -> None:
    labels = ("<script>", "=1+1", "\\input{x}", "a|b")
    cells = "\n".join(f'"{label}","{label}"' for label in labels)
    for suffix in ("md", "tex", "csv", "txt", "json", "html"):
        assert run("evaluate", "-", "-o", f"out.{suffix}", stdin=f"actual,predicted\n{cells}\n").code == 0
    assert "<script" not in Path("out.md").read_text(encoding="utf-8")
    assert Path("out.html").read_text(encoding="utf-8").count("<script") == 1  # that of the page
    assert "\\input" not in Path("out.tex").read_text(encoding="utf-8")
    assert ",=1+1" not in Path("out.csv").read_text(encoding="utf-8")


def test_curves_of_several_models_share_a_picture_and_a_title(run: Any) -> None:
    rows = b"y,a,b\n1,0.9,0.8\n0,0.4,0.6\n1,0.5,0.7\n0,0.1,0.2\n"
    for command, title in (("gains", "Cumulative gains and lift"), ("cost-curve", "Cost curve")):
        models = ("--model", "first=a", "--model", "second=b")
        result = run(command, "-", "--actual", "y", *models, "-o", f"{command}.html", stdin=rows)
        assert result.code == 0, result.err
        written = Path(f"{command}.html").read_text("utf-8")
        assert f"<h1>{title}</h1>" in written
        assert written.count(" role=img") == 1
