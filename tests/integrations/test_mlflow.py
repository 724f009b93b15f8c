"""What is logged, by a stand-in for MLflow that writes down what it is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

import tallymark as tm
from tallymark.errors import MissingExtraError, OptionError
from tallymark.integrations.mlflow import log_to_mlflow

ACTUAL = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
SCORE = [0.9, 0.8, 0.7, 0.2, 0.6, 0.4, 0.3, 0.2, 0.1, 0.1]


class Recording:
    """The functions of MLflow that are called, and what came of them."""

    def __init__(self, active: str | None = None) -> None:
        self.run = None if active is None else _run(active)
        self.metrics: dict[str, float] = {}
        self.tags: dict[str, Any] = {}
        self.files: dict[str, str] = {}

    def active_run(self) -> Any:
        return self.run

    @contextmanager
    def start_run(self) -> Iterator[Any]:
        self.run = _run("started")
        yield self.run
        self.run = None

    def log_metrics(self, metrics: dict[str, float]) -> None:
        assert self.run is not None
        self.metrics |= metrics

    def set_tags(self, tags: dict[str, Any]) -> None:
        self.tags |= tags

    def log_text(self, text: str, artifact_file: str) -> None:
        self.files[artifact_file] = text


def _run(name: str) -> Any:
    return SimpleNamespace(info=SimpleNamespace(run_id=name))


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> Recording:
    made = Recording()
    monkeypatch.setitem(sys.modules, "mlflow", made)
    return made


@pytest.fixture(scope="module")
def ev() -> tm.Evaluation:
    own = {"profit (€)": lambda y_true, y_pred: float((y_true == y_pred).sum())}
    return tm.evaluate(ACTUAL, y_score=SCORE, extra=own)


def test_numbers_tags_and_files(recording: Recording, ev: tm.Evaluation) -> None:
    assert log_to_mlflow(ev) == "started"
    assert recording.run is None
    # 3 of 4 positives have 0.5 or more, and of 6 negatives 1.
    assert recording.metrics["recall"] == 0.75
    assert recording.metrics["precision"] == 0.75
    assert recording.metrics["accuracy"] == 0.8
    assert recording.metrics["profit _€_".replace("€", "_")] == 8
    assert recording.metrics["recall_low"] < 0.75 < recording.metrics["recall_high"]
    assert all(isinstance(value, float) for value in recording.metrics.values())
    assert recording.tags == {
        "tallymark.task": "binary",
        "tallymark.rows": 10,
        "tallymark.positive": 1,
        "tallymark.threshold": 0.5,
        "tallymark.confidence_level": 0.95,
    }
    assert json.loads(recording.files["evaluation.json"])["schema"] == "tallymark/evaluation/1"
    assert recording.files["report.html"].startswith("<!doctype html>")


def test_the_active_run_is_used_and_names_have_a_prefix(
    monkeypatch: pytest.MonkeyPatch, ev: tm.Evaluation
) -> None:
    active = Recording("mine")
    monkeypatch.setitem(sys.modules, "mlflow", active)
    assert log_to_mlflow(ev, prefix="test_", artifacts=False) == "mine"
    assert active.metrics["test_recall"] == 0.75
    assert all(name.startswith("test_") for name in active.metrics)
    assert active.tags["tallymark.test_rows"] == 10
    assert not active.files


def test_an_undefined_number_is_left_out(recording: Recording) -> None:
    log_to_mlflow(tm.evaluate([1, 1, 0], [1, 0, 0]), artifacts=False)
    assert "recall" in recording.metrics
    assert "auc" not in recording.metrics


def test_a_comparison_is_two_files(recording: Recording) -> None:
    models = {
        name: tm.evaluate(ACTUAL, [int(s >= at) for s in SCORE]) for name, at in (("a", 0.5), ("b", 0.3))
    }
    log_to_mlflow(tm.compare(models), prefix="both/")
    assert json.loads(recording.files["both/comparison.json"])["schema"] == "tallymark/comparison/1"
    assert list(recording.files) == ["both/comparison.json", "both/report.html"]
    assert not recording.metrics


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch, ev: tm.Evaluation) -> None:
    with pytest.raises(OptionError, match="an evaluation or a comparison can be logged; got dict"):
        log_to_mlflow({})  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match="Hint: pip install mlflow"):
        log_to_mlflow(ev)
