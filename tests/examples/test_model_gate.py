"""The gate as a build runs it: exit codes, what a build server reads, and areas by scikit-learn."""

import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from sklearn.metrics import roc_auc_score

GATE = Path(__file__).parents[2] / "examples" / "gate"


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("model_gate.py")


def test_exit_codes(ran: Any) -> None:
    assert [ran.names[name] for name in ("better", "worse", "as_test", "unusable")] == [0, 1, 1, 2]
    codes = [line for line in ran.output.splitlines() if line.startswith("exit code")]
    assert codes == [f"exit code {code}" for code in (0, 1, 1, 2)]
    assert "Decision: the model with squares is released; the one that lost a column is not." in ran.output


def test_limits_are_met_by_a_model_that_got_worse(ran: Any) -> None:
    live, new = (pl.read_csv(ran.names["project"] / name) for name in ("live.csv", "predictions.csv"))
    before, after = (roc_auc_score(each["actual"], each["score"]) for each in (live, new))
    assert after > 0.9
    assert after - before < -0.01
    assert f"auc is {after:.3f} and the baseline's is {before:.3f}" in ran.output
    assert "1 failed, 1 passed" in ran.output


def test_what_a_build_server_and_a_reviewer_get(ran: Any) -> None:
    suite = ElementTree.parse(ran.names["project"] / "gate.xml").getroot().find(".//testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert "1 of 3 requirements is not met" in (ran.names["project"] / "gate.html").read_text(
        encoding="utf-8"
    )


def test_the_workflow_and_the_tests_ask_the_same() -> None:
    job = yaml.safe_load((GATE / "model-gate.yml").read_text(encoding="utf-8"))["jobs"]["gate"]
    assert any(step.get("run", "").startswith("tallymark check") for step in job["steps"])
    asked = tomllib.loads((GATE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["tallymark"]
    test = (GATE / "test_model.py").read_text(encoding="utf-8")
    for words in (*asked["require"], *asked["no-worse"], asked["baseline"], f"margin={asked['margin']}"):
        assert words in test
