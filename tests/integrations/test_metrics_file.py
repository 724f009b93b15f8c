"""Numbers alone, as a dictionary and as a file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from tallymark.errors import FileError, MetricError, OptionError
from tallymark.integrations.metrics_file import left_out, metrics_dict, save_metrics


@pytest.fixture(scope="module")
def ev() -> tm.Evaluation:
    return tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]).evaluate()


def test_value_and_both_ends(ev: tm.Evaluation) -> None:
    low, high = proportion_confint(150, 190, method="wilson")
    found = metrics_dict(ev, ["sensitivity", "accuracy"])
    assert list(found) == ["recall", "accuracy"]
    assert found["recall"] == pytest.approx({"value": 150 / 190, "low": low, "high": high}, rel=1e-9)
    assert found["accuracy"]["value"] == 0.8


def test_what_is_undefined_is_left_out(ev: tm.Evaluation) -> None:
    found = metrics_dict(ev)
    assert "auc" not in found
    assert left_out(ev, ["auc", "recall"]) == {"auc": "no scores were given"}
    assert set(found) | set(left_out(ev)) == set(ev.metrics)
    endless = tm.evaluate([1, 0], [1, 1], extra={"odds": _infinite})
    assert metrics_dict(endless, ["odds"]) == {}
    assert left_out(endless, ["odds"]) == {"odds": "your function gives inf"}


def test_a_number_of_ones_own_keeps_its_name() -> None:
    found = metrics_dict(tm.evaluate([1, 0], [1, 1], extra={"my number": _share}), ["my number"])
    assert found["my number"]["value"] == 0.5


def _share(y_true: Any, y_pred: Any) -> float:
    return float((y_true == y_pred).mean())


def _infinite(y_true: Any, y_pred: Any) -> float:
    return math.inf


def test_a_file_of_one_model_and_of_several(ev: tm.Evaluation, tmp_path: Path) -> None:
    save_metrics(ev, tmp_path / "one.json", ["accuracy"])
    assert json.loads((tmp_path / "one.json").read_text()) == metrics_dict(ev, ["accuracy"])
    save_metrics({"a": ev, "b": ev}, tmp_path / "two.json", ["accuracy"])
    assert json.loads((tmp_path / "two.json").read_text())["b"] == metrics_dict(ev, ["accuracy"])


def test_what_is_refused(ev: tm.Evaluation, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="metrics is a list of names; got 'recall'"):
        metrics_dict(ev, "recall")
    with pytest.raises(MetricError, match="did you mean recall"):
        metrics_dict(ev, ["recal"])
    (tmp_path / "there.json").write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        save_metrics(ev, tmp_path / "there.json")
    assert (tmp_path / "there.json").read_text() == "mine"
    with pytest.raises(FileError, match=r"must be \.json"):
        save_metrics(ev, tmp_path / "metrics.yaml")
