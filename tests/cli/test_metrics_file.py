"""`tallymark evaluate --metrics-file`; expected by hand: of 3 yes 2 are found, of 5 no 4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ANSWERS = ("evaluate", "answers.csv", "--positive", "yes")
NAMED = ("--metric", "recall", "--metric", "auc", "--metrics-file", "metrics.json")


def test_the_numbers_named_and_why_one_is_not_there(run: Any) -> None:
    result = run(*ANSWERS, *NAMED, "-o", "report.txt")
    assert result.code == 0
    assert result.err.splitlines()[-2:] == [
        "wrote metrics.json",
        "not in metrics.json, because no scores were given: auc",
    ]
    found = json.loads(Path("metrics.json").read_text())
    assert list(found) == ["recall"]
    assert found["recall"]["value"] == pytest.approx(2 / 3)
    assert found["recall"]["low"] < 2 / 3 < found["recall"]["high"]


def test_all_numbers_where_none_is_named_under_other_class_shares(run: Any) -> None:
    result = run(*ANSWERS, "--metrics-file", "metrics.json", "--prevalence", "0.5", "--json", "--quiet")
    assert result.json["metrics"]["accuracy"]["value"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    found = json.loads(Path("metrics.json").read_text())
    assert found["accuracy"]["value"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert len(found) > 20


def test_several_models_each_below_its_name(run: Any) -> None:
    models = ("--model", "one=answers.csv", "--model", "two=answers.csv")
    run("evaluate", *models, "--positive", "yes", *NAMED, "--quiet")
    found = json.loads(Path("metrics.json").read_text())
    assert found["one"] == found["two"]
    assert found["one"]["recall"]["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--metrics-file", "metrics.csv"), "must be .json"),
        (("--metrics-file", "there.json"), "exists already"),
        (("--metrics-file", "there.json", "--force", "-o", "there.json"), "would replace what -o writes"),
        (("--metrics-file", "metrics.json", "--explain", "recall"), "so --metrics-file has none to write"),
    ],
)
def test_what_is_refused_before_any_work(run: Any, arguments: tuple[str, ...], words: str) -> None:
    Path("there.json").write_text("mine")
    result = run(*ANSWERS, *arguments)
    assert result.code == 2
    assert words in result.err
    assert Path("there.json").read_text() == "mine"
    assert not Path("metrics.json").exists()
