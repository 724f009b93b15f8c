"""The plugin inside runs of pytest, and its functions called by themselves."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tallymark as tm
from scored import classes, refusals

TESTS = """
import pytest
import tallymark as tm

EV = tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")

def test_bad(assert_metric):
    assert_metric(EV, "recall >= 0.7", "recall >= 0.75", "precision >= 0.9")

@pytest.fixture
def model(assert_metric, assert_not_worse):
    assert_metric(EV, "recall >= 0.7")
    yield EV
    assert_not_worse(EV, EV.to_dict(), "fpr")

def test_good(model):
    pass

def test_typo(assert_metric):
    assert_metric(EV, "recal >= 0.7")

def test_plain():
    pass
"""
MATRIX = tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"])
EV = MATRIX.evaluate(pos_label="1")


def test_a_run_lists_what_was_asserted(pytester: pytest.Pytester, snapshot: Any) -> None:
    pytester.makepyfile(test_model=TESTS)
    result = pytester.runpytest_inprocess("--junitxml=junit.xml")
    result.assert_outcomes(passed=2, failed=2)
    said = result.stdout.str()
    errors = "\n".join(re.findall(r"^E .*$", said, re.MULTILINE))
    section = re.search(r"^=+ tallymark =+\n(.*?)^=", said, re.MULTILINE | re.DOTALL)
    assert section is not None
    snapshot("pytest_plugin", {"errors": errors, "section": section[1]})
    # The library's own lines are left out of the traceback.
    assert not re.search(r"asserting\.py|registry\.py", said)
    suite = ElementTree.parse(pytester.path / "junit.xml").getroot()
    names = sorted(str(each.get("name")) for each in suite.iter("property"))
    # What is asserted when the fixture is done comes after the report that pytest writes properties from.
    assert names[:4] == ["tallymark failed"] * 2 + ["tallymark passed"] * 2
    # From the workers of xdist too, and nothing where nothing is asserted.
    bad = pytester.runpytest_inprocess("-n", "1", "-k", "bad")
    bad.stdout.fnmatch_lines(["*= tallymark =*", "*::test_bad", "  passed *", "  FAILED *", "  FAILED *"])
    assert " tallymark =" not in pytester.runpytest_inprocess("-k", "plain").stdout.str()


def test_a_run_that_asserts_nothing_imports_next_to_nothing() -> None:
    heavy = {"numpy", "polars", "scipy", "sklearn", "rich", "click"}
    code = (
        "import sys, pytest; before = set(sys.modules); import tallymark.integrations.pytest_plugin;"
        f"print({{name.partition('.')[0] for name in set(sys.modules) - before}} & {heavy})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_whatever_evaluate_takes_is_evaluated_on_the_way(tmp_path: Path) -> None:
    rows, tally, main = (tmp_path / name for name in ("rows.csv", "counts.tally", "main.json"))
    rows.write_text("y,p\n" + "yes,yes\n" * 9 + "yes,no\n" + "no,no\n" * 10)
    columns = {"actual": "y", "predicted": "p"}
    tm.tally(rows, **columns).save(tally)
    EV.save(main)
    # Of the other class 4,841 of 5,303 are found.
    gates = {
        0.9: tm.assert_metric(rows, "recall.value >= 0.9", pos_label="yes", **columns),
        0.75: tm.assert_metric([1, 1, 0, 0], "accuracy.value >= 0.75", y_pred=[1, 0, 0, 0]),
        4841 / 5303: tm.assert_metric(MATRIX, "recall >= 0.9", pos_label="0"),
        1: tm.assert_metric(tally, "recall.value >= 1", pos_label="no"),
        282 / 357: tm.assert_metric(main, "recall >= 0.7"),
    }
    assert [gate.outcomes[0].value for gate in gates.values()] == [*gates]
    assert tm.assert_metric(EV.to_dict(), "recall >= 0.7").passed
    assert tm.assert_not_worse(EV, main, "f1").passed


def test_worse_than_the_baseline_undefined_and_bad_calls(pytester: pytest.Pytester) -> None:
    """In a run of its own, so that these tests do not list what fails on purpose."""
    pytester.makepyfile("""
        import pytest
        import tallymark as tm

        actual = [1] * 400 + [0] * 400
        old = tm.evaluate(actual, [1] * 380 + [0] * 420)
        new = tm.evaluate(actual, [1] * 300 + [0] * 500)

        def test_it():
            with pytest.raises(AssertionError):
                tm.assert_not_worse(new, old, "recall", margin=0.1)
            # 80 of 400 rows were lost: a difference of 0.2, whose interval is about 0.04 to either side.
            assert tm.assert_not_worse(new, old, "recall", margin=0.25).passed
            with pytest.raises(AssertionError):
                tm.assert_metric(new, "ece <= 0.05")
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    calls = {
        "a typing error": lambda: tm.assert_metric(EV, "recal >= 0.8"),
        "nothing": lambda: tm.assert_metric(EV),
        "another positive class": lambda: tm.assert_metric(EV, "recall >= 0.8", pos_label="1"),
        "no metric": lambda: tm.assert_not_worse(EV, EV),
    }
    assert list(classes(refusals(calls)).values()) == ["MetricError", *["OptionError"] * 3]
