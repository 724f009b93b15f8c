"""`tallymark evaluate --model`: several models, each evaluated on its own."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

COLUMNS = "y,tree,rule,site\n1,0.9,1,n\n1,0.4,1,s\n0,0.6,0,n\n0,0.1,1,s\n"
BY_COLUMN = ("evaluate", "columns.csv", "--actual", "y", "--model", "tree=tree", "--model", "rule=rule")
BY_FILE = ("evaluate", "--model", "tree=tree.csv", "--model", "rule=rule.csv")


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    Path("columns.csv").write_text(COLUMNS)
    Path("tree.csv").write_text("actual,score\n1,0.9\n1,0.4\n0,0.6\n0,0.1\n")
    Path("rule.csv").write_text("actual,predicted\n1,1\n1,1\n0,0\n0,1\n")


@pytest.mark.parametrize("call", [BY_COLUMN, BY_FILE], ids=["by column", "by file"])
def test_each_model_is_evaluated(run: Any, call: tuple[str, ...]) -> None:
    form = run(*call, "--json").json
    assert form["schema"] == "tallymark/evaluations/1"
    tree, rule = form["models"]
    assert (tree["name"], rule["name"]) == ("tree", "rule")
    assert tree["schema"] == rule["schema"] == "tallymark/evaluation/1"
    assert tree["confusion"]["matrix"] == [[1, 1], [1, 1]]
    assert rule["confusion"]["matrix"] == [[1, 1], [0, 2]]
    assert (tree["threshold"], rule["threshold"]) == (0.5, None)
    # Of the four pairs of a positive and a negative row the scores order three rightly.
    assert tree["metrics"]["auc"]["value"] == 0.75


def test_each_is_as_if_alone(run: Any) -> None:
    form = run(*BY_FILE, "--json").json
    alone = [run("evaluate", file, "--json").json for file in ("tree.csv", "rule.csv")]
    assert [
        {key: value for key, value in model.items() if key != "name"} for model in form["models"]
    ] == alone


def test_text_names_the_model_in_every_heading(run: Any) -> None:
    result = run(*BY_FILE)
    assert (result.code, result.err) == (0, "")
    for line in ("tree: Summary", "rule: Summary", "tree: Confusion matrix", "rule: Confusion matrix"):
        assert f"\n{line}\n{'-' * len(line)}\n" in result.out


def test_one_model(run: Any) -> None:
    assert [model["name"] for model in run(*BY_FILE[:3], "--json").json["models"]] == ["tree"]


def test_csv_names_the_model(run: Any) -> None:
    assert run(*BY_COLUMN, "--slice", "site", "--metric", "f_beta:2", "-o", "out.csv").code == 0
    with Path("out.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    assert {row["model"] for row in rows} == {"tree", "rule"}
    found = {
        row["model"]: float(row["value"])
        for row in rows
        if (row["metric"], row["slice"], row["class"]) == ("f_beta:2", "", "")
    }
    # rule: 5 * 2 / (5 * 2 + 4 * 0 + 1); tree: 5 / (5 + 4 + 1).
    assert found == pytest.approx({"tree": 0.5, "rule": 10 / 11})


@pytest.mark.parametrize("suffix", [".txt", ".md", ".tex", ".json"])
def test_every_format(run: Any, suffix: str) -> None:
    result = run(*BY_FILE, "-o", f"out{suffix}")
    assert (result.code, result.out, result.err) == (0, "", f"wrote out{suffix}\n")
    content = Path(f"out{suffix}").read_text()
    assert "tree" in content
    assert "rule" in content
    if suffix == ".json":
        assert json.loads(content) == run(*BY_FILE, "--json").json


def test_options_hold_for_every_model(run: Any) -> None:
    costs = ("--labels", "0,1", "--costs", "0 1; 10 0")
    tree, rule = run(*BY_COLUMN, *costs, "--json").json["models"]
    assert (tree["metrics"]["total_cost"]["value"], rule["metrics"]["total_cost"]["value"]) == (11, 1)
    tree, rule = run(*BY_COLUMN, "--prevalence", "0.1", "--json").json["models"]
    # 0.9 of the rows are negative, of which half are wrong in both; of the positives tree misses half.
    assert tree["metrics"]["accuracy"]["value"] == pytest.approx(0.5)
    assert rule["metrics"]["accuracy"]["value"] == pytest.approx(0.9 * 0.5 + 0.1)
    tree, _ = run(*BY_COLUMN, "--threshold", "0.3", "--json").json["models"]
    assert tree["confusion"]["matrix"] == [[1, 1], [0, 2]]
    cut = (*costs, "--threshold", "best:cost")
    tree, _ = run(*BY_COLUMN, *cut, "--json").json["models"]
    assert (tree["threshold"], tree["metrics"]["total_cost"]["value"]) == (0.4, 1)


def test_a_column_named_for_all_that_only_one_file_has(run: Any) -> None:
    result = run(*BY_FILE, "--score", "score", "--predicted", "predicted")
    assert (result.code, result.err) == (0, "")
    assert "Note: there is no column 'predicted'." in result.out
    assert "Note: there is no column 'score'." in result.out


def test_label_sets(run: Any) -> None:
    Path("sets.csv").write_text("y,p,q\na;b,a,b\nb,b,a\n")
    models = ("--model", "p=p", "--model", "q=q")
    form = run("evaluate", "sets.csv", "--actual", "y", "--set-delimiter", ";", *models, "--json").json
    # Of two rows and two labels: p leaves out one label; q leaves out one twice and adds one.
    found = [model["metrics"]["hamming_loss"]["value"] for model in form["models"]]
    assert found == pytest.approx([1 / 4, 3 / 4])


def test_one_of_them_from_standard_input(run: Any) -> None:
    form = run(
        "evaluate", "--model", "tree=-", *BY_FILE[3:], "--json", stdin=Path("tree.csv").read_text()
    ).json
    assert form["models"] == run(*BY_FILE, "--json").json["models"]


BAD: list[tuple[tuple[str, ...], str]] = [
    (("evaluate", "--model", "tree"), "--model: expected NAME=FILE; got 'tree'."),
    ((*BY_COLUMN[:4], "--model", "tree"), "--model: expected NAME=COLUMN; got 'tree'."),
    (
        ("evaluate", "--model", "a=tree.csv", "--model", "a=rule.csv"),
        "--model gives 'a' twice: 'tree.csv' and 'rule.csv'. Hint: give each a name of its own, once.",
    ),
    (
        ("evaluate", "--model", "a=trees.csv"),
        "model 'a': there is no file trees.csv. Hint: did you mean tree.csv?",
    ),
    (
        (*BY_COLUMN[:4], "--model", "a=trees"),
        "columns.csv has no column 'trees'; its columns are 'y', 'tree', 'rule' and 'site'."
        " Hint: did you mean 'tree' for 'trees'? Names are compared exactly.",
    ),
    (
        (*BY_COLUMN, "--score", "tree"),
        "--score and --model NAME=COLUMN both say where the answers are."
        " Hint: leave out --score, or give every model a file: --model NAME=FILE.",
    ),
    (
        ("evaluate", "--model", "a=nowhere.csv", "--explain", "recall"),
        "--explain shows one model; --model names several. Hint: leave one of them out.",
    ),
    (
        ("evaluate", "--model", "a=nowhere.csv", "--metric", "recal"),
        "no metric is called 'recal'. Hint: did you mean recall? `tallymark metrics` lists them all.",
    ),
    (
        (*BY_COLUMN, "--threshold", "best:cost"),
        "the threshold best:cost needs costs. Hint: give them with --costs (costs=).",
    ),
    ((*BY_FILE, "-o", "tree.csv"), "-o tree.csv would replace the data. Hint: name another file."),
    (
        ("evaluate", "--model", "a=-", "--model", "b=-"),
        "- (standard input) was given more than once, but it can be read only once.",
    ),
    (
        (*BY_FILE, "-o", "out.png"),
        "cannot write 'out.png': the suffix sets the format and must be .csv, .html, .json,"
        " .md, .tex or .txt.",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")
