"""Findings about folds and choices, on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

ROWS = 48
Y = np.arange(ROWS) % 2
MODULE = """
from sklearn.neighbors import KNeighborsClassifier

k1, k3, k5, k7, k9, k11 = map(KNeighborsClassifier, (1, 3, 5, 7, 9, 11))
"""
DATA = ("rows.csv", "--target", "y", "--features", "x,z")


@pytest.fixture(autouse=True)
def files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(2).normal(size=(ROWS, 2)).round(4)
    rare = np.where(np.arange(ROWS) < 2, "rare", np.where(Y, "yes", "no"))
    table = {"x": noise[:, 0] + Y, "z": noise[:, 1], "y": Y, "rare": rare}
    pl.DataFrame(table).write_csv("rows.csv")
    Path("own_neighbors.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_neighbors", raising=False)


def codes(form: Any) -> list[str]:
    return [finding["code"] for finding in form["findings"]]


def test_a_plain_validation_is_silent(run: Any) -> None:
    form = run("validate", *DATA, "--model", "bayes", "--model", "tree", "--metric", "auc", "--json").json
    assert codes(form) == []


def test_folds_without_a_class(run: Any) -> None:
    call = ("validate", "rows.csv", "--target", "rare", "--features", "x,z", "--model", "bayes")
    form = run(*call, "--method", "kfold:4", "--json").json
    assert codes(form) == ["TM023"]
    assert form["findings"][0]["numbers"]["test_folds"] == 2
    assert codes(run(*call, "--method", "kfold:2", "--json").json) == []


def test_leave_one_out_with_ranks(run: Any) -> None:
    call = ("validate", *DATA, "--model", "bayes", "--method", "loo")
    assert codes(run(*call, "--metric", "auc", "--json").json) == ["TM024"]
    text = " ".join(run(*call, "--metric", "auc").out.split())
    assert "TM024 auc ranks rows against each other, but each of 48 folds tests one row" in text
    assert codes(run(*call, "--json").json) == []


def test_settings_compared_by_the_outer_folds(run: Any) -> None:
    models = [word for k in (1, 3, 5) for word in ("--model", f"own_neighbors:k{k}")]
    form = run("validate", *DATA, *models, "--json").json
    assert codes(form) == ["TM025"]
    assert form["findings"][0]["numbers"]["settings"][0]["learner"] == "KNeighborsClassifier"
    assert codes(run("validate", *DATA, *models[:4], "--json").json) == []


def test_a_test_set_that_is_asked_too_often(run: Any) -> None:
    for k in (1, 3, 5, 7, 9, 11):
        call = ("validate", *DATA, "--model", f"own_neighbors:k{k}", "--run-folder", "kept")
        form = run(*call, "--method", "kfold:3", "--quiet", "--json").json
    assert codes(form) == ["TM021"]
    assert form["findings"][0]["numbers"]["comparisons"] == 5
    assert codes(run(*call[:-2], "--method", "kfold:3", "--json").json) == []


def test_a_threshold_picked_on_its_own_rows(run: Any) -> None:
    text = " ".join(
        run("evaluate", "rows.csv", "--actual", "y", "--score", "x", "--threshold", "best:f1").out.split()
    )
    assert "TM007 the threshold" in text
    assert "answered by the threshold that the others choose, f1 is" in text
