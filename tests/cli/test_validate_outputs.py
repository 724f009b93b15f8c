"""What `tallymark validate` writes, and what reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import accuracy_score

import tallymark as tm
from tallymark.cli import learning, validate
from tallymark.resampling.named import METHODS
from tallymark.validation.learners import by_name as learners

ROWS = 60
RANDOM = np.random.default_rng(5)
Y = np.arange(ROWS) % 2
X = (RANDOM.normal(0, 1, (ROWS, 2)) + 0.9 * Y[:, None]).round(4)
DATA = {"x": X[:, 0], "z": X[:, 1], "y": Y}
NUMBERS = ("--target", "y", "--features", "x,z")


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    pl.DataFrame(DATA).write_csv("rows.csv")


def validated(run: Any, *arguments: str) -> Any:
    return run("validate", *arguments, "--json").json


def scores(form: Any, place: int = 0) -> list[float]:
    found: list[float] = form["models"][place]["metrics"]["accuracy"]["values"]
    return found


def test_the_report(run: Any) -> None:
    text = run("validate", "rows.csv", *NUMBERS, "--model", "bayes", "--method", "kfold:5").out
    for said in (
        "5-fold cross-validation",
        "60 rows",
        "mean of folds",
        "pooled",
        "training",
        "majority",
        "Folds",
    ):
        assert said in text, said
    assert all(len(line) <= 100 for line in text.splitlines())


def test_compared(run: Any) -> None:
    call = ("rows.csv", *NUMBERS, "--model", "bayes", "--model", "knn")
    form = validated(run, *call, "--compare")
    assert form["comparison"]["schema"] == "tallymark/comparison/1"
    assert form["comparison"]["design"] == "same folds"
    first, second = (np.array(scores(form, place)) for place in range(2))
    assert form["comparison"]["differences"][0]["value"] == pytest.approx((first - second).mean())
    text = run("validate", *call, "--compare").out
    assert text.index("Result: accuracy") < text.index("Verdict")
    assert form["comparison"]["verdict"].split(":")[0] in " ".join(text.split())
    assert run("validate", *call, "--compare", "-o", "page.html").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>Validation of bayes and knn</title>" in page
    assert (
        page.index("Result: accuracy")
        < page.index(">Comparison</h2>")
        < page.index("All test rows together</h2>")
    )
    assert f"{form['comparison']['differences'][0]['value']:.3f}" in page
    # One model is held against the baseline.
    alone = validated(run, *call[:-2], "--compare")["comparison"]
    assert [model["name"] for model in alone["models"]] == ["bayes", "majority"]


@pytest.mark.parametrize("method", ["holdout", "loo"])
def test_compared_row_by_row(run: Any, method: str) -> None:
    call = ("rows.csv", *NUMBERS, "--model", "bayes", "--model", "knn", "--method", method)
    form = validated(run, *call, "--compare")["comparison"]
    assert form["design"] == "same rows"
    assert sum(form["agreement"][0][cell] for cell in ("n00", "n01", "n10", "n11")) == form["rows"]


def test_what_was_fitted_is_not_lost(run: Any) -> None:
    """Folds of one class have no area to compare; the report is there all the same."""
    pl.DataFrame(
        {"x": [0.1 * i for i in range(12)], "site": list("aaabbbcccddd"), "y": [1] * 6 + [0] * 6}
    ).write_csv("sites.csv")
    models = ("--model", "bayes", "--model", "tree", "--metric", "auc", "--method", "group:site")
    result = run("validate", "sites.csv", "--target", "y", *models, "--compare")
    assert result.code == 2
    assert "auc is undefined in all 4 folds" in result.err
    assert "Result: auc" in result.out


def test_the_table_goes_into_compare(run: Any) -> None:
    call = ("rows.csv", *NUMBERS, "--model", "bayes", "--model", "knn")
    assert run("validate", *call, "-o", "folds.csv").err == "wrote folds.csv\n"
    direct = validated(run, *call, "--compare")["comparison"]["differences"][0]
    table = run("compare", "folds.csv", "--per", "fold", "--metric", "accuracy", "--json").json
    found = next(each for each in table["differences"] if (each["a"], each["b"]) == ("bayes", "knn"))
    assert (found["value"], found["p_value"]) == pytest.approx((direct["value"], direct["p_value"]))


def test_predictions_go_into_evaluate_and_compare(run: Any) -> None:
    call = ("rows.csv", *NUMBERS, "--model", "bayes", "--model", "knn", "--predictions", "said.csv")
    result = run("validate", *call, "--method", "kfold:5")
    assert result.err == "wrote said.csv\n"
    said = pl.read_csv("said.csv")
    assert sorted(said["row"]) == list(range(ROWS))
    ev = run("evaluate", "said.csv", "--actual", "actual", "--predicted", "bayes_predicted", "--json").json
    form = validated(run, *call[:-2], "--method", "kfold:5")
    expected = accuracy_score(said["actual"], said["bayes_predicted"])
    assert ev["metrics"]["accuracy"]["value"] == pytest.approx(expected)
    assert form["models"][0]["metrics"]["accuracy"]["pooled"]["value"] == pytest.approx(expected)
    models = ("--model", "bayes=bayes_predicted", "--model", "knn=knn_predicted")
    assert run("compare", "said.csv", "--actual", "actual", *models).code == 0


def test_several_data_sets(run: Any) -> None:
    frame = pl.DataFrame(DATA).select("x", "z", "y")
    frame.rename({"y": "class"}).write_csv("other.csv")
    frame[::2].vstack(frame[1:20:2]).write_csv("third.csv")
    sets = ("--data", "a=rows.csv", "--data", "b=other.csv", "--data", "c=third.csv")
    call = (
        *sets,
        "--target",
        "y",
        "--target",
        "b=class",
        "--features",
        "x,z",
        "--model",
        "bayes",
        "--model",
        "knn",
    )
    form = validated(run, *call, "--method", "kfold:3", "--compare")
    assert form["schema"] == "tallymark/experiment/1"
    assert list(form["data_sets"]) == ["a", "b", "c"]
    assert form["comparison"]["design"] == "many data sets"
    alone = validated(run, "rows.csv", *NUMBERS, "--model", "bayes", "--method", "kfold:3")
    assert scores(form["data_sets"]["a"]) == scores(form["data_sets"]["b"]) == scores(alone)
    text = run("validate", *call, "--method", "kfold:3").out
    assert all(name in text for name in ("bayes", "knn", "majority"))


def test_pictures(run: Any) -> None:
    call = ("rows.csv", *NUMBERS, "--model", "bayes", "--method", "kfold:3")
    for kind in validate.KINDS:
        assert run("validate", *call, "--picture", kind, "-o", f"{kind}.png").code == 0
        assert Path(f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    sets = (
        "--data",
        "a=rows.csv",
        "--data",
        "b=rows.csv",
        *NUMBERS,
        "--model",
        "bayes",
        "--method",
        "kfold:3",
    )
    for kind in validate.OF_SEVERAL:
        assert run("validate", *sets, "--picture", kind, "-o", f"several-{kind}.svg").code == 0
        assert "<svg" in Path(f"several-{kind}.svg").read_text()


@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "json", "csv"])
def test_every_format(run: Any, suffix: str) -> None:
    out = f"out.{suffix}"
    result = run(
        "validate", "rows.csv", *NUMBERS, "--model", "bayes", "--method", "kfold:3", "--compare", "-o", out
    )
    assert (result.code, result.out, result.err) == (0, "", f"wrote {out}\n")
    assert "bayes" in Path(out).read_text()


# --- what --help says without importing it ---------------------------------------------------------


def test_names_in_the_help_are_the_real_ones(run: Any) -> None:
    assert learning.LEARNERS == learners.LEARNERS
    for name in METHODS:
        assert f" {name}" in f" {learning.METHODS}", name
    found = tm.validate("bayes", X, Y, cv=3)
    assert tuple(found.figures()) == validate.KINDS
    assert tuple(tm.validate("bayes", {"a": (X, Y), "b": (X, Y)}, cv=3).figures()) == validate.OF_SEVERAL


def test_costs_are_said_in_words_and_groups_go_with_the_answers(run: Any) -> None:
    pl.DataFrame({**DATA, "patient": np.arange(ROWS) // 4}).write_csv("rows.csv")
    shown = run(
        *("validate", "rows.csv", *NUMBERS, "--group", "patient", "--model", "bayes"),
        *("--labels", "0,1", "--costs", "0 1; 10 0", "--metric", "mean_cost"),
        *("--method", "kfold:2x2", "--predictions", "said.csv"),
    )
    text = " ".join(shown.out.split())
    assert "Note: costs: " in text
    assert "10" in text.partition("Note: costs: ")[2].partition(".")[0]
    assert "rows are in it several times: evaluate it with --group row" in shown.err
    said = pl.read_csv("said.csv")
    assert said["group"].to_list() == [row // 4 for row in said["row"].to_list()]
