"""A gate on paper, as JSON, for build servers and for GitHub."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import xmlschema

from tallymark import Confusion, evaluate
from tallymark.errors import FileError
from tallymark.evaluation import Evaluation
from tallymark.gate import Gate, check

SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))
TEXT = """\
Failed: 3 of 5 requirements are not met.

requirement                   found        interval  judged by     limit  result
----------------------------  -----  --------------  ---------  --------  ---------------
recall >= 0.75                0.800  [0.711, 0.867]  lower end   >= 0.75  short by 0.039
fpr.value < 10%               0.100  [0.071, 0.139]  value         < 0.1  at the limit
precision@well >= 0.9         0.931  [0.896, 0.955]  lower end    >= 0.9  short by 0.0041
accuracy >= 0.8               0.875  [0.839, 0.904]  lower end    >= 0.8  passed
recall worse by at most 0.05  0.800  [0.711, 0.867]  lower end  >= 0.683  passed

recall is 0.800 [0.711, 0.867]; its lower end 0.711 falls short of 0.75 by 0.039.

fpr is 0.100 [0.071, 0.139], which is not below 0.1.

precision of 'well' is 0.931 [0.896, 0.955]; its lower end 0.896 falls short of 0.9 by 0.0041.

Note: the value alone would pass for recall, precision of 'well'. Judged is the end of the 95 %
interval that counts against it, so that luck does not pass. More rows make it narrower;
'recall.value' judges the value alone.

Note: the baseline is known from its numbers alone, so like is held against like, which is not a
test of the difference; give its predictions for one."""


@pytest.fixture(scope="module")
def gate(ev: Evaluation) -> Gate:
    main = Confusion([[82, 18], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")
    asked = ["recall >= 0.75", "fpr.value < 10%", "precision@well >= 0.9", "accuracy >= 0.8"]
    return check(ev, asked, baseline=main, no_worse="recall", margin=0.05)


def test_the_verdict_is_first_then_the_table_then_what_failed(gate: Gate) -> None:
    assert str(gate) == TEXT
    assert repr(gate) == "Gate('Failed: 3 of 5 requirements are not met.')"


def test_json_has_every_number(gate: Gate) -> None:
    form = json.loads(gate.to_json(), parse_constant=pytest.fail)
    assert (form["schema"], form["passed"], form["rows"], form["level"]) == (
        "tallymark/check/1",
        False,
        400,
        0.95,
    )
    first, *_, last = form["outcomes"]
    assert (first["requirement"], first["metric"], first["judged"], first["limit"]) == (
        *("recall >= 0.75", "recall", "low", 0.75),
    )
    assert first["found"] == first["estimate"]["low"] == pytest.approx(0.75 - first["short_by"])
    assert (last["kind"], last["margin"], last["baseline"]["value"]) == ("baseline", 0.05, 0.82)


def test_an_infinite_number_is_null_in_json() -> None:
    sure = evaluate([1, 0, 1, 0], y_score=[0.0, 0.2, 0.9, 0.1])
    form = check(sure, "log_loss <= 2").to_dict()
    assert not form["passed"]
    assert form["outcomes"][0]["found"] is None
    json.dumps(form, allow_nan=False)


def test_junit_is_valid_and_says_what_failed(gate: Gate) -> None:
    text = gate.to_junit()
    SCHEMA.validate(text)
    suite = ElementTree.fromstring(text.partition("?>")[2]).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "3", "0")
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    failure = cases["recall >= 0.75"].find("failure")
    assert failure is not None
    assert failure.get("message") == gate.outcomes[0].sentence
    assert "n = 100; assumption: independent rows" in (failure.text or "")
    assert cases["accuracy >= 0.8"].find("failure") is None
    numbers = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert numbers["recall >= 0.75: value"] == "0.8"
    assert numbers["recall >= 0.75: limit"] == "0.75"


def test_junit_holds_labels_that_xml_cannot() -> None:
    label = 'a"<&>\x00\x1b[31m\ud800'
    counts = Confusion([[5, 1], [1, 5]], labels=[label, "other"]).evaluate(pos_label=label)
    gate = check(counts, f"recall@{label} >= 0.9")
    text = gate.to_junit()
    SCHEMA.validate(text)
    case = ElementTree.fromstring(text.partition("?>")[2]).find("testsuite/testcase")
    assert case is not None
    assert case.get("name") == 'recall@a"<&>\\x00\\x1b[31m\\ud800 >= 0.9'


def test_annotations_are_one_line_each_with_signs_escaped() -> None:
    label = "50%,\r\na: b"
    counts = Confusion([[5, 1], [1, 5]], labels=[label, "other"]).evaluate(pos_label=label)
    [line] = check(counts, f"recall@{label} >= 0.9").annotations()
    title, message = line.removeprefix("::error title=").split("::")
    assert title == "tallymark check%3A recall@50%25%2C%0D%0Aa%3A b >= 0.9"
    assert message.startswith("recall of '50%25,\\r\\na: b' is 0.833 [")


def test_annotations_of_failures_and_of_a_pass(gate: Gate, ev: Evaluation) -> None:
    assert len(gate.annotations()) == 3
    assert all(line.startswith("::error title=tallymark check%3A ") for line in gate.annotations())
    assert check(ev, "recall >= 0.5").annotations() == [
        "::notice title=tallymark check::Passed: the requirement is met."
    ]


def test_the_summary_is_markdown_with_a_heading(gate: Gate) -> None:
    lines = gate.summary().splitlines()
    assert lines[:3] == ["### tallymark check", "", "Failed: 3 of 5 requirements are not met."]
    assert any(line.startswith("| recall >= 0.75 ") for line in lines)


@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "html", "json", "xml"])
def test_every_format_can_be_saved(gate: Gate, tmp_path: Path, suffix: str) -> None:
    gate.save(tmp_path / f"gate.{suffix}")
    text = (tmp_path / f"gate.{suffix}").read_text()
    assert "3 of 5 requirements" in text or 'failures="3"' in text
    with pytest.raises(FileError, match="exists already"):
        gate.save(tmp_path / f"gate.{suffix}")


def test_a_threshold_that_was_tuned_on_these_rows_is_pointed_out() -> None:
    ev = evaluate([0, 0, 1, 0, 1, 1], y_score=[0.1, 0.3, 0.35, 0.4, 0.6, 0.9], threshold="best:f1")
    for given in (ev, ev.to_dict()):
        [said] = [note for note in check(given, "f1 >= 0.1").notes if "was picked on these rows" in note]
        assert "so the numbers at it are optimistic" in said


def test_rows_left_out_are_said() -> None:
    ev = evaluate(["a", "b", None, "a"], ["a", "b", "b", "b"], pos_label="a", missing="drop")
    assert "1 row was left out (missing actual)." in check(ev, "recall >= 0.1").notes
    assert "1 row was left out (missing actual)." in check(ev.to_dict(), "recall >= 0.1").notes
