"""The plugin inside runs of pytest; the interval expected is statsmodels'."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import pytest
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from tallymark.errors import MetricError, OptionError
from tallymark.integrations.asserting import assert_metric, assert_not_worse, listening
from tallymark.integrations.pytest_plugin import pytest_terminal_summary

LOW, HIGH = proportion_confint(282, 357, method="wilson")
FOUND = f"recall is 0.790 [{LOW:.3f}, {HIGH:.3f}]"
TESTS = """
import pytest
import tallymark as tm

EV = tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")

def test_bad(assert_metric):
    assert_metric(EV, "recall >= 0.7", "recall >= 0.75", "precision >= 0.9")

@pytest.fixture
def model(assert_metric):
    assert_metric(EV, "recall >= 0.7")
    yield EV
    assert_metric(EV, "fpr <= 0.1")

def test_good(model):
    pass

def test_typo(assert_metric):
    assert_metric(EV, "recal >= 0.7")
"""
PREDICTIONS = "y,p\n" + "yes,yes\n" * 9 + "yes,no\n" + "no,no\n" * 10


@pytest.fixture(scope="module")
def ev() -> tm.Evaluation:
    return tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")


# --- inside pytest -------------------------------------------------------------------------------


def test_a_run_lists_what_was_asserted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=2)
    found = FOUND.replace("[", "[[]")
    result.stdout.fnmatch_lines(
        [
            "E * AssertionError: 2 of 3 requirements failed: 'recall >= 0.75', 'precision >= 0.9'.",
            f"E * {found}; its lower end {LOW:.3f} falls short of 0.75 by * (95 % wilson, n = 357, *rows)",
            "E * no metric is called 'recal'. Hint: did you mean recall?*",
            "*= tallymark =*",
            "*::test_bad",
            f"  passed  {found}; its lower end {LOW:.3f} is at least 0.7.",
            f"  FAILED  {found}; its lower end {LOW:.3f} falls short of 0.75 by *",
            "  FAILED  precision is 0.379 *",
            "*::test_good",
            "  passed  recall is 0.790 *",
            "  passed  fpr is 0.087 *",
        ]
    )
    assert "asserting.py" not in result.stdout.str()
    assert "registry.py" not in result.stdout.str()
    suite = ElementTree.parse(pytester.path / "junit.xml").getroot()
    names = [each.get("name") for each in suite.iter("property")]
    # What is asserted when the fixture is done comes after the report that pytest writes properties from.
    assert sorted(map(str, names))[:4] == ["tallymark failed"] * 2 + ["tallymark passed"] * 2


def test_workers_of_xdist_hand_it_on(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("-n", "1", "-k", "bad")
    result.stdout.fnmatch_lines(["*= tallymark =*", "*::test_bad", "  passed *", "  FAILED *", "  FAILED *"])


def test_where_nothing_is_asserted_nothing_is_said() -> None:
    plain = SimpleNamespace(nodeid="test_plain", user_properties=[("seed", 1)])
    # It has nothing to write with, so that to write would fail.
    pytest_terminal_summary(cast(Any, SimpleNamespace(stats={"passed": [plain]}, verbosity=0)))


def test_a_run_that_asserts_nothing_imports_next_to_nothing() -> None:
    heavy = "numpy", "polars", "scipy", "sklearn", "rich", "click"
    code = f"""
import sys
import pytest
before = set(sys.modules)
import tallymark.integrations.pytest_plugin
print(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}} & set({heavy})))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# --- as plain functions --------------------------------------------------------------------------


@pytest.fixture
def unheard() -> Iterator[None]:
    """The run of these tests does not list what fails on purpose."""
    with listening(lambda *_: None):
        yield


def test_predictions_are_evaluated_on_the_way(tmp_path: Path) -> None:
    file = tmp_path / "predictions.csv"
    file.write_text(PREDICTIONS)
    gate = assert_metric(file, "recall.value >= 0.9", actual="y", predicted="p", pos_label="yes")
    assert (gate.passed, gate.outcomes[0].value) == (True, 0.9)
    gate = assert_metric([1, 1, 0, 0], "accuracy.value >= 0.75", y_pred=[1, 0, 0, 0])
    assert gate.outcomes[0].value == 0.75


def test_a_tally_is_evaluated_with_the_options_given(tmp_path: Path) -> None:
    counts = tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"])
    # Of the other class 4,841 of 5,303 are found.
    gate = assert_metric(counts, "recall >= 0.9", pos_label="0")
    assert gate.outcomes[0].value == 4841 / 5303
    (tmp_path / "rows.csv").write_text("y,p\n1,1\n1,0\n0,0\n0,0\n")
    tm.tally(tmp_path / "rows.csv", actual="y", predicted="p").save(tmp_path / "counts.tally")
    gate = assert_metric(tmp_path / "counts.tally", "recall.value >= 1", pos_label=0)
    assert gate.outcomes[0].value == 1


def test_the_json_of_an_evaluation_is_taken_as_it_is(ev: tm.Evaluation, tmp_path: Path) -> None:
    ev.save(tmp_path / "main.json")
    assert assert_metric(tmp_path / "main.json", "recall >= 0.7").passed
    assert assert_metric(ev.to_dict(), "recall >= 0.7").passed
    assert assert_not_worse(ev, tmp_path / "main.json", "f1").passed


@pytest.mark.usefixtures("unheard")
def test_worse_than_the_baseline_fails() -> None:
    actual = [1] * 400 + [0] * 400
    old = tm.evaluate(actual, [1] * 380 + [0] * 420)
    new = tm.evaluate(actual, [1] * 300 + [0] * 500)
    with pytest.raises(
        AssertionError, match=r"recall is 0\.750 and the baseline's is 0\.950; the difference"
    ):
        assert_not_worse(new, old, "recall", margin=0.1)
    # 80 of 400 rows were lost: a difference of 0.2, whose interval is about 0.04 to either side.
    assert assert_not_worse(new, old, "recall", margin=0.25).passed


@pytest.mark.usefixtures("unheard")
def test_an_undefined_number_fails_with_its_reason(ev: tm.Evaluation) -> None:
    with pytest.raises(
        AssertionError, match=r"^ece is undefined .no scores were given., so it cannot pass\.$"
    ):
        assert_metric(ev, "ece <= 0.05")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda ev: assert_metric(ev, "recal >= 0.8"), MetricError, "did you mean recall"),
        (lambda ev: assert_metric(ev), OptionError, "nothing is required"),
        (
            lambda ev: assert_metric(ev, "recall >= 0.8", pos_label="1"),
            OptionError,
            "pos_label cannot change",
        ),
        (lambda ev: assert_not_worse(ev, ev), OptionError, "which number must not be worse"),
    ],
)
def test_bad_calls_are_errors_and_not_failures(
    ev: tm.Evaluation, call: object, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call(ev)  # type: ignore[operator]
