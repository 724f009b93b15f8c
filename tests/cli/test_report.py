"""`tallymark report`, and `-o x.html` of the other commands: a page that says what the other outputs say."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

ROWS = (
    (row, row % 2, (row * 7 % 20) / 20 + 0.02, row % 2 * 0.5 + (row * 3 % 10) / 20, "ab"[row % 3 == 0])
    for row in range(40)
)
SCORES = "id,y,tree,forest,kind\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
MODELS = ("--actual", "y", "--model", "tree=tree", "--model", "forest=forest")
ONE = ("scores.csv", "--actual", "y", "--score", "forest")


@pytest.fixture
def page(run: Any) -> Any:
    """Writes page.html by a command, and gives its text back without tags."""
    Path("scores.csv").write_text(SCORES)

    def written(*arguments: str) -> str:
        Path("page.html").unlink(missing_ok=True)
        result = run(*arguments, "-o", "page.html")
        assert (result.code, result.out, result.err) == (0, "", "wrote page.html\n")
        return seen("page.html")

    return written


def seen(path: str) -> str:
    whole = Path(path).read_text(encoding="utf-8")
    assert whole.startswith("<!doctype html>")
    assert "default-src 'none'; style-src 'sha256-" in whole
    assert re.search("<title>[^<]+</title>", whole)
    body = re.sub("<(style|script|svg).*?</\\1>", " ", whole[whole.index("<body") :], flags=re.S)
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", body)).split())


def pictures(path: str = "page.html") -> int:
    return Path(path).read_text(encoding="utf-8").count(" role=img")


# --- the command -----------------------------------------------------------------------------------


def test_one_model(run: Any, page: Any) -> None:
    text = page(
        "report", *ONE, "--title", "Forty rows", "--slice", "kind", "--costs", '{"1":{"0":5},"0":{"1":1}}'
    )
    assert text.startswith("To the content Forty rows ")
    form = run("evaluate", *ONE, "--json").json["metrics"]
    for name in ("accuracy", "recall", "precision", "auc"):
        ends = f"[{form[name]['low']:.3f}, {form[name]['high']:.3f}]"
        assert f"{form[name]['value']:.3f} {ends}" in text
    for section in ("Ranking", "Probabilities", "Slices", "Costs", "Method notes"):
        assert section in text
    assert pictures() > 6


def test_several_models_are_compared(run: Any, page: Any) -> None:
    text = page("report", "scores.csv", *MODELS)
    form = run("compare", "scores.csv", *MODELS, "--json").json
    assert form["verdict"][1:] in text
    first = form["differences"][0]
    assert f"{first['value']:.3f} [{first['low']:.3f}, {first['high']:.3f}]" in text
    assert first["test"] in text
    assert text.startswith("To the content tree against forest ")


def test_models_in_files_are_matched_by_id(run: Any, page: Any) -> None:
    lines = SCORES.splitlines()
    for name, at in (("tree", 2), ("forest", 3)):
        rows = [
            ",".join((cells[0], cells[1], cells[at])) for cells in (line.split(",") for line in lines[1:])
        ]
        rows = rows[::-1] if name == "forest" else rows
        Path(f"{name}.csv").write_text("\n".join(["id,y,s", *rows]) + "\n")
    named = ("--model", "tree=tree.csv", "--model", "forest=forest.csv", "--actual", "y", "--score", "s")
    text = page("report", *named)
    form = run("compare", "scores.csv", *MODELS, "--json").json
    assert form["verdict"][1:] in text


def test_models_that_cannot_be_compared_are_shown(run: Any, page: Any) -> None:
    for name in ("tree", "forest"):
        command = ("tally", "scores.csv", "--actual", "y", "--score", name, "-o", f"{name}.tally")
        assert run(*command).code == 0
    tallies = ("--model", "tree=tree.tally", "--model", "forest=forest.tally")
    text = page("report", *tallies)
    assert "The models are not compared: " in text
    assert "Ranking" in text
    assert run("report", *tallies, "--same-rows", "-o", "same.html").code == 0
    assert "The models are not compared: " not in seen("same.html")
    assert "40 rows" in page("report", "tree.tally")


def test_the_file_is_named_and_kept(run: Any) -> None:
    first = run("report", "answers.csv", "--positive", "yes")
    assert (first.code, first.out, first.err) == (0, "", "wrote report.html\n")
    again = run("report", "answers.csv", "--positive", "yes")
    assert (again.code, again.err) == (
        2,
        "tallymark: 'report.html' exists already. Hint: use --force (overwrite=True) to replace it.\n",
    )
    assert "FILE is missing." in run("report").err
    assert run("report", "answers.csv", "--positive", "yes", "--force", "--quiet").err == ""
    assert run("report", "answers.csv", "--positive", "yes", "-o", "report.md").code == 0
    assert "accuracy" in Path("report.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("answers.csv", "-o", "x.json"), "must be .html, .md, .tex or .txt."),
        (("answers.csv", "-o", "answers.csv"), "-o answers.csv would replace the data."),
        ((), "FILE is missing."),
        (("answers.csv", "--same-rows"), "--other-rows and --same-rows are about several models"),
        (("answers.csv", "--same-rows", "--other-rows"), "exclude each other"),
        (("no.csv",), "no.csv"),
    ],
)
def test_refused(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run("report", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert not Path("report.html").exists()


# --- the other commands ------------------------------------------------------------------------------


def test_evaluate(run: Any, page: Any) -> None:
    text = page("evaluate", *ONE, "--metric", "f_beta:2")
    value = run("evaluate", *ONE, "--metric", "f_beta:2", "--json").json["metrics"]["f_beta:2"]
    assert f"f_beta:2 {value['value']:.3f} [{value['low']:.3f}, {value['high']:.3f}]" in text
    refused = run("evaluate", *ONE, "--normalize", "all", "-o", "other.html")
    assert "--normalize would have no effect" in refused.err
    assert "recall, worked out" in page("evaluate", *ONE, "--explain", "recall")
    both = page("evaluate", "scores.csv", *MODELS)
    assert "tree" in both
    assert "forest" in both


def test_compare_and_matrix(run: Any, page: Any) -> None:
    verdict = run("compare", "scores.csv", *MODELS, "--json").json["verdict"]
    assert verdict[1:] in page("compare", "scores.csv", *MODELS)
    assert pictures() > 6
    accuracies = ("compare", "--accuracy", "0.85:30", "--accuracy", "0.75:5000")
    assert run(*accuracies, "--json").json["verdict"][1:] in page(*accuracies)
    # 282 / (282 + 75), by hand
    assert "0.790" in page("matrix", "282 75; 462 4841", "--labels", "yes,no")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("roc",), "area"),
        (("pr",), "Average precision"),
        (("gains",), "The best 10 %"),
        (("thresholds",), "f1 is highest"),
        (("rejection",), "rejected"),
        (("calibration",), "(ECE)"),
        (("cost-curve",), "probability cost"),
        (("decision-curve",), "net benefit"),
        (("decide", "--best", "f1"), "f1"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_curves(page: Any, command: tuple[str, ...], told: str) -> None:
    text = page(command[0], *ONE, *command[1:])
    assert told in text
    assert "40 rows" in text
    assert pictures() >= 1


def test_a_curve_of_nothing_has_no_picture(page: Any) -> None:
    Path("one.csv").write_text("y,s\n1,0.5\n1,0.7\n")
    text = page("roc", "one.csv", "--actual", "y", "--score", "s", "--labels", "0,1")
    assert "There is no curve and no area: no row is actually negative." in text
    assert pictures() == 0


@pytest.mark.usefixtures("page")
def test_distribution_as_a_picture(run: Any) -> None:
    command = ("plot", "distribution", "scores.csv", *MODELS, "-o", "both.svg")
    assert run(*command).code == 0
    drawn = Path("both.svg").read_text()
    assert drawn.count("share of the class") == 2
