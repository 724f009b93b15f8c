"""The same gate among the tests of a project: `pytest` has both fixtures where tallymark is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COLUMNS = {"actual": "actual", "score": "score", "id": "id"}


def test_finds_most_positives(assert_metric: Any) -> None:
    assert_metric(HERE / "predictions.csv", "recall >= 0.8", "auc >= 0.9", **COLUMNS)


def test_is_no_worse_than_the_model_that_is_live(assert_not_worse: Any) -> None:
    assert_not_worse(HERE / "predictions.csv", HERE / "live.csv", "auc", margin=0.01, **COLUMNS)
