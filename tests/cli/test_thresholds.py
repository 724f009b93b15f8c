"""`tallymark thresholds`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SCORES = ("thresholds", "scores.csv", "--actual", "y", "--score", "s", "--positive", "yes")


def test_f1_unless_said(run: Any) -> None:
    result = run(*SCORES)
    assert (result.code, result.err) == (0, "")
    # At 0.4 there are 2 true and 1 false positives: 4 / 5.
    assert (
        "f1 is highest, 0.800, at the threshold 0.4; every threshold above 0.2 and up to 0.4 gives"
        in result.out
    )
    assert "optimistic" in result.out
    form = run(*SCORES, "--json").json
    assert (form["schema"], list(form["metrics"])) == ("tallymark/thresholds/1", ["f1"])
    f1 = form["metrics"]["f1"]
    assert f1["threshold"] == [None, 0.9, 0.6, 0.4, 0.2]
    assert f1["value"] == pytest.approx([0, 2 / 3, 0.5, 0.8, 2 / 3])
    assert f1["best"] == {"threshold": 0.4, "value": 0.8, "low": 0.2, "high": 0.4, "others": 0}


def test_several_metrics(run: Any) -> None:
    asked = ("--metric", "precision", "--metric", "sensitivity", "--metric", "f_beta:2", "--metric", "recall")
    metrics = run(*SCORES, *asked, "--json").json["metrics"]
    assert list(metrics) == ["precision", "recall", "f_beta:2"]
    assert metrics["precision"]["value"] == [None, 1, 0.5, pytest.approx(2 / 3), 0.5]
    assert metrics["precision"]["undefined"] == {"nothing was predicted positive (tp + fp = 0)": 1}
    assert "score >=  TP  FP  FN  TN  precision  recall  f_beta:2" in run(*SCORES, *asked).out


def test_a_metric_without_direction_has_no_best(run: Any) -> None:
    form = run(*SCORES, "--metric", "predicted_positive_rate", "--json").json["metrics"][
        "predicted_positive_rate"
    ]
    assert form["best"] is None
    assert form["why"]


def test_the_value_at_a_threshold(run: Any) -> None:
    assert run(*SCORES, "--threshold", "0.5", "--json").json["at"] == {"threshold": 0.5, "f1": 0.5}
    assert "At the threshold 0.5 f1 is 0.500." in run(*SCORES, "--threshold", "0.5").out


def test_files(run: Any) -> None:
    run(*SCORES, "--metric", "f1", "--metric", "accuracy", "-o", "out.csv")
    lines = Path("out.csv").read_text().splitlines()
    assert lines[0] == "threshold,tp,fp,fn,tn,f1,accuracy"
    assert lines[1] == "inf,0,0,2,2,0.0,0.5"
    assert len(lines) == 6
    run(*SCORES, "-o", "out.svg", "--threshold", "0.5")
    words = Path("out.svg").read_text()
    assert "best 0.800 at 0.4" in words
    assert "score &gt;= 0.5" in words
